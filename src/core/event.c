/* See event.h. */
#include "src/core/event.h"

#include "src/core/command.h"
#include "src/core/context.h"
#include "src/core/queue.h"
#include "src/core/sched.h"

#include <assert.h>
#include <stdlib.h>

struct callback {
    struct deferred deferred;
    struct list link; /* in ev->callbacks, then in a struct work */
    cl_event ev;      /* owned from when it was taken from the list */
    cl_int type;      /* the state it waits for */
    cl_int status;    /* what it will be told */
    void(CL_CALLBACK *fn)(cl_event, cl_int, void *);
    void *data;
};

cl_int event_new(cl_context ctx, cl_command_queue queue, cl_command_type type, cl_event *out)
{
    cl_event ev = calloc(1, sizeof *ev);
    if (!ev)
        return CL_OUT_OF_HOST_MEMORY;
    object_retain(&ctx->base);
    ev->ctx = ctx;
    if (queue)
        object_retain(&queue->base);
    ev->queue = queue;
    ev->type = type;
    ev->status = queue ? CL_QUEUED : CL_SUBMITTED;
    ev->gated = !queue;
    atomic_init(&ev->on_ring, false);
    atomic_init(&ev->doomed, false);
    list_init(&ev->callbacks);
    object_init(&ev->base, OBJECT_EVENT);
    *out = ev;
    return CL_SUCCESS;
}

void event_destroy(struct object *o)
{
    cl_event ev = container_of(o, struct _cl_event, base);
    assert(!ev->waiters && list_empty(&ev->callbacks));
    if (ev->queue)
        object_release(&ev->queue->base);
    object_release(&ev->ctx->base);
    free(ev);
}

/* The application has forgotten a user event: what waits for it would wait for ever. */
void event_unused(struct object *o)
{
    cl_event ev = container_of(o, struct _cl_event, base);
    if (!ev->queue)
        event_set_user(ev, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

/* Takes the callbacks whose state is reached, in the order in which the status passed their states.
 */
static void callbacks_take(cl_event ev, struct work *work)
{
    for (cl_int state = CL_SUBMITTED; state >= CL_COMPLETE && state >= ev->status; state--) {
        list_for_each_safe (it, &ev->callbacks) {
            struct callback *cb = container_of(it, struct callback, link);
            if (cb->type != state)
                continue;
            list_remove(&cb->link);
            object_retain(&ev->base);
            cb->status = ev->status < 0 ? ev->status : cb->type;
            list_append(&work->callbacks, &cb->link);
        }
    }
}

void event_doom(struct command *cmd)
{
    cmd->doomed_next = NULL;
    for (struct command *next; cmd; cmd = next) {
        next = cmd->doomed_next;
        atomic_store_explicit(&cmd->event->doomed, true, memory_order_relaxed);
        for (struct edge *e = cmd->event->waiters; e; e = e->next) {
            struct command *waiter = e->waiter;
            if (!(e->flags & EDGE_SOFT) || !(e->flags & EDGE_FAILS) || waiter->error)
                continue;
            waiter->error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            waiter->doomed_next = next;
            next = waiter;
        }
    }
}

void event_finish(cl_event ev, cl_int status, struct work *work)
{
    assert(ev->status > CL_COMPLETE && status <= CL_COMPLETE);
    ev->status = status;
    for (struct edge *e = ev->waiters, *next; e; e = next) {
        struct command *waiter = e->waiter;
        next = e->next; /* e goes with its waiter */
        if (status < 0 && (e->flags & EDGE_FAILS)) {
            waiter->error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            if (e->flags & EDGE_SOFT)
                event_doom(waiter);
        }
        if (!(e->flags & EDGE_SOFT) && --waiter->waits == 0)
            list_append(&work->ready, &waiter->work);
    }
    ev->waiters = NULL;
    if (!list_empty(&ev->callbacks))
        callbacks_take(ev, work);
}

void event_graph_changed(cl_context ctx)
{
    pthread_mutex_unlock(&ctx->graph);
    pthread_cond_broadcast(&ctx->changed);
}

void event_progress(cl_event ev, cl_int status, struct work *work)
{
    if (ev->status <= status)
        return;
    ev->status = status;
    if (!list_empty(&ev->callbacks))
        callbacks_take(ev, work);
}

cl_int event_status(cl_event ev)
{
    pthread_mutex_lock(&ev->ctx->graph);
    cl_int status = ev->status;
    pthread_mutex_unlock(&ev->ctx->graph);
    return status;
}

cl_int event_set_user(cl_event ev, cl_int status)
{
    struct work work;
    work_init(&work);
    cl_context ctx = ev->ctx;
    pthread_mutex_lock(&ctx->graph);
    bool first = ev->status > CL_COMPLETE;
    if (first)
        event_finish(ev, status, &work);
    object_retain(&ctx->base); /* whoever has waited may release all there is */
    event_graph_changed(ctx);
    object_release(&ctx->base);
    if (first)
        work_run(&work);
    return first ? CL_SUCCESS : CL_INVALID_OPERATION;
}

cl_int event_wait(cl_event ev)
{
    pthread_mutex_lock(&ev->ctx->graph);
    while (ev->status > CL_COMPLETE)
        pthread_cond_wait(&ev->ctx->changed, &ev->ctx->graph);
    cl_int status = ev->status;
    pthread_mutex_unlock(&ev->ctx->graph);
    return status;
}

static void callback_run(struct deferred *d)
{
    struct callback *cb = container_of(d, struct callback, deferred);
    cb->fn(cb->ev, cb->status, cb->data);
    object_release(&cb->ev->base);
    free(cb);
}

cl_int event_add_callback(cl_event ev, cl_int type, void(CL_CALLBACK *fn)(cl_event, cl_int, void *),
                          void *data)
{
    struct callback *cb = calloc(1, sizeof *cb);
    if (!cb)
        return CL_OUT_OF_HOST_MEMORY;
    *cb = (struct callback){
        .deferred.run = callback_run, .ev = ev, .type = type, .fn = fn, .data = data};
    struct work work;
    work_init(&work);
    pthread_mutex_lock(&ev->ctx->graph);
    list_append(&ev->callbacks, &cb->link);
    callbacks_take(ev, &work);
    pthread_mutex_unlock(&ev->ctx->graph);
    work_run(&work);
    return CL_SUCCESS;
}

void work_callbacks(struct list *callbacks)
{
    struct list *l;
    while ((l = list_pop(callbacks)))
        callback_thread_push(&container_of(l, struct callback, link)->deferred);
}
