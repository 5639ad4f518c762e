/* cl_intel_subgroups and its _short, _char and _long. Blocks of global memory: each lane its own element, which
 * messages of all lanes fetch as fast, and which writes nothing for lanes that aren't there. Blocks of images are
 * media block messages. */
#include "lanes.h"

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

INTEL_MOVES(int)
INTEL_MOVES(uint)
INTEL_MOVES(float)
INTEL_MOVES(short)
INTEL_MOVES(ushort)
INTEL_MOVES(char)
INTEL_MOVES(uchar)
INTEL_MOVE(long)
INTEL_MOVE(ulong)
INTEL_MOVE(double)

#define OP(T, op)                                                                                  \
    T TOGETHER intel_sub_group_reduce_##op(T x)                                                    \
    {                                                                                              \
        return sub_group_non_uniform_reduce_##op(x);                                               \
    }                                                                                              \
    T TOGETHER intel_sub_group_scan_inclusive_##op(T x)                                            \
    {                                                                                              \
        return sub_group_non_uniform_scan_inclusive_##op(x);                                       \
    }                                                                                              \
    T TOGETHER intel_sub_group_scan_exclusive_##op(T x)                                            \
    {                                                                                              \
        return sub_group_non_uniform_scan_exclusive_##op(x);                                       \
    }
#define BROADCAST(T)                                                                               \
    T TOGETHER intel_sub_group_broadcast(T x, uint lane)                                           \
    {                                                                                              \
        return sub_group_broadcast(x, lane);                                                       \
    }
