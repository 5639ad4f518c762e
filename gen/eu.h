/* The execution unit's instruction set, Gen7 to Gen9: one struct for an instruction, and the
 * functions between it, its bits and its text. Tables: eu_field.def (bit positions), eu_op.def
 * (opcodes), eu_rule.def (what is forbidden). Layout only: what an instruction computes stands in
 * sim/hw. Depends on libc only; no state, thread-safe.
 *
 * `gen` is 70, 75, 80 or 90 everywhere. Source: Intel PRM, volume 7 ("3D-Media-GPGPU", EU ISA). */
#ifndef GEN_EU_H
#define GEN_EU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EU_GRF_SIZE = 32, EU_N_GRF = 128, EU_INSN_SIZE = 16, EU_COMPACT_SIZE = 8 };

/* Opcodes: EU_OP(name, hex, ...) rows of eu_op.def give EU_OP_mov, EU_OP_sel, ... The enum value is
 * ours; eu_op_info() gives the hardware's number and availability. */
enum eu_opcode {
#define EU_OP(name, ...) EU_OP_##name,
#include "eu_op.def"
#undef EU_OP
    EU_N_OPS
};

enum eu_file { EU_ARF = 0, EU_GRF = 1, EU_IMM = 3 };

/* Operand types; the last three are immediates only. */
enum eu_type {
    EU_UD, EU_D, EU_UW, EU_W, EU_UB, EU_B, EU_DF, EU_F, EU_UQ, EU_Q, EU_HF,
    EU_UV, EU_VF, EU_V,
    EU_N_TYPES
};

/* ARF register numbers (bits 7:4 kind, 3:0 index). */
enum eu_arf {
    EU_ARF_NULL = 0x00, EU_ARF_A0 = 0x10, EU_ARF_ACC0 = 0x20, EU_ARF_ACC1 = 0x21,
    EU_ARF_F0 = 0x30, EU_ARF_F1 = 0x31, EU_ARF_CE0 = 0x40, EU_ARF_MSG0 = 0x50, EU_ARF_SP = 0x60,
    EU_ARF_SR0 = 0x70, EU_ARF_CR0 = 0x80, EU_ARF_N0 = 0x90, EU_ARF_IP = 0xa0, EU_ARF_TDR0 = 0xb0,
    EU_ARF_TM0 = 0xc0, EU_ARF_FC = 0xd0, EU_ARF_DBG0 = 0xf0
};

enum eu_cond {
    EU_COND_NONE, EU_COND_Z, EU_COND_NZ, EU_COND_G, EU_COND_GE, EU_COND_L, EU_COND_LE,
    EU_COND_O = 8, EU_COND_U = 9
};

enum eu_pred {
    EU_PRED_NONE, EU_PRED_NORMAL, EU_PRED_ANYV, EU_PRED_ALLV, EU_PRED_ANY2H, EU_PRED_ALL2H,
    EU_PRED_ANY4H, EU_PRED_ALL4H, EU_PRED_ANY8H, EU_PRED_ALL8H, EU_PRED_ANY16H, EU_PRED_ALL16H,
    EU_PRED_ANY32H, EU_PRED_ALL32H
};

enum eu_math {
    EU_MATH_INV = 1, EU_MATH_LOG, EU_MATH_EXP, EU_MATH_SQT, EU_MATH_RSQT, EU_MATH_SIN, EU_MATH_COS,
    EU_MATH_FDIV = 9, EU_MATH_POW, EU_MATH_INT_DIV_BOTH, EU_MATH_INT_DIV_QUOT, EU_MATH_INT_DIV_REM,
    EU_MATH_INVM, EU_MATH_RSQTM
};

enum eu_thread_ctrl { EU_THREAD_NORMAL, EU_THREAD_ATOMIC, EU_THREAD_SWITCH };

/* Vertical stride of an indirect VxH or Vx1 region: one a0 element a row. */
enum { EU_VS_VXH = 0xff };

struct eu_operand {
    uint8_t file;     /* enum eu_file */
    uint8_t type;     /* enum eu_type */
    uint8_t reg;      /* GRF number, or enum eu_arf */
    uint8_t sub;      /* byte offset in the register, 0..31 */
    uint8_t vs;       /* sources: vertical stride in elements: 0 1 2 4 8 16 32 or EU_VS_VXH */
    uint8_t width;    /* sources: 1 2 4 8 16 */
    uint8_t hs;       /* horizontal stride in elements: 0 1 2 4 (destination: 1 2 4) */
    bool negate, abs; /* sources; negate of a logic source is NOT on Gen8+ */
    bool indirect;    /* address = a0.(a0_sub) + addr_imm, bytes in the GRF */
    uint8_t a0_sub;   /* which word of a0 */
    int16_t addr_imm; /* -512..511 */
    uint8_t swizzle;  /* Align16 sources: 4 x 2 bits, x lowest; 0xe4 = xyzw */
    uint8_t chan_en;  /* Align16 destination: bit mask x y z w */
    bool rep;         /* 3-source: RepCtrl, a scalar for all channels */
    uint8_t acc;      /* Align16 madm, invm, rsqtm: special accumulator code 0..8 (8 = none) */
    uint64_t imm;     /* file EU_IMM: the value in its low bits; words are not replicated here */
};

