/* Error conditions of buffers: creation, transfers, mapping. */
#include "api_errors.h"

enum { FLAG_MIX = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY };
static cl_buffer_region region(size_t origin, size_t size)
{
    return (cl_buffer_region){origin, size};
}

static void creation(void)
{
    cl_mem_properties unknown[] = {0x7777, 1, 0};
    size_t huge = (size_t)1 << 50;
#define CREATE(flags, size, ptr) clCreateBuffer(ctx, flags, size, ptr, &err)
    N(clCreateBuffer, 1, clCreateBuffer((cl_context)q, 0, 64, NULL, &err));
    N(clCreateBuffer, 8, CREATE(FLAG_MIX, 64, NULL));
    N(clCreateBuffer, 8, CREATE((cl_mem_flags)1 << 40, 64, NULL));
    N(clCreateBuffer, 8, CREATE(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 64, NULL));
    N(clCreateBuffer, 8, CREATE(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, bytes));
    N(clCreateBuffer, 8, CREATE(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, bytes));
    N(clCreateBuffer, 10, CREATE(0, 0, NULL));
    N(clCreateBuffer, 11, CREATE(0, huge, NULL));
    N(clCreateBuffer, 13, CREATE(CL_MEM_USE_HOST_PTR, 64, NULL));
    N(clCreateBuffer, 13, CREATE(CL_MEM_COPY_HOST_PTR, 64, NULL));
    N(clCreateBuffer, 14, CREATE(0, 64, bytes));
#define WITH(properties, flags, size, ptr)                                                         \
    clCreateBufferWithProperties(ctx, properties, flags, size, ptr, &err)
    N(clCreateBufferWithProperties, 1,
      clCreateBufferWithProperties((cl_context)q, NULL, 0, 64, NULL, &err));
    N(clCreateBufferWithProperties, 2, WITH(unknown, 0, 64, NULL));
    N(clCreateBufferWithProperties, 8, WITH(NULL, FLAG_MIX, 64, NULL));
    N(clCreateBufferWithProperties, 10, WITH(NULL, 0, 0, NULL));
    N(clCreateBufferWithProperties, 11, WITH(NULL, 0, huge, NULL));
    N(clCreateBufferWithProperties, 13, WITH(NULL, CL_MEM_COPY_HOST_PTR, 64, NULL));
    N(clCreateBufferWithProperties, 14, WITH(NULL, 0, 64, bytes));

    cl_buffer_region r = region(0, 128), outside = region(4096, 128),
                     far = region(SIZE_MAX - 63, 128), empty = region(0, 0), odd = region(4, 64);
#define SUB(buffer, flags, r)                                                                      \
    clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, r, &err)
    N(clCreateSubBuffer, 1, SUB(WRONG(cl_mem), 0, &r));
    N(clCreateSubBuffer, 1, SUB(im2, 0, &r));
    N(clCreateSubBuffer, 2, SUB(sub, 0, &r));
    N(clCreateSubBuffer, 3, SUB(only_write, CL_MEM_READ_WRITE, &r));
    N(clCreateSubBuffer, 3, SUB(only_write, CL_MEM_READ_ONLY, &r));
    N(clCreateSubBuffer, 4, SUB(only_read, CL_MEM_READ_WRITE, &r));
    N(clCreateSubBuffer, 4, SUB(only_read, CL_MEM_WRITE_ONLY, &r));
    N(clCreateSubBuffer, 5, SUB(host_write, CL_MEM_HOST_READ_ONLY, &r));
    N(clCreateSubBuffer, 6, SUB(host_read, CL_MEM_HOST_WRITE_ONLY, &r));
    N(clCreateSubBuffer, 7, SUB(host_none, CL_MEM_HOST_READ_ONLY, &r));
    N(clCreateSubBuffer, 7, SUB(host_none, CL_MEM_HOST_WRITE_ONLY, &r));
    N(clCreateSubBuffer, 8, SUB(m, CL_MEM_USE_HOST_PTR, &r));
    N(clCreateSubBuffer, 8, SUB(m, CL_MEM_ALLOC_HOST_PTR, &r));
    N(clCreateSubBuffer, 8, SUB(m, CL_MEM_COPY_HOST_PTR, &r));
    N(clCreateSubBuffer, 9, clCreateSubBuffer(m, 0, 0x7777, &r, &err));
    N(clCreateSubBuffer, 10, SUB(m, 0, NULL));
    N(clCreateSubBuffer, 11, SUB(m, 0, &far));
    N(clCreateSubBuffer, 12, SUB(m, 0, &outside));
    N(clCreateSubBuffer, 13, SUB(m, 0, &empty));
    N(clCreateSubBuffer, 14, SUB(m, 0, &odd));
}

