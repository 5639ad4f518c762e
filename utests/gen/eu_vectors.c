/* Independent vectors (eu-vectors.tsv): instructions that Intel's assembler or Mesa's compiler
 * turned into these words. Rows of the assembler: text -> words and words -> text -> words. All
 * rows: words -> fields -> words. eu_check() accepts them but for those listed here. */
#include "gen/device.h"
#include "gen/eu.h"

#include "utest.h"

struct row {
    int gen;
    const char *text;
    uint32_t dw[4];
    unsigned n_dw;
    bool mesa; /* compiler's output, in Mesa's syntax */
};

/* Made by an assembler to show an encoding; a compiler must not emit them (eu_rule.def). */
static const struct {
    int gen;
    const char *text;
} unlawful[] = {
    {70, "mov (8|M0) r10.0<1>:f r[a0.1,-32]<1,0>:f"}, /* a0.8 */
    {75, "mov (8|M0) r10.0<1>:f r[a0.1,-32]<1,0>:f"},
    {70, "cmp (8|M0) (lt)f0.0 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"}, /* no Switch */
    {75, "cmp (8|M0) (lt)f0.0 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {70, "cmp (8|M0) (un)f0.0 null<1>:f r2.0<8;8,1>:f r2.0<8;8,1>:f"},
    {75, "cmp (8|M0) (un)f0.0 null<1>:f r2.0<8;8,1>:f r2.0<8;8,1>:f"},
    {70, "cmp (8|M0) (lt)f0.0 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {Compacted}"},
    {75, "cmp (8|M0) (lt)f0.0 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {Compacted}"},
    {70, "cmp (16|M0) (eq)f1.0 r10.0<1>:d r2.0<8;8,1>:d 0:d"}, /* SIMD16 to a register */
};

static bool is_unlawful(const struct row *r)
{
    for (size_t i = 0; i < sizeof(unlawful) / sizeof(unlawful[0]); i++) {
        if (unlawful[i].gen == r->gen && strcmp(unlawful[i].text, r->text) == 0)
            return true;
    }
    return false;
}

/* The words of an instruction, compacted if it says so. */
static unsigned words(int gen, const struct eu_insn *in, uint32_t *dw, const char **why)
{
    struct eu_bits b;
    uint64_t compact;
    if (!eu_encode(gen, in, &b, why))
        return 0;
    if (in->compact) {
        *why = "no compact form";
        if (!eu_compact(gen, &b, &compact))
            return 0;
        memcpy(dw, &compact, 8);
        return 2;
    }
    memcpy(dw, &b, 16);
    return 4;
}

static void check_words(const struct row *r, const struct eu_insn *in, const char *how)
{
    uint32_t dw[4] = {0};
    const char *why = "";
    unsigned n = words(r->gen, in, dw, &why);
    CHECKF(n == r->n_dw, "gen %d %s (%s): %s", r->gen, r->text, how, why);
    CHECKF(memcmp(dw, r->dw, 4 * r->n_dw) == 0,
           "gen %d %s (%s): %08x %08x %08x %08x, not %08x %08x %08x %08x", r->gen, r->text, how,
           dw[0], dw[1], dw[2], dw[3], r->dw[0], r->dw[1], r->dw[2], r->dw[3]);
}

static void check_row(const struct row *r)
{
    struct eu_insn in, parsed;
    const char *why = "";
    char text[256];
    unsigned size = eu_decode(r->gen, r->dw, 4 * r->n_dw, &in, &why);
    CHECKF(size == 4 * r->n_dw, "gen %d %s doesn't decode: %s", r->gen, r->text, why);
    if (!size)
        return;
    CHECK(eu_decode(r->gen, r->dw, size - 1, &parsed, &why) == 0); /* short buffer */
    check_words(r, &in, "decoded");
    int n = eu_print(r->gen, &in, text, sizeof(text));
    CHECK(n > 0 && (size_t)n == strlen(text));
    bool ok = eu_parse(r->gen, text, &parsed, &why);
    CHECKF(ok, "gen %d \"%s\" doesn't parse: %s", r->gen, text, why);
    if (!r->mesa) {
        if (ok)
            check_words(r, &parsed, text);
        ok = eu_parse(r->gen, r->text, &parsed, &why);
        CHECKF(ok, "gen %d \"%s\" doesn't parse: %s", r->gen, r->text, why);
        if (ok)
            check_words(r, &parsed, "parsed");
    }
    uint32_t quirks = r->gen == 70 ? GEN_QUIRK_DF_DWORD_REGIONS : 0;
    const char *broken = eu_check(r->gen, quirks, &in);
    CHECKF(!broken == !is_unlawful(r), "gen %d %s: %s", r->gen, r->text,
           broken ? broken : "accepted");
}

/* What Mesa's text says of the instruction, against what was decoded. */
static void check_mesa_fields(const struct row *r)
{
    struct eu_insn in;
    const char *why, *p = r->text;
    if (!eu_decode(r->gen, r->dw, 4 * r->n_dw, &in, &why))
        return;
    if (p[0] == '(') {
        CHECK(in.pred != EU_PRED_NONE && in.pred_inv == (p[1] == '-'));
        p = strchr(p, ' ') + 1;
    }
    size_t n = strcspn(p, " (.");
    const char *name = eu_op_info(in.op)->name;
    CHECKF(strlen(name) == n && strncmp(p, name, n) == 0, "%s: %s", r->text, name);
    const char *exec = strchr(p, '(');
    REQUIRE(exec);
    CHECKF(atoi(exec + 1) == in.exec_size, "%s: SIMD%u", r->text, in.exec_size);
    const char *reg = strchr(exec, ')') + 1;
    if (strncmp(reg, " g", 2) == 0)
        CHECKF(in.dst.file == EU_GRF && in.dst.reg == atoi(reg + 2), "%s", r->text);
    const char *options = strrchr(r->text, '{');
    REQUIRE(options);
    CHECK(in.compact == (strstr(options, "compacted") != NULL));
    CHECK(in.no_mask == (strstr(options, "WE_all") != NULL));
    CHECK(in.align16 == (strstr(options, "align16") != NULL));
    CHECK(in.acc_wr == (strstr(options, "AccWrEnable") != NULL));
    CHECK(in.eot == (strstr(options, "EOT") != NULL));
    CHECK((in.thread_ctrl == EU_THREAD_SWITCH) == (strstr(options, "switch") != NULL));
    CHECK(in.no_dd_clr == (strstr(options, "NoDDClr") != NULL));
    static const char *const quarters[] = {"1Q", "2Q", "3Q", "4Q"};
    static const char *const nibbles[] = {"1N", "2N", "3N", "4N", "5N", "6N", "7N", "8N"};
    for (unsigned i = 0; i < 4; i++)
        CHECKF(!strstr(options, quarters[i]) || in.group == 8 * i, "%s: M%u", r->text, in.group);
    for (unsigned i = 0; i < 8; i++)
        CHECKF(!strstr(options, nibbles[i]) || in.group == 4 * i, "%s: M%u", r->text, in.group);
}

int main(void)
{
    FILE *f = fopen(SOURCE_DIR "/utests/gen/eu-vectors.tsv", "r");
    char line[4096];
    int n = 0, n_mesa = 0;
    REQUIRE(f && fgets(line, sizeof(line), f));
    while (fgets(line, sizeof(line), f)) {
        char *col[7] = {NULL};
        int n_col = 0;
        for (char *p = line; p && n_col < 7;) {
            col[n_col++] = p;
            p = strchr(p, '\t');
            if (p)
                *p++ = 0;
        }
        REQUIRE(n_col == 7);
        struct row r = {.text = col[1], .mesa = strstr(col[6], "observed mesa") != NULL};
        r.gen = strcmp(col[0], "7.5") == 0 ? 75 : atoi(col[0]) * 10;
        for (int i = 0; i < 4 && *col[2 + i]; i++)
            r.dw[r.n_dw++] = strtoul(col[2 + i], NULL, 16);
        check_row(&r);
        if (r.mesa)
            check_mesa_fields(&r);
        n++;
        n_mesa += r.mesa;
    }
    fclose(f);
    CHECKF(n == 1388 && n_mesa == 660, "%d rows, %d of Mesa", n, n_mesa);
    return utest_end();
}
