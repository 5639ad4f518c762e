/* The math unit: computed in doubles, rounded to nearest. The results are at least as good as the
 * hardware's, whose error no program may depend on. Integer division by zero is undefined; it gives
 * the extreme values here. With --perturb both show: results are wrong by as much as the hardware's
 * may be, in a way that depends on seed, function and operands alone.
 * Source: Intel PRM volume 7, "math", "INT DIV". */
#include "eu_math_vec.h"
#include "perturb.h"

#include <math.h>

double eu_math_function(unsigned fn, double a, double b)
{
    switch (fn) {
    case EU_MATH_INV:
        return 1 / a;
    case EU_MATH_LOG:
        return log2(a);
    case EU_MATH_EXP:
        return exp2(a);
    case EU_MATH_SQT:
        return sqrt(a);
    case EU_MATH_RSQT:
        return 1 / sqrt(a);
    case EU_MATH_SIN:
        return sin(a);
    case EU_MATH_COS:
        return cos(a);
    case EU_MATH_FDIV:
        return a / b;
    default:
        return pow(fabs(a), b);
    }
}

/* The hardware's error: in units of the last place of the result, or of `least` if that is larger;
 * or absolute, and relative to the operand below one. */
static const struct {
    double ulp, least, absolute;
} errors[] = {
    [EU_MATH_INV] = {.ulp = 1},
    [EU_MATH_LOG] = {.ulp = 2, .least = 1},
    [EU_MATH_EXP] = {.ulp = 2},
    [EU_MATH_SQT] = {.ulp = 1},
    [EU_MATH_RSQT] = {.ulp = 1},
    [EU_MATH_SIN] = {.absolute = 0x1p-11},
    [EU_MATH_COS] = {.absolute = 0x1p-11},
    [EU_MATH_FDIV] = {.ulp = 1},
    [EU_MATH_POW] = {.ulp = 16},
};

/* v, in error. Stays exact: zeros, infinities, the powers and logarithms of one, functions of zero.
 */
static double perturb(uint32_t seed, unsigned fn, float a, float b, double v)
{
    uint64_t key = 0;
    memcpy(&key, &a, 4);
    memcpy((char *)&key + 4, &b, 4);
    if (v == 0 || !isfinite(v) || a == 0 || (v == 1 && fn == EU_MATH_POW))
        return v;
    double part = (double)(int64_t)perturb_hash(seed, key * 16 + fn) * 0x1p-63; /* -1 to 1 */
    if (errors[fn].absolute != 0) {
        v += part * errors[fn].absolute * fmin(1, fabs((double)a));
        return fmax(-1, fmin(1, v));
    }
    int exponent;
    frexp(fmax(fabs(v), errors[fn].least), &exponent);
    return v + part * errors[fn].ulp * ldexp(1, exponent - 24);
}

static bool two_sources(unsigned fn)
{
    return fn == EU_MATH_FDIV || fn == EU_MATH_POW || fn == EU_MATH_INVM;
}

static float finish(float a, float b, bool flush, double v)
{
    float f = (float)v;
    if (isnan(a) || isnan(b) || isnan(f))
        return eu_nan_f(a, b, 0);
    return flush && fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

/* Runs with the host's own modes: glibc's functions expect them. Lanes that are off compute
 * something harmless. */
__attribute__((noinline)) static void compute(const struct eu_op *op, uint32_t mask, bool flush,
                                              bool alt, uint32_t seed, const struct eu_vals s[2],
                                              struct eu_vals *r)
{
    unsigned fn = op->insn.fn;
    bool two = two_sources(fn);
    alt = alt && (fn == EU_MATH_LOG || fn == EU_MATH_SQT || fn == EU_MATH_RSQT);
    for (unsigned at = 0; at < op->n; at += 4) {
        float a[4], b[4];
        vdf wide_a, wide_b, wide;
        for (unsigned i = 0; i < 4; i++) {
            bool on = mask >> (at + i) & 1;
            a[i] = !on ? 1 : alt ? fabsf(s[0].f[at + i]) : s[0].f[at + i];
            b[i] = !on ? 1 : two ? s[1].f[at + i] : 0;
            wide_a[i] = (double)a[i];
            wide_b[i] = (double)b[i];
        }
        wide = eu_math_vec(fn, wide_a, wide_b);
        for (unsigned i = 0; i < 4; i++) {
            double v = wide[i];
            if (seed && mask >> (at + i) & 1)
                v = perturb(seed, fn, a[i], b[i], v);
            r->f[at + i] = finish(a[i], b[i], flush, v);
        }
    }
}

static bool run_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    struct eu_vals s[2], r;
    bool half = op->cls == EU_CLASS_HF;
    /* Gen9 keeps denormal halves here, whatever cr0 says. */
    bool flush = !(half && eu_gen(t) >= 90);
    if (!eu_fetch(t, op, 0, op->cls, flush, &s[0]) ||
        (two_sources(op->insn.fn) && !eu_fetch(t, op, 1, op->cls, flush, &s[1])))
        return false;
    memset(&r, 0, sizeof r);
    _mm_setcsr(EU_MXCSR_DEFAULT);
    compute(op, mask, !half && !(eu_denorm_bits(t) & CR0_F_DENORM), t->cr0[0] & CR0_ALT,
            perturb_seed(t), s, &r);
    _mm_setcsr(t->mxcsr_f);
    return eu_finish(t, op, mask, op->cls, &r);
}

