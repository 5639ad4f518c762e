/* Base addresses, media state and the walker: the commands from which a dispatch is put together.
 */
#include "cs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool cs_pipeline_select(struct cs *cs)
{
    unsigned pipeline = cs_get(cs, CMD_PIPELINE_SELECT_pipeline);
    if (cs->gen >= 90 && (cs_get(cs, CMD_PIPELINE_SELECT_mask) & 3) != 3) {
        if (cs_get(cs, CMD_PIPELINE_SELECT_mask) & 3)
            return cs_fault(cs, 0, "the mask lets one bit of the selection through");
        return true; /* other fields only */
    }
    if (pipeline > CMD_PIPELINE_GPGPU)
        return cs_fault(cs, 0, "no such pipeline");
    if (pipeline != cs->ctx->pipeline && cs->ctx->busy)
        return cs_fault(
            cs, 0,
            "the pipeline changes while a walker may run: PIPE_CONTROL with CS stall must "
            "come before");
    cs->ctx->pipeline = pipeline;
    return true;
}

static void base_set(struct cs *cs, struct cs_base *b, enum cmd_field modify, enum cmd_field base)
{
    if (!cs_get(cs, modify))
        return;
    b->base = cs_addr(cs_get(cs, base));
    b->set = true;
}

/* Gen7, 7.5: the bound is the first page past the end, and 0 means no check. */
static void bound_set(struct cs *cs, struct cs_base *b, enum cmd_field modify, enum cmd_field bound)
{
    uint64_t end = cs_get(cs, bound);
    if (cs_get(cs, modify))
        b->size = end > b->base ? end - b->base : end ? 1 : 0;
}

static void size_set(struct cs *cs, struct cs_base *b, enum cmd_field modify, enum cmd_field size)
{
    uint64_t bytes = cs_get(cs, size);
    if (cs_get(cs, modify))
        b->size = bytes ? bytes : 1; /* nothing is inside a size of 0 */
}

bool cs_state_base_address(struct cs *cs)
{
    struct sim_context *c = cs->ctx;
    if (c->busy)
        return cs_fault(
            cs, 0,
            "base addresses change while a walker may run: PIPE_CONTROL with CS stall must "
            "come before");
    base_set(cs, &c->general, CMD_STATE_BASE_ADDRESS_general_modify,
             CMD_STATE_BASE_ADDRESS_general_base);
    base_set(cs, &c->surface, CMD_STATE_BASE_ADDRESS_surface_modify,
             CMD_STATE_BASE_ADDRESS_surface_base);
    base_set(cs, &c->dynamic, CMD_STATE_BASE_ADDRESS_dynamic_modify,
             CMD_STATE_BASE_ADDRESS_dynamic_base);
    base_set(cs, &c->indirect, CMD_STATE_BASE_ADDRESS_indirect_modify,
             CMD_STATE_BASE_ADDRESS_indirect_base);
    base_set(cs, &c->instruction, CMD_STATE_BASE_ADDRESS_instruction_modify,
             CMD_STATE_BASE_ADDRESS_instruction_base);
    if (cs->gen >= 90)
        base_set(cs, &c->bindless, CMD_STATE_BASE_ADDRESS_bindless_modify,
                 CMD_STATE_BASE_ADDRESS_bindless_base);
    if (cs->gen < 80) {
        bound_set(cs, &c->general, CMD_STATE_BASE_ADDRESS_general_bound_modify,
                  CMD_STATE_BASE_ADDRESS_general_bound);
        bound_set(cs, &c->dynamic, CMD_STATE_BASE_ADDRESS_dynamic_bound_modify,
                  CMD_STATE_BASE_ADDRESS_dynamic_bound);
        bound_set(cs, &c->indirect, CMD_STATE_BASE_ADDRESS_indirect_bound_modify,
                  CMD_STATE_BASE_ADDRESS_indirect_bound);
        bound_set(cs, &c->instruction, CMD_STATE_BASE_ADDRESS_instruction_bound_modify,
                  CMD_STATE_BASE_ADDRESS_instruction_bound);
    } else {
        size_set(cs, &c->general, CMD_STATE_BASE_ADDRESS_general_size_modify,
                 CMD_STATE_BASE_ADDRESS_general_size);
        size_set(cs, &c->dynamic, CMD_STATE_BASE_ADDRESS_dynamic_size_modify,
                 CMD_STATE_BASE_ADDRESS_dynamic_size);
        size_set(cs, &c->indirect, CMD_STATE_BASE_ADDRESS_indirect_size_modify,
                 CMD_STATE_BASE_ADDRESS_indirect_size);
        size_set(cs, &c->instruction, CMD_STATE_BASE_ADDRESS_instruction_size_modify,
                 CMD_STATE_BASE_ADDRESS_instruction_size);
    }
    return true;
}

