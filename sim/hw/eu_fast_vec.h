/* Part of the fast forms (eu_fast_impl.h, which see): operands and conditions in vectors of 8 lanes
 * of 32 bits. Everything here is static and compiled once for each kind of host. */
#include "eu_lane.h"

#include <immintrin.h>
#include <pmmintrin.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(32)));
typedef int32_t vd __attribute__((vector_size(32)));
typedef uint32_t vu __attribute__((vector_size(32)));
typedef uint16_t v8uw __attribute__((vector_size(16)));
typedef int16_t v8w __attribute__((vector_size(16)));
typedef uint8_t v8ub __attribute__((vector_size(8)));
typedef int8_t v8b __attribute__((vector_size(8)));

enum { MAX_STEPS = 4 }; /* of 8 lanes */

/* How a source becomes 8 values of 32 bits. V consecutive, D one in each dword, S one for all. */
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

enum eu_store { STORE_V32, STORE_V16, STORE_D16, STORE_V8, STORE_NULL, STORE_LANES, STORE_V64 };

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

/* All ones in the lanes whose bit is set. */
INLINE vu lane_mask(uint32_t bits)
{
    const vu one = {1, 2, 4, 8, 16, 32, 64, 128};
    return (vu)((splat(bits) & one) != 0);
}

INLINE vu choose_lanes(vu mask, vu yes, vu no)
{
    return (mask & yes) | (~mask & no);
}

INLINE unsigned n_steps(const struct eu_op *op)
{
    return op->n > 8 ? op->n / 8u : 1;
}

/* ---- sources ---- */

static uint32_t load_one(const uint8_t *p, unsigned type)
{
    uint32_t v32;
    uint16_t v16;
    switch (type) {
    case EU_UB:
        return *p;
    case EU_B:
        return (uint32_t)(int8_t)*p;
    case EU_UW:
        memcpy(&v16, p, 2);
        return v16;
    case EU_W:
        memcpy(&v16, p, 2);
        return (uint32_t)(int16_t)v16;
    default:
        memcpy(&v32, p, 4);
        return v32;
    }
}

