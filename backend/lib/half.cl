/* vload_half, vstore_half and their aligned forms: halves in memory, floats in registers. The EU rounds to
 * nearest even; other modes step to the neighbour where that went the wrong way. */
#include "gen.h"
#include "vector.h"

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

static float OVER load_half(ushort h)
{
    return __gen_h2f(h);
}

#define MAP_LOAD(n, lo_n)                                                                          \
    static float##n OVER load_half(ushort##n h)                                                    \
    {                                                                                              \
        return (float##n)(load_half(h.lo), load_half(h.hi));                                       \
    }
MAP_LOAD(2, )
static float3 OVER load_half(ushort3 h)
{
    return (float3)(load_half(h.s01), load_half(h.s2));
}
MAP_LOAD(4, 2)
MAP_LOAD(8, 4)
MAP_LOAD(16, 8)

#define LOAD_N(n, AS)                                                                              \
    float##n OVER vload_half##n(size_t i, const AS half *p)                                        \
    {                                                                                              \
        return load_half(vload##n(i, (const AS ushort *)p));                                       \
    }
#define LOADA_N(n, AS)                                                                             \
    float##n OVER vloada_half##n(size_t i, const AS half *p)                                       \
    {                                                                                              \
        return load_half(((const AS ushort##n *)p)[i]);                                            \
    }
#define LOADS(AS)                                                                                  \
    float OVER vload_half(size_t i, const AS half *p)                                              \
    {                                                                                              \
        return load_half(((const AS ushort *)p)[i]);                                               \
    }                                                                                              \
    float OVER vloada_half(size_t i, const AS half *p)                                             \
    {                                                                                              \
        return load_half(((const AS ushort *)p)[i]);                                               \
    }                                                                                              \
    LOAD_N(2, AS)                                                                                  \
    LOAD_N(3, AS) LOAD_N(4, AS) LOAD_N(8, AS) LOAD_N(16, AS) LOADA_N(2, AS) LOADA_N(3, AS)         \
        LOADA_N(4, AS) LOADA_N(8, AS) LOADA_N(16, AS)

LOADS(__private)
LOADS(__global)
LOADS(__local)
LOADS(__constant)

#define STORE_HALF(mode)                                                                           \
    static ushort OVER store_##mode(float x)                                                       \
    {                                                                                              \
        return (ushort)round_##mode(x);                                                            \
    }                                                                                              \
    static ushort2 OVER store_##mode(float2 x)                                                     \
    {                                                                                              \
        return (ushort2)(store_##mode(x.s0), store_##mode(x.s1));                                  \
    }                                                                                              \
    static ushort3 OVER store_##mode(float3 x)                                                     \
    {                                                                                              \
        return (ushort3)(store_##mode(x.s01), store_##mode(x.s2));                                 \
    }                                                                                              \
    static ushort4 OVER store_##mode(float4 x)                                                     \
    {                                                                                              \
        return (ushort4)(store_##mode(x.lo), store_##mode(x.hi));                                  \
    }                                                                                              \
    static ushort8 OVER store_##mode(float8 x)                                                     \
    {                                                                                              \
        return (ushort8)(store_##mode(x.lo), store_##mode(x.hi));                                  \
    }                                                                                              \
    static ushort16 OVER store_##mode(float16 x)                                                   \
    {                                                                                              \
        return (ushort16)(store_##mode(x.lo), store_##mode(x.hi));                                 \
    }
STORE_HALF(rte)
STORE_HALF(rtz)
STORE_HALF(rtp)
STORE_HALF(rtn)

#define STORE_N(n, suffix, mode, AS)                                                               \
    void OVER vstore_half##n##suffix(float##n x, size_t i, AS half *p)                             \
    {                                                                                              \
        vstore##n(store_##mode(x), i, (AS ushort *)p);                                             \
    }                                                                                              \
    void OVER vstorea_half##n##suffix(float##n x, size_t i, AS half *p)                            \
    {                                                                                              \
        ((AS ushort##n *)p)[i] = store_##mode(x);                                                  \
    }
/* Three elements, four elements apart; the fourth isn't written. */
#define STORE_3(suffix, mode, AS)                                                                  \
    void OVER vstore_half3##suffix(float3 x, size_t i, AS half *p)                                 \
    {                                                                                              \
        vstore3(store_##mode(x), i, (AS ushort *)p);                                               \
    }                                                                                              \
    void OVER vstorea_half3##suffix(float3 x, size_t i, AS half *p)                                \
    {                                                                                              \
        vstore3(store_##mode(x), 0, (AS ushort *)p + 4 * i);                                       \
    }
#define STORE_MODE(suffix, mode, AS)                                                               \
    void OVER vstore_half##suffix(float x, size_t i, AS half *p)                                   \
    {                                                                                              \
        ((AS ushort *)p)[i] = store_##mode(x);                                                     \
    }                                                                                              \
    void OVER vstorea_half##suffix(float x, size_t i, AS half *p)                                  \
    {                                                                                              \
        ((AS ushort *)p)[i] = store_##mode(x);                                                     \
    }                                                                                              \
    STORE_N(2, suffix, mode, AS)                                                                   \
    STORE_3(suffix, mode, AS)                                                                      \
    STORE_N(4, suffix, mode, AS) STORE_N(8, suffix, mode, AS) STORE_N(16, suffix, mode, AS)
#define STORES(AS)                                                                                 \
    STORE_MODE(, rte, AS)                                                                          \
    STORE_MODE(_rte, rte, AS)                                                                      \
    STORE_MODE(_rtz, rtz, AS) STORE_MODE(_rtp, rtp, AS) STORE_MODE(_rtn, rtn, AS)

STORES(__private)
STORES(__global)
STORES(__local)
