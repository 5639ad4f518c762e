/* Mutated kernel binaries: whatever the bytes, kbin_read either refuses or gives a struct that
 * kbin_check accepts and kbin_write can write again. To be run under the address sanitiser too.
 * FUZZ_N overrides the number of iterations. */
#include "gen/kbin.h"
#include "fuzz.h"

static struct kbin_kernel kernels[2], narrow[1];
static struct kbin_arg args[2] = {
    {.kind = KBIN_ARG_GLOBAL, .size = 4, .align = 4, .type_name = "int*", .name = "p"},
    {.kind = KBIN_ARG_VALUE, .size = 4, .align = 4, .type_name = "int"},
};
static struct kbin_param params[2] = {{KBIN_PARAM_ARG_OFFSET, 0, 0, 4, 0},
                                      {KBIN_PARAM_ARG, 1, 4, 4, 0}};
static struct kbin_surface surfaces[1] = {{KBIN_SURFACE_ARG, 0, true}};
static struct kbin_reloc relocs[1] = {{0, 4}};
static struct kbin_printf_arg printf_args[2] = {{32, 4}, {64, 1}};
static struct kbin_printf printfs[2] = {{"%v4hld %ld\n", printf_args, 2}, {"text", NULL, 0}};
static uint8_t bytes[64];

static void make_image(uint8_t **image, size_t *size)
{
    static char *names[2] = {"a", "bb"};
    const char *why;
    for (unsigned i = 0; i < 2; i++) {
        kernels[i] = (struct kbin_kernel){.name = names[i],
                                          .code = bytes,
                                          .code_size = 32,
                                          .simd = 16,
                                          .n_push_regs = 1,
                                          .args = args,
                                          .n_args = 2,
                                          .params = params,
                                          .n_params = 2,
                                          .surfaces = surfaces,
                                          .n_surfaces = 1};
    }
    narrow[0] = kernels[1];
    narrow[0].simd = 8;
    struct kbin b = {.gen = 75,
                     .pointer_bits = 32,
                     .kernels = kernels,
                     .n_kernels = 2,
                     .narrow = narrow,
                     .n_narrow = 1,
                     .constants = bytes,
                     .constants_size = 16,
                     .relocs = relocs,
                     .n_relocs = 1,
                     .printfs = printfs,
                     .n_printfs = 2,
                     .bitcode = bytes,
                     .bitcode_size = 40,
                     .type = 4,
                     .options = "-w"};
    REQUIRE(kbin_write(&b, image, size, &why));
}

int main(void)
{
    uint8_t *image, *copy;
    size_t size, n;
    unsigned accepted = 0;

    make_image(&image, &size);
    for (unsigned long i = 0; fuzz_goes_on(i, 20000); i++) {
        struct kbin b;
        const char *why = NULL;
        copy = fuzz_mutate(image, size, &n);
        if (kbin_read(copy, n, &b, &why)) {
            uint8_t *again;
            size_t again_size;
            accepted++;
            CHECK(kbin_check(&b, &why));
            if (i % 16 == 0 && kbin_write(&b, &again, &again_size, &why))
                free(again);
            kbin_fini(&b);
        } else {
            CHECK(why != NULL);
        }
        free(copy);
    }
    fprintf(stderr, "%u accepted\n", accepted);
    CHECK(accepted > 0); /* some mutations hit only code: else the mutator destroys too much */
    free(image);
    return utest_end();
}
