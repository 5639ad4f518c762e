/* The sampler, message by message, on all generations: what comes back. Colours are worked out here
 * from the addressing and filter formulas of the OpenCL specification; layouts of border colours,
 * parameters and headers from the hardware's documents. */
#include "sampler_rig.h"

/* ---- the specification's formulas ---- */

static int limit(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* i[0], i[1] and the weight of the second; -1 is outside. */
static float address(unsigned wrap, unsigned filter, bool unnormalised, float s, int n, int i[2])
{
    float u = unnormalised ? s : s * (float)n;
    if (wrap == REPEAT)
        u = (s - floorf(s)) * (float)n;
    if (wrap == MIRROR)
        u = fabsf(s - 2.0f * rintf(0.5f * s)) * (float)n;
    i[0] = (int)floorf(filter == LINEAR ? u - 0.5f : u);
    i[1] = i[0] + 1;
    for (int k = 0; k < 2; k++) {
        if (wrap == REPEAT)
            i[k] = i[k] < 0 ? i[k] + n : i[k] > n - 1 ? i[k] - n : i[k];
        else if (wrap == BORDERED)
            i[k] = i[k] < 0 || i[k] > n - 1 ? -1 : i[k];
        else
            i[k] = limit(i[k], 0, n - 1);
    }
    return filter == LINEAR ? (u - 0.5f) - floorf(u - 0.5f) : 0;
}

static void expect(enum kind k, const struct state *s, const float coord[4], float want[4])
{
    int at[3][2] = {{0}};
    float a[3] = {0};
    const int size[3] = {W, H, D};
    unsigned dims = kinds[k].dims;
    for (unsigned d = 0; d < dims; d++)
        a[d] = address(s->wrap[d], s->mag, s->unnormalised, coord[d], size[d], at[d]);
    if (kinds[k].array)
        at[2][0] = at[2][1] = limit((int)rintf(coord[dims]), 0, D - 1);
    memset(want, 0, 4 * sizeof *want);
    for (int t = 0; t < 8; t++) {
        float weight = 1;
        int p[3];
        for (int d = 0; d < 3; d++) {
            int second = t >> d & 1;
            weight *= second ? a[d] : 1 - a[d];
            p[d] = at[d][second];
        }
        bool outside = p[0] < 0 || p[1] < 0 || p[2] < 0;
        for (int c = 0; c < 4 && weight > 0; c++)
            want[c] += weight * (outside ? border[c] : texel(p[0], p[1], p[2], c));
    }
}

/* ---- filters ---- */

static uint32_t seed = 12345;

static float draw(bool unnormalised, int n)
{
    static const float special[] = {0, 1, 0.5f, -0.5f, 1.5f, 2, -1, -2, 3.5f, 0x1p-6f, -0.001f};
    seed = seed * 1664525 + 1013904223;
    float scale = unnormalised ? (float)n : 1;
    if (seed >> 30 == 0)
        return special[(seed >> 8) % (sizeof special / sizeof special[0])] * scale;
    return ((float)(seed >> 8 & 0xffff) / 65536 * 5 - 2) * scale;
}

static void check_case(enum kind k, const struct state *s, unsigned type, unsigned simd)
{
    static float coord[16][4];
    unsigned n = kinds[k].dims + kinds[k].array, first = type == MSG_SAMPLER_sample_l;
    struct msg m = message(type, simd, n + first);
    const int size[3] = {W, H, D};
    for (unsigned lane = 0; lane < simd; lane++) {
        for (unsigned d = 0; d < n; d++) {
            coord[lane][d] =
                d < kinds[k].dims ? draw(s->unnormalised, size[d]) : draw(false, 1) * 4;
            set_float(&m, first + d, lane, coord[lane][d]);
        }
        if (first)
            set_float(&m, 0, lane, 0);
    }
    uint32_t lanes = 0xfff7 & ((1u << simd) - 1);
    must(m, lanes);
    for (unsigned lane = 0; lane < simd; lane++) {
        float want[4];
        expect(k, s, coord[lane], want);
        for (int c = 0; c < 4; c++) {
            float got = result(&m, c, lane), off = fabsf(got - want[c]);
            bool right = lane == 3           ? result_u(&m, c, lane) == untouched
                         : s->mag == NEAREST ? got == want[c]
                                             : off < 2e-4f;
            CHECKF(right,
                   "gen %d kind %d filter %u wrap %u unnormalised %d lane %u (%g %g %g): %g,"
                   " not %g",
                   f.gen, k, s->mag, s->wrap[0], s->unnormalised, lane, coord[lane][0],
                   coord[lane][1], coord[lane][2], got, want[c]);
        }
    }
}

static void test_filters(void)
{
    static const unsigned modes[] = {REPEAT, MIRROR, CLAMP, BORDERED};
    for (enum kind k = 0; k < N_KINDS; k++) {
        make_image(k);
        for (unsigned c = 0; c < 16; c++) {
            struct state s = all_of(c & 1, modes[c >> 2], c >> 1 & 1);
            if (s.unnormalised && s.wrap[0] < CLAMP)
                continue;
            add_sampler(0, s);
            for (unsigned turn = 0; turn < 6; turn++) {
                check_case(k, &s, MSG_SAMPLER_sample_l, 8 + 8 * (turn & 1));
                check_case(k, &s, MSG_SAMPLER_sample, 8);
                if (f.gen >= 90)
                    check_case(k, &s, MSG_SAMPLER_sample_lz, 16);
            }
        }
    }
    /* A mode for each coordinate. */
    struct state s = all_of(LINEAR, REPEAT, false);
    s.wrap[1] = CLAMP;
    s.wrap[2] = BORDERED;
    make_image(IMAGE_3D);
    add_sampler(0, s);
    check_case(IMAGE_3D, &s, MSG_SAMPLER_sample, 16);
}

static void test_rare_modes(void)
{
    const float not_a_number = NAN;
    make_image(IMAGE_2D);
    struct state s = all_of(NEAREST, MIRROR_ONCE, false);
    s.wrap[1] = CLAMP;
    add_sampler(0, s);
    check_at(2.5f / W, 0, texel(2, 0, 0, 0));
    check_at(-2.5f / W, 0, texel(2, 0, 0, 0));
    check_at(1.5f, 0, texel(W - 1, 0, 0, 0));
    check_at(-7, 0, texel(W - 1, 0, 0, 0));
    if (f.gen >= 80) { /* a coordinate goes no further than the edge: half a border at most */
        s = all_of(LINEAR, HALF_BORDER, true);
        s.wrap[1] = CLAMP;
        add_sampler(0, s);
        check_at(-3, 0.5f, (texel(0, 0, 0, 0) + border[0]) / 2);
        check_at(W + 9, 0.5f, (texel(W - 1, 0, 0, 0) + border[0]) / 2);
        check_at(1.5f, 0.5f, texel(1, 0, 0, 0));
    }
    /* Any texel will do; none outside. */
    for (unsigned wrap = REPEAT; wrap <= CLAMP; wrap++) {
        add_sampler(0, all_of(LINEAR, wrap, false));
        for (int i = 0; i < 3; i++) {
            struct msg m = message(MSG_SAMPLER_sample, 8, 2);
            for (unsigned lane = 0; lane < 8; lane++) {
                set_float(&m, 0, lane, i == 0 ? not_a_number : i == 1 ? INFINITY : -1e30f);
                set_float(&m, 1, lane, i == 2 ? not_a_number : 0.5f);
            }
            must(m, 0xff);
            CHECK(result(&m, 0, 0) >= 0 && result(&m, 0, 0) < 64);
        }
    }
}

/* ---- border colours ---- */

/* A 2D image of another format, sampled outside. want: bits. */
static void check_border(unsigned format, const uint32_t want[4])
{
    uint32_t dw[16];
    struct rig_image i = describe(IMAGE_2D, format);
    fill_image(dw, &i);
    if (f.gen == 75)
        cmd_set(75, dw, CMD_SURFACE_STATE_integer_surface_format, 1);
    put_surface(BTI_PIXELS, dw);
    add_sampler(0, all_of(NEAREST, BORDERED, false));
    struct msg m = message(MSG_SAMPLER_sample, 8, 2);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, -1);
        set_float(&m, 1, lane, 0.5f);
    }
    must(m, 0xff);
    for (unsigned c = 0; c < 4; c++)
        CHECKF(result_u(&m, c, 4) == want[c], "gen %d format 0x%x channel %u: 0x%x, not 0x%x",
               f.gen, format, c, result_u(&m, c, 4), want[c]);
}

