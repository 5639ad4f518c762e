/* convert_float of integers of 32 and 64 bits and of doubles, convert_double of those of 64 bits, with a rounding
 * mode other than to nearest: from the bits. */
#include "gen.h"
#include "vector.h"

/* The float of magnitude m, cut; one step more if that lost anything and `up`. 2^64 is the largest. */
static float from_magnitude(ulong m, bool up)
{
    if (!m)
        return 0.0f;
    uint n = (uint)clz(m);
    ulong top = m << n;               /* the first bit at the top */
    uint bits = (uint)(top >> 40);    /* 24 bits, the first one implied */
    bool lost = (top & 0xffffffffff) != 0;
    uint exponent = 127 + 63 - n;
    return as_float((exponent << 23) + (bits & 0x7fffff) + (lost && up));
}

static float from_magnitude32(uint m, bool up)
{
    if (!m)
        return 0.0f;
    uint n = clz(m);
    uint top = m << n;
    bool lost = (top & 0xff) != 0;
    uint exponent = 127 + 31 - n;
    return as_float((exponent << 23) + (top >> 8 & 0x7fffff) + (lost && up));
}

static double double_from_magnitude(ulong m, bool up)
{
    if (!m)
        return 0.0;
    ulong n = clz(m), top = m << n;
    bool lost = (top & 0x7ff) != 0; /* below 53 bits */
    ulong exponent = 1023 + 63 - n;
    return as_double((exponent << 52) + (top >> 11 & 0xfffffffffffff) + (lost && up));
}

/* The float next to (float)x, if that is on the wrong side of x. Denormal floats are zeros. */
static float step_from(double x, bool wrong, bool away)
{
    int bits = as_int((float)x);
    bool denormal = fabs(x) < 0x1p-126;
    return as_float(!wrong || denormal ? bits : away ? bits + 1 : bits - 1);
}

float PURE convert_float_rtz(double x)
{
    return step_from(x, fabs((double)(float)x) > fabs(x), false);
}

float PURE convert_float_rtp(double x)
{
    return step_from(x, (double)(float)x < x, x > 0);
}

float PURE convert_float_rtn(double x)
{
    return step_from(x, (double)(float)x > x, x < 0);
}

#define UNSIGNED(F, T, from)                                                                          \
    F PURE convert_##F##_rtz(T x)                                                                  \
    {                                                                                              \
        return from(x, false);                                                                     \
    }                                                                                              \
    F PURE convert_##F##_rtn(T x)                                                                  \
    {                                                                                              \
        return from(x, false);                                                                     \
    }                                                                                              \
    F PURE convert_##F##_rtp(T x)                                                                  \
    {                                                                                              \
        return from(x, true);                                                                      \
    }
#define SIGNED(F, T, U, from)                                                                         \
    static F signed_##F##T(T x, bool up_if_positive, bool up_if_negative)                         \
    {                                                                                              \
        return x < 0 ? -from(-(U)x, up_if_negative) : from((U)x, up_if_positive);                  \
    }                                                                                              \
    F PURE convert_##F##_rtz(T x)                                                                  \
    {                                                                                              \
        return signed_##F##T(x, false, false);                                                        \
    }                                                                                              \
    F PURE convert_##F##_rtn(T x)                                                                  \
    {                                                                                              \
        return signed_##F##T(x, false, true);                                                         \
    }                                                                                              \
    F PURE convert_##F##_rtp(T x)                                                                  \
    {                                                                                              \
        return signed_##F##T(x, true, false);                                                         \
    }
/* The vector's name has its size in it. */
#define WIDTHS(F, T, mode)                                                                         \
    F##2 PURE convert_##F##2_##mode(T##2 x)                                                        \
    {                                                                                              \
        return (F##2)(convert_##F##_##mode(x.s0), convert_##F##_##mode(x.s1));                     \
    }                                                                                              \
    F##3 PURE convert_##F##3_##mode(T##3 x)                                                        \
    {                                                                                              \
        return (F##3)(convert_##F##2_##mode(x.s01), convert_##F##_##mode(x.s2));                   \
    }                                                                                              \
    F##4 PURE convert_##F##4_##mode(T##4 x)                                                        \
    {                                                                                              \
        return (F##4)(convert_##F##2_##mode(x.lo), convert_##F##2_##mode(x.hi));                   \
    }                                                                                              \
    F##8 PURE convert_##F##8_##mode(T##8 x)                                                        \
    {                                                                                              \
        return (F##8)(convert_##F##4_##mode(x.lo), convert_##F##4_##mode(x.hi));                   \
    }                                                                                              \
    F##16 PURE convert_##F##16_##mode(T##16 x)                                                     \
    {                                                                                              \
        return (F##16)(convert_##F##8_##mode(x.lo), convert_##F##8_##mode(x.hi));                  \
    }
#define MODES(F, T) WIDTHS(F, T, rtz) WIDTHS(F, T, rtn) WIDTHS(F, T, rtp)

UNSIGNED(float, uint, from_magnitude32)
UNSIGNED(float, ulong, from_magnitude)
UNSIGNED(double, ulong, double_from_magnitude)
SIGNED(float, int, uint, from_magnitude32)
SIGNED(float, long, ulong, from_magnitude)
SIGNED(double, long, ulong, double_from_magnitude)
MODES(float, int)
MODES(float, uint)
MODES(float, long)
MODES(float, ulong)
MODES(float, double)
MODES(double, long)
MODES(double, ulong)
