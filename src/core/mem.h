/* Memory objects. A buffer gets its store (buffer object, or shared pages) when work first needs
 * it; a sub-buffer is a part of its parent's. In a context of one device the store is a buffer
 * object of that device; in one of several it is memory of the process that each device sees as
 * userptr.
 *
 * Locks: mem->lock for store, mappings and destructors; held while memory is allocated.
 */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include "src/core/list.h"
#include "src/core/object.h"
#include "src/core/transfer.h"
#include "src/core/types.h"

#include <pthread.h>
#include <stdint.h>

struct bo;
struct image;

struct _cl_mem {
    struct object base;
    cl_context ctx;      /* owned */
    cl_mem parent;       /* owned; NULL unless a sub-buffer */
    cl_mem_flags flags;  /* as the application may read them */
    cl_mem_flags access; /* with the defaults filled in */
    size_t size;
    size_t origin;                 /* in the parent */
    void *host_ptr;                /* borrowed from the application, with USE_HOST_PTR */
    bool uses_svm;                 /* host_ptr points into an SVM allocation */
    bool external;                 /* the store is another's: of the devices with a bo only */
    struct image *image;           /* owned; NULL: a buffer. size is then that of the store */
    cl_mem_properties *properties; /* owned; as given */
    size_t n_properties;
    pthread_mutex_t lock;
    struct list mappings;    /* lock; owned */
    struct list destructors; /* lock; owned */
    /* The store; not of a sub-buffer. */
    bool forgotten; /* counted as such in the budget; set with the last reference of the application
                     */
    atomic_bool committed; /* set under lock */
    char *bytes;           /* lock, fixed once committed; the first byte as the CPU sees it */
    size_t bo_offset;      /* of the first byte in the buffer objects */
    void *pages;           /* owned: memory of the process, where it isn't the application's */
    size_t pages_size;
    bool shadow; /* fixed once committed; bytes is a copy of host_ptr, which maps keep up to date */
    struct bo *bos[]; /* owned; one a device of the context, NULL until needed */
};

/* What the properties of a new object say. */
struct mem_properties {
    const cl_mem_properties *list; /* borrowed: as given */
    size_t n;                      /* entries, the final 0 included; 0 without a list */
    bool external;    /* the store is that of dma_buf fd, for the devices of the mask */
    int fd;           /* borrowed */
    unsigned devices; /* bit i: the context's device i */
};

/* image: of an image with a store of its own, taken over on success; NULL: a buffer. Of an external
 * store: CL_INVALID_PROPERTY if it can't be had, CL_INVALID_BUFFER_SIZE or CL_INVALID_IMAGE_SIZE if
 * it is too small. */
cl_int mem_new(cl_context ctx, cl_mem_flags flags, size_t size, void *host_ptr, struct image *image,
               const struct mem_properties *properties, cl_mem *out);
/* A buffer whose store is up to the caller, who sets what stands below "The store". */
cl_int mem_new_empty(cl_context ctx, cl_mem_flags flags, size_t size, cl_mem *out);
/* Gives the store back. */
void mem_drop_store(cl_mem mem);
/* The flags of a part or view of an object, with what it inherits. */
cl_mem_flags mem_view_flags(cl_mem parent, cl_mem_flags flags);
cl_int mem_new_sub(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_mem *out);
/* Makes sure that there is a store which the device can use. May wait for memory. */
cl_int mem_commit(cl_mem mem, cl_device_id dev);
/* The first byte, for the CPU; NULL if not committed. */
void *mem_pointer(cl_mem mem);
/* The buffer object of a device, after mem_commit, and where in it the memory object begins. */
struct bo *mem_bo(cl_mem mem, cl_device_id dev, uint64_t *offset);
cl_mem mem_root(cl_mem mem); /* the parent of a sub-buffer, or the object itself */
size_t mem_root_offset(cl_mem mem);
cl_int mem_add_destructor(cl_mem mem, void(CL_CALLBACK *fn)(cl_mem, void *), void *data);

/* The same bytes of a memory object in its store and in the application's memory (USE_HOST_PTR),
 * where an image's rows may be apart in another way. */
struct region {
    struct box store, host;
    size_t n[3];
};
/* Copies them from the one to the other, where these are not the same. */
void mem_copy_region(cl_mem mem, const struct region *r, bool to_host);

/* Mappings (map.c). */
cl_int map_enqueue(cl_command_queue queue, cl_mem mem, bool blocking, cl_map_flags flags,
                   const struct region *r, cl_uint n_waits, const cl_event *waits, cl_event *event,
                   void **ptr);
cl_int unmap_enqueue(cl_command_queue queue, cl_mem mem, void *ptr, cl_uint n_waits,
                     const cl_event *waits, cl_event *event);
/* Whether ptr is a live mapping of the object. */
bool map_known(cl_mem mem, void *ptr);
unsigned map_count(cl_mem mem);
void map_drop_all(cl_mem mem); /* at the object's end */

#endif
