/* Registers that user batches touch. Most are only remembered; time stamps are read from the clock,
 * masked ones take the bits that their high half enables, and the L3 split wants a drained
 * pipeline. */
#include "cs.h"

#include <stdlib.h>

/* Ranges that the command parser of the kernel lets batches of Gen7 and 7.5 touch (version 10). */
static const struct {
    uint32_t first, last;
    int first_gen;
} whitelist[] = {
    {0x2290, 0x2294, 70}, {0x2300, 0x235c, 70},   {0x2400, 0x240c, 70}, {0x2420, 0x2440, 70},
    {0x2500, 0x2508, 70}, {0x4358, 0x435c, 70},   {0x5200, 0x528c, 70}, {0xb010, 0xb010, 70},
    {0xb020, 0xb024, 70}, {0x22358, 0x2235c, 70}, {0x2600, 0x267c, 75}, {0xb038, 0xb038, 75},
    {0xe49c, 0xe49c, 75}, {0x22200, 0x22200, 70},
};

static const uint32_t masked[] = {REG_INSTPM,           REG_CS_DEBUG_MODE2,   REG_CS_CHICKEN1,
                                  REG_SLICE_COMMON_ECO, REG_HSW_ROW_CHICKEN3, REG_BCS_SWCTRL};

static struct cs_reg *find(struct sim_context *ctx, uint32_t offset)
{
    for (unsigned i = 0; i < ctx->n_regs; i++) {
        if (ctx->regs[i].offset == offset)
            return &ctx->regs[i];
    }
    return NULL;
}

uint32_t reg_get(struct sim_context *ctx, uint32_t offset)
{
    switch (offset) {
    case REG_TIMESTAMP:
    case REG_CONTEXT_TIME:
        return (uint32_t)sim_clock(ctx->gpu);
    case REG_TIMESTAMP + 4:
        return sim_clock(ctx->gpu) >> 32 & 0xf;
    case REG_INVOCATIONS:
        return (uint32_t)ctx->invocations;
    case REG_INVOCATIONS + 4:
        return ctx->invocations >> 32;
    default: {
        const struct cs_reg *r = find(ctx, offset);
        return r ? r->value : 0;
    }
    }
}

uint64_t reg_get64(struct sim_context *ctx, uint32_t offset)
{
    return reg_get(ctx, offset) | (uint64_t)reg_get(ctx, offset + 4) << 32;
}

static bool is_l3(int gen, uint32_t offset)
{
    return gen >= 80
               ? offset == REG_L3CNTLREG
               : offset == REG_L3SQCREG1 || offset == REG_L3CNTLREG2 || offset == REG_L3CNTLREG3;
}

bool reg_allowed(const struct sim_context *ctx, uint32_t offset)
{
    if (ctx->gen >= 80)
        return true;
    for (size_t i = 0; i < sizeof whitelist / sizeof whitelist[0]; i++) {
        if (offset >= whitelist[i].first && offset <= whitelist[i].last &&
            ctx->gen >= whitelist[i].first_gen)
            return true;
    }
    return false;
}

/* HSW: of these two the parser lets single bits through, and from MI_LOAD_REGISTER_IMM only. */
static bool atomics_bits(const struct cs *cs, uint32_t offset, uint32_t value)
{
    const uint32_t scratch = 1u << 27, chicken = 1u << 6 | 1u << 22;
    if (offset == REG_HSW_SCRATCH1)
        return cs->id == CMD_MI_LOAD_REGISTER_IMM && !(value & ~scratch);
    return cs->id == CMD_MI_LOAD_REGISTER_IMM && !(value & ~chicken);
}

