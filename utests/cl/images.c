/* Images, on whatever driver there is: reads and writes of every format it offers, samplers of
 * every kind over every dimension, writes, queries; against values worked out here from the OpenCL
 * specification. With INTEL_DRIVER it is for Intel's own one, and skipped where that isn't
 * installed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <unistd.h>

#include "utest.h"

enum { W = 16, H = 6, D = 5, N_COORDS = 256 };

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "#define AT (int2)(get_global_id(0), get_global_id(1))\n"
    "#define I (get_global_id(1) * get_global_size(0) + get_global_id(0))\n"
    "constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void read_f(read_only image2d_t a, global float4 *o) { o[I] = read_imagef(a, near, "
    "AT); }\n"
    "kernel void read_i(read_only image2d_t a, global int4 *o) { o[I] = read_imagei(a, AT); }\n"
    "kernel void read_u(read_only image2d_t a, global uint4 *o) { o[I] = read_imageui(a, near, "
    "AT); }\n"
    "kernel void write_f(write_only image2d_t a, global const float4 *v) { write_imagef(a, AT, "
    "v[I]); }\n"
    "kernel void write_i(write_only image2d_t a, global const int4 *v) { write_imagei(a, AT, "
    "v[I]); }\n"
    "kernel void write_u(write_only image2d_t a, global const uint4 *v) { write_imageui(a, AT, "
    "v[I]); }\n"
    "kernel void edge_f(read_only image2d_t a, global float4 *o) {\n"
    "  o[I] = read_imagef(a, near, AT - 1); }\n"
    "kernel void edge_i(read_only image2d_t a, global int4 *o) {\n"
    "  o[I] = read_imagei(a, near, AT - 1); }\n"
    "kernel void edge_u(read_only image2d_t a, global uint4 *o) {\n"
    "  o[I] = read_imageui(a, near, AT - 1); }\n"
    "#define SAMPLE(name, type, coord)\\\n"
    "  kernel void name(type a, sampler_t s, global const float4 *c, global float4 *o) {\\\n"
    "    size_t i = get_global_id(0); o[i] = read_imagef(a, s, coord); }\n"
    "SAMPLE(sample_1d, read_only image1d_t, c[i].x)\n"
    "SAMPLE(sample_1da, read_only image1d_array_t, c[i].xy)\n"
    "SAMPLE(sample_2d, read_only image2d_t, c[i].xy)\n"
    "SAMPLE(sample_2da, read_only image2d_array_t, c[i])\n"
    "SAMPLE(sample_3d, read_only image3d_t, c[i])\n"
    "SAMPLE(fetch_1d, read_only image1d_t, convert_int4(c[i]).x)\n"
    "SAMPLE(fetch_1da, read_only image1d_array_t, convert_int4(c[i]).xy)\n"
    "SAMPLE(fetch_2d, read_only image2d_t, convert_int4(c[i]).xy)\n"
    "SAMPLE(fetch_2da, read_only image2d_array_t, convert_int4(c[i]))\n"
    "SAMPLE(fetch_3d, read_only image3d_t, convert_int4(c[i]))\n"
    "kernel void sample_u(read_only image2d_t a, sampler_t s, global const float4 *c, global uint4 "
    "*o) {\n"
    "  size_t i = get_global_id(0); o[i] = read_imageui(a, s, c[i].xy); }\n"
    "kernel void copy_3d(read_only image3d_t a, write_only image3d_t b) {\n"
    "  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imagef(b, p, read_imagef(a, p).yzwx); }\n"
    "kernel void copy_2da(read_only image2d_array_t a, write_only image2d_array_t b) {\n"
    "  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imagef(b, p, read_imagef(a, p).yzwx); }\n"
    "kernel void copy_1da(read_only image1d_array_t a, write_only image1d_array_t b) {\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(2));\n"
    "  write_imagef(b, p, read_imagef(a, p).yzwx); }\n"
    "kernel void copy_1d(read_only image1d_t a, write_only image1d_t b) {\n"
    "  int p = get_global_id(0); write_imagef(b, p, read_imagef(a, p).yzwx); }\n"
    "kernel void copy_buffer(read_only image1d_buffer_t a, write_only image1d_buffer_t b) {\n"
    "  int p = get_global_id(0); write_imagef(b, p, read_imagef(a, p).yzwx); }\n"
    "kernel void sizes(read_only image3d_t a, read_only image2d_array_t b, read_only "
    "image1d_array_t c,\n"
    "                  global int *o) {\n"
    "  o[0] = get_image_width(a); o[1] = get_image_height(a); o[2] = get_image_depth(a);\n"
    "  o[3] = get_image_width(b); o[4] = get_image_height(b); o[5] = get_image_array_size(b);\n"
    "  o[6] = get_image_width(c); o[7] = get_image_array_size(c);\n"
    "  o[8] = get_image_channel_order(a); o[9] = get_image_channel_data_type(a);\n"
    "  vstore4(get_image_dim(a), 0, o + 10); vstore2(get_image_dim(b), 0, o + 14); }\n";

static const char depth_source[] =
    "#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n"
    "kernel void read_d(read_only image2d_depth_t a, global float4 *o) {\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  o[p.y * get_global_size(0) + p.x] = (float4)(read_imagef(a, p), 0, 0, 0); }\n"
    "kernel void write_d(write_only image2d_depth_t a, global const float4 *v) {\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(a, p, v[p.y * get_global_size(0) + p.x].x); }\n";

static cl_context ctx;
static cl_device_id dev;
static cl_command_queue queue;
static cl_program program, depth_program;
static cl_int err;

#define OK(call) CHECKF((err = (call)) == CL_SUCCESS, "error %d", err)

static cl_program build(const char *text, const char *options)
{
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    if (clBuildProgram(p, 1, &dev, options, NULL, NULL) != CL_SUCCESS) {
        static char log[4096];
        clGetProgramBuildInfo(p, dev, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        REQUIRE(false);
    }
    return p;
}

/* Runs a kernel over x * y * z items; its arguments are handles. */
static void run(cl_program p, const char *name, const size_t size[3], unsigned n,
                const void *const *args)
{
    cl_kernel k = clCreateKernel(p, name, &err);
    CHECKF(k, "%s: %d", name, err);
    for (unsigned i = 0; i < n; i++)
        CHECKF((err = clSetKernelArg(k, i, sizeof(void *), args[i])) == CL_SUCCESS, "%s %u: %d",
               name, i, err);
    err = clEnqueueNDRangeKernel(queue, k, 3, NULL, size, NULL, 0, NULL, NULL);
    CHECKF(err == CL_SUCCESS && clFinish(queue) == CL_SUCCESS, "%s: %d", name, err);
    clReleaseKernel(k);
}

