/* Lowering after LLVM's optimiser: operations that from_llvm need not know, in terms of ones that
 * it does. */
#include "backend/lower.h"

#include <llvm-c/Target.h>
#include <string.h>

struct low {
    LLVMModuleRef m;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i16, i32, i64, f16, f32, f64;
};

static void replace(LLVMValueRef insn, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(insn, by);
    LLVMInstructionEraseFromParent(insn);
}

static LLVMValueRef num(LLVMTypeRef t, uint64_t v)
{
    return LLVMConstInt(t, v, 0);
}

static LLVMValueRef primitive(struct low *l, const char *name, LLVMTypeRef result,
                              LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[3];
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMValueRef fn = llvmx_primitive(l->m, name, LLVMFunctionType(result, types, n, 0), true);
    return llvmx_call(l->b, fn, args, n);
}

static struct low low_init(LLVMModuleRef m)
{
    LLVMContextRef c = LLVMGetModuleContext(m);
    return (struct low){m,
                        LLVMCreateBuilderInContext(c),
                        LLVMInt1TypeInContext(c),
                        LLVMInt16TypeInContext(c),
                        LLVMInt32TypeInContext(c),
                        LLVMInt64TypeInContext(c),
                        LLVMHalfTypeInContext(c),
                        LLVMFloatTypeInContext(c),
                        LLVMDoubleTypeInContext(c)};
}

/* ---- to functions of the library ---- */

/* Operations on doubles that the EU has no instruction for, and the macros of Gen8 and 9. */
static const struct {
    const char *intrinsic, *function;
    int last_gen; /* the last to lack it */
} wide_calls[] = {
    {"llvm.sqrt.f64", "__gen_sqrt64", 75},
    {"llvm.sqrt.f64", "__gen_sqrtm64", 90},
    {"llvm.floor.f64", "__gen_floor64", 90},
    {"llvm.ceil.f64", "__gen_ceil64", 90},
    {"llvm.trunc.f64", "__gen_trunc64", 90},
    {"llvm.rint.f64", "__gen_rint64", 90},
    {"llvm.nearbyint.f64", "__gen_rint64", 90},
    {"llvm.roundeven.f64", "__gen_rint64", 90},
    {"llvm.round.f64", "__gen_round64", 90},
    {"llvm.fma.f64", "__gen_fma64", 75}, /* that its mad is fused is certain from Gen8 on */
    {"llvm.fptosi.sat.i64.f64", "__gen_d2l", 90},
    {"llvm.fptoui.sat.i64.f64", "__gen_d2ul", 90},
    {"llvm.fma.f16", "__gen_fma16", 80},
};

static const char *wide_function(LLVMValueRef i, const struct gen_device *dev)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMTypeKind to = LLVMGetTypeKind(LLVMTypeOf(i));

    if (op == LLVMFDiv && to == LLVMDoubleTypeKind)
        return dev->gen < 80 ? "__gen_div64" : "__gen_divm64";
    if (op == LLVMFPTrunc && to == LLVMHalfTypeKind &&
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) == LLVMDoubleTypeKind)
        return "__gen_d2h";
    if (op != LLVMCall || !LLVMIsAFunction(LLVMGetCalledValue(i)))
        return NULL;
    const char *name = llvmx_name(LLVMGetCalledValue(i));
    for (unsigned k = 0; k < sizeof(wide_calls) / sizeof(wide_calls[0]); k++) {
        if (!strcmp(name, wide_calls[k].intrinsic) && dev->gen <= wide_calls[k].last_gen)
            return wide_calls[k].function;
    }
    return NULL;
}

/* The library's functions know halves by their bits. */
static LLVMValueRef half_bits(struct low *l, LLVMValueRef v)
{
    return LLVMTypeOf(v) == l->f16 ? LLVMBuildBitCast(l->b, v, l->i16, "") : v;
}

