/* Work-item functions and barriers of OpenCL C 2.0. Groups are uniform: all have the size that was asked for. */
#include "gen.h"

#define OVER __attribute__((overloadable))

size_t __attribute__((overloadable, const)) get_enqueued_local_size(uint dim)
{
    return dim < 3 ? __gen_local_size(dim) : 1;
}

size_t __attribute__((overloadable, const)) get_local_linear_id(void)
{
    return (__gen_local_id(2) * __gen_local_size(1) + __gen_local_id(1)) * __gen_local_size(0) +
           __gen_local_id(0);
}

static size_t global_id(uint dim)
{
    return __gen_global_id(dim) - __gen_global_offset(dim);
}

size_t __attribute__((overloadable, const)) get_global_linear_id(void)
{
    return (global_id(2) * __gen_global_size(1) + global_id(1)) * __gen_global_size(0) +
           global_id(0);
}

void __attribute__((overloadable, convergent)) work_group_barrier(cl_mem_fence_flags flags)
{
    __gen_barrier(flags);
}

void __attribute__((overloadable, convergent))
work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    __gen_barrier(flags);
}
