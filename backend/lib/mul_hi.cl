/* mul_hi of 32-bit integers: an instruction. A file of its own: where one overload of a builtin is defined,
 * Clang declares no other. */
#include "gen.h"
#include "vector.h"

int PURE mul_hi(int a, int b)
{
    return __gen_smulhi(a, b);
}
MAP2(int, mul_hi, int, int)

uint PURE mul_hi(uint a, uint b)
{
    return __gen_umulhi(a, b);
}
MAP2(uint, mul_hi, uint, uint)