static void call_wide(struct low *l, LLVMValueRef i, const char *name)
{
    unsigned n = LLVMGetInstructionOpcode(i) == LLVMCall ? LLVMGetNumArgOperands(i)
                                                         : (unsigned)LLVMGetNumOperands(i);
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMValueRef args[3];

    LLVMPositionBuilderBefore(l->b, i);
    for (unsigned k = 0; k < n; k++)
        args[k] = half_bits(l, LLVMGetOperand(i, k));
    LLVMValueRef r = primitive(l, name, t == l->f16 ? l->i16 : t, args, n);
    replace(i, t == l->f16 ? LLVMBuildBitCast(l->b, r, t, "") : r);
}

/* The library asks what the device has; the branches that it leaves go before anything else. */
static bool answer_questions(struct low *l, const struct gen_device *dev)
{
    LLVMValueRef fn = LLVMGetNamedFunction(l->m, "__gen_has_fma64");
    LLVMUseRef use = fn ? LLVMGetFirstUse(fn) : NULL;
    bool any = use != NULL;

    while (use) {
        LLVMValueRef call = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        replace(call, num(LLVMTypeOf(call), dev->gen >= 80));
    }
    return any;
}

static const char *division_name(LLVMOpcode op)
{
    switch ((int)op) {
    case LLVMUDiv:
        return "__gen_udiv64";
    case LLVMURem:
        return "__gen_urem64";
    case LLVMSDiv:
        return "__gen_sdiv64";
    case LLVMSRem:
        return "__gen_srem64";
    }
    return NULL;
}

/* memcpy(dst, src, size), memset(dst, value, size): a function of lib/mem.cl for each pair of
 * spaces and unit of 1 or 4 bytes: __gen_copy4_13 copies dwords from local (3) to global (1). */
static bool lower_mem(struct low *l, LLVMValueRef call, const char *what, unsigned pointer_bits)
{
    LLVMValueRef dst = LLVMGetOperand(call, 0), src = LLVMGetOperand(call, 1);
    LLVMValueRef size = LLVMGetOperand(call, 2);
    bool set = !strcmp(what, "set");
    unsigned to = LLVMGetPointerAddressSpace(LLVMTypeOf(dst));
    unsigned from = set ? 0 : LLVMGetPointerAddressSpace(LLVMTypeOf(src));
    unsigned align = llvmx_param_align(call, 0), src_align = set ? 4 : llvmx_param_align(call, 1);
    bool dwords = align >= 4 && src_align >= 4 && LLVMIsAConstantInt(size) &&
                  LLVMConstIntGetZExtValue(size) % 4 == 0;
    /* different spaces don't overlap */
    if (!strcmp(what, "move") && to != from)
        what = "copy";

    LLVMPositionBuilderBefore(l->b, call);
    size = LLVMBuildIntCast2(l->b, size, pointer_bits == 64 ? l->i64 : l->i32, 0, "");
    LLVMValueRef args[3] = {dst, src, size};
    LLVMTypeRef types[3] = {LLVMTypeOf(dst), LLVMTypeOf(src), LLVMTypeOf(size)};
    const char *name = set ? cc_printf("__gen_set%d_%u", dwords ? 4 : 1, to)
                           : cc_printf("__gen_%s%d_%u%u", what, dwords ? 4 : 1, to, from);
    LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(l->m));
    LLVMValueRef fn = llvmx_primitive(l->m, name, LLVMFunctionType(nothing, types, 3, 0), false);
    llvmx_call(l->b, fn, args, 3);
    LLVMInstructionEraseFromParent(call);
    return true;
}

