/* Handles: counts of the application and of the driver, releases past zero, garbage. And that what
 * the ledger prints is what lives. */
#include "fake_gpu.h"
#include "utest.h"

#include "src/core/device.h"
#include "src/core/object.h"
#include "src/core/queue.h"

#include <sys/wait.h>
#include <unistd.h>

static cl_device_id dev;

static cl_context new_context(void)
{
    cl_int err;
    cl_context ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    return ctx;
}

static cl_uint refs(cl_context ctx)
{
    cl_uint n = 0;
    CHECK(clGetContextInfo(ctx, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL) == CL_SUCCESS);
    return n;
}

static void counts(void)
{
    cl_int err;
    cl_context ctx = new_context();
    CHECK(refs(ctx) == 1);
    cl_command_queue q = clCreateCommandQueue(ctx, dev, 0, &err);
    CHECK(refs(ctx) == 1); /* what the driver holds is not seen */
    CHECK(clRetainContext(ctx) == CL_SUCCESS && refs(ctx) == 2);
    CHECK(clReleaseContext(ctx) == CL_SUCCESS);
    CHECK(clReleaseContext(ctx) == CL_SUCCESS);
    CHECK(clReleaseContext(ctx) == CL_INVALID_CONTEXT); /* past zero: not the queue's reference */
    CHECK(refs(ctx) == 0 && object_live(OBJECT_CONTEXT) == 1);
    cl_context asked;
    CHECK(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof asked, &asked, NULL) == CL_SUCCESS);
    CHECK(asked == ctx && clRetainContext(asked) == CL_SUCCESS && refs(asked) == 1);
    CHECK(clReleaseCommandQueue(q) == CL_SUCCESS && object_live(OBJECT_QUEUE) == 0);
    CHECK(object_live(OBJECT_CONTEXT) == 1);
    CHECK(clReleaseContext(asked) == CL_SUCCESS && object_live(OBJECT_CONTEXT) == 0);
}

static int order[3], n_order;

static void CL_CALLBACK gone(cl_context ctx, void *data)
{
    order[n_order++] = (int)(intptr_t)data;
}

static void destructors(void)
{
    cl_int err;
    cl_context ctx = new_context();
    cl_mem m = clCreateBuffer(ctx, 0, 64, NULL, &err);
    for (intptr_t i = 0; i < 3; i++)
        CHECK(clSetContextDestructorCallback(ctx, gone, (void *)i) == CL_SUCCESS);
    clReleaseContext(ctx);
    CHECK(n_order == 0); /* the buffer holds it */
    clReleaseMemObject(m);
    CHECK(n_order == 3 && order[0] == 2 && order[1] == 1 && order[2] == 0);
}

/* A handle of one sort is no other; neither is memory that holds anything else. */
static void garbage(void)
{
    static uint64_t zeros[64], ones[64] = {[0 ... 63] = ~UINT64_C(0)};
    cl_context ctx = new_context();
    cl_int err;
    cl_event ev = clCreateUserEvent(ctx, &err);
    void *handles[] = {NULL, zeros, ones, (char *)ctx + 4, dev, ctx, ev};
    for (unsigned i = 0; i < sizeof handles / sizeof *handles; i++) {
        void *h = handles[i];
        CHECK((clRetainContext(h) == CL_SUCCESS) == (h == ctx));
        CHECK((clRetainEvent(h) == CL_SUCCESS) == (h == ev));
        CHECK((clRetainDevice(h) == CL_SUCCESS) == (h == dev));
        CHECK(clRetainMemObject(h) == CL_INVALID_MEM_OBJECT);
        CHECK(clRetainCommandQueue(h) == CL_INVALID_COMMAND_QUEUE);
        CHECK(clRetainProgram(h) == CL_INVALID_PROGRAM);
        CHECK(clRetainKernel(h) == CL_INVALID_KERNEL);
        CHECK(clRetainSampler(h) == CL_INVALID_SAMPLER);
        CHECK(clFinish(h) == CL_INVALID_COMMAND_QUEUE);
    }
    clReleaseContext(ctx);
    clReleaseEvent(ev);
    clReleaseEvent(ev);
    CHECK(clReleaseContext(ctx) == CL_SUCCESS);
}

/* A forked child has its own; the parent's objects are none in it, and the parent goes on. */
static void forking(void)
{
    cl_int err;
    cl_context ctx = new_context();
    cl_command_queue q = clCreateCommandQueue(ctx, dev, 0, &err);
    cl_event gate = clCreateUserEvent(ctx, &err), ev;
    CHECK(clEnqueueMarkerWithWaitList(q, 1, &gate, &ev) == CL_SUCCESS);
    pid_t pid = fork();
    if (pid == 0) {
        char name[64];
        bool ok = clFinish(q) == CL_INVALID_COMMAND_QUEUE &&
                  clReleaseEvent(ev) == CL_INVALID_EVENT &&
                  clReleaseContext(ctx) == CL_INVALID_CONTEXT;
        ok &= clGetDeviceInfo(dev, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS;
        cl_context own = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
        cl_command_queue own_queue = clCreateCommandQueue(own, dev, 0, &err);
        ok &= err == CL_SUCCESS &&
              clEnqueueMarkerWithWaitList(own_queue, 0, NULL, NULL) == CL_SUCCESS &&
              clFinish(own_queue) == CL_SUCCESS;
        _exit(ok ? 0 : 1);
    }
    int status;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK(clWaitForEvents(1, &ev) == CL_SUCCESS && clFinish(q) == CL_SUCCESS);
    clReleaseEvent(ev);
    clReleaseEvent(gate);
    clReleaseCommandQueue(q);
    clReleaseContext(ctx);
}

int main(void)
{
    cl_platform_id platform;
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    counts();
    destructors();
    garbage();
    forking();
    for (int k = OBJECT_CONTEXT; k < OBJECT_N_KINDS; k++)
        CHECKF(object_live(k) == 0, "kind %d: %u alive", k, object_live(k));
    return utest_end();
}
