/* The functions of cl_intel_subgroups and its _short, _char and _long: Clang's table of builtins hasn't got them.
 * Before OpenCL C 2.0 also those that the extension shares with cl_khr_subgroups. Included before every program on
 * a device that has the extension; whatever is defined here for the purpose is undefined again. */
#ifndef GEN_LIB_INTEL_SUBGROUPS_H
#define GEN_LIB_INTEL_SUBGROUPS_H

#define __GEN_DECL __attribute__((overloadable, convergent))

#if __OPENCL_C_VERSION__ < 200
uint __attribute__((overloadable, const)) get_sub_group_size(void);
uint __attribute__((overloadable, const)) get_max_sub_group_size(void);
uint __attribute__((overloadable, const)) get_num_sub_groups(void);
uint __attribute__((overloadable, const)) get_sub_group_id(void);
uint __attribute__((overloadable, const)) get_sub_group_local_id(void);
void __GEN_DECL sub_group_barrier(cl_mem_fence_flags flags);
int __GEN_DECL sub_group_any(int predicate);
int __GEN_DECL sub_group_all(int predicate);
#define __GEN_OP(T, op)                                                                            \
    T __GEN_DECL sub_group_reduce_##op(T x);                                                       \
    T __GEN_DECL sub_group_scan_inclusive_##op(T x);                                               \
    T __GEN_DECL sub_group_scan_exclusive_##op(T x);
#define __GEN_OPS(T)                                                                               \
    T __GEN_DECL sub_group_broadcast(T x, uint lane);                                              \
    __GEN_OP(T, add)                                                                               \
    __GEN_OP(T, min)                                                                               \
    __GEN_OP(T, max)
__GEN_OPS(int)
__GEN_OPS(uint)
__GEN_OPS(long)
__GEN_OPS(ulong)
__GEN_OPS(float)
#undef __GEN_OP
#undef __GEN_OPS
#endif

/* ---- shuffles ---- */

#define __GEN_MOVE(T)                                                                              \
    T __GEN_DECL intel_sub_group_shuffle(T x, uint lane);                                          \
    T __GEN_DECL intel_sub_group_shuffle_down(T current, T next, uint delta);                      \
    T __GEN_DECL intel_sub_group_shuffle_up(T previous, T current, uint delta);                    \
    T __GEN_DECL intel_sub_group_shuffle_xor(T x, uint mask);
#define __GEN_MOVES(T)                                                                             \
    __GEN_MOVE(T)                                                                                  \
    __GEN_MOVE(T##2)                                                                               \
    __GEN_MOVE(T##3)                                                                               \
    __GEN_MOVE(T##4)                                                                               \
    __GEN_MOVE(T##8)                                                                               \
    __GEN_MOVE(T##16)
__GEN_MOVES(int)
__GEN_MOVES(uint)
__GEN_MOVES(float)
__GEN_MOVES(short)
__GEN_MOVES(ushort)
__GEN_MOVES(char)
__GEN_MOVES(uchar)
__GEN_MOVE(long)
__GEN_MOVE(ulong)
#if defined cl_khr_fp64
__GEN_MOVE(double)
#endif
#if defined cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__GEN_MOVE(half)
#if __OPENCL_C_VERSION__ >= 120
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#endif
#undef __GEN_MOVE
#undef __GEN_MOVES

/* ---- broadcasts and operations of what cl_khr_subgroups hasn't ---- */

#define __GEN_OP(T, op)                                                                            \
    T __GEN_DECL intel_sub_group_reduce_##op(T x);                                                 \
    T __GEN_DECL intel_sub_group_scan_inclusive_##op(T x);                                         \
    T __GEN_DECL intel_sub_group_scan_exclusive_##op(T x);
#define __GEN_OPS(T)                                                                               \
    T __GEN_DECL intel_sub_group_broadcast(T x, uint lane);                                        \
    T##2 __GEN_DECL intel_sub_group_broadcast(T##2 x, uint lane);                                  \
    T##3 __GEN_DECL intel_sub_group_broadcast(T##3 x, uint lane);                                  \
    T##4 __GEN_DECL intel_sub_group_broadcast(T##4 x, uint lane);                                  \
    T##8 __GEN_DECL intel_sub_group_broadcast(T##8 x, uint lane);                                  \
    T##16 __GEN_DECL intel_sub_group_broadcast(T##16 x, uint lane);                                \
    __GEN_OP(T, add)                                                                               \
    __GEN_OP(T, min)                                                                               \
    __GEN_OP(T, max)
__GEN_OPS(short)
__GEN_OPS(ushort)
__GEN_OPS(char)
__GEN_OPS(uchar)
#undef __GEN_OP
#undef __GEN_OPS

/* ---- blocks ---- */

#define __GEN_BLOCK(T, R, suffix)                                                                  \
    R __GEN_DECL intel_sub_group_block_read##suffix(const __global T *p);                          \
    void __GEN_DECL intel_sub_group_block_write##suffix(__global T *p, R x);                       \
    R __GEN_DECL intel_sub_group_block_read##suffix(read_only image2d_t im, int2 at);              \
    void __GEN_DECL intel_sub_group_block_write##suffix(write_only image2d_t im, int2 at, R x);
#define __GEN_BLOCKS(T, suffix)                                                                    \
    __GEN_BLOCK(T, T, suffix)                                                                      \
    __GEN_BLOCK(T, T##2, suffix##2)                                                                \
    __GEN_BLOCK(T, T##4, suffix##4)                                                                \
    __GEN_BLOCK(T, T##8, suffix##8)
__GEN_BLOCKS(uint, )
__GEN_BLOCKS(uint, _ui)
__GEN_BLOCKS(ushort, _us)
__GEN_BLOCKS(uchar, _uc)
__GEN_BLOCK(uchar, uchar16, _uc16)
__GEN_BLOCKS(ulong, _ul)
#if defined __opencl_c_read_write_images
#undef __GEN_BLOCK
#define __GEN_BLOCK(T, R, suffix)                                                                  \
    R __GEN_DECL intel_sub_group_block_read##suffix(read_write image2d_t im, int2 at);             \
    void __GEN_DECL intel_sub_group_block_write##suffix(read_write image2d_t im, int2 at, R x);
__GEN_BLOCKS(uint, )
__GEN_BLOCKS(uint, _ui)
__GEN_BLOCKS(ushort, _us)
__GEN_BLOCKS(uchar, _uc)
__GEN_BLOCK(uchar, uchar16, _uc16)
__GEN_BLOCKS(ulong, _ul)
#endif
#undef __GEN_BLOCK
#undef __GEN_BLOCKS
#undef __GEN_DECL

#endif
