/* The whole API on the made-up GPU: buffers, transfers, mappings, kernels cut and uncut, order on
 * the ring, hangs, lack of memory, profiling, lifetimes.
 */
#include "fake_kernels.h"

#include "src/core/builtin.h"
#include "src/core/budget.h"
#include "src/core/device.h"
#include "src/core/object.h"

#include <CL/cl.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static cl_context ctx;
static cl_device_id dev;
static cl_program program;

static cl_command_queue new_queue(cl_command_queue_properties flags)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(ctx, dev, flags, &err);
    REQUIRE(err == CL_SUCCESS);
    return q;
}

static cl_mem new_buffer(cl_mem_flags flags, size_t size, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(ctx, flags, size, host, &err);
    REQUIRE(err == CL_SUCCESS);
    return m;
}

static cl_kernel new_kernel(const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(program, name, &err);
    REQUIRE(err == CL_SUCCESS);
    return k;
}

static void transfers(void)
{
    cl_command_queue q = new_queue(0);
    uint8_t in[4096], out[4096], expected[4096];
    for (unsigned i = 0; i < sizeof in; i++)
        expected[i] = in[i] = (uint8_t)(i * 7 + i / 256);
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, sizeof in, NULL);
    CHECK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof in, in, 0, NULL, NULL) == CL_SUCCESS);
    uint32_t pattern = 0x01020304;
    CHECK(clEnqueueFillBuffer(q, m, &pattern, 4, 100, 200, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueCopyBuffer(q, m, m, 1000, 2000, 500, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL) == CL_SUCCESS);
    for (unsigned i = 0; i < 200; i++)
        expected[100 + i] = ((uint8_t *)&pattern)[i % 4];
    memcpy(expected + 2000, expected + 1000, 500);
    CHECK(!memcmp(out, expected, sizeof out));
    /* A box of 5 x 4 x 3 bytes: pitches of 16 and 128 in the buffer, 10 and 60 in memory. */
    memset(out, 0xee, sizeof out);
    size_t from[3] = {3, 2, 1}, to[3] = {1, 1, 2}, region[3] = {5, 4, 3};
    CHECK(clEnqueueReadBufferRect(q, m, CL_TRUE, from, to, region, 16, 128, 10, 60, out, 0, NULL,
                                  NULL) == CL_SUCCESS);
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof out; i++) {
        int x = (int)(i % 10) - 1, y = (int)(i % 60 / 10) - 1, z = (int)(i / 60) - 2;
        bool inside = x >= 0 && x < 5 && y >= 0 && y < 4 && z >= 0 && z < 3;
        wrong += out[i] != (inside ? expected[(z + 1) * 128 + (y + 2) * 16 + x + 3] : 0xee);
    }
    CHECK(wrong == 0);
    /* Patterns of all sizes. */
    for (size_t size = 1; size <= 128; size *= 2) {
        CHECK(clEnqueueFillBuffer(q, m, in, size, 0, sizeof in, 0, NULL, NULL) == CL_SUCCESS);
        CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL) == CL_SUCCESS);
        wrong = 0;
        for (unsigned i = 0; i < sizeof out; i++)
            wrong += out[i] != in[i % size];
        CHECKF(wrong == 0, "pattern of %zu", size);
    }
    clReleaseMemObject(m);
    clReleaseCommandQueue(q);
}

/* USE_HOST_PTR with every alignment: what maps show is what kernels did, in the application's
 * memory. */
static void host_pointers(void)
{
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    static uint32_t memory[4096] __attribute__((aligned(4096)));
    static const unsigned starts[] = {0, 16, 1, 1024};
    for (unsigned t = 0; t < 4; t++) {
        memset(memory, 0, sizeof memory);
        uint32_t *host = memory + starts[t];
        host[5] = 41;
        cl_mem m = new_buffer(CL_MEM_USE_HOST_PTR, 1000 * 4, host);
        size_t global = 1000;
        CHECK(clSetKernelArg(k, 0, sizeof m, &m) == CL_SUCCESS);
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS);
        cl_int err;
        uint32_t *p = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 3984, 0,
                                         NULL, NULL, &err);
        CHECK(err == CL_SUCCESS && p == host + 4);
        cl_uint maps;
        CHECK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, 4, &maps, NULL) == CL_SUCCESS && maps == 1);
        CHECK(p[0] == 1 && p[1] == 42);
        p[0] = 100;
        CHECK(clEnqueueUnmapMemObject(q, m, p + 1, 0, NULL, NULL) == CL_INVALID_VALUE);
        CHECK(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL) == CL_SUCCESS);
        CHECK(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL) == CL_INVALID_VALUE);
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS);
        uint32_t value;
        CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 16, 4, &value, 0, NULL, NULL) == CL_SUCCESS);
        CHECKF(value == 101, "start %u: %u", starts[t], value);
        CHECK(starts[t] == 0 || host[-1] == 0);
        clReleaseMemObject(m);
    }
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

