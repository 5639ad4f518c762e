/* What a launch looks like to one generation: compiled once for each, with -DGEN=70, 75, 80 or 90.
 * Writes commands and states through gen/cmd.h; differences are columns of its table, or `if (GEN
 * ...)` here. The order of commands follows the PRMs, volume "GPGPU", and the programming notes of
 * PIPE_CONTROL. */
#include "src/gpu/impl.h"

#include "gen/cmd_place.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define SET(dw, field, value) cmd_put(GEN, dw, CMD_##field, value)
#define INIT(packet, dw)      cmd_start(GEN, CMD_##packet, dw)
#define LENGTH(packet)        ((uint32_t)cmd_headers[CMD_##packet][cmd_column(GEN)].length)

enum { ADDRESS_SIZE = GEN >= 80 ? 8 : 4 };

/* ---- writing commands ---- */

/* What a PIPE_CONTROL does. */
enum {
    STALL = 1 << 0, /* the command streamer waits for all earlier work, and for these flushes */
    DC_FLUSH = 1 << 1,
    RENDER_FLUSH = 1 << 2,
    DEPTH_FLUSH = 1 << 3,
    TEXTURE = 1 << 4, /* invalidations */
    CONSTANT = 1 << 5,
    STATE = 1 << 6,
    INSTRUCTION = 1 << 7,
};
enum { FLUSHES = DC_FLUSH | RENDER_FLUSH | DEPTH_FLUSH };

static inline uint32_t *pipe_control(uint32_t *p, unsigned what)
{
    INIT(PIPE_CONTROL, p);
    SET(p, PIPE_CONTROL_cs_stall, !!(what & STALL));
    SET(p, PIPE_CONTROL_dc_flush, !!(what & DC_FLUSH));
    SET(p, PIPE_CONTROL_render_flush, !!(what & RENDER_FLUSH));
    SET(p, PIPE_CONTROL_depth_flush, !!(what & DEPTH_FLUSH));
    SET(p, PIPE_CONTROL_texture_invalidate, !!(what & TEXTURE));
    SET(p, PIPE_CONTROL_constant_invalidate, !!(what & CONSTANT));
    SET(p, PIPE_CONTROL_state_invalidate, !!(what & STATE));
    SET(p, PIPE_CONTROL_instruction_invalidate, !!(what & INSTRUCTION));
    /* before Gen9 a stall needs a companion; this one has no other effect */
    if (GEN < 90 && what & STALL && !(what & FLUSHES))
        SET(p, PIPE_CONTROL_scoreboard_stall, 1);
    return p + LENGTH(PIPE_CONTROL);
}

/* Waits for everything before, then writes the time. Returns the end; *address is the dword of the
 * address. */
static uint32_t *timestamp(uint32_t *p, uint32_t **address)
{
    if (GEN >= 90) /* a stall must directly precede a post-sync operation */
        p = pipe_control(p, STALL);
    INIT(PIPE_CONTROL, p);
    SET(p, PIPE_CONTROL_cs_stall, 1);
    SET(p, PIPE_CONTROL_post_sync, CMD_POST_SYNC_TIMESTAMP);
    *address = p + 2;
    return p + LENGTH(PIPE_CONTROL);
}

/* Puts what follows behind what precedes: results written back, stale lines of the read-only caches
 * dropped. */
static uint32_t *barrier(uint32_t *p)
{
    p = pipe_control(p, STALL | DC_FLUSH | RENDER_FLUSH);
    return pipe_control(p, STALL | TEXTURE | CONSTANT);
}

static uint32_t *load_register(uint32_t *p, enum cmd_register reg, uint32_t value)
{
    INIT(MI_LOAD_REGISTER_IMM, p);
    SET(p, MI_LOAD_REGISTER_IMM_register, reg);
    SET(p, MI_LOAD_REGISTER_IMM_data, value);
    return p + LENGTH(MI_LOAD_REGISTER_IMM);
}

/* ---- the L3 cache ---- */

/* Ways of L3: of those splits that the documents validate, the ones with most room for data. */
struct l3 {
    uint8_t slm, urb, dc, ro, all;
};

static struct l3 l3_split(const struct gen_device *dev, bool slm)
{
    if (dev->platform == GEN_BYT)
        return slm ? (struct l3){32, 40, 8, 16, 0} : (struct l3){0, 64, 16, 16, 0};
    if (GEN < 80)
        return slm ? (struct l3){16, 16, 16, 16, 0} : (struct l3){0, 32, 16, 16, 0};
    if (slm || dev->l3_banks == 1) /* Broxton with one bank has 80 ways, 16 of them for SLM */
        return slm ? (struct l3){1, 16, 0, 0, 48} : (struct l3){0, 32, 0, 0, 48};
    return (struct l3){0, 32, 0, 0, 64};
}

