/* Typed messages: lanes, slot groups, headers, channel masks, bounds, formats by generation.
 * Expected texels are put into and looked up in linear images by hand. */
#include "msg_rig.h"

enum { BTI_2D = 20, BTI_OTHER, PITCH = 256, W = 24, H = 10 };

/* A linear 2D image at DATA. */
static struct rig_image image_2d(unsigned format)
{
    return (struct rig_image){.type = CMD_SURFACE_2D,
                              .format = format,
                              .width = W,
                              .height = H,
                              .pitch = PITCH,
                              .base = DATA};
}

static uint8_t *texel(unsigned x, unsigned y, unsigned bytes)
{
    return f.data + y * PITCH + x * bytes;
}

/* Coordinate k of the lanes: first, first + step, ... in payload register `reg`. */
static void coordinate(unsigned reg, uint32_t first, uint32_t step)
{
    offsets(reg, 8, first, step);
}

/* A typed message of this generation: with a header where one is needed. */
static struct msg typed(unsigned kind, unsigned n_coords)
{
    struct msg m = {.kind = kind, .simd = 8, .bti = BTI_2D, .header = f.gen < 90};
    m.n_chan = kind == MSG_typed_atomic ? 0 : 4;
    m.mlen = m.header + n_coords + (kind == MSG_typed_write ? 4 : 0);
    m.rlen = kind == MSG_typed_read ? 4 : 0;
    header(0xffff);
    return m;
}

static void test_read(void)
{
    struct msg m = typed(MSG_typed_read, 2);
    unsigned h = m.header;
    add_image(BTI_2D, image_2d(FORMAT_R32_UINT));
    coordinate(h, 3, 1);
    coordinate(h + 1, 2, 1);
    must(m, 0xb7);
    for (unsigned i = 0; i < 8; i++) {
        bool on = 0xb7 >> i & 1;
        CHECK(resp32(i) == (on ? at32(texel(3 + i, 2 + i, 4)) : untouched) || 2 + i >= H);
        CHECK(resp32(8 + i) == (on ? 0 : untouched)); /* green is missing */
        CHECK(resp32(24 + i) == (on ? (2 + i < H) : untouched));
    }
    /* Only blue and alpha. */
    m.chan_off = 0x3;
    m.rlen = 2;
    coordinate(h + 1, 0, 1);
    must(m, 0xff);
    CHECK(resp32(0) == 0 && resp32(8) == 1 && resp32(16) == untouched);
    m.chan_off = 0;
    m.rlen = 4;
    /* Outside: zeros, alpha too. x past the end, y negative. */
    coordinate(h, W - 4, 1);
    coordinate(h + 1, 1, 0);
    must(m, 0xff);
    CHECK(resp32(3) == at32(texel(W - 1, 1, 4)) && resp32(4) == 0 && resp32(28) == 0 &&
          resp32(27) == 1);
    coordinate(h, 0, 0);
    coordinate(h + 1, -4, 1);
    must(m, 0xff);
    CHECK(resp32(3) == 0 && resp32(4) == at32(texel(0, 0, 4)));
    /* Missing coordinates are 0, superfluous ones ignored, the level is not. */
    m.mlen = h + 1;
    coordinate(h, 0, 1);
    must(m, 0xff);
    CHECK(resp32(7) == at32(texel(7, 0, 4)));
    m.mlen = h + 4;
    coordinate(h + 1, 1, 0);
    coordinate(h + 2, 77, 1);
    coordinate(h + 3, 0, 0);
    must(m, 0xff);
    CHECK(resp32(7) == at32(texel(7, 1, 4)));
    coordinate(h + 3, 1, 0);
    must(m, 0xff);
    CHECK(resp32(7) == 0);
    /* A null surface. */
    m.mlen = h + 2;
    m.bti = BTI_NULL;
    must(m, 0x0f);
    CHECK(resp32(0) == 0 && resp32(24) == 0 && resp32(4) == untouched);
}

