/* Arithmetic, the reference: every opcode on every type, region and mask, one lane after the other.
 * Integers are computed exactly, floats with the host's operations under the rounding and denormal
 * modes of cr0 (MXCSR is set while a thread runs), half floats in doubles with one rounding.
 * Source: Intel PRM volume 7, "EU ISA". */
#include "eu_lane.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

static bool is_signaling(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, 4);
    return (bits & 0x7fc00000) == 0x7f800000 && bits & 0x003fffff;
}

/* ---- conditions ---- */

static uint32_t compare(const struct eu_op *op, enum eu_class cls, const struct eu_vals *a,
                        const struct eu_vals *b)
{
    uint32_t m = 0;
    unsigned cond = op->cond;
    for (unsigned i = 0; i < op->n; i++) {
        bool c;
        if (cls == EU_CLASS_INT)
            c = CONDITION(cond, a->i[i], b->i[i], false, false, false);
        else if (cls == EU_CLASS_DF)
            c = CONDITION(cond, a->d[i], b->d[i], a->d[i] != a->d[i], b->d[i] != b->d[i], false);
        else
            c = CONDITION(cond, a->f[i], b->f[i], a->f[i] != a->f[i], b->f[i] != b->f[i], false);
        m |= (uint32_t)c << i;
    }
    return m;
}

/* ---- integers ---- */

static unsigned bit_reverse(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}

static uint32_t find_high(uint32_t v, bool sign)
{
    if (sign && v >> 31)
        v = ~v;
    return v ? (uint32_t)__builtin_clz(v) : 0xffffffff;
}

static i128 bit_field(uint32_t width, uint32_t offset, uint32_t v, bool sign)
{
    width &= 31;
    offset &= 31;
    if (width == 0)
        return 0;
    if (width + offset < 32) {
        v <<= 32 - width - offset;
        offset = 32 - width;
    }
    return sign ? (i128)((int32_t)v >> offset) : (i128)(v >> offset);
}

static uint32_t bit_insert(uint32_t mask, uint32_t insert, uint32_t base)
{
    if (!mask)
        return base;
    return (insert << __builtin_ctz(mask) & mask) | (base & ~mask);
}

#define EACH(expr)                                                                                 \
    do {                                                                                           \
        for (unsigned i = 0; i < n; i++)                                                           \
            r->i[i] = (expr);                                                                      \
    } while (0)

