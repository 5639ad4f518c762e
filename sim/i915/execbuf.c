/* EXECBUFFER2: checks in the kernel's order, gives every object its place in the address space,
 * relocates, and queues a job; and the workers that run the jobs, one thread a context that has
 * work.
 *
 * Only the objects listed by jobs in flight are in the page tables: the kernel may evict any other
 * at any time, so a driver that forgets to list one faults here instead of once in a while. */
#include "i915.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    FIRST_PLACE = 64 << 10,        /* unpinned objects lie above, so that null pointers fault */
    FIRST_RELOC_BATCH = 256 << 10, /* and batches with relocations above this */
    SCORE_CONTEXT_BAN = 3,
};

static const uint64_t ZONE_4G = (uint64_t)1 << 32;

/* One call in the making. */
struct exec {
    struct i915 *dev;
    struct i915_file *file;
    struct drm_i915_gem_execbuffer2 *args;
    struct drm_i915_gem_exec_object2 *list; /* owned */
    struct drm_i915_gem_exec_fence *fences; /* owned */
    unsigned n, n_fences, batch;
    struct i915_ctx *ctx;
    struct i915_job *job; /* owned until submitted */
    uint64_t serial;      /* marks the bindings that this call has placed */
    uint8_t engine;
    int out_fd;
};

static void job_free(struct i915 *dev, struct i915_job *job)
{
    if (!job)
        return;
    for (unsigned i = 0; i < job->n; i++)
        bo_release(dev, job->bos[i]);
    for (unsigned i = 0; i < job->n_deps; i++)
        fence_release(job->deps[i]);
    fence_release(job->fence);
    free(job->bos);
    free(job->bindings);
    free(job->deps);
    free(job);
}

/* ---- checks ---- */
static int check_args(const struct drm_i915_gem_execbuffer2 *a)
{
    const uint64_t refused = I915_EXEC_CONSTANTS_MASK | I915_EXEC_RESOURCE_STREAMER |
                             I915_EXEC_USE_EXTENSIONS | I915_EXEC_FENCE_SUBMIT;
    if (a->buffer_count < 1 || a->buffer_count > INT32_MAX)
        return -EINVAL;
    if (a->flags & refused || a->flags & __I915_EXEC_UNKNOWN_FLAGS)
        return -EINVAL;
    if ((a->num_cliprects || a->cliprects_ptr) && !(a->flags & I915_EXEC_FENCE_ARRAY))
        return -EINVAL;
    if (a->DR4 != 0xffffffff && (a->DR1 || a->DR4))
        return -EINVAL;
    if ((a->batch_start_offset | a->batch_len) & 7)
        return -EINVAL;
    return 0;
}

static int read_fences(struct exec *e)
{
    const struct drm_i915_gem_execbuffer2 *a = e->args;
    if (!(a->flags & I915_EXEC_FENCE_ARRAY) || !a->num_cliprects)
        return 0;
    if (a->num_cliprects > 4096)
        return -EINVAL;
    e->n_fences = a->num_cliprects;
    e->fences = malloc(e->n_fences * sizeof *e->fences);
    if (!e->fences)
        return -ENOMEM;
    if (user_read(e->fences, a->cliprects_ptr, e->n_fences * sizeof *e->fences))
        return -EFAULT;
    for (unsigned i = 0; i < e->n_fences; i++) {
        if (e->fences[i].flags & __I915_EXEC_FENCE_UNKNOWN_FLAGS)
            return -EINVAL;
        const struct i915_syncobj *s = ids_get(&e->file->syncobjs, e->fences[i].handle);
        if (!s)
            return -ENOENT;
        if (e->fences[i].flags & I915_EXEC_FENCE_WAIT && !s->fence)
            return -EINVAL;
    }
    return 0;
}

static int select_engine(struct exec *e)
{
    const struct i915_ctx *c = e->ctx;
    uint64_t flags = e->args->flags;
    unsigned n = flags & I915_EXEC_RING_MASK;
    if (c->n_engines >= 0) {
        if (n >= (unsigned)c->n_engines || c->engines[n].class > I915_ENGINE_CLASS_COPY)
            return -EINVAL;
        e->engine = c->engines[n].class;
        return 0;
    }
    if (flags & I915_EXEC_BSD_MASK && n != I915_EXEC_BSD)
        return -EINVAL;
    if (n > I915_EXEC_VEBOX)
        return -EINVAL;
    if (n == I915_EXEC_BSD || n == I915_EXEC_VEBOX) {
        i915_log("gensim: execbuffer: the video engines are not simulated: EINVAL");
        return -EINVAL;
    }
    e->engine = n == I915_EXEC_BLT ? 1 : 0;
    return 0;
}

