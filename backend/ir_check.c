/* What every pass must leave behind (ir.h): structure of blocks, SSA, types, shapes of memory
 * operations, counts. Returns a text for the first thing that is wrong. */
#include "backend/ir.h"

#include <string.h>

struct checker {
    const struct ir_fn *fn;
    const char *why;
    uint32_t *latch;  /* by header: index of its latch + 1; 0: no header */
    uint32_t *n_uses; /* by value id, counted anew */
    const struct ir_value **by_id;
    uint32_t *position; /* by value id: place of its definition in its block */
    int *idom;
    const struct ir_block *behind; /* the innermost loop that is being looked at; NULL: in none */
};

#define WRONG(c, ...) ((c)->why = cc_printf(__VA_ARGS__), false)

static bool block_ends(struct checker *c, const struct ir_block *b)
{
    if (!b->first || !b->last)
        return WRONG(c, "b%u is empty", b->index);
    bool phis = true;
    const struct ir_insn *prev = NULL;
    for (const struct ir_insn *i = b->first; i; prev = i, i = i->next) {
        if (i->block != b || i->prev != prev)
            return WRONG(c, "b%u: %s is badly linked", b->index, ir_op_name(i->op));
        if (i->op >= IR_N_OPS)
            return WRONG(c, "b%u: operation %u", b->index, i->op);
        if (i->op != IR_phi)
            phis = false;
        else if (!phis)
            return WRONG(c, "b%u: phi after another instruction", b->index);
        if (ir_has_flag(i, IR_TERM) != (i == b->last))
            return WRONG(c, "b%u: %s in a wrong place", b->index, ir_op_name(i->op));
        if (!i->next && i != b->last)
            return WRONG(c, "b%u: last instruction is badly linked", b->index);
    }
    bool one = b->last->op == IR_jump || b->last->op == IR_leave;
    unsigned n_succ = b->last->op == IR_end ? 0 : one ? 1 : 2;
    for (unsigned s = 0; s < 2; s++) {
        const struct ir_block *to = b->succ[s];
        if ((to != NULL) != (s < n_succ))
            return WRONG(c, "b%u: %s needs %u successors", b->index, ir_op_name(b->last->op),
                         n_succ);
        if (to && (to->index >= c->fn->n_blocks || c->fn->blocks[to->index] != to))
            return WRONG(c, "b%u: successor %u is not in the function", b->index, s);
    }
    if ((b->merge != NULL) != (b->last->op == IR_branch))
        return WRONG(c, "b%u: a branch, and only a branch, has a merge block", b->index);
    if (b->merge &&
        (b->merge->index >= c->fn->n_blocks || c->fn->blocks[b->merge->index] != b->merge))
        return WRONG(c, "b%u: merge block is not in the function", b->index);
    return true;
}

/* Each edge stands once in the predecessors of its end, and nothing else does. */
static bool edges(struct checker *c)
{
    uint32_t *n_in = cc_alloc(c->fn->n_blocks * sizeof *n_in);
    for (uint32_t i = 0; i < c->fn->n_blocks; i++) {
        const struct ir_block *b = c->fn->blocks[i];
        for (unsigned s = 0; s < 2; s++)
            if (b->succ[s])
                n_in[b->succ[s]->index]++;
        for (uint32_t p = 0; p < b->n_preds; p++) {
            const struct ir_block *from = b->preds[p];
            if (from->succ[0] != b && from->succ[1] != b)
                return WRONG(c, "b%u: predecessor b%u does not go there", i, from->index);
            for (uint32_t q = 0; q < p; q++)
                if (b->preds[q] == from)
                    return WRONG(c, "b%u: predecessor b%u twice", i, from->index);
        }
    }
    for (uint32_t i = 0; i < c->fn->n_blocks; i++) {
        const struct ir_block *b = c->fn->blocks[i];
        if (n_in[i] != b->n_preds)
            return WRONG(c, "b%u: %u edges, %u predecessors", i, n_in[i], b->n_preds);
        if (i == 0 ? b->n_preds != 0 : b->n_preds == 0)
            return WRONG(c, i ? "b%u cannot be reached" : "b%u has predecessors", i);
    }
    return true;
}

