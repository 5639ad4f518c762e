/* -cl-unsafe-math-optimizations and -cl-fast-relaxed-math: float functions that may then be as
 * accurate as the math unit is; -cl-finite-math-only: tests for what isn't there. Calls are renamed
 * while the functions are still undefined; the mangled parameters stay as they are. */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <string.h>

static const struct relaxed {
    size_t flag; /* of a bool in struct cc_options */
    const char *name, *by;
} table[] = {
#define UNSAFE offsetof(struct cc_options, unsafe_math)
#define FINITE offsetof(struct cc_options, finite_math)
    {UNSAFE, "exp", "native_exp"},      {UNSAFE, "exp10", "native_exp10"},
    {UNSAFE, "log", "native_log"},      {UNSAFE, "log2", "native_log2"},
    {UNSAFE, "log10", "native_log10"},  {UNSAFE, "sin", "native_sin"},
    {UNSAFE, "cos", "native_cos"},      {UNSAFE, "tan", "native_tan"},
    {UNSAFE, "powr", "native_powr"},    {UNSAFE, "pow", "relaxed_pow"},
    {UNSAFE, "pown", "relaxed_pown"},   {UNSAFE, "sincos", "relaxed_sincos"},
    {UNSAFE, "sinh", "relaxed_sinh"},   {UNSAFE, "cosh", "relaxed_cosh"},
    {UNSAFE, "tanh", "relaxed_tanh"},   {FINITE, "isnan", "finite_no"},
    {FINITE, "isinf", "finite_no"},     {FINITE, "isunordered", "finite_no"},
    {FINITE, "isfinite", "finite_yes"}, {FINITE, "isordered", "finite_yes"},
#undef UNSAFE
#undef FINITE
};

/* "_Z3expDv4_f" -> "_Z10native_expDv4_f"; NULL if it isn't of the table, or not of floats, or with
 * a generic pointer. */
static const char *relaxed_name(const char *mangled, const struct cc_options *opt)
{
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const char *prefix = cc_printf("_Z%zu%s", strlen(table[i].name), table[i].name);
        size_t n = strlen(prefix);
        if (!*(const bool *)((const char *)opt + table[i].flag) || strncmp(mangled, prefix, n))
            continue;
        const char *params = mangled + n;
        if (*params == 'f' || (params[0] == 'D' && params[1] == 'v' && strchr(params, 'f')))
            return cc_printf("_Z%zu%s%s", strlen(table[i].by), table[i].by, params);
    }
    return NULL;
}

void relax_math(LLVMModuleRef m, const struct cc_options *opt)
{
    LLVMValueRef next;

    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = next) {
        next = LLVMGetNextFunction(f);
        const char *name = LLVMIsDeclaration(f) ? relaxed_name(llvmx_name(f), opt) : NULL;
        if (!name)
            continue;
        LLVMValueRef other = LLVMGetNamedFunction(m, name);
        if (other) {
            LLVMReplaceAllUsesWith(f, other);
            LLVMDeleteFunction(f);
        } else {
            LLVMSetValueName2(f, name, strlen(name));
        }
    }
}
