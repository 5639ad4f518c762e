/* Sub-groups and work-group collectives. The kernel says which sub-group and lane each item is;
 * that is checked by the rules, and from it the host computes what every function must give. */
#include <math.h>

#include "clu.h"

enum { MAX_ITEMS = 256, MAX_OUT = 64 };

static const char head[] = "\n\
#ifdef SIZE\n\
#define KERNEL kernel __attribute__((intel_reqd_sub_group_size(SIZE)))\n\
#else\n\
#define KERNEL kernel\n\
#endif\n\
#if !__opencl_c_subgroups || !__opencl_c_work_group_collective_functions || !cl_khr_subgroups\n\
#error subgroups\n\
#endif\n\
#if cl_khr_fp16\n\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
#endif\n\
size_t item(void) { return get_local_linear_id() + get_local_size(0) * get_local_size(1) * get_local_size(2)\n\
   * ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)); }\n\
KERNEL void where(global uint *out) { size_t i = 8 * item();\n\
  out[i] = get_sub_group_id(); out[i + 1] = get_sub_group_local_id(); out[i + 2] = get_sub_group_size();\n\
  out[i + 3] = get_max_sub_group_size(); out[i + 4] = get_num_sub_groups(); out[i + 5] = get_enqueued_num_sub_groups(); }\n\
#define THREE(p, op, T) p##reduce_##op(x), p##scan_inclusive_##op(x), p##scan_exclusive_##op(x)\n\
";

