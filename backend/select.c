/* Instruction selection, Gen IR -> machine instructions: values, phis, blocks and control flow.
 *
 * Each Gen IR value gets a virtual register, except: copies, constants, parameters (read where the
 * hardware puts them), components of a load (parts of the response), and one-bit values that live
 * in a flag. Phis are copies in the predecessors; a value made only to become a phi's next value is
 * made in the phi's register at once. */
#include "backend/select.h"

#include <string.h>

/* ---- emitting ---- */

void sel_shape(struct sel *s, bool uniform)
{
    s->is_uniform = uniform;
    s->exec = uniform ? 1 : s->cg->lanes;
}

struct mi sel_mi(struct sel *s, enum eu_opcode op, unsigned n_src, struct opnd d, struct opnd a,
                 struct opnd b, struct opnd c)
{
    struct opnd src[3] = {a, b, c};
    struct mi m = mi_alu(op, s->exec, n_src, d, src);
    m.e.no_mask = s->is_uniform;
    return m;
}

struct opnd sel_temp(struct sel *s, enum eu_type t)
{
    if (eu_type_size(t) == 8)
        return s->is_uniform ? op_scalar(vreg_scalar64(s->cg), 0, t)
                             : op_lanes(vreg_lanes64(s->cg), 0, t);
    if (eu_type_size(t) == 2 && !s->is_uniform)
        return op_lanes(vreg_words(s->cg), 0, t);
    return s->is_uniform ? op_scalar(vreg_scalar(s->cg), 0, t) : op_lanes(vreg_lanes(s->cg), 0, t);
}

static void put_imm(struct sel *s, struct opnd d, struct opnd imm)
{
    struct mi m = mi_alu(EU_OP_mov, 1, 1, d, &imm);
    m.e.no_mask = true;
    mi_push(s->cg, &m);
}

/* Before Gen8 there are no immediate doubles (but Haswell's dim). */
static void put_const(struct sel *s, const struct sel_const *c)
{
    if (c->is_row) {
        struct opnd imm = op_imm64(c->bits);
        struct mi m = mi_alu(EU_OP_mov, 4, 1, op_lanes(c->v, 0, EU_DF), &imm);
        m.e.no_mask = true;
        mi_push(s->cg, &m);
        return;
    }
    if (c->is_double && s->cg->gen >= 80) {
        put_imm(s, op_scalar(c->v, 0, EU_DF), op_imm64(c->bits));
        return;
    }
    put_imm(s, op_scalar(c->v, 0, EU_UD), op_imm(EU_UD, (uint32_t)c->bits));
    if (c->is_double)
        put_imm(s, op_scalar(c->v, 4, EU_UD), op_imm(EU_UD, (uint32_t)(c->bits >> 32)));
}

static bool same_const(const struct sel_const *a, const struct sel_const *b)
{
    return a->bits == b->bits && a->is_double == b->is_double && a->is_row == b->is_row;
}

/* The vreg of a constant: made once a block, or for loops once at the kernel's start. */
static uint32_t const_vreg(struct sel *s, struct sel_const c)
{
    for (unsigned i = 0; i < s->n_consts; i++) {
        if (same_const(&s->consts[i], &c))
            return s->consts[i].v;
    }
    enum { N_LOOP = sizeof s->loop_consts / sizeof *s->loop_consts };
    unsigned n = 0;
    while (s->in_loop && n < s->n_loop_consts && !same_const(&s->loop_consts[n], &c))
        n++;
    if (!(s->in_loop && n < s->n_loop_consts))
        c.v = c.is_row      ? vreg_new(s->cg, EU_GRF_SIZE, 1)
              : c.is_double ? vreg_scalar64(s->cg)
                            : vreg_scalar(s->cg);
    if (s->in_loop && n < N_LOOP) {
        if (n == s->n_loop_consts)
            s->loop_consts[s->n_loop_consts++] = c;
        return s->loop_consts[n].v;
    }
    put_const(s, &c);
    unsigned slot =
        s->n_consts < sizeof s->consts / sizeof *s->consts ? s->n_consts++ : c.bits % 32;
    s->consts[slot] = c;
    return c.v;
}

static struct opnd const_reg(struct sel *s, uint64_t bits, enum eu_type type)
{
    struct sel_const c = {.bits = bits, .is_double = eu_type_size(type) == 8};
    return op_scalar(const_vreg(s, c), 0, type);
}

