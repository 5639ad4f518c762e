/* Memory at its limits: BEIGNET_MEMORY_LIMIT (which tests.cmake sets to 96 MiB) is what the device
 * says it has and what buffers get; past it calls fail with the right error and the rest goes on
 * working; fragments; the largest buffer; host memory as a buffer's store, at every alignment;
 * overlapping sub-buffers; overlapping mappings, with contents that the application throws away.
 */
#include "clu.h"

#include <string.h>

enum { MIB = 1 << 20, LIMIT = 96 * MIB };

static cl_kernel add; /* p[i] += v, of n items */
static cl_ulong largest;

static cl_int run(cl_mem m, cl_uint n, cl_uint v)
{
    size_t items = n;
    clu_arg_mem(add, 0, m);
    CL(clSetKernelArg(add, 1, 4, &v));
    return clEnqueueNDRangeKernel(clu_queue, add, 1, NULL, &items, NULL, 0, NULL, NULL);
}

static cl_int fill(cl_mem m, size_t size, cl_uint v)
{
    return clEnqueueFillBuffer(clu_queue, m, &v, 4, 0, size, 0, NULL, NULL);
}

/* First and last dword; what lies between isn't looked at. */
static cl_int mark(cl_mem m, size_t size, cl_uint v)
{
    cl_int e = clEnqueueFillBuffer(clu_queue, m, &v, 4, 0, 4, 0, NULL, NULL);
    return e ? e
             : clEnqueueFillBuffer(clu_queue, m, &v, 4, (size - 4) & ~(size_t)3, 4, 0, NULL, NULL);
}

static void check_filled(cl_mem m, size_t size, cl_uint v)
{
    cl_uint ends[2] = {0};
    CL(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, 0, 4, &ends[0], 0, NULL, NULL));
    CL(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, size - 4, 4, &ends[1], 0, NULL, NULL));
    CHECKF(ends[0] == v && ends[1] == v, "%u, %u instead of %u", ends[0], ends[1], v);
}

static bool no_memory(cl_int e)
{
    return e == CL_MEM_OBJECT_ALLOCATION_FAILURE || e == CL_OUT_OF_RESOURCES;
}

/* What the application keeps. */
static void own(void)
{
    enum { SIZE = 4 * MIB, MOST = LIMIT / SIZE + 1 };
    cl_mem m[MOST];
    unsigned n = 0;
    cl_int e = CL_SUCCESS;
    while (!e && n < MOST) {
        m[n] = clu_buffer(SIZE, NULL);
        e = mark(m[n], SIZE, n);
        n++;
    }
    CHECKF(no_memory(e), "%d with %u buffers", e, n);
    CHECKF(n > MOST * 3 / 4, "%u buffers", n);
    for (unsigned i = 0; i + 1 < n; i++) { /* those that have got it */
        CL(run(m[i], 1, 100));
        CL(mark(m[i], SIZE, i + 100));
        check_filled(m[i], SIZE, i + 100);
    }
    CL(clReleaseMemObject(m[0]));
    CL(clFinish(clu_queue));
    CL(mark(m[n - 1], SIZE, 5));
    check_filled(m[n - 1], SIZE, 5);
    for (unsigned i = 1; i < n; i++)
        CL(clReleaseMemObject(m[i]));
}

/* What it forgets while commands use it: all goes well, however much it is in the end. */
static void forgotten(void)
{
    cl_mem sum = clu_buffer(4, NULL);
    CL(fill(sum, 4, 0));
    for (unsigned i = 0; i < 400; i++) {
        cl_mem m = clu_buffer(2 * MIB, NULL);
        CL(run(m, 1, i));
        CL(run(sum, 1, 1));
        CL(clReleaseMemObject(m));
    }
    check_filled(sum, 4, 400);
    CL(clReleaseMemObject(sum));
}

