/* Contexts. */
#include "src/api/api.h"

#include <stdlib.h>

/* CL_CONTEXT_PLATFORM and CL_CONTEXT_INTEROP_USER_SYNC are all that we know. */
static cl_int check_properties(const cl_context_properties *properties)
{
    bool platform = false, sync = false;
    for (const cl_context_properties *p = properties; p && *p; p += 2) {
        switch (p[0]) {
        case CL_CONTEXT_PLATFORM:
            if (platform)
                return CL_INVALID_PROPERTY;
            platform = true;
            if (!is_platform((cl_platform_id)p[1]))
                return CL_INVALID_PLATFORM;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (sync || (p[1] != CL_TRUE && p[1] != CL_FALSE))
                return CL_INVALID_PROPERTY;
            sync = true;
            break;
        default:
            return CL_INVALID_PROPERTY;
        }
    }
    return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t,
                                                         void *),
                           void *user_data, cl_int *errcode_ret)
{
    cl_int err = check_properties(properties);
    if (err)
        return api_fail(errcode_ret, err);
    if (!devices || num_devices == 0 || (!pfn_notify && user_data))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        if (!is_device(devices[i]))
            return api_fail(errcode_ret, CL_INVALID_DEVICE);
    for (cl_uint i = 0; i < num_devices; i++)
        if (!devices[i]->gpu)
            return api_fail(errcode_ret, CL_DEVICE_NOT_AVAILABLE);
    cl_device_id *distinct;
    cl_uint n;
    err = api_check_devices(num_devices, devices, num_devices, devices, &n, &distinct);
    if (err)
        return api_fail(errcode_ret, err);
    cl_context ctx = NULL;
    err = context_create(properties, api_count_properties(properties), n, distinct, pfn_notify,
                         user_data, &ctx);
    free(distinct);
    return API_RETURN(errcode_ret, err, ctx);
}

cl_context
clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
                        void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *),
                        void *user_data, cl_int *errcode_ret)
{
    cl_device_id devices[MAX_DEVICES];
    cl_uint n = 0;
    cl_int err = check_properties(properties);
    if (err)
        return api_fail(errcode_ret, err);
    if (!pfn_notify && user_data)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    err = clGetDeviceIDs(platform_get(), device_type, MAX_DEVICES, devices, &n);
    if (err)
        return api_fail(errcode_ret, err);
    return clCreateContext(properties, n, devices, pfn_notify, user_data, errcode_ret);
}

cl_int clRetainContext(cl_context context)
{
    if (!is_context(context))
        return CL_INVALID_CONTEXT;
    object_api_retain(&context->base);
    return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context)
{
    if (!is_context(context) || !object_api_release(&context->base))
        return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret)
{
    if (!is_context(context))
        return CL_INVALID_CONTEXT;
    const struct query *q = API_QUERY(param_value_size, param_value, param_value_size_ret);
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return API_PUT(q, cl_uint, object_api_refs(&context->base));
    case CL_CONTEXT_NUM_DEVICES:
        return API_PUT(q, cl_uint, context->n_devices);
    case CL_CONTEXT_DEVICES:
        return query_put(q, context->devices, context->n_devices * sizeof *context->devices);
    case CL_CONTEXT_PROPERTIES:
        return query_put(q, context->properties,
                         context->n_properties * sizeof *context->properties);
    }
    return CL_INVALID_VALUE;
}

cl_int clSetContextDestructorCallback(cl_context context,
                                      void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                      void *user_data)
{
    if (!is_context(context))
        return CL_INVALID_CONTEXT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return context_add_destructor(context, pfn_notify, user_data);
}