#define KERNELS                                                                                    \
    "#define UNIFORM(T) KERNEL void uniform_##T(global T *out, const global T *in) {\\\n"          \
    "  size_t i = item(), o = 22 * i; T x = in[i];\\\n"                                            \
    "  T r[22] = {THREE(sub_group_, add, T), THREE(sub_group_, min, T), THREE(sub_group_, max, "   \
    "T),\\\n"                                                                                      \
    "    THREE(work_group_, add, T), THREE(work_group_, min, T), THREE(work_group_, max, T),\\\n"  \
    "    sub_group_broadcast(x, 0), work_group_broadcast(x, get_local_size(0) - 1, 0, 0),\\\n"     \
    "    sub_group_shuffle_xor(x, 1), sub_group_rotate(x, 3)};\\\n"                                \
    "  for (int n = 0; n < 22; n++) out[o + n] = r[n]; }\n"                                        \
    "UNIFORM(int) UNIFORM(uint) UNIFORM(long) UNIFORM(ulong) UNIFORM(float) UNIFORM(double)\n"     \
    "#if cl_khr_fp16\nUNIFORM(half)\n#endif\n" /* only items with a positive value take part */    \
    "#define SOME(T) KERNEL void some_##T(global T *out, const global T *in) {\\\n"                \
    "  size_t i = item(), o = 16 * i; T x = in[i];\\\n"                                            \
    "  if (x > (T)3) {\\\n"                                                                        \
    "    T r[16] = {THREE(sub_group_non_uniform_, add, T), THREE(sub_group_non_uniform_, mul, "    \
    "T),\\\n"                                                                                      \
    "      THREE(sub_group_non_uniform_, min, T), THREE(sub_group_non_uniform_, max, T),\\\n"      \
    "      sub_group_broadcast_first(x), sub_group_clustered_reduce_add(x, 4), "                   \
    "sub_group_clustered_reduce_max(x, 8),\\\n"                                                    \
    "      (T)sub_group_elect()};\\\n"                                                             \
    "    for (int n = 0; n < 16; n++) out[o + n] = r[n]; } }\n"                                    \
    "SOME(char) SOME(uchar) SOME(short) SOME(ushort) SOME(int) SOME(uint) SOME(long) SOME(ulong) " \
    "SOME(float) SOME(double)\n"                                                                   \
    "#define BITS(T) KERNEL void bits_##T(global T *out, const global T *in) {\\\n"                \
    "  size_t i = item(), o = 9 * i; T x = in[i];\\\n"                                             \
    "  if (x > (T)3) {\\\n"                                                                        \
    "    T r[9] = {THREE(sub_group_non_uniform_, and, T), THREE(sub_group_non_uniform_, or, "      \
    "T),\\\n"                                                                                      \
    "      THREE(sub_group_non_uniform_, xor, T)};\\\n"                                            \
    "    for (int n = 0; n < 9; n++) out[o + n] = r[n]; } }\n"                                     \
    "BITS(char) BITS(uchar) BITS(short) BITS(ushort) BITS(int) BITS(uint) BITS(long) "             \
    "BITS(ulong)\n"                                                                                \
    "KERNEL void votes(global uint *out, const global int *in) {\n"                                \
    "  size_t i = item(); global uint *o = out + 32 * i; int x = in[i]; uint lane = "              \
    "get_sub_group_local_id();\n"                                                                  \
    "  o[0] = sub_group_any(x == 5); o[1] = sub_group_all(x != 5); o[2] = work_group_any(x == "    \
    "7); o[3] = work_group_all(x != 7);\n"                                                         \
    "  uint4 b = sub_group_ballot(x & 1); o[4] = b.x; o[5] = b.y | b.z | b.w;\n"                   \
    "  o[6] = sub_group_inverse_ballot(b); o[7] = sub_group_ballot_bit_extract(b, lane); o[8] = "  \
    "sub_group_ballot_bit_count(b);\n"                                                             \
    "  o[9] = sub_group_ballot_inclusive_scan(b); o[10] = sub_group_ballot_exclusive_scan(b);\n"   \
    "  o[11] = b.x ? sub_group_ballot_find_lsb(b) : 99; o[12] = b.x ? "                            \
    "sub_group_ballot_find_msb(b) : 99;\n"                                                         \
    "  o[13] = get_sub_group_eq_mask().x; o[14] = get_sub_group_ge_mask().x; o[15] = "             \
    "get_sub_group_gt_mask().x;\n"                                                                 \
    "  o[16] = get_sub_group_le_mask().x; o[17] = get_sub_group_lt_mask().x;\n"                    \
    "  o[18] = sub_group_non_uniform_all_equal(x); o[19] = sub_group_shuffle(x, (uint)(in[i ^ 1] " \
    "& 7));\n"                                                                                     \
    "  uint up = sub_group_shuffle_up((uint)x, 2u), down = sub_group_shuffle_down((ushort)x, "     \
    "2u);\n"                                                                                       \
    "  o[20] = lane >= 2 ? up : 0; o[21] = lane + 2 < get_sub_group_size() ? down : 0;\n"          \
    "  uint4 v = sub_group_broadcast((uint4)(x, x + 1, x + 2, x + 3), 0); o[22] = v.x + 3 * "      \
    "v.w;\n"                                                                                       \
    "  if (x & 1) { o[23] = sub_group_ballot(1).x; o[24] = sub_group_non_uniform_any(x == 5); }\n" \
    "  o[25] = sub_group_non_uniform_reduce_logical_xor(x & 1); "                                  \
    "sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"                                                    \
    "  o[26] = ctz(x & 60) + 100 * ctz((uchar)(x & 60)); }\n"

static cl_program program;
static size_t items, group_items, max_size;
static unsigned place[MAX_ITEMS][8];

static void launch(cl_kernel k, const size_t local[3], const size_t global[3])
{
    CL(clEnqueueNDRangeKernel(clu_queue, k, 3, NULL, global, local, 0, NULL, NULL));
}

/* The rules of 6.15.19.1: consecutive items here, and all but the last of a group have the greatest
 * size. */
