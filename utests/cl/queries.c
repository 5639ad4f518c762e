/* Every query of the API (api_queries.def): its size, the least value, what becomes of buffers that
 * are too small or larger; and that what is said in several forms (text, number, lists) agrees.
 * Rules: OpenCL 3.0 API specification, 4.2 and the tables of queries. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <string.h>
#include <time.h>

#include "utest.h"

static cl_platform_id platform;
static cl_device_id dev;
static cl_context ctx;
static cl_command_queue q;
static cl_mem m, image;
static cl_sampler sampler;
static cl_program program;
static cl_kernel k;
static cl_event event;
static cl_int err;

typedef cl_int ask(cl_uint name, size_t size, void *value, size_t *size_ret);
#define ASK(fn, object)                                                                            \
    static cl_int ask_##fn(cl_uint name, size_t size, void *value, size_t *size_ret)               \
    {                                                                                              \
        return fn(object, name, size, value, size_ret);                                            \
    }
ASK(clGetPlatformInfo, platform)
ASK(clGetDeviceInfo, dev)
ASK(clGetContextInfo, ctx)
ASK(clGetCommandQueueInfo, q)
ASK(clGetMemObjectInfo, m)
ASK(clGetImageInfo, image)
ASK(clGetSamplerInfo, sampler)
ASK(clGetProgramInfo, program)
ASK(clGetKernelInfo, k)
ASK(clGetEventInfo, event)
ASK(clGetEventProfilingInfo, event)
#define TWO(a, b) a, b
ASK(clGetProgramBuildInfo, TWO(program, dev))
ASK(clGetKernelWorkGroupInfo, TWO(k, dev))
ASK(clGetKernelArgInfo, TWO(k, 0))

enum form { FIXED, TEXT, ARRAY };
static const struct row {
    ask *ask;
    const char *name;
    cl_uint number;
    enum form form;
    size_t bytes;
    cl_ulong least;
} rows[] = {
#define INFO(fn, name, number, form, bytes, least) {ask_##fn, #name, number, form, bytes, least},
#include "api_queries.def"
#undef INFO
};

static void check_row(const struct row *r)
{
    static unsigned char value[1 << 16], before[8];
    size_t size = 12345, again = 12345;
    memset(value, 0x5a, sizeof value);
    memset(before, 0x5a, sizeof before);
    err = r->ask(r->number, 0, NULL, &size);
    CHECKF(err == CL_SUCCESS, "%s: %d", r->name, err);
    if (err || size > sizeof value - 8)
        return;
    if (r->form == FIXED)
        CHECKF(size == r->bytes, "%s: %zu bytes", r->name, size);
    CHECKF(size % r->bytes == 0, "%s: %zu bytes", r->name, size);
    CHECKF(r->ask(r->number, 0, NULL, NULL) == CL_SUCCESS, "%s", r->name);
    if (size) {
        err = r->ask(r->number, size - 1, value, &again);
        CHECKF(err == CL_INVALID_VALUE && !memcmp(value, before, 8), "%s: %d", r->name, err);
    }
    err = r->ask(r->number, sizeof value, value, &again);
    CHECKF(err == CL_SUCCESS && again == size, "%s: %d, %zu", r->name, err, again);
    CHECKF(!memcmp(value + size, before, 8), "%s writes behind its end", r->name);
    if (r->form == TEXT)
        CHECKF(size == strlen((char *)value) + 1, "%s: '%s'", r->name, value);
    if (r->form == FIXED && r->least) {
        cl_ulong v = 0;
        memcpy(&v, value, size);
        CHECKF(v >= r->least, "%s: %llu", r->name, (unsigned long long)v);
    }
}

static const char *text(ask *a, cl_uint name)
{
    static char buffers[2][8192];
    static unsigned turn;
    char *t = buffers[turn++ % 2];
    REQUIRE(a(name, sizeof buffers[0], t, NULL) == CL_SUCCESS);
    return t;
}

static cl_ulong number(cl_uint name)
{
    cl_ulong v = 0;
    REQUIRE(clGetDeviceInfo(dev, name, sizeof v, &v, NULL) == CL_SUCCESS);
    return v;
}

/* Names and versions of a list; how many. */
static size_t list(ask *a, cl_uint name, cl_name_version out[128])
{
    size_t size;
    REQUIRE(a(name, 128 * sizeof *out, out, &size) == CL_SUCCESS);
    for (size_t i = 0; i < size / sizeof *out; i++)
        CHECK(memchr(out[i].name, 0, sizeof out[i].name));
    return size / sizeof *out;
}

