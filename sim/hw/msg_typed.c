/* Typed messages: reads, writes and atomics of image texels by integer coordinates. Source: Intel
 * PRM volume 4/7, "Typed Surface Read/Write", "Typed Atomic Operation".
 *
 * Eight lanes with a register for each coordinate and each channel, or two slots of four channels
 * (SIMD4x2). A lane outside the image reads zeros (alpha too) and writes nothing; a disabled lane
 * leaves its part of the response alone. Channel selects and sRGB curves are the sampler's. */
#include "image.h"

#include "gen/cmd.h"

enum { N_LANES = 8, N_COORDS = 4, COORD_LOD = 3 };

struct typed {
    struct eu_thread *t;
    const struct msg *m;
    const struct image *image;
    struct image_view view;
    const uint8_t *address, *data; /* registers of the payload */
    unsigned n_coords;
    uint32_t size[3]; /* of level 0 */
    int n_ops;        /* of an atomic */
    bool raw_dwords;  /* reads return the dword at the texel */
};

static bool is_atomic(unsigned kind)
{
    return kind == MSG_typed_atomic || kind == MSG_typed_atomic_4x2;
}

/* ---- what the message asks of the surface ---- */

/* Ivy Bridge doesn't convert R8_UINT and R16_UINT, but reads 32 bits from the texel's address on;
 * Mesa's compiler relies on it. */
static bool reads_raw_dwords(int gen, const struct msg *m, const struct image *i)
{
    return gen == 70 && m->kind == MSG_typed_read &&
           (i->format->code == FORMAT_R8_UINT || i->format->code == FORMAT_R16_UINT);
}

static bool check_format(const struct typed *y)
{
    const struct gen_format *f = y->image->format;
    int gen = sim_gpu_device(y->t->d->gpu)->gen;
    if (is_atomic(y->m->kind))
        return f->code == FORMAT_R32_UINT || f->code == FORMAT_R32_SINT ||
               msg_fault(y->t, y->m,
                         "surface %u has format %s: typed atomics take R32_UINT and"
                         " R32_SINT",
                         y->m->bti, f->name);
    bool write = y->m->kind == MSG_typed_write;
    if (y->raw_dwords)
        return true;
    return format_can(write ? f->typed_write : f->typed_read, gen) ||
           msg_fault(y->t, y->m, "surface %u has format %s, which this generation can't %s",
                     y->m->bti, f->name, write ? "write" : "read with conversion");
}

static bool check_surface(const struct typed *y)
{
    const struct image *i = y->image;
    if (i->type == CMD_SURFACE_NULL)
        return true;
    if (i->type == CMD_SURFACE_CUBE)
        return msg_fault(y->t, y->m, "surface %u is a cube map, which only the sampler reads",
                         y->m->bti);
    return check_format(y);
}

/* ---- lanes ---- */

/* Register and dword of part k of a lane: of a SIMD4x2 slot, in which the parts are neighbours. */
static unsigned place(const struct typed *y, unsigned k, unsigned lane)
{
    return y->m->simd4x2 ? lane * 4 + k : k * N_LANES + lane;
}

/* Lanes (of SIMD4x2: slots) that are on. */
static uint32_t enabled(const struct msg *m, uint32_t lanes, const uint8_t *header)
{
    if (header && !m->simd4x2)
        lanes &= msg_dword(header, 7) >> (m->high_slots ? N_LANES : 0);
    lanes &= (1u << N_LANES) - 1;
    return m->simd4x2 ? ((lanes & 0xf) != 0) | ((lanes & 0xf0) != 0) << 1 : lanes;
}

/* The texel that a lane names. False: outside the image. Coordinates that the surface has no
 * dimension for are ignored, missing ones are 0. */
static bool texel_of_lane(const struct typed *y, unsigned lane, int32_t at[3], unsigned *lod)
{
    const struct image *i = y->image;
    uint32_t c[N_COORDS] = {0}, size[3];
    for (unsigned k = 0; k < y->n_coords; k++)
        c[k] = msg_dword(y->address, place(y, k, lane));
    *lod = i->layout == LAYOUT_BUFFER ? 0 : c[COORD_LOD];
    if (i->type == CMD_SURFACE_NULL || *lod >= i->n_levels)
        return false;
    if (*lod)
        image_size(i, *lod, size);
    else
        memcpy(size, y->size, sizeof size);
    bool line = i->type == CMD_SURFACE_1D || i->type == CMD_SURFACE_BUFFER;
    bool is_3d = i->type == CMD_SURFACE_3D;
    uint32_t slice = is_3d ? c[2] : i->array ? c[line ? 1 : 2] : 0;
    uint32_t first = is_3d ? i->min_element : 0; /* of arrays image_offset() adds it */
    uint32_t end = size[2] > first ? size[2] - first : 0;
    if (slice >= end || ((is_3d || i->array) && slice >= i->view_extent))
        return false;
    at[0] = c[0];
    at[1] = line ? 0 : c[1];
    at[2] = slice + first;
    return c[0] < size[0] && (line || c[1] < size[1]);
}

