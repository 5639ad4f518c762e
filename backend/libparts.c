/* The builtin library, embedded: ours, ours for halves and four parts of libclc, for both pointer
 * widths. A file apart, because the program that prepares the library needs the headers only. */
#include "backend/libdata.h"

#define PARTS(P) P(ours) P(half) P(convert) P(vector) P(math) P(rest)

#define P(part)                                                                                    \
    EMBED(part##32, #part "32.bc")                                                                 \
    EMBED(part##32_names, #part "32.names")                                                        \
    EMBED(part##64, #part "64.bc")                                                                 \
    EMBED(part##64_names, #part "64.names")
PARTS(P)
#undef P

enum { N_PARTS = 6 };
static const struct lib_part parts[2][N_PARTS] = {
    {
#define P(part) {EMBEDDED(part##32, #part), EMBEDDED(part##32_names, #part)},
        PARTS(P)
#undef P
    },
    {
#define P(part) {EMBEDDED(part##64, #part), EMBEDDED(part##64_names, #part)},
        PARTS(P)
#undef P
    },
};

const struct lib_part *lib_part_at(unsigned pointer_bits, unsigned i)
{
    return i < N_PARTS ? &parts[pointer_bits == 64][i] : NULL;
}
