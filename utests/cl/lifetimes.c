/* Situations in which drivers have hung, crashed or leaked, by public reports; of each the whole
 * kind. Without an argument: callbacks, handles, shared pages, odd arguments, large ranges, times,
 * contexts by the thousand, the build cache. With one: a way to end a process, or two drivers with
 * compilers of their own in one. Values are closed forms. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clu.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] =
    "kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }\n"
    "kernel void set(global uint *p, ulong at, uint v) { p[at] = v; }\n"
    "kernel void bytes(global uchar *p) { p[get_global_id(0)] ^= (uchar)(get_global_id(0) + 1); }\n"
    "kernel void maybe(global uint *p, global uint *q) { q[0] = p ? 7 : 9; }\n"
    "kernel void ids(global uint *p) { uint i = get_global_id(0);\n"
    "    if (get_group_id(0) * get_local_size(0) + get_local_id(0) == i) atomic_add(p + (i & 63), "
    "1); }\n"
    "kernel void slow(global uint *p) { uint x = p[0]; for (uint i = 0; i < 20000; i++) x = x * 3 "
    "+ i; p[0] = x; }\n";

static cl_program program;

static cl_command_queue queue_of(cl_command_queue_properties flags)
{
    cl_int e;
    cl_command_queue q = clCreateCommandQueue(clu_context, clu_device, flags, &e);
    CL(e);
    return q;
}

/* ---- callbacks ---- */
static struct {
    atomic_uint calls;
    cl_event user;
    cl_mem m;
    cl_kernel k;
    cl_int status;
} cb;

static void wait_calls(unsigned n)
{
    for (unsigned i = 0; i < 20000 && atomic_load(&cb.calls) < n; i++)
        usleep(1000);
    CHECKF(atomic_load(&cb.calls) == n, "%u calls of %u", atomic_load(&cb.calls), n);
}

static void CL_CALLBACK release_it(cl_event e, cl_int status, void *data)
{
    (void)data;
    cb.status = status;
    clReleaseEvent(e);
    atomic_fetch_add(&cb.calls, 1);
}

