/* Random instructions that say something: every field an instruction has may take any of its
 * values, fields it hasn't stay as eu_parse() leaves them. With `lawful` only those that eu_check()
 * accepts. */
#ifndef EU_GEN_H
#define EU_GEN_H

#include "gen/eu_table.h"
#include "gen/eu_text.h"

struct gen {
    int gen;
    uint32_t quirks;
    uint64_t state;
    bool for_iga; /* nothing that Intel's assembler has no words for */
};

static inline uint32_t gen_bits(struct gen *g)
{
    g->state = g->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(g->state >> 33);
}

static inline unsigned gen_below(struct gen *g, unsigned n)
{
    return gen_bits(g) % n;
}

static inline bool gen_chance(struct gen *g, unsigned percent)
{
    return gen_below(g, 100) < percent;
}

static inline unsigned gen_type(struct gen *g, bool imm)
{
    for (;;) {
        static const uint8_t common[] = {EU_UD, EU_D, EU_F, EU_F, EU_UW, EU_W, EU_UB, EU_B};
        unsigned t = gen_chance(g, 70) ? common[gen_below(g, 8)] : gen_below(g, EU_N_TYPES);
        const struct eu_type_codes *c = &eu_type_codes[t];
        if ((imm ? c->imm : c->reg)[g->gen >= 80] >= 0)
            return t;
    }
}

static inline void gen_control(struct gen *g, struct eu_insn *in)
{
    const struct eu_op_info *info = eu_op_info(in->op);
    in->exec_size = 1 << gen_below(g, 6);
    unsigned unit = in->exec_size < 4 ? 4 : in->exec_size;
    in->group = gen_chance(g, 50) ? 0 : gen_below(g, 32 / unit) * unit;
    in->no_mask = in->op == EU_OP_jmpi || gen_chance(g, 20);
    if (info->pred && gen_chance(g, 30)) {
        in->pred = 1 + gen_below(g, in->align16 ? 7 : 13);
        in->pred_inv = gen_chance(g, 50);
        in->flag = gen_below(g, 4);
    }
    if (info->cond && gen_chance(g, 30)) {
        do
            in->cond = 1 + gen_below(g, 9);
        while (in->cond == 7);
        in->flag = in->pred ? in->flag : gen_below(g, 4);
    }
    in->saturate = info->sat && gen_chance(g, 20);
    if (!g->for_iga || !info->is_send) {
        in->thread_ctrl = gen_chance(g, 10) ? 1 + gen_below(g, 2) : 0;
        in->no_dd_clr = gen_chance(g, 5);
        in->no_dd_chk = gen_chance(g, 5);
    }
    in->debug = gen_chance(g, 3);
    if (eu_fmt(in->op) == EU_FMT_ALU)
        in->acc_wr = gen_chance(g, 10);
}

static inline struct eu_operand gen_dst(struct gen *g, const struct eu_insn *in)
{
    struct eu_operand o = {.file = EU_GRF, .type = gen_type(g, false)};
    unsigned size = eu_type_size(o.type);
    o.hs = 1 << gen_below(g, 3);
    if (in->align16) {
        o.hs = 1;
        o.chan_en = 1 + gen_below(g, 15);
        o.reg = gen_below(g, 128);
        o.sub = gen_below(g, 2) * 16;
    } else if (gen_chance(g, 10)) {
        o.indirect = true;
        o.a0_sub = gen_below(g, g->gen >= 80 ? 16 : 8);
        o.addr_imm = (int)gen_below(g, 1024) - 512;
    } else if (gen_chance(g, 10)) {
        static const uint8_t arfs[] = {EU_ARF_NULL, EU_ARF_A0, EU_ARF_ACC0, EU_ARF_ACC1,
                                       EU_ARF_F0,   EU_ARF_F1, EU_ARF_CR0};
        o.file = EU_ARF;
        o.reg = arfs[gen_below(g, 7)];
    } else {
        o.reg = gen_below(g, 128);
        o.sub = gen_below(g, 32 / size) * size;
        if (gen_chance(g, 60))
            o.sub = 0;
    }
    return o;
}

