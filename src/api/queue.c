/* Command queues. */
#include "src/api/api.h"

static const cl_command_queue_properties offered =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/* A priority or throttle: one of three. All queues of a device share one ring, so that they are
 * kept but change nothing, as the extensions allow. */
static bool hint_valid(cl_queue_properties hint)
{
    return hint == CL_QUEUE_PRIORITY_LOW_KHR || hint == CL_QUEUE_PRIORITY_MED_KHR ||
           hint == CL_QUEUE_PRIORITY_HIGH_KHR;
}

_Static_assert(CL_QUEUE_PRIORITY_LOW_KHR == CL_QUEUE_THROTTLE_LOW_KHR &&
                   CL_QUEUE_PRIORITY_MED_KHR == CL_QUEUE_THROTTLE_MED_KHR &&
                   CL_QUEUE_PRIORITY_HIGH_KHR == CL_QUEUE_THROTTLE_HIGH_KHR,
               "hints of both kinds have the same values");

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *errcode_ret)
{
    cl_command_queue_properties flags = 0;
    unsigned seen = 0;
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!is_device(device) || !context_has_device(context, device))
        return api_fail(errcode_ret, CL_INVALID_DEVICE);
    for (const cl_queue_properties *p = properties; p && *p; p += 2) {
        /* CL_QUEUE_SIZE is unknown too: it needs a device queue. */
        unsigned which = p[0] == CL_QUEUE_PROPERTIES     ? 1
                         : p[0] == CL_QUEUE_PRIORITY_KHR ? 2
                         : p[0] == CL_QUEUE_THROTTLE_KHR ? 4
                                                         : 0;
        if (!which || seen & which)
            return api_fail(errcode_ret, CL_INVALID_VALUE);
        seen |= which;
        if (which == 1)
            flags = p[1];
        else if (!hint_valid(p[1]))
            return api_fail(errcode_ret, CL_INVALID_VALUE);
    }
    static const cl_command_queue_properties on_device =
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    if (flags & ~(offered | on_device))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    if ((flags & CL_QUEUE_ON_DEVICE_DEFAULT && !(flags & CL_QUEUE_ON_DEVICE)) ||
        (flags & CL_QUEUE_ON_DEVICE && !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    if (flags & ~offered)
        return api_fail(errcode_ret, CL_INVALID_QUEUE_PROPERTIES);
    cl_command_queue q = NULL;
    cl_int err = queue_new(context, device, flags, properties,
                           api_count_properties((const intptr_t *)properties), &q);
    return API_RETURN(errcode_ret, err, q);
}

cl_command_queue clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                                       const cl_queue_properties_khr *properties,
                                                       cl_int *errcode_ret)
{
    return clCreateCommandQueueWithProperties(context, device,
                                              (const cl_queue_properties *)properties, errcode_ret);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!is_device(device) || !context_has_device(context, device))
        return api_fail(errcode_ret, CL_INVALID_DEVICE);
    if (properties & ~offered)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    cl_command_queue q = NULL;
    cl_int err = queue_new(context, device, properties, NULL, 0, &q);
    return API_RETURN(errcode_ret, err, q);
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue queue)
{
    if (!is_context(context))
        return CL_INVALID_CONTEXT;
    if (!is_device(device) || !context_has_device(context, device))
        return CL_INVALID_DEVICE;
    return CL_INVALID_OPERATION;
}

cl_int clRetainCommandQueue(cl_command_queue queue)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    object_api_retain(&queue->base);
    return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
    if (!is_queue(queue) || !object_api_release(&queue->base))
        return CL_INVALID_COMMAND_QUEUE;
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    const struct query *q = API_QUERY(param_value_size, param_value, param_value_size_ret);
    switch (param_name) {
    case CL_QUEUE_CONTEXT:
        return API_PUT(q, cl_context, queue->ctx);
    case CL_QUEUE_DEVICE:
        return API_PUT(q, cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return API_PUT(q, cl_uint, object_api_refs(&queue->base));
    case CL_QUEUE_PROPERTIES:
        return API_PUT(q, cl_command_queue_properties, queue->flags);
    case CL_QUEUE_SIZE: /* of device queues only */
        return CL_INVALID_COMMAND_QUEUE;
    case CL_QUEUE_DEVICE_DEFAULT:
        return API_PUT(q, cl_command_queue, NULL);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return query_put(q, queue->properties, queue->n_properties * sizeof *queue->properties);
    }
    return CL_INVALID_VALUE;
}

cl_int clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                 cl_bool enable, cl_command_queue_properties *old_properties)
{
    return is_queue(queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int clFlush(cl_command_queue queue)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    queue_flush(queue);
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue queue)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    queue_finish(queue);
    return CL_SUCCESS;
}
