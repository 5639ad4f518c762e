/* --trace: the instructions of one thread, each with its source values before and what it changed.
 * An instruction's text is collected and written at once; each host thread has its own. */
#include "observe.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 16384 };

struct trace {
    const struct sim_dispatch *dispatch; /* the one whose thread is traced */
    uint64_t n_insns;                    /* of it */
    size_t used;
    uint32_t f[2], active, acc_changed;
    uint16_t a0[16];
    uint16_t off[32]; /* of the destination's elements */
    bool have_off;
    char text[TEXT];
};

struct trace *trace_new(void)
{
    return calloc(1, sizeof(struct trace));
}

void trace_free(struct trace *t)
{
    free(t);
}

void trace_begin(struct trace *t)
{
    t->dispatch = NULL;
    t->n_insns = 0;
}

/* ---- which thread ---- */

static bool is_kernel(const struct sim_kernel *k, gpu_addr at, const char *wanted)
{
    char hash[24], addr[24];
    if (!wanted[0] || !strcmp(wanted, "*") || (k->symbol && !strcmp(wanted, k->symbol->name)))
        return true;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)k->hash);
    snprintf(addr, sizeof addr, "0x%llx", (unsigned long long)at);
    return !strcmp(wanted, hash) || !strcmp(wanted, addr);
}

bool trace_wanted(const struct watch *w, const struct eu_thread *t)
{
    const struct sim_trace *s = &w->opt.trace_what;
    const struct sim_dispatch *d = t->d;
    const uint32_t *id = t->group->id, *first = d->group_start;
    uint32_t dim[2] = {d->group_end[0] - first[0], d->group_end[1] - first[1]};
    if (t->number != s->thread)
        return false;
    if (s->by_id && (id[0] != s->group[0] || id[1] != s->group[1] || id[2] != s->group[2]))
        return false;
    uint64_t number =
        ((uint64_t)(id[2] - first[2]) * dim[1] + (id[1] - first[1])) * dim[0] + (id[0] - first[0]);
    return (s->by_id || number == s->group[0]) && is_kernel(d->observed, d->kernel, s->kernel);
}

/* ---- text ---- */

__attribute__((format(printf, 2, 3))) static void put(struct trace *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->text + t->used, TEXT - t->used, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->used = t->used + (size_t)n < TEXT ? t->used + (size_t)n : TEXT - 1;
}

static void flush(struct trace *t)
{
    ssize_t unused = write(STDERR_FILENO, t->text, t->used);
    (void)unused;
    t->used = 0;
}

static void put_value(struct trace *t, enum eu_type type, uint64_t bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case EU_F:
    case EU_VF:
        memcpy(&f, &low, sizeof f);
        put(t, " %.9g", (double)f);
        break;
    case EU_HF:
        put(t, " %.6g", (double)eu_half_to_float((uint16_t)bits));
        break;
    case EU_DF:
        memcpy(&d, &bits, sizeof d);
        put(t, " %.17g", d);
        break;
    case EU_D:
        put(t, " %d", (int32_t)low);
        break;
    case EU_W:
    case EU_V:
        put(t, " %d", (int16_t)bits);
        break;
    case EU_B:
        put(t, " %d", (int8_t)bits);
        break;
    case EU_Q:
        put(t, " %lld", (long long)bits);
        break;
    case EU_UD:
    case EU_UW:
    case EU_UB:
    case EU_UQ:
    case EU_UV:
    case EU_N_TYPES:
        put(t, " 0x%llx", (unsigned long long)bits);
        break;
    }
}

/* The lanes' values; those that are off as dots. */
static void put_values(struct trace *t, enum eu_type type, const uint64_t *v, unsigned n,
                       uint32_t lanes)
{
    bool equal = n > 1 && lanes == (n == 32 ? ~0u : (1u << n) - 1);
    for (unsigned i = 1; i < n; i++)
        equal &= v[i] == v[0];
    for (unsigned i = 0; i < (equal ? 1 : n); i++) {
        if (lanes >> i & 1)
            put_value(t, type, v[i]);
        else
            put(t, " .");
    }
    put(t, equal ? " (all)\n" : "\n");
}

static void put_registers(struct trace *t, const struct eu_thread *th, const char *what,
                          unsigned reg, unsigned n)
{
    for (unsigned r = reg; r < reg + n && r < EU_N_GRF; r++) {
        put(t, "        %s r%-3u", what, r);
        for (unsigned i = 0; i < EU_GRF_SIZE / 4; i++) {
            uint32_t v;
            memcpy(&v, th->grf + r * EU_GRF_SIZE + 4 * i, 4);
            put(t, " %08x", v);
        }
        put(t, "\n");
    }
}

/* ---- one instruction ---- */