/* Every other one of many goes; then large ones still have room. */
static void fragments(void)
{
    enum { N = 300 };
    cl_mem m[N], big;
    for (unsigned i = 0; i < N; i++) {
        m[i] = clu_buffer(4096 * (1 + i % 40), NULL);
        CL(mark(m[i], 4096 * (1 + i % 40), i));
    }
    for (unsigned i = 0; i < N; i += 2)
        CL(clReleaseMemObject(m[i]));
    big = clu_buffer(largest, NULL);
    CL(mark(big, largest, 77));
    check_filled(big, largest, 77);
    for (unsigned i = 1; i < N; i += 2) {
        check_filled(m[i], 4096 * (1 + i % 40), i);
        CL(clReleaseMemObject(m[i]));
    }
    CL(clReleaseMemObject(big));
}

static void sizes(void)
{
    cl_ulong global;
    cl_int e;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global, NULL));
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
    CHECKF(global == LIMIT && largest <= global && largest >= global / 4, "%llu, %llu",
           (unsigned long long)global, (unsigned long long)largest);
    CHECK(!clCreateBuffer(clu_context, 0, largest + 1, NULL, &e) && e == CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(clu_context, 0, 0, NULL, &e) && e == CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(clu_context, 0, SIZE_MAX, NULL, &e) && e == CL_INVALID_BUFFER_SIZE);
    cl_mem m = clu_buffer(largest, NULL);
    CL(mark(m, largest, 3));
    CL(run(m, 16, 1));
    CL(mark(m, largest, 4));
    check_filled(m, largest, 4);
    CL(clReleaseMemObject(m));
}

/* The kernel works on the application's memory, at `offset` from a page. */
static void host_store(size_t offset, size_t n)
{
    char *block;
    cl_int e;
    REQUIRE(posix_memalign((void **)&block, 4096, 4 * n + 3 * 4096) == 0);
    memset(block, 0x5a, 4 * n + 3 * 4096);
    cl_uint *p = (cl_uint *)(block + 4096 + offset);
    for (size_t i = 0; i < n; i++)
        p[i] = i;
    cl_mem m = clCreateBuffer(clu_context, CL_MEM_USE_HOST_PTR, 4 * n, p, &e);
    CL(e);
    CL(run(m, n, 1000));
    void *seen = clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 4 * n, 0,
                                    NULL, NULL, &e);
    CL(e);
    CHECKF(seen == p, "mapped at %p instead of %p", seen, (void *)p);
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += p[i] != i + 1000;
    p[0] = 1;
    CL(clEnqueueUnmapMemObject(clu_queue, m, seen, 0, NULL, NULL));
    CL(run(m, n, 1));
    /* a part of it */
    seen = clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_READ, 4, 4 * n - 4, 0, NULL, NULL, &e);
    CL(e);
    CHECK(seen == p + 1);
    for (size_t i = 1; i < n; i++)
        bad += p[i] != i + 1001;
    CL(clEnqueueUnmapMemObject(clu_queue, m, seen, 0, NULL, NULL));
    CL(clReleaseMemObject(m));
    CL(clFinish(clu_queue));
    for (char *c = block; c < (char *)p; c++)
        bad += *c != 0x5a;
    for (char *c = (char *)(p + n); c < block + 4 * n + 3 * 4096; c++)
        bad += *c != 0x5a;
    CHECKF(bad == 0, "%u wrong with host memory at %zu, %zu words", bad, offset, n);
    free(block);
}

/* Two parts that share a third of the buffer: what is written through one is read through the other
 * and the whole. */
