/* Built-in functions whose results are exact: integers of all widths, conversions with every
 * rounding mode, halves, shuffles, asynchronous copies, and copies of memory that the compiler
 * makes into loops. The reference is 128-bit arithmetic, the host's rounding modes, or the
 * definition. */
#include <fenv.h>
#include <math.h>

#include "clu.h"

#define N 1024

static uint64_t state = 0x9e3779b97f4a7c15ull;

static uint64_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* All magnitudes, and much at the edges. */
static uint64_t rnd_int(void)
{
    uint64_t r = rnd(), v = rnd() >> (r & 63);
    if ((r >> 8) % 4 == 0)
        v = (1ull << ((r >> 16) & 63)) - (r >> 24) % 3;
    if ((r >> 10) % 8 == 0)
        v = (r >> 32) % 3 - 1;
    return r >> 63 ? -v : v;
}

static const struct type {
    const char *name;
    unsigned bits;
    bool is_signed;
} types[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
             {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};

typedef __int128 wide;
typedef unsigned __int128 uwide;

/* The value of the low bits. */
static wide as_type(const struct type *t, uint64_t v)
{
    if (t->bits < 64)
        v &= (1ull << t->bits) - 1;
    if (t->is_signed && v >> (t->bits - 1))
        return (wide)v - ((wide)1 << t->bits);
    return (wide)v;
}

static uint64_t get(const struct type *t, const void *p, unsigned i)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)p + i * t->bits / 8, t->bits / 8);
    return v;
}

static wide type_max(const struct type *t)
{
    return ((wide)1 << (t->bits - t->is_signed)) - 1;
}

static wide type_min(const struct type *t)
{
    return t->is_signed ? -((wide)1 << (t->bits - 1)) : 0;
}

static uint64_t clamp_to(const struct type *t, wide v)
{
    return (uint64_t)(v > type_max(t) ? type_max(t) : v < type_min(t) ? type_min(t) : v);
}

/* ---- integer functions ---- */

static uint64_t ref_add_sat(const struct type *t, wide a, wide b, wide c)
{
    return clamp_to(t, a + b);
}
static uint64_t ref_sub_sat(const struct type *t, wide a, wide b, wide c)
{
    return clamp_to(t, a - b);
}
static uint64_t ref_mul_hi(const struct type *t, wide a, wide b, wide c)
{
    return t->is_signed ? (uint64_t)((a * b) >> t->bits)
                        : (uint64_t)(((uwide)a * (uwide)b) >> t->bits);
}
static uint64_t ref_mad_hi(const struct type *t, wide a, wide b, wide c)
{
    return ref_mul_hi(t, a, b, 0) + (uint64_t)c;
}
static uint64_t ref_mad_sat(const struct type *t, wide a, wide b, wide c)
{
    if (t->is_signed)
        return clamp_to(t, a * b + c);
    uwide r = (uwide)a * (uwide)b + (uwide)c;
    return r > (uwide)type_max(t) ? (uint64_t)type_max(t) : (uint64_t)r;
}
static uint64_t ref_hadd(const struct type *t, wide a, wide b, wide c)
{
    return (uint64_t)((a + b) >> 1);
}
static uint64_t ref_rhadd(const struct type *t, wide a, wide b, wide c)
{
    return (uint64_t)((a + b + 1) >> 1);
}
static uint64_t ref_abs_diff(const struct type *t, wide a, wide b, wide c)
{
    return (uint64_t)(a > b ? a - b : b - a);
}
static uint64_t ref_rotate(const struct type *t, wide a, wide b, wide c)
{
    unsigned n = (unsigned)b & (t->bits - 1);
    uint64_t v = t->bits < 64 ? (uint64_t)a & ((1ull << t->bits) - 1) : (uint64_t)a;
    return n ? v << n | v >> (t->bits - n) : v;
}
static uint64_t ref_clz(const struct type *t, wide a, wide b, wide c)
{
    unsigned n = 0;
    while (n < t->bits && !((uint64_t)a >> (t->bits - 1 - n) & 1))
        n++;
    return n;
}
static uint64_t ref_popcount(const struct type *t, wide a, wide b, wide c)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t->bits; i++)
        n += (uint64_t)a >> i & 1;
    return n;
}
static uint64_t ref_div(const struct type *t, wide a, wide b, wide c)
{
    return (uint64_t)(a / b);
}
static uint64_t ref_rem(const struct type *t, wide a, wide b, wide c)
{
    return (uint64_t)(a % b);
}

