/* The math unit's functions in doubles, four lanes at a time: the one meaning that the general path
 * (eu_math.c) and the fast forms (eu_fast_math.h) share, whatever host it is compiled for: no step
 * is fused, so all give the same bits. Under the host's default mode. The relative error is below
 * 2^-36 (of logarithms, exponentials below 2^-45), so that rounding it to a float is all but
 * correct.
 *
 * The power series are of log2((1 + s) / (1 - s)), 2^x, sin and cos, long enough for their reduced
 * ranges. Lanes that aren't ordinary (infinities, zeros and negative numbers where they matter,
 * angles beyond 2^20) are left to eu_math_function(). */
#ifndef SIM_EU_MATH_VEC_H
#define SIM_EU_MATH_VEC_H

#include "eu_exec.h"

#include <immintrin.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

typedef int64_t vq __attribute__((vector_size(32)));
typedef uint64_t vuq __attribute__((vector_size(32)));
typedef double vdf __attribute__((vector_size(32)));

#define VEC_INLINE static inline __attribute__((always_inline))

VEC_INLINE vdf vec_splat(double v)
{
    return (vdf){v, v, v, v};
}

VEC_INLINE vdf vec_root(vdf v)
{
#ifdef __AVX__
    return (vdf)_mm256_sqrt_pd((__m256d)v);
#else
    union {
        vdf v;
        __m128d h[2];
    } u = {.v = v};
    u.h[0] = _mm_sqrt_pd(u.h[0]);
    u.h[1] = _mm_sqrt_pd(u.h[1]);
    return u.v;
#endif
}

/* One bit a lane whose sign bit is set. */
VEC_INLINE unsigned vec_signs(vq v)
{
#ifdef __AVX__
    return (unsigned)_mm256_movemask_pd((__m256d)v);
#else
    union {
        vq v;
        __m128d h[2];
    } u = {.v = v};
    return (unsigned)_mm_movemask_pd(u.h[0]) | (unsigned)_mm_movemask_pd(u.h[1]) << 2;
#endif
}

/* Added to a number below 2^51, leaves its nearest integer in the low bits of the sum. */
#define VEC_ROUNDER 0x1.8p52

/* c[n - 1] x^(n - 1) + ... + c[0], n up to 16; neighbours first, so that the steps don't wait for
 * each other. */
VEC_INLINE vdf vec_series(vdf x, const double c[], int n)
{
    vdf part[16];
#pragma GCC unroll 16
    for (int i = 0; i < n; i++)
        part[i] = vec_splat(c[i]);
#pragma GCC unroll 4
    for (; n > 1; n = (n + 1) / 2, x = x * x) {
#pragma GCC unroll 8
        for (int i = 0; i < n / 2; i++)
            part[i] = part[2 * i + 1] * x + part[2 * i];
        if (n % 2)
            part[n / 2] = part[n - 1];
    }
    return part[0];
}

/* 2^x for |x| below 1000. ln(2)^n / n! */
VEC_INLINE vdf vec_exp2(vdf x)
{
    static const double c[] = {0x1p0,
                               0x1.62e42fefa39efp-1,
                               0x1.ebfbdff82c58fp-3,
                               0x1.c6b08d704a0c0p-5,
                               0x1.3b2ab6fba4e77p-7,
                               0x1.5d87fe78a6731p-10,
                               0x1.430912f86c787p-13,
                               0x1.ffcbfc588b0c7p-17,
                               0x1.62c0223a5c824p-20,
                               0x1.b5253d395e7c4p-24,
                               0x1.e4cf5158b8ecap-28,
                               0x1.e8cac7351bb25p-32};
    vdf whole = x + VEC_ROUNDER;
    vdf power = vec_series(x - (whole - VEC_ROUNDER), c, sizeof c / sizeof c[0]);
    return (vdf)((vuq)power + ((vuq)whole << 52));
}

/* Of positive finite numbers: the logarithm of the fraction, from 1/sqrt(2) to sqrt(2), and the
 * exponent. 2 / (ln(2) (2 n + 1)) */
