/* Kernels that lean on one rule of the hardware each, compiled and run by Intel's own driver,
 * against values computed here. Groups of 20 items: their last thread is partly off. Tests run it
 * as it is, where it passes, and under gensim --sabotage, where it must not. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <unistd.h>

#include "utest.h"

enum { ITEMS = 200, GROUP = 20, GUARD = 64 };

static const char source[] =
    "kernel void ids(global int *c, global const int *a, global const int *b, int k) {\n"
    "    c[get_global_id(0)] = get_group_id(0) * 1000 + get_local_id(0) + k;\n"
    "}\n"
    "kernel void high(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0); c[i] = mul_hi(a[i] * 0x1234567, b[i] * k);\n"
    "}\n"
    "kernel void wide(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0); c[i] = (int)((long)a[i] * b[i] >> 24);\n"
    "}\n"
    "kernel void shift(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0); c[i] = -a[i] >> (i & 7);\n"
    "}\n"
    "kernel void branch(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0); int v = a[i];\n"
    "    int n = v & 2 ? v & 15 : v & 7;\n"
    "    if (v & 2) { for (int j = 0; j < n; j++) { c[i] = v; v = v * 5 + j; } }\n"
    "    else { for (int j = 0; j < n; j++) { c[i] = v + 1; v = v * 3 - j; } }\n"
    "    c[i] = v;\n"
    "}\n"
    "kernel void leave(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0); int v = a[i];\n"
    "    for (int j = 0; j < 50; j++) {\n"
    "        if (v % 11 == 3) { c[i] = j; return; }\n"
    "        if (v % 13 == 5) break;\n"
    "        v = v * 7 + 1 & 0xffff;\n"
    "        if (v & 1) continue;\n"
    "        v += 3;\n"
    "    }\n"
    "    c[i] = v + 100;\n"
    "}\n"
    "kernel void divide(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0); double x = a[i], y = b[i] + 1;\n"
    "    if (i % 3) c[i] = (int)(x * 1000003.0 / y);\n"
    "    else c[i] = (int)(y / (x + 0.5));\n"
    "}\n"
    "kernel void count(global int *c, global const int *a, global const int *b, int k) {\n"
    "    atomic_inc(c + get_group_id(0));\n"
    "}\n"
    "kernel void keep(global int *c, global const int *a, global const int *b, int k) {\n"
    "    size_t i = get_global_id(0); int v = b[i];\n"
    "    for (int j = 0; j < (i & 3); j++) v = a[(v & 127) + j];\n"
    "    c[i] = v;\n"
    "}\n"
    "kernel void meet(global int *c, global const int *a, global const int *b, int k) {\n"
    "    local int t[20]; int l = get_local_id(0), v = a[get_global_id(0)];\n"
    "    for (int j = 0; j < 3; j++) {\n"
    "        t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        v = t[19 - l] + j; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[get_global_id(0)] = v;\n"
    "}\n";

static int a[ITEMS], b[ITEMS];
static const int factor = 99991;

static int ids(int i)
{
    return i / GROUP * 1000 + i % GROUP + factor;
}

static int high(int i)
{
    int x = (int)((uint32_t)a[i] * 0x1234567), y = (int)((uint32_t)b[i] * (uint32_t)factor);
    return (int)((int64_t)x * y >> 32);
}

static int wide(int i)
{
    return (int)((int64_t)a[i] * b[i] >> 24);
}

static int shift(int i)
{
    return -a[i] >> (i & 7);
}

static int branch(int i)
{
    uint32_t v = (uint32_t)a[i], n = v & 2 ? v & 15 : v & 7;
    bool five = v & 2;
    for (uint32_t j = 0; j < n; j++)
        v = five ? v * 5 + j : v * 3 - j;
    return (int)v;
}

static int leave(int i)
{
    int v = a[i];
    for (int j = 0; j < 50; j++) {
        if (v % 11 == 3)
            return j;
        if (v % 13 == 5)
            break;
        v = (v * 7 + 1) & 0xffff;
        if (!(v & 1))
            v += 3;
    }
    return v + 100;
}

static int divide(int i)
{
    double x = a[i], y = b[i] + 1;
    return i % 3 ? (int)(x * 1000003.0 / y) : (int)(y / (x + 0.5));
}

static int meet(int i)
{
    int l = i % GROUP, v = a[i / GROUP * GROUP + (GROUP - 1 - l)];
    return v + 0 + 1 + 2; /* turned round three times */
}

