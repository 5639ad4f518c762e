/* Division of 64-bit integers from 32-bit division: school division in base 2^16 and 2^32. Results for a
 * divisor of 0 are any value; nothing loops or traps. */
#include "gen.h"

struct div {
    ulong q, r;
};

/* (hi:lo) / b with hi < b and b's top bit set: two digits of 16 bits. */
static uint div_step(uint hi, uint lo, uint b, uint *rest)
{
    uint b1 = b >> 16, b0 = b & 0xffff, q1, q0;
    ulong r;

    /* the digit estimated from the upper half is at most 2 too large */
    q1 = hi / b1;
    q1 = min(q1, 0xffffu);
    r = ((ulong)hi << 16 | lo >> 16) - (ulong)q1 * b;
    if ((long)r < 0) {
        q1--;
        r += b;
    }
    if ((long)r < 0) {
        q1--;
        r += b;
    }
    hi = (uint)r; /* < b */
    q0 = hi / b1;
    q0 = min(q0, 0xffffu);
    r = ((ulong)hi << 16 | (lo & 0xffff)) - (ulong)q0 * b;
    if ((long)r < 0) {
        q0--;
        r += b;
    }
    if ((long)r < 0) {
        q0--;
        r += b;
    }
    *rest = (uint)r;
    return q1 << 16 | q0;
}

static struct div divide(ulong a, ulong b)
{
    uint ah = (uint)(a >> 32), al = (uint)a, bh = (uint)(b >> 32), bl = (uint)b;
    struct div d;

    if (!(ah | bh)) {
        d.q = al / bl;
        d.r = al % bl;
    } else if (!bh) {
        uint n = clz(bl), rest;
        uint qh = ah / bl;
        ulong low = (ulong)(ah - qh * bl) << 32 | al; /* upper half < bl */
        low <<= n;
        d.q = (ulong)qh << 32 | div_step((uint)(low >> 32), (uint)low, bl << n, &rest);
        d.r = rest >> n;
    } else {
        /* the quotient fits 32 bits: estimated from the upper 32 bits of b, at most one too large */
        uint n = clz(bh), rest;
        uint top = (uint)(b << n >> 32);
        ulong half_a = a >> 1;
        uint q = div_step((uint)(half_a >> 32), (uint)half_a, top, &rest) >> (31 - n);
        q -= q != 0;
        d.q = q;
        d.r = a - q * b;
        if (d.r >= b) {
            d.q++;
            d.r -= b;
        }
    }
    return d;
}

ulong __gen_udiv64(ulong a, ulong b)
{
    return divide(a, b).q;
}

ulong __gen_urem64(ulong a, ulong b)
{
    return divide(a, b).r;
}

long __gen_sdiv64(long a, long b)
{
    ulong q = divide(a < 0 ? -(ulong)a : (ulong)a, b < 0 ? -(ulong)b : (ulong)b).q;
    return (long)((a ^ b) < 0 ? -q : q);
}

long __gen_srem64(long a, long b)
{
    ulong r = divide(a < 0 ? -(ulong)a : (ulong)a, b < 0 ? -(ulong)b : (ulong)b).r;
    return (long)(a < 0 ? -r : r);
}
