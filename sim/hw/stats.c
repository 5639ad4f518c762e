/* --stats: what is counted, and the model of time that docs/gensim.1 describes under "THE MODEL".
 * The model compares two pieces of code on one device; it foretells no times. */
#include "observe.h"

#include <string.h>

/* The model's figures, in EU clocks; latencies as Intel's own scheduler plans with. */
enum {
    PIPE_BYTES = 16, /* what a pipe takes in a clock */
    MIN_CLOCKS = 2,
    SEND_CLOCKS = 2,
    MATH_FACTOR = 4,
    MUL_FACTOR = 2, /* 32 by 32 bits */
    N_PIPES = 2,
    DATA_PORT_LATENCY = 400,
    SAMPLER_LATENCY = 300,
    BARRIER_LATENCY = 200,
    TEXELS_A_CLOCK = 4, /* of a subslice's sampler */
    SLM_BANKS = 16,     /* of a dword each */
    LINE_SHIFT = 6,     /* L3 lines of 64 bytes */
};

const char *const stats_class_name[STAT_N] = {
    [STAT_MOV] = "move",    [STAT_FLOAT] = "float", [STAT_DOUBLE] = "double",
    [STAT_INT] = "integer", [STAT_CMP] = "compare", [STAT_LOGIC] = "logic",
    [STAT_MATH] = "math",   [STAT_SEND] = "send",   [STAT_FLOW] = "flow",
    [STAT_OTHER] = "other",
};
const char *const stats_limit_name[N_LIMITS] = {"pipes", "ports", "chain"};

/* ---- instructions ---- */

static uint8_t stat_class(const struct eu_op *op)
{
    const struct eu_op_info *info = eu_op_info(op->insn.op);
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
    case EU_OP_movi:
    case EU_OP_smov:
    case EU_OP_sel:
    case EU_OP_csel:
        return STAT_MOV;
    case EU_OP_cmp:
    case EU_OP_cmpn:
        return STAT_CMP;
    case EU_OP_math:
        return STAT_MATH;
    case EU_OP_and:
    case EU_OP_or:
    case EU_OP_xor:
    case EU_OP_not:
    case EU_OP_shl:
    case EU_OP_shr:
    case EU_OP_asr:
        return STAT_LOGIC;
    case EU_OP_nop:
    case EU_OP_wait:
        return STAT_OTHER;
    default:
        break;
    }
    if (info->branch)
        return STAT_FLOW;
    if (info->is_send)
        return STAT_SEND;
    return op->cls == EU_CLASS_INT ? STAT_INT : op->cls == EU_CLASS_DF ? STAT_DOUBLE : STAT_FLOAT;
}

/* Bytes of a channel's operand; those of the vector immediates are packed words and floats. */
static unsigned operand_size(const struct eu_operand *o)
{
    return o->type == EU_V || o->type == EU_UV ? 2 : eu_type_size(o->type);
}

static bool is_wide_mul(const struct eu_insn *in)
{
    return (in->op == EU_OP_mul || in->op == EU_OP_mach) && in->src[0].type != EU_F &&
           eu_type_size(in->src[0].type) == 4 && eu_type_size(in->src[1].type) == 4;
}

void stats_classify(int gen, struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    const struct eu_op_info *info = eu_op_info(in->op);
    unsigned bytes = operand_size(&in->dst), clocks;
    op->stat = stat_class(op);
    op->clocks = info->is_send ? SEND_CLOCKS : MIN_CLOCKS;
    op->first_pipe = false;
    if (info->is_send || info->branch || op->stat == STAT_OTHER)
        return;
    for (unsigned k = 0; k < info->n_src; k++)
        bytes = operand_size(&in->src[k]) > bytes ? operand_size(&in->src[k]) : bytes;
    clocks = bytes * op->n / PIPE_BYTES;
    clocks = clocks < MIN_CLOCKS ? MIN_CLOCKS : clocks;
    if (in->op == EU_OP_math)
        clocks *= MATH_FACTOR;
    else if (is_wide_mul(in))
        clocks *= MUL_FACTOR;
    op->clocks = (uint8_t)clocks;
    op->first_pipe =
        in->op == EU_OP_math || op->cls == EU_CLASS_DF || (gen < 80 && op->cls == EU_CLASS_INT);
}

/* ---- the chain: one thread by itself ---- */

/* Until the registers [first, first + n) have arrived. */
static void await(struct chain *c, unsigned first, unsigned n)
{
    for (unsigned r = first; r < first + n && r < EU_N_GRF; r++)
        c->now = c->ready[r] > c->now ? c->ready[r] : c->now;
}

