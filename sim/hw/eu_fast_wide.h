/* Fast forms, continued: 64-bit integers and doubles (4 lanes at a time), accumulators, and the
 * math functions that the host has. Included by eu_fast_impl.h, which see. */

typedef int64_t vq __attribute__((vector_size(32)));
typedef uint64_t vuq __attribute__((vector_size(32)));
typedef double vdf __attribute__((vector_size(32)));
typedef int32_t v4d __attribute__((vector_size(16)));
typedef uint32_t v4u __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));

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

INLINE uint32_t sign_bits_q(vq v)
{
#ifdef __AVX__
    return (uint32_t)_mm256_movemask_pd((__m256d)v);
#else
    union {
        vq v;
        __m128d h[2];
    } u = {.v = v};
    return (uint32_t)_mm_movemask_pd(u.h[0]) | (uint32_t)_mm_movemask_pd(u.h[1]) << 2;
#endif
}

INLINE vuq lane_mask_q(uint32_t bits)
{
    const vuq one = {1, 2, 4, 8};
    return (vuq)((splat_q(bits) & one) != 0);
}

INLINE unsigned n_steps_q(const struct eu_op *op)
{
    return op->n > 4 ? op->n / 4u : 1;
}

/* A source in 64-bit lanes: its own, or narrower integers extended by their type. */
static void load_q(const struct eu_thread *t, const struct eu_op *op, unsigned k,
                   vuq out[MAX_STEPS])
{
    const struct eu_src *s = &op->src[k];
    unsigned n = n_steps_q(op);
    if (s->size == 8) {
        const uint8_t *p = t->grf + s->off;
        uint64_t v;
        switch (s->load) {
        case LOAD_V64:
            for (unsigned h = 0; h < n; h++)
                out[h] = load_vq(p + 32 * h);
            return;
        case LOAD_LANES: {
            uint64_t *lane = (uint64_t *)out;
            unsigned width_mask = (1u << s->width_shift) - 1;
            for (unsigned i = 0; i < op->n; i++) {
                int at =
                    s->off + (int)(i >> s->width_shift) * s->vs + (int)(i & width_mask) * s->hs;
                memcpy(&lane[i], t->grf + at, 8);
            }
            for (unsigned i = op->n; i < 4; i++)
                lane[i] = 0;
            return;
        }
        default: /* LOAD_S64, LOAD_IMM */
            memcpy(&v, s->load == LOAD_IMM ? (const uint8_t *)&s->imm : p, 8);
            for (unsigned h = 0; h < n; h++)
                out[h] = splat_q(v);
            return;
        }
    }
    vu narrow[MAX_STEPS];
    load(t, op, k, narrow);
    const uint32_t *lane = (const uint32_t *)narrow;
    for (unsigned h = 0; h < n; h++) {
        if (is_unsigned(s->type)) {
            v4u v;
            memcpy(&v, lane + 4 * h, sizeof v);
            out[h] = __builtin_convertvector(v, vuq);
        } else {
            v4d v;
            memcpy(&v, lane + 4 * h, sizeof v);
            out[h] = (vuq) __builtin_convertvector(v, vq);
        }
    }
}

static void store_q(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                    const vuq r[MAX_STEPS])
{
    uint8_t *p = t->grf + op->dst.off;
    unsigned n = n_steps_q(op);
    if (op->dst.store == STORE_NULL)
        return;
    if (op->dst.size < 8) {
        vu narrow[MAX_STEPS];
        const uint64_t *lane = (const uint64_t *)r;
        uint32_t *low = (uint32_t *)narrow;
        for (unsigned i = 0; i < op->n; i++)
            low[i] = (uint32_t)lane[i];
        store(t, op, mask, narrow);
        return;
    }
    if (op->dst.store == STORE_LANES) {
        const uint64_t *lane = (const uint64_t *)r;
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            memcpy(p + i * op->dst.step, &lane[i], 8);
        }
        return;
    }
    for (unsigned h = 0; h < n; h++) {
        uint32_t bits = mask >> 4 * h & 0xf;
        vuq v = r[h];
        if (bits != 0xf) {
            vuq m = lane_mask_q(bits);
            v = (m & v) | (~m & load_vq(p + 32 * h));
        }
        memcpy(p + 32 * h, &v, sizeof v);
    }
}

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
    vuq a[MAX_STEPS], b[MAX_STEPS], r[MAX_STEPS];
    unsigned n = n_steps_q(op);
    load_q(t, op, 0, a);
    if (n_src > 1)
        load_q(t, op, 1, b);
    for (unsigned h = 0; h < n; h++) {
        vuq x = modify_q(&op->src[0], a[h]);
        r[h] = kernel_q(k, x, n_src > 1 ? modify_q(&op->src[1], b[h]) : x);
    }
    store_q(t, op, mask, r);
    return op->next;
}

