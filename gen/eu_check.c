/* The rules of eu_rule.def, one function each. A function answers "does this instruction break the
 * rule?"; it looks at nothing but the instruction and the device. */
#include "gen/eu.h"

#include "gen/device.h"
#include "gen/eu_table.h"
#include "gen/eu_text.h"

struct check {
    int gen;
    uint32_t quirks;
    const struct eu_insn *in;
    const struct eu_op_info *info;
    enum eu_fmt fmt;
    bool alu;          /* one or two sources, Align1: regions are checked */
    unsigned n_src;    /* sources that count */
    enum eu_type exec; /* execution type */
    unsigned step;     /* bytes of a region's unit if not the element's size (IVB DF), else 0 */
};

/* ---- helpers ---- */

static bool is_null(const struct eu_operand *o)
{
    return o->file == EU_ARF && o->reg == EU_ARF_NULL && !o->indirect;
}

static bool is_acc(const struct eu_operand *o)
{
    return o->file == EU_ARF && !o->indirect && (o->reg & 0xf0) == EU_ARF_ACC0;
}

static bool is_grf(const struct eu_operand *o)
{
    return o->file == EU_GRF && !o->indirect;
}

static bool is_scalar(const struct eu_operand *o)
{
    return o->vs == 0 && o->width <= 1 && o->hs == 0;
}

static bool is_float(unsigned t)
{
    return t == EU_F || t == EU_DF || t == EU_HF || t == EU_VF;
}

static bool is_64(unsigned t)
{
    return t == EU_DF || t == EU_Q || t == EU_UQ;
}

static bool is_byte(unsigned t)
{
    return t == EU_B || t == EU_UB;
}

static bool is_dword(unsigned t)
{
    return t == EU_D || t == EU_UD;
}

static bool is_word(unsigned t)
{
    return t == EU_W || t == EU_UW;
}

static bool is_vector(unsigned t)
{
    return t == EU_V || t == EU_UV || t == EU_VF;
}

static unsigned step_of(const struct check *c, const struct eu_operand *o)
{
    return c->step ? c->step : eu_type_size(o->type);
}

/* Channels that an operand has elements for: all, or every second one where regions count dwords.
 */
static unsigned elements(const struct check *c)
{
    unsigned n = c->in->exec_size;
    return c->step ? (n > 1 ? n / 2 : 1) : n;
}

/* Byte offset of a channel's element from the operand's register. */
static unsigned src_offset(const struct check *c, const struct eu_operand *o, unsigned channel)
{
    unsigned i = c->step ? 2 * channel : channel, w = o->width ? o->width : 1;
    return o->sub + (i / w * o->vs + i % w * o->hs) * step_of(c, o);
}

static unsigned dst_offset(const struct check *c, unsigned channel)
{
    const struct eu_operand *o = &c->in->dst;
    return o->sub + (c->step ? 2 * channel : channel) * o->hs * step_of(c, o);
}

