/* What the EU can't do on doubles: rounding to whole numbers, before Gen8 quotients, roots and fused
 * multiply-add, conversions to 64-bit integers and to half. All results are correctly rounded, and
 * denormals count. lower_late.c puts these functions where LLVM's operations are.
 *
 * Quotients and roots are decided by their residual, which is exact: of a quotient q of mantissas it is
 * a - q * b, and q is the nearest double if that is at most b times half a unit in q's last place. */
#include "gen.h"
#include "vector.h"

#pragma OPENCL FP_CONTRACT OFF

enum { HIDDEN = 52, BIAS = 1023, EXPONENTS = 2047 };

static uint low(double x)
{
    return as_uint2(x).x;
}

static uint high(double x)
{
    return as_uint2(x).y;
}

static double of_words(uint hi, uint lo)
{
    return as_double((uint2)(lo, hi));
}

/* 2^n for -1022 <= n <= 1023. */
static double power_of_2(int n)
{
    return of_words((uint)(n + BIAS) << 20, 0);
}

static double magnitude(double x)
{
    return of_words(high(x) & 0x7fffffff, low(x));
}

static double with_sign_of(double x, double y)
{
    return of_words((high(x) & 0x7fffffff) | (high(y) & 0x80000000), low(x));
}

static bool is_special(double x) /* zero, infinite, not a number */
{
    return x == 0 || (high(x) & 0x7ff00000) == 0x7ff00000;
}

/* Mantissa in [1, 2), positive, of a finite number that isn't 0. */
static double split(double x, int *exponent)
{
    uint hi = high(x) & 0x7fffffff;
    double y = hi < 0x00100000 ? x * 0x1p54 : x; /* a denormal becomes a normal number */
    int e = (int)(high(y) >> 20 & 0x7ff) - BIAS;
    *exponent = hi < 0x00100000 ? e - 54 : e;
    return of_words((high(y) & 0x000fffff) | 0x3ff00000, low(y));
}

/* ---- exact sums and products of numbers that are neither large nor small ---- */