/* The register that switches SLM on, and its value. */
static uint32_t l3_control(const struct gen_device *dev, bool slm, enum cmd_register *reg)
{
    struct l3 l3 = l3_split(dev, slm);
    uint32_t value = 0;
    if (GEN < 80) {
        *reg = REG_L3CNTLREG2;
        SET(&value, L3CNTLREG2_slm_enable, slm);
        /* Bay Trail counts URB ways from 32; elsewhere SLM takes half the banks and leaves the URB
         * the others, at low bandwidth */
        bool byt = dev->platform == GEN_BYT;
        SET(&value, L3CNTLREG2_urb_allocation, byt ? l3.urb - 32 : l3.urb);
        SET(&value, L3CNTLREG2_urb_low_bandwidth, slm && !byt);
        SET(&value, L3CNTLREG2_ro_allocation, l3.ro);
        SET(&value, L3CNTLREG2_dc_allocation, l3.dc);
    } else {
        *reg = REG_L3CNTLREG;
        SET(&value, L3CNTLREG_slm_enable, slm);
        SET(&value, L3CNTLREG_urb_allocation, l3.urb);
        SET(&value, L3CNTLREG_all_allocation, l3.all);
    }
    return value;
}

static uint32_t *set_l3(uint32_t *p, const struct gpu *gpu, bool slm)
{
    const struct gen_device *dev = gpu->info.dev;
    enum cmd_register reg;
    uint32_t value = l3_control(dev, slm, &reg);
    if (GEN == 75 && gpu->l3_atomics) { /* the data cache has ways, so atomics can be done there */
        p = load_register(p, REG_HSW_SCRATCH1, 0);
        p = load_register(p, REG_HSW_ROW_CHICKEN3, 1u << (6 + 16)); /* masked register: bit 6 = 0 */
    }
    if (GEN < 80) {
        /* default credits; no client's accesses are turned into uncached ones */
        uint32_t credits = dev->platform == GEN_BYT ? 0x00d30000
                           : GEN == 75              ? 0x00610000
                                                    : 0x00730000;
        p = load_register(p, REG_L3SQCREG1, credits);
        p = load_register(p, reg, value);
        return load_register(p, REG_L3CNTLREG3, 0);
    }
    return load_register(p, reg, value);
}

/* Cacheability of everything: in L3, and below it what the page tables say or write-back. */
static uint32_t mocs(const struct gen_device *dev)
{
    if (GEN == 70)
        return dev->platform == GEN_BYT ? 3 : 1; /* L3; Bay Trail: and snoop the CPU's caches */
    if (GEN == 75)
        return 1; /* L3 */
    if (GEN == 80)
        return 0x78; /* write-back, L3 and LLC/eLLC */
    return 2 << 1;   /* entry 2 of the kernel's table: L3 and LLC write-back */
}

/* ---- start and end of a batch ---- */

struct out {
    uint32_t *start, *p;
    struct fixup *fixups;
    unsigned n_fixups;
};

static void fix(struct out *o, uint32_t *dw, enum target t, uint64_t delta, bool written)
{
    assert(o->n_fixups < STATE_MAX_FIXUPS);
    o->fixups[o->n_fixups++] = (struct fixup){.delta = delta,
                                              .at = (uint32_t)(dw - o->start) * 4,
                                              .part = PART_COMMANDS,
                                              .target = t,
                                              .size = ADDRESS_SIZE,
                                              .written = written};
}

