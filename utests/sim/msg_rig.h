/* A thread made by hand, with surfaces in a small address space, to execute single messages on. */
#ifndef UTESTS_SIM_MSG_RIG_H
#define UTESTS_SIM_MSG_RIG_H

#include "gen/cmd.h"
#include "gen/format.h"
#include "gen/msg.h"
#include "sim/hw/hw.h"

#include "utest.h"

/* Each file uses a part of it. */
#define RIG static __attribute__((unused))

enum {
    PAGES = 16 * 4096,
    DATA = 0x100000,   /* the buffer: PAGES mapped */
    OTHER = 0x110000,  /* behind it, another object */
    RO = 0x130000,     /* a read-only page */
    STATES = 0x200000, /* binding table and surface states */
    SLM = 4096,
    BTI_RAW = 0,
    BTI_SHORT = 1,
    BTI_NULL = 2,
    BTI_IMAGE = 3,
    BTI_TYPED = 4,
    BTI_RO = 5,
    BTI_ALL = 6,
    BTI_UNMAPPED = 7,
    BTI_ODD = 8,
    SHORT_SIZE = 100
};

static struct {
    const struct gen_device *dev;
    int gen;
    struct sim_gpu *gpu;
    struct sim_vm *vm;
    struct sim_dispatch d;
    struct sim_fault fault;
    struct sim_group g;
    struct eu_thread *t;
    uint8_t *data, *other, *ro, *states, slm[SLM];
} f;

/* An empty surface state; put_surface() makes it that of a binding table index. */
RIG void new_surface(uint32_t dw[16])
{
    memset(dw, 0, 64);
    cmd_init(f.gen, CMD_SURFACE_STATE, dw);
}

RIG void put_surface(unsigned bti, const uint32_t *dw)
{
    uint32_t offset = 0x1000 + bti * 64;
    memcpy(f.states + offset, dw, 4 * cmd_length(f.gen, CMD_SURFACE_STATE));
    memcpy(f.states + 4 * bti, &offset, 4);
}

RIG void add_surface(unsigned bti, unsigned type, unsigned format, gpu_addr base, uint64_t entries,
                     unsigned pitch)
{
    uint32_t dw[16];
    new_surface(dw);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_type, type);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_format, format);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_address, base);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_width, (entries - 1) & 0x7f);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_height, (entries - 1) >> 7 & 0x3fff);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_depth, (entries - 1) >> 21);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_pitch, pitch - 1);
    put_surface(bti, dw);
}

/* An image in the rig's terms: sizes as they are, tiling as CMD_TILE_*. */
struct rig_image {
    unsigned type, format, tiling;
    bool array;
    unsigned width, height, depth;     /* 0 counts as 1 */
    unsigned pitch, qpitch;            /* bytes; rows (Gen9 1D: texels) */
    unsigned min_element, view_extent; /* view_extent 0: depth */
    unsigned mip_count, min_lod;
    bool full_spacing; /* Gen7, 7.5: slices leave room for levels */
    gpu_addr base;
};

RIG void fill_image(uint32_t dw[16], const struct rig_image *i)
{
    unsigned depth = i->depth ? i->depth : 1;
    new_surface(dw);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_type, i->type);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_format, i->format);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_array, i->array);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_address, i->base);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_width, i->width - 1);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_height, i->height ? i->height - 1 : 0);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_depth, depth - 1);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_pitch, i->pitch - 1);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_view_extent,
            (i->view_extent ? i->view_extent : depth) - 1);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_min_array_element, i->min_element);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_mip_count, i->mip_count);
    cmd_set(f.gen, dw, CMD_SURFACE_STATE_min_lod, i->min_lod);
    if (f.gen >= 80) {
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_tile_mode, i->tiling);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_halign, 1);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_valign, 1);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_qpitch, i->qpitch / 4);
    } else {
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_tiled_surface, i->tiling != CMD_TILE_LINEAR);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_tile_walk, i->tiling == CMD_TILE_Y);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_array_spacing_lod0, !i->full_spacing);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_valign, 1); /* 4 rows, as on the others */
    }
    if (f.gen >= 75) {
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_red, CMD_SELECT_R);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_green, CMD_SELECT_G);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_blue, CMD_SELECT_B);
        cmd_set(f.gen, dw, CMD_SURFACE_STATE_select_alpha, CMD_SELECT_A);
    }
}

