/* Quotients and roots of doubles on Gen8 and 9: the math unit's start value and multiply-adds whose
 * intermediate results keep more bits in special accumulators, four lanes at a time (eu-isa 1.3,
 * 6.9.5). The complete macro is correctly rounded; lanes for which the start value is the result
 * already (zeros, infinities, ...) are told by a flag, and where no others are left the rest is
 * jumped over. */
#include "backend/select.h"

enum { ROW = 4, NO_ACC = 8 };

/* What a step's operands are. */
enum name { A, B, ZERO, HALF, ONE, ONE_AND_HALF, Q, T0, T1, T2, T3, T4, N_NAMES, MINUS = 32 };

/* d = x + y * z. An accumulator belongs to the operand that is read or written with it. */
struct step {
    struct {
        uint8_t name, acc;
    } d, x, y, z;
};

/* Newton's steps for y = 1 / b and q = a / b, and the residual a - b * q at last. Q starts as y. */
static const struct step quotient[] = {
    {{T0, 1}, {ZERO, NO_ACC}, {A, NO_ACC}, {Q, 0}},         /* q = a y */
    {{T1, 2}, {ONE, NO_ACC}, {B | MINUS, NO_ACC}, {Q, 0}},  /* e = 1 - b y */
    {{T2, 3}, {A, NO_ACC}, {B | MINUS, NO_ACC}, {T0, 1}},   /* r = a - b q */
    {{T3, 4}, {Q, 0}, {T1, 2}, {Q, 0}},                     /* y' = y + e y */
    {{T4, 5}, {ONE, NO_ACC}, {B | MINUS, NO_ACC}, {T3, 4}}, /* e' = 1 - b y' */
    {{Q, 6}, {Q, 0}, {T1, 2}, {T3, 4}},                     /* y" = y + e y' */
    {{T0, 7}, {T0, 1}, {T2, 3}, {T3, 4}},                   /* q' = q + r y' */
    {{T3, 0}, {T3, 4}, {Q, 6}, {T4, 5}},                    /* y' + y" e' */
    {{T2, 1}, {A, NO_ACC}, {B | MINUS, NO_ACC}, {T0, 7}},   /* r' = a - b q' */
    {{Q, NO_ACC}, {T0, 7}, {T2, 1}, {T3, 0}},
};

/* Goldschmidt's steps for g = sqrt(a), h = 1 / (2 sqrt(a)), and the residual a - g * g at last. Q
 * starts as 1 / sqrt(a). */
static const struct step root[] = {
    {{T0, 1}, {ZERO, NO_ACC}, {HALF, NO_ACC}, {Q, 0}},         /* h = y / 2 */
    {{T1, 2}, {ZERO, NO_ACC}, {A, NO_ACC}, {Q, 0}},            /* g = a y */
    {{T2, 3}, {HALF, NO_ACC}, {T1 | MINUS, 2}, {T0, 1}},       /* e = 1/2 - g h */
    {{T3, 5}, {ONE, NO_ACC}, {ONE_AND_HALF, NO_ACC}, {T2, 3}}, /* s = 1 + 3/2 e */
    {{Q, 6}, {ZERO, NO_ACC}, {T2, 3}, {T1, 2}},                /* e g */
    {{T2, 7}, {ZERO, NO_ACC}, {T2, 3}, {T0, 1}},               /* e h */
    {{Q, 6}, {T1, 2}, {T3, 5}, {Q, 6}},                        /* g' = g + s e g */
    {{T3, 5}, {T0, 1}, {T3, 5}, {T2, 7}},                      /* h' = h + s e h */
    {{T0, 1}, {A, NO_ACC}, {Q | MINUS, 6}, {Q, 6}},            /* r = a - g' g' */
    {{Q, NO_ACC}, {Q, 6}, {T0, 1}, {T3, 5}},                   /* g' + r h' */
};

struct macro {
    struct sel *s;
    struct place {
        struct opnd o;
        bool is_row; /* the same four lanes for all */
    } at[N_NAMES];
    unsigned group; /* first lane */
};

static struct place new_row(struct sel *s)
{
    return (struct place){op_lanes(vreg_new(s->cg, EU_GRF_SIZE, 1), 0, EU_DF), true};
}