static void where(const size_t local[3], const size_t global[3])
{
    cl_kernel k = clu_kernel(program, "where");
    cl_mem m = clu_buffer(sizeof place, NULL);
    clu_arg_mem(k, 0, m);
    launch(k, local, global);
    clu_read(m, sizeof place, place);
    max_size = place[0][3];
    for (size_t i = 0; i < items; i++) {
        unsigned *p = place[i];
        size_t n = i % group_items, first = n - n % max_size;
        size_t left = group_items - first;
        CHECKF(p[0] == n / max_size && p[1] == n % max_size &&
                   p[2] == (left < max_size ? left : max_size) && p[3] == max_size &&
                   p[4] == (group_items + max_size - 1) / max_size && p[5] == p[4],
               "item %zu: %u %u %u %u %u %u", i, p[0], p[1], p[2], p[3], p[4], p[5]);
    }
    CL(clReleaseMemObject(m));
    CL(clReleaseKernel(k));
}

typedef cl_int(CL_API_CALL *query_fn)(cl_kernel, cl_device_id, cl_uint, size_t, const void *,
                                      size_t, void *, size_t *);

/* The same for a kernel that doesn't say it: each has a width of its own. */
static void place_items(cl_kernel k, const size_t local[3])
{
    enum { MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 0x2033 };
    query_fn query = (query_fn)clGetExtensionFunctionAddressForPlatform(
        clu_platform, "clGetKernelSubGroupInfoKHR");
    CL(query(k, clu_device, MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 3 * sizeof(size_t), local,
             sizeof max_size, &max_size, NULL));
    for (size_t i = 0; i < items; i++) {
        size_t n = i % group_items, left = group_items - n / max_size * max_size;
        place[i][0] = (unsigned)(n / max_size);
        place[i][1] = (unsigned)(n % max_size);
        place[i][2] = (unsigned)(left < max_size ? left : max_size);
        place[i][3] = (unsigned)max_size;
    }
}

/* Numbers as the widest of their kind, so that all types share the host's side. */
enum form { REDUCE, INCLUSIVE, EXCLUSIVE };
enum op { ADD, MUL, MIN, MAX, AND, OR, XOR };

struct type {
    const char *name;
    unsigned size;
    bool is_signed, is_float;
};
static const struct type types[] = {
    {"char", 1, true, false},    {"uchar", 1, false, false}, {"short", 2, true, false},
    {"ushort", 2, false, false}, {"int", 4, true, false},    {"uint", 4, false, false},
    {"long", 8, true, false},    {"ulong", 8, false, false}, {"float", 4, true, true},
    {"double", 8, true, true},   {"half", 2, true, true},
};

union number {
    int64_t i;
    double f;
};

static double half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}

static union number load(const struct type *t, const void *p)
{
    union number n = {0};
    if (t->is_float) {
        float f;
        memcpy(&f, p, sizeof f);
        if (t->size == 8)
            memcpy(&n.f, p, 8);
        else
            n.f = t->size == 4 ? f : half_value(*(const uint16_t *)p);
        return n;
    }
    memcpy(&n.i, p, t->size);
    if (t->is_signed && t->size < 8)
        n.i = (int64_t)((uint64_t)n.i << (64 - 8 * t->size)) >> (64 - 8 * t->size);
    return n;
}

/* Small whole numbers: exact in every type, in any order. */
static void store(const struct type *t, void *p, int v)
{
    if (!t->is_float) {
        int64_t i = v;
        memcpy(p, &i, t->size);
    } else if (t->size == 8) {
        double d = v;
        memcpy(p, &d, 8);
    } else if (t->size == 4) {
        float f = (float)v;
        memcpy(p, &f, 4);
    } else { /* up to 2047 */
        uint16_t h = v < 0 ? 0x8000 : 0;
        unsigned a = (unsigned)abs(v), e = 0;
        for (; a >> (e + 1); e++)
            ;
        if (a)
            h |= (uint16_t)((e + 15) << 10 | ((a << (10 - e)) & 1023));
        memcpy(p, &h, 2);
    }
}

static union number wrapped(const struct type *t, union number n)
{
    if (t->is_float || t->size == 8)
        return n;
    return load(t, &n.i);
}

static bool less(const struct type *t, union number a, union number b)
{
    return t->is_float ? a.f < b.f : t->is_signed ? a.i < b.i : (uint64_t)a.i < (uint64_t)b.i;
}

