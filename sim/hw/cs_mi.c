/* MI commands that move data between memory, registers and the streamer's own arithmetic. */
#include "cs.h"

bool cs_store_data_imm(struct cs *cs)
{
    uint64_t value = cs_get(cs, CMD_MI_STORE_DATA_IMM_immediate);
    gpu_addr at = cs_addr(cs_get(cs, CMD_MI_STORE_DATA_IMM_address));
    unsigned dword = cs->gen < 80 ? 2 : 1;
    bool qword = cs->length == 5;
    if (cs_get(cs, CMD_MI_STORE_DATA_IMM_core_mode))
        return cs_broken(cs, CS_store_core_mode, dword, NULL);
    if (cs->gen >= 80 && qword != cs_get(cs, CMD_MI_STORE_DATA_IMM_store_qword))
        return cs_broken(cs, CS_store_qword, 0, NULL);
    if (qword && at & 7)
        return cs_broken(cs, CS_qword_align, dword, NULL);
    return cs_write(cs, dword, at, &value, qword ? 8 : 4);
}

bool cs_load_register_imm(struct cs *cs)
{
    unsigned disable = cs_get(cs, CMD_MI_LOAD_REGISTER_IMM_byte_disable);
    if (cs->length % 2 == 0)
        return cs_broken(cs, CS_lri_pairs, 0, "%u dwords", cs->length);
    for (unsigned i = 1; i + 1 < cs->length; i += 2) {
        uint32_t offset = cs->dw[i] & 0x7ffffc, value = cs->dw[i + 1];
        if (cs->dw[i] & ~(uint32_t)0x7ffffc)
            return cs_broken(cs, CS_register_offset, i, NULL);
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

bool cs_load_register_mem(struct cs *cs)
{
    uint32_t value;
    return cs_read(cs, 2, cs_addr(cs_get(cs, CMD_MI_LOAD_REGISTER_MEM_address)), &value, 4) &&
           reg_set(cs, 1, cs_get(cs, CMD_MI_LOAD_REGISTER_MEM_register), value);
}

bool cs_store_register_mem(struct cs *cs)
{
    uint32_t offset = cs_get(cs, CMD_MI_STORE_REGISTER_MEM_register);
    if (cs_get(cs, CMD_MI_STORE_REGISTER_MEM_predicate) &&
        !(reg_get(cs->ctx, REG_PREDICATE_RESULT) & 1))
        return true;
    if (!reg_allowed(cs->ctx, offset))
        return cs_broken(cs, CS_register_parser, 1, "0x%x", offset);
    uint32_t value = reg_get(cs->ctx, offset);
    return cs_write(cs, 2, cs_addr(cs_get(cs, CMD_MI_STORE_REGISTER_MEM_address)), &value, 4);
}

bool cs_load_register_reg(struct cs *cs)
{
    uint32_t from = cs_get(cs, CMD_MI_LOAD_REGISTER_REG_source);
    if (!reg_allowed(cs->ctx, from))
        return cs_broken(cs, CS_register_parser, 1, "0x%x", from);
    return reg_set(cs, 2, cs_get(cs, CMD_MI_LOAD_REGISTER_REG_destination), reg_get(cs->ctx, from));
}

bool cs_copy_mem_mem(struct cs *cs)
{
    uint32_t value;
    return cs_read(cs, 3, cs_addr(cs_get(cs, CMD_MI_COPY_MEM_MEM_source)), &value, 4) &&
           cs_write(cs, 1, cs_addr(cs_get(cs, CMD_MI_COPY_MEM_MEM_destination)), &value, 4);
}

static bool gpr_set(struct cs *cs, unsigned dword, unsigned n, uint64_t value)
{
    uint32_t at = REG_GPR0 + 8 * n;
    return reg_set(cs, dword, at, (uint32_t)value) && reg_set(cs, dword, at + 4, value >> 32);
}

/* ---- MI_MATH ---- */
/* The ALU: two sources, an accumulator and two flags, all of 64 bits. */
struct alu {
    uint64_t a, b, accu;
    bool zf, cf;
};

enum { ALU_N_GPR = 16, ALU_SRCA = 0x20, ALU_SRCB, ALU_ACCU = 0x31, ALU_ZF, ALU_CF };

/* The accumulator or a flag, which reads as all ones. */
static bool alu_result(const struct alu *alu, unsigned operand, uint64_t *value)
{
    if (operand < ALU_ACCU || operand > ALU_CF)
        return false;
    *value = operand == ALU_ACCU                       ? alu->accu
             : (operand == ALU_ZF ? alu->zf : alu->cf) ? ~(uint64_t)0
                                                       : 0;
    return true;
}

static bool alu_load(struct cs *cs, unsigned i, struct alu *alu, unsigned to, uint64_t value)
{
    if (to != ALU_SRCA && to != ALU_SRCB)
        return cs_broken(cs, CS_alu_load, i, "0x%x", to);
    *(to == ALU_SRCA ? &alu->a : &alu->b) = value;
    return true;
}

static bool alu_load_source(struct cs *cs, unsigned i, struct alu *alu, unsigned to, unsigned from,
                            bool invert)
{
    uint64_t value = 0;
    if (from < ALU_N_GPR)
        value = reg_get64(cs->ctx, REG_GPR0 + 8 * from);
    else if (!alu_result(alu, from, &value))
        return cs_broken(cs, CS_alu_source, i, "0x%x", from);
    return alu_load(cs, i, alu, to, invert ? ~value : value);
}

static bool alu_store(struct cs *cs, unsigned i, const struct alu *alu, unsigned to, unsigned from,
                      bool invert)
{
    uint64_t value = 0;
    if (to >= ALU_N_GPR)
        return cs_broken(cs, CS_alu_store, i, "0x%x", to);
    if (!alu_result(alu, from, &value))
        return cs_broken(cs, CS_alu_result, i, "0x%x", from);
    return gpr_set(cs, i, to, invert ? ~value : value);
}

static bool alu_set(struct alu *alu, uint64_t accu, bool carry)
{
    alu->accu = accu;
    alu->zf = !accu;
    alu->cf = carry;
    return true;
}

static bool alu_step(struct cs *cs, unsigned i, struct alu *alu)
{
    const uint32_t *dw = &cs->dw[i];
    unsigned op = cmd_get(cs->gen, dw, CMD_MI_MATH_ALU_INSTRUCTION_opcode);
    unsigned x = cmd_get(cs->gen, dw, CMD_MI_MATH_ALU_INSTRUCTION_operand1);
    unsigned y = cmd_get(cs->gen, dw, CMD_MI_MATH_ALU_INSTRUCTION_operand2);
    uint64_t a = alu->a, b = alu->b;
    switch (op) {
    case 0x000: /* noop */
        return true;
    case 0x080: /* load */
    case 0x480: /* load inverted */
        return alu_load_source(cs, i, alu, x, y, op == 0x480);
    case 0x081: /* load zero */
        return alu_load(cs, i, alu, x, 0);
    case 0x481: /* load all ones */
        return alu_load(cs, i, alu, x, ~(uint64_t)0);
    case 0x100:
        return alu_set(alu, a + b, a + b < a);
    case 0x101:
        return alu_set(alu, a - b, a < b);
    case 0x102:
        return alu_set(alu, a & b, false);
    case 0x103:
        return alu_set(alu, a | b, false);
    case 0x104:
        return alu_set(alu, a ^ b, false);
    case 0x180: /* store */
    case 0x580: /* store inverted */
        return alu_store(cs, i, alu, x, y, op == 0x580);
    default:
        return cs_broken(cs, CS_alu_opcode, i, "0x%x", op);
    }
}

bool cs_math(struct cs *cs)
{
    struct alu alu = {0};
    for (unsigned i = 1; i < cs->length; i++) {
        if (!alu_step(cs, i, &alu))
            return false;
    }
    return true;
}

/* ---- MI_ATOMIC ---- */
enum { ATOMIC_LAST = 0xf, ATOMIC_QWORD = 0x20, ATOMIC_CMP128 = 0x4e };

static uint64_t atomic_result(unsigned op, uint64_t old, uint64_t x, uint64_t y, unsigned bits)
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
    case 0xf: /* predecrement */
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
    default: /* 0xe: compare and write */
        return old == x ? y : old;
    }
}

