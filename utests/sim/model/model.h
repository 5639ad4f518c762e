/* A slow model of the execution unit, written from the instruction set reference alone, to compare
 * the simulator with. Section numbers in comments are that reference's (hw/eu-isa.md). It shares
 * gen's decoded instruction, so the layout, and nothing of what it means.
 *
 * Files: num.c (numbers), model_region.c (where operands lie), model_alu.c (integers),
 * model_float.c (floats), model_gen.c (random instructions), model_flow.c (random programs, a
 * channel at a time), model.c (the test), open.def (what is left open). */
#ifndef MODEL_H
#define MODEL_H

#include "gen/device.h"
#include "gen/eu.h"
#include "num.h"

#include <stdbool.h>
#include <stdint.h>

enum open {
#define OPEN(name, section, how, what) OPEN_##name,
#include "open.def"
#undef OPEN
    N_OPEN,
    CLOSED = N_OPEN
};

enum { MODEL_LANES = 32, MAX_LOOSE = 64 };

/* A written element that may differ from what the model has. */
struct loose {
    uint16_t at;   /* byte in the registers */
    uint8_t type;  /* enum eu_type */
    uint8_t why;   /* enum open */
    uint64_t alt;  /* EITHER */
    double lo, hi; /* RANGE */
};

struct model {
    int gen;
    uint32_t quirks;
    uint8_t grf[EU_N_GRF * EU_GRF_SIZE];
    uint32_t f[2];
    uint16_t a0[16];
    wide acc[MODEL_LANES];       /* integer view: 66 bits a channel */
    uint32_t acc_f[MODEL_LANES]; /* float view: acc0, acc1, 8 a register */
    uint64_t acc_df[8];
    /* Channels of a view that another one was written over: of no known value. */
    uint32_t stale_int, stale_f, stale_df;
    uint32_t cr0;
    uint32_t active; /* channels that run */
    /* What the last instruction left open. */
    unsigned n_loose;
    struct loose loose[MAX_LOOSE];
    uint32_t f_loose[2];
    uint32_t acc_loose; /* by channel, all views */
    bool arf_loose;     /* an element of a0 or a flag register */
    uint64_t n_open[N_OPEN];
};

extern const char *const open_names[N_OPEN], *const open_sections[N_OPEN],
                                                 *const open_texts[N_OPEN];
enum open_how { HOW_ANY, HOW_QNAN, HOW_NAN, HOW_EITHER, HOW_RANGE };
extern const uint8_t open_how[N_OPEN];

/* Executes one instruction without control flow. False: one that the model has no meaning for. */
bool model_step(struct model *m, const struct eu_insn *in);
/* The instruction reads an accumulator in another view than it was written in. */
bool model_reads_stale(const struct model *m, const struct eu_insn *in);
/* Nothing that the last instruction wrote is open. */
bool model_closed(const struct model *m);

/* ---- model_region.c ---- */

/* One source element. */
struct element {
    uint64_t bits; /* as it lies there, zero-extended; vector immediates unpacked */
    uint8_t type;  /* enum eu_type; V and UV: W and UW, VF: F */
};

/* What one instruction is to the rest: its channels and their operands. */
struct step {
    struct model *m;
    const struct eu_insn *in;
    unsigned n;     /* elements */
    bool df_dwords; /* Ivy Bridge counts in dwords (2.4) */
    unsigned n_src;
    struct element src[3][MODEL_LANES];
    uint32_t write; /* elements to be written (exec and predicate) */
    uint32_t pred;  /* value of the predicate by element */
    uint32_t exec;  /* elements that run */
};

bool step_begin(struct step *s, struct model *m, const struct eu_insn *in);
/* Where element i of the destination lies in the registers. */
unsigned step_dst(const struct step *s, unsigned i);
/* Thread channel of an element. */
unsigned step_channel(const struct step *s, unsigned i);
bool step_enabled(const struct step *s, unsigned i); /* Align16: the destination's channel enable */
void step_store(struct step *s, unsigned i, uint64_t bits);
void step_loose(struct step *s, unsigned i, enum open why, uint64_t alt, double lo, double hi);
void step_flag(struct step *s, unsigned i, bool value, enum open why);
void step_acc_open(struct step *s, unsigned i, enum open why);

/* ---- types ---- */
static inline bool type_is_float(unsigned t)
{
    return t == EU_F || t == EU_DF || t == EU_HF || t == EU_VF;
}

static inline bool type_is_signed(unsigned t)
{
    return t == EU_D || t == EU_W || t == EU_B || t == EU_Q;
}

static inline unsigned type_bits(unsigned t)
{
    return 8 * eu_type_size((enum eu_type)t);
}

static inline const struct num_format *type_format(unsigned t)
{
    return t == EU_HF ? &num_half : t == EU_DF ? &num_double : &num_single;
}

/* ---- model_float.c ---- */
bool model_float(struct step *s);
/* An integer, kept as it is, to a float destination (6.9.4). */
uint64_t model_int_to_float(const struct step *s, wide v, unsigned type);
enum num_round model_mode(const struct model *m);

#endif
