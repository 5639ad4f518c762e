/* What the device can't do, and what is wrong in a program: each gives an error that names the
 * construct and the line, and never a binary. Also what must not be an error. */
#include "ccrun.h"

static const struct {
    const char *source;
    const char *line; /* "3: error:" or "3:10: error:" contains it */
    const char *text;
} refused[] = {
    {"kernel void f(global half *p) {\n half h = *p; *p = h; }", ":2", "half"},
    {"kernel void f(read_write image2d_t i) { }", ":1", "read_write"},
    {"kernel void f(read_only image2d_msaa_t i) { }", ":1", "msaa"},
    {"kernel void f(read_only image2d_t i, write_only image2d_t o) {\n image2d_t both = i; }", ":2",
     "error"},
    {"\n\nkernel void f(constant char *s, int i) { printf(s, i); }", ":3",
     "printf's format is not a string literal"},
    {"kernel void f(global int *p) {\n char s[2] = {*p, 0};\n printf(\"%s\", s); }", ":3",
     "the argument of printf's %s is not a string literal"},
    {"kernel void f(global int *p) {\n printf(\"%s\", *p); }", ":2",
     "the argument of printf's %s is not a string literal"},
    {"kernel void f(read_only image2d_t i) {\n printf(\"%d\", i); }", ":2",
     "an argument of printf has a type that it can't print"},
    {"int g(int n);\nint f(int n)\n{ return n ? n * g(n - 1) : 1; }\nint g(int n) { return f(n); "
     "}\n"
     "kernel void k(global int *p) { *p = f(*p); }",
     ":2", "recursion is not supported: 'f', 'g'"},
    {"int f(int n) { return n ? n * f(n - 1) : 1; }\nkernel void k(global int *p) { *p = f(*p); }",
     ":1", "recursion is not supported: 'f'"},
    {"typedef int (*fn)(int);\nint g(int i) { return i; }\n"
     "kernel void k(global int *p) { fn f = g; *p = f(1); }",
     ":1", "pointers to functions are not allowed"},
    {"kernel void k(int n, global int *p) {\n int a[n]; a[0] = 1; *p = a[n - 1]; }", ":2",
     "variable length array"},
    {"void asm_user(void) {\n __asm__(\"nop\"); }\nkernel void k(void) { asm_user(); }", ":2",
     "inline assembly is not supported"},
    {"int missing(int);\nkernel void k(global int *p) {\n *p = missing(1); }", ":3",
     "undefined function 'missing'"},
    {"kernel void k(pipe int p) { }", ":1", "error"},
    {"kernel void k(queue_t q) { }", ":1", "error"},
    {"kernel void k(global int *p) { *p = undeclared; }", ":1:37: error:", "undeclared"},
    {"kernel int k(void) { return 1; }", ":1", "must have void return type"},
    {"kernel void k(private int *p) { }", ":1", "error"},
    {"kernel void k(bool b) { }", ":1", "bool"},
    {"kernel void k(size_t n) { }", ":1", "size_t"},
    {"struct s { int a : 3; }; kernel void k(global struct s *p) { p->a = 1; }", ":1", "bit-field"},
    {"extern constant int x;\nkernel void k(global int *p) { *p = x; }", "",
     "undefined variable 'x'"},
    {"#include <no_such_file.h>\n", ":1", "file not found"},
    {"#error stop here\n", ":1", "stop here"},
};