static inline struct eu_operand gen_src(struct gen *g, const struct eu_insn *in, bool imm)
{
    static const uint8_t regions[][3] = {{0, 1, 0}, {8, 8, 1}, {4, 4, 1}, {16, 16, 1}, {16, 8, 2},
                                         {8, 4, 2}, {2, 2, 1}, {1, 2, 0}, {32, 8, 4},  {16, 4, 4},
                                         {4, 2, 2}, {4, 1, 0}, {8, 1, 0}, {2, 1, 0},   {0, 4, 1}};
    if (imm && gen_chance(g, 25)) {
        struct eu_operand o = {.file = EU_IMM, .type = gen_type(g, true)};
        unsigned size = eu_type_size(o.type);
        bool may_be_64 = eu_op_info(in->op)->n_src == 1;
        while (size == 8 && !may_be_64) {
            o.type = gen_type(g, true);
            size = eu_type_size(o.type);
        }
        o.imm = (uint64_t)gen_bits(g) << 33 ^ (uint64_t)gen_bits(g) << 11 ^ gen_bits(g);
        if (gen_chance(g, 40))
            o.imm = gen_below(g, 5) - 2u;
        if (o.type == EU_F && gen_chance(g, 50))
            o.imm = 0x3f800000 + (gen_below(g, 16) << 21);
        if (size < 8)
            o.imm &= (1ull << 8 * size) - 1;
        return o;
    }
    struct eu_operand o = {.file = EU_GRF, .type = gen_type(g, false)};
    unsigned size = eu_type_size(o.type), r = gen_below(g, sizeof(regions) / 3);
    if (gen_chance(g, 50))
        r = gen_below(g, 3);
    o.vs = regions[r][0];
    o.width = regions[r][1];
    o.hs = regions[r][2];
    bool mods = eu_op_info(in->op)->mods && !(g->for_iga && in->op == EU_OP_math && g->gen < 80);
    if (mods && gen_chance(g, 20)) {
        o.negate = gen_chance(g, 70);
        o.abs = gen_chance(g, 40);
    }
    if (in->align16) {
        o.vs = gen_chance(g, 30) ? 0 : 4;
        o.width = 4;
        o.hs = 1;
        o.swizzle = gen_below(g, 256);
        o.reg = gen_below(g, 128);
        o.sub = gen_below(g, 2) * 16;
    } else if (gen_chance(g, 10)) {
        o.indirect = true;
        o.a0_sub = gen_below(g, g->gen >= 80 ? 16 : 8);
        o.addr_imm = (int)gen_below(g, 1024) - 512;
        if (gen_chance(g, 40)) {
            o.vs = EU_VS_VXH;
            if (o.width == 1)
                o.hs = 0;
        }
    } else if (gen_chance(g, 6)) {
        static const uint8_t arfs[] = {EU_ARF_A0,  EU_ARF_ACC0, EU_ARF_ACC1, EU_ARF_F0, EU_ARF_SR0,
                                       EU_ARF_CR0, EU_ARF_N0,   EU_ARF_IP,   EU_ARF_TM0};
        o.file = EU_ARF;
        o.reg = arfs[gen_below(g, 9)];
        o.sub = 0;
    } else {
        o.reg = gen_below(g, 128);
        o.sub = gen_chance(g, 60) ? 0 : gen_below(g, 32 / size) * size;
    }
    return o;
}