static const struct eu_op *run_cmp_q(struct eu_thread *t, const struct eu_op *op, uint64_t bias)
{
    uint32_t mask = eu_write_mask(t, op), bits = 0;
    vuq a[MAX_STEPS], b[MAX_STEPS], r[MAX_STEPS];
    load_q(t, op, 0, a);
    load_q(t, op, 1, b);
    for (unsigned h = 0; h < n_steps_q(op); h++) {
        vq x = (vq)(a[h] ^ bias), y = (vq)(b[h] ^ bias), c;
        switch (op->cond) {
        case EU_COND_Z:
            c = x == y;
            break;
        case EU_COND_NZ:
            c = x != y;
            break;
        case EU_COND_G:
            c = x > y;
            break;
        case EU_COND_GE:
            c = x >= y;
            break;
        case EU_COND_L:
            c = x < y;
            break;
        default:
            c = x <= y;
            break;
        }
        r[h] = (vuq)c;
        bits |= sign_bits_q(c) << 4 * h;
    }
    eu_flag_write(t, op, mask, bits);
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
    vuq a[MAX_STEPS], b[MAX_STEPS], r[MAX_STEPS];
    load_q(t, op, 0, a);
    load_q(t, op, 1, b);
    for (unsigned h = 0; h < n_steps_q(op); h++) {
        vuq m = lane_mask_q(pred >> 4 * h & 0xf);
        r[h] = (m & a[h]) | (~m & b[h]);
    }
    store_q(t, op, mask, r);
    return op->next;
}

/* ---- doubles ---- */

INLINE vdf modify_d(const struct eu_src *s, vuq v)
{
    if (s->abs)
        v &= ~(1ull << 63);
    if (s->negate)
        v ^= 1ull << 63;
    return (vdf)v;
}

/* Inlined into functions that are not: MXCSR is set around their call. */
INLINE uint32_t compute_double(const struct eu_op *op, enum kernel k, vuq s[3][MAX_STEPS],
                               vuq r[MAX_STEPS])
{
    uint32_t nan = 0;
    for (unsigned h = 0; h < n_steps_q(op); h++) {
        vdf a = modify_d(&op->src[0], s[0][h]), b = modify_d(&op->src[1], s[1][h]), v;
        switch (k) {
        case K_ADD:
            v = a + b;
            break;
        case K_MUL:
            v = a * b;
            break;
#ifdef __AVX2__
        case K_MAD:
            v = (vdf)_mm256_fmadd_pd((__m256d)b, (__m256d)modify_d(&op->src[2], s[2][h]),
                                     (__m256d)a);
            break;
#endif
        default:
            v = a;
            break;
        }
        nan |= sign_bits_q((vq)(v != v)) << 4 * h;
        r[h] = (vuq)v;
    }
    return nan;
}

