/* The OpenCL types, and what object.c must know of every family: how it ends. */
#ifndef CORE_TYPES_H
#define CORE_TYPES_H

#pragma GCC visibility push(default)
#include <CL/cl.h>
#include <CL/cl_ext.h>
#pragma GCC visibility pop

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
