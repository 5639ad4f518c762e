/* Runs of memory through generic pointers. */
#include "mem.cl"
