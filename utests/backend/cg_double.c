/* Doubles in Gen IR on the simulated EU: each operation for all generations and widths, in lanes
 * and as a uniform value, against what C computes; values through loops, branches and spills. */
#include "cg_bench.h"

#include <math.h>

enum { ITEMS = 28 }; /* the last thread isn't full */

static uint64_t bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, 8);
    return b;
}

static double of_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, 8);
    return x;
}

static uint32_t fbits(float x)
{
    uint32_t b;
    memcpy(&b, &x, 4);
    return (b & 0x7f800000) ? b : b & 0x80000000; /* denormal floats are zeros */
}

static float f32(uint32_t b)
{
    float f;
    if (!(b & 0x7f800000))
        b &= 0x80000000;
    memcpy(&f, &b, 4);
    return f;
}

static int32_t to_s(double x)
{
    return x != x ? 0 : x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}

static uint32_t to_u(double x)
{
    return x != x || x <= 0 ? 0 : x >= 4294967295.0 ? UINT32_MAX : (uint32_t)x;
}

/* ---- operations ---- */

#define OPS(OP)                                                                                    \
    OP(add, "%d:f64 = dadd %x, %y\n", bits(x + y))                                                 \
    OP(sub, "%d:f64 = dsub %x, %y\n", bits(x - y))                                                 \
    OP(mul, "%d:f64 = dmul %x, %y\n", bits(x *y))                                                  \
    OP(fma, "%d:f64 = dfma %x, %y, %z\n", bits(fma(x, y, z)))                                      \
    OP(fma_neg, "%u:f64 = dneg %x\n%d:f64 = dfma %u, %y, %z\n", bits(fma(-x, y, z)))               \
    OP(fma_const, "%p:f64 = pack 0, 0x3ff80000\n%d:f64 = dfma %x, %p, %z\n", bits(fma(x, 1.5, z))) \
    OP(neg, "%d:f64 = dneg %x\n", bits(-x))                                                        \
    OP(abs, "%d:f64 = dabs %x\n", bits(fabs(x)))                                                   \
    OP(neg_abs, "%u:f64 = dabs %x\n%m:f64 = dneg %u\n%d:f64 = dadd %m, %y\n", bits(y - fabs(x)))   \
    OP(const_add, "%p:f64 = pack 1, 0xbff00000\n%d:f64 = dadd %p, %x\n",                           \
       bits(x - 0x1.0000000000001p0))                                                              \
    OP(min, "%d:f64 = dmin %x, %y\n", bits(x != x || y < x ? y : x))                               \
    OP(max, "%d:f64 = dmax %x, %y\n", bits(x != x || y > x ? y : x))                               \
    OP(less, "%c:i1 = dcmp.olt %x, %y\n%d:f64 = select %c, %z, %x\n", bits(x < y ? z : x))         \
    OP(unordered, "%c:i1 = dcmp.fuge %x, %y\n%d:f64 = select %c, %z, %y\n",                        \
       bits(!(x < y) ? z : y))                                                                     \
    OP(one, "%c:i1 = dcmp.one %x, %y\n%b:i32 = b2i %c\n%d:f64 = u2d %b\n", bits(x<y || x> y))      \
    OP(nan, "%c:i1 = dcmp.uno %x, %y\n%b:i32 = b2m %c\n%d:f64 = s2d %b\n",                         \
       bits(x != x || y != y ? -1.0 : 0.0))                                                        \
    OP(and,                                                                                        \
       "%c:i1 = dcmp.olt %x, %y\n%e:i1 = dcmp.olt %y, %z\n%g:i1 = and1 %c, %e\n"                   \
       "%d:f64 = select %g, %x, %z\n",                                                             \
       bits(x < y && y < z ? x : z))                                                               \
    OP(to_float, "%f:f32 = d2f %x\n%i:i32 = mov %f\n%d:f64 = pack %i, 0\n", fbits((float)x))       \
    OP(to_int, "%i:i32 = d2s %x\n%d:f64 = pack %i, 7\n", 7ull << 32 | (uint32_t)to_s(x))           \
    OP(to_uint, "%i:i32 = d2u %x\n%d:f64 = pack 7, %i\n", (uint64_t)to_u(x) << 32 | 7)             \
    OP(of_float, "%i:i32 = unhi %x\n%f:f32 = mov %i\n%d:f64 = f2d %f\n",                           \
       bits(f32((uint32_t)(bits(x) >> 32))))                                                       \
    OP(of_int, "%i:i32 = unhi %x\n%d:f64 = s2d %i\n", bits((int32_t)(bits(x) >> 32)))              \
    OP(of_uint, "%i:i32 = unlo %y\n%d:f64 = u2d %i\n", bits((uint32_t)bits(y)))                    \
    OP(swap, "%l:i32 = unlo %x\n%h:i32 = unhi %y\n%d:f64 = pack %h, %l\n",                         \
       bits(x) << 32 | bits(y) >> 32)

