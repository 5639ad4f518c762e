/* The float built-ins against double precision: every function of the table at random values over
 * all exponents and at the special ones, within the error that the specification allows (OpenCL
 * C 1.2, 7.4). Denormals may be flushed: CL_FP_DENORM is not required of single precision. */
#include <float.h>
#include <math.h>

#include "clu.h"

#define N 4096

enum domain { ANY, SMALL, POSITIVE, UNIT, ANGLE };

struct fn {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    double ulp;
    enum domain domain;
};

static double ref_exp10(double x)
{
    return pow(10.0, x);
}
static double ref_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
static double ref_sinpi(double x)
{
    double r = fmod(fabs(x), 2.0), v;
    v = r == 0 || r == 1 ? 0.0 : sin(M_PI * r);
    return copysign(1.0, x) * v;
}
static double ref_cospi(double x)
{
    double r = fmod(fabs(x), 2.0);
    return r == 0.5 || r == 1.5 ? 0.0 : cos(M_PI * r);
}
static double ref_asinpi(double x)
{
    return asin(x) / M_PI;
}
static double ref_acospi(double x)
{
    return acos(x) / M_PI;
}
static double ref_atanpi(double x)
{
    return atan(x) / M_PI;
}
static double ref_atan2pi(double y, double x)
{
    return atan2(y, x) / M_PI;
}
static double ref_degrees(double x)
{
    return x * (180.0 / M_PI);
}
static double ref_radians(double x)
{
    return x * (M_PI / 180.0);
}
static double ref_sign(double x)
{
    return isnan(x) ? 0.0 : x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}
static double ref_div(double a, double b)
{
    return a / b;
}
static double ref_step(double edge, double x)
{
    return x < edge ? 0.0 : 1.0;
}
static double ref_maxmag(double a, double b)
{
    return fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b);
}
static double ref_minmag(double a, double b)
{
    return fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b);
}

static const struct fn fns[] = {
    {"acos", acos, 0, 4, UNIT},
    {"acosh", acosh, 0, 4, POSITIVE},
    {"acospi", ref_acospi, 0, 5, UNIT},
    {"asin", asin, 0, 4, UNIT},
    {"asinh", asinh, 0, 4, ANY},
    {"asinpi", ref_asinpi, 0, 5, UNIT},
    {"atan", atan, 0, 5, ANY},
    {"atanh", atanh, 0, 5, UNIT},
    {"atanpi", ref_atanpi, 0, 5, ANY},
    {"cbrt", cbrt, 0, 2, ANY},
    {"ceil", ceil, 0, 0, ANY},
    {"cos", cos, 0, 4, ANY},
    {"cosh", cosh, 0, 4, SMALL},
    {"cospi", ref_cospi, 0, 4, ANGLE},
    {"erf", erf, 0, 16, ANY},
    {"erfc", erfc, 0, 16, SMALL},
    {"exp", exp, 0, 3, SMALL},
    {"exp2", exp2, 0, 3, SMALL},
    {"exp10", ref_exp10, 0, 3, SMALL},
    {"expm1", expm1, 0, 3, SMALL},
    {"fabs", fabs, 0, 0, ANY},
    {"floor", floor, 0, 0, ANY},
    {"log", log, 0, 3, POSITIVE},
    {"log2", log2, 0, 3, POSITIVE},
    {"log10", log10, 0, 3, POSITIVE},
    {"log1p", log1p, 0, 2, POSITIVE},
    {"logb", logb, 0, 0, ANY},
    {"rint", rint, 0, 0, ANY},
    {"round", round, 0, 0, ANY},
    {"rsqrt", ref_rsqrt, 0, 2, POSITIVE},
    {"sin", sin, 0, 4, ANY},
    {"sinh", sinh, 0, 4, SMALL},
    {"sinpi", ref_sinpi, 0, 4, ANGLE},
    {"sqrt", sqrt, 0, 3, POSITIVE},
    {"tan", tan, 0, 5, ANY},
    {"tanh", tanh, 0, 5, ANY},
    {"trunc", trunc, 0, 0, ANY},
    {"tgamma", tgamma, 0, 16, SMALL},
    {"degrees", ref_degrees, 0, 2, ANY},
    {"radians", ref_radians, 0, 2, ANY},
    {"sign", ref_sign, 0, 0, ANY},
    {"atan2", 0, atan2, 6, ANY},
    {"atan2pi", 0, ref_atan2pi, 6, ANY},
    {"copysign", 0, copysign, 0, ANY},
    {"fdim", 0, fdim, 0.5, ANY},
    {"fmax", 0, fmax, 0, ANY},
    {"fmin", 0, fmin, 0, ANY},
    {"fmod", 0, fmod, 0, ANY},
    {"hypot", 0, hypot, 4, ANY},
    {"maxmag", 0, ref_maxmag, 0, ANY},
    {"minmag", 0, ref_minmag, 0, ANY},
    {"pow", 0, pow, 16, SMALL},
    {"powr", 0, pow, 16, POSITIVE},
    {"remainder", 0, remainder, 0, ANY},
    {"step", 0, ref_step, 0, ANY},
    {"DIV", 0, ref_div, 2.5, ANY},
};

