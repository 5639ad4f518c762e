/* Memory operations of every shape: what a load gives and a store leaves must be what the same
 * bytes are in C, for each address space, component size, count and alignment, in lanes and
 * uniform. Atomics, barriers, local memory, and where the work-item is. */
#include "cg_bench.h"

enum { ITEMS = 27, STEP = 96 };

static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2", "bxt-3x6"};
enum { N_DEVICES = sizeof devices / sizeof *devices };

static const struct shape {
    unsigned size, n, align;
} shapes[] = {{4, 1, 4},   {4, 2, 8}, {4, 3, 4}, {4, 4, 16}, {4, 5, 4}, {4, 8, 16}, {4, 16, 4},
              {2, 1, 2},   {2, 2, 2}, {2, 2, 4}, {2, 3, 2},  {2, 4, 8}, {2, 3, 4},  {2, 16, 4},
              {1, 1, 1},   {1, 2, 1}, {1, 2, 2}, {1, 3, 1},  {1, 3, 4}, {1, 4, 4},  {1, 4, 1},
              {1, 16, 16}, {1, 7, 1}, {4, 1, 1}, {4, 2, 2},  {2, 2, 1}, {2, 5, 1},  {1, 16, 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static const char *space_name(unsigned space)
{
    static const char *const names[] = {"surface 0", "slm", "a64", "window 4"};
    return names[space];
}

static const char header[] =
    "fn k push 32\nsurface arg 0 written\nsurface arg 1 written\nsurface arg 2\n"
    "surface arg 3\nsurface window0 0 written\nsurface window1 0 written\nb0:\n"
    "%id:i32 = local_id 0\n";

/* The memory that a space shows to an item: odd ones have theirs behind the windows' border. */
static uint8_t *memory(unsigned space, unsigned item)
{
    return space == 1 ? bench.slm : (uint8_t *)bench.mem[space == 3 && item & 1 ? 2 : 0];
}

/* Makes `name` the address of byte `value` of the space's memory. */
static int address(char *to, size_t size, unsigned space, const char *name, const char *value)
{
    if (space < 2)
        return snprintf(to, size, "%%%s:i32 = mov %s\n", name, value);
    if (space == 3 && strcmp(value, "%u"))
        return snprintf(to, size,
                        "%%b1:i32 = and %%id, 1\n%%b2:i32 = shl %%b1, 17\n%%b3:i32 = add %%b2, %s\n"
                        "%%%s:i32 = add %%b3, 0x%x\n",
                        value, name, BENCH_ADDRESS(0));
    return snprintf(to, size, "%%%s:i32 = add %s, 0x%x\n", name, value, BENCH_ADDRESS(0));
}

static uint32_t low(uint32_t v, unsigned size)
{
    return size == 4 ? v : v & ((1u << 8 * size) - 1);
}

/* Loads n components at STEP * id (or at 2 * STEP), adds one to each of a set, stores them to
 * surface 1. */
static void check_load(const struct shape *sh, unsigned space, unsigned d, unsigned simd,
                       bool uniform, int offset, unsigned set)
{
    char text[8192];
    unsigned unaligned = sh->align < 4 ? sh->align : 0;
    int at = snprintf(text, sizeof text,
                      "%s%%u:i32 = param 0\n%%v:i32 = mul %%id, %u\n%%w:i32 = add %%v, %u\n",
                      header, STEP, 128 + unaligned);
    at += address(text + at, sizeof text - at, space, "a", uniform ? "%u" : "%w");
    for (unsigned c = 0; c < sh->n; c++)
        at += snprintf(text + at, sizeof text - at, "%s%%l%u:i32", c ? ", " : "", c);
    at += snprintf(text + at, sizeof text - at,
                   " = load %s d%ux%u align %u %c %d [%%a%s]\n%%t:i32 = shl %%id, 6\n",
                   space_name(space), sh->size * 8, sh->n, sh->align, offset < 0 ? '-' : '+',
                   abs(offset), space == 2 ? ", 0" : "");
    for (unsigned c = 0; c < sh->n; c++)
        if (set >> c & 1)
            at += snprintf(
                text + at, sizeof text - at,
                "%%p%u:i32 = add %%l%u, 1\nstore surface 1 d32x1 align 4 + %u [%%t] %%p%u\n", c, c,
                4 * c, c);
    snprintf(text + at, sizeof text - at, "end\n");
    if (!bench_compile(text, devices[d], simd, true)) {
        CHECK(!"compiled");
        return;
    }
    for (unsigned i = 0; i < 2 * 8192; i++)
        memory(space, i / 8192)[i % 8192] = bench_random();
    bench.push[0] = 128 + 2 * STEP + unaligned + (space == 3 && simd == 16 ? 0x20000 : 0);
    memset(bench.mem[1], 0xee, 8192);
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "%s %s d%ux%u align %u: %s", devices[d], space_name(space), sh->size * 8, sh->n,
           sh->align, bench.fault);
    for (unsigned i = 0; ok && i < ITEMS * sh->n; i++) {
        unsigned item = i / sh->n, c = i % sh->n;
        const uint8_t *from = memory(space, uniform ? simd == 16 : item) + 128 +
                              (uniform ? 2 : item) * STEP + unaligned + offset + c * sh->size;
        if (!(set >> c & 1))
            continue;
        uint32_t want = 0, got = bench.mem[1][16 * item + c] - 1;
        memcpy(&want, from, sh->size);
        CHECKF(low(got, sh->size) == want,
               "%s SIMD%u %s d%ux%u align %u%s: item %u component %u: 0x%x, not 0x%x", devices[d],
               simd, space_name(space), sh->size * 8, sh->n, sh->align, uniform ? " uniform" : "",
               item, c, got, want);
    }
}

/* Stores id * 0x01030507 + c in each component; everything around it must stay. */
static void check_store(const struct shape *sh, unsigned space, unsigned d, unsigned simd,
                        bool constant)
{
    char text[8192];
    static uint8_t want[2][8192];
    unsigned unaligned = sh->align < 4 ? sh->align : 0;
    int at = snprintf(
        text, sizeof text,
        "%s%%v:i32 = mul %%id, %u\n%%w:i32 = add %%v, %u\n%%x:i32 = mul %%id, 0x01030507\n", header,
        STEP, 128 + unaligned);
    at += address(text + at, sizeof text - at, space, "a", "%w");
    for (unsigned c = 0; c < sh->n; c++)
        at += snprintf(text + at, sizeof text - at, "%%l%u:i32 = add %%x, %u\n", c, c);
    at += snprintf(text + at, sizeof text - at, "store %s d%ux%u align %u + 16 [%%a%s]",
                   space_name(space), sh->size * 8, sh->n, sh->align, space == 2 ? ", 0" : "");
    for (unsigned c = 0; c < sh->n; c++)
        at += constant && c % 2
                  ? snprintf(text + at, sizeof text - at, "%s %u", c ? "," : "", 0xabcd00 + c)
                  : snprintf(text + at, sizeof text - at, "%s %%l%u", c ? "," : "", c);
    snprintf(text + at, sizeof text - at, "\nend\n");
    if (!bench_compile(text, devices[d], simd, true)) {
        CHECK(!"compiled");
        return;
    }
    for (unsigned i = 0; i < 2 * 8192; i++)
        memory(space, i / 8192)[i % 8192] = want[i / 8192][i % 8192] = bench_random();
    if (space != 3)
        memcpy(want[0], want[1], sizeof want[0]);
    for (unsigned i = 0; i < ITEMS * sh->n; i++) {
        unsigned item = i / sh->n, c = i % sh->n;
        uint32_t v = constant && c % 2 ? 0xabcd00 + c : item * 0x01030507u + c;
        memcpy(want[space == 3 && item & 1] + 128 + item * STEP + unaligned + 16 + c * sh->size, &v,
               sh->size);
    }
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "%s %s d%ux%u align %u: %s", devices[d], space_name(space), sh->size * 8, sh->n,
           sh->align, bench.fault);
    CHECKF(!ok || (!memcmp(memory(space, 0), want[0], 8192) &&
                   (space != 3 || !memcmp(memory(3, 1), want[1], 8192))),
           "%s SIMD%u store %s d%ux%u align %u", devices[d], simd, space_name(space), sh->size * 8,
           sh->n, sh->align);
}

