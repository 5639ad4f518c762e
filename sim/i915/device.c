/* The device as the shim sees it: files, their mappings, fork and the end of the process. */
#include "i915.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct i915 *i915_new(const struct i915_options *opt)
{
    struct i915 *dev = calloc(1, sizeof *dev);
    if (!dev)
        return NULL;
    dev->opt = *opt;
    dev->gen = opt->dev->gen;
    dev->gpu = sim_gpu_new(opt->dev, &opt->sim);
    if (!dev->gpu) {
        free(dev);
        errno = ENOMEM;
        return NULL;
    }
    dev->next_mmap = (uint64_t)1 << 32;
    pthread_mutex_init(&dev->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&dev->changed, &attr);
    pthread_condattr_destroy(&attr);
    return dev;
}

struct i915_file *i915_open(struct i915 *dev, bool card)
{
    struct i915_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->dev = dev;
    f->card = card;
    pthread_mutex_lock(&dev->lock);
    f->vm0 = vm_create(dev);
    f->ctx0 = f->vm0 ? ctx_new(f, NULL) : NULL;
    if (f->ctx0) {
        /* The first opener of a card node becomes its master, which is authenticated; here with the
         * option that asks for a login somebody else (the X server) is it. */
        f->master = f->authenticated = card && !dev->opt.kernel.card_auth;
        f->next = dev->files;
        dev->files = f;
    } else {
        vm_release(f->vm0);
        free(f);
        f = NULL;
        errno = ENOMEM;
    }
    pthread_mutex_unlock(&dev->lock);
    return f;
}

void i915_close(struct i915_file *f)
{
    struct i915 *dev = f->dev;
    pthread_mutex_lock(&dev->lock);
    for (struct i915_file **p = &dev->files; *p; p = &(*p)->next) {
        if (*p == f) {
            *p = f->next;
            break;
        }
    }
    for (unsigned i = 0; i < f->contexts.n; i++) {
        if (f->contexts.p[i])
            ctx_close(f->contexts.p[i]);
    }
    ctx_close(f->ctx0);
    for (unsigned i = 0; i < f->handles.n; i++) {
        struct i915_bo *bo = f->handles.p[i];
        if (bo) {
            if (--bo->n_handles == 0)
                bo->name = 0;
            bo_release(dev, bo);
        }
    }
    for (unsigned i = 0; i < f->vms.n; i++)
        vm_release(f->vms.p[i]);
    for (unsigned i = 0; i < f->syncobjs.n; i++) {
        struct i915_syncobj *s = f->syncobjs.p[i];
        if (s) {
            fence_release(s->fence);
            free(s);
        }
    }
    vm_release(f->vm0);
    pthread_mutex_unlock(&dev->lock);
    free(f->handles.p);
    free(f->contexts.p);
    free(f->vms.p);
    free(f->syncobjs.p);
    free(f);
}

/* A second mapping of shared pages: mremap of length 0 makes one without any descriptor. */
static void *map_memory(const struct i915_bo *bo, uint8_t *host, void *addr, size_t size, int prot,
                        int flags, off_t offset)
{
    if (bo->userptr || offset < 0 || (uint64_t)offset > bo->size || size > bo->size - offset ||
        !(flags & MAP_SHARED)) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    void *p = flags & MAP_FIXED
                  ? mremap(host + offset, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, addr)
                  : mremap(host + offset, 0, size, MREMAP_MAYMOVE);
    if (p != MAP_FAILED && prot != (PROT_READ | PROT_WRITE))
        mprotect(p, size, prot);
    return p;
}

void *i915_mmap_bo(struct i915_bo *bo, void *addr, size_t size, int prot, int flags, off_t offset)
{
    return map_memory(bo, bo->host, addr, size, prot, flags, offset);
}

/* The object, or if it is tiled and the mapping goes through the aperture, the view of it. */
static void *map_whole(struct i915_bo *bo, bool aperture, void *addr, int prot, int flags)
{
    bool tiled = aperture && (bo->tiling != I915_TILING_NONE || bo->view);
    uint8_t *host = tiled ? view_memory(bo) : bo->host;
    if (!host) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    if (tiled)
        view_sync(bo);
    return map_memory(bo, host, addr, bo->size, prot, flags, 0);
}