static bool listed(const cl_name_version *l, size_t n, const char *name, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(l[i].name) == len && !memcmp(l[i].name, name, len))
            return true;
    return false;
}

/* The same names in a text, separated by blanks, and in a list without duplicates. */
static void check_list(ask *a, cl_uint text_name, cl_uint list_name)
{
    cl_name_version l[128];
    size_t n = list(a, list_name, l), words = 0;
    for (const char *p = text(a, text_name); *p; words++) {
        size_t len = strcspn(p, " ");
        CHECKF(listed(l, n, p, len), "%.*s", (int)len, p);
        p += len + strspn(p + len, " ");
    }
    CHECK(words == n);
    for (size_t i = 0; i < n; i++)
        CHECKF(!listed(l, i, l[i].name, strlen(l[i].name)), "%s twice", l[i].name);
}

static void check_version(const char *t, const char *format, cl_version number)
{
    unsigned major = 0, minor = 0;
    int end = 0;
    CHECKF(sscanf(t, format, &major, &minor, &end) == 2 && t[end] == ' ', "%s", t);
    CHECKF(CL_VERSION_MAJOR(number) == major && CL_VERSION_MINOR(number) == minor, "%s", t);
}

static void versions(void)
{
    cl_version v, platform_v;
    cl_name_version l[128];
    REQUIRE(!clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof v, &platform_v, NULL));
    check_version(text(ask_clGetPlatformInfo, CL_PLATFORM_VERSION), "OpenCL %u.%u%n", platform_v);
    v = (cl_version)number(CL_DEVICE_NUMERIC_VERSION);
    check_version(text(ask_clGetDeviceInfo, CL_DEVICE_VERSION), "OpenCL %u.%u%n", v);
    /* darktable takes that name there for a driver that computes wrongly: an older one's. */
    CHECK(!strcasestr(text(ask_clGetDeviceInfo, CL_DEVICE_VERSION), "beignet"));
    CHECK(platform_v >= v);
    check_version(text(ask_clGetDeviceInfo, CL_DEVICE_OPENCL_C_VERSION), "OpenCL C %u.%u%n",
                  (cl_version)number(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR));
    check_list(ask_clGetPlatformInfo, CL_PLATFORM_EXTENSIONS, CL_PLATFORM_EXTENSIONS_WITH_VERSION);
    check_list(ask_clGetDeviceInfo, CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION);
    size_t n = list(ask_clGetDeviceInfo, CL_DEVICE_OPENCL_C_ALL_VERSIONS, l);
    const cl_version always[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0),
                                 CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(3, 0, 0)};
    for (unsigned a = 0; a < (v >= CL_MAKE_VERSION(3, 0, 0) ? 4 : 3); a++) {
        bool there = false;
        for (size_t i = 0; i < n; i++)
            there |= l[i].version == always[a];
        CHECKF(there, "OpenCL C %x", always[a]);
    }
    for (size_t i = 0; i < n; i++) {
        CHECK(!strcmp(l[i].name, "OpenCL C"));
        unsigned minor = CL_VERSION_MINOR(l[i].version), major = CL_VERSION_MAJOR(l[i].version);
        char options[32];
        snprintf(options, sizeof options, "-cl-std=CL%u.%u", major, minor);
        cl_program p =
            clCreateProgramWithSource(ctx, 1, &(const char *){"kernel void k() {}"}, NULL, &err);
        if (l[i].version > CL_MAKE_VERSION(1, 0, 0)) /* 1.0 has no option of its own */
            CHECKF(!clBuildProgram(p, 0, NULL, options, NULL, NULL), "%s", options);
        clReleaseProgram(p);
    }
    unsigned year, month, day, nth;
    CHECK(sscanf(text(ask_clGetDeviceInfo, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED),
                 "v%4u-%2u-%2u-%2u", &year, &month, &day, &nth) == 4 &&
          month >= 1 && month <= 12 && day >= 1 && day <= 31);
}

