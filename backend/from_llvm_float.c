/* Floats, halves and doubles, and conversions of all types; element by element.
 *
 * Halves are bits in 15:0. Where the EU lacks an operation on them it is done in float and rounded
 * once more: sums, products, quotients of 11 bits are right after 24. What isn't (fma before Gen9)
 * is a function of the library, as are quotients, roots and rounding of doubles. */
#include "backend/from_llvm.h"

#include <string.h>

static struct ir_src imm(uint32_t x)
{
    return ir_imm(x);
}

static uint32_t fbits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

/* ---- arithmetic ---- */

enum flt { FLT_NONE, FLT_HALF, FLT_FLOAT, FLT_DOUBLE };

static enum flt flt_of(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(type_scalar(t))) {
    case LLVMHalfTypeKind:
        return FLT_HALF;
    case LLVMFloatTypeKind:
        return FLT_FLOAT;
    case LLVMDoubleTypeKind:
        return FLT_DOUBLE;
    default: /* LLVM's enum */
        return FLT_NONE;
    }
}

struct ir_src double_word(struct lower *l, struct ir_src x, unsigned word)
{
    return op1(l, word ? IR_unhi : IR_unlo, x);
}

struct ir_src double_of(struct lower *l, struct ir_src lo, struct ir_src hi)
{
    return op2(l, IR_pack, op_as(l, IR_I32, lo), op_as(l, IR_I32, hi));
}

/* Float operation op on halves; 0: by way of float. Gen8 flushes denormal halves, which have to be
 * kept (cl_khr_fp16). */
static enum ir_op half_op(const struct lower *l, enum ir_op op)
{
    static const uint16_t halves[IR_N_OPS] = {
        [IR_fadd] = IR_hadd, [IR_fsub] = IR_hsub, [IR_fmul] = IR_hmul, [IR_ffma] = IR_hfma,
        [IR_fmin] = IR_hmin, [IR_fmax] = IR_hmax, [IR_fcmp] = IR_hcmp};
    return l->fn->dev->gen >= 90 ? halves[op] : 0;
}

/* Float operation op in type k; IR_N_OPS: it has none. */
static enum ir_op flt_op(enum flt k, enum ir_op op)
{
    static const uint16_t doubles[IR_N_OPS] = {
        [IR_fadd] = IR_dadd, [IR_fsub] = IR_dsub, [IR_fmul] = IR_dmul, [IR_ffma] = IR_dfma,
        [IR_fneg] = IR_dneg, [IR_fabs] = IR_dabs, [IR_fmin] = IR_dmin, [IR_fmax] = IR_dmax};
    return k != FLT_DOUBLE ? op : doubles[op] ? doubles[op] : IR_N_OPS;
}

static struct ir_src flt_apply(struct lower *l, enum flt k, enum ir_op op, struct ir_src a,
                               struct ir_src b, struct ir_src c)
{
    struct ir_src x[3] = {a, b, c}, r;
    if (k == FLT_HALF && (op == IR_fneg || op == IR_fabs))
        return op2(l, op == IR_fneg ? IR_xor : IR_and, a, imm(op == IR_fneg ? 0x8000 : 0x7fff));
    unsigned n = (unsigned)ir_op_info[op].n_src;
    if (k == FLT_HALF && half_op(l, op)) {
        k = FLT_FLOAT;
        op = half_op(l, op);
    }
    op = flt_op(k, op);
    if (op == IR_N_OPS) {
        lower_fail(l, "internal: this operation on doubles is left");
        return imm(0);
    }
    for (unsigned i = 0; k == FLT_HALF && i < n; i++)
        x[i] = op1(l, IR_h2f, x[i]);
    r = n == 1 ? op1(l, op, x[0]) : n == 2 ? op2(l, op, x[0], x[1]) : op3(l, op, x[0], x[1], x[2]);
    return k == FLT_HALF ? op1(l, IR_f2h, r) : r;
}

/* a * b + c with one rounding or two. */
static struct ir_src flt_mad(struct lower *l, enum flt k, struct ir_src a, struct ir_src b,
                             struct ir_src c)
{
    if (k == FLT_HALF && half_op(l, IR_ffma))
        return op3(l, IR_hmad, a, b, c);
    return flt_apply(l, k, IR_ffma, a, b, c);
}

