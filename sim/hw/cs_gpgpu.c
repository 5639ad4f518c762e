/* Base addresses, media state and the walker: the commands from which a dispatch is put together.
 */
#include "cs.h"

bool cs_pipeline_select(struct cs *cs)
{
    unsigned pipeline = cs_get(cs, CMD_PIPELINE_SELECT_pipeline);
    if (cs->gen >= 90 && (cs_get(cs, CMD_PIPELINE_SELECT_mask) & 3) != 3) {
        if (cs_get(cs, CMD_PIPELINE_SELECT_mask) & 3)
            return cs_broken(cs, CS_pipeline_mask, 0, NULL);
        return true; /* other fields only */
    }
    if (pipeline > CMD_PIPELINE_GPGPU)
        return cs_broken(cs, CS_pipeline_code, 0, NULL);
    if (pipeline != cs->ctx->pipeline && cs->ctx->busy)
        return cs_broken(cs, CS_pipeline_busy, 0, NULL);
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
        return cs_broken(cs, CS_base_busy, 0, NULL);
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

/* Binding tables from here on stand in the pool instead of behind the surface base. */
bool cs_binding_table_pool(struct cs *cs)
{
    struct cs_base *b = &cs->ctx->tables;
    if (cs->ctx->busy)
        return cs_broken(cs, CS_table_pool_busy, 0, NULL);
    b->set = cs_get(cs, CMD_3DSTATE_BINDING_TABLE_POOL_ALLOC_enable);
    b->base = cs_addr(cs_get(cs, CMD_3DSTATE_BINDING_TABLE_POOL_ALLOC_address));
    return true;
}

bool cs_vfe_state(struct cs *cs)
{
    struct sim_context *c = cs->ctx;
    unsigned code = cs_get(cs, CMD_MEDIA_VFE_STATE_scratch_size);
    unsigned d_entries = cs->gen < 80 ? 2 : 3, d_curbe = cs->gen < 80 ? 4 : 5;
    uint32_t curbe = cs_get(cs, CMD_MEDIA_VFE_STATE_curbe_size);
    uint32_t entries = cs_get(cs, CMD_MEDIA_VFE_STATE_urb_entries);
    uint32_t threads = cs_get(cs, CMD_MEDIA_VFE_STATE_max_threads) + 1;
    uint32_t urb = c->dev->urb_kib * 1024u / 32;
    int64_t scratch = cmd_scratch_bytes(cs->gen, code);
    if (c->busy)
        return cs_broken(cs, CS_vfe_busy, 0, NULL);
    if (scratch < 0)
        return cs_broken(cs, CS_vfe_scratch, 1, "code %u", code);
    if (curbe & 1)
        return cs_broken(cs, CS_vfe_curbe_odd, d_curbe, "%u registers", curbe);
    if (curbe > c->dev->curbe_regs)
        return cs_broken(cs, CS_vfe_curbe, d_curbe, "%u registers; %s has %u", curbe, c->dev->name,
                         c->dev->curbe_regs);
    if ((uint64_t)entries * cs_get(cs, CMD_MEDIA_VFE_STATE_urb_entry_size) + curbe > urb)
        return cs_broken(cs, CS_vfe_urb, d_curbe, "%s has %u units of 32 bytes", c->dev->name, urb);
    if (cs->gen < 80 && cs_get(cs, CMD_MEDIA_VFE_STATE_gpgpu_mode) && entries)
        return cs_broken(cs, CS_vfe_entries_gpgpu, d_entries, "%u", entries);
    if (cs->gen >= 80 && !entries)
        return cs_broken(cs, CS_vfe_entries, d_entries, NULL);
    if (cs->gen < 75 && cs_get(cs, CMD_MEDIA_VFE_STATE_gateway_mmio))
        return cs_broken(cs, CS_vfe_gateway, d_entries, NULL);
    if (threads > c->dev->hw_threads)
        cs_warn(cs, CS_vfe_threads, "%u; %s has %u", threads, c->dev->name, c->dev->hw_threads);
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
        return cs_broken(cs, CS_dynamic_base, 3, NULL);
    if (b->size && (uint64_t)offset + size > b->size)
        return cs_broken(cs, CS_dynamic_bound, 3, "0x%x bytes at offset 0x%x; it has 0x%llx", size,
                         offset, (long long)b->size);
    *at = cs_addr(b->base + offset);
    return true;
}

static bool load_allowed(struct cs *cs)
{
    return !cs->ctx->undispatched || cs_broken(cs, CS_load_early, 0, NULL);
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
        return cs_broken(cs, CS_curbe_vfe, 0, NULL);
    if (!size || size & 31)
        return cs_broken(cs, CS_curbe_length, 2, "%u bytes", size);
    if (size > c->vfe.curbe_regs * 32)
        return cs_broken(cs, CS_curbe_allocated, 2, "%u bytes; %u are", size,
                         c->vfe.curbe_regs * 32);
    if (offset & 31)
        return cs_broken(cs, CS_curbe_align, 3, NULL);
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
        return cs_broken(cs, CS_descriptor_length, 2, "%u bytes", size);
    if (offset & 63)
        return cs_broken(cs, CS_descriptor_align, 3, NULL);
    if (!dynamic_range(cs, offset, size, &at) || !cs_read(cs, 3, at, c->descriptors, size))
        return false;
    c->n_descriptors = size / sizeof c->descriptors[0];
    return true;
}

bool cs_media_state_flush(struct cs *cs)
{
    cs->ctx->undispatched = false;
    return !cs_get(cs, CMD_MEDIA_STATE_FLUSH_flush_to_go) || cs_drain(cs);
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
    if (c->pipeline != CMD_PIPELINE_GPGPU)
        return cs_broken(cs, CS_walker_pipeline, 0, NULL);
    if (!c->vfe.set)
        return cs_broken(cs, CS_walker_vfe, 0, NULL);
    if (!c->vfe.gpgpu_mode)
        return cs_broken(cs, CS_walker_mode, 0, NULL);
    if (!c->n_descriptors)
        return cs_broken(cs, CS_walker_descriptors, 0, NULL);
    if (!c->general.set || !c->surface.set || !c->dynamic.set || !c->instruction.set)
        return cs_broken(cs, CS_walker_bases, 0, NULL);
    return cs_l3_check(cs);
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
        return cs_broken(cs, CS_walker_simd, walker_dw(cs, CMD_GPGPU_WALKER_simd), NULL);
    d->simd = 8u << simd;
    d->thread_max[0] = cs_get(cs, CMD_GPGPU_WALKER_thread_width_max);
    d->thread_max[1] = cs_get(cs, CMD_GPGPU_WALKER_thread_height_max);
    d->thread_max[2] = cs_get(cs, CMD_GPGPU_WALKER_thread_depth_max);
    d->right_mask = cs_get(cs, CMD_GPGPU_WALKER_right_mask);
    d->bottom_mask = cs_get(cs, CMD_GPGPU_WALKER_bottom_mask);
    uint32_t lanes = simd == 2 ? 0xffffffff : (1u << d->simd) - 1;
    if (!(d->right_mask & lanes))
        return cs_broken(cs, CS_walker_right_mask, walker_dw(cs, CMD_GPGPU_WALKER_right_mask),
                         NULL);
    if (!(d->bottom_mask & lanes))
        return cs_broken(cs, CS_walker_bottom_mask, walker_dw(cs, CMD_GPGPU_WALKER_bottom_mask),
                         NULL);
    *empty = false;
    for (unsigned i = 0; i < 3; i++) {
        d->group_start[i] = indirect ? 0 : cs_get(cs, starts[i]);
        d->group_end[i] = indirect ? reg_get(cs->ctx, regs[i]) : cs_get(cs, ends[i]);
        if (d->group_end[i] > d->group_start[i])
            continue;
        if (cs->gen < 80)
            return cs_broken(cs, CS_walker_empty, walker_dw(cs, ends[i]), "%u to %u",
                             d->group_start[i], d->group_end[i]);
        *empty = true;
    }
    if (cs->gen < 80 && (d->group_start[0] | d->group_start[1] | d->group_start[2]))
        cs_warn(cs, CS_walker_start, "%u %u %u", d->group_start[0], d->group_start[1],
                d->group_start[2]);
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
        return cs_broken(cs, CS_reserved, 1, "dword %u of the descriptor, %08x", where,
                         desc[where]);
    d->kernel = cs_addr(c->instruction.base + kernel);
    if (c->instruction.size && kernel >= c->instruction.size)
        return cs_broken(cs, CS_walker_kernel, 1, "0x%llx, it has 0x%llx", (long long)kernel,
                         (long long)c->instruction.size);
    d->sampler_state =
        cs_addr(c->dynamic.base + desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_sampler_state));
    d->binding_table = cs_addr((c->tables.set ? c->tables.base : c->surface.base) +
                               desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_binding_table));
    d->n_threads = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_n_threads);
    d->barrier = desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_barrier);
    if (slm < 0)
        return cs_broken(cs, CS_walker_slm_size, 1, NULL);
    d->slm_size = slm;
    /* Gen7 and 7.5 take 0 threads where neither barrier nor SLM need the number. */
    if (d->n_threads != n && (cs->gen >= 80 || d->n_threads || d->barrier))
        return cs_broken(cs, CS_walker_threads, 1, "%u, %u", d->n_threads, n);
    d->n_threads = n;
    if (n > c->dev->max_group_threads)
        return cs_broken(cs, CS_walker_group, walker_dw(cs, CMD_GPGPU_WALKER_thread_width_max),
                         "%u; %s has %u", n, c->dev->name, c->dev->max_group_threads);
    if ((slm > 0 && (cs->gen >= 80 || d->barrier)) && !cs_slm_enabled(c))
        return cs_broken(cs, CS_walker_slm, 1, NULL);
    if (!cs_slm_enabled(c))
        d->slm_size = 0; /* Gen7: a descriptor may ask for 4 KiB that no kernel uses */
    if (desc_get(cs, desc, CMD_INTERFACE_DESCRIPTOR_global_barrier))
        return cs_broken(cs, CS_walker_barrier, 1, NULL);
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
        return cs_broken(cs, CS_walker_registers, 1, "%u + %u; there are %u", d->cross_thread_regs,
                         d->per_thread_regs, EU_N_GRF - 1);
    uint64_t need =
        32 * ((uint64_t)d->cross_thread_regs + (uint64_t)d->per_thread_regs * d->n_threads);
    if (!length) {
        d->curbe = c->curbe;
        d->curbe_size = c->curbe_size;
        if (d->curbe_offset + need > d->curbe_size)
            return cs_broken(cs, CS_walker_constants, 1, "%llu bytes at offset %u; %u are loaded",
                             (long long)need, d->curbe_offset, d->curbe_size);
        return true;
    }
    uint64_t offset = cs_get(cs, CMD_GPGPU_WALKER_indirect_address);
    if (length & 63)
        return cs_broken(cs, CS_indirect_align, 2, "%u", length);
    if (need > length)
        return cs_broken(cs, CS_indirect_short, 2, "%u bytes; they read %llu", length,
                         (long long)need);
    if (d->cross_thread_regs && !d->per_thread_regs)
        return cs_broken(cs, CS_indirect_cross, 1, NULL);
    if (!c->indirect.set)
        return cs_broken(cs, CS_indirect_base, 3, NULL);
    if (c->indirect.size && offset + length > c->indirect.size)
        return cs_broken(cs, CS_indirect_bound, 3, "they have 0x%llx", (long long)c->indirect.size);
    if (!cs_read(cs, 3, cs_addr(c->indirect.base + offset), indirect, length))
        return false;
    d->indirect = true;
    d->curbe = indirect;
    d->curbe_size = length;
    d->curbe_offset = 0;
    return true;
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
        return cs_broken(cs, CS_walker_index, 1, "%u; %u are loaded", index, c->n_descriptors);
    if (cs_get(cs, CMD_GPGPU_WALKER_indirect_length) > sizeof indirect)
        return cs_broken(cs, CS_indirect_room, 2, NULL);
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
    return cs_start(cs, &d, d.curbe, d.curbe_size);
}
