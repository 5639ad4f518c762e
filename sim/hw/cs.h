/* The command streamer, inside: the state of a hardware context, and of a batch being run.
 *
 * cs.c: the loop, forms and faults; cs_flow.c: MI commands that decide what runs; cs_mi.c: those
 * that move data; cs_regs.c: registers; cs_pipe.c: PIPE_CONTROL; cs_gpgpu.c: base addresses, media
 * state, the walker; cs_overlap.c: walkers that may run at once; cs_blit.c: the copy engine. What
 * they refuse is in cs_rule.def. */
#ifndef SIM_CS_H
#define SIM_CS_H

#include "hw.h"

#include "gen/cmd.h"

enum {
    CS_MAX_DWORDS = 1026, /* of a command */
    CS_MAX_CURBE = 2016 * 32,
    CS_MAX_DESCRIPTORS = 64,
    CS_DESCRIPTOR_DWORDS = 8,
};

enum cs_rule {
#define CS_RULE(name, first, last, text) CS_##name,
#define CS_WARN(name, first, last, text) CS_##name,
#include "cs_rule.def"
#undef CS_RULE
#undef CS_WARN
    CS_N_RULES
};
const char *cs_rule_name(enum cs_rule rule);
const char *cs_rule_text(enum cs_rule rule);

struct cs_reg {
    uint32_t offset, value;
};

/* One of STATE_BASE_ADDRESS's windows. */
struct cs_base {
    gpu_addr base;
    uint64_t size; /* 0 = no bound */
    bool set;
};

struct sim_context {
    struct sim_gpu *gpu;          /* borrowed */
    const struct gen_device *dev; /* borrowed: static */
    int gen;
    struct eu_cache *icache; /* owned */
    struct cs_reg *regs;     /* owned: those ever written, in no order */
    unsigned n_regs, cap_regs;
    uint64_t invocations; /* threads dispatched */
    unsigned skip;        /* MI_SET_PREDICATE's mode */

    unsigned pipeline; /* PIPELINE_SELECT */
    struct cs_base general, surface, dynamic, indirect, instruction, bindless;
    struct cs_base tables; /* the binding table pool; not set: the surface base is it */
    struct {
        bool set, gpgpu_mode;
        gpu_addr scratch_base;
        uint32_t scratch_bytes, curbe_regs, max_threads;
        unsigned scratch_code;
    } vfe;
    uint8_t curbe[CS_MAX_CURBE];
    uint32_t curbe_size; /* bytes loaded */
    uint32_t descriptors[CS_MAX_DESCRIPTORS][CS_DESCRIPTOR_DWORDS];
    unsigned n_descriptors;

    /* What has been started and not yet waited for, or flushed: for the rules of order. */
    bool busy;          /* a walker since the last CS stall */
    bool dirty;         /* ... since the last CS stall with data cache flush */
    bool undispatched;  /* ... since the last MEDIA_STATE_FLUSH or CS stall */
    bool stalled;       /* the command before was a PIPE_CONTROL with CS stall */
    unsigned unstalled; /* PIPE_CONTROLs since one with CS stall (IVB, BYT) */
};

/* A batch being run. */
struct cs {
    struct sim_context *ctx;
    struct sim_vm *vm;
    struct sim_fault *fault;
    const volatile int *stop;
    enum cmd_engine engine;
    int gen;
    gpu_addr batch; /* where it started */
    gpu_addr at;    /* of the command being executed */
    gpu_addr next;  /* of the one after */
    gpu_addr back;  /* where a second-level batch returns */
    bool second_level, ended;
    int id;           /* enum cmd_id of the command; -1 before it is known */
    unsigned length;  /* its dwords; those after it in dw are 0 */
    uint64_t n_insns; /* EU instructions so far */
    uint64_t n_commands;
    struct cs_overlap *overlap; /* owned; walkers that may still run; NULL: none */
    struct race *race;          /* owned; what walkers touched (--check); NULL: none yet */
    uint32_t dw[CS_MAX_DWORDS + 16];
};

