/* Arithmetic state: rounding and denormal modes of cr0, NaN, accumulators and the long products
 * made with them, doubles as Ivy Bridge counts them, the math unit. */
#include "eu_rig.h"

#include <fenv.h>
#include <math.h>

static struct rig rig;

static void start(const char *program)
{
    rig_program(&rig, program);
    rig_reset(&rig, 0xffff);
}

static void go(const char *what)
{
    struct eu_thread before = rig.t;
    CHECKF(rig_run(&rig, EU_MODE_GENERAL), "gen %d: %s", rig.gen, what);
    struct eu_thread after = rig.t;
    rig.t = before;
    CHECKF(rig_run(&rig, EU_MODE_COMPARE), "gen %d: %s", rig.gen, what);
    CHECKF(!memcmp(after.grf, rig.t.grf, 4096), "gen %d: %s", rig.gen, what);
}

static uint32_t bits(float v)
{
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
}

static void rounding(void)
{
    static const int mode[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const float a[8] = {1, -1, 1e20f, 0.1f, 16777216, -16777216, 3, 1e-20f};
    static const float b[8] = {1e-10f, -1e-10f, 1, 0.7f, 1, -1, 1e-9f, 1};
    static const int32_t n[8] = {16777217, -16777217, 0x7fffffff, 33554435,
                                 1,        -33554433, 0x7ffffffe, 123456789};
    for (unsigned m = 0; m < 4; m++) {
        char program[1024];
        snprintf(program, sizeof program,
                 "(W) mov (1|M0) cr0.0<1>:ud 0x%x:ud {Switch}\n"
                 "add (8|M0) r20.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
                 "mul (8|M0) r21.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
                 "mad (8|M0) r22.0<1>:f r10.0<8;1>:f r11.0<8;1>:f r11.0<8;1>:f\n"
                 "mov (8|M0) r23.0<1>:f r12.0<8;8,1>:d\n"
                 "rnde (8|M0) r24.0<1>:f r13.0<8;8,1>:f\n"
                 "mov (8|M0) r25.0<1>:d r13.0<8;8,1>:f\n%s",
                 m << 4,
                 rig.gen >= 80 ? "mov (8|M0) r26.0<2>:hf r10.0<8;8,1>:f\n"
                               : "f32to16 (8|M0) r26.0<2>:uw r10.0<8;8,1>:f\n");
        start(program);
        float halfway[8] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.7f, -2.3f, 8388607.5f};
        rig_set(&rig, 10, a, sizeof a);
        rig_set(&rig, 11, b, sizeof b);
        rig_set(&rig, 12, n, sizeof n);
        rig_set(&rig, 13, halfway, sizeof halfway);
        fesetround(FE_TONEAREST);
        go("rounding");
        CHECK(fegetround() == FE_TONEAREST); /* the host's mode is untouched */
        static const float even[8] = {0, 2, 2, -0.0f, -2, 3, -2, 8388608};
        static const int32_t cut[8] = {0, 1, 2, 0, -1, 2, -2, 8388607};
        /* 0.1 and 3 in half, by mode: 0.1f lies above 0x2e66's value */
        static const uint16_t tenth[4] = {0x2e66, 0x2e67, 0x2e66, 0x2e66};
        for (unsigned i = 0; i < 8; i++) {
            volatile float x = a[i], y = b[i];
            volatile int32_t v = n[i];
            fesetround(mode[m]);
            volatile float sum = x + y, product = x * y, fused = fmaf(y, y, x),
                           converted = (float)v;
            fesetround(FE_TONEAREST);
            CHECKF(rig_ud(&rig, 20, i) == bits(sum), "mode %u sum %u: %a, not %a", m, i,
                   (double)rig_f(&rig, 20, i), (double)sum);
            CHECKF(rig_ud(&rig, 21, i) == bits(product), "mode %u product %u", m, i);
            CHECKF(rig_ud(&rig, 22, i) == bits(fused), "mode %u mad %u", m, i);
            CHECKF(rig_ud(&rig, 23, i) == bits(converted), "mode %u conversion %u", m, i);
            CHECKF(rig_ud(&rig, 24, i) == bits(even[i]), "mode %u rnde %u: %a", m, i,
                   (double)rig_f(&rig, 24, i));
            CHECKF((int32_t)rig_ud(&rig, 25, i) == cut[i], "mode %u f to d %u", m, i);
        }
        CHECKF(rig_uw(&rig, 26, 6) == tenth[m], "mode %u: half %04x", m, rig_uw(&rig, 26, 6));
        CHECK(rig_uw(&rig, 26, 0) == 0x3c00);
    }
    if (rig.gen < 90)
        return;
    start("(W) mov (1|M0) cr0.0<1>:ud 0x1010:ud {Switch}\nmov (8|M0) r20.0<1>:d r10.0<8;8,1>:f\n");
    static const float v[8] = {0.5f, 1.25f, -1.25f, 2, -0.1f, 7.9f, 100, -100.5f};
    static const int32_t up[8] = {1, 2, -1, 2, 0, 8, 100, -100};
    rig_set(&rig, 10, v, sizeof v);
    go("conversion by the rounding mode");
    for (unsigned i = 0; i < 8; i++)
        CHECK((int32_t)rig_ud(&rig, 20, i) == up[i]);
}

