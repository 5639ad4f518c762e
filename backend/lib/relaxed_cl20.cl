/* sincos with -cl-unsafe-math-optimizations (relax.c), for pointers of all spaces. */
#include "gen.h"
#include "vector.h"

#define SINCOS_N(T, AS)                                                                            \
    T OVER relaxed_sincos(T x, AS T *p)                                                            \
    {                                                                                              \
        *p = native_cos(x);                                                                        \
        return native_sin(x);                                                                      \
    }
#define SINCOS(AS)                                                                                 \
    SINCOS_N(float, AS)                                                                            \
    SINCOS_N(float2, AS)                                                                           \
    SINCOS_N(float3, AS) SINCOS_N(float4, AS) SINCOS_N(float8, AS) SINCOS_N(float16, AS)
SINCOS(__private)
SINCOS(__global)
SINCOS(__local)
SINCOS(__generic)
