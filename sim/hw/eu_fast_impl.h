/* The commonest instructions on the host's vector unit: 8 lanes of 32 bits at a time, all sources
 * read before anything is written. Included by eu_fast_base.c and eu_fast_avx2.c, which compile it
 * for different hosts; everything here is static.
 *
 * The general path is the reference. What a function here can't do exactly (a NaN came out, a
 * conversion overflowed) it leaves to op->general, before it has written anything; what it never
 * can, choose() (eu_fast_choose.h) declines at decoding.
 *
 * An operation is a kernel: a function of vectors. Each is instantiated in several forms: `direct`,
 * whose operands are packed dwords or scalars, for every combination of these, 8 and 16 lanes (the
 * commonest kernels, on the better hosts); `one`, a single lane of any type; `any`, all other
 * regions and types. */
#include "eu_fast_vec.h"

/* ---- kernels ---- */

enum kernel {
    /* floats */
    K_MOV,
    K_ADD,
    K_MUL,
    K_MAD,
    K_RNDD,
    K_RNDU,
    K_RNDE,
    K_RNDZ,
    K_FRC,
    K_LRP,
    K_CMP_F,
    K_SEL_F,
    K_CSEL,
    /* integers */
    K_COPY,
    K_NOT,
    K_AND,
    K_OR,
    K_XOR,
    K_SHL,
    K_SHR,
    K_ASR,
    K_IADD,
    K_IMUL,
    K_IMUL16,
    K_BFE,
    K_BFE_D,
    K_BFI1,
    K_BFI2,
    K_BFREV,
    K_LZD,
    K_FBH,
    K_FBH_D,
    K_FBL,
    K_CBIT,
    K_CMP_D,
    K_CMP_UD,
    K_CMP_MODIFIED,
    K_SEL_D,
    K_SEL_UD,
    /* either */
    K_SEL_PRED,
    K_SEL_PRED_F,
    /* conversions */
    K_D_TO_F,
    K_UD_TO_F,
    K_F_TO_D,
    K_F_TO_UD
};

enum modify { MODIFY_NONE, MODIFY_FLOAT, MODIFY_INT };

INLINE enum modify kernel_modify(enum kernel k)
{
    if (k <= K_CSEL || k == K_SEL_PRED_F || k == K_F_TO_D || k == K_F_TO_UD)
        return MODIFY_FLOAT;
    if (k == K_CMP_D || k == K_CMP_UD || k == K_SEL_D || k == K_SEL_UD || k >= K_D_TO_F)
        return MODIFY_NONE;
    return MODIFY_INT;
}

/* Results that the kernel may have to leave to the general path. */
INLINE bool kernel_fails(enum kernel k)
{
    return k <= K_LRP || k == K_SEL_F || k == K_CMP_MODIFIED || k >= K_UD_TO_F;
}

INLINE bool kernel_compares(enum kernel k)
{
    return k == K_CMP_F || k == K_CMP_D || k == K_CMP_UD || k == K_CMP_MODIFIED;
}

/* Modes of cr0 that only the general path has. */
INLINE uint32_t kernel_modes(enum kernel k)
{
    if (k == K_F_TO_D || k == K_F_TO_UD)
        return CR0_FTOI_ROUND;
    return k <= K_LRP ? CR0_ALT : 0;
}

/* The predicate or condition selects; it doesn't keep channels from being written. */
INLINE bool kernel_selects(enum kernel k)
{
    return k == K_SEL_F || k == K_SEL_D || k == K_SEL_UD || k == K_SEL_PRED || k == K_SEL_PRED_F;
}

#ifdef __AVX2__
#define ROUND(a, how) ((vf)_mm256_round_ps((__m256)(a), (how) | _MM_FROUND_NO_EXC))
#endif

