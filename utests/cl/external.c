/* cl_khr_external_memory_dma_buf: what somebody else has made, through a file of the device of his
 * own, becomes a buffer or an image; both sides see what the other has written; descriptor,
 * lifetimes and the memory budget (96 MiB) stay whose they are. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clu.h"
#include <CL/cl_ext.h>

#include "drm_maker.h"

enum { HANDLE = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, N = 5000, MIB = 1 << 20 };

typedef cl_int turn_fn(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
                       cl_event *);
static turn_fn *acquire, *release;
static int drm;

static const char source[] =
    "kernel void step(global uint *p) { uint i = get_global_id(0); p[i] = p[i] * 3 + i; }\n"
    "kernel void paint(write_only image2d_t t) { int2 at = (int2)(get_global_id(0), "
    "get_global_id(1)); write_imageui(t, at, (uint4)(at.x, at.y, at.x ^ at.y, 7)); }\n"
    "kernel void layers(write_only image2d_array_t t) { int4 at = (int4)(get_global_id(0), "
    "get_global_id(1), get_global_id(2), 0); write_imageui(t, at, (uint4)(at.x, at.y, at.z, 9)); "
    "}\n"
    "kernel void look(read_only image2d_t t, global uint4 *to) { int2 at = "
    "(int2)(get_global_id(0), "
    "get_global_id(1)); to[at.y * get_global_size(0) + at.x] = read_imageui(t, at); }\n";

static cl_mem import(cl_context ctx, int fd, size_t size)
{
    cl_int e;
    const cl_mem_properties list[] = {HANDLE, (cl_mem_properties)fd, 0};
    cl_mem m = clCreateBufferWithProperties(ctx, list, CL_MEM_READ_WRITE, size, NULL, &e);
    CL(e);
    return m;
}

static void test_queries(void)
{
    static char names[8192];
    cl_external_memory_handle_type_khr types[4];
    size_t size;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_external_memory ") &&
          strstr(names, "cl_khr_external_memory_dma_buf"));
    CL(clGetPlatformInfo(clu_platform, CL_PLATFORM_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_external_memory ") &&
          strstr(names, "cl_khr_external_memory_dma_buf"));
    const cl_device_info queries[] = {CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                                      0x2052 /* ..._ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR */};
    for (unsigned i = 0; i < 2; i++) {
        CL(clGetDeviceInfo(clu_device, queries[i], sizeof types, types, &size));
        CHECK(size == sizeof *types && types[0] == HANDLE);
        CHECK(clGetDeviceInfo(clu_device, queries[i], 2, types, NULL) == CL_INVALID_VALUE);
    }
    CL(clGetPlatformInfo(clu_platform, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                         sizeof types, types, &size));
    CHECK(size == sizeof *types && types[0] == HANDLE);
}

static void turn(turn_fn *fn, cl_mem m, cl_command_type type)
{
    cl_event ev;
    cl_command_type got;
    CL(fn(clu_queue, 1, &m, 0, NULL, &ev));
    CL(clGetEventInfo(ev, CL_EVENT_COMMAND_TYPE, sizeof got, &got, NULL));
    CHECK(got == type);
    CL(clWaitForEvents(1, &ev));
    CL(clReleaseEvent(ev));
}

static void check_words(int fd, uint32_t handle, const uint32_t *want)
{
    static uint32_t got[N];
    maker_read(fd, handle, got, sizeof got);
    unsigned wrong = 0;
    for (unsigned i = 0; i < N; i++)
        wrong += got[i] != want[i];
    CHECKF(!wrong, "%u wrong", wrong);
}