static void test_borders(void)
{
    enum { ONE = 0x3f800000 };
    uint32_t *b = (uint32_t *)(f.states + BORDER);
    const uint32_t r = bits_of(10), g = bits_of(20), blue = bits_of(30), a = bits_of(40);
    check_border(FORMAT_R32G32B32A32_FLOAT, (uint32_t[4]){r, g, blue, a});
    check_border(FORMAT_B8G8R8A8_UNORM, (uint32_t[4]){r, g, blue, a});
    check_border(FORMAT_R32_FLOAT, (uint32_t[4]){r, 0, 0, ONE});
    check_border(FORMAT_R16G16_FLOAT, (uint32_t[4]){r, g, 0, ONE});
    check_border(FORMAT_B5G6R5_UNORM, (uint32_t[4]){r, g, blue, ONE});
    check_border(FORMAT_L8_UNORM, (uint32_t[4]){r, r, r, ONE});
    check_border(FORMAT_I8_UNORM, (uint32_t[4]){r, r, r, r});
    check_border(FORMAT_A8_UNORM, (uint32_t[4]){0, 0, 0, a});
    if (f.gen >= 80) {
        b[0] = 5;
        b[1] = -6;
        b[2] = 7;
        b[3] = 8;
        check_border(FORMAT_R32G32B32A32_SINT, (uint32_t[4]){5, -6, 7, 8});
        check_border(FORMAT_R8G8_UINT, (uint32_t[4]){5, -6, 0, 1});
    } else if (f.gen == 75) {
        b[16] = 0x84030201;
        check_border(FORMAT_R8G8B8A8_UINT, (uint32_t[4]){1, 2, 3, 0x84});
        check_border(FORMAT_R8G8B8A8_SINT, (uint32_t[4]){1, 2, 3, 0xffffff84});
        check_border(FORMAT_R8_UINT, (uint32_t[4]){1, 0, 0, 1});
        b[16] = 0x00028001;
        b[17] = 0x99999999;
        b[18] = 0x00040003;
        check_border(FORMAT_R16G16B16A16_SINT, (uint32_t[4]){0xffff8001, 2, 3, 4});
        check_border(FORMAT_R16G16B16A16_UINT, (uint32_t[4]){0x8001, 2, 3, 4});
        for (unsigned c = 0; c < 4; c++)
            b[16 + c] = 0x101 + c;
        check_border(FORMAT_R32G32B32A32_UINT, (uint32_t[4]){0x101, 0x102, 0x103, 0x104});
        check_border(FORMAT_R32G32_UINT, (uint32_t[4]){0x101, 0x103, 0, 1});
    } else {
        memset(b, 0, 16);
        check_border(FORMAT_R8G8B8A8_UINT, (uint32_t[4]){0, 0, 0, 0});
        check_border(FORMAT_R32_SINT, (uint32_t[4]){0, 0, 0, 1});
        /* DX9: four bytes. */
        b[0] = 0xff003366;
        add_sampler(1, all_of(NEAREST, BORDERED, false));
        set_sampler(CMD_SAMPLER_STATE_border_color_mode, 1);
        put_sampler(1);
        make_image(IMAGE_2D);
        struct msg m = message(MSG_SAMPLER_sample, 8, 1);
        m.sampler_index = 1;
        for (unsigned lane = 0; lane < 8; lane++)
            set_float(&m, 0, lane, 2);
        must(m, 0xff);
        CHECK(result(&m, 0, 0) == 0.4f && result(&m, 1, 0) == 0.2f);
        CHECK(result(&m, 2, 0) == 0 && result(&m, 3, 0) == 1);
    }
    memcpy(b, border, sizeof border);
    /* Channel selects work on it too. */
    if (f.gen >= 75) {
        uint32_t dw[16];
        struct rig_image i = describe(IMAGE_2D, FORMAT_R32_FLOAT);
        fill_image(dw, &i);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_red, CMD_SELECT_ONE);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_green, CMD_SELECT_R);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_alpha, CMD_SELECT_ZERO);
        put_surface(BTI_PIXELS, dw);
        add_sampler(0, all_of(LINEAR, BORDERED, false));
        struct msg m = message(MSG_SAMPLER_sample, 8, 1);
        for (unsigned lane = 0; lane < 8; lane++)
            set_float(&m, 0, lane, 2);
        must(m, 0xff);
        CHECK(result(&m, 0, 1) == 1 && result(&m, 1, 1) == 10);
        CHECK(result(&m, 2, 1) == 0 && result(&m, 3, 1) == 0);
    }
}

