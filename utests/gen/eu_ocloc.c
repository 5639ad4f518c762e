/* Code of Intel's compiler (ocloc) for Gen8 and Gen9: it decodes, breaks no rule, prints, parses,
 * encodes and compacts to the same bits, and its messages unpack. */
#include "gen/device.h"
#include "gen/eu.h"
#include "gen/msg.h"

#include "utest.h"

enum { MAX_SIZE = 1 << 20 };

static unsigned n_insns, n_compact;

static void check_insn(int gen, uint32_t quirks, const uint8_t *p, unsigned size,
                       const struct eu_insn *in)
{
    char text[256];
    const char *why = "";
    struct eu_insn parsed;
    struct eu_bits b;
    uint64_t compact;
    eu_print(gen, in, text, sizeof(text));
    const char *broken = eu_check(gen, quirks, in);
    CHECKF(!broken, "gen %d %s: %s", gen, text, broken);
    CHECKF(eu_parse(gen, text, &parsed, &why), "gen %d %s: %s", gen, text, why);
    bool ok = eu_encode(gen, in, &b, &why);
    CHECKF(ok, "gen %d %s: %s", gen, text, why);
    n_insns++;
    if (!ok)
        return;
    if (size == EU_INSN_SIZE) {
        CHECKF(memcmp(&b, p, size) == 0, "gen %d %s", gen, text);
    } else if (in->src[0].file !=
               EU_IMM) { /* the subregister of an immediate is anybody's choice */
        n_compact++;
        CHECKF(eu_compact(gen, &b, &compact) && memcmp(&compact, p, size) == 0, "gen %d %s", gen,
               text);
    }
    if (eu_op_info(in->op)->is_send && !in->desc_reg && !in->exdesc_reg) {
        bool split = in->op == EU_OP_sends || in->op == EU_OP_sendsc;
        struct msg m;
        CHECKF(msg_unpack(gen, in->fn, in->desc | (uint32_t)in->eot << 31,
                          split ? in->exdesc >> 6 & 15 : 0, &m, &why),
               "gen %d %s: %s", gen, text, why);
    }
}

static void check_kernel(int gen, uint32_t quirks, const uint8_t *code, size_t size)
{
    struct eu_insn in = {0};
    for (size_t at = 0; at < size && !in.eot;) {
        const char *why = "";
        unsigned n = eu_decode(gen, code + at, size - at, &in, &why);
        CHECKF(n, "gen %d +0x%zx: %s", gen, at, why);
        if (!n)
            return;
        check_insn(gen, quirks, code + at, n, &in);
        at += n;
    }
    CHECK(in.eot);
}

static uint32_t word(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* Kernels of a binary in patch-token form: a program header, and for each kernel a header, its
 * name, its code (the heap) and three more heaps. */
static unsigned check_binary(int gen, uint32_t quirks, const uint8_t *b, size_t size)
{
    size_t at = 0;
    while (at + 28 < size && memcmp(b + at, "CTNI", 4) != 0)
        at++;
    if (at + 28 >= size)
        return 0;
    unsigned n_kernels = word(b + at + 16);
    at += 28 + word(b + at + 24);
    for (unsigned i = 0; i < n_kernels; i++) {
        REQUIRE(at + 40 <= size);
        uint32_t name = word(b + at + 12), heap = word(b + at + 20), used = word(b + at + 36);
        size_t code = at + 40 + name;
        REQUIRE(code + heap <= size && used <= heap);
        check_kernel(gen, quirks, b + code, used);
        at = code + heap + word(b + at + 24) + word(b + at + 28) + word(b + at + 32) +
             word(b + at + 16);
    }
    return n_kernels;
}

static void check_device(const char *device, int gen, uint32_t quirks)
{
    static uint8_t binary[MAX_SIZE];
    char command[1024], path[512];
    snprintf(path, sizeof(path), "%s/eu_ocloc/%s", BINARY_DIR, device);
    remove(path);
    snprintf(
        command, sizeof(command),
        "ocloc compile -q -file %s/utests/gen/ocloc.cl -device %s -options -cl-std=CL2.0 -output %s"
        " -output_no_suffix -out_dir %s/eu_ocloc >/dev/null 2>&1",
        SOURCE_DIR, device, device, BINARY_DIR);
    int status = system(command);
    FILE *f = fopen(path, "rb");
    CHECKF(f, "ocloc made no %s (status %d)", path, status);
    if (!f)
        return;
    size_t size = fread(binary, 1, sizeof(binary), f);
    fclose(f);
    remove(path);
    CHECK(size < sizeof(binary));
    unsigned n = check_binary(gen, quirks, binary, size);
    CHECKF(n == 4, "%u kernels for %s", n, device);
}

int main(void)
{
    if (system("command -v ocloc >/dev/null 2>&1") != 0)
        SKIP("ocloc is not installed");
    check_device("bdw", 80, 0);
    check_device("skl", 90, 0);
    check_device("bxt", 90, GEN_QUIRK_64BIT_REGIONS);
    CHECKF(n_insns > 6000 && n_compact > 1000, "%u instructions, %u compact", n_insns, n_compact);
    return utest_end();
}
