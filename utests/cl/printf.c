/* printf of kernels: what it writes on stdout, against the C library's for scalars and against text
 * by hand for what C doesn't have; how much of it, in which order, and what happens when there is
 * too much. */
#include "clu.h"

#include <math.h>
#include <stdarg.h>
#include <unistd.h>

/* ---- stdout, as it was while a kernel ran ---- */

static FILE *file;
static int saved;
static char *text; /* what was written, once capture_end() has been called */

static void capture_begin(void)
{
    fflush(stdout);
    saved = dup(1);
    file = tmpfile();
    REQUIRE(file && saved >= 0 && dup2(fileno(file), 1) == 1);
}

/* Doesn't flush: that is the driver's to do. */
static size_t capture_end(void)
{
    REQUIRE(dup2(saved, 1) == 1);
    close(saved);
    off_t size = lseek(fileno(file), 0, SEEK_END);
    free(text);
    text = calloc(1, (size_t)size + 1);
    REQUIRE(text && pread(fileno(file), text, (size_t)size, 0) == size);
    fclose(file);
    return (size_t)size;
}

static unsigned count_lines(void)
{
    unsigned n = 0;
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        n++;
    return n;
}

static bool has_extension(const char *name)
{
    static char all[4096];
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof all, all, NULL));
    return strstr(all, name) != NULL;
}

/* ---- conversions ---- */

enum { MAX_ROWS = 512 };
static struct {
    const char *call; /* the arguments as in the source, of the test and of the kernel */
    char expected[512];
} rows[MAX_ROWS];
static unsigned n_rows;

static void add(const char *call, const char *format, ...)
{
    va_list args;
    REQUIRE(n_rows < MAX_ROWS);
    rows[n_rows].call = call;
    va_start(args, format);
    vsnprintf(rows[n_rows++].expected, sizeof rows->expected, format, args);
    va_end(args);
}

static void add_text(const char *call, const char *expected)
{
    REQUIRE(n_rows < MAX_ROWS);
    rows[n_rows].call = call;
    snprintf(rows[n_rows++].expected, sizeof rows->expected, "%s", expected);
}

/* The same C text on both sides. */
#define SAME(...) add(#__VA_ARGS__, __VA_ARGS__)
/* Arguments that C doesn't have. */
#define TEXT(expected, ...) add_text(#__VA_ARGS__, expected)

/* Values that the compiler doesn't know: the kernel's parameters have the same names. */
static const int i = -42;
static const unsigned u = 3000000042u;
static const long l = -1234567890123456789;
static const unsigned long ul = 12345678901234567890u;
static const float f = -2.71828f, tiny = 1e-41f, big = 3.0e38f, infinite = INFINITY, none = NAN;
static const double d = -3.14159265358979, huge = 1e300; /* where there is double */

