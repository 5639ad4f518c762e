/* The built-in functions that work element by element (builtins.def), on scalars and on vectors of
 * every width: what the specification fixes has that value, and a vector gives what its elements
 * give, to the bit. Arguments are special values, small numbers and random bits. Pointers are to
 * private, local and global memory in turn.
 *
 * Undefined, or open, and so not judged: which of two zeros fmax takes, and denormal floats as
 * arguments or results, which may be flushed. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>

#include "clu.h"

typedef __int128 wide;

/* N is a multiple of 16 * 3 * GROUP. */
enum { N = 480, GROUP = 10, N_ARGS = 3 };

/* ---- types ---- */

struct type {
    char letter;
    const char *name;
    unsigned bits;
    bool is_signed;
    int least;         /* exponent of the least normal float; 0 for integers */
    unsigned fraction; /* bits */
};
static const struct type types[] = {
    {'c', "char", 8, true, 0, 0},       {'C', "uchar", 8, false, 0, 0},
    {'s', "short", 16, true, 0, 0},     {'S', "ushort", 16, false, 0, 0},
    {'i', "int", 32, true, 0, 0},       {'I', "uint", 32, false, 0, 0},
    {'l', "long", 64, true, 0, 0},      {'L', "ulong", 64, false, 0, 0},
    {'f', "float", 32, true, -126, 23}, {'d', "double", 64, true, -1022, 52},
    {'h', "half", 16, true, -14, 10},
};
enum { N_TYPES = sizeof types / sizeof *types, N_INTEGERS = 8 };

static const struct type *integer(unsigned bits, bool is_signed)
{
    for (unsigned i = 0; i < N_INTEGERS; i++) {
        if (types[i].bits == bits && types[i].is_signed == is_signed)
            return &types[i];
    }
    return NULL;
}

static uint64_t low(uint64_t v, unsigned bits)
{
    return bits < 64 ? v & ((1ull << bits) - 1) : v;
}

static wide whole(const struct type *t, uint64_t v)
{
    v = low(v, t->bits);
    return t->is_signed && v >> (t->bits - 1) ? (wide)v - ((wide)1 << t->bits) : (wide)v;
}

static long double value(const struct type *t, uint64_t v)
{
    v = low(v, t->bits);
    uint64_t fraction = low(v, t->fraction);
    int e = (int)(low(v, t->bits - 1) >> t->fraction), bias = 1 - t->least;
    long double sign = v >> (t->bits - 1) ? -1 : 1;
    if (e == 2 * bias + 1)
        return copysignl(fraction ? NAN : INFINITY, sign);
    if (!e)
        return sign * ldexpl(fraction, t->least - (int)t->fraction);
    return sign * ldexpl(fraction | 1ull << t->fraction, e - bias - (int)t->fraction);
}

/* The bits of the type's value that is nearest. */
static uint64_t float_bits(const struct type *t, long double v)
{
    uint64_t sign = signbit(v) ? 1ull << (t->bits - 1) : 0, top = (uint64_t)(2 - 2 * t->least);
    if (isnan(v))
        return (top + 1) << t->fraction | 1;
    if (isinf(v))
        return sign | (top + 1) << t->fraction;
    v = fabsl(v);
    int e = v == 0 ? t->least - 1 : ilogbl(v);
    if (e < t->least)
        return sign | (uint64_t)rintl(ldexpl(v, (int)t->fraction - t->least));
    return sign | (((uint64_t)(e - t->least) << t->fraction) +
                   (uint64_t)rintl(ldexpl(v, (int)t->fraction - e)));
}

/* ---- what the table's expressions use ---- */