/* ---- ld ---- */

/* Parameters of ld: u, v, r stand at order[0..2], the LOD at order[3]. */
static const unsigned *ld_order(void)
{
    static const unsigned old[4] = {0, 2, 3, 1}, gen9[4] = {0, 1, 3, 2};
    return f.gen >= 90 ? gen9 : old;
}

static struct msg fill_ld(unsigned simd, int u, int v, int r, int lod)
{
    struct msg m = message(MSG_SAMPLER_ld, simd, 4);
    const unsigned *at = ld_order();
    for (unsigned lane = 0; lane < simd; lane++) {
        set_int(&m, at[0], lane, u);
        set_int(&m, at[1], lane, v);
        set_int(&m, at[2], lane, r);
        set_int(&m, at[3], lane, lod);
    }
    return m;
}

static void check_ld(int u, int v, int r, int lod, bool inside, int x, int y, int z)
{
    struct msg m = fill_ld(8, u, v, r, lod);
    must(m, 0xff);
    for (int c = 0; c < 4; c++) {
        float want = inside ? texel(x, y, z, c) : 0;
        CHECKF(result(&m, c, 6) == want, "gen %d ld (%d, %d, %d) lod %d channel %d: %g, not %g",
               f.gen, u, v, r, lod, c, result(&m, c, 6), want);
    }
}

