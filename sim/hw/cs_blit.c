/* The copy engine: filled and copied rectangles, pixel by pixel, of linear and tiled surfaces.
 * Source: Intel PRM volume "Blitter Engine". */
#include "cs.h"

#include "image.h"

#include <string.h>

struct rect {
    int x1, y1, x2, y2;
};

struct surface {
    gpu_addr base;
    int pitch; /* bytes */
    enum image_tiling tiling;
    unsigned dword; /* of the command, for texts: its address */
};

/* One operation. */
struct blit {
    struct rect to;
    int src_x, src_y;
    struct surface dst, src;
    unsigned bytes;  /* of a pixel */
    unsigned rop;    /* bit 4P + 2S + D: the result for one bit of pattern, source, destination */
    uint32_t colour; /* the pattern */
    uint32_t mask;   /* bits of a pixel of up to 4 bytes that are written */
};

/* Coordinates and pitches are signed 16 bits. */
static int signed16(uint64_t bits)
{
    return (int16_t)bits;
}

static struct rect rect_get(const struct cs *cs, enum cmd_field x1, enum cmd_field y1,
                            enum cmd_field x2, enum cmd_field y2)
{
    return (struct rect){signed16(cs_get(cs, x1)), signed16(cs_get(cs, y1)),
                         signed16(cs_get(cs, x2)), signed16(cs_get(cs, y2))};
}

static struct surface surface_get(struct cs *cs, enum cmd_field address, enum cmd_field pitch,
                                  enum image_tiling tiling)
{
    struct surface s = {.base = cs_addr(cs_get(cs, address)),
                        .pitch = signed16(cs_get(cs, pitch)),
                        .tiling = tiling};
    unsigned hi, lo;
    cmd_field_bits(cs->gen, address, &s.dword, &hi, &lo);
    if (tiling != TILING_LINEAR)
        s.pitch *= 4; /* counted in dwords */
    return s;
}

/* Tiled surfaces are X unless the engine's control register says Y. */
static enum image_tiling tiling_get(struct cs *cs, enum cmd_field tiled, unsigned y_bit)
{
    if (!cs_get(cs, tiled))
        return TILING_LINEAR;
    return reg_get(cs->ctx, REG_BCS_SWCTRL) & y_bit ? TILING_Y : TILING_X;
}

static bool surface_check(struct cs *cs, const struct surface *s)
{
    uint32_t width, rows;
    tile_size(s->tiling, &width, &rows);
    if (s->tiling == TILING_LINEAR)
        return s->pitch % 4 == 0 || cs_broken(cs, CS_blit_pitch, s->dword, "%d bytes", s->pitch);
    if (s->pitch <= 0 || s->pitch % (int)width)
        return cs_broken(cs, CS_blit_pitch, s->dword, "%d bytes, of tiles of %u", s->pitch, width);
    return !(s->base & 0xfff) || cs_broken(cs, CS_blit_base, s->dword, NULL);
}

static gpu_addr pixel_at(const struct surface *s, unsigned bytes, int x, int y)
{
    if (s->tiling == TILING_LINEAR)
        return cs_addr(s->base + (int64_t)y * s->pitch + (int64_t)x * bytes);
    return cs_addr(s->base + tile_offset(s->tiling, s->pitch, x * bytes, y));
}

static bool rect_check(struct cs *cs, const struct blit *b)
{
    const struct rect *r = &b->to;
    if (r->x1 < 0 || r->y1 < 0 || r->x2 < r->x1 || r->y2 < r->y1 || b->src_x < 0 || b->src_y < 0)
        return cs_broken(cs, CS_blit_rectangle, 2, "from %d, %d to %d, %d of source %d, %d", r->x1,
                         r->y1, r->x2, r->y2, b->src_x, b->src_y);
    return true;
}

static uint32_t raster(unsigned rop, uint32_t p, uint32_t s, uint32_t d)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (rop >> i & 1)
            out |= (i & 4 ? p : ~p) & (i & 2 ? s : ~s) & (i & 1 ? d : ~d);
    }
    return out;
}

