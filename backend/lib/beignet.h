/* Included before every program, after Clang's opencl-c-base.h and before features.h, which features.c makes. */
#undef __OPENCL_VERSION__
#undef CL_VERSION_3_1
#define __OPENCL_VERSION__ 300