static void state_base_address(struct out *o, const struct gen_device *dev)
{
    uint32_t *p = o->p, m = mocs(dev);
    const uint64_t page = 4096, all = 0xfffff000; /* 4 GiB less a page */
    INIT(STATE_BASE_ADDRESS, p);
    /* General, indirect and instruction base are 0: scratch and kernels are given by address. All
     * objects lie below 4 GiB (bo.h). */
    SET(p, STATE_BASE_ADDRESS_general_modify, 1);
    SET(p, STATE_BASE_ADDRESS_general_mocs, m);
    SET(p, STATE_BASE_ADDRESS_stateless_mocs, m);
    SET(p, STATE_BASE_ADDRESS_surface_modify, 1);
    SET(p, STATE_BASE_ADDRESS_surface_mocs, m);
    SET(p, STATE_BASE_ADDRESS_dynamic_modify, 1);
    SET(p, STATE_BASE_ADDRESS_dynamic_mocs, m);
    SET(p, STATE_BASE_ADDRESS_indirect_modify, 1);
    SET(p, STATE_BASE_ADDRESS_indirect_mocs, m);
    SET(p, STATE_BASE_ADDRESS_instruction_modify, 1);
    SET(p, STATE_BASE_ADDRESS_instruction_mocs, m);
    if (GEN < 80) {
        /* a bound of 0 is no check, except for dynamic state, where it would refuse border colours
         */
        SET(p, STATE_BASE_ADDRESS_general_bound_modify, 1);
        SET(p, STATE_BASE_ADDRESS_dynamic_bound_modify, 1);
        SET(p, STATE_BASE_ADDRESS_dynamic_bound, all);
        SET(p, STATE_BASE_ADDRESS_indirect_bound_modify, 1);
        SET(p, STATE_BASE_ADDRESS_instruction_bound_modify, 1);
    } else {
        SET(p, STATE_BASE_ADDRESS_general_size_modify, 1);
        SET(p, STATE_BASE_ADDRESS_general_size, all);
        SET(p, STATE_BASE_ADDRESS_dynamic_size_modify, 1);
        SET(p, STATE_BASE_ADDRESS_dynamic_size, all);
        SET(p, STATE_BASE_ADDRESS_indirect_size_modify, 1);
        SET(p, STATE_BASE_ADDRESS_indirect_size, all);
        SET(p, STATE_BASE_ADDRESS_instruction_size_modify, 1);
        SET(p, STATE_BASE_ADDRESS_instruction_size, all);
    }
    if (GEN >= 90)
        SET(p, STATE_BASE_ADDRESS_bindless_modify, 1);

    unsigned surface, dynamic, hi, lo;
    cmd_field_bits(GEN, CMD_STATE_BASE_ADDRESS_surface_base, &surface, &hi, &lo);
    cmd_field_bits(GEN, CMD_STATE_BASE_ADDRESS_dynamic_base, &dynamic, &hi, &lo);
    /* the bits below a page, flag and MOCS, go along as part of the address */
    fix(o, p + surface, TARGET_SURFACES, p[surface] % page, false);
    fix(o, p + dynamic, TARGET_DYNAMIC, p[dynamic] % page, false);
    o->p = p + LENGTH(STATE_BASE_ADDRESS);
}

static void media_vfe_state(struct out *o, const struct batch *b)
{
    uint32_t *p = o->p;
    INIT(MEDIA_VFE_STATE, p);
    SET(p, MEDIA_VFE_STATE_max_threads, b->gpu->info.n_threads - 1);
    SET(p, MEDIA_VFE_STATE_reset_gateway_timer, 1);
    if (GEN < 90)
        SET(p, MEDIA_VFE_STATE_bypass_gateway, 1);
    if (GEN < 80) {
        SET(p, MEDIA_VFE_STATE_gpgpu_mode, 1);
    } else { /* not used by GPGPU threads, but must not be 0 */
        SET(p, MEDIA_VFE_STATE_urb_entries, 2);
        SET(p, MEDIA_VFE_STATE_urb_entry_size, 2);
    }
    SET(p, MEDIA_VFE_STATE_curbe_size, (b->curbe_regs + 1) & ~1u);
    if (b->scratch_size) {
        SET(p, MEDIA_VFE_STATE_scratch_size, cmd_scratch_code(GEN, b->scratch_size));
        fix(o, p + 1, TARGET_SCRATCH, p[1], true);
    }
    o->p = p + LENGTH(MEDIA_VFE_STATE);
}

static uint32_t begin(const struct batch *b, uint32_t *out, struct fixup *fixups,
                      unsigned *n_fixups)
{
    const struct gen_device *dev = b->gpu->info.dev;
    struct out o = {.start = out, .p = out, .fixups = fixups};
    /* write back what anybody before us left in the caches, and forget what was read: needed before
     * the pipeline, the bases or L3 change */
    o.p = pipe_control(o.p, STALL | DC_FLUSH | RENDER_FLUSH | DEPTH_FLUSH);
    o.p = pipe_control(o.p, STALL | TEXTURE | CONSTANT | STATE | INSTRUCTION);
    o.p = pipe_control(o.p, STALL | DC_FLUSH);
    o.p = set_l3(o.p, b->gpu, b->uses_slm);

    INIT(PIPELINE_SELECT, o.p);
    SET(o.p, PIPELINE_SELECT_pipeline, CMD_PIPELINE_GPGPU);
    if (GEN >= 90)
        SET(o.p, PIPELINE_SELECT_mask, 3); /* of the two bits of the selection */
    o.p += LENGTH(PIPELINE_SELECT);
    if (dev->platform == GEN_GLK)
        o.p = load_register(o.p, REG_SLICE_COMMON_ECO, 1u << (7 + 16)); /* barriers: GPGPU mode */

    state_base_address(&o, dev);
    if (GEN == 75) /* Haswell wants this before any invalidation */
        o.p = pipe_control(o.p, STALL | DC_FLUSH);
    /* entries made with the old bases; the stall is what MEDIA_VFE_STATE needs before it */
    o.p = pipe_control(o.p, STALL | TEXTURE | STATE | INSTRUCTION);
    media_vfe_state(&o, b);
    assert(o.p - out <= STATE_MAX_DWORDS);
    *n_fixups = o.n_fixups;
    return (uint32_t)(o.p - out);
}