static void sub_buffers(void)
{
    cl_command_queue q = new_queue(0);
    cl_int err;
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, 4096, NULL);
    cl_buffer_region r = {1024, 512};
    cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
    CHECK(err == CL_SUCCESS);
    uint32_t zero = 0, values[1024];
    CHECK(clEnqueueFillBuffer(q, m, &zero, 4, 0, 4096, 0, NULL, NULL) == CL_SUCCESS);
    cl_kernel k = new_kernel("inc");
    size_t global = 200; /* past the end of the sub-buffer: not of its surface */
    CHECK(clSetKernelArg(k, 0, sizeof sub, &sub) == CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS);
    clReleaseMemObject(m); /* the sub-buffer holds it */
    CHECK(clEnqueueCopyBuffer(q, sub, sub, 0, 4, 16, 0, NULL, NULL) == CL_MEM_COPY_OVERLAP);
    cl_mem parent;
    CHECK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, 8, &parent, NULL) == CL_SUCCESS &&
          parent == m);
    CHECK(clRetainMemObject(parent) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4096, values, 0, NULL, NULL) == CL_SUCCESS);
    unsigned wrong = 0;
    for (unsigned i = 0; i < 1024; i++)
        wrong += values[i] != (i >= 256 && i < 384);
    CHECK(wrong == 0);
    r = (cl_buffer_region){64, 64};
    CHECK(!clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err) &&
          err == CL_MISALIGNED_SUB_BUFFER_OFFSET);
    CHECK(!clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err) &&
          err == CL_INVALID_MEM_OBJECT);
    clReleaseKernel(k);
    clReleaseMemObject(m);
    clReleaseMemObject(sub);
    clReleaseCommandQueue(q);
}

/* Every item once, whatever the sizes; and launches at most as many as cuts need. */
static void ranges(void)
{
    static const size_t sizes[][3] = {{1, 1, 1},  {997, 1, 1},   {1000, 1, 1}, {64, 1, 1},
                                      {65, 1, 1}, {1009, 13, 1}, {17, 19, 23}, {3, 1, 211},
                                      {2, 3, 5},  {128, 64, 2}};
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    uint32_t *values = malloc(1 << 20);
    for (unsigned t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        const size_t *s = sizes[t];
        size_t n = s[0] * s[1] * s[2];
        for (cl_uint dim = s[2] > 1 ? 3 : s[1] > 1 ? 2 : 1; dim <= 3; dim++) {
            cl_mem m = new_buffer(CL_MEM_READ_WRITE, n * 4 + 64, NULL);
            uint32_t zero = 0;
            clEnqueueFillBuffer(q, m, &zero, 4, 0, n * 4 + 64, 0, NULL, NULL);
            clSetKernelArg(k, 0, sizeof m, &m);
            unsigned before = fake_gpu_launches();
            CHECK(clEnqueueNDRangeKernel(q, k, dim, NULL, s, NULL, 0, NULL, NULL) == CL_SUCCESS);
            CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, n * 4 + 64, values, 0, NULL, NULL) ==
                  CL_SUCCESS);
            unsigned wrong = 0;
            for (size_t i = 0; i < n + 16; i++)
                wrong += values[i] != (i < n);
            CHECKF(wrong == 0, "%zu %zu %zu: %u wrong", s[0], s[1], s[2], wrong);
            CHECK(fake_gpu_launches() - before <= 8);
            clReleaseMemObject(m);
        }
    }
    /* Offsets, and a size given by the application. */
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, 4000, NULL);
    uint32_t zero = 0;
    clEnqueueFillBuffer(q, m, &zero, 4, 0, 4000, 0, NULL, NULL);
    clSetKernelArg(k, 0, sizeof m, &m);
    size_t offset = 123, global = 700, local = 7;
    CHECK(clEnqueueNDRangeKernel(q, k, 1, &offset, &global, &local, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(q, k, 1, &offset, &global, NULL, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4000, values, 0, NULL, NULL) == CL_SUCCESS);
    unsigned wrong = 0;
    for (unsigned i = 0; i < 1000; i++)
        wrong += values[i] != (i >= 123 && i < 823 ? 2 : 0);
    CHECK(wrong == 0);
    local = 8;
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL) ==
          CL_INVALID_WORK_GROUP_SIZE);
    /* A kernel that sees its groups gets equal ones: 997 is prime. */
    cl_kernel g = new_kernel("groups");
    clEnqueueFillBuffer(q, m, &zero, 4, 0, 4000, 0, NULL, NULL);
    clSetKernelArg(g, 0, sizeof m, &m);
    global = 997;
    CHECK(clEnqueueNDRangeKernel(q, g, 1, NULL, &global, NULL, 0, NULL, NULL) ==
          CL_INVALID_KERNEL_ARGS);
    clSetKernelArg(g, 1, 256, NULL);
    CHECK(clEnqueueNDRangeKernel(q, g, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS);
    global = 960;
    CHECK(clEnqueueNDRangeKernel(q, g, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4000, values, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(values[1] == 1 &&
          values[240] == 1); /* 240: the largest multiple of 16 that divides 960 */
    clReleaseKernel(g);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    free(values);
}

/* Random programs over cells of a buffer, some commands on the ring and some on the host, against
 * the same program run in order. The made-up GPU reorders whatever nobody ordered. */
static void ring_order(unsigned seed)
{
    enum { CELLS = 16, STEPS = 400 };
    cl_command_queue q[2] = {new_queue(0), new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
    cl_kernel k = new_kernel("mix");
    uint32_t model[CELLS], cells[CELLS];
    for (unsigned i = 0; i < CELLS; i++)
        model[i] = i * 1000003u;
    cl_mem m = new_buffer(CL_MEM_COPY_HOST_PTR, sizeof model, model);
    clSetKernelArg(k, 0, sizeof m, &m);
    cl_event last[CELLS][2]; /* of each cell: who wrote it last, who read it since (the latest,
                                which waits for all) */
    cl_event everything = NULL;
    memset(last, 0, sizeof last);
    bool chained =
        seed % 2; /* all wait for the one before, on either queue; or the in-order queue alone */
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t d = rand_r(&seed) % CELLS, a = rand_r(&seed) % CELLS, b = rand_r(&seed) % CELLS,
                 c = i;
        unsigned which = chained ? rand_r(&seed) % 2 : 0;
        cl_event ev;
        cl_uint n = chained && everything ? 1 : 0;
        cl_int err;
        switch (rand_r(&seed) % 8) {
        case 0: /* the host's */
            model[d] = model[a];
            err = d == a ? clEnqueueMarkerWithWaitList(q[which], n, n ? &everything : NULL, &ev)
                         : clEnqueueCopyBuffer(q[which], m, m, a * 4, d * 4, 4, n,
                                               n ? &everything : NULL, &ev);
            break;
        case 1:
            err = rand_r(&seed) % 2
                      ? clEnqueueMarkerWithWaitList(q[which], n, n ? &everything : NULL, &ev)
                      : clEnqueueBarrierWithWaitList(q[which], n, n ? &everything : NULL, &ev);
            break;
        default: {
            clSetKernelArg(k, 1, 4, &d);
            clSetKernelArg(k, 2, 4, &a);
            clSetKernelArg(k, 3, 4, &b);
            clSetKernelArg(k, 4, 4, &c);
            model[d] = model[a] * 31 + model[b] * 17 + c;
            size_t one = 1;
            err = clEnqueueNDRangeKernel(q[which], k, 1, NULL, &one, NULL, n,
                                         n ? &everything : NULL, &ev);
        }
        }
        REQUIRE(err == CL_SUCCESS);
        if (everything)
            clReleaseEvent(everything);
        everything = ev;
        if (rand_r(&seed) % 40 == 0)
            clFlush(q[which]);
    }
    CHECK(clWaitForEvents(1, &everything) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(q[0], m, CL_TRUE, 0, sizeof cells, cells, 1, &everything, NULL) ==
          CL_SUCCESS);
    CHECK(!memcmp(cells, model, sizeof cells));
    clReleaseEvent(everything);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q[0]);
    clReleaseCommandQueue(q[1]);
}

/* While the GPU is busy launches are collected. */
static void batching(void)
{
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_mem m = new_buffer(0, 4096, NULL);
    size_t n = 64;
    clSetKernelArg(k, 0, sizeof m, &m);
    clFinish(q);
    fake_gpu_hold(true);
    unsigned before = fake_gpu_batches();
    for (unsigned i = 0; i < 200; i++)
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
    cl_event ev;
    CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &ev) == CL_SUCCESS);
    cl_int status;
    clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL);
    CHECK(status > CL_COMPLETE);
    fake_gpu_hold(false);
    CHECK(clWaitForEvents(1, &ev) == CL_SUCCESS);
    CHECKF(fake_gpu_batches() - before <= 4, "%u batches", fake_gpu_batches() - before);
    clReleaseEvent(ev);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

