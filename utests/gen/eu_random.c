/* Round trips: fields -> words -> fields -> words, -> text -> words, -> compact -> words, for
 * random instructions; and random words, which must never confuse the decoder. */
#include "eu_gen.h"
#include "utest.h"

static const int gens[] = {70, 75, 80, 90};

static unsigned n_compact;

static void check_insn(int gen, const struct eu_insn *in)
{
    struct eu_bits b, again;
    struct eu_insn back;
    const char *why = "";
    char text[256], text2[256];
    uint64_t compact;
    eu_print(gen, in, text, sizeof(text));
    bool ok = eu_encode(gen, in, &b, &why);
    CHECKF(ok, "gen %d %s: %s", gen, text, why);
    if (!ok)
        return;
    unsigned size = eu_decode(gen, &b, sizeof(b), &back, &why);
    CHECKF(size == 16, "gen %d %s doesn't decode: %s", gen, text, why);
    if (size != 16)
        return;
    eu_print(gen, &back, text2, sizeof(text2));
    CHECKF(strcmp(text, text2) == 0, "gen %d \"%s\", decoded \"%s\"", gen, text, text2);
    CHECK(eu_encode(gen, &back, &again, &why) && memcmp(&b, &again, sizeof(b)) == 0);
    ok = eu_parse(gen, text, &back, &why);
    CHECKF(ok, "gen %d \"%s\" doesn't parse: %s", gen, text, why);
    if (!ok)
        return;
    ok = eu_encode(gen, &back, &again, &why);
    CHECKF(ok, "gen %d \"%s\" parsed: %s", gen, text, why);
    CHECKF(ok && memcmp(&b, &again, sizeof(b)) == 0,
           "gen %d \"%s\": %016llx %016llx, parsed %016llx %016llx", gen, text,
           (unsigned long long)b.q[0], (unsigned long long)b.q[1], (unsigned long long)again.q[0],
           (unsigned long long)again.q[1]);
    if (eu_compact(gen, &b, &compact)) {
        n_compact++;
        CHECK(eu_uncompact(gen, compact, &again, &why) && memcmp(&b, &again, sizeof(b)) == 0);
        CHECK(eu_decode(gen, &compact, 8, &back, &why) == 8 && back.compact);
        back.compact = false;
        eu_print(gen, &back, text2, sizeof(text2));
        CHECKF(strcmp(text, text2) == 0, "\"%s\", compact \"%s\"", text, text2);
    }
}

/* Every compact instruction with valid fields gives a native one that compacts to the same. */
static void check_compact(struct gen *g)
{
    unsigned n = 0;
    for (int i = 0; i < 100000; i++) {
        uint64_t c = (uint64_t)gen_bits(g) << 33 ^ (uint64_t)gen_bits(g) << 16 ^ gen_bits(g);
        struct eu_bits b;
        const char *why;
        int op = gen_below(g, EU_N_OPS);
        c = (c & ~0x7full) | eu_op_info(op)->code | 1ull << 29;
        c &= ~(1ull << 28);
        if (eu_fmt(op) == EU_FMT_ALU3 && g->gen >= 80)
            c = (c & ~0xff80080ull) | (gen_below(g, 2) ? 1ull << 28 : 0);
        if (!eu_uncompact(g->gen, c, &b, &why))
            continue;
        struct eu_insn in;
        uint64_t again;
        if (!eu_decode(g->gen, &c, 8, &in, &why) || in.op == EU_OP_nop ||
            eu_op_info(in.op)->branch || in.op == EU_OP_illegal)
            continue;
        /* With an immediate the subregister index has spare values for source 1. */
        bool imm = in.src[0].file == EU_IMM || in.src[1].file == EU_IMM;
        bool ok = eu_compact(g->gen, &b, &again);
        struct eu_bits b2;
        if (eu_op_info(in.op)->is_send && eu_get(g->gen, &b, EU_eot)) {
            CHECK(!ok);
            continue;
        }
        if (imm && !ok)
            continue; /* only the canonical index is found again */
        CHECKF(ok, "gen %d 0x%016llx %s", g->gen, (unsigned long long)c, eu_op_info(in.op)->name);
        if (ok && !imm)
            CHECKF(again == c, "gen %d 0x%016llx 0x%016llx", g->gen, (unsigned long long)c,
                   (unsigned long long)again);
        if (ok)
            CHECK(eu_uncompact(g->gen, again, &b2, &why) && memcmp(&b, &b2, sizeof(b)) == 0);
        n++;
    }
    CHECKF(n > 7000, "%u", n);
}

