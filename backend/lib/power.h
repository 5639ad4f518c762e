/* log2 in two floats and the power of two of such a pair: the two halves of pow and of gamma. */
#ifndef GEN_LIB_POWER_H
#define GEN_LIB_POWER_H

#include "gen.h"

#pragma OPENCL FP_CONTRACT OFF

struct pair {
    float hi, lo;
};

/* log2(|x|), x normal, to 2^-30 of its value or better. With m = 1 + f, log(m) = 2 * atanh(f / (2 + f)); the
 * quotient s + s_rest has twice a float's bits, what follows from its cube need not (minimax fit). */
static struct pair log2_pair(float x)
{
    const float c1 = 0x1.715476p+1f, c2 = 0x1.4ae0cp-25f; /* 2 / log(2) */
    int bits = as_int(x) & 0x7fffffff, i = bits - 0x3f3504f3;
    float e = (float)(i >> 23);
    float m = as_float(bits - (i & (int)0xff800000)), f = m - 1.0f;

    float g = m + 1.0f, g_rest = m - (g - 1.0f), inverse = __gen_rcp(g);
    float s = f * inverse;
    float d = __builtin_fmaf(-s, g, f);
    float s_rest = __builtin_fmaf(-s, g_rest, d) * inverse;
    float z = s * s;
    float p = __builtin_fmaf(z, 0x1.31e3c6p-3f, 0x1.995ec4p-3f);
    p = __builtin_fmaf(z, p, 0x1.55557ap-2f) * z;

    float h = s * c1;
    float l = __builtin_fmaf(s, c1, -h);
    l = __builtin_fmaf(s, c2, l);
    l = __builtin_fmaf(__builtin_fmaf(s, p, s_rest), c1, l);
    float sum = e + h;
    l += h - (sum - e);
    float hi = sum + l;
    return (struct pair){hi, l - (hi - sum)};
}

/* x * l, where x is finite and the product not too large. */
static struct pair pair_times(struct pair l, float x)
{
    float hi = x * l.hi;
    return (struct pair){hi, __builtin_fmaf(x, l.lo, __builtin_fmaf(x, l.hi, -hi))};
}

/* Two factors of 2^(t.hi + t.lo), t.lo tiny: by halves, because the power rounded up may overflow where the result
 * doesn't. Where t.hi is out of range t.lo may be anything. */
static float2 exp2_factors(struct pair t)
{
    float root = __gen_exp2(0.5f * t.hi);
    float r = __builtin_fabsf(t.hi) < 250.0f ? t.lo * 0x1.62e43p-1f : 1.0f;
    return (float2)(root, __builtin_fmaf(root, r, root));
}

#endif
