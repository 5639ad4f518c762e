/* Operands: types and conversions, saturation, regions, immediates, indirect addresses,
 * architecture registers, masks, predicates, Align16. Expected registers are worked out by hand or
 * in plain C. */
#include "eu_rig.h"

#include <math.h>

static struct rig rig;

/* Word lanes 0, 1, 2 ... in r10 and r11, their doubles' bytes etc. as each test wants. */
static void start(const char *program)
{
    rig_program(&rig, program);
    rig_reset(&rig, 0xffff);
}

static void go(const char *what)
{
    struct eu_thread before = rig.t;
    /* The general path first, then both compared. */
    CHECKF(rig_run(&rig, EU_MODE_GENERAL), "gen %d: %s", rig.gen, what);
    struct eu_thread after = rig.t;
    rig.t = before;
    CHECKF(rig_run(&rig, EU_MODE_COMPARE), "gen %d: %s", rig.gen, what);
    CHECKF(!memcmp(after.grf, rig.t.grf, 4096) && !memcmp(after.f, rig.t.f, 8), "gen %d: %s",
           rig.gen, what);
}

static void expect_ud(const char *what, unsigned reg, unsigned n, const uint32_t *want)
{
    for (unsigned i = 0; i < n; i++)
        CHECKF(rig_ud(&rig, reg, i) == want[i], "gen %d: %s: r%u.%u = 0x%08x, not 0x%08x", rig.gen,
               what, reg, i, rig_ud(&rig, reg, i), want[i]);
}

static void expect_uw(const char *what, unsigned reg, unsigned n, const uint16_t *want)
{
    for (unsigned i = 0; i < n; i++)
        CHECKF(rig_uw(&rig, reg, i) == want[i], "gen %d: %s: r%u.%u = 0x%04x, not 0x%04x", rig.gen,
               what, reg, i, rig_uw(&rig, reg, i), want[i]);
}

static void integers(void)
{
    static const uint32_t in[8] = {0, 127, 128, 255, 0x7fff, 0x8000, 0xffff8000, 0xffffffff};
    /* Narrowing keeps low bits; saturation clamps the exact value. */
    start("mov (8|M0) r20.0<2>:w r10.0<8;8,1>:d\n"
          "mov (8|M0) (sat)r21.0<2>:w r10.0<8;8,1>:d\n"
          "mov (8|M0) (sat)r22.0<2>:uw r10.0<8;8,1>:d\n"
          "mov (8|M0) (sat)r23.0<2>:uw r10.0<8;8,1>:ud\n"
          "mov (8|M0) (sat)r24.0<4>:b r10.0<8;8,1>:d\n"
          "mov (8|M0) (sat)r25.0<4>:ub r10.0<8;8,1>:d\n"
          "mov (8|M0) r26.0<1>:d r20.0<16;8,2>:w\n"
          "mov (8|M0) r27.0<1>:d r20.0<16;8,2>:uw\n"
          "mov (8|M0) r28.0<1>:d r24.0<32;8,4>:b\n"
          "mov (8|M0) (sat)r29.0<1>:d r10.0<8;8,1>:ud\n"
          "mov (8|M0) (sat)r30.0<1>:ud r10.0<8;8,1>:d\n"
          "fbl (8|M0) r31.0<1>:ud r10.0<16;8,2>:uw\n");
    rig_set(&rig, 10, in, sizeof in);
    go("integer conversions");
    static const uint32_t lowest[8] = {UINT32_MAX, 0, 7, 0, 0, 15, 15, 0}; /* of the low words */
    expect_ud("fbl of words", 31, 8, lowest);
    for (unsigned i = 0; i < 8; i++) {
        int32_t v = (int32_t)in[i];
        int32_t w = v < -32768  ? -32768
                    : v > 32767 ? 32767
                                : v,
                b = v < -128  ? -128
                    : v > 127 ? 127
                              : v;
        CHECK(rig_uw(&rig, 20, 2 * i) == (uint16_t)v && rig_uw(&rig, 20, 2 * i + 1) == 0);
        CHECK((int16_t)rig_uw(&rig, 21, 2 * i) == w);
        CHECK(rig_uw(&rig, 22, 2 * i) == (v < 0 ? 0 : v > 65535 ? 65535 : v));
        CHECK(rig_uw(&rig, 23, 2 * i) == (in[i] > 65535 ? 65535 : in[i]));
        CHECK((int8_t)rig.t.grf[24 * 32 + 4 * i] == b);
        CHECK(rig.t.grf[25 * 32 + 4 * i] == (v < 0 ? 0 : v > 255 ? 255 : v));
        CHECK((int32_t)rig_ud(&rig, 26, i) == (int16_t)v);
        CHECK(rig_ud(&rig, 27, i) == (uint16_t)v);
        CHECK((int32_t)rig_ud(&rig, 28, i) == b);
        CHECK(rig_ud(&rig, 29, i) == (in[i] > 0x7fffffff ? 0x7fffffff : in[i]));
        CHECK(rig_ud(&rig, 30, i) == (v < 0 ? 0 : in[i]));
    }
    /* Saturating sums, and exact word arithmetic into dwords. */
    static const uint32_t a[8] = {0x7fffffff, 0x80000000, 5,          0xffffffff,
                                  0,          1,          0x40000000, 0xc0000000};
    static const uint32_t b[8] = {1,          0xffffffff, 0xfffffffb, 1,
                                  0x80000000, 0x7fffffff, 0x40000000, 0xbfffffff};
    start("add (8|M0) (sat)r20.0<1>:d r10.0<8;8,1>:d r11.0<8;8,1>:d\n"
          "add (8|M0) (sat)r21.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud\n"
          "add (8|M0) (sat)r22.0<1>:ud r10.0<8;8,1>:ud -r11.0<8;8,1>:ud\n"
          "add (8|M0) r23.0<1>:d r10.0<16;8,2>:w r11.0<16;8,2>:w\n"
          "mul (8|M0) r24.0<1>:d r10.0<16;8,2>:w r11.0<16;8,2>:w\n"
          "mul (8|M0) r25.0<1>:ud r10.0<16;8,2>:uw r11.0<16;8,2>:uw\n"
          "shl (8|M0) r26.0<1>:d r10.0<16;8,2>:w 8:w\n"
          "asr (8|M0) r27.0<1>:d r10.0<16;8,2>:w 17:w\n");
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    go("integer sums");
    for (unsigned i = 0; i < 8; i++) {
        int64_t s = (int64_t)(int32_t)a[i] + (int32_t)b[i], us = (int64_t)a[i] + b[i],
                ud = (int64_t)a[i] - b[i];
        CHECK((int32_t)rig_ud(&rig, 20, i) == (s > INT32_MAX   ? INT32_MAX
                                               : s < INT32_MIN ? INT32_MIN
                                                               : s));
        CHECK(rig_ud(&rig, 21, i) == (us > UINT32_MAX ? UINT32_MAX : us));
        CHECK(rig_ud(&rig, 22, i) == (ud < 0 ? 0 : ud));
        CHECK((int32_t)rig_ud(&rig, 23, i) == (int16_t)a[i] + (int16_t)b[i]);
        CHECK((int32_t)rig_ud(&rig, 24, i) == (int16_t)a[i] * (int16_t)b[i]);
        CHECK(rig_ud(&rig, 25, i) == (uint32_t)(uint16_t)a[i] * (uint16_t)b[i]);
        CHECK((int32_t)rig_ud(&rig, 26, i) == (int16_t)a[i] * 256);
        CHECK((int32_t)rig_ud(&rig, 27, i) == ((int16_t)a[i] < 0 ? -1 : 0));
    }
}

