/* Integer arithmetic of all eight types: each expression of expr_int.def is compiled by the driver
 * under test and by the C compiler, and must give the same bits for random and extreme values. */
#include "clu.h"

#define N 2000

/* The text of a row, for the kernel source. */
static const struct row {
    const char *name, *result, *text;
} rows[] = {
#define E(name, result, ...) {#name, #result, #__VA_ARGS__},
#include "expr_int.def"
#undef E
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

static int result_size(const char *result, int size)
{
    return strcmp(result, "T") ? 4 : size;
}

/* host_<type>(row, ...) evaluates a row in C: the result's bytes go to out. */
#define HOST(tname, ctype, cutype)                                                                 \
    static void host_##tname(unsigned row, const void *pa, const void *pb, const void *pc, int s,  \
                             void *out)

#define T  int8_t
#define UT uint8_t
HOST(char, T, UT)
#include "expr_int_host.h"
#define T  uint8_t
#define UT uint8_t
HOST(uchar, T, UT)
#include "expr_int_host.h"
#define T  int16_t
#define UT uint16_t
HOST(short, T, UT)
#include "expr_int_host.h"
#define T  uint16_t
#define UT uint16_t
HOST(ushort, T, UT)
#include "expr_int_host.h"
#define T  int32_t
#define UT uint32_t
HOST(int, T, UT)
#include "expr_int_host.h"
#define T  uint32_t
#define UT uint32_t
HOST(uint, T, UT)
#include "expr_int_host.h"
#define T  int64_t
#define UT uint64_t
HOST(long, T, UT)
#include "expr_int_host.h"
#define T  uint64_t
#define UT uint64_t
HOST(ulong, T, UT)
#include "expr_int_host.h"

typedef void host_fn(unsigned, const void *, const void *, const void *, int, void *);
static const struct type {
    const char *name, *utype;
    int size;
    host_fn *host;
} types[] = {
    {"char", "uchar", 1, host_char},    {"uchar", "uchar", 1, host_uchar},
    {"short", "ushort", 2, host_short}, {"ushort", "ushort", 2, host_ushort},
    {"int", "uint", 4, host_int},       {"uint", "uint", 4, host_uint},
    {"long", "ulong", 8, host_long},    {"ulong", "ulong", 8, host_ulong},
};

static void fill(uint8_t *p, int size)
{
    static const int64_t special[] = {0,          1,         -1,        2,     127,       -128,
                                      255,        32767,     -32768,    65535, INT32_MAX, INT32_MIN,
                                      UINT32_MAX, INT64_MAX, INT64_MIN, 7,     10};
    for (int i = 0; i < N; i++) {
        int64_t v = (int64_t)clu_random();
        uint64_t how = clu_random() % 4;
        if (how == 0)
            v = special[clu_random() % (sizeof(special) / sizeof(special[0]))];
        else if (how == 1)
            v = (int64_t)(clu_random() % 256) - 128;
        memcpy(p + (size_t)i * size, &v, size);
    }
}

static void test_type(const struct type *t)
{
    static char source[1 << 16];
    char *at = source;
    for (unsigned r = 0; r < N_ROWS; r++)
        at += sprintf(
            at,
            "#define T %s\n#define UT %s\nkernel void k_%s(global const T *pa, global const T *pb,"
            " global const T *pc, global const int *ps, global %s *out) {\n"
            "  size_t i = get_global_id(0); T a = pa[i], b = pb[i], c = pc[i]; int s = ps[i];\n"
            "  out[i] = %s;\n}\n#undef T\n#undef UT\n",
            t->name, t->utype, rows[r].name, rows[r].result, rows[r].text);
    cl_program p = clu_build(source, "");
    uint8_t *a = malloc(N * 8), *b = malloc(N * 8), *c = malloc(N * 8), *out = malloc(N * 8);
    int *s = malloc(N * sizeof(int));
    fill(a, t->size);
    fill(b, t->size);
    fill(c, t->size);
    for (int i = 0; i < N; i++)
        s[i] = (int)(clu_random() % (unsigned)(t->size * 8));
    cl_mem ma = clu_buffer(N * t->size, a), mb = clu_buffer(N * t->size, b),
           mc = clu_buffer(N * t->size, c);
    cl_mem ms = clu_buffer(N * sizeof(int), s), mo = clu_buffer(N * 8, NULL);
    for (unsigned r = 0; r < N_ROWS; r++) {
        char name[64];
        snprintf(name, sizeof(name), "k_%s", rows[r].name);
        cl_kernel k = clu_kernel(p, name);
        cl_mem args[] = {ma, mb, mc, ms, mo};
        for (unsigned i = 0; i < 5; i++)
            clu_arg_mem(k, i, args[i]);
        clu_run(k, N, 0);
        int size = result_size(rows[r].result, t->size);
        clu_read(mo, N * size, out);
        int bad = 0;
        for (int i = 0; i < N; i++) {
            uint64_t want = 0, got = 0;
            t->host(r, a + i * t->size, b + i * t->size, c + i * t->size, s[i], &want);
            memcpy(&got, out + (size_t)i * size, size);
            if (got != want && bad++ == 0) {
                int64_t va = 0, vb = 0, vc = 0;
                memcpy(&va, a + i * t->size, t->size);
                memcpy(&vb, b + i * t->size, t->size);
                memcpy(&vc, c + i * t->size, t->size);
                fprintf(stderr, "%s %s: a %llx b %llx c %llx s %d: got %llx want %llx\n", t->name,
                        rows[r].name, (long long)va, (long long)vb, (long long)vc, s[i],
                        (long long)got, (long long)want);
            }
        }
        CHECKF(bad == 0, "%s %s: %d of %d wrong", t->name, rows[r].name, bad, N);
        CL(clReleaseKernel(k));
    }
    cl_mem all[] = {ma, mb, mc, ms, mo};
    for (unsigned i = 0; i < 5; i++)
        CL(clReleaseMemObject(all[i]));
    CL(clReleaseProgram(p));
    free(a);
    free(b);
    free(c);
    free(out);
    free(s);
}

int main(void)
{
    clu_open();
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        test_type(&types[i]);
    clu_close();
    return utest_end();
}
