/* --check: reads of registers that the thread has never written. Every byte of the register file
 * and every flag half-word has a bit; r0 and the payload start written. Only what enabled lanes
 * read counts. Sends: a payload register of which no byte was written; their headers and disabled
 * lanes may hold anything. Each instruction is reported once. */
#include "observe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRF_BYTES = EU_N_GRF * EU_GRF_SIZE, MAX_REPORTS = 64 };

struct unset_thread {
    uint64_t grf[GRF_BYTES / 64];
    uint8_t flags; /* f0.0 f0.1 f1.0 f1.1 */
};

struct unset {
    unsigned n_threads;
    struct unset_thread *threads; /* owned; by slot in the group */
};

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static gpu_addr reported[MAX_REPORTS]; /* report_lock */
static unsigned n_reported;            /* report_lock */

struct unset *unset_new(unsigned n_threads)
{
    struct unset *u = calloc(1, sizeof *u);
    if (u && !(u->threads = calloc(n_threads, sizeof *u->threads))) {
        free(u);
        return NULL;
    }
    if (u)
        u->n_threads = n_threads;
    return u;
}

void unset_free(struct unset *u)
{
    if (u)
        free(u->threads);
    free(u);
}

static struct unset_thread *of(struct unset *u, const struct eu_thread *t)
{
    return &u->threads[t - t->group->threads];
}

static void mark(struct unset_thread *u, unsigned at, unsigned size)
{
    for (unsigned i = at; i < at + size && i < GRF_BYTES; i++)
        u->grf[i / 64] |= 1ull << i % 64;
}

static bool is_set(const struct unset_thread *u, unsigned at, unsigned size)
{
    for (unsigned i = at; i < at + size && i < GRF_BYTES; i++) {
        if (!(u->grf[i / 64] >> i % 64 & 1))
            return false;
    }
    return true;
}

void unset_start(struct unset *u, const struct eu_thread *t, unsigned n_regs)
{
    struct unset_thread *ut = of(u, t);
    memset(ut, 0, sizeof *ut);
    mark(ut, 0, n_regs * EU_GRF_SIZE);
}

static void report(const struct eu_thread *t, const struct eu_op *op, const char *what, unsigned at)
{
    char text[256];
    bool known = false;
    pthread_mutex_lock(&report_lock);
    for (unsigned i = 0; i < n_reported; i++)
        known |= reported[i] == op->addr;
    if (!known && n_reported < MAX_REPORTS)
        reported[n_reported++] = op->addr;
    else
        known = true;
    pthread_mutex_unlock(&report_lock);
    if (known)
        return;
    eu_print(eu_gen(t), &op->insn, text, sizeof text);
    dprintf(STDERR_FILENO,
            "gensim: check: kernel at 0x%llx, instruction at +0x%x \"%s\", group (%u, %u, %u) "
            "thread %u reads %s%u.%u, "
            "which was never written\n",
            (unsigned long long)t->d->kernel, (unsigned)(op->addr - t->d->kernel), text,
            t->group->id[0], t->group->id[1], t->group->id[2], t->number, what, at / EU_GRF_SIZE,
            at % EU_GRF_SIZE);
}

static void check_source(struct unset_thread *u, struct eu_thread *t, const struct eu_op *op,
                         unsigned k, uint32_t lanes)
{
    const struct eu_src *s = &op->src[k];
    uint16_t off[32];
    if (s->kind < SRC_GRF || s->kind > SRC_VXH)
        return;
    bool direct = s->kind == SRC_GRF || s->kind == SRC_SWIZZLE;
    if (!direct && t->d->fault->set)
        return;
    if (!eu_src_offsets(t, op, s, off))
        return; /* the instruction itself will fault */
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned at = off[__builtin_ctz(m)];
        if (!is_set(u, at, s->size)) {
            report(t, op, "r", at);
            return;
        }
    }
}

static void check_payload(const struct unset_thread *u, const struct eu_thread *t,
                          const struct eu_op *op, unsigned reg, unsigned n)
{
    for (unsigned r = reg; r < reg + n && r < EU_N_GRF; r++) {
        bool any = false;
        for (unsigned i = 0; i < EU_GRF_SIZE; i++)
            any |= is_set(u, r * EU_GRF_SIZE + i, 1);
        if (!any) {
            report(t, op, "r", r * EU_GRF_SIZE);
            return;
        }
    }
}

