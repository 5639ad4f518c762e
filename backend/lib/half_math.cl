/* Functions of halves: those of floats, rounded once more. A float's error is far below what is allowed of a half.
 * Clang declares no other overload of a function that this file defines, so the float ones are declared here. */
#include "half.h"
#include "vector.h"

#define F1(name)                                                                                   \
    float PURE name(float x);                                                                      \
    half PURE name(half x)                                                                         \
    {                                                                                              \
        return (half)name((float)x);                                                               \
    }                                                                                              \
    MAP1(half, name, half)
#define F2(name)                                                                                   \
    float PURE name(float x, float y);                                                             \
    half PURE name(half x, half y)                                                                 \
    {                                                                                              \
        return (half)name((float)x, (float)y);                                                     \
    }                                                                                              \
    MAP2(half, name, half, half)
#define F3(name)                                                                                   \
    float PURE name(float x, float y, float z);                                                    \
    half PURE name(half x, half y, half z)                                                         \
    {                                                                                              \
        return (half)name((float)x, (float)y, (float)z);                                           \
    }                                                                                              \
    MAP3(half, name, half)
/* A whole exponent. */
#define FI(name)                                                                                   \
    float PURE name(float x, int n);                                                               \
    half PURE name(half x, int n)                                                                  \
    {                                                                                              \
        return (half)name((float)x, n);                                                            \
    }                                                                                              \
    MAP2(half, name, half, int)

F1(acos) F1(acosh) F1(acospi) F1(asin) F1(asinh) F1(asinpi) F1(atan) F1(atanh) F1(atanpi)
F1(cbrt) F1(ceil) F1(cos) F1(cosh) F1(cospi) F1(erf) F1(erfc) F1(exp) F1(exp2) F1(exp10) F1(expm1)
F1(fabs) F1(floor) F1(lgamma) F1(log) F1(log2) F1(log10) F1(log1p) F1(logb) F1(rint) F1(round) F1(rsqrt)
F1(sin) F1(sinh) F1(sinpi) F1(sqrt) F1(tan) F1(tanh) F1(tanpi) F1(tgamma) F1(trunc)
F1(degrees) F1(radians) F1(sign)
F2(atan2) F2(atan2pi) F2(copysign) F2(fdim) F2(fmod) F2(hypot) F2(maxmag) F2(minmag)
F2(pow) F2(powr) F2(remainder) F2(step)
F3(mix) F3(smoothstep)
FI(pown) FI(rootn)

/* The product has 22 bits, the sum is made odd where it loses some (double rounding is harmless then). */
ushort __gen_fma16(ushort a, ushort b, ushort c)
{
#pragma OPENCL FP_CONTRACT OFF
    float p = __gen_h2f(a) * __gen_h2f(b), z = __gen_h2f(c), s = p + z;
    float t = s - p, lost = (p - (s - t)) + (z - t);
    uint bits = as_uint(s);
    if (lost == lost && lost != 0 && !(bits & 1))
        bits = (lost > 0) == (s > 0) ? bits + 1 : bits - 1;
    return (ushort)__gen_f2h(as_float(bits));
}

half PURE fma(half a, half b, half c)
{
    return __builtin_fmaf16(a, b, c); /* __gen_fma16 where the EU hasn't it */
}
MAP3(half, fma, half)

half PURE mad(half a, half b, half c)
{
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}
MAP3(half, mad, half)

half PURE fmin(half x, half y)
{
    return __builtin_fminf16(x, y);
}
MAP2(half, fmin, half, half)

half PURE fmax(half x, half y)
{
    return __builtin_fmaxf16(x, y);
}
MAP2(half, fmax, half, half)

half PURE min(half x, half y)
{
    return fmin(x, y);
}
MAP2(half, min, half, half)

half PURE max(half x, half y)
{
    return fmax(x, y);
}
MAP2(half, max, half, half)

half PURE clamp(half x, half low, half high)
{
    return fmin(fmax(x, low), high);
}
MAP3(half, clamp, half)

