/* The graph of events and commands, with commands made up here and no GPU at all: order, failure,
 * callbacks, lifetimes, and that the ledger is empty at the end.
 */
#include "fake_gpu.h"
#include "utest.h"

#include "src/core/command.h"
#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/queue.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

static cl_context ctx;
static cl_device_id dev;

static cl_command_queue new_queue(cl_command_queue_properties flags)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(ctx, dev, flags, &err);
    REQUIRE(err == CL_SUCCESS);
    return q;
}

/* A host command that calls a function. */
struct call {
    struct command base;
    cl_int (*fn)(void *arg);
    void *arg;
};

static cl_int call_run(struct command *cmd)
{
    struct call *c = (struct call *)cmd;
    return c->fn ? c->fn(c->arg) : CL_COMPLETE;
}

static atomic_uint releases;

static void call_release(struct command *cmd)
{
    atomic_fetch_add(&releases, 1);
}

static const struct command_ops call_ops = {
    .name = "call", .run = call_run, .release = call_release};

static cl_int call_enqueue(cl_command_queue q, cl_int (*fn)(void *), void *arg, bool quick,
                           cl_uint n, const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    cl_int err = command_new(&call_ops, sizeof(struct call), q, CL_COMMAND_NATIVE_KERNEL, n, &cmd);
    if (err)
        return err;
    ((struct call *)cmd)->fn = fn;
    ((struct call *)cmd)->arg = arg;
    cmd->quick = quick;
    return command_enqueue(cmd, SCOPE_LIST, n, waits, event, false);
}

static cl_int count_up(void *arg)
{
    atomic_fetch_add((atomic_uint *)arg, 1);
    return CL_COMPLETE;
}

static cl_int fail(void *arg)
{
    return -42;
}

static cl_int event_result(cl_event ev)
{
    cl_int s = 12345;
    clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL);
    return s;
}

/* A chain behind a user event: neither recursion nor quadratic time, neither forwards nor at
 * release. */
