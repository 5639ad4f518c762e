/* Walkers without a stall between them may overlap: with the order of things perturbed the second's
 * groups sometimes run before the first's, with a stall or a waiting flush between them never; and
 * the checks tell it. */
#include "cs_rig.h"

enum { GROUPS = 8, SEEDS = 24 };

/* One lane of one thread a group stores r1.1 at the address in r1.0. */
static void assemble_store(void)
{
    const struct msg m = {.kind = MSG_untyped_write,
                          .simd = 8,
                          .bti = MSG_BTI_STATELESS,
                          .chan_off = 0xe,
                          .mlen = 3,
                          .header = true};
    uint32_t desc = 0;
    uint8_t sfid = 0;
    const char *why = "?";
    char send[96];
    bool packed = msg_pack(gen, &m, &desc, &sfid, &why);
    CHECKF(packed, "%s", why);
    REQUIRE(packed);
    snprintf(send, sizeof send, "send (8|M0) null r9 0x%x 0x%x", sfid, desc);
    const char *const lines[] = {"(W) mov (8|M0) r9.0<1>:ud r0.0<8;8,1>:ud",
                                 "(W) mov (1|M0) r9.7<1>:ud 0xffff:ud", /* lanes, before Gen9 */
                                 "mov (8|M0) r10.0<1>:ud r1.0<0;1,0>:ud",
                                 "mov (8|M0) r11.0<1>:ud r1.1<0;1,0>:ud",
                                 send,
                                 "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud",
                                 "(W) send (8|M0) null r127 0x27 0x2000010 {EOT}"};
    for (unsigned i = 0; i < 7; i++) {
        struct eu_insn in;
        struct eu_bits bits;
        bool ok = eu_parse(gen, lines[i], &in, &why) && eu_encode(gen, &in, &bits, &why);
        CHECKF(ok, "%s: %s", lines[i], why);
        REQUIRE(ok);
        memcpy(code + 16 * i, &bits, 16);
    }
}

/* Two walkers that store 1 and 2 at the same place, and words between them. The result. */
static uint32_t two_walkers(uint32_t seed, const struct change *between, struct sim_tally *tally)
{
    const struct sim_options opt = {
        .n_host_threads = 1, .perturb = seed, .check = tally != NULL, .tally = tally};
    const struct change none = {.place = NOWHERE};
    struct sim_gpu *other = gpu;
    struct sim_fault fault;
    int64_t n[N_NUMBERS];
    gpu = sim_gpu_new(dev, &opt);
    struct sim_context *ctx = sim_context_new(gpu);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *r1 = (uint32_t *)(state + CONSTANT_OFFSET + 64 * i);
        r1[0] = DATA_AT + 64;
        r1[1] = 1 + i;
    }
    memset(data, 0, PAGE);
    memcpy(n, usual, sizeof n);
    n[D_THREADS] = 1;
    n[D_PER] = 1;
    n[W_WIDTH] = 0;
    n[W_SIMD] = 0;
    n[W_RIGHT] = 1;
    n[W_END_X] = tally ? 1 : GROUPS; /* groups of one walker race, too */
    n[CURBE_LENGTH] = 32;
    out = (uint32_t *)batch;
    put_state(n);
    put_dispatch(&none, n);
    put_words(between, FIRST);
    n[VFE_SKIP] = n[DESC_SKIP] = 1;
    n[CURBE_OFFSET] += 64;
    put_dispatch(&none, n);
    put_end();
    CHECKF(run_at(ctx, 0, BATCH_AT, &fault), "%s", fault.text);
    CHECK(*(uint64_t *)data == TAG);
    sim_context_free(ctx);
    sim_gpu_free(gpu);
    gpu = other;
    return *(uint32_t *)(data + 64);
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    static const struct change nothing = {.place = FIRST};
    static const struct change stall = {.place = FIRST, .words = {PC, 0x00100020}, .n_words = 2};
    static const struct change waits = {.place = FIRST, .words = {0x70040000, 0x80}, .n_words = 2};
    for (unsigned i = 0; i < 4; i++) {
        const struct sim_options opt = {.n_host_threads = 1};
        unsigned early = 0;
        rig_begin(devices[i], &opt);
        assemble_store();
        CHECK(two_walkers(0, &nothing, NULL) == 2);
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            uint32_t result = two_walkers(seed, &nothing, NULL);
            CHECK(result == 1 || result == 2);
            early += result == 1;
            CHECK(two_walkers(seed, &nothing, NULL) == result);
            CHECK(two_walkers(seed, &stall, NULL) == 2);
            CHECK(gen < 75 || two_walkers(seed, &waits, NULL) == 2);
        }
        CHECKF(early > SEEDS / 8 && early < SEEDS - SEEDS / 8, "%s: %u of %d", dev->name, early,
               SEEDS);
        /* With --check: the race of the two walkers, not of those with a stall between. */
        enum { RACE = 2 };
        struct sim_tally tally = {0};
        CHECK(two_walkers(0, &nothing, &tally) == 2);
        CHECKF(tally.times[RACE] == 1, "%u", (unsigned)tally.times[RACE]);
        tally = (struct sim_tally){0};
        CHECK(two_walkers(0, &stall, &tally) == 2);
        CHECKF(tally.times[RACE] == 0, "%u", (unsigned)tally.times[RACE]);
        rig_end();
    }
    return utest_end();
}
