/* Integers of more than 64 bits: LLVM's optimiser makes them of unions and copies of vectors. Each
 * becomes dwords: only what moves bits about is known, and nothing else has been seen. */
#include "backend/lower.h"

enum { MOST = 1024 / 32 };

struct dwords {
    LLVMValueRef v;
    unsigned n;
    LLVMValueRef dw[MOST];
};

struct state {
    LLVMBuilderRef b;
    LLVMContextRef ctx;
    LLVMTypeRef i32, i64;
    struct dwords *known;
    unsigned n, room;
};

/* How many dwords; 0: not one of these. */
static unsigned dword_count(LLVMTypeRef t)
{
    unsigned w = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    return w > 64 && w <= 32 * MOST ? (w + 31) / 32 : 0;
}

static LLVMValueRef number(struct state *s, uint32_t v)
{
    return LLVMConstInt(s->i32, v, 0);
}

static struct dwords *new_dwords(struct state *s, LLVMValueRef v, unsigned n)
{
    if (s->n == s->room) {
        unsigned room = s->room ? 2 * s->room : 16;
        struct dwords *more = cc_alloc(room * sizeof(*more));
        for (unsigned i = 0; i < s->n; i++)
            more[i] = s->known[i];
        s->known = more;
        s->room = room;
    }
    struct dwords *d = &s->known[s->n++];
    *d = (struct dwords){.v = v, .n = n};
    return d;
}

/* The low dwords of a constant or of an integer of at most 64 bits, zero-extended. */
static void split(struct state *s, LLVMValueRef v, LLVMValueRef *dw, unsigned n)
{
    unsigned w = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    LLVMValueRef q = w < 64 ? LLVMBuildZExt(s->b, v, s->i64, "") : v;

    for (unsigned k = 0; k < n; k++)
        dw[k] = number(s, 0);
    dw[0] = LLVMBuildTrunc(s->b, q, s->i32, "");
    if (w > 32)
        dw[1] = LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, q, LLVMConstInt(s->i64, 32, 0), ""),
                               s->i32, "");
}

/* False if v isn't known yet. */
static bool dwords_of(struct state *s, LLVMValueRef v, LLVMValueRef *dw, unsigned n)
{
    unsigned have = dword_count(LLVMTypeOf(v));

    if (LLVMIsUndef(v) || LLVMIsPoison(v)) {
        for (unsigned k = 0; k < n; k++)
            dw[k] = number(s, 0);
        return true;
    }
    if (!have) {
        split(s, v, dw, n);
        return true;
    }
    if (LLVMIsAConstantInt(v)) {
        LLVMTypeRef t = LLVMTypeOf(v);
        for (unsigned k = 0; k < n; k++) /* LLVM's builder folds these */
            dw[k] =
                k < have
                    ? LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, v, LLVMConstInt(t, 32 * k, 0), ""),
                                     s->i32, "")
                    : number(s, 0);
        return true;
    }
    for (unsigned i = s->n; i-- > 0;) {
        if (s->known[i].v != v)
            continue;
        for (unsigned k = 0; k < n; k++)
            dw[k] = k < have ? s->known[i].dw[k] : number(s, 0);
        return true;
    }
    return false;
}

/* Bits [at, at + 32) of a and the dword above it. */
static LLVMValueRef funnel(struct state *s, LLVMValueRef low, LLVMValueRef high, unsigned at)
{
    if (at == 0)
        return low;
    return LLVMBuildOr(s->b, LLVMBuildLShr(s->b, low, number(s, at), ""),
                       LLVMBuildShl(s->b, high, number(s, 32 - at), ""), "");
}

static bool shift(struct state *s, LLVMValueRef i, const LLVMValueRef *a, LLVMValueRef *r,
                  unsigned n)
{
    LLVMValueRef by = LLVMGetOperand(i, 1);
    bool left = LLVMGetInstructionOpcode(i) == LLVMShl;

    LLVMValueRef count[MOST];
    if (!LLVMIsAConstantInt(by) || !dwords_of(s, by, count, n) || !LLVMIsAConstantInt(count[0]))
        return false;
    unsigned long long bits = LLVMConstIntGetZExtValue(count[0]);
    if (bits >= 32ull * n)
        return false;
    unsigned whole = (unsigned)bits / 32, part = (unsigned)bits % 32;
    LLVMValueRef zero = number(s, 0);
    for (unsigned k = 0; k < n; k++) {
        if (!left)
            r[k] = funnel(s, k + whole < n ? a[k + whole] : zero,
                          k + whole + 1 < n ? a[k + whole + 1] : zero, part);
        else if (part)
            r[k] = funnel(s, k > whole ? a[k - whole - 1] : zero, k >= whole ? a[k - whole] : zero,
                          32 - part);
        else
            r[k] = k >= whole ? a[k - whole] : zero;
    }
    return true;
}

