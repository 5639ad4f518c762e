/* Selection of one-bit values: comparisons, their logic, and select.
 *
 * A comparison writes a flag, a mask, or both, as its uses ask. Flags f0.0, f0.1 and f1.0 hold
 * values within a block; f1.1 is scratch: what sel_flag loads from a mask, or a comparison that
 * only its mask is wanted of. A uniform value in a flag has the bit of every lane set alike. */
#include "backend/select.h"

static const struct opnd none;

/* ---- flags ---- */

static int flag_alloc(struct sel *s, struct ir_value *v)
{
    for (int f = 0; f < CG_FLAG_SCRATCH; f++) {
        if (!s->flag_owner[f]) {
            s->flag_owner[f] = v;
            return f;
        }
    }
    return -1;
}

void sel_flags_release(struct sel *s)
{
    for (int f = 0; f < CG_FLAG_SCRATCH; f++) {
        struct ir_value *v = s->flag_owner[f];
        if (v && s->loc[v->id].last_flag <= s->seq) {
            s->loc[v->id].flag = -1;
            s->flag_owner[f] = NULL;
        }
    }
}

void sel_flags_block(struct sel *s)
{
    for (int f = 0; f < CG_FLAG_SCRATCH; f++) {
        if (s->flag_owner[f])
            s->loc[s->flag_owner[f]->id].flag = -1;
        s->flag_owner[f] = NULL;
    }
}

static struct opnd op_flag(unsigned f)
{
    return op_arf(f / 2 ? EU_ARF_F1 : EU_ARF_F0, f % 2 * 2, EU_UW);
}

struct opnd sel_mask(struct sel *s, struct ir_src src)
{
    src = sel_resolve(src);
    if (!src.value)
        return op_imm(EU_D, src.imm & 1 ? ~0u : 0);
    const struct loc *l = &s->loc[src.value->id];
    if (!l->placed)
        bug("%s: one-bit value %u has no mask", s->fn->name, src.value->id);
    return l->is_scalar ? op_scalar(l->v, l->off, EU_D) : op_lanes(l->v, l->off, EU_D);
}

/* Emits m in all lanes, whatever the mask, if `all`; else under it. */
static void put_simd(struct sel *s, struct mi m, bool all)
{
    m.e.exec_size = s->cg->simd;
    m.e.no_mask = all;
    sel_put(s, m);
}

/* Sets flag f where the mask is true. */
static void flag_from_mask(struct sel *s, unsigned f, struct opnd mask, bool uniform)
{
    struct mi m = sel_mi(s, EU_OP_mov, 1, op_null(EU_D), mask, none, none);
    m.e.cond = EU_COND_NZ;
    m.e.flag = f;
    put_simd(s, m, uniform);
}

unsigned sel_flag(struct sel *s, struct ir_src src, bool *inv)
{
    src = sel_resolve(src);
    *inv = false;
    if (!src.value) {
        struct opnd bits = op_imm(EU_UW, src.imm & 1 ? 0xffff : 0);
        struct mi m = mi_alu(EU_OP_mov, 1, 1, op_flag(CG_FLAG_SCRATCH), &bits);
        m.e.no_mask = true;
        mi_push(s->cg, &m);
        return CG_FLAG_SCRATCH;
    }
    const struct loc *l = &s->loc[src.value->id];
    if (l->flag >= 0) {
        *inv = l->flag_inv;
        return l->flag;
    }
    flag_from_mask(s, CG_FLAG_SCRATCH, sel_mask(s, src), l->is_scalar);
    return CG_FLAG_SCRATCH;
}

/* ---- results ---- */

/* Writes v's mask from flag f. */
static void mask_from_flag(struct sel *s, struct ir_value *v, unsigned f, bool inv)
{
    sel_shape(s, v->uniform);
    struct opnd d = sel_dst(s, v, EU_D);
    sel_mov(s, d, op_imm(EU_D, 0));
    struct mi m = sel_mi(s, EU_OP_mov, 1, d, op_imm(EU_D, ~0u), none, none);
    m.e.pred = EU_PRED_NORMAL;
    m.e.pred_inv = inv;
    m.e.flag = f;
    sel_put(s, m);
}

/* Decides which forms v gets: sets *flag to the flag to write (the scratch one if only a mask is
 * wanted); true if v keeps it. */
