/* The sampler on all generations: comparisons, levels of detail, the perturbing mode; which states,
 * surfaces and descriptors are refused, each beside one that isn't. */
#include "sampler_rig.h"

/* ---- comparisons, derivatives, levels ---- */

/* The shadow function names when the result is 0. */
static void test_compare(void)
{
    enum { ALWAYS, NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL, N };
    static const bool zero[N][3] = {
        /* texel <, =, > reference */
        [ALWAYS] = {1, 1, 1}, [NEVER] = {0, 0, 0},   [LESS] = {1, 0, 0},     [EQUAL] = {0, 1, 0},
        [LEQUAL] = {1, 1, 0}, [GREATER] = {0, 0, 1}, [NOTEQUAL] = {1, 0, 1}, [GEQUAL] = {0, 1, 1}};
    make_image(IMAGE_2D);
    for (unsigned op = 0; op < N; op++) {
        struct state s = all_of(NEAREST, CLAMP, true);
        s.shadow = op;
        add_sampler(0, s);
        struct msg m = message(MSG_SAMPLER_sample_c, 8, 3);
        for (unsigned lane = 0; lane < 8; lane++) {
            set_float(&m, 0, lane, texel(3, 0, 0, 0) + 1 - (float)(lane % 3));
            set_float(&m, 1, lane, 3.5f);
            set_float(&m, 2, lane, 0.5f);
        }
        must(m, 0xff);
        for (unsigned lane = 0; lane < 8; lane++)
            CHECK(result(&m, 0, lane) == (zero[op][lane % 3] ? 0 : 1));
    }
    /* The format's red is compared, whatever the surface's selects are: these work on the result.
     */
    if (f.gen >= 75) {
        struct rig_image i = describe(IMAGE_2D, 0);
        uint32_t dw[16];
        fill_image(dw, &i);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_red, CMD_SELECT_ZERO);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_green, CMD_SELECT_R);
        put_surface(BTI_PIXELS, dw);
        struct state s = all_of(NEAREST, CLAMP, true);
        s.shadow = EQUAL;
        add_sampler(0, s);
        struct msg m = message(MSG_SAMPLER_sample_c, 8, 3);
        for (unsigned lane = 0; lane < 8; lane++) {
            set_float(&m, 0, lane, texel(3, 0, 0, 0) + (float)(lane & 1));
            set_float(&m, 1, lane, 3.5f);
            set_float(&m, 2, lane, 0.5f);
        }
        must(m, 0xff);
        CHECK(result(&m, 1, 2) == 0 && result(&m, 1, 3) == 1 && result(&m, 0, 3) == 0);
        make_image(IMAGE_2D);
    }
    /* Compared first, filtered then. */
    struct state s = all_of(LINEAR, CLAMP, true);
    s.shadow = LESS;
    add_sampler(0, s);
    struct msg m = message(MSG_SAMPLER_sample_l_c, 8, 4);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, texel(4, 0, 0, 0)); /* texel 3 is less */
        set_float(&m, 1, lane, 0);
        set_float(&m, 2, lane, 4.25f);
        set_float(&m, 3, lane, 0.5f);
    }
    must(m, 0xff);
    CHECK(result(&m, 0, 0) == 0.75f);
    add_image(BTI_PIXELS, describe(IMAGE_2D, FORMAT_R32_UINT));
    must_fault(m, 0xff, "integer format");
}

/* Level k of an 8 x 8 image is full of k + 1. Level 1 lies under level 0, level 2 right of it. */
static void make_levels(void)
{
    struct rig_image i = describe(IMAGE_2D, 0);
    i.width = i.height = 8;
    i.mip_count = 2;
    static const unsigned at[3][3] = {{0, 0, 8}, {0, 8, 4}, {4, 8, 2}};
    for (int k = 0; k < 3; k++) {
        for (unsigned t = 0; t < at[k][2] * at[k][2]; t++) {
            unsigned x = at[k][0] + t % at[k][2], y = at[k][1] + t / at[k][2];
            for (int c = 0; c < 4; c++)
                ((float *)f.data)[(y * PITCH + 16 * x) / 4 + c] = (float)(k + 1);
        }
    }
    add_image(BTI_PIXELS, i);
}

static float at_lod(unsigned type, float lod)
{
    struct msg m = message(type, 8, 3);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, lod);
        set_float(&m, 1, lane, 0.4f);
        set_float(&m, 2, lane, 0.7f);
    }
    must(m, 0xff);
    return result(&m, 1, 2);
}

