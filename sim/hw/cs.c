/* The command streamer: fetches, names and executes the commands of a batch to its
 * MI_BATCH_BUFFER_END. What is garbage, privileged or forbidden ends the batch with a fault that
 * names the dword. */
#include "cs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sim_context *sim_context_new(struct sim_gpu *gpu)
{
    struct sim_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->gpu = gpu;
    ctx->dev = sim_gpu_device(gpu);
    ctx->gen = ctx->dev->gen;
    ctx->icache = eu_cache_new(ctx->gen, ctx->dev->quirks);
    if (!ctx->icache) {
        free(ctx);
        return NULL;
    }
    return ctx;
}

void sim_context_free(struct sim_context *ctx)
{
    if (!ctx)
        return;
    eu_cache_free(ctx->icache);
    free(ctx->regs);
    free(ctx);
}

/* ---- faults and memory ---- */
const char *cs_where(const struct cs *cs, char *buf, size_t size)
{
    snprintf(buf, size, "%s at 0x%llx (batch 0x%llx)", cs->id >= 0 ? cmd_name(cs->id) : "command",
             (long long)cs->at, (long long)cs->batch);
    return buf;
}

bool cs_fault(struct cs *cs, unsigned dword, const char *fmt, ...)
{
    char where[160], text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    sim_fault(cs->fault, "%s, dword %u = %08x: %s", cs_where(cs, where, sizeof where), dword,
              dword < CS_MAX_DWORDS ? cs->dw[dword] : 0, text);
    return false;
}

static bool page_fault(struct cs *cs, unsigned dword, gpu_addr bad, const char *what)
{
    char where[200];
    return cs_fault(cs, dword, "%s %s: page fault", what,
                    vm_describe(cs->vm, bad, where, sizeof where));
}

bool cs_read(struct cs *cs, unsigned dword, gpu_addr at, void *to, uint64_t size)
{
    gpu_addr bad;
    return vm_read(cs->vm, at, to, size, &bad) || page_fault(cs, dword, bad, "read of");
}

bool cs_write(struct cs *cs, unsigned dword, gpu_addr at, const void *from, uint64_t size)
{
    gpu_addr bad;
    return vm_write(cs->vm, at, from, size, &bad) || page_fault(cs, dword, bad, "write to");
}

bool cs_post_sync(struct cs *cs, unsigned dword, unsigned op, gpu_addr at, uint64_t immediate)
{
    uint64_t value = 0; /* the depth count of a compute context */
    if (op == CMD_POST_SYNC_NONE)
        return true;
    if (op == CMD_POST_SYNC_IMMEDIATE)
        value = immediate;
    else if (op == CMD_POST_SYNC_TIMESTAMP)
        value = sim_clock(cs->ctx->gpu) & (((uint64_t)1 << 36) - 1);
    /* A qword; bit 2 of the address is ignored. */
    return cs_write(cs, dword, cs_addr(at) & ~(gpu_addr)7, &value, sizeof value);
}

/* ---- MI commands ---- */
static bool batch_end(struct cs *cs)
{
    if (cs->second_level) {
        cs->second_level = false;
        cs->next = cs->back;
    } else {
        cs->ended = true;
    }
    return true;
}

static bool batch_start(struct cs *cs)
{
    if (cs_get(cs, CMD_MI_BATCH_BUFFER_START_predicate) &&
        !(reg_get(cs->ctx, REG_PREDICATE_RESULT) & 1))
        return true;
    if (!cs_get(cs, CMD_MI_BATCH_BUFFER_START_ppgtt))
        return cs_fault(cs, 0, "a jump in the global address space is privileged");
    if (cs_get(cs, CMD_MI_BATCH_BUFFER_START_add_offset))
        return cs_fault(cs, 0, "the batch offset register is not simulated");
    bool second = cs_get(cs, CMD_MI_BATCH_BUFFER_START_second_level);
    if (cs->gen < 80 && !second)
        return cs_fault(cs, 0,
                        "the kernel's command parser can't follow a chained batch: the batch would "
                        "run without access to the L3 registers");
    if (second && cs->second_level)
        return cs_fault(cs, 0, "there are two levels of batches, not three");
    if (second) {
        cs->second_level = true;
        cs->back = cs->next;
    }
    cs->next = cs_addr(cs_get(cs, CMD_MI_BATCH_BUFFER_START_address));
    return true;
}

