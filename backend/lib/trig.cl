/* sin, cos, tan of floats, 4 and 5 ulp, and of multiples of pi: multiples of pi are taken off in three parts, and a polynomial stands
 * for the rest. Only what is so large that a multiple of pi loses too many bits takes the long way.
 *
 * The first two products are exact up to the final rounding, because mad has one rounding; what is left of
 * pi after three parts is below 2^-72. Coefficients: minimax fits, relative error below 2^-27. */
#include "gen.h"
#include "vector.h"

#pragma OPENCL FP_CONTRACT OFF

#define LARGE 65536.0f
#define PI 0x1.921fb6p+1f
#define PI_1 0x1.921fb4p+1f /* three parts of one sign, so that a zero keeps its */
#define PI_2 0x1.4442dp-23f
#define PI_3 0x1.84698ap-47f
#define INVERSE_PI 0x1.45f306p-2f
#define ROUND 0x1.8p23f /* added and taken off: to a whole number, which stands in the low bits in between */

/* 1/pi after 32 zero bits: what a float's 24 bits with any exponent need, and 64 more. */
static __constant uint inverse_pi[8] = {0,          0x517cc1b7, 0x27220a94, 0xfe13abe8,
                                        0xfa9a6ee0, 0x6db14acc, 0x9e21c820, 0xff28b1d5};

/* |x| * 2^doubled / pi + offset, modulo 2, in units of 2^-63; |x| is large. Bits of 1/pi that give multiples of 2
 * are left out. */
static ulong turns(float x, uint doubled, ulong offset)
{
    uint bits = as_uint(x), m = (bits & 0x7fffff) | 0x800000;
    uint at = (bits >> 23 & 0xff) - 150 + 31, shift = at & 31;
    uint w = min(at >> 5, 4u);
    uint a = inverse_pi[w], b = inverse_pi[w + 1], c = inverse_pi[w + 2], d = inverse_pi[w + 3];
    a = a << shift | b >> 1 >> (31 - shift);
    b = b << shift | c >> 1 >> (31 - shift);
    c = c << shift | d >> 1 >> (31 - shift);
    ulong low = (ulong)b * m + __gen_umulhi(c, m);
    return ((low + ((ulong)(a * m) << 32)) << doubled) + offset;
}

/* Its distance to the nearest whole number, which is odd or not, as an angle. Nothing if x is infinite. */
static float rest(float x, ulong t, float unit, uint *odd)
{
    long r = (long)(t << 1);
    *odd = ((uint)(t >> 32) ^ (r < 0 ? 0x80000000 : 0)) & 0x80000000;
    return __builtin_fmaf(x, 0.0f, (float)r * unit);
}

static float signed_rest(float x, ulong t, float unit, uint *odd)
{
    float r = rest(x, t, unit, odd);
    return x < 0.0f ? -r : r;
}

/* sin(r), |r| <= pi / 2. */
static float sine(float r)
{
    float s = r * r;
    float p = __builtin_fmaf(s, 0x1.5db32p-19f, -0x1.9f6fbcp-13f);
    p = __builtin_fmaf(s, p, 0x1.110ed6p-7f);
    p = __builtin_fmaf(s, p, -0x1.55554cp-3f);
    return r * __builtin_fmaf(s, p, 1.0f); /* so that a zero keeps its sign */
}

float PURE sin(float x)
{
    float t = __builtin_fmaf(x, INVERSE_PI, ROUND), n = t - ROUND;
    uint odd = as_uint(t) << 31;
    float r = __builtin_fmaf(n, -PI_1, x);
    r = __builtin_fmaf(n, -PI_2, r);
    r = __builtin_fmaf(n, -PI_3, r);
    if (!(__builtin_fabsf(x) < LARGE))
        r = signed_rest(x, turns(x, 0, 0), PI * 0x1p-64f, &odd);
    return as_float(as_uint(sine(r)) ^ odd);
}
MAP1(float, sin, float)

