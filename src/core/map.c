/* Mappings of memory objects. The pointer is known at enqueue; what the command does is keep the
 * application's memory and the store equal where they are not the same (a shadowed USE_HOST_PTR).
 */
#include "src/core/mem.h"

#include "src/core/command.h"
#include "src/core/queue.h"

#include <stdlib.h>
#include <string.h>

struct mapping {
    struct list link; /* in mem->mappings */
    void *ptr;
    struct region region;
    cl_map_flags flags;
};

struct map_command {
    struct command base;
    cl_mem mem; /* owned */
    struct region region;
    bool to_host, to_store;
};

static cl_int map_run(struct command *cmd)
{
    struct map_command *m = (struct map_command *)cmd;
    if (m->to_host)
        mem_copy_region(m->mem, &m->region, true);
    if (m->to_store)
        mem_copy_region(m->mem, &m->region, false);
    return CL_COMPLETE;
}

static void map_release(struct command *cmd)
{
    struct map_command *m = (struct map_command *)cmd;
    if (m->mem)
        object_release(&m->mem->base);
    m->mem = NULL;
}

static const struct command_ops map_ops = {.name = "map", .run = map_run, .release = map_release};
/* Host and GPU see the same memory: nothing to do but to take its turn among the GPU's commands.
 * What the application does between a mapping's end and the unmapping comes after the batch of the
 * former and before that of the latter, whose start drops what the GPU's caches had. */
static const struct command_ops shared_map_ops = {
    .name = "map", .ring = true, .release = map_release};

static cl_int map_command_new(cl_command_queue queue, cl_mem mem, cl_command_type type,
                              const struct region *r, cl_uint n_waits, struct map_command **out)
{
    struct command *cmd;
    cl_int err = command_new(mem_root(mem)->shadow ? &map_ops : &shared_map_ops,
                             sizeof(struct map_command), queue, type, n_waits, &cmd);
    if (err)
        return err;
    struct map_command *m = (struct map_command *)cmd;
    object_retain(&mem->base);
    m->mem = mem;
    m->region = *r;
    *out = m;
    return CL_SUCCESS;
}

static bool writes(cl_map_flags flags)
{
    return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

/* A region's first element by dimension; the pitches are the object's own. */
static void region_origin(const struct region *r, size_t at[3])
{
    size_t rest = r->store.offset;
    at[2] = r->store.slice_pitch ? rest / r->store.slice_pitch : 0;
    rest -= at[2] * r->store.slice_pitch;
    at[1] = r->store.row_pitch ? rest / r->store.row_pitch : 0;
    at[0] = rest - at[1] * r->store.row_pitch;
}

static bool regions_meet(const struct region *a, const struct region *b)
{
    size_t x[3], y[3];
    region_origin(a, x);
    region_origin(b, y);
    for (unsigned d = 0; d < 3; d++)
        if (x[d] >= y[d] + b->n[d] || y[d] >= x[d] + a->n[d])
            return false;
    return true;
}

/* Adds a mapping, unless two of them would write to the same place. */
static cl_int mapping_add(cl_mem mem, struct mapping *map)
{
    cl_int err = CL_SUCCESS;
    pthread_mutex_lock(&mem->lock);
    list_for_each (it, &mem->mappings) {
        const struct mapping *m = container_of(it, struct mapping, link);
        if (writes(m->flags) && writes(map->flags) && regions_meet(&m->region, &map->region))
            err = CL_INVALID_OPERATION;
    }
    if (!err)
        list_append(&mem->mappings, &map->link);
    pthread_mutex_unlock(&mem->lock);
    return err;
}

cl_int map_enqueue(cl_command_queue queue, cl_mem mem, bool blocking, cl_map_flags flags,
                   const struct region *r, cl_uint n_waits, const cl_event *waits, cl_event *event,
                   void **ptr)
{
    cl_int err = mem_commit(mem, queue->device);
    if (err)
        return err;
    struct mapping *map = calloc(1, sizeof *map);
    if (!map)
        return CL_OUT_OF_HOST_MEMORY;
    struct map_command *m;
    cl_command_type type = mem->image ? CL_COMMAND_MAP_IMAGE : CL_COMMAND_MAP_BUFFER;
    err = map_command_new(queue, mem, type, r, n_waits, &m);
    if (err) {
        free(map);
        return err;
    }
    char *first = mem->host_ptr ? (char *)mem->host_ptr + r->host.offset
                                : (char *)mem_pointer(mem) + r->store.offset;
    m->to_host = !(flags & CL_MAP_WRITE_INVALIDATE_REGION);
    *map = (struct mapping){.ptr = first, .region = *r, .flags = flags};
    err = mapping_add(mem, map);
    if (err) {
        command_discard(&m->base);
        free(map);
        return err;
    }
    err = command_enqueue(&m->base, SCOPE_LIST, n_waits, waits, event, blocking);
    if (err) {
        pthread_mutex_lock(&mem->lock);
        list_remove(&map->link);
        pthread_mutex_unlock(&mem->lock);
        free(map);
        return err;
    }
    *ptr = first;
    return CL_SUCCESS;
}

static struct mapping *map_find(cl_mem mem, const void *ptr)
{
    list_for_each (it, &mem->mappings) {
        struct mapping *map = container_of(it, struct mapping, link);
        if (map->ptr == ptr)
            return map;
    }
    return NULL;
}

bool map_known(cl_mem mem, void *ptr)
{
    pthread_mutex_lock(&mem->lock);
    bool known = map_find(mem, ptr) != NULL;
    pthread_mutex_unlock(&mem->lock);
    return known;
}

cl_int unmap_enqueue(cl_command_queue queue, cl_mem mem, void *ptr, cl_uint n_waits,
                     const cl_event *waits, cl_event *event)
{
    struct map_command *m;
    struct region none = {0};
    cl_int err = map_command_new(queue, mem, CL_COMMAND_UNMAP_MEM_OBJECT, &none, n_waits, &m);
    if (err)
        return err;
    pthread_mutex_lock(&mem->lock);
    struct mapping *map = map_find(mem, ptr);
    if (map)
        list_remove(&map->link);
    pthread_mutex_unlock(&mem->lock);
    if (!map) {
        command_discard(&m->base);
        return CL_INVALID_VALUE;
    }
    m->region = map->region;
    m->to_store = map->flags != CL_MAP_READ;
    err = command_enqueue(&m->base, SCOPE_LIST, n_waits, waits, event, false);
    if (!err) {
        free(map);
        return CL_SUCCESS;
    }
    pthread_mutex_lock(&mem->lock); /* still mapped */
    list_append(&mem->mappings, &map->link);
    pthread_mutex_unlock(&mem->lock);
    return err;
}

unsigned map_count(cl_mem mem)
{
    unsigned n = 0;
    pthread_mutex_lock(&mem->lock);
    list_for_each (it, &mem->mappings)
        n++;
    pthread_mutex_unlock(&mem->lock);
    return n;
}

void map_drop_all(cl_mem mem)
{
    struct list *l;
    while ((l = list_pop(&mem->mappings)))
        free(container_of(l, struct mapping, link));
}
