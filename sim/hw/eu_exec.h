/* Inside of the EU: an instruction as it is executed, operands resolved. Shared by eu_run.c
 * (decoding, main loop), eu_flow.c (branches), eu_region.c (operands), eu_alu.c and eu_math.c (the
 * reference for arithmetic), eu_fast*.c (the commonest forms on the host's vector unit).
 *
 * An eu_op is written once, under the cache's lock, before a thread can reach it; only `target` may
 * be set later. */
#ifndef SIM_EU_EXEC_H
#define SIM_EU_EXEC_H

#include "hw.h"

typedef __int128 i128;

/* What computes: integers exactly, floats in their own format. HF is held in floats. */
enum eu_class { EU_CLASS_INT, EU_CLASS_F, EU_CLASS_DF, EU_CLASS_HF };

enum eu_src_kind {
    SRC_NONE,
    SRC_GRF,     /* region at a known place */
    SRC_SWIZZLE, /* Align16 */
    SRC_1X1,     /* region at a0.k + imm */
    SRC_VXH,     /* one a0 element a row */
    SRC_IMM,
    SRC_ACC, /* explicit accumulator */
    SRC_ARF  /* any other architecture register */
};

/* How the fast path loads or stores 8 elements (4 of 8 bytes). */
enum eu_form {
    FORM_NONE,   /* the general path only */
    FORM_PACKED, /* consecutive */
    FORM_SCALAR, /* one for all; immediates too */
    FORM_STRIDE, /* one fixed byte step */
    FORM_ROWS,   /* any other region */
    FORM_NULL    /* destination: discarded */
};

struct eu_src {
    uint8_t kind; /* enum eu_src_kind */
    uint8_t form; /* enum eu_form */
    uint8_t type; /* enum eu_type */
    uint8_t size; /* bytes an element */
    uint8_t arf;  /* SRC_ARF, SRC_ACC: register */
    uint8_t a0;   /* SRC_1X1, SRC_VXH: first word of a0 */
    uint8_t width_shift;
    bool negate, abs, invert; /* invert: NOT, of logic instructions on Gen8+ */
    bool modified;            /* any of them */
    uint8_t swizzle[4];
    int16_t addr_imm;
    uint16_t off;                /* byte offset in the GRF or the architecture register */
    int16_t vs, hs;              /* bytes */
    uint64_t imm;                /* SRC_IMM: the bits */
    uint32_t and_bits, xor_bits; /* float modifiers, by sign bit */
    uint8_t load;                /* fast path: enum eu_load of eu_fast_impl.h */
    uint32_t imm_lanes[8];       /* an immediate in 32 bits, as 8 lanes see it */
};

struct eu_dst {
    uint8_t file, type, size, arf, form, a0;
    bool null, acc, indirect, align16;
    uint8_t chan_en;
    int16_t addr_imm;
    uint16_t off;
    uint16_t step; /* bytes from an element to the next */
    uint8_t store; /* fast path: enum eu_store of eu_fast_impl.h */
};

struct eu_op;
/* Executes one instruction; the next one to execute, or NULL if the thread stops here (t->stop). */
typedef const struct eu_op *eu_run_fn(struct eu_thread *t, const struct eu_op *op);

struct eu_op {
    /* What the fast forms look at, in one cache line. */
    _Alignas(64) eu_run_fn *run;
    const struct eu_op *next;                 /* never NULL */
    uint32_t lanes;                           /* one bit an executed channel, from bit 0 */
    uint8_t n;                                /* channels; half of exec_size for IVB's DF */
    uint8_t group;                            /* first channel */
    uint8_t size;                             /* bytes */
    uint8_t target;                           /* channels may be waiting here */
    uint8_t pred, cond, flag_reg, flag_shift; /* flag bit of channel 0 of the instruction */
    bool pred_inv, no_mask;
    bool modified;              /* a source has a modifier */
    bool extra;                 /* saturates or has a condition */
    uint16_t dst_at, src_at[3]; /* fast forms: bytes from the start of struct eu_thread */
    uint32_t imm;               /* fast forms: the immediate, extended to 32 bits */
    uint32_t scalar_bits[3];    /* fast forms: of the dword at a scalar source, those that it has */
    uint8_t imm_src;            /* fast forms: the source that is the immediate */
    uint8_t cond_shift; /* fast forms: the condition sees the result without its highest bits */
    bool cond_unsigned;
    bool saturate, align16, acc_wr;
    bool df_dwords;                /* IVB, BYT: counted in dwords */
    uint8_t cls;                   /* enum eu_class of the operation */
    uint8_t exec_type;             /* enum eu_type */
    uint8_t stat;                  /* enum eu_stat_class */
    uint8_t clocks;                /* --stats: issue cost */
    bool first_pipe;               /* --stats: only the first pipe can do it */
    const struct eu_op *jip, *uip; /* branches */
    gpu_addr addr;
    struct eu_dst dst;
    struct eu_src src[3];
    eu_run_fn *general; /* the reference */
    eu_run_fn *fast;    /* NULL: no fast form */
    eu_run_fn *unchained; /* NoDDClr, NoDDChk: what runs it once those are judged */
    struct eu_insn insn;
    /* sends */
    bool msg_known;
    bool msg_floats;     /* computes floats, in modes of its own */
    bool msg_copy;       /* the response could overwrite a payload that is still needed */
    bool clear_response; /* for tests, see sabotage.h */
    struct msg msg;
    /* instructions that can't run: why */
    const char *why; /* borrowed: static text, or owned by the cache's arena */
};