struct comps lower_fcmp(struct lower *l, LLVMValueRef v)
{
    static const uint8_t preds[] = {
        [LLVMRealOEQ] = IR_OEQ,  [LLVMRealOGT] = IR_OGT,  [LLVMRealOGE] = IR_OGE,
        [LLVMRealOLT] = IR_OLT,  [LLVMRealOLE] = IR_OLE,  [LLVMRealONE] = IR_ONE,
        [LLVMRealORD] = IR_ORD,  [LLVMRealUNO] = IR_UNO,  [LLVMRealUEQ] = IR_UEQ,
        [LLVMRealUGT] = IR_FUGT, [LLVMRealUGE] = IR_FUGE, [LLVMRealULT] = IR_FULT,
        [LLVMRealULE] = IR_FULE, [LLVMRealUNE] = IR_UNE};
    LLVMRealPredicate p = LLVMGetFCmpPredicate(v);
    enum flt k = flt_of(LLVMTypeOf(LLVMGetOperand(v, 0)));
    struct comps a = lower_value(l, LLVMGetOperand(v, 0)), b = lower_value(l, LLVMGetOperand(v, 1));
    struct comps out = comps_new(a.n);
    for (uint32_t i = 0; i < out.n; i++) {
        if (p == LLVMRealPredicateFalse || p == LLVMRealPredicateTrue)
            out.c[i] = imm(p == LLVMRealPredicateTrue);
        else if (k == FLT_DOUBLE)
            out.c[i] = op_dcmp(l, preds[p], a.c[i], b.c[i]);
        else if (k == FLT_HALF && half_op(l, IR_fcmp))
            out.c[i] = op_hcmp(l, preds[p], a.c[i], b.c[i]);
        else if (k == FLT_HALF)
            out.c[i] = op_fcmp(l, preds[p], op1(l, IR_h2f, a.c[i]), op1(l, IR_h2f, b.c[i]));
        else
            out.c[i] = op_fcmp(l, preds[p], a.c[i], b.c[i]);
    }
    return out;
}

/* A product that only v uses and that may be contracted with it: its operands' components. */
static bool contractible(struct lower *l, LLVMValueRef v, LLVMValueRef product)
{
    if (!LLVMIsAInstruction(product) || LLVMGetInstructionOpcode(product) != LLVMFMul)
        return false;
    LLVMUseRef use = LLVMGetFirstUse(product);
    if (!use || LLVMGetNextUse(use))
        return false;
    if (l->opt->mad_enable || l->opt->unsafe_math || l->opt->fast_relaxed)
        return true;
    return (LLVMGetFastMathFlags(v) & LLVMFastMathAllowContract) &&
           (LLVMGetFastMathFlags(product) & LLVMFastMathAllowContract);
}

/* fadd, fsub of a product as one multiply-add. */
static bool lower_contracted(struct lower *l, LLVMValueRef v, LLVMOpcode op, struct comps *out)
{
    for (unsigned side = 0; side < 2; side++) {
        LLVMValueRef product = LLVMGetOperand(v, side);
        if (!contractible(l, v, product))
            continue;
        struct comps a = lower_value(l, LLVMGetOperand(product, 0));
        struct comps b = lower_value(l, LLVMGetOperand(product, 1));
        struct comps c = lower_value(l, LLVMGetOperand(v, 1 - side));
        enum flt k = flt_of(LLVMTypeOf(v));
        *out = comps_new(a.n);
        for (uint32_t i = 0; i < a.n; i++) {
            struct ir_src x = a.c[i], z = c.c[i];
            if (op == LLVMFSub && side == 0)
                z = flt_apply(l, k, IR_fneg, z, z, z);
            if (op == LLVMFSub && side == 1)
                x = flt_apply(l, k, IR_fneg, x, x, x);
            out->c[i] = flt_mad(l, k, x, b.c[i], z);
        }
        return true;
    }
    return false;
}

struct comps lower_float(struct lower *l, LLVMValueRef v, LLVMOpcode op)
{
    static const uint16_t ops[] = {[LLVMFNeg] = IR_fneg,
                                   [LLVMFAdd] = IR_fadd,
                                   [LLVMFSub] = IR_fsub,
                                   [LLVMFMul] = IR_fmul,
                                   [LLVMFDiv] = IR_fdiv};
    LLVMTypeRef t = LLVMTypeOf(v);
    struct comps out;
    if ((op == LLVMFAdd || op == LLVMFSub) && lower_contracted(l, v, op, &out))
        return out;
    if (op == LLVMFDiv && flt_of(t) == FLT_FLOAT && l->opt->correctly_rounded &&
        !LLVMGetMetadata(v, LLVMGetMDKindIDInContext(LLVMGetTypeContext(t), "fpmath", 6)))
        return lower_fail(l, "correctly rounded division is not supported");
    struct comps a = lower_value(l, LLVMGetOperand(v, 0));
    struct comps b = op == LLVMFNeg ? a : lower_value(l, LLVMGetOperand(v, 1));
    out = comps_new(a.n);
    for (uint32_t i = 0; i < a.n; i++)
        out.c[i] = flt_apply(l, flt_of(t), ops[op], a.c[i], b.c[i], imm(0));
    return out;
}

