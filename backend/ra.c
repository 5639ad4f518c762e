/* Register allocation: linear scan over vregs in the order of their starts.
 *
 * The register file is CG_N_UNITS dwords, of each of which it is known until when it is taken.
 * Whole registers are given from the bottom, single dwords packed from the top. A vreg that finds
 * no room evicts the cheapest ones in its way, which then must be spilled, and goes on, so that one
 * run finds many of them. */
#include "backend/codegen.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A unit is taken by its owner until some position. A slice that starts later than its vreg leaves
 * a hole before it: there the previous owner may still be, or a vreg that is to be copied there. */
struct unit {
    int64_t until;      /* last position at which it is taken; -1: never so far */
    uint32_t owner;     /* by which vreg */
    int64_t hole_until; /* the same of what is in the hole */
    uint32_t hole_owner;
};

struct ra {
    struct cg *cg;
    struct unit unit[CG_N_UNITS];
    struct {
        uint32_t v;
        int64_t delta;
    } * hint; /* by vreg: best at that one's place + delta */
    bool *spill;
    bool failed;
};

enum { UNITS_PER_REG = EU_GRF_SIZE / CG_UNIT };

static unsigned slice_units(const struct vreg *v, uint32_t k)
{
    uint32_t left = v->size - k * EU_GRF_SIZE;
    return left >= EU_GRF_SIZE ? UNITS_PER_REG : (left + CG_UNIT - 1) / CG_UNIT;
}

static bool slice_used(const struct slice *s)
{
    return s->start <= s->end;
}

static bool fits(const struct ra *ra, const struct vreg *v, unsigned unit)
{
    for (uint32_t k = 0; k < slice_count(v); k++) {
        const struct slice *s = &v->slices[k];
        if (!slice_used(s))
            continue;
        unsigned at = unit + k * UNITS_PER_REG;
        for (unsigned u = at; u < at + slice_units(v, k); u++) {
            if (ra->unit[u].until >= (int64_t)s->start)
                return false;
        }
    }
    return true;
}

static void take(struct ra *ra, uint32_t id, unsigned unit)
{
    struct vreg *v = &ra->cg->vregs[id];
    v->at = unit * CG_UNIT;
    for (uint32_t k = 0; k < slice_count(v); k++) {
        if (!slice_used(&v->slices[k]))
            continue;
        unsigned at = unit + k * UNITS_PER_REG;
        for (unsigned u = at; u < at + slice_units(v, k); u++) {
            struct unit *r = &ra->unit[u];
            *r = (struct unit){v->slices[k].end, id, r->until, r->owner};
        }
    }
}

/* First and last unit at which v may begin, and the step. */
struct range {
    int first, last, step;
};

static struct range range_of(const struct vreg *v)
{
    if (v->align == 0) {
        int units = v->size / CG_UNIT; /* 1 or 2 */
        return (struct range){v->first * UNITS_PER_REG, (v->last + 1) * UNITS_PER_REG - units,
                              units};
    }
    int first = v->first + (v->phase + v->align - v->first % v->align) % v->align;
    return (struct range){first * UNITS_PER_REG,
                          (v->last + 1 - (int)slice_count(v)) * UNITS_PER_REG,
                          v->align * UNITS_PER_REG};
}

static bool is_in_range(const struct vreg *v, int64_t unit)
{
    struct range r = range_of(v);
    return unit >= r.first && unit <= r.last && (unit - r.first) % r.step == 0;
}

static int find(const struct ra *ra, const struct vreg *v)
{
    struct range r = range_of(v);
    if (v->align == 0) {
        for (int u = r.last; u >= r.first; u -= r.step) {
            if (fits(ra, v, u))
                return u;
        }
        return -1;
    }
    for (int u = r.first; u <= r.last; u += r.step) {
        if (fits(ra, v, u))
            return u;
    }
    return -1;
}

static double spill_cost(const struct vreg *v)
{
    if (v->no_spill)
        return DBL_MAX;
    return v->cost / (v->end - v->start + 1);
}

