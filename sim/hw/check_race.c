/* --check: data races between the work-items of a dispatch. Each dword of memory, shared or local,
 * remembers who wrote and who read it last. Two accesses to the same bytes race if one of them
 * writes and nothing orders them: they are of different groups, or of threads of one group between
 * the same two barriers, or of two lanes of one message. No races are two atomic operations, an
 * atomic operation and a read, two writes of the same value. Lanes of a thread in different
 * messages run in step here and are taken as ordered.
 *
 * Memory that threads of one hardware slot alone touch is their private memory, which the slot's
 * next thread uses again: no race. So that little else looks like that, the threads of a group
 * start in slots of their own and the groups take turns at all slots (thread.c).
 *
 * Between walkers only a stall of the command streamer orders anything: until it comes they race as
 * groups do, but for shared local memory and scratch space, which are theirs. And what a walker
 * wrote, a later one reads through the constant cache only after that has been invalidated (Intel
 * PRM, volume "L3 and caches"). So cells live as long as a batch.
 *
 * The lock covers the cells. */
#include "msg.h"
#include "observe.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    FIRST_CELLS = 1 << 12,
    MAX_CELLS = 1 << 20, /* dwords of a dispatch that are remembered */
    THREAD_BITS = 8,
};

static const uint64_t SLM_KEY = (uint64_t)1 << 63;

struct access {
    uint64_t who;    /* group << THREAD_BITS | thread */
    uint64_t serial; /* of the message */
    gpu_addr insn;
    uint32_t epoch;
    uint32_t value; /* of a write that isn't atomic: the dword, as far as it was written */
    uint8_t mask;   /* bytes of the dword; 0: nobody yet */
    int8_t lane;
    bool atomic;
    bool own;          /* in the scratch space */
    uint32_t dispatch; /* of the batch, from 1 */
};

struct cell {
    uint64_t key;  /* 0: free */
    uint16_t slot; /* of the first access of the last dispatch that came */
    bool shared;   /* another slot came */
    uint32_t dispatch;
    struct access write, read;
};

struct race {
    pthread_mutex_t lock;
    struct cell *cells; /* owned; hash table with open addressing */
    size_t n, size;
    uint64_t serial;
    bool full;                    /* and said so */
    bool kept;                    /* by a batch, for its later walkers */
    uint32_t dispatch;            /* the current one */
    uint32_t drained;             /* those up to it have ended */
    uint32_t seen[RACE_N_CACHES]; /* those whose writes the cache doesn't hide */
};

struct race *race_new(bool kept)
{
    struct race *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->kept = kept;
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

void race_end(struct race *r)
{
    if (r && !r->kept)
        race_free(r);
}

void race_dispatch(struct race *r)
{
    r->dispatch++;
}

void race_drained(struct race *r)
{
    r->drained = r->dispatch;
    if (2 * r->n < MAX_CELLS)
        return;
    /* Room for the next ones; what the constant cache may hold is forgotten with it. */
    memset(r->cells, 0, r->size * sizeof *r->cells);
    r->n = 0;
}

void race_invalid(struct race *r, enum race_cache cache)
{
    r->seen[cache] = r->dispatch;
}

static struct cell *slot(struct cell *cells, size_t size, uint64_t key)
{
    size_t i = (key * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
    while (cells[i].key && cells[i].key != key)
        i = (i + 1) & (size - 1);
    return &cells[i];
}

static bool grow(struct race *r)
{
    if (r->n >= MAX_CELLS)
        return false;
    struct cell *more = calloc(2 * r->size, sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < r->size; i++) {
        if (r->cells[i].key)
            *slot(more, 2 * r->size, r->cells[i].key) = r->cells[i];
    }
    free(r->cells);
    r->cells = more;
    r->size *= 2;
    return true;
}

/* The cell of a dword, made if need be; NULL once there are too many. */
static struct cell *cell_of(struct race *r, uint64_t key, unsigned slot_number)
{
    struct cell *c = slot(r->cells, r->size, key);
    if (c->key)
        return c;
    if (2 * r->n >= r->size) {
        if (!grow(r)) {
            if (!r->full)
                dprintf(STDERR_FILENO,
                        "gensim: check: a dispatch touches more than %zu dwords: the others are "
                        "not looked at for races\n",
                        r->n);
            r->full = true;
            return NULL;
        }
        c = slot(r->cells, r->size, key);
    }
    *c = (struct cell){.key = key, .slot = (uint16_t)slot_number};
    r->n++;
    return c;
}

/* Do they write the same bytes, with the same values? */
static bool same_value(const struct access *a, const struct access *b)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++)
        bits |= a->mask & b->mask & 1u << i ? 0xffu << 8 * i : 0;
    return !a->atomic && !b->atomic && !((a->value ^ b->value) & bits);
}

