/* Control flow: short arms without effects become selects, and blocks that follow each other become
 * one. An if costs a comparison's flag, two or three instructions that no lane computes with, and
 * what the arms could have shared with their surroundings. */
#include "backend/opt.h"

/* Cost of both arms together, in cheap instructions, up to which they run unconditionally. A
 * uniform branch is jumped over where it isn't taken, so that it pays earlier. */
enum { LIMIT_VARYING = 8, LIMIT_UNIFORM = 3, NEVER = 1000 };

static unsigned cost_of(const struct ir_insn *i)
{
    if (!ir_has_flag(i, IR_PURE))
        return NEVER;
    switch (i->op) {
    case IR_param:
    case IR_not1:
    case IR_mov:
    case IR_undef:
    case IR_group_id:
        return 0;
    case IR_mul:
        return i->src[1].value ? 3 : 1;
    case IR_mulhi_u:
    case IR_mulhi_s:
    case IR_add_carry:
    case IR_sub_borrow:
        return 3;
    case IR_udiv:
    case IR_sdiv:
    case IR_urem:
    case IR_srem:
    case IR_ddiv:
    case IR_dsqrt:
        return NEVER;
    case IR_fdiv:
    case IR_frcp:
    case IR_fsqrt:
    case IR_frsqrt:
    case IR_fexp2:
    case IR_flog2:
    case IR_fsin:
    case IR_fcos:
    case IR_fpow:
        return 6;
    default:
        return i->dst[0]->uniform ? 0 : 1;
    }
}

static unsigned cost_of_block(const struct ir_block *b)
{
    unsigned cost = 0;
    for (const struct ir_insn *i = b->first; i != b->last && cost < NEVER; i = i->next)
        cost += cost_of(i);
    return cost;
}

static bool is_arm(const struct ir_block *b, const struct ir_block *join)
{
    return b->last->op == IR_jump && b->succ[0] == join && b->n_preds == 1;
}

static void move_before(struct ir_block *from, struct ir_insn *at)
{
    while (from->first != from->last) {
        struct ir_insn *i = from->first;
        ir_unlink(i);
        ir_insert_before(at, i);
    }
}

/* A new operation that defines what phi p did, which is gone then. */
static struct ir_insn *take_over(struct ir_fn *fn, struct ir_insn *p, enum ir_op op, unsigned n_src)
{
    uint32_t n_values = fn->n_values;
    struct ir_insn *i = ir_new(fn, op, 1, n_src);
    fn->n_values = n_values;
    i->dst[0] = p->dst[0];
    i->dst[0]->def = i;
    i->dst[0]->index = 0;
    i->where = p->where;
    p->n_dst = 0;
    return i;
}

static void phis_to_selects(struct ir_fn *fn, struct ir_block *join, struct ir_src cond,
                            const struct ir_block *then_arm, struct ir_insn *at)
{
    unsigned k = join->preds[0] == then_arm ? 0 : 1;
    for (struct ir_insn *p = join->first, *next; p->op == IR_phi; p = next) {
        next = p->next;
        struct ir_insn *s = take_over(fn, p, IR_select, 3);
        ir_set_src(s, 0, cond);
        ir_set_src(s, 1, p->src[k]);
        ir_set_src(s, 2, p->src[!k]);
        ir_insert_before(at, s);
        ir_remove(p);
    }
}

static void end_with_jump(struct ir_fn *fn, struct ir_block *b, struct ir_block *to)
{
    ir_remove(b->last);
    ir_append(b, ir_new(fn, IR_jump, 0, 0));
    b->succ[0] = to;
    b->succ[1] = b->merge = NULL;
}

struct flow {
    struct ir_fn *fn;
    bool *is_merge; /* by block index, as it was at the start */
    bool changed;
};

/* The if that ends b, as selects. Its arms are left empty and out of the layout. */
static bool convert_if(struct flow *f, struct ir_block *b)
{
    struct ir_block *join = b->merge, *a = b->succ[0], *other = b->succ[1];
    if (b->last->op != IR_branch || !is_arm(a, join) || (other != join && !is_arm(other, join)) ||
        join->n_preds != 2)
        return false;
    struct ir_src cond = b->last->src[0];
    unsigned cost = cost_of_block(a) + (other == join ? 0 : cost_of_block(other));
    for (const struct ir_insn *p = join->first; p->op == IR_phi; p = p->next)
        cost += !p->dst[0]->uniform;
    if (cost > (!cond.value || cond.value->uniform ? LIMIT_UNIFORM : LIMIT_VARYING))
        return false;
    move_before(a, b->last);
    if (other != join)
        move_before(other, b->last);
    phis_to_selects(f->fn, join, cond, a, b->last);
    end_with_jump(f->fn, b, join);
    f->fn->blocks[a->index] = NULL;
    if (other != join)
        f->fn->blocks[other->index] = NULL;
    f->is_merge[join->index] = false;
    join->n_preds = 1;
    join->preds[0] = b;
    return true;
}

/* b and the only block it goes to, which nothing else leads to, as one. */
static bool append_next(struct flow *f, struct ir_block *b)
{
    struct ir_block *next = b->succ[0];
    if (b->last->op != IR_jump || next->n_preds != 1 || f->is_merge[next->index])
        return false;
    ir_remove(b->last);
    for (struct ir_insn *i = next->first, *after; i; i = after) {
        after = i->next;
        ir_unlink(i);
        if (i->op == IR_phi) {
            struct ir_insn *m = take_over(f->fn, i, IR_mov, 1);
            ir_set_src(m, 0, i->src[0]);
            ir_set_src(i, 0, ir_imm(0));
            i = m;
        }
        ir_append(b, i);
    }
    for (int s = 0; s < 2; s++) {
        b->succ[s] = next->succ[s];
        for (uint32_t p = 0; b->succ[s] && p < b->succ[s]->n_preds; p++)
            if (b->succ[s]->preds[p] == next)
                b->succ[s]->preds[p] = b;
    }
    b->merge = next->merge;
    f->fn->blocks[next->index] = NULL;
    return true;
}

static void close_gaps(struct ir_fn *fn)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        if (fn->blocks[b]) {
            fn->blocks[n] = fn->blocks[b];
            fn->blocks[n]->index = n;
            n++;
        }
    fn->n_blocks = n;
    ir_loop_depths(fn);
}

bool opt_flow(struct ir_fn *fn)
{
    struct flow f = {.fn = fn};
    f.is_merge = cc_alloc(fn->n_blocks + 1);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        if (fn->blocks[b]->merge)
            f.is_merge[fn->blocks[b]->merge->index] = true;
    /* backwards: inner ifs come first and make blocks out of arms */
    for (uint32_t b = fn->n_blocks; b-- > 0;)
        while (fn->blocks[b] && (convert_if(&f, fn->blocks[b]) || append_next(&f, fn->blocks[b])))
            f.changed = true;
    if (f.changed)
        close_gaps(fn);
    return f.changed;
}
