// y = a*x + y of halves, four in a work-item.
//@ kernel half_saxpy
//@ global 16384
//@ local 256
//@ arg y inout half 65536
//@ arg x in half 65536
//@ arg a scalar half 2.5
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void half_saxpy(__global half4 *y, __global const half4 *x, half a)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
