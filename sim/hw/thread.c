/* From a walker to threads: groups over host threads, the threads of a group in turn on one of
 * them; payload, barriers, shared local memory, hardware thread slots.
 *
 * A pool serves one dispatch at a time, as the one render engine does. The thread that dispatches
 * works too; the others are started at the first dispatch that can use them, and sleep on `wake`.
 * Each worker owns the registers of as many threads as run at once in its group, and one shared
 * local memory. `lock` guards the job and the totals; what a worker owns needs none. Source: Intel
 * PRM volume "GPGPU", "Thread Dispatch", "GPGPU Thread Payload"; volume 4 "Message Gateway". */
#include "eu_exec.h"
#include "observe.h"
#include "perturb.h"
#include "sabotage.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUDGET = 1 << 20, MAX_WORKERS = 64, SLM_MAX = 64 * 1024 };

/* One dispatch under way. */
struct job {
    struct sim_dispatch *d;
    uint32_t dim[3]; /* groups */
    uint64_t n_groups;
    uint64_t next;          /* atomic: the next group to start */
    uint64_t chunk;         /* groups that a worker takes at once */
    unsigned width, height; /* threads of a group, by counter */
    unsigned n_threads;     /* all threads of a group */
    unsigned n_slots;       /* threads of a group that can run at once */
    unsigned n_workers;
    uint32_t seed; /* 0: natural order, zeros in undefined state */
};

struct worker {
    struct sim_pool *pool; /* borrowed */
    pthread_t host;
    unsigned index;
    struct eu_thread *slots; /* owned */
    unsigned n_slots;
    uint8_t *slm;     /* owned; SLM_MAX bytes, made at first use */
    uint64_t random;  /* state of the perturbation */
    uint64_t n_insns; /* not yet added to the dispatch's */
    struct observer observer;
    const struct eu_op *entry; /* the kernel's first instruction, once known */
};

struct sim_pool {
    const struct gen_device *dev; /* borrowed: static */
    struct sim_options opt;
    struct watch *watch;    /* borrowed; NULL: nobody watches */
    unsigned n_workers;     /* wanted; worker 0 is whoever dispatches */
    struct worker *workers; /* owned */
    unsigned n_started;     /* host threads running, as workers 1... */
    pid_t pid;              /* in which they run */
    pthread_mutex_t run;    /* held for a whole dispatch */
    pthread_mutex_t lock;   /* guards the rest */
    pthread_cond_t wake, idle;
    struct job *job; /* borrowed: the dispatching thread's; NULL between dispatches */
    uint64_t job_number;
    unsigned n_busy; /* workers in the job, without worker 0 */
    bool quit;
};

/* ---- random state ---- */

static uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

static void random_fill(uint64_t *state, void *to, size_t size)
{
    uint8_t *p = to;
    if (!size)
        return;
    for (; size >= 8; size -= 8, p += 8) {
        uint64_t v = random_next(state);
        memcpy(p, &v, 8);
    }
    memset(p, 0xa5, size);
}

/* The i-th of n in an order that the seed chooses. */
static uint64_t shuffled(uint64_t i, uint64_t n, uint32_t seed)
{
    if (!seed || n < 2)
        return i;
    uint64_t mask = ~0ull >> __builtin_clzll(n - 1);
    do {
        i = (i * (2 * (uint64_t)seed + 1) + seed / 3 + 1) & mask;
    } while (i >= n);
    return i;
}

/* ---- the start of a thread ---- */

/* The thread id of a slot as the hardware gives it. Haswell: subslice, EU and thread in bits of
 * their own. */
static uint32_t fftid(const struct gen_device *dev, unsigned slot)
{
    if (!(dev->quirks & GEN_QUIRK_SPARSE_FFTID))
        return slot;
    unsigned per_subslice = dev->eu_per_subslice * dev->threads_per_eu;
    unsigned subslice = slot / per_subslice, in = slot % per_subslice;
    return subslice << 7 | in / dev->threads_per_eu << 3 | in % dev->threads_per_eu;
}