struct opnd sel_const_row(struct sel *s, uint64_t bits)
{
    struct sel_const c = {.bits = bits, .is_double = true, .is_row = true};
    return op_lanes(const_vreg(s, c), 0, EU_DF);
}

struct opnd sel_reg(struct sel *s, struct opnd o)
{
    if (!op_is_imm(&o))
        return o;
    if (eu_type_size(o.o.type) > 4)
        bug("constant of type %s in a register", eu_type_name(o.o.type));
    return const_reg(s, o.o.imm, o.o.type);
}

static enum eu_cond reversed(enum eu_cond c)
{
    switch (c) {
    case EU_COND_G:
        return EU_COND_L;
    case EU_COND_GE:
        return EU_COND_LE;
    case EU_COND_L:
        return EU_COND_G;
    case EU_COND_LE:
        return EU_COND_GE;
    case EU_COND_NONE:
    case EU_COND_Z:
    case EU_COND_NZ:
    case EU_COND_O:
    case EU_COND_U:
        break;
    }
    return c;
}

/* Constants stand last, and in two-source instructions only. */
static void legalize_constants(struct sel *s, struct mi *m)
{
    if (m->n_src == 3) {
        for (unsigned k = 1; k <= 3; k++)
            mi_set_opnd(m, k, sel_reg(s, mi_opnd(m, k)));
        return;
    }
    if (m->n_src != 2 || m->e.src[0].file != EU_IMM)
        return;
    struct opnd a = mi_opnd(m, 1), b = mi_opnd(m, 2);
    bool swap = false;
    switch ((enum eu_opcode)m->e.op) {
    case EU_OP_add:
    case EU_OP_avg:
    case EU_OP_mul:
    case EU_OP_and:
    case EU_OP_or:
    case EU_OP_xor:
        swap = true;
        break;
    case EU_OP_cmp:
        swap = true;
        if (!op_is_imm(&b))
            m->e.cond = reversed(m->e.cond);
        break;
    case EU_OP_sel:
        swap = true;
        if (m->e.pred && !op_is_imm(&b))
            m->e.pred_inv = !m->e.pred_inv;
        break;
    default:
        break;
    }
    if (!swap || op_is_imm(&b)) {
        mi_set_opnd(m, 1, sel_reg(s, a));
    } else {
        mi_set_opnd(m, 1, b);
        mi_set_opnd(m, 2, a);
    }
}

static bool is_type64(const struct mi *m)
{
    bool wide = m->e.dst.type == EU_DF;
    for (unsigned k = 0; k < m->n_src; k++)
        wide |= m->e.src[k].type == EU_DF;
    return wide;
}

/* A packed dword operand, in an instruction whose others have a dword in eight bytes. */
static bool is_packed(const struct eu_operand *o)
{
    return o->file == EU_GRF && o->hs == 1 && eu_type_size(o->type) == 4;
}

/* In parts of as many lanes as the generation does on doubles, and the dwords of doubles: a
 * register of four where destination and sources would have one register and two (eu_check
 * "two_registers"). */
static void put_slices(struct sel *s, const struct mi *m)
{
    bool all_wide = true;
    for (unsigned k = 0; k < m->n_src; k++)
        all_wide &= !is_packed(&m->e.src[k]);
    unsigned n = s->cg->gen == 70 || (s->cg->gen == 75 && !all_wide) ? 4 : 8;
    if (m->e.exec_size <= n && m->e.exec_size < s->cg->lanes) { /* one lane, or four for its sake */
        mi_push(s->cg, m);
        return;
    }
    for (unsigned at = 0; at < m->e.exec_size; at += n) {
        struct mi part = *m;
        part.e.exec_size = n;
        part.e.group = at;
        for (unsigned k = 0; k <= m->n_src; k++)
            mi_set_opnd(&part, k, op_slice(mi_opnd(m, k), at, n));
        mi_push(s->cg, &part);
    }
}

/* Whether a source of one register feeds a destination of two, other than packed words dwords: not
 * before Gen8 (eu_check "two_registers"). */
static bool is_stretched(const struct mi *m)
{
    uint32_t lo, hi;
    mi_span(m, 0, &lo, &hi);
    if (m->e.dst.file != EU_GRF || hi - lo <= EU_GRF_SIZE)
        return false;
    bool dwords = m->e.dst.hs == 1 && eu_type_size(m->e.dst.type) == 4;
    for (unsigned k = 1; k <= m->n_src; k++) {
        struct opnd o = mi_opnd(m, k);
        if (o.o.file != EU_GRF || op_is_scalar(&o))
            continue;
        mi_span(m, k, &lo, &hi);
        if (hi - lo <= EU_GRF_SIZE && !(dwords && o.o.hs == 1 && eu_type_size(o.o.type) == 2))
            return true;
    }
    return false;
}