/* a: the access now, of which `write` tells; b: one before, of the cell. Reading what others change
 * atomically is the only way there is to look at it. */
static bool races(const struct race *r, const struct cell *c, const struct access *a,
                  const struct access *b, bool write)
{
    bool same_group = a->who >> THREAD_BITS == b->who >> THREAD_BITS;
    if (!(a->mask & b->mask) || (a->atomic && b->atomic) || (b->atomic && !write) ||
        (a->atomic && b == &c->read))
        return false;
    if (a->dispatch != b->dispatch)
        return b->dispatch > r->drained && !(c->key & SLM_KEY) && !a->own;
    if (a->who == b->who)
        return a->serial == b->serial && a->lane != b->lane;
    return c->shared && (!same_group || a->epoch == b->epoch);
}

static void report(const struct eu_thread *t, const struct access *now, const struct access *before,
                   bool writes, bool wrote, uint64_t key)
{
    const struct sim_dispatch *d = t->d;
    char where[160], line[512], who[96];
    if (key & SLM_KEY)
        snprintf(where, sizeof where, "offset 0x%x of shared local memory",
                 (unsigned)(key & 0x3fff) * 4);
    else
        vm_describe(d->vm, key * 4, where, sizeof where);
    if (before->dispatch != now->dispatch) {
        check_report(
            t, CHECK_RACE, now->insn, now->lane,
            "%s %s; an earlier walker of the batch %s it (instruction at 0x%llx), with no CS "
            "stall between",
            writes ? "writes" : "reads", where, wrote ? "wrote" : "read", (long long)before->insn);
        return;
    }
    uint32_t dim[2] = {d->group_end[0] - d->group_start[0], d->group_end[1] - d->group_start[1]};
    uint64_t g = before->who >> THREAD_BITS;
    if (before->who == now->who)
        snprintf(who, sizeof who, "lane %d", before->lane);
    else
        snprintf(who, sizeof who, "group (%u, %u, %u) thread %u",
                 d->group_start[0] + (uint32_t)(g % dim[0]),
                 d->group_start[1] + (uint32_t)(g / dim[0] % dim[1]),
                 d->group_start[2] + (uint32_t)(g / dim[0] / dim[1]),
                 (unsigned)(before->who & ((1 << THREAD_BITS) - 1)));
    check_report(t, CHECK_RACE, now->insn, now->lane,
                 "%s %s; %s %s it at +0x%x%s, with nothing between", writes ? "writes" : "reads",
                 where, who, wrote ? "wrote" : "read", (unsigned)(before->insn - d->kernel),
                 check_line(d, before->insn, line, sizeof line));
}

/* Remembers an access beside what the same thread did to the dword before. */
static void remember(struct access *last, const struct access *now)
{
    struct access before = *last;
    bool same = before.mask && before.who == now->who && before.epoch == now->epoch &&
                before.dispatch == now->dispatch;
    *last = *now;
    if (!same)
        return;
    last->mask |= before.mask;
    last->atomic &= before.atomic;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t bits = 0xffu << 8 * i;
        if (!(now->mask >> i & 1))
            last->value = (last->value & ~bits) | (before.value & bits);
    }
}

/* A read through a cache of what the cache may hold as it was before. */
static void check_old(const struct eu_thread *t, const struct cell *c, const struct access *now,
                      enum race_cache cache)
{
    static const char *const names[] = {
        [RACE_CONSTANT] = "constant",
        [RACE_TEXTURE] = "texture",
    };
    const struct access *w = &c->write;
    char where[160];
    if (cache == RACE_DATA || !(w->mask & now->mask) || w->dispatch == now->dispatch ||
        w->dispatch <= t->d->race->seen[cache])
        return;
    check_report(t, CHECK_RACE, now->insn, now->lane,
                 "reads %s through the %s cache; an earlier walker of the batch wrote it "
                 "(instruction at 0x%llx), and the cache has not been invalidated since",
                 vm_describe(t->d->vm, c->key * 4, where, sizeof where), names[cache],
                 (long long)w->insn);
}

