/* Programs: source or binary, and for each device the outcome of the last build. What was built for
 * a device is a struct binary, counted by itself: kernels keep theirs when the program is built
 * again.
 *
 * Locks: program->lock for the builds' outcomes; binary->lock for its buffer objects.
 */
#ifndef CORE_PROGRAM_H
#define CORE_PROGRAM_H

#include "gen/kbin.h"
#include "src/core/list.h"
#include "src/core/object.h"
#include "src/core/types.h"

#include <pthread.h>

struct bo;

/* A kernel binary, for one device. */
struct binary {
    atomic_uint refs;
    cl_device_id dev; /* borrowed, lives for ever */
    struct kbin kbin; /* owned */
    void *image;      /* owned: the bytes that clGetProgramInfo gives */
    size_t image_size;
    pthread_mutex_t lock;
    struct bo *code;        /* lock; owned; all kernels' instructions, NULL until needed */
    struct bo *constants;   /* lock; owned; NULL if there are none */
    struct binary *offsets; /* lock; owned; the same kernels, for arguments that begin anywhere in
                               their surfaces; NULL until needed. Has the same constants */
    uint64_t *code_offsets; /* owned; in code: of each kernel, then of the narrow ones */
    _Atomic float
        *thread_ns; /* owned; what a thread of each of them took of the GPU's time; 0: not known */
};

/* NULL with *why set if the image is not one for this device. */
struct binary *binary_new(cl_device_id dev, const void *image, size_t size, const char **why);
struct binary *binary_retain(struct binary *b);
void binary_release(struct binary *b);
/* Puts the code where the GPU finds it. */
cl_int binary_commit(struct binary *b);

/* The same kernels, for arguments that begin anywhere in their surfaces, made at first use;
 * borrowed from b. CL_OUT_OF_RESOURCES where they can't be had. */
cl_int binary_with_offsets(struct binary *b, struct binary **out);

/* Outcome of the last build, for one device. */
struct build {
    cl_build_status status;
    cl_program_binary_type type;
    char *options;         /* owned; NULL = "" */
    char *log;             /* owned; NULL = "" */
    struct binary *binary; /* owned reference; NULL if there is none */
};

enum program_origin { FROM_SOURCE, FROM_IL, FROM_BINARY, FROM_LINK };

struct _cl_program {
    struct object base;
    cl_context ctx; /* owned */
    enum program_origin origin;
    char *source; /* owned; NULL unless FROM_SOURCE */
    /* FROM_IL: the module as it came, and with the constants that the application has given it. */
    void *il;              /* owned */
    size_t il_size;        /* of both */
    uint32_t *specialized; /* lock; owned */
    cl_uint n_devices;
    cl_device_id *devices; /* owned array; of borrowed devices */
    pthread_mutex_t lock;
    struct build *builds; /* lock; owned; one a device */
    unsigned n_kernels;   /* lock; kernels that the application holds */
};

cl_int program_new_source(cl_context ctx, char *source /* taken over */, cl_program *out);
/* CL_INVALID_VALUE if it isn't a module of SPIR-V. */
cl_int program_new_il(cl_context ctx, const void *il, size_t size, cl_program *out);
cl_int program_set_constant(cl_program p, cl_uint spec_id, size_t size, const void *value);
/* status (may be NULL) tells of each binary. */
cl_int program_new_binary(cl_context ctx, cl_uint n, const cl_device_id *devices,
                          const size_t *sizes, const unsigned char *const *images, cl_int *status,
                          cl_program *out);

struct program_header {
    const char *name;
    cl_program program; /* borrowed */
};

typedef void(CL_CALLBACK *program_notify)(cl_program, void *);

/* Builds, compiles for the devices. The errors of the API; outcomes are in the program. With
 * `notify` the call only begins it, and a thread of its own tells the end. */
cl_int program_build(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                     program_notify notify, void *user_data);
cl_int program_compile(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                       cl_uint n_headers, const struct program_header *headers,
                       program_notify notify, void *user_data);
/* *out is set also with CL_LINK_PROGRAM_FAILURE. */
cl_int program_link(cl_context ctx, cl_uint n, const cl_device_id *devices, const char *options,
                    cl_uint n_inputs, const cl_program *inputs, cl_program *out);

bool program_has_device(cl_program p, cl_device_id dev);
/* The executable for a device, retained; NULL if there is none. */
struct binary *program_executable(cl_program p, cl_device_id dev);
/* Any device's. */
struct binary *program_any_executable(cl_program p);

struct query;
cl_int program_query(cl_program p, cl_program_info name, const struct query *q);
cl_int program_query_build(cl_program p, cl_device_id dev, cl_program_build_info name,
                           const struct query *q);

#endif
