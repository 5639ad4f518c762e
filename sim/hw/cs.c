/* The command streamer: fetches, names and executes the commands of a batch to its
 * MI_BATCH_BUFFER_END. What is garbage, privileged or forbidden ends the batch with a fault that
 * names the dword and the rule (cs_rule.def). */
#include "cs.h"

#include "observe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *text;
} rules[CS_N_RULES] = {
#define CS_RULE(name, first, last, text) {#name, text},
#define CS_WARN(name, first, last, text) {#name, text},
#include "cs_rule.def"
#undef CS_RULE
#undef CS_WARN
};

const char *cs_rule_name(enum cs_rule rule)
{
    return rules[rule].name;
}

const char *cs_rule_text(enum cs_rule rule)
{
    return rules[rule].text;
}

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

static bool fault_text(struct cs *cs, unsigned dword, const char *text)
{
    char where[160];
    sim_fault(cs->fault, "%s, dword %u = %08x: %s", cs_where(cs, where, sizeof where), dword,
              dword < CS_MAX_DWORDS ? cs->dw[dword] : 0, text);
    return false;
}

bool cs_fault(struct cs *cs, unsigned dword, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return fault_text(cs, dword, text);
}

bool cs_broken(struct cs *cs, enum cs_rule rule, unsigned dword, const char *fmt, ...)
{
    char detail[400] = "", text[700];
    va_list ap;
    va_start(ap, fmt);
    if (fmt)
        vsnprintf(detail, sizeof detail, fmt, ap);
    va_end(ap);
    snprintf(text, sizeof text, "%s%s%s [%s]", rules[rule].text, *detail ? ": " : "", detail,
             rules[rule].name);
    return fault_text(cs, dword, text);
}

