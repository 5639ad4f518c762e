/* Images: what makes a memory object (mem.h) one. The store is linear, its rows and slices apart as
 * the sampler wants them; where the application gave memory or a pitch, its own layout is kept
 * beside. Immutable after creation. */
#ifndef CORE_IMAGE_H
#define CORE_IMAGE_H

#include "src/core/image_format.h"
#include "src/core/mem.h"

struct gpu_image;
struct gpu_sampler;

struct image {
    cl_mem buffer; /* owned; what it is a view of; NULL: it has a store of its own */
    cl_mem_object_type type;
    const struct image_format *format;
    size_t pixel;      /* bytes */
    size_t size[3];    /* pixels, rows, slices: layers of an array count as slices; at least 1 */
    size_t row, slice; /* pitches as the application sees them; of 1D arrays only slice counts */
    size_t store_row, store_slice;
};

/* Maxima of one dimension of an image, and 2D images from buffers: row pitch in pixels, base in
 * bytes. */
enum {
    IMAGE_MAX_2D = 16384,
    IMAGE_MAX_3D = 2048,
    IMAGE_MAX_LAYERS = 2048,
    IMAGE_MAX_BUFFER = 1 << 27,
    IMAGE_PITCH_ALIGN = 64
};

bool image_type_known(cl_mem_object_type type);
bool image_is_array(cl_mem_object_type type);
/* desc has been checked; its pitches are those of host_ptr, buffer or external store, 0 for the
 * default. */
cl_int image_new(cl_context ctx, cl_mem_flags flags, const struct image_format *format,
                 const cl_image_desc *desc, void *host_ptr, const struct mem_properties *properties,
                 cl_mem *out);
/* Bytes of the store of an image with this descriptor; external: as another has laid it out. */
uint64_t image_store_size(const struct image_format *format, const cl_image_desc *desc,
                          bool external);
/* Whether the GPU can use an image in a store that is laid out as the descriptor says. */
bool image_layout_fits(const struct image_format *format, const cl_image_desc *desc);
/* Bytes as the application sees them: CL_MEM_SIZE. */
size_t image_bytes(const struct image *image);
void image_free(struct image *image);
/* Pixels that the image has in each dimension of origin and region; 1 where it has none. */
void image_extent(const struct image *image, size_t extent[3]);
/* The box of pixels in the store and in the application's memory. */
struct region image_region(const struct image *image, const size_t origin[3],
                           const size_t region[3]);
struct region image_whole(const struct image *image);
/* CL_SUCCESS, CL_INVALID_IMAGE_SIZE or CL_IMAGE_FORMAT_NOT_SUPPORTED. */
cl_int image_check_device(const struct image *image, cl_device_id dev, cl_mem_flags access);
/* What the surface looks like. */
void image_surface(const struct image *image, struct gpu_image *out);
/* color: float[4], int[4] or uint[4]. */
cl_int image_fill_enqueue(cl_command_queue queue, cl_mem mem, const void *color,
                          const size_t origin[3], const size_t region[3], cl_uint n_waits,
                          const cl_event *waits, cl_event *event);

#endif
