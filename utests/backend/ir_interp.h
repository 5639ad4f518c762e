/* Runs Gen IR on the host, one work group at a time: a lane a work-item, all lanes in lockstep, so
 * a barrier has nothing to do. Written from ir.h and ir_op.def alone; shares no arithmetic with the
 * optimiser. Bits that a load leaves undefined are filled with rubbish, and values marked uniform
 * are checked to be so. */
#ifndef IR_INTERP_H
#define IR_INTERP_H

#include "backend/ir.h"

enum { INTERP_MAX_LANES = 64, INTERP_MAX_BUFFERS = 32 };

struct interp_buffer {
    uint8_t *data;
    size_t size;
    uint64_t address; /* where absolute addresses find it */
};

struct interp {
    const struct ir_fn *fn;
    unsigned n_lanes;
    uint32_t local_id[3][INTERP_MAX_LANES];
    uint32_t group_id[3];
    uint32_t thread_slot;
    uint8_t push[2048];
    struct interp_buffer surface[INTERP_MAX_BUFFERS]; /* by binding-table index */
    struct interp_buffer memory[INTERP_MAX_BUFFERS];  /* for absolute addresses; size 0: none */
    uint8_t slm[65536];
    bool check_uniform;
    char error[256];  /* empty: fine */
    uint64_t n_insns; /* executed, a whole group at once */
};

/* Runs fn from its entry, all lanes active. False: see error. */
bool interp_run(struct interp *in);

#endif
