/* Fast forms, continued: 64-bit integers and doubles (4 lanes at a time), and accumulators.
 * Included by eu_fast_impl.h, which see. */
#include "eu_math_vec.h"

typedef int32_t v4d __attribute__((vector_size(16)));
typedef uint32_t v4u __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));

/* 8 lanes, or 4 and nothing. */
struct both_q {
    vuq lo, hi;
};

INLINE vuq load_vq(const void *p)
{
    vuq v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE vuq splat_q(uint64_t v)
{
    return (vuq){v, v, v, v};
}

INLINE uint32_t sign_bits_q(vuq v)
{
#ifdef __AVX__
    return (uint32_t)_mm256_movemask_pd((__m256d)v);
#else
    union {
        vuq v;
        __m128d h[2];
    } u = {.v = v};
    return (uint32_t)_mm_movemask_pd(u.h[0]) | (uint32_t)_mm_movemask_pd(u.h[1]) << 2;
#endif
}

INLINE uint32_t both_bits_q(struct both_q v)
{
    return sign_bits_q(v.lo) | sign_bits_q(v.hi) << 4;
}

INLINE vuq lane_mask_q(uint32_t bits)
{
    const vuq one = {1, 2, 4, 8};
    return (vuq)((splat_q(bits) & one) == one);
}

INLINE struct both_q widen(vu v, bool no_sign)
{
    union {
        vu v;
        v4u u[2];
        v4d d[2];
    } in = {.v = v};
    if (no_sign)
        return (struct both_q){__builtin_convertvector(in.u[0], vuq),
                               __builtin_convertvector(in.u[1], vuq)};
    return (struct both_q){(vuq) __builtin_convertvector(in.d[0], vq),
                           (vuq) __builtin_convertvector(in.d[1], vq)};
}

/* A source in 64-bit lanes: its own, or narrower integers extended by their type. */
INLINE struct both_q load_q(const struct eu_thread *t, const struct eu_op *op, unsigned k)
{
    const struct eu_src *s = &op->src[k];
    const uint8_t *p = t->grf + s->off;
    struct both_q v;
    uint64_t one;
    if (s->size < 8)
        return widen(load(t, op, k, 0).lo, is_unsigned(s->type));
    if (LIKELY(s->load == LOAD_V64)) {
        v.lo = load_vq(p);
        v.hi = op->n > 4 ? load_vq(p + 32) : v.lo;
    } else if (s->load == LOAD_LANES) {
        uint64_t lane[8] = {0};
        unsigned width_mask = (1u << s->width_shift) - 1;
        for (unsigned i = 0; i < op->n; i++) {
            int at = s->off + (int)(i >> s->width_shift) * s->vs + (int)(i & width_mask) * s->hs;
            memcpy(&lane[i], t->grf + at, 8);
        }
        v.lo = load_vq(lane);
        v.hi = load_vq(lane + 4);
    } else { /* LOAD_S64, LOAD_IMM */
        memcpy(&one, s->load == LOAD_IMM ? (const uint8_t *)&s->imm : p, 8);
        v.lo = v.hi = splat_q(one);
    }
    return v;
}

INLINE void store_vq(uint8_t *p, uint32_t bits, vuq r)
{
    if (bits != 0xf) {
        vuq m = lane_mask_q(bits);
        r = (m & r) | (~m & load_vq(p));
    }
    memcpy(p, &r, sizeof r);
}

INLINE void store_q(struct eu_thread *t, const struct eu_op *op, uint32_t mask, struct both_q r)
{
    uint8_t *p = t->grf + op->dst.off;
    if (op->dst.store == STORE_NULL)
        return;
    if (op->dst.size < 8) {
        const vu even = {0, 2, 4, 6, 8, 10, 12, 14};
        struct both low = {__builtin_shuffle((vu)r.lo, (vu)r.hi, even), splat(0)};
        store(t, op, mask, 0, low);
    } else if (op->dst.store == STORE_LANES) {
        uint64_t lane[8];
        memcpy(lane, &r, sizeof lane);
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            memcpy(p + i * op->dst.step, &lane[i], 8);
        }
    } else {
        store_vq(p, mask & 0xf, r.lo);
        if (op->n > 4)
            store_vq(p + 32, mask >> 4 & 0xf, r.hi);
    }
}

