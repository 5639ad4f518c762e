/* struct eu_insn -> bits. Says why if a field can't hold its value; what is unwise but can be
 * encoded is eu_check's business. Operands of flow control and wait that are left zero get the
 * values that Intel's assembler writes there. */
#include "gen/eu.h"

#include "gen/eu_table.h"

struct encoder {
    int gen;
    struct eu_bits b;
    const char *why; /* the first error; NULL if none */
};

static void fail(struct encoder *e, const char *why)
{
    if (!e->why)
        e->why = why;
}

static void put(struct encoder *e, enum eu_field f, uint64_t value)
{
    if (!eu_has(e->gen, f)) {
        if (value)
            fail(e, eu_pos[f].why);
        return;
    }
    if (value > eu_field_mask(e->gen, f))
        fail(e, eu_pos[f].why);
    else
        eu_set(e->gen, &e->b, f, value);
}

static void put_code(struct encoder *e, enum eu_field f, int code, const char *why)
{
    if (code < 0)
        fail(e, why);
    else
        put(e, f, code);
}

static int log2_code(unsigned value, unsigned max)
{
    for (int i = 0; 1u << i <= max; i++) {
        if (1u << i == value)
            return i;
    }
    return -1;
}

static int stride_code(unsigned value, unsigned max)
{
    int code = value ? log2_code(value, max) : -1;
    return value == 0 ? 0 : code < 0 ? -1 : code + 1;
}

static void put_reg_type(struct encoder *e, enum eu_field f, unsigned type)
{
    put_code(e, f, type < EU_N_TYPES ? eu_type_codes[type].reg[e->gen >= 80] : -1,
             "this generation has no register operand of this type");
}

static void put_imm_type(struct encoder *e, enum eu_field f, unsigned type)
{
    put_code(e, f, type < EU_N_TYPES ? eu_type_codes[type].imm[e->gen >= 80] : -1,
             "this generation has no immediate of this type");
}

static int tri_code(const struct encoder *e, unsigned type)
{
    if (type >= EU_N_TYPES || (type == EU_HF && e->gen < 80))
        return -1;
    return eu_type_codes[type].tri;
}

static void put_addr(struct encoder *e, const struct eu_operand *o, enum eu_field low,
                     enum eu_field bit9, enum eu_field a0)
{
    if (o->addr_imm < -512 || o->addr_imm > 511)
        fail(e, "address immediate out of -512..511");
    unsigned imm = (unsigned)o->addr_imm & 0x3ff;
    put(e, low, imm & eu_field_mask(e->gen, low));
    if (eu_has(e->gen, bit9))
        put(e, bit9, imm >> 9);
    put(e, a0, o->a0_sub);
}

static void put_sub16(struct encoder *e, enum eu_field f, unsigned sub)
{
    if (sub & 15)
        fail(e, "subregister of this operand counts in 16 bytes");
    put(e, f, sub / 16);
}

static void encode_dst(struct encoder *e, const struct eu_insn *in)
{
    const struct eu_operand *o = &in->dst;
    if (o->file > EU_GRF)
        fail(e, "the destination is a register");
    put(e, EU_dst_file, o->file);
    put_reg_type(e, EU_dst_type, o->type);
    put_code(e, EU_dst_hstride, stride_code(o->hs, 4), "destination stride is none of 0 1 2 4");
    put(e, EU_dst_addr_mode, o->indirect);
    if (in->align16)
        put(e, EU_dst_chan_en, eu_is_macro(in) ? o->acc : o->chan_en);
    if (o->indirect) {
        if (in->align16)
            fail(e, "indirect destination in Align16");
        else
            put_addr(e, o, EU_dst_addr_imm, EU_dst_addr_imm9, EU_dst_a0_sub);
        return;
    }
    put(e, EU_dst_reg, o->reg);
    if (in->align16)
        put_sub16(e, EU_dst_sub16, o->sub);
    else
        put(e, EU_dst_sub, o->sub);
}

static void encode_imm(struct encoder *e, const struct eu_operand *o)
{
    unsigned size = o->type < EU_N_TYPES ? eu_type_size(o->type) : 4;
    if (size == 8) {
        put(e, EU_imm64, o->imm);
    } else if (size == 2) {
        if (o->imm >> 16)
            fail(e, "word immediate of more than 16 bits");
        put(e, EU_imm32, (o->imm & 0xffff) * 0x10001); /* both halves, as tools do */
    } else {
        put(e, EU_imm32, o->imm);
    }
}

