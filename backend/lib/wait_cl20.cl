/* Compiled as OpenCL C 2.0: Clang declares wait_group_events with a generic pointer in every version. The
 * work-items made the copies, so what is waited for is a barrier; which events doesn't matter. */
#include "gen.h"

void __attribute__((overloadable, convergent)) wait_group_events(int n, event_t *events)
{
    __gen_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
