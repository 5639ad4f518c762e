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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_STAMPS = 128,        /* profiled launches of a flight */
    BUSY_FLIGHTS = 2,        /* with so many under way there is no hurry */
    FULL_LAUNCHES = 16,      /* otherwise so many are worth an ioctl */
    MAX_LAUNCHES = 512,      /* of a flight */
    SLICE_NS = 100000000,    /* what one batch should take at most */
    AHEAD_NS = 2 * SLICE_NS, /* what the GPU is given at a time */
    AHEAD_FLIGHTS = 4,       /* a command with more to launch waits while so many have not ended */
    PROBE_THREADS = 8192,    /* of the first launch of a kernel that hasn't been measured */
    MEASURED_THREADS = 1024, /* with fewer, the GPU isn't full: that tells nothing of more */
    NOTICED_NS = SLICE_NS / 64 /* shorter ones aren't worth measuring again */
};

/* A batch and the commands that end with it. */
struct flight {
    struct list link;     /* in sched.flights once submitted */
    struct batch *batch;  /* owned; NULL if it could not be submitted, or held nothing */
    struct list commands; /* submit while open, then lock */
    struct list running; /* completion thread; those of them that were there when it began to run */
    cl_ulong number;
    cl_int error;   /* of those that launched something in it */
    bool submitted; /* submit; to the GPU, or has failed to be */
    cl_ulong ns;    /* what its launches will take, as far as is known */
    unsigned n_launches, n_stamps;
    struct command *launched[MAX_LAUNCHES]; /* borrowed; the command of each launch */
    struct command *stamped[MAX_STAMPS];    /* borrowed */
    struct launch_size sizes[MAX_STAMPS];   /* of those launches */
};

struct stamps {
    struct flight *flight;
    struct command *cmd;
};

static _Thread_local cl_device_id completion_of; /* whose completion thread this is; NULL: none's */

bool sched_on_completion_thread(void)
{
    return completion_of;
}