static int check_object(const struct exec *e, const struct drm_i915_gem_exec_object2 *o)
{
    bool full = e->dev->opt.kernel.ppgtt >= 0 ? e->dev->opt.kernel.ppgtt >= 2 : e->dev->gen >= 80;
    if (o->flags & __EXEC_OBJECT_UNKNOWN_FLAGS)
        return -EINVAL;
    if (o->flags & EXEC_OBJECT_NEEDS_GTT && full)
        return -EINVAL;
    if (o->alignment & (o->alignment - 1))
        return -EINVAL;
    if (o->flags & EXEC_OBJECT_PINNED) {
        if (e->dev->opt.kernel.no_softpin || o->offset & (PAGE - 1) ||
            o->offset != i915_canonical(o->offset))
            return -EINVAL;
    }
    if (o->flags & EXEC_OBJECT_PAD_TO_SIZE && o->pad_to_size & (PAGE - 1))
        return -EINVAL;
    return 0;
}

/* Reads the list, finds the objects and takes a reference to each. */
static int read_list(struct exec *e)
{
    const struct drm_i915_gem_execbuffer2 *a = e->args;
    struct i915_job *job = e->job;
    e->n = a->buffer_count;
    e->list = malloc(e->n * sizeof *e->list);
    job->bos = calloc(e->n, sizeof *job->bos);
    job->bindings = calloc(e->n, sizeof *job->bindings);
    if (!e->list || !job->bos || !job->bindings)
        return -ENOMEM;
    if (user_read(e->list, a->buffers_ptr, e->n * sizeof *e->list))
        return -EFAULT;
    return 0;
}

static int find_objects(struct exec *e)
{
    struct i915_job *job = e->job;
    e->serial = ++e->dev->serial;
    for (unsigned i = 0; i < e->n; i++) {
        struct i915_bo *bo = bo_lookup(e->file, e->list[i].handle);
        if (!bo) {
            i915_log("gensim: execbuffer: entry %u: no handle %u: ENOENT", i, e->list[i].handle);
            return -ENOENT;
        }
        int err = check_object(e, &e->list[i]);
        if (err)
            return err;
        if (bo->listed == e->serial) {
            i915_log(
                "gensim: execbuffer: entry %u: the object (handle %u) is twice in the list: EINVAL",
                i, e->list[i].handle);
            return -EINVAL;
        }
        bo->listed = e->serial;
        bo->refs++;
        job->bos[i] = bo;
        job->n = i + 1;
    }
    e->batch = e->args->flags & I915_EXEC_BATCH_FIRST ? 0 : e->n - 1;
    const struct i915_bo *batch = job->bos[e->batch];
    uint64_t start = e->args->batch_start_offset, len = e->args->batch_len;
    if (e->list[e->batch].flags & EXEC_OBJECT_WRITE)
        return -EINVAL; /* a batch must not modify itself */
    if (start > batch->size || len > batch->size - start || start == batch->size)
        return -EINVAL;
    return 0;
}

/* ---- places ---- */
/* Waits until a job, or another call that holds the binding, lets it go; drops and retakes the
 * lock. */
static void binding_wait(struct exec *e, struct i915_binding *b)
{
    if (b->bo->n_uses)
        bo_wait(e->dev, b->bo, false);
    else
        pthread_cond_wait(&e->dev->changed, &e->dev->lock);
}

/* From here on nobody unbinds it, though waits drop the lock. */
static void binding_hold(struct exec *e, unsigned i, struct i915_binding *b)
{
    b->serial = e->serial;
    b->n_jobs++;
    e->job->bindings[i] = b;
}

/* Unbinds what overlaps [at, at + size), except objects that this call has placed. */
static int evict(struct exec *e, struct i915_vm *vm, gpu_addr at, uint64_t size)
{
again:
    for (unsigned i = 0; i < vm->n; i++) {
        struct i915_binding *b = vm->at[i];
        if (b->start >= at + size || b->start + b->bo->size <= at)
            continue;
        if (b->serial == e->serial)
            return -ENOSPC;
        if (b->n_jobs)
            binding_wait(e, b);
        else
            vm_unbind(b);
        goto again; /* the lock may have been dropped */
    }
    return 0;
}

