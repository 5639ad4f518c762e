/* OpenCL C 3.0: generic pointers, program-scope variables, atomics with orders and scopes, the
 * feature macros. Expected values are closed forms of the work-item's number. */
#include "clu.h"

enum { N = 256, GROUP = 64 };

static const char *const source = "\n\
#if __OPENCL_C_VERSION__ != 300 || !defined(CL_VERSION_3_0) || !__opencl_c_int64 || !__opencl_c_images\n\
#error version\n\
#endif\n\
#if !__opencl_c_generic_address_space || !__opencl_c_program_scope_global_variables\n\
#error address spaces\n\
#endif\n\
#if !__opencl_c_atomic_order_acq_rel || !__opencl_c_atomic_order_seq_cst || !__opencl_c_atomic_scope_device\n\
#error atomics\n\
#endif\n\
#if defined(__opencl_c_pipes) || defined(__opencl_c_device_enqueue)\n\
#error too much\n\
#endif\n\
int counter = 5;\n\
static int table[4] = {1, 2, 3, 4};\n\
int *to_counter = &counter;\n\
global int *to_table = table + 1;\n\
struct node { int value; struct node *next; };\n\
struct node last = {7, 0}, first = {3, &last};\n\
\n\
int plus(int *p) { return *p + 1; }\n\
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n\
kernel void resolved(global int *out) {\n\
  int i = get_global_id(0), a = i; local int l[64];\n\
  l[get_local_id(0)] = 2 * i; out[i] = 3 * i;\n\
  out[i] = plus(&a) + 10 * plus(&l[get_local_id(0)]) + 100 * plus((int *)&out[i]); }\n\
/* which space is known when it runs only */\n\
kernel void mixed(global int *out, global int *in) {\n\
  int i = get_global_id(0), k = get_local_id(0), a[4]; local int l[64]; int *p;\n\
  for (int n = 0; n < 4; n++) a[n] = 1000 + n + i;\n\
  l[k] = 2000 + i; in[i] = 3000 + i; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n\
  switch (i % 3) { case 0: p = a; break; case 1: p = l + k; break; default: p = (int *)(in + i); }\n\
  int old = *p; *p += 5; p[0] += 1;\n\
  out[i] = old + 10000 * (a[0] - 1000 - i) + 100000 * (l[k] - 2000 - i) + 1000000 * (in[i] - 3000 - i); }\n\
/* pointers in memory, and runs of memory */\n\
struct pair { int *a, *b; };\n\
kernel void stored(global int *out, global int *in) {\n\
  int i = get_global_id(0), k = get_local_id(0), x[8]; local int l[64 * 8]; struct pair s[2];\n\
  for (int n = 0; n < 8; n++) { x[n] = i + n; l[k * 8 + n] = i * n; in[i * 8 + n] = i - n; }\n\
  s[i & 1].a = x; s[i & 1].b = l + 8 * k; s[~i & 1].a = (int *)(in + 8 * i); s[~i & 1].b = x;\n\
  int r = 0; for (int n = 0; n < 2; n++) r = r * 3 + sum(s[n].a, 8) - 2 * sum(s[n].b, 8);\n\
  out[i] = r; }\n\
kernel void spaces(global int *out, global int *in) {\n\
  int i = get_global_id(0), a; local int l; int *null = 0;\n\
  int *p = i % 4 == 0 ? &a : i % 4 == 1 ? &l : i % 4 == 2 ? (int *)in : null;\n\
  out[i] = (to_private(p) != 0) + 2 * (to_local(p) != 0) + 4 * (to_global(p) != 0) + 8 * (p == null)\n\
   + 16 * (p && get_fence(p) == CLK_LOCAL_MEM_FENCE) + 32 * (p == &l) + 64 * (p == &a) + 128 * (p == in); }\n\
kernel void wide(global int *out, global long *in) {\n\
  int i = get_global_id(0); long4 v = (long4)(i, i + 1, i + 2, i + 3); long a[8]; char c[16];\n\
  for (int n = 0; n < 16; n++) c[n] = i + n;\n\
  vstore4(v, 0, i & 1 ? a : (long *)(in + 8 * i)); vstore3(v.s012, 1, (i & 1 ? a : (long *)(in + 8 * i)) + 1);\n\
  long4 w = vload4(0, i & 1 ? a : (long *)(in + 8 * i)); char8 d = vload8(1, c + (i & 3) - 3);\n\
  short s = 3; char *q = i & 1 ? (char *)&s : c + 5; *q = 77;\n\
  out[i] = (int)(w.x + 3 * w.y + 5 * w.z + 7 * w.w) + d.s0 + d.s7 + (i & 1 ? s : c[5]); }\n\
kernel void math(global float *out) {\n\
  int i = get_global_id(0); float x = i / 8.0f; float whole; int e, q; local float l[64]; float4 f4; ushort h = 0x3c00;\n\
  float m = modf(x, &whole), f = fract(x + 0.25f, &l[get_local_id(0)]), r = frexp(x, &e), g = remquo(x, 3.0f, &q);\n\
  float4 z = fract((float4)(x, x + 0.5f, 1.5f, 2), &f4);\n\
  out[i] = m + 2 * whole + 4 * f + 8 * l[get_local_id(0)] + ldexp(r, e) + g + z.y + f4.z + vload_half(0, (half *)&h); }\n\
kernel void state(global int *out) {\n\
  static int calls = 100; if (get_global_id(0)) return;\n\
  counter++; *to_counter += 10; to_table[1] *= 2; first.next->value++; out[4] = calls++;\n\
  out[0] = counter; out[1] = table[2]; out[2] = last.value; out[3] = first.value; }\n\
kernel void see(global int *out) { out[0] = *to_counter; out[1] = sum(table, 4); out[2] = first.next->value; }\n\
\n\
kernel void atomics(global int *out, global atomic_int *g, local atomic_uint *l) {\n\
  int i = get_global_id(0), k = get_local_id(0);\n\
  if (k == 0) { atomic_init(l, 0); atomic_init(l + 1, ~0u); } work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n\
  atomic_fetch_add_explicit(g, i, memory_order_relaxed, memory_scope_device);\n\
  atomic_fetch_sub(g + 1, 1); atomic_fetch_or(g + 2, 1 << (i & 31)); atomic_fetch_xor(g + 3, i);\n\
  atomic_fetch_and_explicit(g + 4, ~(1 << (i & 15)), memory_order_acq_rel); atomic_fetch_min(g + 5, -i); atomic_fetch_max(g + 6, i - 300);\n\
  atomic_fetch_add(l, k); atomic_fetch_min(l + 1, k + 3000000000u);\n\
  int e = atomic_load_explicit(g + 7, memory_order_relaxed);\n\
  while (!atomic_compare_exchange_strong_explicit(g + 7, &e, e + 2, memory_order_acq_rel, memory_order_relaxed)) ;\n\
  volatile atomic_int *a = i & 1 ? (volatile atomic_int *)(g + 8) : (volatile atomic_int *)(l + 2);\n\
  work_group_barrier(CLK_LOCAL_MEM_FENCE); if (k == 0) atomic_store(l + 2, 0); work_group_barrier(CLK_LOCAL_MEM_FENCE);\n\
  atomic_fetch_add(a, 3);\n\
  work_group_barrier(CLK_LOCAL_MEM_FENCE);\n\
  out[i] = atomic_load(l) + (atomic_load(l + 1) == 3000000000u) + atomic_load(l + 2); }\n\
kernel void swap(global int *out, global atomic_float *f, global atomic_flag *flag, global int *sum) {\n\
  int i = get_global_id(0); float old = atomic_exchange(f, (float)i); out[i] = (int)old;\n\
  if (get_local_id(0) == 0) { /* a lock for one item a group: OpenCL promises no more */\n\
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) ;\n\
    *(volatile global int *)sum += i + 1; atomic_flag_clear_explicit(flag, memory_order_release); } }\n\
/* a condition that is known before a barrier and used behind it */\n\
kernel void held(global int *out) {\n\
  local int l; bool c = get_local_id(0) == get_local_size(0) - 1 && get_local_id(1) == 0 && get_local_id(2) == 0;\n\
  barrier(CLK_LOCAL_MEM_FENCE); if (c) l = get_group_id(0) + 7; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = l; }\n\
kernel void ids(global int *out) {\n\
  size_t i = get_global_linear_id();\n\
  out[i] = get_local_linear_id() + 1000 * get_enqueued_local_size(1) + 100000 * get_enqueued_local_size(5); }\n\
";

