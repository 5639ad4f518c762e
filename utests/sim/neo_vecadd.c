/* Intel's own OpenCL driver, unmodified, on the simulated device: fill, copy, vector add, local
 * memory with a barrier, and profiling times, against values computed here. Skipped where the
 * driver is not installed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <unistd.h>

#include "utest.h"

enum { N = 1000, LOCAL = 64 };

static const char source[] =
    "kernel void add(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = a[i] + k * b[i];\n"
    "}\n"
    "kernel void reverse(global int *c, global const int *a, local int *tmp) {\n"
    "    size_t i = get_local_id(0), n = get_local_size(0);\n"
    "    tmp[n - 1 - i] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    c[get_global_id(0)] = tmp[i];\n"
    "}\n"
    "kernel void collatz(global int *c, global const int *a) {\n"
    "    uint n = a[get_global_id(0)], steps = 0;\n"
    "    while (n > 1) { n = n & 1 ? 3 * n + 1 : n / 2; steps++; }\n"
    "    c[get_global_id(0)] = steps;\n"
    "}\n";

static int collatz(uint32_t n)
{
    int steps = 0;
    for (; n > 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

#define OK(call) CHECKF((err = (call)) == CL_SUCCESS, "error %d", err)

static void run(cl_context ctx, cl_device_id dev)
{
    cl_int err = 0;
    static int a[1024], b[1024], c[1024];
    for (int i = 0; i < 1024; i++) {
        a[i] = i * 3 + 1;
        b[i] = 1000003 * i;
    }
    cl_command_queue q = clCreateCommandQueue(ctx, dev, CL_QUEUE_PROFILING_ENABLE, &err);
    REQUIRE(err == CL_SUCCESS);
    cl_mem ma = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof a, a, &err);
    cl_mem mb = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof b, b, &err);
    cl_mem mc = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof c, NULL, &err);

    const uint32_t pattern = 0xa5b6c7d8;
    OK(clEnqueueFillBuffer(q, mc, &pattern, sizeof pattern, 0, sizeof c, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++)
        CHECKF((uint32_t)c[i] == pattern, "fill %d: 0x%x", i, c[i]);

    OK(clEnqueueCopyBuffer(q, ma, mc, 12, 36, 2000, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++) {
        int want = i >= 9 && i < 509 ? a[i - 6] : (int)pattern;
        CHECKF(c[i] == want, "copy %d: %d, not %d", i, c[i], want);
    }

    const char *text = source;
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    REQUIRE(clBuildProgram(p, 1, &dev, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "add", &err);
    const int factor = -7;
    OK(clSetKernelArg(k, 0, sizeof mc, &mc));
    OK(clSetKernelArg(k, 1, sizeof ma, &ma));
    OK(clSetKernelArg(k, 2, sizeof mb, &mb));
    OK(clSetKernelArg(k, 3, sizeof factor, &factor));
    size_t global = N, local = LOCAL;
    cl_event ev = NULL;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, &ev));
    OK(clEnqueueReadBuffer(q, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        int want = (int)((uint32_t)a[i] + (uint32_t)factor * (uint32_t)b[i]);
        CHECKF(c[i] == want, "add %d: %d, not %d", i, c[i], want);
    }
    cl_ulong start = 0, end = 0;
    OK(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    OK(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECKF(end > start && end - start < 60000000000u, "%llu ns", (unsigned long long)(end - start));
    clReleaseEvent(ev);
    clReleaseKernel(k);

    k = clCreateKernel(p, "reverse", &err);
    global = 1024;
    OK(clSetKernelArg(k, 0, sizeof mc, &mc));
    OK(clSetKernelArg(k, 1, sizeof ma, &ma));
    OK(clSetKernelArg(k, 2, LOCAL * sizeof(int), NULL));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++) {
        int want = a[i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL];
        CHECKF(c[i] == want, "reverse %d: %d, not %d", i, c[i], want);
    }
    clReleaseKernel(k);

    k = clCreateKernel(p, "collatz", &err);
    OK(clSetKernelArg(k, 0, sizeof mc, &mc));
    OK(clSetKernelArg(k, 1, sizeof ma, &ma));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++)
        CHECKF(c[i] == collatz(a[i]), "collatz of %d: %d, not %d", a[i], c[i], collatz(a[i]));
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseMemObject(ma);
    clReleaseMemObject(mb);
    clReleaseMemObject(mc);
    clReleaseCommandQueue(q);
}

int main(void)
{
    if (access("/etc/OpenCL/vendors/intel.icd", R_OK) != 0)
        SKIP("Intel's OpenCL driver (intel-opencl-icd) is not installed");
    cl_platform_id platform;
    cl_device_id dev;
    cl_uint n = 0;
    cl_int err = 0;
    REQUIRE(clGetPlatformIDs(1, &platform, &n) == CL_SUCCESS && n == 1);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &dev, &n) == CL_SUCCESS && n == 1);
    char vendor[256];
    REQUIRE(clGetDeviceInfo(dev, CL_DEVICE_VENDOR, sizeof vendor, vendor, NULL) == CL_SUCCESS);
    CHECKF(strstr(vendor, "Intel"), "%s", vendor);
    cl_context ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    run(ctx, dev);
    clReleaseContext(ctx);
    return utest_end();
}
