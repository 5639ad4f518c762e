/* Kernels: arguments as the application set them (nothing is retained), and what each device's
 * binary says of the kernel. Enqueue (launch.c) makes a snapshot. kernel->lock protects the
 * arguments.
 */
#ifndef CORE_KERNEL_H
#define CORE_KERNEL_H

#include "src/core/brief.h"
#include "src/core/object.h"
#include "src/core/program.h"
#include "src/core/types.h"

struct kernel_arg {
    bool set;
    size_t size;     /* LOCAL: bytes asked for */
    cl_mem mem;      /* GLOBAL, CONSTANT, IMAGE; borrowed; NULL is a value of the first two */
    const void *svm; /* GLOBAL, CONSTANT: into an allocation, in place of mem */
    bool inner;      /* svm isn't where the allocation begins */
    size_t value; /* VALUE: position in kernel->values; SAMPLER: its bits; svm in a launch: where in
                     mem */
};

/* The kernel in one device's binary; binary is NULL where the program has none. */
struct kernel_code {
    struct binary *binary;          /* owned reference */
    const struct kbin_kernel *info; /* in binary */
    unsigned index;                 /* among its kernels, then its narrow ones */
    const struct kernel_code
        *narrow; /* of fewer lanes, its binary borrowed; NULL if there is none */
};

struct _cl_kernel {
    struct object base;
    cl_program program; /* owned */
    char *name;         /* owned */
    cl_uint n_args;
    bool counted;              /* program->lock; in program->n_kernels */
    struct kernel_code *codes; /* owned; one a device of the program, then as many narrow ones, then
                                  those with offsets, which lock guards */
    struct brief_lock lock;
    struct kernel_arg *args; /* lock; owned */
    uint8_t *values;         /* lock; owned */
    size_t values_size;
    atomic_uint n_inner; /* args that are inner; written under lock */
    const void **svm;    /* lock; owned; pointers to allocations that it reaches in other ways */
    size_t n_svm;        /* lock */
};

cl_int kernel_new(cl_program p, const char *name, cl_kernel *out);
cl_int kernel_clone(cl_kernel k, cl_kernel *out);
/* The first device's description: arguments are the same for all. */
const struct kbin_kernel *kernel_info(cl_kernel k);
/* NULL if not built for the device. */
const struct kernel_code *kernel_code(cl_kernel k, cl_device_id dev);
/* The width that n_groups groups of so many items are likely to be done at soonest. */
const struct kernel_code *kernel_choose(const struct kernel_code *code, uint64_t n_groups,
                                        uint64_t group_items);
/* The code for arguments that begin within their surfaces: made at first use. */
cl_int kernel_code_with_offsets(cl_kernel k, cl_device_id dev, const struct kernel_code **out);
cl_int kernel_set_arg(cl_kernel k, cl_uint index, size_t size, const void *value);
/* A pointer into an allocation, or NULL. */
cl_int kernel_set_svm(cl_kernel k, cl_uint index, const void *p);
cl_int kernel_set_svm_list(cl_kernel k, size_t n, const void *const *pointers);
/* An image of the type that the argument asks for. What was set may have been released since, and
 * its place taken by another object. */
bool kernel_takes_image(const struct kbin_arg *info, cl_mem mem);
/* CL_KERNEL_WORK_GROUP_SIZE */
size_t kernel_max_group_size(const struct kernel_code *code);

struct query;
cl_int kernel_query(cl_kernel k, cl_kernel_info name, const struct query *q);
cl_int kernel_query_arg(cl_kernel k, cl_uint index, cl_kernel_arg_info name, const struct query *q);
cl_int kernel_query_group(cl_kernel k, cl_device_id dev, cl_kernel_work_group_info name,
                          const struct query *q);

/* `in` is what the query asks about, n_in bytes. */
cl_int kernel_query_sub_groups(cl_kernel k, cl_device_id dev, cl_kernel_sub_group_info name,
                               size_t n_in, const void *in, const struct query *q);

/* Launches (launch.c). */
struct range {
    cl_uint dim;
    size_t offset[3], global[3];
    size_t local[3]; /* [0] = 0: ours to choose */
};
/* The errors of the arguments on a device. */
cl_int launch_check_args(cl_kernel k, cl_device_id dev);
/* The same and those of sizes that depend on kernel and device. Fills in the local size.
 */
cl_int launch_check(cl_kernel k, cl_device_id dev, struct range *r);
cl_int launch_enqueue(cl_command_queue queue, cl_kernel k, const struct range *r,
                      cl_command_type type, cl_uint n_waits, const cl_event *waits,
                      cl_event *event);

#endif
