/* See sched.h. */
#include "src/core/sched.h"

#include "src/core/command.h"
#include "src/core/context.h"
#include "src/core/debug.h"
#include "src/core/device.h"
#include "src/core/queue.h"
#include "src/gpu/gpu.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

enum {
    MAX_STAMPS = 128,   /* profiled launches of a flight */
    BUSY_FLIGHTS = 2,   /* with so many under way there is no hurry */
    FULL_LAUNCHES = 16, /* otherwise so many are worth an ioctl */
    MAX_LAUNCHES = 512  /* of a flight */
};

/* A batch and the commands that end with it. */
struct flight {
    struct list link;     /* in sched.flights once submitted */
    struct batch *batch;  /* owned; NULL if it could not be submitted, or held nothing */
    struct list commands; /* submit while open, then lock */
    struct list running; /* completion thread; those of them that were there when it began to run */
    cl_ulong number;
    cl_int error; /* of those that launched something in it */
    unsigned n_launches, n_stamps;
    struct command *stamped[MAX_STAMPS]; /* borrowed */
};

struct stamps {
    struct flight *flight;
    struct command *cmd;
};

static _Thread_local bool on_completion_thread;

bool sched_on_completion_thread(void)
{
    return on_completion_thread;
}

void sched_init(struct sched *s)
{
    *s = (struct sched){.next_number = 1};
    pthread_mutex_init(&s->submit, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    list_init(&s->flights);
    list_init(&s->inbox);
}

static cl_int error_of(int r)
{
    return r == -ENOMEM || r == -ENOSPC || r == -E2BIG ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                                       : CL_OUT_OF_RESOURCES;
}

/* All below until the completion thread: under submit. */
static struct flight *flight_open(cl_device_id dev)
{
    struct flight *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->batch = batch_new(dev->gpu);
    if (!f->batch) {
        free(f);
        return NULL;
    }
    list_init(&f->link);
    list_init(&f->commands);
    list_init(&f->running);
    f->number = dev->sched.next_number++;
    return f;
}

static void flight_submit(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    struct flight *f = s->open;
    s->open = NULL;
    if (f->n_stamps) {
        cl_ulong now = device_clock(dev);
        for (unsigned i = 0; i < f->n_stamps; i++)
            if (f->stamped[i]->flight == f->number)
                f->stamped[i]->event->times[TIME_SUBMIT] = now;
    }
    int r = 0;
    if (!batch_empty(f->batch)) {
        r = batch_submit(f->batch);
        if (r == -ENOMEM || r == -ENOSPC) {
            gpu_trim(dev->gpu, true);
            r = batch_submit(f->batch);
        }
        debug_log(DEBUG_batch, "%llu: %u launches, %llu bytes resident: %d",
                  (unsigned long long)f->number, f->n_launches,
                  (unsigned long long)batch_bytes(f->batch), r);
    }
    if (r || batch_empty(f->batch)) {
        batch_free(f->batch);
        f->batch = NULL;
        f->error = r ? error_of(r) : CL_SUCCESS;
    }
    pthread_mutex_lock(&s->lock);
    list_append(&s->flights, &f->link);
    s->n_flights++;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

static bool flight_used(const struct flight *f)
{
    return f && (f->n_launches || !list_empty(&f->commands));
}

void sched_flush(cl_device_id dev)
{
    pthread_mutex_lock(&dev->sched.submit);
    if (flight_used(dev->sched.open))
        flight_submit(dev);
    pthread_mutex_unlock(&dev->sched.submit);
}

int stamps_launch(struct stamps *stamps, struct batch *batch, struct gpu_launch *l, bool after)
{
    struct flight *f = stamps->flight;
    struct command *cmd = stamps->cmd;
    if (f->n_launches >= MAX_LAUNCHES || (cmd->profiled && f->n_stamps >= MAX_STAMPS))
        return -ENOSPC;
    l->timestamp_slot = cmd->profiled ? (int)f->n_stamps : -1;
    int r = batch_launch(batch, l, after);
    if (r)
        return r;
    f->n_launches++;
    if (cmd->profiled)
        f->stamped[f->n_stamps++] = cmd;
    if (!cmd->flight)
        cmd->flight = f->number;
    return 0;
}

/* Adds the command's launches to the open flight, and to further ones when it is full. */
static cl_int place_launches(cl_device_id dev, struct command *cmd)
{
    struct sched *s = &dev->sched;
    for (;;) {
        if (!s->open)
            s->open = flight_open(dev);
        if (!s->open)
            return CL_OUT_OF_HOST_MEMORY;
        struct stamps stamps = {.flight = s->open, .cmd = cmd};
        int r = cmd->ops->launch(cmd, s->open->batch, &stamps);
        if (!r)
            return CL_SUCCESS;
        if ((r == -ENOSPC || r == -E2BIG || r == -ENOMEM) && !batch_empty(s->open->batch))
            flight_submit(dev);
        else
            return error_of(r);
    }
}

/* Takes the place: from now on others may rely on the ring's order, and the completion thread ends
 * it. */
static void take_place(struct command *cmd, bool doomed, struct list *commands)
{
    atomic_store_explicit(&cmd->event->doomed, doomed, memory_order_relaxed);
    atomic_fetch_sub_explicit(&cmd->queue->n_off_ring, 1, memory_order_release);
    atomic_store_explicit(&cmd->event->on_ring, true, memory_order_release);
    list_append(commands, &cmd->work);
}

cl_int sched_place(cl_device_id dev, struct command *cmd, cl_int error)
{
    struct sched *s = &dev->sched;
    cl_int status = SCHED_PLACED;
    pthread_mutex_lock(&s->submit);
    if (cmd->ops->launch && !error)
        error = cmd->launch_error = place_launches(dev, cmd);
    bool needs_place = cmd->ordered || cmd->flight;
    if (needs_place && s->open) {
        take_place(cmd, error, &s->open->commands);
    } else {
        /* Nothing collected: the end of the youngest flight is late enough. */
        pthread_mutex_lock(&s->lock);
        if (needs_place && s->n_flights)
            take_place(cmd, error, &container_of(s->flights.prev, struct flight, link)->commands);
        else
            status = error;
        pthread_mutex_unlock(&s->lock);
    }
    if (s->open && batch_bytes(s->open->batch) > dev->budget.limit / 4)
        flight_submit(dev);
    pthread_mutex_unlock(&s->submit);
    return status;
}

void sched_kick(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->submit);
    if (flight_used(s->open)) {
        pthread_mutex_lock(&s->lock);
        unsigned n = s->n_flights;
        pthread_mutex_unlock(&s->lock);
        if (n == 0 || (n < BUSY_FLIGHTS && s->open->n_launches >= FULL_LAUNCHES))
            flight_submit(dev);
    }
    pthread_mutex_unlock(&s->submit);
}

void sched_host(cl_device_id dev, struct command *cmd)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    list_append(&s->inbox, &cmd->work);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

/* The completion thread. */

static void flight_stamps(cl_device_id dev, struct flight *f)
{
    for (unsigned i = 0; i < f->n_stamps; i++) {
        uint64_t start, end;
        batch_times(f->batch, i, &start, &end);
        cl_ulong *times = f->stamped[i]->event->times;
        cl_ulong start_ns = device_ticks_to_ns(dev, start), end_ns = device_ticks_to_ns(dev, end);
        if (f->stamped[i]->flight == f->number && (i == 0 || f->stamped[i - 1] != f->stamped[i]))
            times[TIME_START] = start_ns > times[TIME_SUBMIT] ? start_ns : times[TIME_SUBMIT];
        if (times[TIME_END] < end_ns || times[TIME_END] < times[TIME_START])
            times[TIME_END] = end_ns > times[TIME_START] ? end_ns : times[TIME_START];
    }
}

static cl_int status_in_flight(struct command *cmd, void *arg)
{
    const struct sched *s = arg;
    if (cmd->error)
        return cmd->error;
    if (cmd->launch_error)
        return cmd->launch_error;
    if (cmd->flight && s->last_failed >= cmd->flight)
        return s->last_error;
    return CL_COMPLETE;
}

static void report_failure(struct list *commands, cl_int error)
{
    cl_context told = NULL;
    list_for_each (it, commands) {
        cl_context ctx = container_of(it, struct command, work)->event->ctx;
        if (ctx != told)
            context_report(ctx,
                           error == CL_OUT_OF_RESOURCES
                               ? "the GPU hung or was reset; the commands under way have failed"
                               : "commands could not be submitted to the GPU");
        told = ctx;
    }
}

/* All before it has ended, so the GPU runs it. That is as much as can be known of its first
 * command; those that follow one of it must not be said to run before that has ended. */
static void flight_running(cl_device_id dev, struct flight *f, struct work *work)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    list_splice(&f->running, &f->commands);
    pthread_mutex_unlock(&s->lock);
    list_for_each (it, &f->running) {
        struct command *cmd = container_of(it, struct command, work);
        if (!cmd->flight || (cmd->ordered && it != f->running.next))
            continue;
        pthread_mutex_lock(&cmd->event->ctx->graph);
        event_progress(cmd->event, CL_RUNNING, work);
        pthread_mutex_unlock(&cmd->event->ctx->graph);
    }
    work_callbacks(&work->callbacks);
}

