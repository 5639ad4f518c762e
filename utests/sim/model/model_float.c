/* Float instructions (sections 3.4, 6.3 to 6.7, 6.9.1, 6.9.3 to 6.9.5): exact results, rounded
 * once, or bounds where the reference gives only an error. */
#include "model.h"

#include <math.h>

static uint64_t flip(const struct num_format *f, uint64_t bits)
{
    return bits ^ num_sign(f);
}

enum num_round model_mode(const struct model *m)
{
    return (enum num_round)(m->cr0 >> 4 & 3);
}

/* 1.4, 6.9.1: denormals of a width are flushed unless cr0 keeps them; Broadwell has no half ones.
 */
static bool flushes(const struct model *m, unsigned type)
{
    if (type == EU_HF)
        return m->gen < 90 || !(m->cr0 >> 10 & 1);
    return !(m->cr0 >> (type == EU_DF ? 6 : 7) & 1);
}

static uint64_t flushed(const struct model *m, unsigned type, uint64_t bits)
{
    const struct num_format *f = type_format(type);
    return flushes(m, type) && num_is_denormal(f, bits) ? bits & num_sign(f) : bits;
}

uint64_t model_int_to_float(const struct step *s, wide v, unsigned type)
{
    return num_write(type_format(type), num_from_int(v), model_mode(s->m), NULL);
}

/* 3.4 */
static unsigned exec_type(const struct step *s)
{
    bool f = false, df = false;
    for (unsigned k = 0; k < s->n_src; k++) {
        f |= s->src[k][0].type == EU_F;
        df |= s->src[k][0].type == EU_DF;
    }
    if (df)
        return EU_DF;
    return f || s->in->dst.type == EU_F ? EU_F : EU_HF; /* half_choices() knows the other way */
}

/* A result in the execution type. */
struct outcome {
    uint64_t bits;
    enum open why;
    uint64_t alt;  /* EITHER */
    double lo, hi; /* RANGE */
};

/* Of one element. */
struct sources {
    uint64_t raw[3];  /* execution type, modifiers applied, not flushed */
    uint64_t bits[3]; /* flushed */
    struct num v[3];
    bool converted; /* a NaN came from another width */
};

static void fetch(const struct step *s, unsigned i, unsigned exec, struct sources *o)
{
    const struct num_format *to = type_format(exec);
    o->converted = false;
    for (unsigned k = 0; k < s->n_src; k++) {
        const struct element *e = &s->src[k][i];
        uint64_t bits = e->bits;
        if (e->type != exec) {
            const struct num_format *from = type_format(e->type);
            bits = num_write(to, num_read(from, bits), NUM_EVEN, NULL); /* wider: exact */
            if (num_is_nan(from, e->bits)) { /* as it is, at the upper end */
                uint64_t payload = (e->bits & ((1ull << from->fraction) - 1))
                                   << (to->fraction - from->fraction);
                bits = (bits & ~(num_quiet(to, 0))) | payload;
                o->converted = true;
            }
        }
        if (s->in->src[k].abs)
            bits &= ~num_sign(to);
        if (s->in->src[k].negate)
            bits = flip(to, bits);
        o->raw[k] = bits;
        o->bits[k] = flushed(s->m, exec, bits);
        o->v[k] = num_read(to, o->bits[k]);
    }
}

/* Rounds a computed value (6.9.1, 5; 6.9.3). */
static struct outcome rounded(const struct step *s, unsigned exec, struct num v)
{
    const struct num_format *f = type_format(exec);
    bool tiny;
    struct outcome r = {.why = CLOSED};
    r.bits = num_write(f, v, model_mode(s->m), &tiny);
    if (v.kind == NUM_NAN) {
        r.why = OPEN_invalid;
        return r;
    }
    if (tiny && flushes(s->m, exec)) {
        r.why = OPEN_tininess;
        r.alt = r.bits & num_sign(f);
    }
    r.bits = flushed(s->m, exec, r.bits);
    return r;
}

/* 6.9.3: the first NaN among the sources, made quiet. */
static bool first_nan(const struct step *s, unsigned exec, const struct sources *o,
                      struct outcome *r)
{
    const struct num_format *f = type_format(exec);
    for (unsigned k = 0; k < s->n_src; k++) {
        if (num_is_nan(f, o->bits[k])) {
            *r = (struct outcome){.bits = num_quiet(f, o->bits[k]),
                                  .why = o->converted ? OPEN_nan_convert : CLOSED};
            return true;
        }
    }
    return false;
}