/* One instruction, as its fields say; nothing is implied. Two-source instructions use src[0..1],
 * three-source ones src[0..2]. */
struct eu_insn {
    uint8_t op;          /* enum eu_opcode */
    uint8_t exec_size;   /* channels as encoded: 1 2 4 8 16 32 */
    uint8_t group;       /* first channel: 8 * QtrCtrl + 4 * NibCtrl */
    uint8_t pred;        /* enum eu_pred */
    uint8_t cond;        /* enum eu_cond */
    uint8_t flag;        /* 0..3: f0.0 f0.1 f1.0 f1.1, for predicate and condition */
    uint8_t thread_ctrl; /* enum eu_thread_ctrl */
    uint8_t fn;          /* math: enum eu_math; send: SFID */
    bool pred_inv, no_mask, align16, acc_wr, saturate, no_dd_clr, no_dd_chk, branch_ctrl, debug;
    bool compact;        /* decoded from, or wanted as, 8 bytes */
    struct eu_operand dst, src[3];
    int32_t jip, uip;    /* flow control: bytes from the start of this instruction to the target,
                            whatever the unit and base of the encoding (jmpi too) */
    /* send, sendc, sends, sendsc */
    bool eot;
    bool desc_reg;       /* descriptor in a0.0:ud; desc then holds what the instruction's bits hold */
    bool exdesc_reg;     /* Gen9 sends: extended descriptor in a0.(exdesc_sub):ud */
    uint8_t exdesc_sub;  /* dword of a0 */
    uint32_t desc;       /* bits 30:0; EOT stands in eot */
    uint32_t exdesc;     /* bits 31:6 of the extended descriptor (9:6 = length of sends' src1);
                            SFID stands in fn, EOT in eot */
};

/* Properties of an opcode, from eu_op.def. */
struct eu_op_info {
    const char *name;
    uint8_t code;      /* hardware opcode, 7 bits */
    uint8_t first_gen, last_gen; /* 70..90 */
    uint8_t n_src;
    bool pred, cond, sat, mods, branch, is_3src, is_send;
};
const struct eu_op_info *eu_op_info(enum eu_opcode op);
/* The opcode with this number on this generation, or -1. */
int eu_op_from_code(int gen, unsigned code);
unsigned eu_type_size(enum eu_type t); /* bytes; 4 for the vector immediates */
const char *eu_type_name(enum eu_type t);

/* Bits of one instruction. Little-endian: bits[0] bit 0 is the lowest bit of the first byte. */
struct eu_bits { uint64_t q[2]; };

/* Encodes the native (16-byte) form. False, and *why set, if a field can't hold its value or the
 * generation lacks the instruction. *out is written on success only. */
bool eu_encode(int gen, const struct eu_insn *in, struct eu_bits *out, const char **why);
/* Packs native bits into the compact form; false if they don't fit it. */
bool eu_compact(int gen, const struct eu_bits *in, uint64_t *out);
bool eu_uncompact(int gen, uint64_t in, struct eu_bits *out, const char **why);
/* Decodes one instruction at p, of at most `size` bytes. Returns its size (8 or 16), or 0 with *why
 * set: reserved opcode, illegal field, short buffer. Never reads past size. */
unsigned eu_decode(int gen, const void *p, size_t size, struct eu_insn *out, const char **why);

/* Text, in iga64's syntax: "add (16|M0) r10.0<1>:f r2.0<8;8,1>:f -r4.0<8;8,1>:f". Returns the length,
 * as snprintf does. Jump targets print as byte distances from the instruction. */
int eu_print(int gen, const struct eu_insn *in, char *buf, size_t size);
/* Parses one line of that syntax. On failure *why says what was expected. */
bool eu_parse(int gen, const char *text, struct eu_insn *out, const char **why);

/* Validity: region, type, alignment, hazard rules of the generation (rows of eu_rule.def).
 * `quirks` are the device's (gen/device.h). NULL if valid, else the text of the broken rule. */
const char *eu_check(int gen, uint32_t quirks, const struct eu_insn *in);

/* Execution type (PRM "Execution Data Types"), as rules and both sides' size arithmetic need it. */
enum eu_type eu_exec_type(const struct eu_insn *in);

#endif