static uint32_t scratch_code(const struct gen_device *dev, uint32_t bytes)
{
    if (!bytes)
        return 0;
    if (dev->gen == 70)
        return bytes / 1024 - 1;
    return (uint32_t)__builtin_ctz(bytes) - (dev->gen == 75 ? 11 : 10);
}

static void write_header(struct eu_thread *t, const struct gen_device *dev, struct worker *w,
                         uint32_t seed)
{
    const struct sim_dispatch *d = t->d;
    const struct sim_group *g = t->group;
    uint32_t r0[8] = {0}, id = fftid(dev, t->slot);
    if (seed)
        random_fill(&w->random, r0, sizeof r0);
    r0[0] = (r0[0] & ~0x0f000000u) | g->slm_index << 24;
    r0[1] = g->id[0];
    r0[2] = (r0[2] & ~0x8f000000u) | g->barrier_id << 24;
    r0[3] = ((uint32_t)(d->sampler_state - d->dynamic_base) & ~31u) |
            scratch_code(dev, d->scratch_per_thread);
    r0[4] = (r0[4] & 31) | ((uint32_t)(d->binding_table - d->surface_base) & ~31u);
    r0[5] = (((uint32_t)d->scratch_base + id * d->scratch_per_thread) & ~0x3ffu) | id;
    r0[6] = g->id[1];
    r0[7] = g->id[2];
    memcpy(t->grf, r0, sizeof r0);
}

/* Scratch space holds what its slot's threads before have left there. A descriptor may give space
 * that nobody has made: only what lies in the object that the pointer leads to is touched. */
static void scramble_scratch(struct worker *w, const struct eu_thread *t)
{
    const struct sim_dispatch *d = t->d;
    struct vm_range space;
    uint32_t header5;
    uint64_t run;
    gpu_addr first = d->general_base + d->scratch_base;
    memcpy(&header5, t->grf + 5 * 4, sizeof header5);
    gpu_addr at = d->general_base + (header5 & ~0x3ffu);
    if (!d->scratch_per_thread || !first || !vm_find(d->vm, first, &space) || at < space.start ||
        at + d->scratch_per_thread > space.end)
        return;
    void *p = vm_ptr(d->vm, at, d->scratch_per_thread, true, &run);
    if (p)
        random_fill(&w->random, p, d->scratch_per_thread);
}

/* Constants follow r0. From the CURBE the block of all threads comes first, from indirect data the
 * thread's own; in memory the common block is first in both. */
static void write_constants(struct eu_thread *t)
{
    const struct sim_dispatch *d = t->d;
    size_t cross = (size_t)d->cross_thread_regs * EU_GRF_SIZE,
           own = (size_t)d->per_thread_regs * EU_GRF_SIZE;
    const uint8_t *common = d->curbe + d->curbe_offset;
    const uint8_t *mine = common + cross + t->number * own;
    uint8_t *to = t->grf + EU_GRF_SIZE;
    bool own_first = d->indirect != sabotaged(d, SABOTAGE_constants_order);
    if (cross)
        memcpy(to + (own_first ? own : 0), common, cross);
    if (own)
        memcpy(to + (own_first ? 0 : cross), mine, own);
}

static uint32_t dispatch_mask(const struct job *job, unsigned number)
{
    const struct sim_dispatch *d = job->d;
    uint32_t mask = d->simd == 32 ? ~0u : (1u << d->simd) - 1;
    if (number % job->width == job->width - 1 && !sabotaged(d, SABOTAGE_right_mask))
        mask &= d->right_mask;
    if (number / job->width % job->height == job->height - 1)
        mask &= d->bottom_mask;
    return mask;
}

