/* Argument checks: each row is a call with one mistake and the code that the specification lists
 * for it. Calls that return an object store their code in `err`. Afterwards nothing may have been
 * made.
 */
#include "fake_kernels.h"

#include "src/core/device.h"
#include "src/core/object.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <limits.h>
#include <unistd.h>

static cl_int err;

static void row(int line, const char *call, cl_int code, cl_int expected)
{
    utest_checks++;
    if (code != expected) {
        utest_failures++;
        fprintf(stderr, "errors.c:%d: %s: %d instead of %d\n", line, call, code, expected);
    }
}

#define E(expected, call) row(__LINE__, #call, call, expected)
/* The call returns an object, and must not. */
#define N(expected, call) (err = 1, row(__LINE__, #call, (call) ? 1 : err, expected))

static cl_context ctx, other;
static cl_device_id dev;
static cl_platform_id platform;
static cl_command_queue q, other_q;
static cl_mem m, other_m, sub;
static cl_program p;
static cl_kernel k, mix, groups;
static cl_event ev, other_ev, user;
static uint8_t *image;
static size_t image_size;
static void *const bad = &(struct { uint64_t words[8]; }){{1, 2, 3, 4, 5, 6, 7, 8}};
static char bytes[4096];

static void CL_CALLBACK on_mem(cl_mem mem, void *data) {}

static void CL_CALLBACK on_native(void *data) {}

static void platforms(void)
{
    cl_uint n;
    cl_platform_id id;
    cl_device_id d;
    cl_ulong t;
    size_t size;
    E(CL_INVALID_VALUE, clGetPlatformIDs(0, &id, &n));
    E(CL_INVALID_VALUE, clGetPlatformIDs(0, NULL, NULL));
    E(CL_SUCCESS, clIcdGetPlatformIDsKHR(0, NULL, &n));
    E(CL_INVALID_PLATFORM, clGetPlatformInfo(bad, CL_PLATFORM_NAME, 0, NULL, &size));
    E(CL_INVALID_VALUE, clGetPlatformInfo(platform, 0x1234, 0, NULL, &size));
    E(CL_INVALID_VALUE, clGetPlatformInfo(platform, CL_PLATFORM_NAME, 3, bytes, &size));
    E(CL_SUCCESS, clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, NULL));
    E(CL_INVALID_PLATFORM, clGetDeviceIDs(bad, CL_DEVICE_TYPE_GPU, 1, &d, NULL));
    E(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0, 1, &d, NULL));
    E(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 1 << 20, 1, &d, NULL));
    E(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, &d, NULL));
    E(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, NULL, NULL));
    E(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &d, &n));
    E(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &d, NULL));
    E(CL_SUCCESS, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, 1, &d, NULL));
    E(CL_INVALID_DEVICE, clGetDeviceInfo(bad, CL_DEVICE_NAME, 0, NULL, &size));
    E(CL_INVALID_VALUE, clGetDeviceInfo(dev, 0x1fff, 0, NULL, &size));
    E(CL_INVALID_VALUE, clGetDeviceInfo(dev, CL_DEVICE_TYPE, 7, bytes, &size));
    E(CL_SUCCESS, clGetDeviceInfo(dev, CL_DEVICE_TYPE, 4096, bytes, &size));
    E(CL_INVALID_VALUE, clGetDeviceAndHostTimer(dev, &t, NULL));
    E(CL_INVALID_DEVICE, clGetHostTimer(bad, &t));
    cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    E(CL_INVALID_VALUE, clCreateSubDevices(dev, equally, 1, &d, NULL));
    E(CL_INVALID_DEVICE, clCreateSubDevices(NULL, equally, 1, &d, NULL));
    E(CL_SUCCESS, clReleaseDevice(dev));
    CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clNothing") == NULL);
    CHECK(clGetExtensionFunctionAddress("clGetKernelSuggestedLocalWorkSizeKHR") != NULL);
}