void sched_init(struct sched *s)
{
    *s = (struct sched){.next_number = 1};
    pthread_mutex_init(&s->submit, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    list_init(&s->posted);
    list_init(&s->due);
    list_init(&s->flights);
    list_init(&s->inbox);
    list_init(&s->partial);
}

/* There is something for the completion thread. Gives lock back, which it will want. */
static void wake_and_unlock(struct sched *s)
{
    bool rests = s->state == AT_REST;
    if (rests)
        s->state = AT_WORK;
    pthread_mutex_unlock(&s->lock);
    if (rests)
        pthread_cond_signal(&s->wake);
}

static cl_int error_of(int r)
{
    return r == -ENOMEM || r == -ENOSPC || r == -E2BIG ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                                       : CL_OUT_OF_RESOURCES;
}

/* All below until sched_collect(): under submit. */
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

/* What comes after something that has failed must not run: of what was launched before that was
 * known, no thread starts. */
static void flight_cancel(struct flight *f)
{
    for (unsigned i = 0; i < f->n_launches; i++)
        if (f->launched[i]->error)
            batch_cancel(f->batch, i);
}

/* It can't be submitted: what follows its commands won't run either. */
static void flight_doom(struct flight *f)
{
    for (unsigned i = 0; i < f->n_launches; i++)
        if (i == 0 || f->launched[i] != f->launched[i - 1])
            command_doom(f->launched[i]);
}

static void flight_submit(cl_device_id dev, struct flight *f)
{
    cl_ulong now = f->n_stamps ? device_clock(dev) : 0;
    for (unsigned i = 0; i < f->n_stamps; i++)
        if (f->stamped[i]->profiled && f->stamped[i]->flight == f->number)
            f->stamped[i]->event->times[TIME_SUBMIT] = now;
    int r = 0;
    if (!batch_empty(f->batch)) {
        flight_cancel(f);
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
    if (r)
        flight_doom(f);
    f->submitted = true;
}

/* Hands flights over, as long as the GPU has not enough to do with those that it has. */
static void flights_push(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    struct flight *f;
    while ((f = s->next) && (s->ahead_ns == 0 || s->ahead_ns + f->ns <= AHEAD_NS)) {
        /* only under submit does anything follow it, and it stays until it has been submitted */
        struct list *next = f->link.next;
        s->next = next == &s->flights ? NULL : container_of(next, struct flight, link);
        s->ahead_ns += f->ns;
        flight_submit(dev, f);
    }
}

/* The open flight takes no more. */
static void flight_close(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    struct flight *f = s->open;
    s->open = NULL;
    pthread_mutex_lock(&s->lock);
    list_append(&s->flights, &f->link);
    s->n_flights++;
    pthread_mutex_unlock(&s->lock);
    if (!s->next)
        s->next = f;
    flights_push(dev);
    pthread_mutex_lock(&s->lock);
    wake_and_unlock(s);
}

static unsigned flights_count(struct sched *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->n_flights;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static float size_thread_ns(const struct launch_size *size)
{
    return atomic_load_explicit(size->thread_ns, memory_order_relaxed);
}

uint64_t stamps_threads(const struct launch_size *size)
{
    float ns = size_thread_ns(size);
    if (ns == 0)
        return PROBE_THREADS;
    double n = SLICE_NS / (double)ns;
    return n < 1 ? 1 : n < (double)UINT32_MAX ? (uint64_t)n : UINT32_MAX;
}

/* The next piece of a command waits for the first to be measured, and while the GPU has enough. */
static bool piece_waits(struct sched *s, const struct command *cmd, const struct launch_size *size)
{
    if (!size->cut || !cmd->flight)
        return false;
    if (size_thread_ns(size) == 0)
        return cmd->last_flight > s->retired;
    return flights_count(s) >= AHEAD_FLIGHTS;
}

int stamps_launch(struct stamps *stamps, struct batch *batch, struct gpu_launch *l, bool after,
                  const struct launch_size *size)
{
    struct flight *f = stamps->flight;
    struct command *cmd = stamps->cmd;
    cl_ulong ns = (cl_ulong)(size_thread_ns(size) * (double)size->n_threads);
    bool notable =
        size->n_threads >= MEASURED_THREADS && (size_thread_ns(size) == 0 || ns >= NOTICED_NS);
    if (piece_waits(&cmd->queue->device->sched, cmd, size))
        return -EAGAIN;
    if (f->n_launches >= MAX_LAUNCHES || (cmd->profiled && f->n_stamps >= MAX_STAMPS) ||
        (f->n_launches && f->ns + ns > SLICE_NS))
        return -ENOSPC;
    bool stamped = cmd->profiled || (notable && f->n_stamps < MAX_STAMPS);
    l->timestamp_slot = stamped ? (int)f->n_stamps : -1;
    int r = batch_launch(batch, l, after);
    if (r)
        return r;
    f->launched[f->n_launches++] = cmd;
    f->ns += ns;
    if (stamped) {
        f->sizes[f->n_stamps] = *size;
        f->stamped[f->n_stamps++] = cmd;
    }
    if (!cmd->flight)
        cmd->flight = f->number;
    cmd->last_flight = f->number;
    return 0;
}

/* Adds the command's launches to the open flight, and to further ones when it is full.
 * SCHED_PARTLY: not all of them. */
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
        if (r == -EAGAIN)
            return SCHED_PARTLY;
        if ((r == -ENOSPC || r == -E2BIG || r == -ENOMEM) && !batch_empty(s->open->batch))
            flight_close(dev);
        else
            return error_of(r);
    }
}

/* From now on others may rely on the command's place in the ring's order, and once it is in a list
 * the completion thread ends it. Under lock where others may post: they come after it. */
static void take_place(struct command *cmd, cl_int error)
{
    cmd->launch_error = error;
    atomic_store_explicit(&cmd->event->doomed, error, memory_order_relaxed);
    atomic_fetch_sub_explicit(&cmd->queue->n_off_ring, 1, memory_order_release);
    atomic_store_explicit(&cmd->event->on_ring, true, memory_order_release);
}

/* Has the command end with what was launched last: that is late enough for what launches nothing.
 * Gives lock back. */
static void end_in_turn(struct sched *s, struct command *cmd)
{
    struct list *commands = &s->due;
    if (s->open)
        commands = &s->open->commands;
    else if (s->n_flights)
        commands = &container_of(s->flights.prev, struct flight, link)->commands;
    list_append(commands, &cmd->work);
    if (commands == &s->due)
        wake_and_unlock(s);
    else
        pthread_mutex_unlock(&s->lock);
}

/* Launches what has been posted. Others rely already on its being launched. */
static void place_posted(cl_device_id dev, struct command *cmd)
{
    struct sched *s = &dev->sched;
    if (cmd->ops->launch && !cmd->launch_error) {
        cl_int error = cmd->error; /* of what it follows, which failed since */
        cmd->launch_error = error ? error : place_launches(dev, cmd);
        assert(cmd->launch_error != SCHED_PARTLY);
        if (cmd->launch_error)
            command_doom(cmd);
    }
    pthread_mutex_lock(&s->lock);
    end_in_turn(s, cmd);
    if (s->open && batch_bytes(s->open->batch) > dev->budget.limit / 4)
        flight_close(dev);
}

/* Launches all that has been posted. */
static void collect(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    struct list posted, *l;
    list_init(&posted);
    pthread_mutex_lock(&s->lock);
    list_splice(&posted, &s->posted);
    atomic_store_explicit(&s->n_posted, 0, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
    while ((l = list_pop(&posted)))
        place_posted(dev, container_of(l, struct command, work));
}

/* Launches as much of a command as is due, in flights of its own. */
static cl_int place(cl_device_id dev, struct command *cmd)
{
    struct sched *s = &dev->sched;
    cl_int status = SCHED_PLACED, error;
    if (completion_of == dev && cmd->flight && s->last_failed >= cmd->flight)
        error = s->last_error; /* of what it has launched: the rest is for nothing */
    else
        error = place_launches(dev, cmd);
    if (error == SCHED_PARTLY) {
        list_append(&s->partial, &cmd->work);
        return SCHED_PARTLY;
    }
    pthread_mutex_lock(&s->lock);
    if (!error || cmd->ordered || cmd->flight) {
        take_place(cmd, error);
        end_in_turn(s, cmd);
    } else {
        pthread_mutex_unlock(&s->lock);
        status = error;
    }
    return status;
}

/* Submits what has been posted, and `cmd`, if there is one, behind it. */
static cl_int submit(cl_device_id dev, struct command *cmd)
{
    struct sched *s = &dev->sched;
    cl_int status = SCHED_PLACED;
    pthread_mutex_lock(&s->submit);
    collect(dev);
    if (cmd)
        status = place(dev, cmd);
    if (s->open && (s->open->n_launches || !list_empty(&s->open->commands)))
        flight_close(dev);
    pthread_mutex_unlock(&s->submit);
    return status;
}

cl_int sched_post(cl_device_id dev, struct command *cmd, cl_int error)
{
    struct sched *s = &dev->sched;
    bool launches = cmd->ops->launch && !error;
    if (!launches && !cmd->ordered)
        return error;
    if (launches && (cmd->flight || !cmd->ops->whole(cmd)))
        return submit(dev, cmd);
    pthread_mutex_lock(&s->lock);
    take_place(cmd, error);
    list_append(&s->posted, &cmd->work);
    unsigned n = atomic_load_explicit(&s->n_posted, memory_order_relaxed) + 1;
    atomic_store_explicit(&s->n_posted, n, memory_order_release);
    pthread_mutex_unlock(&s->lock);
    return SCHED_PLACED;
}

void sched_kick(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    if (!s->n_posted) {
        pthread_mutex_unlock(&s->lock);
        return;
    }
    /* unless it is away, the thread is about to look, or will when what is under way ends */
    bool enough = s->state == AWAY || (s->n_flights && s->n_posted >= FULL_LAUNCHES);
    bool help = enough && s->n_flights < BUSY_FLIGHTS;
    wake_and_unlock(s);
    if (help)
        submit(dev, NULL);
}

/* Submits what has been posted, unless the GPU has enough to do. */
static void replenish(cl_device_id dev)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    bool due = s->n_posted &&
               (s->n_flights == 0 || (s->n_flights < BUSY_FLIGHTS && s->n_posted >= FULL_LAUNCHES));
    pthread_mutex_unlock(&s->lock);
    if (due)
        submit(dev, NULL);
}

void sched_flush(cl_device_id dev)
{
    /* what isn't there any more is being submitted */
    if (atomic_load_explicit(&dev->sched.n_posted, memory_order_acquire))
        submit(dev, NULL);
}

void sched_host(cl_device_id dev, struct command *cmd)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    list_append(&s->inbox, &cmd->work);
    wake_and_unlock(s);
}

