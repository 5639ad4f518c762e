/* Ioctls of the emulated node with arguments from nowhere: the node answers or refuses, and lives.
 * Valid handles, addresses and sizes are mixed in, so that a good part gets past the first check.
 * FUZZ_N and FUZZ_SEED change how many and which. */
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "utest.h"

enum { PAGE = 4096, N_SCRATCH = 16 };

static uint64_t state;
static int fd;
static uint8_t *scratch; /* what pointers point to */
static uint64_t written;

static uint32_t rnd(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % n;
}

static uint64_t value(void)
{
    switch (rnd(12)) {
    case 0:
    case 1:
    case 2:
        return 0;
    case 3:
        return 1 + rnd(4); /* a handle, an id, a small number */
    case 4:
        return 1 + rnd(20);
    case 5:
    case 6:
        return (uintptr_t)scratch + (uint64_t)rnd(N_SCRATCH) * PAGE;
    case 7:
        return (uint64_t)PAGE << rnd(6);
    case 8:
        return (uint64_t)1 << rnd(64);
    case 9:
        return ~(uint64_t)0 >> rnd(64);
    case 10:
        return rnd(256);
    default:
        return 16; /* nothing is there */
    }
}

static const unsigned long requests[] = {DRM_IOCTL_VERSION,
                                         DRM_IOCTL_GET_CAP,
                                         DRM_IOCTL_GEM_CLOSE,
                                         DRM_IOCTL_PRIME_HANDLE_TO_FD,
                                         DRM_IOCTL_PRIME_FD_TO_HANDLE,
                                         DRM_IOCTL_SYNCOBJ_CREATE,
                                         DRM_IOCTL_SYNCOBJ_DESTROY,
                                         DRM_IOCTL_SYNCOBJ_RESET,
                                         DRM_IOCTL_SYNCOBJ_SIGNAL,
                                         DRM_IOCTL_I915_GETPARAM,
                                         DRM_IOCTL_I915_GEM_BUSY,
                                         DRM_IOCTL_I915_GEM_THROTTLE,
                                         DRM_IOCTL_I915_GEM_CREATE,
                                         DRM_IOCTL_I915_GEM_CREATE_EXT,
                                         DRM_IOCTL_I915_GEM_PREAD,
                                         DRM_IOCTL_I915_GEM_PWRITE,
                                         DRM_IOCTL_I915_GEM_MMAP_OFFSET,
                                         DRM_IOCTL_I915_GEM_MMAP_GTT,
                                         DRM_IOCTL_I915_GEM_SET_DOMAIN,
                                         DRM_IOCTL_I915_GEM_SW_FINISH,
                                         DRM_IOCTL_I915_GEM_SET_TILING,
                                         DRM_IOCTL_I915_GEM_GET_TILING,
                                         DRM_IOCTL_I915_GEM_GET_APERTURE,
                                         DRM_IOCTL_I915_GEM_MADVISE,
                                         DRM_IOCTL_I915_GEM_WAIT,
                                         DRM_IOCTL_I915_GEM_SET_CACHING,
                                         DRM_IOCTL_I915_GEM_USERPTR,
                                         DRM_IOCTL_I915_GEM_EXECBUFFER2,
                                         DRM_IOCTL_I915_GEM_EXECBUFFER2_WR,
                                         DRM_IOCTL_I915_GEM_CONTEXT_CREATE,
                                         DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT,
                                         DRM_IOCTL_I915_GEM_CONTEXT_DESTROY,
                                         DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM,
                                         DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM,
                                         DRM_IOCTL_I915_GEM_VM_CREATE,
                                         DRM_IOCTL_I915_GEM_VM_DESTROY,
                                         DRM_IOCTL_I915_GET_RESET_STATS,
                                         DRM_IOCTL_I915_REG_READ,
                                         DRM_IOCTL_I915_QUERY};