static bool test(unsigned cond, bool nan, int order)
{
    switch (cond) {
    case EU_COND_Z:
        return !nan && order == 0;
    case EU_COND_NZ:
        return nan || order != 0;
    case EU_COND_G:
        return !nan && order > 0;
    case EU_COND_GE:
        return !nan && order >= 0;
    case EU_COND_L:
        return !nan && order < 0;
    case EU_COND_LE:
        return !nan && order <= 0;
    case EU_COND_U:
        return nan;
    default:
        return false;
    }
}

static bool test_pair(unsigned cond, struct num a, struct num b)
{
    bool nan = a.kind == NUM_NAN || b.kind == NUM_NAN;
    return test(cond, nan, nan ? 0 : num_compare(a, b));
}

/* 6.6, 6.9.3: minimum and maximum. */
static struct outcome min_max(const struct step *s, unsigned exec, const struct sources *o)
{
    const struct num_format *f = type_format(exec);
    unsigned cond = s->in->cond;
    bool nan[2], signaling[2];
    for (unsigned k = 0; k < 2; k++) {
        nan[k] = num_is_nan(f, o->bits[k]);
        signaling[k] = num_is_signaling(f, o->bits[k]);
    }
    if (nan[0] && nan[1]) {
        struct outcome r = {.bits = num_quiet(f, o->bits[1]), .why = CLOSED};
        r.alt = num_quiet(f, o->bits[0]);
        if (o->converted)
            r.why = OPEN_nan_convert;
        else if (s->m->gen == 80 && (signaling[0] || signaling[1]))
            r.why = OPEN_signaling;
        return r;
    }
    if (!nan[0] && !nan[1])
        return (struct outcome){o->bits[test_pair(cond, o->v[0], o->v[1]) ? 0 : 1], CLOSED, 0, 0,
                                0};
    unsigned number = nan[0] ? 1 : 0;
    struct outcome r = {.bits = o->bits[number], .why = CLOSED};
    r.alt = num_quiet(f, o->bits[1 - number]);
    if (cond != EU_COND_L && cond != EU_COND_GE) {
        r.why = OPEN_minmax_nan;
    } else if (signaling[0] || signaling[1]) {
        /* Broadwell that keeps F denormals: a quiet NaN; that flushes, and Gen9: as any NaN. */
        bool known = s->m->gen == 90 || (s->m->gen == 80 && exec == EU_F);
        if (!known)
            r.why = OPEN_signaling;
        else if (s->m->gen == 80 && s->m->cr0 >> 7 & 1)
            r.bits = r.alt;
    }
    return r;
}

static const double ulp[3] = {0x1p-10, 0x1p-23, 0x1p-52};

/* Bounds around a value by relative and absolute error; the bits are its rounding. */
static struct outcome near(unsigned exec, long double v, long double error, enum open why,
                           enum open special)
{
    long double largest = exec == EU_DF ? 0x1p1022L : exec == EU_F ? 0x1p126L : 0x1p14L;
    long double denormal = exec == EU_DF ? 0x1p-1022L : exec == EU_F ? 0x1p-126L : 0x1p-14L;
    struct outcome r = {.why = why};
    if (!(fabsl(v) + error < largest)) {
        r.why = special;
        return r;
    }
    error += 4 * denormal; /* each intermediate result may be flushed */
    r.lo = (double)(v - error);
    r.hi = (double)(v + error);
    return r;
}

/* Sums of products whose intermediate rounding is not documented. */
static struct outcome dot(unsigned exec, const struct num *a, const struct num *b, unsigned n)
{
    long double sum = 0, size = 0;
    for (unsigned k = 0; k < n; k++) {
        long double t = num_approx(a[k]) * num_approx(b[k]);
        sum += t;
        size += fabsl(t);
        if (fabsl(num_approx(a[k])) > 0x1p126L || fabsl(num_approx(b[k])) > 0x1p126L)
            size = INFINITY; /* an intermediate sum may overflow */
    }
    if (!(size < (exec == EU_DF ? 0x1p1022L : 0x1p126L)))
        return (struct outcome){.why = OPEN_dot_special};
    return near(exec, sum, size * (n + 1) * ulp[exec == EU_DF ? 2 : exec == EU_F], OPEN_dot,
                OPEN_dot_special);
}