static void await_elements(struct chain *c, const uint16_t *off, unsigned n, unsigned size)
{
    for (unsigned i = 0; i < n; i++)
        await(c, off[i] / EU_GRF_SIZE, (off[i] % EU_GRF_SIZE + size - 1) / EU_GRF_SIZE + 1);
}

/* A send's latency shows at the first instruction that reads or writes what it brings. */
static void await_operands(struct chain *c, struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    const struct eu_op_info *info = eu_op_info(in->op);
    uint16_t off[32];
    if (op->why || t->d->fault->set)
        return;
    if (info->is_send) {
        await(c, in->src[0].reg, op->msg_known ? op->msg.mlen : 1);
        if (op->msg_known && op->msg.ex_mlen)
            await(c, in->src[1].reg, op->msg.ex_mlen);
        if (op->msg_known && in->dst.file == EU_GRF)
            await(c, in->dst.reg, op->msg.rlen);
        return;
    }
    if (info->branch)
        return;
    for (unsigned k = 0; k < info->n_src; k++) {
        const struct eu_src *s = &op->src[k];
        if (s->kind >= SRC_GRF && s->kind <= SRC_VXH && eu_src_offsets(t, op, s, off))
            await_elements(c, off, op->n, s->size);
    }
    if (!op->dst.null && op->dst.file == EU_GRF && eu_dst_offsets(t, op, off))
        await_elements(c, off, op->n, op->dst.size);
}

static unsigned latency(const struct msg *m)
{
    return m->kind == MSG_sampler ? SAMPLER_LATENCY : DATA_PORT_LATENCY;
}

void stats_before(struct observer *o, struct eu_thread *t, const struct eu_op *op, uint32_t lanes)
{
    struct stats *s = &o->stats;
    struct chain *c = &o->chain[t - t->group->threads];
    s->insn[op->stat].insns++;
    s->insn[op->stat].lanes += (unsigned)__builtin_popcount(lanes);
    s->insn[op->stat].clocks += op->clocks;
    s->first_clocks += op->first_pipe ? op->clocks : 0;
    s->zero_mask += !lanes;
    s->fast += op->fast != NULL;
    if (c->latest > c->now)
        await_operands(c, t, op);
    if (op->insn.op == EU_OP_wait)
        c->now = c->barrier > c->now ? c->barrier : c->now;
    c->now += op->clocks;
    if (op->insn.eot)
        s->chain = c->now > s->chain ? c->now : s->chain;
}

/* ---- messages ---- */

/* How many different values there are among the first n of v, which are few. */
static bool is_new(const uint64_t *v, unsigned n, uint64_t value)
{
    for (unsigned i = n; i > 0; i--) {
        if (v[i - 1] == value)
            return false;
    }
    return true;
}

static unsigned count_lines(const struct reach *r)
{
    uint64_t line[2 * REACH_MAX];
    unsigned n = 0;
    for (unsigned i = 0; i < r->n; i++) {
        uint64_t first = r->piece[i].at >> LINE_SHIFT,
                 last = (r->piece[i].at + r->piece[i].size - 1) >> LINE_SHIFT;
        for (uint64_t l = first; l <= last; l++) {
            if (is_new(line, n, l))
                line[n++] = l;
        }
    }
    return n;
}

/* Clocks of the banks: the most different dwords that one of them has to serve. */
static void count_slm(struct stats *s, const struct reach *r)
{
    uint64_t dword[2 * REACH_MAX];
    unsigned n = 0, of_bank[SLM_BANKS] = {0}, most = 1;
    for (unsigned i = 0; i < r->n; i++) {
        uint64_t first = r->piece[i].at / 4, last = (r->piece[i].at + r->piece[i].size - 1) / 4;
        for (uint64_t d = first; d <= last; d++) {
            if (!is_new(dword, n, d))
                continue;
            dword[n++] = d;
            unsigned k = ++of_bank[d % SLM_BANKS];
            most = k > most ? k : most;
        }
    }
    unsigned least = n ? (n + SLM_BANKS - 1) / SLM_BANKS : 1;
    s->slm_sends++;
    s->slm_clocks += most;
    s->slm_conflicts += most - least;
}

static bool is_image(unsigned kind)
{
    return kind == MSG_typed_read || kind == MSG_typed_write || kind == MSG_typed_atomic;
}

