/* A command queue: the list of its pending commands, and what order it promises. It owns no thread,
 * so its last reference may be dropped on any.
 */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "src/core/list.h"
#include "src/core/object.h"
#include "src/core/types.h"

struct command;

struct _cl_command_queue {
    struct object base;
    cl_context ctx;      /* owned */
    cl_device_id device; /* borrowed, lives for ever */
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* owned; as given, with the final 0; NULL if none */
    size_t n_properties;
    struct list pending;     /* graph; commands in order of enqueue, until finished */
    atomic_uint n_pending;   /* changed under graph */
    cl_ulong next_seq;       /* graph */
    struct command *barrier; /* graph; borrowed; the last barrier, while pending */
    unsigned n_gated;        /* graph; pending commands that wait for the application */
    atomic_uint n_off_ring;  /* pending commands without a place on the ring */
};

/* Whether there are commands that haven't ended; the next moment it may be otherwise. */
bool queue_busy(cl_command_queue q);
cl_int queue_new(cl_context ctx, cl_device_id dev, cl_command_queue_properties flags,
                 const cl_queue_properties *properties, size_t n_properties, cl_command_queue *out);
void queue_flush(cl_command_queue queue);
void queue_finish(cl_command_queue queue);

#endif
