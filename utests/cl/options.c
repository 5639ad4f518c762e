/* Options of clBuildProgram, clCompileProgram and clLinkProgram: which are known where, what they
 * do, what logs and links say. Expected values: OpenCL API specification, 5.8.6 and 5.8.7. */
#include "clu.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cl_int err;
static char log_text[65536];

static void read_log(cl_program p)
{
    log_text[0] = 0;
    CL(clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
}

static cl_program source(const char *text)
{
    cl_program p = clCreateProgramWithSource(clu_context, 1, &text, NULL, &err);
    CL(err);
    return p;
}

/* The code of a build; the log is in log_text. */
static cl_int build(const char *text, const char *options)
{
    cl_program p = source(text);
    cl_int e = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    read_log(p);
    clReleaseProgram(p);
    return e;
}

static cl_program compiled(const char *text, const char *options)
{
    cl_program p = source(text);
    err = clCompileProgram(p, 0, NULL, options, 0, NULL, NULL, NULL, NULL);
    if (err) {
        read_log(p);
        fprintf(stderr, "%s", log_text);
    }
    CL(err);
    return p;
}

/* Links and forgets the inputs; NULL after an error in err. */
static cl_program link_all(const char *options, unsigned n, cl_program *inputs)
{
    cl_program p = clLinkProgram(clu_context, 0, NULL, options, n, inputs, NULL, NULL, &err);
    for (unsigned i = 0; i < n; i++)
        clReleaseProgram(inputs[i]);
    if (p)
        read_log(p);
    return p;
}

/* What a kernel "k" of one int* writes. */
static cl_int run(cl_program p)
{
    cl_int v = -1;
    cl_kernel k = clu_kernel(p, "k");
    cl_mem m = clu_buffer(sizeof v, &v);
    clu_arg_mem(k, 0, m);
    clu_run(k, 1, 1);
    clu_read(m, sizeof v, &v);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    return v;
}

static cl_int run_built(const char *text, const char *options)
{
    cl_program p = clu_build(text, options);
    cl_int v = run(p);
    clReleaseProgram(p);
    return v;
}

/* Where each option is known: b(uild), c(ompile), l(ink). */
static void known(void)
{
    static const struct {
        const char *option, *where;
    } table[] = {
        {"", "bcl"},
        {"-D X", "bc"},
        {"-DX=3", "bc"},
        {"-I /", "bc"},
        {"-cl-single-precision-constant", "bc"},
        {"-cl-denorms-are-zero", "bcl"},
        {"-cl-fp32-correctly-rounded-divide-sqrt", ""}, /* the device hasn't the capability */
        {"-cl-opt-disable", "bc"},
        {"-cl-strict-aliasing", "bc"},
        {"-cl-uniform-work-group-size", "bc"},
        {"-cl-no-subgroup-ifp", "bcl"},
        {"-cl-mad-enable", "bc"},
        {"-cl-no-signed-zeros", "bcl"},
        {"-cl-unsafe-math-optimizations", "bcl"},
        {"-cl-finite-math-only", "bcl"},
        {"-cl-fast-relaxed-math", "bcl"},
        {"-w", "bc"},
        {"-Werror", "bc"},
        {"-cl-std=CL1.1", "bc"},
        {"-cl-std=CL1.2", "bc"},
        {"-cl-kernel-arg-info", "bc"},
        {"-g", "bcl"},
        {"-create-library", "l"},
        {"-create-library -enable-link-options", "l"},
        {"-enable-link-options", ""},
        {"-cl-no-such-option", ""},
        {"-O2", ""},
        {"-cl-mad-enable -x", ""},
        {"file.cl", ""},
        {"-D", ""},
        {"-D \"X", ""},
    };
    static const char *const text = "kernel void k(global int *p) { *p = 1; }";
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *o = table[i].option, *where = table[i].where;
        cl_int e = build(text, o);
        CHECKF(e == (strchr(where, 'b') ? CL_SUCCESS : CL_INVALID_BUILD_OPTIONS), "build '%s': %d",
               o, e);
        cl_program p = source(text);
        e = clCompileProgram(p, 0, NULL, o, 0, NULL, NULL, NULL, NULL);
        CHECKF(e == (strchr(where, 'c') ? CL_SUCCESS : CL_INVALID_COMPILER_OPTIONS),
               "compile '%s': %d", o, e);
        clReleaseProgram(p);
        p = compiled(text, "");
        cl_program all = link_all(o, 1, &p);
        CHECKF(err == (strchr(where, 'l') ? CL_SUCCESS : CL_INVALID_LINKER_OPTIONS),
               "link '%s': %d", o, err);
        CHECK((all != NULL) == (err == CL_SUCCESS));
        if (all)
            clReleaseProgram(all);
    }
}

