/* Shapes of control flow that random programs don't have: lanes that end early, endless loops left
 * by ending, phis that swap, values used behind a loop that lanes leave at different times. And
 * what code must look like: few instructions where few will do. */
#include "cg_bench.h"

enum { ITEMS = 21 };
static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2", "bxt-3x6"};
enum { N_DEVICES = sizeof devices / sizeof *devices };

#define HEAD                                                                                       \
    "fn k push 32\nsurface arg 0 written\nb0:\n%id:i32 = local_id 0\n%at:i32 = shl %id, "          \
    "2\n%p:i32 = param 0\n"

static uint32_t early(uint32_t i)
{
    return i < 5 ? 1 : i & 1 ? 2 : 0;
}

static uint32_t early_in_loop(uint32_t i)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 10; k++) {
        sum += k;
        if (sum > 3 * i)
            return sum + 1000;
    }
    return sum;
}

static uint32_t endless(uint32_t i)
{
    uint32_t n = 0;
    while (n * n < i)
        n++;
    return n;
}

static uint32_t swapping(uint32_t i)
{
    uint32_t a = 1, b = i;
    for (uint32_t k = 0; k <= i % 5; k++) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    return a * 100 + b;
}

static uint32_t fibonacci(uint32_t i)
{
    uint32_t a = 0, b = 1;
    for (uint32_t k = 0; k <= i; k++) {
        uint32_t t = a + b;
        a = b;
        b = t;
    }
    return a;
}

static uint32_t behind(uint32_t i)
{
    uint32_t k = 0, x = 0, y;
    do {
        y = k * 7;
        x += y ^ i;
        k++;
    } while (k < i % 7);
    return x + (y << 10) + (k << 20);
}

static uint32_t arm_loop(uint32_t i)
{
    uint32_t k = 0, s = 5;
    if (!(i & 1))
        return 901;
    do {
        s += k++;
    } while (k < (i & 7));
    return s * 100 + k - 1;
}

static uint32_t undefined(uint32_t i)
{
    return i < 5 ? 7 * i : 9 * i;
}

static uint32_t nested(uint32_t i)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < i % 4 + 1; k++) {
        uint32_t j = 0;
        do {
            sum += j * k + 1;
            j++;
        } while (j < (i ^ k) % 5);
        if (sum & 1)
            sum += 100;
    }
    return sum;
}