/* Small ones of constant size, that don't overlap: loads, then stores. */
static bool inline_mem(struct low *l, LLVMValueRef call, const char *what)
{
    LLVMValueRef size = LLVMGetOperand(call, 2), dst = LLVMGetOperand(call, 0);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetModuleContext(l->m));
    bool set = !strcmp(what, "set");
    unsigned align = llvmx_param_align(call, 0);
    enum { MAX_DWORDS = 64 };

    if (!set) {
        unsigned a = llvmx_param_align(call, 1);
        align = a < align ? a : align;
    }
    if (!LLVMIsAConstantInt(size) || align < 4)
        return false;
    uint64_t n = LLVMConstIntGetZExtValue(size) / 4;
    if (LLVMConstIntGetZExtValue(size) % 4 || n > MAX_DWORDS)
        return false;

    LLVMValueRef values[MAX_DWORDS];
    LLVMPositionBuilderBefore(l->b, call);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at = num(l->i32, 4 * i);
        if (set) {
            LLVMValueRef byte = LLVMBuildZExt(l->b, LLVMGetOperand(call, 1), l->i32, "");
            values[i] = i ? values[0] : LLVMBuildMul(l->b, byte, num(l->i32, 0x01010101), "");
        } else {
            LLVMValueRef p = LLVMBuildGEP2(l->b, i8, LLVMGetOperand(call, 1), &at, 1, "");
            values[i] = LLVMBuildLoad2(l->b, l->i32, p, "");
            LLVMSetAlignment(values[i], 4);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at = num(l->i32, 4 * i);
        LLVMValueRef p = LLVMBuildGEP2(l->b, i8, dst, &at, 1, "");
        LLVMSetAlignment(LLVMBuildStore(l->b, values[i], p), 4);
    }
    LLVMInstructionEraseFromParent(call);
    return true;
}

static const char *mem_name(LLVMValueRef call)
{
    LLVMValueRef fn = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(fn) ? llvmx_name(fn) : "";
    if (!strncmp(name, "llvm.memcpy.", 12))
        return "copy";
    if (!strncmp(name, "llvm.memmove.", 13))
        return "move";
    if (!strncmp(name, "llvm.memset.", 12))
        return "set";
    return NULL;
}

bool lower_to_library(LLVMModuleRef m, const struct gen_device *dev)
{
    struct low l = low_init(m);
    bool any = answer_questions(&l, dev);

    if (any) {
        LLVMDisposeBuilder(l.b);
        return true;
    }
    for_each_function (f, m) {
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                LLVMOpcode op = LLVMGetInstructionOpcode(i);
                const char *name = division_name(op);
                if (name && LLVMTypeOf(i) == l.i64) {
                    LLVMValueRef args[2] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
                    LLVMPositionBuilderBefore(l.b, i);
                    replace(i, primitive(&l, name, l.i64, args, 2));
                    any = true;
                } else if ((name = wide_function(i, dev))) {
                    call_wide(&l, i, name);
                    any = true;
                } else if (op == LLVMCall && (name = mem_name(i))) {
                    if (!inline_mem(&l, i, name))
                        any |= lower_mem(&l, i, name, dev->pointer_bits);
                }
            }
        }
    }
    LLVMDisposeBuilder(l.b);
    return any;
}

/* ---- fused multiply and add ---- */

/* fmul and fadd that both carry `contract`: what fmuladd would have been without the math options.
 */
static LLVMValueRef contract_mul(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMFMul ||
        !(LLVMGetFastMathFlags(v) & LLVMFastMathAllowContract))
        return NULL;
    LLVMUseRef u = LLVMGetFirstUse(v);
    return u && !LLVMGetNextUse(u) ? v : NULL;
}