static void start_thread(struct worker *w, const struct job *job, struct sim_group *g,
                         unsigned slot, unsigned number)
{
    struct eu_thread *t = &g->threads[slot];
    struct sim_dispatch *d = job->d;
    const struct gen_device *dev = w->pool->dev;
    memset(t, 0, sizeof *t);
    if (job->seed) {
        random_fill(&w->random, t->grf, EU_N_GRF * EU_GRF_SIZE);
        random_fill(&w->random, t->f, sizeof t->f);
        random_fill(&w->random, t->a0, sizeof t->a0);
        random_fill(&w->random, t->acc_lo, sizeof t->acc_lo);
        random_fill(&w->random, t->acc_df, sizeof t->acc_df);
        for (unsigned i = 0; i < 32; i++)
            memcpy(&t->acc_f[i], &t->acc_lo[i], sizeof t->acc_f[i]);
    }
    t->d = d;
    t->group = g;
    t->number = number;
    t->slot = g->first_slot + slot;
    write_header(t, dev, w, job->seed);
    write_constants(t);
    if (job->seed)
        scramble_scratch(w, t);
    t->dispatch_mask = t->active = dispatch_mask(job, number);
    t->cr0[0] = (d->single_program_flow ? CR0_SPF : 0) | (d->alt_mode ? CR0_ALT : 0) |
                d->rounding << CR0_ROUND_SHIFT;
    t->cr0[1] = d->exception_enables;
    t->sr0[0] = t->slot % dev->threads_per_eu | t->slot / dev->threads_per_eu % 16 << 8;
    t->sr0[2] = t->sr0[3] = t->dispatch_mask;
    t->n0[0] = sabotaged(d, SABOTAGE_n0_start);
    eu_set_modes(t);
    if (!w->entry)
        w->entry = eu_lookup(t, d->kernel);
    t->op = w->entry;
    if (w->observer.on)
        observe_start(&w->observer, t, 1 + d->cross_thread_regs + d->per_thread_regs);
}

/* ---- barriers ---- */

bool group_barrier_arrive(struct eu_thread *t)
{
    struct sim_group *g = t->group;
    const struct sim_dispatch *d = t->d;
    if (!d->barrier) {
        eu_fault(t, "barrier message, but the interface descriptor enables no barrier");
        return false;
    }
    if (d->n_threads != g->n_threads) {
        eu_fault(
            t, "barrier for %u threads by the interface descriptor in a group of %u by the walker",
            d->n_threads, g->n_threads);
        return false;
    }
    if (t->observer)
        observe_barrier(t);
    if (++g->n_arrived < g->n_threads)
        return true;
    g->n_arrived = 0;
    g->epoch++;
    for (unsigned i = 0; i < g->n_slots; i++) {
        if (!g->threads[i].ended)
            g->threads[i].n0[0]++;
    }
    return true;
}

/* ---- one group ---- */

/* Adds up instructions: in the worker, and now and then in the dispatch. A context that has run too
 * long, or is told to stop, ends here. */
static bool account(struct worker *w, const struct job *job, uint64_t n_insns, bool last)
{
    struct sim_dispatch *d = job->d;
    uint64_t limit = w->pool->opt.insn_limit, total;
    w->n_insns += n_insns;
    if (w->n_insns < BUDGET / 16 && !last)
        return !(d->stop && *d->stop) && !__atomic_load_n(&d->fault->set, __ATOMIC_RELAXED);
    total = __atomic_add_fetch(&d->n_insns, w->n_insns, __ATOMIC_RELAXED);
    w->n_insns = 0;
    if (limit && total > limit) {
        sim_fault(d->fault,
                  "hang: kernel at 0x%llx is still running after %llu instructions of its batch",
                  (unsigned long long)d->kernel, (unsigned long long)total);
        return false;
    }
    if (d->stop && *d->stop) {
        sim_fault(d->fault, "hang: kernel at 0x%llx stopped after %llu instructions of its batch",
                  (unsigned long long)d->kernel, (unsigned long long)total);
        return false;
    }
    return !__atomic_load_n(&d->fault->set, __ATOMIC_RELAXED);
}

static void report_deadlock(const struct job *job, const struct sim_group *g, unsigned live)
{
    unsigned k = 0;
    for (unsigned i = 0; i < g->n_slots; i++) {
        if (!g->threads[i].ended)
            k = i;
    }
    const struct eu_thread *t = &g->threads[k];
    observe_deadlock(g);
    sim_fault(job->d->fault,
              "deadlock: kernel at 0x%llx, group (%u, %u, %u): %u threads wait (thread %u at +0x%x "
              "for n0.%u), "
              "%u of %u have ended, %u have reached the barrier",
              (unsigned long long)job->d->kernel, g->id[0], g->id[1], g->id[2], live, t->number,
              t->ip, t->wait_reg, g->n_ended, g->n_threads, g->n_arrived);
}