/* ---- conversions ---- */

/* An unsigned pair to the nearest float, ties to even: the 32 bits below the leading zeros, the
 * rest kept as a sticky bit, then scaled by a power of two. */
static struct ir_src pair_to_float(struct lower *l, struct pair a)
{
    if (ir_is_imm(a.hi, 0))
        return op1(l, IR_u2f, a.lo);
    struct ir_src zeros = op1(l, IR_clz, a.hi); /* 32: only the low word counts */
    struct ir_src low_only = op_icmp(l, IR_EQ, a.hi, imm(0));
    struct ir_src top = op2(l, IR_or, op2(l, IR_shl, a.hi, zeros), spill_right(l, a.lo, zeros));
    struct ir_src rest = op2(l, IR_shl, a.lo, zeros);
    struct ir_src sticky = op1(l, IR_b2i, op_icmp(l, IR_NE, rest, imm(0)));
    struct ir_src m = op_select(l, IR_I32, low_only, a.lo, op2(l, IR_or, top, sticky));
    /* 2 to the power of 32 - zeros, as a float */
    struct ir_src exponent = op2(l, IR_shl, op2(l, IR_sub, imm(127 + 32), zeros), imm(23));
    return op2(l, IR_fmul, op1(l, IR_u2f, m), op_as(l, IR_F32, exponent));
}

static struct ir_src to_float(struct lower *l, const struct ir_src *c, unsigned bits,
                              bool is_signed)
{
    if (bits == 1)
        return op_select(l, IR_F32, c[0], imm(is_signed ? 0xbf800000 : 0x3f800000), imm(0));
    if (bits <= 32)
        return op1(l, is_signed ? IR_s2f : IR_u2f, extend32(l, c[0], bits, is_signed));
    struct pair a = pair_extend(l, c, bits, is_signed);
    if (!is_signed)
        return pair_to_float(l, a);
    if (pair_is_sext(a))
        return op1(l, IR_s2f, a.lo);
    struct ir_src negative = op_icmp(l, IR_SLT, a.hi, imm(0));
    struct ir_src f = pair_to_float(l, pair_select(l, negative, pair_neg(l, a), a));
    return op_select(l, IR_F32, negative, op1(l, IR_fneg, f), f);
}

/* A float to an unsigned pair: truncated, saturated, NaN and negative ones give 0. The high word is
 * exact in 24 bits, so what the multiply-add leaves is exact too. */
static struct pair float_to_pair(struct lower *l, struct ir_src x)
{
    struct ir_src hi = op1(l, IR_f2u, op2(l, IR_fmul, x, imm(fbits(0x1p-32f))));
    struct ir_src rest = op3(l, IR_ffma, op1(l, IR_u2f, hi), imm(fbits(-0x1p32f)), x);
    struct ir_src over = op_fcmp(l, IR_OGE, x, imm(fbits(0x1p64f)));
    return (struct pair){op_select(l, IR_I32, over, imm(~0u), op1(l, IR_f2u, rest)), hi};
}

/* A dword to the range of `bits`, which may be 1. */
static void clamp(struct lower *l, unsigned bits, bool is_signed, struct ir_src *x)
{
    if (bits < 32 && is_signed) {
        struct ir_src low = imm(-(1u << (bits - 1))), high = imm((1u << (bits - 1)) - 1);
        *x = op2(l, IR_smax, op2(l, IR_smin, *x, high), low);
    } else if (bits < 32) {
        *x = op2(l, IR_umin, *x, imm((1u << bits) - 1));
    }
    if (bits == 1)
        *x = op1(l, IR_i2b, *x);
}

