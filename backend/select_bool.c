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
    for (unsigned f = 0; f < s->cg->n_flags; f++) {
        if (!s->flag_owner[f]) {
            s->flag_owner[f] = v;
            return f;
        }
    }
    return -1;
}

void sel_flags_release(struct sel *s)
{
    for (unsigned f = 0; f < s->cg->n_flags; f++) {
        struct ir_value *v = s->flag_owner[f];
        if (v && s->loc[v->id].last_flag <= s->seq) {
            s->loc[v->id].flag = -1;
            s->flag_owner[f] = NULL;
        }
    }
}

void sel_flags_block(struct sel *s)
{
    for (unsigned f = 0; f < s->cg->n_flags; f++) {
        if (s->flag_owner[f])
            s->loc[s->flag_owner[f]->id].flag = -1;
        s->flag_owner[f] = NULL;
    }
}

struct opnd sel_mask(struct sel *s, struct ir_src src)
{
    src = sel_resolve(src);
    if (!src.value || src.value->def->op == IR_undef)
        return op_imm(EU_D, src.imm & 1 ? ~0u : 0);
    const struct loc *l = &s->loc[src.value->id];
    if (!l->placed)
        bug("%s: one-bit value %u has no mask", s->fn->name, src.value->id);
    return l->is_scalar ? op_scalar(l->v, l->off, EU_D) : op_lanes(l->v, l->off, EU_D);
}

/* Emits m in all lanes, whatever the mask, if `all`; else under it. */
static void put_simd(struct sel *s, struct mi m, bool all)
{
    m.e.exec_size = s->cg->lanes;
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
    if (!src.value || src.value->def->op == IR_undef) {
        struct opnd flag = op_flag(s->cg, s->cg->scratch_flag);
        struct opnd bits =
            op_imm(flag.o.type, src.imm & 1 ? (s->cg->simd == 32 ? ~0u : 0xffff) : 0);
        struct mi m = mi_alu(EU_OP_mov, 1, 1, flag, &bits);
        m.e.no_mask = true;
        mi_push(s->cg, &m);
        return s->cg->scratch_flag;
    }
    const struct loc *l = &s->loc[src.value->id];
    if (l->flag >= 0) {
        *inv = l->flag_inv;
        return l->flag;
    }
    flag_from_mask(s, s->cg->scratch_flag, sel_mask(s, src), l->is_scalar);
    return s->cg->scratch_flag;
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
    *flag = f < 0 ? s->cg->scratch_flag : (unsigned)f;
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

/* Of the comparison's result: the wider operand's, a word at least. */
static enum eu_type step_type(const struct step *st)
{
    bool b = eu_type_size(st->b.o.type) > eu_type_size(st->a.o.type);
    enum eu_type t = b ? st->b.o.type : st->a.o.type;
    return eu_type_size(t) == 1 ? EU_UW : t;
}

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
    enum eu_type t = step_type(&steps[0]);
    bool simple = n == 1 && !inv && mask && eu_type_size(t) == 4; /* as wide as a mask */
    if (simple) {
        sel_shape(s, v->uniform);
        struct mi m = sel_mi(s, EU_OP_cmp, 2, sel_dst(s, v, t), steps[0].a, steps[0].b, none);
        m.e.cond = steps[0].cond;
        m.e.flag = v->uniform ? s->cg->scratch_flag : f;
        sel_put(s, m);
        if (!v->uniform || !keep)
            return;
    }
    for (unsigned k = 0; k < n; k++)
        put_step(s, &steps[k], f, k == 0, v->uniform, op_null(t));
    if (mask && !simple)
        mask_from_flag(s, v, f, inv);
}

/* ---- comparisons ---- */

static struct step icmp_step(struct sel *s, const struct ir_insn *i)
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
    struct step st = {.cond = rows[i->pred].cond};
    if (s->loc[i->dst[0]->id].mask_use) { /* which has dwords */
        st.a = sel_src(s, i->src[0], t);
        st.b = sel_src(s, i->src[1], t);
    } else if (!sel_words_compare(s, i, &st.a, &st.b)) {
        sel_src_pair(s, i, 0, t, t == EU_UD, &st.a, &st.b);
    }
    return st;
}

/* Conditions of one comparison: the hardware's ordered ones and "not equal", which is true for NaN.
 * The unordered ones are the negation of an ordered one. */
static bool fcmp_cond(enum ir_pred pred, enum eu_cond *cond, bool *inv)
{
    static const struct {
        uint8_t cond;
        bool inv;
    } rows[IR_UNO + 1] = {
        [IR_OEQ] = {EU_COND_Z, false},  [IR_UNE] = {EU_COND_NZ, false},
        [IR_OLT] = {EU_COND_L, false},  [IR_OLE] = {EU_COND_LE, false},
        [IR_OGT] = {EU_COND_G, false},  [IR_OGE] = {EU_COND_GE, false},
        [IR_FULT] = {EU_COND_GE, true}, [IR_FULE] = {EU_COND_G, true},
        [IR_FUGT] = {EU_COND_LE, true}, [IR_FUGE] = {EU_COND_L, true},
    };
    *cond = rows[pred].cond;
    *inv = rows[pred].inv;
    return rows[pred].cond != EU_COND_NONE;
}