static void floats_to_integers(void)
{
    static const float in[8] = {-1.75f, 2.5f, 1e10f, -1e10f, 300.7f, 70000.0f, -0.0f, 254.9f};
    float v[8];
    memcpy(v, in, sizeof v);
    v[6] = NAN;
    start("mov (8|M0) r20.0<1>:d r10.0<8;8,1>:f\n"
          "mov (8|M0) r21.0<1>:ud r10.0<8;8,1>:f\n"
          "mov (8|M0) r22.0<2>:w r10.0<8;8,1>:f\n"
          "mov (8|M0) r23.0<2>:uw r10.0<8;8,1>:f\n"
          "mov (8|M0) r24.0<4>:ub r10.0<8;8,1>:f\n"
          "mov (8|M0) (sat)r25.0<4>:b r10.0<8;8,1>:f\n"
          "mov (8|M0) (sat)r26.0<1>:f r10.0<8;8,1>:f\n");
    rig_set(&rig, 10, v, sizeof v);
    go("float to integer");
    static const uint32_t d[8] = {-1u, 2, 0x7fffffff, 0x80000000, 300, 70000, 0, 254};
    static const uint32_t ud[8] = {0, 2, 0xffffffff, 0, 300, 70000, 0, 254};
    expect_ud("f to d", 20, 8, d);
    expect_ud("f to ud", 21, 8, ud);
    static const int w[8] = {-1, 2, 32767, -32768, 300, 32767, 0, 254},
                     uw[8] = {0, 2, 65535, 0, 300, 65535, 0, 254};
    static const int ub[8] = {0, 2, 255, 0, 255, 255, 0, 254},
                     b[8] = {-1, 2, 127, -128, 127, 127, 0, 127};
    static const float sat[8] = {0, 1, 1, 0, 1, 1, 0, 1};
    for (unsigned i = 0; i < 8; i++) {
        CHECK((int16_t)rig_uw(&rig, 22, 2 * i) == w[i]);
        CHECK(rig_uw(&rig, 23, 2 * i) == uw[i]);
        CHECK(rig.t.grf[24 * 32 + 4 * i] == ub[i]);
        CHECK((int8_t)rig.t.grf[25 * 32 + 4 * i] == b[i]);
        CHECK(rig_f(&rig, 26, i) == sat[i]);
    }
}

