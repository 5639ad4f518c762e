/* Order, events and failure through the API: in-order queues keep order with kernels and host
 * commands mixed; out-of-order ones obey wait lists and barriers; user events gate; failure
 * spreads; callbacks come once; profiling times are in order. */
#include <sys/wait.h>
#include <unistd.h>

#include "clu.h"

static cl_program program;
static cl_kernel times;

static cl_command_queue new_queue(cl_command_queue_properties props)
{
    cl_int e;
    cl_command_queue q = clCreateCommandQueue(clu_context, clu_device, props, &e);
    CL(e);
    return q;
}

/* x = x * 3 + add for all of m */
static void enqueue_step(cl_command_queue q, cl_mem m, int add, cl_uint n_wait,
                         const cl_event *wait, cl_event *event)
{
    size_t n = 256;
    clu_arg_mem(times, 0, m);
    CL(clSetKernelArg(times, 1, 4, &add));
    CL(clEnqueueNDRangeKernel(q, times, 1, NULL, &n, NULL, n_wait, wait, event));
}

static void test_in_order(void)
{
    cl_command_queue q = new_queue(0);
    static uint32_t host[256], other[256];
    uint32_t want = 0;
    cl_mem m = clu_buffer(sizeof(host), NULL), m2 = clu_buffer(sizeof(host), NULL);
    uint32_t zero = 0;
    CL(clEnqueueFillBuffer(q, m, &zero, 4, 0, sizeof(host), 0, NULL, NULL));
    for (int i = 0; i < 300; i++) {
        enqueue_step(q, m, i, 0, NULL, NULL);
        want = want * 3 + (uint32_t)i;
        if (i % 7 == 3) { /* host commands in between, none waited for */
            CL(clEnqueueReadBuffer(q, m, CL_FALSE, 0, sizeof(host), host, 0, NULL, NULL));
            CL(clEnqueueWriteBuffer(q, m2, CL_FALSE, 0, sizeof(host), host, 0, NULL, NULL));
            CL(clEnqueueCopyBuffer(q, m2, m, 0, 0, sizeof(host), 0, NULL, NULL));
        }
    }
    CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(other), other, 0, NULL, NULL));
    CHECKF(other[0] == want && other[255] == want, "got %u want %u", other[0], want);
    CL(clReleaseMemObject(m));
    CL(clReleaseMemObject(m2));
    CL(clReleaseCommandQueue(q));
}