static void contexts(void)
{
    cl_context_properties wrong_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)bad, 0};
    cl_context_properties unknown[] = {0x7777, 1, 0};
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                     CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_queue_properties odd[] = {CL_QUEUE_PROPERTIES, 1 << 10, 0},
                        on_device[] = {CL_QUEUE_PROPERTIES, 5, 0};
    cl_queue_properties size_only[] = {CL_QUEUE_SIZE, 100, 0};
    size_t size;
    N(CL_INVALID_PLATFORM, clCreateContext(wrong_platform, 1, &dev, NULL, NULL, &err));
    N(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &dev, NULL, NULL, &err));
    N(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &dev, NULL, NULL, &err));
    N(CL_INVALID_VALUE, clCreateContext(NULL, 1, NULL, NULL, NULL, &err));
    N(CL_INVALID_VALUE, clCreateContext(NULL, 0, &dev, NULL, NULL, &err));
    N(CL_INVALID_VALUE, clCreateContext(NULL, 1, &dev, NULL, bytes, &err));
    N(CL_INVALID_DEVICE, clCreateContext(NULL, 1, (cl_device_id *)&bad, NULL, NULL, &err));
    N(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(NULL, 0, NULL, NULL, &err));
    N(CL_DEVICE_NOT_FOUND, clCreateContextFromType(NULL, CL_DEVICE_TYPE_CPU, NULL, NULL, &err));
    E(CL_INVALID_CONTEXT, clGetContextInfo(bad, CL_CONTEXT_DEVICES, 0, NULL, &size));
    E(CL_INVALID_VALUE, clGetContextInfo(ctx, 0x1234, 0, NULL, &size));
    E(CL_INVALID_VALUE, clGetContextInfo(ctx, CL_CONTEXT_DEVICES, 4, bytes, &size));
    E(CL_INVALID_VALUE, clSetContextDestructorCallback(ctx, NULL, NULL));
    N(CL_INVALID_CONTEXT, clCreateCommandQueue(bad, dev, 0, &err));
    N(CL_INVALID_DEVICE, clCreateCommandQueue(ctx, bad, 0, &err));
    N(CL_INVALID_VALUE, clCreateCommandQueue(ctx, dev, 1 << 10, &err));
    N(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(ctx, dev, odd, &err));
    N(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(ctx, dev, on_device, &err));
    N(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(ctx, dev, size_only, &err));
    E(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(q, CL_QUEUE_SIZE, 4, bytes, NULL));
    E(CL_INVALID_VALUE, clGetCommandQueueInfo(q, 0x1234, 4, bytes, NULL));
    E(CL_INVALID_OPERATION, clSetCommandQueueProperty(q, 2, CL_TRUE, NULL));
    E(CL_INVALID_COMMAND_QUEUE, clFlush(bad));
    E(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
}

