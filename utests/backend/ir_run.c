/* From OpenCL C to results on the host's interpreter: what from_llvm and the optimiser make of
 * whole kernels. Expected values: C's own arithmetic, closed forms. Each kernel runs as it was
 * lowered and as it was optimised, for 32- and 64-bit pointers. */
#include "ir_harness.h"
#include "utest.h"

#include <math.h>
#include <unistd.h>

enum { N = 32 };

static struct harness_program program;
static const char *device;
static bool optimised;

static void setup(const char *source, const char *options)
{
    bool ok = harness_compile(source, device, options, &program);
    CHECKF(ok, "%s", device);
}

/* One group of N items. */
static bool run1(const char *name, const struct harness_arg *args)
{
    const struct ir_fn *fn = harness_find(&program, name, optimised);
    CHECKF(fn, "no kernel %s", name);
    bool ok = fn && harness_run(&program, fn, args, (unsigned[]){N, 1, 1}, (unsigned[]){N, 1, 1});
    CHECKF(ok, "%s on %s, %s", name, device, optimised ? "optimised" : "plain");
    return ok;
}

#define BUFFER(x)                                                                                  \
    {                                                                                              \
        ARG_BUFFER, x, sizeof(x)                                                                   \
    }
#define VALUE(x)                                                                                   \
    {                                                                                              \
        ARG_VALUE, &(x), sizeof(x)                                                                 \
    }

static uint64_t random_state = 88172645463325252ull;
static uint64_t rnd(void) /* xorshift, then ends of the range more often */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    uint64_t r = random_state;
    switch (r >> 60) {
    case 0:
        return 0;
    case 1:
        return ~0ull;
    case 2:
        return 1ull << (r & 63);
    case 3:
        return (1ull << (r & 63)) - 1;
    case 4:
        return r & 0xffffffff;
    case 5:
        return 0x8000000000000000ull;
    case 6:
        return (uint64_t)((int64_t)r >> (r & 63));
    default:
        return r * 0x9e3779b97f4a7c15ull;
    }
}

/* ---- integers of all widths: out[i] = a op b ---- */

#define INT_OPS(X)                                                                                 \
    X(0, a + b)                                                                                    \
    X(1, a - b) X(2, a *b) X(3, a &b) X(4, a | b) X(5, a ^ b) X(6, a << sh) X(7, a >> sh)          \
        X(8, a < b ? 3 : 5) X(9, a <= b ? a : b) X(10, (a == b) + 2 * (a != b)) X(11, -a)          \
            X(12, ~a) X(13, a > b) X(14, a >= (T)7) X(15, (T)(a << 1) >> 1)
#define CL_CASE(n, e) "case " #n ": r = (T)(" #e "); break;"

static const char int_source[] =
    "#define KERNEL(T, NAME) __kernel void NAME(__global T *o, __global const T *x, "
    "__global const T *y, int op) {"
    "  int i = get_global_id(0); T a = x[i], b = y[i], r = 0; T sh = b & (T)(sizeof(T) * 8 - 1);"
    "  switch (op) {" INT_OPS(CL_CASE) "} o[i] = r; }\n"
                                       "KERNEL(char, k_char) KERNEL(uchar, k_uchar) KERNEL(short, "
                                       "k_short) KERNEL(ushort, k_ushort)"
                                       "KERNEL(int, k_int) KERNEL(uint, k_uint) KERNEL(long, "
                                       "k_long) KERNEL(ulong, k_ulong)";

#define C_CASE(n, e)                                                                               \
    case n:                                                                                        \
        r = (T)(e);                                                                                \
        break;
#define TEST_INT(type, name)                                                                       \
    static void test_##name(void)                                                                  \
    {                                                                                              \
        typedef type T;                                                                            \
        T o[N], x[N], y[N];                                                                        \
        for (int op = 0; op < 16; op++) {                                                          \
            for (int i = 0; i < N; i++) {                                                          \
                x[i] = (T)rnd();                                                                   \
                y[i] = (T)rnd();                                                                   \
            }                                                                                      \
            if (!run1(#name,                                                                       \
                      (struct harness_arg[]){BUFFER(o), BUFFER(x), BUFFER(y), VALUE(op), {0}}))    \
                return;                                                                            \
            for (int i = 0; i < N; i++) {                                                          \
                T a = x[i], b = y[i], r = 0;                                                       \
                int sh = (int)(b & (T)(sizeof(T) * 8 - 1));                                        \
                switch (op) {                                                                      \
                    INT_OPS(C_CASE)                                                                \
                }                                                                                  \
                CHECKF(o[i] == r, #name " op %d: %llx, %llx: %llx instead of %llx", op,            \
                       (unsigned long long)a, (unsigned long long)b, (unsigned long long)o[i],     \
                       (unsigned long long)r);                                                     \
            }                                                                                      \
        }                                                                                          \
    }