/* A list of objects with some sense in it, for half of the execbuffers. */
static void make_exec(struct drm_i915_gem_execbuffer2 *eb)
{
    struct drm_i915_gem_exec_object2 *o = (void *)scratch;
    struct drm_i915_gem_relocation_entry *r = (void *)(scratch + PAGE);
    unsigned n = 1 + rnd(4);
    memset(scratch, 0, 2 * PAGE);
    for (unsigned i = 0; i < n; i++) {
        o[i].handle = 1 + rnd(8);
        o[i].offset = rnd(2) ? value() : 0;
        o[i].flags = rnd(3) ? 0 : rnd(256);
        if (rnd(2)) {
            o[i].relocs_ptr = (uintptr_t)(r + 8 * i);
            o[i].relocation_count = rnd(8);
            for (unsigned k = 0; k < o[i].relocation_count; k++)
                r[8 * i + k] = (struct drm_i915_gem_relocation_entry){
                    .target_handle = o[rnd(i + 1)].handle,
                    .offset = rnd(2) ? rnd(PAGE) & ~3u : value(),
                    .delta = (uint32_t)value(),
                    .presumed_offset = value(),
                    .read_domains = 2};
        }
    }
    *eb = (struct drm_i915_gem_execbuffer2){.buffers_ptr = (uintptr_t)o,
                                            .buffer_count = n,
                                            .batch_len = rnd(2) ? 0 : value(),
                                            .flags = rnd(2) ? 1 : value(),
                                            .rsvd1 = rnd(2) ? 0 : rnd(4),
                                            .rsvd2 = rnd(4)};
}

static void one(void)
{
    union {
        uint64_t q[16];
        struct drm_i915_gem_wait wait;
        struct drm_i915_gem_execbuffer2 eb;
        struct drm_prime_handle prime;
        struct drm_i915_gem_create create;
        struct drm_i915_gem_create_ext create_ext;
        struct drm_i915_gem_userptr userptr;
    } a;
    unsigned long request = requests[rnd(sizeof requests / sizeof requests[0])];
    for (unsigned i = 0; i < 16; i++)
        a.q[i] = value() | (rnd(4) ? 0 : value() << 32);
    if (request == DRM_IOCTL_I915_GEM_WAIT && rnd(2))
        a.wait.flags = 0;
    if ((request == DRM_IOCTL_I915_GEM_EXECBUFFER2 ||
         request == DRM_IOCTL_I915_GEM_EXECBUFFER2_WR) &&
        rnd(4))
        make_exec(&a.eb);
    /* Sizes that would eat the machine are not what this is about. */
    if (request == DRM_IOCTL_I915_GEM_CREATE)
        a.create.size &= 0xfffff;
    if (request == DRM_IOCTL_I915_GEM_CREATE_EXT)
        a.create_ext.size &= 0xfffff;
    if (request == DRM_IOCTL_I915_GEM_USERPTR)
        a.userptr.user_ptr = (uintptr_t)scratch + (uint64_t)(rnd(4) + 2) * PAGE;
    if (rnd(16) == 0) /* another size of the argument */
        request = (request & ~((unsigned long)_IOC_SIZEMASK << _IOC_SIZESHIFT)) |
                  (unsigned long)(8 * rnd(16)) << _IOC_SIZESHIFT;
    int r = ioctl(fd, request, rnd(32) ? (void *)&a : (void *)16);
    CHECK(r == 0 || (r == -1 && errno > 0));
    if (r == 0 && request == DRM_IOCTL_PRIME_HANDLE_TO_FD)
        close(a.prime.fd);
    if (r == 0 && request == DRM_IOCTL_I915_GEM_EXECBUFFER2_WR && a.eb.flags & I915_EXEC_FENCE_OUT)
        close(a.eb.rsvd2 >> 32);
    written += r == 0;
}

int main(void)
{
    const char *seed = getenv("FUZZ_SEED"), *n = getenv("FUZZ_N");
    state = seed ? strtoull(seed, NULL, 0) * 2 + 1 : 88172645463325252u;
    /* What the node says of nonsense is not of interest here. */
    int quiet = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    scratch =
        mmap(NULL, N_SCRATCH * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0 && quiet >= 0 && null >= 0 && scratch != MAP_FAILED);
    dup2(null, STDERR_FILENO);
    for (unsigned long i = 0, end = n ? strtoul(n, NULL, 0) : 20000; i < end; i++) {
        one();
        if (i % 2000 == 1999) { /* a fresh file, since contexts get banned and handles pile up */
            close(fd);
            fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
        }
    }
    close(fd);
    dup2(quiet, STDERR_FILENO);
    close(quiet);
    close(null);
    CHECKF(written > 1000, "%llu calls succeeded", (unsigned long long)written);
    return utest_end();
}
