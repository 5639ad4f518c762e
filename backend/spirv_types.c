/* The translator of SPIR-V makes images, samplers and events pointers, as its LLVM had them; ours
 * has types for them, and so has the builtin library. A kernel's metadata says what its parameters
 * were. Everything is inlined first, so that such a value goes straight from a parameter to a
 * builtin function, and both are replaced by ones of the right type. */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned dim, depth, arrayed, ms;
} images[] = {
    {"image1d_t", 0, 0, 0, 0},
    {"image1d_array_t", 0, 0, 1, 0},
    {"image1d_buffer_t", 5, 0, 0, 0},
    {"image2d_t", 1, 0, 0, 0},
    {"image2d_array_t", 1, 0, 1, 0},
    {"image2d_depth_t", 1, 1, 0, 0},
    {"image2d_array_depth_t", 1, 1, 1, 0},
    {"image2d_msaa_t", 1, 0, 0, 1},
    {"image2d_array_msaa_t", 1, 0, 1, 1},
    {"image2d_msaa_depth_t", 1, 1, 0, 1},
    {"image2d_array_msaa_depth_t", 1, 1, 1, 1},
    {"image3d_t", 2, 0, 0, 0},
};

static const char sampler_maker[] = "__translate_sampler_initializer";

struct types {
    LLVMModuleRef m;
    LLVMContextRef ctx;
    LLVMBuilderRef builder;
    LLVMTypeRef sampler, event;
    struct cc_log *log;
    LLVMValueRef *old, *by; /* functions that are replaced, and by what */
    unsigned n, cap;
};

static LLVMTypeRef simple_type(struct types *t, const char *name)
{
    return LLVMTargetExtTypeInContext(t->ctx, name, NULL, 0, NULL, 0);
}

/* NULL: an ordinary type. */
static LLVMTypeRef opaque_type(struct types *t, const char *type, const char *access)
{
    if (type && !strcmp(type, "sampler_t"))
        return t->sampler;
    for (unsigned i = 0; type && i < sizeof(images) / sizeof(images[0]); i++) {
        if (strcmp(type, images[i].name))
            continue;
        unsigned a = !access                         ? 0
                     : !strcmp(access, "write_only") ? 1
                     : !strcmp(access, "read_write") ? 2
                                                     : 0;
        unsigned params[] = {
            images[i].dim, images[i].depth, images[i].arrayed, images[i].ms, 0, 0, a};
        LLVMTypeRef none = LLVMVoidTypeInContext(t->ctx);
        return LLVMTargetExtTypeInContext(t->ctx, "spirv.Image", &none, 1, params, 7);
    }
    return NULL;
}

/* The string at place i of a kernel's metadata node. */
static const char *kernel_string(struct types *t, LLVMValueRef kernel, const char *node, unsigned i)
{
    size_t n;
    unsigned kind = LLVMGetMDKindIDInContext(t->ctx, node, (unsigned)strlen(node)), len;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(kernel, &n);
    const char *text = NULL;

    for (unsigned e = 0; e < n; e++) {
        if (LLVMValueMetadataEntriesGetKind(entries, e) != kind)
            continue;
        LLVMValueRef list =
            LLVMMetadataAsValue(t->ctx, LLVMValueMetadataEntriesGetMetadata(entries, e));
        unsigned n_ops = LLVMGetMDNodeNumOperands(list);
        LLVMValueRef *ops = cc_alloc((n_ops + 1) * sizeof(*ops));
        LLVMGetMDNodeOperands(list, ops);
        const char *s = i < n_ops && ops[i] ? LLVMGetMDString(ops[i], &len) : NULL;
        text = s ? cc_printf("%.*s", (int)len, s) : NULL;
    }
    LLVMDisposeValueMetadataEntries(entries);
    return text;
}

/* A function of the name and attributes of another; params[i] NULL: the type it has. */
static LLVMValueRef retyped(struct types *t, LLVMValueRef f, LLVMTypeRef result,
                            LLVMTypeRef *params)
{
    unsigned n = LLVMCountParams(f);
    LLVMTypeRef *types = cc_alloc((n + 1) * sizeof(*types));
    for (unsigned i = 0; i < n; i++)
        types[i] = params[i] ? params[i] : LLVMTypeOf(LLVMGetParam(f, i));
    LLVMValueRef by = LLVMAddFunction(t->m, "", LLVMFunctionType(result, types, n, 0));

    LLVMSetFunctionCallConv(by, LLVMGetFunctionCallConv(f));
    LLVMSetLinkage(by, LLVMGetLinkage(f));
    for (unsigned i = 0; i <= n + 1; i++) {
        LLVMAttributeIndex at = i == n + 1 ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        if (at && at <= n && params[at - 1])
            continue;
        unsigned count = LLVMGetAttributeCountAtIndex(f, at);
        LLVMAttributeRef *list = cc_alloc((count + 1) * sizeof(LLVMAttributeRef));
        LLVMGetAttributesAtIndex(f, at, list);
        for (unsigned k = 0; k < count; k++)
            LLVMAddAttributeAtIndex(by, at, list[k]);
    }
    if (t->n == t->cap) {
        unsigned cap = t->cap ? 2 * t->cap : 16;
        t->old = cc_grow(t->old, t->n * sizeof(*t->old), cap * sizeof(*t->old));
        t->by = cc_grow(t->by, t->n * sizeof(*t->by), cap * sizeof(*t->by));
        t->cap = cap;
    }
    t->old[t->n] = f;
    t->by[t->n++] = by;
    return by;
}

