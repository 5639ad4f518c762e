/* Images: typed surfaces as the typed messages and the sampler see them. A surface state is taken
 * apart and checked once a dispatch (struct image); a message opens a view and reads or writes
 * texels by integer coordinates. Owner of everything returned: the dispatch.
 *
 * Files: image.c (surface states, slices and levels, texels), image_tile.c (tilings),
 * image_format.c (conversions). */
#ifndef SIM_HW_IMAGE_H
#define SIM_HW_IMAGE_H

#include "msg.h"

#include "gen/format.h"

/* One texel, channels in the order R, G, B, A. Which member counts says the format's class. */
union texel {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

enum texel_class { TEXEL_FLOAT, TEXEL_UINT, TEXEL_SINT };

/* How a format's texels are converted, in the form that is quick to use. */
struct texel_codec {
    const struct gen_format *format;
    uint8_t bytes;
    uint8_t lo[4], bits[4]; /* R, G, B, A; 0 bits: missing */
    uint8_t odd_lo;         /* YCRCB: of Y of a pair's second texel */
    uint8_t form;           /* of those that most images have; image_format.c's */
};

enum { IMAGE_MAX_LEVELS = 15 };
/* Where slices and levels lie. */
enum image_layout {
    LAYOUT_SLICES, /* slice below slice, qpitch rows apart; levels from 2 on beside level 1 */
    LAYOUT_PACKED, /* 3D up to Gen8: level n has 2^n slices beside each other */
    LAYOUT_LINE,   /* 1D of Gen9: levels, then slices, one after the other in one row */
    LAYOUT_BUFFER
};
/* As CMD_TILE_* of gen/cmd.h. */
enum image_tiling { TILING_LINEAR = 0, TILING_X = 2, TILING_Y = 3 };

struct image {
    const struct gen_format *format;
    struct texel_codec codec;
    uint8_t type; /* enum cmd_surface_type: CMD_SURFACE_1D, 2D, 3D, CUBE, BUFFER, NULL */
    bool array;
    uint8_t texel_class; /* enum texel_class */
    uint8_t tiling;      /* enum image_tiling */
    uint8_t layout;      /* enum image_layout */
    /* Levels: 0 of the functions below is the surface's min LOD, n_levels - 1 its last. */
    uint8_t min_lod, n_levels;
    uint8_t select[4]; /* shader channel selects (7.5 and later), CMD_SELECT_*; else the identity */
    bool selects;      /* they aren't the identity */
    /* Texels of absolute LOD 0; BUFFER: width is the number of elements (of a RAW one bytes).
     * depth: of a 3D image its depth, else the layers an array has (1 without array; a cube 6
     * each). */
    uint32_t width, height, depth;
    uint32_t min_element;        /* added to the layer (typed messages to 3D images: to z) */
    uint32_t view_extent;        /* slices of a 3D image that typed messages reach */
    uint32_t pitch;              /* bytes a row; BUFFER: an element */
    uint32_t qpitch;             /* rows (1D of Gen9: texels) from slice to slice */
    uint32_t halign, valign;     /* texels, rows */
    uint32_t x_offset, y_offset; /* texels, rows; of tiled surfaces */
    gpu_addr base;
    gpu_addr state; /* of the surface state, for texts */
    struct {
        uint32_t x, y; /* where an absolute LOD starts: texels, rows */
    } level[IMAGE_MAX_LEVELS];
    char wrong[160]; /* the rule that the state breaks; "" if none */
};

/* What the message's binding table index names, as an image. NULL: fault recorded (no image, or a
 * state that the hardware forbids). Any type may come, also NULL (all accesses are out of bounds)
 * and BUFFER (also RAW: for resinfo). The message checks what it can do with the format. */
const struct image *image_get(struct eu_thread *t, const struct msg *m, uint32_t exdesc);

/* Extent of a level in texels; [2] is depth (3D), layers, or cube faces. 0, 0, 0 for a NULL
 * surface. */
void image_size(const struct image *i, unsigned lod, uint32_t size[3]);

/* A message's way to the texels of one image. */
struct image_view {
    const struct image *image;
    struct view view;
};

/* write: stores and atomics will follow. */
void image_view_open(struct image_view *v, struct eu_thread *t, const struct msg *m,
                     const struct image *i, bool write);
/* Reads the texel at x, y, z (z: slice, layer or face; unused coordinates are 0; 1D arrays: layer
 * in at[2]), which is inside the image. Converted: sRGB linear, channels that the format lacks 0,
 * 0, 0, 1, channel selects applied. False: page fault recorded. */
bool image_load(struct image_view *v, const int32_t at[3], unsigned lod, int lane,
                union texel *out);
/* A texel (a border colour) through the image's channel selects. */
void image_select(const struct image *i, const union texel *in, union texel *out);
/* image_load() without channel selects, as typed reads do. */
bool image_load_plain(struct image_view *v, const int32_t at[3], unsigned lod, int lane,
                      union texel *out);
/* Writes channels (bit 0: red, ...) of a texel inside the image, rounded and clamped to the format.
 */
bool image_store(struct image_view *v, const int32_t at[3], unsigned lod, int lane,
                 unsigned channels, const union texel *in);
/* Where a texel lies, in bytes from the image's base. */
uint64_t image_offset(const struct image *i, const int32_t at[3], unsigned lod);

/* ---- image.c -> msg.c ---- */
/* Takes the surface state in dw apart; i->wrong says what is wrong with it. */
void image_decode(int gen, const uint32_t *dw, gpu_addr state, struct image *i);

/* ---- image_tile.c ---- */
/* Byte offset of byte x of row y in a surface. */
uint64_t tile_offset(enum image_tiling tiling, uint32_t pitch, uint32_t x, uint32_t y);
/* Width in bytes and height in rows of a tile. */
void tile_size(enum image_tiling tiling, uint32_t *width, uint32_t *rows);

/* ---- image_format.c ---- */
enum texel_class format_class(const struct gen_format *f);
void codec_init(struct texel_codec *c, const struct gen_format *f);
/* Converts one texel from memory (c->bytes bytes; of YCRCB formats the four of a pair, `odd` for
 * its second texel). Channels that the format lacks: 0, 0, 0, 1. */
void codec_load(const struct texel_codec *c, const uint8_t *from, bool odd, union texel *out);
/* Converts to memory; not for YCRCB. Bits that belong to none of `channels` stay, unless all four
 * are given; channels that the format lacks are ignored. */
void codec_store(const struct texel_codec *c, uint8_t *to, unsigned channels,
                 const union texel *in);

#endif