static bool find_latches(struct checker *c)
{
    for (uint32_t i = 0; i < c->fn->n_blocks; i++) {
        const struct ir_block *b = c->fn->blocks[i];
        if (b->last->op != IR_loop)
            continue;
        uint32_t h = b->succ[0]->index;
        if (h > i)
            return WRONG(c, "b%u: loop goes forward to b%u", i, h);
        if (b->succ[1]->index != i + 1)
            return WRONG(c, "b%u: loop does not leave to the next block", i);
        if (c->latch[h])
            return WRONG(c, "b%u is the header of two loops", h);
        if (c->fn->blocks[h]->n_preds != 2 || h == 0)
            return WRONG(c, "b%u: header needs two predecessors", h);
        c->latch[h] = i + 1;
    }
    return true;
}

/* Blocks i .. hi - 1 are one sequence that is left to `exit` only (NULL: to nothing) or never.
 * in_header: they are a loop without its latch, which is `exit` and may be the merge block of the
 * last branch. */
static bool sequence(struct checker *c, uint32_t i, uint32_t hi, const struct ir_block *exit,
                     bool in_header)
{
    bool is_body = in_header;
    while (i < hi) {
        const struct ir_block *b = c->fn->blocks[i];
        if (c->latch[i] && !in_header) {
            uint32_t l = c->latch[i] - 1;
            if (l >= hi)
                return WRONG(c, "b%u: loop overlaps the end of b%u's region", i, hi);
            const struct ir_block *outer = c->behind;
            c->behind = c->fn->blocks[l]->succ[1];
            if (l > i && !sequence(c, i, l, c->fn->blocks[l], true))
                return false;
            c->behind = outer;
            i = l + 1;
            if (i == hi && (!exit || exit != c->fn->blocks[l]->succ[1]))
                return WRONG(c, "b%u: loop leaves its region", l);
            continue;
        }
        in_header = false;
        if (b->last->op == IR_loop)
            return WRONG(c, "b%u: loop goes back into its own region", i);
        if (b->last->op == IR_end) {
            if (i + 1 != hi)
                return WRONG(c, "b%u: blocks after an end", i);
            return true;
        }
        if (b->last->op == IR_leave || b->last->op == IR_break) {
            unsigned s = b->last->op == IR_break;
            if (!c->behind || b->succ[s] != c->behind)
                return WRONG(c, "b%u: does not leave the innermost loop", i);
        }
        if (b->last->op == IR_leave) {
            if (i + 1 != hi)
                return WRONG(c, "b%u: blocks after a leave", i);
            return true;
        }
        if (b->last->op == IR_jump || b->last->op == IR_break) {
            const struct ir_block *to = i + 1 == hi ? exit : c->fn->blocks[i + 1];
            if (b->succ[0] != to)
                return WRONG(c, "b%u: jump to b%u out of order", i, b->succ[0]->index);
            i++;
            continue;
        }
        uint32_t e = b->succ[1]->index, m = b->merge->index;
        if (b->succ[0]->index != i + 1 || e <= i + 1 || m < e || m >= hi + is_body)
            return WRONG(c, "b%u: branch to b%u, b%u, merge b%u out of order", i, b->succ[0]->index,
                         e, m);
        if (!sequence(c, i + 1, e, b->merge, false) ||
            (e < m && !sequence(c, e, m, b->merge, false)))
            return false;
        i = m;
    }
    return true;
}