/* Gen8 and 9: correctly rounded, with other values kept in flags meanwhile. */
#define MACROS(OP)                                                                                 \
    OP(div, "%d:f64 = ddiv %x, %y\n", bits(x / y))                                                 \
    OP(div_same, "%d:f64 = ddiv %x, %x\n", bits(x / x))                                            \
    OP(div_const, "%p:f64 = pack 0, 0x40080000\n%d:f64 = ddiv %x, %p\n", bits(x / 3))              \
    OP(const_div, "%p:f64 = pack 0, 0x40080000\n%d:f64 = ddiv %p, %x\n", bits(3 / x))              \
    OP(div_neg, "%u:f64 = dneg %y\n%v:f64 = dabs %x\n%d:f64 = ddiv %v, %u\n", bits(fabs(x) / -y))  \
    OP(sqrt, "%d:f64 = dsqrt %x\n", bits(sqrt(x)))                                                 \
    OP(chain, "%q:f64 = ddiv %x, %y\n%r:f64 = dsqrt %z\n%d:f64 = ddiv %q, %r\n",                   \
       bits(x / y / sqrt(z)))                                                                      \
    OP(flag, "%c:i1 = dcmp.olt %x, %y\n%q:f64 = ddiv %x, %z\n%d:f64 = select %c, %q, %y\n",        \
       bits(x < y ? x / z : y))

#define OP(name, code, value)                                                                      \
    static uint64_t expect_##name(double x, double y, double z)                                    \
    {                                                                                              \
        (void)x, (void)y, (void)z;                                                                 \
        return value;                                                                              \
    }
OPS(OP)
MACROS(OP)
#undef OP

static const struct op {
    const char *name, *code;
    uint64_t (*expect)(double, double, double);
} ops[] =
    {
#define OP(name, code, value) {#name, code, expect_##name},
        OPS(OP)},
  macros[] = {MACROS(OP)
#undef OP
};
enum { N_OPS = sizeof ops / sizeof *ops, N_MACROS = sizeof macros / sizeof *macros };

static double pick(void)
{
    static const double values[] = {0.0,       -0.0,   1.0,       -1.0,         INFINITY,
                                    -INFINITY, NAN,    0x1p-1074, -0x1p-1022,   0x1p31,
                                    -0x1p31,   0x1p32, 1e300,     4294967295.5, 0x1.ffffffp127};
    uint32_t r = bench_random();
    if (r & 3)
        return ldexp((double)(int32_t)bench_random(), (int)(r >> 8 & 63) - 40) +
               ldexp((double)bench_random(), -50);
    return values[(r >> 10) % (sizeof values / sizeof *values)];
}

static bool same(uint64_t got, uint64_t want)
{
    return got == want || (isnan(of_bits(got)) && isnan(of_bits(want)));
}

/* Items have three doubles of 32 bytes; the last eight are a loop's count. */
static void fill(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        for (unsigned k = 0; k < 3; k++) {
            double x = pick();
            memcpy(&bench.mem[0][8 * i + 2 * k], &x, 8);
        }
        bench.mem[0][8 * i + 6] = bench_random() % 7 + 1;
    }
    memcpy(bench.push, bench.mem[0], 32);
    memset(bench.mem[1], 0xee, 4096);
}