static bool place_free(const struct i915_vm *vm, gpu_addr at, uint64_t size)
{
    for (unsigned i = 0; i < vm->n; i++) {
        if (vm->at[i]->start < at + size && at < vm->at[i]->start + vm->at[i]->bo->size)
            return false;
    }
    return true;
}

/* The first gap, with an unmapped page behind every object. */
static bool place_find(const struct i915_vm *vm, gpu_addr from, gpu_addr limit, uint64_t size,
                       uint64_t align, gpu_addr *out)
{
    gpu_addr at = (from + align - 1) & ~(align - 1);
    for (unsigned i = 0; i < vm->n; i++) {
        gpu_addr start = vm->at[i]->start, end = start + vm->at[i]->bo->size;
        if (end + PAGE <= at)
            continue;
        if (at + size + PAGE <= start)
            break;
        at = (end + PAGE + align - 1) & ~(align - 1);
    }
    if (at >= limit || size > limit - at)
        return false;
    *out = at;
    return true;
}

static int place_pinned(struct exec *e, unsigned i)
{
    struct i915_vm *vm = e->ctx->vm;
    struct i915_bo *bo = e->job->bos[i];
    gpu_addr at = i915_truncate(e->list[i].offset);
    uint64_t limit = (uint64_t)1 << vm->bits;
    if (at >= limit || bo->size > limit - at)
        return -EINVAL;
    if (!(e->list[i].flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS) && at + bo->size > ZONE_4G - PAGE)
        return -EINVAL;
    struct i915_binding *b = vm_binding(vm, bo);
    while (b && b->start != at) {
        if (b->n_jobs)
            binding_wait(e, b);
        else
            vm_unbind(b);
        b = vm_binding(vm, bo);
    }
    if (!b) {
        int err = evict(e, vm, at, bo->size);
        if (err) {
            i915_log(
                "gensim: execbuffer: entry %u: pinned at 0x%llx over another object of the list", i,
                (long long)at);
            return err;
        }
        b = vm_bind(vm, bo, at);
        if (!b)
            return -ENOMEM;
    }
    binding_hold(e, i, b);
    return 0;
}

/* Where the search for a place starts: with --perturb somewhere else each time. */
static gpu_addr place_from(struct exec *e, gpu_addr least, gpu_addr limit)
{
    uint32_t seed = e->dev->opt.sim.perturb;
    if (!seed)
        return least;
    e->dev->random = (e->dev->random + seed) * 6364136223846793005u + 1442695040888963407u;
    uint64_t room = limit > 2 * least ? (limit - least) / 2 : 0;
    return room ? least + ((e->dev->random >> 16) % room & ~(uint64_t)(PAGE - 1)) : least;
}

static int place_any(struct exec *e, unsigned i)
{
    const struct drm_i915_gem_exec_object2 *o = &e->list[i];
    struct i915_vm *vm = e->ctx->vm;
    struct i915_bo *bo = e->job->bos[i];
    uint64_t limit = (uint64_t)1 << vm->bits, align = o->alignment > PAGE ? o->alignment : PAGE;
    bool high = o->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS && limit > ZONE_4G;
    gpu_addr least = i == e->batch && o->relocation_count ? FIRST_RELOC_BATCH : 0;
    if (!high && limit > ZONE_4G - PAGE)
        limit = ZONE_4G - PAGE;
    struct i915_binding *b = vm_binding(vm, bo);
    while (b && (b->start & (align - 1) || b->start + bo->size > limit || b->start < least)) {
        if (b->n_jobs)
            binding_wait(e, b);
        else
            vm_unbind(b);
        b = vm_binding(vm, bo);
    }
    if (!b) {
        gpu_addr at = i915_truncate(o->offset), from = least > FIRST_PLACE ? least : FIRST_PLACE;
        bool hint = o->offset == i915_canonical(o->offset) && at >= from && !(at & (align - 1)) &&
                    at < limit && bo->size <= limit - at && place_free(vm, at, bo->size);
        gpu_addr start = place_from(e, high ? ZONE_4G + FIRST_PLACE : from, limit);
        if (!hint && !place_find(vm, start, limit, bo->size, align, &at) &&
            !place_find(vm, from, limit, bo->size, align, &at)) {
            /* What is idle and not of this call makes room. */
            for (unsigned k = vm->n; k > 0; k--) {
                if (!vm->at[k - 1]->n_jobs)
                    vm_unbind(vm->at[k - 1]);
            }
            if (!place_find(vm, from, limit, bo->size, align, &at))
                return -ENOSPC;
        }
        b = vm_bind(vm, bo, at);
        if (!b)
            return -ENOMEM;
    }
    binding_hold(e, i, b);
    return 0;
}

