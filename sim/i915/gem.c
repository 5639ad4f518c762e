/* GEM objects: memory (shared anonymous pages, zero at first, that live as long as any mapping),
 * handles, names, exported descriptors, userptr, domains, tiling, and waiting for their users. */
#include "i915.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

enum { PAGE = 4096 };

static struct i915_bo *bo_new(struct i915 *dev, uint64_t size)
{
    struct i915_bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return NULL;
    bo->refs = 1;
    bo->size = size;
    bo->id = ++dev->next_bo;
    bo->caching =
        dev->opt.dev->llc && !dev->opt.kernel.no_llc ? I915_CACHING_CACHED : I915_CACHING_NONE;
    bo->next = dev->bos;
    if (bo->next)
        bo->next->prev = bo;
    dev->bos = bo;
    return bo;
}

void bo_release(struct i915 *dev, struct i915_bo *bo)
{
    if (!bo || --bo->refs)
        return;
    while (bo->bindings)
        vm_unbind(bo->bindings);
    view_free(bo);
    if (bo->host && !bo->userptr)
        syscall(SYS_munmap, bo->host, bo->size); /* past the shim, which needs the lock */
    if (bo->prev)
        bo->prev->next = bo->next;
    else
        dev->bos = bo->next;
    if (bo->next)
        bo->next->prev = bo->prev;
    free(bo->uses);
    free(bo);
}

struct i915_bo *bo_lookup(struct i915_file *f, uint32_t handle)
{
    return ids_get(&f->handles, handle);
}

/* Gives the caller's reference to a handle. */
static int bo_handle(struct i915_file *f, struct i915_bo *bo, uint32_t *handle)
{
    int id = ids_add(&f->handles, bo);
    if (id < 0) {
        bo_release(f->dev, bo);
        return id;
    }
    bo->n_handles++;
    *handle = id;
    return 0;
}