/* ---- formats ---- */

enum class { FLOATS, INTS, UINTS };

/* Channels in the order of memory; L: the same for R, G and B, I: for all, D: a scalar. */
static const struct order {
    cl_channel_order order;
    const char *channels;
    bool srgb;
} orders[] = {{CL_R, "R", false},
              {CL_A, "A", false},
              {CL_RG, "RG", false},
              {CL_RA, "RA", false},
              {CL_RGB, "RGB", false},
              {CL_RGBA, "RGBA", false},
              {CL_BGRA, "BGRA", false},
              {CL_ARGB, "ARGB", false},
              {0x10c3 /* ABGR */, "ABGR", false},
              {CL_INTENSITY, "I", false},
              {CL_LUMINANCE, "L", false},
              {0x10bd /* DEPTH */, "D", false},
              {0x10c1 /* sRGBA */, "RGBA", true},
              {0x10c2 /* sBGRA */, "BGRA", true}};

static const struct type {
    cl_channel_type type;
    enum class class;
    char code; /* u: UNORM, s: SNORM, f: FLOAT, i, U: integers */
    unsigned bits;
    unsigned packed[3]; /* bits of the packed types, from the highest down */
} types[] = {{CL_SNORM_INT8, FLOATS, 's', 8, {0}},
             {CL_SNORM_INT16, FLOATS, 's', 16, {0}},
             {CL_UNORM_INT8, FLOATS, 'u', 8, {0}},
             {CL_UNORM_INT16, FLOATS, 'u', 16, {0}},
             {CL_SIGNED_INT8, INTS, 'i', 8, {0}},
             {CL_SIGNED_INT16, INTS, 'i', 16, {0}},
             {CL_SIGNED_INT32, INTS, 'i', 32, {0}},
             {CL_UNSIGNED_INT8, UINTS, 'U', 8, {0}},
             {CL_UNSIGNED_INT16, UINTS, 'U', 16, {0}},
             {CL_UNSIGNED_INT32, UINTS, 'U', 32, {0}},
             {CL_HALF_FLOAT, FLOATS, 'f', 16, {0}},
             {CL_FLOAT, FLOATS, 'f', 32, {0}},
             {CL_UNORM_SHORT_565, FLOATS, 'u', 16, {5, 6, 5}},
             {CL_UNORM_SHORT_555, FLOATS, 'u', 16, {5, 5, 5}},
             {CL_UNORM_INT_101010, FLOATS, 'u', 32, {10, 10, 10}}};