static void check_atomics(unsigned space, unsigned d, unsigned simd)
{
    static const struct {
        const char *name, *data;
        uint32_t start;
    } rows[] = {{"add", "%x", 7},       {"sub", "%x", 7},  {"inc", "", 7},    {"dec", "", 7},
                {"and", "%x", 0xfff7},  {"or", "%x", 1},   {"xor", "%x", 99}, {"mov", "%x", 5},
                {"imax", "%x", 9},      {"imin", "%x", 9}, {"umax", "%x", 9}, {"umin", "%x", 9},
                {"cmpwr", "%id, %x", 3}};
    static const uint8_t ops[] = {ATOMIC_ADD,  ATOMIC_SUB,  ATOMIC_INC,  ATOMIC_DEC,  ATOMIC_AND,
                                  ATOMIC_OR,   ATOMIC_XOR,  ATOMIC_MOV,  ATOMIC_IMAX, ATOMIC_IMIN,
                                  ATOMIC_UMAX, ATOMIC_UMIN, ATOMIC_CMPWR};
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        char text[4096];
        int at = snprintf(text, sizeof text,
                          "%s%%x:i32 = mul %%id, 3\n%%c:i32 = add %%id, 0\n%%h:i32 = lshr %%id, "
                          "1\n%%w:i32 = shl %%h, 2\n",
                          header);
        at += address(text + at, sizeof text - at, space, "a", "%w");
        const char *hi = space == 2 ? ", 0" : "";
        at += snprintf(text + at, sizeof text - at,
                       "%%o:i32 = atomic %s %s d32x1 align 4 [%%a%s] %s\n%%t:i32 = shl %%id, 2\n"
                       "store surface 1 d32x1 align 4 [%%t] %%o\natomic %s %s d32x1 align 4 + 1024 "
                       "[%%a%s] %s\nend\n",
                       space_name(space), rows[n].name, hi, rows[n].data, space_name(space),
                       rows[n].name, hi, rows[n].data);
        if (!bench_compile(text, devices[d], simd, true)) {
            CHECK(!"compiled");
            continue;
        }
        uint32_t want[2][1024];
        for (unsigned i = 0; i < 2 * 1024; i++)
            ((uint32_t *)memory(space, i / 1024))[i % 1024] = want[i / 1024][i % 1024] =
                rows[n].start;
        bool ok = bench_run(ITEMS);
        CHECKF(ok, "%s %s atomic %s: %s", devices[d], space_name(space), rows[n].name, bench.fault);
        for (unsigned i = 0; ok && i < ITEMS; i++) {
            bool cmp = ops[n] == ATOMIC_CMPWR;
            uint32_t *w = want[space == 3 && i & 1], old = w[i / 2];
            w[i / 2] = w[256 + i / 2] = bench_atomic(ops[n], old, cmp ? i : 3 * i, 3 * i);
            CHECKF(bench.mem[1][i] == old, "%s SIMD%u %s atomic %s: item %u got %u, not %u",
                   devices[d], simd, space_name(space), rows[n].name, i, bench.mem[1][i], old);
        }
        CHECKF(!ok || (!memcmp(memory(space, 0), want[0], 4096) &&
                       (space != 3 || !memcmp(memory(3, 1), want[1], 4096))),
               "%s SIMD%u %s atomic %s", devices[d], simd, space_name(space), rows[n].name);
    }
}

