/* See num.h. Source: IEEE 754-2008, sections 3.4, 4.3 and 6. */
#include "num.h"

#include <math.h>
#include <stddef.h>

const struct num_format num_half = {10, 5}, num_single = {23, 8}, num_double = {52, 11};

static int bias(const struct num_format *f)
{
    return (1 << (f->exponent - 1)) - 1;
}

static uint64_t fraction_mask(const struct num_format *f)
{
    return (1ull << f->fraction) - 1;
}

static uint64_t exponent_mask(const struct num_format *f)
{
    return ((1ull << f->exponent) - 1) << f->fraction;
}

uint64_t num_sign(const struct num_format *f)
{
    return 1ull << (f->fraction + f->exponent);
}

bool num_is_nan(const struct num_format *f, uint64_t bits)
{
    return (bits & exponent_mask(f)) == exponent_mask(f) && bits & fraction_mask(f);
}

bool num_is_signaling(const struct num_format *f, uint64_t bits)
{
    return num_is_nan(f, bits) && !(bits >> (f->fraction - 1) & 1);
}

uint64_t num_quiet(const struct num_format *f, uint64_t bits)
{
    return bits | 1ull << (f->fraction - 1);
}

bool num_is_denormal(const struct num_format *f, uint64_t bits)
{
    return !(bits & exponent_mask(f)) && bits & fraction_mask(f);
}

bool num_is_zero(struct num v)
{
    return v.kind == NUM_FINITE && v.m == 0;
}

struct num num_read(const struct num_format *f, uint64_t bits)
{
    int e = (int)((bits & exponent_mask(f)) >> f->fraction);
    struct num v = {.neg = bits & num_sign(f), .m = bits & fraction_mask(f)};
    if (e == (1 << f->exponent) - 1) {
        v.kind = v.m ? NUM_NAN : NUM_INF;
        return v;
    }
    if (e)
        v.m |= (uwide)1 << f->fraction;
    v.e = (e ? e : 1) - bias(f) - (int)f->fraction;
    return v;
}

static int length(uwide m) /* bits */
{
    int n = 0;
    for (; m; m >>= 1)
        n++;
    return n;
}

/* m / 2^n with the lost bits as a sticky one. */
static uwide jam(uwide m, int n)
{
    if (n <= 0)
        return m << -n;
    if (n > 127)
        return m != 0;
    return m >> n | ((m & (((uwide)1 << n) - 1)) != 0);
}

/* m / 2^n, n >= 0, rounded to an integer. */
static uwide round_off(uwide m, int n, bool neg, enum num_round mode)
{
    if (n == 0)
        return m;
    if (n > 126) { /* all of it below a quarter */
        m = m != 0;
        n = 2;
    }
    uwide whole = m >> n, rest = m & (((uwide)1 << n) - 1), half = (uwide)1 << (n - 1);
    switch (mode) {
    case NUM_EVEN:
        return whole + (rest > half || (rest == half && whole & 1));
    case NUM_UP:
        return whole + (rest && !neg);
    case NUM_DOWN:
        return whole + (rest && neg);
    case NUM_ZERO:
        break;
    }
    return whole;
}

uint64_t num_write(const struct num_format *f, struct num v, enum num_round mode, bool *tiny)
{
    uint64_t sign = v.neg ? num_sign(f) : 0;
    if (tiny)
        *tiny = false;
    if (v.kind == NUM_NAN)
        return sign | exponent_mask(f) | 1ull << (f->fraction - 1);
    if (v.kind == NUM_INF)
        return sign | exponent_mask(f);
    if (v.m == 0)
        return sign;
    int least = 1 - bias(f) - (int)f->fraction; /* exponent of the last place of a denormal */
    int last = v.e + length(v.m) - (int)f->fraction - 1;
    bool below = last < least;
    if (below)
        last = least;
    uwide m = v.e >= last ? v.m << (v.e - last) : round_off(v.m, last - v.e, v.neg, mode);
    if (m >> (f->fraction + 1)) {
        m >>= 1;
        last++;
    }
    if (!(m >> f->fraction))
        return sign | (uint64_t)m;
    if (tiny)
        *tiny = below;
    int e = last - least + 1;
    if (e >= (1 << f->exponent) - 1) { /* IEEE 754, 7.4: overflow by the mode */
        bool inf = mode == NUM_EVEN || (mode == NUM_UP && !v.neg) || (mode == NUM_DOWN && v.neg);
        return sign | (inf ? exponent_mask(f) : exponent_mask(f) - 1);
    }
    return sign | (uint64_t)e << f->fraction | ((uint64_t)m & fraction_mask(f));
}