static bool open_nan(enum open why)
{
    return open_how[why] == HOW_NAN || open_how[why] == HOW_QNAN;
}

static const struct num one = {.m = 1};

/* dp2..dph: over each group of four channels. */
static struct outcome dot_group(const struct step *s, unsigned i, unsigned exec)
{
    static const uint8_t terms[] = {
        [EU_OP_dp4] = 4, [EU_OP_dph] = 4, [EU_OP_dp3] = 3, [EU_OP_dp2] = 2};
    struct num a[4], b[4];
    unsigned n = terms[s->in->op];
    for (unsigned k = 0; k < n; k++) {
        struct sources o;
        fetch(s, i / 4 * 4 + k, exec, &o);
        a[k] = k == 3 && s->in->op == EU_OP_dph ? one : o.v[0];
        b[k] = o.v[1];
    }
    return dot(exec, a, b, n);
}

/* A float of the registers by its number, with the modifiers of an operand. */
static struct num component(const struct step *s, unsigned at, const struct eu_operand *o)
{
    const uint8_t *p = s->m->grf + at % sizeof s->m->grf;
    uint64_t bits = p[0] | p[1] << 8 | p[2] << 16 | (uint64_t)p[3] << 24;
    if (o->abs)
        bits &= 0x7fffffff;
    if (o->negate)
        bits ^= 0x80000000;
    return num_read(&num_single, flushed(s->m, EU_F, bits));
}

/* line: p * b + q; pln: a.0 * u + a.1 * v + a.3 (6.6). */
static struct outcome plane(const struct step *s, unsigned i, const struct sources *o)
{
    const struct eu_operand *p = &s->in->src[0], *q = &s->in->src[1];
    unsigned at = p->reg * 32u + p->sub;
    struct num x = component(s, at, p), y = component(s, at + 4, p), w = component(s, at + 12, p);
    if (s->in->op == EU_OP_line)
        return dot(EU_F, (struct num[]){x, w}, (struct num[]){o->v[1], one}, 2);
    unsigned from = (q->reg + i / 8 * 2) * 32u + i % 8 * 4;
    struct num u = component(s, from, q), v = component(s, from + 32, q);
    return dot(EU_F, (struct num[]){x, y, w}, (struct num[]){u, v, one}, 3);
}

/* 6.9.5. The bounds are those that compilers rely on. */
static struct outcome math(const struct step *s, unsigned exec, const struct sources *o)
{
    const long double inf = INFINITY, unit = ulp[exec == EU_F];
    struct outcome nan;
    if (first_nan(s, exec, o, &nan)) {
        nan.why = OPEN_invalid; /* which one is not said */
        return nan;
    }
    long double a = num_approx(o->v[0]), b = s->n_src > 1 ? num_approx(o->v[1]) : 0, v, error;
    unsigned fn = s->in->fn;
    switch (fn) {
    case EU_MATH_INV:
        v = 1 / a, error = 1;
        break;
    case EU_MATH_SQT:
        v = sqrtl(a), error = 3;
        break;
    case EU_MATH_RSQT:
        if (a == 0 && o->v[0].neg)
            return (struct outcome){.why = OPEN_math_special};
        v = 1 / sqrtl(a), error = 2;
        break;
    case EU_MATH_EXP:
        v = exp2l(a), error = 3;
        break;
    case EU_MATH_LOG: /* large relative error near 1 */
        v = log2l(a), error = 4 + 0x1p-10L / unit / fabsl(v);
        break;
    case EU_MATH_SIN:
    case EU_MATH_COS:
        if (fabsl(a) > 314 && isfinite(a))
            return (struct outcome){.why = OPEN_math_special};
        v = fn == EU_MATH_SIN ? sinl(a) : cosl(a);
        error = 0x1p-11L / unit / fabsl(v);
        break;
    case EU_MATH_FDIV:
        v = a / b, error = 2.5L;
        break;
    default: /* POW: no bound is given; a factor */
        if (a == 0 && b == 0)
            return (struct outcome){.why = OPEN_math_special};
        v = powl(fabsl(a), b), error = 0x1p-8L / unit;
        if (!isfinite(v) || v == 0 || !isfinite(a) || !isfinite(b))
            return (struct outcome){.why = OPEN_math_special};
        break;
    }
    if (isnan(v))
        return rounded(s, exec, (struct num){.kind = NUM_NAN});
    bool exact = v == 0 || fabsl(v) == inf;
    if (exact) {
        struct num r = {.kind = v == 0 ? NUM_FINITE : NUM_INF, .neg = signbit(v)};
        return rounded(s, exec, r);
    }
    return near(exec, v, fabsl(v) * error * unit, OPEN_math_error, OPEN_math_special);
}