/* One access of at most 8 bytes; data: what is written, or NULL. */
static void touch(struct eu_thread *t, struct access *now, uint64_t first,
                  const struct reach_piece *p, const uint8_t *data, bool write,
                  enum race_cache cache)
{
    struct race *r = t->d->race;
    for (uint64_t dword = p->at / 4; dword <= (p->at + p->size - 1) / 4; dword++) {
        uint64_t lo = dword * 4 > p->at ? dword * 4 : p->at;
        uint64_t end = dword * 4 + 4 < p->at + p->size ? dword * 4 + 4 : p->at + p->size;
        struct cell *c = cell_of(r, first + dword, t->slot);
        if (!c)
            return;
        if (c->dispatch != now->dispatch) {
            c->dispatch = now->dispatch;
            c->slot = (uint16_t)t->slot;
            c->shared = false;
        }
        now->mask = (uint8_t)(((1u << (end - lo)) - 1) << (lo & 3));
        now->value = 0;
        if (data)
            memcpy((uint8_t *)&now->value + (lo & 3), data + (lo - p->at), end - lo);
        c->shared |= c->slot != t->slot;
        if (races(r, c, now, &c->write, write) && !(write && same_value(now, &c->write)))
            report(t, now, &c->write, write, true, c->key);
        else if (write && races(r, c, now, &c->read, write))
            report(t, now, &c->read, write, false, c->key);
        else
            check_old(t, c, now, cache);
        remember(write ? &c->write : &c->read, now);
    }
}

/* Is it in the scratch space, reached without scratch messages? */
static bool in_scratch(const struct sim_dispatch *d, uint64_t at)
{
    enum { MOST_SLOTS = 512 }; /* thread ids have 9 bits */
    uint64_t size = (uint64_t)d->scratch_per_thread * MOST_SLOTS;
    return at - (d->general_base + d->scratch_base) < size;
}

/* Number of the thread's group in its dispatch. */
static uint64_t group_number(const struct eu_thread *t)
{
    const struct sim_dispatch *d = t->d;
    const struct sim_group *g = t->group;
    return ((uint64_t)(g->id[2] - d->group_start[2]) * (d->group_end[1] - d->group_start[1]) +
            (g->id[1] - d->group_start[1])) *
               (d->group_end[0] - d->group_start[0]) +
           (g->id[0] - d->group_start[0]);
}

static uint64_t who(const struct eu_thread *t)
{
    return group_number(t) << THREAD_BITS | (t->number & ((1 << THREAD_BITS) - 1));
}

void race_message(struct eu_thread *t, const struct reach *r)
{
    const struct sim_dispatch *d = t->d;
    struct access now = {.who = who(t),
                         .epoch = t->group->epoch,
                         .atomic = r->atomic,
                         .insn = t->op->addr,
                         .dispatch = d->race->dispatch};
    uint64_t first = r->slm ? SLM_KEY | group_number(t) << 14 : 0;
    pthread_mutex_lock(&d->race->lock);
    now.serial = ++d->race->serial;
    for (unsigned i = 0; i < r->n; i++) {
        const struct reach_piece *p = &r->piece[i];
        now.lane = p->lane;
        now.own = r->scratch || (!r->slm && in_scratch(d, p->at));
        touch(t, &now, first, p, r->write && !r->atomic ? r->data + p->data : NULL, r->write,
              r->constant ? RACE_CONSTANT : RACE_DATA);
    }
    pthread_mutex_unlock(&d->race->lock);
}

void race_texel(struct eu_thread *t, gpu_addr at, unsigned size, int lane, bool write, bool sampled)
{
    const struct sim_dispatch *d = t->d;
    const struct reach_piece p = {.at = at, .size = (uint8_t)size};
    struct access now = {.who = who(t),
                         .epoch = t->group->epoch,
                         .insn = t->op->addr,
                         .lane = (int8_t)lane,
                         .dispatch = d->race->dispatch};
    pthread_mutex_lock(&d->race->lock);
    now.serial = ++d->race->serial;
    touch(t, &now, 0, &p, NULL, write, sampled ? RACE_TEXTURE : RACE_DATA);
    pthread_mutex_unlock(&d->race->lock);
}