void stats_message(struct observer *o, struct eu_thread *t, const struct msg *m, uint32_t lanes,
                   const struct reach *r)
{
    struct stats *s = &o->stats;
    struct stats_msg *k = &s->msg[m->kind];
    struct chain *c = &o->chain[t - t->group->threads];
    const struct eu_insn *in = &t->op->insn;
    unsigned n_lanes = (unsigned)__builtin_popcount(lanes & (m->simd == 8 ? 0xff : 0xffff));
    k->sends++;
    k->lanes += (unsigned)__builtin_popcount(lanes);
    k->register_bytes += (uint64_t)(m->mlen + m->ex_mlen + m->rlen) * EU_GRF_SIZE;
    if (m->kind == MSG_sampler)
        s->texels += n_lanes;
    if (m->kind == MSG_typed_atomic)
        s->atomics++;
    if (is_image(m->kind)) /* at most; tiles put neighbours into one line */
        k->lines += n_lanes;
    if (m->kind == MSG_gateway && m->gateway_fn == MSG_GATEWAY_BARRIER) {
        s->barriers++;
        c->barrier = c->now + BARRIER_LATENCY;
    }
    if (r) {
        for (unsigned i = 0; i < r->n; i++)
            k->memory_bytes += r->piece[i].size;
        s->atomics += r->atomic;
        s->scratch += r->scratch;
        if (r->slm)
            count_slm(s, r);
        else
            k->lines += count_lines(r);
    }
    if (m->rlen && in->dst.file == EU_GRF) {
        uint64_t at = c->now + latency(m);
        c->latest = at > c->latest ? at : c->latest;
        for (unsigned i = in->dst.reg; i < in->dst.reg + m->rlen && i < EU_N_GRF; i++)
            c->ready[i] = at;
    }
}

/* ---- sums ---- */

void stats_add(struct stats *to, const struct stats *from)
{
    for (unsigned i = 0; i < STAT_N; i++) {
        to->insn[i].insns += from->insn[i].insns;
        to->insn[i].lanes += from->insn[i].lanes;
        to->insn[i].clocks += from->insn[i].clocks;
    }
    for (unsigned i = 0; i < MSG_N_KINDS; i++) {
        to->msg[i].sends += from->msg[i].sends;
        to->msg[i].lanes += from->msg[i].lanes;
        to->msg[i].register_bytes += from->msg[i].register_bytes;
        to->msg[i].memory_bytes += from->msg[i].memory_bytes;
        to->msg[i].lines += from->msg[i].lines;
    }
    to->threads += from->threads;
    to->work_items += from->work_items;
    to->zero_mask += from->zero_mask;
    to->first_clocks += from->first_clocks;
    to->fast += from->fast;
    to->atomics += from->atomics;
    to->barriers += from->barriers;
    to->scratch += from->scratch;
    to->texels += from->texels;
    to->slm_sends += from->slm_sends;
    to->slm_clocks += from->slm_clocks;
    to->slm_conflicts += from->slm_conflicts;
    to->chain = from->chain > to->chain ? from->chain : to->chain;
}

void stats_total(const struct stats *s, struct stats_count *all)
{
    *all = (struct stats_count){0};
    for (unsigned i = 0; i < STAT_N; i++) {
        all->insns += s->insn[i].insns;
        all->lanes += s->insn[i].lanes;
        all->clocks += s->insn[i].clocks;
    }
}

uint64_t stats_lines(const struct stats *s)
{
    uint64_t lines = 0;
    for (unsigned i = 0; i < MSG_N_KINDS; i++)
        lines += s->msg[i].lines;
    return lines;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

struct estimate stats_estimate(const struct gen_device *dev, const struct stats *s)
{
    struct estimate e;
    struct stats_count all;
    uint64_t rounds = (s->threads + dev->hw_threads - 1) / dev->hw_threads;
    stats_total(s, &all);
    e.clocks[LIMIT_PIPES] =
        larger((double)all.clocks / N_PIPES, (double)s->first_clocks) / dev->eu_total;
    e.clocks[LIMIT_PORTS] = larger(
        larger((double)stats_lines(s) / dev->l3_banks, (double)s->slm_clocks / dev->subslices),
        (double)s->texels / (TEXELS_A_CLOCK * (double)dev->subslices));
    e.clocks[LIMIT_CHAIN] = (double)(s->chain * rounds);
    e.limit = LIMIT_PIPES;
    for (unsigned i = 0; i < N_LIMITS; i++) {
        if (e.clocks[i] > e.clocks[e.limit])
            e.limit = (enum stats_limit)i;
    }
    return e;
}
