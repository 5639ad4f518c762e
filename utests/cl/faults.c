/* What goes wrong must give a clear OpenCL error, and the next kernel must run. argv[1] names the
 * fault; the test runs under gensim (tests.cmake gives each fault its options): a source that does
 * not compile (syntax); a kernel that stores through a wild pointer, a page fault (wild), or
 * outside its buffer, which the surface's bounds drop (bounds), or never ends (endless, with
 * --hang-limit); a compiler that dies in mid-build (compiler, with BEIGNET_CC naming a wrapper that
 * kills it once); ioctls that fail, where every call succeeds or gives an error of memory or
 * resources (ioctl, with --fault); a device that takes no submission any more (lost); processes
 * that end with work under way (leaving); thousands of threads (crowd). */
#include "clu.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void good_kernel_runs(void)
{
    cl_program p = clu_build(
        "kernel void good(global int *o) { o[get_global_id(0)] = get_global_id(0) + 7; }", "");
    cl_kernel k = clu_kernel(p, "good");
    int out[100];
    cl_mem m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, m);
    clu_run(k, 100, 0);
    clu_read(m, sizeof(out), out);
    int bad = 0;
    for (int i = 0; i < 100; i++)
        bad += out[i] != i + 7;
    CHECKF(bad == 0, "the next kernel: %d wrong", bad);
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(m));
    CL(clReleaseProgram(p));
}

static void build_log(cl_program p, char *log, size_t size)
{
    log[0] = 0;
    CL(clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
}

static void syntax(void)
{
    const char *source = "kernel void bad(global int *o)\n{\n    o[0] = undeclared_thing + 1;\n}\n";
    char log[4096];
    cl_int e;
    cl_program p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &e);
    CL(e);
    CHECK(clBuildProgram(p, 1, &clu_device, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
    build_log(p, log, sizeof(log));
    CHECKF(strstr(log, "undeclared_thing") && strstr(log, ":3:"), "log: %s", log);
    cl_build_status status;
    CL(clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status,
                             NULL));
    CHECK(status == CL_BUILD_ERROR);
    CHECK(!clCreateKernel(p, "bad", &e) && e == CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clBuildProgram(p, 1, &clu_device, "-no-such-option", NULL, NULL) ==
          CL_INVALID_BUILD_OPTIONS);
    CL(clReleaseProgram(p));
}

/* Runs a kernel whose event must end with an error. */
static void failing_kernel(const char *source, size_t global)
{
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "bad");
    cl_mem m = clu_buffer(4096, NULL);
    clu_arg_mem(k, 0, m);
    cl_event ev;
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &global, NULL, 0, NULL, &ev));
    cl_int status, e = clWaitForEvents(1, &ev);
    CHECKF(e == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "clWaitForEvents gave %d", e);
    CL(clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    CHECKF(status < 0, "status %d", status);
    CL(clReleaseEvent(ev));
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

static void wild(void)
{
    failing_kernel(
        "kernel void bad(global int *o) {\n"
        "  global int *volatile where = o + ((size_t)get_global_id(0) << 4) + 0x8000000;\n"
        "  global int *volatile *p = &where;\n"
        "  (*p)[0x4000000] = 1;\n}\n",
        16);
}

static void bounds(void)
{
    cl_program p = clu_build("kernel void bad(global int *o, int n) { o[get_global_id(0) + n] = 5;"
                             " if (o[n * 2] != 0) o[0] = 99; }",
                             "");
    cl_kernel k = clu_kernel(p, "bad");
    int zero[64] = {0}, out[64], n = 1 << 20;
    cl_mem m = clu_buffer(sizeof(zero), zero);
    clu_arg_mem(k, 0, m);
    CL(clSetKernelArg(k, 1, 4, &n));
    clu_run(k, 64, 0);
    clu_read(m, sizeof(out), out);
    CHECK(memcmp(zero, out, sizeof(out)) == 0);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

static void endless(void)
{
    failing_kernel("kernel void bad(volatile global int *o) { while (o[0] != 12345) o[1]++; }", 16);
}

static void compiler(void)
{
    const char *source = "kernel void k(global int *o) { o[0] = 1; }";
    char log[4096];
    cl_int e;
    cl_program p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &e);
    CL(e);
    e = clBuildProgram(p, 1, &clu_device, "", NULL, NULL);
    CHECKF(e == CL_BUILD_PROGRAM_FAILURE || e == CL_COMPILER_NOT_AVAILABLE ||
               e == CL_OUT_OF_HOST_MEMORY,
           "a build whose compiler dies gave %d", e);
    if (e == CL_BUILD_PROGRAM_FAILURE) {
        build_log(p, log, sizeof(log));
        CHECKF(strstr(log, "compiler"), "log: %s", log);
    }
    CL(clReleaseProgram(p));
}

static void ioctl_errors(void)
{
    int failed = 0, right = 0;
    const char *source = "kernel void fill(global int *o, int v) { o[get_global_id(0)] = v; }";
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "fill");
    for (int round = 0; round < 60; round++) {
        cl_int e;
        static int out[4096];
        size_t n = 4096;
        cl_mem m = clCreateBuffer(clu_context, 0, sizeof(out), NULL, &e);
        if (!m) {
            CHECKF(e == CL_MEM_OBJECT_ALLOCATION_FAILURE || e == CL_OUT_OF_RESOURCES ||
                       e == CL_OUT_OF_HOST_MEMORY,
                   "%d", e);
            failed++;
            continue;
        }
        clu_arg_mem(k, 0, m);
        CL(clSetKernelArg(k, 1, 4, &round));
        e = clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &n, NULL, 0, NULL, NULL);
        if (e == CL_SUCCESS)
            e = clEnqueueReadBuffer(clu_queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL);
        if (e == CL_SUCCESS) {
            int bad = 0;
            for (int i = 0; i < 4096; i++)
                bad += out[i] != round;
            CHECKF(bad == 0, "round %d succeeded with %d wrong", round, bad);
            right++;
        } else {
            CHECKF(e == CL_MEM_OBJECT_ALLOCATION_FAILURE || e == CL_OUT_OF_RESOURCES ||
                       e == CL_OUT_OF_HOST_MEMORY ||
                       e == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                   "round %d gave %d", round, e);
            failed++;
        }
        CL(clReleaseMemObject(m));
    }
    fprintf(stderr, "%d rounds right, %d failed cleanly\n", right, failed);
    CHECK(right > 0);
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

