/* What takes generic pointers, from OpenCL C 2.0 on. */
#include "generic.h"

MATH(float)
MATH(double)

VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(float)
VECTORS(double)

/* Where a pointer points. Clang makes calls of these of to_global and its kin. */
global void *__to_global(void *p)
{
    return __gen_pointer_tag(p) < 2 ? (global void *)p : (global void *)0;
}

local void *__to_local(void *p)
{
    return __gen_pointer_tag(p) == 2 ? (local void *)p : (local void *)0;
}

private void *__to_private(void *p)
{
    return __gen_pointer_tag(p) == 3 ? (private void *)p : (private void *)0;
}

cl_mem_fence_flags OVER get_fence(const void *p)
{
    return __gen_pointer_tag(p) == 2 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

cl_mem_fence_flags OVER get_fence(void *p)
{
    return __gen_pointer_tag(p) == 2 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