static int count(int i) /* of the items of a group, on what was there */
{
    return 0x5a5a5a5a + (i < ITEMS / GROUP ? GROUP : 0);
}

static int keep(int i)
{
    int v = b[i];
    for (int j = 0; j < (i & 3); j++)
        v = a[(v & 127) + j];
    return v;
}

static const struct {
    const char *name;
    int (*want)(int i);
} kernels[] = {{"ids", ids},       {"high", high},   {"wide", wide},     {"shift", shift},
               {"branch", branch}, {"leave", leave}, {"divide", divide}, {"meet", meet},
               {"count", count},   {"keep", keep}};

static void run(cl_context ctx, cl_device_id dev, cl_command_queue q)
{
    static int c[ITEMS + GUARD];
    cl_int err = 0;
    const char *text = source;
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    REQUIRE(err == CL_SUCCESS && clBuildProgram(p, 1, &dev, "", NULL, NULL) == CL_SUCCESS);
    cl_mem ma = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof a, a, &err);
    cl_mem mb = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof b, b, &err);
    for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        memset(c, 0x5a, sizeof c);
        cl_mem mc = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof c, c, &err);
        cl_kernel kernel = clCreateKernel(p, kernels[k].name, &err);
        REQUIRE(err == CL_SUCCESS);
        clSetKernelArg(kernel, 0, sizeof mc, &mc);
        clSetKernelArg(kernel, 1, sizeof ma, &ma);
        clSetKernelArg(kernel, 2, sizeof mb, &mb);
        clSetKernelArg(kernel, 3, sizeof factor, &factor);
        size_t global = ITEMS, local = GROUP;
        err = clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        CHECKF(err == CL_SUCCESS, "%s: error %d", kernels[k].name, err);
        err = clEnqueueReadBuffer(q, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL);
        CHECKF(err == CL_SUCCESS, "%s: error %d", kernels[k].name, err);
        int bad = 0;
        for (int i = 0; i < ITEMS + GUARD; i++)
            bad += c[i] != (i < ITEMS ? kernels[k].want(i) : 0x5a5a5a5a);
        CHECKF(!bad, "%s: %d of %d items", kernels[k].name, bad, ITEMS);
        clReleaseKernel(kernel);
        clReleaseMemObject(mc);
    }
    clReleaseMemObject(ma);
    clReleaseMemObject(mb);
    clReleaseProgram(p);
}

int main(void)
{
    if (access("/etc/OpenCL/vendors/intel.icd", R_OK) != 0)
        SKIP("Intel's OpenCL driver (intel-opencl-icd) is not installed");
    for (int i = 0; i < ITEMS; i++) {
        a[i] = i * 7919 % 4001 + 1;
        b[i] = i * 104729 % 65521;
    }
    cl_platform_id platform;
    cl_device_id dev;
    cl_uint n = 0;
    cl_int err = 0;
    REQUIRE(clGetPlatformIDs(1, &platform, &n) == CL_SUCCESS && n == 1);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &dev, &n) == CL_SUCCESS && n == 1);
    cl_context ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    cl_command_queue q = clCreateCommandQueue(ctx, dev, 0, &err);
    REQUIRE(err == CL_SUCCESS);
    run(ctx, dev, q);
    clReleaseCommandQueue(q);
    clReleaseContext(ctx);
    return utest_end();
}
