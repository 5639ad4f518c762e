/* Observers watch and never alter: counters of --stats, the listing of --trace. A thread that has
 * one (t->observer) runs the observed main loop; all others pay nothing.
 *
 * Each host thread has its own observer, so nothing is shared while threads run; the pool adds them
 * up when they are reported. */
#ifndef SIM_OBSERVE_H
#define SIM_OBSERVE_H

#include "eu_exec.h"

struct stats_count {
    uint64_t insns, lanes; /* lanes: enabled ones, summed */
};

struct stats {
    struct stats_count insn[STAT_N];
    struct stats_count msg[MSG_N_KINDS]; /* insns: messages */
    uint64_t msg_bytes[MSG_N_KINDS];     /* payload and response registers moved */
    uint64_t fast;                       /* instructions that took a fast form */
    uint64_t threads;
};

struct observer {
    struct stats *stats;      /* borrowed: of the running kernel; NULL: not counted */
    bool trace;               /* of the traced thread only */
    struct eu_thread *before; /* owned by the pool: the registers before the traced instruction */
};

void observe_before(struct eu_thread *t, const struct eu_op *op);
void observe_after(struct eu_thread *t, const struct eu_op *op);

/* ---- stats.c ---- */
void stats_add(struct stats *to, const struct stats *from);
void stats_print(const struct stats *s, const char *title, FILE *to);

#endif
