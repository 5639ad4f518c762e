/* Bits -> struct eu_insn. Fields that an instruction has no use for are read as far as they make
 * sense (so that encoding gives the same bits again) and never rejected; those it uses must be
 * legal codes. */
#include "gen/eu.h"

#include "gen/eu_table.h"

#include <string.h>

struct decoder {
    int gen;
    const struct eu_bits *b;
    const char *why; /* the first error; NULL if none */
};

static uint64_t get(const struct decoder *d, enum eu_field f)
{
    return eu_get(d->gen, d->b, f);
}

static uint64_t get_if(const struct decoder *d, enum eu_field f)
{
    return eu_has(d->gen, f) ? get(d, f) : 0;
}

static void fail(struct decoder *d, const char *why)
{
    if (!d->why)
        d->why = why;
}

static int32_t sign_extend(uint64_t v, unsigned bits)
{
    return (int32_t)((uint32_t)v << (32 - bits)) >> (32 - bits);
}

static uint8_t reg_type(struct decoder *d, unsigned code)
{
    for (int t = 0; t < EU_N_TYPES; t++) {
        if (eu_type_codes[t].reg[d->gen >= 80] == (int)code)
            return t;
    }
    fail(d, "reserved type of a register operand");
    return EU_UD;
}

static uint8_t imm_type(struct decoder *d, unsigned code)
{
    for (int t = 0; t < EU_N_TYPES; t++) {
        if (eu_type_codes[t].imm[d->gen >= 80] == (int)code)
            return t;
    }
    fail(d, "reserved type of an immediate");
    return EU_UD;
}

static uint8_t tri_type(struct decoder *d, unsigned code)
{
    for (int t = 0; t < EU_N_TYPES; t++) {
        if (eu_type_codes[t].tri == (int)code)
            return t;
    }
    fail(d, "reserved type of a three-source operand");
    return EU_F;
}

static uint8_t exec_size(struct decoder *d)
{
    unsigned code = get(d, EU_exec_size);
    if (code > 5)
        fail(d, "reserved execution size");
    return 1 << (code & 7);
}

/* 0, 1, 2, 4 for the codes of a horizontal stride. */
static uint8_t hstride(unsigned code)
{
    return code ? 1 << (code - 1) : 0;
}

static uint8_t vstride(struct decoder *d, unsigned code)
{
    if (code == 15)
        return EU_VS_VXH;
    if (code > 6)
        fail(d, "reserved vertical stride");
    return code ? 1 << (code - 1) : 0;
}

static uint8_t width(struct decoder *d, unsigned code)
{
    if (code > 4)
        fail(d, "reserved width");
    return 1 << code;
}

static int16_t addr_imm(const struct decoder *d, enum eu_field low, enum eu_field bit9)
{
    return sign_extend(get(d, low) | get_if(d, bit9) << 9, 10);
}

static void decode_dst(struct decoder *d, const struct eu_insn *in, struct eu_operand *o)
{
    o->file = get(d, EU_dst_file);
    if (o->file > EU_GRF)
        fail(d, "reserved register file of the destination");
    o->type = reg_type(d, get(d, EU_dst_type));
    o->hs = hstride(get(d, EU_dst_hstride));
    o->indirect = get(d, EU_dst_addr_mode);
    if (in->align16) {
        if (eu_is_macro(in))
            o->acc = get(d, EU_dst_chan_en);
        else
            o->chan_en = get(d, EU_dst_chan_en);
    }
    if (o->indirect) {
        o->addr_imm = addr_imm(d, EU_dst_addr_imm, EU_dst_addr_imm9);
        o->a0_sub = get(d, EU_dst_a0_sub);
        if (in->align16)
            fail(d, "indirect destination in Align16");
        return;
    }
    o->reg = get(d, EU_dst_reg);
    o->sub = in->align16 ? get(d, EU_dst_sub16) * 16 : get(d, EU_dst_sub);
}