/* An integer of fewer bits from its dwords. */
static LLVMValueRef joined(struct state *s, const LLVMValueRef *dw, LLVMTypeRef t)
{
    unsigned w = LLVMGetIntTypeWidth(t);
    if (w <= 32)
        return LLVMBuildIntCast2(s->b, dw[0], t, false, "");
    LLVMValueRef high = LLVMBuildZExt(s->b, dw[1], s->i64, "");
    high = LLVMBuildShl(s->b, high, LLVMConstInt(s->i64, 32, 0), "");
    LLVMValueRef q = LLVMBuildOr(s->b, LLVMBuildZExt(s->b, dw[0], s->i64, ""), high, "");
    return w < 64 ? LLVMBuildTrunc(s->b, q, t, "") : q;
}

static LLVMValueRef vector_of(struct state *s, const LLVMValueRef *dw, unsigned n)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(s->i32, n));
    for (unsigned k = 0; k < n; k++)
        v = LLVMBuildInsertElement(s->b, v, dw[k], number(s, k), "");
    return v;
}

static void elements_of(struct state *s, LLVMValueRef v, LLVMValueRef *dw, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        dw[k] = LLVMBuildExtractElement(s->b, v, number(s, k), "");
}

/* Whether a result of so many bits needs no zeros above them: everything here is whole dwords but
 * for what a narrower integer was extended to. */
static bool is_whole(LLVMTypeRef t)
{
    return LLVMGetIntTypeWidth(t) % 32 == 0;
}

/* The dwords of an instruction's result; false: not yet, or not known how. */
static bool result(struct state *s, LLVMValueRef i, LLVMValueRef *r, unsigned n)
{
    LLVMValueRef a[MOST], b[MOST], from = LLVMGetOperand(i, 0);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMTypeRef t = LLVMTypeOf(i);

    switch ((int)op) {
    case LLVMBitCast:
        elements_of(s, LLVMBuildBitCast(s->b, from, LLVMVectorType(s->i32, n), ""), r, n);
        return is_whole(t);
    case LLVMExtractElement: { /* as_uint4(v.hi) of a ulong4: an element of its bits */
        LLVMValueRef at = LLVMGetOperand(i, 1), bits;
        unsigned all = n * LLVMGetVectorSize(LLVMTypeOf(from));
        if (!LLVMIsABitCastInst(from) || !LLVMIsAConstantInt(at) || all > MOST || !is_whole(t))
            return false;
        bits = LLVMBuildBitCast(s->b, LLVMGetOperand(from, 0), LLVMVectorType(s->i32, all), "");
        for (unsigned k = 0; k < n; k++)
            r[k] = LLVMBuildExtractElement(
                s->b, bits, number(s, n * (unsigned)LLVMConstIntGetZExtValue(at) + k), "");
        return true;
    }
    case LLVMLoad: {
        LLVMValueRef v = LLVMBuildLoad2(s->b, LLVMVectorType(s->i32, n), from, "");
        LLVMSetAlignment(v, LLVMGetAlignment(i));
        LLVMSetVolatile(v, LLVMGetVolatile(i));
        elements_of(s, v, r, n);
        return is_whole(t);
    }
    case LLVMZExt:
    case LLVMFreeze:
        return dwords_of(s, from, r, n);
    case LLVMTrunc:
        return is_whole(t) && dwords_of(s, from, r, n);
    case LLVMShl:
    case LLVMLShr:
        return (op == LLVMLShr || is_whole(t)) && dwords_of(s, from, a, n) && shift(s, i, a, r, n);
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        if (!dwords_of(s, from, a, n) || !dwords_of(s, LLVMGetOperand(i, 1), b, n))
            return false;
        for (unsigned k = 0; k < n; k++)
            r[k] = LLVMBuildBinOp(s->b, op, a[k], b[k], "");
        return true;
    case LLVMSelect:
        if (!dwords_of(s, LLVMGetOperand(i, 1), a, n) || !dwords_of(s, LLVMGetOperand(i, 2), b, n))
            return false;
        for (unsigned k = 0; k < n; k++)
            r[k] = LLVMBuildSelect(s->b, from, a[k], b[k], "");
        return true;
    }
    return false;
}