#define DOUBLE(name, k, n_src)                                                                     \
    __attribute__((noinline)) static uint32_t compute_##name(                                      \
        const struct eu_op *op, vuq s[3][MAX_STEPS], vuq r[MAX_STEPS])                             \
    {                                                                                              \
        return compute_double(op, k, s, r);                                                        \
    }                                                                                              \
    static const struct eu_op *wide_##name(struct eu_thread *t, const struct eu_op *op)            \
    {                                                                                              \
        return run_double(t, op, compute_##name, n_src);                                           \
    }

typedef uint32_t compute_fn(const struct eu_op *op, vuq s[3][MAX_STEPS], vuq r[MAX_STEPS]);

INLINE const struct eu_op *run_double(struct eu_thread *t, const struct eu_op *op,
                                      compute_fn *compute, unsigned n_src)
{
    uint32_t mask = eu_write_mask(t, op), nan;
    vuq s[3][MAX_STEPS], r[MAX_STEPS];
    for (unsigned k = 0; k < n_src; k++)
        load_q(t, op, k, s[k]);
    if (t->mxcsr_df != t->mxcsr_f)
        _mm_setcsr(t->mxcsr_df);
    nan = compute(op, s, r);
    if (t->mxcsr_df != t->mxcsr_f)
        _mm_setcsr(t->mxcsr_f);
    if (nan & mask)
        return op->general(t, op);
    store_q(t, op, mask, r);
    return op->next;
}

DOUBLE(add, K_ADD, 2)
DOUBLE(mul, K_MUL, 2)
#ifdef __AVX2__
DOUBLE(mad, K_MAD, 3)
#endif

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

/* D, W and the like to DF: exact. */
static const struct eu_op *wide_int_to_double(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    vuq a[MAX_STEPS], r[MAX_STEPS];
    load_q(t, op, 0, a);
    const int64_t *lane = (const int64_t *)a;
    double *to = (double *)r;
    for (unsigned i = 0; i < 4 * n_steps_q(op); i++)
        to[i] = (double)lane[i];
    store_q(t, op, mask, r);
    return op->next;
}

/* ---- choosing ---- */

static bool is_wide_int(unsigned type)
{
    return is_small_int(type) || type == EU_Q || type == EU_UQ;
}

static bool choose_load_q(const struct eu_op *op, struct eu_src *s)
{
    if (s->size < 8)
        return is_small_int(s->type) && choose_load(op, s);
    if (s->kind == SRC_IMM)
        s->load = LOAD_IMM;
    else if (s->kind != SRC_GRF)
        return false;
    else
        s->load = s->form == FORM_PACKED   ? LOAD_V64
                  : s->form == FORM_SCALAR ? LOAD_S64
                                           : LOAD_LANES;
    return true;
}

static bool choose_store_q(const struct eu_op *op, struct eu_dst *d)
{
    if (d->null || d->size < 8)
        return choose_store(op, d);
    if (d->file != EU_GRF || d->indirect || (d->form != FORM_PACKED && d->form != FORM_STRIDE))
        return false;
    d->store = d->form == FORM_PACKED ? STORE_V64 : STORE_LANES;
    return true;
}

static eu_run_fn *choose_wide_int(const struct eu_op *op)
{
    const struct eu_src *a = &op->src[0], *b = &op->src[1];
    bool count64 = a->size == 8 || op->dst.size == 8;
    if (!is_wide_int(op->dst.type))
        return op->insn.op == EU_OP_mov && op->dst.type == EU_DF && op->exec_type != EU_Q &&
                       plain(a) && !op->cond
                   ? wide_int_to_double
                   : NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_cmp:
        if (!plain(a) || !plain(b) || op->cond > EU_COND_LE)
            return NULL;
        if (a->type != EU_UQ && b->type != EU_UQ)
            return wide_cmp_q;
        return (a->type == EU_UQ || is_unsigned(a->type)) &&
                       (b->type == EU_UQ || is_unsigned(b->type))
                   ? wide_cmp_uq
                   : NULL;
    case EU_OP_sel:
        return !op->cond && plain(a) && plain(b) ? wide_sel : NULL;
    default:
        break;
    }
    if (op->cond)
        return NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
        return wide_copy;
    case EU_OP_not:
        return wide_not;
    case EU_OP_and:
        return wide_and;
    case EU_OP_or:
        return wide_or;
    case EU_OP_xor:
        return wide_xor;
    case EU_OP_add:
        return wide_iadd;
    case EU_OP_mul:
        return wide_imul;
    case EU_OP_shl:
        return count64 ? wide_shl : NULL;
    case EU_OP_shr:
        return count64 && plain(a) && (a->type == EU_UQ || is_unsigned(a->type)) ? wide_shr : NULL;
    case EU_OP_asr:
        if (!count64 || !plain(a))
            return NULL;
        return a->type == EU_UQ || is_unsigned(a->type) ? wide_shr : wide_asr;
    default:
        return NULL;
    }
}

static eu_run_fn *choose_double(const struct eu_op *op)
{
    if (op->dst.type != EU_DF || op->cond)
        return NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
        return plain(&op->src[0]) ? wide_copy : NULL;
    case EU_OP_sel:
        return plain(&op->src[0]) && plain(&op->src[1]) ? wide_sel : NULL;
    case EU_OP_add:
        return wide_add;
    case EU_OP_mul:
        return wide_mul;
#ifdef __AVX2__
    case EU_OP_mad:
    case EU_OP_madm:
        return wide_mad;
#endif
    default:
        return NULL;
    }
}

