/* Final code: places into operands, the forms that only the encoding knows, branch distances, bits.
 *
 * Branches are never compacted, so every instruction's size is known before any distance is. */
#include "backend/codegen.h"

#include <string.h>

/* A final instruction. */
struct out {
    struct eu_insn e;
    struct eu_bits bits;
    uint64_t compact;
    unsigned size;
    uint32_t at; /* byte address */
    bool is_exit, is_inner;
    bool is_head; /* a while leads here */
    int loop;     /* while: index of the first instruction of its body */
    struct ir_where where;
};

struct emit {
    struct cg *cg;
    struct out *o;
    uint32_t n, cap;
};

static struct out *append(struct emit *em, const struct eu_insn *e)
{
    if (em->n == em->cap) {
        uint32_t cap = em->cap ? 2 * em->cap : 1024;
        em->o = cc_grow(em->o, em->cap * sizeof *em->o, cap * sizeof *em->o);
        em->cap = cap;
    }
    struct out *o = &em->o[em->n++];
    *o = (struct out){.e = *e, .loop = -1};
    return o;
}

static void place(const struct cg *cg, const struct mi *m, struct eu_insn *e)
{
    if (m->place_of) {
        uint64_t *imm = &e->src[m->n_src - 1].imm;
        *imm = (*imm + (uint32_t)cg->vregs[m->place_of].at + m->place_off) & 0xffff;
    }
    for (unsigned k = 0; k <= m->n_src; k++) {
        if (!m->v[k] || mi_is_indirect(m, k))
            continue;
        struct eu_operand *o = k ? &e->src[k - 1] : &e->dst;
        const struct vreg *v = &cg->vregs[m->v[k]];
        if (v->at < 0)
            bug("%s: v%u has no place", cg->fn->name, m->v[k]);
        uint32_t byte = v->at + m->off[k];
        o->reg = byte / EU_GRF_SIZE;
        o->sub = byte % EU_GRF_SIZE;
    }
}

/* Three-source instructions are Align16. One lane: four channels, of which the destination's dword
 * is enabled. */
static void to_align16(struct eu_insn *e)
{
    e->align16 = true;
    e->dst.chan_en = 0xf;
    if (e->exec_size == 1) {
        e->exec_size = 4;
        e->dst.chan_en = 1 << (e->dst.sub / 4 & 3);
        e->dst.sub &= 16;
    }
    for (unsigned k = 0; k < 3; k++) {
        struct eu_operand *o = &e->src[k];
        bool scalar = o->vs == 0 && o->hs == 0, wide = o->type == EU_DF;
        o->rep = scalar && !wide;
        o->swizzle = !scalar || !wide ? 0xe4 : o->sub & 8 ? 0xee : 0x44; /* one of two doubles */
        if (scalar && wide)
            o->sub &= 16;
        o->vs = o->width = o->hs = 0;
    }
    e->dst.hs = 1;
}

/* madm and its start values: whole registers, each with an accumulator. */
static void to_macro(struct eu_insn *e)
{
    bool is_start = e->op == EU_OP_math;
    e->align16 = true;
    for (unsigned k = 0; k < 3; k++) {
        e->src[k].vs = is_start && e->src[k].file == EU_GRF ? 16 / eu_type_size(e->dst.type) : 0;
        e->src[k].width = e->src[k].hs = 0;
    }
    e->dst.hs = is_start ? 0 : 1;
}

static bool has_double(const struct eu_insn *e, unsigned n_src)
{
    bool is = e->dst.type == EU_DF;
    for (unsigned k = 0; k < n_src; k++)
        is |= e->src[k].type == EU_DF;
    return is;
}

/* Ivy Bridge and Bay Trail count channels and regions of operations on doubles in dwords: lane i
 * has the dwords 2i and 2i + 1 (eu-isa "64-bit rules"). */
static void to_dword_regions(struct eu_insn *e, unsigned n_src)
{
    bool one = e->exec_size == 1;
    e->exec_size *= 2;
    if (e->dst.type != EU_DF && e->dst.hs == 2)
        e->dst.hs = 1;
    for (unsigned k = 0; k < n_src && n_src < 3; k++) {
        struct eu_operand *o = &e->src[k];
        bool scalar = o->vs == 0 && o->hs == 0, wide = o->type == EU_DF;
        if (o->file != EU_GRF || (scalar && !wide))
            continue;
        if (scalar) {
            o->vs = one ? 2 : 0;
            o->width = 2;
            o->hs = 1;
        } else if (wide) {
            o->vs = o->width = 8;
        } else {
            o->vs = o->hs;
            o->width = 2;
            o->hs = 0;
        }
    }
}

/* A copy of a place to itself. */
static bool is_idle(const struct eu_insn *e)
{
    const struct eu_operand *d = &e->dst, *s = &e->src[0];
    return e->op == EU_OP_mov && !d->indirect && !s->indirect && !e->cond && !e->saturate &&
           d->file == EU_GRF && s->file == EU_GRF && d->type == s->type && d->reg == s->reg &&
           d->sub == s->sub && !s->negate && !s->abs && d->hs == 1 &&
           (e->exec_size == 1 || (s->vs == s->width && s->hs == 1));
}

