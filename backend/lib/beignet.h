/* Included before every program, after Clang's opencl-c-base.h and before features.h, which features.c makes. */
#undef __OPENCL_VERSION__
#undef CL_VERSION_3_1
#if __OPENCL_C_VERSION__ >= 200
#define __OPENCL_VERSION__ 300
#else
#define __OPENCL_VERSION__ 120
#undef CL_VERSION_2_0
#undef CL_VERSION_3_0
#endif