TEST_INT(int8_t, k_char)
TEST_INT(uint8_t, k_uchar)
TEST_INT(int16_t, k_short)
TEST_INT(uint16_t, k_ushort)
TEST_INT(int32_t, k_int)
TEST_INT(uint32_t, k_uint)
TEST_INT(int64_t, k_long)
TEST_INT(uint64_t, k_ulong)

/* ---- conversions, bits ---- */

static const char convert_source[] =
    "__kernel void to_float(__global float *o, __global const long *x, __global const ulong *y) {"
    "  int i = get_global_id(0); o[4*i] = (float)x[i]; o[4*i+1] = (float)y[i];"
    "  o[4*i+2] = (float)(int)x[i]; o[4*i+3] = (float)(uchar)x[i]; }\n"
    "__kernel void from_float(__global long *o, __global ulong *u, __global const float *x) {"
    "  int i = get_global_id(0); o[i] = convert_long_sat(x[i]); u[i] = convert_ulong_sat(x[i]); }\n"
    "__kernel void narrow(__global int *o, __global const float *x) { int i = get_global_id(0);"
    "  o[4*i] = convert_char_sat(x[i]); o[4*i+1] = convert_uchar_sat(x[i]);"
    "  o[4*i+2] = convert_short_sat(x[i]); o[4*i+3] = convert_int_sat(x[i]); }\n"
    "__kernel void bits(__global int *o, __global const ulong *x) { int i = get_global_id(0);"
    "  o[8*i] = popcount(x[i]); o[8*i+1] = clz(x[i]); o[8*i+2] = clz((uchar)x[i]);"
    "  o[8*i+3] = popcount((ushort)x[i]); o[8*i+4] = clz((uint)x[i]);"
    "  o[8*i+5] = abs((char)x[i]); o[8*i+6] = (int)(abs((long)x[i]) >> 3);"
    "  o[8*i+7] = (int)(rotate(x[i], 13ul) >> 32); }\n"
    "__kernel void divide(__global long *q, __global long *r, __global ulong *uq, __global ulong "
    "*ur, "
    "__global const long *x, __global const long *y) { int i = get_global_id(0);"
    "  q[i] = x[i] / y[i]; r[i] = x[i] % y[i]; uq[i] = (ulong)x[i] / (ulong)y[i];"
    "  ur[i] = (ulong)x[i] % (ulong)y[i]; }\n";

static const char half_source[] =
    "__kernel void halves(__global ushort *h, __global float *f, __global const float *x) {"
    "  int i = get_global_id(0); vstore_half(x[i], i, (__global half *)h);"
    "  f[i] = vload_half(i, (__global const half *)h); }\n";

static float random_float(void)
{
    uint32_t bits = (uint32_t)(rnd() >> 7);
    float f;
    memcpy(&f, &bits, 4);
    if (isnan(f) || fabsf(f) < 1e-37f)
        f = (float)(int64_t)rnd() * 1.5f;
    return f;
}

static int64_t sat(double x, double lo, double hi)
{
    return isnan(x) ? 0 : x <= lo ? (int64_t)lo : x >= hi ? (int64_t)hi : (int64_t)x;
}

