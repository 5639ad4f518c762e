/* The observers: counting for --stats, listing for --trace. See observe.h. */
#include "observe.h"

#include <stdlib.h>
#include <string.h>

static bool traced(const struct eu_thread *t)
{
    const struct sim_group *g = t->group;
    const struct sim_dispatch *d = t->d;
    return !t->number && g->id[0] == d->group_start[0] && g->id[1] == d->group_start[1] &&
           g->id[2] == d->group_start[2];
}

/* A pipe takes four dword lanes a clock, whether they are enabled or not; a double counts as four,
 * a math function as four operations. Sends cost their registers; memory is not part of it. */
static unsigned cycles(const struct eu_op *op)
{
    const struct eu_op_info *info = eu_op_info(op->insn.op);
    if (info->is_send)
        return 2 + op->msg.mlen + op->msg.ex_mlen;
    if (info->branch || op->stat == STAT_OTHER)
        return 2;
    unsigned lanes = op->n * (op->cls == EU_CLASS_DF ? 4u : op->exec_type == EU_Q ? 2u : 1u);
    unsigned n = lanes < 8 ? 2 : lanes / 4;
    return op->insn.op == EU_OP_math ? 4 * n : n;
}

static void count(struct stats *s, const struct eu_thread *t, const struct eu_op *op)
{
    unsigned lanes = (unsigned)__builtin_popcount(op->insn.op == EU_OP_sel ? eu_exec_mask(t, op)
                                                                           : eu_write_mask(t, op));
    s->insn[op->stat].insns++;
    s->insn[op->stat].lanes += lanes;
    s->insn[op->stat].cycles += cycles(op);
    s->fast += op->fast != NULL;
    if (op->msg_known) {
        s->msg[op->msg.kind].insns++;
        s->msg[op->msg.kind].lanes += lanes;
        s->msg_bytes[op->msg.kind] +=
            (op->msg.mlen + op->msg.ex_mlen + op->msg.rlen) * (uint64_t)EU_GRF_SIZE;
    }
}

void observe_before(struct eu_thread *t, const struct eu_op *op)
{
    struct observer *o = t->observer;
    if (o->stats)
        count(o->stats, t, op);
    if (o->unset && !op->why) {
        o->lanes = op->insn.op == EU_OP_sel ? eu_exec_mask(t, op) : eu_write_mask(t, op);
        unset_before(o->unset, t, op);
    }
    if (o->trace && traced(t)) {
        if (!o->before && !(o->before = malloc(sizeof *o->before)))
            return;
        memcpy(o->before->grf, t->grf, sizeof t->grf);
        memcpy(o->before->f, t->f, sizeof t->f);
    }
}

/* Registers that changed, as dwords, one line each. */
static void print_changes(const struct eu_thread *before, const struct eu_thread *t)
{
    for (unsigned r = 0; r < EU_N_GRF; r++) {
        const uint8_t *now = t->grf + r * EU_GRF_SIZE;
        if (!memcmp(before->grf + r * EU_GRF_SIZE, now, EU_GRF_SIZE))
            continue;
        fprintf(stderr, "        r%-3u", r);
        for (unsigned i = 0; i < EU_GRF_SIZE / 4; i++) {
            uint32_t v;
            memcpy(&v, now + 4 * i, 4);
            fprintf(stderr, " %08x", v);
        }
        fputc('\n', stderr);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (before->f[i] != t->f[i])
            fprintf(stderr, "        f%u   %08x\n", i, t->f[i]);
    }
}

void observe_after(struct eu_thread *t, const struct eu_op *op)
{
    struct observer *o = t->observer;
    char text[256];
    if (o->unset && !op->why)
        unset_after(o->unset, t, op, o->lanes);
    if (!o->trace || !traced(t) || !o->before)
        return;
    eu_print(eu_gen(t), &op->insn, text, sizeof text);
    fprintf(stderr, "+0x%04x %08x %s\n", (unsigned)(op->addr - t->d->kernel), t->active, text);
    print_changes(o->before, t);
}

void stats_add(struct stats *to, const struct stats *from)
{
    for (unsigned i = 0; i < STAT_N; i++) {
        to->insn[i].insns += from->insn[i].insns;
        to->insn[i].lanes += from->insn[i].lanes;
        to->insn[i].cycles += from->insn[i].cycles;
    }
    for (unsigned i = 0; i < MSG_N_KINDS; i++) {
        to->msg[i].insns += from->msg[i].insns;
        to->msg[i].lanes += from->msg[i].lanes;
        to->msg_bytes[i] += from->msg_bytes[i];
    }
    to->fast += from->fast;
    to->threads += from->threads;
}

static void print_row(FILE *to, const char *name, const struct stats_count *c)
{
    fprintf(to, "  %-24s %14llu %8.2f", name, (unsigned long long)c->insns,
            (double)c->lanes / (double)c->insns);
}

void stats_print(const struct stats *s, const char *title, FILE *to)
{
    static const char *const name[STAT_N] = {
        [STAT_MOV] = "move, select",   [STAT_FLOAT] = "float", [STAT_INT] = "integer",
        [STAT_LOGIC] = "logic, shift", [STAT_CMP] = "compare", [STAT_MATH] = "math",
        [STAT_FLOW] = "flow control",  [STAT_SEND] = "send",   [STAT_OTHER] = "wait, nop",
    };
    struct stats_count all = {0};
    for (unsigned i = 0; i < STAT_N; i++) {
        all.insns += s->insn[i].insns;
        all.lanes += s->insn[i].lanes;
        all.cycles += s->insn[i].cycles;
    }
    fprintf(to, "%s, %llu threads\n", title, (unsigned long long)s->threads);
    if (!all.insns)
        return;
    fprintf(to, "  %-24s %14s %8s %14s\n", "instructions", "count", "lanes", "EU cycles");
    for (unsigned i = 0; i < STAT_N; i++) {
        if (s->insn[i].insns) {
            print_row(to, name[i], &s->insn[i]);
            fprintf(to, " %14llu\n", (unsigned long long)s->insn[i].cycles);
        }
    }
    print_row(to, "all", &all);
    fprintf(to, " %14llu   %.1f %% in fast forms\n", (unsigned long long)all.cycles,
            100.0 * (double)s->fast / (double)all.insns);
    for (unsigned i = 0; i < MSG_N_KINDS; i++) {
        if (!s->msg[i].insns)
            continue;
        print_row(to, msg_name((enum msg_kind)i), &s->msg[i]);
        fprintf(to, " %14llu bytes\n", (unsigned long long)s->msg_bytes[i]);
    }
}
