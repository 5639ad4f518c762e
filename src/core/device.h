/* The platform and its devices: one static object each, made at first use, never freed. Their
 * handles stay valid in a forked child, which opens the devices anew. */
#ifndef CORE_DEVICE_H
#define CORE_DEVICE_H

#include "src/core/budget.h"
#include "src/core/object.h"
#include "src/core/sched.h"
#include "src/core/types.h"
#include "gen/device.h"
#include "src/gpu/gpu.h"

enum { MAX_DEVICES = 8 };

struct _cl_device_id {
    struct object base;
    cl_platform_id platform; /* borrowed */
    struct gpu *gpu;         /* owned by the process that opened it */
    struct gpu_info info;
    const struct gen_device *hw;
    struct budget budget;
    struct sched sched;
    cl_uint clock_mhz;
    bool has_images;
};

struct _cl_platform_id {
    struct object base;
    cl_uint n_devices;
    struct _cl_device_id devices[MAX_DEVICES];
};

/* Opens the devices at first use; the platform may have none. */
cl_platform_id platform_get(void);
/* Whether it is a device of the platform; any pointer is allowed. */
bool device_known(cl_device_id dev);
/* ns: what clGetHostTimer tells. */
cl_ulong host_clock(void);
cl_ulong device_clock(cl_device_id dev); /* now, ns */
cl_ulong device_ticks_to_ns(cl_device_id dev, uint64_t ticks);
/* Work-items of a group of this device at most, whatever the kernel. */
size_t device_max_group_size(cl_device_id dev);
static inline bool device_has_images(cl_device_id dev)
{
    return dev->has_images;
}
/* CL_DEVICE_MAX_NUM_SUB_GROUPS: 0 without sub-groups. */
cl_uint device_max_sub_groups(cl_device_id dev);
/* Pixels of a 1D image over a buffer. */
size_t device_max_image_buffer(cl_device_id dev);
size_t device_max_globals(cl_device_id dev); /* bytes of program-scope variables */

/* The answer to a clGet...Info call: where its value goes. */
struct query {
    size_t size;
    void *value;
    size_t *size_ret;
};
cl_int query_put(const struct query *q, const void *data, size_t size);
cl_int query_string(const struct query *q, const char *s);

cl_int platform_query(cl_platform_id p, cl_platform_info name, const struct query *q);
cl_int device_query(cl_device_id dev, cl_device_info name, const struct query *q);

/* What we call ourselves. */
enum { BEIGNET_VERSION_MAJOR = 2, BEIGNET_VERSION_MINOR = 0, BEIGNET_VERSION_PATCH = 0 };
#define BEIGNET_VERSION_STRING "2.0.0"
/* Of the API; and of the language without -cl-std: a device that lacks features of 2.0 says 1.2
 * there. */
#define BEIGNET_CL_VERSION "OpenCL 3.0 beignet " BEIGNET_VERSION_STRING
#define BEIGNET_CL_NUMERIC CL_MAKE_VERSION(3, 0, 0)
/* Without our name: programs (darktable) refuse devices of the old driver of that name by it. */
#define BEIGNET_DEVICE_VERSION "OpenCL 3.0 driver " BEIGNET_VERSION_STRING
#define BEIGNET_CLC_VERSION    "OpenCL C 1.2 driver " BEIGNET_VERSION_STRING
/* Alignment of sub-buffers, bytes. */
enum { MEM_ALIGN = 128 };

#endif
