/* Kernels, native kernels, markers, barriers. */
#include "src/api/api.h"
#include "src/core/command.h"

#include <stdint.h>

/* Sizes and offsets of a range; the local size may be NULL. */
static cl_int make_range(cl_device_id dev, cl_uint work_dim, const size_t *offset,
                         const size_t *global, const size_t *local, struct range *r)
{
    /* Work-item functions count in 32 bits whatever size_t is on the device. */
    const uint64_t limit = UINT32_MAX;
    if (work_dim < 1 || work_dim > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (!global)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    *r = (struct range){.dim = work_dim};
    for (cl_uint d = 0; d < work_dim; d++) {
        r->global[d] = global[d];
        r->offset[d] = offset ? offset[d] : 0;
        if (global[d] == 0 || global[d] > limit)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (r->offset[d] > limit || r->offset[d] + global[d] > limit)
            return CL_INVALID_GLOBAL_OFFSET;
        if (local && local[d] == 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        r->local[d] = local ? local[d] : 0;
    }
    return CL_SUCCESS;
}

/* From OpenCL 2.1 on such a range is a command that does nothing. */
static bool range_empty(cl_uint work_dim, const size_t *global)
{
    bool empty = !global;
    if (work_dim < 1 || work_dim > 3)
        return false;
    for (cl_uint d = 0; global && d < work_dim; d++)
        empty |= global[d] == 0;
    return empty;
}

static cl_int check_kernel(cl_command_queue queue, cl_kernel kernel)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    if (kernel->program->ctx != queue->ctx)
        return CL_INVALID_CONTEXT;
    return kernel_code(kernel, queue->device) ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

static cl_int enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_command_type type,
                             cl_uint work_dim, const size_t *offset, const size_t *global,
                             const size_t *local, cl_uint n, const cl_event *waits, cl_event *event)
{
    static const size_t one[3] = {1, 1, 1};
    struct range r;
    bool empty = range_empty(work_dim, global);
    cl_int err = check_kernel(queue, kernel);
    if (!err)
        err = make_range(queue->device, work_dim, offset, empty ? one : global,
                         empty ? NULL : local, &r);
    if (!err && !empty)
        err = launch_check(kernel, queue->device, &r);
    else if (!err)
        err = launch_check_args(kernel, queue->device);
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    if (err)
        return err;
    return empty ? nothing_enqueue(queue, type, n, waits, event)
                 : launch_enqueue(queue, kernel, &r, type, n, waits, event);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                              const size_t *global_work_offset, const size_t *global_work_size,
                              const size_t *local_work_size, cl_uint n, const cl_event *waits,
                              cl_event *event)
{
    return enqueue_kernel(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, work_dim, global_work_offset,
                          global_work_size, local_work_size, n, waits, event);
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint n, const cl_event *waits,
                     cl_event *event)
{
    const size_t one = 1;
    return enqueue_kernel(queue, kernel, CL_COMMAND_TASK, 1, NULL, &one, &one, n, waits, event);
}

cl_int clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel,
                                            cl_uint work_dim, const size_t *global_work_offset,
                                            const size_t *global_work_size,
                                            size_t *suggested_local_work_size)
{
    struct range r;
    cl_int err = check_kernel(queue, kernel);
    if (!err)
        err = make_range(queue->device, work_dim, global_work_offset, global_work_size, NULL, &r);
    if (!err)
        err = launch_check(kernel, queue->device, &r);
    if (!err && !suggested_local_work_size)
        err = CL_INVALID_VALUE;
    for (cl_uint d = 0; !err && d < work_dim; d++)
        suggested_local_work_size[d] = r.local[d];
    return err;
}

cl_int clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *user_func)(void *),
                             void *args, size_t cb_args, cl_uint num_mem_objects,
                             const cl_mem *mem_list, const void **args_mem_loc, cl_uint n,
                             const cl_event *waits, cl_event *event)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!user_func || (!args && (cb_args || num_mem_objects)) || (args && !cb_args) ||
        (num_mem_objects && (!mem_list || !args_mem_loc)) ||
        (!num_mem_objects && (mem_list || args_mem_loc)))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        if (!is_mem(mem_list[i]))
            return CL_INVALID_MEM_OBJECT;
        if (mem_list[i]->ctx != queue->ctx)
            return CL_INVALID_CONTEXT;
        const char *slot = args_mem_loc[i], *begin = args;
        if (slot < begin || cb_args < sizeof(void *) || slot > begin + cb_args - sizeof(void *))
            return CL_INVALID_VALUE;
    }
    cl_int err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : native_enqueue(queue, user_func, args, cb_args, num_mem_objects, mem_list,
                                args_mem_loc, n, waits, event);
}

static cl_int enqueue_marker(cl_command_queue queue, bool barrier, cl_uint n, const cl_event *waits,
                             cl_event *event)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : marker_enqueue(queue, barrier ? CL_COMMAND_BARRIER : CL_COMMAND_MARKER, barrier, n,
                                waits, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits,
                                   cl_event *event)
{
    return enqueue_marker(queue, false, n, waits, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits,
                                    cl_event *event)
{
    return enqueue_marker(queue, true, n, waits, event);
}

cl_int clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (is_queue(queue) && !event)
        return CL_INVALID_VALUE;
    return enqueue_marker(queue, false, 0, NULL, event);
}

cl_int clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_marker(queue, true, 0, NULL, NULL);
}

cl_int clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events,
                              const cl_event *event_list)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (num_events == 0 || !event_list)
        return CL_INVALID_VALUE;
    cl_int err = api_check_waits(queue->ctx, num_events, event_list);
    if (err == CL_INVALID_EVENT_WAIT_LIST)
        return CL_INVALID_EVENT;
    return err ? err
               : marker_enqueue(queue, CL_COMMAND_BARRIER, true, num_events, event_list, NULL);
}
