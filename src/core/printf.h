/* Output of kernels. A launch whose kernel calls printf owns a buffer; what the kernel has written
 * there (gen/kbin.h says how) is printed on stdout when the launch has run, before its event
 * finishes.
 */
#ifndef CORE_PRINTF_H
#define CORE_PRINTF_H

#include "gen/kbin.h"
#include "src/core/types.h"

#include <stdbool.h>
#include <stdio.h>

struct bo;

enum { PRINTF_BUFFER_SIZE = 1 << 20 }; /* of records */

/* Whether the kernel's launches need a buffer. */
bool printf_used(const struct kbin_kernel *k);
/* An empty buffer; NULL: no memory. */
struct bo *printf_buffer_new(cl_device_id dev);
void printf_buffer_free(cl_device_id dev, struct bo *buffer); /* may be NULL */
/* On stdout, flushed. k: the program of the kernel that has run. */
void printf_buffer_print(const struct kbin *k, struct bo *buffer);
/* The records of a buffer of `size` bytes, which may hold anything. */
void printf_records(FILE *out, const struct kbin *k, const void *buffer, size_t size);

#endif
