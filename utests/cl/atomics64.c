/* Atomic operations on 64 bits and on floats, in global and local memory, under contention: sums,
 * extremes and permutations that come out whatever the order. On a device without 64-bit ones the
 * float ones alone. */
#include "clu.h"

enum { ITEMS = 2048, GROUP = 128 };

/* Each item: add, sub, min, max, and, or, xor, inc, dec, xchg, cmpxchg, on words of its own. */
static const char source_1x[] = "\n\
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n\
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n\
#define BODY(T) \\\n\
  ulong i = get_global_id(0), v = (i + 1) * 0x100000001UL; T x = (T)(v * 0x9e3779b97f4a7c15UL);\\\n\
  atom_add(&p[0], (T)v); atom_sub(&p[1], (T)v); atom_min(&p[2], x); atom_max(&p[3], x);\\\n\
  atom_and(&p[4], ~((T)1 << (i & 63))); atom_or(&p[5], (T)1 << (i & 63)); atom_xor(&p[6], (T)v);\\\n\
  T turn = atom_inc(&p[7]); atom_dec(&p[8]); T before = atom_xchg(&p[9], (T)v);\\\n\
  T old = p[10]; for (;;) { T seen = atom_cmpxchg(&p[10], old, old * 3 + 1); if (seen == old) break; old = seen; }\n\
#define GLOBAL(T) kernel void global_##T(volatile global T *p, global ulong *turns, global ulong *befores) {\\\n\
  BODY(T) turns[i] = (ulong)turn; befores[i] = (ulong)before; }\n\
#define LOCAL(T) kernel void local_##T(global T *out, global ulong *turns, global ulong *befores) {\\\n\
  volatile local T p[11]; uint l = get_local_id(0); if (l < 11) p[l] = out[l];\\\n\
  barrier(CLK_LOCAL_MEM_FENCE);\\\n\
  if (l % 3 != 1) { BODY(T) turns[i] = (ulong)turn; befores[i] = (ulong)before; }\\\n\
  barrier(CLK_LOCAL_MEM_FENCE);\\\n\
  if (l < 11) out[16 + 11 * get_group_id(0) + l] = p[l]; }\n\
GLOBAL(long) GLOBAL(ulong) LOCAL(long) LOCAL(ulong)\n\
";

static const char source_c11[] = "\n\
#define TAKE(AS, A, T) \\\n\
  ulong i = get_global_id(0), v = (i + 1) * 0x100000001UL; T x = (T)(v * 0x9e3779b97f4a7c15UL);\\\n\
  atomic_fetch_add(&p[0], (T)v); atomic_fetch_sub_explicit(&p[1], (T)v, memory_order_relaxed);\\\n\
  atomic_fetch_min(&p[2], x); atomic_fetch_max_explicit(&p[3], x, memory_order_acq_rel, memory_scope_work_group);\\\n\
  atomic_fetch_and(&p[4], ~((T)1 << (i & 63))); atomic_fetch_or(&p[5], (T)1 << (i & 63)); atomic_fetch_xor(&p[6], (T)v);\\\n\
  T turn = atomic_fetch_add(&p[7], (T)1); atomic_fetch_sub(&p[8], (T)1); T before = atomic_exchange(&p[9], (T)v);\\\n\
  T old = atomic_load(&p[10]); while (!atomic_compare_exchange_strong(&p[10], &old, old * 3 + 1));\n\
#define GLOBAL(A, T) kernel void global_##T(volatile global A *p, global ulong *turns, global ulong *befores) {\\\n\
  TAKE(global, A, T) turns[i] = (ulong)turn; befores[i] = (ulong)before; }\n\
#define LOCAL(A, T) kernel void local_##T(global T *out, global ulong *turns, global ulong *befores) {\\\n\
  local A p[11]; uint l = get_local_id(0); if (l < 11) atomic_store(&p[l], out[l]);\\\n\
  barrier(CLK_LOCAL_MEM_FENCE);\\\n\
  if (l % 3 != 1) { TAKE(local, A, T) turns[i] = (ulong)turn; befores[i] = (ulong)before; }\\\n\
  barrier(CLK_LOCAL_MEM_FENCE);\\\n\
  if (l < 11) out[16 + 11 * get_group_id(0) + l] = atomic_load(&p[l]); }\n\
GLOBAL(atomic_long, long) GLOBAL(atomic_ulong, ulong) LOCAL(atomic_long, long) LOCAL(atomic_ulong, ulong)\n\
kernel void doubles(volatile global atomic_double *p, global double *seen) {\n\
  size_t i = get_global_id(0); double mine = (double)i + 0.5;\n\
  seen[i] = atomic_exchange(&p[0], mine);\n\
  double old = atomic_load(&p[1]); while (!atomic_compare_exchange_weak(&p[1], &old, old + mine)); }\n\
kernel void generic_pointers(volatile global atomic_ulong *g, global ulong *out) {\n\
  local atomic_ulong l; if (get_local_id(0) == 0) atomic_init(&l, 0);\n\
  barrier(CLK_LOCAL_MEM_FENCE);\n\
  volatile atomic_ulong *p = get_local_id(0) & 1 ? (volatile atomic_ulong *)&l : (volatile atomic_ulong *)g;\n\
  atomic_fetch_add(p, get_global_id(0) << 30); barrier(CLK_LOCAL_MEM_FENCE);\n\
  if (get_local_id(0) == 0) out[get_group_id(0)] = atomic_load(&l); }\n\
kernel void sizes(volatile global atomic_size_t *s, volatile global atomic_uintptr_t *u, volatile global atomic_ptrdiff_t *d) {\n\
  atomic_fetch_add(s, (size_t)3); atomic_fetch_add(u, (ptrdiff_t)5); atomic_fetch_sub(d, (ptrdiff_t)7); }\n\
";

