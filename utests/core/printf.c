/* What printf's records become, without a GPU: formats of any kind, records of any kind, and random
 * ones of both, of which nothing may be read outside the buffer (to be run under the address
 * sanitiser too). What conversions print, utests/cl/printf.c compares with the C library. */
#include "src/core/printf.h"
#include "gen/fmt.h"

#include "utest.h"

enum { WORDS = 256, HEADER = KBIN_PRINTF_RECORDS / 4 };

static uint32_t buffer[HEADER + WORDS];
static unsigned n_words;
enum { STRINGS_SIZE = 20 }; /* up to the comma */
static char strings[] = "one\0two\0unterminated, and behind it";
static struct kbin program;

/* Prints what has been put into the buffer. */
static char *print(void)
{
    static char *text;
    size_t size;
    free(text);
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    printf_records(out, &program, buffer, sizeof buffer);
    fclose(out);
    return text;
}

static void begin(void)
{
    memset(buffer, 0, sizeof buffer);
    n_words = 0;
}

static void put(uint32_t word)
{
    REQUIRE(n_words < WORDS);
    buffer[HEADER + n_words++] = word;
    buffer[KBIN_PRINTF_TAKEN / 4] = n_words * 4;
}

static void put_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    put(bits);
}

#define CHECK_TEXT(expected)                                                                       \
    do {                                                                                           \
        const char *got_ = print();                                                                \
        CHECKF(!strcmp(got_, expected), "\"%s\" instead of \"%s\"", got_, expected);               \
    } while (0)

/* ---- the grammar of formats ---- */

static const struct {
    const char *text;
    struct fmt_spec spec;
    unsigned used; /* characters */
} specs[] = {
    {"%d", {.kind = FMT_SIGNED, .conversion = 'd', .precision = -1}, 2},
    {"%-08.3lx", {FMT_UNSIGNED, 'x', 64, 0, "-0", 8, 3}, 8},
    {"%4.1v2hlf!", {FMT_FLOAT, 'f', 32, 2, "", 4, 1}, 9},
    {"%.v16hhu", {FMT_UNSIGNED, 'u', 8, 16, "", 0, 0}, 8},
    {"%00++d", {FMT_SIGNED, 'd', 0, 0, "0+", 0, -1}, 6},
    {"%v3hi", {FMT_SIGNED, 'i', 16, 3, "", 0, -1}, 5},
    {"%s", {FMT_STRING, 's', 0, 0, "", 0, -1}, 2},
    {"%-5p", {FMT_POINTER, 'p', 0, 0, "-", 5, -1}, 4},
    {"%c", {FMT_CHAR, 'c', 0, 0, "", 0, -1}, 2},
    {"%%", {FMT_PERCENT, '%', 0, 0, "", 0, -1}, 2},
    {"%99999999999999999999d", {FMT_SIGNED, 'd', 0, 0, "", FMT_MAX_NUMBER, -1}, 22},
    {"%.5000d", {FMT_SIGNED, 'd', 0, 0, "", 0, FMT_MAX_NUMBER}, 7},
};

/* None of OpenCL's: the '%' stands for itself. */
static const char *const no_specs[] = {"%",    "%n",    "%*d",   "%1$d",  "%v5d", "%v", "%v2s",
                                       "%v2c", "%v4p",  "%ls",   "%hhc",  "%q",   "%.", "%-",
                                       "%vd",  "%v32d", "%v2 d", "%hhhd", "%l"};

static void grammar(void)
{
    for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct fmt_spec s;
        const char *end = fmt_parse(specs[i].text, &s);
        CHECKF(end == specs[i].text + specs[i].used, "%s", specs[i].text);
        const struct fmt_spec *e = &specs[i].spec;
        CHECKF(s.kind == e->kind && s.conversion == e->conversion && s.bits == e->bits &&
                   s.n == e->n && !strcmp(s.flags, e->flags) && s.width == e->width &&
                   s.precision == e->precision,
               "%s", specs[i].text);
    }
    for (unsigned i = 0; i < sizeof no_specs / sizeof *no_specs; i++) {
        struct fmt_spec s;
        CHECKF(fmt_parse(no_specs[i], &s) == no_specs[i] + 1 && s.kind == FMT_TEXT, "%s",
               no_specs[i]);
    }
}

/* ---- records ---- */

enum { PLAIN, INT, PAIR, STRING, WIDE, LONG_TEXT, MISMATCH, NO_LENGTH, FLOATS, N_ROWS };
static struct kbin_printf_arg one_int[] = {{32, 1}}, pair[] = {{8, 1}, {64, 1}},
                              wide[] = {{64, 16}},
                              mixed[] = {{64, 1}, {32, 2}, {32, 1}, {32, 1}, {32, 1}},
                              bytes[] = {{8, 3}, {64, 2}};
static struct kbin_printf rows[N_ROWS] = {
    [PLAIN] = {"plain\n", NULL, 0},
    [INT] = {"<%d>", one_int, 1},
    [PAIR] = {"%hhd %ld;", pair, 2},
    [STRING] = {"[%s|%.2s|%5s]", (struct kbin_printf_arg[]){{32, 1}, {32, 1}, {32, 1}}, 3},
    [WIDE] = {"%v16lx", wide, 1},
    [LONG_TEXT] = {"%5%|%d %d %q%", one_int, 1},
    [MISMATCH] = {"%d %v4hld %v2ld %ld %lx", mixed, 5},
    [NO_LENGTH] = {"%v3d %v2u", bytes, 2},
    [FLOATS] = {"%.3f|%v2hlg|%.17le", (struct kbin_printf_arg[]){{32, 1}, {32, 2}, {64, 1}}, 3},
};

