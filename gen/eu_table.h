/* The EU's tables as the files eu_*.c share them: field positions with one getter and one setter,
 * layouts, type codes. Internal to gen; others include eu.h. */
#ifndef GEN_EU_TABLE_H
#define GEN_EU_TABLE_H

#include "gen/eu.h"

#include <assert.h>

/* Layouts of an instruction (last column of eu_op.def). */
enum eu_fmt {
    EU_FMT_NONE,  /* the opcode alone matters */
    EU_FMT_ALU,   /* one or two sources */
    EU_FMT_ALU3,  /* three sources */
    EU_FMT_MATH,  /* two sources, function in the condition's place */
    EU_FMT_WAIT,  /* one source, n0 */
    EU_FMT_JUMP,  /* jump targets */
    EU_FMT_SEND,  /* descriptor as second source */
    EU_FMT_SENDS, /* two payloads */
};

enum eu_field_group {
    EU_GROUP_CTRL,
    EU_GROUP_ALU,
    EU_GROUP_IND,
    EU_GROUP_A16,
    EU_GROUP_IMM,
    EU_GROUP_IMM64,
    EU_GROUP_TRI,
    EU_GROUP_JUMP,
    EU_GROUP_SEND,
    EU_GROUP_SENDS
};

enum eu_field {
#define EU_FIELD(name, h7, l7, h8, l8, group) EU_##name,
#include "eu_field.def"
#undef EU_FIELD
    EU_N_FIELDS
};

struct eu_pos {
    int8_t group;
    int16_t hi[2], lo[2]; /* [0] Gen7 and 7.5, [1] Gen8 and 9; -1: absent */
    const char *name;
    const char *why; /* what to say if a value doesn't fit */
};
extern const struct eu_pos eu_pos[EU_N_FIELDS];

static inline bool eu_has(int gen, enum eu_field f)
{
    return eu_pos[f].hi[gen >= 80] >= 0;
}

static inline uint64_t eu_field_mask(int gen, enum eu_field f)
{
    return ~0ull >> (63 - (eu_pos[f].hi[gen >= 80] - eu_pos[f].lo[gen >= 80]));
}

/* No field crosses the middle of the instruction. */
static inline uint64_t eu_get(int gen, const struct eu_bits *b, enum eu_field f)
{
    int lo = eu_pos[f].lo[gen >= 80];
    assert(lo >= 0);
    return b->q[lo >> 6] >> (lo & 63) & eu_field_mask(gen, f);
}

static inline void eu_set(int gen, struct eu_bits *b, enum eu_field f, uint64_t value)
{
    int lo = eu_pos[f].lo[gen >= 80];
    uint64_t mask = eu_field_mask(gen, f);
    assert(lo >= 0 && value <= mask);
    b->q[lo >> 6] = (b->q[lo >> 6] & ~(mask << (lo & 63))) | value << (lo & 63);
}

/* The fields of one source operand in the two- and in the three-source layout. */
struct eu_src_fields {
    enum eu_field file, type, sub, reg, abs, negate, addr_mode, hstride, width, vstride, addr_imm,
        addr_imm9, a0_sub, swz_xy, swz_zw, sub16;
};
extern const struct eu_src_fields eu_src_fields[2];
struct eu_tri_fields {
    enum eu_field abs, negate, rep, swz, sub, reg, word;
};
extern const struct eu_tri_fields eu_tri_fields[3];

struct eu_type_codes {
    const char *name;
    int8_t size, reg[2], imm[2], tri; /* [gen >= 80] */
};
extern const struct eu_type_codes eu_type_codes[EU_N_TYPES];

/* What eu_op_info() does not tell others. */
enum eu_fmt eu_fmt(enum eu_opcode op);
bool eu_has_branch_ctrl(int gen, enum eu_opcode op);
unsigned eu_n_targets(int gen, enum eu_opcode op); /* 1: JIP, 2: JIP and UIP */
/* The source that holds a register jump target (brd, brc: 0, jmpi: 1), or -1. */
int eu_target_src(enum eu_opcode op);
/* madm and the math functions invm and rsqtm: special accumulators instead of swizzles. */
bool eu_is_macro(const struct eu_insn *in);

#endif
