/* What utests/cl/spirv.c runs, compiled to SPIR-V by Clang and Khronos' translator. */
struct pair {
    int a;
    float4 b;
};

__constant float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};

__attribute__((noinline)) float entry(__global const float *p, int i)
{
    return p[i] * table[i & 3];
}

/* out[i] = in[15 - lid of its group] * table[...] + v.a + v.b.y; count[0] += 1 each, count[1] = greatest id */
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void
mixed(__global float *out, __global const float *in, struct pair v, __local float *l,
      volatile __global int *count, uint n)
{
    int i = get_global_id(0);
    l[get_local_id(0)] = entry(in, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[15 - get_local_id(0)] + (float)v.a + v.b.y;
    atomic_inc(count);
    atomic_max(count + 1, i < (int)n ? i : 0);
}

#ifdef __OPTIMIZE__ /* at -O0 the translator (15) makes no module of functions with images */
__attribute__((noinline)) float4 pixel(__read_only image2d_t im, sampler_t s, int2 p)
{
    return read_imagef(im, s, convert_float2(p) + 0.5f);
}

__constant sampler_t fixed =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

/* The image turned by a quarter, by a sampler argument and a constant one. */
__kernel void turn(__read_only image2d_t im, __write_only image2d_t to, sampler_t s,
                   __global int *sizes)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 a = pixel(im, s, p), b = read_imagef(im, fixed, p);
    write_imagef(to, (int2)(p.y, p.x), (a + b) * 0.5f);
    if (p.x == 0 && p.y == 0) {
        sizes[0] = get_image_width(im);
        sizes[1] = get_image_height(im);
        sizes[2] = get_image_width(to);
    }
}
#endif

/* out = in, by way of local memory. */
__kernel void copies(__global float4 *out, __global const float4 *in, __local float4 *l)
{
    event_t e = async_work_group_copy(l, in + get_group_id(0) * get_local_size(0),
                                      get_local_size(0), (event_t)0);
    wait_group_events(1, &e);
    e = async_work_group_copy(out + get_group_id(0) * get_local_size(0), l, get_local_size(0), e);
    wait_group_events(1, &e);
}

/* Functions of each kind, whose results are whole numbers. */
__kernel void functions(__global int *out, __global const int *in)
{
    int4 v = vload4(0, in);
    float4 f = convert_float4(v);
    out[0] = popcount(v.x);
    out[1] = mul_hi(v.x << 20, v.y << 20);
    out[2] = clamp(v.z, 0, 3);
    out[3] = rotate(v.x, 30);
    out[4] = (int)dot(f, (float4)(1.0f, 2.0f, 3.0f, 4.0f));
    out[5] = convert_char_sat(v.w * 100);
    out[6] = (int)sqrt((float)(v.x * v.x));
    out[7] = any(v < 0);
    vstore4(select(v, -v, v > 2), 2, out);
    out[12] = as_int(fabs(-2.0f));
    out[13] = upsample((short)v.x, (ushort)v.y);
    out[14] = isnan(f.x);
    out[15] = (int)fma(f.x, f.y, f.z);
}

double square(double x)
{
    return x * x;
}

__kernel void doubles(__global double *x)
{
    x[get_global_id(0)] = square(x[get_global_id(0)]) + 0.5;
}

#ifdef LINKED /* with a program in OpenCL C that has the function */
int elsewhere(int x);
__kernel void linked(__global int *x)
{
    x[get_global_id(0)] = elsewhere(x[get_global_id(0)]);
}
#endif
