/* Copies, fills and small writes that the GPU does: random ones of buffers and images, of every
 * alignment, behind a kernel that a user event holds back, so that none of them may be done at
 * once; against the same on bytes here. All of a round, and the kernels between, are one
 * submission: the program sees its own ioctls (it is linked so that its ioctl() comes before libc's
 * and gensim's).
 */
#include "clu.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>

static unsigned submissions;

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
    static int (*next)(int, unsigned long, void *);
    enum { EXECBUFFER2 = 0x40406469, EXECBUFFER2_WR = 0xc0406469 };
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    if ((uint32_t)request == EXECBUFFER2 || (uint32_t)request == (uint32_t)EXECBUFFER2_WR)
        __atomic_fetch_add(&submissions, 1, __ATOMIC_RELAXED);
    return next(fd, request, arg);
}

enum { SIZE = 20000, ROUNDS = 6, STEPS = 60 };
static unsigned seed = 1;
static uint8_t model[2][SIZE];
static cl_mem buffers[2];
static cl_kernel touch; /* p[at]++ of dwords */

static unsigned pick(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* Starts a round: whatever comes now waits. */
static cl_event hold(void)
{
    cl_int e;
    cl_event gate = clCreateUserEvent(clu_context, &e);
    CL(e);
    CL(clEnqueueBarrierWithWaitList(clu_queue, 1, &gate, NULL));
    return gate;
}

static void run_touch(void)
{
    cl_uint which = pick(2), at = pick(SIZE / 4);
    size_t one = 1;
    clu_arg_mem(touch, 0, buffers[which]);
    CL(clSetKernelArg(touch, 1, 4, &at));
    CL(clEnqueueNDRangeKernel(clu_queue, touch, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_uint v;
    memcpy(&v, &model[which][at * 4], 4);
    v++;
    memcpy(&model[which][at * 4], &v, 4);
}

static void let_go(cl_event gate, unsigned expected)
{
    unsigned before = submissions;
    CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CL(clReleaseEvent(gate));
    CL(clFinish(clu_queue));
    CHECKF(submissions - before == expected, "%u submissions", submissions - before);
}

static void copy_linear(void)
{
    unsigned s = pick(2), d = pick(2), n = 1 + pick(pick(2) ? 40 : 3000);
    size_t from = pick(SIZE - n), to = pick(SIZE - n);
    if (s == d && from < to + n && to < from + n)
        return;
    CL(clEnqueueCopyBuffer(clu_queue, buffers[s], buffers[d], from, to, n, 0, NULL, NULL));
    memmove(model[d] + to, model[s] + from, n);
}

static void copy_rect(void)
{
    unsigned s = pick(2), d = !s;
    size_t n[3] = {1 + pick(50), 1 + pick(6), 1 + pick(4)};
    size_t row[2], slice[2], origin[2][3];
    for (unsigned i = 0; i < 2; i++) {
        row[i] = n[0] + pick(40);
        slice[i] = row[i] * (n[1] + pick(3));
        for (unsigned k = 0; k < 3; k++)
            origin[i][k] = pick(8);
    }
    CL(clEnqueueCopyBufferRect(clu_queue, buffers[s], buffers[d], origin[0], origin[1], n, row[0],
                               slice[0], row[1], slice[1], 0, NULL, NULL));
    for (size_t z = 0; z < n[2]; z++)
        for (size_t y = 0; y < n[1]; y++)
            memcpy(model[d] + (origin[1][2] + z) * slice[1] + (origin[1][1] + y) * row[1] +
                       origin[1][0],
                   model[s] + (origin[0][2] + z) * slice[0] + (origin[0][1] + y) * row[0] +
                       origin[0][0],
                   n[0]);
}

static void fill(void)
{
    unsigned which = pick(2);
    size_t size = (size_t)1 << pick(8), n = size * (1 + pick(40)), at;
    uint8_t pattern[128];
    for (unsigned i = 0; i < size; i++)
        pattern[i] = pick(256);
    at = pick((SIZE - n) / size) * size;
    CL(clEnqueueFillBuffer(clu_queue, buffers[which], pattern, size, at, n, 0, NULL, NULL));
    for (size_t i = 0; i < n; i++)
        model[which][at + i] = pattern[i % size];
}

/* A write that is not waited for, of whatever is here now; and a mapping that nobody looks through.
 */
static void write_some(void)
{
    unsigned which = pick(2), n = 1 + pick(pick(2) ? 40 : 3000);
    size_t at = pick(SIZE - n);
    static uint8_t bytes[ROUNDS * STEPS][3000];
    static unsigned used;
    uint8_t *p = bytes[used++];
    for (unsigned i = 0; i < n; i++)
        p[i] = pick(256);
    CL(clEnqueueWriteBuffer(clu_queue, buffers[which], CL_FALSE, at, n, p, 0, NULL, NULL));
    memcpy(model[which] + at, p, n);
    cl_int e;
    void *mapped = clEnqueueMapBuffer(clu_queue, buffers[which], CL_FALSE, CL_MAP_READ, at, n, 0,
                                      NULL, NULL, &e);
    CL(e);
    CL(clEnqueueUnmapMemObject(clu_queue, buffers[which], mapped, 0, NULL, NULL));
}

/* Through a part of a buffer, which begins where the whole doesn't. */
static void part(void)
{
    unsigned which = pick(2);
    cl_buffer_region r = {128 * pick(50), 1000};
    cl_int e;
    cl_mem sub = clCreateSubBuffer(buffers[which], 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &e);
    CL(e);
    uint16_t pattern = pick(65536);
    CL(clEnqueueFillBuffer(clu_queue, sub, &pattern, 2, 6, 100, 0, NULL, NULL));
    for (size_t i = 0; i < 100; i++)
        model[which][r.origin + 6 + i] = ((uint8_t *)&pattern)[i % 2];
    CL(clEnqueueCopyBuffer(clu_queue, sub, sub, 3, 501, 333, 0, NULL, NULL));
    memcpy(model[which] + r.origin + 501, model[which] + r.origin + 3, 333);
    CL(clReleaseMemObject(sub));
}

static void random_buffers(void)
{
    static uint8_t got[SIZE];
    static void (*const kinds[])(void) = {copy_linear, copy_rect, fill,
                                          part,        run_touch, write_some};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < SIZE; k++)
            model[i][k] = pick(256);
        buffers[i] = clu_buffer(SIZE, model[i]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        cl_event gate = hold();
        run_touch(); /* what follows has something to follow */
        for (unsigned i = 0; i < STEPS; i++)
            kinds[pick(sizeof kinds / sizeof *kinds)]();
        let_go(gate, 1);
        for (unsigned i = 0; i < 2; i++) {
            unsigned bad = 0, first = 0;
            clu_read(buffers[i], SIZE, got);
            for (unsigned k = SIZE; k-- > 0;)
                if (got[k] != model[i][k]) {
                    first = k;
                    bad++;
                }
            CHECKF(bad == 0, "round %u, buffer %u: %u bytes, the first is %u", round, i, bad,
                   first);
            memcpy(model[i], got, SIZE);
        }
    }
    for (unsigned i = 0; i < 2; i++)
        CL(clReleaseMemObject(buffers[i]));
}

/* A 2D array of RGBA8 and one of R8, as tight bytes here. */
enum { W = 37, H = 11, LAYERS = 3 };

static cl_mem new_image(cl_channel_order order)
{
    cl_image_format format = {order, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                          .image_width = W,
                          .image_height = H,
                          .image_array_size = LAYERS};
    cl_int e;
    cl_mem m = clCreateImage(clu_context, CL_MEM_READ_WRITE, &format, &desc, NULL, &e);
    CL(e);
    return m;
}

static void images(cl_channel_order order, size_t pixel)
{
    enum { MAX = W * H * LAYERS * 4 };
    static uint8_t a[MAX], b[MAX], bytes[MAX], got[MAX];
    const size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, LAYERS}, total = W * H * LAYERS * pixel;
    cl_mem ia = new_image(order), ib = new_image(order), buffer;
    for (unsigned k = 0; k < MAX; k++) {
        a[k] = pick(256);
        b[k] = pick(256);
        bytes[k] = pick(256);
    }
    buffer = clu_buffer(MAX, bytes);
    buffers[0] = buffers[1] = buffer;
    memcpy(model[0], bytes, MAX);
    CL(clEnqueueWriteImage(clu_queue, ia, CL_TRUE, zero, whole, 0, 0, a, 0, NULL, NULL));
    CL(clEnqueueWriteImage(clu_queue, ib, CL_TRUE, zero, whole, 0, 0, b, 0, NULL, NULL));
    cl_event gate = hold();
    cl_uint at = 0;
    size_t one = 1;
    clu_arg_mem(touch, 0, buffer);
    CL(clSetKernelArg(touch, 1, 4, &at));
    CL(clEnqueueNDRangeKernel(clu_queue, touch, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_uint v;
    memcpy(&v, bytes, 4);
    v++;
    memcpy(bytes, &v, 4);
    for (unsigned i = 0; i < STEPS; i++) {
        size_t n[3] = {1 + pick(W), 1 + pick(H), 1 + pick(LAYERS)}, s[3], d[3];
        for (unsigned k = 0; k < 3; k++) {
            s[k] = pick((unsigned)(whole[k] - n[k] + 1));
            d[k] = pick((unsigned)(whole[k] - n[k] + 1));
        }
        size_t offset = pick((unsigned)(MAX - n[0] * n[1] * n[2] * pixel + 1));
        cl_uint color[4] = {pick(256), pick(256), pick(256), pick(256)};
        unsigned kind = pick(4);
        if (kind == 0)
            CL(clEnqueueCopyImage(clu_queue, ia, ib, s, d, n, 0, NULL, NULL));
        else if (kind == 1)
            CL(clEnqueueCopyImageToBuffer(clu_queue, ib, buffer, s, n, offset, 0, NULL, NULL));
        else if (kind == 2)
            CL(clEnqueueCopyBufferToImage(clu_queue, buffer, ia, offset, d, n, 0, NULL, NULL));
        else
            CL(clEnqueueFillImage(clu_queue, ia, color, d, n, 0, NULL, NULL));
        for (size_t z = 0; z < n[2]; z++)
            for (size_t y = 0; y < n[1]; y++)
                for (size_t x = 0; x < n[0] * pixel; x++) {
                    size_t from = ((s[2] + z) * H + s[1] + y) * W * pixel + s[0] * pixel + x;
                    size_t to = ((d[2] + z) * H + d[1] + y) * W * pixel + d[0] * pixel + x;
                    size_t byte = offset + (z * n[1] + y) * n[0] * pixel + x;
                    if (kind == 0)
                        b[to] = a[from];
                    else if (kind == 1)
                        bytes[byte] = b[from];
                    else if (kind == 2)
                        a[to] = bytes[byte];
                    else
                        a[to] = color[x % pixel];
                }
    }
    let_go(gate, 1);
    clu_read(buffer, MAX, got);
    CHECKF(!memcmp(got, bytes, MAX), "buffer of images with %zu bytes a pixel", pixel);
    CL(clEnqueueReadImage(clu_queue, ia, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL));
    CHECKF(!memcmp(got, a, total), "first image, %zu bytes a pixel", pixel);
    CL(clEnqueueReadImage(clu_queue, ib, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL));
    CHECKF(!memcmp(got, b, total), "second image, %zu bytes a pixel", pixel);
    CL(clReleaseMemObject(ia));
    CL(clReleaseMemObject(ib));
    CL(clReleaseMemObject(buffer));
}

/* More than what is done at once is the GPU's also when nothing is before it; and its times are
 * told. */
static void large(void)
{
    enum { LARGE = 300001 };
    static uint8_t bytes[LARGE], got[LARGE];
    cl_int e;
    cl_command_queue q =
        clCreateCommandQueue(clu_context, clu_device, CL_QUEUE_PROFILING_ENABLE, &e);
    CL(e);
    for (unsigned i = 0; i < LARGE; i++)
        bytes[i] = pick(256);
    cl_mem a = clu_buffer(LARGE, bytes), b = clu_buffer(LARGE, NULL);
    cl_event ev;
    unsigned before = submissions;
    CL(clEnqueueCopyBuffer(q, a, b, 0, 1, LARGE - 1, 0, NULL, &ev));
    CL(clWaitForEvents(1, &ev));
    CHECKF(submissions - before == 1, "%u submissions", submissions - before);
    cl_ulong t[4];
    for (unsigned i = 0; i < 4; i++)
        CL(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], NULL));
    CHECK(t[0] <= t[1] && t[1] <= t[2] && t[2] < t[3]);
    clu_read(b, LARGE, got);
    CHECK(!memcmp(got + 1, bytes, LARGE - 1));
    CL(clReleaseEvent(ev));
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(b));
    CL(clReleaseCommandQueue(q));
}

