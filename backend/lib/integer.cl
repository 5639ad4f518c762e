/* Integer functions that libclc lacks or gets wrong. */
#include "gen.h"
#include "vector.h"

/* The sum wraps, which one of signed numbers need not. */
#define MAD_HI1(T, U)                                                                              \
    T PURE mad_hi(T a, T b, T c)                                                                   \
    {                                                                                              \
        U sum = as_##U(mul_hi(a, b)) + as_##U(c);                                                  \
        return as_##T(sum);                                                                        \
    }
#define MAD_HI(T, U)                                                                               \
    MAD_HI1(T, U)                                                                                  \
    MAD_HI1(T##2, U##2)                                                                            \
    MAD_HI1(T##3, U##3)                                                                            \
    MAD_HI1(T##4, U##4)                                                                            \
    MAD_HI1(T##8, U##8)                                                                            \
    MAD_HI1(T##16, U##16)
MAD_HI(char, uchar)
MAD_HI(uchar, uchar)
MAD_HI(short, ushort)
MAD_HI(ushort, ushort)
MAD_HI(int, uint)
MAD_HI(uint, uint)
MAD_HI(long, ulong)
MAD_HI(ulong, ulong)

/* a * b + c in 128 bits. */
long PURE mad_sat(long a, long b, long c)
{
    ulong lo = (ulong)a * (ulong)b + (ulong)c;
    long hi = mul_hi(a, b) + (c >> 63) + (lo < (ulong)c);
    if (hi == (long)lo >> 63)
        return (long)lo;
    return hi < 0 ? LONG_MIN : LONG_MAX;
}
MAP3(long, mad_sat, long)

int PURE sub_sat(int a, int b)
{
    int d = (int)((uint)a - (uint)b);
    return ((a ^ b) & (a ^ d)) < 0 ? (a < 0 ? INT_MIN : INT_MAX) : d;
}
MAP2(int, sub_sat, int, int)

long PURE sub_sat(long a, long b)
{
    long d = (long)((ulong)a - (ulong)b);
    return ((a ^ b) & (a ^ d)) < 0 ? (a < 0 ? LONG_MIN : LONG_MAX) : d;
}
MAP2(long, sub_sat, long, long)
