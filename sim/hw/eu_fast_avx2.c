/* The fast forms for hosts with AVX2, FMA and F16C; compiled for them (see CMakeLists.txt), and
 * called on no others. */
#include "eu_fast_impl.h"

eu_run_fn *eu_fast_fn_avx2(int gen, struct eu_op *op)
{
    return choose(gen, op);
}

unsigned eu_fast_list_avx2(eu_run_fn *out[], unsigned size)
{
    return list(out, size);
}
