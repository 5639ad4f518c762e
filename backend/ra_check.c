/* Proves the allocation: every read finds in its register what the virtual code means.
 *
 * One lane's view. While the lane runs, all writes reach its registers; while it waits (for the
 * other arm, for others to leave a loop) only those without mask do. So beside the state of the
 * running lanes there is one for the lanes that wait at each open construct; a state says of each
 * dword of the register file and of scratch space which dword of which vreg it holds, 0 for none.
 * Where ways meet, what differs is none. Loops repeat until nothing changes. Short-lived vregs of
 * spill.c count as what they stand for. */
#include "backend/codegen.h"

#include <string.h>

struct state {
    uint32_t *holds; /* n_units names */
    bool is_dead;    /* no lane is here: agrees with anything */
};

struct check {
    const struct cg *cg;
    uint32_t *first_name; /* of a vreg's dword 0 */
    uint32_t n_units;     /* registers, then scratch */
    struct state run;     /* lanes that run */
    struct state *wait;   /* by open construct, outermost first */
    unsigned depth, cap;
    unsigned loop; /* the innermost one's place there */
    bool *is_made; /* by name: some instruction writes it */
};

/* ---- states ---- */

static struct state state_new(const struct check *c)
{
    return (struct state){.holds = cc_alloc(c->n_units * sizeof(uint32_t))};
}

static void state_copy(const struct check *c, struct state *to, const struct state *from)
{
    memcpy(to->holds, from->holds, c->n_units * sizeof *to->holds);
    to->is_dead = from->is_dead;
}

/* a = what a and b agree on. True if that changed a. */
static bool state_meet(const struct check *c, struct state *a, const struct state *b)
{
    if (b->is_dead)
        return false;
    if (a->is_dead) {
        state_copy(c, a, b);
        return true;
    }
    bool changed = false;
    for (uint32_t u = 0; u < c->n_units; u++) {
        if (a->holds[u] && a->holds[u] != b->holds[u]) {
            a->holds[u] = 0;
            changed = true;
        }
    }
    return changed;
}

static void push_wait(struct check *c, const struct state *s)
{
    if (c->depth == c->cap) {
        unsigned cap = c->cap ? 2 * c->cap : 16;
        c->wait = cc_grow(c->wait, c->cap * sizeof *c->wait, cap * sizeof *c->wait);
        for (unsigned k = c->cap; k < cap; k++)
            c->wait[k] = state_new(c);
        c->cap = cap;
    }
    struct state *w = &c->wait[c->depth++];
    if (s)
        state_copy(c, w, s);
    else
        w->is_dead = true;
}

/* ---- names ---- */

static uint32_t name_of(const struct check *c, uint32_t v, uint32_t byte)
{
    const struct vreg *r = &c->cg->vregs[v];
    if (r->alias && byte >= r->alias_at && byte < r->alias_at + r->alias_size)
        return name_of(c, r->alias, byte - r->alias_at + r->alias_off);
    return c->first_name[v] + byte / CG_UNIT;
}

static _Noreturn void complain(const struct check *c, const struct mi *m, uint32_t v, uint32_t byte,
                               uint32_t found)
{
    uint32_t i = 0, w = 0;
    while (i < c->cg->n_code && c->cg->code[i] != m)
        i++;
    for (uint32_t k = 1; found && k < c->cg->n_vregs; k++) {
        if (c->first_name[k] <= found)
            w = k;
    }
    if (cc_dumps("ra"))
        cg_print(c->cg, "wrongly allocated", stderr);
    bug("%s: instruction %u reads byte %u of v%u but finds v%u", c->cg->fn->name, i, byte, v, w);
}

/* ---- instructions ---- */

static void check_read(struct check *c, const struct mi *m, unsigned k)
{
    uint32_t v = m->v[k], lo, hi;
    mi_span(m, k, &lo, &hi);
    for (uint32_t byte = lo & ~3u; byte < hi; byte += CG_UNIT) {
        uint32_t unit = (c->cg->vregs[v].at + byte) / CG_UNIT;
        uint32_t found = c->run.holds[unit], name = name_of(c, v, byte);
        /* Payloads have dwords that mean nothing and that no one writes; to a slot go values of
         * which a part is still to be made, with what was there, and who reads it must find all. */
        if (found != name && !c->run.is_dead && !m->is_spill &&
            (m->kind != MI_SEND || c->is_made[name]))
            complain(c, m, v, byte, found);
    }
}

/* The value's other copies, in its slot and elsewhere, are old now. */
static void forget(const struct check *c, struct state *s, uint32_t v, uint32_t name)
{
    if (!c->cg->vregs[v].alias)
        return;
    for (uint32_t u = 0; u < c->n_units; u++) {
        if (s->holds[u] == name)
            s->holds[u] = 0;
    }
}

static void write_state(const struct check *c, struct state *s, const struct mi *m)
{
    uint32_t v = m->v[0], lo, hi;
    mi_span(m, 0, &lo, &hi);
    for (uint32_t byte = lo & ~3u; byte < hi; byte += CG_UNIT) {
        uint32_t name = name_of(c, v, byte);
        forget(c, s, v, name);
        s->holds[(c->cg->vregs[v].at + byte) / CG_UNIT] = name;
    }
}

static void scratch_state(const struct check *c, struct state *s, const struct mi *m)
{
    /* Response; second payload; or payload behind a header. */
    bool split = m->n_src == 2;
    unsigned k = m->rlen ? 0 : split ? 2 : 1, skip = m->rlen || split ? 0 : EU_GRF_SIZE;
    uint32_t lo, hi;
    mi_span(m, k, &lo, &hi);
    uint32_t size = hi - lo - skip;
    uint32_t reg = (c->cg->vregs[m->v[k]].at + lo + skip) / CG_UNIT;
    uint32_t mem = CG_N_UNITS + m->scratch / CG_UNIT;
    for (uint32_t u = 0; u < size / CG_UNIT; u++) {
        if (m->rlen)
            s->holds[reg + u] = s->holds[mem + u];
        else
            s->holds[mem + u] = s->holds[reg + u];
    }
}

