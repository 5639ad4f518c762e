/* The float built-ins against double precision: every function of the table at all pairs of special
 * values, at random ones over all exponents and where it is steep or near its limits, within the
 * error that the specification allows (OpenCL C 1.2, 7.4). Denormals may be flushed, in arguments
 * and results: CL_FP_DENORM is not required of single precision. Of native functions the
 * specification asks nothing; what is here holds for any math unit that is of use. */
#include <float.h>
#include <limits.h>
#include <math.h>

#include "clu.h"

#define N 4096

enum domain { ANY, SMALL, POSITIVE, UNIT, ANGLE, NEAR, NEAR_POSITIVE, NEAR_ZERO };

struct fn {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    double ulp;
    enum domain domain;
    double absolute; /* or within so much of the exact result */
    bool whole;      /* the second argument is an int */
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
static double ref_tanpi(double x)
{
    double r = fmod(x, 1.0);
    if (r == 0) /* even ones keep the sign, odd ones change it */
        return copysign(0.0, fmod(x, 2.0) == 0 ? x : -x);
    if (fabs(r) == 0.5)
        return fmod(fabs(x), 2.0) == 0.5 ? copysign(INFINITY, x) : copysign(INFINITY, -x);
    return tan(M_PI * r);
}
static double ref_root(double x, double n)
{
    if (n == 0 || (x < 0 && fmod(n, 2.0) == 0))
        return NAN;
    double r = pow(fabs(x), 1.0 / n);
    return fmod(n, 2.0) == 0 ? r : copysign(r, x);
}
static double ref_ldexp(double x, double n)
{
    return ldexp(x, (int)fmax(-5000, fmin(5000, n)));
}
static double ref_recip(double x)
{
    return 1.0 / x;
}
static double ref_fma(double a, double b)
{
    return fma(a, b, 1.5);
}
static double ref_fourth_tan(double x)
{
    return tan(0.25 * x);
}
static double ref_mix(double a, double b)
{
    return a + (b - a) * 0.25;
}
static double ref_smooth(double x)
{
    double t = fmin(fmax((x + 2.5) / 5.5, 0), 1);
    return t * t * (3 - 2 * t);
}
static double ref_gamma_sign(double x)
{
    int sign;
    if (x <= 0 && x == floor(x))
        return 0;
    lgamma_r(x, &sign);
    return sign;
}
static double ref_pow_of_int(double x, double y)
{
    return pow(x, rint(y));
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

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* the rest is 0 */
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
    {"FMA", 0, ref_fma, 0.5, SMALL},
    {"lgamma", lgamma, 0, 4096, ANY, 1e-4},
    {"LGAMMA_R", lgamma, 0, 4096, SMALL, 1e-4},
    {"SIGN_OF_GAMMA", ref_gamma_sign, 0, 0, SMALL},
    {"tanpi", ref_tanpi, 0, 6, ANGLE},
    {"log", log, 0, 3, UNIT},
    {"log2", log2, 0, 3, UNIT},
    {"log10", log10, 0, 3, UNIT},
    {"log1p", log1p, 0, 2, UNIT},
    {"sqrt", sqrt, 0, 3, ANY},
    {"rsqrt", ref_rsqrt, 0, 2, ANY},
    {"MIX", 0, ref_mix, 0, NEAR, 1e-3},
    {"SMOOTH", ref_smooth, 0, 0, NEAR, 1e-5},
    {"SIN_OF_BOTH", sin, 0, 4, ANY},
    {"COS_OF_BOTH", cos, 0, 4, ANY},
    {"pown", 0, pow, 16, SMALL, 0, true},
    {"rootn", 0, ref_root, 16, ANY, 0, true},
    {"ldexp", 0, ref_ldexp, 0.5, ANY, 0, true},
    {"half_cos", cos, 0, 8192, ANGLE, 0x1p-11},
    {"half_divide", 0, ref_div, 8192, ANGLE},
    {"half_exp", exp, 0, 8192, SMALL},
    {"half_exp2", exp2, 0, 8192, SMALL},
    {"half_exp10", ref_exp10, 0, 8192, SMALL},
    {"half_log", log, 0, 8192, POSITIVE},
    {"half_log2", log2, 0, 8192, POSITIVE},
    {"half_log10", log10, 0, 8192, POSITIVE},
    {"half_powr", 0, pow, 8192, POSITIVE},
    {"half_recip", ref_recip, 0, 8192, ANGLE},
    {"half_rsqrt", ref_rsqrt, 0, 8192, POSITIVE},
    {"half_sin", sin, 0, 8192, ANGLE, 0x1p-11},
    {"half_sqrt", sqrt, 0, 8192, POSITIVE},
    {"half_tan", tan, 0, 8192, ANGLE},
    {"native_cos", cos, 0, 0, NEAR, 0x1p-9},
    {"native_divide", 0, ref_div, 4096, NEAR},
    {"native_exp", exp, 0, 4096, NEAR},
    {"native_exp2", exp2, 0, 4096, NEAR},
    {"native_exp10", ref_exp10, 0, 4096, NEAR},
    {"native_log", log, 0, 4096, NEAR_POSITIVE, 0x1p-12},
    {"native_log2", log2, 0, 4096, NEAR_POSITIVE, 0x1p-12},
    {"native_log10", log10, 0, 4096, NEAR_POSITIVE, 0x1p-12},
    {"native_powr", 0, pow, 4096, NEAR_POSITIVE},
    {"native_recip", ref_recip, 0, 4096, NEAR},
    {"native_rsqrt", ref_rsqrt, 0, 4096, NEAR_POSITIVE},
    {"native_sin", sin, 0, 0, NEAR, 0x1p-9},
    {"native_sqrt", sqrt, 0, 4096, NEAR_POSITIVE},
    {"FOURTH_TAN", ref_fourth_tan, 0, 0, NEAR, 0x1p-8},
};

/* With -cl-fast-relaxed-math, where arguments and results are ordinary (OpenCL C 3.0, 7.4, its last
 * table). */
static const struct fn relaxed[] = {
    {"acos", acos, 0, 4096, UNIT},
    {"asin", asin, 0, 4096, UNIT},
    {"atan", atan, 0, 4096, NEAR},
    {"atan2", 0, atan2, 8192, NEAR},
    {"asinh", asinh, 0, 8192, NEAR},
    {"cbrt", cbrt, 0, 8192, NEAR},
    {"cos", cos, 0, 0, NEAR, 0x1p-11},
    {"cosh", cosh, 0, 8192, NEAR},
    {"exp", exp, 0, 3, NEAR_ZERO},
    {"exp2", exp2, 0, 3, NEAR_ZERO},
    {"exp10", ref_exp10, 0, 8192, NEAR},
    {"expm1", expm1, 0, 8192, NEAR},
    {"log", log, 0, 3, NEAR_POSITIVE, 0x1p-21},
    {"log2", log2, 0, 3, NEAR_POSITIVE, 0x1p-21},
    {"log10", log10, 0, 3, NEAR_POSITIVE, 0x1p-21},
    {"log1p", log1p, 0, 8192, NEAR_POSITIVE},
    {"pow", 0, pow, 8192, NEAR_POSITIVE},
    {"powr", 0, pow, 8192, NEAR_POSITIVE},
    {"POW_OF_INT", 0, ref_pow_of_int, 8192, NEAR},
    {"pown", 0, pow, 8192, NEAR, 0, true},
    {"rootn", 0, ref_root, 8192, NEAR_POSITIVE, 0, true},
    {"rsqrt", ref_rsqrt, 0, 2, NEAR_POSITIVE},
    {"sin", sin, 0, 0, NEAR, 0x1p-11},
    {"SIN_OF_BOTH", sin, 0, 0, NEAR, 0x1p-11},
    {"COS_OF_BOTH", cos, 0, 0, NEAR, 0x1p-11},
    {"sinh", sinh, 0, 8192, NEAR},
    {"sqrt", sqrt, 0, 3, NEAR_POSITIVE},
    {"tanh", tanh, 0, 8192, NEAR},
    {"DIV", 0, ref_div, 2.5, NEAR},
};

static const float special[] = {
    0.0f,           -0.0f,          1.0f,      -1.0f,          0.5f,          -0.5f,
    2.0f,           -2.0f,          1.5f,      2.5f,           -2.5f,         3.0f,
    -3.0f,          10.0f,          INFINITY,  -INFINITY,      NAN,           FLT_MAX,
    -FLT_MAX,       FLT_MIN,        -FLT_MIN,  0x1p-149f,      -0x1p-140f,    0x1p24f,
    0x1.fffffep23f, 65536.0f,       -65537.0f, 0x1.921fb6p1f,  0x1.2d97c8p2f, 88.72283f,
    88.72284f,      -87.33655f,     -103.97f,  0x1.fffffep-1f, 0x1.000002p0f, 0x1.555554p-1f,
    0x1.555556p0f,  0x1.6a09e6p-1f, 38.53184f};
static const int special_int[] = {0,    1,        -1,      2,       -2,          3,
                                  -3,   24,       -24,     127,     128,         -126,
                                  -149, 16777217, INT_MAX, INT_MIN, INT_MAX - 1, INT_MIN + 1};
enum {
    N_SPECIAL = sizeof special / sizeof *special,
    N_INTS = sizeof special_int / sizeof *special_int
};

static float pick(enum domain d, unsigned nth)
{
    bool near = d == NEAR || d == NEAR_POSITIVE || d == NEAR_ZERO;
    uint64_t r = clu_random();
    float v;
    if (near) {
        v = (float)((double)(r >> 12) / (double)(1ull << 52) * 6.0 - 3.0);
        v *= d == NEAR_ZERO ? 0x1.5p-3f : 1.0f; /* 3 + floor(|2x|) is 3 */
    } else if (nth < N_SPECIAL) {
        v = special[nth];
    } else if (d == ANY || r % 8 < 3) {
        uint32_t bits = (uint32_t)(r >> 16);
        memcpy(&v, &bits, 4);
        if (fpclassify(v) == FP_SUBNORMAL)
            v = 1.25f;
    } else {
        double u = (double)(r >> 12) / (double)(1ull << 52) * 2.0 - 1.0;
        v = (float)(d == UNIT ? u : d == SMALL ? u * 40.0 : d == ANGLE ? u * 1000.0 : u * 1e4);
    }
    return d == POSITIVE || d == NEAR_POSITIVE ? fabsf(v) : v;
}

static int pick_int(unsigned nth)
{
    uint64_t r = clu_random();
    return nth < N_INTS ? special_int[nth] : (int)(r >> 20 & 63) - 32;
}

/* Whether a zero's sign counts: C leaves it open which of two zeros is the larger. */
static bool has_sign(const struct fn *f, float a, double b)
{
    return !(!strncmp(f->name, "fma", 3) || !strncmp(f->name, "fmi", 3) ||
             strstr(f->name, "mag")) &&
           fpclassify(a) != FP_SUBNORMAL && fpclassify((float)b) != FP_SUBNORMAL;
}

/* Error of got in units of the last place of the exact result; 0 if within `absolute` of it. */
static double ulp_error(float got, double want, double absolute, bool has_sign)
{
    float rounded = (float)want;
    if (isnan(want))
        return isnan(got) ? 0.0 : INFINITY;
    if (want == 0 && got == 0)
        return !has_sign || !signbit(want) == !signbit(got) ? 0.0 : INFINITY;
    if (isinf(rounded)) { /* overflow: infinity, or the largest value within the bound */
        if (isinf(want) || isinf(got))
            return got == rounded ? 0.0 : INFINITY;
    }
    if (fabs(want) < FLT_MIN && (got == 0.0f || fabsf(got) <= FLT_MIN))
        return 0.0; /* may be flushed */
    if (isnan(got) || isinf(got))
        return got == rounded ? 0.0 : INFINITY;
    if (fabs((double)got - want) <= absolute)
        return 0.0;
    int e;
    frexp(want, &e);
    double ulp = ldexp(1.0, (e < -125 ? -125 : e) - 24);
    return fabs((double)got - want) / ulp;
}

static float flushed(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0.0f, x) : x;
}

