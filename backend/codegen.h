/* Code generation: machine instructions over virtual registers, and the passes on them.
 *
 *   select*.c                Gen IR -> struct mi, one list in program order
 *   payload.c                what the thread starts with; its first and last instructions
 *   peephole.c               copies and dead code
 *   coalesce.c               copies that joins and loops asked for
 *   split.c                  SIMD32: two instructions of sixteen lanes for each
 *   far.c                    branches that are too far for Gen7
 *   sched.c                  order within straight runs
 *   live.c                   where each virtual register is live
 *   ra.c, spill.c            registers for virtual registers
 *   ra_check.c               proves the allocation
 *   depend.c                 parts of a register that needn't wait for each other
 *   emit.c                   branch distances, encoding, compaction
 *   estimate.c               how long a thread takes
 *
 * The program is one array of instructions: control flow is structured, so if/else/endif and
 * do/while in the list say all that a graph would. All memory is the build's arena. One struct cg
 * is one attempt: a SIMD width and a way to allocate; codegen.c makes as many as it needs. */
#ifndef BACKEND_CODEGEN_H
#define BACKEND_CODEGEN_H

#include "backend/ir.h"
#include "gen/eu.h"

enum { CG_UNIT = 4, CG_N_UNITS = EU_N_GRF * EU_GRF_SIZE / CG_UNIT, CG_MAX_FLAGS = 3 };

/* A virtual register: bytes that lie together. A varying value is cg->lanes dwords; a uniform one is
 * one dword, packed with others; messages have vregs of several registers. Its slices (whole
 * registers; the whole of it if smaller) live each from its own start to its own end. */
struct vreg {
    uint32_t size; /* bytes */
    uint8_t align; /* in registers; 0: any dword, or of size 8 any even one */
    uint8_t phase; /* register number modulo align */
    bool is_fixed; /* at `at` from the thread's start */
    bool no_spill;
    bool is_array; /* of the program, accessed by index: begins with an MI_UNDEF */
    uint8_t first, last; /* registers that it may lie in */
    int32_t at;          /* where: byte in the register file; -1 not yet */
    /* spill.c: bytes [alias_at, alias_at + alias_size) stand for bytes alias_off .. of vreg `alias`
     */
    uint32_t alias, alias_at, alias_size, alias_off;
    bool is_spilled; /* to scratch byte `slot` */
    uint32_t slot;
    uint32_t twin; /* SIMD32: what has the upper sixteen lanes, its own twin; 0: none yet (split.c) */
    struct slice *slices; /* live.c; slice_count() of them */
    uint32_t start, end;  /* live.c: of all slices */
    double cost;          /* live.c: accesses, weighted by loop depth */
};

/* Positions: instruction i reads at 2i and writes at 2i + 1. start > end: never touched. */
struct slice {
    uint32_t start, end;
};

enum mi_kind {
    MI_ALU,
    MI_SEND,
    MI_CTRL, /* if, else, endif, while, halt, wait: straight runs end here */
    MI_DO,   /* loop start: no code */
    MI_UNDEF /* all of v[0] holds anything: no code */
};

/* An if or endif of far.c, which only cuts a long arm in two, or stands for an else. */
enum mi_again { MI_AGAIN_NO, MI_AGAIN_SKIP, MI_AGAIN_ELSE };

/* How an instruction touches memory, for ordering. */
enum mi_mem { MI_MEM_NONE, MI_MEM_CONST, MI_MEM_READ, MI_MEM_WRITE };

/* An instruction. Operand k (0 destination, 1 .. 3 sources) lies at byte off[k] of virtual register
 * v[k]; v[k] == 0: e says it all. */
