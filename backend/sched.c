/* Order within straight runs: list scheduling before registers are given.
 *
 * An instruction starts when its operands are there, or the thread stalls; messages take longest,
 * so what leads to them goes first and what waits for them last, as long as values stay few. When
 * they become many, what frees registers goes first. The hardware runs several threads an EU, which
 * hides the short latencies; those below are what is left to hide. */
#include "backend/codegen.h"

enum {
    MAX_RUN = 600,   /* instructions looked at together */
    MAX_SINK = 8192, /* the same by sched_sink */
    LATENCY_MESSAGE = 80,
    LATENCY_MATH = 10,
    LATENCY_ALU = 5,
    MANY_UNITS = CG_N_UNITS * 6 / 10, /* dwords live: from here on they are many */
};

struct edge {
    uint32_t to;
    struct edge *next;
};

struct node {
    struct mi *m;
    struct edge *succs;
    uint32_t n_preds;  /* not yet scheduled */
    uint32_t length;   /* latencies from here to the end */
    uint32_t earliest; /* when its operands are there */
    /* sched_sink */
    struct edge *preds;
    uint32_t n_succs; /* not yet placed */
    uint32_t level;   /* instructions on the longest way from the run's start */
};

/* What has touched a register slice, flag or such since the run began. */
struct touch {
    int32_t writer;       /* node; -1 none */
    struct edge *readers; /* since then */
};

enum { RES_FLAG = 0, RES_ACC = 4, RES_A0, RES_MEM_WRITE, RES_MEM_READ, N_RES };

struct sched {
    struct cg *cg;
    struct node *nodes;
    uint32_t n;
    uint32_t *first_slice; /* of a vreg, among all slices */
    struct touch *touch;   /* by slice, then N_RES others */
    uint32_t *stamp;       /* by the same: run in which touch is valid */
    uint32_t n_slices, run;
    /* pressure */
    uint32_t *refs;   /* by vreg: references in the program */
    uint32_t *left;   /* by vreg: of them, in this run and not yet scheduled; if all are in it */
    uint32_t *opened; /* by vreg: the run in which it began to live */
    int64_t *live_at; /* by instruction: dwords live before it, in the original order */
    uint32_t from;    /* first instruction of the run */
    int64_t live;     /* dwords live now */
};

static unsigned latency(const struct mi *m)
{
    if (m->kind == MI_SEND)
        return m->rlen ? LATENCY_MESSAGE : 1;
    return m->e.op == EU_OP_math ? LATENCY_MATH : LATENCY_ALU;
}

/* ---- dependences ---- */

static void add_edge(struct sched *s, uint32_t from, uint32_t to)
{
    struct node *f = &s->nodes[from];
    if (f->succs && f->succs->to == to)
        return;
    struct edge *e = cc_alloc(sizeof *e);
    *e = (struct edge){to, f->succs};
    f->succs = e;
    s->nodes[to].n_preds++;
}

static struct touch *touch_of(struct sched *s, uint32_t resource)
{
    struct touch *t = &s->touch[resource];
    if (s->stamp[resource] != s->run) {
        s->stamp[resource] = s->run;
        *t = (struct touch){.writer = -1};
    }
    return t;
}

static void reads(struct sched *s, uint32_t resource, uint32_t i)
{
    struct touch *t = touch_of(s, resource);
    if (t->writer >= 0 && (uint32_t)t->writer != i)
        add_edge(s, t->writer, i);
    struct edge *e = cc_alloc(sizeof *e);
    *e = (struct edge){i, t->readers};
    t->readers = e;
}

static void writes(struct sched *s, uint32_t resource, uint32_t i)
{
    struct touch *t = touch_of(s, resource);
    if (t->writer >= 0 && (uint32_t)t->writer != i)
        add_edge(s, t->writer, i);
    for (struct edge *r = t->readers; r; r = r->next) {
        if (r->to != i)
            add_edge(s, r->to, i);
    }
    *t = (struct touch){.writer = i};
}

static void depend_on_memory(struct sched *s, const struct mi *m, uint32_t i)
{
    uint32_t base = s->n_slices;
    /* What has an effect beside memory (a wait for a fence, a state register) keeps its place, too.
     */
    bool write = m->mem == MI_MEM_WRITE ||
                 (m->kind == MI_ALU && mi_has_effect(m) && !m->writes_acc && !mi_writes_a0(m));
    if (write) {
        writes(s, base + RES_MEM_WRITE, i);
        writes(s, base + RES_MEM_READ, i);
    } else if (m->mem == MI_MEM_READ) {
        reads(s, base + RES_MEM_WRITE, i);
        reads(s, base + RES_MEM_READ, i);
    }
}

