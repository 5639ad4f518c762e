/* Reading, writing, copying, filling and mapping images. */
#include "src/api/api.h"
#include "src/core/image.h"
#include "src/core/transfer.h"

#include <string.h>

/* The box lies in the image, and coordinates that the type hasn't are 0 of 1. */
static bool inside(const struct image *im, const size_t *origin, const size_t *region)
{
    size_t extent[3];
    if (!origin || !region)
        return false;
    image_extent(im, extent);
    for (unsigned d = 0; d < 3; d++)
        if (region[d] == 0 || !api_in_range(origin[d], region[d], extent[d]))
            return false;
    return true;
}

static cl_int check_image(cl_command_queue queue, cl_mem image)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!device_has_images(queue->device))
        return CL_INVALID_OPERATION;
    if (!is_image(image))
        return CL_INVALID_MEM_OBJECT;
    return image->ctx == queue->ctx ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static cl_int check_pair(cl_command_queue queue, cl_mem src, bool src_is_image, cl_mem dst,
                         bool dst_is_image)
{
    if (!is_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!device_has_images(queue->device))
        return CL_INVALID_OPERATION;
    if ((src_is_image ? !is_image(src) : !is_buffer(src)) ||
        (dst_is_image ? !is_image(dst) : !is_buffer(dst)))
        return CL_INVALID_MEM_OBJECT;
    return src->ctx == queue->ctx && dst->ctx == queue->ctx ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

/* The application's memory with the pitches of a read or write. */
static cl_int host_box(const struct image *im, const size_t region[3], size_t row, size_t slice,
                       struct box *out)
{
    size_t tight = region[0] * im->pixel;
    bool layered = im->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(im->type);
    size_t rows = im->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : region[1], least;
    if ((row && row < tight) || (slice && !layered))
        return CL_INVALID_VALUE;
    if (!row)
        row = tight;
    if (__builtin_mul_overflow(row, rows, &least) || (slice && slice < least))
        return CL_INVALID_VALUE;
    *out = (struct box){0, row, slice ? slice : least};
    return CL_SUCCESS;
}

static cl_int move(cl_command_queue queue, cl_command_type type, enum host_use use, cl_mem image,
                   cl_bool blocking, const size_t *origin, const size_t *region, size_t row,
                   size_t slice, void *ptr, cl_uint n, const cl_event *waits, cl_event *event)
{
    cl_int err = check_image(queue, image);
    if (err)
        return err;
    struct transfer_side host = {.host = ptr}, side = {.mem = image};
    if (!inside(image->image, origin, region) || !ptr ||
        host_box(image->image, region, row, slice, &host.box))
        return CL_INVALID_VALUE;
    err = api_check_waits(queue->ctx, n, waits);
    if (!err)
        err = api_check_host(image, use);
    if (err)
        return err;
    struct region r = image_region(image->image, origin, region);
    side.box = r.store;
    bool read = use == HOST_READS;
    return transfer_enqueue(queue, type, read ? &host : &side, read ? &side : &host, r.n, blocking,
                            n, waits, event);
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                          const size_t *origin, const size_t *region, size_t row_pitch,
                          size_t slice_pitch, void *ptr, cl_uint n, const cl_event *waits,
                          cl_event *event)
{
    return move(queue, CL_COMMAND_READ_IMAGE, HOST_READS, image, blocking, origin, region,
                row_pitch, slice_pitch, ptr, n, waits, event);
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                           const size_t *origin, const size_t *region, size_t row_pitch,
                           size_t slice_pitch, const void *ptr, cl_uint n, const cl_event *waits,
                           cl_event *event)
{
    return move(queue, CL_COMMAND_WRITE_IMAGE, HOST_WRITES, image, blocking, origin, region,
                row_pitch, slice_pitch, (void *)ptr, n, waits, event);
}

static bool meet(const size_t a[3], const size_t b[3], const size_t region[3])
{
    for (unsigned d = 0; d < 3; d++)
        if (a[d] >= b[d] + region[d] || b[d] >= a[d] + region[d])
            return false;
    return true;
}

cl_int clEnqueueCopyImage(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
                          const size_t *dst_origin, const size_t *region, cl_uint n,
                          const cl_event *waits, cl_event *event)
{
    cl_int err = check_pair(queue, src, true, dst, true);
    if (err)
        return err;
    if (memcmp(&src->image->format->cl, &dst->image->format->cl, sizeof(cl_image_format)))
        return CL_IMAGE_FORMAT_MISMATCH;
    if (!inside(src->image, src_origin, region) || !inside(dst->image, dst_origin, region))
        return CL_INVALID_VALUE;
    err = api_check_waits(queue->ctx, n, waits);
    if (err)
        return err;
    if (src == dst && meet(src_origin, dst_origin, region))
        return CL_MEM_COPY_OVERLAP;
    struct region from = image_region(src->image, src_origin, region);
    struct region to = image_region(dst->image, dst_origin, region);
    /* Rows of one may be layers of the other (1D arrays): as rows of slices of one row each. */
    if (from.n[1] != to.n[1]) {
        struct region *rows = from.n[2] == 1 ? &from : &to;
        rows->n[2] = rows->n[1];
        rows->n[1] = 1;
        rows->store.slice_pitch = rows->store.row_pitch;
    }
    struct transfer_side a = {.mem = src, .box = from.store}, b = {.mem = dst, .box = to.store};
    return transfer_enqueue(queue, CL_COMMAND_COPY_IMAGE, &b, &a, from.n, false, n, waits, event);
}

/* A copy between an image and a buffer, where the pixels lie tight. */
static cl_int copy_buffer(cl_command_queue queue, cl_command_type type, bool to_image, cl_mem image,
                          const size_t *origin, const size_t *region, cl_mem buffer, size_t offset,
                          cl_uint n, const cl_event *waits, cl_event *event)
{
    if (image->image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER && image->image->buffer == buffer)
        return CL_INVALID_MEM_OBJECT;
    if (!inside(image->image, origin, region))
        return CL_INVALID_VALUE;
    struct region r = image_region(image->image, origin, region);
    size_t slice = r.n[0] * r.n[1]; /* no more than the image's own bytes: no overflow */
    if (!api_in_range(offset, slice * r.n[2], buffer->size))
        return CL_INVALID_VALUE;
    cl_int err = api_check_waits(queue->ctx, n, waits);
    if (err)
        return err;
    struct transfer_side pixels = {.mem = image, .box = r.store};
    struct transfer_side bytes = {.mem = buffer, .box = {offset, r.n[0], slice}};
    return transfer_enqueue(queue, type, to_image ? &pixels : &bytes, to_image ? &bytes : &pixels,
                            r.n, false, n, waits, event);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem src, cl_mem dst,
                                  const size_t *src_origin, const size_t *region, size_t dst_offset,
                                  cl_uint n, const cl_event *waits, cl_event *event)
{
    cl_int err = check_pair(queue, src, true, dst, false);
    return err ? err
               : copy_buffer(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, false, src, src_origin, region,
                             dst, dst_offset, n, waits, event);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset,
                                  const size_t *dst_origin, const size_t *region, cl_uint n,
                                  const cl_event *waits, cl_event *event)
{
    cl_int err = check_pair(queue, src, false, dst, true);
    return err ? err
               : copy_buffer(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, true, dst, dst_origin, region,
                             src, src_offset, n, waits, event);
}

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *fill_color,
                          const size_t *origin, const size_t *region, cl_uint n,
                          const cl_event *waits, cl_event *event)
{
    cl_int err = check_image(queue, image);
    if (err)
        return err;
    if (!fill_color || !inside(image->image, origin, region))
        return CL_INVALID_VALUE;
    err = api_check_waits(queue->ctx, n, waits);
    return err ? err
               : image_fill_enqueue(queue, image, fill_color, origin, region, n, waits, event);
}

void *clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                        const size_t *origin, const size_t *region, size_t *row_pitch,
                        size_t *slice_pitch, cl_uint n, const cl_event *waits, cl_event *event,
                        cl_int *errcode_ret)
{
    cl_int err = check_image(queue, image);
    if (err)
        return api_fail(errcode_ret, err);
    const struct image *im = image->image;
    bool layered = im->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(im->type);
    if (!inside(im, origin, region) || !api_map_flags_valid(flags) || !row_pitch ||
        (layered && !slice_pitch))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    err = api_check_waits(queue->ctx, n, waits);
    if (!err)
        err = api_check_map_host(image, flags);
    struct region r = image_region(im, origin, region);
    void *ptr = NULL;
    if (!err)
        err = map_enqueue(queue, image, blocking, flags, &r, n, waits, event, &ptr);
    if (err)
        return api_fail(errcode_ret, err);
    const struct box *seen = image->host_ptr ? &r.host : &r.store;
    *row_pitch = seen->row_pitch;
    if (slice_pitch)
        *slice_pitch = layered ? seen->slice_pitch : 0;
    return API_RETURN(errcode_ret, err, ptr);
}