static uint32_t end(const struct batch *b, uint32_t *out)
{
    uint32_t *p = pipe_control(out, STALL | DC_FLUSH | RENDER_FLUSH);
    if (GEN == 75 && b->uses_slm) /* on Haswell 3D clients share the setting */
        p = set_l3(pipe_control(p, STALL | DC_FLUSH), b->gpu, false);
    INIT(MI_BATCH_BUFFER_END, p);
    return (uint32_t)(p - out) + LENGTH(MI_BATCH_BUFFER_END);
}

static int store_l3(struct batch *b, uint32_t *want)
{
    enum cmd_register reg;
    *want = l3_control(b->gpu->info.dev, true, &reg);
    uint32_t at, *p = batch_room(b, PART_COMMANDS, 4 * LENGTH(MI_STORE_REGISTER_MEM), 4, &at);
    if (!p)
        return -ENOMEM;
    INIT(MI_STORE_REGISTER_MEM, p);
    SET(p, MI_STORE_REGISTER_MEM_register, reg);
    return batch_address(b, PART_COMMANDS, at + 8, ADDRESS_SIZE, TARGET_TIMES, NULL, 0, true);
}

/* ---- surfaces ---- */

static void buffer_surface(uint32_t *s, uint64_t size)
{
    SET(s, SURFACE_STATE_type, CMD_SURFACE_BUFFER);
    SET(s, SURFACE_STATE_format, CMD_FORMAT_RAW);
    cmd_set_buffer_elements(GEN, s, (size + 3) & ~(uint64_t)3); /* whole dwords */
}

static void channel_selects(uint32_t *s, const uint8_t select[4])
{
    if (GEN < 75)
        return;
    bool as_is = !(select[0] | select[1] | select[2] | select[3]);
    SET(s, SURFACE_STATE_select_red, as_is ? CMD_SELECT_R : select[0]);
    SET(s, SURFACE_STATE_select_green, as_is ? CMD_SELECT_G : select[1]);
    SET(s, SURFACE_STATE_select_blue, as_is ? CMD_SELECT_B : select[2]);
    SET(s, SURFACE_STATE_select_alpha, as_is ? CMD_SELECT_A : select[3]);
}

static bool image_surface(uint32_t *s, const struct gpu_image *im)
{
    SET(s, SURFACE_STATE_type, im->type);
    SET(s, SURFACE_STATE_format, im->format);
    channel_selects(s, im->select);
    if (im->type == CMD_SURFACE_BUFFER) {
        if (im->width == 0 || im->width > 1u << 27)
            return false;
        cmd_set_buffer_elements(GEN, s, im->width);
        SET(s, SURFACE_STATE_pitch, im->texel_size - 1);
        return true;
    }
    bool deep = im->array || im->type == CMD_SURFACE_3D;
    uint32_t depth = deep ? im->depth : 1;
    uint32_t rows = im->row_pitch ? im->slice_pitch / im->row_pitch : 0;
    if (im->width - 1 >= 16384 || im->height - 1 >= 16384 || depth - 1 >= 2048 ||
        im->row_pitch - 1 >= 1u << 18)
        return false;
    if (deep && depth > 1 && (rows % 4 || rows < im->height))
        return false;
    SET(s, SURFACE_STATE_array, im->array);
    SET(s, SURFACE_STATE_render_cache_read_write, 1);
    SET(s, SURFACE_STATE_width, im->width - 1);
    SET(s, SURFACE_STATE_height, im->height - 1);
    SET(s, SURFACE_STATE_depth, depth - 1);
    SET(s, SURFACE_STATE_view_extent, depth - 1); /* typed messages go by it */
    SET(s, SURFACE_STATE_pitch, im->row_pitch - 1);
    if (GEN < 80) {
        SET(s, SURFACE_STATE_array_spacing_lod0, 1);
        SET(s, SURFACE_STATE_valign, 1); /* 4 rows, on all generations: one layout of slices */
    } else {
        SET(s, SURFACE_STATE_halign, 1);
        SET(s, SURFACE_STATE_valign, 1);
        /* in rows; Gen9's 1D surfaces in texels */
        uint32_t qpitch =
            GEN >= 90 && im->type == CMD_SURFACE_1D ? im->slice_pitch / im->texel_size : rows;
        if (deep)
            SET(s, SURFACE_STATE_qpitch, qpitch / 4);
    }
    return true;
}

