/* struct eu_insn -> text, in the syntax of Intel's assembler (iga64). What that has no words for
 * (Align16 regions and swizzles, misaligned subregisters) is written in ours, so that eu_parse()
 * gives the same instruction back. Numbers don't depend on the locale. */
#include "gen/eu.h"

#include "gen/eu_table.h"
#include "gen/eu_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const eu_cond_names[16] = {
    [EU_COND_Z] = "eq", [EU_COND_NZ] = "ne", [EU_COND_G] = "gt", [EU_COND_GE] = "ge",
    [EU_COND_L] = "lt", [EU_COND_LE] = "le", [EU_COND_O] = "ov", [EU_COND_U] = "un",
};

const char *const eu_math_names[16] = {
    [EU_MATH_INV] = "inv",           [EU_MATH_LOG] = "log",
    [EU_MATH_EXP] = "exp",           [EU_MATH_SQT] = "sqt",
    [EU_MATH_RSQT] = "rsqt",         [EU_MATH_SIN] = "sin",
    [EU_MATH_COS] = "cos",           [EU_MATH_FDIV] = "fdiv",
    [EU_MATH_POW] = "pow",           [EU_MATH_INT_DIV_BOTH] = "idiv",
    [EU_MATH_INT_DIV_QUOT] = "iqot", [EU_MATH_INT_DIV_REM] = "irem",
    [EU_MATH_INVM] = "invm",         [EU_MATH_RSQTM] = "rsqtm",
};

const char *const eu_pred_names[2][16] = {
    {NULL, "", "anyv", "allv", "any2h", "all2h", "any4h", "all4h", "any8h", "all8h", "any16h",
     "all16h", "any32h", "all32h"},
    {NULL, "", "x", "y", "z", "w", "any4h", "all4h", "any8h", "all8h", "any16h", "all16h", "any32h",
     "all32h"},
};

const struct eu_arf_name eu_arf_names[EU_N_ARF_NAMES] = {
    {EU_ARF_NULL, 1, false, "null"}, {EU_ARF_A0, 1, true, "a"},   {EU_ARF_ACC0, 16, true, "acc"},
    {EU_ARF_F0, 2, true, "f"},       {EU_ARF_CE0, 1, true, "ce"}, {EU_ARF_MSG0, 8, true, "msg"},
    {EU_ARF_SP, 1, false, "sp"},     {EU_ARF_SR0, 2, true, "sr"}, {EU_ARF_CR0, 1, true, "cr"},
    {EU_ARF_N0, 4, true, "n"},       {EU_ARF_IP, 1, false, "ip"}, {EU_ARF_TDR0, 1, true, "tdr"},
    {EU_ARF_TM0, 2, true, "tm"},     {EU_ARF_FC, 5, true, "fc"},  {EU_ARF_DBG0, 1, true, "dbg"},
};

struct printer {
    char *buf;
    size_t size, length; /* length may pass size, as with snprintf */
    bool space;          /* a space is due before the next word */
};

__attribute__((format(printf, 2, 3))) static void put(struct printer *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    size_t left = p->length < p->size ? p->size - p->length : 0;
    int n = vsnprintf(left ? p->buf + p->length : NULL, left, fmt, ap);
    va_end(ap);
    if (n > 0)
        p->length += n;
}

static void word(struct printer *p)
{
    if (p->space)
        put(p, " ");
    p->space = true;
}

static void put_pred(struct printer *p, const struct eu_insn *in)
{
    if (!in->no_mask && in->pred == EU_PRED_NONE)
        return;
    word(p);
    put(p, "(");
    if (in->no_mask)
        put(p, in->pred == EU_PRED_NONE ? "W" : "W&");
    if (in->pred != EU_PRED_NONE) {
        const char *name = eu_pred_names[in->align16][in->pred & 15];
        put(p, "%sf%u.%u", in->pred_inv ? "~" : "", in->flag >> 1 & 1, in->flag & 1);
        if (name && *name)
            put(p, ".%s", name);
    }
    put(p, ")");
}

/* ".3" in elements; a byte offset that is no multiple of the element as ".b13". */
static void put_sub(struct printer *p, const struct eu_operand *o, unsigned size)
{
    if (o->sub % size == 0)
        put(p, ".%u", o->sub / size);
    else
        put(p, ".b%u", o->sub);
}