struct turn {
    unsigned next; /* thread to start next */
    unsigned live; /* started and not ended */
    bool progress;
};

/* A slot's turn: what runs in it goes on, and what comes after it in an empty slot starts. */
static bool run_slot(struct worker *w, const struct job *job, struct sim_group *g, unsigned slot,
                     struct turn *turn)
{
    struct eu_thread *t = &g->threads[slot];
    for (;;) {
        if (t->ended) {
            if (turn->next == g->n_threads)
                return true;
            start_thread(w, job, g, slot,
                         (unsigned)shuffled(turn->next++, g->n_threads, job->seed));
            turn->live++;
        }
        if (t->waiting && !t->n0[t->wait_reg])
            return true;
        t->waiting = false;
        turn->progress = true;
        uint64_t before = t->n_insns;
        uint64_t budget = job->seed ? 1 + random_next(&w->random) % 4096 : BUDGET;
        enum eu_stop stop = eu_run(t, budget);
        if (!account(w, job, t->n_insns - before, false))
            return false;
        switch (stop) {
        case EU_STOP_ENDED:
            g->n_ended++;
            turn->live--;
            if (job->d->race) /* the next thread starts in another slot, see check_race.c */
                return true;
            break;
        case EU_STOP_FAULT:
            return false;
        case EU_STOP_WAIT:
        case EU_STOP_BUDGET:
            return true;
        }
    }
}

static bool run_group(struct worker *w, const struct job *job, uint64_t index)
{
    struct sim_dispatch *d = job->d;
    index = shuffled(index, job->n_groups, job->seed);
    struct sim_group g = {
        .d = d,
        .id = {d->group_start[0] + (uint32_t)(index % job->dim[0]),
               d->group_start[1] + (uint32_t)(index / job->dim[0] % job->dim[1]),
               d->group_start[2] + (uint32_t)(index / job->dim[0] / job->dim[1])},
        .slm = w->slm,
        .n_threads = job->n_threads,
        .threads = w->slots,
        .n_slots = job->n_slots,
        .slm_index = (w->index + 1) & 0xf,
        .barrier_id = (w->index + 3) & 0xf,
        .first_slot = w->index * job->n_slots,
    };
    if (d->race) /* one host thread; groups take turns at all slots */
        g.first_slot = (unsigned)(index % (w->pool->dev->hw_threads / job->n_slots)) * job->n_slots;
    if (job->seed) {
        w->random = perturb_hash(job->seed, index) | 1; /* whoever runs it, the same */
        g.slm_index = random_next(&w->random) & 0xf;
        g.barrier_id = random_next(&w->random) & 0xf;
        random_fill(&w->random, g.slm, d->slm_size);
    } else if (d->slm_size) {
        memset(g.slm, 0, d->slm_size);
    }
    if (w->observer.on)
        observe_group(&w->observer, &g);
    for (unsigned i = 0; i < g.n_slots; i++)
        g.threads[i].ended = true;
    struct turn turn = {0};
    do {
        turn.progress = false;
        for (unsigned i = 0; i < g.n_slots; i++) {
            if (!run_slot(w, job, &g, i, &turn))
                return false;
        }
        if (turn.live && !turn.progress) {
            report_deadlock(job, &g, turn.live);
            return false;
        }
    } while (turn.live || turn.next < g.n_threads);
    return true;
}

/* ---- host threads ---- */

static bool worker_prepare(struct worker *w, const struct job *job)
{
    if (w->n_slots < job->n_slots) {
        struct eu_thread *slots = NULL;
        if (posix_memalign((void **)&slots, 64, job->n_slots * sizeof *slots))
            return false;
        free(w->slots);
        w->slots = slots;
        w->n_slots = job->n_slots;
    }
    if (!observer_begin(&w->observer, w->pool->watch, w->n_slots))
        return false;
    if (job->d->slm_size && !w->slm && !(w->slm = malloc(SLM_MAX)))
        return false;
    w->random = 0x9e3779b97f4a7c15ull * ((uint64_t)job->seed + 1) + w->index;
    w->entry = NULL;
    return true;
}

