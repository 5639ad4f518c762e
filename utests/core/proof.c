/* Ten thousand random commands against what the specification says of them: kernels and copies on a
 * made-up GPU, native kernels, markers and barriers; on queues of both kinds in two contexts;
 * enqueued by several threads and by callbacks; behind user events that are set, fail, or are
 * forgotten; their events, buffers, queues and contexts released at random times. Checked of each:
 * how it ended, that it ran if and only if nothing that it waited for had failed, after all that it
 * had to follow and nothing earlier, that its states fell and were told once each, and that its
 * times rise. Nothing is alive at the end.
 */
#include "fake_kernels.h"

#include "src/core/device.h"

#include <CL/cl.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    N_CONTEXTS = 2,
    N_QUEUES = 4,
    N_THREADS = 4,
    N_NODES = 10000,
    N_GATES = 24,
    MAX_DEPS = 4,
    POOL = 64,
    MEMORY = 8
};

enum kind { KERNEL, COPY, NATIVE, MARKER, BARRIER };

struct dep {
    struct node *node; /* NULL: a user event */
    bool fails;        /* the user event's fate */
};
struct node {
    enum kind kind;
    unsigned context, queue;
    unsigned n_deps;
    struct dep deps[MAX_DEPS];
    unsigned ticket;         /* position among all enqueues, taken under its queue's lock */
    bool awaits_all;         /* of its queue */
    atomic_uint start, end;  /* positions in the order of all starts and ends; 0: did not run */
    atomic_int ended, calls; /* status that a callback told, how many calls */
    atomic_int state;        /* the last one told */
    atomic_bool bad_state;   /* states have risen */
    cl_ulong times[4];       /* 0: not profiled */
    bool timed;
    cl_event event; /* until checked or released */
    unsigned floor; /* check: all that it had to follow has ended by then */
    bool fails;
};
static struct node nodes[N_NODES];
static struct node *by_ticket[N_NODES];
static atomic_uint n_nodes, tickets, position, n_enqueued, n_ended;

struct queue {
    pthread_mutex_t lock; /* the order of its nodes is that of their tickets */
    cl_command_queue cl;
    bool in_order;
};
static struct context {
    cl_context cl;
    cl_program program;
    struct queue queues[N_QUEUES];
    cl_mem memory[MEMORY];
    pthread_mutex_t lock;
    struct node *pool[POOL]; /* lock; with their events retained in pool_events */
    cl_event pool_events[POOL];
    struct {
        cl_event event; /* NULL: none */
        bool fails;     /* when it is set; else it is set to complete */
        bool forgotten; /* released instead of set */
    } gates[N_GATES];   /* lock */
} contexts[N_CONTEXTS];
static cl_device_id dev;

static void run_node(const struct fake_launch *l)
{
    struct node *n = &nodes[push_u32(l, 0)];
    atomic_store(&n->start, atomic_fetch_add(&position, 1) + 1);
    atomic_store(&n->end, atomic_fetch_add(&position, 1) + 1);
}

static void CL_CALLBACK run_native(void *args)
{
    struct node *n = &nodes[*(unsigned *)args];
    atomic_store(&n->start, atomic_fetch_add(&position, 1) + 1);
    if (*(unsigned *)args % 64 == 0)
        usleep(10);
    atomic_store(&n->end, atomic_fetch_add(&position, 1) + 1);
}

static void enqueue(unsigned *seed, unsigned c, struct node *after, cl_event after_event);

static void CL_CALLBACK on_state(cl_event ev, cl_int status, void *data)
{
    struct node *n = data;
    if (status > atomic_load(&n->state))
        atomic_store(&n->bad_state, true);
    atomic_store(&n->state, status);
}

