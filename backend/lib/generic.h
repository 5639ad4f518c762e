/* From OpenCL C 2.0 on, with generic pointers: functions with a second result, by way of their private forms,
 * and vloads and vstores, of one type of numbers. What is known of the pointer is found out after inlining. */
#ifndef GEN_LIB_GENERIC_H
#define GEN_LIB_GENERIC_H

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
#define MATH(T)                                                                                    \
    POINTERS(fract, T, T)                                                                          \
    POINTERS(modf, T, T)                                                                           \
    POINTERS(sincos, T, T)                                                                         \
    POINTERS(frexp, T, int)                                                                        \
    POINTERS(lgamma_r, T, int)                                                                     \
    REMQUO(T, int)                                                                                 \
    REMQUO(T##2, int2)                                                                             \
    REMQUO(T##3, int3)                                                                             \
    REMQUO(T##4, int4)                                                                             \
    REMQUO(T##8, int8)                                                                             \
    REMQUO(T##16, int16)

/* Vectors that need no more alignment than their elements. */
#define VECTOR(T, n)                                                                               \
    typedef T##n unaligned_##T##n __attribute__((aligned(sizeof(T))));                             \
    T##n OVER vload##n(size_t i, const T *p)                                                       \
    {                                                                                              \
        return *(const unaligned_##T##n *)(p + n * i);                                             \
    }                                                                                              \
    void OVER vstore##n(T##n x, size_t i, T *p)                                                    \
    {                                                                                              \
        *(unaligned_##T##n *)(p + n * i) = x;                                                      \
    }
#define VECTORS(T)                                                                                 \
    VECTOR(T, 2)                                                                                   \
    VECTOR(T, 4)                                                                                   \
    VECTOR(T, 8)                                                                                   \
    VECTOR(T, 16)                                                                                  \
    T##3 OVER vload3(size_t i, const T *p)                                                         \
    {                                                                                              \
        p += 3 * i;                                                                                \
        return (T##3)(*(const unaligned_##T##2 *)p, p[2]);                                         \
    }                                                                                              \
    void OVER vstore3(T##3 x, size_t i, T *p)                                                      \
    {                                                                                              \
        p += 3 * i;                                                                                \
        *(unaligned_##T##2 *)p = x.s01;                                                            \
        p[2] = x.s2;                                                                               \
    }

#endif
