/* How many EU instructions a second one host thread simulates: loops of a float multiply-add, of
 * integer operations and of a mixture, SIMD16, by processor time; and what a thread's start costs.
 * The last line, the mixture, is the headline. Usage: eu_rate [device [measurement]] */
#include "../utests/sim/eu_rig.h"

#include <time.h>

static const char *only; /* NULL: all measurements */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* `body` 8 times in a loop of `n` iterations. */
static void measure(struct rig *r, const char *name, const char *body, enum eu_mode mode)
{
    char program[8192];
    size_t at = 0;
    enum { N = 200000 };
    if (only && (strcmp(only, name) || mode == EU_MODE_GENERAL))
        return;
    at += (size_t)snprintf(program + at, sizeof program - at,
                           "(W) mov (1|M0) r1.0<1>:d 0:d\nloop:\n");
    for (int i = 0; i < 8; i++)
        at += (size_t)snprintf(program + at, sizeof program - at, "%s", body);
    snprintf(program + at, sizeof program - at,
             "(W) add (1|M0) r1.0<1>:d r1.0<0;1,0>:d 1:d\n"
             "cmp (16|M0) (lt)f0.0 null<1>:d r1.0<0;1,0>:d %d:d {Switch}\n"
             "(f0.0) while (16|M0) @loop\n",
             N);
    rig_program(r, program);
    rig_reset(r, 0xffff);
    eu_cache_set_mode(r->cache, mode);
    double start = now();
    if (eu_run(&r->t, UINT64_MAX) != EU_STOP_ENDED) {
        fprintf(stderr, "%s\n", r->fault.text);
        exit(1);
    }
    double rate = (double)r->t.n_insns / (now() - start);
    printf("eu_%s%s %.1f M/s\n", name, mode == EU_MODE_GENERAL ? "_general" : "", rate * 1e-6);
}

/* Threads that end at once, one host thread. */
static void measure_threads(struct rig *r)
{
    enum { N = 200000 };
    static uint32_t constants[4 * 8];
    if (only && strcmp(only, "thread_start"))
        return;
    rig_program(r, "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n");
    r->d.curbe = (const uint8_t *)constants;
    r->d.curbe_size = sizeof constants;
    r->d.per_thread_regs = 4;
    r->d.group_end[0] = N;
    r->d.group_end[1] = r->d.group_end[2] = 1;
    r->d.right_mask = r->d.bottom_mask = ~0u;
    eu_cache_set_mode(r->cache, EU_MODE_FAST);
    double start = now();
    if (!thread_dispatch(&r->d))
        fprintf(stderr, "%s\n", r->fault.text);
    printf("eu_thread_start %.3f us\n", (now() - start) * 1e6 / N);
}

int main(int argc, char **argv)
{
    static struct rig r;
    only = argc > 2 ? argv[2] : NULL;
    rig_init(&r, argc > 1 ? argv[1] : "skl");
    static const char mad[] = "mad (16|M0) r10.0<1>:f r10.0<8;1>:f r20.0<8;1>:f r30.0<8;1>:f\n";
    static const char mul_add[] = "mul (16|M0) r10.0<1>:f r10.0<8;8,1>:f r20.0<8;8,1>:f\n"
                                  "add (16|M0) r10.0<1>:f r10.0<8;8,1>:f r30.0<0;1,0>:f\n";
    static const char integer[] = "mul (16|M0) r12.0<1>:d r12.0<8;8,1>:d r22.0<16;8,2>:uw\n"
                                  "add (16|M0) r12.0<1>:d r12.0<8;8,1>:d 77:d\n"
                                  "shl (16|M0) r14.0<1>:d r12.0<8;8,1>:d 3:d\n"
                                  "xor (16|M0) r12.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d\n";
    static const char mix[] =
        "mov (16|M0) r16.0<1>:f r12.0<8;8,1>:d\n"
        "mul (16|M0) r16.0<1>:f r16.0<8;8,1>:f 0x3f000000:f\n"
        "cmp (16|M0) (gt)f0.1 null<1>:f r16.0<8;8,1>:f r18.0<8;8,1>:f {Switch}\n"
        "(f0.1) sel (16|M0) r18.0<1>:f r16.0<8;8,1>:f r18.0<8;8,1>:f\n"
        "(f0.1) add (16|M0) r12.0<1>:d r12.0<8;8,1>:d 1:d\n"
        "and (16|M0) r14.0<1>:ud r12.0<8;8,1>:ud 0xff:ud\n";
    static const char words[] = "add (16|M0) r40.0<1>:w r40.0<16;16,1>:w r41.0<16;16,1>:w\n"
                                "mov (16|M0) r42.0<1>:d r40.0<8;8,1>:w\n";
    if (r.gen >= 75)
        measure(&r, "mad", mad, EU_MODE_FAST);
    measure(&r, "mul_add", mul_add, EU_MODE_FAST);
    measure(&r, "integer", integer, EU_MODE_FAST);
    measure(&r, "words", words, EU_MODE_FAST);
    measure(&r, "mul_add", mul_add, EU_MODE_GENERAL);
    measure(&r, "integer", integer, EU_MODE_GENERAL);
    measure(&r, "mixture", mix, EU_MODE_GENERAL);
    if (r.gen >= 80) {
        measure(&r, "q_add", "add (8|M0) r50.0<1>:q r50.0<4;4,1>:q r52.0<4;4,1>:q\n", EU_MODE_FAST);
        measure(&r, "df_mad", "mad (8|M0) r50.0<1>:df r50.0<8;1>:df r52.0<8;1>:df r54.0<8;1>:df\n",
                EU_MODE_FAST);
    }
    measure(&r, "sqrt", "math.sqt (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n", EU_MODE_FAST);
    measure_threads(&r);
    measure(&r, "mixture", mix, EU_MODE_FAST);
    rig_fini(&r);
    return 0;
}
