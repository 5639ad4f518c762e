/* Spilling: a vreg that got no register lives in the thread's scratch space. Each instruction that
 * reads it gets a fill before, each that writes it a store after, by way of short-lived vregs.
 *
 * Lanes. Stores go in DWord mode under the mask of the instruction that made the value, so what
 * waiting lanes have in the slot stays. Where an instruction writes only a part of what a lane has,
 * or under a predicate, the slot is filled first, and stored whole. */
#include "backend/codegen.h"

#include <stdlib.h>

struct spill {
    struct cg *cg;
    struct mi **old;
    uint32_t n_old;
    const bool *spill;
    uint32_t n_vregs; /* that spill knows: stand-ins have higher numbers */
};

/* ---- slots ---- */

struct want {
    uint32_t v, start, end, regs;
};

static int by_start(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->v < y->v ? -1 : 1;
}

/* Slots for this round's vregs, shared where their lives don't meet. False: too much. */
static bool give_slots(struct cg *cg, const bool *spill)
{
    /* Gen7 has 12 KiB a thread; elsewhere the message's offset ends at 4095 registers. */
    uint32_t max_regs = cg->gen == 70 ? 384 : 4096, base = cg->scratch_size / EU_GRF_SIZE;
    struct want *w = cc_alloc(cg->n_vregs * sizeof *w);
    int64_t *until = cc_alloc(max_regs * sizeof *until);
    uint32_t n = 0, top = base;
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        const struct vreg *r = &cg->vregs[v];
        if (spill[v])
            w[n++] = (struct want){v, r->start, r->end, slice_count(r)};
    }
    qsort(w, n, sizeof *w, by_start);
    for (uint32_t k = 0; k < max_regs; k++)
        until[k] = -1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = base, run = 0;
        while (at + run < max_regs && run < w[i].regs) {
            if (until[at + run] < (int64_t)w[i].start) {
                run++;
            } else {
                at += run + 1;
                run = 0;
            }
        }
        if (run < w[i].regs)
            return false;
        for (uint32_t k = 0; k < run; k++)
            until[at + k] = w[i].end;
        cg->vregs[w[i].v].is_spilled = true;
        cg->vregs[w[i].v].slot = at * EU_GRF_SIZE;
        if (at + run > top)
            top = at + run;
    }
    cg->scratch_size = top * EU_GRF_SIZE;
    return true;
}

/* ---- messages ---- */

static struct mi scratch_send(struct cg *cg, bool write, uint32_t slot, unsigned regs)
{
    bool split = write && cg->gen >= 90;
    struct msg msg = {.kind = write ? MSG_scratch_write : MSG_scratch_read,
                      .header = true,
                      .mlen = write && !split ? 1 + regs : 1,
                      .ex_mlen = split ? regs : 0,
                      .rlen = write ? 0 : regs,
                      .n_regs = regs,
                      .scratch_offset = slot / EU_GRF_SIZE,
                      .dword_mode = write};
    const char *why = NULL;
    uint32_t desc;
    uint8_t sfid;
    if (!msg_pack(cg->gen, &msg, &desc, &sfid, &why))
        bug("scratch message: %s", why);
    struct mi m = {.kind = MI_SEND,
                   .n_src = 1,
                   .mlen = msg.mlen,
                   .rlen = msg.rlen,
                   .is_spill = true,
                   .scratch = slot,
                   .mem = write ? MI_MEM_WRITE : MI_MEM_READ};
    m.e = (struct eu_insn){.op = split ? EU_OP_sends : EU_OP_send,
                           .exec_size = regs == 1 ? 8 : 16,
                           .fn = sfid,
                           .desc = desc};
    if (split) {
        m.n_src = 2;
        m.e.exdesc = regs << 6;
    }
    return m;
}

/* A short-lived vreg for registers [reg, reg + n) of v, at byte `at`. */
static uint32_t stand_in(struct cg *cg, uint32_t v, uint32_t reg, unsigned n, unsigned at)
{
    uint32_t t = vreg_new(cg, at + n * EU_GRF_SIZE, n == 2 ? 2 : 1);
    struct vreg *r = &cg->vregs[t];
    r->phase = n == 2 && at ? 1 : 0; /* whole pairs at even registers: see live.c */
    r->no_spill = true;
    r->alias = v;
    r->alias_at = at;
    uint32_t left = cg->vregs[v].size - reg * EU_GRF_SIZE;
    r->alias_size = left < n * EU_GRF_SIZE ? left : n * EU_GRF_SIZE;
    r->alias_off = reg * EU_GRF_SIZE;
    return t;
}

/* Fills n registers of t from byte `at`, of v's register reg on. */
static void fill(struct cg *cg, uint32_t t, unsigned at, uint32_t v, uint32_t reg, unsigned n)
{
    for (unsigned k = 0, step; k < n; k += step) {
        step = n - k >= 4 ? 4 : n - k >= 2 ? 2 : 1;
        struct mi m = scratch_send(cg, false, cg->vregs[v].slot + (reg + k) * EU_GRF_SIZE, step);
        m.e.no_mask = true;
        mi_set_opnd(&m, 0, op_lanes(t, at + k * EU_GRF_SIZE, step == 1 ? EU_UD : EU_UW));
        mi_set_opnd(&m, 1, op_lanes(cg->r0, 0, EU_UD));
        mi_push(cg, &m);
        cg->n_fills++;
    }
}

/* Where the data stands in a store's payload: behind a header, which a split send has apart. */
static unsigned data_at(const struct cg *cg)
{
    return cg->gen >= 90 ? 0 : EU_GRF_SIZE;
}