static LLVMValueRef replacement(const struct types *t, LLVMValueRef f)
{
    for (unsigned i = 0; i < t->n; i++) {
        if (t->old[i] == f)
            return t->by[i];
    }
    return NULL;
}

/* A kernel with the same body and other parameters; the uses of those are replaced later. */
static void retype_kernel(struct types *t, LLVMValueRef f, LLVMTypeRef *params)
{
    LLVMValueRef by = retyped(t, f, LLVMVoidTypeInContext(t->ctx), params);
    LLVMBasicBlockRef b;
    size_t n;

    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(f, &n);
    for (unsigned e = 0; e < n; e++)
        LLVMGlobalSetMetadata(by, LLVMValueMetadataEntriesGetKind(entries, e),
                              LLVMValueMetadataEntriesGetMetadata(entries, e));
    LLVMDisposeValueMetadataEntries(entries);
    while ((b = LLVMGetFirstBasicBlock(f))) {
        LLVMRemoveBasicBlockFromParent(b);
        LLVMAppendExistingBasicBlock(by, b);
    }
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        if (!params[i])
            LLVMReplaceAllUsesWith(LLVMGetParam(f, i), LLVMGetParam(by, i));
    }
}

/* The value of the right type that stands for a pointer: NULL if none does. */
static LLVMValueRef opaque_value(struct types *t, LLVMValueRef v)
{
    if (LLVMIsAArgument(v)) {
        LLVMValueRef f = LLVMGetParamParent(v), by = replacement(t, f);
        for (unsigned i = 0; by && i < LLVMCountParams(f); i++) {
            if (LLVMGetParam(f, i) == v)
                return LLVMGetParam(by, i);
        }
        return NULL;
    }
    LLVMValueRef fn = LLVMIsACallInst(v) ? llvmx_callee(v) : NULL;
    if (!fn || strcmp(llvmx_name(fn), sampler_maker))
        return NULL;
    LLVMTypeRef none = NULL;
    LLVMValueRef by = replacement(t, fn), bits = LLVMGetOperand(v, 0);
    if (!by)
        by = retyped(t, fn, t->sampler, &none);
    LLVMPositionBuilderBefore(t->builder, v);
    return llvmx_call(t->builder, by, &bits, 1);
}

static bool has_suffix(const char *s, const char *suffix)
{
    size_t n = strlen(s), k = strlen(suffix);
    return n >= k && !strcmp(s + n - k, suffix);
}

/* A call of a builtin function with images, samplers, or (async copies) an event. */
static bool retype_call(struct types *t, LLVMValueRef call)
{
    LLVMValueRef fn = llvmx_callee(call), args[16];
    unsigned n = fn ? LLVMCountParams(fn) : 0, found = 0;
    LLVMTypeRef params[16] = {NULL};

    if (!fn || !LLVMIsDeclaration(fn) || n > 16 || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn)))
        return true;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = opaque_value(t, LLVMGetOperand(call, i));
        args[i] = v ? v : LLVMGetOperand(call, i);
        params[i] = v ? LLVMTypeOf(v) : NULL;
        found += v != NULL;
    }
    bool copies = n && has_suffix(llvmx_name(fn), "9ocl_event") &&
                  LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind;
    if (!found && !copies)
        return true;
    if (strncmp(llvmx_name(fn), "_Z", 2)) {
        cc_error(t->log, call, "an image or sampler as an argument of '%s' is not supported",
                 llvmx_name(fn));
        return false;
    }
    if (copies) { /* they are complete at once: which event it is doesn't matter */
        args[n - 1] = LLVMConstNull(t->event);
        params[n - 1] = t->event;
    }
    LLVMValueRef by = replacement(t, fn);
    if (!by)
        by = retyped(t, fn, copies ? t->event : LLVMTypeOf(call), params);
    for (unsigned i = 0; i < n; i++) {
        if (LLVMTypeOf(args[i]) != LLVMTypeOf(LLVMGetParam(by, i))) {
            cc_error(t->log, call, "arguments of '%s' don't have the types that its name says",
                     llvmx_source_name(fn));
            return false;
        }
    }
    LLVMPositionBuilderBefore(t->builder, call);
    LLVMValueRef result = llvmx_call(t->builder, by, args, n);
    LLVMInstructionSetDebugLoc(result, LLVMInstructionGetDebugLoc(call));
    LLVMReplaceAllUsesWith(call, copies ? LLVMGetOperand(call, n - 1) : result);
    LLVMInstructionEraseFromParent(call);
    return true;
}