static void long_chain(unsigned n, bool set)
{
    cl_command_queue q = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_int err;
    atomic_uint ran = 0;
    cl_event gate = clCreateUserEvent(ctx, &err), last = gate;
    clRetainEvent(gate);
    for (unsigned i = 0; i < n; i++) {
        cl_event next;
        err = call_enqueue(q, count_up, &ran, true, 1, &last, &next);
        REQUIRE(err == CL_SUCCESS);
        clReleaseEvent(last);
        last = next;
    }
    CHECK(ran == 0);
    if (set)
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    clReleaseEvent(gate); /* unset: the chain fails */
    CHECK(clWaitForEvents(1, &last) ==
          (set ? CL_SUCCESS : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
    CHECKF(ran == (set ? n : 0), "%u of %u ran", ran, n);
    clReleaseEvent(last);
    clReleaseCommandQueue(q);
}

/* Random graphs on several queues against what each promises. */
enum { N_NODES = 600, N_QUEUES = 3 };
struct node {
    unsigned n_deps, deps[4];
    atomic_uint start, end; /* positions in the order of all starts and ends; 0 = not yet */
    unsigned queue;
    bool fails, must_fail, barrier, awaits_all;
    cl_event event;
};
static struct node nodes[N_NODES];
static atomic_uint position;

static cl_int node_run(void *arg)
{
    struct node *n = arg;
    n->start = atomic_fetch_add(&position, 1) + 1;
    if ((n - nodes) % 7 == 0)
        usleep(1);
    n->end = atomic_fetch_add(&position, 1) + 1;
    return n->fails ? -42 : CL_COMPLETE;
}

static void check_before(unsigned a, unsigned b)
{
    if (nodes[a].end && nodes[b].start)
        CHECKF(nodes[a].end < nodes[b].start, "%u before %u", a, b);
}

static void random_graph(unsigned seed)
{
    cl_command_queue queues[N_QUEUES] = {new_queue(0),
                                         new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
                                         new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
    cl_int err;
    cl_event gates[3];
    for (int i = 0; i < 3; i++)
        gates[i] = clCreateUserEvent(ctx, &err);
    position = 0;
    memset(nodes, 0, sizeof nodes);
    for (unsigned i = 0; i < N_NODES; i++) {
        struct node *n = &nodes[i];
        cl_event waits[5];
        unsigned n_waits = 0;
        n->queue = (unsigned)rand_r(&seed) % N_QUEUES;
        n->fails = rand_r(&seed) % 97 == 0;
        n->barrier = rand_r(&seed) % 23 == 0;
        for (unsigned d = 0; i && d < (unsigned)rand_r(&seed) % 4; d++) {
            unsigned at = i - 1 - (unsigned)rand_r(&seed) % (i < 50 ? i : 50);
            n->deps[n->n_deps++] = at;
            waits[n_waits++] = nodes[at].event;
            n->must_fail |= nodes[at].fails || nodes[at].must_fail;
        }
        if (rand_r(&seed) % 20 == 0)
            waits[n_waits++] = gates[rand_r(&seed) % 3];
        if (n->barrier) {
            n->fails = false;
            n->awaits_all = !n_waits;
            err = marker_enqueue(queues[n->queue], CL_COMMAND_BARRIER, true, n_waits,
                                 n_waits ? waits : NULL, &n->event);
        } else {
            err = call_enqueue(queues[n->queue], node_run, n, rand_r(&seed) % 2, n_waits, waits,
                               &n->event);
        }
        REQUIRE(err == CL_SUCCESS);
        if (i == N_NODES / 2)
            clSetUserEventStatus(gates[0], CL_COMPLETE);
    }
    clSetUserEventStatus(gates[2], CL_COMPLETE);
    clSetUserEventStatus(gates[1], CL_COMPLETE);
    for (int i = 0; i < N_QUEUES; i++)
        CHECK(clFinish(queues[i]) == CL_SUCCESS);
    for (unsigned i = 0; i < N_NODES; i++) {
        struct node *n = &nodes[i];
        cl_int s = event_result(n->event);
        CHECKF(s == (n->must_fail ? -14 : n->fails ? -42 : 0), "node %u: %d", i, s);
        CHECKF((n->start != 0) == (!n->must_fail && !n->barrier), "node %u", i);
        for (unsigned d = 0; d < n->n_deps; d++)
            check_before(n->deps[d], i);
    }
    for (unsigned q = 0; q < N_QUEUES; q++) {
        unsigned last = N_NODES, barrier = N_NODES;
        for (unsigned i = 0; i < N_NODES; i++) {
            if (nodes[i].queue != q)
                continue;
            if (q == 0 && last < N_NODES) /* in order */
                check_before(last, i);
            if (barrier < N_NODES)
                for (unsigned d = 0; d < nodes[barrier].n_deps; d++)
                    check_before(nodes[barrier].deps[d], i);
            if (barrier < N_NODES && nodes[barrier].awaits_all)
                for (unsigned j = 0; j < barrier; j++)
                    if (nodes[j].queue == q)
                        check_before(j, i);
            if (nodes[i].barrier)
                barrier = i;
            if (nodes[i].start)
                last = i;
        }
    }
    for (unsigned i = 0; i < N_NODES; i++) { /* in no particular order */
        unsigned at = (i * 7919) % N_NODES;
        CHECK(clReleaseEvent(nodes[at].event) == CL_SUCCESS);
    }
    for (int i = 0; i < 3; i++)
        clReleaseEvent(gates[i]);
    for (int i = 0; i < N_QUEUES; i++)
        clReleaseCommandQueue(queues[i]);
}

static void failure(void)
{
    cl_command_queue q = new_queue(0);
    cl_event bad, next, after, marker, listed;
    atomic_uint ran = 0;
    call_enqueue(q, fail, NULL, false, 0, NULL, &bad);
    call_enqueue(q, count_up, &ran, false, 1, &bad, &next);
    call_enqueue(q, count_up, &ran, false, 0, NULL, &after); /* only follows in order: runs */
    CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker) == CL_SUCCESS);
    CHECK(clEnqueueMarkerWithWaitList(q, 1, &next, &listed) == CL_SUCCESS);
    CHECK(clWaitForEvents(1, &after) == CL_SUCCESS);
    CHECK(clWaitForEvents(1, &marker) == CL_SUCCESS);
    CHECK(clWaitForEvents(1, &listed) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(event_result(bad) == -42);
    CHECK(event_result(next) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(ran == 1);
    /* It is not too late for an event that has failed already. */
    cl_event late;
    call_enqueue(q, count_up, &ran, false, 1, &bad, &late);
    CHECK(clWaitForEvents(1, &late) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && ran == 1);
    CHECK(clFinish(q) == CL_SUCCESS);
    cl_event all[] = {bad, next, after, marker, listed, late};
    for (unsigned i = 0; i < 6; i++)
        clReleaseEvent(all[i]);
    clReleaseCommandQueue(q);
}

/* Callbacks: once each, with the right status, in the order of states; they may enqueue and
 * release. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    cl_int seen[16];
    unsigned n;
} calls = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK note(cl_event ev, cl_int status, void *data)
{
    pthread_mutex_lock(&calls.lock);
    calls.seen[calls.n++] = status;
    pthread_cond_broadcast(&calls.changed);
    pthread_mutex_unlock(&calls.lock);
}

static void wait_calls(unsigned n)
{
    pthread_mutex_lock(&calls.lock);
    while (calls.n < n)
        pthread_cond_wait(&calls.changed, &calls.lock);
    CHECK(calls.n == n);
    calls.n = 0;
    pthread_mutex_unlock(&calls.lock);
}

static atomic_int links_left;

static void CL_CALLBACK enqueue_more(cl_event ev, cl_int status, void *data)
{
    cl_command_queue q = data;
    if (atomic_fetch_sub(&links_left, 1) > 1) {
        cl_event next;
        CHECK(call_enqueue(q, NULL, NULL, false, 1, &ev, &next) == CL_SUCCESS);
        CHECK(clSetEventCallback(next, CL_COMPLETE, enqueue_more, q) == CL_SUCCESS);
        CHECK(clFlush(q) == CL_SUCCESS);
        clReleaseEvent(next);
    } else {
        note(ev, status, NULL);
    }
}

static void callbacks(void)
{
    cl_int err;
    cl_command_queue q = new_queue(0);
    cl_event gate = clCreateUserEvent(ctx, &err), ev;
    call_enqueue(q, NULL, NULL, false, 1, &gate, &ev);
    CHECK(clSetEventCallback(ev, CL_COMPLETE, note, NULL) == CL_SUCCESS);
    CHECK(clSetEventCallback(ev, CL_RUNNING, note, NULL) == CL_SUCCESS);
    CHECK(clSetEventCallback(ev, CL_SUBMITTED, note, NULL) == CL_SUCCESS);
    CHECK(clSetEventCallback(ev, CL_QUEUED, note, NULL) == CL_INVALID_VALUE);
    CHECK(clSetEventCallback(ev, CL_COMPLETE, NULL, NULL) == CL_INVALID_VALUE);
    usleep(1000);
    CHECK(calls.n == 0);
    clSetUserEventStatus(gate, CL_COMPLETE);
    wait_calls(3);
    CHECK(calls.seen[0] == CL_SUBMITTED && calls.seen[1] == CL_RUNNING &&
          calls.seen[2] == CL_COMPLETE);
    CHECK(clSetEventCallback(ev, CL_RUNNING, note, NULL) == CL_SUCCESS); /* it has passed that */
    wait_calls(1);
    CHECK(calls.seen[0] == CL_RUNNING);
    clReleaseEvent(ev);
    clReleaseEvent(gate);
    /* An abnormal end tells all of them, although nobody holds the event any more. */
    gate = clCreateUserEvent(ctx, &err);
    call_enqueue(q, NULL, NULL, false, 1, &gate, &ev);
    clSetEventCallback(ev, CL_COMPLETE, note, NULL);
    clSetEventCallback(ev, CL_RUNNING, note, NULL);
    clReleaseEvent(ev);
    clSetUserEventStatus(gate, -7);
    wait_calls(2);
    CHECK(calls.seen[0] == -14 && calls.seen[1] == -14);
    clReleaseEvent(gate);
    /* Callbacks that enqueue the next command. */
    links_left = 1000;
    call_enqueue(q, NULL, NULL, false, 0, NULL, &ev);
    clSetEventCallback(ev, CL_COMPLETE, enqueue_more, q);
    clReleaseEvent(ev);
    wait_calls(1);
    clReleaseCommandQueue(q);
}

static void user_events(void)
{
    cl_int err;
    cl_event u = clCreateUserEvent(ctx, &err);
    CHECK(event_result(u) == CL_SUBMITTED);
    CHECK(clSetUserEventStatus(u, 1) == CL_INVALID_VALUE);
    CHECK(clSetUserEventStatus(u, -5) == CL_SUCCESS);
    CHECK(clSetUserEventStatus(u, CL_COMPLETE) == CL_INVALID_OPERATION);
    CHECK(clWaitForEvents(1, &u) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    clReleaseEvent(u);
    /* clFlush and a release of a gated queue return; others go on. */
    cl_command_queue q = new_queue(0), other = new_queue(0);
    u = clCreateUserEvent(ctx, &err);
    cl_event ev;
    atomic_uint ran = 0;
    call_enqueue(q, count_up, &ran, false, 1, &u, &ev);
    CHECK(clFlush(q) == CL_SUCCESS);
    clReleaseCommandQueue(q);
    call_enqueue(other, count_up, &ran, false, 0, NULL, NULL);
    CHECK(clFinish(other) == CL_SUCCESS && ran == 1);
    CHECK(clSetUserEventStatus(ev, CL_COMPLETE) == CL_INVALID_EVENT);
    cl_command_queue named;
    CHECK(clGetEventInfo(ev, CL_EVENT_COMMAND_QUEUE, sizeof named, &named, NULL) == CL_SUCCESS);
    CHECK(named == q && clRetainCommandQueue(named) == CL_SUCCESS);
    clReleaseEvent(u); /* unset */
    CHECK(clWaitForEvents(1, &ev) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && ran == 1);
    clReleaseEvent(ev);
    CHECK(clReleaseCommandQueue(named) == CL_SUCCESS);
    clReleaseCommandQueue(other);
}

/* Order of a queue's commands as seen from outside: a marker without a list waits for all earlier
 * ones, passes no barrier, and holds up nothing. */
static void markers(void)
{
    cl_int err;
    cl_command_queue q = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event gate = clCreateUserEvent(ctx, &err), marker, barrier, later, ev;
    atomic_uint ran = 0;
    call_enqueue(q, count_up, &ran, false, 1, &gate, &ev);
    CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker) == CL_SUCCESS);
    call_enqueue(q, count_up, &ran, false, 0, NULL, &later);
    CHECK(clWaitForEvents(1, &later) == CL_SUCCESS && ran == 1);
    CHECK(event_result(marker) > CL_COMPLETE);
    clReleaseEvent(later);
    CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, &barrier) == CL_SUCCESS);
    call_enqueue(q, count_up, &ran, false, 0, NULL, &later);
    usleep(2000);
    CHECK(ran == 1 && event_result(later) == CL_QUEUED);
    clSetUserEventStatus(gate, CL_COMPLETE);
    cl_event all[] = {ev, marker, barrier, later};
    CHECK(clWaitForEvents(4, all) == CL_SUCCESS && ran == 3);
    for (unsigned i = 0; i < 4; i++)
        clReleaseEvent(all[i]);
    clReleaseEvent(gate);
    clReleaseCommandQueue(q);
}

