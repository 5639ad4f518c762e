/* Shared virtual memory: buffers that CPU and GPU see at the same address. An allocation is a
 * memory object without a handle, so that commands hold and use it as they do buffers; the context
 * lists its allocations by address.
 *
 * All objects of a GPU with softpin lie below 4 GiB, so the process's side has to as well: it is
 * mapped where both address spaces have room.
 *
 * Locks: ctx->lock for the list.
 */
#ifndef CORE_SVM_H
#define CORE_SVM_H

#include "src/core/types.h"

#include <stdbool.h>
#include <stddef.h>

cl_device_svm_capabilities svm_capabilities(cl_device_id dev);
/* What the devices of the context offer, one or another. */
cl_device_svm_capabilities svm_context_capabilities(cl_context ctx);
/* alignment: a power of two. NULL: no memory. */
void *svm_alloc(cl_context ctx, cl_svm_mem_flags flags, size_t size, size_t alignment);
/* Forgets the allocation that begins at p, if one does; commands that use it keep its memory. */
void svm_free(cl_context ctx, void *p);
/* The allocation that p points into, retained, and where; NULL if there is none. */
cl_mem svm_find(cl_context ctx, const void *p, size_t *offset);
/* The bytes from p to the end of its allocation; 0 if p doesn't point into one. */
size_t svm_room(cl_context ctx, const void *p);

/* Commands. The caller has checked what the API says of the pointers. */
cl_int svm_copy_enqueue(cl_command_queue queue, bool blocking, void *dst, const void *src,
                        size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event);
cl_int svm_fill_enqueue(cl_command_queue queue, void *p, const void *pattern, size_t pattern_size,
                        size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event);
/* Map, unmap, migrate: the memory is where it is wanted, and what remains is the command's turn. */
cl_int svm_turn_enqueue(cl_command_queue queue, cl_command_type type, bool blocking,
                        cl_uint n_pointers, const void *const *pointers, cl_uint n_waits,
                        const cl_event *waits, cl_event *event);
cl_int svm_free_enqueue(cl_command_queue queue, cl_uint n_pointers, void *const *pointers,
                        void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *),
                        void *data, cl_uint n_waits, const cl_event *waits, cl_event *event);

#endif
