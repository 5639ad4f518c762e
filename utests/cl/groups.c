/* Work-groups: ids, sizes and offsets in one to three dimensions, barriers and local memory,
 * atomics of all kinds on both memories, odd sizes. */
#include "clu.h"

static const char *source =
    "kernel void ids(global uint *out, uint stride)\n"
    "{\n"
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - "
    "get_global_offset(1),\n"
    "           z = get_global_id(2) - get_global_offset(2);\n"
    "    size_t n = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    global uint *o = out + n * 24;\n"
    "    for (uint d = 0; d < 4; d++) {\n"
    "        o[d * 6 + 0] = get_global_id(d);\n"
    "        o[d * 6 + 1] = get_local_id(d);\n"
    "        o[d * 6 + 2] = get_group_id(d);\n"
    "        o[d * 6 + 3] = get_local_size(d);\n"
    "        o[d * 6 + 4] = get_num_groups(d);\n"
    "        o[d * 6 + 5] = get_global_size(d) + get_global_offset(d) * 1000 + get_work_dim() * "
    "1000000;\n"
    "    }\n"
    "}\n"
    "kernel void plain(global uint *out) { out[get_global_id(0)] = get_global_id(0) * 3 + 1; }\n"
    "kernel void reverse(global uint *data, local uint *tmp)\n"
    "{\n"
    "    uint l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);\n"
    "    tmp[l] = data[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[i] = tmp[n - 1 - l];\n"
    "}\n"
    "kernel void reduce(global const uint *in, global uint *out)\n"
    "{\n"
    "    local uint tmp[256];\n"
    "    uint l = get_local_id(0), n = get_local_size(0);\n"
    "    tmp[l] = in[get_global_id(0)];\n"
    "    for (uint s = 1; s < n; s *= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (l % (2 * s) == 0 && l + s < n)\n"
    "            tmp[l] += tmp[l + s];\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l == 0)\n"
    "        out[get_group_id(0)] = tmp[0];\n"
    "}\n"
    "kernel void two_locals(global uint *out, local uchar *a, local ushort *b, local uint4 *c)\n"
    "{\n"
    "    uint l = get_local_id(0), n = get_local_size(0);\n"
    "    a[l] = l; b[l] = l * 300; c[l] = (uint4)(l, l * 2, l * 3, l * 4);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint m = (l + 5) % n;\n"
    "    out[get_global_id(0)] = a[m] + b[m] + c[m].x + c[m].w * 7;\n"
    "}\n"
    "kernel void exchange(global uint *a, global uint *b)\n"
    "{\n"
    "    uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), g = i - l;\n"
    "    a[i] = i * 7;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    b[i] = a[g + (l + n / 2) % n];\n"
    "}\n"
    "kernel void atomics(global int *g, global uint *u, global int *old, volatile global float "
    "*f)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    old[i] = atomic_add(&g[0], 3);\n"
    "    atomic_sub(&g[1], i);\n"
    "    atomic_inc(&g[2]);\n"
    "    atomic_dec(&g[3]);\n"
    "    atomic_min(&g[4], 100 - i);\n"
    "    atomic_max(&g[5], i - 100);\n"
    "    atomic_and(&u[0], ~(1u << (i & 15)));\n"
    "    atomic_or(&u[1], 1u << (i & 31));\n"
    "    atomic_xor(&u[2], i);\n"
    "    atomic_min(&u[3], 0x80000000u + i);\n"
    "    atomic_max(&u[4], 0x80000000u + i);\n"
    "    atomic_xchg(&g[6], i);\n"
    "    atomic_cmpxchg(&g[7], 5, 6);\n"
    "    if ((i & 63) == 1) atomic_xchg(f, 2.5f);\n"
    "    int seen;\n"
    "    do { seen = g[8]; } while (atomic_cmpxchg((volatile global int *)&g[8], seen, seen + i) "
    "!= seen);\n"
    "}\n"
    "kernel void local_atomics(global int *out, global int *old)\n"
    "{\n"
    "    local int l[8];\n"
    "    int i = get_local_id(0);\n"
    "    if (i < 8) l[i] = i == 3 ? 1000 : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    old[get_global_id(0)] = atomic_inc(&l[0]);\n"
    "    atomic_add(&l[1], i);\n"
    "    atomic_max(&l[2], i * 3);\n"
    "    atomic_min(&l[3], 50 - i);\n"
    "    atomic_xor(&l[4], 1 << (i & 7));\n"
    "    atomic_or(&l[5], 1 << (i & 15));\n"
    "    atomic_cmpxchg(&l[6], i, i + 1);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < 8) out[get_group_id(0) * 8 + i] = l[i];\n"
    "}\n"
    "kernel void copies(global const int4 *in, global int4 *out, local int4 *tmp)\n"
    "{\n"
    "    size_t n = get_local_size(0), g = get_group_id(0);\n"
    "    event_t e = async_work_group_copy(tmp, in + g * n, n, 0);\n"
    "    wait_group_events(1, &e);\n"
    "    uint l = get_local_id(0);\n"
    "    int4 v = tmp[(l + 1) % n];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    tmp[l] = v + (int4)(1);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    e = async_work_group_copy(out + g * n, tmp, n, 0);\n"
    "    wait_group_events(1, &e);\n"
    "}\n";

