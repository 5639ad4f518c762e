/* Platform and devices. */
#include "src/api/api.h"

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                              cl_uint *num_platforms)
{
    if ((num_entries == 0 && platforms) || (!platforms && !num_platforms))
        return CL_INVALID_VALUE;
    cl_platform_id p = platform_get();
    if (p->n_devices == 0) {
        if (num_platforms)
            *num_platforms = 0;
        return CL_PLATFORM_NOT_FOUND_KHR;
    }
    if (platforms)
        platforms[0] = p;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                         size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    if (!platform)
        platform = platform_get();
    if (!is_platform(platform))
        return CL_INVALID_PLATFORM;
    return platform_query(platform, param_name,
                          API_QUERY(param_value_size, param_value, param_value_size_ret));
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                      cl_device_id *devices, cl_uint *num_devices)
{
    static const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                        CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                        CL_DEVICE_TYPE_CUSTOM;
    if (!platform)
        platform = platform_get();
    if (!is_platform(platform))
        return CL_INVALID_PLATFORM;
    if (!(type & known) || (type & ~known && type != CL_DEVICE_TYPE_ALL))
        return CL_INVALID_DEVICE_TYPE;
    if ((num_entries == 0 && devices) || (!devices && !num_devices))
        return CL_INVALID_VALUE;
    cl_uint n = 0;
    if (type & CL_DEVICE_TYPE_GPU)
        n = platform->n_devices;
    else if ((type & CL_DEVICE_TYPE_DEFAULT) && platform->n_devices)
        n = 1;
    if (num_devices)
        *num_devices = n;
    for (cl_uint i = 0; devices && i < n && i < num_entries; i++)
        devices[i] = &platform->devices[i];
    return n ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret)
{
    if (!is_device(device))
        return CL_INVALID_DEVICE;
    return device_query(device, param_name,
                        API_QUERY(param_value_size, param_value, param_value_size_ret));
}

/* The devices can't be divided. */
cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                          cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    return is_device(device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* Root devices are not counted. */
cl_int clRetainDevice(cl_device_id device)
{
    return is_device(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int clReleaseDevice(cl_device_id device)
{
    return is_device(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                               cl_ulong *host_timestamp)
{
    if (!is_device(device))
        return CL_INVALID_DEVICE;
    if (!device_timestamp || !host_timestamp)
        return CL_INVALID_VALUE;
    if (!device->gpu)
        return CL_OUT_OF_RESOURCES;
    *host_timestamp = host_clock();
    *device_timestamp = device_clock(device);
    return CL_SUCCESS;
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    if (!is_device(device))
        return CL_INVALID_DEVICE;
    if (!host_timestamp)
        return CL_INVALID_VALUE;
    *host_timestamp = host_clock();
    return CL_SUCCESS;
}