static void contract(struct low *l, LLVMValueRef i)
{
    bool sub = LLVMGetInstructionOpcode(i) == LLVMFSub;
    LLVMValueRef a = LLVMGetOperand(i, 0), c = LLVMGetOperand(i, 1);
    LLVMValueRef mul = contract_mul(a), x, y, z;

    LLVMPositionBuilderBefore(l->b, i);
    if (mul) { /* x * y +- c */
        x = LLVMGetOperand(mul, 0);
        y = LLVMGetOperand(mul, 1);
        z = sub ? LLVMBuildFNeg(l->b, c, "") : c;
    } else if ((mul = contract_mul(c))) { /* a +- x * y */
        x = LLVMGetOperand(mul, 0);
        y = LLVMGetOperand(mul, 1);
        z = a;
        if (sub)
            x = LLVMBuildFNeg(l->b, x, "");
    } else {
        return;
    }
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMValueRef args[3] = {x, y, z};
    /* of doubles one that needn't be fused: before Gen8 that is a function */
    const char *name = t == l->f32 ? "llvm.fma" : "llvm.fmuladd";
    LLVMValueRef fn =
        LLVMGetIntrinsicDeclaration(l->m, LLVMLookupIntrinsicID(name, strlen(name)), &t, 1);
    replace(i, LLVMBuildCall2(l->b, LLVMGlobalGetValueType(fn), fn, args, 3, ""));
    LLVMInstructionEraseFromParent(mul);
}

void lower_contract(LLVMModuleRef m)
{
    struct low l = low_init(m);

    for_each_function (f, m) {
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                LLVMOpcode op = LLVMGetInstructionOpcode(i);
                if ((op == LLVMFAdd || op == LLVMFSub) &&
                    (LLVMTypeOf(i) == l.f32 || LLVMTypeOf(i) == l.f64) &&
                    (LLVMGetFastMathFlags(i) & LLVMFastMathAllowContract))
                    contract(&l, i);
            }
        }
    }
    LLVMDisposeBuilder(l.b);
}

/* ---- intrinsics in terms of simpler operations; all on scalars ---- */

static unsigned width_of(LLVMValueRef v)
{
    return LLVMGetIntTypeWidth(LLVMTypeOf(v));
}

static LLVMValueRef sign_bit_set(struct low *l, LLVMValueRef v)
{
    return LLVMBuildICmp(l->b, LLVMIntSLT, v, num(LLVMTypeOf(v), 0), "");
}

/* The integer type of a float's bits. */
static LLVMTypeRef bits_type(struct low *l, LLVMTypeRef t)
{
    return t == l->f64 ? l->i64 : t == l->f32 ? l->i32 : l->i16;
}

static LLVMValueRef lower_copysign(struct low *l, LLVMValueRef *a)
{
    LLVMTypeRef t = bits_type(l, LLVMTypeOf(a[0]));
    uint64_t sign = 1ull << (LLVMGetIntTypeWidth(t) - 1);
    LLVMValueRef x = LLVMBuildBitCast(l->b, a[0], t, ""), y = LLVMBuildBitCast(l->b, a[1], t, "");
    x = LLVMBuildAnd(l->b, x, num(t, sign - 1), "");
    y = LLVMBuildAnd(l->b, y, num(t, sign), "");
    return LLVMBuildBitCast(l->b, LLVMBuildOr(l->b, x, y, ""), LLVMTypeOf(a[0]), "");
}

/* is.fpclass of doubles and halves: each class is a range of the magnitude's bits; both signs of it
 * are one test. */
static LLVMValueRef lower_fpclass(struct low *l, LLVMValueRef *a)
{
    static const struct {
        uint8_t plus, minus; /* bits of LLVM's mask */
    } classes[] = {{6, 5}, {7, 4}, {8, 3}, {9, 2}, {0, 0}, {1, 1}};
    enum { N = sizeof(classes) / sizeof(classes[0]) };
    bool wide = LLVMTypeOf(a[0]) == l->f64;
    LLVMTypeRef t = bits_type(l, LLVMTypeOf(a[0]));
    uint64_t sign = wide ? 1ull << 63 : 1u << 15, smallest = wide ? 1ull << 52 : 1u << 10;
    uint64_t infinity = wide ? 0x7ffull << 52 : 0x1fu << 10, quiet = infinity | smallest >> 1;
    /* zero, denormal, normal, infinite, signaling, quiet */
    uint64_t from[N + 1] = {0, 1, smallest, infinity, infinity + 1, quiet, sign};
    uint64_t mask = LLVMConstIntGetZExtValue(a[1]);
    LLVMValueRef bits = LLVMBuildBitCast(l->b, a[0], t, ""), r = num(l->i1, 0);
    LLVMValueRef size = LLVMBuildAnd(l->b, bits, num(t, sign - 1), "");
    LLVMValueRef negative = sign_bit_set(l, bits);

    for (unsigned k = 0; k < N; k++) {
        bool plus = mask >> classes[k].plus & 1, minus = mask >> classes[k].minus & 1;
        if (!plus && !minus)
            continue;
        LLVMValueRef in =
            LLVMBuildICmp(l->b, LLVMIntULT, LLVMBuildSub(l->b, size, num(t, from[k]), ""),
                          num(t, from[k + 1] - from[k]), "");
        if (plus != minus)
            in = LLVMBuildAnd(l->b, in, plus ? LLVMBuildNot(l->b, negative, "") : negative, "");
        r = LLVMBuildOr(l->b, r, in, "");
    }
    return r;
}

