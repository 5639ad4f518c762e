/* The language of lang.cl: control flow, calls, structs, private arrays, pointers, vectors,
 * conversions. Each kernel is written again in C, one work-item at a time. */
#include <math.h>

#include "clu.h"

#define N 512

static cl_program program;
static int out[N];

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    REQUIRE(f);
    static char text[1 << 16];
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

typedef int want_fn(int i);

/* Runs a kernel whose only argument is out, and compares. */
static void simple(const char *name, want_fn *want)
{
    cl_kernel k = clu_kernel(program, name);
    cl_mem m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, m);
    clu_run(k, N, 0);
    clu_read(m, sizeof(out), out);
    int bad = 0;
    for (int i = 0; i < N; i++)
        if (out[i] != want(i) && bad++ == 0)
            fprintf(stderr, "%s: item %d got %d want %d\n", name, i, out[i], want(i));
    CHECKF(bad == 0, "%s: %d wrong", name, bad);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

static int want_constants(int i)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
    return primes[i % 10] + (i & 1 ? 7 : 3) + "beignet"[i % 7];
}
static int want_if_nest(int i)
{
    if (i & 1)
        return i & 2 ? 3 * i : i & 4 ? i - 100 : 7;
    return i % 3 == 0 ? -i : 0;
}
static int want_loop_trip(int i)
{
    int n = i % 37;
    return n * (n - 1) / 2;
}
static int want_loop_break(int i)
{
    int r = 0;
    for (int k = 1;; k++) {
        if (k % 3 == 0)
            continue;
        r += k;
        if (r > i || k > 50)
            return r;
    }
}
static int want_break_ways(int i)
{
    unsigned r = i;
    int found = -1;
    for (int k = 0; k < 20; k++) {
        r = r * 5 + k;
        if ((r & 15) == 3) {
            found = k;
            r += r & 64 ? 1000 : 0;
            break;
        }
        r += k & 1 ? 7 : 0;
        if (k & 1 ? (r & 31) == 9 : r > 0x80000000u)
            break;
        for (unsigned j = 0; j <= (i & 3u);) {
            r += j++;
            if ((r & 7) == 5) {
                r -= 2;
                break;
            }
        }
    }
    return (int)(r * 32 + found);
}
static int want_break_barrier(int i)
{
    int neighbour = i - i % 16 + (i + 1) % 16, r = 0;
    for (int k = 0; k <= i / 16 % 5; k++)
        r += neighbour * k + 1;
    return r;
}
static int want_collatz(int i)
{
    unsigned n = i + 1;
    int steps = 0;
    for (; n != 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}
static int want_loop_nest(int i)
{
    int r = 0;
    for (int a = 0; a < (i & 7); a++) {
        int b = 0;
        do {
            if (((a + b + i) & 3) == 1)
                break;
            r += a * b + 1;
            b++;
        } while (b < (i >> 3) % 9);
        if (r > 200)
            return r;
    }
    return r + 1000;
}
static int want_switches(int i)
{
    switch (i % 11) {
    case 0:
        return 5;
    case 1:
        return 60;
    case 2:
        return 50;
    case 3:
        return 30;
    case 7:
        return i & 16 ? 99 : 98;
    case 9:
        return 3 * i;
    default:
        return -1;
    }
}
static int want_early_return(int i)
{
    int o = 2;
    if (i % 5 == 0)
        return 1;
    for (int k = 0; k < 10; k++) {
        if (k == i % 13)
            return o;
        o += k;
    }
    return -o;
}
static int want_private_array(int i)
{
    int a[40], r = 0;
    for (int k = 0; k < 40; k++)
        a[(k * 7 + i) % 40] = k * i;
    for (int k = 0; k < 40; k += 3)
        r += a[(k + i * 5) % 40] * (k + 1);
    return r;
}
static int want_private_bytes(int i)
{
    uint8_t b[64];
    uint16_t h[32];
    for (int k = 0; k < 64; k++)
        b[k ^ (i & 63)] = (uint8_t)(k + i);
    memcpy(h, b, 64);
    unsigned r = 0;
    for (int k = 0; k < 32; k++)
        r = r * 3 + h[(k + i) & 31];
    return (int)r;
}
static int want_large_array(int i)
{
    unsigned a[150], r = 0;
    for (int k = 0; k < 150; k++)
        a[(k * 7 + i) % 150] = (unsigned)(k * i);
    for (int k = 0; k < 150; k += 3)
        r += a[(k + i * 5) % 150] * (unsigned)(k + 1) + a[k];
    return (int)r;
}
static int want_large_bytes(int i)
{
    uint8_t b[512];
    uint16_t h[256];
    for (int k = 0; k < 512; k++)
        b[k ^ (i & 63)] = (uint8_t)(k + i);
    memcpy(h, b, 512);
    unsigned r = 0;
    for (int k = 0; k < 256; k++)
        r = r * 3 + h[(k + i) & 255];
    return (int)r;
}
static int want_large_vectors(int i)
{
    unsigned v[160], r = 0;
    for (int k = 0; k < 40; k++) {
        unsigned x[4] = {(unsigned)k, (unsigned)(k * i), (unsigned)(k + i), 7};
        memcpy(&v[4 * ((k + i) % 40)], x, sizeof x);
    }
    for (int k = 0; k < 160; k += 5)
        v[(k + i) % 160] += (unsigned)i;
    for (int k = 0; k < 40; k++)
        r = r * 5 + v[4 * k] + 3 * v[4 * ((k * i) % 40) + 1] - v[4 * k + 2] + v[4 * k + 3];
    return (int)r;
}
static int want_large_unaligned(int i)
{
    uint8_t b[400];
    unsigned r = 0;
    for (int k = 0; k < 400; k++)
        b[(k + i) % 400] = (uint8_t)(k * 3);
    for (int k = 0; k < 390; k += 7) {
        uint32_t x;
        memcpy(&x, b + (k + i % 5), 4);
        r = r * 3 + x;
    }
    return (int)r;
}
static int want_private_pointer(int i)
{
    int x = i, y = 2 * i, z[3] = {i, i + 1, i + 2};
    int *p = i & 1 ? &x : i & 2 ? &y : &z[i % 3];
    *p += 100;
    return x + y * 10 + z[(i >> 2) % 3];
}

static void check(const char *name, const int *got, const int *want, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++)
        if (got[i] != want[i] && bad++ == 0)
            fprintf(stderr, "%s: item %d got %d want %d\n", name, i, got[i], want[i]);
    CHECKF(bad == 0, "%s: %d wrong", name, bad);
}