static void buffers(void)
{
    cl_buffer_region r = {0, 128}, out = {3968, 256}, none = {0, 0}, odd = {4, 64};
    cl_mem_properties property[] = {0x1111, 1, 0}, no_property[] = {0};
    size_t max = dev->budget.max_alloc;
    N(CL_INVALID_CONTEXT, clCreateBuffer(bad, 0, 4, NULL, &err));
    N(CL_INVALID_PROPERTY, clCreateBufferWithProperties(ctx, property, 0, 4, NULL, &err));
    N(CL_INVALID_VALUE, clCreateBuffer(ctx, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &err));
    N(CL_INVALID_VALUE,
      clCreateBuffer(ctx, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4, NULL, &err));
    N(CL_INVALID_VALUE,
      clCreateBuffer(ctx, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, bytes, &err));
    N(CL_INVALID_VALUE,
      clCreateBuffer(ctx, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 4, bytes, &err));
    N(CL_INVALID_VALUE, clCreateBuffer(ctx, (cl_mem_flags)1 << 40, 4, NULL, &err));
    N(CL_INVALID_BUFFER_SIZE, clCreateBuffer(ctx, 0, 0, NULL, &err));
    N(CL_INVALID_BUFFER_SIZE, clCreateBuffer(ctx, 0, max + 1, NULL, &err));
    N(CL_INVALID_HOST_PTR, clCreateBuffer(ctx, CL_MEM_USE_HOST_PTR, 4, NULL, &err));
    N(CL_INVALID_HOST_PTR, clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, 4, NULL, &err));
    N(CL_INVALID_HOST_PTR, clCreateBuffer(ctx, 0, 4, bytes, &err));
    CHECK(clReleaseMemObject(clCreateBufferWithProperties(ctx, no_property, 0, 4, NULL, &err)) ==
          CL_SUCCESS);
    N(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(bad, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    N(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    N(CL_INVALID_VALUE,
      clCreateSubBuffer(m, CL_MEM_USE_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    N(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, 0x1234, &r, &err));
    N(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err));
    N(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &out, &err));
    N(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &none, &err));
    N(CL_MISALIGNED_SUB_BUFFER_OFFSET,
      clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &err));
    static const struct {
        cl_mem_flags parent, child;
        cl_int code;
        cl_mem_flags result;
    } access[] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE, 0},
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_INVALID_VALUE, 0},
        {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_INVALID_VALUE, 0},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE, 0},
        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE, 0},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE, 0},
        {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_SUCCESS, CL_MEM_READ_ONLY},
        {CL_MEM_WRITE_ONLY, 0, CL_SUCCESS, CL_MEM_WRITE_ONLY},
        {CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_NO_ACCESS, CL_SUCCESS,
         CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_NO_ACCESS},
    };
    for (unsigned i = 0; i < sizeof access / sizeof *access; i++) {
        cl_mem parent = clCreateBuffer(ctx, access[i].parent, 4096, NULL, &err);
        cl_mem child =
            clCreateSubBuffer(parent, access[i].child, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
        CHECKF(err == access[i].code, "access %u: %d", i, err);
        cl_mem_flags flags = 0;
        if (child)
            clGetMemObjectInfo(child, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
        CHECKF(flags == access[i].result, "access %u: %#llx", i, (unsigned long long)flags);
        if (child)
            clReleaseMemObject(child);
        clReleaseMemObject(parent);
    }
    E(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(m, NULL, NULL));
    E(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(bad, on_mem, NULL));
    E(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(bad, CL_MEM_SIZE, 8, bytes, NULL));
    E(CL_INVALID_VALUE, clGetMemObjectInfo(m, 0x1234, 8, bytes, NULL));
    E(CL_INVALID_VALUE, clGetMemObjectInfo(m, CL_MEM_SIZE, 4, bytes, NULL));
}

/* The wait list of any enqueue. */
#define WAITS(call_with)                                                                           \
    do {                                                                                           \
        cl_event nothing = bad;                                                                    \
        E(CL_INVALID_EVENT_WAIT_LIST, call_with(1, NULL));                                         \
        E(CL_INVALID_EVENT_WAIT_LIST, call_with(0, &ev));                                          \
        E(CL_INVALID_EVENT_WAIT_LIST, call_with(1, &nothing));                                     \
        E(CL_INVALID_CONTEXT, call_with(1, &other_ev));                                            \
    } while (0)

static void transfers(void)
{
    size_t o[3] = {0, 0, 0}, r[3] = {8, 4, 2}, zero[3] = {8, 0, 2}, far[3] = {4090, 0, 0},
           huge[3] = {SIZE_MAX, 1, 1};
#define READ(n, w)  clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, bytes, n, w, NULL)
#define WRITE(n, w) clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, bytes, n, w, NULL)
#define READ_RECT(n, w)                                                                            \
    clEnqueueReadBufferRect(q, m, CL_FALSE, o, o, r, 0, 0, 0, 0, bytes, n, w, NULL)
#define COPY(n, w)      clEnqueueCopyBuffer(q, m, m, 0, 64, 4, n, w, NULL)
#define COPY_RECT(n, w) clEnqueueCopyBufferRect(q, m, sub, o, o, r, 0, 0, 0, 0, n, w, NULL)
#define FILL(n, w)      clEnqueueFillBuffer(q, m, "abcd", 4, 0, 64, n, w, NULL)
#define MIGRATE(n, w)   clEnqueueMigrateMemObjects(q, 1, &m, 0, n, w, NULL)
    WAITS(READ);
    WAITS(WRITE);
    WAITS(READ_RECT);
    WAITS(COPY);
    WAITS(COPY_RECT);
    WAITS(FILL);
    WAITS(MIGRATE);
    E(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(bad, m, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
    E(CL_INVALID_CONTEXT, clEnqueueReadBuffer(q, other_m, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
    E(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(q, bad, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueReadBuffer(q, m, CL_TRUE, 4093, 4, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueReadBuffer(q, m, CL_TRUE, SIZE_MAX, 2, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueReadBuffer(q, m, CL_TRUE, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueWriteBuffer(q, m, CL_TRUE, 0, 4097, bytes, 0, NULL, NULL));
    static const struct {
        cl_mem_flags flags;
        cl_int read, write, map_read, map_write;
    } hosts[] = {
        {CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION, CL_SUCCESS, CL_INVALID_OPERATION},
        {CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS, CL_INVALID_OPERATION,
         CL_SUCCESS},
        {CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION, CL_INVALID_OPERATION,
         CL_INVALID_OPERATION},
    };
    for (unsigned i = 0; i < 3; i++) {
        cl_mem h = clCreateBuffer(ctx, hosts[i].flags, 64, NULL, &err);
        E(hosts[i].read, clEnqueueReadBuffer(q, h, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
        E(hosts[i].write, clEnqueueWriteBuffer(q, h, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
        E(hosts[i].read,
          clEnqueueReadBufferRect(q, h, CL_TRUE, o, o, r, 0, 0, 0, 0, bytes, 0, NULL, NULL));
        E(hosts[i].write,
          clEnqueueWriteBufferRect(q, h, CL_TRUE, o, o, r, 0, 0, 0, 0, bytes, 0, NULL, NULL));
        clEnqueueMapBuffer(q, h, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err);
        CHECK(err == hosts[i].map_read);
        clEnqueueMapBuffer(q, h, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &err);
        CHECK(err == hosts[i].map_write);
        clEnqueueMapBuffer(q, h, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 4, 4, 0, NULL, NULL,
                           &err);
        CHECK(err == hosts[i].map_write);
        E(CL_SUCCESS,
          clEnqueueFillBuffer(q, h, "a", 1, 0, 4, 0, NULL, NULL)); /* the device's business */
        clReleaseMemObject(h);
    }
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, NULL, o, r, 0, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, NULL, r, 0, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, NULL, 0, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, zero, 0, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, far, o, r, 0, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, huge, o, r, 0, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, huge, 0, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, r, 7, 0, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, r, 8, 31, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, r, 8, 33, 0, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, r, 0, 0, 7, 0, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, r, 0, 0, 0, 33, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueReadBufferRect(q, m, CL_TRUE, o, o, r, 0, 0, 0, 0, NULL, 0, NULL, NULL));
    E(CL_INVALID_CONTEXT, clEnqueueCopyBuffer(q, m, other_m, 0, 0, 4, 0, NULL, NULL));
    E(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(q, bad, m, 0, 0, 4, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueCopyBuffer(q, m, m, 4093, 0, 4, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueCopyBuffer(q, m, m, 0, SIZE_MAX, 4, 0, NULL, NULL));
    E(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(q, m, m, 0, 3, 4, 0, NULL, NULL));
    E(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(q, m, m, 3, 0, 4, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueCopyBuffer(q, m, m, 0, 4, 4, 0, NULL, NULL));
    E(CL_MEM_COPY_OVERLAP,
      clEnqueueCopyBuffer(q, m, sub, 256, 0, 4, 0, NULL, NULL)); /* sub begins at 256 */
    E(CL_SUCCESS, clEnqueueCopyBuffer(q, m, sub, 252, 0, 4, 0, NULL, NULL));
    size_t right[3] = {8, 0, 0}, corner[3] = {4, 0, 0}, below[3] = {0, 4, 0};
    E(CL_MEM_COPY_OVERLAP,
      clEnqueueCopyBufferRect(q, m, m, o, corner, r, 16, 128, 16, 128, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueCopyBufferRect(q, m, m, o, right, r, 16, 128, 16, 128, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueCopyBufferRect(q, m, m, o, below, r, 16, 128, 16, 128, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueCopyBufferRect(q, m, m, o, right, r, 16, 128, 32, 128, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueCopyBufferRect(q, m, m, o, right, zero, 16, 128, 16, 128, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueFillBuffer(q, m, NULL, 4, 0, 64, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueFillBuffer(q, m, bytes, 0, 0, 64, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueFillBuffer(q, m, bytes, 3, 0, 63, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueFillBuffer(q, m, bytes, 256, 0, 256, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueFillBuffer(q, m, bytes, 4, 2, 64, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueFillBuffer(q, m, bytes, 4, 0, 62, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueFillBuffer(q, m, bytes, 4, 4096, 4, 0, NULL, NULL));
    N(CL_INVALID_COMMAND_QUEUE,
      clEnqueueMapBuffer(bad, m, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
    N(CL_INVALID_MEM_OBJECT,
      clEnqueueMapBuffer(q, bad, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
    N(CL_INVALID_VALUE,
      clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 4096, 4, 0, NULL, NULL, &err));
    N(CL_INVALID_VALUE, clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &err));
    N(CL_INVALID_VALUE, clEnqueueMapBuffer(q, m, CL_TRUE, 64, 0, 4, 0, NULL, NULL, &err));
    N(CL_INVALID_VALUE,
      clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL,
                         NULL, &err));
    N(CL_INVALID_EVENT_WAIT_LIST,
      clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 4, 1, NULL, NULL, &err));
    N(CL_INVALID_CONTEXT,
      clEnqueueMapBuffer(other_q, m, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
    E(CL_INVALID_VALUE, clEnqueueUnmapMemObject(q, m, bytes, 0, NULL, NULL));
    E(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(q, bad, bytes, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(q, 0, &m, 0, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(q, 1, NULL, 0, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(q, 1, &m, 4, 0, NULL, NULL));
    E(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(q, 1, &other_m, 0, 0, NULL, NULL));
    E(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(q, 1, (cl_mem *)&bad, 0, 0, NULL, NULL));
}

/* The addresses that constants hold must be at whole dwords. */
static void misaligned_constant(void)
{
    struct kbin k = {.gen = dev->hw->gen,
                     .quirks = dev->hw->quirks,
                     .pointer_bits = dev->hw->pointer_bits,
                     .type = 4};
    struct kbin_reloc relocs[2] = {{0, 4}, {4, 0}};
    uint8_t constants[16] = {0}, *written = NULL;
    const char *why = "";
    k.constants = constants;
    k.constants_size = sizeof constants;
    k.relocs = relocs;
    k.n_relocs = 2;
    for (unsigned i = 0; i < 2; i++) {
        size_t size;
        relocs[1].offset = 4 + i;
        REQUIRE(kbin_write(&k, &written, &size, &why));
        const unsigned char *binary = written;
        cl_program p = clCreateProgramWithBinary(ctx, 1, &dev, &size, &binary, NULL, &err);
        CHECKF(err == (i ? CL_INVALID_BINARY : CL_SUCCESS), "constants at %u: %d", 4 + i, err);
        if (p)
            clReleaseProgram(p);
        free(written);
    }
}

static void programs(void)
{
    const char *source = "x", *null = NULL;
    const unsigned char *binary = image, *no_binary = NULL;
    size_t size = image_size, zero = 0;
    cl_device_id not_one = bad;
    cl_int status;
    N(CL_INVALID_CONTEXT, clCreateProgramWithSource(bad, 1, &source, NULL, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithSource(ctx, 0, &source, NULL, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithSource(ctx, 1, NULL, NULL, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithSource(ctx, 1, &null, NULL, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithIL(ctx, bytes, 4, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithBinary(ctx, 0, &dev, &size, &binary, &status, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithBinary(ctx, 1, NULL, &size, &binary, &status, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithBinary(ctx, 1, &dev, NULL, &binary, &status, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithBinary(ctx, 1, &dev, &zero, &binary, &status, &err));
    CHECK(status == CL_INVALID_VALUE);
    N(CL_INVALID_VALUE, clCreateProgramWithBinary(ctx, 1, &dev, &size, &no_binary, &status, &err));
    N(CL_INVALID_DEVICE,
      clCreateProgramWithBinary(ctx, 1, &not_one, &size, &binary, &status, &err));
    N(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(ctx, 1, &dev, "x", &err));
    E(CL_INVALID_PROGRAM, clBuildProgram(bad, 0, NULL, NULL, NULL, NULL));
    E(CL_INVALID_VALUE, clBuildProgram(p, 1, NULL, NULL, NULL, NULL));
    E(CL_INVALID_VALUE, clBuildProgram(p, 0, &dev, NULL, NULL, NULL));
    E(CL_INVALID_VALUE, clBuildProgram(p, 0, NULL, NULL, NULL, bytes));
    E(CL_INVALID_DEVICE, clBuildProgram(p, 1, &not_one, NULL, NULL, NULL));
    E(CL_INVALID_OPERATION, clBuildProgram(p, 0, NULL, NULL, NULL, NULL)); /* it has kernels */
    E(CL_INVALID_OPERATION, clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    E(CL_INVALID_VALUE, clCompileProgram(p, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL));
    N(CL_INVALID_VALUE, clLinkProgram(ctx, 0, NULL, NULL, 0, NULL, NULL, NULL, &err));
    N(CL_INVALID_PROGRAM,
      clLinkProgram(ctx, 0, NULL, NULL, 1, (cl_program *)&bad, NULL, NULL, &err));
    N(CL_INVALID_OPERATION,
      clLinkProgram(ctx, 0, NULL, NULL, 1, &p, NULL, NULL, &err)); /* no object */
    E(CL_INVALID_PLATFORM, clUnloadPlatformCompiler(bad));
    E(CL_INVALID_VALUE, clGetProgramInfo(p, 0x1234, 0, NULL, NULL));
    E(CL_INVALID_DEVICE, clGetProgramBuildInfo(p, bad, CL_PROGRAM_BUILD_LOG, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clGetProgramBuildInfo(p, dev, 0x1234, 0, NULL, NULL));
    cl_program fresh = clCreateProgramWithSource(ctx, 1, &source, NULL, &err);
    E(CL_INVALID_PROGRAM_EXECUTABLE,
      clGetProgramInfo(fresh, CL_PROGRAM_NUM_KERNELS, 8, bytes, NULL));
    E(CL_SUCCESS, clGetProgramInfo(fresh, CL_PROGRAM_SOURCE, 2, bytes, NULL));
    N(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(fresh, "inc", &err));
    E(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(fresh, 0, NULL, NULL));
    clReleaseProgram(fresh);
    E(CL_INVALID_OPERATION, clSetProgramReleaseCallback(p, NULL, NULL));
    E(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(p, 0, 4, bytes));
}

static void kernels(void)
{
    cl_uint value = 0;
    cl_mem null = NULL;
    cl_sampler no_sampler = NULL;
    size_t one = 1, zero = 0, many = 1024, seven = 7, three[3] = {8, 8, 8}, wide[3] = {1024, 1, 1};
    size_t big = UINT_MAX;
    cl_kernel fresh = clCreateKernel(p, "inc", &err);
    N(CL_INVALID_PROGRAM, clCreateKernel(bad, "inc", &err));
    N(CL_INVALID_KERNEL_NAME, clCreateKernel(p, "none", &err));
    N(CL_INVALID_VALUE, clCreateKernel(p, NULL, &err));
    E(CL_INVALID_KERNEL, clSetKernelArg(bad, 0, 8, &m));
    E(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 1, 8, &m));
    E(CL_INVALID_CONTEXT, clSetKernelArg(k, 0, 8, &other_m));
    E(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, 8, &bad));
    E(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, 8, &q));
    E(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, 4, &m));
    E(CL_SUCCESS, clSetKernelArg(fresh, 0, 8, NULL));
    E(CL_SUCCESS, clSetKernelArg(fresh, 0, 8, &null));
    E(CL_INVALID_ARG_SIZE, clSetKernelArg(mix, 1, 8, &value));
    E(CL_INVALID_ARG_VALUE, clSetKernelArg(mix, 1, 4, NULL));
    E(CL_INVALID_ARG_SIZE, clSetKernelArg(groups, 1, 0, NULL));
    E(CL_INVALID_ARG_VALUE, clSetKernelArg(groups, 1, 4, &value));
    E(CL_INVALID_OPERATION, clSetKernelArgSVMPointer(k, 0, bytes));
    E(CL_INVALID_OPERATION, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, bytes));
    E(CL_INVALID_VALUE, clSetKernelExecInfo(k, 0x1234, 8, bytes));
    N(CL_INVALID_KERNEL, clCloneKernel(bad, &err));
    E(CL_INVALID_VALUE, clGetKernelInfo(k, 0x1234, 0, NULL, NULL));
    E(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clGetKernelArgInfo(k, 0, 0x1234, 0, NULL, NULL));
    E(CL_INVALID_DEVICE,
      clGetKernelWorkGroupInfo(k, bad, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
    E(CL_SUCCESS, clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clGetKernelWorkGroupInfo(k, dev, CL_KERNEL_GLOBAL_WORK_SIZE, 24, bytes, NULL));
    E(CL_SUCCESS,
      clGetKernelSubGroupInfo(k, dev, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8, bytes, NULL));
    E(CL_INVALID_VALUE, clGetKernelSubGroupInfo(k, dev, 0x1234, 0, NULL, 8, bytes, NULL));
#define NDRANGE(n, w) clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, n, w, NULL)
#define TASK(n, w)    clEnqueueTask(q, k, n, w, NULL)
    WAITS(NDRANGE);
    WAITS(TASK);
    E(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(bad, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    E(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(q, bad, 1, NULL, &one, NULL, 0, NULL, NULL));
    E(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(other_q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    E(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(q, mix, 1, NULL, &one, NULL, 0, NULL, NULL));
    E(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(q, k, 0, NULL, &one, NULL, 0, NULL, NULL));
    E(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(q, k, 4, NULL, three, NULL, 0, NULL, NULL));
    E(CL_INVALID_GLOBAL_OFFSET, clEnqueueNDRangeKernel(q, k, 1, &big, &one, NULL, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueNDRangeKernel(q, k, 1, NULL, NULL, NULL, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueNDRangeKernel(q, k, 1, NULL, &zero, NULL, 0, NULL, NULL));
    E(CL_INVALID_WORK_GROUP_SIZE,
      clEnqueueNDRangeKernel(q, k, 1, NULL, &many, &seven, 0, NULL, NULL));
    E(CL_INVALID_WORK_GROUP_SIZE,
      clEnqueueNDRangeKernel(q, k, 1, NULL, &many, &zero, 0, NULL, NULL));
    E(CL_INVALID_WORK_GROUP_SIZE,
      clEnqueueNDRangeKernel(q, k, 3, NULL, three, three, 0, NULL, NULL));
    E(CL_INVALID_WORK_ITEM_SIZE, clEnqueueNDRangeKernel(q, k, 3, NULL, wide, wide, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clGetKernelSuggestedLocalWorkSizeKHR(q, k, 1, NULL, &many, NULL));
    E(CL_SUCCESS, clGetKernelSuggestedLocalWorkSizeKHR(q, k, 1, NULL, &many, &one));
    CHECK(many % one == 0);
    size_t too_much = dev->info.slm_size + 1;
    E(CL_SUCCESS, clSetKernelArg(groups, 0, 8, &m));
    E(CL_SUCCESS, clSetKernelArg(groups, 1, too_much, NULL));
    E(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(q, groups, 1, NULL, &many, NULL, 0, NULL, NULL));
    E(CL_SUCCESS, clReleaseKernel(fresh));
    E(CL_INVALID_KERNEL, clRetainKernel(NULL));
    (void)no_sampler;
    const void *slot = bytes, *outside = bytes + 60;
#define NATIVE(n, w) clEnqueueNativeKernel(q, on_native, NULL, 0, 0, NULL, NULL, n, w, NULL)
    WAITS(NATIVE);
    E(CL_INVALID_VALUE, clEnqueueNativeKernel(q, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueNativeKernel(q, on_native, NULL, 4, 0, NULL, NULL, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueNativeKernel(q, on_native, bytes, 0, 0, NULL, NULL, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueNativeKernel(q, on_native, bytes, 64, 1, NULL, &slot, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueNativeKernel(q, on_native, bytes, 64, 1, &m, NULL, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clEnqueueNativeKernel(q, on_native, bytes, 64, 0, &m, NULL, 0, NULL, NULL));
    E(CL_INVALID_VALUE,
      clEnqueueNativeKernel(q, on_native, bytes, 64, 1, &m, &outside, 0, NULL, NULL));
    E(CL_INVALID_MEM_OBJECT,
      clEnqueueNativeKernel(q, on_native, bytes, 64, 1, (cl_mem *)&bad, &slot, 0, NULL, NULL));
}

static void events(void)
{
    cl_event none = NULL, mixed[2] = {ev, other_ev};
    N(CL_INVALID_CONTEXT, clCreateUserEvent(bad, &err));
    E(CL_INVALID_EVENT, clSetUserEventStatus(ev, CL_COMPLETE));
    E(CL_INVALID_EVENT, clSetUserEventStatus(bad, CL_COMPLETE));
    E(CL_INVALID_VALUE, clSetUserEventStatus(user, CL_SUBMITTED));
    E(CL_INVALID_VALUE, clWaitForEvents(0, &ev));
    E(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
    E(CL_INVALID_EVENT, clWaitForEvents(1, &none));
    E(CL_INVALID_CONTEXT, clWaitForEvents(2, mixed));
    E(CL_INVALID_EVENT, clGetEventInfo(bad, CL_EVENT_CONTEXT, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clGetEventInfo(ev, 0x1234, 0, NULL, NULL));
    E(CL_INVALID_VALUE, clGetEventInfo(ev, CL_EVENT_CONTEXT, 4, bytes, NULL));
    E(CL_INVALID_VALUE, clSetEventCallback(ev, CL_COMPLETE, NULL, NULL));
    E(CL_PROFILING_INFO_NOT_AVAILABLE,
      clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, 8, bytes, NULL));
    E(CL_PROFILING_INFO_NOT_AVAILABLE,
      clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, 8, bytes, NULL));
    E(CL_INVALID_EVENT, clGetEventProfilingInfo(bad, CL_PROFILING_COMMAND_END, 8, bytes, NULL));
#define MARKER(n, w)  clEnqueueMarkerWithWaitList(q, n, w, NULL)
#define BARRIER(n, w) clEnqueueBarrierWithWaitList(q, n, w, NULL)
    WAITS(MARKER);
    WAITS(BARRIER);
    E(CL_INVALID_VALUE, clEnqueueMarker(q, NULL));
    E(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(bad, NULL));
    E(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(bad));
    E(CL_INVALID_VALUE, clEnqueueWaitForEvents(q, 0, NULL));
    E(CL_INVALID_EVENT, clEnqueueWaitForEvents(q, 1, &none));
    E(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(q, 1, &other_ev));
}

/* What is not offered says so. */
static void absent(void)
{
    N(CL_INVALID_OPERATION, clCreatePipe(ctx, 0, 4, 4, NULL, &err));
    E(CL_INVALID_MEM_OBJECT, clGetPipeInfo(m, CL_PIPE_PACKET_SIZE, 4, bytes, NULL));
    CHECK(clSVMAlloc(ctx, CL_MEM_READ_WRITE, 64, 0) == NULL);
    clSVMFree(ctx, NULL);
    E(CL_INVALID_OPERATION, clEnqueueSVMMemcpy(q, CL_TRUE, bytes, bytes, 4, 0, NULL, NULL));
    E(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(ctx, dev, q));
}

int main(void)
{
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    other = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    q = clCreateCommandQueue(ctx, dev, 0, &err);
    other_q = clCreateCommandQueue(other, dev, 0, &err);
    m = clCreateBuffer(ctx, 0, 4096, NULL, &err);
    other_m = clCreateBuffer(other, 0, 4096, NULL, &err);
    sub =
        clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){256, 256}, &err);
    image = fake_binary(&image_size);
    p = clCreateProgramWithBinary(ctx, 1, &dev, &image_size, (const uint8_t *[]){image}, NULL,
                                  &err);
    REQUIRE(clBuildProgram(p, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    k = clCreateKernel(p, "inc", &err);
    mix = clCreateKernel(p, "mix", &err);
    groups = clCreateKernel(p, "groups", &err);
    clSetKernelArg(k, 0, sizeof m, &m);
    REQUIRE(clEnqueueMarkerWithWaitList(q, 0, NULL, &ev) == CL_SUCCESS);
    REQUIRE(clEnqueueMarkerWithWaitList(other_q, 0, NULL, &other_ev) == CL_SUCCESS);
    user = clCreateUserEvent(ctx, &err);

    platforms();
    contexts();
    buffers();
    transfers();
    programs();
    misaligned_constant();
    kernels();
    events();
    absent();

    clFinish(q);
    clReleaseEvent(ev);
    clReleaseEvent(other_ev);
    clReleaseEvent(user);
    clReleaseKernel(k);
    clReleaseKernel(mix);
    clReleaseKernel(groups);
    clReleaseProgram(p);
    clReleaseMemObject(sub);
    clReleaseMemObject(m);
    clReleaseMemObject(other_m);
    clReleaseCommandQueue(q);
    clReleaseCommandQueue(other_q);
    clReleaseContext(ctx);
    clReleaseContext(other);
    free(image);
    for (int i = 0; i < 1000 && object_live(OBJECT_CONTEXT); i++)
        usleep(1000); /* the threads may still be putting down what they held */
    for (int i = OBJECT_CONTEXT; i < OBJECT_N_KINDS; i++)
        CHECKF(object_live(i) == 0, "kind %d: %u alive", i, object_live(i));
    return utest_end();
}
