/* Ranges of so many threads that the driver runs them in several launches, since it does not know
 * yet how long they take: every work-item runs once and sees the ids of the whole range; the event
 * ends with the last, with times that hold the whole; what follows sees it all. With groups that
 * the kernel sees, and with those that it can't tell.
 */
#include "clu.h"

static const char source[] =
    "kernel void seen(global uint *out, local uint *l) {\n"
    "  size_t i = get_local_linear_id();\n"
    "  size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) "
    "+ get_group_id(0);\n"
    "  size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) "
    "+ get_global_id(0);\n"
    "  l[i] = group * 1000 + i;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[at] += l[63 - i];\n"
    "}\n"
    "kernel void unseen(global uint *out) {\n"
    "  size_t at = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + "
    "get_global_id(1)) * "
    "get_global_size(0) + get_global_id(0);\n"
    "  out[at] += get_global_id(2) * 7 + 1;\n"
    "}\n"
    "kernel void twice(global uint *out) { out[get_global_id(0)] *= 2; }\n";

static cl_command_queue queue;
static cl_program program;

/* Runs the kernel on zeros, and then `twice`; gives the outcome, malloc'ed. */
static uint32_t *run(cl_kernel k, const size_t *offset, const size_t *global, const size_t *local)
{
    size_t n = global[0] * global[1] * global[2];
    uint32_t *out = calloc(n, 4);
    REQUIRE(out);
    cl_mem m = clu_buffer(n * 4, out);
    cl_kernel t = clu_kernel(program, "twice");
    cl_event ev;
    cl_ulong times[4];
    clu_arg_mem(k, 0, m);
    clu_arg_mem(t, 0, m);
    CL(clEnqueueNDRangeKernel(queue, k, 3, offset, global, local, 0, NULL, &ev));
    CL(clEnqueueNDRangeKernel(queue, t, 1, NULL, &n, NULL, 0, NULL, NULL));
    CL(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, n * 4, out, 0, NULL, NULL));
    for (unsigned i = 0; i < 4; i++)
        CL(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i],
                                   NULL));
    CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3]);
    CL(clReleaseEvent(ev));
    CL(clReleaseKernel(t));
    CL(clReleaseMemObject(m));
    return out;
}

static void seen(const size_t groups[3], const size_t local[3])
{
    size_t global[3] = {groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
    cl_kernel k = clu_kernel(program, "seen");
    CL(clSetKernelArg(k, 1, 64 * 4, NULL));
    uint32_t *out = run(k, NULL, global, local);
    unsigned bad = 0;
    for (size_t z = 0; z < global[2]; z++)
        for (size_t y = 0; y < global[1]; y++)
            for (size_t x = 0; x < global[0]; x++) {
                size_t i = ((z % local[2]) * local[1] + y % local[1]) * local[0] + x % local[0];
                size_t group =
                    ((z / local[2]) * groups[1] + y / local[1]) * groups[0] + x / local[0];
                bad += out[(z * global[1] + y) * global[0] + x] != 2 * (group * 1000 + 63 - i);
            }
    CHECKF(bad == 0, "%u wrong of %zu x %zu x %zu groups", bad, groups[0], groups[1], groups[2]);
    free(out);
    CL(clReleaseKernel(k));
}

static void unseen(const size_t global[3])
{
    const size_t offset[3] = {0, 0, 5};
    cl_kernel k = clu_kernel(program, "unseen");
    uint32_t *out = run(k, offset, global, NULL);
    unsigned bad = 0;
    for (size_t i = 0; i < global[0] * global[1] * global[2]; i++)
        bad += out[i] != 2 * ((i / (global[0] * global[1]) + 5) * 7 + 1);
    CHECKF(bad == 0, "%u wrong of %zu x %zu x %zu items", bad, global[0], global[1], global[2]);
    free(out);
    CL(clReleaseKernel(k));
}

int main(void)
{
    static const size_t groups[][3] = {{9001, 1, 1}, {95, 101, 1}, {13, 29, 25}, {1, 1, 9001}};
    static const size_t local[][3] = {{64, 1, 1}, {8, 8, 1}, {16, 2, 2}, {4, 4, 4}};
    cl_int e;
    clu_open();
    queue = clCreateCommandQueue(clu_context, clu_device, CL_QUEUE_PROFILING_ENABLE, &e);
    CL(e);
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        program = clu_build(source, "-cl-std=CL3.0");
        seen(groups[i], local[i]);
        seen(groups[i], local[i]); /* it has been measured */
        CL(clReleaseProgram(program));
    }
    program = clu_build(source, "-cl-std=CL3.0");
    unseen((size_t[3]){1009, 17, 17}); /* remainders */
    unseen((size_t[3]){300007, 1, 1});
    CL(clReleaseProgram(program));
    CL(clReleaseCommandQueue(queue));
    clu_close();
    return utest_end();
}