/* The maker writes, a kernel computes, the maker reads: some times over. */
static void test_buffer(cl_kernel step)
{
    static uint32_t words[N], got[N];
    size_t n = N;
    uint32_t handle = maker_new(drm, sizeof words);
    int fd = maker_export(drm, handle);
    cl_mem m = import(clu_context, fd, sizeof words);
    cl_mem_properties list[4];
    size_t size;
    CL(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, sizeof list, list, &size));
    CHECK(size == 3 * sizeof *list && list[0] == HANDLE && list[1] == (cl_mem_properties)fd &&
          !list[2]);
    CHECK(fcntl(fd, F_GETFD) >= 0);
    clu_arg_mem(step, 0, m);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N; i++)
            words[i] = i * 2654435761u + round;
        maker_write(drm, handle, words, sizeof words);
        turn(acquire, m, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
        clu_read(m, sizeof got, got);
        CHECK(!memcmp(got, words, sizeof got));
        CL(clEnqueueNDRangeKernel(clu_queue, step, 1, NULL, &n, NULL, 0, NULL, NULL));
        turn(release, m, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
        for (unsigned i = 0; i < N; i++)
            words[i] = words[i] * 3 + i;
        check_words(drm, handle, words);
    }
    /* Through a mapping, and as the second half. */
    cl_int e;
    uint32_t *map =
        clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_WRITE, 0, sizeof words, 0, NULL, NULL, &e);
    CL(e);
    CHECK(!memcmp(map, words, sizeof words));
    map[N - 1] = words[N - 1] = 77;
    CL(clEnqueueUnmapMemObject(clu_queue, m, map, 0, NULL, NULL));
    cl_buffer_region half = {8192, 4096};
    cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &e);
    CL(e);
    uint32_t pattern = 0xabcd;
    CL(clEnqueueFillBuffer(clu_queue, part, &pattern, 4, 0, 4096, 0, NULL, NULL));
    turn(release, part, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
    for (unsigned i = 2048; i < 3072; i++)
        words[i] = pattern;
    check_words(drm, handle, words);

    /* Handle, descriptor: the memory is there as long as somebody has it. */
    close(fd);
    maker_free(drm, handle);
    CL(clReleaseMemObject(m)); /* the part keeps it */
    cl_uint back;
    CL(clEnqueueReadBuffer(clu_queue, part, CL_TRUE, 4092, 4, &back, 0, NULL, NULL));
    CHECK(back == pattern);
    CL(clReleaseMemObject(part));
}