static struct place source(struct sel *s, struct ir_src src)
{
    uint64_t bits;
    if (ir_is_imm64(src, &bits))
        return (struct place){sel_const_row(s, bits), true};
    struct opnd o = sel_src(s, src, EU_DF);
    if (!op_is_scalar(&o))
        return (struct place){o, false};
    struct place row = new_row(s);
    struct mi m = mi_alu(EU_OP_mov, ROW, 1, row.o, &o);
    m.e.no_mask = true;
    mi_push(s->cg, &m);
    return row;
}

/* The operand with its accumulator, for the lanes of the current group. */
static struct opnd operand(const struct macro *x, unsigned name, unsigned acc)
{
    const struct place *p = &x->at[name & (MINUS - 1)];
    struct opnd o = p->is_row ? p->o : op_slice(p->o, x->group, ROW);
    o.o.negate = name & MINUS;
    o.o.acc = acc;
    return o;
}

/* Accumulators are state: what reads and writes them keeps its order. */
static void put(const struct macro *x, struct mi *m)
{
    m->e.group = x->group;
    m->e.flag = x->s->cg->scratch_flag;
    m->e.no_mask = x->s->is_uniform;
    m->uses_acc = m->writes_acc = true;
    mi_push(x->s->cg, m);
}

static void put_ctrl(const struct macro *x, enum eu_opcode op)
{
    struct mi m = {
        .e = {.op = op, .exec_size = ROW, .group = x->group}, .kind = MI_CTRL, .is_inner = true};
    if (op == EU_OP_if) {
        m.e.pred = EU_PRED_NORMAL;
        m.e.pred_inv = true;
        m.e.flag = x->s->cg->scratch_flag;
    }
    mi_push(x->s->cg, &m);
}

/* A scalar's lanes are no work-items: nothing can be jumped over for them, but a finished Q stays.
 */
static void put_row(const struct macro *x, enum eu_math fn, const struct step *steps, unsigned n)
{
    bool jumps = !x->s->is_uniform;
    struct opnd src[3] = {operand(x, A, NO_ACC)};
    if (fn == EU_MATH_INVM)
        src[1] = operand(x, B, NO_ACC);
    struct mi start = mi_alu(EU_OP_math, ROW, fn == EU_MATH_INVM ? 2 : 1, operand(x, Q, 0), src);
    start.e.fn = fn;
    put(x, &start);
    if (jumps)
        put_ctrl(x, EU_OP_if);
    for (unsigned k = 0; k < n; k++) {
        const struct step *t = &steps[k];
        src[0] = operand(x, t->x.name, t->x.acc);
        src[1] = operand(x, t->y.name, t->y.acc);
        src[2] = operand(x, t->z.name, t->z.acc);
        struct mi m = mi_alu(EU_OP_madm, ROW, 3, operand(x, t->d.name, t->d.acc), src);
        m.e.pred_inv = !jumps && t->d.name == Q;
        m.e.pred = m.e.pred_inv ? EU_PRED_NORMAL : EU_PRED_NONE;
        put(x, &m);
    }
    if (jumps)
        put_ctrl(x, EU_OP_endif);
}

bool sel_macro(struct sel *s, struct ir_insn *i)
{
    static const uint64_t constants[N_NAMES] = {[HALF] = 0x3fe0000000000000,
                                                [ONE] = 0x3ff0000000000000,
                                                [ONE_AND_HALF] = 0x3ff8000000000000};
    bool is_root = i->op == IR_dsqrt;
    if (i->op != IR_ddiv && !is_root)
        return false;
    struct macro x = {.s = s};
    struct opnd d = sel_dst(s, i->dst[0], EU_DF);
    x.at[A] = source(s, i->src[0]);
    if (!is_root)
        x.at[B] = source(s, i->src[1]);
    for (unsigned k = ZERO; k <= ONE_AND_HALF; k++) {
        if (is_root || k == ZERO || k == ONE)
            x.at[k] = (struct place){sel_const_row(s, constants[k]), true};
    }
    x.at[Q] = s->is_uniform ? new_row(s) : (struct place){d, false};
    for (unsigned k = T0; k <= T4; k++)
        x.at[k] = new_row(s);
    for (; x.group < (s->is_uniform ? ROW : s->exec); x.group += ROW) {
        if (is_root)
            put_row(&x, EU_MATH_RSQTM, root, sizeof root / sizeof *root);
        else
            put_row(&x, EU_MATH_INVM, quotient, sizeof quotient / sizeof *quotient);
    }
    if (s->is_uniform)
        sel_mov(s, d, op_scalar(x.at[Q].o.v, 0, EU_DF));
    return true;
}