/* The driver has its own kernels for each device that there is. */
static void builtins(void)
{
    const struct gen_device *d;
    for (unsigned i = 0; (d = gen_class_at(i)); i++) {
        size_t size = 0;
        const void *image = builtin_image(d, &size);
        struct kbin k;
        const char *why = "none";
        bool ok = image && kbin_read(image, size, &k, &why);
        CHECKF(ok && k.gen == d->gen && k.quirks == d->quirks && k.n_kernels == N_BUILTINS,
               "%s: %s", d->name, why);
        if (ok)
            kbin_fini(&k);
    }
}

/* Kernels, copies and fills that wait for one another on two queues, all behind a user event: with
 * its end the ring has them all, in one batch. */
static void pipeline(void)
{
    enum { STEPS = 50 };
    cl_command_queue q[2] = {new_queue(0), new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
    cl_kernel k = new_kernel("inc");
    uint32_t cells[64], zero = 0;
    cl_mem m = new_buffer(0, sizeof cells, NULL), other = new_buffer(0, sizeof cells, NULL);
    size_t n = 64;
    cl_int err;
    clSetKernelArg(k, 0, sizeof m, &m);
    CHECK(!clEnqueueFillBuffer(q[0], m, &zero, 4, 0, sizeof cells, 0, NULL, NULL));
    clFinish(q[0]);
    cl_event gate = clCreateUserEvent(ctx, &err), last = gate, next;
    clRetainEvent(gate);
    for (unsigned i = 0; i < STEPS; i++) {
        cl_command_queue at = q[i % 2];
        if (i % 5 == 3)
            err = clEnqueueCopyBuffer(at, m, other, 0, 0, sizeof cells, 1, &last, &next);
        else if (i % 5 == 4)
            err = clEnqueueCopyBuffer(at, other, m, 0, 0, sizeof cells, 1, &last, &next);
        else
            err = clEnqueueNDRangeKernel(at, k, 1, NULL, &n, NULL, 1, &last, &next);
        REQUIRE(err == CL_SUCCESS);
        clReleaseEvent(last);
        last = next;
    }
    unsigned before = fake_gpu_batches();
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    clReleaseEvent(gate);
    CHECK(clWaitForEvents(1, &last) == CL_SUCCESS);
    CHECKF(fake_gpu_batches() - before == 1, "%u batches", fake_gpu_batches() - before);
    CHECK(!clEnqueueReadBuffer(q[0], m, CL_TRUE, 0, sizeof cells, cells, 0, NULL, NULL));
    for (unsigned i = 0; i < 64; i++)
        CHECK(cells[i] == STEPS / 5 * 3);
    clReleaseEvent(last);
    clReleaseMemObject(m);
    clReleaseMemObject(other);
    clReleaseKernel(k);
    clReleaseCommandQueue(q[0]);
    clReleaseCommandQueue(q[1]);
}

static atomic_int running_told;

static void CL_CALLBACK on_running(cl_event ev, cl_int status, void *data)
{
    atomic_store(&running_told, status == CL_RUNNING ? 1 : -1);
}

static cl_int status_of(cl_event ev)
{
    cl_int status = 12345;
    clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status;
}

/* A launch is said to run while it does; not what waits for it. */
static void running(void)
{
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_mem m = new_buffer(0, 4096, NULL);
    cl_event ev[3];
    size_t n = 64;
    clSetKernelArg(k, 0, sizeof m, &m);
    fake_gpu_hold(true);
    for (unsigned i = 0; i < 3; i++)
        CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &ev[i]));
    CHECK(!clFlush(q));
    CHECK(!clSetEventCallback(ev[0], CL_RUNNING, on_running, NULL));
    for (unsigned i = 0; i < 5000 && !running_told; i++)
        usleep(1000);
    CHECK(running_told == 1);
    CHECK(status_of(ev[0]) == CL_RUNNING);
    CHECK(status_of(ev[1]) == CL_SUBMITTED && status_of(ev[2]) == CL_SUBMITTED);
    fake_gpu_hold(false);
    CHECK(!clWaitForEvents(3, ev));
    for (unsigned i = 0; i < 3; i++)
        clReleaseEvent(ev[i]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

/* What waits for a command that is going to fail has no effect, even if the ring keeps them in
 * order. */
static void doomed(bool behind_gate)
{
    cl_command_queue q = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel k = new_kernel("inc");
    uint32_t cells[64], zero = 0;
    cl_mem m = new_buffer(0, sizeof cells, NULL);
    size_t n = 64;
    cl_int err;
    clSetKernelArg(k, 0, sizeof m, &m);
    CHECK(!clEnqueueFillBuffer(q, m, &zero, 4, 0, sizeof cells, 0, NULL, NULL));
    clFinish(q);
    fake_gpu_hold(true);
    cl_event first, bad = clCreateUserEvent(ctx, &err), fails, next;
    CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &first));
    if (!behind_gate)
        clSetUserEventStatus(bad, -5);
    cl_event both[2] = {first, bad};
    CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 2, both, &fails));
    CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &fails, &next));
    if (behind_gate)
        clSetUserEventStatus(bad, -5);
    fake_gpu_hold(false);
    CHECK(clWaitForEvents(1, &next) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(status_of(fails) == -14 && status_of(next) == -14 && status_of(first) == CL_COMPLETE);
    CHECK(!clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof cells, cells, 0, NULL, NULL));
    CHECKF(cells[0] == 1, "%u", cells[0]);
    cl_event all[] = {first, bad, fails, next};
    for (unsigned i = 0; i < 4; i++)
        clReleaseEvent(all[i]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

/* A launch turns out not to be possible when others rely on its place in the ring's order already:
 * those that name it have no effect; others go on. */
static void refused(void)
{
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc"), large = new_kernel("width");
    uint32_t cells[64], zero = 0;
    cl_mem m = new_buffer(0, sizeof cells, NULL);
    size_t n = 64;
    clSetKernelArg(k, 0, sizeof m, &m);
    clSetKernelArg(large, 0, sizeof m, &m);
    CHECK(!clEnqueueFillBuffer(q, m, &zero, 4, 0, sizeof cells, 0, NULL, NULL));
    clFinish(q);
    fake_gpu_refuse("width");
    for (unsigned alone = 0; alone < 2; alone++) {
        cl_event ev[5];
        fake_gpu_hold(true);
        CHECK(!clEnqueueNDRangeKernel(q, alone ? large : k, 1, NULL, &n, NULL, 0, NULL, &ev[0]));
        CHECK(!clEnqueueNDRangeKernel(q, large, 1, NULL, &n, NULL, 0, NULL, &ev[1]));
        CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &ev[1], &ev[2]));
        CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &ev[2], &ev[3]));
        CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &ev[4]));
        fake_gpu_hold(false);
        clFinish(q);
        CHECK(status_of(ev[0]) == (alone ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_COMPLETE));
        CHECK(status_of(ev[1]) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
        CHECK(status_of(ev[2]) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK(status_of(ev[3]) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK(status_of(ev[4]) == CL_COMPLETE);
        CHECK(!clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof cells, cells, 0, NULL, NULL));
        CHECKF(cells[0] == 2 + alone, "%u", cells[0]);
        for (unsigned i = 0; i < 5; i++)
            clReleaseEvent(ev[i]);
    }
    fake_gpu_refuse(NULL);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseKernel(large);
    clReleaseCommandQueue(q);
}