/* What an instruction with such an operand, but no such result, becomes. */
static bool use(struct state *s, LLVMValueRef i)
{
    LLVMValueRef from = LLVMGetOperand(i, 0), a[MOST], b[MOST], r = NULL;
    unsigned n = dword_count(LLVMTypeOf(from));
    LLVMOpcode op = LLVMGetInstructionOpcode(i);

    if (!n || !dwords_of(s, from, a, n))
        return false;
    switch ((int)op) {
    case LLVMTrunc:
        r = joined(s, a, LLVMTypeOf(i));
        break;
    case LLVMBitCast:
        r = LLVMBuildBitCast(s->b, vector_of(s, a, n), LLVMTypeOf(i), "");
        break;
    case LLVMStore:
        r = LLVMBuildStore(s->b, vector_of(s, a, n), LLVMGetOperand(i, 1));
        LLVMSetAlignment(r, LLVMGetAlignment(i));
        LLVMSetVolatile(r, LLVMGetVolatile(i));
        LLVMInstructionEraseFromParent(i);
        return true;
    case LLVMICmp:
        if ((LLVMGetICmpPredicate(i) != LLVMIntEQ && LLVMGetICmpPredicate(i) != LLVMIntNE) ||
            !dwords_of(s, LLVMGetOperand(i, 1), b, n))
            return false;
        r = number(s, 0);
        for (unsigned k = 0; k < n; k++)
            r = LLVMBuildOr(s->b, r, LLVMBuildXor(s->b, a[k], b[k], ""), "");
        r = LLVMBuildICmp(s->b, LLVMGetICmpPredicate(i), r, number(s, 0), "");
        break;
    }
    if (!r)
        return false;
    LLVMReplaceAllUsesWith(i, r);
    LLVMInstructionEraseFromParent(i);
    return true;
}

static bool uses_dwords(LLVMValueRef i)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        if (dword_count(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k))))
            return true;
    }
    return false;
}

static bool is_known(struct state *s, LLVMValueRef v)
{
    for (unsigned k = 0; k < s->n; k++) {
        if (s->known[k].v == v)
            return true;
    }
    return false;
}

static bool rewrite(struct state *s, LLVMValueRef i)
{
    LLVMValueRef r[MOST];
    unsigned n = dword_count(LLVMTypeOf(i));

    if (LLVMIsAPHINode(i) || !LLVMGetNumOperands(i) || (n ? is_known(s, i) : !uses_dwords(i)))
        return false;
    LLVMPositionBuilderBefore(s->b, i);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(i));
    if (!n)
        return use(s, i);
    if (!result(s, i, r, n))
        return false;
    struct dwords *d = new_dwords(s, i, n);
    for (unsigned k = 0; k < n; k++)
        d->dw[k] = r[k];
    return true;
}

static void new_phi(struct state *s, LLVMValueRef i)
{
    struct dwords *d = new_dwords(s, i, dword_count(LLVMTypeOf(i)));
    LLVMPositionBuilderBefore(s->b, i);
    for (unsigned k = 0; k < d->n; k++)
        d->dw[k] = LLVMBuildPhi(s->b, s->i32, "");
}

static void fill_phi(struct state *s, struct dwords *d)
{
    for (unsigned in = 0; in < LLVMCountIncoming(d->v); in++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(d->v, in);
        LLVMValueRef v[MOST];
        LLVMPositionBuilderBefore(s->b, LLVMGetBasicBlockTerminator(block));
        if (!dwords_of(s, LLVMGetIncomingValue(d->v, in), v, d->n))
            return; /* the check for the closed language names what is left */
        for (unsigned k = 0; k < d->n; k++)
            LLVMAddIncoming(d->dw[k], &v[k], &block, 1);
    }
}

static void rewrite_function(struct state *s, LLVMValueRef f)
{
    s->n = 0;
    for_each_block (b, f) {
        for_each_insn (i, b) {
            if (LLVMIsAPHINode(i) && dword_count(LLVMTypeOf(i)))
                new_phi(s, i);
        }
    }
    /* Blocks needn't stand in the order in which they run. */
    for (bool more = true; more;) {
        more = false;
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                more |= rewrite(s, i);
            }
        }
    }
    for (unsigned k = 0; k < s->n; k++) {
        if (LLVMIsAPHINode(s->known[k].v))
            fill_phi(s, &s->known[k]);
    }
}

void lower_dwords(LLVMModuleRef m)
{
    struct state s = {.ctx = LLVMGetModuleContext(m)};

    s.b = LLVMCreateBuilderInContext(s.ctx);
    s.i32 = LLVMInt32TypeInContext(s.ctx);
    s.i64 = LLVMInt64TypeInContext(s.ctx);
    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            rewrite_function(&s, f);
    }
    LLVMDisposeBuilder(s.b);
}