void sched_away(bool away)
{
    cl_device_id dev = completion_of;
    if (!dev)
        return;
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    s->state = away ? AWAY : AT_WORK;
    bool posted = away && s->n_posted;
    pthread_mutex_unlock(&s->lock);
    if (posted)
        submit(dev, NULL);
}

/* The completion thread. */

/* A kernel may take longer this time than the last: what is expected rises at once and falls
 * slowly. */
static void size_measured(const struct launch_size *size, cl_ulong ns)
{
    float last = size_thread_ns(size), now = (float)ns / (float)size->n_threads;
    if (size->n_threads < MEASURED_THREADS)
        return;
    if (now < last)
        now = last + (now - last) / 4;
    const float least = 1e-6f; /* 0 would say that nothing is known */
    atomic_store_explicit(size->thread_ns, now > least ? now : least, memory_order_relaxed);
}

static void flight_stamps(cl_device_id dev, struct flight *f)
{
    for (unsigned i = 0; i < f->n_stamps; i++) {
        uint64_t start, end;
        batch_times(f->batch, i, &start, &end);
        struct command *cmd = f->stamped[i];
        cl_ulong *times = cmd->event->times;
        cl_ulong start_ns = device_ticks_to_ns(dev, start), end_ns = device_ticks_to_ns(dev, end);
        size_measured(&f->sizes[i], end_ns > start_ns ? end_ns - start_ns : 0);
        if (!cmd->profiled)
            continue;
        if (cmd->flight == f->number && (i == 0 || f->stamped[i - 1] != cmd))
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

/* Adds the command to the words about a failure. */
static void name_suspect(const struct command *cmd, unsigned *n, char *text, size_t size)
{
    enum { NAMED = 3 };
    char what[256];
    size_t used = strlen(text);
    if (!cmd->flight || ++*n > NAMED)
        return;
    if (cmd->ops->describe)
        cmd->ops->describe(cmd, what, sizeof what);
    else
        snprintf(what, sizeof what, "a %s", cmd->ops->name);
    snprintf(text + used, size - used, "%s %s", *n == 1 ? ":" : ",", what);
}

/* Says which commands are suspect: all that launched something in the batch that failed. */
static void report_failure(struct sched *s, const struct flight *f)
{
    char text[768];
    unsigned n = 0;
    cl_context told = NULL;
    snprintf(text, sizeof text, "%s",
             f->error == CL_OUT_OF_RESOURCES
                 ? "the GPU hung or was reset; this was under way, and has failed"
                 : "this could not be submitted to the GPU");
    list_for_each (it, &f->running)
        name_suspect(container_of(it, struct command, work), &n, text, sizeof text);
    pthread_mutex_lock(&s->submit);
    list_for_each (it, &s->partial) {
        struct command *cmd = container_of(it, struct command, work);
        if (cmd->flight <= f->number && cmd->last_flight >= f->number)
            name_suspect(cmd, &n, text, sizeof text);
    }
    pthread_mutex_unlock(&s->submit);
    debug_warn("%s%s", text, n > 3 ? " and more" : "");
    list_for_each (it, &f->running) {
        cl_context ctx = container_of(it, struct command, work)->event->ctx;
        if (ctx != told)
            context_report(ctx, text);
        told = ctx;
    }
}

static void command_running(struct flight *f, struct command *cmd, struct work *work)
{
    if (!cmd->flight || (cmd->ordered && cmd != f->launched[0]))
        return;
    pthread_mutex_lock(&cmd->event->ctx->graph);
    event_progress(cmd->event, CL_RUNNING, work);
    pthread_mutex_unlock(&cmd->event->ctx->graph);
}

/* All before it has ended, so the GPU runs it. That is as much as can be known of its first
 * command; those that follow one of it must not be said to run before that has ended. */
static void flight_running(struct flight *f, struct work *work)
{
    list_for_each (it, &f->running)
        command_running(f, container_of(it, struct command, work), work);
    for (unsigned i = 0; i < f->n_stamps; i++) /* those of which more follows are here */
        command_running(f, f->stamped[i], work);
    work_callbacks(&work->callbacks);
}

static void flight_retire(cl_device_id dev, struct flight *f, struct work *work)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->lock);
    list_splice(&f->running, &f->commands);
    pthread_mutex_unlock(&s->lock);
    if (f->batch) {
        flight_running(f, work);
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
        report_failure(s, f);
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
        commands_end(&ended, status_in_flight, s, work);
    }
    pthread_mutex_lock(&s->submit);
    s->ahead_ns -= f->ns;
    s->retired = f->number;
    flights_push(dev);
    list_splice(&work->ready, &s->partial);
    pthread_mutex_unlock(&s->submit);
    free(f);
    replenish(dev);
}