/* Small ones that follow nothing cost no submission. */
static void small(void)
{
    uint8_t bytes[100], got[100];
    memset(bytes, 7, sizeof bytes);
    cl_mem m = clu_buffer(sizeof bytes, bytes);
    unsigned before = submissions;
    CL(clEnqueueFillBuffer(clu_queue, m, "ab", 2, 10, 20, 0, NULL, NULL));
    CL(clEnqueueCopyBuffer(clu_queue, m, m, 10, 50, 20, 0, NULL, NULL));
    clu_read(m, sizeof got, got);
    CHECK(submissions == before);
    for (unsigned i = 0; i < 20; i++)
        bytes[10 + i] = bytes[50 + i] = "ab"[i % 2];
    CHECK(!memcmp(got, bytes, sizeof got));
    CL(clReleaseMemObject(m));
}

int main(void)
{
    clu_open();
    cl_program p = clu_build("kernel void touch(global uint *p, uint at) { p[at]++; }", "");
    touch = clu_kernel(p, "touch");
    random_buffers();
    cl_bool has_images;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (has_images) {
        images(CL_RGBA, 4);
        images(CL_R, 1);
    }
    large();
    small();
    CL(clReleaseKernel(touch));
    CL(clReleaseProgram(p));
    clu_close();
    return utest_end();
}