void *i915_mmap(struct i915_file *f, void *addr, size_t size, int prot, int flags, off_t offset)
{
    struct i915 *dev = f->dev;
    void *p = MAP_FAILED;
    int err = EINVAL;
    size = (size + 4095) & ~(size_t)4095;
    pthread_mutex_lock(&dev->lock);
    for (struct i915_bo *bo = dev->bos; bo; bo = bo->next) {
        uint64_t o = offset, first = bo->mmap_offset;
        /* Four flavours of mapping, an offset each; exact start and length, as the kernel's lookup.
         */
        if (!first || o < first || (o - first) % bo->size || (o - first) / bo->size > 3 ||
            size != bo->size)
            continue;
        err = EACCES;
        for (unsigned i = 0; i < f->handles.n; i++) {
            if (f->handles.p[i] == bo) {
                p = map_whole(bo, o == first, addr, prot, flags);
                err = errno;
                break;
            }
        }
        break;
    }
    pthread_mutex_unlock(&dev->lock);
    errno = err;
    return p;
}

void i915_bo_forget(struct i915 *dev, struct i915_bo *bo)
{
    pthread_mutex_lock(&dev->lock);
    bo_release(dev, bo);
    pthread_mutex_unlock(&dev->lock);
}

void i915_fence_forget(struct i915 *dev, struct i915_fence *f)
{
    pthread_mutex_lock(&dev->lock);
    fence_release(f);
    pthread_mutex_unlock(&dev->lock);
}

void i915_user_unmap(struct i915 *dev, void *addr, size_t size)
{
    uint8_t *start = addr, *end = start + size;
    pthread_mutex_lock(&dev->lock);
again:
    for (struct i915_bo *bo = dev->bos; bo; bo = bo->next) {
        if (!bo->userptr || bo->host >= end || bo->host + bo->size <= start)
            continue;
        bo->validated = false;
        if (bo->n_uses) {
            bo_wait(dev, bo, false);
            goto again; /* the list may have changed */
        }
    }
    pthread_mutex_unlock(&dev->lock);
}

void i915_before_fork(struct i915 *dev)
{
    pthread_mutex_lock(&dev->lock);
}

/* The child has the state but no worker: what was in flight belongs to the parent, and has ended
 * here. */
static void forget_work(struct i915 *dev)
{
    for (struct i915_bo *bo = dev->bos; bo; bo = bo->next)
        bo->n_uses = 0;
    for (struct i915_ctx *c = dev->contexts; c; c = c->next) {
        c->worker = false;
        pthread_cond_init(&c->wake, NULL);
        if (c->running)
            c->running->fence->done = true;
        for (struct i915_job *j = c->queue; j; j = j->next)
            j->fence->done = true;
        c->running = c->queue = NULL;
        c->queue_end = &c->queue;
        for (unsigned i = 0; i < c->vm->n; i++)
            c->vm->at[i]->n_jobs = 0;
    }
    dev->n_running = 0;
}

void i915_after_fork(struct i915 *dev, bool child)
{
    if (child) {
        forget_work(dev);
        sim_gpu_forked(dev->gpu);
        pthread_condattr_t attr;
        pthread_condattr_init(&attr);
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        pthread_cond_init(&dev->changed, &attr);
        pthread_condattr_destroy(&attr);
    }
    pthread_mutex_unlock(&dev->lock);
}

void i915_stop(struct i915 *dev)
{
    int64_t limit = i915_now_ms() + 2000;
    pthread_mutex_lock(&dev->lock);
    dev->stop = 1;
    for (struct i915_ctx *c = dev->contexts; c; c = c->next)
        pthread_cond_broadcast(&c->wake);
    pthread_cond_broadcast(&dev->changed);
    while (dev->n_running && i915_now_ms() < limit) {
        int64_t at = i915_now_ns() + 100000000;
        struct timespec t = {at / 1000000000, at % 1000000000};
        pthread_cond_timedwait(&dev->changed, &dev->lock, &t);
    }
    bool idle = !dev->n_running;
    pthread_mutex_unlock(&dev->lock);
    if (dev->opt.sim.stats && idle)
        sim_gpu_report(dev->gpu);
}