static void put_reg(struct printer *p, const struct eu_operand *o, unsigned size, bool always_sub)
{
    if (o->indirect) {
        put(p, "r[a0.%u", o->a0_sub);
        if (o->addr_imm)
            put(p, ",%d", o->addr_imm);
        put(p, "]");
        return;
    }
    if (o->file == EU_GRF) {
        put(p, "r%u", o->reg);
    } else {
        const struct eu_arf_name *name = NULL;
        for (int i = 0; i < EU_N_ARF_NAMES; i++) {
            if (o->reg >= eu_arf_names[i].reg && o->reg < eu_arf_names[i].reg + eu_arf_names[i].n)
                name = &eu_arf_names[i];
        }
        if (!name)
            put(p, "arf%u", o->reg);
        else if (name->numbered)
            put(p, "%s%u", name->name, o->reg - name->reg);
        else
            put(p, "%s", name->name);
        if (o->reg == EU_ARF_NULL)
            always_sub = false;
    }
    if (always_sub || o->sub)
        put_sub(p, o, size);
}

static void put_channels(struct printer *p, unsigned mask)
{
    put(p, ".");
    for (int i = 0; i < 4; i++) {
        if (mask & 1u << i)
            put(p, "%c", "xyzw"[i]);
    }
    if (!mask)
        put(p, "none");
}

static void put_swizzle(struct printer *p, unsigned swizzle)
{
    put(p, ".");
    for (int i = 0; i < 4; i++)
        put(p, "%c", "xyzw"[swizzle >> 2 * i & 3]);
}

static void put_type(struct printer *p, unsigned type)
{
    put(p, ":%s", eu_type_name(type));
}

static void put_macro_operand(struct printer *p, const struct eu_operand *o)
{
    if (o->file == EU_GRF)
        put(p, "r%u", o->reg);
    else
        put_reg(p, o, eu_type_size(o->type), false);
    if (o->file == EU_GRF && o->acc == 8)
        put(p, ".nomme");
    else if (o->file == EU_GRF)
        put(p, ".mme%u", o->acc);
    put_type(p, o->type);
}

static void put_dst(struct printer *p, const struct eu_insn *in)
{
    const struct eu_operand *o = &in->dst;
    word(p);
    if (in->saturate)
        put(p, "(sat)");
    if (eu_is_macro(in)) {
        put_macro_operand(p, o);
        return;
    }
    put_reg(p, o, eu_type_size(o->type), true);
    put(p, "<%u>", o->hs);
    if (in->align16)
        put_channels(p, o->chan_en);
    put_type(p, o->type);
}

/* Decimal if a few digits say it exactly, else the bits. */
static void put_float(struct printer *p, double v, uint64_t bits)
{
    double scaled = v * 10000;
    if (v > -1e5 && v < 1e5 && scaled == (double)(long)scaled && (v != 0 || bits == 0)) {
        long n = (long)scaled;
        char fraction[8];
        snprintf(fraction, sizeof(fraction), "%04ld", (n < 0 ? -n : n) % 10000);
        for (int i = 3; i > 0 && fraction[i] == '0'; i--)
            fraction[i] = 0;
        put(p, "%s%ld.%s", n < 0 ? "-" : "", (n < 0 ? -n : n) / 10000, fraction);
    } else {
        put(p, "0x%llX", (unsigned long long)bits);
    }
}

static void put_imm(struct printer *p, const struct eu_operand *o)
{
    uint32_t imm32 = (uint32_t)o->imm;
    float f;
    double df;
    switch ((enum eu_type)o->type) {
    case EU_D:
        put(p, "%d", (int32_t)imm32);
        break;
    case EU_W:
        put(p, "%d", (int16_t)o->imm);
        break;
    case EU_Q:
        put(p, "%lld", (long long)o->imm);
        break;
    case EU_F:
        memcpy(&f, &imm32, sizeof(f));
        put_float(p, f, imm32);
        break;
    case EU_DF:
        memcpy(&df, &o->imm, sizeof(df));
        put_float(p, df, o->imm);
        break;
    case EU_UD:
    case EU_UW:
    case EU_UB:
    case EU_B:
    case EU_UQ:
    case EU_HF:
    case EU_UV:
    case EU_VF:
    case EU_V:
    case EU_N_TYPES:
        put(p, "0x%llX", (unsigned long long)o->imm);
        break;
    }
    put_type(p, o->type);
}

static bool is_logic(unsigned op)
{
    return op == EU_OP_and || op == EU_OP_or || op == EU_OP_xor || op == EU_OP_not;
}

