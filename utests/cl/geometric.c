/* The geometric functions on vectors of one to four floats, doubles and halves, against long
 * double, within the errors of the specification (OpenCL C 3.0, 7.4): lengths from near the
 * smallest to near the largest value, where squares would overflow or vanish, and the special cases
 * of normalize (7.5.1). */
#include <float.h>
#include <math.h>

#include "clu.h"

enum { N = 256, MAX_N = 4 };

static const struct type {
    const char *name, *extension;
    unsigned bits, fraction;
    int least, most; /* exponents of normal values */
} types[] = {{"float", "", 32, 23, -126, 127},
             {"double", "cl_khr_fp64", 64, 52, -1022, 1023},
             {"half", "cl_khr_fp16", 16, 10, -14, 15}};
enum { N_TYPES = sizeof types / sizeof *types };

typedef void reference(const long double *a, const long double *b, unsigned n, long double *r);

static void ref_dot(const long double *a, const long double *b, unsigned n, long double *r)
{
    r[0] = 0;
    for (unsigned i = 0; i < n; i++)
        r[0] += a[i] * b[i];
}
static void ref_cross(const long double *a, const long double *b, unsigned n, long double *r)
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = a[j] * b[k] - a[k] * b[j];
    }
    r[3] = 0;
}
static void ref_length(const long double *a, const long double *b, unsigned n, long double *r)
{
    long double s;
    ref_dot(a, a, n, &s);
    r[0] = sqrtl(s);
}
static void ref_distance(const long double *a, const long double *b, unsigned n, long double *r)
{
    long double d[MAX_N];
    for (unsigned i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    ref_length(d, NULL, n, r);
}
static void ref_normalize(const long double *a, const long double *b, unsigned n, long double *r)
{
    long double l;
    ref_length(a, NULL, n, &l);
    for (unsigned i = 0; i < n; i++)
        r[i] = l == 0 ? a[i] : a[i] / l;
}

/* Errors are base + each * n, of float, double and half; in units of the last place or, absolute,
 * of the largest product and an epsilon. */
static const struct fn {
    const char *name;
    reference *ref;
    bool is_vector, is_absolute, two;
    bool is_fast; /* of floats alone, without care for squares that overflow */
    unsigned first, last;
    double base[3], each[3];
} fns[] = {
    {"dot", ref_dot, false, true, true, false, 1, 4, {-1, -1, -1}, {2, 2, 2}},
    {"cross", ref_cross, true, true, true, false, 3, 4, {3, 3, 3}, {0, 0, 0}},
    {"length", ref_length, false, false, false, false, 1, 4, {2.75, 5.5, 0.25}, {0.5, 1, 0.5}},
    {"distance", ref_distance, false, false, true, false, 1, 4, {2.5, 5.5, 0}, {2, 2, 2}},
    {"normalize", ref_normalize, true, false, false, false, 1, 4, {2, 4.5, 1}, {1, 1, 1}},
    {"fast_length", ref_length, false, false, false, true, 1, 4, {8191.5}, {1}},
    {"fast_distance", ref_distance, false, false, true, true, 1, 4, {8191.5}, {2}},
    {"fast_normalize", ref_normalize, true, false, false, true, 1, 4, {8192}, {1}},
};
enum { N_FNS = sizeof fns / sizeof *fns };

static long double get(const struct type *t, const void *p, unsigned i)
{
    float f;
    double d;
    _Float16 h;
    if (t->bits == 16)
        return memcpy(&h, (const char *)p + 2 * i, 2), (long double)h;
    if (t->bits == 32)
        return memcpy(&f, (const char *)p + 4 * i, 4), f;
    return memcpy(&d, (const char *)p + 8 * i, 8), d;
}

static void put(const struct type *t, void *p, unsigned i, long double v)
{
    float f = (float)v;
    double d = (double)v;
    _Float16 h = (_Float16)v;
    memcpy((char *)p + i * t->bits / 8,
           t->bits == 16   ? (void *)&h
           : t->bits == 32 ? (void *)&f
                           : (void *)&d,
           t->bits / 8);
}

/* Components of a vector are of like size; the vector's is anywhere that its length is a normal
 * number. */
static void fill(const struct type *t, const struct fn *f, void *p, unsigned n)
{
    for (unsigned i = 0; i < N; i++) {
        int range = t->most - 4 - 2, e = (int)(clu_random() % (unsigned)(2 * range)) - range;
        if (f->is_fast || f->is_absolute || i % 2 == 0)
            e = t->bits == 16 ? 0 : (int)(clu_random() % 17) - 8;
        for (unsigned k = 0; k < n; k++) {
            long double m = (long double)(int64_t)clu_random() * 0x1p-62L;
            put(t, p, i * n + k, clu_random() % 8 ? ldexpl(m, e) : 0);
        }
    }
}

static void check(const struct type *t, const struct fn *f, unsigned n)
{
    static char a[8 * MAX_N * N], b[8 * MAX_N * N], got[8 * MAX_N * N];
    char source[1024], width[12] = "", load[2][40];
    unsigned nth = (unsigned)(t - types), out = f->is_vector ? n : 1;

    for (unsigned k = 0; k < 2; k++)
        snprintf(load[k], sizeof(load[k]), n > 1 ? "vload%2$u(i, %1$c)" : "%c[i]", "ab"[k], n);
    if (n > 1)
        snprintf(width, sizeof(width), "%u", n);
    snprintf(source, sizeof(source),
             "%s%s%s\nkernel void k(global %s *r, global const %s *a, global const %s *b) {\n"
             " size_t i = get_global_id(0);\n %s%s v = %s(%s%s%s);\n %s;\n}\n",
             *t->extension ? "#pragma OPENCL EXTENSION " : "", t->extension,
             *t->extension ? " : enable" : "", t->name, t->name, t->name, t->name,
             f->is_vector ? width : "", f->name, load[0], f->two ? ", " : "", f->two ? load[1] : "",
             !f->is_vector || n == 1 ? "r[i] = v"
             : n == 2                ? "vstore2(v, i, r)"
             : n == 3                ? "vstore3(v, i, r)"
                                     : "vstore4(v, i, r)");
    fill(t, f, a, n);
    fill(t, f, b, n);
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "k");
    cl_mem m[3] = {clu_buffer(sizeof(got), NULL), clu_buffer(sizeof(a), a),
                   clu_buffer(sizeof(b), b)};
    for (unsigned i = 0; i < 3; i++)
        clu_arg_mem(k, i, m[i]);
    clu_run(k, N, 0);
    clu_read(m[0], sizeof(got), got);

    double allowed = f->base[nth] + f->each[nth] * n;
    for (unsigned i = 0; i < N; i++) {
        long double x[MAX_N], y[MAX_N], want[MAX_N], max_x = 0, max_y = 0;
        for (unsigned c = 0; c < n; c++) {
            x[c] = get(t, a, i * n + c);
            y[c] = get(t, b, i * n + c);
            max_x = fmaxl(max_x, fabsl(x[c]));
            max_y = fmaxl(max_y, fabsl(y[c]));
        }
        f->ref(x, y, n, want);
        for (unsigned c = 0; c < out; c++) {
            long double is = get(t, got, i * out + c), error = fabsl(is - want[c]);
            int e = want[c] == 0 ? t->least : ilogbl(want[c]);
            long double unit =
                f->is_absolute
                    ? fmaxl(max_x, max_y) * fmaxl(max_x, max_y) * ldexpl(1, -(int)t->fraction)
                    : ldexpl(1, (e < t->least ? t->least : e) - (int)t->fraction);
            bool flushed = t->bits == 32 && fabsl(want[c]) < FLT_MIN && fabsl(is) <= FLT_MIN;
            CHECKF(flushed || error <= allowed * unit,
                   "%s, %s%s: element %u is %La, not %La: %Lg units, %g allowed (%La %La %La %La)",
                   f->name, t->name, width, c, is, want[c], error / unit, allowed, x[0],
                   n > 1 ? x[1] : 0, n > 2 ? x[2] : 0, n > 3 ? x[3] : 0);
        }
    }
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseMemObject(m[i]));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

