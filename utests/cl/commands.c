/* Ten thousand random commands of several threads, on an in-order and two out-of-order queues that
 * all share: kernels, copies, fills, writes, reads, native kernels, mappings, markers, barriers;
 * user events that hold some back, and some of those fail. A thread's words of memory are its own,
 * and each command waits for the event of the last that touched its words: so every outcome is that
 * of the thread's commands one after the other, which is computed afterwards. A command that waits
 * for a failed one has no effect and ends with an error; callbacks tell each end once.
 *
 * usage: commands [interrupted|failing|hung] [SEED]. Interrupted, every few ioctls give EINTR or
 * EAGAIN, and nothing of that is noticed. Failing, any of them may give any error: a call or an
 * event then says so, its dependents fail, all else is right, and in the end everything works as at
 * first. The program's own ioctl() does it (it is linked so that it comes before libc's and
 * gensim's). Hung, it is gensim that lets batches hang. What the kernel driver had already been
 * given behind such a batch it then still runs.
 */
#include "clu.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, WORDS = 12, COMMANDS = 2500, GATES = 40, QUEUES = 3 };

static cl_command_queue queues[QUEUES];
static cl_program program;

enum kind { KERNEL, COPY, FILL, WRITE, READ, NATIVE, MAP, MARKER, BARRIER, N_KINDS };
/* What a command's wait list alone lets it do. */
enum fate {
    LIVES,
    DIES,  /* a user event fails */
    UNSAID /* it waits for what other threads have in the queue */
};

struct command {
    enum kind kind;
    enum fate fate;
    unsigned to, from; /* words */
    cl_uint value, got;
    cl_event event;                /* NULL: the call failed */
    const struct command *deps[2]; /* NULL: none */
    cl_int status;                 /* at the end */
    int calls;                     /* of its callback */
    cl_int told;
};

struct thread {
    unsigned seed;
    cl_mem m;
    cl_kernel k;
    struct command commands[COMMANDS];
    const struct command *last[WORDS]; /* its event retained: the last that touches the word */
    cl_event gates[GATES];             /* unset user events */
    bool gate_fails[GATES];
    unsigned n_gates;
    pthread_t id;
};
static struct thread threads[THREADS];

/* ---- ioctls that fail ---- */
static int fail_every, n_ioctls, n_failed; /* atomically; 0: none fails */
static _Thread_local int again;
static const int *fail_with;
static int n_fail_with;

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
    static int (*next)(int, unsigned long, void *);
    enum { DRM = 'd', GEM_CLOSE = 9, GEM_EXECBUFFER2 = 0x69, GEM_CONTEXT_DESTROY = 0x6e };
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (!__atomic_load_n(&next, __ATOMIC_RELAXED)) {
        int (*found)(int, unsigned long, void *);
        *(void **)&found = dlsym(RTLD_NEXT, "ioctl");
        __atomic_store_n(&next, found, __ATOMIC_RELAXED);
    }
    int every = __atomic_load_n(&fail_every, __ATOMIC_RELAXED), nr = (int)(request & 0xff);
    if (every && (request >> 8 & 0xff) == DRM && nr != GEM_CLOSE && nr != GEM_CONTEXT_DESTROY) {
        unsigned n = (unsigned)__atomic_add_fetch(&n_ioctls, 1, __ATOMIC_RELAXED);
        bool fails = n * 2654435761u >> 8 < (1u << 24) / (unsigned)every;
        if (nr == GEM_EXECBUFFER2) { /* several times: the driver tries again */
            if (fails && again == 0)
                again = 4;
            fails = again > 0 && again-- > 0;
        }
        if (fails) {
            int i = __atomic_fetch_add(&n_failed, 1, __ATOMIC_RELAXED);
            errno = fail_with[i / 4 % n_fail_with];
            if (errno == EIO && nr != GEM_EXECBUFFER2) /* of a wait it would be a hung GPU's */
                errno = ENOMEM;
            return -1;
        }
    }
    return next(fd, request, arg);
}

static void fail(int every, const int *with, int n)
{
    fail_with = with;
    n_fail_with = n;
    __atomic_store_n(&n_failed, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&fail_every, every, __ATOMIC_SEQ_CST);
}