static void conversions(void)
{
    int64_t x[N];
    uint64_t y[N], u[N];
    float f[4 * N], g[N];
    int o[8 * N];
    for (int i = 0; i < N; i++) {
        x[i] = (int64_t)rnd();
        y[i] = rnd();
        g[i] = random_float();
    }
    /* ties of the rounding, saturation */
    x[0] = 0x1000001000000, x[1] = 0x1000003000000, x[2] = 0x1000001000001, x[3] = INT64_MIN;
    y[0] = 0xffffff7fffffffff, y[1] = 0xffffff8000000000, y[2] = 0x8000008000000000,
    y[3] = 0x8000008000000001;
    g[0] = NAN, g[1] = INFINITY, g[2] = -INFINITY, g[3] = 0x1p63f, g[4] = -0x1p63f, g[5] = 0x1p64f;
    g[6] = 0x1.fffffep63f, g[7] = -0.75f, g[8] = 127.5f, g[9] = -129.0f, g[10] = 255.99f;
    if (run1("to_float", (struct harness_arg[]){BUFFER(f), BUFFER(x), BUFFER(y), {0}}))
        for (int i = 0; i < N; i++) {
            CHECKF(f[4 * i] == (float)x[i], "%llx: %a", (long long)x[i], f[4 * i]);
            CHECKF(f[4 * i + 1] == (float)y[i], "%llx: %a", (long long)y[i], f[4 * i + 1]);
            CHECK(f[4 * i + 2] == (float)(int)x[i] && f[4 * i + 3] == (float)(uint8_t)x[i]);
        }
    if (run1("from_float", (struct harness_arg[]){BUFFER(x), BUFFER(u), BUFFER(g), {0}}))
        for (int i = 0; i < N; i++) {
            int64_t want = g[i] >= 0x1p63f   ? INT64_MAX
                           : g[i] < -0x1p63f ? INT64_MIN
                           : isnan(g[i])     ? 0
                                             : (int64_t)g[i];
            uint64_t uwant = g[i] >= 0x1p64f ? UINT64_MAX : !(g[i] > 0) ? 0 : (uint64_t)g[i];
            CHECKF(x[i] == want && u[i] == uwant, "%a: %llx %llx", g[i], (long long)x[i],
                   (long long)u[i]);
        }
    if (run1("narrow", (struct harness_arg[]){BUFFER(o), BUFFER(g), {0}}))
        for (int i = 0; i < N; i++) {
            CHECKF(o[4 * i] == sat(g[i], -128, 127) && o[4 * i + 1] == sat(g[i], 0, 255),
                   "%a: %d %d", g[i], o[4 * i], o[4 * i + 1]);
            CHECK(o[4 * i + 2] == sat(g[i], -32768, 32767) &&
                  o[4 * i + 3] == sat(g[i], INT32_MIN, INT32_MAX));
        }
    y[4] = 0, y[5] = 1, y[6] = 1ull << 32, y[7] = 0x80;
    if (run1("bits", (struct harness_arg[]){BUFFER(o), BUFFER(y), {0}}))
        for (int i = 0; i < N; i++) {
            uint64_t v = y[i];
            int a = (int8_t)v < 0 ? -(int8_t)v : (int8_t)v;
            uint64_t l = (int64_t)v < 0 ? 0 - v : v;
            CHECK(o[8 * i] == __builtin_popcountll(v) &&
                  o[8 * i + 1] == (v ? __builtin_clzll(v) : 64));
            CHECK(o[8 * i + 2] == ((uint8_t)v ? __builtin_clz((uint8_t)v) - 24 : 8));
            CHECK(o[8 * i + 3] == __builtin_popcount((uint16_t)v));
            CHECK(o[8 * i + 4] == ((uint32_t)v ? __builtin_clz((uint32_t)v) : 32));
            CHECK(o[8 * i + 5] == a && o[8 * i + 6] == (int)(l >> 3));
            CHECK(o[8 * i + 7] == (int)((v << 13 | v >> 51) >> 32));
        }
    int64_t q[N], r[N], d[N];
    uint64_t uq[N], ur[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int64_t)rnd();
        d[i] = (int64_t)rnd();
        if (!d[i] || (d[i] == -1 && x[i] == INT64_MIN))
            d[i] = 3;
    }
    if (run1("divide",
             (struct harness_arg[]){
                 BUFFER(q), BUFFER(r), BUFFER(uq), BUFFER(ur), BUFFER(x), BUFFER(d), {0}}))
        for (int i = 0; i < N; i++) {
            CHECK(q[i] == x[i] / d[i] && r[i] == x[i] % d[i]);
            CHECK(uq[i] == (uint64_t)x[i] / (uint64_t)d[i] &&
                  ur[i] == (uint64_t)x[i] % (uint64_t)d[i]);
        }
}

static void halves(void)
{
    float f[N], g[N];
    uint16_t h[N];
    for (int i = 0; i < N; i++)
        g[i] = (float)((int)(rnd() % 4001) - 2000) / 16; /* exact in half */
    if (run1("halves", (struct harness_arg[]){BUFFER(h), BUFFER(f), BUFFER(g), {0}}))
        for (int i = 0; i < N; i++)
            CHECKF(f[i] == g[i], "%a %a", f[i], g[i]);
}

/* ---- memory ---- */