/* The device is lost for good from some submission on: all says so, in the end nothing waits for
 * it. */
static void lost(void)
{
    const char *source = "kernel void fill(global int *o, int v) { o[get_global_id(0)] = v; }";
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "fill");
    static int out[4096];
    cl_int e;
    int failed = 0;
    for (int round = 0; round < 20; round++) {
        size_t n = 4096;
        cl_event ev = NULL, copied = NULL;
        cl_mem m = clu_buffer(sizeof(out), NULL), to = clu_buffer(sizeof(out), NULL);
        clu_arg_mem(k, 0, m);
        CL(clSetKernelArg(k, 1, 4, &round));
        e = clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &n, NULL, 0, NULL, &ev);
        if (e == CL_SUCCESS)
            e = clEnqueueCopyBuffer(clu_queue, m, to, 0, 0, sizeof(out), 1, &ev, &copied);
        if (e == CL_SUCCESS)
            e = clEnqueueReadBuffer(clu_queue, to, CL_TRUE, 0, sizeof(out), out, 1, &copied, NULL);
        CHECKF(e == CL_SUCCESS || e == CL_OUT_OF_RESOURCES ||
                   e == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
               "round %d gave %d", round, e);
        if (e == CL_SUCCESS)
            CHECKF(out[0] == round && out[4095] == round && !failed, "round %d: %d", round, out[0]);
        failed += e != CL_SUCCESS;
        CL(clFinish(clu_queue));
        if (ev)
            CL(clReleaseEvent(ev));
        if (copied)
            CL(clReleaseEvent(copied));
        CL(clReleaseMemObject(m));
        CL(clReleaseMemObject(to));
    }
    CHECKF(failed > 10 && failed < 20, "%d rounds failed", failed);
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

