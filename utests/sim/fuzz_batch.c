/* Batches of any content, straight into the command streamer: commands with random fields, complete
 * batches with bits flipped, words put in, cut or copied, and plain noise, on both engines. Each
 * ends, with or without a fault, and touches nothing but its own memory (a matter for the
 * sanitizers). FUZZ_N and FUZZ_SEED change how many a generation and which. */
#include "cs_rig.h"

#include <signal.h>
#include <sys/time.h>

enum { LONGEST_MS = 40, BATCHES = 15000 };

static uint64_t random_state;
static volatile int stop;

static uint32_t rnd(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 20) % n;
}

/* What is likely to mean something: addresses, small numbers, registers, powers of two. */
static uint64_t value(void)
{
    static const uint32_t places[] = {BATCH_AT,  STATE_AT,    CODE_AT,   DATA_AT,
                                      SECOND_AT, INDIRECT_AT, NOWHERE_AT};
    static const uint16_t registers[] = {REG_PREDICATE_SRC0, REG_PREDICATE_RESULT, REG_DISPATCH_X,
                                         REG_GPR0,           REG_L3CNTLREG,        REG_L3CNTLREG2,
                                         REG_TIMESTAMP};
    switch (rnd(8)) {
    case 0:
        return rnd(8);
    case 1:
        return rnd(2048);
    case 2:
        return (uint64_t)1 << rnd(64);
    case 3:
    case 4:
        return places[rnd(7)] + (rnd(2) ? 0 : 64 * rnd(80));
    case 5:
        return registers[rnd(7)];
    case 6:
        return ~(uint64_t)0 >> rnd(64);
    default:
        return random_state;
    }
}

/* Any command of the generation, its fields mostly zero or something likely. */
static void put_random(void)
{
    enum cmd_id id = rnd(CMD_N);
    uint32_t *dw = out;
    if (!cmd_exists(gen, id) || cmd_length(gen, id) > 20)
        return;
    cmd_init(gen, id, dw);
    for (unsigned f = 0; f < CMD_N_FIELDS; f++) {
        unsigned at, hi, lo;
        if (cmd_field_packet(f) != id || !cmd_field_bits(gen, f, &at, &hi, &lo) || rnd(3) == 0)
            continue;
        uint64_t max = cmd_field_max(gen, f);
        cmd_set(gen, dw, f, value() & max);
        if (rnd(4) == 0)
            cmd_set(gen, dw, f, max);
    }
    out += cmd_length(gen, id);
}

static void mutate(uint32_t *p, unsigned *n, unsigned room)
{
    unsigned at = rnd(*n), other = rnd(*n), k = 1 + rnd(8);
    switch (rnd(6)) {
    case 0:
    case 1:
        p[at] ^= (uint32_t)1 << rnd(32);
        break;
    case 2:
        p[at] = (uint32_t)value();
        break;
    case 3: /* cut */
        if (at + k < *n) {
            memmove(p + at, p + at + k, 4 * (*n - at - k));
            *n -= k;
        }
        break;
    case 4: /* copy */
        if (at + k < *n && other + k < *n)
            memmove(p + at, p + other, 4 * k);
        break;
    case 5: /* make room */
        if (*n + k < room) {
            memmove(p + at + k, p + at, 4 * (*n - at));
            *n += k;
        }
        break;
    }
}

static void one_batch(struct sim_context *ctx)
{
    static const struct change none = {.place = NOWHERE};
    struct change some = {.place = 1 + rnd(5)};
    unsigned room = BATCH_SIZE / 4, n;
    uint32_t *p = (uint32_t *)batch;
    memset(batch, 0, 2 * PAGE);
    if (rnd(4)) { /* a complete one, with commands somewhere in it */
        static uint32_t extra[64];
        out = extra;
        for (unsigned i = rnd(3); i > 0; i--)
            put_random();
        some.n_words = out - extra < 24 ? out - extra : 24;
        memcpy(some.words, extra, 4 * some.n_words);
        build(rnd(2) ? &some : &none);
    } else {
        out = p;
        for (unsigned i = rnd(24); i > 0; i--)
            put_random();
        put(CMD_MI_BATCH_BUFFER_END);
    }
    n = out - p;
    for (unsigned i = rnd(4) ? rnd(5) : 0; i > 0; i--)
        mutate(p, &n, room);
    struct sim_fault fault = {.set = false};
    struct itimerval limit = {.it_value.tv_usec = LONGEST_MS * 1000}, none_left = {0};
    stop = 0;
    setitimer(ITIMER_REAL, &limit, NULL);
    bool ok =
        sim_run_batch(ctx, vm, rnd(8) == 0, BATCH_AT + (rnd(16) ? 0 : 4 * rnd(64)), &stop, &fault);
    setitimer(ITIMER_REAL, &none_left, NULL);
    CHECK(ok != fault.set);
    CHECK(ok || fault.text[0]);
}

static void on_alarm(int number)
{
    (void)number;
    stop = 1;
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "byt", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    const char *seed = getenv("FUZZ_SEED"), *count = getenv("FUZZ_N");
    unsigned long n = count ? strtoul(count, NULL, 0) : BATCHES;
    struct sigaction sa = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &sa, NULL);
    random_state = seed ? strtoull(seed, NULL, 0) * 2 + 1 : 88172645463325252u;
    for (unsigned d = 0; d < 5; d++) {
        struct sim_options opt = {.n_host_threads = 1, .insn_limit = 2000, .perturb = d & 1};
        rig_begin(devices[d], &opt);
        unsigned faults = 0;
        struct sim_context *ctx = NULL;
        for (unsigned long i = 0; i < n; i++) {
            if (i % 16 ==
                0) { /* state survives some batches, and what they have done to the rest */
                sim_context_free(ctx);
                REQUIRE((ctx = sim_context_new(gpu)));
                memset(state, 0, STATE_SIZE);
                assemble_end();
            }
            one_batch(ctx);
            faults += stop;
        }
        sim_context_free(ctx);
        CHECKF(faults < n / 10, "%u of %lu batches were stopped", faults, n);
        rig_end();
    }
    return utest_end();
}
