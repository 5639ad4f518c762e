/* The command streamer, inside: the state of a hardware context, and of a batch being run.
 *
 * cs.c: the loop and the MI commands; cs_regs.c: registers; cs_pipe.c: PIPE_CONTROL and its rules;
 * cs_gpgpu.c: base addresses, media state, the walker; cs_blit.c: the copy engine. */
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
    uint32_t dw[CS_MAX_DWORDS + 16];
};

/* Records a fault at a dword of the command; always false. */
bool cs_fault(struct cs *cs, unsigned dword, const char *fmt, ...)
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
/* Whether a user batch may touch it (Gen7, 7.5: the kernel's command parser). */
bool reg_allowed(const struct sim_context *ctx, uint32_t offset);
bool cs_slm_enabled(struct sim_context *ctx);     /* in the L3 split */
const char *cs_l3_wrong(struct sim_context *ctx); /* NULL if the split can be */

/* ---- handlers: false = fault ---- */
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

#endif
