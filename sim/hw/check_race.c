/* --check: data races between the threads of a dispatch. Each dword of memory, shared or local,
 * remembers who wrote and who read it last. Two accesses to the same bytes race if one of them
 * writes, they are not both atomic, and nothing orders them: threads of different groups, or of one
 * group between the same two barriers.
 *
 * Memory that threads of one hardware slot alone touch is their private memory, which the slot's
 * next thread uses again: no race. So that little else looks like that, the threads of a group start
 * in slots of their own and the groups take turns at all slots (thread.c).
 *
 * Lanes of one thread run in step here and are taken as ordered; blocks, scratch and constant
 * messages are not looked at. Each instruction is reported once. `lock` covers a dispatch's cells;
 * reports have their own. */
#include "msg.h"

#include "eu_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    FIRST_CELLS = 1 << 12,
    MAX_CELLS = 1 << 22, /* dwords of a dispatch that are remembered */
    MAX_REPORTS = 64,
    THREAD_BITS = 8,
};

static const uint64_t SLM_KEY = (uint64_t)1 << 63;

struct access {
    uint64_t who; /* group << THREAD_BITS | thread */
    uint32_t epoch;
    uint8_t mask; /* bytes of the dword; 0: nobody yet */
    bool atomic;
    gpu_addr insn;
};

struct cell {
    uint64_t key;  /* 0: free */
    uint16_t slot; /* of the first access */
    bool shared;   /* another slot came */
    struct access write, read;
};

struct race {
    pthread_mutex_t lock;
    struct cell *cells; /* owned; hash table with open addressing */
    size_t n, size;
};

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static gpu_addr reported[MAX_REPORTS]; /* report_lock */
static unsigned n_reported;            /* report_lock */

