/* The i915 kernel driver's interface, emulated inside the process: files, GEM objects, address
 * spaces, contexts, execbuffers. Above it the shim (open, ioctl, mmap of the device node), below it
 * sim/hw.
 *
 * One lock, i915.lock, covers everything here; `changed` is broadcast when a job ends. A context
 * with work has one worker thread, which holds no lock while a batch runs. Results are 0 or -errno,
 * as the kernel's. */
#ifndef SIM_I915_H
#define SIM_I915_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/hw/hw.h"

/* What differs between kernels and machines, for tests; from the options of gensim. */
struct i915_kernel {
    bool no_llc;         /* HAS_LLC 0 whatever the device */
    bool no_query;       /* no QUERY, VM_CREATE, CREATE_EXT, MMAP_OFFSET */
    bool no_softpin;     /* HAS_EXEC_SOFTPIN 0, PINNED refused */
    bool no_render_node; /* the shim hides renderD128 */
    bool no_nodes;       /* the shim hides all nodes */
    bool no_access;      /* nodes can't be opened: EACCES */
    bool card_auth;      /* a card node's file needs AUTH_MAGIC */
    bool no_userptr;     /* no USERPTR */
    bool no_topology;    /* subslices and EUs are not told */
    bool no_wait;        /* HAS_WAIT_TIMEOUT 0, no WAIT */
    bool no_prime;       /* CAP_PRIME 0, no PRIME_* */
    uint16_t pci_id;     /* what the device says its id is; 0 = its own */
    int ppgtt;           /* answer to HAS_ALIASING_PPGTT; -1 = the device's */
    int parser_version;  /* answer to CMD_PARSER_VERSION; -1 = the device's */
};

/* One --fault: the n-th call of an ioctl (or of any) fails. */
struct i915_inject {
    const char *ioctl; /* borrowed, static: "any", or the name in ioctl.def */
    uint64_t at;       /* n-th call, from 1 */
    bool onwards;      /* and all later ones */
    int error;         /* errno */
    uint64_t seen;     /* calls so far */
};

enum { I915_MAX_DEVICES = 4 };

struct i915_options {
    const struct gen_device *dev;                    /* of one i915 */
    const struct gen_device *devs[I915_MAX_DEVICES]; /* all there are */
    unsigned n_devs;
    struct sim_options sim;
    struct i915_kernel kernel;
    struct i915_inject inject[32];
    unsigned n_inject;
    unsigned delay_ms; /* every batch starts so much later */
    bool trace;        /* ioctls on stderr */
};

struct i915;
struct i915_file;
struct i915_bo;

/* ---- tables of small integer ids, lowest free one first, from 1 ---- */
struct ids {
    void **p;   /* owned array; what it points to is owned by the table's holder */
    unsigned n; /* slots; ids are 1..n */
};
int ids_add(struct ids *t, void *p); /* the id, or -ENOMEM */
void *ids_get(const struct ids *t, uint32_t id);
void *ids_remove(struct ids *t, uint32_t id);

/* ---- the end of a piece of work ---- */
struct i915_fence {
    unsigned refs;
    bool done;
    int fd; /* owned: the eventfd to signal (FENCE_OUT); -1 = none */
};
struct i915_fence *fence_new(void);
struct i915_fence *fence_retain(struct i915_fence *f);
void fence_release(struct i915_fence *f);

/* A use of an object by a job that has not ended. */
struct i915_use {
    struct i915_fence *fence; /* borrowed from the job */
    struct i915_ctx *ctx;     /* borrowed from the job */
    uint8_t engine;           /* enum: 0 render, 1 copy */
    bool write;
};

struct i915_binding {
    struct i915_vm *vm; /* borrowed: the vm's end ends its bindings */
    struct i915_bo *bo; /* borrowed: likewise */
    gpu_addr start;
    bool resident;             /* in the page tables: listed by a job in flight */
    unsigned n_jobs;           /* in flight */
    uint64_t serial;           /* of the execbuffer that reserved it last */
    struct i915_binding *next; /* of the same object */
};

