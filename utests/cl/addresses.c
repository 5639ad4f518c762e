/* Where buffers lie, as kernels see it: never at address 0; and where the GPU has 31-bit addresses,
 * which kernels reach by two windows of 1 GiB, never across 1 GiB: an access of several dwords
 * there would be wrong. Buffers of more than 1 GiB together, so that one would lie across if nobody
 * took care.
 */
#include "clu.h"

enum { BUFFERS = 3, WINDOW = 0x40000000 };

int main(void)
{
    clu_open();
    cl_ulong most, global;
    cl_uint bits;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global, NULL));
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL));
    const size_t size = 400u << 20;
    CHECK(size <= most && BUFFERS * size <= global);
    cl_program p = clu_build(
        "kernel void places(global uint *a, global uint *b, global uint *c, global ulong *out,"
        " uint far) {\n"
        "  global uint *volatile where[3] = {a, b, c};\n"
        "  for (int i = 0; i < 3; i++) {\n"
        "    global uint *p = where[i];\n" /* whose, the compiler can't tell */
        "    out[i] = (ulong)(uintptr_t)p;\n"
        "    vstore4((uint4)(i, 1, 2, 3), 0, p);\n"
        "    vstore4((uint4)(4, 5, 6, i), 0, p + far - 4);\n"
        "  }\n"
        "}\n",
        "");
    cl_kernel k = clu_kernel(p, "places");
    cl_mem m[BUFFERS], out = clu_buffer(BUFFERS * 8, NULL);
    for (cl_uint i = 0; i < BUFFERS; i++) {
        m[i] = clu_buffer(size, NULL);
        clu_arg_mem(k, i, m[i]);
    }
    cl_uint far = size / 4;
    clu_arg_mem(k, BUFFERS, out);
    CL(clSetKernelArg(k, BUFFERS + 1, 4, &far));
    clu_run(k, 1, 1);
    cl_ulong at[BUFFERS];
    clu_read(out, sizeof at, at);
    for (cl_uint i = 0; i < BUFFERS; i++) {
        cl_uint got[8];
        CL(clEnqueueReadBuffer(clu_queue, m[i], CL_TRUE, 0, 16, got, 0, NULL, NULL));
        CL(clEnqueueReadBuffer(clu_queue, m[i], CL_TRUE, size - 16, 16, got + 4, 0, NULL, NULL));
        CHECK(got[0] == i && got[1] == 1 && got[2] == 2 && got[3] == 3);
        CHECK(got[4] == 4 && got[5] == 5 && got[6] == 6 && got[7] == i);
        CHECK(at[i] != 0);
        if (bits == 32)
            CHECKF(at[i] >= WINDOW || at[i] + size <= WINDOW, "a buffer at %#llx",
                   (unsigned long long)at[i]);
        for (cl_uint j = 0; j < i; j++)
            CHECK(at[i] >= at[j] + size || at[j] >= at[i] + size);
        CL(clReleaseMemObject(m[i]));
    }
    CL(clReleaseMemObject(out));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
    clu_close();
    return utest_end();
}