bool cs_binding_table_pool(struct cs *cs)
{
    return !cs_get(cs, CMD_3DSTATE_BINDING_TABLE_POOL_ALLOC_enable) ||
           cs_fault(cs, 1, "binding table pools are not simulated");
}

bool cs_vfe_state(struct cs *cs)
{
    struct sim_context *c = cs->ctx;
    unsigned code = cs_get(cs, CMD_MEDIA_VFE_STATE_scratch_size);
    unsigned d_entries = cs->gen < 80 ? 2 : 3, d_curbe = cs->gen < 80 ? 4 : 5;
    uint32_t curbe = cs_get(cs, CMD_MEDIA_VFE_STATE_curbe_size);
    uint32_t entries = cs_get(cs, CMD_MEDIA_VFE_STATE_urb_entries);
    uint32_t threads = cs_get(cs, CMD_MEDIA_VFE_STATE_max_threads) + 1;
    int64_t scratch = cmd_scratch_bytes(cs->gen, code);
    if (c->busy)
        return cs_fault(
            cs, 0,
            "the media state changes while a walker may run: PIPE_CONTROL with CS stall "
            "must come before");
    if (scratch < 0)
        return cs_fault(cs, 1, "no such scratch size code %u", code);
    if (curbe & 1)
        return cs_fault(cs, d_curbe, "an odd CURBE allocation of %u registers", curbe);
    if (curbe > c->dev->curbe_regs)
        return cs_fault(cs, d_curbe, "a CURBE allocation of %u registers; %s has %u", curbe,
                        c->dev->name, c->dev->curbe_regs);
    if (cs->gen < 80 && cs_get(cs, CMD_MEDIA_VFE_STATE_gpgpu_mode) && entries)
        return cs_fault(cs, d_entries, "%u URB entries in GPGPU mode", entries);
    if (cs->gen >= 80 && !entries)
        return cs_fault(cs, d_entries, "no URB entries");
    if (cs->gen < 75 && cs_get(cs, CMD_MEDIA_VFE_STATE_gateway_mmio))
        return cs_fault(cs, d_entries,
                        "the kernel's command parser refuses MMIO through the gateway");
    if (threads > c->dev->hw_threads)
        sim_warn(c->gpu, __func__, "MEDIA_VFE_STATE at 0x%llx: %u threads; %s has %u",
                 (long long)cs->at, threads, c->dev->name, c->dev->hw_threads);
    c->vfe.set = true;
    c->vfe.gpgpu_mode = cs->gen >= 80 || cs_get(cs, CMD_MEDIA_VFE_STATE_gpgpu_mode);
    c->vfe.scratch_base = cs_get(cs, CMD_MEDIA_VFE_STATE_scratch_base);
    c->vfe.scratch_bytes = scratch;
    c->vfe.scratch_code = code;
    c->vfe.curbe_regs = curbe;
    c->vfe.max_threads = threads;
    return true;
}

/* [offset, offset + size) of the dynamic state, for dword 3 of a load. */
static bool dynamic_range(struct cs *cs, uint32_t offset, uint32_t size, gpu_addr *at)
{
    const struct cs_base *b = &cs->ctx->dynamic;
    if (!b->set)
        return cs_fault(cs, 3, "no dynamic state base address");
    if (b->size && (uint64_t)offset + size > b->size)
        return cs_fault(cs, 3, "0x%x bytes at offset 0x%x: past the dynamic state's end, 0x%llx",
                        size, offset, (long long)b->size);
    *at = cs_addr(b->base + offset);
    return true;
}