/* A process that ends with work under way, and some that is held back: in one of several ways. */
static int leave(int way)
{
    const char *source = "kernel void k(global int *o) { o[get_global_id(0)]++; }";
    size_t n = 4096;
    cl_int e;
    clu_open();
    cl_kernel k = clu_kernel(clu_build(source, ""), "k");
    cl_mem m = clu_buffer(4 * n, NULL);
    cl_command_queue other = clCreateCommandQueue(clu_context, clu_device, 0, &e);
    cl_event gate = clCreateUserEvent(clu_context, &e);
    CL(e);
    clu_arg_mem(k, 0, m);
    CL(clEnqueueNDRangeKernel(other, k, 1, NULL, &n, NULL, 1, &gate, NULL));
    for (int i = 0; i < 200; i++)
        CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    if (way == 1) { /* all handles go, with the work still there */
        CL(clReleaseKernel(k));
        CL(clReleaseMemObject(m));
        CL(clReleaseCommandQueue(other));
        CL(clReleaseCommandQueue(clu_queue));
        CL(clReleaseContext(clu_context));
    }
    if (way == 2)
        _exit(0);
    exit(0);
}

static void leaving(void)
{
    for (int way = 0; way < 3; way++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(30); /* ends with SIGALRM if exit() hangs */
            leave(way);
        }
        int status = 1;
        REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
        CHECKF(status == 0, "way %d: the status is %#x", way, status);
    }
}

/* As many threads as that, each with commands of its own on the same queues. */
enum { CROWD = 2000 };
static cl_command_queue crowd_queues[3];
static cl_program crowd_program;
static cl_mem crowd_memory;

static void *one_of_many(void *arg)
{
    cl_uint i = (cl_uint)(uintptr_t)arg;
    size_t one = 1;
    cl_event ev[2];
    cl_kernel k = clu_kernel(crowd_program, "k");
    clu_arg_mem(k, 0, crowd_memory);
    CL(clSetKernelArg(k, 1, 4, &i));
    cl_command_queue q = crowd_queues[i % 3];
    CL(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, &ev[0]));
    CL(clEnqueueNDRangeKernel(crowd_queues[(i + 1) % 3], k, 1, NULL, &one, NULL, 1, ev, &ev[1]));
    CL(clReleaseKernel(k));
    CL(clFlush(q));
    CL(clWaitForEvents(2, ev));
    cl_uint got;
    CL(clEnqueueReadBuffer(q, crowd_memory, CL_TRUE, 4 * i, 4, &got, 0, NULL, NULL));
    CL(clReleaseEvent(ev[0]));
    CL(clReleaseEvent(ev[1]));
    return (void *)(uintptr_t)(got == i + 2);
}

static void crowd(void)
{
    static pthread_t threads[CROWD];
    static cl_uint start[CROWD];
    pthread_attr_t attr;
    cl_int e;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 << 10);
    for (cl_uint i = 0; i < CROWD; i++)
        start[i] = i;
    crowd_memory = clu_buffer(sizeof start, start);
    crowd_program = clu_build("kernel void k(global uint *o, uint i) { o[i]++; }", "");
    for (unsigned i = 0; i < 3; i++) {
        crowd_queues[i] = clCreateCommandQueue(
            clu_context, clu_device, i == 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &e);
        CL(e);
    }
    unsigned n = 0, right = 0;
    while (n < CROWD && !pthread_create(&threads[n], &attr, one_of_many, (void *)(uintptr_t)n))
        n++;
    for (unsigned i = 0; i < n; i++) {
        void *ok;
        pthread_join(threads[i], &ok);
        right += ok != NULL;
    }
    CHECKF(n == CROWD && right == n, "%u of %u threads", right, n);
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseCommandQueue(crowd_queues[i]));
    CL(clReleaseProgram(crowd_program));
    CL(clReleaseMemObject(crowd_memory));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } faults[] = {{"syntax", syntax},   {"wild", wild},         {"bounds", bounds},
                  {"endless", endless}, {"compiler", compiler}, {"ioctl", ioctl_errors},
                  {"lost", lost},       {"crowd", crowd}};
    if (argc > 1 && !strcmp(argv[1], "leaving")) { /* before this process knows of OpenCL */
        leaving();
        return utest_end();
    }
    clu_open();
    for (unsigned i = 0; argc > 1 && i < sizeof(faults) / sizeof(faults[0]); i++)
        if (!strcmp(argv[1], faults[i].name)) {
            faults[i].run();
            if (faults[i].run != ioctl_errors && faults[i].run != lost)
                good_kernel_runs();
            clu_close();
            return utest_end();
        }
    fprintf(stderr, "usage: faults syntax|wild|bounds|endless|compiler|ioctl|lost|crowd|leaving\n");
    return 2;
}
