/* Buffers through the API: every transfer command against a host copy, rectangles with pitches,
 * fills of all pattern sizes, maps, sub-buffers, host pointers, kernels in between; a random
 * sequence of them all. */
#include "clu.h"

enum { SIZE = 1 << 16 };
static uint8_t model[SIZE], data[SIZE], got[SIZE];
static cl_kernel add_one; /* adds 1 to each byte of [first, first + n) */

static void compare(cl_mem m, const char *what)
{
    memset(got, 0, SIZE);
    clu_read(m, SIZE, got);
    size_t at = 0;
    while (at < SIZE && got[at] == model[at])
        at++;
    CHECKF(at == SIZE, "%s: byte %zu is %u, not %u", what, at, got[at], model[at]);
}

static void randomise(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)clu_random();
}

static size_t below(size_t n)
{
    return (size_t)(clu_random() % n);
}

static void step_write(cl_mem m)
{
    size_t at = below(SIZE), n = 1 + below(SIZE - at);
    randomise(data, n);
    memcpy(model + at, data, n);
    CL(clEnqueueWriteBuffer(clu_queue, m, CL_TRUE, at, n, data, 0, NULL, NULL));
}

static void step_copy(cl_mem m)
{
    size_t n = 1 + below(SIZE / 2), from = below(SIZE / 2 - n + 1),
           to = SIZE / 2 + below(SIZE / 2 - n + 1);
    memcpy(model + to, model + from, n);
    CL(clEnqueueCopyBuffer(clu_queue, m, m, from, to, n, 0, NULL, NULL));
}

static void step_fill(cl_mem m)
{
    size_t p = (size_t)1 << below(8), at = below(SIZE / p) * p,
           n = (1 + below((SIZE - at) / p)) * p;
    uint8_t pattern[128];
    randomise(pattern, p);
    for (size_t i = 0; i < n; i++)
        model[at + i] = pattern[i % p];
    CL(clEnqueueFillBuffer(clu_queue, m, pattern, p, at, n, 0, NULL, NULL));
}

static void step_rect(cl_mem m, bool write)
{
    size_t region[3] = {1 + below(50), 1 + below(12), 1 + below(6)};
    size_t bo[3] = {below(10), below(5), below(3)}, ho[3] = {below(10), below(5), below(3)};
    size_t brow = 64 + below(16), bslice = brow * (20 + below(5)), hrow = 60 + below(9),
           hslice = hrow * 18;
    if (write)
        randomise(data, SIZE);
    else
        memset(data, 0, SIZE);
    cl_int e = write ? clEnqueueWriteBufferRect(clu_queue, m, CL_TRUE, bo, ho, region, brow, bslice,
                                                hrow, hslice, data, 0, NULL, NULL)
                     : clEnqueueReadBufferRect(clu_queue, m, CL_TRUE, bo, ho, region, brow, bslice,
                                               hrow, hslice, data, 0, NULL, NULL);
    CL(e);
    size_t bad = 0;
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++) {
                uint8_t *b = &model[(bo[2] + z) * bslice + (bo[1] + y) * brow + bo[0] + x];
                uint8_t *h = &data[(ho[2] + z) * hslice + (ho[1] + y) * hrow + ho[0] + x];
                if (write)
                    *b = *h;
                else
                    bad += *b != *h;
            }
    CHECKF(bad == 0, "read rect: %zu wrong", bad);
}

static void step_copy_rect(cl_mem m)
{
    size_t region[3] = {1 + below(50), 1 + below(12), 1 + below(6)};
    size_t from[3] = {below(10), below(5), below(3)}, to[3] = {below(10), below(5), below(3) + 12};
    size_t row = 64, slice = 64 * 24;
    CL(clEnqueueCopyBufferRect(clu_queue, m, m, from, to, region, row, slice, row, slice, 0, NULL,
                               NULL));
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(&model[(to[2] + z) * slice + (to[1] + y) * row + to[0]],
                   &model[(from[2] + z) * slice + (from[1] + y) * row + from[0]], region[0]);
}

static void step_map(cl_mem m, bool write)
{
    size_t at = below(SIZE), n = 1 + below(SIZE - at);
    cl_int e;
    cl_map_flags flags =
        write ? (clu_random() & 1 ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_WRITE) : CL_MAP_READ;
    uint8_t *p = clEnqueueMapBuffer(clu_queue, m, CL_TRUE, flags, at, n, 0, NULL, NULL, &e);
    CL(e);
    if (write) {
        randomise(p, n);
        memcpy(model + at, p, n);
    } else {
        CHECK(memcmp(p, model + at, n) == 0);
    }
    CL(clEnqueueUnmapMemObject(clu_queue, m, p, 0, NULL, NULL));
}

static void step_kernel(cl_mem m)
{
    cl_uint first = (cl_uint)below(SIZE), n = 1 + (cl_uint)below(SIZE - first);
    clu_arg_mem(add_one, 0, m);
    CL(clSetKernelArg(add_one, 1, 4, &first));
    clu_run(add_one, n, 0);
    for (size_t i = first; i < first + n; i++)
        model[i]++;
}

static void step_sub_buffer(cl_mem m)
{
    cl_uint align;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, &align, NULL));
    size_t unit = align / 8, at = below(SIZE / unit - 1) * unit, n = 1 + below(SIZE - at);
    cl_buffer_region region = {at, n};
    cl_int e;
    cl_mem s = clCreateSubBuffer(m, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
    CL(e);
    cl_uint first = 0, count = (cl_uint)n;
    clu_arg_mem(add_one, 0, s);
    CL(clSetKernelArg(add_one, 1, 4, &first));
    clu_run(add_one, count, 0);
    CL(clReleaseMemObject(s)); /* legal at once: the command keeps it */
    for (size_t i = at; i < at + n; i++)
        model[i]++;
}

