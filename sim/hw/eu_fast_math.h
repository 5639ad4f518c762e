/* Fast forms, continued: the math functions. Included by eu_fast_impl.h, which see. */

INLINE bool math_two_sources(unsigned fn)
{
    return fn == EU_MATH_FDIV || fn == EU_MATH_POW;
}

/* Quotients and roots are computed in floats: rounding the double's quotient or root to a float
 * gives the same number (53 bits are more than twice 24 and two). */
INLINE vu math_exact(unsigned fn, vf a, vf b)
{
    switch (fn) {
    case EU_MATH_INV:
        return (vu)(1.0f / a);
    case EU_MATH_FDIV:
        return (vu)(a / b);
    default: {
#ifdef __AVX__
        return (vu)_mm256_sqrt_ps((__m256)a);
#else
        union {
            vf v;
            __m128 h[2];
        } u = {.v = a};
        u.h[0] = _mm_sqrt_ps(u.h[0]);
        u.h[1] = _mm_sqrt_ps(u.h[1]);
        return (vu)u.v;
#endif
    }
    }
}

/* Has it a float operation of the host's that gives the same as rounding eu_math_vec()? */
INLINE bool math_is_exact(unsigned fn)
{
    return fn == EU_MATH_INV || fn == EU_MATH_FDIV || fn == EU_MATH_SQT;
}

INLINE v4f math_4(unsigned fn, v4f a, v4f b)
{
    return __builtin_convertvector(
        eu_math_vec(fn, __builtin_convertvector(a, vdf), __builtin_convertvector(b, vdf)), v4f);
}

#define LOW_HALF(v)  __builtin_shufflevector((vf)(v), (vf)(v), 0, 1, 2, 3)
#define HIGH_HALF(v) __builtin_shufflevector((vf)(v), (vf)(v), 4, 5, 6, 7)

INLINE vu math_8(unsigned fn, vu a, vu b)
{
    if (math_is_exact(fn))
        return math_exact(fn, (vf)a, (vf)b);
    v4f lo = math_4(fn, LOW_HALF(a), LOW_HALF(b)), hi = math_4(fn, HIGH_HALF(a), HIGH_HALF(b));
    return (vu)__builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
}

typedef void math_fn(unsigned n, const struct both s[2], struct both *r);

INLINE void compute_math(unsigned fn, unsigned n, const struct both s[2], struct both *r)
{
    r->lo = math_8(fn, s[0].lo, s[1].lo);
    r->hi = n > 1 ? math_8(fn, s[0].hi, s[1].hi) : r->lo;
}

/* Lanes that are off compute something harmless. */
INLINE struct both only_lanes(uint32_t mask, struct both v)
{
    const vu one = splat(0x3f800000);
    return (struct both){choose_lanes(lane_mask(mask & 0xff), v.lo, one),
                         choose_lanes(lane_mask(mask >> 8 & 0xff), v.hi, one)};
}

INLINE vu not_a_number(vu v)
{
    return (vu)((vf)v != (vf)v);
}

/* `other` isn't inlined: the mode is set around it. */
INLINE const struct eu_op *run_math(struct eu_thread *t, const struct eu_op *op, unsigned fn,
                                    math_fn *other)
{
    uint32_t mask = eu_write_mask(t, op);
    if (UNLIKELY(t->cr0[0] & CR0_ALT))
        return op->general(t, op);
    bool flush = t->mxcsr_f & _MM_DENORMALS_ZERO_MASK;
    unsigned n = op->n > 8 ? 2 : 1;
    struct both s[2], r;
    for (unsigned k = 0; k < 2; k++) {
        if (k && !math_two_sources(fn)) {
            s[1] = s[0];
            break;
        }
        s[k] = modify_both(&op->src[k], MODIFY_FLOAT, load(t, op, k, 0));
        s[k] = (struct both){flush_float(t, s[k].lo), flush_float(t, s[k].hi)};
        if (!math_is_exact(fn) && mask != op->lanes)
            s[k] = only_lanes(mask, s[k]);
    }
    /* Flushing by the mode is the same for reciprocals and roots: the others can come up to the
     * least number, or round twice. */
    bool own_mode = (fn != EU_MATH_INV && fn != EU_MATH_SQT) || t->mxcsr_f & _MM_ROUND_MASK;
    if (own_mode)
        _mm_setcsr(EU_MXCSR_DEFAULT);
    other(n, s, &r);
    if (own_mode)
        _mm_setcsr(t->mxcsr_f);
    struct both nan = {not_a_number(r.lo), not_a_number(r.hi)};
    if (fn == EU_MATH_POW) { /* which the host's function can ignore */
        nan.lo |= not_a_number(s[0].lo) | not_a_number(s[1].lo);
        nan.hi |= not_a_number(s[0].hi) | not_a_number(s[1].hi);
    }
    if (UNLIKELY(both_bits(nan, n) & mask))
        return op->general(t, op);
    if (flush) {
        r.lo &= splat(0x80000000) | (vu)((r.lo & 0x7f800000) != 0);
        r.hi &= splat(0x80000000) | (vu)((r.hi & 0x7f800000) != 0);
    }
    store(t, op, mask, 0, r);
    return op->next;
}

#define MATH(name, fn)                                                                             \
    __attribute__((noinline)) static void compute_##name(unsigned n, const struct both s[2],       \
                                                         struct both *r)                           \
    {                                                                                              \
        compute_math(fn, n, s, r);                                                                 \
    }                                                                                              \
    static const struct eu_op *math_##name(struct eu_thread *t, const struct eu_op *op)            \
    {                                                                                              \
        return run_math(t, op, fn, compute_##name);                                                \
    }

MATH(inv, EU_MATH_INV)
MATH(log, EU_MATH_LOG)
MATH(exp, EU_MATH_EXP)
MATH(sqt, EU_MATH_SQT)
MATH(rsqt, EU_MATH_RSQT)
MATH(sin, EU_MATH_SIN)
MATH(cos, EU_MATH_COS)
MATH(fdiv, EU_MATH_FDIV)
MATH(pow, EU_MATH_POW)

static eu_run_fn *const math_forms[] = {
    [EU_MATH_INV] = math_inv, [EU_MATH_LOG] = math_log,   [EU_MATH_EXP] = math_exp,
    [EU_MATH_SQT] = math_sqt, [EU_MATH_RSQT] = math_rsqt, [EU_MATH_SIN] = math_sin,
    [EU_MATH_COS] = math_cos, [EU_MATH_FDIV] = math_fdiv, [EU_MATH_POW] = math_pow};
