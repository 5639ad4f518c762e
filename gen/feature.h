/* What programs may use on a device beyond OpenCL C 1.2: the rows of feature.def. Read-only,
 * thread-safe. */
#ifndef GEN_FEATURE_H
#define GEN_FEATURE_H

#include "gen/device.h"

struct gen_feature {
    const char *macro;
    bool is_extension; /* else a feature of OpenCL C 3.0 */
    uint8_t major, minor, patch;
    uint16_t first_version; /* of OpenCL C that has the macro: 100 .. 300 */
    uint16_t first_gen;
};

enum gen_feature_id {
#define GEN_EXTENSION(macro, ...) GEN_HAS_##macro,
#define GEN_FEATURE(macro, ...)   GEN_HAS_##macro,
#include "gen/feature.def"
#undef GEN_EXTENSION
#undef GEN_FEATURE
    GEN_N_FEATURES
};

const struct gen_feature *gen_feature_at(unsigned i); /* NULL past the end */
bool gen_has(const struct gen_device *dev, enum gen_feature_id id);

#endif
