/* See sampler.h. */
#include "src/core/sampler.h"

#include "src/core/context.h"

#include <stdlib.h>

void sampler_destroy(struct object *o)
{
    cl_sampler s = container_of(o, struct _cl_sampler, base);
    object_release(&s->ctx->base);
    free(s);
}
