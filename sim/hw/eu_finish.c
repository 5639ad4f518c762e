/* What follows an operation, in this order: accumulator, saturation, condition, conversion, store.
 * And half floats and NaN, which conversions are made of. Source: Intel PRM volume 7, "EU ISA",
 * "Accumulator Registers", "Saturation", "Conditional Modifiers", "Data Type Conversion". */
#include "eu_lane.h"

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

/* ---- half floats ---- */

float eu_half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 0x1f, m = h & 0x3ff, bits;
    if (e == 0x1f) {
        bits = sign | 0x7f800000 | m << 13;
    } else if (e) {
        bits = sign | (e + 112) << 23 | m << 13;
    } else if (m) {
        unsigned shift = (unsigned)__builtin_clz(m) - 21; /* to bring the first one to bit 10 */
        bits = sign | (113 - shift) << 23 | (m << shift & 0x3ff) << 13;
    } else {
        bits = sign;
    }
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* One rounding, in cr0's mode: 0 nearest even, 1 up, 2 down, 3 to zero. */
uint16_t eu_half_from_double(double v, unsigned mode)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int e = (int)(bits >> 52 & 0x7ff);
    uint64_t m = bits & 0xfffffffffffffull;
    if (e == 0x7ff)
        return sign | 0x7c00 | (m ? (uint16_t)(0x200 | m >> 42) : 0);
    bool away = mode == 1 ? !sign : mode == 2 ? sign != 0 : false; /* rounds away from zero */
    if (e == 0)                                                    /* below every half */
        return sign | (uint16_t)(m && away);
    m |= 1ull << 52;
    int he = e - 1023 + 15;
    unsigned shift = 42; /* bits below the last place */
    if (he < 1) {
        shift = 1 - he > 20 ? 62 : 42 + (unsigned)(1 - he);
        he = 0;
    }
    uint64_t q = m >> shift, rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    if (mode == 0 ? rest > half || (rest == half && q & 1) : rest && away)
        q++;
    /* A carry out of the mantissa moves into the exponent by itself. */
    uint32_t h = he ? ((uint32_t)(he - 1) << 10) + (uint32_t)q : (uint32_t)q;
    if (h >= 0x7c00)
        h = mode == 0 || away ? 0x7c00 : 0x7bff;
    return sign | (uint16_t)h;
}

/* ---- NaN ---- */

float eu_nan_f(float a, float b, float c)
{
    uint32_t bits = 0xffc00000;
    const float v[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (v[i] != v[i]) {
            memcpy(&bits, &v[i], 4);
            bits |= 0x00400000;
            break;
        }
    }
    float r;
    memcpy(&r, &bits, 4);
    return r;
}

double eu_nan_d(double a, double b, double c)
{
    uint64_t bits = 0xfff8ull << 48;
    const double v[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (v[i] != v[i]) {
            memcpy(&bits, &v[i], 8);
            bits |= 1ull << 51;
            break;
        }
    }
    double r;
    memcpy(&r, &bits, 8);
    return r;
}

/* ---- the alternative float mode ---- */

/* Instead of infinity it has the largest number. */
static float alt_float(const struct eu_thread *t, float v)
{
    return t->cr0[0] & CR0_ALT && isinf(v) ? copysignf(FLT_MAX, v) : v;
}

static void alt_mode(const struct eu_thread *t, const struct eu_op *op, struct eu_vals *r)
{
    for (unsigned i = 0; i < op->n; i++)
        r->f[i] = alt_float(t, r->f[i]);
}

/* ---- conversions ---- */

struct range {
    i128 min, max;
};

static struct range type_range(unsigned type)
{
    switch (type) {
    case EU_UD:
        return (struct range){0, UINT32_MAX};
    case EU_D:
        return (struct range){INT32_MIN, INT32_MAX};
    case EU_UW:
        return (struct range){0, UINT16_MAX};
    case EU_W:
        return (struct range){INT16_MIN, INT16_MAX};
    case EU_UB:
        return (struct range){0, UINT8_MAX};
    case EU_B:
        return (struct range){INT8_MIN, INT8_MAX};
    case EU_UQ:
        return (struct range){0, UINT64_MAX};
    default:
        return (struct range){INT64_MIN, INT64_MAX};
    }
}

static float int_to_float(i128 v)
{
    if (v > INT64_MAX) { /* halve, keeping what is lost for the rounding */
        uint64_t u = (uint64_t)v;
        return (float)(int64_t)(u >> 1 | (u & 1)) * 2;
    }
    return (float)(int64_t)v;
}

static double int_to_double(i128 v)
{
    if (v > INT64_MAX) {
        uint64_t u = (uint64_t)v;
        return (double)(int64_t)(u >> 1 | (u & 1)) * 2;
    }
    return (double)(int64_t)v;
}

