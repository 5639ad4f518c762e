/* Barriers, fences, asynchronous copies. Copies are made by the work-items of the group, each its
 * share; waiting for them is a barrier (wait_cl20.cl). */
#include "gen.h"

void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags flags)
{
    __gen_barrier(flags);
}

void __attribute__((overloadable)) mem_fence(cl_mem_fence_flags flags)
{
    __gen_fence(flags);
}

void __attribute__((overloadable)) read_mem_fence(cl_mem_fence_flags flags)
{
    __gen_fence(flags);
}

void __attribute__((overloadable)) write_mem_fence(cl_mem_fence_flags flags)
{
    __gen_fence(flags);
}

static uint linear_id(void)
{
    return (__gen_local_id(2) * __gen_local_size(1) + __gen_local_id(1)) * __gen_local_size(0) +
           __gen_local_id(0);
}

static uint group_size(void)
{
    return __gen_local_size(0) * __gen_local_size(1) * __gen_local_size(2);
}

#define COPY(T, to, from)                                                                          \
    event_t __attribute__((overloadable, convergent))                                              \
    async_work_group_copy(to T *dst, const from T *src, size_t n, event_t event)                   \
    {                                                                                              \
        size_t step = group_size();                                                                \
        for (size_t i = linear_id(); i < n; i += step)                                             \
            dst[i] = src[i];                                                                       \
        return event;                                                                              \
    }
#define STRIDED(T)                                                                                 \
    event_t __attribute__((overloadable, convergent)) async_work_group_strided_copy(               \
        __local T *dst, const __global T *src, size_t n, size_t stride, event_t event)             \
    {                                                                                              \
        size_t step = group_size();                                                                \
        for (size_t i = linear_id(); i < n; i += step)                                             \
            dst[i] = src[i * stride];                                                              \
        return event;                                                                              \
    }                                                                                              \
    event_t __attribute__((overloadable, convergent)) async_work_group_strided_copy(               \
        __global T *dst, const __local T *src, size_t n, size_t stride, event_t event)             \
    {                                                                                              \
        size_t step = group_size();                                                                \
        for (size_t i = linear_id(); i < n; i += step)                                             \
            dst[i * stride] = src[i];                                                              \
        return event;                                                                              \
    }
#define PREFETCH(T)                                                                                \
    void __attribute__((overloadable)) prefetch(const __global T *p, size_t n)                     \
    {                                                                                              \
    }
#define COPIES(T)                                                                                  \
    COPY(T, __local, __global)                                                                     \
    COPY(T, __global, __local)                                                                     \
    STRIDED(T)                                                                                     \
    PREFETCH(T)
#define GENTYPE(T) COPIES(T) COPIES(T##2) COPIES(T##3) COPIES(T##4) COPIES(T##8) COPIES(T##16)

GENTYPE(char)
GENTYPE(uchar)
GENTYPE(short)
GENTYPE(ushort)
GENTYPE(int)
GENTYPE(uint)
GENTYPE(long)
GENTYPE(ulong)
GENTYPE(float)
GENTYPE(double)
GENTYPE(half)
