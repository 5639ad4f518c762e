/* Images that a kernel reads and writes: rows are mirrored in place, in every format that OpenCL
 * asks for; what has been written is there behind a fence or a barrier for images. */
#include "clu.h"

#ifndef CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS
#define CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS 0x104C
#endif
#ifndef CL_MEM_KERNEL_READ_AND_WRITE
#define CL_MEM_KERNEL_READ_AND_WRITE (1 << 12)
#endif

enum { WIDTH = 64, HEIGHT = 6, DEPTH = 3 };

static const char source[] = "\n\
#if !__opencl_c_read_write_images\n\
#error read_write_images\n\
#endif\n\
#define MIRROR(f, T, V, image, C, at, from, n) kernel void image##_##f(read_write image##_t im, global T *out, global int *size) { \\\n\
  int x = (int)get_global_id(0), y = (int)get_global_id(1), z = (int)get_global_id(2), w = get_image_width(im);\\\n\
  T v = read_image##f(im, C at); work_group_barrier(CLK_IMAGE_MEM_FENCE);\\\n\
  write_image##f(im, C from, v);\\\n\
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\\\n\
  int i = (z * (int)get_global_size(1) + y) * w + x; T own = read_image##f(im, C from);\\\n\
  work_group_barrier(CLK_IMAGE_MEM_FENCE);\\\n\
  out[2 * i] = own; out[2 * i + 1] = read_image##f(im, C at);\\\n\
  if (!(x | y | z)) { size[0] = w; size[1] = get_image_channel_order(im); size[2] = get_image_channel_data_type(im); n } }\n\
#define ALL(image, C, at, from, n) MIRROR(f, float4, float, image, C, at, from, n) MIRROR(i, int4, int, image, C, at, from, n) MIRROR(ui, uint4, uint, image, C, at, from, n)\n\
ALL(image1d, (int), (x), (w - 1 - x), )\n\
ALL(image1d_buffer, (int), (x), (w - 1 - x), )\n\
ALL(image1d_array, (int2), (x, y), (w - 1 - x, y), size[3] = (int)get_image_array_size(im);)\n\
ALL(image2d, (int2), (x, y), (w - 1 - x, y), size[3] = get_image_height(im);)\n\
ALL(image2d_array, (int4), (x, y, z, 0), (w - 1 - x, y, z, 0), size[3] = (int)get_image_array_size(im);)\n\
ALL(image3d, (int4), (x, y, z, 0), (w - 1 - x, y, z, 0), size[3] = get_image_depth(im);)\n\
";

static const struct {
    cl_channel_type type;
    unsigned size; /* of a channel */
    const char *read;
} types[] = {
    {CL_UNORM_INT8, 1, "f"},      {CL_SIGNED_INT8, 1, "i"},    {CL_SIGNED_INT16, 2, "i"},
    {CL_SIGNED_INT32, 4, "i"},    {CL_UNSIGNED_INT8, 1, "ui"}, {CL_UNSIGNED_INT16, 2, "ui"},
    {CL_UNSIGNED_INT32, 4, "ui"}, {CL_HALF_FLOAT, 2, "f"},     {CL_FLOAT, 4, "f"}};