static void encode_src(struct encoder *e, const struct eu_insn *in, const struct eu_operand *o,
                       const struct eu_src_fields *f)
{
    if (o->file == 2 || o->file > EU_IMM)
        fail(e, "reserved register file");
    put(e, f->file, o->file);
    if (o->file == EU_IMM) {
        put_imm_type(e, f->type, o->type);
        if (f != &eu_src_fields[0] && o->type < EU_N_TYPES && eu_type_size(o->type) == 8)
            fail(e, "64-bit immediate as second source");
        encode_imm(e, o);
        return;
    }
    put_reg_type(e, f->type, o->type);
    put(e, f->abs, o->abs);
    put(e, f->negate, o->negate);
    put(e, f->addr_mode, o->indirect);
    put_code(e, f->vstride, o->vs == EU_VS_VXH ? 15 : stride_code(o->vs, 32),
             "vertical stride is none of 0 1 2 4 8 16 32 VxH");
    if (in->align16) {
        if (o->indirect)
            fail(e, "indirect source in Align16");
        put(e, f->swz_xy, eu_is_macro(in) ? o->acc : o->swizzle & 0xf);
        if (!eu_is_macro(in))
            put(e, f->swz_zw, o->swizzle >> 4);
        put(e, f->reg, o->reg);
        put_sub16(e, f->sub16, o->sub);
        return;
    }
    /* A zeroed operand is null with the region <0;1,0>. */
    put_code(e, f->width, o->width ? log2_code(o->width, 16) : 0, "width is none of 1 2 4 8 16");
    put_code(e, f->hstride, stride_code(o->hs, 4), "horizontal stride is none of 0 1 2 4");
    if (o->indirect) {
        put_addr(e, o, f->addr_imm, f->addr_imm9, f->a0_sub);
    } else {
        if (o->vs == EU_VS_VXH)
            fail(e, "VxH region of a direct operand");
        put(e, f->reg, o->reg);
        put(e, f->sub, o->sub);
    }
}

static void put_file_type(struct encoder *e, const struct eu_operand *o,
                          const struct eu_src_fields *f)
{
    put(e, f->file, o->file);
    if (o->file == EU_IMM)
        put_imm_type(e, f->type, o->type);
    else
        put_reg_type(e, f->type, o->type);
}

static void encode_alu(struct encoder *e, const struct eu_insn *in)
{
    unsigned n = eu_op_info(in->op)->n_src;
    encode_dst(e, in);
    if (in->op == EU_OP_dim) {
        /* Haswell has no DF immediate: both source types say F, the 64 bits follow. */
        if (in->src[0].file != EU_IMM || in->src[0].type != EU_DF)
            fail(e, "dim takes a DF immediate");
        put(e, EU_src0_file, EU_IMM);
        put_imm_type(e, EU_src0_type, EU_F);
        put_reg_type(e, EU_src1_type, EU_F);
        if (in->pred != EU_PRED_NONE || in->cond != EU_COND_NONE)
            fail(e, "dim with a flag, which its immediate lies over");
        put(e, EU_imm64, in->src[0].imm);
        return;
    }
    encode_src(e, in, &in->src[0], &eu_src_fields[0]);
    if (in->src[0].file != EU_IMM) {
        encode_src(e, in, &in->src[1], &eu_src_fields[1]);
    } else if (n == 2) {
        fail(e, "immediate as first of two sources");
    } else if (in->src[0].type < EU_N_TYPES && eu_type_size(in->src[0].type) < 8) {
        put_file_type(e, &in->src[1], &eu_src_fields[1]);
    }
}

