/* Comparisons with zero: where logic made the value, it sets the flag itself, and there is no cmp.
 * Sums keep theirs, and so does what another comparison stands in the way of. */
#include "cg_bench.h"

enum { ITEMS = 29 };

static unsigned count_compares(void)
{
    unsigned n = 0;
    for (size_t at = 0; at < bench.k.code_size;) {
        struct eu_insn insn;
        const char *why = NULL;
        unsigned size =
            eu_decode(bench.dev->gen, bench.k.code + at, bench.k.code_size - at, &insn, &why);
        REQUIRE(size);
        at += size;
        n += insn.op == EU_OP_cmp;
    }
    return n;
}

static uint32_t low(uint32_t i)
{
    return i & 3;
}

static uint32_t id(uint32_t i)
{
    return i;
}

static bool low_is_0(uint32_t i)
{
    return (i & 3) == 0;
}

static bool high_is_not_0(uint32_t i)
{
    return i >> 3 != 0;
}

static bool flipped_is_0(uint32_t i)
{
    return (i ^ 5) == 0;
}

static bool sum_is_0(uint32_t i)
{
    return i - 7 == 0;
}

static bool both(uint32_t i)
{
    return (i & 3) == 0 && i < 9;
}

/* What item i has. */
static const struct row {
    const char *body; /* makes %p, a condition, and %v, an integer */
    unsigned compares;
    bool (*p)(uint32_t i);
    uint32_t (*v)(uint32_t i);
} rows[] = {
    {"%x:i32 = and %id, 3\n%p:i1 = icmp.eq %x, 0\n%v:i32 = mov %id\n", 0, low_is_0, id},
    {"%v:i32 = and %id, 3\n%p:i1 = icmp.eq %v, 0\n", 0, low_is_0, low},
    {"%x:i32 = lshr %id, 3\n%p:i1 = icmp.ne %x, 0\n%v:i32 = mov %id\n", 0, high_is_not_0, id},
    {"%x:i32 = xor %id, 5\n%p:i1 = icmp.eq %x, 0\n%v:i32 = mov %id\n", 0, flipped_is_0, id},
    {"%x:i32 = add %id, -7\n%p:i1 = icmp.eq %x, 0\n%v:i32 = mov %id\n", 1, sum_is_0, id},
    {"%x:i32 = and %id, 3\n%q:i1 = icmp.ult %id, 9\n%r:i1 = icmp.eq %x, 0\n%p:i1 = and1 %q, %r\n"
     "%v:i32 = mov %id\n",
     2, both, id},
};

static void check(const struct row *r, const char *device, unsigned simd)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "fn k push 32\nsurface arg 0 written\nb0:\n%%id:i32 = local_id 0\n%%to:i32 = shl %%id, 2\n"
        "%s%%s:i32 = select %%p, 100, 200\n%%o:i32 = add %%s, %%v\n"
        "store surface 0 d32x1 align 4 [%%to] %%o\nend\n",
        r->body);
    CHECK(bench_compile(text, device, simd, true));
    /* Two instructions for 32 lanes. */
    unsigned n = count_compares(), want = r->compares * (simd == 32 ? 2 : 1);
    CHECKF(n == want, "%s SIMD%u: %u cmp\n%s", device, simd, n, r->body);
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "%s SIMD%u: %s", device, simd, bench.fault);
    for (uint32_t i = 0; ok && i < ITEMS; i++)
        CHECKF(bench.mem[0][i] == (r->p(i) ? 100 : 200) + r->v(i), "%s SIMD%u item %u: %u\n%s",
               device, simd, i, bench.mem[0][i], r->body);
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "byt", "hsw-gt2", "bdw-gt2", "chv", "skl-gt2"};
    for (unsigned d = 0; d < sizeof devices / sizeof *devices; d++) {
        for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
            for (unsigned simd = 8; simd <= 32; simd *= 2)
                check(&rows[r], devices[d], simd);
        }
    }
    return utest_end();
}