/* Truncates (or rounds, Gen9 with cr0[12]) and clamps; NaN gives 0. */
static uint64_t float_to_int(struct eu_thread *t, double v, unsigned type)
{
    struct range lim = type_range(type);
    if (v != v)
        return 0;
    if (eu_gen(t) >= 90 && t->cr0[0] & CR0_FTOI_ROUND)
        v = rint(v);
    if (v >= 0x1p64)
        return (uint64_t)lim.max;
    if (v <= -0x1p64)
        return (uint64_t)lim.min;
    i128 i = (i128)v;
    return (uint64_t)(i > lim.max ? lim.max : i < lim.min ? lim.min : i);
}

static uint64_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

static uint16_t to_half(struct eu_thread *t, double v)
{
    return eu_half_from_double(v, eu_rounding(t));
}

/* A half that was computed as one, NaN bit by bit. */
static uint16_t half_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (f != f)
        return (uint16_t)(bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
    return eu_half_from_double((double)f, 0);
}

static void convert_int(struct eu_thread *t, const struct eu_op *op, const struct eu_vals *r,
                        uint64_t raw[32])
{
    for (unsigned i = 0; i < op->n; i++) {
        switch (op->dst.type) {
        case EU_F:
            raw[i] = float_bits(int_to_float(r->i[i]));
            break;
        case EU_DF:
            raw[i] = double_bits(int_to_double(r->i[i]));
            break;
        case EU_HF:
            raw[i] = to_half(t, int_to_double(r->i[i]));
            break;
        default:
            raw[i] = (uint64_t)r->i[i];
            break;
        }
    }
}

/* Not inlined: it runs under MXCSR as its caller has set it. */
__attribute__((noinline)) static void convert_float(struct eu_thread *t, const struct eu_op *op,
                                                    enum eu_class cls, const struct eu_vals *r,
                                                    uint64_t raw[32])
{
    for (unsigned i = 0; i < op->n; i++) {
        switch (op->dst.type) {
        case EU_F:
            raw[i] = float_bits(cls == EU_CLASS_DF ? alt_float(t, (float)r->d[i]) : r->f[i]);
            break;
        case EU_DF:
            raw[i] = double_bits(lane_value(cls, r, i));
            break;
        case EU_HF:
            raw[i] = cls == EU_CLASS_HF ? half_bits(r->f[i]) : to_half(t, lane_value(cls, r, i));
            break;
        default:
            raw[i] = float_to_int(t, lane_value(cls, r, i), op->dst.type);
            break;
        }
    }
}

static void saturate(const struct eu_op *op, enum eu_class cls, struct eu_vals *r)
{
    bool to_int = is_int_type(op->dst.type);
    struct range lim = to_int ? type_range(op->dst.type) : (struct range){0, 1};
    for (unsigned i = 0; i < op->n; i++) {
        if (cls == EU_CLASS_INT)
            r->i[i] = r->i[i] < lim.min ? lim.min : r->i[i] > lim.max ? lim.max : r->i[i];
        else if (to_int)
            continue; /* the conversion clamps */
        else if (cls == EU_CLASS_DF)
            r->d[i] = r->d[i] > 0 ? (r->d[i] < 1 ? r->d[i] : 1) : 0;
        else
            r->f[i] = r->f[i] > 0 ? (r->f[i] < 1 ? r->f[i] : 1) : 0;
    }
}

static uint32_t condition_mask(const struct eu_op *op, enum eu_class cls, const struct eu_vals *r)
{
    struct range lim = type_range(op->dst.type);
    bool wraps = cls == EU_CLASS_INT && eu_sum_wraps(op);
    uint32_t m = 0;
    for (unsigned i = 0; i < op->n; i++) {
        bool c;
        if (cls == EU_CLASS_INT) {
            i128 v = wraps ? wrap(r->i[i], work_bits(op), is_signed_type(op->dst.type)) : r->i[i];
            c = CONDITION(op->cond, v, 0, false, false, r->i[i] < lim.min || r->i[i] > lim.max);
        } else {
            double v = lane_value(cls, r, i);
            c = CONDITION(op->cond, v, 0, isnan(v), false, isinf(v));
        }
        m |= (uint32_t)c << i;
    }
    return m;
}

static void acc_write_float(struct eu_thread *t, enum eu_class cls, unsigned c,
                            const struct eu_vals *r, unsigned i)
{
    if (cls == EU_CLASS_DF) {
        t->acc_df[c & 7] = r->d[i];
    } else {
        t->acc_f[c] = r->f[i];
        t->acc_lo[c] = float_bits(r->f[i]);
        t->acc_hi[c] = 0;
    }
}

static void acc_write(struct eu_thread *t, const struct eu_op *op, enum eu_class cls, unsigned c,
                      const struct eu_vals *r, unsigned i)
{
    if (cls != EU_CLASS_INT) {
        acc_write_float(t, cls, c, r, i);
        return;
    }
    bool wide = op->insn.op == EU_OP_mul || op->insn.op == EU_OP_mac || op->insn.op == EU_OP_mach;
    eu_acc_set(t, c, wide ? r->i[i] : wrap(r->i[i], op->dst.size == 8 ? 65 : 33, true));
}

