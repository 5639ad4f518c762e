/* From coordinates to a colour: address modes, filters, levels. Pure functions of the sampler
 * state, the image and the coordinates; texels come by image_load().
 *
 * Filter weights are exact floats. What hardware rounds is not known: `imitate` (the perturbing
 * mode) gives weights 8 bits and takes coordinates just below 0 as 0. Source: Intel PRM volume 4/7,
 * "Sampling Engine"; OpenCL specification, "Image Addressing and Filtering". */
#include "sampler.h"

#include "gen/cmd.h"

#include <math.h>

unsigned image_dimensions(const struct image *image)
{
    switch (image->type) {
    case CMD_SURFACE_1D:
    case CMD_SURFACE_BUFFER:
        return 1;
    case CMD_SURFACE_3D:
        return 3;
    default:
        return 2;
    }
}

/* A 1D image is one row of a 2D one. Mesa finds that its address mode of v, which no message gives,
 * can let border colour in when the filter is linear, and gives 1D images samplers of their own;
 * beignet and Intel's driver don't. Unconfirmed, so a part of what is imitated, before Gen8. */
static bool row_is_filtered(const struct image *image, int gen)
{
    return gen < 80 && image->type == CMD_SURFACE_1D && !image->array;
}

void sampling_prepare(struct sampling *q, int gen, bool imitate)
{
    q->gen = gen;
    q->imitate = imitate;
    q->integer = q->image->texel_class != TEXEL_FLOAT;
    q->row_filtered = imitate && row_is_filtered(q->image, gen);
}

bool sampling_wraps(const struct sampling *q, unsigned wrap)
{
    for (unsigned i = 0; i < image_dimensions(q->image) + q->row_filtered; i++) {
        if (q->s->wrap[i] == wrap)
            return true;
    }
    return false;
}

/* ---- one coordinate ---- */

/* The one or two texels that a coordinate falls on; index -1: the border. */
struct taps {
    int32_t at[2];
    float weight[2];
    unsigned n;
};

static int32_t modulo(int32_t i, int32_t n)
{
    int32_t m = i % n;
    return m < 0 ? m + n : m;
}

