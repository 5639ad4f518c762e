/* See mem.h. */
#include "src/core/mem.h"

#include "src/core/budget.h"
#include "src/core/context.h"
#include "src/core/debug.h"
#include "src/core/device.h"
#include "src/core/image.h"
#include "src/core/svm.h"
#include "src/gpu/gpu.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    SURFACE_ALIGN = 64 /* of a buffer's first byte in its buffer object */
};

static const cl_mem_flags device_access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags host_access =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_ptr_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

struct destructor {
    struct list link; /* in mem->destructors */
    void(CL_CALLBACK *fn)(cl_mem, void *);
    void *data;
};

cl_mem mem_root(cl_mem mem)
{
    return mem->parent ? mem->parent : mem;
}

size_t mem_root_offset(cl_mem mem)
{
    return mem->parent ? mem->origin : 0;
}

static cl_mem mem_alloc(cl_context ctx, size_t size, unsigned n_bos)
{
    cl_mem mem = calloc(1, sizeof *mem + n_bos * sizeof mem->bos[0]);
    if (!mem)
        return NULL;
    object_retain(&ctx->base);
    mem->ctx = ctx;
    mem->size = size;
    pthread_mutex_init(&mem->lock, NULL);
    list_init(&mem->mappings);
    list_init(&mem->destructors);
    object_init(&mem->base, OBJECT_MEM);
    return mem;
}

static struct region whole_region(cl_mem mem)
{
    return mem->image ? image_whole(mem->image) : (struct region){.n = {mem->size, 1, 1}};
}

/* The application's bytes into the store. */
static void copy_whole(cl_mem mem, const void *from)
{
    struct region r = whole_region(mem);
    box_copy(mem->bytes, &r.store, from, &r.host, r.n);
}