/* Adds what it costs to evict vreg id, once. DBL_MAX: not to be had for less than best. */
struct eviction {
    uint32_t seen[64];
    unsigned n;
    double sum, best;
};

static void eviction_add(const struct ra *ra, struct eviction *e, uint32_t id)
{
    for (unsigned i = 0; i < e->n; i++) {
        if (e->seen[i] == id)
            return;
    }
    if (e->n < sizeof e->seen / sizeof *e->seen)
        e->seen[e->n++] = id;
    double c = spill_cost(&ra->cg->vregs[id]);
    e->sum = c == DBL_MAX || e->sum + c >= e->best ? DBL_MAX : e->sum + c;
}

/* Sum over the distinct vregs in the way of v at unit. */
static double eviction_cost(const struct ra *ra, const struct vreg *v, unsigned unit, double best)
{
    struct eviction e = {.best = best};
    for (uint32_t k = 0; k < slice_count(v); k++) {
        const struct slice *s = &v->slices[k];
        if (!slice_used(s))
            continue;
        unsigned at = unit + k * UNITS_PER_REG;
        for (unsigned u = at; u < at + slice_units(v, k); u++) {
            const struct unit *r = &ra->unit[u];
            if (r->until < (int64_t)s->start)
                continue;
            eviction_add(ra, &e, r->owner);
            if (r->hole_until >= (int64_t)s->start)
                eviction_add(ra, &e, r->hole_owner);
            if (e.sum == DBL_MAX)
                return DBL_MAX;
        }
    }
    return e.sum;
}

static void evict(struct ra *ra, uint32_t id, int64_t pos)
{
    ra->spill[id] = true;
    for (unsigned u = 0; u < CG_N_UNITS; u++) {
        struct unit *r = &ra->unit[u];
        if (r->hole_owner == id && r->hole_until >= pos)
            r->hole_until = pos - 1;
        if (r->owner == id && r->until >= pos)
            *r = (struct unit){r->hole_until, r->hole_owner, -1, 0};
    }
}

/* Makes room for v, or gives v itself up. */
static void make_room(struct ra *ra, uint32_t id)
{
    struct cg *cg = ra->cg;
    struct vreg *v = &cg->vregs[id];
    struct range r = range_of(v);
    double best = spill_cost(v);
    int at = -1;
    for (int u = r.first; u <= r.last; u += r.step) {
        double c = eviction_cost(ra, v, u, best);
        if (c < best) {
            best = c;
            at = u;
        }
    }
    if (at < 0) {
        if (v->no_spill)
            ra->failed = true;
        else
            ra->spill[id] = true;
        return;
    }
    for (uint32_t k = 0; k < slice_count(v); k++) {
        if (!slice_used(&v->slices[k]))
            continue;
        unsigned unit = at + k * UNITS_PER_REG;
        for (unsigned u = unit; u < unit + slice_units(v, k); u++) {
            while (ra->unit[u].until >= (int64_t)v->slices[k].start)
                evict(ra, ra->unit[u].owner, v->slices[k].start);
        }
    }
    take(ra, id, at);
}

/* Moves want source and destination in one place. */
static void find_hints(struct ra *ra)
{
    struct cg *cg = ra->cg;
    ra->hint = cc_alloc(cg->n_vregs * sizeof *ra->hint);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        if (m->kind != MI_ALU || m->e.op != EU_OP_mov || !m->v[0] || !m->v[1] ||
            mi_is_indirect(m, 0) || mi_is_indirect(m, 1))
            continue;
        uint32_t d = m->v[0], s = m->v[1];
        int64_t delta = (int64_t)m->off[1] - m->off[0];
        if (delta % CG_UNIT)
            continue;
        if (!ra->hint[d].v) {
            ra->hint[d].v = s;
            ra->hint[d].delta = delta;
        }
        if (!ra->hint[s].v) {
            ra->hint[s].v = d;
            ra->hint[s].delta = -delta;
        }
    }
}