static cl_program program;

static void test_ids(unsigned dim, const size_t *offset, const size_t *global, const size_t *local)
{
    size_t g[3] = {1, 1, 1}, l[3] = {1, 1, 1}, o[3] = {0, 0, 0};
    for (unsigned d = 0; d < dim; d++) {
        g[d] = global[d];
        o[d] = offset ? offset[d] : 0;
        l[d] = local ? local[d] : 0;
    }
    size_t n = g[0] * g[1] * g[2], size = n * 24 * 4;
    uint32_t *out = calloc(1, size), zero = 0;
    cl_kernel k = clu_kernel(program, "ids");
    cl_mem m = clu_buffer(size, out);
    clu_arg_mem(k, 0, m);
    CL(clSetKernelArg(k, 1, 4, &zero));
    CL(clEnqueueNDRangeKernel(clu_queue, k, dim, offset, global, local, 0, NULL, NULL));
    clu_read(m, size, out);
    if (!local) /* the driver's choice: it must divide */
        for (unsigned d = 0; d < dim; d++) {
            l[d] = out[d * 6 + 3];
            CHECKF(l[d] && g[d] % l[d] == 0, "dimension %u: local size %zu of %zu", d, l[d], g[d]);
            if (!l[d])
                l[d] = 1;
        }
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at[3] = {i % g[0], i / g[0] % g[1], i / g[0] / g[1]};
        for (unsigned d = 0; d < 4; d++) {
            const uint32_t *r = out + i * 24 + d * 6;
            uint32_t want[6] = {0, 0, 0, 1, 1, 1 + dim * 1000000};
            if (d < 3) {
                want[0] = (uint32_t)(at[d] + o[d]);
                want[1] = (uint32_t)(at[d] % l[d]);
                want[2] = (uint32_t)(at[d] / l[d]);
                want[3] = (uint32_t)l[d];
                want[4] = (uint32_t)(g[d] / l[d]);
                want[5] = (uint32_t)(g[d] + o[d] * 1000 + dim * 1000000);
            }
            for (int j = 0; j < 6; j++)
                if (r[j] != want[j] && bad++ == 0)
                    fprintf(stderr, "ids: item %zu dim %u value %d: got %u want %u\n", i, d, j,
                            r[j], want[j]);
        }
    }
    CHECKF(bad == 0, "ids %ux(%zu %zu %zu): %d wrong", dim, g[0], g[1], g[2], bad);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
    free(out);
}

static void test_plain(size_t n)
{
    uint32_t *out = calloc(n + 1, 4);
    out[n] = 0xdeadbeef;
    cl_kernel k = clu_kernel(program, "plain");
    cl_mem m = clu_buffer((n + 1) * 4, out);
    clu_arg_mem(k, 0, m);
    clu_run(k, n, 0);
    clu_read(m, (n + 1) * 4, out);
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += out[i] != i * 3 + 1;
    CHECKF(bad == 0 && out[n] == 0xdeadbeef, "plain %zu: %zu wrong, guard %x", n, bad, out[n]);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
    free(out);
}

