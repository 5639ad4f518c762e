/* Work-item functions: 32-bit arithmetic, widened to size_t. A dimension past the last is 0, or 1 for
 * sizes, by the specification. */
#include "gen.h"

#define DIM(name, primitive, other)                                                                \
    size_t __attribute__((overloadable, const)) name(uint dim)                                     \
    {                                                                                              \
        return dim < 3 ? (size_t)primitive(dim) : (size_t)other;                                   \
    }

DIM(get_global_id, __gen_global_id, 0)
DIM(get_local_id, __gen_local_id, 0)
DIM(get_group_id, __gen_group_id, 0)
DIM(get_global_offset, __gen_global_offset, 0)
DIM(get_global_size, __gen_global_size, 1)
DIM(get_local_size, __gen_local_size, 1)
DIM(get_num_groups, __gen_num_groups, 1)

uint __attribute__((overloadable, const)) get_work_dim(void)
{
    return __gen_work_dim();
}
