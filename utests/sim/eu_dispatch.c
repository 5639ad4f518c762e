/* From a walker to threads: group ids, payload order, dispatch masks, thread ids and scratch,
 * barriers over several host threads, and how deadlocks, endless kernels and bad set-ups end. */
#include "eu_rig.h"
#include "sim/hw/observe.h"

enum { MEMORY = 1 << 20, MEMORY_AT = 0x400000, SLOT = 128 };
enum { OBSERVED = 77 }; /* the seed with which --stats and --check are on */

static struct rig rig;
static uint8_t *memory;

/* Another device than rig_init()'s, with these options and memory at general_base. */
static void begin(const char *device, unsigned host_threads, uint32_t perturb, uint64_t limit)
{
    bool observed = perturb == OBSERVED;
    struct sim_options opt = {.n_host_threads = host_threads,
                              .perturb = perturb,
                              .insn_limit = limit,
                              .stats = observed,
                              .check = observed};
    rig_init(&rig, device);
    sim_gpu_free(rig.gpu);
    rig.gpu = rig.d.gpu = sim_gpu_new(rig.dev, &opt);
    memory = aligned_alloc(4096, MEMORY);
    REQUIRE(rig.gpu && memory);
    memset(memory, 0, MEMORY);
    REQUIRE(vm_map(rig.vm, MEMORY_AT, memory, MEMORY, true, 2));
    rig.d.general_base = MEMORY_AT;
    rig.d.general_size = MEMORY;
    rig.d.right_mask = rig.d.bottom_mask = 0xffffffff;
    for (unsigned i = 0; i < 3; i++)
        rig.d.group_end[i] = 1;
}

static void end(void)
{
    rig_fini(&rig);
    free(memory);
}

static uint32_t slot_ud(unsigned slot, unsigned i)
{
    uint32_t v;
    memcpy(&v, memory + slot * SLOT + 4 * i, 4);
    return v;
}

/* Writes r0 to r3 to the slot of this thread: (z * 4 + y) * 8 + x of the group, times threads, plus
 * r1.0 (or the register it says), which holds the thread's number. Dword 31 is the dispatch mask.
 */
static void payload_program(unsigned number_reg, unsigned n_threads)
{
    char text[2048];
    snprintf(text, sizeof text,
             "(W) mov (8|M0) r50.0<1>:ud 0:ud\n"
             "(W) mov (8|M0) r51.0<1>:ud r0.0<8;8,1>:ud\n"
             "(W) mov (8|M0) r52.0<1>:ud r1.0<8;8,1>:ud\n"
             "(W) mov (8|M0) r53.0<1>:ud r2.0<8;8,1>:ud\n"
             "(W) mov (8|M0) r54.0<1>:ud r3.0<8;8,1>:ud\n"
             "(W) mov (1|M0) r54.7<1>:ud sr0.2<0;1,0>:ud {Switch}\n"
             "(W) shl (1|M0) r60.0<1>:ud r0.7<0;1,0>:ud 2:ud\n"
             "(W) add (1|M0) r60.0<1>:ud r60.0<0;1,0>:ud r0.6<0;1,0>:ud\n"
             "(W) shl (1|M0) r60.0<1>:ud r60.0<0;1,0>:ud 3:ud\n"
             "(W) add (1|M0) r60.0<1>:ud r60.0<0;1,0>:ud r0.1<0;1,0>:ud\n"
             "(W) mul (1|M0) r60.0<1>:ud r60.0<0;1,0>:ud %u:uw\n"
             "(W) add (1|M0) r60.0<1>:ud r60.0<0;1,0>:ud r%u.0<0;1,0>:ud\n"
             "(W) shl (1|M0) r50.2<1>:ud r60.0<0;1,0>:ud 3:ud\n"
             "(W) send (16|M0) null r50 0xA 0x0A0A04FF\n"
             "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n",
             n_threads, number_reg);
    rig_program(&rig, text);
}

/* One common register, then one a thread. */
static uint32_t constants[(1 + 64) * 8];

static void set_constants(unsigned n_threads, bool cross)
{
    memset(constants, 0, sizeof constants);
    uint32_t *own = constants + (cross ? 8 : 0);
    for (unsigned i = 0; cross && i < 8; i++)
        constants[i] = 0xc0ffee00 + i;
    for (unsigned t = 0; t < n_threads; t++) {
        own[8 * t] = t;
        own[8 * t + 1] = 0x1000 + t;
    }
    rig.d.curbe = (const uint8_t *)constants;
    rig.d.curbe_size = (cross + n_threads) * 32;
    rig.d.cross_thread_regs = cross;
    rig.d.per_thread_regs = 1;
}

/* The table of --stats says how much ran. */
static void statistics(unsigned n_threads)
{
    char *text = NULL, want[64];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    REQUIRE(f);
    report_table(sim_gpu_watch(rig.gpu), f);
    fclose(f);
    snprintf(want, sizeof want, "1 dispatches, 42 groups, %u threads", n_threads);
    CHECKF(strstr(text, want) != NULL, "%s", text);
    snprintf(want, sizeof want, "%-24s %14u %8.2f", "oword_write", n_threads, 16.0);
    CHECKF(strstr(text, want) != NULL, "%s", text);
    snprintf(want, sizeof want, "%-24s %14u", "all", 16 * n_threads);
    CHECKF(strstr(text, want) != NULL, "%s", text);
    free(text);
}

