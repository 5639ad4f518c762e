/* Error conditions of images and samplers. */
#include "api_errors.h"

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc flat = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};

static cl_image_desc sized(size_t width, size_t height)
{
    cl_image_desc d = flat;
    d.image_width = width;
    d.image_height = height;
    return d;
}

static cl_image_desc over(cl_mem buffer)
{
    return (cl_image_desc){
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 8, .mem_object = buffer};
}

static cl_mem plain(cl_context c, cl_mem_flags flags, const cl_image_format *f,
                    const cl_image_desc *d, void *ptr)
{
    return clCreateImage(c, flags, f, d, ptr, &err);
}

static cl_mem with(cl_context c, cl_mem_flags flags, const cl_image_format *f,
                   const cl_image_desc *d, void *ptr)
{
    return clCreateImageWithProperties(c, NULL, flags, f, d, ptr, &err);
}

static void creation(void)
{
    cl_image_desc r = over(only_read), w = over(only_write), hr = over(host_read),
                  hw = over(host_write), hn = over(host_none), b = over(m), d, layers_desc = flat,
                  mip = flat, pitch = flat, aligned = flat, huge = sized(16384, 16384);
    cl_image_format illegal = {CL_RGB, CL_FLOAT}, unknown = {0x7777, CL_FLOAT},
                    floats = {CL_RGBA, CL_FLOAT}, rare = {CL_INTENSITY, CL_SNORM_INT8};
    layers_desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY; /* and no layers */
    mip.num_mip_levels = 2;
    pitch.image_row_pitch = 64; /* without memory that has it */
    aligned.mem_object = m;     /* a 2D image over a buffer, its rows not aligned */
    aligned.image_row_pitch = 36;
#define CREATION(fn, create)                                                                       \
    N(fn, 1, create((cl_context)q, 0, &rgba, &flat, NULL));                                        \
    N(fn, 8, create(ctx, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba, &flat, NULL));               \
    N(fn, 8, create(ctx, (cl_mem_flags)1 << 40, &rgba, &flat, NULL));                              \
    N(fn, 9, create(ctx, CL_MEM_READ_WRITE, &rgba, &w, NULL));                                     \
    N(fn, 9, create(ctx, CL_MEM_READ_ONLY, &rgba, &w, NULL));                                      \
    N(fn, 10, create(ctx, CL_MEM_READ_WRITE, &rgba, &r, NULL));                                    \
    N(fn, 10, create(ctx, CL_MEM_WRITE_ONLY, &rgba, &r, NULL));                                    \
    N(fn, 11, create(ctx, CL_MEM_USE_HOST_PTR, &rgba, &b, bytes));                                 \
    N(fn, 11, create(ctx, CL_MEM_ALLOC_HOST_PTR, &rgba, &b, NULL));                                \
    N(fn, 12, create(ctx, CL_MEM_HOST_READ_ONLY, &rgba, &hw, NULL));                               \
    N(fn, 13, create(ctx, CL_MEM_HOST_WRITE_ONLY, &rgba, &hr, NULL));                              \
    N(fn, 14, create(ctx, CL_MEM_HOST_READ_ONLY, &rgba, &hn, NULL));                               \
    N(fn, 16, create(ctx, 0, NULL, &flat, NULL));                                                  \
    N(fn, 17, create(ctx, 0, &illegal, &flat, NULL));                                              \
    N(fn, 17, create(ctx, 0, &unknown, &flat, NULL));                                              \
    N(fn, 18, create(ctx, 0, &rgba, &aligned, NULL));                                              \
    N(fn, 19, create(ctx, 0, &rgba, NULL, NULL));                                                  \
    d = flat, d.image_type = CL_MEM_OBJECT_BUFFER;                                                 \
    N(fn, 20, create(ctx, 0, &rgba, &d, NULL));                                                    \
    N(fn, 20, create(ctx, 0, &rgba, &layers_desc, NULL));                                          \
    N(fn, 20, create(ctx, 0, &rgba, &mip, NULL));                                                  \
    N(fn, 20, create(ctx, 0, &rgba, &pitch, NULL));                                                \
    d = sized(0, 8);                                                                               \
    N(fn, 21, create(ctx, 0, &rgba, &d, NULL));                                                    \
    d = sized(8, 1 << 20);                                                                         \
    N(fn, 21, create(ctx, 0, &rgba, &d, NULL));                                                    \
    N(fn, 23, create(ctx, CL_MEM_COPY_HOST_PTR, &rgba, &flat, NULL));                              \
    N(fn, 24, create(ctx, 0, &rgba, &flat, bytes));                                                \
    N(fn, 26, create(ctx, 0, &rare, &flat, NULL));                                                 \
    N(fn, 27, create(ctx, 0, &floats, &huge, NULL))
    CREATION(clCreateImage, plain);
    CREATION(clCreateImageWithProperties, with);
    cl_mem_properties properties[] = {0x7777, 1, 0};
    N(clCreateImageWithProperties, 3,
      clCreateImageWithProperties(ctx, properties, 0, &rgba, &flat, NULL, &err));

#define FLAT(c, flags, f, w, h, row, ptr) clCreateImage2D(c, flags, f, w, h, row, ptr, &err)
    N(clCreateImage2D, 1, FLAT((cl_context)q, 0, &rgba, 8, 8, 0, NULL));
    N(clCreateImage2D, 2, FLAT(ctx, 3 << 1, &rgba, 8, 8, 0, NULL));
    N(clCreateImage2D, 3, FLAT(ctx, 0, NULL, 8, 8, 0, NULL));
    N(clCreateImage2D, 3, FLAT(ctx, 0, &illegal, 8, 8, 0, NULL));
    N(clCreateImage2D, 4, FLAT(ctx, 0, &rgba, 0, 8, 0, NULL));
    N(clCreateImage2D, 4, FLAT(ctx, 0, &rgba, 8, 1 << 20, 0, NULL));
    N(clCreateImage2D, 4, FLAT(ctx, CL_MEM_COPY_HOST_PTR, &rgba, 8, 8, 16, bytes));
    N(clCreateImage2D, 4, FLAT(ctx, 0, &rgba, 8, 8, 64, NULL));
    N(clCreateImage2D, 5, FLAT(ctx, CL_MEM_USE_HOST_PTR, &rgba, 8, 8, 0, NULL));
    N(clCreateImage2D, 5, FLAT(ctx, 0, &rgba, 8, 8, 0, bytes));
    N(clCreateImage2D, 6, FLAT(ctx, 0, &rare, 8, 8, 0, NULL));
#define DEEP(c, flags, f, w, h, depth, row, slice, ptr)                                            \
    clCreateImage3D(c, flags, f, w, h, depth, row, slice, ptr, &err)
    N(clCreateImage3D, 1, DEEP((cl_context)q, 0, &rgba, 8, 8, 4, 0, 0, NULL));
    N(clCreateImage3D, 2, DEEP(ctx, 3 << 1, &rgba, 8, 8, 4, 0, 0, NULL));
    N(clCreateImage3D, 3, DEEP(ctx, 0, NULL, 8, 8, 4, 0, 0, NULL));
    N(clCreateImage3D, 4, DEEP(ctx, 0, &rgba, 8, 0, 4, 0, 0, NULL));
    N(clCreateImage3D, 4, DEEP(ctx, 0, &rgba, 8, 8, 0, 0, 0, NULL));
    N(clCreateImage3D, 4, DEEP(ctx, 0, &rgba, 8, 8, 1, 0, 0, NULL));
    N(clCreateImage3D, 4, DEEP(ctx, CL_MEM_COPY_HOST_PTR, &rgba, 8, 8, 4, 32, 100, bytes));
    N(clCreateImage3D, 5, DEEP(ctx, CL_MEM_USE_HOST_PTR, &rgba, 8, 8, 4, 0, 0, NULL));
    N(clCreateImage3D, 6, DEEP(ctx, 0, &rare, 8, 8, 4, 0, 0, NULL));

#define FORMATS(c, flags, type, n, list) clGetSupportedImageFormats(c, flags, type, n, list, NULL)
    cl_image_format list[2];
    E(clGetSupportedImageFormats, 1, FORMATS((cl_context)q, 0, CL_MEM_OBJECT_IMAGE2D, 2, list));
    E(clGetSupportedImageFormats, 2, FORMATS(ctx, 3 << 1, CL_MEM_OBJECT_IMAGE2D, 2, list));
    E(clGetSupportedImageFormats, 3, FORMATS(ctx, 0, CL_MEM_OBJECT_BUFFER, 2, list));
    E(clGetSupportedImageFormats, 4, FORMATS(ctx, 0, CL_MEM_OBJECT_IMAGE2D, 0, list));
    QUERY(clGetImageInfo, 1, 2, 3, m, im2, CL_IMAGE_WIDTH);
}

