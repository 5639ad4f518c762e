/* Integers of widths that OpenCL C doesn't have: LLVM's optimiser makes them of switches over few
 * bits and of closed forms of loops. Each becomes one of 32 or 64 bits whose further bits are zero.
 */
#include "backend/lower.h"

struct widths {
    LLVMBuilderRef b;
    LLVMContextRef ctx;
    LLVMValueRef *from, *to; /* values of odd width and what stands for them */
    unsigned n, room;
};

static unsigned odd_width(LLVMTypeRef t)
{
    unsigned w = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    return w > 64 || w == 0 || w == 1 || w == 8 || w == 16 || w == 32 || w == 64 ? 0 : w;
}

static LLVMTypeRef wide_type(struct widths *s, LLVMTypeRef t)
{
    unsigned w = odd_width(t);
    return w ? LLVMIntTypeInContext(s->ctx, w < 32 ? 32 : 64) : t;
}

static void stand_for(struct widths *s, LLVMValueRef from, LLVMValueRef to)
{
    if (s->n == s->room) {
        unsigned room = s->room ? 2 * s->room : 16;
        LLVMValueRef *more = cc_alloc(2 * room * sizeof(*more));
        for (unsigned i = 0; i < s->n; i++) {
            more[i] = s->from[i];
            more[room + i] = s->to[i];
        }
        s->from = more;
        s->to = more + room;
        s->room = room;
    }
    s->from[s->n] = from;
    s->to[s->n++] = to;
}

/* What stands for a value: constants at once, others once their instruction has been seen. */
static LLVMValueRef wide(struct widths *s, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);

    if (!odd_width(t))
        return v;
    if (LLVMIsAConstantInt(v))
        return LLVMConstInt(wide_type(s, t), LLVMConstIntGetZExtValue(v), 0);
    if (LLVMIsUndef(v) || LLVMIsPoison(v))
        return LLVMConstNull(wide_type(s, t));
    for (unsigned i = s->n; i-- > 0;) {
        if (s->from[i] == v)
            return s->to[i];
    }
    return NULL;
}

static LLVMValueRef resized(struct widths *s, LLVMValueRef v, LLVMTypeRef to, bool is_signed)
{
    return LLVMBuildIntCast2(s->b, v, to, is_signed, "");
}

/* The low bits of the type t, zeros above. */
static LLVMValueRef cut(struct widths *s, LLVMValueRef v, LLVMTypeRef t)
{
    unsigned w = odd_width(t);
    v = resized(s, v, wide_type(s, t), false);
    return w ? LLVMBuildAnd(s->b, v, LLVMConstInt(LLVMTypeOf(v), (1ull << w) - 1, 0), "") : v;
}

/* A value of t whose sign fills the further bits. */
static LLVMValueRef filled(struct widths *s, LLVMValueRef v, LLVMTypeRef t)
{
    unsigned w = odd_width(t);
    if (!w)
        return v;
    LLVMTypeRef wt = wide_type(s, t);
    LLVMValueRef by = LLVMConstInt(wt, LLVMGetIntTypeWidth(wt) - w, 0);
    return LLVMBuildAShr(s->b, LLVMBuildShl(s->b, v, by, ""), by, "");
}

static bool compares_signed(LLVMValueRef i)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    return p == LLVMIntSGT || p == LLVMIntSGE || p == LLVMIntSLT || p == LLVMIntSLE;
}

/* The type of a vector's elements as integers. */
static LLVMTypeRef element_bits(struct widths *s, LLVMTypeRef vector)
{
    LLVMTypeRef e = LLVMGetElementType(vector);
    return LLVMGetTypeKind(e) == LLVMIntegerTypeKind ? e : LLVMInt16TypeInContext(s->ctx);
}

/* A vector, of truth values for example, as one integer. */
static LLVMValueRef gathered(struct widths *s, LLVMValueRef v, LLVMTypeRef t)
{
    LLVMTypeRef e = element_bits(s, LLVMTypeOf(v)), wt = wide_type(s, t);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->ctx);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(v)), each = LLVMGetIntTypeWidth(e);
    LLVMValueRef r = LLVMConstNull(wt);

    v = LLVMBuildBitCast(s->b, v, LLVMVectorType(e, n), "");
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef x = LLVMBuildExtractElement(s->b, v, LLVMConstInt(i32, k, 0), "");
        x = LLVMBuildShl(s->b, resized(s, x, wt, false), LLVMConstInt(wt, each * k, 0), "");
        r = LLVMBuildOr(s->b, r, x, "");
    }
    return r;
}

