/* Programs. */
#include "src/api/api.h"
#include "src/core/cc_client.h"

#include <stdlib.h>
#include <string.h>

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (count == 0 || !strings)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    size_t size = 1;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i])
            return api_fail(errcode_ret, CL_INVALID_VALUE);
        size += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    }
    char *source = malloc(size), *end = source;
    if (!source)
        return api_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    for (cl_uint i = 0; i < count; i++) {
        size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        for (size_t j = 0; j < n; j++)
            if (strings[i][j]) /* a NUL inside ends nothing */
                *end++ = strings[i][j];
    }
    *end = 0;
    cl_program p = NULL;
    cl_int err = program_new_source(context, source, &p);
    if (err)
        free(source);
    return API_RETURN(errcode_ret, err, p);
}

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                 cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!cc_client_translator())
        return api_fail(errcode_ret, CL_INVALID_OPERATION);
    if (!il || length == 0)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    cl_program p = NULL;
    cl_int err = program_new_il(context, il, length, &p);
    return API_RETURN(errcode_ret, err, p);
}

cl_program clCreateProgramWithILKHR(cl_context context, const void *il, size_t length,
                                    cl_int *errcode_ret)
{
    return clCreateProgramWithIL(context, il, length, errcode_ret);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                     const cl_device_id *devices, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *binary_status,
                                     cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!devices || num_devices == 0 || !lengths || !binaries)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < num_devices; i++) {
        bool given = lengths[i] && binaries[i];
        if (binary_status)
            binary_status[i] = given ? CL_SUCCESS : CL_INVALID_VALUE;
        if (!given)
            err = CL_INVALID_VALUE;
    }
    if (err)
        return api_fail(errcode_ret, err);
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!context_has_device(context, devices[i]))
            return api_fail(errcode_ret, CL_INVALID_DEVICE);
        for (cl_uint j = 0; j < i; j++)
            if (devices[j] == devices[i])
                return api_fail(errcode_ret, CL_INVALID_DEVICE);
    }
    cl_program p = NULL;
    err = program_new_binary(context, num_devices, devices, lengths, binaries, binary_status, &p);
    return API_RETURN(errcode_ret, err, p);
}

/* There are no built-in kernels: every name is unknown. */
cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                             const cl_device_id *devices, const char *kernel_names,
                                             cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!devices || num_devices == 0 || !kernel_names)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        if (!context_has_device(context, devices[i]))
            return api_fail(errcode_ret, CL_INVALID_DEVICE);
    return api_fail(errcode_ret, CL_INVALID_VALUE);
}

cl_int clRetainProgram(cl_program program)
{
    if (!is_program(program))
        return CL_INVALID_PROGRAM;
    object_api_retain(&program->base);
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program)
{
    if (!is_program(program) || !object_api_release(&program->base))
        return CL_INVALID_PROGRAM;
    return CL_SUCCESS;
}

cl_int clSetProgramReleaseCallback(cl_program program,
                                   void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                   void *user_data)
{
    return is_program(program) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                          const void *spec_value)
{
    if (!is_program(program))
        return CL_INVALID_PROGRAM;
    if (!cc_client_translator())
        return CL_INVALID_OPERATION;
    return program_set_constant(program, spec_id, spec_size, spec_value);
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                      const char *options, program_notify pfn_notify, void *user_data)
{
    if (!is_program(program))
        return CL_INVALID_PROGRAM;
    if (!pfn_notify && user_data)
        return CL_INVALID_VALUE;
    cl_device_id *devices;
    cl_uint n;
    cl_int err = api_check_devices(program->n_devices, program->devices, num_devices, device_list,
                                   &n, &devices);
    if (err)
        return err;
    err = program_build(program, n, devices, options ? options : "", pfn_notify, user_data);
    free(devices);
    return err;
}

cl_int clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                        const char *options, cl_uint num_input_headers,
                        const cl_program *input_headers, const char **header_include_names,
                        program_notify pfn_notify, void *user_data)
{
    if (!is_program(program))
        return CL_INVALID_PROGRAM;
    if ((num_input_headers == 0) != (input_headers == NULL) ||
        (num_input_headers == 0) != (header_include_names == NULL) || (!pfn_notify && user_data))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_input_headers; i++) {
        if (!is_program(input_headers[i]) || !input_headers[i]->source)
            return CL_INVALID_PROGRAM;
        if (input_headers[i]->ctx != program->ctx)
            return CL_INVALID_CONTEXT;
        if (!header_include_names[i])
            return CL_INVALID_VALUE;
    }
    cl_device_id *devices;
    cl_uint n;
    cl_int err = api_check_devices(program->n_devices, program->devices, num_devices, device_list,
                                   &n, &devices);
    if (err)
        return err;
    struct program_header *headers =
        calloc(num_input_headers ? num_input_headers : 1, sizeof *headers);
    if (headers) {
        for (cl_uint i = 0; i < num_input_headers; i++)
            headers[i] = (struct program_header){header_include_names[i], input_headers[i]};
        err = program_compile(program, n, devices, options ? options : "", num_input_headers,
                              headers, pfn_notify, user_data);
    } else {
        err = CL_OUT_OF_HOST_MEMORY;
    }
    free(headers);
    free(devices);
    return err;
}

cl_program clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                         const char *options, cl_uint num_input_programs,
                         const cl_program *input_programs, program_notify pfn_notify,
                         void *user_data, cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (num_input_programs == 0 || !input_programs || (!pfn_notify && user_data))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_input_programs; i++)
        if (!is_program(input_programs[i]))
            return api_fail(errcode_ret, CL_INVALID_PROGRAM);
    for (cl_uint i = 0; i < num_input_programs; i++)
        if (input_programs[i]->ctx != context)
            return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    cl_device_id *devices;
    cl_uint n;
    cl_int err = api_check_devices(context->n_devices, context->devices, num_devices, device_list,
                                   &n, &devices);
    if (err)
        return api_fail(errcode_ret, err);
    cl_program p = NULL;
    err = program_link(context, n, devices, options ? options : "", num_input_programs,
                       input_programs, &p);
    free(devices);
    /* There is a program also after a failure, so that its log can be read. With a callback its
     * outcome is told by that, and the call only says that it could begin. */
    if (p && pfn_notify) {
        pfn_notify(p, user_data);
        err = CL_SUCCESS;
    }
    if (errcode_ret)
        *errcode_ret = err;
    return p;
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform)
{
    if (!is_platform(platform))
        return CL_INVALID_PLATFORM;
    cc_client_unload();
    return CL_SUCCESS;
}

cl_int clUnloadCompiler(void)
{
    cc_client_unload();
    return CL_SUCCESS;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret)
{
    if (!is_program(program))
        return CL_INVALID_PROGRAM;
    return program_query(program, param_name,
                         API_QUERY(param_value_size, param_value, param_value_size_ret));
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                             cl_program_build_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret)
{
    if (!is_program(program))
        return CL_INVALID_PROGRAM;
    if (!program_has_device(program, device))
        return CL_INVALID_DEVICE;
    return program_query_build(program, device, param_name,
                               API_QUERY(param_value_size, param_value, param_value_size_ret));
}
