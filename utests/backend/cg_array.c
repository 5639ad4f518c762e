/* Private arrays in registers: random programs of loads and stores with constant, uniform and
 * varying indices, of dwords, words and bytes, in all lanes or some, beside a model in C. Lanes
 * that are off must keep what they have, and nothing but the array may change. */
#include "cg_bench.h"

enum { ITEMS = 27, MAX_BYTES = 96, N_OPS = 14, N_PROGRAMS = 24, OUT = 128 };

static const char *const devices[] = {"ivb-gt2", "byt", "hsw-gt2", "bdw-gt2", "chv", "skl-gt2"};
enum { N_DEVICES = sizeof devices / sizeof *devices };

struct program {
    char text[32768];
    int at;
    unsigned n_values, n_blocks, n_arrays, bytes;
    uint8_t mem[2][ITEMS][MAX_BYTES];
    uint32_t sum[ITEMS];
    char sum_name[16];
};

static unsigned pick(unsigned n)
{
    return bench_random() / 7 % n;
}

static void put(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct program *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    p->at += vsnprintf(p->text + p->at, sizeof p->text - (size_t)p->at, fmt, args);
    va_end(args);
    REQUIRE(p->at < (int)sizeof p->text);
}

/* What an operand of item i is: varying, uniform or constant. */
struct operand {
    char name[16];
    unsigned kind;
    uint32_t factor, add, mask;
};

static uint32_t value(const struct operand *o, unsigned i)
{
    uint32_t x = o->kind == 0 ? i : o->kind == 1 ? bench.push[0] : 0;
    return (x * o->factor + o->add) & o->mask;
}

static struct operand make(struct program *p, uint32_t mask)
{
    struct operand o = {"", pick(3), 1 + 2 * pick(5), pick(1000), mask};
    if (o.kind == 2) {
        snprintf(o.name, sizeof o.name, "%u", value(&o, 0));
        return o;
    }
    unsigned v = p->n_values++;
    put(p, "%%m%u:i32 = mul %s, %u\n%%a%u:i32 = add %%m%u, %u\n%%v%u:i32 = and %%a%u, 0x%x\n", v,
        o.kind ? "%u" : "%id", o.factor, v, v, o.add, v, v, mask);
    snprintf(o.name, sizeof o.name, "%%v%u", v);
    return o;
}

static void operation(struct program *p)
{
    unsigned size = 1u << pick(3), array = pick(p->n_arrays), quarter = p->bytes / 4;
    bool is_store = pick(2), some = is_store && pick(2), plus = pick(2);
    /* A range of half the array, and an offset of up to a quarter in either direction. */
    struct operand at = make(p, (p->bytes / 2 - 1) & ~(size - 1)), x = make(p, 0xffffffff);
    int offset = plus ? (int)(pick(quarter) & ~(size - 1)) : 0, far = 0;
    unsigned b = p->n_blocks;
    if (pick(3) == 0) { /* from behind */
        unsigned v = p->n_values++;
        far = (int)(quarter & ~(size - 1));
        put(p, "%%v%u:i32 = add %s, %d\n", v, at.name, far);
        snprintf(at.name, sizeof at.name, "%%v%u", v);
        offset -= far;
    }
    if (some) {
        put(p, "%%c%u:i32 = and %%id, 3\n%%p%u:i1 = icmp.ne %%c%u, 0\n", b, b, b);
        put(p, "branch %%p%u, b%u, b%u merge b%u\nb%u:\n", b, b, b + 1, b + 1, b);
        p->n_blocks += 2;
    }
    if (is_store) {
        put(p, "store array %u d%ux1 align %u %c %d [%s] %s\n", array, 8 * size, size,
            offset < 0 ? '-' : '+', abs(offset), at.name, x.name);
    } else {
        unsigned v = p->n_values++;
        put(p, "%%l%u:i32 = load array %u d%ux1 align %u %c %d [%s]\n", v, array, 8 * size, size,
            offset < 0 ? '-' : '+', abs(offset), at.name);
        put(p,
            "%%w%u:i32 = and %%l%u, 0x%x\n%%x%u:i32 = mul %s, 31\n%%s%u:i32 = add %%x%u, %%w%u\n",
            v, v, size == 4 ? ~0u : (1u << 8 * size) - 1, v, p->sum_name, v, v, v);
        snprintf(p->sum_name, sizeof p->sum_name, "%%s%u", v);
    }
    if (some)
        put(p, "jump b%u\nb%u:\n", b + 1, b + 1);
    for (unsigned i = 0; i < ITEMS; i++) {
        uint8_t *to = p->mem[array][i] + value(&at, i) + far + offset;
        uint32_t v = value(&x, i);
        if (is_store && some && i % 4 == 0)
            continue;
        if (is_store) {
            memcpy(to, &v, size);
        } else {
            v = 0;
            memcpy(&v, to, size);
            p->sum[i] = p->sum[i] * 31 + v;
        }
    }
}

