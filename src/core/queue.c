/* See queue.h. */
#include "src/core/queue.h"

#include "src/core/command.h"
#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/sched.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

cl_int queue_new(cl_context ctx, cl_device_id dev, cl_command_queue_properties flags,
                 const cl_queue_properties *properties, size_t n_properties, cl_command_queue *out)
{
    if (!sched_start(dev))
        return CL_OUT_OF_RESOURCES;
    cl_command_queue q = calloc(1, sizeof *q);
    if (!q)
        return CL_OUT_OF_HOST_MEMORY;
    if (n_properties) {
        q->properties = calloc(n_properties, sizeof *properties);
        if (!q->properties) {
            free(q);
            return CL_OUT_OF_HOST_MEMORY;
        }
        memcpy(q->properties, properties, n_properties * sizeof *properties);
        q->n_properties = n_properties;
    }
    object_retain(&ctx->base);
    q->ctx = ctx;
    q->device = dev;
    q->flags = flags;
    list_init(&q->pending);
    atomic_init(&q->n_pending, 0);
    atomic_init(&q->n_off_ring, 0);
    object_init(&q->base, OBJECT_QUEUE);
    *out = q;
    return CL_SUCCESS;
}

void queue_destroy(struct object *o)
{
    cl_command_queue q = container_of(o, struct _cl_command_queue, base);
    assert(list_empty(&q->pending));
    free(q->properties);
    object_release(&q->ctx->base);
    free(q);
}

void queue_unused(struct object *o)
{
    queue_flush(container_of(o, struct _cl_command_queue, base));
}

bool queue_busy(cl_command_queue q)
{
    return atomic_load_explicit(&q->n_pending, memory_order_acquire);
}

void queue_flush(cl_command_queue q)
{
    sched_flush(q->device);
}

void queue_finish(cl_command_queue q)
{
    if (!queue_busy(q))
        return;
    sched_flush(q->device);
    pthread_mutex_lock(&q->ctx->graph);
    cl_ulong end = q->next_seq;
    while (!list_empty(&q->pending) &&
           container_of(q->pending.next, struct command, link)->seq < end)
        pthread_cond_wait(&q->ctx->changed, &q->ctx->graph);
    pthread_mutex_unlock(&q->ctx->graph);
}
