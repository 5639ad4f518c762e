/* What commands leave behind, and what those that are under way take, byte by byte: every
 * allocation of the driver is counted (the program is linked so that malloc and its like come here
 * first).
 */
#include "fake_kernels.h"

#include "src/core/device.h"

#include <CL/cl.h>

#include <malloc.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_llong in_use, most; /* bytes */
static atomic_llong blocks;

static void *counted(void *p)
{
    atomic_fetch_add(&blocks, p != NULL);
    long long now = atomic_fetch_add(&in_use, (long long)malloc_usable_size(p)) +
                    (long long)malloc_usable_size(p);
    long long before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        ;
    return p;
}

static void uncounted(void *p)
{
    atomic_fetch_sub(&blocks, p != NULL);
    atomic_fetch_sub(&in_use, (long long)malloc_usable_size(p));
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t k, size_t n);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t k, size_t n);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t n)
{
    return counted(__real_malloc(n));
}

void *__wrap_calloc(size_t k, size_t n)
{
    return counted(__real_calloc(k, n));
}

void *__wrap_realloc(void *p, size_t n)
{
    uncounted(p);
    return counted(__real_realloc(p, n));
}

void __wrap_free(void *p)
{
    uncounted(p);
    __real_free(p);
}

char *__wrap_strdup(const char *s)
{
    return counted(__real_strdup(s));
}

static cl_context ctx;
static cl_device_id dev;
static cl_kernel kernel;

/* What is in use when all has ended. */
struct state {
    long long blocks, bytes;
};

static struct state state_now(void)
{
    return (struct state){atomic_load(&blocks), atomic_load(&in_use)};
}

/* Whether it is the same again, once the threads have put down what they held. malloc may give a
 * block 16 bytes more than another time. */
static bool state_again(struct state expected)
{
    enum { SLACK = 64 };
    for (unsigned i = 0; i < 2000 && atomic_load(&blocks) > expected.blocks; i++)
        usleep(1000);
    struct state now = state_now();
    return now.blocks == expected.blocks && llabs(now.bytes - expected.bytes) <= SLACK;
}

static cl_command_queue new_queue(cl_command_queue_properties flags)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(ctx, dev, flags, &err);
    REQUIRE(!err);
    return q;
}

static void step(cl_event *last, cl_event next)
{
    if (*last)
        clReleaseEvent(*last);
    *last = next;
}

static void CL_CALLBACK called(cl_event ev, cl_int status, void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

/* One command of a kind, after the last; its buffer is released at once. */
static void enqueue(cl_command_queue q, unsigned i, cl_event *last)
{
    static uint32_t value;
    cl_event ev;
    cl_int err;
    size_t n = 16;
    cl_uint n_waits = *last ? 1 : 0;
    const cl_event *waits = n_waits ? last : NULL;
    cl_mem m = clCreateBuffer(ctx, 0, 4096, NULL, &err);
    REQUIRE(!err);
    clSetKernelArg(kernel, 0, sizeof m, &m);
    switch (i % 6) {
    case 0:
        err = clEnqueueCopyBuffer(q, m, m, 0, 2048, 100, n_waits, waits, &ev);
        break;
    case 1:
        err = clEnqueueFillBuffer(q, m, &value, 4, 0, 400, n_waits, waits, &ev);
        break;
    case 2:
        err = clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &value, n_waits, waits, &ev);
        break;
    case 3:
        err = clEnqueueMarkerWithWaitList(q, n_waits, waits, &ev);
        break;
    default:
        err = clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, n_waits, waits, &ev);
    }
    REQUIRE(!err);
    clReleaseMemObject(m);
    step(last, ev);
}

/* A hundred thousand commands, each after the last, some with callbacks, waited for now and then:
 * each time all is as it was, to the block. */
static void waited(cl_command_queue_properties flags)
{
    enum { COMMANDS = 50000, WAIT = 40, CHECK_EACH = 1000 };
    static atomic_uint n_called;
    cl_command_queue q = new_queue(flags);
    cl_event last = NULL;
    struct state base = {0};
    unsigned off = 0;
    for (unsigned i = 0; i < COMMANDS; i++) {
        enqueue(q, i, &last);
        if (i % 10 == 0)
            clSetEventCallback(last, CL_COMPLETE, called, &n_called);
        if (i % WAIT == WAIT - 1)
            REQUIRE(clWaitForEvents(1, &last) == CL_SUCCESS);
        if (i % CHECK_EACH != CHECK_EACH - 1)
            continue;
        REQUIRE(clFinish(q) == CL_SUCCESS);
        if (i == CHECK_EACH - 1) { /* what is made once has been made */
            usleep(100000);
            base = state_now();
        }
        off += !state_again(base);
        CHECK(object_live(OBJECT_EVENT) == 1 && object_live(OBJECT_MEM) == 0 &&
              fake_gpu_live_bos() <= 2);
    }
    CHECKF(off == 0, "%u times something was left, now %lld blocks", off,
           atomic_load(&blocks) - base.blocks);
    clReleaseEvent(last);
    clReleaseCommandQueue(q);
}

