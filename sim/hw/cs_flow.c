/* MI commands that decide what runs: ends and jumps of batches, predicates, semaphores. */
#include "cs.h"

#include <unistd.h>

static bool predicate_result(const struct cs *cs)
{
    return reg_get(cs->ctx, REG_PREDICATE_RESULT) & 1;
}

bool cs_batch_end(struct cs *cs)
{
    if (cs->second_level) {
        cs->second_level = false;
        cs->next = cs->back;
    } else {
        cs->ended = true;
    }
    return true;
}

bool cs_batch_start(struct cs *cs)
{
    if (cs_get(cs, CMD_MI_BATCH_BUFFER_START_predicate) && !predicate_result(cs))
        return true;
    if (!cs_get(cs, CMD_MI_BATCH_BUFFER_START_ppgtt))
        return cs_broken(cs, CS_global, 0, "a jump there");
    if (cs_get(cs, CMD_MI_BATCH_BUFFER_START_add_offset))
        return cs_broken(cs, CS_batch_offset, 0, NULL);
    bool second = cs_get(cs, CMD_MI_BATCH_BUFFER_START_second_level);
    if (cs->gen < 80 && !second)
        return cs_broken(cs, CS_batch_chain, 0, NULL);
    if (second && cs->second_level)
        return cs_broken(cs, CS_batch_levels, 0, NULL);
    if (second) {
        cs->second_level = true;
        cs->back = cs->next;
    }
    cs->next = cs_addr(cs_get(cs, CMD_MI_BATCH_BUFFER_START_address));
    return true;
}

bool cs_conditional_end(struct cs *cs)
{
    uint32_t data = cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_data), memory[2];
    bool masked = cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_mask_mode);
    gpu_addr at = cs_addr(cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_address));
    if (!cs_get(cs, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_compare))
        return cs_broken(cs, CS_conditional_end, 0, NULL);
    if (!cs_read(cs, 2, at, memory, masked ? 8 : 4))
        return false;
    /* Gen9's mask mode: a mask, then what it is applied to (PRM SKL volume 2a). */
    uint32_t value = masked ? memory[0] & memory[1] : memory[0];
    return value <= data ? cs_batch_end(cs) : true;
}

/* ---- predicates ---- */
bool cs_predicate(struct cs *cs)
{
    struct sim_context *ctx = cs->ctx;
    uint64_t src0 = reg_get64(ctx, REG_PREDICATE_SRC0), src1 = reg_get64(ctx, REG_PREDICATE_SRC1);
    bool old = predicate_result(cs), now = false;
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
        now = reg_get64(ctx, REG_PREDICATE_DATA) == src0 - src1;
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
        return cs_broken(cs, CS_predicate_load, 0, NULL);
    }
}

bool cs_set_predicate(struct cs *cs)
{
    unsigned mode = cs_get(cs, CMD_MI_SET_PREDICATE_predicate);
    if (mode > 7 && mode != 15)
        return cs_broken(cs, CS_predicate_mode, 0, "%u", mode);
    cs->ctx->skip = mode;
    return true;
}

bool cs_skipped(const struct cs *cs)
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
        return !predicate_result(cs);
    case 4:
        return predicate_result(cs);
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

/* ---- semaphores ---- */
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

/* Polls with growing pauses, whether it is to poll or to wait for a signal; a wait that nobody ends
 * is a hang. In Gen9's register mode the address is a register's. */
bool cs_semaphore_wait(struct cs *cs)
{
    enum { FIRST_PAUSE_US = 20, LONGEST_PAUSE_US = 2000, LIMIT_US = 20000000 };
    unsigned compare = cs_get(cs, CMD_MI_SEMAPHORE_WAIT_compare);
    uint32_t data = cs_get(cs, CMD_MI_SEMAPHORE_WAIT_data), value;
    gpu_addr at = cs_addr(cs_get(cs, CMD_MI_SEMAPHORE_WAIT_address));
    bool in_register = cs_get(cs, CMD_MI_SEMAPHORE_WAIT_register_poll);
    unsigned pause = FIRST_PAUSE_US, waited = 0;
    if (compare > 5)
        return cs_broken(cs, CS_semaphore_compare, 0, "%u", compare);
    if (!cs_drain(cs)) /* walkers go on meanwhile: one of them may end the wait */
        return false;
    for (;;) {
        if (in_register)
            value = reg_get(cs->ctx, at & 0x7ffffc);
        else if (!cs_read(cs, 2, at, &value, 4))
            return false;
        if (semaphore_true(compare, value, data))
            return true;
        if (*cs->stop || waited >= LIMIT_US)
            return cs_fault(cs, 1, "hung: memory holds %08x for %u s", value, waited / 1000000);
        usleep(pause);
        waited += pause;
        pause = pause < LONGEST_PAUSE_US ? 2 * pause : pause;
    }
}