static bool store_data_imm(struct cs *cs)
{
    uint64_t value = cs_get(cs, CMD_MI_STORE_DATA_IMM_immediate);
    gpu_addr at = cs_addr(cs_get(cs, CMD_MI_STORE_DATA_IMM_address));
    unsigned dword = cs->gen < 80 ? 2 : 1;
    bool qword = cs->length == 5;
    if (cs_get(cs, CMD_MI_STORE_DATA_IMM_core_mode))
        return cs_fault(cs, dword, "core mode in a user batch");
    if (cs->gen >= 80 && qword != cs_get(cs, CMD_MI_STORE_DATA_IMM_store_qword))
        return cs_fault(cs, 0, "the qword bit (21) and the length disagree");
    if (qword && at & 7)
        return cs_fault(cs, dword, "a qword at an address that is no multiple of 8");
    return cs_write(cs, dword, at, &value, qword ? 8 : 4);
}

static bool load_register_imm(struct cs *cs)
{
    unsigned disable = cs_get(cs, CMD_MI_LOAD_REGISTER_IMM_byte_disable);
    if (cs->length % 2 == 0)
        return cs_fault(cs, 0, "%u dwords: registers and values come in pairs", cs->length);
    for (unsigned i = 1; i + 1 < cs->length; i += 2) {
        uint32_t offset = cs->dw[i] & 0x7ffffc, value = cs->dw[i + 1];
        if (cs->dw[i] & ~(uint32_t)0x7ffffc)
            return cs_fault(cs, i, "not a register offset");
        for (unsigned b = 0; b < 4; b++) {
            uint32_t mask = (uint32_t)0xff << 8 * b;
            if (disable >> b & 1)
                value = (value & ~mask) | (reg_get(cs->ctx, offset) & mask);
        }
        if (!reg_set(cs, i, offset, value))
            return false;
    }
    return true;
}

static bool load_register_mem(struct cs *cs)
{
    uint32_t value;
    return cs_read(cs, 2, cs_addr(cs_get(cs, CMD_MI_LOAD_REGISTER_MEM_address)), &value, 4) &&
           reg_set(cs, 1, cs_get(cs, CMD_MI_LOAD_REGISTER_MEM_register), value);
}

static bool store_register_mem(struct cs *cs)
{
    uint32_t offset = cs_get(cs, CMD_MI_STORE_REGISTER_MEM_register);
    if (cs_get(cs, CMD_MI_STORE_REGISTER_MEM_predicate) &&
        !(reg_get(cs->ctx, REG_PREDICATE_RESULT) & 1))
        return true;
    if (!reg_allowed(cs->ctx, offset))
        return cs_fault(cs, 1, "the kernel's command parser refuses register 0x%x", offset);
    uint32_t value = reg_get(cs->ctx, offset);
    return cs_write(cs, 2, cs_addr(cs_get(cs, CMD_MI_STORE_REGISTER_MEM_address)), &value, 4);
}

static bool load_register_reg(struct cs *cs)
{
    uint32_t from = cs_get(cs, CMD_MI_LOAD_REGISTER_REG_source);
    if (!reg_allowed(cs->ctx, from))
        return cs_fault(cs, 1, "the kernel's command parser refuses register 0x%x", from);
    return reg_set(cs, 2, cs_get(cs, CMD_MI_LOAD_REGISTER_REG_destination), reg_get(cs->ctx, from));
}

static bool copy_mem_mem(struct cs *cs)
{
    uint32_t value;
    return cs_read(cs, 3, cs_addr(cs_get(cs, CMD_MI_COPY_MEM_MEM_source)), &value, 4) &&
           cs_write(cs, 1, cs_addr(cs_get(cs, CMD_MI_COPY_MEM_MEM_destination)), &value, 4);
}

static uint64_t gpr_get(struct cs *cs, unsigned n)
{
    uint32_t at = REG_GPR0 + 8 * n;
    return reg_get(cs->ctx, at) | (uint64_t)reg_get(cs->ctx, at + 4) << 32;
}

