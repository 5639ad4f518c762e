/* Atomics of OpenCL 1.x on 32-bit integers, under their names of 1.0 (atom_*) and 1.1 (atomic_*). */
#include "gen.h"

#define A0(prefix, name, op, T, AS, as)                                                            \
    T __attribute__((overloadable)) prefix##name(volatile AS T *p)                                 \
    {                                                                                              \
        return (T)__gen_atomic_##op##_##as((volatile AS uint *)p);                                 \
    }
#define A1(prefix, name, op, T, AS, as)                                                            \
    T __attribute__((overloadable)) prefix##name(volatile AS T *p, T v)                            \
    {                                                                                              \
        return (T)__gen_atomic_##op##_##as((volatile AS uint *)p, (uint)v);                        \
    }
#define A2(prefix, name, op, T, AS, as)                                                            \
    T __attribute__((overloadable)) prefix##name(volatile AS T *p, T compare, T v)                 \
    {                                                                                              \
        return (T)__gen_atomic_##op##_##as((volatile AS uint *)p, (uint)compare, (uint)v);         \
    }

#define FOR_SPACES(A, prefix, name, op, T)                                                         \
    A(prefix, name, op, T, __global, global)                                                       \
    A(prefix, name, op, T, __local, local)
#define FOR_PREFIXES(A, name, op, T)                                                               \
    FOR_SPACES(A, atomic_, name, op, T)                                                            \
    FOR_SPACES(A, atom_, name, op, T)
#define BOTH_SIGNS(A, name, op)                                                                    \
    FOR_PREFIXES(A, name, op, int)                                                                 \
    FOR_PREFIXES(A, name, op, uint)

BOTH_SIGNS(A1, add, add)
BOTH_SIGNS(A1, sub, sub)
BOTH_SIGNS(A1, xchg, xchg)
BOTH_SIGNS(A0, inc, inc)
BOTH_SIGNS(A0, dec, dec)
BOTH_SIGNS(A2, cmpxchg, cmpxchg)
BOTH_SIGNS(A1, and, and)
BOTH_SIGNS(A1, or, or)
BOTH_SIGNS(A1, xor, xor)
FOR_PREFIXES(A1, min, imin, int)
FOR_PREFIXES(A1, max, imax, int)
FOR_PREFIXES(A1, min, umin, uint)
FOR_PREFIXES(A1, max, umax, uint)

#define XCHG_FLOAT(AS, as)                                                                         \
    float __attribute__((overloadable)) atomic_xchg(volatile AS float *p, float v)                 \
    {                                                                                              \
        return as_float(__gen_atomic_xchg_##as((volatile AS uint *)p, as_uint(v)));                \
    }
XCHG_FLOAT(__global, global)
XCHG_FLOAT(__local, local)
