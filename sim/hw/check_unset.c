/* --check: uses of what nobody wrote. Every byte of the register file and every flag half-word of a
 * thread has a bit, and so has every byte of its group's shared local memory and of its scratch
 * space; r0 and the payload start written. A load brings what it finds: only when an enabled lane
 * uses the registers is there something to report. Copying is no use: it passes on what was never
 * written. So do NoMask instructions but for scalars, since it isn't known for which lane they work
 * on an element. Sends: a payload register
 * of which no byte was written; their headers and disabled lanes may hold anything. Memory of
 * objects counts as written: the kernel hands out zeros, and the processor may write at any time.
 */
#include "observe.h"

#include <stdlib.h>
#include <string.h>

enum { GRF_BYTES = EU_N_GRF * EU_GRF_SIZE, SLM_BYTES = 1 << 16 };

struct unset_thread {
    uint64_t grf[GRF_BYTES / 64];
    uint8_t flags;                /* f0.0 f0.1 f1.0 f1.1 */
    gpu_addr loaded_by[EU_N_GRF]; /* the load that brought unwritten memory; 0: none */
    uint64_t *scratch;            /* owned; a bit a byte */
    uint32_t scratch_size;        /* bytes there is room for */
    gpu_addr scratch_at;
};

/* The message under way, from unset_message() to unset_after(). */
struct unset_response {
    bool known; /* false: all registers of the response are written */
    unsigned n_regs;
    uint64_t arrives[GRF_BYTES / 64 / 4]; /* bytes from the destination's first */
    uint64_t unwritten[GRF_BYTES / 64 / 4];
};

struct unset {
    unsigned n_threads;
    struct unset_thread *threads; /* owned; by slot in the group */
    uint64_t slm[SLM_BYTES / 64];
    uint32_t tainted; /* lanes of the instruction under way that pass on what was never written */
    struct unset_response response;
};

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
    if (!u)
        return;
    for (unsigned i = 0; i < u->n_threads; i++)
        free(u->threads[i].scratch);
    free(u->threads);
    free(u);
}

void unset_group(struct unset *u)
{
    memset(u->slm, 0, sizeof u->slm);
}

static struct unset_thread *of(struct unset *u, const struct eu_thread *t)
{
    return &u->threads[t - t->group->threads];
}

static void set_bits(uint64_t *bits, uint64_t at, unsigned n, bool value)
{
    for (uint64_t i = at; i < at + n; i++)
        bits[i / 64] = (bits[i / 64] & ~(1ull << i % 64)) | (uint64_t)value << i % 64;
}

static bool any_clear(const uint64_t *bits, uint64_t at, unsigned n)
{
    for (uint64_t i = at; i < at + n; i++) {
        if (!(bits[i / 64] >> i % 64 & 1))
            return true;
    }
    return false;
}

static void mark(struct unset_thread *u, unsigned at, unsigned size)
{
    if (at < GRF_BYTES)
        set_bits(u->grf, at, at + size > GRF_BYTES ? GRF_BYTES - at : size, true);
}

static bool is_set(const struct unset_thread *u, unsigned at, unsigned size)
{
    return at >= GRF_BYTES || !any_clear(u->grf, at, at + size > GRF_BYTES ? GRF_BYTES - at : size);
}

void unset_start(struct unset *u, const struct eu_thread *t, unsigned n_regs)
{
    struct unset_thread *ut = of(u, t);
    const struct sim_dispatch *d = t->d;
    uint32_t header5;
    memset(ut->grf, 0, sizeof ut->grf);
    memset(ut->loaded_by, 0, sizeof ut->loaded_by);
    ut->flags = 0;
    mark(ut, 0, n_regs * EU_GRF_SIZE);
    if (ut->scratch_size < d->scratch_per_thread) {
        free(ut->scratch);
        ut->scratch = malloc(d->scratch_per_thread / 8);
        ut->scratch_size = ut->scratch ? d->scratch_per_thread : 0;
    }
    if (ut->scratch)
        memset(ut->scratch, 0, ut->scratch_size / 8);
    memcpy(&header5, t->grf + 5 * 4, sizeof header5);
    ut->scratch_at = d->general_base + (header5 & ~0x3ffu);
    /* A descriptor may give scratch space that nobody has made. */
    struct vm_range object;
    gpu_addr space = d->general_base + d->scratch_base;
    if (!d->scratch_per_thread || !space || !vm_find(d->vm, space, &object) ||
        ut->scratch_at < object.start || ut->scratch_at + d->scratch_per_thread > object.end) {
        free(ut->scratch);
        ut->scratch = NULL;
        ut->scratch_size = 0;
    }
}