/* undefined: division by zero, MIN / -1 */
static const struct int_fn {
    const char *name, *expression;
    uint64_t (*ref)(const struct type *t, wide a, wide b, wide c);
    bool divides;
} int_fns[] = {
    {"add_sat", "add_sat(a, b)", ref_add_sat, false},
    {"sub_sat", "sub_sat(a, b)", ref_sub_sat, false},
    {"mul_hi", "mul_hi(a, b)", ref_mul_hi, false},
    {"mad_hi", "mad_hi(a, b, c)", ref_mad_hi, false},
    {"mad_sat", "mad_sat(a, b, c)", ref_mad_sat, false},
    {"hadd", "hadd(a, b)", ref_hadd, false},
    {"rhadd", "rhadd(a, b)", ref_rhadd, false},
    {"abs_diff", "AS(abs_diff(a, b))", ref_abs_diff, false},
    {"rotate", "rotate(a, b)", ref_rotate, false},
    {"clz", "clz(a)", ref_clz, false},
    {"popcount", "popcount(a)", ref_popcount, false},
    {"div", "a / b", ref_div, true},
    {"rem", "a % b", ref_rem, true},
};
enum { N_INT = sizeof(int_fns) / sizeof(int_fns[0]) };

static void run1(cl_kernel k, size_t n, cl_mem *buffers, unsigned n_buffers)
{
    for (unsigned i = 0; i < n_buffers; i++)
        CL(clSetKernelArg(k, i, sizeof(cl_mem), &buffers[i]));
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    CL(clReleaseKernel(k));
}

/* One program a type: each function on scalars, and on vectors of 2, 3, 4, 8 or 16 in turn. */
static void integers(const struct type *t)
{
    static char source[65536];
    static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
    static uint64_t a[N], b[N], c[N], got[N];
    size_t bytes = N * t->bits / 8;
    int n = 0;

    for (unsigned f = 0; f < N_INT; f++) {
        for (unsigned w = 0; w < 2; w++) {
            unsigned width = w ? widths[1 + (f + t->bits) % 5] : 1;
            char load[40] = "p[i]", store[60] = "r[i] = v";
            char type[20];
            snprintf(type, sizeof(type), width > 1 ? "%s%u" : "%s", t->name, width);
            n += sprintf(source + n,
                         "#undef AS\n#define AS(x) as_%s(x)\n"
                         "kernel void %s%u(global %s *r, const global %s *pa, const global %s *pb, "
                         "const global %s *pc) {\n size_t i = get_global_id(0);\n",
                         type, int_fns[f].name, w, t->name, t->name, t->name, t->name);
            for (int k = 0; k < 3; k++) {
                if (width > 1)
                    snprintf(load, sizeof(load), "vload%u(i, p%c)", width, "abc"[k]);
                else
                    snprintf(load, sizeof(load), "p%c[i]", "abc"[k]);
                n += sprintf(source + n, " %s %c = %s;\n", type, "abc"[k], load);
            }
            if (width > 1)
                snprintf(store, sizeof(store), "vstore%u(v, i, r)", width);
            n += sprintf(source + n, " %s v = %s; %s; }\n", type, int_fns[f].expression, store);
        }
    }
    cl_program p = clu_build(source, "");

    for (unsigned i = 0; i < N; i++) {
        uint64_t v[3] = {rnd_int(), rnd_int(), rnd_int()};
        memcpy((char *)a + i * t->bits / 8, &v[0], t->bits / 8);
        memcpy((char *)b + i * t->bits / 8, &v[1], t->bits / 8);
        memcpy((char *)c + i * t->bits / 8, &v[2], t->bits / 8);
    }
    cl_mem m[4] = {clu_buffer(bytes, NULL), clu_buffer(bytes, a), clu_buffer(bytes, b),
                   clu_buffer(bytes, c)};
    for (unsigned f = 0; f < N_INT; f++) {
        for (unsigned w = 0; w < 2; w++) {
            unsigned width = w ? widths[1 + (f + t->bits) % 5] : 1;
            char name[40];
            snprintf(name, sizeof(name), "%s%u", int_fns[f].name, w);
            run1(clu_kernel(p, name), N / width, m, 4);
            clu_read(m[0], bytes, got);
            for (unsigned i = 0; i < N / width * width; i++) {
                wide x = as_type(t, get(t, a, i)), y = as_type(t, get(t, b, i));
                if (int_fns[f].divides && (!y || (t->is_signed && y == -1 && x == type_min(t))))
                    continue;
                wide want = as_type(t, int_fns[f].ref(t, x, y, as_type(t, get(t, c, i))));
                wide is = as_type(t, get(t, got, i));
                CHECKF(want == is, "%s%u %s(%llx, %llx, %llx) = %llx, not %llx", t->name, width,
                       int_fns[f].name, (long long)x, (long long)y, (long long)get(t, c, i),
                       (long long)is, (long long)want);
            }
        }
    }
    for (unsigned i = 0; i < 4; i++)
        CL(clReleaseMemObject(m[i]));
    CL(clReleaseProgram(p));
}

