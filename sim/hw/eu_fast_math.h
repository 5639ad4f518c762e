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

INLINE v4f reciprocal_root(v4f a)
{
    vdf x = __builtin_convertvector(a, vdf);
#ifdef __AVX__
    x = (vdf)_mm256_sqrt_pd((__m256d)x);
#else
    union {
        vdf v;
        __m128d h[2];
    } u = {.v = x};
    u.h[0] = _mm_sqrt_pd(u.h[0]);
    u.h[1] = _mm_sqrt_pd(u.h[1]);
    x = u.v;
#endif
    return __builtin_convertvector(1.0 / x, v4f);
}

/* Reciprocal roots take two operations, and are computed in doubles as the reference does. */
INLINE vu math_8(unsigned fn, vu a, vu b)
{
    union {
        vu v;
        v4f f[2];
    } u = {.v = a};
    if (fn != EU_MATH_RSQT)
        return math_exact(fn, (vf)a, (vf)b);
    u.f[0] = reciprocal_root(u.f[0]);
    u.f[1] = reciprocal_root(u.f[1]);
    return u.v;
}

/* Not inlined: the mode is set around it. Returns the lanes that are NaN. */
__attribute__((noinline)) static uint32_t
compute_math(unsigned fn, unsigned n, const struct both *a, const struct both *b, struct both *r)
{
    struct both nan;
    r->lo = math_8(fn, a->lo, b->lo);
    r->hi = n > 1 ? math_8(fn, a->hi, b->hi) : r->lo;
    nan = (struct both){(vu)((vf)r->lo != (vf)r->lo), (vu)((vf)r->hi != (vf)r->hi)};
    return both_bits(nan, n);
}

INLINE const struct eu_op *run_math(struct eu_thread *t, const struct eu_op *op, unsigned fn)
{
    uint32_t mask = eu_write_mask(t, op), bad;
    if (UNLIKELY(t->cr0[0] & CR0_ALT))
        return op->general(t, op);
    bool flush = t->mxcsr_f & _MM_DENORMALS_ZERO_MASK, two = math_two_sources(fn);
    unsigned n = op->n > 8 ? 2 : 1;
    struct both a = load(t, op, 0, 0), b, r;
    a = modify_both(&op->src[0], MODIFY_FLOAT, a);
    a = (struct both){flush_float(t, a.lo), flush_float(t, a.hi)};
    b = a;
    if (two) {
        b = modify_both(&op->src[1], MODIFY_FLOAT, load(t, op, 1, 0));
        b = (struct both){flush_float(t, b.lo), flush_float(t, b.hi)};
    }
    /* Flushing by the mode is the same but for quotients, which can come up to the least number. */
    bool own_mode = fn == EU_MATH_FDIV || t->mxcsr_f & _MM_ROUND_MASK;
    if (own_mode)
        _mm_setcsr(EU_MXCSR_DEFAULT);
    bad = compute_math(fn, n, &a, &b, &r);
    if (own_mode)
        _mm_setcsr(t->mxcsr_f);
    if (UNLIKELY(bad & mask))
        return op->general(t, op);
    if (flush) {
        r.lo &= splat(0x80000000) | (vu)((r.lo & 0x7f800000) != 0);
        r.hi &= splat(0x80000000) | (vu)((r.hi & 0x7f800000) != 0);
    }
    store(t, op, mask, 0, r);
    return op->next;
}

#define MATH(name, fn)                                                                             \
    static const struct eu_op *math_##name(struct eu_thread *t, const struct eu_op *op)            \
    {                                                                                              \
        return run_math(t, op, fn);                                                                \
    }

MATH(inv, EU_MATH_INV)
MATH(sqt, EU_MATH_SQT)
MATH(rsqt, EU_MATH_RSQT)
MATH(fdiv, EU_MATH_FDIV)

static eu_run_fn *const math_forms[] = {[EU_MATH_INV] = math_inv,
                                        [EU_MATH_SQT] = math_sqt,
                                        [EU_MATH_RSQT] = math_rsqt,
                                        [EU_MATH_FDIV] = math_fdiv};
