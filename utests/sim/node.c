/* The emulated device node, with plain libdrm: what clients look at, each ioctl, and its errors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "utest.h"

enum { PAGE = 4096 };

static int fd;  /* render node */
static int gen; /* 70 ... 90, from the id */
static int devid;

/* The error of an ioctl: 0 or errno. */
static int call(int on, unsigned long request, void *arg)
{
    return drmIoctl(on, request, arg) ? errno : 0;
}

#define WANT(expression, want)                                                                     \
    do {                                                                                           \
        int got_ = (expression);                                                                   \
        CHECKF(got_ == (want), "%s: %s, expected %s", #expression, strerrorname_np(got_),          \
               strerrorname_np(want));                                                             \
    } while (0)

static int getparam(int param, int *value)
{
    struct drm_i915_getparam p = {.param = param, .value = value};
    return call(fd, DRM_IOCTL_I915_GETPARAM, &p);
}

static uint32_t create(uint64_t size)
{
    struct drm_i915_gem_create c = {.size = size};
    REQUIRE(call(fd, DRM_IOCTL_I915_GEM_CREATE, &c) == 0);
    return c.handle;
}

static int gem_close(uint32_t handle)
{
    struct drm_gem_close c = {.handle = handle};
    return call(fd, DRM_IOCTL_GEM_CLOSE, &c);
}

static void *map(uint32_t handle, uint64_t size)
{
    struct drm_i915_gem_mmap m = {.handle = handle, .size = size};
    REQUIRE(call(fd, DRM_IOCTL_I915_GEM_MMAP, &m) == 0);
    return (void *)(uintptr_t)m.addr_ptr;
}

static int wait_bo(uint32_t handle, int64_t ns)
{
    struct drm_i915_gem_wait w = {.bo_handle = handle, .timeout_ns = ns};
    return call(fd, DRM_IOCTL_I915_GEM_WAIT, &w);
}

/* ---- what clients look at ---- */
static void test_discovery(void)
{
    drmDevicePtr devices[8];
    int n = drmGetDevices2(DRM_DEVICE_GET_PCI_REVISION, devices, 8);
    CHECKF(n == 1, "%d devices", n);
    if (n == 1) {
        CHECK(devices[0]->bustype == DRM_BUS_PCI);
        CHECK(devices[0]->available_nodes == (1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER));
        CHECK(devices[0]->deviceinfo.pci->vendor_id == 0x8086);
        CHECKF(devices[0]->deviceinfo.pci->device_id == devid, "id 0x%x",
               devices[0]->deviceinfo.pci->device_id);
        CHECK(!strcmp(devices[0]->nodes[DRM_NODE_RENDER], "/dev/dri/renderD128"));
        CHECK(devices[0]->businfo.pci->dev == 2);
        drmFreeDevices(devices, n);
    }
    struct stat st;
    CHECK(stat("/dev/dri/renderD128", &st) == 0 && S_ISCHR(st.st_mode) &&
          st.st_rdev == makedev(226, 128));
    CHECK(stat("/dev/dri/by-path/pci-0000:00:02.0-render", &st) == 0 &&
          st.st_rdev == makedev(226, 128));
    CHECK(fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(226, 128));
    CHECK(drmGetNodeTypeFromFd(fd) == DRM_NODE_RENDER);
    char *name = drmGetRenderDeviceNameFromFd(fd);
    CHECK(name && !strcmp(name, "/dev/dri/renderD128"));
    free(name);
    char *real = realpath("/sys/dev/char/226:128/device", NULL);
    CHECKF(real && !strcmp(real, "/sys/devices/pci0000:00/0000:00:02.0"), "%s",
           real ? real : "none");
    free(real);
    int dir = open("/dev/dri", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int by_dir = openat(dir, "renderD128", O_RDWR | O_CLOEXEC);
    CHECK(dir >= 0 && by_dir >= 0 && drmGetNodeTypeFromFd(by_dir) == DRM_NODE_RENDER);
    close(by_dir);
    close(dir);
    drmVersionPtr v = drmGetVersion(fd);
    CHECK(v && !strcmp(v->name, "i915") && v->version_major == 1);
    drmFreeVersion(v);
}

static void test_params(void)
{
    int value = 0;
    WANT(getparam(I915_PARAM_CHIPSET_ID, &value), 0);
    CHECK(value == devid);
    WANT(getparam(I915_PARAM_HAS_EXECBUF2, &value), 0);
    CHECK(value == 1);
    WANT(getparam(9999, &value), EINVAL);
    WANT(getparam(I915_PARAM_HAS_EXEC_CONSTANTS, &value), ENODEV);
    WANT(getparam(I915_PARAM_CHIPSET_ID, (int *)16), EFAULT);
    WANT(getparam(I915_PARAM_EU_TOTAL, &value), gen == 70 ? ENODEV : 0);
    struct drm_i915_reg_read r = {.offset = 0x2358 | 1}, later = r;
    WANT(call(fd, DRM_IOCTL_I915_REG_READ, &r), 0);
    usleep(2000);
    WANT(call(fd, DRM_IOCTL_I915_REG_READ, &later), 0);
    int hz = 0;
    WANT(getparam(I915_PARAM_CS_TIMESTAMP_FREQUENCY, &hz), 0);
    /* 2 ms at least, and less than a minute. */
    CHECKF(later.val - r.val >= (uint64_t)hz / 500 && later.val - r.val < (uint64_t)hz * 60,
           "%lld ticks", (long long)(later.val - r.val));
    r.offset = 0x1234;
    WANT(call(fd, DRM_IOCTL_I915_REG_READ, &r), EINVAL);
    struct drm_i915_gem_get_aperture a = {0};
    WANT(call(fd, DRM_IOCTL_I915_GEM_GET_APERTURE, &a), 0);
    CHECK(a.aper_size == (gen < 80 ? (uint64_t)2 << 30 : (uint64_t)4 << 30));
    WANT(call(fd, DRM_IOWR(0x3f, int), &value), EINVAL);
}

static void test_query(void)
{
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_TOPOLOGY_INFO};
    struct drm_i915_query q = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    uint8_t buf[512] = {0};
    WANT(call(fd, DRM_IOCTL_I915_QUERY, &q), 0);
    if (gen == 70) {
        CHECK(item.length == -ENODEV);
    } else {
        int size = item.length;
        CHECK(size > 16 && size < 512);
        item.length = size - 1;
        WANT(call(fd, DRM_IOCTL_I915_QUERY, &q), 0);
        CHECK(item.length == -EINVAL);
        item.length = size;
        item.data_ptr = (uintptr_t)buf;
        WANT(call(fd, DRM_IOCTL_I915_QUERY, &q), 0);
        CHECK(item.length == size);
        const struct drm_i915_query_topology_info *t = (void *)buf;
        unsigned eus = 0;
        for (int i = t->eu_offset; i < size - 16; i++)
            eus += __builtin_popcount(t->data[i]);
        int total = 0;
        WANT(getparam(I915_PARAM_EU_TOTAL, &total), 0);
        CHECKF((int)eus == total, "%u EUs, %d", eus, total);
    }
    item = (struct drm_i915_query_item){.query_id = 77};
    WANT(call(fd, DRM_IOCTL_I915_QUERY, &q), 0);
    CHECK(item.length == -EINVAL);
    item.query_id = 0;
    WANT(call(fd, DRM_IOCTL_I915_QUERY, &q), EINVAL);
    q.flags = 1;
    WANT(call(fd, DRM_IOCTL_I915_QUERY, &q), EINVAL);
}

