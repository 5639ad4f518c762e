/* See image_format.h. */
#include "src/core/image_format.h"

#include "gen/cmd.h"
#include "gen/device.h"
#include "gen/feature.h"
#include "gen/format.h"

#include <math.h>
#include <string.h>

/* Sets of channel types. */
#define TYPE(t) (1u << ((t)-CL_SNORM_INT8))
enum {
    NORM8 = TYPE(CL_SNORM_INT8) | TYPE(CL_UNORM_INT8),
    INT8 = TYPE(CL_SIGNED_INT8) | TYPE(CL_UNSIGNED_INT8),
    FLOATS = TYPE(CL_HALF_FLOAT) | TYPE(CL_FLOAT),
    GREY = NORM8 | TYPE(CL_SNORM_INT16) | TYPE(CL_UNORM_INT16) | FLOATS,
    PLAIN = GREY | INT8 | TYPE(CL_SIGNED_INT16) | TYPE(CL_UNSIGNED_INT16) | TYPE(CL_SIGNED_INT32) |
            TYPE(CL_UNSIGNED_INT32),
    PACKED = TYPE(CL_UNORM_SHORT_565) | TYPE(CL_UNORM_SHORT_555) | TYPE(CL_UNORM_INT_101010)
};

/* Which types an order goes with (OpenCL 5.3.1.1, tables of channel orders and types). */
static const struct order {
    cl_channel_order order;
    unsigned channels, types;
} orders[] = {
    {CL_R, 1, PLAIN},
    {CL_A, 1, PLAIN},
    {CL_RG, 2, PLAIN},
    {CL_RA, 2, PLAIN},
    {CL_Rx, 2, PLAIN},
    {CL_RGx, 3, PLAIN},
    {CL_RGBA, 4, PLAIN | TYPE(CL_UNORM_INT_101010_2)},
    {CL_RGB, 3, PACKED},
    {CL_RGBx, 4, PACKED},
    {CL_ARGB, 4, NORM8 | INT8},
    {CL_BGRA, 4, NORM8 | INT8},
    {CL_ABGR, 4, NORM8 | INT8},
    {CL_INTENSITY, 1, GREY},
    {CL_LUMINANCE, 1, GREY},
    {CL_DEPTH, 1, TYPE(CL_UNORM_INT16) | TYPE(CL_FLOAT)},
    {CL_sRGB, 3, TYPE(CL_UNORM_INT8)},
    {CL_sRGBx, 4, TYPE(CL_UNORM_INT8)},
    {CL_sRGBA, 4, TYPE(CL_UNORM_INT8)},
    {CL_sBGRA, 4, TYPE(CL_UNORM_INT8)},
};

static size_t channel_size(cl_channel_type t)
{
    switch (t) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
        return 1;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
        return 2;
    }
    return 4;
}

size_t image_pixel_size(cl_image_format f)
{
    cl_channel_type t = f.image_channel_data_type;
    if (t < CL_SNORM_INT8 || t > CL_UNORM_INT_101010_2)
        return 0;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (orders[i].order != f.image_channel_order || !(orders[i].types & TYPE(t)))
            continue;
        if (t == CL_UNORM_SHORT_565 || t == CL_UNORM_SHORT_555)
            return 2;
        if (t == CL_UNORM_INT_101010 || t == CL_UNORM_INT_101010_2)
            return 4;
        return orders[i].channels * channel_size(t);
    }
    return 0;
}

#define SELECT(c)                                                                                  \
    ((c) == 'R'   ? CMD_SELECT_R                                                                   \
     : (c) == 'G' ? CMD_SELECT_G                                                                   \
     : (c) == 'B' ? CMD_SELECT_B                                                                   \
     : (c) == 'A' ? CMD_SELECT_A                                                                   \
     : (c) == '1' ? CMD_SELECT_ONE                                                                 \
                  : CMD_SELECT_ZERO)

