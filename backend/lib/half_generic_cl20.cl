/* The generic-pointer functions of halves: see generic_cl20.cl. */
#include "gen.h"

#define OVER __attribute__((overloadable))

#define POINTER(name, T, S)                                                                        \
    T OVER name(T x, __private S *p);                                                              \
    T OVER name(T x, S *p)                                                                         \
    {                                                                                              \
        S second;                                                                                  \
        T r = name(x, &second);                                                                    \
        *p = second;                                                                               \
        return r;                                                                                  \
    }
#define POINTERS(name, T, S)                                                                       \
    POINTER(name, T, S)                                                                            \
    POINTER(name, T##2, S##2)                                                                      \
    POINTER(name, T##3, S##3)                                                                      \
    POINTER(name, T##4, S##4)                                                                      \
    POINTER(name, T##8, S##8)                                                                      \
    POINTER(name, T##16, S##16)
#define REMQUO(T, S)                                                                               \
    T OVER remquo(T x, T y, __private S *p);                                                       \
    T OVER remquo(T x, T y, S *p)                                                                  \
    {                                                                                              \
        S quotient;                                                                                \
        T r = remquo(x, y, &quotient);                                                             \
        *p = quotient;                                                                             \
        return r;                                                                                  \
    }
POINTERS(fract, half, half)
POINTERS(modf, half, half)
POINTERS(sincos, half, half)
POINTERS(frexp, half, int)
POINTERS(lgamma_r, half, int)
REMQUO(half, int)
REMQUO(half2, int2)
REMQUO(half3, int3)
REMQUO(half4, int4)
REMQUO(half8, int8)
REMQUO(half16, int16)

#define VECTOR(n)                                                                                  \
    typedef half##n unaligned_half##n __attribute__((aligned(2)));                                 \
    half##n OVER vload##n(size_t i, const half *p)                                                 \
    {                                                                                              \
        return *(const unaligned_half##n *)(p + n * i);                                            \
    }                                                                                              \
    void OVER vstore##n(half##n x, size_t i, half *p)                                              \
    {                                                                                              \
        *(unaligned_half##n *)(p + n * i) = x;                                                     \
    }
VECTOR(2)
VECTOR(4)
VECTOR(8)
VECTOR(16)

half3 OVER vload3(size_t i, const half *p)
{
    p += 3 * i;
    return (half3)(*(const unaligned_half2 *)p, p[2]);
}

void OVER vstore3(half3 x, size_t i, half *p)
{
    p += 3 * i;
    *(unaligned_half2 *)p = x.s01;
    p[2] = x.s2;
}
