/* Events. */
#include "src/api/api.h"
#include "src/core/sched.h"

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    cl_event ev = NULL;
    cl_int err = event_new(context, NULL, CL_COMMAND_USER, &ev);
    return API_RETURN(errcode_ret, err, ev);
}

cl_int clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    if (!is_event(event) || event->queue)
        return CL_INVALID_EVENT;
    if (execution_status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    return event_set_user(event, execution_status);
}

cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    if (num_events == 0 || !event_list)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_events; i++)
        if (!is_event(event_list[i]))
            return CL_INVALID_EVENT;
    for (cl_uint i = 0; i < num_events; i++)
        if (event_list[i]->ctx != event_list[0]->ctx)
            return CL_INVALID_CONTEXT;
    for (cl_uint i = 0; i < num_events; i++) /* another thread may release them meanwhile */
        object_retain(&event_list[i]->base);
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < num_events; i++)
        if (event_list[i]->queue && event_status(event_list[i]) > CL_COMPLETE)
            queue_flush(event_list[i]->queue);
    for (cl_uint i = 0; i < num_events; i++) {
        if (event_wait(event_list[i]) < 0)
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    for (cl_uint i = 0; i < num_events; i++)
        object_release(&event_list[i]->base);
    return result;
}

cl_int clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    if (!is_event(event))
        return CL_INVALID_EVENT;
    const struct query *q = API_QUERY(param_value_size, param_value, param_value_size_ret);
    switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE:
        return API_PUT(q, cl_command_queue, event->queue);
    case CL_EVENT_COMMAND_TYPE:
        return API_PUT(q, cl_command_type, event->type);
    case CL_EVENT_REFERENCE_COUNT:
        return API_PUT(q, cl_uint, object_api_refs(&event->base));
    case CL_EVENT_COMMAND_EXECUTION_STATUS: {
        cl_int status = event_status(event);
        if (status > CL_COMPLETE && event->queue) /* many programs spin on it without a flush */
            queue_flush(event->queue);
        return query_put(q, &status, sizeof status);
    }
    case CL_EVENT_CONTEXT:
        return API_PUT(q, cl_context, event->ctx);
    }
    return CL_INVALID_VALUE;
}

cl_int clSetEventCallback(cl_event event, cl_int type,
                          void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *), void *user_data)
{
    if (!is_event(event))
        return CL_INVALID_EVENT;
    if (!pfn_notify || type < CL_COMPLETE || type > CL_SUBMITTED)
        return CL_INVALID_VALUE;
    return event_add_callback(event, type, pfn_notify, user_data);
}

cl_int clRetainEvent(cl_event event)
{
    if (!is_event(event))
        return CL_INVALID_EVENT;
    object_api_retain(&event->base);
    return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event)
{
    if (!is_event(event) || !object_api_release(&event->base))
        return CL_INVALID_EVENT;
    return CL_SUCCESS;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
                               size_t param_value_size, void *param_value,
                               size_t *param_value_size_ret)
{
    static const enum event_time times[] = {TIME_QUEUED, TIME_SUBMIT, TIME_START, TIME_END,
                                            TIME_END};
    if (!is_event(event))
        return CL_INVALID_EVENT;
    if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) ||
        event_status(event) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (param_name < CL_PROFILING_COMMAND_QUEUED || param_name > CL_PROFILING_COMMAND_COMPLETE)
        return CL_INVALID_VALUE;
    return API_PUT(API_QUERY(param_value_size, param_value, param_value_size_ret), cl_ulong,
                   event->times[times[param_name - CL_PROFILING_COMMAND_QUEUED]]);
}