/* Registers that the operand touches, counted from its own. */
static unsigned src_span(const struct check *c, const struct eu_operand *o)
{
    unsigned end = 0;
    for (unsigned i = 0; i < elements(c); i++) {
        unsigned e = src_offset(c, o, i) + eu_type_size(o->type);
        end = e > end ? e : end;
    }
    return (end + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
}

static unsigned dst_span(const struct check *c)
{
    unsigned end = dst_offset(c, elements(c) - 1) + eu_type_size(c->in->dst.type);
    return (end + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
}

static bool any_src(const struct check *c,
                    bool (*test)(const struct check *, const struct eu_operand *))
{
    for (unsigned i = 0; i < c->n_src; i++) {
        if (test(c, &c->in->src[i]))
            return true;
    }
    return false;
}

/* Sources whose region counts: registers of an Align1 ALU instruction. */
static bool any_region(const struct check *c,
                       bool (*test)(const struct check *, const struct eu_operand *))
{
    if (!c->alu)
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        const struct eu_operand *o = &c->in->src[i];
        if (o->file != EU_IMM && !is_null(o) && test(c, o))
            return true;
    }
    return false;
}

static bool dst_64(const struct check *c)
{
    return is_64(c->in->dst.type) && !is_null(&c->in->dst);
}

static bool has_64(const struct check *c)
{
    if (dst_64(c))
        return true;
    for (unsigned i = 0; i < c->n_src; i++) {
        if (is_64(c->in->src[i].type))
            return true;
    }
    return false;
}

/* Computes: everything but flow control, send, nop. */
static bool computes(const struct check *c)
{
    return c->fmt == EU_FMT_ALU || c->fmt == EU_FMT_ALU3 || c->fmt == EU_FMT_MATH;
}

static bool int_div(const struct check *c)
{
    return c->fmt == EU_FMT_MATH && c->in->fn >= EU_MATH_INT_DIV_BOTH &&
           c->in->fn <= EU_MATH_INT_DIV_REM;
}

static bool is_logic(const struct check *c)
{
    return c->in->op == EU_OP_and || c->in->op == EU_OP_or || c->in->op == EU_OP_xor ||
           c->in->op == EU_OP_not;
}

static bool raw_move(const struct check *c)
{
    const struct eu_operand *s = &c->in->src[0];
    bool same = s->type == c->in->dst.type || (is_byte(s->type) && is_byte(c->in->dst.type));
    return c->in->op == EU_OP_mov && same && !s->negate && !s->abs && !c->in->saturate;
}

/* Cherryview: HF as on Gen9. */
static bool half_as_gen9(const struct check *c)
{
    return c->gen >= 90 || (c->gen == 80 && c->quirks & GEN_QUIRK_64BIT_REGIONS);
}

/* ---- control fields ---- */

static bool rule_generation(const struct check *c)
{
    return c->gen < c->info->first_gen || c->gen > c->info->last_gen ||
           (c->fmt == EU_FMT_MATH && !eu_math_names[c->in->fn & 15]) ||
           (c->fmt == EU_FMT_MATH && c->in->fn >= EU_MATH_INVM && c->gen < 80);
}

static bool rule_exec_size(const struct check *c)
{
    unsigned n = c->in->exec_size;
    return n == 0 || n > 32 || n & (n - 1);
}

static bool rule_group(const struct check *c)
{
    unsigned n = c->in->exec_size < 4 ? 4 : c->in->exec_size;
    if (c->step || (c->fmt == EU_FMT_ALU3 && c->in->dst.type == EU_DF &&
                    c->quirks & GEN_QUIRK_DF_DWORD_REGIONS))
        n = 4; /* SIMD8 means four doubles */
    return c->in->group % n != 0 || c->in->group > 28;
}

static bool rule_predicate(const struct check *c)
{
    return c->in->pred != EU_PRED_NONE && !c->info->pred;
}

static bool rule_align16_predicate(const struct check *c)
{
    return c->in->align16 && c->in->pred > EU_PRED_ALL4H;
}

static bool rule_condition(const struct check *c)
{
    return c->in->cond != EU_COND_NONE && !c->info->cond;
}

static bool rule_saturate(const struct check *c)
{
    return c->in->saturate && !c->info->sat;
}

static bool has_modifier(const struct check *c, const struct eu_operand *o)
{
    return o->file != EU_IMM && (o->negate || o->abs);
}

static bool rule_modifier(const struct check *c)
{
    return !c->info->mods && any_src(c, has_modifier);
}

static bool immediate_with_modifier(const struct check *c, const struct eu_operand *o)
{
    return o->file == EU_IMM && (o->negate || o->abs);
}

static bool rule_immediate_modifier(const struct check *c)
{
    return computes(c) && any_src(c, immediate_with_modifier);
}

static bool with_abs(const struct check *c, const struct eu_operand *o)
{
    return o->abs;
}

static bool rule_logic_abs(const struct check *c)
{
    return is_logic(c) && any_src(c, with_abs);
}

static bool rule_int_math_modifier(const struct check *c)
{
    return int_div(c) && any_src(c, has_modifier);
}

static bool rule_cmp_condition(const struct check *c)
{
    return (c->in->op == EU_OP_cmp || c->in->op == EU_OP_cmpn || c->in->op == EU_OP_csel) &&
           c->in->cond == EU_COND_NONE;
}

static bool rule_sel_chooser(const struct check *c)
{
    return c->in->op == EU_OP_sel && (c->in->pred == EU_PRED_NONE) == (c->in->cond == EU_COND_NONE);
}

static bool rule_acc_write(const struct check *c)
{
    return (c->in->op == EU_OP_addc || c->in->op == EU_OP_subb) && !c->in->acc_wr;
}

static bool rule_simd32_condition7(const struct check *c)
{
    return computes(c) && c->in->exec_size == 32 && c->in->cond != EU_COND_NONE;
}

static bool rule_simd32_condition3(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && c->in->exec_size == 32 && c->in->cond != EU_COND_NONE;
}

/* ---- source regions ---- */

static bool is_power(unsigned v, unsigned max)
{
    return v <= max && (v & (v - 1)) == 0;
}

static bool bad_region_codes(const struct check *c, const struct eu_operand *o)
{
    return (o->vs == EU_VS_VXH ? !o->indirect : !is_power(o->vs, 32)) || !is_power(o->hs, 4) ||
           o->width == 0 || !is_power(o->width, 16);
}

static bool rule_region_codes(const struct check *c)
{
    return any_region(c, bad_region_codes);
}

static bool wider_than_exec(const struct check *c, const struct eu_operand *o)
{
    return o->width > c->in->exec_size;
}

static bool rule_width_of_exec(const struct check *c)
{
    return any_region(c, wider_than_exec);
}

static bool bad_one_row(const struct check *c, const struct eu_operand *o)
{
    return o->vs != EU_VS_VXH && c->in->exec_size == o->width && o->hs != 0 &&
           o->vs != o->width * o->hs;
}

static bool rule_one_row(const struct check *c)
{
    return any_region(c, bad_one_row);
}

static bool bad_width_one(const struct check *c, const struct eu_operand *o)
{
    return o->width == 1 && o->hs != 0;
}

static bool rule_width_one(const struct check *c)
{
    return any_region(c, bad_width_one);
}

static bool bad_scalar(const struct check *c, const struct eu_operand *o)
{
    return o->vs != EU_VS_VXH && c->in->exec_size == 1 && o->width == 1 && (o->vs || o->hs);
}

static bool rule_scalar(const struct check *c)
{
    return any_region(c, bad_scalar);
}

static bool bad_zero_strides(const struct check *c, const struct eu_operand *o)
{
    return o->vs == 0 && o->hs == 0 && o->width != 1;
}

static bool rule_zero_strides(const struct check *c)
{
    return any_region(c, bad_zero_strides);
}

static bool row_crosses(const struct check *c, const struct eu_operand *o)
{
    if (o->indirect)
        return false;
    unsigned step = step_of(c, o), size = eu_type_size(o->type);
    unsigned last =
        c->step ? (o->width - 1u) & ~1u : o->width - 1u; /* last column with an element */
    for (unsigned i = 0; i < c->in->exec_size; i += o->width) {
        unsigned start = o->sub + i / o->width * o->vs * step;
        if (start % EU_GRF_SIZE + last * o->hs * step + size > EU_GRF_SIZE)
            return true;
    }
    return false;
}

static bool rule_row_crosses(const struct check *c)
{
    return any_region(c, row_crosses);
}

static bool spans_three(const struct check *c, const struct eu_operand *o)
{
    return !o->indirect && src_span(c, o) > 2;
}

static bool rule_source_span(const struct check *c)
{
    return any_region(c, spans_three);
}

static bool rule_source_file(const struct check *c)
{
    if (!computes(c))
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        const struct eu_operand *o = &c->in->src[i];
        if (is_null(o) || o->file == 2 || o->file > EU_IMM)
            return true;
    }
    return false;
}