static int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}

static void test_calls(void)
{
    int table[8] = {12, 18, 7, 30, 100, 64, 9, 25}, want[N];
    cl_kernel k = clu_kernel(program, "calls");
    cl_mem m = clu_buffer(sizeof(out), NULL), t = clu_buffer(sizeof(table), table);
    clu_arg_mem(k, 0, m);
    clu_arg_mem(k, 1, t);
    clu_run(k, N, 0);
    clu_read(m, sizeof(out), out);
    for (int i = 0; i < N; i++)
        want[i] = gcd(i + 1, table[(i + 1) & 7]) + gcd(i, 36);
    check("calls", out, want, N);
    CL(clReleaseMemObject(m));
    CL(clReleaseMemObject(t));
    CL(clReleaseKernel(k));
}

struct pair {
    int8_t c;
    int32_t i;
    int16_t s;
};
struct __attribute__((packed)) tight {
    int8_t c;
    int32_t i;
    int16_t s;
};
struct nest {
    struct pair p[2];
    float v[4] __attribute__((aligned(16)));
    union {
        uint32_t u;
        float f;
    } w __attribute__((aligned(4)));
    uint32_t tail[3];
};

static void test_structs(void)
{
    static struct nest s[N], s2[N];
    static struct tight t[N], t2[N];
    memset(s, 0, sizeof(s));
    for (int i = 0; i < N; i++) {
        s[i].p[0] = (struct pair){(int8_t)i, i * 10, (int16_t)-i};
        s[i].p[1] = (struct pair){(int8_t)-i, i * 20, (int16_t)(i * 3)};
        for (int c = 0; c < 4; c++)
            s[i].v[c] = (float)(i + c);
        s[i].w.f = (float)i * 0.5f;
        t[i] = (struct tight){(int8_t)i, i * 7, (int16_t)i};
    }
    cl_kernel k = clu_kernel(program, "structs");
    cl_mem ms = clu_buffer(sizeof(s), s), mt = clu_buffer(sizeof(t), t),
           m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, ms);
    clu_arg_mem(k, 1, mt);
    clu_arg_mem(k, 2, m);
    clu_run(k, N, 0);
    clu_read(ms, sizeof(s2), s2);
    clu_read(mt, sizeof(t2), t2);
    clu_read(m, sizeof(out), out);
    int bad = 0;
    for (int i = 0; i < N; i++) {
        bad += s2[i].p[1].i != i * 30 || s2[i].p[0].c != (int8_t)(i + i * 3) ||
               s2[i].p[0].s != (int16_t)-i;
        for (int c = 0; c < 4; c++)
            bad += s2[i].v[c] != 2.0f * (float)(i + 3 - c);
        bad += s2[i].w.f != (float)i * 0.5f + 1.0f;
        bad += t2[i].i != i * 21 + (int8_t)i || t2[i].s != (int16_t)(i - 1) || t2[i].c != (int8_t)i;
        bad += out[i] != (int)sizeof(struct nest) * 1000 + 7;
    }
    CHECKF(bad == 0, "structs: %d wrong", bad);
    CL(clReleaseMemObject(ms));
    CL(clReleaseMemObject(mt));
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

