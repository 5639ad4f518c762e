/* Integers of 1 to 64 bits, floats, conversions, comparisons, vectors. Element by element: a vector
 * instruction is as many scalar ones. */
#include "backend/from_llvm.h"
#include "backend/opt.h"

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

/* ---- widths ---- */

struct ir_src zext32(struct lower *l, struct ir_src a, unsigned bits)
{
    if (bits == 8)
        return op1(l, IR_zext8, a);
    if (bits == 16)
        return op1(l, IR_zext16, a);
    return bits >= 32 ? a : op2(l, IR_and, a, imm((1u << bits) - 1));
}

struct ir_src sext32(struct lower *l, struct ir_src a, unsigned bits)
{
    if (bits == 8)
        return op1(l, IR_sext8, a);
    if (bits == 16)
        return op1(l, IR_sext16, a);
    if (bits >= 32)
        return a;
    return op2(l, IR_ashr, op2(l, IR_shl, a, imm(32 - bits)), imm(32 - bits));
}

struct pair pair_sext(struct lower *l, struct ir_src lo)
{
    return (struct pair){lo, op2(l, IR_ashr, lo, imm(31))};
}

/* An integer of `bits` as a pair, its upper bits zero or copies of the sign. */
static struct pair extend(struct lower *l, const struct ir_src *c, unsigned bits, bool is_signed)
{
    if (bits == 1)
        return is_signed ? pair_sext(l, op1(l, IR_b2m, c[0]))
                         : (struct pair){op1(l, IR_b2i, c[0]), imm(0)};
    if (bits <= 32) {
        struct ir_src lo = is_signed ? sext32(l, c[0], bits) : zext32(l, c[0], bits);
        return is_signed ? pair_sext(l, lo) : (struct pair){lo, imm(0)};
    }
    return (struct pair){c[0], is_signed ? sext32(l, c[1], bits - 32) : zext32(l, c[1], bits - 32)};
}

/* The same in one word, for up to 32 bits. */
static struct ir_src extend32(struct lower *l, struct ir_src c, unsigned bits, bool is_signed)
{
    if (bits == 1)
        return op1(l, is_signed ? IR_b2m : IR_b2i, c);
    return is_signed ? sext32(l, c, bits) : zext32(l, c, bits);
}

/* ---- pairs ---- */

struct pair pair_add(struct lower *l, struct pair a, struct pair b)
{
    struct ir_src lo[2];
    op_carry(l, IR_add_carry, a.lo, b.lo, lo);
    return (struct pair){lo[0], op2(l, IR_add, op2(l, IR_add, a.hi, b.hi), lo[1])};
}

static struct pair pair_sub(struct lower *l, struct pair a, struct pair b)
{
    struct ir_src lo[2];
    op_carry(l, IR_sub_borrow, a.lo, b.lo, lo);
    return (struct pair){lo[0], op2(l, IR_sub, op2(l, IR_sub, a.hi, b.hi), lo[1])};
}

/* Whether hi is known to repeat lo's sign. */
static bool is_sext(struct pair a)
{
    if (!a.lo.value)
        return !a.hi.value && a.hi.imm == ((int32_t)a.lo.imm < 0 ? 0xffffffff : 0);
    const struct ir_insn *d = a.hi.value ? a.hi.value->def : NULL;
    return d && d->op == IR_ashr && ir_same(d->src[0], a.lo) && ir_is_imm(d->src[1], 31);
}

struct pair pair_mul(struct lower *l, struct pair a, struct pair b)
{
    struct ir_src lo = op2(l, IR_mul, a.lo, b.lo);
    if (is_sext(a) && is_sext(b) && (a.hi.value || b.hi.value))
        return (struct pair){lo, op2(l, IR_mulhi_s, a.lo, b.lo)};
    struct ir_src hi = op2(l, IR_mulhi_u, a.lo, b.lo);
    hi = op2(l, IR_add, hi, op2(l, IR_mul, a.lo, b.hi));
    return (struct pair){lo, op2(l, IR_add, hi, op2(l, IR_mul, a.hi, b.lo))};
}

/* What is shifted out of x at one end, arriving at the other end of its neighbour: x >> (32 - n) or
 * x << (32 - n) for 0 <= n < 32, zero for n = 0. */
static struct ir_src spill_right(struct lower *l, struct ir_src x, struct ir_src n)
{
    if (!n.value)
        return n.imm & 31 ? op2(l, IR_lshr, x, imm(32 - (n.imm & 31))) : imm(0);
    return op2(l, IR_lshr, op2(l, IR_lshr, x, imm(1)), op2(l, IR_xor, n, imm(31)));
}