static LLVMValueRef float_call(struct low *l, const char *name, LLVMValueRef x)
{
    LLVMValueRef fn =
        LLVMGetIntrinsicDeclaration(l->m, LLVMLookupIntrinsicID(name, strlen(name)), &l->f32, 1);
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(fn), fn, &x, 1, "");
}

/* Halves are computed in float. */
static LLVMValueRef widened(struct low *l, LLVMValueRef x)
{
    return LLVMTypeOf(x) == l->f16 ? LLVMBuildFPExt(l->b, x, l->f32, "") : x;
}

static LLVMValueRef narrowed(struct low *l, LLVMValueRef x, LLVMTypeRef t)
{
    return t == l->f16 ? LLVMBuildFPTrunc(l->b, x, t, "") : x;
}

/* Half away from zero: x - trunc(x) is exact. */
static LLVMValueRef lower_round(struct low *l, LLVMValueRef *args)
{
    LLVMValueRef x = widened(l, args[0]), *a = &x;
    LLVMValueRef t = float_call(l, "llvm.trunc", a[0]);
    LLVMValueRef d = float_call(l, "llvm.fabs", LLVMBuildFSub(l->b, a[0], t, ""));
    LLVMValueRef one[2] = {LLVMConstReal(l->f32, 1), a[0]};
    LLVMValueRef up = LLVMBuildFAdd(l->b, t, lower_copysign(l, one), "");
    LLVMValueRef half = LLVMBuildFCmp(l->b, LLVMRealOGE, d, LLVMConstReal(l->f32, 0.5), "");
    return narrowed(l, LLVMBuildSelect(l->b, half, up, t, ""), LLVMTypeOf(args[0]));
}

static LLVMValueRef lower_sqrt(struct low *l, LLVMValueRef *a)
{
    LLVMValueRef x = widened(l, a[0]);
    return narrowed(l, primitive(l, "__gen_sqrt", l->f32, &x, 1), LLVMTypeOf(a[0]));
}

static LLVMValueRef lower_bswap(struct low *l, LLVMValueRef *a)
{
    LLVMTypeRef t = LLVMTypeOf(a[0]);
    unsigned w = width_of(a[0]);
    LLVMValueRef r = NULL;

    for (unsigned k = 0; k < w / 8; k++) {
        int shift = (int)(w - 8 - 16 * k); /* where byte k goes, relative to where it is */
        LLVMValueRef byte = LLVMBuildAnd(l->b, a[0], num(t, 0xffull << 8 * k), "");
        byte = shift >= 0 ? LLVMBuildShl(l->b, byte, num(t, (unsigned)shift), "")
                          : LLVMBuildLShr(l->b, byte, num(t, (unsigned)-shift), "");
        r = r ? LLVMBuildOr(l->b, r, byte, "") : byte;
    }
    return r;
}

