/* See model_gen.h. What is never made, because the reference says not to or gives no meaning,
 * stands in meaningless(). */
#include "model_gen.h"

#include <string.h>

uint32_t maker_bits(struct maker *g)
{
    g->state += 0x9e3779b97f4a7c15ull;
    uint64_t z = g->state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)((z ^ z >> 31) >> 16);
}

uint32_t maker_below(struct maker *g, uint32_t n)
{
    return (uint32_t)((uint64_t)maker_bits(g) * n >> 32);
}

bool maker_chance(struct maker *g, unsigned percent)
{
    return maker_below(g, 100) < percent;
}

uint64_t maker_value(struct maker *g)
{
    static const uint32_t words[] = {
        0,          0x80000000, 0x7fffffff, 0xffffffff, 1,          0x3f800000, 0xbf800000,
        0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00000001, 0x80000001,
        0x00800000, 0x807fffff, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x4effffff, 0x3effffff,
        0x3f000000, 0x4b000001, 0x80008000, 0x7fff7fff, 0x0000ffff, 0xffff0000, 0x00ff80ff,
        0x7c007e00, 0x7c01fc00, 0x04000001, 0x83ff7bff, 0x3c00bc00, 0x38003800};
    static const uint64_t longs[] = {0x8000000000000000, 0x7fffffffffffffff, 0x3ff0000000000000,
                                     0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                                     0x7ff0000000000001, 0x0000000000000001, 0x8010000000000000,
                                     0x000fffffffffffff, 0x41e0000000000000, 0xc1e0000000000000,
                                     0x47efffffe0000000, 0x36a0000000000000, 0x380fffffffffffff};
    uint32_t kind = maker_below(g, 16);
    uint64_t r = (uint64_t)maker_bits(g) << 32 | maker_bits(g);
    if (kind < 4)
        return (uint64_t)words[maker_below(g, sizeof words / 4)] << 32 |
               words[maker_below(g, sizeof words / 4)];
    if (kind == 4)
        return longs[maker_below(g, sizeof longs / 8)];
    if (kind == 5) /* doubles around 1 */
        return (r & 0x800fffffffffffff) | (uint64_t)(0x3e0 + maker_below(g, 0x40)) << 52;
    if (kind < 10) /* floats around 1 */
        return (r & 0x807fffff807fffff) | (uint64_t)(0x70 + maker_below(g, 0x20)) << 55 |
               (uint64_t)(0x70 + maker_below(g, 0x20)) << 23;
    if (kind == 10) /* small numbers */
        return (r & 0x8000001f8000001f) ^ (maker_bits(g) & 1 ? ~0ull : 0);
    if (kind == 11) /* halves around 1 */
        return (r & 0x87ff87ff87ff87ff) | 0x3000380034003800;
    return r;
}

/* ---- what to make ---- */

enum {
    I = 1,
    L = 2,
    F = 4,
    D = 8,
    H = 16,
    UINT = 32,
    UD_ONLY = 64,
    DW = 128,
    BW = 256,
    BYTES = 512
};

