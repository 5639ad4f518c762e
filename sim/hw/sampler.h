/* The sampler: messages that read images by coordinates.
 *
 * Files: sampler.c (messages: parameters, responses), sampler_filter.c (from coordinates to a
 * colour), sampler_state.c (SAMPLER_STATE and border colours, read once a dispatch). */
#ifndef SIM_HW_SAMPLER_H
#define SIM_HW_SAMPLER_H

#include "image.h"

/* ---- sampler_state.c ---- */
enum {
    WRAP_REPEAT,
    WRAP_MIRROR,
    WRAP_CLAMP,
    WRAP_CUBE,
    WRAP_BORDER,
    WRAP_MIRROR_ONCE,
    WRAP_HALF_BORDER
};
enum { FILTER_NEAREST, FILTER_LINEAR, FILTER_ANISOTROPIC, FILTER_MONO = 6 };
enum { MIP_NONE = 0, MIP_NEAREST = 1, MIP_LINEAR = 3 };
enum { BORDER_DWORDS = 20 };

/* A sampler state taken apart. */
struct sampler {
    gpu_addr state;
    bool disabled, unnormalised, preclamp;
    uint8_t min_filter, mag_filter, mip_filter;
    uint8_t wrap[3]; /* of u, v, r */
    uint8_t shadow;  /* comparison of the messages *_c */
    float bias, min_lod, max_lod, base_level;
    bool dx9_border;  /* Gen7: border colours of four bytes */
    gpu_addr border;  /* address of the border colour */
    uint8_t n_border; /* dwords of border_dw that are read, where a wrap mode can ask for them */
    uint32_t border_dw[BORDER_DWORDS];
    const char *border_wrong; /* why it can't be read; NULL */
    char wrong[120];          /* the rule that the state breaks; "" if none */
};

/* The samplers of a dispatch. */
struct sampler_cache;
struct sampler_cache *sampler_cache_new(void); /* NULL: out of memory */
void sampler_cache_free(struct sampler_cache *c);

/* The state that the message's index names, in the table that the header (NULL: none) or else the
 * interface descriptor points to. NULL: fault recorded. */
const struct sampler *sampler_get(struct eu_thread *t, const struct msg *m, const uint8_t *header);
/* The border colour as this image has it, before its channel selects. False: fault recorded. */
bool sampler_border(struct eu_thread *t, const struct msg *m, const struct sampler *s,
                    const struct image *image, union texel *out);

/* ---- sampler_filter.c ---- */
/* What the lanes of one message share. */
struct sampling {
    struct image_view view;
    const struct image *image;
    const struct sampler *s;
    int gen;
    bool compare;       /* texels are compared with a reference before they are filtered */
    bool imitate;       /* 8 bits of weight, coordinates snapped: as hardware is thought to do */
    bool integer;       /* the format is */
    bool row_filtered;  /* 1D: see sampling_prepare() */
    union texel border; /* if a used wrap mode asks for it; compare: before the channel selects */
    int8_t offset[3];   /* of the header, texels */
};

/* What one lane asks for. */
struct sample_at {
    float coord[3]; /* of the image's dimensions */
    float layer;    /* of an array */
    float lod;
    float reference;
    int lane;
};

unsigned image_dimensions(const struct image *image); /* 1 to 3, layers not counted */
/* Sets gen, imitate, integer and row_filtered; image is there. */
void sampling_prepare(struct sampling *q, int gen, bool imitate);
/* Does a coordinate that counts have this wrap mode? */
bool sampling_wraps(const struct sampling *q, unsigned wrap);
/* The level of detail after bias and clamps; *magnify: which of the filters holds. */
float sample_lod(const struct sampling *q, float lod, bool *magnify);
/* False: page fault recorded. */
bool sample_filtered(struct sampling *q, const struct sample_at *at, union texel *out);
/* The four texels of a linear filter, of one channel, in the order of gather4. */
bool sample_gather(struct sampling *q, const struct sample_at *at, unsigned channel,
                   union texel *out);
/* The texel at integer coordinates (three, and the layer in the last that the image has), offsets
 * added. Outside: zeros, but 1 in an alpha that the format lacks. */
bool sample_load(struct sampling *q, const int32_t coord[3], int32_t lod, int lane,
                 union texel *out);

/* ---- sampler.c ---- */
bool msg_sampler(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                 const uint8_t *payload, uint8_t *resp);

#endif