/* Nothing, or a fault if the device is told to check. */
static bool out_of_bounds(const struct typed *y, unsigned lane)
{
    uint32_t c[N_COORDS] = {0};
    if (y->image->type == CMD_SURFACE_NULL || !sim_gpu_options(y->t->d->gpu)->check)
        return true;
    for (unsigned k = 0; k < y->n_coords; k++)
        c[k] = msg_dword(y->address, place(y, k, lane));
    return msg_fault(y->t, y->m,
                     "out of bounds: texel (%u, %u, %u), level %u of surface %u (%u x %u x %u, %u"
                     " levels), lane %u",
                     c[0], c[1], c[2], c[COORD_LOD], y->m->bti, y->size[0], y->size[1], y->size[2],
                     y->image->n_levels, lane);
}

/* ---- reads and writes ---- */

/* The dword at a texel; where nothing is mapped behind the texel, zeros. */
static bool load_raw(struct typed *y, const int32_t at[3], unsigned lod, unsigned lane,
                     union texel *texel)
{
    struct view *v = &y->view.view;
    uint64_t off = image_offset(y->image, at, lod);
    const uint8_t *p = view_ptr(v, off, sizeof texel->u[0]);
    *texel = (union texel){.u = {0, 0, 0, 1}};
    if (!p)
        return view_read(v, off, texel->u, y->image->format->bytes, lane);
    memcpy(texel->u, p, sizeof texel->u[0]);
    return true;
}

static bool read_lane(struct typed *y, unsigned lane, uint32_t dwords, uint8_t *resp)
{
    union texel texel = {.u = {0}};
    int32_t at[3];
    unsigned lod;
    if (!texel_of_lane(y, lane, at, &lod)) {
        if (!out_of_bounds(y, lane))
            return false;
    } else if (y->raw_dwords ? !load_raw(y, at, lod, lane, &texel)
                             : !image_load_plain(&y->view, at, lod, lane, &texel)) {
        return false;
    }
    for (unsigned c = 0, k = 0; c < 4; c++) {
        if (y->m->chan_off >> c & 1)
            continue;
        unsigned d = place(y, y->m->simd4x2 ? c : k++, lane);
        if (!y->m->simd4x2 || dwords >> d & 1)
            msg_set_dword(resp, d, texel.u[c]);
    }
    return true;
}

static bool write_lane(struct typed *y, unsigned lane)
{
    union texel texel = {.u = {0}};
    int32_t at[3];
    unsigned lod;
    if (!texel_of_lane(y, lane, at, &lod))
        return out_of_bounds(y, lane);
    for (unsigned c = 0, k = 0; c < 4; c++) {
        if (!(y->m->chan_off >> c & 1))
            texel.u[c] = msg_dword(y->data, place(y, y->m->simd4x2 ? c : k++, lane));
    }
    return image_store(&y->view, at, lod, lane, ~y->m->chan_off & 0xf, &texel);
}

static bool atomic_lane(struct typed *y, unsigned lane, uint8_t *resp)
{
    int32_t at[3];
    unsigned lod;
    uint32_t old = 0, src[2] = {0};
    for (int k = 0; k < y->n_ops; k++)
        src[k] = msg_dword(y->data, place(y, k, lane));
    if (texel_of_lane(y, lane, at, &lod)) {
        uint64_t off = image_offset(y->image, at, lod);
        uint8_t *p = view_ptr(&y->view.view, off, 4);
        if (!p)
            return view_fault(&y->view.view, off, 4, lane);
        old = atomic_dword(p, y->m->atomic, src[0], src[1]);
    } else if (!out_of_bounds(y, lane)) {
        return false;
    }
    if (y->m->returns)
        msg_set_dword(resp, place(y, 0, lane), old);
    return true;
}

bool msg_typed(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
               const uint8_t *payload, uint8_t *resp)
{
    struct typed y = {.t = t, .m = m};
    const uint8_t *header = m->header ? payload : NULL;
    bool atomic = is_atomic(m->kind), write = m->kind == MSG_typed_write;
    y.n_ops = atomic ? atomic_n_operands(m->atomic, false) : 0;
    if (y.n_ops < 0)
        return msg_fault(t, m, "atomic operation %u doesn't exist", m->atomic);
    unsigned sent = atomic ? (unsigned)y.n_ops : write ? m->n_chan : 0;
    if (m->simd4x2 && sent)
        sent = 1;
    unsigned n_address = m->mlen + m->ex_mlen - m->header - sent;
    y.n_coords = m->simd4x2 ? N_COORDS : n_address;
    y.address = payload + (m->header ? EU_GRF_SIZE : 0);
    y.data = y.address + n_address * EU_GRF_SIZE;
    y.image = image_get(t, m, exdesc);
    if (!y.image)
        return false;
    y.raw_dwords = reads_raw_dwords(sim_gpu_device(t->d->gpu)->gen, m, y.image);
    if (!check_surface(&y))
        return false;
    image_size(y.image, 0, y.size);
    image_view_open(&y.view, t, m, y.image, write || atomic);
    for (uint32_t l = enabled(m, lanes, header); l; l &= l - 1) {
        unsigned lane = __builtin_ctz(l);
        if (atomic  ? !atomic_lane(&y, lane, resp)
            : write ? !write_lane(&y, lane)
                    : !read_lane(&y, lane, lanes, resp))
            return false;
    }
    return true;
}
