/* Each build option that may change code does: how many instructions a kernel has without and with
 * it, and which opcodes come and go. What they allow: OpenCL 3.0 API, 5.8.6. Hints that change
 * nothing (-cl-strict-aliasing, -cl-uniform-work-group-size, -cl-no-subgroup-ifp, and
 * -cl-denorms-are-zero where denormals are flushed anyway) must change nothing. */
#include "ccrun.h"

#define K(body) "kernel void k(global float *p, int n) { int i = get_global_id(0); " body " }"

enum code { FEWER, SAME, OTHER };

static const struct {
    const char *option, *body;
    enum code code;          /* against the build without the option */
    const char *gone, *come; /* opcodes of which there are fewer, more; NULL: none is named */
} table[] = {
    {"-cl-mad-enable",
     "#pragma OPENCL FP_CONTRACT OFF\nkernel void k(global float *p) "
     "{ int i = get_global_id(0); p[i] = p[i] * p[i + 99] + p[i + 200]; }",
     FEWER, " mul ", " mad "},
    {"-cl-no-signed-zeros", K("p[i] = p[i] + 0.0f;"), FEWER, " send", NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = (p[i] + 1.0f) + 2.0f;"), FEWER, " add ", NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = p[i] / 3.0f;"), FEWER, " math.fdiv ", " mul "},
    {"-cl-unsafe-math-optimizations", K("float d = p[i + 64]; p[i] = p[i] / d + p[i + 99] / d;"),
     FEWER, " math.fdiv ", NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = p[i] + 0.0f;"), FEWER, " send", NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = exp(p[i]);"), FEWER, " cmp ", NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = sin(p[i]);"), FEWER, " mad ", " math.sin "},
    {"-cl-unsafe-math-optimizations", K("p[i] = cos(p[i]);"), FEWER, " mad ", " math.cos "},
    {"-cl-unsafe-math-optimizations", K("p[i] = log2(p[i]);"), FEWER, " mad ", NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = pow(p[i], p[i + 9]);"), FEWER, " mad ",
     " math.pow "},
    {"-cl-unsafe-math-optimizations", K("float c; p[i] = sincos(p[i], &c) + c;"), FEWER, " mad ",
     " math.sin "},
    {"-cl-std=CL3.0 -cl-unsafe-math-optimizations", K("float c; p[i] = sincos(p[i], &c) + c;"),
     FEWER, " mad ", " math.sin "},
    {"-cl-unsafe-math-optimizations", K("p[i] = tanh(p[i]);"), FEWER, NULL, NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = sinh(p[i]);"), FEWER, NULL, NULL},
    {"-cl-unsafe-math-optimizations", K("p[i] = cosh(p[i]);"), FEWER, NULL, NULL},
    {"-cl-finite-math-only", K("p[i] = isnan(p[i]) ? 7.0f : p[i] + 1.0f;"), FEWER, " cmp ", NULL},
    {"-cl-finite-math-only", K("p[i] = isinf(p[i]) ? 7.0f : p[i] + 1.0f;"), FEWER, " cmp ", NULL},
    {"-cl-finite-math-only", K("p[i] = p[i] != p[i] ? 7.0f : p[i] + 1.0f;"), FEWER, " cmp ", NULL},
    {"-cl-fast-relaxed-math", K("p[i] = p[i] * 0.0f;"), FEWER, " mul ", NULL},
    {"-cl-fast-relaxed-math", K("p[i] = sin(p[i]);"), FEWER, " mad ", " math.sin "},
    {"-cl-single-precision-constant", K("p[i] = p[i] * 1.1 + 1.0;"), FEWER, ":df", NULL},
    {"-cl-opt-disable", K("int s = 0; for (int j = 0; j < n; j++) s += j * 4; p[i] = s;"), OTHER,
     NULL, NULL},
    {"-cl-strict-aliasing", K("p[i] = p[i] * p[i];"), SAME, NULL, NULL},
    {"-cl-uniform-work-group-size", K("p[i] = get_local_size(0);"), SAME, NULL, NULL},
    {"-cl-no-subgroup-ifp", K("p[i] = 1;"), SAME, NULL, NULL},
    {"-cl-denorms-are-zero", K("p[i] = p[i] * p[i + 1] + p[i];"), SAME, NULL, NULL},
    {"-g", K("p[i] = sqrt(p[i]) + n;"), OTHER, NULL, " program.cl:"},
    {"-cl-kernel-arg-info", K("p[i] = sqrt(p[i]) + n;"), SAME, NULL, NULL},
};

/* The code of a build, as text. */
static const char *code(const char *source, const char *device, const char *option)
{
    static char text[2][1 << 18];
    static unsigned which;
    char path[] = BINARY_DIR "/optcode-XXXXXX", command[900];
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    snprintf(command, sizeof(command), "--device %s --simd 16 %s -o %s", device, option, path);
    CHECKF(ccrun(source, command) == 0, "%s: %s", option, ccrun_text);
    snprintf(command, sizeof(command), "timeout 60 %s/backend/beignet-cc --disasm %s", BINARY_DIR,
             path);
    FILE *f = popen(command, "r");
    REQUIRE(f != NULL);
    which ^= 1;
    text[which][fread(text[which], 1, sizeof(text[which]) - 1, f)] = 0;
    CHECK(pclose(f) == 0);
    remove(path);
    return text[which];
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

/* Lines but those that fill the end. */
static unsigned length(const char *text)
{
    return count(text, "\n") - count(text, " nop\n");
}

static void check(unsigned k, const char *device)
{
    const char *option = table[k].option, *source = table[k].body;
    char base[64] = "";
    if (!strncmp(option, "-cl-std=", 8))
        snprintf(base, sizeof base, "%.*s", (int)strcspn(option, " "), option);
    const char *without = code(source, device, base), *with = code(source, device, option);
    unsigned n = length(without), m = length(with);
    bool ok = table[k].code == FEWER  ? m < n
              : table[k].code == SAME ? !strcmp(with, without)
                                      : strcmp(with, without) != 0;
    CHECKF(ok, "%s, %s: %s: %u, then %u", device, option, source, n, m);
    if (table[k].gone)
        CHECKF(count(with, table[k].gone) < count(without, table[k].gone), "%s, %s: %s: no less%s",
               device, option, source, table[k].gone);
    if (table[k].come)
        CHECKF(count(with, table[k].come) > count(without, table[k].come), "%s, %s: %s: no more%s",
               device, option, source, table[k].come);
}

int main(void)
{
    static const char *const devices[] = {"hsw-gt2", "skl-gt2"};
    for (unsigned d = 0; d < sizeof devices / sizeof *devices; d++) {
        for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
            check(k, devices[d]);
    }
    return utest_end();
}
