/* Operations of sub-groups by name: every clustered and every non-uniform reduction and scan,
 * logical ones too, on all integer types (add, min and max on floats), with all and with some of
 * the lanes active, and what moves values by a lane's number. The kernel says which sub-group, lane
 * and size an item has; the host computes the rest. */
#include <stdarg.h>

#include "clu.h"

enum { ITEMS = 96, GROUP = 48, CLUSTER = 4, CHOSEN = 2 };

enum op { ADD, MUL, MIN, MAX, AND, OR, XOR, LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR, N_OPS };
static const char *const op_names[N_OPS] = {
    "add", "mul", "min", "max", "and", "or", "xor", "logical_and", "logical_or", "logical_xor"};
enum kind {
    REDUCE,
    INCLUSIVE,
    EXCLUSIVE,
    CLUSTERED,
    INTEL_REDUCE,
    INTEL_INCLUSIVE,
    INTEL_EXCLUSIVE,
    N_KINDS
};
static const char *const kinds[N_KINDS] = {"sub_group_non_uniform_reduce_%s(x)",
                                           "sub_group_non_uniform_scan_inclusive_%s(x)",
                                           "sub_group_non_uniform_scan_exclusive_%s(x)",
                                           "sub_group_clustered_reduce_%s(x, 4)",
                                           "intel_sub_group_reduce_%s(x)",
                                           "intel_sub_group_scan_inclusive_%s(x)",
                                           "intel_sub_group_scan_exclusive_%s(x)"};
/* Of every active lane alike, or of its number. */
enum {
    ALL,
    ANY,
    EQUAL,
    FIRST,
    CHOICE,
    SHUFFLE,
    SHUFFLE_XOR,
    UP,
    DOWN,
    ROTATE,
    CLUSTER_ROTATE,
    N_MOVES
};
static const char *const moves[N_MOVES] = {"(T)sub_group_non_uniform_all((int)x & 1)",
                                           "(T)sub_group_non_uniform_any((int)x & 1)",
                                           "(T)sub_group_non_uniform_all_equal(x)",
                                           "sub_group_broadcast_first(x)",
                                           "sub_group_non_uniform_broadcast(x, 2)",
                                           "sub_group_shuffle(x, lane ^ 3)",
                                           "sub_group_shuffle_xor(x, 1)",
                                           "sub_group_shuffle_up(x, 1)",
                                           "sub_group_shuffle_down(x, 1)",
                                           "sub_group_rotate(x, 1)",
                                           "sub_group_clustered_rotate(x, 1, 4)"};

static const struct type {
    const char *name;
    unsigned bits;
    bool is_signed, is_float;
} types[] = {{"char", 8, true, false},     {"uchar", 8, false, false},  {"short", 16, true, false},
             {"ushort", 16, false, false}, {"int", 32, true, false},    {"uint", 32, false, false},
             {"long", 64, true, false},    {"ulong", 64, false, false}, {"float", 32, true, true}};
enum { N_TYPES = sizeof types / sizeof *types };

static char text[1 << 15];
static size_t length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    length += (size_t)vsnprintf(text + length, sizeof(text) - length, format, ap);
    va_end(ap);
    REQUIRE(length < sizeof(text));
}

/* Intel's extensions are of the types that the standard's uniform functions lack, and of all lanes.
 */
