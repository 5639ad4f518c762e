/* Bytes and words: random straight programs full of extensions, masks and shifts by bytes, of which
 * the code generator keeps much in words. The host computes every value in 32 bits. */
#include "cg_bench.h"

#include <stdarg.h>

enum { N_INPUTS = 4, N_VALUES = 60, ITEMS = 37, OUT_DWORDS = 16 };

enum op {
    ADD,
    SUB,
    MUL,
    AND,
    OR,
    XOR,
    NOT,
    SHL,
    LSHR,
    ASHR,
    SMIN,
    SMAX,
    UMIN,
    UMAX,
    SEXT8,
    SEXT16,
    ZEXT8,
    ZEXT16,
    POPCOUNT,
    SELECT,
    TO_FLOAT,
    PACK,
    CLAMP,
    ABS,
    MULHI,
    N_OPS
};

static const char *const names[N_OPS] = {"add",      "sub",    "mul",   "and",    "or",    "xor",
                                         "not",      "shl",    "lshr",  "ashr",   "smin",  "smax",
                                         "umin",     "umax",   "sext8", "sext16", "zext8", "zext16",
                                         "popcount", "select", "u2f"};
static const char *const preds[] = {"eq", "ne", "ult", "ule", "slt", "sge"};

/* A value: op of others (numbers below its own) or of a constant. */
struct value {
    enum op op;
    unsigned a, b, x, y, pred; /* select: x pred y ? a : b */
    bool constant;             /* b is one */
    uint32_t imm;
};

static struct value values[N_INPUTS + N_VALUES];
static uint32_t rng = 1;
static char text[1 << 16];
static size_t at;

static uint32_t rnd(uint32_t n)
{
    rng ^= rng << 13;
    rng ^= rng >> 17;
    rng ^= rng << 5;
    return n ? rng % n : rng;
}

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at += (size_t)vsnprintf(text + at, sizeof text - at, format, args);
    va_end(args);
    REQUIRE(at < sizeof text);
}

static uint32_t compute(const struct value *v, const uint32_t *all)
{
    uint32_t a = all[v->a], b = v->constant ? v->imm : all[v->b], x = all[v->x], y = all[v->y];
    float f;
    uint64_t wide;
    bool truth[] = {
        x == y, x != y, x < y, x <= y, (int32_t)x < (int32_t)y, (int32_t)x >= (int32_t)y};
    switch (v->op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case NOT:
        return ~a;
    case SHL:
        return a << (b & 31);
    case LSHR:
        return a >> (b & 31);
    case ASHR:
        return (uint32_t)((int32_t)a >> (b & 31));
    case SMIN:
        return (int32_t)a < (int32_t)b ? a : b;
    case SMAX:
        return (int32_t)a > (int32_t)b ? a : b;
    case UMIN:
        return a < b ? a : b;
    case UMAX:
        return a > b ? a : b;
    case SEXT8:
        return (uint32_t)(int8_t)a;
    case SEXT16:
        return (uint32_t)(int16_t)a;
    case ZEXT8:
        return a & 0xff;
    case ZEXT16:
        return a & 0xffff;
    case POPCOUNT:
        return (uint32_t)__builtin_popcount(a);
    case SELECT:
        return truth[v->pred] ? a : b;
    case TO_FLOAT:
        f = (float)(a & 0xffff); /* exact */
        memcpy(&a, &f, 4);
        return a;
    case PACK:
        return (a & 0xff) | (x & 0xff) << 8 | (y & 0xff) << 16 | all[v->b] << 24;
    case CLAMP:
        return (int32_t)a < 0 ? 0 : a < 255 ? a : 255;
    case ABS:
        return (int32_t)a < 0 ? -a : a;
    case MULHI: /* and the low half */
        wide = (uint64_t)a * all[v->b];
        return (uint32_t)(wide >> 32) ^ (uint32_t)wide;
    case N_OPS:
        break;
    }
    return 0;
}

/* Mostly recent ones, so that chains grow. */
static unsigned any(unsigned below)
{
    return rnd(3) ? below - 1 - rnd(below < 8 ? below : 8) : rnd(below);
}

static uint32_t constant(enum op op)
{
    static const uint32_t some[] = {0xff, 0xffff, 1,    2,      255, 0x7fff,     0xffff8000,
                                    0x80, 0x100,  0x7f, 0x8000, 16,  0xffffffff, 0x12345678};
    if (op == SHL || op == LSHR || op == ASHR)
        return rnd(2) ? 8 * (1 + rnd(3)) : rnd(32);
    return rnd(4) ? some[rnd(sizeof some / sizeof *some)] : rnd(0);
}

