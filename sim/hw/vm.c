/* GPU page tables: four levels of 512 entries over 48 bits of 4 KiB pages, as the hardware's. A
 * leaf entry names the range it belongs to (host address, limits, object), and a range that covers
 * a whole 2 MiB or 1 GiB entry is entered there once.
 *
 * Entries are atomic, nodes live as long as the address space, and a range is freed when it is
 * unmapped. So the threads of a running batch translate without a lock while other ranges come and
 * go; only the kernel side changes a mapping, and never one that a batch in flight may use. `lock`
 * serialises the changes. */
#include "hw.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, FANOUT = 512, PAGE_BITS = 12, LEVEL_BITS = 9, PAGE = 1 << PAGE_BITS };

struct range {
    struct range *next, *prev; /* in vm->ranges */
    gpu_addr start, end;
    uint8_t *host; /* borrowed, of `start` */
    uint32_t object;
    bool writable;
};

/* An entry is 0, a node with bit 0 set, or a range. */
typedef _Atomic(uintptr_t) entry;

struct node {
    entry e[FANOUT]; /* owned: nodes; borrowed: ranges */
};

struct sim_vm {
    pthread_mutex_t lock;
    unsigned address_bits;
    struct node *root;    /* owned */
    struct range *ranges; /* owned; in no order */
    struct range *hidden; /* owned; not in the tables, only known to vm_describe */
    struct range *spare;  /* owned; linked by next */
};

static struct node *entry_node(uintptr_t e)
{
    return e & 1 ? (struct node *)(e & ~(uintptr_t)1) : NULL;
}

static struct range *entry_range(uintptr_t e)
{
    return e & 1 ? NULL : (struct range *)e;
}

/* Log2 of the bytes one entry of a level covers; level 0 is the root. */
static unsigned level_shift(int level)
{
    return PAGE_BITS + LEVEL_BITS * (LEVELS - 1 - level);
}

static unsigned entry_index(gpu_addr at, int level)
{
    return at >> level_shift(level) & (FANOUT - 1);
}

struct sim_vm *vm_new(unsigned address_bits)
{
    struct sim_vm *vm = calloc(1, sizeof *vm);
    if (!vm)
        return NULL;
    vm->root = calloc(1, sizeof *vm->root);
    if (!vm->root) {
        free(vm);
        return NULL;
    }
    vm->address_bits = address_bits;
    pthread_mutex_init(&vm->lock, NULL);
    return vm;
}

static void node_free(struct node *n, int level)
{
    if (level < LEVELS - 1) {
        for (unsigned i = 0; i < FANOUT; i++) {
            struct node *child = entry_node(atomic_load_explicit(&n->e[i], memory_order_relaxed));
            if (child)
                node_free(child, level + 1);
        }
    }
    free(n);
}

static void ranges_free(struct range *r)
{
    for (struct range *next; r; r = next) {
        next = r->next;
        free(r);
    }
}

void vm_free(struct sim_vm *vm)
{
    if (!vm)
        return;
    node_free(vm->root, 0);
    ranges_free(vm->ranges);
    ranges_free(vm->hidden);
    ranges_free(vm->spare);
    pthread_mutex_destroy(&vm->lock);
    free(vm);
}

/* Canonical addresses (bit 47 extended) and plain 48-bit ones are the same. */
static gpu_addr plain(gpu_addr at)
{
    return at >> 47 == 0x1ffff ? at & (((uint64_t)1 << 48) - 1) : at;
}

static struct range *find(const struct sim_vm *vm, gpu_addr at)
{
    const struct node *n = vm->root;
    if (at >> (PAGE_BITS + LEVEL_BITS * LEVELS))
        return NULL;
    for (int level = 0; level < LEVELS; level++) {
        uintptr_t e = atomic_load_explicit(&n->e[entry_index(at, level)], memory_order_acquire);
        struct node *child = entry_node(e);
        if (!child)
            return entry_range(e);
        n = child;
    }
    return NULL;
}