/* Outside, channels that the format lacks are as in its texels. */
static void check_outside(unsigned format, uint32_t alpha)
{
    add_image(BTI_PIXELS, describe(IMAGE_2D, format));
    struct msg m = fill_ld(8, -1, 0, 0, 0);
    must(m, 0xff);
    CHECKF(!(result_u(&m, 0, 0) | result_u(&m, 1, 0) | result_u(&m, 2, 0)) &&
               result_u(&m, 3, 0) == alpha,
           "gen %d format 0x%x: alpha 0x%x, not 0x%x", f.gen, format, result_u(&m, 3, 0), alpha);
}

static void test_ld(void)
{
    check_outside(FORMAT_R8G8B8A8_UINT, 0);
    check_outside(FORMAT_A8_UNORM, 0);
    check_outside(FORMAT_R32_UINT, 1);
    check_outside(FORMAT_R16G16_SINT, 1);
    check_outside(FORMAT_R32_FLOAT, 0x3f800000);
    check_outside(FORMAT_L8_UNORM, 0x3f800000);
    make_image(IMAGE_3D);
    check_ld(3, 2, 1, 0, true, 3, 2, 1);
    check_ld(W - 1, H - 1, D - 1, 0, true, W - 1, H - 1, D - 1);
    static const int outside[][3] = {{W, 0, 0},  {0, H, 0},  {0, 0, D},
                                     {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (unsigned i = 0; i < 6; i++)
        check_ld(outside[i][0], outside[i][1], outside[i][2], 0, false, 0, 0, 0);
    check_ld(3, 2, 1, 1, false, 0, 0, 0);
    check_ld(3, 2, 1, -1, false, 0, 0, 0);
    make_image(IMAGE_2D_ARRAY);
    check_ld(3, 2, 4, 0, true, 3, 2, 4);
    check_ld(3, 2, 5, 0, false, 0, 0, 0);
    make_image(IMAGE_2D);
    check_ld(3, 2, 77, 0, true, 3, 2, 0); /* there is no third coordinate */
    make_image(IMAGE_1D_ARRAY);
    check_ld(3, 2, 77, 0, true, 3, 0, 2);
    check_ld(3, D, 0, 0, false, 0, 0, 0);

    /* Parameters that aren't sent are 0, whatever the registers behind hold. */
    make_image(IMAGE_2D);
    struct msg m = fill_ld(8, 4, 5, 6, 7);
    m.mlen = 1;
    must(m, 0xff);
    CHECK(result(&m, 1, 2) == texel(4, 0, 0, 1));
    m = fill_ld(16, 4, 0, 0, 0);
    m.mlen = 6;
    must(m, 0xffff);
    CHECK(result(&m, 3, 13) == texel(4, 0, 0, 3));
    if (f.gen >= 90) {
        m = message(MSG_SAMPLER_ld_lz, 8, 2);
        for (unsigned lane = 0; lane < 8; lane++) {
            set_int(&m, 0, lane, (int)lane);
            set_int(&m, 1, lane, 3);
        }
        must(m, 0xff);
        CHECK(result(&m, 2, 7) == texel(7, 3, 0, 2));
    }
    /* Buffers: elements, or bytes if the pitch is one byte. */
    for (unsigned i = 0; i < PAGES / 4; i++)
        ((uint32_t *)f.data)[i] = i * 3;
    uint32_t dw[16];
    for (unsigned pitch = 1; pitch <= 16; pitch += 15) {
        struct rig_image i = {.type = CMD_SURFACE_BUFFER, .format = FORMAT_R32G32B32A32_UINT};
        i.width = 64;
        i.height = 8;
        i.pitch = pitch;
        i.base = DATA;
        fill_image(dw, &i);
        put_surface(BTI_PIXELS, dw);
        forget_surfaces();
        m = message(MSG_SAMPLER_ld, 8, 1);
        for (unsigned lane = 0; lane < 8; lane++)
            set_int(&m, 0, lane, (int)(32 * lane));
        must(m, 0xff);
        for (unsigned c = 0; c < 4; c++)
            CHECK(result_u(&m, c, 5) == 3 * (32 * 5 * pitch / 4 + c));
        set_int(&m, 0, 5, 7 * 128 + 64);
        must(m, 0xff);
        CHECK(result_u(&m, 0, 5) == 0 && result_u(&m, 3, 5) == 0);
    }
}

/* ---- headers and responses ---- */

static uint32_t offsets_of(int u, int v, int r)
{
    return (uint32_t)(u & 0xf) << 8 | (uint32_t)(v & 0xf) << 4 | (uint32_t)(r & 0xf);
}

static void test_header(void)
{
    make_image(IMAGE_2D);
    add_sampler(0, all_of(NEAREST, REPEAT, false));
    struct msg m = with_header(message(MSG_SAMPLER_sample, 8, 2), offsets_of(3, -2, 0));
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, ((float)W - 2 + 0.5f) / W);
        set_float(&m, 1, lane, 0.5f / H);
    }
    must(m, 0xff);
    CHECK(result(&m, 0, 0) == texel(1, H - 2, 0, 0)); /* added before wrapping */

    /* Green and alpha only. */
    m = with_header(message(MSG_SAMPLER_ld, 16, 1), 0x5000);
    m.rlen = 4;
    for (unsigned lane = 0; lane < 16; lane++)
        set_int(&m, 0, lane, (int)lane % W);
    must(m, 0xffff);
    CHECK(result(&m, 0, 9) == texel(9, 0, 0, 1) && result(&m, 1, 9) == texel(9, 0, 0, 3));
    CHECK(result_u(&m, 2, 9) == untouched);
    m.rlen = 6;
    must_fault(m, 0xffff, "response registers");
    m = with_header(message(MSG_SAMPLER_ld, 16, 1), 0xf000);
    must_fault(m, 0xffff, "response registers");
    /* Offsets of ld: outside counts. */
    m = with_header(message(MSG_SAMPLER_ld, 8, 1), offsets_of(-4, 1, 7));
    for (unsigned lane = 0; lane < 8; lane++)
        set_int(&m, 0, lane, (int)lane);
    must(m, 0xff);
    CHECK(result(&m, 0, 3) == 0 && result(&m, 0, 4) == texel(0, 1, 0, 0));

    /* The first channels by the response length: Gen9. */
    m = message(MSG_SAMPLER_ld, 16, 1);
    m.rlen = 2;
    for (unsigned lane = 0; lane < 16; lane++)
        set_int(&m, 0, lane, 2);
    if (f.gen >= 90) {
        must(m, 0xffff);
        CHECK(result(&m, 0, 15) == texel(2, 0, 0, 0) && result_u(&m, 1, 15) == untouched);
    } else {
        must_fault(m, 0xffff, "response registers");
    }
}

