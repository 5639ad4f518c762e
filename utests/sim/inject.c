/* gensim --fault: the n-th call of an ioctl fails, others don't. Run with
 * gem_create:2:ENOMEM,gem_busy:1+:EIO,gem_execbuffer2:1:EINTR */
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "utest.h"

int main(void)
{
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    for (int i = 1; i <= 3; i++) {
        struct drm_i915_gem_create c = {.size = 4096};
        int r = ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &c);
        CHECK(i == 2 ? r == -1 && errno == ENOMEM : r == 0);
    }
    for (int i = 1; i <= 3; i++) {
        struct drm_i915_gem_busy b = {.handle = 1};
        CHECK(ioctl(fd, DRM_IOCTL_I915_GEM_BUSY, &b) == -1 && errno == EIO);
    }
    struct drm_i915_gem_execbuffer2 eb = {0};
    CHECK(ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb) == -1 && errno == EINTR);
    CHECK(ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb) == -1 && errno == EINVAL);
    close(fd);
    return utest_end();
}
