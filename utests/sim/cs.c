/* The command streamer: what its commands do. What it refuses: cs_rules.c. */
#include "cs_rig.h"

#include <time.h>

/* ---- effects ---- */
static uint32_t data_dw(unsigned i)
{
    return ((uint32_t *)data)[i];
}

static void put_srm(uint32_t reg, unsigned dw)
{
    uint32_t *p = put(CMD_MI_STORE_REGISTER_MEM);
    set(p, CMD_MI_STORE_REGISTER_MEM_register, reg);
    set(p, CMD_MI_STORE_REGISTER_MEM_address, DATA_AT + 4 * dw);
}

static void put_lri(uint32_t reg, uint32_t value)
{
    *out++ = 0x11000001;
    *out++ = reg;
    *out++ = value;
}

static void test_effects(void)
{
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    memset(data, 0, PAGE);
    out = (uint32_t *)batch;

    /* Time stamps: one clock, in ticks of the device. */
    put_pc(0x00100002, 0, 0);
    put_pc(0x0010c000, DATA_AT + 8, 0);
    put_srm(REG_TIMESTAMP, 4);
    /* Bit 2 of the address is ignored. */
    put_pc(0x00100002, 0, 0);
    put_pc(0x00104000, DATA_AT + 36, 0x1357);
    /* A predicated walker with zero groups, by the sequence that Mesa uses for indirect dispatch.
     */
    put_lri(REG_PREDICATE_SRC0, 0);
    put_lri(REG_PREDICATE_SRC0 + 4, 0);
    put_lri(REG_PREDICATE_SRC1, 0);
    put_lri(REG_PREDICATE_SRC1 + 4, 0);
    *out++ = 0x06000082; /* set: x == 0 */
    put_lri(REG_PREDICATE_SRC0, 5);
    *out++ = 0x06000092; /* or y == 0 */
    *out++ = 0x060000d1; /* inverted */
    int64_t n[N_NUMBERS];
    memcpy(n, usual, sizeof n);
    n[W_PREDICATE] = 1;
    n[W_END_X] = 0;
    const struct change none = {.place = NOWHERE};
    put_state(n);
    put_dispatch(&none, n);
    /* Now with the predicate on, and the counts from registers. */
    *out++ = 0x06000080; /* set: true */
    put_lri(REG_DISPATCH_X, 3);
    put_lri(REG_DISPATCH_Y, 2);
    put_lri(REG_DISPATCH_Z, 1);
    put_srm(REG_INVOCATIONS, 10);
    n[W_INDIRECT] = 1;
    put_pc(0x00100022, 0, 0);
    put_dispatch(&none, n);
    put_srm(REG_INVOCATIONS, 11);
    put_end();
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    uint64_t before = sim_clock(gpu);
    bool ok = run_at(ctx, 0, BATCH_AT, &fault);
    uint64_t after = sim_clock(gpu);
    clock_gettime(CLOCK_MONOTONIC, &b);
    CHECKF(ok, "%s: %s", dev->name, fault.text);
    uint64_t stamp = *(uint64_t *)(data + 8);
    CHECK(before <= stamp && stamp <= data_dw(4) && data_dw(4) <= after);
    double seconds = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) * 1e-9;
    CHECKF((after - before) <= seconds * dev->timestamp_hz + 2, "%llu ticks in %f s",
           (unsigned long long)(after - before), seconds);
    CHECK(data_dw(8) == 0x1357 && data_dw(9) == 0 && data_dw(10) == 0);
    CHECKF(data_dw(11) == 3 * 2 * 4, "%u threads", data_dw(11));

    /* Registers and state outlive the batch. */
    out = (uint32_t *)batch;
    put_srm(REG_DISPATCH_X, 20);
    memcpy(n, usual, sizeof n);
    n[VFE_SKIP] = n[CURBE_SKIP] = n[DESC_SKIP] = 1;
    put_dispatch(&none, n);
    put_end();
    CHECKF(run_at(ctx, 0, BATCH_AT, &fault), "%s", fault.text);
    CHECK(data_dw(20) == 3);
    sim_context_free(ctx);
}