/* ---- conversions ---- */

static const struct mode {
    const char *suffix;
    int host;
} modes[] = {
    {"_rte", FE_TONEAREST}, {"_rtz", FE_TOWARDZERO}, {"_rtp", FE_UPWARD}, {"_rtn", FE_DOWNWARD}};

static float to_float(const struct type *t, wide v, int mode)
{
    volatile int64_t s = (int64_t)v;
    volatile uint64_t u = (uint64_t)v;
    fesetround(mode);
    volatile float f = t->is_signed ? (float)s : (float)u;
    fesetround(FE_TONEAREST);
    return f;
}

static void conversions(const struct type *t)
{
    static char source[16384];
    static uint64_t in[N], back[N];
    static float floats[N], got[N];
    size_t bytes = N * t->bits / 8;
    int n = 0;

    for (unsigned k = 0; k < 4; k++) {
        n += sprintf(source + n,
                     "kernel void f%u(global float *r, const global %s *p) {\n"
                     " size_t i = get_global_id(0); r[i] = convert_float%s(p[i]); }\n"
                     "kernel void v%u(global float *r, const global %s *p) {\n"
                     " size_t i = get_global_id(0);\n"
                     " vstore4(convert_float4%s(vload4(i, p)), i, r); }\n"
                     "kernel void s%u(global %s *r, const global float *p) {\n"
                     " size_t i = get_global_id(0); r[i] = convert_%s_sat%s(p[i]); }\n",
                     k, t->name, modes[k].suffix, k, t->name, modes[k].suffix, k, t->name, t->name,
                     modes[k].suffix);
    }
    cl_program p = clu_build(source, "");
    for (unsigned i = 0; i < N; i++) {
        uint64_t v = rnd_int();
        uint32_t bits = (uint32_t)rnd();
        memcpy((char *)in + i * t->bits / 8, &v, t->bits / 8);
        memcpy(&floats[i], &bits, 4);
        if (i % 2)
            floats[i] = ldexpf((float)((int32_t)bits >> 7), (int)(rnd() % 65) - 24);
        if (fpclassify(floats[i]) == FP_SUBNORMAL)
            floats[i] = 0;
    }
    cl_mem r = clu_buffer(N * 4, NULL), pi = clu_buffer(bytes, in);
    cl_mem ri = clu_buffer(bytes, NULL), pf = clu_buffer(N * 4, floats);
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned w = 0; w < 2; w++) {
            char name[8];
            cl_mem m[2] = {r, pi};
            snprintf(name, sizeof(name), "%c%u", w ? 'v' : 'f', k);
            run1(clu_kernel(p, name), w ? N / 4 : N, m, 2);
            clu_read(r, N * 4, got);
            for (unsigned i = 0; i < N; i++) {
                wide v = as_type(t, get(t, in, i));
                float want = to_float(t, v, modes[k].host);
                CHECKF(want == got[i], "convert_float%s((%s)0x%llx) = %a, not %a", modes[k].suffix,
                       t->name, (long long)v, got[i], want);
            }
        }
        char name[8];
        cl_mem m[2] = {ri, pf};
        snprintf(name, sizeof(name), "s%u", k);
        run1(clu_kernel(p, name), N, m, 2);
        clu_read(ri, bytes, back);
        for (unsigned i = 0; i < N; i++) {
            fesetround(modes[k].host);
            volatile float x = floats[i]; /* read under the mode: else the compiler moves rintf */
            volatile float whole = rintf(x);
            fesetround(FE_TONEAREST);
            wide want = isnan(floats[i])                    ? 0
                        : whole >= ldexpf(1, (int)t->bits)  ? type_max(t)
                        : whole <= -ldexpf(1, (int)t->bits) ? type_min(t)
                                                            : (wide)whole;
            want = as_type(t, clamp_to(t, want));
            wide is = as_type(t, get(t, back, i));
            CHECKF(want == is, "convert_%s_sat%s(%a) = 0x%llx, not 0x%llx", t->name,
                   modes[k].suffix, floats[i], (long long)is, (long long)want);
        }
    }
    cl_mem all[4] = {r, pi, ri, pf};
    for (unsigned i = 0; i < 4; i++)
        CL(clReleaseMemObject(all[i]));
    CL(clReleaseProgram(p));
}