static void report(const struct eu_thread *t, const struct eu_op *op, const char *what, unsigned at,
                   int lane)
{
    const struct unset_thread *u = of(((const struct observer *)t->observer)->unset, t);
    gpu_addr load = *what == 'r' ? u->loaded_by[at / EU_GRF_SIZE] : 0;
    char line[512];
    if (load)
        check_report(t, CHECK_UNSET, op->addr, lane,
                     "uses %s%u.%u, loaded at +0x%x%s from memory that was never written", what,
                     at / EU_GRF_SIZE, at % EU_GRF_SIZE, (unsigned)(load - t->d->kernel),
                     check_line(t->d, load, line, sizeof line));
    else
        check_report(t, CHECK_UNSET, op->addr, lane, "reads %s%u.%u, which was never written", what,
                     at / EU_GRF_SIZE, at % EU_GRF_SIZE);
}

/* The bits of a datum's memory; NULL: memory that counts as written. */
static uint64_t *memory_bits(struct unset *u, struct unset_thread *ut, const struct eu_thread *t,
                             const struct reach *r, const struct reach_piece *p, uint64_t *first)
{
    *first = p->at;
    if (r->slm)
        return p->at + p->size <= SLM_BYTES ? u->slm : NULL;
    *first = p->at - ut->scratch_at;
    bool own =
        ut->scratch && p->at >= ut->scratch_at && *first + p->size <= t->d->scratch_per_thread;
    return own ? ut->scratch : NULL;
}

/* Where a write's datum stands in the register file: the payload is contiguous there but for split
 * sends. */
static unsigned payload_byte(const struct eu_thread *t, const struct msg *m, const struct reach *r,
                             const struct reach_piece *p, const uint8_t *payload)
{
    const struct eu_insn *in = &t->op->insn;
    unsigned at = (unsigned)(r->data - payload) + p->data, own = m->mlen * EU_GRF_SIZE;
    return at < own ? in->src[0].reg * EU_GRF_SIZE + at : in->src[1].reg * EU_GRF_SIZE + at - own;
}

void unset_message(struct unset *u, const struct eu_thread *t, const struct msg *m,
                   const struct reach *r, const uint8_t *payload)
{
    struct unset_thread *ut = of(u, t);
    struct unset_response *resp = &u->response;
    resp->known = r && r->returns;
    resp->n_regs = m->rlen;
    memset(resp->arrives, 0, sizeof resp->arrives);
    memset(resp->unwritten, 0, sizeof resp->unwritten);
    for (unsigned i = 0; r && i < r->n; i++) {
        const struct reach_piece *p = &r->piece[i];
        uint64_t first;
        uint64_t *bits = memory_bits(u, ut, t, r, p, &first);
        if (r->returns) {
            set_bits(resp->arrives, p->data, p->slot, true);
            if (bits && any_clear(bits, first, p->size))
                set_bits(resp->unwritten, p->data, p->slot, true);
        }
        if (r->atomic && bits) { /* what the old value goes into stays as it is */
            if (m->kind != MSG_float_atomic && m->atomic == ATOMIC_MOV)
                set_bits(bits, first, p->size, true);
        } else if (r->write && bits) {
            set_bits(bits, first, p->size, is_set(ut, payload_byte(t, m, r, p, payload), p->size));
        }
    }
    /* Out of bounds: zeros arrive. */
    for (unsigned i = 0; r && r->n_out && i < m->rlen; i++)
        set_bits(resp->arrives, i * EU_GRF_SIZE, EU_GRF_SIZE, true);
}

static void receive(struct unset *u, struct unset_thread *ut, const struct eu_thread *t,
                    const struct eu_op *op)
{
    const struct unset_response *resp = &u->response;
    unsigned dst = op->insn.dst.reg * EU_GRF_SIZE;
    if (op->insn.dst.file != EU_GRF)
        return;
    if (!resp->known) {
        mark(ut, dst, resp->n_regs * EU_GRF_SIZE);
        return;
    }
    for (unsigned i = 0; i < resp->n_regs * EU_GRF_SIZE && dst + i < GRF_BYTES; i++) {
        if (!(resp->arrives[i / 64] >> i % 64 & 1))
            continue;
        bool unwritten = resp->unwritten[i / 64] >> i % 64 & 1;
        set_bits(ut->grf, dst + i, 1, !unwritten);
        if (unwritten)
            ut->loaded_by[(dst + i) / EU_GRF_SIZE] = op->addr;
    }
}

/* Lanes among these whose element of a source has bytes that were never written. */
static uint32_t unwritten_lanes(const struct unset_thread *u, struct eu_thread *t,
                                const struct eu_op *op, unsigned k, uint32_t lanes, uint16_t *off)
{
    const struct eu_src *s = &op->src[k];
    uint32_t bad = 0;
    if (s->kind < SRC_GRF || s->kind > SRC_VXH || t->d->fault->set ||
        !eu_src_offsets(t, op, s, off)) /* the instruction itself will fault */
        return 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        bad |= is_set(u, off[i], s->size) ? 0 : 1u << i;
    }
    return bad;
}