static void payload(const char *device, unsigned host_threads, uint32_t perturb, bool indirect)
{
    enum { THREADS = 6 };
    begin(device, host_threads, perturb, 0);
    bool cross = rig.gen >= 75;
    set_constants(THREADS, cross);
    rig.d.indirect = indirect;
    rig.d.thread_max[0] = THREADS - 1;
    rig.d.n_threads = THREADS;
    rig.d.right_mask = 0x003f;
    for (unsigned i = 0; i < 3; i++)
        rig.d.group_start[i] = 1;
    rig.d.group_end[0] = 8, rig.d.group_end[1] = 4, rig.d.group_end[2] = 3;
    rig.d.scratch_base = 0x20000; /* behind what the threads write */
    rig.d.scratch_per_thread = 4096;
    unsigned own = cross && !indirect ? 2 : 1, common = indirect ? 2 : 1;
    payload_program(own, THREADS);
    bool ok = thread_dispatch(&rig.d);
    CHECKF(ok, "%s: %s", device, rig.fault.text);
    CHECK(rig.d.n_insns == 16u * 7 * 3 * 2 * THREADS);
    if (perturb == OBSERVED)
        statistics(7 * 3 * 2 * THREADS);
    for (unsigned z = 0; z < 3; z++) {
        for (unsigned y = 0; y < 4; y++) {
            for (unsigned x = 0; x < 8; x++) {
                for (unsigned t = 0; t < THREADS; t++) {
                    unsigned slot = ((z * 4 + y) * 8 + x) * THREADS + t;
                    bool in = x && y && z;
                    if (!in) {
                        CHECK(slot_ud(slot, 31) == 0 && slot_ud(slot, 5) == 0);
                        continue;
                    }
                    CHECK(slot_ud(slot, 1) == x && slot_ud(slot, 6) == y && slot_ud(slot, 7) == z);
                    CHECK(slot_ud(slot, 8 * own) == t && slot_ud(slot, 8 * own + 1) == 0x1000 + t);
                    for (unsigned i = 0; cross && i < 8; i++)
                        CHECK(slot_ud(slot, 8 * common + i) == 0xc0ffee00 + i);
                    CHECK(slot_ud(slot, 31) == (t == THREADS - 1 ? 0x3f : 0xffff));
                    uint32_t id = slot_ud(slot, 5) & 0x1ff;
                    CHECK((slot_ud(slot, 5) & ~0x3ffu) == 0x20000 + id * 4096);
                    if (rig.gen == 75)
                        CHECK((id >> 7) < rig.dev->subslices &&
                              (id & 7) < rig.dev->threads_per_eu &&
                              (id >> 3 & 15) < rig.dev->eu_per_subslice);
                    else
                        CHECK(id < rig.dev->hw_threads);
                }
            }
        }
    }
    end();
}

/* Every thread writes its number to its slot, waits for all, reads its neighbour's slot and writes
 * what it found next to its own. */
static const char barrier_text[] =
    "(W) mov (8|M0) r50.0<1>:ud 0:ud\n"
    "(W) mov (8|M0) r52.0<1>:ud 0:ud\n"
    "(W) mul (1|M0) r60.0<1>:ud r0.1<0;1,0>:ud 16:uw\n"
    "(W) add (1|M0) r61.0<1>:ud r60.0<0;1,0>:ud r1.0<0;1,0>:ud\n"
    "(W) shl (1|M0) r50.2<1>:ud r61.0<0;1,0>:ud 3:ud\n"
    "(W) add (8|M0) r51.0<1>:ud r1.0<0;1,0>:ud 1000:ud\n"
    "(W) send (8|M0) null r50 0xA 0x040A02FF\n"
    "(W) mov (8|M0) r70.0<1>:ud 0:ud\n"
    "(W) and (1|M0) r70.2<1>:ud r0.2<0;1,0>:ud 0x8f000000:ud\n"
    "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r1.0<0;1,0>:ud 99:ud {Switch}\n"
    "%s"
    "(W) send (8|M0) null r70 0x3 0x02000004\n"
    "(W) wait (1|M0) n0.0\n"
    "over:\n"
    "(W) add (1|M0) r62.0<1>:ud r1.0<0;1,0>:ud 1:ud\n"
    "(W) and (1|M0) r62.0<1>:ud r62.0<0;1,0>:ud 15:ud\n"
    "(W) add (1|M0) r62.0<1>:ud r62.0<0;1,0>:ud r60.0<0;1,0>:ud\n"
    "(W) shl (1|M0) r52.2<1>:ud r62.0<0;1,0>:ud 3:ud\n"
    "(W) send (8|M0) r55 r52 0xA 0x021802FF\n"
    "(W) mov (8|M0) r51.0<1>:ud r55.0<8;8,1>:ud\n"
    "(W) add (1|M0) r50.2<1>:ud r50.2<0;1,0>:ud 2:ud\n"
    "(W) send (8|M0) null r50 0xA 0x040A02FF\n"
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n";

