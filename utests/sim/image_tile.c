/* Where texels lie: tile addresses against the manual's formula written out in bits, slices and
 * levels against closed forms, and no two texels in one place. States that the hardware forbids. */
#include "msg_rig.h"

#include "sim/hw/image.h"

/* The address of a byte by the bits of its coordinates, as the manual's diagrams have it. */
static uint64_t by_bits(enum image_tiling tiling, uint32_t pitch, uint32_t x, uint32_t y)
{
    unsigned x_bits = tiling == TILING_X ? 9 : 7, y_bits = 12 - x_bits;
    uint64_t tile = (uint64_t)(y >> y_bits) * (pitch >> x_bits) + (x >> x_bits), in = 0;
    /* X: y2 y1 y0 x8 ... x0. Y: x6 x5 x4 y4 ... y0 x3 ... x0. */
    static const char *const order[2] = {"yyyxxxxxxxxx", "xxxyyyyyxxxx"};
    const char *o = order[tiling == TILING_Y];
    unsigned nx = 0, ny = 0;
    for (unsigned b = 0; b < 12; b++) {
        bool is_x = o[11 - b] == 'x';
        in |= (uint64_t)((is_x ? x >> nx : y >> ny) & 1) << b;
        nx += is_x;
        ny += !is_x;
    }
    return tile << 12 | in;
}

static void test_tiles(void)
{
    static uint8_t seen[2048 * 96];
    CHECK(tile_offset(TILING_LINEAR, 100, 7, 3) == 307);
    CHECK(tile_offset(TILING_X, 1024, 511, 7) == 4095 &&
          tile_offset(TILING_X, 1024, 512, 0) == 4096);
    CHECK(tile_offset(TILING_X, 1024, 0, 8) == 8192 && tile_offset(TILING_X, 1024, 0, 1) == 512);
    CHECK(tile_offset(TILING_Y, 256, 127, 31) == 4095 &&
          tile_offset(TILING_Y, 256, 128, 0) == 4096);
    CHECK(tile_offset(TILING_Y, 256, 0, 32) == 8192 && tile_offset(TILING_Y, 256, 0, 1) == 16);
    CHECK(tile_offset(TILING_Y, 256, 16, 0) == 512);
    CHECK(tile_offset(TILING_Y, 262144, 262143, 16383) == 0xffffffffull);
    for (unsigned k = 0; k < 2; k++) {
        enum image_tiling tiling = k ? TILING_Y : TILING_X;
        memset(seen, 0, sizeof seen);
        for (unsigned y = 0; y < 96; y++) {
            for (unsigned x = 0; x < 2048; x++) {
                uint64_t off = tile_offset(tiling, 2048, x, y);
                if (off >= sizeof seen || seen[off]++ || off != by_bits(tiling, 2048, x, y))
                    CHECKF(false, "tiling %u: (%u, %u) at 0x%llx", tiling, x, y,
                           (unsigned long long)off);
            }
        }
        CHECK(!memchr(seen, 0, sizeof seen));
    }
}

static struct image decoded(const struct rig_image *r)
{
    uint32_t dw[16];
    struct image i;
    fill_image(dw, r);
    image_decode(f.gen, dw, 0x1000, &i);
    CHECKF(!i.wrong[0], "gen %d: %s", f.gen, i.wrong);
    return i;
}

static uint64_t offset(const struct image *i, int x, int y, int z, unsigned lod)
{
    return image_offset(i, (const int32_t[3]){x, y, z}, lod);
}