static bool load_allowed(struct cs *cs)
{
    return !cs->ctx->undispatched ||
           cs_fault(
               cs, 0,
               "the walker before may still need the old one: MEDIA_STATE_FLUSH must come before");
}

bool cs_curbe_load(struct cs *cs)
{
    struct sim_context *c = cs->ctx;
    uint32_t size = cs_get(cs, CMD_MEDIA_CURBE_LOAD_length),
             offset = cs_get(cs, CMD_MEDIA_CURBE_LOAD_address);
    gpu_addr at = 0;
    if (!load_allowed(cs))
        return false;
    if (!c->vfe.set)
        return cs_fault(cs, 0, "without MEDIA_VFE_STATE before");
    if (!size || size & 31)
        return cs_fault(cs, 2, "%u bytes: not a number of 32-byte registers", size);
    if (size > c->vfe.curbe_regs * 32)
        return cs_fault(cs, 2, "%u bytes; MEDIA_VFE_STATE allocated %u", size,
                        c->vfe.curbe_regs * 32);
    if (offset & 31)
        return cs_fault(cs, 3, "an offset that is no multiple of 32");
    if (!dynamic_range(cs, offset, size, &at) || !cs_read(cs, 3, at, c->curbe, size))
        return false;
    c->curbe_size = size;
    return true;
}

bool cs_descriptor_load(struct cs *cs)
{
    struct sim_context *c = cs->ctx;
    uint32_t size = cs_get(cs, CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD_length);
    uint32_t offset = cs_get(cs, CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD_address);
    gpu_addr at = 0;
    if (!load_allowed(cs))
        return false;
    if (!size || size % sizeof c->descriptors[0] || size > sizeof c->descriptors)
        return cs_fault(cs, 2, "%u bytes: not a number of 32-byte descriptors, 1 to %u", size,
                        CS_MAX_DESCRIPTORS);
    if (offset & 63)
        return cs_fault(cs, 3, "an offset that is no multiple of 64");
    if (!dynamic_range(cs, offset, size, &at) || !cs_read(cs, 3, at, c->descriptors, size))
        return false;
    c->n_descriptors = size / sizeof c->descriptors[0];
    return true;
}

bool cs_media_state_flush(struct cs *cs)
{
    cs->ctx->undispatched = false;
    return true;
}

/* ---- the walker ---- */
/* Dwords of GPGPU_WALKER and of a descriptor that texts name. */
static unsigned walker_dw(const struct cs *cs, enum cmd_field f)
{
    unsigned dw = 0, hi, lo;
    cmd_field_bits(cs->gen, f, &dw, &hi, &lo);
    return dw;
}

static bool walker_state(struct cs *cs)
{
    struct sim_context *c = cs->ctx;
    const char *l3 = cs_l3_wrong(c);
    if (c->pipeline != CMD_PIPELINE_GPGPU)
        return cs_fault(cs, 0, "PIPELINE_SELECT has not chosen GPGPU");
    if (!c->vfe.set)
        return cs_fault(cs, 0, "no MEDIA_VFE_STATE");
    if (!c->vfe.gpgpu_mode)
        return cs_fault(cs, 0, "MEDIA_VFE_STATE is not in GPGPU mode");
    if (!c->n_descriptors)
        return cs_fault(cs, 0, "no MEDIA_INTERFACE_DESCRIPTOR_LOAD");
    if (!c->general.set || !c->surface.set || !c->dynamic.set || !c->instruction.set)
        return cs_fault(cs, 0,
                        "STATE_BASE_ADDRESS has not set the general, surface, dynamic and "
                        "instruction base");
    if (l3)
        return cs_fault(cs, 0, "%s", l3);
    return true;
}

