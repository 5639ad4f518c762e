/* What the API says about a kernel: arguments, attributes, required sizes, from the metadata that
 * Clang attaches to it. */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <llvm-c/Target.h>
#include <string.h>

/* A kernel's metadata nodes by name. */
struct metadata {
    LLVMValueMetadataEntry *entries;
    size_t n;
    LLVMContextRef ctx;
};

static LLVMValueRef find_node(const struct metadata *md, const char *name)
{
    unsigned kind = LLVMGetMDKindIDInContext(md->ctx, name, (unsigned)strlen(name));
    for (unsigned i = 0; i < md->n; i++) {
        if (LLVMValueMetadataEntriesGetKind(md->entries, i) == kind)
            return LLVMMetadataAsValue(md->ctx,
                                       LLVMValueMetadataEntriesGetMetadata(md->entries, i));
    }
    return NULL;
}

static LLVMValueRef operand(LLVMValueRef node, unsigned i)
{
    if (!node || i >= LLVMGetMDNodeNumOperands(node))
        return NULL;
    LLVMValueRef *ops = cc_alloc((size_t)LLVMGetMDNodeNumOperands(node) * sizeof(*ops));
    LLVMGetMDNodeOperands(node, ops);
    return ops[i];
}

static char *string_at(LLVMValueRef node, unsigned i)
{
    LLVMValueRef v = operand(node, i);
    unsigned n;
    const char *s = v ? LLVMGetMDString(v, &n) : NULL;
    return s ? cc_printf("%.*s", (int)n, s) : NULL;
}

static bool sizes_at(LLVMValueRef node, uint32_t size[3])
{
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef v = operand(node, i);
        if (!v || !LLVMIsAConstantInt(v))
            return false;
        size[i] = (uint32_t)LLVMConstIntGetZExtValue(v);
    }
    return true;
}

/* Alignment of what a local pointer points to, from its type's name: "float4*". Unknown names
 * (structs) get the largest there is. */
static uint32_t pointee_align(const char *type)
{
    static const struct {
        const char *name;
        uint32_t size;
    } scalars[] = {{"uchar", 1}, {"char", 1},  {"ushort", 2}, {"short", 2},
                   {"half", 2},  {"uint", 4},  {"int", 4},    {"ulong", 8},
                   {"long", 8},  {"float", 4}, {"double", 8}};

    for (unsigned k = 0; type && k < sizeof(scalars) / sizeof(scalars[0]); k++) {
        size_t n = strlen(scalars[k].name);
        if (strncmp(type, scalars[k].name, n))
            continue;
        /* "int4*", or as Clang names the type: "int __attribute__((ext_vector_type(4)))*" */
        static const char *const forms[] = {"%u%n", " __attribute__((ext_vector_type(%u)))%n"};
        unsigned width = 1;
        int used = 0;
        for (unsigned f = 0; f < 2 && !used; f++) {
            if (sscanf(type + n, forms[f], &width, &used) < 1)
                width = 1;
        }
        if (strcmp(type + n + used, "*"))
            break;
        return scalars[k].size * (width == 3 ? 4 : width);
    }
    return 128;
}

static uint8_t qualifiers_of(const char *s)
{
    uint8_t q = 0;
    if (s && strstr(s, "const"))
        q |= KBIN_QUAL_CONST;
    if (s && strstr(s, "restrict"))
        q |= KBIN_QUAL_RESTRICT;
    if (s && strstr(s, "volatile"))
        q |= KBIN_QUAL_VOLATILE;
    return q;
}

static bool fill_arg(LLVMValueRef kernel, unsigned i, const struct metadata *md, struct kbin_arg *a,
                     struct cc_log *log)
{
    LLVMValueRef param = LLVMGetParam(kernel, i);
    LLVMTypeRef t = LLVMTypeOf(param);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(kernel));
    LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(kernel, i + 1, llvmx_attr_kind("byval"));

    a->type_name = string_at(find_node(md, "kernel_arg_type"), i);
    a->qualifiers = qualifiers_of(string_at(find_node(md, "kernel_arg_type_qual"), i));
    a->name = string_at(find_node(md, "kernel_arg_name"), i);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && !byval) {
        a->size = sizeof(void *); /* of a handle, on the host */
        a->align = sizeof(void *);
        switch (LLVMGetPointerAddressSpace(t)) {
        case 1:
            a->kind = KBIN_ARG_GLOBAL;
            return true;
        case 2:
            a->kind = KBIN_ARG_CONSTANT;
            return true;
        case 3:
            a->kind = KBIN_ARG_LOCAL;
            a->align = pointee_align(string_at(find_node(md, "kernel_arg_base_type"), i));
            return true;
        }
        cc_error(log, kernel, "argument %u of kernel '%s' is a pointer to private memory", i,
                 llvmx_name(kernel));
        return false;
    }
    if (llvmx_image_type(t) || llvmx_is_sampler(t)) {
        a->kind = llvmx_is_sampler(t) ? KBIN_ARG_SAMPLER : KBIN_ARG_IMAGE;
        a->image = llvmx_image_type(t);
        a->access = a->image ? llvmx_image_access(t) : KBIN_ACCESS_NONE;
        a->size = a->align = sizeof(void *);
        return true;
    }
    if (byval)
        t = LLVMGetTypeAttributeValue(byval);
    a->kind = KBIN_ARG_VALUE;
    a->size = (uint32_t)LLVMABISizeOfType(layout, t);
    a->align = LLVMABIAlignmentOfType(layout, t);
    if (!a->size) {
        cc_error(log, kernel, "argument %u of kernel '%s' has no size", i, llvmx_name(kernel));
        return false;
    }
    return true;
}