static uint64_t atomic_32(uint32_t *p, unsigned op, uint32_t x, uint32_t y)
{
    uint32_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST), now;
    do
        now = (uint32_t)atomic_result(op, old, x, y, 32);
    while (!__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}

static uint64_t atomic_64(uint64_t *p, unsigned op, uint64_t x, uint64_t y)
{
    uint64_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST), now;
    do
        now = atomic_result(op, old, x, y, 64);
    while (!__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}

/* 16 bytes: no host instruction is taken for granted, so one after the other under a lock; other
 * accesses to the same memory may come in between. */
static void atomic_128(uint64_t *p, const uint64_t x[2], const uint64_t y[2], uint64_t old[2])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < 2; i++)
        old[i] = __atomic_load_n(&p[i], __ATOMIC_SEQ_CST);
    if (old[0] == x[0] && old[1] == x[1]) {
        for (unsigned i = 0; i < 2; i++)
            __atomic_store_n(&p[i], y[i], __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&lock);
}

bool cs_atomic(struct cs *cs)
{
    unsigned op = cs_get(cs, CMD_MI_ATOMIC_opcode), size = cs_get(cs, CMD_MI_ATOMIC_data_size);
    gpu_addr at = cs_addr(cs_get(cs, CMD_MI_ATOMIC_address));
    bool inline_data = cs_get(cs, CMD_MI_ATOMIC_inline_data);
    unsigned kind = op & 0xf, bytes = 4u << size;
    bool right = size == 2 ? op == ATOMIC_CMP128
                           : op - (size ? ATOMIC_QWORD : 0) - 1 < ATOMIC_LAST && size < 3;
    if (!right)
        return cs_broken(cs, CS_atomic_operation, 0, "operation 0x%x, size code %u", op, size);
    if (inline_data != (cs->length == 11))
        return cs_broken(cs, CS_atomic_length, 0, NULL);
    if (!inline_data && kind != 0x5 && kind != 0x6 && kind != 0xf)
        return cs_broken(cs, CS_atomic_registers, 0, NULL);
    if (at & (bytes - 1))
        return cs_broken(cs, CS_atomic_align, 1, NULL);
    if (cs_get(cs, CMD_MI_ATOMIC_post_sync) && !cs_drain(cs))
        return false;
    uint64_t run, old[2] = {0}, x[2], y[2];
    void *p = vm_ptr(cs->vm, at, bytes, true, &run);
    if (!p) { /* aligned, so not across pages: a fault */
        uint8_t none[16] = {0};
        return cs_write(cs, 1, at, none, bytes);
    }
    for (unsigned i = 0; i < 2; i++) {
        x[i] = cs->dw[3 + 4 * i] | (uint64_t)cs->dw[5 + 4 * i] << 32;
        y[i] = cs->dw[4 + 4 * i] | (uint64_t)cs->dw[6 + 4 * i] << 32;
    }
    if (size == 2)
        atomic_128(p, x, y, old);
    else if (size == 1)
        old[0] = atomic_64(p, kind, x[0], y[0]);
    else
        old[0] = atomic_32(p, kind, (uint32_t)x[0], (uint32_t)y[0]);
    return !cs_get(cs, CMD_MI_ATOMIC_return_data) ||
           (gpr_set(cs, 0, 0, old[0]) && (size < 2 || gpr_set(cs, 0, 1, old[1])));
}

/* ---- reports and flushes ---- */
bool cs_report_perf_count(struct cs *cs)
{
    /* The counters themselves are not simulated: id, time, zeros. */
    uint32_t report[16] = {cs_get(cs, CMD_MI_REPORT_PERF_COUNT_id),
                           (uint32_t)sim_clock(cs->ctx->gpu)};
    return cs_write(cs, 1, cs_addr(cs_get(cs, CMD_MI_REPORT_PERF_COUNT_address)), report,
                    sizeof report);
}

bool cs_flush_dw(struct cs *cs)
{
    unsigned op = cs_get(cs, CMD_MI_FLUSH_DW_post_sync);
    if (cs->engine != CMD_BLIT)
        return cs_broken(cs, CS_flush_engine, 0, NULL);
    if (op == CMD_POST_SYNC_DEPTH_COUNT || cs_get(cs, CMD_MI_FLUSH_DW_store_data_index))
        return cs_broken(cs, CS_flush_post_sync, 0, NULL);
    return cs_post_sync(cs, 1, op, cs_get(cs, CMD_MI_FLUSH_DW_address),
                        cs_get(cs, CMD_MI_FLUSH_DW_immediate));
}
