/* Atomics of OpenCL C 2.0 and 3.0 on 32 bits. */
#include "atomic.h"

#define GLOBAL(p) ((volatile __global uint *)(p))
#define LOCAL(p) ((volatile __local uint *)(p))

#define RMW(op)                                                                                    \
    static uint OVER rmw_##op(volatile void *p, uint v)                                            \
    {                                                                                              \
        return IS_LOCAL(p) ? __gen_atomic_##op##_local(LOCAL(p), v)                                \
                           : __gen_atomic_##op##_global(GLOBAL(p), v);                             \
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

static uint OVER rmw_cmpxchg(volatile void *p, uint compare, uint v)
{
    return IS_LOCAL(p) ? __gen_atomic_cmpxchg_local(LOCAL(p), compare, v)
                       : __gen_atomic_cmpxchg_global(GLOBAL(p), compare, v);
}

static void OVER put(volatile void *p, uint v)
{
    *(volatile uint *)p = v;
}

static uint get_uint(volatile void *p)
{
    return *(volatile uint *)p;
}

INTEGER(atomic_int, int, int, uint, imin, imax)
INTEGER(atomic_uint, uint, uint, uint, umin, umax)
INTEGER(atomic_uint, uint, int, uint, umin, umax) /* an atomic_uintptr_t of 32 bits and a ptrdiff_t */
ANY(atomic_int, int, uint)
ANY(atomic_uint, uint, uint)
ANY(atomic_float, float, uint)
FLOAT_OPS(atomic_float, float, uint)

bool OVER atomic_flag_test_and_set_explicit(volatile atomic_flag *p, memory_order order,
                                            memory_scope scope)
{
    release(order);
    uint old = rmw_xchg(p, 1);
    acquire(order);
    return old != 0;
}

bool OVER atomic_flag_test_and_set_explicit(volatile atomic_flag *p, memory_order order)
{
    return atomic_flag_test_and_set_explicit(p, order, memory_scope_device);
}

bool OVER atomic_flag_test_and_set(volatile atomic_flag *p)
{
    return atomic_flag_test_and_set_explicit(p, memory_order_seq_cst, memory_scope_device);
}

void OVER atomic_flag_clear_explicit(volatile atomic_flag *p, memory_order order,
                                     memory_scope scope)
{
    atomic_store_explicit(p, 0, order, scope);
}

void OVER atomic_flag_clear_explicit(volatile atomic_flag *p, memory_order order)
{
    atomic_store_explicit(p, 0, order, memory_scope_device);
}

void OVER atomic_flag_clear(volatile atomic_flag *p)
{
    atomic_store(p, 0);
}

void OVER atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    if (order != memory_order_relaxed)
        __gen_fence(flags);
}
