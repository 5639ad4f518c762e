/* Vectors of doubles, an element after the other: libclc computes all sixteen side by side, and what is alive then
 * is more than registers and Gen7's scratch space hold. */
#include "gen.h"
#include "vector.h"

#define ONE(name)                                                                                  \
    double PURE name(double);                                                                      \
    MAP1(double, name, double)
#define TWO(name)                                                                                  \
    double PURE name(double, double);                                                              \
    MAP2(double, name, double, double)
ONE(acos)
ONE(acosh)
ONE(acospi)
ONE(asin)
ONE(asinh)
ONE(asinpi)
ONE(atan)
ONE(atanh)
ONE(atanpi)
ONE(erf)
ONE(erfc)
ONE(tan)
TWO(atan2)
TWO(atan2pi)
