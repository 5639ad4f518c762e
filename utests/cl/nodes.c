/* As many devices as the argument says: a context on each, and one on all with shared memory, whose
 * kernels follow one another across devices. With 0 there is no platform of ours. Features that the
 * kernel or part lacks must leave the rest right. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clu.h"
#include <CL/cl_ext.h>

#include <stdlib.h>

enum { MAX = 4, N = 3000 };

static const char source[] =
    "kernel void add(global uint *p, uint n) { uint i = get_global_id(0); p[i] = p[i] * 3 + n + i; "
    "}\n"
    "kernel void count(global uint *p) { atomic_add(p, (uint)get_global_id(0)); atomic_max(p + 1, "
    "(uint)get_global_id(0)); }\n"
    "kernel void sum(global uint *p, local uint *t) {\n"
    "    uint l = get_local_id(0), s = 0; t[l] = get_global_id(0); barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = 0; i < get_local_size(0); i++) s += t[i];\n"
    "    p[get_global_id(0)] = s; }\n";

static cl_device_id devices[MAX];

static cl_program build(cl_context ctx)
{
    const char *text = source;
    cl_int e;
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &e);
    CL(e);
    CL(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    return p;
}

/* `steps` kernels, each on the next of the queues, on memory of the kind that flags say. */
static void across(cl_context ctx, unsigned n_queues, cl_mem_flags flags)
{
    enum { STEPS = 25 };
    cl_int e;
    cl_uint *host = aligned_alloc(4096, (N * 4 + 4095) & ~4095u), want[N], got[N];
    for (unsigned i = 0; i < N; i++)
        host[i] = want[i] = i;
    cl_mem m = clCreateBuffer(ctx, flags, N * 4, flags ? host : NULL, &e);
    CL(e);
    cl_program p = build(ctx);
    cl_kernel k = clCreateKernel(p, "add", &e);
    cl_command_queue q[MAX];
    for (unsigned i = 0; i < n_queues; i++)
        q[i] = clCreateCommandQueue(ctx, devices[i], 0, &e);
    cl_event last = NULL;
    if (!flags)
        CL(clEnqueueWriteBuffer(q[0], m, CL_TRUE, 0, N * 4, host, 0, NULL, NULL));
    CL(clSetKernelArg(k, 0, sizeof m, &m));
    for (cl_uint s = 0; s < STEPS; s++) {
        size_t n = N;
        cl_event next;
        CL(clSetKernelArg(k, 1, 4, &s));
        CL(clEnqueueNDRangeKernel(q[s % n_queues], k, 1, NULL, &n, NULL, last ? 1 : 0,
                                  last ? &last : NULL, &next));
        if (last)
            CL(clReleaseEvent(last));
        last = next;
        for (unsigned i = 0; i < N; i++)
            want[i] = want[i] * 3 + s + i;
    }
    CL(clEnqueueReadBuffer(q[0], m, CL_TRUE, 0, N * 4, got, 1, &last, NULL));
    CHECK(!memcmp(got, want, sizeof want));
    cl_uint *map =
        clEnqueueMapBuffer(q[n_queues - 1], m, CL_TRUE, CL_MAP_READ, 0, N * 4, 0, NULL, NULL, &e);
    CL(e);
    CHECK(!memcmp(map, want, sizeof want));
    CHECK(!(flags & CL_MEM_USE_HOST_PTR) || map == host);
    CL(clEnqueueUnmapMemObject(q[n_queues - 1], m, map, 0, NULL, NULL));
    CL(clReleaseEvent(last));
    for (unsigned i = 0; i < n_queues; i++) {
        CL(clFinish(q[i]));
        CL(clReleaseCommandQueue(q[i]));
    }
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
    CL(clReleaseMemObject(m));
    free(host);
}

/* Atomics; and local memory where there is some: else the error that says so. */
static void features(cl_device_id dev)
{
    cl_int e;
    cl_ulong local;
    size_t n = 1024, group = 64;
    cl_uint got[1024];
    memset(got, 0, sizeof got);
    CL(clGetDeviceInfo(dev, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    cl_context ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &e);
    CL(e);
    cl_command_queue q = clCreateCommandQueue(ctx, dev, 0, &e);
    cl_program p = build(ctx);
    cl_kernel count = clCreateKernel(p, "count", &e), sum = clCreateKernel(p, "sum", &e);
    cl_mem m = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof got, got, &e);
    CL(clSetKernelArg(count, 0, sizeof m, &m));
    CL(clSetKernelArg(sum, 0, sizeof m, &m));
    CL(clSetKernelArg(sum, 1, 64 * 4, NULL));
    CL(clEnqueueNDRangeKernel(q, count, 1, NULL, &n, &group, 0, NULL, NULL));
    CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == 1023 * 512 && got[1] == 1023);
    e = clEnqueueNDRangeKernel(q, sum, 1, NULL, &n, &group, 0, NULL, NULL);
    CHECK(e == (local ? CL_SUCCESS : CL_OUT_OF_RESOURCES));
    if (!e) {
        CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        unsigned wrong = 0;
        for (unsigned i = 0; i < 1024; i++)
            wrong += got[i] != 63 * 32 + i / 64 * 64 * 64;
        CHECKF(!wrong, "%u wrong", wrong);
    }
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(count));
    CL(clReleaseKernel(sum));
    CL(clReleaseProgram(p));
    CL(clReleaseCommandQueue(q));
    CL(clReleaseContext(ctx));
}

