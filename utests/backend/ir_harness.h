/* OpenCL C to results on the host: beignet-cc's dumps of Gen IR, before and after the optimiser,
 * run by the interpreter. One launch = both forms on every generation asked for; all must give the
 * same. */
#ifndef IR_HARNESS_H
#define IR_HARNESS_H

#include "ir_interp.h"

struct harness_program {
    struct ir_fn *fn[32]; /* kernels in the module's order: the plain ones, then the optimised */
    unsigned n_kernels;
    uint8_t *constants;
    size_t constants_size;
    struct kbin_reloc *relocs;
    uint32_t n_relocs;
    char *log; /* all that the compiler printed */
};

enum harness_kind { ARG_VALUE, ARG_BUFFER, ARG_LOCAL };
struct harness_arg {
    enum harness_kind kind;
    void *data; /* VALUE: its bytes; BUFFER: contents, changed in place; NULL: a null buffer */
    size_t size;
};

/* Compiles; false (and a note on stderr) if the compiler is missing, crashes or says no. */
bool harness_compile(const char *source, const char *device, const char *options,
                     struct harness_program *out);
/* A function by kernel name. */
const struct ir_fn *harness_find(const struct harness_program *p, const char *name, bool optimised);
/* Runs a one- to three-dimensional range. Instructions executed, or 0 and a note on stderr. */
uint64_t harness_run(const struct harness_program *p, const struct ir_fn *fn,
                     const struct harness_arg *args, const unsigned global[3],
                     const unsigned local[3]);

#endif
