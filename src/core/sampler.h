/* Samplers. A kernel argument takes a sampler's bits at clSetKernelArg: nothing refers to the
 * object. */
#ifndef CORE_SAMPLER_H
#define CORE_SAMPLER_H

#include "src/core/object.h"
#include "src/core/types.h"

#include <stdint.h>

struct gpu_sampler;
struct image;

struct _cl_sampler {
    struct object base;
    cl_context ctx; /* owned */
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties *properties; /* owned; as given */
    size_t n_properties;
};

/* The modes have been checked. */
cl_int sampler_new(cl_context ctx, cl_bool normalized, cl_addressing_mode addressing,
                   cl_filter_mode filter, const cl_sampler_properties *properties,
                   size_t n_properties, cl_sampler *out);
/* CLK_* bits, as Clang's opencl-c-base.h has them. */
uint32_t sampler_bits(cl_sampler s);
/* The hardware's sampler for these bits and the image that is read with it. */
void sampler_state(uint32_t bits, const struct image *image, struct gpu_sampler *out);

#endif