static bool gpr_set(struct cs *cs, unsigned dword, unsigned n, uint64_t value)
{
    uint32_t at = REG_GPR0 + 8 * n;
    return reg_set(cs, dword, at, (uint32_t)value) && reg_set(cs, dword, at + 4, value >> 32);
}

/* MI_MATH: a 64-bit ALU with two sources, an accumulator and two flags. */
static bool math(struct cs *cs)
{
    enum { N_GPR = 16, SRCA = 0x20, SRCB = 0x21, ACCU = 0x31, ZF = 0x32, CF = 0x33 };
    uint64_t a = 0, b = 0, accu = 0;
    bool zf = false, cf = false;
    for (unsigned i = 1; i < cs->length; i++) {
        const uint32_t *dw = &cs->dw[i];
        unsigned op = cmd_get(cs->gen, dw, CMD_MI_MATH_ALU_INSTRUCTION_opcode);
        unsigned x = cmd_get(cs->gen, dw, CMD_MI_MATH_ALU_INSTRUCTION_operand1);
        unsigned y = cmd_get(cs->gen, dw, CMD_MI_MATH_ALU_INSTRUCTION_operand2);
        uint64_t value = 0;
        switch (op) {
        case 0x000: /* noop */
            break;
        case 0x080: /* load */
        case 0x480: /* load inverted */
            if (y < N_GPR)
                value = gpr_get(cs, y);
            else if (y == ACCU)
                value = accu;
            else if (y == ZF || y == CF)
                value = (y == ZF ? zf : cf) ? ~(uint64_t)0 : 0;
            else
                return cs_fault(cs, i, "no such ALU source 0x%x", y);
            if (op == 0x480)
                value = ~value;
            goto load;
        case 0x481: /* load all ones */
            value = ~(uint64_t)0;
            goto load;
        case 0x081: /* load zero */
        load:
            if (x == SRCA)
                a = value;
            else if (x == SRCB)
                b = value;
            else
                return cs_fault(cs, i, "ALU loads go to srca (20h) or srcb (21h), not 0x%x", x);
            break;
        case 0x100:
            accu = a + b;
            cf = accu < a;
            zf = !accu;
            break;
        case 0x101:
            accu = a - b;
            cf = a < b;
            zf = !accu;
            break;
        case 0x102:
            accu = a & b;
            cf = false;
            zf = !accu;
            break;
        case 0x103:
            accu = a | b;
            cf = false;
            zf = !accu;
            break;
        case 0x104:
            accu = a ^ b;
            cf = false;
            zf = !accu;
            break;
        case 0x180: /* store */
        case 0x580: /* store inverted */
            if (x >= N_GPR)
                return cs_fault(cs, i, "ALU stores go to a general register, not 0x%x", x);
            if (y == ACCU)
                value = accu;
            else if (y == ZF || y == CF)
                value = (y == ZF ? zf : cf) ? ~(uint64_t)0 : 0;
            else
                return cs_fault(cs, i, "no such ALU result 0x%x", y);
            if (!gpr_set(cs, i, x, op == 0x580 ? ~value : value))
                return false;
            break;
        default:
            return cs_fault(cs, i, "no such ALU opcode 0x%x", op);
        }
    }
    return true;
}

static uint64_t atomic_result(unsigned op, uint64_t old, uint64_t x, uint64_t y, unsigned bits,
                              bool *known)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    int64_t so = (int64_t)((old ^ sign) - sign), sx = (int64_t)((x ^ sign) - sign);
    switch (op) {
    case 0x1:
        return old & x;
    case 0x2:
        return old | x;
    case 0x3:
        return old ^ x;
    case 0x4:
        return x;
    case 0x5:
        return old + 1;
    case 0x6:
    case 0xf:
        return old - 1;
    case 0x7:
        return old + x;
    case 0x8:
        return old - x;
    case 0x9:
        return x - old;
    case 0xa:
        return so > sx ? old : x;
    case 0xb:
        return so < sx ? old : x;
    case 0xc:
        return old > x ? old : x;
    case 0xd:
        return old < x ? old : x;
    case 0xe: /* compare and write */
        return old == x ? y : old;
    default:
        *known = false;
        return old;
    }
}