/* The oldest flight, which has been submitted; NULL: there is none. `due`: what ends before it. */
static struct flight *flight_oldest(cl_device_id dev, struct list *due)
{
    struct sched *s = &dev->sched;
    pthread_mutex_lock(&s->submit); /* whoever has just closed it is done with it */
    pthread_mutex_lock(&s->lock);
    list_splice(due, &s->due);
    struct flight *f =
        list_empty(&s->flights) ? NULL : container_of(s->flights.next, struct flight, link);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&s->submit);
    assert(!f || f->submitted);
    return f;
}

static void *completion_main(void *arg)
{
    cl_device_id dev = arg;
    struct sched *s = &dev->sched;
    completion_of = dev;
    for (;;) {
        struct work work;
        work_init(&work);
        work.all_here = true;
        pthread_mutex_lock(&s->lock);
        while (list_empty(&s->flights) && list_empty(&s->inbox) && list_empty(&s->posted) &&
               list_empty(&s->due)) {
            s->state = AT_REST;
            pthread_cond_wait(&s->wake, &s->lock);
        }
        s->state = AT_WORK;
        struct list *host = list_pop(&s->inbox);
        pthread_mutex_unlock(&s->lock);
        replenish(dev);
        struct list due;
        list_init(&due);
        struct flight *f = flight_oldest(dev, &due);
        commands_end(&due, status_in_flight, s, &work);
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
