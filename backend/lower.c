/* Lowering before LLVM's optimiser: what is ours to decide, and must not be simplified in another
 * sense. */
#include "backend/lower.h"

#include <llvm-c/Target.h>
#include <string.h>

static LLVMTypeRef i32_type(LLVMModuleRef m)
{
    return LLVMInt32TypeInContext(LLVMGetModuleContext(m));
}

static LLVMTypeRef f32_type(LLVMModuleRef m)
{
    return LLVMFloatTypeInContext(LLVMGetModuleContext(m));
}

static LLVMValueRef u32(LLVMModuleRef m, uint32_t v)
{
    return LLVMConstInt(i32_type(m), v, 0);
}

static LLVMBuilderRef builder_at(LLVMModuleRef m, LLVMValueRef insn)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    LLVMPositionBuilderBefore(b, insn);
    return b;
}

static void replace(LLVMValueRef insn, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(insn, by);
    LLVMInstructionEraseFromParent(insn);
}

/* ---- collectives ---- */

void lower_group_scratch(LLVMModuleRef m)
{
    enum { GROUP_THREADS = 64, LARGEST = 8 };
    LLVMValueRef fn = LLVMGetNamedFunction(m, "__gen_group_scratch");
    if (!fn || !LLVMGetFirstUse(fn))
        return;
    LLVMTypeRef bytes =
        LLVMArrayType2(LLVMInt8TypeInContext(LLVMGetModuleContext(m)), GROUP_THREADS * LARGEST);
    LLVMValueRef scratch = LLVMAddGlobalInAddressSpace(m, bytes, "beignet.scratch", 3);
    LLVMSetInitializer(scratch, LLVMGetUndef(bytes));
    LLVMSetAlignment(scratch, LARGEST);
    for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetFirstUse(fn))
        replace(LLVMGetUser(use), scratch);
}

/* The lock of a work-group is a word of local memory, which holds anything at first: kernels that
 * use it begin by clearing it, together. */
void lower_group_lock(LLVMModuleRef m)
{
    LLVMValueRef fn = LLVMGetNamedFunction(m, "__gen_group_lock");
    if (!fn || !LLVMGetFirstUse(fn))
        return;
    LLVMTypeRef i32 = i32_type(m), nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(m));
    LLVMValueRef lock = LLVMAddGlobalInAddressSpace(m, i32, "beignet.lock", 3), last = NULL;
    LLVMValueRef barrier =
        llvmx_primitive(m, "__gen_barrier", LLVMFunctionType(nothing, &i32, 1, 0), false);
    LLVMSetInitializer(lock, LLVMGetUndef(i32));
    LLVMSetAlignment(lock, 4);
    for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetFirstUse(fn)) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMValueRef kernel = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        replace(call, lock);
        if (kernel == last) /* calls of one function follow each other, or it begins twice */
            continue;
        last = kernel;
        LLVMBuilderRef b = builder_at(m, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
        LLVMValueRef local = u32(m, 1);
        LLVMSetVolatile(LLVMBuildStore(b, u32(m, 0), lock), true);
        llvmx_call(b, barrier, &local, 1);
        LLVMDisposeBuilder(b);
    }
}

/* ---- struct arguments ---- */

static void spread_byval(LLVMModuleRef m, LLVMValueRef kernel, unsigned arg, uint64_t size,
                         unsigned align)
{
    LLVMTypeRef i32 = i32_type(m), params[2] = {i32, i32};
    LLVMValueRef prim =
        llvmx_primitive(m, "__gen_arg_dword", LLVMFunctionType(i32, params, 2, 0), true);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetModuleContext(m));
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel));
    LLVMBuilderRef b = builder_at(m, first);
    unsigned n = (unsigned)((size + 3) / 4);
    /* whole dwords, so that the last one has room */
    LLVMValueRef copy = LLVMBuildAlloca(b, LLVMArrayType2(i32, n ? n : 1), "");

    LLVMSetAlignment(copy, align < 4 ? 4 : align);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef args[2] = {u32(m, arg), u32(m, 4 * i)}, at = u32(m, 4 * i);
        LLVMValueRef dword = llvmx_call(b, prim, args, 2);
        LLVMValueRef p = LLVMBuildInBoundsGEP2(b, i8, copy, &at, 1, "");
        LLVMSetAlignment(LLVMBuildStore(b, dword, p), 4);
    }
    LLVMReplaceAllUsesWith(LLVMGetParam(kernel, arg), copy);
    LLVMDisposeBuilder(b);
}

