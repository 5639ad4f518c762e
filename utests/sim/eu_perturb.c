/* What --perturb does to the EU: the math unit is as inexact as the hardware may be and no more,
 * undefined state is not zero, and all of it follows from the seed, however many host threads there
 * are. And the alternative float mode. Bounds: the references are the C library's, in double. */
#include "eu_rig.h"

#include <float.h>
#include <math.h>

enum { MEMORY = 1 << 16, MEMORY_AT = 0x400000, GROUPS = 64, SLOT = 256 };

static struct rig rig;
static uint8_t *memory;

static void begin(const char *device, unsigned host_threads, uint32_t perturb)
{
    struct sim_options opt = {.n_host_threads = host_threads, .perturb = perturb};
    rig_init(&rig, device);
    sim_gpu_free(rig.gpu);
    rig.gpu = rig.d.gpu = sim_gpu_new(rig.dev, &opt);
    REQUIRE(rig.gpu);
}

/* ---- math ---- */

struct function {
    const char *name;
    double (*exact)(double, double);
    float from, to; /* operands */
    double ulp, least,
        absolute; /* the hardware's error, as documented; half a place for rounding */
};

static double inv(double a, double b)
{
    (void)b;
    return 1 / a;
}
static double lg(double a, double b)
{
    (void)b;
    return log2(a);
}
static double ex(double a, double b)
{
    (void)b;
    return exp2(a);
}
static double sq(double a, double b)
{
    (void)b;
    return sqrt(a);
}
static double rsq(double a, double b)
{
    (void)b;
    return 1 / sqrt(a);
}
static double sine(double a, double b)
{
    (void)b;
    return sin(a);
}
static double cosine(double a, double b)
{
    (void)b;
    return cos(a);
}
static double quotient(double a, double b)
{
    return a / b;
}

static const struct function functions[] = {
    {"inv", inv, 0.001f, 1000, 1.5, 0, 0},     {"log", lg, 0.001f, 1000, 2.5, 1, 0},
    {"exp", ex, -100, 100, 2.5, 0, 0},         {"sqt", sq, 0.001f, 1e6f, 1.5, 0, 0},
    {"rsqt", rsq, 0.001f, 1e6f, 1.5, 0, 0},    {"sin", sine, -300, 300, 0, 0, 0x1p-11},
    {"cos", cosine, -300, 300, 0, 0, 0x1p-11}, {"fdiv", quotient, 0.001f, 1000, 1.5, 0, 0},
};

static double error_bound(const struct function *f, double v)
{
    int e;
    if (f->absolute != 0)
        return f->absolute + 0x1p-24;
    frexp(fmax(fabs(v), f->least), &e);
    return f->ulp * ldexp(1, e - 24);
}

/* 1024 results of a function by a device with this seed. */
static void results(const struct function *f, uint32_t seed, float in[1024], float out[1024])
{
    char program[256];
    bool two = !strcmp(f->name, "fdiv");
    begin("skl", 1, seed);
    snprintf(program, sizeof program, "math.%s (8|M0) r20.0<1>:f r10.0<8;8,1>:f%s\n", f->name,
             two ? " r11.0<8;8,1>:f" : "");
    rig_program(&rig, program);
    for (unsigned i = 0; i < 1024; i += 8) {
        float other[8];
        for (unsigned k = 0; k < 8; k++) {
            in[i + k] = f->from + (f->to - f->from) * (float)(i + k) / 1023;
            other[k] = 1.1f + 0.37f * (float)k;
        }
        rig_reset(&rig, 0xffff);
        rig_set(&rig, 10, in + i, 32);
        rig_set(&rig, 11, other, 32);
        CHECK(rig_go(&rig));
        memcpy(out + i, rig.t.grf + 20 * 32, 32);
    }
    rig_fini(&rig);
}

