/* Words of the EU's text form, shared by eu_print.c and eu_parse.c. Internal to gen. */
#ifndef GEN_EU_TEXT_H
#define GEN_EU_TEXT_H

#include "gen/eu.h"

/* Indexed by the enums of eu.h; NULL where a code has no name. */
extern const char *const eu_cond_names[16];
extern const char *const eu_math_names[16];
extern const char *const eu_pred_names[2][16]; /* [align16]: after the flag; "" for normal */

/* The ARF registers: `numbered` ones print their index ("acc0"), the others don't ("ip"). */
struct eu_arf_name {
    uint8_t reg; /* index 0 */
    uint8_t n;   /* indices that exist */
    bool numbered;
    const char *name;
};
enum { EU_N_ARF_NAMES = 15 };
extern const struct eu_arf_name eu_arf_names[EU_N_ARF_NAMES];

/* The math functions with two sources. */
static inline bool eu_math_is_binary(unsigned fn)
{
    return fn >= EU_MATH_FDIV && fn <= EU_MATH_INVM;
}

#endif
