/* cl_khr_extended_bit_ops. */
#include "gen.h"
#include "vector.h"

/* Bits 0 .. n - 1 of the bits of T; n from 1 on. */
#define LOW(U, bits, n) ((U)((U)~(U)0 >> ((bits) - (n))))

#define INSERT(T, U, bits)                                                                         \
    T PURE bitfield_insert(T base, T insert, uint offset, uint count)                              \
    {                                                                                              \
        U mask = count ? (U)(LOW(U, bits, count) << offset) : 0;                                   \
        return (T)((base & (T)~mask) | ((T)((U)insert << offset) & (T)mask));                      \
    }
#define EXTRACT(T, S, U, bits)                                                                     \
    S PURE bitfield_extract_signed(T base, uint offset, uint count)                                \
    {                                                                                              \
        return count ? (S)((S)((U)base << (bits - offset - count)) >> (bits - count)) : 0;         \
    }                                                                                              \
    U PURE bitfield_extract_unsigned(T base, uint offset, uint count)                              \
    {                                                                                              \
        return count ? (U)((U)base >> offset) & LOW(U, bits, count) : 0;                           \
    }
/* Clang's function would make an int of a char. */
#define REVERSE(T, U, bits)                                                                        \
    T PURE bit_reverse(T x)                                                                        \
    {                                                                                              \
        return (T)(__builtin_elementwise_bitreverse((ulong)(U)x) >> (64 - bits));                  \
    }                                                                                              \
    MAP1(T, bit_reverse, T)

#define MAP_INSERT(T, n)                                                                           \
    T##n PURE bitfield_insert(T##n a, T##n b, uint offset, uint count)                             \
    {                                                                                              \
        return (T##n)(bitfield_insert(a.lo, b.lo, offset, count),                                  \
                      bitfield_insert(a.hi, b.hi, offset, count));                                 \
    }
#define MAP_EXTRACT(name, T, R, n)                                                                 \
    R##n PURE name(T##n a, uint offset, uint count)                                                \
    {                                                                                              \
        return (R##n)(name(a.lo, offset, count), name(a.hi, offset, count));                       \
    }
#define THREE(T, S, U)                                                                             \
    T##3 PURE bitfield_insert(T##3 a, T##3 b, uint offset, uint count)                             \
    {                                                                                              \
        return (T##3)(bitfield_insert(a.s01, b.s01, offset, count),                                \
                      bitfield_insert(a.s2, b.s2, offset, count));                                 \
    }                                                                                              \
    S##3 PURE bitfield_extract_signed(T##3 a, uint offset, uint count)                             \
    {                                                                                              \
        return (S##3)(bitfield_extract_signed(a.s01, offset, count),                               \
                      bitfield_extract_signed(a.s2, offset, count));                               \
    }                                                                                              \
    U##3 PURE bitfield_extract_unsigned(T##3 a, uint offset, uint count)                           \
    {                                                                                              \
        return (U##3)(bitfield_extract_unsigned(a.s01, offset, count),                             \
                      bitfield_extract_unsigned(a.s2, offset, count));                             \
    }
#define LENGTH(T, S, U, n)                                                                         \
    MAP_INSERT(T, n)                                                                               \
    MAP_EXTRACT(bitfield_extract_signed, T, S, n)                                                  \
    MAP_EXTRACT(bitfield_extract_unsigned, T, U, n)
#define TYPE(T, S, U, bits)                                                                        \
    INSERT(T, U, bits)                                                                             \
    EXTRACT(T, S, U, bits)                                                                         \
    REVERSE(T, U, bits)                                                                            \
    LENGTH(T, S, U, 2)                                                                             \
    THREE(T, S, U)                                                                                 \
    LENGTH(T, S, U, 4)                                                                             \
    LENGTH(T, S, U, 8)                                                                             \
    LENGTH(T, S, U, 16)
TYPE(char, char, uchar, 8)
TYPE(uchar, char, uchar, 8)
TYPE(short, short, ushort, 16)
TYPE(ushort, short, ushort, 16)
TYPE(int, int, uint, 32)
TYPE(uint, int, uint, 32)
TYPE(long, long, ulong, 64)
TYPE(ulong, long, ulong, 64)
