/* Samplers. */
#include "src/api/api.h"

static bool modes_valid(cl_addressing_mode addressing, cl_filter_mode filter)
{
    return addressing >= CL_ADDRESS_NONE && addressing <= CL_ADDRESS_MIRRORED_REPEAT &&
           (filter == CL_FILTER_NEAREST || filter == CL_FILTER_LINEAR);
}

static cl_sampler create(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                         cl_filter_mode filter, const cl_sampler_properties *properties,
                         size_t n_properties, cl_int *errcode_ret)
{
    bool repeats = addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT;
    if (!modes_valid(addressing, filter) || (repeats && !normalized))
        return api_fail(errcode_ret, CL_INVALID_VALUE);
    if (!api_has_images(context))
        return api_fail(errcode_ret, CL_INVALID_OPERATION);
    cl_sampler s = NULL;
    cl_int err = sampler_new(context, normalized, addressing, filter, properties, n_properties, &s);
    return API_RETURN(errcode_ret, err, s);
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords,
                           cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                           cl_int *errcode_ret)
{
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    return create(context, normalized_coords, addressing_mode, filter_mode, NULL, 0, errcode_ret);
}

cl_sampler clCreateSamplerWithProperties(cl_context context,
                                         const cl_sampler_properties *sampler_properties,
                                         cl_int *errcode_ret)
{
    enum { NORMALIZED, ADDRESSING, FILTER, N_NAMES };
    cl_sampler_properties value[N_NAMES] = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
    bool seen[N_NAMES] = {false};
    if (!is_context(context))
        return api_fail(errcode_ret, CL_INVALID_CONTEXT);
    for (const cl_sampler_properties *p = sampler_properties; p && *p; p += 2) {
        unsigned name = *p == CL_SAMPLER_NORMALIZED_COORDS ? NORMALIZED
                        : *p == CL_SAMPLER_ADDRESSING_MODE ? ADDRESSING
                        : *p == CL_SAMPLER_FILTER_MODE     ? FILTER
                                                           : N_NAMES;
        if (name == N_NAMES || seen[name])
            return api_fail(errcode_ret, CL_INVALID_VALUE);
        seen[name] = true;
        value[name] = p[1];
    }
    return create(context, value[NORMALIZED] != 0, (cl_addressing_mode)value[ADDRESSING],
                  (cl_filter_mode)value[FILTER], sampler_properties,
                  api_count_properties((const intptr_t *)sampler_properties), errcode_ret);
}

cl_int clRetainSampler(cl_sampler sampler)
{
    if (!is_sampler(sampler))
        return CL_INVALID_SAMPLER;
    object_api_retain(&sampler->base);
    return CL_SUCCESS;
}

cl_int clReleaseSampler(cl_sampler sampler)
{
    if (!is_sampler(sampler) || !object_api_release(&sampler->base))
        return CL_INVALID_SAMPLER;
    return CL_SUCCESS;
}

cl_int clGetSamplerInfo(cl_sampler s, cl_sampler_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret)
{
    if (!is_sampler(s))
        return CL_INVALID_SAMPLER;
    const struct query *q = API_QUERY(param_value_size, param_value, param_value_size_ret);
    switch (param_name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return API_PUT(q, cl_uint, object_api_refs(&s->base));
    case CL_SAMPLER_CONTEXT:
        return API_PUT(q, cl_context, s->ctx);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return API_PUT(q, cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return API_PUT(q, cl_addressing_mode, s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return API_PUT(q, cl_filter_mode, s->filter);
    case CL_SAMPLER_PROPERTIES:
        return query_put(q, s->properties, s->n_properties * sizeof *s->properties);
    }
    return CL_INVALID_VALUE;
}
