/* See svm.h. */
#include "src/core/svm.h"

#include "src/core/budget.h"
#include "src/core/command.h"
#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/mem.h"
#include "src/core/queue.h"
#include "src/core/transfer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    STEP = 16 << 20 /* to the next place, where something of the process is in the way */
};

cl_device_svm_capabilities svm_capabilities(cl_device_id dev)
{
    /* A pointer of Gen7 has 32 bits: structures with pointers would differ. */
    if (dev->hw->pointer_bits != 64 || !dev->info.has_softpin || !dev->info.has_userptr)
        return 0;
    /* Bytes side by side, written by CPU and GPU at the same time, need one cache for both. */
    return CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
           (dev->info.llc ? CL_DEVICE_SVM_FINE_GRAIN_BUFFER : 0);
}

cl_device_svm_capabilities svm_context_capabilities(cl_context ctx)
{
    cl_device_svm_capabilities all = 0;
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        all |= svm_capabilities(ctx->devices[i]);
    return all;
}

/* ---- the list of allocations ---- */

/* How many begin at or below p; the last of those is the one that p can point into. ctx->lock is
 * held. */
static size_t count_up_to(cl_context ctx, const void *p)
{
    size_t lo = 0, hi = ctx->n_svm;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if ((uintptr_t)ctx->svm[mid]->bytes <= (uintptr_t)p)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static cl_mem find(cl_context ctx, const void *p)
{
    size_t n = count_up_to(ctx, p);
    cl_mem mem = n ? ctx->svm[n - 1] : NULL;
    return mem && (uintptr_t)p - (uintptr_t)mem->bytes < mem->size ? mem : NULL;
}

static bool list_add(cl_context ctx, cl_mem mem)
{
    pthread_mutex_lock(&ctx->lock);
    if (ctx->n_svm == ctx->svm_capacity) {
        size_t capacity = ctx->svm_capacity ? 2 * ctx->svm_capacity : 16;
        cl_mem *list = realloc(ctx->svm, capacity * sizeof(cl_mem));
        if (!list) {
            pthread_mutex_unlock(&ctx->lock);
            return false;
        }
        ctx->svm = list;
        ctx->svm_capacity = capacity;
    }
    size_t at = count_up_to(ctx, mem->bytes);
    memmove(ctx->svm + at + 1, ctx->svm + at, (ctx->n_svm - at) * sizeof(cl_mem));
    ctx->svm[at] = mem;
    ctx->n_svm++;
    pthread_mutex_unlock(&ctx->lock);
    return true;
}

cl_mem svm_find(cl_context ctx, const void *p, size_t *offset)
{
    pthread_mutex_lock(&ctx->lock);
    cl_mem mem = find(ctx, p);
    if (mem) {
        object_retain(&mem->base);
        *offset = (size_t)((const char *)p - mem->bytes);
    }
    pthread_mutex_unlock(&ctx->lock);
    return mem;
}

size_t svm_room(cl_context ctx, const void *p)
{
    pthread_mutex_lock(&ctx->lock);
    cl_mem mem = find(ctx, p);
    size_t room = mem ? mem->size - (size_t)((const char *)p - mem->bytes) : 0;
    pthread_mutex_unlock(&ctx->lock);
    return room;
}

/* ---- allocations ---- */

/* Pages at `at`, or nothing. */
static bool map_at(uint64_t at, size_t size)
{
    void *want = (void *)(uintptr_t)at;
    void *p = mmap(want, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (p != MAP_FAILED && p != want) { /* a kernel that takes it for a hint */
        munmap(p, size);
        p = MAP_FAILED;
    }
    return p != MAP_FAILED;
}

/* Objects for all devices that can have one. */
static bool show_devices(cl_mem mem)
{
    for (cl_uint i = 0; i < mem->ctx->n_devices; i++) {
        cl_device_id dev = mem->ctx->devices[i];
        if (svm_capabilities(dev) &&
            !(mem->bos[i] = bo_new_shared(dev->gpu, "svm", mem->pages, mem->pages_size)))
            return false;
    }
    return true;
}

/* Gives the memory object pages at an address that is free everywhere. */
static bool place(cl_mem mem, cl_device_id first, size_t alignment)
{
    size_t size = (mem->size + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (alignment < PAGE)
        alignment = PAGE;
    for (uint64_t below = 1ull << 32, at; below > size; below = at + size - STEP) {
        at = gpu_find_room(first->gpu, size, alignment, below);
        if (!at)
            return false;
        if (map_at(at, size)) {
            mem->pages = mem->bytes = (char *)(uintptr_t)at;
            mem->pages_size = size;
            if (show_devices(mem))
                return true;
            mem_drop_store(mem);
        }
        if (at + size < STEP)
            return false;
    }
    return false;
}

void *svm_alloc(cl_context ctx, cl_svm_mem_flags flags, size_t size, size_t alignment)
{
    cl_device_id first = NULL;
    for (cl_uint i = 0; i < ctx->n_devices && !first; i++)
        if (svm_capabilities(ctx->devices[i]))
            first = ctx->devices[i];
    cl_mem mem = NULL;
    if (!first || !budget_bytes(first, size) || mem_new_empty(ctx, flags, size, &mem))
        return NULL;
    bool placed = place(mem, first, alignment);
    if (!placed) { /* what the cache of freed objects holds may be in the way */
        gpu_trim(first->gpu, true);
        placed = place(mem, first, alignment);
    }
    atomic_store_explicit(&mem->committed, placed, memory_order_release);
    if (!placed || !list_add(ctx, mem)) {
        object_api_release(&mem->base);
        return NULL;
    }
    return mem->bytes;
}

void svm_free(cl_context ctx, void *p)
{
    pthread_mutex_lock(&ctx->lock);
    cl_mem mem = find(ctx, p);
    if (mem && mem->bytes == p) {
        size_t at = count_up_to(ctx, p) - 1;
        ctx->n_svm--;
        memmove(ctx->svm + at, ctx->svm + at + 1, (ctx->n_svm - at) * sizeof(cl_mem));
    } else {
        mem = NULL;
    }
    pthread_mutex_unlock(&ctx->lock);
    if (mem)
        object_api_release(&mem->base);
}

/* ---- commands ---- */

/* A side of a copy; an allocation comes retained. */
static struct transfer_side side_of(cl_context ctx, const void *p)
{
    struct transfer_side side = {0};
    side.mem = svm_find(ctx, p, &side.box.offset);
    if (!side.mem)
        side.host = (void *)(uintptr_t)p;
    return side;
}

static void side_drop(struct transfer_side *side)
{
    if (side->mem)
        object_release(&side->mem->base);
}

cl_int svm_copy_enqueue(cl_command_queue queue, bool blocking, void *dst, const void *src,
                        size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    size_t n[3] = {size, 1, 1};
    struct transfer_side to = side_of(queue->ctx, dst), from = side_of(queue->ctx, src);
    cl_int err = transfer_enqueue(queue, CL_COMMAND_SVM_MEMCPY, &to, &from, n, blocking, n_waits,
                                  waits, event);
    side_drop(&to);
    side_drop(&from);
    return err;
}

cl_int svm_fill_enqueue(cl_command_queue queue, void *p, const void *pattern, size_t pattern_size,
                        size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    size_t offset = 0;
    cl_mem mem = svm_find(queue->ctx, p, &offset);
    if (!mem)
        return CL_INVALID_VALUE;
    cl_int err =
        fill_enqueue(queue, CL_COMMAND_SVM_MEMFILL, mem, &(struct box){.offset = offset},
                     (size_t[3]){size, 1, 1}, pattern, pattern_size, n_waits, waits, event);
    object_release(&mem->base);
    return err;
}

cl_int svm_turn_enqueue(cl_command_queue queue, cl_command_type type, bool blocking,
                        cl_uint n_pointers, const void *const *pointers, cl_uint n_waits,
                        const cl_event *waits, cl_event *event)
{
    cl_int err = CL_SUCCESS;
    cl_uint n = 0;
    cl_mem *mems = calloc(n_pointers, sizeof(cl_mem));
    if (!mems)
        return CL_OUT_OF_HOST_MEMORY;
    for (; n < n_pointers; n++) {
        size_t offset;
        mems[n] = svm_find(queue->ctx, pointers[n], &offset);
        if (!mems[n]) {
            err = CL_INVALID_VALUE;
            break;
        }
    }
    if (!err)
        err = migrate_enqueue(queue, type, blocking, n, mems, n_waits, waits, event);
    while (n-- > 0)
        object_release(&mems[n]->base);
    free(mems);
    return err;
}

struct free_command {
    struct command base;
    void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *);
    void *data;
    cl_uint n;
    void *pointers[];
};

static cl_int free_run(struct command *cmd)
{
    struct free_command *f = (struct free_command *)cmd;
    if (f->fn)
        f->fn(cmd->queue, f->n, f->pointers, f->data);
    else
        for (cl_uint i = 0; i < f->n; i++)
            svm_free(cmd->queue->ctx, f->pointers[i]);
    return CL_COMPLETE;
}

static const struct command_ops free_ops = {.name = "svm free", .run = free_run};

cl_int svm_free_enqueue(cl_command_queue queue, cl_uint n_pointers, void *const *pointers,
                        void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *),
                        void *data, cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    size_t size = sizeof(struct free_command) + n_pointers * sizeof(void *);
    cl_int err = command_new(&free_ops, size, queue, CL_COMMAND_SVM_FREE, n_waits, &cmd);
    if (err)
        return err;
    struct free_command *f = (struct free_command *)cmd;
    f->fn = fn;
    f->data = data;
    f->n = n_pointers;
    if (n_pointers)
        memcpy(f->pointers, pointers, n_pointers * sizeof(void *));
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, false);
}