static void denormals(void)
{
    const float tiny = 0x1p-130f;
    const float a[8] = {tiny, -tiny, 0x1p-100f, tiny, 1, -tiny, 0x1p-126f, 0};
    const float b[8] = {0, 0, 0x1p-30f, 0x1p20f, tiny, 1, -0x1.8p-127f, -tiny};
    for (unsigned keep = 0; keep < 2; keep++) {
        char program[1024];
        snprintf(program, sizeof program,
                 "(W) mov (1|M0) cr0.0<1>:ud 0x%x:ud {Switch}\n"
                 "add (8|M0) r20.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
                 "mul (8|M0) r21.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
                 "mov (8|M0) r22.0<1>:f r10.0<8;8,1>:f\n"
                 "mov (8|M0) r23.0<1>:f -r10.0<8;8,1>:f\n"
                 "cmp (8|M0) (gt)f0.0 null<1>:f r10.0<8;8,1>:f 0x0:f {Switch}\n"
                 "sel (8|M0) (ge)f0.1 r24.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
                 "rndu (8|M0) r25.0<1>:f r10.0<8;8,1>:f\n",
                 keep ? 0x80 : 0);
        start(program);
        rig_set(&rig, 10, a, sizeof a);
        rig_set(&rig, 11, b, sizeof b);
        go("denormals");
        uint32_t flags = 0;
        for (unsigned i = 0; i < 8; i++) {
            float x = a[i], y = b[i];
            if (!keep) {
                x = fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
                y = fabsf(y) < 0x1p-126f ? copysignf(0, y) : y;
            }
            float sum = x + y, product = x * y, max = x >= y ? x : y;
            if (!keep && fabsf(sum) < 0x1p-126f)
                sum = copysignf(0, sum);
            if (!keep && fabsf(product) < 0x1p-126f)
                product = copysignf(0, product);
            flags |= (uint32_t)(x > 0) << i;
            CHECKF(rig_ud(&rig, 20, i) == bits(sum), "keep %u sum %u: %a, not %a", keep, i,
                   (double)rig_f(&rig, 20, i), (double)sum);
            CHECKF(rig_ud(&rig, 21, i) == bits(product), "keep %u product %u: %a, not %a", keep, i,
                   (double)rig_f(&rig, 21, i), (double)product);
            CHECK(rig_ud(&rig, 22, i) == bits(a[i])); /* a plain copy never flushes */
            CHECK(rig_ud(&rig, 23, i) == bits(-x));
            CHECK(rig_ud(&rig, 24, i) == bits(max));
            CHECK(rig_f(&rig, 25, i) == ceilf(x));
        }
        CHECKF((rig.t.f[0] & 0xff) == flags, "keep %u flags %x, not %x", keep, rig.t.f[0] & 0xff,
               flags);
    }
    /* Gen8+: the descriptor can forbid denormals altogether. */
    rig.d.denorm_mode = false;
    start("(W) mov (1|M0) cr0.0<1>:ud 0x80:ud {Switch}\nmul (8|M0) r20.0<1>:f r10.0<8;8,1>:f "
          "0x3f800000:f\n");
    rig_set(&rig, 10, a, sizeof a);
    go("denormals by descriptor");
    CHECK((rig_f(&rig, 20, 0) == 0) == (rig.gen >= 80));
    rig.d.denorm_mode = true;
}