static atomic_int native_state; /* 1: runs; 2, 3: has seen no launches, or seen them */

static void CL_CALLBACK until_launches(void *args)
{
    unsigned before = fake_gpu_launches();
    atomic_store(&native_state, 1);
    for (unsigned i = 0; i < 5000 && fake_gpu_launches() < before + 2; i++)
        usleep(1000);
    atomic_store(&native_state, fake_gpu_launches() < before + 2 ? 2 : 3);
}

/* What is never flushed starts nevertheless: on an idle device, and while a native kernel keeps the
 * thread that would submit it. */
static void unflushed(void)
{
    cl_command_queue q = new_queue(0), other = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_mem m = new_buffer(0, 4096, NULL);
    size_t n = 64;
    cl_event ev;
    clSetKernelArg(k, 0, sizeof m, &m);
    for (unsigned round = 0; round < 20; round++) {
        CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &ev));
        for (unsigned i = 0; i < 5000 && status_of(ev) > CL_COMPLETE; i++)
            usleep(1000);
        CHECK(status_of(ev) == CL_COMPLETE);
        clReleaseEvent(ev);
    }
    CHECK(!clEnqueueNativeKernel(q, until_launches, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    while (atomic_load(&native_state) < 1)
        usleep(1000);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(!clEnqueueNDRangeKernel(other, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        usleep(1000);
    }
    while (atomic_load(&native_state) < 2) /* clFinish would flush */
        usleep(1000);
    CHECK(atomic_load(&native_state) == 3);
    clFinish(q);
    clFinish(other);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    clReleaseCommandQueue(other);
}

/* A program of whose kernels nothing is known. */
static cl_program unmeasured(void)
{
    cl_int err;
    size_t size;
    uint8_t *image = fake_binary(&size);
    cl_program p =
        clCreateProgramWithBinary(ctx, 1, &dev, &size, (const unsigned char **)&image, NULL, &err);
    free(image);
    REQUIRE(!err && !clBuildProgram(p, 0, NULL, "", NULL, NULL));
    return p;
}

/* A range that takes too long for one batch is cut, between groups, as soon as it is known how long
 * they take; its event ends with the last, and what follows comes after that. */
static void slices(const size_t global[3])
{
    enum { GROUP_NS = 20000, SLICE = 100000000, PROBE = 8192, SIZE = 1 << 20 };
    cl_command_queue q = new_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_int err;
    cl_program p = unmeasured();
    cl_kernel k = clCreateKernel(p, "inc", &err);
    uint32_t *cells = calloc(SIZE, 4), zero = 0;
    size_t one[3] = {1, 1, 1}, n = global[0] * global[1] * global[2];
    cl_mem m = new_buffer(0, SIZE * 4, NULL);
    cl_event ev[3];
    REQUIRE(cells && n <= SIZE);
    CHECK(!clEnqueueFillBuffer(q, m, &zero, 4, 0, SIZE * 4, 0, NULL, NULL) && !clFinish(q));
    clSetKernelArg(k, 0, sizeof m, &m);
    fake_gpu_cost("inc", GROUP_NS);
    fake_gpu_longest();
    for (unsigned i = 0; i < 2; i++) {
        unsigned before = fake_gpu_batches();
        CHECK(!clEnqueueNDRangeKernel(q, k, 3, NULL, global, one, 0, NULL, &ev[i]));
        CHECK(!clEnqueueCopyBuffer(q, m, m, 0, (SIZE - 1) * 4, 4, 0, NULL, NULL));
        CHECK(!clFinish(q));
        uint64_t longest = fake_gpu_longest();
        unsigned batches = fake_gpu_batches() - before;
        CHECKF(longest <= (i ? SLICE : PROBE * (uint64_t)GROUP_NS), "%llu ns",
               (unsigned long long)longest);
        CHECKF(batches >= n * GROUP_NS / SLICE && batches <= n * GROUP_NS / SLICE * 2 + 4,
               "%u batches", batches);
        cl_ulong t[4];
        for (unsigned j = 0; j < 4; j++)
            CHECK(!clGetEventProfilingInfo(ev[i], CL_PROFILING_COMMAND_QUEUED + j, 8, &t[j], NULL));
        CHECK(t[0] <= t[1] && t[1] <= t[2] && t[3] - t[2] >= n * GROUP_NS);
        CHECK(!clEnqueueReadBuffer(q, m, CL_TRUE, 0, SIZE * 4, cells, 0, NULL, NULL));
        unsigned wrong = 0;
        for (size_t c = 0; c < n; c++)
            wrong += cells[c] != i + 1;
        CHECKF(wrong == 0, "%u of %zu cells are wrong", wrong, n);
        CHECK(cells[SIZE - 1] == i + 1);
    }
    fake_gpu_cost("inc", 0);
    clReleaseEvent(ev[0]);
    clReleaseEvent(ev[1]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    free(cells);
}

/* A hang ends a command that is being cut: nothing more of it runs. Others go on meanwhile, and
 * after it. */
static void slice_hang(void)
{
    cl_command_queue q = new_queue(0), other = new_queue(0);
    cl_program p = unmeasured();
    cl_int err;
    cl_kernel k = clCreateKernel(p, "inc", &err);
    cl_mem m = new_buffer(0, 4 << 20, NULL);
    size_t n = 1 << 20, one = 1;
    cl_event ev, next;
    clSetKernelArg(k, 0, sizeof m, &m);
    fake_gpu_cost("inc", 20000);
    fake_gpu_hang_after(3);
    unsigned before = fake_gpu_batches();
    CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &one, 0, NULL, &ev));
    CHECK(!clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 1, &ev, &next));
    CHECK(clWaitForEvents(1, &ev) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(status_of(ev) == CL_OUT_OF_RESOURCES);
    CHECK(clWaitForEvents(1, &next) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECKF(fake_gpu_batches() - before < 12, "%u batches", fake_gpu_batches() - before);
    fake_gpu_hang_after(-1);
    fake_gpu_cost("inc", 0);
    CHECK(!clEnqueueNDRangeKernel(other, k, 1, NULL, &one, &one, 0, NULL, NULL) &&
          !clFinish(other));
    clReleaseEvent(ev);
    clReleaseEvent(next);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseCommandQueue(other);
}

static atomic_uint notified;

static void CL_CALLBACK on_error(const char *text, const void *info, size_t size, void *data)
{
    snprintf(data, 256, "%s", text);
    atomic_fetch_add(&notified, 1);
}

/* A hang ends the commands of its batch, and those that named one of them; nothing else. */
static void hang(void)
{
    cl_int err;
    cl_context old = ctx;
    char text[256] = "";
    ctx = clCreateContext(NULL, 1, &dev, on_error, text, &err);
    cl_program old_program = program;
    size_t size;
    uint8_t *image = fake_binary(&size);
    program =
        clCreateProgramWithBinary(ctx, 1, &dev, &size, (const uint8_t *[]){image}, NULL, &err);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_mem m = new_buffer(0, 4096, NULL);
    size_t n = 64;
    clSetKernelArg(k, 0, sizeof m, &m);
    cl_event a, b, c, d, marker;
    fake_gpu_hold(true);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &a);
    clFlush(q);
    fake_gpu_hang_after(0);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &a, &b);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &c);
    clEnqueueMarkerWithWaitList(q, 0, NULL, &marker);
    fake_gpu_hold(false);
    CHECK(clWaitForEvents(1, &a) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clWaitForEvents(1, &b) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clWaitForEvents(1, &c) == CL_SUCCESS);
    CHECK(clWaitForEvents(1, &marker) == CL_SUCCESS);
    cl_int status;
    clGetEventInfo(a, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL);
    CHECKF(status == CL_OUT_OF_RESOURCES, "%d", status);
    /* The queue goes on. */
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &d) == CL_SUCCESS);
    CHECK(clWaitForEvents(1, &d) == CL_SUCCESS);
    for (int i = 0; i < 1000 && !notified; i++)
        usleep(1000);
    CHECK(notified == 1);
    CHECKF(strstr(text, ": kernel inc of 64 x 1 x 1 work-items in groups of"), "%s", text);
    cl_event all[] = {a, b, c, d, marker};
    for (unsigned i = 0; i < 5; i++)
        clReleaseEvent(all[i]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    clReleaseProgram(program);
    clReleaseContext(ctx);
    free(image);
    ctx = old;
    program = old_program;
}

