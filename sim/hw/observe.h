/* Observers watch and never alter: counters of --stats, the listing of --trace, the checks of
 * --check. A thread that has one (t->observer) runs the observed main loop and has its messages
 * looked at; all others pay nothing.
 *
 * One `watch` a device holds what outlives a dispatch: the kernels met, the timeline, the options.
 * Each host thread has its own observer, so nothing is shared while threads run, but what has a
 * lock of its own (races, reports); the watch adds observers up when a dispatch ends. */
#ifndef SIM_OBSERVE_H
#define SIM_OBSERVE_H

#include "eu_exec.h"

#include <stdio.h>

/* ---- symbols.c: which kernel it is ---- */
struct kernel_line {
    uint32_t offset; /* bytes from the kernel's first instruction */
    uint32_t line;
    const char *file; /* borrowed: from the symbols' text */
};
/* One file of GPU_SYMBOLS_DIR. */
struct symbol {
    struct symbol *next;
    char *text;               /* owned: the whole file, cut into strings */
    const char *name;         /* borrowed: in the text */
    uint32_t size;            /* bytes of code */
    uint64_t hash;            /* XXH64 of them */
    struct kernel_line *line; /* owned; by offset */
    unsigned n_lines;
};
struct symbols;
struct symbols *symbols_new(const char *dir); /* dir: borrowed; NULL: no files. NULL: no memory */
void symbols_free(struct symbols *s);
/* The symbols of the code at an address, after looking for new files; NULL: there are none.
 * *tried: how many were known when that code was looked for last, 0 at first. */
const struct symbol *symbols_find(struct symbols *s, const struct sim_vm *vm, gpu_addr at,
                                  unsigned *tried);
/* Bytes of code from the first instruction to the end of thread behind which no branch leads; and
 * their hash. */
uint32_t symbols_extent(const struct sim_dispatch *d, int gen);
bool symbols_hash(const struct sim_vm *vm, gpu_addr at, uint32_t size, uint64_t *hash);

/* ---- reach.c: the memory that a message touches ---- */
enum { REACH_MAX = 64 };
struct reach_piece {
    uint64_t at;        /* address; of shared local memory the offset */
    uint16_t data;      /* byte in the response, or in the payload's data */
    uint8_t size, slot; /* bytes in memory; bytes there */
    int8_t lane;        /* -1: a block's */
};
struct reach {
    bool write, atomic, returns;
    bool slm, scratch;   /* which memory; scratch: by scratch messages */
    bool constant;       /* through the constant cache */
    const uint8_t *data; /* borrowed: of a write, in the payload */
    unsigned n;
    struct reach_piece piece[REACH_MAX];
    unsigned n_out;         /* pieces out of bounds, which are not among those */
    struct reach_piece out; /* the first of them; `at` is its offset */
    uint8_t bti;
    gpu_addr base; /* of the surface, and its size */
    uint64_t size;
};
/* False: the message touches none, is of a kind that isn't taken apart, or will fault. */
bool reach_find(struct reach *r, struct eu_thread *t, const struct msg *m, uint32_t exdesc,
                uint32_t lanes, const uint8_t *payload);

