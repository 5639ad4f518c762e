/* Error conditions of platforms, devices, contexts, queues and events, and of what isn't offered.
 */
#include "api_errors.h"

static void CL_CALLBACK note(const char *text, const void *data, size_t size, void *user_data)
{
    (void)text, (void)data, (void)size, (void)user_data;
}

static void contexts(void)
{
    cl_context_properties not_one[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)ctx, 0},
                          unknown[] = {0x7777, 1, 0},
                          value[] = {CL_CONTEXT_INTEROP_USER_SYNC, 7, 0},
                          twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                     CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0},
                          good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_device_id wrong[2] = {dev, WRONG(cl_device_id)};
    cl_context (*create)(const cl_context_properties *, cl_uint, const cl_device_id *,
                         void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
                         cl_int *);
    cl_context (*from_type)(const cl_context_properties *, cl_device_type,
                            void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
                            cl_int *);
    /* The driver's own: a loader looks for its way by the platform in the list. */
    *(void **)&create = clGetExtensionFunctionAddressForPlatform(platform, "clCreateContext");
    *(void **)&from_type =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateContextFromType");
    REQUIRE(create && from_type);
#define CREATE(n_row, ...) N(clCreateContext, n_row, create(__VA_ARGS__, &err))
    CREATE(2, not_one, 1, &dev, note, NULL);
    CREATE(3, unknown, 1, &dev, note, NULL);
    CREATE(4, value, 1, &dev, note, NULL);
    CREATE(5, twice, 1, &dev, note, NULL);
    CREATE(6, good, 1, NULL, note, NULL);
    CREATE(7, good, 0, &dev, note, NULL);
    CREATE(8, good, 1, &dev, NULL, bytes);
    CREATE(9, good, 2, wrong, note, NULL);
#define TYPE(n_row, ...) N(clCreateContextFromType, n_row, from_type(__VA_ARGS__, &err))
    TYPE(2, not_one, CL_DEVICE_TYPE_GPU, note, NULL);
    TYPE(3, unknown, CL_DEVICE_TYPE_GPU, note, NULL);
    TYPE(4, value, CL_DEVICE_TYPE_GPU, note, NULL);
    TYPE(5, twice, CL_DEVICE_TYPE_GPU, note, NULL);
    TYPE(6, good, CL_DEVICE_TYPE_GPU, NULL, bytes);
    TYPE(7, good, 0, note, NULL);
    TYPE(7, good, 1 << 20, note, NULL);
    TYPE(9, good, CL_DEVICE_TYPE_CPU, note, NULL);
    E(clRetainContext, 1, clRetainContext((cl_context)q));
    E(clReleaseContext, 1, clReleaseContext((cl_context)q));
    QUERY(clGetContextInfo, 1, 2, 3, (cl_context)q, ctx, CL_CONTEXT_NUM_DEVICES);
    E(clSetContextDestructorCallback, 1,
      clSetContextDestructorCallback((cl_context)q, (void (*)(cl_context, void *))abort, NULL));
    E(clSetContextDestructorCallback, 2, clSetContextDestructorCallback(ctx, NULL, NULL));
}

static void queues(void)
{
    cl_device_id wrong = WRONG(cl_device_id);
    cl_queue_properties unknown[] = {0x7777, 1, 0}, bits[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0},
                        on_device[] = {CL_QUEUE_PROPERTIES,
                                       CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                       0},
                        in_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0},
                        hints[2][5] = {{CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
                                        CL_QUEUE_PROPERTIES, on_device[1], 0},
                                       {CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR,
                                        CL_QUEUE_PROPERTIES, on_device[1], 0}},
                        no_hint[] = {CL_QUEUE_PRIORITY_KHR, 3, 0};
    cl_command_queue (*khr)(cl_context, cl_device_id, const cl_queue_properties *, cl_int *);
    *(void **)&khr =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR");
    REQUIRE(khr);