static const struct flow {
    const char *name, *code;
    uint32_t (*expect)(uint32_t item);
} flows[] = {
    {"early end",
     HEAD
     "store surface 0 d32x1 align 4 [%at] 0\n%c:i1 = icmp.ult %id, 5\nbranch %c, b1, b2 merge b5\n"
     "b1: preds b0\nstore surface 0 d32x1 align 4 [%at] 1\nend\nb2: preds b0\n%o:i1 = i2b "
     "%id\nbranch %o, b3, b4 merge b4\n"
     "b3: preds b2\nstore surface 0 d32x1 align 4 [%at] 2\njump b4\nb4: preds b2 b3\njump b5\nb5: "
     "preds b4\nend\n",
     early},
    {"early end in a loop",
     HEAD "%lim:i32 = mul %id, 3\njump b1\nb1: preds b0 b3\n%k:i32 = phi b0 0, b3 %k1\n%s:i32 = "
          "phi b0 0, b3 %s1\n"
          "%s1:i32 = add %s, %k\n%c:i1 = icmp.ugt %s1, %lim\nbranch %c, b2, b3 merge b3\nb2: preds "
          "b1\n%r:i32 = add %s1, 1000\n"
          "store surface 0 d32x1 align 4 [%at] %r\nend\nb3: preds b1\n%k1:i32 = add %k, 1\n%d:i1 = "
          "icmp.ult %k1, 10\nloop %d, b1, b4\n"
          "b4: preds b3\nstore surface 0 d32x1 align 4 [%at] %s1\nend\n",
     early_in_loop},
    {"endless loop",
     HEAD "jump b1\nb1: preds b0 b3\n%n:i32 = phi b0 0, b3 %n1\n%q:i32 = mul %n, %n\n%c:i1 = "
          "icmp.uge %q, %id\n"
          "branch %c, b2, b3 merge b3\nb2: preds b1\nstore surface 0 d32x1 align 4 [%at] "
          "%n\nend\nb3: preds b1\n%n1:i32 = add %n, 1\n"
          "loop 1, b1, b4\nb4: preds b3\nend\n",
     endless},
    {"swapping phis",
     HEAD "%q:i32 = urem %id, 5\njump b1\nb1: preds b0 b1\n%a:i32 = phi b0 1, b1 %b\n%b:i32 = phi "
          "b0 %id, b1 %a\n"
          "%k:i32 = phi b0 0, b1 %k1\n%k1:i32 = add %k, 1\n%c:i1 = icmp.ule %k1, %q\nloop %c, b1, "
          "b2\nb2: preds b1\n%x:i32 = mul %b, 100\n"
          "%r:i32 = add %x, %a\nstore surface 0 d32x1 align 4 [%at] %r\nend\n",
     swapping},
    {"fibonacci",
     HEAD "jump b1\nb1: preds b0 b1\n%a:i32 = phi b0 0, b1 %b\n%b:i32 = phi b0 1, b1 %t\n%k:i32 = "
          "phi b0 0, b1 %k1\n"
          "%t:i32 = add %a, %b\n%k1:i32 = add %k, 1\n%c:i1 = icmp.ule %k1, %id\nloop %c, b1, "
          "b2\nb2: preds b1\n"
          "store surface 0 d32x1 align 4 [%at] %b\nend\n",
     fibonacci},
    {"values behind a loop",
     HEAD "%m:i32 = urem %id, 7\njump b1\nb1: preds b0 b1\n%k:i32 = phi b0 0, b1 %k1\n%x:i32 = phi "
          "b0 0, b1 %x1\n"
          "%y:i32 = mul %k, 7\n%z:i32 = xor %y, %id\n%x1:i32 = add %x, %z\n%k1:i32 = add %k, "
          "1\n%c:i1 = icmp.ult %k1, %m\nloop %c, b1, b2\n"
          "b2: preds b1\n%t:i32 = mul %k, 7\n%u:i32 = shl %t, 10\n%v:i32 = shl %k1, 20\n%w:i32 = "
          "add %u, %v\n%r:i32 = add %w, %x1\n"
          "store surface 0 d32x1 align 4 [%at] %r\nend\n",
     behind},
    {"loop that ends an arm",
     HEAD
     "%m:i32 = and %id, 7\n%o:i1 = i2b %id\nbranch %o, b1, b3 merge b3\nb1: preds b0\njump b2\n"
     "b2: preds b1 b2\n%k:i32 = phi b1 0, b2 %k1\n%s:i32 = phi b1 5, b2 %s1\n%s1:i32 = add %s, "
     "%k\n%k1:i32 = add %k, 1\n"
     "%c:i1 = icmp.ult %k1, %m\nloop %c, b2, b3\nb3: preds b0 b2\n%r:i32 = phi b0 9, b2 "
     "%s1\n%q:i32 = phi b0 1, b2 %k\n"
     "%x:i32 = mul %r, 100\n%y:i32 = add %x, %q\nstore surface 0 d32x1 align 4 [%at] %y\nend\n",
     arm_loop},
    {"undefined in one arm",
     HEAD
     "%u:i32 = undef\n%c:i1 = icmp.ult %id, 5\nbranch %c, b1, b2 merge b3\n"
     "b1: preds b0\n%y:i32 = mul %id, 7\njump b3\nb2: preds b0\n%z:i32 = mul %id, 9\njump b3\n"
     "b3: preds b1 b2\n%r:i32 = phi b1 %u, b2 %z\n%s:i32 = phi b1 %y, b2 %u\n"
     "branch %c, b4, b5 merge b6\nb4: preds b3\njump b6\nb5: preds b3\njump b6\n"
     "b6: preds b4 b5\n%t:i32 = phi b4 %s, b5 %r\nstore surface 0 d32x1 align 4 [%at] %t\nend\n",
     undefined},
    {"nested loops",
     HEAD "%m:i32 = and %id, 3\njump b1\nb1: preds b0 b5\n%k:i32 = phi b0 0, b5 %k1\n%s:i32 = phi "
          "b0 0, b5 %s4\n"
          "%e:i32 = xor %id, %k\n%f:i32 = urem %e, 5\njump b2\nb2: preds b1 b2\n%j:i32 = phi b1 0, "
          "b2 %j1\n%s1:i32 = phi b1 %s, b2 %s2\n"
          "%g:i32 = mul %j, %k\n%h:i32 = add %g, 1\n%s2:i32 = add %s1, %h\n%j1:i32 = add %j, "
          "1\n%c:i1 = icmp.ult %j1, %f\nloop %c, b2, b3\n"
          "b3: preds b2\n%o:i1 = i2b %s2\nbranch %o, b4, b5 merge b5\nb4: preds b3\n%s3:i32 = add "
          "%s2, 100\njump b5\nb5: preds b3 b4\n"
          "%s4:i32 = phi b3 %s2, b4 %s3\n%k1:i32 = add %k, 1\n%d:i1 = icmp.ule %k1, %m\nloop %d, "
          "b1, b6\nb6: preds b5\n"
          "store surface 0 d32x1 align 4 [%at] %s4\nend\n",
     nested},
};