/* False: no such operation on integers. */
static bool compute_int(struct eu_thread *t, const struct eu_op *op, const struct eu_vals s[3],
                        struct eu_vals *r)
{
    unsigned n = op->n;
    const i128 *a = s[0].i, *b = s[1].i, *c = s[2].i;
    unsigned bits = work_bits(op);
    bool dst_signed = is_signed_type(op->dst.type), sign0 = is_signed_type(op->src[0].type);
    unsigned count = op->src[0].size == 8 || op->dst.size == 8 ? 63 : 31;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
    case EU_OP_movi:
        EACH(a[i]);
        return true;
    case EU_OP_not:
        EACH(wrap(~a[i], bits, dst_signed));
        return true;
    case EU_OP_and:
        EACH(wrap(a[i] & b[i], bits, dst_signed));
        return true;
    case EU_OP_or:
        EACH(wrap(a[i] | b[i], bits, dst_signed));
        return true;
    case EU_OP_xor:
        EACH(wrap(a[i] ^ b[i], bits, dst_signed));
        return true;
    case EU_OP_shl:
        /* Beyond 33 (65) bits only the low ones mean anything; saturation wants the exact value. */
        EACH(a[i] * ((i128)1 << ((unsigned)b[i] & count)));
        if (!op->saturate)
            EACH(wrap(r->i[i], bits, dst_signed));
        return true;
    case EU_OP_shr:
        EACH(wrap(a[i], bits, false) >> ((unsigned)b[i] & count));
        return true;
    case EU_OP_asr:
        EACH(a[i] >> ((unsigned)b[i] & count));
        return true;
    case EU_OP_add:
        EACH(a[i] + b[i]);
        return true;
    case EU_OP_avg:
        EACH((a[i] + b[i] + 1) >> 1);
        return true;
    case EU_OP_mul:
        if (eu_gen(t) < 80 && is_dword_type(op->src[1].type)) /* 32 x 16: the low word, unsigned */
            EACH(a[i] * (b[i] & 0xffff));
        else
            EACH(a[i] * b[i]);
        return true;
    case EU_OP_mac:
        EACH(a[i] * b[i] + eu_acc_get(t, implicit_acc(op, EU_CLASS_INT, i)));
        return true;
    case EU_OP_mach:
        /* The accumulator takes the product with the high word; eu_finish() delivers its high half.
         */
        for (unsigned i = 0; i < n; i++) {
            int64_t high = is_signed_type(op->src[1].type) ? (int64_t)((int32_t)b[i] >> 16)
                                                           : (int64_t)((uint32_t)b[i] >> 16);
            r->i[i] = eu_acc_get(t, implicit_acc(op, EU_CLASS_INT, i)) + a[i] * high * 65536;
        }
        return true;
    case EU_OP_addc:
    case EU_OP_subb:
        EACH(op->insn.op == EU_OP_addc ? a[i] + b[i] : a[i] - b[i]);
        return true;
    case EU_OP_lzd:
        EACH((uint32_t)a[i] ? __builtin_clz((uint32_t)a[i]) : 32);
        return true;
    case EU_OP_fbh:
        EACH(find_high((uint32_t)a[i], sign0));
        return true;
    case EU_OP_fbl:
        EACH((uint32_t)a[i] ? (i128)__builtin_ctz((uint32_t)a[i]) : (i128)0xffffffff);
        return true;
    case EU_OP_cbit:
        EACH(__builtin_popcount((uint32_t)a[i]));
        return true;
    case EU_OP_bfrev:
        EACH(bit_reverse((uint32_t)a[i]));
        return true;
    case EU_OP_bfe:
        EACH(bit_field((uint32_t)a[i], (uint32_t)b[i], (uint32_t)c[i], sign0));
        return true;
    case EU_OP_bfi1:
        EACH((uint32_t)(((1u << (a[i] & 31)) - 1) << (b[i] & 31)));
        return true;
    case EU_OP_bfi2:
        EACH(bit_insert((uint32_t)a[i], (uint32_t)b[i], (uint32_t)c[i]));
        return true;
    case EU_OP_sad2:
    case EU_OP_sada2:
        for (unsigned i = 0; i < n; i++) {
            i128 d = a[i] - b[i], e = a[i | 1] - b[i | 1];
            r->i[i] = (d < 0 ? -d : d) + (e < 0 ? -e : e);
            if (op->insn.op == EU_OP_sada2)
                r->i[i] += eu_acc_get(t, implicit_acc(op, EU_CLASS_INT, i));
        }
        return true;
    case EU_OP_f16to32:
        for (unsigned i = 0; i < n; i++)
            r->f[i] = eu_half_to_float((uint16_t)a[i]);
        return true;
    default:
        return false;
    }
}
#undef EACH

/* ---- floats ---- */

static float fraction(float a)
{
    float r = a - floorf(a);
    return r >= 1 ? 0x1.fffffep-1f : r; /* a tiny negative number */
}

/* Whatever mode the host is in. */
static float round_nearest_even(float a)
{
    if (!(fabsf(a) < 0x1p23f))
        return a;
    float down = floorf(a), diff = a - down;
    bool up = diff > 0.5f || (diff == 0.5f && fmodf(down, 2) != 0);
    return copysignf(up ? down + 1 : down, a);
}

#define EACH(expr)                                                                                 \
    do {                                                                                           \
        for (unsigned i = 0; i < n; i++)                                                           \
            r->LANE[i] = (expr);                                                                   \
    } while (0)
#define NAN_RULE(NAN_OF)                                                                           \
    do {                                                                                           \
        for (unsigned i = 0; i < n; i++) {                                                         \
            if (r->LANE[i] != r->LANE[i])                                                          \
                r->LANE[i] = NAN_OF(a[i], n_src > 1 ? b[i] : 0, n_src > 2 ? c[i] : 0);             \
        }                                                                                          \
    } while (0)