static struct ir_src spill_left(struct lower *l, struct ir_src x, struct ir_src n)
{
    if (!n.value)
        return n.imm & 31 ? op2(l, IR_shl, x, imm(32 - (n.imm & 31))) : imm(0);
    return op2(l, IR_shl, op2(l, IR_shl, x, imm(1)), op2(l, IR_xor, n, imm(31)));
}

/* Counts below 64; counts of shl, lshr, ashr are modulo 32. */
static struct ir_src is_big(struct lower *l, struct ir_src count)
{
    return op_icmp(l, IR_NE, op2(l, IR_and, count, imm(32)), imm(0));
}

struct pair pair_shl(struct lower *l, struct pair a, struct ir_src n)
{
    struct ir_src big = is_big(l, n), t = op2(l, IR_shl, a.lo, n);
    struct ir_src hi = op2(l, IR_or, op2(l, IR_shl, a.hi, n), spill_right(l, a.lo, n));
    return (struct pair){op_select(l, IR_I32, big, imm(0), t), op_select(l, IR_I32, big, t, hi)};
}

static struct pair pair_shr(struct lower *l, struct pair a, struct ir_src n, bool is_signed)
{
    struct ir_src big = is_big(l, n), t = op2(l, is_signed ? IR_ashr : IR_lshr, a.hi, n);
    struct ir_src lo = op2(l, IR_or, op2(l, IR_lshr, a.lo, n), spill_left(l, a.hi, n));
    struct ir_src rest = is_signed ? op2(l, IR_ashr, a.hi, imm(31)) : imm(0);
    return (struct pair){op_select(l, IR_I32, big, t, lo), op_select(l, IR_I32, big, rest, t)};
}

struct ir_src pair_compare(struct lower *l, enum ir_pred p, struct pair a, struct pair b)
{
    static const struct {
        enum ir_pred strict, low;
    } split[] = {
        [IR_ULT] = {IR_ULT, IR_ULT}, [IR_ULE] = {IR_ULT, IR_ULE}, [IR_UGT] = {IR_UGT, IR_UGT},
        [IR_UGE] = {IR_UGT, IR_UGE}, [IR_SLT] = {IR_SLT, IR_ULT}, [IR_SLE] = {IR_SLT, IR_ULE},
        [IR_SGT] = {IR_SGT, IR_UGT}, [IR_SGE] = {IR_SGT, IR_UGE}};
    if (p == IR_EQ || p == IR_NE) {
        struct ir_src x = op2(l, IR_xor, a.lo, b.lo), y = op2(l, IR_xor, a.hi, b.hi);
        return op_icmp(l, p, op2(l, IR_or, x, y), imm(0));
    }
    /* signs alone decide x < 0, x >= 0 */
    if ((p == IR_SLT || p == IR_SGE) && ir_is_imm(b.lo, 0) && ir_is_imm(b.hi, 0))
        return op_icmp(l, p, a.hi, imm(0));
    if ((p == IR_SGT || p == IR_SLE) && ir_is_imm(b.lo, ~0u) && ir_is_imm(b.hi, ~0u))
        return op_icmp(l, p == IR_SGT ? IR_SGE : IR_SLT, a.hi, imm(0));
    return op2(
        l, IR_or1, op_icmp(l, split[p].strict, a.hi, b.hi),
        op2(l, IR_and1, op_icmp(l, IR_EQ, a.hi, b.hi), op_icmp(l, split[p].low, a.lo, b.lo)));
}

static struct pair pair_select(struct lower *l, struct ir_src c, struct pair a, struct pair b)
{
    return (struct pair){op_select(l, IR_I32, c, a.lo, b.lo), op_select(l, IR_I32, c, a.hi, b.hi)};
}

static struct pair pair_neg(struct lower *l, struct pair a)
{
    return pair_sub(l, (struct pair){imm(0), imm(0)}, a);
}

/* ---- integer instructions, by element ---- */

static void int1(struct lower *l, LLVMOpcode op, const struct ir_src *a, const struct ir_src *b,
                 struct ir_src *out)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor:
        out[0] = op2(l, IR_xor1, a[0], b[0]);
        return;
    case LLVMMul:
    case LLVMAnd:
        out[0] = op2(l, IR_and1, a[0], b[0]);
        return;
    case LLVMOr:
        out[0] = op2(l, IR_or1, a[0], b[0]);
        return;
    default: /* shifts by 0, divisions by 1: all others are undefined */
        out[0] = op == LLVMURem || op == LLVMSRem ? imm(0) : a[0];
        return;
    }
}