static void decode_src(struct decoder *d, const struct eu_insn *in, struct eu_operand *o,
                       const struct eu_src_fields *f)
{
    o->file = get(d, f->file);
    if (o->file == 2)
        fail(d, "reserved register file of a source");
    if (o->file == EU_IMM) {
        o->type = imm_type(d, get(d, f->type));
        if (eu_type_size(o->type) == 8) {
            if (f != &eu_src_fields[0])
                fail(d, "64-bit immediate as second source");
            o->imm = get(d, EU_imm64);
        } else {
            o->imm = get(d, EU_imm32);
            if (eu_type_size(o->type) == 2)
                o->imm &= 0xffff;
        }
        return;
    }
    o->type = reg_type(d, get(d, f->type));
    o->abs = get(d, f->abs);
    o->negate = get(d, f->negate);
    o->indirect = get(d, f->addr_mode);
    o->vs = vstride(d, get(d, f->vstride));
    if (in->align16) {
        uint8_t xy = get(d, f->swz_xy), zw = get(d, f->swz_zw);
        if (o->indirect)
            fail(d, "indirect source in Align16");
        if (eu_is_macro(in)) {
            o->acc = xy;
        } else {
            o->swizzle = xy | zw << 4;
            o->width = 4;
            o->hs = 1;
        }
        o->reg = get(d, f->reg);
        o->sub = get(d, f->sub16) * 16;
        return;
    }
    o->width = width(d, get(d, f->width));
    o->hs = hstride(get(d, f->hstride));
    if (o->indirect) {
        o->addr_imm = addr_imm(d, f->addr_imm, f->addr_imm9);
        o->a0_sub = get(d, f->a0_sub);
    } else {
        o->reg = get(d, f->reg);
        o->sub = get(d, f->sub);
        if (o->vs == EU_VS_VXH)
            fail(d, "VxH region of a direct operand");
    }
}

/* An operand the instruction ignores: kept if it is legal, else left zero. */
static void decode_unused(struct decoder *d, const struct eu_insn *in, struct eu_operand *o,
                          const struct eu_src_fields *f)
{
    struct decoder quiet = {.gen = d->gen, .b = d->b};
    struct eu_operand got = {0};
    decode_src(&quiet, in, &got, f);
    if (!quiet.why)
        *o = got;
}

/* File and type only, where an immediate covers the rest. */
static void decode_file_type(struct decoder *d, struct eu_operand *o, const struct eu_src_fields *f)
{
    struct decoder quiet = {.gen = d->gen, .b = d->b};
    unsigned file = get(d, f->file), code = get(d, f->type);
    unsigned type = file == EU_IMM ? imm_type(&quiet, code) : reg_type(&quiet, code);
    if (quiet.why || file == 2)
        return;
    o->file = file;
    o->type = type;
}

static void decode_dim(struct decoder *d, struct eu_insn *in)
{
    decode_dst(d, in, &in->dst);
    if (get(d, EU_src0_file) != EU_IMM) {
        fail(d, "dim takes an immediate only");
        return;
    }
    in->src[0] = (struct eu_operand){.file = EU_IMM, .type = EU_DF, .imm = get(d, EU_imm64)};
    in->flag = 0; /* the immediate lies over it */
    if (in->pred != EU_PRED_NONE || in->cond != EU_COND_NONE)
        fail(d, "dim with a flag, which its immediate lies over");
}

static void decode_alu(struct decoder *d, struct eu_insn *in)
{
    unsigned n = eu_op_info(in->op)->n_src;
    if (in->op == EU_OP_dim) {
        decode_dim(d, in);
        return;
    }
    decode_dst(d, in, &in->dst);
    decode_src(d, in, &in->src[0], &eu_src_fields[0]);
    const struct eu_operand *src0 = &in->src[0];
    if (n == 1 && src0->file == EU_IMM) {
        if (eu_type_size(src0->type) < 8)
            decode_file_type(d, &in->src[1], &eu_src_fields[1]);
    } else if (n == 1) {
        decode_unused(d, in, &in->src[1], &eu_src_fields[1]);
    } else {
        if (src0->file == EU_IMM)
            fail(d, "immediate as first of two sources");
        decode_src(d, in, &in->src[1], &eu_src_fields[1]);
    }
}

