/* Selection of arithmetic, conversions and the values that say where a work-item is. */
#include "backend/select.h"

static const struct opnd none;

/* ---- rows: operations that are one instruction ---- */

/* FOLD_NARROW: bytes and words as they lie, of any sign; FOLD_UNSIGNED: unless signed; FOLD_SHIFT,
 * FOLD_SHIFT_UNSIGNED: of the first source. */
enum fold {
    FOLD_NONE,
    FOLD_F,
    FOLD_D,
    FOLD_LOGIC,
    FOLD_ADD,
    FOLD_NARROW,
    FOLD_UNSIGNED,
    FOLD_SHIFT,
    FOLD_SHIFT_UNSIGNED
};

struct row {
    uint8_t op; /* enum eu_opcode; 0 = not here */
    uint8_t n_src;
    uint8_t dst_type, src_type;
    uint8_t cond; /* sel: which to take */
    uint8_t fn;   /* math */
    uint8_t fold; /* enum fold: what becomes part of the operands */
    bool saturate;
};

static const struct row rows[IR_N_OPS] = {
    [IR_add] = {EU_OP_add, 2, EU_D, EU_D, 0, 0, FOLD_ADD},
    [IR_and] = {EU_OP_and, 2, EU_UD, EU_UD, 0, 0, FOLD_LOGIC},
    [IR_or] = {EU_OP_or, 2, EU_UD, EU_UD, 0, 0, FOLD_LOGIC},
    [IR_xor] = {EU_OP_xor, 2, EU_UD, EU_UD, 0, 0, FOLD_LOGIC},
    [IR_not] = {EU_OP_not, 1, EU_UD, EU_UD, 0, 0, FOLD_NONE},
    [IR_shl] = {EU_OP_shl, 2, EU_UD, EU_UD, 0, 0, FOLD_SHIFT},
    [IR_lshr] = {EU_OP_shr, 2, EU_UD, EU_UD, 0, 0, FOLD_SHIFT_UNSIGNED},
    [IR_ashr] = {EU_OP_asr, 2, EU_D, EU_D, 0, 0, FOLD_SHIFT},
    [IR_smin] = {EU_OP_sel, 2, EU_D, EU_D, EU_COND_L, 0, FOLD_NARROW},
    [IR_smax] = {EU_OP_sel, 2, EU_D, EU_D, EU_COND_GE, 0, FOLD_NARROW},
    [IR_umin] = {EU_OP_sel, 2, EU_UD, EU_UD, EU_COND_L, 0, FOLD_UNSIGNED},
    [IR_umax] = {EU_OP_sel, 2, EU_UD, EU_UD, EU_COND_GE, 0, FOLD_UNSIGNED},
    [IR_sadd_sat] = {EU_OP_add, 2, EU_D, EU_D, 0, 0, FOLD_NONE, true},
    [IR_uadd_sat] = {EU_OP_add, 2, EU_UD, EU_UD, 0, 0, FOLD_NONE, true},
    [IR_savg] = {EU_OP_avg, 2, EU_D, EU_D, 0, 0, FOLD_NONE},
    [IR_uavg] = {EU_OP_avg, 2, EU_UD, EU_UD, 0, 0, FOLD_NONE},
    [IR_clz] = {EU_OP_lzd, 1, EU_UD, EU_UD, 0, 0, FOLD_NONE},
    [IR_ctz] = {EU_OP_fbl, 1, EU_UD, EU_UD, 0, 0, FOLD_NONE},
    [IR_popcount] = {EU_OP_cbit, 1, EU_UD, EU_UD, 0, 0, FOLD_UNSIGNED},
    [IR_bitreverse] = {EU_OP_bfrev, 1, EU_UD, EU_UD, 0, 0, FOLD_NONE},
    [IR_fadd] = {EU_OP_add, 2, EU_F, EU_F, 0, 0, FOLD_F},
    [IR_fmul] = {EU_OP_mul, 2, EU_F, EU_F, 0, 0, FOLD_F},
    [IR_fmin] = {EU_OP_sel, 2, EU_F, EU_F, EU_COND_L, 0, FOLD_F},
    [IR_fmax] = {EU_OP_sel, 2, EU_F, EU_F, EU_COND_GE, 0, FOLD_F},
    [IR_ffloor] = {EU_OP_rndd, 1, EU_F, EU_F, 0, 0, FOLD_F},
    [IR_ftrunc] = {EU_OP_rndz, 1, EU_F, EU_F, 0, 0, FOLD_F},
    [IR_frint] = {EU_OP_rnde, 1, EU_F, EU_F, 0, 0, FOLD_F},
    [IR_frcp] = {EU_OP_math, 1, EU_F, EU_F, 0, EU_MATH_INV, FOLD_NONE},
    [IR_fsqrt] = {EU_OP_math, 1, EU_F, EU_F, 0, EU_MATH_SQT, FOLD_NONE},
    [IR_frsqrt] = {EU_OP_math, 1, EU_F, EU_F, 0, EU_MATH_RSQT, FOLD_NONE},
    [IR_fexp2] = {EU_OP_math, 1, EU_F, EU_F, 0, EU_MATH_EXP, FOLD_NONE},
    [IR_flog2] = {EU_OP_math, 1, EU_F, EU_F, 0, EU_MATH_LOG, FOLD_NONE},
    [IR_fsin] = {EU_OP_math, 1, EU_F, EU_F, 0, EU_MATH_SIN, FOLD_NONE},
    [IR_fcos] = {EU_OP_math, 1, EU_F, EU_F, 0, EU_MATH_COS, FOLD_NONE},
    [IR_fpow] = {EU_OP_math, 2, EU_F, EU_F, 0, EU_MATH_POW, FOLD_NONE},
    [IR_fdiv] = {EU_OP_math, 2, EU_F, EU_F, 0, EU_MATH_FDIV, FOLD_NONE},
    [IR_udiv] = {EU_OP_math, 2, EU_UD, EU_UD, 0, EU_MATH_INT_DIV_QUOT, FOLD_NONE},
    [IR_sdiv] = {EU_OP_math, 2, EU_D, EU_D, 0, EU_MATH_INT_DIV_QUOT, FOLD_NONE},
    [IR_urem] = {EU_OP_math, 2, EU_UD, EU_UD, 0, EU_MATH_INT_DIV_REM, FOLD_NONE},
    [IR_srem] = {EU_OP_math, 2, EU_D, EU_D, 0, EU_MATH_INT_DIV_REM, FOLD_NONE},
    [IR_f2s] = {EU_OP_mov, 1, EU_D, EU_F, 0, 0, FOLD_F},
    [IR_f2u] = {EU_OP_mov, 1, EU_UD, EU_F, 0, 0, FOLD_F},
    [IR_dadd] = {EU_OP_add, 2, EU_DF, EU_DF, 0, 0, FOLD_D},
    [IR_dmul] = {EU_OP_mul, 2, EU_DF, EU_DF, 0, 0, FOLD_D},
    [IR_dmin] = {EU_OP_sel, 2, EU_DF, EU_DF, EU_COND_L, 0, FOLD_D},
    [IR_dmax] = {EU_OP_sel, 2, EU_DF, EU_DF, EU_COND_GE, 0, FOLD_D},
};