#define EACH_HALF(expr)                                                                            \
    do {                                                                                           \
        vuq x = a.lo, y = b.lo;                                                                    \
        r.lo = (vuq)(expr);                                                                        \
        x = a.hi, y = b.hi;                                                                        \
        r.hi = (vuq)(expr);                                                                        \
        (void)y;                                                                                   \
    } while (0)

/* ---- 64-bit integers ---- */

INLINE vuq modify_q(const struct eu_src *s, vuq v)
{
    if (s->abs && !is_unsigned(s->type) && s->type != EU_UQ) {
        vuq neg = (vuq)((vq)v < 0);
        v = (v ^ neg) - neg;
    }
    if (s->negate)
        v = -v;
    return s->invert ? ~v : v;
}

INLINE vuq kernel_q(enum kernel k, vuq a, vuq b)
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
        return a << (b & 63);
    case K_SHR:
        return a >> (b & 63);
    case K_ASR:
        return (vuq)((vq)a >> (vq)(b & 63));
    case K_IADD:
        return a + b;
    case K_IMUL:
        return a * b;
    default:
        return a;
    }
}

INLINE const struct eu_op *run_q(struct eu_thread *t, const struct eu_op *op, enum kernel k,
                                 unsigned n_src)
{
    uint32_t mask = eu_write_mask(t, op);
    struct both_q a = load_q(t, op, 0), b = n_src > 1 ? load_q(t, op, 1) : a, r;
    if (UNLIKELY(op->modified)) {
        a = (struct both_q){modify_q(&op->src[0], a.lo), modify_q(&op->src[0], a.hi)};
        if (n_src > 1)
            b = (struct both_q){modify_q(&op->src[1], b.lo), modify_q(&op->src[1], b.hi)};
    }
    EACH_HALF(kernel_q(k, x, y));
    store_q(t, op, mask, r);
    return op->next;
}

static const struct eu_op *run_cmp_q(struct eu_thread *t, const struct eu_op *op, uint64_t bias)
{
    uint32_t mask = eu_write_mask(t, op);
    struct both_q a = load_q(t, op, 0), b = load_q(t, op, 1), r;
    switch (op->cond) {
    case EU_COND_Z:
        EACH_HALF(x == y);
        break;
    case EU_COND_NZ:
        EACH_HALF(x != y);
        break;
    case EU_COND_G:
        EACH_HALF((vq)(x ^ bias) > (vq)(y ^ bias));
        break;
    case EU_COND_GE:
        EACH_HALF((vq)(x ^ bias) >= (vq)(y ^ bias));
        break;
    case EU_COND_L:
        EACH_HALF((vq)(x ^ bias) < (vq)(y ^ bias));
        break;
    default:
        EACH_HALF((vq)(x ^ bias) <= (vq)(y ^ bias));
        break;
    }
    eu_flag_write(t, op, mask, both_bits_q(r));
    store_q(t, op, mask, r);
    return op->next;
}

static const struct eu_op *wide_cmp_q(struct eu_thread *t, const struct eu_op *op)
{
    return run_cmp_q(t, op, 0);
}

static const struct eu_op *wide_cmp_uq(struct eu_thread *t, const struct eu_op *op)
{
    return run_cmp_q(t, op, 1ull << 63);
}

static const struct eu_op *wide_sel(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_exec_mask(t, op), pred = eu_pred_mask(t, op);
    struct both_q a = load_q(t, op, 0), b = load_q(t, op, 1), r;
    vuq lo = lane_mask_q(pred & 0xf), hi = lane_mask_q(pred >> 4 & 0xf);
    r.lo = (lo & a.lo) | (~lo & b.lo);
    r.hi = (hi & a.hi) | (~hi & b.hi);
    store_q(t, op, mask, r);
    return op->next;
}

#define WIDE(name, k, n_src)                                                                       \
    static const struct eu_op *wide_##name(struct eu_thread *t, const struct eu_op *op)            \
    {                                                                                              \
        return run_q(t, op, k, n_src);                                                             \
    }

WIDE(copy, K_COPY, 1)
WIDE(not, K_NOT, 1)
WIDE(and, K_AND, 2)
WIDE(or, K_OR, 2)
WIDE(xor, K_XOR, 2)
WIDE(shl, K_SHL, 2)
WIDE(shr, K_SHR, 2)
WIDE(asr, K_ASR, 2)
WIDE(iadd, K_IADD, 2)
WIDE(imul, K_IMUL, 2)

