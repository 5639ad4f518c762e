/* Messages of the sampler: which parameters they have, in which order; what comes back.
 * Source: Intel PRM volume 4/7, "Sampling Engine", "Messages". */
#include "sampler.h"

#include "eu_exec.h"

#include "gen/cmd.h"

#include <math.h>

/* ---- parameters ---- */

enum param {
    P_NONE,
    P_U,
    P_V,
    P_R,
    P_AI,
    P_LOD,
    P_BIAS,
    P_REF,
    P_DUDX,
    P_DUDY,
    P_DVDX,
    P_DVDY,
    P_DRDX,
    P_DRDY,
    P_OFFSET_U,
    P_OFFSET_V,
    N_PARAMS
};

enum action {
    ACT_SAMPLE,
    ACT_GATHER,
    ACT_LD,
    ACT_LOD,
    ACT_RESINFO,
    ACT_SAMPLEINFO,
    ACT_MCS,
    ACT_MULTI
};

/* The order of the parameters; the row with the highest first generation counts. */
static const struct message {
    uint8_t type; /* enum msg_sampler */
    uint8_t first_gen, action;
    uint8_t params[11];
} messages[] = {
    {MSG_SAMPLER_sample, 70, ACT_SAMPLE, {P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_b, 70, ACT_SAMPLE, {P_BIAS, P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_l, 70, ACT_SAMPLE, {P_LOD, P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_c, 70, ACT_SAMPLE, {P_REF, P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_b_c, 70, ACT_SAMPLE, {P_REF, P_BIAS, P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_l_c, 70, ACT_SAMPLE, {P_REF, P_LOD, P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_d,
     70,
     ACT_SAMPLE,
     {P_U, P_DUDX, P_DUDY, P_V, P_DVDX, P_DVDY, P_R, P_DRDX, P_DRDY, P_AI}},
    {MSG_SAMPLER_sample_d_c,
     75,
     ACT_SAMPLE,
     {P_REF, P_U, P_DUDX, P_DUDY, P_V, P_DVDX, P_DVDY, P_R, P_DRDX, P_DRDY, P_AI}},
    {MSG_SAMPLER_sample_lz, 90, ACT_SAMPLE, {P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_c_lz, 90, ACT_SAMPLE, {P_REF, P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_gather4, 70, ACT_GATHER, {P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_gather4_c, 70, ACT_GATHER, {P_REF, P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_gather4_po, 70, ACT_GATHER, {P_U, P_V, P_OFFSET_U, P_OFFSET_V, P_R}},
    {MSG_SAMPLER_gather4_po_c, 70, ACT_GATHER, {P_REF, P_U, P_V, P_OFFSET_U, P_OFFSET_V, P_R}},
    {MSG_SAMPLER_ld, 90, ACT_LD, {P_U, P_V, P_LOD, P_R}},
    {MSG_SAMPLER_ld, 70, ACT_LD, {P_U, P_LOD, P_V, P_R}},
    {MSG_SAMPLER_ld_lz, 90, ACT_LD, {P_U, P_V, P_R}},
    {MSG_SAMPLER_lod, 70, ACT_LOD, {P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_resinfo, 70, ACT_RESINFO, {P_LOD}},
    {MSG_SAMPLER_sampleinfo, 70, ACT_SAMPLEINFO, {P_NONE}},
    {MSG_SAMPLER_ld_mcs, 70, ACT_MCS, {P_U, P_V, P_R}},
    {MSG_SAMPLER_ld2dms, 70, ACT_MULTI, {P_NONE}},
    {MSG_SAMPLER_ld2dms_w, 90, ACT_MULTI, {P_NONE}},
    {MSG_SAMPLER_ld2dss, 70, ACT_MULTI, {P_NONE}},
};
enum { N_MESSAGES = sizeof messages / sizeof messages[0] };

/* SIMD4x2: the parameters of a slot stand side by side, coordinates in the first register; LOD and
 * bias are the first of the second, but the last of the first for ld. Only what OpenCL and uniform
 * reads need is described. */
static const struct message messages_4x2[] = {
    {MSG_SAMPLER_sample, 70, ACT_SAMPLE, {P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_sample_l, 70, ACT_SAMPLE, {P_U, P_V, P_R, P_AI, P_LOD}},
    {MSG_SAMPLER_sample_lz, 90, ACT_SAMPLE, {P_U, P_V, P_R, P_AI}},
    {MSG_SAMPLER_ld, 70, ACT_LD, {P_U, P_V, P_R, P_LOD}},
    {MSG_SAMPLER_ld_lz, 90, ACT_LD, {P_U, P_V, P_R}},
    {MSG_SAMPLER_resinfo, 70, ACT_RESINFO, {P_LOD}},
};
enum { N_MESSAGES_4X2 = sizeof messages_4x2 / sizeof messages_4x2[0] };

static const struct message *find(const struct message *rows, unsigned n, const struct msg *m,
                                  int gen)
{
    for (unsigned i = 0; i < n; i++) {
        if (rows[i].type == m->sampler_type && rows[i].first_gen <= gen)
            return &rows[i];
    }
    return NULL;
}

/* The header's dword 2. */
enum {
    HEADER_MASK_SHIFT = 12,
    HEADER_GATHER_SHIFT = 16,
    HEADER_4X2 = 1 << 22,
    HEADER_NULL_PIXELS = 1 << 23
};

/* One message in work. */
struct work {
    struct eu_thread *t;
    const struct msg *m;
    const struct message *message;
    int gen;
    uint32_t lanes;
    bool by_slot;          /* SIMD4x2 */
    const uint8_t *header; /* NULL: none */
    const uint8_t *params; /* the first register behind the header */
    unsigned n_params;     /* of the message's own that are sent */
    uint8_t channel[4];    /* which of R, G, B, A come back, in order */
    unsigned n_channels;
    unsigned gather; /* channel */
    struct sampling q;
};

/* Values of one lane (SIMD4x2: slot), those that aren't sent are 0. */
struct values {
    union {
        float f;
        int32_t i;
    } p[N_PARAMS];
};

static void read_values(const struct work *w, unsigned lane, struct values *v)
{
    unsigned width = w->m->simd;
    memset(v, 0, sizeof *v);
    for (unsigned k = 0; k < w->n_params; k++) {
        unsigned at = w->by_slot ? k / 4 * 8 + lane * 4 + k % 4 : k * width + lane;
        v->p[w->message->params[k]].i = (int32_t)msg_dword(w->params, at);
    }
    v->p[P_NONE].i = 0;
}

/* ---- checks ---- */

static bool uses_sampler(unsigned action)
{
    return action == ACT_SAMPLE || action == ACT_GATHER || action == ACT_LOD;
}

static bool has_param(const struct message *message, unsigned param)
{
    for (unsigned i = 0; i < sizeof message->params; i++) {
        if (message->params[i] == param)
            return true;
    }
    return false;
}

/* Header: offsets, channels; without one all channels come back. */
static bool read_header(struct work *w)
{
    const struct msg *m = w->m;
    uint32_t bits = w->header ? msg_dword(w->header, 2) : 0;
    bool short_4x2 = w->gen < 90 || (bits & HEADER_4X2);
    if (w->gen >= 90 && bits & HEADER_NULL_PIXELS)
        return msg_fault(w->t, m, "the null pixel mask is not described");
    if (m->simd4x2 && !short_4x2)
        return msg_fault(w->t, m, "SIMD8D, which is not described; SIMD4x2 needs bit 22 of M0.2");
    w->by_slot = m->simd4x2;
    for (int i = 0; i < 3; i++) {
        int offset = bits >> (8 - 4 * i) & 0xf;
        w->q.offset[i] = (int8_t)(offset < 8 ? offset : offset - 16);
    }
    w->gather = bits >> HEADER_GATHER_SHIFT & 3;
    for (unsigned c = 0; c < 4; c++) {
        if (!(bits >> (HEADER_MASK_SHIFT + c) & 1))
            w->channel[w->n_channels++] = c;
    }
    unsigned regs = m->ret16 || m->simd == 8 ? 1 : 2;
    unsigned come = w->by_slot ? 4 : m->rlen / regs;
    if (come > w->n_channels || (w->gen < 90 && !w->by_slot && come < w->n_channels))
        return msg_fault(w->t, m, "%u response registers for %u channels", m->rlen, w->n_channels);
    w->n_channels = come;
    return true;
}

/* Can the message read such a surface? NULL: yes. */
static const char *check_image(const struct work *w, const struct image *image)
{
    unsigned action = w->message->action;
    if (image->type == CMD_SURFACE_NULL || action == ACT_RESINFO || action == ACT_SAMPLEINFO)
        return NULL;
    if (action == ACT_MULTI)
        return "the surface isn't multisampled";
    if (image->type == CMD_SURFACE_BUFFER && action != ACT_LD)
        return "only ld and resinfo read buffers";
    if (image->type == CMD_SURFACE_CUBE)
        return "cube maps are not described";
    if (action == ACT_GATHER && image->type != CMD_SURFACE_2D)
        return "gather4 on a surface that isn't 2D";
    if (!image->format || !format_can(image->format->sampled, w->gen))
        return "the format can't be sampled";
    if (w->q.compare && image->texel_class != TEXEL_FLOAT)
        return "a comparison with an integer format";
    return NULL;
}

/* Non-normalised coordinates exclude what needs the size of the image. */
static const char *check_pair(const struct sampling *q)
{
    if (sampling_wraps(q, WRAP_CUBE))
        return "address mode cube with a surface that isn't a cube";
    if (!q->s->unnormalised)
        return NULL;
    if (sampling_wraps(q, WRAP_REPEAT) || sampling_wraps(q, WRAP_MIRROR) ||
        sampling_wraps(q, WRAP_MIRROR_ONCE))
        return "non-normalised coordinates with an address mode that isn't clamp or border";
    if (q->image->n_levels > 1)
        return "non-normalised coordinates with a surface of several levels";
    return NULL;
}

static bool check_sampler(struct work *w, const struct image *image)
{
    static const char text[] =
        "a linear filter with a format that can't be filtered: the nearest texel is taken";
    struct sampling *q = &w->q;
    const struct sampler *s = q->s;
    const char *wrong = check_pair(q);
    if (wrong)
        return msg_fault(w->t, w->m, "sampler state at 0x%llx, surface %u: %s",
                         (unsigned long long)s->state, w->m->bti, wrong);
    bool linear = s->min_filter == FILTER_LINEAR || s->mag_filter == FILTER_LINEAR ||
                  s->mip_filter == MIP_LINEAR;
    if (w->message->action == ACT_SAMPLE && linear && !format_can(image->format->filtered, w->gen))
        sim_warn(w->t->d->gpu, text, "%s", text);
    if (w->message->action == ACT_LOD)
        return true;
    if (!sampling_wraps(q, WRAP_BORDER) && !sampling_wraps(q, WRAP_HALF_BORDER))
        return true;
    if (!sampler_border(w->t, w->m, s, image, &q->border))
        return false;
    if (!q->compare)
        image_select(image, &q->border, &q->border);
    return true;
}

/* ---- one lane ---- */

static void set_coordinates(const struct work *w, const struct values *v, struct sample_at *at)
{
    const struct image *image = w->q.image;
    unsigned dims = image_dimensions(image);
    for (unsigned i = 0; i < 3; i++)
        at->coord[i] = v->p[P_U + i].f;
    at->layer = image->array ? v->p[P_U + dims].f : 0;
    at->reference = v->p[P_REF].f;
}

/* The level of detail that derivatives ask for: that of the longer footprint. */
static float lod_of_derivatives(const struct work *w, const struct values *v)
{
    uint32_t size[3];
    float x = 0, y = 0;
    image_size(w->q.image, 0, size);
    for (unsigned i = 0; i < image_dimensions(w->q.image); i++) {
        float n = w->q.s->unnormalised ? 1 : (float)size[i];
        float dx = v->p[P_DUDX + 2 * i].f * n, dy = v->p[P_DUDY + 2 * i].f * n;
        x += dx * dx;
        y += dy * dy;
    }
    return 0.5f * log2f(fmaxf(fmaxf(x, y), 0x1p-120f));
}

static bool do_sample(struct work *w, const struct values *v, int lane, union texel *out)
{
    struct sample_at at = {.lane = lane};
    if (w->q.s->disabled) {
        *out = (union texel){.u = {0}};
        return true;
    }
    set_coordinates(w, v, &at);
    /* No thread of a compute kernel has neighbours to take derivatives from: level 0. */
    at.lod = v->p[P_LOD].f + v->p[P_BIAS].f;
    if (has_param(w->message, P_DUDX))
        at.lod = lod_of_derivatives(w, v);
    if (w->message->action == ACT_SAMPLE)
        return sample_filtered(&w->q, &at, out);
    if (has_param(w->message, P_OFFSET_U)) { /* six bits each */
        w->q.offset[0] = (int8_t)((v->p[P_OFFSET_U].i & 63) ^ 32) - 32;
        w->q.offset[1] = (int8_t)((v->p[P_OFFSET_V].i & 63) ^ 32) - 32;
    }
    return sample_gather(&w->q, &at, w->gather, out);
}

/* Width, height, depth or layers, levels; a coordinate that the type lacks is 0. */
static void do_resinfo(const struct work *w, int32_t lod, union texel *out)
{
    const struct image *image = w->q.image;
    uint32_t size[3] = {0};
    *out = (union texel){.u = {0}};
    if (image->type == CMD_SURFACE_NULL)
        return;
    out->u[3] = image->n_levels;
    if (lod < 0 || lod >= image->n_levels)
        return;
    image_size(image, (unsigned)lod, size);
    unsigned dims = image_dimensions(image);
    for (unsigned i = 0; i < dims; i++)
        out->u[i] = size[i];
    if (image->array)
        out->u[dims] = image->type == CMD_SURFACE_CUBE ? size[2] / 6 : size[2];
}

static bool do_lane(struct work *w, const struct values *v, int lane, union texel *out)
{
    const struct image *image = w->q.image;
    unsigned action = w->message->action;
    bool magnify;
    *out = (union texel){.u = {0}};
    if (action == ACT_RESINFO) {
        do_resinfo(w, v->p[P_LOD].i, out);
        return true;
    }
    if (action == ACT_SAMPLEINFO) {
        out->u[0] = 1; /* samples a texel */
        return true;
    }
    if (image->type == CMD_SURFACE_NULL || action == ACT_MCS)
        return true;
    switch (action) {
    case ACT_LD:
        return sample_load(&w->q, (int32_t[3]){v->p[P_U].i, v->p[P_V].i, v->p[P_R].i},
                           v->p[P_LOD].i, lane, out);
    case ACT_LOD:
        out->f[0] = sample_lod(&w->q, 0, &magnify);
        out->f[1] = w->q.s->bias;
        return true;
    default:
        return do_sample(w, v, lane, out);
    }
}

/* ---- responses ---- */

static void put_short(const struct work *w, uint8_t *to, const union texel *texel, unsigned c)
{
    bool is_float = uses_sampler(w->message->action) || w->message->action == ACT_LD;
    uint16_t v = (uint16_t)texel->u[c];
    if (is_float && !w->q.integer)
        v = eu_half_from_double((double)texel->f[c], 0);
    memcpy(to, &v, sizeof v);
}

static void put_lane(const struct work *w, unsigned lane, const union texel *texel, uint8_t *resp)
{
    unsigned width = w->m->simd;
    for (unsigned k = 0; k < w->n_channels; k++) {
        unsigned c = w->channel[k];
        if (w->m->ret16) /* a register a channel, at any width */
            put_short(w, resp + k * EU_GRF_SIZE + 2 * lane, texel, c);
        else
            msg_set_dword(resp, k * width + lane, texel->u[c]);
    }
}

/* Two slots; lane i of the mask guards channel i % 4 of slot i / 4. */
static bool run_slots(struct work *w, uint8_t *resp)
{
    for (unsigned slot = 0; slot < 2; slot++) {
        struct values v;
        union texel texel;
        uint32_t channels = w->lanes >> 4 * slot & 0xf;
        if (!channels)
            continue;
        read_values(w, slot, &v);
        if (!do_lane(w, &v, (int)(4 * slot), &texel))
            return false;
        for (unsigned c = 0; c < 4; c++) {
            if (channels >> c & 1)
                msg_set_dword(resp, 4 * slot + c, texel.u[c]);
        }
    }
    return true;
}

static bool run_lanes(struct work *w, uint8_t *resp)
{
    for (uint32_t rest = w->lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        struct values v;
        union texel texel;
        read_values(w, lane, &v);
        if (!do_lane(w, &v, (int)lane, &texel))
            return false;
        put_lane(w, lane, &texel, resp);
    }
    return true;
}

bool msg_sampler(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                 const uint8_t *payload, uint8_t *resp)
{
    int gen = sim_gpu_device(t->d->gpu)->gen;
    struct work w = {.t = t, .m = m, .gen = gen, .lanes = lanes & ((1u << m->simd) - 1)};
    w.header = m->header ? payload : NULL;
    w.params = payload + (m->header ? EU_GRF_SIZE : 0);
    w.message = m->simd4x2 ? find(messages_4x2, N_MESSAGES_4X2, m, gen)
                           : find(messages, N_MESSAGES, m, gen);
    if (!w.message)
        return msg_fault(t, m, "%s is not described in SIMD4x2", msg_sampler_name(m->sampler_type));
    unsigned regs = m->mlen + m->ex_mlen - m->header;
    w.n_params = m->simd4x2 ? 4 * regs : regs * 8 / m->simd;
    if (w.n_params > sizeof w.message->params)
        w.n_params = sizeof w.message->params;
    if (!read_header(&w))
        return false;
    const struct image *image = image_get(t, m, exdesc);
    if (!image)
        return false;
    w.q.image = image;
    w.q.compare = has_param(w.message, P_REF);
    const char *wrong = check_image(&w, image);
    if (wrong)
        return msg_fault(t, m, "%s, surface %u (%s): %s", msg_sampler_name(m->sampler_type), m->bti,
                         image->format ? image->format->name : "no format", wrong);
    sampling_prepare(&w.q, gen, sim_gpu_options(t->d->gpu)->perturb != 0);
    image_view_open(&w.q.view, t, m, image, false);
    if (uses_sampler(w.message->action) && image->type != CMD_SURFACE_NULL) {
        w.q.s = sampler_get(t, m, w.header);
        if (!w.q.s || (!w.q.s->disabled && !check_sampler(&w, image)))
            return false;
    }
    return w.by_slot ? run_slots(&w, resp) : run_lanes(&w, resp);
}
