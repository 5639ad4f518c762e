/* Small improvements on the selected code: results computed where a message wants them, conditions
 * set by what computes the value, dead code gone. */
#include "backend/codegen.h"

/* ---- dead code ---- */

/* Counts the uses that m makes; of a value in two halves, of both. */
static void count_uses(const struct cg *cg, uint32_t *uses, const struct mi *m, int by)
{
    for (unsigned k = 1; k <= m->n_src; k++) {
        uint32_t twin = cg->vregs[m->v[k]].twin;
        uses[m->v[k]] += by;
        if (twin != m->v[k])
            uses[twin] += by;
    }
    uses[m->place_of] += by;
}

/* True if there was any. Around a loop one thing's death makes another's. */
static bool remove_dead(struct cg *cg)
{
    uint32_t *uses = cc_alloc(cg->n_vregs * sizeof *uses);
    for (uint32_t i = 0; i < cg->n_code; i++)
        count_uses(cg, uses, cg->code[i], 1);
    /* Flags live within blocks, up to the branch that ends one; a barrier's wait ends none. */
    uint8_t live = 0;
    uint32_t kept = cg->n_code;
    for (uint32_t i = cg->n_code; i-- > 0;) {
        struct mi *m = cg->code[i];
        uint8_t writes = mi_flag_writes(m);
        if ((m->kind == MI_CTRL && m->e.op != EU_OP_wait && !m->is_inner) || m->kind == MI_DO)
            live = 0;
        bool dead = !mi_has_effect(m) && !(writes & live) && (!m->v[0] || !uses[m->v[0]]);
        if (dead) {
            count_uses(cg, uses, m, -1);
            continue;
        }
        /* Half an instruction leaves the other lanes' bits. */
        if (m->e.exec_size == 1 || m->e.exec_size >= cg->lanes)
            live &= ~writes;
        live |= mi_flag_reads(m);
        cg->code[--kept] = m;
    }
    for (uint32_t i = kept; i < cg->n_code; i++)
        cg->code[i - kept] = cg->code[i];
    cg->n_code -= kept;
    return kept > 0;
}

/* ---- copies into payloads ---- */

/* All that the code does with a vreg. */
struct refs {
    uint32_t first, last; /* instructions */
    uint32_t run;         /* the straight run that has all of them; NO_RUN: more than one */
};

enum { NO_RUN = UINT32_MAX };

static void note_ref(struct refs *r, uint32_t i, uint32_t run)
{
    if (r->first == UINT32_MAX) {
        r->first = i;
        r->run = run;
    }
    if (r->run != run)
        r->run = NO_RUN;
    r->last = i;
}

static struct refs *find_refs(const struct cg *cg)
{
    struct refs *refs = cc_alloc(cg->n_vregs * sizeof *refs);
    uint32_t run = 0;
    for (uint32_t v = 0; v < cg->n_vregs; v++)
        refs[v].first = UINT32_MAX;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        if (m->kind == MI_CTRL || m->kind == MI_DO)
            run++;
        for (unsigned k = 0; k <= m->n_src; k++)
            note_ref(&refs[m->v[k]], i, run);
        note_ref(&refs[m->place_of], i, run);
    }
    return refs;
}

static bool is_whole_copy(const struct cg *cg, const struct mi *m)
{
    const struct eu_operand *d = &m->e.dst, *s = &m->e.src[0];
    if (m->is_lone || m->kind != MI_ALU || m->e.op != EU_OP_mov || !m->v[0] || !m->v[1] ||
        m->e.pred || m->e.cond || m->e.saturate || s->negate || s->abs || d->hs != 1 ||
        d->type != s->type || eu_type_size(d->type) != 4)
        return false;
    const struct vreg *from = &cg->vregs[m->v[1]];
    if (from->is_array || mi_is_indirect(m, 0))
        return false;
    bool lanes = s->vs == 8 && s->width == 8 && s->hs == 1;
    return (lanes || m->e.exec_size == 1) && m->off[1] == 0 && from->size == m->e.exec_size * 4u &&
           !from->is_fixed && !cg->vregs[m->v[0]].is_fixed;
}

/* Whether the place in `to` may be what `from` is now, in all of from's life. */
static bool can_become(const struct cg *cg, const struct refs *refs, uint32_t i)
{
    const struct mi *m = cg->code[i];
    uint32_t from = m->v[1], to = m->v[0];
    const struct vreg *f = &cg->vregs[from], *t = &cg->vregs[to];
    if (from == to || refs[from].run == NO_RUN || refs[from].run != refs[to].run ||
        refs[from].last != i)
        return false;
    if (f->align > 1 && (t->align % f->align || (t->phase + m->off[0] / EU_GRF_SIZE) % f->align))
        return false;
    uint32_t lo = m->off[0], hi = lo + f->size;
    for (uint32_t k = refs[from].first; k < i; k++) {
        const struct mi *x = cg->code[k];
        if (x->v[0] == from && x->e.no_mask != m->e.no_mask)
            return false;
        for (unsigned j = 0; j <= x->n_src; j++) {
            uint32_t a, b;
            if (x->v[j] != to)
                continue;
            mi_span(x, j, &a, &b);
            if (a < hi && b > lo)
                return false;
        }
    }
    return true;
}

