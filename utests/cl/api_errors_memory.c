/* No memory: each call with its first, second, ... allocation failing on the thread that makes it,
 * until it needs no more. The call gives CL_OUT_OF_HOST_MEMORY and no object, or does without; an
 * enqueue that finds out later ends its event with an error. What asks for no memory is in the
 * table as such. The program's own malloc() does it: the driver finds it before libc's. */
#include "api_errors.h"

#include <errno.h>

/* 0: none fails. */
static _Thread_local unsigned fail_at, n_allocations;

/* The allocator behind: free() is the sanitizer's where there is one, and takes only what it gave.
 */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define BEHIND(fn) __interceptor_##fn
#else
#define BEHIND(fn) __libc_##fn
#endif
void *BEHIND(malloc)(size_t n);
void *BEHIND(calloc)(size_t k, size_t n);
void *BEHIND(realloc)(void *p, size_t n);

static bool fails(void)
{
    if (!fail_at || ++n_allocations != fail_at)
        return false;
    errno = ENOMEM;
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t n)
{
    return fails() ? NULL : BEHIND(malloc)(n);
}

__attribute__((visibility("default"))) void *calloc(size_t k, size_t n)
{
    return fails() ? NULL : BEHIND(calloc)(k, n);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t n)
{
    return fails() ? NULL : BEHIND(realloc)(p, n);
}

/* What the call has given is over: what else the test does gets its memory. */
static bool given(void *object)
{
    fail_at = 0;
    CHECKF((object != NULL) == (err == CL_SUCCESS || err == CL_LINK_PROGRAM_FAILURE), "%p and %d",
           object, err);
    return object != NULL;
}

#define MAKES(fn, release, ...)                                                                    \
    static cl_int call_##fn(void)                                                                  \
    {                                                                                              \
        void *made = fn(__VA_ARGS__, &err);                                                        \
        if (given(made))                                                                           \
            CHECK(release(made) == CL_SUCCESS);                                                    \
        return err;                                                                                \
    }
#define GIVES(fn, ...)                                                                             \
    static cl_int call_##fn(void)                                                                  \
    {                                                                                              \
        cl_int e = fn(__VA_ARGS__);                                                                \
        fail_at = 0;                                                                               \
        return e;                                                                                  \
    }
/* With an event; ends it. */
static cl_event event;
static cl_int enqueued(cl_int e)
{
    fail_at = 0;
    if (e)
        return e;
    cl_int status;
    clWaitForEvents(1, &event);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    CHECKF(status == CL_COMPLETE || status == CL_OUT_OF_HOST_MEMORY, "an event of %d", status);
    CHECK(clReleaseEvent(event) == CL_SUCCESS);
    return status;
}
#define ENQUEUES(fn, ...)                                                                          \
    static cl_int call_##fn(void)                                                                  \
    {                                                                                              \
        return enqueued(fn(q, __VA_ARGS__, 0, NULL, &event));                                      \
    }

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc square = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
static const char *text = "kernel void k(global int *p) { *p = 1; }";
static const unsigned char *binary;
static size_t binary_size;
static const cl_buffer_region half = {0, 2048};
static const cl_uint four = 4;
static cl_uint room[1024];
static const size_t one = 1, eight3[3] = {8, 8, 1};
static char *svm;

static void CL_CALLBACK on_memory(cl_mem mem, void *data)
{
    (void)mem, (void)data;
}

static void CL_CALLBACK on_context(cl_context c, void *data)
{
    (void)c, (void)data;
}

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
}

static void CL_CALLBACK on_native(void *args)
{
    (void)args;
}

MAKES(clCreateContext, clReleaseContext, NULL, 1, &dev, NULL, NULL)
MAKES(clCreateContextFromType, clReleaseContext, NULL, CL_DEVICE_TYPE_GPU, NULL, NULL)
MAKES(clCreateCommandQueue, clReleaseCommandQueue, ctx, dev, 0)
MAKES(clCreateCommandQueueWithProperties, clReleaseCommandQueue, ctx, dev,
      (cl_queue_properties[]){CL_QUEUE_PROPERTIES, 0, 0})
MAKES(clCreateBuffer, clReleaseMemObject, ctx, CL_MEM_COPY_HOST_PTR, 4096, bytes)
MAKES(clCreateBufferWithProperties, clReleaseMemObject, ctx, (cl_mem_properties[]){0}, 0, 4096,
      NULL)
