/* Sends: payload and response registers, descriptors from a0, end of thread. What a message does is
 * msg_execute()'s.
 * Source: Intel PRM volume 7, "send", "sends"; "Message Descriptor". */
#include "eu_exec.h"
#include "sabotage.h"

#include <immintrin.h>
#include <string.h>

enum { MAX_PAYLOAD = 32 };

static bool is_split(const struct eu_op *op)
{
    return op->insn.op == EU_OP_sends || op->insn.op == EU_OP_sendsc;
}

static bool overlap(unsigned a, unsigned n_a, unsigned b, unsigned n_b)
{
    return n_a && n_b && a < b + n_b && b < a + n_a;
}

/* Registers of a message whose lengths are known: what keeps it from being sent, or NULL. */
static const char *check_registers(int gen, const struct eu_op *op, const struct msg *m)
{
    const struct eu_insn *in = &op->insn;
    unsigned src0 = in->src[0].reg, src1 = in->src[1].reg, dst = in->dst.reg;
    bool null_dst = in->dst.file != EU_GRF;
    if (in->src[0].file != EU_GRF || in->src[0].indirect || in->src[0].sub)
        return "the payload of a send is whole general registers";
    if (src0 + m->mlen > EU_N_GRF || (m->ex_mlen && src1 + m->ex_mlen > EU_N_GRF))
        return "the payload of a send leaves the register file";
    if (m->ex_mlen && (in->src[1].file != EU_GRF || in->src[1].indirect || in->src[1].sub))
        return "the second payload of a send is whole general registers";
    if (overlap(src0, m->mlen, src1, m->ex_mlen))
        return "the two payloads of a split send overlap";
    if (null_dst ? m->rlen : dst + m->rlen > EU_N_GRF || in->dst.indirect || in->dst.sub)
        return "the response of a send has no registers to go to";
    if (gen >= 80 && m->rlen && dst + m->rlen == EU_N_GRF &&
        (overlap(dst, m->rlen, src0, m->mlen) || overlap(dst, m->rlen, src1, m->ex_mlen)))
        return "r127 as return register of a send whose source and destination overlap";
    if (in->eot && m->rlen)
        return "a send that ends the thread has a response";
    if (in->eot && (src0 < 112 || (m->ex_mlen && src1 < 112)))
        return "a send that ends the thread needs its payload in r112 to r127";
    return NULL;
}

/* Messages of lanes and blocks move bits; samplers, typed messages and float atomics compute. */
static bool computes_floats(enum msg_kind kind)
{
    return kind == MSG_sampler || (kind >= MSG_typed_read && kind <= MSG_typed_atomic_4x2) ||
           kind == MSG_float_atomic || kind == MSG_a64_float_atomic;
}

/* Is the payload read to its end before the first register of the response is written? */
static bool reads_payload_first(const struct msg *m)
{
    return (m->kind == MSG_untyped_read && !m->simd4x2) || m->kind == MSG_byte_read ||
           m->kind == MSG_oword_read || m->kind == MSG_scratch_read;
}

static bool needs_copy(const struct eu_op *op, const struct msg *m)
{
    const struct eu_insn *in = &op->insn;
    return m->ex_mlen ||
           (overlap(in->dst.reg, m->rlen, in->src[0].reg, m->mlen) && !reads_payload_first(m));
}

const char *eu_resolve_send(int gen, struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    const char *why = NULL;
    if (in->desc_reg || in->exdesc_reg)
        return NULL;
    unsigned ex_mlen = is_split(op) ? in->exdesc >> 6 & 0xf : 0;
    if (!msg_unpack(gen, in->fn, in->desc | (uint32_t)in->eot << 31, (uint8_t)ex_mlen, &op->msg,
                    &why))
        return why;
    op->msg_known = true;
    op->msg_floats = computes_floats(op->msg.kind);
    op->msg_copy = needs_copy(op, &op->msg);
    return check_registers(gen, op, &op->msg);
}

static uint32_t a0_dword(const struct eu_thread *t, unsigned k)
{
    return (uint32_t)t->a0[2 * k] | (uint32_t)t->a0[2 * k + 1] << 16;
}

