/* What --perturb puts where the hardware leaves something undefined or inaccurate: a function of
 * the seed and of where it is, so that a run doesn't depend on how host threads share the work. */
#ifndef SIM_PERTURB_H
#define SIM_PERTURB_H

#include "hw.h"

static inline uint64_t perturb_hash(uint64_t seed, uint64_t key)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15ull + key;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* 0: undefined state is zero, results are as exact as can be. */
static inline uint32_t perturb_seed(const struct eu_thread *t)
{
    return sim_gpu_options(t->d->gpu)->perturb;
}

#endif
