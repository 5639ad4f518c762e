/* Makes the builtin library at build time: prepare WIDTH LIBCLC.bc OUTDIR OURS.cl...
 *
 * Ours is compiled by the front end; what is for halves only (half_*.cl) is a part of its own.
 * libclc is taken as a packaged LLVM ships it for NVPTX, expressed in target-neutral IR, and
 * retargeted: address spaces, names of overloads, calling convention, attributes. What is ours, or
 * depends on the target, or is known to be wrong there is dropped. The rest is split in parts that
 * stand alone; all is linkonce_odr, so that a link takes only what is referenced. */
#include "backend/cc.h"
#include "backend/front.h"
#include "backend/llvmx.h"
#include "backend/lower.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

static const char *out_dir, *width;
static struct cc_log messages;

static void die(const char *fmt, const char *what)
{
    fprintf(stderr, "prepare: ");
    fprintf(stderr, fmt, what);
    fprintf(stderr, "\n%s", messages.text ? messages.text : "");
    exit(1);
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0, got;

    if (!f)
        die("can't read %s", path);
    do {
        text = realloc(text, n + 65537);
        if (!text)
            die("no memory for %s", path);
        got = fread(text + n, 1, 65536, f);
        n += got;
    } while (got);
    fclose(f);
    text[n] = 0;
    return text;
}

static void write_file(const char *part, const char *suffix, const char *data, size_t size)
{
    char *path = cc_printf("%s/%s%s.%s", out_dir, part, width, suffix);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        die("can't write %s", path);
}

/* ---- names ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct names {
    const char **list;
    unsigned n;
};

static struct names defined_names(LLVMModuleRef m)
{
    struct names s = {NULL, 0};
    unsigned n = 0;

    for_each_function (f, m)
        n++;
    s.list = cc_alloc((n + 1) * sizeof(*s.list));
    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMInternalLinkage &&
            LLVMGetLinkage(f) != LLVMPrivateLinkage)
            s.list[s.n++] = cc_printf("%s", llvmx_name(f));
    }
    qsort(s.list, s.n, sizeof(*s.list), by_text);
    return s;
}

static bool has_name(const struct names *s, const char *name)
{
    return bsearch(&name, s->list, s->n, sizeof(*s->list), by_text) != NULL;
}

/* ---- writing a part ---- */

static void make_internal(LLVMValueRef f)
{
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMSetVisibility(f, LLVMDefaultVisibility);
}

/* Helpers and tables get names that no program can have. */
static void share(LLVMValueRef v, const char *part)
{
    if (LLVMGetLinkage(v) == LLVMInternalLinkage || LLVMGetLinkage(v) == LLVMPrivateLinkage) {
        char *name = cc_printf("beignet.%s.%s", part, llvmx_name(v));
        LLVMSetValueName2(v, name, strlen(name));
    }
    LLVMSetLinkage(v, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(v, LLVMHiddenVisibility);
}

/* Names, then bitcode with all definitions linkonce_odr: helpers and tables too, or they would come
 * along with every link. */
static void write_part(LLVMModuleRef m, const char *part)
{
    struct names names = defined_names(m);
    char *text = cc_alloc(1);
    size_t size = 0, cap = 0;

    for (unsigned i = 0; i < names.n; i++) {
        size_t n = strlen(names.list[i]);
        if (size + n + 1 > cap) {
            cap = (size + n + 1) * 2;
            text = cc_grow(text, size, cap);
        }
        memcpy(text + size, names.list[i], n);
        text[size + n] = '\n';
        size += n + 1;
    }
    write_file(part, "names", text, size);

    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            share(f, part);
    }
    for_each_global (g, m) {
        if (!LLVMIsDeclaration(g))
            share(g, part);
    }
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    write_file(part, "bc", LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    LLVMDisposeMemoryBuffer(bytes);
    printf("%s%s: %u names\n", part, width, names.n);
}

/* ---- ours ---- */

static void drop_function_attributes(LLVMValueRef f, const char *const *strings,
                                     const char *const *enums)
{
    for (; *strings; strings++)
        LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, *strings,
                                         (unsigned)strlen(*strings));
    for (; *enums; enums++)
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, llvmx_attr_kind(*enums));
}