static void int32(struct lower *l, LLVMOpcode op, unsigned bits, struct ir_src a, struct ir_src b,
                  struct ir_src *out)
{
    static const uint16_t plain[] = {
        [LLVMAdd] = IR_add, [LLVMSub] = IR_sub, [LLVMMul] = IR_mul, [LLVMAnd] = IR_and,
        [LLVMOr] = IR_or,   [LLVMXor] = IR_xor, [LLVMShl] = IR_shl};
    switch (op) {
    case LLVMLShr: /* a count is below the width, so its bits above that are zeros in 4:0 */
        *out = op2(l, IR_lshr, zext32(l, a, bits), b);
        return;
    case LLVMAShr:
        *out = op2(l, IR_ashr, sext32(l, a, bits), b);
        return;
    case LLVMUDiv:
    case LLVMURem:
        *out = op2(l, op == LLVMUDiv ? IR_udiv : IR_urem, zext32(l, a, bits), zext32(l, b, bits));
        return;
    case LLVMSDiv:
    case LLVMSRem:
        *out = op2(l, op == LLVMSDiv ? IR_sdiv : IR_srem, sext32(l, a, bits), sext32(l, b, bits));
        return;
    default:
        *out = op2(l, plain[op], a, b);
    }
}

static bool int64(struct lower *l, LLVMOpcode op, unsigned bits, const struct ir_src *x,
                  const struct ir_src *y, struct ir_src *out)
{
    struct pair a = {x[0], x[1]}, b = {y[0], y[1]}, r;
    switch (op) {
    case LLVMAdd:
        r = pair_add(l, a, b);
        break;
    case LLVMSub:
        r = pair_sub(l, a, b);
        break;
    case LLVMMul:
        r = pair_mul(l, a, b);
        break;
    case LLVMAnd:
        r = (struct pair){op2(l, IR_and, a.lo, b.lo), op2(l, IR_and, a.hi, b.hi)};
        break;
    case LLVMOr:
        r = (struct pair){op2(l, IR_or, a.lo, b.lo), op2(l, IR_or, a.hi, b.hi)};
        break;
    case LLVMXor:
        r = (struct pair){op2(l, IR_xor, a.lo, b.lo), op2(l, IR_xor, a.hi, b.hi)};
        break;
    case LLVMShl:
        r = pair_shl(l, a, b.lo);
        break;
    case LLVMLShr:
    case LLVMAShr:
        r = pair_shr(l, extend(l, x, bits, op == LLVMAShr), b.lo, op == LLVMAShr);
        break;
    default:
        return false; /* passes.c has replaced divisions */
    }
    out[0] = r.lo;
    out[1] = r.hi;
    return true;
}

static bool is_int_op(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return true;
    default:
        return false;
    }
}

static struct comps lower_int(struct lower *l, LLVMValueRef v, LLVMOpcode op)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned bits = type_bits(type_scalar(t));
    struct comps a = lower_value(l, LLVMGetOperand(v, 0)), b = lower_value(l, LLVMGetOperand(v, 1));
    struct comps out = comps_new(type_comps(l, t));
    if (!out.n)
        return lower_fail(l, "integers of %u bits are not supported", bits);
    for (uint32_t i = 0; i<out.n; i += bits> 32 ? 2 : 1) {
        if (bits == 1)
            int1(l, op, &a.c[i], &b.c[i], &out.c[i]);
        else if (bits <= 32)
            int32(l, op, bits, a.c[i], b.c[i], &out.c[i]);
        else if (!int64(l, op, bits, &a.c[i], &b.c[i], &out.c[i]))
            return lower_fail(l, "internal: 64-bit division left");
    }
    return out;
}

static struct comps lower_icmp(struct lower *l, LLVMValueRef v)
{
    static const uint8_t preds[] = {
        [LLVMIntEQ] = IR_EQ,   [LLVMIntNE] = IR_NE,   [LLVMIntUGT] = IR_UGT, [LLVMIntUGE] = IR_UGE,
        [LLVMIntULT] = IR_ULT, [LLVMIntULE] = IR_ULE, [LLVMIntSGT] = IR_SGT, [LLVMIntSGE] = IR_SGE,
        [LLVMIntSLT] = IR_SLT, [LLVMIntSLE] = IR_SLE};
    enum ir_pred p = preds[LLVMGetICmpPredicate(v)];
    LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
    LLVMTypeRef t = LLVMTypeOf(x);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind)
        return lower_pointer_compare(l, p, x, y);
    unsigned bits = type_bits(type_scalar(t));
    if (!type_comps(l, t) || !bits)
        return lower_fail(l, "comparison of this type is not supported");
    struct comps a = lower_value(l, x), b = lower_value(l, y), out = comps_new(type_length(t));
    bool is_signed = p >= IR_SLT;
    for (uint32_t i = 0; i < out.n; i++) {
        if (bits == 1 && (p == IR_EQ || p == IR_NE)) {
            struct ir_src differ = op2(l, IR_xor1, a.c[i], b.c[i]);
            out.c[i] = p == IR_NE ? differ : op1(l, IR_not1, differ);
        } else if (bits <= 32) {
            out.c[i] = op_icmp(l, p, extend32(l, a.c[i], bits, is_signed),
                               extend32(l, b.c[i], bits, is_signed));
        } else {
            out.c[i] = pair_compare(l, p, extend(l, &a.c[2 * i], bits, is_signed),
                                    extend(l, &b.c[2 * i], bits, is_signed));
        }
    }
    return out;
}