static void regions(void)
{
    uint32_t in[64];
    for (unsigned i = 0; i < 64; i++)
        in[i] = 100 + i;
    start("mov (8|M0) r20.0<1>:d r10.0<4;4,1>:d\n"
          "mov (8|M0) r21.0<1>:d r10.0<8;4,2>:d\n"
          "mov (8|M0) r22.0<1>:d r10.0<4;2,0>:d\n"
          "mov (8|M0) r23.0<1>:d r10.3<0;1,0>:d\n"
          "mov (8|M0) r24.0<1>:d r10.1<0;4,1>:d\n"
          "mov (8|M0) r25.0<1>:d r10.0<1;4,1>:d\n"
          "mov (4|M0) r26.2<2>:w r10.0<8;4,2>:w\n"
          "mov (16|M0) r28.0<1>:d r10.0<8;8,1>:d\n"
          "mov (8|M8) r30.0<1>:d r10.4<0;1,0>:d\n");
    rig_set(&rig, 10, in, sizeof in);
    go("regions");
    static const uint32_t r21[8] = {100, 102, 104, 106, 108, 110, 112, 114},
                          r22[8] = {100, 100, 104, 104, 108, 108, 112, 112};
    static const uint32_t r23[8] = {103, 103, 103, 103, 103, 103, 103, 103};
    static const uint32_t r24[8] = {101, 102, 103, 104, 101, 102, 103, 104},
                          r25[8] = {100, 101, 102, 103, 101, 102, 103, 104};
    static const uint32_t r26[8] = {0, 100, 101, 102, 103, 0, 0, 0};
    static const uint32_t r30[8] = {104, 104, 104, 104, 104, 104, 104, 104};
    expect_ud("<4;4,1>", 20, 8, in);
    expect_ud("<8;4,2>", 21, 8, r21);
    expect_ud("<4;2,0>", 22, 8, r22);
    expect_ud("<0;1,0>", 23, 8, r23);
    expect_ud("<0;4,1>", 24, 8, r24);
    expect_ud("<1;4,1>", 25, 8, r25);
    for (unsigned i = 0; i < 4; i++)
        CHECK(rig_uw(&rig, 26, 2 + 2 * i) == r26[1 + i] && rig_uw(&rig, 26, 3 + 2 * i) == 0);
    expect_ud("two registers", 28, 16, in);
    expect_ud("second quarter", 30, 8, r30);
}

static void immediates(void)
{
    start("mov (8|M0) r20.0<1>:w 0x76543210:v\n"
          "mov (8|M0) r21.0<1>:uw 0xfedcba98:uv\n"
          "mov (8|M0) r22.0<1>:f 0x48403000:vf\n"
          "mov (8|M0) r23.0<1>:w 0xfedcba98:v\n"
          "add (8|M0) r24.0<1>:d r10.0<8;8,1>:d -7:w\n"
          "mov (1|M0) r25.0<1>:d -3:w\n");
    go("immediates");
    static const uint16_t v[8] = {0, 1, 2, 3, 4, 5, 6, 7}, uv[8] = {8, 9, 10, 11, 12, 13, 14, 15};
    static const uint16_t neg[8] = {0xfff8, 0xfff9, 0xfffa, 0xfffb, 0xfffc, 0xfffd, 0xfffe, 0xffff};
    static const float vf[8] = {0, 1, 2, 3, 0, 1, 2, 3};
    expect_uw("v", 20, 8, v);
    expect_uw("uv", 21, 8, uv);
    expect_uw("negative v", 23, 8, neg);
    for (unsigned i = 0; i < 8; i++) {
        CHECK(rig_f(&rig, 22, i) == vf[i]);
        CHECK(rig_ud(&rig, 24, i) == (uint32_t)-7);
    }
    CHECK(rig_ud(&rig, 25, 0) == (uint32_t)-3);
    if (rig.gen < 80)
        return;
    start("mov (4|M0) r20.0<1>:ud 0x0c080400:uv\nmov (4|M0) r21.0<1>:uw 0xc840:uv\n"
          "mov (1|M0) r22.0<1>:q 0x123456789abcdef0:q\n");
    go("vector immediates to dwords");
    static const uint32_t dwords[4] = {0, 4, 8, 12};
    static const uint16_t words[4] = {0, 4, 8, 12};
    expect_ud("uv to ud", 20, 4, dwords);
    expect_uw("uv to uw", 21, 4, words);
    CHECK(rig_uq(&rig, 22, 0) == 0x123456789abcdef0ull);
}

static void indirect(void)
{
    uint32_t in[32];
    for (unsigned i = 0; i < 32; i++)
        in[i] = 1000 + i;
    start("mov (8|M0) r20.0<1>:d r[a0.0,32]<8;8,1>:d\n"
          "mov (8|M0) r21.0<1>:d r[a0.0]<1,0>:d\n"
          "mov (8|M0) r22.0<1>:d r[a0.0]<4,1>:d\n"
          "mov (8|M0) r[a0.1]<1>:d r10.0<8;8,1>:d\n");
    rig_set(&rig, 10, in, sizeof in);
    for (unsigned i = 0; i < 8; i++)
        rig.t.a0[i] = (uint16_t)(10 * 32 + (7 - i) * 8);
    rig.t.a0[0] = 10 * 32;
    rig.t.a0[1] = 30 * 32;
    go("indirect");
    expect_ud("1x1", 20, 8, in + 8);
    static const uint32_t zero[4] = {0};
    expect_ud("destination", 30, 8, in);
    CHECK(rig_ud(&rig, 21, 0) == 1000);
    for (unsigned i = 2; i < 8; i++)
        CHECKF(rig_ud(&rig, 21, i) == 1000 + 2 * (7 - i), "Vx1 %u: %u", i, rig_ud(&rig, 21, i));
    for (unsigned i = 0; i < 4; i++)
        CHECK(rig_ud(&rig, 22, i) == 1000 + i);
    expect_ud("VxH: a0.1 points at what was zero", 22, 0, zero);
    /* Outside of the register file, and (before Gen8) a carry into the register number. */
    rig.quiet = true;
    start("mov (8|M0) r20.0<1>:d r[a0.0,32]<8;8,1>:d\n");
    rig.t.a0[0] = 127 * 32;
    CHECK(!rig_run(&rig, EU_MODE_FAST) && strstr(rig.fault.text, "outside of the register file"));
    start("mov (1|M0) r20.0<1>:d r[a0.0,16]<0;1,0>:d\n");
    rig.t.a0[0] = 10 * 32 + 16;
    CHECK(rig_run(&rig, EU_MODE_FAST) == (rig.gen >= 80));
    rig.quiet = false;
}

