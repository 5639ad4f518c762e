/* Each error condition that the specification lists for a function (api_errors.def), provoked by
 * one call with one mistake: its code, no object, untouched outputs. Conditions that one device
 * can't be brought into say why in the table. The test fails too for a row that nothing provokes.
 */
#include "api_errors.h"

cl_platform_id platform;
cl_device_id dev;
cl_context ctx, other;
cl_command_queue q, other_q, profiled_q;
cl_mem m, other_m, sub, host_read, host_write, host_none, only_read, only_write;
cl_mem im1, im2, im3, layers, im2_float, im_pixels, pixels, other_im, im_host_read, im_host_write,
    im_host_none;
cl_sampler sampler, other_sampler;
cl_program program, unbuilt, object, from_binary, linked, other_program;
cl_kernel k, other_k, unset, args_k, image_k, reqd_k;
cl_event done, other_done, failed, user;
cl_int err;
char bytes[4096];
size_t zero3[3] = {0, 0, 0}, one3[3] = {1, 1, 1}, big3[3] = {1 << 20, 1, 1};
void *ctx_of_wrong;

enum reason {
    PROVOKED,
    MEMORY,          /* no memory on the device: gensim's faults provoke it where it can be */
    NO_MEMORY,       /* the call asks for none, or does without */
    ONE_DEVICE,      /* needs another device, or none */
    ONE_PLATFORM,    /* there is one to choose */
    SAME_ALIGNMENT,  /* sub-buffers that another device would allow */
    SAME_LIMITS,     /* images that another device would allow */
    EXTENSION,       /* of an extension that isn't offered */
    OTHER_FIRST,     /* another error is always there */
    UNDIVIDED,       /* the device can't be divided */
    ALL_OFFERED,     /* the device has what the condition says is missing */
    HAS_COMPILER,    /* the same of the compiler */
    HAS_IL,          /* the same of SPIR-V; utests/cl/spirv.c takes it away */
    NO_DEVICE_QUEUE, /* there are no queues on the device */
    NO_PARAMETER,    /* the function has no such parameter; its successor has */
    NO_LIMIT,        /* nothing of ours can ask for it */
    ALWAYS_MAPS,     /* memory is shared */
    LATER            /* not an error any more in this version */
};

