/* Reading, writing, copying, filling and mapping buffers. */
#include "src/api/api.h"
#include "src/core/transfer.h"

#include <string.h>

/* Queue, buffer and wait list of a call that moves data. */
static cl_int check_buffer(cl_command_queue queue, cl_mem buffer, cl_uint n, const cl_event *waits)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_buffer(buffer))
        return CL_INVALID_MEM_OBJECT;
    if (buffer->ctx != queue->ctx)
        return CL_INVALID_CONTEXT;
    return api_check_waits(queue->ctx, n, waits);
}

cl_int api_check_host(cl_mem mem, enum host_use use)
{
    cl_mem_flags no = CL_MEM_HOST_NO_ACCESS |
                      (use == HOST_READS ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
    return mem->access & no ? CL_INVALID_OPERATION : CL_SUCCESS;
}

bool api_map_flags_valid(cl_map_flags flags)
{
    static const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    return !(flags & ~known) &&
           !(flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE));
}

cl_int api_check_map_host(cl_mem mem, cl_map_flags flags)
{
    cl_int err = flags & CL_MAP_READ ? api_check_host(mem, HOST_READS) : CL_SUCCESS;
    if (!err && flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        err = api_check_host(mem, HOST_WRITES);
    return err;
}

static cl_int linear(cl_command_queue queue, cl_command_type type, enum host_use use, cl_mem buffer,
                     cl_bool blocking, size_t offset, size_t size, void *ptr, cl_uint n,
                     const cl_event *waits, cl_event *event)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_buffer(buffer))
        return CL_INVALID_MEM_OBJECT;
    if (buffer->ctx != queue->ctx)
        return CL_INVALID_CONTEXT;
    if (!api_in_range(offset, size, buffer->size) || !ptr)
        return CL_INVALID_VALUE;
    cl_int err = api_check_waits(queue->ctx, n, waits);
    if (!err)
        err = api_check_host(buffer, use);
    if (err)
        return err;
    struct transfer_side mem = {.mem = buffer, .box = {.offset = offset}};
    struct transfer_side host = {.host = ptr};
    bool read = use == HOST_READS;
    return transfer_enqueue(queue, type, read ? &host : &mem, read ? &mem : &host,
                            (size_t[3]){size, 1, 1}, blocking, n, waits, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void *ptr, cl_uint n, const cl_event *waits,
                           cl_event *event)
{
    return linear(queue, CL_COMMAND_READ_BUFFER, HOST_READS, buffer, blocking, offset, size, ptr, n,
                  waits, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void *ptr, cl_uint n, const cl_event *waits,
                            cl_event *event)
{
    return linear(queue, CL_COMMAND_WRITE_BUFFER, HOST_WRITES, buffer, blocking, offset, size,
                  (void *)ptr, n, waits, event);
}

/* Sets *r = a * b + c; false on overflow. */
static bool mul_add(size_t a, size_t b, size_t c, size_t *r)
{
    return !__builtin_mul_overflow(a, b, r) && !__builtin_add_overflow(*r, c, r);
}

/* Pitches with their defaults, and the box's first byte. CL_INVALID_VALUE if they don't fit the
 * region. */
static cl_int make_box(struct box *box, const size_t origin[3], const size_t region[3],
                       size_t row_pitch, size_t slice_pitch)
{
    size_t least, offset;
    if (row_pitch == 0)
        row_pitch = region[0];
    if (row_pitch < region[0] || !mul_add(region[1], row_pitch, 0, &least))
        return CL_INVALID_VALUE;
    if (slice_pitch == 0)
        slice_pitch = least;
    if (slice_pitch < least || slice_pitch % row_pitch)
        return CL_INVALID_VALUE;
    if (!mul_add(origin[1], row_pitch, origin[0], &offset) ||
        !mul_add(origin[2], slice_pitch, offset, &offset))
        return CL_INVALID_VALUE;
    *box = (struct box){offset, row_pitch, slice_pitch};
    return CL_SUCCESS;
}

/* Whether the box ends within a buffer of `size` bytes. */
static bool box_inside(const struct box *box, const size_t region[3], size_t size)
{
    size_t end;
    return mul_add(region[2] - 1, box->slice_pitch, box->offset, &end) &&
           mul_add(region[1] - 1, box->row_pitch, end, &end) && api_in_range(end, region[0], size);
}

static bool region_valid(const size_t region[3])
{
    return region[0] && region[1] && region[2];
}

static cl_int rect(cl_command_queue queue, cl_command_type type, enum host_use use, cl_mem buffer,
                   cl_bool blocking, const size_t *buffer_origin, const size_t *host_origin,
                   const size_t *region, size_t buffer_row_pitch, size_t buffer_slice_pitch,
                   size_t host_row_pitch, size_t host_slice_pitch, void *ptr, cl_uint n,
                   const cl_event *waits, cl_event *event)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_buffer(buffer))
        return CL_INVALID_MEM_OBJECT;
    if (buffer->ctx != queue->ctx)
        return CL_INVALID_CONTEXT;
    if (!buffer_origin || !host_origin || !region || !region_valid(region) || !ptr)
        return CL_INVALID_VALUE;
    struct transfer_side mem = {.mem = buffer}, host = {.host = ptr};
    cl_int err = make_box(&mem.box, buffer_origin, region, buffer_row_pitch, buffer_slice_pitch);
    if (!err)
        err = make_box(&host.box, host_origin, region, host_row_pitch, host_slice_pitch);
    if (!err && !box_inside(&mem.box, region, buffer->size))
        err = CL_INVALID_VALUE;
    if (!err)
        err = api_check_waits(queue->ctx, n, waits);
    if (!err)
        err = api_check_host(buffer, use);
    if (err)
        return err;
    bool read = use == HOST_READS;
    return transfer_enqueue(queue, type, read ? &host : &mem, read ? &mem : &host, region, blocking,
                            n, waits, event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                               const size_t *buffer_origin, const size_t *host_origin,
                               const size_t *region, size_t buffer_row_pitch,
                               size_t buffer_slice_pitch, size_t host_row_pitch,
                               size_t host_slice_pitch, void *ptr, cl_uint n, const cl_event *waits,
                               cl_event *event)
{
    return rect(queue, CL_COMMAND_READ_BUFFER_RECT, HOST_READS, buffer, blocking, buffer_origin,
                host_origin, region, buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                host_slice_pitch, ptr, n, waits, event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                const size_t *buffer_origin, const size_t *host_origin,
                                const size_t *region, size_t buffer_row_pitch,
                                size_t buffer_slice_pitch, size_t host_row_pitch,
                                size_t host_slice_pitch, const void *ptr, cl_uint n,
                                const cl_event *waits, cl_event *event)
{
    return rect(queue, CL_COMMAND_WRITE_BUFFER_RECT, HOST_WRITES, buffer, blocking, buffer_origin,
                host_origin, region, buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                host_slice_pitch, (void *)ptr, n, waits, event);
}

static cl_int check_pair(cl_command_queue queue, cl_mem src, cl_mem dst)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_buffer(src) || !is_buffer(dst))
        return CL_INVALID_MEM_OBJECT;
    return src->ctx != queue->ctx || dst->ctx != queue->ctx ? CL_INVALID_CONTEXT : CL_SUCCESS;
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset,
                           size_t dst_offset, size_t size, cl_uint n, const cl_event *waits,
                           cl_event *event)
{
    cl_int err = check_pair(queue, src, dst);
    if (err)
        return err;
    if (!api_in_range(src_offset, size, src->size) || !api_in_range(dst_offset, size, dst->size))
        return CL_INVALID_VALUE;
    err = api_check_waits(queue->ctx, n, waits);
    if (err)
        return err;
    if (mem_root(src) == mem_root(dst)) {
        size_t s = mem_root_offset(src) + src_offset, d = mem_root_offset(dst) + dst_offset;
        if (s < d + size && d < s + size)
            return CL_MEM_COPY_OVERLAP;
    }
    struct transfer_side from = {.mem = src, .box = {.offset = src_offset}};
    struct transfer_side to = {.mem = dst, .box = {.offset = dst_offset}};
    return transfer_enqueue(queue, CL_COMMAND_COPY_BUFFER, &to, &from, (size_t[3]){size, 1, 1},
                            false, n, waits, event);
}

