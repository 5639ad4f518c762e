/* Comparisons, selections, loads and stores of halves. Vectors of halves compare to shorts. */
#include "gen.h"
#include "vector.h"

#define COMPARE_N(name, n, test)                                                                   \
    short##n PURE name(half##n a, half##n b)                                                       \
    {                                                                                              \
        return test;                                                                               \
    }
#define COMPARE(name, test)                                                                        \
    int PURE name(half a, half b)                                                                  \
    {                                                                                              \
        return test;                                                                               \
    }                                                                                              \
    COMPARE_N(name, 2, test)                                                                       \
    COMPARE_N(name, 3, test) COMPARE_N(name, 4, test) COMPARE_N(name, 8, test) COMPARE_N(name, 16, test)
COMPARE(isequal, a == b)
COMPARE(isnotequal, a != b)
COMPARE(isgreater, a > b)
COMPARE(isgreaterequal, a >= b)
COMPARE(isless, a < b)
COMPARE(islessequal, a <= b)
COMPARE(islessgreater, (a < b) | (a > b))
COMPARE(isordered, (a == a) & (b == b))
COMPARE(isunordered, (a != a) | (b != b))

/* By the bits, `m` those of the magnitude. */
#define CLASS_N(name, n, test)                                                                     \
    short##n PURE name(half##n x)                                                                  \
    {                                                                                              \
        short##n bits = as_short##n(x), m = bits & (short##n)0x7fff;                               \
        return test;                                                                               \
    }
#define CLASS(name, test)                                                                          \
    int PURE name(half x)                                                                          \
    {                                                                                              \
        short bits = as_short(x), m = bits & 0x7fff;                                               \
        return test;                                                                               \
    }                                                                                              \
    CLASS_N(name, 2, test)                                                                         \
    CLASS_N(name, 3, test) CLASS_N(name, 4, test) CLASS_N(name, 8, test) CLASS_N(name, 16, test)
CLASS(isnan, m > (short)0x7c00)
CLASS(isinf, m == (short)0x7c00)
CLASS(isfinite, m < (short)0x7c00)
CLASS(isnormal, (m >= (short)0x0400) & (m < (short)0x7c00))
CLASS(signbit, bits < (short)0)

half PURE select(half a, half b, short c)
{
    return c ? b : a;
}
half PURE select(half a, half b, ushort c)
{
    return c ? b : a;
}
half PURE bitselect(half a, half b, half c)
{
    return as_half((ushort)((as_ushort(a) & ~as_ushort(c)) | (as_ushort(b) & as_ushort(c))));
}
#define SELECT(n)                                                                                  \
    half##n PURE select(half##n a, half##n b, short##n c)                                          \
    {                                                                                              \
        return c < (short##n)0 ? b : a;                                                            \
    }                                                                                              \
    half##n PURE select(half##n a, half##n b, ushort##n c)                                         \
    {                                                                                              \
        return as_short##n(c) < (short##n)0 ? b : a;                                               \
    }                                                                                              \
    half##n PURE bitselect(half##n a, half##n b, half##n c)                                        \
    {                                                                                              \
        return as_half##n((as_ushort##n(a) & ~as_ushort##n(c)) | (as_ushort##n(b) & as_ushort##n(c))); \
    }
SELECT(2) SELECT(3) SELECT(4) SELECT(8) SELECT(16)

#define LOAD(n, AS)                                                                                \
    ushort##n OVER vload##n(size_t i, const AS ushort *p);                                         \
    half##n OVER vload##n(size_t i, const AS half *p)                                              \
    {                                                                                              \
        return as_half##n(vload##n(i, (const AS ushort *)p));                                      \
    }
#define STORE(n, AS)                                                                               \
    void OVER vstore##n(ushort##n x, size_t i, AS ushort *p);                                      \
    void OVER vstore##n(half##n x, size_t i, AS half *p)                                           \
    {                                                                                              \
        vstore##n(as_ushort##n(x), i, (AS ushort *)p);                                             \
    }
#define LOADS(AS)  LOAD(2, AS) LOAD(3, AS) LOAD(4, AS) LOAD(8, AS) LOAD(16, AS)
#define STORES(AS) STORE(2, AS) STORE(3, AS) STORE(4, AS) STORE(8, AS) STORE(16, AS)
LOADS(__private)
LOADS(__global)
LOADS(__local)
LOADS(__constant)
STORES(__private)
STORES(__global)
STORES(__local)