static void records(void)
{
    begin();
    CHECK_TEXT("");
    put(PLAIN + 1);
    CHECK_TEXT("plain\n");
    put(INT + 1);
    put(-5u);
    put(PAIR + 1);
    put(0xfffffffe);
    put(0x89abcdef);
    put(0xffffffff);
    put(PLAIN + 1);
    CHECK_TEXT("plain\n<-5>-2 -1985229329;plain\n");

    begin(); /* strings anywhere in the constants, and not there */
    put(STRING + 1);
    put(0);
    put(4);
    put(5);
    CHECK_TEXT("[one|tw|   wo]");
    begin();
    put(STRING + 1);
    put(8);
    put(STRINGS_SIZE);
    put(0xfffffff0);
    CHECK_TEXT("[unterminated|(n|(null)]");

    begin(); /* too few arguments, unknown conversions: as they stand */
    put(LONG_TEXT + 1);
    put(7);
    CHECK_TEXT("%|7 %d %q%");

    begin(); /* of other sizes than the format's */
    put(MISMATCH + 1);
    put(1);
    put(2);
    put(3);
    put(4);
    put(5);
    put(-6u);
    put(-7u);
    CHECK_TEXT("1 3,4 5 -6 fffffff9");

    begin(); /* vectors without a length: the argument's own */
    put(NO_LENGTH + 1);
    put(0xff);
    put(1);
    put(0x80);
    put(0xffffffff);
    put(0xffffffff);
    put(1);
    put(0);
    CHECK_TEXT("-1,1,-128 18446744073709551615,1");

    begin(); /* floats and doubles, as their arguments are */
    put(FLOATS + 1);
    put_float(-1.5f);
    put_float(0.1f);
    put_float(1e-40f);
    put(0x064dd592); /* 1e22, which is no float */
    put(0x4480f0cf);
    CHECK_TEXT("-1.500|0.1,9.99995e-41|1.00000000000000000e+22");
}

/* Ends where nothing more can be right. */
static void damaged(void)
{
    begin(); /* a hole: what comes behind it isn't a record */
    put(PLAIN + 1);
    put(0);
    put(PLAIN + 1);
    CHECK_TEXT("plain\n");
    begin(); /* no such row */
    put(PLAIN + 1);
    put(N_ROWS + 1);
    put(PLAIN + 1);
    CHECK_TEXT("plain\n");
    begin();
    put(0xffffffff);
    CHECK_TEXT("");
    begin(); /* one that isn't all taken */
    put(PLAIN + 1);
    put(INT + 1);
    CHECK_TEXT("plain\n");
    begin(); /* one that goes beyond the buffer, whatever the counter says */
    for (unsigned i = 0; i < WORDS - 1; i++)
        put(PLAIN + 1);
    put(INT + 1);
    buffer[KBIN_PRINTF_TAKEN / 4] = 0xffffffff;
    buffer[KBIN_PRINTF_CAPACITY / 4] = 0xffffffff;
    CHECK(strlen(print()) == 6 * (WORDS - 1));
    begin(); /* the counter past the end, as it is when the buffer is full */
    for (unsigned i = 0; i < WORDS; i++)
        put(PLAIN + 1);
    buffer[KBIN_PRINTF_TAKEN / 4] += 4000;
    CHECK(strlen(print()) == 6 * WORDS);
    begin();
    for (unsigned i = 0; i < WORDS - 1; i++)
        put(PLAIN + 1);
    put(WIDE + 1);
    CHECK(strlen(print()) == 6 * (WORDS - 1));
}

/* ---- anything ---- */

static uint64_t seed = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % n;
}

static void fuzz(void)
{
    static const char letters[] = "%%%%%%%%ddiouxXfFeEgGaAcspvvhhll0123489.-+ #*nq$\xff";
    static const uint8_t sizes[] = {8, 16, 32, 64}, lengths[] = {1, 2, 3, 4, 8, 16};
    struct kbin_printf random_rows[8];
    struct kbin_printf_arg args[8][4];
    char formats[8][24];
    size_t all = 0;
    for (unsigned round = 0; round < 20000; round++) {
        for (unsigned r = 0; r < 8; r++) {
            unsigned n = random_below(sizeof formats[r]);
            for (unsigned i = 0; i < n; i++)
                formats[r][i] = letters[random_below(sizeof letters - 1)];
            formats[r][n] = 0;
            random_rows[r] = (struct kbin_printf){formats[r], args[r], random_below(4)};
            for (unsigned a = 0; a < 4; a++)
                args[r][a] =
                    (struct kbin_printf_arg){sizes[random_below(4)], lengths[random_below(6)]};
        }
        program.printfs = random_rows;
        program.n_printfs = 8;
        uint32_t *heap = malloc(sizeof buffer); /* so that the sanitiser sees its end */
        REQUIRE(heap);
        for (unsigned i = 0; i < HEADER + WORDS; i++)
            heap[i] = random_below(16) ? 1 + random_below(8) : random_below(UINT32_MAX);
        heap[KBIN_PRINTF_TAKEN / 4] = random_below(2) ? UINT32_MAX : random_below(8 * WORDS);
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        REQUIRE(out);
        printf_records(out, &program, heap, sizeof buffer);
        fclose(out);
        /* at most so much a character of a format, a record a word */
        CHECK(size <= (size_t)WORDS * 24 * 16 * (FMT_MAX_NUMBER + 400));
        all += size;
        free(text);
        free(heap);
    }
    CHECKF(all > 20000 * 100, "%zu characters", all);
}

int main(void)
{
    program = (struct kbin){.constants = (uint8_t *)strings,
                            .constants_size = STRINGS_SIZE,
                            .printfs = rows,
                            .n_printfs = N_ROWS};
    grammar();
    records();
    damaged();
    fuzz();
    return utest_end();
}
