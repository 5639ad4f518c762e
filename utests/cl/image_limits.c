/* What the device reports of images holds: as many read and write arguments and samplers in one
 * kernel, the largest sizes, and 2D images over buffers with the least pitch
 * (cl_khr_image2d_from_buffer). */
#include "clu.h"
#include <CL/cl_ext.h>

#include <stdlib.h>

static const cl_image_format r32 = {CL_R, CL_UNSIGNED_INT32}, r8 = {CL_R, CL_UNSIGNED_INT8};

static size_t limit(cl_device_info name)
{
    size_t v = 0;
    CL(clGetDeviceInfo(clu_device, name, sizeof(v), &v, NULL));
    return v;
}

static cl_uint limit32(cl_device_info name)
{
    cl_uint v = 0;
    CL(clGetDeviceInfo(clu_device, name, sizeof(v), &v, NULL));
    return v;
}

static cl_mem image(cl_image_format f, cl_image_desc d)
{
    cl_int e;
    cl_mem m = clCreateImage(clu_context, CL_MEM_READ_WRITE, &f, &d, NULL, &e);
    CL(e);
    return m;
}

static void run(cl_kernel k, size_t n)
{
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    CL(clFinish(clu_queue));
    CL(clReleaseKernel(k));
}

/* A kernel that reads or writes the reported number of images; each has its own number in it. */
static void arguments(bool writes)
{
    cl_uint n = limit32(writes ? CL_DEVICE_MAX_WRITE_IMAGE_ARGS : CL_DEVICE_MAX_READ_IMAGE_ARGS);
    CHECK(n >= (writes ? 8u : 128u)); /* OpenCL 1.2 table 4.3 */
    char *text = malloc(200 * n + 400), *p = text;
    p += sprintf(p, "kernel void k(global uint *o");
    for (cl_uint i = 0; i < n; i++)
        p += sprintf(p, ", %s image2d_t i%u", writes ? "write_only" : "read_only", i);
    p += sprintf(p, ") {\n  int2 c = (int2)(get_global_id(0), 0);\n  uint s = o[0];\n");
    for (cl_uint i = 0; i < n; i++)
        p += writes ? sprintf(p, "  write_imageui(i%u, c, (uint4)(s + %u, 0, 0, 0));\n", i, i)
                    : sprintf(p, "  s = s * 3 + read_imageui(i%u, c).x;\n", i);
    sprintf(p, "  if (c.x == 1) o[1] = s;\n}\n");
    cl_program program = clu_build(text, "");
    cl_kernel k = clu_kernel(program, "k");
    uint32_t data[2] = {5, 0}, want = 5;
    cl_mem o = clu_buffer(sizeof(data), data), *images = calloc(n, sizeof(*images));
    CL(clSetKernelArg(k, 0, sizeof(o), &o));
    size_t zero[3] = {0, 0, 0}, row[3] = {2, 1, 1};
    for (cl_uint i = 0; i < n; i++) {
        uint32_t pixels[2] = {0, i * 7 + 1};
        images[i] = image(r32, (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
                                               .image_width = 2,
                                               .image_height = 1});
        CL(clEnqueueWriteImage(clu_queue, images[i], CL_TRUE, zero, row, 0, 0, pixels, 0, NULL,
                               NULL));
        CL(clSetKernelArg(k, i + 1, sizeof(cl_mem), &images[i]));
        want = want * 3 + pixels[1];
    }
    run(k, 2);
    clu_read(o, sizeof(data), data);
    if (!writes)
        CHECKF(data[1] == want, "%u images read: %u, not %u", n, data[1], want);
    for (cl_uint i = 0; i < n; i++) {
        uint32_t pixels[2];
        CL(clEnqueueReadImage(clu_queue, images[i], CL_TRUE, zero, row, 0, 0, pixels, 0, NULL,
                              NULL));
        if (writes)
            CHECKF(pixels[0] == 5 + i && pixels[1] == 5 + i, "image %u: %u", i, pixels[1]);
        CL(clReleaseMemObject(images[i]));
    }
    CL(clReleaseMemObject(o));
    CL(clReleaseProgram(program));
    free(images);
    free(text);
}