/* Two boxes in the same memory with the same pitches: whether they share a byte, after the
 * specification's appendix: apart as spans, or in the gaps of each other's rows, or in the gaps of
 * each other's slices. */
static bool boxes_meet(const struct box *a, size_t a_base, const struct box *b, size_t b_base,
                       const size_t region[3])
{
    size_t row = a->row_pitch, slice = a->slice_pitch;
    size_t in_slice = (region[1] - 1) * row + region[0];
    size_t span = (region[2] - 1) * slice + in_slice;
    size_t s = a->offset + a_base, d = b->offset + b_base;
    if (s + span <= d || d + span <= s)
        return false;
    size_t sx = s % row, dx = d % row;
    if ((dx >= sx + region[0] && dx + region[0] <= sx + row) ||
        (sx >= dx + region[0] && sx + region[0] <= dx + row))
        return false;
    size_t sy = s % slice, dy = d % slice;
    return !((dy >= sy + in_slice && dy + in_slice <= sy + slice) ||
             (sy >= dy + in_slice && sy + in_slice <= dy + slice));
}

cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem src, cl_mem dst,
                               const size_t *src_origin, const size_t *dst_origin,
                               const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
                               size_t dst_row_pitch, size_t dst_slice_pitch, cl_uint n,
                               const cl_event *waits, cl_event *event)
{
    cl_int err = check_pair(queue, src, dst);
    if (err)
        return err;
    if (!src_origin || !dst_origin || !region || !region_valid(region))
        return CL_INVALID_VALUE;
    struct transfer_side from = {.mem = src}, to = {.mem = dst};
    err = make_box(&from.box, src_origin, region, src_row_pitch, src_slice_pitch);
    if (!err)
        err = make_box(&to.box, dst_origin, region, dst_row_pitch, dst_slice_pitch);
    if (err)
        return err;
    if (!box_inside(&from.box, region, src->size) || !box_inside(&to.box, region, dst->size))
        return CL_INVALID_VALUE;
    bool same_pitches =
        from.box.row_pitch == to.box.row_pitch && from.box.slice_pitch == to.box.slice_pitch;
    if (src == dst && !same_pitches)
        return CL_INVALID_VALUE;
    err = api_check_waits(queue->ctx, n, waits);
    if (err)
        return err;
    if (mem_root(src) == mem_root(dst) && same_pitches &&
        boxes_meet(&from.box, mem_root_offset(src), &to.box, mem_root_offset(dst), region))
        return CL_MEM_COPY_OVERLAP;
    return transfer_enqueue(queue, CL_COMMAND_COPY_BUFFER_RECT, &to, &from, region, false, n, waits,
                            event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size, cl_uint n,
                           const cl_event *waits, cl_event *event)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_buffer(buffer))
        return CL_INVALID_MEM_OBJECT;
    if (buffer->ctx != queue->ctx)
        return CL_INVALID_CONTEXT;
    if (!api_in_range(offset, size, buffer->size) || !pattern || pattern_size == 0 ||
        pattern_size > 128 || (pattern_size & (pattern_size - 1)) || offset % pattern_size ||
        size % pattern_size)
        return CL_INVALID_VALUE;
    cl_int err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : fill_enqueue(queue, CL_COMMAND_FILL_BUFFER, buffer,
                              &(struct box){.offset = offset}, (size_t[3]){size, 1, 1}, pattern,
                              pattern_size, n, waits, event);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t size, cl_uint n,
                         const cl_event *waits, cl_event *event, cl_int *errcode_ret)
{
    cl_int err = check_buffer(queue, buffer, n, waits);
    if (err == CL_INVALID_EVENT_WAIT_LIST) /* listed after the values */
        err = !api_in_range(offset, size, buffer->size) || size == 0 ? CL_INVALID_VALUE : err;
    if (err)
        return api_fail(errcode_ret, err);
    if (!api_in_range(offset, size, buffer->size) || size == 0 || !api_map_flags_valid(flags))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    err = api_check_map_host(buffer, flags);
    struct region r = {.store = {.offset = offset}, .host = {.offset = offset}, .n = {size, 1, 1}};
    void *ptr = NULL;
    if (!err)
        err = map_enqueue(queue, buffer, blocking, flags, &r, n, waits, event, &ptr);
    return API_RETURN(errcode_ret, err, ptr);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *mapped_ptr, cl_uint n,
                               const cl_event *waits, cl_event *event)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is_mem(mem))
        return CL_INVALID_MEM_OBJECT;
    if (!map_known(mem, mapped_ptr))
        return CL_INVALID_VALUE;
    cl_int err = api_check_waits(queue->ctx, n, waits);
    if (err)
        return err;
    if (mem->ctx != queue->ctx)
        return CL_INVALID_CONTEXT;
    return unmap_enqueue(queue, mem, mapped_ptr, n, waits, event);
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint num_mem_objects,
                                  const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                  cl_uint n, const cl_event *waits, cl_event *event)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    for (cl_uint i = 0; mem_objects && i < num_mem_objects; i++)
        if (!is_mem(mem_objects[i]))
            return CL_INVALID_MEM_OBJECT;
    for (cl_uint i = 0; mem_objects && i < num_mem_objects; i++)
        if (mem_objects[i]->ctx != queue->ctx)
            return CL_INVALID_CONTEXT;
    if (num_mem_objects == 0 || !mem_objects ||
        flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
                                          CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        return CL_INVALID_VALUE;
    cl_int err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : migrate_enqueue(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, false, num_mem_objects,
                                 mem_objects, n, waits, event);
}