static void not_numbers(void)
{
    static const uint32_t a[8] = {0x7fc01234, 0x3f800000, 0x7f812345, 0x7f800000,
                                  0x00000000, 0x7fc00001, 0xff800000, 0};
    static const uint32_t b[8] = {0x3f800000, 0xffc05678, 0x7fc00007, 0xff800000,
                                  0x7f800000, 0xffc00002, 0x7f800000, 0};
    start("add (8|M0) r20.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
          "mul (8|M0) r21.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
          "add (8|M0) (sat)r22.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
          "mad (8|M0) r23.0<1>:f r10.0<8;1>:f r11.0<8;1>:f r12.0<8;1>:f\n");
    static const uint32_t c[8] = {0x7fc0aaaa, 0, 0, 0, 0x7fc0bbbb, 0, 0x3f800000, 0x7f800001};
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    rig_set(&rig, 12, c, sizeof c);
    go("NaN");
    /* The first NaN, quiet; invalid operations give the default one, of which only the kind counts.
     */
    static const uint32_t sum[8] = {0x7fc01234, 0xffc05678, 0x7fc12345, 0,
                                    0x7f800000, 0x7fc00001, 0,          0};
    static const uint32_t mad[8] = {0x7fc01234, 0xffc05678, 0x7fc12345, 0,
                                    0x7fc0bbbb, 0x7fc00001, 0,          0x7fc00001};
    for (unsigned i = 0; i < 8; i++) {
        bool invalid = i == 3 || i == 6;
        CHECKF(invalid ? isnan(rig_f(&rig, 20, i)) : rig_ud(&rig, 20, i) == sum[i],
               "NaN sum %u: %08x", i, rig_ud(&rig, 20, i));
        CHECKF(invalid || rig_ud(&rig, 23, i) == mad[i], "NaN mad %u: %08x", i,
               rig_ud(&rig, 23, i));
    }
    CHECK(isnan(rig_f(&rig, 21, 4))); /* 0 times infinity */
    CHECK(rig_f(&rig, 22, 0) == 0 && rig_f(&rig, 22, 3) == 0 && rig_f(&rig, 22, 4) == 1);
}