/* A descriptor of which a part stands in a0. */
static bool unpack_now(struct eu_thread *t, const struct eu_op *op, struct msg *m, uint32_t *exdesc)
{
    const struct eu_insn *in = &op->insn;
    int gen = eu_gen(t);
    const char *why = NULL;
    uint32_t desc = in->desc;
    uint8_t sfid = in->fn;
    if (in->desc_reg) /* bits 31:29 are the instruction's own */
        desc = (a0_dword(t, 0) & 0x1fffffff) | (in->desc & 0x60000000);
    if (in->exdesc_reg) {
        *exdesc = a0_dword(t, in->exdesc_sub & 7);
        if (!sfid)
            sfid = *exdesc & 0xf;
    }
    unsigned ex_mlen = is_split(op) ? *exdesc >> 6 & 0xf : 0;
    if (!msg_unpack(gen, sfid, desc | (uint32_t)in->eot << 31, (uint8_t)ex_mlen, m, &why) ||
        (why = check_registers(gen, op, m))) {
        eu_fault(t, "descriptor 0x%08x, extended 0x%08x: %s", desc, *exdesc, why);
        return false;
    }
    return true;
}

static void copy_registers(uint8_t *to, const uint8_t *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        memcpy(to + i * EU_GRF_SIZE, from + i * EU_GRF_SIZE, EU_GRF_SIZE);
}

static const struct eu_op *end_thread(struct eu_thread *t, const struct eu_op *op)
{
    if (t->dispatch_mask & ~t->active) {
        eu_fault(t, "the thread ends while channels 0x%x wait elsewhere",
                 t->dispatch_mask & ~t->active);
        return eu_stop_fault(t);
    }
    t->ended = true;
    return eu_stop_at(t, op, EU_STOP_ENDED);
}

/* With the payload in a row of its own. */
__attribute__((noinline)) static bool execute_copy(struct eu_thread *t, const struct eu_op *op,
                                                   const struct msg *m, uint32_t exdesc,
                                                   uint32_t lanes, uint8_t *resp)
{
    const struct eu_insn *in = &op->insn;
    _Alignas(64) uint8_t copy[MAX_PAYLOAD * EU_GRF_SIZE];
    copy_registers(copy, t->grf + in->src[0].reg * EU_GRF_SIZE, m->mlen);
    if (m->ex_mlen)
        copy_registers(copy + m->mlen * EU_GRF_SIZE, t->grf + in->src[1].reg * EU_GRF_SIZE,
                       m->ex_mlen);
    return msg_execute(t, in, m, exdesc, lanes, copy, resp);
}

const struct eu_op *eu_run_send(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    const struct msg *m = &op->msg;
    struct msg now;
    uint32_t exdesc = in->exdesc;
    bool floats = op->msg_floats, copy = op->msg_copy;
    t->op = op;
    if (__builtin_expect(!op->msg_known, 0)) {
        if (!unpack_now(t, op, &now, &exdesc))
            return eu_stop_fault(t);
        m = &now;
        floats = computes_floats(m->kind);
        copy = needs_copy(op, m);
    }
    uint8_t *resp = t->grf + (in->dst.file == EU_GRF ? in->dst.reg * EU_GRF_SIZE : 0);
    uint32_t lanes = eu_write_mask(t, op);
    if (__builtin_expect(op->clear_response, 0))
        memset(resp, 0, (size_t)m->rlen * EU_GRF_SIZE);
    bool own_modes = floats && t->mxcsr_f != EU_MXCSR_DEFAULT;
    if (own_modes)
        _mm_setcsr(EU_MXCSR_DEFAULT);
    bool ok =
        copy ? execute_copy(t, op, m, exdesc, lanes, resp)
             : msg_execute(t, in, m, exdesc, lanes, t->grf + in->src[0].reg * EU_GRF_SIZE, resp);
    if (own_modes)
        _mm_setcsr(t->mxcsr_f);
    if (!ok)
        return eu_stop_fault(t);
    return in->eot ? end_thread(t, op) : op->next;
}
