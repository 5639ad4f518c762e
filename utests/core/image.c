/* Images above gpu.h: creation, errors, transfers, fills, mappings, on a device that is told to
 * have them. Expected bytes come from the conversion rules of OpenCL C and from copies made pixel
 * by pixel. */
#include "fake_gpu.h"
#include "utest.h"

#include "src/core/device.h"
#include "src/core/image.h"
#include "src/core/object.h"
#include "src/core/sampler.h"
#include "gen/cmd.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <unistd.h>

static cl_int err;
static cl_context ctx;
static cl_device_id dev;
static cl_command_queue q;
static void *const bad = &(struct { uint64_t words[8]; }){{1, 2, 3, 4, 5, 6, 7, 8}};

static void row(int line, const char *call, cl_int code, cl_int expected)
{
    utest_checks++;
    if (code != expected) {
        utest_failures++;
        fprintf(stderr, "image.c:%d: %s: %d instead of %d\n", line, call, code, expected);
    }
}
#define E(expected, call) row(__LINE__, #call, call, expected)
#define N(expected, call) (err = 1, row(__LINE__, #call, (call) ? 1 : err, expected))

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8}, r32 = {CL_R, CL_UNSIGNED_INT32};

static cl_mem make(cl_mem_flags flags, cl_image_format f, cl_mem_object_type type, size_t w,
                   size_t h, size_t d, size_t row_pitch, size_t slice_pitch, void *host)
{
    cl_image_desc desc = {.image_type = type,
                          .image_width = w,
                          .image_height = h,
                          .image_depth = d,
                          .image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? h : d,
                          .image_row_pitch = row_pitch,
                          .image_slice_pitch = slice_pitch};
    cl_mem m = clCreateImage(ctx, flags, &f, &desc, host, &err);
    CHECKF(m && err == CL_SUCCESS, "%d", err);
    REQUIRE(m != NULL);
    return m;
}

static void creation_errors(void)
{
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    cl_image_format odd = {CL_RGB, CL_UNORM_INT8}, not_ours = {CL_Rx, CL_UNORM_INT8},
                    no_type = {CL_RGBA, 7};
    char host[4096];
    N(CL_INVALID_CONTEXT, clCreateImage(bad, 0, &rgba8, &d, NULL, &err));
    N(CL_INVALID_VALUE, clCreateImage(ctx, 1 << 20, &rgba8, &d, NULL, &err));
    N(CL_INVALID_VALUE,
      clCreateImage(ctx, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, &d, NULL, &err));
    N(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(ctx, 0, NULL, &d, NULL, &err));
    N(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(ctx, 0, &odd, &d, NULL, &err));
    N(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(ctx, 0, &no_type, &d, NULL, &err));
    N(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage(ctx, 0, &not_ours, &d, NULL, &err));
    N(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(ctx, 0, &rgba8, NULL, NULL, &err));
    N(CL_INVALID_HOST_PTR, clCreateImage(ctx, CL_MEM_COPY_HOST_PTR, &rgba8, &d, NULL, &err));
    N(CL_INVALID_HOST_PTR, clCreateImage(ctx, 0, &rgba8, &d, host, &err));
    d.image_row_pitch = 32;
    N(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));
    d.image_row_pitch = 31;
    N(CL_INVALID_IMAGE_DESCRIPTOR,
      clCreateImage(ctx, CL_MEM_COPY_HOST_PTR, &rgba8, &d, host, &err));
    N(CL_INVALID_IMAGE_SIZE,
      clCreateImage2D(ctx, CL_MEM_COPY_HOST_PTR, &rgba8, 8, 4, 28, host, &err));
    d.image_row_pitch = 0;
    d.num_mip_levels = 2;
    N(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));
    d.num_mip_levels = 0;
    d.image_type = CL_MEM_OBJECT_BUFFER;
    N(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));
    d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    N(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));
    d.image_type = CL_MEM_OBJECT_IMAGE2D;
    d.image_width = 0;
    N(CL_INVALID_IMAGE_SIZE, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));
    d.image_width = 16385;
    N(CL_INVALID_IMAGE_SIZE, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));
    d = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                        .image_width = 4,
                        .image_height = 4,
                        .image_array_size = 2049};
    N(CL_INVALID_IMAGE_SIZE, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));
    d.image_array_size = 0;
    N(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(ctx, 0, &rgba8, &d, NULL, &err));

    cl_mem b = clCreateBuffer(ctx, CL_MEM_READ_ONLY, 4096, NULL, &err);
    d = (cl_image_desc){
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1025, .mem_object = b};
    N(CL_INVALID_IMAGE_SIZE, clCreateImage(ctx, CL_MEM_READ_ONLY, &rgba8, &d, NULL, &err));
    d.image_width = 1024;
    N(CL_INVALID_VALUE, clCreateImage(ctx, CL_MEM_READ_WRITE, &rgba8, &d, NULL, &err));
    cl_mem view = clCreateImage(ctx, 0, &rgba8, &d, NULL, &err);
    E(CL_SUCCESS, err);
    N(CL_INVALID_MEM_OBJECT,
      clCreateSubBuffer(view, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 64}, &err));
    clReleaseMemObject(view);
    clReleaseMemObject(b);
}