/* Ends a user event, enqueues, and gives up what the rest of the test used. */
static void CL_CALLBACK do_much(cl_event e, cl_int status, void *data)
{
    size_t n = 16;
    cl_command_queue q = data;
    CHECK(status == CL_COMPLETE);
    CHECK(clSetUserEventStatus(cb.user, CL_COMPLETE) == CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(q, cb.k, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clFlush(q) == CL_SUCCESS);
    CHECK(clReleaseEvent(cb.user) == CL_SUCCESS && clReleaseKernel(cb.k) == CL_SUCCESS);
    CHECK(clReleaseEvent(e) == CL_SUCCESS);
    atomic_fetch_add(&cb.calls, 1);
}

static void test_callbacks(void)
{
    cl_int e;
    cl_event ev;
    cl_uint one = 1, got[16], zero[16] = {0};
    cb.m = clu_buffer(sizeof zero, zero);
    cb.k = clu_kernel(program, "add");
    clu_arg_mem(cb.k, 0, cb.m);
    CL(clSetKernelArg(cb.k, 1, 4, &one));
    size_t n = 16;
    /* On an event that has ended long ago; the callback's release is the last. */
    for (unsigned i = 0; i < 200; i++) {
        CL(clEnqueueNDRangeKernel(clu_queue, cb.k, 1, NULL, &n, NULL, 0, NULL, &ev));
        if (i % 2)
            CL(clWaitForEvents(1, &ev));
        CL(clSetEventCallback(ev, CL_COMPLETE, release_it, NULL));
    }
    CL(clFinish(clu_queue));
    wait_calls(200);
    CHECK(cb.status == CL_COMPLETE);
    /* On one that fails. */
    cl_event user = clCreateUserEvent(clu_context, &e);
    CL(clEnqueueNDRangeKernel(clu_queue, cb.k, 1, NULL, &n, NULL, 1, &user, &ev));
    CL(clSetEventCallback(ev, CL_COMPLETE, release_it, NULL));
    CL(clSetUserEventStatus(user, -77));
    CL(clReleaseEvent(user));
    wait_calls(201);
    CHECK(cb.status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CL(clFinish(clu_queue));
    /* One that does everything an application may do there. */
    cl_command_queue q = queue_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cb.user = clCreateUserEvent(clu_context, &e);
    cl_event gated;
    CL(clEnqueueNDRangeKernel(q, cb.k, 1, NULL, &n, NULL, 1, &cb.user, &gated));
    CL(clEnqueueNDRangeKernel(q, cb.k, 1, NULL, &n, NULL, 0, NULL, &ev));
    CL(clSetEventCallback(ev, CL_COMPLETE, do_much, q));
    CL(clFlush(q));
    CL(clWaitForEvents(1, &gated));
    wait_calls(202);
    CL(clFinish(q));
    clu_read(cb.m, sizeof got, got);
    for (unsigned i = 0; i < 16; i++)
        CHECKF(got[i] == 203, "%u: %u", i, got[i]);
    CL(clReleaseEvent(gated));
    CL(clReleaseCommandQueue(q));
    CL(clReleaseMemObject(cb.m));
}

/* ---- memory of the application ---- */
static void test_shared_page(void)
{
    enum { PAGE = 4096, HALF = PAGE / 2, ROUNDS = 50 };
    cl_int e;
    unsigned char *page = aligned_alloc(PAGE, PAGE);
    cl_command_queue q[2] = {queue_of(0), queue_of(0)};
    cl_kernel k = clu_kernel(program, "add");
    for (unsigned i = 0; i < PAGE / 4; i++)
        ((cl_uint *)page)[i] = i;
    cl_mem m[2];
    for (unsigned h = 0; h < 2; h++) {
        m[h] = clCreateBuffer(clu_context, CL_MEM_USE_HOST_PTR, HALF, page + h * HALF, &e);
        CL(e);
    }
    size_t n = HALF / 4;
    for (unsigned r = 0; r < ROUNDS; r++) {
        for (cl_uint h = 0; h < 2; h++) {
            cl_uint by = h + 1;
            clu_arg_mem(k, 0, m[h]);
            CL(clSetKernelArg(k, 1, 4, &by));
            CL(clEnqueueNDRangeKernel(q[h], k, 1, NULL, &n, NULL, 0, NULL, NULL));
            CL(clFlush(q[h]));
        }
    }
    for (unsigned h = 0; h < 2; h++) {
        cl_uint *map =
            clEnqueueMapBuffer(q[h], m[h], CL_TRUE, CL_MAP_READ, 0, HALF, 0, NULL, NULL, &e);
        CL(e);
        unsigned wrong = 0;
        for (unsigned i = 0; i < n; i++)
            wrong += map[i] != h * n + i + ROUNDS * (h + 1);
        CHECKF(!wrong && map == (cl_uint *)(page + h * HALF), "half %u: %u wrong", h, wrong);
        CL(clEnqueueUnmapMemObject(q[h], m[h], map, 0, NULL, NULL));
        CL(clFinish(q[h]));
        CL(clReleaseMemObject(m[h]));
        CL(clReleaseCommandQueue(q[h]));
    }
    CL(clReleaseKernel(k));
    free(page);
}

/* ---- odd arguments ---- */
static void test_odd(void)
{
    cl_int e;
    cl_kernel k = clu_kernel(program, "bytes"), maybe = clu_kernel(program, "maybe");
    for (size_t size = 1; size < 8; size++) { /* three bytes, and other sizes without a dword */
        unsigned char in[8] = {9, 8, 7, 6, 5, 4, 3, 2}, out[8];
        cl_mem m = clu_buffer(size, in);
        clu_arg_mem(k, 0, m);
        clu_run(k, size, 0);
        clu_read(m, size, out);
        for (unsigned i = 0; i < size; i++)
            CHECKF(out[i] == (in[i] ^ (i + 1)), "size %zu, byte %u", size, i);
        CL(clReleaseMemObject(m));
    }
    size_t zero = 0, four = 4;
    cl_mem m = clu_buffer(64, NULL);
    clu_arg_mem(k, 0, m);
    CHECK(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &four, &zero, 0, NULL, NULL) ==
          CL_INVALID_WORK_GROUP_SIZE);
    /* No buffer: by a NULL handle, and without any. */
    cl_uint got;
    cl_mem none = NULL;
    clu_arg_mem(maybe, 1, m);
    for (unsigned i = 0; i < 3; i++) {
        CL(clSetKernelArg(maybe, 0, sizeof none, i == 0 ? &none : i == 1 ? NULL : &m));
        clu_run(maybe, 1, 1);
        clu_read(m, 4, &got);
        CHECKF(got == (i < 2 ? 9 : 7), "%u: %u", i, got);
    }
    CL(clReleaseMemObject(m));
    /* Beyond 2^32 bytes: right, or refused. */
    cl_ulong max;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL));
    m = clCreateBuffer(clu_context, 0, ((size_t)1 << 32) + 4096, NULL, &e);
    CHECK(max > ((cl_ulong)1 << 32) || (!m && e == CL_INVALID_BUFFER_SIZE));
    if (m)
        CL(clReleaseMemObject(m));
    size_t size = (max < ((cl_ulong)1 << 32) ? max : (cl_ulong)1 << 32) & ~(size_t)4095;
    m = clCreateBuffer(clu_context, 0, size, NULL, &e);
    if (m) { /* its last words: positions past 2^31 bytes where it is as large */
        cl_kernel set = clu_kernel(program, "set");
        clu_arg_mem(set, 0, m);
        bool ran = true;
        for (cl_uint i = 0; i < 4 && ran; i++) {
            cl_ulong at = size / 4 - 1 - i * (size / 16);
            cl_uint v = 1000 + i;
            CL(clSetKernelArg(set, 1, 8, &at));
            CL(clSetKernelArg(set, 2, 4, &v));
            size_t one = 1;
            e = clEnqueueNDRangeKernel(clu_queue, set, 1, NULL, &one, NULL, 0, NULL, NULL);
            ran = e == CL_SUCCESS;
            CHECK(ran || e == CL_MEM_OBJECT_ALLOCATION_FAILURE);
        }
        for (cl_uint i = 0; i < 4 && ran; i++) {
            cl_uint back = 0;
            CL(clEnqueueReadBuffer(clu_queue, m, CL_TRUE, size - 4 - i * (size / 16 * 4), 4, &back,
                                   0, NULL, NULL));
            CHECKF(back == 1000 + i, "word %u of %zu bytes: %u", i, size, back);
        }
        CL(clReleaseKernel(set));
        CL(clReleaseMemObject(m));
    }
    CL(clReleaseKernel(k));
    CL(clReleaseKernel(maybe));
}