/* ---- doubles ---- */

INLINE vuq modify_d(const struct eu_src *s, vuq v)
{
    if (s->abs)
        v &= ~(1ull << 63);
    if (s->negate)
        v ^= 1ull << 63;
    return v;
}

INLINE struct both_q load_d(const struct eu_thread *t, const struct eu_op *op, unsigned k)
{
    struct both_q v = load_q(t, op, k);
    if (UNLIKELY(op->modified))
        v = (struct both_q){modify_d(&op->src[k], v.lo), modify_d(&op->src[k], v.hi)};
    return v;
}

/* Denormals to zeros of their sign, if the mode says so. */
INLINE vuq flush_double(const struct eu_thread *t, vuq v)
{
    if (!(t->mxcsr_df & _MM_DENORMALS_ZERO_MASK))
        return v;
    return v & (splat_q(1ull << 63) | (vuq)((v & splat_q(0x7ffull << 52)) != 0));
}

INLINE vdf kernel_double(enum kernel k, vdf a, vdf b, vdf c)
{
    switch (k) {
    case K_ADD:
        return a + b;
    case K_MUL:
        return a * b;
#ifdef __AVX2__
    case K_MAD:
        return (vdf)_mm256_fmadd_pd((__m256d)b, (__m256d)c, (__m256d)a);
#endif
    default:
        return a;
    }
}

INLINE struct both_q kernel_doubles(enum kernel k, const struct both_q s[3])
{
    return (struct both_q){(vuq)kernel_double(k, (vdf)s[0].lo, (vdf)s[1].lo, (vdf)s[2].lo),
                           (vuq)kernel_double(k, (vdf)s[0].hi, (vdf)s[1].hi, (vdf)s[2].hi)};
}

typedef void doubles_fn(const struct both_q s[3], struct both_q *r);

/* Where doubles have a mode of their own, `other` is called under it: nothing of it can be moved
 * out of a function that isn't inlined. */
INLINE const struct eu_op *run_double(struct eu_thread *t, const struct eu_op *op, enum kernel k,
                                      unsigned n_src, doubles_fn *other)
{
    uint32_t mask = eu_write_mask(t, op);
    struct both_q s[3], r;
    s[0] = load_d(t, op, 0);
    s[1] = n_src > 1 ? load_d(t, op, 1) : s[0];
    s[2] = n_src > 2 ? load_d(t, op, 2) : s[0];
    if (LIKELY(t->mxcsr_df == t->mxcsr_f)) {
        r = kernel_doubles(k, s);
    } else {
        struct both_q s_other[3] = {s[0], s[1], s[2]}, r_other;
        _mm_setcsr(t->mxcsr_df);
        other(s_other, &r_other);
        _mm_setcsr(t->mxcsr_f);
        r = r_other;
    }
    struct both_q nan = {(vuq)((vdf)r.lo != (vdf)r.lo), (vuq)((vdf)r.hi != (vdf)r.hi)};
    if (UNLIKELY(both_bits_q(nan) & mask))
        return op->general(t, op);
    store_q(t, op, mask, r);
    return op->next;
}

