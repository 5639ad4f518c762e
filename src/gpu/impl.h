/* What the files of src/gpu share: the device, and what a batch is made of. */
#ifndef SRC_GPU_IMPL_H
#define SRC_GPU_IMPL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/device.h"
#include "gen/kbin.h"
#include "src/gpu/bo.h"
#include "src/gpu/gpu.h"

struct state_ops;

struct gpu {
    int fd; /* owned */
    struct gpu_info info;
    struct bufmgr *mgr;          /* owned */
    const struct state_ops *ops; /* of the generation */
    bool l3_atomics;             /* Haswell: the kernel lets us switch them on */

    /* submit before lock */
    pthread_mutex_t submit; /* held across a submission: they are made one at a time */
    pthread_mutex_t lock;
    struct context *context; /* lock; owned; replaced after a hang */
    struct bo *last;         /* lock; owned: the last batch object submitted, until it retires */
    bool new_context;        /* submit; no batch has been submitted in the context */
    struct bo *scratch;      /* lock; owned; NULL until a kernel spills */
    struct bo *private_bo;   /* lock; owned; NULL until a kernel has private memory; grows */
    uint64_t clock_last;     /* lock; what gpu_clock gave last, more than 36 bits */
    bool clock_is_cpu;       /* the kernel gives no GPU clock */
};

/* Bits of the timestamp register. */
enum { TIMESTAMP_BITS = 36 };

/* Largest hardware thread number + 1, in the form that kernels compute for private memory. */
uint32_t gpu_thread_slots(const struct gpu *gpu);
/* A time of 36 bits, taken not long before now, on gpu_clock's scale. */
uint64_t gpu_extend_time(struct gpu *gpu, uint64_t t);
/* Objects that hold spills and private memory of whatever runs, at least `bytes` large. Retained
 * for the caller. NULL: out of memory. */
struct bo *gpu_scratch(struct gpu *gpu, uint64_t bytes);
struct bo *gpu_private(struct gpu *gpu, uint64_t bytes);
/* The context for new work, retained for the caller; a fresh one if the last was lost. Since
 * nothing orders the work of two contexts, a fresh one is given only when the work in the last has
 * ended. gpu->submit is held. */
int gpu_context(struct gpu *gpu, struct context **out);
/* c takes no more work: the next batch gets a fresh one. */
void gpu_drop_context(struct gpu *gpu, struct context *c);
/* What the last batch in flight is. */
void gpu_submitted(struct gpu *gpu, struct bo *batch);
void gpu_retired(struct gpu *gpu, struct bo *batch);

/* ---- what a batch consists of ---- */

/* Parts of the batch object, each growing on its own until submission. */
enum part {
    PART_COMMANDS, /* of the launches; before them comes what state_ops.begin() writes */
    PART_SURFACES, /* binding tables and surface states: relative to surface state base */
    PART_DYNAMIC,  /* constants, interface descriptors, samplers: relative to dynamic state base */
    N_PARTS
};
struct section {
    uint8_t *data; /* owned */
    uint32_t size, capacity;
};

/* What an address refers to. */
enum target { TARGET_BO, TARGET_SURFACES, TARGET_DYNAMIC, TARGET_SCRATCH, TARGET_TIMES };
struct fixup {
    struct bo *bo; /* TARGET_BO: borrowed, the batch's list holds it */
    uint64_t delta;
    uint32_t at; /* in its part */
    uint8_t part, target, size;
    bool written;
};

struct batch {
    struct gpu *gpu; /* borrowed */
    struct section part[N_PARTS];
    struct fixup *fixups; /* owned */
    uint32_t n_fixups, cap_fixups;

    /* each object once; a hash table of indices + 1 finds it */
    struct bo_use *uses; /* owned; the bos too, until retired */
    uint32_t *hash;      /* owned; n_hash a power of two */
    uint32_t n_uses, cap_uses, n_hash;
    uint64_t bytes;

    uint32_t n_launches;
    uint32_t *walkers; /* owned; of each launch, where its walker is among the commands; or
                          UINT32_MAX */
    uint32_t cap_walkers;
    uint32_t curbe_regs;   /* largest of a launch */
    uint32_t scratch_size; /* bytes a thread, largest of a launch */
    uint32_t n_slots;      /* pairs of times */
    bool uses_slm;
    /* what may still be running: bytes a thread slot in the private memory, 0 = none */
    uint32_t private_stride;
    /* the last launch's surface states: those of the next are often the same */
    struct {
        uint32_t at, size, table, first_fixup, n_fixups;
    } surfaces;

    /* and its local ids: n_threads 0 = none */
    struct {
        uint32_t at, stride, n_threads, simd, size[3];
        bool uses[3];
    } ids;

    /* once submitted */
    struct bo *bo, *scratch, *times; /* owned */
    struct context *context;         /* owned */
    bool submitted, retired;
    int status; /* once retired: 0 or -EIO */
};

/* ---- the generations: state.c ---- */
enum { STATE_MAX_DWORDS = 256, STATE_MAX_FIXUPS = 8 };
struct state_ops {
    /* Commands that come first and last, into `out`, at most STATE_MAX_DWORDS; addresses as fixups
     * whose `at` counts from the start of `out`. Both return dwords written; the last is
     * MI_BATCH_BUFFER_END. */
    uint32_t (*begin)(const struct batch *b, uint32_t *out, struct fixup *fixups,
                      unsigned *n_fixups);
    uint32_t (*end)(const struct batch *b, uint32_t *out);
    /* One launch: appends to the parts. 0 or -errno; the caller undoes what was appended.
     * `private_bo` is what KBIN_SURFACE_PRIVATE shows; `barrier` puts it behind the launches before
     * it. *walker = where among the commands its walker is; UINT32_MAX: it has none. */
    int (*launch)(struct batch *b, const struct gpu_launch *l, struct bo *private_bo, bool barrier,
                  uint32_t *walker);
    /* Appends a command that stores the register with L3's SLM switch into slot 0 of the times;
     * *want is what it holds if the kernel let us write it. */
    int (*store_l3)(struct batch *b, uint32_t *want);
};
extern const struct state_ops state_ops_70, state_ops_75, state_ops_80, state_ops_90;

/* Threads of a group, and registers of constants that one launch takes. */
uint32_t launch_threads(const struct kbin_kernel *k, const uint32_t local_size[3]);
uint32_t launch_id_regs(const struct kbin_kernel *k);
uint32_t launch_curbe_regs(int gen, const struct kbin_kernel *k, uint32_t n_threads);
/* Local ids of thread t: launch_id_regs() registers. */
void launch_local_ids(const struct kbin_kernel *k, const uint32_t local_size[3], uint32_t t,
                      void *out);

/* Can this device's kernel set up local memory? Submits a batch and waits for it. */
bool batch_probe_slm(struct gpu *gpu);

/* Appending, for state.c. Zeroed room in a part, `align`ed; NULL: out of memory. *at = its offset.
 */
void *batch_room(struct batch *b, enum part p, uint32_t size, uint32_t align, uint32_t *at);
/* An address at `at` of a part: 4 or 8 bytes. */
int batch_address(struct batch *b, enum part p, uint32_t at, unsigned size, enum target t,
                  struct bo *bo, uint64_t delta, bool written);
/* Keeps bo resident and alive. */
int batch_use(struct batch *b, struct bo *bo, bool written);

#endif