struct i915_bo {
    struct i915_bo *next, *prev; /* in i915.bos */
    unsigned refs;               /* handles, jobs, flink lookups, exported descriptors */
    unsigned n_handles;
    uint32_t id; /* never used again; fault texts name it */
    uint64_t size;
    uint8_t *host; /* owned mapping, or the user's pages (userptr) */
    bool userptr, read_only, validated;
    uint64_t mmap_offset; /* 0 = not asked for yet; + flavour * size rounded */
    uint32_t tiling, stride, swizzle, caching;
    struct i915_view *view; /* owned; NULL: never mapped through the aperture while tiled */
    uint64_t listed;        /* serial of the execbuffer that listed it last */
    uint32_t name;          /* flink; 0 = none */
    struct i915_use *uses;  /* owned array */
    unsigned n_uses, cap_uses;
    struct i915_binding *bindings; /* owned */
};

struct i915_vm {
    unsigned refs;
    unsigned bits;
    struct sim_vm *hw;        /* owned */
    struct i915_binding **at; /* owned array, by start */
    unsigned n, cap;
};

struct i915_job {
    struct i915_job *next;
    struct i915_ctx *ctx;           /* owned until finished */
    struct i915_fence *fence;       /* owned */
    struct i915_bo **bos;           /* owned until finished: a reference each */
    struct i915_binding **bindings; /* same order; borrowed, held by n_jobs */
    unsigned n;
    struct i915_fence **deps; /* owned until finished */
    unsigned n_deps;
    gpu_addr batch;
    uint8_t engine;
    uint64_t submitted; /* sim_gpu_ns() */
};

enum {
    I915_MAX_ENGINES = 64,
    I915_BAN_WINDOW_MS = 120000, /* three hangs within it ban a recoverable context */
};
struct i915_ctx {
    struct i915_ctx *next;  /* in i915.contexts */
    unsigned refs;          /* its id and its jobs */
    struct i915 *dev;       /* borrowed: for ever */
    struct i915_file *file; /* borrowed; NULL once closed */
    uint32_t id;
    struct i915_vm *vm;        /* owned */
    struct sim_context *hw[2]; /* owned: render, copy */
    int64_t priority;
    bool recoverable, bannable, persistent, banned, closed;
    uint32_t guilty, innocent; /* batch_active, batch_pending */
    int64_t hang_ms[2];        /* the last two, for the ban */
    struct {
        uint16_t class, instance;
    } engines[I915_MAX_ENGINES];
    int n_engines; /* -1 = the legacy ring numbers */
    bool worker;   /* its thread runs */
    pthread_cond_t wake;
    struct i915_job *queue, **queue_end; /* owned */
    struct i915_job *running;
};

struct i915_syncobj {
    unsigned refs;
    struct i915_fence *fence; /* owned; NULL = none yet */
};

struct i915_file {
    struct i915_file *next; /* in i915.files */
    struct i915 *dev;
    bool card, authenticated, master;
    uint32_t magic;
    unsigned ban_score;
    struct ids handles;    /* struct i915_bo, a reference each */
    struct ids contexts;   /* struct i915_ctx; the default one is apart */
    struct ids vms;        /* struct i915_vm */
    struct ids syncobjs;   /* struct i915_syncobj */
    struct i915_ctx *ctx0; /* owned */
    struct i915_vm *vm0;   /* owned; what contexts share without full PPGTT */
};

struct i915 {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct i915_options opt;
    struct sim_gpu *gpu; /* owned */
    int gen;
    struct i915_file *files;
    struct i915_ctx *contexts;
    struct i915_bo *bos;
    uint32_t next_bo, next_name, next_magic;
    uint64_t next_mmap, serial, random;
    unsigned n_running;
    volatile int stop; /* the process ends */
};

/* ---- device.c: for the shim ---- */
struct i915 *i915_new(const struct i915_options *opt); /* NULL with errno set */
struct i915_file *i915_open(struct i915 *dev, bool card);
void i915_close(struct i915_file *f);
int i915_ioctl(struct i915_file *f, unsigned long request, void *arg);
/* As mmap: MAP_FAILED with errno set. */
void *i915_mmap(struct i915_file *f, void *addr, size_t size, int prot, int flags, off_t offset);
/* A mapping of an exported object's own descriptor; see i915_exported. */
void *i915_mmap_bo(struct i915_bo *bo, void *addr, size_t size, int prot, int flags, off_t offset);
void i915_bo_forget(struct i915 *dev, struct i915_bo *bo); /* an exported descriptor was closed */
void i915_fence_forget(struct i915 *dev, struct i915_fence *f); /* likewise, a fence's */
/* User pages go away: jobs that use them end first. */
void i915_user_unmap(struct i915 *dev, void *addr, size_t size);
void i915_before_fork(struct i915 *dev);
void i915_after_fork(struct i915 *dev, bool child);
/* Stops what runs, and waits for it, so that the process may end. */
void i915_stop(struct i915 *dev);
/* What the shim provides: a new descriptor that stands for bo (dma-buf), and what a descriptor
 * stands for. */