static void architecture(void)
{
    start("(W) mov (1|M0) f0.1<1>:uw 0x1234:uw\n"
          "(W) mov (1|M0) r20.0<1>:ud f0.0<0;1,0>:ud\n"
          "(W) mov (8|M0) a0.0<1>:uw r10.0<8;8,1>:uw\n"
          "(W) mov (1|M0) r21.0<1>:ud a0.1<0;1,0>:ud\n"
          "(W) mov (1|M0) r22.0<1>:ud sr0.2<0;1,0>:ud {Switch}\n"
          "(W) mov (1|M0) r23.0<1>:ud ip<0;1,0>:ud\n");
    static const uint16_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    rig_set(&rig, 10, words, sizeof words);
    rig.t.f[0] = 0xabcd;
    rig.t.sr0[2] = 0x77;
    go("architecture registers");
    CHECK(rig_ud(&rig, 20, 0) == 0x1234abcd);
    CHECK(rig_ud(&rig, 21, 0) == 0x00040003);
    CHECK(rig_ud(&rig, 22, 0) == 0x77);
    CHECK(rig_ud(&rig, 23, 0) == 5 * 16);
    rig.quiet = true;
    start("(W) mov (1|M0) sr0.1<1>:ud r10.0<0;1,0>:ud {Switch}\n");
    CHECK(rig_run(&rig, EU_MODE_FAST) == (rig.gen == 75));
    rig.quiet = false;
}

static void masks(void)
{
    static const struct {
        const char *pred;
        uint32_t want; /* of flag 0x00f3 */
    } preds[] = {
        {"(f0.0)", 0x00f3},        {"(~f0.0)", 0xff0c},       {"(f0.0.any2h)", 0x00f3},
        {"(f0.0.all2h)", 0x00f3},  {"(f0.0.any4h)", 0x00ff},  {"(f0.0.all4h)", 0x00f0},
        {"(f0.0.any8h)", 0x00ff},  {"(f0.0.all8h)", 0x0000},  {"(f0.0.any16h)", 0xffff},
        {"(f0.0.all16h)", 0x0000}, {"(~f0.0.any8h)", 0xff00}, {"(f0.0.anyv)", 0x01f3},
        {"(f0.0.allv)", 0x0003},
    };
    for (unsigned k = 0; k < sizeof preds / sizeof preds[0]; k++) {
        char line[128];
        snprintf(line, sizeof line, "%s mov (16|M0) r20.0<1>:d 1:d\n", preds[k].pred);
        start(line);
        rig.t.f[0] = 0x00f3;
        rig.t.f[1] = 0x0103;
        go(line);
        for (unsigned i = 0; i < 16; i++)
            CHECKF(rig_ud(&rig, 20, i) == (preds[k].want >> i & 1), "%s lane %u", line, i);
    }
    /* Dispatch mask, NoMask, quarters, nibbles. */
    start("mov (16|M0) r20.0<1>:d 1:d\n(W) mov (16|M0) r22.0<1>:d 1:d\nmov (8|M8) r24.0<1>:d 1:d\n"
          "mov (4|M4) r25.0<1>:d 1:d\n(W&f1.0) mov (16|M0) r26.0<1>:d 1:d\n");
    rig.t.dispatch_mask = rig.t.active = 0x0a35;
    rig.t.f[1] = 0x8001;
    go("masks");
    for (unsigned i = 0; i < 16; i++) {
        CHECK(rig_ud(&rig, 20, i) == (0x0a35u >> i & 1));
        CHECK(rig_ud(&rig, 22, i) == 1);
        CHECK(rig_ud(&rig, 26, i) == (0x8001u >> i & 1));
    }
    for (unsigned i = 0; i < 8; i++)
        CHECK(rig_ud(&rig, 24, i) == (0x0au >> i & 1));
    for (unsigned i = 0; i < 4; i++)
        CHECK(rig_ud(&rig, 25, i) == (0x3u >> i & 1));
}

