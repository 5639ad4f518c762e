/* Functions that move values, for every type: vload and vstore of each width in each address space,
 * halves as storage (aligned or not, each rounding mode, from floats and doubles), shuffles, any
 * and all, asynchronous copies of every scalar and vector, prefetch. A value that is moved has an
 * index of its own, so what comes out says where from. */
#include <fenv.h>
#include <math.h>
#include <stdarg.h>

#include "clu.h"

/* Elements of a buffer, and work-items to a group. */
enum { N = 1024, GROUP = 8 };

static const struct type {
    const char *name, *mask, *extension;
    unsigned bits;
    bool is_integer;
} types[] = {
    {"char", "uchar", "", 8, true},
    {"uchar", "uchar", "", 8, true},
    {"short", "ushort", "", 16, true},
    {"ushort", "ushort", "", 16, true},
    {"int", "uint", "", 32, true},
    {"uint", "uint", "", 32, true},
    {"long", "ulong", "", 64, true},
    {"ulong", "ulong", "", 64, true},
    {"float", "uint", "", 32, false},
    {"double", "ulong", "cl_khr_fp64", 64, false},
    {"half", "ushort", "cl_khr_fp16", 16, false},
};
enum { N_TYPES = sizeof types / sizeof *types };
static const unsigned widths[] = {2, 3, 4, 8, 16};
enum { N_WIDTHS = sizeof widths / sizeof *widths, TEXT = 1 << 17 };

static char text[TEXT];
static size_t length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    length += (size_t)vsnprintf(text + length, TEXT - length, format, ap);
    va_end(ap);
    REQUIRE(length < TEXT);
}

static void begin(const struct type *t)
{
    length = 0;
    text[0] = 0;
    if (*t->extension)
        say("#pragma OPENCL EXTENSION %s : enable\n", t->extension);
}

static void run(cl_program p, const char *name, const cl_mem *m, unsigned n, size_t items)
{
    cl_kernel k = clu_kernel(p, name);
    for (unsigned i = 0; i < n; i++)
        clu_arg_mem(k, i, m[i]);
    clu_run(k, items, GROUP);
    CL(clReleaseKernel(k));
}

static uint64_t get(const struct type *t, const void *p, unsigned i)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)p + i * t->bits / 8, t->bits / 8);
    return v;
}

/* Any bits, but of floats normal values, which no move may change. */
static void fill(const struct type *t, char *p)
{
    for (unsigned i = 0; i < N; i++) {
        uint64_t v = clu_random();
        if (t->bits == 32 && !t->is_integer)
            v = (v & 0x807fffff) | (1 + (v >> 32) % 254) << 23;
        else if (t->bits == 64 && !t->is_integer)
            v = (v & 0x800fffffffffffff) | (1 + (clu_random() >> 32) % 2046) << 52;
        else if (t->bits == 16 && !t->is_integer)
            v = (v & 0x83ff) | (1 + (v >> 32) % 30) << 10;
        memcpy(p + i * t->bits / 8, &v, t->bits / 8);
    }
}

/* ---- vload, vstore ---- */

/* Work-item i takes vector i of an array that begins one element late, through each space, and puts
 * it where vector i of the items in reverse is; what lies between and around stays. */
