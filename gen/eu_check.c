/* The rules of eu_rule.def, one function each, which looks at nothing but the instruction and the
 * device: control fields, math, sends; and eu_check(), which asks all. Regions and destinations
 * stand in eu_check_region.c, types, accumulators and three sources in eu_check_type.c. */
#include "gen/eu.h"

#include "gen/eu_check.h"

/* ---- control fields ---- */

bool rule_generation(const struct check *c)
{
    return c->gen < c->info->first_gen || c->gen > c->info->last_gen ||
           (c->fmt == EU_FMT_MATH && !eu_math_names[c->in->fn & 15]) ||
           (c->fmt == EU_FMT_MATH && c->in->fn >= EU_MATH_INVM && c->gen < 80);
}

bool rule_exec_size(const struct check *c)
{
    unsigned n = c->in->exec_size;
    return n == 0 || n > 32 || n & (n - 1);
}

bool rule_group(const struct check *c)
{
    unsigned n = c->in->exec_size < 4 ? 4 : c->in->exec_size;
    if (c->step || (c->fmt == EU_FMT_ALU3 && c->in->dst.type == EU_DF &&
                    c->quirks & GEN_QUIRK_DF_DWORD_REGIONS))
        n = 4; /* SIMD8 means four doubles */
    return c->in->group % n != 0 || c->in->group > 28;
}

bool rule_predicate(const struct check *c)
{
    return c->in->pred != EU_PRED_NONE && !c->info->pred;
}

bool rule_align16_predicate(const struct check *c)
{
    return c->in->align16 && c->in->pred > EU_PRED_ALL4H;
}

bool rule_condition(const struct check *c)
{
    return c->in->cond != EU_COND_NONE && !c->info->cond;
}

bool rule_saturate(const struct check *c)
{
    return c->in->saturate && !c->info->sat;
}

static bool has_modifier(const struct check *c, const struct eu_operand *o)
{
    return o->file != EU_IMM && (o->negate || o->abs);
}

bool rule_modifier(const struct check *c)
{
    return !c->info->mods && any_src(c, has_modifier);
}

static bool immediate_with_modifier(const struct check *c, const struct eu_operand *o)
{
    return o->file == EU_IMM && (o->negate || o->abs);
}

bool rule_immediate_modifier(const struct check *c)
{
    return computes(c) && any_src(c, immediate_with_modifier);
}

static bool with_abs(const struct check *c, const struct eu_operand *o)
{
    return o->abs;
}

bool rule_logic_abs(const struct check *c)
{
    return is_logic(c) && any_src(c, with_abs);
}

bool rule_int_math_modifier(const struct check *c)
{
    return int_div(c) && any_src(c, has_modifier);
}

bool rule_cmp_condition(const struct check *c)
{
    return (c->in->op == EU_OP_cmp || c->in->op == EU_OP_cmpn || c->in->op == EU_OP_csel) &&
           c->in->cond == EU_COND_NONE;
}

bool rule_sel_chooser(const struct check *c)
{
    return c->in->op == EU_OP_sel && (c->in->pred == EU_PRED_NONE) == (c->in->cond == EU_COND_NONE);
}

bool rule_acc_write(const struct check *c)
{
    return (c->in->op == EU_OP_addc || c->in->op == EU_OP_subb) && !c->in->acc_wr;
}

bool rule_depend_place(const struct check *c)
{
    const struct eu_operand *dst = &c->in->dst;
    bool arithmetic = c->fmt == EU_FMT_ALU || c->fmt == EU_FMT_ALU3;
    bool is_address = dst->file == EU_ARF && dst->reg == EU_ARF_A0 && !dst->indirect;
    return (c->in->no_dd_clr || c->in->no_dd_chk) && !(arithmetic && (is_grf(dst) || is_address));
}

/* The mark of the registers goes only with an instruction that executes. */
bool rule_depend_last(const struct check *c)
{
    return c->in->no_dd_chk && !c->in->no_dd_clr && c->in->pred != EU_PRED_NONE;
}

bool rule_simd32_condition7(const struct check *c)
{
    return computes(c) && c->in->exec_size == 32 && c->in->cond != EU_COND_NONE;
}

bool rule_simd32_condition3(const struct check *c)
{
    return c->fmt == EU_FMT_ALU3 && c->in->exec_size == 32 && c->in->cond != EU_COND_NONE;
}

/* ---- math ---- */

bool rule_math_simd(const struct check *c)
{
    if (c->fmt != EU_FMT_MATH)
        return false;
    bool half = c->in->dst.type == EU_HF;
    for (unsigned i = 0; i < c->n_src; i++)
        half |= c->in->src[i].type == EU_HF;
    return c->in->exec_size > (int_div(c) || half ? 8 : 16);
}

bool rule_math_immediate(const struct check *c)
{
    return c->fmt == EU_FMT_MATH &&
           (c->in->src[0].file == EU_IMM || (c->n_src == 2 && c->in->src[1].file == EU_IMM));
}

bool rule_math_source(const struct check *c)
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

bool rule_math_region(const struct check *c)
{
    return c->fmt == EU_FMT_MATH && (c->in->dst.hs > 1 || any_region(c, not_packed));
}

/* ---- control, errata ---- */

static bool is_cr0(const struct check *c, const struct eu_operand *o)
{
    return o->file == EU_ARF && !o->indirect && (o->reg & 0xf0) == EU_ARF_CR0;
}

bool rule_cr0_switch(const struct check *c)
{
    return computes(c) && c->in->thread_ctrl != EU_THREAD_SWITCH &&
           (is_cr0(c, &c->in->dst) || any_src(c, is_cr0));
}

bool rule_cmp_null_switch(const struct check *c)
{
    return c->in->op == EU_OP_cmp && is_null(&c->in->dst) && c->in->thread_ctrl != EU_THREAD_SWITCH;
}

bool rule_cmp_simd16(const struct check *c)
{
    return c->in->op == EU_OP_cmp && c->in->exec_size == 16 && !is_null(&c->in->dst);
}

bool rule_wait_operand(const struct check *c)
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

bool rule_send_payload(const struct check *c)
{
    return c->info->is_send &&
           (!is_grf(&c->in->src[0]) || c->in->src[0].sub || c->in->dst.sub || c->in->dst.indirect);
}

bool rule_send_length(const struct check *c)
{
    return c->info->is_send && send_mlen(c) == 0;
}

bool rule_send_range(const struct check *c)
{
    const struct eu_operand *s = c->in->src;
    return c->info->is_send &&
           (s[0].reg + send_mlen(c) > EU_N_GRF || s[1].reg + send_ex_mlen(c) > EU_N_GRF ||
            (is_grf(&c->in->dst) && c->in->dst.reg + send_rlen(c) > EU_N_GRF));
}

bool rule_send_response(const struct check *c)
{
    return c->info->is_send && send_rlen(c) > 0 && c->in->dst.file != EU_GRF;
}

static bool overlap(unsigned a, unsigned n_a, unsigned b, unsigned n_b)
{
    return a < b + n_b && b < a + n_a;
}

bool rule_send_overlap(const struct check *c)
{
    const struct eu_operand *s = c->in->src;
    return send_ex_mlen(c) > 0 && overlap(s[0].reg, send_mlen(c), s[1].reg, send_ex_mlen(c));
}

bool rule_send_eot(const struct check *c)
{
    const struct eu_operand *s = c->in->src;
    return c->info->is_send && c->in->eot &&
           (s[0].reg < 112 || (send_ex_mlen(c) > 0 && s[1].reg < 112) || send_rlen(c) > 0);
}

bool rule_send_r127(const struct check *c)
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