static const char *const accepted[] = {
    /* a choice of images, and of samplers, that LLVM would make into one read */
    "constant sampler_t n = CLK_FILTER_NEAREST, l = CLK_FILTER_LINEAR;\n"
    "kernel void k(read_only image2d_t a, read_only image2d_t b, global float4 *p, int i) {\n"
    "  float2 at = (float2)(i, 1); float4 v = 0;\n"
    "  switch (i) { case 0: v += read_imagef(a, n, at) * 2.0f; break;\n"
    "  case 1: v += read_imagef(b, n, at) * 2.0f; break;\n"
    "  case 2: v += read_imagef(b, l, at) * 2.0f; break; }\n"
    "  p[0] = v; p[1] = i & 8 ? read_imagef(a, n, at) : read_imagef(b, n, at); }",
    /* vectors of two bits, which LLVM makes of a switch over an element's low bits */
    "kernel void k(global long2 *in, global uint *out) {\n"
    "  size_t i = get_global_id(0); uint r = 1;\n"
    "  switch (in[i].y & 3) { case 0: r = 5; break; case 1: r = out[3]; break; case 3: r = 7; "
    "break; }\n"
    "  out[i] = r; }",
    "kernel void k(write_only image2d_t a, write_only image2d_t b, float4 v, int i) {\n"
    "  if (i > 3) write_imagef(a, (int2)(i, i), v); else write_imagef(b, (int2)(i, i), v); }",
    /* conversions that aren't OpenCL's, arguments too few, too many and of other types; a format
     * that is a literal once functions are inlined */
    "kernel void k(int i, float4 v, global int *p) {\n"
    "  *p = printf(\"%n %*d %q %d\", i) + printf(\"%d\") + printf(\"%f %s\", i, \"s\", v, p)\n"
    "     + printf(\"%d %v4hld\", v, i); }",
    "int f(constant char *s, int n) { return printf(s, n); }\n"
    "kernel void k(global int *p) { *p = f(\"%d\", *p) + f(\"%x\", 1); }",
    /* unused functions may be anything that Clang takes */
    "int f(int n) { return n ? f(n - 1) : 1; } kernel void k(global int *p) { *p = 1; }",
    "int missing(int); kernel void k(global int *p) { *p = 1; }",
    "#if __IMAGE_SUPPORT__ != 1\n#error images\n#endif\nkernel void k(void) { }",
    "float4 f(read_only image3d_t i, sampler_t s, float4 c) { return read_imagef(i, s, c); }\n"
    "constant sampler_t c = CLK_FILTER_LINEAR;\n"
    "kernel void k(read_only image3d_t i, sampler_t s, write_only image1d_buffer_t o, global "
    "float4 *p) {\n"
    "  *p = f(i, s, *p) + f(i, c, *p); write_imagef(o, get_image_depth(i), *p); }",
    "#if __OPENCL_VERSION__ != 300 || __OPENCL_C_VERSION__ != 120 || !defined(CL_VERSION_1_2) \\\n"
    "  || cl_khr_fp64 != 1 || defined(cl_khr_fp16) || __ENDIAN_LITTLE__ != 1 \\\n"
    "  || cl_khr_global_int32_base_atomics != 1 || cl_khr_local_int32_extended_atomics != 1 \\\n"
    "  || cl_khr_byte_addressable_store != 1 || cl_khr_3d_image_writes != 1 \\\n"
    "  || defined(cl_khr_subgroups) || defined(cl_khr_int64_base_atomics) || "
    "defined(__opencl_c_subgroups)\n"
    "#error macros\n#endif\nkernel void k(void) { }",
    "kernel void k(global double *p) { *p = sqrt(*p / 3.0); }",
    "kernel void k(global float *p) { *p = 1.5 * *p; }",
    "kernel void a(global int *p) { *p = 1; } kernel void b(global int *p) { a(p); a(p + 1); }",
    "kernel void k(global int *p) { goto out; *p = 1; out: p[1] = 2; }",
    "kernel void k(global float *p, const global half *h) { vstore_half(vload_half(0, h), 1, "
    "(global "
    "half *)p); }",
    "",
};

/* With -cl-std=CL2.0 and CL3.0. */
static const char *const refused_newer[][2] = {
    {"kernel void k(pipe int p) { }", "pipe"},
    {"kernel void k(global int *p) {\n queue_t q = get_default_queue(); }", ""},
    {"int f(int n) { return n ? n * f(n - 1) : 1; } kernel void k(global int *p) { *p = f(*p); }",
     "recursion is not supported: 'f'"},
    {"kernel void k(int n, global int *p) {\n int a[n]; a[0] = 1; *p = a[n - 1]; }",
     "variable length array"},
    {"int g(int i) { return i; } kernel void k(global int *p) { int (*f)(int) = g; *p = f(1); }",
     "pointers to functions are not allowed"},
    {"kernel void k(constant int *c, global int *p) { int *g = (int *)c; *p = *g; }",
     "address space"},
};

