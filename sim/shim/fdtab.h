/* Which descriptors are the device's: open device nodes and exported buffers (dma-bufs).
 * Descriptors that dup made share one entry; it ends with the last of them and the last call that
 * uses it. Look-ups take no lock.
 *
 * A descriptor can be closed behind the shim's back (close_range), so an entry remembers the inode
 * of its memfd, and a descriptor that no longer is that inode is dropped from the table. */
#ifndef SIM_FDTAB_H
#define SIM_FDTAB_H

#include "sim/i915/i915.h"

struct fd_entry {
    unsigned refs; /* under the table's lock */
    uint64_t inode;
    struct i915 *dev;         /* borrowed: for ever; whose the rest is */
    int node;                 /* of a file: the shim's number */
    struct i915_file *file;   /* owned; a device node */
    struct i915_bo *bo;       /* owned reference; an exported buffer */
    struct i915_fence *fence; /* owned reference; a sync_file */
};

bool fd_maybe(int fd);           /* cheap: false for nearly every descriptor */
struct fd_entry *fd_get(int fd); /* a reference, or NULL */
/* The exported buffer of dev behind a descriptor, or NULL, without a reference: the caller holds
 * the device's lock, which the end of an entry needs. */
struct i915_bo *fd_bo(const struct i915 *dev, int fd);
struct i915_fence *fd_fence(const struct i915 *dev, int fd); /* likewise */
void fd_put(struct fd_entry *e);
bool fd_add(int fd, struct fd_entry *e); /* adds a reference; false: no memory, or fd too large */
void fd_remove(int fd);                  /* before it is closed */
/* Takes a descriptor that nobody has seen yet out of the table; its references are the caller's. */
void fd_retract(int fd);
/* Is this a child that runs in its parent's memory until it executes something (vfork)? What it
 * does to its descriptors does not happen to those of the table. */
bool fd_borrowed(void);
void fd_fork(int stage); /* 0 before, 1 after */

#endif
