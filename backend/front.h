/* What needs C++: Clang (OpenCL C -> LLVM module) and the few LLVM functions without a C name. No
 * C++ type shows here. */
#ifndef BACKEND_FRONT_H
#define BACKEND_FRONT_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct front_source {
    const char *name; /* in diagnostics and __FILE__ */
    const char *text;
    const struct cc_blob *headers; /* found before any directory, by the exact string */
    size_t n_headers;
    const struct cc_features *features;
};

/* Running out of memory is a bug(), not an exception. Once per process. */
void front_setup(void);

/* Compiles for pointers of `pointer_bits`. NULL if there were errors; warnings and errors go to the
 * log. `args` are cc1 arguments that options.c made or wrote, never the user's own text. */
LLVMModuleRef front_compile(LLVMContextRef ctx, const struct front_source *src, char *const *args,
                            unsigned n_args, unsigned pointer_bits, struct cc_log *log);

/* Replaces accesses through generic pointers (address space 4) whose space is known. */
void front_infer_address_spaces(LLVMModuleRef m);

/* Splits the loads and stores through generic pointers that are left: by __gen_pointer_tag, one access a space
 * that a pointer of the module may have been made of. True if there were any. */
bool front_split_generic(LLVMModuleRef m);

/* Runs a pipeline of function passes on one function; false if LLVM doesn't know it. */
bool front_run_on_function(LLVMValueRef fn, const char *pipeline);

/* Whether copies of the block may stand in its place: few instructions, none of them a message. */
bool front_can_copy_block(LLVMBasicBlockRef block, unsigned max_size);
/* Gives these predecessors a copy of the block. What it makes goes through memory from then on:
 * "mem2reg" is to follow. */
void front_copy_block(LLVMBasicBlockRef block, LLVMBasicBlockRef *preds, unsigned n_preds);

/* An internal copy of a function, named after it. */
LLVMValueRef front_clone_function(LLVMValueRef fn);

#ifdef __cplusplus
}
#endif

#endif