/* Makes every entry of [at, end) below `n` name `r` (NULL: nothing). False: out of memory. */
static bool fill(struct node *n, int level, gpu_addr at, gpu_addr end, struct range *r)
{
    uint64_t span = (uint64_t)1 << level_shift(level);
    while (at < end) {
        entry *e = &n->e[entry_index(at, level)];
        gpu_addr slot = at & ~(span - 1), stop = end - slot < span ? end : slot + span;
        uintptr_t old = atomic_load_explicit(e, memory_order_relaxed);
        struct node *child = entry_node(old);
        bool whole = at == slot && stop == slot + span;
        if (level == LEVELS - 1 || (whole && !child && level > 0)) {
            atomic_store_explicit(e, (uintptr_t)r, memory_order_release);
        } else {
            if (!child) {
                if (!old && !r) { /* nothing there to clear */
                    at = stop;
                    continue;
                }
                child = calloc(1, sizeof *child);
                if (!child)
                    return false;
                for (unsigned i = 0; i < FANOUT; i++) /* split a large entry */
                    atomic_init(&child->e[i], old);
                atomic_store_explicit(e, (uintptr_t)child | 1, memory_order_release);
            }
            if (!fill(child, level + 1, at, stop, r))
                return false;
        }
        at = stop;
    }
    return true;
}

static bool range_enter(struct sim_vm *vm, gpu_addr start, gpu_addr end, uint8_t *host,
                        bool writable, uint32_t object)
{
    struct range *r = vm->spare;
    if (r)
        vm->spare = r->next;
    else if (!(r = malloc(sizeof *r)))
        return false;
    *r = (struct range){.next = vm->ranges,
                        .start = start,
                        .end = end,
                        .host = host,
                        .object = object,
                        .writable = writable};
    if (!fill(vm->root, 0, start, end, r)) {
        fill(vm->root, 0, start, end, NULL);
        r->next = vm->spare;
        vm->spare = r;
        return false;
    }
    if (r->next)
        r->next->prev = r;
    vm->ranges = r;
    return true;
}

static void range_unlink(struct sim_vm *vm, struct range *r)
{
    if (r->prev)
        r->prev->next = r->next;
    else
        vm->ranges = r->next;
    if (r->next)
        r->next->prev = r->prev;
}

/* Forgets hidden ranges that touch [at, end). */
static void unhide(struct sim_vm *vm, gpu_addr at, gpu_addr end)
{
    for (struct range **p = &vm->hidden, *r; (r = *p);) {
        if (r->start < end && r->end > at) {
            *p = r->next;
            r->next = vm->spare;
            vm->spare = r;
        } else {
            p = &r->next;
        }
    }
}

bool vm_map(struct sim_vm *vm, gpu_addr at, void *host, uint64_t size, bool writable,
            uint32_t object)
{
    uint64_t limit = (uint64_t)1 << vm->address_bits;
    if (!size || (at | size) & (PAGE - 1) || at >= limit || size > limit - at)
        return false;
    pthread_mutex_lock(&vm->lock);
    bool ok = true;
    for (const struct range *r = vm->ranges; r && ok; r = r->next)
        ok = at >= r->end || at + size <= r->start;
    if (ok)
        unhide(vm, at, at + size);
    ok = ok && range_enter(vm, at, at + size, host, writable, object);
    pthread_mutex_unlock(&vm->lock);
    return ok;
}

static void unmap(struct sim_vm *vm, gpu_addr at, gpu_addr end, bool hide)
{
    for (struct range *r = vm->ranges, *next; r; r = next) {
        next = r->next;
        if (r->start >= end || r->end <= at)
            continue;
        range_unlink(vm, r);
        fill(vm->root, 0, r->start, r->end, NULL);
        if (r->start < at)
            range_enter(vm, r->start, at, r->host, r->writable, r->object);
        if (r->end > end)
            range_enter(vm, end, r->end, r->host + (end - r->start), r->writable, r->object);
        struct range **list = hide ? &vm->hidden : &vm->spare;
        r->next = *list;
        *list = r;
    }
}

void vm_unmap(struct sim_vm *vm, gpu_addr at, uint64_t size)
{
    pthread_mutex_lock(&vm->lock);
    unhide(vm, at, at + size);
    unmap(vm, at, at + size, false);
    pthread_mutex_unlock(&vm->lock);
}

