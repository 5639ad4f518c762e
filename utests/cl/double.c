/* Doubles: arithmetic, comparisons and conversions to the bit (double.def), the built-in functions
 * against long double within the error that the specification allows (OpenCL C 1.2, 7.4). Denormals
 * count. A device without doubles must not report them. */
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <math.h>

#include "clu.h"

enum { N = 512 };

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

/* ---- inputs ---- */

static double in_a[N], in_b[N], in_c[N], in_s[N], in_t[N], in_u[N];
static int64_t in_n[N];
static int32_t in_k[N];
static float in_f[N];

static double any_double(void)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.5,
                                     1.5,
                                     2.0,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     DBL_MAX,
                                     -DBL_MAX,
                                     DBL_MIN,
                                     -DBL_MIN,
                                     0x1p-1074,
                                     -0x1p-1074,
                                     0x0.fffffffffffffp-1022,
                                     0x1p31,
                                     -0x1p31,
                                     0x1p32,
                                     0x1p63,
                                     -0x1p63,
                                     0x1p64,
                                     0x1p52,
                                     0x1.0000000000001p52,
                                     0x1.fffffffffffffp51,
                                     2147483647.5,
                                     4294967295.5,
                                     0x1.fffffep127,
                                     0x1.ffffffp127,
                                     127.5,
                                     -128.5,
                                     255.5};
    uint64_t r = clu_random();
    if (r % 4 == 0)
        return special[r / 4 % (sizeof(special) / sizeof(special[0]))];
    uint64_t bits = clu_random();
    return of_bits(isnan(of_bits(bits)) ? bits | 1ull << 51 : bits); /* no signaling NaN */
}

/* Between 2^-20 and 2^20, some with few bits, so that sums and products can be exact or tie. */
static double like_double(void)
{
    uint64_t r = clu_random(), m = clu_random() & 0xfffffffffffff;
    if (r % 3 == 0)
        m &= ~0ull << (20 + r / 64 % 32);
    return of_bits((r & 1ull << 63) | (1023 - 20 + r / 8 % 41) << 52 | m);
}

static void make_inputs(void)
{
    for (int i = 0; i < N; i++) {
        in_a[i] = any_double();
        in_b[i] = i % 8 == 0 ? in_a[i] : any_double();
        in_c[i] = any_double();
        in_s[i] = like_double();
        in_t[i] = like_double();
        in_u[i] = like_double();
        in_n[i] = (int64_t)(clu_random() >> clu_random() % 64);
        if (i % 3 == 0)
            in_n[i] = -in_n[i];
        if (i < 4)
            in_n[i] = i < 2 ? INT64_MAX - i : INT64_MIN + i - 2;
        in_k[i] = (int32_t)(clu_random() >> (32 + clu_random() % 32)) * (i % 2 ? 1 : -1);
        if (i < 2)
            in_k[i] = i ? INT32_MIN : INT32_MAX;
        in_f[i] = (float)like_double();
    }
}

/* ---- to the bit ---- */