static inline void gen_alu3(struct gen *g, struct eu_insn *in)
{
    static const uint8_t types[] = {EU_F, EU_F, EU_F, EU_D, EU_UD, EU_DF, EU_HF};
    unsigned type = types[gen_below(g, g->gen >= 80 ? 7 : 6)], size = eu_type_size(type);
    in->dst = (struct eu_operand){
        .file = EU_GRF, .type = type, .hs = 1, .chan_en = 0xf, .reg = gen_below(g, 128)};
    in->dst.sub = gen_chance(g, 80) ? 0 : 16;
    if (gen_chance(g, 10)) { /* one channel */
        in->exec_size = size == 8 ? 2 : 4;
        in->group &= ~3u;
        in->dst.chan_en = size == 8 ? 3 << 2 * gen_below(g, 2) : 1 << gen_below(g, 4);
    } else if (!g->for_iga && gen_chance(g, 10)) {
        in->dst.chan_en = 1 + gen_below(g, 15);
    }
    for (int i = 0; i < 3; i++) {
        struct eu_operand *o = &in->src[i];
        *o = (struct eu_operand){
            .file = EU_GRF, .type = type, .reg = gen_below(g, 128), .swizzle = 0xe4};
        if (eu_op_info(in->op)->mods && gen_chance(g, 30)) {
            o->negate = gen_chance(g, 70);
            o->abs = gen_chance(g, 40);
        }
        if (!gen_chance(g, 25)) {
            o->sub = gen_chance(g, 80) ? 0 : 16;
        } else if (size == 8) {
            o->swizzle = gen_chance(g, 50) ? 0x44 : 0xee;
            o->sub = gen_below(g, 2) * 16;
        } else {
            o->rep = true;
            o->sub = gen_below(g, 32 / size) * size;
        }
        if (!g->for_iga && size != 8 && gen_chance(g, 10))
            o->swizzle = gen_below(g, 256);
    }
}

static inline void gen_jump(struct gen *g, struct eu_insn *in)
{
    unsigned n = eu_n_targets(g->gen, in->op);
    int range = g->gen >= 80 ? 1 << 24 : 4096 * 8;
    if (in->op == EU_OP_ret) {
        in->src[0] = (struct eu_operand){
            .file = EU_GRF, .type = EU_D, .reg = gen_below(g, 127), .vs = 2, .width = 2, .hs = 1};
        return;
    }
    if (in->op == EU_OP_call || in->op == EU_OP_calla)
        in->dst =
            (struct eu_operand){.file = EU_GRF, .type = EU_D, .reg = gen_below(g, 127), .hs = 1};
    in->branch_ctrl = eu_has_branch_ctrl(g->gen, in->op) && gen_chance(g, 20);
    if (in->op == EU_OP_jmpi)
        in->exec_size = 1, in->group &= ~3u;
    in->jip = ((int)gen_below(g, 2 * range) - range) & ~7;
    in->uip = n == 2 ? ((int)gen_below(g, 2 * range) - range) & ~7 : 0;
}

static inline void gen_send(struct gen *g, struct eu_insn *in)
{
    bool split = eu_fmt(in->op) == EU_FMT_SENDS;
    in->dst = (struct eu_operand){.file = EU_GRF,
                                  .type = gen_chance(g, 50) ? EU_UD : EU_UW,
                                  .reg = gen_below(g, 100),
                                  .hs = 1};
    if (gen_chance(g, 20)) {
        in->dst.file = EU_ARF;
        in->dst.reg = 0;
    }
    in->src[0] = (struct eu_operand){.file = EU_GRF, .type = EU_UD, .reg = gen_below(g, 60)};
    in->fn = gen_below(g, 16);
    unsigned rlen = in->dst.file == EU_GRF ? gen_below(g, 9) : 0;
    in->desc = (1 + gen_below(g, 8)) << 25 | rlen << 20 | gen_below(g, 1 << 20);
    if (split) {
        in->src[1] =
            (struct eu_operand){.file = EU_GRF, .type = EU_UD, .reg = 70 + gen_below(g, 30)};
        in->exdesc = gen_below(g, 9) << 6;
        if (gen_chance(g, 20)) {
            in->exdesc_reg = true;
            in->exdesc_sub = gen_below(g, 8);
            if (g->for_iga)
                in->fn = 0, in->exdesc = 0;
        }
    }
    if (!in->exdesc_reg && g->gen >= 90 && gen_chance(g, 20))
        in->exdesc |= gen_below(g, 0x10000) << 16;
    if (gen_chance(g, 20)) {
        in->desc_reg = true;
        in->desc = 0;
    }
}