static struct opnd row_src(struct sel *s, const struct row *r, const struct ir_insn *i, unsigned n)
{
    struct ir_src src = i->src[n];
    switch ((enum fold)r->fold) {
    case FOLD_F:
        return sel_src_f(s, src);
    case FOLD_D:
        return sel_src_d(s, src);
    case FOLD_LOGIC:
        return sel_src_logic(s, src);
    case FOLD_ADD:
        return sel_src_add(s, src);
    case FOLD_NARROW:
    case FOLD_UNSIGNED:
        return sel_src_int(s, src, r->src_type, r->fold == FOLD_UNSIGNED);
    case FOLD_SHIFT:
    case FOLD_SHIFT_UNSIGNED:
        if (n == 0)
            return sel_src_int(s, src, r->src_type, r->fold == FOLD_SHIFT_UNSIGNED);
        break;
    case FOLD_NONE:
        break;
    }
    struct opnd o = sel_src(s, src, r->src_type);
    return r->op == EU_OP_math ? sel_reg(s, o) : o;
}

static void sel_row(struct sel *s, const struct row *r, struct ir_insn *i)
{
    if (sel_is_abs(i)) {
        struct opnd x = sel_reg(s, sel_src_int(s, i->src[0], EU_D, false));
        x.o.abs = true;
        x.o.negate = false;
        sel_mov(s, sel_dst(s, i->dst[0], EU_D), x);
        return;
    }
    struct opnd a = row_src(s, r, i, 0), b = none;
    if (r->n_src == 2) {
        b = row_src(s, r, i, 1);
        if (!sel_may_pair(&a, &b))
            b = sel_src(s, i->src[1], r->src_type);
    }
    struct mi m = sel_mi(s, r->op, r->n_src, sel_dst(s, i->dst[0], r->dst_type), a, b, none);
    m.e.cond = r->cond;
    m.e.fn = r->fn;
    m.e.saturate = r->saturate;
    if (r->n_src == 1 && op_is_imm(&a) && r->op != EU_OP_mov)
        mi_set_opnd(&m, 1, sel_reg(s, a));
    sel_put(s, m);
}

