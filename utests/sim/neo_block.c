/* Intel's own OpenCL driver, unmodified, on the simulated device: the image blocks of
 * cl_intel_subgroups and cl_intel_subgroups_short, which it makes media block messages of. Expected
 * values follow from the extensions' text. Skipped where the driver is not installed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <unistd.h>

#include "utest.h"

enum { W = 64, H = 24, ITEMS = 64, BLOCKS = 6 };

/* Sub-group g copies a block from byte 32 g + 16 of row g on, to one row further down and 16 bytes
 * to the left. What each item got goes to `o`. */
static const char source[] =
    "#define G get_sub_group_id()\n"
    "#define L get_sub_group_local_id()\n"
    "#define COPY(name, type, read, write, store)\\\n"
    "  kernel void name(read_only image2d_t a, write_only image2d_t b, global uint *o, global uint "
    "*width) {\\\n"
    "    int2 at = (int2)(32 * G + 16, G);\\\n"
    "    type v = read(a, at);\\\n"
    "    write(b, at + (int2)(-16, 1), v);\\\n"
    "    uint i = get_global_id(0);\\\n"
    "    width[0] = get_max_sub_group_size();\\\n"
    "    store;\\\n"
    "  }\n"
    "COPY(copy1, uint, intel_sub_group_block_read, intel_sub_group_block_write, o[i] = v)\n"
    "COPY(copy2, uint2, intel_sub_group_block_read2, intel_sub_group_block_write2, "
    "vstore2(v, i, o))\n"
    "COPY(copy4, uint4, intel_sub_group_block_read4, intel_sub_group_block_write4, "
    "vstore4(v, i, o))\n"
    "COPY(copy8, uint8, intel_sub_group_block_read8, intel_sub_group_block_write8, "
    "vstore8(v, i, o))\n"
    "COPY(copy_us1, ushort, intel_sub_group_block_read_us, intel_sub_group_block_write_us, "
    "o[i] = v)\n"
    "COPY(copy_us4, ushort4, intel_sub_group_block_read_us4, intel_sub_group_block_write_us4, "
    "vstore4(convert_uint4(v), i, o))\n";

static const struct {
    const char *name;
    unsigned rows, size; /* blocks of rows; bytes of an element */
} kernels[BLOCKS] = {{"copy1", 1, 4}, {"copy2", 2, 4},    {"copy4", 4, 4},
                     {"copy8", 8, 4}, {"copy_us1", 1, 2}, {"copy_us4", 4, 2}};

static cl_context ctx;
static cl_command_queue queue;
static cl_program program;
static cl_int err;
static uint8_t in[H][4 * W], out[H][4 * W], want[H][4 * W];

static cl_mem image(cl_mem_flags flags, void *data)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_mem m = clCreateImage(ctx, flags | CL_MEM_COPY_HOST_PTR, &format, &desc, data, &err);
    REQUIRE(err == CL_SUCCESS);
    return m;
}

static void test(unsigned k)
{
    static uint32_t got[ITEMS * 8];
    const size_t items = ITEMS, origin[3] = {0}, region[3] = {W, H, 1};
    unsigned rows = kernels[k].rows, size = kernels[k].size;
    uint32_t simd = 0;
    cl_mem a = image(CL_MEM_READ_ONLY, in), b = image(CL_MEM_READ_WRITE, out);
    cl_mem o = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    cl_mem width = clCreateBuffer(ctx, CL_MEM_READ_WRITE, 4, NULL, &err);
    const cl_mem args[4] = {a, b, o, width};
    cl_kernel kernel = clCreateKernel(program, kernels[k].name, &err);
    REQUIRE(err == CL_SUCCESS);
    for (cl_uint i = 0; i < 4; i++)
        CHECK(clSetKernelArg(kernel, i, sizeof args[i], &args[i]) == CL_SUCCESS);
    err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    CHECKF(err == CL_SUCCESS, "%s: %d", kernels[k].name, err);
    CHECK(clEnqueueReadBuffer(queue, o, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(queue, width, CL_TRUE, 0, 4, &simd, 0, NULL, NULL) == CL_SUCCESS);
    err = clEnqueueReadImage(queue, b, CL_TRUE, origin, region, 0, 0, want, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS && (simd == 8 || simd == 16 || simd == 32));
    static uint8_t now[H][4 * W];
    memcpy(now, want, sizeof now);
    memcpy(want, out, sizeof want);
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned g = i / simd, l = i % simd;
        for (unsigned r = 0; r < rows; r++) {
            uint32_t v = 0;
            memcpy(&v, &in[g + r][32 * g + 16 + l * size], size);
            CHECKF(got[i * rows + r] == v, "%s item %u row %u: 0x%x, not 0x%x", kernels[k].name, i,
                   r, got[i * rows + r], v);
        }
    }
    /* Where blocks overlap they agree: each byte comes from 16 to the right in the row above. */
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned g = i / simd, l = i % simd;
        for (unsigned r = 0; r < rows; r++)
            memcpy(&want[g + 1 + r][32 * g + l * size], &in[g + r][32 * g + 16 + l * size], size);
    }
    CHECKF(memcmp(now, want, sizeof now) == 0, "%s: the image written", kernels[k].name);
    for (unsigned i = 0; i < 4; i++)
        clReleaseMemObject(args[i]);
    clReleaseKernel(kernel);
}

int main(void)
{
    const char *text = source, *vendors = getenv("OCL_ICD_VENDORS");
    cl_platform_id platform;
    cl_device_id dev;
    cl_uint n = 0;
    REQUIRE(vendors);
    if (access(vendors, R_OK) != 0)
        SKIP("Intel's OpenCL driver (intel-opencl-icd) is not installed");
    REQUIRE(clGetPlatformIDs(1, &platform, &n) == CL_SUCCESS && n == 1);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &dev, &n) == CL_SUCCESS);
    ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    queue = clCreateCommandQueue(ctx, dev, 0, &err);
    program = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    err = clBuildProgram(program, 1, &dev, "-cl-std=CL1.2", NULL, NULL);
    if (err != CL_SUCCESS) {
        static char log[4096];
        clGetProgramBuildInfo(program, dev, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    REQUIRE(err == CL_SUCCESS);
    for (unsigned y = 0; y < H; y++) {
        for (unsigned x = 0; x < 4 * W; x++) {
            in[y][x] = y * 37 + x * 11 + (x >> 5);
            out[y][x] = 0xee;
        }
    }
    for (unsigned k = 0; k < BLOCKS; k++)
        test(k);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(ctx);
    return utest_end();
}