static void conditions(void)
{
    static const int32_t in[8] = {-2, -1, 0, 1, 2, 0, INT32_MAX, INT32_MIN};
    static const struct {
        const char *cond;
        uint32_t want;
    } conds[] = {{"eq", 0x24}, {"ne", 0xdb}, {"gt", 0x58},
                 {"ge", 0x7c}, {"lt", 0x83}, {"le", 0xa7}};
    for (unsigned k = 0; k < 6; k++) {
        char line[512];
        snprintf(line, sizeof line,
                 "mov (8|M0) (%s)f0.0 r20.0<1>:d r10.0<8;8,1>:d\n"
                 "mov (8|M0) (%s)f0.1 r21.0<1>:f r11.0<8;8,1>:f\n"
                 "cmp (8|M0) (%s)f1.0 null<1>:d r10.0<8;8,1>:d 0:d {Switch}\n"
                 "cmp (8|M0) (%s)f1.1 null<1>:f r11.0<8;8,1>:f 0x0:f {Switch}\n",
                 conds[k].cond, conds[k].cond, conds[k].cond, conds[k].cond);
        start(line);
        float fl[8];
        for (unsigned i = 0; i < 8; i++)
            fl[i] = i == 5 ? -0.0f : (float)in[i];
        rig_set(&rig, 10, in, sizeof in);
        rig_set(&rig, 11, fl, sizeof fl);
        rig.t.f[0] = rig.t.f[1] = 0xff00ff00;
        go(line);
        uint32_t want = (0xff00 | conds[k].want) | (uint32_t)(0xff00 | conds[k].want) << 16;
        CHECKF(rig.t.f[0] == want && rig.t.f[1] == want, "%s: %08x %08x, not %08x", conds[k].cond,
               rig.t.f[0], rig.t.f[1], want);
    }
    start("cmp (8|M0) (lt)f0.0 null<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f {Switch}\n"
          "cmp (8|M0) (ne)f0.1 null<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f {Switch}\n"
          "cmp (8|M0) (un)f1.0 null<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f {Switch}\n"
          "sel (8|M0) (lt)f1.1 r20.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
          "sel (8|M0) (ge)f1.1 r21.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n");
    const float a[8] = {1, NAN, 2, NAN, -INFINITY, 3, 3, 0},
                b[8] = {2, 1, NAN, NAN, INFINITY, 3, 2, 1};
    static const float min[8] = {1, 1, 2, 0, -INFINITY, 3, 2, 0},
                       max[8] = {2, 1, 2, 0, INFINITY, 3, 3, 1};
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    go("NaN");
    CHECKF(rig.t.f[0] == 0x00df0091, "%08x", rig.t.f[0]);
    CHECKF((rig.t.f[1] & 0xffff) == 0x000e, "%08x", rig.t.f[1]);
    for (unsigned i = 0; i < 8; i++) {
        if (i == 3) {
            CHECK(isnan(rig_f(&rig, 20, i)) && isnan(rig_f(&rig, 21, i)));
            continue;
        }
        CHECKF(rig_f(&rig, 20, i) == min[i] && rig_f(&rig, 21, i) == max[i], "min, max of lane %u",
               i);
    }
}

/* The condition of a sum sees what is left of it in its type: Intel's compiler leaves out the
 * comparison behind an addition that wraps (add_sat of longs is made so). A negated unsigned source
 * adds a bit, the sign; words that are added into dwords do not wrap. */
static void conditions_of_sums(void)
{
    static const int32_t a[8] = {INT32_MAX, INT32_MIN, INT32_MIN, 5, 1, -1, -1, INT32_MAX},
                         b[8] = {1, -1, INT32_MIN, -5, 2, -2, 1, INT32_MAX};
    static const struct {
        const char *cond;
        uint32_t want;  /* of the wrapped sums: min, max, 0, 0, 3, -3, 0, -2 */
        uint32_t diff;  /* of the exact differences of the operands as unsigned numbers */
        uint32_t exact; /* of the exact sums of the high words as signed numbers */
    } conds[] = {
        {"eq", 0x4c, 0x84, 0x10}, {"ne", 0xb3, 0x7b, 0xef}, {"gt", 0x12, 0x61, 0x81},
        {"ge", 0x5e, 0xe5, 0x91}, {"lt", 0xa1, 0x1a, 0x6e}, {"le", 0xed, 0x9e, 0x7e},
        {"ov", 0x87, 0x1a, 0x00},
    };
    int16_t aw[8], bw[8];
    int64_t aq[8], bq[8];
    for (unsigned i = 0; i < 8; i++) { /* the same numbers, at the ends of the other types */
        aw[i] = (int16_t)(a[i] == INT32_MAX || a[i] == INT32_MIN ? a[i] >> 16 : a[i]);
        bw[i] = (int16_t)(b[i] == INT32_MAX || b[i] == INT32_MIN ? b[i] >> 16 : b[i]);
        aq[i] = a[i] == INT32_MAX ? INT64_MAX : a[i] == INT32_MIN ? INT64_MIN : a[i];
        bq[i] = b[i] == INT32_MAX ? INT64_MAX : b[i] == INT32_MIN ? INT64_MIN : b[i];
    }
    aw[0] = aw[7] = bw[7] = INT16_MAX;
    for (unsigned k = 0; k < sizeof conds / sizeof conds[0]; k++) {
        const char *c = conds[k].cond;
        char text[512];
        snprintf(text, sizeof text,
                 "add (8|M0) (%s)f0.0 r20.0<1>:d r10.0<8;8,1>:d r11.0<8;8,1>:d\n"
                 "add (8|M0) (%s)f0.1 r21.0<1>:w r12.0<8;8,1>:w r13.0<8;8,1>:w\n"
                 "add (8|M0) (%s)f1.0 r22.0<1>:ud r10.0<8;8,1>:ud -r11.0<8;8,1>:ud\n"
                 "add (8|M0) (%s)f1.1 r23.0<1>:d r10.1<16;8,2>:w r11.1<16;8,2>:w\n",
                 c, c, c, c);
        start(text);
        rig_set(&rig, 10, a, sizeof a);
        rig_set(&rig, 11, b, sizeof b);
        rig_set(&rig, 12, aw, sizeof aw);
        rig_set(&rig, 13, bw, sizeof bw);
        go(text);
        CHECKF(rig.t.f[0] == (conds[k].want | conds[k].want << 16), "%s of sums: %08x, not %02x", c,
               rig.t.f[0], conds[k].want);
        CHECKF(rig.t.f[1] == (conds[k].diff | conds[k].exact << 16),
               "%s of differences and words: %08x, not %02x %02x", c, rig.t.f[1], conds[k].diff,
               conds[k].exact);
        if (rig.gen < 80)
            continue;
        snprintf(text, sizeof text,
                 "add (8|M0) (%s)f0.0 r20.0<1>:q r14.0<4;4,1>:q r16.0<4;4,1>:q\n", c);
        start(text);
        rig_set(&rig, 14, aq, sizeof aq);
        rig_set(&rig, 16, bq, sizeof bq);
        go(text);
        CHECKF(rig.t.f[0] == conds[k].want, "%s of long sums: %08x, not %02x", c, rig.t.f[0],
               conds[k].want);
    }
    start("add (8|M0) (eq)f0.0 r20.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud\n");
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    go("unsigned sums");
    CHECKF(rig.t.f[0] == 0x4c, "unsigned sums: %08x", rig.t.f[0]);
}