static bool mem_ok(struct checker *c, const struct ir_insn *i)
{
    const struct ir_mem *m = &i->mem;
    const char *op = ir_op_name(i->op);
    unsigned n_addr = ir_n_addr(i), gen = c->fn->dev ? c->fn->dev->gen : 0;
    if (m->space > IR_ARRAY)
        return WRONG(c, "%s: space %u", op, m->space);
    if (gen && ((m->space == IR_A64 && gen < 80) || (m->space == IR_WINDOW && gen >= 80)))
        return WRONG(c, "%s: this generation has no such space", op);
    bool wide = i->op == IR_atomic && m->space == IR_A64 && m->comp_size == 8;
    if (m->comp_size != 1 && m->comp_size != 2 && m->comp_size != 4 && !wide)
        return WRONG(c, "%s: components of %u bytes", op, m->comp_size);
    if (m->n_comp < 1 || m->n_comp > 16)
        return WRONG(c, "%s: %u components", op, m->n_comp);
    if (!m->align || (m->align & (m->align - 1)))
        return WRONG(c, "%s: alignment %u", op, m->align);
    if (i->op == IR_load && (i->n_dst != m->n_comp || i->n_src != n_addr))
        return WRONG(c, "load: %u results, %u sources", i->n_dst, i->n_src);
    if (i->op == IR_store && i->n_src != n_addr + m->n_comp)
        return WRONG(c, "store: %u sources", i->n_src);
    if (i->op == IR_atomic) {
        if (m->atomic > ATOMIC_PREDEC || m->atomic == ATOMIC_CMPWR8B)
            return WRONG(c, "atomic: operation %u", m->atomic);
        unsigned words = wide ? 2 : 1;
        if ((i->n_dst && i->n_dst != words) ||
            i->n_src != n_addr + words * ir_atomic_operands(m->atomic))
            return WRONG(c, "atomic: %u results, %u sources", i->n_dst, i->n_src);
        if (m->n_comp != 1 || m->comp_size != 4 * words || m->align < 4 * words)
            return WRONG(c, "atomic: not one aligned dword or qword");
    }
    if (m->space == IR_SURFACE && c->fn->out && m->bti >= c->fn->out->n_surfaces)
        return WRONG(c, "%s: surface %u is not in the table", op, m->bti);
    if (m->space == IR_ARRAY &&
        (m->bti >= c->fn->n_arrays || i->op == IR_atomic || m->is_constant || m->is_volatile))
        return WRONG(c, "%s: not an access to one of %u arrays", op, c->fn->n_arrays);
    if (m->space == IR_ARRAY && m->align < m->comp_size)
        return WRONG(c, "%s: a component of an array that isn't aligned", op);
    return true;
}

static bool insn_ok(struct checker *c, const struct ir_insn *i)
{
    const struct ir_op_info *info = &ir_op_info[i->op];
    const char *op = info->name;
    if ((info->n_dst >= 0 && i->n_dst != info->n_dst) ||
        (info->n_src >= 0 && i->n_src != info->n_src))
        return WRONG(c, "%s: %u results, %u sources", op, i->n_dst, i->n_src);
    if (i->op == IR_phi && i->n_src != i->block->n_preds)
        return WRONG(c, "b%u: phi has %u sources, %u predecessors", i->block->index, i->n_src,
                     i->block->n_preds);
    if (i->op == IR_icmp && i->pred > IR_SGE)
        return WRONG(c, "icmp: predicate %u", i->pred);
    if (ir_is_compare(i->op) && i->op != IR_icmp && (i->pred < IR_OEQ || i->pred > IR_UNO))
        return WRONG(c, "%s: predicate %u", op, i->pred);
    if ((i->op == IR_local_id || i->op == IR_group_id) && i->imm > 2)
        return WRONG(c, "%s: dimension %u", op, i->imm);
    if (i->op == IR_param && (i->imm % 4 || i->imm + 4 > c->fn->n_push_bytes))
        return WRONG(c, "param: offset %u of %u", i->imm, c->fn->n_push_bytes);
    if ((info->flags & IR_MEM) && i->op != IR_barrier && i->op != IR_fence && !mem_ok(c, i))
        return false;
    for (unsigned n = 0; n < i->n_dst; n++) {
        const struct ir_value *v = i->dst[n];
        char t = info->dst_type;
        if (v->id >= c->fn->n_values || c->by_id[v->id])
            return WRONG(c, "%%%u: id out of range or used twice", v->id);
        c->by_id[v->id] = v;
        if (v->def != i || v->index != n)
            return WRONG(c, "%%%u: does not know its instruction", v->id);
        if ((t == 'I' && v->type != IR_I32) || (t == 'F' && v->type != IR_F32) ||
            (t == 'D' && v->type != IR_F64) || (t == 'B' && v->type != IR_I1) ||
            (t == '*' && (v->type == IR_I1 || v->type == IR_F64)))
            return WRONG(c, "%%%u: wrong type for %s", v->id, op);
    }
    return true;
}

