/* Included before every program, after Clang's opencl-c-base.h and before features.h, which features.c makes. */
#undef __OPENCL_VERSION__
#undef CL_VERSION_3_1
#define __OPENCL_VERSION__ 300
/* Clang declares these of vectors alone; of one element there is nothing to align. */
#define vloada_half vload_half
#define vstorea_half vstore_half
#define vstorea_half_rte vstore_half_rte
#define vstorea_half_rtz vstore_half_rtz
#define vstorea_half_rtp vstore_half_rtp
#define vstorea_half_rtn vstore_half_rtn