static void moves(void)
{
#define READ(queue, b, offset, size, ptr)                                                          \
    clEnqueueReadBuffer(queue, b, CL_TRUE, offset, size, ptr, 0, NULL, NULL)
#define WRITE(queue, b, offset, size, ptr)                                                         \
    clEnqueueWriteBuffer(queue, b, CL_TRUE, offset, size, ptr, 0, NULL, NULL)
#define MOVE(fn, CALL, forbidden)                                                                  \
    E(fn, 1, CALL(WRONG(cl_command_queue), m, 0, 4, bytes));                                       \
    E(fn, 2, CALL(q, other_m, 0, 4, bytes));                                                       \
    E(fn, 4, CALL(q, WRONG(cl_mem), 0, 4, bytes));                                                 \
    E(fn, 4, CALL(q, im2, 0, 4, bytes));                                                           \
    E(fn, 5, CALL(q, m, 4093, 4, bytes));                                                          \
    E(fn, 5, CALL(q, m, SIZE_MAX, 4, bytes));                                                      \
    E(fn, 6, CALL(q, m, 0, 4, NULL));                                                              \
    E(fn, 11, fn(q, m, CL_TRUE, 0, 4, bytes, 1, &failed, NULL));                                   \
    E(fn, 13, CALL(q, forbidden, 0, 4, bytes));                                                    \
    E(fn, 13, CALL(q, host_none, 0, 4, bytes))
    MOVE(clEnqueueReadBuffer, READ, host_write);
    MOVE(clEnqueueWriteBuffer, WRITE, host_read);
#define READ_WAITS(n, w)  clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, bytes, n, w, NULL)
#define WRITE_WAITS(n, w) clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, bytes, n, w, NULL)
    WAITS(clEnqueueReadBuffer, 3, 7, 8, 9, READ_WAITS);
    WAITS(clEnqueueWriteBuffer, 3, 7, 8, 9, WRITE_WAITS);
}