#define OPS(T)                                                                                     \
    OP(T, add)                                                                                     \
    OP(T, min)                                                                                     \
    OP(T, max)                                                                                     \
    BROADCAST(T)                                                                                   \
    BROADCAST(T##2)                                                                                \
    BROADCAST(T##3)                                                                                \
    BROADCAST(T##4)                                                                                \
    BROADCAST(T##8)                                                                                \
    BROADCAST(T##16)
OPS(short)
OPS(ushort)
OPS(char)
OPS(uchar)

/* ---- blocks of memory ---- */

#define LOAD(k) p[(k) * n + i]
#define STORE(k) p[(k) * n + i] = x.s##k;
#define BLOCK(T, suffix)                                                                           \
    T TOGETHER intel_sub_group_block_read##suffix(const __global T *p)                             \
    {                                                                                              \
        return p[__gen_lane_id()];                                                                 \
    }                                                                                              \
    T##2 TOGETHER intel_sub_group_block_read##suffix##2(const __global T *p)                       \
    {                                                                                              \
        uint i = __gen_lane_id(), n = __gen_simd_width();                                          \
        return (T##2)(LOAD(0), LOAD(1));                                                           \
    }                                                                                              \
    T##4 TOGETHER intel_sub_group_block_read##suffix##4(const __global T *p)                       \
    {                                                                                              \
        uint i = __gen_lane_id(), n = __gen_simd_width();                                          \
        return (T##4)(LOAD(0), LOAD(1), LOAD(2), LOAD(3));                                         \
    }                                                                                              \
    T##8 TOGETHER intel_sub_group_block_read##suffix##8(const __global T *p)                       \
    {                                                                                              \
        uint i = __gen_lane_id(), n = __gen_simd_width();                                          \
        return (T##8)(LOAD(0), LOAD(1), LOAD(2), LOAD(3), LOAD(4), LOAD(5), LOAD(6), LOAD(7));     \
    }                                                                                              \
    void TOGETHER intel_sub_group_block_write##suffix(__global T *p, T x)                          \
    {                                                                                              \
        p[__gen_lane_id()] = x;                                                                    \
    }                                                                                              \
    void TOGETHER intel_sub_group_block_write##suffix##2(__global T *p, T##2 x)                    \
    {                                                                                              \
        uint i = __gen_lane_id(), n = __gen_simd_width();                                          \
        STORE(0) STORE(1)                                                                          \
    }                                                                                              \
    void TOGETHER intel_sub_group_block_write##suffix##4(__global T *p, T##4 x)                    \
    {                                                                                              \
        uint i = __gen_lane_id(), n = __gen_simd_width();                                          \
        STORE(0) STORE(1) STORE(2) STORE(3)                                                        \
    }                                                                                              \
    void TOGETHER intel_sub_group_block_write##suffix##8(__global T *p, T##8 x)                    \
    {                                                                                              \
        uint i = __gen_lane_id(), n = __gen_simd_width();                                          \
        STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7)                    \
    }
BLOCK(uint, )
BLOCK(uint, _ui)
BLOCK(ushort, _us)
BLOCK(uchar, _uc)
BLOCK(ulong, _ul)

uchar16 TOGETHER intel_sub_group_block_read_uc16(const __global uchar *p)
{
    return (uchar16)(intel_sub_group_block_read_uc8(p),
                     intel_sub_group_block_read_uc8(p + 8 * __gen_simd_width()));
}

void TOGETHER intel_sub_group_block_write_uc16(__global uchar *p, uchar16 x)
{
    intel_sub_group_block_write_uc8(p, x.lo);
    intel_sub_group_block_write_uc8(p + 8 * __gen_simd_width(), x.hi);
}

/* ---- blocks of images ---- */

/* The primitives move elements in the low bits of dwords: of 1, 2 and 4 bytes, of n rows. */
#define IMAGE_READ(T, n, suffix, W, bytes, access, a)                                              \
    T##n TOGETHER intel_sub_group_block_read##suffix##n(access image2d_t im, int2 at)              \
    {                                                                                              \
        return convert_##T##n(__gen_media_read##W##_##bytes##_##a(im, at.x, at.y));                \
    }
#define IMAGE_WRITE(T, n, suffix, W, bytes, access, a)                                             \
    void TOGETHER intel_sub_group_block_write##suffix##n(access image2d_t im, int2 at, T##n x)     \
    {                                                                                              \
        __gen_media_write##W##_##bytes##_##a(im, at.x, at.y, convert_uint##n(x));                  \
    }
#define ROWS(M, T, suffix, bytes, access, a)                                                       \
    M(T, , suffix, 1, bytes, access, a)                                                            \
    M(T, 2, suffix, 2, bytes, access, a)                                                           \
    M(T, 4, suffix, 4, bytes, access, a)                                                           \
    M(T, 8, suffix, 8, bytes, access, a)

/* 64 bits: a row is twice as long as one of dwords, and lane i has its dwords 2 i and 2 i + 1. */
static ulong TOGETHER joined(uint first, uint second)
{
    uint i = 2 * __gen_lane_id(), n = __gen_simd_width(), from = i & (n - 1);
    uint2 a = (uint2)(__gen_shuffle(first, from), __gen_shuffle(first, from + 1));
    uint2 b = (uint2)(__gen_shuffle(second, from), __gen_shuffle(second, from + 1));
    return as_ulong(i < n ? a : b);
}

static uint TOGETHER part(ulong x, uint first_lane)
{
    uint i = __gen_lane_id(), from = first_lane + (i >> 1);
    uint2 bits = as_uint2(x);
    uint lo = __gen_shuffle(bits.x, from), hi = __gen_shuffle(bits.y, from);
    return i & 1 ? hi : lo;
}

#define EACH_1(f)  f()
#define EACH_2(f)  f(.s0), f(.s1)
#define EACH_4(f)  EACH_2(f), f(.s2), f(.s3)
#define EACH_8(f)  EACH_4(f), f(.s4), f(.s5), f(.s6), f(.s7)
#define JOINED(k)  joined(a k, b k)
#define FIRST(k)   part(x k, 0)
#define SECOND(k)  part(x k, __gen_simd_width() / 2)
#define LONG_READ(T, n, suffix, W, bytes, access, a_)                                              \
    ulong##n TOGETHER intel_sub_group_block_read_ul##n(access image2d_t im, int2 at)               \
    {                                                                                              \
        uint##n a = __gen_media_read##W##_4_##a_(im, at.x, at.y);                                  \
        uint##n b = __gen_media_read##W##_4_##a_(im, at.x + 4 * (int)__gen_simd_width(), at.y);    \
        return (ulong##n)(EACH_##W(JOINED));                                                       \
    }
#define LONG_WRITE(T, n, suffix, W, bytes, access, a_)                                             \
    void TOGETHER intel_sub_group_block_write_ul##n(access image2d_t im, int2 at, ulong##n x)      \
    {                                                                                              \
        uint##n a = (uint##n)(EACH_##W(FIRST)), b = (uint##n)(EACH_##W(SECOND));                   \
        __gen_media_write##W##_4_##a_(im, at.x, at.y, a);                                          \
        __gen_media_write##W##_4_##a_(im, at.x + 4 * (int)__gen_simd_width(), at.y, b);            \
    }

#define READS(access, a)                                                                           \
    ROWS(IMAGE_READ, uint, , 4, access, a)                                                         \
    ROWS(IMAGE_READ, uint, _ui, 4, access, a)                                                      \
    ROWS(IMAGE_READ, ushort, _us, 2, access, a)                                                    \
    ROWS(IMAGE_READ, uchar, _uc, 1, access, a)                                                     \
    ROWS(LONG_READ, ulong, , 4, access, a)                                                         \
    uchar16 TOGETHER intel_sub_group_block_read_uc16(access image2d_t im, int2 at)                 \
    {                                                                                              \
        return (uchar16)(intel_sub_group_block_read_uc8(im, at),                                   \
                         intel_sub_group_block_read_uc8(im, at + (int2)(0, 8)));                   \
    }
#define WRITES(access, a)                                                                          \
    ROWS(IMAGE_WRITE, uint, , 4, access, a)                                                        \
    ROWS(IMAGE_WRITE, uint, _ui, 4, access, a)                                                     \
    ROWS(IMAGE_WRITE, ushort, _us, 2, access, a)                                                   \
    ROWS(IMAGE_WRITE, uchar, _uc, 1, access, a)                                                    \
    ROWS(LONG_WRITE, ulong, , 4, access, a)                                                        \
    void TOGETHER intel_sub_group_block_write_uc16(access image2d_t im, int2 at, uchar16 x)        \
    {                                                                                              \
        intel_sub_group_block_write_uc8(im, at, x.lo);                                             \
        intel_sub_group_block_write_uc8(im, at + (int2)(0, 8), x.hi);                              \
    }
READS(read_only, ro)
WRITES(write_only, wo)
#if __opencl_c_read_write_images
READS(read_write, rw)
WRITES(read_write, rw)
#endif
