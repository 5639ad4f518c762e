/* What the OpenCL tests share: one device, one queue, and calls that end the test with a message
 * when they fail. The tests are plain OpenCL programs: they run on any driver. */
#ifndef CLU_H
#define CLU_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdint.h>

#include "utest.h"

static cl_platform_id clu_platform;
static cl_device_id clu_device;
static cl_context clu_context;
static cl_command_queue clu_queue;

#define CL(call)                                                                                   \
    do {                                                                                           \
        cl_int clu_e_ = (call);                                                                    \
        if (clu_e_ != CL_SUCCESS) {                                                                \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, clu_e_);             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline void clu_open(void)
{
    cl_int e;
    CL(clGetPlatformIDs(1, &clu_platform, NULL));
    CL(clGetDeviceIDs(clu_platform, CL_DEVICE_TYPE_ALL, 1, &clu_device, NULL));
    clu_context = clCreateContext(NULL, 1, &clu_device, NULL, NULL, &e);
    CL(e);
    clu_queue = clCreateCommandQueue(clu_context, clu_device, 0, &e);
    CL(e);
}

static inline void clu_close(void)
{
    CL(clReleaseCommandQueue(clu_queue));
    CL(clReleaseContext(clu_context));
}

/* Builds; ends the test with the log on failure. */
static inline cl_program clu_build(const char *source, const char *options)
{
    cl_int e;
    cl_program p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &e);
    CL(e);
    e = clBuildProgram(p, 1, &clu_device, options, NULL, NULL);
    if (e != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "build failed (%d):\n%s\nof:\n%.4000s\n", e, log, source);
        exit(1);
    }
    return p;
}

static inline cl_kernel clu_kernel(cl_program p, const char *name)
{
    cl_int e;
    cl_kernel k = clCreateKernel(p, name, &e);
    if (e != CL_SUCCESS)
        fprintf(stderr, "kernel %s\n", name);
    CL(e);
    return k;
}

/* A buffer of size bytes, filled from data unless NULL. */
static inline cl_mem clu_buffer(size_t size, const void *data)
{
    cl_int e;
    cl_mem m = clCreateBuffer(clu_context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0),
                              size, (void *)data, &e);
    CL(e);
    return m;
}

static inline void clu_read(cl_mem m, size_t size, void *to)
{
    CL(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

static inline void clu_arg_mem(cl_kernel k, unsigned i, cl_mem m)
{
    CL(clSetKernelArg(k, i, sizeof(m), &m));
}

static inline void clu_run(cl_kernel k, size_t global, size_t local)
{
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &global, local ? &local : NULL, 0, NULL,
                              NULL));
}

/* Deterministic random bits (xorshift64*). */
static uint64_t clu_seed = 88172645463325252ull;
static inline uint64_t clu_random(void)
{
    clu_seed ^= clu_seed >> 12;
    clu_seed ^= clu_seed << 25;
    clu_seed ^= clu_seed >> 27;
    return clu_seed * 2685821657736338717ull;
}

#endif