static void test_chain(cl_command_queue_properties props, bool gated)
{
    enum { N = 500 };
    cl_command_queue q = new_queue(props);
    uint32_t zero = 0, want = 0, got;
    cl_mem m = clu_buffer(1024, NULL);
    CL(clEnqueueFillBuffer(q, m, &zero, 4, 0, 1024, 0, NULL, NULL));
    CL(clFinish(q));
    cl_int e;
    cl_event gate = gated ? clCreateUserEvent(clu_context, &e) : NULL, last = gate;
    for (int i = 0; i < N; i++) {
        cl_event next;
        enqueue_step(q, m, i, last ? 1 : 0, last ? &last : NULL, &next);
        if (last && last != gate)
            CL(clReleaseEvent(last));
        last = next;
        want = want * 3 + (uint32_t)i;
    }
    if (gated) {
        cl_int status;
        usleep(20000);
        CL(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        CHECKF(status > CL_COMPLETE, "a gated command has status %d", status);
        CL(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_INVALID_OPERATION);
    }
    CL(clWaitForEvents(1, &last));
    CL(clEnqueueReadBuffer(q, m, CL_TRUE, 512, 4, &got, 0, NULL, NULL));
    CHECKF(got == want, "chain: got %u want %u", got, want);
    CL(clReleaseEvent(last));
    if (gate)
        CL(clReleaseEvent(gate));
    CL(clReleaseMemObject(m));
    CL(clReleaseCommandQueue(q));
}

static volatile int n_called, last_status;
static void CL_CALLBACK called(cl_event event, cl_int status, void *user)
{
    __atomic_fetch_add(&n_called, 1, __ATOMIC_SEQ_CST);
    last_status = status;
}

static void wait_called(int n)
{
    for (int i = 0; i < 5000 && n_called < n; i++)
        usleep(1000);
    CHECKF(n_called == n, "%d callbacks, %d expected", n_called, n);
}

static void test_failure(void)
{
    cl_command_queue q = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem m = clu_buffer(1024, NULL);
    cl_int e, status;
    cl_event gate = clCreateUserEvent(clu_context, &e), first, second, third;
    uint32_t zero = 0, got = 1;
    CL(clEnqueueFillBuffer(q, m, &zero, 4, 0, 1024, 0, NULL, NULL));
    CL(clFinish(q));
    enqueue_step(q, m, 5, 1, &gate, &first);
    enqueue_step(q, m, 6, 1, &first, &second);
    CL(clEnqueueMarkerWithWaitList(q, 1, &second, &third));
    n_called = 0;
    CL(clSetEventCallback(second, CL_COMPLETE, called, NULL));
    CL(clSetUserEventStatus(gate, -42));
    CHECK(clWaitForEvents(1, &third) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_event all[] = {first, second, third};
    for (int i = 0; i < 3; i++) {
        CL(clGetEventInfo(all[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
                          NULL));
        CHECKF(status < 0, "event %d has status %d", i, status);
    }
    wait_called(1);
    CHECKF(last_status < 0, "callback status %d", last_status);
    CL(clSetEventCallback(first, CL_COMPLETE, called, NULL)); /* after the fact */
    wait_called(2);
    /* nothing ran, and the queue goes on */
    CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECK(got == 0);
    enqueue_step(q, m, 9, 0, NULL, NULL);
    CL(clFinish(q));
    CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECK(got == 9);
    CL(clReleaseEvent(gate));
    for (int i = 0; i < 3; i++)
        CL(clReleaseEvent(all[i]));
    CL(clReleaseMemObject(m));
    CL(clReleaseCommandQueue(q));
}

static void test_barrier(void)
{
    cl_command_queue q = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem m = clu_buffer(1024, NULL);
    uint32_t zero = 0, got, want = 0;
    CL(clEnqueueFillBuffer(q, m, &zero, 4, 0, 1024, 0, NULL, NULL));
    for (int i = 0; i < 50; i++) {
        CL(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
        enqueue_step(q, m, i, 0, NULL, NULL);
        want = want * 3 + (uint32_t)i;
    }
    CL(clFinish(q));
    CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECKF(got == want, "barriers: got %u want %u", got, want);
    CL(clReleaseMemObject(m));
    CL(clReleaseCommandQueue(q));
}

static void test_profiling(void)
{
    cl_command_queue q = new_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_mem m = clu_buffer(1024, NULL);
    cl_event ev[3];
    for (int i = 0; i < 3; i++)
        enqueue_step(q, m, i, 0, NULL, &ev[i]);
    CL(clFinish(q));
    cl_ulong before = 0;
    for (int i = 0; i < 3; i++) {
        static const cl_profiling_info what[] = {
            CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END};
        cl_ulong t[4];
        for (int j = 0; j < 4; j++)
            CL(clGetEventProfilingInfo(ev[i], what[j], sizeof(cl_ulong), &t[j], NULL));
        CHECKF(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3], "times %llu %llu %llu %llu",
               (unsigned long long)t[0], (unsigned long long)t[1], (unsigned long long)t[2],
               (unsigned long long)t[3]);
        CHECK(t[2] >= before);
        before = t[3];
        CL(clReleaseEvent(ev[i]));
    }
    cl_event e;
    enqueue_step(clu_queue, m, 1, 0, NULL, &e);
    CL(clFinish(clu_queue));
    cl_ulong t;
    CHECK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(t), &t, NULL) ==
          CL_PROFILING_INFO_NOT_AVAILABLE);
    CL(clReleaseEvent(e));
    CL(clReleaseMemObject(m));
    CL(clReleaseCommandQueue(q));
}

static void test_two_queues(void)
{
    cl_command_queue a = new_queue(0), b = new_queue(0);
    cl_mem m = clu_buffer(1024, NULL);
    uint32_t zero = 0, got, want = 0;
    CL(clEnqueueFillBuffer(a, m, &zero, 4, 0, 1024, 0, NULL, NULL));
    CL(clFinish(a));
    cl_event last = NULL;
    for (int i = 0; i < 60; i++) {
        cl_event next;
        cl_command_queue q = i & 1 ? b : a;
        enqueue_step(q, m, i, last ? 1 : 0, last ? &last : NULL, &next);
        CL(clFlush(q));
        if (last)
            CL(clReleaseEvent(last));
        last = next;
        want = want * 3 + (uint32_t)i;
    }
    CL(clWaitForEvents(1, &last));
    CL(clReleaseEvent(last));
    CL(clEnqueueReadBuffer(a, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECKF(got == want, "two queues: got %u want %u", got, want);
    CL(clReleaseMemObject(m));
    CL(clReleaseCommandQueue(a));
    CL(clReleaseCommandQueue(b));
}

static void CL_CALLBACK native(void *args)
{
    int *const *p = args;
    ++**p;
}

static void test_native(void)
{
    cl_device_exec_capabilities caps;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(caps), &caps, NULL));
    if (!(caps & CL_EXEC_NATIVE_KERNEL))
        return;
    int n = 0, *p = &n;
    for (int i = 0; i < 10; i++)
        CL(clEnqueueNativeKernel(clu_queue, native, &p, sizeof(p), 0, NULL, NULL, 0, NULL, NULL));
    CL(clFinish(clu_queue));
    CHECKF(n == 10, "native kernels ran %d times", n);
}

/* A forked child builds a program and runs it, while the parent's work is in flight. */
static void test_fork(void)
{
    enum { N = 256 };
    static uint32_t zeros[N], got[N];
    cl_mem m = clu_buffer(sizeof zeros, zeros);
    enqueue_step(clu_queue, m, 5, 0, NULL, NULL);
    CL(clFlush(clu_queue));
    pid_t pid = fork();
    if (pid == 0) {
        clu_open();
        cl_kernel k = clu_kernel(clu_build("kernel void fill(global uint *p) { "
                                           "p[get_global_id(0)] = get_global_id(0) * 7; }",
                                           ""),
                                 "fill");
        cl_mem own = clu_buffer(sizeof got, NULL);
        clu_arg_mem(k, 0, own);
        clu_run(k, N, 0);
        clu_read(own, sizeof got, got);
        unsigned bad = 0;
        for (unsigned i = 0; i < N; i++)
            bad += got[i] != i * 7;
        _exit(bad != 0);
    }
    int status = 1;
    REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECKF(status == 0, "the child's status: %#x", status);
    clu_read(m, sizeof got, got);
    CHECK(got[0] == 5 && got[N - 1] == 5);
    CL(clReleaseMemObject(m));
}

int main(void)
{
    clu_open();
    program = clu_build("kernel void times(global uint *p, int add) { uint i = get_global_id(0); "
                        "p[i] = p[i] * 3 + add; }",
                        "");
    times = clu_kernel(program, "times");
    test_in_order();
    test_chain(0, false);
    test_chain(0, true);
    test_chain(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, false);
    test_chain(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, true);
    test_failure();
    test_barrier();
    test_profiling();
    test_two_queues();
    test_native();
    test_fork();
    CL(clReleaseKernel(times));
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
