/* Gen IR: SSA over 32-bit lanes, in structured control flow. Made by from_llvm*.c, checked by ir_check
 * after each pass, consumed by codegen. Past from_llvm nothing knows LLVM. Memory: the build's arena.
 *
 * Values. Each has a type (I1, I32, F32, F64) and is *uniform* (the same in all lanes of a hardware thread that
 * are active where it is used) or *varying*; uniform.c decides. Codegen keeps a uniform value in one dword, an
 * F64 in two. Memory, parameters and integers know dwords only: F64 values are made of two I32 by pack, and
 * taken apart by unlo and unhi. A constant F64 is a pack of two constants, which codegen puts where it is used.
 *
 * Blocks are numbered in layout order, and that order is the program's order in memory:
 *   jump            goes to succ[0], which is the next block, or a block that all paths from here reach
 *                   next (the merge block of an enclosing branch): see `branch`
 *   branch cond     succ[0] = next block (taken where cond), succ[1] = else block or merge block;
 *                   merge = block where both arms meet, later in the layout. Blocks between are the then
 *                   arm, then the else arm, each closed: entered from the branch only, left to merge only (or
 *                   never: end, endless loop)
 *   loop cond       last block of a loop, its only latch: back to succ[0] = header where cond,
 *                   else to succ[1] = the next block. header <= this block in the layout; blocks between
 *                   are the loop, closed in the same way but for the two that follow. cond may be
 *                   constant true: an endless loop, or one that is left by breaks only; those alone then
 *                   count for what dominates the next block
 *   break cond      to succ[1] = the block behind the innermost loop where cond, else to succ[0], as a jump
 *   leave           to succ[0] = the block behind the innermost loop; the end of an arm, like `end`
 *   end             end of the kernel for the active lanes; the last block ends so
 * A header has exactly two predecessors: the block before the loop, and the latch. No two branches share a
 * merge block; a latch can be the merge block of the last branch in its loop.
 *
 * Lanes. Blocks run under a mask: a value defined under a divergent branch is defined in the active lanes
 * only. What is live in *other* lanes must survive (codegen, live.c): a value used after a divergent loop
 * lives through the whole loop; both arms of a branch run one after the other. */
#ifndef BACKEND_IR_H
#define BACKEND_IR_H

#include "backend/backend.h"
#include "gen/msg.h"

enum ir_type { IR_I1, IR_I32, IR_F32, IR_F64 };

enum ir_op {
#define IR_OP(name, ...) IR_##name,
#include "backend/ir_op.def"
#undef IR_OP
    IR_N_OPS
};

enum ir_pred {
    IR_EQ, IR_NE, IR_ULT, IR_ULE, IR_UGT, IR_UGE, IR_SLT, IR_SLE, IR_SGT, IR_SGE, /* icmp */
    /* fcmp: ordered ones are false, unordered ones true when an operand is a NaN */
    IR_OEQ, IR_ONE, IR_OLT, IR_OLE, IR_OGT, IR_OGE, IR_ORD,
    IR_UEQ, IR_UNE, IR_FULT, IR_FULE, IR_FUGT, IR_FUGE, IR_UNO
};

struct ir_insn;
struct ir_block;

/* A place in the source. */
struct ir_where {
    uint32_t line; /* 0: unknown */
    uint32_t file; /* of fn->files; 0: unknown */
};

struct ir_value {
    uint32_t id;           /* dense, below fn->n_values */
    uint8_t type;          /* enum ir_type */
    bool uniform;          /* set by uniform.c */
    uint8_t index;         /* which result of def */
    struct ir_insn *def;
    uint32_t n_uses;       /* kept by ir_* functions */
};

/* A source: a value, or (value NULL) a constant: imm's bits; I1: 0 or 1; never an F64. */
struct ir_src {
    struct ir_value *value;
    uint32_t imm;
};