static void decode_alu3(struct decoder *d, struct eu_insn *in)
{
    if (!in->align16) {
        fail(d, "three-source instruction in Align1");
        return;
    }
    in->dst = (struct eu_operand){
        .file = EU_GRF,
        .type = tri_type(d, get(d, EU_tri_dst_type)),
        .reg = get(d, EU_tri_dst_reg),
        .sub = get(d, EU_tri_dst_sub) * 4,
        .hs = 1,
    };
    bool macro = eu_is_macro(in);
    if (macro)
        in->dst.acc = get(d, EU_tri_dst_chan_en);
    else
        in->dst.chan_en = get(d, EU_tri_dst_chan_en);
    uint8_t type = tri_type(d, get(d, EU_tri_src_type));
    for (int i = 0; i < 3; i++) {
        const struct eu_tri_fields *f = &eu_tri_fields[i];
        struct eu_operand *o = &in->src[i];
        o->file = EU_GRF;
        o->type = type;
        o->abs = get(d, f->abs);
        o->negate = get(d, f->negate);
        o->rep = get(d, f->rep);
        if (macro)
            o->acc = get(d, f->swz) & 0xf;
        else
            o->swizzle = get(d, f->swz);
        o->reg = get(d, f->reg);
        o->sub = get(d, f->sub) * 4 + (get_if(d, f->word) ? 2 : 0);
    }
    if (type == EU_F && get_if(d, EU_tri_src1_hf))
        in->src[1].type = EU_HF;
    if (type == EU_F && get_if(d, EU_tri_src2_hf))
        in->src[2].type = EU_HF;
}

/* Gen7 and 7.5: 16-bit targets in units of 8 bytes; 7.5's jmpi and call count bytes. */
static void decode_jump7(struct decoder *d, struct eu_insn *in)
{
    uint32_t imm = get(d, EU_imm32), unit = d->gen == 70 ? 8 : 1;
    decode_dst(d, in, &in->dst);
    decode_unused(d, in, &in->src[0], &eu_src_fields[0]);
    decode_unused(d, in, &in->src[1], &eu_src_fields[1]);
    for (int i = 0; i < 2; i++) {
        if (in->src[i].file == EU_IMM)
            in->src[i].imm = 0; /* stands in jip and uip */
    }
    if (in->op == EU_OP_ret)
        decode_src(d, in, &in->src[0], &eu_src_fields[0]);
    int target = eu_target_src(in->op);
    if (target >= 0 && in->src[target].file != EU_IMM) {
        decode_src(d, in, &in->src[target], &eu_src_fields[target]);
        return;
    }
    if (in->op == EU_OP_jmpi) {
        in->jip = (int32_t)(imm * unit + EU_INSN_SIZE);
    } else if (in->op == EU_OP_call || in->op == EU_OP_calla) {
        in->jip = (int32_t)(imm * unit);
    } else if (eu_n_targets(d->gen, in->op) > 0) {
        in->jip = sign_extend(get(d, EU_jip), 16) * 8;
        if (eu_n_targets(d->gen, in->op) == 2)
            in->uip = sign_extend(get(d, EU_uip), 16) * 8;
    }
}

static void decode_jump8(struct decoder *d, struct eu_insn *in)
{
    unsigned n = eu_n_targets(d->gen, in->op);
    int target = eu_target_src(in->op);
    bool in_register = target >= 0 && get(d, eu_src_fields[target].file) != EU_IMM;
    decode_dst(d, in, &in->dst);
    if (in_register || in->op == EU_OP_ret) {
        decode_unused(d, in, &in->src[0], &eu_src_fields[0]);
        decode_unused(d, in, &in->src[1], &eu_src_fields[1]);
        int source = in->op == EU_OP_ret ? 0 : target;
        decode_src(d, in, &in->src[source], &eu_src_fields[source]);
        return;
    }
    if (n == 2) {
        decode_file_type(d, &in->src[0], &eu_src_fields[0]);
        in->uip = (int32_t)get(d, EU_uip);
    } else {
        decode_unused(d, in, &in->src[0], &eu_src_fields[0]);
        decode_file_type(d, &in->src[1], &eu_src_fields[1]);
        in->src[0].imm = 0;
    }
    in->jip = (int32_t)((uint32_t)get(d, EU_jip) + (in->op == EU_OP_jmpi ? EU_INSN_SIZE : 0));
}