static const struct {
    const char *name;
    cl_mem_object_type type;
    unsigned height, depth; /* layers are either */
} shapes[] = {{"image1d", CL_MEM_OBJECT_IMAGE1D, 1, 1},
              {"image1d_buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, 1},
              {"image1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY, HEIGHT, 1},
              {"image2d", CL_MEM_OBJECT_IMAGE2D, HEIGHT, 1},
              {"image2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY, HEIGHT, DEPTH},
              {"image3d", CL_MEM_OBJECT_IMAGE3D, HEIGHT, DEPTH}};

static unsigned char a[WIDTH * HEIGHT * DEPTH * 16], got[sizeof a];
static cl_uint seen[WIDTH * HEIGHT * DEPTH * 2][4];

/* A channel as read_image gives it, its bits. */
static cl_uint channel(unsigned t, const unsigned char *p)
{
    union {
        cl_uint u;
        cl_int i;
        float f;
    } v = {0};
    uint16_t w;
    memcpy(&w, p, 2);
    switch (types[t].type) {
    case CL_UNORM_INT8:
        v.f = (float)*p / 255;
        break;
    case CL_SIGNED_INT8:
        v.i = (int8_t)*p;
        break;
    case CL_SIGNED_INT16:
        v.i = (int16_t)w;
        break;
    case CL_HALF_FLOAT: /* whole numbers up to 64: see fill */
        v.f = (float)((w & 1023) + 1024) / 1024 * (float)(1 << ((w >> 10) - 15));
        break;
    default:
        memcpy(&v.u, p, types[t].size);
    }
    return v.u;
}

static void fill(unsigned t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (types[t].type == CL_HALF_FLOAT) {
            uint16_t w = (uint16_t)((15 + clu_random() % 6) << 10 | (clu_random() & 1023));
            memcpy(a + 2 * i, &w, 2);
        } else if (types[t].type == CL_FLOAT) {
            float f = (float)(int)(clu_random() % 20000) - 10000;
            memcpy(a + 4 * i, &f, 4);
        } else {
            for (unsigned b = 0; b < types[t].size; b++)
                a[i * types[t].size + b] = (unsigned char)(clu_random() >> 4);
        }
    }
}

static void mirror(cl_program p, unsigned s, unsigned t, cl_channel_order order)
{
    unsigned channels = order == CL_R ? 1 : 4, pixel = channels * types[t].size;
    size_t rows = shapes[s].height * shapes[s].depth, bytes = WIDTH * rows * pixel;
    cl_image_format f = {order, types[t].type};
    bool is_array = shapes[s].type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                    shapes[s].type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    bool is_1d = shapes[s].type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    cl_image_desc d = {.image_type = shapes[s].type,
                       .image_width = WIDTH,
                       .image_height = is_1d ? 0 : shapes[s].height,
                       .image_depth = shapes[s].depth,
                       .image_array_size = is_1d      ? shapes[s].height
                                           : is_array ? shapes[s].depth
                                                      : 0};
    size_t global[3] = {WIDTH, shapes[s].height, shapes[s].depth}, local[3] = {WIDTH, 1, 1};
    size_t origin[3] = {0};
    char name[40];
    cl_int e, size[4];
    cl_mem buffer = NULL;
    fill(t, WIDTH * rows * channels);
    if (shapes[s].type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        d.buffer = buffer = clu_buffer(bytes, a);
    cl_mem im = clCreateImage(clu_context, buffer ? 0 : CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              &f, &d, buffer ? NULL : a, &e);
    CL(e);
    cl_mem out = clu_buffer(sizeof seen, NULL), sizes = clu_buffer(sizeof size, NULL);
    snprintf(name, sizeof name, "%s_%s", shapes[s].name, types[t].read);
    cl_kernel k = clu_kernel(p, name);
    clu_arg_mem(k, 0, im);
    clu_arg_mem(k, 1, out);
    clu_arg_mem(k, 2, sizes);
    CL(clEnqueueNDRangeKernel(clu_queue, k, 3, NULL, global, local, 0, NULL, NULL));
    clu_read(out, sizeof seen, seen);
    clu_read(sizes, sizeof size, size);
    CL(clEnqueueReadImage(clu_queue, im, CL_TRUE, origin, global, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < WIDTH * rows; i++) {
        size_t other = i / WIDTH * WIDTH + WIDTH - 1 - i % WIDTH;
        CHECKF(!memcmp(got + i * pixel, a + other * pixel, pixel), "%s of type %x: texel %zu", name,
               types[t].type, i);
        for (unsigned c = 0; c < 4; c++) {
            /* its own value comes back from where it was put, the mirrored one from its place */
            cl_uint none = c < 3 ? 0 : *types[t].read == 'f' ? 0x3f800000 : 1;
            cl_uint own = c < channels ? channel(t, a + i * pixel + c * types[t].size) : none;
            cl_uint new = c < channels ? channel(t, a + other * pixel + c * types[t].size) : none;
            CHECKF(seen[2 * i][c] == own, "%s of type %x: item %zu reads %x for %x", name,
                   types[t].type, i, seen[2 * i][c], own);
            CHECKF(seen[2 * i + 1][c] == new, "%s of type %x: item %zu then reads %x for %x", name,
                   types[t].type, i, seen[2 * i + 1][c], new);
        }
    }
    CHECK(size[0] == WIDTH && size[1] == (cl_int)order && size[2] == (cl_int)types[t].type);
    if (rows > 1)
        CHECK(size[3] == (cl_int)(shapes[s].depth > 1 ? shapes[s].depth : shapes[s].height));
    CL(clReleaseMemObject(im));
    CL(clReleaseMemObject(out));
    CL(clReleaseMemObject(sizes));
    if (buffer)
        CL(clReleaseMemObject(buffer));
    CL(clReleaseKernel(k));
}

/* Every format of the least list is in that of each kind of image, or there is no list. */
static void formats(bool has)
{
    static cl_image_format list[256];
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        cl_uint n;
        CL(clGetSupportedImageFormats(clu_context, CL_MEM_KERNEL_READ_AND_WRITE, shapes[s].type,
                                      256, list, &n));
        CHECK(has || n == 0);
        for (unsigned t = 0; has && t < 2 * sizeof types / sizeof *types; t++) {
            bool found = false;
            for (cl_uint i = 0; i < n; i++)
                found |= list[i].image_channel_data_type == types[t / 2].type &&
                         list[i].image_channel_order == (t % 2 ? CL_R : CL_RGBA);
            CHECKF(found, "%s: format %u", shapes[s].name, t);
        }
    }
}

int main(void)
{
    cl_uint args;
    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof args, &args, NULL));
    CHECK(args == 0 || args >= 64);
    formats(args > 0);
    if (args) {
        cl_program p = clu_build(source, "-cl-std=CL3.0");
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
                mirror(p, s, t, CL_RGBA);
                mirror(p, s, t, CL_R);
            }
        CL(clReleaseProgram(p));
    } else {
        const char *text = "kernel void k(read_write image2d_t im) {}";
        cl_int e;
        cl_program p = clCreateProgramWithSource(clu_context, 1, &text, NULL, &e);
        CL(e);
        CHECK(clBuildProgram(p, 1, &clu_device, "-cl-std=CL3.0", NULL, NULL) ==
              CL_BUILD_PROGRAM_FAILURE);
        CL(clReleaseProgram(p));
    }
    clu_close();
    return utest_end();
}
