/* Walkers between which the streamer doesn't stall may run at once on the hardware, in any order of
 * their groups. Here they run one after the other, unless the order of things is perturbed: then
 * they are kept until something waits for them, cut into ranges of groups, and the ranges of all of
 * them run in an order that the seed chooses. A batch that needs a stall and lacks it then gives
 * other results; and if the device checks, what walkers touch is remembered for the later ones of
 * the batch. */
#include "cs.h"

#include "observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WALKERS = 8, PIECES = 4 };

struct walker {
    struct sim_dispatch d;
    uint8_t *constants; /* owned */
    gpu_addr at;        /* of the command */
};

struct cs_overlap {
    struct walker walkers[MOST_WALKERS];
    unsigned n;
    uint64_t random;
};

static void trace(const struct sim_dispatch *d, uint64_t ns)
{
    char text[512];
    int n = snprintf(
        text, sizeof text,
        "gensim: dispatch kernel 0x%llx simd%u groups %u-%u %u-%u %u-%u threads %u slm %u%s "
        "constants %u+%u%s scratch %u: %llu instructions, %llu us\n",
        (long long)d->kernel, d->simd, d->group_start[0], d->group_end[0], d->group_start[1],
        d->group_end[1], d->group_start[2], d->group_end[2], d->n_threads, d->slm_size,
        d->barrier ? " barrier" : "", d->cross_thread_regs, d->per_thread_regs,
        d->indirect ? " indirect" : "", d->scratch_per_thread, (long long)d->n_insns,
        (long long)(ns / 1000));
    ssize_t unused = write(STDERR_FILENO, text, n);
    (void)unused;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool dispatch(struct cs *cs, struct sim_dispatch *d, gpu_addr at)
{
    const struct sim_options *opt = sim_gpu_options(cs->ctx->gpu);
    if (opt->check && !cs->race)
        cs->race = race_new(true); /* none: the dispatch makes its own, or fails */
    d->race = cs->race;
    uint64_t start = now_ns();
    bool ok = thread_dispatch(d);
    if (opt->trace)
        trace(d, now_ns() - start);
    cs->n_insns += d->n_insns;
    if (ok && opt->insn_limit && cs->n_insns > opt->insn_limit) {
        sim_fault(cs->fault, "GPGPU_WALKER at 0x%llx: hung: more than %llu instructions in a batch",
                  (long long)at, (long long)opt->insn_limit);
        return false;
    }
    if (!ok) /* the first fault stays */
        sim_fault(cs->fault, "GPGPU_WALKER at 0x%llx: the dispatch failed without a reason",
                  (long long)at);
    return ok;
}

/* The i-th of n ranges of a walker's groups, along its longest side. False: it is empty. */
static bool piece(const struct sim_dispatch *d, unsigned i, unsigned n, struct sim_dispatch *out)
{
    unsigned side = 0;
    uint64_t size[3];
    for (unsigned k = 0; k < 3; k++) {
        size[k] = d->group_end[k] - d->group_start[k];
        side = size[k] > size[side] ? k : side;
    }
    *out = *d;
    out->group_start[side] = d->group_start[side] + (uint32_t)(size[side] * i / n);
    out->group_end[side] = d->group_start[side] + (uint32_t)(size[side] * (i + 1) / n);
    return out->group_end[side] > out->group_start[side];
}

static unsigned next(struct cs_overlap *o, unsigned n)
{
    o->random = o->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(o->random >> 33) % n;
}

static bool run_kept(struct cs *cs)
{
    struct cs_overlap *o = cs->overlap;
    if (!o || !o->n)
        return true;
    /* The checks take each dispatch for a walker. */
    bool cut = o->n > 1 && !sim_gpu_options(cs->ctx->gpu)->check;
    unsigned order[MOST_WALKERS * PIECES], pieces = cut ? PIECES : 1, n = o->n * pieces;
    bool ok = true;
    for (unsigned i = 0; i < n; i++) { /* a shuffle from the inside out */
        unsigned k = next(o, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (unsigned i = 0; i < n && ok; i++) {
        const struct walker *w = &o->walkers[order[i] / pieces];
        struct sim_dispatch d;
        if (piece(&w->d, order[i] % pieces, pieces, &d))
            ok = dispatch(cs, &d, w->at);
    }
    for (unsigned i = 0; i < o->n; i++)
        free(o->walkers[i].constants);
    o->n = 0;
    return ok;
}

static bool keep(struct cs *cs, const struct sim_dispatch *d, const uint8_t *constants,
                 uint32_t size)
{
    if (!cs->overlap) {
        cs->overlap = calloc(1, sizeof *cs->overlap);
        if (!cs->overlap)
            return cs_fault(cs, 0, "no memory");
        cs->overlap->random = sim_gpu_options(cs->ctx->gpu)->perturb;
    }
    struct cs_overlap *o = cs->overlap;
    struct walker *w = &o->walkers[o->n];
    *w = (struct walker){.d = *d, .constants = malloc(size + 1), .at = cs->at};
    if (!w->constants)
        return cs_fault(cs, 0, "no memory");
    memcpy(w->constants, constants, size);
    w->d.curbe = w->constants;
    return ++o->n < MOST_WALKERS || run_kept(cs);
}

bool cs_start(struct cs *cs, const struct sim_dispatch *d, const uint8_t *constants, uint32_t size)
{
    if (sim_gpu_dispatch_hangs(cs->ctx->gpu))
        return cs_fault(cs, 0, "hung, because --fault asked for it");
    if (sim_gpu_options(cs->ctx->gpu)->perturb)
        return keep(cs, d, constants, size);
    struct sim_dispatch now = *d;
    now.curbe = constants;
    return dispatch(cs, &now, cs->at);
}

bool cs_drain(struct cs *cs)
{
    if (!run_kept(cs))
        return false;
    if (cs->race)
        race_drained(cs->race);
    return true;
}

void cs_overlap_free(struct cs_overlap *o)
{
    for (unsigned i = 0; o && i < o->n; i++)
        free(o->walkers[i].constants);
    free(o);
}