/* ---- objects ---- */
static void test_objects(void)
{
    struct drm_i915_gem_create c = {.size = 5000};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CREATE, &c), 0);
    CHECK(c.size == 2 * PAGE && c.handle == 1);
    struct drm_i915_gem_create none = {.size = 0};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CREATE, &none), EINVAL);
    uint32_t *p = map(c.handle, 2 * PAGE);
    CHECK(p[0] == 0 && p[2047] == 0);
    p[3] = 0x12345678;
    uint32_t word = 0;
    struct drm_i915_gem_pread r = {
        .handle = c.handle, .offset = 12, .size = 4, .data_ptr = (uintptr_t)&word};
    WANT(call(fd, DRM_IOCTL_I915_GEM_PREAD, &r), 0);
    CHECK(word == 0x12345678);
    word = 77;
    struct drm_i915_gem_pwrite w = {
        .handle = c.handle, .offset = 2 * PAGE - 4, .size = 4, .data_ptr = (uintptr_t)&word};
    WANT(call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w), 0);
    CHECK(p[2047] == 77);
    w.offset++;
    WANT(call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w), EINVAL);
    w.size = 0;
    WANT(call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w), 0);
    w = (struct drm_i915_gem_pwrite){.handle = c.handle, .size = 4, .data_ptr = 16};
    WANT(call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w), EFAULT);
    w = (struct drm_i915_gem_pwrite){.handle = 999, .size = 4, .data_ptr = (uintptr_t)&word};
    WANT(call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w), ENOENT);

    /* Offsets for mmap: whole objects only. */
    struct drm_i915_gem_mmap_gtt g = {.handle = c.handle};
    WANT(call(fd, DRM_IOCTL_I915_GEM_MMAP_GTT, &g), 0);
    uint32_t *q = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, g.offset);
    CHECK(q != MAP_FAILED && q[3] == 0x12345678);
    q[3] = 5;
    CHECK(p[3] == 5);
    CHECK(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, g.offset) == MAP_FAILED && errno == EINVAL);
    CHECK(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, g.offset + PAGE) == MAP_FAILED &&
          errno == EINVAL);
    struct drm_i915_gem_mmap_offset o = {.handle = c.handle, .flags = I915_MMAP_OFFSET_WB};
    WANT(call(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &o), 0);
    void *place = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mmap(place, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, o.offset) ==
          place);
    CHECK(((uint32_t *)place)[3] == 5);
    o.flags = 9;
    WANT(call(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &o), EINVAL);
    /* Another open of the node has its own handles, and may not map this object. */
    int other = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    CHECK(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, other, g.offset) == MAP_FAILED &&
          errno == EACCES);
    struct drm_i915_gem_busy b = {.handle = c.handle};
    WANT(call(other, DRM_IOCTL_I915_GEM_BUSY, &b), ENOENT);
    close(other);
    /* The memory outlives the handle while it is mapped; the handle is used again. */
    WANT(gem_close(c.handle), 0);
    WANT(gem_close(c.handle), EINVAL);
    p[9] = 99;
    CHECK(q[9] == 99 && ((uint32_t *)place)[9] == 99);
    uint32_t again = create(PAGE);
    CHECK(again == c.handle);
    munmap(p, 2 * PAGE);
    munmap(q, 2 * PAGE);
    munmap(place, 2 * PAGE);
    uint32_t *fresh = map(again, PAGE);
    CHECK(fresh[9] == 0);
    munmap(fresh, PAGE);

    struct drm_i915_gem_set_domain d = {.handle = again, .read_domains = 1, .write_domain = 1};
    WANT(call(fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &d), 0);
    d.write_domain = I915_GEM_DOMAIN_GTT;
    WANT(call(fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &d), EINVAL);
    d = (struct drm_i915_gem_set_domain){.handle = again, .read_domains = I915_GEM_DOMAIN_RENDER};
    WANT(call(fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &d), EINVAL);
    d = (struct drm_i915_gem_set_domain){.handle = 999, .read_domains = 1};
    WANT(call(fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &d), ENOENT);
    struct drm_i915_gem_set_tiling t = {
        .handle = again, .tiling_mode = I915_TILING_Y, .stride = 128};
    WANT(call(fd, DRM_IOCTL_I915_GEM_SET_TILING, &t), 0);
    CHECK(t.swizzle_mode == I915_BIT_6_SWIZZLE_NONE);
    t.tiling_mode = I915_TILING_X;
    t.stride = 128;
    WANT(call(fd, DRM_IOCTL_I915_GEM_SET_TILING, &t), EINVAL);
    struct drm_i915_gem_get_tiling gt = {.handle = again};
    WANT(call(fd, DRM_IOCTL_I915_GEM_GET_TILING, &gt), 0);
    CHECK(gt.tiling_mode == I915_TILING_Y);
    struct drm_i915_gem_madvise m = {.handle = again, .madv = I915_MADV_DONTNEED};
    WANT(call(fd, DRM_IOCTL_I915_GEM_MADVISE, &m), 0);
    CHECK(m.retained == 1);
    m.madv = 7;
    WANT(call(fd, DRM_IOCTL_I915_GEM_MADVISE, &m), EINVAL);
    b.handle = again;
    WANT(call(fd, DRM_IOCTL_I915_GEM_BUSY, &b), 0);
    CHECK(b.busy == 0);
    WANT(wait_bo(again, 0), 0);
    WANT(wait_bo(999, 0), ENOENT);
    struct drm_i915_gem_wait bad = {.bo_handle = again, .flags = 1};
    WANT(call(fd, DRM_IOCTL_I915_GEM_WAIT, &bad), EINVAL);
    gem_close(again);
}

