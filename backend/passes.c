/* From Clang's module to the closed language of lib/gen.h: kernels only, everything inlined,
 * structured. The order of the steps matters; each says why where it isn't plain. */
#include "backend/cc.h"
#include "backend/cfg.h"
#include "backend/front.h"
#include "backend/llvmx.h"
#include "backend/lower.h"

#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

/* Instructions of all kernels with everything inlined, before optimisation. More takes minutes. */
enum { SIZE_BUDGET = 200000 };

static void verify(LLVMModuleRef m, const char *after)
{
    char *why = NULL;
    if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why))
        bug("broken module after %s: %s", after, why);
    LLVMDisposeMessage(why);
}

static void dump(LLVMModuleRef m, const char *pass)
{
    if (cc_dumps(pass)) {
        char *text = LLVMPrintModuleToString(m);
        fprintf(stderr, "; %s\n%s", pass, text);
        LLVMDisposeMessage(text);
    }
}

/* A kernel that another function calls: the calls go to a copy that can be inlined. */
static void split_called_kernels(LLVMModuleRef m)
{
    for_each_function (f, m) {
        LLVMValueRef copy = NULL;
        LLVMUseRef use = llvmx_is_kernel(f) ? LLVMGetFirstUse(f) : NULL;
        while (use) {
            LLVMValueRef user = LLVMGetUser(use);
            use = LLVMGetNextUse(use);
            if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != f)
                continue;
            if (!copy) {
                copy = front_clone_function(f);
                LLVMSetFunctionCallConv(copy, LLVMX_CC_FUNCTION);
            }
            LLVMSetOperand(user, (unsigned)LLVMGetNumOperands(user) - 1, copy);
            LLVMSetInstructionCallConv(user, LLVMX_CC_FUNCTION);
        }
    }
}

/* Everything but kernels goes into its callers, whatever the program says of inlining. */
static void mark_for_inlining(LLVMModuleRef m)
{
    unsigned always = llvmx_attr_kind("alwaysinline"), never = llvmx_attr_kind("noinline");
    unsigned optnone = llvmx_attr_kind("optnone");
    LLVMContextRef ctx = LLVMGetModuleContext(m);

    for_each_function (f, m) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, never);
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, optnone);
        if (!llvmx_is_kernel(f)) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
            LLVMSetVisibility(f, LLVMDefaultVisibility);
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(ctx, always, 0));
        }
        for_each_block (b, f) {
            for_each_insn (i, b) {
                if (LLVMGetInstructionOpcode(i) == LLVMCall)
                    LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex, never);
            }
        }
    }
    /* Local and global variables are external, so that no pass takes one for a variable that only
     * this work-item sees, that no barrier changes, or that has its initial value. */
    for_each_global (g, m) {
        if (LLVMGetLinkage(g) == LLVMAppendingLinkage)
            continue;
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
        bool shared = space == 3 || (space == 1 && !LLVMIsGlobalConstant(g));
        LLVMSetLinkage(g, shared ? LLVMExternalLinkage : LLVMInternalLinkage);
        if (shared)
            LLVMSetExternallyInitialized(g, 1);
    }
}

/* What isn't the same in other control flow. */
static bool is_convergent(const char *name)
{
    static const char *const starts[] = {"__gen_barrier", "__gen_fence", "__gen_shuffle",
                                         "__gen_reduce_", "__gen_scan_", "__gen_before_",
                                         "__gen_media_"};
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (!strncmp(name, starts[i], strlen(starts[i])))
            return true;
    }
    return false;
}

static bool takes_image(LLVMValueRef f)
{
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(f, i))) == LLVMTargetExtTypeKind)
            return true;
    }
    return false;
}

/* Clang declares every builtin convergent; few of the primitives are. Two calls with an image or a
 * sampler stay two: one with either would have what no instruction takes, an image found out at run
 * time. */