void cs_warn(struct cs *cs, enum cs_rule rule, const char *fmt, ...)
{
    char where[160], detail[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(detail, sizeof detail, fmt, ap);
    va_end(ap);
    sim_warn(cs->ctx->gpu, rules[rule].name, "%s: %s: %s [%s]", cs_where(cs, where, sizeof where),
             rules[rule].text, detail, rules[rule].name);
}

static bool page_fault(struct cs *cs, unsigned dword, gpu_addr bad, const char *what)
{
    char where[200];
    return cs_broken(cs, CS_memory, dword, "%s %s", what,
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

/* ---- commands of other kinds ---- */
static bool primitive(struct cs *cs)
{
    /* A draw of no vertices is a workaround of OpenGL drivers. */
    return cs->dw[2] == 0 || cs_broken(cs, CS_not_compute, 2, "a draw");
}

static bool not_compute(struct cs *cs)
{
    return cs_broken(cs, CS_not_compute, 0, NULL);
}

static bool privileged(struct cs *cs)
{
    return cs_broken(cs, CS_privileged, 0, NULL);
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
    [CMD_MI_RS_STORE_DATA_IMM] = not_compute,
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
    [CMD_MI_URB_CLEAR] = not_compute,
    [CMD_MI_URB_ATOMIC_ALLOC] = not_compute,
    [CMD_MI_LOAD_URB_MEM] = not_compute,
    [CMD_MI_STORE_URB_MEM] = not_compute,
    [CMD_MI_BATCH_BUFFER_END] = cs_batch_end,
    [CMD_MI_BATCH_BUFFER_START] = cs_batch_start,
    [CMD_MI_CONDITIONAL_BATCH_BUFFER_END] = cs_conditional_end,
    [CMD_MI_STORE_DATA_IMM] = cs_store_data_imm,
    [CMD_MI_LOAD_REGISTER_IMM] = cs_load_register_imm,
    [CMD_MI_LOAD_REGISTER_MEM] = cs_load_register_mem,
    [CMD_MI_LOAD_REGISTER_REG] = cs_load_register_reg,
    [CMD_MI_STORE_REGISTER_MEM] = cs_store_register_mem,
    [CMD_MI_COPY_MEM_MEM] = cs_copy_mem_mem,
    [CMD_MI_MATH] = cs_math,
    [CMD_MI_ATOMIC] = cs_atomic,
    [CMD_MI_SEMAPHORE_WAIT] = cs_semaphore_wait,
    [CMD_MI_PREDICATE] = cs_predicate,
    [CMD_MI_SET_PREDICATE] = cs_set_predicate,
    [CMD_MI_REPORT_PERF_COUNT] = cs_report_perf_count,
    [CMD_MI_FLUSH_DW] = cs_flush_dw,
    [CMD_PIPELINE_SELECT] = cs_pipeline_select,
    [CMD_STATE_BASE_ADDRESS] = cs_state_base_address,
    [CMD_3DSTATE_BINDING_TABLE_POOL_ALLOC] = cs_binding_table_pool,
    [CMD_PIPE_CONTROL] = cs_pipe_control,
    [CMD_MEDIA_VFE_STATE] = cs_vfe_state,
    [CMD_MEDIA_CURBE_LOAD] = cs_curbe_load,
    [CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD] = cs_descriptor_load,
    [CMD_MEDIA_STATE_FLUSH] = cs_media_state_flush,
    [CMD_GPGPU_WALKER] = cs_walker,
    [CMD_GPGPU_OBJECT] = not_compute,
    [CMD_MEDIA_OBJECT] = not_compute,
    [CMD_MEDIA_OBJECT_PRT] = not_compute,
    [CMD_MEDIA_OBJECT_WALKER] = not_compute,
    [CMD_MEDIA_OBJECT_GRPID] = not_compute,
    [CMD_MEDIA_POOL_STATE] = nothing,
    [CMD_STATE_SIP] = nothing,
    [CMD_GPGPU_CSR_BASE_ADDRESS] = nothing,
    [CMD_STATE_PREFETCH] = nothing,
    [CMD_SWTESS_BASE_ADDRESS] = nothing,
    [CMD_3DPRIMITIVE] = primitive,
    [CMD_XY_COLOR_BLT] = cs_color_blt,
    [CMD_XY_SRC_COPY_BLT] = cs_copy_blt,
    [CMD_XY_FAST_COPY_BLT] = cs_fast_copy_blt,
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

/* Commands of which only the first dword has one meaning. */
static const enum cmd_id loose[] = {
    CMD_MI_LOAD_REGISTER_IMM, CMD_MI_MATH,        CMD_MI_CLFLUSH,         CMD_3DPRIMITIVE,
    CMD_MEDIA_POOL_STATE,     CMD_STATE_PREFETCH, CMD_SWTESS_BASE_ADDRESS};

/* Reserved bits that are set; but a 48-bit address may come in canonical form, bit 47 extended. */
static bool reserved(const struct cs *cs, unsigned *where)
{
    uint32_t dw[CS_MAX_DWORDS];
    unsigned n = cs->length;
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; i++)
        n = (int)loose[i] == cs->id ? 1 : n;
    memcpy(dw, cs->dw, n * sizeof dw[0]);
    for (unsigned i = 2; i < n && cs->gen >= 80; i++) {
        if (dw[i] >> 15 == 0x1ffff)
            dw[i] &= 0xffff;
    }
    return cmd_reserved(cs->gen, cs->id, dw, n, where);
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
        return cs_broken(cs, CS_length, 0, "%u dwords instead of %u", cs->length, least);
    for (size_t i = 0; i < sizeof global_bits / sizeof global_bits[0]; i++) {
        if (global_bits[i].id == cs->id && cs_get(cs, global_bits[i].field))
            return cs_broken(cs, CS_global, 0, NULL);
    }
    if (handlers[cs->id] && reserved(cs, &where))
        return cs_broken(cs, CS_reserved, where, NULL);
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
        return cs_broken(cs, CS_batch_align, 0, NULL);
    if (!cs_read(cs, 0, cs->at, cs->dw, 4))
        return false;
    cs->id = cmd_identify(cs->gen, cs->engine, cs->dw, CS_MAX_DWORDS, &cs->length, &why);
    if (cs->id < 0)
        return cs_broken(cs, CS_command, 0, "%s", why);
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

/* More than any batch has; a loop of jumps gets there in less than a second. */
enum { MOST_COMMANDS = 1 << 21 };

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
        ok = ++cs->n_commands <= MOST_COMMANDS ||
             cs_broken(cs, CS_batch_endless, 0, "%d commands", MOST_COMMANDS);
        ok = ok && fetch(cs);
        if (!ok)
            break;
        if (traced && cs->id != CMD_MI_NOOP)
            trace(cs);
        if (*stop) {
            ok = cs_fault(cs, 0, "stopped");
            break;
        }
        bool stalled = cs->id == CMD_PIPE_CONTROL && cs_get(cs, CMD_PIPE_CONTROL_cs_stall);
        if (cs_skipped(cs))
            continue;
        ok = check_form(cs) && (!handlers[cs->id] || handlers[cs->id](cs));
        if (cs->id != CMD_MI_NOOP)
            ctx->stalled = stalled;
    }
    ok = ok && cs_drain(cs);
    cs_overlap_free(cs->overlap);
    race_free(cs->race);
    free(cs);
    return ok;
}
