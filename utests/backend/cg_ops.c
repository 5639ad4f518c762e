/* Each operation of Gen IR on the simulated EU, for all generations and widths, in lanes and as a
 * uniform value, against what C computes. */
#include "cg_bench.h"

#include <math.h>

enum kind {
    BITS,
    FLOAT,
    APPROX,
    HALF,
    HALF_SUM,
    GEN9 = 8 /* beside one of these: not before */
}; /* bits; bits, NaNs alike; within 4 ulp or so; half NaNs alike, HALF_SUM: plus 0x10000 */

typedef uint32_t (*expect_fn)(uint32_t a, uint32_t b, uint32_t c);

static float f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}

/* Denormals are flushed on the way in and out. */
static float flush(float f)
{
    return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

static float in(uint32_t b)
{
    return flush(f32(b));
}

static uint32_t out(float f)
{
    return bits(flush(f));
}

/* OpenCL's fmin and fmax: the other operand, whichever NaN one is. C's may make a NaN of a
 * signalling one. */
static float min_of(float a, float b)
{
    return isnan(a) || b < a ? b : a;
}
static float max_of(float a, float b)
{
    return isnan(a) || b > a ? b : a;
}

/* Halves, denormal or not: exact in long double, then rounded once. */
static long double half_in(uint32_t x)
{
    _Float16 h;
    memcpy(&h, &x, 2);
    return h;
}
static uint32_t half_out(long double x)
{
    _Float16 h = (_Float16)x;
    uint16_t b;
    memcpy(&b, &h, 2);
    return b;
}
#define E_HALF(name, expr)                                                                         \
    static uint32_t name(uint32_t ia, uint32_t ib, uint32_t ic)                                    \
    {                                                                                              \
        long double a = half_in(ia), b = half_in(ib), c = half_in(ic);                             \
        (void)a, (void)b, (void)c;                                                                 \
        return expr;                                                                               \
    }
E_HALF(e_hadd, half_out(a + b))
E_HALF(e_hsub, half_out(a - b))
E_HALF(e_hmul, half_out(a *b))
E_HALF(e_hfma, half_out(a *b + c))
E_HALF(e_hsigns, half_out(-fabsl(a) * b - c))
E_HALF(e_hone, half_out(1.5L - a))
E_HALF(e_hmin, half_out(fminl(a, b) + 0))
E_HALF(e_hmax, half_out(fmaxl(a, 0.5L)))
E_HALF(e_hless, a < b)
E_HALF(e_hrange, a > 0.25L && !(a >= b) ? 7 : 8)
E_HALF(e_hinteger, half_out(a + b) + 0x10000)
E_HALF(e_hchain, half_out((long double)(_Float16)(a + b) * c))
E_HALF(e_hfloat, half_out((long double)(float)((long double)(_Float16)(a + b) * 3)))
E_HALF(e_hhigh, half_out(half_in(ia >> 16) + half_in(ib >> 16)))

#define E(name, value)                                                                             \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c)                                       \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return (uint32_t)(value);                                                                  \
    }