bool reg_set(struct cs *cs, unsigned dword, uint32_t offset, uint32_t value)
{
    struct sim_context *ctx = cs->ctx;
    /* MI_PREDICATE itself writes its result, which no batch may load. */
    bool locked =
        ctx->gen < 80 && sim_gpu_options(ctx->gpu)->l3_locked &&
        (is_l3(ctx->gen, offset) || offset == REG_HSW_SCRATCH1 || offset == REG_HSW_ROW_CHICKEN3);
    if (locked || (offset != REG_PREDICATE_RESULT && !reg_allowed(ctx, offset))) {
        sim_warn(ctx->gpu, __func__,
                 "LRI of register 0x%x at 0x%llx: the kernel's command parser lets no user batch "
                 "write it: "
                 "ignored",
                 offset, (long long)cs->at);
        return true;
    }
    if (cs->gen == 75 && (offset == REG_HSW_SCRATCH1 || offset == REG_HSW_ROW_CHICKEN3) &&
        !atomics_bits(cs, offset, value))
        return cs_broken(cs, CS_l3_atomics, dword, "0x%x in register 0x%x", value, offset);
    if (is_l3(cs->gen, offset) && ctx->busy)
        return cs_broken(cs, CS_l3_busy, dword, NULL);
    if (is_l3(cs->gen, offset) && ctx->dirty)
        return cs_broken(cs, CS_l3_dirty, dword, NULL);
    struct cs_reg *r = find(ctx, offset);
    if (!r) {
        if (ctx->n_regs == ctx->cap_regs) {
            unsigned n = ctx->cap_regs ? 2 * ctx->cap_regs : 32;
            struct cs_reg *p = realloc(ctx->regs, n * sizeof *p);
            if (!p)
                return cs_fault(cs, dword, "no memory");
            ctx->regs = p;
            ctx->cap_regs = n;
        }
        r = &ctx->regs[ctx->n_regs++];
        *r = (struct cs_reg){.offset = offset};
    }
    for (size_t i = 0; i < sizeof masked / sizeof masked[0]; i++) {
        if (masked[i] == offset)
            value = (r->value & ~(value >> 16)) | (value & value >> 16 & 0xffff);
    }
    r->value = value;
    return true;
}

bool cs_slm_enabled(struct sim_context *ctx)
{
    uint32_t value = reg_get(ctx, ctx->gen >= 80 ? REG_L3CNTLREG : REG_L3CNTLREG2);
    return cmd_get(ctx->gen, &value,
                   ctx->gen >= 80 ? CMD_L3CNTLREG_slm_enable : CMD_L3CNTLREG2_slm_enable);
}

/* A part of the split, in ways. */
static unsigned ways(int gen, uint32_t value, enum cmd_field f)
{
    return cmd_get(gen, &value, f);
}

bool cs_l3_check(struct cs *cs)
{
    struct sim_context *ctx = cs->ctx;
    int gen = ctx->gen;
    bool slm = cs_slm_enabled(ctx);
    if (gen >= 80) {
        uint32_t v = reg_get(ctx, REG_L3CNTLREG);
        unsigned all = ways(gen, v, CMD_L3CNTLREG_all_allocation),
                 dc = ways(gen, v, CMD_L3CNTLREG_dc_allocation);
        unsigned slm_ways = ctx->dev->platform == GEN_BDW ? 24 : ctx->dev->l3_banks == 1 ? 16 : 32;
        unsigned sum = (slm ? slm_ways : 0) + all + dc +
                       ways(gen, v, CMD_L3CNTLREG_urb_allocation) +
                       ways(gen, v, CMD_L3CNTLREG_ro_allocation);
        if (!v) /* never written: what the kernel's context image holds */
            return true;
        if (sum > 96)
            return cs_broken(cs, CS_l3_ways, 0, "%u of 96", sum);
        return all || dc || cs_broken(cs, CS_l3_no_data, 0, NULL);
    }
    uint32_t v2 = reg_get(ctx, REG_L3CNTLREG2), v3 = reg_get(ctx, REG_L3CNTLREG3),
             v1 = reg_get(ctx, REG_L3SQCREG1);
    bool byt = ctx->dev->platform == GEN_BYT;
    unsigned dc = ways(gen, v2, CMD_L3CNTLREG2_dc_allocation),
             all = ways(gen, v2, CMD_L3CNTLREG2_all_allocation);
    unsigned sum = (slm ? byt ? 32 : 16 : 0) + ways(gen, v2, CMD_L3CNTLREG2_urb_allocation) +
                   (byt ? 32 : 0) + dc + all + ways(gen, v2, CMD_L3CNTLREG2_ro_allocation) +
                   ways(gen, v3, CMD_L3CNTLREG3_is_allocation) +
                   ways(gen, v3, CMD_L3CNTLREG3_c_allocation) +
                   ways(gen, v3, CMD_L3CNTLREG3_t_allocation);
    if (!v2 && !v3)
        return true;
    if (sum > (byt ? 96u : 64u))
        return cs_broken(cs, CS_l3_ways, 0, "%u of %u", sum, byt ? 96u : 64u);
    if (!dc && !all && !ways(gen, v1, CMD_L3SQCREG1_convert_dc_uc))
        return cs_broken(cs, CS_l3_no_data, 0, "nor does L3SQCREG1 say so");
    if (slm && !byt && !ways(gen, v2, CMD_L3CNTLREG2_urb_low_bandwidth))
        return cs_broken(cs, CS_l3_low_bandwidth, 0, NULL);
    return true;
}