INLINE vf kernel_float(enum kernel k, vf a, vf b, vf c)
{
    switch (k) {
    case K_ADD:
        return a + b;
    case K_MUL:
        return a * b;
    case K_LRP:
        return a * b + (1.0f - a) * c;
#ifdef __AVX2__
    case K_MAD:
        return (vf)_mm256_fmadd_ps((__m256)b, (__m256)c, (__m256)a);
    case K_RNDD:
        return ROUND(a, _MM_FROUND_TO_NEG_INF);
    case K_RNDU:
        return ROUND(a, _MM_FROUND_TO_POS_INF);
    case K_RNDE:
        return ROUND(a, _MM_FROUND_TO_NEAREST_INT);
    case K_RNDZ:
        return ROUND(a, _MM_FROUND_TO_ZERO);
    case K_FRC: {
        const vf last = (vf)splat(0x3f7fffff); /* the last number below 1 */
        vf r = a - ROUND(a, _MM_FROUND_TO_NEG_INF);
        return (vf)choose_lanes((vu)(r >= 1.0f), (vu)last, (vu)r);
    }
#endif
    default:
        return a;
    }
}

/* Operations that the host's vectors don't have: lane by lane. */
#define EACH_LANE(expr)                                                                            \
    do {                                                                                           \
        union {                                                                                    \
            vu v;                                                                                  \
            uint32_t lane[8];                                                                      \
        } xa = {.v = a}, xb = {.v = b}, xc = {.v = c};                                             \
        for (unsigned i = 0; i < 8; i++) {                                                         \
            uint32_t x = xa.lane[i], y = xb.lane[i], z = xc.lane[i];                               \
            (void)y, (void)z;                                                                      \
            xa.lane[i] = (expr);                                                                   \
        }                                                                                          \
        return xa.v;                                                                               \
    } while (0)

INLINE vu bit_field(vu width, vu offset, vu v, bool sign)
{
    width &= 31;
    offset &= 31;
    vu inside = (vu)(width + offset < 32), some = (vu)(width != 0);
    vu left = inside & some & (32 - width - offset);
    vu right = choose_lanes(inside, (32 - width) & 31, offset);
    v <<= left;
    return some & (sign ? (vu)((vd)v >> (vd)right) : v >> right);
}

INLINE vu reverse_bits(vu v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
    return v >> 16 | v << 16;
}

INLINE vu kernel_int(enum kernel k, vu a, vu b, vu c)
{
    switch (k) {
    case K_NOT:
        return ~a;
    case K_AND:
        return a & b;
    case K_OR:
        return a | b;
    case K_XOR:
        return a ^ b;
    case K_SHL:
        return a << (b & 31);
    case K_SHR:
        return a >> (b & 31);
    case K_ASR:
        return (vu)((vd)a >> (vd)(b & 31));
    case K_IADD:
        return a + b;
    case K_IMUL:
        return a * b;
    case K_IMUL16:
        return a * (b & 0xffff);
    case K_BFE:
        return bit_field(a, b, c, false);
    case K_BFE_D:
        return bit_field(a, b, c, true);
    case K_BFI1:
        return ((splat(1) << (a & 31)) - 1) << (b & 31);
    case K_BFI2:
        EACH_LANE(x ? (y << __builtin_ctz(x) & x) | (z & ~x) : z);
    case K_BFREV:
        return reverse_bits(a);
    case K_LZD:
        EACH_LANE(x ? (uint32_t)__builtin_clz(x) : 32);
    case K_FBH:
        EACH_LANE(x ? (uint32_t)__builtin_clz(x) : ~0u);
    case K_FBH_D:
        a ^= (vu)((vd)a >> 31);
        EACH_LANE(x ? (uint32_t)__builtin_clz(x) : ~0u);
    case K_FBL:
        EACH_LANE(x ? (uint32_t)__builtin_ctz(x) : ~0u);
    case K_CBIT:
        EACH_LANE((uint32_t)__builtin_popcount(x));
    default:
        return a;
    }
}