static wide clamped(const struct type *t, wide v)
{
    wide max = ((wide)1 << (t->bits - t->is_signed)) - 1, min = t->is_signed ? -max - 1 : 0;
    return v > max ? max : v < min ? min : v;
}
static wide product(const struct type *t, wide x, wide y)
{
    return t->is_signed ? x * y : (wide)((unsigned __int128)x * (unsigned __int128)y);
}
static wide mad_clamped(const struct type *t, wide x, wide y, wide z)
{
    if (t->is_signed)
        return clamped(t, x * y + z);
    unsigned __int128 v = (unsigned __int128)x * (unsigned __int128)y + (unsigned __int128)z;
    return v >> t->bits ? clamped(t, (wide)1 << t->bits) : (wide)v;
}
static bool fits24(const struct type *t, wide x)
{
    return t->is_signed ? x >= -(1 << 23) && x < 1 << 23 : x < 1 << 24;
}
static long double fraction(const struct type *t, long double x)
{
    long double most = 1 - ldexpl(1, -1 - (int)t->fraction);
    return isnan(x) || x == 0 ? x
           : isinf(x)         ? 0
                              : fminl(value(t, float_bits(t, x - floorl(x))), most);
}
static long double mantissa(long double x)
{
    int e;
    return frexpl(x, &e);
}
static int exponent(long double x)
{
    int e = 0;
    if (isfinite(x))
        frexpl(x, &e);
    return e;
}
static bool is_small(long double x)
{
    return x == rintl(x) && fabsl(x) < 32;
}
static int quotient(long double x, long double y)
{
    if (!isfinite(x) || isnan(y) || y == 0)
        return 0;
    if (isinf(y))
        return 0;
    /* n = (x - remainder) / y has too many bits; modulo 128 it comes from x modulo 128 y. */
    long double m = fmodl(fabsl(x), 128 * fabsl(y)), a = fabsl(y);
    if (isinf(128 * a))
        m = fabsl(x);
    int n = (int)rintl((m - remainderl(m, a)) / a) % 128;
    return signbit(x) != signbit(y) ? -n : n;
}
/* Floats of single precision may lose their denormals. */
static bool flushes(const struct type *t)
{
    return t->letter == 'f';
}
static bool is_tiny(const struct type *t, long double x, long double y)
{
    return fabsl(x) <= ldexpl(1, t->least) || (x == 0 && y != 0);
}
static uint64_t next(const struct type *t, uint64_t x, uint64_t y)
{
    long double from = value(t, x), to = value(t, y);
    uint64_t sign = 1ull << (t->bits - 1);
    if (isnan(from) || isnan(to))
        return isnan(from) ? x : y;
    if (from == to)
        return y;
    if (from == 0)
        return (to < 0 ? sign : 0) | 1;
    return (from < to) == (from > 0) ? x + 1 : x - 1;
}

/* ---- the table ---- */

/* What a row gives for the bits of its arguments; false: not defined. */
typedef bool reference(const struct type *t, uint64_t X, uint64_t Y, uint64_t Z, uint64_t *r,
                       uint64_t *r2);

/* What a letter of a form stands for, in a row for t. */
static const struct type *type_of(char letter, const struct type *t)
{
    switch (letter) {
    case 'i':
    case 'k':
    case 'Q':
    case 'T':
        return integer(32, true);
    case 'u':
    case 'M':
        return integer(t->bits, false);
    case 'm':
    case 'r':
        return integer(t->bits, true);
    case 'w':
        return integer(2 * t->bits, t->is_signed);
    default:
        return t;
    }
}

static unsigned n_args(const char *form)
{
    return (unsigned)strlen(form) - 3;
}
static char arg(const char *form, unsigned nth)
{
    return nth < n_args(form) ? form[2 + nth] : 0;
}
static bool is_pointer(char letter)
{
    return letter && strchr("PQT", letter);
}

static uint64_t put(const char *form, const struct type *t, long double v)
{
    return form[0] == 'g' ? float_bits(t, v) : (uint64_t)(int64_t)v;
}

/* A row's function has the line's number in its name: some functions have several rows. */
#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)
#define REFERENCE(defined, x, y, z, v, v2)                                                         \
    static bool CAT(row_, __LINE__)(const struct type *t, uint64_t X, uint64_t Y, uint64_t Z,      \
                                    uint64_t *r, uint64_t *r2)                                     \
    {                                                                                              \
        x;                                                                                         \
        y;                                                                                         \
        z;                                                                                         \
        (void)t, (void)X, (void)Y, (void)Z;                                                        \
        if (!(defined))                                                                            \
            return false;                                                                          \
        *r = v;                                                                                    \
        *r2 = v2;                                                                                  \
        return true;                                                                               \
    }