static size_t at[3] = {0, 0, 0}, box[3] = {4, 4, 1}, deep_at[3] = {0, 0, 1}, outside[3] = {6, 0, 0},
              nothing[3] = {4, 0, 1};

static void moves(void)
{
#define MOVE(fn, queue, im, at, box, slice, ptr)                                                   \
    fn(queue, im, CL_TRUE, at, box, 0, slice, ptr, 0, NULL, NULL)
#define MOVES(fn, forbidden)                                                                       \
    E(fn, 1, MOVE(fn, WRONG(cl_command_queue), im2, at, box, 0, bytes));                           \
    E(fn, 2, MOVE(fn, q, other_im, at, box, 0, bytes));                                            \
    E(fn, 4, MOVE(fn, q, m, at, box, 0, bytes));                                                   \
    E(fn, 4, MOVE(fn, q, WRONG(cl_mem), at, box, 0, bytes));                                       \
    E(fn, 5, MOVE(fn, q, im2, NULL, box, 0, bytes));                                               \
    E(fn, 6, MOVE(fn, q, im2, at, NULL, 0, bytes));                                                \
    E(fn, 7, MOVE(fn, q, im2, outside, box, 0, bytes));                                            \
    E(fn, 8, MOVE(fn, q, im2, deep_at, box, 0, bytes));                                            \
    E(fn, 8, MOVE(fn, q, im1, at, box, 0, bytes));                                                 \
    E(fn, 8, MOVE(fn, q, im2, at, nothing, 0, bytes));                                             \
    E(fn, 9, MOVE(fn, q, im2, at, box, 64, bytes));                                                \
    E(fn, 10, MOVE(fn, q, im2, at, box, 0, NULL));                                                 \
    E(fn, 17, fn(q, im2, CL_TRUE, at, box, 0, 0, bytes, 1, &failed, NULL));                        \
    E(fn, 20, MOVE(fn, q, forbidden, at, box, 0, bytes));                                          \
    E(fn, 20, MOVE(fn, q, im_host_none, at, box, 0, bytes))
    MOVES(clEnqueueReadImage, im_host_write);
    MOVES(clEnqueueWriteImage, im_host_read);
#define READ_WAITS(n, w)  clEnqueueReadImage(q, im2, CL_FALSE, at, box, 0, 0, bytes, n, w, NULL)
#define WRITE_WAITS(n, w) clEnqueueWriteImage(q, im2, CL_FALSE, at, box, 0, 0, bytes, n, w, NULL)
    WAITS(clEnqueueReadImage, 3, 12, 13, 14, READ_WAITS);
    WAITS(clEnqueueWriteImage, 3, 12, 13, 14, WRITE_WAITS);

#define FILL(queue, im, color, at, box) clEnqueueFillImage(queue, im, color, at, box, 0, NULL, NULL)
#define FILL_WAITS(n, w)                clEnqueueFillImage(q, im2, bytes, at, box, n, w, NULL)
    E(clEnqueueFillImage, 1, FILL(WRONG(cl_command_queue), im2, bytes, at, box));
    E(clEnqueueFillImage, 2, FILL(q, other_im, bytes, at, box));
    E(clEnqueueFillImage, 4, FILL(q, m, bytes, at, box));
    E(clEnqueueFillImage, 5, FILL(q, im2, NULL, at, box));
    E(clEnqueueFillImage, 6, FILL(q, im2, bytes, NULL, box));
    E(clEnqueueFillImage, 7, FILL(q, im2, bytes, at, NULL));
    E(clEnqueueFillImage, 8, FILL(q, im2, bytes, outside, box));
    E(clEnqueueFillImage, 9, FILL(q, im2, bytes, deep_at, box));
    WAITS(clEnqueueFillImage, 3, 11, 12, 13, FILL_WAITS);
}