static cl_int import_error(cl_mem mem, int err)
{
    switch (err) {
    case -EINVAL:
    case -EBADF:
        return CL_INVALID_PROPERTY;
    case -E2BIG:
        return mem->image ? CL_INVALID_IMAGE_SIZE : CL_INVALID_BUFFER_SIZE;
    }
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* Another's memory as the store. It counts as ours while we hold it: it may be that nobody else
 * does. */
static cl_int import(cl_mem mem, const struct mem_properties *properties)
{
    struct bo *first = NULL;
    for (cl_uint i = 0; i < mem->ctx->n_devices; i++) {
        cl_device_id dev = mem->ctx->devices[i];
        if (!(properties->devices >> i & 1))
            continue;
        int err = gpu_import(dev->gpu, properties->fd, mem->size, &mem->bos[i]);
        if (err)
            return import_error(mem, err);
        if (mem->image && bo_tiled(mem->bos[i])) /* images are taken for linear */
            return CL_INVALID_PROPERTY;
        if (!budget_bytes(dev, 0))
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        first = first ? first : mem->bos[i];
    }
    mem->bytes = bo_map(first);
    if (!mem->bytes)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    mem->external = true;
    atomic_store_explicit(&mem->committed, true, memory_order_release);
    return CL_SUCCESS;
}

cl_int mem_new(cl_context ctx, cl_mem_flags flags, size_t size, void *host_ptr, struct image *image,
               const struct mem_properties *properties, cl_mem *out)
{
    cl_mem mem = mem_alloc(ctx, size, ctx->n_devices);
    if (!mem)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    mem->flags = flags;
    mem->access = flags & device_access ? flags : flags | CL_MEM_READ_WRITE;
    mem->image = image;
    if (flags & CL_MEM_USE_HOST_PTR)
        mem->host_ptr = host_ptr;
    mem->uses_svm = mem->host_ptr && svm_room(ctx, host_ptr);
    if (properties->n) {
        mem->properties = calloc(properties->n, sizeof *mem->properties);
        if (!mem->properties)
            goto fail;
        memcpy(mem->properties, properties->list, properties->n * sizeof *mem->properties);
        mem->n_properties = properties->n;
    }
    if (properties->external) {
        err = import(mem, properties);
        if (err)
            goto fail;
    }
    if (flags & CL_MEM_COPY_HOST_PTR) {
        err = mem_commit(mem, ctx->devices[0]);
        if (err)
            goto fail;
        copy_whole(mem, host_ptr);
    }
    *out = mem;
    return CL_SUCCESS;

fail:
    mem->image = NULL; /* the caller's */
    object_release(&mem->base);
    return err;
}

cl_int mem_new_empty(cl_context ctx, cl_mem_flags flags, size_t size, cl_mem *out)
{
    cl_mem mem = mem_alloc(ctx, size, ctx->n_devices);
    if (!mem)
        return CL_OUT_OF_HOST_MEMORY;
    mem->flags = flags;
    mem->access = flags & device_access ? flags : flags | CL_MEM_READ_WRITE;
    *out = mem;
    return CL_SUCCESS;
}

void mem_drop_store(cl_mem mem)
{
    for (cl_uint i = 0; i < mem->ctx->n_devices; i++) {
        bo_release(mem->bos[i]);
        mem->bos[i] = NULL;
    }
    if (mem->pages)
        munmap(mem->pages, mem->pages_size);
    mem->pages = mem->bytes = NULL;
}

cl_mem_flags mem_view_flags(cl_mem parent, cl_mem_flags flags)
{
    cl_mem_flags all = flags | (parent->flags & host_ptr_flags);
    if (!(flags & device_access))
        all |= parent->flags & device_access;
    if (!(flags & host_access))
        all |= parent->flags & host_access;
    return all;
}

cl_int mem_new_sub(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_mem *out)
{
    cl_mem mem = mem_alloc(parent->ctx, size, 0);
    if (!mem)
        return CL_OUT_OF_HOST_MEMORY;
    object_retain(&parent->base);
    mem->parent = parent;
    mem->origin = origin;
    mem->flags = mem_view_flags(parent, flags);
    mem->access = mem->flags & device_access ? mem->flags : mem->flags | CL_MEM_READ_WRITE;
    if (parent->host_ptr)
        mem->host_ptr = (char *)parent->host_ptr + origin;
    mem->uses_svm = parent->uses_svm;
    *out = mem;
    return CL_SUCCESS;
}

/* The application has forgotten it, commands may not have. */
void mem_unused(struct object *o)
{
    cl_mem mem = container_of(o, struct _cl_mem, base);
    if (!atomic_load_explicit(&mem->committed, memory_order_acquire) || mem->host_ptr ||
        mem->forgotten)
        return;
    mem->forgotten = true;
    budget_forget(&mem->ctx->devices[0]->budget, mem->size, true);
}

void mem_destroy(struct object *o)
{
    cl_mem mem = container_of(o, struct _cl_mem, base);
    if (mem->forgotten)
        budget_forget(&mem->ctx->devices[0]->budget, mem->size, false);
    while (!list_empty(&mem->destructors)) { /* the last registered first */
        struct destructor *d = container_of(mem->destructors.prev, struct destructor, link);
        list_remove(&d->link);
        d->fn(mem, d->data);
        free(d);
    }
    map_drop_all(mem);
    if (!mem->parent)
        mem_drop_store(mem);
    if (mem->image)
        image_free(mem->image);
    if (mem->parent)
        object_release(&mem->parent->base);
    object_release(&mem->ctx->base);
    pthread_mutex_destroy(&mem->lock);
    free(mem->properties);
    free(mem);
}

/* The application's memory as the store: an image has rows and slices of its own there. */
static bool usable_in_place(cl_mem mem)
{
    return mem->host_ptr && !mem->image && (uintptr_t)mem->host_ptr % SURFACE_ALIGN == 0;
}

/* A buffer object over pages of the process. */
static struct bo *bo_over(cl_device_id dev, void *p, size_t size)
{
    uintptr_t begin = (uintptr_t)p & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)p + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    return dev->info.has_userptr ? bo_new_userptr(dev->gpu, "host", (void *)begin, end - begin)
                                 : NULL;
}