static double input(unsigned i, unsigned k)
{
    double x;
    memcpy(&x, &bench.mem[0][8 * i + 2 * k], 8);
    return x;
}

static bool run(const char *what, const char *code, const char *device, unsigned simd, bool uniform)
{
    static char text[65536];
    int at = snprintf(
        text, sizeof text,
        "fn k push 32\nsurface arg 0\nsurface arg 1 written\nb0:\n%%id:i32 = local_id 0\n");
    if (uniform)
        at += snprintf(text + at, sizeof text - at,
                       "%%xl:i32 = param 0\n%%xh:i32 = param 4\n%%yl:i32 = param 8\n"
                       "%%yh:i32 = param 12\n%%zl:i32 = param 16\n%%zh:i32 = param 20\n");
    else
        at += snprintf(
            text + at, sizeof text - at,
            "%%at:i32 = shl %%id, 5\n"
            "%%xl:i32, %%xh:i32, %%yl:i32, %%yh:i32 = load surface 0 d32x4 align 16 [%%at]\n"
            "%%zl:i32, %%zh:i32, %%n:i32 = load surface 0 d32x3 align 16 + 16 [%%at]\n");
    at += snprintf(
        text + at, sizeof text - at,
        "%%x:f64 = pack %%xl, %%xh\n%%y:f64 = pack %%yl, %%yh\n%%z:f64 = pack %%zl, %%zh\n%s"
        "%%lo:i32 = unlo %%d\n%%hi:i32 = unhi %%d\n%%to:i32 = shl %%id, 3\n"
        "store surface 1 d32x2 align 8 [%%to] %%lo, %%hi\nend\n",
        code);
    if (!bench_compile(text, device, simd, true)) {
        CHECKF(false, "%s: not compiled", what);
        return false;
    }
    fill();
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "%s %s SIMD%u: %s", what, device, simd, bench.fault);
    return ok;
}

static void check(const char *what, unsigned i, uint64_t want, const char *device, unsigned simd)
{
    uint64_t got = i < ITEMS ? (uint64_t)bench.mem[1][2 * i + 1] << 32 | bench.mem[1][2 * i] : 0;
    /* Of zeros of both signs either is the smaller. */
    bool zeros =
        (!strcmp(what, "min") || !strcmp(what, "max")) && of_bits(got) == 0 && of_bits(want) == 0;
    CHECKF(zeros || same(got, want), "%s SIMD%u: %s of item %u: %a (0x%llx), not %a (0x%llx)",
           device, simd, what, i, of_bits(got), (unsigned long long)got, of_bits(want),
           (unsigned long long)want);
}

static void check_op(const struct op *o, const char *device, unsigned simd, bool uniform)
{
    if (!run(o->name, o->code, device, simd, uniform))
        return;
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned from = uniform ? 0 : i;
        check(o->name, i, o->expect(input(from, 0), input(from, 1), input(from, 2)), device, simd);
    }
    CHECK(bench.mem[1][2 * ITEMS] == 0xeeeeeeee);
}

/* A loop that lanes leave one by one, with two doubles that change places; a branch in it. */
static void check_flow(const char *device, unsigned simd)
{
    static const char code[] = "jump b1\n"
                               "b1: preds b0 b3\n"
                               "%i:i32 = phi b0 0, b3 %j\n"
                               "%p:f64 = phi b0 %x, b3 %q2\n"
                               "%q:f64 = phi b0 %y, b3 %p\n"
                               "%c:i1 = dcmp.olt %p, %z\n"
                               "branch %c, b2, b3 merge b3\n"
                               "b2: preds b1\n"
                               "%s:f64 = dadd %q, %z\n"
                               "jump b3\n"
                               "b3: preds b1 b2\n"
                               "%q2:f64 = phi b1 %q, b2 %s\n"
                               "%j:i32 = add %i, 1\n"
                               "%again:i1 = icmp.ult %j, %n\n"
                               "loop %again, b1, b4\n"
                               "b4: preds b3\n"
                               "%d:f64 = dsub %p, %q2\n";
    if (!run("flow", code, device, simd, false))
        return;
    for (unsigned i = 0; i < ITEMS; i++) {
        double p = input(i, 0), q = input(i, 1), z = input(i, 2), last = p, q2 = q;
        for (uint32_t k = 0; k < bench.mem[0][8 * i + 6]; k++) {
            last = p;
            q2 = p < z ? q + z : q;
            q = p;
            p = q2;
        }
        check("flow", i, bits(last - q2), device, simd);
    }
}

