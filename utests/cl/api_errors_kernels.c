/* Error conditions of kernels and their launches. */
#include "api_errors.h"

static void CL_CALLBACK native(void *args)
{
    (void)args;
}

static void creation(void)
{
    cl_kernel list[8];
    N(clCreateKernel, 1, clCreateKernel(WRONG(cl_program), "k", &err));
    N(clCreateKernel, 2, clCreateKernel(unbuilt, "k", &err));
    N(clCreateKernel, 3, clCreateKernel(program, "none", &err));
    N(clCreateKernel, 5, clCreateKernel(program, NULL, &err));
    E(clCreateKernelsInProgram, 1, clCreateKernelsInProgram(WRONG(cl_program), 8, list, NULL));
    E(clCreateKernelsInProgram, 2, clCreateKernelsInProgram(unbuilt, 8, list, NULL));
    E(clCreateKernelsInProgram, 3, clCreateKernelsInProgram(program, 1, list, NULL));
    E(clRetainKernel, 1, clRetainKernel(WRONG(cl_kernel)));
    E(clReleaseKernel, 1, clReleaseKernel(WRONG(cl_kernel)));
    N(clCloneKernel, 1, clCloneKernel(WRONG(cl_kernel), &err));
}

static void arguments(void)
{
    cl_mem null = NULL, wrong = WRONG(cl_mem);
    cl_sampler no_sampler = WRONG(cl_sampler);
    cl_int i = 1;
    cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_mem reads = clCreateImage(ctx, CL_MEM_READ_ONLY, &f, &d, NULL, &err);
    cl_mem writes = clCreateImage(ctx, CL_MEM_WRITE_ONLY, &f, &d, NULL, &err);
    REQUIRE(reads && writes);
#define ARG clSetKernelArg
    E(clSetKernelArg, 1, ARG(WRONG(cl_kernel), 0, sizeof m, &m));
    E(clSetKernelArg, 2, ARG(k, 1, sizeof m, &m));
    E(clSetKernelArg, 3, ARG(k, 0, sizeof m, &other_m));
    E(clSetKernelArg, 3, ARG(image_k, 0, sizeof m, &other_im));
    E(clSetKernelArg, 3, ARG(image_k, 2, sizeof sampler, &other_sampler));
    E(clSetKernelArg, 4, ARG(image_k, 0, sizeof m, NULL));
    E(clSetKernelArg, 5, ARG(image_k, 0, sizeof m, &null));
    E(clSetKernelArg, 6, ARG(k, 0, sizeof m, &wrong));
    E(clSetKernelArg, 7, ARG(k, 0, sizeof m, &im2));
    E(clSetKernelArg, 7, ARG(image_k, 0, sizeof m, &m));
    E(clSetKernelArg, 7, ARG(image_k, 0, sizeof m, &im3));
    E(clSetKernelArg, 8, ARG(image_k, 2, sizeof sampler, &no_sampler));
    E(clSetKernelArg, 10, ARG(k, 0, 4, &m));
    E(clSetKernelArg, 10, ARG(image_k, 0, 4, &im2));
    E(clSetKernelArg, 11, ARG(image_k, 2, 4, &sampler));
    E(clSetKernelArg, 13, ARG(args_k, 3, 0, NULL));
    E(clSetKernelArg, 14, ARG(args_k, 1, 8, bytes));
    E(clSetKernelArg, 14, ARG(args_k, 2, 12, bytes));
    E(clSetKernelArg, 15, ARG(image_k, 0, sizeof m, &writes));
    E(clSetKernelArg, 16, ARG(image_k, 1, sizeof m, &reads));
    E(clSetKernelArg, 17, ARG(args_k, 1, 4, NULL));
    E(clSetKernelArg, 17, ARG(args_k, 3, 4, &i));
    clReleaseMemObject(reads);
    clReleaseMemObject(writes);
    cl_bool yes = CL_TRUE;
    void *pointer = bytes;
#define INFO(kernel, name, size, value) clSetKernelExecInfo(kernel, name, size, value)
    E(clSetKernelExecInfo, 1,
      INFO(WRONG(cl_kernel), CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointer, &pointer));
    E(clSetKernelExecInfo, 3, INFO(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
    E(clSetKernelExecInfo, 4, INFO(k, 0x7777, sizeof yes, &yes));
    E(clSetKernelExecInfo, 4, INFO(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointer, NULL));
    E(clSetKernelExecInfo, 4, INFO(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &yes));
}

static void queries(void)
{
    cl_device_id wrong = WRONG(cl_device_id);
    QUERY(clGetKernelInfo, 1, 2, 3, WRONG(cl_kernel), k, CL_KERNEL_NUM_ARGS);
#define GROUP(kernel, d, name, size) clGetKernelWorkGroupInfo(kernel, d, name, size, bytes, NULL)
    E(clGetKernelWorkGroupInfo, 1, GROUP(WRONG(cl_kernel), dev, CL_KERNEL_WORK_GROUP_SIZE, 8));
    E(clGetKernelWorkGroupInfo, 2, GROUP(k, wrong, CL_KERNEL_WORK_GROUP_SIZE, 8));
    E(clGetKernelWorkGroupInfo, 3, GROUP(k, dev, 0x7777, 8));
    E(clGetKernelWorkGroupInfo, 4, GROUP(k, dev, CL_KERNEL_WORK_GROUP_SIZE, 4));
    E(clGetKernelWorkGroupInfo, 5, GROUP(k, dev, CL_KERNEL_GLOBAL_WORK_SIZE, 24));

    cl_int (*khr)(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t, const void *, size_t,
                  void *, size_t *);
    *(void **)&khr =
        clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSubGroupInfoKHR");
    REQUIRE(khr);
    cl_uint most = 0;
    clGetDeviceInfo(dev, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL);
    size_t local = 16, out;
#define SUB(call, kernel, d, name, n, in, size) call(kernel, d, name, n, in, size, &out, NULL)
#define SUB_GROUPS(fn, call)                                                                       \
    E(fn, 1, SUB(call, WRONG(cl_kernel), dev, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8));          \
    E(fn, 2, SUB(call, k, wrong, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8));                       \
    if (!most) {                                                                                   \
        E(fn, 3, SUB(call, k, dev, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8));                     \
        not_here(#fn, 4);                                                                          \
        not_here(#fn, 5);                                                                          \
        not_here(#fn, 6);                                                                          \
    } else {                                                                                       \
        not_here(#fn, 3);                                                                          \
        E(fn, 4, SUB(call, k, dev, 0x7777, 0, NULL, 8));                                           \
        E(fn, 5, SUB(call, k, dev, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 4));                     \
        E(fn, 6, SUB(call, k, dev, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, NULL, 8));            \
        E(fn, 6, SUB(call, k, dev, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 7, &local, 8));          \
        E(fn, 6, SUB(call, k, dev, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 16, &local, 8));      \
        /* An input that is ignored isn't looked at. */                                            \
        CHECK(!SUB(call, k, dev, CL_KERNEL_MAX_NUM_SUB_GROUPS, 8, (void *)8, 8));                  \
    }
    SUB_GROUPS(clGetKernelSubGroupInfo, clGetKernelSubGroupInfo)
    SUB_GROUPS(clGetKernelSubGroupInfoKHR, khr)

    const char *text = "kernel void named(global int *name) { *name = 1; }";
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    REQUIRE(!clBuildProgram(p, 0, NULL, "-cl-kernel-arg-info", NULL, NULL));
    cl_kernel named = clCreateKernel(p, "named", &err);
#define ARG_INFO(kernel, i, name, size) clGetKernelArgInfo(kernel, i, name, size, bytes, NULL)
    E(clGetKernelArgInfo, 1, ARG_INFO(WRONG(cl_kernel), 0, CL_KERNEL_ARG_NAME, 64));
    E(clGetKernelArgInfo, 2, ARG_INFO(named, 1, CL_KERNEL_ARG_NAME, 64));
    E(clGetKernelArgInfo, 3, ARG_INFO(named, 0, 0x7777, 64));
    E(clGetKernelArgInfo, 4, ARG_INFO(named, 0, CL_KERNEL_ARG_NAME, 4));
    E(clGetKernelArgInfo, 5, ARG_INFO(k, 0, CL_KERNEL_ARG_NAME, 64));
    clReleaseKernel(named);
    clReleaseProgram(p);
}

#define RUN(queue, kernel, dim, offset, global, local)                                             \
    clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, 0, NULL, NULL)

/* From 2.1 on nothing to do is no error: the event comes after what it waits for. */
static void empty_range(void)
{
    size_t none = 0;
    cl_event first = clCreateUserEvent(ctx, &err), empty;
    cl_int status;
    REQUIRE(!clEnqueueNDRangeKernel(q, k, 1, NULL, &none, NULL, 1, &first, &empty));
    CHECK(!clGetEventInfo(empty, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) &&
          status > CL_COMPLETE);
    CHECK(!clGetEventInfo(empty, CL_EVENT_COMMAND_TYPE, sizeof status, &status, NULL) &&
          status == CL_COMMAND_NDRANGE_KERNEL);
    CHECK(!clSetUserEventStatus(first, CL_COMPLETE) && !clWaitForEvents(1, &empty));
    clReleaseEvent(empty);
    clReleaseEvent(first);
    CHECK(RUN(q, k, 1, NULL, NULL, NULL) == CL_SUCCESS);
    CHECK(RUN(q, unset, 1, NULL, &none, NULL) == CL_INVALID_KERNEL_ARGS);
    not_here("clEnqueueNDRangeKernel", 10);
    not_here("clEnqueueNDRangeKernel", 11);
}

static void launches(void)
{
    unsigned major = 0, minor = 0;
    clGetDeviceInfo(dev, CL_DEVICE_VERSION, sizeof bytes, bytes, NULL);
    REQUIRE(sscanf(bytes, "OpenCL %u.%u ", &major, &minor) == 2);
    unsigned version = 100 * major + 10 * minor;
    size_t n = 64, seven = 7, none = 0, far = SIZE_MAX, many = 4096, eight[3] = {8, 1, 1},
           four[3] = {4, 1, 1}, cube[3] = {64, 64, 64}, groups[3] = {16, 16, 16},
           wide = (size_t)1 << 40;
    clGetDeviceInfo(dev, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), &n, NULL);
    many = 2 * n;
    n = 64;
#define RUN_WAITS(count, w) clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, count, w, NULL)
    E(clEnqueueNDRangeKernel, 1, RUN(WRONG(cl_command_queue), k, 1, NULL, &n, NULL));
    E(clEnqueueNDRangeKernel, 2, RUN(q, WRONG(cl_kernel), 1, NULL, &n, NULL));
    E(clEnqueueNDRangeKernel, 4, RUN(q, other_k, 1, NULL, &n, NULL));
    E(clEnqueueNDRangeKernel, 6, RUN(q, unset, 1, NULL, &n, NULL));
    E(clEnqueueNDRangeKernel, 7, RUN(q, k, 0, NULL, &n, NULL));
    E(clEnqueueNDRangeKernel, 7, RUN(q, k, 4, NULL, cube, NULL));
    E(clEnqueueNDRangeKernel, 9, RUN(q, k, 1, &far, &n, NULL));
    E(clEnqueueNDRangeKernel, 12, RUN(q, k, 1, NULL, &wide, NULL));
    E(clEnqueueNDRangeKernel, 13, RUN(q, k, 1, NULL, &n, &seven));
    E(clEnqueueNDRangeKernel, 14, RUN(q, k, 1, NULL, &n, &none));
    E(clEnqueueNDRangeKernel, 15, RUN(q, k, 3, NULL, cube, groups));
    E(clEnqueueNDRangeKernel, 16, RUN(q, reqd_k, 1, NULL, &n, four));
    E(clEnqueueNDRangeKernel, 19, RUN(q, k, 1, NULL, &many, &many));
    WAITS(clEnqueueNDRangeKernel, 5, 24, 25, 26, RUN_WAITS);
    CHECK(RUN(q, reqd_k, 1, NULL, &n, eight) == CL_SUCCESS);

    if (version < 210) {
        E(clEnqueueNDRangeKernel, 10, RUN(q, k, 1, NULL, NULL, NULL));
        E(clEnqueueNDRangeKernel, 11, RUN(q, k, 1, NULL, &none, NULL));
    } else {
        empty_range();
    }

    cl_int (*suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                      size_t *);
    *(void **)&suggest =
        clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    REQUIRE(suggest);
    size_t local[3];
#define SUGGEST(n_row, ...) E(clGetKernelSuggestedLocalWorkSizeKHR, n_row, suggest(__VA_ARGS__))
    SUGGEST(1, WRONG(cl_command_queue), k, 1, NULL, &n, local);
    SUGGEST(2, q, WRONG(cl_kernel), 1, NULL, &n, local);
    SUGGEST(4, q, other_k, 1, NULL, &n, local);
    SUGGEST(5, q, unset, 1, NULL, &n, local);
    SUGGEST(6, q, k, 0, NULL, &n, local);
    SUGGEST(6, q, k, 4, NULL, cube, local);
    SUGGEST(8, q, k, 1, &far, &n, local);
    SUGGEST(9, q, k, 1, NULL, NULL, local);
    SUGGEST(10, q, k, 1, NULL, &none, local);
    SUGGEST(11, q, k, 1, NULL, &wide, local);
    SUGGEST(17, q, k, 1, NULL, &n, NULL);

#define TASK(queue, kernel)  clEnqueueTask(queue, kernel, 0, NULL, NULL)
#define TASK_WAITS(count, w) clEnqueueTask(q, k, count, w, NULL)
    E(clEnqueueTask, 2, TASK(WRONG(cl_command_queue), k));
    E(clEnqueueTask, 3, TASK(q, WRONG(cl_kernel)));
    E(clEnqueueTask, 4, TASK(q, other_k));
    E(clEnqueueTask, 6, TASK(q, unset));
    E(clEnqueueTask, 7, TASK(q, reqd_k));
    WAITS(clEnqueueTask, 5, 15, 16, 17, TASK_WAITS);

    const void *slot = bytes;
    cl_mem wrong = WRONG(cl_mem);
#define NATIVE(queue, fn, args, size, n, mems, slots)                                              \
    clEnqueueNativeKernel(queue, fn, args, size, n, mems, slots, 0, NULL, NULL)
#define NATIVE_WAITS(count, w)                                                                     \
    clEnqueueNativeKernel(q, native, NULL, 0, 0, NULL, NULL, count, w, NULL)
    E(clEnqueueNativeKernel, 1, NATIVE(WRONG(cl_command_queue), native, NULL, 0, 0, NULL, NULL));
    E(clEnqueueNativeKernel, 3, NATIVE(q, NULL, NULL, 0, 0, NULL, NULL));
    E(clEnqueueNativeKernel, 4, NATIVE(q, native, NULL, 8, 0, NULL, NULL));
    E(clEnqueueNativeKernel, 4, NATIVE(q, native, NULL, 0, 1, &m, &slot));
    E(clEnqueueNativeKernel, 5, NATIVE(q, native, bytes, 0, 0, NULL, NULL));
    E(clEnqueueNativeKernel, 6, NATIVE(q, native, bytes, 64, 1, NULL, &slot));
    E(clEnqueueNativeKernel, 6, NATIVE(q, native, bytes, 64, 1, &m, NULL));
    E(clEnqueueNativeKernel, 7, NATIVE(q, native, bytes, 64, 0, &m, NULL));
    E(clEnqueueNativeKernel, 7, NATIVE(q, native, bytes, 64, 0, NULL, &slot));
    E(clEnqueueNativeKernel, 10, NATIVE(q, native, bytes, 64, 1, &wrong, &slot));
    WAITS(clEnqueueNativeKernel, 2, 14, 15, 16, NATIVE_WAITS);
}

void test_kernels(void)
{
    creation();
    arguments();
    queries();
    launches();
}
