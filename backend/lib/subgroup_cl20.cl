/* Sub-groups: the lanes of a hardware thread, which are consecutive work-items. */
#include "lanes.h"

/* ---- where the work-item is ---- */

uint __attribute__((overloadable, const)) get_sub_group_local_id(void)
{
    return __gen_lane_id();
}

uint __attribute__((overloadable, const)) get_max_sub_group_size(void)
{
    return end_lane();
}

uint __attribute__((overloadable, const)) get_sub_group_id(void)
{
    return group_item() >> simd_shift();
}

uint __attribute__((overloadable, const)) get_num_sub_groups(void)
{
    return sub_groups();
}

uint __attribute__((overloadable, const)) get_enqueued_num_sub_groups(void)
{
    return sub_groups();
}

/* The last one may have fewer. */
uint __attribute__((overloadable, const)) get_sub_group_size(void)
{
    uint first = group_item() & ~(__gen_simd_width() - 1);
    return min(__gen_simd_width(), group_items() - first);
}

/* One thread needs no barrier, its memory a fence. */
void TOGETHER sub_group_barrier(cl_mem_fence_flags flags)
{
    __gen_fence(flags);
}

void TOGETHER sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    __gen_fence(flags);
}

/* ---- votes, ballots ---- */

int TOGETHER sub_group_any(int x)
{
    return __gen_reduce_or(x != 0);
}

int TOGETHER sub_group_all(int x)
{
    return __gen_reduce_or(x == 0) == 0;
}

int TOGETHER sub_group_non_uniform_any(int x)
{
    return sub_group_any(x);
}

int TOGETHER sub_group_non_uniform_all(int x)
{
    return sub_group_all(x);
}

int TOGETHER sub_group_elect(void)
{
    return __gen_before_or(1) == 0;
}

uint4 TOGETHER sub_group_ballot(int x)
{
    return (uint4)(__gen_reduce_or(x ? 1u << __gen_lane_id() : 0), 0, 0, 0);
}

static uint all_lanes(void)
{
    return 0xffffffffu >> (32 - __gen_simd_width());
}

int OVER sub_group_inverse_ballot(uint4 bits)
{
    return bits.x >> __gen_lane_id() & 1;
}

int OVER sub_group_ballot_bit_extract(uint4 bits, uint i)
{
    return bits.x >> i & 1;
}

uint OVER sub_group_ballot_bit_count(uint4 bits)
{
    return popcount(bits.x & all_lanes());
}

uint OVER sub_group_ballot_inclusive_scan(uint4 bits)
{
    return popcount(bits.x & 0xffffffffu >> (31 - __gen_lane_id()));
}

uint OVER sub_group_ballot_exclusive_scan(uint4 bits)
{
    return popcount(bits.x & ((1u << __gen_lane_id()) - 1));
}

uint OVER sub_group_ballot_find_lsb(uint4 bits)
{
    return 31 - clz(bits.x & -bits.x);
}

uint OVER sub_group_ballot_find_msb(uint4 bits)
{
    return 31 - clz(bits.x & all_lanes());
}

uint4 OVER get_sub_group_eq_mask(void)
{
    return (uint4)(1u << __gen_lane_id(), 0, 0, 0);
}

uint4 OVER get_sub_group_ge_mask(void)
{
    return (uint4)(all_lanes() & 0xffffffffu << __gen_lane_id(), 0, 0, 0);
}

uint4 OVER get_sub_group_gt_mask(void)
{
    return (uint4)(all_lanes() & 0xfffffffeu << __gen_lane_id(), 0, 0, 0);
}

uint4 OVER get_sub_group_le_mask(void)
{
    return (uint4)(0xffffffffu >> (31 - __gen_lane_id()), 0, 0, 0);
}

uint4 OVER get_sub_group_lt_mask(void)
{
    return (uint4)((1u << __gen_lane_id()) - 1, 0, 0, 0);
}

/* ---- values of other lanes ---- */

MOVES32(int)
MOVES32(uint)
MOVES32(float)
MOVES64(long)
MOVES64(ulong)
MOVES64(double)
MOVES_SMALL(char, uchar)
MOVES_SMALL(uchar, uchar)
MOVES_SMALL(short, ushort)
MOVES_SMALL(ushort, ushort)
MOVES(int)
MOVES(uint)
MOVES(float)
MOVES(long)
MOVES(ulong)
MOVES(double)
MOVES(char)
MOVES(uchar)
MOVES(short)
MOVES(ushort)

/* ---- operations ---- */

#define SAME(x) (x)
#define IS_TRUE(x) ((x) != 0)

#define INTEGER32(T, W, lo, hi, smallest, largest)                                                 \
    NATIVE(T, add, uint, add, SAME, 0)                                                             \
    NATIVE(T, min, W, lo, SAME, largest)                                                           \
    NATIVE(T, max, W, hi, SAME, smallest)                                                          \
    NATIVE(T, and, uint, and, SAME, -1)                                                            \
    NATIVE(T, or, uint, or, SAME, 0)                                                               \
    NATIVE(T, xor, uint, xor, SAME, 0)                                                             \
    SERIAL(T, mul, mul, 1)
