/* See api.h. */
#include "src/api/api.h"

#include <stdlib.h>

cl_int api_check_waits(cl_context ctx, cl_uint n, const cl_event *waits)
{
    if ((n == 0) != (waits == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++)
        if (!is_event(waits[i]))
            return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++)
        if (waits[i]->ctx != ctx)
            return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

cl_int api_check_devices(cl_uint n_all, const cl_device_id *all, cl_uint n,
                         const cl_device_id *devices, cl_uint *n_out, cl_device_id **out)
{
    if ((n == 0) != (devices == NULL))
        return CL_INVALID_VALUE;
    if (!devices) {
        n = n_all;
        devices = all;
    }
    cl_device_id *list = calloc(n, sizeof *list);
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    cl_uint kept = 0;
    for (cl_uint i = 0; i < n; i++) {
        bool known = false, twice = false;
        for (cl_uint j = 0; j < n_all; j++)
            known |= all[j] == devices[i];
        for (cl_uint j = 0; j < kept; j++)
            twice |= list[j] == devices[i];
        if (!known) {
            free(list);
            return CL_INVALID_DEVICE;
        }
        if (!twice)
            list[kept++] = devices[i];
    }
    *n_out = kept;
    *out = list;
    return CL_SUCCESS;
}

size_t api_count_properties(const intptr_t *properties)
{
    size_t n = 0;
    if (!properties)
        return 0;
    while (properties[n])
        n += 2;
    return n + 1;
}