/* line, pln and products of four read beyond their own lanes. */
static bool looks_across(unsigned op)
{
    return op == EU_OP_line || op == EU_OP_pln || op == EU_OP_dp2 || op == EU_OP_dp3 ||
           op == EU_OP_dp4 || op == EU_OP_dph;
}

void unset_before(struct unset *unset, struct eu_thread *t, const struct eu_op *op)
{
    struct unset_thread *u = of(unset, t);
    const struct eu_insn *in = &op->insn;
    const struct eu_op_info *info = eu_op_info(in->op);
    t->op = op;
    if (op->pred && !(u->flags >> (2 * op->flag_reg + (op->flag_shift >> 4)) & 1))
        report(t, op, "f", op->flag_reg * EU_GRF_SIZE + (op->flag_shift >> 4));
    if (info->is_send) {
        uint32_t lanes = eu_write_mask(t, op);
        if (!op->msg_known || (!lanes && !op->msg.header))
            return;
        /* Registers of eight lanes that are all off may never have been written. */
        if (in->exec_size == 16 && (!(lanes & 0xff) || !(lanes & 0xff00)))
            return;
        check_payload(u, t, op, in->src[0].reg, op->msg.mlen);
        check_payload(u, t, op, in->src[1].reg, op->msg.ex_mlen);
        return;
    }
    if (info->branch || looks_across(in->op))
        return;
    bool sel = in->op == EU_OP_sel && !op->cond;
    uint32_t lanes = sel ? eu_exec_mask(t, op) : eu_write_mask(t, op),
             pred = sel ? eu_pred_mask(t, op) : 0;
    if (op->no_mask && op->n > 1) /* dead lanes of whole-register operations may hold anything */
        lanes &= t->active >> op->group;
    for (unsigned k = 0; k < info->n_src; k++)
        check_source(u, t, op, k, !sel ? lanes : k ? lanes & ~pred : lanes & pred);
}

void unset_after(struct unset *unset, struct eu_thread *t, const struct eu_op *op, uint32_t lanes)
{
    struct unset_thread *u = of(unset, t);
    const struct eu_insn *in = &op->insn;
    const struct eu_op_info *info = eu_op_info(in->op);
    uint16_t off[32];
    if (op->cond && in->op != EU_OP_sel && in->op != EU_OP_csel)
        u->flags |= 1 << (2 * op->flag_reg + (op->flag_shift >> 4));
    if (info->is_send) {
        if (in->dst.file == EU_GRF && op->msg_known)
            mark(u, in->dst.reg * EU_GRF_SIZE, op->msg.rlen * EU_GRF_SIZE);
        else if (in->dst.file == EU_GRF) /* of any length */
            mark(u, in->dst.reg * EU_GRF_SIZE, 16 * EU_GRF_SIZE);
        return;
    }
    if (in->op == EU_OP_call || in->op == EU_OP_calla)
        mark(u, in->dst.reg * EU_GRF_SIZE + in->dst.sub, 8);
    if (info->branch)
        return;
    if (in->dst.file == EU_ARF && (in->dst.reg & 0xf0) == EU_ARF_F0)
        u->flags |= (op->dst.size == 4 ? 3 : 1 << (op->dst.off >> 1 & 1)) << 2 * (in->dst.reg & 1);
    if (op->dst.null || op->dst.file != EU_GRF || t->d->fault->set || !eu_dst_offsets(t, op, off))
        return;
    for (uint32_t m = lanes; m; m &= m - 1)
        mark(u, off[__builtin_ctz(m)], op->df_dwords && op->dst.size == 4 ? 8 : op->dst.size);
    if (in->op == EU_OP_math && in->fn == EU_MATH_INT_DIV_BOTH) {
        for (uint32_t m = lanes; m; m &= m - 1)
            mark(u, off[__builtin_ctz(m)] + EU_GRF_SIZE, 4);
    }
    if (in->op == EU_OP_math && (in->fn == EU_MATH_INVM || in->fn == EU_MATH_RSQTM))
        u->flags |= 1 << (2 * op->flag_reg + (op->flag_shift >> 4));
}
