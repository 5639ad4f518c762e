/* Rules on where operands lie: regions of sources, destinations (eu_check.c has the others). */
#include "gen/eu_check.h"

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

bool rule_region_codes(const struct check *c)
{
    return any_region(c, bad_region_codes);
}

static bool wider_than_exec(const struct check *c, const struct eu_operand *o)
{
    return o->width > c->in->exec_size;
}

bool rule_width_of_exec(const struct check *c)
{
    return any_region(c, wider_than_exec);
}

static bool bad_one_row(const struct check *c, const struct eu_operand *o)
{
    return o->vs != EU_VS_VXH && c->in->exec_size == o->width && o->hs != 0 &&
           o->vs != o->width * o->hs;
}

bool rule_one_row(const struct check *c)
{
    return any_region(c, bad_one_row);
}

static bool bad_width_one(const struct check *c, const struct eu_operand *o)
{
    return o->width == 1 && o->hs != 0;
}

bool rule_width_one(const struct check *c)
{
    return any_region(c, bad_width_one);
}

static bool bad_scalar(const struct check *c, const struct eu_operand *o)
{
    return o->vs != EU_VS_VXH && c->in->exec_size == 1 && o->width == 1 && (o->vs || o->hs);
}

bool rule_scalar(const struct check *c)
{
    return any_region(c, bad_scalar);
}

static bool bad_zero_strides(const struct check *c, const struct eu_operand *o)
{
    return o->vs == 0 && o->hs == 0 && o->width != 1;
}

bool rule_zero_strides(const struct check *c)
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

bool rule_row_crosses(const struct check *c)
{
    return any_region(c, row_crosses);
}

static bool spans_three(const struct check *c, const struct eu_operand *o)
{
    return !o->indirect && src_span(c, o) > 2;
}

bool rule_source_span(const struct check *c)
{
    return any_region(c, spans_three);
}

bool rule_source_file(const struct check *c)
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

bool rule_sub_alignment(const struct check *c)
{
    return c->alu && (misaligned(c, &c->in->dst) || any_src(c, misaligned));
}

static bool past_end(const struct check *c, const struct eu_operand *o)
{
    return is_grf(o) && o->reg + src_span(c, o) > EU_N_GRF;
}

bool rule_register_end(const struct check *c)
{
    if (!c->alu)
        return false;
    return any_region(c, past_end) ||
           (is_grf(&c->in->dst) && c->in->dst.reg + dst_span(c) > EU_N_GRF);
}

bool rule_immediate_place(const struct check *c)
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

bool rule_indirect_count7(const struct check *c)
{
    return any_region(c, reads_past_a0_7);
}

static bool reads_past_a0_15(const struct check *c, const struct eu_operand *o)
{
    return indirect_end(c, o) > 16;
}

bool rule_indirect_count8(const struct check *c)
{
    return any_region(c, reads_past_a0_15);
}

static bool indirect_64(const struct check *c, const struct eu_operand *o)
{
    return o->indirect && is_64(o->type);
}

bool rule_indirect_64(const struct check *c)
{
    return c->alu && (any_region(c, indirect_64) || indirect_64(c, &c->in->dst));
}

/* ---- destination ---- */

bool rule_dst_stride(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    return c->alu && !eu_is_macro(c->in) && !(d->hs == 0 && is_null(d)) && d->hs != 1 &&
           d->hs != 2 && d->hs != 4;
}

bool rule_dst_span(const struct check *c)
{
    return c->alu && !c->in->dst.indirect && !is_null(&c->in->dst) && dst_span(c) > 2;
}

bool rule_dst_narrow(const struct check *c)
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

bool rule_dst_byte(const struct check *c)
{
    const struct eu_operand *d = &c->in->dst;
    return c->alu && is_byte(d->type) && d->hs < 2 && c->in->exec_size > 1 && !raw_move(c);
}

bool rule_dst_file(const struct check *c)
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
bool rule_dst_half(const struct check *c)
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

bool rule_dst_even(const struct check *c)
{
    return uneven_dst(c);
}

bool rule_math_dst_even(const struct check *c)
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

bool rule_two_registers(const struct check *c)
{
    return c->alu && is_grf(&c->in->dst) && dst_span(c) == 2 && any_region(c, not_two_registers);
}
