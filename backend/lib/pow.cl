/* pow, powr, pown, rootn of floats, 16 ulp: two to the power of y * log2(|x|), the logarithm in two floats.
 * Where an argument is zero, infinite or not a number, C's rules decide. */
#include "power.h"
#include "vector.h"

#pragma OPENCL FP_CONTRACT OFF

/* |x|^(y + rest), x normal, y finite. */
static float power(float x, float y, float rest)
{
    struct pair l = log2_pair(x), t = pair_times(l, y);
    t.lo = __builtin_fmaf(rest, l.hi, t.lo);
    float2 f = exp2_factors(t);
    return f.x * f.y;
}

static bool is_normal(float x)
{
    return (as_uint(x) & 0x7fffffff) - 0x00800000u < 0x7f000000u;
}

/* |x|^y where x is not normal or y not finite. */
static float special_power(float x, float y)
{
    float a = __builtin_fabsf(x);
    if (y == 0.0f || x == 1.0f)
        return 1.0f;
    if (x != x || y != y)
        return NAN;
    if (a == 1.0f)
        return 1.0f;
    return (a > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
}

static float negated_if(float x, bool negative)
{
    return as_float(as_uint(x) ^ (negative ? 0x80000000 : 0));
}

static bool is_whole(float x)
{
    return __builtin_truncf(x) == x; /* an infinity is */
}

float PURE pow(float x, float y)
{
    float r = power(x, y, 0.0f);
    if (!(is_normal(x) && __builtin_fabsf(y) < INFINITY))
        r = special_power(x, y);
    if (as_int(x) < 0) {
        bool whole = is_whole(y);
        r = whole || y != y || !is_normal(x) ? negated_if(r, whole && !is_whole(0.5f * y)) : NAN;
    }
    return r;
}
MAP2(float, pow, float, float)

float PURE powr(float x, float y)
{
    float r = power(x, y, 0.0f);
    if (!(is_normal(x) && __builtin_fabsf(y) < INFINITY)) {
        bool finite = x > 0.0f && x < INFINITY; /* to the power of 0: 1 */
        r = special_power(x, y);
        r = (y == 0.0f && !finite) || (x == 1.0f && !(__builtin_fabsf(y) < INFINITY)) ? NAN : r;
    }
    return x < 0.0f ? NAN : r;
}
MAP2(float, powr, float, float)

float PURE pown(float x, int n)
{
    float y = (float)n, rest = (float)(n - (int)y);
    float r = power(x, y, rest);
    if (!is_normal(x) || !n)
        r = special_power(x, y);
    return negated_if(r, as_int(x) < 0 && n & 1);
}
MAP2(float, pown, float, int)

float PURE rootn(float x, int n)
{
    float k = (float)n, k_rest = (float)(n - (int)k), y = __gen_rcp(k);
    float rest = __builtin_fmaf(-y, k_rest, __builtin_fmaf(-y, k, 1.0f)) * y;
    float r = power(x, y, rest);
    if (!is_normal(x))
        r = special_power(x, y);
    return !n || (x < 0.0f && !(n & 1)) ? NAN : negated_if(r, as_int(x) < 0 && n & 1);
}
MAP2(float, rootn, float, int)
