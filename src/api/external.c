/* Memory of other processes and drivers: cl_khr_external_memory, by dma_bufs. The properties that
 * import it, and the commands between which it is OpenCL's. */
#include "src/api/api.h"
#include "src/core/command.h"

#include <fcntl.h>
#include <limits.h>

static int device_index(cl_context ctx, cl_device_id dev)
{
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        if (ctx->devices[i] == dev)
            return (int)i;
    return -1;
}

static bool is_descriptor(cl_mem_properties value)
{
    return value <= INT_MAX && fcntl((int)value, F_GETFD) >= 0;
}

/* The devices of a list, up to its end, as a mask. Moves *at past it. */
static cl_int take_devices(cl_context ctx, const cl_mem_properties **at, unsigned *mask)
{
    cl_int err = CL_SUCCESS;
    for (; **at != CL_MEM_DEVICE_HANDLE_LIST_END_KHR; ++*at) {
        int i = device_index(ctx, (cl_device_id)(uintptr_t) * *at);
        if (i < 0)
            err = CL_INVALID_DEVICE;
        else
            *mask |= 1u << i;
    }
    ++*at;
    return err;
}

cl_int api_mem_properties(cl_context ctx, const cl_mem_properties *list, struct mem_properties *out)
{
    *out = (struct mem_properties){.list = list};
    if (!list)
        return CL_SUCCESS;
    const cl_mem_properties *at = list;
    bool has_devices = false;
    cl_int err = CL_SUCCESS;
    while (*at) {
        cl_mem_properties name = *at++;
        if (name == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR && !out->external && is_descriptor(*at)) {
            out->external = true;
            out->fd = (int)*at++;
        } else if (name == CL_MEM_DEVICE_HANDLE_LIST_KHR && !has_devices && *at) {
            has_devices = true;
            err = take_devices(ctx, &at, &out->devices);
        } else {
            return CL_INVALID_PROPERTY;
        }
    }
    out->n = (size_t)(at - list) + 1;
    if (has_devices && !out->external)
        return CL_INVALID_PROPERTY;
    if (!has_devices)
        out->devices = (1u << ctx->n_devices) - 1;
    for (cl_uint i = 0; out->external && i < ctx->n_devices; i++)
        if (out->devices >> i & 1 && !ctx->devices[i]->info.has_prime)
            err = CL_INVALID_DEVICE;
    return err;
}

/* Order is what the commands add: a batch begins with what others have written, and ends with all
 * of its own written back. */
static cl_int enqueue_turn(cl_command_queue queue, cl_command_type type, cl_uint n_mems,
                           const cl_mem *mems, cl_uint n, const cl_event *waits, cl_event *event)
{
    if ((n_mems == 0) != (mems == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n_mems; i++)
        if (!is_mem(mems[i]) || !mem_root(mems[i])->external)
            return CL_INVALID_MEM_OBJECT;
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    for (cl_uint i = 0; i < n_mems; i++) {
        uint64_t offset;
        if (mems[i]->ctx != queue->ctx || !mem_bo(mems[i], queue->device, &offset))
            return CL_INVALID_COMMAND_QUEUE;
    }
    cl_int err = api_check_waits(queue->ctx, n, waits);
    for (cl_uint i = 0; !err && i < n; i++)
        if (event_status(waits[i]) < 0)
            err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return err ? err : nothing_enqueue(queue, type, n, waits, event);
}

cl_int clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue queue, cl_uint num_mem_objects,
                                             const cl_mem *mem_objects, cl_uint n,
                                             const cl_event *waits, cl_event *event)
{
    return enqueue_turn(queue, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, num_mem_objects,
                        mem_objects, n, waits, event);
}

cl_int clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue queue, cl_uint num_mem_objects,
                                             const cl_mem *mem_objects, cl_uint n,
                                             const cl_event *waits, cl_event *event)
{
    return enqueue_turn(queue, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, num_mem_objects,
                        mem_objects, n, waits, event);
}