/* Whether the result depends on an operand (4: pattern, 2: source, 1: destination). */
static bool rop_uses(unsigned rop, unsigned operand)
{
    for (unsigned i = 0; i < 8; i++) {
        if ((rop >> i & 1) != (rop >> (i ^ operand) & 1))
            return true;
    }
    return false;
}

static bool blit_pixel(struct cs *cs, const struct blit *b, int x, int y)
{
    gpu_addr to = pixel_at(&b->dst, b->bytes, x, y);
    uint32_t s[4] = {0}, d = 0;
    uint32_t all = b->bytes >= 4 ? ~0u : (1u << 8 * b->bytes) - 1;
    if (rop_uses(b->rop, 2)) {
        gpu_addr from =
            pixel_at(&b->src, b->bytes, b->src_x + x - b->to.x1, b->src_y + y - b->to.y1);
        if (!cs_read(cs, b->src.dword, from, s, b->bytes))
            return false;
    }
    if (b->bytes > 4) /* copied as they are */
        return cs_write(cs, b->dst.dword, to, s, b->bytes);
    if ((rop_uses(b->rop, 1) || (b->mask & all) != all) &&
        !cs_read(cs, b->dst.dword, to, &d, b->bytes))
        return false;
    uint32_t out = (raster(b->rop, b->colour, s[0], d) & b->mask) | (d & ~b->mask);
    return cs_write(cs, b->dst.dword, to, &out, b->bytes);
}

static bool blit(struct cs *cs, const struct blit *b)
{
    if (!rect_check(cs, b) || !surface_check(cs, &b->dst))
        return false;
    if (rop_uses(b->rop, 2) && !surface_check(cs, &b->src))
        return false;
    for (int y = b->to.y1; y < b->to.y2; y++) {
        if (*cs->stop)
            return cs_fault(cs, 0, "stopped");
        for (int x = b->to.x1; x < b->to.x2; x++) {
            if (!blit_pixel(cs, b, x, y))
                return false;
        }
    }
    return true;
}

/* By the colour depth field: 8 bits, 565, 1555, 32 bits. */
static const unsigned depth_bytes[4] = {1, 2, 2, 4};

/* Of 32 bits the two write flags choose colour and alpha. */
static uint32_t write_mask(const struct cs *cs, unsigned bytes, enum cmd_field rgb,
                           enum cmd_field alpha)
{
    if (bytes != 4)
        return ~0u;
    return (cs_get(cs, rgb) ? 0x00ffffff : 0) | (cs_get(cs, alpha) ? 0xff000000 : 0);
}

bool cs_color_blt(struct cs *cs)
{
    struct blit b = {
        .to = rect_get(cs, CMD_XY_COLOR_BLT_dst_x1, CMD_XY_COLOR_BLT_dst_y1,
                       CMD_XY_COLOR_BLT_dst_x2, CMD_XY_COLOR_BLT_dst_y2),
        .dst = surface_get(cs, CMD_XY_COLOR_BLT_dst_address, CMD_XY_COLOR_BLT_dst_pitch,
                           tiling_get(cs, CMD_XY_COLOR_BLT_dst_tiled, 2)),
        .bytes = depth_bytes[cs_get(cs, CMD_XY_COLOR_BLT_color_depth)],
        .rop = cs_get(cs, CMD_XY_COLOR_BLT_rop),
        .colour = cs_get(cs, CMD_XY_COLOR_BLT_color),
    };
    b.mask = write_mask(cs, b.bytes, CMD_XY_COLOR_BLT_write_rgb, CMD_XY_COLOR_BLT_write_alpha);
    if (cs_get(cs, CMD_XY_COLOR_BLT_clip))
        return cs_broken(cs, CS_blit_clip, 1, NULL);
    if (rop_uses(b.rop, 2))
        return cs_broken(cs, CS_blit_operand, 1, "a source");
    return blit(cs, &b);
}

