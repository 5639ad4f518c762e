/* Part of the fast forms (eu_fast_impl.h, which see): operands and conditions in vectors of 8 lanes
 * of 32 bits, two at a time. Everything here is static and compiled once for each kind of host. */
#include "eu_lane.h"

#include <immintrin.h>
#include <pmmintrin.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

#define INLINE      static inline __attribute__((always_inline))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef float vf __attribute__((vector_size(32)));
typedef int32_t vd __attribute__((vector_size(32)));
typedef uint32_t vu __attribute__((vector_size(32)));
typedef uint16_t v8uw __attribute__((vector_size(16)));
typedef int16_t v8w __attribute__((vector_size(16)));
typedef uint8_t v8ub __attribute__((vector_size(8)));
typedef int8_t v8b __attribute__((vector_size(8)));

/* 16 lanes, or 8 and nothing. Members, not an array: they stay in the host's registers. */
struct both {
    vu lo, hi;
};

/* How a source becomes 8 values of 32 bits. V consecutive, D one in each dword, W one
 * in each word, S one for all. */
enum eu_load {
    LOAD_V32,
    LOAD_V16U,
    LOAD_V16S,
    LOAD_V8U,
    LOAD_V8S,
    LOAD_D16U,
    LOAD_D16S,
    LOAD_D8U,
    LOAD_D8S,
    LOAD_W8U,
    LOAD_W8S,
    LOAD_Q32,
    LOAD_S32,
    LOAD_S16U,
    LOAD_S16S,
    LOAD_S8U,
    LOAD_S8S,
    LOAD_IMM,
    LOAD_LANES,
    LOAD_V64,
    LOAD_S64
};

enum eu_store {
    STORE_V32,
    STORE_V16,
    STORE_D16,
    STORE_V8,
    STORE_D8,
    STORE_W8,
    STORE_NULL,
    STORE_LANES,
    STORE_V64
};

INLINE vu load_v(const void *p)
{
    vu v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE vu splat(uint32_t v)
{
    return (vu){v, v, v, v, v, v, v, v};
}

/* Sign bits of the lanes. */
INLINE uint32_t sign_bits(vd v)
{
#ifdef __AVX__
    return (uint32_t)_mm256_movemask_ps((__m256)v);
#else
    union {
        vd v;
        __m128 h[2];
    } u = {.v = v};
    return (uint32_t)_mm_movemask_ps(u.h[0]) | (uint32_t)_mm_movemask_ps(u.h[1]) << 4;
#endif
}

INLINE uint32_t both_bits(struct both v, unsigned n)
{
    uint32_t bits = sign_bits((vd)v.lo);
    return n > 1 ? bits | sign_bits((vd)v.hi) << 8 : bits;
}

/* All ones in the lanes whose bit is set. */
INLINE vu lane_mask(uint32_t bits)
{
    const vu one = {1, 2, 4, 8, 16, 32, 64, 128};
    return (vu)((splat(bits) & one) == one);
}

INLINE vu choose_lanes(vu mask, vu yes, vu no)
{
#ifdef __AVX2__
    return (vu)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
#else
    return (mask & yes) | (~mask & no);
#endif
}

static bool is_small_int(unsigned type)
{
    return type <= EU_B;
}

static bool is_unsigned(unsigned type)
{
    return type == EU_UD || type == EU_UW || type == EU_UB;
}

static bool plain(const struct eu_src *s)
{
    return !s->negate && !s->abs;
}

/* ---- sources ---- */

INLINE uint32_t load_one(const uint8_t *p, unsigned type)
{
    uint32_t v32;
    uint16_t v16;
    if (LIKELY(type != EU_UW && type != EU_W && type != EU_UB && type != EU_B)) {
        memcpy(&v32, p, 4);
        return v32;
    }
    if (type == EU_UB || type == EU_B)
        return type == EU_B ? (uint32_t)(int8_t)*p : *p;
    memcpy(&v16, p, 2);
    return type == EU_W ? (uint32_t)(int16_t)v16 : v16;
}

/* Any region: lanes `first` and following. */
static void load_lanes(const struct eu_thread *t, const struct eu_op *op, const struct eu_src *s,
                       unsigned first, struct both *out)
{
    uint32_t *lane = (uint32_t *)out;
    unsigned width_mask = (1u << s->width_shift) - 1, last = op->n - first;
    for (unsigned i = 0; i < 16; i++) {
        unsigned e = first + i;
        int at = s->off + (int)(e >> s->width_shift) * s->vs + (int)(e & width_mask) * s->hs;
        lane[i] = i < last ? load_one(t->grf + at, s->type) : 0;
    }
}

INLINE vu load_v16u(const uint8_t *p)
{
    v8uw v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vu);
}

INLINE vu load_v16s(const uint8_t *p)
{
    v8w v;
    memcpy(&v, p, sizeof v);
    return (vu) __builtin_convertvector(v, vd);
}

INLINE vu load_v8u(const uint8_t *p)
{
    v8ub v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vu);
}

