/* NoDDClr and NoDDChk: instructions that write a register in parts, without waiting for each other.
 *
 * The first has NoDDClr, so its registers stay marked as being written; those that follow have
 * NoDDChk, so they don't wait for the mark; the last, without NoDDClr, takes it away. Whatever else
 * touches the registers in between waits for ever. Parts may overlap, as arithmetic is written in
 * order: Mesa's compiler clears a message header and then sets single dwords of it. So a chain is
 * judged as a whole when its code is decoded; at run time is left whether a thread came to a part
 * of it through its beginning, and whether the last part writes at all. Chains of a0 aren't judged.
 * Source: Intel PRM volume 7, "Destination Dependency Control" (Ivy Bridge: volume 4 part 3). */
#include "eu_exec.h"

struct span {
    unsigned first, last; /* registers */
};

static struct span dst_span(const struct eu_op *op)
{
    unsigned end = op->dst.off + (op->n - 1u) * op->dst.step + op->dst.size - 1;
    return (struct span){op->dst.off / EU_GRF_SIZE, end / EU_GRF_SIZE};
}

static bool meet(struct span a, struct span b)
{
    return a.first <= b.last && b.first <= a.last;
}

static bool writes_registers(const struct eu_op *op)
{
    return op->dst.file == EU_GRF && !op->dst.null;
}

static bool reads(const struct eu_op *op, struct span regs)
{
    for (unsigned k = 0; k < eu_op_info(op->insn.op)->n_src; k++) {
        const struct eu_src *s = &op->src[k];
        uint16_t off[32];
        if (s->kind != SRC_GRF && s->kind != SRC_SWIZZLE)
            continue;
        if (!eu_src_offsets(NULL, op, s, off)) /* of direct operands, the same in all threads */
            continue;
        for (unsigned i = 0; i < op->n; i++) {
            struct span e = {off[i] / EU_GRF_SIZE, (off[i] + s->size - 1u) / EU_GRF_SIZE};
            if (meet(e, regs))
                return true;
        }
    }
    return false;
}

static bool is_indirect(const struct eu_op *op)
{
    bool is = op->dst.indirect;
    for (unsigned k = 0; k < eu_op_info(op->insn.op)->n_src; k++)
        is |= op->src[k].kind == SRC_1X1 || op->src[k].kind == SRC_VXH;
    return is;
}

const char *eu_check_chain(const struct sim_dispatch *d, const struct eu_op *op)
{
    if (!op->insn.no_dd_clr || !writes_registers(op))
        return NULL;
    int gen = eu_cache_gen(d->icache);
    uint32_t quirks = eu_cache_quirks(d->icache);
    struct span regs = dst_span(op);
    gpu_addr at = op->addr + op->size;
    for (bool open = true; open;) {
        uint8_t bytes[EU_INSN_SIZE];
        const char *why = NULL;
        struct eu_op next = {.addr = at};
        unsigned size = eu_read_code(d, at, bytes);
        if (!size || !(next.size = (uint8_t)eu_decode(gen, bytes, size, &next.insn, &why)) ||
            eu_check(gen, quirks, &next.insn) || eu_resolve(gen, quirks, &next))
            return "NoDDClr without a NoDDChk that follows";
        const struct eu_op_info *info = eu_op_info(next.insn.op);
        if (info->branch || info->is_send || next.insn.op == EU_OP_wait ||
            next.insn.op == EU_OP_illegal)
            return "branch, wait or send between NoDDClr and NoDDChk";
        at += next.size;
        if (next.insn.op == EU_OP_nop)
            continue;
        if (is_indirect(&next))
            return "indirect operand between NoDDClr and NoDDChk";
        if (reads(&next, regs))
            return "register read between NoDDClr and NoDDChk of those that write it";
        if (!writes_registers(&next) || !meet(dst_span(&next), regs))
            continue;
        if (!next.insn.no_dd_chk)
            return "register of NoDDClr written without NoDDChk";
        if (dst_span(&next).first != regs.first || dst_span(&next).last != regs.last)
            return "NoDDClr and NoDDChk on different registers";
        open = next.insn.no_dd_clr;
    }
    return NULL;
}

const struct eu_op *eu_run_chained(struct eu_thread *t, const struct eu_op *op)
{
    struct span regs = dst_span(op);
    for (unsigned r = regs.first; r <= regs.last; r++) {
        uint64_t *held = &t->held[r / 64], bit = 1ull << r % 64;
        bool is_held = *held & bit;
        if (is_held != op->insn.no_dd_chk) {
            t->op = op;
            eu_fault(t,
                     is_held ? "NoDDClr on r%u, which another chain holds"
                             : "NoDDChk on r%u without NoDDClr before it",
                     r);
            return eu_stop_fault(t);
        }
        *held = op->insn.no_dd_clr ? *held | bit : *held & ~bit;
    }
    if (!op->insn.no_dd_clr && !eu_exec_mask(t, op)) {
        t->op = op;
        eu_fault(t, "the last of a chain of NoDDChk executes in no channel");
        return eu_stop_fault(t);
    }
    return op->unchained(t, op);
}
