/* See command.h. The graph: linking, starting and ending commands.
 *
 * A command of the ring that follows another (`ordered`) ends only when the ring has come to it,
 * even if it failed or has nothing to launch. So it never ends before what it has soft edges from.
 */
#include "src/core/command.h"

#include "src/core/budget.h"
#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/mem.h"
#include "src/core/queue.h"
#include "src/core/sched.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

cl_int command_new(const struct command_ops *ops, size_t size, cl_command_queue queue,
                   cl_command_type type, cl_uint n_waits, struct command **out)
{
    size = (size + _Alignof(struct edge) - 1) & ~(_Alignof(struct edge) - 1);
    struct command *cmd = calloc(1, size + (n_waits + 1) * sizeof(struct edge));
    if (!cmd)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = event_new(queue->ctx, queue, type, &cmd->event);
    if (err) {
        free(cmd);
        return err;
    }
    list_init(&cmd->link);
    list_init(&cmd->work);
    cmd->queue = queue;
    cmd->ops = ops;
    cmd->edges = (struct edge *)((char *)cmd + size);
    cmd->max_edges = n_waits + 1; /* and the queue's order */
    cmd->profiled = queue->flags & CL_QUEUE_PROFILING_ENABLE;
    *out = cmd;
    return CL_SUCCESS;
}

void command_discard(struct command *cmd)
{
    if (!cmd)
        return;
    if (cmd->ops->release)
        cmd->ops->release(cmd);
    object_release(&cmd->event->base);
    free(cmd);
}

/* Whether the ring itself runs cmd after ev's command. */
static bool ring_orders(cl_event ev, const struct command *cmd)
{
    return cmd->ops->ring && ev->queue && ev->queue->device == cmd->queue->device &&
           atomic_load_explicit(&ev->on_ring, memory_order_acquire);
}

/* Makes cmd wait for ev, if there is still something to wait for. Can't fail. */
static void command_wait(struct command *cmd, cl_event ev, unsigned flags)
{
    if (ev->status < 0 && (flags & EDGE_FAILS))
        cmd->error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (ev->status <= CL_COMPLETE)
        return;
    if (ring_orders(ev, cmd)) {
        if (flags & EDGE_FAILS && atomic_load_explicit(&ev->doomed, memory_order_relaxed))
            cmd->error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        cmd->ordered = true;
        flags |= EDGE_SOFT;
    } else {
        cmd->waits++;
    }
    assert(cmd->n_edges < cmd->max_edges);
    struct edge *e = &cmd->edges[cmd->n_edges++];
    *e = (struct edge){.next = ev->waiters, .waiter = cmd, .flags = flags};
    ev->waiters = e;
}

