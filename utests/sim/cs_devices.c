/* Every class of device: how far its address space reaches, the largest group, CURBE and scratch
 * space, its L3 splits, and its clock. */
#include "cs_rig.h"

#include <time.h>

static bool accepted(const struct change *c)
{
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    memset(data, 0, PAGE);
    bool ok = run_at(ctx, 0, build(c), &fault) && *(uint64_t *)data == TAG;
    sim_context_free(ctx);
    return ok;
}

static void test_address_space(void)
{
    uint64_t end = (uint64_t)1 << dev->address_bits;
    uint8_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(p != MAP_FAILED);
    CHECK(dev->address_bits == (gen < 80 ? 31 : dev->platform == GEN_CHV ? 32 : 48));
    CHECK(vm_map(vm, end - PAGE, p, PAGE, true, 20));
    CHECK(!vm_map(vm, end, p, PAGE, true, 21));
    CHECK(!vm_map(vm, end - 2 * PAGE, p, 3 * PAGE, true, 21));
    /* A batch may stand in the last page, and store there, by a canonical address of 48 bits. */
    uint32_t *dw = (uint32_t *)p;
    uint64_t at = end - PAGE + 64;
    memset(p, 0, PAGE);
    dw[0] = 0x10000002;
    dw[gen < 80 ? 2 : 1] = (uint32_t)at;
    dw[2] |= dev->address_bits == 48 ? 0xffffffff : 0;
    dw[3] = 0x1234;
    dw[4] = 0x05000000;
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    CHECKF(run_at(ctx, 0, end - PAGE, &fault), "%s: %s", dev->name, fault.text);
    CHECK(dw[16] == 0x1234);
    dw[4] = 0; /* and without an end runs out of the space */
    memset(p, 0, PAGE);
    CHECK(!run_at(ctx, 0, end - PAGE, &fault) && strstr(fault.text, "[memory]"));
    sim_context_free(ctx);
    vm_unmap(vm, end - PAGE, PAGE);
    munmap(p, PAGE);
}

static void test_limits(void)
{
    unsigned most = dev->max_group_threads;
    struct change group = {.set = {{W_WIDTH, most - 1}, {D_THREADS, most}, {D_PER, 0}}, .n_set = 3};
    CHECKF(accepted(&group), "%s: %u threads", dev->name, most);
    /* One more, or where the counter of a row ends at 64 two rows. */
    struct change more = {.set = {{W_WIDTH, most < 64 ? most : 32},
                                  {W_HEIGHT, most < 64 ? 0 : 1},
                                  {D_THREADS, most < 64 ? most + 1 : 66},
                                  {D_PER, 0}},
                          .n_set = 4};
    CHECKF(!accepted(&more), "%s: more than %u threads", dev->name, most);
    struct change curbe = {.set = {{VFE_CURBE, dev->curbe_regs}}, .n_set = 1};
    CHECK(accepted(&curbe));
    curbe.set[0].value += 2;
    CHECK(!accepted(&curbe));
    /* Scratch space by code: Gen7 12 KiB in steps of 1, Gen7.5 from 2 KiB doubling, later from 1.
     */
    for (unsigned code = 0; code < 16; code++) {
        struct change scratch = {.set = {{VFE_SCRATCH, code}}, .n_set = 1};
        CHECKF(accepted(&scratch) == (code <= (gen == 75 ? 10 : 11)), "%s: scratch code %u",
               dev->name, code);
    }
}

/* Splits that drivers use, and others that have too many ways, by platform. */
static void test_l3(void)
{
    static const struct {
        unsigned platforms;
        uint32_t value, more; /* L3CNTLREG2 or L3CNTLREG */
    } rows[] = {
#define ON(x) (1u << GEN_##x)
        {ON(IVB) | ON(HSW), 0x00880038, 0x00880040},
        {ON(IVB) | ON(HSW), 0x020400a1, 0x022400a1},
        {ON(BYT), 0x00880038, 0x01880038},
        {ON(BYT), 0x01040011, 0x02040011},
        {ON(BDW), 0x60000021, 0x80000021},
        {ON(BDW), 0x60000060, 0x80000060},
        {ON(SKL) | ON(KBL) | ON(CFL) | ON(CHV), 0x60000021, 0x62000021},
        {ON(SKL) | ON(KBL) | ON(CFL) | ON(CHV), 0x60000060, 0x62000060},
        {ON(BXT) | ON(GLK), 0x60000021, 0x80000061},
    };
    unsigned n = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!(rows[i].platforms & 1u << dev->platform))
            continue;
        struct change l3 = {.place = BEFORE_WALKER,
                            .words = {0x11000001, gen < 80 ? 0xb020 : 0x7034, rows[i].value},
                            .n_words = 3};
        CHECKF(accepted(&l3), "%s: L3 %08x", dev->name, rows[i].value);
        l3.words[2] = rows[i].more;
        CHECKF(!accepted(&l3), "%s: L3 %08x", dev->name, rows[i].more);
        n++;
    }
    CHECK(n);
}

static void test_clock(void)
{
    struct timespec a, b, pause = {.tv_nsec = 2000000};
    clock_gettime(CLOCK_MONOTONIC, &a);
    uint64_t before = sim_clock(gpu);
    nanosleep(&pause, NULL);
    uint64_t ticks = sim_clock(gpu) - before;
    clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) * 1e-9;
    CHECKF(ticks <= seconds * dev->timestamp_hz + 2 && ticks + 2 >= 0.002 * dev->timestamp_hz,
           "%s: %llu ticks in %f s", dev->name, (unsigned long long)ticks, seconds);
}

int main(void)
{
    const struct gen_device *d;
    unsigned n = 0;
    for (; (d = gen_class_at(n)); n++) {
        const struct sim_options opt = {.n_host_threads = 1, .insn_limit = 20000};
        rig_begin(d->name, &opt);
        test_address_space();
        test_limits();
        test_l3();
        test_clock();
        rig_end();
    }
    CHECKF(n == 27, "%u classes", n);
    return utest_end();
}
