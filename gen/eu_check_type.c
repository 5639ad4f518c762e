/* Rules on what operands are: types, 64-bit restrictions, accumulators, three sources (eu_check.c
 * has the others). */
#include "gen/eu_check.h"

/* ---- types ---- */

/* Classes of operand types for the table below. */
enum {
    INT = 1 << 0, /* 8 to 32 bits */
    INT64 = 1 << 1,
    FLOAT = 1 << 2,
    DOUBLE = 1 << 3,
    HALF = 1 << 4,   /* Gen8 */
    DWORDS = 1 << 5, /* D and UD only */
    WORDS = 1 << 6,
    BYTES = 1 << 7,
    ANY = INT | INT64 | FLOAT | DOUBLE | HALF,
};

static bool in_class(unsigned type, unsigned classes)
{
    if (classes & INT && !is_64(type) && !is_float(type))
        return true;
    if (classes & DWORDS && is_dword(type))
        return true;
    if (classes & WORDS && is_word(type))
        return true;
    if (classes & BYTES && is_byte(type))
        return true;
    return (classes & INT64 && (type == EU_Q || type == EU_UQ)) ||
           (classes & FLOAT && (type == EU_F || type == EU_VF)) ||
           (classes & DOUBLE && type == EU_DF) || (classes & HALF && type == EU_HF);
}

/* What an opcode takes (all sources) and gives. Rows with the same opcode are alternatives. */
static const struct {
    uint8_t op, dst, src;
} type_rows[] = {
    {EU_OP_mov, ANY, ANY},
    {EU_OP_movi, INT | FLOAT, INT | FLOAT},
    {EU_OP_smov, ANY, ANY},
    {EU_OP_sel, INT | INT64, INT | INT64},
    {EU_OP_sel, FLOAT | HALF, FLOAT | HALF},
    {EU_OP_sel, DOUBLE, DOUBLE},
    {EU_OP_not, INT | INT64, INT | INT64},
    {EU_OP_and, INT | INT64, INT | INT64},
    {EU_OP_or, INT | INT64, INT | INT64},
    {EU_OP_xor, INT | INT64, INT | INT64},
    {EU_OP_shr, INT | INT64, INT | INT64},
    {EU_OP_shl, INT | INT64, INT | INT64},
    {EU_OP_asr, INT | INT64, INT | INT64},
    {EU_OP_dim, DOUBLE, DOUBLE},
    {EU_OP_cmp, ANY, INT | INT64},
    {EU_OP_cmp, ANY, FLOAT | HALF},
    {EU_OP_cmp, ANY, DOUBLE},
    {EU_OP_cmpn, ANY, INT},
    {EU_OP_cmpn, ANY, FLOAT | HALF},
    {EU_OP_cmpn, ANY, DOUBLE},
    {EU_OP_csel, FLOAT, FLOAT},
    {EU_OP_f32to16, WORDS, FLOAT},
    {EU_OP_f16to32, FLOAT, WORDS},
    {EU_OP_bfrev, DWORDS, DWORDS},
    {EU_OP_bfe, DWORDS, DWORDS},
    {EU_OP_bfi1, DWORDS, DWORDS},
    {EU_OP_bfi2, DWORDS, DWORDS},
    {EU_OP_math, FLOAT | HALF | DOUBLE | DWORDS, FLOAT | HALF | DOUBLE | DWORDS},
    {EU_OP_add, INT | INT64 | FLOAT | HALF, INT | INT64},
    {EU_OP_add, FLOAT | HALF | INT, FLOAT | HALF},
    {EU_OP_add, DOUBLE, DOUBLE},
    {EU_OP_mul, INT | INT64, INT},
    {EU_OP_mul, FLOAT | HALF, FLOAT | HALF},
    {EU_OP_mul, DOUBLE, DOUBLE},
    {EU_OP_avg, INT, INT},
    {EU_OP_frc, FLOAT, FLOAT},
    {EU_OP_rndu, FLOAT, FLOAT},
    {EU_OP_rndd, FLOAT, FLOAT},
    {EU_OP_rnde, FLOAT, FLOAT},
    {EU_OP_rndz, FLOAT, FLOAT},
    {EU_OP_mac, INT, WORDS | BYTES},
    {EU_OP_mac, FLOAT | HALF, FLOAT | HALF},
    {EU_OP_mac, DOUBLE, DOUBLE},
    {EU_OP_mach, DWORDS, DWORDS},
    {EU_OP_lzd, DWORDS, DWORDS},
    {EU_OP_fbh, DWORDS, DWORDS},
    {EU_OP_fbl, DWORDS, DWORDS},
    {EU_OP_fbl, DWORDS, WORDS}, /* in no document; Intel's compiler has it of a flag's 16 bits */
    {EU_OP_cbit, DWORDS, INT},
    {EU_OP_addc, DWORDS, DWORDS},
    {EU_OP_subb, DWORDS, DWORDS},
    {EU_OP_sad2, WORDS, BYTES},
    {EU_OP_sada2, WORDS, BYTES},
    {EU_OP_dp4, FLOAT, FLOAT},
    {EU_OP_dph, FLOAT, FLOAT},
    {EU_OP_dp3, FLOAT, FLOAT},
    {EU_OP_dp2, FLOAT, FLOAT},
    {EU_OP_line, FLOAT, FLOAT},
    {EU_OP_pln, FLOAT, FLOAT},
    {EU_OP_mad, FLOAT | HALF, FLOAT | HALF},
    {EU_OP_mad, DOUBLE, DOUBLE},
    {EU_OP_lrp, FLOAT, FLOAT},
    {EU_OP_madm, FLOAT, FLOAT},
    {EU_OP_madm, DOUBLE, DOUBLE},
};