INLINE vd convert_to_int(vf v)
{
#ifdef __AVX__
    return (vd)_mm256_cvttps_epi32((__m256)v);
#else
    union {
        vf v;
        __m128 h[2];
    } in = {.v = v};
    union {
        vd v;
        __m128i h[2];
    } out = {.h = {_mm_cvttps_epi32(in.h[0]), _mm_cvttps_epi32(in.h[1])}};
    return out.v;
#endif
}

/* Converted floats in the range of a narrower destination. */
INLINE vu clamp_narrow(const struct eu_op *op, bool is_unsigned, vd v)
{
    if (op->dst.size == 4)
        return (vu)v;
    int bits = 8 * op->dst.size, max = is_unsigned ? (1 << bits) - 1 : (1 << (bits - 1)) - 1;
    vd lo = (vd)splat((uint32_t)(is_unsigned ? 0 : -max - 1)), hi = (vd)splat((uint32_t)max);
    v = (vd)choose_lanes((vu)(v < lo), (vu)lo, (vu)v);
    return choose_lanes((vu)(v > hi), (vu)hi, (vu)v);
}

/* 8 lanes of anything that looks at neither condition nor predicate. The sign bits of *bad: lanes
 * that the general path has to do. */
INLINE vu compute_lanes(enum kernel k, const struct eu_thread *t, const struct eu_op *op, vu a,
                        vu b, vu c, vu *bad)
{
    vf v;
    vd i;
    switch (k) {
    case K_D_TO_F:
        return (vu) __builtin_convertvector((vd)a, vf);
    case K_UD_TO_F: /* those that don't fit the signed conversion are rare */
        *bad = a;
        return (vu) __builtin_convertvector((vd)a, vf);
    case K_F_TO_D: /* what the host can't convert gives the least integer */
        i = convert_to_int((vf)a);
        *bad = (vu)(i == INT32_MIN);
        return clamp_narrow(op, false, i);
    case K_F_TO_UD:
        i = convert_to_int((vf)a);
        *bad = (vu)i;
        return clamp_narrow(op, true, i);
    default:
        break;
    }
    if (k >= K_COPY)
        return kernel_int(k, a, b, c);
    v = k == K_MOV ? (vf)flush_float(t, a) : kernel_float(k, (vf)a, (vf)b, (vf)c);
    *bad = (vu)(v != v);
    return (vu)v;
}

#define COMPARE(compare, type, cond, x, y)                                                         \
    (struct both)                                                                                  \
    {                                                                                              \
        (vu) compare(cond, (type)(x).lo, (type)(y).lo),                                            \
            n > 1 ? (vu)compare(cond, (type)(x).hi, (type)(y).hi) : (x).hi                         \
    }
#define COMPARE_CASES(compare, type, last)                                                         \
    switch (cond) {                                                                                \
    case EU_COND_Z:                                                                                \
        return COMPARE(compare, type, EU_COND_Z, a, b);                                            \
    case EU_COND_NZ:                                                                               \
        return COMPARE(compare, type, EU_COND_NZ, a, b);                                           \
    case EU_COND_G:                                                                                \
        return COMPARE(compare, type, EU_COND_G, a, b);                                            \
    case EU_COND_GE:                                                                               \
        return COMPARE(compare, type, EU_COND_GE, a, b);                                           \
    case EU_COND_L:                                                                                \
        return COMPARE(compare, type, EU_COND_L, a, b);                                            \
    case EU_COND_LE:                                                                               \
        return COMPARE(compare, type, EU_COND_LE, a, b);                                           \
    default:                                                                                       \
        return COMPARE(compare, type, last, a, b);                                                 \
    }

INLINE struct both compare_both_f(unsigned cond, unsigned n, struct both a,
                                  struct both b){COMPARE_CASES(compare_f, vf, EU_COND_U)}

/* Signed comparison; `bias` turns unsigned values into signed ones of the same order. */
INLINE struct both
    compare_both_int(unsigned cond, unsigned n, uint32_t bias, struct both a, struct both b)
{
    a.lo ^= bias, a.hi ^= bias;
    b.lo ^= bias, b.hi ^= bias;
    COMPARE_CASES(compare_int, vd, EU_COND_LE)
}