static void math_functions(void)
{
    static float in[1024], plain[1024], a[1024], again[1024], b[1024];
    for (unsigned k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        const struct function *f = &functions[k];
        unsigned n_wrong = 0, n_plain = 0;
        results(f, 0, in, plain);
        results(f, 11, in, a);
        results(f, 11, in, again);
        results(f, 12, in, b);
        for (unsigned i = 0; i < 1024; i++) {
            double v = f->exact((double)in[i], (double)(1.1f + 0.37f * (float)(i % 8)));
            double bound = error_bound(f, v);
            n_wrong += a[i] != (float)v;
            n_plain += plain[i] != (float)v;
            CHECKF(fabs((double)a[i] - v) <= bound, "%s(%a) = %a, not %a", f->name, (double)in[i],
                   (double)a[i], v);
        }
        CHECKF(n_plain <= 2, "%s: %u inexact without a seed", f->name, n_plain);
        CHECKF(n_wrong > 256, "%s: %u of 1024 in error", f->name, n_wrong);
        CHECK(!memcmp(a, again, sizeof a));
        CHECK(memcmp(a, b, sizeof a) != 0);
    }
}

/* What the documents call exact stays so. */
static void exact_cases(void)
{
    begin("skl", 1, 5);
    rig_program(&rig, "math.inv (8|M0) r20.0<1>:f r10.0<8;8,1>:f\n"
                      "math.sqt (8|M0) r21.0<1>:f r10.0<8;8,1>:f\n"
                      "math.exp (8|M0) r22.0<1>:f r10.0<8;8,1>:f\n"
                      "math.log (8|M0) r23.0<1>:f r10.0<8;8,1>:f\n"
                      "math.rsqt (8|M0) r24.0<1>:f r10.0<8;8,1>:f\n");
    const float in[8] = {0, INFINITY, 1, -0.0f, 0, 0, 0, 0};
    rig_reset(&rig, 0xffff);
    rig_set(&rig, 10, in, sizeof in);
    CHECK(rig_go(&rig));
    CHECK(rig_f(&rig, 20, 0) == INFINITY && rig_f(&rig, 20, 1) == 0);
    CHECK(rig_f(&rig, 20, 3) == -INFINITY);
    CHECK(rig_f(&rig, 21, 0) == 0 && rig_f(&rig, 21, 1) == INFINITY &&
          rig_ud(&rig, 21, 3) == 1u << 31);
    CHECK(rig_f(&rig, 22, 0) == 1 && rig_f(&rig, 22, 1) == INFINITY);
    CHECK(rig_f(&rig, 23, 0) == -INFINITY && rig_f(&rig, 23, 1) == INFINITY);
    CHECK(rig_f(&rig, 23, 2) == 0);
    CHECK(rig_f(&rig, 24, 0) == INFINITY && rig_f(&rig, 24, 1) == 0);
    rig_fini(&rig);
}

/* ---- the state at a thread's start ---- */

/* Each of 64 groups writes flags, a0, an accumulator and two registers that nobody has set. */
static void start_state(const char *device, unsigned host_threads, uint32_t seed, uint8_t *out)
{
    memory = aligned_alloc(4096, MEMORY);
    REQUIRE(memory);
    memset(memory, 0, MEMORY);
    begin(device, host_threads, seed);
    REQUIRE(vm_map(rig.vm, MEMORY_AT, memory, MEMORY, true, 2));
    rig.d.general_base = MEMORY_AT;
    rig.d.general_size = MEMORY;
    rig.d.right_mask = rig.d.bottom_mask = 0xffffffff;
    rig.d.group_end[0] = GROUPS;
    rig.d.group_end[1] = rig.d.group_end[2] = 1;
    rig_program(&rig, "(W) mov (8|M0) r51.0<1>:ud acc0.0<8;8,1>:ud\n"
                      "(W) mov (8|M0) r52.0<1>:ud r90.0<8;8,1>:ud\n"
                      "(W) mov (8|M0) r53.0<1>:ud r91.0<8;8,1>:ud\n"
                      "(W) mov (1|M0) r54.0<1>:ud f0.0<0;1,0>:ud\n"
                      "(W) mov (1|M0) r54.1<1>:ud f1.0<0;1,0>:ud\n"
                      "(W) mov (1|M0) r54.2<1>:ud a0.0<0;1,0>:ud\n"
                      "(W) and (1|M0) r54.3<1>:ud r0.2<0;1,0>:ud 0x70ffffff:ud\n"
                      "(W) mov (8|M0) r50.0<1>:ud 0:ud\n"
                      "(W) shl (1|M0) r50.2<1>:ud r0.1<0;1,0>:ud 4:ud\n"
                      "(W) send (16|M0) null r50 0xA 0x0A0A04FF\n"
                      "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n");
    CHECKF(thread_dispatch(&rig.d), "%s", rig.fault.text);
    memcpy(out, memory, (size_t)GROUPS * SLOT);
    free(memory);
    rig_fini(&rig);
}