static int64_t clamped(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* clang-format off */
E(e_sadd_sat, clamped((int64_t)(int32_t)a + (int32_t)b, INT32_MIN, INT32_MAX))
E(e_sadd_sat7, clamped((int64_t)(int32_t)a + 0x70000000, INT32_MIN, INT32_MAX))
E(e_uadd_sat, clamped((int64_t)a + b, 0, UINT32_MAX))
E(e_uadd_satf, clamped((int64_t)a + 0xf0000000, 0, UINT32_MAX))
E(e_savg, ((int64_t)(int32_t)a + (int32_t)b + 1) >> 1)
E(e_uavg, ((uint64_t)a + b + 1) >> 1)
E(e_uavg5, ((uint64_t)a + 6) >> 1)
/* clang-format on */

static uint32_t to_s(float f)
{
    return f != f               ? 0
           : f >= 2147483648.0f ? 0x7fffffff
           : f < -2147483648.0f ? 0x80000000
                                : (uint32_t)(int32_t)f;
}

static uint32_t to_u(float f)
{
    return f != f || f <= 0 ? 0 : f >= 4294967296.0f ? 0xffffffff : (uint32_t)f;
}

/* Half floats by the definition of the format. */
static float half_value(uint32_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf(1024 + m, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

static uint32_t half_of(float f)
{
    uint32_t sign = bits(f) >> 16 & 0x8000, best = 0;
    float x = fabsf(f);
    if (f != f)
        return sign | 0x7e00;
    if (x >= 65520)
        return sign | 0x7c00;
    while (half_value(best + 1) <= x)
        best++;
    float low = x - half_value(best),
          up = best + 1 == 0x7c00 ? 65536 - x : half_value(best + 1) - x;
    return sign | (best + (up < low || (up == low && best & 1)));
}

static uint32_t classify(float f)
{
    uint32_t b = bits(f);
    bool neg = b >> 31;
    switch (fpclassify(f)) {
    case FP_NAN:
        return b & 0x400000 ? 2 : 1;
    case FP_INFINITE:
        return neg ? 4 : 0x200;
    case FP_NORMAL:
        return neg ? 8 : 0x100;
    case FP_SUBNORMAL:
        return neg ? 0x10 : 0x80;
    default:
        return neg ? 0x20 : 0x40;
    }
}

static uint32_t reverse(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

E(e_add, a + b)
E(e_sub, a - b)
E(e_mul, a *b)
E(e_mul3, a * 3)
E(e_mulbig, a * 0x12345678u) E(e_mulneg, a * -5) E(e_add7, a + 7) E(e_sub7, 7 - a) E(e_mulhi_u, (uint64_t)a *b >> 32) E(
    e_mulhi_s, (uint64_t)((int64_t)(int32_t)a *(int32_t)b) >>
                   32) E(e_mulhi_s9,
                         (uint64_t)((int64_t)(int32_t)a * 1000000007) >>
                             32) E(e_carry, (a + b < a) * 1000 + ((a + b) & 255))
    E(e_borrow, (a < b) * 1000 + ((a - b) & 255)) E(e_carry5, (a + 5u < a) * 1000) E(
        e_udiv,
        b ? a / b
          : 0) E(e_urem,
                 b ? a % b
                   : 0) E(e_sdiv, b && !(a == 0x80000000 && b == ~0u) ? (int32_t)a / (int32_t)b : 0)
        E(e_srem, b && !(a == 0x80000000 && b == ~0u) ? (int32_t)a % (int32_t)b : 0) E(e_udiv10, a / 10) E(
            e_and,
            a &
                b) E(e_or,
                     a | b) E(e_xor, a ^ b)
            E(e_not, ~a) E(e_shl, a << (b & 31)) E(e_lshr, a >> (b & 31)) E(e_ashr, (int32_t)a >> (b & 31)) E(
                e_shl1,
                1u
                    << (b &
                        31)) E(e_smin,
                               (
                                   int32_t)a < (int32_t)b
                                   ? a
                                   : b) E(e_smax, (int32_t)a > (int32_t)b ? a : b)
                E(e_umin, a < b ? a : b) E(e_umax, a > b ? a : b) E(e_smin9, (int32_t)a < 9 ? a : 9) E(
                    e_sext8,
                    (int32_t)(int8_t)
                        a) E(e_sext16,
                             (int32_t)(int16_t)
                                 a) E(e_zext8, a & 255)
                    E(e_zext16, a & 65535) E(e_clz, a ? __builtin_clz(a) : 32) E(
                        e_ctz, a ? __builtin_ctz(a)
                                 : -1) E(e_pop, __builtin_popcount(a))
                        E(e_rev, reverse(a)) E(e_sel, a & 1 ? b : c) E(e_sel2, a & 1 ? 5 : c) E(
                            e_sel3,
                            a & 1
                                ? 5
                                : 9) E(e_ult, a < b)
                            E(e_sge, (int32_t)a >= (int32_t)b) E(e_ult100, -(uint32_t)(100 < a)) E(
                                e_logic, ((a < b) & ((int32_t)a < (int32_t)c)) |
                                             (((a == b) ^ !(b & 1))
                                              << 1)) E(e_selb,
                                                       (a & 1 ? a < b : b < c)
                                                           ? 11
                                                           : 22) E(e_i2b, a & 1 ? 3 : 4)
                                E(e_fadd, out(in(a) + in(b))) E(e_fsub, out(in(a)-in(b))) E(
                                    e_fmul,
                                    out(in(a)*in(
                                        b))) E(e_fadd1,
                                               out(in(a) + 1.5f)) E(e_fsub1, out(1.5f - in(a)))
                                    E(e_fneg, a ^ 0x80000000u) E(e_fabs, a & 0x7fffffff) E(
                                        e_mods,
                                        out(-fabsf(in(a)) -
                                            in(b))) E(e_fma, out(fmaf(in(a), in(b), in(c))))
                                        E(e_fma2, out(fmaf(-in(a), 0.5f, fabsf(in(c))))) E(
                                            e_fma3,
                                            out(fmaf(in(a), in(a),
                                                     1.0f))) E(e_fmin, bits(min_of(in(a), in(b))))
                                            E(e_fmax, bits(max_of(in(a), in(b)))) E(e_fmin1, bits(min_of(in(a), 1))) E(
                                                e_floor,
                                                bits(floorf(
                                                    in(a)))) E(e_ceil,
                                                               bits(ceilf(in(
                                                                   a)))) E(e_trunc, bits(truncf(in(a))))
                                                E(e_rint, bits(rintf(in(a)))) E(e_rcp, out(1 / in(a))) E(
                                                    e_fdiv,
                                                    out(in(a) /
                                                        in(
                                                            b))) E(e_sqrt,
                                                                   bits(sqrtf(in(
                                                                       a)))) E(e_rsqrt, out(1 / sqrtf(in(a))))
                                                    E(e_exp2, out(exp2f(in(a)))) E(e_log2, bits(log2f(in(a)))) E(
                                                        e_sin, bits(sinf(in(
                                                                   a)))) E(e_cos, bits(cosf(in(a))))
                                                        E(e_addc, c + (a + b < a)) E(
                                                            e_subb,
                                                            c - (a <
                                                                 b)) E(e_addb,
                                                                       c + (a <
                                                                            b)) E(e_andn, a & ~b)
                                                            E(e_orn, ~a | b) E(e_xorn, (a ^ ~b) + ~c) E(
                                                                e_zf,
                                                                bits(
                                                                    (float)(a &
                                                                            255))) E(e_zf16,
                                                                                     bits(
                                                                                         (float)(a & 65535)))
                                                                E(e_sf,
                                                                  bits((float)(int8_t)
                                                                           a)) E(e_sf16,
                                                                                 bits((
                                                                                     float)(int16_t)a))
                                                                    E(e_usf,
                                                                      bits((
                                                                          float)(uint32_t)(int32_t)(int8_t)
                                                                               a))
                                                                        E(e_and2,
                                                                          a < b && (int32_t)a <
                                                                                       (int32_t)
                                                                                           c
                                                                              ? b
                                                                              : 7)
                                                                            E(e_or2,
                                                                              a < b || (int32_t)a <
                                                                                           (int32_t)
                                                                                               c
                                                                                  ? b
                                                                                  : 7)
                                                                                E(e_and3,
                                                                                  a < b &&
                                                                                          in(a) <
                                                                                              in(c) &&
                                                                                          a != 5
                                                                                      ? b
                                                                                      : 7)
                                                                                    E(e_or3,
                                                                                      (a &
                                                                                       1) || (!(in(a) >=
                                                                                                in(b)) ||
                                                                                              b ==
                                                                                                  c)
                                                                                          ? b
                                                                                          : 7)
                                                                                        E(e_mix,
                                                                                          ((a < b &&
                                                                                            b < c) ||
                                                                                                   a ==
                                                                                                       c
                                                                                               ? 1
                                                                                               : 2) +
                                                                                              (a < b &&
                                                                                                       b < c
                                                                                                   ? 10
                                                                                                   : 20))
                                                                                            E(e_inv2,
                                                                                              !(in(a) >=
                                                                                                in(b)) &&
                                                                                                      a < c
                                                                                                  ? b
                                                                                                  : 7)
    /* the math unit's pow has no exceptions for NaN */
    E(e_pow, isunordered(in(a), in(b)) ? bits(NAN) : out(powf(fabsf(in(a)), in(b))))
        E(e_f2s, to_s(in(a))) E(e_f2u, to_u(in(a))) E(e_s2f, bits((int32_t)a)) E(e_u2f, bits(a))
            E(e_f2h, half_of(in(a))) E(e_h2f, bits(half_value(a & 0xffff))) E(e_oeq, in(a) == in(b))
                E(e_one, in(a) < in(b) || in(a) > in(b)) E(e_olt, in(a) < in(b))
                    E(e_ole, in(a) <= in(b)) E(e_ogt, in(a) > in(b)) E(e_oge, in(a) >= in(b))
                        E(e_ord, !isunordered(in(a), in(b)))
                            E(e_ueq, !(in(a) < in(b) || in(a) > in(b))) E(e_une, in(a) != in(b))
                                E(e_fult, !(in(a) >= in(b))) E(e_fule, !(in(a) > in(b)))
                                    E(e_fugt, !(in(a) <= in(b))) E(e_fuge, !(in(a) < in(b)))
                                        E(e_uno, isunordered(in(a), in(b)))
                                            E(e_nan, classify(f32(a)) & 3 ? 1 : 0)
                                                E(e_finite, classify(f32(a)) & 0x1f8 ? 7 : 8)
                                                    E(e_class, classify(f32(a)) & 0x251 ? 7 : 8)
                                                        E(e_none, 8)
                                                            E(e_class2,
                                                              classify(f32(a)) & 0x2a9 ? 1 : 0)

                                                                static const struct op {
    const char *code; /* from %a %b %c (%x %y %z: the same as floats) to %r */
    expect_fn expect;
    int kind; /* enum kind, GEN9 */
} ops[] = {
    {"%r:i32 = add %a, %b", e_add, BITS},
    {"%r:i32 = sub %a, %b", e_sub, BITS},
    {"%r:i32 = add %a, 7", e_add7, BITS},
    {"%r:i32 = sub 7, %a", e_sub7, BITS},
    {"%r:i32 = mul %a, %b", e_mul, BITS},
    {"%r:i32 = mul %a, 3", e_mul3, BITS},
    {"%r:i32 = mul %a, -5", e_mulneg, BITS},
    {"%r:i32 = mul 0x12345678, %a", e_mulbig, BITS},
    {"%r:i32 = mulhi_u %a, %b", e_mulhi_u, BITS},
    {"%r:i32 = mulhi_s %a, %b", e_mulhi_s, BITS},
    {"%r:i32 = mulhi_s %a, 1000000007", e_mulhi_s9, BITS},
    {"%s:i32, %k:i32 = add_carry %a, %b\n%l:i32 = and %s, 255\n%m:i32 = mul %k, 1000\n%r:i32 = add "
     "%l, %m",
     e_carry, BITS},
    {"%s:i32, %k:i32 = sub_borrow %a, %b\n%l:i32 = and %s, 255\n%m:i32 = mul %k, 1000\n%r:i32 = "
     "add %l, %m",
     e_borrow, BITS},
    {"%s:i32, %k:i32 = add_carry %a, 5\n%r:i32 = mul %k, 1000", e_carry5, BITS},
    {"%k:i1 = icmp.eq %b, 0\n%d:i32 = udiv %a, %b\n%r:i32 = select %k, 0, %d", e_udiv, BITS},
    {"%k:i1 = icmp.eq %b, 0\n%d:i32 = urem %a, %b\n%r:i32 = select %k, 0, %d", e_urem, BITS},
    {"%k:i1 = icmp.eq %b, 0\n%l:i1 = icmp.eq %b, -1\n%m:i1 = icmp.eq %a, 0x80000000\n%n:i1 = and1 "
     "%l, %m\n"
     "%o:i1 = or1 %k, %n\n%d:i32 = sdiv %a, %b\n%r:i32 = select %o, 0, %d",
     e_sdiv, BITS},
    {"%k:i1 = icmp.eq %b, 0\n%l:i1 = icmp.eq %b, -1\n%m:i1 = icmp.eq %a, 0x80000000\n%n:i1 = and1 "
     "%l, %m\n"
     "%o:i1 = or1 %k, %n\n%d:i32 = srem %a, %b\n%r:i32 = select %o, 0, %d",
     e_srem, BITS},
    {"%r:i32 = udiv %a, 10", e_udiv10, BITS},
    {"%r:i32 = and %a, %b", e_and, BITS},
    {"%r:i32 = or %a, %b", e_or, BITS},
    {"%r:i32 = xor %a, %b", e_xor, BITS},
    {"%r:i32 = not %a", e_not, BITS},
    {"%r:i32 = shl %a, %b", e_shl, BITS},
    {"%r:i32 = lshr %a, %b", e_lshr, BITS},
    {"%r:i32 = ashr %a, %b", e_ashr, BITS},
    {"%r:i32 = shl 1, %b", e_shl1, BITS},
    {"%r:i32 = smin %a, %b", e_smin, BITS},
    {"%r:i32 = smax %a, %b", e_smax, BITS},
    {"%r:i32 = umin %a, %b", e_umin, BITS},
    {"%r:i32 = umax %a, %b", e_umax, BITS},
    {"%r:i32 = sadd_sat %a, %b", e_sadd_sat, BITS},
    {"%r:i32 = sadd_sat %a, 0x70000000", e_sadd_sat7, BITS},
    {"%r:i32 = uadd_sat %a, %b", e_uadd_sat, BITS},
    {"%r:i32 = uadd_sat 0xf0000000, %a", e_uadd_satf, BITS},
    {"%r:i32 = savg %a, %b", e_savg, BITS},
    {"%r:i32 = uavg %a, %b", e_uavg, BITS},
    {"%r:i32 = uavg 5, %a", e_uavg5, BITS},
    {"%r:i32 = smin 9, %a", e_smin9, BITS},
    {"%r:i32 = sext8 %a", e_sext8, BITS},
    {"%r:i32 = sext16 %a", e_sext16, BITS},
    {"%r:i32 = zext8 %a", e_zext8, BITS},
    {"%r:i32 = zext16 %a", e_zext16, BITS},
    {"%r:i32 = clz %a", e_clz, BITS},
    {"%r:i32 = ctz %a", e_ctz, BITS},
    {"%r:i32 = popcount %a", e_pop, BITS},
    {"%r:i32 = bitreverse %a", e_rev, BITS},
    {"%k:i1 = i2b %a\n%r:i32 = select %k, %b, %c", e_sel, BITS},
    {"%k:i1 = i2b %a\n%r:i32 = select %k, 5, %c", e_sel2, BITS},
    {"%k:i1 = i2b %a\n%r:i32 = select %k, 5, 9", e_sel3, BITS},
    {"%k:i1 = icmp.ult %a, %b\n%r:i32 = b2i %k", e_ult, BITS},
    {"%k:i1 = icmp.sge %a, %b\n%r:i32 = b2i %k", e_sge, BITS},
    {"%k:i1 = icmp.ult 100, %a\n%r:i32 = b2m %k", e_ult100, BITS},
    {"%k:i1 = icmp.ult %a, %b\n%l:i1 = icmp.slt %a, %c\n%m:i1 = and1 %k, %l\n%n:i1 = icmp.eq %a, "
     "%b\n"
     "%o:i1 = i2b %b\n%p:i1 = not1 %o\n%q:i1 = xor1 %n, %p\n%u:i32 = b2i %m\n%v:i32 = select %q, "
     "2, 0\n"
     "%r:i32 = or %u, %v",
     e_logic, BITS},
    {"%k:i1 = i2b %a\n%l:i1 = icmp.ult %a, %b\n%m:i1 = icmp.ult %b, %c\n%n:i1 = select %k, %l, %m\n"
     "%r:i32 = select %n, 11, 22",
     e_selb, BITS},
    {"%k:i1 = i2b %a\n%l:i1 = not1 %k\n%m:i32 = b2i %k\n%n:i1 = icmp.eq %m, 0\n%o:i1 = xor1 %l, "
     "%n\n"
     "%p:i32 = select %k, 3, 4\n%q:i32 = b2i %o\n%r:i32 = add %p, %q",
     e_i2b, BITS},
    {"%r:f32 = fadd %x, %y", e_fadd, FLOAT},
    {"%r:f32 = fsub %x, %y", e_fsub, FLOAT},
    {"%r:f32 = fmul %x, %y", e_fmul, FLOAT},
    {"%r:f32 = fadd 1.5f, %x", e_fadd1, FLOAT},
    {"%r:f32 = fsub 1.5f, %x", e_fsub1, FLOAT},
    {"%r:f32 = fneg %x", e_fneg, BITS},
    {"%r:f32 = fabs %x", e_fabs, BITS},
    {"%k:f32 = fabs %x\n%l:f32 = fneg %k\n%r:f32 = fsub %l, %y", e_mods, FLOAT},
    {"%r:f32 = ffma %x, %y, %z", e_fma, FLOAT},
    {"%k:f32 = fneg %x\n%l:f32 = fabs %z\n%r:f32 = ffma %k, 0.5f, %l", e_fma2, FLOAT},
    {"%r:f32 = ffma %x, %x, 1.0f", e_fma3, FLOAT},
    {"%r:f32 = fmin %x, %y", e_fmin, FLOAT},
    {"%r:f32 = fmax %x, %y", e_fmax, FLOAT},
    {"%r:f32 = fmin 1.0f, %x", e_fmin1, FLOAT},
    {"%r:f32 = ffloor %x", e_floor, FLOAT},
    {"%r:f32 = fceil %x", e_ceil, FLOAT},
    {"%r:f32 = ftrunc %x", e_trunc, FLOAT},
    {"%r:f32 = frint %x", e_rint, FLOAT},
    {"%r:f32 = frcp %x", e_rcp, APPROX},
    {"%r:f32 = fdiv %x, %y", e_fdiv, APPROX},
    {"%r:f32 = fsqrt %x", e_sqrt, APPROX},
    {"%r:f32 = frsqrt %x", e_rsqrt, APPROX},
    {"%r:f32 = fexp2 %x", e_exp2, APPROX},
    {"%r:f32 = flog2 %x", e_log2, APPROX},
    {"%r:f32 = fsin %x", e_sin, APPROX},
    {"%r:f32 = fcos %x", e_cos, APPROX},
    {"%k:f32 = fabs %x\n%r:f32 = fpow %k, %y", e_pow, APPROX},
    {"%r:i32 = f2s %x", e_f2s, BITS},
    {"%r:i32 = f2u %x", e_f2u, BITS},
    {"%r:f32 = s2f %a", e_s2f, BITS},
    {"%r:f32 = u2f %a", e_u2f, BITS},
    {"%r:i32 = f2h %x", e_f2h, HALF},
    {"%r:f32 = h2f %a", e_h2f, FLOAT},
    {"%s:i32, %k:i32 = add_carry %a, %b\n%r:i32 = add %c, %k", e_addc, BITS},
    {"%s:i32, %k:i32 = sub_borrow %a, %b\n%r:i32 = sub %c, %k", e_subb, BITS},
    {"%k:i1 = icmp.ult %a, %b\n%l:i32 = b2i %k\n%r:i32 = add %l, %c", e_addb, BITS},
    {"%k:i32 = not %b\n%r:i32 = and %a, %k", e_andn, BITS},
    {"%k:i32 = not %a\n%r:i32 = or %k, %b", e_orn, BITS},
    {"%k:i32 = not %b\n%l:i32 = xor %a, %k\n%m:i32 = not %c\n%r:i32 = add %l, %m", e_xorn, BITS},
    {"%k:i32 = zext8 %a\n%r:f32 = u2f %k", e_zf, BITS},
    {"%k:i32 = zext16 %a\n%r:f32 = s2f %k", e_zf16, BITS},
    {"%k:i32 = sext8 %a\n%r:f32 = s2f %k", e_sf, BITS},
    {"%k:i32 = sext16 %a\n%r:f32 = s2f %k", e_sf16, BITS},
    {"%k:i32 = sext8 %a\n%r:f32 = u2f %k", e_usf, BITS},
    {"%k:i1 = icmp.ult %a, %b\n%l:i1 = icmp.slt %a, %c\n%m:i1 = and1 %k, %l\n%r:i32 = select %m, "
     "%b, 7",
     e_and2, BITS},
    {"%k:i1 = icmp.ult %a, %b\n%l:i1 = icmp.slt %a, %c\n%m:i1 = or1 %k, %l\n%r:i32 = select %m, "
     "%b, 7",
     e_or2, BITS},
    {"%k:i1 = icmp.ult %a, %b\n%l:i1 = fcmp.olt %x, %z\n%m:i1 = icmp.ne %a, 5\n%n:i1 = and1 %l, "
     "%m\n"
     "%o:i1 = select %k, %n, 0\n%r:i32 = select %o, %b, 7",
     e_and3, BITS},
    {"%k:i1 = i2b %a\n%l:i1 = fcmp.fult %x, %y\n%m:i1 = icmp.eq %b, %c\n%n:i1 = or1 %l, %m\n"
     "%o:i1 = select %k, 1, %n\n%r:i32 = select %o, %b, 7",
     e_or3, BITS},
    {"%k:i1 = icmp.ult %a, %b\n%l:i1 = icmp.ult %b, %c\n%m:i1 = and1 %k, %l\n%n:i1 = icmp.eq %a, "
     "%c\n"
     "%o:i1 = or1 %m, %n\n%p:i32 = select %o, 1, 2\n%q:i32 = select %m, 10, 20\n%r:i32 = add %p, "
     "%q",
     e_mix, BITS},
    {"%k:i1 = fcmp.fult %x, %y\n%l:i1 = icmp.ult %a, %c\n%m:i1 = and1 %k, %l\n%r:i32 = select %m, "
     "%b, 7",
     e_inv2, BITS},
#define FCMP(pred)                                                                                 \
    {"%k:i1 = fcmp." #pred " %x, %y\n%r:i32 = b2i %k", e_##pred, BITS},                            \
    {                                                                                              \
        "%k:i1 = fcmp." #pred " %x, %y\n%r:i32 = select %k, 1, 0", e_##pred, BITS                  \
    }
    FCMP(oeq),
    FCMP(one),
    FCMP(olt),
    FCMP(ole),
    FCMP(ogt),
    FCMP(oge),
    FCMP(ord),
    FCMP(ueq),
    FCMP(une),
    FCMP(fult),
    FCMP(fule),
    FCMP(fugt),
    FCMP(fuge),
    FCMP(uno),
    {"%r:i32 = hadd %a, %b", e_hadd, HALF | GEN9},
    {"%r:i32 = hsub %a, %b", e_hsub, HALF | GEN9},
    {"%r:i32 = hmul %a, %b", e_hmul, HALF | GEN9},
    {"%r:i32 = hfma %a, %b, %c", e_hfma, HALF | GEN9},
    {"%k:i32 = and %a, 0x7fff\n%l:i32 = xor %k, 0x8000\n%m:i32 = xor %c, 0x8000\n"
     "%r:i32 = hfma %l, %b, %m",
     e_hsigns, HALF | GEN9},
    {"%r:i32 = hsub 0x3e00, %a", e_hone, HALF | GEN9},
    {"%k:i32 = hmin %a, %b\n%r:i32 = hadd %k, 0", e_hmin, HALF | GEN9},
    {"%r:i32 = hmax 0x3800, %a", e_hmax, HALF | GEN9},
    {"%k:i1 = hcmp.olt %a, %b\n%r:i32 = b2i %k", e_hless, BITS | GEN9},
    {"%k:i1 = hcmp.ogt %a, 0x3400\n%l:i1 = hcmp.fult %a, %b\n%m:i1 = and1 %k, %l\n"
     "%r:i32 = select %m, 7, 8",
     e_hrange, BITS | GEN9},
    {"%k:i32 = hadd %a, %b\n%l:i32 = add %k, 0x10000\n%m:i32 = and %l, 0x7fff\n"
     "%n:i1 = icmp.ugt %m, 0x7c00\n%r:i32 = select %n, 0x17fff, %l",
     e_hinteger, HALF_SUM | GEN9},
    {"%k:i32 = hadd %a, %b\n%r:i32 = hmul %k, %c", e_hchain, HALF | GEN9},
    {"%k:i32 = hadd %a, %b\n%l:f32 = h2f %k\n%m:f32 = fmul %l, 3.0f\n%r:i32 = f2h %m", e_hfloat,
     HALF | GEN9},
    {"%k:i32 = lshr %a, 16\n%l:i32 = lshr %b, 16\n%r:i32 = hadd %k, %l", e_hhigh, HALF | GEN9},
    {"%k:i1 = fclass 3, %x\n%r:i32 = b2i %k", e_nan, BITS},
    {"%k:i1 = fclass 504, %x\n%r:i32 = select %k, 7, 8", e_finite, BITS},
    {"%k:i1 = fclass 593, %x\n%r:i32 = select %k, 7, 8", e_class, BITS},
    {"%k:i1 = fclass 0, %x\n%r:i32 = select %k, 7, 8", e_none, BITS},
    {"%k:i1 = fclass 681, %x\n%r:i32 = b2i %k", e_class2, BITS},
};
enum { N_OPS = sizeof ops / sizeof *ops };

static const uint32_t values[] = {
    0,          1,          2,          3,          5,          7,          31,         33,
    100,        255,        256,        0x8000,     0xffff,     0x10000,    0x12345678, 0x7fffffff,
    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x40200000, 0xc0200000,
    0x3fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x00800000, 0x007fffff, 0x80400000,
    0x7f7fffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x3c00,     0x7bff,     0x0001,     0x42c80000,
    0x3e99999a, 0x477fe000, 0x33800000};
enum { N_VALUES = sizeof values / sizeof *values, ITEMS = 29 };

static bool same(int kind, uint32_t got, uint32_t want)
{
    float g = f32(got), w = f32(want);
    if (got == want)
        return true;
    if (kind == HALF)
        return (got & 0x7fff) > 0x7c00 && (want & 0x7fff) > 0x7c00 && got < 0x10000;
    if (kind == HALF_SUM)
        return same(HALF, got - 0x10000, want - 0x10000);
    if (kind == BITS)
        return false;
    if (g != g && w != w)
        return true;
    if (kind == FLOAT)
        return flush(g) == 0 &&
               w == 0;        /* from min, max: the sign of a zero, and denormals, are open */
    if (fabsf(g - w) < 2e-6f) /* sine and cosine promise no more than an absolute error */
        return true;
    return fabsf(g - w) <= fabsf(w) * 1e-6f;
}

static uint32_t pick(unsigned op, unsigned k)
{
    uint32_t r = bench_random();
    (void)op;
    return r & 0x300 ? values[(r >> 10) % N_VALUES]
           : k % 2   ? bench_random()
                     : 0x3f000000 + (bench_random() & 0x1ffffff);
}

static void check_op(unsigned n, const char *device, unsigned simd, bool uniform)
{
    char text[2048];
    const struct op *o = &ops[n];
    int at = snprintf(
        text, sizeof text,
        "fn k push 16\nsurface arg 0\nsurface arg 1 written\nb0:\n%%id:i32 = local_id 0\n");
    if (uniform)
        at += snprintf(text + at, sizeof text - at,
                       "%%a:i32 = param 0\n%%b:i32 = param 4\n%%c:i32 = param 8\n");
    else
        at += snprintf(text + at, sizeof text - at,
                       "%%at:i32 = shl %%id, 4\n%%a:i32, %%b:i32, %%c:i32 = load surface 0 d32x3 "
                       "align 16 [%%at]\n");
    at += snprintf(
        text + at, sizeof text - at,
        "%%x:f32 = mov %%a\n%%y:f32 = mov %%b\n%%z:f32 = mov %%c\n%s\n%%to:i32 = shl %%id, 2\n"
        "store surface 1 d32x1 align 4 [%%to] %%r\nend\n",
        o->code);
    if (!bench_compile(text, device, simd, true)) {
        CHECK(!"compiled");
        return;
    }
    for (unsigned i = 0; i < ITEMS * 4; i++)
        bench.mem[0][i] = pick(n, i);
    memcpy(bench.push, bench.mem[0], 16);
    memset(bench.mem[1], 0xee, 4096);
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "%s: %s", o->code, bench.fault);
    for (unsigned i = 0; ok && i < 32; i++) {
        const uint32_t *v = &bench.mem[0][uniform ? 0 : 4 * i];
        uint32_t want = i < ITEMS ? o->expect(v[0], v[1], v[2]) : 0xeeeeeeee, got = bench.mem[1][i];
        CHECKF(same(i < ITEMS ? o->kind & ~GEN9 : BITS, got, want),
               "%s SIMD%u %s: %s (0x%x 0x%x 0x%x): 0x%x, not 0x%x", device, simd,
               uniform ? "uniform" : "lanes", o->code, v[0], v[1], v[2], got, want);
    }
}

/* cg_ops [SEED]: other numbers than the suite's. */
int main(int argc, char **argv)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2", "bxt-3x6"};
    bench.seed = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
    for (unsigned d = 0; d < sizeof devices / sizeof *devices; d++) {
        for (unsigned n = 0; n < N_OPS; n++) {
            if (ops[n].kind & GEN9 && gen_device_by_name(devices[d])->gen < 90)
                continue;
            for (unsigned simd = 8; simd <= 32; simd *= 2) {
                check_op(n, devices[d], simd, false);
                check_op(n, devices[d], simd, true);
                check_op(n, devices[d], simd, true);
            }
        }
    }
    return utest_end();
}
