/* What a kernel launch consists of, copied when its command is enqueued: arguments, and all that a
 * batch wants to know. A part of the commands that run kernels: those of the application, and
 * copies and fills. No lock: the command's.
 */
#ifndef CORE_LAUNCH_H
#define CORE_LAUNCH_H

#include "src/core/kernel.h"
#include "src/core/types.h"

struct batch;
struct command;
struct gpu_address;
struct gpu_image;
struct gpu_sampler;
struct gpu_surface;
struct stamps;

struct launch {
    const struct kernel_code *code; /* borrowed: of a kernel or context that the command keeps */
    cl_device_id dev;               /* borrowed */
    struct range range;
    void *block;             /* owned: the arrays that follow */
    struct kernel_arg *args; /* as they were at enqueue; their mems are owned references */
    uint8_t *values;
    unsigned n_args; /* of those that have been taken over */
    uint8_t *push;
    struct gpu_address *addresses;
    struct gpu_surface *surfaces;
    struct gpu_image *images; /* of the surfaces */
    struct gpu_sampler *samplers;
    cl_mem *svm;          /* owned, and so its references: allocations that no argument shows */
    struct bo **resident; /* owned; theirs on this device */
    unsigned n_svm;
    unsigned n_addresses;
    struct bo *printf_buffer; /* owned; NULL if the kernel doesn't print */
    uint32_t slm_size;
    bool whole;           /* it isn't to be cut into pieces */
    unsigned next_part;   /* bit d: the remainder in dimension d */
    size_t next_group[3]; /* of that part */
};

/* Room for arguments whose values take `values_size` bytes; all zero. False: out of memory. */
bool launch_init(struct launch *l, const struct kernel_code *code, cl_device_id dev,
                 size_t values_size);
/* With arguments and range set: commits the memory and lays out what the batch wants. */
cl_int launch_prepare(struct launch *l);
/* Gives an argument its value, after launch_prepare, instead of what it was. */
void launch_set_value(struct launch *l, unsigned arg, const void *value, size_t size);
/* Whether all of it makes launches that take no longer than one should, as far as is known: they
 * won't be cut then, even if more is known later. As command_ops.whole. */
bool launch_whole(struct launch *l);
/* Adds launches to the batch from where it left off, as command_ops.launch does. */
int launch_add(struct launch *l, struct command *cmd, struct batch *batch, struct stamps *stamps);
void launch_fini(struct launch *l, bool ran);
/* Fills in the local size for a range without one. */
void launch_choose_local(const struct kernel_code *code, struct range *r);

#endif
