/* convert_T: every pair of types, each rounding mode, saturated or not, of scalars and of vectors
 * of a width that changes with the pair. What comes out is the source's exact value (a long double
 * holds all of them), rounded by the host and clamped. Not defined, and not looked at: values out
 * of an integer's range without saturation. Denormal floats may be flushed. */
#include <fenv.h>
#include <math.h>
#include <stdarg.h>

#include "clu.h"

enum { N = 192, GROUP = 4 }; /* N is a multiple of 16 * GROUP and of 3 */

static const struct type {
    const char *name;
    unsigned bits;
    bool is_signed;
    int least;         /* exponent of the least normal float; 0 for integers */
    unsigned fraction; /* bits */
} types[] = {
    {"char", 8, true, 0, 0},         {"uchar", 8, false, 0, 0},   {"short", 16, true, 0, 0},
    {"ushort", 16, false, 0, 0},     {"int", 32, true, 0, 0},     {"uint", 32, false, 0, 0},
    {"long", 64, true, 0, 0},        {"ulong", 64, false, 0, 0},  {"float", 32, true, -126, 23},
    {"double", 64, true, -1022, 52}, {"half", 16, true, -14, 10},
};
enum { N_TYPES = sizeof types / sizeof *types };

static const struct mode {
    const char *suffix;
    int host;
} modes[] = {{"", -1},
             {"_rte", FE_TONEAREST},
             {"_rtz", FE_TOWARDZERO},
             {"_rtp", FE_UPWARD},
             {"_rtn", FE_DOWNWARD}};
enum { N_MODES = sizeof modes / sizeof *modes };
static const unsigned widths[] = {2, 3, 4, 8, 16};

/* ---- values ---- */

static uint64_t low(uint64_t v, unsigned bits)
{
    return bits < 64 ? v & ((1ull << bits) - 1) : v;
}

static long double value(const struct type *t, uint64_t v)
{
    v = low(v, t->bits);
    bool top = v >> (t->bits - 1);
    if (!t->fraction)
        return t->is_signed && top ? (long double)(int64_t)(v | ~low(~0ull, t->bits))
                                   : (long double)v;
    uint64_t fraction = low(v, t->fraction);
    int e = (int)(low(v, t->bits - 1) >> t->fraction);
    long double sign = top ? -1 : 1;
    if (e == 3 - 2 * t->least)
        return copysignl(fraction ? NAN : INFINITY, sign);
    if (!e)
        return sign * ldexpl(fraction, t->least - (int)t->fraction);
    return sign * ldexpl(fraction | 1ull << t->fraction, e + t->least - 1 - (int)t->fraction);
}

/* Rounded as the host does in the mode: each step is exact but rint. */
static long double rounded(long double v, int mode)
{
    fesetround(mode);
    volatile long double x = v, r = rintl(x);
    fesetround(FE_TONEAREST);
    return r;
}

static uint64_t float_bits(const struct type *t, long double v, int mode)
{
    uint64_t sign = signbit(v) ? 1ull << (t->bits - 1) : 0, inf = (uint64_t)(3 - 2 * t->least)
                                                                  << t->fraction;
    if (isnan(v))
        return inf | 1;
    if (isinf(v) || v == 0)
        return sign | (v == 0 ? 0 : inf);
    int e = ilogbl(v);
    if (e < t->least)
        e = t->least;
    uint64_t q = (uint64_t)fabsl(rounded(ldexpl(v, (int)t->fraction - e), mode));
    /* A carry makes the exponent one more. */
    uint64_t bits = ((uint64_t)(e - t->least) << t->fraction) + q;
    if (bits >= inf) {
        bool to_inf = mode == FE_TONEAREST || mode == (sign ? FE_DOWNWARD : FE_UPWARD);
        bits = to_inf ? inf : inf - 1;
    }
    return sign | bits;
}

/* False: not defined. */
static bool expected(const struct type *to, long double v, bool sat, int mode, uint64_t *r)
{
    if (to->fraction) {
        *r = float_bits(to, v, mode < 0 ? FE_TONEAREST : mode);
        return true;
    }
    long double max = ldexpl(1, (int)to->bits - to->is_signed) - 1,
                min = to->is_signed ? -max - 1 : 0;
    if (isnan(v)) {
        *r = 0;
        return sat;
    }
    v = isinf(v) ? v : rounded(v, mode < 0 ? FE_TOWARDZERO : mode);
    if (v > max || v < min) {
        if (!sat)
            return false;
        v = v > max ? max : min;
    }
    *r = low(v < 0 ? -(uint64_t)-v : (uint64_t)v, to->bits);
    return true;
}

/* Near each type's limits and half-way between whole numbers, and anything. */
static uint64_t any_of(const struct type *t)
{
    uint64_t r = clu_random();
    if (!t->fraction) {
        uint64_t v = clu_random() >> (r & 63);
        if (r >> 8 & 1)
            v = (1ull << (r >> 9 & 63)) + (r >> 16) % 5 - 2;
        return low(r >> 63 ? -v : v, t->bits);
    }
    static const int edges[] = {7, 8, 15, 16, 31, 32, 63, 64, 11, 24, 53};
    switch (r & 7) {
    case 0: { /* an integer's limit, or a neighbour */
        unsigned at = (unsigned)(r >> 8) % (sizeof edges / sizeof *edges);
        uint64_t v = float_bits(t, ldexpl(1, edges[at]), FE_TOWARDZERO);
        v += (r >> 16) % 5 - 2;
        return v | (r & 8) << (t->bits - 4);
    }
    case 1: /* half-way */
        return float_bits(t, ((long double)(r >> 8 & 511) - 255.5L) * (r >> 17 & 1 ? 1 : 0.5L),
                          FE_TONEAREST);
    case 2:
        return float_bits(t,
                          r & 8    ? INFINITY
                          : r & 16 ? -INFINITY
                          : r & 32 ? NAN
                                   : -0.0L,
                          FE_TONEAREST);
    case 3:
        return low(clu_random(),
                   t->bits - t->fraction - 2 < t->fraction ? t->fraction + 1 : t->fraction);
    case 4:
    case 5: /* of a size that integers have */
        return float_bits(t, ldexpl((long double)(int64_t)clu_random(), -(int)(r >> 8 & 63)),
                          FE_TONEAREST);
    default: {
        uint64_t v = low(clu_random(), t->bits);
        return isnan(value(t, v)) ? v | 1ull << (t->fraction - 1) : v;
    }
    }
}