static bool mi_atomic(struct cs *cs)
{
    unsigned op = cs_get(cs, CMD_MI_ATOMIC_opcode), size = cs_get(cs, CMD_MI_ATOMIC_data_size);
    gpu_addr at = cs_addr(cs_get(cs, CMD_MI_ATOMIC_address));
    bool known = true, inline_data = cs_get(cs, CMD_MI_ATOMIC_inline_data);
    if (size > 1 || op >> 4 == 4 || (op >> 5 & 1) != size || op & ~0x2fu)
        return cs_fault(cs, 0, "atomic operation 0x%x with data size %u is not simulated", op,
                        size);
    if (inline_data != (cs->length == 11))
        return cs_fault(cs, 0, "the inline data bit (18) and the length disagree");
    unsigned bytes = size ? 8 : 4;
    uint64_t x = 0, y = 0;
    if (inline_data) {
        x = cs->dw[3] | (size ? (uint64_t)cs->dw[5] << 32 : 0);
        y = cs->dw[4] | (size ? (uint64_t)cs->dw[6] << 32 : 0);
    } else if ((op & 0xf) != 5 && (op & 0xf) != 6 && (op & 0xf) != 0xf) {
        return cs_fault(cs, 0, "atomic operands from registers are not simulated");
    }
    if (at & (bytes - 1))
        return cs_fault(cs, 1, "an address that is no multiple of %u", bytes);
    void *p = vm_ptr(cs->vm, at, bytes, true, NULL);
    if (!p)
        return page_fault(cs, 1, at, "atomic on");
    uint64_t old, new;
    if (size) {
        old = __atomic_load_n((uint64_t *)p, __ATOMIC_SEQ_CST);
        do
            new = atomic_result(op & 0xf, old, x, y, 64, &known);
        while (known && !__atomic_compare_exchange_n((uint64_t *)p, &old, new, false,
                                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    } else {
        uint32_t o = __atomic_load_n((uint32_t *)p, __ATOMIC_SEQ_CST);
        do
            new = atomic_result(op & 0xf, o, x, y, 32, &known);
        while (known && !__atomic_compare_exchange_n((uint32_t *)p, &o, (uint32_t) new, false,
                                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        old = o;
    }
    if (!known)
        return cs_fault(cs, 0, "no such atomic operation 0x%x", op);
    return !cs_get(cs, CMD_MI_ATOMIC_return_data) || gpr_set(cs, 0, 0, old);
}

static bool semaphore_true(unsigned compare, uint32_t memory, uint32_t data)
{
    switch (compare) {
    case 0:
        return memory > data;
    case 1:
        return memory >= data;
    case 2:
        return memory < data;
    case 3:
        return memory <= data;
    case 4:
        return memory == data;
    default:
        return memory != data;
    }
}

/* Polls with growing pauses; a wait that nobody ends is a hang. */
static bool semaphore_wait(struct cs *cs)
{
    enum { FIRST_PAUSE_US = 20, LONGEST_PAUSE_US = 2000, LIMIT_US = 20000000 };
    unsigned compare = cs_get(cs, CMD_MI_SEMAPHORE_WAIT_compare);
    uint32_t data = cs_get(cs, CMD_MI_SEMAPHORE_WAIT_data), value;
    gpu_addr at = cs_addr(cs_get(cs, CMD_MI_SEMAPHORE_WAIT_address));
    unsigned pause = FIRST_PAUSE_US, waited = 0;
    if (compare > 5)
        return cs_fault(cs, 0, "no such comparison %u", compare);
    if (cs_get(cs, CMD_MI_SEMAPHORE_WAIT_register_poll))
        return cs_fault(cs, 0, "register polling is not simulated");
    for (;;) {
        if (!cs_read(cs, 2, at, &value, 4))
            return false;
        if (semaphore_true(compare, value, data))
            return true;
        if (*cs->stop || waited >= LIMIT_US)
            return cs_fault(cs, 1, "hung: memory holds %08x for %u s", value, LIMIT_US / 1000000);
        usleep(pause);
        waited += pause;
        pause = pause < LONGEST_PAUSE_US ? 2 * pause : pause;
    }
}

static bool predicate(struct cs *cs)
{
    struct sim_context *ctx = cs->ctx;
    uint64_t src0 =
        reg_get(ctx, REG_PREDICATE_SRC0) | (uint64_t)reg_get(ctx, REG_PREDICATE_SRC0 + 4) << 32;
    uint64_t src1 =
        reg_get(ctx, REG_PREDICATE_SRC1) | (uint64_t)reg_get(ctx, REG_PREDICATE_SRC1 + 4) << 32;
    uint64_t data =
        reg_get(ctx, REG_PREDICATE_DATA) | (uint64_t)reg_get(ctx, REG_PREDICATE_DATA + 4) << 32;
    bool old = reg_get(ctx, REG_PREDICATE_RESULT) & 1, now = false;
    switch (cs_get(cs, CMD_MI_PREDICATE_compare)) {
    case 0:
        now = true;
        break;
    case 1:
        now = false;
        break;
    case 2:
        now = src0 == src1;
        break;
    case 3:
        now = data == src0 - src1;
        break;
    }
    switch (cs_get(cs, CMD_MI_PREDICATE_combine)) {
    case 0:
        break;
    case 1:
        now = now && old;
        break;
    case 2:
        now = now || old;
        break;
    case 3:
        now = now != old;
        break;
    }
    switch (cs_get(cs, CMD_MI_PREDICATE_load)) {
    case 0: /* keep */
        return true;
    case 2:
        return reg_set(cs, 0, REG_PREDICATE_RESULT, now);
    case 3:
        return reg_set(cs, 0, REG_PREDICATE_RESULT, !now);
    default:
        return cs_fault(cs, 0, "no such load operation");
    }
}

static bool set_predicate(struct cs *cs)
{
    unsigned mode = cs_get(cs, CMD_MI_SET_PREDICATE_predicate);
    if (mode > 7 && mode != 15)
        return cs_fault(cs, 0, "no such predicate mode %u", mode);
    cs->ctx->skip = mode;
    return true;
}

/* Whether MI_SET_PREDICATE's mode skips the current command. */
static bool skipped(const struct cs *cs)
{
    struct sim_context *ctx = cs->ctx;
    if (cs->id == CMD_MI_SET_PREDICATE || cs->id == CMD_MI_BATCH_BUFFER_END)
        return false;
    switch (ctx->skip) {
    case 1:
        return !(reg_get(ctx, REG_PREDICATE_RESULT_2) & 1);
    case 2:
        return reg_get(ctx, REG_PREDICATE_RESULT_2) & 1;
    case 3:
        return !(reg_get(ctx, REG_PREDICATE_RESULT) & 1);
    case 4:
        return reg_get(ctx, REG_PREDICATE_RESULT) & 1;
    case 5:
    case 6:
    case 7:
        return ctx->dev->slices != ctx->skip - 4;
    case 15:
        return true;
    default:
        return false;
    }
}

static bool conditional_end(struct cs *cs)
{
    uint32_t data = cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_data), value;
    if (!cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_compare))
        return cs_fault(cs, 0, "without the compare bit (21)");
    if (cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_mask_mode))
        return cs_fault(cs, 0, "compare mask mode is not simulated");
    if (!cs_read(cs, 2, cs_addr(cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_address)), &value,
                 4))
        return false;
    return value <= data ? batch_end(cs) : true;
}