int shim_export(struct i915 *dev, struct i915_bo *bo, uint64_t size,
                bool cloexec); /* the descriptor or -errno */
/* NULL too for what another device has exported: sharing between devices is not simulated. */
struct i915_bo *shim_exported(const struct i915 *dev, int fd);
/* A new descriptor that stands for a fence (sync_file) and takes a reference to it; poll() finds it
 * readable once the fence is done. And what a descriptor stands for. */
int shim_export_fence(struct i915 *dev, struct i915_fence *f);
void shim_retract_fence(const struct i915 *dev,
                        int fd); /* closes it, unseen; called with the device's lock */
struct i915_fence *shim_fence(const struct i915 *dev, int fd);
int64_t i915_now_ms(void);
void i915_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- user memory: -EFAULT where the kernel would say so ---- */
int user_read(void *to, uint64_t from, size_t size);
int user_write(uint64_t to, const void *from, size_t size);

/* ---- gem.c ---- */
struct i915_bo *bo_lookup(struct i915_file *f, uint32_t handle); /* borrowed; NULL */
void bo_release(struct i915 *dev, struct i915_bo *bo);
int bo_use_add(struct i915_bo *bo, struct i915_use use);
void bo_use_remove(struct i915_bo *bo, const struct i915_fence *fence);
/* Until idle (or only until no write is in flight); drops and retakes the lock. */
void bo_wait(struct i915 *dev, struct i915_bo *bo, bool writes_only);
/* Makes sure that a userptr's pages exist. */
int bo_validate(struct i915_bo *bo);
/* Until the fence is done or the deadline (CLOCK_MONOTONIC ns, -1 = none). False: it passed. */
bool fence_wait(struct i915 *dev, struct i915_fence *f, int64_t deadline_ns);
int64_t i915_now_ns(void);

/* ---- view.c: tiled objects mapped through the aperture ---- */
/* Memory for such a mapping: the object, linear. NULL: no memory. */
uint8_t *view_memory(struct i915_bo *bo);
void view_store(struct i915_bo *bo); /* the client's changes go into the object */
void view_sync(struct i915_bo *bo);  /* and the object's into the view */
void view_free(struct i915_bo *bo);

/* ---- context.c ---- */
struct i915_vm *vm_create(struct i915 *dev);
void vm_release(struct i915_vm *vm);
struct i915_binding *vm_binding(const struct i915_vm *vm, const struct i915_bo *bo);
struct i915_binding *vm_bind(struct i915_vm *vm, struct i915_bo *bo,
                             gpu_addr at); /* NULL: no memory */
void vm_unbind(struct i915_binding *b);
struct i915_ctx *ctx_new(struct i915_file *f, struct i915_vm *vm);
struct i915_ctx *ctx_lookup(struct i915_file *f, uint32_t id); /* 0 = default; NULL */
void ctx_close(struct i915_ctx *c);
void ctx_release(struct i915_ctx *c);
/* Class and instance of an engine exist: 0 or -errno. */
int engine_check(int class, int instance);

/* ---- execbuf.c ---- */
int ctx_submit(struct i915_ctx *c, struct i915_job *job); /* starts the worker; takes the job */

/* ---- what every ioctl's handler is: arg has the kernel's size, zero-extended ---- */
#define IOCTL(name, request, access) int ioctl_##name(struct i915_file *f, void *arg, size_t size);
#include "ioctl.def"
#undef IOCTL

static inline uint64_t i915_canonical(uint64_t a)
{
    return (uint64_t)((int64_t)(a << 16) >> 16);
}

static inline uint64_t i915_truncate(uint64_t a)
{
    return a & (((uint64_t)1 << 48) - 1);
}

#endif