static void divide(bool sign, uint32_t seed, i128 a, i128 b, i128 *q, i128 *r)
{
    if (b) {
        *q = a / b;
        *r = a % b;
    } else if (seed) {
        *q = (int32_t)perturb_hash(seed, (uint64_t)a);
        *r = (int32_t)perturb_hash(seed, (uint64_t)a + 1);
    } else if (sign) {
        *q = *r = a >= 0 ? INT32_MAX : INT32_MIN;
    } else {
        *q = *r = UINT32_MAX;
    }
}

static bool run_int_div(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    struct eu_vals a, b, quot, rem;
    unsigned fn = op->insn.fn;
    bool sign = op->src[0].type == EU_D;
    if (op->cls != EU_CLASS_INT) {
        eu_fault(t, "integer division of floats");
        return false;
    }
    if (!eu_fetch(t, op, 0, EU_CLASS_INT, false, &a) ||
        !eu_fetch(t, op, 1, EU_CLASS_INT, false, &b))
        return false;
    for (unsigned i = 0; i < op->n; i++)
        divide(sign, perturb_seed(t), a.i[i], b.i[i], &quot.i[i], &rem.i[i]);
    if (fn == EU_MATH_INT_DIV_REM)
        return eu_finish(t, op, mask, EU_CLASS_INT, &rem);
    if (!eu_finish(t, op, mask, EU_CLASS_INT, &quot))
        return false;
    if (fn == EU_MATH_INT_DIV_QUOT || op->dst.null)
        return true;
    /* Both: the remainder goes to the next register. */
    if (op->dst.file != EU_GRF || op->dst.indirect ||
        op->dst.off + EU_GRF_SIZE + op->n * op->dst.step > EU_N_GRF * EU_GRF_SIZE) {
        eu_fault(t, "no register for the remainder");
        return false;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint32_t v = (uint32_t)rem.i[i];
        memcpy(t->grf + op->dst.off + EU_GRF_SIZE + i * op->dst.step, &v, 4);
    }
    return true;
}

__attribute__((noinline)) static void start_value(const struct eu_op *op, const struct eu_vals s[2],
                                                  struct eu_vals *r)
{
    bool root = op->insn.fn == EU_MATH_RSQTM;
    for (unsigned i = 0; i < op->n; i++) {
        if (op->cls == EU_CLASS_DF)
            r->d[i] = root ? sqrt(s[0].d[i]) : s[0].d[i] / s[1].d[i];
        else
            r->f[i] = root ? sqrtf(s[0].f[i]) : s[0].f[i] / s[1].f[i];
    }
}

/* invm, rsqtm: the whole quotient or root at once, and "early out" for every channel. */
static bool run_macro(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    struct eu_vals s[2], r;
    if (!eu_fetch(t, op, 0, op->cls, true, &s[0]) ||
        (op->insn.fn == EU_MATH_INVM && !eu_fetch(t, op, 1, op->cls, true, &s[1])))
        return false;
    _mm_setcsr(op->cls == EU_CLASS_DF ? t->mxcsr_df : t->mxcsr_f);
    start_value(op, s, &r);
    _mm_setcsr(t->mxcsr_f);
    eu_flag_write(t, op, mask, ~0u);
    return eu_finish(t, op, mask, op->cls, &r);
}

const struct eu_op *eu_run_math(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t mask = eu_write_mask(t, op);
    bool ok;
    t->op = op;
    switch ((enum eu_math)op->insn.fn) {
    case EU_MATH_INV:
    case EU_MATH_LOG:
    case EU_MATH_EXP:
    case EU_MATH_SQT:
    case EU_MATH_RSQT:
    case EU_MATH_SIN:
    case EU_MATH_COS:
    case EU_MATH_FDIV:
    case EU_MATH_POW:
        if (op->cls != EU_CLASS_F && op->cls != EU_CLASS_HF) {
            eu_fault(t, "this math function has single and half precision only");
            ok = false;
            break;
        }
        ok = run_float(t, op, mask);
        break;
    case EU_MATH_INT_DIV_BOTH:
    case EU_MATH_INT_DIV_QUOT:
    case EU_MATH_INT_DIV_REM:
        ok = run_int_div(t, op, mask);
        break;
    case EU_MATH_INVM:
    case EU_MATH_RSQTM:
        if (op->cls == EU_CLASS_INT || op->cls == EU_CLASS_HF || eu_gen(t) < 80) {
            eu_fault(t, "no such math function");
            ok = false;
            break;
        }
        ok = run_macro(t, op, mask);
        break;
    default:
        eu_fault(t, "math function %u is reserved", op->insn.fn);
        ok = false;
        break;
    }
    return ok ? op->next : eu_stop_fault(t);
}
