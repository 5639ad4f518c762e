/* erfc, tgamma, lgamma for floats: libclc's miss the accuracy that OpenCL asks for. Polynomials are minimax
 * fits of degree as said; relative errors are of the polynomials with rounded coefficients. */
#include "power.h"
#include "vector.h"

/* exp(x * x) * erfc(x) * (1 + 2 * x) in t = (x - 2) / (x + 2), x from 0.5 to 10.3: 2.1e-8. */
static float erfcx_poly(float t)
{
    float p = -0x1.fe0268p-13f;
    p = fma(p, t, -0x1.49e4d4p-10f);
    p = fma(p, t, 0x1.309eb2p-10f);
    p = fma(p, t, 0x1.1b92f6p-7f);
    p = fma(p, t, -0x1.067b3cp-7f);
    p = fma(p, t, -0x1.bc16d0p-5f);
    p = fma(p, t, 0x1.4ff90ep-3f);
    p = fma(p, t, -0x1.540804p-3f);
    p = fma(p, t, -0x1.7bf5e0p-4f);
    p = fma(p, t, 0x1.46e80ep+0f);
    return p;
}

/* gamma(1 + t), t from 0 to 1: 1.8e-8. */
static float gamma_poly(float t)
{
    float p = 0x1.03e9e0p-6f;
    p = fma(p, t, -0x1.a61626p-4f);
    p = fma(p, t, 0x1.3d5e9cp-2f);
    p = fma(p, t, -0x1.2c4bd4p-1f);
    p = fma(p, t, 0x1.a1b3a0p-1f);
    p = fma(p, t, -0x1.db9b5ap-1f);
    p = fma(p, t, 0x1.f155eap-1f);
    p = fma(p, t, -0x1.d00154p-1f);
    p = fma(p, t, 0x1.fa5bb2p-1f);
    p = fma(p, t, -0x1.278892p-1f);
    p = fma(p, t, 0x1.000000p+0f);
    return p;
}

/* lgamma(1 + t) / t, t from -0.5 to 0.5: 5.1e-8. */
static float lgamma1_poly(float t)
{
    float p = -0x1.569ffcp-3f;
    p = fma(p, t, 0x1.701b24p-3f);
    p = fma(p, t, -0x1.dd9c72p-5f);
    p = fma(p, t, 0x1.0b81c6p-4f);
    p = fma(p, t, -0x1.dd8254p-4f);
    p = fma(p, t, 0x1.0c7bcep-3f);
    p = fma(p, t, -0x1.263380p-3f);
    p = fma(p, t, 0x1.5a6332p-3f);
    p = fma(p, t, -0x1.a8c064p-3f);
    p = fma(p, t, 0x1.1516aap-2f);
    p = fma(p, t, -0x1.9a4d4ep-2f);
    p = fma(p, t, 0x1.a51a62p-1f);
    p = fma(p, t, -0x1.2788d0p-1f);
    return p;
}

/* lgamma(2 + t) / t, t from -0.5 to 1: 2.7e-8. */
static float lgamma2_poly(float t)
{
    float p = 0x1.6d8c16p-15f;
    p = fma(p, t, -0x1.b3567cp-13f);
    p = fma(p, t, 0x1.18f256p-11f);
    p = fma(p, t, -0x1.3d3828p-10f);
    p = fma(p, t, 0x1.7a852cp-9f);
    p = fma(p, t, -0x1.e3caacp-8f);
    p = fma(p, t, 0x1.5131f2p-6f);
    p = fma(p, t, -0x1.13e03ap-4f);
    p = fma(p, t, 0x1.4a34ccp-2f);
    p = fma(p, t, 0x1.b0ee60p-2f);
    return p;
}

float PURE erfc(float x)
{
    if (!(x >= 0.5f)) /* NaN too */
        return 1.0f - erf(x);
    if (x > 10.1f)
        return 0.0f;
    float h = x * x, l = fma(x, x, -h); /* the square with its rounding error */
    float e = exp(-h) * (1.0f - l);
    return e * (erfcx_poly((x - 2.0f) / (x + 2.0f)) / fma(2.0f, x, 1.0f));
}
MAP1(float, erfc, float)

/* Stirling, x >= 8: the product of the two is gamma(x), which may be more than a float holds. The power
 * x^(x - 1/2) / e^x is taken as one: its exponent in two floats. */
static float2 stirling(float x)
{
    const struct pair log2_e = {0x1.715476p+0f, 0x1.4ae0cp-26f};
    struct pair t = pair_times(log2_pair(x), x - 0.5f), u = pair_times(log2_e, x);
    float hi = t.hi - u.hi;
    float2 p = exp2_factors((struct pair){hi, (t.hi - hi - u.hi) + (t.lo - u.lo)});
    float z = 1.0f / x;
    float s = fma(z, 7.8403922172e-4f, -2.2947209362e-4f);
    s = fma(s, z, -2.6813271605e-3f);
    s = fma(s, z, 3.4722222222e-3f);
    s = fma(s, z, 8.3333333333e-2f);
    s = fma(s, z, 1.0f);
    return (float2)(p.x * (s * 2.5066282746f), p.y);
}