INLINE vu load_v8s(const uint8_t *p)
{
    v8b v;
    memcpy(&v, p, sizeof v);
    return (vu) __builtin_convertvector(v, vd);
}

INLINE vu load_w8u(const uint8_t *p)
{
    return load_v16u(p) & 0xff;
}

INLINE vu load_w8s(const uint8_t *p)
{
    return (vu)((vd)(load_v16u(p) << 24) >> 24);
}

/* The lower dwords of 8 pairs. */
INLINE vu load_q32(const uint8_t *p)
{
    const vu even = {0, 2, 4, 6, 8, 10, 12, 14};
    return __builtin_shuffle(load_v(p), load_v(p + 32), even);
}

#define BOTH(load, step)                                                                           \
    (struct both)                                                                                  \
    {                                                                                              \
        load(p), n > 1 ? load(p + (step)) : splat(0)                                               \
    }

INLINE struct both load_spread(const uint8_t *p, int bits, bool sign)
{
    const unsigned n = 2;
    struct both v = BOTH(load_v, 32);
    if (!sign) {
        v.lo &= splat(bits == 16 ? 0xffff : 0xff);
        v.hi &= splat(bits == 16 ? 0xffff : 0xff);
    } else {
        v.lo = (vu)((vd)(v.lo << (32 - bits)) >> (32 - bits));
        v.hi = (vu)((vd)(v.hi << (32 - bits)) >> (32 - bits));
    }
    return v;
}

/* 16 lanes, from `first` (0 or 16) on, of any source that choose_load() has accepted; those that
 * the instruction doesn't have hold anything. */
__attribute__((noinline)) static struct both load(const struct eu_thread *t, const struct eu_op *op,
                                                  unsigned k, unsigned first)
{
    const struct eu_src *s = &op->src[k];
    const uint8_t *p = t->grf + s->off;
    const unsigned n = 2;
    struct both v;
    switch ((enum eu_load)s->load) {
    case LOAD_V32:
        p += 4 * first;
        return BOTH(load_v, 32);
    case LOAD_V16U:
        p += 2 * first;
        return BOTH(load_v16u, 16);
    case LOAD_V16S:
        p += 2 * first;
        return BOTH(load_v16s, 16);
    case LOAD_V8U:
        p += first;
        return BOTH(load_v8u, 8);
    case LOAD_V8S:
        p += first;
        return BOTH(load_v8s, 8);
    case LOAD_D16U:
        return load_spread(p + 4 * first, 16, false);
    case LOAD_D16S:
        return load_spread(p + 4 * first, 16, true);
    case LOAD_D8U:
        return load_spread(p + 4 * first, 8, false);
    case LOAD_D8S:
        return load_spread(p + 4 * first, 8, true);
    case LOAD_W8U:
        p += 2 * first;
        return BOTH(load_w8u, 16);
    case LOAD_W8S:
        p += 2 * first;
        return BOTH(load_w8s, 16);
    case LOAD_Q32:
        p += 8 * first;
        return BOTH(load_q32, 64);
    case LOAD_S32:
    case LOAD_S16U:
    case LOAD_S16S:
    case LOAD_S8U:
    case LOAD_S8S:
        v.lo = v.hi = splat(load_one((const uint8_t *)t + op->src_at[k], s->type));
        return v;
    case LOAD_IMM:
        v.lo = v.hi = load_v(s->imm_lanes);
        return v;
    case LOAD_LANES:
    case LOAD_V64:
    case LOAD_S64:
        break;
    }
    load_lanes(t, op, s, first, &v);
    return v;
}

/* The same, with the commonest case in the caller. */
INLINE struct both load_quick(const struct eu_thread *t, const struct eu_op *op, unsigned k,
                              unsigned first)
{
    const uint8_t *p = (const uint8_t *)t + op->src_at[k] + 4 * first;
    if (op->src[k].load == LOAD_V32)
        return (struct both){load_v(p), load_v(p + 32)};
    return load(t, op, k, first);
}

INLINE vu modify_float(const struct eu_src *s, vu v)
{
    return (v & s->and_bits) ^ s->xor_bits;
}

/* Denormals to zeros of their sign, if the mode says so. */
INLINE vu flush_float(const struct eu_thread *t, vu v)
{
    const vu exponent = splat(0x7f800000), sign = splat(0x80000000);
    if (!(t->mxcsr_f & _MM_DENORMALS_ZERO_MASK))
        return v;
    return v & (sign | (vu)((v & exponent) != 0));
}

INLINE vu modify_int(const struct eu_src *s, vu v)
{
    if (s->abs && (s->type == EU_D || s->type == EU_W || s->type == EU_B)) {
        vu neg = (vu)((vd)v >> 31);
        v = (v ^ neg) - neg;
    }
    if (s->negate)
        v = -v;
    return s->invert ? ~v : v;
}

/* ---- destination ---- */

INLINE void store_v32(uint8_t *p, uint32_t bits, vu r)
{
    if (bits != 0xff)
        r = choose_lanes(lane_mask(bits), r, load_v(p));
    memcpy(p, &r, sizeof r);
}