/* ---- integers ---- */

/* a * b for a 16-bit b: exact low 32 bits on every generation. */
static void mul_word(struct sel *s, struct opnd d, struct opnd a, uint32_t word, enum eu_type t)
{
    sel_op2(s, EU_OP_mul, d, sel_reg(s, a), op_imm(t, word & 0xffff));
}

/* d += t << 16, in the high words alone. */
static void add_high_words(struct sel *s, struct opnd d, struct opnd t)
{
    struct opnd high = op_part(d, 2, EU_UW), high_dst = high;
    if (s->is_uniform)
        high_dst = op_stride(high, 1);
    sel_op2(s, EU_OP_add, high_dst, high, op_part(t, 0, EU_UW));
}

/* High half of a product by way of the accumulator, eight lanes at a time; and its low half, the
 * result of `low`, if that is not NULL. */
static void sel_wide_mul(struct sel *s, struct ir_insn *i, struct ir_insn *low)
{
    struct cg *cg = s->cg;
    enum eu_type t = i->op == IR_mulhi_u ? EU_UD : EU_D;
    struct opnd d = sel_dst(s, i->dst[0], t), d_low = low ? sel_dst(s, low->dst[0], t) : none;
    struct opnd a = sel_reg(s, sel_src(s, i->src[0], t)), b = sel_reg(s, sel_src(s, i->src[1], t));
    unsigned exec = s->is_uniform ? 1 : 8;
    for (unsigned h = 0; h * 8 < s->exec; h++) {
        struct opnd ah = op_half(a, h), bh = op_half(b, h), dh = op_half(d, h);
        struct opnd acc = op_arf(EU_ARF_ACC0, 0, t);
        struct opnd src[2] = {ah, op_part(bh, 0, EU_UW)};
        struct mi mul = mi_alu(EU_OP_mul, exec, 2, acc, src);
        mul.e.no_mask = true;
        mul.writes_acc = true;
        mi_push(cg, &mul);
        src[1] = bh;
        /* On Gen7 the other quarters' implicit accumulator does not exist: do it as the first. */
        bool aside = cg->gen == 70 && !s->is_uniform && (h > 0 || cg->simd == 32);
        struct opnd to = aside ? op_lanes(vreg_new(cg, EU_GRF_SIZE, 1), 0, t) : dh;
        struct mi mach = mi_alu(EU_OP_mach, exec, 2, to, src);
        mach.e.acc_wr = true;
        mach.uses_acc = mach.writes_acc = true;
        mach.e.no_mask = s->is_uniform || aside;
        mach.e.group = aside ? 0 : 8 * h;
        mi_push(cg, &mach);
        if (low) {
            struct opnd sum = s->is_uniform ? acc : op_rows(acc);
            struct mi mov = mi_alu(EU_OP_mov, exec, 1, op_half(d_low, h), &sum);
            mov.uses_acc = true;
            mov.e.no_mask = s->is_uniform;
            mov.e.group = 8 * h;
            mi_push(cg, &mov);
        }
        if (aside) {
            struct mi mov = mi_alu(EU_OP_mov, 8, 1, dh, &to);
            mov.e.group = 8 * h;
            mi_push(cg, &mov);
        }
    }
}