static void test_levels(void)
{
    enum { NONE, MIP_NEAREST, MIP_LINEAR = 3 };
    make_levels();
    struct state s = all_of(LINEAR, CLAMP, false);
    s.max_lod = 14 << 8;
    add_sampler(0, s);
    CHECK(at_lod(MSG_SAMPLER_sample_l, 1.25f) == 1);
    s.mip = MIP_NEAREST;
    add_sampler(0, s);
    CHECK(at_lod(MSG_SAMPLER_sample_l, 1.25f) == 2 && at_lod(MSG_SAMPLER_sample_l, 1.75f) == 3);
    CHECK(at_lod(MSG_SAMPLER_sample_l, 9) == 3 && at_lod(MSG_SAMPLER_sample_l, -1) == 1);
    CHECK(at_lod(MSG_SAMPLER_sample_b, 1) == 2);
    s.mip = MIP_LINEAR;
    add_sampler(0, s);
    CHECK(at_lod(MSG_SAMPLER_sample_l, 1.25f) == 2.25f);
    CHECK(at_lod(MSG_SAMPLER_sample_l, 1.75f) == 2.75f);
    s.max_lod = 3 << 7; /* 1.5 */
    s.min_lod = 1 << 7;
    add_sampler(0, s);
    CHECK(at_lod(MSG_SAMPLER_sample_l, 9) == 2.5f && at_lod(MSG_SAMPLER_sample_l, -9) == 1.5f);
    /* Derivatives of two texels a step: level 1. */
    s.min_lod = 0;
    s.mip = MIP_NEAREST;
    add_sampler(0, s);
    struct msg m = message(MSG_SAMPLER_sample_d, 8, 6);
    for (unsigned lane = 0; lane < 8; lane++) {
        for (unsigned k = 0; k < 6; k++)
            set_float(&m, k, lane, 0);
        set_float(&m, 2, lane, 1.0f / 16);
        set_float(&m, 4, lane, 0.25f);
    }
    must(m, 0xff);
    CHECK(result(&m, 0, 0) == 2);
    m = message(MSG_SAMPLER_lod, 8, 2);
    must(m, 0xff);
    CHECK(result(&m, 0, 0) == 0 && result(&m, 1, 0) == 0);
    struct state texels = all_of(LINEAR, CLAMP, true);
    add_sampler(0, texels);
    must_fault(message(MSG_SAMPLER_sample, 8, 2), 0xff, "several levels");
}

/* Which of two filters: the magnifying one up to the base level, after bias and, if asked for,
 * clamp. */
static void check_filter(float lod, bool magnified)
{
    struct msg m = message(MSG_SAMPLER_sample_l, 8, 3);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, lod);
        set_float(&m, 1, lane, 3.75f);
        set_float(&m, 2, lane, 0.5f);
    }
    must(m, 0xff);
    float t = texel(3, 0, 0, 1), next = texel(4, 0, 0, 1);
    float want = magnified ? 0.75f * t + 0.25f * next : t;
    CHECKF(result(&m, 1, 7) == want, "gen %d lod %g: %g, not %g", f.gen, lod, result(&m, 1, 7),
           want);
}

static void test_magnified(void)
{
    struct state s = all_of(LINEAR, CLAMP, true);
    make_image(IMAGE_2D);
    s.min = NEAREST;
    s.max_lod = 14 << 8;
    add_sampler(0, s);
    check_filter(0, true);
    check_filter(-3, true);
    check_filter(0.5f, false);
    set_sampler(CMD_SAMPLER_STATE_lod_bias, 1 << 8);
    put_sampler(0);
    check_filter(0, false);
    check_filter(-1, true);
    set_sampler(CMD_SAMPLER_STATE_lod_bias, 0x1f00); /* -1 */
    put_sampler(0);
    check_filter(0.5f, true);
    check_filter(1.5f, false);
    add_sampler(0, s);
    if (f.gen < 90) {
        set_sampler(CMD_SAMPLER_STATE_base_mip_level, 3); /* 1.5 */
        put_sampler(0);
        check_filter(1.5f, true);
        check_filter(1.75f, false);
    }
    s.max_lod = 0;
    add_sampler(0, s);
    check_filter(5, false);
    set_sampler(f.gen >= 80 ? CMD_SAMPLER_STATE_lod_preclamp_mode : CMD_SAMPLER_STATE_lod_preclamp,
                f.gen >= 80 ? 2 : 1);
    put_sampler(0);
    check_filter(5, true);
}