static bool misaligned(const struct check *c, const struct eu_operand *o)
{
    return o->file != EU_IMM && !o->indirect && o->sub % eu_type_size(o->type) != 0;
}

static bool rule_sub_alignment(const struct check *c)
{
    return c->alu && (misaligned(c, &c->in->dst) || any_src(c, misaligned));
}

static bool past_end(const struct check *c, const struct eu_operand *o)
{
    return is_grf(o) && o->reg + src_span(c, o) > EU_N_GRF;
}

static bool rule_register_end(const struct check *c)
{
    if (!c->alu)
        return false;
    return any_region(c, past_end) ||
           (is_grf(&c->in->dst) && c->in->dst.reg + dst_span(c) > EU_N_GRF);
}

static bool rule_immediate_place(const struct check *c)
{
    if (!computes(c))
        return false;
    const struct eu_operand *s = c->in->src;
    if (c->fmt == EU_FMT_ALU3)
        return s[0].file == EU_IMM || s[1].file == EU_IMM || s[2].file == EU_IMM;
    return c->n_src == 2 && s[0].file == EU_IMM;
}

static unsigned indirect_end(const struct check *c, const struct eu_operand *o)
{
    unsigned n = o->vs == EU_VS_VXH && o->width ? c->in->exec_size / o->width : 1;
    return o->indirect ? o->a0_sub + (n ? n : 1) : 0;
}