static void add_scalars(void)
{
    SAME("plain");
    SAME("100%% \\ \"quoted\" \ttab %% %%%%");
    SAME("%d|%i|%5d|%-5d|%05d|%+d|% d", i, i, i, i, i, i, i);
    SAME("%d|%+d|% d|%05d|%+05d|%-+5d|% 05d", 7, 7, 7, 7, 7, 7, 7);
    SAME("%.0d|%.3d|%8.3d|%-8.3d|%08.3d|%+.3d", 0, 5, 5, 5, 5, 5);
    SAME("%u|%o|%x|%X|%#o|%#x|%#X|%12u|%-12u|%012u", u, u, u, u, u, u, u, u, u, u);
    SAME("%#x|%#o|%.0x|%#.0o", 0, 0, 0, 0);
    SAME("%hhd|%hhu|%hhx|%hhd", 200, 200, -1, i);
    SAME("%hd|%hu|%hx|%ho", (short)-3, 65535, 0x12345 & 0xffff, 8);
    SAME("%ld|%li|%24ld|%-24ld|%024ld|%+ld", l, l, l, l, l, l);
    SAME("%lu|%lo|%lx|%lX|%#lx|%#lo|%.25lu", ul, ul, ul, ul, ul, ul, ul);
    SAME("%d %ld %d %lu %d", i, l, 1, ul, 2);
    SAME("%c%c%c|%3c|%-3c|", 'a', 'b', 99, 'd', 'e');
    SAME("%f|%F|%e|%E|%g|%G|%a|%A", f, f, f, f, f, f, f, f);
    SAME("%.0f|%.1f|%10.2f|%-10.2f|%010.2f|%+.2f|% .2f|%#.0f", f, f, f, f, f, -f, -f, f);
    SAME("%.0e|%.3e|%15.3e|%-15.3e|%015.3e|%+.3e|%#.0e", f, f, f, f, f, -f, f);
    SAME("%.3g|%#.3g|%g|%g|%g|%.10g|%#g", f, 1.0f, 100000.0f, 1e6f, 1e-5f, 0.1f, 2.0f);
    SAME("%.2a|%.0a|%20a|%-20a|%020a|%+a|%#.0a", f, f, f, f, f, -f, 1.0f);
    SAME("%f|%e|%g|%a", big, big, big, big);
    SAME("%f|%f|%f|%e", 0.0f, -0.0f, 0.1f, 1.0f / 3.0f);
    SAME("%.9g|%.45e|%a", tiny, tiny, tiny);
    SAME("%f|%F|%e|%E|%g|%G|%a|%A", infinite, infinite, infinite, -infinite, infinite, -infinite,
         infinite, infinite);
    SAME("%10f|%-10f|%010f|%+f|% f", infinite, infinite, infinite, infinite, infinite);
    SAME("%f|%F|%g|%G|%8e|%08f", none, none, none, none, none, none);
    SAME("%s|%10s|%-10s|%.2s|%10.2s|%s", "text", "text", "text", "text", "text", "");
    SAME("%s %d %s", "mixed", i, "with numbers");
    SAME("%-40d|%.20f|%60.30f|", i, f, f);
    SAME("%d", i + (int)u);
}