/* Classes of --stats. */
enum eu_stat_class {
    STAT_MOV,
    STAT_FLOAT,
    STAT_DOUBLE,
    STAT_INT,
    STAT_LOGIC,
    STAT_CMP,
    STAT_MATH,
    STAT_FLOW,
    STAT_SEND,
    STAT_OTHER,
    STAT_N
};

enum eu_cr0 {
    CR0_ALT = 1 << 1,
    CR0_SPF = 1 << 2,
    CR0_ROUND_SHIFT = 4,
    CR0_DF_DENORM = 1 << 6,
    CR0_F_DENORM = 1 << 7,
    CR0_HF_DENORM = 1 << 10,
    CR0_FTOI_ROUND = 1 << 12
};

/* ---- eu_run.c ---- */
int eu_cache_gen(const struct eu_cache *c);
uint32_t eu_cache_quirks(const struct eu_cache *c);
/* The instruction at an absolute address, decoded now if need be. NULL: out of memory (faulted). */
const struct eu_op *eu_lookup(struct eu_thread *t, gpu_addr addr);
/* Bytes at an address, as many of 16 as are code. */
unsigned eu_read_code(const struct sim_dispatch *d, gpu_addr addr, uint8_t bytes[EU_INSN_SIZE]);
/* Ends eu_run() with EU_STOP_FAULT; for use as `return eu_stop_fault(t)` after eu_fault(). */
const struct eu_op *eu_stop_fault(struct eu_thread *t);
const struct eu_op *eu_stop_at(struct eu_thread *t, const struct eu_op *op, enum eu_stop why);
/* Works out t->mxcsr_* from cr0. */
void eu_set_modes(struct eu_thread *t);
static inline int eu_gen(const struct eu_thread *t)
{
    return eu_cache_gen(t->d->icache);
}
/* Value of the `ip` register at this instruction: offset from the instruction base. */
static inline uint32_t eu_ip(const struct eu_thread *t, const struct eu_op *op)
{
    return (uint32_t)(op->addr - t->d->instruction_base);
}

/* ---- eu_region.c ---- */
/* Fills op's operand forms from op->insn. NULL, or why the instruction can't be executed. */
const char *eu_resolve(int gen, uint32_t quirks, struct eu_op *op);
struct eu_vals {
    union {
        i128 i[32];
        float f[32];
        double d[32];
    };
};
/* Reads source k of op in class cls, modifiers applied (floats: flushed as cr0 says if `flush`).
 * False: fault recorded. */
bool eu_fetch(struct eu_thread *t, const struct eu_op *op, int k, enum eu_class cls, bool flush,
              struct eu_vals *out);
/* Reads source k of op as it stands, `size` bytes an element. */
bool eu_fetch_raw(struct eu_thread *t, const struct eu_op *op, int k, uint64_t out[32]);
/* Writes elements whose bit is set in `mask`, of the destination's size, as they stand. */
bool eu_store_raw(struct eu_thread *t, const struct eu_op *op, uint32_t mask, const uint64_t v[32]);
/* Byte offsets of the elements of a GRF source. False: fault recorded. */
bool eu_src_offsets(struct eu_thread *t, const struct eu_op *op, const struct eu_src *s,
                    uint16_t off[32]);