static bool has(const struct type *t, enum kind kind, enum op op, bool some)
{
    bool is_uniform = op == ADD || op == MIN || op == MAX;
    if (kind >= INTEL_REDUCE)
        return is_uniform && !some && t->bits < 32;
    return t->is_float ? is_uniform : op < LOGICAL_AND || (t->bits == 32 && t->is_signed);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
static void say_kernel(const struct type *t, bool some)
{
    say("kernel void %s(global T *out, global const T *in, global uint *where) {\n"
        " size_t i = get_global_id(0); T x = in[i]; uint lane = get_sub_group_local_id();\n"
        " where[3 * i] = get_group_id(0) * 100 + get_sub_group_id(); where[3 * i + 1] = lane;\n"
        " where[3 * i + 2] = get_sub_group_size();\n",
        some ? "some" : "every");
    if (some) /* lanes 2 to 5 of 8 are */
        say(" if ((lane & 7) - 2 > 3) return;\n");
    unsigned n = 0;
    for (enum kind k = REDUCE; k < N_KINDS; k++) {
        for (enum op op = ADD; op < N_OPS; op++) {
            if (has(t, k, op, some)) {
                say(" out[%u + i] = ", ITEMS * (k * N_OPS + op));
                n = (unsigned)snprintf(text + length, sizeof(text) - length, kinds[k],
                                       op_names[op]);
                length += n;
                say(";\n");
            }
        }
    }
    for (unsigned m = ALL; m < N_MOVES; m++)
        say(" out[%u + i] = %s;\n", ITEMS * (N_KINDS * N_OPS + m), moves[m]);
    say("}\n");
}

/* Values are 64-bit numbers; of floats, which are small whole numbers, their value. */
static int64_t get(const struct type *t, const void *p, unsigned i)
{
    uint64_t v = 0;
    float f;
    memcpy(&v, (const char *)p + i * t->bits / 8, t->bits / 8);
    memcpy(&f, &v, 4);
    if (t->is_float) /* what a scan of nothing gives is out of range of integers */
        return f > 1e18f ? INT64_MAX : f < -1e18f ? INT64_MIN : (int64_t)f;
    unsigned rest = 64 - t->bits;
    return t->is_signed ? (int64_t)(v << rest) >> rest : (int64_t)v;
}

static int64_t wrapped(const struct type *t, int64_t v)
{
    unsigned rest = 64 - t->bits;
    return t->is_float    ? v
           : t->is_signed ? (int64_t)((uint64_t)v << rest) >> rest
                          : (int64_t)((uint64_t)v << rest >> rest);
}

static int64_t identity(const struct type *t, enum op op)
{
    int64_t ones = wrapped(t, -1), top = (int64_t)(1ull << (t->bits - 1));
    switch (op) {
    case MUL:
    case LOGICAL_AND:
        return 1;
    case AND:
        return ones;
    case MIN:
        return t->is_float ? INT64_MAX : t->is_signed ? wrapped(t, top - 1) : ones;
    case MAX:
        return t->is_float ? INT64_MIN : t->is_signed ? wrapped(t, top) : 0;
    default:
        return 0;
    }
}

static int64_t combine(const struct type *t, enum op op, int64_t a, int64_t b)
{
    bool less = t->is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    switch (op) {
    case ADD:
        return wrapped(t, (int64_t)((uint64_t)a + (uint64_t)b));
    case MUL:
        return wrapped(t, (int64_t)((uint64_t)a * (uint64_t)b));
    case MIN:
        return less ? a : b;
    case MAX:
        return less ? b : a;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case LOGICAL_AND:
        return a && b;
    case LOGICAL_OR:
        return a || b;
    case LOGICAL_XOR:
        return !a != !b;
    case N_OPS:
        break;
    }
    return 0;
}

static bool is_active(unsigned lane, bool some)
{
    return !some || (lane & 7) - 2 <= 3;
}

struct item {
    unsigned group, lane, size;
};

/* The item of a lane of item i's sub-group, if it is there and active. */
static int lane_item(const struct item *at, unsigned i, unsigned lane, bool some)
{
    for (unsigned j = 0; j < ITEMS; j++) {
        if (at[j].group == at[i].group && at[j].lane == lane)
            return is_active(lane, some) ? (int)j : -1;
    }
    return -1;
}

static void judge_ops(const struct type *t, const struct item *at, const void *in, const void *got,
                      bool some)
{
    for (unsigned k = 0; k < N_KINDS * N_OPS; k++) {
        enum kind kind = k / N_OPS;
        enum op op = k % N_OPS;
        for (unsigned i = 0; i < ITEMS && has(t, kind, op, some); i++) {
            if (!is_active(at[i].lane, some))
                continue;
            int64_t want = identity(t, op), is = get(t, got, ITEMS * k + i);
            for (unsigned lane = 0; lane < at[i].size; lane++) {
                int from = lane_item(at, i, lane, some);
                if (from < 0 ||
                    ((kind == INCLUSIVE || kind == INTEL_INCLUSIVE) && lane > at[i].lane) ||
                    ((kind == EXCLUSIVE || kind == INTEL_EXCLUSIVE) && lane >= at[i].lane) ||
                    (kind == CLUSTERED && lane / CLUSTER != at[i].lane / CLUSTER))
                    continue;
                want = combine(t, op, want, get(t, in, (unsigned)from));
            }
            if (op >= LOGICAL_AND) {
                want = want != 0;
                is = is != 0;
            }
            CHECKF(is == want, "%s of %s, %s lanes, item %u (lane %u of %u): %lld, not %lld",
                   kinds[kind], t->name, some ? "some" : "all", i, at[i].lane, at[i].size,
                   (long long)is, (long long)want);
        }
    }
}

static void judge_moves(const struct type *t, const struct item *at, const void *in,
                        const void *got, bool some)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned lane = at[i].lane, size = at[i].size, from[N_MOVES] = {0};
        bool all = true, any = false, equal = true;
        int first = -1;
        if (!is_active(lane, some))
            continue;
        for (unsigned l = 0; l < size; l++) {
            int j = lane_item(at, i, l, some);
            if (j < 0)
                continue;
            first = first < 0 ? j : first;
            all &= get(t, in, (unsigned)j) & 1;
            any |= get(t, in, (unsigned)j) & 1;
            equal &= get(t, in, (unsigned)j) == get(t, in, (unsigned)first);
        }
        from[CHOICE] = CHOSEN;
        from[SHUFFLE] = lane ^ 3;
        from[SHUFFLE_XOR] = lane ^ 1;
        from[UP] = lane - 1;
        from[DOWN] = lane + 1;
        from[ROTATE] = lane + 1; /* the last lane's is the first, where the sub-group is whole */
        from[CLUSTER_ROTATE] = lane / CLUSTER * CLUSTER + (lane + 1) % CLUSTER;
        for (unsigned m = ALL; m < N_MOVES; m++) {
            int64_t is = get(t, got, ITEMS * (N_KINDS * N_OPS + m) + i), want;
            int j = m >= CHOICE ? lane_item(at, i, from[m], some) : first;
            if (j < 0)
                continue; /* not defined */
            want = m == ALL ? all : m == ANY ? any : m == EQUAL ? equal : get(t, in, (unsigned)j);
            CHECKF(m > EQUAL ? is == want : !is == !want,
                   "%s of %s, %s lanes, item %u (lane %u): %lld, not %lld", moves[m], t->name,
                   some ? "some" : "all", i, lane, (long long)is, (long long)want);
        }
    }
}

