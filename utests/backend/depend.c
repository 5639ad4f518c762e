/* Which instructions get NoDDClr and NoDDChk: for each of a run, '-' none, 'c' the first, 'b' both,
 * 'k' the last. The simulator judges the same in generated code (utests/sim/eu_rules.c has its
 * rules); here is that no chance is missed, and none taken that a manual forbids. */
#include "cg_bench.h"

#include <string.h>

static const struct {
    const char *what;
    const char *device; /* NULL: of every generation */
    const char *code, *hints;
} cases[] = {
    {"dwords of one register", NULL,
     "(W) add (1|M0) r20.7<1>:d r2.0<0;1,0>:d r3.0<0;1,0>:d\n"
     "(W) mov (1|M0) r20.6<1>:ud 0x1:ud\n"
     "(W) mov (2|M0) r20.0<1>:ud r8.0<2;2,1>:ud\n",
     "cbk"},
    {"the next register is another run", NULL,
     "(W) mov (1|M0) r20.7<1>:ud 0x1:ud\n"
     "(W) mov (1|M0) r21.0<1>:ud 0x1:ud\n"
     "(W) mov (1|M0) r21.1<1>:ud 0x1:ud\n"
     "(W) mov (1|M0) r20.6<1>:ud 0x1:ud\n",
     "-ck-"},
    {"the same bytes again", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W) mov (1|M0) r20.1<1>:ud 0x1:ud\n"
     "(W) mov (4|M0) r20.0<1>:ud r8.0<4;4,1>:ud\n"
     "(W) mov (1|M0) r20.6<1>:ud 0x1:ud\n",
     "ckck"},
    {"words that interleave", NULL,
     "(W) mov (8|M0) r20.0<2>:uw r8.0<8;8,1>:uw\n"
     "(W) mov (8|M0) r20.1<2>:uw r9.0<8;8,1>:uw\n",
     "ck"},
    {"the same two registers", NULL,
     "(W) mov (16|M0) r20.0<2>:uw r8.0<16;16,1>:uw\n"
     "(W) mov (16|M0) r20.1<2>:uw r9.0<16;16,1>:uw\n",
     "ck"},
    {"one of two registers", NULL,
     "(W) mov (16|M0) r20.0<2>:uw r8.0<16;16,1>:uw\n"
     "(W) mov (8|M0) r20.1<2>:uw r9.0<8;8,1>:uw\n",
     "--"},
    {"what reads the register waits for it", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W) add (1|M0) r20.1<1>:d r20.0<0;1,0>:d 3:d\n"
     "(W) add (1|M0) r20.2<1>:d r2.0<0;1,0>:d 3:d\n"
     "(W) add (1|M0) r20.3<1>:d r2.0<0;1,0>:d r20.7<0;1,0>:d\n",
     "-ck-"},
    {"a source of two registers", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W) mov (2|M0) r20.4<1>:uw r19.0<16;1,0>:uw\n"
     "(W) mov (1|M0) r20.1<1>:ud r19.0<0;1,0>:ud\n",
     "-ck"},
    {"masked instructions may not execute", NULL,
     "mov (8|M0) r20.0<2>:uw r8.0<8;8,1>:uw\n"
     "mov (8|M0) r20.1<2>:uw r9.0<8;8,1>:uw\n",
     "--"},
    {"nor may predicated ones", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W&f0.0) mov (1|M0) r20.1<1>:ud 0x1:ud\n",
     "--"},
    {"flags are another destination", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W) add (1|M0) (eq)f0.0 r20.1<1>:d r2.0<0;1,0>:d 3:d\n",
     "--"},
    {"as is the accumulator", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W) addc (1|M0) r20.1<1>:ud r2.0<0;1,0>:ud r3.0<0;1,0>:ud {AccWrEn}\n",
     "--"},
    {"registers by address", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W) mov (1|M0) r20.1<1>:ud r[a0.0]<0;1,0>:ud\n"
     "(W) mov (1|M0) r20.2<1>:ud 0x1:ud\n"
     "(W) mov (1|M0) r[a0.0]<1>:ud 0x1:ud\n",
     "----"},
    {"math", NULL,
     "(W) mov (1|M0) r20.0<1>:f r2.0<0;1,0>:f\n"
     "(W) math.inv (1|M0) r20.1<1>:f r2.0<0;1,0>:f\n"
     "(W) mov (1|M0) r20.2<1>:f r2.0<0;1,0>:f\n",
     "---"},
    {"a send ends a run", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(W) send (8|M0) r30 r10 0xA 0x02106E00\n"
     "(W) mov (1|M0) r20.1<1>:ud 0x1:ud\n",
     "---"},
    {"a branch ends a run", NULL,
     "(W) mov (1|M0) r20.0<1>:ud 0x1:ud\n"
     "(f0.0) if (16|M0) 32 32\n"
     "(W) mov (1|M0) r20.1<1>:ud 0x1:ud\n"
     "endif (16|M0) 16\n",
     "----"},
    {"products of dwords are like doubles", "bdw-gt2",
     "(W) mul (1|M0) r20.0<1>:d r2.0<0;1,0>:d r3.0<0;1,0>:d\n"
     "(W) mul (1|M0) r20.1<1>:d r2.1<0;1,0>:d r3.1<0;1,0>:d\n",
     "--"},
    {"also on Broxton", "bxt-3x6",
     "(W) mul (1|M0) r20.0<1>:d r2.0<0;1,0>:d r3.0<0;1,0>:d\n"
     "(W) mul (1|M0) r20.1<1>:d r2.1<0;1,0>:d r3.1<0;1,0>:d\n",
     "--"},
    {"but not on Skylake", "skl-gt2",
     "(W) mul (1|M0) r20.0<1>:d r2.0<0;1,0>:d r3.0<0;1,0>:d\n"
     "(W) mul (1|M0) r20.1<1>:d r2.1<0;1,0>:d r3.1<0;1,0>:d\n",
     "ck"},
    {"doubles", "hsw-gt2",
     "(W) mov (1|M0) r20.0<1>:df r2.0<0;1,0>:df\n"
     "(W) mov (1|M0) r20.1<1>:df r2.1<0;1,0>:df\n",
     "--"},
};

