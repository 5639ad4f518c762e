/* Kernels. */
#include "src/api/api.h"

cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    if (!is_program(program))
        return api_fail(errcode_ret, CL_INVALID_PROGRAM);
    if (!kernel_name)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    cl_kernel k = NULL;
    cl_int err = kernel_new(program, kernel_name, &k);
    return API_RETURN(errcode_ret, err, k);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                cl_uint *num_kernels_ret)
{
    if (!is_program(program))
        return CL_INVALID_PROGRAM;
    struct binary *b = program_any_executable(program);
    if (!b)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int err = kernels && num_kernels < b->kbin.n_kernels ? CL_INVALID_VALUE : CL_SUCCESS;
    for (cl_uint i = 0; !err && kernels && i < b->kbin.n_kernels; i++) {
        err = kernel_new(program, b->kbin.kernels[i].name, &kernels[i]);
        while (err && i-- > 0)
            object_api_release(&kernels[i]->base);
    }
    if (!err && num_kernels_ret)
        *num_kernels_ret = b->kbin.n_kernels;
    binary_release(b);
    return err;
}

cl_int clRetainKernel(cl_kernel kernel)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    object_api_retain(&kernel->base);
    return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    if (!is_kernel(kernel) || !object_api_release(&kernel->base))
        return CL_INVALID_KERNEL;
    return CL_SUCCESS;
}

cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    if (!is_kernel(source_kernel))
        return api_fail(errcode_ret, CL_INVALID_KERNEL);
    cl_kernel k = NULL;
    cl_int err = kernel_clone(source_kernel, &k);
    return API_RETURN(errcode_ret, err, k);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    if (arg_index >= kernel->n_args)
        return CL_INVALID_ARG_INDEX;
    return kernel_set_arg(kernel, arg_index, arg_size, arg_value);
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    return kernel_query(kernel, param_name,
                        API_QUERY(param_value_size, param_value, param_value_size_ret));
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name,
                          size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    if (arg_index >= kernel->n_args)
        return CL_INVALID_ARG_INDEX;
    return kernel_query_arg(kernel, arg_index, param_name,
                            API_QUERY(param_value_size, param_value, param_value_size_ret));
}

/* NULL stands for the only device of the kernel. */
static cl_device_id kernel_device(cl_kernel kernel, cl_device_id device)
{
    if (!device && kernel->program->n_devices == 1)
        return kernel->program->devices[0];
    return device && program_has_device(kernel->program, device) ? device : NULL;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info param_name, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    device = kernel_device(kernel, device);
    if (!device)
        return CL_INVALID_DEVICE;
    return kernel_query_group(kernel, device, param_name,
                              API_QUERY(param_value_size, param_value, param_value_size_ret));
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                               cl_kernel_sub_group_info param_name, size_t input_value_size,
                               const void *input_value, size_t param_value_size, void *param_value,
                               size_t *param_value_size_ret)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    device = kernel_device(kernel, device);
    if (!device)
        return CL_INVALID_DEVICE;
    return kernel_query_sub_groups(kernel, device, param_name, input_value_size, input_value,
                                   API_QUERY(param_value_size, param_value, param_value_size_ret));
}

cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                  cl_kernel_sub_group_info param_name, size_t input_value_size,
                                  const void *input_value, size_t param_value_size,
                                  void *param_value, size_t *param_value_size_ret)
{
    return clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value,
                                   param_value_size, param_value, param_value_size_ret);
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    if (!svm_context_capabilities(kernel->program->ctx))
        return CL_INVALID_OPERATION;
    if (arg_index >= kernel->n_args)
        return CL_INVALID_ARG_INDEX;
    return kernel_set_svm(kernel, arg_index, arg_value);
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                           size_t param_value_size, const void *param_value)
{
    if (!is_kernel(kernel))
        return CL_INVALID_KERNEL;
    if (!param_value && param_value_size)
        return CL_INVALID_VALUE;
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        if (!svm_context_capabilities(kernel->program->ctx))
            return CL_INVALID_OPERATION;
        if (param_value_size % sizeof(void *))
            return CL_INVALID_VALUE;
        return kernel_set_svm_list(kernel, param_value_size / sizeof(void *), param_value);
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        if (param_value_size != sizeof(cl_bool))
            return CL_INVALID_VALUE;
        return *(const cl_bool *)param_value ? CL_INVALID_OPERATION : CL_SUCCESS;
    }
    return CL_INVALID_VALUE;
}