static bool wants(struct sel *s, struct ir_value *v, bool inv, unsigned *flag, bool *mask)
{
    struct loc *l = &s->loc[v->id];
    int f = l->last_flag ? flag_alloc(s, v) : -1;
    *mask = l->mask_use || (l->last_flag && f < 0);
    *flag = f < 0 ? CG_FLAG_SCRATCH : f;
    l->flag = f;
    l->flag_inv = inv;
    return f >= 0;
}

/* A step of a comparison: flag = a cond b; later steps only where the flag is still `where`. */
struct step {
    enum eu_cond cond;
    struct opnd a, b;
    bool where;
};

static void put_step(struct sel *s, const struct step *st, unsigned f, bool first, bool uniform,
                     struct opnd d)
{
    struct mi m = sel_mi(s, EU_OP_cmp, 2, d, st->a, st->b, none);
    m.e.cond = st->cond;
    m.e.flag = f;
    if (!first) {
        m.e.pred = EU_PRED_NORMAL;
        m.e.pred_inv = !st->where;
    }
    put_simd(s, m, uniform);
}

/* v = outcome of the steps, negated if inv. */
static void put_compare(struct sel *s, struct ir_value *v, const struct step *steps, unsigned n,
                        bool inv)
{
    unsigned f;
    bool mask, keep = wants(s, v, inv, &f, &mask);
    if (!keep && !mask)
        return; /* nobody looks */
    enum eu_type t = steps[0].a.o.type;
    bool simple = n == 1 && !inv && mask;
    if (simple) {
        sel_shape(s, v->uniform);
        struct mi m = sel_mi(s, EU_OP_cmp, 2, sel_dst(s, v, t), steps[0].a, steps[0].b, none);
        m.e.cond = steps[0].cond;
        m.e.flag = v->uniform ? CG_FLAG_SCRATCH : f;
        sel_put(s, m);
        if (!v->uniform || !keep)
            return;
    }
    for (unsigned k = 0; k < n; k++)
        put_step(s, &steps[k], f, k == 0, v->uniform, op_null(t));
    if (mask && !simple)
        mask_from_flag(s, v, f, inv);
}

static void sel_icmp(struct sel *s, struct ir_insn *i)
{
    static const struct {
        uint8_t cond, type;
    } rows[] = {
        [IR_EQ] = {EU_COND_Z, EU_D},   [IR_NE] = {EU_COND_NZ, EU_D},
        [IR_ULT] = {EU_COND_L, EU_UD}, [IR_ULE] = {EU_COND_LE, EU_UD},
        [IR_UGT] = {EU_COND_G, EU_UD}, [IR_UGE] = {EU_COND_GE, EU_UD},
        [IR_SLT] = {EU_COND_L, EU_D},  [IR_SLE] = {EU_COND_LE, EU_D},
        [IR_SGT] = {EU_COND_G, EU_D},  [IR_SGE] = {EU_COND_GE, EU_D},
    };
    enum eu_type t = rows[i->pred].type;
    struct step st = {rows[i->pred].cond, sel_src(s, i->src[0], t), sel_src(s, i->src[1], t),
                      false};
    put_compare(s, i->dst[0], &st, 1, false);
}

/* Ordered conditions are the hardware's own but for "not equal", which is true for NaN; unordered
 * ones are the negation of an ordered one. */
static void sel_fcmp(struct sel *s, struct ir_insn *i)
{
    struct opnd a = sel_src_f(s, i->src[0]), b = sel_src_f(s, i->src[1]);
    struct step st[2] = {{EU_COND_Z, a, b, false}, {EU_COND_Z, a, b, false}};
    unsigned n = 1;
    bool inv = false;
    switch ((enum ir_pred)i->pred) {
    case IR_OEQ:
        break;
    case IR_UNE:
        st[0].cond = EU_COND_NZ;
        break;
    case IR_OLT:
        st[0].cond = EU_COND_L;
        break;
    case IR_OLE:
        st[0].cond = EU_COND_LE;
        break;
    case IR_OGT:
        st[0].cond = EU_COND_G;
        break;
    case IR_OGE:
        st[0].cond = EU_COND_GE;
        break;
    case IR_FULT:
        st[0].cond = EU_COND_GE;
        inv = true;
        break;
    case IR_FULE:
        st[0].cond = EU_COND_G;
        inv = true;
        break;
    case IR_FUGT:
        st[0].cond = EU_COND_LE;
        inv = true;
        break;
    case IR_FUGE:
        st[0].cond = EU_COND_L;
        inv = true;
        break;
    case IR_ONE:
    case IR_UEQ: /* less or greater */
        st[0].cond = EU_COND_L;
        st[1].cond = EU_COND_G;
        n = 2;
        inv = i->pred == IR_UEQ;
        break;
    case IR_ORD:
    case IR_UNO: /* a equals itself and b does */
        st[0].a = st[0].b = sel_reg(s, a);
        st[1].a = st[1].b = sel_reg(s, b);
        st[1].where = true;
        n = 2;
        inv = i->pred == IR_UNO;
        break;
    case IR_EQ:
    case IR_NE:
    case IR_ULT:
    case IR_ULE:
    case IR_UGT:
    case IR_UGE:
    case IR_SLT:
    case IR_SLE:
    case IR_SGT:
    case IR_SGE:
        bug("%s: integer condition in fcmp", s->fn->name);
    }
    put_compare(s, i->dst[0], st, n, inv);
}

