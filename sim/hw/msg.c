/* Messages: which shared function does what. Source: Intel PRM volume 4/7, "Data Port",
 * "Sampling Engine", "Message Gateway". */
#include "sampler.h"

#include "observe.h"

#include <stdatomic.h>

bool msg_dispatch_begin(struct sim_dispatch *d)
{
    d->surfaces = surfaces_new();
    d->samplers = sampler_cache_new();
    if (d->surfaces && d->samplers)
        return true;
    msg_dispatch_end(d);
    sim_fault(d->fault, "the simulator is out of memory for surfaces");
    return false;
}

void msg_dispatch_end(struct sim_dispatch *d)
{
    surfaces_free(d->surfaces);
    sampler_cache_free(d->samplers);
    d->surfaces = NULL;
    d->samplers = NULL;
}

static bool lane_message(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                         const uint8_t *payload, uint8_t *resp)
{
    struct view v;
    const uint8_t *header = m->header ? payload : NULL;
    bool scattered = m->kind == MSG_byte_read || m->kind == MSG_byte_write ||
                     m->kind == MSG_dword_read || m->kind == MSG_dword_write ||
                     m->kind == MSG_const_dword_read;
    unsigned unit = !scattered ? 0 : m->kind == MSG_byte_read || m->kind == MSG_byte_write ? 1 : 4;
    bool write = m->kind != MSG_untyped_read && m->kind != MSG_byte_read &&
                 m->kind != MSG_dword_read && m->kind != MSG_const_dword_read;
    if (!view_open(&v, t, m, exdesc, header, unit, write))
        return false;
    payload += header ? EU_GRF_SIZE : 0;
    if (m->simd4x2)
        return msg_untyped_4x2(&v, lanes, payload, resp);
    lanes &= v.lane_mask & ((1u << m->simd) - 1);
    if (!scattered && m->kind != MSG_untyped_read && m->kind != MSG_untyped_write)
        return msg_untyped_atomic(&v, lanes, payload, resp);
    if (!scattered)
        return msg_untyped(&v, lanes, payload, resp);
    if (unit == 1)
        return msg_byte_scattered(&v, lanes, payload, resp);
    return msg_dword_scattered(&v, lanes, payload, resp);
}

bool msg_execute(struct eu_thread *t, const struct eu_insn *insn, const struct msg *m,
                 uint32_t exdesc, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    lanes &= 0xffff;
    if (t->observer)
        observe_message(t, m, exdesc, lanes, payload);
    switch ((enum msg_kind)m->kind) {
    case MSG_untyped_read:
    case MSG_untyped_write:
    case MSG_untyped_atomic:
    case MSG_untyped_atomic_4x2:
    case MSG_float_atomic:
    case MSG_byte_read:
    case MSG_byte_write:
    case MSG_dword_read:
    case MSG_dword_write:
    case MSG_const_dword_read:
        return lane_message(t, m, exdesc, lanes, payload, resp);
    case MSG_oword_read:
    case MSG_oword_read_unaligned:
    case MSG_oword_write:
    case MSG_const_oword_read:
    case MSG_const_oword_read_unaligned:
        return msg_block(t, m, exdesc, lanes, payload, resp);
    case MSG_oword_dual_read:
    case MSG_oword_dual_write:
    case MSG_const_oword_dual_read:
        return msg_oword_dual(t, m, exdesc, lanes, payload, resp);
    case MSG_typed_read:
    case MSG_typed_write:
    case MSG_typed_atomic:
    case MSG_typed_atomic_4x2:
        return msg_typed(t, m, exdesc, lanes, payload, resp);
    case MSG_media_read:
    case MSG_media_write:
    case MSG_media_read_render:
    case MSG_media_write_render:
        return msg_media(t, m, exdesc, payload, resp);
    case MSG_scratch_read:
    case MSG_scratch_write:
        return msg_scratch(t, m, lanes, payload, resp);
    case MSG_a64_read:
    case MSG_a64_write:
    case MSG_a64_untyped_read:
    case MSG_a64_untyped_write:
    case MSG_a64_atomic:
    case MSG_a64_float_atomic:
        return msg_a64(t, m, lanes, payload, resp);
    case MSG_a64_block_read:
    case MSG_a64_block_write:
        return msg_a64_block(t, m, lanes, payload, resp);
    case MSG_fence:
    case MSG_fence_render:
    case MSG_sampler_flush:
        /* Caches are not modelled: ordering between host threads is all there is to do. The
         * response says nothing but that it has come; what it holds is not defined. */
        atomic_thread_fence(memory_order_seq_cst);
        memset(resp, sim_gpu_options(t->d->gpu)->perturb ? 0xa5 : 0, m->rlen * EU_GRF_SIZE);
        return true;
    case MSG_gateway:
        return msg_gateway(t, m, payload);
    case MSG_end_thread:
        if (!insn->eot)
            return msg_fault(t, m, "a message to the thread spawner that doesn't end the thread");
        return true; /* the sender ends itself */
    case MSG_sampler:
        return msg_sampler(t, m, exdesc, lanes, payload, resp);
    case MSG_N_KINDS:
        break;
    }
    eu_fault(t, "unknown message");
    return false;
}
