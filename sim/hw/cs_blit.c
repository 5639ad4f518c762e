/* The copy engine: filled and copied rectangles of linear surfaces. */
#include "cs.h"

#include <string.h>

enum { ROP_COPY = 0xcc, ROP_FILL = 0xf0 };

struct rect {
    int x1, y1, x2, y2;
};

/* Coordinates are signed 16 bits. */
static int coord(uint64_t bits)
{
    return (int16_t)bits;
}

/* Bytes of a pixel by the colour depth field: 8 bits, two kinds of 16, 32. */
static const unsigned depth_bytes[4] = {1, 2, 2, 4};

static bool rect_check(struct cs *cs, const struct rect *r)
{
    if (r->x1 < 0 || r->y1 < 0 || r->x2 < r->x1 || r->y2 < r->y1)
        return cs_fault(cs, 2, "a rectangle from %d, %d to %d, %d", r->x1, r->y1, r->x2, r->y2);
    return true;
}

bool cs_color_blt(struct cs *cs)
{
    unsigned bytes = depth_bytes[cs_get(cs, CMD_XY_COLOR_BLT_color_depth)];
    struct rect r = {
        coord(cs_get(cs, CMD_XY_COLOR_BLT_dst_x1)), coord(cs_get(cs, CMD_XY_COLOR_BLT_dst_y1)),
        coord(cs_get(cs, CMD_XY_COLOR_BLT_dst_x2)), coord(cs_get(cs, CMD_XY_COLOR_BLT_dst_y2))};
    int pitch = coord(cs_get(cs, CMD_XY_COLOR_BLT_dst_pitch));
    uint32_t color = cs_get(cs, CMD_XY_COLOR_BLT_color);
    gpu_addr dst = cs_addr(cs_get(cs, CMD_XY_COLOR_BLT_dst_address));
    if (cs_get(cs, CMD_XY_COLOR_BLT_dst_tiled) || cs_get(cs, CMD_XY_COLOR_BLT_clip))
        return cs_fault(cs, 0, "tiling and clipping are not simulated");
    if (cs_get(cs, CMD_XY_COLOR_BLT_rop) != ROP_FILL)
        return cs_fault(cs, 1, "raster operations but fill (F0h) are not simulated");
    if (!rect_check(cs, &r))
        return false;
    if (bytes == 4 &&
        !(cs_get(cs, CMD_XY_COLOR_BLT_write_rgb) && cs_get(cs, CMD_XY_COLOR_BLT_write_alpha)))
        return cs_fault(cs, 0, "a 32-bit fill of some channels only is not simulated");
    for (int y = r.y1; y < r.y2; y++) {
        for (int x = r.x1; x < r.x2; x++) {
            gpu_addr at = dst + (int64_t)y * pitch + (int64_t)x * bytes;
            if (!cs_write(cs, 4, cs_addr(at), &color, bytes))
                return false;
        }
    }
    return true;
}

bool cs_copy_blt(struct cs *cs)
{
    unsigned bytes = depth_bytes[cs_get(cs, CMD_XY_SRC_COPY_BLT_color_depth)];
    struct rect r = {coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_dst_x1)),
                     coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_dst_y1)),
                     coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_dst_x2)),
                     coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_dst_y2))};
    int sx = coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_src_x1)),
        sy = coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_src_y1));
    int dp = coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_dst_pitch));
    int sp = coord(cs_get(cs, CMD_XY_SRC_COPY_BLT_src_pitch));
    gpu_addr dst = cs_addr(cs_get(cs, CMD_XY_SRC_COPY_BLT_dst_address));
    gpu_addr src = cs_addr(cs_get(cs, CMD_XY_SRC_COPY_BLT_src_address));
    if (cs_get(cs, CMD_XY_SRC_COPY_BLT_dst_tiled) || cs_get(cs, CMD_XY_SRC_COPY_BLT_src_tiled) ||
        cs_get(cs, CMD_XY_SRC_COPY_BLT_clip))
        return cs_fault(cs, 0, "tiling and clipping are not simulated");
    if (cs_get(cs, CMD_XY_SRC_COPY_BLT_rop) != ROP_COPY)
        return cs_fault(cs, 1, "raster operations but copy (CCh) are not simulated");
    if (!rect_check(cs, &r))
        return false;
    if (bytes == 4 &&
        !(cs_get(cs, CMD_XY_SRC_COPY_BLT_write_rgb) && cs_get(cs, CMD_XY_SRC_COPY_BLT_write_alpha)))
        return cs_fault(cs, 0, "a 32-bit copy of some channels only is not simulated");
    uint8_t row[16384];
    for (int y = r.y1; y < r.y2; y++) {
        uint64_t width = (uint64_t)(r.x2 - r.x1) * bytes;
        gpu_addr from = src + (int64_t)(sy + y - r.y1) * sp + (int64_t)sx * bytes;
        gpu_addr to = dst + (int64_t)y * dp + (int64_t)r.x1 * bytes;
        for (uint64_t done = 0; done < width;) {
            uint64_t n = width - done < sizeof row ? width - done : sizeof row;
            if (!cs_read(cs, cs->gen < 80 ? 7 : 8, cs_addr(from + done), row, n) ||
                !cs_write(cs, 4, cs_addr(to + done), row, n))
                return false;
            done += n;
        }
    }
    return true;
}