static void random_sequence(cl_mem m, const char *what, int steps)
{
    for (int i = 0; i < steps; i++) {
        switch (clu_random() % 9) {
        case 0:
            step_write(m);
            break;
        case 1:
            step_copy(m);
            break;
        case 2:
            step_fill(m);
            break;
        case 3:
            step_rect(m, true);
            break;
        case 4:
            step_rect(m, false);
            break;
        case 5:
            step_copy_rect(m);
            break;
        case 6:
            step_map(m, clu_random() & 1);
            break;
        case 7:
            step_kernel(m);
            break;
        case 8:
            step_sub_buffer(m);
            break;
        }
        if (i % 8 == 7)
            compare(m, what);
    }
    compare(m, what);
}

static cl_mem create(cl_mem_flags flags, void *host)
{
    cl_int e;
    cl_mem m = clCreateBuffer(clu_context, flags, SIZE, host, &e);
    CL(e);
    return m;
}

static int destroyed;
static void CL_CALLBACK on_destroy(cl_mem m, void *user)
{
    destroyed = destroyed * 10 + (int)(intptr_t)user;
}

static void test_errors(cl_mem m)
{
    size_t n = SIZE + 1;
    CHECK(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, 0, n, got, 0, NULL, NULL) == CL_INVALID_VALUE);
    CHECK(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, SIZE_MAX, 2, got, 0, NULL, NULL) ==
          CL_INVALID_VALUE);
    CHECK(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, 0, 1, NULL, 0, NULL, NULL) ==
          CL_INVALID_VALUE);
    CHECK(clEnqueueReadBuffer(NULL, m, CL_TRUE, 0, 1, got, 0, NULL, NULL) ==
          CL_INVALID_COMMAND_QUEUE);
    CHECK(clEnqueueReadBuffer(clu_queue, NULL, CL_TRUE, 0, 1, got, 0, NULL, NULL) ==
          CL_INVALID_MEM_OBJECT);
    CHECK(clEnqueueCopyBuffer(clu_queue, m, m, 0, 10, 20, 0, NULL, NULL) == CL_MEM_COPY_OVERLAP);
    CHECK(clEnqueueFillBuffer(clu_queue, m, got, 3, 0, 3, 0, NULL, NULL) == CL_INVALID_VALUE);
    CHECK(clEnqueueFillBuffer(clu_queue, m, got, 4, 2, 4, 0, NULL, NULL) == CL_INVALID_VALUE);
    CHECK(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, 0, 1, got, 1, NULL, NULL) ==
          CL_INVALID_EVENT_WAIT_LIST);
    cl_int e;
    CHECK(!clCreateBuffer(clu_context, CL_MEM_READ_WRITE, 0, NULL, &e) &&
          e == CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(clu_context, CL_MEM_COPY_HOST_PTR, 16, NULL, &e) &&
          e == CL_INVALID_HOST_PTR);
    CHECK(!clCreateBuffer(clu_context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &e) &&
          e == CL_INVALID_VALUE);
    cl_ulong max;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, &max, NULL));
    CHECK(!clCreateBuffer(clu_context, 0, max + 1, NULL, &e) && e == CL_INVALID_BUFFER_SIZE);
    CHECK(clReleaseMemObject(NULL) == CL_INVALID_MEM_OBJECT);
}

int main(void)
{
    clu_open();
    cl_program p = clu_build(
        "kernel void add_one(global uchar *p, uint first) { p[first + get_global_id(0)]++; }", "");
    add_one = clu_kernel(p, "add_one");

    memset(model, 0x11, SIZE);
    cl_mem m = create(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, model);
    test_errors(m);
    random_sequence(m, "buffer", 300);
    CL(clSetMemObjectDestructorCallback(m, on_destroy, (void *)1));
    CL(clSetMemObjectDestructorCallback(m, on_destroy, (void *)2));
    CL(clReleaseMemObject(m));
    CL(clFinish(clu_queue));
    CHECKF(destroyed == 21, "destructor callbacks: %d", destroyed);

    memset(model, 0x22, SIZE);
    m = create(CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, model);
    random_sequence(m, "ALLOC_HOST_PTR", 100);
    CL(clReleaseMemObject(m));

    /* USE_HOST_PTR, page aligned and not: after a map, the memory is the application's */
    static _Alignas(4096) uint8_t host[SIZE + 4096];
    for (size_t shift = 0; shift <= 12; shift += 12) {
        memset(model, 0x33, SIZE);
        memset(host + shift, 0x33, SIZE);
        m = create(CL_MEM_USE_HOST_PTR, host + shift);
        random_sequence(m, "USE_HOST_PTR", 100);
        cl_int e;
        uint8_t *q =
            clEnqueueMapBuffer(clu_queue, m, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &e);
        CL(e);
        CHECK(q == host + shift && memcmp(q, model, SIZE) == 0);
        CL(clEnqueueUnmapMemObject(clu_queue, m, q, 0, NULL, NULL));
        CL(clFinish(clu_queue));
        CL(clReleaseMemObject(m));
    }
    CL(clReleaseKernel(add_one));
    CL(clReleaseProgram(p));
    clu_close();
    return utest_end();
}