static cl_program program;
static int out[N], zeros[8 * N];

static void run(const char *name, cl_mem second, size_t second_size)
{
    cl_kernel k = clu_kernel(program, name);
    cl_mem m = clu_buffer(sizeof(out), zeros);
    clu_arg_mem(k, 0, m);
    if (second)
        clu_arg_mem(k, 1, second);
    if (second_size)
        CL(clSetKernelArg(k, 2, second_size, NULL));
    clu_run(k, N, GROUP);
    clu_read(m, sizeof(out), out);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

static void check(const char *name, int (*want)(int i))
{
    int bad = 0;
    for (int i = 0; i < N; i++)
        if (out[i] != want(i) && bad++ == 0)
            fprintf(stderr, "%s: item %d got %d want %d\n", name, i, out[i], want(i));
    CHECKF(bad == 0, "%s: %d wrong", name, bad);
}

static int want_resolved(int i)
{
    return (i + 1) + 10 * (2 * i + 1) + 100 * (3 * i + 1);
}

static int want_mixed(int i)
{
    static const int factor[] = {10000, 100000, 1000000}, base[] = {1000, 2000, 3000};
    return base[i % 3] + i + 6 * factor[i % 3];
}

static int want_stored(int i)
{
    int x = 8 * i + 28, l = 28 * i, g = 8 * i - 28;
    int even = x - 2 * l, odd = g - 2 * x;
    return i & 1 ? odd * 3 + even : even * 3 + odd;
}

static int want_spaces(int i)
{
    static const int want[] = {1 + 64, 2 + 16 + 32, 4 + 128, 8};
    return want[i % 4];
}

static int want_wide(int i)
{
    long w[4] = {i, i + 1, i + 2, i + 3}; /* the second store begins behind them */
    signed char first = (signed char)(i + 8 + (i & 3) - 3), last = (signed char)(first + 7);
    return (int)(w[0] + 3 * w[1] + 5 * w[2] + 7 * w[3]) + first + last + 77;
}

static int want_held(int i)
{
    return i / GROUP + 7;
}

static void generic(void)
{
    cl_mem in = clu_buffer(8 * sizeof(long) * N, NULL);
    run("held", NULL, 0);
    check("held", want_held);
    run("resolved", NULL, 0);
    check("resolved", want_resolved);
    run("mixed", in, 0);
    check("mixed", want_mixed);
    run("stored", in, 0);
    check("stored", want_stored);
    run("spaces", in, 0);
    check("spaces", want_spaces);
    run("wide", in, 0);
    check("wide", want_wide);
    CL(clReleaseMemObject(in));
}

static float want_math(int i)
{
    float x = i / 8.0f, whole = i / 8, y = x + 0.25f, half = x + 0.5f, quarter = (float)(long)y;
    long q = (long)(x / 3 + 0.5f);
    float g = x - 3 * q;
    if (x / 3 - (long)(x / 3) == 0.5f && q % 2) /* ties to even */
        g = x - 3 * (q - 1);
    return (x - whole) + 2 * whole + 4 * (y - quarter) + 8 * quarter + x + g + (half - (long)half) +
           1 + 1;
}

static void math_functions(void)
{
    cl_kernel k = clu_kernel(program, "math");
    cl_mem m = clu_buffer(N * sizeof(float), NULL);
    float got[N];
    int bad = 0;
    clu_arg_mem(k, 0, m);
    clu_run(k, N, GROUP);
    clu_read(m, sizeof got, got);
    for (int i = 0; i < N; i++)
        if (got[i] != want_math(i) && bad++ == 0)
            fprintf(stderr, "math: item %d got %g want %g\n", i, got[i], want_math(i));
    CHECKF(bad == 0, "math: %d wrong", bad);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

/* Variables live as long as the program, and each program has its own. */
static void variables(void)
{
    cl_program kept = program;
    for (int n = 1; n <= 3; n++) {
        run("state", NULL, 0);
        CHECK(out[0] == 5 + 11 * n && out[1] == 3 << n && out[2] == 7 + n && out[3] == 3);
        CHECK(out[4] == 99 + n);
    }
    run("see", NULL, 0);
    CHECK(out[0] == 38 && out[1] == 1 + 2 + 24 + 4 && out[2] == 10);
    program = clu_build(source, "-cl-std=CL3.0");
    run("see", NULL, 0);
    CHECK(out[0] == 5 && out[1] == 10 && out[2] == 7);
    CL(clReleaseProgram(program));
    program = kept;
    run("see", NULL, 0);
    CHECK(out[0] == 38);
}

static int want_atomics(int i)
{
    return GROUP * (GROUP - 1) / 2 + 1 + 3 * GROUP / 2 + 0 * i; /* the same for all */
}

static void atomics(void)
{
    int g[16] = {0, 0, 0, 0, -1, 0, -1000, 9};
    cl_mem m = clu_buffer(sizeof g, g);
    run("atomics", m, 16);
    check("atomics", want_atomics);
    clu_read(m, sizeof g, g);
    CHECK(g[0] == N * (N - 1) / 2 && g[1] == -N && g[2] == -1 && g[3] == 0);
    CHECK(g[4] == ~0xffff && g[5] == 1 - N && g[6] == N - 1 - 300 && g[7] == 9 + 2 * N);
    CHECK(g[8] == 3 * N / 2);
    CL(clReleaseMemObject(m));

    cl_kernel k = clu_kernel(program, "swap");
    float first = -1;
    int zero[2] = {0, 0}, seen[N + 1] = {0}, bad = 0;
    cl_mem args[] = {clu_buffer(sizeof out, NULL), clu_buffer(4, &first), clu_buffer(4, zero),
                     clu_buffer(4, zero)};
    for (cl_uint n = 0; n < 4; n++)
        clu_arg_mem(k, n, args[n]);
    clu_run(k, N, GROUP);
    clu_read(args[0], sizeof out, out);
    clu_read(args[1], 4, &first);
    clu_read(args[3], 4, zero);
    for (int i = 0; i < N; i++) /* each value came out once: -1, and all but the last one in */
        if (out[i] < -1 || out[i] >= N || seen[out[i] + 1]++)
            bad++;
    CHECK(!bad && !seen[(int)first + 1]);
    CHECK(zero[0] == 4 + 64 + 128 + 192);
    for (int n = 0; n < 4; n++)
        CL(clReleaseMemObject(args[n]));
    CL(clReleaseKernel(k));
}

static void ids(void)
{
    cl_kernel k = clu_kernel(program, "ids");
    cl_mem m = clu_buffer(sizeof(out), NULL);
    size_t offset[3] = {3, 5, 7}, global[3] = {16, 8, 2}, local[3] = {8, 4, 2};
    clu_arg_mem(k, 0, m);
    CL(clEnqueueNDRangeKernel(clu_queue, k, 3, offset, global, local, 0, NULL, NULL));
    clu_read(m, sizeof(out), out);
    for (int i = 0; i < N; i++) {
        int x = i % 16, y = i / 16 % 8, z = i / 128;
        CHECK(out[i] == (z * 4 + y % 4) * 8 + x % 8 + 4000 + 100000);
    }
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

int main(void)
{
    clu_open();
    program = clu_build(source, "-cl-std=CL3.0");
    generic();
    math_functions();
    variables();
    atomics();
    ids();
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
