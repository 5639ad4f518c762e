/* NoDDClr and NoDDChk: instructions that write parts of one register needn't wait for each other.
 *
 * The EU marks whole registers as being written. Of uniform values, which share registers, each
 * would so wait for the one before. Runs of instructions that write different bytes of the same
 * registers, and of which none reads them, tell the EU not to: the first keeps the mark, those in
 * between ignore and keep it, the last ignores and removes it (Intel PRM volume 7, "Destination
 * Dependency Control"). The last must execute in any case, so all are without mask. */
#include "backend/codegen.h"

static bool is_wide(const struct eu_operand *o)
{
    return eu_type_size(o->type) == 8;
}

/* What the hints are not for: doubles, and products of dwords where those are made like doubles. */
static bool is_refused(const struct gen_device *dev, const struct eu_insn *e, unsigned n_src)
{
    bool is = is_wide(&e->dst);
    for (unsigned k = 0; k < n_src; k++)
        is |= is_wide(&e->src[k]);
    return is || (e->op == EU_OP_mul && eu_type_size(e->dst.type) == 4 &&
                  (dev->gen == 80 || dev->quirks & GEN_QUIRK_64BIT_REGIONS));
}

static bool may_depend(const struct gen_device *dev, const struct eu_insn *e)
{
    const struct eu_op_info *info = eu_op_info(e->op);
    if (info->branch || info->is_send || info->is_3src || !info->n_src || e->op == EU_OP_math ||
        e->op == EU_OP_wait || !e->no_mask || e->pred || e->cond || e->acc_wr || e->thread_ctrl ||
        e->align16 || e->dst.file != EU_GRF || e->dst.indirect)
        return false;
    for (unsigned k = 0; k < info->n_src; k++) {
        if (e->src[k].indirect)
            return false;
    }
    return !is_refused(dev, e, info->n_src);
}

/* Bytes that are written, from the destination's register on; `end` becomes the first behind. */
static uint64_t bytes_written(const struct eu_insn *e, unsigned *end)
{
    unsigned size = eu_type_size(e->dst.type), at = e->dst.sub;
    uint64_t bytes = 0;
    for (unsigned i = 0; i < e->exec_size; i++, at += size * e->dst.hs) {
        bytes |= ((1ull << size) - 1) << at;
        *end = at + size;
    }
    return bytes;
}

static bool reads(const struct eu_insn *e, unsigned first, unsigned n)
{
    for (unsigned k = 0; k < eu_op_info(e->op)->n_src; k++) {
        const struct eu_operand *o = &e->src[k];
        /* A source is of two registers at most. */
        if (o->file == EU_GRF && o->reg < first + n && o->reg + 2u > first &&
            (o->reg >= first || o->vs || o->hs))
            return true;
    }
    return false;
}

void depend_step(struct depend *d, const struct gen_device *dev, struct eu_insn *e)
{
    if (!may_depend(dev, e)) {
        d->last = NULL;
        return;
    }
    unsigned end = 0;
    uint64_t bytes = bytes_written(e, &end);
    unsigned n_regs = (end + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
    if (d->last && d->first == e->dst.reg && d->n_regs == n_regs && !(d->bytes & bytes) &&
        !reads(e, d->first, n_regs)) {
        d->last->no_dd_clr = e->no_dd_chk = true;
        d->bytes |= bytes;
    } else {
        *d = (struct depend){.first = e->dst.reg, .n_regs = n_regs, .bytes = bytes};
    }
    d->last = e;
}
