/* Kernel binaries: what is written is read back the same; what is inconsistent is refused. readelf
 * must see the image as an ELF file. */
#include "gen/kbin.h"
#include "utest.h"

static uint8_t code[64];
static uint8_t constants[40];
static uint8_t bitcode[9] = "BC\xc0\xde";

static struct kbin_arg args[3] = {
    {.kind = KBIN_ARG_GLOBAL,
     .qualifiers = KBIN_QUAL_CONST,
     .size = 8,
     .align = 16,
     .type_name = "float4*",
     .name = "src"},
    {.kind = KBIN_ARG_LOCAL, .size = 8, .align = 4, .type_name = "uint*"},
    {.kind = KBIN_ARG_VALUE, .size = 12, .align = 4, .type_name = "struct s", .name = "s"},
};
static struct kbin_param params[4] = {
    {KBIN_PARAM_ARG_ADDRESS, 0, 0, 8, 0},
    {KBIN_PARAM_ARG_LOCAL, 1, 8, 4, 0},
    {KBIN_PARAM_ARG, 2, 12, 8, 4},
    {KBIN_PARAM_GLOBAL_SIZE, 1, 20, 4, 0},
};
static struct kbin_surface surfaces[2] = {
    {KBIN_SURFACE_ARG, 0, true},
    {KBIN_SURFACE_CONSTANTS, 0, false},
};
static struct kbin_line lines[3] = {{0, 0, 3}, {16, 1, 7}, {40, 0, 4}};
static struct kbin_file files[2] = {{"<source>"}, {"helper.h"}};
static struct kbin_reloc relocs[1] = {{32, 40}};
static struct kbin_printf_arg printf_args[2] = {{32, 4}, {64, 1}};
static struct kbin_printf printfs[2] = {{"%v4hld\n%s \x80", printf_args, 2}, {"", NULL, 0}};
static struct kbin_kernel kernels[2] = {
    {.name = "one",
     .code = code,
     .code_size = sizeof(code),
     .simd = 16,
     .n_push_regs = 1,
     .uses_local_id = {true, false, true},
     .uses_barrier = true,
     .slm_size = 128,
     .private_size = 64,
     .scratch_size = 1024,
     .reqd_wg_size = {8, 4, 1},
     .attributes = "reqd_work_group_size(8,4,1)",
     .args = args,
     .params = params,
     .surfaces = surfaces,
     .n_args = 3,
     .n_params = 4,
     .n_surfaces = 2,
     .lines = lines,
     .files = files,
     .n_lines = 3,
     .n_files = 2,
     .n_insns = 4},
    {.name = "two", .code = code, .code_size = 16, .simd = 8},
};
/* "one" in eight lanes. */
static struct kbin_kernel narrow[1] = {{.name = "one",
                                        .code = code + 8,
                                        .code_size = 24,
                                        .simd = 8,
                                        .reqd_wg_size = {8, 4, 1},
                                        .slm_size = 128,
                                        .args = args,
                                        .n_args = 3,
                                        .issue_clocks = 70,
                                        .wait_clocks = 400}};
static struct kbin bin = {.gen = 90,
                          .quirks = 5,
                          .pointer_bits = 64,
                          .kernels = kernels,
                          .n_kernels = 2,
                          .narrow = narrow,
                          .n_narrow = 1,
                          .constants = constants,
                          .constants_size = sizeof(constants),
                          .relocs = relocs,
                          .n_relocs = 1,
                          .printfs = printfs,
                          .n_printfs = 2,
                          .bitcode = bitcode,
                          .bitcode_size = sizeof(bitcode),
                          .type = 4,
                          .options = "-cl-mad-enable"};