/* MI_MATH, copies, atomics, semaphores, second level batches. */
static void test_mi(void)
{
    if (gen < 75)
        return;
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    memset(data, 0, PAGE);
    out = (uint32_t *)batch;
    put_lri(REG_GPR0, 0xfffffff0);
    put_lri(REG_GPR0 + 4, 1);
    put_lri(REG_GPR0 + 8, 0x20);
    put_lri(REG_GPR0 + 12, 0);
    *out++ = 0x0d000007; /* 9 dwords */
    *out++ = 0x08008000; /* load srca, r0 */
    *out++ = 0x08008401; /* load srcb, r1 */
    *out++ = 0x10000000; /* add */
    *out++ = 0x18000831; /* store r2, accu */
    *out++ = 0x18000c33; /* store r3, cf */
    *out++ = 0x10100000; /* sub */
    *out++ = 0x18001031; /* store r4, accu */
    *out++ = 0x18001432; /* store r5, zf */
    put_srm(REG_GPR0 + 16, 0);
    put_srm(REG_GPR0 + 20, 1);
    put_srm(REG_GPR0 + 24, 2);
    put_srm(REG_GPR0 + 32, 3);
    put_srm(REG_GPR0 + 36, 4);
    put_srm(REG_GPR0 + 40, 5);
    *out++ = 0x15000001; /* LRR */
    *out++ = REG_GPR0 + 16;
    *out++ = REG_GPR0 + 64;
    put_srm(REG_GPR0 + 64, 6);
    /* A called batch stores, returns. */
    uint32_t *dw = put(CMD_MI_BATCH_BUFFER_START);
    set(dw, CMD_MI_BATCH_BUFFER_START_ppgtt, 1);
    set(dw, CMD_MI_BATCH_BUFFER_START_second_level, 1);
    set(dw, CMD_MI_BATCH_BUFFER_START_address, SECOND_AT);
    put_srm(REG_GPR0 + 72, 7);
    uint32_t *here = out;
    out = (uint32_t *)second;
    put_lri(REG_GPR0 + 72, 0x2bad);
    put(CMD_MI_BATCH_BUFFER_END);
    out = here;
    if (gen >= 80) {
        dw = put(CMD_MI_COPY_MEM_MEM);
        set(dw, CMD_MI_COPY_MEM_MEM_destination, DATA_AT + 32);
        set(dw, CMD_MI_COPY_MEM_MEM_source, DATA_AT);
        *out++ = 0x17840701 + 8; /* atomic add, inline data, 11 dwords */
        *out++ = DATA_AT + 36;
        *out++ = 0;
        *out++ = 77;
        for (unsigned i = 0; i < 7; i++)
            *out++ = 0;
        *out++ = 0x0e00c002; /* wait until memory == data */
        *out++ = 77;
        *out++ = DATA_AT + 36;
        *out++ = 0;
    }
    put_end();
    CHECKF(run_at(ctx, 0, BATCH_AT, &fault), "%s: %s", dev->name, fault.text);
    /* 0x1fffffff0 + 0x20 and - 0x20. */
    CHECKF(data_dw(1) == 2 || data_dw(0) == TAG, "%x %x", data_dw(0), data_dw(1));
    CHECK(data_dw(2) == 0 && data_dw(3) == 0xffffffd0 && data_dw(4) == 1 && data_dw(5) == 0);
    CHECKF(data_dw(6) == 0x10, "%x", data_dw(6));
    CHECK(data_dw(7) == 0x2bad);
    if (gen >= 80)
        CHECK(data_dw(8) == 0x10 && data_dw(9) == 77);
    sim_context_free(ctx);
}