MAKES(clCreateSubBuffer, clReleaseMemObject, m, 0, CL_BUFFER_CREATE_TYPE_REGION, &half)
MAKES(clCreateImage, clReleaseMemObject, ctx, 0, &rgba8, &square, NULL)
MAKES(clCreateImageWithProperties, clReleaseMemObject, ctx, (cl_mem_properties[]){0}, 0, &rgba8,
      &square, NULL)
MAKES(clCreateImage2D, clReleaseMemObject, ctx, CL_MEM_COPY_HOST_PTR, &rgba8, 8, 8, 0, bytes)
MAKES(clCreateImage3D, clReleaseMemObject, ctx, 0, &rgba8, 8, 8, 4, 0, 0, NULL)
MAKES(clCreateSampler, clReleaseSampler, ctx, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST)
MAKES(clCreateSamplerWithProperties, clReleaseSampler, ctx,
      (cl_sampler_properties[]){CL_SAMPLER_NORMALIZED_COORDS, 0, 0})
MAKES(clCreateProgramWithSource, clReleaseProgram, ctx, 1, &text, NULL)
MAKES(clCreateProgramWithBinary, clReleaseProgram, ctx, 1, &dev, &binary_size, &binary, NULL)
MAKES(clCreateKernel, clReleaseKernel, program, "k")
MAKES(clCloneKernel, clReleaseKernel, k)
MAKES(clLinkProgram, clReleaseProgram, ctx, 0, NULL, NULL, 1, &object, NULL, NULL)

static cl_int call_clCreateUserEvent(void)
{
    cl_event e = clCreateUserEvent(ctx, &err);
    if (given(e))
        CHECK(clReleaseEvent(e) == CL_SUCCESS);
    return err;
}

static cl_int call_clCreateKernelsInProgram(void)
{
    cl_kernel made[8] = {NULL};
    cl_uint n;
    cl_int e = clCreateKernelsInProgram(program, 8, made, &n);
    fail_at = 0;
    for (unsigned i = 0; i < 8; i++)
        if (made[i] && !e)
            CHECK(clReleaseKernel(made[i]) == CL_SUCCESS);
    return e;
}

static cl_int built(cl_int (*build)(cl_program p))
{
    unsigned at = fail_at;
    fail_at = 0;
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    fail_at = at;
    cl_int e = build(p);
    fail_at = 0;
    CHECK(clReleaseProgram(p) == CL_SUCCESS);
    return e;
}

static cl_int build(cl_program p)
{
    return clBuildProgram(p, 0, NULL, "-DX=1", NULL, NULL);
}

static cl_int compile(cl_program p)
{
    return clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
}

static cl_int call_clBuildProgram(void)
{
    return built(build);
}

static cl_int call_clCompileProgram(void)
{
    return built(compile);
}

static cl_int call_clSetMemObjectDestructorCallback(void)
{
    unsigned at = fail_at;
    fail_at = 0;
    cl_mem fresh = clCreateBuffer(ctx, 0, 64, NULL, &err);
    fail_at = at;
    cl_int e = clSetMemObjectDestructorCallback(fresh, on_memory, NULL);
    fail_at = 0;
    CHECK(clReleaseMemObject(fresh) == CL_SUCCESS);
    return e;
}

static cl_int call_clSetContextDestructorCallback(void)
{
    unsigned at = fail_at;
    fail_at = 0;
    cl_context fresh = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    fail_at = at;
    cl_int e = clSetContextDestructorCallback(fresh, on_context, NULL);
    fail_at = 0;
    CHECK(clReleaseContext(fresh) == CL_SUCCESS);
    return e;
}

static cl_int mapped(cl_mem mem, void *p)
{
    fail_at = 0;
    CHECK((p != NULL) == (err == CL_SUCCESS));
    if (p)
        CHECK(clEnqueueUnmapMemObject(q, mem, p, 0, NULL, NULL) == CL_SUCCESS);
    return err;
}

static cl_int call_clEnqueueMapBuffer(void)
{
    return mapped(m, clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &err));
}

static cl_int call_clEnqueueMapImage(void)
{
    size_t pitch;
    return mapped(im2, clEnqueueMapImage(q, im2, CL_TRUE, CL_MAP_READ, zero3, eight3, &pitch, NULL,
                                         0, NULL, NULL, &err));
}

static cl_int call_clEnqueueUnmapMemObject(void)
{
    unsigned at = fail_at;
    fail_at = 0;
    void *p = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &err);
    fail_at = at;
    cl_int e = enqueued(clEnqueueUnmapMemObject(q, m, p, 0, NULL, &event));
    if (e)
        clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL);
    return e;
}

