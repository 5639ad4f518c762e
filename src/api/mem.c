/* Memory objects: creation, queries, lifetimes. */
#include "src/api/api.h"
#include "src/core/image.h"

static const cl_mem_flags device_access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags host_access =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_ptr_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

static bool several(cl_mem_flags f)
{
    return (f & (f - 1)) != 0;
}

bool api_mem_flags_valid(cl_mem_flags f)
{
    return !(f & ~(device_access | host_access | host_ptr_flags)) && !several(f & device_access) &&
           !several(f & host_access) &&
           !(f & CL_MEM_USE_HOST_PTR && f & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

bool api_view_flags_valid(cl_mem parent, cl_mem_flags flags)
{
    cl_mem_flags has = parent->access;
    return api_mem_flags_valid(flags) && !(flags & host_ptr_flags) &&
           !(has & CL_MEM_WRITE_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) &&
           !(has & CL_MEM_READ_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) &&
           !(has & CL_MEM_HOST_WRITE_ONLY && flags & CL_MEM_HOST_READ_ONLY) &&
           !(has & CL_MEM_HOST_READ_ONLY && flags & CL_MEM_HOST_WRITE_ONLY) &&
           !(has & CL_MEM_HOST_NO_ACCESS && flags & host_access);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host_ptr,
                                    cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    struct mem_properties props;
    cl_int err = api_mem_properties(context, properties, &props);
    if (err)
        return api_fail(errcode_ret, err);
    if (!api_mem_flags_valid(flags) || (props.external && flags & host_ptr_flags))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    bool fits = false;
    for (cl_uint i = 0; i < context->n_devices; i++)
        fits |= size <= context->devices[i]->budget.max_alloc;
    if (size == 0 || !fits)
        return api_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if ((host_ptr != NULL) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0))
        return api_fail(errcode_ret, CL_INVALID_HOST_PTR);
    size_t svm = host_ptr ? svm_room(context, host_ptr) : 0;
    if (svm && svm < size)
        return api_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    cl_mem mem = NULL;
    err = mem_new(context, flags, size, host_ptr, NULL, &props, &mem);
    return API_RETURN(errcode_ret, err, mem);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      cl_int *errcode_ret)
{
    return clCreateBufferWithProperties(context, NULL, flags, size, host_ptr, errcode_ret);
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *info, cl_int *errcode_ret)
{
    if (!is_buffer(buffer) || buffer->parent)
        return api_fail(errcode_ret, CL_INVALID_MEM_OBJECT);
    if (!api_view_flags_valid(buffer, flags))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !info)
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    const cl_buffer_region *region = info;
    if (!api_in_range(region->origin, region->size, buffer->size))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    if (region->size == 0)
        return api_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if (region->origin % MEM_ALIGN)
        return api_fail(errcode_ret, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem mem = NULL;
    cl_int err = mem_new_sub(buffer, flags, region->origin, region->size, &mem);
    return API_RETURN(errcode_ret, err, mem);
}

cl_int clRetainMemObject(cl_mem mem)
{
    if (!is_mem(mem))
        return CL_INVALID_MEM_OBJECT;
    object_api_retain(&mem->base);
    return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem mem)
{
    if (!is_mem(mem) || !object_api_release(&mem->base))
        return CL_INVALID_MEM_OBJECT;
    return CL_SUCCESS;
}

cl_int clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                        void *user_data)
{
    if (!is_mem(mem))
        return CL_INVALID_MEM_OBJECT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return mem_add_destructor(mem, pfn_notify, user_data);
}

cl_int clGetMemObjectInfo(cl_mem mem, cl_mem_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret)
{
    if (!is_mem(mem))
        return CL_INVALID_MEM_OBJECT;
    const struct image *im = mem->image;
    const struct query *q = API_QUERY(param_value_size, param_value, param_value_size_ret);
    switch (param_name) {
    case CL_MEM_TYPE:
        return API_PUT(q, cl_mem_object_type, im ? im->type : CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return API_PUT(q, cl_mem_flags, mem->flags);
    case CL_MEM_SIZE:
        return API_PUT(q, size_t, im ? image_bytes(im) : mem->size);
    case CL_MEM_HOST_PTR:
        return API_PUT(q, void *, mem->host_ptr);
    case CL_MEM_MAP_COUNT:
        return API_PUT(q, cl_uint, map_count(mem));
    case CL_MEM_REFERENCE_COUNT:
        return API_PUT(q, cl_uint, object_api_refs(&mem->base));
    case CL_MEM_CONTEXT:
        return API_PUT(q, cl_context, mem->ctx);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return API_PUT(q, cl_mem, im ? im->buffer : mem->parent);
    case CL_MEM_OFFSET:
        return API_PUT(q, size_t, im ? 0 : mem->origin);
    case CL_MEM_USES_SVM_POINTER:
        return API_PUT(q, cl_bool, mem->uses_svm);
    case CL_MEM_PROPERTIES:
        return query_put(q, mem->properties, mem->n_properties * sizeof *mem->properties);
    }
    return CL_INVALID_VALUE;
}

/* Pipes are not offered. */
cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                    cl_uint max_packets, const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    return api_fail(errcode_ret, is_context(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                     void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}
