/* atan and atan2 of floats, 5 and 6 ulp, and the same in units of pi: a polynomial of the quotient that is at most one (minimax fit, relative
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

static float arc_over_pi(float q)
{
    return arc(q) * 0x1.45f306p-2f;
}

float PURE atan(float x)
{
    float a = __builtin_fabsf(x);
    bool inverted = a > 1.0f;
    float y = arc(inverted ? __gen_rcp(a) : a);
    return with_sign_of(inverted ? 0x1.921fb6p+0f - y : y, x);
}
MAP1(float, atan, float)

float PURE atanpi(float x)
{
    float a = __builtin_fabsf(x);
    bool inverted = a > 1.0f;
    float y = arc_over_pi(inverted ? __gen_rcp(a) : a);
    return with_sign_of(inverted ? 0.5f - y : y, x);
}
MAP1(float, atanpi, float)

/* Of two equal magnitudes the quotient is 1, of infinities too, but of zeros 0. Where one isn't a number, the
 * comparison is false and both stay in the quotient. */
static float quotient(float y, float x, bool *flat)
{
    float ay = __builtin_fabsf(y), ax = __builtin_fabsf(x);
    *flat = ay <= ax;
    float small = *flat ? ay : ax, large = *flat ? ax : ay;
    float one = large * 0x1p127f;
    one = one < 1.0f ? one : 1.0f;
    return small == large ? one : small / large;
}

/* r is the angle to the nearer axis. */
static float in_quadrant(float r, bool flat, float pi, float y, float x)
{
    r = flat ? r : 0.5f * pi - r;
    r = as_int(x) < 0 ? pi - r : r;
    return with_sign_of(r, y);
}

float PURE atan2(float y, float x)
{
    bool flat;
    float q = quotient(y, x, &flat);
    return in_quadrant(arc(q), flat, 0x1.921fb6p+1f, y, x);
}
MAP2(float, atan2, float, float)

float PURE atan2pi(float y, float x)
{
    bool flat;
    float q = quotient(y, x, &flat);
    return in_quadrant(arc_over_pi(q), flat, 1.0f, y, x);
}
MAP2(float, atan2pi, float, float)