static void sub_buffers(void)
{
    enum { N = 3 * 1024 };
    cl_uint got[N];
    cl_int e;
    cl_mem m = clu_buffer(4 * N, NULL), part[2];
    for (unsigned i = 0; i < 2; i++) {
        cl_buffer_region r = {i * 4096, 8192};
        part[i] = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &e);
        CL(e);
    }
    CL(fill(m, 4 * N, 0));
    CL(run(part[0], 2048, 1));
    CL(run(part[1], 2048, 10));
    CL(run(part[0], 2048, 100));
    clu_read(m, sizeof got, got);
    unsigned bad = 0;
    for (unsigned i = 0; i < N; i++)
        bad += got[i] != (i < 2048 ? 101u : 0) + (i >= 1024 ? 10u : 0);
    CL(clEnqueueReadBuffer(clu_queue, part[1], CL_TRUE, 4092, 8, got, 0, NULL, NULL));
    bad += got[0] != 111 || got[1] != 10;
    CHECKF(bad == 0, "%u wrong", bad);
    CL(clReleaseMemObject(m)); /* the parts keep it */
    CL(run(part[1], 2048, 5));
    clu_read(part[0], 8192, got);
    CHECK(got[0] == 101 && got[1023] == 101 && got[1024] == 116 && got[2047] == 116);
    CL(clReleaseMemObject(part[0]));
    CL(clReleaseMemObject(part[1]));
}

/* Mappings of one buffer beside and over each other. With host memory that can't be the store (its
 * address is odd for that), what a mapping shows is copied. */
static void mappings(bool shadowed)
{
    enum { N = 1024 };
    static cl_uint memory[N + 1];
    cl_int e;
    cl_uint got[N];
    cl_mem m = shadowed
                   ? clCreateBuffer(clu_context, CL_MEM_USE_HOST_PTR, 4 * N, (char *)memory + 4, &e)
                   : clCreateBuffer(clu_context, 0, 4 * N, NULL, &e);
    CL(e);
    CL(fill(m, 4 * N, 7));
    /* readers may share */
    cl_uint *a = clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_READ, 0, 2048, 0, NULL, NULL, &e);
    CL(e);
    cl_uint *b =
        clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_READ, 1024, 2048, 0, NULL, NULL, &e);
    CL(e);
    CHECK(b == a + 256 && a[0] == 7 && a[511] == 7 && b[511] == 7);
    cl_uint count;
    CL(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK(count == 2);
    CL(clEnqueueUnmapMemObject(clu_queue, m, a, 0, NULL, NULL));
    CL(clEnqueueUnmapMemObject(clu_queue, m, b, 0, NULL, NULL));
    CHECK(clEnqueueUnmapMemObject(clu_queue, m, b, 0, NULL, NULL) == CL_INVALID_VALUE);
    /* writers side by side; the second throws away what was there; a third over both may not */
    a = clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_WRITE, 0, 1024, 0, NULL, NULL, &e);
    CL(e);
    b = clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 1024, 1024, 0,
                           NULL, NULL, &e);
    CL(e);
    CHECK(!clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_WRITE, 512, 1024, 0, NULL, NULL, &e) &&
          e == CL_INVALID_OPERATION);
    a[1] = 8; /* the rest stays */
    for (unsigned i = 0; i < 256; i++)
        b[i] = 1000 + i;
    CL(clEnqueueUnmapMemObject(clu_queue, m, b, 0, NULL, NULL));
    CL(clEnqueueUnmapMemObject(clu_queue, m, a, 0, NULL, NULL));
    CL(run(m, N, 1));
    clu_read(m, sizeof got, got);
    unsigned bad = 0;
    for (unsigned i = 0; i < N; i++)
        bad += got[i] != (i == 1 ? 9 : i < 256 || i >= 512 ? 8 : 1001 + (i - 256));
    CHECKF(bad == 0, "%u wrong", bad);
    CL(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK(count == 0);
    CL(clReleaseMemObject(m));
    CL(clFinish(clu_queue));
}

int main(void)
{
    clu_open();
    cl_program p =
        clu_build("kernel void add(global uint *p, uint v) { p[get_global_id(0)] += v; }", "");
    add = clu_kernel(p, "add");
    sizes();
    own();
    forgotten();
    fragments();
    static const size_t offsets[] = {0, 64, 128, 2048, 4, 60, 4092};
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        host_store(offsets[i], 5000);
        host_store(offsets[i], 2048 - offsets[i] / 4);
        host_store(offsets[i], 2);
    }
    sub_buffers();
    mappings(false);
    mappings(true);
    CL(clReleaseKernel(add));
    CL(clReleaseProgram(p));
    clu_close();
    return utest_end();
}