static struct opnd fcmp_src(struct sel *s, const struct ir_insn *i, unsigned n)
{
    return i->op == IR_dcmp   ? sel_src_d(s, i->src[n])
           : i->op == IR_hcmp ? sel_src_half(s, i->src[n])
                              : sel_src_f(s, i->src[n]);
}

static void sel_fcmp(struct sel *s, struct ir_insn *i)
{
    struct opnd a = fcmp_src(s, i, 0), b = fcmp_src(s, i, 1);
    struct step st[2] = {{EU_COND_L, a, b, false}, {EU_COND_G, a, b, false}};
    enum eu_cond cond;
    bool inv;
    if (fcmp_cond(i->pred, &cond, &inv)) {
        st[0].cond = cond;
        put_compare(s, i->dst[0], st, 1, inv);
        return;
    }
    if (i->pred == IR_ORD || i->pred == IR_UNO) { /* a equals itself and b does */
        a = sel_reg(s, a);
        b = sel_reg(s, b);
        st[0] = (struct step){EU_COND_Z, a, a, false};
        st[1] = (struct step){EU_COND_Z, b, b, true};
        put_compare(s, i->dst[0], st, 2, i->pred == IR_UNO);
        return;
    }
    if (i->pred != IR_ONE && i->pred != IR_UEQ)
        bug("%s: integer condition in fcmp", s->fn->name);
    put_compare(s, i->dst[0], st, 2, i->pred == IR_UEQ); /* less or greater */
}

/* ---- and, or of comparisons ----
 *
 * The second comparison runs where the first left the outcome open, and overwrites its flag there:
 * one instruction, where two masks and an operation on them would be three. */

/* Whether i is the AND or OR of its sources *a and *b; selects of constants are. */
static bool is_and_or(const struct ir_insn *i, bool *is_and, unsigned *a, unsigned *b)
{
    *a = 0;
    *b = 1;
    *is_and = i->op == IR_and1;
    if (i->op == IR_and1 || i->op == IR_or1)
        return true;
    if (i->op != IR_select || i->dst[0]->type != IR_I1)
        return false;
    if (ir_is_imm(i->src[2], 0)) {
        *is_and = true;
        return true;
    }
    *b = 2;
    return ir_is_imm(i->src[1], 1);
}

static bool is_one_compare(const struct ir_insn *i)
{
    enum eu_cond cond;
    bool inv;
    return i->op == IR_icmp || (ir_is_compare(i->op) && fcmp_cond(i->pred, &cond, &inv) && !inv);
}

bool sel_wants_flag(const struct sel *s, const struct ir_insn *i, unsigned n)
{
    const struct ir_value *v = sel_resolve(i->src[n]).value;
    if (!v || v->def->block != i->block || v->def->op == IR_phi)
        return false;
    unsigned a, b;
    bool is_and;
    if (i->op == IR_branch || i->op == IR_loop || i->op == IR_break)
        return n == 0;
    if (i->n_dst && s->loc[i->dst[0]->id].is_fused && is_and_or(i, &is_and, &a, &b))
        return !s->loc[v->id].is_deferred;
    return i->op == IR_select && n == 0 && !is_and_or(i, &is_and, &a, &b);
}

/* Backwards in each block: an AND or OR whose users all want a flag, one source of which is a
 * comparison that nobody else looks at. One of uniform values is made for each lane then. */
static void fuse_block(struct sel *s, struct ir_block *block)
{
    for (struct ir_insn *i = block->last; i; i = i->prev) {
        unsigned a, b;
        bool is_and;
        if (i->n_dst == 1 && is_and_or(i, &is_and, &a, &b)) {
            struct loc *l = &s->loc[i->dst[0]->id];
            struct ir_value *va = i->src[a].value, *vb = i->src[b].value;
            bool swap = va && vb &&
                        !(vb->def->block == block && vb->n_uses == 1 && is_one_compare(vb->def));
            struct ir_value *later = swap ? va : vb, *first = swap ? vb : va;
            if (first && later && first != later && l->n_flag_uses == i->dst[0]->n_uses &&
                l->n_flag_uses && later->def->block == block && later->n_uses == 1 &&
                is_one_compare(later->def) && first->def->block == block &&
                first->def->op != IR_phi && first->def->op != IR_mov &&
                (later->uniform || !i->dst[0]->uniform) && first->uniform == i->dst[0]->uniform) {
                l->is_fused = true;
                s->loc[later->id].is_deferred = true;
            }
        }
        for (unsigned n = 0; n < i->n_src; n++) {
            struct ir_value *v = i->src[n].value;
            if (v && v->type == IR_I1 && sel_wants_flag(s, i, n))
                s->loc[v->id].n_flag_uses++;
        }
    }
}

