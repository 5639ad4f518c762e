/* sqrt, rsqrt, fdim, native_* and half_* of operations that the math unit has: the rest of them are in libclc, over the same
 * unit or as the full functions. */
#include "gen.h"
#include "vector.h"

#define FUNCTION1(name, expression)                                                                \
    float PURE name(float x)                                                                       \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    MAP1(float, name, float)

FUNCTION1(sqrt, __gen_sqrt(x))
FUNCTION1(rsqrt, __gen_rsqrt(x))
FUNCTION1(native_rsqrt, __gen_rsqrt(x))
FUNCTION1(half_rsqrt, __gen_rsqrt(x))
FUNCTION1(native_recip, __gen_rcp(x))
FUNCTION1(half_recip, __gen_rcp(x))
FUNCTION1(native_sqrt, __gen_sqrt(x))
FUNCTION1(half_sqrt, __gen_sqrt(x))
FUNCTION1(native_exp2, __gen_exp2(x))
FUNCTION1(half_exp2, __gen_exp2(x))
FUNCTION1(native_log2, __gen_log2(x))

float PURE fdim(float x, float y)
{
    float d = x - y;
    return x <= y ? 0.0f : d; /* not a number: d */
}
MAP2(float, fdim, float, float)

float PURE native_divide(float x, float y)
{
    return x * __gen_rcp(y);
}
MAP2(float, native_divide, float, float)

float PURE native_powr(float x, float y)
{
    return __gen_pow(x, y);
}
MAP2(float, native_powr, float, float)