static void mark_primitives(LLVMModuleRef m)
{
    unsigned convergent = llvmx_attr_kind("convergent");
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    static const char *const pure[] = {"nounwind", "willreturn", "nosync",
                                       "nofree",   "nocallback", "speculatable"};

    for_each_function (f, m) {
        const char *name = llvmx_name(f);
        if (!LLVMIsDeclaration(f) || strncmp(name, "__gen_", 6) || is_convergent(name))
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, convergent);
        for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
            LLVMRemoveCallSiteEnumAttribute(LLVMGetUser(u), LLVMAttributeFunctionIndex, convergent);
        }
        if (takes_image(f))
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(ctx, llvmx_attr_kind("nomerge"), 0));
        bool effect = !strncmp(name, "__gen_atomic_", 13) || !strncmp(name, "__gen_write_", 12);
        for (unsigned i = 0; !effect && i < sizeof(pure) / sizeof(pure[0]); i++) {
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(ctx, llvmx_attr_kind(pure[i]), 0));
        }
    }
}

/* A name that nothing defines, at its first call. */
static bool undefined_functions(LLVMModuleRef m, struct cc_log *log)
{
    bool ok = true;

    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f) || llvmx_is_intrinsic(f) || !LLVMGetFirstUse(f) ||
            !strncmp(llvmx_name(f), "__gen_", 6) || !strcmp(llvmx_name(f), "printf"))
            continue;
        LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(f));
        cc_error(log, LLVMIsAInstruction(user) ? user : NULL, "undefined function '%s'",
                 llvmx_source_name(f));
        ok = false;
    }
    return ok;
}

/* Size of a function with all that it calls, by depth; memory: an entry a function. */
struct sizes {
    LLVMValueRef *fns;
    uint64_t *sizes;
    unsigned n;
};

static uint64_t inlined_size(struct sizes *s, LLVMValueRef f)
{
    uint64_t size = 0;

    for (unsigned i = 0; i < s->n; i++) {
        if (s->fns[i] == f)
            return s->sizes[i];
    }
    for_each_block (b, f) {
        for_each_insn (i, b) {
            LLVMValueRef callee = LLVMGetInstructionOpcode(i) == LLVMCall ? llvmx_callee(i) : NULL;
            size += callee && !LLVMIsDeclaration(callee) ? inlined_size(s, callee) : 1;
            if (size > 1ull << 40) /* no overflow on the way */
                size = 1ull << 40;
        }
    }
    s->fns[s->n] = f;
    s->sizes[s->n++] = size;
    return size;
}

static bool within_budget(LLVMModuleRef m, struct cc_log *log)
{
    struct sizes s = {0};
    uint64_t all = 0;
    unsigned n = 0;

    for_each_function (f, m)
        n++;
    s.fns = cc_alloc(n * sizeof(*s.fns));
    s.sizes = cc_alloc(n * sizeof(*s.sizes));
    for_each_function (f, m) {
        uint64_t size = llvmx_is_kernel(f) ? inlined_size(&s, f) : 0;
        if (size > SIZE_BUDGET) {
            cc_error(log, f,
                     "kernel '%s' is too large: %llu instructions with all functions inlined, "
                     "the limit is %u",
                     llvmx_name(f), (unsigned long long)size, SIZE_BUDGET);
            return false;
        }
        all += size;
    }
    if (all > 4ull * SIZE_BUDGET) {
        cc_error(log, NULL,
                 "the program is too large: %llu instructions with all functions inlined, "
                 "the limit is %u",
                 (unsigned long long)all, 4 * SIZE_BUDGET);
        return false;
    }
    return true;
}

static void optimise(LLVMModuleRef m, const struct cc_options *opt)
{
    if (opt->opt_disable)
        llvmx_run(m,
                  "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa("
                  "licm),gvn,sroa,instcombine<no-verify-fixpoint>,adce,simplifycfg),globaldce");
    else
        llvmx_run(m, "default<O2>");
    llvmx_run(m, "function(scalarizer,sroa,early-cse,instcombine<no-verify-fixpoint>,adce)");
}

/* Division of 64-bit integers, runs of memory and what the EU lacks of doubles become calls of the
 * library, and are inlined. */
static bool use_library(LLVMModuleRef m, const struct gen_device *dev, struct cc_log *log)
{
    for (unsigned round = 0; lower_to_library(m, dev); round++) {
        if (round > 5)
            bug("lowering to the library doesn't end");
        if (!link_builtins(m, dev->pointer_bits, log))
            return false;
        mark_for_inlining(m);
        llvmx_run(m, "always-inline,globaldce");
        mark_primitives(m);
        lower_float_to_int(m);
        llvmx_run(m,
                  "function(scalarizer,sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
                  "adce)");
    }
    return true;
}