/* Whole numbers, so that sums are exact in any order. */
static const char source_float[] = "\n\
#define WORDS(AS, A, T) \\\n\
  atomic_fetch_add(&p[0], x); atomic_fetch_sub_explicit(&p[1], x, memory_order_relaxed);\\\n\
  atomic_fetch_min(&p[2], x); atomic_fetch_max_explicit(&p[3], x, memory_order_acq_rel, memory_scope_device);\n\
#define FLOATS(A, T) kernel void global_##T(volatile global A *p, global T *out) {\\\n\
  T x = (T)get_global_id(0) - 1000; WORDS(global, A, T) }\\\n\
 kernel void local_##T(volatile global A *unused, global T *out) {\\\n\
  local A p[4]; uint l = get_local_id(0); if (l < 4) atomic_init(&p[l], 0);\\\n\
  barrier(CLK_LOCAL_MEM_FENCE); T x = (T)get_global_id(0) - 1000; WORDS(local, A, T)\\\n\
  barrier(CLK_LOCAL_MEM_FENCE); if (l < 4) out[4 * get_group_id(0) + l] = atomic_load(&p[l]); }\n\
#if !cl_ext_float_atomics || !__opencl_c_ext_fp32_global_atomic_add || !__opencl_c_ext_fp32_local_atomic_min_max\n\
#error float atomics\n\
#endif\n\
FLOATS(atomic_float, float)\n\
#if __opencl_c_ext_fp64_global_atomic_add\n\
FLOATS(atomic_double, double)\n\
#endif\n\
";

static cl_ulong start_of(unsigned word, bool is_signed)
{
    return word == 2                ? (is_signed ? INT64_MAX : UINT64_MAX)
           : word == 3 && is_signed ? (cl_ulong)INT64_MIN
           : word == 4              ? UINT64_MAX
           : word == 10             ? 1
                                    : 0;
}

static int by_value(const void *a, const void *b)
{
    cl_ulong x = *(const cl_ulong *)a, y = *(const cl_ulong *)b;
    return x < y ? -1 : x > y;
}

