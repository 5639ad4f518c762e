/* Message descriptors: those that other compilers were seen to emit (messages.tsv) unpack to what
 * they are and pack to the same bits; wrong ones are refused. */
#include "gen/msg.h"

#include "utest.h"

static int n_rows;

static void check_row(char **col)
{
    int gen = atoi(col[0]);
    unsigned sfid = strtoul(col[1], NULL, 0), ex_mlen = strtoul(col[3], NULL, 0);
    uint32_t desc = strtoul(col[2], NULL, 0), back = 0;
    const char *why = "";
    uint8_t back_sfid = 0;
    struct msg m;
    bool ok = msg_unpack(gen, sfid, desc, ex_mlen, &m, &why);
    n_rows++;
    if (strcmp(col[8], "no") == 0) {
        CHECKF(!ok, "gen %d sfid %u 0x%08x is accepted", gen, sfid, desc);
        return;
    }
    CHECKF(ok, "gen %d sfid %u 0x%08x (%s): %s", gen, sfid, desc, col[9], why);
    if (!ok)
        return;
    CHECKF(strcmp(msg_name(m.kind), col[6]) == 0, "0x%08x is %s, not %s", desc, msg_name(m.kind),
           col[6]);
    CHECK(m.mlen == atoi(col[4]) && m.rlen == atoi(col[5]));
    if (m.kind == MSG_sampler) {
        const char *name = msg_sampler_name(m.sampler_type);
        size_t n = strlen(name);
        CHECKF(!strncmp(col[9], name, n) && col[9][n] == ' ', "0x%08x: %s", desc, name);
    }
    if (col[7][0] != '-')
        CHECKF(m.simd == atoi(col[7]), "0x%08x: SIMD%u", desc, m.simd);
    CHECKF(msg_pack(gen, &m, &back, &back_sfid, &why), "0x%08x doesn't pack: %s", desc, why);
    CHECKF(back == desc && back_sfid == sfid, "0x%08x packs as 0x%08x", desc, back);

    /* A wrong length is always noticed where the kind fixes it. */
    unsigned mlen, rlen;
    if (msg_lengths(&m, &mlen, &rlen)) {
        CHECK(mlen == (unsigned)m.mlen + m.ex_mlen && rlen == m.rlen);
        CHECK(!msg_unpack(gen, sfid, desc + (1u << 25), ex_mlen, &m, &why) || m.mlen == 0);
        CHECK(!msg_unpack(gen, sfid, desc + (1u << 20), ex_mlen, &m, &why));
        CHECK(!msg_unpack(gen, sfid, desc, ex_mlen + 1, &m, &why));
    }
}

static void check_observed(void)
{
    FILE *f = fopen(SOURCE_DIR "/utests/gen/messages.tsv", "r");
    char line[1024], *col[10];
    REQUIRE(f && fgets(line, sizeof(line), f));
    while (fgets(line, sizeof(line), f)) {
        int n = 0;
        for (char *p = strtok(line, "\t\n"); p && n < 10; p = strtok(NULL, "\t\n"))
            col[n++] = p;
        REQUIRE(n == 10);
        check_row(col);
    }
    fclose(f);
    CHECK(n_rows > 350);
}

static void refused(int gen, unsigned sfid, uint32_t desc, const char *what)
{
    struct msg m;
    const char *why = NULL;
    bool ok = msg_unpack(gen, sfid, desc, 0, &m, &why);
    CHECKF(!ok && why, "%s: gen %d sfid %u 0x%08x", what, gen, sfid, desc);
}

static void check_refused(void)
{
    refused(70, 12, 0x02106E00, "no SFID 12 on Gen7");
    refused(75, 10, 0x04215E03, "untyped read moved to port 1");
    refused(75, 12, 0x084414FF, "A64 before Gen8");
    refused(80, 12, 0x088415FF, "SIMD16 A64 on Gen8");
    refused(90, 12, 0x04106E00, "mlen of an untyped read");
    refused(90, 12, 0x02206E00, "rlen of an untyped read");
    refused(90, 12, 0x02106F00, "no channel");
    refused(90, 12, 0x0210FE00, "SIMD mode 3");
    refused(80, 12, 0x02106EFF, "stateless A32 without header");
    refused(90, 12, 0x04186EFE, "SLM with header on Gen9");
    refused(90, 10, 0x0210C2FE, "dword scattered SLM");
    refused(90, 10, 0x021842FE, "block SLM");
    refused(90, 10, 0x02104200, "block without header");
    refused(90, 10, 0x02110C00, "byte scattered size 3");
    refused(90, 10, 0x02111000, "reserved bit 12 of byte scattered");
    refused(80, 12, 0x080B5001, "typed write without its channels");
    refused(90, 12, 0x02009000, "CMPWR8B");
    refused(90, 3, 0x02100004, "barrier with a response");
    refused(90, 7, 0x04000010, "two registers to the thread spawner");
    refused(90, 1, 0x02000000, "unknown shared function");
    refused(70, 10, 0x024C2000, "scratch size code 2 on Gen7");
    refused(80, 10, 0x22184001, "bit 29");
    refused(90, 12, 0x02506ECF, "A64 untyped read of a surface");
}