/* R, G, B, A are (i0, j1), (i1, j1), (i1, j0), (i0, j0). */
static void test_gather(void)
{
    make_image(IMAGE_2D);
    add_sampler(0, all_of(NEAREST, CLAMP, true));
    struct msg m = with_header(message(MSG_SAMPLER_gather4, 8, 2), 2 << 16);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, 4.75f);
        set_float(&m, 1, lane, 2.25f);
    }
    must(m, 0xff);
    CHECK(result(&m, 0, 3) == texel(4, 2, 0, 2) && result(&m, 1, 3) == texel(5, 2, 0, 2));
    CHECK(result(&m, 2, 3) == texel(5, 1, 0, 2) && result(&m, 3, 3) == texel(4, 1, 0, 2));
    /* Mirrored coordinates keep the order along the coordinate. */
    struct state s = all_of(NEAREST, MIRROR, false);
    s.wrap[1] = CLAMP;
    add_sampler(0, s);
    m = message(MSG_SAMPLER_gather4, 8, 2);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, -2.25f / W); /* unfolded texels -3 and -2: 2 and 1 */
        set_float(&m, 1, lane, 0);
    }
    must(m, 0xff);
    CHECK(result(&m, 0, 0) == texel(2, 0, 0, 0) && result(&m, 1, 0) == texel(1, 0, 0, 0));
    /* Offsets by lane. */
    add_sampler(0, all_of(NEAREST, CLAMP, true));
    m = message(MSG_SAMPLER_gather4_po, 8, 4);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, 4.75f);
        set_float(&m, 1, lane, 2.25f);
        set_int(&m, 2, lane, (int)lane - 3);
        set_int(&m, 3, lane, 1);
    }
    must(m, 0xff);
    for (unsigned lane = 0; lane < 8; lane++)
        CHECK(result(&m, 3, lane) == texel(4 + (int)lane - 3, 2, 0, 0));
    make_image(IMAGE_3D);
    must_fault(m, 0xff, "isn't 2D");
}

