/* The ICD loader's table, and names to functions: cl_api.def. */
#include "src/api/api.h"

#include <string.h>

enum { N_SLOTS = 183 /* of the largest loader's table: ocl-icd 2.3 */ };

const void *const dispatch_table[N_SLOTS] = {
#define CL_API(slot, name) [slot] = (const void *)name,
#define CL_EXTENSION(name)
#define CL_LOADER(name)
#include "src/cl_api.def"
#undef CL_API
#undef CL_EXTENSION
#undef CL_LOADER
};

static const struct {
    const char *name;
    const void *function;
} functions[] = {
#define CL_API(slot, name) {#name, (const void *)name},
#define CL_EXTENSION(name) {#name, (const void *)name},
#define CL_LOADER(name)    {#name, (const void *)name},
#include "src/cl_api.def"
#undef CL_API
#undef CL_EXTENSION
#undef CL_LOADER
};

void *clGetExtensionFunctionAddress(const char *name)
{
    for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, functions[i].name))
            return (void *)functions[i].function;
    return NULL;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return is_platform(platform) ? clGetExtensionFunctionAddress(name) : NULL;
}
