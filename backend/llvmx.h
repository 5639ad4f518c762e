/* Small helpers over LLVM's C API. */
#ifndef BACKEND_LLVMX_H
#define BACKEND_LLVMX_H

#include "backend/backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#define for_each_function(f, m)                                                                    \
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
#define for_each_global(g, m)                                                                      \
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
#define for_each_block(b, f)                                                                       \
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
#define for_each_insn(i, b)                                                                        \
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
/* The body may delete i. */
#define for_each_insn_safe(i, b)                                                                   \
    for (LLVMValueRef i = LLVMGetFirstInstruction(b),                                              \
                      i##_next = i ? LLVMGetNextInstruction(i) : NULL;                             \
         i; i = i##_next, i##_next = i ? LLVMGetNextInstruction(i) : NULL)

enum { LLVMX_CC_FUNCTION = 75, LLVMX_CC_KERNEL = 76 };

/* "FILE:LINE" of an instruction or function, NULL if unknown. */
const char *llvmx_place(LLVMValueRef v);
const char *llvmx_name(LLVMValueRef v);
/* The name as the program has it: "_Z3fooi" is foo. */
const char *llvmx_source_name(LLVMValueRef v);
bool llvmx_is_kernel(LLVMValueRef fn);
bool llvmx_is_intrinsic(LLVMValueRef fn);
/* The function that a call calls, NULL if that isn't known or its type is another. */
LLVMValueRef llvmx_callee(LLVMValueRef call);
/* For people: "double", "half", "image2d_t" ... in an error. NULL if the type is one that we
 * compile. */
const char *llvmx_refused_type(LLVMTypeRef t);
/* Which image it is; KBIN_IMAGE_NONE: none, or one that we don't have. */
enum kbin_image llvmx_image_type(LLVMTypeRef t);
enum kbin_access llvmx_image_access(LLVMTypeRef image);
bool llvmx_is_sampler(LLVMTypeRef t);
bool llvmx_is_declared(LLVMValueRef fn, const char *name);
/* What an `align` attribute says of a call's pointer argument; else 1. */
unsigned llvmx_param_align(LLVMValueRef call, unsigned arg);
unsigned llvmx_attr_kind(const char *name);
/* A declaration of one of gen.h's functions: made if it isn't there. */
LLVMValueRef llvmx_primitive(LLVMModuleRef m, const char *name, LLVMTypeRef type, bool pure);
LLVMValueRef llvmx_call(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef *args, unsigned n);
/* Runs a pass pipeline; a bug() if LLVM doesn't know it. */
void llvmx_run(LLVMModuleRef m, const char *pipeline);

#endif