/* ---- kernels ---- */

enum { TEXT = 1 << 17, N_KINDS = 2 * N_MODES };
static char text[TEXT];
static size_t length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    length += (size_t)vsnprintf(text + length, TEXT - length, format, ap);
    va_end(ap);
    REQUIRE(length < TEXT);
}

/* A kernel does a pair's conversions one after the other, each into its part of the output. */
static void say_kernel(const struct type *from, const struct type *to, unsigned nth, unsigned width)
{
    say("kernel void k%u_%u(global %s *r, global const %s *p) {\n size_t i = get_global_id(0);\n",
        nth, width, to->name, from->name);
    if (width > 1)
        say(" %s%u x = vload%u(i, p);\n", from->name, width, width);
    else
        say(" %s x = p[i];\n", from->name);
    for (unsigned k = 0; k < N_KINDS; k++) {
        const char *sat = k / N_MODES ? "_sat" : "", *mode = modes[k % N_MODES].suffix;
        if (*sat && to->fraction)
            continue;
        if (width > 1)
            say(" vstore%u(convert_%s%u%s%s(x), i, r + %u);\n", width, to->name, width, sat, mode,
                k * N);
        else
            say(" r[%u + i] = convert_%s%s%s(x);\n", k * N, to->name, sat, mode);
    }
    say("}\n");
}

static void judge(const struct type *from, const struct type *to, unsigned width, const char *in,
                  const char *got)
{
    for (unsigned k = 0; k < N_KINDS; k++) {
        const struct mode *m = &modes[k % N_MODES];
        bool sat = k / N_MODES;
        if (sat && to->fraction)
            continue;
        for (unsigned i = 0; i < N; i++) {
            uint64_t x = 0, is = 0, want;
            memcpy(&x, in + i * from->bits / 8, from->bits / 8);
            memcpy(&is, got + (k * N + i) * to->bits / 8, to->bits / 8);
            long double v = value(from, x);
            bool tiny = from->bits == 32 && from->fraction && v != 0 && fabsl(v) < ldexpl(1, -126);
            if (!expected(to, v, sat, m->host, &want))
                continue;
            bool same =
                is == want || (to->fraction && isnan(value(to, is)) && isnan(value(to, want)));
            if (tiny && !same) /* flushed, before or after */
                same = expected(to, copysignl(0, v), sat, m->host, &want) && is == want;
            if (!same && to->bits == 32 && to->fraction && value(to, want) != 0 &&
                fabsl(value(to, want)) <= ldexpl(1, -126))
                same = value(to, is) == 0;
            CHECKF(same, "convert_%s%s%s of %s %llx (%La), width %u: %llx, not %llx", to->name,
                   sat ? "_sat" : "", m->suffix, from->name, (long long)x, v, width, (long long)is,
                   (long long)want);
        }
    }
}

static void check_from(const struct type *from, bool doubles, bool halves)
{
    static char in[8 * N], got[8 * N * N_KINDS];
    length = 0;
    say("%s", halves ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "");
    for (unsigned t = 0; t < N_TYPES; t++) {
        if ((!strcmp(types[t].name, "double") && !doubles) ||
            (!strcmp(types[t].name, "half") && !halves))
            continue;
        say_kernel(from, &types[t], t, 1);
        say_kernel(from, &types[t], t, widths[(t + (unsigned)(from - types)) % 5]);
    }
    cl_program p = clu_build(text, "");
    for (unsigned i = 0; i < N; i++) {
        uint64_t v = any_of(from);
        memcpy(in + i * from->bits / 8, &v, from->bits / 8);
    }
    cl_mem a = clu_buffer(sizeof(in), in), r = clu_buffer(sizeof(got), NULL);
    for (unsigned t = 0; t < N_TYPES; t++) {
        if ((!strcmp(types[t].name, "double") && !doubles) ||
            (!strcmp(types[t].name, "half") && !halves))
            continue;
        for (unsigned v = 0; v < 2; v++) {
            unsigned width = v ? widths[(t + (unsigned)(from - types)) % 5] : 1;
            char name[20];
            snprintf(name, sizeof(name), "k%u_%u", t, width);
            cl_kernel k = clu_kernel(p, name);
            clu_arg_mem(k, 0, r);
            clu_arg_mem(k, 1, a);
            clu_run(k, N / width, GROUP);
            clu_read(r, sizeof(got), got);
            judge(from, &types[t], width, in, got);
            CL(clReleaseKernel(k));
        }
    }
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(r));
    CL(clReleaseProgram(p));
}

int main(void)
{
    static char extensions[4096];

    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    bool doubles = strstr(extensions, "cl_khr_fp64"), halves = strstr(extensions, "cl_khr_fp16");
    for (unsigned t = 0; t < N_TYPES; t++) {
        if ((!strcmp(types[t].name, "double") && !doubles) ||
            (!strcmp(types[t].name, "half") && !halves))
            continue;
        check_from(&types[t], doubles, halves);
    }
    clu_close();
    return utest_end();
}