union value {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

static const struct order *find_order(cl_channel_order o)
{
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (orders[i].order == o)
            return &orders[i];
    }
    return NULL;
}

static const struct type *find_type(cl_channel_type t)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == t)
            return &types[i];
    }
    return NULL;
}

static float half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e == 0 ? ldexpf((float)m, -24) : ldexpf((float)(m | 1024), e - 25);
    return h & 0x8000 ? -v : v;
}

/* To the nearest even; of normal results. */
static uint16_t half_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    uint32_t sign = u >> 16 & 0x8000, mag = u & 0x7fffffff;
    if (mag == 0)
        return (uint16_t)sign;
    mag += 0xfff + (mag >> 13 & 1);
    return (uint16_t)(sign | ((mag >> 13) - (112 << 10)));
}

/* Which of R, G, B, A a channel of memory gives. */
static bool feeds(char channel, unsigned c)
{
    return channel == 'I' || (channel == 'L' && c < 3) || (channel == 'D' && c == 0) ||
           channel == "RGBA"[c];
}

/* Raw bits of channel k of a pixel. */
static uint32_t get_bits(const struct type *t, const uint8_t *pixel, unsigned k)
{
    uint32_t word = 0;
    if (!t->packed[0]) {
        memcpy(&word, pixel + k * t->bits / 8, t->bits / 8);
        return word;
    }
    memcpy(&word, pixel, t->bits / 8);
    unsigned below = 0;
    for (unsigned i = k + 1; i < 3; i++)
        below += t->packed[i];
    return word >> below & ((1u << t->packed[k]) - 1);
}

static void set_bits(const struct type *t, uint8_t *pixel, unsigned k, uint32_t v)
{
    if (!t->packed[0]) {
        memcpy(pixel + k * t->bits / 8, &v, t->bits / 8);
        return;
    }
    uint32_t word = 0;
    unsigned below = 0;
    for (unsigned i = k + 1; i < 3; i++)
        below += t->packed[i];
    memcpy(&word, pixel, t->bits / 8);
    word |= v << below;
    memcpy(pixel, &word, t->bits / 8);
}

static unsigned width_of(const struct type *t, unsigned k)
{
    return t->packed[0] ? t->packed[k] : t->bits;
}

static double max_of(const struct type *t, unsigned k)
{
    return ldexp(1, (int)width_of(t, k) - (t->code == 's' || t->code == 'i')) - 1;
}

/* What a read of the pixel returns. */
static void decode(const struct order *o, const struct type *t, const uint8_t *pixel,
                   union value *out)
{
    bool has_alpha = strpbrk(o->channels, "AID") != NULL;
    memset(out, 0, sizeof *out);
    if (!has_alpha && t->class == FLOATS)
        out->f[3] = 1;
    else if (!has_alpha)
        out->u[3] = 1;
    for (unsigned k = 0; o->channels[k]; k++) {
        uint32_t raw = get_bits(t, pixel, k);
        unsigned spare = 32 - width_of(t, k);
        union value v = {.u = {raw}};
        double n = max_of(t, k), s = (double)((int32_t)(raw << spare) >> spare);
        switch (t->code) {
        case 'u':
            v.f[0] = (float)(raw / n);
            if (o->srgb && o->channels[k] != 'A')
                v.f[0] = raw / n <= 0.04045 ? (float)(raw / n / 12.92)
                                            : (float)pow((raw / n + 0.055) / 1.055, 2.4);
            break;
        case 's':
            v.f[0] = (float)fmax(s / n, -1);
            break;
        case 'f':
            if (t->bits == 16)
                v.f[0] = half_value((uint16_t)raw);
            break;
        case 'i':
            v.i[0] = (int32_t)s;
            break;
        }
        for (unsigned c = 0; c < 4; c++) {
            if (feeds(o->channels[k], c))
                out->u[c] = v.u[0];
        }
    }
}