/* Interpolation, and products over four channels: the instructions that look across channels. */
static bool compute_across(struct eu_thread *t, const struct eu_op *op, const struct eu_vals s[3],
                           struct eu_vals *r)
{
    float q[4];
    unsigned n = op->n, opcode = op->insn.op;
    const float *a = s[0].f, *b = s[1].f;
    if (opcode == EU_OP_line || opcode == EU_OP_pln) {
        const struct eu_src *s0 = &op->src[0], *s1 = &op->src[1];
        unsigned last = s1->off + (n + 7) / 8 * 64u;
        if (s0->kind != SRC_GRF || s0->off + 16 > EU_N_GRF * EU_GRF_SIZE)
            return false;
        memcpy(q, t->grf + s0->off, sizeof q);
        if (opcode == EU_OP_line) {
            for (unsigned i = 0; i < n; i++)
                r->f[i] = q[0] * b[i] + q[3];
            return true;
        }
        if (s1->kind != SRC_GRF || last > EU_N_GRF * EU_GRF_SIZE)
            return false;
        for (unsigned i = 0; i < n; i++) { /* u and v of 8 channels each, in turn */
            float u, v;
            unsigned at = s1->off + i / 8 * 64 + i % 8 * 4;
            memcpy(&u, t->grf + at, 4);
            memcpy(&v, t->grf + at + 32, 4);
            r->f[i] = q[0] * u + q[1] * v + q[3];
        }
        return true;
    }
    for (unsigned g = 0; g + 3 < n; g += 4) {
        float sum = a[g] * b[g] + a[g + 1] * b[g + 1];
        if (opcode != EU_OP_dp2)
            sum += a[g + 2] * b[g + 2];
        if (opcode == EU_OP_dp4)
            sum += a[g + 3] * b[g + 3];
        else if (opcode == EU_OP_dph)
            sum += b[g + 3];
        for (unsigned i = g; i < g + 4; i++)
            r->f[i] = sum;
    }
    return true;
}

#define LANE f
/* False: no such operation on floats. Not inlined: it runs under MXCSR as its caller has set it. */
__attribute__((noinline)) static bool compute_f(struct eu_thread *t, const struct eu_op *op,
                                                const struct eu_vals s[3], struct eu_vals *r)
{
    unsigned n = op->n, n_src = eu_op_info(op->insn.op)->n_src;
    const float *a = s[0].f, *b = s[1].f, *c = s[2].f;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
    case EU_OP_movi:
    case EU_OP_f32to16:
        EACH(a[i]);
        return true;
    case EU_OP_add:
        EACH(a[i] + b[i]);
        break;
    case EU_OP_mul:
        EACH(a[i] * b[i]);
        break;
    case EU_OP_mac:
        EACH(a[i] * b[i] + t->acc_f[implicit_acc(op, EU_CLASS_F, i)]);
        break;
    case EU_OP_mad:
    case EU_OP_madm:
        EACH(fmaf(b[i], c[i], a[i]));
        break;
    case EU_OP_lrp:
        EACH(a[i] * b[i] + (1 - a[i]) * c[i]);
        break;
    case EU_OP_csel:
        for (unsigned i = 0; i < n; i++) {
            bool nan = c[i] != c[i];
            r->f[i] = CONDITION(op->cond, c[i], 0.0f, nan, false, false) ? a[i] : b[i];
        }
        return true;
    case EU_OP_frc:
        EACH(fraction(a[i]));
        break;
    case EU_OP_rndd:
        EACH(floorf(a[i]));
        break;
    case EU_OP_rndu:
        EACH(ceilf(a[i]));
        break;
    case EU_OP_rndz:
        EACH(truncf(a[i]));
        break;
    case EU_OP_rnde:
        EACH(round_nearest_even(a[i]));
        break;
    case EU_OP_line:
    case EU_OP_pln:
    case EU_OP_dp2:
    case EU_OP_dp3:
    case EU_OP_dp4:
    case EU_OP_dph:
        return compute_across(t, op, s, r);
    default:
        return false;
    }
    NAN_RULE(eu_nan_f);
    return true;
}
#undef LANE