/* Quotients where some lanes are off, whole rows of four among them, and work after them. */
static void check_branch(const char *device, unsigned simd)
{
    static const char code[] = "%many:i1 = icmp.uge %id, 10\n"
                               "branch %many, b1, b2 merge b2\n"
                               "b1: preds b0\n"
                               "%q:f64 = ddiv %x, %y\n"
                               "%r:f64 = dadd %q, %z\n"
                               "jump b2\n"
                               "b2: preds b0 b1\n"
                               "%d:f64 = phi b0 %y, b1 %r\n";
    if (!run("branch", code, device, simd, false))
        return;
    for (unsigned i = 0; i < ITEMS; i++) {
        double x = input(i, 0), y = input(i, 1), z = input(i, 2);
        check("branch", i, bits(i < 10 ? y : x / y + z), device, simd);
    }
}

/* More doubles than registers. */
static void check_spill(const char *device)
{
    enum { MANY = 48 };
    static char code[16384];
    int at = 0;
    at += snprintf(code + at, sizeof code - at, "%%v0:f64 = dadd %%y, %%x\n");
    for (unsigned k = 1; k < MANY; k++)
        at += snprintf(code + at, sizeof code - at, "%%v%u:f64 = dadd %%%s, %%v%u\n", k,
                       k % 2 ? "x" : "y", k - 1);
    at += snprintf(code + at, sizeof code - at, "%%w0:f64 = dadd %%v0, %%z\n");
    for (unsigned k = 1; k < MANY; k++)
        at += snprintf(code + at, sizeof code - at, "%%w%u:f64 = dadd %%v%u, %%w%u\n", k, MANY - k,
                       k - 1);
    snprintf(code + at, sizeof code - at, "%%d:f64 = dadd %%w%u, %%z\n", MANY - 1);
    if (!run("spill", code, device, 16, false))
        return;
    CHECK(bench.k.n_spills > 0);
    for (unsigned i = 0; i < ITEMS; i++) {
        double x = input(i, 0), y = input(i, 1), z = input(i, 2), v[MANY], w;
        for (unsigned k = 0; k < MANY; k++)
            v[k] = (k % 2 ? x : y) + (k ? v[k - 1] : x);
        w = v[0] + z;
        for (unsigned k = 1; k < MANY; k++)
            w = v[MANY - k] + w;
        check("spill", i, bits(w + z), device, 16);
    }
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "byt",     "hsw-gt2", "bdw-gt2",
                                          "chv",     "skl-gt2", "bxt-3x6"};
    bench.seed = 1;
    for (unsigned d = 0; d < sizeof devices / sizeof *devices; d++) {
        for (unsigned simd = 8; simd <= 32; simd *= 2) {
            for (unsigned n = 0; n < N_OPS; n++) {
                check_op(&ops[n], devices[d], simd, false);
                check_op(&ops[n], devices[d], simd, true);
            }
            for (unsigned n = 0; n < N_MACROS && gen_device_by_name(devices[d])->gen >= 80; n++) {
                check_op(&macros[n], devices[d], simd, false);
                check_op(&macros[n], devices[d], simd, true);
            }
            if (gen_device_by_name(devices[d])->gen >= 80)
                check_branch(devices[d], simd);
            check_flow(devices[d], simd);
        }
        check_spill(devices[d]);
    }
    return utest_end();
}