static void test_userptr(void)
{
    uint8_t *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct drm_i915_gem_userptr u = {.user_ptr = (uintptr_t)p, .user_size = 4 * PAGE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &u), 0);
    struct drm_i915_gem_pwrite w = {.handle = u.handle, .size = 4, .data_ptr = (uintptr_t)&u};
    WANT(call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w), EINVAL);
    struct drm_i915_gem_mmap m = {.handle = u.handle, .size = PAGE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_MMAP, &m), ENXIO);
    struct drm_i915_gem_mmap_gtt g = {.handle = u.handle};
    WANT(call(fd, DRM_IOCTL_I915_GEM_MMAP_GTT, &g), ENODEV);
    struct drm_i915_gem_set_tiling t = {
        .handle = u.handle, .tiling_mode = I915_TILING_X, .stride = 512};
    WANT(call(fd, DRM_IOCTL_I915_GEM_SET_TILING, &t), ENXIO);
    gem_close(u.handle);
    struct drm_i915_gem_userptr bad = {.user_ptr = (uintptr_t)p + 8, .user_size = PAGE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &bad), EINVAL);
    bad = (struct drm_i915_gem_userptr){.user_ptr = (uintptr_t)p, .user_size = 0};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &bad), EINVAL);
    bad = (struct drm_i915_gem_userptr){.user_ptr = (uint64_t)1 << 60, .user_size = PAGE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &bad), EFAULT);
    bad =
        (struct drm_i915_gem_userptr){.user_ptr = (uintptr_t)p, .user_size = PAGE, .flags = 4 << 8};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &bad), EINVAL);
    bad = (struct drm_i915_gem_userptr){
        .user_ptr = (uintptr_t)p, .user_size = PAGE, .flags = I915_USERPTR_READ_ONLY};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &bad), gen < 80 ? ENODEV : 0);
    if (gen >= 80)
        gem_close(bad.handle);
    munmap(p, 4 * PAGE);
    bad = (struct drm_i915_gem_userptr){
        .user_ptr = (uintptr_t)p, .user_size = PAGE, .flags = I915_USERPTR_PROBE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &bad), EFAULT);
}

