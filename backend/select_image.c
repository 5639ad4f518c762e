/* Selection of image operations: messages of the sampler (reads), typed surface writes.
 *
 * Reads have the width of a value. Writes move eight lanes, each group of eight by a message of
 * its own; the header that they need before Gen9 says that all slots count. */
#include "backend/select.h"

enum { CHANNELS = 4 };

/* One lane set of a source, into `off` of a payload. */
static void put_param(struct sel *s, uint32_t payload, uint32_t off, struct ir_src src,
                      enum eu_type t, unsigned exec, unsigned half)
{
    struct opnd from = sel_src(s, src, t);
    if (exec < s->cg->lanes)
        from = op_half(from, half);
    struct mi m = mi_alu(EU_OP_mov, exec, 1, op_lanes(payload, off, t), &from);
    m.e.group = exec < s->cg->lanes ? exec * half : 0;
    mi_push(s->cg, &m);
}

static void put_zero(struct sel *s, uint32_t payload, uint32_t off)
{
    struct opnd zero = op_imm(EU_D, 0);
    struct mi m = mi_alu(EU_OP_mov, s->cg->lanes, 1, op_lanes(payload, off, EU_D), &zero);
    mi_push(s->cg, &m);
}

/* The header by which a message reaches samplers beyond the first sixteen: where their table
 * begins. */
static void put_sampler_header(struct sel *s, uint32_t payload, unsigned sampler)
{
    enum { STATE_SIZE = 16 };
    struct cg *cg = s->cg;
    sel_shape(s, true);
    sel_mov(s, op_scalar(payload, 8, EU_UD), op_imm(EU_UD, 0));
    sel_op2(s, EU_OP_add, op_scalar(payload, 12, EU_D), op_scalar(cg->r0, 12, EU_D),
            op_imm(EU_D, (sampler & ~15u) * STATE_SIZE));
}

static void sel_read(struct sel *s, struct ir_insn *i)
{
    struct cg *cg = s->cg;
    bool ld = i->op != IR_sample, gen9 = cg->gen >= 90;
    enum eu_type t = ld ? EU_D : EU_F;
    unsigned g = cg->lane_regs, step = g * EU_GRF_SIZE;
    /* ld has its level of detail second before Gen9, which has messages without one. */
    unsigned gap = ld && !gen9 ? 1 : 0, n = i->n_src + (i->n_src > 1 ? gap : 0);
    unsigned sampler = ld ? 0 : i->imm >> 8;
    bool header = sampler >= 16;
    uint32_t at = header ? EU_GRF_SIZE : 0;
    uint32_t payload = vreg_new(cg, at + n * step, 1), out = vreg_new(cg, CHANNELS * step, 1);
    if (header)
        put_sampler_header(s, payload, sampler);
    sel_shape(s, false);
    for (unsigned k = 0; k < i->n_src; k++)
        put_param(s, payload, at + (k ? k + gap : 0) * step, i->src[k], t, cg->lanes, 0);
    if (n > i->n_src)
        put_zero(s, payload, at + step);
    struct message x = {.exec = cg->lanes,
                        .src = payload,
                        .dst = out,
                        .mem = i->op == IR_image_read ? MI_MEM_WRITE : MI_MEM_CONST};
    x.m = (struct msg){.kind = MSG_sampler,
                       .mlen = header + n * g,
                       .rlen = CHANNELS * g,
                       .header = header,
                       .bti = i->imm & 0xff,
                       .simd = cg->lanes,
                       .sampler_type = ld ? (gen9 ? MSG_SAMPLER_ld_lz : MSG_SAMPLER_ld)
                                          : (gen9 ? MSG_SAMPLER_sample_lz : MSG_SAMPLER_sample),
                       .sampler_index = sampler & 15};
    sel_send(s, &x, -1);
    for (unsigned k = 0; k < CHANNELS; k++)
        sel_place(s, i->dst[k], out, k * step, false);
    for (unsigned k = 0; k < CHANNELS; k++)
        if (i->dst[k]->n_uses)
            return;
    sel_wait(s, out, 0);
}

static void sel_write(struct sel *s, struct ir_insn *i)
{
    struct cg *cg = s->cg;
    unsigned header = cg->gen < 90, n = header + i->n_src;
    sel_shape(s, false);
    for (unsigned h = 0; h < cg->lane_regs; h++) {
        uint32_t payload = vreg_new(cg, n * EU_GRF_SIZE, 1);
        if (header) {
            struct opnd zero = op_imm(EU_UD, 0), slots = op_imm(EU_UD, 0xffff);
            struct mi clear = mi_alu(EU_OP_mov, 8, 1, op_lanes(payload, 0, EU_UD), &zero);
            clear.e.no_mask = true;
            mi_push(cg, &clear);
            struct mi all = mi_alu(EU_OP_mov, 1, 1, op_scalar(payload, 28, EU_UD), &slots);
            all.e.no_mask = true;
            mi_push(cg, &all);
        }
        for (unsigned k = 0; k < i->n_src; k++)
            put_param(s, payload, (header + k) * EU_GRF_SIZE, i->src[k], EU_UD, 8, h);
        struct message x = {.exec = 8, .group = 8 * h, .src = payload, .mem = MI_MEM_WRITE};
        x.m = (struct msg){.kind = MSG_typed_write,
                           .mlen = n,
                           .header = header,
                           .bti = i->imm & 0xff,
                           .simd = 8,
                           .n_chan = CHANNELS};
        sel_send(s, &x, -1);
    }
}

