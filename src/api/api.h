/* What the entry points share: tests of handles and wait lists, and how errors go out. An entry
 * point checks its arguments in the order in which the specification lists the errors, takes no
 * lock, and calls core.
 */
#ifndef API_API_H
#define API_API_H

#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/event.h"
#include "src/core/kernel.h"
#include "src/core/mem.h"
#include "src/core/object.h"
#include "src/core/program.h"
#include "src/core/queue.h"
#include "src/core/sampler.h"
#include "src/core/svm.h"
#include "src/core/types.h"

#pragma GCC visibility push(default)
#include <CL/cl_gl.h>
extern CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                              cl_platform_id *platforms,
                                                              cl_uint *num_platforms);
extern CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithPropertiesKHR(
    cl_context context, cl_device_id device, const cl_queue_properties_khr *properties,
    cl_int *errcode_ret);
extern CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithILKHR(cl_context context,
                                                                    const void *il, size_t length,
                                                                    cl_int *errcode_ret);
extern CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(
    cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
    size_t input_value_size, const void *input_value, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret);
extern CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(
    cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
    const size_t *global_work_offset, const size_t *global_work_size,
    size_t *suggested_local_work_size);
extern CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireExternalMemObjectsKHR(
    cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event);
extern CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseExternalMemObjectsKHR(
    cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event);
#pragma GCC visibility pop

static inline bool is_platform(cl_platform_id p)
{
    return p && p == platform_get();
}
static inline bool is_device(cl_device_id d)
{
    return device_known(d);
}
static inline bool is_context(cl_context c)
{
    return object_valid(c, OBJECT_CONTEXT);
}
static inline bool is_queue(cl_command_queue q)
{
    return object_valid(q, OBJECT_QUEUE);
}
static inline bool is_mem(cl_mem m)
{
    return object_valid(m, OBJECT_MEM);
}
static inline bool is_buffer(cl_mem m)
{
    return is_mem(m) && !m->image;
}
static inline bool is_image(cl_mem m)
{
    return is_mem(m) && m->image;
}
static inline bool is_sampler(cl_sampler s)
{
    return object_valid(s, OBJECT_SAMPLER);
}
static inline bool is_program(cl_program p)
{
    return object_valid(p, OBJECT_PROGRAM);
}
static inline bool is_kernel(cl_kernel k)
{
    return object_valid(k, OBJECT_KERNEL);
}
static inline bool is_event(cl_event e)
{
    return object_valid(e, OBJECT_EVENT);
}

/* For functions that return an object: stores the code where it is wanted. */
static inline void *api_fail(cl_int *errcode_ret, cl_int err)
{
    if (errcode_ret)
        *errcode_ret = err;
    return NULL;
}

/* err is CL_SUCCESS or why there is no object. */
#define API_RETURN(errcode_ret, err, object)                                                       \
    ((err) ? api_fail(errcode_ret, err) : (api_fail(errcode_ret, CL_SUCCESS), (object)))

/* Memory flags by themselves, and of a part or view of an object. */
bool api_mem_flags_valid(cl_mem_flags f);
bool api_view_flags_valid(cl_mem parent, cl_mem_flags flags);
/* CL_INVALID_PROPERTY, CL_INVALID_DEVICE. */
cl_int api_mem_properties(cl_context ctx, const cl_mem_properties *list,
                          struct mem_properties *out);
enum host_use { HOST_READS, HOST_WRITES };
/* What the object's creation allows the host: CL_INVALID_OPERATION. */
cl_int api_check_host(cl_mem mem, enum host_use use);
bool api_map_flags_valid(cl_map_flags flags);
cl_int api_check_map_host(cl_mem mem, cl_map_flags flags);
/* Whether some device of the context has images. */
bool api_has_images(cl_context ctx);
/* Shape, entries, contexts. */
cl_int api_check_waits(cl_context ctx, cl_uint n, const cl_event *waits);
/* The devices that a program call names: all of `all` where the list is NULL. CL_INVALID_VALUE or
 * CL_INVALID_DEVICE; duplicates are dropped. *out is malloc'ed. */
cl_int api_check_devices(cl_uint n_all, const cl_device_id *all, cl_uint n,
                         const cl_device_id *devices, cl_uint *n_out, cl_device_id **out);
/* Entries of a list of (name, value) pairs, its final 0 included; 0 for NULL. */
size_t api_count_properties(const intptr_t *properties);
/* offset + size <= limit, without overflow */
static inline bool api_in_range(size_t offset, size_t size, size_t limit)
{
    return offset <= limit && size <= limit - offset;
}

#define API_QUERY(n, to, n_ret) (&(struct query){n, to, n_ret})
#define API_PUT(q, type, v)     query_put(q, &(type){v}, sizeof(type))

#endif