/* ---- stats.c: counting, and the model of time (docs/gensim.1, "THE MODEL") ---- */
struct stats_count {
    uint64_t insns, lanes; /* lanes: enabled ones, summed */
    uint64_t clocks;       /* issue costs on one pipe */
};
struct stats_msg {
    uint64_t sends, lanes;
    uint64_t register_bytes; /* payload and response */
    uint64_t memory_bytes, lines;
};
struct stats {
    uint64_t threads, work_items;
    struct stats_count insn[STAT_N];
    uint64_t zero_mask;    /* instructions none of whose channels was enabled */
    uint64_t first_clocks; /* of what the first pipe alone can do */
    uint64_t fast;         /* instructions that took a fast form */
    struct stats_msg msg[MSG_N_KINDS];
    uint64_t atomics, barriers, scratch, texels;
    uint64_t slm_sends, slm_clocks, slm_conflicts; /* clocks: of the banks, summed over sends */
    uint64_t chain;                                /* clocks of the longest thread */
};
enum stats_limit { LIMIT_PIPES, LIMIT_PORTS, LIMIT_CHAIN, N_LIMITS };
struct estimate {
    double clocks[N_LIMITS];
    enum stats_limit limit; /* the largest of them */
};
extern const char *const stats_class_name[STAT_N];
extern const char *const stats_limit_name[N_LIMITS];
/* op->stat, op->clocks, op->first_pipe: when an instruction is decoded. */
void stats_classify(int gen, struct eu_op *op);
void stats_add(struct stats *to, const struct stats *from);
void stats_total(const struct stats *s, struct stats_count *all);
uint64_t stats_lines(const struct stats *s);
/* Of one dispatch. */
struct estimate stats_estimate(const struct gen_device *dev, const struct stats *s);

/* When what a thread waits for arrives: the model's `chain`. */
struct chain {
    uint64_t now, latest; /* latest: of all that is on its way */
    uint64_t barrier;
    uint64_t ready[EU_N_GRF];
};

/* ---- timeline.c: batches and dispatches in time, nanoseconds since the device's start ---- */
struct sim_kernel;
struct timeline_batch {
    uint32_t context;
    uint8_t engine; /* 0 render, 1 copy */
    bool failed;
    uint64_t submitted, start, end;
};
struct timeline_dispatch {
    const struct sim_kernel *kernel; /* borrowed */
    unsigned batch;                  /* index; UINT_MAX: none is known */
    uint64_t start, end, threads, insns;
    struct estimate estimate;
};
struct timeline {
    pthread_mutex_t lock;
    struct timeline_batch *batch;       /* owned */
    struct timeline_dispatch *dispatch; /* owned */
    unsigned n_batches, n_dispatches, cap_batches, cap_dispatches;
    uint64_t n_lost; /* for which there was no room */
};
void timeline_init(struct timeline *t);
void timeline_fini(struct timeline *t);
void timeline_dispatch(struct timeline *t, struct timeline_dispatch d);

/* ---- observe.c ---- */
/* A kernel, by its code: wherever it lies, and however often it is loaded. */
struct sim_kernel {
    struct sim_kernel *next;
    uint64_t hash;
    uint32_t size;
    gpu_addr at;                 /* where it was met last */
    const struct symbol *symbol; /* borrowed; NULL: none yet */
    unsigned symbols_tried;
    char name[160];
    uint64_t n_dispatches, n_groups, host_ns;
    unsigned simd;
    struct stats stats;
    double clocks[N_LIMITS], estimate; /* summed over its dispatches */
    uint64_t limited_by[N_LIMITS];     /* dispatches */
};
struct watch {
    const struct gen_device *dev; /* borrowed: static */
    struct sim_options opt;
    struct symbols *symbols;                   /* owned */
    struct sim_kernel *kernels, **kernels_end; /* owned; in the order in which they were met */
    struct timeline timeline;
    bool forked;
};
struct watch *watch_new(const struct gen_device *dev, const struct sim_options *opt);
void watch_free(struct watch *w);

struct unset; /* check_unset.c */
struct observer {
    struct watch *watch; /* borrowed */
    struct stats stats;  /* of the running dispatch */
    struct chain *chain; /* owned; by slot in the group */
    struct unset *unset; /* owned; NULL: not checked */
    struct trace *trace; /* owned; NULL: not traced */
    unsigned n_slots;
    uint32_t lanes; /* enabled lanes of the instruction, before it changed a flag */
    bool on;
    bool quiet; /* the instruction is one that isn't issued */
};
/* Around a dispatch, by who dispatches. False: out of memory (faulted). */
bool watch_begin(struct watch *w, struct sim_dispatch *d);
void watch_end(struct watch *w, struct sim_dispatch *d, struct observer *const *o, unsigned n,
               uint64_t host_ns);