static void test_header(void)
{
    struct msg m = typed(MSG_typed_read, 2);
    m.header = true;
    m.mlen = 3;
    coordinate(1, 0, 1);
    coordinate(2, 0, 0);
    header(0x5a0f);
    must(m, 0xff);
    for (unsigned i = 0; i < 8; i++)
        CHECK(resp32(i) == (i < 4 ? at32(texel(i, 0, 4)) : untouched));
    m.high_slots = true; /* bits 15:8 of the mask */
    must(m, 0xff);
    for (unsigned i = 0; i < 8; i++)
        CHECK(resp32(i) == (0x5a >> i & 1 ? at32(texel(i, 0, 4)) : untouched));
    m.header = m.high_slots = false;
    m.mlen = 2;
    const char *why = "";
    uint32_t desc;
    uint8_t sfid;
    CHECK(msg_pack(f.gen, &m, &desc, &sfid, &why) == (f.gen >= 90));
}

static void test_write(void)
{
    struct msg m = typed(MSG_typed_write, 2);
    unsigned h = m.header;
    uint8_t before[2 * PITCH];
    static const float rgba[8][4] = {
        {0, 0.25f, 0.5f, 1}, {1, 1, 1, 1}, {-1, 2, 0.5f, 0.1f}, {0.2f, 0.4f, 0.6f, 0.8f}};
    add_image(BTI_2D, image_2d(FORMAT_R8G8B8A8_UNORM));
    memcpy(before, f.data, sizeof before);
    coordinate(h, W - 6, 1);
    coordinate(h + 1, 1, 0);
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned c = 0; c < 4; c++)
            memcpy(&payload[h + 2 + c][i], &rgba[i][c], 4);
    }
    must(m, 0xfd);
    /* By the closed form c = rne(255 v) of the clamped value: 63.75, 127.5, 25.5, ... */
    CHECK(at32(texel(W - 6, 1, 4)) == 0xff804000);
    CHECK(at32(texel(W - 5, 1, 4)) == at32(before + PITCH + 4 * (W - 5))); /* lane 1 is off */
    CHECK(at32(texel(W - 4, 1, 4)) == 0x1a80ff00);
    CHECK(at32(texel(W - 3, 1, 4)) == 0xcc996633);
    CHECK(memcmp(texel(W, 1, 4), before + PITCH + 4 * W, 64) == 0); /* outside */
    /* Red alone. */
    m.chan_off = 0xe;
    m.mlen = h + 3;
    payload[h + 2][0] = 0x3f800000;
    coordinate(h, W - 4, 0);
    must(m, 1);
    CHECK(at32(texel(W - 4, 1, 4)) == 0x1a80ffff);
    /* Integers saturate; channels that the format lacks are ignored. */
    m = typed(MSG_typed_write, 2);
    add_image(BTI_2D, image_2d(FORMAT_R16G16_SINT));
    coordinate(h, 0, 1);
    coordinate(h + 1, 0, 0);
    offsets(h + 2, 8, 0x7ffe, 1);
    offsets(h + 3, 8, -0x7ffe, -1);
    offsets(h + 4, 16, 0x1234, 0);
    must(m, 0xff);
    CHECK(at32(texel(0, 0, 4)) == 0x80027ffe && at32(texel(1, 0, 4)) == 0x80017fff);
    CHECK(at32(texel(3, 0, 4)) == 0x80007fff && at32(texel(7, 0, 4)) == 0x80007fff);
    /* Read-only memory. */
    struct rig_image ro = image_2d(FORMAT_R32_UINT);
    ro.base = RO;
    add_image(BTI_2D, ro);
    must_fault(m, 0xff, "read-only");
    m.bti = BTI_NULL;
    must(m, 0xff);
    memcpy(f.data, before, sizeof before);
}