#pragma GCC diagnostic ignored "-Wunused-variable" /* rows have up to three arguments */
#define BOUNDED(name, form, types, tests)
#define OTHER(...)
#define EXACT2(name, form, types, defined, v, second)                                              \
    REFERENCE(defined, long double x = value(t, X), long double y = value(t, Y),                   \
              long double z = value(t, Z), put(form, t, v),                                        \
              strchr(form, 'P') ? float_bits(t, second) : (uint64_t)(int64_t)(second))
#define EXACT(name, form, types, defined, v) EXACT2(name, form, types, defined, v, 0)
#define WHOLE(name, form, types, defined, v)                                                       \
    REFERENCE(defined, wide x = whole(type_of(arg(form, 0), t), X),                                \
              wide y = whole(type_of(arg(form, 1), t), Y),                                         \
              wide z = whole(type_of(arg(form, 2), t), Z), (uint64_t)(v), 0)
#define BITS(name, form, types, defined, v) REFERENCE(defined, (void)0, (void)0, (void)0, v, 0)
#include "builtins.def"
#undef BOUNDED
#undef EXACT2
#undef WHOLE
#undef BITS

static const struct row {
    const char *name, *form, *types;
    reference *ref; /* NULL: another test judges the scalars */
} rows[] = {
#define BOUNDED(name, form, types, tests)             {#name, form, types, NULL},
#define EXACT2(name, form, types, defined, v, second) {#name, form, types, CAT(row_, __LINE__)},
#define WHOLE(name, form, types, defined, v)          {#name, form, types, CAT(row_, __LINE__)},
#define BITS(name, form, types, defined, v)           {#name, form, types, CAT(row_, __LINE__)},
#include "builtins.def"
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* ---- arguments ---- */

static uint64_t any_integer(const struct type *t)
{
    uint64_t r = clu_random(), v = clu_random() >> (r & 63);
    if ((r >> 8) % 4 == 0)
        v = (1ull << ((r >> 16) & 63)) - (r >> 24) % 3;
    if ((r >> 10) % 8 == 0)
        v = (r >> 32) % 3 - 1;
    return low(r >> 63 ? -v : v, t->bits);
}

static uint64_t any_float(const struct type *t)
{
    static const long double special[] = {0, 1, 0.5L, 1.5L, 2, 2.5L, 3, 10, 0.25L, INFINITY, NAN};
    enum { N_SPECIAL = sizeof special / sizeof *special };
    uint64_t r = clu_random(), inf = float_bits(t, INFINITY), v;
    unsigned kind = r >> 8 & 15;
    if (kind < 5)
        v = float_bits(t, special[(r >> 16) % N_SPECIAL]);
    else if (kind == 5) /* the largest, the least, and their neighbours */
        v = (r >> 16 & 1 ? inf : 1ull << t->fraction) - (r >> 17) % 3;
    else if (kind == 6)
        v = (r >> 16) % 3;
    else if (kind == 7) /* next to one, and halfway between integers */
        v = r >> 16 & 1 ? float_bits(t, 1) + (r >> 17) % 3 - 1
                        : float_bits(t, ldexpl((r >> 18 & 255) * 2 + 1, (int)(r >> 17 & 1) - 2));
    else if (kind < 11)
        v = float_bits(t, r >> 16 & 31);
    else if (kind < 14) /* not far from one */
        v = float_bits(t, 1) + (((r >> 16 & 15) - 8) << t->fraction) +
            low(clu_random(), t->fraction);
    else
        v = low(clu_random(), t->bits - 1);
    if (v > inf) /* no signaling NaN */
        v = inf | 1ull << (t->fraction - 1);
    return v | (r & 1) << (t->bits - 1);
}

static uint64_t any_argument(char letter, const struct type *t)
{
    uint64_t r = clu_random();
    if (letter == 'i' || letter == 'k') /* exponents */
        return r % 4 ? low(r / 4 % 81 - 40, 32) : any_integer(integer(32, true));
    t = type_of(letter, t);
    if (letter == 'm' ||
        letter == 'M') /* true of a scalar if not 0, of a vector's element by the top bit */
        return r % 2 ? 0 : low(any_integer(t) | 1ull << (t->bits - 1), t->bits);
    return t->fraction ? any_float(t) : r % 3 ? any_integer(t) : low(r / 4 % 64 - 16, t->bits);
}

/* ---- kernels ---- */

static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
enum { N_WIDTHS = sizeof widths / sizeof *widths, TEXT = 1 << 18 };
static const char *const spaces[] = {"private", "local", "global"};

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

static const char *type_name(const struct type *t, unsigned width)
{
    static char names[4][16];
    static unsigned turn;
    char *name = names[turn++ % 4];
    snprintf(name, sizeof(names[0]), width > 1 ? "%s%u" : "%s", t->name, width);
    return name;
}

/* Of scalars, the result of a comparison is an int. */
static const struct type *result_type(const struct row *row, const struct type *t, unsigned width)
{
    return row->form[0] == 'r' && width == 1 ? integer(32, true) : type_of(row->form[0], t);
}

/* What the pointer points to. */
static const struct type *second_type(const struct row *row, const struct type *t)
{
    for (unsigned i = 0; i < n_args(row->form); i++) {
        if (is_pointer(arg(row->form, i)))
            return type_of(arg(row->form, i), t);
    }
    return NULL;
}

/* Element i of the result is of element i of the arguments; of an 's' or 'k', of element i / w. */
static void say_kernel(const struct row *row, unsigned nth, const struct type *t, unsigned width,
                       const char *space)
{
    const struct type *r = result_type(row, t, width), *r2 = second_type(row, t);

    say("kernel __attribute__((reqd_work_group_size(%d, 1, 1)))\n"
        "void f%u_%u_%c(global %s *r, global %s *r2, global %s *scratch, uint w",
        GROUP, nth, width, *space, r->name, r2 ? r2->name : "int",
        r2 ? type_name(r2, width) : "int");
    for (unsigned i = 0; i < N_ARGS; i++)
        say(", global const %s *p%u",
            arg(row->form, i) ? type_of(arg(row->form, i), t)->name : "int", i);
    say(") {\n size_t i = get_global_id(0);\n");
    if (r2) {
        const char *type = type_name(r2, width);
        if (*space == 'p')
            say(" %s own; %s *to = &own;\n", type, type);
        else if (*space == 'l')
            say(" local %s own[%d]; local %s *to = own + get_local_id(0);\n", type, GROUP, type);
        else
            say(" global %s *to = scratch + i;\n", type);
    }
    if (width > 1)
        say(" %s v = %s(", type_name(r, width), row->name);
    else
        say(" %s v = %s(", r->name, row->name);
    for (unsigned i = 0; i < n_args(row->form); i++) {
        char letter = arg(row->form, i);
        say(i ? ", " : "");
        if (is_pointer(letter))
            say("to");
        else if (letter == 's' || letter == 'k')
            say(width > 1 ? "p%u[i]" : "p%u[i / w]", i);
        else
            width > 1 ? say("vload%u(i, p%u)", width, i) : say("p%u[i]", i);
    }
    say(");\n");
    if (width > 1) {
        say(" vstore%u(v, i, r);\n", width);
        if (r2)
            say(" vstore%u(*to, i, r2);\n", width);
    } else {
        say(" r[i] = v;\n");
        if (r2)
            say(" r2[i] = *to;\n");
    }
    say("}\n");
}

/* ---- running ---- */

static uint64_t get(const struct type *t, const void *p, unsigned i)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)p + (size_t)i * t->bits / 8, t->bits / 8);
    return v;
}