/* Formats must be visible: so this comes after inlining, and is followed by one of its own. */
static bool use_printf(LLVMModuleRef m, struct kbin *out, struct cc_log *log)
{
    bool any;

    if (!lower_printf(m, out, &any, log))
        return false;
    if (!any)
        return true;
    if (!link_builtins(m, out->pointer_bits, log))
        return false;
    mark_for_inlining(m);
    llvmx_run(m, "always-inline,globaldce");
    mark_primitives(m);
    return true;
}

/* What is left of accesses through generic pointers. */
static void split_generic(LLVMModuleRef m)
{
    lower_pointer_tags(m);
    if (front_split_generic(m))
        llvmx_run(m, "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,adce)");
}

static int by_block(const void *a, const void *b)
{
    const LLVMBasicBlockRef *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Whether from_llvm can lay the function out as it is. If not, *layout may name a block to copy, of
 * *all. */
static bool is_structured(LLVMValueRef f, LLVMBasicBlockRef **all, struct cfg_layout *layout)
{
    unsigned n = LLVMCountBasicBlocks(f), k = 0;
    LLVMBasicBlockRef *blocks = cc_alloc(n * sizeof(*blocks)),
                      *sorted = cc_alloc(n * sizeof(*sorted));
    unsigned *numbers = cc_alloc(n * sizeof(*numbers));
    struct cfg_node *nodes = cc_alloc(n * sizeof(*nodes));
    const char *why;

    LLVMGetBasicBlocks(f, blocks);
    memcpy(sorted, blocks, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_block);
    for (k = 0; k < n; k++) {
        LLVMBasicBlockRef *at = bsearch(&blocks[k], sorted, n, sizeof(*sorted), by_block);
        numbers[at - sorted] = k;
    }
    for (k = 0; k < n; k++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(blocks[k]);
        nodes[k].n_succ = (uint8_t)LLVMGetNumSuccessors(t);
        nodes[k].is_return = LLVMGetInstructionOpcode(t) == LLVMRet;
        for (unsigned s = 0; s < nodes[k].n_succ; s++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(t, s);
            LLVMBasicBlockRef *at = bsearch(&to, sorted, n, sizeof(*sorted), by_block);
            nodes[k].succ[s] = (int)numbers[at - sorted];
        }
        if (nodes[k].n_succ == 2 && nodes[k].succ[0] == nodes[k].succ[1])
            nodes[k].n_succ = 1;
    }
    *all = blocks;
    return cfg_structure(nodes, (int)n, layout, &why);
}

/* Where ways join that went apart at different branches, as behind a switch one case of which goes
 * elsewhere, a copy of a small block for each is cheaper than the structuriser's flags. True if
 * that was enough. */
static bool copy_joins(LLVMValueRef f)
{
    enum { MAX_COPIES = 24, MAX_SIZE = 8, MAX_ALL = 64 }; /* instructions */
    struct cfg_layout layout;
    LLVMBasicBlockRef *blocks, from[MAX_ALL];
    bool ok = is_structured(f, &blocks, &layout);

    for (unsigned n = 0; !ok && n < MAX_COPIES; n++) {
        if (layout.shared < 0 || layout.n_from > MAX_ALL ||
            !front_can_copy_block(blocks[layout.shared], MAX_SIZE))
            break;
        for (int k = 0; k < layout.n_from; k++)
            from[k] = blocks[layout.from[k]];
        front_copy_block(blocks[layout.shared], from, (unsigned)layout.n_from);
        if (!front_run_on_function(f, "mem2reg,early-cse,adce"))
            bug("LLVM refuses mem2reg");
        ok = is_structured(f, &blocks, &layout);
    }
    return ok;
}

/* structurizecfg leaves alone what has more than one end: let it return where it never gets. */
static void return_where_unreachable(LLVMValueRef f)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));

    for_each_block (block, f) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (LLVMGetInstructionOpcode(end) != LLVMUnreachable)
            continue;
        LLVMInstructionEraseFromParent(end);
        LLVMPositionBuilderAtEnd(b, block);
        LLVMBuildRetVoid(b);
    }
    LLVMDisposeBuilder(b);
}