/* What a write of the value stores. */
static void encode(const struct order *o, const struct type *t, const union value *in,
                   uint8_t *pixel)
{
    for (unsigned k = 0; o->channels[k]; k++) {
        unsigned c = 0;
        while (!feeds(o->channels[k], c))
            c++;
        double n = max_of(t, k);
        uint32_t raw = in->u[c];
        switch (t->code) {
        case 'u':
            raw = (uint32_t)rint(fmin(fmax(in->f[c], 0), 1) * n);
            break;
        case 's':
            raw = (uint32_t)(int32_t)rint(fmin(fmax(in->f[c], -1), 1) * n);
            break;
        case 'f':
            if (t->bits == 16)
                raw = half_bits(in->f[c]);
            break;
        case 'i':
            raw = (uint32_t)(int32_t)fmin(fmax(in->i[c], -n - 1), n);
            break;
        case 'U':
            raw = (uint32_t)fmin(in->u[c], n);
            break;
        }
        if (width_of(t, k) < 32)
            raw &= (1u << width_of(t, k)) - 1;
        set_bits(t, pixel, k, raw);
    }
}

static unsigned pixel_size(const struct order *o, const struct type *t)
{
    return t->bits / 8 * (t->packed[0] ? 1 : (unsigned)strlen(o->channels));
}

static cl_mem new_image(cl_mem_flags flags, cl_mem_object_type type, const cl_image_format *format,
                        size_t w, size_t h, size_t d, void *data)
{
    cl_image_desc desc = {.image_type = type, .image_width = w};
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    bool flat = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    desc.image_height = flat ? 0 : h;
    desc.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? d : 0;
    desc.image_array_size = array ? d : 0;
    cl_mem m =
        clCreateImage(ctx, data ? flags | CL_MEM_COPY_HOST_PTR : flags, format, &desc, data, &err);
    CHECKF(m, "image type 0x%x format 0x%x 0x%x: %d", type, format->image_channel_order,
           format->image_channel_data_type, err);
    return m;
}

