/* The constants that a thread starts with: sizes, and the local ids of its lanes (gen/kbin.h says
 * where they lie). No device, no state. */
#include "src/gpu/impl.h"

#include <string.h>

uint32_t launch_threads(const struct kbin_kernel *k, const uint32_t local_size[3])
{
    uint64_t items = (uint64_t)local_size[0] * local_size[1] * local_size[2];
    uint64_t n = (items + k->simd - 1) / k->simd;
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static uint32_t regs_a_dimension(const struct kbin_kernel *k)
{
    return k->simd == 32 ? 2 : 1;
}

uint32_t launch_id_regs(const struct kbin_kernel *k)
{
    uint32_t n = 0;
    for (unsigned d = 0; d < 3; d++)
        n += k->uses_local_id[d] ? regs_a_dimension(k) : 0;
    return n;
}

uint32_t launch_curbe_regs(int gen, const struct kbin_kernel *k, uint32_t n_threads)
{
    if (gen == 70) /* no cross-thread constants: each thread has its own copy */
        return (k->n_push_regs + launch_id_regs(k)) * n_threads;
    return k->n_push_regs + launch_id_regs(k) * n_threads;
}

void launch_local_ids(const struct kbin_kernel *k, const uint32_t local_size[3], uint32_t t,
                      void *out)
{
    uint32_t stride = regs_a_dimension(k) * 32;
    uint16_t ids[3][32] = {{0}};
    uint32_t item = t * k->simd;
    uint32_t x = item % local_size[0];
    uint32_t y = item / local_size[0] % local_size[1];
    uint32_t z = item / local_size[0] / local_size[1];
    /* lanes past the last item are switched off; they go on counting */
    for (uint32_t lane = 0; lane < k->simd; lane++) {
        ids[0][lane] = (uint16_t)x;
        ids[1][lane] = (uint16_t)y;
        ids[2][lane] = (uint16_t)z;
        if (++x == local_size[0]) {
            x = 0;
            if (++y == local_size[1]) {
                y = 0;
                z++;
            }
        }
    }
    char *p = out;
    for (unsigned d = 0; d < 3; d++) {
        if (!k->uses_local_id[d])
            continue;
        memcpy(p, ids[d], stride);
        p += stride;
    }
}
