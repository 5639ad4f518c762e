/* Links what a module needs of the builtin library: which part defines a name stands in sorted
 * lists, so a part is parsed only when it's needed, and of it only what is referenced comes along
 * (all is linkonce_odr). */
#include "backend/cc.h"
#include "backend/libdata.h"
#include "backend/llvmx.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

/* Binary search in sorted lines. */
static bool has_name(const struct lib_file *names, const char *name)
{
    const char *lo = names->data, *hi = names->end;
    size_t n = strlen(name);

    while (lo < hi) {
        const char *mid = lo + (hi - lo) / 2;
        while (mid > lo && mid[-1] != '\n')
            mid--;
        const char *end = memchr(mid, '\n', (size_t)(names->end - mid));
        if (!end)
            bug("the list of names has no end");
        size_t len = (size_t)(end - mid), least = n < len ? n : len;
        int c = memcmp(name, mid, least);
        if (!c)
            c = n < len ? -1 : n > len;
        if (!c)
            return true;
        if (c < 0)
            hi = mid;
        else
            lo = end + 1;
    }
    return false;
}

static bool needs_part(LLVMModuleRef m, const struct lib_part *part)
{
    for_each_function (f, m) {
        if (LLVMIsDeclaration(f) && !llvmx_is_intrinsic(f) && LLVMGetFirstUse(f) &&
            has_name(&part->names, llvmx_name(f)))
            return true;
    }
    return false;
}

static bool link_part(LLVMModuleRef m, const struct lib_part *part)
{
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
        part->bitcode.data, (size_t)(part->bitcode.end - part->bitcode.data), part->bitcode.name,
        0);
    LLVMModuleRef lib;

    if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(m), bytes, &lib))
        bug("the builtin library %s can't be read", part->bitcode.name);
    LLVMSetTarget(lib, LLVMGetTarget(m));
    LLVMSetDataLayout(lib, LLVMGetDataLayoutStr(m));
    return !LLVMLinkModules2(m, lib);
}

bool link_builtins(LLVMModuleRef m, unsigned pointer_bits, struct cc_log *log)
{
    const struct lib_part *part;
    unsigned rounds = 0;

    /* ours may need libclc's; nothing needs anything more than a few times over */
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; (part = lib_part_at(pointer_bits, i)); i++) {
            if (!needs_part(m, part))
                continue;
            if (!link_part(m, part)) {
                cc_error(log, NULL, "the program defines what the builtin library does: %s",
                         part->bitcode.name);
                return false;
            }
            more = true;
        }
        if (rounds++ > 8)
            bug("linking the builtin library doesn't end");
    }
    return true;
}

bool link_module(LLVMModuleRef m, LLVMModuleRef src, struct cc_log *log)
{
    if (!LLVMLinkModules2(m, src))
        return true;
    cc_error(log, NULL, "linking failed");
    return false;
}