static bool math_types(const struct check *c)
{
    unsigned classes = int_div(c) ? DWORDS : eu_is_macro(c->in) ? FLOAT | DOUBLE : FLOAT | HALF;
    bool ok = in_class(c->in->dst.type, classes);
    for (unsigned i = 0; i < c->n_src; i++)
        ok = ok && in_class(c->in->src[i].type, classes);
    return ok;
}

bool rule_types(const struct check *c)
{
    if (!computes(c))
        return false;
    if (c->fmt == EU_FMT_MATH)
        return !math_types(c);
    for (unsigned r = 0; r < sizeof(type_rows) / sizeof(type_rows[0]); r++) {
        if (type_rows[r].op != c->in->op)
            continue;
        bool ok = in_class(c->in->dst.type, type_rows[r].dst) || is_null(&c->in->dst);
        for (unsigned i = 0; i < c->n_src; i++) {
            unsigned t = c->in->src[i].type;
            /* A vector immediate is as wide as its companions. */
            bool vector = is_vector(t) && in_class(t, type_rows[r].src | INT);
            ok = ok && (vector || in_class(t, type_rows[r].src));
        }
        if (ok)
            return false;
    }
    return true;
}

bool rule_type_generation(const struct check *c)
{
    if (!computes(c))
        return false;
    int g = c->gen >= 80;
    if (eu_type_codes[c->in->dst.type].reg[g] < 0)
        return true;
    for (unsigned i = 0; i < c->n_src; i++) {
        const struct eu_operand *o = &c->in->src[i];
        bool imm = o->file == EU_IMM && c->in->op != EU_OP_dim;
        if ((imm ? eu_type_codes[o->type].imm[g] : eu_type_codes[o->type].reg[g]) < 0)
            return true;
    }
    return false;
}

bool rule_mixed_int_float(const struct check *c)
{
    return computes(c) && c->n_src >= 2 && c->in->op != EU_OP_smov &&
           is_float(c->in->src[0].type) != is_float(c->in->src[1].type);
}

bool rule_byte_64(const struct check *c)
{
    if (!computes(c) || is_null(&c->in->dst))
        return false;
    bool bytes = is_byte(c->in->dst.type), wide = is_64(c->in->dst.type);
    for (unsigned i = 0; i < c->n_src; i++) {
        unsigned t = c->in->src[i].type;
        if ((bytes && is_64(t)) || (wide && is_byte(t)))
            return true;
    }
    return false;
}

bool rule_half_64(const struct check *c)
{
    bool half = c->in->dst.type == EU_HF, wide = is_64(c->in->dst.type);
    if (!computes(c) || is_null(&c->in->dst))
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        unsigned t = c->in->src[i].type;
        if ((half && is_64(t)) || (wide && t == EU_HF))
            return true;
    }
    return false;
}

