/* gen/feature.def as Clang takes it: the extensions and features that it knows itself, and a header
 * with all macros, since its own header claims whatever a SPIR device could have. */
#include "backend/backend.h"

#include "gen/feature.h"

struct cc_features features_of(const struct gen_device *dev, unsigned version, bool intel_subgroups)
{
    struct cc_features out = {.cl_ext = cc_printf("-cl-ext=-all"), .header = cc_printf("%s", "")};

    for (unsigned i = 0; i < GEN_N_FEATURES; i++) {
        const struct gen_feature *f = gen_feature_at(i);
        bool has = version >= f->first_version && (!dev || gen_has(dev, (enum gen_feature_id)i));
        out.header = cc_printf("%s#undef %s\n", out.header, f->macro);
        if (!has)
            continue;
        out.header = cc_printf("%s#define %s 1\n", out.header, f->macro);
        out.cl_ext = cc_printf("%s,+%s", out.cl_ext, f->macro);
    }
    if (intel_subgroups && (!dev || gen_has(dev, GEN_HAS_cl_intel_subgroups)))
        out.header = cc_printf("%s#include \"intel_subgroups.h\"\n", out.header);
    return out;
}