void lower_byval(LLVMModuleRef m)
{
    unsigned byval = llvmx_attr_kind("byval");

    for_each_function (f, m) {
        if (!llvmx_is_kernel(f))
            continue;
        for (unsigned i = 0; i < LLVMCountParams(f); i++) {
            LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, i + 1, byval);
            if (!a)
                continue;
            LLVMTypeRef t = LLVMGetTypeAttributeValue(a);
            LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
            LLVMAttributeRef align =
                LLVMGetEnumAttributeAtIndex(f, i + 1, llvmx_attr_kind("align"));
            spread_byval(m, f, i, LLVMABISizeOfType(layout, t),
                         align ? (unsigned)LLVMGetEnumAttributeValue(align) : 4);
        }
    }
}

/* ---- native_*: the math unit ---- */

/* x is scaled before, the result after; 1 is no scaling. */
static const struct native {
    const char *intrinsic, *primitive;
    double before, after;
} natives[] = {
    {"llvm.sin", "__gen_sin", 1, 1},
    {"llvm.cos", "__gen_cos", 1, 1},
    {"llvm.exp2", "__gen_exp2", 1, 1},
    {"llvm.log2", "__gen_log2", 1, 1},
    {"llvm.exp", "__gen_exp2", 1.4426950408889634, 1},
    {"llvm.exp10", "__gen_exp2", 3.3219280948873623, 1},
    {"llvm.log", "__gen_log2", 1, 0.6931471805599453},
    {"llvm.log10", "__gen_log2", 1, 0.3010299956639812},
};

static LLVMValueRef native_scalar(LLVMModuleRef m, LLVMBuilderRef b, const struct native *n,
                                  LLVMValueRef x)
{
    LLVMTypeRef f32 = f32_type(m);
    LLVMValueRef fn = llvmx_primitive(m, n->primitive, LLVMFunctionType(f32, &f32, 1, 0), true);
    if (n->before != 1)
        x = LLVMBuildFMul(b, x, LLVMConstReal(f32, n->before), "");
    x = llvmx_call(b, fn, &x, 1);
    return n->after != 1 ? LLVMBuildFMul(b, x, LLVMConstReal(f32, n->after), "") : x;
}

static void lower_native_call(LLVMModuleRef m, LLVMValueRef call, const struct native *n)
{
    LLVMBuilderRef b = builder_at(m, call);
    LLVMValueRef x = LLVMGetOperand(call, 0), r;
    LLVMTypeRef t = LLVMTypeOf(x);

    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        r = LLVMGetUndef(t);
        for (unsigned i = 0; i < LLVMGetVectorSize(t); i++) {
            LLVMValueRef e = LLVMBuildExtractElement(b, x, u32(m, i), "");
            r = LLVMBuildInsertElement(b, r, native_scalar(m, b, n, e), u32(m, i), "");
        }
    } else {
        r = native_scalar(m, b, n, x);
    }
    replace(call, r);
    LLVMDisposeBuilder(b);
}

static bool is_float(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMFloatTypeKind;
}

void lower_native(LLVMModuleRef m)
{
    enum { N = sizeof(natives) / sizeof(natives[0]) };
    unsigned ids[N];

    for (unsigned k = 0; k < N; k++)
        ids[k] = LLVMLookupIntrinsicID(natives[k].intrinsic, strlen(natives[k].intrinsic));
    for_each_function (f, m) {
        unsigned id = LLVMGetIntrinsicID(f), k = 0;
        while (k < N && (!id || ids[k] != id))
            k++;
        if (k == N)
            continue;
        LLVMUseRef use = LLVMGetFirstUse(f);
        while (use) {
            LLVMValueRef call = LLVMGetUser(use);
            use = LLVMGetNextUse(use);
            if (is_float(LLVMTypeOf(call)))
                lower_native_call(m, call, &natives[k]);
        }
    }
}