/* Funnel shifts: the second shift in two steps, so that a count of 0 shifts everything out. */
static LLVMValueRef lower_funnel(struct low *l, LLVMValueRef *a, bool left)
{
    LLVMTypeRef t = LLVMTypeOf(a[0]);
    LLVMValueRef mask = num(t, width_of(a[0]) - 1);
    LLVMValueRef n = LLVMBuildAnd(l->b, a[2], mask, "");
    LLVMValueRef rest = LLVMBuildXor(l->b, n, mask, "");
    LLVMValueRef hi, lo;

    if (left) {
        hi = LLVMBuildShl(l->b, a[0], n, "");
        lo = LLVMBuildLShr(l->b, LLVMBuildLShr(l->b, a[1], num(t, 1), ""), rest, "");
    } else {
        hi = LLVMBuildShl(l->b, LLVMBuildShl(l->b, a[0], num(t, 1), ""), rest, "");
        lo = LLVMBuildLShr(l->b, a[1], n, "");
    }
    return LLVMBuildOr(l->b, hi, lo, "");
}

static LLVMValueRef lower_fshl(struct low *l, LLVMValueRef *a)
{
    return lower_funnel(l, a, true);
}

static LLVMValueRef lower_fshr(struct low *l, LLVMValueRef *a)
{
    return lower_funnel(l, a, false);
}

/* The sum or difference in *r; whether it overflowed. */
static LLVMValueRef add_overflow(struct low *l, LLVMValueRef *a, bool is_signed, LLVMValueRef *r)
{
    *r = LLVMBuildAdd(l->b, a[0], a[1], "");
    if (!is_signed)
        return LLVMBuildICmp(l->b, LLVMIntULT, *r, a[0], "");
    return sign_bit_set(l, LLVMBuildAnd(l->b, LLVMBuildXor(l->b, a[0], *r, ""),
                                        LLVMBuildXor(l->b, a[1], *r, ""), ""));
}

static LLVMValueRef sub_overflow(struct low *l, LLVMValueRef *a, bool is_signed, LLVMValueRef *r)
{
    *r = LLVMBuildSub(l->b, a[0], a[1], "");
    if (!is_signed)
        return LLVMBuildICmp(l->b, LLVMIntULT, a[0], a[1], "");
    return sign_bit_set(l, LLVMBuildAnd(l->b, LLVMBuildXor(l->b, a[0], a[1], ""),
                                        LLVMBuildXor(l->b, a[0], *r, ""), ""));
}

/* MAX for a negative wrapped result, MIN for a positive one. */
static LLVMValueRef signed_limit(struct low *l, LLVMValueRef r)
{
    LLVMTypeRef t = LLVMTypeOf(r);
    unsigned w = width_of(r);
    LLVMValueRef sign = LLVMBuildAShr(l->b, r, num(t, w - 1), "");
    return LLVMBuildXor(l->b, sign, num(t, 1ull << (w - 1)), "");
}

/* Sums of 32 bits are one instruction, differences none: how a negated operand is clamped is
 * documented nowhere. */
static LLVMValueRef lower_uadd_sat(struct low *l, LLVMValueRef *a)
{
    LLVMValueRef r, o = add_overflow(l, a, false, &r);
    return LLVMBuildSelect(l->b, o, LLVMConstAllOnes(LLVMTypeOf(r)), r, "");
}

static LLVMValueRef lower_usub_sat(struct low *l, LLVMValueRef *a)
{
    LLVMValueRef r, o = sub_overflow(l, a, false, &r);
    return LLVMBuildSelect(l->b, o, num(LLVMTypeOf(r), 0), r, "");
}

static LLVMValueRef lower_sadd_sat(struct low *l, LLVMValueRef *a)
{
    LLVMValueRef r, o = add_overflow(l, a, true, &r);
    return LLVMBuildSelect(l->b, o, signed_limit(l, r), r, "");
}

static LLVMValueRef lower_ssub_sat(struct low *l, LLVMValueRef *a)
{
    LLVMValueRef r, o = sub_overflow(l, a, true, &r);
    return LLVMBuildSelect(l->b, o, signed_limit(l, r), r, "");
}