static void check_flow(const struct flow *f, unsigned d, unsigned simd)
{
    memset(bench.mem[0], 0xee, 4096);
    bool ok = bench_compile(f->code, devices[d], simd, true) && bench_run(ITEMS);
    CHECKF(ok, "%s %s: %s", devices[d], f->name, bench.fault);
    for (unsigned i = 0; ok && i < 32; i++) {
        uint32_t want = i < ITEMS ? f->expect(i) : 0xeeeeeeee;
        CHECKF(bench.mem[0][i] == want, "%s SIMD%u %s: item %u: %u, not %u", devices[d], simd,
               f->name, i, bench.mem[0][i], want);
    }
}

/* ---- what the code looks like ---- */

static unsigned count(int gen, bool (*is)(const struct eu_insn *))
{
    unsigned n = 0, size;
    const char *why;
    for (size_t at = 0; at < bench.k.code_size - 128; at += size) {
        struct eu_insn in;
        size = eu_decode(gen, bench.k.code + at, bench.k.code_size - at, &in, &why);
        REQUIRE(size);
        CHECK(!eu_check(gen, bench.dev->quirks, &in));
        n += is(&in);
    }
    return n;
}

static bool is_mov(const struct eu_insn *in)
{
    return in->op == EU_OP_mov;
}
static bool is_send(const struct eu_insn *in)
{
    return eu_op_info(in->op)->is_send;
}
static bool is_any(const struct eu_insn *in)
{
    (void)in;
    return true;
}

/* Instructions, copies, messages that may not be exceeded, with the end of thread (2, of which 1
 * copy, 1 message). */
static const struct look {
    const char *name, *code;
    unsigned simd, all, movs, sends;
    int first_gen;
} looks[] = {
    {"copy",
     HEAD "%x:i32 = load surface 0 d32x1 align 4 [%at]\nstore surface 0 d32x1 align 4 + 256 [%at] "
          "%x\nend\n",
     16, 7, 2, 3, 70},
    {"float4 copy",
     HEAD
     "%b:i32 = shl %id, 4\n%x:f32, %y:f32, %z:f32, %w:f32 = load surface 0 d32x4 align 16 [%b]\n"
     "store surface 0 d32x4 align 16 [%b] %x, %y, %z, %w\nend\n",
     16, 6, 2, 3, 80},
    {"loop",
     HEAD "jump b1\nb1: preds b0 b1\n%k:i32 = phi b0 0, b1 %k1\n%s:f32 = phi b0 0.0f, b1 "
          "%s1\n%f:f32 = s2f %k\n"
          "%s1:f32 = ffma %f, 2.5f, %s\n%k1:i32 = add %k, 1\n%c:i1 = icmp.ult %k1, %p\nloop %c, "
          "b1, b2\nb2: preds b1\n"
          "store surface 0 d32x1 align 4 [%at] %s1\nend\n",
     16, 14, 7, 2, 75},
    {"bounds",
     HEAD
     "%q:i32 = param 4\n%c:i1 = icmp.uge %id, %q\n%d:i1 = icmp.ult %id, %p\n%e:i1 = and1 %c, %d\n"
     "branch %e, b1, b2 merge b2\nb1: preds b0\nstore surface 0 d32x1 align 4 [%at] %id\njump "
     "b2\nb2: preds b0 b1\nend\n",
     16, 9, 2, 2, 75},
    {"bytes to float",
     HEAD "%x:i32, %y:i32, %z:i32, %w:i32 = load surface 0 d8x4 align 4 [%at]\n%a:i32 = zext8 "
          "%x\n%b:i32 = zext8 %w\n"
          "%c:f32 = u2f %a\n%d:f32 = u2f %b\n%e:f32 = fadd %c, %d\nstore surface 0 d32x1 align 4 "
          "[%at] %e\nend\n",
     16, 10, 5, 3, 80},
    {"join",
     HEAD "%x:i32 = load surface 0 d32x1 align 4 [%at]\n%c:i1 = icmp.ult %id, 5\nbranch %c, b1, b2 "
          "merge b2\nb1: preds b0\n%y:i32 = add %x, 7\njump b2\nb2: preds b0 b1\n"
          "%r:i32 = phi b0 %x, b1 %y\nstore surface 0 d32x1 align 4 + 256 [%at] %r\nend\n",
     16, 11, 2, 3, 90},
    {"joins of two arms, undefined in one",
     HEAD "%u:i32 = undef\n%c:i1 = icmp.ult %id, 5\nbranch %c, b1, b2 merge b3\n"
          "b1: preds b0\n%y:i32 = mul %at, 7\njump b3\nb2: preds b0\n%z:i32 = mul %at, 9\njump b3\n"
          "b3: preds b1 b2\n%r:i32 = phi b1 %u, b2 %z\n%s:i32 = phi b1 %y, b2 %u\n"
          "branch %c, b4, b5 merge b6\nb4: preds b3\njump b6\nb5: preds b3\njump b6\n"
          "b6: preds b4 b5\n%t:i32 = phi b4 %s, b5 %r\n"
          "store surface 0 d32x1 align 4 + 256 [%at] %t\nend\n",
     16, 16, 3, 2, 90},
    {"loop left with what it carries",
     HEAD "jump b1\nb1: preds b0 b3\n%k:i32 = phi b0 0, b3 %k1\n%x:i32 = phi b0 %id, b3 %x1\n"
          "%q:i32 = mul %x, 3\n%c:i1 = icmp.ult %q, %p\nbranch %c, b2, b3 merge b3\nb2: preds b1\n"
          "%x2:i32 = add %q, %id\njump b3\nb3: preds b1 b2\n%x1:i32 = phi b1 %x, b2 %x2\n"
          "%k1:i32 = add %k, 1\n%d:i1 = icmp.ult %k1, 9\nloop %d, b1, b4\nb4: preds b3\n"
          "store surface 0 d32x1 align 4 [%at] %x1\nend\n",
     16, 15, 4, 2, 90},
};

