/* The device as a whole: options, the one clock that every reader of a time stamp uses, and faults.
 */
#include "observe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sim_gpu {
    const struct gen_device *dev; /* borrowed: static */
    struct sim_options opt;
    struct timespec start;
    struct sim_pool *pool; /* owned */
    struct watch *watch;   /* owned; NULL: nobody watches */
    _Atomic uint64_t dispatches;
    const void *warned[64]; /* keys; under text_lock */
    unsigned n_warned;
};

static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;

/* Host threads, and who watches them. False: out of memory, nothing changed. */
static bool make_pool(struct sim_gpu *gpu)
{
    const struct sim_options *opt = &gpu->opt;
    bool watched = opt->stats || opt->trace_insns || opt->check;
    struct watch *watch = watched ? watch_new(gpu->dev, opt) : NULL;
    struct sim_pool *pool = watched && !watch ? NULL : sim_pool_new(gpu->dev, opt, watch);
    if (!pool) {
        watch_free(watch);
        return false;
    }
    gpu->pool = pool;
    gpu->watch = watch;
    return true;
}

struct sim_gpu *sim_gpu_new(const struct gen_device *dev, const struct sim_options *opt)
{
    struct sim_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return NULL;
    gpu->dev = dev;
    gpu->opt = *opt;
    clock_gettime(CLOCK_MONOTONIC, &gpu->start);
    if (!make_pool(gpu)) {
        free(gpu);
        return NULL;
    }
    return gpu;
}

void sim_gpu_free(struct sim_gpu *gpu)
{
    if (!gpu)
        return;
    sim_pool_free(gpu->pool);
    watch_free(gpu->watch);
    free(gpu);
}

void sim_gpu_forked(struct sim_gpu *gpu)
{
    make_pool(gpu); /* the old one's threads do not exist here: it can't be freed */
    if (gpu->watch)
        gpu->watch->forked = true;
}

struct sim_pool *sim_gpu_pool(const struct sim_gpu *gpu)
{
    return gpu->pool;
}

struct watch *sim_gpu_watch(const struct sim_gpu *gpu)
{
    return gpu->watch;
}

bool sim_gpu_dispatch_hangs(struct sim_gpu *gpu)
{
    return ++gpu->dispatches == gpu->opt.hang_at_dispatch;
}

const struct gen_device *sim_gpu_device(const struct sim_gpu *gpu)
{
    return gpu->dev;
}

const struct sim_options *sim_gpu_options(const struct sim_gpu *gpu)
{
    return &gpu->opt;
}

uint64_t sim_gpu_ns(const struct sim_gpu *gpu)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(now.tv_sec - gpu->start.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
           (uint64_t)gpu->start.tv_nsec;
}

uint64_t sim_clock(const struct sim_gpu *gpu)
{
    uint64_t ns = sim_gpu_ns(gpu);
    /* Ticks of hz a second; ns * hz needs more than 64 bits after half an hour. */
    return (uint64_t)((unsigned __int128)ns * gpu->dev->timestamp_hz / 1000000000u);
}

void sim_fault(struct sim_fault *f, const char *fmt, ...)
{
    pthread_mutex_lock(&text_lock);
    if (!f->set) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(f->text, sizeof f->text, fmt, ap);
        va_end(ap);
        __atomic_store_n(&f->set, true, __ATOMIC_RELEASE); /* others poll it without the lock */
    }
    pthread_mutex_unlock(&text_lock);
}

static bool warned(const struct sim_gpu *gpu, const void *key)
{
    for (unsigned i = 0; i < gpu->n_warned; i++) {
        if (gpu->warned[i] == key)
            return true;
    }
    return false;
}

bool sim_warned(struct sim_gpu *gpu, const void *key)
{
    pthread_mutex_lock(&text_lock);
    bool is = warned(gpu, key);
    pthread_mutex_unlock(&text_lock);
    return is;
}

void sim_warn(struct sim_gpu *gpu, const void *key, const char *fmt, ...)
{
    char text[1024] = "gensim: warning: ";
    size_t used = strlen(text);
    pthread_mutex_lock(&text_lock);
    bool known = warned(gpu, key);
    if (!known && gpu->n_warned < sizeof gpu->warned / sizeof gpu->warned[0])
        gpu->warned[gpu->n_warned++] = key;
    pthread_mutex_unlock(&text_lock);
    if (known)
        return;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text + used, sizeof text - used - 1, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    used = used + n > sizeof text - 2 ? sizeof text - 2 : used + n;
    text[used++] = '\n';
    ssize_t unused = write(STDERR_FILENO, text, used);
    (void)unused;
}
