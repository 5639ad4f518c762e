/* The commonest instructions on the host's vector unit: 8 lanes of 32 bits at a time, all sources
 * read before anything is written. Included by eu_fast_base.c and eu_fast_avx2.c, which compile it
 * for different hosts; everything here is static.
 *
 * The general path is the reference. What a function here can't do exactly (a NaN came out, a
 * conversion overflowed) it leaves to op->general, before it has written anything; what it never
 * can, choose() declines at decoding. */
#include "eu_fast_vec.h"

/* ---- kernels ---- */

enum kernel {
    K_MOV,
    K_ADD,
    K_MUL,
    K_MAD,
    K_RNDD,
    K_RNDU,
    K_RNDE,
    K_RNDZ,
    K_FRC, /* floats */
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
    K_IMUL16, /* integers */
};

#ifdef __AVX2__
#define ROUND(a, how) ((vf)_mm256_round_ps((__m256)(a), (how) | _MM_FROUND_NO_EXC))
#endif

INLINE vf kernel_float(enum kernel k, vf a, vf b, vf c)
{
    switch (k) {
    case K_MOV:
        return a;
    case K_ADD:
        return a + b;
    case K_MUL:
        return a * b;
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
        const vf last = {0x1.fffffep-1f, 0x1.fffffep-1f, 0x1.fffffep-1f, 0x1.fffffep-1f,
                         0x1.fffffep-1f, 0x1.fffffep-1f, 0x1.fffffep-1f, 0x1.fffffep-1f};
        vf r = a - ROUND(a, _MM_FROUND_TO_NEG_INF);
        return (vf)choose_lanes((vu)(r >= 1.0f), (vu)last, (vu)r);
    }
#endif
    default:
        return a;
    }
}

INLINE vu kernel_int(enum kernel k, vu a, vu b)
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
    default:
        return a;
    }
}

/* ---- instructions ---- */

/* How source modifiers are to be read. */
enum modify { MODIFY_NONE, MODIFY_FLOAT, MODIFY_INT };

/* n: steps, 0 if known at run time only. direct: all operands are packed dwords, one dword, or an
 * immediate. */
INLINE void load_all(const struct eu_thread *t, const struct eu_op *op, unsigned n_src, unsigned n,
                     bool direct, enum modify modify, vu s[3][MAX_STEPS])
{
    for (unsigned k = 0; k < n_src; k++) {
        if (direct)
            load_direct(t, op, k, n, s[k]);
        else
            load(t, op, k, s[k]);
        if (modify == MODIFY_NONE || __builtin_expect(!op->src[k].modified, 1))
            continue;
        for (unsigned h = 0; h < n; h++)
            s[k][h] = modify == MODIFY_FLOAT ? modify_float(&op->src[k], s[k][h])
                                             : modify_int(&op->src[k], s[k][h]);
    }
}

INLINE void store_all(struct eu_thread *t, const struct eu_op *op, uint32_t mask, unsigned n,
                      bool direct, const vu r[MAX_STEPS])
{
    if (direct)
        store_direct(t, op, mask, n, r);
    else
        store(t, op, mask, r);
}

INLINE const struct eu_op *run_float(struct eu_thread *t, const struct eu_op *op, enum kernel k,
                                     unsigned n_src, unsigned n, bool direct)
{
    uint32_t mask = eu_write_mask(t, op), nan = 0;
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, n_src, n, direct, MODIFY_FLOAT, s);
    for (unsigned h = 0; h < n; h++) {
        vf a = (vf)s[0][h];
        if (k == K_MOV)
            a = (vf)flush_float(t, (vu)a);
        vf b = n_src > 1 ? (vf)s[1][h] : a;
        vf c = n_src > 2 ? (vf)s[2][h] : a;
        vf v = kernel_float(k, a, b, c);
        nan |= sign_bits((vd)(v != v)) << 8 * h;
        r[h] = (vu)v;
    }
    if (nan & mask)
        return op->general(t, op);
    if (__builtin_expect(op->saturate, 0)) {
        const vf one = {1, 1, 1, 1, 1, 1, 1, 1}, zero = {0};
        for (unsigned h = 0; h < n; h++) {
            vf v = (vf)r[h];
            v = (vf)choose_lanes((vu)(v < one), (vu)v, (vu)one);
            r[h] = choose_lanes((vu)(v > zero), (vu)v, (vu)zero);
        }
    }
    if (__builtin_expect(op->cond, 0)) {
        uint32_t bits = 0;
        for (unsigned h = 0; h < n; h++)
            bits |= sign_bits(compare_f(op->cond, (vf)r[h], (vf){0})) << 8 * h;
        eu_flag_write(t, op, mask, bits);
    }
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