static void work(struct worker *w, struct job *job)
{
    if (!worker_prepare(w, job)) {
        sim_fault(job->d->fault, "out of memory for the threads of a group");
        return;
    }
    for (bool ok = true; ok;) {
        uint64_t i = __atomic_fetch_add(&job->next, job->chunk, __ATOMIC_RELAXED);
        uint64_t end = i + job->chunk < job->n_groups ? i + job->chunk : job->n_groups;
        ok = i < end;
        for (; ok && i < end; i++)
            ok = !__atomic_load_n(&job->d->fault->set, __ATOMIC_RELAXED) && run_group(w, job, i);
    }
    account(w, job, 0, true);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct sim_pool *pool = w->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    while (!pool->quit) {
        struct job *job = pool->job;
        if (!job || seen == pool->job_number || w->index >= job->n_workers) {
            pthread_cond_wait(&pool->wake, &pool->lock);
            continue;
        }
        seen = pool->job_number;
        pool->n_busy++;
        pthread_mutex_unlock(&pool->lock);
        work(w, job);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_busy == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct sim_pool *sim_pool_new(const struct gen_device *dev, const struct sim_options *opt,
                              struct watch *watch)
{
    struct sim_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool->dev = dev;
    pool->opt = *opt;
    pool->watch = watch;
    pool->n_workers = opt->n_host_threads ? opt->n_host_threads : cores > 0 ? (unsigned)cores : 1;
    if (pool->n_workers > MAX_WORKERS)
        pool->n_workers = MAX_WORKERS;
    if (opt->trace_insns)
        pool->n_workers = 1;
    pool->workers = calloc(pool->n_workers, sizeof *pool->workers);
    if (!pool->workers) {
        free(pool);
        return NULL;
    }
    for (unsigned i = 0; i < pool->n_workers; i++) {
        pool->workers[i].pool = pool;
        pool->workers[i].index = i;
    }
    pool->pid = getpid();
    pthread_mutex_init(&pool->run, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    return pool;
}

void sim_pool_free(struct sim_pool *pool)
{
    if (!pool)
        return;
    if (pool->pid == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->quit = true;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 1; i <= pool->n_started; i++)
            pthread_join(pool->workers[i].host, NULL);
    }
    for (unsigned i = 0; i < pool->n_workers; i++) {
        free(pool->workers[i].slots);
        free(pool->workers[i].slm);
        observer_fini(&pool->workers[i].observer);
    }
    pthread_mutex_destroy(&pool->run);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->idle);
    free(pool->workers);
    free(pool);
}

/* Host threads up to what the job can use. Fewer than wanted is no error. They take no signals:
 * those are the application's. */
static void start_workers(struct sim_pool *pool, unsigned n)
{
    sigset_t all, old;
    if (pool->pid != getpid()) { /* the child of a fork has none */
        pool->pid = getpid();
        pool->n_started = 0;
        pool->n_busy = 0;
        pthread_cond_init(&pool->wake, NULL);
        pthread_cond_init(&pool->idle, NULL);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (pool->n_started + 1 < n) {
        struct worker *w = &pool->workers[pool->n_started + 1];
        if (pthread_create(&w->host, NULL, worker_main, w))
            break;
        pool->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- dispatch ---- */

static bool job_init(struct job *job, struct sim_pool *pool, struct sim_dispatch *d)
{
    const struct gen_device *dev = pool->dev;
    *job = (struct job){.d = d, .n_groups = 1, .seed = pool->opt.perturb};
    for (unsigned i = 0; i < 3; i++) {
        job->dim[i] = d->group_end[i] > d->group_start[i] ? d->group_end[i] - d->group_start[i] : 0;
        job->n_groups *= job->dim[i];
    }
    job->width = d->thread_max[0] + 1;
    job->height = d->thread_max[1] + 1;
    job->n_threads = job->width * job->height * (d->thread_max[2] + 1);
    if ((d->barrier || d->slm_size) && job->n_threads > dev->max_group_threads) {
        sim_fault(
            d->fault,
            "kernel at 0x%llx: a group of %u threads with barrier or SLM; a subslice of %s has %u",
            (unsigned long long)d->kernel, job->n_threads, dev->name, dev->max_group_threads);
        return false;
    }
    if (d->slm_size > SLM_MAX) {
        sim_fault(d->fault, "kernel at 0x%llx: %u bytes of shared local memory",
                  (unsigned long long)d->kernel, d->slm_size);
        return false;
    }
    uint64_t regs = (uint64_t)d->cross_thread_regs + (uint64_t)d->per_thread_regs * job->n_threads;
    if (1 + (uint64_t)d->cross_thread_regs + d->per_thread_regs > EU_N_GRF) {
        sim_fault(d->fault, "kernel at 0x%llx: a payload of %u registers",
                  (unsigned long long)d->kernel, 1 + d->cross_thread_regs + d->per_thread_regs);
        return false;
    }
    if (regs && d->curbe_offset + regs * EU_GRF_SIZE > d->curbe_size) {
        sim_fault(
            d->fault,
            "kernel at 0x%llx: its threads read %llu bytes of constants from %u, but %u are loaded",
            (unsigned long long)d->kernel, (unsigned long long)(regs * EU_GRF_SIZE),
            d->curbe_offset, d->curbe_size);
        return false;
    }
    /* As many groups at once as the device has threads for. */
    job->n_slots = job->n_threads < dev->hw_threads ? job->n_threads : dev->hw_threads;
    if (!d->barrier && job->n_slots > dev->max_group_threads)
        job->n_slots = dev->max_group_threads;
    job->n_workers = dev->hw_threads / job->n_slots;
    if (job->n_workers > pool->n_workers)
        job->n_workers = pool->n_workers;
    if (job->n_workers > job->n_groups)
        job->n_workers = (unsigned)job->n_groups;
    /* Few enough that all end at about the same time. */
    job->chunk = job->n_groups / (16 * job->n_workers + 1) + 1;
    if (job->chunk > 64)
        job->chunk = 64;
    return true;
}

/* What the observers of a dispatch have counted; worker 0 took part in any case. */
static void end_watch(struct sim_pool *pool, const struct job *job, uint64_t start)
{
    struct observer *o[MAX_WORKERS];
    unsigned n = 0;
    for (unsigned i = 0; i < job->n_workers; i++) {
        if (pool->workers[i].n_slots && pool->workers[i].observer.on)
            o[n++] = &pool->workers[i].observer;
    }
    watch_end(pool->watch, job->d, o, n, sim_gpu_ns(job->d->gpu) - start);
}

bool thread_dispatch(struct sim_dispatch *d)
{
    struct sim_pool *pool = sim_gpu_pool(d->gpu);
    struct job job;
    if (!job_init(&job, pool, d))
        return false;
    if (!job.n_groups)
        return true;
    if (!msg_dispatch_begin(d))
        return false;
    pthread_mutex_lock(&pool->run);
    uint64_t start = pool->watch ? sim_gpu_ns(d->gpu) : 0;
    for (unsigned i = 0; pool->watch && i < pool->n_workers; i++)
        memset(&pool->workers[i].observer.stats, 0, sizeof(struct stats));
    if (pool->watch && !watch_begin(pool->watch, d))
        job.n_groups = 0;
    if (d->race)
        job.n_workers = 1;
    /* Waking the others costs as much as some tens of short threads. */
    bool alone = job.n_workers < 2 || job.n_groups * job.n_threads < 32;
    if (!alone) {
        start_workers(pool, job.n_workers);
        pthread_mutex_lock(&pool->lock);
        pool->job = &job;
        pool->job_number++;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    work(&pool->workers[0], &job);
    pthread_mutex_lock(&pool->lock);
    pool->job = NULL;
    while (!alone && pool->n_busy)
        pthread_cond_wait(&pool->idle, &pool->lock);
    if (pool->watch)
        end_watch(pool, &job, start);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->run);
    msg_dispatch_end(d);
    return !__atomic_load_n(&d->fault->set, __ATOMIC_ACQUIRE);
}
