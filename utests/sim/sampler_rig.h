/* The rig of msg_rig.h with a sampler table, a border colour and an image of known texels. */
#ifndef UTESTS_SIM_SAMPLER_RIG_H
#define UTESTS_SIM_SAMPLER_RIG_H

#include "msg_rig.h"

#include <math.h>

enum {
    SAMPLERS = 0x400, /* in the states' page: the table; the border colour */
    BORDER = 0x600,
    BTI_PIXELS = 10, /* the image under test */
    W = 13,
    H = 7,
    D = 5,
    PITCH = 256
};
enum { NEAREST, LINEAR };
enum { REPEAT, MIRROR, CLAMP, CUBE, BORDERED, MIRROR_ONCE, HALF_BORDER };

RIG const float border[4] = {10, 20, 30, 40};

/* ---- states ---- */

struct state {
    unsigned min, mag, mip, wrap[3];
    bool unnormalised;
    unsigned shadow, min_lod, max_lod; /* LODs in 1/256 */
};

RIG uint32_t sampler_dw[4];

RIG void put_sampler(unsigned index)
{
    memcpy(f.states + SAMPLERS + 16 * index, sampler_dw, sizeof sampler_dw);
    forget_surfaces();
}

RIG void set_sampler(enum cmd_field field, uint64_t v)
{
    cmd_set(f.gen, sampler_dw, field, v);
}

RIG void add_sampler(unsigned index, struct state s)
{
    cmd_init(f.gen, CMD_SAMPLER_STATE, sampler_dw);
    set_sampler(CMD_SAMPLER_STATE_min_filter, s.min);
    set_sampler(CMD_SAMPLER_STATE_mag_filter, s.mag);
    set_sampler(CMD_SAMPLER_STATE_mip_filter, s.mip);
    set_sampler(CMD_SAMPLER_STATE_wrap_x, s.wrap[0]);
    set_sampler(CMD_SAMPLER_STATE_wrap_y, s.wrap[1]);
    set_sampler(CMD_SAMPLER_STATE_wrap_z, s.wrap[2]);
    set_sampler(CMD_SAMPLER_STATE_non_normalized, s.unnormalised);
    set_sampler(CMD_SAMPLER_STATE_shadow_function, s.shadow);
    set_sampler(CMD_SAMPLER_STATE_min_lod, s.min_lod);
    set_sampler(CMD_SAMPLER_STATE_max_lod, s.max_lod);
    set_sampler(CMD_SAMPLER_STATE_border_color, BORDER);
    put_sampler(index);
}

RIG struct state all_of(unsigned filter, unsigned wrap, bool unnormalised)
{
    return (struct state){
        .min = filter, .mag = filter, .wrap = {wrap, wrap, wrap}, .unnormalised = unnormalised};
}

RIG void open_rig(const char *device)
{
    setup(device);
    f.d.dynamic_base = STATES;
    f.d.dynamic_size = 8192;
    f.d.sampler_state = STATES + SAMPLERS;
    memcpy(f.states + BORDER, border, sizeof border);
}

/* ---- the image: kinds, texels ---- */

enum kind { IMAGE_1D, IMAGE_1D_ARRAY, IMAGE_2D, IMAGE_2D_ARRAY, IMAGE_3D, N_KINDS };
RIG const struct {
    unsigned type, dims;
    bool array;
} kinds[N_KINDS] = {{CMD_SURFACE_1D, 1, false},
                    {CMD_SURFACE_1D, 1, true},
                    {CMD_SURFACE_2D, 2, false},
                    {CMD_SURFACE_2D, 2, true},
                    {CMD_SURFACE_3D, 3, false}};

RIG float texel(int x, int y, int z, int c)
{
    return (float)((x * 7 + y * 13 + z * 29 + c * 5) % 64 + 64 * c);
}

RIG struct rig_image describe(enum kind k, unsigned format)
{
    bool line = kinds[k].type == CMD_SURFACE_1D;
    struct rig_image i = {.type = kinds[k].type, .format = format, .array = kinds[k].array};
    i.width = W;
    i.height = kinds[k].dims > 1 ? H : 1;
    i.depth = kinds[k].array || kinds[k].dims > 2 ? D : 1;
    i.pitch = PITCH;
    i.qpitch = !line ? 8 : f.gen >= 90 ? 16 : 4;
    i.base = DATA;
    return i;
}

/* R32G32B32A32_FLOAT, 16 texels a row. Slices: 8 rows, of 1D images 4 (Gen9: one line of 16). */
RIG void make_image(enum kind k)
{
    struct rig_image i = describe(k, 0);
    unsigned rows = kinds[k].dims > 1 ? 8 : f.gen >= 90 ? 1 : 4;
    memset(f.data, 0x7f, PAGES); /* not a number, next to one: must not be met */
    for (unsigned z = 0; z < i.depth; z++) {
        for (unsigned y = 0; y < i.height; y++) {
            for (unsigned x = 0; x < W; x++) {
                float *p = (float *)(f.data + (z * rows + y) * PITCH + 16 * x);
                for (int c = 0; c < 4; c++)
                    p[c] = texel(x, y, z, c);
            }
        }
    }
    add_image(BTI_PIXELS, i);
}

/* ---- messages ---- */

RIG struct msg message(unsigned type, unsigned simd, unsigned params)
{
    return (struct msg){.kind = MSG_sampler,
                        .sampler_type = type,
                        .bti = BTI_PIXELS,
                        .simd = simd,
                        .mlen = params * simd / 8,
                        .rlen = simd / 2};
}

RIG struct msg with_header(struct msg m, uint32_t dw2)
{
    memset(payload[0], 0xcd, sizeof payload[0]);
    payload[0][2] = dw2;
    payload[0][3] = SAMPLERS | 0x1f; /* the low bits say something else */
    m.header = true;
    m.mlen++;
    return m;
}

/* Parameter k of a lane, behind a header if there is one. */
RIG void set_float(const struct msg *m, unsigned k, unsigned lane, float v)
{
    memcpy((uint32_t *)payload[m->header] + k * m->simd + lane, &v, sizeof v);
}

RIG void set_int(const struct msg *m, unsigned k, unsigned lane, int32_t v)
{
    memcpy((uint32_t *)payload[m->header] + k * m->simd + lane, &v, sizeof v);
}

RIG float result(const struct msg *m, unsigned channel, unsigned lane)
{
    float v;
    memcpy(&v, (uint32_t *)resp + channel * m->simd + lane, sizeof v);
    return v;
}

RIG uint32_t result_u(const struct msg *m, unsigned channel, unsigned lane)
{
    return resp32(channel * m->simd + lane);
}

/* Samples a 2D image at one place and compares one channel. */
RIG void check_at(float u, float v, float want)
{
    struct msg m = message(MSG_SAMPLER_sample, 8, 2);
    for (unsigned lane = 0; lane < 8; lane++) {
        set_float(&m, 0, lane, u);
        set_float(&m, 1, lane, v);
    }
    must(m, 0xff);
    CHECKF(result(&m, 0, 5) == want, "gen %d (%g, %g): %g, not %g", f.gen, u, v, result(&m, 0, 5),
           want);
}

RIG uint32_t bits_of(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return u;
}

#endif