/* 1 <= x < 8: down to 1 .. 2; the differences are exact. */
static float gamma_small(float x)
{
    float p = 1.0f;
    for (float k = 1.0f; k < 7.0f; k += 1.0f)
        p *= x - k >= 1.0f ? x - k : 1.0f;
    return p * gamma_poly(x - floor(x));
}

float PURE tgamma(float x)
{
    if (x == 0.0f) /* a denormal too */
        return as_int(x) < 0 ? -INFINITY : INFINITY;
    if (x >= 36.0f)
        return INFINITY;
    if (x >= 8.0f) {
        float2 g = stirling(x);
        return g.x * g.y;
    }
    if (x >= 1.0f)
        return gamma_small(x);
    if (x > 0.0f)
        return gamma_poly(x) / x;
    if (x == floor(x)) /* -infinity too */
        return NAN;
    if (x < -43.0f) /* less than any number: the sign is that of the strip */
        return fmod(floor(x), 2.0f) != 0.0f ? -0.0f : 0.0f;
    /* reflection; a NaN stays one */
    float y = -x, s = sinpi(y);
    if (y < 1.0f)
        return -3.1415926536f / (gamma_poly(y) * s);
    float r = -3.1415926536f / (y * s);
    if (y < 8.0f)
        return r / gamma_small(y);
    float2 g = stirling(y);
    return r / g.x / g.y;
}
MAP1(float, tgamma, float)

/* x > 0.5, or a NaN. */
static float lgamma_positive(float x)
{
    if (x < 1.5f)
        return fma(lgamma1_poly(x - 1.0f), x - 1.0f, 0.0f); /* +0 at 1 */
    if (x >= 8.0f) {
        float z = 1.0f / x, z2 = z * z;
        float s = fma(z2, 7.9365079365e-4f, -2.7777777778e-3f);
        s = fma(s, z2, 8.3333333333e-2f);
        return fma(x - 0.5f, log(x) - 1.0f, fma(s, z, 0.4189385332f));
    }
    float p = 1.0f, r = x;
    for (int k = 0; k < 5; k++) { /* down to 2 .. 3 */
        bool more = r >= 3.0f;
        r -= more ? 1.0f : 0.0f;
        p *= more ? r : 1.0f;
    }
    float g = fma(lgamma2_poly(r - 2.0f), r - 2.0f, 0.0f);
    return x >= 3.0f ? g + log(p) : g;
}

float PURE lgamma(float x)
{
    if (x < 0.5f && x > -0.5f)
        return fma(lgamma1_poly(x), x, -log(fabs(x)));
    if (!(x < 0.0f))
        return lgamma_positive(x);
    if (x == floor(x))
        return INFINITY;
    float y = -x;
    return log(3.1415926536f / (y * fabs(sinpi(y)))) - lgamma_positive(y);
}
MAP1(float, lgamma, float)

static int gamma_sign(float x)
{
    if (x > 0.0f || x != x)
        return 1;
    float f = floor(x);
    if (x == f)
        return 0;
    return fmod(f, 2.0f) != 0.0f ? -1 : 1;
}

#define LGAMMA_R(AS)                                                                               \
    float OVER lgamma_r(float x, AS int *sign)                                                     \
    {                                                                                              \
        *sign = gamma_sign(x);                                                                     \
        return lgamma(x);                                                                          \
    }                                                                                              \
    float2 OVER lgamma_r(float2 x, AS int2 *sign)                                                  \
    {                                                                                              \
        *sign = (int2)(gamma_sign(x.s0), gamma_sign(x.s1));                                        \
        return lgamma(x);                                                                          \
    }                                                                                              \
    float3 OVER lgamma_r(float3 x, AS int3 *sign)                                                  \
    {                                                                                              \
        *sign = (int3)(gamma_sign(x.s0), gamma_sign(x.s1), gamma_sign(x.s2));                      \
        return lgamma(x);                                                                          \
    }                                                                                              \
    float4 OVER lgamma_r(float4 x, AS int4 *sign)                                                  \
    {                                                                                              \
        *sign =                                                                                    \
            (int4)(gamma_sign(x.s0), gamma_sign(x.s1), gamma_sign(x.s2), gamma_sign(x.s3));        \
        return lgamma(x);                                                                          \
    }                                                                                              \
    float8 OVER lgamma_r(float8 x, AS int8 *sign)                                                  \
    {                                                                                              \
        int4 lo, hi;                                                                               \
        float4 a = lgamma_r(x.lo, &lo), b = lgamma_r(x.hi, &hi);                                   \
        *sign = (int8)(lo, hi);                                                                    \
        return (float8)(a, b);                                                                     \
    }                                                                                              \
    float16 OVER lgamma_r(float16 x, AS int16 *sign)                                               \
    {                                                                                              \
        int8 lo, hi;                                                                               \
        float8 a = lgamma_r(x.lo, &lo), b = lgamma_r(x.hi, &hi);                                   \
        *sign = (int16)(lo, hi);                                                                   \
        return (float16)(a, b);                                                                    \
    }
LGAMMA_R(__private)
LGAMMA_R(__global)
LGAMMA_R(__local)
