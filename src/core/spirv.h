/* Modules of SPIR-V, as far as the driver itself looks at them: whether the words make a module,
 * and its specialization constants. The compiler reads the rest.
 */
#ifndef CORE_SPIRV_H
#define CORE_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of a module in the machine's byte order; NULL with *why set if it isn't one of a version
 * that we take, or where there is no memory. */
enum spirv_refusal { SPIRV_MALFORMED, SPIRV_NO_MEMORY };
uint32_t *spirv_copy(const void *bytes, size_t size, enum spirv_refusal *why);

/* Whether there are specialization constants at all. */
bool spirv_has_constants(const uint32_t *module, size_t size);
/* Bytes of the value of a constant (1 of a boolean), 0 if no constant has the number. */
size_t spirv_constant_size(const uint32_t *module, size_t size, uint32_t spec_id);
/* Gives it a value: from then on it is the module's own. */
void spirv_set_constant(uint32_t *module, size_t size, uint32_t spec_id, const void *value);

#endif
