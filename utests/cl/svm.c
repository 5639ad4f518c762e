/* Shared virtual memory: the same address on both sides, so that structures with pointers work; all
 * commands on it; and on devices without it nothing but the errors that say so. Expected values are
 * closed forms. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clu.h"

#include <stdint.h>

static const char source[] =
    "global uint total;\n"
    "struct node { global struct node *next; uint value; };\n"
    /* Walks a list, doubles its values, and reverses it. */
    "kernel void reverse(global struct node *first, global struct node *global *last, global uint "
    "*sum) "
    "{\n"
    "    global struct node *before = 0;\n"
    "    uint s = 0;\n"
    "    while (first) {\n"
    "        global struct node *next = first->next;\n"
    "        s += first->value; first->value *= 2;\n"
    "        first->next = before; before = first; first = next;\n"
    "    }\n"
    "    *last = before; *sum = s;\n"
    "}\n"
    "kernel void address(global char *p, global ulong *out) { out[get_global_id(0)] = (ulong)(p + "
    "get_global_id(0)); }\n"
    "kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }\n"
    "kernel void through(global uint *global *table, constant uint *by) {\n"
    "    uint i = get_global_id(0); table[i][i] = by[0] * i; }\n"
    /* The same bytes by an argument and by a pointer in memory. */
    "kernel void alias(global uint *p, global uint *global *table) {\n"
    "    uint a = p[0]; p[0] = a + 1; global uint *q = table[0]; uint b = q[0]; q[0] = b * 3;\n"
    "    p[1] = p[0]; q[1] += 5; p[2] = p[1] + b; }\n"
    /* Pointers into the middle: what lies before them, and at any byte. */
    "kernel void around(global int *p, global int *out) { int i = (int)get_global_id(0) - 500; "
    "out[i] = p[i] * 2 + p[-i]; }\n"
    "kernel void bytes(global uchar *p, global uchar *q, uint n) { uint i = get_global_id(0); "
    "q[i] = p[i] + p[(int)i - 1]; if (i == 0) for (uint k = 0; k < n; k += 4) "
    "vstore4(vload4(0, p + k) + (uchar4)(1), 0, q + 1000 + k); }\n"
    "kernel void shorts(global ushort *p, local ushort *t) { uint l = get_local_id(0); "
    "t[l] = p[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); p[get_global_id(0)] = "
    "t[get_local_size(0) - 1 - l]; }\n"
    "kernel void tally(global uint *p, global uint *q) { atomic_inc(p - 1); atomic_add(&total, "
    "1u); "
    "if (get_global_id(0) == 0) q[0] = p == q ? 7 : (uint)(q - p); }\n"
    "kernel void told(global uint *p) { *p = total; }\n"
    "kernel void count(global uint *p) { atomic_inc(p); atomic_max(p + 1, (uint)get_global_id(0)); "
    "}\n";

struct node {
    struct node *next;
    cl_uint value;
};

static cl_program program;
static cl_device_svm_capabilities caps;

static void *alloc(size_t size)
{
    void *p = clSVMAlloc(clu_context, CL_MEM_READ_WRITE, size, 0);
    REQUIRE(p);
    return p;
}

static void map(void *p, size_t size)
{
    CL(clEnqueueSVMMap(clu_queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p, size, 0, NULL, NULL));
}

static void unmap(void *p)
{
    CL(clEnqueueSVMUnmap(clu_queue, p, 0, NULL, NULL));
}

