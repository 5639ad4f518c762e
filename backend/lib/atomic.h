/* The forms of C11's atomics: what an order asks for beyond the operation, which by itself is relaxed and of device
 * scope, are fences before (release) and after (acquire). Of orders and scopes that are constants, as they nearly
 * always are, nothing is left. Bits are a uint or a ulong (W); rmw_OP is overloaded for both. */
#ifndef GEN_LIB_ATOMIC_H
#define GEN_LIB_ATOMIC_H

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

/* ---- the forms of each: order and scope given, order given, neither ---- */

#define FETCH(name, op, A, T, M, W)                                                                \
    T OVER name##_explicit(volatile A *p, M v, memory_order order, memory_scope scope)             \
    {                                                                                              \
        release(order);                                                                            \
        T old = as_##T(rmw_##op(p, as_##W(v)));                                                    \
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

#define INTEGER(A, T, M, W, min, max)                                                              \
    FETCH(atomic_fetch_add, add, A, T, M, W)                                                       \
    FETCH(atomic_fetch_sub, sub, A, T, M, W)                                                       \
    FETCH(atomic_fetch_or, or, A, T, M, W)                                                         \
    FETCH(atomic_fetch_xor, xor, A, T, M, W)                                                       \
    FETCH(atomic_fetch_and, and, A, T, M, W)                                                       \
    FETCH(atomic_fetch_min, min, A, T, M, W)                                                       \
    FETCH(atomic_fetch_max, max, A, T, M, W)

/* cl_ext_float_atomics: whoever comes between makes it try again. x is what is there. */
#define LOOP(T, W, op, value)                                                                      \
    static T OVER loop_##op(volatile void *p, T v)                                                 \
    {                                                                                              \
        W old = get_##W(p), seen;                                                                  \
        for (;; old = seen) {                                                                      \
            T x = as_##T(old);                                                                     \
            seen = rmw_cmpxchg(p, old, as_##W(value));                                             \
            if (seen == old)                                                                       \
                return x;                                                                          \
        }                                                                                          \
    }
#define FLOAT_FORMS(op, AS, A, T)                                                                  \
    T OVER atomic_fetch_##op##_explicit(volatile AS A *p, T v, memory_order order,                 \
                                        memory_scope scope)                                        \
    {                                                                                              \
        release(order);                                                                            \
        T old = loop_##op((volatile void *)p, v);                                                  \
        acquire(order);                                                                            \
        return old;                                                                                \
    }                                                                                              \
    T OVER atomic_fetch_##op##_explicit(volatile AS A *p, T v, memory_order order)                 \
    {                                                                                              \
        return atomic_fetch_##op##_explicit(p, v, order, memory_scope_device);                     \
    }                                                                                              \
    T OVER atomic_fetch_##op(volatile AS A *p, T v)                                                \
    {                                                                                              \
        return atomic_fetch_##op##_explicit(p, v, memory_order_seq_cst, memory_scope_device);      \
    }
#define FLOAT_OP(op, A, T, W, value)                                                               \
    LOOP(T, W, op, value)                                                                          \
    FLOAT_FORMS(op, __global, A, T)                                                                \
    FLOAT_FORMS(op, __local, A, T)                                                                 \
    FLOAT_FORMS(op, , A, T)
#define FLOAT_OPS(A, T, W)                                                                         \
    FLOAT_OP(add, A, T, W, x + v)                                                                  \
    FLOAT_OP(sub, A, T, W, x - v)                                                                  \
    FLOAT_OP(min, A, T, W, fmin(x, v))                                                             \
    FLOAT_OP(max, A, T, W, fmax(x, v))

#define COMPARE(name, A, T, W)                                                                     \
    bool OVER name##_explicit(volatile A *p, T *expected, T v, memory_order success,               \
                              memory_order failure, memory_scope scope)                            \
    {                                                                                              \
        W compare = as_##W(*expected);                                                             \
        release(success);                                                                          \
        W old = rmw_cmpxchg(p, compare, as_##W(v));                                                \
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

#define ANY(A, T, W)                                                                               \
    void OVER atomic_init(volatile A *p, T v)                                                      \
    {                                                                                              \
        *(volatile T *)p = v;                                                                      \
    }                                                                                              \
    void OVER atomic_store_explicit(volatile A *p, T v, memory_order order, memory_scope scope)    \
    {                                                                                              \
        release(order);                                                                            \
        put(p, as_##W(v));                                                                         \
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
        T v = as_##T(get_##W(p));                                                                  \
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
    FETCH(atomic_exchange, xchg, A, T, T, W)                                                       \
    COMPARE(atomic_compare_exchange_strong, A, T, W)                                               \
    COMPARE(atomic_compare_exchange_weak, A, T, W)

#endif