/* The operation later in the block of which product i is the low half; NULL: none near. */
static struct ir_insn *other_half(const struct ir_insn *i)
{
    enum { NEAR = 40 };
    struct ir_insn *k = i->next;
    for (unsigned n = 0; k && n < NEAR; k = k->next, n++) {
        if ((k->op == IR_mulhi_u || k->op == IR_mulhi_s) &&
            ((ir_same(k->src[0], i->src[0]) && ir_same(k->src[1], i->src[1])) ||
             (ir_same(k->src[0], i->src[1]) && ir_same(k->src[1], i->src[0]))))
            return k;
    }
    return NULL;
}

/* eu-isa "Integer multiply": before BDW and on CHV, BXT, GLK one factor has 16 bits. */
static void sel_mul(struct sel *s, struct ir_insn *i)
{
    struct ir_insn *high = other_half(i);
    if (high) {
        sel_wide_mul(s, high, i);
        return;
    }
    struct opnd d = sel_dst(s, i->dst[0], EU_D), a, b;
    for (unsigned n = 0; n < 2; n++) { /* by a word: one multiplication everywhere */
        b = sel_src_int(s, i->src[n], EU_D, false);
        if (!op_is_imm(&b) && eu_type_size(b.o.type) == 2) {
            sel_op2(s, EU_OP_mul, d, sel_reg(s, sel_src(s, i->src[1 - n], EU_D)), b);
            return;
        }
    }
    a = sel_src(s, i->src[0], EU_D);
    b = sel_src(s, i->src[1], EU_D);
    if (op_is_imm(&a)) {
        struct opnd t = a;
        a = b;
        b = t;
    }
    a = sel_reg(s, a);
    if (!(s->cg->dev->quirks & GEN_QUIRK_NO_DXD_MUL)) {
        sel_op2(s, EU_OP_mul, d, a, b);
        return;
    }
    if (op_is_imm(&b)) {
        uint32_t c = b.o.imm, lo = c & 0xffff, hi = c >> 16;
        if (hi == 0) {
            mul_word(s, d, a, lo, EU_UW);
        } else if (hi == 0xffff && lo & 0x8000) {
            mul_word(s, d, a, lo, EU_W);
        } else {
            struct opnd t = sel_temp(s, EU_D);
            mul_word(s, t, a, hi, EU_UW);
            mul_word(s, d, a, lo, EU_UW);
            add_high_words(s, d, t);
        }
        return;
    }
    struct opnd t = sel_temp(s, EU_D);
    sel_op2(s, EU_OP_mul, t, a, op_part(b, 2, EU_UW));
    sel_op2(s, EU_OP_mul, d, a, op_part(b, 0, EU_UW));
    add_high_words(s, d, t);
}

/* The carry of a + b is sum < a, the borrow of a - b is a < b; the comparison's mask is -1 for
 * true. */
static void sel_carry(struct sel *s, struct ir_insn *i)
{
    bool sub = i->op == IR_sub_borrow;
    struct opnd a = sel_src(s, i->src[0], EU_UD), b = sel_src(s, i->src[1], EU_UD);
    struct opnd d = sel_dst(s, i->dst[0], EU_UD), c = sel_dst(s, i->dst[1], EU_D);
    struct opnd mask = sel_temp(s, EU_UD);
    if (!sub && op_is_imm(&a)) {
        struct opnd t = a;
        a = b;
        b = t;
    }
    struct opnd minus_b = op_type(op_is_imm(&b) ? b : op_type(b, EU_D), EU_D);
    sel_op2(s, EU_OP_add, op_type(d, EU_D), op_type(a, EU_D), sub ? op_neg(minus_b) : minus_b);
    struct mi cmp = sel_mi(s, EU_OP_cmp, 2, mask, sub ? a : d, sub ? b : a, none);
    cmp.e.cond = EU_COND_L;
    cmp.e.flag = s->cg->scratch_flag;
    sel_put(s, cmp);
    sel_mov(s, c, op_neg(op_type(mask, EU_D))); /* dead if all users add it */
    s->loc[i->dst[1]->id].minus = mask.v;
}