/* Opcodes with the classes of sources (all of one, but any widths in it) and destinations. */
static const struct pattern {
    uint8_t op;
    uint16_t src, dst;
    uint8_t weight;
} patterns[] = {
    {EU_OP_mov, I | L, I | L | F | D | H, 8},
    {EU_OP_mov, F, I | L | F | D | H, 6},
    {EU_OP_mov, D, I | L | F | D, 4},
    {EU_OP_mov, H, I | F | H, 3},
    {EU_OP_movi, I, I, 1},
    {EU_OP_smov, I, I, 1},
    {EU_OP_sel, I | L, I | L, 4},
    {EU_OP_sel, F | H, F | H, 4},
    {EU_OP_sel, D, D, 2},
    {EU_OP_not, I | L, I | L, 2},
    {EU_OP_and, I | L, I | L, 3},
    {EU_OP_or, I | L, I | L, 3},
    {EU_OP_xor, I | L, I | L, 3},
    {EU_OP_shl, I | L, I | L, 4},
    {EU_OP_shr, UINT | L, I | L, 3},
    {EU_OP_asr, I | L, I | L, 3},
    {EU_OP_cmp, I | L, I | L | F, 5},
    {EU_OP_cmp, F | H, I | F | H, 5},
    {EU_OP_cmp, D, I | D, 3},
    {EU_OP_cmpn, I, I, 1},
    {EU_OP_cmpn, F | H, F | H, 2},
    {EU_OP_csel, F, F, 3},
    {EU_OP_f32to16, F, BW, 2},
    {EU_OP_f16to32, BW, F, 2},
    {EU_OP_bfrev, UD_ONLY, UD_ONLY, 2},
    {EU_OP_bfe, DW, DW, 2},
    {EU_OP_bfi1, DW, DW, 2},
    {EU_OP_bfi2, DW, DW, 2},
    {EU_OP_math, F, F, 5},
    {EU_OP_math, DW, DW, 3},
    {EU_OP_add, I | L, I | L | F, 8},
    {EU_OP_add, F | H, F | H | I, 6},
    {EU_OP_add, D, D, 3},
    {EU_OP_mul, I, I | L, 8},
    {EU_OP_mul, F | H, F | H, 5},
    {EU_OP_mul, D, D, 3},
    {EU_OP_avg, I, I, 3},
    {EU_OP_frc, F, F, 2},
    {EU_OP_rndu, F, F, 2},
    {EU_OP_rndd, F, F, 2},
    {EU_OP_rnde, F, F, 2},
    {EU_OP_rndz, F, F, 2},
    {EU_OP_mac, BW | BYTES, I, 3},
    {EU_OP_mac, F, F, 2},
    {EU_OP_mac, D, D, 1},
    {EU_OP_mach, DW, DW, 4},
    {EU_OP_lzd, DW, UD_ONLY, 2},
    {EU_OP_fbh, DW, UD_ONLY, 2},
    {EU_OP_fbl, UD_ONLY, UD_ONLY, 2},
    {EU_OP_cbit, UINT, UD_ONLY, 2},
    {EU_OP_addc, UD_ONLY, UD_ONLY, 3},
    {EU_OP_subb, UD_ONLY, UD_ONLY, 3},
    {EU_OP_sad2, BYTES, BW, 1},
    {EU_OP_sada2, BYTES, BW, 1},
    {EU_OP_dp4, F, F, 1},
    {EU_OP_dph, F, F, 1},
    {EU_OP_dp3, F, F, 1},
    {EU_OP_dp2, F, F, 1},
    {EU_OP_line, F, F, 1},
    {EU_OP_pln, F, F, 1},
    {EU_OP_mad, F, F, 5},
    {EU_OP_mad, D, D, 2},
    {EU_OP_mad, H, H, 2},
    {EU_OP_lrp, F, F, 1},
    {EU_OP_dim, D, D, 1},
    {EU_OP_nop, I, I, 1},
};

static const struct {
    uint16_t classes;
    uint8_t type, weight;
} types[] = {
    {I | DW, EU_D, 4},    {I | DW | UD_ONLY | UINT, EU_UD, 4},
    {I | BW, EU_W, 3},    {I | BW | UINT, EU_UW, 3},
    {I | BYTES, EU_B, 2}, {I | BYTES | UINT, EU_UB, 2},
    {L, EU_Q, 2},         {L | UINT, EU_UQ, 2},
    {F, EU_F, 6},         {H, EU_HF, 3},
    {D, EU_DF, 3},
};

static uint8_t pick_type(struct maker *g, unsigned classes)
{
    if (g->gen < 80)
        classes &= ~(unsigned)(L | H);
    /* UINT | L: unsigned ones only */
    bool unsigned_only = classes & UINT;
    for (;;) {
        unsigned k = maker_below(g, sizeof types / sizeof types[0]);
        bool in = types[k].classes & classes && maker_below(g, 6) < types[k].weight;
        if (in && (!unsigned_only || types[k].classes & UINT) &&
            (g->gen >= 80 || !(types[k].classes & L)))
            return types[k].type;
    }
}

static bool is_float(unsigned t)
{
    return t == EU_F || t == EU_DF || t == EU_HF || t == EU_VF;
}

static unsigned size_of(unsigned t)
{
    return eu_type_size((enum eu_type)t);
}

static unsigned power_below(struct maker *g, unsigned n) /* a power of two up to n */
{
    unsigned p = 1;
    while (p < n && maker_chance(g, 60))
        p *= 2;
    return p;
}

