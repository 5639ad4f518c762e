/* vload_half, vstore_half and their aligned forms: halves in memory, floats or doubles in registers. */
#include "half.h"
#include "vector.h"

#undef vloada_half /* beignet.h's; modules of SPIR-V call the functions */
#undef vstorea_half
#undef vstorea_half_rte
#undef vstorea_half_rtz
#undef vstorea_half_rtp
#undef vstorea_half_rtn

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

/* vload_half_cl20.cl is this file, for generic pointers. */
#if __OPENCL_C_VERSION__ >= 200
LOADS(__generic)
#else
LOADS(__private)
LOADS(__global)
LOADS(__local)
LOADS(__constant)
#endif

#define STORE_HALF(T, mode, as)                                                                           \
    static ushort OVER store_##mode(T x)                                                       \
    {                                                                                              \
        return (ushort)round_##mode(as(x));                                                            \
    }                                                                                              \
    static ushort2 OVER store_##mode(T##2 x)                                                     \
    {                                                                                              \
        return (ushort2)(store_##mode(x.s0), store_##mode(x.s1));                                  \
    }                                                                                              \
    static ushort3 OVER store_##mode(T##3 x)                                                     \
    {                                                                                              \
        return (ushort3)(store_##mode(x.s01), store_##mode(x.s2));                                 \
    }                                                                                              \
    static ushort4 OVER store_##mode(T##4 x)                                                     \
    {                                                                                              \
        return (ushort4)(store_##mode(x.lo), store_##mode(x.hi));                                  \
    }                                                                                              \
    static ushort8 OVER store_##mode(T##8 x)                                                     \
    {                                                                                              \
        return (ushort8)(store_##mode(x.lo), store_##mode(x.hi));                                  \
    }                                                                                              \
    static ushort16 OVER store_##mode(T##16 x)                                                   \
    {                                                                                              \
        return (ushort16)(store_##mode(x.lo), store_##mode(x.hi));                                 \
    }
#define STORE_MODES(T, as)                                                                         \
    STORE_HALF(T, rte, as) STORE_HALF(T, rtz, as) STORE_HALF(T, rtp, as) STORE_HALF(T, rtn, as)
STORE_MODES(float, )
STORE_MODES(double, __gen_d2odd)

#define STORE_N(T, n, suffix, mode, AS)                                                               \
    void OVER vstore_half##n##suffix(T##n x, size_t i, AS half *p)                             \
    {                                                                                              \
        vstore##n(store_##mode(x), i, (AS ushort *)p);                                             \
    }                                                                                              \
    void OVER vstorea_half##n##suffix(T##n x, size_t i, AS half *p)                            \
    {                                                                                              \
        ((AS ushort##n *)p)[i] = store_##mode(x);                                                  \
    }
/* Three elements, four elements apart; the fourth isn't written. */
#define STORE_3(T, suffix, mode, AS)                                                                  \
    void OVER vstore_half3##suffix(T##3 x, size_t i, AS half *p)                                 \
    {                                                                                              \
        vstore3(store_##mode(x), i, (AS ushort *)p);                                               \
    }                                                                                              \
    void OVER vstorea_half3##suffix(T##3 x, size_t i, AS half *p)                                \
    {                                                                                              \
        vstore3(store_##mode(x), 0, (AS ushort *)p + 4 * i);                                       \
    }
#define STORE_MODE(T, suffix, mode, AS)                                                               \
    void OVER vstore_half##suffix(T x, size_t i, AS half *p)                                   \
    {                                                                                              \
        ((AS ushort *)p)[i] = store_##mode(x);                                                     \
    }                                                                                              \
    void OVER vstorea_half##suffix(T x, size_t i, AS half *p)                                  \
    {                                                                                              \
        ((AS ushort *)p)[i] = store_##mode(x);                                                     \
    }                                                                                              \
    STORE_N(T, 2, suffix, mode, AS)                                                                   \
    STORE_3(T, suffix, mode, AS)                                                                      \
    STORE_N(T, 4, suffix, mode, AS) STORE_N(T, 8, suffix, mode, AS) STORE_N(T, 16, suffix, mode, AS)
#define STORES(T, AS)                                                                                 \
    STORE_MODE(T, , rte, AS)                                                                          \
    STORE_MODE(T, _rte, rte, AS)                                                                      \
    STORE_MODE(T, _rtz, rtz, AS) STORE_MODE(T, _rtp, rtp, AS) STORE_MODE(T, _rtn, rtn, AS)

#if __OPENCL_C_VERSION__ >= 200
STORES(float, __generic)
STORES(double, __generic)
#else
STORES(float, __private)
STORES(float, __global)
STORES(float, __local)
STORES(double, __private)
STORES(double, __global)
STORES(double, __local)
#endif
