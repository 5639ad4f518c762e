/* atan and atan2 of floats, 5 and 6 ulp: a polynomial of the quotient that is at most one (minimax fit, relative
 * error below 2^-25). */
#include "gen.h"
#include "vector.h"

#pragma OPENCL FP_CONTRACT OFF

/* 0 <= q <= 1. */
static float arc(float q)
{
    float s = q * q;
    float p = __builtin_fmaf(s, 0x1.7eb2e4p-9f, -0x1.0c1c9ep-6f);
    p = __builtin_fmaf(s, p, 0x1.61f18p-5f);
    p = __builtin_fmaf(s, p, -0x1.35519ep-4f);
    p = __builtin_fmaf(s, p, 0x1.b4deep-4f);
    p = __builtin_fmaf(s, p, -0x1.230a96p-3f);
    p = __builtin_fmaf(s, p, 0x1.9978ecp-3f);
    p = __builtin_fmaf(s, p, -0x1.5554dcp-2f);
    return __builtin_fmaf(q * s, p, q);
}

static float with_sign_of(float magnitude, float x)
{
    return as_float(as_uint(magnitude) | (as_uint(x) & 0x80000000));
}

float PURE atan(float x)
{
    float a = __builtin_fabsf(x);
    bool inverted = a > 1.0f;
    float y = arc(inverted ? __gen_rcp(a) : a);
    return with_sign_of(inverted ? 0x1.921fb6p+0f - y : y, x);
}
MAP1(float, atan, float)

/* Of two equal magnitudes the quotient is 1, of infinities too, but of zeros 0. Where one isn't a number, the
 * comparison is false and both stay in the quotient. */
float PURE atan2(float y, float x)
{
    float ay = __builtin_fabsf(y), ax = __builtin_fabsf(x);
    bool less = ay < ax;
    float small = less ? ay : ax, large = less ? ax : ay;
    float one = large * 0x1p127f;
    one = one < 1.0f ? one : 1.0f;
    float q = small == large ? one : small / large;
    float r = arc(q);
    r = less ? r : 0x1.921fb6p+0f - r;
    r = as_int(x) < 0 ? 0x1.921fb6p+1f - r : r;
    return with_sign_of(r, y);
}
MAP2(float, atan2, float, float)