/* The order that the queue promises. */
static void command_follow_queue(struct command *cmd, enum command_scope scope)
{
    cl_command_queue q = cmd->queue;
    bool in_order = !(q->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cmd->follows_all = in_order || scope == SCOPE_ALL;
    if (list_empty(&q->pending))
        return;
    if (in_order) {
        struct command *last = container_of(q->pending.prev, struct command, link);
        command_wait(cmd, last->event, 0);
    } else if (scope == SCOPE_ALL) {
        if (cmd->ops->ring && atomic_load_explicit(&q->n_off_ring, memory_order_acquire) == 0) {
            cmd->ordered = true; /* the ring has a place for all of them */
        } else {
            cmd->awaits_all = true;
            cmd->waits++;
        }
    } else if (q->barrier) {
        command_wait(cmd, q->barrier->event, 0);
    }
}

/* Whether what the command would wait for waits for the application. */
static bool command_gated(const struct command *cmd, enum command_scope scope, cl_uint n_waits,
                          const cl_event *waits)
{
    cl_command_queue q = cmd->queue;
    for (cl_uint i = 0; i < n_waits; i++)
        if (waits[i]->gated && waits[i]->status > CL_COMPLETE)
            return true;
    if (!q->n_gated)
        return false;
    if (!(q->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return container_of(q->pending.prev, struct command, link)->event->gated;
    return scope == SCOPE_ALL || (q->barrier && q->barrier->event->gated);
}

/* Under graph: nothing holds the command any more. */
static void command_ready(struct command *cmd, struct work *work)
{
    if (cmd->event->gated) {
        cmd->event->gated = false;
        cmd->queue->n_gated--;
        budget_ungate(&cmd->queue->device->budget);
    }
    event_progress(cmd->event, CL_SUBMITTED, work);
}

static cl_ulong later(cl_ulong a, cl_ulong b)
{
    return a > b ? a : b;
}

/* Under graph, all that the command follows has ended. What has launched nothing had its turn right
 * after that, which is before the GPU began with whatever follows it: perhaps long before we came
 * to know. Tells those that follow. */
static void command_times(struct command *cmd)
{
    cl_ulong *times = cmd->event->times;
    if (cmd->follows_all)
        cmd->after = later(cmd->after, cmd->earlier);
    if (cmd->profiled && cmd->ops->ring && !cmd->flight && times[TIME_SUBMIT] == times[TIME_END])
        times[TIME_START] = times[TIME_END] = later(times[TIME_END], cmd->after);
    cl_ulong end = later(times[TIME_END], cmd->after);
    for (struct edge *e = cmd->event->waiters; e; e = e->next)
        e->waiter->after = later(e->waiter->after, end);
    if (cmd->link.next != &cmd->queue->pending) {
        struct command *next = container_of(cmd->link.next, struct command, link);
        next->earlier = later(next->earlier, later(cmd->earlier, end));
    }
}

void command_finish(struct command *cmd, cl_int status, struct work *work)
{
    cl_command_queue q = cmd->queue;
    command_times(cmd);
    list_remove(&cmd->link);
    if (q->barrier == cmd)
        q->barrier = NULL;
    if (cmd->event->gated)
        q->n_gated--;
    if (!atomic_load_explicit(&cmd->event->on_ring, memory_order_acquire))
        atomic_fetch_sub_explicit(&q->n_off_ring, 1, memory_order_release);
    budget_leave(&q->device->budget, cmd->event->gated);
    event_finish(cmd->event, status, work);
    if (!list_empty(&q->pending)) {
        struct command *first = container_of(q->pending.next, struct command, link);
        if (first->awaits_all) {
            first->awaits_all = false;
            if (--first->waits == 0)
                list_append(&work->ready, &first->work);
        }
    }
    atomic_fetch_sub_explicit(&q->n_pending, 1, memory_order_release);
    list_append(&work->done, &cmd->work);
}

void commands_end(struct list *commands, cl_int (*status)(struct command *cmd, void *arg),
                  void *arg, struct work *work)
{
    list_for_each (it, commands) {
        struct command *cmd = container_of(it, struct command, work);
        if (cmd->ops->release)
            cmd->ops->release(cmd);
    }
    cl_context locked = NULL;
    struct list *l;
    while ((l = list_pop(commands))) {
        struct command *cmd = container_of(l, struct command, work);
        cl_context ctx = cmd->event->ctx; /* lives as long as the event, freed by work_run() */
        if (ctx != locked) {
            if (locked)
                event_graph_changed(locked);
            pthread_mutex_lock(&ctx->graph);
            locked = ctx;
        }
        command_finish(cmd, status(cmd, arg), work);
    }
    if (locked)
        event_graph_changed(locked);
}

static cl_int given_status(struct command *cmd, void *arg)
{
    return *(cl_int *)arg;
}

static void command_end(struct command *cmd, cl_int status, struct work *work)
{
    struct list one;
    list_init(&one);
    list_append(&one, &cmd->work);
    commands_end(&one, given_status, &status, work);
}

/* A host command, on a thread that may spend the time. */
void command_run(struct command *cmd, struct work *work)
{
    cl_event ev = cmd->event;
    cl_device_id dev = cmd->queue->device;
    if (cmd->profiled)
        ev->times[TIME_START] = device_clock(dev);
    cl_int status = CL_COMPLETE;
    if (cmd->ops->run) {
        pthread_mutex_lock(&ev->ctx->graph);
        event_progress(ev, CL_RUNNING, work);
        pthread_mutex_unlock(&ev->ctx->graph);
        work_callbacks(&work->callbacks);
        if (!cmd->quick)
            sched_away(true);
        status = cmd->ops->run(cmd);
        if (!cmd->quick)
            sched_away(false);
    }
    if (cmd->profiled)
        ev->times[TIME_END] = device_clock(dev);
    command_end(cmd, status, work);
}

/* The event's command has its place on the ring: what waits for it and runs there too need not wait
 * for its end. */
static void command_placed(cl_event ev, struct work *work)
{
    pthread_mutex_lock(&ev->ctx->graph);
    bool doomed = atomic_load_explicit(&ev->doomed, memory_order_relaxed);
    for (struct edge *e = ev->waiters; e; e = e->next) {
        struct command *waiter = e->waiter;
        if (e->flags & EDGE_SOFT || !ring_orders(ev, waiter))
            continue;
        if (doomed && e->flags & EDGE_FAILS)
            waiter->error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        e->flags |= EDGE_SOFT;
        waiter->ordered = true;
        if (--waiter->waits == 0)
            list_append(&work->ready, &waiter->work);
    }
    pthread_mutex_unlock(&ev->ctx->graph);
}

void command_doom(struct command *cmd)
{
    pthread_mutex_lock(&cmd->event->ctx->graph);
    event_doom(cmd);
    pthread_mutex_unlock(&cmd->event->ctx->graph);
}

/* Gives a ring command its place there. Others may end it before this returns. */
static void command_place(struct command *cmd, bool awaited, cl_int error, struct work *work)
{
    cl_event ev = cmd->event;
    cl_device_id dev = cmd->queue->device;
    if (work->placed && work->placed != dev)
        sched_kick(work->placed);
    work->placed = dev;
    if (awaited)
        object_retain(&ev->base);
    cl_int status = sched_post(dev, cmd, error);
    if (status == SCHED_PLACED && awaited)
        command_placed(ev, work);
    else if (status <= CL_COMPLETE)
        command_end(cmd, status, work);
    if (awaited)
        object_release(&ev->base);
}

static void command_start(struct command *cmd, struct work *work)
{
    cl_context ctx = cmd->event->ctx;
    cl_device_id dev = cmd->queue->device;
    if (cmd->flight) { /* it has been started, and there is more to launch */
        command_place(cmd, true, CL_SUCCESS, work);
        return;
    }
    pthread_mutex_lock(&ctx->graph);
    command_ready(cmd, work);
    cl_int error = cmd->error; /* soft edges may still set it; sched.c looks again */
    bool awaited = cmd->event->waiters != NULL;
    pthread_mutex_unlock(&ctx->graph);
    work_callbacks(&work->callbacks); /* before later states can be reached elsewhere */
    if (cmd->profiled) {
        cl_ulong now = device_clock(dev);
        for (int i = TIME_SUBMIT; i < EVENT_N_TIMES; i++)
            cmd->event->times[i] = now;
    }
    bool at_once = cmd->ops->run && cmd->quick && !cmd->ordered;
    if (cmd->ops->ring && !at_once) {
        command_place(cmd, awaited, error, work);
    } else if (error) {
        command_end(cmd, error, work);
    } else if (cmd->quick || work->all_here || work->here == cmd) {
        command_run(cmd, work);
    } else {
        sched_host(dev, cmd);
    }
}

static void command_free(struct command *cmd)
{
    object_release(&cmd->event->base);
    free(cmd);
}

void work_init(struct work *w)
{
    list_init(&w->ready);
    list_init(&w->done);
    list_init(&w->callbacks);
    w->here = NULL;
    w->all_here = false;
    w->placed = NULL;
}

/* Loops where others would recurse: chains are as long as the user likes. */
void work_run(struct work *w)
{
    for (;;) {
        struct list *l;
        while ((l = list_pop(&w->done)))
            command_free(container_of(l, struct command, work));
        work_callbacks(&w->callbacks);
        if (!(l = list_pop(&w->ready)))
            break;
        command_start(container_of(l, struct command, work), w);
    }
    if (w->placed)
        sched_kick(w->placed);
}

cl_int command_enqueue(struct command *cmd, enum command_scope scope, cl_uint n_waits,
                       const cl_event *waits, cl_event *event, bool blocking)
{
    cl_command_queue q = cmd->queue;
    cl_context ctx = q->ctx;
    cl_event ev = cmd->event;
    struct budget *budget = &q->device->budget;
    budget_enter(q->device);
    if (cmd->profiled)
        ev->times[TIME_QUEUED] = device_clock(q->device);

    struct work work;
    work_init(&work);
    pthread_mutex_lock(&ctx->graph);
    ev->gated = command_gated(cmd, scope, n_waits, waits);
    if (ev->gated && !budget_gate(budget)) {
        pthread_mutex_unlock(&ctx->graph);
        command_discard(cmd);
        return CL_OUT_OF_RESOURCES;
    }
    if (!event && !blocking)
        object_hide(&ev->base);
    else
        object_retain(&ev->base); /* the command's; the first one is the application's */
    command_follow_queue(cmd, scope);
    for (cl_uint i = 0; i < n_waits; i++)
        command_wait(cmd, waits[i], EDGE_FAILS);
    cmd->seq = q->next_seq++;
    list_append(&q->pending, &cmd->link);
    atomic_fetch_add_explicit(&q->n_pending, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&q->n_off_ring, 1, memory_order_relaxed);
    if (ev->gated)
        q->n_gated++;
    if (cmd->barrier)
        q->barrier = cmd;
    if (cmd->waits == 0)
        list_append(&work.ready, &cmd->work);
    pthread_mutex_unlock(&ctx->graph);

    if (blocking)
        work.here = cmd;
    work_run(&work);
    if (!blocking) {
        if (event)
            *event = ev;
        return CL_SUCCESS;
    }
    sched_flush(q->device);
    cl_int status = event_wait(ev);
    if (event && status == CL_COMPLETE)
        *event = ev;
    else
        object_api_release(&ev->base);
    return status;
}

/* Markers and barriers: nothing to do but to take their turn. */
static const struct command_ops marker_ops = {.name = "marker", .ring = true};

cl_int marker_enqueue(cl_command_queue queue, cl_command_type type, bool barrier, cl_uint n_waits,
                      const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    cl_int err = command_new(&marker_ops, sizeof *cmd, queue, type, n_waits, &cmd);
    if (err)
        return err;
    cmd->barrier = barrier && (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    return command_enqueue(cmd, n_waits ? SCOPE_LIST : SCOPE_ALL, n_waits, waits, event, false);
}

cl_int nothing_enqueue(cl_command_queue queue, cl_command_type type, cl_uint n_waits,
                       const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    cl_int err = command_new(&marker_ops, sizeof *cmd, queue, type, n_waits, &cmd);
    return err ? err : command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, false);
}

struct native {
    struct command base;
    void(CL_CALLBACK *fn)(void *);
    void *args; /* owned */
    cl_uint n_mems;
    struct {
        cl_mem mem; /* owned */
        size_t slot;
    } mems[];
};

static cl_int native_run(struct command *cmd)
{
    struct native *n = (struct native *)cmd;
    for (cl_uint i = 0; i < n->n_mems; i++) {
        void *p = mem_pointer(n->mems[i].mem);
        if (!p)
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        memcpy((char *)n->args + n->mems[i].slot, &p, sizeof p);
    }
    n->fn(n->args);
    return CL_COMPLETE;
}

static void native_release(struct command *cmd)
{
    struct native *n = (struct native *)cmd;
    for (cl_uint i = 0; i < n->n_mems; i++)
        object_release(&n->mems[i].mem->base);
    free(n->args);
    n->args = NULL;
    n->n_mems = 0;
}

static const struct command_ops native_ops = {
    .name = "native kernel", .run = native_run, .release = native_release};

cl_int native_enqueue(cl_command_queue queue, void(CL_CALLBACK *fn)(void *), const void *args,
                      size_t size, cl_uint n_mems, const cl_mem *mems, const void **slots,
                      cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    size_t total = sizeof(struct native) + n_mems * sizeof(((struct native *)0)->mems[0]);
    cl_int err = command_new(&native_ops, total, queue, CL_COMMAND_NATIVE_KERNEL, n_waits, &cmd);
    if (err)
        return err;
    struct native *n = (struct native *)cmd;
    n->fn = fn;
    if (size) {
        n->args = malloc(size);
        if (!n->args) {
            command_discard(cmd);
            return CL_OUT_OF_HOST_MEMORY;
        }
        memcpy(n->args, args, size);
    }
    for (cl_uint i = 0; i < n_mems; i++) {
        err = mem_commit(mems[i], queue->device);
        if (err) {
            command_discard(cmd);
            return err;
        }
        object_retain(&mems[i]->base);
        n->mems[i].mem = mems[i];
        n->mems[i].slot = (const char *)slots[i] - (const char *)args;
        n->n_mems++;
    }
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, false);
}
