/* Halves, where the device has arithmetic on them: operations and conversions to the bit, the
 * built-in functions within the error that cl_khr_fp16 allows, against long double. Denormals
 * count. Elsewhere neither extension nor arithmetic may be there. */
#include <math.h>

#include "clu.h"

#include <CL/cl_ext.h>

enum { N = 4096 };

static _Float16 in_a[N], in_b[N], in_c[N];
static int32_t in_k[N];

static uint16_t bits_of(_Float16 x)
{
    uint16_t bits;
    memcpy(&bits, &x, 2);
    return bits;
}

static _Float16 of_bits(uint16_t bits)
{
    _Float16 x;
    memcpy(&x, &bits, 2);
    return x;
}

/* Every 16th half, at another place each time; the others random, some near the first. */
static void make_inputs(void)
{
    for (int i = 0; i < N; i++) {
        in_a[i] = of_bits((uint16_t)(16 * i + i * 7 % 16));
        in_b[i] = of_bits(
            (uint16_t)(i % 2 ? clu_random() : bits_of(in_a[i]) + clu_random() % 4096 - 2048));
        in_c[i] = of_bits((uint16_t)clu_random());
        in_k[i] = (int32_t)(clu_random() >> (32 + clu_random() % 32)) * (i % 2 ? 1 : -1);
    }
}

/* ---- to the bit ---- */

enum mode { RTE, RTZ, RTP, RTN };

/* x rounded once. */
static _Float16 rounded(long double x, enum mode mode)
{
    _Float16 h = (_Float16)x;
    uint16_t bits = bits_of(h);
    bool up = (long double)h<x, down = (long double)h> x, negative = bits >> 15;
    if (mode == RTE || isnan(x) || (!up && !down))
        return h;
    bool want_up = mode == RTP || (mode == RTZ && x < 0);
    if (want_up && up)
        return negative ? of_bits(bits - 1) : of_bits(bits + 1);
    if (!want_up && down)
        return negative ? of_bits(bits + 1) : of_bits(bits - 1);
    return h;
}

static int64_t sat(long double x, long double low, long double high)
{
    return isnan(x) ? 0 : (int64_t)(x < low ? low : x > high ? high : x);
}

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

#define H(name, cl, host)                                                                          \
    static int64_t ref_##name(_Float16 ha, _Float16 hb, _Float16 hc, int32_t k)                    \
    {                                                                                              \
        long double a = ha, b = hb, c = hc;                                                        \
        (void)a, (void)b, (void)c, (void)k;                                                        \
        return bits_of(host);                                                                      \
    }
#define I(name, cl, host)                                                                          \
    static int64_t ref_##name(_Float16 ha, _Float16 hb, _Float16 hc, int32_t k)                    \
    {                                                                                              \
        long double a = ha, b = hb, c = hc;                                                        \
        (void)a, (void)b, (void)c, (void)k;                                                        \
        return host;                                                                               \
    }
#include "half.def"
#undef H
#undef I