static void select_predicate(void)
{
    start("(f0.0) sel (16|M0) r20.0<1>:d r10.0<8;8,1>:d 77:d\n(~f0.0) sel (16|M0) r22.0<1>:f "
          "-r10.0<8;8,1>:f r12.0<0;1,0>:f\n");
    uint32_t in[16];
    float fl = 5;
    for (unsigned i = 0; i < 16; i++)
        in[i] = 0x3f800000 + i;
    rig_set(&rig, 10, in, sizeof in);
    rig_set(&rig, 12, &fl, 4);
    rig.t.f[0] = 0x5a0f;
    go("sel");
    for (unsigned i = 0; i < 16; i++) {
        bool on = 0x5a0f >> i & 1;
        CHECK(rig_ud(&rig, 20, i) == (on ? in[i] : 77));
        CHECK(rig_ud(&rig, 22, i) == (on ? 0x40a00000 : in[i] | 0x80000000));
    }
}

static void align16(void)
{
    uint32_t in[8];
    for (unsigned i = 0; i < 8; i++)
        in[i] = 10 + i;
    rig.code_size = 0;
    struct eu_insn mov = {.op = EU_OP_mov, .exec_size = 8, .align16 = true};
    mov.dst = (struct eu_operand){.file = EU_GRF, .type = EU_D, .reg = 20, .hs = 1, .chan_en = 0xf};
    mov.src[0] =
        (struct eu_operand){.file = EU_GRF, .type = EU_D, .reg = 10, .vs = 4, .width = 4, .hs = 1};
    mov.src[0].swizzle = 0xb1; /* y x w z */
    rig_put(&rig, &mov);
    mov.dst.reg = 21;
    mov.dst.chan_en = 0x5;
    mov.src[0].swizzle = 0x00;
    rig_put(&rig, &mov);
    rig_line(&rig, "mad (8|M0) r22.0<1>:f r10.0<8;1>:f r11.2<0;0>:f r12.0<8;1>:f");
    rig_line(&rig, RIG_EOT);
    rig_reset(&rig, 0xff);
    rig_set(&rig, 10, in, sizeof in);
    float two = 2, v[8];
    for (unsigned i = 0; i < 8; i++)
        v[i] = (float)i;
    memcpy(rig.t.grf + 11 * 32 + 8, &two, 4);
    rig_set(&rig, 12, v, sizeof v);
    go("Align16");
    static const uint32_t swapped[8] = {11, 10, 13, 12, 15, 14, 17, 16},
                          some[8] = {10, 0, 10, 0, 14, 0, 14, 0};
    expect_ud("swizzle", 20, 8, swapped);
    expect_ud("channel enable", 21, 8, some);
    for (unsigned i = 0; i < 8; i++)
        CHECK(rig_f(&rig, 22, i) == 2.0f * v[i]); /* the addend is a denormal: flushed */
}