static void region(struct maker *g, struct eu_operand *o, unsigned exec_size)
{
    unsigned per_register = EU_GRF_SIZE / size_of(o->type);
    uint32_t shape = maker_below(g, 10);
    if (shape < 2 || exec_size == 1) {
        o->vs = 0, o->width = 1, o->hs = 0;
        return;
    }
    if (shape < 6) { /* packed, or every second or fourth */
        o->hs = maker_chance(g, 70) ? 1 : (uint8_t)(2 << maker_below(g, 2));
        unsigned w = per_register / o->hs;
        w = w > 16 ? 16 : w > exec_size ? exec_size : w;
        o->width = (uint8_t)(w ? w : 1);
        if (maker_chance(g, 30) && o->width > 1)
            o->width /= 2;
        if (o->width == 1) {
            o->vs = o->hs;
            o->hs = 0;
        } else {
            o->vs = (uint8_t)(o->width * o->hs);
        }
        return;
    }
    o->width = (uint8_t)power_below(g, exec_size > 16 ? 16 : exec_size);
    o->hs = o->width == 1 || maker_chance(g, 15) ? 0 : (uint8_t)power_below(g, 4);
    o->vs = maker_chance(g, 20) ? 0 : (uint8_t)power_below(g, 32);
}

static bool dwords_df(const struct maker *g, const struct eu_insn *in)
{
    bool df = in->dst.type == EU_DF;
    for (unsigned k = 0; k < eu_op_info(in->op)->n_src; k++)
        df |= in->src[k].type == EU_DF;
    return df && g->quirks & GEN_QUIRK_DF_DWORD_REGIONS;
}

static void immediate(struct maker *g, struct eu_operand *o)
{
    o->file = EU_IMM;
    o->imm = maker_chance(g, 40) ? maker_below(g, 80) - 16ull : maker_value(g);
    unsigned size = size_of(o->type);
    if (size < 8)
        o->imm &= (1ull << 8 * size) - 1;
}

static void source(struct maker *g, struct eu_insn *in, unsigned k, uint8_t type)
{
    const struct eu_op_info *info = eu_op_info(in->op);
    struct eu_operand *o = &in->src[k];
    bool last = k == info->n_src - 1u;
    *o = (struct eu_operand){.file = EU_GRF, .type = type};
    if (last && maker_chance(g, 20) && size_of(type) > 1 &&
        (size_of(type) < 8 || info->n_src == 1)) {
        if (maker_chance(g, 15) && type != EU_HF && type != EU_DF && size_of(type) < 8)
            o->type = type == EU_F ? EU_VF : maker_chance(g, 50) ? EU_V : EU_UV;
        immediate(g, o);
        return;
    }
    o->reg = (uint8_t)(MAKER_FIRST + maker_below(g, MAKER_LAST - MAKER_FIRST - 4));
    if (maker_chance(g, 35))
        o->sub = (uint8_t)(maker_below(g, EU_GRF_SIZE / size_of(type)) * size_of(type));
    region(g, o, in->exec_size);
    if (info->mods) {
        o->negate = maker_chance(g, 20);
        o->abs = maker_chance(g, 12);
    }
    if (maker_chance(g, 6) && !in->align16) {
        o->indirect = true;
        o->sub = 0;
        o->reg = 0;
        o->a0_sub = (uint8_t)maker_below(g, g->gen >= 80 ? 16 : 8);
        o->addr_imm = (int16_t)(((int)maker_below(g, 9) - 4) * 32);
        if (maker_chance(g, 50)) {
            o->vs = EU_VS_VXH;
            o->width = (uint8_t)(maker_chance(g, 60) ? 1 : power_below(g, in->exec_size));
            o->hs = o->width > 1 ? 1 : 0;
        }
    }
}

static void align16_operands(struct maker *g, struct eu_insn *in)
{
    in->dst.hs = 1;
    in->dst.indirect = false;
    in->dst.chan_en = (uint8_t)(maker_chance(g, 50) ? 15 : 1 + maker_below(g, 15));
    in->dst.sub = (uint8_t)(16 * maker_below(g, 2));
    for (unsigned k = 0; k < eu_op_info(in->op)->n_src; k++) {
        struct eu_operand *o = &in->src[k];
        o->indirect = false;
        o->vs = maker_chance(g, 75) ? 4 : 0;
        o->width = 4;
        o->hs = 1;
        o->sub = (uint8_t)(16 * maker_below(g, 2));
        o->swizzle = (uint8_t)maker_bits(g);
    }
}

