/* 64-bit atomic operations by pointer space, Gen8 on. Of global memory they are messages. Local memory has none: one
 * lane after the other works alone in the work-group, under its lock. A thread takes the lock once, by one lane, and
 * leaves it before it does anything else, so no thread waits for ever. The fences keep what is between them there,
 * in one piece, for all lanes. */
#ifndef GEN_LIB_ATOMIC64_H
#define GEN_LIB_ATOMIC64_H

#include "gen.h"

#define TOGETHER __attribute__((overloadable, convergent))

static void TOGETHER begin_alone(uint first)
{
    if (__gen_lane_id() == first)
        while (__gen_atomic_xchg_local(__gen_group_lock(), 1))
            ;
    __gen_fence(CLK_LOCAL_MEM_FENCE);
}

static void TOGETHER end_alone(uint first)
{
    __gen_fence(CLK_LOCAL_MEM_FENCE);
    if (__gen_lane_id() == first)
        __gen_atomic_xchg_local(__gen_group_lock(), 0);
}

#define ALONE(op, value)                                                                           \
    static ulong TOGETHER local_##op(volatile __local ulong *p, ulong compare, ulong v)            \
    {                                                                                              \
        uint lanes = __gen_reduce_or(1u << __gen_lane_id()), first = (uint)__builtin_ctz(lanes);   \
        ulong old = 0;                                                                             \
        begin_alone(first);                                                                        \
        for (uint m = lanes; m; m &= m - 1) {                                                      \
            if (__gen_lane_id() == (uint)__builtin_ctz(m)) {                                       \
                old = *p;                                                                          \
                *p = value;                                                                        \
            }                                                                                      \
            __gen_fence(CLK_LOCAL_MEM_FENCE);                                                      \
        }                                                                                          \
        end_alone(first);                                                                          \
        return old;                                                                                \
    }
ALONE(add, old + v)
ALONE(sub, old - v)
ALONE(xchg, v)
ALONE(imin, (ulong)min((long)old, (long)v))
ALONE(imax, (ulong)max((long)old, (long)v))
ALONE(umin, min(old, v))
ALONE(umax, max(old, v))
ALONE(and, old & v)
ALONE(or, old | v)
ALONE(xor, old ^ v)
ALONE(cmpxchg, old == compare ? v : old)

#define GLOBAL64(op)                                                                               \
    static ulong TOGETHER space_##op(volatile __global ulong *p, ulong compare, ulong v)           \
    {                                                                                              \
        return __gen_atomic_##op##_global64(p, v);                                                 \
    }                                                                                              \
    static ulong TOGETHER space_##op(volatile __local ulong *p, ulong compare, ulong v)            \
    {                                                                                              \
        return local_##op(p, compare, v);                                                          \
    }
GLOBAL64(add)
GLOBAL64(sub)
GLOBAL64(xchg)
GLOBAL64(imin)
GLOBAL64(imax)
GLOBAL64(umin)
GLOBAL64(umax)
GLOBAL64(and)
GLOBAL64(or)
GLOBAL64(xor)

static ulong TOGETHER space_cmpxchg(volatile __global ulong *p, ulong compare, ulong v)
{
    return __gen_atomic_cmpxchg_global64(p, compare, v);
}

static ulong TOGETHER space_cmpxchg(volatile __local ulong *p, ulong compare, ulong v)
{
    return local_cmpxchg(p, compare, v);
}

#endif