static uint32_t seed = 1;
static uint32_t draw(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static const char *const class_names[] = {"f", "i", "u"};

/* Reads a w x h grid by a kernel; texel (0, 0) of the image is that of item (edge, edge). Around
 * the image is the border: zeros, with an alpha of 1 if the order has none. */
static void compare(const char *kernel, cl_mem image, const struct order *o, const struct type *t,
                    const uint8_t *data, unsigned edge)
{
    enum { MAX = (W + 2) * (H + 2) };
    union value got[MAX], want;
    unsigned w = W + 2 * edge, h = H + 2 * edge, size = pixel_size(o, t);
    bool depth = o->channels[0] == 'D';
    cl_mem out = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    run(depth ? depth_program : program, kernel, (size_t[3]){w, h, 1}, 2,
        (const void *const[]){&image, &out});
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (unsigned i = 0; i < w * h; i++) {
        unsigned x = i % w - edge, y = i / w - edge;
        bool outside = x >= W || y >= H;
        decode(o, t, data + (outside ? 0 : (y * W + x) * size), &want); /* texel 0 is 0 */
        for (unsigned c = 0; c < (depth ? 1 : 4); c++) {
            /* 1.5 ulp of a normalised value; sRGB by half a step. */
            double off = fabs((double)got[i].f[c] - want.f[c]), may = o->srgb ? 1e-4 : 1.8e-7;
            bool right = t->class == FLOATS && t->code != 'f' ? off <= may * fabs(want.f[c])
                                                              : got[i].u[c] == want.u[c];
            CHECKF(right, "%s 0x%x 0x%x pixel %d %d channel %u: 0x%x (%g), not 0x%x (%g)", kernel,
                   o->order, t->type, (int)x, (int)y, c, got[i].u[c], got[i].f[c], want.u[c],
                   want.f[c]);
        }
    }
    clReleaseMemObject(out);
}

static void read_format(const cl_image_format *format, const struct order *o, const struct type *t)
{
    static uint8_t data[W * H * 16];
    unsigned size = pixel_size(o, t);
    bool depth = o->channels[0] == 'D';
    for (unsigned i = 0; i < W * H * size; i++)
        data[i] = (uint8_t)draw();
    for (unsigned i = 0; i < W * H && t->code == 'f'; i++) { /* no infinities */
        for (unsigned k = 0; o->channels[k]; k++) {
            float f = ((float)(draw() & 0xffff) - 32768) / 256;
            uint32_t bits = half_bits(f);
            if (t->bits == 32)
                memcpy(&bits, &f, 4);
            memcpy(data + i * size + k * t->bits / 8, &bits, t->bits / 8);
        }
    }
    /* The ends of the range. */
    memset(data, 0, size);
    if (t->code != 'f')
        memset(data + size, 0xff, size);
    cl_mem image = new_image(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, format, W, H, 1, data);
    char name[8];
    snprintf(name, sizeof name, "read_%s", depth ? "d" : class_names[t->class]);
    compare(name, image, o, t, data, 0);
    snprintf(name, sizeof name, "edge_%s", class_names[t->class]);
    if (!depth)
        compare(name, image, o, t, data, 1);
    clReleaseMemObject(image);
}

static void write_format(const cl_image_format *format, const struct order *o, const struct type *t)
{
    static uint8_t got[W * H * 16], want[W * H * 16];
    union value in[W * H];
    unsigned size = pixel_size(o, t);
    bool depth = o->channels[0] == 'D';
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    for (unsigned i = 0; i < W * H; i++) {
        for (unsigned c = 0; c < 4; c++) {
            int32_t v = (int32_t)draw() - (1 << 23);
            if (t->class == FLOATS) /* -1.25 to 1.25, no ties */
                in[i].f[c] = (float)v / (1 << 23) * 1.25f;
            else
                in[i].i[c] = i % 3 ? v >> 8 : i % 2 ? v << 8 : v;
        }
        encode(o, t, &in[i], want + i * size);
    }
    cl_mem image = new_image(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, format, W, H, 1, got);
    cl_mem values =
        clCreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof in, in, &err);
    char name[8] = "write_";
    strcat(name, depth ? "d" : class_names[t->class]);
    run(depth ? depth_program : program, name, (size_t[3]){W, H, 1}, 2,
        (const void *const[]){&image, &values});
    OK(clEnqueueReadImage(queue, image, CL_TRUE, (size_t[3]){0}, (size_t[3]){W, H, 1}, 0, 0, got, 0,
                          NULL, NULL));
    for (unsigned i = 0; i < W * H; i++) {
        for (unsigned k = 0; o->channels[k]; k++) {
            uint32_t a = get_bits(t, got + i * size, k), b = get_bits(t, want + i * size, k);
            CHECKF(a == b, "write 0x%x 0x%x pixel %u channel %u: 0x%x, not 0x%x", o->order, t->type,
                   i, k, a, b);
        }
    }
    clReleaseMemObject(image);
    clReleaseMemObject(values);
}

static unsigned test_formats(cl_mem_flags flags,
                             void (*test)(const cl_image_format *, const struct order *,
                                          const struct type *))
{
    static cl_image_format list[256];
    cl_uint n = 0;
    unsigned done = 0;
    OK(clGetSupportedImageFormats(ctx, flags, CL_MEM_OBJECT_IMAGE2D, 256, list, &n));
    for (cl_uint i = 0; i < n; i++) {
        const struct order *o = find_order(list[i].image_channel_order);
        const struct type *t = find_type(list[i].image_channel_data_type);
        if (o && t) { /* others belong to extensions of Intel's */
            test(&list[i], o, t);
            done++;
        }
    }
    return done;
}

/* ---- samplers ---- */