static void encode_alu3(struct encoder *e, const struct eu_insn *in)
{
    bool macro = eu_is_macro(in);
    if (!in->align16)
        fail(e, "three-source instructions are Align16");
    if (in->dst.file != EU_GRF || in->dst.indirect)
        fail(e, "the destination of a three-source instruction is a direct GRF operand");
    put_code(e, EU_tri_dst_type, tri_code(e, in->dst.type), "type of no three-source operand");
    put(e, EU_tri_dst_reg, in->dst.reg);
    if (in->dst.sub & 3)
        fail(e, "destination of a three-source instruction not dword aligned");
    put(e, EU_tri_dst_sub, in->dst.sub / 4);
    put(e, EU_tri_dst_chan_en, macro ? in->dst.acc : in->dst.chan_en);
    unsigned type = in->src[0].type;
    put_code(e, EU_tri_src_type, tri_code(e, type), "type of no three-source operand");
    for (int i = 0; i < 3; i++) {
        const struct eu_tri_fields *f = &eu_tri_fields[i];
        const struct eu_operand *o = &in->src[i];
        if (o->file != EU_GRF || o->indirect)
            fail(e, "the sources of a three-source instruction are direct GRF operands");
        if (o->type != type && !(e->gen >= 80 && i > 0 && type == EU_F && o->type == EU_HF))
            fail(e, "the sources of a three-source instruction differ in type");
        put(e, f->abs, o->abs);
        put(e, f->negate, o->negate);
        put(e, f->rep, o->rep);
        put(e, f->swz, macro ? o->acc : o->swizzle);
        put(e, f->reg, o->reg);
        if (o->sub & 1)
            fail(e, "source of a three-source instruction not word aligned");
        put(e, f->sub, o->sub / 4);
        put(e, f->word, (o->sub & 2) != 0);
    }
    if (e->gen >= 80) {
        /* Intel's assembler marks a uniform HF instruction on Gen9, not on Gen8. */
        bool mark = e->gen >= 90 || type != EU_HF;
        put(e, EU_tri_src1_hf, mark && in->src[1].type == EU_HF);
        put(e, EU_tri_src2_hf, mark && in->src[2].type == EU_HF);
    }
}

static bool is_zero(const struct eu_operand *o)
{
    return o->file == 0 && o->type == 0 && o->reg == 0 && o->sub == 0 && o->vs == 0 &&
           o->width == 0 && o->hs == 0 && !o->negate && !o->abs && !o->indirect && o->imm == 0;
}

static void fill(struct eu_operand *o, struct eu_operand with)
{
    if (is_zero(o))
        *o = with;
}

/* What Intel's assembler writes into the operands of flow control. */
static struct eu_insn filled_jump(int gen, const struct eu_insn *in)
{
    const struct eu_operand null = {.file = EU_ARF, .type = EU_UD, .hs = 1};
    const struct eu_operand imm_w = {.file = EU_IMM, .type = EU_W};
    const struct eu_operand imm_d = {.file = EU_IMM, .type = EU_D};
    const struct eu_operand none = {.file = EU_ARF, .type = EU_UD, .vs = 2, .width = 2, .hs = 1};
    struct eu_operand ip = {.file = EU_ARF, .type = EU_D, .reg = EU_ARF_IP, .hs = 1};
    struct eu_insn f = *in;
    if (in->op == EU_OP_jmpi) {
        ip.type = EU_UD;
        fill(&f.dst, ip);
        ip.hs = 0;
        ip.width = 1;
        fill(&f.src[0], ip);
        fill(&f.src[1], imm_d);
    } else if (in->op == EU_OP_brd || in->op == EU_OP_brc) {
        fill(&f.dst, ip);
        fill(&f.src[0], gen >= 80 ? imm_d : imm_w);
    } else if (in->op == EU_OP_call || in->op == EU_OP_calla) {
        if (gen != 80)
            fill(&f.src[0], none);
        fill(&f.src[1], imm_d);
    } else if (in->op == EU_OP_ret) {
        fill(&f.dst, null);
    } else {
        fill(&f.dst, null);
        if (in->op == EU_OP_endif || in->op == EU_OP_while || in->op == EU_OP_join)
            fill(&f.src[1], imm_d);
        else
            fill(&f.src[0], gen >= 80 ? imm_d : imm_w);
    }
    return f;
}

static void put_target16(struct encoder *e, enum eu_field f, int32_t distance)
{
    if (distance & 7 || distance < -32768 * 8 || distance > 32767 * 8)
        fail(e, "jump distance out of range or not a multiple of 8");
    put(e, f, (uint16_t)(distance / 8));
}

static void put_target32(struct encoder *e, int32_t distance, unsigned unit)
{
    if (distance & 7)
        fail(e, "jump distance is not a multiple of 8");
    put(e, EU_imm32, (uint32_t)(distance / (int)unit));
}