bool cs_copy_blt(struct cs *cs)
{
    struct blit b = {
        .to = rect_get(cs, CMD_XY_SRC_COPY_BLT_dst_x1, CMD_XY_SRC_COPY_BLT_dst_y1,
                       CMD_XY_SRC_COPY_BLT_dst_x2, CMD_XY_SRC_COPY_BLT_dst_y2),
        .src_x = signed16(cs_get(cs, CMD_XY_SRC_COPY_BLT_src_x1)),
        .src_y = signed16(cs_get(cs, CMD_XY_SRC_COPY_BLT_src_y1)),
        .dst = surface_get(cs, CMD_XY_SRC_COPY_BLT_dst_address, CMD_XY_SRC_COPY_BLT_dst_pitch,
                           tiling_get(cs, CMD_XY_SRC_COPY_BLT_dst_tiled, 2)),
        .src = surface_get(cs, CMD_XY_SRC_COPY_BLT_src_address, CMD_XY_SRC_COPY_BLT_src_pitch,
                           tiling_get(cs, CMD_XY_SRC_COPY_BLT_src_tiled, 1)),
        .bytes = depth_bytes[cs_get(cs, CMD_XY_SRC_COPY_BLT_color_depth)],
        .rop = cs_get(cs, CMD_XY_SRC_COPY_BLT_rop),
    };
    b.mask =
        write_mask(cs, b.bytes, CMD_XY_SRC_COPY_BLT_write_rgb, CMD_XY_SRC_COPY_BLT_write_alpha);
    if (cs_get(cs, CMD_XY_SRC_COPY_BLT_clip))
        return cs_broken(cs, CS_blit_clip, 1, NULL);
    if (rop_uses(b.rop, 4))
        return cs_broken(cs, CS_blit_operand, 1, "a pattern");
    return blit(cs, &b);
}

/* ---- XY_FAST_COPY_BLT (Gen9): copies as they are, with a tiling for each side ---- */
enum { ROP_COPY = 0xcc };

static const unsigned fast_bytes[8] = {1, 2, 0, 4, 8, 16, 0, 0};

/* Code 2 is Y, or Yf if the flag is set; 3 is Ys. The last two are 64 KiB and 4 KiB tiles of
 * another order, which compute surfaces don't have. */
static bool fast_tiling(struct cs *cs, enum cmd_field tiling, enum cmd_field yf,
                        enum image_tiling *out)
{
    static const enum image_tiling known[3] = {TILING_LINEAR, TILING_X, TILING_Y};
    unsigned code = cs_get(cs, tiling);
    if (code > 2 || cs_get(cs, yf))
        return cs_broken(cs, CS_blit_tiling, 0, "code %u", code);
    *out = known[code];
    return true;
}

bool cs_fast_copy_blt(struct cs *cs)
{
    enum image_tiling dst = TILING_LINEAR, src = TILING_LINEAR;
    if (!fast_tiling(cs, CMD_XY_FAST_COPY_BLT_dst_tiling, CMD_XY_FAST_COPY_BLT_dst_yf, &dst) ||
        !fast_tiling(cs, CMD_XY_FAST_COPY_BLT_src_tiling, CMD_XY_FAST_COPY_BLT_src_yf, &src))
        return false;
    struct blit b = {
        .to = rect_get(cs, CMD_XY_FAST_COPY_BLT_dst_x1, CMD_XY_FAST_COPY_BLT_dst_y1,
                       CMD_XY_FAST_COPY_BLT_dst_x2, CMD_XY_FAST_COPY_BLT_dst_y2),
        .src_x = signed16(cs_get(cs, CMD_XY_FAST_COPY_BLT_src_x1)),
        .src_y = signed16(cs_get(cs, CMD_XY_FAST_COPY_BLT_src_y1)),
        .dst =
            surface_get(cs, CMD_XY_FAST_COPY_BLT_dst_address, CMD_XY_FAST_COPY_BLT_dst_pitch, dst),
        .src =
            surface_get(cs, CMD_XY_FAST_COPY_BLT_src_address, CMD_XY_FAST_COPY_BLT_src_pitch, src),
        .bytes = fast_bytes[cs_get(cs, CMD_XY_FAST_COPY_BLT_color_depth)],
        .rop = ROP_COPY,
        .mask = ~0u,
    };
    if (!b.bytes)
        return cs_broken(cs, CS_blit_depth, 1, NULL);
    return blit(cs, &b);
}
