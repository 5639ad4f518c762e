/* Each ioctl in turn fails, with each error that a kernel may have for it, in the midst of kernels,
 * copies, fills, mappings and waits: whatever a call or an event says to have been done is right,
 * nothing hangs, and nothing is lost: the same works again right after, with no more objects of the
 * kernel's than before. Interrupted ones are not even noticed. The program's own ioctl() does it
 * (it is linked so that it comes before libc's and gensim's).
 */
#include "clu.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* Requests as the headers of the kernel have them. */
enum {
    GEM_CLOSE = 0x40086409,
    GEM_CREATE = 0xc010645b - 0x100000000,
    GEM_USERPTR = 0xc0186473 - 0x100000000,
    DRM = 'd'
};

static int n_ioctls, fail_at, fail_with, objects; /* atomically */
static int failing;                               /* the request that failed last */

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
    static int (*next)(int, unsigned long, void *);
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    int r = (int)request;
    if ((request >> 8 & 0xff) == DRM && r != GEM_CLOSE && /* closing can't fail */
        __atomic_add_fetch(&n_ioctls, 1, __ATOMIC_RELAXED) ==
            __atomic_load_n(&fail_at, __ATOMIC_RELAXED)) {
        failing = r;
        errno = fail_with;
        return -1;
    }
    int result = next(fd, request, arg);
    if (result == 0 && (r == GEM_CREATE || r == GEM_USERPTR))
        __atomic_add_fetch(&objects, 1, __ATOMIC_RELAXED);
    if (result == 0 && r == GEM_CLOSE)
        __atomic_sub_fetch(&objects, 1, __ATOMIC_RELAXED);
    return result;
}

enum {
    N = 20000,
    SIZE = 4 * N,
    CACHED = 3 /* more objects may be in the driver's cache at one time than at another */
};
static cl_kernel kernel;
static uint32_t *host; /* whole pages */

static bool failed;

/* Whether the call went well; says so if the error is not one of want. */
static bool good(cl_int e, const char *what)
{
    if (e == CL_SUCCESS)
        return true;
    CHECKF(e == CL_MEM_OBJECT_ALLOCATION_FAILURE || e == CL_OUT_OF_RESOURCES ||
               e == CL_OUT_OF_HOST_MEMORY || e == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
           "%s gave %d", what, e);
    failed = true;
    return false;
}
#define GOOD(call) good((call), #call)

/* The chain's next event in place of the last. */
static void step(cl_event *last, cl_event next)
{
    if (*last)
        CL(clReleaseEvent(*last));
    *last = next;
}

static cl_event *const none = NULL;

/* m[i] = m[i] * 3 + i */
static bool run(cl_command_queue q, cl_mem m, cl_event *last)
{
    size_t n = N;
    cl_event ev;
    CL(clSetKernelArg(kernel, 0, sizeof m, &m));
    if (!GOOD(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, *last ? 1 : 0,
                                     *last ? last : none, &ev)))
        return false;
    step(last, ev);
    return true;
}

static bool work(cl_command_queue q, cl_mem a, cl_mem b, cl_mem c, cl_event *last)
{
    static uint32_t got[N];
    cl_event ev;
    uint32_t seven = 7;
    cl_int e;
    if (!run(q, a, last))
        return false;
    if (!GOOD(clEnqueueCopyBuffer(q, a, b, 0, 0, SIZE, 1, last, &ev)))
        return false;
    step(last, ev);
    if (!GOOD(clFlush(q)) || !run(q, b, last))
        return false;
    if (!GOOD(clEnqueueFillBuffer(q, b, &seven, 4, 4 * (N / 2), 4 * (N / 2), 1, last, &ev)))
        return false;
    step(last, ev);
    if (!GOOD(clEnqueueReadBuffer(q, b, CL_TRUE, 0, SIZE, got, 1, last, &ev)))
        return false;
    step(last, ev);
    unsigned bad = 0;
    for (uint32_t i = 0; i < N; i++)
        bad += got[i] != (i < N / 2 ? ((i ^ 5) * 3 + i) * 3 + i : 7);
    CHECKF(bad == 0, "%u of the first are wrong; %#x failed", bad, failing);
    if (!GOOD(clEnqueueCopyBuffer(q, b, c, 0, 0, SIZE, 1, last, &ev)))
        return false;
    step(last, ev);
    if (!run(q, c, last))
        return false;
    uint32_t *p = clEnqueueMapBuffer(q, c, CL_TRUE, CL_MAP_READ, 0, SIZE, 1, last, &ev, &e);
    if (!GOOD(e))
        return false;
    step(last, ev);
    CHECK(p == host);
    bad = 0;
    for (uint32_t i = 0; i < N; i++)
        bad += p[i] != got[i] * 3 + i;
    CHECKF(bad == 0, "%u of the second are wrong; %#x failed", bad, failing);
    if (!GOOD(clEnqueueUnmapMemObject(q, c, p, 1, last, &ev)))
        return false;
    step(last, ev);
    return GOOD(clWaitForEvents(1, last));
}