/* Group ids, threads and masks, from the command. */
static bool walker_geometry(struct cs *cs, struct sim_dispatch *d, bool *empty)
{
    static const enum cmd_field starts[3] = {CMD_GPGPU_WALKER_start_x, CMD_GPGPU_WALKER_start_y,
                                             CMD_GPGPU_WALKER_start_z};
    static const enum cmd_field ends[3] = {CMD_GPGPU_WALKER_end_x, CMD_GPGPU_WALKER_end_y,
                                           CMD_GPGPU_WALKER_end_z};
    static const uint32_t regs[3] = {REG_DISPATCH_X, REG_DISPATCH_Y, REG_DISPATCH_Z};
    bool indirect = cs_get(cs, CMD_GPGPU_WALKER_indirect_parameter);
    unsigned simd = cs_get(cs, CMD_GPGPU_WALKER_simd);
    if (simd > 2)
        return cs_fault(cs, walker_dw(cs, CMD_GPGPU_WALKER_simd), "no such SIMD size");
    d->simd = 8u << simd;
    d->thread_max[0] = cs_get(cs, CMD_GPGPU_WALKER_thread_width_max);
    d->thread_max[1] = cs_get(cs, CMD_GPGPU_WALKER_thread_height_max);
    d->thread_max[2] = cs_get(cs, CMD_GPGPU_WALKER_thread_depth_max);
    d->right_mask = cs_get(cs, CMD_GPGPU_WALKER_right_mask);
    d->bottom_mask = cs_get(cs, CMD_GPGPU_WALKER_bottom_mask);
    uint32_t lanes = simd == 2 ? 0xffffffff : (1u << d->simd) - 1;
    if (!(d->right_mask & lanes))
        return cs_fault(cs, walker_dw(cs, CMD_GPGPU_WALKER_right_mask),
                        "the right mask leaves threads without a lane");
    if (!(d->bottom_mask & lanes))
        return cs_fault(cs, walker_dw(cs, CMD_GPGPU_WALKER_bottom_mask),
                        "the bottom mask leaves threads without a lane");
    *empty = false;
    for (unsigned i = 0; i < 3; i++) {
        d->group_start[i] = indirect ? 0 : cs_get(cs, starts[i]);
        d->group_end[i] = indirect ? reg_get(cs->ctx, regs[i]) : cs_get(cs, ends[i]);
        if (d->group_end[i] > d->group_start[i])
            continue;
        if (cs->gen < 80)
            return cs_fault(cs, walker_dw(cs, ends[i]), "an empty range of groups, %u to %u",
                            d->group_start[i], d->group_end[i]);
        *empty = true;
    }
    if (cs->gen < 80 && (d->group_start[0] | d->group_start[1] | d->group_start[2]))
        sim_warn(cs->ctx->gpu, __func__,
                 "GPGPU_WALKER at 0x%llx starts at group %u %u %u; on this generation no driver "
                 "does that",
                 (long long)cs->at, d->group_start[0], d->group_start[1], d->group_start[2]);
    return true;
}

static uint64_t desc_get(const struct cs *cs, const uint32_t *desc, enum cmd_field f)
{
    return cmd_get(cs->gen, desc, f);
}