static void three(struct maker *g, struct eu_insn *in, uint8_t type)
{
    unsigned size = size_of(type);
    in->align16 = true;
    in->dst = (struct eu_operand){.file = EU_GRF,
                                  .type = type,
                                  .hs = 1,
                                  .chan_en = 15,
                                  .reg = (uint8_t)(MAKER_FIRST + maker_below(g, 80)),
                                  .sub = maker_chance(g, 80) ? 0 : 16};
    if (maker_chance(g, 8) && size == 4)
        in->dst.chan_en = (uint8_t)(1 + maker_below(g, 15));
    for (unsigned k = 0; k < 3; k++) {
        struct eu_operand *o = &in->src[k];
        *o = (struct eu_operand){.file = EU_GRF,
                                 .type = type,
                                 .reg = (uint8_t)(MAKER_FIRST + maker_below(g, 80)),
                                 .swizzle = 0xe4};
        if (eu_op_info(in->op)->mods) {
            o->negate = maker_chance(g, 20);
            o->abs = maker_chance(g, 12);
        }
        if (size != 8 && maker_chance(g, 30)) {
            o->rep = true;
            o->sub = (uint8_t)(maker_below(g, EU_GRF_SIZE / size) * size);
        } else {
            o->sub = maker_chance(g, 85) ? 0 : 16;
            if (size == 8 && in->exec_size <= 2)
                o->swizzle = maker_chance(g, 50) ? 0x44 : 0xee;
            else if (size != 8 && maker_chance(g, 15))
                o->swizzle = (uint8_t)maker_bits(g);
        }
    }
}

/* Ivy Bridge: regions count dwords (2.4). */
static void dword_regions(struct maker *g, struct eu_insn *in)
{
    static const uint8_t df[][3] = {{8, 8, 1}, {4, 4, 1}, {0, 2, 1}, {2, 2, 1}};
    static const uint8_t narrow[][3] = {{1, 2, 0}, {2, 2, 0}, {0, 1, 0}};
    in->exec_size = (uint8_t)(2 << maker_below(g, 3));
    for (unsigned k = 0; k < eu_op_info(in->op)->n_src; k++) {
        struct eu_operand *o = &in->src[k];
        const uint8_t *r = o->type == EU_DF ? df[maker_below(g, 4)] : narrow[maker_below(g, 3)];
        o->vs = r[0], o->width = r[1], o->hs = r[2];
        o->indirect = false;
        o->sub = (uint8_t)(maker_chance(g, 70) ? 0 : o->sub / 8 * 8);
    }
    in->dst.hs = 1;
    in->dst.indirect = false;
    in->dst.sub = 0;
}

static void destination(struct maker *g, struct eu_insn *in)
{
    struct eu_operand *d = &in->dst;
    unsigned size = size_of(d->type), exec = size_of(eu_exec_type(in));
    d->reg = (uint8_t)(MAKER_FIRST + maker_below(g, MAKER_LAST - MAKER_FIRST - 4));
    d->hs = maker_chance(g, 75) ? 1 : (uint8_t)power_below(g, 4);
    if (size < exec && in->exec_size > 1)
        d->hs = (uint8_t)(exec / size > 4 ? 4 : exec / size);
    if (size == 1 && d->hs == 1 && maker_chance(g, 80))
        d->hs = 2;
    if (maker_chance(g, 30))
        d->sub = (uint8_t)(maker_below(g, EU_GRF_SIZE / size) * size);
    if (maker_chance(g, 4)) {
        d->indirect = true;
        d->reg = d->sub = 0;
        d->a0_sub = (uint8_t)maker_below(g, g->gen >= 80 ? 16 : 8);
        d->addr_imm = (int16_t)(((int)maker_below(g, 9) - 4) * 32);
        return;
    }
    bool special = maker_chance(g, 12);
    if (!special)
        return;
    static const uint8_t arf[] = {EU_ARF_NULL, EU_ARF_NULL, EU_ARF_ACC0, EU_ARF_ACC0,
                                  EU_ARF_A0,   EU_ARF_F0,   EU_ARF_F1};
    d->file = EU_ARF;
    d->reg = arf[maker_below(g, sizeof arf)];
    d->sub = 0;
    d->hs = 1;
}