/* Slice distances of one-level surfaces: rows of a 5-row image that is aligned to 4. */
static void test_slices(void)
{
    struct rig_image r = {.type = CMD_SURFACE_2D,
                          .array = true,
                          .format = FORMAT_R32_UINT,
                          .width = 10,
                          .height = 5,
                          .depth = 3,
                          .pitch = 64,
                          .qpitch = 12};
    struct image i = decoded(&r);
    CHECK(offset(&i, 3, 2, 1, 0) == ((f.gen >= 80 ? 12 : 8) + 2) * 64 + 12);
    r.min_element = 1; /* layers count from it */
    i = decoded(&r);
    CHECK(offset(&i, 0, 0, 1, 0) == 2 * (f.gen >= 80 ? 12 : 8) * 64);
    r.min_element = 0;
    if (f.gen < 80) { /* full spacing: room for the levels, whether there are or not */
        uint32_t dw[16];
        fill_image(dw, &r);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_array_spacing_lod0, 0);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_valign, 0); /* 2 rows: 6 + 2 + 12 * 2 */
        image_decode(f.gen, dw, 0, &i);
        CHECK(offset(&i, 0, 0, 1, 0) == 32 * 64);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_array_spacing_lod0, 1);
        image_decode(f.gen, dw, 0, &i);
        CHECK(offset(&i, 0, 0, 1, 0) == 6 * 64);
    }
    r = (struct rig_image){.type = CMD_SURFACE_1D,
                           .array = true,
                           .format = FORMAT_R32_UINT,
                           .width = 10,
                           .depth = 3,
                           .pitch = 64,
                           .qpitch = 12};
    i = decoded(&r);
    CHECK(offset(&i, 3, 0, 2, 0) == (f.gen >= 90   ? (2 * 12 + 3) * 4
                                     : f.gen >= 80 ? 2 * 12 * 64 + 12
                                                   : 2 * 4 * 64 + 12));
    r = (struct rig_image){.type = CMD_SURFACE_3D,
                           .format = FORMAT_R32_UINT,
                           .width = 10,
                           .height = 5,
                           .depth = 3,
                           .pitch = 64,
                           .qpitch = 12};
    i = decoded(&r);
    CHECK(offset(&i, 3, 1, 2, 0) == (2 * (f.gen >= 90 ? 12 : 8) + 1) * 64 + 12);
    r.tiling = CMD_TILE_Y;
    r.pitch = 128;
    r.qpitch = 32;
    i = decoded(&r);
    unsigned row = 2 * (f.gen >= 90 ? 32 : 8) + 1;
    CHECK(offset(&i, 5, 1, 2, 0) == row / 32 * 4096 + 512 + row % 32 * 16 + 4);
    /* A buffer: element i at i * pitch, whatever the format's size. */
    uint32_t dw[16];
    new_surface(dw);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_type, CMD_SURFACE_BUFFER);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_format, FORMAT_R32G32B32A32_FLOAT);
    cmd_set_buffer_elements(f.gen, dw, 5000000);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_pitch, 3);
    image_decode(f.gen, dw, 0, &i);
    uint32_t size[3];
    image_size(&i, 0, size);
    CHECK(!i.wrong[0] && size[0] == 5000000 && offset(&i, 4999999, 0, 0, 0) == 4999999ull * 4);
}

/* All texels of all levels and slices, each in a place of its own. */
static void test_distinct(const struct rig_image *r, unsigned bytes)
{
    static uint8_t seen[1 << 20];
    struct image i = decoded(r);
    memset(seen, 0, sizeof seen);
    for (unsigned lod = 0; lod < i.n_levels; lod++) {
        uint32_t size[3];
        image_size(&i, lod, size);
        for (unsigned z = 0; z < size[2]; z++) {
            for (unsigned y = 0; y < size[1]; y++) {
                for (unsigned x = 0; x < size[0]; x++) {
                    uint64_t off = offset(&i, x, y, z, lod);
                    bool ok = off % bytes == 0 && off < sizeof seen && !seen[off];
                    if (!ok)
                        CHECKF(false,
                               "gen %d type %u tiling %u: (%u, %u, %u) of level %u at 0x%llx",
                               f.gen, r->type, r->tiling, x, y, z, lod, (unsigned long long)off);
                    else
                        seen[off] = 1;
                }
            }
        }
    }
    CHECK(i.n_levels == r->mip_count + 1);
}

