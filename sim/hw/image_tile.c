/* Addresses in tiled surfaces. A tile is 4 KiB: X 512 bytes by 8 rows, row after row; Y 128 bytes
 * by 32 rows, in columns of 16 bytes. Bit 6 is not swizzled: the simulated kernel reports none.
 * Source: Intel PRM volume 1, "Memory Views: Tiling". */
#include "image.h"

enum { TILE_BYTES = 4096 };

void tile_size(enum image_tiling tiling, uint32_t *width, uint32_t *rows)
{
    *width = tiling == TILING_X ? 512 : tiling == TILING_Y ? 128 : 1;
    *rows = tiling == TILING_X ? 8 : tiling == TILING_Y ? 32 : 1;
}

uint64_t tile_offset(enum image_tiling tiling, uint32_t pitch, uint32_t x, uint32_t y)
{
    switch (tiling) {
    case TILING_LINEAR:
        return (uint64_t)y * pitch + x;
    case TILING_X:
        return ((uint64_t)(y / 8) * (pitch / 512) + x / 512) * TILE_BYTES + y % 8 * 512 + x % 512;
    case TILING_Y:
        return ((uint64_t)(y / 32) * (pitch / 128) + x / 128) * TILE_BYTES + x % 128 / 16 * 512 +
               y % 32 * 16 + x % 16;
    }
    return 0;
}