static void barrier(const char *device, uint32_t perturb)
{
    enum { GROUPS = 40, THREADS = 16 };
    char text[4096];
    begin(device, 3, perturb, 0);
    set_constants(THREADS, false);
    rig.d.thread_max[0] = THREADS - 1;
    rig.d.n_threads = THREADS;
    rig.d.group_end[0] = GROUPS;
    rig.d.barrier = true;
    snprintf(text, sizeof text, barrier_text, "");
    rig_program(&rig, text);
    bool ok = thread_dispatch(&rig.d);
    CHECKF(ok, "%s: %s", device, rig.fault.text);
    for (unsigned g = 0; ok && g < GROUPS; g++) {
        for (unsigned t = 0; t < THREADS; t++)
            CHECKF(slot_ud(g * THREADS + t, 8) == 1000 + (t + 1) % THREADS,
                   "%s group %u thread %u: %u", device, g, t, slot_ud(g * THREADS + t, 8));
    }
    /* One thread goes past the barrier: the others wait for ever. */
    constants[8 * 5] = 99;
    snprintf(text, sizeof text, barrier_text, "(W&f0.0) jmpi (1|M0) @over\n");
    rig_program(&rig, text);
    rig.d.group_end[0] = 1;
    CHECK(!thread_dispatch(&rig.d) && strstr(rig.fault.text, "deadlock"));
    CHECKF(strstr(rig.fault.text, "15 have reached the barrier") != NULL, "%s", rig.fault.text);
    /* No barrier in the descriptor; thread counts that disagree. */
    snprintf(text, sizeof text, barrier_text, "");
    rig_program(&rig, text);
    rig.fault.set = false;
    rig.d.barrier = false;
    CHECK(!thread_dispatch(&rig.d) && strstr(rig.fault.text, "enables no barrier"));
    rig.fault.set = false;
    rig.d.barrier = true;
    rig.d.n_threads = 8;
    CHECK(!thread_dispatch(&rig.d) && strstr(rig.fault.text, "by the walker"));
    end();
}

static void endings(void)
{
    volatile int stop = 0;
    begin("skl", 2, 0, 5000000);
    rig_program(&rig,
                "loop:\n(W) add (8|M0) r10.0<1>:d r10.0<8;8,1>:d 1:d\n(W) jmpi (1|M0) @loop\n");
    rig.d.group_end[0] = 100;
    CHECK(!thread_dispatch(&rig.d) && strstr(rig.fault.text, "hang"));
    rig.fault.set = false;
    rig.d.n_insns = 0;
    stop = 1;
    rig.d.stop = &stop;
    CHECK(!thread_dispatch(&rig.d) && strstr(rig.fault.text, "stopped"));
    rig.d.stop = NULL;
    /* Nothing to do. */
    rig.fault.set = false;
    rig.d.group_end[1] = 0;
    CHECK(thread_dispatch(&rig.d));
    rig.d.group_end[1] = 1;
    /* A fault in one group ends all, and says where. */
    rig_program(&rig, "nop\n(W) mov (1|M0) r127.0<1>:ud r[a0.0]<0;1,0>:ud\n");
    rig_line(&rig, RIG_EOT);
    rig_program(&rig, "nop\n(W) mov (1|M0) a0.0<1>:uw 0xfff0:uw\n(W) mov (1|M0) r127.0<1>:ud "
                      "r[a0.0]<0;1,0>:ud\n");
    CHECK(!thread_dispatch(&rig.d));
    CHECKF(strstr(rig.fault.text,
                  "kernel at 0x10000, instruction at +0x20 \"(W) mov (1|M0) r127") != NULL,
           "%s", rig.fault.text);
    /* More constants than were loaded; a group that no subslice can hold. */
    rig.fault.set = false;
    rig.d.cross_thread_regs = 2;
    CHECK(!thread_dispatch(&rig.d) && strstr(rig.fault.text, "constants"));
    rig.fault.set = false;
    rig.d.cross_thread_regs = 0;
    rig.d.thread_max[0] = rig.d.thread_max[1] = 63;
    rig.d.barrier = true;
    CHECK(!thread_dispatch(&rig.d) && strstr(rig.fault.text, "4096 threads"));
    end();
}

int main(void)
{
    static const char *const devices[] = {"ivb", "byt", "hsw", "bdw", "skl", "glk"};
    for (unsigned i = 0; i < 6; i++) {
        payload(devices[i], 1, 0, false);
        payload(devices[i], 4, 0, false);
        payload(devices[i], 2, OBSERVED, false);
        if (i > 2)
            payload(devices[i], 2, 0, true);
        barrier(devices[i], 0);
        barrier(devices[i], 12345);
    }
    endings();
    return utest_end();
}