static bool same_str(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void round_trip(void)
{
    uint8_t *image = NULL;
    size_t size = 0;
    const char *why = NULL;
    struct kbin r;

    for (unsigned i = 0; i < sizeof(code); i++)
        code[i] = (uint8_t)(i * 7);
    REQUIRE(kbin_write(&bin, &image, &size, &why));
    REQUIRE(kbin_read(image, size, &r, &why));
    CHECK(r.gen == 90 && r.quirks == 5 && r.pointer_bits == 64 && r.type == 4);
    CHECK(same_str(r.options, bin.options));
    REQUIRE(r.n_kernels == 2 && r.n_relocs == 1);
    CHECK(r.relocs[0].offset == 32 && r.relocs[0].addend == 40);
    REQUIRE(r.n_printfs == 2 && r.printfs[0].n_args == 2 && !r.printfs[1].n_args);
    CHECK(same_str(r.printfs[0].format, printfs[0].format) && same_str(r.printfs[1].format, ""));
    CHECK(!memcmp(r.printfs[0].args, printf_args, sizeof(printf_args)));
    CHECK(r.constants_size == sizeof(constants) &&
          !memcmp(r.constants, constants, sizeof(constants)));
    CHECK(r.bitcode_size == sizeof(bitcode) && !memcmp(r.bitcode, bitcode, sizeof(bitcode)));

    const struct kbin_kernel *k = &r.kernels[0], *w = &kernels[0];
    CHECK(same_str(k->name, "one") && same_str(r.kernels[1].name, "two"));
    CHECK(k->code_size == sizeof(code) && !memcmp(k->code, code, sizeof(code)));
    CHECK(r.kernels[1].code_size == 16 && r.kernels[1].simd == 8);
    CHECK(k->simd == 16 && k->n_push_regs == 1 && k->uses_barrier && !k->observes_groups);
    CHECK(k->uses_local_id[0] && !k->uses_local_id[1] && k->uses_local_id[2]);
    CHECK(k->slm_size == 128 && k->private_size == 64 && k->scratch_size == 1024);
    CHECK(!memcmp(k->reqd_wg_size, w->reqd_wg_size, sizeof(w->reqd_wg_size)));
    CHECK(same_str(k->attributes, w->attributes));
    const struct kbin_kernel *n = r.narrow;
    REQUIRE(r.n_narrow == 1 && n->simd == 8 && n->code_size == 24);
    CHECK(!memcmp(n->code, code + 8, 24) && n->issue_clocks == 70 && n->wait_clocks == 400);
    REQUIRE(k->n_args == 3 && k->n_params == 4 && k->n_surfaces == 2);
    CHECK(!memcmp(k->params, params, sizeof(params)));
    CHECK(k->surfaces[0].written && !k->surfaces[1].written);
    CHECK(k->surfaces[1].kind == KBIN_SURFACE_CONSTANTS);
    REQUIRE(k->n_lines == 3 && k->n_files == 2 && !r.kernels[1].n_lines);
    CHECK(!memcmp(k->lines, lines, sizeof(lines)));
    CHECK(same_str(k->files[0].name, "<source>") && same_str(k->files[1].name, "helper.h"));
    for (unsigned i = 0; i < 3; i++) {
        CHECK(k->args[i].kind == args[i].kind && k->args[i].size == args[i].size);
        CHECK(k->args[i].align == args[i].align && k->args[i].qualifiers == args[i].qualifiers);
        CHECK(same_str(k->args[i].type_name, args[i].type_name));
        CHECK(same_str(k->args[i].name, args[i].name));
    }
    kbin_fini(&r);

    char path[] = BINARY_DIR "/kbin-XXXXXX", command[1000];
    FILE *f = fdopen(mkstemp(path), "wb");
    REQUIRE(f && fwrite(image, size, 1, f) == 1 && !fclose(f));
    snprintf(command, sizeof(command),
             "readelf -S -W %s | grep -c -E '\\.text\\.(one|two)|\\.rodata|\\.llvmbc|\\.note' | "
             "grep -qx 5",
             path);
    CHECK(!system(command));
    remove(path);

    struct kbin none;
    for (size_t n = 0; n < size; n++) /* no prefix is taken for the whole */
        CHECK(!kbin_read(image, n, &none, &why));
    free(image);
}

/* Each line makes one member wrong; kbin_check must see it, and after it is set back no more. */
#define WRONG(member, value)                                                                       \
    do {                                                                                           \
        const char *why_ = NULL;                                                                   \
        __typeof__(member) old_ = (member);                                                        \
        (member) = (value);                                                                        \
        CHECK(!kbin_check(&bin, &why_) && why_);                                                   \
        (member) = old_;                                                                           \
        CHECK(kbin_check(&bin, &why_));                                                            \
    } while (0)

static void refused(void)
{
    WRONG(bin.gen, 60);
    WRONG(bin.pointer_bits, 32);
    WRONG(bin.type, 3);
    WRONG(relocs[0].offset, 33);
    WRONG(relocs[0].addend, 41);
    WRONG(kernels[0].name, NULL);
    WRONG(kernels[1].name, "one");
    WRONG(kernels[0].simd, 4);
    WRONG(kernels[0].code_size, 20);
    WRONG(kernels[0].n_push_regs, 0);
    WRONG(kernels[0].slm_size, 65537);
    WRONG(kernels[0].reqd_wg_size[1], 0);
    WRONG(kernels[0].reqd_simd, 8);
    WRONG(args[0].kind, KBIN_ARG_VALUE);
    WRONG(args[1].kind, KBIN_ARG_GLOBAL);
    WRONG(args[2].size, 8);
    WRONG(args[2].align, 3);
    WRONG(params[0].size, 6);
    WRONG(params[0].kind, KBIN_N_PARAM_KINDS);
    WRONG(params[0].index, 3);
    WRONG(params[3].index, 3);
    WRONG(params[3].offset, 30);
    WRONG(surfaces[0].index, 1);
    WRONG(surfaces[0].kind, KBIN_SURFACE_WINDOW0);
    WRONG(surfaces[0].kind, KBIN_SURFACE_IMAGE);
    WRONG(lines[1].offset, 0);
    WRONG(lines[2].offset, 64);
    WRONG(lines[1].file, 2);
    WRONG(files[0].name, NULL);
    WRONG(bin.narrow, NULL);
    WRONG(bin.n_narrow, 3);
    WRONG(narrow[0].name, "three");
    WRONG(narrow[0].name, "two");
    WRONG(narrow[0].simd, 16);
    WRONG(narrow[0].n_args, 2);
    WRONG(narrow[0].slm_size, 0);
    WRONG(narrow[0].reqd_wg_size[0], 4);
    WRONG(narrow[0].observes_groups, true);
    WRONG(narrow[0].code, NULL);
    WRONG(bin.printfs, NULL);
    WRONG(printfs[1].format, NULL);
    WRONG(printfs[1].n_args, 1);
    WRONG(printf_args[0].bits, 24);
    WRONG(printf_args[0].n, 0);
    WRONG(printf_args[1].n, 17);
}

int main(void)
{
    round_trip();
    refused();
    return utest_end();
}