static void test_sharing(void)
{
    uint32_t handle = create(3 * PAGE), back = 0;
    uint32_t *p = map(handle, 3 * PAGE);
    p[7] = 1234;
    int prime = -1;
    WANT(drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &prime) ? errno : 0, 0);
    CHECK(lseek(prime, 0, SEEK_END) == 3 * PAGE);
    uint32_t *q = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, prime, 0);
    CHECK(q != MAP_FAILED && q[7] == 1234);
    WANT(drmPrimeFDToHandle(fd, prime, &back) ? errno : 0, 0);
    CHECK(back == handle);
    /* Into another file: another handle for the same memory, which lives on without the first. */
    int other = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    WANT(drmPrimeFDToHandle(other, prime, &back) ? errno : 0, 0);
    close(prime);
    WANT(gem_close(handle), 0);
    uint32_t word = 0;
    struct drm_i915_gem_pread r = {
        .handle = back, .offset = 28, .size = 4, .data_ptr = (uintptr_t)&word};
    WANT(call(other, DRM_IOCTL_I915_GEM_PREAD, &r), 0);
    CHECK(word == 1234);
    close(other);
    munmap(p, 3 * PAGE);
    munmap(q, 3 * PAGE);
    WANT(drmPrimeFDToHandle(fd, 0x3fff, &back) ? errno : 0, EBADF);
    WANT(drmPrimeFDToHandle(fd, 2, &back) ? errno : 0, EINVAL);

    /* Names and magics are for card nodes. */
    struct drm_gem_flink name = {.handle = create(PAGE)};
    WANT(call(fd, DRM_IOCTL_GEM_FLINK, &name), EACCES);
    gem_close(name.handle);
    drm_magic_t magic;
    CHECK(drmGetMagic(fd, &magic) == -EACCES);
    int card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    CHECK(drmGetNodeTypeFromFd(card) == DRM_NODE_PRIMARY);
    CHECK(drmGetMagic(card, &magic) == 0 && drmAuthMagic(card, magic) == 0);
    struct drm_i915_gem_create c = {.size = 2 * PAGE};
    WANT(call(card, DRM_IOCTL_I915_GEM_CREATE, &c), 0);
    name = (struct drm_gem_flink){.handle = c.handle};
    WANT(call(card, DRM_IOCTL_GEM_FLINK, &name), 0);
    struct drm_gem_open open_name = {.name = name.name};
    WANT(call(card, DRM_IOCTL_GEM_OPEN, &open_name), 0);
    CHECK(open_name.size == 2 * PAGE);
    open_name.name = 9999;
    WANT(call(card, DRM_IOCTL_GEM_OPEN, &open_name), ENOENT);
    close(card);
}

/* Descriptors: duplicates are one file, which ends with the last of them. */
static void test_descriptors(void)
{
    int a = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct drm_i915_gem_create c = {.size = PAGE};
    WANT(call(a, DRM_IOCTL_I915_GEM_CREATE, &c), 0);
    int b = dup(a), d = fcntl(a, F_DUPFD_CLOEXEC, 100), e = dup2(a, 120);
    CHECK(d >= 100 && e == 120);
    close(a);
    struct drm_i915_gem_busy busy = {.handle = c.handle};
    WANT(call(b, DRM_IOCTL_I915_GEM_BUSY, &busy), 0);
    close(b);
    WANT(call(d, DRM_IOCTL_I915_GEM_BUSY, &busy), 0);
    close(d);
    WANT(call(e, DRM_IOCTL_I915_GEM_BUSY, &busy), 0);
    close(e);
    WANT(call(e, DRM_IOCTL_I915_GEM_BUSY, &busy), EBADF);
    /* An ordinary file on the number of a closed node is an ordinary file. */
    a = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    close_range(a, a, 0);
    int f = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(f == a);
    WANT(call(f, DRM_IOCTL_I915_GEM_BUSY, &busy), ENOTTY);
    close(f);
}