static union number combine(const struct type *t, enum op op, union number a, union number b)
{
    switch (op) {
    case ADD:
        if (t->is_float)
            a.f += b.f;
        else
            a.i = (int64_t)((uint64_t)a.i + (uint64_t)b.i);
        break;
    case MUL:
        if (t->is_float)
            a.f *= b.f;
        else
            a.i = (int64_t)((uint64_t)a.i * (uint64_t)b.i);
        break;
    case MIN:
        return less(t, b, a) ? b : a;
    case MAX:
        return less(t, a, b) ? b : a;
    case AND:
        a.i &= b.i;
        break;
    case OR:
        a.i |= b.i;
        break;
    case XOR:
        a.i ^= b.i;
        break;
    }
    return wrapped(t, a);
}

static union number identity(const struct type *t, enum op op)
{
    union number n = {0};
    int64_t most = (int64_t)(UINT64_MAX >> (64 - 8 * t->size + t->is_signed));
    if (t->is_float) {
        n.f = op == MUL ? 1 : op == MIN ? INFINITY : op == MAX ? -INFINITY : 0;
        return n;
    }
    n.i = op == MUL                   ? 1
          : op == AND                 ? -1
          : op == MIN                 ? most
          : op == MAX && t->is_signed ? -most - 1
                                      : 0;
    return wrapped(t, n);
}

static bool same(const struct type *t, union number a, union number b)
{
    return t->is_float ? a.f == b.f : a.i == b.i;
}

static unsigned char in[MAX_ITEMS * 8], out[MAX_ITEMS * MAX_OUT * 8];

static union number value(const struct type *t, size_t i)
{
    return load(t, in + i * t->size);
}

/* Of the items that take part among first .. end, as item i sees it. */
static union number expected(const struct type *t, enum op op, enum form form, size_t first,
                             size_t end, size_t i, bool some)
{
    union number r = identity(t, op), limit = {0};
    if (t->is_float)
        limit.f = 3;
    else
        limit.i = 3;
    for (size_t n = first; n < end; n++) {
        if (form == EXCLUSIVE && n >= i)
            break;
        if (!some || less(t, limit, value(t, n)))
            r = combine(t, op, r, value(t, n));
        if (form == INCLUSIVE && n == i)
            break;
    }
    return r;
}

static void begin_sub_group(size_t i, size_t *first, size_t *end)
{
    *first = i - place[i][1];
    *end = *first + place[i][2];
}

static void run(const char *what, const struct type *t, unsigned n_out, const size_t local[3],
                const size_t global[3])
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s", what, t->name);
    cl_kernel k = clu_kernel(program, name);
    place_items(k, local);
    cl_mem a = clu_buffer(items * n_out * t->size, NULL), b = clu_buffer(items * t->size, in);
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    launch(k, local, global);
    clu_read(a, items * n_out * t->size, out);
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(b));
    CL(clReleaseKernel(k));
}

static bool check(const char *what, const struct type *t, unsigned n_out, size_t i, unsigned n,
                  union number want)
{
    union number got = load(t, out + (i * n_out + n) * t->size);
    bool ok = same(t, got, want);
    CHECKF(ok, "%s %s: item %zu, result %u: got %lld (%g) want %lld (%g)", what, t->name, i, n,
           (long long)got.i, got.f, (long long)want.i, want.f);
    return ok;
}

static void uniform(const struct type *t, const size_t local[3], const size_t global[3])
{
    static const enum op ops[] = {ADD, MIN, MAX};
    bool ok = true;
    run("uniform", t, 22, local, global);
    for (size_t i = 0; i < items && ok; i++) {
        size_t first, end, group = i - i % group_items;
        begin_sub_group(i, &first, &end);
        for (unsigned n = 0; n < 9; n++) {
            ok &= check("sub-group", t, 22, i, n,
                        expected(t, ops[n / 3], n % 3, first, end, i, false));
            ok &= check("group", t, 22, i, 9 + n,
                        expected(t, ops[n / 3], n % 3, group, group + group_items, i, false));
        }
        ok &= check("broadcast", t, 22, i, 18, value(t, first));
        ok &= check("group broadcast", t, 22, i, 19, value(t, group + local[0] - 1));
        if ((place[i][1] ^ 1) < place[i][2])
            ok &= check("xor", t, 22, i, 20, value(t, first + (place[i][1] ^ 1)));
        if (place[i][2] == place[i][3] && (max_size & (max_size - 1)) == 0 && max_size >= 8)
            ok &= check("rotate", t, 22, i, 21, value(t, first + (place[i][1] + 3) % max_size));
    }
}