static int64_t sat(double x, double low, double high)
{
    return isnan(x) ? 0 : (int64_t)(x < low ? low : x > high ? high : x);
}
static int64_t sat64(double x)
{
    return isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x;
}
static uint64_t satu64(double x)
{
    return isnan(x) || x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/* As the specification writes it, which may be rounded otherwise: the row compares floats. */
static double smooth(double a, double b, double x)
{
    double t = fmin(fmax((x - a) / (b - a), 0), 1);
    return t * t * (3 - 2 * t);
}

/* The seven bits that must be there. */
static int remquo_bits(double x, double y)
{
    return (int)(llrintl(((long double)x - remainder(x, y)) / y) % 128);
}

#define ARGS                                                                                       \
    volatile double a, volatile double b, volatile double c, volatile double s, volatile double t, \
        volatile double u, volatile int64_t n, volatile int32_t k, volatile float f
#define UNUSED (void)a, (void)b, (void)c, (void)s, (void)t, (void)u, (void)n, (void)k, (void)f
#define D(name, cl, host)                                                                          \
    static uint64_t ref_##name(ARGS)                                                               \
    {                                                                                              \
        UNUSED;                                                                                    \
        return bits_of(host);                                                                      \
    }
#define M(name, mode, cl, host)                                                                    \
    static uint64_t ref_##name(ARGS)                                                               \
    {                                                                                              \
        UNUSED;                                                                                    \
        fesetround(mode);                                                                          \
        volatile double r = host;                                                                  \
        fesetround(FE_TONEAREST);                                                                  \
        return bits_of(r);                                                                         \
    }
#define I(name, cl, host)                                                                          \
    static uint64_t ref_##name(ARGS)                                                               \
    {                                                                                              \
        UNUSED;                                                                                    \
        return (uint64_t)(int64_t)(host);                                                          \
    }
#include "double.def"
#undef D
#undef M
#undef I

struct row {
    const char *name, *cl;
    bool is_double;
    uint64_t (*ref)(ARGS);
};
static const struct row rows[] = {
#define D(name, cl, host)       {#name, #cl, true, ref_##name},
#define M(name, mode, cl, host) {#name, #cl, true, ref_##name},
#define I(name, cl, host)       {#name, #cl, false, ref_##name},
#include "double.def"
#undef D
#undef M
#undef I
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool same(const struct row *r, uint64_t got, uint64_t want)
{
    if (got == want)
        return true;
    return r->is_double && isnan(of_bits(got)) && isnan(of_bits(want));
}

static void check_rows(unsigned first, unsigned n)
{
    static char source[65536];
    size_t at = 0;
    cl_mem in[9] = {clu_buffer(sizeof(in_a), in_a), clu_buffer(sizeof(in_b), in_b),
                    clu_buffer(sizeof(in_c), in_c), clu_buffer(sizeof(in_s), in_s),
                    clu_buffer(sizeof(in_t), in_t), clu_buffer(sizeof(in_u), in_u),
                    clu_buffer(sizeof(in_n), in_n), clu_buffer(sizeof(in_k), in_k),
                    clu_buffer(sizeof(in_f), in_f)};
    cl_mem out = clu_buffer(8 * N, NULL);
    uint64_t got[N];

    at += (size_t)snprintf(source, sizeof(source),
                           "int remquo_bits(double x, double y)\n"
                           "{ int q; remquo(x, y, &q); return q %% 128; }\n");
    for (unsigned i = first; i < first + n; i++)
        at += (size_t)snprintf(
            source + at, sizeof(source) - at,
            "__kernel void %s_row(__global ulong *dst, __global const double *A, __global const "
            "double *B,\n"
            "  __global const double *C, __global const double *S, __global const double *T, "
            "__global const double *U,\n"
            "  __global const long *L, __global const int *K, __global const float *F)\n"
            "{\n#pragma OPENCL FP_CONTRACT OFF\n"
            "  size_t i = get_global_id(0);\n"
            "  double a = A[i], b = B[i], c = C[i], s = S[i], t = T[i], u = U[i]; long n = L[i]; "
            "int k = K[i];\n"
            "  float f = F[i];\n"
            "  dst[i] = %s(%s);\n}\n",
            rows[i].name, rows[i].is_double ? "as_ulong" : "(ulong)(long)", rows[i].cl);
    cl_program p = clu_build(source, "");
    for (unsigned i = first; i < first + n; i++) {
        const struct row *r = &rows[i];
        unsigned wrong = 0;
        char name[64];
        snprintf(name, sizeof(name), "%s_row", r->name);
        cl_kernel k = clu_kernel(p, name);
        clu_arg_mem(k, 0, out);
        for (unsigned m = 0; m < 9; m++)
            clu_arg_mem(k, 1 + m, in[m]);
        clu_run(k, N, 0);
        clu_read(out, sizeof(got), got);
        for (int j = 0; j < N; j++) {
            uint64_t want = r->ref(in_a[j], in_b[j], in_c[j], in_s[j], in_t[j], in_u[j], in_n[j],
                                   in_k[j], in_f[j]);
            if (same(r, got[j], want))
                continue;
            if (!wrong++)
                fprintf(stderr,
                        "%s [%d]: a %a b %a c %a s %a t %a u %a n %lld k %d: got %016llx (%a), not "
                        "%016llx (%a)\n",
                        r->name, j, in_a[j], in_b[j], in_c[j], in_s[j], in_t[j], in_u[j],
                        (long long)in_n[j], in_k[j], (unsigned long long)got[j], of_bits(got[j]),
                        (unsigned long long)want, of_bits(want));
        }
        if (wrong)
            fprintf(stderr, "%s: %u of %d wrong\n", r->name, wrong, N);
        CHECK(!wrong);
        CL(clReleaseKernel(k));
    }
    CL(clReleaseProgram(p));
    for (unsigned m = 0; m < 9; m++)
        CL(clReleaseMemObject(in[m]));
    CL(clReleaseMemObject(out));
}

/* ---- functions ---- */

enum domain { ANY, SMALL, POSITIVE, UNIT, MEDIUM };
struct fn {
    const char *name;
    long double (*one)(long double);
    long double (*two)(long double, long double);
    double ulp;
    enum domain domain;
};

static const long double pi = 3.14159265358979323846264338327950288L;
static long double ref_rsqrt(long double x)
{
    return 1 / sqrtl(x);
}
static long double ref_exp10(long double x)
{
    return powl(10, x);
}
/* Reduced so that pi is multiplied with what is exact and small where the result is. */
static long double ref_sinpi(long double x)
{
    long double r = fmodl(fabsl(x), 2), sign = copysignl(1, x);
    if (r >= 1) {
        r -= 1;
        sign = r == 0 ? sign : -sign; /* zeros have the sign of x */
    }
    return sign * sinl(pi * (r > 0.5L ? 1 - r : r));
}
static long double ref_cospi(long double x)
{
    long double r = fmodl(fabsl(x), 2);
    return sinl(pi * (0.5L - (r > 1 ? 2 - r : r)));
}
static long double ref_tanpi(long double x)
{
    return ref_sinpi(x) / ref_cospi(x);
}
static long double ref_asinpi(long double x)
{
    return asinl(x) / pi;
}
static long double ref_acospi(long double x)
{
    return acosl(x) / pi;
}
static long double ref_atanpi(long double x)
{
    return atanl(x) / pi;
}
static long double ref_atan2pi(long double y, long double x)
{
    return atan2l(y, x) / pi;
}

static long double nearest_int(long double y)
{
    return isnan(y) ? 0 : y >= 0x1p31L ? 2147483647 : y <= -0x1p31L ? -0x1p31L : rintl(y);
}
static long double ref_pown(long double x, long double y)
{
    return powl(x, nearest_int(y));
}
static long double ref_rootn(long double x, long double y)
{
    long double n = nearest_int(y);
    bool even = fmodl(n, 2) == 0;
    if (n == 0 || (even && x < 0))
        return NAN;
    long double r = powl(fabsl(x), 1 / n);
    return even ? r : copysignl(r, x);
}
static long double ref_degrees(long double x)
{
    return x * 180 / pi;
}
static long double ref_radians(long double x)
{
    return x * pi / 180;
}

static const struct fn fns[] = {
    {"acos", acosl, 0, 4, UNIT},
    {"acosh", acoshl, 0, 4, POSITIVE},
    {"acospi", ref_acospi, 0, 5, UNIT},
    {"asin", asinl, 0, 4, UNIT},
    {"asinh", asinhl, 0, 4, ANY},
    {"asinpi", ref_asinpi, 0, 5, UNIT},
    {"atan", atanl, 0, 5, ANY},
    {"atanh", atanhl, 0, 5, UNIT},
    {"atanpi", ref_atanpi, 0, 5, ANY},
    {"cbrt", cbrtl, 0, 2, ANY},
    {"cos", cosl, 0, 4, ANY},
    {"cosh", coshl, 0, 4, SMALL},
    {"cospi", ref_cospi, 0, 4, MEDIUM},
    {"erf", erfl, 0, 16, MEDIUM},
    {"erfc", erfcl, 0, 16, MEDIUM},
    {"exp", expl, 0, 3, SMALL},
    {"exp2", exp2l, 0, 3, SMALL},
    {"exp10", ref_exp10, 0, 3, SMALL},
    {"expm1", expm1l, 0, 3, SMALL},
    {"log", logl, 0, 3, POSITIVE},
    {"log2", log2l, 0, 3, POSITIVE},
    {"log10", log10l, 0, 3, POSITIVE},
    {"log1p", log1pl, 0, 2, POSITIVE},
    {"rsqrt", ref_rsqrt, 0, 2, POSITIVE},
    {"sin", sinl, 0, 4, ANY},
    {"sinh", sinhl, 0, 4, SMALL},
    {"sinpi", ref_sinpi, 0, 4, MEDIUM},
    {"tan", tanl, 0, 5, ANY},
    {"tanh", tanhl, 0, 5, MEDIUM},
    {"tanpi", ref_tanpi, 0, 6, MEDIUM},
    {"tgamma", tgammal, 0, 16, MEDIUM},
    {"atan2", 0, atan2l, 6, ANY},
    {"atan2pi", 0, ref_atan2pi, 6, ANY},
    {"hypot", 0, hypotl, 4, ANY},
    {"pow", 0, powl, 16, SMALL},
    {"powr", 0, powl, 16, POSITIVE},
    {"POWN", 0, ref_pown, 16, SMALL},
    {"ROOTN", 0, ref_rootn, 16, SMALL},
    {"degrees", ref_degrees, 0, 2, ANY},
    {"radians", ref_radians, 0, 2, ANY},
    {"SINE_OF_BOTH", sinl, 0, 4, ANY},
    {"COSINE_OF_BOTH", cosl, 0, 4, ANY},
    {"lgamma", lgammal, 0, 4096, POSITIVE}, /* no error is specified */
    {"LGAMMA_R", lgammal, 0, 4096, POSITIVE},
};
enum { N_FNS = sizeof(fns) / sizeof(fns[0]) };

static double input(enum domain d)
{
    double x = any_double();
    switch (d) {
    case ANY:
        return x;
    case POSITIVE:
        return fabs(x);
    case SMALL: /* where exponentials neither vanish nor overflow, mostly */
        return clu_random() % 8 ? ldexp(like_double(), -11) : x;
    case MEDIUM:
        return clu_random() % 8 ? ldexp(like_double(), -14) : x;
    case UNIT:
        return clu_random() % 8 ? remainder(like_double(), 2) : x;
    }
    return x;
}

/* In units in the last place of a double near `want`, which has more bits. */
static double error(double got, long double want)
{
    if (isnan(want))
        return isnan(got) ? 0 : INFINITY;
    double near = (double)want;
    if (got == near)
        return 0;
    if (isinf(near) || isnan(got))
        return fabs(got) == DBL_MAX && isinf(near) && signbit(got) == signbit(near) ? 1 : INFINITY;
    if (isinf(got))
        return fabsl(want) > DBL_MAX - 0x1p976 ? 1 : INFINITY;
    int e = near == 0 ? -1022 : ilogb(near);
    return (double)fabsl(ldexpl((long double)got - want, 52 - (e < -1022 ? -1022 : e)));
}

static void check_fn(const struct fn *f)
{
    static char source[1024];
    double x[N], y[N], got[N], worst = 0;
    int at = 0;
    snprintf(
        source, sizeof(source),
        "#define POWN(a, b) pown(a, convert_int_sat_rte(b))\n"
        "#define ROOTN(a, b) rootn(a, convert_int_sat_rte(b))\n"
        "#define SINE_OF_BOTH(a) sincos(a, &both)\n"
        "#define COSINE_OF_BOTH(a) (sincos(a, &both), both)\n"
        "#define LGAMMA_R(a) lgamma_r(a, &sign)\n"
        "__kernel void f(__global double *r, __global const double *x, __global const double *y)\n"
        "{ size_t i = get_global_id(0); double both; int sign; r[i] = %s(x[i]%s); }\n",
        f->name, f->two ? ", y[i]" : "");
    for (int i = 0; i < N; i++) {
        x[i] = input(f->domain);
        y[i] = input(f->domain);
    }
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "f");
    cl_mem out = clu_buffer(sizeof(got), NULL),
           in[2] = {clu_buffer(sizeof(x), x), clu_buffer(sizeof(y), y)};
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, in[0]);
    clu_arg_mem(k, 2, in[1]);
    clu_run(k, N, 0);
    clu_read(out, sizeof(got), got);
    for (int i = 0; i < N; i++) {
        /* powr is of no number below 0, of 0^0 and of infinity^0 */
        bool no_powr = !strcmp(f->name, "powr") && (isnan(x[i]) || isnan(y[i]) || x[i] == 1 ||
                                                    x[i] == 0 || isinf(x[i]) || y[i] == 0);
        double e = no_powr ? 0 : error(got[i], f->one ? f->one(x[i]) : f->two(x[i], y[i]));
        if (e > worst) {
            worst = e;
            at = i;
        }
    }
    printf("%-8s %.3g of %g ulp\n", f->name, worst, f->ulp);
    if (worst > f->ulp)
        fprintf(stderr, "%s(%a, %a) is %a: %g ulp\n", f->name, x[at], y[at], got[at], worst);
    CHECK(worst <= f->ulp);
    CL(clReleaseMemObject(out));
    CL(clReleaseMemObject(in[0]));
    CL(clReleaseMemObject(in[1]));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

/* A uniform double argument, a loop with a phi, local and private memory, vectors. */
static void check_uses(void)
{
    static const char source[] =
        "__kernel void uses(__global double *r, double x, double3 v, int n, __local double *l)\n"
        "{ int i = get_global_id(0), j = get_local_id(0); double s = x, p[8];\n"
        "  for (int k = 0; k < 8; k++) p[k] = k * x;\n"
        "  for (int k = 0; k < n + i % 5; k++) s = s * 0.5 + p[(k + i) % 8];\n"
        "  l[j] = s; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  double2 w = vload2(0, (__local double *)(l + (j & ~1)));\n"
        "  r[i] = l[j ^ 1] + v.z * w.y; }\n";
    double got[64], s[64], x = 1.25;
    cl_double3 v = {.s = {1, 2, 3}};
    cl_int n = 7;
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "uses");
    cl_mem out = clu_buffer(sizeof(got), NULL);
    clu_arg_mem(k, 0, out);
    CL(clSetKernelArg(k, 1, sizeof(x), &x));
    CL(clSetKernelArg(k, 2, sizeof(v), &v));
    CL(clSetKernelArg(k, 3, sizeof(n), &n));
    CL(clSetKernelArg(k, 4, 16 * sizeof(double), NULL));
    clu_run(k, 64, 16);
    clu_read(out, sizeof(got), got);
    for (int i = 0; i < 64; i++) {
        s[i] = x;
        for (int m = 0; m < n + i % 5; m++)
            s[i] = s[i] * 0.5 + (m + i) % 8 * x; /* all exact */
    }
    for (int i = 0; i < 64; i++)
        CHECK(got[i] == s[i ^ 1] + 3 * s[i | 1]);
    CL(clReleaseMemObject(out));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

int main(int argc, char **argv)
{
    static char extensions[4096];
    cl_device_fp_config config = 0;
    enum { BATCH = 12 };

    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(config), &config, NULL));
    CHECK(!strstr(extensions, "cl_khr_fp64") == !config);
    if (!config && argc < 2) {
        printf("no doubles\n");
        return 77;
    }
    make_inputs();
    for (unsigned i = 0; i < N_ROWS; i += BATCH) {
        if (argc < 2 || !strcmp(argv[1], "rows") ||
            (!strcmp(argv[1], "row") && (unsigned)atoi(argv[2]) / BATCH * BATCH == i))
            check_rows(i, i + BATCH < N_ROWS ? BATCH : N_ROWS - i);
    }
    for (unsigned i = 0; i < N_FNS; i++) {
        if (argc < 2 || !strcmp(argv[1], "fns") || !strcmp(argv[1], fns[i].name))
            check_fn(&fns[i]);
    }
    check_uses();
    clu_close();
    return utest_end();
}