#define CHOOSE(mask, yes, no)                                                                      \
    (struct both)                                                                                  \
    {                                                                                              \
        choose_lanes((mask).lo, (yes).lo, (no).lo), choose_lanes((mask).hi, (yes).hi, (no).hi)     \
    }

/* pred: of these lanes. */
INLINE struct both compute(enum kernel k, const struct eu_thread *t, const struct eu_op *op,
                           unsigned n, uint32_t pred, struct both a, struct both b, struct both c,
                           struct both *bad)
{
    const uint32_t sign = 0x80000000;
    struct both m, r;
    switch (k) {
    case K_CMP_F:
        return compare_both_f(op->cond, n, a, b);
    case K_CMP_D:
        return compare_both_int(op->cond, n, 0, a, b);
    case K_CMP_UD:
        return compare_both_int(op->cond, n, sign, a, b);
    case K_CMP_MODIFIED: /* the modified least integer is one too large */
        bad->lo = (vu)((vd)a.lo == INT32_MIN) | (vu)((vd)b.lo == INT32_MIN);
        bad->hi = (vu)((vd)a.hi == INT32_MIN) | (vu)((vd)b.hi == INT32_MIN);
        return compare_both_int(op->cond, n, 0, a, b);
    case K_SEL_D:
        m = compare_both_int(op->cond, n, 0, a, b);
        return CHOOSE(m, a, b);
    case K_SEL_UD:
        m = compare_both_int(op->cond, n, sign, a, b);
        return CHOOSE(m, a, b);
    case K_SEL_F:
        a.lo = flush_float(t, a.lo), a.hi = flush_float(t, a.hi);
        b.lo = flush_float(t, b.lo), b.hi = flush_float(t, b.hi);
        bad->lo = (vu)((vf)a.lo != (vf)a.lo) | (vu)((vf)b.lo != (vf)b.lo);
        bad->hi = (vu)((vf)a.hi != (vf)a.hi) | (vu)((vf)b.hi != (vf)b.hi);
        m = compare_both_f(op->cond, n, a, b);
        return CHOOSE(m, a, b);
    case K_CSEL:
        m = compare_both_f(op->cond, n, c, (struct both){splat(0), splat(0)});
        a = CHOOSE(m, a, b);
        a.lo = flush_float(t, a.lo), a.hi = flush_float(t, a.hi);
        return a;
    case K_SEL_PRED:
    case K_SEL_PRED_F:
        m.lo = lane_mask(pred & 0xff);
        m.hi = n > 1 ? lane_mask(pred >> 8 & 0xff) : m.lo;
        return CHOOSE(m, a, b);
    default:
        break;
    }
    bad->lo = bad->hi = splat(0);
    r.lo = compute_lanes(k, t, op, a.lo, b.lo, c.lo, &bad->lo);
    r.hi = n > 1 ? compute_lanes(k, t, op, a.hi, b.hi, c.hi, &bad->hi) : r.lo;
    return r;
}

/* ---- what an instruction is besides its operation ---- */

INLINE struct both modify_both(const struct eu_src *s, enum modify how, struct both v)
{
    if (!s->modified || how == MODIFY_NONE)
        return v;
    if (how == MODIFY_FLOAT)
        return (struct both){modify_float(s, v.lo), modify_float(s, v.hi)};
    return (struct both){modify_int(s, v.lo), modify_int(s, v.hi)};
}

INLINE vu clamp_float(vu v)
{
    const vf one = (vf)splat(0x3f800000), zero = {0};
    v = choose_lanes((vu)((vf)v < one), v, (vu)one);
    return choose_lanes((vu)((vf)v > zero), v, (vu)zero);
}