/* ---- large ranges: each item once, in the group that it should be in ---- */
static void test_ranges(void)
{
    static const struct {
        size_t items, group;
    } ranges[] = {{(1 << 16) * 8 + 8, 8}, {70001, 1}, {4 << 20, 64}, {8 << 20, 128}};
    cl_kernel k = clu_kernel(program, "ids");
    for (unsigned r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        cl_uint count[64] = {0}, wrong = 0;
        cl_mem m = clu_buffer(sizeof count, count);
        clu_arg_mem(k, 0, m);
        clu_run(k, ranges[r].items, ranges[r].group);
        clu_read(m, sizeof count, count);
        for (unsigned i = 0; i < 64; i++)
            wrong += count[i] != (ranges[r].items - i + 63) / 64;
        CHECKF(!wrong, "%zu items in groups of %zu: %u wrong", ranges[r].items, ranges[r].group,
               wrong);
        CL(clReleaseMemObject(m));
    }
    CL(clReleaseKernel(k));
}

/* ---- times ---- */
static void test_times(void)
{
    enum { N = 3000 };
    static cl_event events[N];
    cl_kernel k = clu_kernel(program, "add");
    cl_uint one = 1, zero[16] = {0}, back;
    cl_mem m = clu_buffer(sizeof zero, zero);
    clu_arg_mem(k, 0, m);
    CL(clSetKernelArg(k, 1, 4, &one));
    for (unsigned o = 0; o < 2; o++) {
        cl_command_queue q =
            queue_of(CL_QUEUE_PROFILING_ENABLE | (o ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
        size_t n = 16;
        for (unsigned i = 0; i < N; i++) {
            if (i % 7 == 5)
                CL(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, &back, 0, NULL, &events[i]));
            else if (i % 7 == 6)
                CL(clEnqueueMarkerWithWaitList(q, 0, NULL, &events[i]));
            else
                CL(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &events[i]));
        }
        CL(clFinish(q));
        cl_ulong last_end = 0;
        unsigned wrong = 0, overlap = 0;
        for (unsigned i = 0; i < N; i++) {
            cl_ulong t[4];
            for (unsigned j = 0; j < 4; j++)
                CL(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_QUEUED + j, 8, &t[j],
                                           NULL));
            bool work = i % 7 != 6; /* a marker may take no time */
            wrong += !(t[0] <= t[1] && t[1] <= t[2] && (t[2] < t[3] || (!work && t[2] == t[3])));
            overlap += !o && i % 7 < 5 && t[3] < last_end;
            last_end = i % 7 < 5 ? t[3] : last_end;
            CL(clReleaseEvent(events[i]));
        }
        CHECKF(!wrong && !overlap, "%u events with times out of order, %u ends", wrong, overlap);
        CL(clReleaseCommandQueue(q));
    }
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

