/* Lengths of float vectors whose squares would overflow, or of which some would be flushed to zero. */
#include "gen.h"
#include "vector.h"

float PURE dot(float2, float2);
float PURE dot(float3, float3);
float PURE dot(float4, float4);
float PURE sqrt(float);
float PURE rsqrt(float);

/* Of the largest magnitude: what brings it between 2^-26 and 2^62. Squares of elements 2^-26 times smaller don't
 * count. */
static float scale_of(float most)
{
    return most < 0x1p-40f ? 0x1p100f : most > 0x1p60f ? 0x1p-66f : 1.0f;
}

static float inverse_of(float scale)
{
    return as_float((254u << 23) - as_uint(scale));
}

static float unit(float x)
{
    return __builtin_isinf(x) ? __builtin_copysignf(1.0f, x) : x * 0.0f;
}

static float largest(float2 x)
{
    return __builtin_fmaxf(__builtin_fabsf(x.x), __builtin_fabsf(x.y));
}
#define MOST2(x) largest(x)
#define MOST3(x) __builtin_fmaxf(largest(x.xy), __builtin_fabsf(x.z))
#define MOST4(x) __builtin_fmaxf(largest(x.xy), largest(x.zw))
#define UNIT2(x) (float2)(unit(x.x), unit(x.y))
#define UNIT3(x) (float3)(UNIT2(x), unit(x.z))
#define UNIT4(x) (float4)(UNIT2(x), unit(x.z), unit(x.w))

#define LENGTH(n)                                                                                  \
    float PURE length(float##n x)                                                                  \
    {                                                                                              \
        float scale = scale_of(MOST##n(x));                                                        \
        x *= scale;                                                                                \
        return sqrt(dot(x, x)) * inverse_of(scale);                                                \
    }                                                                                              \
    float PURE distance(float##n x, float##n y)                                                    \
    {                                                                                              \
        return length(x - y);                                                                      \
    }                                                                                              \
    float##n PURE normalize(float##n x)                                                            \
    {                                                                                              \
        float most = MOST##n(x);                                                                   \
        float##n y = most == INFINITY ? UNIT##n(x) : x * scale_of(most);                           \
        float square = dot(y, y);                                                                  \
        return square == 0.0f ? x : y * rsqrt(square);                                             \
    }
LENGTH(2)
LENGTH(3)
LENGTH(4)
