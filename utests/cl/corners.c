/* Kernels in which parts of the language meet that are seldom seen together (corners.cl). Each
 * writes 16 words an item; corners-expected.txt has, by kernel, the hash of each of these words
 * over all items. Its values are pocl's, and the test of pocl itself holds them to that:
 *     OCL_ICD_VENDORS=.../pocl.icd test-cl-corners print
 * prints them. */
#include <string.h>

#include "clu.h"

enum { ITEMS = 64, GROUP = 32, WORDS = 16, N_IN = 512 };

/* With the edges of int now and then. */
static void fill(uint32_t *in)
{
    static const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 63};
    for (unsigned i = 0; i < N_IN; i++) {
        uint64_t r = clu_random();
        in[i] = i % 4 ? (uint32_t)(r >> 32) : edges[r % (sizeof edges / sizeof *edges)];
    }
}

static char *read_file(const char *path, char *to, size_t size)
{
    FILE *f = fopen(path, "rb");
    REQUIRE(f);
    size_t n = fread(to, 1, size - 1, f);
    REQUIRE(n < size - 1);
    to[n] = 0;
    fclose(f);
    return to;
}

/* FNV-1a of word w of all items. */
static uint32_t hash(const uint32_t *out, unsigned w)
{
    uint32_t h = 2166136261u;
    for (unsigned i = 0; i < ITEMS; i++) {
        for (unsigned b = 0; b < 4; b++)
            h = (h ^ (out[WORDS * i + w] >> 8 * b & 0xff)) * 16777619u;
    }
    return h;
}

static void run(cl_program p, const char *name, const uint32_t *in, uint32_t *hashes)
{
    static const uint32_t zeros[ITEMS * WORDS];
    uint32_t out[ITEMS * WORDS];
    cl_kernel k = clu_kernel(p, name);
    cl_mem o = clu_buffer(sizeof out, zeros), i = clu_buffer(N_IN * sizeof *in, in);
    clu_arg_mem(k, 0, o);
    clu_arg_mem(k, 1, i);
    clu_run(k, ITEMS, GROUP);
    clu_read(o, sizeof out, out);
    for (unsigned w = 0; w < WORDS; w++)
        hashes[w] = hash(out, w);
    CL(clReleaseMemObject(o));
    CL(clReleaseMemObject(i));
    CL(clReleaseKernel(k));
}

/* The line of a kernel: its name, and WORDS hashes. False if it has none. */
static bool expected(const char *lines, const char *name, uint32_t *hashes)
{
    size_t n = strlen(name);
    for (const char *at = lines; at; at = strchr(at, '\n'), at += !!at) {
        if (strncmp(at, name, n) || at[n] != ' ')
            continue;
        char *end = (char *)at + n;
        for (unsigned w = 0; w < WORDS; w++)
            hashes[w] = (uint32_t)strtoul(end, &end, 16);
        return *end == '\n';
    }
    return false;
}

int main(int argc, char **argv)
{
    static char source[1 << 16], lines[1 << 16], names[4096];
    uint32_t in[N_IN];
    bool print = argc > 1 && !strcmp(argv[1], "print");
    clu_open();
    fill(in);
    read_file(SOURCE_DIR "/utests/cl/corners.cl", source, sizeof source);
    if (!print)
        read_file(SOURCE_DIR "/utests/cl/corners-expected.txt", lines, sizeof lines);
    static const char *const options[] = {"", "-cl-opt-disable"};
    for (unsigned o = 0; o < sizeof options / sizeof *options; o++) {
        cl_program p = clu_build(source, options[o]);
        CL(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
        unsigned n = 0;
        for (char *rest, *name = strtok_r(names, ";", &rest); name;
             name = strtok_r(NULL, ";", &rest), n++) {
            uint32_t got[WORDS], want[WORDS] = {0};
            run(p, name, in, got);
            if (print) {
                printf("%s", name);
                for (unsigned w = 0; w < WORDS; w++)
                    printf(" %08x", got[w]);
                printf("\n");
                continue;
            }
            CHECKF(expected(lines, name, want), "no values for kernel %s", name);
            for (unsigned w = 0; w < WORDS; w++)
                CHECKF(got[w] == want[w], "'%s' %s: word %u", options[o], name, w);
        }
        CHECK(n >= 28);
        CL(clReleaseProgram(p));
        if (print)
            break;
    }
    clu_close();
    return print ? 0 : utest_end();
}
