/* Means and differences of integers: what has 8 or 16 bits is computed in 32. */
#include "gen.h"
#include "vector.h"

#define SMALL(T, U)                                                                                \
    T PURE hadd(T a, T b)                                                                          \
    {                                                                                              \
        return (T)((a + b) >> 1);                                                                  \
    }                                                                                              \
    MAP2(T, hadd, T, T)                                                                            \
    T PURE rhadd(T a, T b)                                                                         \
    {                                                                                              \
        return (T)((a + b + 1) >> 1);                                                              \
    }                                                                                              \
    MAP2(T, rhadd, T, T)                                                                           \
    U PURE abs_diff(T a, T b)                                                                      \
    {                                                                                              \
        int d = (int)a - (int)b;                                                                   \
        return (U)(d < 0 ? -d : d);                                                                \
    }                                                                                              \
    MAP2(U, abs_diff, T, T)
SMALL(char, uchar)
SMALL(uchar, uchar)
SMALL(short, ushort)
SMALL(ushort, ushort)

#define LARGE(T, U)                                                                                \
    T PURE hadd(T a, T b)                                                                          \
    {                                                                                              \
        return (a & b) + ((a ^ b) >> 1);                                                           \
    }                                                                                              \
    MAP2(T, hadd, T, T)                                                                            \
    T PURE rhadd(T a, T b)                                                                         \
    {                                                                                              \
        return (a | b) - ((a ^ b) >> 1);                                                           \
    }                                                                                              \
    MAP2(T, rhadd, T, T)                                                                           \
    U PURE abs_diff(T a, T b)                                                                      \
    {                                                                                              \
        return a > b ? (U)a - (U)b : (U)b - (U)a;                                                  \
    }                                                                                              \
    MAP2(U, abs_diff, T, T)
LARGE(int, uint)
LARGE(uint, uint)
LARGE(long, ulong)
LARGE(ulong, ulong)