static const char memory_source[] =
    "typedef struct { char c; short s[3]; int i; long l; float f[2]; } S;\n"
    "typedef struct __attribute__((packed)) { char c; int i; short s; long l; } P;\n"
    "__constant int tab[5] = {3, 1, 4, 1, 5}; __constant char text[] = \"hello\";\n"
    "__constant float4 vec = (float4)(1, 2, 3, 4); __constant int *__constant ptab[2] = {tab + 1, "
    "tab + 3};\n"
    "__kernel void vectors(__global char4 *c, __global short3 *s, __global float8 *f, __global "
    "uchar16 *u) {"
    "  int i = get_global_id(0); c[i] = c[i].wzyx + (char4)(i, 1, 2, 3); s[i] = s[i] * (short)2;"
    "  f[i] = f[i].s76543210 + (float)i; u[i] = (uchar16)(u[i].s0) + u[i]; }\n"
    "__kernel void bytes(__global uchar *o, __global const uchar *x) { int i = get_global_id(0);"
    "  uchar3 v = vload3(i, x); vstore3(v.zyx, i, o); }\n"
    "__kernel void fields(__global int *o, S s, __global P *p, char3 c3, ulong big) { int i = "
    "get_global_id(0);"
    "  o[8*i] = s.c + s.s[0] + s.s[1] * s.s[2]; o[8*i+1] = s.i; o[8*i+2] = (int)(s.l >> 20);"
    "  o[8*i+3] = (int)(s.f[0] * s.f[1]); o[8*i+4] = s.s[i % 3]; o[8*i+5] = c3.y; o[8*i+6] = "
    "(int)(big >> 32);"
    "  p[i].i += i; p[i].l = p[i].i + (long)p[i].s; o[8*i+7] = p[i].c; }\n"
    "__kernel void constants(__global int *o) { int i = get_global_id(0);"
    "  o[4*i] = tab[i % 5]; o[4*i+1] = text[i % 6]; o[4*i+2] = (int)vec.z; o[4*i+3] = *ptab[i & "
    "1]; }\n"
    "__kernel void local_sum(__global int *o, __global const int *x, __local int *t) { int i = "
    "get_local_id(0);"
    "  __local int u[64]; t[i] = x[i]; u[i] = i; barrier(CLK_LOCAL_MEM_FENCE);"
    "  for (int d = get_local_size(0) / 2; d > 0; d /= 2) { if (i < d) t[i] += t[i + d];"
    "    barrier(CLK_LOCAL_MEM_FENCE); } o[i] = t[0] + u[(i + 1) % 32]; }\n"
    "__kernel void privates(__global int *o, __global const int *x) { int i = get_global_id(0); "
    "int a[16];"
    "  for (int k = 0; k < 16; k++) a[k] = x[(i + k) % 32]; int s = 0; for (int k = 0; k < i; k++) "
    "{"
    "    int j = (a[k & 15] >> 3) & 15; int t = a[j]; a[j] = a[k & 15] + k; a[k & 15] = t; }"
    "  for (int k = 0; k < 16; k++) s = s * 3 + a[k]; o[i] = s; }\n"
    "__kernel void choose(__global int *a, __global int *b, __global int *o, int n) { int i = "
    "get_global_id(0);"
    "  __global int *p = (i % 3 ? a : b) + i; for (int k = 0; k < n; k++) p++; o[i] = p[0]; p[1] "
    "+= 100;"
    "  if (!a) o[i] = -1; }\n"
    "__kernel void atomics(__global int *o, __global int *c, __local int *t) { int i = "
    "get_local_id(0);"
    "  if (i == 0) t[0] = 5; barrier(CLK_LOCAL_MEM_FENCE); o[i] = atomic_add(c, i); atomic_inc(t);"
    "  atomic_max(c + 1, i * 7 % 32); atomic_cmpxchg(c + 2, 9, i); atomic_xchg((__global float "
    "*)(c + 3), 1.5f);"
    "  barrier(CLK_LOCAL_MEM_FENCE); if (i == 3) c[4] = t[0]; }\n"
    "__kernel void copy(__global int4 *o, __global const int4 *x) { int i = get_global_id(0);"
    "  int4 t[2]; t[0] = x[i]; t[1] = x[31 - i]; int k = x[i].x & 1; o[i] = t[k] + t[!k].wzyx; }\n";

struct s {
    int8_t c;
    int16_t s[3];
    int32_t i;
    int64_t l;
    float f[2];
};
struct __attribute__((packed)) p {
    int8_t c;
    int32_t i;
    int16_t s;
    int64_t l;
};

