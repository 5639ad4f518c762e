/* See sampler.h. */
#include "src/core/sampler.h"

#include "src/core/context.h"
#include "src/core/image.h"
#include "src/gpu/gpu.h"
#include "gen/cmd.h"

#include <stdlib.h>
#include <string.h>

enum { CLK_NORMALIZED = 1, CLK_LINEAR = 0x20, CLK_NEAREST = 0x10 };

/* CL_ADDRESS_NONE up: Clang's bits are 2 * row; NONE samples at the edge. */
static const uint8_t wraps[] = {CMD_WRAP_CLAMP, CMD_WRAP_CLAMP, CMD_WRAP_BORDER, CMD_WRAP_REPEAT,
                                CMD_WRAP_MIRROR};

cl_int sampler_new(cl_context ctx, cl_bool normalized, cl_addressing_mode addressing,
                   cl_filter_mode filter, const cl_sampler_properties *properties,
                   size_t n_properties, cl_sampler *out)
{
    cl_sampler s = calloc(1, sizeof *s);
    if (!s)
        return CL_OUT_OF_HOST_MEMORY;
    if (n_properties) {
        s->properties = calloc(n_properties, sizeof *properties);
        if (!s->properties) {
            free(s);
            return CL_OUT_OF_HOST_MEMORY;
        }
        memcpy(s->properties, properties, n_properties * sizeof *properties);
        s->n_properties = n_properties;
    }
    object_retain(&ctx->base);
    s->ctx = ctx;
    s->normalized = normalized ? CL_TRUE : CL_FALSE;
    s->addressing = addressing;
    s->filter = filter;
    object_init(&s->base, OBJECT_SAMPLER);
    *out = s;
    return CL_SUCCESS;
}

void sampler_destroy(struct object *o)
{
    cl_sampler s = container_of(o, struct _cl_sampler, base);
    object_release(&s->ctx->base);
    free(s->properties);
    free(s);
}

uint32_t sampler_bits(cl_sampler s)
{
    return (s->normalized ? CLK_NORMALIZED : 0) | (s->addressing - CL_ADDRESS_NONE) << 1 |
           (s->filter == CL_FILTER_LINEAR ? CLK_LINEAR : CLK_NEAREST);
}

void sampler_state(uint32_t bits, const struct image *image, struct gpu_sampler *out)
{
    unsigned mode = bits >> 1 & 7;
    uint8_t wrap = mode < sizeof wraps ? wraps[mode] : CMD_WRAP_CLAMP;
    *out = (struct gpu_sampler){.wrap = {wrap, wrap, wrap},
                                .linear = bits & CLK_LINEAR,
                                .normalized = bits & CLK_NORMALIZED};
    if (!image)
        return;
    /* Messages to 1D surfaces have a second coordinate all the same: no border there. */
    if (image->size[1] == 1 && wrap == CMD_WRAP_BORDER &&
        (image->type == CL_MEM_OBJECT_IMAGE1D || image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY))
        out->wrap[1] = out->wrap[2] = CMD_WRAP_REPEAT;
    if (image_format_opaque(image->format))
        out->border = image_format_integer(image->format) ? 2 : 1;
}