struct run {
    const struct row *row;
    unsigned nth; /* in its program */
    const struct type *t;
    cl_program program;
    cl_mem r, r2, scratch, args[N_ARGS];
    char in[N_ARGS][8 * N];
};

static void launch(struct run *u, unsigned width, const char *space, cl_uint w, void *out,
                   void *out2)
{
    char name[40];
    snprintf(name, sizeof(name), "f%u_%u_%c", u->nth, width, *space);
    cl_kernel k = clu_kernel(u->program, name);
    clu_arg_mem(k, 0, u->r);
    clu_arg_mem(k, 1, u->r2);
    clu_arg_mem(k, 2, u->scratch);
    CL(clSetKernelArg(k, 3, sizeof(w), &w));
    for (unsigned i = 0; i < N_ARGS; i++)
        clu_arg_mem(k, 4 + i, u->args[i]);
    clu_run(k, N / width, GROUP);
    clu_read(u->r, 8 * N, out);
    clu_read(u->r2, 8 * N, out2);
    CL(clReleaseKernel(k));
}

static bool is_nan(const struct type *t, uint64_t v)
{
    return t->fraction && isnan(value(t, v));
}
static bool is_denormal(const struct type *t, uint64_t v)
{
    return t->fraction && value(t, v) != 0 && fabsl(value(t, v)) < ldexpl(1, t->least);
}