/* To an integer of `bits`, saturating. */
static void from_float(struct lower *l, struct ir_src x, unsigned bits, bool is_signed,
                       struct ir_src *out)
{
    if (bits <= 32) {
        out[0] = op1(l, is_signed ? IR_f2s : IR_f2u, x);
        clamp(l, bits, is_signed, out);
    } else if (!is_signed) {
        struct pair r = float_to_pair(l, x);
        out[0] = r.lo;
        out[1] = r.hi;
    } else {
        struct pair r = float_to_pair(l, op1(l, IR_fabs, x));
        struct ir_src over = op_fcmp(l, IR_OGE, x, imm(fbits(0x1p63f)));
        struct ir_src under = op_fcmp(l, IR_OLE, x, imm(fbits(-0x1p63f)));
        struct ir_src negative = op_fcmp(l, IR_OLT, x, imm(0));
        r = pair_select(l, negative, pair_neg(l, r), r);
        r = pair_select(l, over, (struct pair){imm(~0u), imm(0x7fffffff)}, r);
        r = pair_select(l, under, (struct pair){imm(0), imm(0x80000000)}, r);
        out[0] = r.lo;
        out[1] = r.hi;
    }
}

/* Of 32 bits exact, of 64 rounded once: the product with a power of two is exact. */
static struct ir_src to_double(struct lower *l, const struct ir_src *c, unsigned bits,
                               bool is_signed)
{
    enum ir_op op = is_signed ? IR_s2d : IR_u2d;
    if (bits <= 32)
        return op1(l, op, extend32(l, c[0], bits, is_signed));
    struct pair a = pair_extend(l, c, bits, is_signed);
    struct ir_src hi = op1(l, op, a.hi), lo = op1(l, IR_u2d, a.lo);
    return op3(l, IR_dfma, hi, op_double(l, 0x41f0000000000000 /* 2^32 */), lo);
}

/* Up to 32 bits, saturating; the library has a function for 64. */
static void from_double(struct lower *l, struct ir_src x, unsigned bits, bool is_signed,
                        struct ir_src *out)
{
    if (bits > 32) {
        lower_fail(l, "internal: a conversion from double to 64 bits is left");
        return;
    }
    out[0] = op1(l, is_signed ? IR_d2s : IR_d2u, x);
    clamp(l, bits, is_signed, out);
}

static void flt_to_int(struct lower *l, enum flt k, struct ir_src x, unsigned bits, bool is_signed,
                       struct ir_src *out)
{
    if (k == FLT_DOUBLE)
        from_double(l, x, bits, is_signed, out);
    else
        from_float(l, k == FLT_HALF ? op1(l, IR_h2f, x) : x, bits, is_signed, out);
}

struct comps lower_cast(struct lower *l, LLVMValueRef v, LLVMOpcode op)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0)), to = LLVMTypeOf(v);
    enum flt from_kind = flt_of(from), to_kind = flt_of(to);
    unsigned a_bits = type_bits(type_scalar(from)), bits = type_bits(type_scalar(to));
    struct comps a = lower_value(l, LLVMGetOperand(v, 0)), out = comps_new(type_comps(l, to));
    uint32_t n = type_length(to);
    if (!out.n || !type_comps(l, from))
        return lower_fail(l, "conversion between integers of %u and %u bits is not supported",
                          a_bits, bits);
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_src *x = &a.c[i * (a.n / n)];
        struct ir_src *y = &out.c[i * (out.n / n)];
        switch (op) {
        case LLVMTrunc:
            y[0] = bits == 1 ? op1(l, IR_i2b, x[0]) : x[0];
            if (bits > 32)
                y[1] = x[1];
            break;
        case LLVMZExt:
        case LLVMSExt:
            if (bits <= 32) {
                y[0] = extend32(l, x[0], a_bits, op == LLVMSExt);
            } else {
                struct pair p = pair_extend(l, x, a_bits, op == LLVMSExt);
                y[0] = p.lo;
                y[1] = p.hi;
            }
            break;
        case LLVMSIToFP:
        case LLVMUIToFP:
            y[0] = to_kind == FLT_DOUBLE ? to_double(l, x, a_bits, op == LLVMSIToFP)
                                         : to_float(l, x, a_bits, op == LLVMSIToFP);
            if (to_kind == FLT_HALF) /* what has more than 24 bits is infinite */
                y[0] = op1(l, IR_f2h, y[0]);
            break;
        case LLVMFPToSI: /* out of range is undefined: saturating will do */
        case LLVMFPToUI:
            flt_to_int(l, from_kind, x[0], bits, op == LLVMFPToSI, y);
            break;
        case LLVMFPExt:
        case LLVMFPTrunc:
            if (from_kind == FLT_DOUBLE && to_kind == FLT_HALF) /* rounded twice */
                return lower_fail(l, "internal: a conversion from double to half is left");
            y[0] = from_kind == FLT_HALF     ? op1(l, IR_h2f, x[0])
                   : from_kind == FLT_DOUBLE ? op1(l, IR_d2f, x[0])
                                             : x[0];
            if (to_kind == FLT_HALF)
                y[0] = op1(l, IR_f2h, y[0]);
            else if (to_kind == FLT_DOUBLE)
                y[0] = op1(l, IR_f2d, y[0]);
            break;
        default:
            bug("lower_cast");
        }
    }
    return out;
}