static void decode_send(struct decoder *d, struct eu_insn *in)
{
    decode_dst(d, in, &in->dst);
    if (d->gen >= 90) /* the type's bits belong to the extended descriptor */
        in->src[1].file = get(d, EU_src1_file);
    else
        decode_file_type(d, &in->src[1], &eu_src_fields[1]);
    struct eu_operand *src0 = &in->src[0];
    src0->file = get(d, EU_src0_file);
    src0->type = reg_type(d, get(d, EU_src0_type));
    if (src0->file != EU_GRF || get(d, EU_src0_addr_mode))
        fail(d, "the payload of a send is a direct GRF operand");
    src0->reg = get(d, EU_src0_reg);
    if (d->gen >= 90) {
        /* Parts of the extended descriptor share the bits of the region and the subregister. */
        in->exdesc = (uint32_t)(get(d, EU_exdesc_31_28) << 28 | get(d, EU_exdesc_27_24) << 24 |
                                get(d, EU_exdesc_23_20) << 20 | get(d, EU_exdesc_19_16) << 16);
    } else {
        struct decoder quiet = {.gen = d->gen, .b = d->b};
        src0->sub = get(d, EU_src0_sub);
        src0->vs = vstride(&quiet, get(d, EU_src0_vstride));
        src0->width = width(&quiet, get(d, EU_src0_width));
        src0->hs = hstride(get(d, EU_src0_hstride));
        if (quiet.why || src0->vs == EU_VS_VXH)
            src0->vs = src0->width = src0->hs = 0;
    }
    in->eot = get(d, EU_eot);
    if (in->src[1].file == EU_IMM) {
        in->desc = get(d, EU_desc);
        return;
    }
    if (in->src[1].file != EU_ARF || get(d, EU_src1_reg) != EU_ARF_A0 ||
        get(d, EU_src1_addr_mode) || get(d, EU_src1_sub))
        fail(d, "the descriptor of a send is an immediate or a0.0");
    in->desc_reg = true;
    in->src[1].reg = EU_ARF_A0;
    in->desc = get(d, EU_desc) & 0x60000000; /* the only bits that count besides EOT */
}

static void decode_sends(struct decoder *d, struct eu_insn *in)
{
    if (get(d, EU_sends_dst_addr_mode) || get(d, EU_sends_src0_addr_mode))
        fail(d, "indirect operand of sends");
    if (in->align16)
        fail(d, "sends in Align16");
    in->dst = (struct eu_operand){
        .file = get(d, EU_sends_dst_file),
        .type = reg_type(d, get(d, EU_sends_dst_type)),
        .reg = get(d, EU_sends_dst_reg),
        .sub = get(d, EU_sends_dst_sub16) * 16,
        .hs = 1,
    };
    in->src[0] = (struct eu_operand){
        .file = EU_GRF,
        .type = EU_UD,
        .reg = get(d, EU_sends_src0_reg),
        .sub = get(d, EU_sends_src0_sub16) * 16,
    };
    in->src[1] = (struct eu_operand){
        .file = get(d, EU_sends_src1_file),
        .type = EU_UD,
        .reg = get(d, EU_sends_src1_reg),
    };
    in->desc_reg = get(d, EU_sends_desc_in_a0);
    in->desc = get(d, EU_sends_desc);
    in->eot = get(d, EU_sends_eot);
    in->exdesc_reg = get(d, EU_sends_exdesc_in_a0);
    in->exdesc = get(d, EU_sends_exdesc_9_6) << 6;
    if (in->exdesc_reg)
        in->exdesc_sub = get(d, EU_sends_exdesc_31_16) & 7;
    else
        in->exdesc |= get(d, EU_sends_exdesc_31_16) << 16;
}