/* Two objects and two contexts over one store. */
static void test_shared(cl_kernel step)
{
    static uint32_t words[N];
    cl_int e;
    size_t n = N;
    uint32_t handle = maker_new(drm, sizeof words);
    int fd = maker_export(drm, handle), other_fd = maker_export(drm, handle);
    cl_context other = clCreateContext(NULL, 1, &clu_device, NULL, NULL, &e);
    CL(e);
    cl_command_queue q = clCreateCommandQueue(other, clu_device, 0, &e);
    CL(e);
    const cl_mem_properties listed[] = {HANDLE,
                                        (cl_mem_properties)other_fd,
                                        0x2051 /* CL_MEM_DEVICE_HANDLE_LIST_KHR */,
                                        (cl_mem_properties)(uintptr_t)clu_device,
                                        0,
                                        0};
    cl_mem a = import(clu_context, fd, sizeof words), b = import(clu_context, fd, 4096),
           c = clCreateBufferWithProperties(other, listed, 0, sizeof words, NULL, &e);
    CL(e);
    close(fd);
    close(other_fd);
    for (unsigned i = 0; i < N; i++)
        words[i] = i ^ 0x5555;
    CL(clEnqueueWriteBuffer(q, c, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    clu_arg_mem(step, 0, a);
    CL(clEnqueueNDRangeKernel(clu_queue, step, 1, NULL, &n, NULL, 0, NULL, NULL));
    n = 1024;
    clu_arg_mem(step, 0, b);
    CL(clEnqueueNDRangeKernel(clu_queue, step, 1, NULL, &n, NULL, 0, NULL, NULL));
    CL(clFinish(clu_queue));
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < (k ? 1024 : N); i++)
            words[i] = words[i] * 3 + i;
    static uint32_t got[N];
    CL(clEnqueueReadBuffer(q, c, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(!memcmp(got, words, sizeof got));
    check_words(drm, handle, words);
    CL(clReleaseMemObject(b));
    CL(clReleaseMemObject(a));
    CL(clEnqueueReadBuffer(q, c, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(!memcmp(got, words, sizeof got));
    CL(clReleaseMemObject(c));
    CL(clReleaseCommandQueue(q));
    CL(clReleaseContext(other));
    check_words(drm, handle, words);
    maker_free(drm, handle);
}

/* Images lie as their maker has laid them out. */
static void test_images(cl_kernel paint, cl_kernel layers, cl_kernel look)
{
    enum { W = 20, H = 6, LAYERS = 3, PITCH = 192, SLICE = PITCH * 8, SIZE = SLICE * LAYERS };
    static uint8_t bytes[SIZE], want[SIZE];
    static uint32_t seen[W * H][4];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = W,
                          .image_height = H,
                          .image_row_pitch = PITCH},
                  deep = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                          .image_width = W,
                          .image_height = H,
                          .image_array_size = LAYERS,
                          .image_row_pitch = PITCH,
                          .image_slice_pitch = SLICE},
                  bad;
    cl_int e;
    uint32_t handle = maker_new(drm, SIZE);
    int fd = maker_export(drm, handle);
    const cl_mem_properties list[] = {HANDLE, (cl_mem_properties)fd, 0};
    memset(bytes, 0x3c, SIZE);
    memcpy(want, bytes, SIZE);
    maker_write(drm, handle, bytes, SIZE);
    cl_mem m = clCreateImageWithProperties(clu_context, list, 0, &format, &flat, NULL, &e);
    CL(e);
    size_t pitch, range[3] = {W, H, LAYERS};
    CL(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, NULL));
    CHECK(pitch == PITCH);
    turn(acquire, m, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
    clu_arg_mem(paint, 0, m);
    CL(clEnqueueNDRangeKernel(clu_queue, paint, 2, NULL, range, NULL, 0, NULL, NULL));
    turn(release, m, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            memcpy(want + y * PITCH + x * 4, (uint8_t[]){x, y, x ^ y, 7}, 4);
    maker_read(drm, handle, bytes, SIZE);
    CHECK(!memcmp(bytes, want, SIZE));
    /* and read, by a kernel and by the host */
    cl_mem to = clu_buffer(sizeof seen, NULL);
    bytes[PITCH * 2 + 5 * 4 + 1] = 200;
    maker_write(drm, handle, bytes, SIZE);
    clu_arg_mem(look, 0, m);
    clu_arg_mem(look, 1, to);
    CL(clEnqueueNDRangeKernel(clu_queue, look, 2, NULL, range, NULL, 0, NULL, NULL));
    clu_read(to, sizeof seen, seen);
    unsigned wrong = 0;
    for (unsigned i = 0; i < W * H; i++)
        for (unsigned c = 0; c < 4; c++)
            wrong += seen[i][c] != bytes[i / W * PITCH + i % W * 4 + c];
    CHECKF(!wrong, "%u wrong", wrong);
    static uint8_t host[W * H * 4];
    CL(clEnqueueReadImage(clu_queue, m, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){W, H, 1}, 0, 0,
                          host, 0, NULL, NULL));
    for (unsigned y = 0; y < H; y++)
        CHECK(!memcmp(host + y * W * 4, bytes + y * PITCH, W * 4));
    CL(clReleaseMemObject(m));

    m = clCreateImageWithProperties(clu_context, list, 0, &format, &deep, NULL, &e);
    CL(e);
    memcpy(want, bytes, SIZE);
    clu_arg_mem(layers, 0, m);
    CL(clEnqueueNDRangeKernel(clu_queue, layers, 3, NULL, range, NULL, 0, NULL, NULL));
    turn(release, m, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
    for (unsigned i = 0; i < LAYERS * H * W; i++)
        memcpy(want + i / W / H * SLICE + i / W % H * PITCH + i % W * 4,
               (uint8_t[]){i % W, i / W % H, i / W / H, 9}, 4);
    maker_read(drm, handle, bytes, SIZE);
    CHECK(!memcmp(bytes, want, SIZE));
    CL(clReleaseMemObject(m));
    CL(clReleaseMemObject(to));

#define REFUSED(change, code)                                                                      \
    bad = flat;                                                                                    \
    change;                                                                                        \
    CHECK(!clCreateImageWithProperties(clu_context, list, 0, &format, &bad, NULL, &e));            \
    CHECKF(e == code, #change ": %d", e)
    REFUSED(bad.image_row_pitch = 96, CL_INVALID_IMAGE_DESCRIPTOR); /* no multiple of 64 bytes */
    REFUSED(bad.image_row_pitch = 64, CL_INVALID_IMAGE_DESCRIPTOR); /* less than a row */
    REFUSED(bad.image_height = 43, CL_INVALID_IMAGE_SIZE);          /* 8,256 bytes of two pages */
    REFUSED((bad = deep, bad.image_slice_pitch = PITCH * H), CL_INVALID_IMAGE_DESCRIPTOR);
    /* Pixels in tiles are not for us. */
    struct drm_i915_gem_set_tiling t = {
        .handle = handle, .tiling_mode = I915_TILING_X, .stride = 512};
    REQUIRE(ioctl(drm, DRM_IOCTL_I915_GEM_SET_TILING, &t) == 0);
    REFUSED(bad.image_row_pitch = 512, CL_INVALID_PROPERTY);
    close(fd);
    maker_free(drm, handle);
}

/* Imported memory counts once, however often it is imported, and as long as it is. */
static void test_budget(void)
{
    enum { SIZE = 40 * MIB };
    cl_int e;
    uint32_t handles[3];
    int fds[3];
    for (unsigned i = 0; i < 3; i++) {
        handles[i] = maker_new(drm, SIZE);
        fds[i] = maker_export(drm, handles[i]);
    }
    cl_mem same[5], second;
    for (unsigned i = 0; i < 5; i++)
        same[i] = import(clu_context, fds[0], SIZE);
    second = import(clu_context, fds[1], SIZE);
    const cl_mem_properties third[] = {HANDLE, (cl_mem_properties)fds[2], 0};
    CHECK(!clCreateBufferWithProperties(clu_context, third, 0, SIZE, NULL, &e) &&
          e == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    for (unsigned i = 0; i < 5; i++) {
        CHECK(!clCreateBufferWithProperties(clu_context, third, 0, SIZE, NULL, &e));
        CL(clReleaseMemObject(same[i]));
    }
    for (unsigned i = 0; i < 200; i++)
        CL(clReleaseMemObject(import(clu_context, fds[2], SIZE)));
    CL(clReleaseMemObject(second));
    /* More than the object has. */
    CHECK(!clCreateBufferWithProperties(clu_context, third, 0, SIZE + 1, NULL, &e) &&
          e == CL_INVALID_BUFFER_SIZE);
    for (unsigned i = 0; i < 3; i++) {
        close(fds[i]);
        maker_free(drm, handles[i]);
    }
}

int main(void)
{
    clu_open();
    drm = maker_open();
    *(void **)&acquire = clGetExtensionFunctionAddressForPlatform(
        clu_platform, "clEnqueueAcquireExternalMemObjectsKHR");
    *(void **)&release = clGetExtensionFunctionAddressForPlatform(
        clu_platform, "clEnqueueReleaseExternalMemObjectsKHR");
    REQUIRE(acquire && release);
    test_queries();
    cl_program p = clu_build(source, "");
    cl_kernel step = clu_kernel(p, "step"), paint = clu_kernel(p, "paint"),
              layers = clu_kernel(p, "layers"), look = clu_kernel(p, "look");
    test_buffer(step);
    test_shared(step);
    test_images(paint, layers, look);
    test_budget();
    CL(clReleaseKernel(step));
    CL(clReleaseKernel(paint));
    CL(clReleaseKernel(layers));
    CL(clReleaseKernel(look));
    CL(clReleaseProgram(p));
    close(drm);
    clu_close();
    return utest_end();
}