static void build(struct sched *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct mi *m = s->nodes[i].m;
        for (unsigned k = m->n_src + 1; k-- > 0;) { /* sources before the destination */
            if (!m->v[k])
                continue;
            uint32_t lo, hi;
            mi_span(m, k, &lo, &hi);
            for (uint32_t b = lo / EU_GRF_SIZE; b * EU_GRF_SIZE < hi; b++) {
                if (k)
                    reads(s, s->first_slice[m->v[k]] + b, i);
                else
                    writes(s, s->first_slice[m->v[k]] + b, i);
            }
        }
        uint8_t fr = mi_flag_reads(m), fw = mi_flag_writes(m);
        for (unsigned f = 0; f < 4; f++) {
            if (fr >> f & 1)
                reads(s, s->n_slices + RES_FLAG + f, i);
            if (fw >> f & 1)
                writes(s, s->n_slices + RES_FLAG + f, i);
        }
        if (mi_reads_a0(m))
            reads(s, s->n_slices + RES_A0, i);
        if (mi_writes_a0(m))
            writes(s, s->n_slices + RES_A0, i);
        if (m->uses_acc)
            reads(s, s->n_slices + RES_ACC, i);
        if (m->writes_acc)
            writes(s, s->n_slices + RES_ACC, i);
        depend_on_memory(s, m, i);
    }
    for (uint32_t i = s->n; i-- > 0;) {
        struct node *n = &s->nodes[i];
        uint32_t far = 0;
        for (struct edge *e = n->succs; e; e = e->next) {
            if (s->nodes[e->to].length > far)
                far = s->nodes[e->to].length;
        }
        n->length = far + latency(n->m);
    }
}

/* ---- pressure ---- */

static uint32_t units(const struct cg *cg, uint32_t v)
{
    return (cg->vregs[v].size + CG_UNIT - 1) / CG_UNIT;
}

/* Dwords live before each instruction. */
static void find_pressure(struct sched *s)
{
    struct cg *cg = s->cg;
    s->live_at = cc_alloc((cg->n_code + 2) * sizeof *s->live_at);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        const struct vreg *r = &cg->vregs[v];
        if (r->start > r->end)
            continue;
        s->live_at[r->start / 2 + 1] += units(cg, v);
        s->live_at[r->end / 2 + 1] -= units(cg, v);
    }
    for (uint32_t i = 1; i <= cg->n_code; i++)
        s->live_at[i] += s->live_at[i - 1];
}

static bool is_open(const struct sched *s, uint32_t v)
{
    return s->cg->vregs[v].start < 2 * s->from || s->opened[v] == s->run;
}

static void pressure_begin(struct sched *s)
{
    s->live = s->live_at[s->from];
    for (uint32_t i = 0; i < s->n; i++) {
        const struct mi *m = s->nodes[i].m;
        for (unsigned k = 0; k <= m->n_src; k++)
            s->left[m->v[k]] = 0;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const struct mi *m = s->nodes[i].m;
        for (unsigned k = 0; k <= m->n_src; k++)
            s->left[m->v[k]]++;
    }
}

/* How scheduling m changes the dwords that are live. */
static int pressure_change(const struct sched *s, const struct mi *m)
{
    int change = 0;
    uint32_t d = m->v[0];
    if (d && !is_open(s, d))
        change += units(s->cg, d);
    for (unsigned k = 0; k <= m->n_src; k++) {
        uint32_t v = m->v[k];
        bool again = false;
        unsigned times = 0;
        for (unsigned j = 0; j <= m->n_src; j++) {
            again |= j < k && m->v[j] == v;
            times += m->v[j] == v;
        }
        if (v && !again && s->refs[v] == s->left[v] && s->left[v] == times)
            change -= units(s->cg, v);
    }
    return change;
}

static void pressure_take(struct sched *s, const struct mi *m)
{
    s->live += pressure_change(s, m);
    for (unsigned k = 0; k <= m->n_src; k++) {
        uint32_t v = m->v[k];
        if (!v)
            continue;
        /* refs and left stay equal for vregs that only this run knows: both count what is left. */
        if (s->refs[v] == s->left[v])
            s->refs[v]--;
        s->left[v]--;
        s->opened[v] = s->run;
    }
}

/* ---- choosing ---- */

/* Whether a is better than b, at time `now`. Equal: the original order. */
static bool is_better(const struct sched *s, uint32_t a, uint32_t b, uint32_t now)
{
    const struct node *x = &s->nodes[a], *y = &s->nodes[b];
    int cx = pressure_change(s, x->m), cy = pressure_change(s, y->m);
    if (s->live > MANY_UNITS && cx != cy)
        return cx < cy;
    bool wx = x->earliest > now, wy = y->earliest > now;
    if (wx != wy)
        return !wx;
    if (wx && x->earliest != y->earliest)
        return x->earliest < y->earliest;
    if (x->length != y->length)
        return x->length > y->length;
    return a < b;
}

