/* exp2: the math unit's is as accurate as asked for. */
#include "gen.h"
#include "vector.h"

float PURE exp2(float x)
{
    return __gen_exp2(x);
}
MAP1(float, exp2, float)