/* High halves of 32 x 32 bit products, carries, mac. */
static void accumulators(void)
{
    static const uint32_t a[8] = {0xffffffff, 0x80000000, 0x7fffffff, 0x12345678,
                                  3,          0xdeadbeef, 0x00010000, 0xffff0000};
    static const uint32_t b[8] = {0xffffffff, 0x80000000, 0x80000000, 0x9abcdef0,
                                  5,          0xcafebabe, 0x0000ffff, 0x0001ffff};
    start("mul (8|M0) acc0.0<1>:d r10.0<8;8,1>:d r11.0<16;8,2>:uw\n"
          "mach (8|M0) r20.0<1>:d r10.0<8;8,1>:d r11.0<8;8,1>:d {AccWrEn}\n"
          "mov (8|M0) r21.0<1>:d acc0.0<8;8,1>:d\n"
          "mul (8|M0) acc0.0<1>:ud r10.0<8;8,1>:ud r11.0<16;8,2>:uw\n"
          "mach (8|M0) r22.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud {AccWrEn}\n"
          "mov (8|M0) r23.0<1>:ud acc0.0<8;8,1>:ud\n"
          "addc (8|M0) r24.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud {AccWrEn}\n"
          "mov (8|M0) r25.0<1>:ud acc0.0<8;8,1>:ud\n"
          "subb (8|M0) r26.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud {AccWrEn}\n"
          "mov (8|M0) r27.0<1>:ud acc0.0<8;8,1>:ud\n"
          "mul (8|M0) acc0.0<1>:d r10.0<16;8,2>:w r11.0<16;8,2>:w\n"
          "mac (8|M0) r28.0<1>:d r10.0<16;8,2>:w r11.0<16;8,2>:w\n"
          "mov (8|M0) acc0.0<1>:f r12.0<8;8,1>:f\n"
          "mac (8|M0) r29.0<1>:f r12.0<8;8,1>:f r12.0<8;8,1>:f\n");
    static const float f[8] = {1, 2, 3, 4, -5, 6, 0.5f, 0};
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    rig_set(&rig, 12, f, sizeof f);
    go("accumulators");
    for (unsigned i = 0; i < 8; i++) {
        int64_t p = (int64_t)(int32_t)a[i] * (int32_t)b[i];
        uint64_t up = (uint64_t)a[i] * b[i];
        int32_t w = (int16_t)a[i] * (int16_t)b[i];
        CHECKF(rig_ud(&rig, 20, i) == (uint32_t)(p >> 32) && rig_ud(&rig, 21, i) == (uint32_t)p,
               "gen %d signed product %u: %08x%08x", rig.gen, i, rig_ud(&rig, 20, i),
               rig_ud(&rig, 21, i));
        CHECKF(rig_ud(&rig, 22, i) == up >> 32 && rig_ud(&rig, 23, i) == (uint32_t)up,
               "gen %d product %u: %08x%08x", rig.gen, i, rig_ud(&rig, 22, i), rig_ud(&rig, 23, i));
        CHECK(rig_ud(&rig, 24, i) == a[i] + b[i] && rig_ud(&rig, 25, i) == (a[i] + b[i] < a[i]));
        CHECK(rig_ud(&rig, 26, i) == a[i] - b[i] && rig_ud(&rig, 27, i) == (a[i] < b[i]));
        CHECK((int32_t)rig_ud(&rig, 28, i) == 2 * w);
        CHECK(rig_f(&rig, 29, i) == f[i] * f[i] + f[i]);
    }
    if (rig.gen < 80) { /* the low word alone, of a whole dword operand */
        start("mul (8|M0) acc0.0<1>:d r10.0<8;8,1>:d r11.0<8;8,1>:d\n"
              "mach (8|M0) r20.0<1>:d r10.0<8;8,1>:d r11.0<8;8,1>:d {AccWrEn}\n");
        rig_set(&rig, 10, a, sizeof a);
        rig_set(&rig, 11, b, sizeof b);
        go("mul, mach on Gen7");
        for (unsigned i = 0; i < 8; i++)
            CHECK(rig_ud(&rig, 20, i) == (uint32_t)((int64_t)(int32_t)a[i] * (int32_t)b[i] >> 32));
    }
    /* Second quarter: element i of the instruction is channel i of acc0; undefined on Gen7. */
    start("(W) mul (8|M0) acc0.0<1>:ud r10.0<8;8,1>:ud r11.0<16;8,2>:uw\n"
          "mach (8|M8) r20.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud {AccWrEn}\n");
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    rig.quiet = rig.gen == 70;
    bool ok = rig_run(&rig, EU_MODE_GENERAL);
    rig.quiet = false;
    CHECK(ok == (rig.gen != 70));
    for (unsigned i = 0; ok && i < 8; i++)
        CHECK(rig_ud(&rig, 20, i) == (uint64_t)a[i] * b[i] >> 32);
    /* AccWrEn of any instruction; lanes that are off keep theirs. */
    start("add (8|M0) r20.0<1>:d r10.0<8;8,1>:d 1:d {AccWrEn}\nmov (8|M0) r21.0<1>:d "
          "acc0.0<8;8,1>:d\n");
    rig.t.dispatch_mask = rig.t.active = 0x0f;
    rig_set(&rig, 10, a, sizeof a);
    go("AccWrEn");
    for (unsigned i = 0; i < 4; i++)
        CHECK(rig_ud(&rig, 21, i) == a[i] + 1 && rig.t.acc_lo[i + 4] == 0);
}