static void check_vectors(const struct type *t)
{
    static char in[8 * N], out[8 * N], got[8 * N];
    static const struct {
        const char *name, *declare, *fill, *p;
    } spaces[] = {
        {"global", "", "", "in + 1"},
        {"constant", "", "", "fixed + 1"},
        {"local", "local %s own[16 * 8 + 1];", "own", "own + 1"},
        {"private", "%s own[16 + 1];", "own", "own + 1"},
    };
    begin(t);
    for (unsigned w = 0; w < N_WIDTHS; w++) {
        unsigned width = widths[w];
        for (unsigned s = 0; s < 4; s++) {
            say("kernel void %s%u(global %s *out, global const %s *in, constant %s *fixed) {\n"
                " size_t i = get_global_id(0), l = get_local_id(0), n = get_global_size(0);\n",
                spaces[s].name, width, t->name, t->name, t->name);
            if (s == 2) /* through local memory there and back, by vstore and vload */
                say(" local %s own[%u];\n vstore%u(vload%u(i, in + 1), l, own + 1);\n"
                    " barrier(CLK_LOCAL_MEM_FENCE);\n"
                    " vstore%u(vload%u(l ^ 1, own + 1), n - 1 - (i ^ 1), out + 1);\n}\n",
                    t->name, 16 * GROUP + 1, width, width, width, width);
            else if (s == 3)
                say(" %s own[33];\n for (int k = 0; k < 33; k++) own[k] = 0;\n"
                    " vstore%u(vload%u(i, in + 1), i & 1, own + 1);\n"
                    " vstore%u(vload%u(i & 1, own + 1), n - 1 - i, out + 1);\n}\n",
                    t->name, width, width, width, width);
            else
                say(" vstore%u(vload%u(i, %s), n - 1 - i, out + 1);\n}\n", width, width,
                    spaces[s].p);
        }
    }
    cl_program p = clu_build(text, "");
    fill(t, in);
    cl_mem m[3] = {clu_buffer(sizeof(out), NULL), clu_buffer(sizeof(in), in),
                   clu_buffer(sizeof(in), in)};
    for (unsigned w = 0; w < N_WIDTHS; w++) {
        unsigned width = widths[w], items = (N - 1) / width / GROUP * GROUP;
        if (items > 64)
            items = 64;
        for (unsigned s = 0; s < 4; s++) {
            char name[20];
            snprintf(name, sizeof(name), "%s%u", spaces[s].name, width);
            memset(out, 0x5a, sizeof(out));
            CL(clEnqueueWriteBuffer(clu_queue, m[0], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
            run(p, name, m, 3, items);
            clu_read(m[0], sizeof(got), got);
            for (unsigned i = 0; i < items * width; i++) {
                unsigned from = (items - 1 - i / width) * width + i % width + 1, to = i + 1;
                memcpy(out + to * t->bits / 8, in + from * t->bits / 8, t->bits / 8);
            }
            CHECKF(!memcmp(out, got, sizeof(got)), "vload%u, vstore%u of %s, %s", width, width,
                   t->name, spaces[s].name);
        }
    }
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseMemObject(m[i]));
    CL(clReleaseProgram(p));
}

/* ---- shuffle, any, all ---- */

static void check_shuffles(const struct type *t)
{
    static char in[8 * N], mask[8 * N], got[8 * N];
    enum { ITEMS = 32 };
    begin(t);
    for (unsigned a = 0; a < N_WIDTHS; a++) {
        for (unsigned b = 0; b < N_WIDTHS; b++) {
            unsigned n = widths[a], m = widths[b];
            if (n == 3 || m == 3)
                continue;
            say("kernel void one%u_%u(global %s *r, global const %s *x, global const %s *m) {\n"
                " size_t i = get_global_id(0); vstore%u(shuffle(vload%u(i, x), vload%u(i, m)), i, "
                "r); }\n"
                "kernel void two%u_%u(global %s *r, global const %s *x, global const %s *m) {\n"
                " size_t i = get_global_id(0);\n"
                " vstore%u(shuffle2(vload%u(i, x), vload%u(i + 1, x), vload%u(i, m)), i, r); }\n",
                n, m, t->name, t->name, t->mask, m, n, m, n, m, t->name, t->name, t->mask, m, n, n,
                m);
        }
    }
    cl_program p = clu_build(text, "");
    fill(t, in);
    for (unsigned i = 0; i < sizeof(mask); i++)
        mask[i] = (char)clu_random();
    cl_mem b[3] = {clu_buffer(sizeof(got), NULL), clu_buffer(sizeof(in), in),
                   clu_buffer(sizeof(mask), mask)};
    for (unsigned k = 0; k < 2 * N_WIDTHS * N_WIDTHS; k++) {
        unsigned n = widths[k / 2 / N_WIDTHS], m = widths[k / 2 % N_WIDTHS], wrong = 0;
        char name[20];
        if (n == 3 || m == 3)
            continue;
        snprintf(name, sizeof(name), "%s%u_%u", k % 2 ? "two" : "one", n, m);
        run(p, name, b, 3, ITEMS);
        clu_read(b[0], sizeof(got), got);
        for (unsigned i = 0; i < ITEMS * m; i++) {
            unsigned from = (unsigned)get(t, mask, i) % (k % 2 ? 2 * n : n);
            wrong += get(t, got, i) != get(t, in, i / m * n + from);
        }
        CHECKF(!wrong, "shuffle%s of %s%u, %u: %u wrong", k % 2 ? "2" : "", t->name, n, m, wrong);
    }
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseMemObject(b[i]));
    CL(clReleaseProgram(p));
}