static bool reads_past_a0_7(const struct check *c, const struct eu_operand *o)
{
    return indirect_end(c, o) > 8;
}

static bool rule_indirect_count7(const struct check *c)
{
    return any_region(c, reads_past_a0_7);
}

static bool reads_past_a0_15(const struct check *c, const struct eu_operand *o)
{
    return indirect_end(c, o) > 16;
}

static bool rule_indirect_count8(const struct check *c)
{
    return any_region(c, reads_past_a0_15);
}

static bool indirect_64(const struct check *c, const struct eu_operand *o)
{
    return o->indirect && is_64(o->type);
}

static bool rule_indirect_64(const struct check *c)
{
    return c->alu && (any_region(c, indirect_64) || indirect_64(c, &c->in->dst));
}

/* ---- destination ---- */

static bool rule_dst_stride(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    return c->alu && !eu_is_macro(c->in) && !(d->hs == 0 && is_null(d)) && d->hs != 1 &&
           d->hs != 2 && d->hs != 4;
}

static bool rule_dst_span(const struct check *c)
{
    return c->alu && !c->in->dst.indirect && !is_null(&c->in->dst) && dst_span(c) > 2;
}

static bool rule_dst_narrow(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    unsigned size = eu_type_size(d->type), exec = eu_type_size(c->exec);
    if (!c->alu || is_null(d) || size >= exec || c->in->exec_size == 1)
        return false;
    if (is_byte(d->type)) /* any byte of the slot, stride 2 or 4: rule dst_byte */
        return false;
    if (size == 2 && half_as_gen9(c)) {
        /* Either word of a dword slot; HF may also be packed. */
        if (d->type == EU_HF && d->hs == 1 && c->exec == EU_F)
            return !d->indirect && d->sub % 16 != 0;
        return d->hs * size != exec;
    }
    if (c->in->op == EU_OP_f32to16)
        return d->hs != 2;
    return d->hs * step_of(c, d) * (c->step ? 2 : 1) != exec ||
           (!d->indirect && d->sub % exec != 0);
}

static bool rule_dst_byte(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    return c->alu && is_byte(d->type) && d->hs < 2 && c->in->exec_size > 1 && !raw_move(c);
}

static bool rule_dst_file(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    if (!computes(c))
        return false;
    if (d->file > EU_GRF)
        return true;
    if (d->file != EU_ARF || d->indirect)
        return false;
    /* Haswell takes the shared local memory index in sr0.1. */
    return d->reg == EU_ARF_CE0 || ((d->reg & 0xf0) == EU_ARF_SR0 && c->gen != 75);
}

/* All elements below byte 16 of the register, all above, or half and half. */
static bool rule_dst_half(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    if (!c->alu || !is_grf(d) || dst_span(c) != 1)
        return false;
    bool two = false;
    for (unsigned i = 0; i < c->n_src; i++)
        two |= is_grf(&c->in->src[i]) && src_span(c, &c->in->src[i]) == 2;
    unsigned low = 0, n = elements(c);
    for (unsigned i = 0; i < n; i++)
        low += dst_offset(c, i) < EU_GRF_SIZE / 2;
    return two && low != 0 && low != n && low * 2 != n;
}

static bool uneven_dst(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    if (!c->alu || !is_grf(d) || dst_span(c) != 2)
        return false;
    unsigned low = 0, n = elements(c);
    for (unsigned i = 0; i < n; i++)
        low += dst_offset(c, i) < EU_GRF_SIZE;
    return low * 2 != n;
}

