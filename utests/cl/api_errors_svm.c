/* Error conditions of shared virtual memory, on devices that have it; and the answers of those that
 * don't. */
#include "api_errors.h"

static char *p;

static void commands(void)
{
    void *pointers[1] = {p};
    const void *const_pointers[1] = {p}, *outside[1] = {bytes};
    size_t too_large = 4097;
#define FREE(queue, n, list, n_waits, waits)                                                       \
    clEnqueueSVMFree(queue, n, list, NULL, NULL, n_waits, waits, NULL)
    E(clEnqueueSVMFree, 3, FREE(q, 0, pointers, 0, NULL));
    E(clEnqueueSVMFree, 3, FREE(q, 1, NULL, 0, NULL));
    cl_event wrong = WRONG(cl_event);
    E(clEnqueueSVMFree, 4, FREE(q, 1, pointers, 1, NULL));
    E(clEnqueueSVMFree, 5, FREE(q, 1, pointers, 0, &done));
    E(clEnqueueSVMFree, 6, FREE(q, 1, pointers, 1, &wrong));

#define COPY(dst, src, n_waits, waits)                                                             \
    clEnqueueSVMMemcpy(q, CL_TRUE, dst, src, 64, n_waits, waits, NULL)
#define COPY_WAITS(n, list) COPY(p, p + 64, n, list)
    E(clEnqueueSVMMemcpy, 4, COPY(NULL, p, 0, NULL));
    E(clEnqueueSVMMemcpy, 5, COPY(p, NULL, 0, NULL));
    WAITS(clEnqueueSVMMemcpy, 3, 6, 7, 8, COPY_WAITS);
    E(clEnqueueSVMMemcpy, 9, COPY_WAITS(1, &failed));
    E(clEnqueueSVMMemcpy, 10, COPY(p, p + 63, 0, NULL));
    E(clEnqueueSVMMemcpy, 10, COPY(p + 63, p, 0, NULL));

#define FILL(to, from, n, size) clEnqueueSVMMemFill(q, to, from, n, size, 0, NULL, NULL)
#define FILL_WAITS(n, list)     clEnqueueSVMMemFill(q, p, bytes, 4, 64, n, list, NULL)
    E(clEnqueueSVMMemFill, 4, FILL(NULL, bytes, 4, 64));
    E(clEnqueueSVMMemFill, 5, FILL(p + 2, bytes, 4, 64));
    E(clEnqueueSVMMemFill, 6, FILL(p, NULL, 4, 64));
    E(clEnqueueSVMMemFill, 7, FILL(p, bytes, 0, 64));
    E(clEnqueueSVMMemFill, 8, FILL(p, bytes, 3, 66));
    E(clEnqueueSVMMemFill, 9, FILL(p, bytes, 256, 256));
    E(clEnqueueSVMMemFill, 10, FILL(p, bytes, 4, 66));
    WAITS(clEnqueueSVMMemFill, 3, 11, 12, 13, FILL_WAITS);

#define MAP(at, n, flags)    clEnqueueSVMMap(q, CL_TRUE, flags, at, n, 0, NULL, NULL)
#define MAP_WAITS(n, list)   clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, p, 64, n, list, NULL)
#define UNMAP_WAITS(n, list) clEnqueueSVMUnmap(q, p, n, list, NULL)
    E(clEnqueueSVMMap, 4, MAP(NULL, 64, CL_MAP_READ));
    E(clEnqueueSVMMap, 5, MAP(p, 0, CL_MAP_READ));
    E(clEnqueueSVMMap, 6, MAP(p, 64, 1u << 20));
    E(clEnqueueSVMMap, 6, MAP(p, 64, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION));
    WAITS(clEnqueueSVMMap, 3, 7, 8, 9, MAP_WAITS);
    E(clEnqueueSVMMap, 10, MAP_WAITS(1, &failed));
    E(clEnqueueSVMUnmap, 4, clEnqueueSVMUnmap(q, NULL, 0, NULL, NULL));
    WAITS(clEnqueueSVMUnmap, 3, 5, 6, 7, UNMAP_WAITS);

#define MIGRATE(n, list, sizes, flags)                                                             \
    clEnqueueSVMMigrateMem(q, n, list, sizes, flags, 0, NULL, NULL)
#define MIGRATE_WAITS(n, list) clEnqueueSVMMigrateMem(q, 1, const_pointers, NULL, 0, n, list, NULL)
    E(clEnqueueSVMMigrateMem, 4, MIGRATE(0, const_pointers, NULL, 0));
    E(clEnqueueSVMMigrateMem, 5, MIGRATE(1, NULL, NULL, 0));
    E(clEnqueueSVMMigrateMem, 6, MIGRATE(1, const_pointers, NULL, 1u << 20));
    E(clEnqueueSVMMigrateMem, 7, MIGRATE(1, const_pointers, &too_large, 0));
    E(clEnqueueSVMMigrateMem, 7, MIGRATE(1, outside, NULL, 0));
    WAITS(clEnqueueSVMMigrateMem, 3, 8, 9, 10, MIGRATE_WAITS);
}