/* Each item leaves a value in local memory for the item that mirrors it. */
static void check_barrier(unsigned d, unsigned simd)
{
    char text[4096];
    unsigned items = 8 * simd;
    snprintf(text, sizeof text,
             "%s%%t:i32 = shl %%id, 2\n%%x:i32 = mul %%id, 7\nstore slm d32x1 align 4 [%%t] "
             "%%x\nbarrier 1\n"
             "%%m:i32 = sub %u, %%id\n%%n:i32 = shl %%m, 2\n%%o:i32 = load slm d32x1 align 4 "
             "[%%n]\nbarrier 3\n"
             "store slm d32x1 align 4 [%%n] %%id\nbarrier 1\n%%p:i32 = load slm d32x1 align 4 "
             "[%%t]\nfence 3\n"
             "%%q:i32 = mul %%p, 100\n%%r:i32 = add %%q, %%o\nstore surface 1 d32x1 align 4 [%%t] "
             "%%r\nend\n",
             header, items - 1);
    bool ok = bench_compile(text, devices[d], simd, true) && bench_run(items);
    CHECKF(ok, "%s barrier: %s", devices[d], bench.fault);
    for (unsigned i = 0; ok && i < items; i++)
        CHECKF(bench.mem[1][i] == (items - 1 - i) * 107, "%s SIMD%u: item %u: %u", devices[d], simd,
               i, bench.mem[1][i]);
}