/* A list whose nodes lie in several allocations. */
static void test_list(void)
{
    enum { BLOCKS = 7, EACH = 100, N = BLOCKS * EACH };
    struct node *blocks[BLOCKS], *nodes[N], **last = alloc(sizeof *last);
    cl_uint *sum = alloc(4), want = 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        blocks[b] = alloc(EACH * sizeof(struct node));
        map(blocks[b], EACH * sizeof(struct node));
    }
    for (unsigned i = 0; i < N; i++)
        nodes[i] = &blocks[i % BLOCKS][i * 37 % EACH];
    for (unsigned i = 0; i < N; i++) {
        *nodes[i] = (struct node){i + 1 < N ? nodes[i + 1] : NULL, i * i};
        want += i * i;
    }
    for (unsigned b = 0; b < BLOCKS; b++)
        unmap(blocks[b]);
    cl_kernel k = clu_kernel(program, "reverse");
    CL(clSetKernelArgSVMPointer(k, 0, nodes[0]));
    CL(clSetKernelArgSVMPointer(k, 1, last));
    CL(clSetKernelArgSVMPointer(k, 2, sum));
    CL(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof blocks, blocks));
    cl_int e;
    cl_kernel copy = clCloneKernel(k, &e); /* its arguments and its list */
    CL(e);
    clu_run(k, 1, 1);
    map(last, sizeof *last);
    map(sum, 4);
    CHECK(*sum == want);
    struct node *p = *last;
    unsigned i = N;
    for (; p && i > 0; p = p->next, i--)
        CHECKF(p == nodes[i - 1] && p->value == 2 * (i - 1) * (i - 1), "node %u", i - 1);
    CHECK(!p && i == 0);
    struct node *first = *last;
    CL(clSetKernelArgSVMPointer(copy, 0, first));
    clu_run(copy, 1, 1);
    map(last, sizeof *last);
    CHECK(*last == nodes[0] && *sum == 2 * want);
    for (p = *last, i = 0; p && i < N; p = p->next, i++)
        CHECKF(p == nodes[i] && p->value == 4 * i * i, "node %u", i);
    CHECK(!p && i == N);
    CL(clReleaseKernel(k));
    CL(clReleaseKernel(copy));
    for (unsigned b = 0; b < BLOCKS; b++)
        clSVMFree(clu_context, blocks[b]);
    clSVMFree(clu_context, last);
    clSVMFree(clu_context, sum);
}

/* Addresses, alignments, pointers into the middle. */
static void test_addresses(void)
{
    static const cl_uint alignments[] = {0, 1, 2, 64, 128, 4096, 65536, 2 << 20};
    cl_kernel k = clu_kernel(program, "address"), add = clu_kernel(program, "add");
    uint64_t *out = alloc(64 * 8);
    for (unsigned a = 0; a < sizeof alignments / sizeof *alignments; a++) {
        for (size_t size = 3; size < 3 << 20; size *= 97) {
            char *p = clSVMAlloc(clu_context, 0, size, alignments[a]);
            REQUIRE(p);
            CHECKF((uintptr_t)p % (alignments[a] ? alignments[a] : 128) == 0, "%p", (void *)p);
            CL(clSetKernelArgSVMPointer(k, 0, p));
            CL(clSetKernelArgSVMPointer(k, 1, out));
            clu_run(k, 64, 8);
            map(out, 64 * 8);
            for (unsigned i = 0; i < 64; i++)
                CHECKF(out[i] == (uintptr_t)(p + i), "%p: %#llx", (void *)p,
                       (unsigned long long)out[i]);
            unmap(out);
            clSVMFree(clu_context, p);
        }
    }
    enum { N = 1000 };
    cl_uint *p = alloc(N * 4), want[N];
    map(p, N * 4);
    for (unsigned i = 0; i < N; i++)
        p[i] = want[i] = i;
    unmap(p);
    for (unsigned at = 0; at < N - 16; at += 61) {
        cl_uint by = at + 1;
        CL(clSetKernelArgSVMPointer(add, 0, p + at));
        CL(clSetKernelArg(add, 1, 4, &by));
        clu_run(add, 16, 16);
        for (unsigned i = 0; i < 16; i++)
            want[at + i] += by;
    }
    map(p, N * 4);
    CHECK(!memcmp(p, want, sizeof want));
    unmap(p);
    /* Through a table of pointers, and a constant argument. */
    cl_uint **table = alloc(16 * sizeof *table), *by = alloc(4);
    map(table, 16 * sizeof *table);
    map(by, 4);
    for (unsigned i = 0; i < 16; i++)
        table[i] = p + 20 * i;
    *by = 7;
    cl_kernel through = clu_kernel(program, "through");
    CL(clSetKernelArgSVMPointer(through, 0, table));
    CL(clSetKernelArgSVMPointer(through, 1, by));
    CL(clSetKernelExecInfo(through, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, &p));
    clu_run(through, 16, 16);
    map(p, N * 4);
    for (unsigned i = 0; i < 16; i++)
        want[21 * i] = 7 * i;
    CHECK(!memcmp(p, want, sizeof want));
    clSVMFree(clu_context, p);
    clSVMFree(clu_context, by);
    clSVMFree(clu_context, table);
    clSVMFree(clu_context, out);
    CL(clReleaseKernel(k));
    CL(clReleaseKernel(add));
    CL(clReleaseKernel(through));
}