#define QUEUES(fn, create)                                                                         \
    N(fn, 1, create((cl_context)q, dev, NULL, &err));                                              \
    N(fn, 2, create(ctx, wrong, NULL, &err));                                                      \
    N(fn, 4, create(ctx, dev, unknown, &err));                                                     \
    N(fn, 4, create(ctx, dev, bits, &err));                                                        \
    N(fn, 4, create(ctx, dev, in_order, &err));                                                    \
    N(fn, 4, create(ctx, dev, no_hint, &err));                                                     \
    N(fn, 5, create(ctx, dev, on_device, &err));                                                   \
    N(fn, 6, create(ctx, dev, hints[0], &err));                                                    \
    N(fn, 7, create(ctx, dev, hints[1], &err))
    QUEUES(clCreateCommandQueueWithProperties, clCreateCommandQueueWithProperties);
    QUEUES(clCreateCommandQueueWithPropertiesKHR, khr);
    N(clCreateCommandQueue, 1, clCreateCommandQueue((cl_context)q, dev, 0, &err));
    N(clCreateCommandQueue, 2, clCreateCommandQueue(ctx, wrong, 0, &err));
    N(clCreateCommandQueue, 4, clCreateCommandQueue(ctx, dev, 1 << 20, &err));
    E(clSetDefaultDeviceCommandQueue, 1, clSetDefaultDeviceCommandQueue((cl_context)q, dev, q));
    E(clSetDefaultDeviceCommandQueue, 2, clSetDefaultDeviceCommandQueue(ctx, wrong, q));
    E(clSetDefaultDeviceCommandQueue, 4, clSetDefaultDeviceCommandQueue(ctx, dev, q));
    E(clRetainCommandQueue, 1, clRetainCommandQueue(WRONG(cl_command_queue)));
    E(clReleaseCommandQueue, 1, clReleaseCommandQueue(WRONG(cl_command_queue)));
    QUERY(clGetCommandQueueInfo, 1, 3, 4, WRONG(cl_command_queue), q, CL_QUEUE_PROPERTIES);
    E(clGetCommandQueueInfo, 2, clGetCommandQueueInfo(q, CL_QUEUE_SIZE, 4, bytes, NULL));
    E(clSetCommandQueueProperty, 1,
      clSetCommandQueueProperty(WRONG(cl_command_queue), CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL));
    E(clSetCommandQueueProperty, 2,
      clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL));
    E(clFlush, 1, clFlush(WRONG(cl_command_queue)));
    E(clFinish, 1, clFinish(WRONG(cl_command_queue)));
}

void test_platforms(void)
{
    cl_platform_id p;
    cl_device_id d;
    cl_uint n = 7;
    cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *);
    *(void **)&platforms = clGetExtensionFunctionAddressForPlatform(platform, "clGetPlatformIDs");
    REQUIRE(platforms);
    E(clGetPlatformIDs, 2, platforms(0, &p, &n));
    E(clGetPlatformIDs, 3, platforms(1, NULL, NULL));
    *(void **)&platforms =
        clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR");
    REQUIRE(platforms);
    E(clIcdGetPlatformIDsKHR, 2, platforms(0, &p, &n));
    E(clIcdGetPlatformIDsKHR, 3, platforms(1, NULL, NULL));
    QUERY(clGetPlatformInfo, 1, 2, 3, WRONG(cl_platform_id), platform, CL_PLATFORM_NAME);
    E(clGetDeviceIDs, 1, clGetDeviceIDs(WRONG(cl_platform_id), CL_DEVICE_TYPE_ALL, 1, &d, &n));
    E(clGetDeviceIDs, 2, clGetDeviceIDs(platform, 0, 1, &d, &n));
    E(clGetDeviceIDs, 2, clGetDeviceIDs(platform, 1 << 20, 1, &d, &n));
    E(clGetDeviceIDs, 3, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &d, &n));
    E(clGetDeviceIDs, 4, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL));
    E(clGetDeviceIDs, 5, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &d, &n));
    QUERY(clGetDeviceInfo, 1, 2, 3, WRONG(cl_device_id), dev, CL_DEVICE_NAME);
    cl_ulong t;
    E(clGetDeviceAndHostTimer, 1, clGetDeviceAndHostTimer(WRONG(cl_device_id), &t, &t));
    E(clGetDeviceAndHostTimer, 3, clGetDeviceAndHostTimer(dev, &t, NULL));
    E(clGetDeviceAndHostTimer, 4, clGetDeviceAndHostTimer(dev, NULL, &t));
    E(clGetHostTimer, 1, clGetHostTimer(WRONG(cl_device_id), &t));
    E(clGetHostTimer, 3, clGetHostTimer(dev, NULL));
    cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0},
                                 unknown[] = {0x7777, 2, 0};
    E(clCreateSubDevices, 1, clCreateSubDevices(WRONG(cl_device_id), equally, 1, &d, &n));
    E(clCreateSubDevices, 2, clCreateSubDevices(dev, NULL, 1, &d, &n));
    E(clCreateSubDevices, 2, clCreateSubDevices(dev, unknown, 1, &d, &n));
    E(clCreateSubDevices, 3, clCreateSubDevices(dev, equally, 1, &d, &n));
    E(clRetainDevice, 1, clRetainDevice(WRONG(cl_device_id)));
    E(clReleaseDevice, 1, clReleaseDevice(WRONG(cl_device_id)));
    void *(*address)(cl_platform_id, const char *);
    *(void **)&address = clGetExtensionFunctionAddressForPlatform(
        platform, "clGetExtensionFunctionAddressForPlatform");
    REQUIRE(address);
    provoked_result("clGetExtensionFunctionAddressForPlatform", 1,
                    !address(platform, "clNoSuchFunction") &&
                        !address(WRONG(cl_platform_id), "clGetPlatformIDs"),
                    __LINE__);
    provoked_result("clGetExtensionFunctionAddress", 1,
                    !clGetExtensionFunctionAddress("clNoSuchFunctionKHR"), __LINE__);
    contexts();
    queues();
}

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
}

