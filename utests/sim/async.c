/* Work that takes time (gensim --delay): busy, wait, domains, order between contexts, fences, exit.
 */
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "utest.h"

enum { PAGE = 4096, N_OBJECTS = 2 };

static int fd;
static bool wide; /* 8-byte relocations */

static int call(unsigned long request, void *arg)
{
    return drmIoctl(fd, request, arg) ? errno : 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static uint32_t create(void)
{
    struct drm_i915_gem_create c = {.size = PAGE};
    REQUIRE(call(DRM_IOCTL_I915_GEM_CREATE, &c) == 0);
    return c.handle;
}

static uint32_t *map(uint32_t handle)
{
    struct drm_i915_gem_mmap m = {.handle = handle, .size = PAGE};
    REQUIRE(call(DRM_IOCTL_I915_GEM_MMAP, &m) == 0);
    return (void *)(uintptr_t)m.addr_ptr;
}

static uint32_t busy(uint32_t handle)
{
    struct drm_i915_gem_busy b = {.handle = handle};
    REQUIRE(call(DRM_IOCTL_I915_GEM_BUSY, &b) == 0);
    return b.busy;
}

/* Submits a batch that copies a word: to[word 0] = value, or from[word 0] + nothing if from is not
 * 0. */
static int submit(uint32_t ctx, uint32_t to, uint32_t from, uint32_t value, uint64_t flags,
                  int *fence)
{
    uint32_t batch = create();
    uint32_t *p = map(batch);
    struct drm_i915_gem_relocation_entry r[2] = {{0}, {0}};
    unsigned n = 0, n_relocs = 0;
    if (from) { /* through the 3DPRIM_START_INSTANCE register */
        p[n++] = wide ? 0x14800002 : 0x14800001;
        p[n++] = 0x243c;
        r[n_relocs++] =
            (struct drm_i915_gem_relocation_entry){.target_handle = from,
                                                   .offset = 4 * n,
                                                   .presumed_offset = -1,
                                                   .read_domains = I915_GEM_DOMAIN_RENDER};
        n += wide ? 2 : 1;
        p[n++] = wide ? 0x12000002 : 0x12000001;
        p[n++] = 0x243c;
    } else {
        p[n++] = 0x10000002;
        if (!wide)
            n++;
    }
    r[n_relocs++] = (struct drm_i915_gem_relocation_entry){.target_handle = to,
                                                           .offset = 4 * n,
                                                           .presumed_offset = -1,
                                                           .read_domains = I915_GEM_DOMAIN_RENDER,
                                                           .write_domain = I915_GEM_DOMAIN_RENDER};
    n += wide ? 2 : 1;
    if (!from)
        p[n++] = value;
    p[n++] = 0x05000000;
    struct drm_i915_gem_exec_object2 obj[3] = {{.handle = to}};
    unsigned k = 1;
    if (from)
        obj[k++].handle = from;
    obj[k++] = (struct drm_i915_gem_exec_object2){
        .handle = batch, .relocation_count = n_relocs, .relocs_ptr = (uintptr_t)r};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)obj,
                                          .buffer_count = k,
                                          .flags = I915_EXEC_RENDER | flags,
                                          .rsvd1 = ctx,
                                          .rsvd2 =
                                              fence && flags & I915_EXEC_FENCE_IN ? *fence : 0};
    int err = call(DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
    if (!err && flags & I915_EXEC_FENCE_OUT)
        *fence = eb.rsvd2 >> 32;
    munmap(p, PAGE);
    struct drm_gem_close c = {.handle = batch};
    call(DRM_IOCTL_GEM_CLOSE, &c); /* busy objects live on */
    return err;
}

int main(void)
{
    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    int devid = 0;
    struct drm_i915_getparam gp = {.param = I915_PARAM_CHIPSET_ID, .value = &devid};
    REQUIRE(call(DRM_IOCTL_I915_GETPARAM, &gp) == 0);
    wide = devid >= 0x1600;
    uint32_t a = create(), b = create();
    uint32_t *pa = map(a), *pb = map(b);

    /* Submission returns before the work is done. */
    double t = now();
    CHECK(submit(0, a, 0, 11, 0, NULL) == 0);
    CHECKF(now() - t < 0.08, "%f s", now() - t);
    CHECK(pa[0] == 0);
    CHECKF(busy(a) == (1u << 16 | 1), "0x%x", busy(a));
    struct drm_i915_gem_wait w = {.bo_handle = a, .timeout_ns = 1000000};
    CHECK(call(DRM_IOCTL_I915_GEM_WAIT, &w) == ETIME && w.timeout_ns == 0);
    w.timeout_ns = 0;
    CHECK(call(DRM_IOCTL_I915_GEM_WAIT, &w) == ETIME);
    w.timeout_ns = 20000000000;
    CHECK(call(DRM_IOCTL_I915_GEM_WAIT, &w) == 0 && w.timeout_ns > 0 && w.timeout_ns < 20000000000);
    CHECK(pa[0] == 11 && busy(a) == 0);

    /* Reading waits for writers, not for readers. */
    CHECK(submit(0, b, a, 0, 0, NULL) == 0);
    t = now();
    struct drm_i915_gem_set_domain d = {.handle = a, .read_domains = I915_GEM_DOMAIN_CPU};
    CHECK(call(DRM_IOCTL_I915_GEM_SET_DOMAIN, &d) == 0);
    CHECK(now() - t < 0.08 && busy(a) == 1u << 16);
    d = (struct drm_i915_gem_set_domain){.handle = b, .read_domains = 1, .write_domain = 1};
    CHECK(call(DRM_IOCTL_I915_GEM_SET_DOMAIN, &d) == 0);
    CHECK(pb[0] == 11 && busy(b) == 0);

    /* Another context that reads what the first writes comes after it. */
    struct drm_i915_gem_context_create c = {0};
    CHECK(call(DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c) == 0);
    CHECK(submit(0, a, 0, 21, 0, NULL) == 0);
    CHECK(submit(0, a, 0, 22, 0, NULL) == 0);
    CHECK(submit(c.ctx_id, b, a, 0, 0, NULL) == 0);
    w = (struct drm_i915_gem_wait){.bo_handle = b, .timeout_ns = -1};
    CHECK(call(DRM_IOCTL_I915_GEM_WAIT, &w) == 0 && w.timeout_ns == -1);
    CHECKF(pb[0] == 22, "%u", pb[0]);

    /* Fences as descriptors. */
    int fence = -1;
    CHECK(submit(0, a, 0, 31, I915_EXEC_FENCE_OUT, &fence) == 0 && fence >= 0);
    struct pollfd p = {.fd = fence, .events = POLLIN};
    CHECK(poll(&p, 1, 0) == 0);
    CHECK(submit(c.ctx_id, b, 0, 32, I915_EXEC_FENCE_IN, &fence) == 0);
    CHECK(call(DRM_IOCTL_I915_GEM_WAIT, &w) == 0);
    CHECK(pa[0] == 31 && pb[0] == 32);
    CHECK(poll(&p, 1, 0) == 1);
    close(fence);

    /* A context may go while its work is running. */
    CHECK(submit(c.ctx_id, b, 0, 41, 0, NULL) == 0);
    struct drm_i915_gem_context_destroy dc = {.ctx_id = c.ctx_id};
    CHECK(call(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &dc) == 0);
    CHECK(call(DRM_IOCTL_I915_GEM_WAIT, &w) == 0 && pb[0] == 41);

    /* And a process may end while work is running. */
    CHECK(submit(0, a, 0, 51, 0, NULL) == 0);
    munmap(pa, PAGE);
    munmap(pb, PAGE);
    return utest_end();
}
