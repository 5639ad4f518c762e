/* What takes generic pointers, of halves. */
#include "generic.h"

MATH(half)
VECTORS(half)
