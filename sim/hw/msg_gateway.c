/* The message gateway: barriers. Source: Intel PRM volume 4, "Message Gateway". */
#include "msg.h"

bool msg_gateway(struct eu_thread *t, const struct msg *m, const uint8_t *payload)
{
    if (m->gateway_fn != MSG_GATEWAY_BARRIER)
        return msg_fault(t, m, "gateway function %u is not modelled", m->gateway_fn);
    unsigned id = msg_dword(payload, 2) >> 24 & 0xf;
    if (id != t->group->barrier_id)
        return msg_fault(t, m, "barrier id %u in the payload, the group's is %u", id,
                         t->group->barrier_id);
    return group_barrier_arrive(t);
}