#define LANE d
__attribute__((noinline)) static bool compute_df(struct eu_thread *t, const struct eu_op *op,
                                                 const struct eu_vals s[3], struct eu_vals *r)
{
    unsigned n = op->n, n_src = eu_op_info(op->insn.op)->n_src;
    const double *a = s[0].d, *b = s[1].d, *c = s[2].d;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
    case EU_OP_movi:
        EACH(a[i]);
        return true;
    case EU_OP_add:
        EACH(a[i] + b[i]);
        break;
    case EU_OP_mul:
        EACH(a[i] * b[i]);
        break;
    case EU_OP_mac:
        EACH(a[i] * b[i] + t->acc_df[implicit_acc(op, EU_CLASS_DF, i)]);
        break;
    case EU_OP_mad:
    case EU_OP_madm:
        EACH(fma(b[i], c[i], a[i]));
        break;
    default:
        return false;
    }
    NAN_RULE(eu_nan_d);
    return true;
}
#undef LANE
#undef EACH

/* p + a rounded to odd, so that a second rounding to fewer bits is right. Nearest mode. */
static double add_odd(double p, double a)
{
    double sum = p + a;
    if (isnan(sum) || isinf(sum))
        return sum;
    double bb = sum - p, err = (p - (sum - bb)) + (a - bb);
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    if (err != 0 && !(bits & 1)) {
        /* Inexact: the neighbour on the error's side has the odd last bit. */
        bits += (err > 0) == (sum > 0) ? 1 : (uint64_t)-1;
        memcpy(&sum, &bits, 8);
    }
    return sum;
}

/* x + y, which is v under the nearest mode: IEEE 754, 6.3, has a sum of opposites negative when
 * rounding down. */
static double signed_zero(double x, double y, double v, unsigned mode)
{
    return v == 0 && mode == 2 && signbit(x) != signbit(y) ? -0.0 : v;
}

/* Half floats: sums and products of two are exact in doubles. Runs under the nearest mode. */
__attribute__((noinline)) static bool compute_hf(struct eu_thread *t, const struct eu_op *op,
                                                 const struct eu_vals s[3], struct eu_vals *r)
{
    unsigned n = op->n, n_src = eu_op_info(op->insn.op)->n_src, mode = eu_rounding(t);
    bool flush = !(eu_denorm_bits(t) & CR0_HF_DENORM);
    for (unsigned i = 0; i < n; i++) {
        double a = (double)s[0].f[i], b = n_src > 1 ? (double)s[1].f[i] : 0;
        double c = n_src > 2 ? (double)s[2].f[i] : 0, v;
        switch ((enum eu_opcode)op->insn.op) {
        case EU_OP_mov:
        case EU_OP_movi:
            r->f[i] = s[0].f[i];
            continue;
        case EU_OP_add:
            v = signed_zero(a, b, a + b, mode);
            break;
        case EU_OP_mul:
            v = a * b;
            break;
        case EU_OP_mac:
            v = (double)t->acc_f[implicit_acc(op, EU_CLASS_HF, i)];
            v = signed_zero(a * b, v, add_odd(a * b, v), mode);
            break;
        case EU_OP_mad:
            v = signed_zero(b * c, a, add_odd(b * c, a), mode);
            break;
        case EU_OP_frc:
            v = a - floor(a);
            break;
        case EU_OP_rndd:
            v = floor(a);
            break;
        case EU_OP_rndu:
            v = ceil(a);
            break;
        case EU_OP_rndz:
            v = trunc(a);
            break;
        case EU_OP_rnde:
            v = rint(a);
            break;
        default:
            return false;
        }
        if (v != v)
            v = (double)eu_nan_f(s[0].f[i], n_src > 1 ? s[1].f[i] : 0, n_src > 2 ? s[2].f[i] : 0);
        uint16_t h = eu_half_from_double(v, mode);
        if (flush && !(h & 0x7c00))
            h &= 0x8000;
        r->f[i] = eu_half_to_float(h);
    }
    return true;
}

/* ---- the instructions that are more than one operation ---- */

static bool is_copy(const struct eu_op *op, unsigned k)
{
    const struct eu_src *s = &op->src[k];
    return s->type == op->dst.type && !s->modified && !op->saturate && !op->cond;
}

/* A copy without an accumulator, which has more than the bits. */
static bool same_bits(const struct eu_op *op, unsigned k)
{
    return is_copy(op, k) && op->src[k].kind != SRC_ACC && !op->dst.acc && !op->acc_wr;
}