#define INTEGER64(T, H, lo, hi, smallest, largest)                                                 \
    SUM64(T)                                                                                       \
    BITS64(T, and, -1)                                                                             \
    BITS64(T, or, 0)                                                                               \
    BITS64(T, xor, 0)                                                                              \
    EXTREME64(T, H, min, lo, umin, UINT_MAX)                                                       \
    EXTREME64(T, H, max, hi, umax, 0)                                                              \
    SERIAL_SCANS(T, min, min, largest)                                                             \
    SERIAL_SCANS(T, max, max, smallest)                                                            \
    SERIAL(T, mul, mul, 1)
#define CLUSTERS(T, lo, hi)                                                                        \
    CLUSTERED(T, add, add)                                                                         \
    CLUSTERED(T, mul, mul)                                                                         \
    CLUSTERED(T, min, lo)                                                                          \
    CLUSTERED(T, max, hi)
#define BIT_CLUSTERS(T)                                                                            \
    CLUSTERED(T, and, and)                                                                         \
    CLUSTERED(T, or, or)                                                                           \
    CLUSTERED(T, xor, xor)
#define UNIFORMS(T)                                                                                \
    UNIFORM(T, add)                                                                                \
    UNIFORM(T, min)                                                                                \
    UNIFORM(T, max)

INTEGER32(int, int, smin, smax, INT_MIN, INT_MAX)
INTEGER32(uint, uint, umin, umax, 0, UINT_MAX)
INTEGER32(char, int, smin, smax, CHAR_MIN, CHAR_MAX)
INTEGER32(uchar, uint, umin, umax, 0, UCHAR_MAX)
INTEGER32(short, int, smin, smax, SHRT_MIN, SHRT_MAX)
INTEGER32(ushort, uint, umin, umax, 0, USHRT_MAX)
INTEGER64(long, int, smin, smax, LONG_MIN, LONG_MAX)
INTEGER64(ulong, uint, umin, umax, 0, ULONG_MAX)
NATIVE(float, add, float, fadd, SAME, 0)
NATIVE(float, mul, float, fmul, SAME, 1)
NATIVE(float, min, float, fmin, SAME, INFINITY)
NATIVE(float, max, float, fmax, SAME, -INFINITY)
SERIAL(double, add, add, 0)
SERIAL(double, mul, mul, 1)
SERIAL(double, min, fmin, INFINITY)
SERIAL(double, max, fmax, -INFINITY)
NATIVE(int, logical_and, uint, and, IS_TRUE, 1)
NATIVE(int, logical_or, uint, or, IS_TRUE, 0)
NATIVE(int, logical_xor, uint, xor, IS_TRUE, 0)

#define ALL_OF(T, lo, hi) CLUSTERS(T, lo, hi) UNIFORMS(T)
ALL_OF(int, min, max)
ALL_OF(uint, min, max)
ALL_OF(char, min, max)
ALL_OF(uchar, min, max)
ALL_OF(short, min, max)
ALL_OF(ushort, min, max)
ALL_OF(long, min, max)
ALL_OF(ulong, min, max)
ALL_OF(float, fmin, fmax)
ALL_OF(double, fmin, fmax)
BIT_CLUSTERS(int)
BIT_CLUSTERS(uint)
BIT_CLUSTERS(char)
BIT_CLUSTERS(uchar)
BIT_CLUSTERS(short)
BIT_CLUSTERS(ushort)
BIT_CLUSTERS(long)
BIT_CLUSTERS(ulong)

int TOGETHER sub_group_clustered_reduce_logical_and(int x, uint n)
{
    return sub_group_clustered_reduce_and((int)(x != 0), n);
}

int TOGETHER sub_group_clustered_reduce_logical_or(int x, uint n)
{
    return sub_group_clustered_reduce_or((int)(x != 0), n);
}

int TOGETHER sub_group_clustered_reduce_logical_xor(int x, uint n)
{
    return sub_group_clustered_reduce_xor((int)(x != 0), n);
}

/* ---- work-groups ---- */

#define GROUPS(T, lo, hi, smallest, largest)                                                       \
    GROUP(T, add, add, 0)                                                                          \
    GROUP(T, min, lo, largest)                                                                     \
    GROUP(T, max, hi, smallest)                                                                    \
    GROUP_BROADCAST(T)
GROUPS(int, min, max, INT_MIN, INT_MAX)
GROUPS(uint, min, max, 0, UINT_MAX)
GROUPS(long, min, max, LONG_MIN, LONG_MAX)
GROUPS(ulong, min, max, 0, ULONG_MAX)
GROUPS(float, fmin, fmax, -INFINITY, INFINITY)
GROUPS(double, fmin, fmax, -INFINITY, INFINITY)

int TOGETHER work_group_any(int x)
{
    return work_group_reduce_max((uint)(x != 0)) != 0;
}

int TOGETHER work_group_all(int x)
{
    return work_group_reduce_min((uint)(x != 0)) != 0;
}
