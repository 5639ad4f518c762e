/* Events, and the edges from an awaited event to the commands that wait for it. An edge is stored
 * in the waiter and lies in the awaited event's list only until that event finishes: a finished
 * event has no pointer to anything but its context and queue, and nothing but references of its
 * users points to it. All under one lock a context, `graph`; what must be done without it is
 * collected in a struct work.
 */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "src/core/list.h"
#include "src/core/object.h"
#include "src/core/types.h"

struct command;
struct edge;

enum event_time { TIME_QUEUED, TIME_SUBMIT, TIME_START, TIME_END, EVENT_N_TIMES };

struct _cl_event {
    struct object base;
    cl_context ctx;         /* owned */
    cl_command_queue queue; /* owned; NULL for a user event */
    cl_command_type type;
    cl_int status; /* graph; event_finish() alone makes it <= CL_COMPLETE */
    bool gated;    /* graph; waits for the application: is a user event, or waits for a gated one */
    atomic_bool on_ring; /* its command has its place in the order of the GPU's ring */
    atomic_bool doomed;  /* it runs nothing there and will fail; set before on_ring if known then */
    struct edge *waiters;          /* graph; borrowed; NULL for ever once finished */
    struct list callbacks;         /* graph; owned until called */
    cl_ulong times[EVENT_N_TIMES]; /* ns of the device's clock; graph until finished */
};

/* What is to be done once the graph lock is free. */
struct work {
    struct list ready;     /* commands to start */
    struct list done;      /* finished commands to free */
    struct list callbacks; /* to hand to the callback thread */
    struct command *here;  /* borrowed: a host command that may run on this thread */
    bool all_here;         /* the completion thread: any host command may */
    cl_device_id
        placed; /* borrowed: a device whose ring has got commands and may have to submit them */
};

void work_init(struct work *w);
/* Does it, and what follows from it, until nothing is left. No lock may be held. */
void work_run(struct work *w);
/* Hands callbacks over; empties the list. */
void work_callbacks(struct list *callbacks);

/* queue may be NULL: a user event. Has one reference, of the application. */
cl_int event_new(cl_context ctx, cl_command_queue queue, cl_command_type type, cl_event *out);
/* The only end of an event, under graph. From here on it keeps nothing alive. */
void event_finish(cl_event ev, cl_int status, struct work *work);
/* To follow event_finish: gives graph back, then wakes those who wait, who will want it. */
void event_graph_changed(cl_context ctx);
/* Under graph: the command won't run, or has failed. What is on the ring behind it and names it, or
 * what names that, will fail: known now, it can still be kept from running. */
void event_doom(struct command *cmd);
/* Lets the status fall to SUBMITTED or RUNNING, under graph. */
void event_progress(cl_event ev, cl_int status, struct work *work);
cl_int event_status(cl_event ev);
/* Status of a user event: CL_INVALID_OPERATION if it has one. */
cl_int event_set_user(cl_event ev, cl_int status);
/* Returns the event's final status. */
cl_int event_wait(cl_event ev);
cl_int event_add_callback(cl_event ev, cl_int type, void(CL_CALLBACK *fn)(cl_event, cl_int, void *),
                          void *data);

#endif
