/* LLVM IR -> Gen IR, one kernel at a time. What the files of it share:
 *
 *   from_llvm.c        the kernel as a whole: control flow, phis, values, constants, surfaces
 *   from_llvm_ptr.c    where each pointer points: roots, addresses, program constants
 *   from_llvm_arith.c  integers of all widths, comparisons, vectors
 *   from_llvm_float.c  floats, halves, doubles, conversions
 *   from_llvm_mem.c    loads, stores, private memory
 *   from_llvm_array.c  which private variables lie in registers
 *   from_llvm_call.c   intrinsics and the primitives of lib/gen.h
 *   from_llvm_image.c  those of images
 *
 * A value of LLVM becomes *components*, each one lane of 32 bits, of one bit or of a double: an
 * integer of up to 32 bits, a float, a half and a double are one; up to 64 bits two, low first; a
 * vector those of its elements in order; a pointer as its root says. Bits above an integer's width
 * are undefined: who needs them extends. */
#ifndef BACKEND_FROM_LLVM_H
#define BACKEND_FROM_LLVM_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "backend/ir.h"

enum root_kind {
    ROOT_NONE,      /* nothing known yet: undefined values */
    ROOT_ARG,       /* buffer argument `index`: a byte offset in its surface */
    ROOT_CONSTANTS, /* the program's constant data: an offset in it */
    ROOT_LOCAL,     /* an offset in local memory */
    ROOT_PRIVATE,   /* an offset in the lane's private memory */
    ROOT_ARRAY,     /* an offset in array `index`, in registers */
    ROOT_ADDRESS    /* an absolute address of pointer_words components; all generic pointers */
};
enum { GENERIC_LOCAL = 2, GENERIC_PRIVATE = 3 }; /* what __gen_pointer_tag says: from_llvm_ptr.c */
struct root {
    uint8_t kind; /* enum root_kind */
    uint16_t index;
};

struct comps {
    struct ir_src *c;
    uint32_t n;
};

/* What is known about a value of LLVM: hash table, open addressing. */
struct lowered {
    LLVMValueRef key;
    struct root root;   /* of pointers */
    struct comps value; /* c NULL: not lowered yet */
    uint32_t offset;    /* allocas, local variables, constants: where they lie */
    bool has_offset;
};

struct lower {
    struct ir_fn *fn;
    const struct gen_device *dev;
    const struct cc_options *opt;
    struct kbin_kernel *out;
    struct kbin *bin;
    struct cc_log *log;
    LLVMValueRef kernel;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    unsigned pointer_words;
    bool failed;
    LLVMValueRef insn;      /* being lowered: for messages */
    struct ir_block *block; /* where op1 and its kin append; */
    struct ir_insn *before; /* ... before this if not NULL */
    struct ir_where where;  /* of insn */
    struct lowered *map;
    uint32_t map_size, map_used;
    struct ir_insn *entry_mark; /* params and the private base go before it */
    struct ir_src private_base;
    bool has_private_base;
    unsigned weave;      /* how private memory is laid out: from_llvm_mem.c */
    unsigned narrow_end; /* of the bytes and words in the last dword of such; whole: it's full */
    struct ir_value *param[512]; /* by dword of the cross-thread constants */
    bool writes_global;          /* the kernel stores to global memory at all */
    bool *arg_written,
        *arg_escapes; /* by argument: stored through; merged into absolute addresses */
};

/* An error in the user's program or something not supported; lowering goes on with zeros. */
struct comps lower_fail(struct lower *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* from_llvm.c */
struct lowered *lower_entry(struct lower *l, LLVMValueRef v); /* made if it isn't there */
struct comps comps_new(uint32_t n);
struct comps lower_value(struct lower *l, LLVMValueRef v);
struct ir_src lower_scalar(struct lower *l, LLVMValueRef v); /* its only component */
void lower_set(struct lower *l, LLVMValueRef v, struct comps c);
uint32_t type_comps(struct lower *l, LLVMTypeRef t); /* 0: not a type we know */
unsigned type_bits(LLVMTypeRef t);                   /* of an integer, float, half */
enum ir_type type_of_comp(LLVMTypeRef t);            /* of a scalar or vector type */
LLVMTypeRef type_scalar(LLVMTypeRef t);              /* a vector's element type, else t */
uint32_t type_length(LLVMTypeRef t);                 /* a vector's length, else 1 */
bool type_is_double(LLVMTypeRef t);
uint64_t float_constant(LLVMValueRef v, unsigned bits); /* its bits */
/* Dword of the cross-thread constants: part [src, src + size) of what kind and index say; with_type
 * floats */
struct ir_src lower_param(struct lower *l, enum kbin_param_kind kind, unsigned index, unsigned src,
                          unsigned size, enum ir_type type);
unsigned lower_surface(struct lower *l, enum kbin_surface_kind kind, unsigned index);

struct ir_src op0(struct lower *l, enum ir_op op, uint32_t imm);
struct ir_src op1(struct lower *l, enum ir_op op, struct ir_src a);
struct ir_src op2(struct lower *l, enum ir_op op, struct ir_src a, struct ir_src b);
struct ir_src op3(struct lower *l, enum ir_op op, struct ir_src a, struct ir_src b,
                  struct ir_src c);
struct ir_src op_select(struct lower *l, enum ir_type t, struct ir_src c, struct ir_src a,
                        struct ir_src b);
struct ir_src op_icmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b);
struct ir_src op_fcmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b);
struct ir_src op_hcmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b);
struct ir_src op_as(struct lower *l, enum ir_type t, struct ir_src a); /* reinterpreted */
struct ir_src op_dcmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b);
struct ir_src op_double(struct lower *l, uint64_t bits); /* a constant, for use anywhere */
/* Two results: sum and carry, difference and borrow. */
void op_carry(struct lower *l, enum ir_op op, struct ir_src a, struct ir_src b,
              struct ir_src out[2]);