static void definitions(void)
{
    static const char *const text =
        "#define STR(x) #x\n"
        "#define QUOTE(x) STR(x)\n"
        "kernel void k(global int *p) { constant char *s = X; int n = 0;"
        " while (s[n]) n++; *p = n; }";
    static const char *const number = "kernel void k(global int *p) { *p = X; }";
    CHECK(run_built(number, "-D X=7") == 7);
    CHECK(run_built(number, "-DX=8") == 8);
    CHECK(run_built(number, "-D X") == 1);
    CHECK(run_built(number, "-D X=1 -DX=9 -w") == 9); /* the last one */
    CHECK(run_built(number, "-D \"X=3 + 4\"") == 7);
    CHECK(run_built(number, "-D X='(2, 5)'") == 5);
    CHECK(run_built(number, "-D X=6\\ *\\ 7") == 42);
    CHECK(run_built(number, "  -D\tX=5  ") == 5);
    CHECK(run_built(number, "-D F(a)=a*a -DX=F(3)") == 9);
    CHECK(run_built(text, "-D X=\\\"abc\\\"") == 3);
    CHECK(run_built(text, "-D 'X=\"a b c\"'") == 5);
    CHECK(run_built(text, "-D X=QUOTE(ab)") == 2);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    REQUIRE(f && fputs(text, f) >= 0 && !fclose(f));
}

