/* Random instructions that eu_check() accepts and whose meaning the reference gives. */
#ifndef MODEL_GEN_H
#define MODEL_GEN_H

#include "gen/device.h"
#include "gen/eu.h"

struct maker {
    int gen;
    uint32_t quirks;
    uint64_t state;
};

uint32_t maker_bits(struct maker *g);
uint32_t maker_below(struct maker *g, uint32_t n);
bool maker_chance(struct maker *g, unsigned percent);
uint64_t maker_value(struct maker *g); /* 8 bytes: random, or special in one of the types */
struct eu_insn make_insn(struct maker *g);

/* Registers that programs work on; a0 points into them. */
enum { MAKER_FIRST = 8, MAKER_LAST = 99 };

#endif