static void check_look(const struct look *l)
{
    for (unsigned d = 0; d < N_DEVICES; d++) {
        int gen = gen_device_by_name(devices[d])->gen;
        if (gen < l->first_gen)
            continue;
        REQUIRE(bench_compile(l->code, devices[d], l->simd, true));
        unsigned all = count(gen, is_any), movs = count(gen, is_mov), sends = count(gen, is_send);
        CHECKF(all <= l->all && movs <= l->movs && sends <= l->sends,
               "%s %s: %u instructions, %u copies, %u messages", l->name, devices[d], all, movs,
               sends);
        CHECK(bench.k.n_insns == all && bench.k.n_sends == sends && bench.k.simd == l->simd &&
              !bench.k.scratch_size);
    }
}

/* The width is what is asked for; without a wish, the widest at which values fit. */
static void check_width(unsigned n_values, unsigned want, bool spills)
{
    static char text[65536];
    for (unsigned d = 0; d < N_DEVICES; d++) {
        int at = snprintf(text, sizeof text, "%s", HEAD);
        for (unsigned k = 0; k < n_values; k++)
            at += snprintf(text + at, sizeof text - at, "%%v%u:i32 = mul %%id, %u\n", k, k + 3);
        at += snprintf(text + at, sizeof text - at, "barrier 1\n"); /* nothing moves across it */
        for (unsigned k = 0; k < n_values; k++)
            at += snprintf(text + at, sizeof text - at,
                           "store surface 0 d32x1 align 4 [%%at] %%v%u\n", k);
        snprintf(text + at, sizeof text - at, "end\n");
        REQUIRE(bench_compile(text, devices[d], 0, true));
        CHECKF(bench.k.simd == want && (bench.k.n_spills > 0) == spills &&
                   (bench.k.scratch_size > 0) == spills,
               "%s, %u values: SIMD%u, %u spills", devices[d], n_values, bench.k.simd,
               bench.k.n_spills);
    }
}