static bool report_perf_count(struct cs *cs)
{
    /* The counters themselves are not simulated: id, time, zeros. */
    uint32_t report[16] = {cs_get(cs, CMD_MI_REPORT_PERF_COUNT_id),
                           (uint32_t)sim_clock(cs->ctx->gpu)};
    return cs_write(cs, 1, cs_addr(cs_get(cs, CMD_MI_REPORT_PERF_COUNT_address)), report,
                    sizeof report);
}

static bool flush_dw(struct cs *cs)
{
    unsigned op = cs_get(cs, CMD_MI_FLUSH_DW_post_sync);
    if (cs->engine != CMD_BLIT)
        return cs_fault(cs, 0, "MI_FLUSH_DW on the render engine");
    if (op == 2 || cs_get(cs, CMD_MI_FLUSH_DW_store_data_index))
        return cs_fault(cs, 0, "no such post-sync operation in a user batch");
    return cs_post_sync(cs, 1, op, cs_get(cs, CMD_MI_FLUSH_DW_address),
                        cs_get(cs, CMD_MI_FLUSH_DW_immediate));
}

static bool primitive(struct cs *cs)
{
    /* A draw of no vertices is a workaround of OpenGL drivers. */
    return cs->dw[2] == 0 || cs_fault(cs, 2, "3D draws are not simulated");
}