static int32_t clamp(int32_t i, int32_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* A texel index that may lie outside. */
static int32_t wrap_index(unsigned wrap, int32_t i, int32_t n)
{
    switch (wrap) {
    case WRAP_REPEAT:
        return modulo(i, n);
    case WRAP_MIRROR:
        i = modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case WRAP_MIRROR_ONCE:
        return clamp(i < 0 ? -1 - i : i, n);
    case WRAP_BORDER:
    case WRAP_HALF_BORDER:
        return i >= 0 && i < n ? i : -1;
    default:
        return clamp(i, n);
    }
}

/* The coordinate in texels, folded into the first period. *mirrored: it counts backwards there. */
static float fold(unsigned wrap, bool unnormalised, float c, int32_t n, bool *mirrored)
{
    float size = (float)n;
    *mirrored = false;
    if (unnormalised) {
        c = wrap == WRAP_HALF_BORDER ? fminf(fmaxf(c, 0), size) : c;
    } else if (wrap == WRAP_REPEAT) {
        c = (c - floorf(c)) * size;
    } else if (wrap == WRAP_MIRROR) {
        c -= 2 * rintf(0.5f * c);
        *mirrored = c < 0;
        c = fabsf(c) * size;
    } else if (wrap == WRAP_MIRROR_ONCE) {
        *mirrored = c < 0;
        c = fabsf(c) * size;
    } else if (wrap == WRAP_HALF_BORDER) {
        c = fminf(fmaxf(c, 0), 1) * size;
    } else {
        c *= size;
    }
    /* Not a number, infinite, or too large for an index: any texel will do. */
    const float limit = 1 << 28;
    return c > -limit && c < limit ? c : c > 0 ? limit : -limit;
}

/* The unconfirmed part of the hardware's precision, 8 bits of fraction. */
static float imitate_position(float s)
{
    return s < 0 && s > -1.0f / 512 ? 0 : s;
}

static float imitate_weight(float w)
{
    return rintf(w * 256) / 256;
}

static struct taps taps_nearest(unsigned wrap, float s, bool mirrored, int32_t n, int offset)
{
    int32_t i = (int32_t)floorf(s);
    if (i == n && (wrap == WRAP_MIRROR || wrap == WRAP_MIRROR_ONCE || wrap == WRAP_HALF_BORDER))
        i = n - 1; /* a coordinate of just 1 */
    i = (mirrored ? -1 - i : i) + offset;
    return (struct taps){.at = {wrap_index(wrap, i, n)}, .weight = {1}, .n = 1};
}

static struct taps taps_linear(unsigned wrap, float s, bool mirrored, int32_t n, int offset,
                               bool imitate)
{
    float t = s - 0.5f, first = floorf(t), a = t - first;
    int32_t i = (int32_t)first;
    a = imitate ? imitate_weight(a) : a;
    struct taps taps = {.weight = {1 - a, a}, .n = 2};
    if (mirrored) {
        i = -2 - i;
        taps.weight[0] = a;
        taps.weight[1] = 1 - a;
    }
    taps.at[0] = wrap_index(wrap, i + offset, n);
    taps.at[1] = wrap_index(wrap, i + 1 + offset, n);
    return taps;
}

static struct taps taps_of(const struct sampling *q, unsigned axis, float c, uint32_t size,
                           bool linear)
{
    const struct sampler *s = q->s;
    bool mirrored;
    unsigned wrap = s->wrap[axis];
    int32_t n = (int32_t)size;
    float at = fold(wrap, s->unnormalised, c, n, &mirrored);
    if (linear)
        return taps_linear(wrap, at, mirrored, n, q->offset[axis], q->imitate);
    return taps_nearest(wrap, q->imitate ? imitate_position(at) : at, mirrored, n, q->offset[axis]);
}

/* ---- texels ---- */

/* A comparison of a texel with the reference: the shadow function names when the result is 0. */
static float compare(unsigned function, float texel, float reference)
{
    enum { ALWAYS, NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL };
    bool zero = false;
    switch (function) {
    case ALWAYS:
        zero = true;
        break;
    case NEVER:
        break;
    case LESS:
        zero = texel < reference;
        break;
    case EQUAL:
        zero = texel == reference;
        break;
    case LEQUAL:
        zero = texel <= reference;
        break;
    case GREATER:
        zero = texel > reference;
        break;
    case NOTEQUAL:
        zero = texel != reference;
        break;
    case GEQUAL:
        zero = texel >= reference;
        break;
    }
    return zero ? 0 : 1;
}

static bool fetch(struct sampling *q, const struct sample_at *at, const int32_t texel[3],
                  unsigned lod, union texel *out)
{
    bool border = texel[0] < 0 || texel[1] < 0 || texel[2] < 0;
    union texel t = q->border;
    if (!q->compare) {
        *out = t;
        return border || image_load(&q->view, texel, lod, at->lane, out);
    }
    if (!border && !image_load_plain(&q->view, texel, lod, at->lane, &t))
        return false;
    float passed = compare(q->s->shadow, t.f[0], at->reference);
    image_select(q->image, &(union texel){.f = {passed, 0, 0, 1}}, out);
    return true;
}

/* The layer of an array: rounded to the nearest even, clamped. */
static int32_t layer_index(float layer, uint32_t n)
{
    float r = rintf(layer);
    return !(r > 0) ? 0 : r < (float)n ? (int32_t)r : (int32_t)n - 1;
}

struct footprint {
    struct taps x, y, z;
};

static struct footprint footprint_of(const struct sampling *q, const struct sample_at *at,
                                     unsigned lod, bool linear)
{
    uint32_t size[3];
    unsigned dims = image_dimensions(q->image);
    struct footprint f = {.y = {.weight = {1}, .n = 1}, .z = {.weight = {1}, .n = 1}};
    image_size(q->image, lod, size);
    f.x = taps_of(q, 0, at->coord[0], size[0], linear);
    if (q->row_filtered && linear)
        f.y = taps_linear(q->s->wrap[1], 0, false, 1, 0, true);
    if (dims > 1)
        f.y = taps_of(q, 1, at->coord[1], size[1], linear);
    if (dims > 2)
        f.z = taps_of(q, 2, at->coord[2], size[2], linear);
    else if (q->image->array)
        f.z.at[0] = layer_index(at->layer, size[2]);
    return f;
}

static bool sample_level(struct sampling *q, const struct sample_at *at, unsigned lod, bool linear,
                         union texel *out)
{
    struct footprint f = footprint_of(q, at, lod, linear);
    if (!linear)
        return fetch(q, at, (int32_t[3]){f.x.at[0], f.y.at[0], f.z.at[0]}, lod, out);
    union texel sum = {.f = {0}};
    for (unsigned k = 0; k < f.x.n * f.y.n * f.z.n; k++) {
        unsigned x = k & 1, y = k >> 1 & (f.y.n - 1), z = k >> 2;
        float weight = f.x.weight[x] * f.y.weight[y] * f.z.weight[z];
        union texel texel;
        if (weight == 0)
            continue;
        if (!fetch(q, at, (int32_t[3]){f.x.at[x], f.y.at[y], f.z.at[z]}, lod, &texel))
            return false;
        for (int c = 0; c < 4; c++)
            sum.f[c] += weight * texel.f[c];
    }
    *out = sum;
    return true;
}

/* ---- levels ---- */

float sample_lod(const struct sampling *q, float lod, bool *magnify)
{
    const struct sampler *s = q->s;
    lod += s->bias;
    float clamped = fminf(fmaxf(lod, s->min_lod), s->max_lod);
    *magnify = (s->preclamp ? clamped : lod) <= s->base_level;
    if (s->mip_filter == MIP_NONE)
        clamped = s->min_lod;
    return clamped;
}

bool sample_filtered(struct sampling *q, const struct sample_at *at, union texel *out)
{
    const struct sampler *s = q->s;
    bool magnify;
    float last = (float)(q->image->n_levels - 1);
    float lod = fminf(sample_lod(q, at->lod, &magnify), last);
    bool linear = (magnify ? s->mag_filter : s->min_filter) == FILTER_LINEAR && !q->integer;
    if (s->mip_filter != MIP_LINEAR || q->integer)
        return sample_level(q, at, (unsigned)(lod + 0.5f), linear, out);
    unsigned level = (unsigned)lod;
    float a = lod - (float)level;
    a = q->imitate ? imitate_weight(a) : a;
    if (!sample_level(q, at, level, linear, out))
        return false;
    if (a == 0)
        return true;
    union texel next;
    if (!sample_level(q, at, level + 1, linear, &next))
        return false;
    for (int c = 0; c < 4; c++)
        out->f[c] = (1 - a) * out->f[c] + a * next.f[c];
    return true;
}

bool sample_gather(struct sampling *q, const struct sample_at *at, unsigned channel,
                   union texel *out)
{
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}}; /* x, y of R, G, B, A */
    bool magnify;
    float lod = fminf(sample_lod(q, 0, &magnify), (float)(q->image->n_levels - 1));
    unsigned level = (unsigned)(lod + 0.5f);
    struct footprint f = footprint_of(q, at, level, true);
    for (int c = 0; c < 4; c++) {
        union texel texel;
        unsigned x = order[c][0], y = order[c][1];
        if (!fetch(q, at, (int32_t[3]){f.x.at[x], f.y.at[y], f.z.at[0]}, level, &texel))
            return false;
        out->u[c] = texel.u[q->compare ? 0 : channel];
    }
    return true;
}