static void test_levels(void)
{
    struct rig_image r = {.type = CMD_SURFACE_2D,
                          .format = FORMAT_R32_UINT,
                          .width = 40,
                          .height = 24,
                          .pitch = 256,
                          .mip_count = 5};
    struct image i = decoded(&r);
    CHECK(offset(&i, 0, 0, 0, 1) == 24 * 256);                 /* below level 0 */
    CHECK(offset(&i, 0, 0, 0, 2) == 24 * 256 + 20 * 4);        /* right of level 1 */
    CHECK(offset(&i, 0, 0, 0, 3) == (24 + 8) * 256 + 20 * 4);  /* below level 2 (6 rows, aligned) */
    CHECK(offset(&i, 0, 0, 0, 4) == (24 + 12) * 256 + 20 * 4); /* 3 rows, aligned */
    r.min_lod = 2;
    r.mip_count = 3;
    i = decoded(&r);
    uint32_t size[3];
    image_size(&i, 1, size); /* levels count from the minimum */
    CHECK(size[0] == 5 && size[1] == 3 && size[2] == 1);
    CHECK(offset(&i, 0, 0, 0, 1) == (24 + 8) * 256 + 20 * 4);
    r = (struct rig_image){.type = CMD_SURFACE_3D,
                           .format = FORMAT_R32_UINT,
                           .width = 17,
                           .height = 9,
                           .depth = 6,
                           .pitch = 256,
                           .qpitch = 32,
                           .mip_count = 4};
    test_distinct(&r, 4);
    if (f.gen < 90) { /* level 1 has 3 slices, two a row; 12 rows each of level 0 */
        i = decoded(&r);
        CHECK(offset(&i, 0, 0, 1, 1) == 6 * 12 * 256 + 8 * 4);
        CHECK(offset(&i, 0, 0, 2, 1) == (6 * 12 + 4) * 256);
        CHECK(offset(&i, 0, 0, 0, 2) == (6 * 12 + 2 * 4) * 256);
        image_size(&i, 2, size);
        CHECK(size[0] == 4 && size[1] == 2 && size[2] == 1);
    }
    r.tiling = CMD_TILE_Y;
    test_distinct(&r, 4);
    for (unsigned tiling = CMD_TILE_LINEAR; tiling <= CMD_TILE_Y; tiling++) {
        if (tiling == CMD_TILE_W)
            continue;
        struct rig_image a = {.type = CMD_SURFACE_2D,
                              .format = FORMAT_R16_UINT,
                              .tiling = tiling,
                              .array = true,
                              .width = 37,
                              .height = 21,
                              .depth = 4,
                              .pitch = 512,
                              .qpitch = 24 + 12 + 12 * 4,
                              .full_spacing = true,
                              .mip_count = 5};
        test_distinct(&a, 2);
        i = decoded(&a);
        CHECK(i.qpitch == 24 + 12 + 12 * 4);
    }
    r = (struct rig_image){.type = CMD_SURFACE_1D,
                           .array = true,
                           .format = FORMAT_R8_UINT,
                           .width = 100,
                           .depth = 3,
                           .pitch = 256,
                           .qpitch = 320,
                           .mip_count = 3};
    if (f.gen >= 80) {
        test_distinct(&r, 1);
        i = decoded(&r);
        if (f.gen >= 90) /* levels in one line, at multiples of 64 texels */
            CHECK(offset(&i, 0, 0, 1, 2) == 320 + 128 + 64);
    }
}

struct state_case {
    const char *rule; /* part of the text */
    int first, last;
    enum cmd_field field;
    uint64_t value;
    struct rig_image base;
};

/* 16 x 8 texels of R8G8B8A8_UNORM */
#define IMAGE(KIND, TILING, PITCH, ...)                                                            \
    {                                                                                              \
        .type = CMD_SURFACE_##KIND, .format = FORMAT_R8G8B8A8_UNORM, .tiling = CMD_TILE_##TILING,  \
        .width = 16, .pitch = PITCH, __VA_ARGS__                                                   \
    }
#define PLAIN   IMAGE(2D, LINEAR, 64, .height = 8)
#define TILED_X IMAGE(2D, X, 512, .height = 8)
#define TILED_Y IMAGE(2D, Y, 128, .height = 8)