void test_events(void)
{
    cl_event wrong = WRONG(cl_event), mixed[2] = {done, other_done}, both[2] = {done, failed},
             set = clCreateUserEvent(ctx, &err), profiled;
    N(clCreateUserEvent, 1, clCreateUserEvent((cl_context)q, &err));
    E(clSetUserEventStatus, 1, clSetUserEventStatus(WRONG(cl_event), CL_COMPLETE));
    E(clSetUserEventStatus, 1, clSetUserEventStatus(done, CL_COMPLETE));
    E(clSetUserEventStatus, 2, clSetUserEventStatus(set, CL_SUBMITTED));
    CHECK(clSetUserEventStatus(set, CL_COMPLETE) == CL_SUCCESS);
    E(clSetUserEventStatus, 3, clSetUserEventStatus(set, -1));
    E(clWaitForEvents, 1, clWaitForEvents(0, &done));
    E(clWaitForEvents, 1, clWaitForEvents(1, NULL));
    E(clWaitForEvents, 2, clWaitForEvents(2, mixed));
    E(clWaitForEvents, 3, clWaitForEvents(1, &wrong));
    E(clWaitForEvents, 4, clWaitForEvents(2, both));
    QUERY(clGetEventInfo, 1, 2, 3, WRONG(cl_event), done, CL_EVENT_COMMAND_TYPE);
    E(clSetEventCallback, 1, clSetEventCallback(WRONG(cl_event), CL_COMPLETE, on_event, NULL));
    E(clSetEventCallback, 2, clSetEventCallback(done, CL_COMPLETE, NULL, NULL));
    E(clSetEventCallback, 2, clSetEventCallback(done, CL_QUEUED, on_event, NULL));
    E(clRetainEvent, 1, clRetainEvent(WRONG(cl_event)));
    E(clReleaseEvent, 1, clReleaseEvent(WRONG(cl_event)));
    clReleaseEvent(set);

#define MARKER(n, w)  clEnqueueMarkerWithWaitList(q, n, w, NULL)
#define BARRIER(n, w) clEnqueueBarrierWithWaitList(q, n, w, NULL)
    E(clEnqueueMarkerWithWaitList, 1,
      clEnqueueMarkerWithWaitList(WRONG(cl_command_queue), 0, NULL, NULL));
    E(clEnqueueBarrierWithWaitList, 1,
      clEnqueueBarrierWithWaitList(WRONG(cl_command_queue), 0, NULL, NULL));
    WAITS(clEnqueueMarkerWithWaitList, 2, 3, 4, 5, MARKER);
    WAITS(clEnqueueBarrierWithWaitList, 2, 3, 4, 5, BARRIER);
    E(clEnqueueMarker, 1, clEnqueueMarker(WRONG(cl_command_queue), &profiled));
    E(clEnqueueMarker, 2, clEnqueueMarker(q, NULL));
    E(clEnqueueBarrier, 1, clEnqueueBarrier(WRONG(cl_command_queue)));
    E(clEnqueueWaitForEvents, 1, clEnqueueWaitForEvents(WRONG(cl_command_queue), 1, &done));
    E(clEnqueueWaitForEvents, 2, clEnqueueWaitForEvents(q, 1, &other_done));
    E(clEnqueueWaitForEvents, 3, clEnqueueWaitForEvents(q, 0, &done));
    E(clEnqueueWaitForEvents, 3, clEnqueueWaitForEvents(q, 1, NULL));
    E(clEnqueueWaitForEvents, 4, clEnqueueWaitForEvents(q, 1, &wrong));

#define PROFILE(e, name, size) clGetEventProfilingInfo(e, name, size, bytes, NULL)
    REQUIRE(!clEnqueueMarkerWithWaitList(profiled_q, 0, NULL, &profiled) && !clFinish(profiled_q));
    E(clGetEventProfilingInfo, 1, PROFILE(WRONG(cl_event), CL_PROFILING_COMMAND_END, 8));
    E(clGetEventProfilingInfo, 2, PROFILE(done, CL_PROFILING_COMMAND_END, 8));
    E(clGetEventProfilingInfo, 2, PROFILE(user, CL_PROFILING_COMMAND_END, 8));
    E(clGetEventProfilingInfo, 3, PROFILE(profiled, 0x7777, 8));
    E(clGetEventProfilingInfo, 4, PROFILE(profiled, CL_PROFILING_COMMAND_END, 4));
    clReleaseEvent(profiled);
}

void test_absent(void)
{
    N(clCreatePipe, 1, clCreatePipe((cl_context)q, 0, 4, 4, NULL, &err));
    N(clCreatePipe, 2, clCreatePipe(ctx, 0, 4, 4, NULL, &err));
    E(clGetPipeInfo, 1, clGetPipeInfo(m, CL_PIPE_PACKET_SIZE, 4, bytes, NULL));
}