static void add_vectors(void)
{
    TEXT("1,-2,3,-4", "%v4hld", (int4)(1, -2, 3, -4));
    TEXT("-42,-41", "%v2hld", (int2)(i, i + 1));
    TEXT(" 1.5,-2.0", "%4.1v2hlf", (float2)(1.5f, -2));
    TEXT("0x10,0xff", "%#v2hx", (ushort2)(16, 255));
    TEXT("-1,127,-128,0", "%v4hhd", (char4)(-1, 127, -128, 0));
    TEXT("255,127,128,0", "%v4hhu", (uchar4)(255, 127, 128, 0));
    TEXT("ff,7f,80", "%v3hhx", (char3)(-1, 127, -128));
    TEXT("-32768,32767,-1", "%v3hd", (short3)(-32768, 32767, -1));
    TEXT("1,2,3,4,5,6,7,8", "%v8hu", (ushort8)(1, 2, 3, 4, 5, 6, 7, 8));
    TEXT("-1234567890123456789,5", "%v2ld", (long2)(l, 5));
    TEXT("ffffffffffffffff,0,1", "%v3lx", (ulong3)(-1, 0, 1));
    TEXT("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "%v16hhd",
         (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    TEXT("0,-1,0,-1,0,-1,0,-1,0,-1,0,-1,0,-1,0,-42", "%v16hld",
         (int16)(0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, i));
    /* flags, width and precision are each element's */
    TEXT(" +001, +002, -003|", "%+5.3v3hld|", (int3)(1, 2, -3));
    TEXT("1   ,2   |", "%-4v2hld|", (int2)(1, 2));
    TEXT("0001,0002|", "%04v2hld|", (int2)(1, 2));
    TEXT("1.000000,inf,-inf,-0.000000", "%v4hlf", (float4)(1, INFINITY, -INFINITY, -0.0f));
    TEXT("1.00e+00,2.50e-01", "%.2v2hle", (float2)(1, 0.25f));
    TEXT("0x1p+0,0x1.8p+1,-0x1p-1", "%v3hla", (float3)(1, 3, -0.5f));
    TEXT("1,0.5,1E+10,NAN", "%v4hlG", (float4)(1, 0.5f, 1e10f, NAN));
    TEXT("1,2 then 3 and 4,5", "%v2hld then %d and %v2hld", (int2)(1, 2), 3, (int2)(4, 5));
    TEXT("1 -1,2,3 x 4", "%d %v3hhd %s %ld", 1, (char3)(-1, 2, 3), "x", 4L);
}

static void add_doubles(void)
{
    SAME("%f|%.17g|%e|%a|%G|%25.15f", d, d, d, d, huge, d);
    SAME("%d %g %ld %f", i, d, l, f);
    TEXT("1.500000,-3.141593", "%v2lf", (double2)(1.5, d));
    TEXT("1e+300,0.5,2", "%v3lg", (double3)(huge, 0.5, 2));
}

static void add_halves(void)
{
    TEXT("1.5,-0.25,65504,inf", "%v4hg", (half4)(1.5f, -0.25f, 65504, INFINITY));
    TEXT("0x1p-24 1.000000,6.1e-05", "%a %.6f,%.1e", (half)0x1p-24f, (half)1, (half)0x1p-14f);
}

#define PARAMS                                                                                     \
    "int i, uint u, long l, ulong ul, float f, float tiny, float big, float infinite, float none"

/* Each row is one call, and another that ends the line. */
static void conversions(void)
{
    static char source[262144];
    static int results[MAX_ROWS];
    bool doubles = has_extension("cl_khr_fp64"), halves = has_extension("cl_khr_fp16");
    size_t one = 1, n = 0;

    add_scalars();
    add_vectors();
    if (doubles)
        add_doubles();
    if (halves)
        add_halves();
    n += (size_t)sprintf(source, "%s%skernel void k(global int *r, " PARAMS "%s) {\n",
                         doubles ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "",
                         halves ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "",
                         doubles ? ", double d, double huge" : "");
    for (unsigned k = 0; k < n_rows; k++)
        n += (size_t)sprintf(source + n, "    r[%u] = printf(%s); printf(\"\\n\");\n", k,
                             rows[k].call);
    sprintf(source + n, "}\n");

    const struct {
        const void *value;
        size_t size;
    } params[] = {{&i, 4},   {&u, 4},        {&l, 8},    {&ul, 8}, {&f, 4},   {&tiny, 4},
                  {&big, 4}, {&infinite, 4}, {&none, 4}, {&d, 8},  {&huge, 8}};
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "k");
    memset(results, 1, sizeof results);
    cl_mem r = clu_buffer(sizeof results, results);
    clu_arg_mem(k, 0, r);
    for (unsigned a = 0; a < (doubles ? 11 : 9); a++)
        CL(clSetKernelArg(k, a + 1, params[a].size, params[a].value));
    capture_begin();
    clu_run(k, one, one);
    CL(clFinish(clu_queue));
    capture_end();
    clu_read(r, sizeof results, results);

    char *at = text;
    for (unsigned row = 0; row < n_rows; row++) {
        char *end = strchr(at, '\n');
        REQUIRE(end);
        *end = 0;
        CHECKF(!strcmp(at, rows[row].expected), "printf(%s):\n    \"%s\" instead of\n    \"%s\"",
               rows[row].call, at, rows[row].expected);
        CHECKF(results[row] == 0, "printf(%s) gave %d", rows[row].call, results[row]);
        at = end + 1;
    }
    CHECK(!*at);
    clReleaseMemObject(r);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

/* ---- strings and pointers ---- */

static void strings(void)
{
    static const char source[] =
        "constant char *constant names[3] = {\"zero\", \"one\", \"two\"};\n"
        "constant char whole[] = \"an array\";\n"
        "void say(constant char *format, int n) { printf(format, n); }\n"
        "kernel void k(global ulong *out, int n, local int *shared) {\n"
        "    int mine[4] = {n, n, n, n};\n"
        "    say(\"first %d\\n\", n);\n"
        "    say(\"then %d\\n\", n + 1);\n"
        "    printf(\"%s %s %s\\n\", names[n], names[n + 1], n ? \"yes\" : \"no\");\n"
        "    printf(\"%s %.3s|%12s|%s\\n\", whole, whole, whole, whole + 3);\n"
        "    printf(\"%p\\n\", out);\n"
        "    printf(\"%20p|%-20p|\\n\", out + 1, out + 2);\n"
        "    printf(\"%p %p\\n\", shared, mine);\n"
        "    for (int j = 0; j < 3; j++)\n"
        "        out[j] = (ulong)(out + j);\n"
        "    out[3] = mine[n];\n"
        "}\n";
    size_t one = 1;
    int n = 1;
    uint64_t at[4];
    char expected[512];
    unsigned long long a, b;
    cl_program p = clu_build(source, "");
    cl_kernel k = clu_kernel(p, "k");
    cl_mem out = clu_buffer(sizeof at, NULL);
    clu_arg_mem(k, 0, out);
    CL(clSetKernelArg(k, 1, sizeof n, &n));
    CL(clSetKernelArg(k, 2, 64, NULL));
    capture_begin();
    clu_run(k, one, one);
    CL(clFinish(clu_queue));
    capture_end();
    clu_read(out, sizeof at, at);
    char address[3][32];
    for (unsigned j = 0; j < 3; j++)
        sprintf(address[j], "0x%llx", (unsigned long long)at[j]);
    sprintf(expected,
            "first 1\nthen 2\none two yes\nan array an |    an array|array\n%s\n%20s|%-20s|\n",
            address[0], address[1], address[2]);
    CHECKF(!strncmp(text, expected, strlen(expected)), "%s instead of\n%s", text, expected);
    CHECK(sscanf(text + strlen(expected), "0x%llx 0x%llx\n", &a, &b) == 2);
    clReleaseMemObject(out);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

/* ---- many items ---- */

static const char items_source[] =
    "kernel void each(int base) {\n"
    "    printf(\"item %d of %s, %v2hld\\n\", base + (int)get_global_id(0), \"many\",\n"
    "           (int2)(base, (int)get_global_id(0)));\n"
    "}\n"
    "kernel void diverge(void) {\n"
    "    int id = (int)get_global_id(0);\n"
    "    if (id % 3 == 0)\n"
    "        printf(\"%d divides\\n\", id);\n"
    "    else if (id % 3 == 1)\n"
    "        for (int j = 0; j < id % 5; j++)\n"
    "            printf(\"%d loops %d\\n\", id, j);\n"
    "    if (id % 7 == 0)\n"
    "        return;\n"
    "    printf(\"%d ends\\n\", id);\n"
    "}\n"
    "kernel void full(global int *results, global int *done, int times, long l) {\n"
    "    int id = (int)get_global_id(0), failed = 0;\n"
    "    for (int j = 0; j < times; j++) {\n"
    "        int r = printf(\"%d %d %v16ld\\n\", id, j, (long16)(l));\n"
    "        failed += r == -1 ? 1 : r == 0 ? 0 : 1000000;\n"
    "    }\n"
    "    results[id] = failed;\n"
    "    done[id] = id;\n"
    "}\n"
    "kernel void fill(global int *results, int times) {\n"
    "    int id = (int)get_global_id(0), failed = 0;\n"
    "    for (int j = 0; j < times; j++)\n"
    "        failed += printf(\"short\\n\") != 0;\n"
    "    results[id] = failed;\n"
    "}\n"
    "kernel void quiet(global int *p, int n) { p[0] = n; if (n < 0) printf(\"never\\n\"); }\n"
    "kernel void groups(void) {\n"
    "    printf(\"%d,%d,%d in %d,%d\\n\", (int)get_global_id(0), (int)get_global_id(1),\n"
    "           (int)get_global_id(2), (int)get_local_id(0), (int)get_group_id(1));\n"
    "}\n";

/* Each item's line, whole and once; with a size that is ours to choose and one that is prime. */
static void many(cl_program p, size_t global, size_t local)
{
    enum { MAX_ITEMS = 20000 };
    static bool seen[MAX_ITEMS];
    cl_kernel k = clu_kernel(p, "each");
    int base = 1000000;
    unsigned n = 0;
    memset(seen, 0, sizeof seen);
    CL(clSetKernelArg(k, 0, sizeof base, &base));
    capture_begin();
    clu_run(k, global, local);
    CL(clFinish(clu_queue));
    capture_end();
    for (char *at = text; *at; n++) {
        int item, a, b, used = 0;
        if (sscanf(at, "item %d of many, %d,%d%n", &item, &a, &b, &used) != 3 || at[used] != '\n' ||
            a != base || item != base + b || b < 0 || b >= (int)global || seen[b]) {
            CHECKF(false, "line %u: %.60s", n, at);
            break;
        }
        seen[b] = true;
        at += used + 1;
    }
    CHECKF(n == global, "%u lines of %zu", n, global);
    clReleaseKernel(k);
}

/* Each item's own lines are in order. */
static void diverge(cl_program p)
{
    enum { N = 333 };
    static char own[N][256];
    cl_kernel k = clu_kernel(p, "diverge");
    memset(own, 0, sizeof own);
    capture_begin();
    clu_run(k, N, 0);
    CL(clFinish(clu_queue));
    capture_end();
    for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
        int id = atoi(at);
        REQUIRE(id >= 0 && id < N);
        REQUIRE(strlen(own[id]) + (size_t)(end - at) + 2 < sizeof *own);
        strncat(own[id], at, (size_t)(end + 1 - at));
    }
    for (int id = 0; id < N; id++) {
        char expected[256] = "";
        size_t n = 0;
        if (id % 3 == 0)
            n += (size_t)sprintf(expected, "%d divides\n", id);
        for (int j = 0; id % 3 == 1 && j < id % 5; j++)
            n += (size_t)sprintf(expected + n, "%d loops %d\n", id, j);
        if (id % 7)
            sprintf(expected + n, "%d ends\n", id);
        CHECKF(!strcmp(own[id], expected), "item %d:\n%s instead of\n%s", id, own[id], expected);
    }
    clReleaseKernel(k);
}

static void three_dimensions(cl_program p)
{
    enum { X = 6, Y = 5, Z = 3 };
    size_t global[3] = {X, Y, Z}, local[3] = {2, 1, 1};
    bool seen[Z][Y][X] = {0};
    cl_kernel k = clu_kernel(p, "groups");
    capture_begin();
    CL(clEnqueueNDRangeKernel(clu_queue, k, 3, NULL, global, local, 0, NULL, NULL));
    CL(clFinish(clu_queue));
    capture_end();
    CHECK(count_lines() == X * Y * Z);
    for (char *at = text; *at; at = strchr(at, '\n') + 1) {
        int x, y, z, lx, gy;
        REQUIRE(sscanf(at, "%d,%d,%d in %d,%d\n", &x, &y, &z, &lx, &gy) == 5);
        REQUIRE(x >= 0 && x < X && y >= 0 && y < Y && z >= 0 && z < Z);
        CHECK(!seen[z][y][x] && lx == x % 2 && gy == y);
        seen[z][y][x] = true;
    }
    clReleaseKernel(k);
}

/* The shortest records up to the buffer's end, so that whoever gets its memory next finds them
 * there. */
static void fill(cl_program p)
{
    enum { ITEMS = 64, TIMES = 4200 };
    static int results[ITEMS];
    cl_kernel k = clu_kernel(p, "fill");
    cl_mem r = clu_buffer(sizeof results, NULL);
    int times = TIMES, failed = 0;
    clu_arg_mem(k, 0, r);
    CL(clSetKernelArg(k, 1, sizeof times, &times));
    capture_begin();
    clu_run(k, ITEMS, 0);
    CL(clFinish(clu_queue));
    capture_end();
    clu_read(r, sizeof results, results);
    for (int item = 0; item < ITEMS; item++)
        failed += results[item];
    CHECKF((int)count_lines() == ITEMS * TIMES - failed, "%u lines, %d failed", count_lines(),
           failed);
    clReleaseMemObject(r);
    clReleaseKernel(k);
}

/* More than the buffer holds: what isn't printed has failed, what is printed is whole. */
static void overflow(cl_program p)
{
    enum { ITEMS = 64, TIMES = 250 };
    static int results[ITEMS], done[ITEMS];
    static bool seen[ITEMS][TIMES];
    cl_kernel k = clu_kernel(p, "full");
    cl_mem r = clu_buffer(sizeof results, NULL), d = clu_buffer(sizeof done, NULL);
    int times = TIMES, failed = 0;
    int64_t value = -1234567890123456789;
    char tail[512] = "";
    clu_arg_mem(k, 0, r);
    clu_arg_mem(k, 1, d);
    CL(clSetKernelArg(k, 2, sizeof times, &times));
    CL(clSetKernelArg(k, 3, sizeof value, &value));
    for (unsigned e = 0; e < 16; e++)
        sprintf(tail + strlen(tail), "%s%lld", e ? "," : "", (long long)value);
    capture_begin();
    clu_run(k, ITEMS, 0);
    CL(clFinish(clu_queue));
    capture_end();
    clu_read(r, sizeof results, results);
    clu_read(d, sizeof done, done);
    for (int item = 0; item < ITEMS; item++) {
        CHECKF(results[item] >= 0 && results[item] <= TIMES, "item %d: %d", item, results[item]);
        CHECK(done[item] == item);
        failed += results[item];
    }
    unsigned lines = count_lines();
    CHECKF(lines && failed && (int)lines == ITEMS * TIMES - failed, "%u lines, %d failed", lines,
           failed);
    for (char *at = text, *end; *at; at = end + 1) {
        int item, time, used = 0;
        end = strchr(at, '\n');
        REQUIRE(end);
        *end = 0;
        REQUIRE(sscanf(at, "%d %d %n", &item, &time, &used) == 2 && used);
        REQUIRE(item >= 0 && item < ITEMS && time >= 0 && time < TIMES);
        CHECKF(!seen[item][time] && !strcmp(at + used, tail), "line %s", at);
        seen[item][time] = true;
    }
    clReleaseMemObject(r);
    clReleaseMemObject(d);
    clReleaseKernel(k);
}

/* ---- more than one launch ---- */

/* Of an in-order queue, without waiting in between; between them one that prints nothing. */
static void in_order(cl_program p)
{
    enum { LAUNCHES = 40, ITEMS = 8 };
    cl_kernel k = clu_kernel(p, "each"), q = clu_kernel(p, "quiet");
    cl_mem m = clu_buffer(4, NULL);
    clu_arg_mem(q, 0, m);
    capture_begin();
    for (int n = 0; n < LAUNCHES; n++) {
        CL(clSetKernelArg(k, 0, sizeof n, &n));
        CL(clSetKernelArg(q, 1, sizeof n, &n));
        clu_run(k, ITEMS, 0);
        clu_run(q, 1, 0);
    }
    CL(clFinish(clu_queue));
    capture_end();
    CHECK(count_lines() == LAUNCHES * ITEMS);
    char *at = text;
    for (int n = 0; n < LAUNCHES; n++)
        for (int j = 0; j < ITEMS; j++) {
            int item, base, id;
            REQUIRE(sscanf(at, "item %d of many, %d,%d\n", &item, &base, &id) == 3);
            CHECKF(base == n, "launch %d where %d should be", base, n);
            at = strchr(at, '\n') + 1;
        }
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseKernel(q);
}

/* Complete and flushed when the event is; nothing at all of a kernel that doesn't print. */
static void at_event(cl_program p)
{
    cl_kernel k = clu_kernel(p, "each"), q = clu_kernel(p, "quiet");
    cl_mem m = clu_buffer(4, NULL);
    size_t items = 100;
    int n = 5;
    cl_event event;
    CL(clSetKernelArg(k, 0, sizeof n, &n));
    clu_arg_mem(q, 0, m);
    CL(clSetKernelArg(q, 1, sizeof n, &n));
    capture_begin();
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &items, NULL, 0, NULL, &event));
    CL(clWaitForEvents(1, &event));
    capture_end();
    CHECK(count_lines() == items);
    CL(clReleaseEvent(event));
    capture_begin();
    CL(clEnqueueNDRangeKernel(clu_queue, q, 1, NULL, &items, NULL, 0, NULL, &event));
    CL(clWaitForEvents(1, &event));
    CHECK(capture_end() == 0);
    CL(clReleaseEvent(event));
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseKernel(q);
}