/* Many more buffers than fit: enqueues wait for the older ones to come back. Behind a user event
 * nothing comes back: they fail. */
static void memory_pressure(void)
{
    enum { SIZE = 1 << 20, N = 300, ROOM = 32 };
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_int err = CL_SUCCESS;
    size_t n = 64;
    uint64_t limit = dev->budget.limit;
    dev->budget.limit = (uint64_t)ROOM * SIZE;
    fake_gpu_delay(200);
    for (unsigned i = 0; i < N; i++) {
        cl_mem m = new_buffer(0, SIZE, NULL);
        clSetKernelArg(k, 0, sizeof m, &m);
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
        clReleaseMemObject(m);
        CHECK(gpu_bytes_live(NULL) <= (uint64_t)ROOM * SIZE);
    }
    clFinish(q);
    cl_event gate = clCreateUserEvent(ctx, &err);
    unsigned done = 0;
    for (; done < N; done++) {
        cl_mem m = new_buffer(0, SIZE, NULL);
        clSetKernelArg(k, 0, sizeof m, &m);
        err = clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &gate, NULL);
        clReleaseMemObject(m);
        if (err)
            break;
    }
    CHECK(err == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECKF(done > ROOM / 2 && done <= ROOM, "%u enqueued", done);
    clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK(clFinish(q) == CL_SUCCESS);
    clReleaseEvent(gate);
    fake_gpu_delay(0);
    dev->budget.limit = limit;
    /* The system's own refusal. */
    fake_gpu_memory(gpu_bytes_live(NULL) + SIZE / 2);
    cl_mem m = new_buffer(0, SIZE, NULL);
    clSetKernelArg(k, 0, sizeof m, &m);
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL) ==
          CL_MEM_OBJECT_ALLOCATION_FAILURE);
    fake_gpu_memory(UINT64_C(1) << 40);
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clFinish(q) == CL_SUCCESS);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