static bool not_simulated(struct cs *cs)
{
    return cs_fault(cs, 0, "this command is not simulated");
}

static bool privileged(struct cs *cs)
{
    return cs_fault(cs, 0, "privileged: the kernel or the hardware refuses it in a user batch");
}

/* Refused by the parser of Gen7 and 7.5, without effect in unprivileged batches later. */
static bool privileged_gen7(struct cs *cs)
{
    return cs->gen >= 80 || privileged(cs);
}

static bool nothing(struct cs *cs)
{
    return true;
}

/* What each command does. Those without a row are 3D state: skipped by length. */
static bool (*const handlers[CMD_N])(struct cs *cs) = {
    [CMD_MI_NOOP] = nothing,
    [CMD_MI_ARB_CHECK] = nothing,
    [CMD_MI_FLUSH] = nothing,
    [CMD_MI_SUSPEND_FLUSH] = nothing,
    [CMD_MI_SET_APPID] = nothing,
    [CMD_MI_CLFLUSH] = nothing,
    [CMD_MI_RS_CONTROL] = nothing,
    [CMD_MI_RS_CONTEXT] = nothing,
    [CMD_MI_RS_STORE_DATA_IMM] = not_simulated,
    [CMD_MI_TOPOLOGY_FILTER] = nothing,
    [CMD_MI_REPORT_HEAD] = privileged_gen7,
    [CMD_MI_USER_INTERRUPT] = privileged_gen7,
    [CMD_MI_WAIT_FOR_EVENT] = privileged_gen7,
    [CMD_MI_ARB_ON_OFF] = privileged_gen7,
    [CMD_MI_STORE_DATA_INDEX] = privileged_gen7,
    [CMD_MI_SEMAPHORE_MBOX] = privileged,
    [CMD_MI_SEMAPHORE_SIGNAL] = nothing,
    [CMD_MI_SET_CONTEXT] = privileged,
    [CMD_MI_DISPLAY_FLIP] = privileged,
    [CMD_MI_UPDATE_GTT] = privileged,
    [CMD_MI_LOAD_SCAN_LINES_INCL] = privileged,
    [CMD_MI_LOAD_SCAN_LINES_EXCL] = privileged,
    [CMD_MI_FORCE_WAKEUP] = privileged,
    [CMD_MI_URB_CLEAR] = not_simulated,
    [CMD_MI_URB_ATOMIC_ALLOC] = not_simulated,
    [CMD_MI_LOAD_URB_MEM] = not_simulated,
    [CMD_MI_STORE_URB_MEM] = not_simulated,
    [CMD_MI_BATCH_BUFFER_END] = batch_end,
    [CMD_MI_BATCH_BUFFER_START] = batch_start,
    [CMD_MI_CONDITIONAL_BATCH_BUFFER_END] = conditional_end,
    [CMD_MI_STORE_DATA_IMM] = store_data_imm,
    [CMD_MI_LOAD_REGISTER_IMM] = load_register_imm,
    [CMD_MI_LOAD_REGISTER_MEM] = load_register_mem,
    [CMD_MI_LOAD_REGISTER_REG] = load_register_reg,
    [CMD_MI_STORE_REGISTER_MEM] = store_register_mem,
    [CMD_MI_COPY_MEM_MEM] = copy_mem_mem,
    [CMD_MI_MATH] = math,
    [CMD_MI_ATOMIC] = mi_atomic,
    [CMD_MI_SEMAPHORE_WAIT] = semaphore_wait,
    [CMD_MI_PREDICATE] = predicate,
    [CMD_MI_SET_PREDICATE] = set_predicate,
    [CMD_MI_REPORT_PERF_COUNT] = report_perf_count,
    [CMD_MI_FLUSH_DW] = flush_dw,
    [CMD_PIPELINE_SELECT] = cs_pipeline_select,
    [CMD_STATE_BASE_ADDRESS] = cs_state_base_address,
    [CMD_3DSTATE_BINDING_TABLE_POOL_ALLOC] = cs_binding_table_pool,
    [CMD_PIPE_CONTROL] = cs_pipe_control,
    [CMD_MEDIA_VFE_STATE] = cs_vfe_state,
    [CMD_MEDIA_CURBE_LOAD] = cs_curbe_load,
    [CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD] = cs_descriptor_load,
    [CMD_MEDIA_STATE_FLUSH] = cs_media_state_flush,
    [CMD_GPGPU_WALKER] = cs_walker,
    [CMD_GPGPU_OBJECT] = not_simulated,
    [CMD_MEDIA_OBJECT] = not_simulated,
    [CMD_MEDIA_OBJECT_PRT] = not_simulated,
    [CMD_MEDIA_OBJECT_WALKER] = not_simulated,
    [CMD_MEDIA_OBJECT_GRPID] = not_simulated,
    [CMD_3DPRIMITIVE] = primitive,
    [CMD_XY_COLOR_BLT] = cs_color_blt,
    [CMD_XY_SRC_COPY_BLT] = cs_copy_blt,
    [CMD_XY_FAST_COPY_BLT] = not_simulated,
};