static void flight_retire(cl_device_id dev, struct flight *f, struct work *work)
{
    struct sched *s = &dev->sched;
    if (f->batch) {
        flight_running(dev, f, work);
        int r = batch_wait(f->batch, -1);
        if (r)
            f->error = error_of(r);
        else
            flight_stamps(dev, f);
        debug_log(DEBUG_batch, "%llu: ended: %d", (unsigned long long)f->number, r);
        batch_free(f->batch);
        f->batch = NULL;
    }
    if (f->error) {
        s->last_failed = f->number;
        s->last_error = f->error;
    }
    for (;;) {
        struct list ended;
        list_init(&ended);
        list_splice(&ended, &f->running);
        pthread_mutex_lock(&s->lock);
        list_splice(&ended, &f->commands);
        bool last = list_empty(&ended);
        if (last) {
            list_remove(&f->link);
            s->n_flights--;
        }
        pthread_mutex_unlock(&s->lock);
        if (last)
            break;
        if (f->error)
            report_failure(&ended, f->error);
        commands_end(&ended, status_in_flight, s, work);
    }
    free(f);
    pthread_mutex_lock(&s->submit);
    pthread_mutex_lock(&s->lock);
    bool idle = s->n_flights == 0;
    pthread_mutex_unlock(&s->lock);
    if (idle && flight_used(s->open))
        flight_submit(dev);
    pthread_mutex_unlock(&s->submit);
}