static void test_struct_arg(void)
{
    struct pair p = {-3, 70000, 12};
    float v[4] = {1, 2, 3, 4}, w[4] = {7, 8, 9, 0};
    uint8_t u = 200;
    int64_t big = 0x500000001ll;
    int want[N];
    cl_kernel k = clu_kernel(program, "struct_arg");
    cl_mem m = clu_buffer(sizeof(out), NULL);
    CL(clSetKernelArg(k, 0, sizeof(p), &p));
    CL(clSetKernelArg(k, 1, sizeof(v), v));
    clu_arg_mem(k, 2, m);
    CL(clSetKernelArg(k, 3, 1, &u));
    CL(clSetKernelArg(k, 4, 8, &big));
    CL(clSetKernelArg(k, 5, sizeof(w), w));
    clu_run(k, N, 0);
    clu_read(m, sizeof(out), out);
    for (int i = 0; i < N; i++)
        want[i] = -3 + 70000 + 12 + 400 + 200 + 5 + 9;
    check("struct_arg", out, want, N);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

static void test_pointers(void)
{
    int a[N], b[N], want[N];
    for (int i = 0; i < N; i++) {
        a[i] = i * 11;
        b[i] = -i * 13;
        want[i] = i % 3 ? a[i] + 1000000 : b[i];
    }
    cl_kernel k = clu_kernel(program, "global_pointer");
    cl_mem ma = clu_buffer(sizeof(a), a), mb = clu_buffer(sizeof(b), b),
           m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, ma);
    clu_arg_mem(k, 1, mb);
    clu_arg_mem(k, 2, m);
    clu_run(k, N, 0);
    clu_read(m, sizeof(out), out);
    check("global_pointer", out, want, N);
    CL(clReleaseKernel(k));

    k = clu_kernel(program, "pointer_in_memory");
    clu_arg_mem(k, 0, ma);
    CL(clSetKernelArg(k, 1, 64 * sizeof(int), NULL));
    clu_arg_mem(k, 2, m);
    clu_run(k, N, 64);
    clu_read(m, sizeof(out), out);
    for (int i = 0; i < N; i++) {
        int l = i % 64, from = (l + (i & 3)) % 64;
        want[i] = (i - l + from) * 3 + a[(i >> 2) & 1 ? i ^ 1 : i];
    }
    check("pointer_in_memory", out, want, N);
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(ma));
    CL(clReleaseMemObject(mb));
    CL(clReleaseMemObject(m));
}