/* Of signed integers: the top bits. */
static void check_any_all(const struct type *t)
{
    static char in[8 * N];
    static cl_int got[2 * N];
    begin(t);
    say("kernel void f1(global int2 *r, global const %s *x) { size_t i = get_global_id(0);\n"
        " r[i] = (int2)(any(x[i]), all(x[i])); }\n",
        t->name);
    for (unsigned w = 0; w < N_WIDTHS; w++)
        say("kernel void f%u(global int2 *r, global const %s *x) { size_t i = get_global_id(0);\n"
            " r[i] = (int2)(any(vload%u(i, x)), all(vload%u(i, x))); }\n",
            widths[w], t->name, widths[w], widths[w]);
    cl_program p = clu_build(text, "");
    for (unsigned i = 0; i < N; i++) { /* runs of either, so that all is true now and then */
        uint64_t v = clu_random(), top = 1ull << (t->bits - 1);
        v = i / 32 % 3 == 0 ? v | top : i / 32 % 3 == 1 ? v & ~top : v;
        memcpy(in + i * t->bits / 8, &v, t->bits / 8);
    }
    cl_mem b[2] = {clu_buffer(sizeof(got), NULL), clu_buffer(sizeof(in), in)};
    for (unsigned w = 0; w <= N_WIDTHS; w++) {
        unsigned width = w ? widths[w - 1] : 1, items = N / width / GROUP * GROUP, wrong = 0;
        char name[20];
        snprintf(name, sizeof(name), "f%u", width);
        run(p, name, b, 2, items);
        clu_read(b[0], sizeof(got), got);
        for (unsigned i = 0; i < items; i++) {
            int any = 0, all = 1;
            for (unsigned k = 0; k < width; k++) {
                int top = get(t, in, i * width + k) >> (t->bits - 1) & 1;
                any |= top;
                all &= top;
            }
            wrong += got[2 * i] != any || got[2 * i + 1] != all;
        }
        CHECKF(!wrong, "any, all of %s%u: %u wrong", t->name, width, wrong);
    }
    CL(clReleaseMemObject(b[0]));
    CL(clReleaseMemObject(b[1]));
    CL(clReleaseProgram(p));
}

/* ---- copies ---- */

/* A group takes its part into local memory, and puts it back elsewhere, straight and with strides.
 */
static void check_async(const struct type *t)
{
    static char in[8 * N], want[8 * N], got[8 * N];
    enum { GROUPS = 2, EACH = 5 }; /* copied by a group; 3-vectors are copied as 4 */
    begin(t);
    for (unsigned w = 0; w <= N_WIDTHS; w++) {
        char type[20];
        unsigned width = w ? widths[w - 1] : 1;
        snprintf(type, sizeof(type), w ? "%s%u" : "%s", t->name, width);
        say("kernel void copy%u(global %s *out, global const %s *in) {\n local %s l[%u];\n"
            " size_t g = get_group_id(0) * %u; prefetch(in + g, %u);\n"
            " event_t e = async_work_group_copy(l, in + g, %u, 0);\n"
            " wait_group_events(1, &e);\n"
            " e = async_work_group_copy(out + g + 1, l, %u, 0); wait_group_events(1, &e); }\n"
            "kernel void strided%u(global %s *out, global const %s *in) {\n local %s l[%u];\n"
            " size_t g = get_group_id(0) * %u;\n"
            " event_t e = async_work_group_strided_copy(l, in + g, %u, 3, 0);\n"
            " wait_group_events(1, &e);\n"
            " e = async_work_group_strided_copy(out + g, l, %u, 2, 0); wait_group_events(1, &e); "
            "}\n",
            width, type, type, type, EACH, EACH, EACH, EACH, EACH, width, type, type, type, EACH,
            3 * EACH, EACH, EACH);
    }
    cl_program p = clu_build(text, "");
    fill(t, in);
    cl_mem b[2] = {clu_buffer(sizeof(got), NULL), clu_buffer(sizeof(in), in)};
    for (unsigned k = 0; k < 2 * (N_WIDTHS + 1); k++) {
        unsigned width = k / 2 ? widths[k / 2 - 1] : 1,
                 size = (width == 3 ? 4 : width) * t->bits / 8;
        char name[20];
        snprintf(name, sizeof(name), "%s%u", k % 2 ? "strided" : "copy", width);
        memset(want, 0x5a, sizeof(want));
        CL(clEnqueueWriteBuffer(clu_queue, b[0], CL_TRUE, 0, sizeof(want), want, 0, NULL, NULL));
        run(p, name, b, 2, GROUPS * GROUP);
        clu_read(b[0], sizeof(got), got);
        for (unsigned g = 0; g < GROUPS; g++) {
            for (unsigned i = 0; i < EACH; i++) {
                unsigned from = k % 2 ? g * 3 * EACH + 3 * i : g * EACH + i;
                unsigned to = k % 2 ? g * 3 * EACH + 2 * i : g * EACH + i + 1;
                memcpy(want + to * size, in + from * size, size);
            }
        }
        bool same = true; /* a vector of three may leave its fourth element */
        for (unsigned i = 0; i < sizeof(got); i++)
            same &= got[i] == want[i] || (width == 3 && i % size >= 3 * t->bits / 8);
        CHECKF(same, "%s of %s%u",
               k % 2 ? "async_work_group_strided_copy" : "async_work_group_copy", t->name, width);
    }
    CL(clReleaseMemObject(b[0]));
    CL(clReleaseMemObject(b[1]));
    CL(clReleaseProgram(p));
}