/* No more than so many commands are under way. */
static void backpressure(void)
{
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_mem m = new_buffer(0, 4096, NULL);
    size_t n = 16;
    unsigned most = 0;
    clSetKernelArg(k, 0, sizeof m, &m);
    fake_gpu_delay(1000);
    for (unsigned i = 0; i < 3 * BUDGET_MAX_ACTIVE; i++) {
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
        unsigned live = object_live(OBJECT_EVENT);
        most = live > most ? live : most;
    }
    CHECKF(most <= BUDGET_MAX_ACTIVE + 1000, "%u", most);
    fake_gpu_delay(0);
    CHECK(clFinish(q) == CL_SUCCESS);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

static void profiling(void)
{
    cl_command_queue q = new_queue(CL_QUEUE_PROFILING_ENABLE), plain = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_mem m = new_buffer(0, 65536, NULL);
    size_t n = 997; /* two launches */
    char byte;
    clSetKernelArg(k, 0, sizeof m, &m);
    cl_event ev[4], unprofiled;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &ev[0]);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &ev[1]);
    clEnqueueReadBuffer(q, m, CL_FALSE, 0, 1, &byte, 0, NULL, &ev[2]);
    clEnqueueMarkerWithWaitList(q, 0, NULL, &ev[3]);
    clEnqueueMarkerWithWaitList(plain, 0, NULL, &unprofiled);
    clFinish(q);
    clFinish(plain);
    cl_ulong t[4][4], value;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++)
            CHECK(clGetEventProfilingInfo(ev[i], CL_PROFILING_COMMAND_QUEUED + j, 8, &t[i][j],
                                          NULL) == CL_SUCCESS);
        CHECKF(t[i][0] <= t[i][1] && t[i][1] <= t[i][2] && t[i][2] <= t[i][3],
               "%u: %llu %llu %llu %llu", i, (unsigned long long)t[i][0],
               (unsigned long long)t[i][1], (unsigned long long)t[i][2],
               (unsigned long long)t[i][3]);
        CHECK(t[i][0] != 0);
        if (i)
            CHECK(t[i][2] >= t[i - 1][3]);
        clReleaseEvent(ev[i]);
    }
    CHECK(clGetEventProfilingInfo(unprofiled, CL_PROFILING_COMMAND_END, 8, &value, NULL) ==
          CL_PROFILING_INFO_NOT_AVAILABLE);
    clReleaseEvent(unprofiled);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(plain);
    clReleaseCommandQueue(q);
}