/* A host thread gets ready for a dispatch whose groups have so many threads at once. */
bool observer_begin(struct observer *o, struct watch *w, unsigned n_slots);
void observer_fini(struct observer *o);
void observe_group(struct observer *o, struct sim_group *g);
/* n_regs: registers of header and payload. */
void observe_start(struct observer *o, struct eu_thread *t, unsigned n_regs);
void observe_before(struct eu_thread *t, const struct eu_op *op);
void observe_after(struct eu_thread *t, const struct eu_op *op);
void observe_message(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                     const uint8_t *payload);
void observe_barrier(struct eu_thread *t);
void observe_page_fault(struct eu_thread *t, gpu_addr at, unsigned size, bool write, int lane);
/* What is left of a group can't go on. */
void observe_deadlock(const struct sim_group *g);
/* Of an instruction: those lanes that it does something for. The predicate of branches and of sel
 * is an operand and no mask. */
uint32_t observe_lanes(const struct eu_thread *t, const struct eu_op *op);

void stats_before(struct observer *o, struct eu_thread *t, const struct eu_op *op, uint32_t lanes);
void stats_message(struct observer *o, struct eu_thread *t, const struct msg *m, uint32_t lanes,
                   const struct reach *r);

/* ---- report.c, report_html.c ---- */
void report_table(const struct watch *w, FILE *to);
void report_json(const struct watch *w, FILE *to);
void report_html(const struct watch *w, FILE *to);

/* ---- trace.c ---- */
struct trace;
struct trace *trace_new(void);
void trace_free(struct trace *t);
void trace_begin(struct trace *t);
bool trace_wanted(const struct watch *w, const struct eu_thread *t);
void trace_before(struct observer *o, struct eu_thread *t, const struct eu_op *op, uint32_t lanes);
void trace_after(struct observer *o, struct eu_thread *t, const struct eu_op *op, uint32_t lanes);

/* ---- check.c: reports, one a kind and instruction; all are counted ---- */
/* insn: its address. lane: -1 = no single one. */
void check_report(const struct eu_thread *t, enum check_kind kind, gpu_addr insn, int lane,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* " (FILE:LINE)" of an instruction of the dispatch's kernel, or nothing. */
const char *check_line(const struct sim_dispatch *d, gpu_addr insn, char *buf, size_t size);
void check_bounds(struct eu_thread *t, const struct reach *r);

/* ---- check_race.c: of one dispatch, or kept for those of a batch ---- */
struct race *race_new(bool kept); /* NULL: out of memory */
void race_free(struct race *r);
void race_dispatch(struct race *r); /* the next one */
void race_end(struct race *r);      /* its end: frees it if it is not kept */
void race_drained(struct race *r);  /* the dispatches so far have ended */
enum race_cache { RACE_DATA, RACE_CONSTANT, RACE_TEXTURE, RACE_N_CACHES };
void race_invalid(struct race *r, enum race_cache cache); /* the cache is empty */
/* A texel, read (sampled: through the texture cache) or written. */
void race_texel(struct eu_thread *t, gpu_addr at, unsigned size, int lane, bool write, bool sampled);
void race_message(struct eu_thread *t, const struct reach *r);

/* ---- check_unset.c ---- */
struct unset *unset_new(unsigned n_threads); /* slots of a group; NULL: out of memory */
void unset_free(struct unset *u);
void unset_group(struct unset *u);
/* A thread has started, with so many registers of header and payload. */
void unset_start(struct unset *u, const struct eu_thread *t, unsigned n_regs);
void unset_before(struct unset *u, struct eu_thread *t, const struct eu_op *op);
/* r: NULL for memory that isn't known. */
void unset_message(struct unset *u, const struct eu_thread *t, const struct msg *m,
                   const struct reach *r, const uint8_t *payload);
/* lanes: those that were enabled before the instruction. */
void unset_after(struct unset *u, struct eu_thread *t, const struct eu_op *op, uint32_t lanes);

#endif
