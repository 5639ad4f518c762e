/* Buffer objects, hardware contexts and submission, below batch.c: the part of src/gpu that speaks
 * libdrm_intel, whose types stay inside bo.c.
 *
 * Where objects lie. One mechanism a generation:
 * - Gen8 and 9: softpin. Each object gets its address at creation, from our own allocator, and
 * keeps it: the page tables are the context's own (full PPGTT), so nobody else's objects can be in
 * the way, batches are written with final addresses, and pointers stored in buffers stay valid. All
 * objects lie below 4 GiB, since libdrm_intel grants more only to kernels that no longer exist;
 * state and kernels need that anyway. Kernels without softpin or full PPGTT get relocations
 * instead.
 * - Gen7 and 7.5: relocations. Their PPGTT is, on most kernels, the global one, shared with every
 * client: a fixed address could collide with a framebuffer. Either way no object of ours lies at
 * address 0, nor on Gen7 across 1 GiB: softpin starts above; with relocations dummy objects are
 * pinned there where the kernel lets us.
 *
 * Locks: `lock` of the manager for the cache, address allocator and counters; `submit` for
 * libdrm_intel's relocation lists, the execbuffer ioctl and what must be ordered with it. submit
 * before lock. */
#ifndef SRC_GPU_BO_H
#define SRC_GPU_BO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/gpu/gpu.h"

struct bufmgr;
struct context; /* a hardware context, counted */

/* 0 or -errno. The descriptor is borrowed until bufmgr_free. */
int bufmgr_new(struct bufmgr **out, int fd, const struct gen_device *dev, bool llc);
void bufmgr_free(struct bufmgr *m);
bool bufmgr_has_softpin(const struct bufmgr *m); /* objects keep their addresses */
bool bufmgr_has_userptr(const struct bufmgr *m);
bool bufmgr_has_prime(const struct bufmgr *m); /* imports dma_bufs */
/* An MMIO register of the white list of DRM_IOCTL_I915_REG_READ. */
int bufmgr_reg_read(struct bufmgr *m, uint32_t reg, uint64_t *value);
uint64_t bufmgr_bytes_live(struct bufmgr *m);
uint64_t bufmgr_bytes_cached(struct bufmgr *m);
void bufmgr_trim(struct bufmgr *m, bool all);
/* Number of fixups that one submission may have. */
uint32_t bufmgr_max_fixups(const struct bufmgr *m);

/* Objects with relocations in them are kept apart from those that relocations point at:
 * libdrm_intel wants no new ones in an object that has been pointed at. */
enum bo_kind { BO_DATA, BO_BATCH, BO_SELF_ADDRESSED };
struct bo *bufmgr_alloc(struct bufmgr *m, const char *name, uint64_t size, enum bo_kind kind);
/* same_address: the GPU sees it at p too; NULL where that isn't free, or without softpin. */
struct bo *bufmgr_alloc_userptr(struct bufmgr *m, const char *name, void *p, uint64_t size,
                                bool same_address);
/* An object that another has made, by its dma_buf, which stays the caller's. One that is imported
 * twice is one. -E2BIG: it has less than `size` bytes; -EINVAL or -EBADF: no dma_buf, or none for
 * this device. */
int bufmgr_import(struct bufmgr *m, int fd, uint64_t size, struct bo **out);
/* Where an object could lie, the highest place that ends at or below `below`; 0: nowhere, or not
 * ours to say. */
uint64_t bufmgr_find_room(struct bufmgr *m, uint64_t size, uint64_t alignment, uint64_t below);
bool bo_busy(struct bo *bo);
int bo_wait(struct bo *bo, int64_t timeout); /* ns, negative = for ever; 0, -ETIME or -errno */

int context_new(struct context **out, struct bufmgr *m);
struct context *context_retain(struct context *c);
void context_release(struct context *c);
/* Has a hang or reset hit the context since it was made? */
bool context_lost(struct context *c);

/* An address in the batch object: at `at`, `size` bytes become the address of target + delta. */
struct bo_fixup {
    struct bo *target; /* borrowed; the batch object itself is allowed */
    uint64_t delta;
    uint32_t at;
    uint8_t size; /* 4 or 8 */
    bool written; /* the GPU writes through it */
};
struct bo_use {
    struct bo *bo; /* borrowed */
    bool written;
};
struct bo_exec {
    struct bo *batch;
    uint32_t used;             /* bytes of commands, a multiple of 8 */
    const struct bo_use *uses; /* each object once, the batch left out */
    const struct bo_fixup *fixups;
    uint32_t n_uses, n_fixups;
    uint32_t spare; /* offset of n_uses unused qwords in the batch object */
};
/* Fills in the addresses and hands the batch to the render engine. 0 or -errno; nothing is left
 * behind on failure. */
int bo_submit(struct context *c, const struct bo_exec *e);

#endif