static void test_local(size_t local, size_t groups)
{
    size_t n = local * groups;
    uint32_t *in = malloc(n * 4), *out = malloc(n * 4), *want = malloc(n * 4);
    for (size_t i = 0; i < n; i++)
        in[i] = (uint32_t)clu_random() >> 4;
    cl_kernel k = clu_kernel(program, "reverse");
    cl_mem m = clu_buffer(n * 4, in), o = clu_buffer(n * 4, NULL);
    clu_arg_mem(k, 0, m);
    CL(clSetKernelArg(k, 1, local * 4, NULL));
    clu_run(k, n, local);
    clu_read(m, n * 4, out);
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += out[i] != in[i / local * local + local - 1 - i % local];
    CHECKF(bad == 0, "reverse %zu x %zu: %zu wrong", local, groups, bad);
    CL(clReleaseKernel(k));

    if (local <= 256) {
        k = clu_kernel(program, "reduce");
        clu_arg_mem(k, 0, m);
        clu_arg_mem(k, 1, o);
        clu_run(k, n, local);
        clu_read(o, groups * 4, out);
        for (size_t g = bad = 0; g < groups; g++) {
            uint32_t sum = 0;
            for (size_t i = 0; i < local; i++)
                sum += in[g * local + i];
            bad += out[g] != sum;
        }
        CHECKF(bad == 0, "reduce %zu x %zu: %zu wrong", local, groups, bad);
        CL(clReleaseKernel(k));
    }

    k = clu_kernel(program, "two_locals");
    clu_arg_mem(k, 0, o);
    CL(clSetKernelArg(k, 1, local, NULL));
    CL(clSetKernelArg(k, 2, local * 2, NULL));
    CL(clSetKernelArg(k, 3, local * 16, NULL));
    clu_run(k, n, local);
    clu_read(o, n * 4, out);
    for (size_t i = bad = 0; i < n; i++) {
        uint32_t j = (uint32_t)((i % local + 5) % local);
        bad += out[i] != (uint8_t)j + (uint16_t)(j * 300) + j + j * 4 * 7;
    }
    CHECKF(bad == 0, "two_locals %zu x %zu: %zu wrong", local, groups, bad);
    CL(clReleaseKernel(k));

    k = clu_kernel(program, "exchange");
    clu_arg_mem(k, 0, m);
    clu_arg_mem(k, 1, o);
    clu_run(k, n, local);
    clu_read(o, n * 4, out);
    for (size_t i = bad = 0; i < n; i++)
        bad += out[i] != (i / local * local + (i % local + local / 2) % local) * 7;
    CHECKF(bad == 0, "exchange %zu x %zu: %zu wrong", local, groups, bad);
    CL(clReleaseKernel(k));

    CL(clReleaseMemObject(m));
    CL(clReleaseMemObject(o));
    free(in);
    free(out);
    free(want);
}

static int compare_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void test_atomics(void)
{
    enum { N = 1000 };
    int g[9] = {10, 0, 0, 0, 1000000, -1000000, 0, 5, 7}, old[N];
    uint32_t u[5] = {0xffffffff, 0, 0, 0xffffffff, 0};
    float f = 0;
    cl_kernel k = clu_kernel(program, "atomics");
    cl_mem mg = clu_buffer(sizeof(g), g), mu = clu_buffer(sizeof(u), u),
           mo = clu_buffer(sizeof(old), NULL);
    cl_mem mf = clu_buffer(sizeof(f), &f);
    clu_arg_mem(k, 0, mg);
    clu_arg_mem(k, 1, mu);
    clu_arg_mem(k, 2, mo);
    clu_arg_mem(k, 3, mf);
    clu_run(k, N, 50);
    clu_read(mg, sizeof(g), g);
    clu_read(mu, sizeof(u), u);
    clu_read(mo, sizeof(old), old);
    clu_read(mf, sizeof(f), &f);
    int sum = N * (N - 1) / 2, x = 0;
    for (int i = 0; i < N; i++)
        x ^= i;
    CHECK(g[0] == 10 + 3 * N && g[1] == -sum && g[2] == N && g[3] == -N);
    CHECK(g[4] == 100 - (N - 1) && g[5] == N - 1 - 100);
    CHECK(g[6] >= 0 && g[6] < N && g[7] == 6 && g[8] == 7 + sum);
    CHECK(u[0] == 0xffff0000u && u[1] == 0xffffffffu && u[2] == (uint32_t)x);
    CHECK(u[3] == 0x80000000u && u[4] == 0x80000000u + N - 1 && f == 2.5f);
    qsort(old, N, sizeof(int), compare_int);
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += old[i] != 10 + 3 * i;
    CHECKF(bad == 0, "atomic_add: %d of the old values wrong", bad);
    cl_mem all[] = {mg, mu, mo, mf};
    for (int i = 0; i < 4; i++)
        CL(clReleaseMemObject(all[i]));
    CL(clReleaseKernel(k));
}