static void copies(void)
{
    size_t near[3] = {2, 2, 0};
#define COPY(queue, from, to, a, b, box)                                                           \
    clEnqueueCopyImage(queue, from, to, a, b, box, 0, NULL, NULL)
#define COPY_WAITS(n, w) clEnqueueCopyImage(q, im2, im3, at, at, box, n, w, NULL)
    E(clEnqueueCopyImage, 1, COPY(WRONG(cl_command_queue), im2, im3, at, at, box));
    E(clEnqueueCopyImage, 2, COPY(q, other_im, im2, at, at, box));
    E(clEnqueueCopyImage, 3, COPY(q, im2, other_im, at, at, box));
    E(clEnqueueCopyImage, 5, COPY(q, m, im2, at, at, box));
    E(clEnqueueCopyImage, 6, COPY(q, im2, m, at, at, box));
    E(clEnqueueCopyImage, 7, COPY(q, im2, im2_float, at, at, box));
    E(clEnqueueCopyImage, 8, COPY(q, im2, im3, NULL, at, box));
    E(clEnqueueCopyImage, 9, COPY(q, im2, im3, at, NULL, box));
    E(clEnqueueCopyImage, 10, COPY(q, im2, im3, at, at, NULL));
    E(clEnqueueCopyImage, 11, COPY(q, im2, im3, outside, at, box));
    E(clEnqueueCopyImage, 12, COPY(q, im2, im3, at, outside, box));
    E(clEnqueueCopyImage, 13, COPY(q, im2, im3, deep_at, at, box));
    E(clEnqueueCopyImage, 13, COPY(q, im2, im1, at, at, box));
    E(clEnqueueCopyImage, 20, COPY(q, im2, im2, at, near, box));
    WAITS(clEnqueueCopyImage, 4, 15, 16, 17, COPY_WAITS);

#define OUT(queue, im, b, at, box, offset)                                                         \
    clEnqueueCopyImageToBuffer(queue, im, b, at, box, offset, 0, NULL, NULL)
#define OUT_WAITS(n, w) clEnqueueCopyImageToBuffer(q, im2, m, at, box, 0, n, w, NULL)
    size_t line[3] = {4, 1, 1};
    E(clEnqueueCopyImageToBuffer, 1, OUT(WRONG(cl_command_queue), im2, m, at, box, 0));
    E(clEnqueueCopyImageToBuffer, 2, OUT(q, other_im, m, at, box, 0));
    E(clEnqueueCopyImageToBuffer, 3, OUT(q, im2, other_m, at, box, 0));
    E(clEnqueueCopyImageToBuffer, 5, OUT(q, m, m, at, box, 0));
    E(clEnqueueCopyImageToBuffer, 6, OUT(q, im2, im3, at, box, 0));
    E(clEnqueueCopyImageToBuffer, 7, OUT(q, im_pixels, pixels, at, line, 0));
    E(clEnqueueCopyImageToBuffer, 8, OUT(q, im2, m, NULL, box, 0));
    E(clEnqueueCopyImageToBuffer, 9, OUT(q, im2, m, at, NULL, 0));
    E(clEnqueueCopyImageToBuffer, 10, OUT(q, im2, m, outside, box, 0));
    E(clEnqueueCopyImageToBuffer, 11, OUT(q, im2, m, at, box, 4064));
    E(clEnqueueCopyImageToBuffer, 12, OUT(q, im2, m, deep_at, box, 0));
    WAITS(clEnqueueCopyImageToBuffer, 4, 14, 15, 16, OUT_WAITS);

#define IN(queue, b, im, offset, at, box)                                                          \
    clEnqueueCopyBufferToImage(queue, b, im, offset, at, box, 0, NULL, NULL)
#define IN_WAITS(n, w) clEnqueueCopyBufferToImage(q, m, im2, 0, at, box, n, w, NULL)
    E(clEnqueueCopyBufferToImage, 1, IN(WRONG(cl_command_queue), m, im2, 0, at, box));
    E(clEnqueueCopyBufferToImage, 2, IN(q, other_m, im2, 0, at, box));
    E(clEnqueueCopyBufferToImage, 3, IN(q, m, other_im, 0, at, box));
    E(clEnqueueCopyBufferToImage, 5, IN(q, im3, im2, 0, at, box));
    E(clEnqueueCopyBufferToImage, 6, IN(q, m, m, 0, at, box));
    E(clEnqueueCopyBufferToImage, 7, IN(q, pixels, im_pixels, 0, at, line));
    E(clEnqueueCopyBufferToImage, 8, IN(q, m, im2, 0, NULL, box));
    E(clEnqueueCopyBufferToImage, 9, IN(q, m, im2, 0, at, NULL));
    E(clEnqueueCopyBufferToImage, 10, IN(q, m, im2, 4064, at, box));
    E(clEnqueueCopyBufferToImage, 11, IN(q, m, im2, 0, outside, box));
    E(clEnqueueCopyBufferToImage, 12, IN(q, m, im2, 0, deep_at, box));
    WAITS(clEnqueueCopyBufferToImage, 4, 14, 15, 16, IN_WAITS);
}