/* What items [first, end) of which some take part make of the words. */
static void check_words(const char *name, bool is_signed, const cl_ulong *got, size_t first,
                        size_t end, bool some, const cl_ulong *turns, const cl_ulong *befores)
{
    static cl_ulong took[ITEMS], were[ITEMS + 1], want_were[ITEMS + 1];
    cl_ulong want[11];
    size_t n = 0;
    for (unsigned w = 0; w < 11; w++)
        want[w] = start_of(w, is_signed);
    for (size_t i = first; i < end; i++) {
        if (some && i % GROUP % 3 == 1)
            continue;
        cl_ulong v = (i + 1) * 0x100000001, x = v * 0x9e3779b97f4a7c15;
        want[0] += v;
        want[1] -= v;
        if (is_signed ? (cl_long)x < (cl_long)want[2] : x < want[2])
            want[2] = x;
        if (is_signed ? (cl_long)x > (cl_long)want[3] : x > want[3])
            want[3] = x;
        want[4] &= ~(1ull << (i & 63));
        want[5] |= 1ull << (i & 63);
        want[6] ^= v;
        want[7]++;
        want[8]--;
        want[10] = want[10] * 3 + 1;
        took[n] = turns[i];
        were[n] = befores[i];
        want_were[n++] = v;
    }
    for (unsigned w = 0; w < 11; w++)
        CHECKF(w == 9 || got[w] == want[w], "%s: word %u: %llx for %llx", name, w,
               (unsigned long long)got[w], (unsigned long long)want[w]);
    /* Each took a number of its own; what was exchanged, and what was left, are all values and 0.
     */
    qsort(took, n, 8, by_value);
    for (size_t i = 0; i < n; i++)
        CHECKF(took[i] == i, "%s: turn %zu is %llu", name, i, (unsigned long long)took[i]);
    were[n] = got[9];
    want_were[n++] = 0;
    qsort(were, n, 8, by_value);
    qsort(want_were, n, 8, by_value);
    CHECKF(!memcmp(were, want_were, n * 8), "%s: exchanged values", name);
}

static void launch(cl_kernel k, size_t items)
{
    size_t group = GROUP;
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &items, &group, 0, NULL, NULL));
    CL(clReleaseKernel(k));
}

static void integers(cl_program p, const char *type, bool is_signed)
{
    enum { WORDS = 16 + 11 * (ITEMS / GROUP) };
    static cl_ulong words[WORDS], got[WORDS], turns[ITEMS], befores[ITEMS];
    for (unsigned w = 0; w < 11; w++)
        words[w] = start_of(w, is_signed);
    for (unsigned local = 0; local < 2; local++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", local ? "local" : "global", type);
        cl_mem a = clu_buffer(sizeof words, words), t = clu_buffer(sizeof turns, NULL),
               b = clu_buffer(sizeof befores, NULL);
        cl_kernel k = clu_kernel(p, name);
        clu_arg_mem(k, 0, a);
        clu_arg_mem(k, 1, t);
        clu_arg_mem(k, 2, b);
        launch(k, ITEMS);
        clu_read(a, sizeof got, got);
        clu_read(t, sizeof turns, turns);
        clu_read(b, sizeof befores, befores);
        if (!local)
            check_words(name, is_signed, got, 0, ITEMS, false, turns, befores);
        for (size_t g = 0; local && g < ITEMS / GROUP; g++)
            check_words(name, is_signed, got + 16 + 11 * g, g * GROUP, (g + 1) * GROUP, true, turns,
                        befores);
        CL(clReleaseMemObject(a));
        CL(clReleaseMemObject(t));
        CL(clReleaseMemObject(b));
    }
}

static void c11(cl_program p)
{
    static double seen[ITEMS + 1];
    double two[2] = {-1, 0};
    cl_mem a = clu_buffer(sizeof two, two), b = clu_buffer(ITEMS * 8, NULL);
    cl_kernel k = clu_kernel(p, "doubles");
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    launch(k, ITEMS);
    clu_read(a, sizeof two, two);
    clu_read(b, ITEMS * 8, seen);
    double sum = two[0];
    for (size_t i = 0; i < ITEMS; i++)
        sum += seen[i];
    CHECK(sum == ITEMS / 2.0 * ITEMS - 1);
    CHECK(two[1] == ITEMS / 2.0 * ITEMS);
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(b));

    cl_ulong g = 0, l[ITEMS / GROUP], all = 0, odd = 0;
    a = clu_buffer(8, &g);
    b = clu_buffer(sizeof l, NULL);
    k = clu_kernel(p, "generic_pointers");
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    launch(k, ITEMS);
    clu_read(a, 8, &g);
    clu_read(b, sizeof l, l);
    for (size_t i = 0; i < ITEMS; i++) {
        all += (cl_ulong)i << 30;
        odd += i & 1 ? (cl_ulong)i << 30 : 0;
    }
    for (size_t i = 0; i < ITEMS / GROUP; i++)
        odd -= l[i];
    CHECK(odd == 0);
    for (size_t i = 0; i < ITEMS / GROUP; i++)
        g += l[i];
    CHECK(g == all);
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(b));

    cl_ulong zero[3] = {1, 2, 3}, got[3];
    a = clu_buffer(8, &zero[0]);
    b = clu_buffer(8, &zero[1]);
    cl_mem c = clu_buffer(8, &zero[2]);
    k = clu_kernel(p, "sizes");
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    clu_arg_mem(k, 2, c);
    launch(k, ITEMS);
    clu_read(a, 8, &got[0]);
    clu_read(b, 8, &got[1]);
    clu_read(c, 8, &got[2]);
    CHECK(got[0] == 1 + 3 * ITEMS && got[1] == 2 + 5 * ITEMS && (cl_long)got[2] == 3 - 7 * ITEMS);
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(b));
    CL(clReleaseMemObject(c));
}