static void test_alias(void)
{
    cl_uint *p = alloc(12), **table = alloc(sizeof *table);
    cl_kernel k = clu_kernel(program, "alias");
    map(p, 12);
    map(table, sizeof *table);
    p[0] = 10;
    *table = p;
    unmap(p);
    unmap(table);
    CL(clSetKernelArgSVMPointer(k, 0, p));
    CL(clSetKernelArgSVMPointer(k, 1, table));
    CL(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, &p));
    clu_run(k, 1, 1);
    map(p, 12);
    CHECKF(p[0] == 33 && p[1] == 38 && p[2] == 49, "%u %u %u", p[0], p[1], p[2]);
    clSVMFree(clu_context, p);
    clSVMFree(clu_context, table);
    CL(clReleaseKernel(k));
}

static cl_command_type type_of(cl_event e)
{
    cl_command_type type;
    cl_int status;
    CL(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CL(clWaitForEvents(1, &e));
    CL(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_COMPLETE);
    CL(clReleaseEvent(e));
    return type;
}

static struct {
    unsigned calls, n;
    void *pointers[4];
    void *data;
} freed;

static void CL_CALLBACK on_free(cl_command_queue queue, cl_uint n, void **pointers, void *data)
{
    CHECK(queue == clu_queue);
    freed.calls++;
    freed.n = n;
    freed.data = data;
    memcpy(freed.pointers, pointers, n * sizeof(void *));
    for (unsigned i = 0; i < n; i++)
        clSVMFree(clu_context, pointers[i]);
}

static void test_commands(void)
{
    enum { N = 4096 };
    cl_event e;
    unsigned char *a = alloc(N), *b = alloc(N), host[N], pattern[128];
    for (unsigned i = 0; i < N; i++)
        host[i] = (unsigned char)(i * 7 + i / 256);
    for (unsigned i = 0; i < sizeof pattern; i++)
        pattern[i] = (unsigned char)(200 - i);
    CL(clEnqueueSVMMemcpy(clu_queue, CL_FALSE, a, host, N, 0, NULL, &e));
    CHECK(type_of(e) == CL_COMMAND_SVM_MEMCPY);
    CL(clEnqueueSVMMemcpy(clu_queue, CL_FALSE, b + 5, a + 3, N - 5, 0, NULL, &e));
    CHECK(type_of(e) == CL_COMMAND_SVM_MEMCPY);
    unsigned char back[N];
    CL(clEnqueueSVMMemcpy(clu_queue, CL_TRUE, back, b + 5, N - 5, 0, NULL, NULL));
    CHECK(!memcmp(back, host + 3, N - 5));
    for (size_t size = 1; size <= 128; size *= 2) {
        CL(clEnqueueSVMMemFill(clu_queue, a + size, pattern, size, N - 2 * size, 0, NULL, &e));
        CHECK(type_of(e) == CL_COMMAND_SVM_MEMFILL);
        CL(clEnqueueSVMMap(clu_queue, CL_FALSE, CL_MAP_READ, a, N, 0, NULL, &e));
        CHECK(type_of(e) == CL_COMMAND_SVM_MAP);
        unsigned wrong = 0;
        for (size_t i = size; i < N - size; i++)
            wrong += a[i] != pattern[i % size];
        CHECKF(wrong == 0, "pattern of %zu: %u wrong", size, wrong);
        CL(clEnqueueSVMUnmap(clu_queue, a, 0, NULL, &e));
        CHECK(type_of(e) == CL_COMMAND_SVM_UNMAP);
    }
    const void *both[] = {a, b};
    size_t sizes[] = {0, 100};
    CL(clEnqueueSVMMigrateMem(clu_queue, 2, both, sizes, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &e));
    CHECK(type_of(e) == CL_COMMAND_SVM_MIGRATE_MEM);
    CL(clEnqueueSVMMigrateMem(clu_queue, 2, both, NULL, 0, 0, NULL, NULL));

    /* A copy that waits keeps what is freed meanwhile. */
    cl_int err;
    cl_event user = clCreateUserEvent(clu_context, &err);
    unsigned char *c = alloc(N);
    CL(clEnqueueSVMMemcpy(clu_queue, CL_TRUE, c, host, N, 0, NULL, NULL));
    CL(clEnqueueSVMMemcpy(clu_queue, CL_FALSE, back, c, N, 1, &user, &e));
    clSVMFree(clu_context, c);
    memset(back, 0, sizeof back);
    CL(clSetUserEventStatus(user, CL_COMPLETE));
    CHECK(type_of(e) == CL_COMMAND_SVM_MEMCPY);
    CHECK(!memcmp(back, host, N));
    CL(clReleaseEvent(user));

    /* Large ones, which the GPU does, among kernels. */
    enum { LARGE = 1 << 20 };
    static unsigned char want[LARGE], got[LARGE];
    unsigned char *large = alloc(LARGE), *other = alloc(LARGE);
    cl_kernel add = clu_kernel(program, "add");
    for (unsigned shift = 0; shift < 8; shift += 3) {
        cl_uint by = 1000 + shift, word = 0x01020304;
        CL(clEnqueueSVMMemFill(clu_queue, large, &word, 4, LARGE, 0, NULL, NULL));
        CL(clSetKernelArgSVMPointer(add, 0, large));
        CL(clSetKernelArg(add, 1, 4, &by));
        clu_run(add, LARGE / 4, 64);
        CL(clEnqueueSVMMemFill(clu_queue, other, pattern, 128, LARGE, 0, NULL, NULL));
        CL(clEnqueueSVMMemcpy(clu_queue, CL_FALSE, other + shift, large, LARGE - 8, 0, NULL, NULL));
        CL(clEnqueueSVMMemcpy(clu_queue, CL_TRUE, got, other, LARGE, 0, NULL, NULL));
        word += by;
        for (unsigned i = 0; i < LARGE; i++)
            want[i] = i < shift || i >= LARGE - 8 + shift
                          ? pattern[i % 128]
                          : (unsigned char)(word >> (i - shift) % 4 * 8);
        CHECKF(!memcmp(got, want, LARGE), "large copy, %u", shift);
    }
    CL(clReleaseKernel(add));
    clSVMFree(clu_context, large);
    clSVMFree(clu_context, other);

    void *gone[] = {a, b};
    CL(clEnqueueSVMFree(clu_queue, 2, gone, on_free, &freed, 0, NULL, &e));
    CHECK(type_of(e) == CL_COMMAND_SVM_FREE);
    CHECK(freed.calls == 1 && freed.n == 2 && freed.pointers[0] == a && freed.pointers[1] == b &&
          freed.data == &freed);
    gone[0] = alloc(N);
    CL(clEnqueueSVMFree(clu_queue, 1, gone, NULL, NULL, 0, NULL, &e));
    CHECK(type_of(e) == CL_COMMAND_SVM_FREE);
    CHECK(clEnqueueSVMUnmap(clu_queue, gone[0], 0, NULL, NULL) == CL_INVALID_VALUE); /* no more */
    clSVMFree(clu_context, NULL);
}

/* A buffer over an allocation is the same memory. */
static void test_buffer(void)
{
    enum { N = 5000 };
    cl_int err;
    cl_bool uses;
    cl_uint *p = alloc(N * 4), by = 5;
    map(p, N * 4);
    for (unsigned i = 0; i < N; i++)
        p[i] = i;
    unmap(p);
    CHECK(!clCreateBuffer(clu_context, CL_MEM_USE_HOST_PTR, N * 4 + 1, p, &err) &&
          err == CL_INVALID_BUFFER_SIZE);
    cl_mem m = clCreateBuffer(clu_context, CL_MEM_USE_HOST_PTR, N * 4, p, &err);
    CL(err);
    CL(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    CHECK(uses == CL_TRUE);
    cl_buffer_region part = {1024, 1024};
    cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
    CL(err);
    CL(clGetMemObjectInfo(sub, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    CHECK(uses == CL_TRUE);
    cl_kernel k = clu_kernel(program, "add");
    CL(clSetKernelArg(k, 1, 4, &by));
    clu_arg_mem(k, 0, m);
    clu_run(k, N, 8);
    CL(clSetKernelArgSVMPointer(k, 0, p)); /* and by pointer */
    clu_run(k, N, 8);
    map(p, N * 4);
    unsigned wrong = 0;
    for (unsigned i = 0; i < N; i++)
        wrong += p[i] != i + 10;
    CHECKF(wrong == 0, "%u wrong", wrong);
    CL(clReleaseMemObject(sub));
    CL(clReleaseMemObject(m));
    /* Freed since it was set. */
    clSVMFree(clu_context, p);
    size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &one, NULL, 0, NULL, NULL) ==
          CL_INVALID_KERNEL_ARGS);
    char *host = malloc(64);
    m = clCreateBuffer(clu_context, CL_MEM_USE_HOST_PTR, 64, host, &err);
    CL(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    CHECK(uses == CL_FALSE);
    CL(clReleaseMemObject(m));
    free(host);
    CL(clReleaseKernel(k));
}

/* Many, of all sizes, in and out: no two meet, and none is lost. */
static void test_many(void)
{
    enum { N = 300 };
    unsigned char *p[N] = {0};
    size_t size[N];
    uint32_t x = 1;
    for (unsigned step = 0; step < 3 * N; step++) {
        x = x * 1664525 + 1013904223;
        unsigned i = x >> 8 & 0xffff;
        i %= N;
        if (p[i]) {
            CHECK(p[i][0] == (unsigned char)i && p[i][size[i] - 1] == (unsigned char)i);
            clSVMFree(clu_context, p[i]);
        }
        size[i] = 1 + (x >> 12) % (i % 16 ? 9000 : 1 << 20);
        p[i] = alloc(size[i]);
        memset(p[i], (int)i, size[i]);
    }
    for (unsigned i = 0; i < N; i++) {
        for (unsigned j = 0; p[i] && j < i; j++)
            CHECK(!p[j] || p[j] + size[j] <= p[i] || p[i] + size[i] <= p[j]);
        if (p[i])
            CHECK(p[i][0] == (unsigned char)i && p[i][size[i] - 1] == (unsigned char)i);
        clSVMFree(clu_context, p[i]);
    }
}

static void test_fine_grain(void)
{
    cl_svm_mem_flags fine = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
    if (!(caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
        CHECK(!clSVMAlloc(clu_context, fine, 64, 0));
        return;
    }
    CHECK(!clSVMAlloc(clu_context, fine | CL_MEM_SVM_ATOMICS, 64, 0));
    cl_uint *p = clSVMAlloc(clu_context, fine, 8, 0);
    REQUIRE(p);
    cl_kernel k = clu_kernel(program, "count");
    CL(clSetKernelArgSVMPointer(k, 0, p));
    p[0] = p[1] = 0; /* no map */
    for (unsigned i = 1; i <= 3; i++) {
        clu_run(k, 1000 * i, 8);
        CL(clFinish(clu_queue));
        CHECKF(p[0] == 500 * i * (i + 1) && p[1] == 1000 * i - 1, "%u %u", p[0], p[1]);
    }
    CL(clReleaseKernel(k));
    clSVMFree(clu_context, p);
}

/* An allocation holds nothing once it is freed: more than there is memory, one after the other. */
static void test_reuse(void)
{
    cl_ulong max;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL));
    CHECK(!clSVMAlloc(clu_context, CL_MEM_READ_WRITE, max + 1, 0));
    size_t size = max < 1u << 30 ? max : 1u << 30;
    for (unsigned i = 0; i < 20; i++) {
        char *p = alloc(size);
        p[0] = p[size - 1] = 1;
        clSVMFree(clu_context, p);
    }
}

static cl_uint total_of(cl_kernel told, cl_uint *at)
{
    CL(clSetKernelArgSVMPointer(told, 0, at));
    clu_run(told, 1, 1);
    map(at, 4);
    cl_uint total = *at;
    unmap(at);
    return total;
}

/* Arguments that begin within their allocations: what is before them is there too, and they begin
 * at any byte that their type allows. */
static void test_inner(cl_program from)
{
    enum { N = 1000, BYTES = 256 };
    cl_kernel around = clu_kernel(from, "around"), bytes = clu_kernel(from, "bytes"),
              shorts = clu_kernel(from, "shorts"), tally = clu_kernel(from, "tally"),
              told = clu_kernel(from, "told");
    cl_int *p = alloc(4 * N + 4), *out = alloc(4 * N + 4), e;
    unsigned wrong = 0;
    map(p, 4 * N + 4);
    for (int i = 0; i <= N; i++)
        p[i] = i * i;
    unmap(p);
    CL(clSetKernelArgSVMPointer(around, 0, p + 500));
    CL(clSetKernelArgSVMPointer(around, 1, out + 500));
    cl_kernel copy = clCloneKernel(around, &e);
    CL(e);
    for (unsigned round = 0; round < 2; round++) {
        clu_run(round ? copy : around, N, 0);
        map(out, 4 * N);
        for (int i = -500; i < 500; i++)
            wrong += out[500 + i] != (500 + i) * (500 + i) * 2 + (500 - i) * (500 - i);
        CHECKF(!wrong, "round %u: %u wrong", round, wrong);
        memset(out, 0, 4 * N);
        unmap(out);
    }
    CL(clReleaseKernel(copy));

    cl_uchar *from_bytes = (cl_uchar *)p, *to = (cl_uchar *)out;
    for (unsigned at = 1; at < 9; at++) {
        unsigned to_at = at * 5 % 7;
        cl_uint n = 64;
        map(p, 4 * N);
        for (unsigned i = 0; i < 2 * BYTES; i++)
            from_bytes[i] = (cl_uchar)(i * 7 + at);
        unmap(p);
        map(out, 4 * N);
        memset(out, 0xee, 4 * N);
        unmap(out);
        CL(clSetKernelArgSVMPointer(bytes, 0, from_bytes + at));
        CL(clSetKernelArgSVMPointer(bytes, 1, to + to_at));
        CL(clSetKernelArg(bytes, 2, 4, &n));
        clu_run(bytes, BYTES, 0);
        map(out, 4 * N);
        for (unsigned i = 0; i < 4 * N; i++) {
            unsigned k = i - to_at, v = i - to_at - 1000;
            cl_uchar want = 0xee;
            if (k < BYTES)
                want = (cl_uchar)((k + at) * 7 + at + (k + at - 1) * 7 + at);
            else if (v < n)
                want = (cl_uchar)((v + at) * 7 + at + 1);
            wrong += to[i] != want;
        }
        CHECKF(!wrong, "%u bytes in: %u wrong", at, wrong);
        unmap(out);
    }

    cl_ushort *s = (cl_ushort *)p;
    map(p, 4 * N);
    for (unsigned i = 0; i < 2 * N; i++)
        s[i] = (cl_ushort)i;
    unmap(p);
    CL(clSetKernelArgSVMPointer(shorts, 0, s + 3));
    CL(clSetKernelArg(shorts, 1, 64 * 2, NULL));
    clu_run(shorts, 640, 64);
    map(p, 4 * N);
    for (unsigned i = 0; i < 2 * N; i++) {
        unsigned k = i - 3;
        wrong += s[i] != (k < 640 ? 3 + k / 64 * 64 + 63 - k % 64 : i);
    }
    CHECKF(!wrong, "shorts: %u wrong", wrong);
    unmap(p);

    /* One variable of the program, whichever way its kernels are called; pointers that compare. */
    cl_uint *u = (cl_uint *)p, before = total_of(told, u);
    CL(clEnqueueSVMMemFill(clu_queue, p, (cl_uint[]){0}, 4, 4 * N, 0, NULL, NULL));
    CL(clSetKernelArgSVMPointer(tally, 0, u + 100));
    CL(clSetKernelArgSVMPointer(tally, 1, u + 110));
    clu_run(tally, 640, 64);
    CL(clSetKernelArgSVMPointer(tally, 1, u + 100));
    CL(clSetKernelArgSVMPointer(tally, 0, u + 100));
    clu_run(tally, 320, 64);
    map(p, 4 * N);
    CHECK(u[99] == 960 && u[110] == 10 && u[100] == 7);
    unmap(p);
    CHECK(total_of(told, u) == before + 960 && total_of(told, u + 5) == before + 960);
    /* A whole one again, and a buffer. */
    CL(clSetKernelArgSVMPointer(told, 0, u));
    clu_run(told, 1, 1);
    cl_mem m = clu_buffer(4, NULL);
    cl_uint got;
    clu_arg_mem(told, 0, m);
    clu_run(told, 1, 1);
    clu_read(m, 4, &got);
    CHECK(got == before + 960);
    CL(clReleaseMemObject(m));

    CL(clReleaseKernel(around));
    CL(clReleaseKernel(bytes));
    CL(clReleaseKernel(shorts));
    CL(clReleaseKernel(tally));
    CL(clReleaseKernel(told));
    clSVMFree(clu_context, p);
    clSVMFree(clu_context, out);
}

/* The same, of a program that has come as a binary. */
static void test_inner_binary(void)
{
    size_t size;
    cl_int e, status;
    CL(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *image = malloc(size);
    const unsigned char *images[] = {image};
    CL(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof image, &image, NULL));
    cl_program p =
        clCreateProgramWithBinary(clu_context, 1, &clu_device, &size, images, &status, &e);
    CL(e);
    CL(clBuildProgram(p, 1, &clu_device, "", NULL, NULL));
    test_inner(p);
    CL(clReleaseProgram(p));
    free(image);
}

int main(void)
{
    cl_uint bits;
    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL));
    CHECK((caps != 0) == (bits == 64));
    if (caps) {
        CHECK(caps & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
        program = clu_build(source, "-cl-std=CL3.0");
        test_list();
        test_addresses();
        test_alias();
        test_commands();
        test_buffer();
        test_many();
        test_fine_grain();
        test_reuse();
        test_inner(program);
        test_inner_binary();
        CL(clReleaseProgram(program));
    } else {
        int x = 0, y;
        CHECK(!clSVMAlloc(clu_context, CL_MEM_READ_WRITE, 64, 0));
        CHECK(clEnqueueSVMMemcpy(clu_queue, CL_TRUE, &y, &x, 4, 0, NULL, NULL) ==
              CL_INVALID_OPERATION);
    }
    clu_close();
    return utest_end();
}
