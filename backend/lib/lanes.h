/* Values of all sizes between lanes, and operations among all active lanes by name: sub_group_OP. The steps
 * of select_group.c are for 32 bits. */
#ifndef GEN_LIB_LANES_H
#define GEN_LIB_LANES_H

#include "gen.h"

#define OVER __attribute__((overloadable))
#define TOGETHER __attribute__((overloadable, convergent))

/* Lanes that are active here. */
static uint TOGETHER active_mask(void)
{
    return __gen_reduce_or(1u << __gen_lane_id());
}

static uint TOGETHER broadcast_bits(uint x, uint lane)
{
    return __gen_reduce_or(__gen_lane_id() == lane ? x : 0);
}

#define MOVE32(T, f, prim)                                                                         \
    static T TOGETHER f(T x, uint lane)                                                            \
    {                                                                                              \
        return as_##T(prim(as_uint(x), lane));                                                     \
    }
#define MOVE64(T, f, prim)                                                                         \
    static T TOGETHER f(T x, uint lane)                                                            \
    {                                                                                              \
        uint2 bits = as_uint2(x);                                                                  \
        return as_##T((uint2)(prim(bits.x, lane), prim(bits.y, lane)));                            \
    }
#define MOVE_SMALL(T, U, f, prim)                                                                  \
    static T TOGETHER f(T x, uint lane)                                                            \
    {                                                                                              \
        return as_##T((U)prim((uint)as_##U(x), lane));                                             \
    }
#define MOVES32(T) MOVE32(T, get, __gen_shuffle) MOVE32(T, get_uniform, broadcast_bits)
#define MOVES64(T) MOVE64(T, get, __gen_shuffle) MOVE64(T, get_uniform, broadcast_bits)
#define MOVES_SMALL(T, U)                                                                          \
    MOVE_SMALL(T, U, get, __gen_shuffle)                                                           \
    MOVE_SMALL(T, U, get_uniform, broadcast_bits)

/* The operations, as expressions of a and b. */
#define OP_add(a, b) ((a) + (b))
#define OP_mul(a, b) ((a) * (b))
#define OP_min(a, b) min(a, b)
#define OP_max(a, b) max(a, b)
#define OP_fmin(a, b) fmin(a, b)
#define OP_fmax(a, b) fmax(a, b)
#define OP_and(a, b) ((a) & (b))
#define OP_or(a, b) ((a) | (b))
#define OP_xor(a, b) ((a) ^ (b))

/* reduce, inclusive and exclusive scan of type T, by the primitives of W for op; `of` makes the operand. What is
 * before the first lane is `identity`. */