void op_append(struct lower *l, struct ir_insn *i);

/* Pairs: 64-bit integers. */
struct pair {
    struct ir_src lo, hi;
};
struct pair pair_add(struct lower *l, struct pair a, struct pair b);
struct pair pair_mul(struct lower *l, struct pair a, struct pair b);
struct pair pair_shl(struct lower *l, struct pair a, struct ir_src count);
struct ir_src pair_compare(struct lower *l, enum ir_pred p, struct pair a, struct pair b);
struct pair pair_sext(struct lower *l, struct ir_src lo);
bool pair_is_sext(struct pair a); /* hi is known to repeat lo's sign */
/* An integer of `bits` as a pair, its upper bits zero or copies of the sign. */
struct pair pair_extend(struct lower *l, const struct ir_src *c, unsigned bits, bool is_signed);
struct pair pair_neg(struct lower *l, struct pair a);
struct pair pair_select(struct lower *l, struct ir_src c, struct pair a, struct pair b);
struct ir_src spill_right(struct lower *l, struct ir_src x, struct ir_src n); /* x >> (32 - n) */

/* from_llvm_ptr.c */
void find_roots(struct lower *l);
struct root root_of(struct lower *l, LLVMValueRef pointer);
struct comps lower_pointer_constant(struct lower *l, LLVMValueRef c);
/* The pointer with the root that is asked for: ROOT_ADDRESS is possible for all global ones. */
struct comps lower_pointer(struct lower *l, LLVMValueRef pointer, struct root as);
struct comps lower_gep(struct lower *l, LLVMValueRef v);
struct comps lower_space_cast(struct lower *l, LLVMValueRef v, LLVMValueRef from);
struct comps lower_pointer_tag(struct lower *l, LLVMValueRef pointer); /* of a generic one */
struct comps lower_int_to_ptr(struct lower *l, LLVMValueRef v, LLVMValueRef from);
struct comps lower_ptr_to_int(struct lower *l, LLVMValueRef pointer, unsigned bits);
/* The low 32 bits of its distance from the beginning of the program's constant data. */
struct comps lower_constant_offset(struct lower *l, LLVMValueRef pointer);
struct comps lower_pointer_compare(struct lower *l, enum ir_pred p, LLVMValueRef a, LLVMValueRef b);
void layout_local(struct lower *l);
void write_constants(struct lower *l);

/* from_llvm_arith.c */
bool lower_arith(struct lower *l, LLVMValueRef v,
                 struct comps *out); /* false: another kind of instruction */
struct ir_src zext32(struct lower *l, struct ir_src a, unsigned bits);
struct ir_src sext32(struct lower *l, struct ir_src a, unsigned bits);
struct ir_src extend32(struct lower *l, struct ir_src c, unsigned bits, bool is_signed);
bool lower_intrinsic_arith(struct lower *l, LLVMValueRef call, const char *name, struct comps *out);
bool lower_intrinsic_arith(struct lower *l, LLVMValueRef call, const char *name, struct comps *out);
/* The dwords of a double, and back. */
struct ir_src double_word(struct lower *l, struct ir_src x, unsigned word);
struct ir_src double_of(struct lower *l, struct ir_src lo, struct ir_src hi);
struct comps lower_bitcast(struct lower *l, LLVMValueRef from, LLVMTypeRef from_type,
                           LLVMTypeRef to);

/* from_llvm_float.c */
struct comps lower_float(struct lower *l, LLVMValueRef v, LLVMOpcode op);
struct comps lower_fcmp(struct lower *l, LLVMValueRef v);
struct comps lower_cast(struct lower *l, LLVMValueRef v, LLVMOpcode op);
bool lower_intrinsic_float(struct lower *l, LLVMValueRef call, const char *name, struct comps *out);
bool is_intrinsic(const char *name, const char *base); /* "llvm.fabs.f32" is "llvm.fabs" */

/* from_llvm_mem.c */
struct comps lower_load(struct lower *l, LLVMValueRef v);
void lower_store(struct lower *l, LLVMValueRef v);
void lower_atomic(struct lower *l, LLVMValueRef call, enum msg_atomic op);
void layout_private(struct lower *l);
/* Components of a value of type t from its bytes: chunk[i] holds size[i] bytes at at[i]. */
struct chunk {
    struct ir_src value;
    uint32_t at, size;
};
struct comps comps_of_chunks(struct lower *l, LLVMTypeRef t, const struct chunk *chunks,
                             unsigned n);
/* Whether the dword at byte `at` of type t is a float. */
bool dword_is_float(LLVMTypeRef t, uint32_t at);

/* from_llvm_array.c: sets the roots of those that become arrays */
void choose_arrays(struct lower *l);

/* from_llvm_image.c: false if it isn't one of its primitives */
bool lower_image_primitive(struct lower *l, LLVMValueRef call, const char *name, struct comps *out);

/* from_llvm_call.c */
struct comps lower_call(struct lower *l, LLVMValueRef call);

#endif
