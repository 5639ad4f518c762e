/* The closed language: what from_llvm accepts, and nothing else (lib/gen.h). What is left over is
 * named with its place: an error of ours rather than the user's, but no wrong code. */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <string.h>

static bool int_width_ok(unsigned w)
{
    return w == 1 || w == 8 || w == 16 || w == 32 || w == 64;
}

/* NULL if it is one of ours, else what is wrong with it. */
static const char *scalar_problem(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
        return int_width_ok(LLVMGetIntTypeWidth(t)) ? NULL : "an integer of odd width";
    case LLVMFloatTypeKind:
    case LLVMHalfTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
    case LLVMVoidTypeKind:
        return NULL;
    case LLVMTargetExtTypeKind: /* operands of primitives */
        return llvmx_image_type(t) || llvmx_is_sampler(t) ? NULL : "a type";
    default: /* LLVM's enum */
        return "a type";
    }
}

static const char *type_problem(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return scalar_problem(t);
    unsigned n = LLVMGetVectorSize(t);
    const char *why = scalar_problem(LLVMGetElementType(t));
    /* LLVM makes bytes of the largest vector, ulong16, where a union or a copy has it so. */
    return why ? why : n > 128 ? "a vector of more than 128" : NULL;
}

static bool is_vector(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind;
}

/* Operations on vectors that from_llvm splits; any other has been split by the scalarizer. */
static bool vector_op_ok(LLVMOpcode op)
{
    switch ((int)op) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return true;
    }
    return false;
}

static bool op_ok(LLVMValueRef i)
{
    LLVMTypeRef t = LLVMTypeOf(i);
    bool wide = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 64;

    switch ((int)LLVMGetInstructionOpcode(i)) {
    case LLVMRet:
    case LLVMBr:
    case LLVMUnreachable:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMICmp:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMGetElementPtr:
    case LLVMLoad:
    case LLVMStore:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return true;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFNeg:
    case LLVMFCmp:
        return true;
    case LLVMFDiv:
        return LLVMGetTypeKind(t) != LLVMDoubleTypeKind;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        return !wide;
    case LLVMAlloca:
        return LLVMGetInstructionParent(i) ==
                   LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i))) &&
               LLVMIsAConstantInt(LLVMGetOperand(i, 0));
    }
    return false;
}

/* Intrinsics by the start of their name. */
static const char *const intrinsics[] = {
    "llvm.fmuladd.f",    "llvm.fma.f",          "llvm.fabs.f",       "llvm.floor.f32",
    "llvm.floor.f16",    "llvm.ceil.f32",       "llvm.ceil.f16",     "llvm.trunc.f32",
    "llvm.trunc.f16",    "llvm.rint.f32",       "llvm.rint.f16",     "llvm.minnum.f",
    "llvm.maxnum.f",     "llvm.is.fpclass.f32", "llvm.fptosi.sat.i", "llvm.fptoui.sat.i",
    "llvm.abs.i",        "llvm.smin.i",         "llvm.smax.i",       "llvm.umin.i",
    "llvm.umax.i",       "llvm.ctpop.i",        "llvm.ctlz.i",       "llvm.cttz.i",
    "llvm.bitreverse.i", "llvm.sadd.sat.i32",   "llvm.uadd.sat.i32",
};

static bool call_ok(LLVMValueRef i)
{
    LLVMValueRef fn = llvmx_callee(i);
    if (!fn || !LLVMIsDeclaration(fn))
        return false;
    const char *name = llvmx_name(fn);
    if (!strncmp(name, "__gen_", 6))
        return true;
    for (unsigned k = 0; k < sizeof(intrinsics) / sizeof(intrinsics[0]); k++) {
        if (!strncmp(name, intrinsics[k], strlen(intrinsics[k])))
            return true;
    }
    return false;
}

static const char *insn_problem(LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    const char *why = type_problem(LLVMTypeOf(i));

    if (why && !(op == LLVMAlloca))
        return why;
    if (op == LLVMCall)
        return call_ok(i) ? NULL
               : llvmx_callee(i)
                   ? cc_printf("a call of '%s'", llvmx_source_name(LLVMGetCalledValue(i)))
                   : "an indirect call";
    if (!op_ok(i))
        return "an operation";
    if (is_vector(LLVMTypeOf(i)) && !vector_op_ok(op))
        return "an operation on vectors";
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
        if (LLVMValueIsBasicBlock(v))
            continue;
        why = type_problem(LLVMTypeOf(v));
        if (why)
            return why;
        if (is_vector(LLVMTypeOf(v)) && !vector_op_ok(op))
            return "an operation on vectors";
    }
    return NULL;
}

bool closed_check(LLVMModuleRef m, struct cc_log *log)
{
    bool ok = true;

    for_each_function (f, m) {
        if (LLVMIsDeclaration(f))
            continue;
        if (!llvmx_is_kernel(f)) {
            cc_error(log, f, "internal: function '%s' was not inlined", llvmx_source_name(f));
            ok = false;
            continue;
        }
        for_each_block (b, f) {
            for_each_insn (i, b) {
                const char *why = insn_problem(i);
                if (!why)
                    continue;
                char *text = LLVMPrintValueToString(i);
                cc_error(log, i, "internal: unsupported in kernel '%s': %s:%s", llvmx_name(f), why,
                         text);
                LLVMDisposeMessage(text);
                ok = false;
            }
        }
    }
    return ok;
}
