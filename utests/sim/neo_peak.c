/* Long chains of multiply-add, as programs that measure peak rates have them, with Intel's driver:
 * float, double and half in vectors of 1 to 16, char, short, int and long. The values are checked:
 * the chains run in integers small enough for the type, or modulo its size. Skipped where the
 * driver is not installed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <unistd.h>

#include "utest.h"

enum { ITEMS = 256, STEPS = 128 };

static cl_context ctx;
static cl_device_id dev;
static cl_command_queue queue;

/* Each step of a float chain is x = x * y + z; with y of -1 or 1 and a small z, x stays exact. The
 * integer chains use any y: everything is modulo the type's size. */
static const struct type {
    const char *name, *extension;
    unsigned size;
    bool is_float;
} types[] = {
    {"float", NULL, 4, true},         {"double", "cl_khr_fp64", 8, true},
    {"half", "cl_khr_fp16", 2, true}, {"char", NULL, 1, false},
    {"uchar", NULL, 1, false},        {"short", NULL, 2, false},
    {"ushort", NULL, 2, false},       {"int", NULL, 4, false},
    {"uint", NULL, 4, false},         {"long", NULL, 8, false},
    {"ulong", NULL, 8, false},
};

static bool has_extension(const char *name)
{
    static char all[16384];
    REQUIRE(clGetDeviceInfo(dev, CL_DEVICE_EXTENSIONS, sizeof all, all, NULL) == CL_SUCCESS);
    return !name || strstr(all, name);
}

static double half_value(uint16_t h)
{
    const int exp = h >> 10 & 31, mantissa = h & 0x3ff;
    const double v = exp ? ldexp(1024 + mantissa, exp - 25) : ldexp(mantissa, -24);
    return h & 0x8000 ? -v : v;
}

/* The element at `at`, as the number it stands for (floats) or its low bits (integers). */
static int64_t element(const struct type *t, const uint8_t *at)
{
    union {
        uint8_t b[8];
        uint16_t h;
        float f;
        double d;
        int64_t i;
    } u = {.i = 0};
    memcpy(u.b, at, t->size);
    if (!t->is_float)
        return u.i;
    return (int64_t)(t->size == 2 ? half_value(u.h) : t->size == 4 ? (double)u.f : u.d);
}

/* What lane `lane` of item `item` must become. */
static int64_t expected(const struct type *t, unsigned item, unsigned lane)
{
    uint64_t x = item & 15, y = t->is_float ? (item & 1 ? UINT64_MAX : 1) : item * 77 + 3;
    x += lane;
    for (unsigned s = 0; s < STEPS; s++)
        x = x * y + (s & 3) + lane % 3;
    return t->is_float ? (int64_t)x : (int64_t)(t->size == 8 ? x : x & ((1ull << t->size * 8) - 1));
}

static void run(const struct type *t, unsigned width)
{
    static uint8_t out[ITEMS * 16 * 8];
    char vector[16], text[4096], lanes[512] = "", thirds[512] = "";
    snprintf(vector, sizeof vector, width == 1 ? "%s" : "%s%u", t->name, width);
    for (unsigned l = 0; l < width; l++) {
        snprintf(lanes + strlen(lanes), sizeof lanes - strlen(lanes), "%s%u", l ? ", " : "", l);
        snprintf(thirds + strlen(thirds), sizeof thirds - strlen(thirds), "%s%u", l ? ", " : "",
                 l % 3);
    }
    snprintf(text, sizeof text,
             "%s%s%s\n"
             "typedef %s T;\n"
             "kernel void peak(global T *out, int steps) {\n"
             "    uint i = get_global_id(0);\n"
             "    T x = (T)(%s) + (T)((%s)(i & 15));\n"
             "    T y = (T)((%s)(%s)), z = (T)(%s);\n"
             "    for (int s = 0; s < steps; s += 4) {\n"
             "        x = x * y + z;\n"
             "        x = x * y + (z + (T)(1));\n"
             "        x = x * y + (z + (T)(2));\n"
             "        x = x * y + (z + (T)(3));\n"
             "    }\n"
             "    out[i] = x;\n"
             "}\n",
             t->extension ? "#pragma OPENCL EXTENSION " : "", t->extension ? t->extension : "",
             t->extension ? " : enable" : "", vector, lanes, t->name, t->name,
             t->is_float ? "i & 1 ? -1 : 1" : "i * 77 + 3", thirds);
    const char *source = text;
    cl_int err;
    cl_program p = clCreateProgramWithSource(ctx, 1, &source, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    err = clBuildProgram(p, 1, &dev, "", NULL, NULL);
    CHECKF(err == CL_SUCCESS, "%s: %d", vector, err);
    cl_kernel k = clCreateKernel(p, "peak", &err);
    REQUIRE(err == CL_SUCCESS);
    const cl_int steps = STEPS; /* not known to the compiler, which would unroll for ever */
    const size_t items = ITEMS, local = 64, bytes = (size_t)ITEMS * width * t->size;
    cl_mem mem = clCreateBuffer(ctx, CL_MEM_READ_WRITE, bytes, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    CHECK(clSetKernelArg(k, 0, sizeof mem, &mem) == CL_SUCCESS);
    CHECK(clSetKernelArg(k, 1, sizeof steps, &steps) == CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, &local, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, bytes, out, 0, NULL, NULL) == CL_SUCCESS);
    for (unsigned i = 0; i < ITEMS; i++) {
        for (unsigned l = 0; l < width; l++) {
            const int64_t got = element(t, out + ((size_t)i * width + l) * t->size);
            const int64_t want = expected(t, i, l);
            CHECKF(got == want, "%s: item %u lane %u: %lld, not %lld", vector, i, l, (long long)got,
                   (long long)want);
        }
    }
    clReleaseMemObject(mem);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

int main(void)
{
    if (access("/etc/OpenCL/vendors/intel.icd", R_OK) != 0)
        SKIP("Intel's OpenCL driver (intel-opencl-icd) is not installed");
    cl_platform_id platform;
    cl_int err;
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &dev, NULL) == CL_SUCCESS);
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    queue = clCreateCommandQueue(ctx, dev, 0, &err);
    REQUIRE(err == CL_SUCCESS);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        CHECKF(has_extension(types[i].extension), "%s", types[i].extension);
        for (unsigned width = 1; width <= 16; width *= 2) {
            if (width == 4 || i == 0) /* all widths of float; a build takes half a second */
                run(&types[i], width);
        }
    }
    clReleaseCommandQueue(queue);
    clReleaseContext(ctx);
    return utest_end();
}