/* ---- blocks: the message moves a rectangle, eight lanes wide, whatever the mask ---- */

/* The byte at which the rectangle of lanes 8h begins. At SIMD32 the code of the lower lanes is
 * made twice (split.c): what differs has to come from a register of lanes. */
static void put_left_edge(struct sel *s, struct opnd to, struct ir_src x, unsigned bytes,
                          unsigned h)
{
    struct opnd at = sel_src(s, x, EU_D);
    if (!op_is_imm(&at))
        at = op_scalar(at.v, at.off, EU_D);
    sel_shape(s, true);
    if (s->cg->simd <= s->cg->lanes) {
        sel_op2(s, EU_OP_add, to, at, op_imm(EU_D, 8 * h * bytes));
        return;
    }
    struct opnd words = sel_lane_words(s), lane = sel_temp(s, EU_UD);
    sel_mov(s, lane, op_scalar(words.v, words.off + 16 * h, EU_UW));
    sel_op2(s, EU_OP_shl, lane, lane, op_imm(EU_UD, (uint32_t)__builtin_ctz(bytes)));
    sel_op2(s, EU_OP_add, to, op_type(lane, EU_D), at);
}

static void put_rectangle(struct sel *s, uint32_t payload, const struct ir_insn *i, unsigned rows,
                          unsigned bytes, unsigned h)
{
    struct opnd y = sel_src(s, i->src[1], EU_D);
    if (!op_is_imm(&y))
        y = op_scalar(y.v, y.off, EU_D);
    put_left_edge(s, op_scalar(payload, 0, EU_D), i->src[0], bytes, h);
    sel_shape(s, true);
    sel_mov(s, op_scalar(payload, 4, EU_D), y);
    sel_mov(s, op_scalar(payload, 8, EU_UD), op_imm(EU_UD, (rows - 1) << 16 | (8 * bytes - 1)));
}

static enum eu_type media_type(unsigned bytes)
{
    return bytes == 1 ? EU_UB : bytes == 2 ? EU_UW : EU_UD;
}

static void sel_media(struct sel *s, struct ir_insn *i)
{
    struct cg *cg = s->cg;
    bool read = i->op == IR_media_read;
    unsigned bytes = i->imm >> 8, rows = read ? i->n_dst : i->n_src - 2u, row = 8 * bytes;
    unsigned regs = (rows * row + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
    enum eu_type t = media_type(bytes);
    for (unsigned h = 0; h < cg->lane_regs; h++) {
        uint32_t payload = vreg_new(cg, (read ? 1 : 1 + regs) * EU_GRF_SIZE, 1);
        put_rectangle(s, payload, i, rows, bytes, h);
        struct message x = {.exec = 8, .no_mask = true, .src = payload, .mem = MI_MEM_WRITE};
        x.m = (struct msg){.kind = read ? MSG_media_read : MSG_media_write,
                           .mlen = read ? 1 : 1 + regs,
                           .rlen = read ? regs : 0,
                           .header = true,
                           .bti = i->imm & 0xff};
        if (read)
            x.dst = vreg_new(cg, regs * EU_GRF_SIZE, 1);
        for (unsigned k = 0; !read && k < rows; k++) {
            struct opnd from = op_half(bytes == 4 ? sel_src(s, i->src[2 + k], EU_UD)
                                                  : sel_src_low(s, i->src[2 + k], bytes),
                                       h);
            struct mi m =
                mi_alu(EU_OP_mov, 8, 1, op_lanes(payload, EU_GRF_SIZE + k * row, t), &from);
            m.e.no_mask = true;
            mi_push(cg, &m);
        }
        sel_send(s, &x, -1);
        for (unsigned k = 0; read && k < rows; k++) {
            struct opnd from = op_lanes(x.dst, k * row, t);
            struct mi m = mi_alu(EU_OP_mov, 8, 1, op_half(sel_dst(s, i->dst[k], EU_UD), h), &from);
            m.e.group = 8 * h;
            mi_push(cg, &m);
        }
    }
}

bool sel_image(struct sel *s, struct ir_insn *i)
{
    switch (i->op) {
    case IR_sample:
    case IR_texel:
    case IR_image_read:
        sel_read(s, i);
        return true;
    case IR_image_write:
        sel_write(s, i);
        return true;
    case IR_media_read:
    case IR_media_write:
        sel_media(s, i);
        return true;
    }
    return false;
}
