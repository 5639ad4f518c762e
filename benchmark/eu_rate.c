/* How many EU instructions a second one host thread simulates: loops of one kind of instruction and
 * of a mixture, SIMD16 where not said; what a thread's start costs; and what a second host thread
 * brings. Rates are by processor time, which other load on the host hardly changes: the best of
 * seven runs and their median. The last line, the mixture, is the headline.
 * Usage: eu_rate [device [measurement]] */
#include "../utests/sim/eu_rig.h"

#include <time.h>

enum { RUNS = 7, ITERATIONS = 20000, COPIES = 8 };

static const char *only; /* NULL: all measurements */

static const struct kind {
    const char *name;
    int first_gen;
    bool general; /* by the general path, too */
    const char *body;
} kinds[] = {
    {"mad", 75, false, "mad (16|M0) r10.0<1>:f r10.0<8;1>:f r20.0<8;1>:f r30.0<8;1>:f\n"},
    {"mul_add", 70, true,
     "mul (16|M0) r10.0<1>:f r10.0<8;8,1>:f r20.0<8;8,1>:f\n"
     "add (16|M0) r10.0<1>:f r10.0<8;8,1>:f r30.0<0;1,0>:f\n"},
    {"integer", 70, true,
     "mul (16|M0) r12.0<1>:d r12.0<8;8,1>:d r22.0<16;8,2>:uw\n"
     "add (16|M0) r12.0<1>:d r12.0<8;8,1>:d 77:d\n"
     "shl (16|M0) r14.0<1>:d r12.0<8;8,1>:d 3:d\n"
     "xor (16|M0) r12.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d\n"},
    {"words", 70, false,
     "add (16|M0) r40.0<1>:w r40.0<16;16,1>:w r41.0<16;16,1>:w\n"
     "mov (16|M0) r42.0<1>:d r40.0<8;8,1>:w\n"},
    {"bytes", 70, false,
     "and (16|M0) r40.0<2>:ub r41.0<16;16,1>:ub r42.0<16;16,1>:ub\n"
     "mov (16|M0) r44.0<1>:ud r40.0<16;8,2>:ub\n"},
    {"indirect", 70, false, "mov (16|M0) r40.0<1>:ud r[a0.0]<8;8,1>:ud\n"},
    {"half", 80, false,
     "mul (16|M0) r40.0<1>:hf r41.0<16;16,1>:hf r42.0<16;16,1>:hf\n"
     "mov (16|M0) r44.0<1>:f r40.0<8;8,1>:hf\n"},
    {"q_add_simd8", 80, false, "add (8|M0) r50.0<1>:q r50.0<4;4,1>:q r52.0<4;4,1>:q\n"},
    {"df_mad_simd8", 80, false,
     "mad (8|M0) r50.0<1>:df r50.0<8;1>:df r52.0<8;1>:df r54.0<8;1>:df\n"},
    {"inv", 70, false, "math.inv (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n"},
    {"sqrt", 70, false, "math.sqt (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n"},
    {"rsqrt", 70, false, "math.rsqt (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n"},
    {"exp", 70, false, "math.exp (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n"},
    {"log", 70, false, "math.log (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n"},
    {"sin", 70, false, "math.sin (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n"},
    {"cos", 70, false, "math.cos (16|M0) r10.0<1>:f r20.0<8;8,1>:f\n"},
    {"pow_or_mov", 70, false, /* an erratum wants a small instruction behind pow */
     "math.pow (16|M0) r10.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f\n"
     "mov (8|M0) r24.0<1>:f r10.0<8;8,1>:f\n"},
    {"mixture", 70, true,
     "mov (16|M0) r16.0<1>:f r12.0<8;8,1>:d\n"
     "mul (16|M0) r16.0<1>:f r16.0<8;8,1>:f 0x3f000000:f\n"
     "cmp (16|M0) (gt)f0.1 null<1>:f r16.0<8;8,1>:f r18.0<8;8,1>:f {Switch}\n"
     "(f0.1) sel (16|M0) r18.0<1>:f r16.0<8;8,1>:f r18.0<8;8,1>:f\n"
     "(f0.1) add (16|M0) r12.0<1>:d r12.0<8;8,1>:d 1:d\n"
     "and (16|M0) r14.0<1>:ud r12.0<8;8,1>:ud 0xff:ud\n"},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of RUNS values, which get sorted. */
static double median(double v[RUNS])
{
    qsort(v, RUNS, sizeof v[0], ascending);
    return v[RUNS / 2];
}

/* `body` COPIES times in a loop of `n` iterations. Its registers start as numbers from 1 to 2. */
static void load_program(struct rig *r, const char *body, unsigned n)
{
    char program[8192];
    size_t at = (size_t)snprintf(program, sizeof program,
                                 "(W) mov (1|M0) r1.0<1>:d 0:d\n"
                                 "(W) mov (1|M0) a0.0<1>:uw 0x280:uw\n"
                                 "loop:\n");
    for (int i = 0; i < COPIES; i++)
        at += (size_t)snprintf(program + at, sizeof program - at, "%s", body);
    snprintf(program + at, sizeof program - at,
             "(W) add (1|M0) r1.0<1>:d r1.0<0;1,0>:d 1:d\n"
             "cmp (16|M0) (lt)f0.0 null<1>:d r1.0<0;1,0>:d %u:d {Switch}\n"
             "(f0.0) while (16|M0) @loop\n",
             n);
    rig_program(r, program);
}

static void measure(struct rig *r, const struct kind *k, enum eu_mode mode)
{
    double rate[RUNS];
    if (only && strcmp(only, k->name))
        return;
    load_program(r, k->body, ITERATIONS);
    for (unsigned i = 0; i < RUNS; i++) {
        rig_reset(r, 0xffff);
        eu_cache_set_mode(r->cache, mode);
        for (unsigned d = 0; d < EU_N_GRF * 8; d++) {
            float f = 1 + (float)d / 1024;
            memcpy(r->t.grf + 4 * d, &f, sizeof f);
        }
        double start = now(CLOCK_THREAD_CPUTIME_ID);
        if (eu_run(&r->t, UINT64_MAX) != EU_STOP_ENDED) {
            fprintf(stderr, "%s\n", r->fault.text);
            exit(1);
        }
        rate[i] = (double)r->t.n_insns / (now(CLOCK_THREAD_CPUTIME_ID) - start) * 1e-6;
    }
    double middle = median(rate);
    printf("eu_%s%s %.1f M/s (median %.1f)\n", k->name, mode == EU_MODE_GENERAL ? "_general" : "",
           rate[RUNS - 1], middle);
    fflush(stdout);
}

static void dispatch(struct rig *r, unsigned n_groups)
{
    static uint32_t constants[4 * 8];
    r->d.curbe = (const uint8_t *)constants;
    r->d.curbe_size = sizeof constants;
    r->d.per_thread_regs = 4;
    r->d.group_end[0] = n_groups;
    r->d.group_end[1] = r->d.group_end[2] = 1;
    r->d.right_mask = r->d.bottom_mask = ~0u;
    eu_cache_drop(r->cache);
    eu_cache_set_mode(r->cache, EU_MODE_FAST);
    if (!thread_dispatch(&r->d)) {
        fprintf(stderr, "%s\n", r->fault.text);
        exit(1);
    }
}

/* Threads that end at once, each a group, one host thread. */
static void measure_threads(struct rig *r)
{
    enum { N = 50000 };
    double us[RUNS];
    if (only && strcmp(only, "thread_start"))
        return;
    rig_program(r, "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n");
    for (unsigned i = 0; i < RUNS; i++) {
        double start = now(CLOCK_THREAD_CPUTIME_ID);
        dispatch(r, N);
        us[i] = (now(CLOCK_THREAD_CPUTIME_ID) - start) * 1e6 / N;
    }
    double middle = median(us);
    printf("eu_thread_start %.3f us (median %.3f)\n", us[0], middle);
}

/* The same groups on one and on two host threads: how much sooner they are done (of the best runs;
 * needs two idle processors), and how much more processor time they take (which doesn't). */
static void measure_hosts(struct rig *r)
{
    enum { N = 512 };
    double wall[2] = {1e9, 1e9}, busy[2] = {1e9, 1e9};
    struct sim_gpu *one = r->d.gpu;
    if (only && strcmp(only, "two_hosts"))
        return;
    struct sim_gpu *two = sim_gpu_new(r->dev, &(struct sim_options){.n_host_threads = 2});
    REQUIRE(two);
    load_program(r, kinds[1].body, 1000);
    for (unsigned i = 0; i < 2 * RUNS; i++) {
        r->d.gpu = i % 2 ? two : one;
        double t = now(CLOCK_MONOTONIC), c = now(CLOCK_PROCESS_CPUTIME_ID);
        dispatch(r, N);
        t = now(CLOCK_MONOTONIC) - t;
        c = now(CLOCK_PROCESS_CPUTIME_ID) - c;
        wall[i % 2] = t < wall[i % 2] ? t : wall[i % 2];
        busy[i % 2] = c < busy[i % 2] ? c : busy[i % 2];
    }
    r->d.gpu = one;
    sim_gpu_free(two);
    printf("eu_two_hosts_speedup %.2f\neu_two_hosts_processor_time %.2f\n", wall[0] / wall[1],
           busy[1] / busy[0]);
}

int main(int argc, char **argv)
{
    static struct rig r;
    only = argc > 2 ? argv[2] : NULL;
    rig_init(&r, argc > 1 ? argv[1] : "skl");
    measure_threads(&r);
    measure_hosts(&r);
    for (unsigned i = 0; i < N_KINDS; i++) {
        const struct kind *k = &kinds[i];
        if (r.gen < k->first_gen)
            continue;
        if (k->general)
            measure(&r, k, EU_MODE_GENERAL);
        measure(&r, k, EU_MODE_FAST);
    }
    rig_fini(&r);
    return 0;
}