/* ---- fclass ---- */

/* The classes in the order of their bit patterns, as LLVM numbers them; each ends before `end`. */
static const struct {
    uint8_t plus, minus; /* bit of LLVM's mask */
    uint32_t end;
} classes[] = {
    {6, 5, 0x00000001},  /* zero */
    {7, 4, 0x00800000},  /* subnormal */
    {8, 3, 0x7f800000},  /* normal */
    {9, 2, 0x7f800001},  /* infinity */
    {0, 0, 0x7fc00000},  /* signaling NaN */
    {1, 1, 0x80000000u}, /* quiet NaN */
};
enum { N_CLASSES = sizeof classes / sizeof *classes };

/* Ranges of bit patterns, joined where they touch. */
static unsigned class_ranges(uint32_t mask, uint32_t lo[], uint32_t len[])
{
    unsigned n = 0;
    bool open = false;
    for (unsigned k = 0; k < 2 * N_CLASSES; k++) {
        unsigned c = k % N_CLASSES;
        uint32_t sign = k < N_CLASSES ? 0 : 0x80000000u;
        uint32_t from = sign + (c ? classes[c - 1].end : 0), to = sign + classes[c].end - 1;
        bool in = mask >> (sign ? classes[c].minus : classes[c].plus) & 1;
        if (in && open)
            len[n - 1] = to - lo[n - 1];
        else if (in) {
            lo[n] = from;
            len[n++] = to - from;
        }
        open = in;
    }
    return n;
}

static bool is_symmetric(uint32_t mask)
{
    for (unsigned c = 0; c < N_CLASSES; c++) {
        if ((mask >> classes[c].plus & 1) != (mask >> classes[c].minus & 1))
            return false;
    }
    return true;
}

static void sel_fclass(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->dst[0];
    uint32_t lo[2 * N_CLASSES], len[2 * N_CLASSES];
    struct step st[2 * N_CLASSES];
    bool both = is_symmetric(i->imm);
    unsigned n = class_ranges(i->imm, lo, len), kept = 0;
    sel_shape(s, v->uniform);
    struct opnd x = sel_reg(s, sel_src(s, i->src[0], EU_UD));
    if (both) {
        struct opnd t = sel_temp(s, EU_UD);
        sel_op2(s, EU_OP_and, t, x, op_imm(EU_UD, 0x7fffffff));
        x = t;
    }
    for (unsigned k = 0; k < n; k++) {
        if (both && lo[k] >> 31)
            break;
        if (both && lo[k] + len[k] > 0x7fffffff)
            len[k] = 0x7fffffff - lo[k]; /* ran on into the negative half */
        struct opnd t = x;
        if (lo[k]) {
            t = sel_temp(s, EU_UD);
            sel_op2(s, EU_OP_add, op_type(t, EU_D), op_type(x, EU_D), op_imm(EU_D, -lo[k]));
        }
        st[kept++] = (struct step){EU_COND_LE, t, op_imm(EU_UD, len[k]), false};
    }
    if (kept == 0) /* no class: never */
        st[kept++] = (struct step){EU_COND_L, x, op_imm(EU_UD, 0), false};
    put_compare(s, v, st, kept, false);
}

/* ---- logic on masks ---- */

