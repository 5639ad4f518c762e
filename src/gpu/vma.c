/* First fit over a sorted array of holes. See vma.h. */
#include "src/gpu/vma.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool vma_init(struct vma *v, uint64_t start, uint64_t end)
{
    assert(start > 0 && start < end);
    *v = (struct vma){.capacity = 64};
    v->holes = malloc(v->capacity * sizeof *v->holes);
    if (!v->holes)
        return false;
    v->holes[0] = (struct vma_hole){start, end};
    v->n_holes = 1;
    return true;
}

void vma_fini(struct vma *v)
{
    free(v->holes);
    *v = (struct vma){0};
}

static void insert(struct vma *v, size_t i, struct vma_hole hole)
{
    memmove(v->holes + i + 1, v->holes + i, (v->n_holes - i) * sizeof *v->holes);
    v->holes[i] = hole;
    v->n_holes++;
}

static void erase(struct vma *v, size_t i)
{
    v->n_holes--;
    memmove(v->holes + i, v->holes + i + 1, (v->n_holes - i) * sizeof *v->holes);
}

static bool make_room(struct vma *v)
{
    if (v->n_used + 2 <= v->capacity)
        return true;
    struct vma_hole *holes = realloc(v->holes, 2 * v->capacity * sizeof *holes);
    if (!holes)
        return false;
    v->holes = holes;
    v->capacity *= 2;
    return true;
}

/* Takes [at, at + size) out of hole i. */
static void cut(struct vma *v, size_t i, uint64_t at, uint64_t size)
{
    struct vma_hole hole = v->holes[i];
    if (at > hole.start && at + size < hole.end) {
        v->holes[i].end = at;
        insert(v, i + 1, (struct vma_hole){at + size, hole.end});
    } else if (at > hole.start) {
        v->holes[i].end = at;
    } else if (at + size < hole.end) {
        v->holes[i].start = at + size;
    } else {
        erase(v, i);
    }
    v->n_used++;
}

uint64_t vma_alloc(struct vma *v, uint64_t size, uint64_t alignment)
{
    assert(size > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
    if (!make_room(v))
        return 0;
    for (size_t i = 0; i < v->n_holes; i++) {
        struct vma_hole hole = v->holes[i];
        uint64_t at = (hole.start + alignment - 1) & ~(alignment - 1);
        if (at < hole.start || at >= hole.end || hole.end - at < size)
            continue;
        cut(v, i, at, size);
        return at;
    }
    return 0;
}

uint64_t vma_find(const struct vma *v, uint64_t size, uint64_t alignment, uint64_t below)
{
    assert(size > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
    for (size_t i = v->n_holes; i-- > 0;) {
        uint64_t end = v->holes[i].end < below ? v->holes[i].end : below;
        if (end < size)
            continue;
        uint64_t at = (end - size) & ~(alignment - 1);
        if (at >= v->holes[i].start)
            return at;
    }
    return 0;
}

bool vma_take(struct vma *v, uint64_t at, uint64_t size)
{
    if (!make_room(v))
        return false;
    for (size_t i = 0; i < v->n_holes; i++) {
        if (v->holes[i].start <= at && at < v->holes[i].end) {
            if (v->holes[i].end - at < size)
                return false;
            cut(v, i, at, size);
            return true;
        }
    }
    return false;
}

void vma_release(struct vma *v, uint64_t at, uint64_t size)
{
    assert(v->n_used > 0);
    size_t lo = 0, hi = v->n_holes; /* the first hole above `at` */
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (v->holes[mid].start > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    bool below = lo > 0 && v->holes[lo - 1].end == at;
    bool above = lo < v->n_holes && v->holes[lo].start == at + size;
    assert(lo == 0 || v->holes[lo - 1].end <= at);
    assert(lo == v->n_holes || v->holes[lo].start >= at + size);
    v->n_used--;
    if (below && above) {
        v->holes[lo - 1].end = v->holes[lo].end;
        erase(v, lo);
    } else if (below) {
        v->holes[lo - 1].end = at + size;
    } else if (above) {
        v->holes[lo].start = at;
    } else {
        insert(v, lo, (struct vma_hole){at, at + size});
    }
}

uint64_t vma_free_bytes(const struct vma *v)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < v->n_holes; i++)
        sum += v->holes[i].end - v->holes[i].start;
    return sum;
}