/* The nearest odd multiple of pi / 2 less x: a sine again. */
float PURE cos(float x)
{
    float n = __builtin_floorf(x * INVERSE_PI), m = n + 0.5f;
    uint odd = (uint)(int)n << 31;
    float r = __builtin_fmaf(m, PI_1, -x);
    r = __builtin_fmaf(m, PI_2, r);
    r = __builtin_fmaf(m, PI_3, r);
    if (!(__builtin_fabsf(x) < LARGE))
        r = rest(x, turns(x, 0, 0x4000000000000000), PI * 0x1p-64f, &odd);
    return as_float(as_uint(sine(r)) ^ odd);
}
MAP1(float, cos, float)

/* tan(r), |r| <= pi / 4. */
static float tangent(float r)
{
    float s = r * r;
    float p = __builtin_fmaf(s, 0x1.24685p-8f, -0x1.55219ap-14f);
    p = __builtin_fmaf(s, p, 0x1.676c16p-7f);
    p = __builtin_fmaf(s, p, 0x1.5bdbcep-6f);
    p = __builtin_fmaf(s, p, 0x1.baf02cp-5f);
    p = __builtin_fmaf(s, p, 0x1.110d1cp-3f);
    p = __builtin_fmaf(s, p, 0x1.555562p-2f);
    return r * __builtin_fmaf(s, p, 1.0f);
}

float PURE tan(float x)
{
    float t = __builtin_fmaf(x, 2.0f * INVERSE_PI, ROUND), n = t - ROUND;
    uint odd = as_uint(t) << 31;
    float r = __builtin_fmaf(n, -0.5f * PI_1, x);
    r = __builtin_fmaf(n, -0.5f * PI_2, r);
    r = __builtin_fmaf(n, -0.5f * PI_3, r);
    if (!(__builtin_fabsf(x) < LARGE))
        r = signed_rest(x, turns(x, 1, 0), 0.5f * PI * 0x1p-64f, &odd);
    float y = tangent(r);
    return odd ? -__gen_rcp(y) : y;
}
MAP1(float, tan, float)

/* From 2^24 on every float is an even whole number. */
static uint whole(float a)
{
    return (uint)__builtin_fminf(a, 0x1p24f);
}

/* Of whole numbers a zero with the sign of x. */
float PURE sinpi(float x)
{
    float a = __builtin_fabsf(x), n = __builtin_rintf(a);
    float y = sine((a - n) * PI);
    uint sign = as_uint(x) & 0x80000000;
    sign ^= y == 0.0f ? 0 : whole(n) << 31;
    return as_float(as_uint(y) ^ sign);
}
MAP1(float, sinpi, float)

/* Half-way between whole numbers a positive zero. */
float PURE cospi(float x)
{
    float a = __builtin_fabsf(x), n = __builtin_floorf(a);
    float y = sine((0.5f - (a - n)) * PI);
    return as_float(as_uint(y) ^ whole(n) << 31) + 0.0f;
}
MAP1(float, cospi, float)

/* Zeros and poles have the sign of sinpi over cospi on this side of them: it changes with each. */
float PURE tanpi(float x)
{
    float a = __builtin_fabsf(x), n = __builtin_floorf(a), t = a - n;
    float halves = __builtin_rintf(2.0f * t);
    uint k = 2 * whole(n) + (uint)halves;
    float y = tangent(__builtin_fmaf(halves, -0.5f, t) * PI);
    y = y == 0.0f ? as_float((k ^ k >> 1) << 31) : y;
    y = k & 1 ? -__gen_rcp(y) : y;
    return as_float(as_uint(y) ^ (as_uint(x) & 0x80000000));
}
MAP1(float, tanpi, float)

#define SINCOS_N(T, AS)                                                                            \
    T OVER sincos(T x, AS T *c)                                                                    \
    {                                                                                              \
        *c = cos(x);                                                                               \
        return sin(x);                                                                             \
    }
#define SINCOS(AS)                                                                                 \
    SINCOS_N(float, AS)                                                                            \
    SINCOS_N(float2, AS)                                                                           \
    SINCOS_N(float3, AS)                                                                           \
    SINCOS_N(float4, AS)                                                                           \
    SINCOS_N(float8, AS)                                                                           \
    SINCOS_N(float16, AS)
SINCOS(__private)
SINCOS(__global)
SINCOS(__local)
