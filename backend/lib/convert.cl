/* convert_float of 32- and 64-bit integers with a rounding mode other than to nearest: from the bits. */
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

#define UNSIGNED(T, from)                                                                          \
    float PURE convert_float_rtz(T x)                                                              \
    {                                                                                              \
        return from(x, false);                                                                     \
    }                                                                                              \
    float PURE convert_float_rtn(T x)                                                              \
    {                                                                                              \
        return from(x, false);                                                                     \
    }                                                                                              \
    float PURE convert_float_rtp(T x)                                                              \
    {                                                                                              \
        return from(x, true);                                                                      \
    }
#define SIGNED(T, U, from)                                                                         \
    static float signed_##T(T x, bool up_if_positive, bool up_if_negative)                         \
    {                                                                                              \
        return x < 0 ? -from(-(U)x, up_if_negative) : from((U)x, up_if_positive);                  \
    }                                                                                              \
    float PURE convert_float_rtz(T x)                                                              \
    {                                                                                              \
        return signed_##T(x, false, false);                                                        \
    }                                                                                              \
    float PURE convert_float_rtn(T x)                                                              \
    {                                                                                              \
        return signed_##T(x, false, true);                                                         \
    }                                                                                              \
    float PURE convert_float_rtp(T x)                                                              \
    {                                                                                              \
        return signed_##T(x, true, false);                                                         \
    }
/* The vector's name has its size in it. */
#define WIDTHS(T, mode)                                                                            \
    float2 PURE convert_float2_##mode(T##2 x)                                                      \
    {                                                                                              \
        return (float2)(convert_float_##mode(x.s0), convert_float_##mode(x.s1));                   \
    }                                                                                              \
    float3 PURE convert_float3_##mode(T##3 x)                                                      \
    {                                                                                              \
        return (float3)(convert_float2_##mode(x.s01), convert_float_##mode(x.s2));                 \
    }                                                                                              \
    float4 PURE convert_float4_##mode(T##4 x)                                                      \
    {                                                                                              \
        return (float4)(convert_float2_##mode(x.lo), convert_float2_##mode(x.hi));                 \
    }                                                                                              \
    float8 PURE convert_float8_##mode(T##8 x)                                                      \
    {                                                                                              \
        return (float8)(convert_float4_##mode(x.lo), convert_float4_##mode(x.hi));                 \
    }                                                                                              \
    float16 PURE convert_float16_##mode(T##16 x)                                                   \
    {                                                                                              \
        return (float16)(convert_float8_##mode(x.lo), convert_float8_##mode(x.hi));                \
    }
#define MODES(T) WIDTHS(T, rtz) WIDTHS(T, rtn) WIDTHS(T, rtp)

UNSIGNED(uint, from_magnitude32)
UNSIGNED(ulong, from_magnitude)
SIGNED(int, uint, from_magnitude32)
SIGNED(long, ulong, from_magnitude)
MODES(int)
MODES(uint)
MODES(long)
MODES(ulong)
