/* What the files of instruction selection share: select.c (values, blocks), select_alu.c
 * (arithmetic), select_half.c, select_macro.c (quotients and roots of doubles), select_bool.c (comparisons,
 * one-bit values, flags), select_mem.c (memory), select_array.c (arrays in registers),
 * select_image.c, select_group.c (lanes together). */
#ifndef BACKEND_SELECT_H
#define BACKEND_SELECT_H

#include "backend/codegen.h"
#include "backend/opt.h"

/* Where a value is. A one-bit value is in a flag, or a mask (0 or ~0 in each lane) in a register,
 * or both: a flag only from its definition to its last use in the same block. */
struct loc {
    uint32_t v, off;
    bool is_scalar;          /* one dword for all lanes */
    bool placed;             /* v, off are right */
    bool flag_inv;           /* true where the flag's bit is 0 */
    int8_t flag;             /* holding flag; -1: none */
    bool mask_use;           /* one-bit: needed as a mask */
    bool is_deferred;        /* comparison made by the and1 or or1 that uses it: select_bool.c */
    bool is_fused;           /* and1 or or1 that makes its second source, under the first's flag */
    bool is_word, is_signed; /* kept as packed words, of this sign: select_narrow.c */
    uint8_t need;            /* of an I32: how many low bits its users look at */
    uint32_t wide; /* vreg of a word's copy as dwords, made in the block that ends at wide_end */
    uint32_t wide_end;
    uint32_t minus; /* vreg of a mask whose negation this 0 or 1 is; 0: none */
    uint32_t n_flag_uses;
    uint32_t def;       /* sequence number of its definition */
    uint32_t last_use;  /* ... of its last use of any kind */
    uint32_t last_flag; /* ... of its last use as a flag in its block; 0: none */
};

struct sel {
    struct cg *cg;
    struct ir_fn *fn;
    struct loc *loc;     /* by value id */
    uint32_t *block_end; /* by block: sequence number of its terminator */
    uint32_t seq;        /* of the current Gen IR instruction */
    struct ir_value *flag_owner[CG_MAX_FLAGS];
    /* shape of what is emitted now: set by sel_shape */
    unsigned exec;
    bool is_uniform;
    /* constants in registers: of this block; and those of loops, made at the kernel's start */
    struct sel_const {
        uint64_t bits;
        uint32_t v;
        bool is_double, is_row;
    } consts[32], loop_consts[48];
    unsigned n_consts, n_loop_consts;
    bool in_loop;
    uint32_t lane_words; /* vreg of 0, 1, 2, ... as words, this block; 0: none yet */
    /* select_array.c: words, for each lane the byte of its dword in a register row; and where its
     * element 0 of an array lies */
    uint32_t lane_bytes, array_base[IR_MAX_ARRAYS];
    uint32_t array_block[IR_MAX_ARRAYS]; /* where the array begins to live */
    uint32_t end;                        /* sequence number of this block's last instruction */
    struct opt_widths widths;
};

/* One dword without mask for uniform results, all lanes under mask for the others. */
void sel_shape(struct sel *s, bool uniform);
struct mi sel_mi(struct sel *s, enum eu_opcode op, unsigned n_src, struct opnd d, struct opnd a,
                 struct opnd b, struct opnd c);
/* Appends, after making it legal: order of operands, constants, width. */
void sel_put(struct sel *s, struct mi m);
void sel_op1(struct sel *s, enum eu_opcode op, struct opnd d, struct opnd a);
void sel_op2(struct sel *s, enum eu_opcode op, struct opnd d, struct opnd a, struct opnd b);
void sel_mov(struct sel *s, struct opnd d, struct opnd a);
struct opnd sel_temp(struct sel *s, enum eu_type t); /* of the current shape */
/* Copies dwords to or from doubles: one of d and a is an op_dword. */
void sel_put_dwords(struct sel *s, struct opnd d, struct opnd a);
struct opnd sel_const_row(struct sel *s, uint64_t bits); /* a double in four lanes */
struct opnd sel_reg(struct sel *s, struct opnd o); /* a register operand equal to o */

/* What src is, through copies. */
struct ir_src sel_resolve(struct ir_src src);
/* I32 or F32 source as type t; F64 as DF. */
struct opnd sel_src(struct sel *s, struct ir_src src, enum eu_type t);
/* The same for a float operation: negations and absolute values become source modifiers. */
struct opnd sel_src_f(struct sel *s, struct ir_src src);
/* ... for and, or, xor: NOT becomes a modifier where the generation has it. */
struct opnd sel_src_d(struct sel *s, struct ir_src src); /* ... of doubles */
struct opnd sel_src_logic(struct sel *s, struct ir_src src);
/* ... for integer addition: a 0 or 1 made from a mask is the mask's negation. */
struct opnd sel_src_add(struct sel *s, struct ir_src src);
/* Where v is to be; a value that is kept as words: as such, whatever t says. */
struct opnd sel_dst(struct sel *s, struct ir_value *v, enum eu_type t);
void sel_place(struct sel *s, struct ir_value *v, uint32_t vreg, uint32_t off, bool scalar);