static void sel_sub(struct sel *s, struct ir_insn *i, enum eu_type t)
{
    bool f = t == EU_F;
    struct opnd a = f ? sel_src_f(s, i->src[0]) : sel_src_add(s, i->src[0]);
    struct opnd b = f ? sel_src_f(s, i->src[1]) : sel_src_add(s, i->src[1]);
    if (!sel_may_pair(&a, &b))
        b = sel_src(s, i->src[1], t);
    sel_op2(s, EU_OP_add, sel_dst(s, i->dst[0], t), a, op_neg(b));
}

/* ---- where am I ---- */

struct opnd sel_lane_words(struct sel *s)
{
    struct cg *cg = s->cg;
    if (!s->lane_words) {
        uint32_t v = vreg_new(cg, EU_GRF_SIZE, 1);
        struct opnd imm = op_imm(EU_UV, 0x76543210);
        struct mi mov = mi_alu(EU_OP_mov, 8, 1, op_lanes(v, 0, EU_UW), &imm);
        mov.e.no_mask = true;
        mi_push(cg, &mov);
        for (unsigned n = 8; n < cg->simd; n *= 2) {
            struct opnd src[2] = {op_lanes(v, 0, EU_UW), op_imm(EU_UW, n)};
            struct opnd to = op_lanes(v, 16, EU_UW);
            if (n == 16) {
                to = op_lanes(vreg_new(cg, EU_GRF_SIZE, 1), 0, EU_UW);
                vreg_pair(cg, v, to.v);
            }
            struct mi add = mi_alu(EU_OP_add, n, 2, to, src);
            add.e.no_mask = true;
            mi_push(cg, &add);
        }
        s->lane_words = v;
    }
    return op_lanes(s->lane_words, 0, EU_UW);
}

static bool sel_place_op(struct sel *s, struct ir_insn *i)
{
    struct cg *cg = s->cg;
    struct ir_value *v = i->dst[0];
    static const uint8_t group_at[3] = {4, 24, 28}; /* r0.1, r0.6, r0.7 */
    switch ((enum ir_op)i->op) {
    case IR_local_id:
        sel_shape(s, false);
        if (s->loc[v->id].is_word)
            sel_place(s, v, cg->local_id[i->imm], 0, false);
        else
            sel_mov(s, sel_dst(s, v, EU_UD), op_lanes(cg->local_id[i->imm], 0, EU_UW));
        return true;
    case IR_group_id:
        sel_place(s, v, cg->r0, group_at[i->imm], true);
        return true;
    case IR_param:
        sel_place(s, v, cg->push[i->imm / EU_GRF_SIZE], i->imm % EU_GRF_SIZE, true);
        return true;
    case IR_lane_id:
        sel_shape(s, false);
        sel_mov(s, sel_dst(s, v, EU_UD), sel_lane_words(s));
        return true;
    case IR_thread_slot:
        sel_shape(s, v->uniform);
        /* Skylake's largest have more than 512 slots. */
        sel_op2(s, EU_OP_and, sel_dst(s, v, EU_UD), op_scalar(cg->r0, 20, EU_UD),
                op_imm(EU_UD, cg->gen >= 90 ? 0x3ff : 0x1ff));
        return true;
    case IR_times_simd: {
        sel_shape(s, v->uniform);
        struct opnd a = sel_reg(s, sel_src(s, i->src[0], EU_UD));
        sel_op2(s, EU_OP_shl, sel_dst(s, v, EU_UD), a,
                op_imm(EU_UD, (uint32_t)__builtin_ctz(cg->simd)));
        return true;
    }
    case IR_simd_width:
        sel_shape(s, v->uniform);
        sel_mov(s, sel_dst(s, v, EU_UD), op_imm(EU_UD, cg->simd));
        return true;
    default:
        return false;
    }
}

