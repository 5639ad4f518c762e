/* Programs in SPIR-V: what the driver says of them, kernels that Clang and Khronos' translator made
 * (spirv.cl, not optimised and optimised), specialization constants (a hand-written module),
 * objects linked with OpenCL C, and bytes that are no module or a damaged one.
 *
 * usage: spirv | spirv none (there is no translator) */
#include "clu.h"

#include <string.h>
#include <sys/stat.h>

/* Names of later versions than the other tests speak. */
enum { IL_VERSION = 0x105B, ILS_WITH_VERSION = 0x1061, PROGRAM_IL = 0x1169, INVALID_SPEC_ID = -71 };
struct name_version {
    cl_uint version;
    char name[64];
};
static cl_program (*create_il)(cl_context, const void *, size_t, cl_int *);
static cl_int (*set_constant)(cl_program, cl_uint, size_t, const void *);

static cl_int err;
static unsigned bits;

static void *load(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/utests/spirv/%s%u.spv", BINARY_DIR, name, bits);
    FILE *f = fopen(path, "rb");
    void *bytes = malloc(1 << 20);
    REQUIRE(f && bytes);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static cl_program program_of(const char *name)
{
    size_t size;
    void *bytes = load(name, &size);
    cl_program p = create_il(clu_context, bytes, size, &err);
    CL(err);
    free(bytes);
    return p;
}

static cl_program built(const char *name, const char *options)
{
    cl_program p = program_of(name);
    err = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    if (err) {
        char log[4096];
        clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s: %s\n", name, log);
    }
    CL(err);
    return p;
}

static void queries(void)
{
    char text[256];
    struct name_version list[8];
    size_t size;
    CL(clGetDeviceInfo(clu_device, IL_VERSION, sizeof text, text, NULL));
    CHECKF(!strcmp(text, "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2"), "%s", text);
    CL(clGetDeviceInfo(clu_device, ILS_WITH_VERSION, sizeof list, list, &size));
    CHECK(size == 3 * sizeof *list);
    for (unsigned i = 0; i < 3; i++)
        CHECK(list[i].version == (1u << 22 | i << 12) && !strcmp(list[i].name, "SPIR-V"));
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    char *extensions = malloc(size);
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, size, extensions, NULL));
    CHECK(strstr(extensions, "cl_khr_il_program"));
    free(extensions);

    size_t n;
    void *bytes = load("spec", &n);
    cl_program p = create_il(clu_context, bytes, n, &err);
    char *back = malloc(n);
    CL(clGetProgramInfo(p, PROGRAM_IL, n, back, &size));
    CHECK(size == n && !memcmp(back, bytes, n));
    CL(clGetProgramInfo(p, CL_PROGRAM_SOURCE, 0, NULL, &size));
    CHECK(size == 1);
    free(back);
    free(bytes);
    clReleaseProgram(p);
    p = clCreateProgramWithSource(clu_context, 1, &(const char *){"kernel void k() {}"}, NULL,
                                  &err);
    CL(clGetProgramInfo(p, PROGRAM_IL, 0, NULL, &size));
    CHECK(size == 0);
    CHECK(set_constant(p, 1, 4, &n) == CL_INVALID_PROGRAM);
    clReleaseProgram(p);
}

static void mixed(cl_program p)
{
    enum { N = 256 };
    struct {
        cl_int a;
        cl_int pad[3];
        cl_float4 b;
    } v = {3, {0}, {{0, 0.25f, 0, 0}}};
    float in[N], out[N];
    cl_int count[2] = {0, 0};
    cl_uint n = N;
    for (unsigned i = 0; i < N; i++)
        in[i] = (float)(i * 7 % 31);
    cl_kernel k = clu_kernel(p, "mixed");
    cl_mem a = clu_buffer(sizeof out, NULL), b = clu_buffer(sizeof in, in),
           c = clu_buffer(sizeof count, count);
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    CL(clSetKernelArg(k, 2, sizeof v, &v));
    CL(clSetKernelArg(k, 3, 16 * 4, NULL));
    clu_arg_mem(k, 4, c);
    CL(clSetKernelArg(k, 5, 4, &n));
    size_t required[3];
    CL(clGetKernelWorkGroupInfo(k, clu_device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                                required, NULL));
    CHECK(required[0] == 16 && required[1] == 1 && required[2] == 1);
    clu_run(k, N, 16);
    clu_read(a, sizeof out, out);
    clu_read(c, sizeof count, count);
    for (unsigned i = 0; i < N; i++) {
        unsigned from = i / 16 * 16 + 15 - i % 16;
        CHECKF(out[i] == in[from] * (float)(1 << (from & 3)) + 3.25f, "%u: %g", i, out[i]);
    }
    CHECK(count[0] == N && count[1] == N - 1);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseKernel(k);
}

