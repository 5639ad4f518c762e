/* Images read and written as halves. */
#include "gen.h"

#define OVER __attribute__((overloadable))
#define READ_AT(T, C)                                                                              \
    half4 OVER read_imageh(read_only T image, sampler_t sampler, C at)                             \
    {                                                                                              \
        return convert_half4(read_imagef(image, sampler, at));                                     \
    }
#define IMAGE(T, I)                                                                                \
    half4 OVER read_imageh(read_only T image, I at)                                                \
    {                                                                                              \
        return convert_half4(read_imagef(image, at));                                              \
    }                                                                                              \
    void OVER write_imageh(write_only T image, I at, half4 color)                                  \
    {                                                                                              \
        write_imagef(image, at, convert_float4(color));                                            \
    }
#define SAMPLED(T, I, F) READ_AT(T, I) READ_AT(T, F) IMAGE(T, I)
SAMPLED(image1d_t, int, float)
SAMPLED(image1d_array_t, int2, float2)
SAMPLED(image2d_t, int2, float2)
SAMPLED(image2d_array_t, int4, float4)
SAMPLED(image3d_t, int4, float4)
IMAGE(image1d_buffer_t, int)