enum { N_KINDS = 5 };
static const struct kind {
    cl_mem_object_type type;
    const char *sample, *fetch;
    unsigned dims;
    bool array;
} kinds[N_KINDS] = {{CL_MEM_OBJECT_IMAGE1D, "sample_1d", "fetch_1d", 1, false},
                    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "sample_1da", "fetch_1da", 1, true},
                    {CL_MEM_OBJECT_IMAGE2D, "sample_2d", "fetch_2d", 2, false},
                    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "sample_2da", "fetch_2da", 2, true},
                    {CL_MEM_OBJECT_IMAGE3D, "sample_3d", "fetch_3d", 3, false}};
static const int extent[3] = {W, H, D};

static float texel(int x, int y, int z, int c)
{
    return (float)((x * 7 + y * 13 + z * 29 + c * 5) % 64) / 64;
}

static int limit(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static float address(cl_addressing_mode mode, cl_filter_mode filter, bool normalised, float s,
                     int n, int i[2])
{
    float u = normalised ? s * (float)n : s;
    if (mode == CL_ADDRESS_REPEAT)
        u = (s - floorf(s)) * (float)n;
    if (mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabsf(s - 2.0f * rintf(0.5f * s)) * (float)n;
    bool linear = filter == CL_FILTER_LINEAR;
    i[0] = (int)floorf(linear ? u - 0.5f : u);
    i[1] = i[0] + 1;
    for (int k = 0; k < 2; k++) {
        if (mode == CL_ADDRESS_REPEAT)
            i[k] = i[k] < 0 ? i[k] + n : i[k] > n - 1 ? i[k] - n : i[k];
        else if (mode == CL_ADDRESS_CLAMP)
            i[k] = i[k] < 0 || i[k] > n - 1 ? -1 : i[k];
        else
            i[k] = limit(i[k], 0, n - 1);
    }
    return linear ? (u - 0.5f) - floorf(u - 0.5f) : 0;
}

static void expect(const struct kind *k, cl_addressing_mode mode, cl_filter_mode filter,
                   bool normalised, const float *coord, float want[4])
{
    int at[3][2] = {{0}};
    float a[3] = {0};
    for (unsigned d = 0; d < k->dims; d++)
        a[d] = address(mode, filter, normalised, coord[d], extent[d], at[d]);
    if (k->array)
        at[2][0] = at[2][1] = limit((int)rintf(coord[k->dims]), 0, D - 1);
    memset(want, 0, 4 * sizeof *want);
    for (int t = 0; t < 8; t++) {
        float weight = 1;
        int p[3];
        for (int d = 0; d < 3; d++) {
            weight *= t >> d & 1 ? a[d] : 1 - a[d];
            p[d] = at[d][t >> d & 1];
        }
        if (p[0] < 0 || p[1] < 0 || p[2] < 0) /* the border of an image with alpha: 0 */
            continue;
        for (int c = 0; c < 4; c++)
            want[c] += weight * texel(p[0], p[1], p[2], c);
    }
}

static cl_mem float_image(const struct kind *k)
{
    static float data[D * H * W * 4];
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    int h = k->dims > 1 ? H : 1, d = k->dims > 2 || k->array ? D : 1;
    for (int i = 0; i < d * h * W * 4; i++)
        data[i] = texel(i / 4 % W, i / 4 / W % h, i / 4 / W / h, i % 4);
    return new_image(CL_MEM_READ_WRITE, k->type, &format, W, (size_t)h, (size_t)d, data);
}

static void sample(const struct kind *k, cl_mem image, cl_addressing_mode mode,
                   cl_filter_mode filter, bool normalised, bool integers)
{
    static float coord[N_COORDS][4], got[N_COORDS][4];
    for (int i = 0; i < N_COORDS; i++) {
        for (unsigned d = 0; d < 4; d++) {
            float range = d >= k->dims ? D : normalised ? 1 : (float)extent[d];
            /* A grid of 1/64 texel with exact edges among it, off by a bit: no ties of rounding. */
            float v = ((float)(draw() % 320) / 64 - 2) * range + (normalised ? 1e-3f : 0);
            coord[i][d] = integers ? floorf(v) : v;
        }
    }
    cl_sampler s = clCreateSampler(ctx, normalised, mode, filter, &err);
    CHECKF(s, "sampler: %d", err);
    cl_mem in =
        clCreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof coord, coord, &err);
    cl_mem out = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    const char *name = integers ? k->fetch : k->sample;
    run(program, name, (size_t[3]){N_COORDS, 1, 1}, 4,
        (const void *const[]){&image, &s, &in, &out});
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N_COORDS; i++) {
        float want[4];
        expect(k, mode, filter, normalised, coord[i], want);
        for (int c = 0; c < 4; c++)
            CHECKF(filter == CL_FILTER_NEAREST ? got[i][c] == want[c]
                                               : fabsf(got[i][c] - want[c]) < 1e-4f,
                   "%s mode 0x%x filter 0x%x normalised %d (%g %g %g): channel %d %g, not %g", name,
                   mode, filter, normalised, coord[i][0], coord[i][1], coord[i][2], c, got[i][c],
                   want[c]);
    }
    clReleaseSampler(s);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void test_samplers(void)
{
    for (int k = 0; k < N_KINDS; k++) {
        cl_mem image = float_image(&kinds[k]);
        for (cl_addressing_mode mode = CL_ADDRESS_CLAMP_TO_EDGE; mode <= CL_ADDRESS_MIRRORED_REPEAT;
             mode++) {
            for (unsigned c = 0; c < 4; c++) {
                bool normalised = c & 1, edges = mode <= CL_ADDRESS_CLAMP;
                cl_filter_mode filter = c & 2 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
                if (normalised || edges)
                    sample(&kinds[k], image, mode, filter, normalised, false);
                if (!normalised && edges && filter == CL_FILTER_NEAREST)
                    sample(&kinds[k], image, mode, filter, false, true);
            }
        }
        clReleaseMemObject(image);
    }
}

/* Integers by float coordinates: the compiler chooses between sample and ld by the sampler. */
static void test_integers(void)
{
    static uint32_t data[W * H][4], got[N_COORDS][4];
    static float coord[N_COORDS][4];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    for (int i = 0; i < W * H * 4; i++)
        data[i / 4][i % 4] = draw() * 7;
    cl_mem image = new_image(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &format, W, H, 1, data);
    for (unsigned turn = 0; turn < 4; turn++) {
        bool normalised = turn & 1;
        cl_addressing_mode mode = turn & 2 ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE;
        for (int i = 0; i < N_COORDS; i++) {
            for (int d = 0; d < 2; d++)
                coord[i][d] =
                    ((float)(draw() % 320) / 64 - 2 + 1e-3f) * (normalised ? 1 : (float)extent[d]);
        }
        cl_sampler s = clCreateSampler(ctx, normalised, mode, CL_FILTER_NEAREST, &err);
        cl_mem in = clCreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof coord,
                                   coord, &err);
        cl_mem out = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
        run(program, "sample_u", (size_t[3]){N_COORDS, 1, 1}, 4,
            (const void *const[]){&image, &s, &in, &out});
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < N_COORDS; i++) {
            int x[2], y[2];
            address(mode, CL_FILTER_NEAREST, normalised, coord[i][0], W, x);
            address(mode, CL_FILTER_NEAREST, normalised, coord[i][1], H, y);
            for (int c = 0; c < 4; c++) {
                uint32_t want = x[0] < 0 || y[0] < 0 ? 0 : data[y[0] * W + x[0]][c];
                CHECKF(got[i][c] == want, "mode 0x%x normalised %d (%g, %g): 0x%x, not 0x%x", mode,
                       normalised, coord[i][0], coord[i][1], got[i][c], want);
            }
        }
        clReleaseSampler(s);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
    clReleaseMemObject(image);
}