/* Surface state of binding table entry i, at `at` of the surfaces. */
static int surface(struct batch *b, const struct gpu_launch *l, unsigned i, struct bo *private_bo,
                   uint32_t *s, uint32_t at)
{
    const struct kbin_surface *ks = &l->kernel->surfaces[i];
    struct gpu_surface sf = {0};
    bool window = ks->kind == KBIN_SURFACE_WINDOW0 || ks->kind == KBIN_SURFACE_WINDOW1;
    if (ks->kind == KBIN_SURFACE_PRIVATE && private_bo)
        sf = (struct gpu_surface){.bo = private_bo, .size = bo_size(private_bo), .written = true};
    else if (!window && ks->kind != KBIN_SURFACE_PRIVATE)
        sf = l->surfaces[i];

    INIT(SURFACE_STATE, s);
    if (window) {
        /* RAW over half of the address space each: Gen7 addresses have 31 bits. The base is
         * absolute. */
        if (GEN >= 80)
            return -EINVAL;
        const uint64_t half = 1ull << 30;
        buffer_surface(s, half);
        SET(s, SURFACE_STATE_address, ks->kind == KBIN_SURFACE_WINDOW1 ? half : 0);
        SET(s, SURFACE_STATE_mocs, mocs(b->gpu->info.dev));
        return 0;
    }
    if (!sf.bo || sf.size == 0) {
        SET(s, SURFACE_STATE_type, CMD_SURFACE_NULL);
        return 0;
    }
    if (sf.offset > bo_size(sf.bo) || sf.size > bo_size(sf.bo) - sf.offset ||
        sf.size > b->gpu->info.max_surface_size)
        return -EINVAL;
    if (sf.image ? !image_surface(s, sf.image) : sf.offset % 4 != 0)
        return -EINVAL;
    if (!sf.image)
        buffer_surface(s, sf.size);
    SET(s, SURFACE_STATE_mocs, mocs(b->gpu->info.dev));
    unsigned dw, hi, lo;
    cmd_field_bits(GEN, CMD_SURFACE_STATE_address, &dw, &hi, &lo);
    int err = batch_use(b, sf.bo, sf.written);
    return err ? err
               : batch_address(b, PART_SURFACES, at + 4 * dw, ADDRESS_SIZE, TARGET_BO, sf.bo,
                               sf.offset, sf.written);
}

/* Are the states just written the same as the last launch's? */
static bool same_surfaces(const struct batch *b, uint32_t at, uint32_t size, uint32_t first_fixup)
{
    if (b->n_launches == 0 || size != b->surfaces.size ||
        b->n_fixups - first_fixup != b->surfaces.n_fixups)
        return false;
    const uint8_t *data = b->part[PART_SURFACES].data;
    if (memcmp(data + at, data + b->surfaces.at, size))
        return false;
    const struct fixup *f = b->fixups + first_fixup, *g = b->fixups + b->surfaces.first_fixup;
    for (uint32_t i = 0; i < b->surfaces.n_fixups; i++) {
        if (f[i].bo != g[i].bo || f[i].delta != g[i].delta ||
            f[i].at - at != g[i].at - b->surfaces.at)
            return false;
    }
    return true;
}