static void test_vectors(void)
{
    static float v[N][4], v2[N][4];
    static uint8_t b[N][16], b2[N][16];
    int want[N], bad = 0;
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 4; c++)
            v[i][c] = (float)((i + c * 3) % 7) - 1.0f;
        for (int c = 0; c < 16; c++)
            b[i][c] = (uint8_t)(i * 3 + c * 17);
    }
    cl_kernel k = clu_kernel(program, "vectors_ops");
    cl_mem mv = clu_buffer(sizeof(v), v), mb = clu_buffer(sizeof(b), b),
           m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, mv);
    clu_arg_mem(k, 1, mb);
    clu_arg_mem(k, 2, m);
    clu_run(k, N, 0);
    clu_read(mv, sizeof(v2), v2);
    clu_read(mb, sizeof(b2), b2);
    clu_read(m, sizeof(out), out);
    for (int i = 0; i < N; i++) {
        const float *x = v[i];
        float y[4] = {x[0] + x[2] * 2, x[0] + x[3] * 2, x[1] + x[0] * 2, x[1] + x[1] * 2};
        float z[4] = {y[2], y[1], y[0], y[3]};
        bad += memcmp(z, v2[i], sizeof(z)) != 0;
        for (int c = 0; c < 16; c++) {
            int odd = c | 1;
            uint8_t t = (uint8_t)(b[i][odd] + b[i][15 - odd]);
            bad += b2[i][c] != (c & 1 ? t : (uint8_t)(t ^ 0x5a));
        }
        int g[4], any = 0, all = 1;
        for (int c = 0; c < 4; c++) {
            g[c] = x[c] > 2.0f ? -1 : 0;
            any |= g[c];
            all &= g[c] != 0;
        }
        want[i] = g[0] + g[1] * 2 + g[2] * 4 + g[3] * 8 + (any ? 100 : 0) + (all ? 1000 : 0);
    }
    CHECKF(bad == 0, "vectors: %d wrong", bad);
    check("vectors_ops", out, want, N);
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(mv));
    CL(clReleaseMemObject(mb));
    CL(clReleaseMemObject(m));
}

static void test_vload(void)
{
    static int8_t c[N * 3 + 8];
    static int16_t s[N * 3];
    static float f[N * 2], f2[N * 2];
    int want[N], bad = 0;
    for (int i = 0; i < N * 3 + 8; i++)
        c[i] = (int8_t)(i * 5);
    for (int i = 0; i < N * 2; i++)
        f[i] = (float)i;
    cl_kernel k = clu_kernel(program, "vload_vstore");
    cl_mem mc = clu_buffer(sizeof(c), c), ms = clu_buffer(sizeof(s), NULL),
           mf = clu_buffer(sizeof(f), f);
    cl_mem m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, mc);
    clu_arg_mem(k, 1, ms);
    clu_arg_mem(k, 2, mf);
    clu_arg_mem(k, 3, m);
    clu_run(k, N, 0);
    clu_read(ms, sizeof(s), s);
    clu_read(mf, sizeof(f2), f2);
    clu_read(m, sizeof(out), out);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 3; j++)
            bad += s[i * 3 + j] != (int16_t)(c[i * 3 + j] * 3);
        bad += f2[i * 2] != f[i * 2 + 1] + 1 || f2[i * 2 + 1] != f[i * 2] + 1;
        want[i] = c[i] + c[i + 1] * 2 + c[i + 7] * 3;
    }
    CHECKF(bad == 0, "vload_vstore: %d wrong", bad);
    check("vload_vstore", out, want, N);
    CL(clReleaseKernel(k));
    cl_mem all[] = {mc, ms, mf, m};
    for (int i = 0; i < 4; i++)
        CL(clReleaseMemObject(all[i]));
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static void test_conversions(void)
{
    static float f[N];
    int want[N];
    for (int i = 0; i < N; i++) {
        float x = ldexpf((float)((int)(clu_random() % 20001) - 10000) / 64.0f,
                         (int)(clu_random() % 30) - 4);
        f[i] = i == 0 ? INFINITY : i == 1 ? -INFINITY : i == 2 ? 2.5f : i == 3 ? -3.5f : x;
        double d = f[i];
        int r = (int)clamp(trunc(d), INT32_MIN, INT32_MAX) ^ (int)clamp(trunc(d), 0, 255);
        r ^= (int)((unsigned)(int)clamp(rint(d), -32768, 32767) << 8);
        double c = clamp(d, -1e6, 1e6);
        want[i] = r + (int)ceil(c) * 3 + (int)floor(c) * 5;
    }
    cl_kernel k = clu_kernel(program, "conversions");
    cl_mem mf = clu_buffer(sizeof(f), f), m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, mf);
    clu_arg_mem(k, 1, m);
    clu_run(k, N, 0);
    clu_read(m, sizeof(out), out);
    check("conversions", out, want, N);
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(mf));
    CL(clReleaseMemObject(m));
}