float PURE ldexp(float x, int n);
half PURE ldexp(half x, int n)
{
    return (half)ldexp((float)x, n < -200 ? -200 : n > 200 ? 200 : n);
}
MAP2(half, ldexp, half, int)

int PURE ilogb(float x);
int PURE ilogb(half x)
{
    return ilogb((float)x);
}
MAP1(int, ilogb, half)

half PURE nan(ushort payload)
{
    return as_half((ushort)(payload | 0x7e00));
}
#define NAN_N(n)                                                                                   \
    half##n PURE nan(ushort##n payload)                                                            \
    {                                                                                              \
        return as_half##n(payload | (ushort##n)0x7e00);                                            \
    }
NAN_N(2) NAN_N(3) NAN_N(4) NAN_N(8) NAN_N(16)

half PURE nextafter(half x, half y)
{
    short a = as_short(x);
    if (x != x || y != y)
        return x != x ? x : y;
    if (x == y)
        return y;
    if (x == 0)
        return as_half((short)((as_short(y) & 0x8000) | 1));
    return as_half((short)((x < y) == (a >= 0) ? a + 1 : a - 1));
}
MAP2(half, nextafter, half, half)

/* ---- a scalar for a vector ---- */

#define LAST(name, n)                                                                              \
    half##n PURE name(half##n x, half y)                                                           \
    {                                                                                              \
        return name(x, (half##n)y);                                                                \
    }
#define LASTS(name) LAST(name, 2) LAST(name, 3) LAST(name, 4) LAST(name, 8) LAST(name, 16)
LASTS(fmin) LASTS(fmax) LASTS(min) LASTS(max)

#define SCALARS(n)                                                                                 \
    half##n PURE ldexp(half##n x, int k)                                                           \
    {                                                                                              \
        return ldexp(x, (int##n)k);                                                                \
    }                                                                                              \
    half##n PURE clamp(half##n x, half low, half high)                                             \
    {                                                                                              \
        return clamp(x, (half##n)low, (half##n)high);                                              \
    }                                                                                              \
    half##n PURE mix(half##n x, half##n y, half a)                                                 \
    {                                                                                              \
        return mix(x, y, (half##n)a);                                                              \
    }                                                                                              \
    half##n PURE step(half edge, half##n x)                                                        \
    {                                                                                              \
        return step((half##n)edge, x);                                                             \
    }                                                                                              \
    half##n PURE smoothstep(half a, half b, half##n x)                                             \
    {                                                                                              \
        return smoothstep((half##n)a, (half##n)b, x);                                              \
    }
SCALARS(2) SCALARS(3) SCALARS(4) SCALARS(8) SCALARS(16)

/* ---- a second result behind a pointer ---- */

#define POINTER_N(name, n, S, AS)                                                                  \
    half##n OVER name(half##n x, AS S##n *p)                                                       \
    {                                                                                              \
        half##n r;                                                                                 \
        S##n q;                                                                                    \
        for (int i = 0; i < n; i++) {                                                              \
            S one;                                                                                 \
            r[i] = name(x[i], &one);                                                               \
            q[i] = one;                                                                            \
        }                                                                                          \
        *p = q;                                                                                    \
        return r;                                                                                  \
    }
#define POINTER_WIDTHS(name, S, AS)                                                                \
    POINTER_N(name, 2, S, AS)                                                                      \
    POINTER_N(name, 3, S, AS) POINTER_N(name, 4, S, AS) POINTER_N(name, 8, S, AS) POINTER_N(name, 16, S, AS)
/* T: what the float function stores; a result near 1 from below stays below 1. */
#define POINTER(name, T, S, AS, most)                                                              \
    half OVER name(half x, AS S *p)                                                                \
    {                                                                                              \
        T second;                                                                                  \
        half r = (half)name((float)x, &second);                                                    \
        *p = (S)second;                                                                            \
        return r > most ? most : r;                                                                \
    }
#define POINTERS(name, T, S, most)                                                                 \
    float OVER name(float x, __private T *p);                                                      \
    POINTER(name, T, S, __private, most)                                                           \
    POINTER(name, T, S, __global, most)                                                            \
    POINTER(name, T, S, __local, most)                                                             \
    POINTER_WIDTHS(name, S, __private)                                                             \
    POINTER_WIDTHS(name, S, __global)                                                              \
    POINTER_WIDTHS(name, S, __local)
#define BELOW_1  ((half)0.99951171875f)
#define INFINITE ((half)INFINITY)
POINTERS(fract, float, half, BELOW_1)
POINTERS(modf, float, half, INFINITE)
POINTERS(sincos, float, half, INFINITE)
POINTERS(frexp, int, int, INFINITE)
POINTERS(lgamma_r, int, int, INFINITE)

float OVER remquo(float x, float y, __private int *p);
#define REMQUO(AS)                                                                                 \
    half OVER remquo(half x, half y, AS int *p)                                                    \
    {                                                                                              \
        int q;                                                                                     \
        float r = remquo((float)x, (float)y, &q);                                                  \
        *p = q;                                                                                    \
        return (half)r;                                                                            \
    }                                                                                              \
    REMQUO_N(2, AS) REMQUO_N(3, AS) REMQUO_N(4, AS) REMQUO_N(8, AS) REMQUO_N(16, AS)
#define REMQUO_N(n, AS)                                                                            \
    half##n OVER remquo(half##n x, half##n y, AS int##n *p)                                        \
    {                                                                                              \
        half##n r;                                                                                 \
        int##n q;                                                                                  \
        for (int i = 0; i < n; i++) {                                                              \
            int one;                                                                               \
            r[i] = remquo(x[i], y[i], &one);                                                       \
            q[i] = one;                                                                            \
        }                                                                                          \
        *p = q;                                                                                    \
        return r;                                                                                  \
    }
REMQUO(__private)
REMQUO(__global)
REMQUO(__local)

/* ---- geometry, in float ---- */

float PURE dot(float4 x, float4 y);
float PURE length(float4 x);
float4 PURE normalize(float4 x);

static float4 OVER wide(half x)
{
    return (float4)(x, 0, 0, 0);
}
static float4 OVER wide(half2 x)
{
    return (float4)(x.s0, x.s1, 0, 0);
}
static float4 OVER wide(half3 x)
{
    return (float4)(x.s0, x.s1, x.s2, 0);
}
static float4 OVER wide(half4 x)
{
    return (float4)(x.s0, x.s1, x.s2, x.s3);
}
static half4 narrow(float4 x)
{
    return (half4)((half)x.s0, (half)x.s1, (half)x.s2, (half)x.s3);
}

#define GEOMETRY(T, part)                                                                          \
    half PURE dot(T x, T y)                                                                        \
    {                                                                                              \
        return (half)dot(wide(x), wide(y));                                                        \
    }                                                                                              \
    half PURE length(T x)                                                                          \
    {                                                                                              \
        return (half)length(wide(x));                                                              \
    }                                                                                              \
    half PURE distance(T x, T y)                                                                   \
    {                                                                                              \
        return (half)length(wide(x) - wide(y));                                                    \
    }                                                                                              \
    T PURE normalize(T x)                                                                          \
    {                                                                                              \
        return narrow(normalize(wide(x))).part;                                                    \
    }
GEOMETRY(half, s0)
GEOMETRY(half2, s01)
GEOMETRY(half3, s012)
GEOMETRY(half4, s0123)

half4 PURE cross(half4 x, half4 y)
{
    float4 a = wide(x), b = wide(y);
    return narrow((float4)(a.s1 * b.s2 - a.s2 * b.s1, a.s2 * b.s0 - a.s0 * b.s2, a.s0 * b.s1 - a.s1 * b.s0, 0));
}
half3 PURE cross(half3 x, half3 y)
{
    return cross((half4)(x, 0), (half4)(y, 0)).s012;
}