/* ---- floats ---- */

static bool is_float(LLVMTypeRef t)
{
    return LLVMGetTypeKind(type_scalar(t)) == LLVMFloatTypeKind;
}

static struct comps lower_fcmp(struct lower *l, LLVMValueRef v)
{
    static const uint8_t preds[] = {
        [LLVMRealOEQ] = IR_OEQ,  [LLVMRealOGT] = IR_OGT,  [LLVMRealOGE] = IR_OGE,
        [LLVMRealOLT] = IR_OLT,  [LLVMRealOLE] = IR_OLE,  [LLVMRealONE] = IR_ONE,
        [LLVMRealORD] = IR_ORD,  [LLVMRealUNO] = IR_UNO,  [LLVMRealUEQ] = IR_UEQ,
        [LLVMRealUGT] = IR_FUGT, [LLVMRealUGE] = IR_FUGE, [LLVMRealULT] = IR_FULT,
        [LLVMRealULE] = IR_FULE, [LLVMRealUNE] = IR_UNE};
    LLVMRealPredicate p = LLVMGetFCmpPredicate(v);
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(v, 0));
    if (!is_float(t))
        return lower_fail(l, "comparison of double or half is not supported");
    struct comps a = lower_value(l, LLVMGetOperand(v, 0)), b = lower_value(l, LLVMGetOperand(v, 1));
    struct comps out = comps_new(a.n);
    for (uint32_t i = 0; i < out.n; i++) {
        if (p == LLVMRealPredicateFalse || p == LLVMRealPredicateTrue)
            out.c[i] = imm(p == LLVMRealPredicateTrue);
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
        *out = comps_new(a.n);
        for (uint32_t i = 0; i < a.n; i++) {
            struct ir_src x = a.c[i], z = c.c[i];
            if (op == LLVMFSub && side == 0)
                z = op1(l, IR_fneg, z);
            if (op == LLVMFSub && side == 1)
                x = op1(l, IR_fneg, x);
            out->c[i] = op3(l, IR_ffma, x, b.c[i], z);
        }
        return true;
    }
    return false;
}

static struct comps lower_float(struct lower *l, LLVMValueRef v, LLVMOpcode op)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    struct comps out;
    if (LLVMGetTypeKind(type_scalar(t)) == LLVMHalfTypeKind && op == LLVMFNeg) {
        struct comps h = lower_value(l, LLVMGetOperand(v, 0));
        out = comps_new(h.n);
        for (uint32_t i = 0; i < h.n; i++)
            out.c[i] = op2(l, IR_xor, h.c[i], imm(0x8000));
        return out;
    }
    if (!is_float(t))
        return lower_fail(l, "arithmetic of double or half is not supported");
    if ((op == LLVMFAdd || op == LLVMFSub) && lower_contracted(l, v, op, &out))
        return out;
    if (op == LLVMFDiv && l->opt->correctly_rounded &&
        !LLVMGetMetadata(v, LLVMGetMDKindIDInContext(LLVMGetTypeContext(t), "fpmath", 6)))
        return lower_fail(l, "correctly rounded division is not supported");
    struct comps a = lower_value(l, LLVMGetOperand(v, 0));
    struct comps b = op == LLVMFNeg ? a : lower_value(l, LLVMGetOperand(v, 1));
    out = comps_new(a.n);
    for (uint32_t i = 0; i < a.n; i++)
        out.c[i] = op == LLVMFNeg   ? op1(l, IR_fneg, a.c[i])
                   : op == LLVMFAdd ? op2(l, IR_fadd, a.c[i], b.c[i])
                   : op == LLVMFSub ? op2(l, IR_fsub, a.c[i], b.c[i])
                   : op == LLVMFMul ? op2(l, IR_fmul, a.c[i], b.c[i])
                                    : op2(l, IR_fdiv, a.c[i], b.c[i]);
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
    struct pair a = extend(l, c, bits, is_signed);
    if (!is_signed)
        return pair_to_float(l, a);
    if (is_sext(a))
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

