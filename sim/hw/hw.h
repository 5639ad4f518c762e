/* The simulated GPU, below any kernel interface: page tables, command streamer, threads, EU, shared
 * functions. Runs without preloading; strict: what the hardware documents forbid ends the context with
 * a sim_fault that names rule and place. Knows nothing of any driver.
 *
 * Files: vm.c (page tables), cs.c (commands), thread.c (walker -> threads, barriers, SLM), eu_*.c (the
 * instructions), view.c (surfaces), msg_*.c (the messages), observe.h (watchers). */
#ifndef SIM_HW_H
#define SIM_HW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gen/device.h"
#include "gen/eu.h"
#include "gen/msg.h"

typedef uint64_t gpu_addr; /* GPU virtual address */

/* ---- vm.c: one address space (PPGTT) of 4 KiB pages. The lock is inside; threads of a running batch read
 * translations while the kernel side may only change them when no batch runs. ---- */
struct sim_vm;
struct watch;
struct sim_vm *vm_new(unsigned address_bits);
void vm_free(struct sim_vm *vm);
/* Maps [at, at + size) to host memory that stays valid until unmapped. `object` is the id that fault
 * reports and --check name. False: out of range, not page aligned, or overlapping. */
bool vm_map(struct sim_vm *vm, gpu_addr at, void *host, uint64_t size, bool writable, uint32_t object);
void vm_unmap(struct sim_vm *vm, gpu_addr at, uint64_t size);
/* Unmaps, but keeps in mind what is there for texts: an object that the running batches do not list. */
void vm_hide(struct sim_vm *vm, gpu_addr at, uint64_t size);
/* Host pointer of [at, at + size) if it is mapped and contiguous in host memory (*run = bytes contiguous from
 * `at`, may be more than size); NULL otherwise. */
void *vm_ptr(const struct sim_vm *vm, gpu_addr at, uint64_t size, bool write, uint64_t *run);
/* Byte-wise, across pages and objects. False: a page fault at *bad. */
bool vm_read(const struct sim_vm *vm, gpu_addr at, void *to, uint64_t size, gpu_addr *bad);
bool vm_write(struct sim_vm *vm, gpu_addr at, const void *from, uint64_t size, gpu_addr *bad);
/* What is mapped at an address, or (false) what lies next below it: for fault texts. */
struct vm_range {
    gpu_addr start, end; /* start == end: nothing */
    uint32_t object;
    bool writable;
};
bool vm_find(const struct sim_vm *vm, gpu_addr at, struct vm_range *out);
/* "0x12345000, 16 bytes past the end of object 7 (0x...-0x...)": what a fault says of an address. */
const char *vm_describe(const struct sim_vm *vm, gpu_addr at, char *buf, size_t size);