/* Ivy Bridge and Bay Trail count doubles in dwords. */
static void doubles_gen7(void)
{
    static const double a[4] = {1.5, -2.25, 1e200, 7}, b[4] = {3, 0.5, 1e-100, -7};
    static const float f[8] = {1.25f, -3, 1e10f, 0.5f};
    if (rig.dev->quirks & GEN_QUIRK_DF_DWORD_REGIONS) {
        start("add (8|M0) r20.0<1>:df r10.0<8;8,1>:df r11.0<8;8,1>:df\n"
              "mul (8|M0) r21.0<1>:df r10.0<8;8,1>:df r11.0<0;2,1>:df\n"
              "mov (8|M0) r22.0<1>:df r12.0<1;2,0>:f\n"
              "mov (8|M0) r23.0<1>:d r10.0<8;8,1>:df\n"
              "cmp (8|M0) (lt)f0.0 null<1>:df r10.0<8;8,1>:df r11.0<8;8,1>:df {Switch}\n"
              "add (8|M4) r24.0<1>:df r10.0<8;8,1>:df r10.0<8;8,1>:df\n"
              "mad (8|M0) r25.0<1>:df r10.0<8;1>:df r11.0<8;1>:df r11.0<8;1>:df\n");
    } else {
        start("add (4|M0) r20.0<1>:df r10.0<4;4,1>:df r11.0<4;4,1>:df\n"
              "mul (4|M0) r21.0<1>:df r10.0<4;4,1>:df r11.0<0;1,0>:df\n"
              "mov (4|M0) r22.0<1>:df r12.0<4;4,1>:f\n"
              "mov (4|M0) r23.0<2>:d r10.0<4;4,1>:df\n"
              "cmp (4|M0) (lt)f0.0 null<1>:df r10.0<4;4,1>:df r11.0<4;4,1>:df {Switch}\n"
              "add (4|M4) r24.0<1>:df r10.0<4;4,1>:df r10.0<4;4,1>:df\n"
              "mad (4|M0) r25.0<1>:df r10.0<8;1>:df r11.0<8;1>:df r11.0<8;1>:df\n");
    }
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    rig_set(&rig, 12, f, sizeof f);
    rig.t.dispatch_mask = rig.t.active = 0xff3f; /* channels 6 and 7 are off */
    go("doubles");
    static const int32_t whole[4] = {1, -2, INT32_MAX, 7};
    for (unsigned i = 0; i < 4; i++) {
        CHECK(rig_df(&rig, 20, i) == a[i] + b[i]);
        CHECK(rig_df(&rig, 21, i) == a[i] * 3);
        CHECK(rig_df(&rig, 22, i) == (double)f[i]);
        CHECKF((int32_t)rig_ud(&rig, 23, 2 * i) == whole[i], "df to d %u: %d", i,
               (int)rig_ud(&rig, 23, 2 * i));
        CHECK((rig.t.f[0] >> i & 1) == (a[i] < b[i]));
        CHECK(rig_df(&rig, 24, i) == (i < 2 ? 2 * a[i] : 0));
        CHECK(rig_df(&rig, 25, i) == fma(b[i], b[i], a[i]));
    }
}

static bool near(float got, double want, double ulp)
{
    if (isnan(want))
        return isnan(got);
    if (isinf(want) || want == 0)
        return (double)got == want;
    return fabs((double)got - want) <= ulp * fabs(want) * 0x1p-23;
}