static void memory(void)
{
    int8_t c[N][4], c0[N][4];
    int16_t s[N][4], s0[N][4];
    float f[N][8], f0[N][8];
    uint8_t u[N][16], u0[N][16];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 16; k++) {
            u0[i][k] = u[i][k] = (uint8_t)rnd();
            c0[i][k % 4] = c[i][k % 4] = (int8_t)rnd();
            s0[i][k % 4] = s[i][k % 4] = (int16_t)rnd();
            f0[i][k % 8] = f[i][k % 8] = (float)(i * 10 + k);
        }
    if (run1("vectors", (struct harness_arg[]){BUFFER(c), BUFFER(s), BUFFER(f), BUFFER(u), {0}}))
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 4; k++)
                CHECK(c[i][k] == (int8_t)(c0[i][3 - k] + (k ? k : i)));
            for (int k = 0; k < 3; k++)
                CHECK(s[i][k] == (int16_t)(s0[i][k] * 2));
            for (int k = 0; k < 8; k++)
                CHECK(f[i][k] == f0[i][7 - k] + (float)i);
            for (int k = 0; k < 16; k++)
                CHECK(u[i][k] == (uint8_t)(u0[i][k] + u0[i][0]));
        }
    uint8_t o3[3 * N];
    if (run1("bytes", (struct harness_arg[]){BUFFER(o3), {ARG_BUFFER, u0, 3 * N}, {0}}))
        for (int i = 0; i < 3 * N; i++)
            CHECK(o3[i] == ((uint8_t *)u0)[i / 3 * 3 + 2 - i % 3]);

    struct s st = {-5, {100, -200, 300}, 123456789, -0x123456789abcdell, {1.5f, 8.0f}};
    struct p ps[N], ps0[N];
    int8_t c3[4] = {1, -77, 3, 0};
    uint64_t big = 0xfedcba9876543210ull;
    int o[8 * N];
    for (int i = 0; i < N; i++) {
        ps[i] = (struct p){(int8_t)(i - 9), (int32_t)rnd(), (int16_t)rnd(), 0};
        ps0[i] = ps[i];
    }
    if (run1("fields",
             (struct harness_arg[]){BUFFER(o), VALUE(st), BUFFER(ps), VALUE(c3), VALUE(big), {0}}))
        for (int i = 0; i < N; i++) {
            CHECK(o[8 * i] == -5 + 100 - 200 * 300 && o[8 * i + 1] == st.i &&
                  o[8 * i + 2] == (int)(st.l >> 20));
            CHECKF(o[8 * i + 3] == 12 && o[8 * i + 4] == st.s[i % 3] && o[8 * i + 5] == -77,
                   "%d %d %d", o[8 * i + 3], o[8 * i + 4], o[8 * i + 5]);
            CHECK(o[8 * i + 6] == (int)(big >> 32) && o[8 * i + 7] == i - 9);
            CHECK(ps[i].i == (int)((unsigned)ps0[i].i + (unsigned)i) &&
                  ps[i].l == ps[i].i + (int64_t)ps0[i].s);
            CHECK(ps[i].s == ps0[i].s && ps[i].c == ps0[i].c);
        }
    if (program.constants && run1("constants", (struct harness_arg[]){BUFFER(o), {0}}))
        for (int i = 0; i < N; i++) {
            static const int tab[] = {3, 1, 4, 1, 5};
            CHECK(o[4 * i] == tab[i % 5] && o[4 * i + 1] == "hello"[i % 6] && o[4 * i + 2] == 3);
        }
    int x[4 * N], t[64], y[4 * N];
    for (int i = 0; i < 4 * N; i++)
        x[i] = (int)(rnd() >> 40);
    if (run1("local_sum",
             (struct harness_arg[]){BUFFER(o), BUFFER(x), {ARG_LOCAL, NULL, sizeof t}, {0}})) {
        int sum = 0;
        for (int i = 0; i < N; i++)
            sum += x[i];
        for (int i = 0; i < N; i++)
            CHECK(o[i] == sum + (i + 1) % 32);
    }
    if (run1("privates", (struct harness_arg[]){BUFFER(o), BUFFER(x), {0}}))
        for (int i = 0; i < N; i++) {
            int a[16], w = 0;
            for (int k = 0; k < 16; k++)
                a[k] = x[(i + k) % 32];
            for (int k = 0; k < i; k++) {
                int j = (a[k & 15] >> 3) & 15, v = a[j];
                a[j] = (int)((unsigned)a[k & 15] + (unsigned)k);
                a[k & 15] = v;
            }
            for (int k = 0; k < 16; k++)
                w = (int)((unsigned)w * 3u + (unsigned)a[k]);
            CHECK(o[i] == w);
        }
    int a[2 * N], b[2 * N], a0[2 * N], b0[2 * N], n = 7;
    for (int i = 0; i < 2 * N; i++) {
        a0[i] = a[i] = i;
        b0[i] = b[i] = 1000 + i;
    }
    if (run1("choose", (struct harness_arg[]){BUFFER(a), BUFFER(b), BUFFER(o), VALUE(n), {0}}))
        for (int i = 0; i < N; i++) {
            const int *from = i % 3 ? a0 : b0;
            int at = i + n, hit = (i % 3 ? a : b)[at + 1];
            CHECKF(o[i] == from[at] || o[i] == from[at] + 100, "%d: %d", i, o[i]);
            CHECK(hit == from[at + 1] + 100);
        }
    int cnt[5] = {10, -1, 9, 0, 0};
    if (run1("atomics",
             (struct harness_arg[]){BUFFER(o), BUFFER(cnt), {ARG_LOCAL, NULL, 64}, {0}})) {
        CHECK(cnt[0] == 10 + N * (N - 1) / 2 && cnt[1] == 31 && cnt[2] == 0 &&
              cnt[3] == 0x3fc00000);
        CHECK(cnt[4] == 5 + N);
        int sum = 10;
        for (int i = 0; i < N; sum += i++)
            CHECK(o[i] == sum); /* lanes in order */
    }
    if (run1("copy", (struct harness_arg[]){BUFFER(y), BUFFER(x), {0}}))
        for (int i = 0; i < N; i++) {
            const int *p = &x[4 * i], *q = &x[4 * (31 - i)];
            if (x[4 * i] & 1) {
                const int *swap = p;
                p = q;
                q = swap;
            }
            for (int k = 0; k < 4; k++)
                CHECK(y[4 * i + k] == p[k] + q[3 - k]);
        }
}