static void test_dimensions(void)
{
    struct msg m = typed(MSG_typed_read, 3);
    unsigned h = m.header;
    /* Layers: 12 rows (Gen8+) or align4(10) = 12 rows from one to the next. */
    struct rig_image r = image_2d(FORMAT_R32_UINT);
    r.array = true;
    r.depth = 3;
    r.qpitch = 12;
    add_image(BTI_2D, r);
    coordinate(h, 1, 1);
    coordinate(h + 1, 4, 0);
    coordinate(h + 2, 0, 1);
    must(m, 0x0f);
    for (unsigned i = 0; i < 3; i++)
        CHECK(resp32(i) == at32(texel(1 + i, 4 + 12 * i, 4)));
    CHECK(resp32(3) == 0); /* past the last layer */
    r.view_extent = 2;
    add_image(BTI_2D, r);
    must(m, 0x0f);
    CHECK(resp32(1) == at32(texel(2, 16, 4)) && resp32(2) == 0);
    r.view_extent = 0;
    r.min_element = 1;
    add_image(BTI_2D, r);
    must(m, 0x0f);
    CHECK(resp32(0) == at32(texel(1, 16, 4)));
    /* 3D: z counts from the minimum element too, which leaves less of the depth. */
    r.type = CMD_SURFACE_3D;
    r.array = false;
    add_image(BTI_2D, r);
    must(m, 0x0f);
    CHECK(resp32(0) == at32(texel(1, 16, 4)) && resp32(1) == at32(texel(2, 28, 4)) &&
          resp32(2) == 0);
    /* 1D array: V is the layer. Distances: 12 rows; Gen9 12 texels; Gen7 align4(1) rows. */
    r = (struct rig_image){.type = CMD_SURFACE_1D,
                           .array = true,
                           .format = FORMAT_R32_UINT,
                           .width = 9,
                           .depth = 2,
                           .pitch = PITCH,
                           .qpitch = 12,
                           .base = DATA};
    add_image(BTI_2D, r);
    coordinate(h, 0, 2);
    coordinate(h + 1, 0, 1);
    must(m, 0x07);
    CHECK(resp32(0) == at32(f.data));
    CHECK(resp32(1) == at32(f.data + 8 + (f.gen >= 90 ? 48 : (f.gen >= 80 ? 12 : 4) * PITCH)));
    CHECK(resp32(2) == 0);
    /* A buffer: U alone counts. */
    add_surface(BTI_2D, CMD_SURFACE_BUFFER, FORMAT_R32_UINT, DATA, 100, 4);
    forget_surfaces();
    coordinate(h, 94, 1);
    coordinate(h + 1, 5, 0);
    must(m, 0xff);
    CHECK(resp32(5) == at32(f.data + 99 * 4) && resp32(6) == 0);
}

/* Y-tiled: the address of (x, y) by the formula of the manual. */
static void test_tiled(void)
{
    struct msg m = typed(MSG_typed_read, 2);
    unsigned h = m.header;
    struct rig_image r = {.type = CMD_SURFACE_2D,
                          .format = FORMAT_R32_UINT,
                          .tiling = CMD_TILE_Y,
                          .width = 60,
                          .height = 40,
                          .pitch = 256,
                          .base = DATA};
    add_image(BTI_2D, r);
    coordinate(h, 30, 4);
    coordinate(h + 1, 33, 0);
    must(m, 0xff);
    for (unsigned i = 0; i < 8; i++) {
        unsigned x = (30 + 4 * i) * 4, tile = 2 + x / 128,
                 in = x % 128 / 16 * 512 + 1 * 16 + x % 16;
        CHECK(resp32(i) == (30 + 4 * i < 60 ? at32(f.data + tile * 4096 + in) : 0));
    }
    /* An offset of 8 texels and 8 rows into the tiles. */
    uint32_t dw[16];
    fill_image(dw, &r);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_x_offset, 2);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_y_offset, f.gen >= 80 ? 2 : 4);
    put_surface(BTI_2D, dw);
    forget_surfaces();
    coordinate(h, 0, 0);
    coordinate(h + 1, 1, 0);
    must(m, 1);
    CHECK(resp32(0) == at32(f.data + 2 * 512 + 9 * 16));
}