/* What ld finds outside: zeros, but channels that the format lacks as in its texels. Intel's OpenCL
 * driver reads integer images so for CLK_ADDRESS_CLAMP and leaves alpha to the hardware on Gen8 and
 * 9, where OpenCL wants 1 of formats without alpha; nobody shows it of Gen7, where the imitation
 * gives 0. */
static void outside_texel(const struct sampling *q, union texel *out)
{
    unsigned lo, bits;
    union texel t = {.u = {0}};
    bool alpha = format_channel(q->image->format, 3, &lo, &bits);
    if (!alpha && !(q->imitate && q->gen < 80)) {
        if (q->integer)
            t.u[3] = 1;
        else
            t.f[3] = 1;
    }
    image_select(q->image, &t, out);
}

bool sample_load(struct sampling *q, const int32_t coord[3], int32_t lod, int lane,
                 union texel *out)
{
    const struct image *image = q->image;
    unsigned dims = image_dimensions(image);
    uint32_t size[3];
    int32_t at[3] = {0};
    outside_texel(q, out);
    if (lod < 0 || lod >= image->n_levels)
        return true;
    image_size(image, (unsigned)lod, size);
    for (unsigned i = 0; i < dims + image->array; i++) {
        unsigned to = i < dims ? i : 2;
        uint32_t c = (uint32_t)coord[i] + (uint32_t)(i < dims ? q->offset[i] : 0);
        if (c >= size[to])
            return true;
        at[to] = (int32_t)c;
    }
    return image_load(&q->view, at, (unsigned)lod, lane, out);
}