/* ---- control flow ---- */

static const char flow_source[] =
    "__kernel void collatz(__global int *o) { int i = get_global_id(0), n = 0; long x = i + 1;"
    "  while (x != 1) { x = x & 1 ? 3 * x + 1 : x / 2; n++; } o[i] = n; }\n"
    "__kernel void early(__global int *o, int n) { int i = get_global_id(0); o[i] = -1; if (i > n) "
    "return;"
    "  for (int k = 0; k < 100; k++) { if (k * k > i) { o[i] = k; return; } if (k == 4) break; "
    "o[i] = k * 10; }"
    "  o[i] += 1000; }\n"
    "__kernel void nested(__global int *o, int n) { int i = get_global_id(0), s = 0;"
    "  for (int a = 0; a < i; a++) { for (int b = a; b < n; b++) { if ((a ^ b) & 1) continue;"
    "    if (b > 20) break; s += a * b; if (s & 64) { s ^= 7; } else { s += 3; } } if (s > 5000) s "
    "-= 4999; }"
    "  o[i] = s; }\n"
    "__kernel void switches(__global int *o, __global const int *x) { int i = get_global_id(0), r "
    "= 0;"
    "  switch (x[i] & 15) { case 0: r = 5; break; case 1: r = 9; case 2: r += 4; break; case 3: "
    "case 7:"
    "    for (int k = 0; k < i; k++) r += k; break; case 9: r = x[i]; break; case 12: o[i] = 77; "
    "return;"
    "    default: r = -1; } o[i] = r; }\n"
    "__kernel void gotos(__global int *o, int n) { int i = get_global_id(0), s = 0, k = 0;\n"
    "top: s += i; if (s > 40) goto out; k++; if (k & 1) goto odd; s += 2; goto top;\n"
    "odd: s += 1; if (k < n) goto top;\nout: o[i] = s * 100 + k; }\n"
    "__kernel void shortcut(__global int *o, __global const int *x, int n) { int i = "
    "get_global_id(0);"
    "  if ((i > 3 && x[i] > n) || (x[i] & 1 && i < 20 && x[i] < -n)) o[i] = 1; else if (x[i] == n "
    "|| i == 7)"
    "  o[i] = 2; else o[i] = 3; }\n"
    "__kernel void uniform_loop(__global int *o, __global const int *x, int n) { int i = "
    "get_global_id(0), s = 0;"
    "  for (int k = 0; k < n; k++) { s += x[k]; if (x[k] > 1000) s ^= i; else if (n == 12) s++; } "
    "o[i] = s; }\n"
    "__kernel void temporal(__global int *o) { int i = get_global_id(0), k = 0; do { k += 2; } "
    "while (k < i);"
    "  o[i] = k; }\n"
    "__kernel void grid(__global int *o) { int x = get_global_id(0), y = get_global_id(1), z = "
    "get_global_id(2);"
    "  int w = get_global_size(0), h = get_global_size(1);"
    "  o[x + w * (y + h * z)] = x + 100 * y + 10000 * z + 1000000 * get_group_id(0) + 2000000 * "
    "get_local_id(1) + 10000000 * get_num_groups(1) + 30000000 * get_work_dim(); }\n";

static int nested_result(int i, int n)
{
    int s = 0;
    for (int a = 0; a < i; a++) {
        for (int b = a; b < n; b++) {
            if ((a ^ b) & 1)
                continue;
            if (b > 20)
                break;
            s += a * b;
            if (s & 64)
                s ^= 7;
            else
                s += 3;
        }
        if (s > 5000)
            s -= 4999;
    }
    return s;
}

static int gotos_result(int i, int n)
{
    int s = 0, k = 0;
top:
    s += i;
    if (s > 40)
        goto out;
    k++;
    if (k & 1)
        goto odd;
    s += 2;
    goto top;
odd:
    s += 1;
    if (k < n)
        goto top;
out:
    return s * 100 + k;
}

