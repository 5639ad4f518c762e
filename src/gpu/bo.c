/* Buffer objects over libdrm_intel: allocation, a cache of freed ones, mappings, contexts,
 * execbuffer. What it decides about addresses is told in bo.h. */
#include "src/gpu/bo.h"

#include "gen/cmd.h"
#include "gen/device.h"
#include "src/gpu/vma.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <i915_drm.h>
#include <intel_bufmgr.h>
#include <xf86drm.h>

enum {
    PAGE = 4096,
    N_BUCKETS = 4 * 64,
    CACHE_SECONDS = 2, /* a freed object is kept that long */
    POLL_NS = 1000000,
    NULL_SIZE = 65536, /* what is kept free of others at address 0 */
    N_GUARDS = 2
};
static const uint64_t max_cached = 256ull << 20;
static const uint64_t low_4gib_end =
    (1ull << 32) - PAGE; /* past it libdrm_intel's softpin is refused */

/* Where relocations place objects, dummies keep them off. */
static const struct guard {
    const char *name;
    uint64_t address, size;
    int last_gen;
} guards[N_GUARDS] = {
    {"null", 0, NULL_SIZE, 90}, /* a null pointer is no object's address */
    /* no object lies across the windows by which Gen7 reaches memory: of an access of several
     * dwords there, the rest would be dropped */
    {"window", (1ull << 30) - PAGE, 2 * PAGE, 75},
};

struct bo {
    atomic_uint refs;
    struct bufmgr *m;  /* borrowed: outlives its objects */
    drm_intel_bo *drm; /* owned */
    uint64_t size;
    uint64_t address; /* softpin: where it lies; else 0 */
    void *map;        /* m->lock; owned by drm, lasting */
    bool userptr;
    bool imported;         /* and so perhaps ours too */
    bool uncached;         /* imported, and the GPU doesn't keep it in the CPU's caches */
    uint8_t kind;          /* enum bo_kind */
    uint32_t n_own;        /* m->lock: addresses of its own in it */
    struct bo *next;       /* m->lock: in the cache, or among the imported */
    struct timespec freed; /* m->lock: in the cache: since when */
};

struct bufmgr {
    int fd;                /* borrowed */
    drm_intel_bufmgr *drm; /* owned */
    bool softpin, userptr, prime, llc;
    bool snoop;          /* no LLC: objects can be made coherent by snooping */
    uint32_t reloc_size; /* bytes that the kernel writes */
    uint32_t max_fixups;
    struct bo *guards[N_GUARDS]; /* owned; NULL where the kernel doesn't let us */

    pthread_mutex_t lock;
    struct vma vma;                    /* lock; softpin */
    struct bo *cache[2][N_BUCKETS];    /* lock; owned; by kind and size, the latest first */
    struct bo *imports;                /* lock; borrowed: all there are */
    uint64_t bytes_live, bytes_cached; /* lock */
    struct timespec trimmed;           /* lock */
};

struct context {
    atomic_uint refs;
    struct bufmgr *m;         /* borrowed */
    drm_intel_context *drm;   /* owned */
    uint32_t active, pending; /* reset counts when it was made */
};

static int getparam(int fd, int param, int *value)
{
    struct drm_i915_getparam gp = {.param = param, .value = value};
    return drmIoctl(fd, DRM_IOCTL_I915_GETPARAM, &gp) ? -errno : 0;
}

static struct timespec now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

/* ---- objects ---- */

/* Sizes in steps of a quarter of a power of two. */
static unsigned bucket_of(uint64_t size)
{
    unsigned log2 = 63 - __builtin_clzll(size);
    return 4 * log2 + (unsigned)(size >> (log2 - 2) & 3);
}

/* Ends an object that no cache wants. m->lock is held. */
static void destroy(struct bo *bo)
{
    struct bufmgr *m = bo->m;
    if (bo->address)
        vma_release(&m->vma, bo->address, bo->size);
    drm_intel_bo_unreference(bo->drm);
    free(bo);
}

