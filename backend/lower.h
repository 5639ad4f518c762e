/* Lowering at the level of LLVM: see the list in lib/gen.h. */
#ifndef BACKEND_LOWER_H
#define BACKEND_LOWER_H

#include "backend/llvmx.h"
#include "gen/device.h"

/* lower.c: before LLVM's optimiser. */
void lower_group_scratch(LLVMModuleRef m); /* local memory of lib/collective_cl20.cl */
void lower_group_lock(LLVMModuleRef m);    /* that of lib/atomic64.h */
void lower_byval(LLVMModuleRef m);        /* struct arguments of kernels -> __gen_arg_dword */
void lower_native(LLVMModuleRef m);       /* llvm.sin ... -> the math unit's primitives */
void lower_float_to_int(LLVMModuleRef m); /* fptosi, fptoui -> saturating */
void lower_global_id(LLVMModuleRef m); /* __gen_global_id; constant sizes where required ones are */
/* Calls of printf -> records (lower_printf.c), *any: there were some, and need the library; their
 * formats go to *out. False: errors in the log. */
bool lower_printf(LLVMModuleRef m, struct kbin *out, bool *any, struct cc_log *log);
void lower_pointer_tags(LLVMModuleRef m); /* __gen_pointer_tag of pointers whose space is known */
void lower_dynamic_dims(LLVMModuleRef m); /* `dim` arguments that aren't constants */

/* After it. */
/* i64 division, memcpy, operations on doubles...: true if any */
bool lower_to_library(LLVMModuleRef m, const struct gen_device *dev);
void lower_dwords(LLVMModuleRef m);     /* i128 ... -> dwords (lower_dwords.c), before lower_widths */
void lower_widths(LLVMModuleRef m);     /* i3, i33 ... -> i32, i64 (lower_width.c) */
void lower_contract(LLVMModuleRef m);   /* fmul + fadd that may fuse -> llvm.fma */
void lower_intrinsics(LLVMModuleRef m); /* what is in terms of simpler ones */

#endif