static float pick(enum domain d)
{
    static const float special[] = {0.0f,    -0.0f,    1.0f,    -1.0f,    0.5f,     -0.5f,     2.0f,
                                    -2.0f,   1.5f,     2.5f,    -2.5f,    INFINITY, -INFINITY, NAN,
                                    FLT_MAX, -FLT_MAX, FLT_MIN, -FLT_MIN, 3.0f,     10.0f};
    uint64_t r = clu_random();
    float v;
    if (r % 8 == 0) {
        v = special[(r >> 8) % (sizeof(special) / sizeof(special[0]))];
    } else if (d == ANY || r % 8 < 3) {
        uint32_t bits = (uint32_t)(r >> 16);
        memcpy(&v, &bits, 4);
        if (fpclassify(v) == FP_SUBNORMAL)
            v = 1.25f;
    } else {
        double u = (double)(r >> 12) / (double)(1ull << 52) * 2.0 - 1.0;
        v = (float)(d == UNIT ? u : d == SMALL ? u * 40.0 : d == ANGLE ? u * 1000.0 : u * 1e4);
    }
    return d == POSITIVE ? fabsf(v) : v;
}

/* Error of got in units of the last place of the exact result. */
static double ulp_error(float got, double want)
{
    float rounded = (float)want;
    if (isnan(want))
        return isnan(got) ? 0.0 : INFINITY;
    if (isinf(rounded)) { /* overflow: infinity, or the largest value within the bound */
        if (isinf(want) || isinf(got))
            return got == rounded ? 0.0 : INFINITY;
    }
    if (fabs(want) < FLT_MIN && (got == 0.0f || fabsf(got) <= FLT_MIN))
        return 0.0; /* may be flushed */
    if (isnan(got) || isinf(got))
        return got == rounded ? 0.0 : INFINITY;
    int e;
    frexp(want, &e);
    double ulp = ldexp(1.0, (e < -125 ? -125 : e) - 24);
    return fabs((double)got - want) / ulp;
}

static void test_fn(const struct fn *f)
{
    static float a[N], b[N], out[N];
    char source[512];
    snprintf(
        source, sizeof(source),
        "#define DIV(a, b) ((a) / (b))\n"
        "kernel void k(global const float *a, global const float *b, global float *out) {\n"
        "  size_t i = get_global_id(0);\n  out[i] = %s(a[i]%s);\n}\n"
        "kernel void k4(global const float4 *a, global const float4 *b, global float4 *out) {\n"
        "  size_t i = get_global_id(0);\n  out[i] = %s(a[i]%s);\n}\n",
        f->name, f->two ? ", b[i]" : "", f->name, f->two ? ", b[i]" : "");
    for (int i = 0; i < N; i++) {
        a[i] = pick(f->domain);
        b[i] = pick(f->domain == POSITIVE ? SMALL : f->domain);
    }
    cl_program p = clu_build(source, "");
    cl_mem ma = clu_buffer(sizeof(a), a), mb = clu_buffer(sizeof(b), b),
           mo = clu_buffer(sizeof(out), NULL);
    for (int width = 1; width <= 4; width += 3) {
        cl_kernel k = clu_kernel(p, width == 1 ? "k" : "k4");
        clu_arg_mem(k, 0, ma);
        clu_arg_mem(k, 1, mb);
        clu_arg_mem(k, 2, mo);
        clu_run(k, N / width, 0);
        clu_read(mo, sizeof(out), out);
        double worst = 0;
        int at = 0;
        for (int i = 0; i < N; i++) {
            double want = f->one ? f->one(a[i]) : f->two(a[i], b[i]);
            /* powr of an undefined case, and signed zeros at branch cuts, are not judged here */
            if (!strcmp(f->name, "powr") && (isnan(a[i]) || isnan(b[i]) || a[i] == 0 ||
                                             isinf(a[i]) || isinf(b[i]) || a[i] == 1))
                continue;
            double e = ulp_error(out[i], want);
            if (e > worst) {
                worst = e;
                at = i;
            }
        }
        CHECKF(worst <= f->ulp, "%s, width %d: %g ulp (%g allowed) at %a, %a: got %a want %a",
               f->name, width, worst, f->ulp, a[at], b[at], out[at],
               f->one ? f->one(a[at]) : f->two(a[at], b[at]));
        CL(clReleaseKernel(k));
    }
    CL(clReleaseMemObject(ma));
    CL(clReleaseMemObject(mb));
    CL(clReleaseMemObject(mo));
    CL(clReleaseProgram(p));
}

int main(void)
{
    clu_open();
    for (unsigned i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
        test_fn(&fns[i]);
    clu_close();
    return utest_end();
}