INLINE const struct eu_op *run_int(struct eu_thread *t, const struct eu_op *op, enum kernel k,
                                   unsigned n_src, unsigned n, bool direct)
{
    uint32_t mask = eu_write_mask(t, op);
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, n_src, n, direct, MODIFY_INT, s);
    for (unsigned h = 0; h < n; h++)
        r[h] = kernel_int(k, s[0][h], n_src > 1 ? s[1][h] : s[0][h]);
    if (op->cond) { /* choose() has let pass .z and .nz only */
        uint32_t zero = 0;
        for (unsigned h = 0; h < n; h++)
            zero |= sign_bits((vd)(r[h] == 0)) << 8 * h;
        eu_flag_write(t, op, mask, op->cond == EU_COND_Z ? zero : ~zero);
    }
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

INLINE const struct eu_op *run_cmp_float(struct eu_thread *t, const struct eu_op *op, unsigned n,
                                         bool direct)
{
    uint32_t mask = eu_write_mask(t, op), bits = 0;
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, 2, n, direct, MODIFY_FLOAT, s);
    for (unsigned h = 0; h < n; h++) {
        vf a = (vf)s[0][h], b = (vf)s[1][h];
        r[h] = (vu)compare_f(op->cond, a, b);
        bits |= sign_bits((vd)r[h]) << 8 * h;
    }
    eu_flag_write(t, op, mask, bits);
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

/* Signed comparison; `bias` turns unsigned values into signed ones of the same order. */
INLINE const struct eu_op *run_cmp_int(struct eu_thread *t, const struct eu_op *op, uint32_t bias,
                                       unsigned n, bool direct)
{
    uint32_t mask = eu_write_mask(t, op), bits = 0;
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, 2, n, direct, MODIFY_NONE, s);
    for (unsigned h = 0; h < n; h++) {
        r[h] = (vu)compare_int(op->cond, (vd)(s[0][h] ^ bias), (vd)(s[1][h] ^ bias));
        bits |= sign_bits((vd)r[h]) << 8 * h;
    }
    eu_flag_write(t, op, mask, bits);
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

/* sel with a predicate: bits of one or the other. */
INLINE const struct eu_op *run_sel_pred(struct eu_thread *t, const struct eu_op *op, bool is_float,
                                        unsigned n, bool direct)
{
    uint32_t mask = eu_exec_mask(t, op), pred = eu_pred_mask(t, op);
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, 2, n, direct, is_float ? MODIFY_FLOAT : MODIFY_INT, s);
    for (unsigned h = 0; h < n; h++) {
        vu a = s[0][h], b = s[1][h];
        r[h] = choose_lanes(lane_mask(pred >> 8 * h & 0xff), a, b);
    }
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

INLINE const struct eu_op *run_sel_int(struct eu_thread *t, const struct eu_op *op, uint32_t bias,
                                       unsigned n, bool direct)
{
    uint32_t mask = eu_exec_mask(t, op);
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, 2, n, direct, MODIFY_NONE, s);
    for (unsigned h = 0; h < n; h++) {
        vu a = s[0][h], b = s[1][h];
        r[h] = choose_lanes((vu)compare_int(op->cond, (vd)(a ^ bias), (vd)(b ^ bias)), a, b);
    }
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