/* imm of reduce and scan */
enum ir_group_op {
    IR_GROUP_ADD, IR_GROUP_UMIN, IR_GROUP_UMAX, IR_GROUP_SMIN, IR_GROUP_SMAX, IR_GROUP_AND, IR_GROUP_OR,
    IR_GROUP_XOR, IR_GROUP_FADD, IR_GROUP_FMUL, IR_GROUP_FMIN, IR_GROUP_FMAX,
    IR_GROUP_EXCLUSIVE = 0x100 /* scan: without the lane's own value */
};

enum ir_space {
    IR_SURFACE, /* RAW surface mem.bti; address = byte offset in it */
    IR_SLM,     /* local memory; address = byte offset */
    IR_A64,     /* Gen8+: absolute 64-bit address, two sources */
    IR_WINDOW,  /* Gen7, 7.5: absolute 32-bit address; surfaces bti (low GiB) and bti + 1 (high GiB) */
    IR_ARRAY    /* array bti of the function, each lane's own, in registers; address = byte offset in it */
};
/* Private memory is IR_SURFACE with the private surface's index; from_llvm computes slot and lane offsets. */

struct ir_mem {
    uint8_t space;      /* enum ir_space */
    uint8_t bti;
    uint8_t n_comp;     /* 1 .. 16 components, consecutive in memory */
    uint8_t comp_size;  /* bytes: 1, 2, 4; 8 of some atomics. Results of 1- and 2-byte loads: upper bits undefined */
    uint8_t align;      /* bytes that the address is known to be a multiple of: 1, 2, 4, 8, 16 ... */
    uint8_t atomic;     /* enum msg_atomic */
    bool is_volatile;   /* not to be merged, moved or dropped */
    bool is_constant;   /* memory that no one writes during the kernel: loads can move and merge */
    int32_t offset;     /* bytes added to the address */
};

struct ir_insn {
    struct ir_insn *prev, *next; /* in block */
    struct ir_block *block;
    uint16_t op;             /* enum ir_op */
    uint8_t pred;            /* enum ir_pred */
    uint8_t n_dst;
    uint16_t n_src;
    uint32_t imm;            /* see ir_op.def */
    struct ir_mem mem;       /* load, store, atomic */
    struct ir_where where;
    struct ir_value **dst;   /* n_dst */
    struct ir_src *src;      /* n_src */
};

struct ir_block {
    uint32_t index;              /* in layout order */
    struct ir_insn *first, *last;/* phis first, terminator last */
    struct ir_block **preds;     /* the order of phi sources */
    uint32_t n_preds;
    struct ir_block *succ[2];    /* NULL where there is none */
    struct ir_block *merge;      /* of a branch */
    uint32_t loop_depth;
};

enum { IR_MAX_ARRAYS = 64 };

struct ir_fn {
    const char *name;
    const struct gen_device *dev;
    struct ir_block **blocks;    /* in layout order */
    uint32_t n_blocks;
    uint32_t n_values;
    uint32_t n_push_bytes;       /* of the params it uses */
    uint32_t array_size[IR_MAX_ARRAYS]; /* bytes a lane */
    uint32_t n_arrays;
    const char **files;          /* names of source files; [0] is NULL */
    uint32_t n_files;
    struct kbin_kernel *out;     /* params and surfaces are filled by from_llvm */
    bool denorms_zero;
    bool keep_lines;             /* the binary gets a line table */
};

/* What a row of ir_op.def says. Types: 'I', 'F', 'D', 'B', 'X', '-', '*' as there. */
enum { IR_PURE = 1, IR_COMM = 2, IR_MEM = 4, IR_EFFECT = 8, IR_TERM = 16 };
struct ir_op_info {
    const char *name;
    int8_t n_dst, n_src; /* -1: variable */
    char dst_type, src_type;
    uint8_t flags;
};
extern const struct ir_op_info ir_op_info[IR_N_OPS];
extern const char *const ir_pred_name[IR_UNO + 1];
const char *ir_atomic_name(enum msg_atomic op);
unsigned ir_atomic_operands(enum msg_atomic op); /* data sources: 0, 1 or 2 */