/* Errors that calls and events may have where ioctls fail, and only there. */
static bool failing, hung;

static bool allowed(cl_int e)
{
    return failing && (e == CL_MEM_OBJECT_ALLOCATION_FAILURE || e == CL_OUT_OF_RESOURCES ||
                       e == CL_OUT_OF_HOST_MEMORY);
}

/* ---- commands ---- */
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

static void set_last(struct thread *t, unsigned word, const struct command *c)
{
    if (t->last[word])
        CL(clReleaseEvent(t->last[word]->event));
    t->last[word] = c;
    if (c)
        CL(clRetainEvent(c->event));
}

static cl_int status_of(const struct command *c)
{
    cl_int status;
    CL(clGetEventInfo(c->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* Adds the last command on the word to what c waits for; one that has failed is over. */
static void follow(struct thread *t, unsigned word, struct command *c, cl_event *waits, cl_uint *n)
{
    if (t->last[word] && status_of(t->last[word]) < 0)
        set_last(t, word, NULL);
    if (!t->last[word])
        return;
    c->deps[*n] = t->last[word];
    waits[(*n)++] = t->last[word]->event;
}

static cl_int call(struct thread *t, struct command *c, cl_command_queue q, cl_uint n,
                   const cl_event *w)
{
    size_t at = c->to * 4, from = c->from * 4, one = 1;
    cl_int e;
    switch (c->kind) {
    case KERNEL:
        CL(clSetKernelArg(t->k, 1, 4, &c->to));
        CL(clSetKernelArg(t->k, 2, 4, &c->value));
        return clEnqueueNDRangeKernel(q, t->k, 1, NULL, &one, NULL, n, w, &c->event);
    case COPY:
        return clEnqueueCopyBuffer(q, t->m, t->m, from, at, 4, n, w, &c->event);
    case FILL:
        return clEnqueueFillBuffer(q, t->m, &c->value, 4, at, 4, n, w, &c->event);
    case WRITE:
        return clEnqueueWriteBuffer(q, t->m, CL_FALSE, at, 4, &c->value, n, w, &c->event);
    case READ:
        return clEnqueueReadBuffer(q, t->m, CL_FALSE, at, 4, &c->got, n, w, &c->event);
    case NATIVE: {
        struct native args = {.word = c->to, .add = c->value};
        const void *slot = &args.memory;
        return clEnqueueNativeKernel(q, native, &args, sizeof args, 1, &t->m, &slot, n, w,
                                     &c->event);
    }
    case MAP: {
        void *p = clEnqueueMapBuffer(q, t->m, CL_FALSE, CL_MAP_READ, at, 4, n, w, &c->event, &e);
        if (e)
            return e;
        e = clEnqueueUnmapMemObject(q, t->m, p, 1, &c->event, NULL);
        CHECKF(!e || allowed(e), "an unmapping gave %d", e);
        return CL_SUCCESS;
    }
    case MARKER:
        return clEnqueueMarkerWithWaitList(q, n, w, &c->event);
    case BARRIER:
        return clEnqueueBarrierWithWaitList(q, n, w, &c->event);
    case N_KINDS:
        break;
    }
    return CL_INVALID_VALUE;
}

static void enqueue(struct thread *t, struct command *c)
{
    c->kind = pick(t, N_KINDS);
    c->to = pick(t, WORDS);
    c->from = (c->to + 1 + pick(t, WORDS - 1)) % WORDS;
    c->value = pick(t, 1000) + 1;
    cl_event waits[3];
    cl_uint n = 0;
    follow(t, c->to, c, waits, &n);
    if (c->kind == COPY)
        follow(t, c->from, c, waits, &n);
    if (pick(t, 25) == 0 && t->n_gates < GATES) { /* held back, and perhaps never to run */
        cl_int e;
        bool fails = pick(t, 4) == 0;
        cl_event gate = clCreateUserEvent(clu_context, &e);
        CL(e);
        t->gates[t->n_gates] = gate;
        t->gate_fails[t->n_gates++] = fails;
        waits[n++] = gate;
        c->fate = fails ? DIES : LIVES;
    } else if (n == 0 && (c->kind == MARKER || c->kind == BARRIER)) {
        c->fate = UNSAID;
    }
    cl_int e = call(t, c, queues[pick(t, QUEUES)], n, n ? waits : NULL);
    if (e) {
        CHECKF(allowed(e), "a command of kind %d gave %d", c->kind, e);
        c->event = NULL;
        return;
    }
    if (c->fate == LIVES && c->kind != MARKER && c->kind != BARRIER) {
        set_last(t, c->to, c);
        if (c->kind == COPY)
            set_last(t, c->from, c);
    }
    CL(clSetEventCallback(c->event, CL_COMPLETE, ended, c));
}

static void *run(void *arg)
{
    struct thread *t = arg;
    for (unsigned i = 0; i < COMMANDS; i++) {
        struct command *c = &t->commands[i];
        enqueue(t, c);
        if (pick(t, 100) == 0)
            open_gates(t);
        if (pick(t, failing ? 30 : 300) == 0 && c->event) { /* all gates open: no wait for ever */
            open_gates(t);
            cl_int e = clFlush(queues[pick(t, QUEUES)]);
            CHECKF(!e || allowed(e), "a flush gave %d", e);
            clWaitForEvents(1, &c->event);
        }
    }
    open_gates(t);
    return NULL;
}

/* ---- what must have come of it ---- */
/* The values that a word may have. A command that has failed itself may have run or not; more than
 * so many values: any. */
struct values {
    unsigned n; /* 0: any */
    cl_uint v[16];
};

static bool holds(const struct values *s, cl_uint v)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i] == v)
            return true;
    return s->n == 0;
}