static void test_local_atomics(size_t local)
{
    enum { GROUPS = 7 };
    int out[GROUPS * 8], *old = malloc(GROUPS * local * 4);
    cl_kernel k = clu_kernel(program, "local_atomics");
    cl_mem mo = clu_buffer(sizeof(out), NULL), ml = clu_buffer(GROUPS * local * 4, NULL);
    clu_arg_mem(k, 0, mo);
    clu_arg_mem(k, 1, ml);
    clu_run(k, GROUPS * local, local);
    clu_read(mo, sizeof(out), out);
    clu_read(ml, GROUPS * local * 4, old);
    int n = (int)local, x = 0, or = 0, bad = 0;
    for (int i = 0; i < n; i++) {
        x ^= 1 << (i & 7);
        or |= 1 << (i & 15);
    }
    for (int g = 0; g < GROUPS; g++) {
        const int *o = out + g * 8;
        bad += o[0] != n || o[1] != n * (n - 1) / 2 || o[2] != (n - 1) * 3;
        bad += o[3] != (50 - (n - 1) < 1000 ? 50 - (n - 1) : 1000) || o[4] != x || o[5] != or ||
               o[7] != 0;
        bad += o[6] < 1 || o[6] > n;
        qsort(old + g * n, n, sizeof(int), compare_int);
        for (int i = 0; i < n; i++)
            bad += old[g * n + i] != i;
    }
    CHECKF(bad == 0, "local_atomics %zu: %d wrong", local, bad);
    CL(clReleaseMemObject(mo));
    CL(clReleaseMemObject(ml));
    CL(clReleaseKernel(k));
    free(old);
}

static void test_copies(void)
{
    enum { LOCAL = 48, GROUPS = 5, N = LOCAL * GROUPS };
    static int in[N][4], out[N][4];
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 4; c++)
            in[i][c] = i * 10 + c;
    cl_kernel k = clu_kernel(program, "copies");
    cl_mem mi = clu_buffer(sizeof(in), in), mo = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, mi);
    clu_arg_mem(k, 1, mo);
    CL(clSetKernelArg(k, 2, LOCAL * 16, NULL));
    clu_run(k, N, LOCAL);
    clu_read(mo, sizeof(out), out);
    int bad = 0;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 4; c++)
            bad += out[i][c] != (i / LOCAL * LOCAL + (i % LOCAL + 1) % LOCAL) * 10 + c + 1;
    CHECKF(bad == 0, "async copies: %d wrong", bad);
    CL(clReleaseMemObject(mi));
    CL(clReleaseMemObject(mo));
    CL(clReleaseKernel(k));
}

int main(void)
{
    clu_open();
    program = clu_build(source, "");
    size_t max;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(max), &max, NULL));
    test_ids(1, NULL, (size_t[]){100}, (size_t[]){20});
    test_ids(1, (size_t[]){1234}, (size_t[]){77}, (size_t[]){7});
    test_ids(1, NULL, (size_t[]){1}, (size_t[]){1});
    test_ids(1, (size_t[]){3}, (size_t[]){101}, NULL);
    test_ids(2, NULL, (size_t[]){24, 10}, (size_t[]){8, 5});
    test_ids(2, (size_t[]){5, 9}, (size_t[]){33, 6}, (size_t[]){11, 2});
    test_ids(2, NULL, (size_t[]){30, 14}, NULL);
    test_ids(3, (size_t[]){1, 2, 3}, (size_t[]){12, 6, 10}, (size_t[]){3, 2, 5});
    test_ids(3, NULL, (size_t[]){7, 5, 3}, NULL);
    test_ids(3, NULL, (size_t[]){4, 4, 16}, (size_t[]){4, 4, 16});
    for (size_t n = 1; n < 70; n++)
        test_plain(n);
    test_plain(1021);
    test_plain(100003);
    for (size_t local = 1; local <= max; local = local < 40 ? local + 7 : local * 2)
        test_local(local, 5);
    test_local(max, 3);
    test_atomics();
    test_local_atomics(8);
    test_local_atomics(33);
    test_local_atomics(128);
    test_copies();
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
