/* Programs at the edges, that C writes: hundreds of statements, arguments up to the limit, bodies
 * longer than a branch of Gen7 reaches, names that nothing defines. */
#include <stdarg.h>

#include "clu.h"

enum { N = 64, TEXT = 1 << 21 };

static char text[TEXT];
static size_t length;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    length += vsnprintf(text + length, TEXT - length, format, ap);
    va_end(ap);
    REQUIRE(length < TEXT);
}

/* Statements of a generated kernel: the same text is its meaning in OpenCL and in C. */
#define STATEMENTS(S)                                                                              \
    S(a + b * c)                                                                                   \
    S(a - (b ^ c))                                                                                 \
    S((a << (b & 15)) | (c >> 9))                                                                  \
    S(a > b ? c : a ^ k)                                                                           \
    S((a & k) + (b | c))                                                                           \
    S(a / (b | 1) + c)                                                                             \
    S(a % (c % 97 + 1) + b)                                                                        \
    S((int32_t)a >> (b & 31) ^ c)                                                                  \
    S((uint16_t)a *(uint8_t)b + c)                                                                 \
    S((a ^ b) & 4 ? a + k : b - c)

static const char *const statement_text[] = {
#define TEXT_OF(e) #e,
    STATEMENTS(TEXT_OF)
#undef TEXT_OF
};
enum { N_STATEMENTS = sizeof statement_text / sizeof *statement_text, N_VARS = 12 };

static uint32_t meaning(unsigned what, uint32_t a, uint32_t b, uint32_t c, uint32_t k)
{
    unsigned at = 0;
#define MEANING(e)                                                                                 \
    if (at++ == what)                                                                              \
        return e;
    STATEMENTS(MEANING)
#undef MEANING
    return 0;
}

/* A kernel of so many lines: x[d] = statement of x[s], x[t], x[d], under an if now and then, all in
 * a loop that the argument turns, and its results. */
static void generate(unsigned lines, int turns, uint32_t *want)
{
    uint64_t seed = clu_random();
    uint32_t x[N][N_VARS];
    length = 0;
    put("typedef int int32_t; typedef ushort uint16_t; typedef uchar uint8_t;\n");
    for (unsigned s = 0; s < N_STATEMENTS; s++)
        put("#define S%u(a, b, c, k) (%s)\n", s, statement_text[s]);
    put("kernel void k(global uint *out, int n)\n{\n    uint i = get_global_id(0)");
    for (unsigned v = 0; v < N_VARS; v++)
        put(", x%u = i * %uu", v, 2654435761u * (v + 1));
    put(";\n    for (int turn = 0; turn < n; turn++) {\n");
    for (unsigned i = 0; i < N; i++) {
        for (unsigned v = 0; v < N_VARS; v++)
            x[i][v] = i * (2654435761u * (v + 1));
    }
    for (int turn = 0; turn < turns; turn++) {
        clu_seed = seed;
        for (unsigned l = 0; l < lines; l++) {
            uint64_t r = clu_random();
            unsigned what = r % N_STATEMENTS, d = r >> 8 & 0xff, s = r >> 16 & 0xff,
                     t = r >> 24 & 0xff;
            bool guarded = (r >> 60) == 0;
            uint32_t k = (uint32_t)(r >> 32) & 0xffff;
            d %= N_VARS, s %= N_VARS, t %= N_VARS;
            if (turn == 0)
                put("        %sx%u = S%u(x%u, x%u, x%u, %uu);\n", guarded ? "if (x0 & 8) " : "", d,
                    what, s, t, d, k);
            for (unsigned i = 0; i < N; i++) {
                if (!guarded || x[i][0] & 8)
                    x[i][d] = meaning(what, x[i][s], x[i][t], x[i][d], k);
            }
        }
    }
    put("    }\n    out[i] = x0");
    for (unsigned v = 1; v < N_VARS; v++)
        put(" ^ x%u", v);
    put(";\n}\n");
    for (unsigned i = 0; i < N; i++) {
        want[i] = 0;
        for (unsigned v = 0; v < N_VARS; v++)
            want[i] ^= x[i][v];
    }
}

