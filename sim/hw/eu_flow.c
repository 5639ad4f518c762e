/* Flow control: a model with an instruction pointer for each channel.
 *
 * Active channels are where the thread is; their cip[] is not kept up. Every other channel of the
 * dispatch mask is parked at cip[c]: kind RUN or HALTED becomes active when the thread comes to
 * that address by any way, kind BRK only when its loop ends. Addresses where channels can be parked
 * are marked as targets when the branch that parks them is decoded, so all other instructions need
 * no look at cip[]. While no channel is parked a branch is a choice of the next instruction.
 * Source: Intel PRM volume 7, "Flow Control Instructions", "Structured Flow Control". */
#include "eu_exec.h"

enum { KIND_RUN, KIND_BRK, KIND_HALTED };

/* cip[] holds the low half of the absolute address. */
static uint32_t cip_of(const struct eu_op *op)
{
    return (uint32_t)op->addr;
}

static uint32_t parked(const struct eu_thread *t)
{
    return t->dispatch_mask & ~t->active;
}

void eu_unpark(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t here = cip_of(op);
    for (uint32_t m = parked(t); m; m &= m - 1) {
        unsigned c = (unsigned)__builtin_ctz(m);
        if (t->cip[c] == here && t->kind[c] != KIND_BRK) {
            t->kind[c] = KIND_RUN;
            t->active |= 1u << c;
        }
    }
}

static void park(struct eu_thread *t, uint32_t channels, const struct eu_op *at, uint8_t kind)
{
    for (uint32_t m = channels; m; m &= m - 1) {
        unsigned c = (unsigned)__builtin_ctz(m);
        t->cip[c] = cip_of(at);
        t->kind[c] = kind;
    }
    t->active &= ~channels;
}

/* Is a channel parked there that arriving would wake? */
static bool anyone_at(const struct eu_thread *t, const struct eu_op *at)
{
    for (uint32_t m = parked(t); m; m &= m - 1) {
        unsigned c = (unsigned)__builtin_ctz(m);
        if (t->cip[c] == cip_of(at) && t->kind[c] != KIND_BRK)
            return true;
    }
    return false;
}

/* The thread goes to `to`: channels parked there wake (the main loop does so only at targets). */
static const struct eu_op *arrive(struct eu_thread *t, const struct eu_op *to)
{
    if (parked(t))
        eu_unpark(t, to);
    return to;
}

/* Active channels within the branch's range. Branches ignore NoMask. */
static uint32_t in_range(const struct eu_thread *t, const struct eu_op *op)
{
    return t->active & op->lanes << op->group;
}

static uint32_t taken(const struct eu_thread *t, const struct eu_op *op, uint32_t e)
{
    return op->pred ? e & eu_pred_mask(t, op) << op->group : e;
}

static bool spf(const struct eu_thread *t)
{
    return t->cr0[0] & CR0_SPF;
}

/* Single program flow: one channel decides for all. */
static bool spf_taken(const struct eu_thread *t, const struct eu_op *op)
{
    return !op->pred || eu_pred_mask(t, op) & 1;
}

static const struct eu_op *run_if(struct eu_thread *t, const struct eu_op *op)
{
    if (spf(t))
        return spf_taken(t, op) ? op->next : op->jip;
    uint32_t e = in_range(t, op), yes = taken(t, op, e);
    if (yes == e && e)
        return op->next;
    if (!yes && e == t->active && !parked(t))
        return op->jip;
    park(t, e & ~yes, op->jip, KIND_RUN);
    return arrive(t, yes ? op->next : op->jip);
}

/* All that come from above go to the endif; those that the `if` sent here continue. */
static const struct eu_op *run_else(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_op *end = eu_gen(t) >= 80 ? op->uip : op->jip;
    if (spf(t))
        return end;
    uint32_t e = in_range(t, op);
    if (e == t->active && !parked(t) && end == op->jip)
        return end;
    park(t, e, end, KIND_RUN);
    return arrive(t, anyone_at(t, op->next) ? op->next : op->jip);
}

static const struct eu_op *run_endif(struct eu_thread *t, const struct eu_op *op)
{
    if (spf(t) || in_range(t, op))
        return op->next;
    return arrive(t, anyone_at(t, op->next) ? op->next : op->jip);
}