/* What a command owns is given up before its event is seen to be complete. */
static void nothing_kept(void)
{
    cl_command_queue q = new_queue(0);
    cl_event ev;
    for (unsigned i = 0; i < 200; i++) {
        unsigned before = releases;
        call_enqueue(q, NULL, NULL, i % 2, 0, NULL, &ev);
        clWaitForEvents(1, &ev);
        CHECK(releases == before + 1);
        clReleaseEvent(ev);
    }
    clReleaseCommandQueue(q);
}

static void *enqueue_many(void *arg)
{
    cl_command_queue q = arg;
    unsigned seed = (unsigned)(uintptr_t)&q;
    cl_event last = NULL;
    for (unsigned i = 0; i < 3000; i++) {
        cl_event ev;
        REQUIRE(call_enqueue(q, NULL, NULL, rand_r(&seed) % 2, last ? 1 : 0, last ? &last : NULL,
                             &ev) == CL_SUCCESS);
        if (last)
            clReleaseEvent(last);
        last = ev;
        if (rand_r(&seed) % 50 == 0)
            clWaitForEvents(1, &last);
        if (rand_r(&seed) % 100 == 0)
            clFinish(q);
    }
    clWaitForEvents(1, &last);
    clReleaseEvent(last);
    return NULL;
}

static void threads(void)
{
    cl_command_queue q = new_queue(0), o = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    pthread_t t[4];
    for (unsigned i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, enqueue_many, i % 2 ? q : o);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    clReleaseCommandQueue(q);
    clReleaseCommandQueue(o);
}

int main(void)
{
    cl_platform_id platform;
    cl_int err;
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(ctx && !err);
    user_events();
    failure();
    callbacks();
    markers();
    nothing_kept();
    for (unsigned seed = 1; seed <= 20; seed++)
        random_graph(seed);
    threads();
    long_chain(1000000, true);
    long_chain(300000, false);
    CHECK(clReleaseContext(ctx) == CL_SUCCESS);
    /* The threads may still be putting down what they held. */
    for (int i = 0; i < 1000 && object_live(OBJECT_CONTEXT); i++)
        usleep(1000);
    for (int k = OBJECT_CONTEXT; k < OBJECT_N_KINDS; k++)
        CHECKF(object_live(k) == 0, "kind %d: %u alive", k, object_live(k));
    CHECK(dev->budget.n_active == 0 && dev->budget.n_gated == 0);
    return utest_end();
}
