/* printf: a call becomes a record in the launch's printf buffer, which the driver prints by the
 * program's table of formats (gen/kbin.h). Each call is turned into one of a function of its own,
 * which is inlined again: so no basic block need be split here. */
#include "backend/lower.h"

#include "gen/fmt.h"

#include <string.h>

enum { MAX_WORDS = 1024 /* of a record */, CHUNK = 4 /* words stored at once */ };

struct printf_lowering {
    LLVMModuleRef m;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64, pointer; /* to global memory */
    struct kbin *out;
};

/* What one call passes on. */
struct record {
    LLVMValueRef words[MAX_WORDS];
    unsigned n_words;
    struct kbin_printf row;
};

static LLVMValueRef i32_const(struct printf_lowering *p, int64_t v)
{
    return LLVMConstInt(p->i32, (unsigned long long)v, 1);
}

/* The text of a string literal, NULL if v is anything else. */
static char *literal_text(LLVMValueRef v)
{
    size_t n = 0;
    LLVMValueRef init =
        LLVMIsAGlobalVariable(v) && LLVMIsGlobalConstant(v) ? LLVMGetInitializer(v) : NULL;
    if (!init)
        return NULL;
    if (LLVMIsAConstantAggregateZero(init))
        return cc_printf("%s", "");
    if (!LLVMIsAConstantDataSequential(init) || !LLVMIsConstantString(init))
        return NULL;
    const char *s = LLVMGetAsString(init, &n);
    return cc_printf("%.*s", (int)n, s);
}

static bool add_words(struct record *r, LLVMValueRef *words, unsigned n)
{
    if (r->n_words + n > MAX_WORDS)
        return false;
    memcpy(r->words + r->n_words, words, n * sizeof(*words));
    r->n_words += n;
    return true;
}

/* A number as its bits; 0 bits: not a number that printf takes. */
static unsigned element_bits(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMHalfTypeKind: /* as a float, which holds all of them */
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(t);
        return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
    }
    default: /* LLVM's enum */
        return 0;
    }
}

static bool add_element(struct printf_lowering *p, struct record *r, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef words[2];

    if (LLVMGetTypeKind(t) == LLVMHalfTypeKind) {
        t = LLVMFloatTypeInContext(LLVMGetModuleContext(p->m));
        v = LLVMBuildFPExt(p->b, v, t, "");
    }
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind)
        v = LLVMBuildBitCast(p->b, v, element_bits(t) == 64 ? p->i64 : p->i32, "");
    if (element_bits(t) < 64) {
        words[0] = LLVMBuildIntCast2(p->b, v, p->i32, 0, "");
        return add_words(r, words, 1);
    }
    words[0] = LLVMBuildTrunc(p->b, v, p->i32, "");
    v = LLVMBuildLShr(p->b, v, LLVMConstInt(p->i64, 32, 0), "");
    words[1] = LLVMBuildTrunc(p->b, v, p->i32, "");
    return add_words(r, words, 2);
}

/* Where the characters of %s are in the program's constant data. */
static LLVMValueRef string_offset(struct printf_lowering *p, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef fn =
        llvmx_primitive(p->m, "__gen_constant_offset", LLVMFunctionType(p->i32, &t, 1, 0), true);
    return llvmx_call(p->b, fn, &v, 1);
}

/* NULL, or what is wrong with the argument. */
static const char *add_arg(struct printf_lowering *p, struct record *r, const struct fmt_spec *spec,
                           LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    bool pointer = LLVMGetTypeKind(t) == LLVMPointerTypeKind, room = true;
    unsigned n = 1;

    if (spec->kind == FMT_STRING) {
        if (!pointer || LLVMGetPointerAddressSpace(t) != 2)
            return "the argument of printf's %s is not a string literal";
        v = string_offset(p, v);
    } else if (pointer) {
        v = LLVMBuildPtrToInt(p->b, v, p->out->pointer_bits == 64 ? p->i64 : p->i32, "");
    } else if (LLVMIsAFPExtInst(v)) {
        v = LLVMGetOperand(v, 0); /* what was promoted: shorter, and no denormal is lost */
    }
    t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        n = LLVMGetVectorSize(t);
        t = LLVMGetElementType(t);
    }
    if (!element_bits(t) || n > 16)
        return "an argument of printf has a type that it can't print";
    for (unsigned i = 0; i < n && room; i++)
        room = add_element(p, r, n > 1 ? LLVMBuildExtractElement(p->b, v, i32_const(p, i), "") : v);
    if (!room)
        return "the arguments of a printf take too much room";
    r->row.args[r->row.n_args++] =
        (struct kbin_printf_arg){.bits = (uint8_t)element_bits(t), .n = (uint8_t)n};
    return NULL;
}

static bool same_row(const struct kbin_printf *a, const struct kbin_printf *b)
{
    return !strcmp(a->format, b->format) && a->n_args == b->n_args &&
           !memcmp(a->args, b->args, a->n_args * sizeof(*a->args));
}

static uint32_t row_number(struct kbin *k, const struct kbin_printf *row)
{
    uint32_t n = k->n_printfs;

    for (uint32_t i = 0; i < n; i++) {
        if (same_row(&k->printfs[i], row))
            return i;
    }
    if ((n & (n - 1)) == 0)
        k->printfs = cc_grow(k->printfs, n * sizeof(*row), (n ? 2 * n : 1) * sizeof(*row));
    k->printfs[k->n_printfs++] = *row;
    return n;
}

