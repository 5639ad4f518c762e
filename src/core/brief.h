/* A lock for what takes moments and is hardly ever wanted by two threads at once: one atomic
 * operation and a store, where a mutex has two operations and two calls. Whoever finds it taken
 * sleeps for a moment, so that its holder gets to run whatever the threads' priorities are.
 */
#ifndef CORE_BRIEF_H
#define CORE_BRIEF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

struct brief_lock {
    atomic_bool taken;
};

static inline void brief_lock(struct brief_lock *l)
{
    const struct timespec moment = {.tv_nsec = 1000};
    while (atomic_exchange_explicit(&l->taken, true, memory_order_acquire))
        nanosleep(&moment, NULL);
}

static inline void brief_unlock(struct brief_lock *l)
{
    atomic_store_explicit(&l->taken, false, memory_order_release);
}

#endif
