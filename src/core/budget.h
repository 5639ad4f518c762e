/* What a device may hold: bytes in buffers, commands that have not ended. Past a bound an enqueue
 * waits for work to end, but never for what waits for the application (gated commands); where
 * nothing can end, it fails. One leaf lock.
 */
#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H

#include "src/core/types.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gpu;

enum {
    BUDGET_MAX_ACTIVE = 4096,  /* commands that end by themselves */
    BUDGET_MAX_GATED = 1 << 20 /* commands that wait for the application */
};

struct budget {
    pthread_mutex_t lock;
    pthread_cond_t room;  /* a command has ended */
    uint64_t limit;       /* bytes; fixed */
    uint64_t max_alloc;   /* bytes of one object; fixed */
    uint64_t forgotten;   /* bytes that the application has released and commands still use */
    uint64_t since_check; /* bytes allocated since the system's memory was looked at */
    cl_ulong n_ended;
    unsigned n_active, n_gated, n_waiting;
};

/* Computes the limits; aperture and largest: what the GPU can do. */
void budget_init(struct budget *b, uint64_t aperture, uint64_t largest);
/* A command comes. May wait. */
void budget_enter(cl_device_id dev);
/* It turned out to be gated: false if there are too many of them (it is then not counted any more).
 */
bool budget_gate(struct budget *b);
/* A gated one is no longer. */
void budget_ungate(struct budget *b);
/* A command has ended. */
void budget_leave(struct budget *b, bool gated);
/* Whether `size` more bytes may be allocated; waits for memory to come back while that can happen.
 */
bool budget_bytes(cl_device_id dev, uint64_t size);
/* Memory that only commands keep alive, and its end. More than a part of the limit is not let run
 * ahead of the computation: allocations wait. */
void budget_forget(struct budget *b, uint64_t size, bool forgotten);
/* For allocations that failed although the budget allowed them: waits until something has ended, or
 * trims the cache. False: nothing will change. *ended begins as 0. */
bool budget_retry(cl_device_id dev, unsigned *attempt);

/* "64M" and the like; 0 if malformed. */
uint64_t budget_parse(const char *text);
/* The least of the limits that the system sets, before the GPU's own; root is "" but in tests. */
uint64_t budget_system_limit(const char *root, const char *override);
/* Bytes that may still be taken from the system without pushing it into swapping. */
uint64_t budget_system_room(const char *root);

#endif
