/* Compiled by Intel's compiler for eu_ocloc.c: something of every kind of instruction. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void arithmetic(global int *p, global float *q, global double *d, global long *l,
                       global half *h, global char *c, global short *s, int n)
{
    int i = get_global_id(0);
    p[i] = p[i] / n + p[i] % n + mul_hi(p[i], n) + clz(p[i]) + popcount(p[i]) + rotate(p[i], n) +
           add_sat(p[i], n) + abs_diff(p[i], n);
    q[i] = sqrt(q[i]) / q[i + 1] + sin(q[i]) + exp(q[i]) * log(q[i]) + pow(q[i], q[i + 2]) +
           fma(q[i], q[i + 1], q[i + 2]) + convert_float_rtz(l[i]) + fmod(q[i], 3.3f) + floor(q[i]);
    d[i] = d[i] / d[i + 1] + sqrt(d[i]) + fma(d[i], d[i + 1], d[i + 2]) + convert_double(l[i]);
    l[i] = l[i] * l[i + 1] + l[i] / l[i + 2] + (l[i] >> n) + (l[i] << 3) + convert_long(q[i]) +
           convert_long_sat(d[i]) + min(l[i], l[i + 1]);
    h[i] = h[i] * h[i + 1] + sqrt(h[i]) + (half)q[i] + (half)p[i];
    c[i] = c[i] * c[i + 1] + (char)q[i] + convert_char_sat(p[i]) + hadd(c[i], c[i + 3]) +
           sub_sat(c[i], c[i + 1]);
    s[i] = s[i] * s[i + 1] + convert_short_sat_rte(q[i]) + (s[i] >> n) +
           mad_sat(s[i], s[i + 1], s[i + 2]);
}

kernel void control(global uint4 *p, global float4 *q, global uchar16 *u, local int *m,
                    global int *at, int n)
{
    int i = get_global_id(0), li = get_local_id(0), arr[40];
    m[li] = p[i].x;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[i].y = m[li ^ 1];
    atomic_add(&m[n], 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        if (p[k].x & 1)
            continue;
        if (p[k].y > 9)
            break;
        q[i] += q[k] * q[n];
        while (p[k].z-- > 3)
            q[i].x = rsqrt(q[i].y);
    }
    u[i] = u[i] + convert_uchar16_sat(convert_int16(u[i + 1]) * 3);
    for (int k = 0; k < 40; k++)
        arr[k] = k * n;
    for (int k = 0; k < n; k++)
        arr[(k * n) % 40] += arr[k % 40];
    p[i].z = arr[n % 40];
    switch (n & 7) {
    case 0:
        p[i].x = 1;
        break;
    case 1:
        p[i].x += q[i].x;
    case 2:
        p[i].y = 3;
        break;
    case 5:
        q[i].z = native_sin(q[i].x);
    }
    atomic_max(at, n);
    atomic_cmpxchg(at + 1, n, i);
    atomic_xchg((global float *)(at + 2), 1.5f);
}

kernel void images(read_only image2d_t a, write_only image2d_t b, sampler_t s, read_only image3d_t c)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p, read_imagef(a, s, convert_float2(p) * 0.5f) +
                           read_imagef(c, s, (float4)(1, 2, 3, 0)));
}

kernel void groups(global int *p, global float *f)
{
    int i = get_global_id(0);
    p[i] = work_group_reduce_add(p[i]) + work_group_scan_inclusive_max(p[i + 1]) +
           sub_group_broadcast(p[i], 3);
    f[i] = sub_group_reduce_add(f[i]) + work_group_scan_exclusive_add(f[i]);
}