/* A value that is computed only to be copied to its place in a message is computed there. */
static void merge_copies(struct cg *cg)
{
    enum { FAR = 400 }; /* instructions; what is computed long before is better left movable */
    struct refs *refs = find_refs(cg);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        struct mi *m = cg->code[i];
        if (!is_whole_copy(cg, m) || i - refs[m->v[1]].first > FAR || !can_become(cg, refs, i))
            continue;
        uint32_t from = m->v[1], to = m->v[0], off = m->off[0];
        for (uint32_t k = refs[from].first; k < i; k++) {
            struct mi *x = cg->code[k];
            for (unsigned j = 0; x && j <= x->n_src; j++) {
                if (x->v[j] == from) {
                    x->v[j] = to;
                    x->off[j] += off;
                }
            }
            if (x->place_of == from) {
                x->place_of = to;
                x->place_off += off;
            }
        }
        if (refs[from].first < refs[to].first)
            refs[to].first = refs[from].first;
        m->v[0] = m->v[1] = 0; /* to be dropped; keeps its place in the count */
    }
    for (uint32_t i = 0; i < cg->n_code; i++) {
        struct mi *m = cg->code[i];
        bool dropped =
            m->kind == MI_ALU && m->e.op == EU_OP_mov && m->e.dst.file == EU_GRF && !m->v[0];
        if (!dropped)
            cg->code[kept++] = m;
    }
    cg->n_code = kept;
}

/* ---- conditions ---- */

/* A comparison of a whole value with zero. */
static bool is_zero_test(const struct mi *m)
{
    const struct eu_operand *a = &m->e.src[0], *b = &m->e.src[1];
    return m->kind == MI_ALU && m->e.op == EU_OP_cmp && !m->v[0] && m->e.dst.file == EU_ARF &&
           (m->e.cond == EU_COND_Z || m->e.cond == EU_COND_NZ) && !m->e.pred && m->v[1] &&
           !mi_is_indirect(m, 1) && !a->negate && !a->abs && a->hs == 1 && b->file == EU_IMM &&
           b->imm == 0 && a->type != EU_F && a->type != EU_DF && a->type != EU_HF;
}

/* Whether m can say by itself if the value that `test` looks at is zero. Logic and shifts to the
 * right only: sums are compared in more bits than they have (eu-isa 6.3). */
static bool can_test(const struct mi *m, const struct mi *test)
{
    unsigned size = eu_type_size(m->e.dst.type);
    bool fits = m->e.op == EU_OP_and || m->e.op == EU_OP_or || m->e.op == EU_OP_xor ||
                m->e.op == EU_OP_not || m->e.op == EU_OP_shr || m->e.op == EU_OP_asr;
    if (!fits || m->kind != MI_ALU || m->e.cond || m->e.pred || m->e.saturate || m->e.dst.hs != 1 ||
        mi_is_indirect(m, 0) || m->place_of || size != eu_type_size(test->e.src[0].type) ||
        m->off[0] != test->off[1] || m->e.exec_size != test->e.exec_size ||
        m->e.group != test->e.group || m->e.no_mask != test->e.no_mask)
        return false;
    for (unsigned k = 0; k < m->n_src; k++) {
        if (m->e.src[k].negate || eu_type_size(m->e.src[k].type) != size)
            return false;
    }
    return true;
}

/* What computes the value of a test that would stand at n, if nothing between touches the test's
 * flag; else NULL. */
static struct mi *find_tested(const struct cg *cg, uint32_t n, const struct mi *test)
{
    enum { NEAR = 16 };
    uint8_t flags = mi_flag_writes(test);
    for (uint32_t k = n; k-- > 0 && n - k <= NEAR;) {
        struct mi *m = cg->code[k];
        uint8_t touched = mi_flag_reads(m) | mi_flag_writes(m);
        if (m->kind == MI_CTRL || m->kind == MI_DO || touched & flags)
            return NULL;
        if (m->v[0] == test->v[1])
            return can_test(m, test) ? m : NULL;
    }
    return NULL;
}

/* True if there was any. */
static bool fold_tests(struct cg *cg)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        struct mi *m = cg->code[i], *value = is_zero_test(m) ? find_tested(cg, kept, m) : NULL;
        if (value) {
            value->e.cond = m->e.cond;
            value->e.flag = m->e.flag;
        } else {
            cg->code[kept++] = m;
        }
    }
    bool any = kept < cg->n_code;
    cg->n_code = kept;
    return any;
}

/* Values that only their flag is looked at of have no register. */
static void drop_tested(struct cg *cg)
{
    uint32_t *uses = cc_alloc(cg->n_vregs * sizeof *uses);
    for (uint32_t i = 0; i < cg->n_code; i++)
        count_uses(cg, uses, cg->code[i], 1);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        struct mi *m = cg->code[i];
        if (m->kind == MI_ALU && m->e.cond && m->e.op != EU_OP_sel && m->e.op != EU_OP_cmp &&
            m->v[0] && !uses[m->v[0]] && !m->writes_acc && m->e.dst.hs == 1)
            mi_set_opnd(m, 0, op_null(m->e.dst.type));
    }
}

void peephole_run(struct cg *cg)
{
    while (remove_dead(cg))
        ;
    merge_copies(cg);
    if (fold_tests(cg))
        drop_tested(cg);
}
