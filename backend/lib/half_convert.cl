/* Conversions from and to half. From it by way of float, which is exact; to it by way of a float that rounds to the
 * same half: what an integer loses beyond 24 bits no half has. */
#include "half.h"
#include "vector.h"

/* The vector's name has its size in it. */
#define WIDTH(R, A, n, m, suffix)                                                                  \
    R##n PURE convert_##R##n##suffix(A##n x)                                                       \
    {                                                                                              \
        return (R##n)(convert_##R##m##suffix(x.lo), convert_##R##m##suffix(x.hi));                 \
    }
#define WIDTHS(R, A, suffix)                                                                       \
    WIDTH(R, A, 2, , suffix)                                                                       \
    R##3 PURE convert_##R##3##suffix(A##3 x)                                                       \
    {                                                                                              \
        return (R##3)(convert_##R##2##suffix(x.s01), convert_##R##suffix(x.s2));                   \
    }                                                                                              \
    WIDTH(R, A, 4, 2, suffix) WIDTH(R, A, 8, 4, suffix) WIDTH(R, A, 16, 8, suffix)

#define TO_HALF1(A, suffix, mode, as)                                                              \
    half PURE convert_half##suffix(A x)                                                            \
    {                                                                                              \
        return as_half((ushort)round_##mode(as(x)));                                               \
    }                                                                                              \
    WIDTHS(half, A, suffix)
#define TO_HALF(A, as)                                                                             \
    TO_HALF1(A, , rte, as)                                                                         \
    TO_HALF1(A, _rte, rte, as) TO_HALF1(A, _rtz, rtz, as) TO_HALF1(A, _rtp, rtp, as) TO_HALF1(A, _rtn, rtn, as)
TO_HALF(char, (float))
TO_HALF(uchar, (float))
TO_HALF(short, (float))
TO_HALF(ushort, (float))
TO_HALF(int, (float))
TO_HALF(uint, (float))
TO_HALF(long, (float))
TO_HALF(ulong, (float))
TO_HALF(half, (float))
TO_HALF(float, )
TO_HALF(double, __gen_d2odd)

#define FROM_HALF1(R, suffix)                                                                      \
    R PURE convert_##R##suffix(float x);                                                           \
    R PURE convert_##R##suffix(half x)                                                             \
    {                                                                                              \
        return convert_##R##suffix((float)x);                                                      \
    }                                                                                              \
    WIDTHS(R, half, suffix)
#define FROM_HALF(R)                                                                               \
    FROM_HALF1(R, )                                                                                \
    FROM_HALF1(R, _rte) FROM_HALF1(R, _rtz) FROM_HALF1(R, _rtp) FROM_HALF1(R, _rtn)
#define FROM_HALF_SAT(R)                                                                           \
    FROM_HALF(R)                                                                                   \
    FROM_HALF1(R, _sat) FROM_HALF1(R, _sat_rte) FROM_HALF1(R, _sat_rtz) FROM_HALF1(R, _sat_rtp)    \
        FROM_HALF1(R, _sat_rtn)
FROM_HALF_SAT(char)
FROM_HALF_SAT(uchar)
FROM_HALF_SAT(short)
FROM_HALF_SAT(ushort)
FROM_HALF_SAT(int)
FROM_HALF_SAT(uint)
FROM_HALF_SAT(long)
FROM_HALF_SAT(ulong)
FROM_HALF(float)
FROM_HALF(double)