/* Surface states and binding table; *table is the table's offset. */
static int surfaces(struct batch *b, const struct gpu_launch *l, struct bo *private_bo,
                    uint32_t *table)
{
    uint32_t n = l->kernel->n_surfaces, at, state_size = 4 * LENGTH(SURFACE_STATE);
    *table = 0;
    if (n == 0)
        return 0;
    uint32_t first_fixup = b->n_fixups, before = b->part[PART_SURFACES].size;
    if (!batch_room(b, PART_SURFACES, n * state_size, 64, &at))
        return -ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        uint32_t s[16];
        int err = surface(b, l, i, private_bo, s, at + i * state_size);
        if (err)
            return err;
        memcpy(b->part[PART_SURFACES].data + at + i * state_size, s, state_size);
    }
    if (same_surfaces(b, at, n * state_size, first_fixup)) {
        b->part[PART_SURFACES].size = before;
        b->n_fixups = first_fixup;
        *table = b->surfaces.table;
        return 0;
    }
    uint32_t *entries = batch_room(b, PART_SURFACES, 4 * n, 32, table);
    if (!entries)
        return -ENOMEM;
    for (unsigned i = 0; i < n; i++)
        SET(&entries[i], BINDING_TABLE_STATE_surface, at + i * state_size);
    if (*table >= 65536) /* the descriptor's pointer has 16 bits */
        return -ENOSPC;
    b->surfaces.at = at;
    b->surfaces.size = n * state_size;
    b->surfaces.table = *table;
    b->surfaces.first_fixup = first_fixup;
    b->surfaces.n_fixups = b->n_fixups - first_fixup;
    return 0;
}

/* ---- samplers ---- */

static void border_color(uint32_t *s, unsigned kind)
{
    const uint32_t one = 0x3f800000; /* 1.0f */
    INIT(BORDER_COLOR_STATE, s);
    if (kind == 0)
        return;
    SET(s, BORDER_COLOR_STATE_alpha, GEN >= 80 && kind == 2 ? 1 : one);
    if (GEN == 75)
        SET(s, BORDER_COLOR_STATE_int_alpha, 1);
}

static void sampler(uint32_t *s, const struct gpu_sampler *sm, uint32_t border)
{
    INIT(SAMPLER_STATE, s);
    SET(s, SAMPLER_STATE_min_filter, sm->linear);
    SET(s, SAMPLER_STATE_mag_filter, sm->linear);
    if (GEN < 80)
        SET(s, SAMPLER_STATE_lod_preclamp, 1); /* OpenGL's rule */
    else
        SET(s, SAMPLER_STATE_lod_preclamp_mode, 2); /* the same */
    SET(s, SAMPLER_STATE_border_color, border);
    SET(s, SAMPLER_STATE_wrap_x, sm->wrap[0]);
    SET(s, SAMPLER_STATE_wrap_y, sm->wrap[1]);
    SET(s, SAMPLER_STATE_wrap_z, sm->wrap[2]);
    SET(s, SAMPLER_STATE_non_normalized, !sm->normalized);
    if (sm->linear) {
        SET(s, SAMPLER_STATE_round_u_min, 1);
        SET(s, SAMPLER_STATE_round_u_mag, 1);
        SET(s, SAMPLER_STATE_round_v_min, 1);
        SET(s, SAMPLER_STATE_round_v_mag, 1);
        SET(s, SAMPLER_STATE_round_r_min, 1);
        SET(s, SAMPLER_STATE_round_r_mag, 1);
    }
}

static int samplers(struct batch *b, const struct gpu_launch *l, uint32_t *table)
{
    enum { N_BORDERS = 3 };
    *table = 0;
    if (l->n_samplers == 0)
        return 0;
    if (l->n_samplers > KBIN_MAX_SAMPLERS)
        return -EINVAL;
    uint32_t align = GEN == 75 ? 512 : 64, at;
    char *borders = batch_room(b, PART_DYNAMIC, N_BORDERS * align, align, &at);
    if (!borders)
        return -ENOMEM;
    for (unsigned i = 0; i < N_BORDERS; i++)
        border_color((uint32_t *)(borders + i * align), i);
    uint32_t size = 4 * LENGTH(SAMPLER_STATE);
    char *states = batch_room(b, PART_DYNAMIC, l->n_samplers * size, 32, table);
    if (!states)
        return -ENOMEM;
    for (unsigned i = 0; i < l->n_samplers; i++) {
        if (l->samplers[i].border >= N_BORDERS)
            return -EINVAL;
        sampler((uint32_t *)(states + i * size), &l->samplers[i],
                at + l->samplers[i].border * align);
    }
    return 0;
}

/* ---- constants, descriptor ---- */

/* Local ids of all threads, each at `stride` after the last one's, from `at` of the dynamic states.
 * Often they are those of the launch before. */