/* A message being put together: select_mem.c. */
struct message {
    struct msg m;
    unsigned exec, group;
    bool no_mask;
    uint32_t src, src_off;   /* payload */
    uint32_t data, data_off; /* second payload, of m.ex_mlen registers: Gen9's split send */
    uint32_t dst, dst_off;   /* response, m.rlen registers */
    enum mi_mem mem;
};
/* pred_inv: not negative for a send under the scratch flag, or its inverse. */
void sel_send(struct sel *s, const struct message *x, int pred_inv);
/* Waits for a response: what nobody reads would still be on its way when the thread ends. */
void sel_wait(struct sel *s, uint32_t v, uint32_t off);

/* select_array.c: before the first block, at the beginning of each, accesses. */
void sel_arrays_prepare(struct sel *s);
void sel_arrays_start(struct sel *s);
void sel_arrays_block(struct sel *s, uint32_t block);
void sel_array_load(struct sel *s, struct ir_insn *i);
void sel_array_store(struct sel *s, struct ir_insn *i);
/* select_narrow.c: what is kept as words; after that, operations that are done on words. */
void sel_narrow_prepare(struct sel *s);
bool sel_word(struct sel *s, struct ir_insn *i); /* also dwords that are put together of bytes */
/* An extension, mask or shift that its users may read as bytes or words of its source. */
bool sel_is_byte_view(const struct ir_insn *d);
/* smax x, (0 - x) */
bool sel_is_abs(const struct ir_insn *i);
/* A source of an operation on dwords, as a byte or word where it is one. is_unsigned: never of a
 * signed type. */
struct opnd sel_src_int(struct sel *s, struct ir_src src, enum eu_type t, bool is_unsigned);
/* Whether an operation on dwords may have both of these. */
bool sel_may_pair(const struct opnd *a, const struct opnd *b);
/* Sources n and n + 1 of i, as operands that may be together. */
void sel_src_pair(struct sel *s, const struct ir_insn *i, unsigned n, enum eu_type t,
                  bool is_unsigned, struct opnd *a, struct opnd *b);
/* The low byte or word of src. */
struct opnd sel_src_low(struct sel *s, struct ir_src src, unsigned size);
/* The operands of icmp i as words, if they fit. */
bool sel_words_compare(struct sel *s, const struct ir_insn *i, struct opnd *a, struct opnd *b);

/* Words 0, 1, 2, ..., simd - 1; at SIMD32 the upper half in the twin. */
struct opnd sel_lane_words(struct sel *s);
bool sel_alu(struct sel *s, struct ir_insn *i); /* false: not an operation of this file */
/* select_half.c; a source of it: the low word, negations and absolute values become modifiers. */
bool sel_half(struct sel *s, struct ir_insn *i);
struct opnd sel_src_half(struct sel *s, struct ir_src src);
bool sel_is_half_sign(const struct ir_insn *d); /* a negation or absolute value of a half */
bool sel_macro(struct sel *s, struct ir_insn *i);
bool sel_bool(struct sel *s, struct ir_insn *i);
bool sel_mem(struct sel *s, struct ir_insn *i);
bool sel_image(struct sel *s, struct ir_insn *i);
bool sel_group(struct sel *s, struct ir_insn *i);
/* d = lane `index` of the dwords in v, which isn't spilled: select_array.c. One d for an index that is one. */
void sel_gather(struct sel *s, struct opnd d, uint32_t v, struct opnd index);

/* select_bool.c: src as a flag number; *inv: true where the bit is 0. May use the scratch flag. */
unsigned sel_flag(struct sel *s, struct ir_src src, bool *inv);
struct opnd sel_mask(struct sel *s, struct ir_src src); /* as 0 or ~0, type D */
void sel_flags_release(struct sel *s);                  /* of values not used after s->seq */
void sel_flags_block(struct sel *s);                    /* a block begins: no flag holds anything */
void sel_bool_prepare(struct sel *s); /* before uses are counted: which logic is fused */
/* Whether use n of i, in its block, takes a flag. */
bool sel_wants_flag(const struct sel *s, const struct ir_insn *i, unsigned n);

#endif
