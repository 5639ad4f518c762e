/* What the files eu_check*.c share: the instruction under test with what follows from it, and the
 * questions that many rules ask. Internal to gen. */
#ifndef GEN_EU_CHECK_H
#define GEN_EU_CHECK_H

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

/* One function a row of eu_rule.def: does the instruction break it? */
#define EU_RULE(name, first, last, quirks, text) bool rule_##name(const struct check *c);
#include "eu_rule.def"
#undef EU_RULE

static inline bool is_null(const struct eu_operand *o)
{
    return o->file == EU_ARF && o->reg == EU_ARF_NULL && !o->indirect;
}

static inline bool is_acc(const struct eu_operand *o)
{
    return o->file == EU_ARF && !o->indirect && (o->reg & 0xf0) == EU_ARF_ACC0;
}

static inline bool is_grf(const struct eu_operand *o)
{
    return o->file == EU_GRF && !o->indirect;
}

static inline bool is_scalar(const struct eu_operand *o)
{
    return o->vs == 0 && o->width <= 1 && o->hs == 0;
}

static inline bool is_float(unsigned t)
{
    return t == EU_F || t == EU_DF || t == EU_HF || t == EU_VF;
}

static inline bool is_64(unsigned t)
{
    return t == EU_DF || t == EU_Q || t == EU_UQ;
}

static inline bool is_byte(unsigned t)
{
    return t == EU_B || t == EU_UB;
}

static inline bool is_dword(unsigned t)
{
    return t == EU_D || t == EU_UD;
}

static inline bool is_word(unsigned t)
{
    return t == EU_W || t == EU_UW;
}

static inline bool is_vector(unsigned t)
{
    return t == EU_V || t == EU_UV || t == EU_VF;
}

static inline unsigned step_of(const struct check *c, const struct eu_operand *o)
{
    return c->step ? c->step : eu_type_size(o->type);
}

/* Channels that an operand has elements for: all, or every second one where regions count dwords.
 */
static inline unsigned elements(const struct check *c)
{
    unsigned n = c->in->exec_size;
    return c->step ? (n > 1 ? n / 2 : 1) : n;
}

/* Byte offset of a channel's element from the operand's register. */
static inline unsigned src_offset(const struct check *c, const struct eu_operand *o,
                                  unsigned channel)
{
    unsigned i = c->step ? 2 * channel : channel, w = o->width ? o->width : 1;
    return o->sub + (i / w * o->vs + i % w * o->hs) * step_of(c, o);
}

static inline unsigned dst_offset(const struct check *c, unsigned channel)
{
    const struct eu_operand *o = &c->in->dst;
    return o->sub + (c->step ? 2 * channel : channel) * o->hs * step_of(c, o);
}

/* Registers that the operand touches, counted from its own. */
static inline unsigned src_span(const struct check *c, const struct eu_operand *o)
{
    unsigned end = 0;
    for (unsigned i = 0; i < elements(c); i++) {
        unsigned e = src_offset(c, o, i) + eu_type_size(o->type);
        end = e > end ? e : end;
    }
    return (end + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
}

static inline unsigned dst_span(const struct check *c)
{
    unsigned end = dst_offset(c, elements(c) - 1) + eu_type_size(c->in->dst.type);
    return (end + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
}

static inline bool any_src(const struct check *c,
                           bool (*test)(const struct check *, const struct eu_operand *))
{
    for (unsigned i = 0; i < c->n_src; i++) {
        if (test(c, &c->in->src[i]))
            return true;
    }
    return false;
}

/* Sources whose region counts: registers of an Align1 ALU instruction. */
static inline bool any_region(const struct check *c,
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

static inline bool dst_64(const struct check *c)
{
    return is_64(c->in->dst.type) && !is_null(&c->in->dst);
}

static inline bool has_64(const struct check *c)
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
static inline bool computes(const struct check *c)
{
    return c->fmt == EU_FMT_ALU || c->fmt == EU_FMT_ALU3 || c->fmt == EU_FMT_MATH;
}

static inline bool int_div(const struct check *c)
{
    return c->fmt == EU_FMT_MATH && c->in->fn >= EU_MATH_INT_DIV_BOTH &&
           c->in->fn <= EU_MATH_INT_DIV_REM;
}

static inline bool is_logic(const struct check *c)
{
    return c->in->op == EU_OP_and || c->in->op == EU_OP_or || c->in->op == EU_OP_xor ||
           c->in->op == EU_OP_not;
}

static inline bool raw_move(const struct check *c)
{
    const struct eu_operand *s = &c->in->src[0];
    bool same = s->type == c->in->dst.type || (is_byte(s->type) && is_byte(c->in->dst.type));
    return c->in->op == EU_OP_mov && same && !s->negate && !s->abs && !c->in->saturate;
}

/* Cherryview: HF as on Gen9. */
static inline bool half_as_gen9(const struct check *c)
{
    return c->gen >= 90 || (c->gen == 80 && c->quirks & GEN_QUIRK_64BIT_REGIONS);
}

#endif