ENQUEUES(clEnqueueReadBuffer, m, CL_FALSE, 0, 64, room)
ENQUEUES(clEnqueueWriteBuffer, m, CL_FALSE, 0, 64, room)
ENQUEUES(clEnqueueReadBufferRect, m, CL_FALSE, zero3, zero3, one3, 0, 0, 0, 0, room)
ENQUEUES(clEnqueueWriteBufferRect, m, CL_FALSE, zero3, zero3, one3, 0, 0, 0, 0, room)
ENQUEUES(clEnqueueCopyBuffer, m, pixels, 0, 0, 64)
ENQUEUES(clEnqueueCopyBufferRect, m, pixels, zero3, zero3, one3, 0, 0, 0, 0)
ENQUEUES(clEnqueueFillBuffer, m, &four, 4, 0, 64)
ENQUEUES(clEnqueueReadImage, im2, CL_FALSE, zero3, eight3, 0, 0, room)
ENQUEUES(clEnqueueWriteImage, im2, CL_FALSE, zero3, eight3, 0, 0, room)
ENQUEUES(clEnqueueCopyImage, im2, im3, zero3, zero3, eight3)
ENQUEUES(clEnqueueFillImage, im2, room, zero3, eight3)
ENQUEUES(clEnqueueCopyImageToBuffer, im2, m, zero3, eight3, 0)
ENQUEUES(clEnqueueCopyBufferToImage, m, im2, 0, zero3, eight3)
ENQUEUES(clEnqueueMigrateMemObjects, 1, &m, 0)
ENQUEUES(clEnqueueNDRangeKernel, k, 1, NULL, &one, NULL)
ENQUEUES(clEnqueueTask, k)
ENQUEUES(clEnqueueNativeKernel, on_native, room, 4, 0, NULL, NULL)

