/* Tiled objects mapped through the aperture show linear memory; the object's own layout is the one
 * of the manuals ("Memory Views: Tiling"), worked out here tile by tile. The GPU's copy engine must
 * agree. */
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "utest.h"

enum { PAGE = 4096, STRIDE = 1024, ROWS = 64, SIZE = STRIDE * ROWS };

static int fd;

static int call(unsigned long request, void *arg)
{
    return drmIoctl(fd, request, arg) ? errno : 0;
}

static uint32_t create(uint64_t size)
{
    struct drm_i915_gem_create c = {.size = size};
    REQUIRE(call(DRM_IOCTL_I915_GEM_CREATE, &c) == 0);
    return c.handle;
}

static uint8_t *map_cpu(uint32_t handle, uint64_t size)
{
    struct drm_i915_gem_mmap m = {.handle = handle, .size = size};
    REQUIRE(call(DRM_IOCTL_I915_GEM_MMAP, &m) == 0);
    return (uint8_t *)(uintptr_t)m.addr_ptr;
}

static uint8_t *map_aperture(uint32_t handle, uint64_t size)
{
    struct drm_i915_gem_mmap_gtt g = {.handle = handle};
    REQUIRE(call(DRM_IOCTL_I915_GEM_MMAP_GTT, &g) == 0);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, g.offset);
    REQUIRE(p != MAP_FAILED);
    return p;
}

static void set_domain(uint32_t handle, uint32_t domain)
{
    struct drm_i915_gem_set_domain d = {
        .handle = handle, .read_domains = domain, .write_domain = domain};
    CHECK(call(DRM_IOCTL_I915_GEM_SET_DOMAIN, &d) == 0);
}

static void set_tiling(uint32_t handle, uint32_t mode, uint32_t stride)
{
    struct drm_i915_gem_set_tiling t = {.handle = handle, .tiling_mode = mode, .stride = stride};
    CHECK(call(DRM_IOCTL_I915_GEM_SET_TILING, &t) == 0);
    CHECK(t.tiling_mode == mode && t.stride == stride && t.swizzle_mode == 0);
}

/* Byte of the object for byte x of row y. X tiles: 8 rows of 512 bytes. Y tiles: 8 columns of 16
 * bytes, 32 rows each. */
static unsigned place(unsigned mode, unsigned x, unsigned y)
{
    if (mode == I915_TILING_X)
        return (y / 8 * (STRIDE / 512) + x / 512) * PAGE + y % 8 * 512 + x % 512;
    return (y / 32 * (STRIDE / 128) + x / 128) * PAGE + x % 128 / 16 * 512 + y % 32 * 16 + x % 16;
}

static uint8_t value(unsigned x, unsigned y)
{
    return (uint8_t)(x * 7 + y * 31 + x / 256);
}

static void test_view(unsigned mode)
{
    uint32_t handle = create(SIZE);
    set_tiling(handle, mode, STRIDE);
    uint8_t *cpu = map_cpu(handle, SIZE), *gtt = map_aperture(handle, SIZE);
    set_domain(handle, I915_GEM_DOMAIN_GTT);
    for (unsigned y = 0; y < ROWS; y++) {
        for (unsigned x = 0; x < STRIDE; x++)
            gtt[y * STRIDE + x] = value(x, y);
    }
    set_domain(handle, I915_GEM_DOMAIN_CPU);
    unsigned wrong = 0;
    for (unsigned y = 0; y < ROWS; y++) {
        for (unsigned x = 0; x < STRIDE; x++)
            wrong += cpu[place(mode, x, y)] != value(x, y);
    }
    CHECKF(!wrong, "tiling %u: %u bytes", mode, wrong);
    /* The other way; pread sees the object as it is. */
    cpu[place(mode, 777, 43)] = 0x5a;
    set_domain(handle, I915_GEM_DOMAIN_GTT);
    CHECK(gtt[43 * STRIDE + 777] == 0x5a);
    gtt[5] = 0xa5;
    uint8_t byte = 0;
    struct drm_i915_gem_pread r = {
        .handle = handle, .offset = place(mode, 5, 0), .size = 1, .data_ptr = (uintptr_t)&byte};
    CHECK(call(DRM_IOCTL_I915_GEM_PREAD, &r) == 0 && byte == 0xa5);
    byte = 0x77;
    struct drm_i915_gem_pwrite w = {
        .handle = handle, .offset = place(mode, 600, 9), .size = 1, .data_ptr = (uintptr_t)&byte};
    CHECK(call(DRM_IOCTL_I915_GEM_PWRITE, &w) == 0 && gtt[9 * STRIDE + 600] == 0x77);
    struct drm_i915_gem_get_tiling t = {.handle = handle};
    CHECK(call(DRM_IOCTL_I915_GEM_GET_TILING, &t) == 0 && t.tiling_mode == mode);
    /* Without tiling the same mapping shows the object as it is. */
    set_tiling(handle, I915_TILING_NONE, 0);
    CHECK(memcmp(gtt, cpu, SIZE) == 0);
    /* The view outlives the handle. */
    struct drm_gem_close c = {.handle = handle};
    CHECK(call(DRM_IOCTL_GEM_CLOSE, &c) == 0);
    CHECK(gtt[0] == cpu[0]);
    munmap(cpu, SIZE);
    munmap(gtt, SIZE);
}