static void load_lanes(const struct eu_thread *t, const struct eu_op *op, const struct eu_src *s,
                       vu out[MAX_STEPS])
{
    uint32_t *lane = (uint32_t *)out;
    unsigned width_mask = (1u << s->width_shift) - 1;
    for (unsigned i = 0; i < op->n; i++) {
        int at = s->off + (int)(i >> s->width_shift) * s->vs + (int)(i & width_mask) * s->hs;
        lane[i] = load_one(t->grf + at, s->type);
    }
    for (unsigned i = op->n; i < 8; i++)
        lane[i] = 0;
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

/* The lower dwords of 8 pairs. */
INLINE vu load_q32(const uint8_t *p)
{
    const vu even = {0, 2, 4, 6, 8, 10, 12, 14};
    return __builtin_shuffle(load_v(p), load_v(p + 32), even);
}

__attribute__((noinline)) static void load(const struct eu_thread *t, const struct eu_op *op,
                                           unsigned k, vu out[MAX_STEPS])
{
    const struct eu_src *s = &op->src[k];
    const uint8_t *p = t->grf + s->off;
    unsigned n = n_steps(op);
    switch ((enum eu_load)s->load) {
    case LOAD_V32:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v(p + 32 * h);
        return;
    case LOAD_V16U:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v16u(p + 16 * h);
        return;
    case LOAD_V16S:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v16s(p + 16 * h);
        return;
    case LOAD_V8U:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v8u(p + 8 * h);
        return;
    case LOAD_V8S:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v8s(p + 8 * h);
        return;
    case LOAD_D16U:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v(p + 32 * h) & 0xffff;
        return;
    case LOAD_D16S:
        for (unsigned h = 0; h < n; h++)
            out[h] = (vu)((vd)(load_v(p + 32 * h) << 16) >> 16);
        return;
    case LOAD_D8U:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v(p + 32 * h) & 0xff;
        return;
    case LOAD_D8S:
        for (unsigned h = 0; h < n; h++)
            out[h] = (vu)((vd)(load_v(p + 32 * h) << 24) >> 24);
        return;
    case LOAD_Q32:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_q32(p + 64 * h);
        return;
    case LOAD_S32:
    case LOAD_S16U:
    case LOAD_S16S:
    case LOAD_S8U:
    case LOAD_S8S:
        out[0] = splat(load_one(p, s->type));
        for (unsigned h = 1; h < n; h++)
            out[h] = out[0];
        return;
    case LOAD_IMM:
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v(s->imm_lanes);
        return;
    case LOAD_LANES:
        load_lanes(t, op, s, out);
        return;
    case LOAD_V64:
    case LOAD_S64:
        return;
    }
}

/* A source that is packed dwords, one dword, or an immediate. */
INLINE void load_direct(const struct eu_thread *t, const struct eu_op *op, unsigned k, unsigned n,
                        vu out[MAX_STEPS])
{
    const struct eu_src *s = &op->src[k];
    if (s->load == LOAD_V32) {
        for (unsigned h = 0; h < n; h++)
            out[h] = load_v(t->grf + s->off + 32 * h);
        return;
    }
    uint32_t v;
    memcpy(&v, s->load == LOAD_IMM ? (const uint8_t *)s->imm_lanes : t->grf + s->off, 4);
    for (unsigned h = 0; h < n; h++)
        out[h] = splat(v);
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

static void store_lanes(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                        const vu r[MAX_STEPS])
{
    const uint32_t *lane = (const uint32_t *)r;
    uint8_t *p = t->grf + op->dst.off;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        if (op->dst.size == 4)
            memcpy(p + i * op->dst.step, &lane[i], 4);
        else if (op->dst.size == 2)
            memcpy(p + i * op->dst.step, &lane[i], 2);
        else
            p[i * op->dst.step] = (uint8_t)lane[i];
    }
}

INLINE void store_v32(uint8_t *p, uint32_t bits, vu r)
{
    if (bits != 0xff)
        r = choose_lanes(lane_mask(bits), r, load_v(p));
    memcpy(p, &r, sizeof r);
}

INLINE void store_direct(struct eu_thread *t, const struct eu_op *op, uint32_t mask, unsigned n,
                         const vu r[MAX_STEPS])
{
    uint8_t *p = t->grf + op->dst.off;
    if (op->dst.store == STORE_NULL)
        return;
    for (unsigned h = 0; h < n; h++)
        store_v32(p + 32 * h, mask >> 8 * h & 0xff, r[h]);
}

__attribute__((noinline)) static void store(struct eu_thread *t, const struct eu_op *op,
                                            uint32_t mask, const vu r[MAX_STEPS])
{
    uint8_t *p = t->grf + op->dst.off;
    unsigned n = n_steps(op);
    switch ((enum eu_store)op->dst.store) {
    case STORE_V32:
        for (unsigned h = 0; h < n; h++)
            store_v32(p + 32 * h, mask >> 8 * h & 0xff, r[h]);
        return;
    case STORE_D16:
        for (unsigned h = 0; h < n; h++) {
            vu old = load_v(p + 32 * h), m = lane_mask(mask >> 8 * h & 0xff) & 0xffff;
            vu v = choose_lanes(m, r[h], old);
            memcpy(p + 32 * h, &v, sizeof v);
        }
        return;
    case STORE_V16:
        if (mask != op->lanes || op->n < 8)
            break;
        for (unsigned h = 0; h < n; h++) {
            v8uw v = __builtin_convertvector(r[h], v8uw);
            memcpy(p + 16 * h, &v, sizeof v);
        }
        return;
    case STORE_V8:
        if (mask != op->lanes || op->n < 8)
            break;
        for (unsigned h = 0; h < n; h++) {
            v8ub v = __builtin_convertvector(r[h], v8ub);
            memcpy(p + 8 * h, &v, sizeof v);
        }
        return;
    case STORE_LANES:
    case STORE_V64:
        break;
    case STORE_NULL:
        return;
    }
    store_lanes(t, op, mask, r);
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
