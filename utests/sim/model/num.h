/* Numbers without a host's floating point: a sign, an integer of up to 126 bits and a power of two.
 * Sums keep what falls off their end as one sticky bit, so that one rounding of what they give is
 * the rounding of the exact result. */
#ifndef MODEL_NUM_H
#define MODEL_NUM_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

/* A binary format of IEEE 754: bits of fraction and exponent. */
struct num_format {
    unsigned fraction, exponent;
};
extern const struct num_format num_half, num_single, num_double;

enum num_kind { NUM_FINITE, NUM_INF, NUM_NAN };

/* Value: (-1)^neg * m * 2^e. NaN: m is the fraction's bits as stored, of the format it came from.
 */
struct num {
    enum num_kind kind;
    bool neg;
    uwide m;
    int e;
};

enum num_round { NUM_EVEN, NUM_UP, NUM_DOWN, NUM_ZERO }; /* as cr0 b(5:4) counts */

struct num num_read(const struct num_format *f, uint64_t bits);
/* Rounds once. NaN: the default NaN. *tiny (may be NULL): the exact value lies below the normal
 * numbers, but its rounding does not. */
uint64_t num_write(const struct num_format *f, struct num v, enum num_round mode, bool *tiny);
struct num num_from_int(wide v);
/* The integer by the mode; what doesn't fit 100 bits comes as the largest of its sign. */
wide num_to_int(struct num v, enum num_round mode);
struct num num_whole(struct num v, enum num_round mode); /* the same as a number; keeps the sign */
struct num num_add(struct num a, struct num b, enum num_round mode); /* the mode signs a zero */
struct num num_mul(struct num a, struct num b);                      /* of at most 63 bits each */
int num_compare(struct num a, struct num b);                         /* -1, 0, 1; no NaN */
bool num_is_zero(struct num v);
bool num_is_denormal(const struct num_format *f, uint64_t bits);
bool num_is_nan(const struct num_format *f, uint64_t bits);
bool num_is_signaling(const struct num_format *f, uint64_t bits);
uint64_t num_quiet(const struct num_format *f, uint64_t bits);
uint64_t num_sign(const struct num_format *f); /* the sign bit */
long double num_approx(struct num v);

#endif
