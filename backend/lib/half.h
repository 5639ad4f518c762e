/* Floats to the bits of halves. The EU rounds to nearest even; other modes step to the neighbour where that went
 * the wrong way. Doubles go through a float that keeps what is lost: __gen_d2odd. */
#ifndef GEN_LIB_HALF_H
#define GEN_LIB_HALF_H

#include "gen.h"

static uint round_rte(float x)
{
    return __gen_f2h(x);
}

/* A step of one in the bits is a step of one in magnitude, from 65504 to infinity and back too. Bits are
 * compared, because float denormals count here. */
static uint round_to(float x, bool away)
{
    uint h = __gen_f2h(x);
    uint exact = as_uint(x) & 0x7fffffff, rounded = as_uint(__gen_h2f(h)) & 0x7fffffff;
    if (exact > 0x7f800000) /* NaN */
        return h;
    if (away)
        return h + (rounded < exact);
    return h - (rounded > exact);
}

static uint round_rtz(float x)
{
    return round_to(x, false);
}

static uint round_rtp(float x)
{
    return round_to(x, as_int(x) >= 0);
}

static uint round_rtn(float x)
{
    return round_to(x, as_int(x) < 0);
}

#endif