static struct outcome round_whole(const struct step *s, const struct sources *o)
{
    static const enum num_round modes[] = {[EU_OP_rndu] = NUM_UP,
                                           [EU_OP_rndd] = NUM_DOWN,
                                           [EU_OP_rnde] = NUM_EVEN,
                                           [EU_OP_rndz] = NUM_ZERO};
    struct num v = num_whole(o->v[0], modes[s->in->op]);
    struct outcome r = rounded(s, EU_F, v);
    if (num_is_zero(v) && !num_is_zero(o->v[0])) {
        r.why = OPEN_round_zero;
        r.alt = r.bits ^ 0x80000000;
    }
    return r;
}

/* a - floor(a), below 1. */
static struct outcome fraction(const struct step *s, const struct sources *o)
{
    struct num a = o->v[0], whole = num_whole(a, NUM_DOWN);
    if (a.kind == NUM_INF)
        return rounded(s, EU_F, (struct num){.kind = NUM_NAN});
    whole.neg = !whole.neg;
    struct outcome r = rounded(s, EU_F, num_add(a, whole, model_mode(s->m)));
    if (r.bits == 0x3f800000) {
        r = (struct outcome){.bits = 0x3f7fffff, .why = OPEN_frc_end, .alt = 0x3f800000};
    }
    return r;
}

static bool compute(const struct step *s, unsigned i, unsigned exec, struct outcome *r)
{
    const struct eu_insn *in = s->in;
    const struct num_format *f = type_format(exec);
    enum num_round mode = model_mode(s->m);
    struct sources o;
    fetch(s, i, exec, &o);
    switch (in->op) { /* what a NaN does not simply pass through */
    case EU_OP_sel:
        if (in->cond) {
            *r = min_max(s, exec, &o);
        } else {
            unsigned chosen = s->pred >> i & 1 ? 0 : 1;
            r->bits = o.raw[chosen]; /* bits, modifiers applied */
            r->alt = o.bits[chosen];
            if (num_is_nan(f, r->bits) && o.converted)
                r->why = OPEN_nan_convert;
            else if (r->bits != r->alt && (in->saturate || in->dst.type != exec))
                r->why = OPEN_sel_denormal;
        }
        return true;
    case EU_OP_csel: { /* (c cond 0) ? a : b */
        bool c = test_pair(in->cond, o.v[2], (struct num){0});
        r->bits = o.raw[c ? 0 : 1];
        r->alt = o.bits[c ? 0 : 1];
        if (num_is_signaling(f, r->bits))
            r->alt = num_quiet(f, r->bits);
        if (r->alt != r->bits)
            r->why = OPEN_csel_copy;
        return true;
    }
    case EU_OP_cmp:
        r->bits = test_pair(in->cond, o.v[0], o.v[1]);
        return true;
    case EU_OP_cmpn: /* 6.6 */
        r->bits = test_pair(in->cond, o.v[0], o.v[1]) || o.v[1].kind == NUM_NAN;
        if ((o.v[0].kind == NUM_NAN || o.v[1].kind == NUM_NAN) && in->cond != EU_COND_L &&
            in->cond != EU_COND_GE)
            r->why = OPEN_cmpn_nan;
        return true;
    case EU_OP_line:
    case EU_OP_pln:
        *r = plane(s, i, &o);
        return true;
    case EU_OP_dp2:
    case EU_OP_dp3:
    case EU_OP_dp4:
    case EU_OP_dph:
        *r = dot_group(s, i, exec);
        return true;
    case EU_OP_lrp: { /* a * b + (1 - a) * c */
        struct num minus = o.v[0];
        minus.neg = !minus.neg;
        *r = dot(exec, (struct num[]){o.v[0], o.v[2], minus}, (struct num[]){o.v[1], one, o.v[2]},
                 3);
        return true;
    }
    case EU_OP_math:
        *r = math(s, exec, &o);
        return true;
    case EU_OP_mac: {
        struct num acc = num_read(f, exec == EU_DF ? s->m->acc_df[i] : s->m->acc_f[i]);
        *r = dot(exec, (struct num[]){o.v[0], acc}, (struct num[]){o.v[1], one}, 2);
        return true;
    }
    default:
        break;
    }
    if (first_nan(s, exec, &o, r)) {
        if (in->op == EU_OP_mov && r->bits != o.raw[0]) {
            r->why = OPEN_moved_nan;
            r->alt = o.raw[0];
        }
        return true;
    }
    switch (in->op) {
    case EU_OP_mov:
        r->bits = o.bits[0];
        return true;
    case EU_OP_add:
        *r = rounded(s, exec, num_add(o.v[0], o.v[1], mode));
        return true;
    case EU_OP_mul:
        *r = rounded(s, exec, num_mul(o.v[0], o.v[1]));
        return true;
    case EU_OP_mad: /* src0 is the addend; one rounding */
        *r = rounded(s, exec, num_add(o.v[0], num_mul(o.v[1], o.v[2]), mode));
        return true;
    case EU_OP_rndu:
    case EU_OP_rndd:
    case EU_OP_rnde:
    case EU_OP_rndz:
        *r = round_whole(s, &o);
        return true;
    case EU_OP_frc:
        *r = fraction(s, &o);
        return true;
    default:
        return false;
    }
}