static void some(const struct type *t, const size_t local[3], const size_t global[3])
{
    static const enum op ops[] = {ADD, MUL, MIN, MAX}, bit_ops[] = {AND, OR, XOR};
    union number limit = {0};
    bool ok = true;
    if (t->is_float)
        limit.f = 3;
    else
        limit.i = 3;
    run("some", t, 16, local, global);
    for (size_t i = 0; i < items && ok; i++) {
        size_t first, end, chosen;
        if (!less(t, limit, value(t, i)))
            continue;
        begin_sub_group(i, &first, &end);
        for (unsigned n = 0; n < 12; n++)
            ok &= check("some", t, 16, i, n, expected(t, ops[n / 3], n % 3, first, end, i, true));
        for (chosen = first; !less(t, limit, value(t, chosen)); chosen++)
            ;
        ok &= check("first", t, 16, i, 12, value(t, chosen));
        for (unsigned n = 0; n < 2; n++) {
            size_t size = n ? 8 : 4, from = first + place[i][1] / size * size,
                   to = from + size < end ? from + size : end;
            ok &= check("cluster", t, 16, i, 13 + n,
                        expected(t, n ? MAX : ADD, REDUCE, from, to, i, true));
        }
        union number elected = {0};
        if (t->is_float)
            elected.f = i == chosen;
        else
            elected.i = i == chosen;
        ok &= check("elect", t, 16, i, 15, elected);
    }
    if (t->is_float)
        return;
    run("bits", t, 9, local, global);
    for (size_t i = 0; i < items && ok; i++) {
        size_t first, end;
        begin_sub_group(i, &first, &end);
        for (unsigned n = 0; n < 9 && less(t, limit, value(t, i)); n++)
            ok &=
                check("bits", t, 9, i, n, expected(t, bit_ops[n / 3], n % 3, first, end, i, true));
    }
}

