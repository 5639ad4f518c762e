/* Instruction selection: what the lanes of a thread do together. Steps among lanes run in all of
 * them, whatever the mask; a lane that is off brings the operation's identity along. Distances are
 * regions, so nothing is said of lanes by address. */
#include "backend/select.h"

#include <string.h>

static const struct opnd none;

/* One of enum ir_group_op in an instruction. */
static const struct kind {
    uint8_t op, type, cond;
    uint32_t identity;
} kinds[] = {
    [IR_GROUP_ADD] = {EU_OP_add, EU_UD, EU_COND_NONE, 0},
    [IR_GROUP_UMIN] = {EU_OP_sel, EU_UD, EU_COND_L, UINT32_MAX},
    [IR_GROUP_UMAX] = {EU_OP_sel, EU_UD, EU_COND_GE, 0},
    [IR_GROUP_SMIN] = {EU_OP_sel, EU_D, EU_COND_L, INT32_MAX},
    [IR_GROUP_SMAX] = {EU_OP_sel, EU_D, EU_COND_GE, 0x80000000},
    [IR_GROUP_AND] = {EU_OP_and, EU_UD, EU_COND_NONE, UINT32_MAX},
    [IR_GROUP_OR] = {EU_OP_or, EU_UD, EU_COND_NONE, 0},
    [IR_GROUP_XOR] = {EU_OP_xor, EU_UD, EU_COND_NONE, 0},
    [IR_GROUP_FADD] = {EU_OP_add, EU_F, EU_COND_NONE, 0x80000000},
    [IR_GROUP_FMUL] = {EU_OP_mul, EU_F, EU_COND_NONE, 0x3f800000},
    [IR_GROUP_FMIN] = {EU_OP_sel, EU_F, EU_COND_L, 0x7f800000},
    [IR_GROUP_FMAX] = {EU_OP_sel, EU_F, EU_COND_GE, 0xff800000},
};

static struct mi in_all(enum eu_opcode op, enum eu_cond cond, unsigned exec, struct opnd d,
                        struct opnd a, struct opnd b)
{
    struct opnd src[2] = {a, b};
    struct mi m = mi_alu(op, exec, op == EU_OP_mov ? 1 : 2, d, src);
    m.e.no_mask = true;
    m.e.cond = cond;
    return m;
}

static void put_all(struct sel *s, enum eu_opcode op, enum eu_cond cond, unsigned exec,
                    struct opnd d, struct opnd a, struct opnd b)
{
    struct mi m = in_all(op, cond, exec, d, a, b);
    mi_push(s->cg, &m);
}

/* At SIMD32, where the rest is made once for each half of the lanes: made once; operands k of which
 * bit k of `upper` is set are of the upper half. */
static void put_lone(struct sel *s, const struct kind *k, enum eu_opcode op, unsigned exec,
                     unsigned upper, struct opnd d, struct opnd a, struct opnd b)
{
    struct mi m = in_all(op, op == EU_OP_mov ? EU_COND_NONE : k->cond, exec, d, a, b);
    m.is_lone = true;
    m.upper = (uint8_t)upper;
    mi_push(s->cg, &m);
}

enum { UPPER_DST = 1, UPPER_SRC0 = 2, UPPER_SRC1 = 4 };

static bool is_halved(const struct sel *s)
{
    return s->cg->simd > s->cg->lanes;
}

static void combine(struct sel *s, const struct kind *k, unsigned exec, struct opnd d,
                    struct opnd a, struct opnd b)
{
    put_all(s, k->op, k->cond, exec, d, a, b);
}

/* Lanes first .. first + n - 1 of the dwords at v + off. */
static struct opnd lanes(uint32_t v, uint32_t off, enum eu_type t, unsigned first, unsigned n)
{
    return n == 1 ? op_scalar(v, off + 4 * first, t) : op_slice(op_lanes(v, off, t), first, n);
}

/* x of the active lanes at v + off, the identity in the others. */
static void gather(struct sel *s, const struct kind *k, struct ir_src x, uint32_t v, uint32_t off)
{
    for (unsigned at = 0; at < s->cg->lanes; at += 8)
        put_all(s, EU_OP_mov, EU_COND_NONE, 8, lanes(v, off, k->type, at, 8),
                op_imm(k->type, k->identity), none);
    sel_shape(s, false);
    sel_mov(s, op_lanes(v, off, k->type), sel_src(s, x, k->type));
}

static void sel_reduce(struct sel *s, struct ir_insn *i)
{
    const struct kind *k = &kinds[i->imm];
    uint32_t v = vreg_lanes(s->cg);
    gather(s, k, i->src[0], v, 0);
    for (unsigned n = s->cg->lanes / 2; n; n /= 2)
        combine(s, k, n, lanes(v, 0, k->type, 0, n), lanes(v, 0, k->type, 0, n),
                lanes(v, 0, k->type, n, n));
    struct opnd all = op_scalar(v, 0, k->type);
    if (is_halved(s)) {
        all = op_scalar(vreg_scalar(s->cg), 0, k->type);
        put_lone(s, k, k->op, 1, UPPER_SRC1, all, op_scalar(v, 0, k->type),
                 op_scalar(v, 0, k->type));
    }
    sel_shape(s, i->dst[0]->uniform);
    sel_mov(s, sel_dst(s, i->dst[0], k->type), all);
}