/* 6.4: clamped to [0, 1], NaN to 0. */
static void saturate(unsigned exec, struct outcome *r)
{
    const struct num_format *f = type_format(exec);
    struct num v = num_read(f, r->bits);
    uint64_t top = num_write(f, one, NUM_EVEN, NULL);
    if (r->why != CLOSED && open_how[r->why] == HOW_RANGE) {
        r->lo = r->lo < 0 ? 0 : r->lo > 1 ? 1 : r->lo;
        r->hi = r->hi < 0 ? 0 : r->hi > 1 ? 1 : r->hi;
        return;
    }
    if (v.kind == NUM_NAN) { /* whatever its payload was */
        r->bits = 0;
        if (r->why != CLOSED && open_nan(r->why))
            r->why = CLOSED;
        return;
    }
    if (r->bits == num_sign(f)) {
        r->bits = 0;
        r->alt = num_sign(f);
        r->why = OPEN_sat_zero;
    } else if (v.neg) {
        r->bits = 0;
    } else if (num_compare(v, one) > 0) {
        r->bits = top;
    }
    if (r->why != CLOSED && open_how[r->why] == HOW_EITHER && r->why != OPEN_sat_zero) {
        struct outcome other = {.bits = r->alt, .why = CLOSED};
        saturate(exec, &other);
        r->alt = other.bits;
    }
}

/* 6.9.4: truncates (Gen9 with cr0[12]: rounds by the mode) and clamps; NaN to 0. */
static uint64_t to_int(const struct step *s, unsigned exec, uint64_t bits)
{
    struct num v = num_read(type_format(exec), bits);
    unsigned type = s->in->dst.type, n = type_bits(type);
    if (v.kind == NUM_NAN)
        return 0;
    bool by_mode = s->m->gen >= 90 && s->m->cr0 >> 12 & 1;
    wide i = num_to_int(v, by_mode ? model_mode(s->m) : NUM_ZERO);
    wide most = ((wide)1 << (n - type_is_signed(type))) - 1,
         least = type_is_signed(type) ? -most - 1 : 0;
    return (uint64_t)(i < least ? least : i > most ? most : i);
}

/* From the execution type to a float destination. */
static uint64_t to_float(const struct step *s, unsigned exec, uint64_t bits, enum open *why,
                         uint64_t *alt)
{
    unsigned type = s->in->dst.type;
    const struct num_format *from = type_format(exec), *to = type_format(type);
    if (exec == type)
        return bits;
    struct num v = num_read(from, bits);
    bool tiny;
    uint64_t r = num_write(to, v, model_mode(s->m), &tiny);
    if (v.kind == NUM_NAN)
        *why = OPEN_nan_convert;
    else if (type == EU_F && exec == EU_DF) {
        if (tiny && flushes(s->m, EU_F)) {
            *why = OPEN_tininess;
            *alt = r & num_sign(to);
        }
        r = flushed(s->m, EU_F, r);
    }
    return r; /* half denormals are produced */
}