/* The other way: v stands for an integer of as many bits as the vector has. */
static LLVMValueRef scattered(struct widths *s, LLVMValueRef v, LLVMTypeRef vector)
{
    LLVMTypeRef e = element_bits(s, vector), i32 = LLVMInt32TypeInContext(s->ctx);
    unsigned n = LLVMGetVectorSize(vector), each = LLVMGetIntTypeWidth(e);
    LLVMValueRef r = LLVMGetPoison(LLVMVectorType(e, n));

    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef by = LLVMConstInt(LLVMTypeOf(v), each * k, 0);
        LLVMValueRef x = LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, v, by, ""), e, "");
        r = LLVMBuildInsertElement(s->b, r, x, LLVMConstInt(i32, k, 0), "");
    }
    return LLVMBuildBitCast(s->b, r, vector, "");
}

/* An element of odd width, which LLVM takes for the low bits of one that is wider, out of the
 * vector as units of 32 bits, or of 16 or 8 if it has less. */
static LLVMValueRef extracted(struct widths *s, LLVMValueRef i)
{
    LLVMValueRef vector = LLVMGetOperand(i, 0), index = LLVMGetOperand(i, 1);
    LLVMTypeRef t = LLVMTypeOf(i);
    unsigned w = odd_width(t), bits = w * LLVMGetVectorSize(LLVMTypeOf(vector));
    unsigned unit = bits % 32 == 0 ? 32 : bits % 16 == 0 ? 16 : 8;
    if (!w || !LLVMIsAConstantInt(index) || bits % unit || unit % w)
        return NULL;
    uint64_t at = LLVMConstIntGetZExtValue(index) * w;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->ctx), u = LLVMIntTypeInContext(s->ctx, unit);
    LLVMTypeRef units = LLVMVectorType(u, bits / unit);
    LLVMValueRef v;
    if (LLVMIsALoadInst(vector)) {
        LLVMPositionBuilderBefore(s->b, vector); /* later ones find the bitcast */
        v = LLVMBuildLoad2(s->b, units, LLVMGetOperand(vector, 0), "");
        LLVMSetAlignment(v, LLVMGetAlignment(vector));
        LLVMSetVolatile(v, LLVMGetVolatile(vector));
        LLVMReplaceAllUsesWith(vector, LLVMBuildBitCast(s->b, v, LLVMTypeOf(vector), ""));
        LLVMInstructionEraseFromParent(vector);
        LLVMPositionBuilderBefore(s->b, i);
    } else {
        v = LLVMIsABitCastInst(vector) ? LLVMGetOperand(vector, 0) : vector;
        v = LLVMBuildBitCast(s->b, v, units, "");
    }
    v = LLVMBuildExtractElement(s->b, v, LLVMConstInt(i32, at / unit, 0), "");
    v = LLVMBuildLShr(s->b, v, LLVMConstInt(u, at % unit, 0), "");
    return cut(s, v, t);
}

/* What an instruction with an operand or a result of odd width becomes; NULL if it isn't one that
 * is known: the check for the closed language will name it. */