/* Conversions between half and float that Gen9 does eight at a time: to float, and to packed halves
 * (eu-isa "Half float and mixed F/HF"). */
static bool mixes_halves(const struct cg *cg, const struct mi *m)
{
    if (m->n_src != 1)
        return false;
    enum eu_type d = m->e.dst.type, a = m->e.src[0].type;
    return (d == EU_F && a == EU_HF && cg->gen >= 90) ||
           (d == EU_HF && a == EU_F && m->e.dst.hs == 1);
}

/* The widest the generation does this instruction in. */
static unsigned max_exec(const struct cg *cg, const struct mi *m)
{
    bool to_grf = m->e.dst.file == EU_GRF;
    if (cg->gen < 80 && m->e.exec_size == 16 && is_stretched(m))
        return 8;
    switch ((enum eu_opcode)m->e.op) {
    case EU_OP_mad:
        return cg->gen == 70 ? 8 : 16;
    case EU_OP_cmp: /* WaCMPInstFlagDepClearedEarly */
        return cg->gen == 70 && to_grf ? 8 : 16;
    case EU_OP_bfi1:
    case EU_OP_bfi2:
        return cg->gen == 75 ? 8 : 16;
    case EU_OP_math:
        return m->e.fn >= EU_MATH_INT_DIV_BOTH ? 8 : 16;
    case EU_OP_f16to32:
    case EU_OP_f32to16:
        return 8;
    default:
        break;
    }
    return mixes_halves(cg, m) ? 8 : 16;
}

void sel_put(struct sel *s, struct mi m)
{
    struct cg *cg = s->cg;
    legalize_constants(s, &m);
    /* WaCMPInstNullDstForcesThreadSwitch */
    if (m.e.op == EU_OP_cmp && m.e.dst.file == EU_ARF && cg->gen < 80) {
        m.e.thread_ctrl = EU_THREAD_SWITCH;
        if (m.e.exec_size == 16 && cg->gen == 70 && eu_type_size(m.e.dst.type) == 4)
            m.e.dst.type = EU_D;
    }
    if (is_type64(&m)) {
        put_slices(s, &m);
        return;
    }
    if (m.e.exec_size <= max_exec(cg, &m)) {
        mi_push(cg, &m);
        return;
    }
    for (unsigned h = 0; h < 2; h++) {
        struct mi half = m;
        half.e.exec_size = 8;
        half.e.group = 8 * h;
        for (unsigned k = 0; k <= m.n_src; k++)
            mi_set_opnd(&half, k, op_half(mi_opnd(&m, k), h));
        mi_push(cg, &half);
    }
}

void sel_put_dwords(struct sel *s, struct opnd d, struct opnd a)
{
    struct mi m = mi_alu(EU_OP_mov, s->exec, 1, d, &a);
    m.e.no_mask = s->is_uniform;
    put_slices(s, &m);
}

static const struct opnd none;

void sel_op1(struct sel *s, enum eu_opcode op, struct opnd d, struct opnd a)
{
    sel_put(s, sel_mi(s, op, 1, d, a, none, none));
}

void sel_op2(struct sel *s, enum eu_opcode op, struct opnd d, struct opnd a, struct opnd b)
{
    sel_put(s, sel_mi(s, op, 2, d, a, b, none));
}

void sel_mov(struct sel *s, struct opnd d, struct opnd a)
{
    sel_op1(s, EU_OP_mov, d, a);
}

/* ---- values ---- */

struct ir_src sel_resolve(struct ir_src src)
{
    while (src.value && src.value->def->op == IR_mov)
        src = src.value->def->src[0];
    return src;
}

void sel_place(struct sel *s, struct ir_value *v, uint32_t vreg, uint32_t off, bool scalar)
{
    struct loc *l = &s->loc[v->id];
    l->v = vreg;
    l->off = off;
    l->is_scalar = scalar;
    l->placed = true;
}

static struct opnd at_loc(const struct loc *l, enum eu_type t)
{
    if (l->is_word)
        t = l->is_signed ? EU_W : EU_UW;
    return l->is_scalar ? op_scalar(l->v, l->off, t) : op_lanes(l->v, l->off, t);
}