/* ---- contexts ---- */
static void test_contexts(void)
{
    struct drm_i915_gem_context_create c = {0};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c), 0);
    CHECK(c.ctx_id >= 1);
    struct drm_i915_gem_context_param p = {.ctx_id = c.ctx_id,
                                           .param = I915_CONTEXT_PARAM_GTT_SIZE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &p), 0);
    CHECKF(p.value == (gen < 80 ? (uint64_t)1 << 31 : (uint64_t)1 << 48), "0x%llx",
           (long long)p.value);
    p = (struct drm_i915_gem_context_param){.ctx_id = c.ctx_id, .param = 0x80000000, .value = 1};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), EINVAL);
    p = (struct drm_i915_gem_context_param){.ctx_id = 77, .param = I915_CONTEXT_PARAM_GTT_SIZE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &p), ENOENT);
    p = (struct drm_i915_gem_context_param){
        .ctx_id = c.ctx_id, .param = I915_CONTEXT_PARAM_PRIORITY, .value = 512};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), gen < 80 ? ENODEV : EPERM);
    p = (struct drm_i915_gem_context_param){.ctx_id = c.ctx_id,
                                            .param = I915_CONTEXT_PARAM_RECOVERABLE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), 0);
    struct drm_i915_reset_stats s = {.ctx_id = c.ctx_id};
    WANT(call(fd, DRM_IOCTL_I915_GET_RESET_STATS, &s), 0);
    CHECK(s.batch_active == 0 && s.batch_pending == 0);
    s.flags = 1;
    WANT(call(fd, DRM_IOCTL_I915_GET_RESET_STATS, &s), EINVAL);
    struct drm_i915_gem_context_destroy d = {.ctx_id = c.ctx_id};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d), 0);
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d), ENOENT);
    d.ctx_id = 0;
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d), ENOENT);
    d.pad = 1;
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d), EINVAL);

    struct drm_i915_gem_vm_control v = {0};
    WANT(call(fd, DRM_IOCTL_I915_GEM_VM_CREATE, &v), gen < 80 ? ENODEV : 0);
    if (gen < 80)
        return;
    struct drm_i915_gem_context_create_ext_setparam set = {
        .base = {.name = I915_CONTEXT_CREATE_EXT_SETPARAM},
        .param = {.param = I915_CONTEXT_PARAM_VM, .value = v.vm_id}};
    struct drm_i915_gem_context_create_ext x = {.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS,
                                                .extensions = (uintptr_t)&set};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &x), 0);
    struct {
        uint64_t extensions;
        struct i915_engine_class_instance e[2];
    } engines = {0, {{I915_ENGINE_CLASS_RENDER, 0}, {I915_ENGINE_CLASS_COPY, 0}}};
    p = (struct drm_i915_gem_context_param){.ctx_id = x.ctx_id,
                                            .param = I915_CONTEXT_PARAM_ENGINES,
                                            .size = sizeof engines,
                                            .value = (uintptr_t)&engines};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), 0);
    p.size = 9;
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), EINVAL);
    engines.e[0].engine_class = 9;
    p.size = sizeof engines;
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), ENOENT);
    WANT(call(fd, DRM_IOCTL_I915_GEM_VM_DESTROY, &v), 0);
    WANT(call(fd, DRM_IOCTL_I915_GEM_VM_DESTROY, &v), ENOENT);
    d = (struct drm_i915_gem_context_destroy){.ctx_id = x.ctx_id};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d), 0);
    set.base.name = 55;
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &x), EINVAL);
}

/* ---- execbuffer ---- */
enum { DATA, BATCH };

struct exec {
    struct drm_i915_gem_exec_object2 obj[2];
    struct drm_i915_gem_relocation_entry reloc;
    struct drm_i915_gem_execbuffer2 eb;
    uint32_t *batch;
};

/* A batch that stores `value` at byte 64 of the data object, by relocation. */
static struct exec *exec_new(uint32_t value)
{
    struct exec *e = calloc(1, sizeof *e);
    e->obj[DATA].handle = create(PAGE);
    e->obj[BATCH].handle = create(PAGE);
    e->batch = map(e->obj[BATCH].handle, PAGE);
    unsigned n = 0;
    e->batch[n++] = 0x10000002;
    if (gen < 80)
        e->batch[n++] = 0;
    e->reloc.offset = 4 * n;
    e->batch[n++] = 0xdead0000;
    if (gen >= 80)
        e->batch[n++] = 0xdead;
    e->batch[n++] = value;
    e->batch[n++] = 0x05000000;
    e->reloc.target_handle = e->obj[DATA].handle;
    e->reloc.delta = 64;
    e->reloc.presumed_offset = -1;
    e->reloc.read_domains = e->reloc.write_domain = I915_GEM_DOMAIN_RENDER;
    e->obj[BATCH].relocation_count = 1;
    e->obj[BATCH].relocs_ptr = (uintptr_t)&e->reloc;
    e->eb.buffers_ptr = (uintptr_t)e->obj;
    e->eb.buffer_count = 2;
    e->eb.batch_len = (4 * n + 7) & ~7u;
    e->eb.flags = I915_EXEC_RENDER;
    return e;
}

static int exec_run(struct exec *e)
{
    int err = call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &e->eb);
    return err ? err : wait_bo(e->obj[BATCH].handle, -1);
}

static uint32_t exec_result(struct exec *e)
{
    uint32_t word = 0;
    struct drm_i915_gem_pread r = {
        .handle = e->obj[DATA].handle, .offset = 64, .size = 4, .data_ptr = (uintptr_t)&word};
    WANT(call(fd, DRM_IOCTL_I915_GEM_PREAD, &r), 0);
    return word;
}