static void allocations(cl_device_svm_capabilities caps)
{
#define NOT(n, ...) provoked_result("clSVMAlloc", n, !clSVMAlloc(__VA_ARGS__), __LINE__)
    cl_ulong max;
    REQUIRE(!clGetDeviceInfo(dev, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL));
    NOT(1, (cl_context)q, CL_MEM_READ_WRITE, 64, 0);
    NOT(2, ctx, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 64, 0);
    NOT(3, ctx, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0);
    NOT(3, ctx, CL_MEM_USE_HOST_PTR, 64, 0);
    if (!(caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        NOT(4, ctx, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    if (!(caps & CL_DEVICE_SVM_ATOMICS))
        NOT(4, ctx, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0);
    NOT(5, ctx, CL_MEM_READ_WRITE, 0, 0);
    NOT(5, ctx, CL_MEM_READ_WRITE, max + 1, 0);
    NOT(6, ctx, CL_MEM_READ_WRITE, 64, 3);
    NOT(6, ctx, CL_MEM_READ_WRITE, 64, 1u << 31);
    N(clCreateBuffer, 12, clCreateBuffer(ctx, CL_MEM_USE_HOST_PTR, 4097, p, &err));
    N(clCreateBuffer, 12, clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, 64, p + 4095, &err));
    N(clCreateBufferWithProperties, 12,
      clCreateBufferWithProperties(ctx, NULL, CL_MEM_USE_HOST_PTR, 4097, p, &err));
    E(clSetKernelArgSVMPointer, 3, clSetKernelArgSVMPointer(k, 1, p));
    E(clSetKernelArgSVMPointer, 4, clSetKernelArgSVMPointer(args_k, 1, p));
    E(clSetKernelArgSVMPointer, 4, clSetKernelArgSVMPointer(k, 0, bytes));
}

/* The rows of a function that only a device with shared virtual memory can provoke. */
static void none_here(const char *function, int first, int last)
{
    for (int i = first; i <= last; i++)
        not_here(function, i);
}

void test_svm(void)
{
    cl_command_queue wrong = WRONG(cl_command_queue);
    cl_device_svm_capabilities caps;
    void *list[1] = {bytes};
    const void *const_list[1] = {bytes};
    REQUIRE(!clGetDeviceInfo(dev, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
    E(clSetKernelArgSVMPointer, 1, clSetKernelArgSVMPointer(WRONG(cl_kernel), 0, bytes));
    clSVMFree(ctx, NULL);
    provoked_result("clSVMFree", 1, true, __LINE__);
#define BOTH(fn, ...)                                                                              \
    E(fn, 1, fn(wrong, __VA_ARGS__, 0, NULL, NULL));                                               \
    if (caps)                                                                                      \
        not_here(#fn, 2);                                                                          \
    else                                                                                           \
        E(fn, 2, fn(q, __VA_ARGS__, 0, NULL, NULL))
    BOTH(clEnqueueSVMFree, 1, list, NULL, NULL);
    BOTH(clEnqueueSVMMemcpy, CL_TRUE, bytes, bytes + 64, 4);
    BOTH(clEnqueueSVMMemFill, bytes, bytes + 64, 4, 4);
    BOTH(clEnqueueSVMMap, CL_TRUE, CL_MAP_READ, bytes, 4);
    BOTH(clEnqueueSVMUnmap, bytes);
    BOTH(clEnqueueSVMMigrateMem, 1, const_list, NULL, 0);
    if (caps) {
        p = clSVMAlloc(ctx, CL_MEM_READ_WRITE, 4096, 0);
        REQUIRE(p);
        allocations(caps);
        commands();
        clSVMFree(ctx, p);
        not_here("clSetKernelArgSVMPointer", 2);
        not_here("clSetKernelExecInfo", 2);
        return;
    }
    provoked_result("clSVMAlloc", 1, !clSVMAlloc(ctx, CL_MEM_READ_WRITE, 64, 0), __LINE__);
    E(clSetKernelArgSVMPointer, 2, clSetKernelArgSVMPointer(k, 0, bytes));
    E(clSetKernelExecInfo, 2,
      clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list));
    none_here("clSVMAlloc", 2, 6);
    none_here("clCreateBuffer", 12, 12);
    none_here("clCreateBufferWithProperties", 12, 12);
    none_here("clSetKernelArgSVMPointer", 3, 4);
    none_here("clEnqueueSVMFree", 3, 6);
    none_here("clEnqueueSVMMemcpy", 3, 10);
    none_here("clEnqueueSVMMemFill", 3, 13);
    none_here("clEnqueueSVMMap", 3, 10);
    none_here("clEnqueueSVMUnmap", 3, 7);
    none_here("clEnqueueSVMMigrateMem", 3, 10);
}