static void CL_CALLBACK on_end(cl_event ev, cl_int status, void *data)
{
    struct node *n = data;
    unsigned seed = n->ticket + 77;
    on_state(ev, status, data);
    atomic_store(&n->ended, status);
    if (atomic_fetch_add(&n->calls, 1) == 0) {
        n->timed = true;
        for (unsigned i = 0; i < 4; i++)
            n->timed &= !clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_QUEUED + i, 8,
                                                 &n->times[i], NULL);
        if (rand_r(&seed) % 4 == 0)
            enqueue(&seed, n->context, n, ev);
    }
    atomic_fetch_add(&n_ended, 1);
}

static void add_dep(struct node *n, cl_event *waits, cl_event ev, struct node *of, bool fails)
{
    clRetainEvent(ev);
    waits[n->n_deps] = ev;
    n->deps[n->n_deps++] = (struct dep){of, fails};
}

/* Something to wait for: what somebody has enqueued, and user events. */
static void choose_deps(unsigned *seed, struct context *ctx, struct node *n, cl_event *waits)
{
    cl_int err;
    pthread_mutex_lock(&ctx->lock);
    while (n->n_deps < MAX_DEPS - 1 && rand_r(seed) % 3) {
        unsigned at = rand_r(seed) % POOL;
        if (ctx->pool[at])
            add_dep(n, waits, ctx->pool_events[at], ctx->pool[at], false);
    }
    unsigned g = rand_r(seed) % (N_GATES * 8);
    if (g < N_GATES) {
        if (!ctx->gates[g].event) {
            ctx->gates[g].event = clCreateUserEvent(ctx->cl, &err);
            REQUIRE(!err);
            ctx->gates[g].forgotten = rand_r(seed) % 8 == 0;
            ctx->gates[g].fails = ctx->gates[g].forgotten || rand_r(seed) % 8 == 0;
        }
        /* A forgotten one is the application's no longer, so it has one reference: waits[] must not
         * hold it up. */
        waits[n->n_deps] = ctx->gates[g].event;
        clRetainEvent(ctx->gates[g].event);
        n->deps[n->n_deps++] = (struct dep){NULL, ctx->gates[g].fails};
    }
    pthread_mutex_unlock(&ctx->lock);
}

/* Sets a user event, or forgets it. */
static void open_gate(struct context *ctx, unsigned g)
{
    pthread_mutex_lock(&ctx->lock);
    cl_event ev = ctx->gates[g].event;
    bool fails = ctx->gates[g].fails, forgotten = ctx->gates[g].forgotten;
    ctx->gates[g].event = NULL;
    pthread_mutex_unlock(&ctx->lock);
    if (!ev)
        return;
    if (!forgotten)
        REQUIRE(clSetUserEventStatus(ev, fails ? -7 : CL_COMPLETE) == CL_SUCCESS);
    clReleaseEvent(ev);
}

/* Puts its event where others find it, in place of another. */
static void publish(unsigned *seed, struct context *ctx, struct node *n)
{
    unsigned at = rand_r(seed) % POOL;
    clRetainEvent(n->event);
    pthread_mutex_lock(&ctx->lock);
    cl_event old = ctx->pool_events[at];
    ctx->pool[at] = n;
    ctx->pool_events[at] = n->event;
    pthread_mutex_unlock(&ctx->lock);
    if (old)
        clReleaseEvent(old);
}

static cl_int enqueue_kernel(unsigned *seed, struct context *ctx, cl_command_queue q,
                             unsigned index, cl_uint n_waits, const cl_event *waits, cl_event *ev)
{
    cl_int err;
    size_t one = 1;
    cl_kernel k = clCreateKernel(ctx->program, "node", &err);
    REQUIRE(!err);
    cl_mem m = ctx->memory[rand_r(seed) % MEMORY];
    bool fresh = rand_r(seed) % 8 == 0;
    if (fresh)
        m = clCreateBuffer(ctx->cl, 0, 4096, NULL, &err);
    clSetKernelArg(k, 0, sizeof m, &m);
    clSetKernelArg(k, 1, 4, &index);
    err = clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, n_waits, waits, ev);
    if (fresh)
        clReleaseMemObject(m);
    clReleaseKernel(k);
    return err;
}