static bool is_for_halves(const char *path)
{
    const char *name = strrchr(path, '/');
    return !strncmp(name ? name + 1 : path, "half_", 5);
}

static LLVMModuleRef compile_ours(LLVMContextRef ctx, char **paths, unsigned n, bool for_halves)
{
    char *args[] = {"-cl-std=CL1.2", "-fno-builtin", "-Wno-everything"};
    LLVMModuleRef all = NULL;

    for (unsigned i = 0; i < n; i++) {
        if (is_for_halves(paths[i]) != for_halves)
            continue;
        const char *dir_end = strrchr(paths[i], '/');
        char *dir =
            cc_printf("%.*s", dir_end ? (int)(dir_end - paths[i]) : 1, dir_end ? paths[i] : ".");
        static const char *const included[] = {"gen.h",     "half.h",   "vector.h",   "power.h",
                                               "lanes.h",   "atomic.h", "atomic64.h", "image.h",
                                               "generic.h", "half.cl",  "mem.cl"};
        enum { N_INCLUDED = sizeof included / sizeof *included };
        struct cc_blob headers[N_INCLUDED];
        for (unsigned k = 0; k < N_INCLUDED; k++) {
            headers[k].name = included[k];
            headers[k].data = read_text(cc_printf("%s/%s", dir, included[k]));
            headers[k].size = strlen(headers[k].data);
        }
        bool is_cl20 = strstr(paths[i], "_cl20.cl") != NULL;
        struct cc_features features = features_of(NULL, is_cl20 ? 200 : 120, true);
        struct front_source src = {paths[i], read_text(paths[i]), headers, N_INCLUDED, &features};
        args[0] = is_cl20 ? "-cl-std=CL2.0" : "-cl-std=CL1.2";
        LLVMModuleRef m = front_compile(ctx, &src, args, 3, (unsigned)atoi(width), &messages);
        if (!m)
            die("%s doesn't compile", paths[i]);
        LLVMStripModuleDebugInfo(m);
        LLVMSetSourceFileName(m, "builtins", 8); /* no path of the build machine */
        LLVMSetModuleIdentifier(m, "builtins", 8);
        if (!all)
            all = m;
        else if (LLVMLinkModules2(all, m))
            die("%s doesn't link", paths[i]);
    }
    if (!all)
        die("no sources%s", "");
    lower_float_to_int(all);
    return all;
}

/* ---- libclc ---- */

struct edit {
    const char *from, *to;
};

/* Constant is space 4 there and 2 here, in types, in names of functions and of intrinsics. No C
 * function changes a type's space: on the text. */
static const struct edit edits[] = {
    {"addrspace(4)", "addrspace(2)"},
    {"PU3AS4", "PU3AS2"},
    {".p4.", ".p2."},
    {".p4(", ".p2("},
};

static char *edit_text(char *text)
{
    char *out = text, *p = text; /* nothing grows */
    while (*p) {
        const struct edit *e = NULL;
        for (unsigned k = 0; k < sizeof(edits) / sizeof(edits[0]) && !e; k++) {
            if (!strncmp(p, edits[k].from, strlen(edits[k].from)))
                e = &edits[k];
        }
        if (e) {
            memcpy(out, e->to, strlen(e->to));
            out += strlen(e->to);
            p += strlen(e->from);
        } else {
            *out++ = *p++;
        }
    }
    *out = 0;
    return text;
}