static const char *const accepted_newer[] = {
    "kernel void k(__attribute__((nosvm)) global int *p) { *p = 1; }",
    "kernel void k(global int *p) { __attribute__((opencl_unroll_hint(4)))\n"
    "  for (int i = 0; i < 64; i++) p[i] += i; }",
    "struct n { struct n *next; int v; }; struct n a, b = {&a, 3}; int *p = &b.v;\n"
    "kernel void k(global int *o) { *o = *p + (b.next == &a); }",
    "kernel void k(global int *p) { int a[4] = {1, 2, 3, 4}; int *q = p[0] ? a : (int *)p; p[1] = "
    "q[p[2] & 3];\n"
    "  global int *g = to_global(q); if (g) *g = 3; }",
};

static void newer(const char *options, const char *version)
{
    for (unsigned i = 0; i < sizeof refused_newer / sizeof *refused_newer; i++) {
        int status = ccrun(refused_newer[i][0], options);
        CHECKF(status == 1 && strstr(ccrun_text, "error") &&
                   strstr(ccrun_text, refused_newer[i][1]) && !strstr(ccrun_text, "internal"),
               "%s: %s\n%s", version, refused_newer[i][0], ccrun_text);
    }
    for (unsigned i = 0; i < sizeof accepted_newer / sizeof *accepted_newer; i++)
        CHECKF(ccrun(accepted_newer[i], options) == 0, "%s: %s\n%s", version, accepted_newer[i],
               ccrun_text);
}

/* -cl-std: the macro, and functions that a version has. */
static void standards(void)
{
    CHECK(!ccrun("#if __OPENCL_C_VERSION__ != 100\n#error\n#endif\nkernel void k(void) { }",
                 "-cl-std=CL1.0 -d stop"));
    CHECK(!ccrun("#if __OPENCL_C_VERSION__ != 110 || __OPENCL_VERSION__ != 300\n#error\n#endif\n"
                 "kernel void k(void) { }",
                 "-cl-std=CL1.1 -d stop"));
    CHECK(ccrun("kernel void k(void) { }", "-cl-std=CL3.1 -d stop") == 1);
    CHECK(strstr(ccrun_text, "CL3.1") != NULL);
    CHECK(!ccrun("#ifndef __FAST_RELAXED_MATH__\n#error\n#endif\nkernel void k(void) { }",
                 "-cl-fast-relaxed-math -d stop"));
    const char *math =
        "kernel void k(global float4 *p) { *p = exp(*p) + pow(*p, 3.0f) * log(*p); }";
    CHECK(!ccrun(math, "-d stop,llvm") && !strstr(ccrun_text, "__gen_pow"));
    CHECK(!ccrun(math, "-cl-fast-relaxed-math -d stop,llvm") && strstr(ccrun_text, "__gen_log2") &&
          strstr(ccrun_text, "__gen_pow") && strstr(ccrun_text, "__gen_exp2"));
    /* contraction: one rounding by default, as with the options, and none where it is switched off
     */
    const char *mul_add = "kernel void k(global float *p) { p[0] = p[0] * p[1] - p[2]; }";
    CHECK(!ccrun(mul_add, "-d stop,llvm") && strstr(ccrun_text, "call float @llvm.fmuladd.f32"));
    CHECK(!ccrun(mul_add, "-cl-unsafe-math-optimizations -d stop,llvm") &&
          strstr(ccrun_text, "call float @llvm.fma.f32"));
    CHECK(!ccrun("#pragma OPENCL FP_CONTRACT OFF\n"
                 "kernel void k(global float *p) { p[0] = p[0] * p[1] - p[2]; }",
                 "-d stop,llvm") &&
          strstr(ccrun_text, "fmul float") && !strstr(ccrun_text, "@llvm.fm"));
    CHECK(!ccrun("#if X + Y != 6\n#error\n#endif\nkernel void k(void) { }",
                 "-DX=1 -D 'Y=2 + 3' -d stop"));
    CHECK(ccrun("kernel void k(void) {\n int unused = \"a\"; }", "-d stop") == 1);
    CHECK(strstr(ccrun_text, "1 error generated") != NULL); /* the log is whole */
    CHECK(ccrun("#warning careful\nkernel void k(void) { }", "-Werror -d stop") == 1);
    CHECK(!ccrun("#warning careful\nkernel void k(void) { }", "-w -d stop"));
    CHECK(ccrun_text[0] == 0);
}