static cl_device_svm_capabilities svm_of(cl_device_id dev)
{
    cl_device_svm_capabilities caps;
    CL(clGetDeviceInfo(dev, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
    return caps;
}

/* Shared virtual memory of all devices that have it; the others refuse its pointers. */
static void shared(cl_context ctx, unsigned n)
{
    enum { STEPS = 12 };
    cl_int e;
    unsigned with = 0;
    cl_command_queue q[MAX];
    for (unsigned i = 0; i < n; i++) {
        q[i] = clCreateCommandQueue(ctx, devices[i], 0, &e);
        with += svm_of(devices[i]) != 0;
    }
    cl_uint *p = clSVMAlloc(ctx, CL_MEM_READ_WRITE, N * 4, 0), want[N];
    CHECK((p != NULL) == (with != 0));
    cl_program program = build(ctx);
    cl_kernel k = clCreateKernel(program, "add", &e);
    CHECK(clSetKernelArgSVMPointer(k, 0, p) == (with ? CL_SUCCESS : CL_INVALID_OPERATION));
    for (unsigned i = 0; p && i < N; i++)
        p[i] = want[i] = i;
    for (cl_uint s = 0; p && s < STEPS; s++) {
        unsigned i = s % n;
        size_t items = N;
        CL(clSetKernelArg(k, 1, 4, &s));
        e = clEnqueueNDRangeKernel(q[i], k, 1, NULL, &items, NULL, 0, NULL, NULL);
        if (!svm_of(devices[i])) {
            CHECK(e == CL_INVALID_OPERATION);
            CHECK(clEnqueueSVMUnmap(q[i], p, 0, NULL, NULL) == CL_INVALID_OPERATION);
            continue;
        }
        CL(e);
        CL(clFinish(q[i]));
        for (unsigned j = 0; j < N; j++)
            want[j] = want[j] * 3 + s + j;
        CL(clEnqueueSVMMap(q[i], CL_TRUE, CL_MAP_READ, p, N * 4, 0, NULL, NULL));
        CHECK(!memcmp(p, want, sizeof want));
        CL(clEnqueueSVMUnmap(q[i], p, 0, NULL, NULL));
    }
    for (unsigned i = 0; i < n; i++) {
        CL(clFinish(q[i]));
        CL(clReleaseCommandQueue(q[i]));
    }
    clSVMFree(ctx, p);
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(program));
}

/* Memory of others is taken where the extension says so; else the property names no device that
 * could. */
static void imports(cl_context ctx, cl_device_id dev)
{
    static char names[8192];
    size_t size;
    cl_int e;
    const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, 0 /* no dma_buf */, 0};
    CL(clGetDeviceInfo(dev, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    bool has = strstr(names, "cl_khr_external_memory_dma_buf");
    CHECK(has == (strstr(names, "cl_khr_external_memory ") != NULL));
    CL(clGetDeviceInfo(dev, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, 0, NULL, &size));
    CHECK(size == (has ? sizeof(cl_external_memory_handle_type_khr) : 0));
    CHECK(!clCreateBufferWithProperties(ctx, list, 0, 64, NULL, &e));
    CHECK(e == (has ? CL_INVALID_PROPERTY : CL_INVALID_DEVICE));
}

int main(int argc, char **argv)
{
    static const cl_mem_flags kinds[] = {0, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    unsigned want = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    cl_uint n = 0;
    cl_int e = clGetPlatformIDs(1, &clu_platform, &n);
    if (want == 0) {
        CHECK(e == -1001 /* CL_PLATFORM_NOT_FOUND_KHR */ || (!e && n == 0));
        CHECK(n == 0);
        return utest_end();
    }
    CL(e);
    CL(clGetDeviceIDs(clu_platform, CL_DEVICE_TYPE_ALL, MAX, devices, &n));
    REQUIRE(n == want);
    if (argc > 2) /* only counted */
        return utest_end();
    for (unsigned i = 0; i < n; i++) {
        cl_context ctx = clCreateContext(NULL, 1, &devices[i], NULL, NULL, &e);
        CL(e);
        cl_device_id first = devices[0];
        devices[0] = devices[i];
        for (unsigned k = 0; k < 3; k++)
            across(ctx, 1, kinds[k]);
        devices[0] = first;
        features(devices[i]);
        imports(ctx, devices[i]);
        CL(clReleaseContext(ctx));
    }
    cl_context all = clCreateContext(NULL, n, devices, NULL, NULL, &e);
    CL(e);
    for (unsigned k = 0; k < 3; k++)
        across(all, n, kinds[k]);
    shared(all, n);
    CL(clReleaseContext(all));
    return utest_end();
}
