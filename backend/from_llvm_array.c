/* Which private variables become arrays in registers (IR_ARRAY): those of which no pointer goes
 * where we can't follow it, that are accessed in whole aligned dwords, or parts of one, and that
 * leave room for everything else. Constant indices alone would have been taken apart by LLVM. */
#include "backend/from_llvm.h"

#include <stdlib.h>
#include <string.h>

/* Dwords a lane of all arrays together, and the pointers to one that are looked at. */
enum { MAX_ROWS = 64, MAX_POINTERS = 2000 };

/* Pointers that are known to point into one variable. */
struct pointers {
    LLVMValueRef *p;
    unsigned n;
};

static bool is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static bool has(const struct pointers *ps, LLVMValueRef v)
{
    for (unsigned k = 0; k < ps->n; k++) {
        if (ps->p[k] == v)
            return true;
    }
    return false;
}

/* False: too many. */
static bool add(struct pointers *ps, LLVMValueRef v)
{
    if (has(ps, v))
        return true;
    if (ps->n == MAX_POINTERS)
        return false;
    ps->p[ps->n++] = v;
    return true;
}

/* Pieces as from_llvm_mem.c cuts them: each must lie within a dword, and a whole one be aligned. */
static bool access_fits(struct lower *l, LLVMValueRef insn, LLVMTypeRef t)
{
    uint64_t size = LLVMStoreSizeOfType(l->layout, t);
    unsigned need = size >= 4 ? 4 : size >= 2 ? 2 : 1;
    return !LLVMGetVolatile(insn) && LLVMGetAlignment(insn) >= need;
}

/* Whether the user does with the pointer only what an array allows. Pointers made from it are
 * added.
 */
static bool user_fits(struct lower *l, struct pointers *ps, LLVMValueRef v, LLVMValueRef user)
{
    if (!LLVMIsAInstruction(user))
        return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
        return access_fits(l, user, LLVMTypeOf(user));
    case LLVMStore:
        return LLVMGetOperand(user, 0) != v &&
               access_fits(l, user, LLVMTypeOf(LLVMGetOperand(user, 0)));
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMPHI:
    case LLVMSelect:
        return is_pointer(user) && add(ps, user);
    case LLVMICmp:
        return true; /* see sources_fit */
    case LLVMCall: {
        LLVMValueRef callee = LLVMGetCalledValue(user);
        size_t n;
        return LLVMIsAFunction(callee) &&
               !strncmp(LLVMGetValueName2(callee, &n), "llvm.lifetime.", 14);
    }
    default:
        return false;
    }
}

/* Whether a phi, a select or a comparison has no other pointers. */
static bool sources_fit(const struct pointers *ps, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool is_phi = op == LLVMPHI;
    int n = is_phi ? (int)LLVMCountIncoming(v) : LLVMGetNumOperands(v);
    for (int k = op == LLVMSelect; k < n; k++) {
        LLVMValueRef o =
            is_phi ? LLVMGetIncomingValue(v, (unsigned)k) : LLVMGetOperand(v, (unsigned)k);
        if (!has(ps, o) && !LLVMIsUndef(o))
            return false;
    }
    return true;
}

static bool can_be_array(struct lower *l, LLVMValueRef variable)
{
    struct pointers ps = {.p = cc_alloc(MAX_POINTERS * sizeof *ps.p)};
    add(&ps, variable);
    for (unsigned k = 0; k < ps.n; k++) {
        for (LLVMUseRef u = LLVMGetFirstUse(ps.p[k]); u; u = LLVMGetNextUse(u)) {
            if (!user_fits(l, &ps, ps.p[k], LLVMGetUser(u)))
                return false;
        }
    }
    for (unsigned k = 0; k < ps.n; k++) {
        for (LLVMUseRef u = LLVMGetFirstUse(ps.p[k]); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            LLVMOpcode op = LLVMGetInstructionOpcode(user);
            if ((op == LLVMPHI || op == LLVMSelect || op == LLVMICmp) && !sources_fit(&ps, user))
                return false;
        }
    }
    return true;
}

static uint64_t rows_of(struct lower *l, LLVMValueRef variable)
{
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    if (!LLVMIsAConstantInt(count))
        return UINT64_MAX;
    uint64_t size = LLVMABISizeOfType(l->layout, LLVMGetAllocatedType(variable));
    uint64_t n = LLVMConstIntGetZExtValue(count);
    return size > 4 * MAX_ROWS || n > 4 * MAX_ROWS ? UINT64_MAX : (size * n + 3) / 4;
}

void choose_arrays(struct lower *l)
{
    struct ir_fn *fn = l->fn;
    uint64_t rows = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->kernel)); v;
         v = LLVMGetNextInstruction(v)) {
        if (!LLVMIsAAllocaInst(v) || fn->n_arrays == IR_MAX_ARRAYS)
            continue;
        uint64_t n = rows_of(l, v);
        if (n == 0 || n > MAX_ROWS - rows || !can_be_array(l, v))
            continue;
        lower_entry(l, v)->root = (struct root){ROOT_ARRAY, (uint16_t)fn->n_arrays};
        fn->array_size[fn->n_arrays++] = (uint32_t)(4 * n);
        rows += n;
    }
}