static void starts(const char *device)
{
    static uint8_t one[GROUPS * SLOT], four[GROUPS * SLOT], other[GROUPS * SLOT];
    start_state(device, 1, 7, one);
    start_state(device, 4, 7, four);
    start_state(device, 4, 8, other);
    CHECK(!memcmp(one, four, sizeof one));
    CHECK(memcmp(one, other, sizeof one) != 0);
    for (unsigned i = 0; i < 4 * 8 - 4; i++) { /* every dword is garbage in most groups */
        unsigned n = 0;
        for (unsigned g = 0; g < GROUPS; g++)
            n += memcmp(one + g * SLOT + 4 * i, "\0\0\0\0", 4) != 0;
        CHECKF(n > GROUPS / 2, "%s: dword %u is set in %u groups", device, i, n);
    }
    start_state(device, 2, 0, other);
    for (unsigned g = 0; g < GROUPS; g++) {
        for (unsigned i = 0; i < 4 * 8 - 4; i++)
            CHECK(!memcmp(other + g * SLOT + 4 * i, "\0\0\0\0", 4));
    }
}

/* ---- the alternative float mode ---- */

static void alt_mode(const char *device, enum eu_mode mode)
{
    static const float in[8] = {-4, 4, 0x1p100f, -0x1p100f, INFINITY, 0.25f, -8, 1};
    rig_init(&rig, device);
    for (unsigned alt = 0; alt < 2; alt++) {
        char program[512];
        snprintf(program, sizeof program,
                 "(W) mov (1|M0) cr0.0<1>:ud %u:ud {Switch}\n"
                 "mul (8|M0) r20.0<1>:f r10.0<8;8,1>:f r10.0<8;8,1>:f\n"
                 "math.sqt (8|M0) r21.0<1>:f r10.0<8;8,1>:f\n"
                 "math.rsqt (8|M0) r22.0<1>:f r10.0<8;8,1>:f\n"
                 "math.log (8|M0) r23.0<1>:f r10.0<8;8,1>:f\n"
                 "mov (8|M0) r24.0<1>:f r10.0<8;8,1>:f\n"
                 "add (1|M0) r25.0<1>:f r10.4<0;1,0>:f r10.7<0;1,0>:f\n",
                 alt ? 2 : 0);
        rig_program(&rig, program);
        rig_reset(&rig, 0xffff);
        rig_set(&rig, 10, in, sizeof in);
        CHECKF(rig_run(&rig, mode), "%s", rig.fault.text);
        CHECK(rig_f(&rig, 20, 1) == 16);
        CHECK(rig_f(&rig, 20, 2) == (alt ? FLT_MAX : INFINITY));
        CHECK(rig_f(&rig, 20, 3) == (alt ? FLT_MAX : INFINITY));
        CHECK(alt ? rig_f(&rig, 21, 0) == 2 : isnan(rig_f(&rig, 21, 0)));
        CHECK(alt ? rig_f(&rig, 22, 0) == 0.5f : isnan(rig_f(&rig, 22, 0)));
        CHECK(alt ? rig_f(&rig, 23, 6) == 3 : isnan(rig_f(&rig, 23, 6)));
        CHECK(rig_f(&rig, 21, 1) == 2 && rig_f(&rig, 22, 5) == 2);
        CHECK(rig_f(&rig, 24, 4) == INFINITY); /* a copy of bits */
        CHECK(rig_f(&rig, 25, 0) == (alt ? FLT_MAX : INFINITY));
    }
    rig_fini(&rig);
}

int main(void)
{
    static const char *const devices[] = {"ivb", "hsw", "bdw", "skl"};
    math_functions();
    exact_cases();
    for (unsigned i = 0; i < 4; i++) {
        starts(devices[i]);
        alt_mode(devices[i], EU_MODE_GENERAL);
        alt_mode(devices[i], EU_MODE_COMPARE);
    }
    return utest_end();
}
