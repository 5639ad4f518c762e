/* The sub-group and work-group functions of halves: see subgroup_cl20.cl. */
#include "lanes.h"

#define SAME(x) (x)

MOVES_SMALL(half, ushort)
MOVES(half)
INTEL_MOVE(half)
NATIVE(half, add, float, fadd, SAME, 0)
NATIVE(half, mul, float, fmul, SAME, 1)
NATIVE(half, min, float, fmin, SAME, INFINITY)
NATIVE(half, max, float, fmax, SAME, -INFINITY)
CLUSTERED(half, add, add)
CLUSTERED(half, mul, mul)
CLUSTERED(half, min, fmin)
CLUSTERED(half, max, fmax)
UNIFORM(half, add)
UNIFORM(half, min)
UNIFORM(half, max)
GROUP(half, add, add, 0)
GROUP(half, min, fmin, INFINITY)
GROUP(half, max, fmax, -INFINITY)
GROUP_BROADCAST(half)