static void local_ids(struct batch *b, const struct gpu_launch *l, uint32_t n_threads, uint32_t at,
                      uint32_t stride)
{
    const struct kbin_kernel *k = l->kernel;
    uint32_t size = launch_id_regs(k) * 32;
    uint8_t *data = b->part[PART_DYNAMIC].data;
    if (size == 0)
        return;
    bool same = b->ids.n_threads == n_threads && b->ids.simd == k->simd &&
                !memcmp(b->ids.size, l->local_size, sizeof b->ids.size) &&
                !memcmp(b->ids.uses, k->uses_local_id, sizeof b->ids.uses);
    for (uint32_t t = 0; t < n_threads; t++) {
        if (same)
            memcpy(data + at + t * stride, data + b->ids.at + t * b->ids.stride, size);
        else
            launch_local_ids(k, l->local_size, t, data + at + t * stride);
    }
    b->ids.at = at;
    b->ids.stride = stride;
    b->ids.n_threads = n_threads;
    b->ids.simd = k->simd;
    memcpy(b->ids.size, l->local_size, sizeof b->ids.size);
    memcpy(b->ids.uses, k->uses_local_id, sizeof b->ids.uses);
}

/* Everything that threads find in registers from r1 on. */
static int constants(struct batch *b, const struct gpu_launch *l, uint32_t n_threads, uint32_t *at)
{
    const struct kbin_kernel *k = l->kernel;
    uint32_t push = k->n_push_regs * 32, ids = launch_id_regs(k) * 32;
    uint32_t regs = launch_curbe_regs(GEN, k, n_threads);
    *at = 0;
    if (regs == 0)
        return 0;
    char *p = batch_room(b, PART_DYNAMIC, (regs * 32 + 63) & ~63u, 64, at);
    if (!p)
        return -ENOMEM;
    /* Ivy Bridge has no constants for all threads: each has its copy */
    uint32_t copies = GEN == 70 ? n_threads : 1, stride = push + ids;
    for (uint32_t c = 0; c < copies && push; c++)
        memcpy(p + c * stride, l->push, push);
    local_ids(b, l, n_threads, *at + push, GEN == 70 ? stride : ids);
    for (unsigned i = 0; i < l->n_addresses; i++) {
        const struct gpu_address *a = &l->addresses[i];
        if ((a->size != 4 && a->size != 8) || a->push_offset % 4 || a->push_offset + a->size > push)
            return -EINVAL;
        if (!a->bo)
            continue;
        int err = batch_use(b, a->bo, a->written);
        for (uint32_t c = 0; c < copies && !err; c++)
            err = batch_address(b, PART_DYNAMIC, *at + c * stride + a->push_offset, a->size,
                                TARGET_BO, a->bo, a->offset, a->written);
        if (err)
            return err;
    }
    return 0;
}

static int descriptor(struct batch *b, const struct gpu_launch *l, uint32_t n_threads,
                      uint32_t table, uint32_t sampler_table, uint32_t *at)
{
    const struct kbin_kernel *k = l->kernel;
    int slm = cmd_slm_code(GEN, l->slm_size);
    if (slm < 0 || l->code_offset % 64)
        return -EINVAL;
    uint32_t *d = batch_room(b, PART_DYNAMIC, 4 * LENGTH(INTERFACE_DESCRIPTOR), 64, at);
    if (!d)
        return -ENOMEM;
    INIT(INTERFACE_DESCRIPTOR, d);
    unsigned fours = (l->n_samplers + 3) / 4; /* that are fetched ahead: messages find them all */
    SET(d, INTERFACE_DESCRIPTOR_sampler_count, fours < 4 ? fours : 4);
    SET(d, INTERFACE_DESCRIPTOR_sampler_state, sampler_table);
    SET(d, INTERFACE_DESCRIPTOR_binding_table_count, k->n_surfaces < 31 ? k->n_surfaces : 31);
    SET(d, INTERFACE_DESCRIPTOR_binding_table, table);
    SET(d, INTERFACE_DESCRIPTOR_n_threads, n_threads);
    SET(d, INTERFACE_DESCRIPTOR_slm_size, slm);
    SET(d, INTERFACE_DESCRIPTOR_barrier, k->uses_barrier);
    if (GEN == 70) {
        SET(d, INTERFACE_DESCRIPTOR_curbe_read_length, k->n_push_regs + launch_id_regs(k));
    } else {
        SET(d, INTERFACE_DESCRIPTOR_cross_thread_length, k->n_push_regs);
        SET(d, INTERFACE_DESCRIPTOR_curbe_read_length, launch_id_regs(k));
    }
    if (GEN >= 80)
        SET(d, INTERFACE_DESCRIPTOR_denorm_mode, 1); /* the kernel decides, in cr0 */
    int err = batch_use(b, l->code, false);
    return err ? err
               : batch_address(b, PART_DYNAMIC, *at, ADDRESS_SIZE, TARGET_BO, l->code,
                               l->code_offset, false);
}

