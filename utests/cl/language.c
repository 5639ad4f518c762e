/* OpenCL C, point by point: literals, components, operators, conversions, unions, packed structs,
 * structs by value, pointers in arrays, attributes. Every result is written beside what it must be;
 * the kernel counts nothing itself. */
#include "clu.h"

enum { MAX = 64 };

/* A body that assigns o[0], o[1], ...; x is 5 and y -3, which the compiler can't know; then the
 * results. */
struct point {
    const char *name, *before, *body;
    unsigned n;
    int want[12];
};

static const struct point points[] = {
    {"vec_step",
     "",
     "o[0] = vec_step(float); o[1] = vec_step(int3); o[2] = vec_step(char16); o[3] = "
     "vec_step((short2)(x)); o[4] = sizeof(float3);"
     "o[5] = sizeof(char3); o[6] = sizeof(double3) / sizeof(double); o[7] = __alignof__(short8);",
     8,
     {1, 4, 16, 2, 16, 4, 4, 16}},
    {"as_type",
     "",
     "o[0] = as_int(1.0f); float4 f = as_float4((uint4)(0x40000000, 0, 0x80000000, x)); o[1] = "
     "f.x; o[2] = as_int(f.z);"
     "o[3] = as_uint(as_char4(x + 0x01020300)); char4 c = as_char4(x * 0x01010101); o[4] = c.w; "
     "o[5] = as_short2(0x00070000 + x).y;"
     "o[6] = (int)as_long((int2)(x, 1)) + (int)(as_long((int2)(x, 1)) >> 32); int3 t = "
     "as_int3((float3)(1, 2, 3)); o[7] = t.z;",
     8,
     {0x3f800000, 2, (int)0x80000000, 0x01020305, 5, 7, 6, 0x40400000}},
    {"literals",
     "",
     "int4 a = (int4)(x, (int2)(y, 1), 2), b = (int4)(7); int8 c = (int8)(a, b); o[0] = a.x; o[1] "
     "= a.y; o[2] = a.z; o[3] = c.s7;"
     "int16 d = (int16)(c, a, (int3)(1, 2, 3), x); o[4] = d.sa; o[5] = d.sF; o[6] = ((float2)(1, "
     "2)).y; int4 e = {x, y, 0, 0}; o[7] = e.y + e.z;",
     8,
     {5, -3, 1, 7, 1, 5, 2, -3}},
    {"components",
     "",
     "int8 v = (int8)(0, 1, 2, 3, 4, 5, 6, 7) * x; o[0] = v.hi.lo.y; o[1] = v.even.odd.x; o[2] = "
     "v.odd.s3; o[3] = v.s6; int3 t = v.s123;"
     "o[4] = t.hi.x; o[5] = t.lo.y; int4 w = 1; w.yx = v.s71; w.hi.y = y; o[6] = w.x; o[7] = w.y; "
     "o[8] = w.w; w.odd *= w.even;"
     "o[9] = w.y; w.zw += (int2)(3); o[10] = w.z; w.rg = w.gr; o[11] = w.x;",
     12,
     {25, 10, 35, 30, 15, 10, 5, 35, -3, 175, 4, 175}},
    {"swizzles",
     "",
     "float4 v = (float4)(1, 2, 3, 4) * x; float16 w = v.xyzwwzyxxyzwwzyx; o[0] = w.s7; o[1] = "
     "w.sC; v.xyz = v.zxy; o[2] = v.x; o[3] = v.y;"
     "uchar4 c = (uchar4)(250, 251, 252, 253); c += (uchar)x; o[4] = c.x; o[5] = c.y; o[6] = "
     "(c.zwxy).x; int i = x; i <<= c.s1; o[7] = i;",
     8,
     {5, 20, 15, 5, 255, 0, 1, 5}},
    {"dynamic",
     "",
     "int8 v = (int8)(0, 10, 20, 30, 40, 50, 60, 70); o[0] = v[x]; v[x - 2] = y; o[1] = v.s3; "
     "float4 f = (float4)(1, 2, 3, 4); o[2] = f[x & 3];"
     "long2 l = (long2)(1L << 40, 2); l[x & 1] += 3; o[3] = (int)(l[0] >> 40) + (int)l[1];",
     4,
     {50, -3, 2, 6}},
    {"operators",
     "",
     "int4 v = (int4)(x, y, 0, 4), w = (int4)(5, 5, 0, -1); int4 r = v == w; o[0] = r.x; o[1] = "
     "r.y; r = v < w; o[2] = r.y; r = v && w; o[3] = r.x; o[4] = r.z;"
     "r = !v; o[5] = r.z; o[6] = (v ? w : v).w; r = v % 3; o[7] = r.x; o[8] = r.y; o[9] = (v / "
     "2).y; o[10] = (~v).x; o[11] = (-v).y;",
     12,
     {-1, 0, -1, -1, 0, -1, 4, 2, 0, -1, -6, 3}},
    {"ternary",
     "",
     "int4 c = (int4)(-1, 1, 0, 0x80000000); int4 r = c ? (int4)(x) : (int4)(y); o[0] = r.x; o[1] "
     "= r.y; o[2] = r.z; o[3] = r.w;"
     "o[4] = x > y ? 1 : 2; float2 f = x ? (float2)(1, 2) : (float2)(3, 4); o[5] = f.y; o[6] = "
     "select(x, y, 1); o[7] = select((char)1, (char)2, (char)0x80);"
     "o[8] = any(c) + 2 * all(c); long2 l = (x > 3) ? (long2)(7) : (long2)(8); o[9] = l.x;",
     10,
     {5, -3, -3, 5, 1, 2, -3, 2, 1, 7}},
    {"shifts",
     "",
     "o[0] = x << (x + 28); o[1] = 0x80000000u >> (x + 31); o[2] = y >> 33; uchar2 c = (uchar2)(1, "
     "128); c = c << (uchar2)(9, 8); o[3] = c.x; o[4] = c.y;"
     "long l = (long)x << (x + 61); o[5] = (int)l; short s = 1; o[6] = s << 17; ushort2 u = "
     "(ushort2)(0x8000); u >>= (ushort)(12 + x); o[7] = u.x; o[8] = (int)(1L << 40 >> 38);",
     9,
     {10, 0x08000000, -2, 2, 128, 20, 1 << 17, 0x4000, 4}},
    {"conversions",
     "",
     "o[0] = (char)(x + 300); o[1] = (uchar)y; o[2] = convert_uchar_sat(x * 100); o[3] = "
     "convert_char4_sat((int4)(y * 100)).z; o[4] = (int)-2.9f; o[5] = convert_int_rte(2.5f + x - "
     "5);"
     "o[6] = convert_int_rtp(2.1f); o[7] = convert_int_rtn(-2.1f); o[8] = (bool)(x * 0.1f); o[9] = "
     "convert_int4((float4)(1.9f)).w; o[10] = ((int2)(x > 2)).x; o[11] = convert_short_sat(70000L "
     "* x);",
     12,
     {49, 253, 255, -128, -2, 2, 3, -3, 1, 1, 1, 32767}},
    {"floats",
     "",
     "o[0] = 0x1.8p3f; o[1] = 0x1p-2 * 8; o[2] = 1e2f; o[3] = .5f * 8; o[4] = 0xffffffffffffffff "
     ">> 60; o[5] = 0x7fUL; o[6] = 'a'; o[7] = \"beignet\"[x]; o[8] = 010; o[9] = sizeof(1.0) == "
     "8;",
     10,
     {12, 2, 100, 4, 15, 127, 'a', 'e', 8, 1}},
    {"unions",
     "union u { int i; float f; uchar c[4]; short2 s; struct { ushort lo, hi; } h; };",
     "union u a, b[3]; a.f = x - 4; o[0] = a.i; a.c[3] = 0x40; o[1] = a.h.hi; b[x - 4].i = "
     "0x01020304; o[2] = b[1].c[x - 3]; b[0] = b[1]; b[0].s.y = y; o[3] = b[0].i;",
     4,
     {0x3f800000, 0x4080, 2, (int)0xfffd0304}},
    {"structs",
     "struct __attribute__((packed)) p { char c; int i; short s; long l; }; struct n { char c; "
     "int3 v; struct { short a[3]; double d; } in[2]; };"
     "constant struct p table[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; struct n make(int x) { struct n "
     "r; r.v = (int3)(x, x + 1, x + 2); r.in[1].a[2] = x; r.in[1].d = 1.5 * x; r.c = 1; return r; "
     "}",
     "struct p a[2]; a[0] = table[0]; a[1].i = x; a[1].l = -1; o[0] = sizeof(struct p); o[1] = "
     "a[0].i + a[0].s; o[2] = (int)a[1].l; o[3] = table[x & 1].s;"
     "struct n m = make(x), k = m; o[4] = k.v.z; o[5] = k.in[1].a[2]; o[6] = (int)(2 * k.in[1].d); "
     "o[7] = sizeof(struct n); local struct p l[2]; l[1] = a[0]; o[8] = l[1].s; o[9] = (int)((char "
     "*)&a[1].l - (char *)&a[1]);",
     10,
     {15, 5, -1, 7, 7, 5, 15, 64, 3, 7}},
    {"pointers",
     "constant int c[4] = {1, 2, 3, 4}; constant struct s { constant int *p; int n; } list[2] = "
     "{{c + 1, 2}, {c, 4}}; constant int *constant ends[] = {c, c + 3};",
     "int a[4] = {10, 20, 30, 40}, b[2] = {1, 2}; int *p[2] = {a, b}; o[0] = p[x & 1][1]; local "
     "int l[8]; local int *q[2] = {l, l + 4}; l[5] = x; l[1] = y; o[1] = q[x & 1][1];"
     "o[2] = list[x & 1].p[list[x & 1].n - 1]; o[3] = list[~x & 1].p[1]; o[4] = *ends[x & 1]; o[5] "
     "= ends[1] - ends[0]; int **pp = p + 1; o[6] = **pp; o[7] = p[0] < p[0] + 1; global int *g = "
     "o + 8; *g++ = 77; *g = g - o;",
     10,
     {2, 5, 4, 3, 4, 3, 1, 1, 77, 9}},
    {"switches",
     "",
     "for (int i = 0; i < 5; i++) { long l = i == 3 ? 1L << 40 : i - 1L; int r; switch (l) { case "
     "1L << 40: r = 1; break; case -1: r = 2; case 0: r = 3; break; default: r = 4; } o[i] = r; }"
     "switch ((uchar)(x + 251)) { case 0: o[5] = 9; break; default: o[5] = 8; } int n = 0, k = x; "
     "switch (k & 3) { case 0: do { n++; case 3: n++; case 2: n++; case 1: n++; } while (--k > 0); "
     "} o[6] = n;",
     7,
     {3, 3, 4, 1, 4, 9, 17}},
    {"loops",
     "",
     "int s = 0;\n#pragma unroll\nfor (int i = 0; i < 10; i++) s += i * x; o[0] = s; "
     "__attribute__((opencl_unroll_hint(2))) for (int i = 0; i < x; i++) s += i; o[1] = s; s = 0;\n"
     "for (int i = 0;; i++) { if (i % 2) continue; for (int j = 0; j < i; j++) { if (j == x) goto "
     "out; s += j; } }\nout: o[2] = s; int w = x; while (w) w >>= 1; o[3] = w; do w++; while (w < "
     "x); o[4] = w; o[5] = (s = 3, s + 1);",
     6,
     {225, 235, 17, 0, 5, 4}},
    {"functions",
     "static int twice(int v) { return 2 * v; } inline int thrice(int v) { return 3 * v; } extern "
     "int half_of(int v); int half_of(int v) { return v / 2; }"
     "void set(int *p, int v) { *p = v; } int4 v4(int4 a, int2 b) { return a + b.xyxy; } int "
     "__attribute__((overloadable)) ov(int a) { return 1; } int __attribute__((overloadable)) "
     "ov(float a) { return 2; }",
     "o[0] = twice(x); o[1] = half_of(x); int r; set(&r, y); o[2] = r; o[3] = v4((int4)(x), "
     "(int2)(1, 2)).w; o[4] = ov(x) + 10 * ov(1.0f);\n#ifdef cl_khr_fp64\no[5] = (int)(x * "
     "1.5);\n#else\no[5] = 7;\n#endif\n",
     6,
     {10, 2, -3, 7, 21, 7}},
    {"integers",
     "",
     "o[0] = (x - 5 == 0) + 2 * (x / y); o[1] = x % y; uint u = y; o[2] = u > x; o[3] = (char)200 "
     "+ 0 * x; ushort s = 65535; s++; o[4] = s; char2 c = (char2)(127); c += (char2)((char)(x - "
     "4)); o[5] = c.x;"
     "o[6] = mul24(x, y); o[7] = mad24(x, y, 1); o[8] = abs(y); o[9] = (int)rotate(0x80000001u, "
     "(uint)x); o[10] = clz(x); o[11] = popcount((uchar)y);",
     12,
     {-1, 2, 1, -56, 0, -128, -15, -14, 3, 0x30, 29, 7}},
};

