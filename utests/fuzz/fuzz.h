/* Mutation of valid inputs, the same sequence in each run (FUZZ_SEED changes it). The copies are
 * exactly as large as they say, so that the address sanitiser sees any access past the end. */
#ifndef FUZZ_H
#define FUZZ_H

#include "utest.h"

#include <stdint.h>
#include <time.h>

static uint64_t fuzz_state;

static inline uint32_t fuzz_rand(void)
{
    if (!fuzz_state) {
        const char *seed = getenv("FUZZ_SEED");
        fuzz_state = seed ? strtoull(seed, NULL, 0) * 2 + 1 : 0x9e3779b97f4a7c15ull;
    }
    fuzz_state ^= fuzz_state << 13;
    fuzz_state ^= fuzz_state >> 7;
    fuzz_state ^= fuzz_state << 17;
    return (uint32_t)(fuzz_state >> 16);
}

/* Whether to try an i-th input: as long as FUZZ_SECONDS says, else the usual number of times. */
static inline bool fuzz_goes_on(unsigned long i, unsigned long usual)
{
    static time_t end;
    const char *seconds = getenv("FUZZ_SECONDS");
    if (!seconds)
        return i < usual;
    if (!end)
        end = time(NULL) + strtol(seconds, NULL, 0);
    return i % 64 || time(NULL) < end;
}

/* A malloc'ed copy of `data` with one to four changes: bits, bytes, interesting values, runs copied
 * from elsewhere, a cut or a longer end. */
static inline uint8_t *fuzz_mutate(const uint8_t *data, size_t size, size_t *out_size)
{
    static const uint32_t values[] = {0,      1,      0x7f,       0x80,      0xff,
                                      0x7fff, 0xffff, 0x7fffffff, 0xffffffff};
    size_t n = size;
    uint8_t *p = malloc(size + 16);

    memcpy(p, data, size);
    memset(p + size, 0xaa, 16);
    for (unsigned changes = 1 + fuzz_rand() % 4; changes; changes--) {
        size_t at = fuzz_rand() % size;
        switch (fuzz_rand() % 8) {
        case 0:
        case 1:
            p[at] ^= (uint8_t)(1u << fuzz_rand() % 8);
            break;
        case 2:
        case 3:
            p[at] = (uint8_t)fuzz_rand();
            break;
        case 4:
        case 5: {
            uint32_t v = values[fuzz_rand() % (sizeof(values) / sizeof(values[0]))];
            size_t w = (size_t)1 << fuzz_rand() % 3;
            if (fuzz_rand() % 2)
                v = __builtin_bswap32(v);
            memcpy(p + at, &v, at + w <= size ? w : 1);
            break;
        }
        case 6: {
            size_t from = fuzz_rand() % size, len = 1 + fuzz_rand() % 16;
            if (at + len <= size && from + len <= size)
                memmove(p + at, p + from, len);
            break;
        }
        case 7:
            if (fuzz_rand() % 8 == 0)
                n = fuzz_rand() % (size + 16);
            break;
        }
    }
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, p, n);
    free(p);
    *out_size = n;
    return exact;
}

#endif