/* By the start of the name inside the mangled one: ours, or target-dependent. */
static const char *const dropped[] = {
    "atom_",       "atomic_",      "async_",         "prefetch",        "wait_group_events",
    "barrier",     "mem_fence",    "read_mem_fence", "write_mem_fence", "get_",
    "__clc_",      "__spirv",      "shuffle",        "vload_half",      "vloada_half",
    "vstore_half", "vstorea_half",
};

static bool is_dropped(const char *name)
{
    if (strncmp(name, "_Z", 2))
        return true; /* no builtin of OpenCL C */
    name += 2 + strspn(name + 2, "0123456789");
    for (unsigned k = 0; k < sizeof(dropped) / sizeof(dropped[0]); k++) {
        if (!strncmp(name, dropped[k], strlen(dropped[k])))
            return true;
    }
    return false;
}

static void retarget_function(LLVMValueRef f, LLVMContextRef ctx)
{
    static const char *const strings[] = {"target-features",
                                          "no-builtins",
                                          "frame-pointer",
                                          "no-trapping-math",
                                          "stack-protector-buffer-size",
                                          "target-cpu",
                                          NULL};
    static const char *const enums[] = {"alwaysinline", "noinline", "convergent", "optnone", NULL};
    static const char *const call_enums[] = {"nobuiltin", "convergent", "noinline"};
    static const char denormal[] = "denormal-fp-math-f32", flush[] = "preserve-sign,preserve-sign";

    if (!llvmx_is_intrinsic(f))
        LLVMSetFunctionCallConv(f, LLVMX_CC_FUNCTION);
    drop_function_attributes(f, strings, enums);
    if (!LLVMIsDeclaration(f))
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(ctx, denormal, sizeof(denormal) - 1,
                                                          flush, sizeof(flush) - 1));
    for_each_block (b, f) {
        for_each_insn (i, b) {
            LLVMOpcode op = LLVMGetInstructionOpcode(i);
            if (op == LLVMCall) {
                LLVMValueRef callee = LLVMGetCalledValue(i);
                if (LLVMIsAFunction(callee) && !llvmx_is_intrinsic(callee))
                    LLVMSetInstructionCallConv(i, LLVMX_CC_FUNCTION);
                for (unsigned k = 0; k < 3; k++)
                    LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex,
                                                    llvmx_attr_kind(call_enums[k]));
                LLVMRemoveCallSiteStringAttribute(i, LLVMAttributeFunctionIndex, "no-builtins", 11);
            } else if (op == LLVMLoad && LLVMGetAlignment(i) == 16) {
                /* its table of pi claims more alignment than its addresses have */
                LLVMValueRef p = LLVMGetOperand(i, 0);
                while (LLVMIsAGetElementPtrInst(p) || LLVMIsAConstantExpr(p))
                    p = LLVMGetOperand(p, 0);
                if (LLVMIsAGlobalVariable(p) && strstr(llvmx_name(p), "PIBITS_TBL"))
                    LLVMSetAlignment(i, 1);
            }
        }
    }
}

/* Functions that a quotient off by 2.5 ulp, which is what the EU's division may be, would bring
 * over their limit. The quotient's error, times the reciprocal, is added back; where that is no
 * number (infinities) the quotient stands. */
static bool needs_exact_quotient(const char *mangled)
{
    static const char *const names[] = {"_Z5atan2", "_Z7atan2pi", "_Z6acospi", "_Z6atanpi"};
    for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        if (!strncmp(mangled, names[k], strlen(names[k])))
            return true;
    }
    return false;
}