/* Frees what has been in the cache for too long, or all of it. m->lock is held. */
static void trim(struct bufmgr *m, bool all)
{
    struct timespec t = now();
    m->trimmed = t;
    for (unsigned kind = 0; kind < 2; kind++) {
        for (unsigned i = 0; i < N_BUCKETS; i++) {
            /* latest first: all after the first that is too old are too old */
            struct bo **p = &m->cache[kind][i];
            while (*p && !all && t.tv_sec - (*p)->freed.tv_sec < CACHE_SECONDS)
                p = &(*p)->next;
            struct bo *old = *p;
            *p = NULL;
            for (struct bo *next; old; old = next) {
                next = old->next;
                m->bytes_cached -= old->size;
                destroy(old);
            }
        }
    }
}

/* A cached object that isn't much larger than asked for. m->lock is held. */
static struct bo *from_cache(struct bufmgr *m, uint64_t size, enum bo_kind kind)
{
    unsigned first = bucket_of(size);
    for (unsigned i = first; i <= first + 1 && i < N_BUCKETS; i++) {
        for (struct bo **p = &m->cache[kind][i]; *p; p = &(*p)->next) {
            struct bo *bo = *p;
            if (bo->size < size || bo->size > size + size / 4)
                continue;
            *p = bo->next;
            bo->next = NULL;
            m->bytes_cached -= bo->size;
            return bo;
        }
    }
    return NULL;
}

/* Makes CPU and GPU see the same bytes on parts that do not share a cache: by snooping if the
 * kernel lets us; else the mapping is uncached and the zeroed pages are flushed once. */
static void make_coherent(struct bufmgr *m, drm_intel_bo *drm)
{
    if (m->snoop) {
        struct drm_i915_gem_caching c = {.handle = drm->handle, .caching = I915_CACHING_CACHED};
        if (drmIoctl(m->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &c) == 0)
            return;
        m->snoop =
            false; /* the same for all: decided by the first object, before anything is mapped */
    }
    drm_intel_gem_bo_start_gtt_access(drm, 1);
}

/* m->lock is held. */
static uint64_t place(struct bufmgr *m, uint64_t size, uint64_t at)
{
    if (!at)
        return vma_alloc(&m->vma, size, PAGE);
    return vma_take(&m->vma, at, size) ? at : 0;
}

/* Wraps a new object and gives it its address, `at` or (0) any; takes over drm, also on failure.
 * m->lock is held. */
static struct bo *wrap_locked(struct bufmgr *m, drm_intel_bo *drm, enum bo_kind kind, uint64_t at)
{
    struct bo *bo = calloc(1, sizeof *bo);
    if (!bo) {
        drm_intel_bo_unreference(drm);
        return NULL;
    }
    *bo = (struct bo){.refs = 1, .m = m, .drm = drm, .size = drm->size, .kind = kind};
    if (m->softpin) {
        bo->address = place(m, bo->size, at);
        if (!bo->address) {
            trim(m, true);
            bo->address = place(m, bo->size, at);
        }
        if (!bo->address || drm_intel_bo_set_softpin_offset(drm, bo->address)) {
            destroy(bo);
            return NULL;
        }
    }
    m->bytes_live += bo->size;
    return bo;
}

static struct bo *wrap(struct bufmgr *m, drm_intel_bo *drm, enum bo_kind kind, uint64_t at)
{
    pthread_mutex_lock(&m->lock);
    struct bo *bo = wrap_locked(m, drm, kind, at);
    pthread_mutex_unlock(&m->lock);
    return bo;
}

struct bo *bufmgr_alloc(struct bufmgr *m, const char *name, uint64_t size, enum bo_kind kind)
{
    if (size > UINT64_MAX - PAGE || size + PAGE - 1 > SIZE_MAX)
        return NULL;
    size = size ? (size + PAGE - 1) & ~(uint64_t)(PAGE - 1) : PAGE;

    pthread_mutex_lock(&m->lock);
    if (now().tv_sec - m->trimmed.tv_sec >= CACHE_SECONDS)
        trim(m, false);
    struct bo *bo = kind == BO_SELF_ADDRESSED ? NULL : from_cache(m, size, kind);
    if (bo)
        m->bytes_live += bo->size;
    pthread_mutex_unlock(&m->lock);
    if (bo) {
        atomic_store_explicit(&bo->refs, 1, memory_order_relaxed);
        return bo;
    }

