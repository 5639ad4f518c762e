/* log, log2, log10 and exp, exp10 of floats, 3 ulp. A denormal argument counts as zero.
 *
 * The math unit's logarithm is good only far from one; a polynomial takes its place (minimax fits, relative
 * error below 2^-25), and the unit tells what becomes of zeros, infinities and negative numbers. */
#include "gen.h"
#include "vector.h"

#pragma OPENCL FP_CONTRACT OFF

/* x = 2^e * (1 + f), |f| <= 1/3: e * log(2) + f * (c + f * p(f)). */
static float logarithm(float x, float log_2, float c, const float *p)
{
    int i = as_int(x) - 0x3f2aaaab;
    float e = (float)(i >> 23);
    float f = as_float(as_int(x) - (i & (int)0xff800000)) - 1.0f, y = p[7];
    for (int k = 6; k >= 0; k--)
        y = __builtin_fmaf(f, y, p[k]);
    y = __builtin_fmaf(f, y, c);
    y = __builtin_fmaf(f, y, e * log_2);
    if (as_uint(x) - 0x00800000u >= 0x7f000000u)
        y = __gen_log2(x);
    return y;
}

float PURE log(float x)
{
    const float p[8] = {-0x1.ffffd6p-2f, 0x1.5554fcp-2f,  -0x1.001450p-2f, 0x1.99d3a8p-3f,
                        -0x1.503884p-3f, 0x1.1ea94cp-3f, -0x1.3b0e5cp-3f, 0x1.1f243ap-3f};
    return logarithm(x, 0x1.62e43p-1f, 1.0f, p);
}
MAP1(float, log, float)

float PURE log2(float x)
{
    const float p[8] = {-0x1.715458p-1f, 0x1.ec701cp-2f,  -0x1.7171c6p-2f, 0x1.27a0ccp-2f,
                        -0x1.e51046p-3f, 0x1.9d8caap-3f, -0x1.c687f2p-3f, 0x1.9e527ap-3f};
    return logarithm(x, 1.0f, 0x1.715476p+0f, p);
}
MAP1(float, log2, float)

float PURE log10(float x)
{
    const float p[8] = {-0x1.bcb78cp-3f, 0x1.287a28p-3f,  -0x1.bcdb54p-4f, 0x1.63f8c6p-4f,
                        -0x1.24044cp-4f, 0x1.f1f696p-5f, -0x1.11c04ap-4f, 0x1.f2e364p-5f};
    return logarithm(x, 0x1.344136p-2f, 0x1.bcb7b2p-2f, p);
}
MAP1(float, log10, float)

/* The unit's power of two, of a product a little nearer to zero than the right one: where it overflows the true
 * result does, and the correction has the sign of x. What the product lacks is exact to its last bits. */
float PURE exp(float x)
{
    float t = x * 0x1.71547p+0f, e = __gen_exp2(t);
    float r = __builtin_fmaf(t, -0x1.62e43p-1f, x);
    r = __builtin_fmaf(t, 0x1.05c61p-29f, r);
    float y = __builtin_fmaf(e, r, e);
    return __builtin_fabsf(x) < 128.0f ? y : e;
}
MAP1(float, exp, float)

float PURE exp10(float x)
{
    float t = x * 0x1.a934eap+1f, e = __gen_exp2(t);
    float r = __builtin_fmaf(t, -0x1.344136p-2f, x);
    r = __builtin_fmaf(t, 0x1.ec10cp-27f, r) * 0x1.26bb1cp+1f;
    float y = __builtin_fmaf(e, r, e);
    return __builtin_fabsf(x) < 128.0f ? y : e;
}
MAP1(float, exp10, float)