/* ---- the launch ---- */

static uint32_t *walker(uint32_t *p, const struct gpu_launch *l, uint32_t n_threads)
{
    const struct kbin_kernel *k = l->kernel;
    uint32_t items = l->local_size[0] * l->local_size[1] * l->local_size[2];
    uint32_t last = items % k->simd; /* lanes of the last thread */
    INIT(GPGPU_WALKER, p);
    SET(p, GPGPU_WALKER_thread_width_max, n_threads - 1);
    SET(p, GPGPU_WALKER_simd, k->simd / 16); /* 8, 16, 32: 0, 1, 2 */
    SET(p, GPGPU_WALKER_end_x, l->group_count[0]);
    SET(p, GPGPU_WALKER_end_y, l->group_count[1]);
    SET(p, GPGPU_WALKER_end_z, l->group_count[2]);
    SET(p, GPGPU_WALKER_right_mask, 0xffffffffu >> (32 - (last ? last : k->simd)));
    SET(p, GPGPU_WALKER_bottom_mask, 0xffffffffu);
    return p + LENGTH(GPGPU_WALKER);
}

static int launch(struct batch *b, const struct gpu_launch *l, struct bo *private_bo, bool after,
                  uint32_t *walker_at)
{
    enum { MAX_DWORDS = 128 };
    uint32_t n_threads = launch_threads(l->kernel, l->local_size);
    uint32_t curbe, table, sampler_table, desc, at;
    uint32_t regs = launch_curbe_regs(GEN, l->kernel, n_threads);
    int err = surfaces(b, l, private_bo, &table);
    if (!err)
        err = constants(b, l, n_threads, &curbe);
    if (!err)
        err = samplers(b, l, &sampler_table);
    if (!err)
        err = descriptor(b, l, n_threads, table, sampler_table, &desc);
    if (err)
        return err;

    uint32_t *start = batch_room(b, PART_COMMANDS, MAX_DWORDS * 4, 4, &at), *p = start;
    uint32_t *times[2] = {NULL, NULL};
    if (!start)
        return -ENOMEM;
    if (after)
        p = barrier(p);
    if (regs) {
        INIT(MEDIA_CURBE_LOAD, p);
        SET(p, MEDIA_CURBE_LOAD_length, (regs * 32 + 63) & ~63u);
        SET(p, MEDIA_CURBE_LOAD_address, curbe);
        p += LENGTH(MEDIA_CURBE_LOAD);
    }
    INIT(MEDIA_INTERFACE_DESCRIPTOR_LOAD, p);
    SET(p, MEDIA_INTERFACE_DESCRIPTOR_LOAD_length, 4 * LENGTH(INTERFACE_DESCRIPTOR));
    SET(p, MEDIA_INTERFACE_DESCRIPTOR_LOAD_address, desc);
    p += LENGTH(MEDIA_INTERFACE_DESCRIPTOR_LOAD);
    if (l->timestamp_slot >= 0)
        p = timestamp(p, &times[0]);
    bool walks = l->group_count[0] && l->group_count[1] && l->group_count[2];
    *walker_at = walks ? at + 4 * (uint32_t)(p - start) : UINT32_MAX;
    if (walks)
        p = walker(p, l, n_threads);
    /* the next load of constants or descriptors waits until all these threads have started */
    INIT(MEDIA_STATE_FLUSH, p);
    p += LENGTH(MEDIA_STATE_FLUSH);
    if (GEN ==
        70) /* practice of drivers for Ivy Bridge: results are written back after each walker */
        p = pipe_control(p, STALL | DC_FLUSH | RENDER_FLUSH | TEXTURE);
    if (l->timestamp_slot >= 0)
        p = timestamp(p, &times[1]);
    assert(p - start <= MAX_DWORDS);
    b->part[PART_COMMANDS].size = at + 4 * (uint32_t)(p - start);
    for (unsigned i = 0; i < 2; i++) {
        if (times[i])
            err =
                batch_address(b, PART_COMMANDS, at + 4 * (uint32_t)(times[i] - start), ADDRESS_SIZE,
                              TARGET_TIMES, NULL, 16 * (uint64_t)l->timestamp_slot + 8 * i, true);
        if (err)
            return err;
    }
    return 0;
}

#define OPS_NAME_(gen) state_ops_##gen
#define OPS_NAME(gen)  OPS_NAME_(gen)
const struct state_ops OPS_NAME(GEN) = {begin, end, launch, store_l3};
