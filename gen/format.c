/* The rows of format.def as a table. No state. */
#include "gen/format.h"

#include <stddef.h>
#include <string.h>

static const struct gen_format rows[] = {
#define FORMAT(NAME, CODE, BYTES, TYPE, c0, b0, c1, b1, c2, b2, c3, b3, S, F, W, R)                \
    {.name = #NAME,                                                                                \
     .code = CODE,                                                                                 \
     .bytes = BYTES,                                                                               \
     .type = FORMAT_TYPE_##TYPE,                                                                   \
     .part = {{#c0[0], b0}, {#c1[0], b1}, {#c2[0], b2}, {#c3[0], b3}},                             \
     .sampled = S,                                                                                 \
     .filtered = F,                                                                                \
     .typed_write = W,                                                                             \
     .typed_read = R},
#include "format.def"
#undef FORMAT
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct gen_format *format_find(unsigned code)
{
    for (unsigned i = 0; i < N_ROWS; i++) {
        if (rows[i].code == code)
            return &rows[i];
    }
    return NULL;
}

const struct gen_format *format_at(unsigned i)
{
    return i < N_ROWS ? &rows[i] : NULL;
}

bool format_channel(const struct gen_format *f, unsigned channel, unsigned *lo, unsigned *bits)
{
    static const char *const holders[4] = {"RLI", "GLI", "BLI", "AI"};
    unsigned at = 0;
    for (unsigned i = 0; i < 4; at += f->part[i++].bits) {
        if (f->part[i].bits && strchr(holders[channel], f->part[i].channel)) {
            *lo = at;
            *bits = f->part[i].bits;
            return true;
        }
    }
    return false;
}
