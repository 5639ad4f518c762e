/* The compiler's parts and the order in which a build calls them (server.c, main.c):
 *
 *   front_compile   front.cpp    OpenCL C -> LLVM module (Clang), log
 *   link_builtins   link.c       the builtin library, only what is needed
 *   passes_run      passes.c     refusals, inlining, LLVM's passes: leaves the closed language of lib/gen.h
 *   ir_from_llvm    from_llvm*.c one kernel -> Gen IR; parameters, surfaces, local memory layout
 *   ir_optimise     opt_*.c      small passes
 *   codegen_kernel  codegen.c    selection, scheduling, allocation, encoding; tries SIMD32, 16, 8
 *   meta_fill       meta.c       argument metadata
 *   kbin_write      gen/kbin.c
 *
 * One build = one process (server.c forks), so memory comes from an arena that is never freed, and a
 * bug of ours ends the process by bug(): the build fails with a log and nothing else happens. */
#ifndef BACKEND_H
#define BACKEND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gen/device.h"
#include "gen/kbin.h"
#include "gen/ccproto.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LLVMOpaqueModule *LLVMModuleRef;
typedef struct LLVMOpaqueValue *LLVMValueRef;
typedef struct LLVMOpaqueContext *LLVMContextRef;
typedef struct LLVMOpaqueBasicBlock *LLVMBasicBlockRef;

/* Ends the build: an error of this program, never of the user. */
void bug(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Memory of one build: zeroed, aligned for anything; ends the build when there is none. */
void *cc_alloc(size_t size);
void *cc_grow(void *old, size_t old_size, size_t new_size); /* copy into a larger one */
char *cc_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct cc_log { char *text; size_t size, cap; bool failed; };
/* Appends to the build log: "FILE:LINE: error: ..." where a place is known (from !dbg). */
void cc_error(struct cc_log *log, LLVMValueRef where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void cc_note(struct cc_log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Parsed build options (options.c): a white list; anything else is CC_INVALID_OPTIONS. */
struct cc_options {
    unsigned cl_std;          /* 100, 110, 120, 200, 300; default 120 */
    bool opt_disable, mad_enable, unsafe_math, finite_math, fast_relaxed, no_signed_zeros, denorms_zero;
    bool correctly_rounded, single_precision, strict_aliasing, arg_info, uniform_wg, werror, no_warn, debug;
    char **front_args;        /* cc1 arguments they translate to: -D, -I, ... */
    unsigned n_front_args;
    bool arg_offsets; /* as in struct cc_request */
    bool create_library, link_options;
};

/* features.c: what programs in this version of OpenCL C may use on dev, or (NULL) all that there could be. */
struct cc_features {
    char *cl_ext; /* Clang's -cl-ext=... */
    char *header; /* the macros, all of gen/feature.def defined or not */
};
/* intel_subgroups: with the declarations of cl_intel_subgroups, which cost a tenth of a small build's time. */
struct cc_features features_of(const struct gen_device *dev, unsigned version, bool intel_subgroups);

/* What --dump PASS asks to see, a comma list; printed to stderr. */
bool cc_dumps(const char *pass);

/* Address spaces of LLVM's pointers, as SPIR numbers them. */
enum { ADDR_PRIVATE = 0, ADDR_GLOBAL = 1, ADDR_CONSTANT = 2, ADDR_LOCAL = 3, ADDR_GENERIC = 4 };

struct ir_fn;
/* arrays: private ones may lie in registers. */
struct ir_fn *ir_from_llvm(LLVMValueRef kernel, const struct gen_device *dev, const struct cc_options *opt,
                           bool arrays, struct kbin_kernel *out, struct kbin *bin, struct cc_log *log);
void ir_optimise(struct ir_fn *fn);
/* Fills code, simd, scratch_size, uses_local_id and counts of *out. */
enum codegen_result {
    CODEGEN_OK,
    CODEGEN_FAILED, /* error in the log */
    CODEGEN_ARRAYS, /* the arrays leave too few registers for the rest: they must lie in memory */
};
enum codegen_result codegen_kernel(struct ir_fn *fn, const struct gen_device *dev, struct kbin_kernel *out,
                    struct cc_log *log);
/* The same kernel once more in fewer lanes, for launches that leave threads of the device idle: *out is a copy of
 * `wide`, and gets code of its own. False: it can't be done, or there is little to gain. */
bool codegen_narrow(struct ir_fn *fn, const struct gen_device *dev, const struct kbin_kernel *wide,
                    struct kbin_kernel *out);
/* The width of kernels that require none, even if it means spilling; 0: codegen chooses. For tests. */
void codegen_prefer(unsigned simd);

#ifdef __cplusplus
}
#endif

#endif
