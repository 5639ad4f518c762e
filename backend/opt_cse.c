/* The same computation once: pure operations, and loads of memory that nothing writes, where an
 * equal one dominates. Values are forwarded while the blocks are walked in layout order; sources of
 * phis that come along back edges, at the end. */
#include "backend/opt.h"

#include <string.h>

struct entry {
    struct entry *next;
    struct ir_insn *insn;
};

struct cse {
    struct ir_fn *fn;
    struct entry **table;
    uint32_t mask;
    struct ir_src
        *to; /* by value id: what stands for it; value NULL and imm 0 with has[] unset: itself */
    bool *has;
    int *idom;
};

static uint32_t mix(uint32_t h, uint32_t x)
{
    h ^= x;
    h *= 0x9e3779b1u;
    return h ^ h >> 15;
}

static uint32_t src_hash(struct ir_src s)
{
    return s.value ? s.value->id * 2 + 1 : s.imm * 2;
}

static uint32_t insn_hash(const struct ir_insn *i)
{
    uint32_t h = mix(i->op, i->imm * 64 + i->pred);
    unsigned n = 0;
    if (ir_has_flag(i, IR_COMM)) { /* order of the first two must not matter */
        h = mix(h, src_hash(i->src[0]) + src_hash(i->src[1]));
        n = 2;
    }
    for (; n < i->n_src; n++)
        h = mix(h, src_hash(i->src[n]));
    return i->op == IR_load ? mix(h, (uint32_t)i->mem.offset * 8 + i->mem.bti) : h;
}

static bool same_mem(const struct ir_mem *a, const struct ir_mem *b)
{
    return a->space == b->space && a->bti == b->bti && a->n_comp == b->n_comp &&
           a->comp_size == b->comp_size && a->offset == b->offset;
}

static bool same_insn(const struct ir_insn *a, const struct ir_insn *b)
{
    if (a->op != b->op || a->pred != b->pred || a->imm != b->imm || a->n_src != b->n_src ||
        a->n_dst != b->n_dst || (a->op == IR_load && !same_mem(&a->mem, &b->mem)))
        return false;
    for (unsigned n = 0; n < a->n_dst; n++)
        if (a->dst[n]->type != b->dst[n]->type)
            return false;
    unsigned n = 0;
    if (ir_has_flag(a, IR_COMM)) {
        bool straight = ir_same(a->src[0], b->src[0]) && ir_same(a->src[1], b->src[1]);
        if (!straight && !(ir_same(a->src[0], b->src[1]) && ir_same(a->src[1], b->src[0])))
            return false;
        n = 2;
    }
    for (; n < a->n_src; n++)
        if (!ir_same(a->src[n], b->src[n]))
            return false;
    return true;
}

static bool can_merge(const struct ir_insn *i)
{
    return ir_has_flag(i, IR_PURE) ||
           (i->op == IR_load && i->mem.is_constant && !i->mem.is_volatile);
}

static void forward_sources(struct cse *c, struct ir_insn *i)
{
    for (unsigned n = 0; n < i->n_src; n++) {
        struct ir_src s = i->src[n];
        while (s.value && c->has[s.value->id])
            s = c->to[s.value->id];
        if (!ir_same(s, i->src[n]))
            ir_set_src(i, n, s);
    }
}

static bool is_dominated(const struct cse *c, const struct ir_insn *by, const struct ir_insn *i)
{
    return by->block == i->block || ir_dominates(c->idom, by->block->index, i->block->index);
}

/* An equal phi of the same block. */
static struct ir_insn *same_phi(const struct ir_insn *i)
{
    for (struct ir_insn *p = i->block->first; p != i && p->op == IR_phi; p = p->next)
        if (same_insn(p, i))
            return p;
    return NULL;
}

bool opt_cse(struct ir_fn *fn)
{
    struct cse c = {.fn = fn, .mask = 255};
    bool changed = false;
    while (c.mask < fn->n_values)
        c.mask = c.mask * 2 + 1;
    c.table = cc_alloc((c.mask + 1) * sizeof *c.table);
    c.to = cc_alloc((fn->n_values + 1) * sizeof *c.to);
    c.has = cc_alloc(fn->n_values + 1);
    c.idom = ir_dominators(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first, *next; i; i = next) {
            struct ir_insn *equal = NULL;
            next = i->next;
            forward_sources(&c, i);
            if (i->op == IR_phi) {
                equal = same_phi(i);
            } else if (can_merge(i)) {
                struct entry **at = &c.table[insn_hash(i) & c.mask], *e;
                for (e = *at; e && !equal; e = e->next)
                    if (same_insn(e->insn, i) && is_dominated(&c, e->insn, i))
                        equal = e->insn;
                if (!equal) {
                    e = cc_alloc(sizeof *e);
                    *e = (struct entry){*at, i};
                    *at = e;
                }
            }
            if (!equal)
                continue;
            if (i->op == IR_load && i->mem.align > equal->mem.align)
                equal->mem.align = i->mem.align;
            for (unsigned n = 0; n < i->n_dst; n++) {
                c.to[i->dst[n]->id] = ir_val(equal->dst[n]);
                c.has[i->dst[n]->id] = true;
            }
            changed = true;
        }
    if (!changed)
        return false;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            forward_sources(&c, i);
    return true; /* opt_dce takes away what is unused now */
}
