/* Batches and dispatches in time, for the reports of --stats. The lock guards all of it: several
 * contexts run batches at once. A dispatch belongs to the batch that its host thread runs. */
#include "observe.h"

#include <limits.h>
#include <stdlib.h>

enum { MAX_RECORDS = 1 << 16 };

static _Thread_local unsigned current = UINT_MAX; /* the batch that this host thread runs */

void timeline_init(struct timeline *t)
{
    *t = (struct timeline){.n_batches = 0};
    pthread_mutex_init(&t->lock, NULL);
}

void timeline_fini(struct timeline *t)
{
    pthread_mutex_destroy(&t->lock);
    free(t->batch);
    free(t->dispatch);
}

/* Room for one more; NULL: there are too many, or no memory. */
static void *grow(void *array, unsigned n, unsigned *cap, size_t size)
{
    if (n < *cap)
        return array;
    if (n >= MAX_RECORDS)
        return NULL;
    unsigned more = *cap ? 2 * *cap : 64;
    void *p = realloc(array, more * size);
    if (p)
        *cap = more;
    return p;
}

void timeline_dispatch(struct timeline *t, struct timeline_dispatch d)
{
    d.batch = current;
    pthread_mutex_lock(&t->lock);
    struct timeline_dispatch *p = grow(t->dispatch, t->n_dispatches, &t->cap_dispatches, sizeof d);
    if (p) {
        t->dispatch = p;
        p[t->n_dispatches++] = d;
    } else {
        t->n_lost++;
    }
    pthread_mutex_unlock(&t->lock);
}

static struct timeline *timeline_of(struct sim_gpu *gpu)
{
    struct watch *w = sim_gpu_watch(gpu);
    return w && w->opt.stats ? &w->timeline : NULL;
}

void sim_gpu_batch_begin(struct sim_gpu *gpu, uint32_t context, int engine, uint64_t submitted)
{
    struct timeline *t = timeline_of(gpu);
    if (!t)
        return;
    struct timeline_batch b = {.context = context,
                               .engine = (uint8_t)engine,
                               .submitted = submitted,
                               .start = sim_gpu_ns(gpu)};
    pthread_mutex_lock(&t->lock);
    struct timeline_batch *p = grow(t->batch, t->n_batches, &t->cap_batches, sizeof b);
    current = UINT_MAX;
    if (p) {
        t->batch = p;
        current = t->n_batches++;
        p[current] = b;
    } else {
        t->n_lost++;
    }
    pthread_mutex_unlock(&t->lock);
}

void sim_gpu_batch_end(struct sim_gpu *gpu, bool failed)
{
    struct timeline *t = timeline_of(gpu);
    if (!t || current == UINT_MAX)
        return;
    pthread_mutex_lock(&t->lock);
    t->batch[current].end = sim_gpu_ns(gpu);
    t->batch[current].failed = failed;
    pthread_mutex_unlock(&t->lock);
    current = UINT_MAX;
}