/* The batch ends: the command breaks a rule at one of its dwords; fmt (NULL: nothing to add) says
 * with what. Always false. */
bool cs_broken(struct cs *cs, enum cs_rule rule, unsigned dword, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a reason that is no rule: memory runs out, the batch hangs. */
bool cs_fault(struct cs *cs, unsigned dword, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A rule that is only told, once. */
void cs_warn(struct cs *cs, enum cs_rule rule, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Where the command stands, for texts. */
const char *cs_where(const struct cs *cs, char *buf, size_t size);
static inline uint64_t cs_get(const struct cs *cs, enum cmd_field f)
{
    return cmd_get(cs->gen, cs->dw, f);
}
/* A GPU address of 64 bits as a command has it: canonical bits are ignored. */
static inline gpu_addr cs_addr(uint64_t a)
{
    return a & (((uint64_t)1 << 48) - 1);
}
/* Memory, for a dword of the command that names it. */
bool cs_read(struct cs *cs, unsigned dword, gpu_addr at, void *to, uint64_t size);
bool cs_write(struct cs *cs, unsigned dword, gpu_addr at, const void *from, uint64_t size);
/* The post-sync writes of PIPE_CONTROL and MI_FLUSH_DW. */
bool cs_post_sync(struct cs *cs, unsigned dword, unsigned op, gpu_addr at, uint64_t immediate);

/* ---- cs_regs.c ---- */
uint32_t reg_get(struct sim_context *ctx, uint32_t offset);
bool reg_set(struct cs *cs, unsigned dword, uint32_t offset, uint32_t value); /* with its rules */
uint64_t reg_get64(struct sim_context *ctx, uint32_t offset);
/* Whether a user batch may touch it (Gen7, 7.5: the kernel's command parser). */
bool reg_allowed(const struct sim_context *ctx, uint32_t offset);
bool cs_slm_enabled(struct sim_context *ctx); /* in the L3 split */
bool cs_l3_check(struct cs *cs);              /* the split can be */

/* ---- cs_overlap.c ---- */
/* Starts a walker: at once, or, if the order of things is perturbed, some time before the next
 * cs_drain(). Of constants, which it copies, size bytes are valid. */
bool cs_start(struct cs *cs, const struct sim_dispatch *d, const uint8_t *constants, uint32_t size);
bool cs_drain(struct cs *cs); /* until what has been started is done */
void cs_overlap_free(struct cs_overlap *o);

/* ---- handlers: false = fault ---- */
bool cs_batch_end(struct cs *cs);
bool cs_batch_start(struct cs *cs);
bool cs_conditional_end(struct cs *cs);
bool cs_predicate(struct cs *cs);
bool cs_set_predicate(struct cs *cs);
bool cs_skipped(const struct cs *cs); /* by MI_SET_PREDICATE's mode */
bool cs_semaphore_wait(struct cs *cs);
bool cs_store_data_imm(struct cs *cs);
bool cs_load_register_imm(struct cs *cs);
bool cs_load_register_mem(struct cs *cs);
bool cs_load_register_reg(struct cs *cs);
bool cs_store_register_mem(struct cs *cs);
bool cs_copy_mem_mem(struct cs *cs);
bool cs_math(struct cs *cs);
bool cs_atomic(struct cs *cs);
bool cs_report_perf_count(struct cs *cs);
bool cs_flush_dw(struct cs *cs);
bool cs_pipe_control(struct cs *cs);
bool cs_pipeline_select(struct cs *cs);
bool cs_state_base_address(struct cs *cs);
bool cs_binding_table_pool(struct cs *cs);
bool cs_vfe_state(struct cs *cs);
bool cs_curbe_load(struct cs *cs);
bool cs_descriptor_load(struct cs *cs);
bool cs_media_state_flush(struct cs *cs);
bool cs_walker(struct cs *cs);
bool cs_color_blt(struct cs *cs);
bool cs_copy_blt(struct cs *cs);
bool cs_fast_copy_blt(struct cs *cs);

#endif