static void put_value(unsigned n, const struct value *v)
{
    if (v->op == SELECT)
        put("%%c%u:i1 = icmp.%s %%v%u, %%v%u\n", n, preds[v->pred], v->x, v->y);
    if (v->op == TO_FLOAT) {
        put("%%z%u:i32 = zext16 %%v%u\n%%f%u:f32 = u2f %%z%u\n%%v%u:i32 = mov %%f%u\n", n, v->a, n,
            n, n, n);
        return;
    }
    if (v->op == PACK) {
        put("%%p%u:i32 = zext8 %%v%u\n%%q%u:i32 = zext8 %%v%u\n%%r%u:i32 = zext8 %%v%u\n", n, v->a,
            n, v->x, n, v->y);
        put("%%s%u:i32 = shl %%q%u, 8\n%%t%u:i32 = shl %%r%u, 16\n%%u%u:i32 = shl %%v%u, 24\n", n,
            n, n, n, n, v->b);
        put("%%w%u:i32 = or %%p%u, %%s%u\n%%x%u:i32 = or %%w%u, %%t%u\n%%v%u:i32 = or %%x%u, "
            "%%u%u\n",
            n, n, n, n, n, n, n, n, n);
        return;
    }
    if (v->op == CLAMP) {
        put("%%p%u:i32 = smax %%v%u, 0\n%%v%u:i32 = umin %%p%u, 255\n", n, v->a, n, n);
        return;
    }
    if (v->op == ABS) {
        put("%%p%u:i32 = sub 0, %%v%u\n%%v%u:i32 = smax %%v%u, %%p%u\n", n, v->a, n, v->a, n);
        return;
    }
    if (v->op == MULHI) {
        put("%%p%u:i32 = mul %%v%u, %%v%u\n%%q%u:i32 = mulhi_u %%v%u, %%v%u\n%%v%u:i32 = xor "
            "%%p%u, %%q%u\n",
            n, v->a, v->b, n, v->a, v->b, n, n, n);
        return;
    }
    put("%%v%u:i32 = %s ", n, names[v->op]);
    if (v->op == SELECT)
        put("%%c%u, ", n);
    put("%%v%u", v->a);
    if (v->op == NOT || (v->op >= SEXT8 && v->op <= POPCOUNT))
        put("\n");
    else if (v->constant)
        put(", 0x%x\n", v->imm);
    else
        put(", %%v%u\n", v->b);
}

/* Stores of the last values: as dwords, words and bytes. */
static unsigned stored(unsigned k)
{
    return N_INPUTS + N_VALUES - 1 - 2 * k;
}

static void put_program(void)
{
    at = 0;
    put("fn k push 32\nsurface arg 0\nsurface arg 1 written\nb0:\n%%id:i32 = local_id 0\n"
        "%%in:i32 = shl %%id, 3\n%%out:i32 = shl %%id, 6\n"
        "%%v0:i32, %%v1:i32 = load surface 0 d32x2 align 8 [%%in]\n"
        "%%v2:i32 = mov %%id\n%%v3:i32 = param 4\n");
    for (unsigned n = N_INPUTS; n < N_INPUTS + N_VALUES; n++) {
        struct value *v = &values[n];
        enum op op = rnd(3) ? (enum op)rnd(N_OPS) : (enum op)(SEXT8 + rnd(4));
        *v = (struct value){.op = op, .a = any(n), .b = any(n), .x = any(n), .y = any(n)};
        v->pred = rnd(sizeof preds / sizeof *preds);
        v->constant = rnd(2);
        v->imm = constant(op);
        put_value(n, v);
    }
    for (unsigned k = 0; k < 4; k++)
        put("store surface 1 d32x1 align 4 + %u [%%out] %%v%u\n", 4 * k, stored(k));
    put("store surface 1 d8x4 align 4 + 16 [%%out] %%v%u, %%v%u, %%v%u, %%v%u\n", stored(4),
        stored(5), stored(6), stored(7));
    put("store surface 1 d16x2 align 4 + 20 [%%out] %%v%u, %%v%u\n", stored(8), stored(9));
    put("store surface 1 d16x1 align 2 + 24 [%%out] %%v%u\n", stored(10));
    put("store surface 1 d8x1 align 1 + 28 [%%out] %%v%u\nend\n", stored(11));
}

static void expect(uint32_t *out, const uint32_t *v)
{
    for (unsigned k = 0; k < 4; k++)
        out[k] = v[stored(k)];
    for (unsigned k = 0; k < 4; k++)
        out[4] |= (v[stored(4 + k)] & 0xff) << 8 * k;
    out[5] = (v[stored(8)] & 0xffff) | v[stored(9)] << 16;
    out[6] = v[stored(10)] & 0xffff;
    out[7] = v[stored(11)] & 0xff;
}

static void check_program(unsigned seed, const char *device, unsigned simd)
{
    uint32_t want[OUT_DWORDS * ITEMS] = {0};
    rng = seed * 2654435761u | 1;
    put_program();
    if (!bench_compile(text, device, simd, true)) {
        CHECKF(false, "seed %u %s SIMD%u", seed, device, simd);
        return;
    }
    for (unsigned i = 0; i < 2 * ITEMS; i++)
        bench.mem[0][i] = rnd(4) ? rnd(0) : rnd(2) ? rnd(256) : 0x80ff7f00u + rnd(512);
    bench.push[1] = rnd(0);
    memset(bench.mem[1], 0, BENCH_BYTES);
    for (unsigned i = 0; i < ITEMS; i++) {
        uint32_t v[N_INPUTS + N_VALUES] = {bench.mem[0][2 * i], bench.mem[0][2 * i + 1], i,
                                           bench.push[1]};
        for (unsigned n = N_INPUTS; n < N_INPUTS + N_VALUES; n++)
            v[n] = compute(&values[n], v);
        expect(&want[OUT_DWORDS * i], v);
    }
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "seed %u %s SIMD%u: %s", seed, device, simd, bench.fault);
    for (unsigned i = 0; ok && i < OUT_DWORDS * ITEMS; i++) {
        ok = bench.mem[1][i] == want[i];
        CHECKF(ok, "seed %u %s SIMD%u: item %u dword %u: 0x%x, not 0x%x", seed, device, simd,
               i / OUT_DWORDS, i % OUT_DWORDS, bench.mem[1][i], want[i]);
    }
}

int main(int argc, char **argv)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2", "bxt-3x6"};
    unsigned first = argc > 1 ? strtoul(argv[1], NULL, 0) : 1,
             n = argc > 2 ? strtoul(argv[2], NULL, 0) : 500;
    bench.seed = 5;
    for (unsigned seed = first; seed < first + n; seed++) {
        const char *device = devices[seed % (sizeof devices / sizeof *devices)];
        check_program(seed, device, 16);
        check_program(seed, device, 32);
        check_program(seed, device, 8);
    }
    return utest_end();
}