/* Every second dword of four. */
static struct opnd every(unsigned step, uint32_t v, uint32_t off, enum eu_type t)
{
    struct opnd o = op_lanes(v, off, t);
    o.o.hs = step;
    o.o.width = 8 / step;
    o.o.vs = 8;
    return o;
}

/* Inclusive: within registers pairs, fours and eights, then each register takes over the last lane
 * of the one before, and the upper half of 32 lanes that of the lower. Exclusive: the same, read
 * one lane earlier; before the first lane stands the identity. */
static void sel_scan(struct sel *s, struct ir_insn *i)
{
    const struct kind *k = &kinds[i->imm & 0xff];
    bool exclusive = i->imm & IR_GROUP_EXCLUSIVE;
    unsigned simd = s->cg->lanes;
    enum eu_type t = k->type;
    const uint32_t base = EU_GRF_SIZE;
    uint32_t v = vreg_new(s->cg, base + 4 * simd, 1);
    put_all(s, EU_OP_mov, EU_COND_NONE, 8, lanes(v, 0, t, 0, 8), op_imm(t, k->identity), none);
    gather(s, k, i->src[0], v, base);
    for (uint32_t at = base; at < base + 4 * simd; at += EU_GRF_SIZE) {
        combine(s, k, 4, every(2, v, at + 4, t), every(2, v, at + 4, t), every(2, v, at, t));
        combine(s, k, 2, every(4, v, at + 8, t), every(4, v, at + 8, t), every(4, v, at + 4, t));
        combine(s, k, 2, every(4, v, at + 12, t), every(4, v, at + 12, t), every(4, v, at + 4, t));
        combine(s, k, 4, lanes(v, at, t, 4, 4), lanes(v, at, t, 4, 4), op_scalar(v, at + 12, t));
        if (at > base)
            combine(s, k, 8, lanes(v, at, t, 0, 8), lanes(v, at, t, 0, 8), op_scalar(v, at - 4, t));
    }
    if (is_halved(s)) {
        struct opnd last = op_scalar(v, base + 4 * (simd - 1), t);
        put_lone(s, k, EU_OP_mov, 1, UPPER_DST, op_scalar(v, base - 4, t), last, none);
        for (unsigned at = 0; at < simd; at += 8)
            put_lone(s, k, k->op, 8, UPPER_DST | UPPER_SRC0, lanes(v, base, t, at, 8),
                     lanes(v, base, t, at, 8), last);
    }
    sel_shape(s, false);
    struct opnd d = sel_dst(s, i->dst[0], t);
    if (!exclusive) {
        sel_mov(s, d, op_lanes(v, base, t));
        return;
    }
    for (unsigned at = 0; at < simd; at += 8) {
        struct opnd from = op_lanes(v, base - 4 + 4 * at, t);
        from.o.vs = from.o.width = 1; /* a row each: rows end with the register */
        from.o.hs = 0;
        struct mi m = mi_alu(EU_OP_mov, 8, 1, op_slice(d, at, 8), &from);
        m.e.group = at;
        mi_push(s->cg, &m);
    }
}

/* dst = x of lane n. */
static void sel_shuffle(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->dst[0];
    enum eu_type t = v->type == IR_F32 ? EU_F : EU_UD;
    struct opnd x = sel_src(s, i->src[0], t), n = sel_src(s, i->src[1], EU_UD);
    sel_shape(s, v->uniform);
    if (op_is_imm(&x) || op_is_scalar(&x)) {
        sel_mov(s, sel_dst(s, v, t), x);
        return;
    }
    unsigned half = s->cg->lanes;
    if (op_is_imm(&n)) {
        unsigned lane = n.o.imm & (s->cg->simd - 1);
        struct opnd one = op_scalar(x.v, x.off + 4 * (lane % half), t);
        if (is_halved(s)) {
            struct opnd from = one;
            one = op_scalar(vreg_scalar(s->cg), 0, t);
            put_lone(s, NULL, EU_OP_mov, 1, lane < half ? 0 : UPPER_SRC0, one, from, none);
        }
        sel_mov(s, sel_dst(s, v, t), one);
        return;
    }
    /* a copy: it must have a place while a0 points to it */
    uint32_t row = vreg_new(s->cg, 4 * s->cg->simd, s->cg->lane_regs);
    s->cg->vregs[row].no_spill = true;
    for (unsigned at = 0; at < s->cg->simd; at += 8)
        put_lone(s, NULL, EU_OP_mov, 8, at < half ? 0 : UPPER_SRC0, lanes(row, 0, t, at, 8),
                 lanes(x.v, x.off, t, at % half, 8), none);
    bool one = op_is_scalar(&n);
    struct opnd r =
        one ? op_scalar(vreg_scalar(s->cg), 0, EU_UD) : op_lanes(vreg_lanes(s->cg), 0, EU_UD);
    sel_gather(s, r, row, n);
    sel_mov(s, sel_dst(s, v, t), op_type(r, t));
}

bool sel_group(struct sel *s, struct ir_insn *i)
{
    switch ((enum ir_op)i->op) {
    case IR_reduce:
        sel_reduce(s, i);
        return true;
    case IR_scan:
        sel_scan(s, i);
        return true;
    case IR_shuffle:
        sel_shuffle(s, i);
        return true;
    default:
        return false;
    }
}