static int place_objects(struct exec *e)
{
    int err = 0;
    for (unsigned i = 0; i < e->n && !err; i++) {
        if (e->list[i].flags & EXEC_OBJECT_PINNED)
            err = place_pinned(e, i);
    }
    for (unsigned i = 0; i < e->n && !err; i++) {
        if (!(e->list[i].flags & EXEC_OBJECT_PINNED))
            err = place_any(e, i);
    }
    for (unsigned i = 0; i < e->n && !err; i++)
        err = bo_validate(e->job->bos[i]);
    return err;
}

/* ---- relocation ---- */
static int reloc_target(const struct exec *e, const struct drm_i915_gem_relocation_entry *r,
                        unsigned *index)
{
    if (e->args->flags & I915_EXEC_HANDLE_LUT) {
        *index = r->target_handle;
        return r->target_handle < e->n ? 0 : -ENOENT;
    }
    for (unsigned i = 0; i < e->n; i++) {
        if (e->list[i].handle == r->target_handle) {
            *index = i;
            return 0;
        }
    }
    return -ENOENT;
}

/* --check: where the kernel writes nothing, because the presumed offset is right, the right address
 * must stand already. */
static void check_stale(const struct exec *e, unsigned i, unsigned k,
                        const struct drm_i915_gem_relocation_entry *r, uint64_t value,
                        unsigned size)
{
    const struct i915_bo *bo = e->job->bos[i];
    uint64_t there = 0;
    if (!e->dev->opt.sim.check || r->offset & 3 || r->offset > bo->size - size)
        return;
    memcpy(&there, bo->host + r->offset, size);
    if (memcmp(&there, &value, size) != 0) {
        i915_log(
            "gensim: check: execbuffer: entry %u, relocation %u: presumed offset right, so the "
            "kernel writes nothing, but at offset 0x%llx stands 0x%llx instead of 0x%llx",
            i, k, (long long)r->offset, (long long)there, (long long)value);
        sim_check_count(&e->dev->opt.sim, CHECK_RELOCATION, true);
    }
}

static int relocate_one(struct exec *e, unsigned i, unsigned k,
                        struct drm_i915_gem_relocation_entry *r)
{
    const uint32_t gpu_domains = I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_SAMPLER |
                                 I915_GEM_DOMAIN_COMMAND | I915_GEM_DOMAIN_INSTRUCTION |
                                 I915_GEM_DOMAIN_VERTEX;
    struct i915_bo *bo = e->job->bos[i];
    unsigned target = 0;
    int err = reloc_target(e, r, &target);
    if (err) {
        i915_log(
            "gensim: execbuffer: entry %u, relocation %u: target %u is not in the list: ENOENT", i,
            k, r->target_handle);
        return err;
    }
    if (r->write_domain & (r->write_domain - 1) ||
        (r->read_domains | r->write_domain) & ~gpu_domains) {
        i915_log("gensim: execbuffer: entry %u, relocation %u: domains 0x%x, 0x%x: EINVAL", i, k,
                 r->read_domains, r->write_domain);
        return -EINVAL;
    }
    if (r->write_domain)
        e->list[target].flags |= EXEC_OBJECT_WRITE;
    gpu_addr at = e->job->bindings[target]->start;
    unsigned size = e->dev->gen >= 80 ? 8 : 4;
    uint64_t value = i915_canonical(at + (int64_t)(int32_t)r->delta);
    if (r->presumed_offset == i915_canonical(at)) {
        check_stale(e, i, k, r, value, size);
        return 0;
    }
    if (r->offset & 3 || r->offset > bo->size - size) {
        i915_log(
            "gensim: execbuffer: entry %u, relocation %u: offset 0x%llx of an object of 0x%llx "
            "bytes: EINVAL",
            i, k, (long long)r->offset, (long long)bo->size);
        return -EINVAL;
    }
    bo_wait(e->dev, bo, false);
    memcpy(bo->host + r->offset, &value, size);
    r->presumed_offset = i915_canonical(at);
    return 0;
}