static void exec_free(struct exec *e)
{
    munmap(e->batch, PAGE);
    gem_close(e->obj[DATA].handle);
    gem_close(e->obj[BATCH].handle);
    free(e);
}

static void test_relocation(void)
{
    struct exec *e = exec_new(0x600d600d);
    WANT(exec_run(e), 0);
    CHECK(exec_result(e) == 0x600d600d);
    uint64_t at = e->obj[DATA].offset;
    CHECK(at >= 65536 && !(at & (PAGE - 1)) &&
          at < (gen < 80 ? (uint64_t)1 << 31 : (uint64_t)1 << 32));
    CHECK(e->reloc.presumed_offset == at);
    uint32_t word = e->reloc.offset / 4;
    CHECK(e->batch[word] == at + 64 && (gen < 80 || e->batch[word + 1] == 0));
    CHECK(e->obj[BATCH].offset >= 256 << 10);
    /* Right already: nothing is written. */
    e->batch[word] += 4;
    WANT(exec_run(e), 0);
    CHECK(e->batch[word] == at + 68);
    /* NO_RELOC with the right hints: a wrong presumed offset is not looked at. */
    e->reloc.presumed_offset = 0;
    e->eb.flags |= I915_EXEC_NO_RELOC;
    WANT(exec_run(e), 0);
    CHECK(e->reloc.presumed_offset == 0 && e->batch[word] == at + 68);
    /* With a wrong hint it is. */
    e->obj[DATA].offset = 0;
    WANT(exec_run(e), 0);
    CHECK(e->batch[word] == at + 64 && e->reloc.presumed_offset == at && e->obj[DATA].offset == at);
    e->eb.flags &= ~I915_EXEC_NO_RELOC;
    /* Index instead of handle. */
    e->eb.flags |= I915_EXEC_HANDLE_LUT;
    e->reloc.target_handle = 0;
    e->reloc.presumed_offset = 0;
    WANT(exec_run(e), 0);
    CHECK(e->batch[word] == at + 64);
    e->reloc.target_handle = 2;
    WANT(exec_run(e), ENOENT);
    e->reloc.target_handle = 0;
    e->reloc.presumed_offset = 0;
    e->reloc.read_domains = I915_GEM_DOMAIN_CPU;
    WANT(exec_run(e), EINVAL);
    e->reloc.read_domains = I915_GEM_DOMAIN_RENDER;
    e->reloc.offset = PAGE;
    WANT(exec_run(e), EINVAL);
    e->reloc.offset = 6;
    WANT(exec_run(e), EINVAL);
    e->reloc.offset = 4 * word;
    WANT(exec_run(e), 0);
    exec_free(e);
}

static void test_validation(void)
{
    struct exec *e = exec_new(1);
    struct exec good = *e;
#define BROKEN(change, want)                                                                       \
    do {                                                                                           \
        change;                                                                                    \
        WANT(call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &e->eb), want);                              \
        *e = good;                                                                                 \
    } while (0)
    BROKEN(e->eb.buffer_count = 0, EINVAL);
    BROKEN(e->eb.flags |= (uint64_t)1 << 40, EINVAL);
    BROKEN(e->eb.flags |= I915_EXEC_CONSTANTS_ABSOLUTE, EINVAL);
    BROKEN(e->eb.num_cliprects = 1, EINVAL);
    BROKEN(e->eb.DR1 = 1, EINVAL);
    BROKEN(e->eb.batch_len = 12, EINVAL);
    BROKEN(e->eb.batch_start_offset = 4, EINVAL);
    BROKEN(e->eb.batch_start_offset = PAGE, EINVAL);
    BROKEN(e->eb.batch_len = 2 * PAGE, EINVAL);
    BROKEN(e->eb.buffers_ptr = 16, EFAULT);
    BROKEN(e->eb.flags |= I915_EXEC_SECURE, EPERM);
    BROKEN(e->eb.rsvd1 = 12345, ENOENT);
    BROKEN(e->eb.flags = 5 | I915_EXEC_BSD_RING1, EINVAL);
    BROKEN(e->obj[0].handle = 999, ENOENT);
    BROKEN(e->obj[0].handle = e->obj[1].handle, EINVAL);
    BROKEN(e->obj[0].alignment = 3 * PAGE, EINVAL);
    BROKEN(e->obj[1].flags = EXEC_OBJECT_WRITE, EINVAL);
    BROKEN(e->obj[0].flags = 1 << 20, EINVAL);
    BROKEN((e->obj[0].flags = EXEC_OBJECT_PINNED, e->obj[0].offset = 0x100800), EINVAL);
    BROKEN((e->obj[0].flags = EXEC_OBJECT_PINNED, e->obj[0].offset = (uint64_t)1 << 47), EINVAL);
    BROKEN((e->obj[0].flags = EXEC_OBJECT_PINNED, e->obj[0].offset = 0xfffff000), EINVAL);
    BROKEN((e->obj[0].flags = e->obj[1].flags = EXEC_OBJECT_PINNED,
            e->obj[0].offset = e->obj[1].offset = 0x40000000),
           ENOSPC);
    if (gen >= 80)
        BROKEN(e->obj[0].flags = EXEC_OBJECT_NEEDS_GTT, EINVAL);
    BROKEN((e->eb.flags |= I915_EXEC_FENCE_IN, e->eb.rsvd2 = 0x3fff), EINVAL);
    WANT(exec_run(e), 0);
    exec_free(e);
}