struct num num_from_int(wide v)
{
    return (struct num){.neg = v < 0, .m = v < 0 ? -(uwide)v : (uwide)v};
}

struct num num_whole(struct num v, enum num_round mode)
{
    if (v.kind == NUM_FINITE && v.e < 0) {
        v.m = round_off(v.m, -v.e, v.neg, mode);
        v.e = 0;
    }
    return v;
}

wide num_to_int(struct num v, enum num_round mode)
{
    const wide largest = (wide)1 << 100;
    v = num_whole(v, mode);
    wide m = v.kind == NUM_INF || (v.m && v.e + length(v.m) > 100) ? largest : (wide)(v.m << v.e);
    return v.neg ? -m : m;
}

static struct num normal(struct num v) /* the top bit at 125 */
{
    int n = 126 - length(v.m);
    v.m <<= n;
    v.e -= n;
    return v;
}

struct num num_add(struct num a, struct num b, enum num_round mode)
{
    const struct num nan = {.kind = NUM_NAN};
    if (a.kind == NUM_NAN || b.kind == NUM_NAN)
        return nan;
    if (a.kind == NUM_INF || b.kind == NUM_INF) {
        if (a.kind == b.kind && a.neg != b.neg)
            return nan;
        return a.kind == NUM_INF ? a : b;
    }
    if (a.m == 0 && b.m == 0) {
        a.neg = a.neg == b.neg ? a.neg : mode == NUM_DOWN;
        return a;
    }
    if (a.m == 0 || b.m == 0)
        return a.m == 0 ? b : a;
    a = normal(a);
    b = normal(b);
    if (a.e < b.e) {
        struct num t = a;
        a = b;
        b = t;
    }
    b.m = jam(b.m, a.e - b.e);
    if (a.neg == b.neg) {
        a.m += b.m;
    } else if (a.m == b.m) {
        a = (struct num){.neg = mode == NUM_DOWN};
    } else if (a.m > b.m) {
        a.m -= b.m;
    } else {
        a.m = b.m - a.m;
        a.neg = b.neg;
    }
    return a;
}

struct num num_mul(struct num a, struct num b)
{
    struct num r = {.neg = a.neg != b.neg, .m = a.m * b.m, .e = a.e + b.e};
    if (a.kind == NUM_FINITE && b.kind == NUM_FINITE)
        return r;
    r.kind = a.kind == NUM_NAN || b.kind == NUM_NAN || num_is_zero(a) || num_is_zero(b) ? NUM_NAN
                                                                                        : NUM_INF;
    return r;
}

int num_compare(struct num a, struct num b)
{
    if (num_is_zero(a) && num_is_zero(b))
        return 0;
    int sa = num_is_zero(a) ? 0 : a.neg ? -1 : 1, sb = num_is_zero(b) ? 0 : b.neg ? -1 : 1;
    if (sa != sb)
        return sa < sb ? -1 : 1;
    if (a.kind == NUM_INF || b.kind == NUM_INF)
        return a.kind == b.kind ? 0 : a.kind == NUM_INF ? sa : -sa;
    a = normal(a);
    b = normal(b);
    if (a.e != b.e)
        return a.e < b.e ? -sa : sa;
    return a.m == b.m ? 0 : a.m < b.m ? -sa : sa;
}

long double num_approx(struct num v)
{
    long double m = v.kind == NUM_NAN   ? (long double)NAN
                    : v.kind == NUM_INF ? (long double)INFINITY
                                        : ldexpl((long double)v.m, v.e);
    return v.neg ? -m : m;
}