/* A launch that never runs. */
static void never(cl_program p)
{
    cl_kernel k = clu_kernel(p, "each");
    size_t items = 10;
    int n = 5;
    cl_int status, e;
    cl_event user = clCreateUserEvent(clu_context, &e), event;
    CL(e);
    CL(clSetKernelArg(k, 0, sizeof n, &n));
    capture_begin();
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &items, NULL, 1, &user, &event));
    CL(clSetUserEventStatus(user, -1));
    clWaitForEvents(1, &event);
    CHECK(capture_end() == 0);
    CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECKF(status < 0, "status %d", status);
    CL(clReleaseEvent(user));
    CL(clReleaseEvent(event));
    clReleaseKernel(k);
}

/* ---- other ways to a program ---- */

/* The table of formats is in the binary. */
static cl_program from_binary(cl_program p)
{
    size_t size;
    cl_int e;
    CL(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    const unsigned char *image = bytes;
    REQUIRE(bytes);
    CL(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    cl_program copy =
        clCreateProgramWithBinary(clu_context, 1, &clu_device, &size, &image, NULL, &e);
    CL(e);
    CL(clBuildProgram(copy, 1, &clu_device, "", NULL, NULL));
    free(bytes);
    return copy;
}

static cl_program compiled(const char *source)
{
    cl_int e;
    cl_program p = clCreateProgramWithSource(clu_context, 1, &source, NULL, &e);
    CL(e);
    CL(clCompileProgram(p, 1, &clu_device, "", 0, NULL, NULL, NULL, NULL));
    return p;
}

/* Formats and calls of programs that are linked. */
static void linked(void)
{
    cl_program parts[2] = {
        compiled("void say(constant char *format, int n);\n"
                 "kernel void k(int n) { printf(\"%d, \", n); say(\"%x and \", n); }\n"),
        compiled("void say(constant char *format, int n) {\n"
                 "    printf(format, n); printf(\"%s%d\\n\", \"twice \", 2 * n); }\n")};
    cl_int e;
    cl_program p = clLinkProgram(clu_context, 1, &clu_device, "", 2, parts, NULL, NULL, &e);
    CL(e);
    cl_kernel k = clu_kernel(p, "k");
    int n = 42;
    CL(clSetKernelArg(k, 0, sizeof n, &n));
    capture_begin();
    clu_run(k, 1, 1);
    CL(clFinish(clu_queue));
    capture_end();
    CHECKF(!strcmp(text, "42, 2a and twice 84\n"), "%s", text);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseProgram(parts[0]);
    clReleaseProgram(parts[1]);
}

int main(void)
{
    size_t buffer;
    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof buffer, &buffer, NULL));
    CHECK(buffer >= 1 << 20);
    conversions();
    strings();
    cl_program p = clu_build(items_source, "");
    many(p, 10007, 0);
    many(p, 4096, 32);
    diverge(p);
    three_dimensions(p);
    fill(p);
    overflow(p);
    in_order(p);
    at_event(p);
    never(p);
    cl_program copy = from_binary(p);
    many(copy, 100, 0);
    clReleaseProgram(copy);
    clReleaseProgram(p);
    p = clu_build(items_source, "-cl-opt-disable");
    many(p, 100, 0);
    diverge(p);
    clReleaseProgram(p);
    linked();
    clu_close();
    free(text);
    return utest_end();
}