/* To an integer of `bits`, saturating. */
static void from_float(struct lower *l, struct ir_src x, unsigned bits, bool is_signed,
                       struct ir_src *out)
{
    if (bits == 32) {
        out[0] = op1(l, is_signed ? IR_f2s : IR_f2u, x);
    } else if (bits < 32 && is_signed) {
        struct ir_src low = imm(-(1u << (bits - 1))), high = imm((1u << (bits - 1)) - 1);
        out[0] = op2(l, IR_smax, op2(l, IR_smin, op1(l, IR_f2s, x), high), low);
        if (bits == 1)
            out[0] = op1(l, IR_i2b, out[0]);
    } else if (bits < 32) {
        out[0] = op2(l, IR_umin, op1(l, IR_f2u, x), imm((1u << bits) - 1));
        if (bits == 1)
            out[0] = op1(l, IR_i2b, out[0]);
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

static struct comps lower_cast(struct lower *l, LLVMValueRef v, LLVMOpcode op)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0)), to = LLVMTypeOf(v);
    LLVMTypeKind from_kind = LLVMGetTypeKind(type_scalar(from)),
                 to_kind = LLVMGetTypeKind(type_scalar(to));
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
                struct pair p = extend(l, x, a_bits, op == LLVMSExt);
                y[0] = p.lo;
                y[1] = p.hi;
            }
            break;
        case LLVMSIToFP:
        case LLVMUIToFP:
            if (to_kind != LLVMFloatTypeKind)
                return lower_fail(l, "conversion to double or half is not supported");
            y[0] = to_float(l, x, a_bits, op == LLVMSIToFP);
            break;
        case LLVMFPToSI: /* out of range is undefined: saturating will do */
        case LLVMFPToUI:
            if (from_kind != LLVMFloatTypeKind)
                return lower_fail(l, "conversion from double or half is not supported");
            from_float(l, x[0], bits, op == LLVMFPToSI, y);
            break;
        case LLVMFPExt:
        case LLVMFPTrunc:
            if (from_kind == LLVMHalfTypeKind && to_kind == LLVMFloatTypeKind)
                y[0] = op1(l, IR_h2f, x[0]);
            else if (from_kind == LLVMFloatTypeKind && to_kind == LLVMHalfTypeKind)
                y[0] = op1(l, IR_f2h, x[0]);
            else
                return lower_fail(l, "double is not supported");
            break;
        default:
            bug("lower_cast");
        }
    }
    return out;
}

/* ---- bits reinterpreted, vectors ---- */

/* A sequence of elements as dwords; the last one may be half filled. */
static uint32_t to_dwords(struct lower *l, const struct ir_src *c, unsigned bits, uint32_t n,
                          struct ir_src *out)
{
    if (bits == 1) { /* bit i is element i */
        for (uint32_t i = 0; i < n; i++) {
            struct ir_src b = op2(l, IR_shl, op1(l, IR_b2i, c[i]), imm(i % 32));
            out[i / 32] = i % 32 ? op2(l, IR_or, out[i / 32], b) : b;
        }
        return (n + 31) / 32;
    }
    if (bits >= 32) {
        uint32_t words = n * (bits / 32);
        for (uint32_t i = 0; i < words; i++)
            out[i] = op_as(l, IR_I32, c[i]);
        return words;
    }
    uint32_t each = 32 / bits;
    for (uint32_t i = 0; i < n; i++) {
        /* the last element of a dword needs no mask: what is above it falls off */
        struct ir_src e = i % each == each - 1 ? c[i] : zext32(l, c[i], bits);
        e = op2(l, IR_shl, e, imm(i % each * bits));
        out[i / each] = i % each ? op2(l, IR_or, out[i / each], e) : e;
    }
    return (n + each - 1) / each;
}

static void from_dwords(struct lower *l, const struct ir_src *dw, LLVMTypeRef element, uint32_t n,
                        struct ir_src *out)
{
    unsigned bits = type_bits(element);
    for (uint32_t i = 0; i < n; i++) {
        if (bits >= 32) {
            for (uint32_t k = 0; k < bits / 32; k++)
                out[i * (bits / 32) + k] = op_as(l, type_of_comp(element), dw[i * (bits / 32) + k]);
            continue;
        }
        struct ir_src e = op2(l, IR_lshr, dw[i * bits / 32], imm(i * bits % 32));
        out[i] = bits == 1 ? op1(l, IR_i2b, e) : e;
    }
}