/* ---- faults ---- */
struct sim_fault {
    bool set;         /* the first fault of a batch stays */
    char text[1024];  /* rule, place, values: for people */
};
/* Records the first fault; printf-like. Thread-safe. The fault is the context's end. */
void sim_fault(struct sim_fault *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- one hardware context: everything that survives between its batches ---- */
struct sim_gpu;     /* the device: gen_device, options, observers, clock */
struct sim_context; /* register and command state (cs.c) */

enum check_kind {
#define CHECK(kind, text) CHECK_##kind,
#include "check.def"
#undef CHECK
    CHECK_N_KINDS
};
enum { SIM_CHECK_STATUS = 3 }; /* exit status after reports */
/* What --check has found: places (instructions), and how often. Shared with gensim, which sums up. */
struct sim_tally {
    uint32_t places[CHECK_N_KINDS];
    uint64_t times[CHECK_N_KINDS];
    uint32_t n_reports; /* of --stats, written to a file */
};
/* Whose instructions --trace prints. */
struct sim_trace {
    char kernel[128];  /* name, hash or 0xADDRESS; empty or "*": any */
    bool by_id;        /* group: an id; else its number is group[0], in walking order */
    uint32_t group[3];
    uint32_t thread;   /* number in the group */
};
enum sim_stats { SIM_STATS_TABLE, SIM_STATS_JSON, SIM_STATS_HTML };

struct sim_options {
    unsigned n_host_threads; /* host threads for the groups of one dispatch; 0 = number of cores */
    uint64_t insn_limit;     /* EU instructions of one batch after which it counts as hung; 0 = none */
    uint32_t perturb;        /* seed; 0 = off: undefined state is zero, order is natural */
    bool stats, check;
    bool trace;               /* commands and dispatches, on standard error */
    bool trace_insns;         /* of the thread that trace_what tells */
    enum sim_stats stats_format;
    const char *stats_file;   /* borrowed for ever; NULL: standard error */
    struct sim_trace trace_what;
    uint64_t trace_limit;     /* instructions of a dispatch; 0 = all */
    bool check_stop;          /* the first report ends the process */
    struct sim_tally *tally;  /* borrowed for ever; NULL: not wanted */
    const char *symbols_dir;  /* borrowed for ever; NULL: none */
    bool l3_locked;            /* Gen7, 7.5: the kernel lets no batch set up L3 */
    uint64_t hang_at_dispatch; /* the n-th dispatch of the device hangs; 0 = none */
    uint32_t sabotage;         /* for tests: rules to break, bits of sabotage.h; 0 = none */
};

/* check.c: counts a report that was printed (first), or would have been again. Ends the process if the
 * options want that of a first one. */
void sim_check_count(const struct sim_options *opt, enum check_kind kind, bool first);

struct sim_gpu *sim_gpu_new(const struct gen_device *dev, const struct sim_options *opt);
void sim_gpu_free(struct sim_gpu *gpu);
const struct gen_device *sim_gpu_device(const struct sim_gpu *gpu);
uint64_t sim_clock(const struct sim_gpu *gpu); /* timestamp ticks since start; one clock for all readers */
const struct sim_options *sim_gpu_options(const struct sim_gpu *gpu);
uint64_t sim_gpu_ns(const struct sim_gpu *gpu); /* since its start */
/* What --stats, --trace and --check keep; NULL if all are off. */
struct watch *sim_gpu_watch(const struct sim_gpu *gpu);
/* Around the batch that the calling thread runs, for the timeline of --stats. */
void sim_gpu_batch_begin(struct sim_gpu *gpu, uint32_t context, int engine, uint64_t submitted);
void sim_gpu_batch_end(struct sim_gpu *gpu, bool failed);
/* Writes the report of --stats to where the options say; nothing may run. */
void sim_gpu_report(const struct sim_gpu *gpu);
/* The device's host threads: made by sim_gpu_new with sim_pool_new, freed by sim_gpu_free. */
struct sim_pool *sim_gpu_pool(const struct sim_gpu *gpu);
/* In the child of a fork: the host threads are the parent's; makes others. */
void sim_gpu_forked(struct sim_gpu *gpu);
/* Counts dispatches; true if --fault wants the next one to hang. */
bool sim_gpu_dispatch_hangs(struct sim_gpu *gpu);
/* On stderr, once a key (any address): what is wrong, but works on the hardware. */
void sim_warn(struct sim_gpu *gpu, const void *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool sim_warned(struct sim_gpu *gpu, const void *key); /* of that key */
struct sim_context *sim_context_new(struct sim_gpu *gpu);
void sim_context_free(struct sim_context *ctx);
/* Runs a batch to its MI_BATCH_BUFFER_END. `engine` 0 = render, 1 = blitter. `stop` is polled: non-zero
 * ends it as hung. False: fault, with *fault filled. */
bool sim_run_batch(struct sim_context *ctx, struct sim_vm *vm, int engine, gpu_addr batch,
                   const volatile int *stop, struct sim_fault *fault);

/* ---- cs.c -> thread.c: one GPGPU_WALKER with all state it refers to resolved ---- */
struct sim_dispatch {
    struct sim_gpu *gpu;
    struct sim_vm *vm;
    struct sim_fault *fault;
    const volatile int *stop;
    gpu_addr instruction_base, surface_base, dynamic_base, general_base, indirect_base, bindless_base;
    uint64_t instruction_size, surface_size, dynamic_size, general_size, indirect_size; /* 0 = no bound */
    gpu_addr kernel;               /* first instruction */
    gpu_addr binding_table;        /* absolute */
    gpu_addr sampler_state;        /* absolute */
    gpu_addr scratch_base;         /* offset from general_base as in r0.5; per-thread size: */
    uint32_t scratch_per_thread;   /* bytes; 0 = none */
    unsigned simd;                 /* 8, 16, 32 */
    uint32_t group_start[3], group_end[3]; /* group ids: start <= id < end */
    unsigned thread_max[3];        /* width, height, depth counter maxima (threads - 1) */
    uint32_t right_mask, bottom_mask;
    unsigned n_threads;            /* of a group, from the interface descriptor */
    uint32_t slm_size;             /* bytes a group; 0 = none */
    bool barrier;
    /* constants: cross-thread block then per-thread blocks, contiguous in `curbe`; or indirect data,
     * whose register order is per-thread first (Intel PRM, "GPGPU thread payload") */
    const uint8_t *curbe;          /* host copy */
    uint32_t curbe_size;           /* bytes valid */
    uint32_t cross_thread_regs, per_thread_regs;
    uint32_t curbe_offset;         /* bytes, where the common block starts */
    bool indirect;                 /* payload from GPGPU_WALKER indirect data */
    bool single_program_flow, alt_mode, denorm_mode;
    unsigned rounding;             /* 0..3 */
    uint32_t exception_enables;
    struct eu_cache *icache;       /* decoded instructions; dropped by cs.c on instruction-cache
                                      invalidate */
    uint64_t n_insns;              /* out: EU instructions executed, added up atomically */
    struct msg_surfaces *surfaces; /* owned from msg_dispatch_begin() to msg_dispatch_end() */
    struct sampler_cache *samplers; /* the same */
    struct race *race;             /* who touched which memory (--check); NULL: not watched */
    struct sim_kernel *observed;       /* borrowed; of observe.h; NULL: not watched */
};
bool thread_dispatch(struct sim_dispatch *d); /* false: fault recorded */
/* The host threads that run the groups of dispatches, one dispatch at a time (as the one render engine
 * does). Starts them at the first dispatch that can use them; free() joins them. watch: borrowed, who
 * observes the threads, or NULL. NULL if out of memory. */
struct sim_pool *sim_pool_new(const struct gen_device *dev, const struct sim_options *opt,
                              struct watch *watch);
void sim_pool_free(struct sim_pool *pool);

/* ---- eu_run.c: decode cache ---- */
struct eu_cache *eu_cache_new(int gen, uint32_t quirks);
void eu_cache_drop(struct eu_cache *c); /* forget everything */
void eu_cache_free(struct eu_cache *c);
/* For tests: run everything by the general path (the reference), or by both, comparing the results
 * (a difference is a fault); _BASE with the fast forms for hosts without AVX2. For instructions
 * decoded from here on. */
enum eu_mode { EU_MODE_FAST, EU_MODE_GENERAL, EU_MODE_COMPARE, EU_MODE_COMPARE_BASE };
void eu_cache_set_mode(struct eu_cache *c, enum eu_mode mode);

/* ---- one EU thread ---- */
struct sim_group;
struct eu_thread {
    /* registers; ARF parts as the instruction set lays them out */
    _Alignas(64) uint8_t grf[EU_N_GRF * EU_GRF_SIZE + 64]; /* 64 spare bytes: vector loads may run over */
    uint32_t f[2];          /* flags f0, f1 */
    uint16_t a0[16];
    uint64_t acc_lo[32];    /* accumulator by channel, 66 bits: low 64 ... */
    int8_t acc_hi[32];      /* ... and sign above */
    float acc_f[32];
    double acc_df[8];
    uint32_t cr0[3], sr0[4], n0[3], tm_last;
    uint32_t ip;            /* bytes from d->kernel's first instruction */
    /* control flow: the per-channel model */
    uint32_t dispatch_mask; /* lanes the walker switched on */
    uint32_t active;        /* running and at ip */
    uint32_t cip[32];
    uint8_t kind[32];       /* 0 run, 1 brk, 2 halted */
    /* place */
    struct sim_dispatch *d;
    struct sim_group *group;
    unsigned number;        /* thread in group */
    unsigned slot;          /* hardware thread slot: unique among running threads */
    bool ended, waiting;    /* EOT executed; blocked on n0 (barrier) */
    uint64_t n_insns;
    void *observer;         /* per-thread data of observe.h */
    uint8_t wait_reg;       /* waiting: k of n0.k */
    uint8_t stop;           /* enum eu_stop, of the last eu_run() */
    const struct eu_op *op; /* where to go on; NULL: look ip up */
    uint64_t held[2];       /* registers that a chain of NoDDClr holds (eu_depend.c) */
    uint32_t mxcsr_f, mxcsr_df; /* host modes for F and DF, from cr0 and the descriptor */
};
struct sim_group {
    struct sim_dispatch *d;
    uint32_t id[3];
    uint8_t *slm;           /* d->slm_size bytes */
    unsigned n_threads, n_arrived, n_ended;
    struct eu_thread *threads; /* slots of the running threads; those never started have ended set */
    unsigned n_slots;
    unsigned first_slot;    /* hardware slot of threads[0] */
    unsigned slm_index;     /* HSW: r0.0 b(27:24), to be copied to sr0.1 b(11:8) */
    unsigned barrier_id;    /* r0.2 b(27:24) */
    unsigned epoch;         /* barriers that all have passed */
    gpu_addr barrier_insn;  /* --check: where those are that have arrived */
};
/* Gateway: this thread has reached the barrier. The last one releases all (n0.0 of each counts up).
 * False: fault recorded (no barrier in the descriptor, thread counts that disagree). */
bool group_barrier_arrive(struct eu_thread *t);
/* A fault of the instruction this thread is at: the text names kernel, offset, instruction, group and
 * thread before what the caller says. */
void eu_fault(struct eu_thread *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Runs until the thread ends, waits at a barrier, has used `budget` instructions, or faults. */
enum eu_stop { EU_STOP_ENDED, EU_STOP_WAIT, EU_STOP_BUDGET, EU_STOP_FAULT };
enum eu_stop eu_run(struct eu_thread *t, uint64_t budget);

/* ---- msg.c: around each dispatch; what messages remember of its surfaces ---- */
bool msg_dispatch_begin(struct sim_dispatch *d); /* false: fault recorded */
void msg_dispatch_end(struct sim_dispatch *d);

/* ---- msg_*.c: a send has been decoded; execute it. `lanes` has bit i set where lane i of the message is
 * enabled (bits of the instruction's own channels, shifted down to 0). payload: mlen + ex_mlen registers,
 * contiguous. resp: rlen registers, preloaded with the destination's old contents; only written bytes may
 * change. Reads r0 of the thread only through the header in the payload. False: fault recorded. ---- */
bool msg_execute(struct eu_thread *t, const struct eu_insn *insn, const struct msg *m, uint32_t exdesc,
                 uint32_t lanes, const uint8_t *payload, uint8_t *resp);

#endif