static bool is_two_registers(const struct eu_insn *e)
{
    return e->dst.file == EU_GRF &&
           e->exec_size * e->dst.hs * eu_type_size(e->dst.type) > EU_GRF_SIZE;
}

/* An instruction that writes two registers must not directly follow these on Gen8 and 9. */
static bool needs_gap(const struct cg *cg, const struct eu_insn *e)
{
    return cg->gen >= 80 && e->op == EU_OP_math && (e->fn == EU_MATH_POW || e->fn == EU_MATH_FDIV);
}

static void flatten(struct emit *em)
{
    struct cg *cg = em->cg;
    int *loops = cc_alloc((cg->n_code + 1) * sizeof *loops);
    int depth = 0;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        if (m->kind == MI_DO) {
            loops[depth++] = em->n;
            continue;
        }
        if (m->kind == MI_UNDEF)
            continue;
        struct eu_insn e = m->e;
        place(cg, m, &e);
        if (m->is_undefined || is_idle(&e))
            continue;
        if (cg->dev->quirks & GEN_QUIRK_DF_DWORD_REGIONS && m->kind == MI_ALU &&
            has_double(&e, m->n_src))
            to_dword_regions(&e, m->n_src);
        if (mi_is_macro(m))
            to_macro(&e);
        else if (m->n_src == 3)
            to_align16(&e);
        if (em->n && needs_gap(cg, &em->o[em->n - 1].e) && is_two_registers(&e))
            append(em, &(struct eu_insn){.op = EU_OP_nop, .exec_size = 1});
        struct out *o = append(em, &e);
        o->is_exit = m->is_exit;
        o->is_inner = m->is_inner;
        o->where = m->where;
        if (m->kind == MI_CTRL && e.op == EU_OP_while) {
            if (!depth)
                bug("%s: while without do", cg->fn->name);
            o->loop = loops[--depth];
            em->o[o->loop].is_head = true;
        }
    }
}

static void set_hints(struct emit *em)
{
    struct depend depend = {0};
    for (uint32_t i = 0; i < em->n; i++) {
        if (em->o[i].is_head)
            depend.last = NULL;
        depend_step(&depend, em->cg->dev, &em->o[i].e);
    }
}

static bool is_branch(const struct eu_insn *e)
{
    return e->op == EU_OP_if || e->op == EU_OP_else || e->op == EU_OP_endif ||
           e->op == EU_OP_while || e->op == EU_OP_break || e->op == EU_OP_halt;
}

static void encode(struct emit *em, struct out *o)
{
    struct cg *cg = em->cg;
    const char *why = NULL;
    if (!eu_encode(cg->gen, &o->e, &o->bits, &why))
        bug("%s: %s: %s", cg->fn->name, eu_op_info(o->e.op)->name, why);
#ifdef BEIGNET_CHECKS
    why = eu_check(cg->gen, cg->dev->quirks, &o->e);
    if (why) {
        char text[256];
        eu_print(cg->gen, &o->e, text, sizeof text);
        bug("%s: %s: %s", cg->fn->name, text, why);
    }
#endif
}

static void size_all(struct emit *em)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < em->n; i++) {
        struct out *o = &em->o[i];
        o->size = EU_INSN_SIZE;
        if (!is_branch(&o->e)) {
            encode(em, o);
            if (!o->e.eot && o->e.op != EU_OP_wait &&
                eu_compact(em->cg->gen, &o->bits, &o->compact))
                o->size = EU_COMPACT_SIZE;
        }
        o->at = at;
        at += o->size;
    }
}

/* For endif, break and halt the place where lanes may wait next: the next else, endif, while or
 * exit that is not inside a construct begun later; n if there is none. For break also the while of
 * its loop. Backwards, with a stack of what is open. */
static uint32_t *block_ends(const struct emit *em, uint32_t **whiles)
{
    uint32_t *end = cc_alloc((em->n + 1) * sizeof *end);
    uint32_t *loop = *whiles = cc_alloc((em->n + 1) * sizeof *loop), innermost = em->n;
    struct {
        uint32_t end, outer; /* outer loop's while */
        int loop;
    } *open = cc_alloc((em->n + 1) * sizeof *open);
    uint32_t depth = 0, current = em->n;
    for (uint32_t i = em->n; i-- > 0;) {
        const struct out *o = &em->o[i];
        end[i] = current;
        loop[i] = innermost;
        if (o->is_exit || o->e.op == EU_OP_else) {
            current = i;
        } else if (o->e.op == EU_OP_endif || o->e.op == EU_OP_while) {
            open[depth].loop = o->loop;
            open[depth].outer = innermost;
            open[depth++].end = current;
            current = i;
            innermost = o->loop >= 0 ? i : innermost;
        } else if (o->e.op == EU_OP_if) {
            current = open[--depth].end;
        }
        while (depth && open[depth - 1].loop == (int)i) {
            current = open[--depth].end;
            innermost = open[depth].outer;
        }
    }
    return end;
}

static int32_t distance(const struct emit *em, uint32_t from, uint32_t to)
{
    return (int32_t)(em->o[to].at - em->o[from].at);
}