static struct values after(const struct command *c, const struct values *to,
                           const struct values *from)
{
    struct values s = c->kind == COPY ? *from : *to;
    if (c->kind == FILL || c->kind == WRITE)
        s = (struct values){1, {c->value}};
    for (unsigned i = 0; i < s.n; i++) {
        if (c->kind == KERNEL)
            s.v[i] = s.v[i] * 3 + c->value;
        if (c->kind == NATIVE)
            s.v[i] += c->value;
    }
    return s;
}

static struct values either(struct values a, const struct values *b)
{
    if (!a.n || !b->n)
        return (struct values){0};
    for (unsigned i = 0; i < b->n; i++) {
        if (holds(&a, b->v[i]))
            continue;
        if (a.n == sizeof a.v / sizeof *a.v)
            return (struct values){0};
        a.v[a.n++] = b->v[i];
    }
    return a;
}

/* The thread's commands again, one after the other. */
static unsigned replay(struct thread *t, struct values *words)
{
    unsigned n_failed_itself = 0;
    for (unsigned w = 0; w < WORDS; w++)
        words[w] = (struct values){1, {0}};
    for (unsigned i = 0; i < COMMANDS; i++) {
        struct command *c = &t->commands[i];
        if (!c->event) {
            n_failed_itself++;
            continue;
        }
        bool lost = c->fate == DIES;
        for (unsigned d = 0; d < 2; d++)
            lost |= c->deps[d] && c->deps[d]->status < 0;
        if (lost || c->fate == UNSAID) {
            CHECKF(c->fate == UNSAID || c->status < 0, "command %u: %d", i, c->status);
            if (hung && c->fate == LIVES) {
                struct values s = after(c, &words[c->to], &words[c->from]);
                words[c->to] = either(s, &words[c->to]);
            }
            continue;
        }
        CHECKF(c->status == CL_COMPLETE || allowed(c->status), "command %u, kind %d: %d", i,
               c->kind, c->status);
        if (c->status == CL_COMPLETE && c->kind == READ)
            CHECKF(holds(&words[c->to], c->got), "command %u read %u instead of %u", i, c->got,
                   words[c->to].v[0]);
        struct values s = after(c, &words[c->to], &words[c->from]);
        n_failed_itself += c->status != CL_COMPLETE;
        words[c->to] = c->status == CL_COMPLETE ? s : either(s, &words[c->to]);
    }
    return n_failed_itself;
}