static int early_result(int i, int n)
{
    int o = -1;
    if (i > n)
        return o;
    for (int k = 0; k < 100; k++) {
        if (k * k > i)
            return k;
        if (k == 4)
            break;
        o = k * 10;
    }
    return o + 1000;
}

static void flow(void)
{
    int o[N], x[N], n = 30;
    for (int i = 0; i < N; i++)
        x[i] = (int)(rnd() % 4096) - 2048;
    if (run1("collatz", (struct harness_arg[]){BUFFER(o), {0}}))
        for (int i = 0; i < N; i++) {
            int steps = 0;
            for (long v = i + 1; v != 1; steps++)
                v = v & 1 ? 3 * v + 1 : v / 2;
            CHECK(o[i] == steps);
        }
    for (n = 2; n < 32; n += 13) {
        if (run1("early", (struct harness_arg[]){BUFFER(o), VALUE(n), {0}}))
            for (int i = 0; i < N; i++)
                CHECKF(o[i] == early_result(i, n), "%d: %d", i, o[i]);
        if (run1("nested", (struct harness_arg[]){BUFFER(o), VALUE(n), {0}}))
            for (int i = 0; i < N; i++)
                CHECK(o[i] == nested_result(i, n));
        if (run1("gotos", (struct harness_arg[]){BUFFER(o), VALUE(n), {0}}))
            for (int i = 0; i < N; i++)
                CHECK(o[i] == gotos_result(i, n));
    }
    if (run1("switches", (struct harness_arg[]){BUFFER(o), BUFFER(x), {0}}))
        for (int i = 0; i < N; i++) {
            int c = x[i] & 15, r = c == 0             ? 5
                                   : c == 1           ? 13
                                   : c == 2           ? 4
                                   : c == 3 || c == 7 ? i * (i - 1) / 2
                                   : c == 9           ? x[i]
                                   : c == 12          ? 77
                                                      : -1;
            CHECK(o[i] == r);
        }
    n = 300;
    if (run1("shortcut", (struct harness_arg[]){BUFFER(o), BUFFER(x), VALUE(n), {0}}))
        for (int i = 0; i < N; i++) {
            int r = (i > 3 && x[i] > n) || (x[i] & 1 && i < 20 && x[i] < -n) ? 1
                    : x[i] == n || i == 7                                    ? 2
                                                                             : 3;
            CHECK(o[i] == r);
        }
    for (n = 0; n <= 12; n += 6)
        if (run1("uniform_loop", (struct harness_arg[]){BUFFER(o), BUFFER(x), VALUE(n), {0}}))
            for (int i = 0; i < N; i++) {
                int s = 0;
                for (int k = 0; k < n; k++) {
                    s += x[k];
                    if (x[k] > 1000)
                        s ^= i;
                    else if (n == 12)
                        s++;
                }
                CHECK(o[i] == s);
            }
    if (run1("temporal", (struct harness_arg[]){BUFFER(o), {0}}))
        for (int i = 0; i < N; i++)
            CHECK(o[i] == (i < 2 ? 2 : (i + 1) / 2 * 2));
    int g[8 * 6 * 2];
    const struct ir_fn *fn = harness_find(&program, "grid", optimised);
    REQUIRE(fn);
    bool ok = harness_run(&program, fn, (struct harness_arg[]){BUFFER(g), {0}},
                          (unsigned[]){8, 6, 2}, (unsigned[]){4, 3, 1});
    CHECK(ok);
    for (int i = 0; i < 8 * 6 * 2 && ok; i++) {
        int w = i % 8, y = i / 8 % 6, z = i / 48;
        CHECK(g[i] == w + 100 * y + 10000 * z + 1000000 * (w / 4) + 2000000 * (y % 3) + 20000000 +
                          90000000);
    }
}

/* ---- floats ---- */

static const char float_source[] =
    "__kernel void simple(__global float *o, __global const float *x, __global const float *y) {"
    "  int i = get_global_id(0); float a = x[i], b = y[i]; __global float *p = o + 16 * i;"
    "  p[0] = a + b; p[1] = a - b; p[2] = a * b; p[3] = a / b; p[4] = floor(a); p[5] = ceil(a); "
    "p[6] = trunc(a);"
    "  p[7] = rint(a); p[8] = round(a); p[9] = fmin(a, b); p[10] = fmax(a, b); p[11] = copysign(a, "
    "b);"
    "  p[12] = fabs(a); p[13] = fma(a, b, 0.5f); p[14] = sqrt(fabs(a)); p[15] = a < b ? -a : b; }\n"
    "__kernel void classes(__global int *o, __global const float *x) { int i = get_global_id(0); "
    "float a = x[i];"
    "  o[i] = isnan(a) + 2 * isinf(a) + 4 * isfinite(a) + 8 * isnormal(a) + 16 * (signbit(a) != 0) "
    "+ 32 * (a == a)"
    "    + 64 * (a != 1.0f) + 128 * isless(a, 2.0f) + 256 * !(a >= 2.0f) + 512 * isordered(a, "
    "1.0f); }\n"
    "__kernel void math(__global float *o, __global const float *x) { int i = get_global_id(0);"
    "  o[4*i] = exp(x[i]); o[4*i+1] = sin(x[i]); o[4*i+2] = log(fabs(x[i]) + 1.0f); o[4*i+3] = "
    "atan2(x[i], 2.0f); }\n";

