/* Under gensim --check: what the kernel can't tell a driver about its relocations. */
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "utest.h"

enum { PAGE = 4096 };

static int fd;

static uint32_t create(void)
{
    struct drm_i915_gem_create c = {.size = PAGE};
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GEM_CREATE, &c) == 0);
    return c.handle;
}

/* Submits, waits, and says whether gensim reported a stale relocation meanwhile. */
static bool reports(struct drm_i915_gem_execbuffer2 *eb, uint32_t batch)
{
    char text[4096] = "";
    int old = dup(STDERR_FILENO), file = memfd_create("stderr", MFD_CLOEXEC);
    REQUIRE(old >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    int err = drmIoctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, eb) ? errno : 0;
    struct drm_i915_gem_wait w = {.bo_handle = batch, .timeout_ns = -1};
    err = err || drmIoctl(fd, DRM_IOCTL_I915_GEM_WAIT, &w);
    dup2(old, STDERR_FILENO);
    CHECK(pread(file, text, sizeof text - 1, 0) >= 0 && !err);
    close(file);
    close(old);
    return strstr(text, "check: execbuffer: entry 1, relocation 0: presumed offset right");
}

int main(void)
{
    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    uint32_t data = create(), batch = create();
    struct drm_i915_gem_mmap m = {.handle = batch, .size = PAGE};
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GEM_MMAP, &m) == 0);
    uint32_t *dw = (uint32_t *)(uintptr_t)m.addr_ptr;
    dw[1] = 0x05000000; /* the batch ends before what is relocated */
    struct drm_i915_gem_relocation_entry reloc = {.target_handle = data,
                                                  .offset = 64,
                                                  .delta = 8,
                                                  .presumed_offset = ~(uint64_t)0,
                                                  .read_domains = I915_GEM_DOMAIN_RENDER};
    struct drm_i915_gem_exec_object2 list[2] = {
        {.handle = data},
        {.handle = batch, .relocs_ptr = (uintptr_t)&reloc, .relocation_count = 1}};
    struct drm_i915_gem_execbuffer2 eb = {
        .buffers_ptr = (uintptr_t)list, .buffer_count = 2, .flags = I915_EXEC_RENDER};
    CHECK(!reports(&eb, batch)); /* written by the kernel */
    CHECK(dw[16] == list[0].offset + 8 && reloc.presumed_offset == list[0].offset);
    CHECK(!reports(&eb, batch)); /* right already */
    dw[16] += 4;
    CHECK(reports(&eb, batch)); /* the presumed offset is right, but not what stands there */
    reloc.presumed_offset = 0;
    CHECK(!reports(&eb, batch)); /* written again */
    CHECK(dw[16] == list[0].offset + 8);
    munmap(dw, PAGE);
    close(fd);
    return utest_end();
}
