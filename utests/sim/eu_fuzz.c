/* Code that no compiler made: random bytes, and good instructions with bits flipped. Whatever it
 * is, it ends, faults with a text, or uses up its budget; the sanitizers watch. */
#include "eu_rig.h"

static struct rig rig;
static uint64_t state = 0x2545f4914f6cdd1dull;

static uint32_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static const char *const good[] = {
    "add (16|M0) r10.0<1>:f r2.0<8;8,1>:f -r4.0<8;8,1>:f",
    "(f0.0) if (16|M0) 32 48",
    "mov (8|M0) r10.0<1>:d r[a0.2,64]<8;8,1>:d",
    "cmp (8|M0) (lt)f0.0 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {Switch}",
    "mad (8|M0) r10.0<1>:f r2.0<8;1>:f r3.0<8;1>:f r4.0<1>:f",
    "math.fdiv (8|M0) r10.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f",
    "mach (8|M0) r10.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d {AccWrEn}",
    "(W) jmpi (1|M0) 32",
    "(f0.0) while (16|M0) -32",
    "(f0.0) break (16|M0) 32 48",
    "(W) mov (1|M0) cr0.0<1>:ud 0x30:ud {Switch}",
    "(W) mov (1|M0) a0.0<1>:ud 0x02106e00:ud",
    "send (16|M0) r10 r20 0xA 0x02106E00",
    "(W) send (16|M0) null r20 0xA 0x0A0A04FF",
    "(W) send (8|M0) null r20 0x3 0x02000004",
    "mov (8|M0) r10.0<1>:w 0x76543210:v",
    "mov (16|M0) r10.0<1>:ub r2.0<16;16,1>:ub",
    "(W) mov (4|M0) r10.0<1>:d r2.0<4;4,1>:d {NoDDClr}",
    "(W) mov (2|M0) r10.4<1>:d r2.0<2;2,1>:d {NoDDClr,NoDDChk}",
    "(W) mov (2|M0) r10.6<1>:d r2.0<2;2,1>:d {NoDDChk}",
    RIG_EOT,
};

enum { N_GOOD = sizeof good / sizeof good[0], N_LINES = 24 };

int main(void)
{
    static const char *const devices[] = {"ivb", "byt", "hsw", "bdw", "chv", "skl", "glk"};
    unsigned ended = 0, faults = 0, budget = 0;
    for (unsigned d = 0; d < 7; d++) {
        rig_init(&rig, devices[d]);
        rig.quiet = true;
        REQUIRE(msg_dispatch_begin(&rig.d));
        for (unsigned round = 0; round < 4000; round++) {
            rig.code_size = 0;
            for (unsigned i = 0; i < N_LINES; i++) {
                unsigned at = rig.code_size;
                if (!rig_line(&rig, good[rnd() % N_GOOD]))
                    continue;
                unsigned flips = rnd() % 4 ? rnd() % 3 : 8;
                for (unsigned k = 0; k < flips; k++)
                    rig.code[at + rnd() % 16] ^= (uint8_t)(1 << rnd() % 8);
                if (rnd() % 16 == 0) {
                    for (unsigned k = 0; k < 16; k++)
                        rig.code[at + k] = (uint8_t)rnd();
                }
            }
            rig_line(&rig, RIG_EOT);
            memset(rig.code + rig.code_size, 0, 128);
            rig_reset(&rig, rnd());
            for (unsigned i = 0; i < 4096; i += 4) {
                uint32_t v = rnd() % 3 ? rnd() & 0xfff : rnd();
                memcpy(rig.t.grf + i, &v, 4);
            }
            rig.t.f[0] = rnd();
            eu_cache_set_mode(rig.cache, (enum eu_mode)(rnd() % 3));
            eu_cache_drop(rig.cache);
            switch (eu_run(&rig.t, 3000)) {
            case EU_STOP_ENDED:
                ended++;
                break;
            case EU_STOP_FAULT:
                faults++;
                CHECK(rig.fault.set && strlen(rig.fault.text) > 20);
                CHECKF(!strstr(rig.fault.text, "the fast path") &&
                           !strstr(rig.fault.text, "fast path differs"),
                       "%s", rig.fault.text);
                break;
            case EU_STOP_WAIT:
            case EU_STOP_BUDGET:
                budget++;
                break;
            }
        }
        msg_dispatch_end(&rig.d);
        rig_fini(&rig);
    }
    CHECKF(ended && faults && budget, "%u ended, %u faults, %u went on", ended, faults, budget);
    fprintf(stderr, "%u ended, %u faults, %u went on\n", ended, faults, budget);
    return utest_end();
}