static bool rule_dst_even(const struct check *c)
{
    return uneven_dst(c);
}

static bool rule_math_dst_even(const struct check *c)
{
    return c->fmt == EU_FMT_MATH && uneven_dst(c);
}

/* Each register of the destination is fed from one register of the source. */
static bool not_two_registers(const struct check *c, const struct eu_operand *o)
{
    if (!is_grf(o) || is_scalar(o) || (c->step && o->vs == 0))
        return false;
    bool packed_words = is_word(o->type) && o->hs == 1 && o->vs == o->width &&
                        eu_type_size(c->in->dst.type) * c->in->dst.hs == 4;
    if (src_span(c, o) == 1)
        return !packed_words;
    unsigned n = elements(c);
    for (unsigned i = 0; i < n; i++) {
        if (src_offset(c, o, i) / EU_GRF_SIZE != (i >= n / 2))
            return true;
    }
    return false;
}

static bool rule_two_registers(const struct check *c)
{
    return c->alu && is_grf(&c->in->dst) && dst_span(c) == 2 && any_region(c, not_two_registers);
}

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

static bool rule_types(const struct check *c)
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

static bool rule_type_generation(const struct check *c)
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

static bool rule_mixed_int_float(const struct check *c)
{
    return computes(c) && c->n_src >= 2 && c->in->op != EU_OP_smov &&
           is_float(c->in->src[0].type) != is_float(c->in->src[1].type);
}

static bool rule_byte_64(const struct check *c)
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

static bool rule_half_64(const struct check *c)
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

static bool rule_half_int(const struct check *c)
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

static bool rule_mixed_half_simd8(const struct check *c)
{
    return c->alu && mixed_half(c) && c->in->dst.type == EU_F && c->in->exec_size > 8;
}

static bool rule_mixed_half_sel(const struct check *c)
{
    return c->in->op == EU_OP_sel && mixed_half(c) && c->in->dst.type == EU_HF &&
           c->in->dst.hs == 1 && c->in->exec_size > 1;
}

static bool rule_vector_immediate(const struct check *c)
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

static bool rule_flag_type(const struct check *c)
{
    return c->alu && (bad_flag_type(c, &c->in->dst) || any_src(c, bad_flag_type));
}

static bool rule_df_simd(const struct check *c)
{
    bool df = c->in->dst.type == EU_DF && !is_null(&c->in->dst);
    for (unsigned i = 0; i < c->n_src; i++)
        df |= c->in->src[i].type == EU_DF;
    return computes(c) && df && c->in->exec_size > 8;
}

static bool rule_df_no_dd(const struct check *c)
{
    return computes(c) && has_64(c) && (c->in->no_dd_clr || c->in->no_dd_chk);
}

static bool rule_df_no_dd_lp(const struct check *c)
{
    return rule_df_no_dd(c);
}

static bool rule_align16_64(const struct check *c)
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
    bool dxd =
        c->in->op == EU_OP_mul && is_dword(c->in->src[0].type) && is_dword(c->in->src[1].type);
    return c->alu && (has_64(c) || dxd);
}

static bool counts_64(const struct eu_operand *o)
{
    return o->file != EU_IMM && !is_scalar(o) && !o->indirect && !is_null(o);
}

static bool rule_regions_64_stride(const struct check *c)
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

static bool rule_regions_64_rows(const struct check *c)
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

static bool rule_regions_64_sub(const struct check *c)
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

static bool rule_regions_64_arf(const struct check *c)
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

static bool rule_arf_src1(const struct check *c)
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

static bool rule_acc_int_sub(const struct check *c)
{
    return c->alu && (acc_int_at_offset(c, &c->in->dst) || any_src(c, acc_int_at_offset));
}

static bool is_acc1_int(const struct check *c, const struct eu_operand *o)
{
    return acc_int(o) && o->reg != EU_ARF_ACC0;
}

static bool rule_acc1_int(const struct check *c)
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

static bool rule_acc_int_simd(const struct check *c)
{
    if (!implicit_int_acc(c) && !(c->alu && (acc_int(&c->in->dst) || any_src(c, is_acc_int))))
        return false;
    unsigned size = eu_type_size(c->exec), dst = eu_type_size(c->in->dst.type);
    return c->in->exec_size > (size > 2 || dst > 2 ? 8 : 16);
}