/* Kernel, tables, SLM, barrier and modes, from the interface descriptor. */
static bool walker_descriptor(struct cs *cs, struct sim_dispatch *d, const uint32_t *desc)
{
    struct sim_context *c = cs->ctx;
    unsigned n = (d->thread_max[0] + 1) * (d->thread_max[1] + 1) * (d->thread_max[2] + 1), where;
    uint64_t kernel = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_kernel);
    int64_t slm = cmd_slm_bytes(cs->gen, desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_slm_size));
    if (cmd_reserved(cs->gen, CMD_INTERFACE_DESCRIPTOR, desc, CS_DESCRIPTOR_DWORDS, &where))
        return cs_fault(cs, 1, "dword %u of the descriptor, %08x, has reserved bits set", where,
                        desc[where]);
    d->kernel = cs_addr(c->instruction.base + kernel);
    if (c->instruction.size && kernel >= c->instruction.size)
        return cs_fault(cs, 1,
                        "the kernel's offset 0x%llx is past the instruction space's end, 0x%llx",
                        (long long)kernel, (long long)c->instruction.size);
    d->sampler_state =
        cs_addr(c->dynamic.base + desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_sampler_state));
    d->binding_table =
        cs_addr(c->surface.base + desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_binding_table));
    d->n_threads = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_n_threads);
    d->barrier = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_barrier);
    if (slm < 0)
        return cs_fault(cs, 1, "the descriptor has no valid SLM size");
    d->slm_size = slm;
    /* Gen7 and 7.5 take 0 threads where neither barrier nor SLM need the number. */
    if (d->n_threads != n && (cs->gen >= 80 || d->n_threads || d->barrier))
        return cs_fault(cs, 1, "the descriptor has %u threads in a group, the walker %u",
                        d->n_threads, n);
    d->n_threads = n;
    if (n > c->dev->max_group_threads)
        return cs_fault(cs, walker_dw(cs, CMD_GPGPU_WALKER_thread_width_max),
                        "%u threads in a group; a subslice of %s has %u", n, c->dev->name,
                        c->dev->max_group_threads);
    if ((slm > 0 && (cs->gen >= 80 || d->barrier)) && !cs_slm_enabled(c))
        return cs_fault(cs, 1, "the descriptor asks for SLM, but the L3 split has none");
    if (!cs_slm_enabled(c))
        d->slm_size = 0; /* Gen7: a descriptor may ask for 4 KiB that no kernel uses */
    if (desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_global_barrier))
        return cs_fault(cs, 1, "global barriers are not simulated");
    d->single_program_flow = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_single_program_flow);
    d->alt_mode = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_alt_mode);
    d->denorm_mode = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_denorm_mode);
    d->rounding = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_rounding_mode);
    d->exception_enables =
        (uint32_t)desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_software_exception) << 7 |
        (uint32_t)desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_mask_stack_exception) << 11 |
        (uint32_t)desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_illegal_opcode_exception) << 13;
    return true;
}

/* Where the threads' constants come from. Indirect data is copied into the caller's buffer. */
static bool walker_payload(struct cs *cs, struct sim_dispatch *d, const uint32_t *desc,
                           uint8_t *indirect)
{
    struct sim_context *c = cs->ctx;
    uint32_t length = cs_get(cs, CMD_GPGPU_WALKER_indirect_length);
    d->cross_thread_regs = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_cross_thread_length);
    d->per_thread_regs = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_curbe_read_length);
    d->curbe_offset = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_curbe_read_offset) * 32;
    if (d->cross_thread_regs + d->per_thread_regs > EU_N_GRF - 1)
        return cs_fault(cs, 1,
                        "the descriptor wants %u + %u registers of constants; %u remain after r0",
                        d->cross_thread_regs, d->per_thread_regs, EU_N_GRF - 1);
    uint64_t need =
        32 * ((uint64_t)d->cross_thread_regs + (uint64_t)d->per_thread_regs * d->n_threads);
    if (!length) {
        d->curbe = c->curbe;
        d->curbe_size = c->curbe_size;
        if (d->curbe_offset + need > d->curbe_size)
            return cs_fault(
                cs, 1,
                "the threads read %llu bytes of constants at offset %u; MEDIA_CURBE_LOAD "
                "loaded %u",
                (long long)need, d->curbe_offset, d->curbe_size);
        return true;
    }
    uint64_t offset = cs_get(cs, CMD_GPGPU_WALKER_indirect_address);
    if (length & 63)
        return cs_fault(cs, 2, "%u bytes of indirect data: no multiple of 64", length);
    if (need > length)
        return cs_fault(cs, 2, "%u bytes of indirect data; the threads read %llu", length,
                        (long long)need);
    if (d->cross_thread_regs && !d->per_thread_regs)
        return cs_fault(cs, 1, "indirect data with cross-thread registers alone");
    if (!c->indirect.set)
        return cs_fault(cs, 3, "no indirect object base address");
    if (c->indirect.size && offset + length > c->indirect.size)
        return cs_fault(cs, 3, "past the indirect objects' end, 0x%llx",
                        (long long)c->indirect.size);
    if (!cs_read(cs, 3, cs_addr(c->indirect.base + offset), indirect, length))
        return false;
    d->indirect = true;
    d->curbe = indirect;
    d->curbe_size = length;
    d->curbe_offset = 0;
    return true;
}

