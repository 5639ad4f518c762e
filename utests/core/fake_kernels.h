/* Kernels for the GPU of fake_gpu.h: a kernel binary that describes them as beignet-cc would, and
 * what they do, in C.
 *
 *   inc(global uint *p)                             p[get_global_id(0)]++, and of dimensions 1 and
 * 2 mix(global uint *p, uint d, uint a, uint b, uint k)  p[d] = p[a] * 31 + p[b] * 17 + k
 *   width(global uint *p)                           p[0] = lanes of a thread: 32 or 16
 *   groups(global uint *p, local uint *l)           observes its groups: p[local size]++
 */
#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H

#include "fake_gpu.h"
#include "utest.h"

#include "gen/device.h"
#include "gen/kbin.h"

#include <string.h>

static inline uint32_t push_u32(const struct fake_launch *l, unsigned at)
{
    uint32_t v;
    memcpy(&v, l->push + at, 4);
    return v;
}

/* Offsets of the parameters, by dimension. */
enum { AT_OFFSET = 32, AT_SIZE = 48, AT_GROUP = 64, AT_ENQUEUED = 80, PUSH_REGS = 3 };

static void kernel_inc(const struct fake_launch *l)
{
    uint32_t *p = (uint32_t *)l->surfaces[0].p;
    size_t first[3], n[3], width = push_u32(l, AT_SIZE), height = push_u32(l, AT_SIZE + 4);
    for (unsigned d = 0; d < 3; d++) {
        first[d] = (size_t)push_u32(l, AT_GROUP + 4 * d) * push_u32(l, AT_ENQUEUED + 4 * d) +
                   push_u32(l, AT_OFFSET + 4 * d);
        n[d] = (size_t)l->group_count[d] * l->local_size[d];
    }
    for (size_t z = first[2]; z < first[2] + n[2]; z++)
        for (size_t y = first[1]; y < first[1] + n[1]; y++)
            for (size_t x = first[0]; x < first[0] + n[0]; x++) {
                size_t at = (z * height + y) * width + x;
                if (at * 4 + 4 <= l->surfaces[0].size)
                    p[at]++;
            }
}

static void kernel_mix(const struct fake_launch *l)
{
    uint32_t *p = (uint32_t *)l->surfaces[0].p;
    p[push_u32(l, 0)] = p[push_u32(l, 4)] * 31 + p[push_u32(l, 8)] * 17 + push_u32(l, 12);
}

static void kernel_groups(const struct fake_launch *l)
{
    uint32_t *p = (uint32_t *)l->surfaces[0].p;
    p[l->local_size[0]]++;
}

static void kernel_width(const struct fake_launch *l)
{
    *(uint32_t *)l->surfaces[0].p = l->simd;
}

static inline void describe(struct kbin_kernel *k, const char *name, bool observes, unsigned n_args,
                            const uint8_t *kinds)
{
    static const uint8_t dimensional[] = {KBIN_PARAM_GLOBAL_OFFSET, KBIN_PARAM_GLOBAL_SIZE,
                                          KBIN_PARAM_GROUP_OFFSET, KBIN_PARAM_LOCAL_SIZE};
    static const uint16_t at[] = {AT_OFFSET, AT_SIZE, AT_GROUP, AT_ENQUEUED};
    *k = (struct kbin_kernel){.name = strdup(name),
                              .code = calloc(1, 64),
                              .code_size = 64,
                              .simd = 16,
                              .n_push_regs = PUSH_REGS,
                              .uses_local_id = {true, false, false},
                              .observes_groups = observes,
                              .n_args = n_args,
                              .n_surfaces = 1};
    k->args = calloc(n_args, sizeof *k->args);
    k->surfaces = calloc(1, sizeof *k->surfaces);
    k->params = calloc(12 + n_args, sizeof *k->params);
    k->surfaces[0] = (struct kbin_surface){.kind = KBIN_SURFACE_ARG, .index = 0, .written = true};
    for (unsigned i = 0; i < n_args; i++) {
        bool value = kinds[i] == KBIN_ARG_VALUE;
        k->args[i] = (struct kbin_arg){.kind = kinds[i],
                                       .size = value ? 4 : 8,
                                       .align = 4,
                                       .name = strdup("arg"),
                                       .type_name = strdup(value ? "uint" : "uint*")};
        if (value)
            k->params[k->n_params++] = (struct kbin_param){
                .kind = KBIN_PARAM_ARG, .index = i, .offset = 4 * (i - 1), .size = 4};
    }
    for (unsigned i = 0; i < 4; i++)
        for (unsigned d = 0; d < 3; d++)
            k->params[k->n_params++] = (struct kbin_param){
                .kind = dimensional[i], .index = d, .offset = at[i] + 4 * d, .size = 4};
}

/* The image that clCreateProgramWithBinary takes; malloc'ed. */
static inline uint8_t *fake_binary(size_t *size)
{
    static const uint8_t mix[] = {KBIN_ARG_GLOBAL, KBIN_ARG_VALUE, KBIN_ARG_VALUE, KBIN_ARG_VALUE,
                                  KBIN_ARG_VALUE};
    static const uint8_t groups[] = {KBIN_ARG_GLOBAL, KBIN_ARG_LOCAL};
    const struct gen_device *dev = gen_device_by_name("hsw-gt2");
    const char *why = "";
    uint8_t *image = NULL;
    struct kbin k = {
        .gen = dev->gen, .quirks = dev->quirks, .pointer_bits = dev->pointer_bits, .type = 4};
    k.n_kernels = 4;
    k.kernels = calloc(k.n_kernels, sizeof *k.kernels);
    describe(&k.kernels[0], "inc", false, 1, mix);
    describe(&k.kernels[1], "mix", false, 5, mix);
    describe(&k.kernels[2], "groups", true, 2, groups);
    describe(&k.kernels[3], "width", false, 1, mix);
    k.n_narrow = 1;
    k.narrow = calloc(1, sizeof *k.narrow);
    describe(&k.narrow[0], "width", false, 1, mix);
    k.kernels[3].simd = 32;
    k.kernels[3].issue_clocks = 2000;
    k.narrow[0].issue_clocks = 1000;
    k.kernels[3].wait_clocks = k.narrow[0].wait_clocks = 400;
    if (!kbin_write(&k, &image, size, &why))
        fprintf(stderr, "kbin_write: %s\n", why);
    kbin_fini(&k);
    REQUIRE(image);
    fake_gpu_kernel("inc", kernel_inc);
    fake_gpu_kernel("mix", kernel_mix);
    fake_gpu_kernel("groups", kernel_groups);
    fake_gpu_kernel("width", kernel_width);
    return image;
}

#endif