static void enqueue(unsigned *seed, unsigned c, struct node *after, cl_event after_event)
{
    struct context *ctx = &contexts[c];
    unsigned index = atomic_fetch_add(&n_nodes, 1);
    if (index >= N_NODES)
        return;
    struct node *n = &nodes[index];
    cl_event waits[MAX_DEPS + 1];
    n->context = c;
    n->queue = rand_r(seed) % N_QUEUES;
    atomic_store(&n->state, CL_QUEUED);
    if (after)
        add_dep(n, waits, after_event, after, false);
    choose_deps(seed, ctx, n, waits);
    static const enum kind kinds[] = {KERNEL, KERNEL, KERNEL, KERNEL, COPY,
                                      NATIVE, NATIVE, MARKER, BARRIER};
    n->kind = kinds[rand_r(seed) % (sizeof kinds / sizeof *kinds)];
    struct queue *q = &ctx->queues[n->queue];
    const cl_event *w = n->n_deps ? waits : NULL;
    cl_int err = CL_SUCCESS;
    cl_mem m = n->kind == COPY ? clCreateBuffer(ctx->cl, 0, 4096, NULL, &err) : NULL;
    REQUIRE(!err);
    pthread_mutex_lock(&q->lock);
    n->ticket = atomic_fetch_add(&tickets, 1);
    by_ticket[n->ticket] = n;
    switch (n->kind) {
    case KERNEL:
        err = enqueue_kernel(seed, ctx, q->cl, index, n->n_deps, w, &n->event);
        break;
    case COPY:
        err = clEnqueueCopyBuffer(q->cl, m, m, 0, 2048, 1 + rand_r(seed) % 2048, n->n_deps, w,
                                  &n->event);
        break;
    case NATIVE:
        err = clEnqueueNativeKernel(q->cl, run_native, &index, sizeof index, 0, NULL, NULL,
                                    n->n_deps, w, &n->event);
        break;
    case MARKER:
        n->awaits_all = !n->n_deps;
        err = clEnqueueMarkerWithWaitList(q->cl, n->n_deps, w, &n->event);
        break;
    case BARRIER:
        n->awaits_all = !n->n_deps;
        err = clEnqueueBarrierWithWaitList(q->cl, n->n_deps, w, &n->event);
        break;
    }
    pthread_mutex_unlock(&q->lock);
    REQUIRE(err == CL_SUCCESS);
    if (m)
        clReleaseMemObject(m);
    for (unsigned i = 0; i < n->n_deps; i++)
        clReleaseEvent(waits[i]);
    if (rand_r(seed) % 4 == 0) {
        clSetEventCallback(n->event, CL_SUBMITTED, on_state, n);
        clSetEventCallback(n->event, CL_RUNNING, on_state, n);
    }
    publish(seed, ctx, n);
    cl_event ev = n->event;
    REQUIRE(clSetEventCallback(ev, CL_COMPLETE, on_end, n) == CL_SUCCESS);
    clReleaseEvent(ev);
    atomic_fetch_add(&n_enqueued, 1);
}

static void *thread_main(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    while (atomic_load(&n_nodes) < N_NODES) {
        unsigned c = rand_r(&seed) % N_CONTEXTS;
        enqueue(&seed, c, NULL, NULL);
        if (rand_r(&seed) % 20 == 0)
            open_gate(&contexts[c], rand_r(&seed) % N_GATES);
        if (rand_r(&seed) % 200 == 0) { /* waits for something that nobody holds up */
            for (unsigned g = 0; g < N_GATES; g++)
                open_gate(&contexts[c], g);
        }
        if (rand_r(&seed) % 100 == 0)
            clFlush(contexts[c].queues[rand_r(&seed) % N_QUEUES].cl);
    }
    return NULL;
}