/* Where the value is computed to. Parameters and such are placed without code. */
struct opnd sel_dst(struct sel *s, struct ir_value *v, enum eu_type t)
{
    struct loc *l = &s->loc[v->id];
    if (!l->placed) {
        uint32_t reg = l->is_word          ? vreg_words(s->cg)
                       : v->type != IR_F64 ? (v->uniform ? vreg_scalar(s->cg) : vreg_lanes(s->cg))
                       : v->uniform        ? vreg_scalar64(s->cg)
                                           : vreg_lanes64(s->cg);
        sel_place(s, v, reg, 0, v->uniform);
    }
    return at_loc(l, t);
}

/* A value that is kept as words, as dwords for who can't take it so. */
static struct opnd widened(struct sel *s, struct loc *l, enum eu_type t)
{
    if (!l->wide || l->wide_end != s->end) {
        bool was_uniform = s->is_uniform;
        sel_shape(s, false);
        struct opnd wide = sel_temp(s, EU_UD);
        sel_mov(s, wide, at_loc(l, EU_UD));
        sel_shape(s, was_uniform);
        l->wide = wide.v;
        l->wide_end = s->end;
    }
    return op_lanes(l->wide, 0, t);
}

struct opnd sel_src(struct sel *s, struct ir_src src, enum eu_type t)
{
    src = sel_resolve(src);
    uint64_t bits;
    if (!src.value)
        return op_imm(t, src.imm);
    if (src.value->def->op == IR_undef)
        return eu_type_size(t) == 8 ? const_reg(s, 0, t) : op_imm(t, 0);
    if (ir_is_imm64(src, &bits))
        return const_reg(s, bits, t);
    struct loc *l = &s->loc[src.value->id];
    if (!l->placed)
        bug("%s: value %u is used before it is made", s->fn->name, src.value->id);
    return l->is_word ? widened(s, l, t) : at_loc(l, t);
}

/* Looks through negations and absolute values. */
static struct ir_src strip_signs(struct ir_src src, bool *neg, bool *abs)
{
    *neg = *abs = false;
    for (src = sel_resolve(src); src.value; src = sel_resolve(src.value->def->src[0])) {
        enum ir_op op = src.value->def->op;
        if (op == IR_fabs || op == IR_dabs)
            *abs = true;
        else if (op != IR_fneg && op != IR_dneg)
            break;
        else if (!*abs)
            *neg = !*neg;
    }
    return src;
}

struct opnd sel_src_d(struct sel *s, struct ir_src src)
{
    bool neg, abs;
    uint64_t bits, sign = 1ull << 63;
    src = strip_signs(src, &neg, &abs);
    if (ir_is_imm64(src, &bits))
        return const_reg(s, (abs ? bits & ~sign : bits) ^ (neg ? sign : 0), EU_DF);
    struct opnd o = sel_src(s, src, EU_DF);
    o.o.abs = abs;
    o.o.negate = neg;
    return o;
}

struct opnd sel_src_f(struct sel *s, struct ir_src src)
{
    bool neg, abs;
    src = strip_signs(src, &neg, &abs);
    struct opnd o = sel_src(s, src, EU_F);
    if (op_is_imm(&o)) {
        o.o.imm = (abs ? o.o.imm & 0x7fffffff : o.o.imm) ^ (neg ? 0x80000000u : 0);
    } else {
        o.o.abs = abs;
        o.o.negate = neg;
    }
    return o;
}

struct opnd sel_src_logic(struct sel *s, struct ir_src src)
{
    src = sel_resolve(src);
    if (src.value && src.value->def->op == IR_not && s->cg->gen >= 80) {
        struct opnd o = sel_src(s, src.value->def->src[0], EU_UD);
        if (!op_is_imm(&o)) {
            o.o.negate = true;
            return o;
        }
    }
    return sel_src_int(s, src, EU_UD, false);
}

struct opnd sel_src_add(struct sel *s, struct ir_src src)
{
    src = sel_resolve(src);
    if (src.value && s->loc[src.value->id].minus) {
        const struct loc *l = &s->loc[src.value->id];
        struct opnd o = l->is_scalar ? op_scalar(l->minus, 0, EU_D) : op_lanes(l->minus, 0, EU_D);
        return op_neg(o);
    }
    return sel_src_int(s, src, EU_D, false);
}

/* ---- prepass: uses ---- */

/* Operations that their users may fold into an operand: a use of theirs is one of their source's.
 */
static bool is_folded(const struct ir_insn *d)
{
    return d->op == IR_fneg || d->op == IR_fabs || d->op == IR_dneg || d->op == IR_dabs ||
           d->op == IR_not || d->op == IR_b2i || sel_is_byte_view(d) || sel_is_half_sign(d);
}

