/* cl_khr_depth_images: one float a texel, read with and without a sampler, written, filled, asked.
 */
#include "clu.h"

enum { WIDTH = 16, HEIGHT = 4, LAYERS = 3 };

static const char source[] = "\n\
#if !cl_khr_depth_images\n\
#error depth_images\n\
#endif\n\
#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n\
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n\
constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n\
kernel void one(read_only image2d_depth_t im, global float *out, global int *asked) {\n\
  int x = get_global_id(0), y = get_global_id(1); global float *o = out + 6 * (y * WIDTH + x);\n\
  o[0] = read_imagef(im, (int2)(x, y)); o[1] = read_imagef(im, nearest, (int2)(x, y));\n\
  o[2] = read_imagef(im, nearest, (float2)(x + 0.5f, y + 0.5f)); o[3] = read_imagef(im, nearest, (int2)(x - WIDTH, y));\n\
  o[4] = read_imagef(im, linear, (float2)((x + 1.0f) / WIDTH, (y + 0.5f) / HEIGHT)); o[5] = read_imagef(im, nearest, (int2)(x, y + HEIGHT));\n\
  if (!(x | y)) { asked[0] = get_image_width(im); asked[1] = get_image_height(im); asked[2] = get_image_channel_order(im);\n\
    asked[3] = get_image_channel_data_type(im); asked[4] = get_image_dim(im).y; } }\n\
kernel void layers(read_only image2d_array_depth_t im, global float *out, global int *asked) {\n\
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n\
  global float *o = out + 3 * ((z * HEIGHT + y) * WIDTH + x);\n\
  o[0] = read_imagef(im, (int4)(x, y, z, 0)); o[1] = read_imagef(im, nearest, (int4)(x, y, z, 0));\n\
  o[2] = read_imagef(im, nearest, (float4)(x + 0.5f, y + 0.5f, z, 0));\n\
  if (!(x | y | z)) { asked[0] = get_image_width(im); asked[1] = get_image_height(im); asked[2] = (int)get_image_array_size(im); } }\n\
kernel void put(write_only image2d_depth_t im, const global float *v) {\n\
  int x = get_global_id(0), y = get_global_id(1); write_imagef(im, (int2)(x, y), v[y * WIDTH + x]); }\n\
kernel void put_layers(write_only image2d_array_depth_t im, const global float *v) {\n\
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n\
  write_imagef(im, (int4)(x, y, z, 0), v[(z * HEIGHT + y) * WIDTH + x]); }\n\
kernel void colours(read_only image2d_t im, global float *out) { out[0] = read_imagef(im, (int2)(0, 0)).x; }\n\
";

static float depths[WIDTH * HEIGHT * LAYERS], got[WIDTH * HEIGHT * LAYERS * 6];
static unsigned char raw[sizeof depths], back[sizeof depths];

static cl_mem image(cl_channel_type type, unsigned layers, const void *data)
{
    cl_image_format f = {CL_DEPTH, type};
    cl_image_desc d = {.image_type = layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D,
                       .image_width = WIDTH,
                       .image_height = HEIGHT,
                       .image_array_size = layers};
    cl_int e;
    cl_mem m = clCreateImage(clu_context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), &f,
                             &d, (void *)data, &e);
    CL(e);
    return m;
}

static void launch(cl_kernel k, unsigned layers)
{
    size_t size[3] = {WIDTH, HEIGHT, layers ? layers : 1};
    CL(clEnqueueNDRangeKernel(clu_queue, k, 3, NULL, size, NULL, 0, NULL, NULL));
    CL(clReleaseKernel(k));
}

/* Whole steps of the 16 bits; floats in quarters, which filters leave exact. */
static void fill(cl_channel_type type)
{
    for (unsigned i = 0; i < WIDTH * HEIGHT * LAYERS; i++) {
        uint16_t w = (uint16_t)(clu_random() & 0xffff);
        depths[i] = type == CL_FLOAT ? (float)(clu_random() % 64) / 4 : (float)w / 65535;
        if (type == CL_FLOAT)
            memcpy(raw + 4 * i, &depths[i], 4);
        else
            memcpy(raw + 2 * i, &w, 2);
    }
}