RIG void setup(const char *device)
{
    static const struct sim_options opt = {.n_host_threads = 1};
    memset(&f, 0, sizeof f);
    f.dev = gen_device_by_name(device);
    REQUIRE(f.dev);
    f.gen = f.dev->gen;
    f.gpu = sim_gpu_new(f.dev, &opt);
    f.vm = vm_new(f.dev->address_bits);
    f.data = aligned_alloc(4096, PAGES);
    f.other = aligned_alloc(4096, PAGES);
    f.ro = aligned_alloc(4096, 4096);
    f.states = aligned_alloc(4096, 8192);
    f.t = aligned_alloc(64, (sizeof *f.t + 63) / 64 * 64);
    REQUIRE(f.gpu && f.vm && f.data && f.other && f.ro && f.states && f.t);
    memset(f.t, 0, sizeof *f.t);
    memset(f.states, 0, 8192);
    REQUIRE(vm_map(f.vm, DATA, f.data, PAGES, true, 1) &&
            vm_map(f.vm, OTHER, f.other, PAGES, true, 2));
    REQUIRE(vm_map(f.vm, RO, f.ro, 4096, false, 3) &&
            vm_map(f.vm, STATES, f.states, 8192, false, 4));
    add_surface(BTI_RAW, 4, 0x1ff, DATA, PAGES, 1);
    add_surface(BTI_SHORT, 4, 0x1ff, DATA, SHORT_SIZE, 1);
    add_surface(BTI_NULL, 7, 0, 0, 1, 1);
    add_surface(BTI_IMAGE, 1, 0, DATA, 1, 1);
    add_surface(BTI_TYPED, 4, 2, DATA, 16, 16); /* R32G32B32A32_UINT */
    add_surface(BTI_RO, 4, 0x1ff, RO, 4096, 1);
    add_surface(BTI_ALL, 4, 0x1ff, 0, 1u << 30, 1);
    add_surface(BTI_UNMAPPED, 4, 0x1ff, 0x700000, 4096, 1);
    add_surface(BTI_ODD, 4, 0x1ff, DATA, 99, 1);
    f.d = (struct sim_dispatch){.gpu = f.gpu,
                                .vm = f.vm,
                                .fault = &f.fault,
                                .surface_base = STATES,
                                .binding_table = STATES,
                                .general_base = 0,
                                .slm_size = SLM,
                                .scratch_per_thread = 1024,
                                .barrier = true,
                                .n_threads = 1};
    f.g = (struct sim_group){.d = &f.d,
                             .slm = f.slm,
                             .n_threads = 1,
                             .threads = f.t,
                             .n_slots = 1,
                             .slm_index = 5,
                             .barrier_id = 3};
    f.t->d = &f.d;
    f.t->group = &f.g;
    f.t->sr0[1] = 5 << 8;
    REQUIRE(msg_dispatch_begin(&f.d));
    for (unsigned i = 0; i < PAGES; i++) {
        f.data[i] = i * 7 + (i >> 8);
        f.other[i] = i * 5 + 1;
    }
    for (unsigned i = 0; i < SLM; i++)
        f.slm[i] = i * 3;
    memset(f.ro, 0x42, 4096);
}

RIG void teardown(void)
{
    msg_dispatch_end(&f.d);
    vm_free(f.vm);
    sim_gpu_free(f.gpu);
    free(f.data);
    free(f.other);
    free(f.ro);
    free(f.states);
    free(f.t);
}

/* Makes the dispatch forget the surfaces it has seen. */
RIG void forget_surfaces(void)
{
    msg_dispatch_end(&f.d);
    REQUIRE(msg_dispatch_begin(&f.d));
}

RIG void add_image(unsigned bti, struct rig_image i)
{
    uint32_t dw[16];
    fill_image(dw, &i);
    put_surface(bti, dw);
    forget_surfaces();
}

RIG uint32_t at32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

RIG uint64_t at64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

RIG _Alignas(64) uint32_t payload[32][8], resp[16][8];
RIG const uint32_t untouched = 0xeeeeeeee; /* what resp holds before a message */

/* Packs, unpacks and executes; the response is preset to 0xee. */
RIG bool run_exdesc(struct msg m, uint32_t lanes, uint32_t exdesc)
{
    uint32_t desc;
    uint8_t sfid;
    const char *why = "";
    unsigned mlen, rlen;
    if (msg_lengths(&m, &mlen, &rlen)) {
        m.mlen = mlen;
        m.rlen = rlen;
    }
    bool ok = msg_pack(f.gen, &m, &desc, &sfid, &why);
    CHECKF(ok, "gen %d %s doesn't pack: %s", f.gen, msg_name(m.kind), why);
    ok = ok && msg_unpack(f.gen, sfid, desc, 0, &m, &why);
    CHECK(ok);
    if (!ok)
        return false;
    struct eu_insn in = {.op = EU_OP_send, .exec_size = 16, .fn = sfid, .desc = desc};
    in.eot = m.kind == MSG_end_thread;
    memset(resp, 0xee, sizeof resp);
    memset(&f.fault, 0, sizeof f.fault);
    return msg_execute(f.t, &in, &m, exdesc, lanes, (const uint8_t *)payload, (uint8_t *)resp);
}

RIG bool run(struct msg m, uint32_t lanes)
{
    return run_exdesc(m, lanes, 0);
}

RIG void must(struct msg m, uint32_t lanes)
{
    bool ok = run(m, lanes);
    CHECKF(ok, "gen %d %s: %s", f.gen, msg_name(m.kind), f.fault.text);
}

/* The message is a fault whose text holds `part`. */
RIG void must_fault(struct msg m, uint32_t lanes, const char *part)
{
    bool ok = run(m, lanes);
    CHECKF(!ok && f.fault.set && strstr(f.fault.text, part), "gen %d %s: \"%s\", not \"%s\"", f.gen,
           msg_name(m.kind), ok ? "executed" : f.fault.text, part);
}

RIG void header(unsigned lane_mask)
{
    memset(payload[0], 0, sizeof payload[0]);
    payload[0][7] = lane_mask;
}

RIG void offsets(unsigned reg, unsigned n, uint32_t first, uint32_t step)
{
    for (unsigned i = 0; i < n; i++)
        ((uint32_t *)payload[reg])[i] = first + i * step;
}

RIG uint32_t resp32(unsigned i)
{
    return ((uint32_t *)resp)[i];
}

#endif