    drm_intel_bo *drm = drm_intel_bo_alloc(m->drm, name, size, PAGE);
    if (!drm) {
        bufmgr_trim(m, true);
        drm = drm_intel_bo_alloc(m->drm, name, size, PAGE);
        if (!drm)
            return NULL;
    }
    if (!m->llc)
        make_coherent(m, drm);
    return wrap(m, drm, kind, 0);
}

struct bo *bufmgr_alloc_userptr(struct bufmgr *m, const char *name, void *p, uint64_t size,
                                bool same_address)
{
    if (same_address && !m->softpin)
        return NULL;
    if (!m->userptr || (uintptr_t)p % PAGE || size % PAGE || size == 0)
        return NULL;
    drm_intel_bo *drm = drm_intel_bo_alloc_userptr(m->drm, name, p, I915_TILING_NONE, 0, size, 0);
    if (!drm)
        return NULL;
    struct bo *bo = wrap(m, drm, BO_DATA, same_address ? (uintptr_t)p : 0);
    if (bo) {
        bo->userptr = true;
        bo->map = p;
    }
    return bo;
}

/* Under m->lock. libdrm_intel has one object for what is imported twice, and so have we. */
static int import_locked(struct bufmgr *m, int fd, uint64_t size, struct bo **out)
{
    errno = 0;
    drm_intel_bo *drm = drm_intel_bo_gem_create_from_prime(m->drm, fd, (int)PAGE);
    if (!drm)
        return errno ? -errno : -ENOMEM;
    struct bo *bo = m->imports;
    while (bo && bo->drm != drm)
        bo = bo->next;
    if (drm->size < size) {
        drm_intel_bo_unreference(drm);
        return -E2BIG;
    }
    if (bo) {
        drm_intel_bo_unreference(drm);
        *out = bo_retain(bo);
        return 0;
    }
    bo = wrap_locked(m, drm, BO_DATA, 0);
    if (!bo)
        return -ENOMEM;
    struct drm_i915_gem_caching c = {.handle = drm->handle};
    bo->uncached = drmIoctl(m->fd, DRM_IOCTL_I915_GEM_GET_CACHING, &c) != 0 ||
                   c.caching != I915_CACHING_CACHED;
    bo->imported = true;
    bo->next = m->imports;
    m->imports = bo;
    *out = bo;
    return 0;
}

int bufmgr_import(struct bufmgr *m, int fd, uint64_t size, struct bo **out)
{
    if (lseek(fd, 0, SEEK_END) < 0) /* what libdrm_intel asks for the size */
        return errno == EBADF ? -EBADF : -EINVAL;
    pthread_mutex_lock(&m->lock);
    int err = import_locked(m, fd, size, out);
    pthread_mutex_unlock(&m->lock);
    return err;
}

bool bo_tiled(struct bo *bo)
{
    /* of now: libdrm_intel remembers what was true at the import */
    struct drm_i915_gem_get_tiling t = {.handle = bo->drm->handle};
    return drmIoctl(bo->m->fd, DRM_IOCTL_I915_GEM_GET_TILING, &t) == 0 &&
           t.tiling_mode != I915_TILING_NONE;
}

uint64_t bufmgr_find_room(struct bufmgr *m, uint64_t size, uint64_t alignment, uint64_t below)
{
    if (!m->softpin || !m->userptr)
        return 0;
    pthread_mutex_lock(&m->lock);
    uint64_t at = vma_find(&m->vma, size, alignment, below);
    pthread_mutex_unlock(&m->lock);
    return at;
}

struct bo *bo_retain(struct bo *bo)
{
    atomic_fetch_add_explicit(&bo->refs, 1, memory_order_relaxed);
    return bo;
}

/* The table of the imported can hand out another reference until the last is dropped, under its
 * lock. */
static void release_imported(struct bo *bo)
{
    struct bufmgr *m = bo->m;
    pthread_mutex_lock(&m->lock);
    if (atomic_fetch_sub_explicit(&bo->refs, 1, memory_order_acq_rel) == 1) {
        struct bo **p = &m->imports;
        while (*p != bo)
            p = &(*p)->next;
        *p = bo->next;
        m->bytes_live -= bo->size;
        destroy(bo);
    }
    pthread_mutex_unlock(&m->lock);
}