static void use(struct sel *s, struct ir_src src, uint32_t seq)
{
    src = sel_resolve(src);
    while (src.value) {
        struct loc *l = &s->loc[src.value->id];
        const struct ir_insn *def = src.value->def;
        if (seq > l->last_use)
            l->last_use = seq;
        if (l->is_deferred)
            use(s, def->src[1], seq);
        if (!l->is_deferred && !is_folded(def))
            break;
        src = sel_resolve(def->src[0]);
    }
}

static void use_bool(struct sel *s, const struct ir_insn *i, unsigned n, uint32_t seq)
{
    struct ir_src src = sel_resolve(i->src[n]);
    if (!src.value || src.value->type != IR_I1)
        return;
    struct loc *l = &s->loc[src.value->id];
    if (l->is_deferred)
        return;
    if (sel_wants_flag(s, i, n))
        l->last_flag = seq;
    else
        l->mask_use = true;
}

static bool is_uniform(struct ir_src src)
{
    src = sel_resolve(src);
    return !src.value || src.value->uniform;
}

/* Whether the loop is left at its latch only. */
static bool has_one_exit(const struct ir_block *latch)
{
    const struct ir_block *behind = latch->succ[1];
    for (uint32_t p = 0; p < behind->n_preds; p++) {
        enum ir_op op = behind->preds[p]->last->op;
        if (op == IR_break || op == IR_leave)
            return false;
    }
    return true;
}

/* Whether a phi behind a loop gets src once, when all lanes have left, and not at the end of each
 * round: only then is there something to gain, but each lane must still have its own. A uniform
 * value is that of the last round by then, and lanes may have left before. */
static bool is_late(const struct ir_block *latch, struct ir_src src)
{
    src = sel_resolve(src);
    if (!has_one_exit(latch))
        return false;
    return is_uniform(latch->last->src[0]) || !src.value || !src.value->uniform;
}

/* When the copy of phi source n of block b is made. */
static uint32_t edge_end(const struct sel *s, const struct ir_block *b, unsigned n,
                         struct ir_src src)
{
    const struct ir_block *pred = b->preds[n];
    bool leaves = pred->last->op == IR_loop && pred->succ[0] != b;
    return s->block_end[pred->index] + (leaves && is_late(pred, src));
}

static void count_uses(struct sel *s)
{
    struct ir_fn *fn = s->fn;
    uint32_t seq = 0;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            seq++;
            for (unsigned d = 0; d < i->n_dst; d++)
                s->loc[i->dst[d]->id].def = seq;
        }
        s->block_end[b] = seq;
    }
    seq = 0;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            seq++;
            for (unsigned n = 0; n < i->n_src; n++) {
                use(s, i->src[n], i->op == IR_phi ? edge_end(s, fn->blocks[b], n, i->src[n]) : seq);
                use_bool(s, i, n, seq);
            }
        }
    }
}

/* ---- prepass: phis ---- */

/* Operations whose result is written by one instruction after all sources are read. */
static bool is_direct(const struct ir_insn *i)
{
    switch ((enum ir_op)i->op) {
    case IR_add:
    case IR_sub:
    case IR_and:
    case IR_or:
    case IR_xor:
    case IR_not:
    case IR_shl:
    case IR_lshr:
    case IR_ashr:
    case IR_smin:
    case IR_smax:
    case IR_umin:
    case IR_umax:
    case IR_fadd:
    case IR_fsub:
    case IR_fmul:
    case IR_ffma:
    case IR_fmin:
    case IR_fmax:
    case IR_dadd:
    case IR_dsub:
    case IR_dmul:
    case IR_dmin:
    case IR_dmax:
        return true;
    default:
        return false;
    }
}

/* Whether v may be computed into phi p's register. On the way into the block: if v is only what p
 * becomes. Around a loop: if nobody reads the old p after v is made; behind the loop the register
 * has v still. */
static bool can_share(struct sel *s, const struct ir_value *p, const struct ir_value *v,
                      const struct ir_block *pred)
{
    const struct loc *lp = &s->loc[p->id], *lv = &s->loc[v->id];
    if (lv->placed || v->type == IR_I1 || v->uniform != p->uniform || v->def->block != pred ||
        !is_direct(v->def))
        return false;
    if (pred->index >= p->def->block->index)
        return lp->last_use <= lv->def;
    return lv->last_use <= s->block_end[pred->index];
}

