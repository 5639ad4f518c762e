/* Ten thousand random commands of several threads, on an in-order and two out-of-order queues that
 * all share: kernels, copies, fills, writes, reads, native kernels, mappings, markers, barriers;
 * user events that hold some back, and some of those fail. A thread's words of memory are its own,
 * and each command waits for the event of the last that touched its words: so every outcome is that
 * of the thread's commands one after the other, which is what is computed here meanwhile. A command
 * that waits for a failed one has no effect and ends with an error; callbacks tell each end once.
 */
#include "clu.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, WORDS = 12, COMMANDS = 2500, READS = 400, GATES = 40, QUEUES = 3 };

static cl_command_queue queues[QUEUES];
static cl_program program;

struct command {
    cl_event event;
    cl_int expected; /* status at the end; 1: any error */
    int calls;       /* of its callback */
    cl_int told;
};

struct thread {
    unsigned seed;
    cl_mem m;
    cl_kernel k;
    cl_uint model[WORDS];
    cl_event last[WORDS]; /* retained: the last live command on the word; NULL */
    struct command commands[COMMANDS];
    cl_uint writes[COMMANDS]; /* what non-blocking writes read */
    struct {
        cl_uint got, expected;
        struct command *by;
    } reads[READS];
    unsigned n_reads;
    cl_event gates[GATES]; /* unset user events */
    bool gate_fails[GATES];
    unsigned n_gates;
    pthread_t id;
};
static struct thread threads[THREADS];

static unsigned pick(struct thread *t, unsigned n)
{
    t->seed = t->seed * 1664525 + 1013904223;
    return (t->seed >> 8) % n;
}

static void CL_CALLBACK ended(cl_event e, cl_int status, void *data)
{
    struct command *c = data;
    (void)e;
    __atomic_store_n(&c->told, status, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->calls, 1, __ATOMIC_RELEASE);
}

struct native {
    cl_uint *memory;
    cl_uint word, add;
};

static void CL_CALLBACK native(void *args)
{
    struct native *n = args;
    n->memory[n->word] += n->add;
}

static void open_gates(struct thread *t)
{
    for (unsigned i = 0; i < t->n_gates; i++) {
        CL(clSetUserEventStatus(t->gates[i], t->gate_fails[i] ? -5 : CL_COMPLETE));
        CL(clReleaseEvent(t->gates[i]));
    }
    t->n_gates = 0;
}

/* The last command on a word is now c, if it lives. */
static void touch(struct thread *t, unsigned word, const struct command *c)
{
    if (c->expected)
        return;
    if (t->last[word])
        CL(clReleaseEvent(t->last[word]));
    t->last[word] = c->event;
    CL(clRetainEvent(c->event));
}

enum kind { KERNEL, COPY, FILL, WRITE, READ, NATIVE, MAP, MARKER, BARRIER, N_KINDS };

static void enqueue(struct thread *t, struct command *c, unsigned i)
{
    enum kind kind = pick(t, N_KINDS);
    unsigned a = pick(t, WORDS), b = (a + 1 + pick(t, WORDS - 1)) % WORDS;
    cl_command_queue q = queues[pick(t, QUEUES)];
    cl_event waits[3];
    cl_uint n = 0, v = pick(t, 1000) + 1;
    if (t->last[a])
        waits[n++] = t->last[a];
    if (kind == COPY && t->last[b])
        waits[n++] = t->last[b];
    if (pick(t, 25) == 0 && t->n_gates < GATES) { /* held back, and perhaps never to run */
        cl_int e;
        bool fails = pick(t, 4) == 0;
        cl_event gate = clCreateUserEvent(clu_context, &e);
        CL(e);
        t->gates[t->n_gates] = gate;
        t->gate_fails[t->n_gates++] = fails;
        waits[n++] = gate;
        c->expected = fails;
    }
    const cl_event *w = n ? waits : NULL;
    bool live = !c->expected;
    size_t at = a * 4, from = b * 4, one = 1;
    void *p;
    cl_int e = CL_SUCCESS;
    switch (kind) {
    case KERNEL:
        CL(clSetKernelArg(t->k, 1, 4, &a));
        CL(clSetKernelArg(t->k, 2, 4, &v));
        CL(clEnqueueNDRangeKernel(q, t->k, 1, NULL, &one, NULL, n, w, &c->event));
        if (live)
            t->model[a] = t->model[a] * 3 + v;
        break;
    case COPY:
        CL(clEnqueueCopyBuffer(q, t->m, t->m, from, at, 4, n, w, &c->event));
        if (live)
            t->model[a] = t->model[b];
        touch(t, b, c);
        break;
    case FILL:
        CL(clEnqueueFillBuffer(q, t->m, &v, 4, at, 4, n, w, &c->event));
        if (live)
            t->model[a] = v;
        break;
    case WRITE:
        t->writes[i] = v;
        CL(clEnqueueWriteBuffer(q, t->m, CL_FALSE, at, 4, &t->writes[i], n, w, &c->event));
        if (live)
            t->model[a] = v;
        break;
    case READ:
        if (t->n_reads == READS)
            t->n_reads--; /* the last place again: the command is real, the value isn't looked at */
        t->reads[t->n_reads].expected = live ? t->model[a] : 0;
        t->reads[t->n_reads].by = c;
        CL(clEnqueueReadBuffer(q, t->m, CL_FALSE, at, 4, &t->reads[t->n_reads].got, n, w,
                               &c->event));
        t->n_reads++;
        break;
    case NATIVE: {
        struct native args = {.word = a, .add = v};
        const void *slot = &args.memory;
        CL(clEnqueueNativeKernel(q, native, &args, sizeof args, 1, &t->m, &slot, n, w, &c->event));
        if (live)
            t->model[a] += v;
        break;
    }
    case MAP: /* no effect of its own */
        p = clEnqueueMapBuffer(q, t->m, CL_FALSE, CL_MAP_READ, at, 4, n, w, &c->event, &e);
        CL(e);
        touch(t, a, c);
        CL(clEnqueueUnmapMemObject(q, t->m, p, 1, &c->event, NULL));
        return;
    case MARKER:
    case BARRIER:
        e = kind == MARKER ? clEnqueueMarkerWithWaitList(q, n, w, &c->event)
                           : clEnqueueBarrierWithWaitList(q, n, w, &c->event);
        CL(e);
        if (!n)
            c->expected = 2; /* it also waits for what others have in the queue */
        return;
    case N_KINDS:
        break;
    }
    touch(t, a, c);
}

