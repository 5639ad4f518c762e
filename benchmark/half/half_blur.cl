// 3x3 blur of halves: nine loads and multiply-adds for a store.
//@ kernel half_blur
//@ global 256 128
//@ local 16 8
//@ arg in in half 33540
//@ arg out out half 32768
//@ arg width scalar int 256
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void half_blur(__global const half *in, __global half *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    __global const half *p = in + y * (width + 2) + x;
    const half w[9] = {0.0625h, 0.125h, 0.0625h, 0.125h, 0.25h, 0.125h, 0.0625h, 0.125h, 0.0625h};
    half sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += w[3 * j + i] * p[j * (width + 2) + i];
    out[y * width + x] = sum;
}