/* A feature that is reported is defined in OpenCL C 3.0, and the query that belongs to it agrees.
 */
static void features(void)
{
    static const struct {
        const char *feature;
        cl_uint query;
        cl_ulong bit; /* 0: any */
    } with[] = {
        {"__opencl_c_generic_address_space", CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 0},
        {"__opencl_c_work_group_collective_functions",
         CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 0},
        {"__opencl_c_subgroups", CL_DEVICE_MAX_NUM_SUB_GROUPS, 0},
        {"__opencl_c_images", CL_DEVICE_IMAGE_SUPPORT, 0},
        {"__opencl_c_read_write_images", CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 0},
        {"__opencl_c_fp64", CL_DEVICE_DOUBLE_FP_CONFIG, 0},
        {"__opencl_c_pipes", CL_DEVICE_PIPE_SUPPORT, 0},
        {"__opencl_c_device_enqueue", CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0},
        {"__opencl_c_program_scope_global_variables", CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 0},
        {"__opencl_c_atomic_order_acq_rel", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
         CL_DEVICE_ATOMIC_ORDER_ACQ_REL},
        {"__opencl_c_atomic_order_seq_cst", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
         CL_DEVICE_ATOMIC_ORDER_SEQ_CST},
        {"__opencl_c_atomic_scope_device", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
         CL_DEVICE_ATOMIC_SCOPE_DEVICE},
        {"__opencl_c_atomic_scope_all_devices", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
         CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
    };
    static char source[16384];
    cl_name_version l[128];
    size_t n = list(ask_clGetDeviceInfo, CL_DEVICE_OPENCL_C_FEATURES, l), at = 0;
    for (unsigned i = 0; i < sizeof with / sizeof with[0]; i++) {
        bool has = listed(l, n, with[i].feature, strlen(with[i].feature));
        cl_ulong v = number(with[i].query);
        CHECKF(has == ((with[i].bit ? v & with[i].bit : v) != 0), "%s, and %llx", with[i].feature,
               (unsigned long long)v);
    }
    for (size_t i = 0; i < n; i++) {
        CHECKF(!strncmp(l[i].name, "__opencl_c_", 11), "%s", l[i].name);
        CHECK(l[i].version == CL_MAKE_VERSION(3, 0, 0));
        at += (size_t)snprintf(source + at, sizeof source - at, "#ifndef %s\n#error %s\n#endif\n",
                               l[i].name, l[i].name);
    }
    snprintf(source + at, sizeof source - at, "kernel void k() {}\n");
    cl_program p = clCreateProgramWithSource(ctx, 1, &(const char *){source}, NULL, &err);
    CHECK(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL) == CL_SUCCESS);
    clReleaseProgram(p);
    CHECK((number(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & 17) == 17);
    CHECK((number(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) & 19) == 19);
    CHECK((number(CL_DEVICE_SINGLE_FP_CONFIG) & 6) == 6);
    CHECK(number(CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= 32 << 20);
    CHECK(number(CL_DEVICE_MEM_BASE_ADDR_ALIGN) >= 1024);
}

/* Lists of properties come back as they were given. */
static void properties(void)
{
    cl_queue_properties queue[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, back[8];
    cl_sampler_properties modes[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_mem_properties none[] = {0};
    size_t size;
    cl_command_queue a = clCreateCommandQueueWithProperties(ctx, dev, queue, &err);
    CHECK(!clGetCommandQueueInfo(a, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, &size) &&
          size == sizeof queue && !memcmp(back, queue, size));
    clReleaseCommandQueue(a);
    a = clCreateCommandQueueWithProperties(ctx, dev, NULL, &err);
    CHECK(!clGetCommandQueueInfo(a, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, &size) && !size);
    clReleaseCommandQueue(a);
    a = clCreateCommandQueueWithProperties(ctx, dev, none, &err);
    CHECK(!clGetCommandQueueInfo(a, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, &size) &&
          size == sizeof none && !back[0]);
    CHECK(clGetCommandQueueInfo(a, CL_QUEUE_SIZE, 4, back, NULL) == CL_INVALID_COMMAND_QUEUE);
    clReleaseCommandQueue(a);
    cl_sampler s = clCreateSamplerWithProperties(ctx, modes, &err);
    CHECK(!clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof back, back, &size) &&
          size == sizeof modes && !memcmp(back, modes, size));
    clReleaseSampler(s);
    cl_mem b = clCreateBufferWithProperties(ctx, none, 0, 64, NULL, &err);
    CHECK(!clGetMemObjectInfo(b, CL_MEM_PROPERTIES, sizeof back, back, &size) &&
          size == sizeof none && !back[0]);
    cl_mem_flags flags = 1;
    CHECK(!clGetMemObjectInfo(b, CL_MEM_FLAGS, sizeof flags, &flags, NULL) && !flags);
    clReleaseMemObject(b);
}

/* Both clocks go on, and the device's is that of profiling. */
static void timers(void)
{
    cl_ulong host[3], device[2], queued, end, resolution = 0;
    cl_event e;
    REQUIRE(!clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution,
                               &resolution, NULL));
    CHECK(resolution > 0);
    REQUIRE(!clGetDeviceAndHostTimer(dev, &device[0], &host[0]));
    REQUIRE(!clEnqueueMarkerWithWaitList(q, 0, NULL, &e) && !clFinish(q));
    REQUIRE(!clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED, 8, &queued, NULL));
    REQUIRE(!clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 8, &end, NULL));
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    REQUIRE(!clGetHostTimer(dev, &host[1]));
    REQUIRE(!clGetDeviceAndHostTimer(dev, &device[1], &host[2]));
    CHECK(host[0] + 5000000 <= host[1] && host[1] <= host[2]);
    CHECK(device[0] <= queued && queued <= end && end < device[1]);
    clReleaseEvent(e);
}