/* Most functions are structured as they are, with real else arms: those stay. For the others the
 * order is: mergereturn first, else early returns leave several exits; loop-simplify after
 * fix-irreducible, else loops keep two latches; nothing after structurizecfg may change the control
 * flow. lower-switch goes before mergereturn, which would hide from it that a default is
 * unreachable. */
static void structurise(LLVMModuleRef m)
{
    static const char pipeline[] =
        "mergereturn,fix-irreducible,loop-simplify,unify-loop-exits,structurizecfg,"
        "early-cse,adce";

    llvmx_run(m, "function(lower-switch,mergereturn,early-cse,adce)");
    for_each_function (f, m) {
        if (!llvmx_is_kernel(f) || copy_joins(f))
            continue;
        return_where_unreachable(f);
        if (!front_run_on_function(f, pipeline))
            bug("LLVM refuses '%s'", pipeline);
    }
}

/* Constant samplers are calls of a function of Clang's. */
static void name_samplers(LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "__translate_sampler_initializer");
    if (!f)
        return;
    LLVMSetValueName2(f, "__gen_sampler", strlen("__gen_sampler"));
    LLVMAddAttributeAtIndex(
        f, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(LLVMGetModuleContext(m), llvmx_attr_kind("memory"), 0));
}

/* The bits of a constant sampler, so that what they decide is decided now. */
static void fold_sampler_bits(LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "__gen_sampler_bits");
    LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL;
    while (use) {
        LLVMValueRef call = LLVMGetUser(use), sampler = LLVMGetOperand(call, 0);
        use = LLVMGetNextUse(use);
        if (LLVMIsACallInst(sampler) && LLVMIsAConstantInt(LLVMGetOperand(sampler, 0))) {
            LLVMReplaceAllUsesWith(call, LLVMGetOperand(sampler, 0));
            LLVMInstructionEraseFromParent(call);
        }
    }
}

/* Constant samplers are made where a kernel begins. LLVM finds several equal ones elsewhere partly
 * redundant: then a read would have a choice of them. */
static void hoist_samplers(LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "__gen_sampler");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMValueRef kernel = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel));
        if (call == first || !LLVMIsConstant(LLVMGetOperand(call, 0)))
            continue;
        LLVMInstructionRemoveFromParent(call);
        LLVMPositionBuilderBefore(b, first);
        LLVMInsertIntoBuilder(b, call);
    }
    LLVMDisposeBuilder(b);
}

void passes_begin(LLVMModuleRef m)
{
    name_samplers(m);
    split_called_kernels(m);
    mark_for_inlining(m);
    llvmx_run(m, "globaldce");
}

bool passes_run(LLVMModuleRef m, const struct gen_device *dev, const struct cc_options *opt,
                struct kbin *out, struct cc_log *log)
{
    dump(m, "link");
    if (!undefined_functions(m, log))
        return false;
    lower_byval(m);
    lower_group_scratch(m);
    lower_float_to_int(m);
    mark_for_inlining(m);
    if (!within_budget(m, log))
        return false;
    llvmx_run(m, "always-inline,globaldce");
    lower_group_lock(m);
    mark_primitives(m);
    lower_native(m);
    llvmx_run(
        m, "function(sroa,early-cse)"); /* so that dimensions are constants, and samplers calls */
    if (!use_printf(m, out, log))
        return false;
    lower_global_id(m);
    fold_sampler_bits(m);
    hoist_samplers(m);
    front_infer_address_spaces(m);
    lower_pointer_tags(m);
    if (BEIGNET_CHECKS)
        verify(m, "inlining");
    dump(m, "inline");

    optimise(m, opt);
    lower_contract(m);
    front_infer_address_spaces(m); /* what was inlined by now, or came out of memory */
    if (!use_library(m, dev, log))
        return false;
    split_generic(m);
    lower_dynamic_dims(m);
    lower_intrinsics(m);
    lower_dwords(m);
    lower_widths(m);
    if (BEIGNET_CHECKS)
        verify(m, "optimisation");
    dump(m, "opt");
    structurise(m);
    llvmx_run(m, "globaldce");
    if (BEIGNET_CHECKS)
        verify(m, "structuring");
    dump(m, "llvm");
    return closed_check(m, log);
}