static eu_run_fn *choose_wide(struct eu_op *op)
{
    unsigned n_src = eu_op_info(op->insn.op)->n_src;
    if (op->saturate || op->n > 16 || op->acc_wr || op->df_dwords || op->insn.op == EU_OP_smov)
        return NULL;
    for (unsigned k = 0; k < n_src; k++) {
        if (op->cls == EU_CLASS_DF ? op->src[k].type != EU_DF || !choose_load_q(op, &op->src[k])
                                   : !choose_load_q(op, &op->src[k]))
            return NULL;
    }
    if (!choose_store_q(op, &op->dst))
        return NULL;
    return op->cls == EU_CLASS_DF ? choose_double(op) : choose_wide_int(op);
}

/* ---- accumulators: products and carries of 8 dwords ---- */

static void acc_put(struct eu_thread *t, unsigned i, uint64_t lo, int hi)
{
    uint32_t low = (uint32_t)lo;
    t->acc_lo[i] = lo;
    t->acc_hi[i] = (int8_t)hi;
    memcpy(&t->acc_f[i], &low, 4);
}

/* mul acc0 <- dwords: the whole product. */
static const struct eu_op *acc_mul(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op),
             low_word = is_dword_type(op->src[1].type) && eu_gen(t) < 80 ? 0xffff : ~0u;
    vu a[MAX_STEPS], b[MAX_STEPS];
    const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;
    bool x_sign = !is_unsigned(op->src[0].type),
         y_sign = !is_unsigned(op->src[1].type) && low_word == ~0u;
    load(t, op, 0, a);
    load(t, op, 1, b);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint32_t v = y[i] & low_word;
        if (x_sign || y_sign) {
            int64_t p = (x_sign ? (int64_t)(int32_t)x[i] : (int64_t)x[i]) *
                        (y_sign ? (int64_t)(int32_t)v : (int64_t)v);
            acc_put(t, i, (uint64_t)p, p < 0 ? -1 : 0);
        } else {
            acc_put(t, i, (uint64_t)x[i] * v, 0);
        }
    }
    return op->next;
}

static const struct eu_op *acc_mach(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    vu a[MAX_STEPS], b[MAX_STEPS], r[MAX_STEPS];
    const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;
    uint32_t *to = (uint32_t *)r;
    bool x_sign = op->src[0].type == EU_D, y_sign = op->src[1].type == EU_D;
    load(t, op, 0, a);
    load(t, op, 1, b);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        int64_t high = y_sign ? (int64_t)((int32_t)y[i] >> 16) : (int64_t)(y[i] >> 16);
        int64_t p = (x_sign ? (int64_t)(int32_t)x[i] : (int64_t)x[i]) * high;
        i128 sum = eu_acc_get(t, i) + (i128)p * 65536;
        eu_acc_set(t, i, sum);
        to[i] = (uint32_t)(uint64_t)(sum >> 32);
    }
    store(t, op, mask, r);
    return op->next;
}

static const struct eu_op *acc_carry(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    bool add = op->insn.op == EU_OP_addc;
    vu a[MAX_STEPS], b[MAX_STEPS], r[MAX_STEPS];
    const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;
    load(t, op, 0, a);
    load(t, op, 1, b);
    r[0] = add ? a[0] + b[0] : a[0] - b[0];
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        acc_put(t, i, add ? x[i] + y[i] < x[i] : x[i] < y[i], 0);
    }
    store(t, op, mask, r);
    return op->next;
}

/* mov r <- acc0, dwords. */
static const struct eu_op *acc_read(struct eu_thread *t, const struct eu_op *op)
{
    vu r[MAX_STEPS];
    uint32_t *to = (uint32_t *)r;
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint32_t)t->acc_lo[i];
    store(t, op, eu_write_mask(t, op), r);
    return op->next;
}

static bool is_dword(unsigned type)
{
    return type == EU_D || type == EU_UD;
}