/* A state that is right, and the one field that makes it wrong. */
static const struct state_case cases[] = {
    {"surface format 0x003", 70, 90, CMD_SURFACE_STATE_format, 3, PLAIN},
    {"format RAW", 70, 90, CMD_SURFACE_STATE_format, FORMAT_RAW, PLAIN},
    {"structured buffer", 70, 90, CMD_SURFACE_STATE_type, CMD_SURFACE_STRUCTURED, PLAIN},
    {"surface type 6", 70, 90, CMD_SURFACE_STATE_type, 6, PLAIN},
    {"1D image of height 8", 70, 90, CMD_SURFACE_STATE_type, CMD_SURFACE_1D, PLAIN},
    {"array of 3D", 70, 90, CMD_SURFACE_STATE_type, CMD_SURFACE_3D,
     IMAGE(2D, LINEAR, 64, .height = 8, .array = true)},
    {"multisampled", 70, 90, CMD_SURFACE_STATE_multisamples, 2, PLAIN},
    {"auxiliary", 70, 90, CMD_SURFACE_STATE_auxiliary, 1, PLAIN},
    {"pitch of 61", 70, 90, CMD_SURFACE_STATE_pitch, 60, PLAIN},
    {"rows of 16 texels", 70, 90, CMD_SURFACE_STATE_pitch, 31, PLAIN},
    {"multiples of 512", 70, 90, CMD_SURFACE_STATE_pitch, 255, TILED_X},
    {"multiples of 128", 70, 90, CMD_SURFACE_STATE_pitch, 63, TILED_Y},
    {"multiples of 4096", 70, 90, CMD_SURFACE_STATE_address, 0x100, TILED_X},
    {"texel's 4 bytes", 70, 90, CMD_SURFACE_STATE_address, 0x102, PLAIN},
    {"offset of a linear", 70, 90, CMD_SURFACE_STATE_x_offset, 1, PLAIN},
    {"offset of a linear", 70, 90, CMD_SURFACE_STATE_y_offset, 1, PLAIN},
    {"levels 10 to 15", 70, 90, CMD_SURFACE_STATE_min_lod, 10,
     IMAGE(2D, LINEAR, 64, .height = 8, .mip_count = 5)},
    {"vertical alignment 2", 70, 75, CMD_SURFACE_STATE_valign, 2, PLAIN},
    {"vertical alignment 0", 80, 90, CMD_SURFACE_STATE_valign, 0, PLAIN},
    {"horizontal alignment 0", 80, 90, CMD_SURFACE_STATE_halign, 0, PLAIN},
    {"alignment 4 of a YCRCB", 70, 75, CMD_SURFACE_STATE_format, FORMAT_YCRCB_NORMAL, PLAIN},
    {"W tiling", 80, 90, CMD_SURFACE_STATE_tile_mode, CMD_TILE_W, PLAIN},
    {"tiled resource mode", 90, 90, CMD_SURFACE_STATE_tiled_resource_mode, 1, PLAIN},
    {"compression", 90, 90, CMD_SURFACE_STATE_memory_compression, 1, PLAIN},
    {"3D image of 4096", 70, 80, CMD_SURFACE_STATE_width, 4095,
     IMAGE(3D, LINEAR, 16384, .height = 8)},
    {"X-tiled 3D", 90, 90, CMD_SURFACE_STATE_type, CMD_SURFACE_3D, TILED_X},
    {"QPitch of 12", 90, 90, CMD_SURFACE_STATE_qpitch, 3,
     IMAGE(3D, Y, 128, .height = 8, .depth = 2, .qpitch = 32)},
    {"tiled 1D", 90, 90, CMD_SURFACE_STATE_tile_mode, CMD_TILE_Y,
     IMAGE(1D, LINEAR, 64, .height = 1)},
};

static void test_states(void)
{
    for (unsigned k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const struct state_case *c = &cases[k];
        uint32_t dw[16];
        struct image i;
        if (f.gen < c->first || f.gen > c->last)
            continue;
        fill_image(dw, &c->base);
        image_decode(f.gen, dw, 0, &i);
        CHECKF(!i.wrong[0], "gen %d, \"%s\": the plain state is wrong: %s", f.gen, c->rule,
               i.wrong);
        cmd_set(f.gen, dw, c->field, c->value);
        image_decode(f.gen, dw, 0, &i);
        CHECKF(strstr(i.wrong, c->rule), "gen %d: \"%s\", not \"%s\"", f.gen, i.wrong, c->rule);
    }
    /* A null surface needs nothing; a typed buffer its element's alignment and at most 2^27
     * elements. */
    uint32_t dw[16];
    struct image i;
    new_surface(dw);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_type, CMD_SURFACE_NULL);
    image_decode(f.gen, dw, 0, &i);
    uint32_t size[3] = {1, 1, 1};
    image_size(&i, 0, size);
    CHECK(!i.wrong[0] && !size[0] && !size[1] && !size[2]);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_type, CMD_SURFACE_BUFFER);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_format, FORMAT_R32G32_UINT);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_address, 0x1004);
    image_decode(f.gen, dw, 0, &i);
    CHECK(strstr(i.wrong, "element's 8 bytes"));
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_address, 0x1008);
    cmd_set_buffer_elements(f.gen, dw, 1 << 27);
    image_decode(f.gen, dw, 0, &i);
    CHECK(!i.wrong[0]);
    cmd_set_buffer_elements(f.gen, dw, (1 << 27) + 1);
    image_decode(f.gen, dw, 0, &i);
    CHECK(strstr(i.wrong, "134217729 elements"));
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    test_tiles();
    for (unsigned i = 0; i < 4; i++) {
        f.dev = gen_device_by_name(devices[i]);
        REQUIRE(f.dev);
        f.gen = f.dev->gen;
        test_slices();
        test_levels();
        test_states();
    }
    return utest_end();
}