static void check_info(unsigned bti, int lod, uint32_t w, uint32_t h, uint32_t d, uint32_t levels)
{
    struct msg m = message(MSG_SAMPLER_resinfo, 16, 1);
    m.bti = bti;
    for (unsigned lane = 0; lane < 16; lane++)
        set_int(&m, 0, lane, lod);
    must(m, 0xffff);
    const uint32_t want[4] = {w, h, d, levels};
    for (unsigned c = 0; c < 4; c++)
        CHECKF(result_u(&m, c, 11) == want[c], "gen %d surface %u lod %d channel %u: %u, not %u",
               f.gen, bti, lod, c, result_u(&m, c, 11), want[c]);
}

static void test_info(void)
{
    static const uint32_t size[N_KINDS][3] = {{W}, {W, D}, {W, H}, {W, H, D}, {W, H, D}};
    for (enum kind k = 0; k < N_KINDS; k++) {
        make_image(k);
        check_info(BTI_PIXELS, 0, size[k][0], size[k][1], size[k][2], 1);
        check_info(BTI_PIXELS, 1, 0, 0, 0, 1);
    }
    struct rig_image i = describe(IMAGE_2D, 0);
    i.mip_count = 2;
    i.height = 1;
    add_image(BTI_PIXELS, i);
    check_info(BTI_PIXELS, 2, W / 4, 1, 0, 3);
    check_info(BTI_SHORT, 0, SHORT_SIZE, 0, 0, 1);
    check_info(BTI_TYPED, 0, 16, 0, 0, 1);
    check_info(BTI_NULL, 0, 0, 0, 0, 0);
    struct msg m = with_header(message(MSG_SAMPLER_sampleinfo, 8, 0), 0);
    must(m, 0xff);
    CHECK(result_u(&m, 0, 0) == 1);
}