static void condition(struct step *s, unsigned i, unsigned exec, const struct outcome *before,
                      const struct outcome *r)
{
    const struct num_format *f = type_format(exec);
    unsigned cond = s->in->cond;
    struct num v = num_read(f, r->bits), b = num_read(f, before->bits);
    bool value = test_pair(cond, v, (struct num){0}), plain = test_pair(cond, b, (struct num){0});
    enum open why = CLOSED;
    if (v.kind == NUM_NAN)
        value = test(cond, true, 0);
    if (b.kind == NUM_NAN)
        plain = test(cond, true, 0);
    if (s->in->saturate && value != plain)
        why = OPEN_cond_sat;
    if (cond == EU_COND_O)
        why = OPEN_cond_over;
    if (r->why != CLOSED && !open_nan(r->why) && r->why != OPEN_moved_nan)
        why = OPEN_cond_open;
    step_flag(s, i, value, why);
}

/* The destination's value of a result in the execution type. */
static uint64_t converted(struct step *s, unsigned exec, const struct outcome *r, enum open *why,
                          uint64_t *alt)
{
    if (!type_is_float(s->in->dst.type))
        return to_int(s, exec, r->bits);
    return to_float(s, exec, r->bits, why, alt);
}

static void finish(struct step *s, unsigned i, unsigned exec, struct outcome *r)
{
    const struct eu_insn *in = s->in;
    const struct eu_operand *d = &in->dst;
    struct outcome plain = *r;
    bool saturated = in->saturate && type_is_float(d->type);
    if (saturated)
        saturate(exec, r);
    enum open why = r->why;
    uint64_t alt = r->alt;
    uint64_t bits = converted(s, exec, r, &why, &alt);
    if (r->why != CLOSED && exec != d->type &&
        why != OPEN_nan_convert) { /* what is open stays so through a conversion */
        struct outcome other = {.bits = r->alt};
        enum open ignored = CLOSED;
        why = r->why;
        if (open_how[why] == HOW_EITHER)
            alt = converted(s, exec, &other, &ignored, &alt);
        else if (open_nan(why) && !type_is_float(d->type))
            why = CLOSED; /* any NaN gives 0 */
        else if (open_how[why] == HOW_RANGE)
            why = OPEN_dot_special;
    }
    bool explicit_acc = d->file == EU_ARF && !d->indirect && (d->reg & 0xf0) == EU_ARF_ACC0;
    if (step_enabled(s, i)) {
        step_store(s, i, bits);
        if (why != CLOSED)
            step_loose(s, i, why, alt, r->lo, r->hi);
        if (s->df_dwords && type_bits(d->type) < 64 && d->file == EU_GRF) {
            /* 2.4: a second dword, of no value */
            s->m->loose[s->m->n_loose++] = (struct loose){
                .at = (uint16_t)(step_dst(s, i) + 4), .type = EU_UD, .why = OPEN_df_garbage};
            s->m->n_open[OPEN_df_garbage]++;
        }
        unsigned at = i + (explicit_acc && d->reg == EU_ARF_ACC1 ? (exec == EU_DF ? 4 : 8) : 0);
        if (explicit_acc || in->acc_wr) {
            struct model *m = s->m;
            m->stale_int = ~0u;
            if (exec == EU_DF) {
                m->acc_df[at] = plain.bits;
                m->stale_df &= ~(1u << at);
                m->stale_f = ~0u;
            } else {
                m->acc_f[at] = (uint32_t)plain.bits;
                m->stale_f &= ~(1u << at);
                m->stale_df = 0xff;
            }
            if (plain.why != CLOSED)
                step_acc_open(s, at, plain.why);
        }
    }
    if (in->cond && in->op != EU_OP_sel && in->op != EU_OP_csel)
        condition(s, i, exec, &plain, r);
}