static void math_unit(void)
{
    static const float a[8] = {1, 2, 0.25f, 100, -4, 0, INFINITY, 3.5f},
                       b[8] = {3, 0.5f, -2, 1, 2, 5, 2, 0};
    start("math.inv (8|M0) r20.0<1>:f r10.0<8;8,1>:f\n"
          "math.log (8|M0) r21.0<1>:f r10.0<8;8,1>:f\n"
          "math.exp (8|M0) r22.0<1>:f r10.0<8;8,1>:f\n"
          "math.sqt (8|M0) r23.0<1>:f r10.0<8;8,1>:f\n"
          "math.rsqt (8|M0) r24.0<1>:f r10.0<8;8,1>:f\n"
          "math.sin (8|M0) r25.0<1>:f r10.0<8;8,1>:f\n"
          "math.cos (8|M0) r26.0<1>:f r10.0<8;8,1>:f\n"
          "math.fdiv (8|M0) r27.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n"
          "math.pow (8|M0) r28.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f\n");
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    go("math");
    for (unsigned i = 0; i < 8; i++) {
        double x = (double)a[i], y = (double)b[i];
        const double want[9] = {1 / x,  log2(x), exp2(x), sqrt(x),        1 / sqrt(x),
                                sin(x), cos(x),  x / y,   pow(fabs(x), y)};
        for (unsigned k = 0; k < 9; k++)
            CHECKF(near(rig_f(&rig, 20 + k, i), want[k], 1), "gen %d math %u of %g: %g, not %g",
                   rig.gen, k, x, (double)rig_f(&rig, 20 + k, i), want[k]);
    }
    static const int32_t p[8] = {7, -7, 7, -7, INT32_MIN, 100, 0, 1},
                         q[8] = {2, 2, -2, -2, -1, 7, 5, INT32_MAX};
    start("math.idiv (8|M0) r20.0<1>:d r10.0<8;8,1>:d r11.0<8;8,1>:d\n"
          "math.iqot (8|M0) r22.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud\n"
          "math.irem (8|M0) r23.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud\n");
    rig_set(&rig, 10, p, sizeof p);
    rig_set(&rig, 11, q, sizeof q);
    go("integer division");
    for (unsigned i = 0; i < 8; i++) {
        int64_t quot = (int64_t)p[i] / q[i], rem = (int64_t)p[i] % q[i];
        CHECK((int32_t)rig_ud(&rig, 20, i) == (int32_t)quot && (int32_t)rig_ud(&rig, 21, i) == rem);
        CHECK(rig_ud(&rig, 22, i) == (uint32_t)p[i] / (uint32_t)q[i]);
        CHECK(rig_ud(&rig, 23, i) == (uint32_t)p[i] % (uint32_t)q[i]);
    }
}

static long double exact_math(unsigned fn, long double a, long double b)
{
    switch (fn) {
    case EU_MATH_INV:
        return 1 / a;
    case EU_MATH_LOG:
        return log2l(a);
    case EU_MATH_EXP:
        return exp2l(a);
    case EU_MATH_SQT:
        return sqrtl(a);
    case EU_MATH_RSQT:
        return 1 / sqrtl(a);
    case EU_MATH_SIN:
        return sinl(a);
    case EU_MATH_COS:
        return cosl(a);
    default:
        return powl(fabsl(a), b);
    }
}

/* Operands that are hard for a function: close to where it is zero, one or at its range's ends. */
static float operand(unsigned fn, unsigned i)
{
    double step = (i + 0.5) / 4096;
    switch (fn) {
    case EU_MATH_LOG:
        return (float)(i % 2 ? 1 + (step - 0.5) * 0x1p-8 : exp2(step * 250 - 125));
    case EU_MATH_EXP:
        return (float)(i % 2 ? (step - 0.5) * 0x1p-6 : step * 254 - 126);
    case EU_MATH_SIN: /* neighbours of multiples of half of pi, and all sizes */
    case EU_MATH_COS:
        return (float)(i % 2 ? (i * 97) * M_PI_2 : exp2(step * 40 - 12) * (i % 4 ? 1 : -1));
    case EU_MATH_POW:
        return (float)(i % 2 ? 1 + step * 0x1p-10 : exp2(step * 20 - 10) * (i % 4 ? 1 : -1));
    default:
        return (float)exp2(step * 240 - 120);
    }
}