/* The copy engine fills and copies rectangles. */
static void test_blit(void)
{
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault = {.set = false};
    memset(data, 0, PAGE);
    out = (uint32_t *)batch;
    uint32_t *dw = put(CMD_XY_COLOR_BLT);
    set(dw, CMD_XY_COLOR_BLT_write_rgb, 1);
    set(dw, CMD_XY_COLOR_BLT_write_alpha, 1);
    set(dw, CMD_XY_COLOR_BLT_rop, 0xf0);
    set(dw, CMD_XY_COLOR_BLT_color_depth, 3);
    set(dw, CMD_XY_COLOR_BLT_dst_pitch, 64);
    set(dw, CMD_XY_COLOR_BLT_dst_x1, 2);
    set(dw, CMD_XY_COLOR_BLT_dst_y1, 1);
    set(dw, CMD_XY_COLOR_BLT_dst_x2, 5);
    set(dw, CMD_XY_COLOR_BLT_dst_y2, 3);
    set(dw, CMD_XY_COLOR_BLT_dst_address, DATA_AT);
    set(dw, CMD_XY_COLOR_BLT_color, 0x11223344);
    dw = put(CMD_XY_SRC_COPY_BLT);
    set(dw, CMD_XY_SRC_COPY_BLT_write_rgb, 1);
    set(dw, CMD_XY_SRC_COPY_BLT_write_alpha, 1);
    set(dw, CMD_XY_SRC_COPY_BLT_rop, 0xcc);
    set(dw, CMD_XY_SRC_COPY_BLT_color_depth, 3);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_pitch, 32);
    set(dw, CMD_XY_SRC_COPY_BLT_src_pitch, 64);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_x2, 4);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_y2, 3);
    set(dw, CMD_XY_SRC_COPY_BLT_src_x1, 1);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_address, DATA_AT + 1024);
    set(dw, CMD_XY_SRC_COPY_BLT_src_address, DATA_AT);
    dw = put(CMD_MI_FLUSH_DW);
    set(dw, CMD_MI_FLUSH_DW_post_sync, 1);
    set(dw, CMD_MI_FLUSH_DW_address, DATA_AT + 2048);
    set(dw, CMD_MI_FLUSH_DW_immediate, 0x99);
    put(CMD_MI_BATCH_BUFFER_END);
    CHECKF(run_at(ctx, 1, BATCH_AT, &fault), "%s", fault.text);
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 16; x++) {
            uint32_t want = x >= 2 && x < 5 && y >= 1 && y < 3 ? 0x11223344 : 0;
            CHECK(data_dw(16 * y + x) == want);
            if (x < 8) {
                bool in = x < 4 && y < 3 && x + 1 >= 2 && x + 1 < 5 && y >= 1;
                CHECK(data_dw(256 + 8 * y + x) == (in ? 0x11223344 : 0));
            }
        }
    }
    CHECK(data_dw(512) == 0x99);
    sim_context_free(ctx);
}

/* A copy of 32-bit pixels from (0, 0). */
struct copy {
    unsigned from, to, from_pitch, to_pitch; /* addresses; bytes */
    bool from_tiled, to_tiled;
    unsigned width, height, rop, depth;
    bool rgb, alpha;
};

static void put_copy(struct copy c)
{
    uint32_t *dw = put(CMD_XY_SRC_COPY_BLT);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_tiled, c.to_tiled);
    set(dw, CMD_XY_SRC_COPY_BLT_src_tiled, c.from_tiled);
    set(dw, CMD_XY_SRC_COPY_BLT_write_rgb, c.rgb);
    set(dw, CMD_XY_SRC_COPY_BLT_write_alpha, c.alpha);
    set(dw, CMD_XY_SRC_COPY_BLT_rop, c.rop);
    set(dw, CMD_XY_SRC_COPY_BLT_color_depth, c.depth);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_pitch, c.to_tiled ? c.to_pitch / 4 : c.to_pitch);
    set(dw, CMD_XY_SRC_COPY_BLT_src_pitch, c.from_tiled ? c.from_pitch / 4 : c.from_pitch);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_x2, c.width);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_y2, c.height);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_address, c.to);
    set(dw, CMD_XY_SRC_COPY_BLT_src_address, c.from);
}

static void run_copies(const char *what)
{
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    put(CMD_MI_BATCH_BUFFER_END);
    CHECKF(run_at(ctx, 1, BATCH_AT, &fault), "%s: %s: %s", dev->name, what, fault.text);
    sim_context_free(ctx);
}

static uint8_t pattern(unsigned i)
{
    return (uint8_t)(i * 11 + i / 256 * 7 + 1);
}

/* One tile there and back: an X tile is 8 rows of 512 bytes one after the other; a Y tile 8 columns
 * of 16 bytes, 32 rows each. */
static void test_tiles(void)
{
    for (unsigned y_tile = 0; y_tile < 2; y_tile++) {
        unsigned pitch = y_tile ? 128 : 512, rows = PAGE / pitch, wrong = 0;
        for (unsigned i = 0; i < PAGE; i++)
            indirect[i] = pattern(i);
        memset(data, 0, PAGE);
        memset(second, 0, PAGE);
        out = (uint32_t *)batch;
        put_lri(REG_BCS_SWCTRL, y_tile ? 0x00030003 : 0x00030000);
        put_copy((struct copy){INDIRECT_AT, DATA_AT, pitch, pitch, false, true, pitch / 4, rows,
                               0xcc, 3, true, true});
        put_copy((struct copy){DATA_AT, SECOND_AT, pitch, pitch, true, false, pitch / 4, rows, 0xcc,
                               3, true, true});
        run_copies("tiles");
        for (unsigned i = 0; i < PAGE; i++) {
            unsigned x = i % pitch, y = i / pitch;
            wrong += data[y_tile ? x / 16 * 512 + y * 16 + x % 16 : i] != pattern(i);
            wrong += second[i] != pattern(i);
        }
        CHECKF(!wrong, "%s: %c tiles: %u bytes", dev->name, y_tile ? 'Y' : 'X', wrong);
    }
}

