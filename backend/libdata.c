/* The front end's headers, embedded. */
#include "backend/libdata.h"

EMBED(header_base, "opencl-c-base.h")
EMBED(header_beignet, "beignet.h")
EMBED(header_intel_subgroups, "intel_subgroups.h")

static const struct lib_file headers[] = {
    EMBEDDED(header_base, "opencl-c-base.h"),
    EMBEDDED(header_beignet, "beignet.h"),
    EMBEDDED(header_intel_subgroups, "intel_subgroups.h"),
};

const struct lib_file *lib_header_at(unsigned i)
{
    return i < sizeof(headers) / sizeof(headers[0]) ? &headers[i] : NULL;
}