static struct row {
    const char *function;
    int number;
    cl_int code;
    enum reason reason;
    bool seen;
} rows[] = {
#define ROW(function, number, code, reason) {#function, number, code, reason, false},
#include "api_errors.def"
#undef ROW
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static struct row *find(const char *function, int number)
{
    for (unsigned i = 0; i < N_ROWS; i++)
        if (rows[i].number == number && !strcmp(rows[i].function, function))
            return &rows[i];
    fprintf(stderr, "no row %s %d\n", function, number);
    REQUIRE(!"a row of the table");
    return NULL;
}

void provoked(const char *function, int number, cl_int code, int line)
{
    struct row *r = find(function, number);
    CHECKF(code == r->code, "%d: %s, condition %d: %d instead of %d", line, function, number, code,
           r->code);
    CHECKF(r->reason == PROVOKED, "%s, condition %d can be provoked", function, number);
    r->seen = true;
}

void provoked_result(const char *function, int number, bool as_said, int line)
{
    struct row *r = find(function, number);
    CHECKF(as_said, "%d: %s, condition %d", line, function, number);
    r->seen = true;
}

void no_memory(const char *function, bool here, bool failed)
{
    for (unsigned i = 0; i < N_ROWS; i++) {
        struct row *r = &rows[i];
        if (r->code != CL_OUT_OF_HOST_MEMORY || strcmp(r->function, function))
            continue;
        CHECKF(!here || r->reason == (failed ? PROVOKED : NO_MEMORY), "%s, condition %d: %s",
               function, r->number, failed ? "can be provoked" : "never fails");
        r->seen = true;
    }
}

void not_here(const char *function, int number)
{
    find(function, number)->seen = true;
}

static const char source[] =
    "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n"
    "kernel void args(global int *p, int i, float3 f, local int *l, sampler_t s) "
    "{ p[0] = i + (int)f.x + l[0]; }\n"
    "kernel void image(read_only image2d_t r, write_only image2d_t w, sampler_t s) "
    "{ write_imagef(w, (int2)(0), read_imagef(r, s, (int2)(0))); }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void reqd(global int *p) { *p = 1; }\n";

static cl_program made(cl_context c, const char *text)
{
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    REQUIRE(p);
    return p;
}

static cl_program built(cl_context c)
{
    cl_program p = made(c, source);
    REQUIRE(clBuildProgram(p, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    return p;
}

static cl_mem image_of(cl_context c, cl_mem_flags flags, cl_mem_object_type type,
                       cl_uint channel_type, cl_mem buffer)
{
    cl_image_format f = {CL_RGBA, channel_type};
    cl_image_desc d = {.image_type = type, .image_width = 8, .mem_object = buffer};
    if (type != CL_MEM_OBJECT_IMAGE1D && type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        d.image_height = 8;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        d.image_depth = 4;
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        d.image_array_size = 4;
    cl_mem image = clCreateImage(c, flags, &f, &d, NULL, &err);
    REQUIRE(image);
    return image;
}

static void make_objects(void)
{
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    other = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    ctx_of_wrong = ctx;
    q = clCreateCommandQueue(ctx, dev, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    other_q = clCreateCommandQueue(other, dev, 0, &err);
    profiled_q = clCreateCommandQueue(ctx, dev, CL_QUEUE_PROFILING_ENABLE, &err);
    m = clCreateBuffer(ctx, 0, 4096, NULL, &err);
    pixels = clCreateBuffer(ctx, 0, 4096, NULL, &err);
    other_m = clCreateBuffer(other, 0, 4096, NULL, &err);
    sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){1024, 1024},
                            &err);
    host_read = clCreateBuffer(ctx, CL_MEM_HOST_READ_ONLY, 4096, NULL, &err);
    host_write = clCreateBuffer(ctx, CL_MEM_HOST_WRITE_ONLY, 4096, NULL, &err);
    host_none = clCreateBuffer(ctx, CL_MEM_HOST_NO_ACCESS, 4096, NULL, &err);
    only_read = clCreateBuffer(ctx, CL_MEM_READ_ONLY, 4096, NULL, &err);
    only_write = clCreateBuffer(ctx, CL_MEM_WRITE_ONLY, 4096, NULL, &err);
    im1 = image_of(ctx, 0, CL_MEM_OBJECT_IMAGE1D, CL_UNORM_INT8, NULL);
    im2 = image_of(ctx, 0, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8, NULL);
    im3 = image_of(ctx, 0, CL_MEM_OBJECT_IMAGE3D, CL_UNORM_INT8, NULL);
    layers = image_of(ctx, 0, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_UNORM_INT8, NULL);
    im2_float = image_of(ctx, 0, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT, NULL);
    im_pixels = image_of(ctx, 0, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_UNORM_INT8, pixels);
    other_im = image_of(other, 0, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8, NULL);
    im_host_read = image_of(ctx, CL_MEM_HOST_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8, NULL);
    im_host_write =
        image_of(ctx, CL_MEM_HOST_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8, NULL);
    im_host_none = image_of(ctx, CL_MEM_HOST_NO_ACCESS, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8, NULL);
    sampler = clCreateSampler(ctx, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    other_sampler = clCreateSampler(other, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    program = built(ctx);
    other_program = built(other);
    unbuilt = made(ctx, source);
    object = made(ctx, source);
    REQUIRE(clCompileProgram(object, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    linked = clLinkProgram(ctx, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
    static unsigned char image[1 << 20], *images = image;
    size_t size;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    REQUIRE(size <= sizeof image);
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof images, &images, NULL);
    from_binary =
        clCreateProgramWithBinary(ctx, 1, &dev, &size, (const unsigned char **)&images, NULL, &err);
    REQUIRE(linked && from_binary);
    k = clCreateKernel(program, "k", &err);
    unset = clCreateKernel(program, "k", &err);
    other_k = clCreateKernel(other_program, "k", &err);
    args_k = clCreateKernel(program, "args", &err);
    image_k = clCreateKernel(program, "image", &err);
    reqd_k = clCreateKernel(program, "reqd", &err);
    REQUIRE(k && unset && other_k && args_k && image_k && reqd_k);
    clSetKernelArg(k, 0, sizeof m, &m);
    clSetKernelArg(other_k, 0, sizeof m, &other_m);
    clSetKernelArg(reqd_k, 0, sizeof m, &m);
    REQUIRE(clEnqueueMarkerWithWaitList(q, 0, NULL, &done) == CL_SUCCESS);
    REQUIRE(clEnqueueMarkerWithWaitList(other_q, 0, NULL, &other_done) == CL_SUCCESS);
    clFinish(q);
    clFinish(other_q);
    user = clCreateUserEvent(ctx, &err);
    failed = clCreateUserEvent(ctx, &err);
    REQUIRE(clSetUserEventStatus(failed, -5) == CL_SUCCESS);
}

static void drop_objects(void)
{
    cl_mem mems[] = {im1,          im2,       im3,       layers,       im2_float,
                     im_pixels,    pixels,    other_im,  im_host_read, im_host_write,
                     im_host_none, sub,       m,         other_m,      host_read,
                     host_write,   host_none, only_read, only_write};
    cl_kernel kernels[] = {k, unset, other_k, args_k, image_k, reqd_k};
    cl_program programs[] = {program, other_program, unbuilt, object, linked, from_binary};
    cl_event events[] = {done, other_done, user, failed};
    cl_command_queue queues[] = {q, other_q, profiled_q};
    clSetUserEventStatus(user, CL_COMPLETE);
    for (unsigned i = 0; i < 3; i++)
        clFinish(queues[i]);
#define DROP(list, release)                                                                        \
    for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)                                    \
        CHECK(release(list[i]) == CL_SUCCESS);
    DROP(mems, clReleaseMemObject)
    DROP(kernels, clReleaseKernel)
    DROP(programs, clReleaseProgram)
    DROP(events, clReleaseEvent)
    DROP(queues, clReleaseCommandQueue)
    CHECK(clReleaseSampler(sampler) == CL_SUCCESS && clReleaseSampler(other_sampler) == CL_SUCCESS);
    CHECK(clReleaseContext(ctx) == CL_SUCCESS && clReleaseContext(other) == CL_SUCCESS);
}

int main(void)
{
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    make_objects();
    test_platforms();
    test_buffers();
    test_images();
    test_programs();
    test_kernels();
    test_events();
    test_absent();
    test_svm();
    test_memory();
    test_external();
    drop_objects();
    unsigned n_seen = 0, n_expected = 0;
    for (unsigned i = 0; i < N_ROWS; i++) {
        n_expected += rows[i].reason == PROVOKED;
        n_seen += rows[i].reason == PROVOKED && rows[i].seen;
        CHECKF(rows[i].seen || rows[i].reason != PROVOKED, "nothing provokes %s, condition %d",
               rows[i].function, rows[i].number);
    }
    printf("%u of %u conditions that can be provoked, of %u\n", n_seen, n_expected, N_ROWS);
    return utest_end();
}