static unsigned destroyed[4], n_destroyed;

static void CL_CALLBACK on_destroy(cl_mem m, void *data)
{
    destroyed[n_destroyed++] = (unsigned)(uintptr_t)data;
}

static void CL_CALLBACK native(void *args)
{
    struct {
        uint32_t *p;
        uint32_t add;
    } *a = args;
    a->p[0] += a->add;
}

static void lifetimes(void)
{
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    cl_int err;
    cl_event gate = clCreateUserEvent(ctx, &err);
    cl_mem m = new_buffer(0, 4096, NULL);
    clSetMemObjectDestructorCallback(m, on_destroy, (void *)1);
    clSetMemObjectDestructorCallback(m, on_destroy, (void *)2);
    size_t n = 16;
    clSetKernelArg(k, 0, sizeof m, &m);
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &gate, NULL) == CL_SUCCESS);
    CHECK(clReleaseMemObject(m) == CL_SUCCESS);
    CHECK(clReleaseMemObject(m) == CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseKernel(k) == CL_SUCCESS);
    CHECK(n_destroyed == 0);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL) ==
          CL_SUCCESS); /* no kernel that the application holds */
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(q);
    CHECK(n_destroyed == 2 && destroyed[0] == 2 && destroyed[1] == 1);
    clReleaseEvent(gate);
    /* Native kernels get the memory's address in their copy of the arguments. */
    uint32_t start = 5, value = 0;
    struct {
        void *p;
        uint32_t add;
    } args = {NULL, 37};
    m = new_buffer(CL_MEM_COPY_HOST_PTR, 4, &start);
    const void *slot = &args.p;
    CHECK(clEnqueueNativeKernel(q, native, &args, sizeof args, 1, &m, &slot, 0, NULL, NULL) ==
          CL_SUCCESS);
    args.add = 0;
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &value, 0, NULL, NULL) == CL_SUCCESS &&
          value == 42);
    CHECK(args.p == NULL);
    CHECK(clEnqueueMigrateMemObjects(q, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL) ==
          CL_SUCCESS);
    clReleaseMemObject(m);
    clReleaseCommandQueue(q);
}

/* Nothing stays of a completed event: the counts return to what they were, at any length. */
static void nothing_retained(void)
{
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("inc");
    size_t n = 16;
    cl_event last = NULL;
    for (unsigned i = 0; i < 5000; i++) {
        cl_mem m = new_buffer(0, 4096, NULL);
        clSetKernelArg(k, 0, sizeof m, &m);
        cl_event ev;
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, last ? 1 : 0, last ? &last : NULL,
                                     &ev) == CL_SUCCESS);
        clReleaseMemObject(m);
        if (last)
            clReleaseEvent(last);
        last = ev;
        if (i % 16 == 15) {
            clWaitForEvents(1, &last);
            CHECK(object_live(OBJECT_MEM) == 0 &&
                  fake_gpu_live_bos() <= 2); /* code: the program's, the driver's */
        }
    }
    clFinish(q);
    clReleaseEvent(last);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