struct mi {
    struct eu_insn e;
    uint32_t v[4], off[4];
    uint8_t kind;  /* enum mi_kind */
    uint8_t mem;   /* enum mi_mem */
    uint8_t again; /* enum mi_again */
    uint8_t mlen, rlen;
    uint8_t n_src;
    uint32_t span; /* bytes of v[k], from off[k] on, that an indirect operand may touch */
    uint32_t place_of, place_off; /* place_of not 0: the last source, an immediate word, grows by
                                     where byte place_off of that vreg lies in the register file */
    bool uses_acc, writes_acc;
    bool is_spill; /* scratch access of spill.c, at byte `scratch` */
    uint32_t scratch;
    bool is_inner; /* if or endif inside one operation: flags and such outlive it */
    bool is_exit; /* the final halt: where halted lanes meet */
    bool is_lone;      /* SIMD32: split.c makes no second one, though it reads or writes lanes; */
    uint8_t upper;     /* ... bit k: operand k is of the upper lanes */
    bool is_undefined; /* a mov that stands for any value: no code, but here the value begins */
    struct ir_where where;
};

/* An operand while it is being chosen. */
struct opnd {
    struct eu_operand o;
    uint32_t v, off;
};

struct cg {
    struct ir_fn *fn;
    const struct gen_device *dev;
    int gen;
    unsigned simd;
    unsigned lanes;     /* of a varying vreg, and of one instruction: simd, or 16 of SIMD32 */
    unsigned lane_regs; /* registers of a varying vreg: lanes / 8 */
    unsigned n_flags;   /* flags 0 .. n_flags - 1 hold values within a block */
    unsigned scratch_flag;
    struct mi **code;
    uint32_t n_code, cap_code;
    struct ir_where where; /* of what is appended now */
    struct vreg *vregs;    /* [0] is unused */
    uint32_t n_vregs, cap_vregs;
    /* payload.c */
    uint32_t r0, push[EU_N_GRF], local_id[3]; /* fixed vregs; 0: not there */
    uint32_t array[IR_MAX_ARRAYS]; /* vregs of the function's arrays; 0: not used */
    bool uses_local_id[3];
    uint32_t n_push_regs;
    bool uses_slm, uses_double, uses_half, has_halt;
    /* spill.c */
    uint32_t scratch_size, n_spills, n_fills;
};

/* ---- vregs, operands, instructions: mi.c ---- */
/* An attempt at this width, with the payload's vregs. NULL: the parameters leave no registers. */
struct cg *cg_new(struct ir_fn *fn, const struct gen_device *dev, unsigned simd);
uint32_t vreg_new(struct cg *cg, uint32_t size, unsigned align);
uint32_t vreg_lanes(struct cg *cg);  /* a varying value */
uint32_t vreg_words(struct cg *cg);  /* one of packed words */
uint32_t vreg_scalar(struct cg *cg); /* a uniform value */
uint32_t vreg_lanes64(struct cg *cg);
uint32_t vreg_scalar64(struct cg *cg);
uint32_t vreg_fixed(struct cg *cg, uint32_t size, unsigned reg);
void vreg_pair(struct cg *cg, uint32_t lower, uint32_t upper); /* upper is lower's twin */
uint32_t slice_count(const struct vreg *v);

struct opnd op_lanes(uint32_t v, uint32_t off,
                     enum eu_type t); /* <8;8,1> (DF <4;4,1>), one element a lane */
struct opnd op_scalar(uint32_t v, uint32_t off, enum eu_type t); /* <0;1,0> */
struct opnd op_imm(enum eu_type t, uint32_t bits);
struct opnd op_imm64(uint64_t bits); /* DF; Gen8 and 9, mov only */
struct opnd op_arf(enum eu_arf reg, unsigned sub, enum eu_type t);
struct opnd op_null(enum eu_type t);
struct opnd op_flag(const struct cg *cg, unsigned flag); /* the bits of all lanes */
struct opnd op_type(struct opnd o, enum eu_type t);
struct opnd op_neg(struct opnd o);
/* What the first word of a0 plus imm points to, with o's region; or a word each lane. */
struct opnd op_at_a0(struct opnd o, unsigned a0_sub, int imm);
struct opnd op_at_each_a0(struct opnd o, int imm);
struct opnd op_part(struct opnd o, unsigned byte,
                    enum eu_type t);               /* the sub-dword at `byte` of each lane */