static void mappings(void)
{
    size_t row, slice;
#define MAP(queue, im, flags, at, box, row, slice)                                                 \
    clEnqueueMapImage(queue, im, CL_TRUE, flags, at, box, row, slice, 0, NULL, NULL, &err)
    N(clEnqueueMapImage, 1, MAP(WRONG(cl_command_queue), im2, CL_MAP_READ, at, box, &row, &slice));
    N(clEnqueueMapImage, 2, MAP(q, other_im, CL_MAP_READ, at, box, &row, &slice));
    N(clEnqueueMapImage, 4, MAP(q, m, CL_MAP_READ, at, box, &row, &slice));
    N(clEnqueueMapImage, 5, MAP(q, im2, CL_MAP_READ, NULL, box, &row, &slice));
    N(clEnqueueMapImage, 6, MAP(q, im2, CL_MAP_READ, at, NULL, &row, &slice));
    N(clEnqueueMapImage, 7, MAP(q, im2, CL_MAP_READ, outside, box, &row, &slice));
    N(clEnqueueMapImage, 8, MAP(q, im2, 1 << 10, at, box, &row, &slice));
    N(clEnqueueMapImage, 9, MAP(q, im2, CL_MAP_READ, deep_at, box, &row, &slice));
    N(clEnqueueMapImage, 10, MAP(q, im2, CL_MAP_READ, at, box, NULL, &slice));
    N(clEnqueueMapImage, 11, MAP(q, layers, CL_MAP_READ, at, box, &row, NULL));
    N(clEnqueueMapImage, 12, MAP(q, im3, CL_MAP_READ, at, box, &row, NULL));
    N(clEnqueueMapImage, 20,
      clEnqueueMapImage(q, im2, CL_TRUE, CL_MAP_READ, at, box, &row, &slice, 1, &failed, NULL,
                        &err));
    N(clEnqueueMapImage, 23, MAP(q, im_host_write, CL_MAP_READ, at, box, &row, &slice));
    N(clEnqueueMapImage, 23, MAP(q, im_host_none, CL_MAP_READ, at, box, &row, &slice));
    N(clEnqueueMapImage, 24, MAP(q, im_host_read, CL_MAP_WRITE, at, box, &row, &slice));
#define MAP_WAITS(n, w)                                                                            \
    (CHECK(!clEnqueueMapImage(q, im2, CL_FALSE, CL_MAP_READ, at, box, &row, &slice, n, w, NULL,    \
                              &err)),                                                              \
     err)
    WAITS(clEnqueueMapImage, 3, 14, 15, 16, MAP_WAITS);
    void *p = MAP(q, im2, CL_MAP_WRITE, at, box, &row, &slice);
    REQUIRE(p);
    N(clEnqueueMapImage, 25, MAP(q, im2, CL_MAP_WRITE, at, box, &row, &slice));
    CHECK(clEnqueueUnmapMemObject(q, im2, p, 0, NULL, NULL) == CL_SUCCESS && !clFinish(q));
}