struct comps lower_bitcast(struct lower *l, LLVMValueRef from, LLVMTypeRef from_type,
                           LLVMTypeRef to)
{
    LLVMTypeRef a_type = type_scalar(from_type), b_type = type_scalar(to);
    unsigned a_bits = type_bits(a_type), b_bits = type_bits(b_type);
    struct comps a = lower_value(l, from), out = comps_new(type_comps(l, to));
    if (!out.n || !type_comps(l, from_type))
        return lower_fail(l, "bitcast of these types is not supported");
    bool odd =
        (a_bits != 1 && a_bits != 8 && a_bits % 16) || (b_bits != 1 && b_bits != 8 && b_bits % 16);
    if (a_bits == b_bits) {
        for (uint32_t i = 0; i < a.n; i++)
            out.c[i] = op_as(l, type_of_comp(to), a.c[i]);
        return out;
    }
    if (odd && type_length(from_type) * a_bits > 32)
        return lower_fail(l, "bitcast between integers of %u and %u bits is not supported", a_bits,
                          b_bits);
    struct ir_src dw[64];
    if (type_length(from_type) * a_bits > 64 * 32)
        return lower_fail(l, "bitcast of more than 256 bytes is not supported");
    to_dwords(l, a.c, a_bits, type_length(from_type), dw);
    from_dwords(l, dw, b_type, type_length(to), out.c);
    return out;
}

static struct comps part(struct comps v, uint32_t element, uint32_t each)
{
    struct comps out = comps_new(each);
    if (element < v.n / each)
        memcpy(out.c, &v.c[element * each], each * sizeof *out.c);
    return out;
}

static struct comps lower_extract(struct lower *l, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(v, 0));
    LLVMValueRef index = LLVMGetOperand(v, 1);
    struct comps a = lower_value(l, LLVMGetOperand(v, 0));
    uint32_t each = type_comps(l, LLVMTypeOf(v)), n = type_length(t);
    if (LLVMIsAConstantInt(index))
        return part(a, (uint32_t)LLVMConstIntGetZExtValue(index), each);
    unsigned bits = type_bits(LLVMTypeOf(index));
    struct ir_src at = zext32(l, lower_scalar(l, index), bits);
    struct comps out = part(a, 0, each);
    for (uint32_t i = 1; i < n; i++) {
        struct ir_src here = op_icmp(l, IR_EQ, at, imm(i));
        for (uint32_t k = 0; k < each; k++)
            out.c[k] = op_select(l, type_of_comp(t), here, a.c[i * each + k], out.c[k]);
    }
    return out;
}

static struct comps lower_insert(struct lower *l, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef index = LLVMGetOperand(v, 2);
    struct comps a = lower_value(l, LLVMGetOperand(v, 0)), e = lower_value(l, LLVMGetOperand(v, 1));
    struct comps out = comps_new(a.n);
    memcpy(out.c, a.c, a.n * sizeof *a.c);
    if (LLVMIsAConstantInt(index)) {
        uint32_t i = (uint32_t)LLVMConstIntGetZExtValue(index);
        if (i < a.n / e.n)
            memcpy(&out.c[i * e.n], e.c, e.n * sizeof *e.c);
        return out;
    }
    struct ir_src at = zext32(l, lower_scalar(l, index), type_bits(LLVMTypeOf(index)));
    for (uint32_t i = 0; i < a.n; i++)
        out.c[i] = op_select(l, type_of_comp(t), op_icmp(l, IR_EQ, at, imm(i / e.n)), e.c[i % e.n],
                             a.c[i]);
    return out;
}

static struct comps lower_shuffle(struct lower *l, LLVMValueRef v)
{
    struct comps a = lower_value(l, LLVMGetOperand(v, 0)), b = lower_value(l, LLVMGetOperand(v, 1));
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(v, 0));
    uint32_t n_in = type_length(t), each = a.n / n_in, n = LLVMGetNumMaskElements(v);
    struct comps out = comps_new(n * each);
    for (uint32_t i = 0; i < n; i++) {
        int m = LLVMGetMaskValue(v, i);
        if (m == LLVMGetUndefMaskElem())
            continue;
        const struct ir_src *from = (uint32_t)m < n_in ? &a.c[m * each] : &b.c[(m - n_in) * each];
        memcpy(&out.c[i * each], from, each * sizeof *from);
    }
    return out;
}