static void check(cl_program p, cl_channel_type type, unsigned layers)
{
    unsigned n = layers ? layers : 1, results = layers ? 3 : 6, size = type == CL_FLOAT ? 4 : 2;
    size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, n};
    cl_int asked[5];
    fill(type);
    cl_mem im = image(type, layers, raw), out = clu_buffer(sizeof got, NULL),
           sizes = clu_buffer(sizeof asked, NULL), v = clu_buffer(sizeof depths, depths);
    cl_kernel k = clu_kernel(p, layers ? "layers" : "one");
    clu_arg_mem(k, 0, im);
    clu_arg_mem(k, 1, out);
    clu_arg_mem(k, 2, sizes);
    launch(k, layers);
    clu_read(out, sizeof got, got);
    clu_read(sizes, sizeof asked, asked);
    for (unsigned i = 0; i < WIDTH * HEIGHT * n; i++) {
        float next = i % WIDTH == WIDTH - 1 ? depths[i] : depths[i + 1];
        float want[6] = {depths[i], depths[i], depths[i], 0, (depths[i] + next) / 2, 0};
        for (unsigned r = 0; r < results; r++) {
            float is = got[results * i + r], off = is > want[r] ? is - want[r] : want[r] - is;
            CHECKF(off <= (type == CL_FLOAT ? 0 : 1.0f / 65535 / 256 * (r == 4 ? 256 : 1)),
                   "type %x, %u layers, texel %u, result %u: %.9g for %.9g", type, layers, i, r, is,
                   want[r]);
        }
    }
    CHECK(asked[0] == WIDTH && asked[1] == HEIGHT);
    if (layers)
        CHECK(asked[2] == (cl_int)layers);
    else
        CHECK(asked[2] == CL_DEPTH && asked[3] == (cl_int)type && asked[4] == HEIGHT);
    CL(clReleaseMemObject(im));

    im = image(type, layers, NULL);
    k = clu_kernel(p, layers ? "put_layers" : "put");
    clu_arg_mem(k, 0, im);
    clu_arg_mem(k, 1, v);
    launch(k, layers);
    CL(clEnqueueReadImage(clu_queue, im, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, raw, (size_t)WIDTH * HEIGHT * n * size));
    float *one = malloc(sizeof *one); /* no more than the one float is read */
    *one = 1;
    CL(clEnqueueFillImage(clu_queue, im, one, origin, region, 0, NULL, NULL));
    CL(clEnqueueReadImage(clu_queue, im, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
    free(one);
    for (unsigned i = 0; i < WIDTH * HEIGHT * n; i++) {
        float f;
        uint16_t w;
        memcpy(&f, back + 4 * i, 4);
        memcpy(&w, back + 2 * i, 2);
        CHECK(type == CL_FLOAT ? f == 1 : w == 0xffff);
    }
    CL(clReleaseMemObject(im));
    CL(clReleaseMemObject(out));
    CL(clReleaseMemObject(sizes));
    CL(clReleaseMemObject(v));
}

/* Images of depths and of colours are not taken for each other; only flat ones have depths. */
static void kinds(cl_program p)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};
    static const cl_mem_flags access[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE};
    static cl_image_format list[256];
    for (unsigned t = 0; t < 6; t++)
        for (unsigned a = 0; a < 3; a++) {
            cl_uint n, found = 0;
            CL(clGetSupportedImageFormats(clu_context, access[a], types[t], 256, list, &n));
            for (cl_uint i = 0; i < n; i++)
                found += list[i].image_channel_order == CL_DEPTH;
            CHECK(found == (t == 3 || t == 4 ? 2 : 0));
        }
    cl_mem depth = image(CL_FLOAT, 0, NULL);
    cl_image_format f = {CL_R, CL_FLOAT};
    cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int e;
    cl_mem colour = clCreateImage(clu_context, 0, &f, &d, NULL, &e);
    CL(e);
    cl_kernel one = clu_kernel(p, "one"), colours = clu_kernel(p, "colours");
    CHECK(clSetKernelArg(one, 0, sizeof colour, &colour) == CL_INVALID_MEM_OBJECT);
    CHECK(clSetKernelArg(colours, 0, sizeof depth, &depth) == CL_INVALID_MEM_OBJECT);
    CL(clSetKernelArg(one, 0, sizeof depth, &depth));
    CL(clReleaseKernel(one));
    CL(clReleaseKernel(colours));
    CL(clReleaseMemObject(depth));
    CL(clReleaseMemObject(colour));
}

int main(void)
{
    clu_open();
    cl_program p = clu_build(source, "-DWIDTH=16 -DHEIGHT=4");
    check(p, CL_FLOAT, 0);
    check(p, CL_UNORM_INT16, 0);
    check(p, CL_FLOAT, LAYERS);
    check(p, CL_UNORM_INT16, LAYERS);
    kinds(p);
    CL(clReleaseProgram(p));
    clu_close();
    return utest_end();
}