static cl_program new_program(cl_context ctx)
{
    static const uint8_t kinds[] = {KBIN_ARG_GLOBAL, KBIN_ARG_VALUE};
    const struct gen_device *hw = gen_device_by_name("hsw-gt2");
    struct kbin k = {.gen = hw->gen,
                     .quirks = hw->quirks,
                     .pointer_bits = hw->pointer_bits,
                     .type = 4,
                     .n_kernels = 1};
    uint8_t *image;
    size_t size;
    const char *why;
    cl_int err;
    k.kernels = calloc(1, sizeof *k.kernels);
    describe(&k.kernels[0], "node", false, 2, kinds);
    REQUIRE(kbin_write(&k, &image, &size, &why));
    kbin_fini(&k);
    fake_gpu_kernel("node", run_node);
    cl_program p =
        clCreateProgramWithBinary(ctx, 1, &dev, &size, (const unsigned char **)&image, NULL, &err);
    REQUIRE(!err && !clBuildProgram(p, 0, NULL, "", NULL, NULL));
    free(image);
    return p;
}

static void open_contexts(void)
{
    cl_int err;
    for (unsigned c = 0; c < N_CONTEXTS; c++) {
        struct context *ctx = &contexts[c];
        memset(ctx, 0, sizeof *ctx);
        pthread_mutex_init(&ctx->lock, NULL);
        ctx->cl = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
        REQUIRE(!err);
        ctx->program = new_program(ctx->cl);
        for (unsigned i = 0; i < MEMORY; i++)
            ctx->memory[i] = clCreateBuffer(ctx->cl, 0, 4096, NULL, &err);
        for (unsigned i = 0; i < N_QUEUES; i++) {
            struct queue *q = &ctx->queues[i];
            pthread_mutex_init(&q->lock, NULL);
            q->in_order = i % 2 == 0;
            q->cl =
                clCreateCommandQueue(ctx->cl, dev,
                                     (q->in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) |
                                         (i < 2 ? CL_QUEUE_PROFILING_ENABLE : 0),
                                     &err);
            REQUIRE(!err);
        }
    }
}

/* Everything that the application holds, with work still under way. */
static void close_contexts(void)
{
    for (unsigned c = 0; c < N_CONTEXTS; c++) {
        struct context *ctx = &contexts[c];
        for (unsigned i = 0; i < POOL; i++)
            if (ctx->pool_events[i])
                clReleaseEvent(ctx->pool_events[i]);
        for (unsigned i = 0; i < MEMORY; i++)
            clReleaseMemObject(ctx->memory[i]);
        for (unsigned i = 0; i < N_QUEUES; i++)
            clReleaseCommandQueue(ctx->queues[i].cl);
        clReleaseProgram(ctx->program);
        clReleaseContext(ctx->cl);
    }
}