/* ---- halves ---- */

static double half_value(unsigned h)
{
    int e = h >> 10 & 31;
    double m = h & 1023, v = e == 31 ? (m ? NAN : INFINITY)
                             : e     ? ldexp(1024 + m, e - 25)
                                     : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}

static unsigned half_of(float x, int mode)
{
    unsigned sign = signbit(x) ? 0x8000 : 0;
    double a = fabs(x);

    if (isnan(x))
        return 0x7e00;
    if (mode == FE_UPWARD || mode == FE_DOWNWARD) /* of the magnitude */
        mode = (mode == FE_UPWARD) == !sign ? FE_UPWARD : FE_TOWARDZERO;
    if (isinf(x))
        return sign | 0x7c00;
    int e = a ? ilogb(a) : -14;
    if (e < -14)
        e = -14;
    fesetround(mode);
    volatile double scaled = ldexp(a, 10 - e); /* exact */
    volatile double q = rint(scaled);          /* units of the last place */
    fesetround(FE_TONEAREST);
    double v = ldexp(q, e - 10);
    if (v >= 65536)
        return sign | (mode == FE_TOWARDZERO ? 0x7bff : 0x7c00);
    if (v < ldexp(1, -14))
        return sign | (unsigned)ldexp(v, 24);
    e = ilogb(v);
    return sign | (unsigned)(e + 15) << 10 | ((unsigned)ldexp(v, 10 - e) & 1023);
}