/* One instruction of any opcode of the generation. */
static inline struct eu_insn gen_insn(struct gen *g)
{
    struct eu_insn in = {0};
    do
        in.op = gen_below(g, EU_N_OPS);
    while (g->gen < eu_op_info(in.op)->first_gen || g->gen > eu_op_info(in.op)->last_gen ||
           (g->for_iga && in.op == EU_OP_dim));
    enum eu_fmt fmt = eu_fmt(in.op);
    in.exec_size = 1;
    if (fmt == EU_FMT_NONE)
        return in;
    in.align16 = fmt == EU_FMT_ALU3 || (fmt == EU_FMT_ALU && !g->for_iga && gen_chance(g, 10));
    gen_control(g, &in);
    unsigned n = eu_op_info(in.op)->n_src;
    switch (fmt) {
    case EU_FMT_NONE:
        break;
    case EU_FMT_MATH:
        do
            in.fn = 1 + gen_below(g, g->gen >= 80 ? 15 : 13);
        while (!eu_math_names[in.fn]);
        if (eu_is_macro(&in)) {
            in.align16 = true;
            in.flag = in.pred ? in.flag : gen_below(g, 4);
            if (in.pred > (g->for_iga ? 1 : 7))
                in.pred = 1;
            unsigned type = gen_chance(g, 50) ? EU_DF : EU_F;
            in.dst = (struct eu_operand){
                .file = EU_GRF, .type = type, .reg = gen_below(g, 128), .acc = gen_below(g, 9)};
            for (int i = 0; i < (eu_math_is_binary(in.fn) ? 2 : 1); i++)
                in.src[i] = (struct eu_operand){.file = EU_GRF,
                                                .type = type,
                                                .reg = gen_below(g, 128),
                                                .acc = gen_below(g, 9),
                                                .vs = type == EU_DF ? 2 : 4};
            break;
        }
        in.dst = gen_dst(g, &in);
        in.src[0] = gen_src(g, &in, false);
        if (eu_math_is_binary(in.fn))
            in.src[1] = gen_src(g, &in, g->gen >= 80);
        break;
    case EU_FMT_ALU:
        if (in.op == EU_OP_dim) {
            in.align16 = false;
            in.exec_size = 1;
            in.pred = in.cond = in.flag = in.pred_inv = 0;
            in.dst = (struct eu_operand){
                .file = EU_GRF, .type = EU_DF, .reg = gen_below(g, 128), .hs = 1};
            in.src[0] = (struct eu_operand){
                .file = EU_IMM, .type = EU_DF, .imm = (uint64_t)gen_bits(g) << 32 | gen_bits(g)};
            break;
        }
        in.dst = gen_dst(g, &in);
        for (unsigned i = 0; i < n; i++)
            in.src[i] = gen_src(g, &in, i == n - 1);
        break;
    case EU_FMT_WAIT:
        in = (struct eu_insn){.op = in.op, .exec_size = 1, .no_mask = in.no_mask};
        in.src[0] = (struct eu_operand){.file = EU_ARF,
                                        .type = EU_UD,
                                        .reg = EU_ARF_N0,
                                        .width = 1,
                                        .sub = 4 * gen_below(g, 3)};
        break;
    case EU_FMT_ALU3:
        if (in.pred > (g->for_iga ? 1 : 7))
            in.pred = 1;
        if (g->for_iga && in.exec_size == 1)
            in.exec_size = 8, in.group &= 24;
        gen_alu3(g, &in);
        if (eu_is_macro(&in)) {
            unsigned type = gen_chance(g, 50) ? EU_DF : EU_F;
            in.dst = (struct eu_operand){
                .file = EU_GRF, .type = type, .reg = gen_below(g, 128), .acc = gen_below(g, 9)};
            for (int i = 0; i < 3; i++)
                in.src[i] = (struct eu_operand){
                    .file = EU_GRF, .type = type, .reg = gen_below(g, 128), .acc = gen_below(g, 9)};
        }
        break;
    case EU_FMT_JUMP:
        gen_jump(g, &in);
        break;
    case EU_FMT_SEND:
    case EU_FMT_SENDS:
        gen_send(g, &in);
        break;
    }
    return in;
}

static inline struct eu_insn gen_lawful(struct gen *g)
{
    for (;;) {
        struct eu_insn in = gen_insn(g);
        if (!eu_check(g->gen, g->quirks, &in))
            return in;
    }
}

#endif