/* Gen7 has 16 bits, of units of 8 bytes, for a distance. */
static bool is_far(int32_t bytes)
{
    return bytes < -32768 * 8 || bytes > 32767 * 8;
}

/* One pass with a stack of open ifs. False: a branch would be too far. */
static bool link_branches(struct emit *em)
{
    struct {
        uint32_t if_at, else_at;
    } * open;
    open = cc_alloc((em->n + 1) * sizeof *open);
    uint32_t *whiles;
    const uint32_t *ends = block_ends(em, &whiles);
    uint32_t depth = 0, exit = em->n;
    for (uint32_t i = 0; i < em->n; i++) {
        if (em->o[i].is_exit)
            exit = i;
    }
    for (uint32_t i = 0; i < em->n; i++) {
        struct out *o = &em->o[i];
        switch ((enum eu_opcode)o->e.op) {
        case EU_OP_if:
            open[depth].if_at = i;
            open[depth++].else_at = UINT32_MAX;
            break;
        case EU_OP_else:
            open[depth - 1].else_at = i;
            break;
        case EU_OP_endif: {
            uint32_t if_at = open[--depth].if_at, else_at = open[depth].else_at;
            struct out *f = &em->o[if_at];
            bool has_else = else_at != UINT32_MAX;
            f->e.jip = distance(em, if_at, has_else ? else_at + 1 : i);
            f->e.uip = distance(em, if_at, i);
            if (has_else)
                em->o[else_at].e.jip = em->o[else_at].e.uip = distance(em, else_at, i);
            /* A few lanes' end is not the others': they go on. */
            o->e.jip =
                ends[i] < em->n && !o->is_inner ? distance(em, i, ends[i]) : (int32_t)o->size;
            break;
        }
        case EU_OP_while:
            o->e.jip = distance(em, i, o->loop);
            break;
        case EU_OP_break:
            o->e.jip = distance(em, i, ends[i]);
            o->e.uip = distance(em, i, whiles[i]);
            break;
        case EU_OP_halt:
            if (o->is_exit) {
                o->e.jip = o->e.uip = o->size;
            } else {
                o->e.jip = distance(em, i, ends[i]);
                o->e.uip = distance(em, i, exit);
            }
            break;
        default:
            break;
        }
    }
    if (depth)
        bug("%s: if without endif", em->cg->fn->name);
    for (uint32_t i = 0; i < em->n; i++) {
        struct out *o = &em->o[i];
        if (!is_branch(&o->e))
            continue;
        if (em->cg->gen < 80 && (is_far(o->e.jip) || is_far(o->e.uip)))
            return false;
        encode(em, o);
    }
    return true;
}

/* A row where the place changes. */
static void write_lines(const struct emit *em, struct kbin_kernel *out)
{
    const struct ir_fn *fn = em->cg->fn;
    struct ir_where last = {0};
    out->n_lines = 0;
    out->lines = cc_alloc((em->n + 1) * sizeof *out->lines);
    for (uint32_t i = 0; i < em->n; i++) {
        const struct out *o = &em->o[i];
        if (!o->where.line || !o->where.file ||
            (o->where.line == last.line && o->where.file == last.file))
            continue;
        last = o->where;
        out->lines[out->n_lines++] = (struct kbin_line){o->at, last.file - 1, last.line};
    }
    out->n_files = fn->n_files ? fn->n_files - 1 : 0;
    out->files = cc_alloc((out->n_files + 1) * sizeof *out->files);
    for (uint32_t i = 0; i < out->n_files; i++)
        out->files[i].name = (char *)fn->files[i + 1];
}

bool emit_run(struct cg *cg, struct kbin_kernel *out)
{
    struct emit em = {.cg = cg};
    flatten(&em);
    set_hints(&em);
    size_all(&em);
    if (!link_branches(&em))
        return false;
    /* The prefetcher runs ahead of the end of thread. */
    enum { PAD = 8 * EU_INSN_SIZE };
    size_t size = em.o[em.n - 1].at + em.o[em.n - 1].size;
    uint8_t *code = cc_alloc(size + PAD);
    struct eu_insn nop = {.op = EU_OP_nop, .exec_size = 1};
    struct eu_bits bits;
    const char *why = NULL;
    if (!eu_encode(cg->gen, &nop, &bits, &why))
        bug("nop: %s", why);
    out->n_insns = em.n;
    out->n_sends = 0;
    for (uint32_t i = 0; i < em.n; i++) {
        const struct out *o = &em.o[i];
        if (o->size == EU_COMPACT_SIZE)
            memcpy(code + o->at, &o->compact, EU_COMPACT_SIZE);
        else
            memcpy(code + o->at, &o->bits, EU_INSN_SIZE);
        out->n_sends += eu_op_info(o->e.op)->is_send;
    }
    for (unsigned k = 0; k < PAD / EU_INSN_SIZE; k++)
        memcpy(code + size + k * EU_INSN_SIZE, &bits, EU_INSN_SIZE);
    out->code = code;
    out->code_size = size + PAD;
    if (cg->fn->keep_lines)
        write_lines(&em, out);
    return true;
}