static void halves(void)
{
    static char source[16384];
    static uint16_t in[65536], out[65536];
    static float f[65536], got[65536];
    static const char *const suffixes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    static const int hosts[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
    enum { N_HALF = 65536 };
    int n;

    n = sprintf(source, "kernel void load1(global float *r, const global half *p) {\n"
                        " size_t i = get_global_id(0); r[i] = vload_half(i, p); }\n");
    for (unsigned w = 1; w < 6; w++)
        n += sprintf(source + n,
                     "kernel void load%u(global float *r, const global half *p) {\n"
                     " size_t i = get_global_id(0); vstore%u(vload_half%u(i, p), i, r); }\n",
                     widths[w], widths[w], widths[w]);
    for (unsigned k = 0; k < 5; k++) {
        n += sprintf(source + n,
                     "kernel void store1%s(global half *r, const global float *p) {\n"
                     " size_t i = get_global_id(0); vstore_half%s(p[i], i, r); }\n",
                     suffixes[k], suffixes[k]);
        for (unsigned w = 1; w < 6; w++)
            n += sprintf(source + n,
                         "kernel void store%u%s(global half *r, const global float *p) {\n"
                         " size_t i = get_global_id(0);"
                         " vstore_half%u%s(vload%u(i, p), i, r); }\n",
                         widths[w], suffixes[k], widths[w], suffixes[k], widths[w]);
    }
    cl_program p = clu_build(source, "");

    for (unsigned i = 0; i < N_HALF; i++) {
        uint32_t bits = (uint32_t)rnd();
        in[i] = (uint16_t)i;
        memcpy(&f[i], &bits, 4);
        if (i % 4) /* where halves are: exponents -26 .. 17, mantissas near ties */
            f[i] = ldexpf(1.0f + (float)(bits & 0xfff) / 4096 + (float)(bits >> 12 & 3) * 0x1p-23f,
                          (int)(rnd() % 44) - 26) *
                   (bits >> 31 ? -1.0f : 1.0f);
        if (fpclassify(f[i]) == FP_SUBNORMAL)
            f[i] = 0;
    }
    cl_mem mh = clu_buffer(sizeof(in), in), mf = clu_buffer(sizeof(f), NULL);
    for (unsigned w = 0; w < 6; w++) {
        char name[20];
        cl_mem m[2] = {mf, mh};
        snprintf(name, sizeof(name), "load%u", widths[w]);
        run1(clu_kernel(p, name), N_HALF / widths[w], m, 2);
        clu_read(mf, sizeof(got), got);
        for (unsigned i = 0; i < N_HALF / widths[w] * widths[w]; i++) {
            double want = half_value(i);
            CHECKF(isnan(want) ? isnan(got[i])
                               : want == got[i] && !signbit(want) == !signbit(got[i]),
                   "vload_half%u(%04x) = %a, not %a", widths[w], i, got[i], want);
        }
    }
    cl_mem pf = clu_buffer(sizeof(f), f);
    for (unsigned k = 0; k < 5; k++) {
        unsigned w = k ? k : 5; /* one vector width a mode, the scalar for each */
        for (unsigned scalar = 0; scalar < 2; scalar++) {
            unsigned width = scalar ? 1 : widths[w];
            char name[20];
            cl_mem m[2] = {mh, pf};
            snprintf(name, sizeof(name), "store%u%s", width, suffixes[k]);
            run1(clu_kernel(p, name), N_HALF / width, m, 2);
            clu_read(mh, sizeof(out), out);
            for (unsigned i = 0; i < N_HALF / width * width; i++) {
                unsigned want = half_of(f[i], hosts[k]);
                bool nan = isnan(f[i]) && (out[i] & 0x7c00) == 0x7c00 && (out[i] & 0x3ff);
                CHECKF(nan || want == out[i], "vstore_half%s(%a) = %04x, not %04x", suffixes[k],
                       f[i], out[i], want);
            }
        }
    }
    CL(clReleaseMemObject(mh));
    CL(clReleaseMemObject(mf));
    CL(clReleaseMemObject(pf));
    CL(clReleaseProgram(p));
}

/* ---- shuffles ---- */

static void shuffles(void)
{
    static const char source[] =
        "kernel void f16(global uint *r, const global uint *x, const global uint *m) {\n"
        " size_t i = get_global_id(0);\n"
        " vstore16(shuffle(vload8(i, x), vload16(i, m)), i, r); }\n"
        "kernel void f2(global uint *r, const global uint *x, const global uint *m) {\n"
        " size_t i = get_global_id(0);\n"
        " vstore16(shuffle2(vload4(i, x), vload4(i + 64, x), vload16(i, m)), i, r); }\n"
        "kernel void b4(global uchar *r, const global uchar *x, const global uchar *m) {\n"
        " size_t i = get_global_id(0);\n"
        " vstore4(shuffle2(vload16(i, x), vload16(i + 64, x), vload4(i, m)), i, r); }\n"
        "kernel void l2(global ulong *r, const global ulong *x, const global ulong *m) {\n"
        " size_t i = get_global_id(0);\n"
        " vstore2(shuffle(vload4(i, x), vload2(i, m)), i, r); }\n";
    static uint64_t x[N], m[N], got[N];
    cl_program p = clu_build(source, "");

    for (unsigned i = 0; i < N; i++) {
        x[i] = rnd();
        m[i] = rnd();
    }
    cl_mem b[3] = {clu_buffer(sizeof(got), NULL), clu_buffer(sizeof(x), x),
                   clu_buffer(sizeof(m), m)};
    const uint32_t *x32 = (uint32_t *)x, *m32 = (uint32_t *)m, *g32 = (uint32_t *)got;
    const uint8_t *x8 = (uint8_t *)x, *m8 = (uint8_t *)m, *g8 = (uint8_t *)got;

    run1(clu_kernel(p, "f16"), 64, b, 3);
    clu_read(b[0], sizeof(got), got);
    for (unsigned i = 0; i < 64 * 16; i++)
        CHECK(g32[i] == x32[i / 16 * 8 + m32[i] % 8]);
    run1(clu_kernel(p, "f2"), 64, b, 3);
    clu_read(b[0], sizeof(got), got);
    for (unsigned i = 0; i < 64 * 16; i++) {
        unsigned k = m32[i] % 8, item = i / 16;
        CHECK(g32[i] == x32[(k < 4 ? item : item + 64) * 4 + k % 4]);
    }
    run1(clu_kernel(p, "b4"), 64, b, 3);
    clu_read(b[0], sizeof(got), got);
    for (unsigned i = 0; i < 64 * 4; i++) {
        unsigned k = m8[i] % 32, item = i / 4;
        CHECK(g8[i] == x8[(k < 16 ? item : item + 64) * 16 + k % 16]);
    }
    run1(clu_kernel(p, "l2"), 64, b, 3);
    clu_read(b[0], sizeof(got), got);
    for (unsigned i = 0; i < 64 * 2; i++)
        CHECK(got[i] == x[i / 2 * 4 + m[i] % 4]);
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseMemObject(b[i]));
    CL(clReleaseProgram(p));
}