static bool rule_acc_quarter(const struct check *c)
{
    return implicit_int_acc(c) && c->in->group / 8 % 2 == 1;
}

/* ---- three sources ---- */

static bool rule_src3_simd7(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && c->in->exec_size > 8;
}

static bool rule_src3_simd(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && c->in->exec_size > 16;
}

static bool rule_src3_span(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && !c->step && !eu_is_macro(c->in) &&
           c->in->dst.sub + c->in->exec_size * eu_type_size(c->in->dst.type) > 2 * EU_GRF_SIZE;
}

static bool rule_src3_df_rep(const struct check *c)
{
    for (unsigned i = 0; c->fmt == EU_FMT_ALU3 && i < 3; i++) {
        if (c->in->src[i].type == EU_DF && c->in->src[i].rep)
            return true;
    }
    return false;
}

static bool rule_src3_packed_sub(const struct check *c)
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

static bool rule_src3_half_sub(const struct check *c)
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

static bool rule_bfi_simd8(const struct check *c)
{
    return (c->in->op == EU_OP_bfi1 || c->in->op == EU_OP_bfi2) && c->in->exec_size > 8;
}

/* ---- math ---- */

static bool rule_math_simd(const struct check *c)
{
    if (c->fmt != EU_FMT_MATH)
        return false;
    bool half = c->in->dst.type == EU_HF;
    for (unsigned i = 0; i < c->n_src; i++)
        half |= c->in->src[i].type == EU_HF;
    return c->in->exec_size > (int_div(c) || half ? 8 : 16);
}

static bool rule_math_immediate(const struct check *c)
{
    return c->fmt == EU_FMT_MATH &&
           (c->in->src[0].file == EU_IMM || (c->n_src == 2 && c->in->src[1].file == EU_IMM));
}

static bool rule_math_source(const struct check *c)
{
    if (c->fmt != EU_FMT_MATH)
        return false;
    for (unsigned i = 0; i < c->n_src; i++) {
        if (!is_grf(&c->in->src[i]) && c->in->src[i].file != EU_IMM)
            return true;
    }
    return !is_grf(&c->in->dst) && !is_null(&c->in->dst);
}

static bool not_packed(const struct check *c, const struct eu_operand *o)
{
    unsigned n = c->in->exec_size;
    for (unsigned i = 1; !is_scalar(o) && i < n; i++) {
        if (src_offset(c, o, i) != o->sub + i * eu_type_size(o->type))
            return true;
    }
    return o->indirect;
}

static bool rule_math_region(const struct check *c)
{
    return c->fmt == EU_FMT_MATH && (c->in->dst.hs > 1 || any_region(c, not_packed));
}

/* ---- control, errata ---- */

static bool is_cr0(const struct check *c, const struct eu_operand *o)
{
    return o->file == EU_ARF && !o->indirect && (o->reg & 0xf0) == EU_ARF_CR0;
}

static bool rule_cr0_switch(const struct check *c)
{
    return computes(c) && c->in->thread_ctrl != EU_THREAD_SWITCH &&
           (is_cr0(c, &c->in->dst) || any_src(c, is_cr0));
}

static bool rule_cmp_null_switch(const struct check *c)
{
    return c->in->op == EU_OP_cmp && is_null(&c->in->dst) && c->in->thread_ctrl != EU_THREAD_SWITCH;
}

static bool rule_cmp_simd16(const struct check *c)
{
    return c->in->op == EU_OP_cmp && c->in->exec_size == 16 && !is_null(&c->in->dst);
}

static bool rule_wait_operand(const struct check *c)
{
    const struct eu_operand *o = &c->in->src[0];
    return c->fmt == EU_FMT_WAIT &&
           (o->file != EU_ARF || (o->reg & 0xf0) != EU_ARF_N0 || c->in->exec_size != 1);
}

/* ---- send ---- */

static unsigned send_mlen(const struct check *c)
{
    return c->in->desc_reg ? 1 : c->in->desc >> 25 & 15;
}

static unsigned send_rlen(const struct check *c)
{
    return c->in->desc_reg ? 0 : c->in->desc >> 20 & 31;
}