/* ---- contexts ---- */
static unsigned count_descriptors(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static void test_contexts(void)
{
    enum { N = 3000 };
    unsigned before = 0;
    for (unsigned i = 0; i < N; i++) {
        cl_int e;
        cl_context ctx = clCreateContext(NULL, 1, &clu_device, NULL, NULL, &e);
        CL(e);
        cl_command_queue q = clCreateCommandQueue(ctx, clu_device, 0, &e);
        CL(e);
        cl_uint v = i, got = 0;
        cl_mem m = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, 4, &v, &e);
        CL(e);
        CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
        CHECK(got == i);
        /* in any order */
        if (i % 2)
            CL(clReleaseContext(ctx));
        CL(clReleaseMemObject(m));
        CL(clReleaseCommandQueue(q));
        if (!(i % 2))
            CL(clReleaseContext(ctx));
        if (i == 10)
            before = count_descriptors();
    }
    CHECK(count_descriptors() <= before);
}

/* ---- the build cache ---- */
static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void test_cache(const char *folder)
{
    char header[512], options[600];
    snprintf(header, sizeof header, "%s/value.h", folder);
    const char *text =
        "#include \"value.h\"\nkernel void k(global uint *p) { p[0] = VALUE + MORE; }\n";
    for (cl_uint i = 0; i < 8; i++) {
        char value[64];
        cl_uint got = 0, more = i / 2;
        /* the same length and, likely, the same second */
        snprintf(value, sizeof value, "#define VALUE 1%u\n", i % 4);
        write_file(header, value);
        snprintf(options, sizeof options, "-I%s -DMORE=%u", folder, more);
        for (unsigned again = 0; again < 2; again++) { /* the second time out of the cache */
            cl_program p = clu_build(text, options);
            cl_kernel k = clu_kernel(p, "k");
            cl_mem m = clu_buffer(4, &got);
            clu_arg_mem(k, 0, m);
            clu_run(k, 1, 1);
            clu_read(m, 4, &got);
            CHECKF(got == 10 + i % 4 + more, "build %u: %u", i, got);
            CL(clReleaseMemObject(m));
            CL(clReleaseKernel(k));
            CL(clReleaseProgram(p));
        }
    }
    unlink(header);
}