static void test_formats(void)
{
    static const struct {
        unsigned code;
        int read, write; /* first generation; 0: none */
    } rows[] = {
        {FORMAT_R32_UINT, 70, 70},      {FORMAT_R32_FLOAT, 70, 70},
        {FORMAT_R8_UINT, 75, 70},       {FORMAT_R16G16B16A16_UINT, 75, 70},
        {FORMAT_R8G8B8A8_SINT, 90, 70}, {FORMAT_R32G32_FLOAT, 90, 70},
        {FORMAT_R8G8B8A8_UNORM, 0, 70}, {FORMAT_R8G8B8A8_UNORM_SRGB, 0, 0},
        {FORMAT_L8_UNORM, 0, 0},        {FORMAT_B5G6R5_UNORM, 0, 70},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct msg r = typed(MSG_typed_read, 2), w = typed(MSG_typed_write, 2);
        add_image(BTI_2D, image_2d(rows[i].code));
        memset(payload[r.header], 0, 6 * 32);
        if (rows[i].code == FORMAT_R8_UINT && f.gen == 70) {
            must(r, 0xff); /* 32 bits from the texel on */
            CHECK(resp32(0) == at32(f.data) && resp32(24) == 1);
            coordinate(r.header, 5, 0);
            must(r, 0x01);
            CHECK(resp32(0) == at32(f.data + 5));
            coordinate(r.header, 0, 0);
        } else if (rows[i].read && f.gen >= rows[i].read)
            must(r, 0xff);
        else
            must_fault(r, 0xff, "can't read");
        if (rows[i].write)
            must(w, 0);
        else
            must_fault(w, 0xff, "can't write");
    }
    struct msg a = typed(MSG_typed_atomic, 2);
    a.atomic = ATOMIC_INC;
    must_fault(a, 0xff, "typed atomics take");
    a.bti = BTI_RAW;
    must_fault(a, 0xff, "RAW");
    a.bti = BTI_UNMAPPED + 30;
    must_fault(a, 0xff, "surface 37");
    struct rig_image cube = image_2d(FORMAT_R32_UINT);
    cube.type = CMD_SURFACE_CUBE;
    add_image(BTI_2D, cube);
    a.bti = BTI_2D;
    must_fault(a, 0xff, "cube");
    cube.type = CMD_SURFACE_2D;
    cube.base = 0x700000;
    add_image(BTI_2D, cube);
    must_fault(a, 0x10, "page fault: write of 4 bytes at 0x700000");
}

static void test_atomics(void)
{
    /* Each operation's result from its definition. */
    static const struct {
        unsigned op, n_ops;
        uint32_t old, a, b, result, returns;
    } rows[] = {
        {ATOMIC_AND, 1, 0xff0f, 0x0ff0, 0, 0x0f00, 0xff0f},
        {ATOMIC_OR, 1, 0xf000, 0x000f, 0, 0xf00f, 0xf000},
        {ATOMIC_XOR, 1, 0xff, 0x0f, 0, 0xf0, 0xff},
        {ATOMIC_MOV, 1, 1, 2, 0, 2, 1},
        {ATOMIC_INC, 0, 0xffffffff, 0, 0, 0, 0xffffffff},
        {ATOMIC_DEC, 0, 0, 0, 0, 0xffffffff, 0},
        {ATOMIC_ADD, 1, 5, 7, 0, 12, 5},
        {ATOMIC_SUB, 1, 5, 7, 0, 0xfffffffe, 5},
        {ATOMIC_REVSUB, 1, 5, 7, 0, 2, 5},
        {ATOMIC_IMAX, 1, 0xffffffff, 1, 0, 1, 0xffffffff},
        {ATOMIC_IMIN, 1, 0xffffffff, 1, 0, 0xffffffff, 0xffffffff},
        {ATOMIC_UMAX, 1, 0xffffffff, 1, 0, 0xffffffff, 0xffffffff},
        {ATOMIC_UMIN, 1, 0xffffffff, 1, 0, 1, 0xffffffff},
        {ATOMIC_CMPWR, 2, 5, 5, 9, 9, 5},
        {ATOMIC_CMPWR, 2, 5, 6, 9, 5, 5},
        {ATOMIC_PREDEC, 0, 5, 0, 0, 4, 4},
    };
    add_image(BTI_2D, image_2d(FORMAT_R32_SINT));
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct msg m = typed(MSG_typed_atomic, 2);
        unsigned h = m.header;
        m.atomic = rows[k].op;
        m.mlen += rows[k].n_ops;
        m.returns = true;
        m.rlen = 1;
        coordinate(h, W - 2, 1); /* two lanes inside */
        coordinate(h + 1, 3, 0);
        offsets(h + 2, 8, rows[k].a, 0);
        offsets(h + 3, 8, rows[k].b, 0);
        memcpy(texel(W - 2, 3, 4), &rows[k].old, 4);
        memcpy(texel(W - 1, 3, 4), &rows[k].old, 4);
        uint32_t beyond = at32(texel(W, 3, 4));
        must(m, 0x0d);
        CHECKF(at32(texel(W - 2, 3, 4)) == rows[k].result, "op %u: 0x%x", rows[k].op,
               at32(texel(W - 2, 3, 4)));
        CHECK(resp32(0) == rows[k].returns && resp32(1) == untouched && resp32(2) == 0);
        CHECK(at32(texel(W - 1, 3, 4)) == rows[k].old && at32(texel(W, 3, 4)) == beyond);
    }
    /* All lanes on one texel. */
    struct msg m = typed(MSG_typed_atomic, 2);
    unsigned h = m.header;
    uint32_t zero = 0;
    m.atomic = ATOMIC_ADD;
    m.mlen++;
    memcpy(texel(4, 4, 4), &zero, 4);
    coordinate(h, 4, 0);
    coordinate(h + 1, 4, 0);
    offsets(h + 2, 8, 1, 1);
    must(m, 0xff);
    CHECK(at32(texel(4, 4, 4)) == 36);
}