/* ---- the rest ---- */

static void sel_round_up(struct sel *s, struct ir_insn *i)
{
    struct opnd d = sel_dst(s, i->dst[0], EU_F), a = sel_reg(s, sel_src_f(s, i->src[0]));
    if (s->cg->gen >= 80) {
        sel_op1(s, EU_OP_rndu, d, a);
        return;
    }
    /* Gen7's rndu is in no compiler's code: ceil(x) = -floor(-x). */
    struct opnd t = sel_temp(s, EU_F);
    sel_op1(s, EU_OP_rndd, t, op_neg(a));
    sel_mov(s, d, op_neg(t));
}

static void sel_extend(struct sel *s, struct ir_insn *i, enum eu_type t, enum eu_type to)
{
    struct opnd a = sel_reg(s, sel_src(s, i->src[0], EU_UD));
    sel_mov(s, sel_dst(s, i->dst[0], to), op_part(a, 0, t));
}

/* Bytes and words convert to float as they lie. An unsigned view of a negative one is no word. */
static void sel_to_float(struct sel *s, struct ir_insn *i, enum eu_type t)
{
    sel_mov(s, sel_dst(s, i->dst[0], EU_F), sel_src_int(s, i->src[0], t, t == EU_UD));
}

static void sel_fma(struct sel *s, struct ir_insn *i)
{
    /* mad: src0 + src1 * src2 */
    sel_put(s, sel_mi(s, EU_OP_mad, 3, sel_dst(s, i->dst[0], EU_F), sel_src_f(s, i->src[2]),
                      sel_src_f(s, i->src[0]), sel_src_f(s, i->src[1])));
}

/* ---- doubles ---- */

static void sel_dfma(struct sel *s, struct ir_insn *i)
{
    struct opnd d = sel_dst(s, i->dst[0], EU_DF), to = d;
    struct opnd src[3] = {sel_src_d(s, i->src[2]), sel_src_d(s, i->src[0]),
                          sel_src_d(s, i->src[1])};
    if (s->is_uniform) /* one register has four lanes */
        to = op_lanes(vreg_new(s->cg, EU_GRF_SIZE, 1), 0, EU_DF);
    struct mi mad = mi_alu(EU_OP_mad, s->is_uniform ? 4 : s->exec, 3, to, src);
    mad.e.no_mask = s->is_uniform;
    sel_put(s, mad);
    if (s->is_uniform)
        sel_mov(s, d, op_scalar(to.v, 0, EU_DF));
}

/* To a dword: in the low one of eight bytes, then together. */
static void sel_from_double(struct sel *s, struct ir_insn *i, enum eu_type t)
{
    struct opnd a = sel_src_d(s, i->src[0]), low = op_dword(sel_temp(s, EU_DF), 0, t);
    sel_op1(s, EU_OP_mov, low, a);
    sel_put_dwords(s, sel_dst(s, i->dst[0], EU_UD), op_type(low, EU_UD));
}

static void sel_to_double(struct sel *s, struct ir_insn *i, enum eu_type t)
{
    struct opnd a = sel_reg(s, sel_src(s, i->src[0], t));
    /* eu-isa "64-bit rules" (a): steps of source and destination are the same */
    if (s->cg->dev->quirks & GEN_QUIRK_64BIT_REGIONS && !op_is_scalar(&a)) {
        struct opnd low = op_dword(sel_temp(s, EU_DF), 0, t);
        sel_put_dwords(s, op_type(low, EU_UD), op_type(a, EU_UD));
        a = low;
    }
    sel_op1(s, EU_OP_mov, sel_dst(s, i->dst[0], EU_DF), a);
}

