/* Any bytes given to the EU decoder: never a read past the end, never an endless or crashing print,
 * and what decodes encodes again to an instruction that decodes to the same. Inputs: noise, and
 * mutations of real instructions (the first dwords of utests/gen/eu-vectors.tsv). */
#include "gen/eu.h"

#include "fuzz.h"

enum { MAX_VECTORS = 4096 };
static uint32_t vectors[MAX_VECTORS][4];
static unsigned n_vectors;

static void load_vectors(void)
{
    char line[1024];
    FILE *f = fopen(SOURCE_DIR "/utests/gen/eu-vectors.tsv", "r");
    REQUIRE(f);
    while (n_vectors < MAX_VECTORS && fgets(line, sizeof(line), f)) {
        char *at = strchr(line, '\t');
        at = at ? strchr(at + 1, '\t') : NULL;
        uint32_t *v = vectors[n_vectors];
        if (at && sscanf(at, "\t%x\t%x\t%x\t%x", &v[0], &v[1], &v[2], &v[3]) >= 2)
            n_vectors++;
    }
    fclose(f);
    REQUIRE(n_vectors > 1000);
}

/* True if the bytes decoded. */
static bool try_bytes(int gen, const uint8_t *bytes, size_t size)
{
    struct eu_insn insn, again;
    struct eu_bits bits;
    const char *why = NULL;
    char text[512], text2[512];
    unsigned n = eu_decode(gen, bytes, size, &insn, &why);
    CHECK(n == 0 || n == 8 || n == 16);
    CHECK(n <= size);
    if (n == 0) {
        CHECK(why != NULL);
        return false;
    }
    eu_print(gen, &insn, text, sizeof(text));
    eu_check(gen, 0, &insn);
    eu_exec_type(&insn);
    insn.compact = false;
    if (eu_encode(gen, &insn, &bits, &why)) {
        CHECKF(eu_decode(gen, &bits, sizeof(bits), &again, &why) == 16, "gen %d \"%s\": %s", gen,
               text, why);
        eu_print(gen, &insn, text, sizeof(text));
        eu_print(gen, &again, text2, sizeof(text2));
        CHECKF(strcmp(text, text2) == 0, "gen %d \"%s\" became \"%s\"", gen, text, text2);
    }
    return true;
}

int main(void)
{
    static const int gens[] = {70, 75, 80, 90};
    unsigned long decoded = 0, i;
    load_vectors();
    for (i = 0; fuzz_goes_on(i, 200000); i++) {
        uint8_t *bytes;
        size_t size = 16;
        if (i % 2) {
            bytes = fuzz_mutate((const uint8_t *)vectors[fuzz_rand() % n_vectors], 16, &size);
        } else {
            size = fuzz_rand() % 17;
            bytes = malloc(size ? size : 1);
            for (size_t b = 0; b < size; b++)
                bytes[b] = (uint8_t)fuzz_rand();
        }
        decoded += try_bytes(gens[fuzz_rand() % 4], bytes, size);
        free(bytes);
    }
    fprintf(stderr, "%lu inputs, %lu decoded\n", i, decoded);
    CHECK(decoded > i / 20);
    return utest_end();
}