bool eu_dst_offsets(struct eu_thread *t, const struct eu_op *op, uint16_t off[32]);
i128 eu_acc_get(const struct eu_thread *t, unsigned i);
void eu_acc_set(struct eu_thread *t, unsigned i, i128 v);
/* Predicate of the instruction's channels, shifted down to bit 0; inversion applied. */
uint32_t eu_pred_mask(const struct eu_thread *t, const struct eu_op *op);

static inline uint32_t eu_exec_mask(const struct eu_thread *t, const struct eu_op *op)
{
    return op->no_mask ? op->lanes : t->active >> op->group & op->lanes;
}

static inline uint32_t eu_write_mask(const struct eu_thread *t, const struct eu_op *op)
{
    uint32_t m = eu_exec_mask(t, op);
    if (op->pred == EU_PRED_NORMAL) {
        uint32_t f = t->f[op->flag_reg] >> op->flag_shift;
        m &= op->pred_inv ? ~f : f;
    } else if (op->pred) {
        m &= eu_pred_mask(t, op);
    }
    return m;
}

/* Flag bits of the instruction's channels: those in `mask` become those of `v`. */
static inline void eu_flag_write(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                                 uint32_t v)
{
    uint32_t *f = &t->f[op->flag_reg];
    *f = (*f & ~(mask << op->flag_shift)) | (v & mask) << op->flag_shift;
}

/* ---- eu_alu.c ---- */
eu_run_fn eu_run_alu; /* any arithmetic, the reference */
/* ---- eu_finish.c ---- */
/* The steps after the operation: accumulator, saturation, condition, conversion, store. */
bool eu_finish(struct eu_thread *t, const struct eu_op *op, uint32_t mask, enum eu_class cls,
               struct eu_vals *r);
/* Half floats. `mode` is cr0's rounding mode, 0..3. */
float eu_half_to_float(uint16_t h);
uint16_t eu_half_from_double(double v, unsigned mode);
/* The NaN an operation on these gives: the first NaN among them, quiet, else the default one. */
float eu_nan_f(float a, float b, float c);
enum { EU_MXCSR_DEFAULT = 0x1f80 };
static inline unsigned eu_rounding(const struct eu_thread *t)
{
    return t->cr0[0] >> CR0_ROUND_SHIFT & 3;
}
/* Denormal bits of cr0 that are in force: the descriptor can forbid them (Gen8+). */
static inline uint32_t eu_denorm_bits(const struct eu_thread *t)
{
    uint32_t bits = t->cr0[0] & (CR0_DF_DENORM | CR0_F_DENORM | CR0_HF_DENORM);
    if (eu_gen(t) >= 80 && !t->d->denorm_mode)
        return 0;
    return eu_gen(t) >= 90 ? bits : bits & ~(uint32_t)CR0_HF_DENORM;
}

/* ---- eu_math.c ---- */
eu_run_fn eu_run_math;
/* One value of a float function, whatever its operands. */
double eu_math_function(unsigned fn, double a, double b);

/* ---- eu_flow.c ---- */
/* The function that executes a branch, wait or nop; NULL for everything else. */
eu_run_fn *eu_flow_fn(const struct eu_insn *in);
/* Channels that wait at op's address become active. */
void eu_unpark(struct eu_thread *t, const struct eu_op *op);

/* ---- eu_depend.c ---- */
/* The chain that begins with, or goes on behind, an instruction: NULL, or what is wrong with it. */
const char *eu_check_chain(const struct sim_dispatch *d, const struct eu_op *op);
eu_run_fn eu_run_chained;

/* ---- eu_send.c ---- */
eu_run_fn eu_run_send;
/* NULL, or why the send can't be executed. */
const char *eu_resolve_send(int gen, struct eu_op *op);

/* ---- eu_fast.c ---- */
/* A function for exactly op's form, or NULL. Reads what eu_resolve() found out. */
eu_run_fn *eu_fast_fn(int gen, struct eu_op *op);
/* The same, for hosts without and with AVX2, FMA and F16C. */
eu_run_fn *eu_fast_fn_base(int gen, struct eu_op *op);
eu_run_fn *eu_fast_fn_avx2(int gen, struct eu_op *op);
/* All functions that these can return, for tests. Returns how many. */
unsigned eu_fast_list_base(eu_run_fn *out[], unsigned size);
unsigned eu_fast_list_avx2(eu_run_fn *out[], unsigned size);

#endif