static void encode_jump(struct encoder *e, const struct eu_insn *original)
{
    struct eu_insn in = filled_jump(e->gen, original);
    unsigned n = eu_n_targets(e->gen, in.op), unit7 = e->gen == 70 ? 8 : 1;
    int target = eu_target_src(in.op);
    bool in_register = in.op == EU_OP_ret || (target >= 0 && in.src[target].file != EU_IMM);
    encode_dst(e, &in);
    if (in_register) {
        encode_src(e, &in, &in.src[0], &eu_src_fields[0]);
        encode_src(e, &in, &in.src[1], &eu_src_fields[1]);
        return;
    }
    if (e->gen >= 80 && n == 2) {
        put_file_type(e, &in.src[0], &eu_src_fields[0]);
        if ((in.uip | in.jip) & 7)
            fail(e, "jump distance is not a multiple of 8");
        put(e, EU_uip, (uint32_t)in.uip);
        put(e, EU_jip, (uint32_t)in.jip);
        return;
    }
    if (in.src[0].file == EU_IMM)
        put_file_type(e, &in.src[0], &eu_src_fields[0]);
    else
        encode_src(e, &in, &in.src[0], &eu_src_fields[0]);
    put_file_type(e, &in.src[1], &eu_src_fields[1]);
    if (in.op == EU_OP_jmpi) {
        put_target32(e, (int32_t)((uint32_t)in.jip - EU_INSN_SIZE), e->gen >= 80 ? 1 : unit7);
    } else if (in.op == EU_OP_call || in.op == EU_OP_calla) {
        put_target32(e, in.jip, e->gen >= 80 ? 1 : unit7);
    } else if (e->gen >= 80) {
        put_target32(e, in.jip, 1);
    } else if (in.op == EU_OP_brd) {
        put_target16(e, EU_jip, in.jip);
        put_target32(e, in.jip, 8); /* sign-extended */
    } else {
        put_target16(e, EU_jip, in.jip);
        if (n == 2)
            put_target16(e, EU_uip, in.uip);
    }
}

static void encode_exdesc(struct encoder *e, const struct eu_insn *in)
{
    if (e->gen >= 90 ? in->exdesc & 0xffff : in->exdesc)
        fail(e, "bits of the extended descriptor that send can't encode");
    if (e->gen < 90)
        return; /* the region's bits */
    put(e, EU_exdesc_31_28, in->exdesc >> 28);
    put(e, EU_exdesc_27_24, in->exdesc >> 24 & 0xf);
    put(e, EU_exdesc_23_20, in->exdesc >> 20 & 0xf);
    put(e, EU_exdesc_19_16, in->exdesc >> 16 & 0xf);
}

static void encode_send(struct encoder *e, const struct eu_insn *in)
{
    struct eu_insn f = *in;
    struct eu_operand *src0 = &f.src[0];
    if (f.dst.hs == 0)
        f.dst.hs = 1;
    encode_dst(e, &f);
    if (src0->file != EU_GRF || src0->indirect || src0->negate || src0->abs)
        fail(e, "the payload of a send is a direct GRF operand");
    if (in->exdesc_reg)
        fail(e, "send has no extended descriptor in a register");
    if (e->gen >= 90) /* parts of the extended descriptor stand in the region's place */
        src0->sub = src0->vs = src0->hs = src0->width = 0;
    encode_src(e, &f, src0, &eu_src_fields[0]);
    encode_exdesc(e, in);
    if (in->desc_reg) {
        put(e, EU_src1_file, EU_ARF);
        if (e->gen < 90) /* the type's bits belong to the extended descriptor later */
            put_reg_type(e, EU_src1_type, in->src[1].file == EU_ARF ? in->src[1].type : EU_UD);
        if (in->desc & ~0x60000000u)
            fail(e, "a descriptor in a0.0 leaves the instruction bits 30:29 only");
        put(e, EU_desc, in->desc & 0x60000000u);
        put(e, EU_src1_reg, EU_ARF_A0);
    } else {
        put(e, EU_src1_file, EU_IMM);
        if (e->gen < 90)
            put_imm_type(e, EU_src1_type, in->src[1].file == EU_IMM ? in->src[1].type : EU_UD);
        put(e, EU_desc, in->desc);
    }
    put(e, EU_eot, in->eot);
}

static void encode_sends(struct encoder *e, const struct eu_insn *in)
{
    const struct eu_operand *dst = &in->dst, *src0 = &in->src[0], *src1 = &in->src[1];
    if (dst->indirect || src0->indirect || src1->indirect)
        fail(e, "indirect operand of sends");
    if (dst->file > EU_GRF || src1->file > EU_GRF || src0->file != EU_GRF)
        fail(e, "the operands of sends are registers");
    put(e, EU_sends_dst_file, dst->file);
    put_reg_type(e, EU_sends_dst_type, dst->type);
    put(e, EU_sends_dst_reg, dst->reg);
    put_sub16(e, EU_sends_dst_sub16, dst->sub);
    put(e, EU_sends_src0_reg, src0->reg);
    put_sub16(e, EU_sends_src0_sub16, src0->sub);
    put(e, EU_sends_src1_file, src1->file);
    put(e, EU_sends_src1_reg, src1->reg);
    if (src1->sub)
        fail(e, "the second payload of sends starts at a register");
    put(e, EU_sends_desc_in_a0, in->desc_reg);
    put(e, EU_sends_desc, in->desc);
    put(e, EU_sends_eot, in->eot);
    put(e, EU_sends_exdesc_in_a0, in->exdesc_reg);
    if (in->exdesc & 0xfc3f)
        fail(e, "bits of the extended descriptor that sends can't encode");
    put(e, EU_sends_exdesc_9_6, in->exdesc >> 6 & 0xf);
    if (in->exdesc_reg) {
        if (in->exdesc >> 16 || in->exdesc_sub > 7)
            fail(e, "extended descriptor both in a0 and in the instruction");
        put(e, EU_sends_exdesc_31_16, in->exdesc_sub & 7);
    } else {
        put(e, EU_sends_exdesc_31_16, in->exdesc >> 16);
    }
}

