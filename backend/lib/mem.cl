/* Loops for the memcpy, memmove and memset that LLVM's optimiser left: one function for each pair of
 * address spaces (private 0, global 1, constant 2, local 3) and unit. passes.c calls them. */
#include "gen.h"

#define COPY(unit, T, to, to_space, from, from_space)                                              \
    void __gen_copy##unit##_##to##from(to_space uchar *dst, const from_space uchar *src, size_t n) \
    {                                                                                              \
        for (size_t i = 0; i < n; i += unit)                                                       \
            *(to_space T *)(dst + i) = *(const from_space T *)(src + i);                           \
    }
#define MOVE(unit, T, sp, space)                                                                   \
    void __gen_move##unit##_##sp##sp(space uchar *dst, const space uchar *src, size_t n)           \
    {                                                                                              \
        if (dst <= src) {                                                                          \
            for (size_t i = 0; i < n; i += unit)                                                   \
                *(space T *)(dst + i) = *(const space T *)(src + i);                               \
        } else {                                                                                   \
            for (size_t i = n; i; i -= unit)                                                       \
                *(space T *)(dst + i - unit) = *(const space T *)(src + i - unit);                 \
        }                                                                                          \
    }
#define SET(sp, space)                                                                             \
    void __gen_set1_##sp(space uchar *dst, uchar v, size_t n)                                      \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            dst[i] = v;                                                                            \
    }                                                                                              \
    void __gen_set4_##sp(space uchar *dst, uchar v, size_t n)                                      \
    {                                                                                              \
        for (size_t i = 0; i < n; i += 4)                                                          \
            *(space uint *)(dst + i) = v * 0x01010101u;                                            \
    }
#define TO(unit, T, to, to_space)                                                                  \
    COPY(unit, T, to, to_space, 0, __private)                                                      \
    COPY(unit, T, to, to_space, 1, __global)                                                       \
    COPY(unit, T, to, to_space, 2, __constant)                                                     \
    COPY(unit, T, to, to_space, 3, __local)                                                        \
    MOVE(unit, T, to, to_space)
#define SPACE(sp, space)                                                                           \
    TO(1, uchar, sp, space)                                                                        \
    TO(4, uint, sp, space)                                                                         \
    SET(sp, space)

/* mem_cl20.cl is this file, for generic pointers (4). */
#if __OPENCL_C_VERSION__ >= 200
#define FROM_GENERIC(to, to_space)                                                                 \
    COPY(1, uchar, to, to_space, 4, __generic)                                                     \
    COPY(4, uint, to, to_space, 4, __generic)
SPACE(4, __generic)
FROM_GENERIC(0, __private)
FROM_GENERIC(1, __global)
FROM_GENERIC(3, __local)
FROM_GENERIC(4, __generic)
#else
SPACE(0, __private)
SPACE(1, __global)
SPACE(3, __local)
#endif