static void test_half(void)
{
    static uint16_t h[N], g[N];
    static float f[N];
    for (int i = 0; i < N; i++) /* normal halves: sign, exponent 1..29, mantissa */
        h[i] = (uint16_t)((i & 1) << 15 | (1 + i % 29) << 10 | (clu_random() & 1023));
    cl_kernel k = clu_kernel(program, "half_storage");
    cl_mem mh = clu_buffer(sizeof(h), h), mg = clu_buffer(sizeof(g), NULL),
           mf = clu_buffer(sizeof(f), NULL);
    clu_arg_mem(k, 0, mh);
    clu_arg_mem(k, 1, mg);
    clu_arg_mem(k, 2, mf);
    clu_run(k, N, 0);
    clu_read(mg, sizeof(g), g);
    clu_read(mf, sizeof(f), f);
    int bad = 0;
    for (int i = 0; i < N; i++) {
        float want = ldexpf((float)((h[i] & 1023) | 1024), ((h[i] >> 10) & 31) - 25) *
                     (h[i] >> 15 ? -1.0f : 1.0f);
        bad += f[i] != want || g[i] != h[i] + 1024; /* doubling adds one to the exponent */
    }
    CHECKF(bad == 0, "half_storage: %d wrong", bad);
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(mh));
    CL(clReleaseMemObject(mg));
    CL(clReleaseMemObject(mf));
}

static void test_selects(void)
{
    static int a[N * 4], b[N * 4], o[N * 4], want[N * 4];
    for (int i = 0; i < N * 4; i++) {
        a[i] = (int)clu_random() >> 4;
        b[i] = (int)clu_random() >> 4;
    }
    for (int i = 0; i < N * 4; i++) {
        int r = i / 4 * 4 + 3 - i % 4;
        unsigned d =
            a[r] > b[r] ? (unsigned)a[r] - (unsigned)b[r] : (unsigned)b[r] - (unsigned)a[r];
        want[i] = (a[i] > b[i] ? b[i] : a[i]) + (a[i] > b[i] ? a[i] : b[i]) -
                  (a[i] < 7 ? a[i] : 7) + (int)(d % 5);
    }
    cl_program p = clu_build(
        "kernel void selects(global const int4 *a, global const int4 *b, global int4 *out) {\n"
        "  int i = get_global_id(0);\n"
        "  out[i] = select(a[i], b[i], a[i] > b[i]) + max(a[i], b[i]) - min(a[i], (int4)(7))"
        " + convert_int4(abs_diff(a[i], b[i]).s3210 % (uint4)(5));\n}\n",
        "");
    cl_kernel k = clu_kernel(p, "selects");
    cl_mem ma = clu_buffer(sizeof(a), a), mb = clu_buffer(sizeof(b), b),
           m = clu_buffer(sizeof(o), NULL);
    clu_arg_mem(k, 0, ma);
    clu_arg_mem(k, 1, mb);
    clu_arg_mem(k, 2, m);
    clu_run(k, N, 0);
    clu_read(m, sizeof(o), o);
    check("selects", o, want, N * 4);
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(ma));
    CL(clReleaseMemObject(mb));
    CL(clReleaseMemObject(m));
    CL(clReleaseProgram(p));
}

static void test_uniform_store(void)
{
    static const int limits[] = {0, 1, 9, 14, 40, 64};
    enum { GROUPS = N / 64 };
    cl_kernel k = clu_kernel(program, "uniform_store");
    for (unsigned n = 0; n < sizeof limits / sizeof *limits; n++) {
        int limit = limits[n], words[GROUPS], bad = 0;
        unsigned char bytes[N];
        short pairs[GROUPS][2];
        memset(words, 0x55, sizeof words);
        memset(bytes, 0x55, sizeof bytes);
        memset(pairs, 0x55, sizeof pairs);
        cl_mem m[] = {clu_buffer(sizeof words, words), clu_buffer(sizeof bytes, bytes),
                      clu_buffer(sizeof pairs, pairs)};
        for (unsigned i = 0; i < 3; i++)
            clu_arg_mem(k, i, m[i]);
        CL(clSetKernelArg(k, 3, sizeof limit, &limit));
        clu_run(k, N, 64);
        clu_read(m[0], sizeof words, words);
        clu_read(m[1], sizeof bytes, bytes);
        clu_read(m[2], sizeof pairs, pairs);
        for (int g = 0; g < GROUPS; g++) {
            bad += words[g] != (limit > 0 ? limit : 0x55555555);
            bad += pairs[g][0] != (limit > 13 ? limit : 0x5555);
            bad += pairs[g][1] != (limit > 13 ? g : 0x5555);
            for (int i = 0; i < 64; i++)
                bad += bytes[64 * g + i] != (i % 8 == 0 && i < limit ? i + 1 : 0x55);
        }
        CHECKF(bad == 0, "uniform_store: limit %d: %d wrong", limit, bad);
        for (unsigned i = 0; i < 3; i++)
            CL(clReleaseMemObject(m[i]));
    }
    CL(clReleaseKernel(k));
}