/* got, or what a flush makes of want. */
static bool agrees(const struct type *t, uint64_t got, uint64_t want)
{
    got = low(got, t->bits), want = low(want, t->bits);
    return got == want || (is_nan(t, got) && is_nan(t, want)) ||
           (flushes(t) && is_denormal(t, want) && value(t, got) == 0);
}

static bool agrees2(const struct row *row, const struct type *t, uint64_t got, uint64_t want)
{
    if (strchr(row->form, 'T'))
        return ((int32_t)got - (int32_t)want) % 128 == 0;
    return agrees(t, got, want);
}

static uint64_t argument(const struct run *u, unsigned nth, unsigned i, unsigned w)
{
    char letter = arg(u->row->form, nth);
    if (!letter || is_pointer(letter))
        return 0;
    return get(type_of(letter, u->t), u->in[nth], letter == 's' || letter == 'k' ? i / w : i);
}

static void judge_scalars(const struct run *u, const void *got, const void *got2)
{
    const struct row *row = u->row;
    const struct type *r = result_type(row, u->t, 1), *r2 = second_type(row, u->t);

    for (unsigned i = 0; i < N; i++) {
        uint64_t a[N_ARGS], want, want2 = 0, is = get(r, got, i), is2 = r2 ? get(r2, got2, i) : 0;
        bool tiny = false;
        for (unsigned k = 0; k < N_ARGS; k++) {
            char letter = arg(row->form, k);
            a[k] = argument(u, k, i, 1);
            tiny |= letter && flushes(type_of(letter, u->t)) &&
                    is_denormal(type_of(letter, u->t), a[k]);
        }
        if (tiny || !row->ref(u->t, a[0], a[1], a[2], &want, &want2))
            continue;
        CHECKF(agrees(r, is, want) && (!r2 || agrees2(row, r2, is2, want2)),
               "%s, %s: (%llx, %llx, %llx) gives %llx %llx, not %llx %llx", row->name, u->t->name,
               (long long)a[0], (long long)a[1], (long long)a[2], (long long)is, (long long)is2,
               (long long)low(want, r->bits), (long long)want2);
    }
}

/* The elements of vectors against scalars. */
static void compare(const struct run *u, unsigned width, const char *space, const char *got,
                    const char *got2, const char *want, const char *want2)
{
    const struct row *row = u->row;
    const struct type *s = result_type(row, u->t, 1), *v = result_type(row, u->t, width);
    const struct type *r2 = second_type(row, u->t);

    for (unsigned i = 0; i < N; i++) {
        uint64_t is = get(v, got, i), to_be = get(s, want, i);
        if (row->form[0] == 'r' && width > 1)
            to_be = low(-to_be, v->bits);
        uint64_t is2 = r2 ? get(r2, got2, i) : 0, to_be2 = r2 ? get(r2, want2, i) : 0;
        bool same = is == to_be || (is_nan(v, is) && is_nan(v, to_be));
        bool same2 = is2 == to_be2 || (is_nan(r2, is2) && is_nan(r2, to_be2));
        CHECKF(same && same2,
               "%s, %s%u, %s: (%llx, %llx, %llx) gives %llx %llx, the scalar %llx %llx", row->name,
               u->t->name, width, space, (long long)argument(u, 0, i, width),
               (long long)argument(u, 1, i, width), (long long)argument(u, 2, i, width),
               (long long)is, (long long)is2, (long long)to_be, (long long)to_be2);
    }
}

/* Whether this run takes the width: unless all are asked for, one of a row and type, in turn. */
static bool takes(unsigned nth, const struct type *t, unsigned w, bool all)
{
    return all || !w || (nth + (unsigned)(t - types) + w) % (N_WIDTHS - 1) == 0;
}