/* Dekker's product: a * b = p + the result. */
static double product_rest(double a, double b, double p)
{
    double t = a * 134217729.0; /* 2^27 + 1 */
    double ah = t - (t - a), al = a - ah;
    t = b * 134217729.0;
    double bh = t - (t - b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/* Knuth's sum: a + b = s + the result. */
static double sum_rest(double a, double b, double s)
{
    double t = s - a;
    return (a - (s - t)) + (b - t);
}

/* a - q * b where that is a double. */
static double residual(double a, double q, double b)
{
    if (__gen_has_fma64())
        return __gen_mad64(-q, b, a);
    double p = q * b;
    return (a - p) - product_rest(q, b, p);
}

/* ---- results ---- */

/* The multiple of 2^-1074 nearest to (x + rest) * 2^e, where x's last bit is worth less than that after scaling
 * and rest less than half of it: only where x lies right between two is rest asked. */
static double round_denormal(double x, double rest, int e)
{
    double unit = power_of_2(-1074 - e), magic = unit * 0x1p52, a = magnitude(x);
    double r = (a + magic) - magic, d = a - r;
    rest = x < 0 ? -rest : rest;
    r = d == 0.5 * unit && rest > 0 ? r + unit : r;
    r = d == -0.5 * unit && rest < 0 ? r - unit : r;
    return with_sign_of(r * power_of_2(-600) * power_of_2(e + 600), x);
}

double __gen_div64(double a, double b)
{
    int ea, eb;
    if (is_special(a) || is_special(b)) {
        double y = b == 0 ? INFINITY : b == b && is_special(b) ? 0.0 : 1.0;
        return b == b ? a * with_sign_of(y, b) : b;
    }
    double ma = split(a, &ea), mb = split(b, &eb);
    int e = ea - eb - (ma < mb);
    ma = ma < mb ? 2 * ma : ma; /* the quotient is in [1, 2) */

    double y = __gen_rcp((float)mb); /* 22 bits, 44, 53 */
    y = __gen_mad64(y, __gen_mad64(-mb, y, 1.0), y);
    y = __gen_mad64(y, __gen_mad64(-mb, y, 1.0), y);
    double q = ma * y;
    q = __gen_mad64(residual(ma, q, mb), y, q);
    double r = residual(ma, q, mb), half_unit = mb * 0x1p-53;
    if (r > half_unit) {
        q += 0x1p-52;
        r -= 2 * half_unit;
    } else if (r < -half_unit) {
        q -= 0x1p-52;
        r += 2 * half_unit;
    }

    uint sign = (high(a) ^ high(b)) & 0x80000000;
    if (e < -1022) {
        q = e < -1076 ? 0 : round_denormal(q, r, max(e, -1076));
        return of_words(high(q) | sign, low(q));
    }
    return e > 1023 ? of_words(0x7ff00000 | sign, 0)
                    : of_words((high(q) + ((uint)e << 20)) | sign, low(q));
}

double __gen_sqrt64(double x)
{
    int e;
    if (is_special(x) || x < 0)
        return x < 0 ? NAN : x;
    double m = split(x, &e);
    m = e & 1 ? 2 * m : m;
    e >>= 1;

    double y = __gen_rsqrt((float)m);
    y = __gen_mad64(0.5 * y, __gen_mad64(-m * y, y, 1.0), y);
    y = __gen_mad64(0.5 * y, __gen_mad64(-m * y, y, 1.0), y);
    double s = m * y;
    s = __gen_mad64(residual(m, s, s), 0.5 * y, s);
    /* (s +- 2^-53)^2 = s * s +- s * 2^-52 + 2^-106, and the residual is a multiple of 2^-104 */
    double r = residual(m, s, s), half_unit = s * 0x1p-52;
    if (r > half_unit)
        s += 0x1p-52;
    else if (r <= -half_unit)
        s -= 0x1p-52;
    return of_words(high(s) + ((uint)e << 20), low(s));
}

/* a * b + c with one rounding, from additions and multiplications (Boldo, Melquiond: "Emulation of a FMA and
 * correctly rounded sums", 2008): the low parts are added so that the last bit says whether something is lost. */
double __gen_fma64(double a, double b, double c)
{
    int ea, eb, ec;
    if (is_special(a) || is_special(b))
        return a * b + c; /* the product is exact, or nothing is */
    if (c == 0)
        return a * b; /* a sum would lose the sign of what is too small */
    if (is_special(c))
        return c; /* a * b doesn't overflow before it is added */
    double ma = with_sign_of(split(a, &ea), a), mb = with_sign_of(split(b, &eb), b);
    double mc = with_sign_of(split(c, &ec), c);
    int ep = ea + eb, e = max(ep, ec);
    /* what is 2^110 times smaller counts as less than any bit, but not as nothing */
    ma *= power_of_2(max(ep - e, -110));
    mc *= power_of_2(max(ec - e, -110));

    double uh = ma * mb, ul = product_rest(ma, mb, uh);
    double th = mc + ul, tl = sum_rest(mc, ul, th);
    double vh = uh + th, vl = sum_rest(uh, th, vh);
    double z = tl + vl, lost = sum_rest(tl, vl, z);
    if (lost != 0 && !(low(z) & 1))
        z = as_double(as_ulong(z) + ((lost > 0) == (z > 0) ? 1 : -1));

    if (e <= 0 && vh != 0 && magnitude(vh) < power_of_2(max(-1022 - e, -1022)))
        return round_denormal(vh, z, e);
    double r = vh + z;
    return r == 0 ? a * b + c : r * power_of_2(e / 2) * power_of_2(e - e / 2);
}

/* ---- whole numbers ---- */

/* To nearest even, of a magnitude. */
static double round_even(double a)
{
    double r = (a + 0x1p52) - 0x1p52;
    return a < 0x1p52 ? r : a;
}

double __gen_rint64(double x)
{
    return with_sign_of(round_even(magnitude(x)), x);
}

double __gen_floor64(double x)
{
    double r = __gen_rint64(x);
    return with_sign_of(r > x ? r - 1 : r, x);
}

double __gen_ceil64(double x)
{
    double r = __gen_rint64(x);
    return with_sign_of(r < x ? r + 1 : r, x);
}

static double cut(double a)
{
    double r = round_even(a);
    return r > a ? r - 1 : r;
}

double __gen_trunc64(double x)
{
    return with_sign_of(cut(magnitude(x)), x);
}

double __gen_round64(double x)
{
    double a = magnitude(x), r = cut(a);
    return with_sign_of(a - r >= 0.5 ? r + 1 : r, x);
}

/* ---- conversions ---- */

/* Truncated, saturated; of what isn't a number 0. The EU's conversions of each half do the same. */
ulong __gen_d2ul(double x)
{
    uint hi = (uint)(x * 0x1p-32);
    uint lo = (uint)__gen_mad64((double)hi, -0x1p32, x);
    return (ulong)hi << 32 | lo;
}

long __gen_d2l(double x)
{
    ulong m = __gen_d2ul(magnitude(x));
    if (x < 0)
        return m > 0x8000000000000000 ? LONG_MIN : (long)-m;
    return m > 0x7fffffffffffffff ? LONG_MAX : (long)m;
}

/* The float nearest to x whose last bit is 1, unless x is a float: rounded once more, to fewer bits, the result
 * is right. Far below the smallest half nothing but the sign counts. */
float __gen_d2odd(double x)
{
    float f = (float)x;
    uint bits = as_uint(f);
    if (x != 0 && magnitude(x) < 0x1p-100)
        return x < 0 ? -0x1p-100f : 0x1p-100f;
    if ((double)f != x && x == x && !(bits & 1))
        bits = magnitude((double)f) > magnitude(x) ? bits - 1 : bits + 1;
    return as_float(bits);
}

ushort __gen_d2h(double x)
{
    return (ushort)__gen_f2h(__gen_d2odd(x));
}

/* ---- functions of OpenCL C that libclc has wrong ---- */

/* Three factors, of which only the last can round: the one before it leaves 53 bits above the denormals. */
double PURE ldexp(double x, int n)
{
    n = max(n, -2200);
    n = min(n, 2200);
    double y = x;
    if (n < 0) {
        int k = min(-n, 1022 - 53);
        y *= power_of_2(-k);
        n += k;
        k = min(-n, 1022 - 53);
        y *= power_of_2(-k);
        return y * power_of_2(max(n + k, -1022));
    }
    int k = min(n, 1023);
    y *= power_of_2(k);
    n -= k;
    k = min(n, 1023);
    y *= power_of_2(k);
    return y * power_of_2(min(n - k, 1023));
}
MAP2(double, ldexp, double, int)
#define LDEXP(n)                                                                                   \
    double##n PURE ldexp(double##n x, int k)                                                       \
    {                                                                                              \
        return ldexp(x, (int##n)k);                                                                \
    }
LDEXP(2) LDEXP(3) LDEXP(4) LDEXP(8) LDEXP(16)

double PURE nan(ulong payload)
{
    return as_double(payload | 0x7ff8000000000000);
}
#define NAN_N(n)                                                                                   \
    double##n PURE nan(ulong##n payload)                                                           \
    {                                                                                              \
        return as_double##n(payload | 0x7ff8000000000000);                                         \
    }
NAN_N(2) NAN_N(3) NAN_N(4) NAN_N(8) NAN_N(16)

/* Vectors with scalar edges. */
#define SMOOTHSTEP(n)                                                                              \
    double##n PURE smoothstep(double##n a, double##n b, double##n x);                              \
    double##n PURE smoothstep(double a, double b, double##n x)                                     \
    {                                                                                              \
        return smoothstep((double##n)a, (double##n)b, x);                                          \
    }
SMOOTHSTEP(2) SMOOTHSTEP(3) SMOOTHSTEP(4) SMOOTHSTEP(8) SMOOTHSTEP(16)

double PURE nextafter(double x, double y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return of_words(high(y) & 0x80000000, 1);
    long bits = as_long(x);
    return as_double((x < y) == (bits >= 0) ? bits + 1 : bits - 1);
}
MAP2(double, nextafter, double, double)

/* |x| - n * |y|, of a quotient of whole numbers n: truncated, or to nearest even. So many bits of n at a time
 * that the nearest whole number to the estimate leaves less than one y, which is exact. Both are finite, y isn't 0. */
static double divide_out(double x, double y, bool nearest, uint *low_bits)
{
    int ex, ey;
    uint n = 0;
    double mx = split(x, &ex), my = split(y, &ey), r = mx;
    double inverse = (1.0 / my);
    int left = ex - ey;
    *low_bits = 0;
    if (x == 0 || left < -1)
        return magnitude(x);
    if (left < 0) {
        r = 0.5 * mx; /* in units of y's exponent */
    } else {
        int k = 0;
        do {
            double a = r * power_of_2(k), q = round_even(a * inverse);
            r = residual(a, q, my);
            q = r < 0 ? q - 1 : q;
            r = r < 0 ? r + my : r;
            n = (k < 32 ? n << k : 0) + (uint)__gen_d2ul(q);
            left -= k;
            k = min(left, 48);
        } while (left > 0);
    }
    if (nearest && (2 * r > my || (2 * r == my && n & 1))) {
        r -= my;
        n++;
    }
    *low_bits = n;
    return ldexp(r, ey);
}

static double remainder_of(double x, double y, bool nearest, uint *low_bits)
{
    *low_bits = 0;
    if (x != x || y != y || y == 0 || magnitude(x) == INFINITY)
        return NAN;
    if (magnitude(y) == INFINITY)
        return x;
    double r = divide_out(x, y, nearest, low_bits);
    return as_double(as_ulong(r) ^ ((ulong)(high(x) & 0x80000000) << 32));
}

double PURE fmod(double x, double y)
{
    uint n;
    return remainder_of(x, y, false, &n);
}
MAP2(double, fmod, double, double)

double PURE remainder(double x, double y)
{
    uint n;
    return remainder_of(x, y, true, &n);
}
MAP2(double, remainder, double, double)

#define REMQUO_N(n, AS)                                                                            \
    double##n OVER remquo(double##n x, double##n y, AS int##n *p)                                  \
    {                                                                                              \
        double##n r;                                                                               \
        int##n q;                                                                                  \
        for (int i = 0; i < n; i++) {                                                              \
            int one;                                                                               \
            r[i] = remquo(x[i], y[i], &one);                                                       \
            q[i] = one;                                                                            \
        }                                                                                          \
        *p = q;                                                                                    \
        return r;                                                                                  \
    }
/* Seven bits of the quotient, with its sign. */
#define REMQUO(AS)                                                                                 \
    double OVER remquo(double x, double y, AS int *p)                                              \
    {                                                                                              \
        uint n;                                                                                    \
        double r = remainder_of(x, y, true, &n);                                                   \
        *p = (high(x) ^ high(y)) & 0x80000000 ? -(int)(n & 0x7f) : (int)(n & 0x7f);                \
        return r;                                                                                  \
    }
REMQUO(__private)
REMQUO(__global)
REMQUO(__local)
#define REMQUO_WIDTHS(AS)                                                                          \
    REMQUO_N(2, AS) REMQUO_N(3, AS) REMQUO_N(4, AS) REMQUO_N(8, AS) REMQUO_N(16, AS)
REMQUO_WIDTHS(__private)
REMQUO_WIDTHS(__global)
REMQUO_WIDTHS(__local)

double PURE exp(double x);
double PURE pow(double x, double y);
double PURE sinpi(double x);

/* gamma(z + rest) for z >= 10, rest tiny, is (*a)^2 * the result: Stirling's series, nine terms. The power is taken
 * in two halves so that neither overflows before gamma does. */
static double stirling(double z, double rest, double *a)
{
    double y = 1.0 / z, y2 = y * y, s = 43867.0 / 244188;
    s = __gen_mad64(s, y2, -3617.0 / 122400);
    s = __gen_mad64(s, y2, 1.0 / 156);
    s = __gen_mad64(s, y2, -691.0 / 360360);
    s = __gen_mad64(s, y2, 1.0 / 1188);
    s = __gen_mad64(s, y2, -1.0 / 1680);
    s = __gen_mad64(s, y2, 1.0 / 1260);
    s = __gen_mad64(s, y2, -1.0 / 360);
    s = __gen_mad64(s, y2, 1.0 / 12) * y;
    /* the derivative of log gamma is log z - 1 / 2z - ...; of rest few bits count */
    double slope = (double)(__gen_log2((float)z) * 0.6931472f) - 0.5 * y;
    double e = exp(-z);
    *a = pow(z, 0.5 * z - 0.25);
    return 2.5066282746310002 * exp(s + rest * slope) * e;
}

/* gamma(x + rest), x > 0, as a * a * the result: from below 10 upwards by gamma(x) = gamma(x + 1) / x. */
static double gamma_factors(double x, double rest, double *a)
{
    double product = 1.0;
    if (x > 180)
        x = 180; /* infinite, and so is what follows */
    while (x < 10) {
        double next = x + 1;
        product *= x + rest;
        rest += sum_rest(x, 1, next);
        x = next;
    }
    return stirling(x, rest, a) / product;
}

double PURE tgamma(double x)
{
    double a, b;
    if (x != x || x == INFINITY)
        return x;
    if (x == 0)
        return with_sign_of(INFINITY, x);
    if (x < 0 && (x == -INFINITY || x == __gen_floor64(x)))
        return NAN;
    if (x > 0) {
        b = gamma_factors(x, 0, &a);
        return a * b * a;
    }
    if (x > -0x1p-54) /* the pole alone */
        return 1.0 / x;
    if (x < -190)
        return with_sign_of(0.0, sinpi(x));
    /* reflected: gamma(x) gamma(1 - x) sin(pi x) = pi */
    double z = 1 - x;
    b = gamma_factors(z, (1 - z) - x, &a);
    return 3.1415926535897931 / sinpi(x) / b / a * (1.0 / a);
}
MAP1(double, tgamma, double)
