/* The OpenCL types, and what object.c must know of every family: how it ends. */
#ifndef CORE_TYPES_H
#define CORE_TYPES_H

#pragma GCC visibility push(default)
#include <CL/cl.h>
#include <CL/cl_ext.h>
#pragma GCC visibility pop

/* cl_khr_external_memory 1.0: names that older headers don't have, or have in another form. */
#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR     0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

struct object;

/* The ICD loader's table, made from cl_api.def in api/dispatch.c. */
extern const void *const dispatch_table[];

/* ..._destroy: the last reference is gone. ..._unused: the last reference of the application is
 * gone. */
void context_destroy(struct object *o);
void queue_destroy(struct object *o);
void queue_unused(struct object *o);
void mem_destroy(struct object *o);
void mem_unused(struct object *o);
void sampler_destroy(struct object *o);
void program_destroy(struct object *o);
void kernel_destroy(struct object *o);
void kernel_unused(struct object *o);
void event_destroy(struct object *o);
void event_unused(struct object *o);

#endif