/* ---- halves ---- */

static long double half_value(unsigned h)
{
    int e = h >> 10 & 31;
    long double m = h & 1023, v = e == 31 ? (m ? NAN : INFINITY)
                                  : e     ? ldexpl(1024 + m, e - 25)
                                          : ldexpl(m, -24);
    return h & 0x8000 ? -v : v;
}

static unsigned half_of(long double v, int mode)
{
    unsigned sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v))
        return 0x7e00;
    if (isinf(v) || v == 0)
        return sign | (v == 0 ? 0 : 0x7c00);
    int e = ilogbl(v) < -14 ? -14 : ilogbl(v);
    fesetround(mode);
    volatile long double x = ldexpl(v, 10 - e), q = rintl(x);
    fesetround(FE_TONEAREST);
    unsigned bits = (unsigned)((e + 14) << 10) + (unsigned)fabsl(q);
    if (bits >= 0x7c00)
        bits = mode == FE_TONEAREST || mode == (sign ? FE_DOWNWARD : FE_UPWARD) ? 0x7c00 : 0x7bff;
    return sign | bits;
}

/* vstore_half and vstorea_half, then vload_half and vloada_half of all halves: a is for aligned,
 * where three take the place of four. */
static void check_halves(const struct type *t)
{
    static const struct {
        const char *suffix;
        int host;
    } modes[] = {{"", FE_TONEAREST},
                 {"_rte", FE_TONEAREST},
                 {"_rtz", FE_TOWARDZERO},
                 {"_rtp", FE_UPWARD},
                 {"_rtn", FE_DOWNWARD}};
    static const unsigned all_widths[] = {1, 2, 3, 4, 8, 16};
    enum { N_MODES = 5 };
    static double in[N];
    static float in_float[N], loaded[4 * N];
    static uint16_t got[2 * N], halves[2 * N];
    bool is_double = t->bits == 64;

    begin(t);
    for (unsigned w = 0; w < 6; w++) {
        unsigned n = all_widths[w];
        char s[4] = "", load[20] = "p[i]", put[30] = "r[i] = v";
        if (w) {
            snprintf(s, sizeof(s), "%hhu", (unsigned char)n);
            snprintf(load, sizeof(load), "vload%u(i, p)", n);
            snprintf(put, sizeof(put), "vstore%u(v, i, r)", n);
        }
        for (unsigned a = 0; a < 2; a++) {
            for (unsigned k = 0; k < N_MODES; k++)
                say("kernel void store%u_%u_%u(global half *r, global const %s *p) {\n size_t i = "
                    "get_global_id(0);\n"
                    " vstore%s_half%s%s(%s, i, r); }\n",
                    n, a, k, t->name, a ? "a" : "", s, modes[k].suffix, load);
            if (!is_double)
                say("kernel void load%u_%u(global float *r, global const half *p) {\n size_t i = "
                    "get_global_id(0);\n"
                    " float%s v = vload%s_half%s(i, p); %s; }\n",
                    n, a, s, a ? "a" : "", s, put);
        }
    }
    cl_program p = clu_build(text, "");
    for (unsigned i = 0; i < N; i++) {
        uint64_t r = clu_random();
        in[i] = ldexp((double)(int64_t)clu_random(), (int)(r % 44) - 26 - 63);
        if (r >> 8 & 1) /* next to half-way between two halves */
            in[i] = (double)(half_value(r >> 16 & 0x7bff) + half_value((r >> 16 & 0x7bff) + 1)) /
                    2 * (1 + ((r >> 32) % 3 - 1) * (is_double ? 0x1p-50 : 0x1p-22));
        if (r >> 9 % 64 == 0)
            in[i] = -in[i];
        if (i < 8)
            in[i] = (const double[]){0, -0.0, INFINITY, -INFINITY, NAN, 65504, 65520, 1e30}[i];
        in_float[i] = (float)in[i];
        halves[i] = (uint16_t)clu_random();
        halves[N + i] = (uint16_t)i;
    }
    cl_mem from = is_double ? clu_buffer(sizeof(in), in) : clu_buffer(sizeof(in_float), in_float);
    cl_mem to = clu_buffer(sizeof(got), NULL), h = clu_buffer(sizeof(halves), halves),
           f = clu_buffer(sizeof(loaded), NULL);
    for (unsigned w = 0; w < 6; w++) {
        for (unsigned a = 0; a < 2; a++) {
            unsigned n = all_widths[w], step = a && n == 3 ? 4 : n, items = N / 16;
            char name[20];
            for (unsigned k = 0; k < N_MODES; k++) {
                unsigned wrong = 0;
                snprintf(name, sizeof(name), "store%u_%u_%u", n, a, k);
                memset(got, 0x5a, sizeof(got));
                CL(clEnqueueWriteBuffer(clu_queue, to, CL_TRUE, 0, sizeof(got), got, 0, NULL,
                                        NULL));
                run(p, name, (cl_mem[]){to, from}, 2, items);
                clu_read(to, sizeof(got), got);
                for (unsigned i = 0; i < items * n; i++) {
                    unsigned is = got[i / n * step + i % n];
                    long double v = is_double ? in[i] : (double)in_float[i];
                    unsigned want = half_of(v, modes[k].host);
                    if (is != want && !(isnan(v) && isnan(half_value(is))) && !wrong++)
                        fprintf(stderr, "vstore%s_half%u%s of %s %La: %04x, not %04x\n",
                                a ? "a" : "", n, modes[k].suffix, t->name, v, is, want);
                }
                for (unsigned i = 0; i < items && step == 4 && n == 3; i++)
                    wrong += got[4 * i + 3] != 0x5a5a;
                wrong += got[items * step] != 0x5a5a;
                CHECK(!wrong);
            }
            if (is_double)
                continue;
            unsigned wrong = 0;
            snprintf(name, sizeof(name), "load%u_%u", n, a);
            items = N / 16 * 2; /* of width 16 all */
            run(p, name, (cl_mem[]){f, h}, 2, items);
            clu_read(f, sizeof(loaded), loaded);
            for (unsigned i = 0; i < items * n; i++) {
                long double want = half_value(halves[i / n * step + i % n]);
                bool same = isnan(want)
                                ? isnan(loaded[i])
                                : want == loaded[i] && !signbit(want) == !signbit(loaded[i]);
                if (!same && !wrong++)
                    fprintf(stderr, "vload%s_half%u: %a, not %La\n", a ? "a" : "", n, loaded[i],
                            want);
            }
            CHECK(!wrong);
        }
    }
    cl_mem all[] = {from, to, h, f};
    for (unsigned i = 0; i < 4; i++)
        CL(clReleaseMemObject(all[i]));
    CL(clReleaseProgram(p));
}

int main(void)
{
    static char extensions[4096];

    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    for (unsigned i = 0; i < N_TYPES; i++) {
        const struct type *t = &types[i];
        if (!strstr(extensions, t->extension))
            continue;
        check_vectors(t);
        check_shuffles(t);
        check_async(t);
        if (t->is_integer && t->name[0] != 'u')
            check_any_all(t);
        if (!t->is_integer && t->bits >= 32)
            check_halves(t);
    }
    clu_close();
    return utest_end();
}