/* Random words: no crash, and what decodes prints, parses and encodes. */
static void check_noise(struct gen *g)
{
    unsigned n = 0;
    for (int i = 0; i < 100000; i++) {
        uint32_t dw[4] = {0};
        struct eu_insn in, back;
        struct eu_bits b;
        const char *why = NULL;
        char text[256], text2[256];
        for (int k = 0; k < 4; k++)
            dw[k] = gen_bits(g) ^ gen_bits(g) << 16;
        int op = gen_below(g, EU_N_OPS);
        dw[0] = (dw[0] & ~0x7fu) | eu_op_info(op)->code;
        if (i & 1)
            dw[0] &= ~(1u << 29);
        unsigned size = eu_decode(g->gen, dw, 16, &in, &why);
        if (!size) {
            CHECK(why != NULL);
            continue;
        }
        n++;
        eu_check(g->gen, g->quirks, &in);
        int length = eu_print(g->gen, &in, text, sizeof(text));
        CHECK(length > 0 && length < (int)sizeof(text));
        bool ok = eu_encode(g->gen, &in, &b, &why);
        CHECKF(ok, "gen %d %s: %s", g->gen, text, why);
        if (ok && eu_decode(g->gen, &b, 16, &back, &why)) {
            back.compact = in.compact;
            eu_print(g->gen, &back, text2, sizeof(text2));
            CHECKF(strcmp(text, text2) == 0, "\"%s\" \"%s\"", text, text2);
        }
        /* Not all noise has a text that says all of it, but what a text says stays. */
        if (strstr(text, "arf") || !eu_parse(g->gen, text, &back, &why))
            continue;
        eu_print(g->gen, &back, text, sizeof(text));
        ok = eu_parse(g->gen, text, &back, &why);
        eu_print(g->gen, &back, text2, sizeof(text2));
        CHECKF(ok && strcmp(text, text2) == 0, "\"%s\" \"%s\"", text, text2);
    }
    CHECKF(n > 4000, "%u", n);
}

/* Texts that are nearly right. */
static void check_wrong_text(void)
{
    static const char *const wrong[] = {
        "",
        "mov",
        "mov (8|M0)",
        "mov (3|M0) r1.0<1>:f",
        "frobnicate (8|M0) r1.0<1>:f r2.0<8;8,1>:f",
        "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f",
        "mov (8|M0) r128.0<1>:f r2.0<8;8,1>:f",
        "mov (8|M0) r1.0<1>:zz r2.0<8;8,1>:f",
        "mov (8|M0) r1.0<1>:f r2.0<8;8,1:f",
        "mov (8|M0) r1.0<1>:f r2.0<8,8,1>:f",
        "(f2.0) mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f",
        "(f0.0.any3h) mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f",
        "mov (8|M0) r1.0<1>:f 1.5",
        "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f {Nothing}",
        "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f {Switch",
        "mov (8|M0) r1.8<1>:f r2.0<8;8,1>:f",
        "mov (8|M0) r1.0<1>:uw 0x12345:uw",
        "math (8|M0) r1.0<1>:f r2.0<8;8,1>:f",
        "math.foo (8|M0) r1.0<1>:f r2.0<8;8,1>:f",
        "send (8|M0) r1:ud r2:ud 0x1FFFFFFFF 0x0",
        "send (8|M0) r1:ud r2:ud 0xA 0x80000000",
        "if (8|M0) 16",
        "(f0.0) cmp (8|M0) (lt)f0.1 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f",
        "mov (8|M0) r1.0<1>:f r[a0.0,600]<8;8,1>:f",
        "mad (8|M0) r1.0<1>:f r2.0<8;1>:f r3.0<8;1>:f",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct eu_insn in;
        struct eu_bits b;
        const char *why = NULL;
        bool ok = eu_parse(90, wrong[i], &in, &why);
        CHECKF(ok || why, "%s", wrong[i]);
        CHECKF(!ok || !eu_encode(90, &in, &b, &why), "\"%s\" is accepted", wrong[i]);
    }
    /* Instructions of other generations. */
    struct eu_insn in;
    const char *why;
    CHECK(!eu_parse(70, "join (8|M0) 16", &in, &why) &&
          !eu_parse(80, "f16to32 (8|M0) r1 r2", &in, &why));
}

int main(void)
{
    for (int k = 0; k < 4; k++) {
        struct gen g = {.gen = gens[k], .state = 2024 + k};
        n_compact = 0;
        for (int i = 0; i < 60000; i++) {
            struct eu_insn in = gen_insn(&g);
            check_insn(gens[k], &in);
        }
        CHECKF(n_compact > 10, "%u of gen %d", n_compact, gens[k]);
        check_compact(&g);
        check_noise(&g);
    }
    check_wrong_text();
    return utest_end();
}
