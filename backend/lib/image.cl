/* Images: OpenCL C 6.13.14 over the primitives of gen.h. Floats are sampled. Integers read with a border are
 * fetched texel by texel, because the sampler has no border colour for them on all generations; what lies
 * outside gives zeros, and alpha 1 where the channel order has none. */
#include "image.h"

enum { NORMALIZED = 1, ADDRESS = 0xe, EDGE = 2, BORDER = 4, NEAREST = 0x10 }; /* CLK_* */

/* The sampler takes a coordinate little below 0 for texel 0; with a border it has to be outside. */
static float away(float c, uint bits)
{
    return (bits & (ADDRESS | NEAREST)) == (BORDER | NEAREST) && c < 0 ? -1.0f : c;
}

/* Layers are never wrapped, nor normalized. */
static float layer(float c, uint n)
{
    return fmax(fmin(rint(c), (float)(n - 1)), 0.0f);
}

static int layer_i(int c, uint n)
{
    return max(min(c, (int)n - 1), 0);
}

/* A float coordinate as that of a texel. */
static int texel(float c, uint size, uint bits)
{
    return (int)floor(bits & NORMALIZED ? c * (float)size : c);
}

/* An integer coordinate outside: with CLAMP_TO_EDGE that of the edge. */
static int edge(int c, uint size, uint bits)
{
    return (bits & ADDRESS) == EDGE ? max(min(c, (int)size - 1), 0) : c;
}

static uint4 border_alpha(uint4 t, bool out, uint order)
{
    if (out && (order == CLK_R || order == CLK_RG))
        t.w = 1;
    return t;
}

/* Coordinates by type of image. F: floats for the sampler; T: texels; I: integers as they are;
 * OUT: outside of the image, where layers can't be. */
#define W(s) __gen_image_##s##_ro(im, WIDTH)
#define H(s) __gen_image_##s##_ro(im, HEIGHT)
#define D(s) __gen_image_##s##_ro(im, DEPTH)
#define N(s) __gen_image_##s##_ro(im, LAYERS)

#define F_1d     away(c, bits), 0, 0
#define T_1d     texel(c, W(1d), bits), 0, 0
#define E_1d     edge(c, W(1d), bits), 0, 0
#define OUT_1d   (uint)u >= W(1d)

#define F_1da    away(c.x, bits), layer(c.y, N(1da)), 0
#define T_1da    texel(c.x, W(1da), bits), (int)layer(c.y, N(1da)), 0
#define E_1da    edge(c.x, W(1da), bits), layer_i(c.y, N(1da)), 0
#define OUT_1da  (uint)u >= W(1da)

#define F_2d     away(c.x, bits), away(c.y, bits), 0
#define T_2d     texel(c.x, W(2d), bits), texel(c.y, H(2d), bits), 0
#define E_2d     edge(c.x, W(2d), bits), edge(c.y, H(2d), bits), 0
#define OUT_2d   (uint)u >= W(2d) || (uint)v >= H(2d)

#define F_2da    away(c.x, bits), away(c.y, bits), layer(c.z, N(2da))
#define T_2da    texel(c.x, W(2da), bits), texel(c.y, H(2da), bits), (int)layer(c.z, N(2da))
#define E_2da    edge(c.x, W(2da), bits), edge(c.y, H(2da), bits), layer_i(c.z, N(2da))
#define OUT_2da  (uint)u >= W(2da) || (uint)v >= H(2da)

#define F_3d     away(c.x, bits), away(c.y, bits), away(c.z, bits)
#define T_3d     texel(c.x, W(3d), bits), texel(c.y, H(3d), bits), texel(c.z, D(3d), bits)
#define E_3d     edge(c.x, W(3d), bits), edge(c.y, H(3d), bits), edge(c.z, D(3d), bits)
#define OUT_3d   (uint)u >= W(3d) || (uint)v >= H(3d) || (uint)r >= D(3d)

#define READ_INTEGER(s, T, name, type)                                                             \
    type##4 OVER name(read_only T im, sampler_t smp, C_##s(float) c)                               \
    {                                                                                              \
        uint bits = __gen_sampler_bits(smp);                                                       \
        if ((bits & ADDRESS) == BORDER)                                                            \
            return as_##type##4(with_border_##s(im, T_##s));                                       \
        return as_##type##4(__gen_sample_##s(im, smp, F_##s));                                     \
    }                                                                                              \
    type##4 OVER name(read_only T im, sampler_t smp, C_##s(int) c)                                 \
    {                                                                                              \
        uint bits = __gen_sampler_bits(smp);                                                       \
        if ((bits & ADDRESS) == BORDER)                                                            \
            return as_##type##4(with_border_##s(im, E_##s));                                       \
        return as_##type##4(__gen_ld_##s(im, E_##s));                                              \
    }                                                                                              \
    type##4 OVER name(read_only T im, C_##s(int) c)                                                \
    {                                                                                              \
        return as_##type##4(__gen_ld_##s(im, I_##s));                                              \
    }