/* The kernel's order: of two mistakes the earlier one is told. */
enum mistake {
    NO_OBJECTS,
    FLAGS,
    CLIPRECTS,
    DR1,
    LENGTH,
    LIST,
    SECURE,
    FENCE_FD,
    CONTEXT,
    ENGINE,
    HANDLE,
    OVERLAP,
    N_MISTAKES
};

static void make_mistake(struct exec *e, enum mistake m)
{
    switch (m) {
    case NO_OBJECTS:
        e->eb.buffer_count = 0;
        break;
    case FLAGS:
        e->eb.flags |= (uint64_t)1 << 40;
        break;
    case CLIPRECTS:
        e->eb.num_cliprects = 1;
        break;
    case DR1:
        e->eb.DR1 = 1;
        break;
    case LENGTH:
        e->eb.batch_len = 12;
        break;
    case LIST:
        e->eb.buffers_ptr = 16;
        break;
    case SECURE:
        e->eb.flags |= I915_EXEC_SECURE;
        break;
    case FENCE_FD:
        e->eb.flags |= I915_EXEC_FENCE_IN;
        e->eb.rsvd2 = 0x3fff;
        break;
    case CONTEXT:
        e->eb.rsvd1 = 12345;
        break;
    case ENGINE:
        e->eb.flags |= I915_EXEC_BSD_RING1;
        break;
    case HANDLE:
        e->obj[0].handle = 999;
        break;
    case OVERLAP:
        e->obj[0].flags = e->obj[1].flags = EXEC_OBJECT_PINNED;
        e->obj[0].offset = e->obj[1].offset = 0x40000000;
        break;
    case N_MISTAKES:
        break;
    }
}

static void test_order(void)
{
    static const int errors[N_MISTAKES] = {
        [NO_OBJECTS] = EINVAL, [FLAGS] = EINVAL,  [CLIPRECTS] = EINVAL, [DR1] = EINVAL,
        [LENGTH] = EINVAL,     [LIST] = EFAULT,   [SECURE] = EPERM,     [FENCE_FD] = EINVAL,
        [CONTEXT] = ENOENT,    [ENGINE] = EINVAL, [HANDLE] = ENOENT,    [OVERLAP] = ENOSPC};
    struct exec *e = exec_new(1);
    struct exec good = *e;
    for (unsigned i = 0; i < N_MISTAKES; i++) {
        for (unsigned k = i; k < N_MISTAKES; k++) {
            make_mistake(e, i);
            make_mistake(e, k);
            int got = call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &e->eb);
            CHECKF(got == errors[i], "mistakes %u and %u: %s", i, k, strerrorname_np(got));
            *e = good;
        }
    }
    WANT(exec_run(e), 0);
    exec_free(e);
}

static void test_softpin(void)
{
    struct exec *e = exec_new(0x1234);
    uint64_t place = gen < 80 ? 0x30000000 : 0xffff812345678000; /* canonical, the upper half */
    e->obj[DATA].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    e->obj[DATA].offset = place;
    WANT(exec_run(e), 0);
    CHECK(e->obj[DATA].offset == place && exec_result(e) == 0x1234);
    if (gen >= 80) {
        CHECK(e->batch[e->reloc.offset / 4] == (uint32_t)place + 64);
        CHECK(e->batch[e->reloc.offset / 4 + 1] == place >> 32);
    }
    /* An idle object in the way goes. */
    uint64_t batch_at = e->obj[BATCH].offset;
    e->obj[DATA].offset = batch_at;
    e->obj[BATCH].offset = 0;
    WANT(exec_run(e), 0);
    CHECK(e->obj[DATA].offset == batch_at && e->obj[BATCH].offset != batch_at &&
          exec_result(e) == 0x1234);
    /* Address 0 is legal for who asks for it. */
    e->obj[DATA].offset = 0;
    WANT(exec_run(e), 0);
    CHECK(e->obj[DATA].offset == 0 && exec_result(e) == 0x1234);
    exec_free(e);
}

/* A batch of the process's own pages that writes to its own pages. */
static void test_userptr_exec(void)
{
    struct exec *e = exec_new(0xabcd);
    uint32_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct drm_i915_gem_userptr u = {.user_ptr = (uintptr_t)p, .user_size = PAGE};
    WANT(call(fd, DRM_IOCTL_I915_GEM_USERPTR, &u), 0);
    gem_close(e->obj[DATA].handle);
    e->obj[DATA].handle = e->reloc.target_handle = u.handle;
    WANT(exec_run(e), 0);
    CHECK(p[16] == 0xabcd);
    munmap(p, PAGE);
    WANT(exec_run(e), EFAULT);
    exec_free(e);
}