/* In the order of the enqueues: how each had to end, and what had to end before it. */
static void check(void)
{
    static unsigned last[N_CONTEXTS][N_QUEUES], barrier[N_CONTEXTS][N_QUEUES];
    static cl_ulong last_time[N_CONTEXTS][N_QUEUES];
    memset(last, 0, sizeof last);
    memset(barrier, 0, sizeof barrier);
    memset(last_time, 0, sizeof last_time);
    unsigned n_failed = 0, n_ran = 0;
    for (unsigned i = 0; i < N_NODES; i++) {
        struct node *n = by_ticket[i];
        bool in_order = contexts[n->context].queues[n->queue].in_order;
        unsigned *all = &last[n->context][n->queue], *wall = &barrier[n->context][n->queue];
        cl_ulong after = 0;
        n->floor = in_order || n->awaits_all ? *all : *wall;
        for (unsigned d = 0; d < n->n_deps; d++) {
            const struct node *dep = n->deps[d].node;
            n->fails |= dep ? dep->fails : n->deps[d].fails;
            if (dep && dep->floor > n->floor)
                n->floor = dep->floor;
            if (dep && dep->timed && dep->times[3] > after)
                after = dep->times[3];
        }
        if (in_order && last_time[n->context][n->queue] > after)
            after = last_time[n->context][n->queue];
        unsigned start = n->start, end = n->end;
        bool runs = !n->fails && (n->kind == KERNEL || n->kind == NATIVE);
        CHECKF(n->calls == 1, "%u: %d calls", i, n->calls);
        CHECKF(n->ended == (n->fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE),
               "%u, kind %d: ended with %d", i, n->kind, n->ended);
        CHECKF(!n->bad_state, "%u: its states have risen", i);
        CHECKF((start != 0) == runs && (end != 0) == runs, "%u, kind %d: ran %u", i, n->kind,
               start);
        if (runs) {
            CHECKF(start > n->floor, "%u, kind %d: starts at %u, before %u", i, n->kind, start,
                   n->floor);
            n->floor = end;
            n_ran++;
        }
        if (n->timed) {
            const cl_ulong *t = n->times;
            CHECKF(!n->fails && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3], "%u: times", i);
            CHECKF(t[2] >= after, "%u, kind %d: starts %llu ns too early", i, n->kind,
                   (unsigned long long)(after - t[2]));
            last_time[n->context][n->queue] = t[3];
        } else {
            CHECKF(n->fails || n->queue >= 2, "%u: no times", i);
        }
        if (n->kind == BARRIER && n->floor > *wall)
            *wall = n->floor;
        if (n->floor > *all)
            *all = n->floor;
        n_failed += n->fails;
    }
    CHECKF(n_failed > N_NODES / 50 && n_ran > N_NODES / 10, "%u failed, %u ran", n_failed, n_ran);
}

static void open_gates(void)
{
    for (unsigned c = 0; c < N_CONTEXTS; c++)
        for (unsigned g = 0; g < N_GATES; g++)
            open_gate(&contexts[c], g);
}

static void prove(unsigned seed)
{
    memset(nodes, 0, sizeof nodes);
    atomic_store(&n_nodes, 0);
    atomic_store(&tickets, 0);
    atomic_store(&position, 0);
    atomic_store(&n_enqueued, 0);
    atomic_store(&n_ended, 0);
    open_contexts();
    pthread_t threads[N_THREADS];
    for (uintptr_t i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, thread_main, (void *)(seed * 100 + i));
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    open_gates();
    while (atomic_load(&n_enqueued) < N_NODES) { /* callbacks still enqueue */
        usleep(100);
        open_gates();
    }
    close_contexts();
    for (unsigned i = 0; i < 60000 && atomic_load(&n_ended) < N_NODES; i++)
        usleep(1000);
    CHECKF(n_ended == N_NODES, "%u of %u have ended", n_ended, N_NODES);
    check();
    for (unsigned i = 0; i < 5000 && (object_live(OBJECT_CONTEXT) || fake_gpu_live_bos()); i++)
        usleep(1000); /* the threads may still be putting down what they held */
    for (int k = OBJECT_CONTEXT; k < OBJECT_N_KINDS; k++)
        CHECKF(object_live(k) == 0, "kind %d: %u alive", k, object_live(k));
    CHECKF(fake_gpu_live_bos() == 0, "%u buffer objects", fake_gpu_live_bos());
    CHECK(dev->budget.n_active == 0 && dev->budget.n_gated == 0 && dev->budget.forgotten == 0);
}

/* usage: proof [SEED NUMBER]: so many further seeds, from that on. */
int main(int argc, char **argv)
{
    cl_platform_id platform;
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    prove(1);
    fake_gpu_batch_size(3);
    prove(2);
    fake_gpu_batch_size(256);
    fake_gpu_delay(100);
    prove(3);
    unsigned first = argc > 2 ? (unsigned)atoi(argv[1]) : 0,
             n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    for (unsigned i = 0; i < n && !utest_failures; i++) {
        fake_gpu_batch_size(1 + (first + i) % 40);
        fake_gpu_delay((first + i) % 3 * 50);
        prove(first + i);
    }
    return utest_end();
}
