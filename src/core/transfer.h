/* Reads, writes, copies and fills of memory objects. What touches the application's memory is done
 * by the CPU. Copies between memory objects and fills have their place among the GPU's commands, so
 * that kernels before and after need not wait for the host; small ones that follow nothing there
 * are done by the CPU at once. Writes of a few bytes are copies too, of what the application's
 * memory has when only commands of the GPU are before them.
 */
#ifndef CORE_TRANSFER_H
#define CORE_TRANSFER_H

#include "src/core/types.h"

#include <stdbool.h>

/* A box of bytes in memory: n[0] bytes a row, n[1] rows, n[2] slices. */
struct box {
    size_t offset; /* of the first byte */
    size_t row_pitch, slice_pitch;
};

/* Copies n bytes, rows, slices. Boxes with the same pitches may overlap in one row only. */
void box_copy(void *dst, const struct box *d, const void *src, const struct box *s,
              const size_t n[3]);

/* One side is a buffer or image, the other such a one or the application's memory. */
struct transfer_side {
    cl_mem mem; /* borrowed; NULL: host */
    void *host;
    struct box box;
};

cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type,
                        const struct transfer_side *dst, const struct transfer_side *src,
                        const size_t n[3], bool blocking, cl_uint n_waits, const cl_event *waits,
                        cl_event *event);
/* Byte i of a row becomes byte (box.offset + i) % pattern_size of the pattern, a power of two up to
 * FILL_MAX. */
enum { FILL_MAX = 128 };
cl_int fill_enqueue(cl_command_queue queue, cl_command_type type, cl_mem mem, const struct box *box,
                    const size_t n[3], const void *pattern, size_t pattern_size, cl_uint n_waits,
                    const cl_event *waits, cl_event *event);
/* Migration and whatever else only needs its memory committed and its turn. */
cl_int migrate_enqueue(cl_command_queue queue, cl_command_type type, bool blocking, cl_uint n_mems,
                       const cl_mem *mems, cl_uint n_waits, const cl_event *waits, cl_event *event);

#endif