static const struct eu_op *run_while(struct eu_thread *t, const struct eu_op *op)
{
    if (spf(t))
        return spf_taken(t, op) ? op->jip : op->next;
    uint32_t e = in_range(t, op), yes = taken(t, op, e);
    if (yes) {
        if (yes != e)
            park(t, e & ~yes, op->next, KIND_RUN);
        return arrive(t, op->jip);
    }
    /* The loop has ended for all: those that broke out go on with the rest. */
    for (uint32_t m = parked(t); m; m &= m - 1) {
        unsigned c = (unsigned)__builtin_ctz(m);
        if (t->kind[c] == KIND_BRK && t->cip[c] == cip_of(op)) {
            t->kind[c] = KIND_RUN;
            t->active |= 1u << c;
        }
    }
    return arrive(t, op->next);
}

static const struct eu_op *leave(struct eu_thread *t, const struct eu_op *op, uint8_t kind)
{
    if (spf(t))
        return spf_taken(t, op) ? op->uip : op->next;
    uint32_t e = in_range(t, op), yes = taken(t, op, e);
    if (yes)
        park(t, yes, op->uip, kind);
    if (e & ~yes)
        return op->next;
    return arrive(t, anyone_at(t, op->next) ? op->next : op->jip);
}

static const struct eu_op *run_break(struct eu_thread *t, const struct eu_op *op)
{
    return leave(t, op, KIND_BRK);
}

static const struct eu_op *run_cont(struct eu_thread *t, const struct eu_op *op)
{
    return leave(t, op, KIND_RUN);
}

static const struct eu_op *run_halt(struct eu_thread *t, const struct eu_op *op)
{
    return leave(t, op, KIND_HALTED);
}

static const struct eu_op *run_goto(struct eu_thread *t, const struct eu_op *op)
{
    bool backward = op->insn.branch_ctrl;
    if (spf(t))
        return spf_taken(t, op) == backward ? op->uip : op->next;
    uint32_t e = in_range(t, op), yes = taken(t, op, e);
    if (backward) { /* a loop's end: a true predicate jumps back */
        if (!yes && e)
            return op->next;
        if (yes) {
            park(t, e & ~yes, op->next, KIND_RUN);
            return arrive(t, op->uip);
        }
        return arrive(t, op->next);
    }
    /* Forward, a true predicate stays, as with `if`. */
    if (yes == e && e)
        return op->next;
    park(t, e & ~yes, op->uip, KIND_RUN);
    if (yes)
        return op->next;
    return arrive(t, anyone_at(t, op->next) ? op->next : op->jip);
}

static const struct eu_op *run_join(struct eu_thread *t, const struct eu_op *op)
{
    if (t->active || spf(t) || !op->insn.jip)
        return op->next;
    return arrive(t, anyone_at(t, op->next) ? op->next : op->jip);
}

/* Target of a branch with a register operand: a distance, as the immediate would be. */
static const struct eu_op *register_target(struct eu_thread *t, const struct eu_op *op,
                                           const struct eu_operand *o, int64_t base)
{
    int32_t distance;
    unsigned at = o->reg * EU_GRF_SIZE + o->sub;
    if (o->file != EU_GRF || o->indirect || at + 4 > EU_N_GRF * EU_GRF_SIZE) {
        eu_fault(t, "branch target is neither an immediate nor a general register");
        return NULL;
    }
    __builtin_memcpy(&distance, t->grf + at, 4);
    int64_t unit = eu_gen(t) == 70 ? 8 : 1;
    return eu_lookup(t, op->addr + (gpu_addr)(base + distance * unit));
}

static const struct eu_op *run_jmpi(struct eu_thread *t, const struct eu_op *op)
{
    bool go = !op->pred || eu_pred_mask(t, op) & 1;
    if (!op->no_mask && !(t->active >> op->group & 1))
        go = false;
    if (!go)
        return op->next;
    t->op = op;
    const struct eu_op *to = op->jip ? op->jip : register_target(t, op, &op->insn.src[1], op->size);
    return to ? to : eu_stop_fault(t);
}

static const struct eu_op *run_brd(struct eu_thread *t, const struct eu_op *op)
{
    t->op = op;
    const struct eu_op *to = op->jip ? op->jip : register_target(t, op, &op->insn.src[0], 0);
    if (!to)
        return eu_stop_fault(t);
    if (spf(t))
        return spf_taken(t, op) ? to : op->next;
    uint32_t e = in_range(t, op), yes = taken(t, op, e);
    if (yes == t->active && !parked(t))
        return to;
    park(t, yes, to, KIND_RUN);
    if (e & ~yes)
        return op->next;
    return arrive(t, anyone_at(t, op->next) ? op->next : to);
}