/* Saturation of floats, conditions of either; `from`: the first lane. */
__attribute__((noinline)) static void extra(struct eu_thread *t, const struct eu_op *op,
                                            bool is_float, uint32_t mask, unsigned from, unsigned n,
                                            struct both *r)
{
    const struct both zero = {splat(0), splat(0)};
    struct both v;
    if (op->saturate && is_float) {
        r->lo = clamp_float(r->lo);
        r->hi = clamp_float(r->hi);
    }
    if (!op->cond)
        return;
    if (is_float) {
        v = compare_both_f(op->cond, n, *r, zero);
    } else if (op->cond_unsigned) {
        v = (struct both){r->lo << op->cond_shift, r->hi << op->cond_shift};
        const struct both least = {splat(0x80000000), splat(0x80000000)};
        v.lo ^= 0x80000000, v.hi ^= 0x80000000;
        v = compare_both_int(op->cond, n, 0, v, least);
    } else {
        v = (struct both){r->lo << op->cond_shift, r->hi << op->cond_shift};
        v = compare_both_int(op->cond, n, 0, v, zero);
    }
    eu_flag_write(t, op, mask << from & op->lanes, both_bits(v, n) << from);
}

/* ---- the forms ---- */

/* Where a direct form finds a source: in consecutive dwords, or in one dword or part of one, which
 * may be the immediate. */
enum shape { PACKED, SCALAR };

INLINE struct both source(const struct eu_thread *t, const struct eu_op *op, unsigned k,
                          enum shape shape, unsigned n)
{
    const uint8_t *p = (const uint8_t *)t + op->src_at[k];
    uint32_t one;
    struct both v;
    if (shape == PACKED)
        return BOTH(load_v, 32);
    memcpy(&one, op->imm_src == k ? (const uint8_t *)&op->imm : p, 4);
    v.lo = v.hi = splat(one & op->scalar_bits[k]);
    return v;
}

/* n: steps of 8 lanes. Instructions that saturate, have a condition or an any/all predicate are not
 * for these forms: without calls they need no stack. */
INLINE const struct eu_op *run_direct(struct eu_thread *t, const struct eu_op *op, enum kernel k,
                                      unsigned n_src, unsigned n, enum shape sa, enum shape sb,
                                      enum shape sc)
{
    if (UNLIKELY(t->cr0[0] & kernel_modes(k)))
        return op->general(t, op);
    uint32_t mask = eu_exec_mask(t, op), pred = 0;
    if (op->pred) {
        pred = t->f[op->flag_reg] >> op->flag_shift;
        pred = op->pred_inv ? ~pred : pred;
        mask = kernel_selects(k) ? mask : mask & pred;
    }
    struct both a = source(t, op, 0, sa, n), bad, r;
    struct both b = n_src > 1 ? source(t, op, 1, sb, n) : a;
    struct both c = n_src > 2 ? source(t, op, 2, sc, n) : a;
    if (kernel_modify(k) != MODIFY_NONE && UNLIKELY(op->modified)) {
        a = modify_both(&op->src[0], kernel_modify(k), a);
        b = n_src > 1 ? modify_both(&op->src[1], kernel_modify(k), b) : a;
        c = n_src > 2 ? modify_both(&op->src[2], kernel_modify(k), c) : a;
    }
    r = compute(k, t, op, n, pred, a, b, c, &bad);
    if (kernel_fails(k) && UNLIKELY(sign_bits((vd)(n > 1 ? bad.lo | bad.hi : bad.lo))) &&
        both_bits(bad, n) & mask)
        return op->general(t, op);
    if (kernel_compares(k))
        eu_flag_write(t, op, mask, both_bits(r, n));
    uint8_t *p = (uint8_t *)t + op->dst_at;
    if (LIKELY(mask == (n > 1 ? 0xffffu : 0xffu))) {
        memcpy(p, &r.lo, 32);
        if (n > 1)
            memcpy(p + 32, &r.hi, 32);
        return op->next;
    }
    vu old = load_v(p);
    r.lo = choose_lanes(lane_mask(mask & 0xff), r.lo, old);
    if (n > 1) {
        old = load_v(p + 32);
        r.hi = choose_lanes(lane_mask(mask >> 8 & 0xff), r.hi, old);
        memcpy(p + 32, &r.hi, 32);
    }
    memcpy(p, &r.lo, 32);
    return op->next;
}