void vm_hide(struct sim_vm *vm, gpu_addr at, uint64_t size)
{
    pthread_mutex_lock(&vm->lock);
    unmap(vm, at, at + size, true);
    pthread_mutex_unlock(&vm->lock);
}

void *vm_ptr(const struct sim_vm *vm, gpu_addr at, uint64_t size, bool write, uint64_t *run)
{
    at = plain(at);
    const struct range *r = find(vm, at);
    if (!r || (write && !r->writable))
        return NULL;
    uint8_t *p = r->host + (at - r->start);
    uint64_t n = r->end - at;
    /* Neighbours in both address spaces (userptr head, middle and tail) are one run. */
    while (n < size) {
        const struct range *after = find(vm, at + n);
        if (!after || (write && !after->writable) || after->host + (at + n - after->start) != p + n)
            break;
        n = after->end - at;
    }
    if (run)
        *run = n;
    return n >= size ? p : NULL;
}

/* Copies between [at, at + size) and host memory; `to` or `from` is NULL. */
static bool copy(const struct sim_vm *vm, gpu_addr at, uint8_t *to, const uint8_t *from,
                 uint64_t size, gpu_addr *bad)
{
    at = plain(at);
    while (size) {
        const struct range *r = find(vm, at);
        if (!r || (from && !r->writable)) {
            if (bad)
                *bad = at;
            return false;
        }
        uint64_t n = r->end - at < size ? r->end - at : size;
        uint8_t *p = r->host + (at - r->start);
        if (to) {
            memcpy(to, p, n);
            to += n;
        } else {
            memcpy(p, from, n);
            from += n;
        }
        at += n;
        size -= n;
    }
    return true;
}

bool vm_read(const struct sim_vm *vm, gpu_addr at, void *to, uint64_t size, gpu_addr *bad)
{
    return copy(vm, at, to, NULL, size, bad);
}

bool vm_write(struct sim_vm *vm, gpu_addr at, const void *from, uint64_t size, gpu_addr *bad)
{
    return copy(vm, at, NULL, from, size, bad);
}

bool vm_find(const struct sim_vm *vm, gpu_addr at, struct vm_range *out)
{
    struct sim_vm *v = (struct sim_vm *)vm; /* the lock is not a part of the value */
    const struct range *best = NULL;
    at = plain(at);
    pthread_mutex_lock(&v->lock);
    for (const struct range *r = vm->ranges; r; r = r->next) {
        if (r->start <= at && (!best || r->start > best->start))
            best = r;
    }
    *out = best ? (struct vm_range){best->start, best->end, best->object, best->writable}
                : (struct vm_range){.start = 0};
    pthread_mutex_unlock(&v->lock);
    return best && at < out->end;
}

/* The hidden object at an address, or 0. */
static uint32_t find_hidden(struct sim_vm *vm, gpu_addr at)
{
    uint32_t object = 0;
    pthread_mutex_lock(&vm->lock);
    for (const struct range *r = vm->hidden; r && !object; r = r->next)
        object = at >= r->start && at < r->end ? r->object : 0;
    pthread_mutex_unlock(&vm->lock);
    return object;
}

const char *vm_describe(const struct sim_vm *vm, gpu_addr at, char *buf, size_t size)
{
    struct vm_range r;
    at = plain(at);
    uint32_t hidden = find_hidden((struct sim_vm *)vm, at);
    if (vm_find(vm, at, &r))
        snprintf(buf, size, "0x%llx (byte 0x%llx of object %u at 0x%llx-0x%llx%s)", (long long)at,
                 (long long)(at - r.start), r.object, (long long)r.start, (long long)r.end,
                 r.writable ? "" : ", read-only");
    else if (hidden)
        snprintf(buf, size,
                 "0x%llx (object %u was there, but is not in the batch's list of objects)",
                 (long long)at, hidden);
    else if (r.end)
        snprintf(buf, size, "0x%llx (nothing mapped; 0x%llx past object %u at 0x%llx-0x%llx)",
                 (long long)at, (long long)(at - r.end), r.object, (long long)r.start,
                 (long long)r.end);
    else
        snprintf(buf, size, "0x%llx (nothing mapped at or below it)", (long long)at);
    return buf;
}