/* ---- writes to every kind, queries ---- */

static void check_copy(const char *name, cl_mem from, cl_mem to, int w, int h, int d)
{
    static float got[D * H * W * 4];
    run(program, name, (size_t[3]){(size_t)w, (size_t)h, (size_t)d}, 2,
        (const void *const[]){&from, &to});
    bool lines = strcmp(name, "copy_1da") == 0;
    OK(clEnqueueReadImage(queue, to, CL_TRUE, (size_t[3]){0},
                          (size_t[3]){(size_t)w, (size_t)(lines ? d : h), (size_t)(lines ? 1 : d)},
                          0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < d * h * w * 4; i++) {
        float want = texel(i / 4 % w, i / 4 / w % h, i / 4 / w / h, (i + 1) % 4);
        CHECKF(got[i] == want, "%s %d: %g, not %g", name, i, got[i], want);
    }
}

static void test_writes(void)
{
    static const char *const names[N_KINDS] = {"copy_1d", "copy_1da", NULL, "copy_2da", "copy_3d"};
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_mem images[N_KINDS];
    for (int k = 0; k < N_KINDS; k++) {
        int h = kinds[k].dims > 1 ? H : 1, d = kinds[k].dims > 2 || kinds[k].array ? D : 1;
        images[k] = float_image(&kinds[k]);
        if (!names[k])
            continue;
        cl_mem to =
            new_image(CL_MEM_READ_WRITE, kinds[k].type, &format, W, (size_t)h, (size_t)d, NULL);
        check_copy(names[k], images[k], to, W, h, d);
        clReleaseMemObject(to);
    }
    int got[16], want[16] = {W, H, D, W, H, D, W, D, CL_RGBA, CL_FLOAT, W, H, D, 0, W, H};
    cl_mem out = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    run(program, "sizes", (size_t[3]){1, 1, 1}, 4,
        (const void *const[]){&images[4], &images[3], &images[1], &out});
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 16; i++)
        CHECKF(got[i] == want[i], "query %d: %d, not %d", i, got[i], want[i]);
    clReleaseMemObject(out);
    for (int k = 0; k < N_KINDS; k++)
        clReleaseMemObject(images[k]);
}

