/* What pow and pown become with -cl-unsafe-math-optimizations: the math unit's power of |x|, and the sign. */
#include "gen.h"
#include "vector.h"

float PURE relaxed_pow(float x, float y)
{
    float p = __gen_pow(x, y);
    if (x < 0.0f) {
        if (trunc(y) != y)
            return NAN;
        float half_y = 0.5f * y;
        return trunc(half_y) != half_y ? -p : p;
    }
    return y == 0.0f ? 1.0f : p;
}
MAP2(float, relaxed_pow, float, float)

float PURE relaxed_pown(float x, int y)
{
    float p = __gen_pow(x, (float)y);
    if (!y)
        return 1.0f;
    return x < 0.0f && y & 1 ? -p : p;
}
MAP2(float, relaxed_pown, float, int)
