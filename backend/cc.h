/* The parts of beignet-cc that know each other besides backend.h: main, server, build, and the LLVM
 * steps that front.h doesn't have. */
#ifndef BACKEND_CC_H
#define BACKEND_CC_H

#include "backend/backend.h"

enum { CC_BUG_EXIT = 70 };

/* "FILE:LINE" of a value, or NULL: set by the part that knows LLVM. */
extern const char *(*cc_place)(LLVMValueRef where);
/* Told of a bug before the process ends. */
extern void (*cc_bug_hook)(const char *text);
void cc_set_dumps(const char *list);

/* options.c: parses an option string for one kind of request. Not CC_OK: the log says why. */
enum cc_status options_parse(const char *text, enum ccproto_kind kind, struct cc_options *out,
                             struct cc_log *log);

/* link.c: adds what the module needs of the builtin library. False: error in the log. */
bool link_builtins(LLVMModuleRef m, unsigned pointer_bits, struct cc_log *log);
/* Links src (consumed) into m: objects of clLinkProgram. */
bool link_module(LLVMModuleRef m, LLVMModuleRef src, struct cc_log *log);

/* passes.c: what no kernel reaches is dropped, so that nobody looks at it (it can be most of a
 * program). Then refuse.c, link.c, and all the rest up to the closed language; formats of printf go
 * to *out. */
void passes_begin(LLVMModuleRef m);
bool passes_run(LLVMModuleRef m, const struct gen_device *dev, const struct cc_options *opt,
                struct kbin *out, struct cc_log *log);

/* llvmx.c: makes LLVM's messages go to the log and its fatal errors to bug(). Once per process:
 * llvm_setup.
 */
void llvm_setup(void);
void llvm_log_to(LLVMContextRef ctx, struct cc_log *log);

/* refuse.c: what we can't compile, found on Clang's module, where places in the source are still
 * right. */
bool refuse_unsupported(LLVMModuleRef m, struct cc_log *log);
/* closed.c: anything outside the closed language is an error of ours. */
bool closed_check(LLVMModuleRef m, struct cc_log *log);

/* relax.c: float functions -> the math unit's, for the unsafe math options. */
void relax_math(LLVMModuleRef m, const struct cc_options *opt);

/* spirv.c: r->il -> LLVM module, by the translator that the request names; argument names only if
 * asked for. NULL: error in the log. */
LLVMModuleRef spirv_read(LLVMContextRef ctx, const struct cc_request *r, bool names,
                         unsigned pointer_bits, struct cc_log *log);
/* spirv_types.c: images, samplers and events get their types again. */
bool spirv_restore_types(LLVMModuleRef m, struct cc_log *log);

/* modes.c: the options with which code is to be made, in the bitcode itself. After a compile: */
void modes_compiled(LLVMModuleRef m, const struct cc_options *opt);
/* Options of a link, for an input that is open to them: */
void modes_linked(LLVMModuleRef m, const struct cc_options *opt);
/* A library made without -enable-link-options: */
void modes_close(LLVMModuleRef m);
/* What all functions were compiled with, before code is made of them: */
void modes_of(LLVMModuleRef m, struct cc_options *opt);

/* meta.c: name, arguments, attributes, required sizes. */
bool meta_fill(LLVMValueRef kernel, const struct gen_device *dev, const struct cc_options *opt,
               struct kbin_kernel *out, struct cc_log *log);

/* build.c: one request, in this process. *out is in the build's arena. */
enum cc_status cc_build(const struct cc_request *r, struct kbin *out, struct cc_log *log);
/* The same, to a reply; never fails: what goes wrong is in the reply. */
void cc_build_reply(const struct cc_request *r, struct cc_reply *reply);

/* server.c: serves requests on a socket until it closes. */
int server_run(int fd);

#endif