static void check_floats(const char *name, const void *at, bool is_double, size_t first, size_t end)
{
    double sum = 0, least = 0, most = 0;
    for (size_t i = first; i < end; i++) {
        double x = (double)i - 1000;
        sum += x;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    double want[4] = {sum, -sum, least, most};
    for (unsigned w = 0; w < 4; w++) {
        double is = is_double ? ((const double *)at)[w] : ((const float *)at)[w];
        CHECKF(is == want[w], "%s: word %u: %g for %g", name, w, is, want[w]);
    }
}

static void floats(bool has_double)
{
    cl_program p = clu_build(source_float, "-cl-std=CL3.0");
    for (unsigned n = 0; n < (has_double ? 4u : 2u); n++) {
        bool is_double = n / 2, local = n % 2;
        size_t size = is_double ? 8 : 4;
        static char got[ITEMS / GROUP * 4 * 8];
        char name[32];
        memset(got, 0, sizeof got);
        snprintf(name, sizeof name, "%s_%s", local ? "local" : "global",
                 is_double ? "double" : "float");
        cl_mem a = clu_buffer(4 * size, got), b = clu_buffer(sizeof got, got);
        cl_kernel k = clu_kernel(p, name);
        clu_arg_mem(k, 0, a);
        clu_arg_mem(k, 1, b);
        launch(k, ITEMS);
        clu_read(local ? b : a, local ? sizeof got : 4 * size, got);
        if (!local)
            check_floats(name, got, is_double, 0, ITEMS);
        for (size_t g = 0; local && g < ITEMS / GROUP; g++)
            check_floats(name, got + 4 * g * size, is_double, g * GROUP, (g + 1) * GROUP);
        CL(clReleaseMemObject(a));
        CL(clReleaseMemObject(b));
    }
    CL(clReleaseProgram(p));
}

int main(void)
{
    static char extensions[8192];
    cl_bitfield capabilities;
    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    bool has = strstr(extensions, "cl_khr_int64_base_atomics");
    CHECK(has == (strstr(extensions, "cl_khr_int64_extended_atomics") != NULL));
    CL(clGetDeviceInfo(clu_device, 0x4231, sizeof capabilities, &capabilities, NULL));
    CHECK(capabilities == 0x70007);
    CL(clGetDeviceInfo(clu_device, 0x4232, sizeof capabilities, &capabilities, NULL));
    CHECK(capabilities == (has ? 0x70007 : 0));
    floats(has);
    if (has) {
        cl_program p = clu_build(source_1x, "");
        integers(p, "long", true);
        integers(p, "ulong", false);
        CL(clReleaseProgram(p));
        p = clu_build(source_c11, "-cl-std=CL3.0");
        integers(p, "long", true);
        integers(p, "ulong", false);
        c11(p);
        CL(clReleaseProgram(p));
    } else {
        const char *text = "kernel void k(volatile global long *p) { atom_add(p, 1L); }";
        cl_int e;
        cl_program p = clCreateProgramWithSource(clu_context, 1, &text, NULL, &e);
        CL(e);
        CHECK(clBuildProgram(p, 1, &clu_device, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
        CL(clReleaseProgram(p));
    }
    clu_close();
    return utest_end();
}
