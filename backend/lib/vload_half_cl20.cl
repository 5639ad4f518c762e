/* vload_half and vstore_half through generic pointers. */
#include "half.cl"