/* The least error of those that flushing allows. */
static double error_at(const struct fn *f, float a, double b, float got, double *want)
{
    double best = INFINITY;
    for (unsigned k = 0; k < 4; k++) {
        double x = k & 1 ? flushed(a) : a, y = k & 2 ? (double)flushed((float)b) : b;
        if (f->whole)
            y = b;
        double w = f->one ? f->one(x) : f->two(x, y);
        double e = ulp_error(got, w, f->absolute, has_sign(f, a, b));
        if (k == 0)
            *want = w;
        best = fmin(best, e);
    }
    return best;
}

/* Undefined cases, and those in which the reference is another function. */
static bool is_judged(const struct fn *f, float a, double b)
{
    bool is_powr = strstr(f->name, "powr") != NULL;
    if (strstr(f->name, "GAMMA_R") || strstr(f->name, "lgamma"))
        return fabsf(a) < 0x1p100f || a != a; /* no error is specified */
    if (strstr(f->name, "SIGN_OF_GAMMA") && !isfinite(a))
        return false;
    a = flushed(a);
    return !is_powr || !(isnan(a) || isnan(b) || a == 0 || isinf(a) || isinf(b) || a == 1);
}

static void test_fn(const struct fn *f, const char *options)
{
    static float a[N], b[N], out[N];
    static int n[N];
    char source[2048];
    const char *second = f->whole ? ", n[i]" : f->two ? ", b[i]" : "";
    snprintf(
        source, sizeof(source),
        "#define DIV(a, b) ((a) / (b))\n"
        "#define FMA(a, b) fma(a, b, 1.5f)\n"
        "#define POW_OF_INT(a, b) pow(a, rint(b))\n"
        "#define MIX(a, b) mix(a, b, 0.25f)\n"
        "#define SMOOTH(a) smoothstep(-2.5f, 3.0f, a)\n"
        "#define FOURTH_TAN(a) native_tan(0.25f * (a))\n"
        "#define LGAMMA_R(a) lgamma_r(a, &minus)\n"
        "#define SIGN_OF_GAMMA(a) (lgamma_r(a, &minus), TO_FLOAT(minus))\n"
        "#define SIN_OF_BOTH(a) sincos(a, &both)\n"
        "#define COS_OF_BOTH(a) (sincos(a, &both), both)\n"
        "kernel void k(global const float *a, global const float *b, global const int *n,\n"
        "              global float *out) {\n"
        "#define TO_FLOAT convert_float\n"
        "  size_t i = get_global_id(0);\n  float both;\n  int minus;\n  out[i] = %s(a[i]%s);\n}\n"
        "kernel void k4(global const float4 *a, global const float4 *b,\n"
        "               global const int4 *n, global float4 *out) {\n"
        "#undef TO_FLOAT\n#define TO_FLOAT convert_float4\n"
        "  size_t i = get_global_id(0);\n  float4 both;\n  int4 minus;\n  out[i] = "
        "%s(a[i]%s);\n}\n",
        f->name, second, f->name, second);
    for (unsigned i = 0; i < N; i++) {
        unsigned other = f->whole ? N_INTS : N_SPECIAL;
        bool pair = i < N_SPECIAL * other;
        a[i] = pick(f->domain, pair ? i / other : N_SPECIAL);
        b[i] = pick(f->domain == POSITIVE        ? SMALL
                    : f->domain == NEAR_POSITIVE ? NEAR
                                                 : f->domain,
                    pair ? i % other : N_SPECIAL);
        n[i] = pick_int(pair ? i % other : N_INTS);
    }
    cl_program p = clu_build(source, options);
    cl_mem ma = clu_buffer(sizeof(a), a), mb = clu_buffer(sizeof(b), b),
           mn = clu_buffer(sizeof(n), n), mo = clu_buffer(sizeof(out), NULL);
    for (int width = 1; width <= 4; width += 3) {
        cl_kernel k = clu_kernel(p, width == 1 ? "k" : "k4");
        clu_arg_mem(k, 0, ma);
        clu_arg_mem(k, 1, mb);
        clu_arg_mem(k, 2, mn);
        clu_arg_mem(k, 3, mo);
        clu_run(k, N / width, 0);
        clu_read(mo, sizeof(out), out);
        double worst = 0, want, second_at = 0, want_at = 0;
        int at = 0;
        for (int i = 0; i < N; i++) {
            double second_arg = f->whole ? (double)n[i] : (double)b[i];
            if (!is_judged(f, a[i], second_arg))
                continue;
            double e = error_at(f, a[i], second_arg, out[i], &want);
            if (*options && !(fabs(want) < 0x1p120 && (fabs(want) > 0x1p-120 || want == 0)))
                continue;
            if (e > worst) {
                worst = e;
                at = i;
                second_at = second_arg;
                want_at = want;
            }
        }
        CHECKF(worst <= f->ulp, "%s %s, width %d: %g ulp (%g allowed) at %a, %a: got %a want %a",
               f->name, options, width, worst, f->ulp, a[at], second_at, out[at], want_at);
        CL(clReleaseKernel(k));
    }
    CL(clReleaseMemObject(ma));
    CL(clReleaseMemObject(mb));
    CL(clReleaseMemObject(mn));
    CL(clReleaseMemObject(mo));
    CL(clReleaseProgram(p));
}

int main(void)
{
    clu_open();
    for (unsigned i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
        test_fn(&fns[i], "");
    for (unsigned i = 0; i < sizeof(relaxed) / sizeof(relaxed[0]); i++)
        test_fn(&relaxed[i], "-cl-fast-relaxed-math");
    clu_close();
    return utest_end();
}