/* Garbage and faults: the context is guilty, and after three times banned. Others go on. */
static void test_hang(void)
{
    struct drm_i915_gem_context_create c = {0};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c), 0);
    struct drm_i915_reset_stats s = {.ctx_id = c.ctx_id};
    struct exec *e = exec_new(1);
    uint32_t header = e->batch[0];
    e->batch[0] = 0xe0000000;
    e->eb.rsvd1 = c.ctx_id;
    for (unsigned i = 1; i <= 3; i++) {
        WANT(exec_run(e), 0);
        WANT(call(fd, DRM_IOCTL_I915_GET_RESET_STATS, &s), 0);
        CHECKF(s.batch_active == i, "%u", s.batch_active);
    }
    WANT(exec_run(e), EIO);
    CHECK(exec_result(e) == 0);
    e->eb.rsvd1 = 0;
    e->batch[0] = header;
    WANT(exec_run(e), 0);
    CHECK(exec_result(e) == 1);
    s.ctx_id = 0;
    WANT(call(fd, DRM_IOCTL_I915_GET_RESET_STATS, &s), 0);
    CHECK(s.batch_active == 0);
    struct drm_i915_gem_context_destroy d = {.ctx_id = c.ctx_id};
    WANT(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d), 0);

    /* An object that is bound, but not in the list, is not there. */
    struct exec *f = exec_new(2);
    WANT(exec_run(f), 0);
    f->obj[0] = f->obj[1];
    f->obj[0].relocation_count = 0;
    f->eb.buffer_count = 1;
    WANT(exec_run(f), 0);
    WANT(call(fd, DRM_IOCTL_I915_GET_RESET_STATS, &s), 0);
    CHECKF(s.batch_active == 1, "%u", s.batch_active);
    exec_free(f);
    exec_free(e);
}

static void test_syncobj(void)
{
    uint32_t sync = 0;
    CHECK(drmSyncobjCreate(fd, 0, &sync) == 0);
    uint32_t first;
    CHECK(drmSyncobjWait(fd, &sync, 1, 0, 0, &first) == -EINVAL);
    CHECK(drmSyncobjWait(fd, &sync, 1, 0, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, &first) ==
          -ETIME);
    struct exec *e = exec_new(3);
    struct drm_i915_gem_exec_fence fence = {.handle = sync, .flags = I915_EXEC_FENCE_SIGNAL};
    e->eb.flags |= I915_EXEC_FENCE_ARRAY;
    e->eb.num_cliprects = 1;
    e->eb.cliprects_ptr = (uintptr_t)&fence;
    WANT(exec_run(e), 0);
    CHECK(drmSyncobjWait(fd, &sync, 1, INT64_MAX, 0, &first) == 0 && first == 0);
    fence.flags = I915_EXEC_FENCE_WAIT | I915_EXEC_FENCE_SIGNAL;
    WANT(exec_run(e), 0);
    fence.handle = 99;
    WANT(exec_run(e), ENOENT);
    CHECK(drmSyncobjDestroy(fd, sync) == 0);
    CHECK(drmSyncobjDestroy(fd, sync) != 0);
    exec_free(e);
}

/* A child has the state, and its own work. */
static void test_fork(void)
{
    struct exec *e = exec_new(42);
    pid_t pid = fork();
    if (pid == 0) {
        int err = exec_run(e);
        _exit(err || exec_result(e) != 42);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    CHECKF(status == 0, "status 0x%x", status);
    WANT(exec_run(e), 0);
    exec_free(e);
}

static int replace_and_close(void *null)
{
    dup2(*(int *)null, fd);
    close(*(int *)null);
    close(fd);
    _exit(0);
}

/* A child in its parent's memory has its own descriptors, not its own table of them. */
static void test_vfork(void)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), status = 1;
    pid_t pid =
        clone(replace_and_close, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &null);
    REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECKF(status == 0, "status 0x%x", status);
    struct exec *e = exec_new(43);
    WANT(exec_run(e), 0);
    CHECK(exec_result(e) == 43);
    exec_free(e);
    close(null);
}

int main(void)
{
    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(getparam(I915_PARAM_CHIPSET_ID, &devid) == 0);
    switch (devid >> 8) {
    case 0x01:
    case 0x0f:
        gen = 70;
        break;
    case 0x04:
        gen = 75;
        break;
    case 0x16:
        gen = 80;
        break;
    default:
        gen = 90;
    }
    test_discovery();
    test_params();
    test_query();
    test_objects();
    test_userptr();
    test_sharing();
    test_descriptors();
    test_contexts();
    test_relocation();
    test_validation();
    test_order();
    test_softpin();
    test_userptr_exec();
    test_hang();
    test_syncobj();
    test_fork();
    test_vfork();
    close(fd);
    return utest_end();
}