static void decode_control(struct decoder *d, struct eu_insn *in)
{
    enum eu_fmt fmt = eu_fmt(in->op);
    in->exec_size = exec_size(d);
    in->group = get(d, EU_qtr_ctrl) * 8 + get(d, EU_nib_ctrl) * 4;
    in->pred = get(d, EU_pred_ctrl);
    if (in->pred > EU_PRED_ALL32H)
        fail(d, "reserved predicate control");
    in->pred_inv = get(d, EU_pred_inv);
    in->thread_ctrl = get(d, EU_thread_ctrl);
    if (in->thread_ctrl > EU_THREAD_SWITCH)
        fail(d, "reserved thread control");
    in->no_mask = get(d, EU_no_mask);
    in->align16 = get(d, EU_access_mode);
    in->saturate = get(d, EU_saturate);
    in->no_dd_clr = get(d, EU_no_dd_clr);
    in->no_dd_chk = get(d, EU_no_dd_chk);
    in->debug = get(d, EU_debug_ctrl);
    if (eu_has_branch_ctrl(d->gen, in->op))
        in->branch_ctrl = get(d, EU_acc_wr);
    else
        in->acc_wr = get(d, EU_acc_wr);
    if (fmt == EU_FMT_SENDS)
        in->flag = get(d, EU_sends_flag);
    else
        in->flag = get(d, fmt == EU_FMT_ALU3 ? EU_tri_flag : EU_flag);
    if (fmt == EU_FMT_MATH || fmt == EU_FMT_SEND || fmt == EU_FMT_SENDS) {
        in->fn = get(d, EU_cond_mod);
        if (fmt == EU_FMT_MATH && (in->fn == 0 || in->fn == 8))
            fail(d, "reserved math function");
        if (fmt == EU_FMT_MATH && in->fn >= EU_MATH_INVM && d->gen < 80)
            fail(d, "math function of Gen8 and later");
    } else {
        in->cond = get(d, EU_cond_mod);
        if (in->cond == 7 || in->cond > EU_COND_U)
            fail(d, "reserved condition modifier");
    }
}

static bool decode_native(int gen, const struct eu_bits *b, struct eu_insn *out, const char **why)
{
    struct decoder d = {.gen = gen, .b = b};
    struct eu_insn in = {0};
    int op = eu_op_from_code(gen, get(&d, EU_opcode));
    if (op < 0) {
        *why = "reserved opcode";
        return false;
    }
    in.op = op;
    switch (eu_fmt(op)) {
    case EU_FMT_NONE:
        in.exec_size = 1;
        in.debug = get(&d, EU_debug_ctrl);
        break;
    case EU_FMT_ALU:
    case EU_FMT_MATH:
    case EU_FMT_WAIT:
        decode_control(&d, &in);
        decode_alu(&d, &in);
        break;
    case EU_FMT_ALU3:
        decode_control(&d, &in);
        decode_alu3(&d, &in);
        break;
    case EU_FMT_JUMP:
        decode_control(&d, &in);
        if (in.align16)
            fail(&d, "flow control in Align16");
        else if (gen >= 80)
            decode_jump8(&d, &in);
        else
            decode_jump7(&d, &in);
        break;
    case EU_FMT_SEND:
        decode_control(&d, &in);
        if (in.align16)
            fail(&d, "send in Align16");
        decode_send(&d, &in);
        break;
    case EU_FMT_SENDS:
        decode_control(&d, &in);
        decode_sends(&d, &in);
        break;
    }
    if ((in.jip | in.uip) & 7)
        fail(&d, "jump distance is not a multiple of 8");
    if (d.why) {
        *why = d.why;
        return false;
    }
    *out = in;
    return true;
}

unsigned eu_decode(int gen, const void *p, size_t size, struct eu_insn *out, const char **why)
{
    struct eu_bits b = {{0, 0}};
    if (size < EU_COMPACT_SIZE) {
        *why = "instruction runs past the end";
        return 0;
    }
    memcpy(&b.q[0], p, sizeof(b.q[0]));
    if (eu_get(gen, &b, EU_cmpt_ctrl)) {
        uint64_t compact = b.q[0];
        if (!eu_uncompact(gen, compact, &b, why) || !decode_native(gen, &b, out, why))
            return 0;
        out->compact = true;
        return EU_COMPACT_SIZE;
    }
    if (size < EU_INSN_SIZE) {
        *why = "instruction runs past the end";
        return 0;
    }
    memcpy(&b.q[1], (const uint8_t *)p + 8, sizeof(b.q[1]));
    return decode_native(gen, &b, out, why) ? EU_INSN_SIZE : 0;
}
