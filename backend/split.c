/* SIMD32. Selection makes the code of lanes 0 to 15; here each instruction of lanes gets a second
 * one, for lanes 16 to 31, behind it. What has lanes has a twin of its own, so that both halves lie
 * anywhere and messages find theirs in one piece. Uniform values, and the flow of control, stay
 * one for all 32.
 *
 * Flags: an instruction of group 16 uses the upper half of f0 or f1, and so does its twin with no
 * change of name. */
#include "backend/codegen.h"

struct split {
    struct cg *cg;
    bool *has_lanes; /* by vreg */
    bool *is_made;   /* by vreg: the code for both halves is there already */
    bool *is_twin;   /* by instruction: gets a second one */
};

static bool is_of_lanes(const struct split *s, const struct mi *m)
{
    if (m->is_lone || m->kind == MI_CTRL || m->kind == MI_DO || m->e.eot || s->is_made[m->v[0]])
        return false;
    /* All lanes' bits of a flag are set where one value serves all. */
    if (!m->e.no_mask || (m->e.exec_size > 1 && m->e.cond))
        return true;
    for (unsigned k = 0; k <= m->n_src; k++) {
        if (s->has_lanes[m->v[k]])
            return true;
    }
    return s->has_lanes[m->place_of];
}

/* The end of what goes on in the accumulator or in a0 from instruction i: it is doubled as a whole.
 */
static uint32_t unit_end(const struct cg *cg, uint32_t i)
{
    for (i++; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i], *before = cg->code[i - 1];
        bool in_acc = before->writes_acc || before->uses_acc || before->is_inner;
        bool in_a0 = mi_reads_a0(m) || (mi_writes_a0(m) && mi_writes_a0(before));
        if (!(in_acc && (m->uses_acc || m->is_inner)) && !in_a0)
            break;
    }
    return i;
}

/* Finds which vregs and instructions are of lanes, until nothing new comes: what is computed from
 * lanes has lanes, and all that makes a part of such a vreg is done twice. */
static void find_lanes(struct split *s)
{
    struct cg *cg = s->cg;
    bool changed;
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        s->has_lanes[v] = s->is_made[v] = cg->vregs[v].twin;
    }
    do {
        changed = false;
        for (uint32_t i = 0, end; i < cg->n_code; i = end) {
            end = unit_end(cg, i);
            bool twin = false;
            for (uint32_t k = i; k < end; k++)
                twin |= is_of_lanes(s, cg->code[k]);
            for (uint32_t k = i; twin && k < end; k++) {
                uint32_t d = cg->code[k]->v[0];
                s->is_twin[k] = true;
                changed |= d && !s->has_lanes[d];
                s->has_lanes[d] = d != 0;
            }
        }
    } while (changed);
}

/* The most registers that are live at once, in dwords; halves counted twice. */
static uint32_t pressure(const struct split *s)
{
    struct cg *cg = s->cg;
    int32_t *change = cc_alloc((2 * cg->n_code + 4) * sizeof *change), live = 0, most = 0;
    live_run(cg);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        const struct vreg *r = &cg->vregs[v];
        for (uint32_t k = 0; k < slice_count(r); k++) {
            const struct slice *sl = &r->slices[k];
            uint32_t left = r->size - k * EU_GRF_SIZE;
            int32_t n = (left < EU_GRF_SIZE ? left : EU_GRF_SIZE) / CG_UNIT;
            if (sl->start > sl->end)
                continue;
            if (s->has_lanes[v] && !s->is_made[v])
                n *= 2;
            change[sl->start] += n;
            change[sl->end + 1] -= n;
        }
    }
    for (uint32_t p = 0; p < 2 * cg->n_code + 2; p++) {
        live += change[p];
        if (live > most)
            most = live;
    }
    return most;
}

static void make_twins(struct split *s)
{
    struct cg *cg = s->cg;
    for (uint32_t v = 1, n = cg->n_vregs; v < n; v++) {
        if (!s->has_lanes[v] || cg->vregs[v].twin)
            continue;
        uint32_t w = vreg_new(cg, cg->vregs[v].size, cg->vregs[v].align);
        cg->vregs[w] = cg->vregs[v];
        vreg_pair(cg, v, w);
    }
}

/* What stays alone names the upper lanes itself. */
static void put_lone(struct cg *cg, const struct mi *m)
{
    struct mi *t = mi_push(cg, m);
    for (unsigned k = 0; k <= t->n_src; k++) {
        if (t->upper >> k & 1 && cg->vregs[t->v[k]].twin)
            t->v[k] = cg->vregs[t->v[k]].twin;
    }
}

static void put_twin(struct cg *cg, const struct mi *m)
{
    struct mi t = *m;
    for (unsigned k = 0; k <= t.n_src; k++) {
        if (cg->vregs[t.v[k]].twin)
            t.v[k] = cg->vregs[t.v[k]].twin;
    }
    if (cg->vregs[t.place_of].twin)
        t.place_of = cg->vregs[t.place_of].twin;
    if (!t.e.no_mask || t.e.cond || t.e.pred)
        t.e.group += cg->lanes;
    mi_push(cg, &t);
}

bool split_run(struct cg *cg, bool may_spill)
{
    struct split s = {.cg = cg};
    struct mi **old = cg->code;
    uint32_t n_old = cg->n_code;
    if (cg->simd <= cg->lanes)
        return true;
    s.has_lanes = cc_alloc(cg->n_vregs * sizeof *s.has_lanes);
    s.is_made = cc_alloc(cg->n_vregs * sizeof *s.is_made);
    s.is_twin = cc_alloc((n_old + 1) * sizeof *s.is_twin);
    find_lanes(&s);
    if (!may_spill && pressure(&s) > CG_N_UNITS)
        return false;
    make_twins(&s);
    uint32_t *ends = cc_alloc((n_old + 1) * sizeof *ends);
    for (uint32_t i = 0; i < n_old; i = ends[i])
        ends[i] = unit_end(cg, i);
    cg->code = NULL;
    cg->n_code = cg->cap_code = 0;
    for (uint32_t i = 0; i < n_old; i = ends[i]) {
        for (uint32_t k = i; k < ends[i]; k++)
            put_lone(cg, old[k]);
        for (uint32_t k = i; s.is_twin[i] && k < ends[i]; k++)
            put_twin(cg, old[k]);
    }
    return true;
}