static void run_row(struct run *u, bool all, unsigned nth)
{
    static char scalars[8 * N], scalars2[8 * N], got[8 * N], got2[8 * N];
    const struct row *row = u->row;
    bool has_scalar = strpbrk(row->form, "sk"), has_pointer = second_type(row, u->t);

    for (unsigned k = 0; k < N_ARGS; k++) {
        char letter = arg(row->form, k);
        memset(u->in[k], 0, sizeof(u->in[k]));
        for (unsigned i = 0; letter && !is_pointer(letter) && i < N; i++) {
            uint64_t v = any_argument(letter, u->t);
            unsigned size = type_of(letter, u->t)->bits / 8;
            memcpy(u->in[k] + (size_t)i * size, &v, size);
        }
        CL(clEnqueueWriteBuffer(clu_queue, u->args[k], CL_TRUE, 0, sizeof(u->in[k]), u->in[k], 0,
                                NULL, NULL));
    }
    for (unsigned w = 0; w < N_WIDTHS; w++) {
        if (!takes(nth, u->t, w, all))
            continue;
        if (!w || has_scalar)
            launch(u, 1, "private", widths[w], scalars, scalars2);
        if (!w && row->ref)
            judge_scalars(u, scalars, scalars2);
        for (unsigned s = 0; s < 3; s++) {
            if ((!w && !s) || (s && !has_pointer))
                continue;
            launch(u, widths[w], spaces[s], widths[w], got, got2);
            compare(u, widths[w], spaces[s], got, got2, scalars, scalars2);
        }
    }
}

/* The rows of a type, some to a program. */
static void run_type(const struct type *t, bool all, const char *only)
{
    enum { BATCH = 6 };
    static struct run u;
    unsigned batch[BATCH], n = 0, programs = 0;

    u.t = t;
    u.r = clu_buffer(8 * N, NULL);
    u.r2 = clu_buffer(8 * N, NULL);
    u.scratch = clu_buffer(16 * 8 * N, NULL);
    for (unsigned i = 0; i < N_ARGS; i++)
        u.args[i] = clu_buffer(8 * N, NULL);
    for (unsigned i = 0; i <= N_ROWS; i++) {
        if (i < N_ROWS && (only ? !strcmp(only, rows[i].name) : true) &&
            (strchr(rows[i].types, t->letter) || (!t->fraction && strchr(rows[i].types, '%'))))
            batch[n++] = i;
        if (!n || (n < BATCH && i < N_ROWS))
            continue;
        length = 0;
        say("%s", t->letter == 'h' ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "");
        for (unsigned k = 0; k < n; k++) {
            for (unsigned w = 0; w < N_WIDTHS; w++) {
                for (unsigned s = 0; s < 3 && takes(batch[k], t, w, all); s++) {
                    if (!s || second_type(&rows[batch[k]], t))
                        say_kernel(&rows[batch[k]], k, t, widths[w], spaces[s]);
                }
            }
        }
        /* 3.0 has the functions with generic pointers, 1.2 with pointers to each space. */
        u.program = clu_build(text, programs++ % 2 ? "-cl-std=CL3.0" : "-cl-std=CL1.2");
        for (unsigned k = 0; k < n; k++) {
            u.row = &rows[batch[k]];
            u.nth = k;
            run_row(&u, all, batch[k]);
        }
        CL(clReleaseProgram(u.program));
        n = 0;
    }
    cl_mem m[] = {u.r, u.r2, u.scratch, u.args[0], u.args[1], u.args[2]};
    for (unsigned i = 0; i < sizeof m / sizeof *m; i++)
        CL(clReleaseMemObject(m[i]));
}

/* elementwise [all [FUNCTION]] */
int main(int argc, char **argv)
{
    static char extensions[4096];

    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    for (unsigned i = 0; i < N_TYPES; i++) {
        char letter = types[i].letter;
        if ((letter == 'd' && !strstr(extensions, "cl_khr_fp64")) ||
            (letter == 'h' && !strstr(extensions, "cl_khr_fp16")))
            continue;
        run_type(&types[i], argc > 1, argc > 2 ? argv[2] : NULL);
    }
    clu_close();
    return utest_end();
}