/* Rounding to a float is all the error there is to see. */
static void math_accuracy(void)
{
    static const struct {
        uint8_t fn;
        const char *line;
    } fns[] = {{EU_MATH_INV, "math.inv (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n"},
               {EU_MATH_LOG, "math.log (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n"},
               {EU_MATH_EXP, "math.exp (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n"},
               {EU_MATH_SQT, "math.sqt (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n"},
               {EU_MATH_RSQT, "math.rsqt (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n"},
               {EU_MATH_SIN, "math.sin (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n"},
               {EU_MATH_COS, "math.cos (16|M0) r20.0<1>:f r10.0<8;8,1>:f\n"},
               {EU_MATH_POW, "math.pow (16|M0) r20.0<1>:f r10.0<8;8,1>:f r12.0<8;8,1>:f\n"
                             "mov (8|M0) r30.0<1>:f r10.0<8;8,1>:f\n"}};
    for (unsigned f = 0; f < sizeof fns / sizeof fns[0]; f++) {
        double worst = 0;
        for (unsigned i = 0; i < 4096; i += 16) {
            float a[16], b[16];
            for (unsigned k = 0; k < 16; k++) {
                a[k] = operand(fns[f].fn, i + k);
                b[k] = (i + k) % 2 ? 3000.5f + (float)i : (float)((int)i - 2048) / 256;
            }
            start(fns[f].line);
            rig_set(&rig, 10, a, sizeof a);
            rig_set(&rig, 12, b, sizeof b);
            go("math functions");
            for (unsigned k = 0; k < 16; k++) {
                long double want = exact_math(fns[f].fn, a[k], b[k]);
                int exponent;
                frexpl(want, &exponent);
                double error = (double)fabsl(rig_f(&rig, 20 + k / 8, k % 8) - want);
                error = ldexp(error, 24 - exponent);
                worst = error > worst ? error : worst;
            }
        }
        CHECKF(worst < 0.501, "math function %u: %f units in the last place", fns[f].fn, worst);
    }
}

/* Each width of float has denormals of its own: doubles keep theirs where floats are flushed. */
static void own_denormals(void)
{
    static const uint64_t tiny[4] = {5, 0x8000000000000005, 0x3ff0000000000000, 0};
    start("(W) mov (1|M0) cr0.0<1>:ud 0x40:ud {Switch}\n"
          "cmp (4|M0) (ne)f0.0 r20.0<1>:df r10.0<4;4,1>:df r12.0<4;4,1>:df\n"
          "mul (4|M0) (ne)f0.1 r22.0<1>:df r10.0<4;4,1>:df r14.0<4;4,1>:df\n"
          "sel (4|M0) (ge)f1.0 r24.0<1>:df r10.0<4;4,1>:df r12.0<4;4,1>:df\n"
          "add (4|M0) (sat)r26.0<1>:df r10.0<4;4,1>:df r12.0<4;4,1>:df\n");
    rig_set(&rig, 10, tiny, sizeof tiny);
    static const double one[4] = {1, 1, 1, 1};
    rig_set(&rig, 14, one, sizeof one);
    go("denormal doubles");
    CHECKF(rig.t.f[0] == 0x00070007, "flags %08x", rig.t.f[0]);
    CHECK(rig_uq(&rig, 22, 0) == 5 && rig_uq(&rig, 24, 0) == 5 && rig_uq(&rig, 26, 0) == 5);
    CHECK(rig_uq(&rig, 24, 1) == 0 && rig_uq(&rig, 26, 1) == 0);
    /* A copy to an accumulator, and from one, is one of bits. */
    start("(W) mov (1|M0) cr0.0<1>:ud 0x0:ud {Switch}\n"
          "mov (4|M0) acc0.0<1>:f r10.0<4;4,1>:f\nmov (4|M0) r20.0<1>:f acc0.0<4;4,1>:f\n");
    rig_set(&rig, 10, tiny, sizeof tiny);
    go("a copy to the accumulator");
    CHECK(rig_ud(&rig, 20, 0) == 5 && rig_ud(&rig, 20, 1) == 0 && rig_ud(&rig, 20, 2) == 5);
}

