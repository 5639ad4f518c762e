/* See symbols.h. */
#include "src/core/symbols.h"
#include "src/core/debug.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

bool symbols_wanted(void)
{
    return debug_variable(VARIABLE_symbols);
}

static bool print_kernel(const struct kbin_kernel *k, FILE *f)
{
    fprintf(f, "kernel %s\nsize %zu\ncode %016" PRIx64 "\n", k->name, k->code_size,
            (uint64_t)XXH64(k->code, k->code_size, 0));
    for (uint32_t i = 0; i < k->n_lines; i++) {
        const struct kbin_line *l = &k->lines[i];
        fprintf(f, "line %" PRIu32 " %s:%" PRIu32 "\n", l->offset, k->files[l->file].name, l->line);
    }
    return !ferror(f);
}

/* Under another name first: readers see whole files only. */
static bool write_kernel(const struct kbin_kernel *k, const char *dir, unsigned number)
{
    char path[4096], partial[4096];
    int n = snprintf(path, sizeof path, "%s/%d-%u.sym", dir, (int)getpid(), number);
    if (n < 0 || (size_t)n >= sizeof path - 8) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(partial, sizeof partial, "%.*s.part", n, path);
    FILE *f = fopen(partial, "wxe");
    if (!f)
        return false;
    bool ok = print_kernel(k, f);
    ok = !fclose(f) && ok;
    if (ok && !rename(partial, path))
        return true;
    int err = errno;
    unlink(partial);
    errno = err;
    return false;
}

void symbols_write(const struct kbin *k)
{
    static atomic_uint next;
    const char *dir = debug_variable(VARIABLE_symbols);
    for (uint32_t i = 0; dir && i < k->n_kernels + k->n_narrow; i++) {
        const struct kbin_kernel *one =
            i < k->n_kernels ? &k->kernels[i] : &k->narrow[i - k->n_kernels];
        unsigned number = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        if (!write_kernel(one, dir, number))
            debug_log(DEBUG_build, "no symbols of kernel %s in %s: %s", one->name, dir,
                      strerror(errno));
    }
}