static void store_lanes(struct eu_thread *t, const struct eu_op *op, uint32_t mask, unsigned first,
                        const struct both *r)
{
    const uint32_t *lane = (const uint32_t *)r;
    uint8_t *p = t->grf + op->dst.off + first * op->dst.step;
    for (mask &= 0xffff; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        if (op->dst.size == 4)
            memcpy(p + i * op->dst.step, &lane[i], 4);
        else if (op->dst.size == 2)
            memcpy(p + i * op->dst.step, &lane[i], 2);
        else
            p[i * op->dst.step] = (uint8_t)lane[i];
    }
}

INLINE void store_v16(uint8_t *p, uint32_t bits, vu r)
{
    v8uw v = __builtin_convertvector(r, v8uw), old;
    if (bits != 0xff) {
        v8uw m = __builtin_convertvector(lane_mask(bits), v8uw);
        memcpy(&old, p, sizeof old);
        v = (m & v) | (~m & old);
    }
    memcpy(p, &v, sizeof v);
}

INLINE void store_v8(uint8_t *p, uint32_t bits, vu r)
{
    v8ub v = __builtin_convertvector(r, v8ub), old;
    if (bits != 0xff) {
        v8ub m = __builtin_convertvector(lane_mask(bits), v8ub);
        memcpy(&old, p, sizeof old);
        v = (m & v) | (~m & old);
    }
    memcpy(p, &v, sizeof v);
}

/* One word or byte, the bits of `part`, in each dword. */
INLINE void store_part(uint8_t *p, uint32_t part, uint32_t bits, vu r)
{
    vu v = choose_lanes(lane_mask(bits) & part, r, load_v(p));
    memcpy(p, &v, sizeof v);
}

INLINE void store_w8(uint8_t *p, uint32_t bits, vu r)
{
    v8uw v = __builtin_convertvector(r, v8uw), old, m;
    m = __builtin_convertvector(lane_mask(bits), v8uw) & 0xff;
    memcpy(&old, p, sizeof old);
    v = (m & v) | (~m & old);
    memcpy(p, &v, sizeof v);
}

/* To any destination that choose_store() has accepted; mask: from lane `first` on. */
__attribute__((noinline)) static void store(struct eu_thread *t, const struct eu_op *op,
                                            uint32_t mask, unsigned first, struct both r)
{
    uint8_t *p = (uint8_t *)t + op->dst_at;
    unsigned n = op->n > 8 ? 2 : 1;
    uint32_t lo = mask & 0xff, hi = mask >> 8 & 0xff, part;
    switch ((enum eu_store)op->dst.store) {
    case STORE_V32:
        p += 4 * first;
        store_v32(p, lo, r.lo);
        if (n > 1)
            store_v32(p + 32, hi, r.hi);
        return;
    case STORE_D16:
    case STORE_D8:
        p += 4 * first;
        part = op->dst.store == STORE_D16 ? 0xffff : 0xff;
        store_part(p, part, lo, r.lo);
        if (n > 1)
            store_part(p + 32, part, hi, r.hi);
        return;
    case STORE_W8:
        p += 2 * first;
        store_w8(p, lo, r.lo);
        if (n > 1)
            store_w8(p + 16, hi, r.hi);
        return;
    case STORE_V16:
        p += 2 * first;
        store_v16(p, lo, r.lo);
        if (n > 1)
            store_v16(p + 16, hi, r.hi);
        return;
    case STORE_V8:
        p += first;
        store_v8(p, lo, r.lo);
        if (n > 1)
            store_v8(p + 8, hi, r.hi);
        return;
    case STORE_NULL:
        return;
    case STORE_LANES:
    case STORE_V64:
        break;
    }
    store_lanes(t, op, mask, first, &r);
}

INLINE void store_quick(struct eu_thread *t, const struct eu_op *op, uint32_t mask, unsigned first,
                        struct both r)
{
    if (op->dst.store == STORE_NULL)
        return;
    if (op->dst.store == STORE_V32 && (mask & 0xffff) == 0xffff)
        memcpy((uint8_t *)t + op->dst_at + 4 * first, &r, sizeof r);
    else
        store(t, op, mask, first, r);
}

/* ---- conditions ---- */

INLINE vd compare_f(unsigned cond, vf a, vf b)
{
    switch (cond) {
    case EU_COND_Z:
        return a == b;
    case EU_COND_NZ:
        return a != b; /* true for NaN, too */
    case EU_COND_G:
        return a > b;
    case EU_COND_GE:
        return a >= b;
    case EU_COND_L:
        return a < b;
    case EU_COND_LE:
        return a <= b;
    default:
        return (vd)(a != a) | (vd)(b != b);
    }
}

INLINE vd compare_int(unsigned cond, vd a, vd b)
{
    switch (cond) {
    case EU_COND_Z:
        return a == b;
    case EU_COND_NZ:
        return a != b;
    case EU_COND_G:
        return a > b;
    case EU_COND_GE:
        return a >= b;
    case EU_COND_L:
        return a < b;
    default:
        return a <= b;
    }
}