/* Gives the run's instructions back in their new order. */
static void schedule(struct sched *s, struct mi **out)
{
    uint32_t ready[MAX_RUN], n_ready = 0, now = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!s->nodes[i].n_preds)
            ready[n_ready++] = i;
    }
    for (uint32_t done = 0; done < s->n; done++) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < n_ready; k++) {
            if (is_better(s, ready[k], ready[best], now))
                best = k;
        }
        uint32_t i = ready[best];
        ready[best] = ready[--n_ready];
        struct node *n = &s->nodes[i];
        out[done] = n->m;
        pressure_take(s, n->m);
        if (n->earliest > now)
            now = n->earliest;
        now += n->m->e.exec_size == 16 ? 2 : 1;
        for (struct edge *e = n->succs; e; e = e->next) {
            struct node *to = &s->nodes[e->to];
            uint32_t at = now + latency(n->m);
            if (at > to->earliest)
                to->earliest = at;
            if (--to->n_preds == 0)
                ready[n_ready++] = e->to;
        }
    }
}

/* ---- as late as can be ---- */

/* Places the run's instructions from its end on, each when all that need it are placed, and what
 * has little behind it before what has much: sums of values that live anyway are made where they
 * are wanted, and not long before. */
static void sink(struct sched *s, struct mi **out)
{
    uint32_t *ready = cc_alloc((s->n + 1) * sizeof *ready), n_ready = 0;
    for (uint32_t i = 0; i < s->n; i++) { /* edges lead from earlier to later ones */
        for (struct edge *e = s->nodes[i].succs; e; e = e->next) {
            struct node *to = &s->nodes[e->to];
            struct edge *back = cc_alloc(sizeof *back);
            *back = (struct edge){i, to->preds};
            to->preds = back;
            s->nodes[i].n_succs++;
            if (s->nodes[i].level + 1 > to->level)
                to->level = s->nodes[i].level + 1;
        }
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (!s->nodes[i].n_succs)
            ready[n_ready++] = i;
    }
    for (uint32_t left = s->n; left-- > 0;) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < n_ready; k++) {
            const struct node *x = &s->nodes[ready[k]], *y = &s->nodes[ready[best]];
            if (x->level != y->level ? x->level < y->level : ready[k] > ready[best])
                best = k;
        }
        uint32_t i = ready[best];
        ready[best] = ready[--n_ready];
        out[left] = s->nodes[i].m;
        for (struct edge *e = s->nodes[i].preds; e; e = e->next) {
            if (--s->nodes[e->to].n_succs == 0)
                ready[n_ready++] = e->to;
        }
    }
}

static void run(struct sched *s, uint32_t lo, uint32_t hi, bool late)
{
    struct cg *cg = s->cg;
    s->n = hi - lo;
    if (s->n < 3)
        return;
    s->run++;
    for (uint32_t i = 0; i < s->n; i++)
        s->nodes[i] = (struct node){.m = cg->code[lo + i]};
    build(s);
    s->from = lo;
    if (late) {
        sink(s, cg->code + lo);
        return;
    }
    pressure_begin(s);
    schedule(s, cg->code + lo);
}

static void run_all(struct cg *cg, uint32_t max_run, bool late)
{
    struct sched *s = cc_alloc(sizeof *s);
    s->cg = cg;
    s->nodes = cc_alloc(max_run * sizeof *s->nodes);
    live_run(cg);
    s->first_slice = cc_alloc(cg->n_vregs * sizeof *s->first_slice);
    s->refs = cc_alloc(cg->n_vregs * sizeof *s->refs);
    s->left = cc_alloc(cg->n_vregs * sizeof *s->left);
    s->opened = cc_alloc(cg->n_vregs * sizeof *s->opened);
    find_pressure(s);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        s->first_slice[v] = s->n_slices;
        s->n_slices += slice_count(&cg->vregs[v]);
    }
    s->touch = cc_alloc((s->n_slices + N_RES) * sizeof *s->touch);
    s->stamp = cc_alloc((s->n_slices + N_RES) * sizeof *s->stamp);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        for (unsigned k = 0; k <= m->n_src; k++)
            s->refs[m->v[k]]++;
    }
    uint32_t lo = 0;
    for (uint32_t i = 0; i <= cg->n_code; i++) {
        bool ends = i == cg->n_code || cg->code[i]->kind == MI_CTRL || cg->code[i]->kind == MI_DO ||
                    cg->code[i]->kind == MI_UNDEF || cg->code[i]->e.eot;
        if (!ends && i - lo < max_run)
            continue;
        run(s, lo, i, late);
        lo = ends ? i + 1 : i;
    }
}

void sched_run(struct cg *cg)
{
    run_all(cg, MAX_RUN, false);
}

void sched_sink(struct cg *cg)
{
    run_all(cg, MAX_SINK, true);
}