VEC_INLINE vdf vec_log2(vdf x)
{
    static const double c[] = {0x1.71547652b82fep1,  0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1,
                               0x1.a61762a7aded9p-2, 0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2,
                               0x1.c68f568d31760p-3, 0x1.89f3b1694cffep-3, 0x1.5b9ac9b743f0dp-3,
                               0x1.3703c1f4d0ffep-3};
    const vuq least = {0x3fe6a09e667f3bcdull, 0x3fe6a09e667f3bcdull, 0x3fe6a09e667f3bcdull,
                       0x3fe6a09e667f3bcdull};
    const uint64_t one = 0x3ffull << 52, two_to_52 = 0x433ull << 52;
    vuq bits = (vuq)x + one - least;
    vdf exponent = (vdf)(bits >> 52 | two_to_52) - (0x1p52 + 1023);
    vdf m = (vdf)((bits & ((1ull << 52) - 1)) + least);
    vdf s = (m - 1.0) / (m + 1.0);
    return s * vec_series(s * s, c, sizeof c / sizeof c[0]) + exponent;
}

/* sin(x), or with a quarter turn more cos(x). */
VEC_INLINE vdf vec_sin(vdf x, uint64_t quarter)
{
    static const double sin_c[] = {
        1.0,          -1.0 / 6,        1.0 / 120,        -1.0 / 5040,
        1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
    static const double cos_c[] = {1.0,
                                   -1.0 / 2,
                                   1.0 / 24,
                                   -1.0 / 720,
                                   1.0 / 40320,
                                   -1.0 / 3628800,
                                   1.0 / 479001600,
                                   -1.0 / 87178291200,
                                   1.0 / 20922789888000};
    /* Half of pi in three parts; products of the first two with numbers below 2^20 are exact. */
    vdf rounded = x * 0x1.45f306dc9c883p-1 + VEC_ROUNDER, k = rounded - VEC_ROUNDER;
    vdf r = ((x - k * 0x1.921fb544p0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
    vdf square = r * r;
    vdf sine = r * vec_series(square, sin_c, sizeof sin_c / sizeof sin_c[0]);
    vdf cosine = vec_series(square, cos_c, sizeof cos_c / sizeof cos_c[0]);
    vuq turns = (vuq)rounded + quarter;
    vuq odd = -(turns & 1), sign = (turns & 2) << 62;
    return (vdf)(((odd & (vuq)cosine) | (~odd & (vuq)sine)) ^ sign);
}

/* All functions of two sources have a and b; fn is known when this is compiled, but for the general
 * path. */
VEC_INLINE vdf eu_math_vec(unsigned fn, vdf a, vdf b)
{
    const vuq magnitude = ~((vuq){0} + (1ull << 63));
    vdf size = (vdf)((vuq)a & magnitude), size_b = (vdf)((vuq)b & magnitude), r;
    vq ordinary = ~(vq){0};
    switch (fn) {
    case EU_MATH_INV:
        return 1.0 / a;
    case EU_MATH_FDIV:
        return a / b;
    case EU_MATH_SQT:
        return vec_root(a);
    case EU_MATH_RSQT:
        return 1.0 / vec_root(a);
    case EU_MATH_EXP: /* beyond 200 the float is infinite or zero */
        ordinary = size < 200.0;
        r = vec_exp2((vdf)((vuq)a & (vuq)ordinary));
        break;
    case EU_MATH_LOG:
        ordinary = (a > 0.0) & (a < 0x1p200);
        r = vec_log2(a);
        break;
    case EU_MATH_SIN:
    case EU_MATH_COS:
        ordinary = size < 0x1p20;
        r = vec_sin((vdf)((vuq)a & (vuq)ordinary), fn == EU_MATH_COS);
        break;
    default:
        ordinary = (size > 0.0) & (size < 0x1p200) & (size_b > 0.0);
        r = b * vec_log2(size);
        ordinary &= (vdf)((vuq)r & magnitude) < 200.0;
        r = vec_exp2((vdf)((vuq)r & (vuq)ordinary));
        break;
    }
    unsigned others = ~vec_signs(ordinary) & 0xf;
    if (__builtin_expect(others != 0, 0)) {
        double x[4], y[4], to[4];
        memcpy(x, &a, sizeof x);
        memcpy(y, &b, sizeof y);
        memcpy(to, &r, sizeof to);
        for (; others; others &= others - 1) {
            unsigned i = (unsigned)__builtin_ctz(others);
            to[i] = eu_math_function(fn, x[i], y[i]);
        }
        memcpy(&r, to, sizeof r);
    }
    return r;
}

#endif