static const struct image_format formats[] = {
#define IMAGE_FORMAT(order, type, name, s)                                                         \
    {{order, type}, FORMAT_##name, {SELECT(s[0]), SELECT(s[1]), SELECT(s[2]), SELECT(s[3])}},
#include "image_format.def"
#undef IMAGE_FORMAT
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const struct image_format *image_format_at(unsigned i)
{
    return i < N_FORMATS ? &formats[i] : NULL;
}

const struct image_format *image_format_find(cl_image_format f)
{
    for (unsigned i = 0; i < N_FORMATS; i++)
        if (formats[i].cl.image_channel_order == f.image_channel_order &&
            formats[i].cl.image_channel_data_type == f.image_channel_data_type)
            return &formats[i];
    return NULL;
}

static bool selects(const struct image_format *f)
{
    return f->select[0] | f->select[1] | f->select[2] | f->select[3];
}

bool image_format_offered(const struct image_format *f, const struct gen_device *hw,
                          cl_mem_flags flags)
{
    const struct gen_format *g = format_find(f->code);
    bool reads = format_can(g->sampled, hw->gen) && (!selects(f) || hw->gen >= 75);
    bool writes = format_can(g->typed_write, hw->gen) && !selects(f);
    if (flags & CL_MEM_KERNEL_READ_AND_WRITE)
        return reads && writes && gen_has(hw, GEN_HAS___opencl_c_read_write_images);
    return flags & CL_MEM_READ_ONLY ? reads : flags & CL_MEM_WRITE_ONLY ? writes : reads && writes;
}

bool image_format_fits(const struct image_format *f, cl_mem_object_type type)
{
    return f->cl.image_channel_order != CL_DEPTH || type == CL_MEM_OBJECT_IMAGE2D ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

bool image_format_opaque(const struct image_format *f)
{
    switch (f->cl.image_channel_order) {
    case CL_R:
    case CL_RG:
    case CL_RGB:
    case CL_LUMINANCE:
        return true;
    }
    return false;
}

bool image_format_integer(const struct image_format *f)
{
    uint8_t type = format_find(f->code)->type;
    return type == FORMAT_TYPE_UINT || type == FORMAT_TYPE_SINT;
}

/* ---- colours to texels: OpenCL C 6.13.14 "conversion rules" ---- */

/* To the nearest integer, ties to even; NaN gives 0. */
static int64_t scaled(float v, float least, int64_t max)
{
    if (!(v >= least)) /* below, or NaN */
        v = v < least ? least : 0;
    if (v > 1)
        v = 1;
    return (int64_t)rint((double)v * (double)max);
}

static double to_srgb(float v)
{
    if (!(v > 0))
        return 0;
    if (v > 1)
        return 1;
    return v < 0.0031308f ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static uint32_t pack_float(float v, unsigned bits)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    if (bits == 32)
        return u;
    _Float16 h = (_Float16)v;
    uint16_t w;
    memcpy(&w, &h, sizeof w);
    return w;
}

static uint32_t pack_part(const struct gen_format *g, unsigned bits, bool alpha, uint32_t source)
{
    float v;
    int32_t i = (int32_t)source;
    int64_t max = ((int64_t)1 << bits) - 1, half = max >> 1;
    memcpy(&v, &source, sizeof v);
    switch ((enum format_type)g->type) {
    case FORMAT_TYPE_UINT:
        return (uint32_t)(source > max ? max : source);
    case FORMAT_TYPE_SINT:
        return (uint32_t)(i > half ? half : i < -half - 1 ? -half - 1 : i);
    case FORMAT_TYPE_SNORM:
        return (uint32_t)scaled(v, -1, half);
    case FORMAT_TYPE_FLOAT:
        return pack_float(v, bits);
    case FORMAT_TYPE_SRGB:
        if (!alpha)
            return (uint32_t)floor(255 * to_srgb(v) + 0.5);
        break;
    case FORMAT_TYPE_UNORM:
    case FORMAT_TYPE_YCRCB:
        break;
    }
    return (uint32_t)scaled(v, 0, max);
}

/* Which of the colour's channels goes into channel c of the surface format; -1: none. */
static int source_of(const struct image_format *f, unsigned c)
{
    if (!selects(f))
        return (int)c;
    for (int k = 0; k < 4; k++)
        if (f->select[k] == CMD_SELECT_R + c)
            return k;
    return -1;
}

void image_format_pack(const struct image_format *f, const void *color, uint8_t texel[16])
{
    const struct gen_format *g = format_find(f->code);
    uint32_t words[4] = {0}, done[4] = {0}, source[4];
    memset(source, 0, sizeof source);
    memcpy(source, color, f->cl.image_channel_order == CL_DEPTH ? sizeof *source : sizeof source);
    for (unsigned c = 0; c < 4; c++) {
        unsigned lo, bits;
        int from = source_of(f, c);
        if (from < 0 || !format_channel(g, c, &lo, &bits))
            continue;
        uint32_t part = pack_part(g, bits, c == 3, source[from]);
        uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
        if (done[lo / 32] & mask << lo % 32) /* L and I stand for several: red is stored */
            continue;
        done[lo / 32] |= mask << lo % 32;
        words[lo / 32] |= (part & mask) << lo % 32;
    }
    memcpy(texel, words, sizeof words);
}
