/* Atomics of OpenCL C 2.0 and 3.0. Operations by themselves are relaxed and of device scope; what an order asks
 * for beyond are fences before (release) and after (acquire). Of orders and scopes that are constants, as they
 * nearly always are, nothing is left. */
#include "gen.h"

#define OVER __attribute__((overloadable))

static void release(memory_order order)
{
    if (order != memory_order_relaxed && order != memory_order_acquire)
        __gen_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

static void acquire(memory_order order)
{
    if (order != memory_order_relaxed && order != memory_order_release)
        __gen_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

#define IS_LOCAL(p) (__gen_pointer_tag(p) == 2)
#define GLOBAL(p) ((volatile __global uint *)(p))
#define LOCAL(p) ((volatile __local uint *)(p))

#define RMW(op)                                                                                    \
    static uint rmw_##op(volatile void *p, uint v)                                                 \
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

static uint rmw_cmpxchg(volatile void *p, uint compare, uint v)
{
    return IS_LOCAL(p) ? __gen_atomic_cmpxchg_local(LOCAL(p), compare, v)
                       : __gen_atomic_cmpxchg_global(GLOBAL(p), compare, v);
}

/* ---- the forms of each: order and scope given, order given, neither ---- */

#define FETCH(name, op, A, T, M)                                                                    \
    T OVER name##_explicit(volatile A *p, M v, memory_order order, memory_scope scope)             \
    {                                                                                              \
        release(order);                                                                            \
        T old = as_##T(rmw_##op(p, as_uint(v)));                                                   \
        acquire(order);                                                                            \
        return old;                                                                                \
    }                                                                                              \
    T OVER name##_explicit(volatile A *p, M v, memory_order order)                                 \
    {                                                                                              \
        return name##_explicit(p, v, order, memory_scope_device);                                  \
    }                                                                                              \
    T OVER name(volatile A *p, M v)                                                                \
    {                                                                                              \
        return name##_explicit(p, v, memory_order_seq_cst, memory_scope_device);                   \
    }

#define INTEGER(A, T, M, min, max)                                                                 \
    FETCH(atomic_fetch_add, add, A, T, M)                                                          \
    FETCH(atomic_fetch_sub, sub, A, T, M)                                                          \
    FETCH(atomic_fetch_or, or, A, T, M)                                                            \
    FETCH(atomic_fetch_xor, xor, A, T, M)                                                          \
    FETCH(atomic_fetch_and, and, A, T, M)                                                          \
    FETCH(atomic_fetch_min, min, A, T, M)                                                          \
    FETCH(atomic_fetch_max, max, A, T, M)
INTEGER(atomic_int, int, int, imin, imax)
INTEGER(atomic_uint, uint, uint, umin, umax)
INTEGER(atomic_uint, uint, int, umin, umax) /* an atomic_uintptr_t of 32 bits and a ptrdiff_t */

#define COMPARE(name, A, T)                                                                        \
    bool OVER name##_explicit(volatile A *p, T *expected, T v, memory_order success,               \
                              memory_order failure, memory_scope scope)                            \
    {                                                                                              \
        uint compare = as_uint(*expected);                                                         \
        release(success);                                                                          \
        uint old = rmw_cmpxchg(p, compare, as_uint(v));                                            \
        acquire(success);                                                                          \
        if (old == compare)                                                                        \
            return true;                                                                           \
        *expected = as_##T(old);                                                                   \
        return false;                                                                              \
    }                                                                                              \
    bool OVER name##_explicit(volatile A *p, T *expected, T v, memory_order success,               \
                              memory_order failure)                                                \
    {                                                                                              \
        return name##_explicit(p, expected, v, success, failure, memory_scope_device);             \
    }                                                                                              \
    bool OVER name(volatile A *p, T *expected, T v)                                                \
    {                                                                                              \
        return name##_explicit(p, expected, v, memory_order_seq_cst, memory_order_seq_cst,         \
                               memory_scope_device);                                               \
    }

#define ANY(A, T)                                                                                  \
    void OVER atomic_init(volatile A *p, T v)                                                      \
    {                                                                                              \
        *(volatile T *)p = v;                                                                      \
    }                                                                                              \
    void OVER atomic_store_explicit(volatile A *p, T v, memory_order order, memory_scope scope)    \
    {                                                                                              \
        release(order);                                                                            \
        *(volatile T *)p = v;                                                                      \
        if (order == memory_order_seq_cst)                                                         \
            acquire(order);                                                                        \
    }                                                                                              \
    void OVER atomic_store_explicit(volatile A *p, T v, memory_order order)                        \
    {                                                                                              \
        atomic_store_explicit(p, v, order, memory_scope_device);                                   \
    }                                                                                              \
    void OVER atomic_store(volatile A *p, T v)                                                     \
    {                                                                                              \
        atomic_store_explicit(p, v, memory_order_seq_cst, memory_scope_device);                    \
    }                                                                                              \
    T OVER atomic_load_explicit(volatile A *p, memory_order order, memory_scope scope)             \
    {                                                                                              \
        if (order == memory_order_seq_cst)                                                         \
            release(order);                                                                        \
        T v = *(volatile T *)p;                                                                    \
        acquire(order);                                                                            \
        return v;                                                                                  \
    }                                                                                              \
    T OVER atomic_load_explicit(volatile A *p, memory_order order)                                 \
    {                                                                                              \
        return atomic_load_explicit(p, order, memory_scope_device);                                \
    }                                                                                              \
    T OVER atomic_load(volatile A *p)                                                              \
    {                                                                                              \
        return atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device);                 \
    }                                                                                              \
    FETCH(atomic_exchange, xchg, A, T, T)                                                             \
    COMPARE(atomic_compare_exchange_strong, A, T)                                                  \
    COMPARE(atomic_compare_exchange_weak, A, T)
ANY(atomic_int, int)
ANY(atomic_uint, uint)
ANY(atomic_float, float)

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