const char *ir_op_name(enum ir_op op);
static inline struct ir_src ir_imm(uint32_t imm)
{
    return (struct ir_src){NULL, imm};
}
static inline struct ir_src ir_val(struct ir_value *v)
{
    return (struct ir_src){v, 0};
}
static inline bool ir_is_imm(struct ir_src s, uint32_t imm)
{
    return !s.value && s.imm == imm;
}
static inline bool ir_same(struct ir_src a, struct ir_src b)
{
    return a.value == b.value && (a.value || a.imm == b.imm);
}
static inline bool ir_has_flag(const struct ir_insn *i, unsigned flags)
{
    return ir_op_info[i->op].flags & flags;
}
static inline bool ir_is_compare(enum ir_op op)
{
    return op == IR_icmp || op == IR_fcmp || op == IR_dcmp || op == IR_hcmp;
}
/* A constant F64 and its bits. */
static inline bool ir_is_imm64(struct ir_src s, uint64_t *bits)
{
    const struct ir_insn *d = s.value ? s.value->def : NULL;
    if (!d || d->op != IR_pack || d->src[0].value || d->src[1].value)
        return false;
    *bits = (uint64_t)d->src[1].imm << 32 | d->src[0].imm;
    return true;
}
/* Address sources of a load, store or atomic: src[0 .. n - 1]; data follows. */
static inline unsigned ir_n_addr(const struct ir_insn *i)
{
    return i->mem.space == IR_A64 ? 2 : 1;
}

/* A function without blocks; its `out` is a zeroed kernel. */
struct ir_fn *ir_fn_new(const char *name, const struct gen_device *dev);
/* A new block, last in the layout. */
struct ir_block *ir_block_new(struct ir_fn *fn);
void ir_add_pred(struct ir_block *b, struct ir_block *pred);
/* Indices, predecessors (in layout order; only if there are no phis yet) and loop depths. */
void ir_number_blocks(struct ir_fn *fn);
void ir_loop_depths(struct ir_fn *fn);
/* immediate dominator of each block by index; the entry's is itself; -1 unreachable. From the arena. */
int *ir_dominators(const struct ir_fn *fn);
static inline bool ir_dominates(const int *idom, uint32_t a, uint32_t b)
{
    while (b > a)
        b = idom[b] < 0 ? a : (uint32_t)idom[b]; /* layout order: a dominator comes earlier */
    return a == b;
}
/* An instruction, in no block yet; sources are zero constants, results new values of the type that
 * ir_op.def gives, I32 where it leaves the type open: set dst[n]->type then. */
struct ir_insn *ir_new(struct ir_fn *fn, enum ir_op op, unsigned n_dst, unsigned n_src);
void ir_append(struct ir_block *b, struct ir_insn *i);
void ir_insert_before(struct ir_insn *at, struct ir_insn *i);
void ir_unlink(struct ir_insn *i); /* out of its block, keeping results and sources: to put elsewhere */
void ir_remove(struct ir_insn *i); /* drops uses; results must be unused */
void ir_set_src(struct ir_insn *i, unsigned n, struct ir_src s); /* keeps use counts */
/* What type source n of i must have; IR_I32 or IR_F32 also where both may stand. */
bool ir_src_type_ok(const struct ir_insn *i, unsigned n, enum ir_type t);
void ir_replace(struct ir_fn *fn, struct ir_value *v, struct ir_src by); /* all uses */
void ir_print(const struct ir_fn *fn, FILE *to);
void ir_print_insn(const struct ir_insn *i, FILE *to);
/* Parses what ir_print writes: how backend tests are made. NULL with *why set. */
struct ir_fn *ir_parse(const char *text, const struct gen_device *dev, const char **why);
/* Structure, SSA dominance, types, counts. NULL if sound, else what is wrong. */
const char *ir_check(const struct ir_fn *fn);
void uniform_run(struct ir_fn *fn); /* sets value->uniform: see uniform.c */

#endif