bool lower_arith(struct lower *l, LLVMValueRef v, struct comps *out)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (is_int_op(op)) {
        *out = lower_int(l, v, op);
        return true;
    }
    switch (op) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFNeg:
        *out = lower_float(l, v, op);
        return true;
    case LLVMICmp:
        *out = lower_icmp(l, v);
        return true;
    case LLVMFCmp:
        *out = lower_fcmp(l, v);
        return true;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMFPExt:
    case LLVMFPTrunc:
        *out = lower_cast(l, v, op);
        return true;
    case LLVMExtractElement:
        *out = lower_extract(l, v);
        return true;
    case LLVMInsertElement:
        *out = lower_insert(l, v);
        return true;
    case LLVMShuffleVector:
        *out = lower_shuffle(l, v);
        return true;
    default:
        return false;
    }
}

/* ---- arithmetic intrinsics ---- */

/* Those that are one operation of floats, element by element. */
static const struct {
    const char *name;
    enum ir_op op;
} float_intrinsics[] = {
    {"llvm.fabs", IR_fabs},       {"llvm.floor", IR_ffloor},    {"llvm.ceil", IR_fceil},
    {"llvm.trunc", IR_ftrunc},    {"llvm.rint", IR_frint},      {"llvm.nearbyint", IR_frint},
    {"llvm.roundeven", IR_frint}, {"llvm.minnum", IR_fmin},     {"llvm.maxnum", IR_fmax},
    {"llvm.minimumnum", IR_fmin}, {"llvm.maximumnum", IR_fmax}, {"llvm.fma", IR_ffma},
    {"llvm.fmuladd", IR_ffma},
};

enum int_fn {
    INT_ABS,
    INT_SMIN,
    INT_SMAX,
    INT_UMIN,
    INT_UMAX,
    INT_CTPOP,
    INT_CTLZ,
    INT_CTTZ,
    INT_REVERSE
};
static const struct {
    const char *name;
    enum int_fn fn;
} int_intrinsics[] = {
    {"llvm.abs", INT_ABS},   {"llvm.smin", INT_SMIN}, {"llvm.smax", INT_SMAX},
    {"llvm.umin", INT_UMIN}, {"llvm.umax", INT_UMAX}, {"llvm.ctpop", INT_CTPOP},
    {"llvm.ctlz", INT_CTLZ}, {"llvm.cttz", INT_CTTZ}, {"llvm.bitreverse", INT_REVERSE}};

/* "llvm.fabs.v4f32" is "llvm.fabs" with types. */
static bool is_intrinsic(const char *name, const char *base)
{
    size_t n = strlen(base);
    return !strncmp(name, base, n) && (name[n] == '.' || !name[n]);
}

static void int_function(struct lower *l, enum int_fn fn, unsigned bits, const struct ir_src *x,
                         const struct ir_src *y, struct ir_src *out)
{
    bool is_signed = fn == INT_ABS || fn == INT_SMIN || fn == INT_SMAX;
    struct pair a = extend(l, x, bits, is_signed), b, r = {imm(0), imm(0)};
    bool wide = bits > 32;
    struct ir_src c;
    switch (fn) {
    case INT_ABS:
        if (wide)
            r = pair_select(l, op_icmp(l, IR_SLT, a.hi, imm(0)), pair_neg(l, a), a);
        else
            r.lo = op2(l, IR_smax, a.lo, op2(l, IR_sub, imm(0), a.lo));
        break;
    case INT_SMIN:
    case INT_SMAX:
    case INT_UMIN:
    case INT_UMAX:
        b = extend(l, y, bits, is_signed);
        if (wide) {
            c = pair_compare(l, fn == INT_SMIN || fn == INT_SMAX ? IR_SLT : IR_ULT, a, b);
            bool is_min = fn == INT_SMIN || fn == INT_UMIN;
            r = pair_select(l, c, is_min ? a : b, is_min ? b : a);
        } else {
            r.lo = op2(l,
                       fn == INT_SMIN   ? IR_smin
                       : fn == INT_SMAX ? IR_smax
                       : fn == INT_UMIN ? IR_umin
                                        : IR_umax,
                       a.lo, b.lo);
        }
        break;
    case INT_CTPOP:
        r.lo = op1(l, IR_popcount, a.lo);
        if (wide)
            r.lo = op2(l, IR_add, r.lo, op1(l, IR_popcount, a.hi));
        break;
    case INT_CTLZ:
        if (wide) {
            c = op_icmp(l, IR_EQ, a.hi, imm(0));
            r.lo = op_select(l, IR_I32, c, op2(l, IR_add, op1(l, IR_clz, a.lo), imm(32)),
                             op1(l, IR_clz, a.hi));
            r.lo = op2(l, IR_sub, r.lo, imm(64 - bits));
        } else {
            r.lo = op2(l, IR_sub, op1(l, IR_clz, a.lo), imm(32 - bits));
        }
        break;
    case INT_CTTZ: /* a bit above the top one bounds the count */
        if (wide) {
            struct ir_src hi = bits < 64 ? op2(l, IR_or, a.hi, imm(1u << (bits - 32))) : a.hi;
            hi = op2(l, IR_add, op2(l, IR_umin, op1(l, IR_ctz, hi), imm(32)), imm(32));
            r.lo = op_select(l, IR_I32, op_icmp(l, IR_EQ, a.lo, imm(0)), hi, op1(l, IR_ctz, a.lo));
        } else if (bits < 32) {
            r.lo = op1(l, IR_ctz, op2(l, IR_or, a.lo, imm(1u << bits)));
        } else {
            r.lo = op2(l, IR_umin, op1(l, IR_ctz, a.lo), imm(32));
        }
        break;
    case INT_REVERSE:
        r.lo = op1(l, IR_bitreverse, wide ? a.hi : a.lo);
        if (wide)
            r.hi = op1(l, IR_bitreverse, a.lo);
        if (bits != 32 && bits != 64) {
            if (wide)
                r = pair_shr(l, r, imm(64 - bits), false);
            else
                r.lo = op2(l, IR_lshr, r.lo, imm(32 - bits));
        }
        break;
    }
    if (bits == 1) {
        out[0] = op1(l, IR_i2b, r.lo);
        return;
    }
    out[0] = r.lo;
    if (wide)
        out[1] = r.hi;
}