static void make_objects(void)
{
    const char *source = "kernel __attribute__((reqd_work_group_size(8, 1, 1))) "
                         "void k(global int *p) { *p = 1; }";
    cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    size_t eight = 8;
    ctx = clCreateContext(list, 1, &dev, NULL, NULL, &err);
    q = clCreateCommandQueue(ctx, dev, CL_QUEUE_PROFILING_ENABLE, &err);
    m = clCreateBuffer(ctx, 0, 4096, NULL, &err);
    image = clCreateImage(ctx, 0, &format, &desc, NULL, &err);
    sampler = clCreateSampler(ctx, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    program = clCreateProgramWithSource(ctx, 1, &source, NULL, &err);
    REQUIRE(!clBuildProgram(program, 0, NULL, "-cl-kernel-arg-info", NULL, NULL));
    k = clCreateKernel(program, "k", &err);
    REQUIRE(k && !clSetKernelArg(k, 0, sizeof m, &m));
    REQUIRE(!clEnqueueNDRangeKernel(q, k, 1, NULL, &eight, NULL, 0, NULL, &event) && !clFinish(q));
}

int main(void)
{
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS);
    make_objects();
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
    versions();
    features();
    properties();
    timers();
    clReleaseEvent(event);
    clReleaseKernel(k);
    clReleaseProgram(program);
    clReleaseSampler(sampler);
    clReleaseMemObject(image);
    clReleaseMemObject(m);
    clReleaseCommandQueue(q);
    clReleaseContext(ctx);
    return utest_end();
}
