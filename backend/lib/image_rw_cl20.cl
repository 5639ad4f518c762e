/* Images that a kernel reads and writes. Reads are the sampler's, as of others: they find what has been written before a
 * fence for images. */
#include "image.h"

#define READ(s, T)                                                                                 \
    float4 OVER read_imagef(read_write T im, C_##s(int) c)                                         \
    {                                                                                              \
        return as_float4(__gen_ld_##s##_rw(im, I_##s));                                            \
    }                                                                                              \
    int4 OVER read_imagei(read_write T im, C_##s(int) c)                                           \
    {                                                                                              \
        return as_int4(__gen_ld_##s##_rw(im, I_##s));                                              \
    }                                                                                              \
    uint4 OVER read_imageui(read_write T im, C_##s(int) c)                                         \
    {                                                                                              \
        return __gen_ld_##s##_rw(im, I_##s);                                                       \
    }
#define READ_WRITE(s, T) READ(s, T) WRITE(s, T, read_write, _rw)

READ_WRITE(1d, image1d_t)
READ_WRITE(1db, image1d_buffer_t)
READ_WRITE(1da, image1d_array_t)
READ_WRITE(2d, image2d_t)
READ_WRITE(2da, image2d_array_t)
READ_WRITE(3d, image3d_t)

#define READ_WRITE_DEPTH(s, T)                                                                     \
    float OVER read_imagef(read_write T im, C_##s(int) c)                                          \
    {                                                                                              \
        return as_float(__gen_ld_##s##_rw(im, I_##s).x);                                           \
    }                                                                                              \
    WRITE_DEPTH(s, T, read_write, _rw)
READ_WRITE_DEPTH(2dd, image2d_depth_t)
READ_WRITE_DEPTH(2dad, image2d_array_depth_t)
ALL(read_write, rw)
