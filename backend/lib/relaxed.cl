/* What functions become with -cl-unsafe-math-optimizations and -cl-finite-math-only (relax.c). */
#include "gen.h"
#include "vector.h"

/* The math unit's power of |x|, and the sign. */
float PURE relaxed_pow(float x, float y)
{
    float p = __gen_pow(x, y);
    if (x < 0.0f) {
        if (trunc(y) != y)
            return NAN;
        float half_y = 0.5f * y;
        return trunc(half_y) != half_y ? -p : p;
    }
    return y == 0.0f ? 1.0f : p;
}
MAP2(float, relaxed_pow, float, float)

float PURE relaxed_pown(float x, int y)
{
    float p = __gen_pow(x, (float)y);
    if (!y)
        return 1.0f;
    return x < 0.0f && y & 1 ? -p : p;
}
MAP2(float, relaxed_pown, float, int)

/* By e to the x, as the specification derives them; near 0 the difference has lost its bits: a polynomial. */
#define LOG2_E 1.44269504f
static float exp_sum(float x, float sign)
{
    float e = __gen_exp2(x * LOG2_E);
    return 0.5f * e + sign * (0.5f * __gen_rcp(e));
}

float PURE relaxed_cosh(float x)
{
    return exp_sum(x, 1.0f);
}
MAP1(float, relaxed_cosh, float)

float PURE relaxed_sinh(float x)
{
    float q = x * x;
    return fabs(x) < 0.5f ? x + x * q * (1.0f / 6 + q * (1.0f / 120)) : exp_sum(x, -1.0f);
}
MAP1(float, relaxed_sinh, float)

/* 1 - 2 / (exp(2x) + 1), right also where the power is infinite or 0. */
float PURE relaxed_tanh(float x)
{
    float q = x * x;
    float p = x + x * q * (-1.0f / 3 + q * (2.0f / 15 + q * (-17.0f / 315)));
    return fabs(x) < 0.25f ? p : 1.0f - 2.0f * __gen_rcp(__gen_exp2(x * (2 * LOG2_E)) + 1.0f);
}
MAP1(float, relaxed_tanh, float)

/* Tests for infinities and NaN, where there are none. */
#define ANSWER(name, one, all)                                                                     \
    int PURE name(float x)                                                                         \
    {                                                                                              \
        return one;                                                                                \
    }                                                                                              \
    int PURE name(float x, float y)                                                                \
    {                                                                                              \
        return one;                                                                                \
    }                                                                                              \
    ANSWER_N(name, 2, all)                                                                         \
    ANSWER_N(name, 3, all) ANSWER_N(name, 4, all) ANSWER_N(name, 8, all) ANSWER_N(name, 16, all)
#define ANSWER_N(name, n, all)                                                                     \
    int##n PURE name(float##n x)                                                                   \
    {                                                                                              \
        return (int##n)(all);                                                                      \
    }                                                                                              \
    int##n PURE name(float##n x, float##n y)                                                       \
    {                                                                                              \
        return (int##n)(all);                                                                      \
    }
ANSWER(finite_no, 0, 0)
ANSWER(finite_yes, 1, -1)