/* ---- what is left out ---- */

static bool touches(const struct eu_operand *o, unsigned kind)
{
    return o->file == EU_ARF && !o->indirect && (o->reg & 0xf0) == kind;
}

static bool modified(const struct eu_operand *o)
{
    return o->negate || o->abs;
}

static bool is_dword(unsigned t)
{
    return t == EU_D || t == EU_UD;
}

/* 1.3: accumulators hold dwords, words, or floats of the execution type, in the view that they are
 * written and read in. */
static bool use_accumulator(const struct eu_insn *in, bool implicit)
{
    static const uint8_t ops[] = {EU_OP_mov, EU_OP_add,  EU_OP_mul,  EU_OP_mac,  EU_OP_mach,
                                  EU_OP_avg, EU_OP_addc, EU_OP_subb, EU_OP_sada2};
    const struct eu_operand *d = &in->dst;
    unsigned n = eu_op_info(in->op)->n_src;
    bool writes = touches(d, EU_ARF_ACC0), f = is_float(in->src[0].type), known = false;
    for (unsigned i = 0; i < sizeof ops; i++)
        known |= in->op == ops[i];
    if ((implicit || writes) && !known)
        return false;
    if (in->align16 || is_float(d->type) != f || (writes && in->saturate) ||
        (writes && implicit && in->op != EU_OP_mac))
        return false;
    if ((implicit || writes) && f && d->type != eu_exec_type(in))
        return false;
    for (unsigned k = 0; k < n; k++) {
        const struct eu_operand *o = &in->src[k];
        if (o->type == EU_HF || (!f && size_of(o->type) == 8))
            return false;
        bool sgn = o->type == EU_D || o->type == EU_W || o->type == EU_B || o->type == EU_V;
        if (writes && !f && (sgn != (d->type == EU_D || d->type == EU_W) || (!sgn && o->negate)))
            return false;
    }
    return d->type != EU_HF && (f || size_of(d->type) < 8);
}

