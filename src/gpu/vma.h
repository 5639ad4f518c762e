/* Free ranges of a GPU address space, for objects that are placed by us (softpin). First fit from
 * below, so that the used part stays dense. No lock: the owner has one. */
#ifndef SRC_GPU_VMA_H
#define SRC_GPU_VMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vma_hole {
    uint64_t start, end;
};
struct vma {
    struct vma_hole *holes; /* owned; ascending, never touching */
    size_t n_holes, capacity;
    size_t n_used; /* ranges given out: there are at most that many holes, and one */
};

/* The range [start, end) is free at first; start is not 0, which vma_alloc keeps for failure. */
bool vma_init(struct vma *v, uint64_t start, uint64_t end);
void vma_fini(struct vma *v);
/* size and alignment are multiples of a page, alignment a power of two. 0 if nothing is large
 * enough. */
uint64_t vma_alloc(struct vma *v, uint64_t size, uint64_t alignment);
/* Where a range of that kind lies free, the highest that ends at or below `below`; 0 if none does.
 */
uint64_t vma_find(const struct vma *v, uint64_t size, uint64_t alignment, uint64_t below);
/* Takes the very range; false if some of it is in use. */
bool vma_take(struct vma *v, uint64_t at, uint64_t size);
/* Can't fail: vma_alloc has made room for the hole. */
void vma_release(struct vma *v, uint64_t at, uint64_t size);
uint64_t vma_free_bytes(const struct vma *v);

#endif
