/* Included before every program, after Clang's opencl-c-base.h: the macros that say what the device has.
 * Clang's header claims all that a SPIR device could have. */
#undef __opencl_c_int64
#undef cl_khr_subgroup_extended_types
#undef cl_khr_subgroup_non_uniform_vote
#undef cl_khr_subgroup_ballot
#undef cl_khr_subgroup_non_uniform_arithmetic
#undef cl_khr_subgroup_shuffle
#undef cl_khr_subgroup_shuffle_relative
#undef cl_khr_subgroup_clustered_reduce
#undef cl_khr_subgroup_rotate
#undef cl_khr_extended_bit_ops
#undef cl_khr_integer_dot_product
#undef cl_khr_kernel_clock
#undef cl_ext_float_atomics

#undef __OPENCL_VERSION__
#define __OPENCL_VERSION__ 120
#undef CL_VERSION_2_0
#undef CL_VERSION_3_0
#undef CL_VERSION_3_1