/* Registers of addresses of 64 bits behind the header, a register four lanes. */
static unsigned wide_addresses(const struct msg *m)
{
    return m->kind >= MSG_a64_read && m->kind <= MSG_a64_float_atomic ? m->simd / 4 : 0;
}

/* Whether register i of the payload is of lanes that are all off. */
static bool is_idle(const struct msg *m, uint32_t lanes, unsigned i)
{
    unsigned first = m->header;
    return i >= first && i < first + wide_addresses(m) && !(lanes >> 4 * (i - first) & 0xf);
}

static void check_payload(const struct unset_thread *u, const struct eu_thread *t,
                          const struct eu_op *op, unsigned reg, unsigned n, uint32_t lanes,
                          unsigned at)
{
    for (unsigned r = reg; r < reg + n && r < EU_N_GRF; r++) {
        if (is_idle(&op->msg, lanes, at + r - reg))
            continue;
        bool any = false;
        for (unsigned i = 0; i < EU_GRF_SIZE; i++)
            any |= is_set(u, r * EU_GRF_SIZE + i, 1);
        if (!any) {
            report(t, op, "r", r * EU_GRF_SIZE, -1);
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

/* Moves values as they are. */
static bool is_copy(const struct eu_op *op, const struct eu_op_info *info)
{
    const struct eu_insn *in = &op->insn;
    bool copy = (in->op == EU_OP_mov || in->op == EU_OP_sel) && !op->cond && !op->saturate;
    for (unsigned k = 0; k < info->n_src; k++)
        copy &= in->src[k].type == in->dst.type && !op->src[k].modified;
    return copy;
}

void unset_before(struct unset *unset, struct eu_thread *t, const struct eu_op *op)
{
    struct unset_thread *u = of(unset, t);
    const struct eu_insn *in = &op->insn;
    const struct eu_op_info *info = eu_op_info(in->op);
    unset->tainted = 0;
    if (op->pred && !(u->flags >> (2 * op->flag_reg + (op->flag_shift >> 4)) & 1))
        report(t, op, "f", op->flag_reg * EU_GRF_SIZE + (op->flag_shift >> 4), -1);
    if (info->is_send) {
        uint32_t lanes = eu_write_mask(t, op);
        if (!op->msg_known || (!lanes && !op->msg.header))
            return;
        /* Registers of eight lanes that are all off may never have been written. */
        if (in->exec_size == 16 && (!(lanes & 0xff) || !(lanes & 0xff00)))
            return;
        check_payload(u, t, op, in->src[0].reg, op->msg.mlen, lanes, 0);
        check_payload(u, t, op, in->src[1].reg, op->msg.ex_mlen, lanes, op->msg.mlen);
        return;
    }
    if (info->branch || looks_across(in->op))
        return;
    bool sel = in->op == EU_OP_sel && !op->cond;
    uint32_t lanes = sel ? eu_exec_mask(t, op) : eu_write_mask(t, op),
             pred = sel ? eu_pred_mask(t, op) : 0;
    for (unsigned k = 0; k < info->n_src; k++) {
        uint16_t off[32];
        uint32_t bad = unwritten_lanes(u, t, op, k,
                                       !sel ? lanes
                                       : k  ? lanes & ~pred
                                            : lanes & pred,
                                       off);
        if (!bad)
            continue;
        if ((op->no_mask && op->n > 1) || is_copy(op, info)) {
            unset->tainted |= bad;
            continue;
        }
        unsigned i = (unsigned)__builtin_ctz(bad);
        report(t, op, "r", off[i], (int)(i + op->group));
    }
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
        receive(unset, u, t, op);
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
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m),
                 size = op->df_dwords && op->dst.size == 4 ? 8 : op->dst.size;
        if (unset->tainted >> i & 1 && off[i] + size <= GRF_BYTES) {
            set_bits(u->grf, off[i], size, false);
            u->loaded_by[off[i] / EU_GRF_SIZE] = 0;
        } else {
            mark(u, off[i], size);
        }
    }
    if (in->op == EU_OP_math && in->fn == EU_MATH_INT_DIV_BOTH) {
        for (uint32_t m = lanes; m; m &= m - 1)
            mark(u, off[__builtin_ctz(m)] + EU_GRF_SIZE, 4);
    }
    if (in->op == EU_OP_math && (in->fn == EU_MATH_INVM || in->fn == EU_MATH_RSQTM))
        u->flags |= 1 << (2 * op->flag_reg + (op->flag_shift >> 4));
}
