/* See feature.h. */
#include "gen/feature.h"

#include <stddef.h>

enum { ALL = 0, NEVER = UINT16_MAX };

static const struct gen_feature features[GEN_N_FEATURES] = {
#define GEN_EXTENSION(macro, major, minor, patch, version, gen)                                    \
    {#macro, true, major, minor, patch, version, gen},
#define GEN_FEATURE(macro, major, minor, patch, version, gen)                                      \
    {#macro, false, major, minor, patch, version, gen},
#include "gen/feature.def"
#undef GEN_EXTENSION
#undef GEN_FEATURE
};

const struct gen_feature *gen_feature_at(unsigned i)
{
    return i < GEN_N_FEATURES ? &features[i] : NULL;
}

bool gen_has(const struct gen_device *dev, enum gen_feature_id id)
{
    return dev->gen >= features[id].first_gen;
}