static cl_int call_clEnqueueMarkerWithWaitList(void)
{
    return enqueued(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
}

static cl_int call_clEnqueueBarrierWithWaitList(void)
{
    return enqueued(clEnqueueBarrierWithWaitList(q, 0, NULL, &event));
}

static cl_int call_clEnqueueMarker(void)
{
    return enqueued(clEnqueueMarker(q, &event));
}

GIVES(clEnqueueBarrier, q)
GIVES(clEnqueueWaitForEvents, q, 1, &done)
GIVES(clSetEventCallback, done, CL_COMPLETE, on_event, NULL)
GIVES(clSetKernelArg, k, 0, sizeof m, &m)
GIVES(clGetSupportedImageFormats, ctx, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, room)
GIVES(clGetPlatformInfo, platform, CL_PLATFORM_EXTENSIONS, sizeof room, room, NULL)
GIVES(clGetDeviceInfo, dev, CL_DEVICE_EXTENSIONS, sizeof room, room, NULL)
GIVES(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 0, NULL, room)
GIVES(clGetContextInfo, ctx, CL_CONTEXT_DEVICES, sizeof room, room, NULL)
GIVES(clGetCommandQueueInfo, q, CL_QUEUE_PROPERTIES, sizeof room, room, NULL)
GIVES(clGetMemObjectInfo, m, CL_MEM_SIZE, sizeof room, room, NULL)
GIVES(clGetImageInfo, im2, CL_IMAGE_WIDTH, sizeof room, room, NULL)
GIVES(clGetSamplerInfo, sampler, CL_SAMPLER_FILTER_MODE, sizeof room, room, NULL)
GIVES(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES, sizeof room, room, NULL)
GIVES(clGetProgramBuildInfo, program, dev, CL_PROGRAM_BUILD_STATUS, sizeof room, room, NULL)
GIVES(clGetKernelInfo, k, CL_KERNEL_FUNCTION_NAME, sizeof room, room, NULL)
GIVES(clGetKernelArgInfo, k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof room, room, NULL)
GIVES(clGetKernelWorkGroupInfo, k, dev, CL_KERNEL_WORK_GROUP_SIZE, sizeof room, room, NULL)
GIVES(clGetKernelSubGroupInfo, k, dev, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof one, &one,
      sizeof room, room, NULL)
GIVES(clGetEventInfo, done, CL_EVENT_COMMAND_TYPE, sizeof room, room, NULL)
GIVES(clGetDeviceAndHostTimer, dev, (cl_ulong *)room, (cl_ulong *)room + 1)
GIVES(clGetHostTimer, dev, (cl_ulong *)room)
GIVES(clFlush, q)
GIVES(clFinish, q)
GIVES(clWaitForEvents, 1, &done)

/* Retained and released again. */
#define COUNTS(retain, release, object)                                                            \
    static cl_int call_##retain(void)                                                              \
    {                                                                                              \
        cl_int e = retain(object);                                                                 \
        fail_at = 0;                                                                               \
        release(object);                                                                           \
        return e;                                                                                  \
    }                                                                                              \
    static cl_int call_##release(void)                                                             \
    {                                                                                              \
        retain(object);                                                                            \
        cl_int e = release(object);                                                                \
        fail_at = 0;                                                                               \
        return e;                                                                                  \
    }
COUNTS(clRetainDevice, clReleaseDevice, dev)
COUNTS(clRetainContext, clReleaseContext, ctx)
COUNTS(clRetainCommandQueue, clReleaseCommandQueue, q)
COUNTS(clRetainMemObject, clReleaseMemObject, m)
COUNTS(clRetainSampler, clReleaseSampler, sampler)
COUNTS(clRetainProgram, clReleaseProgram, program)
COUNTS(clRetainKernel, clReleaseKernel, k)
COUNTS(clRetainEvent, clReleaseEvent, done)

static cl_int call_clSetUserEventStatus(void)
{
    unsigned at = fail_at;
    fail_at = 0;
    cl_event e = clCreateUserEvent(ctx, &err);
    fail_at = at;
    cl_int code = clSetUserEventStatus(e, CL_COMPLETE);
    fail_at = 0;
    CHECK(clReleaseEvent(e) == CL_SUCCESS);
    return code;
}

/* Those of shared virtual memory, where the device has it. */
ENQUEUES(clEnqueueSVMMemcpy, CL_FALSE, svm, svm + 64, 64)
ENQUEUES(clEnqueueSVMMemFill, svm, &four, 4, 64)
ENQUEUES(clEnqueueSVMMap, CL_FALSE, CL_MAP_WRITE, svm, 64)
ENQUEUES(clEnqueueSVMUnmap, svm)
ENQUEUES(clEnqueueSVMMigrateMem, 1, (const void *[]){svm}, NULL, 0)
GIVES(clSetKernelArgSVMPointer, k, 0, svm)
GIVES(clSetKernelExecInfo, k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof svm, &svm)

static cl_int call_clEnqueueSVMFree(void)
{
    unsigned at = fail_at;
    fail_at = 0;
    void *p = clSVMAlloc(ctx, 0, 4096, 0);
    fail_at = at;
    cl_int e = enqueued(clEnqueueSVMFree(q, 1, &p, NULL, NULL, 0, NULL, &event));
    if (e)
        clSVMFree(ctx, p);
    return e;
}

static const struct call {
    const char *function;
    cl_int (*run)(void);
    bool svm;
    cl_int also; /* how else it may end: a build with a log that says so, or for want of something
                    else */
} calls[] = {
#define CALL(fn)            {#fn, call_##fn, false, 0},
#define ELSE_CALL(fn, code) {#fn, call_##fn, false, code},
#define SVM_CALL(fn)        {#fn, call_##fn, true, 0},
    CALL(clCreateContext) CALL(clCreateContextFromType) CALL(clCreateCommandQueue) CALL(
        clCreateCommandQueueWithProperties) CALL(clCreateBuffer) CALL(clCreateBufferWithProperties)
        CALL(clCreateSubBuffer) CALL(clCreateImage) CALL(clCreateImageWithProperties) CALL(
            clCreateImage2D) CALL(clCreateImage3D) CALL(clCreateSampler) CALL(clCreateSamplerWithProperties)
            CALL(clCreateProgramWithSource) CALL(clCreateProgramWithBinary) CALL(clCreateKernel) CALL(
                clCloneKernel) ELSE_CALL(clLinkProgram,
                                         CL_LINK_PROGRAM_FAILURE) CALL(clCreateUserEvent)
                CALL(clCreateKernelsInProgram) ELSE_CALL(clBuildProgram, CL_BUILD_PROGRAM_FAILURE) ELSE_CALL(
                    clCompileProgram,
                    CL_COMPILE_PROGRAM_FAILURE) CALL(clSetMemObjectDestructorCallback) CALL(clSetContextDestructorCallback)
                    CALL(clEnqueueMapBuffer) CALL(clEnqueueMapImage) CALL(clEnqueueUnmapMemObject) CALL(
                        clEnqueueReadBuffer) CALL(clEnqueueWriteBuffer) CALL(clEnqueueReadBufferRect)
                        CALL(clEnqueueWriteBufferRect) CALL(clEnqueueCopyBuffer) CALL(
                            clEnqueueCopyBufferRect) CALL(clEnqueueFillBuffer) CALL(clEnqueueReadImage)
                            CALL(clEnqueueWriteImage) CALL(clEnqueueCopyImage) CALL(clEnqueueFillImage) CALL(
                                clEnqueueCopyImageToBuffer) CALL(clEnqueueCopyBufferToImage) CALL(clEnqueueMigrateMemObjects)
                                CALL(clEnqueueNDRangeKernel) CALL(clEnqueueTask) CALL(clEnqueueNativeKernel) CALL(
                                    clEnqueueMarkerWithWaitList) CALL(clEnqueueBarrierWithWaitList)
                                    CALL(clEnqueueMarker) CALL(clEnqueueBarrier) CALL(
                                        clEnqueueWaitForEvents) CALL(clSetEventCallback) CALL(clSetKernelArg)
                                        CALL(clGetSupportedImageFormats) CALL(clGetPlatformInfo) CALL(
                                            clGetDeviceInfo) CALL(clGetDeviceIDs)
                                            CALL(clGetContextInfo) CALL(clGetCommandQueueInfo) CALL(
                                                clGetMemObjectInfo) CALL(clGetImageInfo) CALL(clGetSamplerInfo)
                                                CALL(clGetProgramInfo) CALL(clGetProgramBuildInfo) CALL(
                                                    clGetKernelInfo) ELSE_CALL(clGetKernelArgInfo,
                                                                               CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
                                                    CALL(clGetKernelWorkGroupInfo) CALL(
                                                        clGetKernelSubGroupInfo) CALL(clGetEventInfo)
                                                        CALL(clGetDeviceAndHostTimer) CALL(clGetHostTimer) CALL(
                                                            clFlush) CALL(clFinish) CALL(clWaitForEvents)
                                                            CALL(clRetainDevice) CALL(clReleaseDevice) CALL(
                                                                clRetainContext) CALL(clReleaseContext)
                                                                CALL(clRetainCommandQueue) CALL(
                                                                    clReleaseCommandQueue) CALL(clRetainMemObject)
                                                                    CALL(clReleaseMemObject) CALL(
                                                                        clRetainSampler) CALL(clReleaseSampler)
                                                                        CALL(clRetainProgram) CALL(
                                                                            clReleaseProgram) CALL(clRetainKernel)
                                                                            CALL(clReleaseKernel) CALL(
                                                                                clRetainEvent) CALL(clReleaseEvent)
                                                                                CALL(clSetUserEventStatus) SVM_CALL(
                                                                                    clEnqueueSVMMemcpy)
                                                                                    SVM_CALL(clEnqueueSVMMemFill) SVM_CALL(
                                                                                        clEnqueueSVMMap)
                                                                                        SVM_CALL(
                                                                                            clEnqueueSVMUnmap)
                                                                                            SVM_CALL(
                                                                                                clEnqueueSVMMigrateMem)
                                                                                                SVM_CALL(
                                                                                                    clEnqueueSVMFree)
                                                                                                    SVM_CALL(
                                                                                                        clSetKernelArgSVMPointer)
                                                                                                        SVM_CALL(
                                                                                                            clSetKernelExecInfo)
#undef CALL
#undef ELSE_CALL
#undef SVM_CALL
};

void test_memory(void)
{
    static unsigned char image[1 << 20];
    unsigned char *images = image;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binary_size, &binary_size, NULL);
    REQUIRE(binary_size <= sizeof image);
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof images, &images, NULL);
    binary = image;
    svm = clSVMAlloc(ctx, 0, 4096, 0);
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct call *c = &calls[i];
        if (c->svm && !svm) {
            no_memory(c->function, false, false);
            continue;
        }
        unsigned n = 0;
        bool failed = false, more = true;
        while (more && n < 1000) {
            fail_at = ++n;
            n_allocations = 0;
            cl_int code = c->run();
            fail_at = 0;
            more = n_allocations >= n;
            CHECKF(code == CL_SUCCESS || code == c->also || (more && code == CL_OUT_OF_HOST_MEMORY),
                   "%s: %d without allocation %u", c->function, code, n);
            failed |= code == CL_OUT_OF_HOST_MEMORY;
        }
        CHECKF(!more, "%s never ends", c->function);
        no_memory(c->function, true, failed);
        clSetKernelArg(k, 0, sizeof m, &m);
        clFinish(q);
    }
    if (svm)
        clSVMFree(ctx, svm);
}