static void place_phis(struct sel *s)
{
    struct ir_fn *fn = s->fn;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        struct ir_block *block = fn->blocks[b];
        for (struct ir_insn *i = block->first; i && i->op == IR_phi; i = i->next) {
            struct ir_value *p = i->dst[0];
            sel_dst(s, p, EU_UD); /* its place: of any type */
            for (unsigned n = 0; n < i->n_src; n++) {
                struct ir_src src = sel_resolve(i->src[n]);
                if (src.value && can_share(s, p, src.value, block->preds[n])) {
                    const struct loc *l = &s->loc[p->id];
                    sel_place(s, src.value, l->v, l->off, l->is_scalar);
                }
            }
        }
    }
}

/* ---- phis: parallel copies at the end of the predecessors ---- */

struct copy {
    struct opnd d, src;
    bool pred; /* only in the lanes that go round again */
    bool is_undefined;
    bool done;
};

struct copies {
    struct copy *c;
    unsigned n, cap;
};

static bool same_place(const struct opnd *a, const struct opnd *b)
{
    return a->v && a->v == b->v && a->off == b->off;
}

static bool is_undef(struct ir_src src)
{
    src = sel_resolve(src);
    return src.value && src.value->def->op == IR_undef;
}

enum when { ANY, LATE, EARLY };

static void gather_copies(struct sel *s, struct ir_block *from, struct ir_block *to, enum when when,
                          struct copies *list)
{
    if (!to)
        return;
    unsigned n = 0;
    while (n < to->n_preds && to->preds[n] != from)
        n++;
    for (struct ir_insn *i = to->first; i && i->op == IR_phi; i = i->next) {
        if (n == to->n_preds)
            bug("%s: block %u is no predecessor of %u", s->fn->name, from->index, to->index);
        struct ir_value *p = i->dst[0];
        if (when != ANY && is_late(from, i->src[n]) != (when == LATE))
            continue;
        enum eu_type t = p->type == IR_F64 ? EU_DF : EU_UD;
        struct copy c = {.d = sel_dst(s, p, t), .is_undefined = is_undef(i->src[n])};
        if (c.is_undefined)
            c.src = op_imm(EU_UD, 0);
        else if (p->type == IR_I1)
            c.src = op_type(sel_mask(s, i->src[n]), EU_UD);
        else
            c.src = sel_src(s, i->src[n], t);
        if (same_place(&c.d, &c.src))
            continue;
        /* Lanes that leave the loop keep what the phi was, if someone looks at it later. */
        bool back = from->last->op == IR_loop && to == from->succ[0];
        c.pred = back && s->loc[p->id].last_use > s->block_end[from->index] &&
                 (!p->uniform || is_uniform(from->last->src[0]));
        if (list->n == list->cap) {
            unsigned cap = list->cap ? 2 * list->cap : 16;
            list->c = cc_grow(list->c, list->cap * sizeof *list->c, cap * sizeof *list->c);
            list->cap = cap;
        }
        list->c[list->n++] = c;
    }
}

static void emit_copy(struct sel *s, struct copy *c, int flag, bool inv)
{
    sel_shape(s, op_is_scalar(&c->d));
    struct mi m = sel_mi(s, EU_OP_mov, 1, c->d, c->src, none, none);
    if (c->pred && flag >= 0) {
        m.e.pred = EU_PRED_NORMAL;
        m.e.pred_inv = inv;
        m.e.flag = flag;
    }
    m.is_undefined = c->is_undefined;
    sel_put(s, m);
    c->done = true;
}

static bool is_still_read(const struct copies *list, unsigned n)
{
    for (unsigned k = 0; k < list->n; k++) {
        if (k != n && !list->c[k].done && same_place(&list->c[k].src, &list->c[n].d))
            return true;
    }
    return false;
}

static void emit_copies(struct sel *s, struct copies *list, int flag, bool inv)
{
    unsigned left = list->n;
    while (left) {
        bool moved = false;
        for (unsigned n = 0; n < list->n; n++) {
            if (list->c[n].done || is_still_read(list, n))
                continue;
            emit_copy(s, &list->c[n], flag, inv);
            left--;
            moved = true;
        }
        if (moved)
            continue;
        /* Cycles only: put one's destination aside, and let the others read it there. */
        unsigned n = 0;
        while (list->c[n].done)
            n++;
        struct opnd d = list->c[n].d;
        sel_shape(s, op_is_scalar(&d));
        struct opnd aside = sel_temp(s, d.o.type);
        sel_mov(s, aside, d);
        for (unsigned k = 0; k < list->n; k++) {
            if (!list->c[k].done && same_place(&list->c[k].src, &d))
                list->c[k].src = aside;
        }
    }
}