static bool run_mov(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    struct eu_vals s[3], r;
    uint64_t raw[32];
    if (op->insn.op == EU_OP_smov) /* element i counts if bit i of the immediate is set */
        mask &= (uint32_t)op->src[1].imm;
    if (same_bits(op, 0))
        return eu_fetch_raw(t, op, 0, raw) && eu_store_raw(t, op, mask, raw);
    /* A half becomes a float exactly, denormal or not. */
    bool exact = op->src[0].type == EU_HF && op->dst.type == EU_F;
    if (!eu_fetch(t, op, 0, op->cls, !exact && !is_copy(op, 0), &s[0]))
        return false;
    r = s[0];
    return eu_finish(t, op, mask, op->cls, &r);
}

/* dim: the 64 bits of the immediate. */
static bool run_dim(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    uint64_t raw[32];
    for (unsigned i = 0; i < op->n; i++)
        raw[i] = op->src[0].imm;
    return eu_store_raw(t, op, mask, raw);
}

static bool run_cmp(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    struct eu_vals s[2];
    uint64_t raw[32];
    if (!eu_fetch(t, op, 0, op->cls, true, &s[0]) || !eu_fetch(t, op, 1, op->cls, true, &s[1]))
        return false;
    uint32_t m = compare(op, op->cls, &s[0], &s[1]);
    if (op->insn.op == EU_OP_cmpn && op->cls != EU_CLASS_INT) {
        for (unsigned i = 0; i < op->n; i++) {
            double b = lane_value(op->cls, &s[1], i);
            m |= (uint32_t)(b != b) << i;
        }
    }
    eu_flag_write(t, op, mask, m);
    for (unsigned i = 0; i < op->n; i++)
        raw[i] = m >> i & 1 ? ~0ull : 0;
    if (op->dst.acc) {
        struct eu_vals r;
        for (unsigned i = 0; i < op->n; i++)
            r.i[i] = m >> i & 1 ? -1 : 0;
        return eu_acc_write(t, op, mask, EU_CLASS_INT, &r);
    }
    return eu_store_raw(t, op, mask, raw);
}

/* Minimum and maximum: of a number and a NaN the number. Broadwell that keeps denormals follows
 * IEEE 754: a signaling NaN gives a quiet one. */
static uint32_t choose_float(struct eu_thread *t, const struct eu_op *op, struct eu_vals s[2])
{
    uint32_t m = compare(op, op->cls, &s[0], &s[1]);
    bool ieee = eu_gen(t) == 80 && eu_denorm_bits(t) & CR0_F_DENORM;
    for (unsigned i = 0; i < op->n; i++) {
        double a = lane_value(op->cls, &s[0], i), b = lane_value(op->cls, &s[1], i);
        bool a_nan = a != a, b_nan = b != b;
        if (!a_nan && !b_nan)
            continue;
        m &= ~(1u << i);
        if (b_nan && !a_nan)
            m |= 1u << i;
        if (op->cls == EU_CLASS_F && ieee && (is_signaling(s[0].f[i]) || is_signaling(s[1].f[i]))) {
            m &= ~(1u << i);
            s[1].f[i] = eu_nan_f(s[0].f[i], s[1].f[i], 0);
        } else if (a_nan && b_nan && op->cls == EU_CLASS_DF) {
            s[1].d[i] = eu_nan_d(s[1].d[i], 0, 0);
        } else if (a_nan && b_nan) {
            s[1].f[i] = eu_nan_f(s[1].f[i], 0, 0);
        }
    }
    return m;
}