static int relocate(struct exec *e)
{
    bool moved = !(e->args->flags & I915_EXEC_NO_RELOC);
    for (unsigned i = 0; i < e->n; i++)
        moved |= e->list[i].offset != i915_canonical(e->job->bindings[i]->start);
    if (!moved)
        return 0;
    int err = 0;
    for (unsigned i = 0; i < e->n && !err; i++) {
        uint64_t from = e->list[i].relocs_ptr;
        unsigned n = e->list[i].relocation_count;
        struct drm_i915_gem_relocation_entry *r = n ? malloc(n * sizeof *r) : NULL;
        if (!n)
            continue;
        if (!r)
            return -ENOMEM;
        err = user_read(r, from, n * sizeof *r);
        for (unsigned k = 0; k < n && !err; k++) {
            uint64_t presumed = r[k].presumed_offset;
            err = relocate_one(e, i, k, &r[k]);
            if (!err && r[k].presumed_offset != presumed)
                err = user_write(from + k * sizeof *r, &r[k], sizeof *r);
        }
        free(r);
    }
    return err;
}

static int write_back(struct exec *e)
{
    for (unsigned i = 0; i < e->n; i++) {
        uint64_t now = i915_canonical(e->job->bindings[i]->start);
        if (e->list[i].offset == now)
            continue;
        uint64_t at = e->args->buffers_ptr + i * sizeof e->list[0] +
                      offsetof(struct drm_i915_gem_exec_object2, offset);
        if (user_write(at, &now, sizeof now))
            return -EFAULT;
    }
    return 0;
}

/* ---- the job ---- */
static int add_dep(struct i915_job *job, struct i915_fence *f)
{
    for (unsigned i = 0; i < job->n_deps; i++) {
        if (job->deps[i] == f)
            return 0;
    }
    struct i915_fence **p = realloc(job->deps, (job->n_deps + 1) * sizeof *p);
    if (!p)
        return -ENOMEM;
    job->deps = p;
    p[job->n_deps++] = fence_retain(f);
    return 0;
}

/* What of other contexts must end before: writers of what it reads, all users of what it writes. */
static int collect_deps(struct exec *e)
{
    int err = 0;
    for (unsigned i = 0; i < e->n; i++) {
        const struct i915_bo *bo = e->job->bos[i];
        if (e->list[i].flags & EXEC_OBJECT_ASYNC)
            continue;
        for (unsigned k = 0; k < bo->n_uses && !err; k++) {
            bool clash = bo->uses[k].write || e->list[i].flags & EXEC_OBJECT_WRITE;
            if (bo->uses[k].ctx != e->ctx && clash)
                err = add_dep(e->job, bo->uses[k].fence);
        }
    }
    for (unsigned i = 0; i < e->n_fences && !err; i++) {
        const struct i915_syncobj *s = ids_get(&e->file->syncobjs, e->fences[i].handle);
        if (e->fences[i].flags & I915_EXEC_FENCE_WAIT && s && s->fence)
            err = add_dep(e->job, s->fence);
    }
    return err;
}

/* Page tables hold what jobs in flight list, and this job's objects. */
static int make_resident(struct exec *e)
{
    struct i915_vm *vm = e->ctx->vm;
    for (unsigned i = 0; i < vm->n; i++) {
        struct i915_binding *b = vm->at[i];
        if (b->resident && !b->n_jobs) {
            vm_hide(vm->hw, b->start, b->bo->size);
            b->resident = false;
        }
    }
    for (unsigned i = 0; i < e->n; i++) {
        struct i915_binding *b = e->job->bindings[i];
        view_store(b->bo);
        if (b->resident)
            continue;
        if (!vm_map(vm->hw, b->start, b->bo->host, b->bo->size, !b->bo->read_only, b->bo->id))
            return -ENOMEM;
        b->resident = true;
    }
    return 0;
}