static void samplers(void)
{
    cl_sampler_properties unknown[] = {0x7777, 1, 0}, value[] = {CL_SAMPLER_FILTER_MODE, 0x7777, 0},
                          twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                     CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
#define WITH(c, list) clCreateSamplerWithProperties(c, list, &err)
    N(clCreateSamplerWithProperties, 1, WITH((cl_context)q, NULL));
    N(clCreateSamplerWithProperties, 2, WITH(ctx, unknown));
    N(clCreateSamplerWithProperties, 2, WITH(ctx, value));
    N(clCreateSamplerWithProperties, 2, WITH(ctx, twice));
#define SAMPLER(c, normal, address, filter) clCreateSampler(c, normal, address, filter, &err)
    N(clCreateSampler, 1, SAMPLER((cl_context)q, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST));
    N(clCreateSampler, 2, SAMPLER(ctx, CL_FALSE, 0x7777, CL_FILTER_NEAREST));
    N(clCreateSampler, 2, SAMPLER(ctx, CL_FALSE, CL_ADDRESS_NONE, 0x7777));
    N(clCreateSampler, 2, SAMPLER(ctx, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST));
    N(clCreateSampler, 2, SAMPLER(ctx, CL_FALSE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST));
    E(clRetainSampler, 1, clRetainSampler(WRONG(cl_sampler)));
    E(clReleaseSampler, 1, clReleaseSampler(WRONG(cl_sampler)));
    QUERY(clGetSamplerInfo, 1, 2, 3, WRONG(cl_sampler), sampler, CL_SAMPLER_FILTER_MODE);
}

void test_images(void)
{
    creation();
    moves();
    copies();
    mappings();
    samplers();
}
