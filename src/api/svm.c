/* Shared virtual memory. */
#include "src/api/api.h"

/* Of the flags that clSVMAlloc takes besides those of access. */
static const cl_svm_mem_flags grain = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;

static bool flags_valid(cl_context ctx, cl_svm_mem_flags flags)
{
    cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    cl_device_svm_capabilities has = svm_context_capabilities(ctx);
    if (flags & ~(access | grain) || (flags & access & ((flags & access) - 1)))
        return false;
    if (flags & CL_MEM_SVM_ATOMICS && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        return false;
    return has & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER &&
           (!(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) || has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) &&
           (!(flags & CL_MEM_SVM_ATOMICS) || has & CL_DEVICE_SVM_ATOMICS);
}

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    enum { LARGEST_TYPE = 128, LARGEST_ALIGNMENT = 2 << 20 };
    if (!is_context(context) || !flags_valid(context, flags) || size == 0)
        return NULL;
    for (cl_uint i = 0; i < context->n_devices; i++)
        if (size > context->devices[i]->budget.max_alloc)
            return NULL;
    if (alignment & (alignment - 1) || alignment > LARGEST_ALIGNMENT)
        return NULL;
    return svm_alloc(context, flags & ~grain, size, alignment ? alignment : LARGEST_TYPE);
}

void clSVMFree(cl_context context, void *svm_pointer)
{
    if (is_context(context) && svm_pointer)
        svm_free(context, svm_pointer);
}

static cl_int check_queue(cl_command_queue queue)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    return svm_capabilities(queue->device) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

cl_int clEnqueueSVMFree(cl_command_queue queue, cl_uint num_svm_pointers, void *svm_pointers[],
                        void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[],
                                                         void *),
                        void *user_data, cl_uint n, const cl_event *waits, cl_event *event)
{
    cl_int err = check_queue(queue);
    if (!err && (num_svm_pointers == 0) != (svm_pointers == NULL))
        err = CL_INVALID_VALUE;
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : svm_free_enqueue(queue, num_svm_pointers, svm_pointers, pfn_free_func, user_data,
                                  n, waits, event);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking_copy, void *dst_ptr,
                          const void *src_ptr, size_t size, cl_uint n, const cl_event *waits,
                          cl_event *event)
{
    cl_int err = check_queue(queue);
    if (!err && (!dst_ptr || !src_ptr))
        err = CL_INVALID_VALUE;
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    uintptr_t dst = (uintptr_t)dst_ptr, src = (uintptr_t)src_ptr;
    if (!err && dst < src + size && src < dst + size)
        err = CL_MEM_COPY_OVERLAP;
    return err ? err
               : svm_copy_enqueue(queue, blocking_copy, dst_ptr, src_ptr, size, n, waits, event);
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void *svm_ptr, const void *pattern,
                           size_t pattern_size, size_t size, cl_uint n, const cl_event *waits,
                           cl_event *event)
{
    cl_int err = check_queue(queue);
    if (!err && (!svm_ptr || !pattern || pattern_size == 0 || pattern_size > 128 ||
                 (pattern_size & (pattern_size - 1)) || (uintptr_t)svm_ptr % pattern_size ||
                 size % pattern_size || svm_room(queue->ctx, svm_ptr) < size))
        err = CL_INVALID_VALUE;
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : svm_fill_enqueue(queue, svm_ptr, pattern, pattern_size, size, n, waits, event);
}

cl_int clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking_map, cl_map_flags flags,
                       void *svm_ptr, size_t size, cl_uint n, const cl_event *waits,
                       cl_event *event)
{
    cl_int err = check_queue(queue);
    if (!err && (!svm_ptr || size == 0 || !api_map_flags_valid(flags) ||
                 svm_room(queue->ctx, svm_ptr) < size))
        err = CL_INVALID_VALUE;
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : svm_turn_enqueue(queue, CL_COMMAND_SVM_MAP, blocking_map, 1,
                                  (const void *const *)&svm_ptr, n, waits, event);
}

cl_int clEnqueueSVMUnmap(cl_command_queue queue, void *svm_ptr, cl_uint n, const cl_event *waits,
                         cl_event *event)
{
    cl_int err = check_queue(queue);
    if (!err && (!svm_ptr || !svm_room(queue->ctx, svm_ptr)))
        err = CL_INVALID_VALUE;
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : svm_turn_enqueue(queue, CL_COMMAND_SVM_UNMAP, false, 1,
                                  (const void *const *)&svm_ptr, n, waits, event);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint num_svm_pointers,
                              const void **svm_pointers, const size_t *sizes,
                              cl_mem_migration_flags flags, cl_uint n, const cl_event *waits,
                              cl_event *event)
{
    static const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    cl_int err = check_queue(queue);
    if (!err && (num_svm_pointers == 0 || !svm_pointers || flags & ~known))
        err = CL_INVALID_VALUE;
    for (cl_uint i = 0; !err && i < num_svm_pointers; i++) {
        size_t room = svm_room(queue->ctx, svm_pointers[i]);
        if (!room || (sizes && sizes[i] > room))
            err = CL_INVALID_VALUE;
    }
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : svm_turn_enqueue(queue, CL_COMMAND_SVM_MIGRATE_MEM, false, num_svm_pointers,
                                  svm_pointers, n, waits, event);
}
