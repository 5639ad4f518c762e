/* A context of two devices: buffers are one memory for both, commands of different devices wait for
 * real ends, programs have a binary for each.
 */
#include "fake_kernels.h"

#include "src/core/device.h"
#include "src/core/object.h"

#include <unistd.h>

static cl_device_id devs[2];

/* Kernels of both devices in turn, each after the one before. */
static void ping_pong(cl_context ctx, cl_program p, cl_mem m, size_t n, const uint32_t *host)
{
    cl_int err;
    cl_command_queue q[2];
    cl_kernel k = clCreateKernel(p, "inc", &err);
    cl_event last = NULL;
    uint32_t *values = calloc(n, 4);
    for (unsigned i = 0; i < 2; i++)
        q[i] = clCreateCommandQueue(ctx, devs[i], 0, &err);
    CHECK(clSetKernelArg(k, 0, sizeof m, &m) == CL_SUCCESS);
    for (unsigned i = 0; i < 101; i++) {
        cl_event ev;
        CHECK(clEnqueueNDRangeKernel(q[i % 2], k, 1, NULL, &n, NULL, last ? 1 : 0,
                                     last ? &last : NULL, &ev) == CL_SUCCESS);
        if (last)
            clReleaseEvent(last);
        last = ev;
    }
    CHECK(clEnqueueReadBuffer(q[1], m, CL_TRUE, 0, n * 4, values, 1, &last, NULL) == CL_SUCCESS);
    unsigned wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += values[i] != (uint32_t)i + 101;
    CHECKF(wrong == 0, "%u wrong", wrong);
    uint32_t *map =
        clEnqueueMapBuffer(q[0], m, CL_TRUE, CL_MAP_READ, 0, n * 4, 0, NULL, NULL, &err);
    CHECK(err == CL_SUCCESS && !memcmp(map, values, n * 4) && (!host || map == host));
    CHECK(clEnqueueUnmapMemObject(q[1], m, map, 0, NULL, NULL) == CL_SUCCESS);
    free(values);
    clReleaseEvent(last);
    clReleaseKernel(k);
    clReleaseCommandQueue(q[0]);
    clReleaseCommandQueue(q[1]);
}

int main(void)
{
    enum { N = 1000 };
    cl_platform_id platform;
    cl_uint n = 0;
    cl_int err, status[2];
    fake_gpu_devices(2);
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 2, devs, &n) == CL_SUCCESS && n == 2);
    cl_device_id listed[3] = {devs[1], devs[0], devs[1]}, got[3];
    cl_context ctx = clCreateContext(NULL, 3, listed, NULL, NULL, &err);
    REQUIRE(err == CL_SUCCESS);
    size_t size, sizes[2];
    CHECK(clGetContextInfo(ctx, CL_CONTEXT_DEVICES, sizeof got, got, &size) == CL_SUCCESS);
    CHECK(size == 2 * sizeof *got && got[0] == devs[1] && got[1] == devs[0]);
    uint8_t *image = fake_binary(&sizes[0]);
    sizes[1] = sizes[0];
    const unsigned char *images[] = {image, image};
    cl_program p = clCreateProgramWithBinary(ctx, 2, devs, sizes, images, status, &err);
    REQUIRE(err == CL_SUCCESS && status[0] == CL_SUCCESS && status[1] == CL_SUCCESS);
    CHECK(clBuildProgram(p, 1, devs, "", NULL, NULL) == CL_SUCCESS);
    cl_build_status build;
    CHECK(clGetProgramBuildInfo(p, devs[1], CL_PROGRAM_BUILD_STATUS, sizeof build, &build, NULL) ==
              CL_SUCCESS &&
          build == CL_BUILD_NONE);
    CHECK(clBuildProgram(p, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "inc", &err);
    CHECK(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL) ==
          CL_INVALID_DEVICE);
    clReleaseKernel(k);

    static uint32_t memory[N + 64] __attribute__((aligned(64)));
    static const unsigned starts[] = {0, 1};
    uint32_t start[N];
    for (unsigned i = 0; i < N; i++)
        start[i] = i;
    for (unsigned delay = 0; delay < 2; delay++) {
        fake_gpu_delay(delay * 100);
        cl_mem m = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof start, start, &err);
        ping_pong(ctx, p, m, N, NULL);
        clReleaseMemObject(m);
        for (unsigned t = 0; t < 2; t++) { /* shared as it is, and through a copy */
            memcpy(memory + starts[t], start, sizeof start);
            m = clCreateBuffer(ctx, CL_MEM_USE_HOST_PTR, sizeof start, memory + starts[t], &err);
            ping_pong(ctx, p, m, N, memory + starts[t]);
            clReleaseMemObject(m);
        }
    }
    free(image);
    clReleaseProgram(p);
    clReleaseContext(ctx);
    for (int i = 0; i < 1000 && object_live(OBJECT_CONTEXT); i++)
        usleep(1000);
    for (int i = OBJECT_CONTEXT; i < OBJECT_N_KINDS; i++)
        CHECKF(object_live(i) == 0, "kind %d: %u alive", i, object_live(i));
    CHECK(fake_gpu_live_bos() == 0);
    return utest_end();
}