/* Three hundred thousand commands that nobody waits for: what is under way is bounded, in number
 * and in bytes.
 */
static void unwaited(void)
{
    enum { COMMANDS = 300000, MOST = 24 << 20 };
    cl_command_queue q = new_queue(0);
    cl_int err;
    cl_mem m = clCreateBuffer(ctx, 0, 4096, NULL, &err);
    size_t n = 16;
    unsigned events = 0;
    clSetKernelArg(kernel, 0, sizeof m, &m);
    CHECK(!clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) && !clFinish(q));
    usleep(100000);
    struct state base = state_now();
    atomic_store(&most, 0);
    for (unsigned i = 0; i < COMMANDS; i++) {
        REQUIRE(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
        unsigned live = object_live(OBJECT_EVENT);
        events = live > events ? live : events;
    }
    CHECK(clFinish(q) == CL_SUCCESS);
    CHECKF(events <= BUDGET_MAX_ACTIVE + 1024, "%u", events);
    CHECKF(atomic_load(&most) - base.bytes < MOST, "%lld bytes", atomic_load(&most) - base.bytes);
    CHECK(state_again(base));
    clReleaseMemObject(m);
    clReleaseCommandQueue(q);
}

/* Twenty thousand buffers, each released right after the command that uses it, that nobody waits
 * for: no more than the limit is ever there. And those that the application keeps: until there is
 * no room, which is told; then the rest goes on working. */
static void buffers(void)
{
    enum { COMMANDS = 20000, SIZE = 65536, ROOM = 64 };
    cl_command_queue q = new_queue(0);
    cl_int err = CL_SUCCESS;
    size_t n = 16;
    uint64_t limit = dev->budget.limit, highest = 0;
    cl_mem kept[ROOM + 1];
    unsigned n_kept = 0;
    dev->budget.limit = (uint64_t)ROOM * SIZE;
    for (unsigned i = 0; i < COMMANDS; i++) {
        cl_mem m = clCreateBuffer(ctx, 0, SIZE, NULL, &err);
        REQUIRE(!err && !clSetKernelArg(kernel, 0, sizeof m, &m));
        REQUIRE(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
        clReleaseMemObject(m);
        uint64_t live = gpu_bytes_live(NULL);
        highest = live > highest ? live : highest;
    }
    CHECKF(highest <= (uint64_t)ROOM * SIZE, "%llu bytes", (unsigned long long)highest);
    CHECK(clFinish(q) == CL_SUCCESS);
    for (err = CL_SUCCESS; !err && n_kept <= ROOM; n_kept++) {
        kept[n_kept] = clCreateBuffer(ctx, 0, SIZE, NULL, &err);
        REQUIRE(!err && !clSetKernelArg(kernel, 0, sizeof(cl_mem), &kept[n_kept]));
        err = clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    }
    CHECKF(err == CL_MEM_OBJECT_ALLOCATION_FAILURE && n_kept > ROOM - 4, "%d after %u", err,
           n_kept);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &kept[0]);
    CHECK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
    clReleaseMemObject(kept[1]);
    CHECK(clFinish(q) == CL_SUCCESS);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &kept[n_kept - 1]);
    CHECK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clFinish(q) == CL_SUCCESS);
    for (unsigned i = 0; i < n_kept; i++)
        if (i != 1)
            clReleaseMemObject(kept[i]);
    dev->budget.limit = limit;
    clReleaseCommandQueue(q);
}

int main(void)
{
    cl_platform_id platform;
    cl_int err;
    size_t size;
    REQUIRE(!clGetPlatformIDs(1, &platform, NULL));
    REQUIRE(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL));
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    uint8_t *image = fake_binary(&size);
    cl_program program =
        clCreateProgramWithBinary(ctx, 1, &dev, &size, (const uint8_t *[]){image}, NULL, &err);
    REQUIRE(!err && !clBuildProgram(program, 0, NULL, "", NULL, NULL));
    free(image);
    kernel = clCreateKernel(program, "inc", &err);
    REQUIRE(!err);
    waited(0);
    waited(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    unwaited();
    buffers();
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseContext(ctx);
    for (unsigned i = 0; i < 2000 && object_live(OBJECT_CONTEXT); i++)
        usleep(1000);
    for (int k = OBJECT_CONTEXT; k < OBJECT_N_KINDS; k++)
        CHECKF(object_live(k) == 0, "kind %d: %u alive", k, object_live(k));
    CHECKF(fake_gpu_live_bos() == 0, "%u", fake_gpu_live_bos());
    return utest_end();
}