static void make_program(struct program *p)
{
    static const unsigned sizes[] = {16, 32, 64, MAX_BYTES};
    memset(p, 0, sizeof *p);
    p->bytes = sizes[pick(4)];
    p->n_arrays = p->bytes > 32 ? 1 : 2;
    p->n_blocks = 1;
    put(p, "fn k push 32\nsurface arg 0 written\n");
    for (unsigned a = 0; a < p->n_arrays; a++)
        put(p, "array %u\n", p->bytes);
    put(p, "b0:\n%%id:i32 = local_id 0\n%%u:i32 = param 0\n%%to:i32 = shl %%id, 7\n");
    for (unsigned a = 0; a < p->n_arrays; a++) {
        for (unsigned k = 0; k < p->bytes; k += 4) {
            unsigned v = p->n_values++;
            put(p, "%%i%u:i32 = mul %%id, 0x%x\nstore array %u d32x1 align 4 [%u] %%i%u\n", v,
                0x01020305 + k + a, a, k, v);
            for (unsigned i = 0; i < ITEMS; i++)
                memcpy(p->mem[a][i] + k, &(uint32_t){i * (0x01020305 + k + a)}, 4);
        }
    }
    strcpy(p->sum_name, "%id");
    for (unsigned i = 0; i < ITEMS; i++)
        p->sum[i] = i;
    for (unsigned n = 0; n < N_OPS; n++)
        operation(p);
    put(p, "store surface 0 d32x1 align 4 + %u [%%to] %s\n", OUT - 4, p->sum_name);
    for (unsigned a = 0; a < p->n_arrays; a++) {
        for (unsigned k = 0; k < p->bytes; k += 8) { /* two at a time */
            put(p, "%%e%u_%u:i32, %%f%u_%u:i32 = load array %u d32x2 align 4 [%u]\n", a, k, a, k, a,
                k);
            put(p, "store surface 0 d32x2 align 4 + %u [%%to] %%e%u_%u, %%f%u_%u\n",
                a * p->bytes + k, a, k, a, k);
        }
    }
    put(p, "end\n");
}

static void check_program(const struct program *p, const char *device, unsigned simd)
{
    if (!bench_compile(p->text, device, simd, true)) {
        CHECK(!"compiled");
        return;
    }
    memset(bench.mem[0], 0xee, ITEMS * OUT);
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "%s SIMD%u: %s\n%s", device, simd, bench.fault, p->text);
    bool same = true;
    for (unsigned i = 0; ok && same && i < ITEMS; i++) {
        const uint8_t *got = (const uint8_t *)bench.mem[0] + i * OUT;
        uint32_t sum;
        memcpy(&sum, got + OUT - 4, 4);
        same = sum == p->sum[i];
        for (unsigned a = 0; a < p->n_arrays; a++)
            same &= !memcmp(got + a * p->bytes, p->mem[a][i], p->bytes);
        CHECKF(same, "%s SIMD%u: item %u: sum 0x%x, not 0x%x\n%s", device, simd, i, sum, p->sum[i],
               p->text);
    }
}

