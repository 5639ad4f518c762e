/* Where each virtual register is live: one interval of positions a slice (whole register).
 *
 * From the first to the last touch in program order; what is touched both inside and outside of a
 * loop lives through all of the loop. That is more than a lane-by-lane analysis would ask for, and
 * it makes divergence harmless: an arm that other lanes run, or a loop that other lanes still go
 * round, never gets a register that holds something for the lanes that wait. */
#include "backend/codegen.h"

struct loop {
    uint32_t start, end; /* positions of the do and (written) of the while */
    int parent;
};

struct loops {
    struct loop *l;
    int n;
    int *at; /* innermost loop by instruction; -1 */
};

static struct loops find_loops(const struct cg *cg)
{
    struct loops ls = {0};
    int n = 0, open = -1;
    for (uint32_t i = 0; i < cg->n_code; i++)
        n += cg->code[i]->kind == MI_DO;
    ls.l = cc_alloc((n + 1) * sizeof *ls.l);
    ls.at = cc_alloc((cg->n_code + 1) * sizeof *ls.at);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        if (m->kind == MI_DO) {
            ls.l[ls.n] = (struct loop){.start = 2 * i, .parent = open};
            open = ls.n++;
        }
        ls.at[i] = open;
        if (m->kind == MI_CTRL && m->e.op == EU_OP_while) {
            if (open < 0)
                bug("%s: while without do", cg->fn->name);
            ls.l[open].end = 2 * i + 1;
            open = ls.l[open].parent;
        }
    }
    return ls;
}

static void touch(struct cg *cg, uint32_t v, uint32_t lo, uint32_t hi, uint32_t pos, double weight)
{
    struct vreg *r = &cg->vregs[v];
    if (hi > r->size)
        bug("%s: access to byte %u of v%u (%u)", cg->fn->name, hi, v, r->size);
    for (uint32_t k = lo / EU_GRF_SIZE; k * EU_GRF_SIZE < hi; k++) {
        struct slice *sl = &r->slices[k];
        if (pos < sl->start)
            sl->start = pos;
        if (pos > sl->end)
            sl->end = pos;
    }
    r->cost += weight;
}

static bool is_two_registers(const struct mi *m)
{
    return m->kind == MI_ALU &&
           m->e.exec_size * m->e.dst.hs * eu_type_size(m->e.dst.type) > EU_GRF_SIZE;
}

/* Whether operand k begins at an even register, wherever its vreg lies. */
static bool is_even(const struct cg *cg, const struct mi *m, unsigned k)
{
    const struct vreg *v = &cg->vregs[m->v[k]];
    return m->v[k] && v->align == 2 && (v->phase + m->off[k] / EU_GRF_SIZE) % 2 == 0;
}

/* A source may end where the destination begins only if the instruction reads it before it writes
 * there: all in one pass, or register by register the same way. */
static bool may_share(const struct cg *cg, const struct mi *m, unsigned k)
{
    if (mi_is_indirect(m, 0) || mi_is_indirect(m, k))
        return false;
    if (!is_two_registers(m))
        return true;
    uint32_t lo, hi;
    mi_span(m, k, &lo, &hi);
    return hi - lo > EU_GRF_SIZE && is_even(cg, m, 0) && is_even(cg, m, k);
}

static void extend(struct slice *sl, const struct loops *ls)
{
    /* Loops that hold one end only, from the inside out. */
    for (;;) {
        bool changed = false;
        for (int l = ls->at[sl->start / 2]; l >= 0; l = ls->l[l].parent) {
            if (sl->end > ls->l[l].end && sl->start > ls->l[l].start) {
                sl->start = ls->l[l].start;
                changed = true;
            }
        }
        for (int l = ls->at[sl->end / 2]; l >= 0; l = ls->l[l].parent) {
            if (sl->start < ls->l[l].start && sl->end < ls->l[l].end) {
                sl->end = ls->l[l].end;
                changed = true;
            }
        }
        if (!changed)
            return;
    }
}

void live_run(struct cg *cg)
{
    struct loops ls = find_loops(cg);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        struct vreg *r = &cg->vregs[v];
        r->slices = cc_alloc(slice_count(r) * sizeof *r->slices);
        r->cost = 0;
        for (uint32_t k = 0; k < slice_count(r); k++)
            r->slices[k] = (struct slice){.start = UINT32_MAX, .end = 0};
    }
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        double weight = 1;
        for (int l = ls.at[i]; l >= 0 && weight < 1e6; l = ls.l[l].parent)
            weight *= 8;
        for (unsigned k = 0; k <= m->n_src; k++) {
            if (!m->v[k])
                continue;
            uint32_t lo, hi, pos = k == 0 ? 2 * i + 1 : may_share(cg, m, k) ? 2 * i : 2 * i + 1;
            mi_span(m, k, &lo, &hi);
            touch(cg, m->v[k], lo, hi, pos, weight);
        }
    }
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        struct vreg *r = &cg->vregs[v];
        r->start = UINT32_MAX;
        r->end = 0;
        for (uint32_t k = 0; k < slice_count(r); k++) {
            struct slice *sl = &r->slices[k];
            if (sl->start > sl->end)
                continue;
            if (r->is_fixed)
                sl->start = 0;
            extend(sl, &ls);
            if (sl->start < r->start)
                r->start = sl->start;
            if (sl->end > r->end)
                r->end = sl->end;
        }
    }
}
