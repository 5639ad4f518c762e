/* Build options that outlive a compile. An object is bitcode, and what it was compiled with decides
 * how code is made of it when it is linked: each function carries that as an attribute. Options
 * given to clLinkProgram join those of objects, and of libraries that were made with
 * -enable-link-options (OpenCL 3.0 API, 5.8.6.5 and .6). */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <stdlib.h>
#include <string.h>

static const char attribute[] = "beignet-modes";

/* fast: the flags of instructions that Clang gives for the option. LINK: clLinkProgram takes it. */
enum { LINK = 1 };
static const struct mode {
    size_t flag; /* of a bool in struct cc_options */
    unsigned when;
    LLVMFastMathFlags fast;
} modes[] = {
#define FLAG(member) offsetof(struct cc_options, member)
    {FLAG(unsafe_math), LINK,
     LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros | LLVMFastMathAllowReciprocal |
         LLVMFastMathApproxFunc},
    {FLAG(finite_math), LINK, LLVMFastMathNoNaNs | LLVMFastMathNoInfs},
    {FLAG(no_signed_zeros), LINK, LLVMFastMathNoSignedZeros},
    {FLAG(fast_relaxed), LINK, 0},
    {FLAG(denorms_zero), LINK, 0},
    {FLAG(mad_enable), LINK, 0}, /* by -cl-unsafe-math-optimizations */
    {FLAG(opt_disable), 0, 0},
    {FLAG(debug), LINK, 0},
#undef FLAG
};
enum {
    N_MODES = sizeof(modes) / sizeof(modes[0]),
    OPEN = 1u << N_MODES /* to the options of links */
};

static bool *flag_of(struct cc_options *o, unsigned i)
{
    return (bool *)((char *)o + modes[i].flag);
}

static unsigned bits_of(const struct cc_options *o)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < N_MODES; i++)
        bits |= (unsigned)*flag_of((struct cc_options *)o, i) << i;
    return bits;
}

/* Of a function; 0 if it has none. */
static unsigned get(LLVMValueRef f)
{
    unsigned n;
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute,
                                                       sizeof(attribute) - 1);
    const char *text = a ? LLVMGetStringAttributeValue(a, &n) : "";
    return (unsigned)strtoul(a ? cc_printf("%.*s", (int)n, text) : text, NULL, 10);
}

static void set(LLVMValueRef f, unsigned bits)
{
    const char *text = cc_printf("%u", bits);
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(f)),
                                                      attribute, sizeof(attribute) - 1, text,
                                                      (unsigned)strlen(text)));
}

/* The flags of what bits say, on each float instruction. */
static void relax_instructions(LLVMValueRef f, unsigned bits)
{
    LLVMFastMathFlags fast = 0;
    for (unsigned i = 0; i < N_MODES; i++)
        fast |= bits >> i & 1 ? modes[i].fast : 0;
    if (!fast)
        return;
    for_each_block (b, f) {
        for_each_insn (i, b) {
            if (LLVMCanValueUseFastMathFlags(i))
                LLVMSetFastMathFlags(i, LLVMGetFastMathFlags(i) | fast);
        }
    }
}

void modes_compiled(LLVMModuleRef m, const struct cc_options *opt)
{
    unsigned bits = bits_of(opt);
    for_each_function (f, m) {
        if (LLVMIsDeclaration(f))
            continue;
        set(f, bits | OPEN);
        relax_instructions(f, bits); /* Clang has done it; the translator of SPIR-V hasn't */
    }
    relax_math(m, opt);
}

void modes_linked(LLVMModuleRef m, const struct cc_options *opt)
{
    unsigned bits = 0;
    bool open = false;
    for (unsigned i = 0; i < N_MODES; i++)
        bits |= modes[i].when & LINK ? bits_of(opt) & 1u << i : 0;
    for_each_function (f, m) {
        if (LLVMIsDeclaration(f) || !(get(f) & OPEN))
            continue;
        open = true;
        set(f, get(f) | bits);
        relax_instructions(f, bits);
    }
    if (open)
        relax_math(m, opt);
}

void modes_close(LLVMModuleRef m)
{
    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            set(f, get(f) & ~(unsigned)OPEN);
    }
}

void modes_of(LLVMModuleRef m, struct cc_options *opt)
{
    unsigned all = ~0u;
    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            all &= get(f);
    }
    for (unsigned i = 0; i < N_MODES; i++)
        *flag_of(opt, i) = all >> i & 1;
}
