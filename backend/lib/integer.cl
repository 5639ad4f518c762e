/* Integer functions that libclc lacks or gets wrong. */
#include "gen.h"
#include "vector.h"

#define MAD_HI1(T)                                                                                 \
    T PURE mad_hi(T a, T b, T c)                                                                   \
    {                                                                                              \
        return mul_hi(a, b) + c;                                                                   \
    }
#define MAD_HI(T) MAD_HI1(T) MAD_HI1(T##2) MAD_HI1(T##3) MAD_HI1(T##4) MAD_HI1(T##8) MAD_HI1(T##16)
MAD_HI(char)
MAD_HI(uchar)
MAD_HI(short)
MAD_HI(ushort)
MAD_HI(int)
MAD_HI(uint)
MAD_HI(long)
MAD_HI(ulong)

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
