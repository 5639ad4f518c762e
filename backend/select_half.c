/* Selection of arithmetic on halves. Gen9 has it, twice as wide as that on floats, and keeps
 * denormals if cr0 says so (payload.c). A half is the low word of its dword, or a packed word:
 * select_narrow.c decides. Operands may have either form, but those of mad must be packed. */
#include "backend/select.h"

static const struct opnd none;

static const struct half_row {
    uint8_t op;   /* enum eu_opcode; 0 = not here */
    uint8_t cond; /* sel: which to take */
} rows[IR_N_OPS] = {
    [IR_hadd] = {EU_OP_add, 0},          [IR_hsub] = {EU_OP_add, 0},
    [IR_hmul] = {EU_OP_mul, 0},          [IR_hmin] = {EU_OP_sel, EU_COND_L},
    [IR_hmax] = {EU_OP_sel, EU_COND_GE},
};

bool sel_is_half_sign(const struct ir_insn *d)
{
    return (d->op == IR_xor && ir_is_imm(d->src[1], 0x8000)) ||
           (d->op == IR_and && ir_is_imm(d->src[1], 0x7fff));
}

struct opnd sel_src_half(struct sel *s, struct ir_src src)
{
    bool neg = false, abs = false;
    for (src = sel_resolve(src); src.value && sel_is_half_sign(src.value->def);
         src = sel_resolve(src.value->def->src[0])) {
        if (src.value->def->op == IR_and)
            abs = true;
        else if (!abs)
            neg = !neg;
    }
    if (!src.value) {
        uint32_t bits = abs ? src.imm & 0x7fff : src.imm & 0xffff;
        return op_imm(EU_HF, neg ? bits ^ 0x8000 : bits);
    }
    struct opnd o = op_type(sel_src_low(s, src, 2), EU_HF);
    if (op_is_imm(&o)) /* undefined */
        return o;
    o.o.abs = abs;
    o.o.negate = neg;
    return o;
}

static struct opnd negated(struct opnd o)
{
    if (op_is_imm(&o))
        o.o.imm ^= 0x8000;
    else
        o.o.negate = !o.o.negate;
    return o;
}

static bool is_packed(const struct opnd *o)
{
    return op_is_imm(o) || op_is_scalar(o) || o->o.hs == 1;
}

/* Where an operation on halves writes; half_done then makes v of it. */
static struct opnd half_dst(struct sel *s, struct ir_value *v)
{
    if (s->loc[v->id].is_word)
        return op_type(sel_dst(s, v, EU_UD), EU_HF);
    return sel_temp(s, EU_HF);
}

static void half_done(struct sel *s, struct ir_value *v, struct opnd d)
{
    if (!s->loc[v->id].is_word)
        sel_mov(s, sel_dst(s, v, EU_UD), op_type(d, EU_UW));
}

static struct opnd packed(struct sel *s, struct opnd o)
{
    if (is_packed(&o))
        return o;
    struct opnd t = sel_temp(s, EU_HF), from = o;
    from.o.abs = from.o.negate = false; /* on the bits */
    sel_mov(s, op_type(t, EU_UW), op_type(from, EU_UW));
    t.o.abs = o.o.abs;
    t.o.negate = o.o.negate;
    return t;
}

/* mad where its operands are as it wants them, or where one rounding is asked for. */
static void sel_mad(struct sel *s, struct ir_insn *i)
{
    struct opnd a = sel_src_half(s, i->src[0]), b = sel_src_half(s, i->src[1]);
    struct opnd c = sel_src_half(s, i->src[2]), d = half_dst(s, i->dst[0]);
    bool all = is_packed(&a) && is_packed(&b) && is_packed(&c) && !s->is_uniform;
    if (i->op == IR_hmad && !all) {
        struct opnd t = sel_temp(s, EU_HF);
        sel_op2(s, EU_OP_mul, t, a, b);
        sel_op2(s, EU_OP_add, d, t, c);
    } else if (s->is_uniform) { /* enables channels by dwords: in a register of eight */
        struct opnd src[3] = {c, a, b}, row = op_lanes(vreg_new(s->cg, EU_GRF_SIZE, 1), 0, EU_HF);
        struct mi m = mi_alu(EU_OP_mad, 8, 3, row, src);
        m.e.no_mask = true;
        sel_put(s, m);
        sel_mov(s, op_type(d, EU_UW), op_scalar(row.v, 0, EU_UW));
    } else {
        sel_put(s, sel_mi(s, EU_OP_mad, 3, d, packed(s, c), packed(s, a), packed(s, b)));
    }
    half_done(s, i->dst[0], d);
}

static void sel_f2h(struct sel *s, struct ir_insn *i)
{
    bool old = s->cg->gen < 80;
    struct opnd a = sel_reg(s, sel_src_f(s, i->src[0]));
    const struct loc *l = &s->loc[i->dst[0]->id];
    if (l->is_word) {
        sel_op1(s, EU_OP_mov, op_type(sel_dst(s, i->dst[0], EU_UD), EU_HF), a);
        return;
    }
    bool low = l->need <= 16;
    struct opnd t = low ? sel_dst(s, i->dst[0], EU_UD) : sel_temp(s, EU_UD);
    sel_op1(s, old ? EU_OP_f32to16 : EU_OP_mov, op_stride(op_type(t, old ? EU_W : EU_HF), 2), a);
    if (!low)
        sel_mov(s, sel_dst(s, i->dst[0], EU_UD), op_part(t, 0, EU_UW));
}

static void sel_h2f(struct sel *s, struct ir_insn *i)
{
    bool old = s->cg->gen < 80;
    struct opnd a = sel_src_low(s, i->src[0], 2);
    if (op_is_imm(&a))
        a = sel_reg(s, op_type(a, EU_UD));
    sel_op1(s, old ? EU_OP_f16to32 : EU_OP_mov, sel_dst(s, i->dst[0], EU_F),
            op_type(a, old ? EU_W : EU_HF));
}

bool sel_half(struct sel *s, struct ir_insn *i)
{
    const struct half_row *r = &rows[i->op];
    if (i->op == IR_f2h || i->op == IR_h2f) {
        if (i->op == IR_f2h)
            sel_f2h(s, i);
        else
            sel_h2f(s, i);
        return true;
    }
    if (i->op == IR_hfma || i->op == IR_hmad) {
        sel_mad(s, i);
        return true;
    }
    if (!r->op)
        return false;
    struct opnd a = sel_src_half(s, i->src[0]), b = sel_src_half(s, i->src[1]);
    struct opnd d = half_dst(s, i->dst[0]);
    if (i->op == IR_hsub)
        b = negated(b);
    if (op_is_imm(&a) && op_is_imm(&b))
        a = sel_reg(s, a);
    struct mi m = sel_mi(s, r->op, 2, d, a, b, none);
    m.e.cond = r->cond;
    sel_put(s, m);
    half_done(s, i->dst[0], d);
    return true;
}