/* What Gen8 brought: 64-bit integers, half floats, smov. */
static void wide(void)
{
    static const int64_t a[4] = {0x7fffffffffffffff, -1, 0x123456789abcdef0, 5};
    static const int64_t b[4] = {1, 1, -0x1111111111111111, 63};
    static const int32_t d[8] = {-1, 0, 1000000, 0, INT32_MIN, 0, 77, 0};
    start("add (4|M0) r20.0<1>:q r10.0<4;4,1>:q r11.0<4;4,1>:q\n"
          "shl (4|M0) r21.0<1>:q r10.0<4;4,1>:q r11.0<4;4,1>:uq\n"
          "shr (4|M0) r22.0<1>:uq r10.0<4;4,1>:uq r11.0<4;4,1>:uq\n"
          "asr (4|M0) r23.0<1>:q r10.0<4;4,1>:q 4:w\n"
          "mov (4|M0) r24.0<1>:q r12.0<8;4,2>:d\n"
          "mul (4|M0) r25.0<1>:q r12.0<8;4,2>:d r12.0<8;4,2>:d\n"
          "add (4|M0) r26.0<1>:q r12.0<8;4,2>:ud r12.0<8;4,2>:ud\n"
          "mov (4|M0) r27.0<2>:d r10.0<4;4,1>:q\n"
          "and (4|M0) r28.0<1>:uq r10.0<4;4,1>:uq r11.0<4;4,1>:uq\n"
          "cmp (4|M0) (lt)f0.0 null<1>:q r10.0<4;4,1>:q r11.0<4;4,1>:q {Switch}\n"
          "shl (4|M0) r29.0<1>:q r12.0<8;4,2>:d 40:w\n");
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    rig_set(&rig, 12, d, sizeof d);
    go("64-bit integers");
    for (unsigned i = 0; i < 4; i++) {
        uint64_t n = (uint64_t)b[i] & 63;
        int64_t e = d[2 * i];
        CHECK(rig_uq(&rig, 20, i) == (uint64_t)a[i] + (uint64_t)b[i]);
        CHECK(rig_uq(&rig, 21, i) == (uint64_t)a[i] << n);
        CHECK(rig_uq(&rig, 22, i) == (uint64_t)a[i] >> n);
        CHECK((int64_t)rig_uq(&rig, 23, i) == a[i] >> 4);
        CHECK((int64_t)rig_uq(&rig, 24, i) == e);
        CHECK((int64_t)rig_uq(&rig, 25, i) == e * e);
        CHECK(rig_uq(&rig, 26, i) == 2 * (uint64_t)(uint32_t)d[2 * i]);
        CHECK(rig_ud(&rig, 27, 2 * i) == (uint32_t)a[i] && rig_ud(&rig, 27, 2 * i + 1) == 0);
        CHECK(rig_uq(&rig, 28, i) == ((uint64_t)a[i] & (uint64_t)b[i]));
        CHECK((rig.t.f[0] >> i & 1) == (a[i] < b[i]));
        CHECK(rig_uq(&rig, 29, i) == (uint64_t)e << 40);
    }
    start("smov (16|M0) r20.0<1>:d r10.0<8;8,1>:d 0x8421:uw\n");
    uint32_t in[16];
    for (unsigned i = 0; i < 16; i++)
        in[i] = i + 1;
    rig_set(&rig, 10, in, sizeof in);
    go("smov");
    for (unsigned i = 0; i < 16; i++)
        CHECK(rig_ud(&rig, 20, i) == (i % 5 ? 0 : i + 1));
    static const double x[4] = {1.5, -0.25, 1e300, 3}, y[4] = {2, 8, 1e10, -3};
    start("add (4|M0) r20.0<1>:df r10.0<4;4,1>:df r11.0<4;4,1>:df\n"
          "mul (4|M0) r21.0<1>:df r10.0<4;4,1>:df -r11.0<4;4,1>:df\n"
          "mad (4|M0) r22.0<1>:df r10.0<8;1>:df r11.0<8;1>:df r11.0<8;1>:df\n"
          "mov (4|M0) r23.0<2>:f r10.0<4;4,1>:df\n"
          "mov (4|M0) r24.0<2>:d r10.0<4;4,1>:df\n"
          "cmp (4|M0) (ge)f0.0 null<1>:df r10.0<4;4,1>:df r11.0<4;4,1>:df {Switch}\n"
          "sel (4|M0) (lt)f0.1 r25.0<1>:df r10.0<4;4,1>:df r11.0<4;4,1>:df\n");
    rig_set(&rig, 10, x, sizeof x);
    rig_set(&rig, 11, y, sizeof y);
    go("doubles");
    static const int32_t dx[4] = {1, 0, INT32_MAX, 3};
    for (unsigned i = 0; i < 4; i++) {
        CHECK(rig_df(&rig, 20, i) == x[i] + y[i]);
        CHECK(rig_df(&rig, 21, i) == x[i] * -y[i]);
        CHECK(rig_df(&rig, 22, i) == fma(y[i], y[i], x[i]));
        CHECK(rig_f(&rig, 23, 2 * i) == (float)x[i]);
        CHECK((int32_t)rig_ud(&rig, 24, 2 * i) == dx[i]);
        CHECK((rig.t.f[0] >> i & 1) == (x[i] >= y[i]));
        CHECK(rig_df(&rig, 25, i) == (x[i] < y[i] ? x[i] : y[i]));
    }
}