/* Arms longer than Gen7's branches reach, one in the other. */
static void check_far(unsigned d, unsigned simd)
{
    enum { N = 5700 };
    static char text[1 << 20];
    int at = snprintf(text, sizeof text,
                      "%s%%c:i1 = icmp.ult %%id, 15\n%%e:i1 = i2b %%id\nbranch %%c, b1, b4 merge "
                      "b5\nb1: preds b0\n"
                      "branch %%e, b2, b3 merge b3\nb2: preds b1\n%%a0:i32 = mov %%id\n",
                      HEAD);
    for (unsigned k = 0; k < N; k++)
        at += snprintf(text + at, sizeof text - at, "%%a%u:i32 = mul %%a%u, %u\n", k + 1, k,
                       0x10003 + 2 * k);
    at +=
        snprintf(text + at, sizeof text - at,
                 "jump b3\nb3: preds b1 b2\n%%p1:i32 = phi b1 5, b2 %%a%u\njump b5\nb4: preds b0\n"
                 "%%b0:i32 = add %%id, 1\n",
                 N);
    for (unsigned k = 0; k < N; k++)
        at += snprintf(text + at, sizeof text - at, "%%b%u:i32 = mul %%b%u, %u\n", k + 1, k,
                       0x20005 + 2 * k);
    snprintf(text + at, sizeof text - at,
             "jump b5\nb5: preds b3 b4\n%%q1:i32 = phi b3 %%p1, b4 %%b%u\n"
             "store surface 0 d32x1 align 4 [%%at] %%q1\nend\n",
             N);
    bool ok = bench_compile(text, devices[d], simd, true) && bench_run(ITEMS);
    CHECKF(ok, "%s far: %s", devices[d], bench.fault);
    CHECK(bench.k.code_size > 500000);
    for (unsigned i = 0; ok && i < ITEMS; i++) {
        uint32_t want = i < 15 ? (i & 1 ? i : 5) : i + 1;
        for (unsigned k = 0; k < N && (i >= 15 || i & 1); k++)
            want *= (i < 15 ? 0x10003 : 0x20005) + 2 * k;
        CHECKF(bench.mem[0][i] == want, "%s far: item %u: 0x%x, not 0x%x", devices[d], i,
               bench.mem[0][i], want);
    }
}

/* A loop that Gen7's branches reach over only if its code is not doubled for 32 lanes. */
static void check_long_loop(unsigned d)
{
    enum { N = 9000, ROUNDS = 2 };
    static char text[1 << 20];
    int at = snprintf(text, sizeof text,
                      "%sjump b1\nb1: preds b0 b1\n%%k:i32 = phi b0 0, b1 %%k1\n"
                      "%%a0:i32 = phi b0 %%id, b1 %%a%u\n",
                      HEAD, N);
    for (unsigned k = 0; k < N; k++)
        at += snprintf(text + at, sizeof text - at, "%%a%u:i32 = %s %%a%u, %u\n", k + 1,
                       k % 2 ? "xor" : "add", k, 0x12345 + 70000 * k);
    snprintf(text + at, sizeof text - at,
             "%%k1:i32 = add %%k, 1\n%%c:i1 = icmp.ult %%k1, %u\nloop %%c, b1, b2\n"
             "b2: preds b1\nstore surface 0 d32x1 align 4 [%%at] %%a%u\nend\n",
             ROUNDS, N);
    bool ok = bench_compile(text, devices[d], 0, true) && bench_run(ITEMS);
    CHECKF(ok && bench.k.simd == 16, "%s long loop: SIMD%u %s", devices[d], bench.k.simd,
           bench.fault ? bench.fault : "");
    for (unsigned i = 0; ok && i < ITEMS; i++) {
        uint32_t want = i;
        for (unsigned k = 0; k < ROUNDS * N; k++) {
            uint32_t c = 0x12345 + 70000 * (k % N);
            want = k % N % 2 ? want ^ c : want + c;
        }
        CHECKF(bench.mem[0][i] == want, "%s long loop: item %u: 0x%x, not 0x%x", devices[d], i,
               bench.mem[0][i], want);
    }
}

/* What can't be done is said, not tried. */
static void check_refusals(void)
{
    CHECK(
        !bench_compile(HEAD "store surface 0 d32x1 align 4 [%at] %id\nend\n", "skl-gt2", 64, true));
    CHECK(!bench_compile("fn k push 4096\nb0:\n%p:i32 = param 4092\nend\n", "skl-gt2", 0, true));
}

int main(void)
{
    check_refusals();
    check_far(0, 16);
    check_far(0, 32);
    check_long_loop(0);
    bench.seed = 5;
    for (unsigned d = 0; d < N_DEVICES; d++) {
        for (unsigned n = 0; n < sizeof flows / sizeof *flows; n++) {
            check_flow(&flows[n], d, 8);
            check_flow(&flows[n], d, 16);
            check_flow(&flows[n], d, 32);
        }
    }
    for (unsigned n = 0; n < sizeof looks / sizeof *looks; n++)
        check_look(&looks[n]);
    check_width(20, 32, false);
    check_width(40, 16, false);
    check_width(90, 8, false);
    check_width(200, 8, true);
    return utest_end();
}