void bo_release(struct bo *bo)
{
    if (bo && bo->imported) {
        release_imported(bo);
        return;
    }
    if (!bo || atomic_fetch_sub_explicit(&bo->refs, 1, memory_order_acq_rel) != 1)
        return;
    /* No batch holds it, so the GPU has no use for it either. */
    struct bufmgr *m = bo->m;
    pthread_mutex_lock(&m->lock);
    m->bytes_live -= bo->size;
    if (bo->userptr || bo->kind == BO_SELF_ADDRESSED || bo->size + m->bytes_cached > max_cached) {
        destroy(bo);
    } else {
        struct bo **head = &m->cache[bo->kind][bucket_of(bo->size)];
        bo->freed = now();
        bo->next = *head;
        *head = bo;
        m->bytes_cached += bo->size;
    }
    pthread_mutex_unlock(&m->lock);
}

void *bo_map(struct bo *bo)
{
    struct bufmgr *m = bo->m;
    pthread_mutex_lock(&m->lock);
    if (!bo->map) {
        bool cached = bo->imported ? !bo->uncached : m->llc || m->snoop;
        if (cached)
            bo->map = drm_intel_gem_bo_map__cpu(bo->drm);
        else
            bo->map = drm_intel_gem_bo_map__wc(bo->drm);
        /* kernels before write-combined mappings, and memory of another driver's */
        if (!bo->map && (!cached || bo->imported))
            bo->map = drm_intel_gem_bo_map__gtt(bo->drm);
    }
    void *map = bo->map;
    pthread_mutex_unlock(&m->lock);
    return map;
}

uint64_t bo_size(const struct bo *bo)
{
    return bo->size;
}

/* Makes `target` part of the submission and, for relocations, notes where its address stands. */
static int refer(struct bo *batch, uint32_t at, struct bo *target, uint64_t delta, bool written)
{
    if (delta > UINT32_MAX)
        return -EINVAL;
    return drm_intel_bo_emit_reloc(batch->drm, at, target->drm, (uint32_t)delta,
                                   I915_GEM_DOMAIN_RENDER, written ? I915_GEM_DOMAIN_RENDER : 0);
}

static void store(void *map, uint32_t at, uint32_t size, uint64_t value)
{
    memcpy((char *)map + at, &value, size); /* little-endian: the low bytes */
}

int bo_store_own_address(struct bo *bo, uint64_t offset, unsigned size, uint64_t addend)
{
    struct bufmgr *m = bo->m;
    if ((size != 4 && size != 8) || size < m->reloc_size || offset % 4 || size > bo->size ||
        offset > bo->size - size || addend > UINT32_MAX || bo->kind != BO_SELF_ADDRESSED)
        return -EINVAL;
    char *map = bo_map(bo);
    if (!map)
        return -ENOMEM;
    int err = 0;
    pthread_mutex_lock(&m->lock);
    if (m->softpin) {
        store(map, (uint32_t)offset, size, bo->address + addend);
    } else if (bo->n_own >= m->max_fixups || bo->n_own >= bo->size / 4) {
        err = -ENOSPC; /* libdrm_intel has no room for more relocations, and doesn't check */
    } else {
        store(map, (uint32_t)offset, size, bo->drm->offset64 + addend);
        err = refer(bo, (uint32_t)offset, bo, addend, false);
        bo->n_own++;
    }
    pthread_mutex_unlock(&m->lock);
    return err;
}

bool bo_busy(struct bo *bo)
{
    return drm_intel_bo_busy(bo->drm) > 0;
}

