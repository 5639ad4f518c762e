/* Samplers: none can be made while the devices have no images; the object kind exists so that every
 * handle that is given as one is told from garbage. */
#ifndef CORE_SAMPLER_H
#define CORE_SAMPLER_H

#include "src/core/object.h"
#include "src/core/types.h"

struct _cl_sampler {
    struct object base;
    cl_context ctx; /* owned */
};

#endif
