/* The driver's own kernels, of transfer.cl. They are compiled when the driver is, once for each
 * kind of code that the devices take; a context owns what it uses of them, under its lock.
 */
#ifndef CORE_BUILTIN_H
#define CORE_BUILTIN_H

#include "src/core/types.h"

enum builtin { BUILTIN_COPY, BUILTIN_FILL, N_BUILTINS };

struct builtins; /* those of one context and device */
struct gen_device;
struct kernel_code;

/* Ready to run, as long as the context lives; NULL: out of memory. */
const struct kernel_code *builtin_code(cl_context ctx, cl_device_id dev, enum builtin which);
void builtins_free(struct builtins *b);
/* The binary for a device; NULL if there is none. */
const void *builtin_image(const struct gen_device *dev, size_t *size);

#endif