static void sel_pack(struct sel *s, struct ir_insn *i)
{
    uint64_t bits;
    if (ir_is_imm64(ir_val(i->dst[0]), &bits))
        return; /* where it is used */
    struct opnd d = sel_dst(s, i->dst[0], EU_DF);
    for (unsigned k = 0; k < 2; k++)
        sel_put_dwords(s, op_dword(d, 4 * k, EU_UD), sel_src(s, i->src[k], EU_UD));
}

static bool sel_double(struct sel *s, struct ir_insn *i)
{
    struct opnd d;
    switch ((enum ir_op)i->op) {
    case IR_pack:
        sel_pack(s, i);
        return true;
    case IR_unlo:
    case IR_unhi:
        sel_put_dwords(s, sel_dst(s, i->dst[0], EU_UD),
                       op_dword(sel_src(s, i->src[0], EU_DF), i->op == IR_unhi ? 4 : 0, EU_UD));
        return true;
    case IR_dsub:
        d = sel_src_d(s, i->src[1]);
        d.o.negate = !d.o.negate;
        sel_op2(s, EU_OP_add, sel_dst(s, i->dst[0], EU_DF), sel_src_d(s, i->src[0]), d);
        return true;
    case IR_dfma:
        sel_dfma(s, i);
        return true;
    case IR_dneg:
    case IR_dabs:
        sel_mov(s, sel_dst(s, i->dst[0], EU_DF), sel_src_d(s, ir_val(i->dst[0])));
        return true;
    case IR_d2f:
        sel_from_double(s, i, EU_F);
        return true;
    case IR_d2s:
        sel_from_double(s, i, EU_D);
        return true;
    case IR_d2u:
        sel_from_double(s, i, EU_UD);
        return true;
    case IR_f2d:
        sel_to_double(s, i, EU_F);
        return true;
    case IR_s2d:
        sel_to_double(s, i, EU_D);
        return true;
    case IR_u2d:
        sel_to_double(s, i, EU_UD);
        return true;
    default:
        return false;
    }
}

bool sel_alu(struct sel *s, struct ir_insn *i)
{
    const struct row *r = &rows[i->op];
    if (r->op) {
        sel_row(s, r, i);
        return true;
    }
    if (sel_double(s, i) || sel_half(s, i))
        return true;
    switch ((enum ir_op)i->op) {
    case IR_sub:
        sel_sub(s, i, EU_D);
        return true;
    case IR_fsub:
        sel_sub(s, i, EU_F);
        return true;
    case IR_mul:
        sel_mul(s, i);
        return true;
    case IR_mulhi_u:
    case IR_mulhi_s:
        if (!s->loc[i->dst[0]->id].placed) /* else made with the low half */
            sel_wide_mul(s, i, NULL);
        return true;
    case IR_add_carry:
    case IR_sub_borrow:
        sel_carry(s, i);
        return true;
    case IR_sext8:
        sel_extend(s, i, EU_B, EU_D);
        return true;
    case IR_sext16:
        sel_extend(s, i, EU_W, EU_D);
        return true;
    case IR_zext8:
        sel_extend(s, i, EU_UB, EU_UD);
        return true;
    case IR_zext16:
        sel_extend(s, i, EU_UW, EU_UD);
        return true;
    case IR_ffma:
        sel_fma(s, i);
        return true;
    case IR_fneg: /* on the bits: no denormal is lost */
        sel_op2(s, EU_OP_xor, sel_dst(s, i->dst[0], EU_UD), sel_src(s, i->src[0], EU_UD),
                op_imm(EU_UD, 0x80000000u));
        return true;
    case IR_fabs:
        sel_op2(s, EU_OP_and, sel_dst(s, i->dst[0], EU_UD), sel_src(s, i->src[0], EU_UD),
                op_imm(EU_UD, 0x7fffffff));
        return true;
    case IR_s2f:
        sel_to_float(s, i, EU_D);
        return true;
    case IR_u2f:
        sel_to_float(s, i, EU_UD);
        return true;
    case IR_fceil:
        sel_round_up(s, i);
        return true;
    default:
        return sel_place_op(s, i);
    }
}