/* cmp, cmpn: all ones of the destination's size, or zero. */
static void finish_compare(struct step *s, unsigned i, const struct outcome *r)
{
    if (step_enabled(s, i)) {
        step_store(s, i, r->bits ? ~0ull : 0);
        if (r->why != CLOSED)
            step_loose(s, i, r->why, 0, 0, 0);
        if (s->df_dwords && type_bits(s->in->dst.type) < 64 && s->in->dst.file == EU_GRF)
            s->m->loose[s->m->n_loose++] = (struct loose){
                .at = (uint16_t)(step_dst(s, i) + 4), .type = EU_UD, .why = OPEN_df_garbage};
    }
    step_flag(s, i, r->bits, r->why);
}

/* 3.4 gives the execution type of HF sources with an F destination only for one source; 6.9.1 not
 * whether a denormal half counts as zero where it is read as a float. */
static void half_choices(const struct step *s, unsigned i, unsigned exec, struct outcome *r)
{
    bool all_half = s->n_src > 1, denormal = false;
    for (unsigned k = 0; k < s->n_src; k++) {
        const struct element *e = &s->src[k][i];
        all_half &= e->type == EU_HF;
        denormal |= e->type == EU_HF && num_is_denormal(&num_half, e->bits);
    }
    if (denormal && exec == EU_F && s->n_src > 1 && flushes(s->m, EU_HF) &&
        s->in->op != EU_OP_sel) {
        r->why = OPEN_half_denormal;
    } else if (denormal && exec == EU_F && s->in->op == EU_OP_sel && s->in->cond) {
        r->why = OPEN_half_denormal;
    } else if (all_half && exec == EU_F && r->why == CLOSED) {
        struct outcome half = {.why = CLOSED};
        compute(s, i, EU_HF, &half);
        r->alt = num_write(&num_single, num_read(&num_half, half.bits), NUM_EVEN, NULL);
        if (num_is_nan(&num_half, half.bits) || half.why != CLOSED)
            r->why = OPEN_half_denormal;
        else if (r->alt != r->bits)
            r->why = OPEN_half_exec;
    }
}

/* Conversions of half bits in words, Gen7 and 7.5 (6.6, 6.9.4). */
static void half_words(struct step *s, unsigned i)
{
    bool to_half = s->in->op == EU_OP_f32to16;
    const struct num_format *from = to_half ? &num_single : &num_half,
                            *to = to_half ? &num_half : &num_single;
    uint64_t bits = s->src[0][i].bits;
    if (s->in->src[0].abs)
        bits &= ~num_sign(from);
    if (s->in->src[0].negate)
        bits = flip(from, bits);
    if (to_half)
        bits = flushed(s->m, EU_F, bits);
    bool nan = num_is_nan(from, bits);
    unsigned n = s->m->n_loose;
    step_store(s, i, num_write(to, num_read(from, bits), model_mode(s->m), NULL));
    if (nan)
        step_loose(s, i, OPEN_nan_convert, 0, 0, 0);
    if (s->m->n_loose > n && to_half)
        s->m->loose[n].type = EU_HF; /* in a word */
}

/* 6.6, 6.9.1: a move of bits. */
static bool raw(const struct step *s)
{
    const struct eu_operand *a = &s->in->src[0];
    unsigned op = s->in->op;
    bool moves = op == EU_OP_mov || op == EU_OP_movi || op == EU_OP_smov;
    return op == EU_OP_dim || (moves && s->src[0][0].type == s->in->dst.type && !a->negate &&
                               !a->abs && !s->in->saturate && !s->in->cond);
}

bool model_float(struct step *s)
{
    unsigned exec = exec_type(s), op = s->in->op;
    for (unsigned i = 0; i < s->n; i++) {
        struct outcome r = {.why = CLOSED};
        if (!(s->write >> i & 1))
            continue;
        if (raw(s)) {
            r.bits = s->src[0][i].bits;
            finish(s, i, exec, &r);
            continue;
        }
        if (op == EU_OP_f32to16 || op == EU_OP_f16to32) {
            half_words(s, i);
            continue;
        }
        if (op == EU_OP_smov || op == EU_OP_movi || !compute(s, i, exec, &r))
            return false;
        half_choices(s, i, exec, &r);
        if (op == EU_OP_cmp || op == EU_OP_cmpn)
            finish_compare(s, i, &r);
        else
            finish(s, i, exec, &r);
    }
    return true;
}