static const struct row {
    const char *name, *cl;
    bool is_half;
    int64_t (*ref)(_Float16, _Float16, _Float16, int32_t);
} rows[] = {
#define H(name, cl, host) {#name, #cl, true, ref_##name},
#define I(name, cl, host) {#name, #cl, false, ref_##name},
#include "half.def"
#undef H
#undef I
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool same(const struct row *r, int64_t got, int64_t want)
{
    if (got == want)
        return true;
    return r->is_half && isnan((float)of_bits((uint16_t)got)) &&
           isnan((float)of_bits((uint16_t)want));
}

static void check_rows(unsigned first, unsigned n)
{
    static char source[65536];
    static int64_t got[N];
    cl_mem in[4] = {clu_buffer(sizeof(in_a), in_a), clu_buffer(sizeof(in_b), in_b),
                    clu_buffer(sizeof(in_c), in_c), clu_buffer(sizeof(in_k), in_k)};
    cl_mem out = clu_buffer(sizeof(got), NULL);
    size_t at = (size_t)snprintf(source, sizeof(source),
                                 "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                                 "half vstored(half a, half b)\n"
                                 "{ half r[2]; vstore2((half2)(a, b), 0, r); return r[1]; }\n"
                                 "half vloaded(half a, half b, half c)\n"
                                 "{ half r[3] = {a, b, c}; return vload3(0, r).s2; }\n");

    for (unsigned i = first; i < first + n; i++)
        at += (size_t)snprintf(
            source + at, sizeof(source) - at,
            "__kernel void %s_row(__global long *dst, __global const half *A, __global const half "
            "*B,\n"
            "  __global const half *C, __global const int *K)\n"
            "{\n#pragma OPENCL FP_CONTRACT OFF\n"
            "  size_t i = get_global_id(0); half a = A[i], b = B[i], c = C[i]; int k = K[i];\n"
            "  dst[i] = %s(%s);\n}\n",
            rows[i].name, rows[i].is_half ? "as_ushort" : "", rows[i].cl);
    cl_program p = clu_build(source, "");
    for (unsigned i = first; i < first + n; i++) {
        const struct row *r = &rows[i];
        unsigned wrong = 0;
        char name[64];
        snprintf(name, sizeof(name), "%s_row", r->name);
        cl_kernel k = clu_kernel(p, name);
        clu_arg_mem(k, 0, out);
        for (unsigned m = 0; m < 4; m++)
            clu_arg_mem(k, 1 + m, in[m]);
        clu_run(k, N, 0);
        clu_read(out, sizeof(got), got);
        for (int j = 0; j < N; j++) {
            int64_t want = r->ref(in_a[j], in_b[j], in_c[j], in_k[j]);
            if (!same(r, got[j], want) && !wrong++)
                fprintf(stderr, "%s(%a, %a, %a, %d): got %llx, not %llx\n", r->name,
                        (double)in_a[j], (double)in_b[j], (double)in_c[j], in_k[j],
                        (unsigned long long)got[j], (unsigned long long)want);
        }
        if (wrong)
            fprintf(stderr, "%s: %u of %d wrong\n", r->name, wrong, N);
        CHECK(!wrong);
        CL(clReleaseKernel(k));
    }
    CL(clReleaseProgram(p));
    for (unsigned m = 0; m < 4; m++)
        CL(clReleaseMemObject(in[m]));
    CL(clReleaseMemObject(out));
}

/* ---- functions ---- */

static const long double pi = 3.14159265358979323846264338327950288L;
static long double ref_rsqrt(long double x)
{
    return 1 / sqrtl(x);
}
static long double ref_exp10(long double x)
{
    return powl(10, x);
}
static long double ref_sinpi(long double x)
{
    long double r = fmodl(fabsl(x), 2);
    return copysignl(1, x) * (r == 0 || r == 1 ? 0 : sinl(pi * r));
}
static long double ref_cospi(long double x)
{
    long double r = fmodl(fabsl(x), 2);
    return r == 0.5L || r == 1.5L ? 0 : cosl(pi * r);
}
static long double ref_acospi(long double x)
{
    return acosl(x) / pi;
}
static long double ref_asinpi(long double x)
{
    return asinl(x) / pi;
}
static long double ref_atanpi(long double x)
{
    return atanl(x) / pi;
}
static long double ref_atan2pi(long double y, long double x)
{
    return atan2l(y, x) / pi;
}
static long double ref_tanpi(long double x)
{
    long double r = fmodl(x, 1);
    if (r == 0)
        return copysignl(0, fmodl(x, 2) == 0 ? x : -x);
    if (fabsl(r) == 0.5L)
        return copysignl(INFINITY, fmodl(fabsl(x), 2) == 0.5L ? x : -x);
    return tanl(pi * r);
}
static long double ref_degrees(long double x)
{
    return x * 180 / pi;
}
static long double ref_radians(long double x)
{
    return x * pi / 180;
}
/* Of the nearest int. */
static long double ref_pown(long double x, long double y)
{
    return powl(x, isnan(y) ? 0 : isinf(y) ? copysignl(2147483647, y) : rintl(y));
}
static long double ref_rootn(long double x, long double y)
{
    long double n = isnan(y) ? 0 : isinf(y) ? copysignl(2147483647, y) : rintl(y);
    bool even = fmodl(n, 2) == 0;
    if (isinf(y)) /* the largest and the least int differ in this */
        even = y < 0;
    if (n == 0 || (even && x < 0))
        return NAN;
    long double r = powl(fabsl(x), 1 / n);
    return even ? r : copysignl(r, x);
}
/* Not defined below 0, and not of 1 to an infinity, 0 to 0, infinity to 0. */
static long double ref_powr(long double x, long double y)
{
    bool none =
        x < 0 || isnan(x) || isnan(y) || (x == 1 && isinf(y)) || (y == 0 && (x == 0 || isinf(x)));
    return none ? NAN : powl(fabsl(x), y);
}
static long double ref_div(long double x, long double y)
{
    return x / y;
}

static const struct fn {
    const char *name, *cl;
    long double (*one)(long double);
    long double (*two)(long double, long double);
    double ulp;
} fns[] = {
    {"acos", "acos(a)", acosl, 0, 2},
    {"acosh", "acosh(a)", acoshl, 0, 2},
    {"acospi", "acospi(a)", ref_acospi, 0, 2},
    {"asin", "asin(a)", asinl, 0, 2},
    {"asinh", "asinh(a)", asinhl, 0, 2},
    {"atan", "atan(a)", atanl, 0, 2},
    {"atanh", "atanh(a)", atanhl, 0, 2},
    {"cbrt", "cbrt(a)", cbrtl, 0, 2},
    {"cos", "cos(a)", cosl, 0, 2},
    {"cosh", "cosh(a)", coshl, 0, 2},
    {"cospi", "cospi(a)", ref_cospi, 0, 2},
    {"erf", "erf(a)", erfl, 0, 4},
    {"erfc", "erfc(a)", erfcl, 0, 4},
    {"exp", "exp(a)", expl, 0, 2},
    {"exp2", "exp2(a)", exp2l, 0, 2},
    {"exp10", "exp10(a)", ref_exp10, 0, 2},
    {"expm1", "expm1(a)", expm1l, 0, 2},
    {"log", "log(a)", logl, 0, 2},
    {"log2", "log2(a)", log2l, 0, 2},
    {"log10", "log10(a)", log10l, 0, 2},
    {"log1p", "log1p(a)", log1pl, 0, 2},
    {"rsqrt", "rsqrt(a)", ref_rsqrt, 0, 1},
    {"sin", "sin(a)", sinl, 0, 2},
    {"sinh", "sinh(a)", sinhl, 0, 2},
    {"sinpi", "sinpi(a)", ref_sinpi, 0, 2},
    {"sqrt", "sqrt(a)", sqrtl, 0, 1.5},
    {"tan", "tan(a)", tanl, 0, 2.5},
    {"tanh", "tanh(a)", tanhl, 0, 2},
    {"tgamma", "tgamma(a)", tgammal, 0, 4},
    {"atan2", "atan2(a, b)", 0, atan2l, 2},
    {"hypot", "hypot(a, b)", 0, hypotl, 2},
    {"pow", "pow(a, b)", 0, powl, 4},
    {"divide", "a / b", 0, ref_div, 1},
    {"asinpi", "asinpi(a)", ref_asinpi, 0, 2},
    {"atanpi", "atanpi(a)", ref_atanpi, 0, 2},
    {"atan2pi", "atan2pi(a, b)", 0, ref_atan2pi, 2},
    {"tanpi", "tanpi(a)", ref_tanpi, 0, 2},
    {"degrees", "degrees(a)", ref_degrees, 0, 2},
    {"radians", "radians(a)", ref_radians, 0, 2},
    {"pown", "pown(a, convert_int_sat_rte(b))", 0, ref_pown, 4},
    {"powr", "powr(a, b)", 0, ref_powr, 4},
    {"rootn", "rootn(a, convert_int_sat_rte(b))", 0, ref_rootn, 4},
    {"lgamma", "lgamma(a)", lgammal, 0, 4},
    {"lgamma_r", "lgamma_r(a, &k)", lgammal, 0, 4},
    {"sincos", "sincos(a, &b)", sinl, 0, 2},
    {"sincos_second", "(sincos(a, &b), b)", cosl, 0, 2},
};
enum { N_FNS = sizeof(fns) / sizeof(fns[0]) };

static double error(_Float16 got, long double want)
{
    if (isnan(want))
        return isnan((float)got) ? 0 : INFINITY;
    _Float16 near = (_Float16)want;
    if (bits_of(got) == bits_of(near) || (got == 0 && near == 0))
        return 0;
    if (isnan((float)got) || signbit((float)got) != signbit((float)near))
        return INFINITY;
    long double g = isinf((float)got) ? copysignl(65536, got) : (long double)got;
    if (isinf((float)got) && fabsl(want) > 65504)
        return 1;
    int e = near == 0 ? -14 : isinf((float)near) ? 15 : ilogbl(near);
    if (isinf(want))
        want = copysignl(65536, want);
    return (double)fabsl(ldexpl(g - want, 10 - (e < -14 ? -14 : e)));
}

/* Functions of one half of all there are; of two, of N pairs. */
static void check_fns(void)
{
    enum { ALL = 65536 };
    static char source[16384];
    static _Float16 all[ALL], other[ALL], got[ALL];
    for (int i = 0; i < ALL; i++) {
        all[i] = of_bits((uint16_t)i);
        other[i] = i < N ? in_b[i] : 0;
    }
    cl_mem in[2] = {clu_buffer(sizeof(all), all), clu_buffer(sizeof(other), other)};
    cl_mem pairs = clu_buffer(sizeof(in_a), in_a);
    cl_mem out = clu_buffer(sizeof(got), NULL);
    size_t at =
        (size_t)snprintf(source, sizeof(source), "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (unsigned i = 0; i < N_FNS; i++)
        at += (size_t)snprintf(
            source + at, sizeof(source) - at,
            "__kernel void %s_fn(__global half *r, __global half *A, __global half *B)\n"
            "{ size_t i = get_global_id(0); int k; half a = A[i], b = B[i]; r[i] = %s; }\n",
            fns[i].name, fns[i].cl);
    cl_program p = clu_build(source, "");
    for (unsigned i = 0; i < N_FNS; i++) {
        const struct fn *f = &fns[i];
        double worst = 0;
        int where = 0;
        char name[64];
        snprintf(name, sizeof(name), "%s_fn", f->name);
        cl_kernel k = clu_kernel(p, name);
        clu_arg_mem(k, 0, out);
        clu_arg_mem(k, 1, f->one ? in[0] : pairs);
        clu_arg_mem(k, 2, in[1]);
        const _Float16 *a = f->one ? all : in_a;
        int n = f->one ? ALL : N;
        clu_run(k, n, 0);
        clu_read(out, sizeof(got), got);
        for (int j = 0; j < n; j++) {
            double e = error(got[j], f->one ? f->one(a[j]) : f->two(a[j], other[j]));
            if (e > worst) {
                worst = e;
                where = j;
            }
        }
        printf("%-8s %.3g of %g ulp\n", f->name, worst, f->ulp);
        if (worst > f->ulp)
            fprintf(stderr, "%s(%a, %a) is %a: %g ulp\n", f->name, (double)a[where],
                    (double)other[where], (double)got[where], worst);
        CHECK(worst <= f->ulp);
        CL(clReleaseKernel(k));
    }
    CL(clReleaseProgram(p));
    CL(clReleaseMemObject(out));
    CL(clReleaseMemObject(pairs));
    CL(clReleaseMemObject(in[0]));
    CL(clReleaseMemObject(in[1]));
}

/* Images read and written as halves. */
static void check_images(void)
{
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "__kernel void f(read_only image2d_t from, write_only image2d_t to, __global half4 *p)\n"
        "{ const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
        "CLK_FILTER_NEAREST;\n"
        "  int i = get_global_id(0); int2 at = (int2)(i % 8, i / 8);\n"
        "  half4 x = read_imageh(from, at); p[i] = read_imageh(from, s, convert_float2(at) + "
        "0.5f);\n"
        "  write_imageh(to, at, x.wzyx); }\n";
    enum { SIDE = 8, N_TEXELS = SIDE * SIDE };
    cl_image_format format = {CL_RGBA, CL_HALF_FLOAT};
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    static _Float16 in[N_TEXELS][4], out[N_TEXELS][4], plain[N_TEXELS][4];
    size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
    cl_int e;
    cl_bool images;

    CL(clGetDeviceInfo(clu_device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    if (!images)
        return;
    for (int i = 0; i < 4 * N_TEXELS; i++)
        in[i / 4][i % 4] = (_Float16)(i * 0.25f - 31);
    cl_mem from =
        clCreateImage(clu_context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, in, &e);
    CL(e);
    cl_mem to = clCreateImage(clu_context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &e);
    CL(e);
    cl_mem buffer = clu_buffer(sizeof(plain), NULL);
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "f");
    clu_arg_mem(k, 0, from);
    clu_arg_mem(k, 1, to);
    clu_arg_mem(k, 2, buffer);
    clu_run(k, N_TEXELS, 0);
    CL(clEnqueueReadImage(clu_queue, to, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
    clu_read(buffer, sizeof(plain), plain);
    for (int i = 0; i < 4 * N_TEXELS; i++) {
        CHECK(plain[i / 4][i % 4] == in[i / 4][i % 4]);
        CHECK(out[i / 4][i % 4] == in[i / 4][3 - i % 4]);
    }
    CL(clReleaseMemObject(from));
    CL(clReleaseMemObject(to));
    CL(clReleaseMemObject(buffer));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

/* Without the extension arithmetic is an error. */
static void check_refused(void)
{
    const char *source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                         "__kernel void f(__global half *p) { *p = *p * *p; }\n";
    cl_int e;
    cl_program p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &e);
    CL(e);
    CHECK(clBuildProgram(p, 1, &clu_device, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
    CL(clReleaseProgram(p));
}

int main(void)
{
    static char extensions[4096];
    cl_device_fp_config config = 0;
    enum { BATCH = 24 };

    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    bool has = strstr(extensions, "cl_khr_fp16");
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_HALF_FP_CONFIG, sizeof(config), &config, NULL));
    CHECK(has == (config != 0));
    if (has) {
        make_inputs();
        for (unsigned i = 0; i < N_ROWS; i += BATCH)
            check_rows(i, i + BATCH < N_ROWS ? BATCH : N_ROWS - i);
        check_fns();
        check_images();
    } else {
        check_refused();
    }
    clu_close();
    return utest_end();
}