static void votes(const size_t local[3], const size_t global[3])
{
    cl_kernel k = clu_kernel(program, "votes");
    place_items(k, local);
    cl_mem a = clu_buffer(items * 32 * 4, NULL), b = clu_buffer(items * 4 + 4, NULL);
    int x[MAX_ITEMS + 1];
    bool ok = true;
    for (size_t i = 0; i < items; i++)
        x[i] = (int)(clu_random() % 64);
    x[items] = 1;
    CL(clEnqueueWriteBuffer(clu_queue, b, CL_TRUE, 0, items * 4 + 4, x, 0, NULL, NULL));
    clu_arg_mem(k, 0, a);
    clu_arg_mem(k, 1, b);
    launch(k, local, global);
    clu_read(a, items * 32 * 4, out);
    for (size_t i = 0; i < items && ok; i++) {
        size_t first, end, group = i - i % group_items;
        unsigned lane = place[i][1], mask = 0, bits = 0, any5 = 0, all5 = 1, any7 = 0, all7 = 1,
                 equal = 1, odd5 = 0;
        begin_sub_group(i, &first, &end);
        for (size_t n = first; n < end; n++) {
            mask |= 1u << (n - first);
            bits |= (unsigned)(x[n] & 1) << (n - first);
            any5 |= x[n] == 5;
            odd5 |= x[n] == 5;
            all5 &= x[n] != 5;
            equal &= x[n] == x[first];
        }
        for (size_t n = group; n < group + group_items; n++) {
            any7 |= x[n] == 7;
            all7 &= x[n] != 7;
        }
        const uint32_t *o = (const uint32_t *)out + 32 * i;
        unsigned below = (1u << lane) - 1;
        uint32_t want[27] = {
            any5,
            all5,
            any7,
            all7,
            bits,
            0,
            bits >> lane & 1,
            bits >> lane & 1,
            (unsigned)__builtin_popcount(bits),
            (unsigned)__builtin_popcount(bits & (2 * below + 1)),
            (unsigned)__builtin_popcount(bits & below),
            bits ? (unsigned)__builtin_ctz(bits) : 99,
            bits ? 31 - (unsigned)__builtin_clz(bits) : 99,
            1u << lane,
            0,
            0,
            2 * below + 1,
            below,
            equal,
            0,
            lane >= 2 ? (unsigned)x[i - 2] : 0,
            lane + 2 < place[i][2] ? (unsigned)x[i + 2] : 0,
            (unsigned)(4 * x[first] + 9),
            x[i] & 1 ? bits : o[23],
            x[i] & 1 ? odd5 : o[24],
            (unsigned)__builtin_popcount(bits) & 1,
            (x[i] & 60 ? (unsigned)__builtin_ctz((unsigned)x[i] & 60) : 32) +
                100 * (x[i] & 60 ? (unsigned)__builtin_ctz((unsigned)x[i] & 60) : 8)};
        /* lanes of a whole sub-group, whether or not this one is whole */
        want[14] = (mask | o[14]) & ~below;
        want[15] = (mask | o[15]) & ~(2 * below + 1);
        unsigned from = (unsigned)x[i ^ 1] & 7;
        want[19] = from < place[i][2] ? (unsigned)x[first + from] : o[19];
        for (unsigned n = 0; n < 27; n++) {
            bool right = o[n] == want[n];
            ok &= right;
            CHECKF(right, "votes: item %zu, result %u: got %u want %u", i, n, o[n], want[n]);
        }
    }
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(b));
    CL(clReleaseKernel(k));
}

static void shape(const size_t local[3], const size_t global[3], bool has_half)
{
    group_items = local[0] * local[1] * local[2];
    items = global[0] * global[1] * global[2];
    REQUIRE(items <= MAX_ITEMS);
    where(local, global);
    for (unsigned n = 0; n < sizeof types / sizeof *types; n++) {
        const struct type *t = &types[n];
        bool is_half = t->is_float && t->size == 2;
        if (is_half && !has_half)
            continue;
        /* sums, and products of the few that are large, stay exact */
        for (size_t i = 0; i < items; i++)
            store(t, in + i * t->size,
                  clu_random() % 8 ? (int)(clu_random() % 4) - (t->is_signed ? 2 : 0)
                                   : 4 + (int)(clu_random() % 3));
        if (t->is_float || t->size >= 4)
            uniform(t, local, global);
        if (!is_half)
            some(t, local, global);
    }
    votes(local, global);
}

int main(void)
{
    static char source[sizeof head + sizeof KERNELS];
    static char extensions[8192];
    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    bool has_half = strstr(extensions, "cl_khr_fp16");
    CHECK(strstr(extensions, "cl_khr_subgroups"));
    snprintf(source, sizeof source, "%s%s", head, KERNELS);
    static const unsigned sizes[] = {0, 8, 16, 32};
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        char options[64] = "-cl-std=CL3.0";
        if (sizes[n])
            snprintf(options, sizeof options, "-cl-std=CL3.0 -DSIZE=%u", sizes[n]);
        program = clu_build(source, options);
        shape((size_t[]){64, 1, 1}, (size_t[]){128, 1, 1}, has_half);
        CHECK(!sizes[n] || max_size == sizes[n]);
        shape((size_t[]){37, 1, 1}, (size_t[]){74, 1, 1}, has_half);
        shape((size_t[]){5, 3, 2}, (size_t[]){10, 3, 4}, has_half);
        shape((size_t[]){3, 1, 1}, (size_t[]){6, 1, 1}, has_half);
        CL(clReleaseProgram(program));
    }
    clu_close();
    return utest_end();
}