static eu_run_fn *choose_acc(int gen, struct eu_op *op)
{
    unsigned opcode = op->insn.op;
    struct eu_src *a = &op->src[0], *b = &op->src[1];
    if (op->cls != EU_CLASS_INT || op->n != 8 || op->saturate || op->cond ||
        !is_dword(op->dst.type))
        return NULL;
    if (opcode == EU_OP_mov && a->kind == SRC_ACC)
        return is_dword(a->type) && plain(a) && !op->acc_wr && a->arf == EU_ARF_ACC0 &&
                       a->off == 0 && a->hs == 4 && op->insn.src[0].width == 8 &&
                       choose_store(op, &op->dst)
                   ? acc_read
                   : NULL;
    if (!plain(a) || !plain(b) || !is_dword(a->type) || !choose_load(op, a))
        return NULL;
    if (opcode == EU_OP_mul)
        return op->dst.acc && op->dst.arf == EU_ARF_ACC0 && op->dst.off == 0 && op->dst.step == 4 &&
                       !op->acc_wr && is_small_int(b->type) && choose_load(op, b)
                   ? acc_mul
                   : NULL;
    if (!is_dword(b->type) || !choose_load(op, b) || !choose_store(op, &op->dst) ||
        (gen == 70 && op->group >= 8))
        return NULL;
    if (opcode == EU_OP_mach)
        return op->acc_wr ? acc_mach : NULL;
    return (opcode == EU_OP_addc || opcode == EU_OP_subb) && a->type == EU_UD && b->type == EU_UD
               ? acc_carry
               : NULL;
}

/* ---- math: reciprocal, division and roots, in doubles ---- */

INLINE v4f math_kernel(unsigned fn, v4f a, v4f b)
{
    vdf x = __builtin_convertvector(a, vdf), y = __builtin_convertvector(b, vdf), r;
    const vdf one = {1, 1, 1, 1};
    switch (fn) {
    case EU_MATH_INV:
        r = one / x;
        break;
    case EU_MATH_FDIV:
        r = x / y;
        break;
    default:
#ifdef __AVX__
        r = (vdf)_mm256_sqrt_pd((__m256d)x);
#else
    {
        union {
            vdf v;
            __m128d h[2];
        } u = {.v = x};
        u.h[0] = _mm_sqrt_pd(u.h[0]);
        u.h[1] = _mm_sqrt_pd(u.h[1]);
        r = u.v;
    }
#endif
        if (fn == EU_MATH_RSQT)
            r = one / r;
        break;
    }
    return __builtin_convertvector(r, v4f);
}

__attribute__((noinline)) static uint32_t compute_math(const struct eu_op *op, bool flush,
                                                       const vu a[MAX_STEPS], const vu b[MAX_STEPS],
                                                       vu r[MAX_STEPS])
{
    const float *x = (const float *)a, *y = (const float *)b;
    float *to = (float *)r;
    uint32_t nan = 0;
    for (unsigned i = 0; i < 8 * n_steps(op); i += 4) {
        v4f p, q, v;
        memcpy(&p, x + i, sizeof p);
        memcpy(&q, y + i, sizeof q);
        v = math_kernel(op->insn.fn, p, q);
        memcpy(to + i, &v, sizeof v);
    }
    for (unsigned h = 0; h < n_steps(op); h++) {
        nan |= sign_bits((vd)((vf)r[h] != (vf)r[h])) << 8 * h;
        if (flush)
            r[h] &= splat(0x80000000) | (vu)((r[h] & 0x7f800000) != 0);
    }
    return nan;
}

static const struct eu_op *run_math_fast(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op), nan;
    bool flush = t->mxcsr_f & _MM_DENORMALS_ZERO_MASK, two = op->insn.fn == EU_MATH_FDIV;
    vu a[MAX_STEPS], b[MAX_STEPS], r[MAX_STEPS];
    load(t, op, 0, a);
    if (two)
        load(t, op, 1, b);
    for (unsigned h = 0; h < n_steps(op); h++) {
        a[h] = flush_float(t, modify_float(&op->src[0], a[h]));
        b[h] = two ? flush_float(t, modify_float(&op->src[1], b[h])) : a[h];
    }
    _mm_setcsr(EU_MXCSR_DEFAULT);
    nan = compute_math(op, flush, a, b, r);
    _mm_setcsr(t->mxcsr_f);
    if (nan & mask)
        return op->general(t, op);
    store(t, op, mask, r);
    return op->next;
}

static eu_run_fn *choose_math(struct eu_op *op)
{
    unsigned fn = op->insn.fn;
    if (op->cls != EU_CLASS_F || op->saturate || op->acc_wr || op->dst.type != EU_F)
        return NULL;
    if (fn != EU_MATH_INV && fn != EU_MATH_SQT && fn != EU_MATH_RSQT && fn != EU_MATH_FDIV)
        return NULL;
    if (!choose_load(op, &op->src[0]) || (fn == EU_MATH_FDIV && !choose_load(op, &op->src[1])))
        return NULL;
    return choose_store(op, &op->dst) ? run_math_fast : NULL;
}
