/* PIPE_CONTROL: its rules, what it waits for and what it writes. Flushes move nothing here: there
 * are no caches but that of instructions. */
#include "cs.h"

#include "observe.h"

/* The command's bits by name, and what the rules ask of the context. */
struct pc {
    bool depth_flush, scoreboard, state_inv, constant_inv, vf_inv, dc_flush, notify,
        indirect_disable, texture_inv, instruction_inv, render_flush, depth_stall, media_clear,
        tlb_inv, snapshot_reset, cs_stall, store_index, lri, global, flush_llc;
    unsigned post_sync;
    bool gpgpu;
    const struct sim_context *ctx;
};

static struct pc pc_read(const struct cs *cs)
{
    return (struct pc){
        .depth_flush = cs_get(cs, CMD_PIPE_CONTROL_depth_flush),
        .scoreboard = cs_get(cs, CMD_PIPE_CONTROL_scoreboard_stall),
        .state_inv = cs_get(cs, CMD_PIPE_CONTROL_state_invalidate),
        .constant_inv = cs_get(cs, CMD_PIPE_CONTROL_constant_invalidate),
        .vf_inv = cs_get(cs, CMD_PIPE_CONTROL_vf_invalidate),
        .dc_flush = cs_get(cs, CMD_PIPE_CONTROL_dc_flush),
        .notify = cs_get(cs, CMD_PIPE_CONTROL_notify),
        .indirect_disable = cs_get(cs, CMD_PIPE_CONTROL_indirect_state_disable),
        .texture_inv = cs_get(cs, CMD_PIPE_CONTROL_texture_invalidate),
        .instruction_inv = cs_get(cs, CMD_PIPE_CONTROL_instruction_invalidate),
        .render_flush = cs_get(cs, CMD_PIPE_CONTROL_render_flush),
        .depth_stall = cs_get(cs, CMD_PIPE_CONTROL_depth_stall),
        .media_clear = cs_get(cs, CMD_PIPE_CONTROL_media_state_clear),
        .tlb_inv = cs_get(cs, CMD_PIPE_CONTROL_tlb_invalidate),
        .snapshot_reset = cs_get(cs, CMD_PIPE_CONTROL_snapshot_reset),
        .cs_stall = cs_get(cs, CMD_PIPE_CONTROL_cs_stall),
        .store_index = cs_get(cs, CMD_PIPE_CONTROL_store_data_index),
        .lri = cs_get(cs, CMD_PIPE_CONTROL_lri_post_sync),
        .global = cs_get(cs, CMD_PIPE_CONTROL_global_gtt),
        .flush_llc = cs_get(cs, CMD_PIPE_CONTROL_flush_llc),
        .post_sync = cs_get(cs, CMD_PIPE_CONTROL_post_sync),
        .gpgpu = cs->ctx->pipeline == CMD_PIPELINE_GPGPU,
        .ctx = cs->ctx,
    };
}

static bool read_only_invalidate(const struct pc *p)
{
    return p->state_inv || p->constant_inv || p->texture_inv || p->instruction_inv;
}

static bool broken_p1(const struct pc *p)
{
    /* Mesa ends its batches of Gen7 with CS stall and indirect state disable alone: works. */
    return p->cs_stall && !(p->render_flush || p->depth_flush || p->scoreboard || p->depth_stall ||
                            p->post_sync || p->dc_flush || p->indirect_disable);
}

static bool broken_p2(const struct pc *p)
{
    return !p->cs_stall && p->ctx->unstalled >= 3;
}

static bool broken_p3(const struct pc *p)
{
    return p->state_inv && !p->cs_stall && p->ctx->busy;
}

static bool broken_p4(const struct pc *p)
{
    return read_only_invalidate(p) && p->ctx->dirty;
}

static bool broken_p5(const struct pc *p)
{
    return p->gpgpu && !p->cs_stall &&
           (p->post_sync || p->lri || p->notify || p->depth_stall || p->render_flush ||
            p->depth_flush || p->dc_flush);
}

static bool broken_p6(const struct pc *p)
{
    return p->gpgpu && p->post_sync && !p->ctx->stalled;
}

/* Mesa's anv breaks P6 where no walker runs (it believes to be in the 3D pipeline), and between
 * dependent walkers with a stall in the same command (00104020): both work. */
static bool broken_p6_busy(const struct pc *p)
{
    return broken_p6(p) && p->ctx->busy && !p->cs_stall;
}

static bool broken_p7(const struct pc *p)
{
    /* Mesa's anv invalidates after STATE_BASE_ADDRESS without a stall of its own, having stalled
     * before. */
    return p->gpgpu && p->texture_inv && !p->cs_stall && p->ctx->busy;
}

static bool broken_p8(const struct pc *p)
{
    return p->tlb_inv && (!p->cs_stall || (p->ctx->gen < 80 && !p->post_sync));
}