static char *append(char *list, char *item)
{
    return list ? cc_printf("%s %s", list, item) : item;
}

/* "float4", for vec_type_hint: its operands are a value of the type and whether it is signed. */
static char *hint_name(LLVMValueRef node)
{
    LLVMValueRef v = operand(node, 0), s = operand(node, 1);
    if (!v)
        return NULL;
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned n = 1;
    bool is_signed = s && LLVMIsAConstantInt(s) && LLVMConstIntGetZExtValue(s);
    const char *base = NULL;

    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        n = LLVMGetVectorSize(t);
        t = LLVMGetElementType(t);
    }
    if (LLVMGetTypeKind(t) == LLVMFloatTypeKind) {
        base = "float";
    } else if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind) {
        switch (LLVMGetIntTypeWidth(t)) {
        case 8:
            base = is_signed ? "char" : "uchar";
            break;
        case 16:
            base = is_signed ? "short" : "ushort";
            break;
        case 32:
            base = is_signed ? "int" : "uint";
            break;
        case 64:
            base = is_signed ? "long" : "ulong";
            break;
        }
    }
    if (!base)
        return NULL;
    return n > 1 ? cc_printf("vec_type_hint(%s%u)", base, n) : cc_printf("vec_type_hint(%s)", base);
}

static void fill_attributes(const struct metadata *md, struct kbin_kernel *out)
{
    LLVMValueRef simd = find_node(md, "intel_reqd_sub_group_size");
    char *hint = hint_name(find_node(md, "vec_type_hint"));
    uint32_t *w = out->reqd_wg_size, *h = out->wg_size_hint;

    if (hint)
        out->attributes = append(out->attributes, hint);
    if (sizes_at(find_node(md, "work_group_size_hint"), h))
        out->attributes =
            append(out->attributes, cc_printf("work_group_size_hint(%u,%u,%u)", h[0], h[1], h[2]));
    if (sizes_at(find_node(md, "reqd_work_group_size"), w))
        out->attributes =
            append(out->attributes, cc_printf("reqd_work_group_size(%u,%u,%u)", w[0], w[1], w[2]));
    if (simd && operand(simd, 0) && LLVMIsAConstantInt(operand(simd, 0))) {
        out->reqd_simd = (uint32_t)LLVMConstIntGetZExtValue(operand(simd, 0));
        out->attributes =
            append(out->attributes, cc_printf("intel_reqd_sub_group_size(%u)", out->reqd_simd));
    }
}

static bool has_local_variable(LLVMValueRef kernel)
{
    LLVMModuleRef m = LLVMGetGlobalParent(kernel);
    for_each_global (g, m) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 && LLVMGetFirstUse(g))
            return true;
    }
    return false;
}

bool meta_fill(LLVMValueRef kernel, const struct gen_device *dev, const struct cc_options *opt,
               struct kbin_kernel *out, struct cc_log *log)
{
    struct metadata md = {.ctx = LLVMGetModuleContext(LLVMGetGlobalParent(kernel))};
    bool ok = true;

    (void)dev;
    (void)opt;
    md.entries = LLVMGlobalCopyAllMetadata(kernel, &md.n);
    out->name = cc_printf("%s", llvmx_name(kernel));
    out->n_args = LLVMCountParams(kernel);
    if (out->n_args > KBIN_MAX_ARGS) {
        cc_error(log, kernel, "kernel '%s' has too many arguments: %u, the limit is %u", out->name,
                 out->n_args, (unsigned)KBIN_MAX_ARGS);
        ok = false;
        out->n_args = 0;
    }
    out->args = cc_alloc(out->n_args * sizeof(*out->args));
    out->observes_groups =
        has_local_variable(kernel) ||
        LLVMGetStringAttributeAtIndex(kernel, LLVMAttributeFunctionIndex, "beignet-groups", 14);
    for (unsigned i = 0; i < out->n_args; i++) {
        ok &= fill_arg(kernel, i, &md, &out->args[i], log);
        out->observes_groups |= out->args[i].kind == KBIN_ARG_LOCAL;
    }
    fill_attributes(&md, out);
    if (out->reqd_simd && out->reqd_simd != 8 && out->reqd_simd != 16 && out->reqd_simd != 32) {
        cc_error(log, kernel, "kernel '%s' requires sub-groups of %u: 8, 16 and 32 are supported",
                 out->name, out->reqd_simd);
        ok = false;
    }
    LLVMDisposeValueMetadataEntries(md.entries);
    return ok;
}