#define NATIVE(T, name, W, op, of, identity)                                                       \
    T TOGETHER sub_group_non_uniform_reduce_##name(T x)                                            \
    {                                                                                              \
        return (T)(__gen_reduce_##op((W)of(x)));                                                   \
    }                                                                                              \
    T TOGETHER sub_group_non_uniform_scan_inclusive_##name(T x)                                    \
    {                                                                                              \
        return (T)(__gen_scan_##op((W)of(x)));                                                     \
    }                                                                                              \
    T TOGETHER sub_group_non_uniform_scan_exclusive_##name(T x)                                    \
    {                                                                                              \
        bool first = __gen_before_or(1) == 0;                                                      \
        T before = (T)__gen_before_##op((W)of(x));                                                 \
        return first ? (T)(identity) : before;                                                     \
    }
/* 64-bit integers by operations on 32 bits. A sum is that of parts so small that theirs don't overflow in 32 lanes;
 * what logic does, it does to both words; a least or greatest number is so among those with such an upper word. */
#define SUM64_FORM(T, form, prim)                                                                  \
    T TOGETHER sub_group_non_uniform_##form##_add(T x)                                             \
    {                                                                                              \
        ulong bits = as_ulong(x), low = (1u << 27) - 1;                                            \
        ulong a = prim((uint)(bits & low)), b = prim((uint)(bits >> 27 & low));                    \
        return as_##T(a + (b << 27) + ((ulong)prim((uint)(bits >> 54)) << 54));                    \
    }
#define SUM64(T)                                                                                   \
    SUM64_FORM(T, reduce, __gen_reduce_add)                                                        \
    SUM64_FORM(T, scan_inclusive, __gen_scan_add)                                                  \
    SUM64_FORM(T, scan_exclusive, __gen_before_add)
#define BITS64_FORM(T, form, prim)                                                                 \
    T TOGETHER sub_group_non_uniform_##form(T x)                                                   \
    {                                                                                              \
        uint2 bits = as_uint2(x);                                                                  \
        return as_##T((uint2)(prim(bits.x), prim(bits.y)));                                        \
    }
#define BITS64(T, op, identity)                                                                    \
    BITS64_FORM(T, reduce_##op, __gen_reduce_##op)                                                 \
    BITS64_FORM(T, scan_inclusive_##op, __gen_scan_##op)                                           \
    BITS64_FORM(T, scan_exclusive_##op, __gen_before_##op)
#define EXTREME64(T, H, name, upper, lower, none)                                                  \
    T TOGETHER sub_group_non_uniform_reduce_##name(T x)                                            \
    {                                                                                              \
        uint2 bits = as_uint2(x);                                                                  \
        uint hi = as_uint(__gen_reduce_##upper(as_##H(bits.y)));                                   \
        uint lo = __gen_reduce_##lower(bits.y == hi ? bits.x : none);                              \
        return as_##T((uint2)(lo, hi));                                                            \
    }
/* Lane after lane: the loop is uniform. */
#define SERIAL(T, name, op, identity)                                                              \
    T TOGETHER sub_group_non_uniform_reduce_##name(T x)                                            \
    {                                                                                              \
        T r = (T)(identity);                                                                       \
        for (uint m = active_mask(); m; m &= m - 1)                                                \
            r = OP_##op(r, get_uniform(x, (uint)__builtin_ctz(m)));                                \
        return r;                                                                                  \
    }                                                                                              \
    SERIAL_SCANS(T, name, op, identity)
#define SERIAL_SCANS(T, name, op, identity)                                                        \
    T TOGETHER sub_group_non_uniform_scan_inclusive_##name(T x)                                    \
    {                                                                                              \
        T r = (T)(identity), own = r;                                                              \
        uint lane = __gen_lane_id();                                                               \
        for (uint m = active_mask(); m; m &= m - 1) {                                              \
            uint i = (uint)__builtin_ctz(m);                                                       \
            r = OP_##op(r, get_uniform(x, i));                                                     \
            own = i == lane ? r : own;                                                             \
        }                                                                                          \
        return own;                                                                                \
    }                                                                                              \
    T TOGETHER sub_group_non_uniform_scan_exclusive_##name(T x)                                    \
    {                                                                                              \
        T r = (T)(identity), own = r;                                                              \
        uint lane = __gen_lane_id();                                                               \
        for (uint m = active_mask(); m; m &= m - 1) {                                              \
            uint i = (uint)__builtin_ctz(m);                                                       \
            own = i == lane ? r : own;                                                             \
            r = OP_##op(r, get_uniform(x, i));                                                     \
        }                                                                                          \
        return own;                                                                                \
    }
/* Among the active lanes of a cluster of n lanes. */
#define CLUSTERED(T, name, op)                                                                     \
    T TOGETHER sub_group_clustered_reduce_##name(T x, uint n)                                      \
    {                                                                                              \
        if (n >= __gen_simd_width())                                                               \
            return sub_group_non_uniform_reduce_##name(x);                                         \
        uint lane = __gen_lane_id(), first = lane & ~(n - 1), active = active_mask();              \
        T r = x;                                                                                   \
        for (uint i = first; i < first + n; i++) {                                                 \
            T y = get(x, i);                                                                       \
            r = i != lane && (active >> i & 1) ? OP_##op(r, y) : r;                                \
        }                                                                                          \
        return r;                                                                                  \
    }
/* Where all work-items take part. */
#define UNIFORM(T, name)                                                                           \
    T TOGETHER sub_group_reduce_##name(T x)                                                        \
    {                                                                                              \
        return sub_group_non_uniform_reduce_##name(x);                                             \
    }                                                                                              \
    T TOGETHER sub_group_scan_inclusive_##name(T x)                                                \
    {                                                                                              \
        return sub_group_non_uniform_scan_inclusive_##name(x);                                     \
    }                                                                                              \
    T TOGETHER sub_group_scan_exclusive_##name(T x)                                                \
    {                                                                                              \
        return sub_group_non_uniform_scan_exclusive_##name(x);                                     \
    }

#define SCALAR_MOVES(T)                                                                            \
    T TOGETHER sub_group_broadcast(T x, uint lane)                                                 \
    {                                                                                              \
        return get_uniform(x, lane);                                                               \
    }                                                                                              \
    T TOGETHER sub_group_non_uniform_broadcast(T x, uint lane)                                     \
    {                                                                                              \
        return get_uniform(x, lane);                                                               \
    }                                                                                              \
    T TOGETHER sub_group_broadcast_first(T x)                                                      \
    {                                                                                              \
        return get_uniform(x, (uint)__builtin_ctz(active_mask()));                                 \
    }                                                                                              \
    int TOGETHER sub_group_non_uniform_all_equal(T x)                                              \
    {                                                                                              \
        T first = get_uniform(x, (uint)__builtin_ctz(active_mask()));                              \
        return __gen_reduce_or(!(x == first)) == 0;                                                \
    }                                                                                              \
    T TOGETHER sub_group_shuffle(T x, uint lane)                                                   \
    {                                                                                              \
        return get(x, lane);                                                                       \
    }                                                                                              \
    T TOGETHER sub_group_shuffle_xor(T x, uint mask)                                               \
    {                                                                                              \
        return get(x, __gen_lane_id() ^ mask);                                                     \
    }                                                                                              \
    T TOGETHER sub_group_shuffle_up(T x, uint delta)                                               \
    {                                                                                              \
        return get(x, __gen_lane_id() - delta);                                                    \
    }                                                                                              \
    T TOGETHER sub_group_shuffle_down(T x, uint delta)                                             \
    {                                                                                              \
        return get(x, __gen_lane_id() + delta);                                                    \
    }                                                                                              \
    T TOGETHER sub_group_rotate(T x, int delta)                                                    \
    {                                                                                              \
        return get(x, (__gen_lane_id() + (uint)delta) & (__gen_simd_width() - 1));                 \
    }                                                                                              \
    T TOGETHER sub_group_clustered_rotate(T x, int delta, uint n)                                  \
    {                                                                                              \
        uint lane = __gen_lane_id();                                                               \
        return get(x, (lane & ~(n - 1)) | ((lane + (uint)delta) & (n - 1)));                       \
    }
#define VECTOR_MOVE(T, n, lo_n)                                                                    \
    T##n TOGETHER sub_group_broadcast(T##n x, uint lane)                                           \
    {                                                                                              \
        return (T##n)(sub_group_broadcast(x.lo, lane), sub_group_broadcast(x.hi, lane));           \
    }                                                                                              \
    T##n TOGETHER sub_group_non_uniform_broadcast(T##n x, uint lane)                               \
    {                                                                                              \
        return sub_group_broadcast(x, lane);                                                       \
    }                                                                                              \
    T##n TOGETHER sub_group_broadcast_first(T##n x)                                                \
    {                                                                                              \
        return sub_group_broadcast(x, (uint)__builtin_ctz(active_mask()));                         \
    }
#define VECTOR_MOVES(T)                                                                            \
    VECTOR_MOVE(T, 2, )                                                                            \
    T##3 TOGETHER sub_group_broadcast(T##3 x, uint lane)                                           \
    {                                                                                              \
        return (T##3)(sub_group_broadcast(x.s01, lane), sub_group_broadcast(x.s2, lane));          \
    }                                                                                              \
    T##3 TOGETHER sub_group_non_uniform_broadcast(T##3 x, uint lane)                               \
    {                                                                                              \
        return sub_group_broadcast(x, lane);                                                       \
    }                                                                                              \
    T##3 TOGETHER sub_group_broadcast_first(T##3 x)                                                \
    {                                                                                              \
        return sub_group_broadcast(x, (uint)__builtin_ctz(active_mask()));                         \
    }                                                                                              \
    VECTOR_MOVE(T, 4, 2)                                                                           \
    VECTOR_MOVE(T, 8, 4)                                                                           \
    VECTOR_MOVE(T, 16, 8)
#define MOVES(T) SCALAR_MOVES(T) VECTOR_MOVES(T)

static uint group_items(void)
{
    return __gen_local_size(0) * __gen_local_size(1) * __gen_local_size(2);
}

/* Lanes that a sub-group can have: get_max_sub_group_size. */
static uint end_lane(void)
{
    return min(__gen_simd_width(), group_items());
}

/* Of cl_intel_subgroups: up and down through two values, as if they stood one behind the other. */
#define INTEL_MOVE(T)                                                                              \
    T TOGETHER intel_sub_group_shuffle(T x, uint lane)                                             \
    {                                                                                              \
        return get(x, lane);                                                                       \
    }                                                                                              \
    T TOGETHER intel_sub_group_shuffle_down(T current, T next, uint delta)                         \
    {                                                                                              \
        uint n = end_lane(), i = __gen_lane_id() + delta;                                          \
        bool is_next = i >= n;                                                                     \
        i = is_next ? i - n : i;                                                                   \
        T a = get(current, i), b = get(next, i);                                                   \
        return is_next ? b : a;                                                                    \
    }                                                                                              \
    T TOGETHER intel_sub_group_shuffle_up(T previous, T current, uint delta)                       \
    {                                                                                              \
        uint i = __gen_lane_id() - delta;                                                          \
        bool is_previous = (int)i < 0;                                                             \
        i = is_previous ? i + end_lane() : i;                                                      \
        T a = get(previous, i), b = get(current, i);                                               \
        return is_previous ? a : b;                                                                \
    }                                                                                              \
    T TOGETHER intel_sub_group_shuffle_xor(T x, uint mask)                                         \
    {                                                                                              \
        return get(x, __gen_lane_id() ^ mask);                                                     \
    }
#define HALVES1(f, T, n)                                                                        \
    T##n TOGETHER f(T##n x, uint k)                                                                \
    {                                                                                              \
        return (T##n)(f(x.lo, k), f(x.hi, k));                                                     \
    }
#define HALVES2(f, T, n)                                                                        \
    T##n TOGETHER f(T##n x, T##n y, uint k)                                                        \
    {                                                                                              \
        return (T##n)(f(x.lo, y.lo, k), f(x.hi, y.hi, k));                                         \
    }
#define THIRDS1(f, T)                                                                              \
    T##3 TOGETHER f(T##3 x, uint k)                                                                \
    {                                                                                              \
        return (T##3)(f(x.s01, k), f(x.s2, k));                                                    \
    }
#define THIRDS2(f, T)                                                                              \
    T##3 TOGETHER f(T##3 x, T##3 y, uint k)                                                        \
    {                                                                                              \
        return (T##3)(f(x.s01, y.s01, k), f(x.s2, y.s2, k));                                       \
    }
#define INTEL_VECTORS(N, f, T)                                                                     \
    HALVES##N(f, T, 2)                                                                           \
    THIRDS##N(f, T)                                                                                \
    HALVES##N(f, T, 4)                                                                          \
    HALVES##N(f, T, 8)                                                                          \
    HALVES##N(f, T, 16)
#define INTEL_MOVES(T)                                                                             \
    INTEL_MOVE(T)                                                                                  \
    INTEL_VECTORS(1, intel_sub_group_shuffle, T)                                                   \
    INTEL_VECTORS(2, intel_sub_group_shuffle_down, T)                                              \
    INTEL_VECTORS(2, intel_sub_group_shuffle_up, T)                                                \
    INTEL_VECTORS(1, intel_sub_group_shuffle_xor, T)

/* ---- of a whole work-group: sub-groups leave their results in local memory ---- */

static uint group_item(void)
{
    return (__gen_local_id(2) * __gen_local_size(1) + __gen_local_id(1)) * __gen_local_size(0) +
           __gen_local_id(0);
}

static uint simd_shift(void)
{
    return 31 - clz(__gen_simd_width());
}

static uint sub_groups(void)
{
    return (group_items() + __gen_simd_width() - 1) >> simd_shift();
}

/* The first barrier: what an earlier function left there has been read. */
#define GROUP(T, name, op, identity)                                                               \
    T TOGETHER work_group_reduce_##name(T x)                                                       \
    {                                                                                              \
        __local T *all = (__local T *)__gen_group_scratch();                                       \
        T r = sub_group_non_uniform_reduce_##name(x);                                              \
        __gen_barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        if (__gen_lane_id() == 0)                                                                  \
            all[group_item() >> simd_shift()] = r;                                                 \
        __gen_barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        r = all[0];                                                                                \
        for (uint i = 1, n = sub_groups(); i < n; i++)                                             \
            r = OP_##op(r, all[i]);                                                                \
        return r;                                                                                  \
    }                                                                                              \
    static T TOGETHER before_##name(T x)                                                           \
    {                                                                                              \
        __local T *all = (__local T *)__gen_group_scratch();                                       \
        uint own = group_item() >> simd_shift();                                                   \
        T r = sub_group_non_uniform_reduce_##name(x);                                              \
        __gen_barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        if (__gen_lane_id() == 0)                                                                  \
            all[own] = r;                                                                          \
        __gen_barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        r = (T)(identity);                                                                         \
        for (uint i = 0; i < own; i++)                                                             \
            r = OP_##op(r, all[i]);                                                                \
        return r;                                                                                  \
    }                                                                                              \
    T TOGETHER work_group_scan_inclusive_##name(T x)                                               \
    {                                                                                              \
        T before = before_##name(x);                                                               \
        return OP_##op(before, sub_group_non_uniform_scan_inclusive_##name(x));                    \
    }                                                                                              \
    T TOGETHER work_group_scan_exclusive_##name(T x)                                               \
    {                                                                                              \
        T before = before_##name(x);                                                               \
        return OP_##op(before, sub_group_non_uniform_scan_exclusive_##name(x));                    \
    }
#define GROUP_BROADCAST(T)                                                                         \
    static T TOGETHER spread(T x, bool is_it)                                                      \
    {                                                                                              \
        __local T *one = (__local T *)__gen_group_scratch();                                       \
        __gen_barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        if (is_it)                                                                                 \
            *one = x;                                                                              \
        __gen_barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        return *one;                                                                               \
    }                                                                                              \
    T TOGETHER work_group_broadcast(T v, size_t x)                                                 \
    {                                                                                              \
        return spread(v, __gen_local_id(0) == (uint)x);                                            \
    }                                                                                              \
    T TOGETHER work_group_broadcast(T v, size_t x, size_t y)                                       \
    {                                                                                              \
        return spread(v, __gen_local_id(0) == (uint)x && __gen_local_id(1) == (uint)y);            \
    }                                                                                              \
    T TOGETHER work_group_broadcast(T v, size_t x, size_t y, size_t z)                             \
    {                                                                                              \
        return spread(v, __gen_local_id(0) == (uint)x && __gen_local_id(1) == (uint)y &&           \
                             __gen_local_id(2) == (uint)z);                                        \
    }

#endif
