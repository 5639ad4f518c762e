/* What the driver itself reads of SPIR-V: a module's constants are found, sized and set; mutated
 * modules are refused, or read within their bounds. The words are the SPIR-V specification's. */
#include "src/core/spirv.h"
#include "fuzz.h"

#define INSN(op, n) ((uint32_t)(n) << 16 | (op))

/* Constants: number 1 a boolean, 2 a char (signed), 3 a ushort, 4 an int, 5 a long, 6 a double. */
static const uint32_t module[] = {
    0x07230203,  0x10000,     0,           32, 0,           INSN(17, 2),
    6,                                        /* OpCapability Kernel */
    INSN(71, 4), 21,          1,           1, /* OpDecorate %21 SpecId 1 */
    INSN(71, 4), 22,          1,           2,  INSN(71, 4), 23,
    1,           3,           INSN(71, 4), 24, 1,           4,
    INSN(71, 4), 25,          1,           5,  INSN(71, 4), 26,
    1,           6,           INSN(71, 4), 27, 1,           4, /* a second constant with number 4 */
    INSN(71, 4), 28,          1,           9,                  /* and a number without a constant */
    INSN(20, 2), 1,                                            /* OpTypeBool */
    INSN(21, 4), 2,           8,           1,  INSN(21, 4), 3,
    16,          0,           INSN(21, 4), 4,  32,          0,
    INSN(21, 4), 5,           64,          0,  INSN(22, 3), 6,
    64,                                       /* OpTypeFloat 64 */
    INSN(49, 3), 1,           21,             /* OpSpecConstantFalse */
    INSN(50, 4), 2,           22,          7, /* OpSpecConstant */
    INSN(50, 4), 3,           23,          7,  INSN(50, 4), 4,
    24,          7,           INSN(50, 5), 5,  25,          7,
    0,           INSN(50, 5), 6,           26, 0,           0,
    INSN(50, 4), 4,           27,          7,
};
enum { N = sizeof module / sizeof module[0] };

static void constants(void)
{
    static const size_t sizes[] = {0, 1, 1, 2, 4, 8, 8, 0, 0, 0};
    enum spirv_refusal why;
    uint32_t *m = spirv_copy(module, sizeof module, &why);
    REQUIRE(m && spirv_has_constants(m, sizeof module));
    for (uint32_t id = 0; id < 10; id++)
        CHECKF(spirv_constant_size(m, sizeof module, id) == sizes[id], "constant %u", id);
    int8_t c = -3;
    uint16_t s = 0xfffe;
    uint32_t i = 0x87654321;
    uint64_t l = 0x1122334455667788;
    double d = -1.5;
    bool yes = true;
    uint32_t expected[N];
    memcpy(expected, module, sizeof module);
    const struct {
        uint32_t id;
        const void *value;
    } set[] = {{1, &yes}, {2, &c}, {3, &s}, {4, &i}, {5, &l}, {6, &d}};
    for (unsigned k = 0; k < 6; k++)
        spirv_set_constant(m, sizeof module, set[k].id, set[k].value);
    /* Counted from the end of the module, whose last instructions the constants are. */
    expected[N - 29] = INSN(48, 3);
    expected[N - 23] = 0xfffffffd; /* signed: by its sign */
    expected[N - 19] = 0xfffe;     /* not signed */
    expected[N - 15] = i;
    expected[N - 11] = 0x55667788;
    expected[N - 10] = 0x11223344;
    expected[N - 6] = 0;
    expected[N - 5] = 0xbff80000;
    expected[N - 1] = i;
    for (unsigned k = 0; k < N; k++)
        CHECKF(m[k] == expected[k], "word %u of %u: %#x, not %#x", k, (unsigned)N, m[k],
               expected[k]);
    bool no = false;
    spirv_set_constant(m, sizeof module, 1, &no);
    CHECK(m[N - 29] == INSN(49, 3));
    free(m);
}

static void byte_orders(void)
{
    uint32_t swapped[N];
    enum spirv_refusal why;
    for (unsigned i = 0; i < N; i++)
        swapped[i] = __builtin_bswap32(module[i]);
    uint32_t *m = spirv_copy(swapped, sizeof swapped, &why);
    REQUIRE(m);
    CHECK(!memcmp(m, module, sizeof module));
    free(m);
    CHECK(!spirv_copy(module, sizeof module - 4, &why) && why == SPIRV_MALFORMED);
    CHECK(!spirv_copy(module, 16, &why) && why == SPIRV_MALFORMED);
}

static void mutated(void)
{
    unsigned long taken = 0, n = 0;
    for (; fuzz_goes_on(n, 200000); n++) {
        size_t size;
        enum spirv_refusal why;
        uint8_t *bytes = fuzz_mutate((const uint8_t *)module, sizeof module, &size);
        uint32_t *m = spirv_copy(bytes, size, &why);
        free(bytes);
        if (!m)
            continue;
        taken++;
        for (uint32_t id = 0; id < 10; id++) {
            size_t has = spirv_constant_size(m, size, id);
            CHECK(has <= 8);
            if (!has)
                continue;
            uint8_t *value = memset(malloc(has), 0xa5, has); /* as large as it says */
            spirv_set_constant(m, size, id, value);
            free(value);
        }
        free(m);
    }
    CHECKF(taken > n / 100, "%lu of %lu taken", taken, n);
}

int main(void)
{
    constants();
    byte_orders();
    mutated();
    return utest_end();
}