static void encode_control(struct encoder *e, const struct eu_insn *in)
{
    enum eu_fmt fmt = eu_fmt(in->op);
    put_code(e, EU_exec_size, log2_code(in->exec_size, 32), "execution size is no 1 2 4 8 16 32");
    if (in->group & 3 || in->group > 28)
        fail(e, "first channel is no multiple of 4 below 32");
    put(e, EU_qtr_ctrl, in->group / 8 & 3);
    put(e, EU_nib_ctrl, in->group / 4 & 1);
    put(e, EU_pred_ctrl, in->pred);
    put(e, EU_pred_inv, in->pred_inv);
    put(e, EU_thread_ctrl, in->thread_ctrl);
    put(e, EU_no_mask, in->no_mask);
    put(e, EU_access_mode, in->align16);
    put(e, EU_saturate, in->saturate);
    put(e, EU_no_dd_clr, in->no_dd_clr);
    put(e, EU_no_dd_chk, in->no_dd_chk);
    put(e, EU_debug_ctrl, in->debug);
    if (eu_has_branch_ctrl(e->gen, in->op)) {
        put(e, EU_acc_wr, in->branch_ctrl);
        if (in->acc_wr)
            fail(e, "this instruction doesn't write the accumulator");
    } else {
        put(e, EU_acc_wr, in->acc_wr);
        if (in->branch_ctrl)
            fail(e, "this instruction has no BranchCtrl");
    }
    if (fmt == EU_FMT_SENDS)
        put(e, EU_sends_flag, in->flag);
    else
        put(e, fmt == EU_FMT_ALU3 ? EU_tri_flag : EU_flag, in->flag);
    if (fmt == EU_FMT_MATH || fmt == EU_FMT_SEND || fmt == EU_FMT_SENDS) {
        put(e, EU_cond_mod, in->fn);
        if (in->cond)
            fail(e, "math and send have no condition modifier");
    } else {
        put(e, EU_cond_mod, in->cond);
    }
}

bool eu_encode(int gen, const struct eu_insn *in, struct eu_bits *out, const char **why)
{
    struct encoder e = {.gen = gen};
    if (in->op >= EU_N_OPS) {
        *why = "no opcode";
        return false;
    }
    const struct eu_op_info *info = eu_op_info(in->op);
    if (gen < info->first_gen || gen > info->last_gen) {
        *why = "this generation lacks the instruction";
        return false;
    }
    put(&e, EU_opcode, info->code);
    if (eu_fmt(in->op) == EU_FMT_NONE)
        put(&e, EU_debug_ctrl, in->debug);
    else
        encode_control(&e, in);
    switch (eu_fmt(in->op)) {
    case EU_FMT_NONE:
        break;
    case EU_FMT_ALU:
    case EU_FMT_MATH:
        encode_alu(&e, in);
        break;
    case EU_FMT_WAIT: {
        /* The notification register is source and destination. */
        struct eu_insn f = *in;
        fill(&f.dst, (struct eu_operand){.file = EU_ARF,
                                         .type = EU_UD,
                                         .reg = in->src[0].reg,
                                         .sub = in->src[0].sub,
                                         .hs = 1});
        encode_alu(&e, &f);
        break;
    }
    case EU_FMT_ALU3:
        encode_alu3(&e, in);
        break;
    case EU_FMT_JUMP:
        encode_jump(&e, in);
        break;
    case EU_FMT_SEND:
        encode_send(&e, in);
        break;
    case EU_FMT_SENDS:
        encode_sends(&e, in);
        break;
    }
    if (e.why) {
        *why = e.why;
        return false;
    }
    *out = e.b;
    return true;
}