/* One lane. Its operands may lie in flags, addresses and the like, too. */
INLINE const struct eu_op *run_one(struct eu_thread *t, const struct eu_op *op, enum kernel k,
                                   unsigned n_src)
{
    if (UNLIKELY(t->cr0[0] & kernel_modes(k)))
        return op->general(t, op);
    uint32_t mask = kernel_selects(k) ? eu_exec_mask(t, op) : eu_write_mask(t, op), one;
    uint32_t pred = k == K_SEL_PRED || k == K_SEL_PRED_F ? eu_pred_mask(t, op) : 0;
    struct both s[3], bad, r;
    if (!mask)
        return op->next;
    for (unsigned i = 0; i < 3; i++) {
        if (i < n_src && op->src[i].load != LOAD_IMM)
            one = load_one((const uint8_t *)t + op->src_at[i], op->src[i].type);
        else
            one = op->imm;
        s[i].lo = s[i].hi = splat(one);
        if (i < n_src && UNLIKELY(op->modified))
            s[i] = modify_both(&op->src[i], kernel_modify(k), s[i]);
    }
    r = compute(k, t, op, 1, pred, s[0], s[1], s[2], &bad);
    if (kernel_fails(k) && UNLIKELY(sign_bits((vd)bad.lo) & 1))
        return op->general(t, op);
    if (kernel_compares(k)) {
        eu_flag_write(t, op, 1, sign_bits((vd)r.lo));
    } else if (UNLIKELY(op->extra) && !kernel_selects(k) && k != K_CSEL) {
        struct both changed = r;
        extra(t, op, k < K_COPY, 1, 0, 1, &changed);
        r = changed;
    }
    uint8_t *p = (uint8_t *)t + op->dst_at;
    one = r.lo[0];
    if (LIKELY(op->dst.size == 4))
        memcpy(p, &one, 4);
    else if (op->dst.size == 2)
        memcpy(p, &one, 2);
    else
        *p = (uint8_t)one;
    return op->next;
}

/* Any number of lanes, 16 at a time. */
INLINE const struct eu_op *run_any(struct eu_thread *t, const struct eu_op *op, enum kernel k,
                                   unsigned n_src)
{
    if (UNLIKELY(t->cr0[0] & kernel_modes(k)))
        return op->general(t, op);
    uint32_t mask = kernel_selects(k) ? eu_exec_mask(t, op) : eu_write_mask(t, op);
    uint32_t pred = k == K_SEL_PRED || k == K_SEL_PRED_F ? eu_pred_mask(t, op) : 0;
    struct both s[3], bad, r[2];
    for (unsigned at = 0; at < op->n; at += 16) {
        for (unsigned i = 0; i < n_src; i++) {
            s[i] = load_quick(t, op, i, at);
            if (kernel_modify(k) != MODIFY_NONE && UNLIKELY(op->modified))
                s[i] = modify_both(&op->src[i], kernel_modify(k), s[i]);
        }
        r[at / 16] = compute(k, t, op, 2, pred >> at, s[0], n_src > 1 ? s[1] : s[0],
                             n_src > 2 ? s[2] : s[0], &bad);
        if (kernel_fails(k) && UNLIKELY(both_bits(bad, 2) & mask >> at))
            return op->general(t, op);
    }
    for (unsigned at = 0; at < op->n; at += 16) {
        if (kernel_compares(k))
            eu_flag_write(t, op, mask & 0xffffu << at, both_bits(r[at / 16], 2) << at);
        else if (UNLIKELY(op->extra) && !kernel_selects(k) && k != K_CSEL)
            extra(t, op, k < K_COPY, mask >> at, at, 2, &r[at / 16]);
        store_quick(t, op, mask >> at, at, r[at / 16]);
    }
    return op->next;
}

#include "eu_fast_wide.h"
#include "eu_fast_math.h"
#include "eu_fast_choose.h"