static int hinted(const struct ra *ra, uint32_t id)
{
    const struct vreg *v = &ra->cg->vregs[id];
    uint32_t other = ra->hint[id].v;
    if (!other || ra->cg->vregs[other].at < 0)
        return -1;
    int64_t byte = ra->cg->vregs[other].at + ra->hint[id].delta;
    if (byte < 0 || byte % CG_UNIT || !is_in_range(v, byte / CG_UNIT))
        return -1;
    return byte / CG_UNIT;
}

/* Whether v, that is copied to `other`, can wait for it in the holes before other's slices. */
static bool fits_holes(const struct ra *ra, const struct vreg *v, unsigned unit, uint32_t other)
{
    const struct vreg *o = &ra->cg->vregs[other];
    for (uint32_t k = 0; k < slice_count(v); k++) {
        const struct slice *s = &v->slices[k];
        if (!slice_used(s))
            continue;
        unsigned at = unit + k * UNITS_PER_REG;
        for (unsigned u = at; u < at + slice_units(v, k); u++) {
            const struct unit *r = &ra->unit[u];
            if (r->until < (int64_t)s->start)
                continue;
            if (r->owner != other || r->hole_until >= (int64_t)s->start)
                return false;
            const struct slice *os = &o->slices[(u * CG_UNIT - o->at) / EU_GRF_SIZE];
            if (os->start <= s->end)
                return false;
        }
    }
    return true;
}

static void take_holes(struct ra *ra, uint32_t id, unsigned unit)
{
    struct vreg *v = &ra->cg->vregs[id];
    v->at = unit * CG_UNIT;
    for (uint32_t k = 0; k < slice_count(v); k++) {
        if (!slice_used(&v->slices[k]))
            continue;
        unsigned at = unit + k * UNITS_PER_REG;
        for (unsigned u = at; u < at + slice_units(v, k); u++) {
            struct unit *r = &ra->unit[u];
            if (r->until < (int64_t)v->slices[k].start) {
                *r = (struct unit){v->slices[k].end, id, r->until, r->owner};
            } else {
                r->hole_until = v->slices[k].end;
                r->hole_owner = id;
            }
        }
    }
}

static const struct vreg *sort_vregs;

static int by_start(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct vreg *v = &sort_vregs[x], *w = &sort_vregs[y];
    if (v->is_fixed != w->is_fixed)
        return w->is_fixed - v->is_fixed;
    if (v->start != w->start)
        return v->start < w->start ? -1 : 1;
    return x < y ? -1 : x > y;
}

bool ra_run(struct cg *cg, bool **spill)
{
    struct ra ra = {.cg = cg};
    uint32_t *order = cc_alloc((cg->n_vregs + 1) * sizeof *order), n = 0;
    ra.spill = cc_alloc(cg->n_vregs * sizeof *ra.spill);
    for (unsigned u = 0; u < CG_N_UNITS; u++)
        ra.unit[u] = (struct unit){-1, 0, -1, 0};
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        if (!cg->vregs[v].is_fixed)
            cg->vregs[v].at = -1;
        if (cg->vregs[v].start <= cg->vregs[v].end)
            order[n++] = v;
    }
    sort_vregs = cg->vregs;
    qsort(order, n, sizeof *order, by_start);
    find_hints(&ra);
    for (uint32_t k = 0; k < n; k++) {
        struct vreg *v = &cg->vregs[order[k]];
        if (v->is_fixed) {
            take(&ra, order[k], v->at / CG_UNIT);
            continue;
        }
        int unit = hinted(&ra, order[k]);
        if (unit >= 0 && !fits(&ra, v, unit)) {
            if (fits_holes(&ra, v, unit, ra.hint[order[k]].v)) {
                take_holes(&ra, order[k], unit);
                continue;
            }
            unit = -1;
        }
        if (unit < 0)
            unit = find(&ra, v);
        if (unit >= 0)
            take(&ra, order[k], unit);
        else
            make_room(&ra, order[k]);
    }
    bool any = false;
    for (uint32_t v = 1; v < cg->n_vregs; v++)
        any |= ra.spill[v];
    *spill = ra.failed ? NULL : ra.spill;
    return !any && !ra.failed;
}