static void implicit_acc_write(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                               enum eu_class cls, struct eu_vals *r)
{
    unsigned opcode = op->insn.op;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask), c = implicit_acc(op, cls, i);
        if (opcode == EU_OP_addc)
            eu_acc_set(t, c, r->i[i] >> 32 & 1);
        else if (opcode == EU_OP_subb)
            eu_acc_set(t, c, r->i[i] < 0);
        else
            acc_write(t, op, cls, c, r, i);
    }
}

/* Explicit accumulator destination: the element names the channel. */
bool eu_acc_write(struct eu_thread *t, const struct eu_op *op, uint32_t mask, enum eu_class cls,
                  const struct eu_vals *r)
{
    unsigned reg = op->dst.arf & 0xf;
    if (reg > 1 || (reg && cls == EU_CLASS_INT && is_int_type(op->dst.type))) {
        eu_fault(t, "acc%u holds no %s", reg, reg > 1 ? "values" : "integers");
        return false;
    }
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        unsigned c = (reg * EU_GRF_SIZE + op->dst.off + i * op->dst.step) / op->dst.size;
        struct eu_vals v;
        if (c >= 32 ||
            (is_int_type(op->dst.type) && op->dst.off + i * op->dst.step >= EU_GRF_SIZE)) {
            eu_fault(t, "accumulator element %u does not exist", c);
            return false;
        }
        if (op->dst.type == EU_F && cls != EU_CLASS_F) {
            v.f[0] = cls == EU_CLASS_INT ? int_to_float(r->i[i]) : (float)lane_value(cls, r, i);
            acc_write_float(t, EU_CLASS_F, c, &v, 0);
        } else if (op->dst.type == EU_DF && cls != EU_CLASS_DF) {
            v.d[0] = cls == EU_CLASS_INT ? int_to_double(r->i[i]) : (double)r->f[i];
            acc_write_float(t, EU_CLASS_DF, c, &v, 0);
        } else if (is_int_type(op->dst.type) && cls != EU_CLASS_INT) {
            v.i[0] = (i128)(int64_t)float_to_int(t, lane_value(cls, r, i), op->dst.type);
            eu_acc_set(t, c, v.i[0]);
        } else {
            acc_write(t, op, cls, c, r, i);
        }
    }
    return true;
}

/* IVB, BYT: a conversion from DF to a dword writes a second dword, of no meaning, a channel. */
static bool store_garbage(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    uint16_t off[32];
    if (op->dst.file != EU_GRF)
        return true;
    if (!eu_dst_offsets(t, op, off))
        return false;
    for (; mask; mask &= mask - 1) {
        unsigned at = off[__builtin_ctz(mask)] + 4u;
        static const uint32_t garbage = 0xdeadbeef;
        if (at + 4 <= EU_N_GRF * EU_GRF_SIZE)
            memcpy(t->grf + at, &garbage, 4);
    }
    return true;
}

bool eu_finish(struct eu_thread *t, const struct eu_op *op, uint32_t mask, enum eu_class cls,
               struct eu_vals *r)
{
    unsigned opcode = op->insn.op;
    uint64_t raw[32];
    bool carry = opcode == EU_OP_addc || opcode == EU_OP_subb;
    if (cls == EU_CLASS_F && t->cr0[0] & CR0_ALT && opcode != EU_OP_sel && opcode != EU_OP_csel)
        alt_mode(t, op, r);
    if (op->acc_wr || carry)
        implicit_acc_write(t, op, mask, cls, r);
    if (opcode == EU_OP_mach) {
        for (unsigned i = 0; i < op->n; i++)
            r->i[i] = wrap(r->i[i] >> 32, 32, is_signed_type(op->dst.type));
    } else if (carry) {
        for (unsigned i = 0; i < op->n; i++)
            r->i[i] = wrap(r->i[i], 32, false);
    }
    if (op->saturate)
        saturate(op, cls, r);
    if (op->cond && opcode != EU_OP_csel && opcode != EU_OP_sel)
        eu_flag_write(t, op, mask, condition_mask(op, cls, r));
    if (op->dst.null)
        return true;
    if (op->dst.acc)
        return eu_acc_write(t, op, mask, cls, r);
    if (cls == EU_CLASS_DF && op->dst.type == EU_F)
        _mm_setcsr(t->mxcsr_f); /* denormal results are the narrower type's */
    if (cls == EU_CLASS_INT)
        convert_int(t, op, r, raw);
    else
        convert_float(t, op, cls, r, raw);
    if (!eu_store_raw(t, op, mask, raw))
        return false;
    if (op->df_dwords && cls == EU_CLASS_DF && op->dst.size == 4)
        return store_garbage(t, op, mask);
    return true;
}