/* Gen9's fast copy, by every depth: from linear to a Y tile, from that to an X tile, and back. */
static void test_fast_copy(void)
{
    static const struct {
        unsigned code, bytes;
    } depths[] = {{0, 1}, {1, 2}, {3, 4}, {4, 8}, {5, 16}};
    enum { LINEAR, X, Y };
    const struct {
        unsigned from, to, from_tiling, to_tiling, from_pitch, to_pitch;
    } steps[] = {{INDIRECT_AT, DATA_AT, LINEAR, Y, 128, 128 / 4},
                 {DATA_AT, SECOND_AT, Y, X, 128 / 4, 512 / 4},
                 {SECOND_AT, STATE_AT, X, LINEAR, 512 / 4, 128}};
    for (unsigned d = 0; d < sizeof depths / sizeof depths[0] && gen >= 90; d++) {
        unsigned wrong = 0;
        for (unsigned i = 0; i < PAGE; i++)
            indirect[i] = pattern(i + d);
        memset(data, 0, PAGE);
        memset(second, 0, PAGE);
        memset(state, 0, PAGE);
        out = (uint32_t *)batch;
        for (unsigned i = 0; i < 3; i++) {
            uint32_t *dw = put(CMD_XY_FAST_COPY_BLT);
            set(dw, CMD_XY_FAST_COPY_BLT_src_tiling, steps[i].from_tiling);
            set(dw, CMD_XY_FAST_COPY_BLT_dst_tiling, steps[i].to_tiling);
            set(dw, CMD_XY_FAST_COPY_BLT_color_depth, depths[d].code);
            set(dw, CMD_XY_FAST_COPY_BLT_src_pitch, steps[i].from_pitch);
            set(dw, CMD_XY_FAST_COPY_BLT_dst_pitch, steps[i].to_pitch);
            set(dw, CMD_XY_FAST_COPY_BLT_dst_x2, 128 / depths[d].bytes);
            set(dw, CMD_XY_FAST_COPY_BLT_dst_y2, 8); /* what an X tile holds */
            set(dw, CMD_XY_FAST_COPY_BLT_src_address, steps[i].from);
            set(dw, CMD_XY_FAST_COPY_BLT_dst_address, steps[i].to);
        }
        run_copies("fast copy");
        for (unsigned i = 0; i < 8 * 128; i++) {
            unsigned x = i % 128, y = i / 128;
            wrong += data[x / 16 * 512 + y * 16 + x % 16] != pattern(i + d);
            wrong += second[y * 512 + x] != pattern(i + d);
            wrong += state[i] != pattern(i + d);
        }
        CHECKF(!wrong, "%s: depth %u: %u bytes", dev->name, depths[d].bytes, wrong);
    }
}

/* Raster operations by their truth table, and the channels that are written. */
static void test_raster(void)
{
    const uint32_t s = 0x0ff0a5c3, d = 0x33cc5a69;
    const struct {
        unsigned rop, depth;
        bool rgb, alpha;
        uint32_t want;
    } rows[] = {{0x00, 3, true, true, 0},
                {0xff, 3, true, true, 0xffffffff},
                {0x66, 3, true, true, s ^ d},
                {0x88, 3, true, true, s & d},
                {0xee, 3, true, true, s | d},
                {0x22, 3, true, true, ~s & d},
                {0x55, 3, true, true, ~d},
                {0xcc, 3, true, false, (s & 0x00ffffff) | (d & 0xff000000)},
                {0xcc, 3, false, true, (s & 0xff000000) | (d & 0x00ffffff)},
                {0xcc, 0, false, false, (d & 0xffffff00) | (s & 0xff)},
                {0x66, 1, false, false, d ^ (s & 0xffff)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memcpy(indirect, &s, 4);
        memcpy(data, &d, 4);
        out = (uint32_t *)batch;
        put_copy((struct copy){INDIRECT_AT, DATA_AT, 64, 64, false, false, 1, 1, rows[i].rop,
                               rows[i].depth, rows[i].rgb, rows[i].alpha});
        run_copies("raster operation");
        CHECKF(data_dw(0) == rows[i].want, "%s: row %zu: %08x", dev->name, i, data_dw(0));
    }
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        const struct sim_options opt = {.n_host_threads = 1, .insn_limit = 20000};
        rig_begin(devices[i], &opt);
        test_effects();
        test_mi();
        test_blit();
        test_tiles();
        test_fast_copy();
        test_raster();
        rig_end();
    }
    return utest_end();
}
