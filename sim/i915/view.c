/* A tiled object as a mapping through the aperture shows it: linear. The hardware's fences
 * translate each access; here the mapping is memory of its own, a view, that is brought up to date
 * where the interface lets a client rely on it: SET_DOMAIN, WAIT, a BUSY that says no, reads and
 * writes by ioctl, and submission. What the client has changed since, found by comparing, goes into
 * the object; then the object is read again. Called with the device's lock. */
#include "i915.h"

#include "sim/hw/image.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct i915_view {
    uint8_t *host;  /* owned: what the client sees */
    uint8_t *clean; /* owned: what it held when it was last brought up to date */
};

/* Neighbours in a row that are neighbours in the object too: the least of all tilings. */
enum { SPAN = 16 };

static enum image_tiling tiling_of(const struct i915_bo *bo)
{
    return bo->tiling == I915_TILING_X   ? TILING_X
           : bo->tiling == I915_TILING_Y ? TILING_Y
                                         : TILING_LINEAR;
}

/* Where the span at `offset` of the view stands in the object. False: in the part of the last tiles
 * that the object lacks. */
static bool place_of(const struct i915_bo *bo, uint64_t offset, uint64_t *at)
{
    *at = offset;
    if (bo->tiling == I915_TILING_NONE)
        return true;
    *at = tile_offset(tiling_of(bo), bo->stride, (uint32_t)(offset % bo->stride),
                      (uint32_t)(offset / bo->stride));
    return *at + SPAN <= bo->size;
}

static void store(struct i915_bo *bo)
{
    const struct i915_view *v = bo->view;
    uint64_t at;
    for (uint64_t o = 0; o < bo->size; o += SPAN) {
        if (memcmp(v->host + o, v->clean + o, SPAN) == 0 || !place_of(bo, o, &at))
            continue;
        for (unsigned i = 0; i < SPAN; i++) {
            if (v->host[o + i] != v->clean[o + i])
                bo->host[at + i] = v->host[o + i];
        }
    }
}

static void load(struct i915_bo *bo)
{
    struct i915_view *v = bo->view;
    uint64_t at;
    for (uint64_t o = 0; o < bo->size; o += SPAN) {
        if (place_of(bo, o, &at))
            memcpy(v->clean + o, bo->host + at, SPAN);
    }
    memcpy(v->host, v->clean, bo->size);
}

void view_store(struct i915_bo *bo)
{
    if (!bo->view)
        return;
    store(bo);
    memcpy(bo->view->clean, bo->view->host, bo->size);
}

void view_sync(struct i915_bo *bo)
{
    if (!bo->view)
        return;
    store(bo);
    load(bo);
}

uint8_t *view_memory(struct i915_bo *bo)
{
    if (bo->view)
        return bo->view->host;
    struct i915_view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->clean = calloc(1, bo->size);
    v->host = mmap(NULL, bo->size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!v->clean || v->host == MAP_FAILED) {
        if (v->host != MAP_FAILED)
            syscall(SYS_munmap, v->host, bo->size);
        free(v->clean);
        free(v);
        return NULL;
    }
    bo->view = v;
    load(bo);
    return v->host;
}

void view_free(struct i915_bo *bo)
{
    if (!bo->view)
        return;
    syscall(SYS_munmap, bo->view->host, bo->size); /* past the shim, which needs the lock */
    free(bo->view->clean);
    free(bo->view);
    bo->view = NULL;
}
