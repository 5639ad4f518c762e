/* Atomics of OpenCL C 2.0 and 3.0 on 64 bits, Gen8 on. Loads and stores are operations too, as no others are certain to
 * move eight bytes at once. */
#include "atomic.h"
#include "atomic64.h"

#define RMW(op)                                                                                    \
    static ulong TOGETHER rmw_##op(volatile void *p, ulong v)                                      \
    {                                                                                              \
        return IS_LOCAL(p) ? space_##op((volatile __local ulong *)p, 0, v)                         \
                           : space_##op((volatile __global ulong *)p, 0, v);                       \
    }
RMW(add)
RMW(sub)
RMW(xchg)
RMW(imin)
RMW(imax)
RMW(umin)
RMW(umax)
RMW(and)
RMW(or)
RMW(xor)

static ulong TOGETHER rmw_cmpxchg(volatile void *p, ulong compare, ulong v)
{
    return IS_LOCAL(p) ? space_cmpxchg((volatile __local ulong *)p, compare, v)
                       : space_cmpxchg((volatile __global ulong *)p, compare, v);
}

static void TOGETHER put(volatile void *p, ulong v)
{
    rmw_xchg(p, v);
}

static ulong TOGETHER get_ulong(volatile void *p)
{
    return rmw_or(p, 0);
}

INTEGER(atomic_long, long, long, ulong, imin, imax)
INTEGER(atomic_ulong, ulong, ulong, ulong, umin, umax)
INTEGER(atomic_ulong, ulong, long, ulong, umin, umax) /* an atomic_uintptr_t of 64 bits and a ptrdiff_t */
ANY(atomic_long, long, ulong)
ANY(atomic_ulong, ulong, ulong)
ANY(atomic_double, double, ulong)
FLOAT_OPS(atomic_double, double, ulong)