struct opnd op_stride(struct opnd o, unsigned hs); /* destination stride */
struct opnd op_rows(struct opnd o);                /* a source of eight packed dwords a row */
struct opnd op_half(struct opnd o, unsigned h);    /* lanes 8h .. 8h + 7 */
/* The dword at `byte` of each double, as type t: source <8;4,2>, destination <2>. */
struct opnd op_dword(struct opnd o, unsigned byte, enum eu_type t);
/* Lanes first .. first + n - 1; rows stay within a register. */
struct opnd op_slice(struct opnd o, unsigned first, unsigned n);
bool op_is_imm(const struct opnd *o);
bool op_is_scalar(const struct opnd *o);

struct mi mi_alu(enum eu_opcode op, unsigned exec, unsigned n_src, struct opnd d,
                 const struct opnd *s);
struct opnd mi_opnd(const struct mi *m, unsigned k);
void mi_set_opnd(struct mi *m, unsigned k, struct opnd o);
struct mi *mi_push(struct cg *cg, const struct mi *m); /* appends a copy */
/* Bytes of v[k] that operand k touches: [*lo, *hi). */
void mi_span(const struct mi *m, unsigned k, uint32_t *lo, uint32_t *hi);
/* Whether, in the lanes that it runs in, the instruction overwrites every byte of [lo, hi) of its
 * destination's span; false: what was there matters. */
bool mi_full_def(const struct cg *cg, const struct mi *m);
bool mi_has_effect(const struct mi *m);    /* beyond its destination register and flags */
bool mi_is_indirect(const struct mi *m, unsigned k); /* operand k lies where a0 says */
bool mi_reads_a0(const struct mi *m);
bool mi_writes_a0(const struct mi *m);
bool mi_is_macro(const struct mi *m); /* madm and its start: has special accumulators */
uint8_t mi_flag_reads(const struct mi *m); /* bit set of f0.0 .. f1.1 */
uint8_t mi_flag_writes(const struct mi *m);

/* ---- the passes ---- */
bool payload_init(struct cg *cg);  /* fixed vregs; false: the parameters leave no registers */
void payload_begin(struct cg *cg); /* first instructions */
void payload_end(struct cg *cg);   /* end of thread */
void select_run(struct cg *cg);
void peephole_run(struct cg *cg);
void coalesce_run(struct cg *cg);
/* Makes the upper sixteen lanes' instructions of a SIMD32 kernel. False: the values are more than
 * the registers hold, and `may_spill` does not hold. */
bool split_run(struct cg *cg, bool may_spill);
void far_run(struct cg *cg);
void sched_run(struct cg *cg);
void sched_sink(struct cg *cg); /* another order: values are made as late as can be */
void live_run(struct cg *cg);
/* Gives every vreg its place. False: some must be spilled; *spill (by vreg) says which, or NULL if
 * that would not help. */
bool ra_run(struct cg *cg, bool **spill);
/* Rewrites the code so that these vregs live in scratch memory. False: more than the generation
 * allows. */
bool spill_run(struct cg *cg, const bool *spill);
void ra_check(const struct cg *cg); /* bug() if some read doesn't see what was meant */
/* Sets the hints NoDDClr and NoDDChk in straight code, one instruction after the other; last is NULL
 * at its beginning. */
struct depend {
    struct eu_insn *last;   /* borrowed; of the run that may go on. NULL: none */
    unsigned first, n_regs; /* registers that it writes ... */
    uint64_t bytes;         /* ... and which of their bytes it has written */
};
void depend_step(struct depend *d, const struct gen_device *dev, struct eu_insn *e);
/* Final code: places filled in, branch distances, bits, line table. False: a branch is farther than
 * it can say. */
bool emit_run(struct cg *cg, struct kbin_kernel *out);
void estimate_run(const struct cg *cg, struct kbin_kernel *out); /* its issue_clocks, wait_clocks */
void cg_print(const struct cg *cg, const char *title, FILE *to);

#endif