int bo_wait(struct bo *bo, int64_t timeout)
{
    int err = drm_intel_gem_bo_wait(bo->drm, timeout);
    if (!err || err == -ETIME)
        return err;
    /* What could not be waited for may still run, and must not be taken for ended: others would get
     * its memory. */
    while (bo_busy(bo)) {
        if (timeout >= 0)
            return -ETIME;
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return err == -EIO ? err : 0;
}

/* ---- the manager ---- */

/* A dummy object is pinned, and stays only if the kernel executes it in place. */
static struct bo *pin_guard(struct bufmgr *m, const struct guard *g)
{
    int softpin = 0;
    if (getparam(m->fd, I915_PARAM_HAS_EXEC_SOFTPIN, &softpin) || !softpin)
        return NULL;
    struct context *c = NULL;
    drm_intel_bo *drm = drm_intel_bo_alloc(m->drm, g->name, g->size, PAGE);
    if (!drm)
        return NULL;
    uint32_t *map = drm_intel_gem_bo_map__cpu(drm);
    if (!map || drm_intel_bo_set_softpin_offset(drm, g->address) || context_new(&c, m))
        goto fail;
    cmd_init(70, CMD_MI_BATCH_BUFFER_END, map);
    if (!m->llc)
        drm_intel_gem_bo_start_gtt_access(drm, 1); /* flushes the CPU's cache */
    if (drm_intel_gem_bo_context_exec(drm, c->drm, 8, I915_EXEC_RENDER))
        goto fail;
    drm_intel_gem_bo_wait(drm, -1);
    struct bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        goto fail;
    *bo = (struct bo){.refs = 1, .m = m, .drm = drm, .size = drm->size};
    context_release(c);
    return bo;
fail:
    context_release(c);
    drm_intel_bo_unreference(drm);
    return NULL;
}

int bufmgr_new(struct bufmgr **out, int fd, const struct gen_device *dev, bool llc)
{
    struct bufmgr *m = calloc(1, sizeof *m);
    if (!m)
        return -ENOMEM;
    *m = (struct bufmgr){.fd = fd, .llc = llc, .snoop = !llc};
    pthread_mutex_init(&m->lock, NULL);
    m->reloc_size = dev->gen >= 80 ? 8 : 4;
    /* libdrm_intel allows a relocation every 8 bytes of what it is told a batch has. Gen7 repeats
     * the arguments, with their addresses, in each thread's constants. */
    unsigned batch_size = dev->gen == 70 ? 512 << 10 : 128 << 10;
    m->max_fixups = batch_size / 8 - 2;
    m->drm = drm_intel_bufmgr_gem_init(fd, batch_size);
    if (!m->drm) {
        pthread_mutex_destroy(&m->lock);
        free(m);
        return -ENODEV;
    }

    int softpin = 0, ppgtt = 0;
    if (dev->gen >= 80 && !getparam(fd, I915_PARAM_HAS_EXEC_SOFTPIN, &softpin) && softpin &&
        !getparam(fd, I915_PARAM_HAS_ALIASING_PPGTT, &ppgtt) && ppgtt >= 2)
        m->softpin = vma_init(&m->vma, NULL_SIZE, low_4gib_end);
    for (unsigned i = 0; i < N_GUARDS && !m->softpin; i++)
        if (dev->gen <= guards[i].last_gen)
            m->guards[i] = pin_guard(m, &guards[i]);

    void *page = NULL;
    if (posix_memalign(&page, PAGE, PAGE) == 0) {
        drm_intel_bo *probe =
            drm_intel_bo_alloc_userptr(m->drm, "probe", page, I915_TILING_NONE, 0, PAGE, 0);
        m->userptr = probe != NULL;
        if (probe)
            drm_intel_bo_unreference(probe);
        free(page);
    }
    uint64_t prime = 0;
    m->prime = drmGetCap(fd, DRM_CAP_PRIME, &prime) == 0 && prime & DRM_PRIME_CAP_IMPORT;
    *out = m;
    return 0;
}

void bufmgr_free(struct bufmgr *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    trim(m, true);
    for (unsigned i = 0; i < N_GUARDS; i++)
        if (m->guards[i])
            destroy(m->guards[i]);
    pthread_mutex_unlock(&m->lock);
    drm_intel_bufmgr_destroy(m->drm);
    vma_fini(&m->vma);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

bool bufmgr_has_softpin(const struct bufmgr *m)
{
    return m->softpin;
}

bool bufmgr_has_userptr(const struct bufmgr *m)
{
    return m->userptr;
}

bool bufmgr_has_prime(const struct bufmgr *m)
{
    return m->prime;
}

uint32_t bufmgr_max_fixups(const struct bufmgr *m)
{
    return m->max_fixups;
}

int bufmgr_reg_read(struct bufmgr *m, uint32_t reg, uint64_t *value)
{
    return drm_intel_reg_read(m->drm, reg, value);
}

uint64_t bufmgr_bytes_live(struct bufmgr *m)
{
    pthread_mutex_lock(&m->lock);
    uint64_t bytes = m->bytes_live;
    pthread_mutex_unlock(&m->lock);
    return bytes;
}

uint64_t bufmgr_bytes_cached(struct bufmgr *m)
{
    pthread_mutex_lock(&m->lock);
    uint64_t bytes = m->bytes_cached;
    pthread_mutex_unlock(&m->lock);
    return bytes;
}

void bufmgr_trim(struct bufmgr *m, bool all)
{
    pthread_mutex_lock(&m->lock);
    trim(m, all);
    pthread_mutex_unlock(&m->lock);
}

/* ---- contexts ---- */

int context_new(struct context **out, struct bufmgr *m)
{
    struct context *c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    *c = (struct context){.refs = 1, .m = m};
    c->drm = drm_intel_gem_context_create(m->drm);
    if (!c->drm) {
        int err = errno ? -errno : -ENODEV;
        free(c);
        return err;
    }
    uint32_t resets;
    if (drm_intel_get_reset_stats(c->drm, &resets, &c->active, &c->pending))
        c->active = c->pending = 0;
    *out = c;
    return 0;
}

struct context *context_retain(struct context *c)
{
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void context_release(struct context *c)
{
    if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    drm_intel_gem_context_destroy(c->drm);
    free(c);
}

bool context_lost(struct context *c)
{
    uint32_t resets, active, pending;
    if (drm_intel_get_reset_stats(c->drm, &resets, &active, &pending))
        return false; /* a kernel that can't tell */
    return active != c->active || pending != c->pending;
}

/* ---- submission ---- */

static int fill_in(struct bufmgr *m, const struct bo_exec *e, bool guarded, char *map)
{
    int err = 0;
    for (uint32_t i = 0; i < e->n_fixups && !err; i++) {
        const struct bo_fixup *f = &e->fixups[i];
        if (m->softpin) {
            store(map, f->at, f->size, f->target->address + f->delta);
            continue;
        }
        if (f->size < m->reloc_size)
            return -EINVAL; /* the kernel would overwrite what follows */
        store(map, f->at, f->size, f->target->drm->offset64 + f->delta);
        err = refer(e->batch, f->at, f->target, f->delta, f->written);
    }
    for (uint32_t i = 0; i < e->n_uses && !err; i++) {
        if (!m->softpin)
            store(map, e->spare + 8 * i, m->reloc_size, e->uses[i].bo->drm->offset64);
        err = refer(e->batch, e->spare + 8 * i, e->uses[i].bo, 0, e->uses[i].written);
    }
    for (unsigned i = 0; i < N_GUARDS && guarded && !err; i++)
        if (m->guards[i]) /* softpinned: nothing is written at 0 */
            err = refer(e->batch, 0, m->guards[i], 0, false);
    return err;
}

int bo_submit(struct context *c, const struct bo_exec *e)
{
    struct bufmgr *m = c->m;
    assert(e->used % 8 == 0 && e->batch->kind == BO_BATCH);
    char *map = bo_map(e->batch);
    if (!map)
        return -ENOMEM;
    for (bool guarded = true;; guarded = false) {
        int err = fill_in(m, e, guarded, map);
        if (!err)
            err = drm_intel_gem_bo_context_exec(e->batch->drm, c->drm, (int)e->used,
                                                I915_EXEC_RENDER);
        drm_intel_gem_bo_clear_relocs(e->batch->drm, 0);
        bool any = m->guards[0] || m->guards[1];
        if (!guarded || !any || (err != -EINVAL && err != -ENOSPC))
            return err;
        /* Something may be pinned there now: then that keeps the place. Once more, without. */
    }
}