/* SIMD4x2: a register of addresses, one of data, whatever the operands of the operation. */
static void check_simd4x2(void)
{
    static const struct {
        int first;
        uint32_t desc, longer; /* of SFID 12 */
        const char *name;
    } rows[] = {
        {75, 0x0410EE00, 0x0610EE00, "untyped_atomic_4x2"}, /* CMPWR, returns */
        {75, 0x0200C500, 0x0400C500, "untyped_atomic_4x2"}, /* INC */
        {75, 0x0419E500, 0x0619E500, "typed_atomic_4x2"},   /* INC, returns, header */
        {75, 0x04194000, 0x06194000, "typed_read"},
        {75, 0x060B4000, 0x080B4000, "typed_write"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int gen = 70; gen <= 90; gen = gen == 70 ? 75 : gen == 75 ? 80 : gen + 10) {
            struct msg m;
            const char *why = "";
            bool ok = msg_unpack(gen, 12, rows[i].desc, 0, &m, &why);
            CHECKF(ok == (gen >= rows[i].first), "gen %d 0x%08x: %s", gen, rows[i].desc, why);
            CHECK(!ok || (m.simd4x2 && strcmp(msg_name(m.kind), rows[i].name) == 0));
            refused(gen, 12, rows[i].longer, "a register too many");
        }
    }
    refused(75, 12, 0x0419F500, "reserved bit 12 of a SIMD4x2 atomic");
}

static void check_pack(void)
{
    uint32_t desc = 0;
    uint8_t sfid = 0;
    const char *why = "";
    /* Channels by number: the first n_chan of four. */
    struct msg m = {
        .kind = MSG_untyped_read, .simd = 16, .n_chan = 3, .bti = 7, .mlen = 2, .rlen = 6};
    CHECK(msg_pack(70, &m, &desc, &sfid, &why) && desc == 0x04615807 && sfid == 10);
    CHECK(msg_pack(90, &m, &desc, &sfid, &why) && desc == 0x04605807 && sfid == 12);
    /* Holes in the channel mask (Intel's compiler merges loads into them). */
    m.chan_off = 0xa;
    m.rlen = 4;
    CHECK(msg_pack(90, &m, &desc, &sfid, &why) && desc == 0x04405A07);
    m.rlen = 5;
    CHECK(!msg_pack(90, &m, &desc, &sfid, &why));
    struct msg w = {.kind = MSG_a64_read,
                    .simd = 8,
                    .data_size = 2,
                    .n_elem = 1,
                    .bti = 255,
                    .mlen = 2,
                    .rlen = 1};
    CHECK(msg_pack(80, &w, &desc, &sfid, &why) && desc == 0x041404FF && sfid == 12);
    CHECK(!msg_pack(75, &w, &desc, &sfid, &why));
    w.simd = 16;
    w.mlen = 4;
    w.rlen = 2;
    CHECK(!msg_pack(80, &w, &desc, &sfid, &why));
    CHECK(msg_pack(90, &w, &desc, &sfid, &why) && desc == 0x082414FF);
    struct msg end = {.kind = MSG_end_thread, .mlen = 1};
    CHECK(msg_pack(75, &end, &desc, &sfid, &why) && desc == 0x02000010 && sfid == 7);
    struct msg bar = {
        .kind = MSG_gateway, .gateway_fn = MSG_GATEWAY_BARRIER, .notify = 1, .mlen = 1};
    CHECK(msg_pack(75, &bar, &desc, &sfid, &why) && desc == 0x02008004 && sfid == 3);
}

/* Whatever unpacks, packs to the same bits (but the ignored bit of byte scattered messages). */
static void check_random(void)
{
    static const int gens[] = {70, 75, 80, 90};
    uint32_t x = 12345, kinds_seen[4] = {0};
    for (int i = 0; i < 2000000; i++) {
        x = x * 1664525 + 1013904223;
        uint32_t desc = (x >> 3 ^ x << 19) & 0x1fffffff;
        unsigned gen = gens[i & 3], sfid = i >> 2 & 15;
        struct msg m;
        const char *why;
        uint32_t back;
        uint8_t back_sfid;
        if (!msg_unpack(gen, sfid, desc, 0, &m, &why))
            continue;
        kinds_seen[i & 3]++;
        if (m.kind == MSG_byte_read || m.kind == MSG_byte_write)
            desc &= ~(1u << 9);
        if (m.kind == MSG_end_thread)
            desc |= 0x10;
        bool ok = msg_pack(gen, &m, &back, &back_sfid, &why);
        CHECKF(ok && back == desc && back_sfid == sfid, "gen %u %s 0x%08x: 0x%08x", gen,
               msg_name(m.kind), desc, back);
    }
    for (int i = 0; i < 4; i++)
        CHECKF(kinds_seen[i] > 100, "%u", kinds_seen[i]);
}

int main(void)
{
    check_observed();
    check_refused();
    check_simd4x2();
    check_pack();
    check_random();
    return utest_end();
}
