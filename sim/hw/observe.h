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
    uint64_t cycles;       /* estimate of the time an EU's pipes are busy; of messages none */
};

struct stats {
    struct stats_count insn[STAT_N];
    struct stats_count msg[MSG_N_KINDS]; /* insns: messages */
    uint64_t msg_bytes[MSG_N_KINDS];     /* payload and response registers moved */
    uint64_t fast;                       /* instructions that took a fast form */
    uint64_t threads;
};

struct unset; /* check_unset.c */

struct observer {
    struct stats *stats;      /* borrowed: of the running kernel; NULL: not counted */
    bool trace;               /* of the traced thread only */
    struct eu_thread *before; /* owned by the pool: the registers before the traced instruction */
    struct unset *unset;      /* owned by the pool: reads of unset registers; NULL: not checked */
    uint32_t lanes;           /* enabled lanes of the instruction, before it changed a flag */
};

void observe_before(struct eu_thread *t, const struct eu_op *op);
void observe_after(struct eu_thread *t, const struct eu_op *op);

/* ---- check_unset.c ---- */
struct unset *unset_new(unsigned n_threads); /* slots of a group; NULL: out of memory */
void unset_free(struct unset *u);
/* A thread has started, with so many registers of header and payload. */
void unset_start(struct unset *u, const struct eu_thread *t, unsigned n_regs);
void unset_before(struct unset *u, struct eu_thread *t, const struct eu_op *op);
/* lanes: those that were enabled before the instruction. */
void unset_after(struct unset *u, struct eu_thread *t, const struct eu_op *op, uint32_t lanes);

/* ---- stats.c ---- */
void stats_add(struct stats *to, const struct stats *from);
void stats_print(const struct stats *s, const char *title, FILE *to);

#endif
