/* Walkers without a stall between them may overlap: with the order of things perturbed the second's
 * groups sometimes run before the first's, with a stall or a waiting flush between them never; and
 * the checks tell it. */
#include "cs_rig.h"

enum { GROUPS = 8, SEEDS = 24 };

enum { LOAD_KERNEL = 0x200, SAMPLE_KERNEL = 0x400, TABLE_OFFSET = 0xc00, SURFACE_OFFSET = 0xc40 };

static void assemble(unsigned at, const char *const *lines, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct eu_insn in;
        struct eu_bits bits;
        const char *why = "?";
        bool ok = eu_parse(gen, lines[i], &in, &why) && eu_encode(gen, &in, &bits, &why);
        CHECKF(ok, "%s: %s", lines[i], why);
        REQUIRE(ok);
        memcpy(code + at + 16 * i, &bits, 16);
    }
}

static void pack(const struct msg *m, const char *to, char *line, size_t size)
{
    uint32_t desc = 0;
    uint8_t sfid = 0;
    const char *why = "?";
    bool packed = msg_pack(gen, m, &desc, &sfid, &why);
    CHECKF(packed, "%s", why);
    REQUIRE(packed);
    snprintf(line, size, "send (8|M0) %s r9 0x%x 0x%x", to, sfid, desc);
}

#define HEADER "(W) mov (8|M0) r9.0<1>:ud r0.0<8;8,1>:ud"
#define END                                                                                        \
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud", "(W) send (8|M0) null r127 0x27 0x2000010 {EOT}"

/* One lane of one thread a group stores r1.1 at the address in r1.0; and another kernel, which
 * reads 16 bytes there through the constant cache. */
static void assemble_kernels(void)
{
    char write[96], read[96], sample[96];
    pack(&(struct msg){.kind = MSG_untyped_write,
                       .simd = 8,
                       .bti = MSG_BTI_STATELESS,
                       .chan_off = 0xe,
                       .mlen = 3,
                       .header = true},
         "null", write, sizeof write);
    pack(&(struct msg){.kind = MSG_const_oword_read,
                       .bti = MSG_BTI_STATELESS,
                       .n_oword = 1,
                       .mlen = 1,
                       .rlen = 1,
                       .header = true},
         "r12", read, sizeof read);
    pack(&(struct msg){.kind = MSG_sampler,
                       .sfid = SFID_SAMPLER,
                       .sampler_type = MSG_SAMPLER_ld,
                       .simd = 8,
                       .mlen = 3,
                       .rlen = 4},
         "r12", sample, sizeof sample);
    const char *const store[] = {HEADER,
                                 "(W) mov (1|M0) r9.7<1>:ud 0xffff:ud", /* lanes, before Gen9 */
                                 "mov (8|M0) r10.0<1>:ud r1.0<0;1,0>:ud",
                                 "mov (8|M0) r11.0<1>:ud r1.1<0;1,0>:ud",
                                 write,
                                 END};
    const char *const load[] = {HEADER, "(W) shr (1|M0) r9.2<1>:ud r1.0<0;1,0>:ud 4:ud", read, END};
    const char *const texel[] = {"mov (8|M0) r9.0<1>:ud 0x0:ud", "mov (8|M0) r10.0<1>:ud 0x0:ud",
                                 "mov (8|M0) r11.0<1>:ud 0x0:ud", sample, END};
    assemble(SAMPLE_KERNEL, texel, sizeof texel / sizeof texel[0]);
    assemble(0, store, sizeof store / sizeof store[0]);
    assemble(LOAD_KERNEL, load, sizeof load / sizeof load[0]);
}