static void step(struct check *c, const struct mi *m)
{
    for (unsigned k = 1; k <= m->n_src; k++) {
        if (m->v[k])
            check_read(c, m, k);
    }
    if (m->v[0] && m->kind == MI_ALU && m->e.pred && m->e.op != EU_OP_sel)
        check_read(c, m, 0); /* lanes that it leaves out keep theirs */
    if (m->v[0] && m->kind == MI_ALU && mi_is_indirect(m, 0)) {
        check_read(c, m, 0); /* somewhere in an array, which must be there already */
        return;
    }
    bool all = m->e.no_mask;
    if (m->is_spill) {
        scratch_state(c, &c->run, m);
        for (unsigned k = 0; all && k < c->depth; k++)
            scratch_state(c, &c->wait[k], m);
        return;
    }
    if (!m->v[0])
        return;
    write_state(c, &c->run, m);
    for (unsigned k = 0; all && k < c->depth; k++)
        write_state(c, &c->wait[k], m);
}

/* ---- structure ---- */

static uint32_t walk(struct check *c, uint32_t i);

static uint32_t walk_if(struct check *c, uint32_t i)
{
    const struct cg *cg = c->cg;
    unsigned level = c->depth;
    push_wait(c, &c->run);
    i = walk(c, i + 1);
    if (cg->code[i]->e.op == EU_OP_else || cg->code[i]->again == MI_AGAIN_ELSE) {
        struct state t = c->run; /* the first arm's lanes wait, the others run */
        c->run = c->wait[level];
        c->wait[level] = t;
        i = walk(c, i + 1);
    }
    state_meet(c, &c->run, &c->wait[level]);
    c->depth = level;
    return i + 1;
}

static uint32_t walk_loop(struct check *c, uint32_t i)
{
    unsigned level = c->depth, outer_loop = c->loop;
    struct state entry = state_new(c), *outer = cc_alloc((level + 1) * sizeof *outer);
    state_copy(c, &entry, &c->run);
    for (unsigned k = 0; k < level; k++) {
        outer[k] = state_new(c);
        state_copy(c, &outer[k], &c->wait[k]);
    }
    push_wait(c, NULL); /* lanes that have left */
    c->loop = level;
    for (;;) {
        uint32_t end = walk(c, i + 1);
        const struct mi *m = c->cg->code[end];
        struct state *left = &c->wait[level];
        if (m->e.pred)
            state_meet(c, left, &c->run);
        bool changed = state_meet(c, &entry, &c->run);
        for (unsigned k = 0; k < level; k++)
            changed |= state_meet(c, &outer[k], &c->wait[k]);
        if (!changed) {
            state_copy(c, &c->run, left);
            for (unsigned k = 0; k < level; k++)
                state_copy(c, &c->wait[k], &outer[k]);
            c->depth = level;
            c->loop = outer_loop;
            return end + 1;
        }
        state_copy(c, &c->run, &entry);
        for (unsigned k = 0; k < level; k++)
            state_copy(c, &c->wait[k], &outer[k]);
    }
}

/* From i to the else, endif or while that ends this level, or the end; returns its index. */
static uint32_t walk(struct check *c, uint32_t i)
{
    const struct cg *cg = c->cg;
    while (i < cg->n_code) {
        const struct mi *m = cg->code[i];
        if (m->kind == MI_DO) {
            i = walk_loop(c, i);
            continue;
        }
        if (m->kind == MI_CTRL && m->again != MI_AGAIN_SKIP) {
            if (m->e.op == EU_OP_if) {
                i = walk_if(c, i);
                continue;
            }
            if (m->e.op == EU_OP_else || m->e.op == EU_OP_endif || m->e.op == EU_OP_while)
                return i;
            if (m->e.op == EU_OP_break) {
                state_meet(c, &c->wait[c->loop], &c->run);
                c->run.is_dead |= !m->e.pred;
            } else if (m->is_exit) {
                state_meet(c, &c->run, &c->wait[0]);
            } else if (m->e.op == EU_OP_halt) {
                state_meet(c, &c->wait[0], &c->run);
                c->run.is_dead = true;
            }
        }
        step(c, m);
        i++;
    }
    return i;
}

void ra_check(const struct cg *cg)
{
    struct check c = {.cg = cg, .n_units = CG_N_UNITS + cg->scratch_size / CG_UNIT};
    uint32_t name = 1;
    c.first_name = cc_alloc((cg->n_vregs + 1) * sizeof *c.first_name);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        c.first_name[v] = name;
        name += (cg->vregs[v].size + CG_UNIT - 1) / CG_UNIT;
    }
    c.is_made = cc_alloc(name * sizeof *c.is_made);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        uint32_t lo = 0, hi = 0;
        if (m->v[0] && !(m->is_spill && m->rlen))
            mi_span(m, 0, &lo, &hi);
        for (uint32_t byte = lo & ~3u; byte < hi; byte += CG_UNIT)
            c.is_made[name_of(&c, m->v[0], byte)] = true;
    }
    c.run = state_new(&c);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        const struct vreg *r = &cg->vregs[v];
        for (uint32_t byte = 0; r->is_fixed && byte < r->size; byte += CG_UNIT)
            c.run.holds[(r->at + byte) / CG_UNIT] = name_of(&c, v, byte);
    }
    push_wait(&c, NULL); /* lanes that have ended early wait outside of everything */
    walk(&c, 0);
}