/* ---- copies ---- */

static void copies(void)
{
    static const char source[] =
        "struct s { uint a[25]; uchar b[7]; };\n"
        "kernel void structs(global struct s *r, const global struct s *p, int k) {\n"
        " size_t i = get_global_id(0); struct s t = p[i]; t.a[k] ^= t.b[k & 3]; r[i] = t; }\n"
        "kernel void byval(global uint *r, struct s s, int k) {\n"
        " size_t i = get_global_id(0); r[i] = s.a[(i + k) % 25] + s.b[i % 7]; }\n"
        "kernel void bytes(global uchar *r, const global uchar *p, int n) {\n"
        " uchar t[40]; for (int j = 0; j < 40; j++) t[j] = 7;\n"
        " for (int j = 0; j < n; j++) t[j] = p[get_global_id(0) * 40 + j];\n"
        " for (int j = 0; j < 40; j++) r[get_global_id(0) * 40 + j] = t[39 - j]; }\n"
        "kernel void async3(global float *r, const global float *p, local float3 *l) {\n"
        " size_t g = get_group_id(0) * 64;\n"
        " event_t e = async_work_group_copy(l, (const global float3 *)p + g, 64, 0);\n"
        " wait_group_events(1, &e);\n"
        " ((global float3 *)r)[get_global_id(0)] = l[63 - get_local_id(0)]; }\n"
        "kernel void strided(global short *r, const global short *p, local short *l) {\n"
        " event_t e[2]; size_t g = get_group_id(0) * 64;\n"
        " e[0] = async_work_group_strided_copy(l, p + g, 32, 2, 0);\n"
        " wait_group_events(1, e); if (get_local_id(0) < 32) l[get_local_id(0)]++;\n"
        " barrier(CLK_LOCAL_MEM_FENCE);\n"
        " e[1] = async_work_group_strided_copy(r + g + 1, l, 32, 2, 0); wait_group_events(1, e + "
        "1);\n"
        "}\n";
    struct s {
        uint32_t a[25];
        uint8_t b[7];
    };
    static struct s in[64], out[64];
    static uint8_t bytes[64 * 40], bytes_out[64 * 40];
    static float f[256 * 4], fr[256 * 4];
    static int16_t h[256], hr[256];
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "structs");
    size_t n = 64, group = 64, all = 256;
    cl_int index = 3;

    for (unsigned i = 0; i < sizeof(in); i++)
        ((uint8_t *)in)[i] = (uint8_t)rnd();
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)rnd();
    for (unsigned i = 0; i < 256 * 4; i++)
        f[i] = (float)i;
    for (unsigned i = 0; i < 256; i++)
        h[i] = (int16_t)rnd();

    cl_mem r = clu_buffer(sizeof(out), NULL), m = clu_buffer(sizeof(in), in);
    CL(clSetKernelArg(k, 2, sizeof(index), &index));
    run1(k, n, (cl_mem[]){r, m}, 2);
    clu_read(r, sizeof(out), out);
    for (unsigned i = 0; i < 64; i++) {
        struct s want = in[i];
        want.a[3] ^= want.b[3];
        CHECK(!memcmp(want.a, out[i].a, sizeof(want.a)) && !memcmp(want.b, out[i].b, 7));
    }

    k = clu_kernel(p, "byval");
    uint32_t words[64];
    CL(clSetKernelArg(k, 1, sizeof(struct s), &in[5]));
    CL(clSetKernelArg(k, 2, sizeof(index), &index));
    run1(k, n, &r, 1);
    clu_read(r, sizeof(words), words);
    for (unsigned i = 0; i < 64; i++)
        CHECK(words[i] == in[5].a[(i + 3) % 25] + in[5].b[i % 7]);
    CL(clReleaseMemObject(r));
    CL(clReleaseMemObject(m));

    r = clu_buffer(sizeof(bytes_out), NULL);
    m = clu_buffer(sizeof(bytes), bytes);
    for (index = 0; index <= 40; index += 13) {
        k = clu_kernel(p, "bytes");
        CL(clSetKernelArg(k, 2, sizeof(index), &index));
        run1(k, n, (cl_mem[]){r, m}, 2);
        clu_read(r, sizeof(bytes_out), bytes_out);
        for (int i = 0; i < 64 * 40; i++) {
            int j = 39 - i % 40;
            CHECK(bytes_out[i] == (j < index ? bytes[i / 40 * 40 + j] : 7));
        }
    }
    CL(clReleaseMemObject(r));
    CL(clReleaseMemObject(m));

    k = clu_kernel(p, "async3");
    r = clu_buffer(sizeof(fr), NULL);
    m = clu_buffer(sizeof(f), f);
    CL(clSetKernelArg(k, 0, sizeof(r), &r));
    CL(clSetKernelArg(k, 1, sizeof(m), &m));
    CL(clSetKernelArg(k, 2, 64 * 16, NULL));
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &all, &group, 0, NULL, NULL));
    clu_read(r, sizeof(fr), fr);
    for (unsigned i = 0; i < 256; i++) {
        unsigned from = i / 64 * 64 + 63 - i % 64;
        CHECK(!memcmp(&fr[4 * i], &f[4 * from], 12));
    }
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(r));
    CL(clReleaseMemObject(m));

    k = clu_kernel(p, "strided");
    memset(hr, 0x55, sizeof(hr));
    r = clu_buffer(sizeof(hr), hr);
    m = clu_buffer(sizeof(h), h);
    CL(clSetKernelArg(k, 0, sizeof(r), &r));
    CL(clSetKernelArg(k, 1, sizeof(m), &m));
    CL(clSetKernelArg(k, 2, 32 * 2, NULL));
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &all, &group, 0, NULL, NULL));
    clu_read(r, sizeof(hr), hr);
    for (unsigned i = 0; i < 256; i++)
        CHECK(hr[i] == (i % 2 ? (int16_t)(h[i - 1] + 1) : 0x5555));
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(r));
    CL(clReleaseMemObject(m));
    CL(clReleaseProgram(p));
}

int main(void)
{
    clu_open();
    for (unsigned t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        integers(&types[t]);
        conversions(&types[t]);
    }
    halves();
    shuffles();
    copies();
    clu_close();
    return utest_end();
}