static unsigned send_ex_mlen(const struct check *c)
{
    return c->fmt == EU_FMT_SENDS && c->in->src[1].file == EU_GRF && !c->in->exdesc_reg
               ? c->in->exdesc >> 6 & 15
               : 0;
}

static bool rule_send_payload(const struct check *c)
{
    return c->info->is_send &&
           (!is_grf(&c->in->src[0]) || c->in->src[0].sub || c->in->dst.sub || c->in->dst.indirect);
}

static bool rule_send_length(const struct check *c)
{
    return c->info->is_send && send_mlen(c) == 0;
}

static bool rule_send_range(const struct check *c)
{
    const struct eu_operand *s = c->in->src;
    return c->info->is_send &&
           (s[0].reg + send_mlen(c) > EU_N_GRF || s[1].reg + send_ex_mlen(c) > EU_N_GRF ||
            (is_grf(&c->in->dst) && c->in->dst.reg + send_rlen(c) > EU_N_GRF));
}

static bool rule_send_response(const struct check *c)
{
    return c->info->is_send && send_rlen(c) > 0 && c->in->dst.file != EU_GRF;
}

static bool overlap(unsigned a, unsigned n_a, unsigned b, unsigned n_b)
{
    return a < b + n_b && b < a + n_a;
}

static bool rule_send_overlap(const struct check *c)
{
    const struct eu_operand *s = c->in->src;
    return send_ex_mlen(c) > 0 && overlap(s[0].reg, send_mlen(c), s[1].reg, send_ex_mlen(c));
}

static bool rule_send_eot(const struct check *c)
{
    const struct eu_operand *s = c->in->src;
    return c->info->is_send && c->in->eot &&
           (s[0].reg < 112 || (send_ex_mlen(c) > 0 && s[1].reg < 112) || send_rlen(c) > 0);
}

static bool rule_send_r127(const struct check *c)
{
    unsigned to = c->in->dst.reg, n = send_rlen(c);
    return c->info->is_send && n > 0 && to + n == EU_N_GRF &&
           (overlap(to, n, c->in->src[0].reg, send_mlen(c)) ||
            overlap(to, n, c->in->src[1].reg, send_ex_mlen(c)));
}

/* ---- all of them ---- */

struct rule {
    uint8_t first_gen, last_gen;
    uint32_t quirks;
    bool (*breaks)(const struct check *c);
    const char *text;
};

static const struct rule rules[] = {
#define EU_RULE(name, first, last, quirk_bits, says) {first, last, quirk_bits, rule_##name, says},
#include "eu_rule.def"
#undef EU_RULE
};

/* Regions in dwords: a DF operand on Ivy Bridge and Bay Trail. */
static unsigned region_step(uint32_t quirks, const struct eu_insn *in, unsigned n_src)
{
    bool df = in->dst.type == EU_DF;
    for (unsigned i = 0; i < n_src; i++)
        df |= in->src[i].type == EU_DF;
    return df && quirks & GEN_QUIRK_DF_DWORD_REGIONS ? 4 : 0;
}

const char *eu_check(int gen, uint32_t quirks, const struct eu_insn *in)
{
    if (in->op >= EU_N_OPS)
        return "no opcode";
    for (int i = -1; i < 3; i++) {
        if ((i < 0 ? &in->dst : &in->src[i])->type >= EU_N_TYPES)
            return "no type";
    }
    struct check c = {
        .gen = gen, .quirks = quirks, .in = in, .info = eu_op_info(in->op), .fmt = eu_fmt(in->op)};
    c.n_src = c.info->n_src;
    if (c.fmt == EU_FMT_MATH && !eu_math_is_binary(in->fn))
        c.n_src = 1;
    c.alu = (c.fmt == EU_FMT_ALU || c.fmt == EU_FMT_MATH) && !in->align16;
    c.exec = eu_exec_type(in);
    if (c.alu)
        c.step = region_step(quirks, in, c.n_src);
    for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const struct rule *r = &rules[i];
        if (gen >= r->first_gen && gen <= r->last_gen && (!r->quirks || r->quirks & quirks) &&
            r->breaks(&c))
            return r->text;
    }
    return NULL;
}