/* ---- control flow ---- */

/* An open if (else_at, end_at: blocks where the arms end) or loop. */
struct region {
    bool is_loop, in_else;
    uint32_t else_at, end_at;
};

struct regions {
    struct region *r;
    unsigned n, cap;
};

static void region_push(struct regions *rs, struct region r)
{
    if (rs->n == rs->cap) {
        unsigned cap = rs->cap ? 2 * rs->cap : 32;
        rs->r = cc_grow(rs->r, rs->cap * sizeof *rs->r, cap * sizeof *rs->r);
        rs->cap = cap;
    }
    rs->r[rs->n++] = r;
}

static struct mi ctrl(struct sel *s, enum eu_opcode op)
{
    return (struct mi){.e = {.op = op, .exec_size = s->cg->simd}, .kind = MI_CTRL};
}

static void put_ctrl(struct sel *s, enum eu_opcode op)
{
    struct mi m = ctrl(s, op);
    mi_push(s->cg, &m);
}

static void put_ctrl_if(struct sel *s, enum eu_opcode op, unsigned flag, bool inv)
{
    struct mi m = ctrl(s, op);
    m.e.pred = EU_PRED_NORMAL;
    m.e.flag = flag;
    m.e.pred_inv = inv;
    mi_push(s->cg, &m);
}

/* Ends what ends before block b: an inner if may share its merge block with an outer one, and then
 * ends with the outer's arm. */
static void regions_enter(struct sel *s, struct regions *rs, uint32_t b)
{
    for (unsigned k = 0; k < rs->n; k++) {
        struct region *r = &rs->r[k];
        if (r->is_loop)
            continue;
        bool to_else = !r->in_else && r->else_at == b && r->else_at != r->end_at;
        if (!to_else && r->end_at != b)
            continue;
        for (unsigned inner = rs->n; inner > k + 1; inner--)
            put_ctrl(s, EU_OP_endif);
        rs->n = k + 1;
        if (to_else) {
            put_ctrl(s, EU_OP_else);
            r->in_else = true;
        } else {
            put_ctrl(s, EU_OP_endif);
            rs->n = k;
        }
        return;
    }
}

static bool is_header(const struct ir_fn *fn, const struct ir_block *b)
{
    for (uint32_t n = 0; n < b->n_preds; n++) {
        const struct ir_insn *t = b->preds[n]->last;
        if (t && t->op == IR_loop && b->preds[n]->succ[0] == b && b->preds[n]->index >= b->index)
            return true;
    }
    return false;
}

static void close_loop(struct sel *s, struct regions *rs)
{
    while (rs->n && !rs->r[rs->n - 1].is_loop) {
        put_ctrl(s, EU_OP_endif);
        rs->n--;
    }
    if (!rs->n)
        bug("%s: loop without a start", s->fn->name);
    rs->n--;
}

static void sel_branch(struct sel *s, struct ir_insn *i, struct regions *rs)
{
    struct ir_block *b = i->block;
    struct copies list = {0};
    bool inv;
    unsigned flag = sel_flag(s, i->src[0], &inv);
    /* Only the edge that skips an arm ends here with something to copy. */
    for (unsigned n = 0; n < 2; n++) {
        if (b->succ[n] && b->succ[n]->first && b->succ[n]->first->op == IR_phi)
            gather_copies(s, b, b->succ[n], ANY, &list);
    }
    emit_copies(s, &list, -1, false);
    put_ctrl_if(s, EU_OP_if, flag, inv);
    region_push(rs, (struct region){.else_at = b->succ[1]->index, .end_at = b->merge->index});
}

static void sel_loop(struct sel *s, struct ir_insn *i, struct regions *rs)
{
    struct ir_block *b = i->block;
    struct copies list = {0};
    struct ir_src cond = sel_resolve(i->src[0]);
    bool inv = false, endless = !cond.value && cond.imm;
    int flag = endless ? -1 : (int)sel_flag(s, cond, &inv);
    gather_copies(s, b, b->succ[0], ANY, &list);
    gather_copies(s, b, b->succ[1], EARLY, &list);
    emit_copies(s, &list, flag, inv);
    close_loop(s, rs);
    if (endless)
        put_ctrl(s, EU_OP_while);
    else
        put_ctrl_if(s, EU_OP_while, flag, inv);
    list = (struct copies){0}; /* all that left the loop are together again */
    gather_copies(s, b, b->succ[1], LATE, &list);
    emit_copies(s, &list, -1, false);
}

