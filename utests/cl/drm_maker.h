/* Somebody else's buffer objects, for tests of what OpenCL imports: made, filled, exported as
 * dma_bufs and read with the kernel's own ioctls, on a file of one's own. */
#ifndef DRM_MAKER_H
#define DRM_MAKER_H

#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "utest.h"

static inline int maker_open(void)
{
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    return fd;
}

static inline uint32_t maker_new(int drm, uint64_t size)
{
    struct drm_i915_gem_create c = {.size = size};
    REQUIRE(ioctl(drm, DRM_IOCTL_I915_GEM_CREATE, &c) == 0);
    return c.handle;
}

/* A descriptor, the caller's. */
static inline int maker_export(int drm, uint32_t handle)
{
    struct drm_prime_handle h = {.handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR};
    REQUIRE(ioctl(drm, DRM_IOCTL_PRIME_HANDLE_TO_FD, &h) == 0);
    return h.fd;
}

static inline void maker_write(int drm, uint32_t handle, const void *data, uint64_t size)
{
    struct drm_i915_gem_pwrite w = {.handle = handle, .size = size, .data_ptr = (uintptr_t)data};
    REQUIRE(ioctl(drm, DRM_IOCTL_I915_GEM_PWRITE, &w) == 0);
}

static inline void maker_read(int drm, uint32_t handle, void *data, uint64_t size)
{
    struct drm_i915_gem_pread r = {.handle = handle, .size = size, .data_ptr = (uintptr_t)data};
    REQUIRE(ioctl(drm, DRM_IOCTL_I915_GEM_PREAD, &r) == 0);
}

static inline void maker_free(int drm, uint32_t handle)
{
    struct drm_gem_close c = {.handle = handle};
    REQUIRE(ioctl(drm, DRM_IOCTL_GEM_CLOSE, &c) == 0);
}

#endif
