/* See object.h. */
#include "src/core/object.h"

#include "src/core/debug.h"
#include "src/core/list.h"
#include "src/core/types.h"

#include <assert.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Who made an object: the first frames above object_init. */
struct ledger_entry {
    struct list link; /* in ledger */
    enum object_kind kind;
    int n_frames;
    void *frames[12];
};

static const struct kind {
    const char *name;
    void (*destroy)(struct object *o); /* last reference gone */
    void (*unused)(struct object *o);  /* last reference of the application gone */
} kinds[OBJECT_N_KINDS] = {
    [OBJECT_PLATFORM] = {"platform", NULL, NULL},
    [OBJECT_DEVICE] = {"device", NULL, NULL},
    [OBJECT_CONTEXT] = {"context", context_destroy, NULL},
    [OBJECT_QUEUE] = {"command queue", queue_destroy, queue_unused},
    [OBJECT_MEM] = {"memory object", mem_destroy, mem_unused},
    [OBJECT_SAMPLER] = {"sampler", sampler_destroy, NULL},
    [OBJECT_PROGRAM] = {"program", program_destroy, NULL},
    [OBJECT_KERNEL] = {"kernel", kernel_destroy, kernel_unused},
    [OBJECT_EVENT] = {"event", event_destroy, event_unused},
};

atomic_uint object_process;
static atomic_uint live[OBJECT_N_KINDS]; /* objects alive */
static pthread_mutex_t ledger_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list ledger = {&ledger, &ledger}; /* ledger_lock */
static pthread_once_t ledger_once = PTHREAD_ONCE_INIT;

static void ledger_print(void)
{
    pthread_mutex_lock(&ledger_lock);
    unsigned n = 0;
    list_for_each (it, &ledger) {
        struct ledger_entry *e = container_of(it, struct ledger_entry, link);
        fprintf(stderr, "beignet: objects: %s still alive, made by", kinds[e->kind].name);
        Dl_info here, there;
        bool known = dladdr((void *)ledger_print, &here);
        int shown = 0;
        for (int i = 0; i < e->n_frames && shown < 3; i++) {
            if (!dladdr(e->frames[i], &there) || (known && there.dli_fbase == here.dli_fbase))
                continue;
            fprintf(stderr, " %s(%s+%#tx)", there.dli_fname, there.dli_sname ? there.dli_sname : "",
                    (char *)e->frames[i] -
                        (char *)(there.dli_saddr ? there.dli_saddr : there.dli_fbase));
            shown++;
        }
        fprintf(stderr, "\n");
        n++;
    }
    fprintf(stderr, "beignet: objects: %u alive at exit\n", n);
    pthread_mutex_unlock(&ledger_lock);
}

static void ledger_start(void)
{
    atexit(ledger_print);
}

static void ledger_add(struct object *o, enum object_kind kind)
{
    pthread_once(&ledger_once, ledger_start);
    struct ledger_entry *e = calloc(1, sizeof *e);
    if (!e)
        return;
    e->kind = kind;
    e->n_frames = backtrace(e->frames, sizeof e->frames / sizeof *e->frames);
    o->entry = e;
    pthread_mutex_lock(&ledger_lock);
    list_append(&ledger, &e->link);
    pthread_mutex_unlock(&ledger_lock);
}

static void ledger_remove(struct object *o)
{
    if (!o->entry)
        return;
    pthread_mutex_lock(&ledger_lock);
    list_remove(&o->entry->link);
    pthread_mutex_unlock(&ledger_lock);
    free(o->entry);
    o->entry = NULL;
}

void object_init(struct object *o, enum object_kind kind)
{
    o->dispatch = dispatch_table;
    o->magic = object_magic(kind);
    o->process = atomic_load_explicit(&object_process, memory_order_relaxed);
    atomic_init(&o->api_refs, 1);
    atomic_init(&o->refs, 1);
    o->entry = NULL;
    atomic_fetch_add_explicit(&live[kind], 1, memory_order_relaxed);
    if (debug_enabled(DEBUG_objects) && kinds[kind].destroy)
        ledger_add(o, kind);
}

void object_hide(struct object *o)
{
    atomic_store_explicit(&o->api_refs, 0, memory_order_relaxed);
}

void object_retain(struct object *o)
{
    assert(atomic_load_explicit(&o->refs, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
}

void object_release(struct object *o)
{
    if (!o || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
        return;
    enum object_kind kind = o->magic - object_magic(0);
    if (!kinds[kind].destroy)
        return;
    o->magic = 0;
    ledger_remove(o);
    atomic_fetch_sub_explicit(&live[kind], 1, memory_order_relaxed);
    kinds[kind].destroy(o);
}

/* The application may retain what only we still hold (the queue that an event names): its first
 * reference takes one of ours. */
void object_api_retain(struct object *o)
{
    object_retain(o);
    if (atomic_fetch_add_explicit(&o->api_refs, 1, memory_order_relaxed) != 0)
        object_release(o);
}

bool object_api_release(struct object *o)
{
    unsigned n = atomic_load_explicit(&o->api_refs, memory_order_relaxed);
    do {
        if (n == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&o->api_refs, &n, n - 1, memory_order_acq_rel,
                                                    memory_order_relaxed));
    if (n > 1)
        return true;
    enum object_kind kind = o->magic - object_magic(0);
    if (kinds[kind].unused)
        kinds[kind].unused(o);
    object_release(o);
    return true;
}

unsigned object_api_refs(const struct object *o)
{
    return atomic_load_explicit(&o->api_refs, memory_order_relaxed);
}

unsigned object_live(enum object_kind kind)
{
    return atomic_load_explicit(&live[kind], memory_order_relaxed);
}

void object_forked(void)
{
    atomic_fetch_add_explicit(&object_process, 1, memory_order_relaxed);
    for (unsigned i = 0; i < OBJECT_N_KINDS; i++)
        atomic_store_explicit(&live[i], 0, memory_order_relaxed);
    pthread_mutex_init(&ledger_lock, NULL);
    list_init(&ledger);
}