/* Outside of the array is nothing: a constant index there must not end the build. */
static void check_outside(const char *device)
{
    static const char text[] = "fn k push 32\nsurface arg 0 written\narray 8\nb0:\n"
                               "%id:i32 = local_id 0\n%to:i32 = shl %id, 2\n"
                               "store array 0 d32x1 align 4 [8] %id\n"
                               "store array 0 d32x1 align 4 - 4 [0] %id\n"
                               "store array 0 d32x1 align 4 [4] %id\n"
                               "%x:i32 = load array 0 d32x1 align 4 + 4 [0]\n"
                               "store surface 0 d32x1 align 4 [%to] %x\nend\n";
    CHECK(bench_compile(text, device, 0, true));
    CHECK(bench_run(ITEMS));
    for (unsigned i = 0; i < ITEMS; i++)
        CHECK(bench.mem[0][i] == i);
}

/* More rows than registers: they must lie elsewhere, which is for the caller to see to. */
static void check_too_many(const char *device)
{
    static const char text[] = "fn k push 32\nsurface arg 0 written\narray 512\nb0:\n"
                               "%id:i32 = local_id 0\n%at:i32 = shl %id, 2\n"
                               "store array 0 d32x1 align 4 [%at] %id\n"
                               "%x:i32 = load array 0 d32x1 align 4 + 4 [%at]\n"
                               "store surface 0 d32x1 align 4 [%at] %x\nend\n";
    const char *why = NULL;
    struct cc_log log = {0};
    struct ir_fn *fn = ir_parse(text, gen_device_by_name(device), &why);
    REQUIRE(fn && !ir_check(fn));
    uniform_run(fn);
    CHECK(codegen_kernel(fn, gen_device_by_name(device), fn->out, &log) == CODEGEN_ARRAYS);
    CHECK(!log.text);
}

/* A value that a loop carries shares a register with the one it was before: that is where lanes
 * that are off write to. */
static void check_carried(const char *device, unsigned simd)
{
    static const char text[] =
        "fn k push 32\nsurface arg 0 written\narray 16\nb0:\n"
        "%id:i32 = local_id 0\n%to:i32 = shl %id, 4\n%odd:i32 = and %id, 1\n"
        "%p:i1 = icmp.ne %odd, 0\nstore array 0 d32x4 align 4 [0] 0, 0, 0, 0\njump b1\n"
        "b1: preds b0 b3\n%a:i32 = phi b0 %id, b3 %c\n%k:i32 = phi b0 0, b3 %n\n"
        "%m:i32 = shl %a, 2\n%at:i32 = and %m, 12\n%c:i32 = add %a, 3\n"
        "branch %p, b2, b3 merge b3\n"
        "b2: preds b1\nstore array 0 d32x1 align 4 [%at] %c\njump b3\n"
        "b3: preds b1 b2\n%n:i32 = add %k, 1\n%q:i1 = icmp.ult %n, 3\nloop %q, b1, b4\n"
        "b4: preds b3\n%w:i32, %x:i32, %y:i32, %z:i32 = load array 0 d32x4 align 4 [0]\n"
        "store surface 0 d32x4 align 4 [%to] %w, %x, %y, %z\nend\n";
    CHECK(bench_compile(text, device, simd, true));
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "%s SIMD%u: %s", device, simd, bench.fault);
    for (unsigned i = 0; ok && i < ITEMS; i++) {
        uint32_t want[4] = {0};
        for (unsigned k = 0, a = i; i % 2 && k < 3; k++, a += 3)
            want[a % 4] = a + 3;
        CHECKF(!memcmp(&bench.mem[0][4 * i], want, sizeof want), "%s SIMD%u: item %u", device, simd,
               i);
    }
}

int main(void)
{
    static struct program p;
    for (unsigned n = 0; n < N_PROGRAMS; n++) {
        bench.push[0] = 3 + 5 * n;
        bench.seed = 77 * n + 1;
        make_program(&p);
        for (unsigned d = 0; d < N_DEVICES; d++) {
            check_program(&p, devices[d], 8);
            check_program(&p, devices[d], 16);
            check_program(&p, devices[d], 32);
        }
    }
    for (unsigned d = 0; d < N_DEVICES; d++) {
        check_carried(devices[d], 8);
        check_carried(devices[d], 16);
        check_outside(devices[d]);
        check_too_many(devices[d]);
    }
    return utest_end();
}