static int bo_create(struct i915_file *f, uint64_t *size, uint32_t *handle)
{
    uint64_t bytes = (*size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (!*size)
        return -EINVAL;
    if (bytes < *size || bytes >> 47)
        return -E2BIG;
    struct i915_bo *bo = bo_new(f->dev, bytes);
    if (!bo)
        return -ENOMEM;
    bo->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (bo->host == MAP_FAILED) {
        bo->host = NULL;
        bo_release(f->dev, bo);
        return -ENOMEM;
    }
    int err = bo_handle(f, bo, handle);
    if (!err)
        *size = bytes;
    return err;
}

int ioctl_gem_create(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_create *a = arg;
    uint64_t bytes = a->size;
    int err = bo_create(f, &bytes, &a->handle);
    a->size = err ? a->size : bytes;
    return err;
}

int ioctl_gem_create_ext(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_create_ext *a = arg;
    if (f->dev->opt.kernel.no_query || a->flags)
        return -EINVAL;
    unsigned n = 0;
    for (uint64_t at = a->extensions; at; n++) {
        struct i915_user_extension ext;
        if (n == 16)
            return -E2BIG;
        if (user_read(&ext, at, sizeof ext))
            return -EFAULT;
        if (ext.flags || ext.name != I915_GEM_CREATE_EXT_MEMORY_REGIONS)
            return -EINVAL;
        struct drm_i915_gem_create_ext_memory_regions r;
        if (user_read(&r, at, sizeof r))
            return -EFAULT;
        struct drm_i915_gem_memory_class_instance region;
        if (r.num_regions != 1)
            return -EINVAL;
        if (user_read(&region, r.regions, sizeof region))
            return -EFAULT;
        if (region.memory_class != I915_MEMORY_CLASS_SYSTEM || region.memory_instance != 0)
            return -EINVAL;
        at = ext.next_extension;
    }
    uint64_t bytes = a->size;
    int err = bo_create(f, &bytes, &a->handle);
    a->size = err ? a->size : bytes;
    return err;
}

int ioctl_gem_userptr(struct i915_file *f, void *arg, size_t size)
{
    if (f->dev->opt.kernel.no_userptr)
        return -ENODEV;
    struct drm_i915_gem_userptr *a = arg;
    const uint32_t known =
        I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE | (uint32_t)I915_USERPTR_UNSYNCHRONIZED;
    if (a->flags & ~known)
        return -EINVAL;
    if (!a->user_size)
        return -EINVAL;
    if (a->user_size >> 47)
        return -E2BIG;
    if ((a->user_ptr | a->user_size) & (PAGE - 1))
        return -EINVAL;
    if (a->user_ptr >> 47 || (a->user_ptr + a->user_size) >> 47)
        return -EFAULT;
    if (a->flags & (uint32_t)I915_USERPTR_UNSYNCHRONIZED)
        return -EPERM; /* wants CAP_SYS_ADMIN */
    if (a->flags & I915_USERPTR_READ_ONLY && f->dev->gen < 80)
        return -ENODEV; /* no read-only entries in these page tables */
    struct i915_bo *bo = bo_new(f->dev, a->user_size);
    if (!bo)
        return -ENOMEM;
    bo->host = (uint8_t *)(uintptr_t)a->user_ptr;
    bo->userptr = true;
    bo->read_only = a->flags & I915_USERPTR_READ_ONLY;
    bo->caching = I915_CACHING_CACHED;
    if (a->flags & I915_USERPTR_PROBE && bo_validate(bo)) {
        bo_release(f->dev, bo);
        return -EFAULT;
    }
    return bo_handle(f, bo, &a->handle);
}

int bo_validate(struct i915_bo *bo)
{
    if (!bo->userptr || bo->validated)
        return 0;
    /* What the kernel's get_user_pages does: the pages are made present, writable if need be. */
    int r = madvise(bo->host, bo->size, bo->read_only ? MADV_POPULATE_READ : MADV_POPULATE_WRITE);
    if (r && errno == EINVAL) /* a kernel before 5.14 */
        r = msync(bo->host, bo->size, MS_ASYNC);
    if (r)
        return errno == EHWPOISON || errno == EAGAIN ? -EAGAIN : -EFAULT;
    bo->validated = true;
    return 0;
}

int ioctl_gem_close(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_gem_close *a = arg;
    struct i915_bo *bo = ids_remove(&f->handles, a->handle);
    if (!bo)
        return -EINVAL;
    if (--bo->n_handles == 0)
        bo->name = 0;
    bo_release(f->dev, bo);
    return 0;
}

int ioctl_gem_flink(struct i915_file *f, void *arg, size_t size)
{
    struct drm_gem_flink *a = arg;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    if (!bo->name)
        bo->name = ++f->dev->next_name;
    a->name = bo->name;
    return 0;
}

int ioctl_gem_open(struct i915_file *f, void *arg, size_t size)
{
    struct drm_gem_open *a = arg;
    for (struct i915_bo *bo = f->dev->bos; bo; bo = bo->next) {
        if (a->name && bo->name == a->name) {
            bo->refs++;
            a->size = bo->size;
            return bo_handle(f, bo, &a->handle);
        }
    }
    return -ENOENT;
}

int ioctl_prime_handle_to_fd(struct i915_file *f, void *arg, size_t size)
{
    struct drm_prime_handle *a = arg;
    if (f->dev->opt.kernel.no_prime)
        return -EOPNOTSUPP;
    if (a->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    if (bo->userptr)
        return -EINVAL;
    int fd = shim_export(f->dev, bo, bo->size, a->flags & DRM_CLOEXEC);
    if (fd < 0)
        return fd;
    bo->refs++; /* the descriptor's, dropped by i915_bo_forget */
    a->fd = fd;
    return 0;
}

int ioctl_prime_fd_to_handle(struct i915_file *f, void *arg, size_t size)
{
    struct drm_prime_handle *a = arg;
    if (f->dev->opt.kernel.no_prime)
        return -EOPNOTSUPP;
    struct i915_bo *bo = shim_exported(f->dev, a->fd);
    if (!bo)
        return fcntl(a->fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
    for (unsigned i = 0; i < f->handles.n; i++) {
        if (f->handles.p[i] == bo) {
            a->handle = i + 1;
            return 0;
        }
    }
    bo->refs++;
    return bo_handle(f, bo, &a->handle);
}

/* ---- mappings and copies ---- */
int ioctl_gem_mmap(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_mmap *a = arg;
    if (a->flags & ~(uint64_t)I915_MMAP_WC)
        return -EINVAL;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    if (bo->userptr)
        return -ENXIO;
    if (!a->size || a->offset >= bo->size || a->size > bo->size - a->offset ||
        a->offset & (PAGE - 1))
        return -EINVAL;
    void *p = i915_mmap_bo(bo, NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, a->offset);
    if (p == MAP_FAILED)
        return -errno;
    a->addr_ptr = (uintptr_t)p;
    return 0;
}

/* MMAP_GTT with the short argument, MMAP_OFFSET with the long one. */
int ioctl_gem_mmap_offset(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_mmap_offset *a = arg;
    if (size > sizeof(struct drm_i915_gem_mmap_gtt) &&
        (f->dev->opt.kernel.no_query || a->flags > I915_MMAP_OFFSET_UC || a->extensions))
        return -EINVAL;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    if (bo->userptr)
        return -ENODEV;
    if (!bo->mmap_offset) {
        bo->mmap_offset = f->dev->next_mmap;
        f->dev->next_mmap += 4 * bo->size;
    }
    a->offset = bo->mmap_offset + a->flags * bo->size;
    return 0;
}

static int transfer(struct i915_file *f, uint32_t handle, uint64_t offset, uint64_t n,
                    uint64_t user, bool in)
{
    if (!n)
        return 0;
    struct i915_bo *bo = bo_lookup(f, handle);
    if (!bo)
        return -ENOENT;
    if (offset > bo->size || n > bo->size - offset || bo->userptr)
        return -EINVAL;
    bo->refs++;
    bo_wait(f->dev, bo, !in);
    view_store(bo);
    int err = in ? user_read(bo->host + offset, user, n) : user_write(user, bo->host + offset, n);
    view_sync(bo);
    bo_release(f->dev, bo);
    return err;
}

int ioctl_gem_pread(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_gem_pread *a = arg;
    return transfer(f, a->handle, a->offset, a->size, a->data_ptr, false);
}

int ioctl_gem_pwrite(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_gem_pwrite *a = arg;
    return transfer(f, a->handle, a->offset, a->size, a->data_ptr, true);
}

int ioctl_gem_set_domain(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_gem_set_domain *a = arg;
    const uint32_t cpu = I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT | I915_GEM_DOMAIN_WC;
    if ((a->read_domains | a->write_domain) & ~cpu)
        return -EINVAL;
    if (a->write_domain && a->read_domains != a->write_domain)
        return -EINVAL;
    if (!a->read_domains)
        return 0;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    bo->refs++;
    bo_wait(f->dev, bo, !a->write_domain);
    view_sync(bo);
    bo_release(f->dev, bo);
    return 0;
}

int ioctl_gem_sw_finish(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_gem_sw_finish *a = arg;
    return bo_lookup(f, a->handle) ? 0 : -ENOENT;
}

int ioctl_gem_set_tiling(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_set_tiling *a = arg;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    if (bo->userptr)
        return -ENXIO;
    if (a->tiling_mode > I915_TILING_Y)
        return -EINVAL;
    if (a->tiling_mode != I915_TILING_NONE) {
        uint32_t row = a->tiling_mode == I915_TILING_X ? 512 : 128;
        if (!a->stride || a->stride % row || a->stride > 262144)
            return -EINVAL;
    }
    view_store(bo);
    bo->tiling = a->tiling_mode;
    bo->stride = a->tiling_mode == I915_TILING_NONE ? 0 : a->stride;
    view_sync(bo);
    a->stride = bo->stride;
    a->swizzle_mode = I915_BIT_6_SWIZZLE_NONE; /* one memory channel */
    return 0;
}

int ioctl_gem_get_tiling(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_get_tiling *a = arg;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    a->tiling_mode = bo->tiling;
    a->swizzle_mode = a->phys_swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    return 0;
}

int ioctl_gem_get_aperture(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_get_aperture *a = arg;
    /* The global table: 2 MiB of 4-byte entries, 8 MiB of 8-byte ones. */
    a->aper_size = f->dev->gen < 80 ? (uint64_t)2 << 30 : (uint64_t)4 << 30;
    a->aper_available_size = a->aper_size;
    return 0;
}

int ioctl_gem_madvise(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_madvise *a = arg;
    if (a->madv > I915_MADV_DONTNEED)
        return -EINVAL;
    if (!bo_lookup(f, a->handle))
        return -ENOENT;
    a->retained = 1;
    return 0;
}

int ioctl_gem_set_caching(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_gem_caching *a = arg;
    bool llc = f->dev->opt.dev->llc && !f->dev->opt.kernel.no_llc;
    if (a->caching > I915_CACHING_DISPLAY)
        return -EINVAL;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    /* All parts here without LLC can snoop. */
    if (bo->userptr && !(a->caching == I915_CACHING_CACHED && llc))
        return a->caching == I915_CACHING_CACHED ? 0 : -ENXIO;
    bo->caching = a->caching;
    return 0;
}

int ioctl_gem_get_caching(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_caching *a = arg;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    a->caching = bo->caching;
    return 0;
}

/* ---- users ---- */
int bo_use_add(struct i915_bo *bo, struct i915_use use)
{
    if (bo->n_uses == bo->cap_uses) {
        unsigned n = bo->cap_uses ? 2 * bo->cap_uses : 4;
        struct i915_use *u = realloc(bo->uses, n * sizeof *u);
        if (!u)
            return -ENOMEM;
        bo->uses = u;
        bo->cap_uses = n;
    }
    bo->uses[bo->n_uses++] = use;
    return 0;
}

void bo_use_remove(struct i915_bo *bo, const struct i915_fence *fence)
{
    unsigned n = 0;
    for (unsigned i = 0; i < bo->n_uses; i++) {
        if (bo->uses[i].fence != fence)
            bo->uses[n++] = bo->uses[i];
    }
    bo->n_uses = n;
}

struct i915_fence *fence_new(void)
{
    struct i915_fence *f = calloc(1, sizeof *f);
    if (f) {
        f->refs = 1;
        f->fd = -1;
    }
    return f;
}

struct i915_fence *fence_retain(struct i915_fence *f)
{
    f->refs++;
    return f;
}

void fence_release(struct i915_fence *f)
{
    if (!f || --f->refs)
        return;
    if (f->fd >= 0)
        syscall(SYS_close, f->fd); /* past the shim, which may need the lock */
    free(f);
}

bool fence_wait(struct i915 *dev, struct i915_fence *f, int64_t deadline_ns)
{
    fence_retain(f);
    while (!f->done && !dev->stop) {
        if (deadline_ns < 0) {
            pthread_cond_wait(&dev->changed, &dev->lock);
            continue;
        }
        struct timespec t = {deadline_ns / 1000000000, deadline_ns % 1000000000};
        if (pthread_cond_timedwait(&dev->changed, &dev->lock, &t) == ETIMEDOUT)
            break;
    }
    bool done = f->done || dev->stop;
    fence_release(f);
    return done;
}

/* Waits for the users of now, not for those that come meanwhile. */
static bool bo_wait_until(struct i915 *dev, struct i915_bo *bo, bool writes_only,
                          int64_t deadline_ns)
{
    struct i915_fence **fences = bo->n_uses ? malloc(bo->n_uses * sizeof *fences) : NULL;
    unsigned n = 0;
    bool done = true;
    if (bo->n_uses && !fences) { /* no memory for a list: the slow way */
        while (bo->n_uses && done)
            done = fence_wait(dev, bo->uses[0].fence, deadline_ns);
        return done;
    }
    for (unsigned i = 0; i < bo->n_uses; i++) {
        if (!writes_only || bo->uses[i].write)
            fences[n++] = fence_retain(bo->uses[i].fence);
    }
    for (unsigned i = 0; i < n; i++) {
        done = done && fence_wait(dev, fences[i], deadline_ns);
        fence_release(fences[i]);
    }
    free(fences);
    return done;
}

void bo_wait(struct i915 *dev, struct i915_bo *bo, bool writes_only)
{
    bo_wait_until(dev, bo, writes_only, -1);
}

int ioctl_gem_busy(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_busy *a = arg;
    struct i915_bo *bo = bo_lookup(f, a->handle);
    if (!bo)
        return -ENOENT;
    a->busy = 0;
    for (unsigned i = 0; i < bo->n_uses; i++) {
        const struct i915_use *u = &bo->uses[i];
        a->busy |= (uint32_t)1 << (16 + u->engine);
        if (u->write)
            a->busy = (a->busy & 0xffff0000) | (u->engine + 1);
    }
    if (!a->busy)
        view_sync(bo);
    return 0;
}

int ioctl_gem_wait(struct i915_file *f, void *arg, size_t size)
{
    if (f->dev->opt.kernel.no_wait)
        return -EINVAL;
    struct drm_i915_gem_wait *a = arg;
    if (a->flags)
        return -EINVAL;
    struct i915_bo *bo = bo_lookup(f, a->bo_handle);
    if (!bo)
        return -ENOENT;
    int64_t start = i915_now_ns(), limit = a->timeout_ns;
    int64_t deadline = limit < 0 ? -1 : start > INT64_MAX - limit ? INT64_MAX : start + limit;
    bo->refs++;
    bool done = bo_wait_until(f->dev, bo, false, deadline);
    if (done)
        view_sync(bo);
    bo_release(f->dev, bo);
    if (limit >= 0) {
        int64_t left = deadline - i915_now_ns();
        a->timeout_ns = left > 0 ? left : 0;
    }
    return done ? 0 : -ETIME;
}

int ioctl_gem_throttle(struct i915_file *f, void *arg, size_t size)
{
    return 0;
}
