/* The fast forms for any x86-64 host, and the choice between hosts. */
#include "eu_fast_impl.h"

eu_run_fn *eu_fast_fn_base(int gen, struct eu_op *op)
{
    return choose(gen, op);
}

unsigned eu_fast_list_base(eu_run_fn *out[], unsigned size)
{
    return list(out, size);
}

eu_run_fn *eu_fast_fn(int gen, struct eu_op *op)
{
    static int has_avx2 = -1;
    int known = __atomic_load_n(&has_avx2, __ATOMIC_RELAXED);
    if (known < 0) {
        known = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("f16c");
        __atomic_store_n(&has_avx2, known, __ATOMIC_RELAXED);
    }
    return known ? eu_fast_fn_avx2(gen, op) : eu_fast_fn_base(gen, op);
}
