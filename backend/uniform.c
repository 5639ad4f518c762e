/* Which values are the same in all active lanes of a hardware thread. Optimistic: all are, until
 * shown otherwise, so that a loop's counter that starts and steps uniformly stays so.
 *
 *   - a lane's own ids and what an atomic, an image or an array in registers returns vary; any
 * other load does if its address does (lanes that read one place at once read the same)
 *   - any other operation varies if a source does
 *   - a phi where the arms of a varying branch meet varies, whatever its sources (sync dependence),
 * and one behind a loop that lanes leave at different times by several ways; one in a header does
 * not: the lanes still in a loop are all in the same iteration
 *   - a value made in a loop that lanes leave at different times, used behind it: the lanes have it
 * from different iterations, so it varies (temporal divergence) */
#include "backend/ir.h"

struct loop {
    uint32_t header, latch;
    bool has_breaks;
    int parent; /* of the loops around it, the innermost; -1 */
};

struct uniform {
    struct ir_fn *fn;
    struct loop *loops;
    int n_loops;
    int *loop_of;                /* by block: the innermost loop around it, -1 */
    struct ir_block **branch_of; /* by block: the branch whose merge block it is, NULL */
    int *arm_of;                 /* by block: the innermost branch in an arm of which it is, -1 */
    int *behind;                 /* by block: the loop that is left to it by breaks too, -1 */
    bool changed;
};

static void find_loops(struct uniform *u)
{
    const struct ir_fn *fn = u->fn;
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        u->loop_of[i] = -1;
    /* outer loops have later latches: going backwards, an inner one overwrites */
    for (uint32_t l = fn->n_blocks; l-- > 0;) {
        const struct ir_block *b = fn->blocks[l];
        if (b->merge)
            u->branch_of[b->merge->index] = fn->blocks[l];
        if (b->last->op != IR_loop)
            continue;
        uint32_t h = b->succ[0]->index;
        u->loops[u->n_loops] = (struct loop){h, l, false, u->loop_of[l]};
        for (uint32_t i = h; i <= l; i++)
            u->loop_of[i] = u->n_loops;
        u->n_loops++;
    }
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        const struct ir_block *b = fn->blocks[i];
        for (uint32_t k = i + 1; b->merge && k < b->merge->index; k++)
            u->arm_of[k] = (int)i;
        if (b->last->op == IR_break || b->last->op == IR_leave) {
            int l = u->loop_of[i];
            u->loops[l].has_breaks = true;
            u->behind[fn->blocks[u->loops[l].latch]->succ[1]->index] = l;
        }
    }
}

static bool varies(struct ir_src s)
{
    return s.value && !s.value->uniform;
}

/* All results of an operation together: codegen computes them once a lane or once a thread. */
static void make_varying(struct uniform *u, const struct ir_insn *i)
{
    for (unsigned n = 0; n < i->n_dst; n++)
        if (i->dst[n]->uniform) {
            i->dst[n]->uniform = false;
            u->changed = true;
        }
}

static bool varying_branch(const struct ir_block *b)
{
    return b && varies(b->last->src[0]);
}

/* Whether lanes leave loop l at different times: by a varying condition, or in an arm that only
 * some of them are in. */
static bool varying_exit(const struct uniform *u, int l)
{
    const struct loop *loop = &u->loops[l];
    if (varying_branch(u->fn->blocks[loop->latch]))
        return true;
    for (uint32_t i = loop->header; loop->has_breaks && i < loop->latch; i++) {
        const struct ir_block *b = u->fn->blocks[i];
        if (u->loop_of[i] != l || (b->last->op != IR_break && b->last->op != IR_leave))
            continue;
        if (b->last->op == IR_break && varying_branch(b))
            return true;
        for (int a = u->arm_of[i]; a >= (int)loop->header; a = u->arm_of[a])
            if (varying_branch(u->fn->blocks[a]))
                return true;
    }
    return false;
}

/* Whether a phi has one value only, where it has any. */
static bool is_one_value(const struct ir_insn *phi)
{
    const struct ir_src *one = NULL;
    for (unsigned k = 0; k < phi->n_src; k++) {
        const struct ir_src *s = &phi->src[k];
        if (s->value && s->value->def->op == IR_undef)
            continue;
        if (one && !ir_same(*s, *one))
            return false;
        one = s;
    }
    return true;
}

static bool sources_vary(const struct uniform *u, const struct ir_insn *i)
{
    unsigned n = i->n_src;
    switch (i->op) {
    case IR_local_id:
    case IR_lane_id:
    case IR_atomic:
    case IR_sample: /* one message for all lanes, whatever they read */
    case IR_texel:
    case IR_image_read:
    case IR_media_read:
    case IR_scan:
        return true;
    case IR_reduce:
        return false;
    case IR_shuffle: /* all take it from one lane */
        return varies(i->src[0]) && varies(i->src[1]);
    case IR_load:
        if (i->mem.space == IR_ARRAY) /* each lane's own */
            return true;
        n = ir_n_addr(i);
        break;
    case IR_phi:
        if ((varying_branch(u->branch_of[i->block->index]) ||
             (u->behind[i->block->index] >= 0 && varying_exit(u, u->behind[i->block->index]))) &&
            !is_one_value(i))
            return true;
        break;
    default:
        break;
    }
    for (unsigned k = 0; k < n; k++)
        if (varies(i->src[k]))
            return true;
    return false;
}

/* A use of v in block `use`: does a loop that lanes leave one by one end between? */
static void check_exit(struct uniform *u, struct ir_value *v, uint32_t use)
{
    for (int k = u->loop_of[v->def->block->index]; k >= 0; k = u->loops[k].parent) {
        if (use >= u->loops[k].header && use <= u->loops[k].latch)
            return;
        if (varying_exit(u, k)) {
            make_varying(u, v->def);
            return;
        }
    }
}

void uniform_run(struct ir_fn *fn)
{
    struct uniform u = {.fn = fn};
    u.loops = cc_alloc((fn->n_blocks + 1) * sizeof *u.loops);
    u.loop_of = cc_alloc((fn->n_blocks + 1) * sizeof *u.loop_of);
    u.branch_of = cc_alloc((fn->n_blocks + 1) * sizeof *u.branch_of);
    u.arm_of = cc_alloc((fn->n_blocks + 1) * sizeof *u.arm_of);
    u.behind = cc_alloc((fn->n_blocks + 1) * sizeof *u.behind);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        u.arm_of[b] = u.behind[b] = -1;
    find_loops(&u);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            for (unsigned n = 0; n < i->n_dst; n++)
                i->dst[n]->uniform = true;
    do {
        u.changed = false;
        for (uint32_t b = 0; b < fn->n_blocks; b++)
            for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
                if (i->n_dst && i->dst[0]->uniform && sources_vary(&u, i))
                    make_varying(&u, i);
                for (unsigned k = 0; k < i->n_src; k++)
                    if (i->src[k].value && i->src[k].value->uniform)
                        check_exit(&u, i->src[k].value,
                                   i->op == IR_phi ? i->block->preds[k]->index : b);
            }
    } while (u.changed);
}
