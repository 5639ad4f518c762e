/* Kernels with and without data races, for gensim --check under Intel's OpenCL driver (neo_race.sh
 * reads what is reported). Usage: neo_race KERNEL... */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "utest.h"

static const char source[] =
    "kernel void clean(global int *a, local int *s) {\n"
    "    int l = get_local_id(0), n = get_local_size(0);\n"
    "    s[l] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = s[n - 1 - l];\n"
    "}\n"
    "kernel void atomics(global int *a, local int *s) { atomic_inc(a); }\n"
    "kernel void spill(global int *a, local int *s) {\n"
    "    int t[64], i = get_global_id(0), x = a[i];\n"
    "    for (int k = 0; k < 64; k++) t[k] = x * k;\n"
    "    for (int k = 0; k < 64; k++) { x += t[(x + k) & 63]; t[(x >> 3) & 63] ^= k; }\n"
    "    a[i] = x;\n"
    "}\n"
    "kernel void race_local(global int *a, local int *s) {\n"
    "    int l = get_local_id(0), n = get_local_size(0);\n"
    "    s[l] = a[get_global_id(0)];\n"
    "    a[get_global_id(0)] = s[n - 1 - l];\n"
    "}\n"
    "kernel void race_global(global int *a, local int *s) {\n"
    "    int i = get_global_id(0);\n"
    "    a[i] = a[(i + 64) % get_global_size(0)] + 1;\n"
    "}\n"
    "kernel void race_groups(global int *a, local int *s) {\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) a[0] += get_group_id(0);\n"
    "}\n"
    "kernel void race_atomic(global int *a, local int *s) {\n"
    "    if (get_global_id(0) == 600) a[0] = 5; else atomic_inc(a);\n"
    "}\n";

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id dev;
    cl_int err;
    const char *text = source;
    const size_t global = 1024, local = 128;
    REQUIRE(argc >= 2);
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &dev, NULL) == CL_SUCCESS);
    cl_context ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    cl_command_queue q = clCreateCommandQueue(ctx, dev, 0, &err);
    cl_mem a = clCreateBuffer(ctx, CL_MEM_READ_WRITE, 4096 * sizeof(int), NULL, &err);
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    REQUIRE(clBuildProgram(p, 1, &dev, "", NULL, NULL) == CL_SUCCESS);
    for (int i = 1; i < argc; i++) {
        cl_kernel k = clCreateKernel(p, argv[i], &err);
        REQUIRE(err == CL_SUCCESS);
        CHECK(clSetKernelArg(k, 0, sizeof a, &a) == CL_SUCCESS);
        CHECK(clSetKernelArg(k, 1, local * sizeof(int), NULL) == CL_SUCCESS);
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL) == CL_SUCCESS);
        CHECK(clFinish(q) == CL_SUCCESS);
        clReleaseKernel(k);
    }
    clReleaseProgram(p);
    clReleaseMemObject(a);
    clReleaseCommandQueue(q);
    clReleaseContext(ctx);
    return utest_end();
}