static bool broken_p9(const struct pc *p)
{
    return p->post_sync >= CMD_POST_SYNC_DEPTH_COUNT && (p->render_flush || p->scoreboard);
}

static bool broken_p10(const struct pc *p)
{
    return (p->post_sync && p->lri) || p->snapshot_reset;
}

static bool broken_p11(const struct pc *p)
{
    return (p->media_clear || p->indirect_disable) && !p->cs_stall;
}

static bool broken_p12(const struct pc *p)
{
    return p->vf_inv && !p->post_sync;
}

static bool broken_p13(const struct pc *p)
{
    return p->flush_llc && p->post_sync != CMD_POST_SYNC_IMMEDIATE;
}

static bool broken_p14(const struct pc *p)
{
    return p->depth_stall && (p->render_flush || p->depth_flush);
}

static bool broken_p15(const struct pc *p)
{
    return p->scoreboard && (p->render_flush || p->depth_stall);
}

static bool broken_parser(const struct pc *p)
{
    return p->lri || p->notify || ((p->global || p->store_index) && p->post_sync);
}

static bool broken_user(const struct pc *p)
{
    return (p->global || p->store_index) && p->post_sync;
}

enum { GEN70 = 1, GEN75 = 2, GEN80 = 4, GEN90 = 8, ALL = 15 };

static unsigned gen_bit(int gen)
{
    return gen == 70 ? GEN70 : gen == 75 ? GEN75 : gen == 80 ? GEN80 : GEN90;
}

static const struct {
    enum cs_rule rule;
    unsigned gens;
    bool only_warns;
    bool (*broken)(const struct pc *p);
} rules[] = {
    {CS_p1, GEN70 | GEN75, false, broken_p1},
    /* Intel's driver does it after kernels that fence read-write images. */
    {CS_p1_alone, GEN80, true, broken_p1},
    {CS_p2, GEN70, false, broken_p2},
    {CS_p3, GEN70 | GEN75 | GEN80, false, broken_p3},
    {CS_p4, GEN75, false, broken_p4},
    {CS_p5, GEN80, false, broken_p5},
    {CS_p6, GEN90, false, broken_p6_busy},
    {CS_p6_idle, GEN90, true, broken_p6},
    {CS_p7, GEN90, false, broken_p7},
    {CS_p8, ALL, false, broken_p8},
    {CS_p9, ALL, false, broken_p9},
    {CS_p10, ALL, false, broken_p10},
    {CS_p11, ALL, false, broken_p11},
    {CS_p12, GEN80 | GEN90, true, broken_p12},
    {CS_p13, GEN90, false, broken_p13},
    {CS_p14, GEN70, false, broken_p14},
    {CS_p15, ALL, false, broken_p15},
    {CS_pipe_parser, GEN70 | GEN75, false, broken_parser},
    {CS_pipe_global, GEN80 | GEN90, false, broken_user},
};

bool cs_pipe_control(struct cs *cs)
{
    struct sim_context *ctx = cs->ctx;
    struct pc p = pc_read(cs);
    if (cs->length != cmd_length(cs->gen, CMD_PIPE_CONTROL) && cs->gen < 80)
        return cs_broken(cs, CS_length, 0, "%u dwords instead of 5", cs->length);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!(rules[i].gens & gen_bit(cs->gen)) || !rules[i].broken(&p))
            continue;
        if (!rules[i].only_warns)
            return cs_broken(cs, rules[i].rule, 1, NULL);
        cs_warn(cs, rules[i].rule, "%08x", cs->dw[1]);
    }
    if (p.cs_stall && !cs_drain(cs))
        return false;
    if (p.cs_stall) {
        ctx->busy = ctx->undispatched = false;
        ctx->dirty &= !p.dc_flush;
        ctx->unstalled = 0;
    } else if (!read_only_invalidate(&p) || p.dc_flush || p.post_sync || p.render_flush) {
        ctx->unstalled++;
    }
    if (p.constant_inv && cs->race)
        race_invalid(cs->race, RACE_CONSTANT);
    if (p.texture_inv && cs->race)
        race_invalid(cs->race, RACE_TEXTURE);
    if (p.instruction_inv)
        eu_cache_drop(ctx->icache);
    if (p.media_clear) {
        ctx->vfe.set = false;
        ctx->curbe_size = 0;
        ctx->n_descriptors = 0;
    }
    if (p.lri) {
        uint32_t offset = cs_get(cs, CMD_PIPE_CONTROL_address) & 0x7ffffc;
        return reg_set(cs, 2, offset, (uint32_t)cs_get(cs, CMD_PIPE_CONTROL_immediate));
    }
    return cs_post_sync(cs, 2, p.post_sync, cs_get(cs, CMD_PIPE_CONTROL_address),
                        cs_get(cs, CMD_PIPE_CONTROL_immediate));
}