static void put_modifiers(struct printer *p, const struct eu_insn *in, const struct eu_operand *o)
{
    if (o->negate)
        put(p, is_logic(in->op) ? "~" : "-");
    if (o->abs)
        put(p, "(abs)");
}

static void put_src(struct printer *p, const struct eu_insn *in, const struct eu_operand *o)
{
    word(p);
    if (o->file == EU_IMM) {
        put_imm(p, o);
        return;
    }
    put_modifiers(p, in, o);
    if (eu_is_macro(in)) {
        put_macro_operand(p, o);
        return;
    }
    put_reg(p, o, eu_type_size(o->type), true);
    if (in->align16) {
        put(p, "<%u>", o->vs);
        put_swizzle(p, o->swizzle);
    } else if (o->vs == EU_VS_VXH) {
        put(p, "<%u,%u>", o->width, o->hs);
    } else {
        put(p, "<%u;%u,%u>", o->vs, o->width ? o->width : 1, o->hs);
    }
    put_type(p, o->type);
}

/* A three-source instruction of one channel is an Align16 group with one channel enabled. Gives the
 * channel, or -1. */
static int scalar3_channel(const struct eu_insn *in)
{
    bool wide = in->dst.type == EU_DF;
    for (int i = 0; i < (wide ? 2 : 4); i++) {
        if (in->exec_size == (wide ? 2 : 4) && in->dst.chan_en == (wide ? 3u << 2 * i : 1u << i))
            return i;
    }
    return -1;
}

static void put_dst3(struct printer *p, const struct eu_insn *in)
{
    const struct eu_operand *o = &in->dst;
    unsigned size = eu_type_size(o->type);
    int channel = scalar3_channel(in);
    struct eu_operand shown = *o;
    if (channel >= 0)
        shown.sub += channel * size;
    word(p);
    if (in->saturate)
        put(p, "(sat)");
    put_reg(p, &shown, size, true);
    put(p, "<1>");
    if (channel < 0 && (o->chan_en != 0xf || in->exec_size == 1))
        put_channels(p, o->chan_en);
    put_type(p, o->type);
}

static void put_src3(struct printer *p, const struct eu_insn *in, int i)
{
    enum { XYZW = 0xe4, XYXY = 0x44, ZWZW = 0xee };
    const struct eu_operand *o = &in->src[i];
    unsigned size = eu_type_size(o->type);
    bool scalar = o->rep, wide_scalar = false;
    struct eu_operand shown = *o;
    /* DF has no replication: a swizzle picks one of the two values. */
    if (o->type == EU_DF && !o->rep && o->sub % 16 == 0 &&
        (o->swizzle == XYXY || o->swizzle == ZWZW)) {
        scalar = wide_scalar = true;
        shown.sub += o->swizzle == ZWZW ? 8 : 0;
    }
    word(p);
    put_modifiers(p, in, o);
    put_reg(p, &shown, size, true);
    if (i < 2)
        put(p, scalar ? "<0;0>" : "<4;1>");
    else
        put(p, scalar ? "<0>" : "<1>");
    if (!wide_scalar && (o->swizzle != XYZW || (o->rep && o->type == EU_DF)))
        put_swizzle(p, o->swizzle);
    put_type(p, o->type);
}

static void put_plain(struct printer *p, const struct eu_operand *o)
{
    word(p);
    put_reg(p, o, eu_type_size(o->type), false);
    put_type(p, o->type);
}

static void put_send(struct printer *p, int gen, const struct eu_insn *in)
{
    bool split = eu_fmt(in->op) == EU_FMT_SENDS;
    put_plain(p, &in->dst);
    put_plain(p, &in->src[0]);
    if (split) {
        word(p);
        put_reg(p, &in->src[1], 4, false);
    }
    word(p);
    uint32_t ex = in->exdesc | (in->eot ? 0x20 : 0) | (in->fn & 0xf);
    if (in->exdesc_reg) {
        put(p, "a0.%u", in->exdesc_sub);
        if (ex & ~0x20u)
            put(p, "+0x%X", ex & ~0x20u); /* the fields the instruction keeps besides */
    } else {
        put(p, "0x%X", ex);
    }
    word(p);
    if (in->desc_reg) {
        put(p, "a0.0");
        if (in->desc)
            put(p, "+0x%X", in->desc);
    } else {
        put(p, "0x%08X", in->desc);
    }
}