static void test_buffer_image(void)
{
    enum { N = 300 };
    static float data[N * 4], got[N * 4];
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    for (int i = 0; i < N * 4; i++)
        data[i] = texel(i / 4, 0, 0, i % 4);
    cl_mem buffers[2], images[2];
    for (int i = 0; i < 2; i++) {
        buffers[i] =
            clCreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
        cl_image_desc desc = {
            .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = N, .buffer = buffers[i]};
        images[i] = clCreateImage(ctx, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
        CHECKF(images[i], "buffer image: %d", err);
    }
    run(program, "copy_buffer", (size_t[3]){N, 1, 1}, 2,
        (const void *const[]){&images[0], &images[1]});
    OK(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N * 4; i++)
        CHECKF(got[i] == texel(i / 4, 0, 0, (i + 1) % 4), "buffer image %d: %g", i, got[i]);
    for (int i = 0; i < 2; i++) {
        clReleaseMemObject(images[i]);
        clReleaseMemObject(buffers[i]);
    }
}

int main(void)
{
#ifdef INTEL_DRIVER
    if (access("/etc/OpenCL/vendors/intel.icd", R_OK) != 0)
        SKIP("Intel's OpenCL driver (intel-opencl-icd) is not installed");
#endif
    cl_platform_id platform;
    cl_uint n = 0;
    static char vendor[256], extensions[8192];
    REQUIRE(clGetPlatformIDs(1, &platform, &n) == CL_SUCCESS && n == 1);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &dev, &n) == CL_SUCCESS && n == 1);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL));
    OK(clGetDeviceInfo(dev, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
#ifdef INTEL_DRIVER
    CHECKF(strstr(vendor, "Intel"), "%s", vendor);
#endif
    bool has_depth = strstr(extensions, "cl_khr_depth_images") != NULL;
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    queue = clCreateCommandQueue(ctx, dev, 0, &err);
    REQUIRE(err == CL_SUCCESS);
    program = build(source, "-cl-std=CL1.2");
    if (has_depth)
        depth_program = build(depth_source, "-cl-std=CL2.0");
    unsigned reads = test_formats(CL_MEM_READ_ONLY, read_format);
    unsigned writes = test_formats(CL_MEM_WRITE_ONLY, write_format);
    fprintf(stderr, "%u formats read, %u written\n", reads, writes);
    CHECK(reads >= 37 && writes >= 30);
    test_samplers();
    test_integers();
    test_writes();
    test_buffer_image();
    clReleaseProgram(program);
    if (has_depth)
        clReleaseProgram(depth_program);
    clReleaseCommandQueue(queue);
    clReleaseContext(ctx);
    return utest_end();
}
