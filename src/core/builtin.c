/* See builtin.h. */
#include "src/core/builtin.h"

#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/kernel.h"
#include "src/core/program.h"

#include <stdlib.h>
#include <string.h>

struct builtins {
    struct binary *binary; /* owned reference */
    struct kernel_code codes[N_BUILTINS];
};

/* Devices whose generation and quirks are those of one of these take its code. */
#define VARIANTS(V) V(ivb) V(byt) V(hsw) V(bdw) V(chv) V(skl) V(bxt)

#define V(name)                                                                                    \
    __asm__(".pushsection .rodata." #name ", \"a\"\n"                                              \
            ".balign 16\n"                                                                         \
            "builtin_" #name "_begin:\n"                                                           \
            ".incbin \"" BUILTIN_DIR "/transfer-" #name ".bin\"\n"                                 \
            "builtin_" #name "_end:\n"                                                             \
            ".popsection\n");                                                                      \
    extern const char builtin_##name##_begin[] __attribute__((visibility("hidden")));              \
    extern const char builtin_##name##_end[] __attribute__((visibility("hidden")));
VARIANTS(V)
#undef V

static const struct {
    const char *device, *begin, *end;
} variants[] = {
#define V(name) {#name, builtin_##name##_begin, builtin_##name##_end},
    VARIANTS(V)
#undef V
};

static const char *const names[N_BUILTINS] = {[BUILTIN_COPY] = "copy", [BUILTIN_FILL] = "fill"};

const void *builtin_image(const struct gen_device *dev, size_t *size)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const struct gen_device *of = gen_device_by_name(variants[i].device);
        if (of->gen != dev->gen || of->quirks != dev->quirks)
            continue;
        *size = (size_t)(variants[i].end - variants[i].begin);
        return variants[i].begin;
    }
    return NULL;
}

static struct builtins *builtins_new(cl_device_id dev)
{
    size_t size;
    const char *why;
    const void *image = builtin_image(dev->hw, &size);
    struct builtins *b = image ? calloc(1, sizeof *b) : NULL;
    if (b)
        b->binary = binary_new(dev, image, size, &why);
    if (!b || !b->binary || binary_commit(b->binary))
        goto fail;
    for (unsigned i = 0; i < N_BUILTINS; i++) {
        const struct kbin *kbin = &b->binary->kbin;
        unsigned at = 0;
        while (at < kbin->n_kernels && strcmp(kbin->kernels[at].name, names[i]))
            at++;
        if (at == kbin->n_kernels)
            goto fail;
        b->codes[i] =
            (struct kernel_code){.binary = b->binary, .info = &kbin->kernels[at], .index = at};
    }
    return b;

fail:
    builtins_free(b);
    return NULL;
}

void builtins_free(struct builtins *b)
{
    if (!b)
        return;
    binary_release(b->binary);
    free(b);
}

const struct kernel_code *builtin_code(cl_context ctx, cl_device_id dev, enum builtin which)
{
    struct builtins **b = &ctx->builtins[context_device_index(ctx, dev)];
    pthread_mutex_lock(&ctx->lock);
    if (!*b)
        *b = builtins_new(dev);
    const struct kernel_code *code = *b ? &(*b)->codes[which] : NULL;
    pthread_mutex_unlock(&ctx->lock);
    return code;
}