static void *completion_main(void *arg)
{
    cl_device_id dev = arg;
    struct sched *s = &dev->sched;
    on_completion_thread = true;
    for (;;) {
        struct work work;
        work_init(&work);
        work.all_here = true;
        pthread_mutex_lock(&s->lock);
        while (list_empty(&s->flights) && list_empty(&s->inbox))
            pthread_cond_wait(&s->wake, &s->lock);
        struct list *host = list_pop(&s->inbox);
        struct flight *f =
            list_empty(&s->flights) ? NULL : container_of(s->flights.next, struct flight, link);
        pthread_mutex_unlock(&s->lock);
        if (host)
            command_run(container_of(host, struct command, work), &work);
        /* While host commands wait, a flight is only looked at. */
        if (f && (!host || !f->batch || !batch_busy(f->batch)))
            flight_retire(dev, f, &work);
        work_run(&work);
    }
    return NULL;
}

/* A thread that the application's signals don't reach. */
static bool thread_start(void *(*main)(void *), void *arg, const char *name)
{
    sigset_t all, old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int r = pthread_create(&thread, NULL, main, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (r)
        return false;
    pthread_setname_np(thread, name);
    pthread_detach(thread);
    return true;
}

bool sched_start(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    if (!s->started)
        s->started = thread_start(completion_main, dev, "beignet-retire");
    bool started = s->started;
    pthread_mutex_unlock(&s->lock);
    return started;
}

/* The callback thread. */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct list list; /* lock; struct deferred */
    bool started;     /* lock */
} callbacks = {.lock = PTHREAD_MUTEX_INITIALIZER,
               .wake = PTHREAD_COND_INITIALIZER,
               .list = {&callbacks.list, &callbacks.list}};

static void *callback_main(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&callbacks.lock);
        while (list_empty(&callbacks.list))
            pthread_cond_wait(&callbacks.wake, &callbacks.lock);
        struct deferred *d = container_of(list_pop(&callbacks.list), struct deferred, link);
        pthread_mutex_unlock(&callbacks.lock);
        d->run(d);
    }
    return arg;
}

void callback_thread_push(struct deferred *d)
{
    pthread_mutex_lock(&callbacks.lock);
    if (!callbacks.started)
        callbacks.started = thread_start(callback_main, NULL, "beignet-callback");
    bool started = callbacks.started;
    if (started) {
        list_append(&callbacks.list, &d->link);
        pthread_cond_signal(&callbacks.wake);
    }
    pthread_mutex_unlock(&callbacks.lock);
    if (!started)
        d->run(d); /* no thread to be had: here, then, where no lock is held either */
}

void callback_thread_forked(void)
{
    pthread_mutex_init(&callbacks.lock, NULL);
    pthread_cond_init(&callbacks.wake, NULL);
    list_init(&callbacks.list);
    callbacks.started = false;
}