static void refine_quotient(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef div)
{
    LLVMTypeRef t = LLVMTypeOf(div);
    LLVMTypeRef scalar = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
    if (LLVMGetTypeKind(scalar) != LLVMFloatTypeKind)
        return;
    LLVMValueRef x = LLVMGetOperand(div, 0), y = LLVMGetOperand(div, 1);
    LLVMValueRef one = LLVMConstReal(scalar, 1);
    if (t != scalar) {
        LLVMValueRef ones[16];
        for (unsigned i = 0; i < LLVMGetVectorSize(t); i++)
            ones[i] = one;
        one = LLVMConstVector(ones, LLVMGetVectorSize(t));
    }
    LLVMValueRef fma = LLVMGetIntrinsicDeclaration(m, LLVMLookupIntrinsicID("llvm.fma", 8), &t, 1);
    LLVMTypeRef type = LLVMGlobalGetValueType(fma);

    LLVMPositionBuilderBefore(b, div);
    LLVMValueRef q = LLVMBuildFDiv(b, x, y, "");
    LLVMValueRef r =
        LLVMBuildCall2(b, type, fma, (LLVMValueRef[]){LLVMBuildFNeg(b, q, ""), y, x}, 3, "");
    LLVMValueRef better =
        LLVMBuildCall2(b, type, fma, (LLVMValueRef[]){r, LLVMBuildFDiv(b, one, y, ""), q}, 3, "");
    LLVMValueRef number = LLVMBuildFCmp(b, LLVMRealORD, better, better, "");
    LLVMReplaceAllUsesWith(div, LLVMBuildSelect(b, number, better, q, ""));
    LLVMInstructionEraseFromParent(div);
}

/* Before Gen8 a fused multiply-add of doubles is a long function (lib/double.cl): what asks for one
 * by name gets it. libclc's other functions take the EU's mad, as those of floats do. */
static void relax_double_fma(LLVMModuleRef m, LLVMContextRef ctx)
{
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(ctx);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx);
    unsigned fma = LLVMLookupIntrinsicID("llvm.fma", 8);

    for_each_function (f, m) {
        if (!strncmp(llvmx_name(f), "_Z3fma", 6))
            continue;
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                LLVMTypeRef t = LLVMTypeOf(i);
                LLVMValueRef args[3];
                if (LLVMGetInstructionOpcode(i) != LLVMCall ||
                    !LLVMIsAFunction(LLVMGetCalledValue(i)) ||
                    LLVMGetIntrinsicID(LLVMGetCalledValue(i)) != fma)
                    continue;
                if (t != f64 &&
                    !(LLVMGetTypeKind(t) == LLVMVectorTypeKind && LLVMGetElementType(t) == f64))
                    continue;
                for (unsigned k = 0; k < 3; k++)
                    args[k] = LLVMGetOperand(i, k);
                LLVMValueRef mad = LLVMGetIntrinsicDeclaration(
                    m, LLVMLookupIntrinsicID("llvm.fmuladd", 12), &t, 1);
                LLVMPositionBuilderBefore(builder, i);
                LLVMReplaceAllUsesWith(
                    i, LLVMBuildCall2(builder, LLVMGlobalGetValueType(mad), mad, args, 3, ""));
                LLVMInstructionEraseFromParent(i);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}

static void refine_quotients(LLVMModuleRef m, LLVMContextRef ctx)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx);

    for_each_function (f, m) {
        if (!needs_exact_quotient(llvmx_name(f)))
            continue;
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                if (LLVMGetInstructionOpcode(i) == LLVMFDiv)
                    refine_quotient(m, builder, i);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}

/* Aliasing facts of another front end would mix with the program's. */
static void drop_metadata(LLVMModuleRef m)
{
    unsigned tbaa = LLVMGetMDKindID("tbaa", 4), fpmath = LLVMGetMDKindID("fpmath", 6);

    for_each_function (f, m) {
        for_each_block (b, f) {
            for_each_insn (i, b) {
                LLVMSetMetadata(i, tbaa, NULL);
                LLVMSetMetadata(i, fpmath, NULL);
            }
        }
    }
}

static LLVMModuleRef parse_text(LLVMContextRef ctx, const char *text)
{
    LLVMMemoryBufferRef buf =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "libclc");
    LLVMModuleRef m;
    char *why = NULL;
    if (LLVMParseIRInContext(ctx, buf, &m, &why))
        die("libclc's text doesn't parse: %s", why);
    return m;
}

