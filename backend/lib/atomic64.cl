/* Atomics of cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics. */
#include "atomic64.h"

#define A0(name, op, one, T, AS)                                                                   \
    T TOGETHER atom_##name(volatile AS T *p)                                                       \
    {                                                                                              \
        return (T)space_##op((volatile AS ulong *)p, 0, one);                                      \
    }
#define A1(name, op, one, T, AS)                                                                   \
    T TOGETHER atom_##name(volatile AS T *p, T v)                                                  \
    {                                                                                              \
        return (T)space_##op((volatile AS ulong *)p, 0, (ulong)v);                                 \
    }
#define A2(name, op, one, T, AS)                                                                   \
    T TOGETHER atom_##name(volatile AS T *p, T compare, T v)                                       \
    {                                                                                              \
        return (T)space_##op((volatile AS ulong *)p, (ulong)compare, (ulong)v);                    \
    }
#define FOR_SPACES(A, name, op, one, T)                                                            \
    A(name, op, one, T, __global)                                                                  \
    A(name, op, one, T, __local)
#define BOTH_SIGNS(A, name, op, one)                                                               \
    FOR_SPACES(A, name, op, one, long)                                                             \
    FOR_SPACES(A, name, op, one, ulong)
BOTH_SIGNS(A1, add, add, )
BOTH_SIGNS(A1, sub, sub, )
BOTH_SIGNS(A1, xchg, xchg, )
BOTH_SIGNS(A0, inc, add, 1)
BOTH_SIGNS(A0, dec, sub, 1)
BOTH_SIGNS(A2, cmpxchg, cmpxchg, )
BOTH_SIGNS(A1, and, and, )
BOTH_SIGNS(A1, or, or, )
BOTH_SIGNS(A1, xor, xor, )
FOR_SPACES(A1, min, imin, , long)
FOR_SPACES(A1, max, imax, , long)
FOR_SPACES(A1, min, umin, , ulong)
FOR_SPACES(A1, max, umax, , ulong)