static bool retype_calls(struct types *t, LLVMValueRef kernel)
{
    for_each_block (b, kernel) {
        for_each_insn_safe (i, b) {
            if (LLVMGetInstructionOpcode(i) == LLVMCall && !retype_call(t, i))
                return false;
        }
    }
    return true;
}

/* The old functions go; what is still used of them is something that we can't follow. */
static bool drop_old(struct types *t)
{
    for (unsigned i = 0; i < t->n; i++) {
        const char *name = cc_printf("%s", llvmx_name(t->old[i]));
        for (unsigned k = 0; k < LLVMCountParams(t->old[i]); k++) {
            LLVMUseRef use = LLVMGetFirstUse(LLVMGetParam(t->old[i], k));
            if (use) {
                cc_error(t->log, LLVMGetUser(use),
                         "an image or sampler of kernel '%s' is used as no image or sampler can be",
                         name);
                return false;
            }
        }
        for (LLVMUseRef use; (use = LLVMGetFirstUse(t->old[i]));) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsACallInst(user) || LLVMGetFirstUse(user)) {
                cc_error(t->log, NULL, "'%s' is used as it can't be", name);
                return false;
            }
            LLVMInstructionEraseFromParent(user); /* its value isn't used any more */
        }
        LLVMDeleteFunction(t->old[i]);
        LLVMSetValueName2(t->by[i], name, strlen(name));
    }
    return true;
}

static bool takes_opaque(LLVMValueRef f)
{
    return LLVMIsDeclaration(f) &&
           (strstr(llvmx_name(f), "ocl_") || !strcmp(llvmx_name(f), sampler_maker));
}

static bool has_opaque_types(LLVMModuleRef m)
{
    for_each_function (f, m) {
        if (takes_opaque(f))
            return true;
    }
    return false;
}

static bool calls_opaque(LLVMValueRef f)
{
    for_each_block (b, f) {
        for_each_insn (i, b) {
            LLVMValueRef fn = LLVMGetInstructionOpcode(i) == LLVMCall ? llvmx_callee(i) : NULL;
            if (fn && takes_opaque(fn))
                return true;
        }
    }
    return false;
}

/* Functions for other modules: nothing says which types the pointers were. To call one is an error
 * when the modules are linked. */
static void drop_exported(LLVMModuleRef m)
{
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f) && !llvmx_is_kernel(f) && !LLVMGetFirstUse(f) && calls_opaque(f))
            LLVMDeleteFunction(f);
    }
}

static void inline_all(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    for_each_function (f, m) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, llvmx_attr_kind("noinline"));
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, llvmx_attr_kind("optnone"));
        if (!llvmx_is_kernel(f))
            LLVMAddAttributeAtIndex(
                f, LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(ctx, llvmx_attr_kind("alwaysinline"), 0));
        for_each_block (b, f) {
            for_each_insn (i, b) {
                if (LLVMGetInstructionOpcode(i) == LLVMCall)
                    LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex,
                                                    llvmx_attr_kind("noinline"));
            }
        }
    }
    llvmx_run(m, "always-inline,function(sroa),globaldce");
}

bool spirv_restore_types(LLVMModuleRef m, struct cc_log *log)
{
    struct types t = {.m = m, .ctx = LLVMGetModuleContext(m), .log = log};
    bool ok = true;
    LLVMValueRef next;

    t.sampler = simple_type(&t, "spirv.Sampler");
    t.event = simple_type(&t, "spirv.Event");
    if (has_opaque_types(m)) {
        inline_all(m);
        drop_exported(m);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = next) {
        unsigned n = LLVMCountParams(f), found = 0;
        LLVMTypeRef *params = cc_alloc((n + 1) * sizeof(LLVMTypeRef));
        next = LLVMGetNextFunction(f);
        for (unsigned i = 0; llvmx_is_kernel(f) && i < n; i++) {
            if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(f, i))) != LLVMPointerTypeKind)
                continue; /* ours come at the end of the list */
            params[i] = opaque_type(&t, kernel_string(&t, f, "kernel_arg_type", i),
                                    kernel_string(&t, f, "kernel_arg_access_qual", i));
            found += params[i] != NULL;
        }
        if (found)
            retype_kernel(&t, f, params);
    }
    t.builder = LLVMCreateBuilderInContext(t.ctx);
    for_each_function (f, m) {
        if (ok && !LLVMIsDeclaration(f))
            ok = retype_calls(&t, f);
    }
    LLVMDisposeBuilder(t.builder);
    return ok && drop_old(&t);
}