/* Functions that double in size with each level. */
static void too_large(void)
{
    static char source[8192];
    strcpy(source, "int f0(int x) { return x * x + 1; }\n");
    for (int i = 1; i < 24; i++)
        sprintf(source + strlen(source), "int f%d(int x) { return f%d(x) + f%d(x + 1); }\n", i,
                i - 1, i - 1);
    strcat(source, "kernel void big(global int *p) { *p = f23(*p); }\n");
    CHECK(ccrun(source, "-d stop") == 1);
    CHECKF(strstr(ccrun_text, "'big' is too large") != NULL, "%s", ccrun_text);
    CHECK(strstr(ccrun_text, ":25: error") != NULL);
}

/* Arithmetic from Gen8 on, by the extension. */
static void halves(void)
{
    const char *source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                         "kernel void k(global half *p) { *p = sin(*p) + 1.0h; }";
    CHECK(!ccrun(source, "--device bdw-gt2 -d stop"));
    CHECK(ccrun(source, "--device hsw-gt2 -d stop") == 1);
    CHECK(!ccrun("#if cl_khr_fp16 != 1\n#error macro\n#endif\nkernel void k(void) { }",
                 "--device skl-gt2 -d stop"));
}

/* Of 64 bits from Gen8 on, by the extensions. */
static void wide_atomics(void)
{
    const char *source = "kernel void k(global ulong *p) { atom_add(p, 1ul); }";
    CHECK(!ccrun(source, "--device bdw-gt2 -d stop"));
    CHECK(ccrun(source, "--device hsw-gt2 -d stop") == 1 && strstr(ccrun_text, ":1") &&
          strstr(ccrun_text, "atom_add"));
}

int main(void)
{
    for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        int status = ccrun(refused[i].source, "--device skl-gt2 -d stop");
        CHECKF(status == 1, "status %d for: %s\n%s", status, refused[i].source, ccrun_text);
        CHECKF(strstr(ccrun_text, "error") && strstr(ccrun_text, refused[i].line) &&
                   strstr(ccrun_text, refused[i].text) && !strstr(ccrun_text, "internal"),
               "not '%s', '%s' but:\n%s", refused[i].line, refused[i].text, ccrun_text);
    }
    for (unsigned i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        int status = ccrun(accepted[i], "--device ivb-gt2 -d stop");
        CHECKF(status == 0, "status %d for: %s\n%s", status, accepted[i], ccrun_text);
    }
    standards();
    wide_atomics();
    newer("--device skl-gt2 -cl-std=CL2.0 -d stop", "2.0");
    newer("--device hsw-gt2 -cl-std=CL3.0 -d stop", "3.0");
    /* blocks come with enqueuing on the device; by themselves they are functions */
    const char *block = "kernel void k(global int *p) {\n int (^b)(int) = ^(int x) { return x + "
                        "*p; }; *p = b(1); }";
    CHECK(ccrun(block, "-cl-std=CL3.0 -d stop") == 1 && strstr(ccrun_text, ":2") &&
          strstr(ccrun_text, "blocks"));
    CHECK(ccrun(block, "-cl-std=CL2.0 -d stop") == 0);
    too_large();
    halves();
    return utest_end();
}