/* Stores the one or two registers at data_at() of payload p. */
static void store(struct cg *cg, uint32_t p, uint32_t v, uint32_t reg, unsigned n,
                  const struct mi *mask)
{
    struct opnd r0 = op_lanes(cg->r0, 0, EU_UD);
    struct mi m = scratch_send(cg, true, cg->vregs[v].slot + reg * EU_GRF_SIZE, n);
    m.e.no_mask = !mask || mask->e.no_mask;
    m.e.group = mask && !mask->e.no_mask ? mask->e.group : 0;
    mi_set_opnd(&m, 0, op_null(n == 1 ? EU_UD : EU_UW));
    if (m.n_src == 2) {
        mi_set_opnd(&m, 1, r0);
        mi_set_opnd(&m, 2, op_lanes(p, 0, EU_UD));
    } else {
        struct mi header = mi_alu(EU_OP_mov, 8, 1, op_lanes(p, 0, EU_UD), &r0);
        header.e.no_mask = true;
        mi_push(cg, &header);
        mi_set_opnd(&m, 1, op_lanes(p, 0, EU_UD));
    }
    mi_push(cg, &m);
    cg->n_spills++;
}

/* A result of many registers: stored in pieces that have the lanes of the message in one go. What
 * lanes that wait have in the slot stays the value's, so the copies leave them out, too. */
static void store_group(struct cg *cg, uint32_t t, uint32_t v, uint32_t reg, unsigned n,
                        const struct mi *mask)
{
    unsigned step = mask && mask->e.exec_size == 16 ? 2 : 1;
    for (unsigned k = 0; k < n; k += step) {
        unsigned regs = n - k < step ? n - k : step;
        uint32_t p = stand_in(cg, v, reg + k, regs, data_at(cg));
        for (unsigned r = 0; r < regs; r++) {
            struct opnd src = op_lanes(t, (k + r) * EU_GRF_SIZE, EU_UD);
            struct mi copy =
                mi_alu(EU_OP_mov, 8, 1, op_lanes(p, data_at(cg) + r * EU_GRF_SIZE, EU_UD), &src);
            copy.e.no_mask = !mask || mask->e.no_mask;
            copy.e.group = copy.e.no_mask ? 0 : mask->e.group + 8 * r;
            mi_push(cg, &copy);
        }
        store(cg, p, v, reg + k, regs, mask);
    }
}

/* ---- rewriting ---- */

static void registers_of(const struct mi *m, unsigned k, uint32_t *reg, unsigned *n)
{
    uint32_t lo, hi;
    mi_span(m, k, &lo, &hi);
    *reg = lo / EU_GRF_SIZE;
    *n = (hi - 1) / EU_GRF_SIZE - *reg + 1;
}

static void rewrite(struct spill *s, const struct mi *original)
{
    struct cg *cg = s->cg;
    struct mi m = *original;
    cg->where = m.where;
    uint32_t reg;
    unsigned n;
    for (unsigned k = 1; k <= m.n_src; k++) {
        uint32_t v = m.v[k];
        if (!v || v >= s->n_vregs || !s->spill[v])
            continue;
        registers_of(&m, k, &reg, &n);
        uint32_t t = stand_in(cg, v, reg, n, 0);
        fill(cg, t, 0, v, reg, n);
        for (unsigned j = k; j <= m.n_src; j++) { /* once for all that read the same */
            uint32_t reg_j;
            unsigned n_j;
            if (m.v[j] != v)
                continue;
            registers_of(&m, j, &reg_j, &n_j);
            if (reg_j != reg || n_j != n)
                continue;
            m.v[j] = t;
            m.off[j] -= reg * EU_GRF_SIZE;
        }
    }
    uint32_t v = m.v[0];
    if (!v || !s->spill[v]) {
        mi_push(cg, &m);
        return;
    }
    registers_of(&m, 0, &reg, &n);
    bool full = mi_full_def(cg, &m) && !m.is_undefined; /* which may stand behind a value */
    /* A payload of its own, with the lanes of one message. */
    bool small = n == 1 || (n == 2 && (!full || m.e.no_mask || m.e.exec_size == 16));
    unsigned at = small ? data_at(cg) : 0;
    uint32_t t = stand_in(cg, v, reg, n, at);
    if (!full)
        fill(cg, t, at, v, reg, n);
    m.v[0] = t;
    m.off[0] += at - reg * EU_GRF_SIZE;
    const struct mi *made = mi_push(cg, &m);
    if (small)
        store(cg, t, v, reg, n, full ? made : NULL);
    else
        store_group(cg, t, v, reg, n, full ? made : NULL);
}

/* What the thread starts with goes to its slot at once. */
static void store_fixed(struct spill *s)
{
    struct cg *cg = s->cg;
    uint32_t n = cg->n_vregs;
    for (uint32_t v = 1; v < n; v++) {
        if (!cg->vregs[v].is_fixed || !s->spill[v])
            continue;
        cg->vregs[v].no_spill = true;
        uint32_t p = stand_in(cg, v, 0, 1, data_at(cg));
        struct opnd src = op_lanes(v, 0, EU_UD);
        struct mi copy = mi_alu(EU_OP_mov, 8, 1, op_lanes(p, data_at(cg), EU_UD), &src);
        copy.e.no_mask = true;
        mi_push(cg, &copy);
        store(cg, p, v, 0, 1, NULL);
    }
}

bool spill_run(struct cg *cg, const bool *spill)
{
    struct spill s = {
        .cg = cg, .old = cg->code, .n_old = cg->n_code, .spill = spill, .n_vregs = cg->n_vregs};
    if (!give_slots(cg, spill))
        return false;
    cg->code = NULL;
    cg->n_code = cg->cap_code = 0;
    store_fixed(&s);
    for (uint32_t i = 0; i < s.n_old; i++)
        rewrite(&s, s.old[i]);
    return true;
}