/* A linear image of one row of 16 texels R32_UINT where the kernels store. */
static void make_surface(void)
{
    uint32_t *table = (uint32_t *)(state + TABLE_OFFSET), *s = (uint32_t *)(state + SURFACE_OFFSET);
    memset(table, 0, 64);
    memset(s, 0, 64);
    table[0] = SURFACE_OFFSET;
    set(s, CMD_SURFACE_STATE_type, CMD_SURFACE_2D);
    set(s, CMD_SURFACE_STATE_format, 0xd7);
    set(s, CMD_SURFACE_STATE_address, DATA_AT + 64);
    set(s, CMD_SURFACE_STATE_width, 15);
    set(s, CMD_SURFACE_STATE_pitch, 63);
    set(s, CMD_SURFACE_STATE_halign, gen >= 80);
    set(s, CMD_SURFACE_STATE_valign, gen >= 80);
    set(s, CMD_SURFACE_STATE_select_red, CMD_SELECT_R);
}

/* Two walkers and words between them: they store 1 and 2 at the same place, or the second only
 * reads. What is there in the end. */
static uint32_t two_walkers(uint32_t seed, const struct change *between, struct sim_tally *tally,
                            unsigned second_kernel)
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
    make_surface();
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
    uint8_t first[64], *descriptors = state + DESCRIPTOR_OFFSET;
    memcpy(first, descriptors, sizeof first);
    put_words(between, FIRST);
    n[VFE_SKIP] = 1;
    n[D_KERNEL] = second_kernel;
    n[DESC_OFFSET] += sizeof first;
    n[CURBE_OFFSET] += 64;
    put_dispatch(&none, n);
    set((uint32_t *)descriptors, CMD_INTERFACE_DESCRIPTOR_binding_table, TABLE_OFFSET);
    memcpy(descriptors + sizeof first, descriptors, sizeof first);
    memcpy(descriptors, first, sizeof first);
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
    static const struct change constants = {
        .place = FIRST, .words = {PC, 0x00100020, PC, 0x0010000a}, .n_words = 4};
    static const struct change textures = {
        .place = FIRST, .words = {PC, 0x00100020, PC, 0x00100402}, .n_words = 4};
    static const struct change waits = {.place = FIRST, .words = {0x70040000, 0x80}, .n_words = 2};
    for (unsigned i = 0; i < 4; i++) {
        const struct sim_options opt = {.n_host_threads = 1};
        unsigned early = 0;
        rig_begin(devices[i], &opt);
        assemble_kernels();
        CHECK(two_walkers(0, &nothing, NULL, 0) == 2);
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            uint32_t result = two_walkers(seed, &nothing, NULL, 0);
            CHECK(result == 1 || result == 2);
            early += result == 1;
            CHECK(two_walkers(seed, &nothing, NULL, 0) == result);
            CHECK(two_walkers(seed, &stall, NULL, 0) == 2);
            CHECK(gen < 75 || two_walkers(seed, &waits, NULL, 0) == 2);
        }
        CHECKF(early > SEEDS / 8 && early < SEEDS - SEEDS / 8, "%s: %u of %d", dev->name, early,
               SEEDS);
        /* With --check: the race of the two walkers, not of those with a stall between. */
        enum { RACE = 2 };
        struct sim_tally tally = {0};
        CHECK(two_walkers(0, &nothing, &tally, 0) == 2);
        CHECKF(tally.times[RACE] == 1, "%u", (unsigned)tally.times[RACE]);
        tally = (struct sim_tally){0};
        CHECK(two_walkers(0, &stall, &tally, 0) == 2);
        CHECKF(tally.times[RACE] == 0, "%u", (unsigned)tally.times[RACE]);
        /* What the first wrote, read through a cache that may hold what was there before. */
        for (unsigned k = 0; k < 2; k++) {
            unsigned kernel = k ? SAMPLE_KERNEL : LOAD_KERNEL;
            tally = (struct sim_tally){0};
            CHECK(two_walkers(0, &stall, &tally, kernel) == 1);
            CHECKF(tally.times[RACE] >= 1, "%s: kernel %u", dev->name, k);
            tally = (struct sim_tally){0};
            CHECK(two_walkers(0, k ? &textures : &constants, &tally, kernel) == 1);
            CHECKF(tally.times[RACE] == 0, "%s: kernel %u", dev->name, k);
        }
        rig_end();
    }
    return utest_end();
}