static int open_fences(struct exec *e)
{
    uint64_t flags = e->args->flags;
    if (flags & I915_EXEC_FENCE_IN) {
        struct i915_fence *f = shim_fence(e->dev, (int)(uint32_t)e->args->rsvd2);
        int err = f ? add_dep(e->job, f) : -EINVAL;
        if (err)
            return err;
    }
    if (flags & I915_EXEC_FENCE_OUT) {
        e->out_fd = shim_export_fence(e->dev, e->job->fence);
        if (e->out_fd < 0)
            return e->out_fd;
    }
    return 0;
}

static int exec_prepare(struct exec *e)
{
    int err = check_args(e->args);
    if (!err)
        err = read_list(e);
    if (!err && e->args->flags & I915_EXEC_SECURE)
        err = -EPERM; /* for the display's master alone */
    if (!err)
        err = open_fences(e);
    if (!err)
        err = read_fences(e);
    if (err)
        return err;
    uint64_t id = e->args->rsvd1;
    e->ctx = ctx_lookup(e->file, (uint32_t)id);
    if (!e->ctx)
        return -ENOENT;
    if (e->ctx->banned)
        return -EIO;
    err = select_engine(e);
    if (!err)
        err = find_objects(e);
    return err;
}

static int exec_submit(struct exec *e)
{
    struct i915_job *job = e->job;
    int err = place_objects(e);
    if (!err)
        err = relocate(e);
    if (!err)
        err = collect_deps(e);
    if (!err)
        err = make_resident(e);
    if (!err)
        err = write_back(e);
    if (err)
        return err;
    unsigned used = 0;
    for (; used < e->n; used++) {
        struct i915_use use = {.fence = job->fence,
                               .ctx = e->ctx,
                               .engine = e->engine,
                               .write = e->list[used].flags & EXEC_OBJECT_WRITE};
        if (bo_use_add(job->bos[used], use))
            break;
    }
    job->ctx = e->ctx;
    job->engine = e->engine;
    job->submitted = sim_gpu_ns(e->dev->gpu);
    job->batch = job->bindings[e->batch]->start + e->args->batch_start_offset;
    struct i915_fence *fence = job->fence;
    if (e->dev->opt.trace)
        i915_log(
            "gensim: submit to context %u, %s engine: %u objects, batch 0x%llx, %u others awaited",
            e->ctx->id, e->engine ? "copy" : "render", e->n, (long long)job->batch, job->n_deps);
    err = used == e->n ? ctx_submit(e->ctx, job) : -ENOMEM;
    if (err) {
        for (unsigned i = 0; i < used; i++)
            bo_use_remove(job->bos[i], job->fence);
        return err;
    }
    e->job = NULL;
    for (unsigned i = 0; i < e->n_fences; i++) {
        struct i915_syncobj *s = ids_get(&e->file->syncobjs, e->fences[i].handle);
        if (e->fences[i].flags & I915_EXEC_FENCE_SIGNAL && s) {
            fence_release(s->fence);
            s->fence = fence_retain(fence);
        }
    }
    pthread_cond_broadcast(&e->dev->changed); /* syncobj_wait WAIT_FOR_SUBMIT, binding_wait */
    return 0;
}

int ioctl_gem_execbuffer2(struct i915_file *f, void *arg, size_t size)
{
    struct exec e = {.dev = f->dev, .file = f, .args = arg, .out_fd = -1};
    int err = -ENOMEM;
    e.job = calloc(1, sizeof *e.job);
    if (e.job)
        e.job->fence = fence_new();
    if (e.job && e.job->fence) {
        err = exec_prepare(&e);
        if (!err) {
            /* Waits inside drop the lock; the context must not end meanwhile. */
            e.ctx->refs++;
            struct i915_ctx *ctx = e.ctx;
            err = exec_submit(&e);
            for (unsigned i = 0; err && i < e.n; i++) {
                if (e.job->bindings[i])
                    e.job->bindings[i]->n_jobs--;
            }
            ctx_release(ctx);
        }
    }
    if (!err && e.out_fd >= 0)
        e.args->rsvd2 = (uint32_t)e.args->rsvd2 | (uint64_t)e.out_fd << 32;
    else if (e.out_fd >= 0)
        shim_retract_fence(e.dev, e.out_fd);
    job_free(f->dev, e.job);
    free(e.list);
    free(e.fences);
    return err;
}