static void halves(void)
{
    /* 1, -2, 65504, infinity, the least denormal, 0.1 rounded, -0, NaN */
    static const uint16_t h[8] = {0x3c00, 0xc000, 0x7bff, 0x7c00, 0x0001, 0x2e66, 0x8000, 0x7e00};
    static const float f[8] = {1, -2, 65504, INFINITY, 0x1p-24f, 0x1.998p-4f, -0.0f, NAN};
    static const float to[8] = {65519,      65520,       0x1p-25f, 0x1.8p-24f,
                                1.0009765f, 0.33333334f, -1e-9f,   2049};
    static const uint16_t rounded[8] = {0x7bff, 0x7c00, 0x0000, 0x0002,
                                        0x3c01, 0x3555, 0x8000, 0x6800};
    start(rig.gen >= 80
              ? "mov (8|M0) r20.0<1>:f r10.0<16;8,2>:hf\nmov (8|M0) r21.0<2>:hf r11.0<8;8,1>:f\n"
              : "f16to32 (8|M0) r20.0<1>:f r10.0<16;8,2>:uw\nf32to16 (8|M0) r21.0<2>:uw "
                "r11.0<8;8,1>:f\n");
    for (unsigned i = 0; i < 8; i++) {
        memcpy(rig.t.grf + 10 * 32 + 4 * i, &h[i], 2);
        memcpy(rig.t.grf + 11 * 32 + 4 * i, &to[i], 4);
    }
    go("half floats");
    for (unsigned i = 0; i < 8; i++) {
        float got = rig_f(&rig, 20, i);
        CHECKF(i == 7 ? isnan(got) : got == f[i] && signbit(got) == signbit(f[i]), "half %u: %g", i,
               (double)got);
        CHECKF(rig_uw(&rig, 21, 2 * i) == rounded[i], "to half %u: %04x, not %04x", i,
               rig_uw(&rig, 21, 2 * i), rounded[i]);
    }
    if (rig.gen < 80)
        return;
    static const uint16_t a[8] = {0x3c00, 0x4200, 0x7bff, 0x3c01, 0x0400, 0x3800, 0xc500, 0x3555};
    start("add (8|M0) r20.0<1>:hf r10.0<8;8,1>:hf r10.0<8;8,1>:hf\n"
          "mul (8|M0) r21.0<1>:hf r10.0<8;8,1>:hf r10.0<8;8,1>:hf\n"
          "mad (8|M0) r22.0<1>:hf r10.0<8;1>:hf r10.0<8;1>:hf r10.0<8;1>:hf\n");
    rig_set(&rig, 10, a, sizeof a);
    rig.t.cr0[0] = 0x400;
    go("half arithmetic");
    static const uint16_t sum[8] = {0x4000, 0x4600, 0x7c00, 0x4001, 0x0800, 0x3c00, 0xc900, 0x3955};
    static const uint16_t square[8] = {0x3c00, 0x4880, 0x7c00, 0x3c02,
                                       0x0000, 0x3400, 0x4e40, 0x2f1c};
    static const uint16_t mad[8] = {0x4000, 0x4a00, 0x7c00, 0x4002, 0x0400, 0x3a00, 0x4d00, 0x371c};
    expect_uw("sum", 20, 8, sum);
    expect_uw("square", 21, 8, square);
    expect_uw("mad", 22, 8, mad);
}

/* Rules that look beyond one instruction, or at the thread's registers: what the EU refuses itself.
 */
static void refused(void)
{
    static const struct {
        const char *program, *text;
        int first, last;
    } cases[] = {
        {"math.fdiv (8|M0) r20.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
         "mov (16|M0) r30.0<1>:f r10.0<8;8,1>:f\n",
         "POW or FDIV", 80, 90},
        {"(W) mov (1|M0) r5.0<1>:d r6.0<0;1,0>:d\nadd (8|M0) r127.0<1>:d r10.0<8;8,1>:d "
         "acc1.0<8;8,1>:d\n",
         "acc", 70, 90},
        {"(W) send (8|M0) r126 r10 0xA 0x02406E00\n", "r127", 70, 90},
        {"mov (32|M0) r20.0<1>:w r10.0<16;16,1>:w\n", "SIMD32", 70, 75},
        {"(W) send (8|M0) null r100 0x27 0x2000010 {EOT}\n", "r112", 70, 90},
    };
    rig.quiet = true;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (rig.gen < cases[i].first || rig.gen > cases[i].last)
            continue;
        start(cases[i].program);
        CHECKF(!rig_run(&rig, EU_MODE_FAST) && strstr(rig.fault.text, cases[i].text),
               "gen %d case %u: %s", rig.gen, i, rig.fault.text);
    }
    /* One register, or an instruction in between, is fine. */
    rig.quiet = false;
    start("math.fdiv (8|M0) r20.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\nmov (8|M0) r30.0<1>:f "
          "r10.0<8;8,1>:f\n"
          "math.pow (8|M0) r20.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\nnop\nmov (16|M0) r30.0<1>:f "
          "r10.0<8;8,1>:f\n");
    CHECK(rig_run(&rig, EU_MODE_FAST));
}

int main(void)
{
    static const char *const devices[] = {"ivb", "hsw", "bdw", "skl", "bxt"};
    for (unsigned i = 0; i < 5; i++) {
        rig_init(&rig, devices[i]);
        integers();
        floats_to_integers();
        regions();
        immediates();
        indirect();
        architecture();
        masks();
        conditions();
        conditions_of_sums();
        select_predicate();
        align16();
        halves();
        refused();
        if (rig.gen >= 80 && !(rig.dev->quirks & GEN_QUIRK_64BIT_REGIONS))
            wide();
        rig_fini(&rig);
    }
    return utest_end();
}