static bool sources_ok(struct checker *c, const struct ir_insn *i, uint32_t position)
{
    for (unsigned n = 0; n < i->n_src; n++) {
        const struct ir_value *v = i->src[n].value;
        const char *op = ir_op_name(i->op);
        if (!v) {
            if (ir_src_type_ok(i, n, IR_F64))
                return WRONG(c, "%s: a constant double that is no pack", op);
            if (ir_src_type_ok(i, n, IR_I1) && !ir_src_type_ok(i, n, IR_I32) && i->src[n].imm > 1)
                return WRONG(c, "%s: constant %u as a bit", op, i->src[n].imm);
            continue;
        }
        if (v->id >= c->fn->n_values || c->by_id[v->id] != v)
            return WRONG(c, "b%u: %s uses %%%u, which nothing defines", i->block->index, op, v->id);
        if (!ir_src_type_ok(i, n, v->type))
            return WRONG(c, "b%u: %s: source %u has a wrong type", i->block->index, op, n);
        c->n_uses[v->id]++;
        uint32_t def = v->def->block->index;
        uint32_t use = i->op == IR_phi ? i->block->preds[n]->index : i->block->index;
        if (!ir_dominates(c->idom, def, use) ||
            (def == use && i->op != IR_phi && c->position[v->id] >= position))
            return WRONG(c, "b%u: %s uses %%%u, whose definition does not dominate it",
                         i->block->index, op, v->id);
    }
    return true;
}

static bool check(struct checker *c)
{
    const struct ir_fn *fn = c->fn;
    if (!fn->n_blocks)
        return WRONG(c, "no blocks");
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        if (fn->blocks[i]->index != i)
            return WRONG(c, "b%u has index %u", i, fn->blocks[i]->index);
        if (!block_ends(c, fn->blocks[i]))
            return false;
    }
    if (!edges(c) || !find_latches(c) || !sequence(c, 0, fn->n_blocks, NULL, false))
        return false;
    c->idom = ir_dominators(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        uint32_t position = 0;
        for (const struct ir_insn *i = fn->blocks[b]->first; i; i = i->next, position++) {
            if (!insn_ok(c, i))
                return false;
            for (unsigned n = 0; n < i->n_dst; n++)
                c->position[i->dst[n]->id] = position;
        }
    }
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        uint32_t position = 0;
        for (const struct ir_insn *i = fn->blocks[b]->first; i; i = i->next, position++)
            if (!sources_ok(c, i, position))
                return false;
    }
    for (uint32_t v = 0; v < fn->n_values; v++)
        if (c->by_id[v] && c->by_id[v]->n_uses != c->n_uses[v])
            return WRONG(c, "%%%u: %u uses, counted %u", v, c->by_id[v]->n_uses, c->n_uses[v]);
    return true;
}

const char *ir_check(const struct ir_fn *fn)
{
    struct checker c = {.fn = fn};
    c.latch = cc_alloc((fn->n_blocks + 1) * sizeof *c.latch);
    c.n_uses = cc_alloc((fn->n_values + 1) * sizeof *c.n_uses);
    c.by_id = cc_alloc((fn->n_values + 1) * sizeof *c.by_id);
    c.position = cc_alloc((fn->n_values + 1) * sizeof *c.position);
    return check(&c) ? NULL : c.why;
}
