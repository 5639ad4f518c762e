/* Error conditions of cl_khr_external_memory: properties of memory objects, and the commands
 * between which the memory is OpenCL's. */
#include "api_errors.h"

#include "drm_maker.h"

enum { HANDLE = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, DEVICES = 0x2051 /* until 0 */ };

typedef cl_int turn_fn(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
                       cl_event *);

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc flat = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};

#define BUFFER(properties, flags, size, ptr)                                                       \
    clCreateBufferWithProperties(ctx, (const cl_mem_properties[])properties, flags, size, ptr, &err)
#define IMAGE(properties, flags, ptr)                                                              \
    clCreateImageWithProperties(ctx, (const cl_mem_properties[])properties, flags, &rgba, &flat,   \
                                ptr, &err)
#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__, 0                                                                             \
    }

static void creation(int fd)
{
    cl_mem_properties mine = (uintptr_t)dev, wrong = (uintptr_t)WRONG(cl_device_id);
    int closed = dup(fd), file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    close(closed);
    N(clCreateBufferWithProperties, 3, BUFFER(LIST(HANDLE, closed), 0, 64, NULL));
    N(clCreateBufferWithProperties, 3, BUFFER(LIST(HANDLE, (cl_mem_properties)-1), 0, 64, NULL));
    N(clCreateBufferWithProperties, 3, BUFFER(LIST(HANDLE, file), 0, 64, NULL));
    N(clCreateBufferWithProperties, 2,
      BUFFER(LIST(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd), 0, 64, NULL));
    N(clCreateBufferWithProperties, 4,
      BUFFER(LIST(HANDLE, fd, DEVICES, mine, 0, DEVICES, mine, 0), 0, 64, NULL));
    N(clCreateBufferWithProperties, 5, BUFFER(LIST(DEVICES, mine, 0), 0, 64, NULL));
    N(clCreateBufferWithProperties, 6, BUFFER(LIST(HANDLE, fd, HANDLE, fd), 0, 64, NULL));
    N(clCreateBufferWithProperties, 7,
      BUFFER(LIST(HANDLE, fd, DEVICES, mine, wrong, 0), 0, 64, NULL));
    for (unsigned i = 0; i < 3; i++) {
        cl_mem_flags flag = (cl_mem_flags)CL_MEM_USE_HOST_PTR << i;
        void *ptr = flag == CL_MEM_ALLOC_HOST_PTR ? NULL : bytes;
        N(clCreateBufferWithProperties, 9, BUFFER(LIST(HANDLE, fd), flag, 64, ptr));
        N(clCreateImageWithProperties, 15, IMAGE(LIST(HANDLE, fd), flag, ptr));
    }
    N(clCreateBufferWithProperties, 10, BUFFER(LIST(HANDLE, fd), 0, 0, NULL));
    N(clCreateBufferWithProperties, 11, BUFFER(LIST(HANDLE, fd), 0, (size_t)1 << 50, NULL));
    N(clCreateBufferWithProperties, 15, BUFFER(LIST(HANDLE, fd), 0, 64, bytes));

    N(clCreateImageWithProperties, 4, IMAGE(LIST(HANDLE, closed), 0, NULL));
    N(clCreateImageWithProperties, 4, IMAGE(LIST(HANDLE, file), 0, NULL));
    N(clCreateImageWithProperties, 5,
      IMAGE(LIST(HANDLE, fd, DEVICES, mine, 0, DEVICES, mine, 0), 0, NULL));
    N(clCreateImageWithProperties, 6, IMAGE(LIST(DEVICES, mine, 0), 0, NULL));
    N(clCreateImageWithProperties, 6, IMAGE(LIST(HANDLE, fd, HANDLE, fd), 0, NULL));
    N(clCreateImageWithProperties, 7, IMAGE(LIST(HANDLE, fd, DEVICES, wrong, 0), 0, NULL));
    N(clCreateImageWithProperties, 25, IMAGE(LIST(HANDLE, fd), 0, bytes));
    CHECK(fcntl(fd, F_GETFD) >= 0 && fcntl(file, F_GETFD) >= 0); /* no failure has closed them */
    close(file);
}

static void turns(int fd)
{
    cl_mem here = BUFFER(LIST(HANDLE, fd), 0, 64, NULL), list[] = {here, m};
    REQUIRE(here && !err);
    turn_fn *acquire, *release;
    *(void **)&acquire =
        clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueAcquireExternalMemObjectsKHR");
    *(void **)&release =
        clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueReleaseExternalMemObjectsKHR");
    REQUIRE(acquire && release);
    cl_event wrong = WRONG(cl_event);
    cl_mem wrong_mem = WRONG(cl_mem);
#define TURN(fn, call)                                                                             \
    E(fn, 1, call(q, 0, list, 0, NULL, NULL));                                                     \
    E(fn, 1, call(q, 1, NULL, 0, NULL, NULL));                                                     \
    E(fn, 2, call(q, 2, list, 0, NULL, NULL));                                                     \
    E(fn, 2, call(q, 1, &wrong_mem, 0, NULL, NULL));                                               \
    E(fn, 3, call(WRONG(cl_command_queue), 1, list, 0, NULL, NULL));                               \
    E(fn, 3, call(other_q, 1, list, 0, NULL, NULL));                                               \
    E(fn, 4, call(q, 1, list, 1, NULL, NULL));                                                     \
    E(fn, 5, call(q, 1, list, 0, &done, NULL));                                                    \
    E(fn, 6, call(q, 1, list, 1, &wrong, NULL));                                                   \
    E(fn, 7, call(q, 1, list, 1, &failed, NULL));                                                  \
    CHECK(call(q, 0, NULL, 0, NULL, NULL) == CL_SUCCESS);                                          \
    CHECK(call(q, 1, list, 1, &done, NULL) == CL_SUCCESS)
    TURN(clEnqueueAcquireExternalMemObjectsKHR, acquire);
    TURN(clEnqueueReleaseExternalMemObjectsKHR, release);
    CHECK(clFinish(q) == CL_SUCCESS);
    CHECK(clReleaseMemObject(here) == CL_SUCCESS);
}

void test_external(void)
{
    int drm = maker_open(), fd = maker_export(drm, maker_new(drm, 4096));
    creation(fd);
    turns(fd);
    close(fd);
    close(drm);
}