static void put_logic(struct sel *s, struct ir_value *v, enum eu_opcode op, struct opnd a,
                      struct opnd b)
{
    unsigned f;
    bool mask, keep = wants(s, v, false, &f, &mask);
    if (op_is_imm(&a) && op_is_imm(&b))
        a = sel_reg(s, a);
    if (mask) {
        sel_shape(s, v->uniform);
        struct mi m = sel_mi(s, op, 2, sel_dst(s, v, EU_D), a, b, none);
        if (keep && !v->uniform) {
            m.e.cond = EU_COND_NZ;
            m.e.flag = f;
        }
        sel_put(s, m);
    }
    if (keep && (!mask || v->uniform)) {
        struct mi m = sel_mi(s, op, 2, op_null(EU_D), a, b, none);
        m.e.cond = EU_COND_NZ;
        m.e.flag = f;
        put_simd(s, m, v->uniform);
    }
}

static void sel_i2b(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->dst[0];
    struct loc *l = &s->loc[v->id];
    struct opnd a = sel_reg(s, sel_src(s, i->src[0], EU_D));
    if (!l->mask_use) {
        put_logic(s, v, EU_OP_and, a, op_imm(EU_D, 1));
        if (!l->placed)
            return;
        /* No flag was free: the mask has the bit alone so far. */
    } else {
        sel_shape(s, v->uniform);
        unsigned f;
        bool mask, keep = wants(s, v, false, &f, &mask);
        struct opnd d = sel_dst(s, v, EU_D);
        sel_op2(s, EU_OP_and, d, a, op_imm(EU_D, 1));
        sel_mov(s, d, op_neg(d));
        if (keep)
            flag_from_mask(s, f, d, v->uniform);
        return;
    }
    sel_shape(s, v->uniform);
    struct opnd d = sel_dst(s, v, EU_D);
    sel_mov(s, d, op_neg(d));
}

/* ---- select ---- */

static void sel_select_mask(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->dst[0];
    bool inv, mask;
    unsigned c = sel_flag(s, i->src[0], &inv), f;
    struct opnd a = sel_mask(s, i->src[1]), b = sel_mask(s, i->src[2]);
    sel_shape(s, v->uniform);
    struct opnd d = sel_dst(s, v, EU_D);
    struct mi m = sel_mi(s, EU_OP_sel, 2, d, a, b, none);
    m.e.pred = EU_PRED_NORMAL;
    m.e.pred_inv = inv;
    m.e.flag = c;
    sel_put(s, m);
    if (wants(s, v, false, &f, &mask))
        flag_from_mask(s, f, d, v->uniform);
}

static void sel_select(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->dst[0];
    if (v->type == IR_I1) {
        sel_select_mask(s, i);
        return;
    }
    struct opnd a = sel_src(s, i->src[1], EU_UD), b = sel_src(s, i->src[2], EU_UD);
    bool inv;
    unsigned f = sel_flag(s, i->src[0], &inv);
    sel_shape(s, v->uniform);
    struct mi m = sel_mi(s, EU_OP_sel, 2, sel_dst(s, v, EU_UD), a, b, none);
    m.e.pred = EU_PRED_NORMAL;
    m.e.pred_inv = inv;
    m.e.flag = f;
    sel_put(s, m);
}

bool sel_bool(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->n_dst ? i->dst[0] : NULL;
    switch ((enum ir_op)i->op) {
    case IR_icmp:
        sel_icmp(s, i);
        return true;
    case IR_fcmp:
        sel_fcmp(s, i);
        return true;
    case IR_fclass:
        sel_fclass(s, i);
        return true;
    case IR_and1:
        put_logic(s, v, EU_OP_and, sel_mask(s, i->src[0]), sel_mask(s, i->src[1]));
        return true;
    case IR_or1:
        put_logic(s, v, EU_OP_or, sel_mask(s, i->src[0]), sel_mask(s, i->src[1]));
        return true;
    case IR_xor1:
        put_logic(s, v, EU_OP_xor, sel_mask(s, i->src[0]), sel_mask(s, i->src[1]));
        return true;
    case IR_not1:
        put_logic(s, v, EU_OP_xor, sel_mask(s, i->src[0]), op_imm(EU_D, ~0u));
        return true;
    case IR_b2i:
        sel_op2(s, EU_OP_and, sel_dst(s, v, EU_D), sel_reg(s, sel_mask(s, i->src[0])),
                op_imm(EU_D, 1));
        return true;
    case IR_b2m:
        sel_mov(s, sel_dst(s, v, EU_D), sel_mask(s, i->src[0]));
        return true;
    case IR_i2b:
        sel_i2b(s, i);
        return true;
    case IR_select:
        sel_select(s, i);
        return true;
    default:
        return false;
    }
}