/* Stores the words behind `at`, several at once. */
static void store_words(struct printf_lowering *p, LLVMValueRef at, LLVMValueRef *words, unsigned n)
{
    for (unsigned i = 0; i < n; i += CHUNK) {
        unsigned k = n - i < CHUNK ? n - i : CHUNK;
        LLVMValueRef offset = i32_const(p, 4 * i), v = words[i];
        if (k > 1)
            v = LLVMGetUndef(LLVMVectorType(p->i32, k));
        for (unsigned e = 0; k > 1 && e < k; e++)
            v = LLVMBuildInsertElement(p->b, v, words[i + e], i32_const(p, e), "");
        LLVMValueRef to = LLVMBuildInBoundsGEP2(p->b, p->i8, at, &offset, 1, "");
        LLVMSetAlignment(LLVMBuildStore(p->b, v, to), 4);
    }
}

/* i32 f(words...): reserves room, stores the record there; 0, or -1 if there is no room. */
static LLVMValueRef make_function(struct printf_lowering *p, struct record *r)
{
    LLVMContextRef ctx = LLVMGetModuleContext(p->m);
    LLVMTypeRef types[MAX_WORDS];
    LLVMValueRef params[MAX_WORDS], size = i32_const(p, 4 * r->n_words);

    for (unsigned i = 0; i < r->n_words; i++)
        types[i] = p->i32;
    LLVMValueRef fn = LLVMAddFunction(p->m, "__gen_printf_record",
                                      LLVMFunctionType(p->i32, types, r->n_words, 0));
    LLVMSetFunctionCallConv(fn, LLVMX_CC_FUNCTION);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMGetParams(fn, params);
    LLVMValueRef reserve = llvmx_primitive(p->m, "__gen_printf_reserve",
                                           LLVMFunctionType(p->pointer, &p->i32, 1, 0), false);

    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(ctx, fn, "");
    LLVMBasicBlockRef write = LLVMAppendBasicBlockInContext(ctx, fn, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(ctx, fn, "");
    LLVMBuilderRef outer = p->b;
    p->b = LLVMCreateBuilderInContext(ctx);
    LLVMPositionBuilderAtEnd(p->b, entry);
    LLVMValueRef at = llvmx_call(p->b, reserve, &size, 1);
    LLVMBuildCondBr(p->b, LLVMBuildIsNotNull(p->b, at, ""), write, end);
    LLVMPositionBuilderAtEnd(p->b, write);
    store_words(p, at, params, r->n_words);
    LLVMBuildBr(p->b, end);
    LLVMPositionBuilderAtEnd(p->b, end);
    LLVMValueRef result = LLVMBuildPhi(p->b, p->i32, "");
    LLVMValueRef values[2] = {i32_const(p, -1), i32_const(p, 0)};
    LLVMBasicBlockRef from[2] = {entry, write};
    LLVMAddIncoming(result, values, from, 2);
    LLVMBuildRet(p->b, result);
    LLVMDisposeBuilder(p->b);
    p->b = outer;
    return fn;
}

/* NULL, or what is wrong with the call. */
static const char *lower_call(struct printf_lowering *p, LLVMValueRef call)
{
    unsigned n = LLVMGetNumArgOperands(call), next = 1;
    struct record r = {.row.format = literal_text(LLVMGetOperand(call, 0)), .n_words = 1};
    const char *why = NULL;

    if (!r.row.format)
        return "printf's format is not a string literal";
    r.row.args = cc_alloc(n * sizeof(*r.row.args));
    LLVMPositionBuilderBefore(p->b, call);
    for (const char *at = strchr(r.row.format, '%'); at && !why; at = strchr(at, '%')) {
        struct fmt_spec spec;
        at = fmt_parse(at, &spec);
        if (fmt_takes(&spec) && next < n)
            why = add_arg(p, &r, &spec, LLVMGetOperand(call, next++));
    }
    if (why)
        return why;
    r.words[0] = i32_const(p, (int64_t)row_number(p->out, &r.row) + 1);
    LLVMValueRef result = llvmx_call(p->b, make_function(p, &r), r.words, r.n_words);
    LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
    return NULL;
}

bool lower_printf(LLVMModuleRef m, struct kbin *out, bool *any, struct cc_log *log)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMValueRef fn = LLVMGetNamedFunction(m, "printf");
    struct printf_lowering p = {.m = m,
                                .b = LLVMCreateBuilderInContext(ctx),
                                .i8 = LLVMInt8TypeInContext(ctx),
                                .i32 = LLVMInt32TypeInContext(ctx),
                                .i64 = LLVMInt64TypeInContext(ctx),
                                .pointer = LLVMPointerTypeInContext(ctx, 1),
                                .out = out};
    bool ok = true;

    *any = false;
    LLVMUseRef use = fn && LLVMIsDeclaration(fn) ? LLVMGetFirstUse(fn) : NULL;
    while (use) {
        LLVMValueRef call = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        if (!LLVMIsACallInst(call) || llvmx_callee(call) != fn)
            continue; /* closed.c names it */
        const char *why = lower_call(&p, call);
        if (why)
            cc_error(log, call, "%s", why);
        ok &= !why;
        *any = true;
    }
    LLVMDisposeBuilder(p.b);
    return ok;
}