static void turn(cl_program p)
{
    enum { W = 8, H = 4 };
    cl_uchar pixels[H][W][4], turned[W][H][4];
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            for (unsigned c = 0; c < 4; c++)
                pixels[y][x][c] = (cl_uchar)clu_random();
    cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc from = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_image_desc to = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = H, .image_height = W};
    cl_mem a = clCreateImage(clu_context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &f, &from,
                             pixels, &err);
    CL(err);
    cl_mem b = clCreateImage(clu_context, CL_MEM_WRITE_ONLY, &f, &to, NULL, &err);
    CL(err);
    cl_mem s = clu_buffer(12, NULL);
    cl_sampler sampler =
        clCreateSampler(clu_context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
    cl_kernel k = clu_kernel(p, "turn");
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    CL(clSetKernelArg(k, 2, sizeof sampler, &sampler));
    clu_arg_mem(k, 3, s);
    size_t global[2] = {W, H}, origin[3] = {0}, region[3] = {H, W, 1};
    CL(clEnqueueNDRangeKernel(clu_queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    CL(clEnqueueReadImage(clu_queue, b, CL_TRUE, origin, region, 0, 0, turned, 0, NULL, NULL));
    cl_int sizes[3];
    clu_read(s, sizeof sizes, sizes);
    CHECK(sizes[0] == W && sizes[1] == H && sizes[2] == H);
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            CHECK(!memcmp(turned[x][y], pixels[y][x], 4));
    clReleaseSampler(sampler);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(s);
    clReleaseKernel(k);
}

static void copies(cl_program p)
{
    enum { N = 128, GROUP = 32 };
    cl_float4 in[N], out[N];
    for (unsigned i = 0; i < 4 * N; i++)
        in[i / 4].s[i % 4] = (float)i;
    cl_kernel k = clu_kernel(p, "copies");
    cl_mem a = clu_buffer(sizeof out, NULL), b = clu_buffer(sizeof in, in);
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    CL(clSetKernelArg(k, 2, GROUP * sizeof(cl_float4), NULL));
    clu_run(k, N, GROUP);
    clu_read(a, sizeof out, out);
    CHECK(!memcmp(in, out, sizeof in));
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseKernel(k);
}

static void functions(cl_program p)
{
    cl_int in[4] = {9, 6, 7, -2}, out[16];
    static const cl_int expected[16] = {2,
                                        (9 << 20 >> 10) * 6 >> 2, /* 9 * 6 << 40 >> 32 */
                                        3,
                                        (cl_int)(9u << 30 | 9u >> 2),
                                        9 + 12 + 21 - 8,
                                        -128,
                                        9,
                                        1,
                                        -9,
                                        -6,
                                        -7,
                                        -2,
                                        0x40000000,
                                        9 << 16 | 6,
                                        0,
                                        61};
    cl_kernel k = clu_kernel(p, "functions");
    cl_mem a = clu_buffer(sizeof out, NULL), b = clu_buffer(sizeof in, in);
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    clu_run(k, 1, 1);
    clu_read(a, sizeof out, out);
    for (unsigned i = 0; i < 16; i++)
        CHECKF(out[i] == (i == 1 ? 54 << 8 : expected[i]), "function %u: %d", i, out[i]);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseKernel(k);
}

static void doubles(cl_program p)
{
    double x[8];
    for (unsigned i = 0; i < 8; i++)
        x[i] = i * 0.125;
    cl_kernel k = clu_kernel(p, "doubles");
    cl_mem m = clu_buffer(sizeof x, x);
    clu_arg_mem(k, 0, m);
    clu_run(k, 8, 0);
    clu_read(m, sizeof x, x);
    for (unsigned i = 0; i < 8; i++)
        CHECKF(x[i] == i * 0.125 * (i * 0.125) + 0.5, "%u: %g", i, x[i]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
}

static void kernels(void)
{
    static const char *const modules[] = {"kernels-O0-", "kernels-O2-"};
    for (unsigned i = 0; i < 2; i++) {
        cl_program p = built(modules[i], "");
        mixed(p);
        if (i)
            turn(p);
        copies(p);
        functions(p);
        doubles(p);
        clReleaseProgram(p);
    }
}

static void argument_info(void)
{
    cl_program p = built("kernels-O2-", "-cl-kernel-arg-info");
    cl_kernel k = clu_kernel(p, "turn");
    cl_kernel_arg_access_qualifier access;
    char name[64];
    CL(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    CHECKF(!strcmp(name, "to"), "%s", name);
    CL(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    CHECKF(!strcmp(name, "image2d_t"), "%s", name);
    CL(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    CHECK(access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

static void run_spec(cl_program p, const cl_int expected[8])
{
    cl_int out[8];
    CL(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clu_kernel(p, "spec");
    cl_mem m = clu_buffer(sizeof out, NULL);
    clu_arg_mem(k, 0, m);
    clu_run(k, 1, 1);
    clu_read(m, sizeof out, out);
    for (unsigned i = 0; i < 8; i++)
        CHECKF(out[i] == expected[i], "constant %u: %d instead of %d", i, out[i], expected[i]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
}

static void constants(void)
{
    cl_program p = program_of("spec");
    cl_int i = 41;
    cl_bool b = CL_TRUE;
    cl_short s = -2;
    cl_long l = 0x1122334455667788;
    float f = -2.0f;
    cl_uchar c = 255;
    run_spec(p, (const cl_int[8]){5, 0, 3, 2, 1, 0x3fc00000, 200, 6});
    CHECK(set_constant(NULL, 7, 4, &i) == CL_INVALID_PROGRAM);
    CHECK(set_constant(p, 8, 4, &i) == INVALID_SPEC_ID);
    CHECK(set_constant(p, 7, 8, &l) == CL_INVALID_VALUE);
    CHECK(set_constant(p, 7, 4, NULL) == CL_INVALID_VALUE);
    CHECK(set_constant(p, 3, 4, &b) == CL_INVALID_VALUE); /* a boolean has one byte */
    CL(set_constant(p, 7, sizeof i, &i));
    CL(set_constant(p, 3, 1, &b));
    run_spec(p, (const cl_int[8]){41, 1, 3, 2, 1, 0x3fc00000, 200, 42});
    CL(set_constant(p, 11, sizeof s, &s));
    CL(set_constant(p, 100, sizeof l, &l));
    CL(set_constant(p, 2, sizeof f, &f));
    CL(set_constant(p, 4, sizeof c, &c));
    run_spec(p, (const cl_int[8]){41, 1, -2, 0x55667788, 0x11223344, (cl_int)0xc0000000, 255, 42});
    clReleaseProgram(p);
    p = program_of("kernels-O2-");
    CHECK(set_constant(p, 7, sizeof i, &i) == CL_INVALID_PROGRAM); /* it has none */
    clReleaseProgram(p);
}

static void linked(void)
{
    const char *source = "int elsewhere(int x) { return 3 * x + 1; }";
    cl_program p[2] = {program_of("kernels-linked-"),
                       clCreateProgramWithSource(clu_context, 1, &source, NULL, &err)};
    for (unsigned i = 0; i < 2; i++)
        CL(clCompileProgram(p[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program all = clLinkProgram(clu_context, 0, NULL, NULL, 2, p, NULL, NULL, &err);
    CL(err);
    cl_int x[4] = {0, 1, 2, 3};
    cl_kernel k = clu_kernel(all, "linked");
    cl_mem m = clu_buffer(sizeof x, x);
    clu_arg_mem(k, 0, m);
    clu_run(k, 4, 0);
    clu_read(m, sizeof x, x);
    for (int i = 0; i < 4; i++)
        CHECK(x[i] == 3 * i + 1);
    functions(all);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(all);
    clReleaseProgram(p[0]);
    clReleaseProgram(p[1]);
}

/* Builds what may be anything: it must come out whole, and say why if it fails. */
static void survives(const void *bytes, size_t size, unsigned n)
{
    cl_program p = create_il(clu_context, bytes, size, &err);
    if (!p) {
        CHECKF(err == CL_INVALID_VALUE, "%u: %d", n, err);
        return;
    }
    err = clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
    size_t log = 0;
    clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log);
    CHECKF(err == CL_SUCCESS || (err == CL_BUILD_PROGRAM_FAILURE && log > 1), "%u: %d, log of %zu",
           n, err, log);
    clReleaseProgram(p);
}

/* A translator that fails removes its output, and root may remove this one. */
static bool stdout_is_link(void)
{
    struct stat st;
    return !lstat("/dev/stdout", &st) && S_ISLNK(st.st_mode);
}

static void damaged(void)
{
    size_t size;
    bool link = stdout_is_link();
    cl_uint *words = load("spec", &size), *copy = malloc(size);
    size_t n = size / 4;
    static const unsigned char text[] = "kernel void k() {}";
    CHECK(!create_il(clu_context, NULL, size, &err) && err == CL_INVALID_VALUE);
    CHECK(!create_il(clu_context, words, 0, &err) && err == CL_INVALID_VALUE);
    CHECK(!create_il(NULL, words, size, &err) && err == CL_INVALID_CONTEXT);
    CHECK(!create_il(clu_context, text, sizeof text, &err) && err == CL_INVALID_VALUE);
    CHECK(!create_il(clu_context, words, size - 1, &err) && err == CL_INVALID_VALUE);
    CHECK(!create_il(clu_context, words, size - 12, &err) && err == CL_INVALID_VALUE);
    memcpy(copy, words, size);
    copy[1] = 0x20000; /* version 2.0 */
    CHECK(!create_il(clu_context, copy, size, &err) && err == CL_INVALID_VALUE);
    for (size_t i = 0; i < n; i++) /* the other byte order is allowed */
        copy[i] = __builtin_bswap32(words[i]);
    cl_program p = create_il(clu_context, copy, size, &err);
    CL(err);
    run_spec(p, (const cl_int[8]){5, 0, 3, 2, 1, 0x3fc00000, 200, 6});
    clReleaseProgram(p);
    for (unsigned i = 0; i < 24; i++) {
        memcpy(copy, words, size);
        for (unsigned k = 0; k <= i % 3; k++) { /* ids and literals; lengths as they are */
            size_t at = 5 + clu_random() % (n - 5);
            copy[at] = i % 2 ? copy[at] ^ 1u << clu_random() % 8 : (cl_uint)(clu_random() % 64);
        }
        survives(copy, size, i);
    }
    CHECK(stdout_is_link() == link);
    free(words);
    free(copy);

    /* Addresses of another size than the device's. */
    bits ^= 32 ^ 64;
    words = load("spec", &size);
    bits ^= 32 ^ 64;
    p = create_il(clu_context, words, size, &err);
    CL(err);
    CHECK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
    char log[1024];
    CL(clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECKF(strstr(log, "addresses of"), "%s", log);
    clReleaseProgram(p);
    free(words);
}

/* Without a translator nothing is offered. */
static void none(void)
{
    char text[4096];
    size_t size;
    cl_uint words[5] = {0x07230203, 0x10000, 0, 1, 0};
    CL(clGetDeviceInfo(clu_device, IL_VERSION, sizeof text, text, NULL));
    CHECK(!*text);
    CL(clGetDeviceInfo(clu_device, ILS_WITH_VERSION, 0, NULL, &size));
    CHECK(size == 0);
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    CHECK(!strstr(text, "cl_khr_il_program"));
    CHECK(!create_il(clu_context, words, sizeof words, &err) && err == CL_INVALID_OPERATION);
    const char *source = "kernel void k() {}";
    cl_program p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &err);
    CHECK(set_constant(p, 1, 4, words) == CL_INVALID_OPERATION);
    clReleaseProgram(p);
}

int main(int argc, char **argv)
{
    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL));
    *(void **)&create_il =
        clGetExtensionFunctionAddressForPlatform(clu_platform, "clCreateProgramWithILKHR");
    *(void **)&set_constant = clGetExtensionFunctionAddressForPlatform(
        clu_platform, "clSetProgramSpecializationConstant");
    REQUIRE(create_il && set_constant);
    if (argc > 1 && !strcmp(argv[1], "none")) {
        none();
    } else {
        queries();
        kernels();
        argument_info();
        constants();
        linked();
        damaged();
    }
    clu_close();
    return utest_end();
}