/* normalize of zeros, of something that is no number, of infinities: the latter are ones, what is
 * finite is zero. */
static void check_special(void)
{
    static const struct {
        float in[4], want[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0, 0, 0}},
        {{1, NAN, 0, 0}, {NAN, NAN, NAN, NAN}},
        {{0, 0, 0, NAN}, {NAN, NAN, NAN, NAN}},
        {{INFINITY, 5, 0, 0}, {1, 0, 0, 0}},
        {{-INFINITY, 5, INFINITY, 0}, {-0.70710678f, 0, 0.70710678f, 0}},
        {{0, 0, 0x1p-126f, 0}, {0, 0, 1, 0}},
        {{0x1p127f, 0x1p127f, 0x1p127f, 0x1p127f}, {0.5f, 0.5f, 0.5f, 0.5f}},
    };
    enum { N_CASES = sizeof cases / sizeof *cases };
    float in[N_CASES][4], got[N_CASES][4];
    for (unsigned i = 0; i < N_CASES; i++)
        memcpy(in[i], cases[i].in, sizeof(in[i]));
    cl_program p = clu_build("kernel void k(global float4 *r, global const float4 *a) {\n"
                             " size_t i = get_global_id(0); r[i] = normalize(a[i]); }\n",
                             "");
    cl_kernel k = clu_kernel(p, "k");
    cl_mem m[2] = {clu_buffer(sizeof(got), NULL), clu_buffer(sizeof(in), in)};
    clu_arg_mem(k, 0, m[0]);
    clu_arg_mem(k, 1, m[1]);
    clu_run(k, N_CASES, 0);
    clu_read(m[0], sizeof(got), got);
    for (unsigned i = 0; i < N_CASES; i++) {
        for (unsigned c = 0; c < 4; c++)
            CHECKF(isnan(cases[i].want[c]) ? isnan(got[i][c])
                                           : fabsf(got[i][c] - cases[i].want[c]) <= 6 * 0x1p-24f,
                   "normalize, case %u: element %u is %a, not %a", i, c, got[i][c],
                   cases[i].want[c]);
    }
    CL(clReleaseMemObject(m[0]));
    CL(clReleaseMemObject(m[1]));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

int main(void)
{
    static char extensions[4096];

    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    for (unsigned t = 0; t < N_TYPES; t++) {
        if (!strstr(extensions, types[t].extension))
            continue;
        for (unsigned i = 0; i < N_FNS; i++) {
            for (unsigned n = fns[i].first; n <= fns[i].last && !(t && fns[i].is_fast); n++)
                check(&types[t], &fns[i], n);
        }
    }
    check_special();
    clu_close();
    return utest_end();
}