static void check_place(unsigned d, unsigned simd)
{
    static const char *const values[] = {"group_id 0", "group_id 1", "group_id 2", "local_id 0",
                                         "local_id 1", "local_id 2", "lane_id",    "thread_slot",
                                         "simd_width", "param 0",    "param 28"};
    enum { N = sizeof values / sizeof *values };
    char text[4096];
    int at = snprintf(text, sizeof text, "%s%%t:i32 = shl %%id, 6\n", header);
    for (unsigned n = 0; n < N; n++)
        at += snprintf(text + at, sizeof text - at,
                       "%%v%u:i32 = %s\nstore surface 1 d32x1 align 4 + %u [%%t] %%v%u\n", n,
                       values[n], 4 * n, n);
    snprintf(text + at, sizeof text - at, "end\n");
    bench.push[0] = 1234;
    bench.push[7] = 4321;
    bool ok = bench_compile(text, devices[d], simd, true) && bench_run(ITEMS);
    CHECKF(ok, "%s: %s", devices[d], bench.fault);
    for (unsigned i = 0; ok && i < ITEMS; i++) {
        const uint32_t want[N] = {5,    6,    7,   i, 100 + i % 7, 3, i % simd, 0x40 + i / simd,
                                  simd, 1234, 4321};
        for (unsigned n = 0; n < N; n++)
            CHECKF(bench.mem[1][16 * i + n] == want[n], "%s SIMD%u %s: item %u: %u, not %u",
                   devices[d], simd, values[n], i, bench.mem[1][16 * i + n], want[n]);
    }
}

int main(void)
{
    bench.seed = 7;
    for (unsigned d = 0; d < N_DEVICES; d++) {
        bool a64 = gen_device_by_name(devices[d])->gen >= 80;
        for (unsigned simd = 8; simd <= 32; simd *= 2) {
            for (unsigned space = 0; space < 4; space++) {
                if ((space == 2 && !a64) || (space == 3 && a64))
                    continue;
                for (unsigned n = 0; n < N_SHAPES; n++) {
                    check_load(&shapes[n], space, d, simd, false, 48, ~0u);
                    check_load(&shapes[n], space, d, simd, false, -32, ~0u);
                    check_load(&shapes[n], space, d, simd, true, 0, ~0u);
                    check_load(&shapes[n], space, d, simd, true, 16, ~0u);
                    if (shapes[n].n > 1) { /* holes in front, between, behind */
                        check_load(&shapes[n], space, d, simd, false, 0, 0x9292);
                        check_load(&shapes[n], space, d, simd, false, 0, 0x6d6d);
                        check_load(&shapes[n], space, d, simd, true, 0, 0x5555);
                    }
                    check_store(&shapes[n], space, d, simd, false);
                    check_store(&shapes[n], space, d, simd, true);
                }
                check_atomics(space, d, simd);
            }
            check_barrier(d, simd);
            check_place(d, simd);
        }
    }
    return utest_end();
}
