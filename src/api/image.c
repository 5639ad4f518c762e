/* Images: creation and queries. */
#include "src/api/api.h"
#include "src/core/image.h"

#include <stdlib.h>

static const cl_mem_flags host_ptr_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool api_has_images(cl_context ctx)
{
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        if (device_has_images(ctx->devices[i]))
            return true;
    return false;
}

static size_t largest_alloc(cl_context ctx)
{
    size_t max = 0;
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        if (ctx->devices[i]->budget.max_alloc > max)
            max = ctx->devices[i]->budget.max_alloc;
    return max;
}

static size_t max_image_buffer(cl_context ctx)
{
    size_t max = 0;
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        if (device_max_image_buffer(ctx->devices[i]) > max)
            max = device_max_image_buffer(ctx->devices[i]);
    return max;
}

static bool in_range(size_t n, size_t max)
{
    return n >= 1 && n <= max;
}

/* Which members of a descriptor there are, and their bounds: CL_INVALID_IMAGE_SIZE. */
static cl_int check_size(cl_context ctx, const cl_image_desc *d, size_t pixel)
{
    bool fits = true;
    switch (d->image_type) {
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return in_range(d->image_width, max_image_buffer(ctx)) &&
                       d->image_width <= d->mem_object->size / pixel
                   ? CL_SUCCESS
                   : CL_INVALID_IMAGE_SIZE;
    case CL_MEM_OBJECT_IMAGE3D:
        fits = in_range(d->image_width, IMAGE_MAX_3D) && in_range(d->image_height, IMAGE_MAX_3D) &&
               in_range(d->image_depth, IMAGE_MAX_3D);
        break;
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        fits = in_range(d->image_width, IMAGE_MAX_2D) && in_range(d->image_height, IMAGE_MAX_2D);
        break;
    default:
        fits = in_range(d->image_width, IMAGE_MAX_2D);
    }
    if (image_is_array(d->image_type))
        fits &= in_range(d->image_array_size, IMAGE_MAX_LAYERS);
    return fits ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

/* Pitches that belong to host_ptr or a buffer. */
static bool pitches_valid(const cl_image_desc *d, bool given, size_t pixel)
{
    bool layered = d->image_type == CL_MEM_OBJECT_IMAGE3D || image_is_array(d->image_type);
    size_t row = d->image_row_pitch, slice = d->image_slice_pitch;
    if (!given)
        return row == 0 && slice == 0;
    size_t tight = d->image_width * pixel; /* bounded by check_size() before */
    if (row && (row < tight || row % pixel))
        return false;
    if (!row)
        row = tight;
    if (!layered || !slice)
        return true;
    size_t rows = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : d->image_height;
    return slice % row == 0 && slice / row >= rows;
}

static cl_int check_descriptor(cl_context ctx, const cl_image_desc *d, const void *host_ptr,
                               size_t pixel, bool external)
{
    if (!d || !image_type_known(d->image_type) || d->num_mip_levels || d->num_samples)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    bool view = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
                (d->image_type == CL_MEM_OBJECT_IMAGE2D && d->mem_object);
    if (view != (d->mem_object != NULL) || (view && (!is_buffer(d->mem_object) || external)))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (image_is_array(d->image_type) && d->image_array_size == 0)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (view && d->mem_object->ctx != ctx)
        return CL_INVALID_CONTEXT;
    cl_int err = check_size(ctx, d, pixel);
    if (err)
        return err;
    bool given = host_ptr || external || (view && d->image_type == CL_MEM_OBJECT_IMAGE2D);
    if (!pitches_valid(d, given, pixel))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (d->image_type != CL_MEM_OBJECT_IMAGE2D || !view)
        return CL_SUCCESS;
    size_t row = d->image_row_pitch ? d->image_row_pitch : d->image_width * pixel;
    if (row % (IMAGE_PITCH_ALIGN * pixel))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return row <= d->mem_object->size / d->image_height ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

static bool format_offered(cl_context ctx, const struct image_format *f, cl_mem_flags flags)
{
    for (cl_uint i = 0; f && i < ctx->n_devices; i++)
        if (device_has_images(ctx->devices[i]) &&
            image_format_offered(f, ctx->devices[i]->hw, flags))
            return true;
    return false;
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, const cl_image_format *image_format,
                                   const cl_image_desc *image_desc, void *host_ptr,
                                   cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!api_has_images(context))
        return api_fail(errcode_ret, CL_INVALID_OPERATION);
    struct mem_properties props;
    cl_int err = api_mem_properties(context, properties, &props);
    if (err)
        return api_fail(errcode_ret, err);
    cl_mem buffer = image_desc && is_buffer(image_desc->mem_object) ? image_desc->mem_object : NULL;
    if (!api_mem_flags_valid(flags) || (buffer && !api_view_flags_valid(buffer, flags)) ||
        (props.external && flags & host_ptr_flags))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    size_t pixel = image_format ? image_pixel_size(*image_format) : 0;
    if (!pixel)
        return api_fail(errcode_ret, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    err = check_descriptor(context, image_desc, host_ptr, pixel, props.external);
    if (err)
        return api_fail(errcode_ret, err);
    if ((host_ptr != NULL) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0))
        return api_fail(errcode_ret, CL_INVALID_HOST_PTR);
    const struct image_format *format = image_format_find(*image_format);
    cl_mem_flags access = buffer ? mem_view_flags(buffer, flags) : flags;
    if (!format_offered(context, format, access) ||
        !image_format_fits(format, image_desc->image_type))
        return api_fail(errcode_ret, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    if (props.external && !image_layout_fits(format, image_desc))
        return api_fail(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
    if (image_store_size(format, image_desc, props.external) > largest_alloc(context))
        return api_fail(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cl_mem mem = NULL;
    err = image_new(context, flags, format, image_desc, host_ptr, &props, &mem);
    return API_RETURN(errcode_ret, err, mem);
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                     const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    return clCreateImageWithProperties(context, NULL, flags, image_format, image_desc, host_ptr,
                                       errcode_ret);
}

/* The calls of 1.0 and 1.1, which have another code for bad pitches. */
static cl_mem create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    cl_int err;
    cl_mem mem = clCreateImage(context, flags, format, desc, host_ptr, &err);
    if (err == CL_INVALID_IMAGE_DESCRIPTOR)
        err = CL_INVALID_IMAGE_SIZE;
    return API_RETURN(errcode_ret, err, mem);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_row_pitch,
                       void *host_ptr, cl_int *errcode_ret)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = image_width,
                          .image_height = image_height,
                          .image_row_pitch = image_row_pitch};
    return create_old(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_depth,
                       size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                       cl_int *errcode_ret)
{
    if (is_context(context) && image_depth == 1) /* what clCreateImage allows, this never did */
        return api_fail(errcode_ret, CL_INVALID_IMAGE_SIZE);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                          .image_width = image_width,
                          .image_height = image_height,
                          .image_depth = image_depth,
                          .image_row_pitch = image_row_pitch,
                          .image_slice_pitch = image_slice_pitch};
    return create_old(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_int clGetImageInfo(cl_mem mem, cl_image_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    if (!is_image(mem))
        return CL_INVALID_MEM_OBJECT;
    const struct image *im = mem->image;
    const struct query *q = API_QUERY(param_value_size, param_value, param_value_size_ret);
    bool is_3d = im->type == CL_MEM_OBJECT_IMAGE3D, is_array = image_is_array(im->type);
    bool has_height =
        is_3d || im->type == CL_MEM_OBJECT_IMAGE2D || im->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    switch (param_name) {
    case CL_IMAGE_FORMAT:
        return query_put(q, &im->format->cl, sizeof im->format->cl);
    case CL_IMAGE_ELEMENT_SIZE:
        return API_PUT(q, size_t, im->pixel);
    case CL_IMAGE_ROW_PITCH:
        return API_PUT(q, size_t, im->row);
    case CL_IMAGE_SLICE_PITCH:
        return API_PUT(q, size_t, im->slice);
    case CL_IMAGE_WIDTH:
        return API_PUT(q, size_t, im->size[0]);
    case CL_IMAGE_HEIGHT:
        return API_PUT(q, size_t, has_height ? im->size[1] : 0);
    case CL_IMAGE_DEPTH:
        return API_PUT(q, size_t, is_3d ? im->size[2] : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return API_PUT(q, size_t, is_array ? im->size[2] : 0);
    case CL_IMAGE_BUFFER:
        return API_PUT(q, cl_mem, im->buffer);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return API_PUT(q, cl_uint, 0);
    }
    return CL_INVALID_VALUE;
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                  cl_mem_object_type image_type, cl_uint num_entries,
                                  cl_image_format *image_formats, cl_uint *num_image_formats)
{
    if (!is_context(context))
        return CL_INVALID_CONTEXT;
    if (!api_mem_flags_valid(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE) ||
        !image_type_known(image_type) || (num_entries == 0 && image_formats))
        return CL_INVALID_VALUE;
    const struct image_format *f;
    cl_uint n = 0;
    for (unsigned i = 0; (f = image_format_at(i)); i++) {
        if (!format_offered(context, f, flags) || !image_format_fits(f, image_type))
            continue;
        if (image_formats && n < num_entries)
            image_formats[n] = f->cl;
        n++;
    }
    if (num_image_formats)
        *num_image_formats = n;
    return CL_SUCCESS;
}