static void run_generated(cl_program p, int turns, const uint32_t *want)
{
    uint32_t got[N];
    cl_kernel k = clu_kernel(p, "k");
    cl_mem m = clu_buffer(sizeof got, NULL);
    clu_arg_mem(k, 0, m);
    CL(clSetKernelArg(k, 1, sizeof turns, &turns));
    clu_run(k, N, 16);
    clu_read(m, sizeof got, got);
    for (unsigned i = 0; i < N; i++)
        CHECKF(got[i] == want[i], "item %u got %#x want %#x", i, got[i], want[i]);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

static void test_lines(unsigned lines)
{
    uint32_t want[N];
    generate(lines, 3, want);
    cl_program p = clu_build(text, "");
    run_generated(p, 3, want);
    CL(clReleaseProgram(p));
}

static cl_program build(const char *source, cl_int *status, char *log, size_t size)
{
    cl_int e;
    cl_program p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &e);
    CL(e);
    *status = clBuildProgram(p, 1, &clu_device, "", NULL, NULL);
    CL(clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
    return p;
}

/* A function that nothing defines is named, by a build and by a link. */
static void test_undefined(void)
{
    const char *source = "int nowhere_to_be_found(int);\n"
                         "kernel void k(global int *o) { o[0] = nowhere_to_be_found(o[1]); }\n";
    static char log[65536];
    cl_int e;
    cl_program p = build(source, &e, log, sizeof log);
    CHECKF(e == CL_BUILD_PROGRAM_FAILURE, "status %d", e);
    CHECKF(strstr(log, "nowhere_to_be_found"), "log %s", log);
    CL(clReleaseProgram(p));
    p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &e);
    CL(e);
    CL(clCompileProgram(p, 1, &clu_device, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(clu_context, 1, &clu_device, "", 1, &p, NULL, NULL, &e);
    CHECKF(e == CL_LINK_PROGRAM_FAILURE, "status %d", e);
    if (linked) {
        CL(clGetProgramBuildInfo(linked, clu_device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        CHECKF(strstr(log, "nowhere_to_be_found"), "log %s", log);
        CL(clReleaseProgram(linked));
    }
    CL(clReleaseProgram(p));
}

/* 128 arguments: out, and values or buffers in turn with them. */
static void test_arguments(unsigned every)
{
    enum { COUNT = 128 };
    int want = 0, got;
    cl_mem mem[COUNT];
    length = 0;
    put("kernel void k(global int *a0");
    for (unsigned a = 1; a < COUNT; a++)
        put(a % every ? ", int a%u" : ", global const int *a%u", a);
    put(")\n{\n    int r = 0;\n");
    for (unsigned a = 1; a < COUNT; a++)
        put("    r = r * 3 + a%u%s;\n", a, a % every ? "" : "[1]");
    put("    a0[get_global_id(0)] = r;\n}\n");
    cl_program p = clu_build(text, "");
    cl_kernel k = clu_kernel(p, "k");
    for (unsigned a = 0; a < COUNT; a++) {
        int v[2] = {0, (int)(a * 37 + 5)};
        if (a % every == 0) {
            mem[a] = clu_buffer(sizeof v, v);
            clu_arg_mem(k, a, mem[a]);
        } else {
            CL(clSetKernelArg(k, a, sizeof(int), &v[1]));
        }
        want = a ? (int)((unsigned)want * 3 + (unsigned)v[1]) : 0;
    }
    clu_run(k, 1, 1);
    clu_read(mem[0], sizeof got, &got);
    CHECKF(got == want, "buffer every %u: got %#x want %#x", every, got, want);
    for (unsigned a = 0; a < COUNT; a += every)
        CL(clReleaseMemObject(mem[a]));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

/* Values of together bytes, each of size: what CL_DEVICE_MAX_PARAMETER_SIZE allows builds, and each
 * argument is where it belongs. */
static void test_values(const char *type, size_t size, size_t bytes)
{
    unsigned count = (unsigned)(bytes / size);
    uint32_t want = 0, got;
    length = 0;
    put("kernel void k(global uint *out");
    for (unsigned a = 1; a < count; a++)
        put(", %s a%u", type, a);
    put(")\n{\n    uint r = 0;\n");
    for (unsigned a = 1; a < count; a++)
        put("    r = r * 3 + (uint)a%u;\n", a);
    put("    out[get_global_id(0)] = r;\n}\n");
    cl_program p = clu_build(text, "");
    cl_kernel k = clu_kernel(p, "k");
    cl_mem m = clu_buffer(sizeof got, NULL);
    cl_uint n;
    CL(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
    CHECK(n == count);
    clu_arg_mem(k, 0, m);
    for (unsigned a = 1; a < count; a++) {
        uint64_t v = a * 37 % 101; /* little-endian: the first bytes are the value */
        CL(clSetKernelArg(k, a, size, &v));
        want = want * 3 + (uint32_t)v;
    }
    clu_run(k, 1, 1);
    clu_read(m, sizeof got, &got);
    CHECKF(got == want, "%u of %s: got %#x want %#x", count - 1, type, got, want);
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

/* One argument more than a kernel can have. */
static void test_too_many(void)
{
    static char log[65536];
    cl_int e;
    length = 0;
    put("kernel void many(global uint *out");
    for (unsigned a = 1; a <= 1024; a++)
        put(", char a%u", a);
    put(")\n{\n    out[0] = a1024;\n}\n");
    cl_program p = build(text, &e, log, sizeof log);
    CHECKF(e == CL_BUILD_PROGRAM_FAILURE, "status %d", e);
    CHECKF(strstr(log, "'many'") && strstr(log, "too many arguments"), "log %.2000s", log);
    CL(clReleaseProgram(p));
}

/* A loop over more than Gen7's branches reach, 256 KiB: right from Gen8 on, which has halves,
 * before a build that says why. */
static void test_far(void)
{
    static char log[65536], extensions[8192];
    uint32_t want[N];
    cl_int e;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    bool reaches = strstr(extensions, "cl_khr_fp16");
    generate(7000, 2, want);
    cl_program p = build(text, &e, log, sizeof log);
    CHECKF((e == CL_SUCCESS) == reaches, "status %d, log %.2000s", e, log);
    if (e == CL_SUCCESS) {
        run_generated(p, 2, want);
    } else {
        CHECKF(e == CL_BUILD_PROGRAM_FAILURE, "status %d", e);
        CHECKF(strstr(log, "kernel 'k'") && strstr(log, "branches reach"), "log %.2000s", log);
        fprintf(stderr, "a long loop is refused: %.200s\n", log);
    }
    CL(clReleaseProgram(p));
}

int main(void)
{
    clu_open();
    test_undefined();
    test_arguments(128);
    test_arguments(2);
    test_arguments(1);
    size_t bytes;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof bytes, &bytes, NULL));
    REQUIRE(bytes == 1024);
    test_values("char", 1, bytes);
    test_values("short", 2, bytes);
    test_values("int", 4, bytes);
    test_values("long", 8, bytes);
    test_too_many();
    test_lines(100);
    test_lines(700);
    test_lines(2000);
    test_far();
    clu_close();
    return utest_end();
}