/* The copy engine fills a rectangle of a tiled object; the aperture shows it. */
static void test_gpu(int gen, unsigned mode)
{
    uint32_t handle = create(SIZE), batch = create(PAGE);
    set_tiling(handle, mode, STRIDE);
    uint8_t *gtt = map_aperture(handle, SIZE);
    uint32_t *b = (uint32_t *)map_cpu(batch, PAGE);
    set_domain(handle, I915_GEM_DOMAIN_GTT);
    memset(gtt, 0x11, SIZE);
    unsigned n = 0;
    b[n++] = 0x11000001; /* BCS_SWCTRL: tiled destinations are Y */
    b[n++] = 0x22200;
    b[n++] = 0x00020000 | (mode == I915_TILING_Y ? 2 : 0);
    b[n++] = gen < 80 ? 0x54300804 : 0x54300805; /* XY_COLOR_BLT, tiled */
    b[n++] = 0x03f00000 | STRIDE / 4;
    b[n++] = 5 << 16 | 10;
    b[n++] = 50 << 16 | 200;
    unsigned at = n;
    b[n++] = 0;
    if (gen >= 80)
        b[n++] = 0;
    b[n++] = 0xc0ffee11;
    b[n++] = 0x05000000;
    struct drm_i915_gem_relocation_entry reloc = {.target_handle = handle,
                                                  .offset = at * 4,
                                                  .presumed_offset = ~(uint64_t)0,
                                                  .read_domains = I915_GEM_DOMAIN_RENDER,
                                                  .write_domain = I915_GEM_DOMAIN_RENDER};
    struct drm_i915_gem_exec_object2 list[2] = {
        {.handle = handle},
        {.handle = batch, .relocs_ptr = (uintptr_t)&reloc, .relocation_count = 1}};
    struct drm_i915_gem_execbuffer2 eb = {
        .buffers_ptr = (uintptr_t)list, .buffer_count = 2, .flags = I915_EXEC_BLT};
    CHECK(call(DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb) == 0);
    set_domain(handle, I915_GEM_DOMAIN_GTT);
    unsigned wrong = 0;
    for (unsigned y = 0; y < ROWS; y++) {
        for (unsigned x = 0; x < STRIDE / 4; x++) {
            uint32_t now;
            memcpy(&now, gtt + y * STRIDE + 4 * x, 4);
            bool in = x >= 10 && x < 200 && y >= 5 && y < 50;
            wrong += now != (in ? 0xc0ffee11 : 0x11111111);
        }
    }
    CHECKF(!wrong, "tiling %u: %u pixels", mode, wrong);
    munmap(gtt, SIZE);
    munmap(b, PAGE);
    struct drm_gem_close c = {.handle = handle}, d = {.handle = batch};
    CHECK(call(DRM_IOCTL_GEM_CLOSE, &c) == 0 && call(DRM_IOCTL_GEM_CLOSE, &d) == 0);
}

int main(void)
{
    int id = 0;
    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    struct drm_i915_getparam p = {.param = I915_PARAM_CHIPSET_ID, .value = &id};
    REQUIRE(call(DRM_IOCTL_I915_GETPARAM, &p) == 0);
    int gen = id == 0x0166 ? 70 : id == 0x0412 ? 75 : id == 0x1616 ? 80 : 90;
    for (unsigned mode = I915_TILING_X; mode <= I915_TILING_Y; mode++) {
        test_view(mode);
        test_gpu(gen, mode);
    }
    close(fd);
    return utest_end();
}