/* All samplers in one kernel, half of them clamping to the edge, half to a border of zeros. */
static void samplers(void)
{
    cl_uint n = limit32(CL_DEVICE_MAX_SAMPLERS);
    CHECK(n >= 16);
    char text[4096], *p = text;
    p += sprintf(p, "kernel void k(global float *o, read_only image2d_t im");
    for (cl_uint i = 0; i < n; i++)
        p += sprintf(p, ", sampler_t s%u", i);
    p += sprintf(p, ") {\n");
    for (cl_uint i = 0; i < n; i++)
        p += sprintf(p, "  o[%u] = read_imagef(im, s%u, (float2)(-2, %u)).w;\n", i, i, i % 4);
    sprintf(p, "}\n");
    cl_program program = clu_build(text, "");
    cl_kernel k = clu_kernel(program, "k");
    float pixels[4][4], got[64] = {0};
    for (int i = 0; i < 16; i++)
        pixels[i / 4][i % 4] = i + 1;
    cl_mem o = clu_buffer(n * 4, got);
    cl_mem im = image(
        (cl_image_format){CL_RGBA, CL_FLOAT},
        (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 4});
    size_t zero[3] = {0, 0, 0}, all[3] = {1, 4, 1};
    CL(clEnqueueWriteImage(clu_queue, im, CL_TRUE, zero, all, 0, 0, pixels, 0, NULL, NULL));
    CL(clSetKernelArg(k, 0, sizeof(o), &o));
    CL(clSetKernelArg(k, 1, sizeof(im), &im));
    for (cl_uint i = 0; i < n; i++) {
        cl_int e;
        cl_sampler s = clCreateSampler(clu_context, CL_FALSE,
                                       i % 2 ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE,
                                       CL_FILTER_NEAREST, &e);
        CL(e);
        CL(clSetKernelArg(k, i + 2, sizeof(s), &s));
        CL(clReleaseSampler(s)); /* the kernel keeps what it says */
    }
    run(k, 1);
    clu_read(o, n * 4, got);
    for (cl_uint i = 0; i < n; i++)
        CHECKF(got[i] == (i % 2 ? 0 : pixels[i % 4][3]), "sampler %u: %g", i, got[i]);
    CL(clReleaseMemObject(o));
    CL(clReleaseMemObject(im));
    CL(clReleaseProgram(program));
}

/* The last pixel of an image as large as it can be in one dimension. */
static void sizes(void)
{
    size_t w = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH), h = limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
    size_t w3 = limit(CL_DEVICE_IMAGE3D_MAX_WIDTH), h3 = limit(CL_DEVICE_IMAGE3D_MAX_HEIGHT);
    size_t d3 = limit(CL_DEVICE_IMAGE3D_MAX_DEPTH), layers = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
    const struct {
        cl_mem_object_type type;
        size_t w, h, d; /* d: slices or layers */
        const char *kernel;
    } rows[] = {
        {CL_MEM_OBJECT_IMAGE2D, w, 2, 1, "k2d"},
        {CL_MEM_OBJECT_IMAGE2D, 2, h, 1, "k2d"},
        {CL_MEM_OBJECT_IMAGE1D, w, 1, 1, "k1d"},
        {CL_MEM_OBJECT_IMAGE3D, w3, 2, 2, "k3d"},
        {CL_MEM_OBJECT_IMAGE3D, 2, h3, 2, "k3d"},
        {CL_MEM_OBJECT_IMAGE3D, 2, 2, d3, "k3d"},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, 2, layers, "k2da"},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, 1, layers, "k1da"},
    };
    static const char source[] = "kernel void k1d(read_only image1d_t i, global uint *o, int4 c) { "
                                 "*o = read_imageui(i, c.x).x; }\n"
                                 "kernel void k2d(read_only image2d_t i, global uint *o, int4 c) { "
                                 "*o = read_imageui(i, c.xy).x; }\n"
                                 "kernel void k3d(read_only image3d_t i, global uint *o, int4 c) { "
                                 "*o = read_imageui(i, c).x; }\n"
                                 "kernel void k2da(read_only image2d_array_t i, global uint *o, "
                                 "int4 c) { *o = read_imageui(i, c).x; }\n"
                                 "kernel void k1da(read_only image1d_array_t i, global uint *o, "
                                 "int4 c) { *o = read_imageui(i, c.xz).x; }\n"
                                 "kernel void kb(read_only image1d_buffer_t i, global uint *o, "
                                 "int4 c) { *o = read_imageui(i, c.x).x; }\n";
    cl_program program = clu_build(source, "");
    for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
        cl_image_desc d = {.image_type = rows[r].type,
                           .image_width = rows[r].w,
                           .image_height = rows[r].h,
                           .image_depth = rows[r].d,
                           .image_array_size = rows[r].d};
        cl_mem m = image(r8, d), o = clu_buffer(4, NULL);
        bool rows_are_layers = rows[r].type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        size_t at[3] = {rows[r].w - 1, rows_are_layers ? rows[r].d - 1 : rows[r].h - 1,
                        rows_are_layers ? 0 : rows[r].d - 1};
        size_t one[3] = {1, 1, 1};
        uint8_t value = 100 + r;
        uint32_t got = 0;
        cl_int c[4] = {at[0], rows[r].h - 1, rows[r].d - 1, 0};
        CL(clEnqueueWriteImage(clu_queue, m, CL_TRUE, at, one, 0, 0, &value, 0, NULL, NULL));
        cl_kernel k = clu_kernel(program, rows[r].kernel);
        CL(clSetKernelArg(k, 0, sizeof(m), &m));
        CL(clSetKernelArg(k, 1, sizeof(o), &o));
        CL(clSetKernelArg(k, 2, sizeof(c), c));
        run(k, 1);
        clu_read(o, 4, &got);
        CHECKF(got == value, "row %u: %u", r, got);
        CL(clReleaseMemObject(m));
        CL(clReleaseMemObject(o));
    }
    size_t n = limit(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
    CHECK(n >= 65536);
    cl_mem b = clu_buffer(n, NULL), o = clu_buffer(4, NULL);
    uint8_t value = 200;
    uint32_t got = 0;
    cl_int c[4] = {n - 1, 0, 0, 0};
    CL(clEnqueueWriteBuffer(clu_queue, b, CL_TRUE, n - 1, 1, &value, 0, NULL, NULL));
    cl_mem m = image(
        r8,
        (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = n, .buffer = b});
    cl_kernel k = clu_kernel(program, "kb");
    CL(clSetKernelArg(k, 0, sizeof(m), &m));
    CL(clSetKernelArg(k, 1, sizeof(o), &o));
    CL(clSetKernelArg(k, 2, sizeof(c), c));
    run(k, 1);
    clu_read(o, 4, &got);
    CHECKF(got == value, "the last of %zu pixels in a buffer: %u", n, got);
    CL(clReleaseMemObject(m));
    CL(clReleaseMemObject(b));
    CL(clReleaseMemObject(o));
    CL(clReleaseProgram(program));
}

