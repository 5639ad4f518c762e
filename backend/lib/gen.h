/* The primitives: what our builtin library (lib) and libclc stand on, and all that from_llvm*.c must
 * know by name. OpenCL C; every name is the symbol itself (nothing here is mangled).
 *
 * What passes.c guarantees when from_llvm sees a call of one:
 *   - `dim` arguments are constants 0, 1 or 2; `arg`, `offset` and `flags` are constants
 *   - calls marked const are memory(none) nounwind willreturn, not convergent: they may be moved and merged
 *   - barrier and fence are convergent; atomics touch memory and return the old value
 *   - only those above the line "lowered by passes.c" occur
 *
 * Lowered by passes.c, so that from_llvm never sees it: switch, memcpy/memmove/memset, byval loads (see
 * __gen_arg_dword), i64 sdiv udiv srem urem, llvm.sin cos exp exp2 exp10 log log2 log10 pow powi sqrt,
 * llvm.round, llvm.copysign, llvm.bswap, fshl fshr,
 * {s,u}{add,sub}.sat, *.with.overflow, fptosi/fptoui (they are llvm.fpto*i.sat), lifetime, assume, noalias
 * scopes, debug intrinsics, freeze, vector.reduce, calls with more than one definition, indirect calls.
 *
 * Left to from_llvm: br, ret void, unreachable; integer arithmetic, shifts, comparisons, casts of i1 i8 i16
 * i32 i64 (no division of i64); float and half fadd fsub fmul fdiv fneg fcmp, fmuladd fabs floor ceil trunc
 * rint minnum maxnum, float fma is.fpclass; double fadd fsub fmul fneg fcmp, fmuladd fabs minnum maxnum, fma on
 * Gen8 and 9; fptosi.sat fptoui.sat to i8..i64 (of double i8..i32), sitofp uitofp of i1..i64, fpext, fptrunc but
 * from double to half; abs smin smax umin umax ctpop ctlz cttz bitreverse; load, store of scalars, pointers and
 * vectors (of up to 128 elements and bytes); alloca in the entry block; getelementptr, ptrtoint, inttoptr, addrspacecast;
 * bitcast, phi, select (scalars and vectors); extractelement, insertelement (index also dynamic), shufflevector; calls of the primitives. */
#ifndef GEN_LIB_GEN_H
#define GEN_LIB_GEN_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_depth_images : enable

#define GEN_PURE __attribute__((const))

/* Where the work-item is. */
uint __gen_local_id(uint dim) GEN_PURE;
uint __gen_group_id(uint dim) GEN_PURE; /* in the whole range: KBIN_PARAM_GROUP_OFFSET included */
uint __gen_local_size(uint dim) GEN_PURE;
uint __gen_global_size(uint dim) GEN_PURE;
uint __gen_global_offset(uint dim) GEN_PURE;
uint __gen_num_groups(uint dim) GEN_PURE;
uint __gen_work_dim(void) GEN_PURE;

/* Four bytes at byte `offset` (a multiple of 4) of argument `arg`, a struct by value (byval). A struct whose
 * size isn't a multiple of 4 is read past its end: those bytes may hold anything. */
uint __gen_arg_dword(uint arg, uint offset) GEN_PURE;

/* Work-group barrier, memory fence: flags 1 local, 2 global memory, 4 images that a kernel reads and writes
 * (Gen8 on), as CLK_*_MEM_FENCE. */
void __gen_barrier(uint flags) __attribute__((convergent));
void __gen_fence(uint flags) __attribute__((convergent));

/* __gen_atomic_OP_SPACE: the old value. imin imax signed, umin umax unsigned; cmpxchg: (p, compare, new). */
#define GEN_ATOMIC0(op)                                                                            \
    uint __gen_atomic_##op##_global(volatile __global uint *p);                                    \
    uint __gen_atomic_##op##_local(volatile __local uint *p);
#define GEN_ATOMIC1(op)                                                                            \
    uint __gen_atomic_##op##_global(volatile __global uint *p, uint v);                            \
    uint __gen_atomic_##op##_local(volatile __local uint *p, uint v);
#define GEN_ATOMIC2(op)                                                                            \
    uint __gen_atomic_##op##_global(volatile __global uint *p, uint compare, uint v);              \
    uint __gen_atomic_##op##_local(volatile __local uint *p, uint compare, uint v);
GEN_ATOMIC1(add)
GEN_ATOMIC1(sub)
GEN_ATOMIC1(xchg)
GEN_ATOMIC0(inc)
GEN_ATOMIC0(dec)
GEN_ATOMIC2(cmpxchg)
GEN_ATOMIC1(imin)
GEN_ATOMIC1(imax)
GEN_ATOMIC1(umin)
GEN_ATOMIC1(umax)
GEN_ATOMIC1(and)
GEN_ATOMIC1(or)
GEN_ATOMIC1(xor)