static struct comps float_function(struct lower *l, LLVMValueRef call, enum ir_op op)
{
    unsigned n_args = (unsigned)ir_op_info[op].n_src;
    struct comps in[3] = {{0}};
    if (!is_float(LLVMTypeOf(call)))
        return lower_fail(l, "arithmetic of double or half is not supported");
    for (unsigned i = 0; i < n_args; i++)
        in[i] = lower_value(l, LLVMGetOperand(call, i));
    struct comps out = comps_new(in[0].n);
    for (uint32_t i = 0; i < out.n; i++)
        out.c[i] = n_args == 1   ? op1(l, op, in[0].c[i])
                   : n_args == 2 ? op2(l, op, in[0].c[i], in[1].c[i])
                                 : op3(l, op, in[0].c[i], in[1].c[i], in[2].c[i]);
    return out;
}

static struct comps lower_fclass(struct lower *l, LLVMValueRef call)
{
    struct comps a = lower_value(l, LLVMGetOperand(call, 0)), out = comps_new(a.n);
    if (!is_float(LLVMTypeOf(LLVMGetOperand(call, 0))))
        return lower_fail(l, "classification of double or half is not supported");
    for (uint32_t i = 0; i < a.n; i++) {
        struct ir_insn *k = ir_new(l->fn, IR_fclass, 1, 1);
        k->imm = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
        ir_set_src(k, 0, a.c[i]);
        op_append(l, k);
        out.c[i] = ir_val(k->dst[0]);
    }
    return out;
}

bool lower_intrinsic_arith(struct lower *l, LLVMValueRef call, const char *name, struct comps *out)
{
    LLVMTypeRef t = LLVMTypeOf(call);
    unsigned bits = type_bits(type_scalar(t));
    for (size_t k = 0; k < sizeof float_intrinsics / sizeof *float_intrinsics; k++)
        if (is_intrinsic(name, float_intrinsics[k].name)) {
            *out = float_function(l, call, float_intrinsics[k].op);
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
        if (!is_float(LLVMTypeOf(from)) || !out->n) {
            *out = lower_fail(l, "conversion from double or half is not supported");
            return true;
        }
        for (uint32_t i = 0; i < a.n; i++)
            from_float(l, a.c[i], bits, name[9] == 's', &out->c[i * (out->n / a.n)]);
        return true;
    }
    for (size_t k = 0; k < sizeof int_intrinsics / sizeof *int_intrinsics; k++) {
        if (!is_intrinsic(name, int_intrinsics[k].name))
            continue;
        enum int_fn fn = int_intrinsics[k].fn;
        struct comps a = lower_value(l, LLVMGetOperand(call, 0)), b = a;
        if (fn >= INT_SMIN && fn <= INT_UMAX)
            b = lower_value(l, LLVMGetOperand(call, 1));
        *out = comps_new(type_comps(l, t));
        if (!out->n) {
            *out = lower_fail(l, "integers of %u bits are not supported", bits);
            return true;
        }
        for (uint32_t i = 0; i<out->n; i += bits> 32 ? 2 : 1)
            int_function(l, fn, bits, &a.c[i], &b.c[i], &out->c[i]);
        return true;
    }
    return false;
}