#define DOUBLE(name, k, n_src)                                                                     \
    __attribute__((noinline)) static void doubles_##name(const struct both_q s[3],                 \
                                                         struct both_q *r)                         \
    {                                                                                              \
        *r = kernel_doubles(k, s);                                                                 \
    }                                                                                              \
    static const struct eu_op *wide_##name(struct eu_thread *t, const struct eu_op *op)            \
    {                                                                                              \
        return run_double(t, op, k, n_src, doubles_##name);                                        \
    }

DOUBLE(add, K_ADD, 2)
DOUBLE(mul, K_MUL, 2)
#ifdef __AVX2__
DOUBLE(mad, K_MAD, 3)
#endif

static const struct eu_op *wide_cmp_df(struct eu_thread *t, const struct eu_op *op)
{
    if (UNLIKELY(t->mxcsr_df != t->mxcsr_f)) /* the comparison would flush by the other's mode */
        return op->general(t, op);
    uint32_t mask = eu_write_mask(t, op);
    struct both_q a = load_d(t, op, 0), b = load_d(t, op, 1), r;
    a = (struct both_q){flush_double(t, a.lo), flush_double(t, a.hi)};
    b = (struct both_q){flush_double(t, b.lo), flush_double(t, b.hi)};
    switch (op->cond) {
    case EU_COND_Z:
        EACH_HALF((vdf)x == (vdf)y);
        break;
    case EU_COND_NZ:
        EACH_HALF((vdf)x != (vdf)y);
        break;
    case EU_COND_G:
        EACH_HALF((vdf)x > (vdf)y);
        break;
    case EU_COND_GE:
        EACH_HALF((vdf)x >= (vdf)y);
        break;
    case EU_COND_L:
        EACH_HALF((vdf)x < (vdf)y);
        break;
    case EU_COND_LE:
        EACH_HALF((vdf)x <= (vdf)y);
        break;
    default:
        EACH_HALF((vq)((vdf)x != (vdf)x) | (vq)((vdf)y != (vdf)y));
        break;
    }
    eu_flag_write(t, op, mask, both_bits_q(r));
    store_q(t, op, mask, r);
    return op->next;
}

/* D, W and the like to DF: exact. */
static const struct eu_op *wide_int_to_double(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    struct both_q a = load_q(t, op, 0), r;
    int64_t lane[8];
    double to[8];
    memcpy(lane, &a, sizeof lane);
    for (unsigned i = 0; i < 8; i++)
        to[i] = (double)lane[i];
    memcpy(&r, to, sizeof r);
    store_q(t, op, mask, r);
    return op->next;
}

static const struct eu_op *wide_float_to_double(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    union {
        vu v;
        v4f f[2];
    } in = {.v = flush_float(t, modify_float(&op->src[0], load(t, op, 0, 0).lo))};
    struct both_q r = {(vuq) __builtin_convertvector(in.f[0], vdf),
                       (vuq) __builtin_convertvector(in.f[1], vdf)};
    if (UNLIKELY(sign_bits((vd)((vf)in.v != (vf)in.v)) & mask))
        return op->general(t, op);
    store_q(t, op, mask, r);
    return op->next;
}

static const struct eu_op *wide_double_to_float(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    struct both_q a = load_d(t, op, 0);
    if (UNLIKELY(t->cr0[0] & CR0_ALT))
        return op->general(t, op);
    union {
        vu v;
        v4f f[2];
    } out = {.f = {__builtin_convertvector((vdf)flush_double(t, a.lo), v4f),
                   __builtin_convertvector((vdf)flush_double(t, a.hi), v4f)}};
    if (UNLIKELY(sign_bits((vd)((vf)out.v != (vf)out.v)) & mask))
        return op->general(t, op);
    store(t, op, mask, 0, (struct both){out.v, splat(0)});
    return op->next;
}

/* ---- special shapes of 32 bits and less ---- */

/* Sums of one word in each dword: the carry of a long product. The other words are what is left of
 * the dwords that are added. */
static const struct eu_op *words_iadd(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    const uint8_t *a = (const uint8_t *)t + op->src_at[0], *b = (const uint8_t *)t + op->src_at[1];
    uint8_t *to = (uint8_t *)t + op->dst_at;
    vu lo = load_v(a) + load_v(b), hi = lo;
    if (op->n > 8)
        hi = load_v(a + 32) + load_v(b + 32);
    store_part(to, 0xffff, mask & 0xff, lo);
    if (op->n > 8)
        store_part(to + 32, 0xffff, mask >> 8 & 0xff, hi);
    return op->next;
}

/* mov from where a0 says. What is outside of the registers, and on Gen7 a carry out of an address's
 * low bits, the general path faults. */
static const struct eu_op *indirect_copy(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_src *s = &op->src[0];
    bool many = s->kind == SRC_VXH; /* an address a row */
    unsigned width_mask = (1u << s->width_shift) - 1;
    uint32_t lane[16] = {0};
    bool bad = false;
    for (unsigned i = 0; i < op->n && !bad; i++) {
        unsigned row = i >> s->width_shift, base = t->a0[s->a0 + (many ? row : 0)];
        int at = (int)base + s->addr_imm + (int)(i & width_mask) * s->hs;
        at += many ? 0 : s->off + (int)row * s->vs;
        bad = at < 0 || at + s->size > EU_N_GRF * EU_GRF_SIZE ||
              (eu_gen(t) < 80 && (base & 31) + ((unsigned)s->addr_imm & 31) > 31);
        if (!bad)
            lane[i] = load_one(t->grf + at, s->type);
    }
    if (UNLIKELY(bad))
        return op->general(t, op);
    store(t, op, eu_write_mask(t, op), 0, (struct both){load_v(lane), load_v(lane + 8)});
    return op->next;
}

/* ---- accumulators: products and carries of 8 dwords ---- */

/* hi: what is above 64 bits, of which two are kept. */
INLINE void acc_put(struct eu_thread *t, unsigned i, uint64_t lo, int64_t hi)
{
    uint32_t low = (uint32_t)lo;
    t->acc_lo[i] = lo;
    t->acc_hi[i] = (int8_t)((int8_t)((uint64_t)hi << 6) >> 6);
    memcpy(&t->acc_f[i], &low, 4);
}

struct dwords {
    uint32_t v[8];
};

INLINE struct dwords load_dwords(const struct eu_thread *t, const struct eu_op *op, unsigned k)
{
    vu v = load(t, op, k, 0).lo;
    struct dwords out;
    memcpy(&out, &v, sizeof out);
    return out;
}

INLINE void store_dwords(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                         const struct dwords *r)
{
    struct both v = {load_v(r), splat(0)};
    store(t, op, mask, 0, v);
}

/* Source k in 64 bits, only some of each dword. */
struct qwords {
    int64_t v[8];
};

INLINE struct qwords load_qwords(const struct eu_thread *t, const struct eu_op *op, unsigned k,
                                 uint32_t bits, bool sign)
{
    struct both_q v = widen(load(t, op, k, 0).lo & bits, !sign);
    struct qwords out;
    memcpy(&out, &v, sizeof out);
    return out;
}

/* mul acc0 <- dwords: the whole product. Before Gen8 only the low word of a dword factor counts. */
static const struct eu_op *acc_mul(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op),
             bits = is_dword_type(op->src[1].type) && eu_gen(t) < 80 ? 0xffff : ~0u;
    bool x_sign = !is_unsigned(op->src[0].type),
         y_sign = !is_unsigned(op->src[1].type) && bits == ~0u;
    struct qwords x = load_qwords(t, op, 0, ~0u, x_sign), y = load_qwords(t, op, 1, bits, y_sign);
    int64_t sign = x_sign || y_sign ? -1 : 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t p = (uint64_t)x.v[i] * (uint64_t)y.v[i];
        if (LIKELY(mask >> i & 1))
            acc_put(t, i, p, (int64_t)p >> 63 & sign);
    }
    return op->next;
}

