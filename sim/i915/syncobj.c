/* Sync objects: boxes for a fence, per file. */
#include "i915.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

int ioctl_syncobj_create(struct i915_file *f, void *arg, size_t size)
{
    struct drm_syncobj_create *a = arg;
    if (a->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    struct i915_syncobj *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    if (a->flags & DRM_SYNCOBJ_CREATE_SIGNALED) {
        s->fence = fence_new();
        if (!s->fence) {
            free(s);
            return -ENOMEM;
        }
        s->fence->done = true;
    }
    int id = ids_add(&f->syncobjs, s);
    if (id < 0) {
        fence_release(s->fence);
        free(s);
        return id;
    }
    a->handle = id;
    return 0;
}

int ioctl_syncobj_destroy(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_syncobj_destroy *a = arg;
    if (a->pad)
        return -EINVAL;
    struct i915_syncobj *s = ids_remove(&f->syncobjs, a->handle);
    if (!s)
        return -EINVAL;
    fence_release(s->fence);
    free(s);
    return 0;
}

enum { MAX_WAIT = 4096 };

/* Reads the caller's handles; *out is the caller's to free. */
static int handles_read(uint64_t from, uint32_t n, uint32_t **out)
{
    if (!n || n > MAX_WAIT)
        return -EINVAL;
    uint32_t *h = malloc(n * sizeof *h);
    if (!h)
        return -ENOMEM;
    if (user_read(h, from, n * sizeof *h)) {
        free(h);
        return -EFAULT;
    }
    *out = h;
    return 0;
}

int ioctl_syncobj_wait(struct i915_file *f, void *arg, size_t size)
{
    struct drm_syncobj_wait *a = arg;
    const uint32_t known = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    if (a->flags & ~known)
        return -EINVAL;
    uint32_t *h = NULL;
    int err = handles_read(a->handles, a->count_handles, &h);
    if (err)
        return err;
    bool all = a->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    for (;;) {
        unsigned done = 0, first = 0;
        for (unsigned i = 0; i < a->count_handles && !err; i++) {
            const struct i915_syncobj *s = ids_get(&f->syncobjs, h[i]);
            if (!s) {
                err = -ENOENT;
            } else if (s->fence && s->fence->done) {
                first = done++ ? first : i;
            } else if (!s->fence && !(a->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)) {
                err = -EINVAL;
            }
        }
        if (err)
            break;
        if (done == a->count_handles || (done && !all)) {
            a->first_signaled = first;
            break;
        }
        if (f->dev->stop)
            break;
        struct timespec t = {a->timeout_nsec / 1000000000, a->timeout_nsec % 1000000000};
        if (a->timeout_nsec <= i915_now_ns()) {
            err = -ETIME;
            break;
        }
        pthread_cond_timedwait(&f->dev->changed, &f->dev->lock, &t);
    }
    free(h);
    return err;
}

/* Replaces the fences of some sync objects: none, or a signalled one. */
static int replace(struct i915_file *f, const struct drm_syncobj_array *a, bool signal)
{
    if (a->pad)
        return -EINVAL;
    uint32_t *h = NULL;
    int err = handles_read(a->handles, a->count_handles, &h);
    for (unsigned i = 0; i < a->count_handles && !err; i++) {
        if (!ids_get(&f->syncobjs, h[i]))
            err = -ENOENT;
    }
    for (unsigned i = 0; i < a->count_handles && !err; i++) {
        struct i915_syncobj *s = ids_get(&f->syncobjs, h[i]);
        struct i915_fence *fence = NULL;
        if (signal) {
            fence = fence_new();
            if (!fence) {
                err = -ENOMEM;
                break;
            }
            fence->done = true;
        }
        fence_release(s->fence);
        s->fence = fence;
    }
    free(h);
    pthread_cond_broadcast(&f->dev->changed);
    return err;
}

int ioctl_syncobj_reset(struct i915_file *f, void *arg, size_t size)
{
    return replace(f, arg, false);
}

int ioctl_syncobj_signal(struct i915_file *f, void *arg, size_t size)
{
    return replace(f, arg, true);
}