/* The same on 64 bits, global memory only, Gen8 on: __gen_atomic_OP_global64. */
#define GEN_ATOMIC64_1(op) ulong __gen_atomic_##op##_global64(volatile __global ulong *p, ulong v);
GEN_ATOMIC64_1(add)
GEN_ATOMIC64_1(sub)
GEN_ATOMIC64_1(xchg)
GEN_ATOMIC64_1(imin)
GEN_ATOMIC64_1(imax)
GEN_ATOMIC64_1(umin)
GEN_ATOMIC64_1(umax)
GEN_ATOMIC64_1(and)
GEN_ATOMIC64_1(or)
GEN_ATOMIC64_1(xor)
ulong __gen_atomic_cmpxchg_global64(volatile __global ulong *p, ulong compare, ulong v);

/* The math unit, with its own accuracy and range: IR_fsin ... of ir_op.def. */
float __gen_sin(float x) GEN_PURE;
float __gen_cos(float x) GEN_PURE;
float __gen_exp2(float x) GEN_PURE;
float __gen_log2(float x) GEN_PURE;
float __gen_sqrt(float x) GEN_PURE;
float __gen_rsqrt(float x) GEN_PURE;
float __gen_rcp(float x) GEN_PURE;
float __gen_pow(float x, float y) GEN_PURE;

/* Half: bits in 15:0. f2h rounds to nearest even, gives half denormals, upper bits 0. */
uint __gen_f2h(float x) GEN_PURE;
float __gen_h2f(uint x) GEN_PURE;

/* a * b + c, with one rounding where the EU's mad on doubles is known to be fused. */
double __gen_mad64(double a, double b, double c) GEN_PURE;

/* Gen8 and 9: correctly rounded. lower_late.c puts them where LLVM's operations are. */
double __gen_divm64(double a, double b) GEN_PURE;
double __gen_sqrtm64(double x) GEN_PURE;

/* High 32 bits of the 64-bit product. */
uint __gen_umulhi(uint a, uint b) GEN_PURE;
int __gen_smulhi(int a, int b) GEN_PURE;

/* Where a generic pointer points (OpenCL C 2.0 on): 0, 1 global memory, 2 local, 3 private. */
#if __OPENCL_C_VERSION__ >= 200
uint __gen_pointer_tag(const volatile void *p) GEN_PURE;
#endif

/* The lanes of a hardware thread, a sub-group. shuffle: x of that lane, anything where it is off. reduce, scan
 * (inclusive), before (exclusive): of the lanes that are active here; the first has the identity before it. */
uint __gen_lane_id(void) GEN_PURE;
uint __gen_simd_width(void) GEN_PURE;
uint __gen_shuffle(uint x, uint lane) __attribute__((convergent));
#define GEN_GROUP(T, op)                                                                           \
    T __gen_reduce_##op(T x) __attribute__((convergent));                                          \
    T __gen_scan_##op(T x) __attribute__((convergent));                                            \
    T __gen_before_##op(T x) __attribute__((convergent));
GEN_GROUP(uint, add)
GEN_GROUP(uint, umin)
GEN_GROUP(uint, umax)
GEN_GROUP(int, smin)
GEN_GROUP(int, smax)
GEN_GROUP(uint, and)
GEN_GROUP(uint, or)
GEN_GROUP(uint, xor)
GEN_GROUP(float, fadd)
GEN_GROUP(float, fmul)
GEN_GROUP(float, fmin)
GEN_GROUP(float, fmax)
/* Eight bytes of local memory for each sub-group of the work-group (lower.c). */
__local uchar *__gen_group_scratch(void) GEN_PURE;
/* A word of local memory, 0 at the kernel's beginning, for who wants to be alone in the work-group (lower.c). */
volatile __local uint *__gen_group_lock(void) GEN_PURE;

/* printf: the launch's buffer (gen/kbin.h), and how far behind the beginning of the program's constant data a
 * string literal lies. */
__global uint *__gen_printf_buffer(void) GEN_PURE;
uint __gen_constant_offset(const __constant char *p) GEN_PURE;

/* Images, by type: 1d, 1db (buffer), 1da (array), 2d, 2da, 3d, 2dd and
 * 2dad (depths). Coordinates that a type hasn't are not looked at.
 * sample, ld: four channels, of floats their bits; ld takes integer coordinates and gives zeros outside.
 * image_TYPE_ACCESS: KBIN_PARAM_IMAGE_WIDTH + what, a constant. sampler_bits: CLK_*. Constant samplers are calls of
 * __gen_sampler(bits). */
#define GEN_IMAGE(s, T)                                                                            \
    uint4 __gen_ld_##s(read_only T im, int u, int v, int r) GEN_PURE;                              \
    void __gen_write_##s(write_only T im, int u, int v, int r, uint4 value);                       \
    uint __gen_image_##s##_ro(read_only T im, uint what) GEN_PURE;                                 \
    uint __gen_image_##s##_wo(write_only T im, uint what) GEN_PURE;