static LLVMValueRef three_way(struct low *l, LLVMValueRef call, LLVMValueRef *a, bool is_signed)
{
    LLVMTypeRef t = LLVMTypeOf(call);
    LLVMValueRef lt = LLVMBuildICmp(l->b, is_signed ? LLVMIntSLT : LLVMIntULT, a[0], a[1], "");
    LLVMValueRef gt = LLVMBuildICmp(l->b, is_signed ? LLVMIntSGT : LLVMIntUGT, a[0], a[1], "");
    return LLVMBuildSelect(l->b, lt, LLVMConstAllOnes(t), LLVMBuildZExt(l->b, gt, t, ""), "");
}

/* The product's low part in *r; whether the whole doesn't fit. NULL: a width that we can't do. */
static LLVMValueRef mul_overflow(struct low *l, LLVMValueRef *a, bool is_signed, LLVMValueRef *r)
{
    unsigned w = width_of(a[0]);
    LLVMTypeRef t = LLVMTypeOf(a[0]);

    if (w == 32 || w == 64) {
        *r = LLVMBuildMul(l->b, a[0], a[1], "");
    } else {
        LLVMValueRef x = LLVMBuildIntCast2(l->b, a[0], l->i32, is_signed, "");
        LLVMValueRef y = LLVMBuildIntCast2(l->b, a[1], l->i32, is_signed, "");
        LLVMValueRef p = LLVMBuildMul(l->b, x, y, "");
        *r = LLVMBuildTrunc(l->b, p, t, "");
        return LLVMBuildICmp(l->b, LLVMIntNE, LLVMBuildIntCast2(l->b, *r, l->i32, is_signed, ""), p,
                             "");
    }
    if (w == 32) {
        LLVMValueRef hi = primitive(l, is_signed ? "__gen_smulhi" : "__gen_umulhi", l->i32, a, 2);
        LLVMValueRef fits = is_signed ? LLVMBuildAShr(l->b, *r, num(t, 31), "") : num(t, 0);
        return LLVMBuildICmp(l->b, LLVMIntNE, hi, fits, "");
    }
    if (is_signed)
        return NULL;
    /* 64 bits: both upper halves set, or the cross products past 2^32, or the last sum carries */
    LLVMValueRef n32 = num(t, 32), zero = num(t, 0);
    LLVMValueRef ah = LLVMBuildLShr(l->b, a[0], n32, ""), bh = LLVMBuildLShr(l->b, a[1], n32, "");
    LLVMValueRef al = LLVMBuildAnd(l->b, a[0], num(t, 0xffffffff), "");
    LLVMValueRef bl = LLVMBuildAnd(l->b, a[1], num(t, 0xffffffff), "");
    LLVMValueRef both = LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntNE, ah, zero, ""),
                                     LLVMBuildICmp(l->b, LLVMIntNE, bh, zero, ""), "");
    LLVMValueRef cross =
        LLVMBuildAdd(l->b, LLVMBuildMul(l->b, ah, bl, ""), LLVMBuildMul(l->b, al, bh, ""), "");
    LLVMValueRef high = LLVMBuildICmp(l->b, LLVMIntUGT, cross, num(t, 0xffffffff), "");
    LLVMValueRef carry = LLVMBuildICmp(l->b, LLVMIntULT, *r, LLVMBuildMul(l->b, al, bl, ""), "");
    return LLVMBuildOr(l->b, LLVMBuildOr(l->b, both, high, ""), carry, "");
}

