/* What a kernel binary says about arguments and attributes, for sources whose answers the
 * specification gives. */
#include "ccrun.h"

static const char source[] =
    "struct s { float4 a; char b; };\n"
    "typedef uint word;\n"
    "kernel __attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((vec_type_hint(float4)))\n"
    "void many(global float4 *restrict a, const global volatile uint *b, constant char *c,\n"
    "          local int4 *d, local struct s *e, struct s f, float3 g, word h, uchar i, ulong j,\n"
    "          global const word *k, global void *l)\n"
    "{ a[0] = f.a + g.x + h + i + j + c[0] + b[0] + d[0].x + e[0].b + k[0]; }\n"
    "kernel __attribute__((work_group_size_hint(64, 1, 1))) void hinted(global int *p) { *p = 1; "
    "}\n"
    "kernel void ids(global int *p) { p[get_global_id(0)] = get_global_size(0); }\n"
    "kernel void groups(global int *p) { p[get_global_id(0)] = get_group_id(0); }\n"
    "kernel void waits(global int *p) { *p = 1; barrier(CLK_GLOBAL_MEM_FENCE); }\n"
    "kernel void local_arg(local int *l, global int *p) { *p = 1; }\n";

static const struct {
    uint8_t kind, qualifiers;
    uint32_t size, align; /* 0: not looked at */
    const char *type, *name;
} expected[] = {
    {KBIN_ARG_GLOBAL, KBIN_QUAL_RESTRICT, 8, 0, "float4*", "a"},
    {KBIN_ARG_GLOBAL, KBIN_QUAL_CONST | KBIN_QUAL_VOLATILE, 8, 0, "uint*", "b"},
    {KBIN_ARG_CONSTANT, KBIN_QUAL_CONST, 8, 0, "char*", "c"},
    {KBIN_ARG_LOCAL, 0, 8, 16, "int4*", "d"},
    {KBIN_ARG_LOCAL, 0, 8, 128, "struct s*", "e"},
    {KBIN_ARG_VALUE, 0, 32, 16, "struct s", "f"},
    {KBIN_ARG_VALUE, 0, 16, 16, "float3", "g"},
    {KBIN_ARG_VALUE, 0, 4, 4, "word", "h"},
    {KBIN_ARG_VALUE, 0, 1, 1, "uchar", "i"},
    {KBIN_ARG_VALUE, 0, 8, 8, "ulong", "j"},
    {KBIN_ARG_GLOBAL, KBIN_QUAL_CONST, 8, 0, "word*", "k"},
    {KBIN_ARG_GLOBAL, 0, 8, 0, "void*", "l"},
};
enum { N_ARGS = sizeof(expected) / sizeof(expected[0]) };

static const struct kbin_kernel *find(const struct kbin *b, const char *name)
{
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        if (!strcmp(b->kernels[i].name, name))
            return &b->kernels[i];
    }
    fprintf(stderr, "no kernel %s\n", name);
    exit(1);
}

static void check_device(const char *device, bool names)
{
    char options[300];
    struct kbin b;

    snprintf(options, sizeof(options), "--device %s %s", device,
             names ? "-cl-kernel-arg-info" : "");
    ccrun_binary(source, options, &b);
    CHECK(b.n_kernels == 6);
    const struct kbin_kernel *k = find(&b, "many");
    REQUIRE(k->n_args == N_ARGS);
    for (unsigned i = 0; i < N_ARGS; i++) {
        const struct kbin_arg *a = &k->args[i];
        CHECKF(a->kind == expected[i].kind && a->qualifiers == expected[i].qualifiers &&
                   a->size == expected[i].size &&
                   (!expected[i].align || a->align == expected[i].align),
               "argument %u: kind %u, qualifiers %u, size %u, align %u", i, a->kind, a->qualifiers,
               a->size, a->align);
        CHECKF(a->type_name && !strcmp(a->type_name, expected[i].type), "argument %u: type %s", i,
               a->type_name);
        if (names)
            CHECKF(a->name && !strcmp(a->name, expected[i].name), "argument %u: name %s", i,
                   a->name);
        else
            CHECK(!a->name);
    }
    CHECK(k->reqd_wg_size[0] == 8 && k->reqd_wg_size[1] == 4 && k->reqd_wg_size[2] == 1);
    CHECKF(!strcmp(k->attributes, "vec_type_hint(float4) reqd_work_group_size(8,4,1)"), "%s",
           k->attributes);
    k = find(&b, "hinted");
    CHECK(k->wg_size_hint[0] == 64 && !k->reqd_wg_size[0]);
    CHECK(!strcmp(k->attributes, "work_group_size_hint(64,1,1)"));

    /* the driver may cut ranges as it likes only where nothing could see it */
    CHECK(!find(&b, "ids")->observes_groups && !find(&b, "hinted")->observes_groups);
    CHECK(find(&b, "groups")->observes_groups && find(&b, "waits")->observes_groups);
    CHECK(find(&b, "local_arg")->observes_groups && find(&b, "waits")->uses_barrier);
    kbin_fini(&b);
}

int main(void)
{
    check_device("ivb-gt2", true);
    check_device("skl-gt2", false);
    return utest_end();
}
