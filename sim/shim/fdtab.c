#include "fdtab.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNK = 1024, N_CHUNKS = 1024 };

typedef _Atomic(struct fd_entry *) slot;

static _Atomic(slot *) chunks[N_CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic pid_t owner; /* the process whose descriptors these are; 0: none yet */

static slot *slot_of(int fd)
{
    if (fd < 0 || fd >= CHUNK * N_CHUNKS)
        return NULL;
    slot *c = atomic_load_explicit(&chunks[fd / CHUNK], memory_order_acquire);
    return c ? &c[fd % CHUNK] : NULL;
}

bool fd_maybe(int fd)
{
    slot *s = slot_of(fd);
    return s && atomic_load_explicit(s, memory_order_acquire);
}

bool fd_borrowed(void)
{
    pid_t pid = atomic_load_explicit(&owner, memory_order_relaxed);
    return pid && pid != getpid();
}

/* The inode behind a descriptor, asked of the kernel itself. */
static uint64_t inode_of(int fd)
{
    struct stat st;
    return syscall(SYS_fstat, fd, &st) == 0 ? st.st_ino : 0;
}

struct fd_entry *fd_get(int fd)
{
    struct fd_entry *e = NULL;
    slot *s = slot_of(fd);
    if (!s || !atomic_load_explicit(s, memory_order_acquire))
        return NULL;
    uint64_t inode = inode_of(fd);
    pthread_mutex_lock(&lock);
    e = atomic_load_explicit(s, memory_order_relaxed);
    if (e && e->inode == inode)
        e->refs++;
    else
        e = NULL;
    pthread_mutex_unlock(&lock);
    return e;
}

/* What a descriptor's entry holds, without a reference to either. */
static bool peek(const struct i915 *dev, int fd, struct i915_bo **bo, struct i915_fence **fence)
{
    slot *s = slot_of(fd);
    uint64_t inode = inode_of(fd);
    if (!s)
        return false;
    pthread_mutex_lock(&lock);
    const struct fd_entry *e = atomic_load_explicit(s, memory_order_relaxed);
    bool ok = e && e->inode == inode && e->dev == dev;
    *bo = ok ? e->bo : NULL;
    *fence = ok ? e->fence : NULL;
    pthread_mutex_unlock(&lock);
    return ok;
}

struct i915_bo *fd_bo(const struct i915 *dev, int fd)
{
    struct i915_bo *bo;
    struct i915_fence *fence;
    return peek(dev, fd, &bo, &fence) ? bo : NULL;
}

struct i915_fence *fd_fence(const struct i915 *dev, int fd)
{
    struct i915_bo *bo;
    struct i915_fence *fence;
    return peek(dev, fd, &bo, &fence) ? fence : NULL;
}

void fd_put(struct fd_entry *e)
{
    pthread_mutex_lock(&lock);
    bool last = --e->refs == 0;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    if (e->file)
        i915_close(e->file);
    if (e->bo)
        i915_bo_forget(e->dev, e->bo);
    if (e->fence)
        i915_fence_forget(e->dev, e->fence);
    free(e);
}

bool fd_add(int fd, struct fd_entry *e)
{
    if (fd < 0 || fd >= CHUNK * N_CHUNKS)
        return false;
    pthread_mutex_lock(&lock);
    if (!owner)
        owner = getpid();
    slot *c = atomic_load_explicit(&chunks[fd / CHUNK], memory_order_relaxed);
    if (!c) {
        c = calloc(CHUNK, sizeof *c);
        atomic_store_explicit(&chunks[fd / CHUNK], c, memory_order_release);
    }
    if (c) {
        e->refs++;
        if (!e->inode)
            e->inode = inode_of(fd);
        atomic_store_explicit(&c[fd % CHUNK], e, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return c;
}

void fd_remove(int fd)
{
    slot *s = slot_of(fd);
    if (!s)
        return;
    pthread_mutex_lock(&lock);
    struct fd_entry *e = atomic_exchange(s, NULL);
    pthread_mutex_unlock(&lock);
    if (e)
        fd_put(e);
}

void fd_retract(int fd)
{
    slot *s = slot_of(fd);
    if (s)
        free(atomic_exchange(s, NULL));
}

void fd_fork(int stage)
{
    if (stage == 0) {
        pthread_mutex_lock(&lock);
    } else {
        owner = getpid();
        pthread_mutex_unlock(&lock);
    }
}
