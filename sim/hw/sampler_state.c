/* SAMPLER_STATE and SAMPLER_BORDER_COLOR_STATE: taken apart and checked once a dispatch. The
 * cache's entries are read without its lock once they are published; the lock is held while one is
 * made. Source: Intel PRM volume 5/7, "SAMPLER_STATE", "SAMPLER_BORDER_COLOR_STATE". */
#include "sampler.h"

#include "gen/cmd.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATE_DWORDS = 4, N_CACHED = 64, PER_TABLE = 16 };

struct sampler_cache {
    pthread_mutex_t lock;
    _Atomic unsigned n;
    struct sampler s[N_CACHED];
};

struct sampler_cache *sampler_cache_new(void)
{
    struct sampler_cache *c = malloc(sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    atomic_init(&c->n, 0);
    return c;
}

void sampler_cache_free(struct sampler_cache *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* ---- the state ---- */

static uint64_t get(int gen, const uint32_t *dw, enum cmd_field f)
{
    return cmd_get(gen, dw, f);
}
#define GET(field) get(gen, dw, CMD_SAMPLER_STATE_##field)

/* u4.8 and s4.8 */
static float fixed8(uint32_t v)
{
    return (float)v / 256;
}

/* Fields with values that the documents reserve, or whose function they don't describe. */
static const struct limit {
    enum cmd_field field;
    uint32_t allowed; /* bit v: value v is allowed */
    const char *wrong;
} limits[] = {
    {CMD_SAMPLER_STATE_min_filter, 1 << FILTER_NEAREST | 1 << FILTER_LINEAR, "min filter"},
    {CMD_SAMPLER_STATE_mag_filter, 1 << FILTER_NEAREST | 1 << FILTER_LINEAR, "mag filter"},
    {CMD_SAMPLER_STATE_mip_filter, 1 << MIP_NONE | 1 << MIP_NEAREST | 1 << MIP_LINEAR,
     "mip filter"},
    {CMD_SAMPLER_STATE_wrap_x, 0x7f, "address mode of u"},
    {CMD_SAMPLER_STATE_wrap_y, 0x7f, "address mode of v"},
    {CMD_SAMPLER_STATE_wrap_z, 0x7f, "address mode of r"},
    {CMD_SAMPLER_STATE_chromakey, 1, "chroma key"},
    {CMD_SAMPLER_STATE_reduction, 1, "reduction"},
    {CMD_SAMPLER_STATE_coarse_lod_quality_mode, 1, "coarse LOD quality"},
    {CMD_SAMPLER_STATE_lod_preclamp_mode, 1 << 0 | 1 << 2, "LOD preclamp mode"},
};
enum { N_LIMITS = sizeof limits / sizeof limits[0] };

static bool check_fields(int gen, const uint32_t *dw, struct sampler *s)
{
    unsigned where;
    if (cmd_reserved(gen, CMD_SAMPLER_STATE, dw, STATE_DWORDS, &where)) {
        snprintf(s->wrong, sizeof s->wrong, "reserved bits in dword %u, 0x%08x", where, dw[where]);
        return false;
    }
    for (unsigned i = 0; i < N_LIMITS; i++) {
        uint64_t v = get(gen, dw, limits[i].field);
        if (!(limits[i].allowed >> v & 1)) {
            snprintf(s->wrong, sizeof s->wrong, "%s %u is reserved or not described",
                     limits[i].wrong, (unsigned)v);
            return false;
        }
    }
    return true;
}

static bool is_border(unsigned wrap)
{
    return wrap == WRAP_BORDER || wrap == WRAP_HALF_BORDER;
}

/* Rules between the fields. */
static const char *check_together(int gen, const struct sampler *s)
{
    enum { MAX_LOD = 14 };
    if (s->min_lod > MAX_LOD || s->max_lod > MAX_LOD)
        return "a LOD limit above 14";
    for (int i = 0; i < 3; i++) {
        if (gen < 80 && s->wrap[i] == WRAP_HALF_BORDER)
            return "address mode half border before Gen8";
    }
    if (s->dx9_border && gen > 70)
        return "DX9 border colour mode, which is not described";
    return NULL;
}

/* Whether Haswell's part for integer formats is needed is seen at the message. */
static void read_border(const struct sim_dispatch *d, int gen, struct sampler *s)
{
    gpu_addr bad;
    unsigned size = 4 * cmd_length(gen, CMD_BORDER_COLOR_STATE);
    gpu_addr offset = s->border - d->dynamic_base;
    bool asked = is_border(s->wrap[0]) || is_border(s->wrap[1]) || is_border(s->wrap[2]);
    if (!asked)
        return;
    if (gen == 75 && !vm_read(d->vm, s->border, s->border_dw, size, &bad))
        size = 16; /* enough for colours that are no integers */
    if (gen < 80 && !d->dynamic_size)
        s->border_wrong = "border colours need a bound of the dynamic state, whose check is off";
    else if (d->dynamic_size && offset + size > d->dynamic_size)
        s->border_wrong = "the border colour is past the dynamic state's bound";
    else if (!vm_read(d->vm, s->border, s->border_dw, size, &bad))
        s->border_wrong = "the border colour isn't mapped";
    s->n_border = s->border_wrong ? 0 : size / 4;
}

static void decode(const struct sim_dispatch *d, int gen, gpu_addr state, struct sampler *s)
{
    uint32_t dw[STATE_DWORDS];
    gpu_addr bad;
    const char *wrong;
    *s = (struct sampler){.state = state};
    if (d->dynamic_size && state - d->dynamic_base + sizeof dw > d->dynamic_size) {
        snprintf(s->wrong, sizeof s->wrong, "past the dynamic state's bound");
        return;
    }
    if (!vm_read(d->vm, state, dw, sizeof dw, &bad)) {
        snprintf(s->wrong, sizeof s->wrong, "not mapped");
        return;
    }
    s->disabled = GET(disable);
    if (s->disabled || !check_fields(gen, dw, s))
        return;
    s->min_filter = GET(min_filter);
    s->mag_filter = GET(mag_filter);
    s->mip_filter = GET(mip_filter);
    s->unnormalised = GET(non_normalized);
    s->preclamp = GET(lod_preclamp) || GET(lod_preclamp_mode);
    s->wrap[0] = GET(wrap_x);
    s->wrap[1] = GET(wrap_y);
    s->wrap[2] = GET(wrap_z);
    s->shadow = GET(shadow_function);
    int bias = GET(lod_bias);
    s->bias = (float)(bias & 0x1000 ? bias - 0x2000 : bias) / 256;
    s->min_lod = fixed8(GET(min_lod));
    s->max_lod = fixed8(GET(max_lod));
    s->base_level = (float)GET(base_mip_level) / 2; /* u4.1 */
    s->dx9_border = GET(border_color_mode);
    s->border = d->dynamic_base + GET(border_color);
    if ((wrong = check_together(gen, s)))
        snprintf(s->wrong, sizeof s->wrong, "%s", wrong);
    else
        read_border(d, gen, s);
}

/* An entry that is already there, among the first n. */
static const struct sampler *find(const struct sampler_cache *c, unsigned n, gpu_addr state)
{
    for (unsigned i = 0; i < n; i++) {
        if (c->s[i].state == state)
            return &c->s[i];
    }
    return NULL;
}

const struct sampler *sampler_get(struct eu_thread *t, const struct msg *m, const uint8_t *header)
{
    static _Thread_local struct sampler uncached;
    const struct sim_dispatch *d = t->d;
    int gen = sim_gpu_device(d->gpu)->gen;
    gpu_addr table = header ? d->dynamic_base + (msg_dword(header, 3) & ~31u) : d->sampler_state;
    gpu_addr state = table + 4 * STATE_DWORDS * m->sampler_index;
    struct sampler_cache *c = d->samplers;
    const struct sampler *s = find(c, atomic_load_explicit(&c->n, memory_order_acquire), state);
    if (!s) {
        pthread_mutex_lock(&c->lock);
        unsigned n = atomic_load_explicit(&c->n, memory_order_relaxed);
        s = find(c, n, state);
        if (!s) {
            struct sampler *made = n < N_CACHED ? &c->s[n] : &uncached;
            decode(d, gen, state, made);
            if (n < N_CACHED)
                atomic_store_explicit(&c->n, n + 1, memory_order_release);
            s = made;
        }
        pthread_mutex_unlock(&c->lock);
    }
    if (!s->wrong[0])
        return s;
    msg_fault(t, m, "sampler state %u at 0x%llx: %s", m->sampler_index, (unsigned long long)state,
              s->wrong);
    return NULL;
}

/* ---- border colours ---- */

/* Haswell keeps integer colours apart, packed as the format is. */
static void haswell_integers(const struct sampler *s, const struct image *image, uint32_t raw[4])
{
    const uint32_t *dw = s->border_dw + 16;
    bool is_signed = image->texel_class == TEXEL_SINT;
    unsigned lo, bits = 32, green;
    if (!format_channel(image->format, 0, &lo, &bits))
        bits = 32;
    bool two_32 = bits == 32 && format_channel(image->format, 1, &lo, &green) &&
                  !format_channel(image->format, 2, &lo, &green);
    for (int c = 0; c < 4; c++) {
        uint32_t v = bits == 8    ? dw[0] >> 8 * c
                     : bits == 16 ? dw[c / 2 * 2] >> 16 * (c & 1)
                                  : dw[two_32 && c == 1 ? 2 : c];
        unsigned unused = 32 - bits;
        raw[c] = is_signed ? (uint32_t)((int32_t)(v << unused) >> unused) : v << unused >> unused;
    }
}

static const char *raw_border(int gen, const struct sampler *s, const struct image *image,
                              uint32_t raw[4])
{
    bool integer = image->texel_class != TEXEL_FLOAT;
    memcpy(raw, s->border_dw, 16);
    if (gen == 70 && s->dx9_border) {
        for (int c = 0; c < 4; c++) {
            float f = (float)(s->border_dw[0] >> 8 * c & 0xff) / 255;
            memcpy(&raw[c], &f, sizeof f);
        }
    }
    if (gen == 75 && integer) {
        if (s->border & 511)
            return "the border colour of an integer format is not 512-byte aligned";
        if (s->n_border < BORDER_DWORDS)
            return "the border colour's integers aren't mapped";
        haswell_integers(s, image, raw);
    }
    return NULL;
}

/* Gen7 documents no integer border colours; what it makes of the bits of one that isn't zero is not
 * known. Mesa's Vulkan driver sets such, so it is no fault; the bits come back as they are. */
static void warn_gen7(struct sim_gpu *gpu, const struct sampler *s)
{
    static const char text[] = "the border colour of an integer format isn't zero: Gen7 has none";
    const uint32_t *dw = s->border_dw;
    if (dw[0] | dw[1] | dw[2] | dw[3])
        sim_warn(gpu, text, "%s", text);
}

/* Haswell finds the integers of a border colour by a field of the surface. */
static bool has_integer_field(const struct sim_dispatch *d, const struct image *image)
{
    uint32_t dw[8];
    gpu_addr bad;
    return vm_read(d->vm, image->state, dw, sizeof dw, &bad) &&
           cmd_get(75, dw, CMD_SURFACE_STATE_integer_surface_format) != 0;
}

/* Channels that the format lacks read as in its texels; of those that share bits (luminance,
 * intensity) the first one counts. */
static void channel_rule(const struct image *image, const uint32_t raw[4], union texel *out)
{
    unsigned first[4], bits;
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = c;
        if (!format_channel(image->format, c, &first[c], &bits)) {
            first[c] = ~0u;
            out->u[c] = 0;
            if (c == 3 && image->texel_class == TEXEL_FLOAT)
                out->f[c] = 1;
            else if (c == 3)
                out->u[c] = 1;
            continue;
        }
        for (unsigned k = c; k-- > 0;)
            from = first[k] == first[c] ? k : from;
        out->u[c] = raw[from];
    }
}

bool sampler_border(struct eu_thread *t, const struct msg *m, const struct sampler *s,
                    const struct image *image, union texel *out)
{
    int gen = sim_gpu_device(t->d->gpu)->gen;
    uint32_t raw[4];
    const char *wrong = s->border_wrong;
    if (!wrong)
        wrong = raw_border(gen, s, image, raw);
    if (!wrong && gen == 75 && image->texel_class != TEXEL_FLOAT && !has_integer_field(t->d, image))
        wrong = "a border colour for an integer format whose integer surface format field is 0";
    if (wrong)
        return msg_fault(t, m, "sampler state at 0x%llx, border colour at 0x%llx: %s",
                         (unsigned long long)s->state, (unsigned long long)s->border, wrong);
    if (gen == 70 && image->texel_class != TEXEL_FLOAT)
        warn_gen7(t->d->gpu, s);
    channel_rule(image, raw, out);
    return true;
}