/* Adds the product with the high word, and gives the bits of the sum from 32 on. */
static const struct eu_op *acc_mach(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    bool x_sign = op->src[0].type == EU_D, y_sign = op->src[1].type == EU_D;
    struct qwords x = load_qwords(t, op, 0, ~0u, x_sign),
                  y = load_qwords(t, op, 1, 0xffff0000, y_sign);
    struct dwords to;
    for (unsigned i = 0; i < 8; i++) {
        int64_t p = x.v[i] * (y.v[i] >> 16);
        uint64_t sum = t->acc_lo[i] + ((uint64_t)p << 16);
        int64_t hi = t->acc_hi[i] + (p >> 48) + (sum < t->acc_lo[i]);
        to.v[i] = (uint32_t)(sum >> 32);
        if (LIKELY(mask >> i & 1))
            acc_put(t, i, sum, hi);
    }
    store_dwords(t, op, mask, &to);
    return op->next;
}

static const struct eu_op *acc_carry(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    bool add = op->insn.op == EU_OP_addc;
    struct dwords x = load_dwords(t, op, 0), y = load_dwords(t, op, 1), to;
    for (unsigned i = 0; i < 8; i++)
        to.v[i] = add ? x.v[i] + y.v[i] : x.v[i] - y.v[i];
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        acc_put(t, i, add ? to.v[i] < x.v[i] : x.v[i] < y.v[i], 0);
    }
    store_dwords(t, op, mask, &to);
    return op->next;
}

/* mov r <- acc0, dwords. */
static const struct eu_op *acc_read(struct eu_thread *t, const struct eu_op *op)
{
    struct dwords to;
    for (unsigned i = 0; i < 8; i++)
        to.v[i] = (uint32_t)t->acc_lo[i];
    store_dwords(t, op, eu_write_mask(t, op), &to);
    return op->next;
}