#define GEN_SAMPLED_IMAGE(s, T)                                                                    \
    GEN_IMAGE(s, T)                                                                                \
    uint4 __gen_sample_##s(read_only T im, sampler_t sampler, float u, float v, float r) GEN_PURE;
#if __opencl_c_read_write_images
#define GEN_RW_IMAGE(s, T)                                                                         \
    uint4 __gen_ld_##s##_rw(read_write T im, int u, int v, int r);                                 \
    void __gen_write_##s##_rw(read_write T im, int u, int v, int r, uint4 value);                  \
    uint __gen_image_##s##_rw(read_write T im, uint what) GEN_PURE;
GEN_RW_IMAGE(1d, image1d_t)
GEN_RW_IMAGE(1db, image1d_buffer_t)
GEN_RW_IMAGE(1da, image1d_array_t)
GEN_RW_IMAGE(2d, image2d_t)
GEN_RW_IMAGE(2da, image2d_array_t)
GEN_RW_IMAGE(3d, image3d_t)
GEN_RW_IMAGE(2dd, image2d_depth_t)
GEN_RW_IMAGE(2dad, image2d_array_depth_t)
#endif
GEN_SAMPLED_IMAGE(1d, image1d_t)
GEN_IMAGE(1db, image1d_buffer_t)
GEN_SAMPLED_IMAGE(1da, image1d_array_t)
GEN_SAMPLED_IMAGE(2d, image2d_t)
GEN_SAMPLED_IMAGE(2da, image2d_array_t)
GEN_SAMPLED_IMAGE(3d, image3d_t)
GEN_SAMPLED_IMAGE(2dd, image2d_depth_t)
GEN_SAMPLED_IMAGE(2dad, image2d_array_depth_t)
uint __gen_sampler_bits(sampler_t sampler) GEN_PURE;

/* Blocks of a 2d image, from byte x and row y (the same in all lanes): of each row the lanes get or give elements of
 * that many bytes that follow each other, in the low bits of dwords. __gen_media_read/write ROWS _ BYTES _ access. */
#define GEN_MEDIA_READ(n, W, bytes, access, a)                                                     \
    uint##n __gen_media_read##W##_##bytes##_##a(access image2d_t im, int x, int y)                 \
        __attribute__((convergent));
#define GEN_MEDIA_WRITE(n, W, bytes, access, a)                                                    \
    void __gen_media_write##W##_##bytes##_##a(access image2d_t im, int x, int y, uint##n v)        \
        __attribute__((convergent));
#define GEN_MEDIA_ROWS(M, bytes, access, a)                                                        \
    M(, 1, bytes, access, a)                                                                       \
    M(2, 2, bytes, access, a)                                                                      \
    M(4, 4, bytes, access, a)                                                                      \
    M(8, 8, bytes, access, a)
#define GEN_MEDIA(M, access, a)                                                                    \
    GEN_MEDIA_ROWS(M, 1, access, a)                                                                \
    GEN_MEDIA_ROWS(M, 2, access, a)                                                                \
    GEN_MEDIA_ROWS(M, 4, access, a)
GEN_MEDIA(GEN_MEDIA_READ, read_only, ro)
GEN_MEDIA(GEN_MEDIA_WRITE, write_only, wo)
#if __opencl_c_read_write_images
GEN_MEDIA(GEN_MEDIA_READ, read_write, rw)
GEN_MEDIA(GEN_MEDIA_WRITE, read_write, rw)
#endif

/* ---- lowered by passes.c ---- */
uint __gen_global_id(uint dim) GEN_PURE; /* apart from the others: it doesn't observe groups */

/* ---- defined in lib/int64.cl; passes.c puts them where LLVM's i64 divisions are ---- */
ulong __gen_udiv64(ulong a, ulong b) GEN_PURE;
ulong __gen_urem64(ulong a, ulong b) GEN_PURE;
long __gen_sdiv64(long a, long b) GEN_PURE;
long __gen_srem64(long a, long b) GEN_PURE;

/* ---- defined in lib/printf.cl, for what lower_printf.c makes of printf ---- */
__global uint *__gen_printf_reserve(uint size);

#endif
bool __gen_has_fma64(void) GEN_PURE;     /* whether __gen_mad64 has one rounding: a constant */
/* ---- defined in lib/double.cl and lib/half_math.cl, in the same way ---- */
double __gen_div64(double a, double b) GEN_PURE;
double __gen_sqrt64(double x) GEN_PURE;
double __gen_fma64(double a, double b, double c) GEN_PURE; /* before Gen8 */
double __gen_rint64(double x) GEN_PURE;
double __gen_floor64(double x) GEN_PURE;
double __gen_ceil64(double x) GEN_PURE;
double __gen_trunc64(double x) GEN_PURE;
double __gen_round64(double x) GEN_PURE; /* halves away from 0 */
ulong __gen_d2ul(double x) GEN_PURE;
long __gen_d2l(double x) GEN_PURE;
ushort __gen_d2h(double x) GEN_PURE;
float __gen_d2odd(double x) GEN_PURE; /* for lib/half.cl */