/* ---- ends of a process ---- */
static struct {
    cl_program program;
    cl_kernel kernel;
    cl_command_queue queue;
} global;

/* What a static object of a C++ program does, after main and after other libraries may have ended.
 */
__attribute__((destructor)) static void static_destructor(void)
{
    if (global.kernel)
        clReleaseKernel(global.kernel);
    if (global.program)
        clReleaseProgram(global.program);
    if (global.queue)
        clReleaseCommandQueue(global.queue);
}

static void at_exit(void)
{
    if (global.kernel)
        clFinish(global.queue);
}

static int end_process(const char *how)
{
    cl_uint zero[16] = {0};
    size_t n = 16;
    cl_kernel k = clu_kernel(program, "slow");
    cl_mem m = clu_buffer(sizeof zero, zero);
    clu_arg_mem(k, 0, m);
    for (unsigned i = 0; i < 20; i++)
        CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    CL(clFlush(clu_queue));
    if (!strcmp(how, "nothing")) /* released, and work under way */
        return 0;
    if (!strcmp(how, "gated")) { /* work that never can begin */
        cl_int e;
        cl_event user = clCreateUserEvent(clu_context, &e);
        CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &n, NULL, 1, &user, NULL));
        return 0;
    }
    if (!strcmp(how, "static")) {
        atexit(at_exit);
        global.kernel = k;
        global.program = program;
        global.queue = clu_queue;
        return 0;
    }
    CL(clReleaseMemObject(m)); /* all, but without waiting for the work */
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(program));
    clu_close();
    return 0;
}

/* ---- two drivers, each with a compiler of its own ---- */
static int two_drivers(void)
{
    cl_platform_id platforms[8];
    cl_uint n = 0, ran = 0;
    CL(clGetPlatformIDs(8, platforms, &n));
    if (n < 2)
        SKIP("only one driver");
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < n; i++) {
            cl_int e;
            cl_uint in[16] = {0}, out[16], by = round + i + 1;
            CL(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &clu_device, NULL));
            clu_context = clCreateContext(NULL, 1, &clu_device, NULL, NULL, &e);
            CL(e);
            clu_queue = clCreateCommandQueue(clu_context, clu_device, 0, &e);
            program = clu_build(source, "");
            cl_kernel k = clu_kernel(program, "add");
            cl_mem m = clu_buffer(sizeof in, in);
            clu_arg_mem(k, 0, m);
            CL(clSetKernelArg(k, 1, 4, &by));
            clu_run(k, 16, 4);
            clu_read(m, sizeof out, out);
            for (unsigned j = 0; j < 16; j++)
                CHECK(out[j] == by);
            ran++;
            CL(clReleaseMemObject(m));
            CL(clReleaseKernel(k));
            CL(clReleaseProgram(program));
            clu_close();
        }
    }
    CHECK(ran == 2 * n);
    return utest_end();
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/utest-lifetimes-XXXXXX", command[128];
    if (argc > 1 && !strcmp(argv[1], "two"))
        return two_drivers();
    if (argc == 1) { /* with a cache, an empty one */
        REQUIRE(mkdtemp(folder));
        setenv("XDG_CACHE_HOME", folder, 1);
        setenv("BEIGNET_CACHE", "1", 1);
    }
    clu_open();
    program = clu_build(source, "");
    if (argc > 1)
        return end_process(argv[1]);
    test_callbacks();
    test_shared_page();
    test_odd();
    test_ranges();
    test_times();
    test_contexts();
    test_cache(folder);
    CL(clReleaseProgram(program));
    clu_close();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return utest_end();
}
