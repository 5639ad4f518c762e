/* A command is what an enqueue makes; it owns what its execution needs and gives all of it up when
 * it ends. Kinds differ by a struct command_ops. A kind's own data follow struct command in its own
 * struct.
 */
#ifndef CORE_COMMAND_H
#define CORE_COMMAND_H

#include "src/core/event.h"

struct batch;

enum {
    EDGE_FAILS = 1, /* the waiter fails if the awaited event does: it was named in a wait list */
    EDGE_SOFT = 2   /* the ring keeps the order: not counted in waits */
};

struct edge {
    struct edge *next;      /* in the awaited event's list */
    struct command *waiter; /* the command this edge is a part of */
    unsigned flags;
};

/* How launches of a profiled command are stamped. */
struct stamps;

struct command_ops {
    const char *name;
    /* Has its place in the order of the GPU's ring; what it awaits there it need not wait for. */
    bool ring;
    /* Host command: does it, returns CL_COMPLETE or the error. No lock held. NULL: nothing to do.
     * A ring command that has it too is run so where it is quick and follows nothing there. */
    cl_int (*run)(struct command *cmd);
    /* Ring command: adds launches to the batch from where it left off. 0, -ENOSPC (go on in the
     * next batch), -EAGAIN (go on when a flight has ended) or -errno. The submit lock is held.
     * NULL: nothing to launch. */
    int (*launch)(struct command *cmd, struct batch *batch, struct stamps *stamps);
    /* Where launch() is: whether all of it will be launched without -EAGAIN, at once, however long
     * that takes when it comes to it. To be asked once, when the command is ready. */
    bool (*whole)(struct command *cmd);
    /* What it is, in words, for a message about its failure. NULL: the name says it. */
    void (*describe)(const struct command *cmd, char *text, size_t size);
    /* Gives up what the kind owns. Called once, before the event finishes. May be NULL. */
    void (*release)(struct command *cmd);
};

struct command {
    struct list link;       /* in queue->pending until finished */
    struct list work;       /* in a struct work, the inbox or a flight */
    cl_event event;         /* owned until finished */
    cl_command_queue queue; /* borrowed from the event */
    const struct command_ops *ops;
    cl_ulong seq;     /* graph; position in its queue */
    cl_ulong after;   /* graph; the latest end known of what it waits for, on the device's clock */
    cl_ulong earlier; /* graph; and of what was before it in its queue */
    _Atomic cl_int error; /* set under graph; of a dependency that failed */
    struct command *doomed_next; /* graph; of those that are to be told so */
    unsigned waits;       /* unfinished events awaited: a count, no references */
    bool follows_all;     /* comes after all that is before it in its queue */
    bool awaits_all;      /* one of waits is for being the first of queue->pending */
    bool ordered;         /* follows something on the ring */
    bool quick;           /* host command that costs no more than handing it over would */
    bool barrier;         /* later commands of the queue wait for it */
    bool profiled;
    cl_int launch_error;          /* submit; launching failed */
    cl_ulong flight, last_flight; /* submit; numbers of the flights that took its first launch, 0:
                                     none, and its last */
    unsigned n_edges, max_edges;
    struct edge *edges; /* in the command's own block */
};

/* How the queue as a whole is awaited, besides the wait list. */
enum command_scope {
    SCOPE_LIST, /* the list only (an in-order queue orders anyway) */
    SCOPE_ALL   /* everything earlier in the queue */
};

/* A block of `size` bytes that begins with a struct command, zeroed. Makes the event. */
cl_int command_new(const struct command_ops *ops, size_t size, cl_command_queue queue,
                   cl_command_type type, cl_uint n_waits, struct command **out);
/* For a command that was never enqueued. */
void command_discard(struct command *cmd);
/* Links the command into the graph; it starts once nothing holds it. Takes the command over, also
 * on failure. With `blocking`, waits for its end. *event is set on success only. */
cl_int command_enqueue(struct command *cmd, enum command_scope scope, cl_uint n_waits,
                       const cl_event *waits, cl_event *event, bool blocking);
/* The only end of a command, under graph: queue and event forget it, work_run() frees it. */
void command_finish(struct command *cmd, cl_int status, struct work *work);
/* A ring command that has its place will run nothing there: nor will those behind it that name it,
 * and those that name them. Takes graph. */
void command_doom(struct command *cmd);
/* Runs a host command that is ready, and ends it. No lock held. */
void command_run(struct command *cmd, struct work *work);
/* Commands of the list `work` have run: release what they own, then finish them, in order.
 * status(cmd) says how each ended. */
void commands_end(struct list *commands, cl_int (*status)(struct command *cmd, void *arg),
                  void *arg, struct work *work);

/* Markers and barriers. */
cl_int marker_enqueue(cl_command_queue queue, cl_command_type type, bool barrier, cl_uint n_waits,
                      const cl_event *waits, cl_event *event);
/* A command that does nothing once what it waits for has ended. */
cl_int nothing_enqueue(cl_command_queue queue, cl_command_type type, cl_uint n_waits,
                       const cl_event *waits, cl_event *event);
/* A native kernel: args (owned by the call until return) is copied; mems are retained; slots[i] is
 * the offset in args of the pointer to mems[i]'s memory. */
cl_int native_enqueue(cl_command_queue queue, void(CL_CALLBACK *fn)(void *), const void *args,
                      size_t size, cl_uint n_mems, const cl_mem *mems, const void **slots,
                      cl_uint n_waits, const cl_event *waits, cl_event *event);

#endif
