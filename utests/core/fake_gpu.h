/* src/gpu/gpu.h without a GPU, for tests of everything above it. Buffer objects are memory of the
 * process; a batch is run by a thread that calls C functions in place of kernels, by name. It uses
 * every freedom that gpu.h gives a device: launches that nothing orders run in random order. The
 * driver's own kernels, `copy` and `fill`, are there from the start.
 */
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#include "src/gpu/gpu.h"

#include <stddef.h>
#include <stdint.h>

struct kbin_kernel;

struct fake_launch {
    const struct kbin_kernel *kernel; /* as the driver knows it */
    uint8_t *push;                    /* with addresses filled in */
    uint32_t local_size[3], group_count[3];
    uint32_t simd;
    unsigned n_surfaces;
    struct fake_surface {
        uint8_t *p; /* NULL for a null surface */
        uint64_t size;
        bool written;
    } surfaces[16];
};
typedef void fake_kernel(const struct fake_launch *l);

void fake_gpu_kernel(const char *name, fake_kernel *run);
/* How many devices there are, before they are opened; 1 without it. */
void fake_gpu_devices(unsigned n);
/* By the clock of the GPU, which is then put forward, a group of the kernel takes so long. */
void fake_gpu_cost(const char *name, uint64_t ns);
/* What the longest batch since the last call has taken of that. */
uint64_t fake_gpu_longest(void);
/* Launches of this kernel fit in no batch; NULL: all fit. */
void fake_gpu_refuse(const char *name);
/* Each batch takes so long. */
void fake_gpu_delay(unsigned microseconds);
/* While held, nothing runs. */
void fake_gpu_hold(bool hold);
/* The batches after the next n fail with -EIO; negative: none. */
void fake_gpu_hang_after(int n);
/* Launches that one batch takes. */
void fake_gpu_batch_size(unsigned n);
/* Bytes that buffer objects may have in all; allocations beyond fail. */
void fake_gpu_memory(uint64_t bytes);
unsigned fake_gpu_batches(void);  /* submitted so far */
unsigned fake_gpu_launches(void); /* run so far */
unsigned fake_gpu_live_bos(void);

#endif
