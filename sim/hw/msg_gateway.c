/* The message gateway: barriers. Its other functions pass messages between threads that know each
 * other by gateways they opened, which the threads of a walker have no business with; they are
 * faults. Source: Intel PRM volume 4, "Message Gateway". */
#include "msg.h"

bool msg_gateway(struct eu_thread *t, const struct msg *m, const uint8_t *payload)
{
    static const char *const names[8] = {"OpenGateway",  "CloseGateway", "ForwardMsg",
                                         "GetTimeStamp", "BarrierMsg",   "UpdateGatewayState",
                                         "MMIO access",  "reserved"};
    if (m->gateway_fn != MSG_GATEWAY_BARRIER)
        return msg_fault(t, m, "gateway function %u (%s): threads of a walker have BarrierMsg only",
                         m->gateway_fn, names[m->gateway_fn & 7]);
    unsigned id = msg_dword(payload, 2) >> 24 & 0xf;
    if (id != t->group->barrier_id)
        return msg_fault(t, m, "barrier id %u in the payload, the group's is %u", id,
                         t->group->barrier_id);
    return group_barrier_arrive(t);
}