static void put_head(struct trace *t, const struct eu_thread *th, const struct eu_op *op,
                     uint32_t lanes)
{
    char text[256], line[512];
    const struct sim_dispatch *d = th->d;
    if (t->dispatch != d)
        put(t, "gensim: trace: %s, group (%u, %u, %u) thread %u, simd%u, work-items 0x%x\n",
            d->observed->name, th->group->id[0], th->group->id[1], th->group->id[2], th->number,
            d->simd, th->dispatch_mask);
    t->dispatch = d;
    eu_print(eu_gen(th), &op->insn, text, sizeof text);
    put(t, "+0x%04x [%0*x] %s%s\n", (unsigned)(op->addr - d->kernel), op->n > 16 ? 8 : 4, lanes,
        text, check_line(d, op->addr, line, sizeof line));
}

static void put_sources(struct trace *t, struct eu_thread *th, const struct eu_op *op,
                        uint32_t lanes)
{
    const struct eu_insn *in = &op->insn;
    const struct eu_op_info *info = eu_op_info(in->op);
    uint64_t v[32];
    if (info->is_send) {
        put_registers(t, th, "  ", in->src[0].reg, op->msg_known ? op->msg.mlen : 1);
        if (op->msg_known)
            put_registers(t, th, "  ", in->src[1].reg, op->msg.ex_mlen);
        return;
    }
    for (unsigned k = 0; k < info->n_src && !info->branch; k++) {
        const struct eu_src *s = &op->src[k];
        if (s->kind == SRC_NONE || s->kind == SRC_IMM || !eu_fetch_raw(th, op, (int)k, v))
            continue;
        put(t, "           src%u ", k);
        put_values(t, (enum eu_type)s->type, v, op->n, lanes);
    }
    if (op->pred)
        put(t, "           f%u.%u 0x%x\n", op->flag_reg, op->flag_shift >> 4,
            th->f[op->flag_reg] >> (op->flag_shift & 16) & 0xffff);
}

static bool is_over(const struct observer *o)
{
    uint64_t limit = o->watch->opt.trace_limit;
    return limit && o->trace->n_insns > limit;
}

void trace_before(struct observer *o, struct eu_thread *th, const struct eu_op *op, uint32_t lanes)
{
    struct trace *t = o->trace;
    t->n_insns++;
    if (is_over(o) || th->d->fault->set)
        return;
    put_head(t, th, op, lanes);
    put_sources(t, th, op, lanes);
    t->have_off = !op->dst.null && op->dst.file == EU_GRF && !eu_op_info(op->insn.op)->is_send &&
                  !eu_op_info(op->insn.op)->branch && eu_dst_offsets(th, op, t->off);
    memcpy(t->f, th->f, sizeof t->f);
    memcpy(t->a0, th->a0, sizeof t->a0);
    t->active = th->active;
}

static void put_result(struct trace *t, const struct eu_thread *th, const struct eu_op *op,
                       uint32_t lanes)
{
    const struct eu_insn *in = &op->insn;
    uint64_t v[32] = {0};
    if (eu_op_info(in->op)->is_send && in->dst.file == EU_GRF) {
        put_registers(t, th, "->", in->dst.reg, op->msg_known ? op->msg.rlen : 1);
    } else if (t->have_off) {
        for (unsigned i = 0; i < op->n; i++)
            memcpy(&v[i], th->grf + t->off[i], op->dst.size);
        put(t, "        -> dst  ");
        put_values(t, (enum eu_type)op->dst.type, v, op->n, lanes);
    } else if (op->dst.acc && op->dst.type == EU_F) {
        for (unsigned i = 0; i < op->n; i++)
            memcpy(&v[i], &th->acc_f[(i + op->group) & 31], sizeof(float));
        put(t, "        -> acc  ");
        put_values(t, EU_F, v, op->n, lanes);
    } else if (op->dst.acc) {
        for (unsigned i = 0; i < op->n; i++)
            v[i] = (uint64_t)eu_acc_get(th, (i + op->group) & 31);
        put(t, "        -> acc  ");
        put_values(t, EU_Q, v, op->n, lanes);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (t->f[i] != th->f[i])
            put(t, "        -> f%u   0x%08x\n", i, th->f[i]);
    }
    if (memcmp(t->a0, th->a0, sizeof t->a0) != 0) {
        put(t, "        -> a0  ");
        for (unsigned i = 0; i < 16; i++)
            put(t, " %04x", th->a0[i]);
        put(t, "\n");
    }
    if (t->active != th->active)
        put(t, "        -> work-items 0x%x\n", th->active);
}

void trace_after(struct observer *o, struct eu_thread *th, const struct eu_op *op, uint32_t lanes)
{
    struct trace *t = o->trace;
    if (is_over(o)) {
        if (t->n_insns == o->watch->opt.trace_limit + 1)
            put(t, "gensim: trace: the rest is left out (--trace-limit)\n");
    } else {
        put_result(t, th, op, lanes);
    }
    if (t->used)
        flush(t);
}
