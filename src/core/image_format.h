/* Image formats: which pairs of channel order and type are legal, which of them a device offers,
 * and the conversion of a colour to a texel for fills. Read-only, thread-safe. */
#ifndef CORE_IMAGE_FORMAT_H
#define CORE_IMAGE_FORMAT_H

#include "src/core/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gen_device;

struct image_format {
    cl_image_format cl;
    uint16_t code;     /* enum format_code */
    uint8_t select[4]; /* CMD_SELECT_* of R, G, B, A; all 0: as they are */
};

/* Bytes of a pixel; 0 if OpenCL has no such pair. */
size_t image_pixel_size(cl_image_format f);
const struct image_format *image_format_find(cl_image_format f); /* NULL: not one of ours */
const struct image_format *image_format_at(unsigned i);          /* NULL past the end */
/* Whether the device has it for the kernel's access that the memory flags allow: reads, writes, or
 * (0 and READ_WRITE) either. */
bool image_format_offered(const struct image_format *f, const struct gen_device *hw,
                          cl_mem_flags flags);
/* Depths are those of two-dimensional images. */
bool image_format_fits(const struct image_format *f, cl_mem_object_type type);
/* A border reads alpha as 1. */
bool image_format_opaque(const struct image_format *f);
bool image_format_integer(const struct image_format *f);
/* color: float[4], int[4] or uint[4], as the type wants (clEnqueueFillImage); texel: the pixel's
 * bytes. */
void image_format_pack(const struct image_format *f, const void *color, uint8_t texel[16]);

#endif