static void walker_trace(const struct cs *cs, const struct sim_dispatch *d, uint64_t ns)
{
    char text[512];
    int n = snprintf(
        text, sizeof text,
        "gensim: dispatch kernel 0x%llx simd%u groups %u-%u %u-%u %u-%u threads %u slm %u%s "
        "constants %u+%u%s scratch %u: %llu instructions, %llu us\n",
        (long long)d->kernel, d->simd, d->group_start[0], d->group_end[0], d->group_start[1],
        d->group_end[1], d->group_start[2], d->group_end[2], d->n_threads, d->slm_size,
        d->barrier ? " barrier" : "", d->cross_thread_regs, d->per_thread_regs,
        d->indirect ? " indirect" : "", d->scratch_per_thread, (long long)d->n_insns,
        (long long)(ns / 1000));
    ssize_t unused = write(STDERR_FILENO, text, n);
    (void)unused;
}

static bool dispatch(struct cs *cs, struct sim_dispatch *d)
{
    struct timespec a, b;
    uint64_t limit = sim_gpu_options(cs->ctx->gpu)->insn_limit;
    if (sim_gpu_dispatch_hangs(cs->ctx->gpu))
        return cs_fault(cs, 0, "hung, because --fault asked for it");
    d->race = sim_gpu_options(cs->ctx->gpu)->check ? race_new() : NULL;
    clock_gettime(CLOCK_MONOTONIC, &a);
    bool ok = thread_dispatch(d);
    race_free(d->race);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (sim_gpu_options(cs->ctx->gpu)->trace)
        walker_trace(cs, d,
                     (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000u + (uint64_t)b.tv_nsec -
                         (uint64_t)a.tv_nsec);
    cs->n_insns += d->n_insns;
    if (ok && limit && cs->n_insns > limit)
        return cs_fault(cs, 0, "hung: more than %llu instructions in a batch", (long long)limit);
    if (!ok && !cs->fault->set)
        return cs_fault(cs, 0, "the dispatch failed without a reason");
    return ok;
}

bool cs_walker(struct cs *cs)
{
    struct sim_context *c = cs->ctx;
    uint8_t indirect[CS_MAX_CURBE +
                     4096]; /* copied, as the CURBE: both are read when the walker starts */
    struct sim_dispatch d = {.gpu = c->gpu, .vm = cs->vm, .fault = cs->fault, .stop = cs->stop};
    bool empty = false;
    if (cs_get(cs, CMD_GPGPU_WALKER_predicate) && !(reg_get(c, REG_PREDICATE_RESULT) & 1))
        return true;
    unsigned index = cs_get(cs, CMD_GPGPU_WALKER_descriptor_index);
    if (!walker_state(cs))
        return false;
    if (index >= c->n_descriptors)
        return cs_fault(cs, 1, "descriptor %u; %u are loaded", index, c->n_descriptors);
    if (cs_get(cs, CMD_GPGPU_WALKER_indirect_length) > sizeof indirect)
        return cs_fault(cs, 2, "more indirect data than the hardware has room for");
    const uint32_t *desc = c->descriptors[index];
    if (!walker_geometry(cs, &d, &empty) || !walker_descriptor(cs, &d, desc) ||
        !walker_payload(cs, &d, desc, indirect))
        return false;
    d.instruction_base = c->instruction.base;
    d.instruction_size = c->instruction.size;
    d.surface_base = c->surface.base;
    d.surface_size = c->surface.size;
    d.dynamic_base = c->dynamic.base;
    d.dynamic_size = c->dynamic.size;
    d.general_base = c->general.base;
    d.general_size = c->general.size;
    d.indirect_base = c->indirect.base;
    d.indirect_size = c->indirect.size;
    d.bindless_base = c->bindless.base;
    d.scratch_base = c->vfe.scratch_base;
    d.scratch_per_thread = c->vfe.scratch_bytes;
    d.icache = c->icache;
    c->busy = c->dirty = c->undispatched = true;
    if (empty)
        return true;
    c->invocations += (uint64_t)(d.group_end[0] - d.group_start[0]) *
                      (d.group_end[1] - d.group_start[1]) * (d.group_end[2] - d.group_start[2]) *
                      d.n_threads;
    return dispatch(cs, &d);
}