/* Gen9: 16 bits a channel, one register each. */
static void test_short(void)
{
    if (f.gen < 90)
        return;
    make_image(IMAGE_2D);
    for (unsigned simd = 8; simd <= 16; simd += 8) {
        struct msg m = message(MSG_SAMPLER_ld, simd, 1);
        m.ret16 = true;
        m.rlen = 4;
        for (unsigned lane = 0; lane < simd; lane++)
            set_int(&m, 0, lane, (int)lane % W);
        must(m, 0xfffd);
        const uint16_t *r = (const uint16_t *)resp;
        for (unsigned c = 0; c < 4; c++) {
            float v = texel(7, 0, 0, c);
            CHECKF(r[16 * c + 7] == (v == 0 ? 0 : (bits_of(v) >> 13) - (112 << 10)), "%g 0x%x", v,
                   r[16 * c + 7]);
            CHECK(r[16 * c + 1] == 0xeeee && (simd == 16 || r[16 * c + 8] == 0xeeee));
        }
    }
}

/* SIMD4x2: two slots of four parameters; ld's LOD is the fourth. */
static void test_4x2(void)
{
    make_image(IMAGE_2D);
    struct msg m = message(MSG_SAMPLER_ld, 8, 1);
    m.simd4x2 = true;
    m.rlen = 1;
    if (f.gen >= 90) {
        must_fault(m, 0xff, "SIMD8D");
        m = with_header(m, 1 << 22);
    }
    static const uint32_t p[8] = {3, 2, 0, 0, 5, 1, 0, 0};
    memcpy(payload[m.header], p, sizeof p);
    must(m, 0xbf);
    for (unsigned c = 0; c < 4; c++) {
        float slot[2];
        memcpy(&slot[0], (uint32_t *)resp + c, 4);
        memcpy(&slot[1], (uint32_t *)resp + 4 + c, 4);
        CHECK(slot[0] == texel(3, 2, 0, c));
        CHECK(c == 2 ? resp32(6) == untouched : slot[1] == texel(5, 1, 0, c));
    }
    m.sampler_type = MSG_SAMPLER_gather4;
    must_fault(m, 0xff, "SIMD4x2");
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        open_rig(devices[i]);
        test_filters();
        test_rare_modes();
        test_borders();
        test_ld();
        test_header();
        test_gather();
        test_info();
        test_short();
        test_4x2();
        teardown();
    }
    return utest_end();
}
