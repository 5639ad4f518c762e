/* Images: surface states taken apart and checked; where slices, levels and texels lie; texels in
 * and out. Nothing here has state of its own. Source: Intel PRM volume 4/2, "RENDER_SURFACE_STATE";
 * volume 1/5, "Surface Layout and Tiling". */
#include "image.h"

#include "observe.h"

#include "gen/cmd.h"

#include <stdarg.h>

enum {
    LINE_ALIGN = 64,      /* Gen9: texels that levels of a 1D image start at a multiple of */
    MAX_BUFFER = 1 << 27, /* elements of a typed buffer */
    MAX_3D = 2048,        /* width and height before Gen9 */
    TILE_BASE = 4096,
    N_FACES = 6
};

static uint32_t align(uint32_t v, uint32_t to)
{
    return (v + to - 1) / to * to;
}

/* Extent of a level of an image that is `v` at LOD 0. */
static uint32_t minify(uint32_t v, unsigned lod)
{
    return v >> lod ? v >> lod : 1;
}

static void wrong(struct image *i, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void wrong(struct image *i, const char *fmt, ...)
{
    va_list ap;
    if (i->wrong[0])
        return;
    va_start(ap, fmt);
    vsnprintf(i->wrong, sizeof i->wrong, fmt, ap);
    va_end(ap);
}

/* ---- surface states ---- */

static void decode_tiling(int gen, const uint32_t *dw, struct image *i)
{
    unsigned mode = cmd_get(gen, dw, CMD_SURFACE_STATE_tile_mode);
    if (gen < 80)
        mode = !cmd_get(gen, dw, CMD_SURFACE_STATE_tiled_surface) ? CMD_TILE_LINEAR
               : cmd_get(gen, dw, CMD_SURFACE_STATE_tile_walk)    ? CMD_TILE_Y
                                                                  : CMD_TILE_X;
    if (mode == CMD_TILE_W)
        wrong(i, "W tiling, which only stencil buffers have");
    if (cmd_get(gen, dw, CMD_SURFACE_STATE_tiled_resource_mode))
        wrong(i, "a tiled resource mode (Yf or Ys), which plain images don't have");
    i->tiling = mode;
}

static void decode_alignment(int gen, const uint32_t *dw, struct image *i)
{
    unsigned h = cmd_get(gen, dw, CMD_SURFACE_STATE_halign);
    unsigned v = cmd_get(gen, dw, CMD_SURFACE_STATE_valign);
    if (gen < 80) {
        i->halign = h ? 8 : 4;
        i->valign = v ? 4 : 2;
        if (v > 1)
            wrong(i, "the reserved vertical alignment %u", v);
        if (v == 1 && i->format->type == FORMAT_TYPE_YCRCB)
            wrong(i, "vertical alignment 4 of a YCRCB format");
        return;
    }
    i->halign = 2u << h;
    i->valign = 2u << v;
    if (!h || !v)
        wrong(i, "the reserved %s alignment 0", h ? "vertical" : "horizontal");
}

static void decode_selects(int gen, const uint32_t *dw, struct image *i)
{
    static const enum cmd_field fields[4] = {
        CMD_SURFACE_STATE_select_red, CMD_SURFACE_STATE_select_green, CMD_SURFACE_STATE_select_blue,
        CMD_SURFACE_STATE_select_alpha};
    for (unsigned c = 0; c < 4; c++) {
        i->select[c] = gen >= 75 ? cmd_get(gen, dw, fields[c]) : CMD_SELECT_R + c;
        i->selects |= i->select[c] != CMD_SELECT_R + c;
    }
}

static void decode_extent(int gen, const uint32_t *dw, struct image *i)
{
    i->array = cmd_get(gen, dw, CMD_SURFACE_STATE_array);
    i->width = 1 + cmd_get(gen, dw, CMD_SURFACE_STATE_width);
    i->height = 1 + cmd_get(gen, dw, CMD_SURFACE_STATE_height);
    i->depth = 1;
    i->pitch = 1 + cmd_get(gen, dw, CMD_SURFACE_STATE_pitch);
    uint32_t depth = 1 + cmd_get(gen, dw, CMD_SURFACE_STATE_depth);
    if (i->type == CMD_SURFACE_3D || i->array)
        i->depth = depth;
    if (i->type == CMD_SURFACE_CUBE)
        i->depth *= N_FACES;
    i->view_extent = 1 + cmd_get(gen, dw, CMD_SURFACE_STATE_view_extent);
    i->min_element = cmd_get(gen, dw, CMD_SURFACE_STATE_min_array_element);
    if (i->type == CMD_SURFACE_1D && i->height != 1)
        wrong(i, "a 1D image of height %u", i->height);
    if (i->type == CMD_SURFACE_3D && i->array)
        wrong(i, "an array of 3D images");
    if (i->type == CMD_SURFACE_3D && gen < 90 && (i->width > MAX_3D || i->height > MAX_3D))
        wrong(i, "a 3D image of %u x %u: at most %u", i->width, i->height, MAX_3D);
    if (cmd_get(gen, dw, CMD_SURFACE_STATE_multisamples))
        wrong(i, "a multisampled surface");
    if (cmd_get(gen, dw, CMD_SURFACE_STATE_auxiliary) ||
        cmd_get(gen, dw, CMD_SURFACE_STATE_memory_compression))
        wrong(i, "an auxiliary surface or compression");
}

static void decode_levels(int gen, const uint32_t *dw, struct image *i)
{
    unsigned levels = 1 + cmd_get(gen, dw, CMD_SURFACE_STATE_mip_count);
    i->min_lod = cmd_get(gen, dw, CMD_SURFACE_STATE_min_lod);
    i->n_levels = levels;
    if (i->min_lod + levels > IMAGE_MAX_LEVELS) {
        wrong(i, "levels %u to %u: at most %u", i->min_lod, i->min_lod + levels - 1,
              IMAGE_MAX_LEVELS);
        return;
    }
    uint32_t x = 0, y = 0;
    for (unsigned k = 0; k < i->min_lod + levels; k++) {
        uint32_t w = align(minify(i->width, k), i->halign);
        uint32_t h = align(minify(i->height, k), i->valign), d = minify(i->depth, k);
        i->level[k].x = x;
        i->level[k].y = y;
        if (i->layout == LAYOUT_LINE)
            x += align(minify(i->width, k), LINE_ALIGN);
        else if (i->layout == LAYOUT_PACKED)
            y += h * ((d + (1u << k) - 1) >> k);
        else if (k == 1) /* level 2 and the later ones stand to the right of level 1 */
            x += w;
        else
            y += h;
    }
}

/* Rows from slice to slice; Gen9's 1D images: texels. */
static void decode_qpitch(int gen, const uint32_t *dw, struct image *i)
{
    uint32_t h0 = align(i->height, i->valign), h1 = align(minify(i->height, 1), i->valign);
    if (i->layout == LAYOUT_PACKED)
        i->qpitch = h0;
    else if (gen >= 80)
        i->qpitch = 4 * cmd_get(gen, dw, CMD_SURFACE_STATE_qpitch);
    else if (cmd_get(gen, dw, CMD_SURFACE_STATE_array_spacing_lod0))
        i->qpitch = h0;
    else
        i->qpitch = h0 + h1 + 12 * i->valign;
    uint32_t tile_width, tile_rows;
    tile_size(i->tiling, &tile_width, &tile_rows);
    if (gen >= 90 && i->type == CMD_SURFACE_3D && i->depth > 1 && i->qpitch % tile_rows)
        wrong(i, "a tiled 3D image with a QPitch of %u rows: multiples of %u", i->qpitch,
              tile_rows);
}

static void decode_place(int gen, const uint32_t *dw, struct image *i)
{
    uint32_t tile_width, tile_rows, bytes = i->format->bytes;
    tile_size(i->tiling, &tile_width, &tile_rows);
    i->x_offset = 4 * cmd_get(gen, dw, CMD_SURFACE_STATE_x_offset);
    i->y_offset = (gen >= 80 ? 4 : 2) * cmd_get(gen, dw, CMD_SURFACE_STATE_y_offset);
    if (i->tiling == TILING_LINEAR) {
        if (i->base % bytes)
            wrong(i, "base address 0x%llx: multiples of the texel's %u bytes",
                  (unsigned long long)i->base, bytes);
        if (i->x_offset || i->y_offset)
            wrong(i, "an X or Y offset of a linear surface");
    } else if (i->base % TILE_BASE) {
        wrong(i, "base address 0x%llx of a tiled surface: multiples of %u",
              (unsigned long long)i->base, TILE_BASE);
    }
    if (i->layout == LAYOUT_LINE) { /* one row; the pitch is ignored */
        if (i->tiling != TILING_LINEAR)
            wrong(i, "a tiled 1D image");
        return;
    }
    if (i->tiling == TILING_X && i->type == CMD_SURFACE_3D && gen >= 90)
        wrong(i, "an X-tiled 3D image");
    uint32_t unit = i->tiling == TILING_LINEAR ? bytes : tile_width;
    bool one_row = i->type == CMD_SURFACE_1D && i->depth == 1 && i->min_lod + i->n_levels == 1;
    if (one_row)
        return;
    if (i->pitch % unit)
        wrong(i, "a pitch of %u bytes: multiples of %u", i->pitch, unit);
    if (i->pitch < (uint64_t)i->width * bytes)
        wrong(i, "a pitch of %u bytes for rows of %u texels of %u bytes", i->pitch, i->width,
              bytes);
}

static void decode_buffer(int gen, const uint32_t *dw, struct image *i)
{
    uint64_t n = cmd_get_buffer_elements(gen, dw);
    i->pitch = 1 + cmd_get(gen, dw, CMD_SURFACE_STATE_pitch);
    i->width = n;
    i->height = i->depth = i->view_extent = i->n_levels = 1;
    i->layout = LAYOUT_BUFFER;
    if (i->format->code == FORMAT_RAW)
        return;
    if (n > MAX_BUFFER)
        wrong(i, "a typed buffer of %llu elements: at most %u", (unsigned long long)n, MAX_BUFFER);
    if (i->base % i->format->bytes)
        wrong(i, "base address 0x%llx of a typed buffer: multiples of the element's %u bytes",
              (unsigned long long)i->base, i->format->bytes);
    decode_tiling(gen, dw, i);
    if (i->tiling != TILING_LINEAR)
        wrong(i, "a tiled buffer");
}

void image_decode(int gen, const uint32_t *dw, gpu_addr state, struct image *i)
{
    unsigned format = cmd_get(gen, dw, CMD_SURFACE_STATE_format);
    *i = (struct image){.state = state, .type = cmd_get(gen, dw, CMD_SURFACE_STATE_type)};
    i->format = format_find(i->type == CMD_SURFACE_NULL ? FORMAT_R8G8B8A8_UNORM : format);
    i->base = cmd_get(gen, dw, CMD_SURFACE_STATE_address);
    if (!i->format) {
        wrong(i, "surface format 0x%03x, which this generation has no images of", format);
        return;
    }
    codec_init(&i->codec, i->format);
    i->texel_class = format_class(i->format);
    decode_selects(gen, dw, i);
    switch (i->type) {
    case CMD_SURFACE_NULL:
        i->layout = LAYOUT_BUFFER;
        i->n_levels = 1;
        return;
    case CMD_SURFACE_BUFFER:
        decode_buffer(gen, dw, i);
        return;
    case CMD_SURFACE_1D:
    case CMD_SURFACE_2D:
    case CMD_SURFACE_3D:
    case CMD_SURFACE_CUBE:
        break;
    case CMD_SURFACE_STRUCTURED:
        wrong(i, "a structured buffer, not an image");
        return;
    default:
        wrong(i, "the reserved surface type %u", i->type);
        return;
    }
    if (i->format->code == FORMAT_RAW)
        wrong(i, "an image of format RAW");
    i->layout = i->type == CMD_SURFACE_3D && gen < 90    ? LAYOUT_PACKED
                : i->type == CMD_SURFACE_1D && gen >= 90 ? LAYOUT_LINE
                                                         : LAYOUT_SLICES;
    decode_tiling(gen, dw, i);
    decode_alignment(gen, dw, i);
    decode_extent(gen, dw, i);
    decode_levels(gen, dw, i);
    decode_qpitch(gen, dw, i);
    decode_place(gen, dw, i);
}

/* ---- texels ---- */

void image_size(const struct image *i, unsigned lod, uint32_t size[3])
{
    bool flat = i->layout == LAYOUT_BUFFER, is_3d = i->type == CMD_SURFACE_3D;
    lod += i->min_lod;
    size[0] = flat ? i->width : minify(i->width, lod);
    size[1] = flat ? i->height : minify(i->height, lod);
    size[2] = is_3d ? minify(i->depth, lod) : i->depth;
}

uint64_t image_offset(const struct image *i, const int32_t at[3], unsigned lod)
{
    uint32_t bytes = i->format->bytes, x = at[0], y = at[1], z = at[2];
    if (i->layout == LAYOUT_BUFFER)
        return (uint64_t)x * i->pitch;
    lod += i->min_lod;
    x += i->level[lod].x + i->x_offset;
    y += i->level[lod].y + i->y_offset;
    if (i->layout == LAYOUT_LINE)
        return ((uint64_t)(z + i->min_element) * i->qpitch + x) * bytes;
    if (i->layout == LAYOUT_PACKED) {
        x += (z & ((1u << lod) - 1)) * align(minify(i->width, lod), i->halign);
        y += (z >> lod) * align(minify(i->height, lod), i->valign);
    } else {
        y += (z + (i->type == CMD_SURFACE_3D ? 0 : i->min_element)) * i->qpitch;
    }
    return tile_offset(i->tiling, i->pitch, x * bytes, y);
}

void image_view_open(struct image_view *v, struct eu_thread *t, const struct msg *m,
                     const struct image *i, bool write)
{
    v->image = i;
    view_open_flat(&v->view, t, m, i->base, VIEW_UNBOUNDED - i->base, write);
}

bool image_load_plain(struct image_view *v, const int32_t at[3], unsigned lod, int lane,
                      union texel *out)
{
    const struct image *i = v->image;
    bool pair = i->format->type == FORMAT_TYPE_YCRCB;
    unsigned n = pair ? 4 : i->codec.bytes;
    int32_t first[3] = {pair ? at[0] & ~1 : at[0], at[1], at[2]};
    uint64_t off = image_offset(i, first, lod);
    const uint8_t *p = view_ptr(&v->view, off, n);
    if (v->view.t->d->race)
        race_texel(v->view.t, v->view.base + off, n, lane, false,
                   v->view.m->sfid == SFID_SAMPLER);
    uint8_t copy[16];
    if (!p) {
        if (!view_read_slow(&v->view, off, copy, n, lane))
            return false;
        p = copy;
    }
    codec_load(&i->codec, p, at[0] & 1, out);
    return true;
}

bool image_load(struct image_view *v, const int32_t at[3], unsigned lod, int lane, union texel *out)
{
    const struct image *i = v->image;
    if (!image_load_plain(v, at, lod, lane, out))
        return false;
    if (i->selects)
        image_select(i, out, out);
    return true;
}

void image_select(const struct image *i, const union texel *in, union texel *out)
{
    union texel t = *in;
    for (unsigned c = 0; c < 4; c++) {
        unsigned s = i->select[c];
        if (s >= CMD_SELECT_R)
            out->u[c] = t.u[s - CMD_SELECT_R];
        else if (i->texel_class == TEXEL_FLOAT)
            out->f[c] = s == CMD_SELECT_ONE;
        else
            out->u[c] = s == CMD_SELECT_ONE;
    }
}

bool image_store(struct image_view *v, const int32_t at[3], unsigned lod, int lane,
                 unsigned channels, const union texel *in)
{
    const struct image *i = v->image;
    uint64_t off = image_offset(i, at, lod);
    uint8_t *p = view_ptr(&v->view, off, i->codec.bytes), texel[16];
    if (v->view.t->d->race)
        race_texel(v->view.t, v->view.base + off, i->codec.bytes, lane, true, false);
    if (p) {
        codec_store(&i->codec, p, channels, in);
        return true;
    }
    if (channels != 0xf && !view_read(&v->view, off, texel, i->codec.bytes, lane))
        return false;
    codec_store(&i->codec, texel, channels, in);
    return view_write(&v->view, off, texel, i->codec.bytes, lane);
}
