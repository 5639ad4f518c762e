/* cl_khr_integer_dot_product: the sums fit 32 bits; what is added to them may saturate. */
#include "gen.h"
#include "vector.h"

#define DOT(A, B, R, packed)                                                                       \
    R PURE dot(A##4 a, B##4 b)                                                                     \
    {                                                                                              \
        return (R)a.s0 * b.s0 + (R)a.s1 * b.s1 + (R)a.s2 * b.s2 + (R)a.s3 * b.s3;                  \
    }                                                                                              \
    R PURE dot_acc_sat(A##4 a, B##4 b, R sum)                                                      \
    {                                                                                              \
        return add_sat(dot(a, b), sum);                                                            \
    }                                                                                              \
    R PURE dot_4x8packed_##packed(uint a, uint b)                                                  \
    {                                                                                              \
        return dot(as_##A##4(a), as_##B##4(b));                                                    \
    }                                                                                              \
    R PURE dot_acc_sat_4x8packed_##packed(uint a, uint b, R sum)                                   \
    {                                                                                              \
        return add_sat(dot_4x8packed_##packed(a, b), sum);                                         \
    }
DOT(uchar, uchar, uint, uu_uint)
DOT(char, char, int, ss_int)
DOT(uchar, char, int, us_int)
DOT(char, uchar, int, su_int)
