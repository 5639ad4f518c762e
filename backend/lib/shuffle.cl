/* shuffle, shuffle2: by dynamic elements, which constant masks make static. */
#include "gen.h"
#include "vector.h"

#define ONE(x, y, m, k) x[(mask[k]) & (m - 1)]
#define TWO(x, y, m, k) ((mask[k] & m) ? y[mask[k] & (m - 1)] : x[mask[k] & (m - 1)])

#define R2(E, m)  r.s0 = E(x, y, m, 0); r.s1 = E(x, y, m, 1);
#define R4(E, m)  R2(E, m) r.s2 = E(x, y, m, 2); r.s3 = E(x, y, m, 3);
#define R8(E, m)  R4(E, m) r.s4 = E(x, y, m, 4); r.s5 = E(x, y, m, 5);                             \
                  r.s6 = E(x, y, m, 6); r.s7 = E(x, y, m, 7);
#define R16(E, m) R8(E, m) r.s8 = E(x, y, m, 8); r.s9 = E(x, y, m, 9);                             \
                  r.sa = E(x, y, m, 10); r.sb = E(x, y, m, 11); r.sc = E(x, y, m, 12);             \
                  r.sd = E(x, y, m, 13); r.se = E(x, y, m, 14); r.sf = E(x, y, m, 15);

#define SHUFFLE(T, U, n, m)                                                                        \
    T##n PURE shuffle(T##m x, U##n mask)                                                           \
    {                                                                                              \
        T##n r;                                                                                    \
        R##n(ONE, m) return r;                                                                     \
    }                                                                                              \
    T##n PURE shuffle2(T##m x, T##m y, U##n mask)                                                  \
    {                                                                                              \
        T##n r;                                                                                    \
        R##n(TWO, m) return r;                                                                     \
    }
#define FROM(T, U, n) SHUFFLE(T, U, n, 2) SHUFFLE(T, U, n, 4) SHUFFLE(T, U, n, 8) SHUFFLE(T, U, n, 16)
#define TYPE(T, U)    FROM(T, U, 2) FROM(T, U, 4) FROM(T, U, 8) FROM(T, U, 16)

TYPE(char, uchar)
TYPE(uchar, uchar)
TYPE(short, ushort)
TYPE(ushort, ushort)
TYPE(int, uint)
TYPE(uint, uint)
TYPE(float, uint)
TYPE(double, ulong)
TYPE(half, ushort)
TYPE(long, ulong)
TYPE(ulong, ulong)