static void test_simd4x2(void)
{
    /* Slot s: coordinates in dwords 4s .., channels in dwords 4s .. of one register. */
    struct msg r = {.kind = MSG_typed_read,
                    .simd4x2 = true,
                    .bti = BTI_2D,
                    .n_chan = 4,
                    .header = f.gen < 90,
                    .rlen = 1};
    unsigned h = r.header;
    uint32_t desc;
    uint8_t sfid;
    const char *why;
    r.mlen = h + 1;
    add_image(BTI_2D, image_2d(FORMAT_R32_UINT));
    header(0);
    memset(payload[h], 0, 32);
    payload[h][0] = 5;
    payload[h][1] = 6;
    payload[h][4] = 7;
    payload[h][5] = 2;
    must(r, 0xfd);
    CHECK(resp32(0) == at32(texel(5, 6, 4)) && resp32(1) == untouched && resp32(2) == 0 &&
          resp32(3) == 1);
    CHECK(resp32(4) == at32(texel(7, 2, 4)) && resp32(7) == 1);
    must(r, 0xf0); /* slot 0 is off */
    CHECK(resp32(0) == untouched && resp32(4) == at32(texel(7, 2, 4)));
    r.mlen++;
    CHECK(!msg_pack(f.gen, &r, &desc, &sfid, &why));
    struct msg w = {.kind = MSG_typed_write,
                    .simd4x2 = true,
                    .bti = BTI_2D,
                    .n_chan = 4,
                    .header = r.header,
                    .mlen = h + 2};
    offsets(h + 1, 8, 0x9000, 1);
    must(w, 0x1f);
    CHECK(at32(texel(5, 6, 4)) == 0x9000 && at32(texel(7, 2, 4)) == 0x9004);
    struct msg a = {.kind = MSG_typed_atomic_4x2,
                    .bti = BTI_2D,
                    .atomic = ATOMIC_CMPWR,
                    .header = r.header,
                    .returns = true,
                    .simd4x2 = true};
    payload[h + 1][0] = 0x9000;
    payload[h + 1][1] = 77;
    payload[h + 1][4] = 1;
    payload[h + 1][5] = 88;
    must(a, 0xff);
    CHECK(at32(texel(5, 6, 4)) == 77 && at32(texel(7, 2, 4)) == 0x9004);
    CHECK(resp32(0) == 0x9000 && resp32(4) == 0x9004 && resp32(1) == untouched);
    add_image(BTI_2D, image_2d(FORMAT_R8_UINT));
    must_fault(a, 0xff, "typed atomics take");
}

/* --check: leaving the image is reported. */
static void test_check(void)
{
    static const struct sim_options opt = {.n_host_threads = 1, .check = true};
    struct sim_gpu *gpu = sim_gpu_new(f.dev, &opt), *plain = f.gpu;
    struct msg m = typed(MSG_typed_read, 2);
    add_image(BTI_2D, image_2d(FORMAT_R32_UINT));
    coordinate(m.header, W, 0);
    coordinate(m.header + 1, 0, 0);
    f.d.gpu = gpu;
    must_fault(m, 0x02, "texel (24, 0, 0), level 0 of surface 20 (24 x 10 x 1, 1 levels), lane 1");
    f.d.gpu = plain;
    must(m, 0x02);
    sim_gpu_free(gpu);
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        setup(devices[i]);
        test_read();
        test_header();
        test_write();
        test_dimensions();
        test_tiled();
        test_formats();
        test_atomics();
        if (f.gen > 70)
            test_simd4x2();
        test_check();
        teardown();
    }
    return utest_end();
}