/* Lanes that stay get the copies of both ways; those of the other way mean nothing to them. */
static void sel_break(struct sel *s, struct ir_insn *i)
{
    struct ir_block *b = i->block;
    struct copies list = {0};
    bool inv = false, all = i->op == IR_leave;
    unsigned flag = all ? 0 : sel_flag(s, i->src[0], &inv);
    for (unsigned n = 0; n < 2; n++)
        gather_copies(s, b, b->succ[n], ANY, &list);
    emit_copies(s, &list, -1, false);
    if (all)
        put_ctrl(s, EU_OP_break);
    else
        put_ctrl_if(s, EU_OP_break, flag, inv);
}

static void sel_end(struct sel *s, struct ir_insn *i, struct regions *rs)
{
    if (i->block->index + 1 < s->fn->n_blocks) {
        s->cg->has_halt = true;
        put_ctrl(s, EU_OP_halt);
        return;
    }
    for (; rs->n; rs->n--) {
        if (!rs->r[rs->n - 1].is_loop)
            put_ctrl(s, EU_OP_endif);
    }
    payload_end(s->cg);
}

static void sel_insn(struct sel *s, struct ir_insn *i, struct regions *rs)
{
    struct copies list = {0};
    switch ((enum ir_op)i->op) {
    case IR_phi:
    case IR_mov:
    case IR_undef:
        return;
    case IR_jump:
        gather_copies(s, i->block, i->block->succ[0], ANY, &list);
        emit_copies(s, &list, -1, false);
        return;
    case IR_branch:
        sel_branch(s, i, rs);
        return;
    case IR_loop:
        sel_loop(s, i, rs);
        return;
    case IR_break:
    case IR_leave:
        sel_break(s, i);
        return;
    case IR_end:
        sel_end(s, i, rs);
        return;
    default:
        break;
    }
    sel_shape(s, i->n_dst && i->dst[0]->uniform);
    if (!sel_word(s, i) && !sel_alu(s, i) && !sel_macro(s, i) && !sel_bool(s, i) &&
        !sel_mem(s, i) && !sel_image(s, i) && !sel_group(s, i))
        bug("%s: no code for %s", s->fn->name, ir_op_name(i->op));
}

/* Puts the constants of loops before instruction `at`. */
static void insert_loop_consts(struct sel *s, uint32_t at)
{
    struct cg *cg = s->cg;
    uint32_t n = cg->n_code - at;
    struct mi **rest = cc_alloc((n + 1) * sizeof *rest);
    memcpy(rest, cg->code + at, n * sizeof *rest);
    cg->n_code = at;
    if (n)
        cg->where = rest[0]->where;
    for (unsigned k = 0; k < s->n_loop_consts; k++)
        put_const(s, &s->loop_consts[k]);
    for (uint32_t k = 0; k < n; k++)
        mi_push(cg, rest[k]);
}

void select_run(struct cg *cg)
{
    struct ir_fn *fn = cg->fn;
    struct sel sel = {.cg = cg, .fn = fn};
    struct sel *s = &sel;
    s->loc = cc_alloc((fn->n_values + 1) * sizeof *s->loc);
    s->block_end = cc_alloc((fn->n_blocks + 1) * sizeof *s->block_end);
    for (uint32_t v = 0; v < fn->n_values; v++)
        s->loc[v].flag = -1;
    sel_bool_prepare(s);
    sel_narrow_prepare(s);
    count_uses(s);
    sel_arrays_prepare(s);
    payload_begin(cg);
    sel_arrays_start(s);
    uint32_t start = cg->n_code;
    place_phis(s);

    struct regions rs = {0};
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        struct ir_block *block = fn->blocks[b];
        regions_enter(s, &rs, b);
        s->n_consts = 0;
        s->lane_words = 0;
        s->end = s->block_end[b];
        s->in_loop = block->loop_depth > 0;
        sel_flags_block(s);
        sel_arrays_block(s, b);
        if (is_header(fn, block)) {
            mi_push(cg, &(struct mi){.e = {.op = EU_OP_nop}, .kind = MI_DO});
            region_push(&rs, (struct region){.is_loop = true});
        }
        for (struct ir_insn *i = block->first; i; i = i->next) {
            s->seq++;
            if (i->where.line)
                cg->where = i->where;
            sel_insn(s, i, &rs);
            sel_flags_release(s);
        }
    }
    insert_loop_consts(s, start);
}