/* ---- workers ---- */
/* A context's batch faulted or hung: the counters, the ban, and a fresh hardware context. */
static void guilty(struct i915_ctx *c, struct i915_job *job, const struct sim_fault *fault)
{
    int64_t now = i915_now_ms(), before = c->hang_ms[0];
    c->hang_ms[0] = c->hang_ms[1];
    c->hang_ms[1] = now;
    c->guilty++;
    if (!c->recoverable || now - before < I915_BAN_WINDOW_MS)
        c->banned = true;
    if (c->banned && c->file)
        c->file->ban_score += SCORE_CONTEXT_BAN;
    i915_log("gensim: GPU hang: context %u, %s engine: %s\ngensim: the context is reset%s", c->id,
             job->engine ? "copy" : "render", fault->text, c->banned ? " and banned" : "");
    for (struct i915_ctx *other = c->dev->contexts; other; other = other->next) {
        if (other != c && (other->running || other->queue))
            other->innocent++;
    }
    for (unsigned i = 0; i < 2; i++) {
        sim_context_free(c->hw[i]);
        c->hw[i] = NULL;
    }
}

static void job_finish(struct i915_job *job)
{
    struct i915 *dev = job->ctx->dev;
    job->fence->done = true;
    if (job->fence->fd >= 0) {
        ssize_t unused = write(job->fence->fd, &(uint64_t){1}, sizeof(uint64_t));
        (void)unused;
    }
    for (unsigned i = 0; i < job->n; i++) {
        job->bindings[i]->n_jobs--;
        bo_use_remove(job->bos[i], job->fence);
    }
    struct i915_ctx *c = job->ctx;
    job_free(dev, job);
    ctx_release(c);
    pthread_cond_broadcast(&dev->changed);
}

/* Runs a job; called with the lock, which it drops meanwhile. */
static void job_run(struct i915_job *job)
{
    struct i915_ctx *c = job->ctx;
    struct i915 *dev = c->dev;
    for (unsigned i = 0; i < job->n_deps; i++)
        fence_wait(dev, job->deps[i], -1);
    struct sim_fault fault = {.set = false};
    if (!c->hw[job->engine])
        c->hw[job->engine] = sim_context_new(dev->gpu);
    struct sim_context *hw = c->hw[job->engine];
    if (c->banned || dev->stop) /* skipped */
        return;
    pthread_mutex_unlock(&dev->lock);
    if (dev->opt.delay_ms)
        usleep(dev->opt.delay_ms * 1000);
    bool ok = false;
    sim_gpu_batch_begin(dev->gpu, c->id, job->engine, job->submitted);
    if (hw)
        ok = sim_run_batch(hw, c->vm->hw, job->engine, job->batch, &dev->stop, &fault);
    else
        sim_fault(&fault, "no memory for a hardware context");
    sim_gpu_batch_end(dev->gpu, !ok);
    pthread_mutex_lock(&dev->lock);
    if (!ok && !dev->stop)
        guilty(c, job, &fault);
}

static void *worker(void *arg)
{
    struct i915_ctx *c = arg;
    struct i915 *dev = c->dev;
    pthread_setname_np(pthread_self(), "gensim-gpu"); /* and so are the threads that it makes */
    pthread_mutex_lock(&dev->lock);
    for (;;) {
        while (!c->queue && !c->closed && !dev->stop)
            pthread_cond_wait(&c->wake, &dev->lock);
        struct i915_job *job = c->queue;
        if (!job)
            break;
        c->queue = job->next;
        if (!c->queue)
            c->queue_end = &c->queue;
        c->running = job;
        dev->n_running++;
        job_run(job);
        dev->n_running--;
        c->running = NULL;
        job_finish(job);
    }
    c->worker = false;
    ctx_release(c);
    pthread_mutex_unlock(&dev->lock);
    return NULL;
}

int ctx_submit(struct i915_ctx *c, struct i915_job *job)
{
    if (!c->worker) {
        /* The application's signal handlers are not for this thread. */
        sigset_t all, old;
        pthread_t thread;
        pthread_attr_t attr;
        sigfillset(&all);
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        c->worker = pthread_create(&thread, &attr, worker, c) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        pthread_attr_destroy(&attr);
        if (!c->worker)
            return -EAGAIN;
        c->refs++; /* the worker's */
    }
    c->refs++; /* the job's */
    *c->queue_end = job;
    c->queue_end = &job->next;
    pthread_cond_signal(&c->wake);
    return 0;
}