static bool run_sel(struct eu_thread *t, const struct eu_op *op)
{
    struct eu_vals s[2], r;
    uint32_t mask = eu_exec_mask(t, op), m;
    if (same_bits(op, 0) && same_bits(op, 1)) {
        uint64_t a[32], b[32];
        m = eu_pred_mask(t, op);
        if (!eu_fetch_raw(t, op, 0, a) || !eu_fetch_raw(t, op, 1, b))
            return false;
        for (unsigned i = 0; i < op->n; i++)
            a[i] = m >> i & 1 ? a[i] : b[i];
        return eu_store_raw(t, op, mask, a);
    }
    if (!eu_fetch(t, op, 0, op->cls, op->cond, &s[0]) ||
        !eu_fetch(t, op, 1, op->cls, op->cond, &s[1]))
        return false;
    if (!op->cond)
        m = eu_pred_mask(t, op);
    else if (op->cls == EU_CLASS_INT)
        m = compare(op, op->cls, &s[0], &s[1]);
    else
        m = choose_float(t, op, s);
    for (unsigned i = 0; i < op->n; i++) {
        const struct eu_vals *from = m >> i & 1 ? &s[0] : &s[1];
        if (op->cls == EU_CLASS_INT)
            r.i[i] = from->i[i];
        else if (op->cls == EU_CLASS_DF)
            r.d[i] = from->d[i];
        else
            r.f[i] = from->f[i];
    }
    return eu_finish(t, op, mask, op->cls, &r);
}

static bool run_generic(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    struct eu_vals s[3], r;
    unsigned n_src = eu_op_info(op->insn.op)->n_src;
    enum eu_class cls = op->cls;
    bool known;
    for (unsigned k = 0; k < n_src; k++) {
        if (!eu_fetch(t, op, (int)k, cls, true, &s[k]))
            return false;
    }
    switch (cls) {
    case EU_CLASS_INT:
        known = compute_int(t, op, s, &r);
        break;
    case EU_CLASS_DF:
        known = compute_df(t, op, s, &r);
        break;
    case EU_CLASS_HF:
        _mm_setcsr(EU_MXCSR_DEFAULT);
        known = compute_hf(t, op, s, &r);
        _mm_setcsr(t->mxcsr_f);
        break;
    case EU_CLASS_F:
    default:
        known = compute_f(t, op, s, &r);
        break;
    }
    if (!known) {
        eu_fault(t, "no such operation on these types");
        return false;
    }
    if (op->insn.op == EU_OP_f32to16) {
        uint64_t raw[32];
        for (unsigned i = 0; i < op->n; i++)
            raw[i] = eu_half_from_double((double)r.f[i], eu_rounding(t));
        return eu_store_raw(t, op, mask, raw);
    }
    if (op->insn.op == EU_OP_f16to32)
        cls = EU_CLASS_F;
    if (op->insn.op == EU_OP_sad2 || op->insn.op == EU_OP_sada2)
        mask &= 0x55555555; /* a pair's result goes to its even channel */
    return eu_finish(t, op, mask, cls, &r);
}

/* The bug of the first generation: an integer instruction's implicit accumulator follows QtrCtrl,
 * and acc1 holds no integers. */
static bool implicit_acc_ok(struct eu_thread *t, const struct eu_op *op)
{
    unsigned opcode = op->insn.op;
    bool implicit = op->acc_wr || opcode == EU_OP_mac || opcode == EU_OP_mach ||
                    opcode == EU_OP_addc || opcode == EU_OP_subb || opcode == EU_OP_sada2;
    if (implicit && op->cls == EU_CLASS_INT && op->group >= 8 && eu_gen(t) == 70) {
        eu_fault(t, "integer instruction with implicit accumulator in quarter %u (Gen7: undefined)",
                 op->group / 8 + 1);
        return false;
    }
    return true;
}

/* Not inlined: it runs under MXCSR as its caller has set it. */
__attribute__((noinline)) static bool run_op(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
    case EU_OP_movi:
    case EU_OP_smov:
        return implicit_acc_ok(t, op) && run_mov(t, op, mask);
    case EU_OP_dim:
        return run_dim(t, op, mask);
    case EU_OP_cmp:
    case EU_OP_cmpn:
        return run_cmp(t, op, mask);
    case EU_OP_sel:
        return run_sel(t, op);
    default:
        return implicit_acc_ok(t, op) && run_generic(t, op, mask);
    }
}

const struct eu_op *eu_run_alu(struct eu_thread *t, const struct eu_op *op)
{
    bool df = op->cls == EU_CLASS_DF, ok;
    t->op = op;
    if (df)
        _mm_setcsr(t->mxcsr_df);
    ok = run_op(t, op);
    if (df)
        _mm_setcsr(t->mxcsr_f);
    return ok ? op->next : eu_stop_fault(t);
}