static void test_uniform(void)
{
    cl_kernel k = clu_kernel(program, "uniform_branch");
    cl_mem m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, m);
    for (int mode = 0; mode < 3; mode++) {
        int n = mode == 1 ? 9 : 100, want[N];
        CL(clSetKernelArg(k, 1, sizeof(int), &mode));
        CL(clSetKernelArg(k, 2, sizeof(int), &n));
        clu_run(k, N, 0);
        clu_read(m, sizeof(out), out);
        for (int i = 0; i < N; i++) {
            unsigned r = (unsigned)i;
            if (mode == 1)
                for (int j = 0; j < n; j++)
                    r = r * 5 + (unsigned)j;
            want[i] = mode == 1 ? (int)r : mode == 2 ? 9 + i : ~i; /* 100 - 13 * 7 = 9 */
        }
        check("uniform_branch", out, want, N);
    }
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

static void test_pressure(void)
{
    static int in[N + 48];
    int want[N];
    for (int i = 0; i < N + 48; i++)
        in[i] = (int)clu_random();
    for (int i = 0; i < N; i++) {
        unsigned v[48], s = 0;
        for (int k = 0; k < 48; k++)
            v[k] = (unsigned)in[i + k];
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 48; k++)
                v[k] = v[k] * 3 + (v[(k * 5 + 7) % 48] ^ v[(k * 11 + 1) % 48]);
        for (int k = 0; k < 48; k++)
            s = s * 7 + v[k];
        want[i] = (int)s;
    }
    cl_kernel k = clu_kernel(program, "pressure");
    cl_mem mi = clu_buffer(sizeof(in), in), m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, mi);
    clu_arg_mem(k, 1, m);
    clu_run(k, N, 0);
    clu_read(m, sizeof(out), out);
    check("pressure", out, want, N);
    CL(clReleaseMemObject(mi));
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

static void test_constant_addresses(void)
{
    static const int squares[] = {0, 1, 4, 9}, cubes[] = {0, 1, 8, 27, 64, 125};
    const int *tables[] = {squares, cubes, &cubes[2]};
    const char *words[] = {"six", "sieben", NULL};
    cl_kernel k = clu_kernel(program, "constant_addresses");
    cl_mem m = clu_buffer(sizeof(out), NULL);
    clu_arg_mem(k, 0, m);
    for (int n = 0; n < 3; n++) {
        int want[N];
        CL(clSetKernelArg(k, 1, sizeof(int), &n));
        clu_run(k, N, 0);
        clu_read(m, sizeof(out), out);
        for (int i = 0; i < N; i++)
            want[i] = tables[i % 3][n] + (words[i % 3] ? words[i % 3][n] : -1) * 1000 +
                      (i & 1 ? 200 : 100) + (i & 1 ? cubes[n] : squares[n + 1]) * 7;
        check("constant_addresses", out, want, N);
    }
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

int main(void)
{
    clu_open();
    program = clu_build(read_file(SOURCE_DIR "/utests/cl/lang.cl"), "");
    simple("constants", want_constants);
    simple("if_nest", want_if_nest);
    simple("loop_trip", want_loop_trip);
    simple("loop_break", want_loop_break);
    simple("break_ways", want_break_ways);
    simple("break_barrier", want_break_barrier);
    simple("collatz", want_collatz);
    simple("loop_nest", want_loop_nest);
    simple("switches", want_switches);
    simple("early_return", want_early_return);
    simple("private_array", want_private_array);
    simple("private_bytes", want_private_bytes);
    simple("large_array", want_large_array);
    simple("large_bytes", want_large_bytes);
    simple("large_vectors", want_large_vectors);
    simple("large_unaligned", want_large_unaligned);
    simple("private_pointer", want_private_pointer);
    test_calls();
    test_structs();
    test_struct_arg();
    test_pointers();
    test_vectors();
    test_vload();
    test_conversions();
    test_half();
    test_selects();
    test_uniform();
    test_uniform_store();
    test_pressure();
    test_constant_addresses();
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