/* Store in a buffer object of the only device. */
static cl_int commit_bo(cl_mem mem, cl_device_id dev)
{
    if (usable_in_place(mem)) {
        mem->bos[0] = bo_over(dev, mem->host_ptr, mem->size);
        if (mem->bos[0]) {
            mem->bytes = mem->host_ptr;
            mem->bo_offset = (uintptr_t)mem->host_ptr % PAGE;
            return CL_SUCCESS;
        }
    }
    unsigned attempt = 0;
    if (!budget_bytes(dev, mem->size))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    for (;;) {
        struct bo *bo = bo_new(dev->gpu, "buffer", mem->size);
        void *bytes = bo ? bo_map(bo) : NULL;
        if (bytes) {
            mem->bos[0] = bo;
            mem->bytes = bytes;
            return CL_SUCCESS;
        }
        debug_log(DEBUG_memory, "no memory for a buffer of %zu bytes", mem->size);
        bo_release(bo);
        if (!budget_retry(dev, &attempt))
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
}

/* Store in memory of the process, which all devices share. */
static cl_int commit_pages(cl_mem mem, cl_device_id dev)
{
    if (usable_in_place(mem)) {
        mem->bytes = mem->host_ptr;
    } else {
        if (!budget_bytes(dev, mem->size))
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        size_t size = (mem->size + PAGE - 1) & ~(size_t)(PAGE - 1);
        void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        mem->pages = p;
        mem->pages_size = size;
        mem->bytes = p;
    }
    mem->bo_offset = (uintptr_t)mem->bytes % PAGE;
    return CL_SUCCESS;
}

cl_int mem_commit(cl_mem any, cl_device_id dev)
{
    cl_mem mem = mem_root(any);
    cl_context ctx = mem->ctx;
    cl_int err = CL_SUCCESS;
    pthread_mutex_lock(&mem->lock);
    if (!mem->committed) {
        err = ctx->n_devices == 1 ? commit_bo(mem, dev) : commit_pages(mem, dev);
        if (!err) {
            mem->shadow = mem->host_ptr && mem->bytes != mem->host_ptr;
            if (mem->shadow)
                copy_whole(mem, mem->host_ptr);
            atomic_store_explicit(&mem->committed, true, memory_order_release);
        }
    }
    struct bo **bo = &mem->bos[context_device_index(ctx, dev)];
    if (!err && !*bo && (mem->external || !(*bo = bo_over(dev, mem->bytes, mem->size))))
        err = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    pthread_mutex_unlock(&mem->lock);
    return err;
}

void mem_copy_region(cl_mem mem, const struct region *r, bool to_host)
{
    if (!mem_root(mem)->shadow)
        return;
    if (to_host)
        box_copy(mem->host_ptr, &r->host, mem_pointer(mem), &r->store, r->n);
    else
        box_copy(mem_pointer(mem), &r->store, mem->host_ptr, &r->host, r->n);
}

void *mem_pointer(cl_mem mem)
{
    cl_mem root = mem_root(mem);
    return root->bytes ? root->bytes + mem_root_offset(mem) : NULL;
}

struct bo *mem_bo(cl_mem mem, cl_device_id dev, uint64_t *offset)
{
    cl_mem root = mem_root(mem);
    *offset = root->bo_offset + mem_root_offset(mem);
    return root->bos[context_device_index(root->ctx, dev)];
}

cl_int mem_add_destructor(cl_mem mem, void(CL_CALLBACK *fn)(cl_mem, void *), void *data)
{
    struct destructor *d = calloc(1, sizeof *d);
    if (!d)
        return CL_OUT_OF_HOST_MEMORY;
    d->fn = fn;
    d->data = data;
    pthread_mutex_lock(&mem->lock);
    list_append(&mem->destructors, &d->link);
    pthread_mutex_unlock(&mem->lock);
    return CL_SUCCESS;
}