static void *run(void *arg)
{
    struct thread *t = arg;
    for (unsigned i = 0; i < COMMANDS; i++) {
        struct command *c = &t->commands[i];
        enqueue(t, c, i);
        CL(clSetEventCallback(c->event, CL_COMPLETE, ended, c));
        if (pick(t, 100) == 0)
            open_gates(t);
        if (pick(t, 300) == 0) { /* with all gates open nothing waits for ever */
            open_gates(t);
            CL(clFlush(queues[pick(t, QUEUES)]));
            clWaitForEvents(1, &c->event);
        }
    }
    open_gates(t);
    return NULL;
}

static void check(struct thread *t)
{
    cl_uint memory[WORDS];
    CL(clEnqueueReadBuffer(queues[0], t->m, CL_TRUE, 0, sizeof memory, memory, 0, NULL, NULL));
    for (unsigned i = 0; i < WORDS; i++)
        CHECKF(memory[i] == t->model[i], "word %u: %u instead of %u", i, memory[i], t->model[i]);
    for (unsigned i = 0; i < t->n_reads; i++)
        CHECKF(t->reads[i].got == t->reads[i].expected || t->reads[i].by->expected ||
                   i == READS - 1,
               "read %u: %u instead of %u", i, t->reads[i].got, t->reads[i].expected);
    for (unsigned i = 0; i < COMMANDS; i++) {
        struct command *c = &t->commands[i];
        cl_int status;
        CL(clGetEventInfo(c->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                          NULL));
        if (c->expected != 2)
            CHECKF(c->expected ? status < 0 : status == CL_COMPLETE, "command %u: %d", i, status);
        for (unsigned spin = 0; !__atomic_load_n(&c->calls, __ATOMIC_ACQUIRE) && spin < 5000;
             spin++)
            usleep(1000);
        CHECKF(c->calls == 1 && c->told == status, "command %u: %d calls, told %d", i, c->calls,
               c->told);
        cl_uint refs;
        CL(clGetEventInfo(c->event, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
        bool last = false;
        for (unsigned w = 0; w < WORDS; w++)
            last |= t->last[w] == c->event;
        CHECKF(refs == 1 || last, "command %u: %u references", i, refs);
        CL(clReleaseEvent(c->event));
    }
    for (unsigned i = 0; i < WORDS; i++)
        if (t->last[i])
            CL(clReleaseEvent(t->last[i]));
    CL(clReleaseKernel(t->k));
    CL(clReleaseMemObject(t->m));
}

int main(void)
{
    cl_int e;
    clu_open();
    for (unsigned i = 0; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueue(clu_context, clu_device,
                                         i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &e);
        CL(e);
    }
    program = clu_build(
        "kernel void k(global uint *p, uint word, uint add) { p[word] = p[word] * 3 + add; }", "");
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread *t = &threads[i];
        t->seed = i + 1;
        t->m = clu_buffer(sizeof t->model, t->model);
        t->k = clu_kernel(program, "k");
        clu_arg_mem(t->k, 0, t->m);
    }
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(!pthread_create(&threads[i].id, NULL, run, &threads[i]));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i].id, NULL);
    for (unsigned i = 0; i < QUEUES; i++)
        CL(clFinish(queues[i]));
    for (unsigned i = 0; i < THREADS; i++)
        check(&threads[i]);
    for (unsigned i = 0; i < QUEUES; i++)
        CL(clReleaseCommandQueue(queues[i]));
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