/* {r, overflow}: the users are extractvalues. */
static bool lower_overflow(struct low *l, LLVMValueRef call, const char *name)
{
    LLVMValueRef a[2] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1)}, r, o = NULL;
    bool is_signed = name[5] == 's';

    for (LLVMUseRef u = LLVMGetFirstUse(call); u; u = LLVMGetNextUse(u)) {
        if (LLVMGetInstructionOpcode(LLVMGetUser(u)) != LLVMExtractValue)
            return false;
    }
    LLVMPositionBuilderBefore(l->b, call);
    if (!strncmp(name + 6, "add", 3))
        o = add_overflow(l, a, is_signed, &r);
    else if (!strncmp(name + 6, "sub", 3))
        o = sub_overflow(l, a, is_signed, &r);
    else
        o = mul_overflow(l, a, is_signed, &r);
    if (!o)
        return false;
    /* what is left without a use goes with the next pass: a caller may hold on to it */
    for (LLVMUseRef u = LLVMGetFirstUse(call); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMReplaceAllUsesWith(user, LLVMGetIndices(user)[0] ? o : r);
    }
    return true;
}

static const struct rule {
    const char *prefix; /* of the intrinsic's name */
    LLVMValueRef (*lower)(struct low *l, LLVMValueRef *args);
} rules[] = {
    {"llvm.copysign.f", lower_copysign},
    {"llvm.round.f", lower_round},
    {"llvm.sqrt.f", lower_sqrt},
    {"llvm.is.fpclass.f64", lower_fpclass},
    {"llvm.is.fpclass.f16", lower_fpclass},
    {"llvm.bswap.i", lower_bswap},
    {"llvm.fshl.i", lower_fshl},
    {"llvm.fshr.i", lower_fshr},
    {"llvm.uadd.sat.i", lower_uadd_sat},
    {"llvm.usub.sat.i", lower_usub_sat},
    {"llvm.sadd.sat.i", lower_sadd_sat},
    {"llvm.ssub.sat.i", lower_ssub_sat},
};

/* No meaning left at this point. */
static const char *const dropped[] = {
    "llvm.lifetime.",  "llvm.assume",     "llvm.dbg.",     "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.", "llvm.sideeffect", "llvm.donothing"};

static bool starts_with(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

static void lower_call(struct low *l, LLVMValueRef call)
{
    LLVMValueRef fn = LLVMGetCalledValue(call), args[4];
    if (!LLVMIsAFunction(fn) || !llvmx_is_intrinsic(fn))
        return;
    const char *name = llvmx_name(fn);

    for (unsigned k = 0; k < sizeof(dropped) / sizeof(dropped[0]); k++) {
        if (starts_with(name, dropped[k])) {
            LLVMInstructionEraseFromParent(call);
            return;
        }
    }
    if (strstr(name, ".with.overflow.")) {
        lower_overflow(l, call, name);
        return;
    }
    if (!strcmp(name, "llvm.uadd.sat.i32") || !strcmp(name, "llvm.sadd.sat.i32"))
        return;
    int n = LLVMGetNumArgOperands(call);
    for (int k = 0; k < n && k < 4; k++)
        args[k] = LLVMGetOperand(call, (unsigned)k);
    LLVMPositionBuilderBefore(l->b, call);
    if (starts_with(name, "llvm.ucmp.") || starts_with(name, "llvm.scmp.")) {
        replace(call, three_way(l, call, args, name[5] == 's'));
        return;
    }
    for (unsigned k = 0; k < sizeof(rules) / sizeof(rules[0]); k++) {
        if (starts_with(name, rules[k].prefix)) {
            replace(call, rules[k].lower(l, args));
            return;
        }
    }
}

/* LLVM is done assuming: an undefined value may as well be 0. */
static void lower_freeze(LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    replace(i, LLVMIsUndef(v) || LLVMIsPoison(v) ? LLVMConstNull(LLVMTypeOf(v)) : v);
}

void lower_intrinsics(LLVMModuleRef m)
{
    struct low l = low_init(m);

    for_each_function (f, m) {
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                if (LLVMGetInstructionOpcode(i) == LLVMCall)
                    lower_call(&l, i);
                else if (LLVMGetInstructionOpcode(i) == LLVMFreeze)
                    lower_freeze(i);
            }
        }
    }
    LLVMDisposeBuilder(l.b);
}
