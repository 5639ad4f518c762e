/* Line tables: with -g each store's code stands under its own line, also in inlined functions and
 * in macros; code is the same without -g, and there is no table then. */
#include "ccrun.h"
#include "gen/eu.h"

static const char source[] = "int helper(int x)\n"              /* 1 */
                             "{\n"                              /* 2 */
                             "    return x * x + 1;\n"          /* 3 */
                             "}\n"                              /* 4 */
                             "#line 50 \"other.h\"\n"           /* 5 */
                             "void put(global int *p, int v)\n" /* 50 */
                             "{\n"                              /* 51 */
                             "    *p = v;\n"                    /* 52 */
                             "}\n"                              /* 53 */
                             "#line 10 \"main.cl\"\n"
                             "kernel void lines(global int *a, global int *b, int n)\n" /* 10 */
                             "{\n"                                                      /* 11 */
                             "    int i = get_global_id(0);\n"                          /* 12 */
                             "    if (i < n)\n"                                         /* 13 */
                             "        a[i] = helper(i);\n"                              /* 14 */
                             "    put(b + i, n);\n"                                     /* 15 */
                             "}\n";

/* The place of the instruction at byte `offset`. */
static void place(const struct kbin_kernel *k, uint32_t offset, char *out, size_t size)
{
    snprintf(out, size, "?");
    for (uint32_t i = 0; i < k->n_lines && k->lines[i].offset <= offset; i++)
        snprintf(out, size, "%s:%u", k->files[k->lines[i].file].name, k->lines[i].line);
}

static void check(const char *device)
{
    struct kbin with, without;
    char options[100], where[2][100] = {"", ""};
    unsigned n = 0;
    snprintf(options, sizeof options, "--device %s", device);
    ccrun_binary(source, options, &without);
    snprintf(options, sizeof options, "--device %s -g", device);
    ccrun_binary(source, options, &with);
    const struct kbin_kernel *k = &with.kernels[0];
    CHECK(without.kernels[0].n_lines == 0 && without.kernels[0].n_files == 0);
    CHECK(k->code_size == without.kernels[0].code_size &&
          !memcmp(k->code, without.kernels[0].code, k->code_size));
    for (uint32_t at = 0; at < k->code_size;) {
        struct eu_insn insn;
        const char *why = NULL;
        unsigned size = eu_decode(with.gen, k->code + at, k->code_size - at, &insn, &why);
        REQUIRE(size != 0);
        if (eu_op_info(insn.op)->is_send && !insn.eot) {
            char here[100];
            place(k, at, here, sizeof here);
            if (n == 0 || strcmp(here, where[n - 1])) { /* wide stores are two messages */
                REQUIRE(n < 2);
                memcpy(where[n++], here, sizeof here);
            }
        }
        if (insn.eot)
            break;
        at += size;
    }
    /* The only messages are the two stores. */
    CHECK(n == 2);
    CHECK(!strcmp(where[0], "main.cl:14"));
    CHECK(!strcmp(where[1], "other.h:52"));
    bool saw_helper = false;
    for (uint32_t i = 0; i < k->n_lines; i++)
        saw_helper |= k->lines[i].line == 3;
    CHECK(saw_helper);
    kbin_fini(&with);
    kbin_fini(&without);
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++)
        check(devices[i]);
    return utest_end();
}