/* ---- intrinsics ---- */

/* Those that are one operation of floats, element by element. */
static const struct {
    const char *name;
    enum ir_op op;
} float_intrinsics[] = {
    {"llvm.fabs", IR_fabs},       {"llvm.floor", IR_ffloor},    {"llvm.ceil", IR_fceil},
    {"llvm.trunc", IR_ftrunc},    {"llvm.rint", IR_frint},      {"llvm.nearbyint", IR_frint},
    {"llvm.roundeven", IR_frint}, {"llvm.minnum", IR_fmin},     {"llvm.maxnum", IR_fmax},
    {"llvm.minimumnum", IR_fmin}, {"llvm.maximumnum", IR_fmax}, {"llvm.fma", IR_ffma},
};

/* "llvm.fabs.v4f32" is "llvm.fabs" with types. */
bool is_intrinsic(const char *name, const char *base)
{
    size_t n = strlen(base);
    return !strncmp(name, base, n) && (name[n] == '.' || !name[n]);
}

static struct comps float_function(struct lower *l, LLVMValueRef call, enum ir_op op)
{
    unsigned n_args = (unsigned)ir_op_info[op].n_src;
    struct comps in[3] = {{0}};
    for (unsigned i = 0; i < n_args; i++)
        in[i] = lower_value(l, LLVMGetOperand(call, i));
    struct comps out = comps_new(in[0].n);
    for (uint32_t i = 0; i < out.n; i++)
        out.c[i] = flt_apply(l, flt_of(LLVMTypeOf(call)), op, in[0].c[i],
                             n_args > 1 ? in[1].c[i] : imm(0), n_args > 2 ? in[2].c[i] : imm(0));
    return out;
}

static struct comps lower_fmuladd(struct lower *l, LLVMValueRef call)
{
    struct comps in[3], out;
    for (unsigned i = 0; i < 3; i++)
        in[i] = lower_value(l, LLVMGetOperand(call, i));
    out = comps_new(in[0].n);
    for (uint32_t i = 0; i < out.n; i++)
        out.c[i] = flt_mad(l, flt_of(LLVMTypeOf(call)), in[0].c[i], in[1].c[i], in[2].c[i]);
    return out;
}

static struct comps lower_fclass(struct lower *l, LLVMValueRef call)
{
    struct comps a = lower_value(l, LLVMGetOperand(call, 0)), out = comps_new(a.n);
    if (flt_of(LLVMTypeOf(LLVMGetOperand(call, 0))) != FLT_FLOAT)
        return lower_fail(l, "internal: a classification of double or half is left");
    for (uint32_t i = 0; i < a.n; i++) {
        struct ir_insn *k = ir_new(l->fn, IR_fclass, 1, 1);
        k->imm = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
        ir_set_src(k, 0, a.c[i]);
        op_append(l, k);
        out.c[i] = ir_val(k->dst[0]);
    }
    return out;
}

bool lower_intrinsic_float(struct lower *l, LLVMValueRef call, const char *name, struct comps *out)
{
    LLVMTypeRef t = LLVMTypeOf(call);
    unsigned bits = type_bits(type_scalar(t));
    for (size_t k = 0; k < sizeof float_intrinsics / sizeof *float_intrinsics; k++)
        if (is_intrinsic(name, float_intrinsics[k].name)) {
            *out = float_function(l, call, float_intrinsics[k].op);
            return true;
        }
    if (is_intrinsic(name, "llvm.fmuladd")) {
        *out = lower_fmuladd(l, call);
        return true;
    }
    if (is_intrinsic(name, "llvm.is.fpclass")) {
        *out = lower_fclass(l, call);
        return true;
    }
    if (is_intrinsic(name, "llvm.fptosi.sat") || is_intrinsic(name, "llvm.fptoui.sat")) {
        LLVMValueRef from = LLVMGetOperand(call, 0);
        struct comps a = lower_value(l, from);
        *out = comps_new(type_comps(l, t));
        if (!out->n) {
            *out = lower_fail(l, "integers of %u bits are not supported", bits);
            return true;
        }
        for (uint32_t i = 0; i < a.n; i++)
            flt_to_int(l, flt_of(LLVMTypeOf(from)), a.c[i], bits, name[9] == 's',
                       &out->c[i * (out->n / a.n)]);
        return true;
    }
    return false;
}