static void check(const struct type *t)
{
    static char in[8 * ITEMS], got[8 * ITEMS * (N_KINDS * N_OPS + N_MOVES)];
    static struct item at[ITEMS];
    length = 0;
    say("#define T %s\n", t->name);
    say_kernel(t, false);
    say_kernel(t, true);
    cl_program p = clu_build(text, "-cl-std=CL3.0");
    for (unsigned i = 0; i < ITEMS; i++) {
        uint64_t r = clu_random(), v = r % 4 ? r >> 8 : r >> 8 & 1;
        float f = (float)(r >> 8 & 255) - 100;
        if (t->is_float)
            memcpy(&v, &f, 4);
        memcpy(in + i * t->bits / 8, &v, t->bits / 8);
    }
    cl_mem m[3] = {clu_buffer(sizeof(got), NULL), clu_buffer(sizeof(in), in),
                   clu_buffer(sizeof(at), NULL)};
    for (unsigned some = 0; some < 2; some++) {
        cl_kernel k = clu_kernel(p, some ? "some" : "every");
        for (unsigned i = 0; i < 3; i++)
            clu_arg_mem(k, i, m[i]);
        clu_run(k, ITEMS, GROUP);
        clu_read(m[0], sizeof(got), got);
        clu_read(m[2], sizeof(at), at);
        judge_ops(t, at, in, got, some);
        judge_moves(t, at, in, got, some);
        CL(clReleaseKernel(k));
    }
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseMemObject(m[i]));
    CL(clReleaseProgram(p));
}

int main(void)
{
    clu_open();
    for (unsigned t = 0; t < N_TYPES; t++)
        check(&types[t]);
    clu_close();
    return utest_end();
}