/* A 2D image over a part of a buffer, with the least pitch: what a kernel writes stands in the
 * buffer. */
static void from_buffer(void)
{
    cl_uint pitch = limit32(CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR);
    cl_uint align = limit32(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    CHECK(pitch > 0);
    enum { W = 5, H = 3 };
    size_t size = align + 4 * pitch * H, global[2] = {W, H};
    uint32_t *words = calloc(1, size);
    cl_int e;
    cl_mem b = clu_buffer(size, words);
    cl_buffer_region part = {align, 4 * pitch * H};
    cl_mem sub = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &e);
    CL(e);
    cl_mem m = image(r32, (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
                                          .image_width = W,
                                          .image_height = H,
                                          .image_row_pitch = 4 * pitch,
                                          .buffer = sub});
    cl_program program =
        clu_build("kernel void k(write_only image2d_t i) {\n"
                  "  int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
                  "  write_imageui(i, c, (uint4)(c.y * 10 + c.x + 1, 0, 0, 0)); }\n",
                  "");
    cl_kernel k = clu_kernel(program, "k");
    CL(clSetKernelArg(k, 0, sizeof(m), &m));
    CL(clEnqueueNDRangeKernel(clu_queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    clu_read(b, size, words);
    for (size_t i = 0; i < size / 4; i++) {
        size_t at = i - align / 4;
        bool inside = i >= align / 4 && at % pitch < W;
        uint32_t want = inside ? at / pitch * 10 + at % pitch + 1 : 0;
        CHECKF(words[i] == want, "word %zu: %u, not %u", i, words[i], want);
    }
    CL(clReleaseKernel(k));
    CL(clReleaseMemObject(m));
    CL(clReleaseMemObject(sub));
    CL(clReleaseMemObject(b));
    CL(clReleaseProgram(program));
    free(words);
}

/* An image argument that was released, with buffers where it was: an error, not a buffer for an
 * image. */
static void released(void)
{
    enum { N = 20 };
    cl_program program = clu_build("kernel void k(read_only image2d_t i, global uint *o) {\n"
                                   "  *o = read_imageui(i, (int2)(0)).x; }\n",
                                   "");
    cl_mem images[N], buffers[4 * N], o = clu_buffer(4, NULL);
    size_t n = 1;
    for (unsigned i = 0; i < N; i++)
        images[i] = image(r32, (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
                                               .image_width = 2,
                                               .image_height = 2});
    cl_kernel kernels[N];
    for (unsigned i = 0; i < N; i++) {
        kernels[i] = clu_kernel(program, "k");
        CL(clSetKernelArg(kernels[i], 0, sizeof(images[i]), &images[i]));
        CL(clSetKernelArg(kernels[i], 1, sizeof(o), &o));
    }
    for (unsigned i = 0; i < N; i++)
        CL(clReleaseMemObject(images[i]));
    for (unsigned i = 0; i < 4 * N; i++)
        buffers[i] = clu_buffer(64, NULL);
    for (unsigned i = 0; i < N; i++) {
        CHECK(clEnqueueNDRangeKernel(clu_queue, kernels[i], 1, NULL, &n, NULL, 0, NULL, NULL) ==
              CL_INVALID_KERNEL_ARGS);
        CL(clReleaseKernel(kernels[i]));
    }
    for (unsigned i = 0; i < 4 * N; i++)
        CL(clReleaseMemObject(buffers[i]));
    CL(clReleaseMemObject(o));
    CL(clReleaseProgram(program));
}

int main(void)
{
    clu_open();
    released();
    arguments(false);
    arguments(true);
    samplers();
    sizes();
    from_buffer();
    clu_close();
    return utest_end();
}