/* Half floats: signs of zeros, denormals and signaling NaN. */
static void halves(void)
{
    static const uint16_t a[8] = {0x3c00, 0xbc00, 0, 0x8000, 0, 3, 0x7c01, 0xfc01};
    static const uint16_t b[8] = {0xbc00, 0x3c00, 0x8000, 0x8000, 0, 0x3c00, 0, 0};
    if (rig.gen < 80)
        return;
    start("(W) mov (1|M0) cr0.0<1>:ud 0x20:ud {Switch}\n"
          "add (8|M0) r20.0<1>:hf r10.0<8;8,1>:hf r11.0<8;8,1>:hf\n"
          "mad (8|M0) r21.0<1>:hf r10.0<4;1>:hf r12.0<4;1>:hf r11.0<4;1>:hf\n"
          "mov (8|M0) r22.0<1>:hf -r10.0<8;8,1>:hf\n"
          "mov (8|M0) r23.0<1>:f r10.0<8;8,1>:hf\n"
          "(f0.0) sel (8|M0) r24.0<1>:hf -r10.0<8;8,1>:hf r11.0<8;8,1>:hf\n");
    static const uint16_t ones[8] = {0x3c00, 0x3c00, 0x3c00, 0x3c00,
                                     0x3c00, 0x3c00, 0x3c00, 0x3c00};
    rig_set(&rig, 10, a, sizeof a);
    rig_set(&rig, 11, b, sizeof b);
    rig_set(&rig, 12, ones, sizeof ones);
    rig.t.f[0] = 0xff;
    go("halves");
    static const uint16_t sum[5] = {0x8000, 0x8000, 0x8000, 0x8000, 0};
    for (unsigned i = 0; i < 5; i++) /* IEEE 754, 6.3: a zero sum of opposites, rounded down */
        CHECKF(rig_uw(&rig, 20, i) == sum[i] && rig_uw(&rig, 21, i) == sum[i], "%u: %04x %04x", i,
               rig_uw(&rig, 20, i), rig_uw(&rig, 21, i));
    CHECK(rig_uw(&rig, 22, 5) == 0x8000);             /* a modifier makes it arithmetic */
    CHECK(rig_ud(&rig, 23, 5) == bits(3 * 0x1p-24f)); /* exact, whatever cr0 says */
    CHECK(rig_uw(&rig, 24, 6) == 0xfc01 &&
          rig_uw(&rig, 24, 5) == 0x8003); /* the bits, signs changed */
}

/* A vector immediate is one of words, also to the 32 x 16 multiply. */
static void vector_factors(void)
{
    static const int32_t a[8] = {1, 2, 3, 4, 5, -6, 7, 1 << 20};
    start("mul (8|M0) r20.0<1>:d r10.0<8;8,1>:d 0x0F0E0D0C:v\n");
    rig_set(&rig, 10, a, sizeof a);
    go("vector immediate as a factor");
    for (unsigned i = 0; i < 8; i++)
        CHECKF((int32_t)rig_ud(&rig, 20, i) == a[i] * (int)(i % 4 - 4u), "%u: %d", i,
               (int32_t)rig_ud(&rig, 20, i));
}

int main(void)
{
    static const char *const devices[] = {"ivb", "byt", "hsw", "bdw", "chv", "skl", "glk"};
    for (unsigned i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        rig_init(&rig, devices[i]);
        rounding();
        denormals();
        not_numbers();
        if (!(rig.dev->quirks & GEN_QUIRK_64BIT_REGIONS)) {
            accumulators();
            doubles_gen7();
            vector_factors();
        }
        if (rig.gen >= 75 && !(rig.dev->quirks & GEN_QUIRK_64BIT_REGIONS))
            own_denormals();
        halves();
        math_unit();
        if (i == 0 || rig.gen == 90)
            math_accuracy();
        rig_fini(&rig);
    }
    return utest_end();
}