static void boxes(void)
{
    size_t at[3] = {0, 0, 0}, box[3] = {4, 4, 2}, far[3] = {4090, 0, 0}, flat[3] = {4, 0, 2};
#define BOX(fn, queue, b, origin, host_origin, box, row, slice, host_row, host_slice, ptr)         \
    fn(queue, b, CL_TRUE, origin, host_origin, box, row, slice, host_row, host_slice, ptr, 0,      \
       NULL, NULL)
#define BOXES(fn, forbidden)                                                                       \
    E(fn, 1, BOX(fn, WRONG(cl_command_queue), m, at, at, box, 0, 0, 0, 0, bytes));                 \
    E(fn, 2, BOX(fn, q, other_m, at, at, box, 0, 0, 0, 0, bytes));                                 \
    E(fn, 4, BOX(fn, q, WRONG(cl_mem), at, at, box, 0, 0, 0, 0, bytes));                           \
    E(fn, 4, BOX(fn, q, im2, at, at, box, 0, 0, 0, 0, bytes));                                     \
    E(fn, 5, BOX(fn, q, m, NULL, at, box, 0, 0, 0, 0, bytes));                                     \
    E(fn, 5, BOX(fn, q, m, at, NULL, box, 0, 0, 0, 0, bytes));                                     \
    E(fn, 5, BOX(fn, q, m, at, at, NULL, 0, 0, 0, 0, bytes));                                      \
    E(fn, 6, BOX(fn, q, m, far, at, box, 0, 0, 0, 0, bytes));                                      \
    E(fn, 7, BOX(fn, q, m, at, at, flat, 0, 0, 0, 0, bytes));                                      \
    E(fn, 8, BOX(fn, q, m, at, at, box, 3, 0, 0, 0, bytes));                                       \
    E(fn, 9, BOX(fn, q, m, at, at, box, 8, 24, 0, 0, bytes));                                      \
    E(fn, 10, BOX(fn, q, m, at, at, box, 8, 36, 0, 0, bytes));                                     \
    E(fn, 11, BOX(fn, q, m, at, at, box, 0, 0, 3, 0, bytes));                                      \
    E(fn, 12, BOX(fn, q, m, at, at, box, 0, 0, 8, 24, bytes));                                     \
    E(fn, 13, BOX(fn, q, m, at, at, box, 0, 0, 8, 36, bytes));                                     \
    E(fn, 14, BOX(fn, q, m, at, at, box, 0, 0, 0, 0, NULL));                                       \
    E(fn, 19, fn(q, m, CL_TRUE, at, at, box, 0, 0, 0, 0, bytes, 1, &failed, NULL));                \
    E(fn, 21, BOX(fn, q, forbidden, at, at, box, 0, 0, 0, 0, bytes));                              \
    E(fn, 21, BOX(fn, q, host_none, at, at, box, 0, 0, 0, 0, bytes))
    BOXES(clEnqueueReadBufferRect, host_write);
    BOXES(clEnqueueWriteBufferRect, host_read);
#define READ_BOX(n, w)                                                                             \
    clEnqueueReadBufferRect(q, m, CL_FALSE, at, at, box, 0, 0, 0, 0, bytes, n, w, NULL)
#define WRITE_BOX(n, w)                                                                            \
    clEnqueueWriteBufferRect(q, m, CL_FALSE, at, at, box, 0, 0, 0, 0, bytes, n, w, NULL)
    WAITS(clEnqueueReadBufferRect, 3, 15, 16, 17, READ_BOX);
    WAITS(clEnqueueWriteBufferRect, 3, 15, 16, 17, WRITE_BOX);

    size_t there[3] = {1024, 0, 0}, near[3] = {2, 0, 0};
#define COPY(queue, from, to, a, b, box, row_a, slice_a, row_b, slice_b)                           \
    clEnqueueCopyBufferRect(queue, from, to, a, b, box, row_a, slice_a, row_b, slice_b, 0, NULL,   \
                            NULL)
    E(clEnqueueCopyBufferRect, 1,
      COPY(WRONG(cl_command_queue), m, pixels, at, at, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 2, COPY(q, other_m, m, at, at, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 3, COPY(q, m, other_m, at, at, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 5, COPY(q, WRONG(cl_mem), m, at, at, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 6, COPY(q, m, im2, at, at, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 9, COPY(q, m, pixels, NULL, at, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 9, COPY(q, m, pixels, at, NULL, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 9, COPY(q, m, pixels, at, at, NULL, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 10, COPY(q, m, pixels, far, at, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 11, COPY(q, m, pixels, at, far, box, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 12, COPY(q, m, pixels, at, at, flat, 0, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 13, COPY(q, m, pixels, at, at, box, 3, 0, 0, 0));
    E(clEnqueueCopyBufferRect, 14, COPY(q, m, pixels, at, at, box, 8, 24, 0, 0));
    E(clEnqueueCopyBufferRect, 15, COPY(q, m, pixels, at, at, box, 8, 36, 0, 0));
    E(clEnqueueCopyBufferRect, 16, COPY(q, m, pixels, at, at, box, 0, 0, 3, 0));
    E(clEnqueueCopyBufferRect, 17, COPY(q, m, pixels, at, at, box, 0, 0, 8, 24));
    E(clEnqueueCopyBufferRect, 18, COPY(q, m, pixels, at, at, box, 0, 0, 8, 36));
    E(clEnqueueCopyBufferRect, 19, COPY(q, m, m, at, there, box, 8, 32, 16, 64));
    E(clEnqueueCopyBufferRect, 20, COPY(q, m, m, at, there, box, 8, 32, 8, 64));
    E(clEnqueueCopyBufferRect, 24, COPY(q, m, m, at, near, box, 0, 0, 0, 0));
    cl_mem half = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                    &(cl_buffer_region){1024 + 128, 1024}, &err);
    size_t same[3] = {128, 0, 0};
    E(clEnqueueCopyBufferRect, 25, COPY(q, sub, half, same, at, box, 0, 0, 0, 0));
#define COPY_WAITS(n, w) clEnqueueCopyBufferRect(q, m, pixels, at, at, box, 0, 0, 0, 0, n, w, NULL)
    WAITS(clEnqueueCopyBufferRect, 4, 21, 22, 23, COPY_WAITS);

#define PLAIN(queue, from, to, a, b, n) clEnqueueCopyBuffer(queue, from, to, a, b, n, 0, NULL, NULL)
    E(clEnqueueCopyBuffer, 1, PLAIN(WRONG(cl_command_queue), m, pixels, 0, 0, 4));
    E(clEnqueueCopyBuffer, 2, PLAIN(q, other_m, m, 0, 0, 4));
    E(clEnqueueCopyBuffer, 3, PLAIN(q, m, other_m, 0, 0, 4));
    E(clEnqueueCopyBuffer, 5, PLAIN(q, im2, m, 0, 0, 4));
    E(clEnqueueCopyBuffer, 6, PLAIN(q, m, WRONG(cl_mem), 0, 0, 4));
    E(clEnqueueCopyBuffer, 9, PLAIN(q, m, pixels, 4095, 0, 4));
    E(clEnqueueCopyBuffer, 10, PLAIN(q, m, pixels, 0, SIZE_MAX, 4));
    E(clEnqueueCopyBuffer, 14, PLAIN(q, m, m, 0, 2, 4));
    E(clEnqueueCopyBuffer, 15, PLAIN(q, sub, half, 130, 0, 4));
#define PLAIN_WAITS(n, w) clEnqueueCopyBuffer(q, m, pixels, 0, 0, 4, n, w, NULL)
    WAITS(clEnqueueCopyBuffer, 4, 11, 12, 13, PLAIN_WAITS);
    clReleaseMemObject(half);
}

static void fills(void)
{
#define FILL(queue, b, pattern, n, offset, size)                                                   \
    clEnqueueFillBuffer(queue, b, pattern, n, offset, size, 0, NULL, NULL)
    E(clEnqueueFillBuffer, 1, FILL(WRONG(cl_command_queue), m, bytes, 4, 0, 4));
    E(clEnqueueFillBuffer, 2, FILL(q, other_m, bytes, 4, 0, 4));
    E(clEnqueueFillBuffer, 4, FILL(q, im2, bytes, 4, 0, 4));
    E(clEnqueueFillBuffer, 5, FILL(q, m, bytes, 4, 4096, 4));
    E(clEnqueueFillBuffer, 6, FILL(q, m, NULL, 4, 0, 4));
    E(clEnqueueFillBuffer, 7, FILL(q, m, bytes, 0, 0, 4));
    E(clEnqueueFillBuffer, 8, FILL(q, m, bytes, 3, 0, 12));
    E(clEnqueueFillBuffer, 9, FILL(q, m, bytes, 256, 0, 256));
    E(clEnqueueFillBuffer, 10, FILL(q, m, bytes, 4, 2, 4));
    E(clEnqueueFillBuffer, 11, FILL(q, m, bytes, 4, 0, 6));
#define FILL_WAITS(n, w) clEnqueueFillBuffer(q, m, bytes, 4, 0, 4, n, w, NULL)
    WAITS(clEnqueueFillBuffer, 3, 12, 13, 14, FILL_WAITS);
}

static void mappings(void)
{
#define MAP(queue, b, flags, offset, size)                                                         \
    clEnqueueMapBuffer(queue, b, CL_TRUE, flags, offset, size, 0, NULL, NULL, &err)
    N(clEnqueueMapBuffer, 1, MAP(WRONG(cl_command_queue), m, CL_MAP_READ, 0, 4));
    N(clEnqueueMapBuffer, 2, MAP(q, other_m, CL_MAP_READ, 0, 4));
    N(clEnqueueMapBuffer, 4, MAP(q, im2, CL_MAP_READ, 0, 4));
    N(clEnqueueMapBuffer, 5, MAP(q, m, CL_MAP_READ, 4096, 4));
    N(clEnqueueMapBuffer, 6, MAP(q, m, CL_MAP_READ, 0, 0));
    N(clEnqueueMapBuffer, 7, MAP(q, m, 1 << 10, 0, 4));
    N(clEnqueueMapBuffer, 7, MAP(q, m, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4));
    N(clEnqueueMapBuffer, 13,
      clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 4, 1, &failed, NULL, &err));
    N(clEnqueueMapBuffer, 15, MAP(q, host_write, CL_MAP_READ, 0, 4));
    N(clEnqueueMapBuffer, 15, MAP(q, host_none, CL_MAP_READ, 0, 4));
    N(clEnqueueMapBuffer, 16, MAP(q, host_read, CL_MAP_WRITE, 0, 4));
    N(clEnqueueMapBuffer, 16, MAP(q, host_none, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4));
#define MAP_WAITS(n, w)                                                                            \
    (CHECK(!clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, 4, n, w, NULL, &err)), err)
    WAITS(clEnqueueMapBuffer, 3, 8, 9, 10, MAP_WAITS);

    void *p = MAP(q, m, CL_MAP_WRITE, 0, 64);
    REQUIRE(p);
    N(clEnqueueMapBuffer, 17, MAP(q, m, CL_MAP_WRITE, 32, 64));
#define UNMAP(queue, b, p) clEnqueueUnmapMemObject(queue, b, p, 0, NULL, NULL)
    E(clEnqueueUnmapMemObject, 1, UNMAP(WRONG(cl_command_queue), m, p));
    E(clEnqueueUnmapMemObject, 2, UNMAP(q, WRONG(cl_mem), p));
    E(clEnqueueUnmapMemObject, 3, UNMAP(q, m, bytes));
    E(clEnqueueUnmapMemObject, 9, UNMAP(other_q, m, p));
#define UNMAP_WAITS(n, w) clEnqueueUnmapMemObject(q, m, p, n, w, NULL)
    WAITS(clEnqueueUnmapMemObject, 10, 4, 5, 6, UNMAP_WAITS);
    CHECK(UNMAP(q, m, p) == CL_SUCCESS && clFinish(q) == CL_SUCCESS);
    E(clEnqueueUnmapMemObject, 3, UNMAP(q, m, p)); /* once only */

    cl_mem wrong = WRONG(cl_mem);
#define MIGRATE(queue, n, list, flags)                                                             \
    clEnqueueMigrateMemObjects(queue, n, list, flags, 0, NULL, NULL)
    E(clEnqueueMigrateMemObjects, 1, MIGRATE(WRONG(cl_command_queue), 1, &m, 0));
    E(clEnqueueMigrateMemObjects, 2, MIGRATE(q, 1, &other_m, 0));
    E(clEnqueueMigrateMemObjects, 4, MIGRATE(q, 1, &wrong, 0));
    E(clEnqueueMigrateMemObjects, 5, MIGRATE(q, 0, &m, 0));
    E(clEnqueueMigrateMemObjects, 5, MIGRATE(q, 1, NULL, 0));
    E(clEnqueueMigrateMemObjects, 6, MIGRATE(q, 1, &m, 4));
#define MIGRATE_WAITS(n, w) clEnqueueMigrateMemObjects(q, 1, &m, 0, n, w, NULL)
    WAITS(clEnqueueMigrateMemObjects, 3, 7, 8, 9, MIGRATE_WAITS);
}

void test_buffers(void)
{
    creation();
    moves();
    boxes();
    fills();
    mappings();
    E(clRetainMemObject, 1, clRetainMemObject(WRONG(cl_mem)));
    E(clReleaseMemObject, 1, clReleaseMemObject(WRONG(cl_mem)));
    E(clSetMemObjectDestructorCallback, 1,
      clSetMemObjectDestructorCallback(WRONG(cl_mem), (void (*)(cl_mem, void *))abort, NULL));
    E(clSetMemObjectDestructorCallback, 2, clSetMemObjectDestructorCallback(m, NULL, NULL));
    QUERY(clGetMemObjectInfo, 1, 3, 4, WRONG(cl_mem), m, CL_MEM_SIZE);
}