struct race *race_new(void)
{
    struct race *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->size = FIRST_CELLS;
    r->cells = calloc(r->size, sizeof *r->cells);
    if (!r->cells) {
        free(r);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void race_free(struct race *r)
{
    if (!r)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r->cells);
    free(r);
}

static struct cell *slot(struct cell *cells, size_t size, uint64_t key)
{
    size_t i = (key * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
    while (cells[i].key && cells[i].key != key)
        i = (i + 1) & (size - 1);
    return &cells[i];
}

/* The cell of a dword, made if need be; NULL once there are too many. */
static struct cell *cell_of(struct race *r, uint64_t key, unsigned slot_number)
{
    struct cell *c = slot(r->cells, r->size, key);
    if (c->key)
        return c;
    if (r->n >= MAX_CELLS)
        return NULL;
    if (2 * r->n >= r->size) {
        struct cell *more = calloc(2 * r->size, sizeof *more);
        if (!more)
            return NULL;
        for (size_t i = 0; i < r->size; i++) {
            if (r->cells[i].key)
                *slot(more, 2 * r->size, r->cells[i].key) = r->cells[i];
        }
        free(r->cells);
        r->cells = more;
        r->size *= 2;
        c = slot(r->cells, r->size, key);
    }
    *c = (struct cell){.key = key, .slot = slot_number};
    r->n++;
    return c;
}

static bool races(const struct access *a, const struct access *b)
{
    bool same_group = a->who >> THREAD_BITS == b->who >> THREAD_BITS;
    return a->mask & b->mask && a->who != b->who && !(a->atomic && b->atomic) &&
           (!same_group || a->epoch == b->epoch);
}

static void report(const struct eu_thread *t, const struct access *now, const struct access *before,
                   bool writes, bool wrote, uint64_t key)
{
    const struct sim_dispatch *d = t->d;
    bool known = false;
    pthread_mutex_lock(&report_lock);
    for (unsigned i = 0; i < n_reported; i++)
        known |= reported[i] == now->insn;
    if (!known && n_reported < MAX_REPORTS)
        reported[n_reported++] = now->insn;
    else
        known = true;
    pthread_mutex_unlock(&report_lock);
    if (known)
        return;
    char where[160], text[640];
    if (key & SLM_KEY)
        snprintf(where, sizeof where, "offset 0x%x of shared local memory",
                 (unsigned)(key & 0x3fff) * 4);
    else
        vm_describe(d->vm, key * 4, where, sizeof where);
    uint32_t dim[2] = {d->group_end[0] - d->group_start[0], d->group_end[1] - d->group_start[1]};
    uint64_t g = before->who >> THREAD_BITS;
    int n = snprintf(
        text, sizeof text,
        "gensim: check: data race at %s: kernel at 0x%llx, group (%u, %u, %u) thread %u %s it at "
        "+0x%x; group (%u, %u, %u) thread %u %s it at +0x%x, with nothing between\n",
        where, (long long)d->kernel, t->group->id[0], t->group->id[1], t->group->id[2], t->number,
        writes ? "writes" : "reads", (unsigned)(now->insn - d->kernel),
        d->group_start[0] + (uint32_t)(g % dim[0]),
        d->group_start[1] + (uint32_t)(g / dim[0] % dim[1]),
        d->group_start[2] + (uint32_t)(g / dim[0] / dim[1]),
        (unsigned)(before->who & ((1 << THREAD_BITS) - 1)), wrote ? "wrote" : "read",
        (unsigned)(before->insn - d->kernel));
    ssize_t unused = write(STDERR_FILENO, text, n < (int)sizeof text ? n : (int)sizeof text - 1);
    (void)unused;
}

/* Remembers an access beside what the same thread did to the dword before. */
static void remember(struct access *last, const struct access *now)
{
    uint8_t mask = last->who == now->who && last->epoch == now->epoch ? last->mask : 0;
    bool atomic = mask ? last->atomic && now->atomic : now->atomic;
    *last = *now;
    last->mask |= mask;
    last->atomic = atomic;
}

/* One access of at most 8 bytes. */
static void touch(struct eu_thread *t, struct access *now, uint64_t first, uint64_t at,
                  unsigned size, bool write)
{
    for (uint64_t dword = at / 4; dword <= (at + size - 1) / 4; dword++) {
        uint64_t lo = dword * 4 > at ? dword * 4 : at;
        uint64_t end = dword * 4 + 4 < at + size ? dword * 4 + 4 : at + size;
        struct cell *c = cell_of(t->d->race, first + dword, t->slot);
        if (!c)
            return;
        now->mask = (uint8_t)(((1u << (end - lo)) - 1) << (lo & 3));
        c->shared |= c->slot != t->slot;
        if (c->shared && races(now, &c->write))
            report(t, now, &c->write, write, true, c->key);
        else if (c->shared && write && races(now, &c->read))
            report(t, now, &c->read, write, false, c->key);
        remember(write ? &c->write : &c->read, now);
    }
}

/* Lane's address or offset, in bytes, and how many bytes from there; 0: a kind that isn't looked
 * at. */
static unsigned reach(const struct msg *m, const uint8_t *p, unsigned lane, uint64_t *at)
{
    switch ((enum msg_kind)m->kind) {
    case MSG_untyped_read:
    case MSG_untyped_write:
        *at = msg_dword(p, lane);
        return 4 * m->n_chan;
    case MSG_untyped_atomic:
    case MSG_float_atomic:
        *at = msg_dword(p, lane);
        return 4;
    case MSG_byte_read:
    case MSG_byte_write:
        *at = msg_dword(p, lane);
        return m->data_size;
    case MSG_dword_read:
    case MSG_dword_write:
        *at = (uint64_t)msg_dword(p, lane) * 4;
        return 4;
    case MSG_a64_untyped_read:
    case MSG_a64_untyped_write:
        *at = msg_qword(p, lane);
        return 4 * m->n_chan;
    case MSG_a64_read:
    case MSG_a64_write:
        *at = msg_qword(p, lane);
        return m->data_size * m->n_elem;
    case MSG_a64_atomic:
    case MSG_a64_float_atomic:
        *at = msg_qword(p, lane);
        return m->is_64 ? 8 : 4;
    default:
        return 0;
    }
}

static bool is_write(unsigned kind)
{
    return kind == MSG_untyped_write || kind == MSG_byte_write || kind == MSG_dword_write ||
           kind == MSG_a64_untyped_write || kind == MSG_a64_write;
}

static bool is_atomic(unsigned kind)
{
    return kind == MSG_untyped_atomic || kind == MSG_float_atomic || kind == MSG_a64_atomic ||
           kind == MSG_a64_float_atomic;
}

void race_message(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                  const uint8_t *payload)
{
    const struct sim_dispatch *d = t->d;
    const struct sim_group *g = t->group;
    const uint8_t *header = m->header ? payload : NULL;
    bool a64 = m->kind >= MSG_a64_read && m->kind <= MSG_a64_float_atomic,
         atomic = is_atomic(m->kind);
    bool bytes = m->kind == MSG_byte_read || m->kind == MSG_byte_write;
    bool dwords = m->kind == MSG_dword_read || m->kind == MSG_dword_write;
    uint64_t at;
    struct view v = {.size = (uint64_t)1 << 48};
    lanes &= (1u << (m->simd < 16 ? m->simd : 16)) - 1;
    if (!lanes || m->simd4x2 || !reach(m, payload, 0, &at))
        return;
    /* A header with a buffer base addresses scratch space: the thread's own. */
    if (!a64 && header && m->bti >= MSG_BTI_STATELESS_NC && msg_dword(header, 5) & ~0x3ffu)
        return;
    if (!a64 && !view_open(&v, t, m, exdesc, header,
                           bytes    ? 1
                           : dwords ? 4
                                    : 0,
                           is_write(m->kind) || atomic))
        return; /* the message itself will fault */
    uint64_t group =
        ((uint64_t)(g->id[2] - d->group_start[2]) * (d->group_end[1] - d->group_start[1]) +
         (g->id[1] - d->group_start[1])) *
            (d->group_end[0] - d->group_start[0]) +
        (g->id[0] - d->group_start[0]);
    struct access now = {.who = group << THREAD_BITS | (t->number & ((1 << THREAD_BITS) - 1)),
                         .epoch = g->epoch,
                         .atomic = atomic,
                         .insn = d->kernel + t->ip};
    uint64_t first = v.slm ? SLM_KEY | group << 14 : 0;
    if (t->op)
        now.insn = t->op->addr;
    payload += header ? EU_GRF_SIZE : 0;
    pthread_mutex_lock(&t->d->race->lock);
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned size = reach(m, payload, (unsigned)__builtin_ctz(l), &at);
        if (v.slm)
            at &= 0xffff;
        if (!a64 && at + size > v.size)
            continue;
        at = a64 ? at & (((uint64_t)1 << 48) - 1) : v.slm ? at : v.base + at;
        for (unsigned done = 0; done < size; done += 4)
            touch(t, &now, first, at + done, size - done < 4 ? size - done : 4,
                  is_write(m->kind) || atomic);
    }
    pthread_mutex_unlock(&t->d->race->lock);
}