/* ---- float to integer ---- */

/* Gen's conversion clamps and gives 0 for a NaN; LLVM's has no value out of range. */
static void saturate(LLVMModuleRef m, LLVMValueRef insn, const char *name)
{
    LLVMBuilderRef b = builder_at(m, insn);
    LLVMValueRef x = LLVMGetOperand(insn, 0);
    LLVMTypeRef to = LLVMTypeOf(insn), wide = to;
    LLVMTypeRef element = LLVMGetTypeKind(to) == LLVMVectorTypeKind ? LLVMGetElementType(to) : to;

    /* narrow ones by way of i32: a clamp more would cost more and be no better */
    if (LLVMGetIntTypeWidth(element) < 32) {
        wide = i32_type(m);
        if (LLVMGetTypeKind(to) == LLVMVectorTypeKind)
            wide = LLVMVectorType(wide, LLVMGetVectorSize(to));
    }
    LLVMTypeRef types[2] = {wide, LLVMTypeOf(x)};
    LLVMValueRef fn =
        LLVMGetIntrinsicDeclaration(m, LLVMLookupIntrinsicID(name, strlen(name)), types, 2);
    LLVMValueRef r = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, &x, 1, "");
    replace(insn, wide == to ? r : LLVMBuildTrunc(b, r, to, ""));
    LLVMDisposeBuilder(b);
}

void lower_float_to_int(LLVMModuleRef m)
{
    for_each_function (f, m) {
        for_each_block (b, f) {
            for_each_insn_safe (i, b) {
                if (LLVMGetInstructionOpcode(i) == LLVMFPToSI)
                    saturate(m, i, "llvm.fptosi.sat");
                else if (LLVMGetInstructionOpcode(i) == LLVMFPToUI)
                    saturate(m, i, "llvm.fptoui.sat");
            }
        }
    }
}

/* ---- work-item functions ---- */

static LLVMValueRef dim_call(LLVMModuleRef m, LLVMBuilderRef b, const char *name, LLVMValueRef dim)
{
    LLVMTypeRef i32 = i32_type(m);
    LLVMValueRef fn = llvmx_primitive(m, name, LLVMFunctionType(i32, &i32, 1, 0), true);
    return llvmx_call(b, fn, &dim, 1);
}

/* A function attribute says what cutting the range into other groups would change (meta.c reads
 * it). */
static void note_groups(LLVMModuleRef m)
{
    static const char *const observers[] = {
        "__gen_local_id", "__gen_group_id", "__gen_local_size", "__gen_num_groups",
        "__gen_barrier",  "__gen_lane_id",  "__gen_simd_width",
    };
    LLVMContextRef ctx = LLVMGetModuleContext(m);

    for (unsigned k = 0; k < sizeof(observers) / sizeof(observers[0]); k++) {
        LLVMValueRef fn = LLVMGetNamedFunction(m, observers[k]);
        for (LLVMUseRef u = fn ? LLVMGetFirstUse(fn) : NULL; u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                    LLVMCreateStringAttribute(ctx, "beignet-groups", 14, "", 0));
        }
    }
}

static void expand_global_id(LLVMModuleRef m, LLVMValueRef call)
{
    LLVMBuilderRef b = builder_at(m, call);
    LLVMValueRef dim = LLVMGetOperand(call, 0);
    LLVMValueRef r = LLVMBuildMul(b, dim_call(m, b, "__gen_group_id", dim),
                                  dim_call(m, b, "__gen_local_size", dim), "");
    r = LLVMBuildAdd(b, r, dim_call(m, b, "__gen_local_id", dim), "");
    replace(call, LLVMBuildAdd(b, r, dim_call(m, b, "__gen_global_offset", dim), ""));
    LLVMDisposeBuilder(b);
}