static void directories(void)
{
    char dir[] = BINARY_DIR "/options-XXXXXX", path[600], options[700];
    REQUIRE(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a b", dir);
    REQUIRE(!mkdir(path, 0700));
    snprintf(path, sizeof path, "%s/a b/one.h", dir);
    write_file(path, "#define ONE 1\n#include \"two.h\"\n");
    snprintf(path, sizeof path, "%s/two.h", dir);
    write_file(path, "#define TWO 2\n");
    static const char *const text =
        "#include \"one.h\"\n#include <two.h>\nkernel void k(global int *p) { *p = ONE + TWO; }";
    snprintf(options, sizeof options, "-I \"%s/a b\" -I%s", dir, dir);
    CHECK(run_built(text, options) == 3);
    snprintf(options, sizeof options, "-I%s/a\\ b -I %s", dir, dir);
    CHECK(run_built(text, options) == 3);
    CHECK(build(text, "") == CL_BUILD_PROGRAM_FAILURE && strstr(log_text, "one.h"));
    /* An error in a header is told with the header's name. */
    write_file(path, "\n#define TWO 2\nint f(int x) { return y; }\n");
    snprintf(options, sizeof options, "-I \"%s/a b\" -I%s", dir, dir);
    CHECK(build(text, options) == CL_BUILD_PROGRAM_FAILURE);
    CHECKF(strstr(log_text, "two.h:3"), "%s", log_text);
    unlink(path);
    snprintf(path, sizeof path, "%s/a b/one.h", dir);
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    rmdir(dir);
}

static void warnings(void)
{
    static const char *const text = "kernel void k(global int *p) { int x; if (p = 0) *p = 1; }";
    CHECK(build(text, "") == CL_SUCCESS && strstr(log_text, "warning"));
    CHECK(build(text, "-w") == CL_SUCCESS && !strstr(log_text, "warning"));
    CHECK(build(text, "-Werror") == CL_BUILD_PROGRAM_FAILURE && strstr(log_text, "error"));
    CHECK(build(text, "-w -Werror") == CL_SUCCESS);
    CHECK(build("kernel void k() {\n\n  int x = $;\n}", "") == CL_BUILD_PROGRAM_FAILURE);
    CHECKF(strstr(log_text, ":3:"), "%s", log_text);
    CHECK(build("#line 40 \"mine.cl\"\nkernel void k() { int x = y; }", "") ==
          CL_BUILD_PROGRAM_FAILURE);
    CHECKF(strstr(log_text, "mine.cl:40"), "%s", log_text);
}

static void language(void)
{
    static const char *const text = "kernel void k(global int *p) { *p = __OPENCL_C_VERSION__; }";
    CHECK(run_built(text, "") == 120); /* the greatest 1.x, whatever the device has */
    CHECK(run_built(text, "-cl-std=CL1.1") == 110);
    CHECK(run_built(text, "-cl-std=CL1.2") == 120);
    CHECK(build(text, "-cl-std=CL9.0") == CL_BUILD_PROGRAM_FAILURE);
    CHECK(build(text, "-cl-std=none") == CL_INVALID_BUILD_OPTIONS);
    CHECK(
        run_built(
            "kernel void k(global int *p) {\n"
            "#ifdef __FAST_RELAXED_MATH__\n*p = __FAST_RELAXED_MATH__;\n#else\n*p = 0;\n#endif\n}",
            "-cl-fast-relaxed-math") == 1);
    CHECK(run_built("kernel void k(global int *p) { *p = sizeof(1.0); }",
                    "-cl-single-precision-constant") == 4);
    CHECK(run_built("kernel void k(global int *p) { *p = 5; }", "-cl-opt-disable -g") == 5);
}

static void argument_info(void)
{
    static const char *const text = "kernel void k(global int *pointer) { *pointer = 1; }";
    char name[32] = "";
    cl_program p = clu_build(text, "-cl-kernel-arg-info");
    cl_kernel k = clu_kernel(p, "k");
    CL(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    CHECK(!strcmp(name, "pointer"));
    clReleaseKernel(k);
    clReleaseProgram(p);
    p = clu_build(text, "");
    k = clu_kernel(p, "k");
    CHECK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL) ==
          CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    clReleaseKernel(k);
    clReleaseProgram(p);
    /* A compile's option holds for what is linked of it. */
    p = compiled(text, "-cl-kernel-arg-info");
    p = link_all("", 1, &p);
    CL(err);
    k = clu_kernel(p, "k");
    CL(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    CHECK(!strcmp(name, "pointer"));
    clReleaseKernel(k);
    clReleaseProgram(p);
}

/* Headers that are programs, by names with and without directories; they can include each other. */
static void headers(void)
{
    const char *names[] = {"first.h", "dir/second.h"};
    cl_program h[] = {source("#include \"dir/second.h\"\n#define FIRST (SECOND + 1)\n"),
                      source("#define SECOND 40\n")};
    cl_program p = source("#include \"first.h\"\nkernel void k(global int *p) { *p = FIRST; }");
    CL(clCompileProgram(p, 0, NULL, "", 2, h, names, NULL, NULL));
    p = link_all("", 1, &p);
    CL(err);
    CHECK(run(p) == 41);
    clReleaseProgram(p);
    p = source("#include \"third.h\"\nkernel void k() {}");
    CHECK(clCompileProgram(p, 0, NULL, "", 2, h, names, NULL, NULL) == CL_COMPILE_PROGRAM_FAILURE);
    read_log(p);
    CHECKF(strstr(log_text, "third.h"), "%s", log_text);
    clReleaseProgram(p);
    clReleaseProgram(h[0]);
    clReleaseProgram(h[1]);
}

static const char caller[] = "int f(int);\nint g(int);\n\n"
                             "kernel void k(global int *p) {\n  *p = f(3) + g(4);\n}";

static void linking(void)
{
    cl_program in[3] = {compiled(caller, ""), compiled("int f(int x) { return 10 * x; }", ""),
                        compiled("int f(int); int g(int x) { return f(x) + 1; }", "")};
    cl_program p = link_all("", 3, in);
    CL(err);
    CHECK(run(p) == 30 + 41);
    clReleaseProgram(p);

    /* What nothing defines has its name in the log, and the place of its use. */
    in[0] = compiled(caller, "");
    in[1] = compiled("int f(int x) { return 10 * x; }", "");
    p = link_all("", 2, in);
    CHECK(err == CL_LINK_PROGRAM_FAILURE && p);
    CHECKF(strstr(log_text, "'g'") && strstr(log_text, ":5"), "%s", log_text);
    clReleaseProgram(p);
    CHECK(build(caller, "") == CL_BUILD_PROGRAM_FAILURE);
    CHECKF(strstr(log_text, "'f'") && strstr(log_text, "'g'"), "%s", log_text);

    /* A kernel or function that two define. */
    in[0] = compiled("kernel void k(global int *p) { *p = 1; }", "");
    in[1] = compiled("kernel void k(global int *p) { *p = 2; }", "");
    p = link_all("", 2, in);
    CHECK(err == CL_LINK_PROGRAM_FAILURE && p);
    CHECKF(strstr(log_text, "'k'"), "%s", log_text);
    clReleaseProgram(p);

    /* A library can be linked with objects, and keeps what no kernel uses. */
    in[0] = compiled("int f(int x) { return 10 * x; }", "");
    in[1] = compiled("int f(int); int g(int x) { return f(x) + 1; }", "");
    cl_program library = link_all("-create-library", 2, in);
    CL(err);
    cl_program_binary_type type;
    CL(clGetProgramBuildInfo(library, clu_device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                             NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    in[0] = compiled(caller, "");
    in[1] = library;
    p = link_all("", 2, in);
    CL(err);
    CHECK(run(p) == 71);
    CL(clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    clReleaseProgram(p);
}

/* exp(80.5), where the math unit's is visibly another than the accurate result. */
static const char relaxed[] = "float f(float x) { return exp(x); }";
static const char relaxed_caller[] =
    "float f(float);\n"
    "kernel void k(global int *p) { *p = as_int(f(as_float(*p + 0x42a10001))); }";

static cl_int result_of(cl_program p)
{
    CL(err);
    cl_int v = run(p);
    clReleaseProgram(p);
    return v;
}

/* The options of math at link: objects take them, libraries only if made for it. */
static void math_at_link(void)
{
    cl_int accurate = run_built(
        "kernel void k(global int *p) { *p = as_int(exp(as_float(*p + 0x42a10001))); }", "");
    cl_int unit = run_built(
        "kernel void k(global int *p) { *p = as_int(native_exp(as_float(*p + 0x42a10001))); }", "");
    CHECK(accurate != unit); /* or nothing is seen here */
    static const struct {
        const char *compile, *library /* NULL: none */, *link;
        bool relaxed;
    } table[] = {
        {"", NULL, "", false},
        {"-cl-fast-relaxed-math", NULL, "", true},
        {"", NULL, "-cl-fast-relaxed-math", true},
        {"", NULL, "-cl-unsafe-math-optimizations", true},
        {"", NULL, "-cl-finite-math-only -cl-no-signed-zeros -cl-denorms-are-zero", false},
        {"", "-create-library", "-cl-fast-relaxed-math", false},
        {"", "-create-library -enable-link-options", "-cl-fast-relaxed-math", true},
        {"", "-create-library -enable-link-options", "", false},
        {"", "-create-library -enable-link-options -cl-fast-relaxed-math", "", true},
        {"-cl-unsafe-math-optimizations", "-create-library", "", true},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        cl_program in[2] = {compiled(relaxed, table[i].compile), compiled(relaxed_caller, "")};
        if (table[i].library) {
            in[0] = link_all(table[i].library, 1, in);
            CL(err);
        }
        cl_int v = result_of(link_all(table[i].link, 2, in));
        CHECKF(v == (table[i].relaxed ? unit : accurate), "row %u: %#x, not %#x", i, v,
               table[i].relaxed ? unit : accurate);
    }
}

/* Functions with -cl-fast-relaxed-math, within what OpenCL C 3.0, 7.4 leaves them: ulp of the exact
 * result, 2 * |x| more of exp, or an absolute error. */
static void relaxed_results(void)
{
    enum { N = 1024 };
    static const struct {
        const char *name;
        double (*exact)(double);
        float low, high;
        double ulp, per_x, absolute;
    } table[] = {
        {"sin", sin, -3.14f, 3.14f, 0, 0, 0x1p-11},
        {"cos", cos, -3.14f, 3.14f, 0, 0, 0x1p-11},
        {"exp", exp, -80, 80, 3, 2, 0},
        {"log", log, 0.5f, 2, 0, 0, 0x1p-21},
        {"log", log, 2, 1e30f, 3, 0, 0},
        {"sinh", sinh, -80, 80, 8192, 0, 0},
        {"sinh", sinh, -1, 1, 8192, 0, 0},
        {"cosh", cosh, -80, 80, 8192, 0, 0},
        {"tanh", tanh, -80, 80, 8192, 0, 0},
        {"tanh", tanh, -1, 1, 8192, 0, 0},
        {"sincos_sin", sin, -3.14f, 3.14f, 0, 0, 0x1p-11},
        {"sincos_cos", cos, -3.14f, 3.14f, 0, 0, 0x1p-11},
    };
    static float x[N], got[N];
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "float sincos_sin(float x) { float c; return sincos(x, &c); }\n"
                 "float sincos_cos(float x) { float c; sincos(x, &c); return c; }\n"
                 "kernel void k(global float *p) { int i = get_global_id(0); p[i] = %s(p[i]); }",
                 table[k].name);
        for (unsigned i = 0; i < N; i++)
            x[i] = table[k].low + (table[k].high - table[k].low) * (float)i / (N - 1);
        cl_program p = clu_build(text, "-cl-fast-relaxed-math");
        cl_kernel kernel = clu_kernel(p, "k");
        cl_mem m = clu_buffer(sizeof x, x);
        clu_arg_mem(kernel, 0, m);
        clu_run(kernel, N, 64);
        clu_read(m, sizeof got, got);
        for (unsigned i = 0; i < N; i++) {
            double want = table[k].exact((double)x[i]);
            int e;
            frexp(want, &e);
            double ulp = ldexp(1, (e < -125 ? -125 : e) - 24);
            double allowed = table[k].absolute +
                             ulp * (table[k].ulp + floor(fabs(table[k].per_x * (double)x[i])));
            CHECKF(fabs((double)got[i] - want) <= allowed, "%s(%a): %a, not %a", table[k].name,
                   (double)x[i], (double)got[i], want);
        }
        clReleaseMemObject(m);
        clReleaseKernel(kernel);
        clReleaseProgram(p);
    }
}

static void CL_CALLBACK built(cl_program p, void *status)
{
    cl_build_status s;
    clGetProgramBuildInfo(p, clu_device, CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL);
    __atomic_store_n((cl_build_status *)status, s, __ATOMIC_RELEASE);
}

/* A build with a callback goes on after the call; the callback comes once, also after a failure,
 * and finds the outcome. What the call refuses has none. */
static void callbacks(void)
{
    static const struct {
        const char *text, *options;
        cl_int call;
        cl_build_status status;
    } table[] = {
        {"kernel void k(global int *p) { *p = 1; }", "", CL_SUCCESS, CL_BUILD_SUCCESS},
        {"kernel void k(global int *p) { error }", "", CL_SUCCESS, CL_BUILD_ERROR},
        {"kernel void k(global int *p) { *p = 1; }", "-nonsense", CL_INVALID_BUILD_OPTIONS,
         CL_BUILD_IN_PROGRESS},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        cl_program p = source(table[i].text);
        cl_build_status s = CL_BUILD_IN_PROGRESS;
        cl_int e = clBuildProgram(p, 0, NULL, table[i].options, built, &s);
        CHECKF(e == table[i].call, "row %u: %d", i, e);
        while (!e && __atomic_load_n(&s, __ATOMIC_ACQUIRE) == CL_BUILD_IN_PROGRESS)
            usleep(1000);
        CHECKF(s == table[i].status, "row %u: status %d", i, s);
        clReleaseProgram(p);
    }
}

int main(void)
{
    clu_open();
    known();
    definitions();
    directories();
    warnings();
    language();
    argument_info();
    headers();
    linking();
    math_at_link();
    relaxed_results();
    callbacks();
    clu_close();
    return utest_end();
}