static bool near(float got, double want, double ulps)
{
    return (isnan(got) && isnan(want)) || fabs(got - want) <= ulps * fabs(want) * 0x1p-23 ||
           got == (float)want;
}

static void floats(void)
{
    float o[16 * N], x[N], y[N];
    int c[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)((int)(rnd() % 2000) - 1000) / 8;
        y[i] = (float)((int)(rnd() % 2000) - 1000) / 16 + 0.03125f;
    }
    x[0] = 0.49999997f, x[1] = -2.5f, x[2] = 8388609.0f, x[3] = -0.3f, x[4] = 1e30f;
    if (run1("simple", (struct harness_arg[]){BUFFER(o), BUFFER(x), BUFFER(y), {0}}))
        for (int i = 0; i < N; i++) {
            float a = x[i], b = y[i], *p = o + 16 * i;
            float want[16] = {a + b,           a - b,
                              a * b,           a / b,
                              floorf(a),       ceilf(a),
                              truncf(a),       rintf(a),
                              roundf(a),       fminf(a, b),
                              fmaxf(a, b),     copysignf(a, b),
                              fabsf(a),        fmaf(a, b, 0.5f),
                              sqrtf(fabsf(a)), a < b ? -a : b};
            for (int k = 0; k < 16; k++)
                CHECKF(p[k] == want[k] && signbit(p[k]) == signbit(want[k]),
                       "%d(%a, %a): %a instead of %a", k, a, b, p[k], want[k]);
        }
    x[0] = NAN, x[1] = INFINITY, x[2] = -INFINITY, x[3] = 0.0f, x[4] = -0.0f, x[5] = 1.0f,
    x[6] = 2.0f, x[7] = -3.0f;
    if (run1("classes", (struct harness_arg[]){BUFFER(c), BUFFER(x), {0}}))
        for (int i = 0; i < N; i++) {
            float a = x[i];
            int want = !!isnan(a) + 2 * !!isinf(a) + 4 * !!isfinite(a) + 8 * !!isnormal(a) +
                       16 * !!signbit(a) + 32 * (a == a) + 64 * (a != 1.0f) + 128 * (a < 2.0f) +
                       256 * !(a >= 2.0f) + 512 * !isnan(a);
            if (isnan(a)) /* its sign is anything */
                c[i] &= ~16, want &= ~16;
            CHECKF(c[i] == want, "%a: %d instead of %d", a, c[i], want);
        }
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - 16) * 0.77f;
    if (program.constants && run1("math", (struct harness_arg[]){BUFFER(o), BUFFER(x), {0}}))
        for (int i = 0; i < N; i++) {
            double v = x[i];
            CHECKF(near(o[4 * i], exp(v), 3) && near(o[4 * i + 1], sin(v), 4), "%a: %a %a", v,
                   o[4 * i], o[4 * i + 1]);
            CHECKF(near(o[4 * i + 2], log((float)(fabs(v) + 1.0f)), 3), "%a: %a %a", v,
                   o[4 * i + 2], log((float)(fabs(v) + 1)));
            CHECKF(near(o[4 * i + 3], atan2(v, 2), 6), "%a: %a", v, o[4 * i + 3]);
        }
}

int main(void)
{
    static const char *const devices[] = {"hsw-gt2", "skl-gt2"};
    if (access(BINARY_DIR "/backend/beignet-cc", 1))
        SKIP("beignet-cc is not built");
    for (unsigned d = 0; d < 2; d++) {
        device = devices[d];
        setup(int_source, "");
        for (int k = 0; k < 2; k++) {
            optimised = k;
            test_k_char();
            test_k_uchar();
            test_k_short();
            test_k_ushort();
            test_k_int();
            test_k_uint();
            test_k_long();
            test_k_ulong();
        }
        static const struct {
            const char *source;
            void (*test)(void);
        } groups[] = {{convert_source, conversions},
                      {memory_source, memory},
                      {flow_source, flow},
                      {float_source, floats},
                      {half_source, halves}};
        for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++) {
            setup(groups[g].source, "");
            for (int k = 0; k < 2; k++) {
                optimised = k;
                groups[g].test();
            }
        }
    }
    return utest_end();
}