static void programs(void)
{
    cl_int err, status;
    size_t size, sizes;
    uint8_t *image = fake_binary(&size);
    cl_program p =
        clCreateProgramWithBinary(ctx, 1, &dev, &size, (const uint8_t *[]){image}, &status, &err);
    CHECK(err == CL_SUCCESS && status == CL_SUCCESS);
    CHECK(!clCreateKernel(p, "inc", &err) && err == CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clBuildProgram(p, 1, &dev, "", NULL, NULL) == CL_SUCCESS);
    size_t n;
    char names[64];
    CHECK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof n, &n, NULL) == CL_SUCCESS && n == 4);
    CHECK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL) == CL_SUCCESS);
    CHECK(!strcmp(names, "inc;mix;groups;width"));
    CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, &sizes, NULL) == CL_SUCCESS &&
          sizes == size);
    uint8_t *copy = malloc(size);
    CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof copy, &copy, NULL) == CL_SUCCESS);
    CHECK(!memcmp(copy, image, size));
    cl_kernel kernels[4];
    cl_uint count;
    CHECK(clCreateKernelsInProgram(p, 3, kernels, &count) == CL_INVALID_VALUE);
    CHECK(clCreateKernelsInProgram(p, 4, kernels, &count) == CL_SUCCESS && count == 4);
    CHECK(clBuildProgram(p, 1, &dev, "", NULL, NULL) == CL_INVALID_OPERATION);
    cl_kernel clone = clCloneKernel(kernels[1], &err);
    CHECK(err == CL_SUCCESS);
    for (unsigned i = 0; i < 4; i++)
        CHECK(clReleaseKernel(kernels[i]) == CL_SUCCESS);
    clReleaseKernel(clone);
    CHECK(!clCreateKernel(p, "nothing", &err) && err == CL_INVALID_KERNEL_NAME);
    clReleaseProgram(p);
    image[size / 2] ^= 0xff;
    image[0] ^= 0xff;
    p = clCreateProgramWithBinary(ctx, 1, &dev, &size, (const uint8_t *[]){image}, &status, &err);
    CHECK(!p && err == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    free(copy);
    free(image);
}

/* Of two widths the one that is done sooner. A thread of 32 lanes takes 2400 clocks by itself, one
 * of 16 takes 1400; 20 EUs issue for two threads each, so n threads take 2000 n / 40 and 1000 * 2 n
 * / 40 clocks at least: the same, and no less than 2400 from 48 wide threads on. */
static void widths(void)
{
    static const struct {
        size_t items;
        uint32_t lanes;
    } rows[] = {{1, 16}, {64, 16}, {47 * 32, 16}, {48 * 32, 32}, {140 * 32, 32}, {1 << 20, 32}};
    cl_command_queue q = new_queue(0);
    cl_kernel k = new_kernel("width");
    cl_mem m = new_buffer(CL_MEM_READ_WRITE, 64, NULL);
    size_t multiple;
    CHECK(clGetKernelWorkGroupInfo(k, dev, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                   sizeof multiple, &multiple, NULL) == CL_SUCCESS &&
          multiple == 32);
    CHECK(clSetKernelArg(k, 0, sizeof m, &m) == CL_SUCCESS);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t lanes = 0;
        size_t local = rows[i].items < 32 ? rows[i].items : 32;
        CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &rows[i].items, &local, 0, NULL, NULL) ==
              CL_SUCCESS);
        CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &lanes, 0, NULL, NULL) == CL_SUCCESS);
        CHECKF(lanes == rows[i].lanes, "%zu work-items: %u lanes", rows[i].items, lanes);
    }
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
}

int main(void)
{
    cl_platform_id platform;
    cl_int err;
    size_t size;
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(ctx && !err);
    uint8_t *image = fake_binary(&size);
    program =
        clCreateProgramWithBinary(ctx, 1, &dev, &size, (const uint8_t *[]){image}, NULL, &err);
    REQUIRE(program && clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    free(image);

    programs();
    transfers();
    sub_buffers();
    host_pointers();
    ranges();
    widths();
    profiling();
    lifetimes();
    batching();
    builtins();
    pipeline();
    running();
    doomed(false);
    doomed(true);
    refused();
    unflushed();
    slices((size_t[3]){60000, 1, 1});
    slices((size_t[3]){9999, 7, 1});
    slices((size_t[3]){100, 50, 13});
    slices((size_t[3]){3, 5, 4001});
    slice_hang();
    backpressure();
    nothing_retained();
    fake_gpu_batch_size(5);
    for (unsigned seed = 0; seed < 30; seed++) {
        if (seed == 15)
            fake_gpu_batch_size(256);
        ring_order(seed);
    }
    memory_pressure();
    hang();

    CHECK(clReleaseProgram(program) == CL_SUCCESS);
    CHECK(clReleaseContext(ctx) == CL_SUCCESS);
    for (int i = 0; i < 1000 && object_live(OBJECT_CONTEXT); i++)
        usleep(1000);
    for (int k = OBJECT_CONTEXT; k < OBJECT_N_KINDS; k++)
        CHECKF(object_live(k) == 0, "kind %d: %u alive", k, object_live(k));
    CHECKF(fake_gpu_live_bos() == 0, "%u", fake_gpu_live_bos());
    return utest_end();
}