/* True if nothing went wrong. */
static bool scenario(void)
{
    static uint32_t start[N];
    cl_mem a, b, c = NULL;
    cl_event last = NULL;
    cl_int e;
    failed = false;
    for (uint32_t i = 0; i < N; i++)
        start[i] = i ^ 5;
    cl_command_queue q =
        clCreateCommandQueue(clu_context, clu_device, CL_QUEUE_PROFILING_ENABLE, &e);
    if (!GOOD(e))
        return false;
    a = clCreateBuffer(clu_context, CL_MEM_COPY_HOST_PTR, SIZE, start, &e);
    GOOD(e);
    b = clCreateBuffer(clu_context, CL_MEM_READ_WRITE, SIZE, NULL, &e);
    GOOD(e);
    c = clCreateBuffer(clu_context, CL_MEM_USE_HOST_PTR, SIZE, host, &e);
    GOOD(e);
    if (a && b && c)
        work(q, a, b, c, &last);
    CL(clFinish(q));
    if (last) {
        cl_int status;
        CL(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECKF(failed ? status <= CL_COMPLETE : status == CL_COMPLETE, "status %d", status);
        CL(clReleaseEvent(last));
    }
    if (a)
        CL(clReleaseMemObject(a));
    if (b)
        CL(clReleaseMemObject(b));
    if (c)
        CL(clReleaseMemObject(c));
    CL(clReleaseCommandQueue(q));
    return !failed;
}

int main(void)
{
    static const struct {
        int error;
        bool noticed;
    } errors[] = {{EINTR, false}, {EAGAIN, false}, {ENOMEM, true}, {ENOSPC, true}, {EIO, true}};
    alarm(300);
    REQUIRE(posix_memalign((void **)&host, 4096, (SIZE + 4095) & ~4095) == 0);
    clu_open();
    cl_program p = clu_build(
        "kernel void k(global uint *m) { uint i = get_global_id(0); m[i] = m[i] * 3 + i; }", "");
    kernel = clu_kernel(p, "k");
    for (unsigned i = 0; i < 3; i++)
        CHECK(scenario());
    int most = 0;
    for (unsigned k = 0; k < sizeof errors / sizeof *errors; k++) {
        unsigned n_failed = 0, n = 1;
        fail_with = errors[k].error;
        for (bool reached = true; reached; n++) {
            __atomic_store_n(&n_ioctls, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&fail_at, n, __ATOMIC_RELAXED);
            bool ok = scenario();
            __atomic_store_n(&fail_at, 0, __ATOMIC_RELAXED);
            reached = __atomic_load_n(&n_ioctls, __ATOMIC_RELAXED) >= (int)n;
            CHECKF(ok || errors[k].noticed, "%s at ioctl %u was noticed", strerror(fail_with), n);
            CHECKF(scenario(), "not again after %s at ioctl %u, %#x", strerror(fail_with), n,
                   failing);
            n_failed += !ok;
            int now = __atomic_load_n(&objects, __ATOMIC_RELAXED);
            if (k == 0 && now > most)
                most = now;
            CHECKF(now <= most + CACHED, "%d objects instead of %d after %s at ioctl %u", now, most,
                   strerror(fail_with), n);
        }
        fprintf(stderr, "%s: %u ioctls, %u noticed\n", strerror(fail_with), n - 2, n_failed);
        CHECK(n > 10);
    }
    CL(clReleaseKernel(kernel));
    CL(clReleaseProgram(p));
    clu_close();
    free(host);
    return utest_end();
}