/* Commands whose length is not the usual one alone. */
static const struct {
    int id;
    uint16_t least, most;
} lengths[] = {
    {CMD_MI_LOAD_REGISTER_IMM, 3, 257},
    {CMD_MI_MATH, 2, 257},
    {CMD_MI_STORE_DATA_IMM, 4, 5},
    {CMD_MI_ATOMIC, 3, 11},
    {CMD_MI_CLFLUSH, 3, CS_MAX_DWORDS},
    {CMD_MI_SEMAPHORE_SIGNAL, 2, 2},
    {CMD_PIPE_CONTROL, 5, 6}, /* beignet's five dwords on Gen8: zero-extended */
    {CMD_MEDIA_OBJECT, 6, CS_MAX_DWORDS},
    {CMD_MEDIA_OBJECT_WALKER, 17, CS_MAX_DWORDS},
    {CMD_UNKNOWN_3D, 1, CS_MAX_DWORDS},
    {CMD_3DPRIMITIVE, 6, 10},
};

/* Commands with a bit that means the global address space, which user batches may not use. */
static const struct {
    int id, field;
} global_bits[] = {
    {CMD_MI_STORE_DATA_IMM, CMD_MI_STORE_DATA_IMM_global_gtt},
    {CMD_MI_LOAD_REGISTER_MEM, CMD_MI_LOAD_REGISTER_MEM_global_gtt},
    {CMD_MI_STORE_REGISTER_MEM, CMD_MI_STORE_REGISTER_MEM_global_gtt},
    {CMD_MI_COPY_MEM_MEM, CMD_MI_COPY_MEM_MEM_global_gtt_source},
    {CMD_MI_COPY_MEM_MEM, CMD_MI_COPY_MEM_MEM_global_gtt_destination},
    {CMD_MI_ATOMIC, CMD_MI_ATOMIC_global_gtt},
    {CMD_MI_SEMAPHORE_WAIT, CMD_MI_SEMAPHORE_WAIT_global_gtt},
    {CMD_MI_CONDITIONAL_BATCH_BUFFER_END, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_global_gtt},
    {CMD_MI_REPORT_PERF_COUNT, CMD_MI_REPORT_PERF_COUNT_global_gtt},
    {CMD_MI_FLUSH_DW, CMD_MI_FLUSH_DW_global_gtt},
};

/* Reserved bits that are set; but a 48-bit address may come in canonical form, bit 47 extended. */
static bool reserved(const struct cs *cs, unsigned *where)
{
    uint32_t dw[CS_MAX_DWORDS];
    memcpy(dw, cs->dw, cs->length * sizeof dw[0]);
    for (unsigned i = 2; i < cs->length && cs->gen >= 80; i++) {
        if (dw[i] >> 15 == 0x1ffff)
            dw[i] &= 0xffff;
    }
    return cmd_reserved(cs->gen, cs->id, dw, cs->length, where);
}