/* Channels that are taken wait at UIP, the thread goes on at JIP when nobody stays. */
static const struct eu_op *run_brc(struct eu_thread *t, const struct eu_op *op)
{
    if (spf(t))
        return spf_taken(t, op) ? op->uip : op->next;
    uint32_t e = in_range(t, op), yes = taken(t, op, e);
    park(t, yes, op->uip, KIND_RUN);
    if (e & ~yes)
        return op->next;
    return arrive(t, anyone_at(t, op->next) ? op->next : op->jip);
}

/* call: the return address and the mask of those that come back go to two dwords of a register.
 * Channels that don't call wait at the next instruction. */
static const struct eu_op *run_call(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn.dst;
    unsigned at = o->reg * EU_GRF_SIZE + o->sub;
    t->op = op;
    if (o->file != EU_GRF || o->indirect || at + 8 > EU_N_GRF * EU_GRF_SIZE) {
        eu_fault(t, "call needs two dwords of a general register");
        return eu_stop_fault(t);
    }
    uint32_t e = op->no_mask ? t->active : in_range(t, op), yes = taken(t, op, e);
    if (!yes)
        return op->next;
    uint32_t frame[2] = {eu_ip(t, op) + op->size, t->active};
    if (yes != t->active)
        park(t, t->active & ~yes, op->next, KIND_RUN);
    const struct eu_op *to;
    if (op->insn.op == EU_OP_calla)
        to = eu_lookup(t, t->d->instruction_base + (uint32_t)op->insn.jip);
    else
        to = op->jip ? op->jip : register_target(t, op, &op->insn.src[1], 0);
    if (!to)
        return eu_stop_fault(t);
    __builtin_memcpy(t->grf + at, frame, sizeof frame);
    return to;
}

static const struct eu_op *run_ret(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn.src[0];
    unsigned at = o->reg * EU_GRF_SIZE + o->sub;
    uint32_t frame[2];
    t->op = op;
    if (o->file != EU_GRF || o->indirect || at + 8 > EU_N_GRF * EU_GRF_SIZE) {
        eu_fault(t, "ret needs two dwords of a general register");
        return eu_stop_fault(t);
    }
    __builtin_memcpy(frame, t->grf + at, sizeof frame);
    uint32_t e = in_range(t, op), yes = taken(t, op, e);
    if (!yes)
        return op->next;
    if (yes & ~frame[1]) {
        eu_fault(t, "ret: channels 0x%x return, but the call was made by 0x%x", yes, frame[1]);
        return eu_stop_fault(t);
    }
    const struct eu_op *to = eu_lookup(t, t->d->instruction_base + frame[0]);
    if (!to)
        return eu_stop_fault(t);
    if (yes != t->active) { /* others are still in the function */
        park(t, yes, to, KIND_RUN);
        return op->next;
    }
    return arrive(t, to);
}

static const struct eu_op *run_wait(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn.src[0];
    unsigned k = o->sub / 4;
    t->op = op;
    if (o->file != EU_ARF || (o->reg & 0xf0) != EU_ARF_N0 || k > 2) {
        eu_fault(t, "wait needs a notification register");
        return eu_stop_fault(t);
    }
    if (!t->n0[k]) {
        t->waiting = true;
        t->wait_reg = (uint8_t)k;
        return eu_stop_at(t, op, EU_STOP_WAIT);
    }
    t->n0[k]--;
    return op->next;
}

static const struct eu_op *run_nop(struct eu_thread *t, const struct eu_op *op)
{
    (void)t;
    return op->next;
}

eu_run_fn *eu_flow_fn(const struct eu_insn *in)
{
    switch ((enum eu_opcode)in->op) {
    case EU_OP_jmpi:
        return run_jmpi;
    case EU_OP_brd:
        return run_brd;
    case EU_OP_brc:
        return run_brc;
    case EU_OP_if:
        return run_if;
    case EU_OP_else:
        return run_else;
    case EU_OP_endif:
        return run_endif;
    case EU_OP_while:
        return run_while;
    case EU_OP_break:
        return run_break;
    case EU_OP_cont:
        return run_cont;
    case EU_OP_halt:
        return run_halt;
    case EU_OP_call:
    case EU_OP_calla:
        return run_call;
    case EU_OP_ret:
        return run_ret;
    case EU_OP_goto:
        return run_goto;
    case EU_OP_join:
        return run_join;
    case EU_OP_wait:
        return run_wait;
    case EU_OP_nop:
        return run_nop;
    default:
        return NULL;
    }
}
