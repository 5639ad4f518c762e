/* Images, what all accesses share: coordinates, writes, queries. */
#ifndef GEN_LIB_IMAGE_H
#define GEN_LIB_IMAGE_H

#include "gen.h"
#include "vector.h"

enum { WIDTH, HEIGHT, DEPTH, LAYERS, ORDER, TYPE };

/* Coordinates by type of image: C their type, I integers as they are. */
#define C_1d(t)  t
#define I_1d     c, 0, 0
#define C_1da(t) t##2
#define I_1da    c.x, c.y, 0
#define C_2d(t)  t##2
#define I_2d     c.x, c.y, 0
#define C_2da(t) t##4
#define I_2da    c.x, c.y, c.z
#define C_3d(t)  t##4
#define I_3d     c.x, c.y, c.z
#define C_2dd(t) t##2
#define I_2dd    c.x, c.y, 0
#define C_2dad(t) t##4
#define I_2dad   c.x, c.y, c.z
#define C_1db(t) t
#define I_1db    c, 0, 0
#define WRITE(s, T, access, a)                                                                     \
    void OVER write_imagef(access T im, C_##s(int) c, float4 v)                                    \
    {                                                                                              \
        __gen_write_##s##a(im, I_##s, as_uint4(v));                                                \
    }                                                                                              \
    void OVER write_imagei(access T im, C_##s(int) c, int4 v)                                      \
    {                                                                                              \
        __gen_write_##s##a(im, I_##s, as_uint4(v));                                                \
    }                                                                                              \
    void OVER write_imageui(access T im, C_##s(int) c, uint4 v)                                    \
    {                                                                                              \
        __gen_write_##s##a(im, I_##s, v);                                                          \
    }

#define QUERY(s, T, access, q)                                                                     \
    int PURE get_image_width(access T im)                                                          \
    {                                                                                              \
        return (int)__gen_image_##s##_##q(im, WIDTH);                                              \
    }                                                                                              \
    int PURE get_image_channel_order(access T im)                                                  \
    {                                                                                              \
        return (int)__gen_image_##s##_##q(im, ORDER);                                              \
    }                                                                                              \
    int PURE get_image_channel_data_type(access T im)                                              \
    {                                                                                              \
        return (int)__gen_image_##s##_##q(im, TYPE);                                               \
    }
#define QUERY_2D(s, T, access, q)                                                                  \
    int PURE get_image_height(access T im)                                                         \
    {                                                                                              \
        return (int)__gen_image_##s##_##q(im, HEIGHT);                                             \
    }
#define QUERY_DIM2(T, access)                                                                      \
    int2 PURE get_image_dim(access T im)                                                           \
    {                                                                                              \
        return (int2)(get_image_width(im), get_image_height(im));                                  \
    }
#define QUERY_3D(access, q)                                                                        \
    int PURE get_image_depth(access image3d_t im)                                                  \
    {                                                                                              \
        return (int)__gen_image_3d_##q(im, DEPTH);                                                 \
    }                                                                                              \
    int4 PURE get_image_dim(access image3d_t im)                                                   \
    {                                                                                              \
        return (int4)(get_image_width(im), get_image_height(im), get_image_depth(im), 0);          \
    }
#define QUERY_LAYERS(s, T, access, q)                                                              \
    size_t PURE get_image_array_size(access T im)                                                  \
    {                                                                                              \
        return __gen_image_##s##_##q(im, LAYERS);                                                  \
    }

/* Depths are one float. */
#define WRITE_DEPTH(s, T, access, a)                                                               \
    void OVER write_imagef(access T im, C_##s(int) c, float v)                                     \
    {                                                                                              \
        __gen_write_##s##a(im, I_##s, as_uint4((float4)(v, 0, 0, 0)));                             \
    }

#define ALL(access, q)                                                                             \
    QUERY(1d, image1d_t, access, q)                                                                \
    QUERY(1db, image1d_buffer_t, access, q)                                                        \
    QUERY(1da, image1d_array_t, access, q)                                                         \
    QUERY(2d, image2d_t, access, q)                                                                \
    QUERY(2da, image2d_array_t, access, q)                                                         \
    QUERY(3d, image3d_t, access, q)                                                                \
    QUERY_2D(2d, image2d_t, access, q)                                                             \
    QUERY_2D(2da, image2d_array_t, access, q)                                                      \
    QUERY_2D(3d, image3d_t, access, q)                                                             \
    QUERY_DIM2(image2d_t, access)                                                                  \
    QUERY_DIM2(image2d_array_t, access)                                                            \
    QUERY_3D(access, q)                                                                            \
    QUERY_LAYERS(1da, image1d_array_t, access, q)                                                  \
    QUERY_LAYERS(2da, image2d_array_t, access, q)                                                  \
    QUERY(2dd, image2d_depth_t, access, q)                                                         \
    QUERY(2dad, image2d_array_depth_t, access, q)                                                  \
    QUERY_2D(2dd, image2d_depth_t, access, q)                                                      \
    QUERY_2D(2dad, image2d_array_depth_t, access, q)                                               \
    QUERY_DIM2(image2d_depth_t, access)                                                            \
    QUERY_DIM2(image2d_array_depth_t, access)                                                      \
    QUERY_LAYERS(2dad, image2d_array_depth_t, access, q)

#endif