static void put_jump(struct printer *p, int gen, const struct eu_insn *in)
{
    int target = eu_target_src(in->op);
    if (in->op == EU_OP_ret || in->op == EU_OP_call || in->op == EU_OP_calla) {
        const struct eu_operand *o = in->op == EU_OP_ret ? &in->src[0] : &in->dst;
        word(p);
        put_reg(p, o, eu_type_size(o->type), false);
    }
    if (in->op == EU_OP_ret)
        return;
    if (target >= 0 && in->src[target].file != EU_IMM &&
        (in->src[target].file == EU_GRF || in->src[target].indirect)) {
        word(p);
        put_reg(p, &in->src[target], eu_type_size(in->src[target].type), true);
        return;
    }
    word(p);
    put(p, "%d", in->jip);
    if (eu_n_targets(gen, in->op) == 2)
        put(p, " %d", in->uip);
}

static void put_options(struct printer *p, const struct eu_insn *in)
{
    const struct {
        bool on;
        const char *name;
    } options[] = {
        {in->align16 && eu_fmt(in->op) != EU_FMT_ALU3 && !eu_is_macro(in), "Align16"},
        {in->acc_wr, "AccWrEn"},
        {in->thread_ctrl == EU_THREAD_ATOMIC, "Atomic"},
        {in->debug, "Breakpoint"},
        {in->compact, "Compacted"},
        {in->eot, "EOT"},
        {in->no_dd_chk, "NoDDChk"},
        {in->no_dd_clr, "NoDDClr"},
        {in->thread_ctrl == EU_THREAD_SWITCH, "Switch"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (!options[i].on)
            continue;
        put(p, any ? "," : " {");
        put(p, "%s", options[i].name);
        any = true;
    }
    if (any)
        put(p, "}");
}

static void put_operands(struct printer *p, int gen, const struct eu_insn *in)
{
    switch (eu_fmt(in->op)) {
    case EU_FMT_NONE:
        break;
    case EU_FMT_ALU:
        put_dst(p, in);
        for (unsigned i = 0; i < eu_op_info(in->op)->n_src; i++)
            put_src(p, in, &in->src[i]);
        break;
    case EU_FMT_MATH:
        put_dst(p, in);
        put_src(p, in, &in->src[0]);
        if (eu_math_is_binary(in->fn))
            put_src(p, in, &in->src[1]);
        break;
    case EU_FMT_WAIT:
        put_src(p, in, &in->src[0]);
        break;
    case EU_FMT_ALU3:
        if (eu_is_macro(in)) {
            put_dst(p, in);
            for (int i = 0; i < 3; i++)
                put_src(p, in, &in->src[i]);
        } else {
            put_dst3(p, in);
            for (int i = 0; i < 3; i++)
                put_src3(p, in, i);
        }
        break;
    case EU_FMT_JUMP:
        put_jump(p, gen, in);
        break;
    case EU_FMT_SEND:
    case EU_FMT_SENDS:
        put_send(p, gen, in);
        break;
    }
}

int eu_print(int gen, const struct eu_insn *in, char *buf, size_t size)
{
    struct printer p = {.buf = buf, .size = size};
    if (size)
        buf[0] = 0;
    enum eu_fmt fmt = eu_fmt(in->op);
    put_pred(&p, in);
    word(&p);
    put(&p, "%s", eu_op_info(in->op)->name);
    if (fmt == EU_FMT_MATH && eu_math_names[in->fn & 15])
        put(&p, ".%s", eu_math_names[in->fn & 15]);
    if (in->branch_ctrl)
        put(&p, ".b");
    bool implied = fmt == EU_FMT_NONE || (fmt == EU_FMT_WAIT && in->exec_size == 1 && !in->group);
    if (!implied) {
        bool scalar = fmt == EU_FMT_ALU3 && !eu_is_macro(in) && scalar3_channel(in) >= 0;
        put(&p, " (%u|M%u)", scalar ? 1 : in->exec_size, in->group);
    }
    if (in->cond != EU_COND_NONE || (fmt == EU_FMT_MATH && eu_is_macro(in))) {
        const char *name = fmt == EU_FMT_MATH ? "eo" : eu_cond_names[in->cond & 15];
        word(&p);
        put(&p, "(%s)f%u.%u", name ? name : "?", in->flag >> 1 & 1, in->flag & 1);
    }
    put_operands(&p, gen, in);
    put_options(&p, in);
    return (int)p.length;
}