/* reqd_work_group_size of the function's metadata: three constants. */
static bool required_size(LLVMValueRef kernel, uint32_t size[3])
{
    size_t n = 0;
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    unsigned kind = LLVMGetMDKindIDInContext(ctx, "reqd_work_group_size", 20);
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(kernel, &n);
    bool found = false;

    for (unsigned i = 0; i < n; i++) {
        if (LLVMValueMetadataEntriesGetKind(all, i) != kind)
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(ctx, LLVMValueMetadataEntriesGetMetadata(all, i));
        LLVMValueRef ops[3];
        if (LLVMGetMDNodeNumOperands(node) != 3)
            continue;
        LLVMGetMDNodeOperands(node, ops);
        for (unsigned k = 0; k < 3; k++)
            size[k] = (uint32_t)LLVMConstIntGetZExtValue(ops[k]);
        found = true;
    }
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

static void fold_required_size(LLVMModuleRef m)
{
    LLVMValueRef fn = LLVMGetNamedFunction(m, "__gen_local_size");
    LLVMUseRef use = fn ? LLVMGetFirstUse(fn) : NULL;
    uint32_t size[3];

    while (use) {
        LLVMValueRef call = LLVMGetUser(use), dim = LLVMGetOperand(call, 0);
        LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        use = LLVMGetNextUse(use);
        if (!LLVMIsAConstantInt(dim) || !required_size(f, size))
            continue;
        replace(call, u32(m, size[LLVMConstIntGetZExtValue(dim) % 3]));
    }
}

void lower_global_id(LLVMModuleRef m)
{
    note_groups(m);
    LLVMValueRef fn = LLVMGetNamedFunction(m, "__gen_global_id");
    LLVMUseRef use = fn ? LLVMGetFirstUse(fn) : NULL;
    while (use) {
        LLVMValueRef call = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        expand_global_id(m, call);
    }
    fold_required_size(m);
}

static void split_dim(LLVMModuleRef m, LLVMValueRef call, const char *name)
{
    LLVMBuilderRef b = builder_at(m, call);
    LLVMValueRef dim = LLVMGetOperand(call, 0);
    LLVMValueRef r = dim_call(m, b, name, u32(m, 2));

    for (unsigned d = 2; d--;) {
        LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, dim, u32(m, d), "");
        r = LLVMBuildSelect(b, is, dim_call(m, b, name, u32(m, d)), r, "");
    }
    replace(call, r);
    LLVMDisposeBuilder(b);
}

/* The space that a generic pointer was made of; 4: not known. */
static unsigned space_before(LLVMValueRef p)
{
    for (;;) {
        if (LLVMIsAAddrSpaceCastInst(p) ||
            (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMAddrSpaceCast))
            return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(p, 0)));
        if (!LLVMIsAGetElementPtrInst(p) &&
            !(LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMGetElementPtr))
            return LLVMIsAConstantPointerNull(p) ? 1 : 4;
        p = LLVMGetOperand(p, 0);
    }
}

void lower_pointer_tags(LLVMModuleRef m)
{
    static const uint8_t tags[] = {3, 0, 0, 2}; /* by space: GENERIC_LOCAL, GENERIC_PRIVATE */
    LLVMValueRef fn = LLVMGetNamedFunction(m, "__gen_pointer_tag");
    LLVMUseRef use = fn ? LLVMGetFirstUse(fn) : NULL;
    while (use) {
        LLVMValueRef call = LLVMGetUser(use);
        unsigned space = space_before(LLVMGetOperand(call, 0));
        use = LLVMGetNextUse(use);
        if (space < 4)
            replace(call, u32(m, tags[space]));
    }
}

void lower_dynamic_dims(LLVMModuleRef m)
{
    static const char *const names[] = {
        "__gen_local_id",    "__gen_group_id",      "__gen_local_size",
        "__gen_global_size", "__gen_global_offset", "__gen_num_groups",
    };

    for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        LLVMValueRef fn = LLVMGetNamedFunction(m, names[k]);
        LLVMUseRef use = fn ? LLVMGetFirstUse(fn) : NULL;
        while (use) {
            LLVMValueRef call = LLVMGetUser(use), dim = LLVMGetOperand(call, 0);
            use = LLVMGetNextUse(use);
            if (!LLVMIsAConstantInt(dim))
                split_dim(m, call, names[k]);
        }
    }
}
