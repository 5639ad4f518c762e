/* fract: a zero is itself, and of an infinity 0, where x - floor(x) would be no number (OpenCL C 3.0, 7.5.1). */
#include "gen.h"
#include "vector.h"

#define SCALAR(T, below_1, AS)                                                                     \
    T OVER fract(T x, AS T *p)                                                                     \
    {                                                                                              \
        T whole = floor(x), part = x - whole;                                                      \
        *p = whole;                                                                                \
        part = part > below_1 ? below_1 : part;                                                    \
        return x != whole ? part : x == 0 ? x : 0;                                                 \
    }
#define VECTOR(T, n, AS)                                                                           \
    T##n OVER fract(T##n x, AS T##n *p)                                                            \
    {                                                                                              \
        T##n r, q;                                                                                 \
        for (int i = 0; i < n; i++) {                                                              \
            T one;                                                                                 \
            r[i] = fract(x[i], &one);                                                              \
            q[i] = one;                                                                            \
        }                                                                                          \
        *p = q;                                                                                    \
        return r;                                                                                  \
    }
#define SPACE(T, below_1, AS)                                                                      \
    SCALAR(T, below_1, AS)                                                                         \
    VECTOR(T, 2, AS) VECTOR(T, 3, AS) VECTOR(T, 4, AS) VECTOR(T, 8, AS) VECTOR(T, 16, AS)
#define TYPE(T, below_1)                                                                           \
    T PURE floor(T);                                                                               \
    SPACE(T, below_1, __private)                                                                   \
    SPACE(T, below_1, __global) SPACE(T, below_1, __local)
TYPE(float, 0x1.fffffep-1f)
TYPE(double, 0x1.fffffffffffffp-1)