/* ---- rules ---- */

/* Each with the message that test_filters() and the others find accepted. */
static void test_rules(void)
{
    static const struct {
        enum cmd_field field;
        unsigned value;
        int first, last; /* generations */
        const char *wrong;
    } rows[] = {
        {CMD_SAMPLER_STATE_min_filter, 2, 70, 90, "min filter 2"},
        {CMD_SAMPLER_STATE_mag_filter, 6, 70, 90, "mag filter 6"},
        {CMD_SAMPLER_STATE_mip_filter, 2, 70, 90, "mip filter 2"},
        {CMD_SAMPLER_STATE_wrap_y, 7, 70, 90, "address mode of v 7"},
        {CMD_SAMPLER_STATE_wrap_x, CUBE, 70, 90, "mode cube"},
        {CMD_SAMPLER_STATE_wrap_z, HALF_BORDER, 70, 75, "half border"},
        {CMD_SAMPLER_STATE_chromakey, 1, 70, 90, "chroma key"},
        {CMD_SAMPLER_STATE_max_lod, 14 * 256 + 1, 70, 90, "above 14"},
        {CMD_SAMPLER_STATE_border_color_mode, 1, 75, 90, "DX9"},
        {CMD_SAMPLER_STATE_reduction, 1, 90, 90, "reduction"},
        {CMD_SAMPLER_STATE_lod_preclamp_mode, 1, 80, 90, "preclamp mode"},
        {CMD_SAMPLER_STATE_border_color, 0x100000, 70, 90, "past the dynamic state's bound"},
    };
    make_image(IMAGE_2D);
    struct msg m = message(MSG_SAMPLER_sample, 8, 2);
    memset(payload, 0, sizeof payload);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (f.gen < rows[i].first || f.gen > rows[i].last)
            continue;
        add_sampler(0, all_of(NEAREST, BORDERED, false));
        must(m, 0xff);
        set_sampler(rows[i].field, rows[i].value);
        put_sampler(0);
        must_fault(m, 0xff, rows[i].wrong);
    }
    add_sampler(0, all_of(NEAREST, CLAMP, false));
    sampler_dw[3] |= 1u << 31;
    put_sampler(0);
    must_fault(m, 0xff, "reserved bits");
    for (unsigned wrap = 0; wrap <= MIRROR_ONCE; wrap++) {
        struct state s = all_of(LINEAR, wrap, true);
        s.wrap[2] = REPEAT; /* no coordinate of a 2D image */
        add_sampler(0, s);
        if (wrap == CLAMP || wrap == BORDERED)
            must(m, 0xff);
        else
            must_fault(m, 0xff, wrap == CUBE ? "cube" : "non-normalised");
    }
    /* Tables. */
    m.sampler_index = 5;
    add_sampler(5, all_of(NEAREST, CLAMP, false));
    must(m, 0xff);
    m.sampler_index = 0;
    f.d.sampler_state = STATES + 8192 - 8;
    forget_surfaces();
    must_fault(m, 0xff, "past the dynamic state's bound");
    f.d.sampler_state = 0x700000;
    f.d.dynamic_size = 0;
    forget_surfaces();
    must_fault(m, 0xff, "not mapped");
    f.d.sampler_state = STATES + SAMPLERS;
    add_sampler(0, all_of(NEAREST, BORDERED, false));
    if (f.gen < 80)
        must_fault(m, 0xff, "need a bound");
    else
        must(m, 0xff);
    f.d.dynamic_size = 8192;
    /* A disabled sampler says nothing of the rest, and returns zeros. */
    add_sampler(0, all_of(6, 7, false));
    set_sampler(CMD_SAMPLER_STATE_disable, 1);
    put_sampler(0);
    must(m, 0xff);
    CHECK(result_u(&m, 3, 0) == 0);

    /* Surfaces. */
    add_sampler(0, all_of(NEAREST, CLAMP, false));
    m.bti = BTI_TYPED;
    must_fault(m, 0xff, "buffers");
    m.sampler_type = MSG_SAMPLER_ld;
    m.bti = BTI_RAW;
    must_fault(m, 0xff, "can't be sampled");
    m.bti = BTI_NULL;
    must(m, 0xff);
    CHECK(result_u(&m, 3, 0) == 0);
    m.bti = BTI_PIXELS;
    add_image(BTI_PIXELS, describe(IMAGE_2D, FORMAT_B5G5R5X1_UNORM));
    must_fault(m, 0xff, "can't be sampled");
    struct rig_image cube = describe(IMAGE_2D, 0);
    cube.type = CMD_SURFACE_CUBE;
    cube.height = W;
    cube.qpitch = 16;
    add_image(BTI_PIXELS, cube);
    m.sampler_type = MSG_SAMPLER_sample;
    must_fault(m, 0xff, "cube maps");
    make_image(IMAGE_2D);
    m.sampler_type = MSG_SAMPLER_ld2dms;
    must_fault(m, 0xff, "multisampled");
    m.sampler_type = MSG_SAMPLER_ld_mcs;
    must(m, 0xff);
    CHECK(result_u(&m, 0, 0) == 0);

    /* Integer formats: the nearest texel, with a warning. */
    for (unsigned x = 0; x < 64; x++)
        ((uint32_t *)f.data)[x] = 100 * x;
    add_image(BTI_PIXELS, describe(IMAGE_2D, FORMAT_R32_UINT));
    add_sampler(0, all_of(LINEAR, CLAMP, true));
    m = message(MSG_SAMPLER_sample, 8, 2);
    for (unsigned lane = 0; lane < 8; lane++)
        set_float(&m, 0, lane, 3.25f);
    must(m, 0xff);
    CHECK(result_u(&m, 0, 0) == 300);
    if (f.gen == 70) { /* no integer border colours */
        add_sampler(0, all_of(NEAREST, BORDERED, false));
        for (unsigned lane = 0; lane < 8; lane++)
            set_float(&m, 0, lane, -1);
        must(m, 0xff); /* with a warning */
        CHECK(result(&m, 0, 0) == border[0]);
    } else if (f.gen == 75) {
        add_sampler(0, all_of(NEAREST, BORDERED, false));
        must_fault(m, 0xff, "integer surface format");
        set_sampler(CMD_SAMPLER_STATE_border_color, BORDER + 64);
        put_sampler(0);
        must_fault(m, 0xff, "512-byte");
    }
}