#define READ(s, T)                                                                                 \
    static uint4 with_border_##s(read_only T im, int u, int v, int r)                              \
    {                                                                                              \
        return border_alpha(__gen_ld_##s(im, u, v, r), OUT_##s, __gen_image_##s##_ro(im, ORDER));  \
    }                                                                                              \
    float4 OVER read_imagef(read_only T im, sampler_t smp, C_##s(float) c)                         \
    {                                                                                              \
        uint bits = __gen_sampler_bits(smp);                                                       \
        return as_float4(__gen_sample_##s(im, smp, F_##s));                                        \
    }                                                                                              \
    float4 OVER read_imagef(read_only T im, sampler_t smp, C_##s(int) at)                          \
    {                                                                                              \
        uint bits = __gen_sampler_bits(smp);                                                       \
        C_##s(float) c = CONVERT_##s(at);                                                          \
        return as_float4(__gen_sample_##s(im, smp, F_##s));                                        \
    }                                                                                              \
    float4 OVER read_imagef(read_only T im, C_##s(int) c)                                          \
    {                                                                                              \
        return as_float4(__gen_ld_##s(im, I_##s));                                                 \
    }                                                                                              \
    READ_INTEGER(s, T, read_imagei, int)                                                           \
    READ_INTEGER(s, T, read_imageui, uint)

#define CONVERT_1d(c)  (float)c
#define CONVERT_1da(c) convert_float2(c)
#define CONVERT_2d(c)  convert_float2(c)
#define CONVERT_2da(c) convert_float4(c)
#define CONVERT_3d(c)  convert_float4(c)

READ(1d, image1d_t)
READ(1da, image1d_array_t)
READ(2d, image2d_t)
READ(2da, image2d_array_t)
READ(3d, image3d_t)

/* Depths: sampled as others, one channel of them. */
#define F_2dd        F_2d
#define CONVERT_2dd(c) convert_float2(c)
#define F_2dad       away(c.x, bits), away(c.y, bits), layer(c.z, N(2dad))
#define CONVERT_2dad(c) convert_float4(c)
#define READ_DEPTH(s, T)                                                                           \
    float OVER read_imagef(read_only T im, sampler_t smp, C_##s(float) c)                          \
    {                                                                                              \
        uint bits = __gen_sampler_bits(smp);                                                       \
        return as_float(__gen_sample_##s(im, smp, F_##s).x);                                       \
    }                                                                                              \
    float OVER read_imagef(read_only T im, sampler_t smp, C_##s(int) at)                           \
    {                                                                                              \
        uint bits = __gen_sampler_bits(smp);                                                       \
        C_##s(float) c = CONVERT_##s(at);                                                          \
        return as_float(__gen_sample_##s(im, smp, F_##s).x);                                       \
    }                                                                                              \
    float OVER read_imagef(read_only T im, C_##s(int) c)                                           \
    {                                                                                              \
        return as_float(__gen_ld_##s(im, I_##s).x);                                                \
    }
READ_DEPTH(2dd, image2d_depth_t)
READ_DEPTH(2dad, image2d_array_depth_t)

float4 OVER read_imagef(read_only image1d_buffer_t im, int c)
{
    return as_float4(__gen_ld_1db(im, c, 0, 0));
}
int4 OVER read_imagei(read_only image1d_buffer_t im, int c)
{
    return as_int4(__gen_ld_1db(im, c, 0, 0));
}
uint4 OVER read_imageui(read_only image1d_buffer_t im, int c)
{
    return __gen_ld_1db(im, c, 0, 0);
}

ALL(read_only, ro)
ALL(write_only, wo)
WRITE(1d, image1d_t, write_only, )
WRITE(1db, image1d_buffer_t, write_only, )
WRITE(1da, image1d_array_t, write_only, )
WRITE(2d, image2d_t, write_only, )
WRITE(2da, image2d_array_t, write_only, )
WRITE(3d, image3d_t, write_only, )
WRITE_DEPTH(2dd, image2d_depth_t, write_only, )
WRITE_DEPTH(2dad, image2d_array_depth_t, write_only, )