bool rule_half_int(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    if (!c->alu || c->in->op != EU_OP_mov || c->in->exec_size == 1 || is_null(d))
        return false;
    unsigned from = c->in->src[0].type;
    if ((from == EU_HF) == (d->type == EU_HF) ||
        (from == EU_HF ? is_float(d->type) : is_float(from)))
        return false;
    return d->hs * eu_type_size(d->type) != 4 || (!d->indirect && d->sub % 4 != 0);
}

static bool mixed_half(const struct check *c)
{
    return c->n_src >= 2 && ((c->in->src[0].type == EU_HF && c->in->src[1].type == EU_F) ||
                             (c->in->src[0].type == EU_F && c->in->src[1].type == EU_HF));
}

bool rule_mixed_half_simd8(const struct check *c)
{
    return c->alu && mixed_half(c) && c->in->dst.type == EU_F && c->in->exec_size > 8;
}

bool rule_mixed_half_sel(const struct check *c)
{
    return c->in->op == EU_OP_sel && mixed_half(c) && c->in->dst.type == EU_HF &&
           c->in->dst.hs == 1 && c->in->exec_size > 1;
}

bool rule_vector_immediate(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    if (!c->alu || c->n_src == 0)
        return false;
    const struct eu_operand *o = &c->in->src[c->n_src - 1];
    if (o->file != EU_IMM || !is_vector(o->type) || is_null(d))
        return false;
    unsigned stride = d->hs * eu_type_size(d->type);
    if (o->type == EU_VF)
        return stride != 4;
    return (stride != 2 && stride != 4) || (!d->indirect && d->sub % 16 != 0);
}

static bool bad_flag_type(const struct check *c, const struct eu_operand *o)
{
    return o->file == EU_ARF && !o->indirect && (o->reg & 0xf0) == EU_ARF_F0 && !is_word(o->type) &&
           !is_dword(o->type);
}

bool rule_flag_type(const struct check *c)
{
    return c->alu && (bad_flag_type(c, &c->in->dst) || any_src(c, bad_flag_type));
}

bool rule_df_simd(const struct check *c)
{
    bool df = c->in->dst.type == EU_DF && !is_null(&c->in->dst);
    for (unsigned i = 0; i < c->n_src; i++)
        df |= c->in->src[i].type == EU_DF;
    return computes(c) && df && c->in->exec_size > 8;
}

static bool dword_multiply(const struct check *c)
{
    return c->in->op == EU_OP_mul && is_dword(c->in->src[0].type) && is_dword(c->in->src[1].type);
}

bool rule_df_no_dd(const struct check *c)
{
    bool wide = has_64(c) || (c->gen >= 80 && dword_multiply(c));
    return computes(c) && wide && (c->in->no_dd_clr || c->in->no_dd_chk);
}

bool rule_df_no_dd_lp(const struct check *c)
{
    return rule_df_no_dd(c);
}

bool rule_align16_64(const struct check *c)
{
    if (!computes(c) || !c->in->align16 || !dst_64(c) || c->in->exec_size <= 2)
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        if (eu_type_size(c->in->src[i].type) < 8)
            return true;
    }
    return false;
}

/* Cherryview, Broxton, Gemini Lake: 64-bit operands and dword multiplies. */
static bool wide_operation(const struct check *c)
{
    return c->alu && (has_64(c) || dword_multiply(c));
}

static bool counts_64(const struct eu_operand *o)
{
    return o->file != EU_IMM && !is_scalar(o) && !o->indirect && !is_null(o);
}

bool rule_regions_64_stride(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    if (!wide_operation(c))
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        const struct eu_operand *o = &c->in->src[i];
        unsigned stride = (o->hs ? o->hs : o->vs) * eu_type_size(o->type);
        if (counts_64(o) &&
            (stride % 8 || (!is_null(d) && stride != d->hs * eu_type_size(d->type))))
            return true;
    }
    return false;
}

bool rule_regions_64_rows(const struct check *c)
{
    if (!wide_operation(c))
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        const struct eu_operand *o = &c->in->src[i];
        if (counts_64(o) && o->width > 1 && o->vs != o->width * o->hs)
            return true;
    }
    return false;
}

bool rule_regions_64_sub(const struct check *c)
{
    if (!wide_operation(c) || is_null(&c->in->dst) || c->in->dst.indirect)
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        const struct eu_operand *o = &c->in->src[i];
        if (counts_64(o) && o->sub != c->in->dst.sub)
            return true;
    }
    return false;
}

