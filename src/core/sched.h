/* Who does what is ready. GPU commands are posted, which costs little and gives them their place in
 * the order of the GPU's ring; whoever submits writes all that has been posted into a batch (a
 * `flight`). The completion thread of the device submits when nothing is under way, retires flights
 * in order and runs host commands. User code that isn't a native kernel runs on the callback
 * thread, one for the process.
 *
 * Invariant: while commands are posted, the completion thread is awake and about to look at them,
 * or waits for a flight whose end makes it look; or somebody is about to call sched_kick. So
 * flushing only saves time; nothing ever waits for lack of it.
 *
 * Time. Others use the GPU too, the desktop first of all, and the kernel takes a batch that goes on
 * and on for a hang. What a thread of a kernel takes is measured; a launch that would take longer
 * than SLICE_NS is cut into several, each in a batch of its own, and no more is handed over than
 * keeps the GPU busy meanwhile. Such a command isn't posted: it has its place when all of it has
 * been launched.
 *
 * Locks: submit (what has been taken to be launched; held across the ioctl), then a context's
 * graph, then lock (the lists; leaf).
 */
#ifndef CORE_SCHED_H
#define CORE_SCHED_H

#include "src/core/event.h"

#include <pthread.h>

struct batch;
struct command;
struct gpu_launch;
struct flight;
struct stamps;

/* What the completion thread is at. */
enum sched_state {
    AT_REST, /* it is to be woken */
    AT_WORK, /* before it rests it looks at what is posted */
    AWAY     /* with a host command, for as long as that takes */
};

struct sched {
    pthread_mutex_t submit;
    struct flight *open; /* submit; owned; has nothing in it when that is free */
    struct flight
        *next; /* submit; borrowed: of the flights the first that the GPU has not got; NULL: none */
    cl_ulong ahead_ns; /* submit; what those that it has got will take, as far as is known */
    cl_ulong retired;  /* submit; number of the last flight that has ended */
    struct list
        partial; /* submit; commands that have launched a part, and go on when a flight ends */
    pthread_mutex_t lock;
    pthread_cond_t wake;    /* something for the completion thread */
    enum sched_state state; /* lock */
    struct list posted;     /* lock; commands of the ring in their order, in no flight yet */
    atomic_uint n_posted;   /* changed under lock */
    struct list due;        /* lock; commands that launch nothing and come before all flights */
    struct list flights;    /* lock; closed, oldest first; owned */
    unsigned n_flights;     /* lock */
    struct list inbox;      /* lock; host commands that are ready */
    cl_ulong next_number;   /* submit; of flights, from 1 */
    cl_ulong last_failed;   /* completion thread; number of the last flight that failed */
    cl_int last_error;      /* completion thread; how */
    bool started;           /* lock; the completion thread runs */
};

void sched_init(struct sched *s);
/* Submits what has been posted. */
void sched_flush(cl_device_id dev);
/* Gives a ring command its place; with an error it launches nothing there. Otherwise than
 * SCHED_PLACED: it needs no place and has ended with this status. sched_kick is to follow. */
enum { SCHED_PLACED = 1, SCHED_PARTLY /* the rest follows by itself */ };
cl_int sched_post(cl_device_id dev, struct command *cmd, cl_int error);
/* Sees to it that what has been posted is submitted, now if it is worth it. */
void sched_kick(cl_device_id dev);
/* Starts the completion thread, if it doesn't run yet. */
bool sched_start(cl_device_id dev);
/* Has the completion thread run a host command. */
void sched_host(cl_device_id dev, struct command *cmd);
/* On a completion thread: it is about to do what may take long, or has done it. */
void sched_away(bool away);
/* True on a completion thread, which must not wait for commands to end. */
bool sched_on_completion_thread(void);

/* How much a launch is. */
struct launch_size {
    _Atomic float
        *thread_ns; /* borrowed, for as long as the command: what a thread takes; measured */
    uint64_t n_threads;
    bool cut; /* it is a piece of more */
};
/* For launch(): adds one launch to the batch, stamped where the command is profiled. -EAGAIN: not
 * yet. */
int stamps_launch(struct stamps *stamps, struct batch *batch, struct gpu_launch *l, bool after,
                  const struct launch_size *size);
/* Threads that one launch of the kernel should have at most. */
uint64_t stamps_threads(const struct launch_size *size);

/* Something for the callback thread; the struct is the callee's own. */
struct deferred {
    struct list link;
    void (*run)(struct deferred *d);
};
void callback_thread_push(struct deferred *d);
void callback_thread_forked(void);

#endif