static void run(const struct point *p, const char *options)
{
    static char source[8192];
    snprintf(source, sizeof source,
             "%s\nkernel __attribute__((vec_type_hint(int4))) "
             "__attribute__((work_group_size_hint(1, 1, 1)))\n"
             "void k(global int *o, int x, int y) { %s }\nkernel void again(global int *o, int x, "
             "int y) { k(o, x, y); }\n",
             p->before, p->body);
    cl_program program = clu_build(source, options);
    int in[2] = {5, -3}, out[MAX];
    for (int n = 0; n < 2; n++) {
        cl_kernel k = clu_kernel(program, n ? "again" : "k");
        memset(out, 0x55, sizeof out);
        cl_mem m = clu_buffer(sizeof out, out);
        clu_arg_mem(k, 0, m);
        CL(clSetKernelArg(k, 1, sizeof(int), &in[0]));
        CL(clSetKernelArg(k, 2, sizeof(int), &in[1]));
        clu_run(k, 1, 1);
        clu_read(m, sizeof out, out);
        for (unsigned i = 0; i < p->n; i++)
            CHECKF(out[i] == p->want[i], "%s%s (%s): o[%u] is %d, not %d", p->name,
                   n ? ", called" : "", options, i, out[i], p->want[i]);
        CL(clReleaseMemObject(m));
        CL(clReleaseKernel(k));
    }
    CL(clReleaseProgram(program));
}

int main(void)
{
    clu_open();
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        run(&points[i], "");
        run(&points[i], "-cl-opt-disable");
    }
    clu_close();
    return utest_end();
}