static bool meaningless(const struct maker *g, const struct eu_insn *in)
{
    const struct eu_operand *d = &in->dst, *a = &in->src[0], *b = &in->src[1];
    unsigned n = eu_op_info(in->op)->n_src, op = in->op;
    bool ints = !is_float(a->type), flags = in->pred || in->cond;
    unsigned last = in->group + in->exec_size;
    /* 6.2: flag bits beyond the register */
    if (flags && 16 * (in->flag & 1u) + last > 32)
        return true;
    /* 1.6: SIMD32 on Gen7 and 7.5 is for NoMask only */
    if (g->gen < 80 && in->exec_size == 32 && !in->no_mask)
        return true;
    /* 6.9.2: shr of a signed type is illegal; modifiers make signed values */
    if (op == EU_OP_shr && modified(a))
        return true;
    if (op == EU_OP_asr && modified(a) &&
        (a->type == EU_UD || a->type == EU_UW || a->type == EU_UB || a->type == EU_UQ))
        return true;
    /* 6.5: no modifier on logic before Gen8 */
    if (g->gen < 80 && op >= EU_OP_not && op <= EU_OP_xor && (modified(a) || modified(b)))
        return true;
    /* 6.8: apply modifiers of a dword src1 before */
    if ((op == EU_OP_mach || (op == EU_OP_mul && g->gen < 80)) && is_dword(b->type) && modified(b))
        return true;
    if (op == EU_OP_mach && (in->saturate || !in->acc_wr || a->type != b->type))
        return true;
    /* 6.3, 6.6 */
    if ((op == EU_OP_cmp || op == EU_OP_cmpn) &&
        (in->cond == EU_COND_O || (ints && in->cond > EU_COND_LE)))
        return true;
    if ((op == EU_OP_sel || op == EU_OP_csel) && in->cond > EU_COND_LE)
        return true;
    if (in->cond == EU_COND_U && ints)
        return true;
    if ((op == EU_OP_addc || op == EU_OP_subb) && (in->saturate || in->cond > EU_COND_LE))
        return true;
    if (op == EU_OP_math && ints &&
        (modified(a) || modified(b) || a->type != b->type || d->type != a->type))
        return true;
    /* 3.2: which nibbles the channels of a null destination take; for the others vector immediates
     * are words */
    if (d->file == EU_ARF && d->reg == EU_ARF_NULL && !d->indirect &&
        (a->type >= EU_UV || b->type >= EU_UV))
        return true;
    if ((op == EU_OP_fbh || op == EU_OP_fbl || op == EU_OP_lzd || op == EU_OP_bfrev ||
         op == EU_OP_bfi1 || op == EU_OP_cbit || op == EU_OP_addc || op == EU_OP_subb ||
         op == EU_OP_mach) &&
        (a->type >= EU_UV || b->type >= EU_UV))
        return true;
    /* 6.6: no more is said of these than the conversion */
    if ((op == EU_OP_f16to32 || op == EU_OP_f32to16) &&
        (in->saturate || in->cond || in->acc_wr || (op == EU_OP_f16to32 && modified(a)) ||
         a->type >= EU_UV))
        return true;
    if (op == EU_OP_math && ints && in->fn == EU_MATH_INT_DIV_BOTH &&
        (d->file != EU_GRF || d->indirect || d->sub || d->hs != 1))
        return true;
    /* 6.6: pairs and groups of channels */
    if ((op == EU_OP_sad2 || op == EU_OP_sada2) &&
        (touches(d, EU_ARF_A0) || in->exec_size < 2 || !in->no_mask || in->cond || in->pred))
        return true;
    if (op >= EU_OP_dp4 && op <= EU_OP_dp2 && in->exec_size < 4)
        return true;
    /* 1.3: which channel of the accumulator an offset instruction means on Ivy Bridge, and for
     * floats */
    bool implicit = in->acc_wr || op == EU_OP_mac || op == EU_OP_mach || op == EU_OP_sada2;
    if (implicit && in->group && (g->gen == 70 || !ints))
        return true;
    bool acc = implicit || touches(d, EU_ARF_ACC0) || touches(a, EU_ARF_ACC0);
    if (acc && (a->type == EU_HF || d->type == EU_HF || b->type == EU_HF))
        return true;
    if (acc && !use_accumulator(in, implicit))
        return true;
    if (acc && in->exec_size * size_of(is_float(a->type) ? a->type : EU_W) > 64)
        return true;
    /* 1.2: the flags are written by scalar moves */
    if (touches(d, EU_ARF_F0) && (in->exec_size > 1 || flags || in->saturate || is_float(a->type)))
        return true;
    if (touches(d, EU_ARF_A0) &&
        (is_float(d->type) || size_of(d->type) == 8 || size_of(d->type) == 1 ||
         in->exec_size * d->hs * size_of(d->type) > (g->gen >= 80 ? 32 : 16)))
        return true;
    /* 1.6: on Gen7 and 7.5 the second register of a destination takes the next quarter's mask, so
     * it has to hold the next eight channels (four of 64 bits) */
    unsigned stride = d->hs * size_of(d->type);
    if (g->gen < 80 && !in->no_mask && d->file == EU_GRF && !in->align16 && !dwords_df(g, in) &&
        (in->exec_size - 1) * stride + d->sub + size_of(d->type) > EU_GRF_SIZE &&
        in->exec_size * stride != 2 * EU_GRF_SIZE)
        return true;
    /* 2.2: addresses are multiples of 8 bytes and of 32 where rows follow from one */
    for (int k = -1; k < (int)n; k++) {
        const struct eu_operand *o = k < 0 ? d : &in->src[k];
        unsigned row = k < 0 || o->vs != EU_VS_VXH ? in->exec_size : o->width;
        unsigned step = k < 0 ? stride : (o->hs ? o->hs : 1) * size_of(o->type);
        if (o->indirect && (o->a0_sub & 1 || o->vs == EU_VS_VXH) && row * step > 8)
            return true;
        if (o->indirect && row * step > 64)
            return true;
        if (k >= 0 && o->indirect && o->vs != EU_VS_VXH &&
            in->exec_size / o->width * o->vs * size_of(o->type) > 256)
            return true;
    }
    return false;
}