static LLVMModuleRef load_libclc(LLVMContextRef ctx, const char *path, LLVMModuleRef ours)
{
    LLVMMemoryBufferRef buf;
    LLVMModuleRef m;
    char *why = NULL;
    struct names replaced = defined_names(ours);

    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buf, &why))
        die("libclc is needed: %s", why);
    if (LLVMParseBitcodeInContext2(ctx, buf, &m))
        die("%s isn't bitcode of this LLVM", path);
    char *text = LLVMPrintModuleToString(m);
    LLVMDisposeModule(m);
    m = parse_text(ctx, edit_text(text));
    LLVMDisposeMessage(text);
    LLVMSetTarget(m, LLVMGetTarget(ours));
    LLVMSetDataLayout(m, LLVMGetDataLayoutStr(ours));

    for_each_function (f, m)
        retarget_function(f, ctx);
    drop_metadata(m);
    refine_quotients(m, ctx);
    relax_double_fma(m, ctx);
    lower_float_to_int(m);
    for_each_function (f, m) {
        if (LLVMIsDeclaration(f))
            continue;
        if (is_dropped(llvmx_name(f)) || has_name(&replaced, llvmx_name(f)))
            make_internal(f);
        else
            LLVMSetLinkage(f, LLVMExternalLinkage);
    }
    llvmx_run(m, "globaldce");
    return m;
}

enum part { CONVERT, VECTOR, MATH, REST, N_PARTS };

static const char *const math_names[] = {
    "acos",    "asin",  "atan",  "cbrt",   "cos",       "cosh",  "erf",    "erfc",   "exp",
    "expm1",   "fmod",  "frexp", "hypot",  "ilogb",     "ldexp", "lgamma", "log",    "log10",
    "log1p",   "log2",  "logb",  "modf",   "nextafter", "pow",   "pown",   "powr",   "remainder",
    "remquo",  "rootn", "sin",   "sincos", "sinh",      "tan",   "tanh",   "tgamma", "half_",
    "native_", "sinpi", "cospi", "tanpi",  "fract",     "fdim",  "maxmag", "minmag",
};

static enum part part_of(const char *mangled)
{
    const char *name = mangled + 2 + strspn(mangled + 2, "0123456789");
    if (!strncmp(name, "convert_", 8))
        return CONVERT;
    if (!strncmp(name, "vload", 5) || !strncmp(name, "vstore", 6))
        return VECTOR;
    for (unsigned k = 0; k < sizeof(math_names) / sizeof(math_names[0]); k++) {
        if (!strncmp(name, math_names[k], strlen(math_names[k])))
            return MATH;
    }
    return REST;
}

static void split(LLVMModuleRef lib)
{
    static const char *const files[N_PARTS] = {"convert", "vector", "math", "rest"};

    for (int p = 0; p < N_PARTS; p++) {
        LLVMModuleRef m = LLVMCloneModule(lib);
        for_each_function (f, m) {
            if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMInternalLinkage &&
                part_of(llvmx_name(f)) != (enum part)p)
                make_internal(f);
        }
        llvmx_run(m, "globaldce");
        write_part(m, files[p]);
        LLVMDisposeModule(m);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5)
        die("usage: prepare WIDTH LIBCLC.bc OUTDIR OURS.cl...%s", "");
    width = argv[1];
    out_dir = argv[3];
    llvm_setup();
    LLVMContextRef ctx = LLVMContextCreate();
    llvm_log_to(ctx, &messages);
    char **sources = argv + 4;
    unsigned n = (unsigned)argc - 4;
    LLVMModuleRef ours = compile_ours(ctx, sources, n, false);
    split(load_libclc(ctx, argv[2], ours));
    write_part(ours, "ours");
    write_part(compile_ours(ctx, sources, n, true), "half");
    return 0;
}