static const char *const generations[] = {"ivb-gt2", "byt",     "hsw-gt2", "bdw-gt2",
                                          "chv",     "skl-gt2", "bxt-3x6"};

static void judge(const char *device, unsigned c)
{
    const struct gen_device *dev = gen_device_by_name(device);
    struct eu_insn code[8];
    unsigned n = 0;
    REQUIRE(dev);
    for (const char *p = cases[c].code; *p && n < 8; p += strcspn(p, "\n") + 1, n++) {
        char line[128];
        const char *why = NULL;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        if (!eu_parse(dev->gen, line, &code[n], &why)) {
            fprintf(stderr, "%s: %s: %s\n", device, line, why);
            REQUIRE(!"parsed");
        }
    }
    struct depend d = {0};
    char got[8 + 1] = "";
    for (unsigned i = 0; i < n; i++)
        depend_step(&d, dev, &code[i]);
    for (unsigned i = 0; i < n; i++)
        got[i] = "-ckb"[code[i].no_dd_clr + 2 * code[i].no_dd_chk];
    CHECKF(!strcmp(got, cases[c].hints), "%s, %s: %s", device, cases[c].what, got);
    for (unsigned i = 0; i < n; i++) {
        const char *why = eu_check(dev->gen, dev->quirks, &code[i]);
        CHECKF(!why, "%s, %s, instruction %u: %s", device, cases[c].what, i, why);
    }
}

/* A loop is entered twice, from above and from its end: its first instruction follows on none. */
static void loop(const char *device, unsigned want)
{
    static const char text[] =
        "fn k push 32\nsurface arg 0 written\nb0:\n%id:i32 = local_id 0\n%to:i32 = shl %id, 2\n"
        "%a:i32 = param 4\njump b1\n"
        "b1: preds b0 b1\n%k:i32 = phi b0 0, b1 %k1\n%w:i32 = add %a, 7\n%u:i32 = xor %w, %k\n"
        "%k1:i32 = add %k, 1\n%c:i1 = icmp.ult %k1, 4\nloop %c, b1, b2\n"
        "b2: preds b1\n%s:i32 = add %u, %w\n%o:i32 = add %s, %id\n"
        "store surface 0 d32x1 align 4 [%to] %o\nend\n";
    unsigned n = 0;
    bench_compile(text, device, 16, true);
    bench.push[1] = 0x51;
    bool ok = bench_run(32);
    CHECKF(ok, "%s: %s", device, bench.fault_text);
    for (uint32_t i = 0; ok && i < 32; i++)
        CHECK(bench.mem[0][i] == ((0x51 + 7) ^ 3) + 0x51 + 7 + i);
    for (size_t at = 0; at < bench.k.code_size;) {
        struct eu_insn in;
        const char *why = NULL;
        unsigned size =
            eu_decode(bench.dev->gen, bench.k.code + at, bench.k.code_size - at, &in, &why);
        REQUIRE(size);
        at += size;
        n += in.no_dd_clr || in.no_dd_chk;
    }
    CHECKF(n == want, "%s: %u hints", device, n);
}

int main(void)
{
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (cases[c].device) {
            judge(cases[c].device, c);
            continue;
        }
        for (unsigned k = 0; k < sizeof generations / sizeof *generations; k++)
            judge(generations[k], c);
    }
    for (unsigned k = 0; k < sizeof generations / sizeof *generations; k++)
        loop(generations[k], 0);
    return utest_end();
}
