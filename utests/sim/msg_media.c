/* Media block messages: rows in registers, edges, tiled and linear surfaces, sizes that fit. */
#include "msg_rig.h"

enum { BTI_2D = 20, PITCH = 256, W = 40, H = 12 };

static struct rig_image image_2d(unsigned format)
{
    return (struct rig_image){.type = CMD_SURFACE_2D,
                              .format = format,
                              .width = W,
                              .height = H,
                              .pitch = PITCH,
                              .base = DATA};
}

static void block(int x, int y, unsigned width, unsigned height)
{
    memset(payload[0], 0xab, 32); /* the rest of the header doesn't count */
    payload[0][0] = x;
    payload[0][1] = y;
    payload[0][2] = (width - 1) | (height - 1) << 16;
}

static unsigned row_pitch(unsigned width)
{
    return width <= 4 ? 4 : width <= 8 ? 8 : width <= 16 ? 16 : 32;
}

static struct msg media(unsigned kind, unsigned width, unsigned height)
{
    unsigned regs = (row_pitch(width) * height + 31) / 32;
    bool write = kind == MSG_media_write || kind == MSG_media_write_render;
    return (struct msg){.kind = kind,
                        .header = true,
                        .bti = BTI_2D,
                        .mlen = 1 + (write ? regs : 0),
                        .rlen = write ? 0 : regs};
}

static int clamp(int v, int max)
{
    return v < 0 ? 0 : v > max ? max : v;
}

/* Byte x of row y of the image with its border repeated: texel by texel. */
static uint8_t want(int x, int y, int bytes)
{
    int part = ((x % bytes) + bytes) % bytes, column = (x - part) / bytes;
    return f.data[clamp(y, H - 1) * PITCH + clamp(column, W - 1) * bytes + part];
}

static void test_read(unsigned kind)
{
    static const struct {
        int x, y;
        unsigned w, h;
    } blocks[] = {{0, 0, 32, 8},   {16, 2, 32, 1}, {5, 3, 16, 9},   {20, 7, 4, 64},
                  {8, 0, 12, 10},  {-8, 0, 16, 4}, {-3, -5, 8, 8},  {36, 1, 32, 4},
                  {152, 6, 20, 8}, {4, 11, 7, 3},  {400, 50, 8, 4}, {-100, 2, 8, 2}};
    static const unsigned formats[] = {FORMAT_R8_UINT, FORMAT_R8G8B8A8_UNORM, FORMAT_R16_UINT};
    for (unsigned k = 0; k < 3; k++) {
        unsigned bytes = format_find(formats[k])->bytes;
        add_image(BTI_2D, image_2d(formats[k]));
        for (unsigned i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            unsigned w = blocks[i].w, h = blocks[i].h, p = row_pitch(w);
            block(blocks[i].x, blocks[i].y, w, h);
            must(media(kind, w, h), 0); /* the mask doesn't count */
            for (unsigned r = 0; r < h; r++) {
                for (unsigned c = 0; c < w; c++) {
                    uint8_t got = ((uint8_t *)resp)[r * p + c];
                    uint8_t is = want(blocks[i].x + (int)c, blocks[i].y + (int)r, bytes);
                    CHECKF(got == is, "gen %d block %u, row %u byte %u: %x, not %x", f.gen, i, r, c,
                           got, is);
                }
            }
        }
    }
}

static void test_write(unsigned kind)
{
    static const struct {
        int x, y;
        unsigned w, h;
    } blocks[] = {{0, 0, 32, 2}, {8, 3, 16, 5}, {-8, -2, 16, 4}, {144, 10, 32, 4}, {2, 2, 4, 12}};
    static uint8_t before[16 * PITCH];
    add_image(BTI_2D, image_2d(FORMAT_R8G8B8A8_UNORM));
    for (unsigned i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        unsigned w = blocks[i].w, h = blocks[i].h, p = row_pitch(w);
        memcpy(before, f.data, sizeof before);
        block(blocks[i].x, blocks[i].y, w, h);
        for (unsigned b = 0; b < 256; b++)
            ((uint8_t *)payload[1])[b] = b ^ 0x5a;
        must(media(kind, w, h), 0);
        for (int y = 0; y < 16; y++) {
            for (int x = 0; x < PITCH; x++) {
                int c = x - blocks[i].x, r = y - blocks[i].y;
                bool hit = c >= 0 && c < (int)w && r >= 0 && r < (int)h && x < 4 * W && y < H;
                uint8_t is = hit ? (uint8_t)((r * p + c) ^ 0x5a) : before[y * PITCH + x];
                CHECKF(f.data[y * PITCH + x] == is, "block %u at (%d, %d)", i, x, y);
            }
        }
    }
}

/* Tiled surfaces: the bytes by the manual's formulas. */
static void test_tiled(void)
{
    for (unsigned k = 0; k < 2; k++) {
        struct rig_image r = {.type = CMD_SURFACE_2D,
                              .format = FORMAT_R8_UINT,
                              .tiling = k ? CMD_TILE_Y : CMD_TILE_X,
                              .width = 600,
                              .height = 40,
                              .pitch = 1024,
                              .base = DATA};
        add_image(BTI_2D, r);
        block(500, 5, 32, 8);
        must(media(MSG_media_read, 32, 8), 0xff);
        for (unsigned i = 0; i < 256; i++) {
            unsigned x = 500 + i % 32, y = 5 + i / 32;
            unsigned off =
                k ? (y / 32 * 8 + x / 128) * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16
                  : (y / 8 * 2 + x / 512) * 4096 + y % 8 * 512 + x % 512;
            CHECK(((uint8_t *)resp)[i] == f.data[off]);
        }
    }
}

static void test_faults(void)
{
    add_image(BTI_2D, image_2d(FORMAT_R8_UINT));
    block(0, 0, 33, 1);
    struct msg m = media(MSG_media_read, 32, 1);
    must_fault(m, 0xff, "33 bytes a row");
    block(0, 0, 32, 9);
    must_fault(m, 0xff, "more than 8 registers");
    block(0, 0, 16, 3);
    must_fault(m, 0xff, "1 registers for a block of 3 rows of 16 bytes: 2");
    struct rig_image r = image_2d(FORMAT_R8_UINT);
    r.type = CMD_SURFACE_3D;
    add_image(BTI_2D, r);
    block(0, 0, 32, 1);
    must_fault(m, 0xff, "two-dimensional");
    r.type = CMD_SURFACE_2D;
    r.base = 0x700000;
    add_image(BTI_2D, r);
    must_fault(m, 0xff, "page fault");
    m.bti = MSG_BTI_STATELESS;
    must_fault(m, 0xff, "no surface");
    m.bti = BTI_NULL;
    must(m, 0xff);
    CHECK(resp32(0) == 0 && resp32(7) == 0);
    r.base = RO;
    add_image(BTI_2D, r);
    must_fault(media(MSG_media_write, 32, 1), 0xff, "read-only");
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        setup(devices[i]);
        test_read(MSG_media_read);
        test_write(MSG_media_write);
        if (f.gen == 75) { /* both ports */
            test_read(MSG_media_read_render);
            test_write(MSG_media_write_render);
        }
        test_tiled();
        test_faults();
        teardown();
    }
    return utest_end();
}