static void check_events(struct thread *t)
{
    for (unsigned i = 0; i < COMMANDS; i++) {
        struct command *c = &t->commands[i];
        if (!c->event)
            continue;
        c->status = status_of(c);
        CHECKF(c->status <= CL_COMPLETE, "command %u: %d", i, c->status);
        for (unsigned spin = 0; !__atomic_load_n(&c->calls, __ATOMIC_ACQUIRE) && spin < 5000;
             spin++)
            usleep(1000);
        CHECKF(c->calls == 1 && c->told == c->status, "command %u: %d calls, told %d", i, c->calls,
               c->told);
        cl_uint refs, own = 1;
        CL(clGetEventInfo(c->event, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
        for (unsigned w = 0; w < WORDS; w++)
            own += t->last[w] == c;
        CHECKF(refs == own, "command %u: %u references", i, refs);
    }
    for (unsigned w = 0; w < WORDS; w++)
        set_last(t, w, NULL);
    for (unsigned i = 0; i < COMMANDS; i++)
        if (t->commands[i].event)
            CL(clReleaseEvent(t->commands[i].event));
}

static unsigned check(struct thread *t)
{
    cl_uint memory[WORDS];
    struct values words[WORDS];
    CL(clEnqueueReadBuffer(queues[0], t->m, CL_TRUE, 0, sizeof memory, memory, 0, NULL, NULL));
    check_events(t);
    unsigned n = replay(t, words);
    for (unsigned i = 0; i < WORDS; i++)
        CHECKF(holds(&words[i], memory[i]), "word %u: %u instead of %u", i, memory[i],
               words[i].v[0]);
    CL(clReleaseKernel(t->k));
    CL(clReleaseMemObject(t->m));
    return n;
}

/* Every ioctl but so many fails, with one of the errors. */
static void scenario(unsigned seed, int every, const int *errors, int n_errors)
{
    static const cl_uint zero[WORDS];
    memset(threads, 0, sizeof threads);
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread *t = &threads[i];
        t->seed = seed + i;
        t->m = clu_buffer(sizeof zero, zero);
        t->k = clu_kernel(program, "k");
        clu_arg_mem(t->k, 0, t->m);
    }
    fail(every, errors, n_errors);
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(!pthread_create(&threads[i].id, NULL, run, &threads[i]));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i].id, NULL);
    for (unsigned i = 0; i < QUEUES; i++) {
        cl_int e = clFinish(queues[i]);
        CHECKF(!e || allowed(e), "clFinish gave %d", e);
    }
    int n = __atomic_load_n(&n_failed, __ATOMIC_RELAXED);
    fail(0, NULL, 0);
    unsigned n_failed_itself = 0;
    for (unsigned i = 0; i < THREADS; i++)
        n_failed_itself += check(&threads[i]);
    if (every) {
        fprintf(stderr, "%d ioctls failed, and with them %u commands\n", n, n_failed_itself);
        CHECK(n > 10);
    }
    CHECK(failing ? n_failed_itself > 0 : n_failed_itself == 0);
}

int main(int argc, char **argv)
{
    static const int brief[] = {EINTR, EAGAIN}, all[] = {ENOMEM, EINTR, ENOSPC, EIO, EAGAIN};
    const char *how = argc > 1 ? argv[1] : "";
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    cl_int e;
    clu_open();
    for (unsigned i = 0; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueue(clu_context, clu_device,
                                         i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &e);
        CL(e);
    }
    program = clu_build(
        "kernel void k(global uint *p, uint word, uint add) { p[word] = p[word] * 3 + add; }", "");
    if (!strcmp(how, "interrupted")) {
        scenario(seed, 4, brief, 2);
    } else if (*how) {
        failing = true;
        hung = !strcmp(how, "hung");
        scenario(seed, hung ? 0 : 20, all, 5);
        failing = hung = false;
        scenario(seed, 0, NULL, 0); /* and all is well again */
    } else {
        scenario(seed, 0, NULL, 0);
    }
    for (unsigned i = 0; i < QUEUES; i++)
        CL(clReleaseCommandQueue(queues[i]));
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