bool rule_regions_64_arf(const struct check *c)
{
    if (!wide_operation(c))
        return false;
    const struct eu_operand *d = &c->in->dst;
    bool arf = (d->file == EU_ARF && !is_null(d)) || d->indirect;
    for (unsigned i = 0; i < c->n_src; i++) {
        const struct eu_operand *o = &c->in->src[i];
        arf |= (o->file == EU_ARF && !is_null(o)) || o->indirect;
    }
    return arf || c->in->acc_wr || c->in->op == EU_OP_mac;
}

/* ---- accumulator ---- */

bool rule_arf_src1(const struct check *c)
{
    const struct eu_operand *o = &c->in->src[1];
    return computes(c) && c->n_src >= 2 && o->file == EU_ARF && !is_null(o);
}

static bool acc_int(const struct eu_operand *o)
{
    return is_acc(o) && !is_float(o->type);
}

static bool acc_int_at_offset(const struct check *c, const struct eu_operand *o)
{
    return acc_int(o) && o->sub != 0;
}

bool rule_acc_int_sub(const struct check *c)
{
    return c->alu && (acc_int_at_offset(c, &c->in->dst) || any_src(c, acc_int_at_offset));
}

static bool is_acc1_int(const struct check *c, const struct eu_operand *o)
{
    return acc_int(o) && o->reg != EU_ARF_ACC0;
}

bool rule_acc1_int(const struct check *c)
{
    return c->alu && (is_acc1_int(c, &c->in->dst) || any_src(c, is_acc1_int));
}

static bool implicit_int_acc(const struct check *c)
{
    unsigned op = c->in->op;
    return computes(c) && !is_float(c->exec) &&
           (c->in->acc_wr || op == EU_OP_mac || op == EU_OP_mach || op == EU_OP_addc ||
            op == EU_OP_subb || op == EU_OP_sada2);
}

static bool is_acc_int(const struct check *c, const struct eu_operand *o)
{
    return acc_int(o);
}

bool rule_acc_int_simd(const struct check *c)
{
    if (!implicit_int_acc(c) && !(c->alu && (acc_int(&c->in->dst) || any_src(c, is_acc_int))))
        return false;
    unsigned size = eu_type_size(c->exec), dst = eu_type_size(c->in->dst.type);
    return c->in->exec_size > (size > 2 || dst > 2 ? 8 : 16);
}

bool rule_acc_quarter(const struct check *c)
{
    return implicit_int_acc(c) && c->in->group / 8 % 2 == 1;
}

/* ---- three sources ---- */

bool rule_src3_simd7(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && c->in->exec_size > 8;
}

bool rule_src3_simd(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && c->in->exec_size > 16;
}

bool rule_src3_span(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && !c->step && !eu_is_macro(c->in) &&
           c->in->dst.sub + c->in->exec_size * eu_type_size(c->in->dst.type) > 2 * EU_GRF_SIZE;
}

bool rule_src3_df_rep(const struct check *c)
{
    for (unsigned i = 0; c->fmt == EU_FMT_ALU3 && i < 3; i++) {
        if (c->in->src[i].type == EU_DF && c->in->src[i].rep)
            return true;
    }
    return false;
}

bool rule_src3_packed_sub(const struct check *c)
{
    if (c->fmt != EU_FMT_ALU3 || eu_is_macro(c->in))
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const struct eu_operand *o = &c->in->src[i];
        if (!o->rep && o->sub % (o->type == EU_HF ? 8 : 16) != 0)
            return true;
    }
    return c->in->dst.sub % (c->in->dst.type == EU_HF ? 8 : 16) != 0;
}

bool rule_src3_half_sub(const struct check *c)
{
    if (c->fmt != EU_FMT_ALU3 || half_as_gen9(c))
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const struct eu_operand *o = &c->in->src[i];
        if (o->type == EU_HF && (o->rep ? o->sub & 2 : o->sub != 0))
            return true;
    }
    return false;
}

bool rule_bfi_simd8(const struct check *c)
{
    return (c->in->op == EU_OP_bfi1 || c->in->op == EU_OP_bfi2) && c->in->exec_size > 8;
}