INLINE const struct eu_op *run_sel_float(struct eu_thread *t, const struct eu_op *op, unsigned n,
                                         bool direct)
{
    uint32_t mask = eu_exec_mask(t, op), nan = 0;
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, 2, n, direct, MODIFY_FLOAT, s);
    for (unsigned h = 0; h < n; h++) {
        vf a = (vf)flush_float(t, s[0][h]);
        vf b = (vf)flush_float(t, s[1][h]);
        nan |= sign_bits((vd)(a != a) | (vd)(b != b)) << 8 * h;
        r[h] = choose_lanes((vu)compare_f(op->cond, a, b), (vu)a, (vu)b);
    }
    if (nan & mask)
        return op->general(t, op);
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

/* Integers to F, rounded as cr0 says. Unsigned ones that don't fit the signed conversion are rare.
 */
INLINE const struct eu_op *run_int_to_float(struct eu_thread *t, const struct eu_op *op,
                                            bool is_unsigned, unsigned n, bool direct)
{
    uint32_t mask = eu_write_mask(t, op), big = 0;
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    n = n ? n : n_steps(op);
    load_all(t, op, 1, n, direct, MODIFY_NONE, s);
    for (unsigned h = 0; h < n; h++) {
        if (is_unsigned)
            big |= sign_bits((vd)s[0][h]) << 8 * h;
        r[h] = (vu) __builtin_convertvector((vd)s[0][h], vf);
    }
    if (big & mask)
        return op->general(t, op);
    store_all(t, op, mask, n, direct, r);
    return op->next;
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

/* F to D, W, B: what the host can't convert (its result is then the least integer) goes the long
 * way; UD, UW, UB: negative values, too. Narrow types are clamped after it. */
INLINE const struct eu_op *run_float_to_int(struct eu_thread *t, const struct eu_op *op,
                                            bool is_unsigned, unsigned n, bool direct)
{
    uint32_t mask = eu_write_mask(t, op), bad = 0;
    vu s[3][MAX_STEPS], r[MAX_STEPS];
    if (t->cr0[0] & CR0_FTOI_ROUND)
        return op->general(t, op);
    n = n ? n : n_steps(op);
    load_all(t, op, 1, n, direct, MODIFY_FLOAT, s);
    for (unsigned h = 0; h < n; h++) {
        vd v = convert_to_int((vf)s[0][h]);
        if (is_unsigned)
            bad |= sign_bits(v) << 8 * h;
        else
            bad |= sign_bits(v == INT32_MIN) << 8 * h;
        if (op->dst.size < 4) {
            int bits = 8 * op->dst.size;
            int max = is_unsigned ? (1 << bits) - 1 : (1 << (bits - 1)) - 1,
                min = is_unsigned ? 0 : -max - 1;
            vd lo = (vd)splat((uint32_t)min), hi = (vd)splat((uint32_t)max);
            v = (vd)choose_lanes((vu)(v < lo), (vu)lo, (vu)v);
            v = (vd)choose_lanes((vu)(v > hi), (vu)hi, (vu)v);
        }
        r[h] = (vu)v;
    }
    if (bad & mask)
        return op->general(t, op);
    store_all(t, op, mask, n, direct, r);
    return op->next;
}

/* ---- choosing ---- */

struct forms {
    eu_run_fn *direct8, *direct16, *other;
};

#define FORMS(name, call, ...)                                                                     \
    static const struct eu_op *name##_8(struct eu_thread *t, const struct eu_op *op)               \
    {                                                                                              \
        return call(t, op, __VA_ARGS__, 1, true);                                                  \
    }                                                                                              \
    static const struct eu_op *name##_16(struct eu_thread *t, const struct eu_op *op)              \
    {                                                                                              \
        return call(t, op, __VA_ARGS__, 2, true);                                                  \
    }                                                                                              \
    static const struct eu_op *name##_any(struct eu_thread *t, const struct eu_op *op)             \
    {                                                                                              \
        return call(t, op, __VA_ARGS__, 0, false);                                                 \
    }                                                                                              \
    static const struct forms name = {name##_8, name##_16, name##_any};

/* Adapters, so that every instruction has a middle argument. */
#define cmp_float(t, op, unused, n, direct) run_cmp_float(t, op, n, direct)
#define sel_float(t, op, unused, n, direct) run_sel_float(t, op, n, direct)

FORMS(form_mov, run_float, K_MOV, 1)
FORMS(form_add, run_float, K_ADD, 2)
FORMS(form_mul, run_float, K_MUL, 2)
#ifdef __AVX2__
FORMS(form_mad, run_float, K_MAD, 3)
FORMS(form_rndd, run_float, K_RNDD, 1)
FORMS(form_rndu, run_float, K_RNDU, 1)
FORMS(form_rnde, run_float, K_RNDE, 1)
FORMS(form_rndz, run_float, K_RNDZ, 1)
FORMS(form_frc, run_float, K_FRC, 1)
#endif
FORMS(form_cmp_f, cmp_float, 0)
FORMS(form_sel_f, sel_float, 0)
FORMS(form_sel_pred_f, run_sel_pred, true)
FORMS(form_copy, run_int, K_COPY, 1)
FORMS(form_not, run_int, K_NOT, 1)
FORMS(form_and, run_int, K_AND, 2)
FORMS(form_or, run_int, K_OR, 2)
FORMS(form_xor, run_int, K_XOR, 2)
FORMS(form_shl, run_int, K_SHL, 2)
FORMS(form_shr, run_int, K_SHR, 2)
FORMS(form_asr, run_int, K_ASR, 2)
FORMS(form_iadd, run_int, K_IADD, 2)
FORMS(form_imul, run_int, K_IMUL, 2)
FORMS(form_imul16, run_int, K_IMUL16, 2)
FORMS(form_cmp_d, run_cmp_int, 0)
FORMS(form_cmp_ud, run_cmp_int, 0x80000000)
FORMS(form_sel_d, run_sel_int, 0)
FORMS(form_sel_ud, run_sel_int, 0x80000000)
FORMS(form_sel_pred, run_sel_pred, false)
FORMS(form_d_to_f, run_int_to_float, false)
FORMS(form_ud_to_f, run_int_to_float, true)
FORMS(form_f_to_d, run_float_to_int, false)
FORMS(form_f_to_ud, run_float_to_int, true)

static bool is_small_int(unsigned type)
{
    return type <= EU_B;
}

static bool is_unsigned(unsigned type)
{
    return type == EU_UD || type == EU_UW || type == EU_UB;
}

static bool choose_load(const struct eu_op *op, struct eu_src *s)
{
    static const uint8_t packed[] = {
        [EU_UD] = LOAD_V32, [EU_D] = LOAD_V32, [EU_UW] = LOAD_V16U, [EU_W] = LOAD_V16S,
        [EU_UB] = LOAD_V8U, [EU_B] = LOAD_V8S, [EU_F] = LOAD_V32};
    static const uint8_t scalar[] = {
        [EU_UD] = LOAD_S32, [EU_D] = LOAD_S32, [EU_UW] = LOAD_S16U, [EU_W] = LOAD_S16S,
        [EU_UB] = LOAD_S8U, [EU_B] = LOAD_S8S, [EU_F] = LOAD_S32};
    static const uint8_t spread[] = {
        [EU_UW] = LOAD_D16U, [EU_W] = LOAD_D16S, [EU_UB] = LOAD_D8U, [EU_B] = LOAD_D8S};
    if (!is_small_int(s->type) && s->type != EU_F)
        return false;
    if (s->kind == SRC_IMM) {
        uint32_t v = (uint32_t)s->imm;
        if (s->size == 2)
            v = s->type == EU_W ? (uint32_t)(int16_t)v : v & 0xffff;
        for (unsigned i = 0; i < 8; i++)
            s->imm_lanes[i] = v;
        s->load = LOAD_IMM;
        return true;
    }
    if (s->kind != SRC_GRF)
        return false;
    switch (s->form) {
    case FORM_PACKED:
        s->load = packed[s->type];
        return true;
    case FORM_SCALAR:
        s->load = scalar[s->type];
        return true;
    case FORM_STRIDE:
        if (s->hs == 4 && s->size < 4)
            s->load = spread[s->type];
        else if (s->hs == 8 && s->size == 4 && op->n >= 8 &&
                 s->off + op->n * 8u <= EU_N_GRF * EU_GRF_SIZE)
            s->load = LOAD_Q32;
        else
            s->load = LOAD_LANES;
        return true;
    case FORM_ROWS:
        s->load = LOAD_LANES;
        return true;
    default:
        return false;
    }
}

static bool choose_store(const struct eu_op *op, struct eu_dst *d)
{
    if (d->null) {
        d->store = STORE_NULL;
        return true;
    }
    if (d->file != EU_GRF || d->indirect || (!is_small_int(d->type) && d->type != EU_F))
        return false;
    if (d->form == FORM_PACKED)
        d->store = d->size == 4 ? STORE_V32 : d->size == 2 ? STORE_V16 : STORE_V8;
    else if (d->form == FORM_STRIDE)
        d->store = d->size == 2 && d->step == 4 && d->off + op->n * 4u <= EU_N_GRF * EU_GRF_SIZE
                       ? STORE_D16
                       : STORE_LANES;
    else
        return false;
    return true;
}

/* Comparable in 32 bits: signed, or unsigned, or neither. */
enum order { ORDER_SIGNED, ORDER_UNSIGNED, ORDER_NONE };

static enum order common_order(const struct eu_op *op)
{
    const struct eu_src *a = &op->src[0], *b = &op->src[1];
    if (a->negate || a->abs || b->negate || b->abs)
        return ORDER_NONE;
    if (a->type != EU_UD && b->type != EU_UD)
        return ORDER_SIGNED;
    return is_unsigned(a->type) && is_unsigned(b->type) ? ORDER_UNSIGNED : ORDER_NONE;
}

static bool plain(const struct eu_src *s)
{
    return !s->negate && !s->abs;
}

static const struct forms *choose_mov(const struct eu_op *op)
{
    const struct eu_src *s = &op->src[0];
    unsigned dst = op->dst.type;
    if (op->cls == EU_CLASS_F && dst == EU_F)
        return plain(s) && !op->saturate && !op->cond ? &form_copy : &form_mov;
    if (op->cls == EU_CLASS_F)
        return op->cond || !is_small_int(dst) ? NULL
               : is_unsigned(dst)             ? &form_f_to_ud
                                              : &form_f_to_d;
    if (op->saturate)
        return NULL;
    if (dst == EU_F)
        return !plain(s) || op->cond ? NULL : s->type == EU_UD ? &form_ud_to_f : &form_d_to_f;
    return op->cond ? NULL : &form_copy;
}

static const struct forms *choose_float(const struct eu_op *op)
{
    if (op->dst.type != EU_F || op->cond > EU_COND_LE)
        return NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_add:
        return &form_add;
    case EU_OP_mul:
        return &form_mul;
#ifdef __AVX2__
    case EU_OP_mad:
        return &form_mad;
    case EU_OP_rndd:
        return &form_rndd;
    case EU_OP_rndu:
        return &form_rndu;
    case EU_OP_rnde:
        return &form_rnde;
    case EU_OP_rndz:
        return &form_rndz;
    case EU_OP_frc:
        return &form_frc;
#endif
    default:
        return NULL;
    }
}

static const struct forms *choose_int(int gen, const struct eu_op *op)
{
    if (!is_small_int(op->dst.type) || op->saturate)
        return NULL;
    unsigned opcode = op->insn.op;
    bool logic =
        opcode == EU_OP_and || opcode == EU_OP_or || opcode == EU_OP_xor || opcode == EU_OP_not;
    bool wide = op->exec_type == EU_D || op->dst.size == 4;
    if (op->cond && !(logic && wide && op->cond <= EU_COND_NZ))
        return NULL;
    switch ((enum eu_opcode)opcode) {
    case EU_OP_not:
        return &form_not;
    case EU_OP_and:
        return &form_and;
    case EU_OP_or:
        return &form_or;
    case EU_OP_xor:
        return &form_xor;
    case EU_OP_shl:
        return &form_shl;
    case EU_OP_shr:
        return is_unsigned(op->src[0].type) && plain(&op->src[0]) ? &form_shr : NULL;
    case EU_OP_asr:
        return !plain(&op->src[0]) ? NULL : is_unsigned(op->src[0].type) ? &form_shr : &form_asr;
    case EU_OP_add:
        return &form_iadd;
    case EU_OP_mul:
        return gen < 80 && is_dword_type(op->src[1].type) ? &form_imul16 : &form_imul;
    default:
        return NULL;
    }
}

static const struct forms *choose_compare(const struct eu_op *op)
{
    bool sel = op->insn.op == EU_OP_sel;
    if (op->saturate || op->cond == EU_COND_O || (sel && op->cond > EU_COND_LE))
        return NULL;
    if (op->cls == EU_CLASS_F) {
        if (sel && op->dst.type != EU_F)
            return NULL;
        return !sel ? &form_cmp_f : op->cond ? &form_sel_f : &form_sel_pred_f;
    }
    if (!is_small_int(op->dst.type) && (sel || op->dst.type != EU_F))
        return NULL;
    if (sel && !op->cond)
        return &form_sel_pred;
    if (op->cond == EU_COND_U)
        return NULL;
    enum order order = common_order(op);
    if (order == ORDER_NONE)
        return NULL;
    if (sel)
        return order == ORDER_SIGNED ? &form_sel_d : &form_sel_ud;
    return order == ORDER_SIGNED ? &form_cmp_d : &form_cmp_ud;
}

#include "eu_fast_wide.h"

static eu_run_fn *choose(int gen, struct eu_op *op)
{
    unsigned n_src = eu_op_info(op->insn.op)->n_src, opcode = op->insn.op;
    bool int32 = op->cls == EU_CLASS_INT && op->exec_type != EU_Q;
    const struct forms *forms;
    eu_run_fn *acc = opcode == EU_OP_math ? choose_math(op) : choose_acc(gen, op);
    if (acc)
        return acc;
    if (opcode == EU_OP_math)
        return NULL;
    if (op->cls == EU_CLASS_DF ||
        (op->cls == EU_CLASS_INT && (op->exec_type == EU_Q || op->dst.size == 8)))
        return choose_wide(op);
    if (op->acc_wr || op->df_dwords || (op->cls != EU_CLASS_F && !int32))
        return NULL;
    for (unsigned k = 0; k < n_src; k++) {
        if (!choose_load(op, &op->src[k]))
            return NULL;
    }
    if (!choose_store(op, &op->dst))
        return NULL;
    if (opcode == EU_OP_mov)
        forms = choose_mov(op);
    else if (opcode == EU_OP_cmp || opcode == EU_OP_sel)
        forms = choose_compare(op);
    else if (op->cls == EU_CLASS_F)
        forms = choose_float(op);
    else
        forms = choose_int(gen, op);
    if (!forms)
        return NULL;
    bool direct = op->dst.store == STORE_V32 || op->dst.store == STORE_NULL;
    for (unsigned k = 0; k < n_src; k++)
        direct &= op->src[k].load == LOAD_V32 || op->src[k].load == LOAD_S32 ||
                  op->src[k].load == LOAD_IMM;
    return !direct || op->n > 16 ? forms->other : op->n == 16 ? forms->direct16 : forms->direct8;
}