static bool make(struct maker *g, struct eu_insn *in)
{
    static const uint8_t sizes[] = {8, 16, 8, 16, 8, 16, 1, 4, 2, 32};
    const struct pattern *p;
    do
        p = &patterns[maker_below(g, sizeof patterns / sizeof patterns[0])];
    while (maker_below(g, 8) >= p->weight);
    const struct eu_op_info *info = eu_op_info(p->op);
    if (g->gen < info->first_gen || g->gen > info->last_gen)
        return false;
    *in = (struct eu_insn){.op = p->op, .exec_size = sizes[maker_below(g, sizeof sizes)]};
    if (p->op == EU_OP_nop) {
        in->exec_size = 1;
        return true;
    }
    if (g->gen < 80 && (!(p->src & ~(unsigned)(L | H)) || !(p->dst & ~(unsigned)(L | H))))
        return false;
    in->no_mask = maker_chance(g, 25) || (g->gen < 80 && in->exec_size == 32);
    unsigned unit = in->exec_size < 4 ? 4 : in->exec_size;
    in->group = (uint8_t)(maker_chance(g, 60) ? 0 : maker_below(g, 32 / unit) * unit);
    in->saturate = info->sat && maker_chance(g, 15);
    in->acc_wr = p->op == EU_OP_mach || p->op == EU_OP_addc || p->op == EU_OP_subb ||
                 (!info->is_3src && p->op != EU_OP_math && maker_chance(g, 4));
    uint8_t type = pick_type(g, p->src);
    in->dst = (struct eu_operand){.file = EU_GRF, .hs = 1};
    in->dst.type = maker_chance(g, 40) && p->src == p->dst ? type : pick_type(g, p->dst);
    if (p->op == EU_OP_movi || p->op == EU_OP_smov)
        in->dst.type = type;
    if (info->is_3src) {
        if (in->exec_size < 4 && size_of(type) < 8)
            in->exec_size = 4;
        three(g, in, type);
        if (g->quirks & GEN_QUIRK_DF_DWORD_REGIONS && type == EU_DF) {
            in->exec_size = 8;
            in->group = (uint8_t)(4 * maker_below(g, 8));
        }
    } else if (p->op == EU_OP_dim) {
        in->exec_size = 1;
        in->group = 0;
        in->dst.reg = (uint8_t)(MAKER_FIRST + maker_below(g, 80));
        in->src[0] = (struct eu_operand){.file = EU_IMM, .type = EU_DF, .imm = maker_value(g)};
        in->saturate = in->acc_wr = false;
        return true;
    } else {
        for (unsigned k = 0; k < info->n_src; k++)
            source(g, in, k, maker_chance(g, 70) ? type : pick_type(g, p->src));
        if (p->op == EU_OP_math) {
            static const uint8_t floats[] = {EU_MATH_INV, EU_MATH_LOG,  EU_MATH_EXP,
                                             EU_MATH_SQT, EU_MATH_RSQT, EU_MATH_SIN,
                                             EU_MATH_COS, EU_MATH_FDIV, EU_MATH_POW};
            in->fn = type == EU_F ? floats[maker_below(g, sizeof floats)]
                                  : (uint8_t)(EU_MATH_INT_DIV_BOTH + maker_below(g, 3));
            if (type != EU_F)
                in->src[1].type = type;
            if (in->fn < EU_MATH_FDIV)
                in->src[1] = (struct eu_operand){.file = EU_ARF, .type = type, .width = 1};
        }
        if (p->op == EU_OP_smov)
            in->src[1] =
                (struct eu_operand){.file = EU_IMM, .type = EU_UW, .imm = maker_bits(g) & 0xffff};
        destination(g, in);
        if (maker_chance(g, 6) && p->op != EU_OP_math && p->op != EU_OP_smov) {
            static const uint8_t arf[] = {EU_ARF_A0, EU_ARF_F0, EU_ARF_F1, EU_ARF_ACC0,
                                          EU_ARF_ACC0};
            struct eu_operand *o = &in->src[0];
            if (o->file == EU_GRF && !o->indirect) {
                o->reg = arf[maker_below(g, sizeof arf)];
                o->file = EU_ARF;
                o->sub = 0;
                if ((o->reg & 0xf0) != EU_ARF_ACC0) {
                    if (size_of(o->type) == 1 || size_of(o->type) == 8 || is_float(o->type))
                        return false;
                    o->vs = 0, o->width = 1, o->hs = 0;
                } else { /* as the destination lies: packed */
                    if (size_of(o->type) < 2 || in->exec_size > 16)
                        return false;
                    o->width = (uint8_t)(in->exec_size > 8 ? 8 : in->exec_size);
                    o->vs = o->width == 1 ? 0 : o->width;
                    o->hs = o->width > 1;
                    if (!is_float(o->type) &&
                        size_of(o->type) != (size_of(eu_exec_type(in)) > 2 ? 4u : 2u))
                        return false;
                }
            }
        }
        if (p->op == EU_OP_line || p->op == EU_OP_pln) {
            in->src[0] = (struct eu_operand){.file = EU_GRF,
                                             .type = EU_F,
                                             .reg = (uint8_t)(MAKER_FIRST + maker_below(g, 8)),
                                             .sub = (uint8_t)(16 * maker_below(g, 2)),
                                             .width = 1};
            in->dst.reg = (uint8_t)(MAKER_FIRST + 30 + maker_below(g, 20));
            in->dst.file = EU_GRF;
            in->dst.indirect = false;
            if (p->op == EU_OP_pln) {
                in->exec_size = in->exec_size > 8 ? 16 : 8;
                in->group = in->exec_size > 8 ? in->group & 16 : in->group & 24;
                in->src[1] = (struct eu_operand){.file = EU_GRF,
                                                 .type = EU_F,
                                                 .reg = (uint8_t)(MAKER_FIRST + 60),
                                                 .vs = 8,
                                                 .width = 8,
                                                 .hs = 1};
            } else if (in->src[1].file == EU_GRF && !in->src[1].indirect) {
                in->src[1].reg = MAKER_FIRST + 70;
            }
        }
        if (dwords_df(g, in)) {
            for (unsigned k = 0; k < info->n_src; k++) {
                if (in->src[k].file != EU_GRF || size_of(in->src[k].type) < 4)
                    return false;
            }
            if (size_of(in->dst.type) < 4 || (in->dst.file == EU_ARF && in->dst.reg))
                return false;
            dword_regions(g, in);
            in->group = (uint8_t)(4 * maker_below(g, 8));
        } else if (maker_chance(g, 4) && p->op != EU_OP_math && p->op != EU_OP_smov &&
                   p->op < EU_OP_sad2 && in->dst.file == EU_GRF && size_of(in->dst.type) == 4) {
            for (unsigned k = 0; k < info->n_src; k++) {
                if (in->src[k].file != EU_GRF || size_of(in->src[k].type) != 4)
                    return false;
            }
            if (in->exec_size < 4)
                return false;
            in->align16 = true;
            align16_operands(g, in);
        }
    }
    if (info->pred && maker_chance(g, 30)) {
        in->pred = (uint8_t)(maker_chance(g, 60) ? EU_PRED_NORMAL
                                                 : 1 + maker_below(g, in->align16 ? 7 : 13));
        in->pred_inv = maker_chance(g, 40);
    }
    bool must = p->op == EU_OP_cmp || p->op == EU_OP_cmpn || p->op == EU_OP_csel;
    if (info->cond && (must || maker_chance(g, 20))) {
        static const uint8_t conds[] = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 8, 9};
        in->cond = conds[maker_below(g, sizeof conds)];
    }
    if (p->op == EU_OP_sel) {
        bool by_pred = maker_chance(g, 50);
        in->cond = by_pred               ? 0
                   : maker_chance(g, 85) ? (maker_chance(g, 50) ? EU_COND_L : EU_COND_GE)
                                         : (uint8_t)(1 + maker_below(g, 6));
        in->pred = by_pred ? (in->pred ? in->pred : EU_PRED_NORMAL) : 0;
    }
    if (p->op == EU_OP_csel)
        in->pred = 0;
    if (in->pred == 0)
        in->pred_inv = false;
    if (in->pred || in->cond)
        in->flag = (uint8_t)maker_below(g, 4);
    if (in->dst.file == EU_ARF || maker_chance(g, 3))
        in->thread_ctrl = EU_THREAD_SWITCH;
    return true;
}

struct eu_insn make_insn(struct maker *g)
{
    struct eu_insn in;
    struct eu_bits bits;
    const char *why;
    while (!make(g, &in) || eu_check(g->gen, g->quirks, &in) || meaningless(g, &in) ||
           !eu_encode(g->gen, &in, &bits, &why))
        continue;
    return in;
}