/* Descriptors: lengths and generations. */
static void test_descriptors(void)
{
    static const struct {
        unsigned type, simd, mlen, rlen;
        bool header;
        int first; /* generation that accepts it; 0: none */
    } rows[] = {
        {MSG_SAMPLER_sample, 16, 8, 8, false, 70},
        {MSG_SAMPLER_sample, 16, 10, 8, false, 0},
        {MSG_SAMPLER_sample, 16, 3, 8, false, 0},
        {MSG_SAMPLER_sample, 8, 1, 4, true, 0},
        {MSG_SAMPLER_sample_d, 8, 10, 4, false, 70},
        {MSG_SAMPLER_sample_d, 16, 10, 8, false, 0},
        {MSG_SAMPLER_sample_d_c, 8, 11, 4, false, 75},
        {MSG_SAMPLER_sample_lz, 8, 2, 4, false, 90},
        {MSG_SAMPLER_ld_lz, 8, 2, 4, false, 90},
        {MSG_SAMPLER_ld, 8, 4, 5, false, 0},
        {MSG_SAMPLER_ld, 16, 8, 3, false, 0},
        {MSG_SAMPLER_resinfo, 16, 2, 8, false, 70},
        {MSG_SAMPLER_sampleinfo, 8, 1, 4, true, 70},
        {MSG_SAMPLER_sampleinfo, 8, 1, 4, false, 0},
        {12, 8, 1, 4, false, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct msg m = {.kind = MSG_sampler, .sampler_type = rows[i].type, .simd = rows[i].simd};
        m.mlen = rows[i].mlen;
        m.rlen = rows[i].rlen;
        m.header = rows[i].header;
        uint32_t desc;
        uint8_t sfid;
        const char *why = "";
        bool ok = msg_pack(f.gen, &m, &desc, &sfid, &why);
        CHECKF(ok == (rows[i].first && f.gen >= rows[i].first), "gen %d row %u: %d %s", f.gen, i,
               ok, why);
    }
}

/* ---- anything ---- */

static uint32_t seed = 7;
static uint32_t draw(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 4;
}

/* Sets some fields of a state to some value that they can hold. */
static void scramble(uint32_t *dw, enum cmd_id id, unsigned chance)
{
    for (unsigned i = 0; i < CMD_N_FIELDS; i++) {
        uint64_t max =
            cmd_field_packet(i) == id && cmd_has_field(f.gen, i) ? cmd_field_max(f.gen, i) : 0;
        uint64_t v = (uint64_t)draw() << 28 | draw();
        if (max == 0 || draw() % chance || i == CMD_SURFACE_STATE_address)
            continue;
        v = draw() % 2 ? v & max : (v & 3) < max ? v & 3 : max;
        if (i == CMD_SAMPLER_STATE_border_color)
            v = BORDER;
        cmd_set(f.gen, dw, i, v);
    }
}

/* States, descriptors and payloads of any content are executed or refused with a reason. */
static void test_anything(void)
{
    unsigned executed = 0, refused = 0;
    make_image(IMAGE_3D);
    for (unsigned turn = 0; turn < 10000; turn++) {
        uint32_t dw[16];
        struct rig_image i = describe(draw() % N_KINDS, format_at(draw() % 60)->code);
        fill_image(dw, &i);
        if (draw() % 2)
            scramble(dw, CMD_SURFACE_STATE, 30);
        put_surface(BTI_PIXELS, dw);
        add_sampler(0, all_of(draw() % 2, draw() % 7, draw() % 4 == 0));
        scramble(sampler_dw, CMD_SAMPLER_STATE, 40);
        put_sampler(0);
        struct msg m = message(draw() % 32, draw() % 2 ? 8 : 16, draw() % 6);
        if (draw() % 3 == 0)
            m = with_header(m, draw() % 2 ? draw() : draw() & 0xfff);
        m.simd4x2 = draw() % 16 == 0;
        if (m.simd4x2)
            m.rlen = 1;
        for (unsigned k = 0; k < 12 * 8; k++)
            ((uint32_t *)payload[m.header])[k] = draw() % 4 ? draw() & 0xc1ffffff : draw() % 16;
        uint32_t desc;
        uint8_t sfid;
        const char *why;
        if (!msg_pack(f.gen, &m, &desc, &sfid, &why))
            continue;
        bool ok = run(m, draw());
        CHECK(ok == !f.fault.set);
        executed += ok;
        refused += !ok;
    }
    CHECKF(executed > 500 && refused > 500, "gen %d: %u executed, %u refused", f.gen, executed,
           refused);
}

/* The perturbing mode: weights of 8 bits, coordinates just below 0 taken as 0; on Gen7 and 7.5
 * zeros outside also in alpha, and the one row of a 1D image filtered with the border that v's mode
 * asks for. */
static void test_perturbed(const char *device)
{
    static const struct sim_options opt = {.n_host_threads = 1, .perturb = 1};
    open_rig(device);
    struct sim_gpu *gpu = sim_gpu_new(f.dev, &opt);
    REQUIRE(gpu);
    f.d.gpu = gpu;
    make_image(IMAGE_2D);
    add_sampler(0, all_of(LINEAR, CLAMP, true));
    float a = 77.0f / 256, t = texel(3, 0, 0, 0), next = texel(4, 0, 0, 0);
    check_at(3.8f, 0.5f, (1 - a) * t + a * next);
    add_sampler(0, all_of(NEAREST, BORDERED, true));
    check_at(-0.001f, 0.5f, texel(0, 0, 0, 0));
    check_at(-0.1f, 0.5f, border[0]);
    make_image(IMAGE_1D);
    add_sampler(0, all_of(LINEAR, BORDERED, true));
    t = texel(3, 0, 0, 0);
    check_at(3.5f, 0, f.gen < 80 ? (t + border[0]) / 2 : t);
    struct state s = all_of(LINEAR, BORDERED, true);
    s.wrap[1] = CLAMP;
    add_sampler(0, s);
    check_at(3.5f, 0, t);
    add_image(BTI_PIXELS, describe(IMAGE_2D, FORMAT_R32_UINT));
    struct msg m = message(MSG_SAMPLER_ld, 8, 1);
    for (unsigned lane = 0; lane < 8; lane++)
        set_int(&m, 0, lane, -1);
    must(m, 0xff);
    CHECK(result_u(&m, 3, 0) == (f.gen >= 80));
    f.d.gpu = f.gpu;
    sim_gpu_free(gpu);
    teardown();
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        open_rig(devices[i]);
        test_compare();
        test_levels();
        test_magnified();
        test_rules();
        test_descriptors();
        test_anything();
        teardown();
        test_perturbed(devices[i]);
    }
    return utest_end();
}