void sel_bool_prepare(struct sel *s)
{
    for (uint32_t b = 0; b < s->fn->n_blocks; b++)
        fuse_block(s, s->fn->blocks[b]);
}

static void sel_compare(struct sel *s, struct ir_insn *i)
{
    if (s->loc[i->dst[0]->id].is_deferred)
        return;
    if (i->op != IR_icmp) {
        sel_fcmp(s, i);
        return;
    }
    struct step st = icmp_step(s, i);
    put_compare(s, i->dst[0], &st, 1, false);
}

/* A flag of v's own that is true where src is: src's, if this is its last use, or another. */
static unsigned take_flag(struct sel *s, struct ir_value *v, struct ir_src src)
{
    struct loc *l = &s->loc[src.value->id], *lv = &s->loc[v->id];
    unsigned f;
    if (l->flag >= 0 && l->last_flag <= s->seq && !l->flag_inv) {
        f = l->flag;
        s->flag_owner[f] = v;
        l->flag = -1;
        lv->flag = f;
        return f;
    }
    int own = flag_alloc(s, v);
    lv->flag = own;
    f = own < 0 ? s->cg->scratch_flag : (unsigned)own;
    if (l->flag < 0) {
        flag_from_mask(s, f, sel_mask(s, src), l->is_scalar);
    } else {
        struct opnd from = op_flag(s->cg, l->flag);
        struct mi m = mi_alu(l->flag_inv ? EU_OP_not : EU_OP_mov, 1, 1, op_flag(s->cg, f), &from);
        m.e.no_mask = true;
        mi_push(s->cg, &m);
    }
    return f;
}

static void sel_fused(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->dst[0];
    unsigned a, b;
    bool is_and, inv;
    is_and_or(i, &is_and, &a, &b);
    if (s->loc[i->src[a].value->id].is_deferred) {
        unsigned t = a;
        a = b;
        b = t;
    }
    const struct ir_insn *cmp = i->src[b].value->def;
    unsigned f = take_flag(s, v, i->src[a]);
    struct step st;
    if (cmp->op == IR_icmp) {
        st = icmp_step(s, cmp);
    } else {
        enum eu_cond cond;
        fcmp_cond(cmp->pred, &cond, &inv);
        st = (struct step){cond, fcmp_src(s, cmp, 0), fcmp_src(s, cmp, 1), false};
    }
    st.where = is_and;
    put_step(s, &st, f, false, v->uniform, op_null(step_type(&st)));
    s->loc[v->id].flag_inv = false;
    if (s->loc[v->id].flag < 0) /* no flag to keep it in */
        mask_from_flag(s, v, f, false);
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
    enum eu_type t = v->type == IR_F64 ? EU_DF : EU_UD;
    struct opnd a, b;
    bool inv;
    if (t == EU_UD) {
        sel_src_pair(s, i, 1, t, false, &a, &b);
    } else {
        a = sel_src(s, i->src[1], t);
        b = sel_src(s, i->src[2], t);
    }
    unsigned f = sel_flag(s, i->src[0], &inv);
    sel_shape(s, v->uniform);
    struct mi m = sel_mi(s, EU_OP_sel, 2, sel_dst(s, v, t), a, b, none);
    m.e.pred = EU_PRED_NORMAL;
    m.e.pred_inv = inv;
    m.e.flag = f;
    sel_put(s, m);
}

static void sel_b2i(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->dst[0];
    struct opnd mask = sel_mask(s, i->src[0]);
    sel_op2(s, EU_OP_and, sel_dst(s, v, EU_D), sel_reg(s, mask),
            op_imm(EU_D, 1)); /* dead if all users add it */
    if (mask.v && op_is_scalar(&mask) == v->uniform)
        s->loc[v->id].minus = mask.v;
}

bool sel_bool(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->n_dst ? i->dst[0] : NULL;
    if (v && s->loc[v->id].is_fused) {
        sel_fused(s, i);
        return true;
    }
    switch ((enum ir_op)i->op) {
    case IR_icmp:
    case IR_fcmp:
    case IR_dcmp:
    case IR_hcmp:
        sel_compare(s, i);
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
        sel_b2i(s, i);
        return true;
    case IR_b2m:
        sel_mov(s, sel_dst(s, v, EU_D), sel_mask(s, i->src[0]));
        return true;
    case IR_i2b:
        sel_i2b(s, i);
        return true;
    case IR_select: {
        unsigned a, b;
        bool is_and;
        if (is_and_or(i, &is_and, &a, &b) && !ir_is_imm(i->src[a], 0) && !ir_is_imm(i->src[a], 1))
            put_logic(s, v, is_and ? EU_OP_and : EU_OP_or, sel_mask(s, i->src[a]),
                      sel_mask(s, i->src[b]));
        else
            sel_select(s, i);
        return true;
    }
    default:
        return false;
    }
}
