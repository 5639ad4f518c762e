/* Branches that are too far. Gen7 and 7.5 have 16 bits for a distance: an if reaches over some
 * sixteen thousand instructions, and whole kernels stand under one. So a long if keeps its flag in
 * a register, and within its arms all long ifs that are open are ended and begun anew now and then:
 *
 *     if f A1 A2 else B endif   ->   m = f; if f A1 endif; f = m; if f A2 endif; f = m; if ~f B
 * endif
 *
 * The lanes are the same before and after, which ra_check.c is told by mi.again. Loops can't be
 * cut. */
#include "backend/codegen.h"

enum {
    FAR = 6000, /* instructions; spill code may more than double what is between two cuts */
};

struct far_if {
    uint32_t saved; /* vreg of the flag's bits */
    uint8_t flag;
    bool inv; /* of the arm that is open */
    bool is_long;
};

struct far {
    struct cg *cg;
    struct mi **old;
    uint32_t n_old;
    uint32_t *end;      /* by if: its endif */
    bool *scratch_live; /* by instruction: the scratch flag has something before it */
    struct far_if *open;
    unsigned depth;
    uint32_t since; /* instructions since the last cut */
};

static void find_ends(struct far *f)
{
    uint32_t *open = cc_alloc((f->n_old + 1) * sizeof *open), depth = 0;
    f->end = cc_alloc((f->n_old + 1) * sizeof *f->end);
    for (uint32_t i = 0; i < f->n_old; i++) {
        const struct mi *m = f->old[i];
        if (m->kind != MI_CTRL)
            continue;
        if (m->e.op == EU_OP_if)
            open[depth++] = i;
        else if (m->e.op == EU_OP_endif)
            f->end[open[--depth]] = i;
    }
}

static void find_live(struct far *f)
{
    const uint8_t scratch = mi_flag_writes(&(struct mi){
        .e = {.cond = EU_COND_NZ, .exec_size = f->cg->simd, .flag = f->cg->scratch_flag}});
    uint8_t live = 0;
    f->scratch_live = cc_alloc((f->n_old + 1) * sizeof *f->scratch_live);
    for (uint32_t i = f->n_old; i-- > 0;) {
        const struct mi *m = f->old[i];
        if (m->kind == MI_CTRL || m->kind == MI_DO)
            live = 0;
        if (!m->e.pred && (m->e.exec_size == 1 || m->e.exec_size >= f->cg->lanes))
            live &= ~mi_flag_writes(m);
        live |= mi_flag_reads(m) & scratch;
        f->scratch_live[i] = live != 0;
    }
}

static void put_ctrl(struct far *f, enum eu_opcode op, const struct far_if *of, enum mi_again again)
{
    struct mi m = {.e = {.op = op, .exec_size = f->cg->simd}, .kind = MI_CTRL, .again = again};
    if (of) {
        m.e.pred = EU_PRED_NORMAL;
        m.e.flag = f->cg->scratch_flag;
        m.e.pred_inv = of->inv;
    }
    mi_push(f->cg, &m);
}

static void put_copy(struct far *f, struct opnd d, struct opnd s)
{
    struct mi m = mi_alu(EU_OP_mov, 1, 1, d, &s);
    m.e.no_mask = true;
    mi_push(f->cg, &m);
}

static void begin_again(struct far *f, const struct far_if *of)
{
    struct opnd flag = op_flag(f->cg, f->cg->scratch_flag);
    put_copy(f, flag, op_scalar(of->saved, 0, flag.o.type));
    put_ctrl(f, EU_OP_if, of, MI_AGAIN_SKIP);
}

/* Only long ifs are open. */
static bool can_cut(const struct far *f)
{
    for (unsigned k = 0; k < f->depth; k++) {
        if (!f->open[k].is_long)
            return false;
    }
    return f->depth > 0;
}

static void cut(struct far *f)
{
    for (unsigned k = 0; k < f->depth; k++)
        put_ctrl(f, EU_OP_endif, NULL, MI_AGAIN_SKIP);
    for (unsigned k = 0; k < f->depth; k++)
        begin_again(f, &f->open[k]);
    f->since = 0;
}

static void step(struct far *f, uint32_t i)
{
    struct mi *m = f->old[i];
    f->cg->where = m->where;
    if (m->kind == MI_CTRL && m->e.op == EU_OP_if) {
        struct far_if *o = &f->open[f->depth++];
        *o = (struct far_if){
            .flag = m->e.flag, .inv = m->e.pred_inv, .is_long = f->end[i] - i > FAR};
        if (f->depth > 1 && !o[-1].is_long)
            o->is_long = false; /* in a loop */
        if (o->is_long) {
            o->saved = vreg_scalar(f->cg);
            struct opnd flag = op_flag(f->cg, o->flag);
            put_copy(f, op_scalar(o->saved, 0, flag.o.type), flag);
        }
    } else if (m->kind == MI_DO) {
        f->open[f->depth++] = (struct far_if){0}; /* not to be cut */
    } else if (m->kind == MI_CTRL && (m->e.op == EU_OP_endif || m->e.op == EU_OP_while)) {
        f->depth--;
    } else if (m->kind == MI_CTRL && m->e.op == EU_OP_else && f->open[f->depth - 1].is_long) {
        struct far_if *o = &f->open[f->depth - 1];
        put_ctrl(f, EU_OP_endif, NULL, MI_AGAIN_ELSE);
        o->inv = !o->inv;
        begin_again(f, o);
        return;
    } else if (f->since > FAR && !f->scratch_live[i] && m->kind != MI_CTRL && can_cut(f)) {
        cut(f);
    }
    mi_push(f->cg, m);
    f->since++;
}

void far_run(struct cg *cg)
{
    struct far f = {.cg = cg, .old = cg->code, .n_old = cg->n_code};
    if (cg->gen >= 80 || cg->n_code < FAR)
        return;
    find_ends(&f);
    find_live(&f);
    f.open = cc_alloc((f.n_old + 1) * sizeof *f.open);
    cg->code = NULL;
    cg->n_code = cg->cap_code = 0;
    for (uint32_t i = 0; i < f.n_old; i++)
        step(&f, i);
}
