/* See image.h. */
#include "src/core/image.h"

#include "src/core/command.h"
#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/queue.h"
#include "gen/cmd.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROW_ALIGN = 64,  /* bytes; the sampler reads lines */
    SLICE_ALIGN = 4, /* rows; surface states count slices in fours */
    PADDING = 64     /* bytes past the last row that the sampler may read */
};

/* By type: the surface, which members of the descriptor count. */
static const struct image_type {
    cl_mem_object_type type;
    uint8_t surface;
    bool has_height, has_depth, is_array;
} types[] = {
    {CL_MEM_OBJECT_IMAGE1D, CMD_SURFACE_1D, false, false, false},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, CMD_SURFACE_BUFFER, false, false, false},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, CMD_SURFACE_1D, false, false, true},
    {CL_MEM_OBJECT_IMAGE2D, CMD_SURFACE_2D, true, false, false},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, CMD_SURFACE_2D, true, false, true},
    {CL_MEM_OBJECT_IMAGE3D, CMD_SURFACE_3D, true, true, false},
};

static const struct image_type *type_find(cl_mem_object_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

bool image_type_known(cl_mem_object_type type)
{
    return type_find(type);
}

bool image_is_array(cl_mem_object_type type)
{
    const struct image_type *t = type_find(type);
    return t && t->is_array;
}

static size_t align(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Pitches: what the application gave, or what a tight image has; and those of the store, which may
 * be given too. */
static void lay_out(struct image *im, const struct image_type *t, const cl_image_desc *desc,
                    bool given)
{
    size_t tight = im->size[0] * im->pixel;
    im->row = desc->image_row_pitch ? desc->image_row_pitch : tight;
    im->slice = desc->image_slice_pitch;
    if (!t->is_array && !t->has_depth)
        im->slice = 0;
    else if (!im->slice)
        im->slice = im->row * im->size[1];
    if (given) {
        im->store_row = im->row;
        im->store_slice = im->slice ? im->slice : im->row * im->size[1];
        return;
    }
    im->store_row = align(tight, ROW_ALIGN);
    im->store_slice = im->store_row * align(im->size[1], SLICE_ALIGN);
}

static void take(struct image *im, const struct image_format *format, const cl_image_desc *desc,
                 bool external)
{
    const struct image_type *t = type_find(desc->image_type);
    *im = (struct image){.buffer = desc->mem_object,
                         .type = desc->image_type,
                         .format = format,
                         .pixel = image_pixel_size(format->cl)};
    im->size[0] = desc->image_width;
    im->size[1] = t->has_height ? desc->image_height : 1;
    im->size[2] = t->has_depth ? desc->image_depth : t->is_array ? desc->image_array_size : 1;
    lay_out(im, t, desc, im->buffer || external);
}

uint64_t image_store_size(const struct image_format *format, const cl_image_desc *desc,
                          bool external)
{
    struct image im;
    take(&im, format, desc, external);
    uint64_t before = (uint64_t)im.store_slice * (im.size[2] - 1); /* of the last slice */
    return external ? before + im.store_row * im.size[1] : before + im.store_slice + PADDING;
}

bool image_layout_fits(const struct image_format *format, const cl_image_desc *desc)
{
    struct image im;
    take(&im, format, desc, true);
    return im.store_row % ROW_ALIGN == 0 &&
           (im.size[2] == 1 || im.store_slice == im.store_row * align(im.size[1], SLICE_ALIGN));
}

size_t image_bytes(const struct image *im)
{
    return im->slice ? im->slice * im->size[2] : im->row * im->size[1];
}

cl_int image_new(cl_context ctx, cl_mem_flags flags, const struct image_format *format,
                 const cl_image_desc *desc, void *host_ptr, const struct mem_properties *properties,
                 cl_mem *out)
{
    struct image *im = malloc(sizeof *im);
    if (!im)
        return CL_OUT_OF_HOST_MEMORY;
    take(im, format, desc, properties->external);
    cl_int err;
    if (im->buffer) {
        cl_mem buffer = im->buffer;
        err = mem_new_sub(mem_root(buffer), flags, mem_root_offset(buffer), im->store_slice, out);
        if (!err) {
            (*out)->image = im;
            object_retain(&buffer->base);
        }
    } else {
        err = mem_new(ctx, flags, image_store_size(format, desc, properties->external), host_ptr,
                      im, properties, out);
    }
    if (err)
        free(im);
    return err;
}

void image_free(struct image *im)
{
    if (im->buffer)
        object_release(&im->buffer->base);
    free(im);
}

void image_extent(const struct image *im, size_t extent[3])
{
    bool layers_second = im->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    extent[0] = im->size[0];
    extent[1] = layers_second ? im->size[2] : im->size[1];
    extent[2] = layers_second ? 1 : im->size[2];
}

struct region image_region(const struct image *im, const size_t origin[3], const size_t region[3])
{
    /* The layer of a 1D array is the second coordinate. */
    bool layers_second = im->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t x = origin[0] * im->pixel, y = layers_second ? 0 : origin[1];
    size_t z = layers_second ? origin[1] : origin[2];
    return (struct region){
        .store = {x + y * im->store_row + z * im->store_slice, im->store_row, im->store_slice},
        .host = {x + y * im->row + z * im->slice, im->row, im->slice},
        .n = {region[0] * im->pixel, layers_second ? 1 : region[1],
              layers_second ? region[1] : region[2]}};
}

struct region image_whole(const struct image *im)
{
    size_t extent[3], origin[3] = {0, 0, 0};
    image_extent(im, extent);
    return image_region(im, origin, extent);
}

cl_int image_check_device(const struct image *im, cl_device_id dev, cl_mem_flags access)
{
    return image_format_offered(im->format, dev->hw, access) ? CL_SUCCESS
                                                             : CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

void image_surface(const struct image *im, struct gpu_image *out)
{
    const struct image_type *t = type_find(im->type);
    *out = (struct gpu_image){.type = t->surface,
                              .array = t->is_array,
                              .format = im->format->code,
                              .texel_size = im->pixel,
                              .width = im->size[0],
                              .height = im->size[1],
                              .depth = im->size[2],
                              .row_pitch = im->store_row,
                              .slice_pitch = im->store_slice};
    memcpy(out->select, im->format->select, sizeof out->select);
}

cl_int image_fill_enqueue(cl_command_queue queue, cl_mem mem, const void *color,
                          const size_t origin[3], const size_t region[3], cl_uint n_waits,
                          const cl_event *waits, cl_event *event)
{
    struct region r = image_region(mem->image, origin, region);
    uint8_t texel[16];
    image_format_pack(mem->image->format, color, texel);
    return fill_enqueue(queue, CL_COMMAND_FILL_IMAGE, mem, &r.store, r.n, texel, mem->image->pixel,
                        n_waits, waits, event);
}