static bool check_form(struct cs *cs)
{
    unsigned least = cmd_length(cs->gen, cs->id), most = least, where;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        if (lengths[i].id == cs->id) {
            least = lengths[i].least;
            most = lengths[i].most;
        }
    }
    /* 3D state is skipped, whatever it is. */
    if (handlers[cs->id] && (cs->length < least || cs->length > most))
        return cs_fault(cs, 0, "%u dwords instead of %u", cs->length, least);
    for (size_t i = 0; i < sizeof global_bits / sizeof global_bits[0]; i++) {
        if (global_bits[i].id == cs->id && cs_get(cs, global_bits[i].field))
            return cs_fault(cs, 0, "the global address space is not for user batches");
    }
    if (handlers[cs->id] && cs->id != CMD_MI_LOAD_REGISTER_IMM && cs->id != CMD_MI_MATH &&
        cs->id != CMD_MI_CLFLUSH && cs->id != CMD_3DPRIMITIVE && reserved(cs, &where))
        return cs_fault(cs, where, "reserved bits are set");
    return true;
}

/* ---- the loop ---- */
/* Reads the command at cs->at: first dword, then all of it. */
static bool fetch(struct cs *cs)
{
    const char *why = NULL;
    cs->id = -1;
    cs->length = 1;
    if (cs->at & 3)
        return cs_fault(cs, 0, "the batch starts at an address that is no multiple of 4");
    if (!cs_read(cs, 0, cs->at, cs->dw, 4))
        return false;
    cs->id = cmd_identify(cs->gen, cs->engine, cs->dw, CS_MAX_DWORDS, &cs->length, &why);
    if (cs->id < 0)
        return cs_fault(cs, 0, "%s", why);
    if (!cs_read(cs, 0, cs->at, cs->dw, 4 * (uint64_t)cs->length))
        return false;
    memset(cs->dw + cs->length, 0, 16 * sizeof cs->dw[0]); /* short forms are zero-extended */
    cs->next = cs->at + 4 * (gpu_addr)cs->length;
    return true;
}

static void trace(const struct cs *cs)
{
    char text[2048];
    int n = snprintf(text, sizeof text, "gensim: 0x%llx %s", (long long)cs->at, cmd_name(cs->id));
    for (unsigned i = 0; i < cs->length && i < 24 && n < (int)sizeof text - 16; i++)
        n += snprintf(text + n, sizeof text - n, " %08x", cs->dw[i]);
    text[n++] = '\n';
    ssize_t unused = write(STDERR_FILENO, text, n);
    (void)unused;
}

bool sim_run_batch(struct sim_context *ctx, struct sim_vm *vm, int engine, gpu_addr batch,
                   const volatile int *stop, struct sim_fault *fault)
{
    bool traced = sim_gpu_options(ctx->gpu)->trace;
    struct cs *cs = malloc(sizeof *cs);
    if (!cs) {
        sim_fault(fault, "no memory to run a batch");
        return false;
    }
    memset(cs, 0, offsetof(struct cs, dw));
    cs->ctx = ctx;
    cs->vm = vm;
    cs->fault = fault;
    cs->stop = stop;
    cs->engine = engine == 1 ? CMD_BLIT : CMD_RENDER;
    cs->gen = ctx->gen;
    cs->batch = cs->next = cs_addr(batch);
    /* The kernel flushes and stalls between batches. */
    ctx->busy = ctx->dirty = ctx->undispatched = ctx->stalled = false;
    ctx->unstalled = 0;
    bool ok = true;
    while (ok && !cs->ended) {
        cs->at = cs->next;
        ok = fetch(cs);
        if (!ok)
            break;
        if (traced && cs->id != CMD_MI_NOOP)
            trace(cs);
        if (*stop) {
            ok = cs_fault(cs, 0, "stopped");
            break;
        }
        bool stalled = cs->id == CMD_PIPE_CONTROL && cs_get(cs, CMD_PIPE_CONTROL_cs_stall);
        if (skipped(cs))
            continue;
        ok = check_form(cs) && (!handlers[cs->id] || handlers[cs->id](cs));
        if (cs->id != CMD_MI_NOOP)
            ctx->stalled = stalled;
    }
    free(cs);
    return ok;
}