static void queries(void)
{
    cl_mem m = make(0, rgba8, CL_MEM_OBJECT_IMAGE3D, 5, 3, 2, 0, 0, NULL);
    size_t n = 0;
    cl_mem_object_type type = 0;
    cl_image_format f;
#define IS(name, value)                                                                            \
    do {                                                                                           \
        E(CL_SUCCESS, clGetImageInfo(m, name, sizeof n, &n, NULL));                                \
        CHECKF(n == (value), "%zu", n);                                                            \
    } while (0)
    IS(CL_IMAGE_WIDTH, 5);
    IS(CL_IMAGE_HEIGHT, 3);
    IS(CL_IMAGE_DEPTH, 2);
    IS(CL_IMAGE_ARRAY_SIZE, 0);
    IS(CL_IMAGE_ELEMENT_SIZE, 4);
    IS(CL_IMAGE_ROW_PITCH, 20); /* what a tight image has: OpenCL 5.3.7 */
    IS(CL_IMAGE_SLICE_PITCH, 60);
    E(CL_SUCCESS, clGetImageInfo(m, CL_IMAGE_FORMAT, sizeof f, &f, NULL));
    CHECK(f.image_channel_order == CL_RGBA && f.image_channel_data_type == CL_UNORM_INT8);
    E(CL_INVALID_VALUE, clGetImageInfo(m, CL_IMAGE_WIDTH, 4, &n, NULL));
    E(CL_INVALID_VALUE, clGetImageInfo(m, 0x1234, 8, &n, NULL));
    E(CL_SUCCESS, clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof type, &type, NULL));
    CHECK(type == CL_MEM_OBJECT_IMAGE3D);
    E(CL_SUCCESS, clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof n, &n, NULL));
    CHECK(n == 120);
    clReleaseMemObject(m);
    m = make(0, r32, CL_MEM_OBJECT_IMAGE1D_ARRAY, 7, 3, 0, 0, 0, NULL);
    IS(CL_IMAGE_HEIGHT, 0);
    IS(CL_IMAGE_DEPTH, 0);
    IS(CL_IMAGE_ARRAY_SIZE, 3);
    IS(CL_IMAGE_SLICE_PITCH, 28);
    clReleaseMemObject(m);
    cl_uint count = 0, listed = 0;
    E(CL_SUCCESS, clGetSupportedImageFormats(ctx, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    cl_image_format *list = calloc(count, sizeof *list);
    E(CL_SUCCESS, clGetSupportedImageFormats(ctx, 0, CL_MEM_OBJECT_IMAGE2D, count, list, NULL));
    /* OpenCL 1.2 5.3.2.1: the least list. */
    static const cl_channel_type required[] = {
        CL_UNORM_INT8,    CL_UNORM_INT16,    CL_SIGNED_INT8,    CL_SIGNED_INT16, CL_SIGNED_INT32,
        CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
    for (cl_uint i = 0; i < count; i++) {
        for (unsigned r = 0; r < 10; r++)
            listed += list[i].image_channel_order == CL_RGBA &&
                      list[i].image_channel_data_type == required[r];
        listed += list[i].image_channel_order == CL_BGRA &&
                  list[i].image_channel_data_type == CL_UNORM_INT8;
    }
    CHECK(listed == 11);
    E(CL_INVALID_VALUE, clGetSupportedImageFormats(ctx, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
    E(CL_INVALID_VALUE, clGetSupportedImageFormats(ctx, 0, CL_MEM_OBJECT_IMAGE2D, 0, list, &count));
    free(list);
}

/* Every kind: written whole, read in parts, against an array of pixels. */
static void transfers(void)
{
    static const struct {
        cl_mem_object_type type;
        size_t w, h, d; /* h, d as origin and region count them */
    } shapes[] = {{CL_MEM_OBJECT_IMAGE1D, 13, 1, 1},
                  {CL_MEM_OBJECT_IMAGE1D_ARRAY, 13, 5, 1},
                  {CL_MEM_OBJECT_IMAGE2D, 13, 5, 1},
                  {CL_MEM_OBJECT_IMAGE2D_ARRAY, 13, 5, 3},
                  {CL_MEM_OBJECT_IMAGE3D, 13, 5, 3}};
    static uint32_t pixels[13 * 5 * 3], got[13 * 5 * 3], part[13 * 5 * 3];
    cl_mem b = clCreateBuffer(ctx, 0, sizeof pixels, NULL, &err);
    for (unsigned i = 0; i < 13 * 5 * 3; i++)
        pixels[i] = i * 2654435761u;
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t w = shapes[s].w, h = shapes[s].h, d = shapes[s].d, zero[3] = {0, 0, 0};
        size_t all[3] = {w, h, d}, from[3] = {3, h / 2, d / 2};
        size_t some[3] = {w - 5, h - h / 2, d - d / 2};
        cl_mem m = make(0, r32, shapes[s].type, w, h, d, 0, 0, NULL);
        cl_mem other = make(0, r32, shapes[s].type, w, h, d, 0, 0, NULL);
        E(CL_SUCCESS, clEnqueueWriteImage(q, m, CL_TRUE, zero, all, 0, 0, pixels, 0, NULL, NULL));
        memset(got, 0xcc, sizeof got);
        E(CL_SUCCESS, clEnqueueReadImage(q, m, CL_TRUE, from, some, 0, 0, got, 0, NULL, NULL));
        unsigned at = 0, wrong = 0;
        for (size_t z = from[2]; z < from[2] + some[2]; z++)
            for (size_t y = from[1]; y < from[1] + some[1]; y++)
                for (size_t x = from[0]; x < from[0] + some[0]; x++)
                    wrong += got[at++] != pixels[(z * h + y) * w + x];
        CHECKF(wrong == 0 && got[at] == 0xcccccccc, "shape %u: %u wrong", s, wrong);
        memcpy(part, got, sizeof part);
        /* through a second image and a buffer */
        E(CL_SUCCESS, clEnqueueCopyImage(q, m, other, from, zero, some, 0, NULL, NULL));
        E(CL_SUCCESS, clEnqueueCopyImageToBuffer(q, other, b, zero, some, 4, 0, NULL, NULL));
        E(CL_SUCCESS, clEnqueueReadBuffer(q, b, CL_TRUE, 4, at * 4, got, 0, NULL, NULL));
        CHECK(!memcmp(got, part, at * 4));
        E(CL_SUCCESS, clEnqueueCopyBufferToImage(q, b, m, 4, zero, some, 0, NULL, NULL));
        memset(got, 0, sizeof got);
        E(CL_SUCCESS, clEnqueueReadImage(q, m, CL_TRUE, zero, some, 0, 0, got, 0, NULL, NULL));
        CHECK(!memcmp(got, part, at * 4));
        /* errors */
        size_t out[3] = {6, 0, 0}, none[3] = {0, 1, 1};
        E(CL_INVALID_VALUE, clEnqueueReadImage(q, m, CL_TRUE, out, some, 0, 0, got, 0, NULL, NULL));
        E(CL_INVALID_VALUE,
          clEnqueueReadImage(q, m, CL_TRUE, zero, none, 0, 0, got, 0, NULL, NULL));
        E(CL_INVALID_VALUE, clEnqueueReadImage(q, m, CL_TRUE, zero, all, 4, 0, got, 0, NULL, NULL));
        E(CL_INVALID_VALUE, clEnqueueReadImage(q, m, CL_TRUE, NULL, all, 0, 0, got, 0, NULL, NULL));
        E(CL_INVALID_MEM_OBJECT,
          clEnqueueReadImage(q, b, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
        E(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, got, 0, NULL, NULL));
        E(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(q, m, m, zero, zero, some, 0, NULL, NULL));
        E(CL_INVALID_VALUE,
          clEnqueueCopyImageToBuffer(q, m, b, zero, all, sizeof pixels, 0, NULL, NULL));
        clReleaseMemObject(m);
        clReleaseMemObject(other);
    }
    clReleaseMemObject(b);
    /* The layers of a 1D array are rows of a 2D image. */
    cl_mem a = make(0, r32, CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 3, 0, 0, 0, NULL);
    cl_mem p = make(0, r32, CL_MEM_OBJECT_IMAGE2D, 4, 3, 0, 0, 0, NULL);
    size_t zero[3] = {0, 0, 0}, all[3] = {4, 3, 1};
    E(CL_SUCCESS, clEnqueueWriteImage(q, a, CL_TRUE, zero, all, 0, 0, pixels, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueCopyImage(q, a, p, zero, zero, all, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueReadImage(q, p, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    CHECK(!memcmp(got, pixels, 48));
    cl_mem f = make(0, rgba8, CL_MEM_OBJECT_IMAGE2D, 4, 3, 0, 0, 0, NULL);
    E(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(q, f, p, zero, zero, all, 0, NULL, NULL));
    clReleaseMemObject(a);
    clReleaseMemObject(p);
    clReleaseMemObject(f);
}

/* A colour's bytes, from the rules of OpenCL C 6.13.14.6 ff. */
static void fills(void)
{
    static const float color[4] = {0.5f, 2.0f, -1.0f, 0.25f};
    static const int32_t ints[4] = {300, -300, 40000, -40000};
    static const uint32_t uints[4] = {300, 70000, 5, 0xffffffff};
    static const struct {
        cl_image_format f;
        const void *color;
        uint8_t bytes[16];
    } rows[] = {
        {{CL_RGBA, CL_UNORM_INT8}, color, {128, 255, 0, 64}}, /* 127.5 to even, 63.75 */
        {{CL_BGRA, CL_UNORM_INT8}, color, {0, 255, 128, 64}},
        {{CL_RGBA, CL_SNORM_INT8}, color, {64, 127, 0x81, 32}},     /* 63.5 to even, 31.75 */
        {{CL_RG, CL_UNORM_INT16}, color, {0x00, 0x80, 0xff, 0xff}}, /* 32767.5 to even */
        {{CL_R, CL_FLOAT}, color, {0, 0, 0, 0x3f}},
        {{CL_RG, CL_HALF_FLOAT}, color, {0x00, 0x38, 0x00, 0x40}},
        {{CL_RGBA, CL_SIGNED_INT8}, ints, {127, 0x80, 127, 0x80}},
        {{CL_RG, CL_SIGNED_INT16}, ints, {0x2c, 0x01, 0xd4, 0xfe}},
        {{CL_RGBA, CL_UNSIGNED_INT8}, uints, {255, 255, 5, 255}},
        {{CL_RG, CL_UNSIGNED_INT16}, uints, {0x2c, 0x01, 0xff, 0xff}},
        {{CL_RGB, CL_UNORM_SHORT_565}, color, {0xe0, 0x87}}, /* 15.5 to even: 16; 63; 0 */
        {{CL_A, CL_UNORM_INT8}, color, {64}},
    };
    size_t zero[3] = {0, 0, 0}, all[3] = {6, 3, 1}, at[3] = {2, 1, 0}, some[3] = {3, 2, 1};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t pixel = image_pixel_size(rows[i].f);
        cl_mem m = make(0, rows[i].f, CL_MEM_OBJECT_IMAGE2D, 6, 3, 0, 0, 0, NULL);
        static uint8_t before[6 * 3 * 16], after[6 * 3 * 16];
        memset(before, 0x5a, sizeof before);
        E(CL_SUCCESS, clEnqueueWriteImage(q, m, CL_TRUE, zero, all, 0, 0, before, 0, NULL, NULL));
        E(CL_SUCCESS, clEnqueueFillImage(q, m, rows[i].color, at, some, 0, NULL, NULL));
        E(CL_SUCCESS, clEnqueueReadImage(q, m, CL_TRUE, zero, all, 0, 0, after, 0, NULL, NULL));
        for (size_t y = 1; y < 3; y++)
            for (size_t x = 2; x < 5; x++)
                memcpy(before + (y * 6 + x) * pixel, rows[i].bytes, pixel);
        CHECKF(!memcmp(before, after, 18 * pixel), "format %u: %02x %02x %02x %02x", i,
               after[8 * pixel], after[8 * pixel + 1], after[8 * pixel + 2], after[8 * pixel + 3]);
        E(CL_INVALID_VALUE, clEnqueueFillImage(q, m, NULL, at, some, 0, NULL, NULL));
        clReleaseMemObject(m);
    }
}

static void mappings(void)
{
    /* The application's memory, with a pitch of its own: up to date when mapped, not before. */
    static uint32_t host[10 * 4], pixels[8 * 4];
    size_t zero[3] = {0, 0, 0}, all[3] = {8, 4, 1}, at[3] = {1, 2, 0}, some[3] = {2, 2, 1};
    for (unsigned i = 0; i < 40; i++)
        host[i] = i;
    cl_mem m = make(CL_MEM_USE_HOST_PTR, r32, CL_MEM_OBJECT_IMAGE2D, 8, 4, 0, 40, 0, host);
    size_t row_pitch = 0, slice_pitch = 1;
    uint32_t *p = clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, some, &row_pitch,
                                    &slice_pitch, 0, NULL, NULL, &err);
    E(CL_SUCCESS, err);
    CHECK(p == host + 21 && row_pitch == 40 && slice_pitch == 0);
    p[0] = 1000;
    p[11] = 1001;
    E(CL_SUCCESS, clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
    E(CL_SUCCESS, clEnqueueReadImage(q, m, CL_TRUE, zero, all, 0, 0, pixels, 0, NULL, NULL));
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 8; x++)
            CHECK(pixels[y * 8 + x] == host[y * 10 + x]);
    CHECK(pixels[2 * 8 + 1] == 1000 && pixels[3 * 8 + 2] == 1001);
    clReleaseMemObject(m);

    /* A store of its own: both pitches come from the call. */
    m = make(0, r32, CL_MEM_OBJECT_IMAGE3D, 8, 2, 2, 0, 0, NULL);
    size_t cube[3] = {8, 2, 2};
    E(CL_SUCCESS, clEnqueueWriteImage(q, m, CL_TRUE, zero, cube, 0, 0, pixels, 0, NULL, NULL));
    char *c = clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_READ, zero, cube, &row_pitch, &slice_pitch, 0,
                                NULL, NULL, &err);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t v;
        memcpy(&v, c + i / 16 * slice_pitch + i / 8 % 2 * row_pitch + i % 8 * 4, 4);
        CHECK(v == pixels[i]);
    }
    N(CL_INVALID_VALUE, clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_READ, zero, cube, &row_pitch, NULL,
                                          0, NULL, NULL, &err));
    E(CL_SUCCESS, clEnqueueUnmapMemObject(q, m, c, 0, NULL, NULL));
    clReleaseMemObject(m);
}

static void views(void)
{
    uint32_t words[1024], got[16];
    for (unsigned i = 0; i < 1024; i++)
        words[i] = i;
    cl_mem b = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof words, words, &err);
    cl_mem sub = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                   &(cl_buffer_region){1024, 2048}, &err);
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = 8,
                       .image_height = 4,
                       .image_row_pitch = 256,
                       .mem_object = sub};
    cl_mem m = clCreateImage(ctx, 0, &r32, &d, NULL, &err), seen = NULL;
    E(CL_SUCCESS, err);
    size_t at[3] = {2, 3, 0}, some[3] = {4, 1, 1};
    E(CL_SUCCESS, clEnqueueReadImage(q, m, CL_TRUE, at, some, 0, 0, got, 0, NULL, NULL));
    CHECK(got[0] == 256 + 3 * 64 + 2 && got[3] == got[0] + 3);
    E(CL_SUCCESS, clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof seen, &seen, NULL));
    CHECK(seen == sub);
    d.image_row_pitch = 64;
    N(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(ctx, 0, &r32, &d, NULL, &err));
    d.image_row_pitch = 256;
    d.image_height = 9;
    N(CL_INVALID_IMAGE_SIZE, clCreateImage(ctx, 0, &r32, &d, NULL, &err));
    /* The view keeps the buffer alive. */
    clReleaseMemObject(sub);
    clReleaseMemObject(b);
    E(CL_SUCCESS, clEnqueueReadImage(q, m, CL_TRUE, at, some, 0, 0, got, 0, NULL, NULL));
    CHECK(got[0] == 256 + 3 * 64 + 2);
    clReleaseMemObject(m);
}