static LLVMValueRef widened(struct widths *s, LLVMValueRef i)
{
    LLVMTypeRef t = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef a[3] = {NULL};

    for (int k = 0; k < LLVMGetNumOperands(i) && k < 3; k++) {
        a[k] = wide(s, LLVMGetOperand(i, (unsigned)k));
        if (!a[k])
            return NULL;
    }
    switch ((int)op) {
    case LLVMTrunc:
    case LLVMZExt:
        return cut(s, a[0], t);
    case LLVMSExt:
        return cut(s, resized(s, filled(s, a[0], from), wide_type(s, t), true), t);
    case LLVMUIToFP:
        return LLVMBuildUIToFP(s->b, a[0], t, "");
    case LLVMSIToFP:
        return LLVMBuildSIToFP(s->b, filled(s, a[0], from), t, "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        return cut(s, LLVMBuildBinOp(s->b, op, a[0], a[1], ""), t);
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMLShr:
    case LLVMUDiv:
    case LLVMURem:
        return LLVMBuildBinOp(s->b, op, a[0], a[1], "");
    case LLVMAShr:
        return cut(s, LLVMBuildAShr(s->b, filled(s, a[0], t), a[1], ""), t);
    case LLVMSDiv:
    case LLVMSRem:
        return cut(s, LLVMBuildBinOp(s->b, op, filled(s, a[0], t), filled(s, a[1], t), ""), t);
    case LLVMICmp:
        if (compares_signed(i)) {
            a[0] = filled(s, a[0], from);
            a[1] = filled(s, a[1], from);
        }
        return LLVMBuildICmp(s->b, LLVMGetICmpPredicate(i), a[0], a[1], "");
    case LLVMSelect:
        return LLVMBuildSelect(s->b, a[0], a[1], a[2], "");
    case LLVMExtractElement:
        return extracted(s, i);
    case LLVMFreeze:
        return LLVMBuildFreeze(s->b, a[0], "");
    case LLVMBitCast:
        return LLVMGetTypeKind(from) == LLVMVectorTypeKind ? gathered(s, LLVMGetOperand(i, 0), t)
               : LLVMGetTypeKind(t) == LLVMVectorTypeKind  ? scattered(s, a[0], t)
                                                           : NULL;
    }
    return NULL;
}

static bool is_known(struct widths *s, LLVMValueRef i)
{
    return odd_width(LLVMTypeOf(i)) && wide(s, i);
}

static bool is_odd(LLVMValueRef i)
{
    bool odd = odd_width(LLVMTypeOf(i)) > 0;
    for (int k = 0; k < LLVMGetNumOperands(i) && !odd; k++)
        odd = odd_width(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k))) > 0;
    return odd;
}

static void widen_phi(struct widths *s, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(s->b, i);
    stand_for(s, i, LLVMBuildPhi(s->b, wide_type(s, LLVMTypeOf(i)), ""));
}

static void fill_phis(struct widths *s)
{
    for (unsigned k = 0; k < s->n; k++) {
        for (unsigned in = 0; LLVMIsAPHINode(s->from[k]) && in < LLVMCountIncoming(s->from[k]);
             in++) {
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(s->from[k], in);
            LLVMValueRef v = wide(s, LLVMGetIncomingValue(s->from[k], in));
            if (!v)
                v = LLVMGetUndef(LLVMTypeOf(s->to[k]));
            LLVMAddIncoming(s->to[k], &v, &block, 1);
        }
    }
}

static bool widen_switch(struct widths *s, LLVMValueRef i)
{
    LLVMValueRef on = wide(s, LLVMGetOperand(i, 0));
    if (!on)
        return false;
    LLVMSetOperand(i, 0, on);
    for (int k = 2; k < LLVMGetNumOperands(i); k += 2)
        LLVMSetOperand(i, (unsigned)k, wide(s, LLVMGetOperand(i, (unsigned)k)));
    return true;
}

/* False if i, or an operand of it, isn't known yet. What is replaced and dead is left to LLVM. */
static bool widen(struct widths *s, LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) == LLVMSwitch)
        return widen_switch(s, i);
    LLVMPositionBuilderBefore(s->b, i);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef by = LLVMGetNumOperands(i) ? widened(s, i) : NULL;
    if (!by)
        return false;
    if (odd_width(LLVMTypeOf(i))) {
        stand_for(s, i, by);
    } else {
        LLVMReplaceAllUsesWith(i, by);
        LLVMInstructionEraseFromParent(i);
    }
    return true;
}

static void widen_function(struct widths *s, LLVMValueRef f)
{
    s->n = 0;
    for_each_block (b, f) {
        for_each_insn (i, b) {
            if (LLVMIsAPHINode(i) && odd_width(LLVMTypeOf(i)))
                widen_phi(s, i);
        }
    }
    /* Blocks needn't stand in the order in which they run. */
    for (bool more = true; more;) {
        more = false;
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                if (!LLVMIsAPHINode(i) && is_odd(i) && !is_known(s, i))
                    more |= widen(s, i);
            }
        }
    }
    fill_phis(s);
}

void lower_widths(LLVMModuleRef m)
{
    struct widths s = {.ctx = LLVMGetModuleContext(m)};

    s.b = LLVMCreateBuilderInContext(s.ctx);
    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            widen_function(&s, f);
    }
    LLVMDisposeBuilder(s.b);
}
