/* What goes wrong must give a clear OpenCL error, and the next kernel must run. argv[1] names the
 * fault; the test runs under gensim (tests.cmake gives each fault its options): syntax    a source
 * that does not compile wild      a kernel that stores through a wild pointer: a page fault bounds
 * a kernel that stores outside its buffer: dropped by the surface's bounds endless   a kernel that
 * never ends (gensim --hang-limit) compiler  the compiler process dies in mid-build (BEIGNET_CC
 * names a wrapper that kills it once) ioctl     ioctls fail (gensim --fault): every call succeeds
 * or gives an error of memory or resources */
#include <unistd.h>

#include "clu.h"

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

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } faults[] = {{"syntax", syntax},   {"wild", wild},         {"bounds", bounds},
                  {"endless", endless}, {"compiler", compiler}, {"ioctl", ioctl_errors}};
    clu_open();
    for (unsigned i = 0; argc > 1 && i < sizeof(faults) / sizeof(faults[0]); i++)
        if (!strcmp(argv[1], faults[i].name)) {
            faults[i].run();
            if (faults[i].run != ioctl_errors)
                good_kernel_runs();
            clu_close();
            return utest_end();
        }
    fprintf(stderr, "usage: faults syntax|wild|bounds|endless|compiler|ioctl\n");
    return 2;
}
