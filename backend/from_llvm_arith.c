/* Integers of 1 to 64 bits, comparisons, vectors. Element by element: a vector instruction is as
 * many scalar ones. Floats: from_llvm_float.c. */
#include "backend/from_llvm.h"
#include "backend/opt.h"

#include <string.h>

static struct ir_src imm(uint32_t x)
{
    return ir_imm(x);
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
struct pair pair_extend(struct lower *l, const struct ir_src *c, unsigned bits, bool is_signed)
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
struct ir_src extend32(struct lower *l, struct ir_src c, unsigned bits, bool is_signed)
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
bool pair_is_sext(struct pair a)
{
    if (!a.lo.value)
        return !a.hi.value && a.hi.imm == ((int32_t)a.lo.imm < 0 ? 0xffffffff : 0);
    const struct ir_insn *d = a.hi.value ? a.hi.value->def : NULL;
    return d && d->op == IR_ashr && ir_same(d->src[0], a.lo) && ir_is_imm(d->src[1], 31);
}

struct pair pair_mul(struct lower *l, struct pair a, struct pair b)
{
    struct ir_src lo = op2(l, IR_mul, a.lo, b.lo);
    if (pair_is_sext(a) && pair_is_sext(b) && (a.hi.value || b.hi.value))
        return (struct pair){lo, op2(l, IR_mulhi_s, a.lo, b.lo)};
    struct ir_src hi = op2(l, IR_mulhi_u, a.lo, b.lo);
    hi = op2(l, IR_add, hi, op2(l, IR_mul, a.lo, b.hi));
    return (struct pair){lo, op2(l, IR_add, hi, op2(l, IR_mul, a.hi, b.lo))};
}

/* What is shifted out of x at one end, arriving at the other end of its neighbour: x >> (32 - n) or
 * x << (32 - n) for 0 <= n < 32, zero for n = 0. */
struct ir_src spill_right(struct lower *l, struct ir_src x, struct ir_src n)
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

struct pair pair_select(struct lower *l, struct ir_src c, struct pair a, struct pair b)
{
    return (struct pair){op_select(l, IR_I32, c, a.lo, b.lo), op_select(l, IR_I32, c, a.hi, b.hi)};
}

struct pair pair_neg(struct lower *l, struct pair a)
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
        r = pair_shr(l, pair_extend(l, x, bits, op == LLVMAShr), b.lo, op == LLVMAShr);
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
            out.c[i] = pair_compare(l, p, pair_extend(l, &a.c[2 * i], bits, is_signed),
                                    pair_extend(l, &b.c[2 * i], bits, is_signed));
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
        bool doubles = bits == 64 && c[0].value && c[0].value->type == IR_F64;
        for (uint32_t i = 0; i < words; i++)
            out[i] = doubles ? double_word(l, c[i / 2], i % 2) : op_as(l, IR_I32, c[i]);
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
        if (type_is_double(element)) {
            out[i] = double_of(l, dw[2 * i], dw[2 * i + 1]);
            continue;
        }
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
    if (a_bits == b_bits && type_is_double(a_type) == type_is_double(b_type)) {
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
        if (m == LLVMGetUndefMaskElem()) { /* anything: what is there costs no move */
            if (i < n_in)
                memcpy(&out.c[i * each], &a.c[i * each], each * sizeof *out.c);
            else if (type_is_double(t))
                out.c[i] = op_double(l, 0);
            continue;
        }
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

enum int_fn {
    INT_ABS,
    INT_SMIN,
    INT_SMAX,
    INT_UMIN,
    INT_UMAX,
    INT_SADD_SAT, /* these two of 32 bits: lower_late.c */
    INT_UADD_SAT,
    INT_CTPOP,
    INT_CTLZ,
    INT_CTTZ,
    INT_REVERSE
};
static const struct {
    const char *name;
    enum int_fn fn;
} int_intrinsics[] = {
    {"llvm.abs", INT_ABS},           {"llvm.smin", INT_SMIN},         {"llvm.smax", INT_SMAX},
    {"llvm.umin", INT_UMIN},         {"llvm.umax", INT_UMAX},         {"llvm.ctpop", INT_CTPOP},
    {"llvm.sadd.sat", INT_SADD_SAT}, {"llvm.uadd.sat", INT_UADD_SAT}, {"llvm.ctlz", INT_CTLZ},
    {"llvm.cttz", INT_CTTZ},         {"llvm.bitreverse", INT_REVERSE}};

static void int_function(struct lower *l, enum int_fn fn, unsigned bits, const struct ir_src *x,
                         const struct ir_src *y, struct ir_src *out)
{
    bool is_signed = fn == INT_ABS || fn == INT_SMIN || fn == INT_SMAX;
    struct pair a = pair_extend(l, x, bits, is_signed), b, r = {imm(0), imm(0)};
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
        b = pair_extend(l, y, bits, is_signed);
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
    case INT_SADD_SAT:
        r.lo = op2(l, IR_sadd_sat, *x, *y);
        break;
    case INT_UADD_SAT:
        r.lo = op2(l, IR_uadd_sat, *x, *y);
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

bool lower_intrinsic_arith(struct lower *l, LLVMValueRef call, const char *name, struct comps *out)
{
    LLVMTypeRef t = LLVMTypeOf(call);
    unsigned bits = type_bits(type_scalar(t));
    if (lower_intrinsic_float(l, call, name, out))
        return true;
    for (size_t k = 0; k < sizeof int_intrinsics / sizeof *int_intrinsics; k++) {
        if (!is_intrinsic(name, int_intrinsics[k].name))
            continue;
        enum int_fn fn = int_intrinsics[k].fn;
        struct comps a = lower_value(l, LLVMGetOperand(call, 0)), b = a;
        if (fn >= INT_SMIN && fn <= INT_UADD_SAT)
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