static void samplers(void)
{
    cl_sampler s = clCreateSampler(ctx, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &err);
    E(CL_SUCCESS, err);
    CHECK(sampler_bits(s) ==
          (0x20 | 4)); /* opencl-c-base.h: CLK_FILTER_LINEAR, CLK_ADDRESS_CLAMP */
    struct gpu_sampler hw;
    cl_mem m =
        make(0, (cl_image_format){CL_R, CL_FLOAT}, CL_MEM_OBJECT_IMAGE1D, 8, 0, 0, 0, 0, NULL);
    sampler_state(sampler_bits(s), m->image, &hw);
    CHECK(hw.linear && !hw.normalized && hw.wrap[0] == CMD_WRAP_BORDER &&
          hw.wrap[1] == CMD_WRAP_REPEAT && hw.border == 1);
    clReleaseMemObject(m);
    E(CL_SUCCESS, clRetainSampler(s));
    cl_uint refs = 0;
    E(CL_SUCCESS, clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    CHECK(refs == 2);
    E(CL_SUCCESS, clReleaseSampler(s));
    E(CL_SUCCESS, clReleaseSampler(s));
    E(CL_INVALID_SAMPLER, clReleaseSampler(bad));
    N(CL_INVALID_CONTEXT, clCreateSampler(bad, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &err));
    N(CL_INVALID_VALUE, clCreateSampler(ctx, CL_TRUE, 0x1000, CL_FILTER_LINEAR, &err));
    N(CL_INVALID_VALUE, clCreateSampler(ctx, CL_TRUE, CL_ADDRESS_CLAMP, 3, &err));
    N(CL_INVALID_VALUE, clCreateSampler(ctx, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err));
    cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}, back[3];
    s = clCreateSamplerWithProperties(ctx, list, &err);
    E(CL_SUCCESS, clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof back, back, NULL));
    CHECK(!memcmp(list, back, sizeof list));
    E(CL_SUCCESS, clReleaseSampler(s));
    list[0] = 5;
    N(CL_INVALID_VALUE, clCreateSamplerWithProperties(ctx, list, &err));
}

int main(void)
{
    cl_platform_id platform;
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    q = clCreateCommandQueue(ctx, dev, 0, &err);
    creation_errors();
    queries();
    transfers();
    fills();
    mappings();
    views();
    samplers();
    clReleaseCommandQueue(q);
    clReleaseContext(ctx);
    /* The threads may still be putting down what they held. */
    for (int n = 0; n < 1000 && object_live(OBJECT_CONTEXT); n++)
        usleep(1000);
    CHECK(object_live(OBJECT_MEM) == 0 && object_live(OBJECT_SAMPLER) == 0 &&
          object_live(OBJECT_CONTEXT) == 0);
    return utest_end();
}
