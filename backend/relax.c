/* -cl-unsafe-math-optimizations and -cl-fast-relaxed-math: float functions that may then be as
 * accurate as the math unit is. Calls are renamed while the functions are still undefined; the
 * mangled parameters stay as they are. */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <string.h>

static const struct relaxed {
    const char *name, *by;
} table[] = {
    {"exp", "native_exp"},   {"exp10", "native_exp10"}, {"log", "native_log"},
    {"log2", "native_log2"}, {"log10", "native_log10"}, {"sin", "native_sin"},
    {"cos", "native_cos"},   {"tan", "native_tan"},     {"powr", "native_powr"},
    {"pow", "relaxed_pow"},  {"pown", "relaxed_pown"},
};

/* "_Z3expDv4_f" -> "_Z10native_expDv4_f"; NULL if it isn't of the table, or not of floats. */
static const char *relaxed_name(const char *mangled)
{
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const char *prefix = cc_printf("_Z%zu%s", strlen(table[i].name), table[i].name);
        size_t n = strlen(prefix);
        if (strncmp(mangled, prefix, n))
            continue;
        const char *params = mangled + n;
        if (*params == 'f' || (params[0] == 'D' && params[1] == 'v' && strchr(params, 'f')))
            return cc_printf("_Z%zu%s%s", strlen(table[i].by), table[i].by, params);
    }
    return NULL;
}

void relax_math(LLVMModuleRef m)
{
    LLVMValueRef next;

    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = next) {
        next = LLVMGetNextFunction(f);
        const char *name = LLVMIsDeclaration(f) ? relaxed_name(llvmx_name(f)) : NULL;
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
