/* PIPE_CONTROL. All memory operations happen in order here, so stalls and flushes move nothing;
 * what counts is whether a driver would be right on the hardware. The rules are rows, named as in
 * the project's hardware notes (P1 ...), after the programming notes of PIPE_CONTROL (PRM volume
 * 2a). */
#include "cs.h"

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

/* Mesa's anv breaks P6 where no walker runs (it believes to be in the 3D pipeline): works. */
static bool broken_p6_busy(const struct pc *p)
{
    return broken_p6(p) && p->ctx->busy;
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

#define ON(platform) (1u << GEN_##platform)
enum {
    GEN7 = ON(IVB) | ON(BYT),
    GEN75 = ON(HSW),
    GEN8 = ON(BDW) | ON(CHV),
    GEN9 = ON(SKL) | ON(BXT) | ON(KBL) | ON(GLK) | ON(CFL),
    ALL = GEN7 | GEN75 | GEN8 | GEN9,
};

static const struct rule {
    unsigned platforms;
    bool only_warns;
    bool (*broken)(const struct pc *p);
    const char *text;
} rules[] = {
    {GEN7 | GEN75, false, broken_p1,
     "P1: CS stall without a flush, another stall or a post-sync operation beside it"},
    /* Intel's driver does it after kernels that fence read-write images. */
    {GEN8, true, broken_p1,
     "P1: CS stall without a flush, another stall or a post-sync operation beside it"},
    {GEN7, false, broken_p2, "P2: the fourth PIPE_CONTROL in a row without CS stall"},
    {GEN7 | GEN75 | GEN8, false, broken_p3,
     "P3: state cache invalidate needs a CS stall since the last walker, or in it"},
    {GEN75, false, broken_p4,
     "P4: read-only caches are invalidated before a PIPE_CONTROL with CS stall and data cache "
     "flush"},
    {GEN8, false, broken_p5, "P5: without CS stall in GPGPU mode"},
    {GEN9, false, broken_p6_busy,
     "P6: a post-sync operation without a PIPE_CONTROL with CS stall immediately before"},
    {GEN9, true, broken_p6,
     "P6: a post-sync operation without a PIPE_CONTROL with CS stall immediately before"},
    {GEN9, false, broken_p7,
     "P7: texture cache invalidate needs a CS stall since the last walker, or in it"},
    {ALL, false, broken_p8,
     "P8: TLB invalidate needs CS stall (and before Gen8 a post-sync operation)"},
    {ALL, false, broken_p9,
     "P9: render target flush or scoreboard stall with a depth count or a time stamp"},
    {ALL, false, broken_p10,
     "P10: post-sync and LRI post-sync operation in one, or the global snapshot reset"},
    {ALL, false, broken_p11, "P11: state clear or indirect state disable needs CS stall"},
    {GEN8 | GEN9, true, broken_p12, "P12: VF cache invalidate needs a post-sync operation"},
    {GEN9, false, broken_p13, "P13: LLC flush needs an immediate write"},
    {ON(IVB), false, broken_p14, "P14: depth stall with a render target or depth flush"},
    {ALL, false, broken_p15, "P15: scoreboard stall with render target flush or depth stall"},
    {GEN7 | GEN75, false, broken_parser, "the kernel's command parser refuses these bits"},
    {GEN8 | GEN9, false, broken_user,
     "a post-sync write to the global address space or the status page in a user batch"},
};

bool cs_pipe_control(struct cs *cs)
{
    struct sim_context *ctx = cs->ctx;
    struct pc p = pc_read(cs);
    if (cs->length != cmd_length(cs->gen, CMD_PIPE_CONTROL) && cs->gen < 80)
        return cs_fault(cs, 0, "%u dwords instead of 5", cs->length);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!(rules[i].platforms & 1u << ctx->dev->platform) || !rules[i].broken(&p))
            continue;
        if (!rules[i].only_warns)
            return cs_fault(cs, 1, "%s", rules[i].text);
        sim_warn(ctx->gpu, rules[i].text, "PIPE_CONTROL %08x at 0x%llx: %s", cs->dw[1],
                 (long long)cs->at, rules[i].text);
    }
    if (p.cs_stall) {
        ctx->busy = ctx->undispatched = false;
        ctx->dirty &= !p.dc_flush;
        ctx->unstalled = 0;
    } else if (!read_only_invalidate(&p) || p.dc_flush || p.post_sync || p.render_flush) {
        ctx->unstalled++;
    }
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
