/* Surface formats of Gen7 to Gen9: one row of format.def each. Layout and capabilities only; what a
 * conversion computes is its user's. Read-only, thread-safe. */
#ifndef GEN_FORMAT_H
#define GEN_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum format_code { /* FORMAT_R8G8B8A8_UNORM, ...: as RENDER_SURFACE_STATE holds them */
#define FORMAT(name, code, ...) FORMAT_##name = code,
#include "format.def"
#undef FORMAT
};

enum format_type {
    FORMAT_TYPE_UNORM, /* c / (2^bits - 1) */
    FORMAT_TYPE_SNORM, /* c / (2^(bits - 1) - 1), at least -1 */
    FORMAT_TYPE_UINT,
    FORMAT_TYPE_SINT,
    FORMAT_TYPE_FLOAT, /* 32 bits, or 16, 11 and 10 with a 5-bit exponent; the last two without a
                          sign */
    FORMAT_TYPE_SRGB,  /* UNORM; red, green and blue through the sRGB curve */
    FORMAT_TYPE_YCRCB  /* UNORM; two texels share Cb and Cr */
};

struct format_part {
    char channel; /* R, G, B, A; L: R, G and B; I: all four; Y, U, V; X: none */
    uint8_t bits;
};

struct gen_format {
    const char *name;
    uint16_t code;              /* enum format_code */
    uint8_t bytes;              /* of a texel */
    uint8_t type;               /* enum format_type */
    struct format_part part[4]; /* from the lowest bit up */
    /* First generation that can do it, 0 if none: */
    uint8_t sampled, filtered, typed_write, typed_read;
};

const struct gen_format *format_find(unsigned code); /* NULL: no format we know */
const struct gen_format *format_at(unsigned i);      /* i-th row; NULL past the end */
/* Where the bits of channel 0 to 3 (R, G, B, A) stand in a texel. False if the format lacks it. */
bool format_channel(const struct gen_format *f, unsigned channel, unsigned *lo, unsigned *bits);
/* Does a column of `first generation` include this one? */
static inline bool format_can(uint8_t first, int gen)
{
    return first && gen >= first;
}

#endif
