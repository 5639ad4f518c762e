/* What every handle starts with: the loader's dispatch table, a magic number by which handles are
 * told from garbage, and two counts. api_refs is what the application sees and may drop; all of
 * api_refs together hold one of refs. The object dies with refs. Counts are atomic; nothing here
 * takes a lock (the ledger, which BEIGNET_DEBUG=objects turns on, has a leaf lock of its own).
 */
#ifndef CORE_OBJECT_H
#define CORE_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum object_kind {
    OBJECT_PLATFORM,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_MEM,
    OBJECT_SAMPLER,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT,
    OBJECT_N_KINDS
};

struct ledger_entry;

struct object {
    const void *const *dispatch; /* the first word, for the ICD loader */
    uint32_t magic;              /* tells the kind while the object lives */
    uint32_t process;            /* fork generation that made it: a child's handles are its own */
    atomic_uint api_refs;
    atomic_uint refs;
    struct ledger_entry *entry; /* owned; NULL unless BEIGNET_DEBUG=objects */
};

extern atomic_uint object_process; /* fork generation */

static inline uint32_t object_magic(enum object_kind kind)
{
    return 0xbe19e700u + kind;
}

static inline bool object_valid(const void *handle, enum object_kind kind)
{
    const struct object *o = handle;
    return o && (uintptr_t)o % sizeof(void *) == 0 && o->magic == object_magic(kind) &&
           o->process == atomic_load_explicit(&object_process, memory_order_relaxed);
}

/* A new object has one reference of the application. */
void object_init(struct object *o, enum object_kind kind);
/* Makes it internal: the application's reference becomes an ordinary one. */
void object_hide(struct object *o);
void object_retain(struct object *o);
void object_release(struct object *o); /* NULL is allowed */
/* The application's side. False when it has no reference to drop. */
void object_api_retain(struct object *o);
bool object_api_release(struct object *o);
unsigned object_api_refs(const struct object *o);

/* Objects alive, for the ledger and tests. */
unsigned object_live(enum object_kind kind);
/* To be called in a forked child: what was inherited is no longer valid. */
void object_forked(void);

#endif
