/* Compact (64-bit) instructions <-> native ones. A compact instruction holds indices into fixed
 * tables (eu_compact.def) instead of rarely varying fields; both directions read the same moves
 * below. Source: Intel PRM volume 7, "EU Compact Instructions". */
#include "gen/eu.h"

#include "gen/eu_table.h"

#include <string.h>

enum { N_INDEX = 32, N_INDEX3 = 4 };

static const uint32_t control_table[N_INDEX] = {
#define EU_COMPACT_CONTROL(v) v,
#define EU_COMPACT_TYPES(v7, v8)
#define EU_COMPACT_SUB(dst, src0, src1)
#define EU_COMPACT_SRC(v)
#define EU_COMPACT_CONTROL3(v)
#define EU_COMPACT_SRC3(v)
#include "eu_compact.def"
#undef EU_COMPACT_CONTROL
#undef EU_COMPACT_TYPES
};
#define EU_COMPACT_CONTROL(v)
static const uint32_t types_table[2][N_INDEX] = {
    {
#define EU_COMPACT_TYPES(v7, v8) v7,
#include "eu_compact.def"
#undef EU_COMPACT_TYPES
    },
    {
#define EU_COMPACT_TYPES(v7, v8) v8,
#include "eu_compact.def"
#undef EU_COMPACT_TYPES
#undef EU_COMPACT_SUB
    },
};
#define EU_COMPACT_TYPES(v7, v8)
static const uint32_t sub_table[N_INDEX] = {
#define EU_COMPACT_SUB(dst, src0, src1) (dst) | (src0) << 5 | (src1) << 10,
#include "eu_compact.def"
#undef EU_COMPACT_SUB
#undef EU_COMPACT_SRC
};
#define EU_COMPACT_SUB(dst, src0, src1)
static const uint32_t src_table[N_INDEX] = {
#define EU_COMPACT_SRC(v) v,
#include "eu_compact.def"
#undef EU_COMPACT_SRC
#undef EU_COMPACT_CONTROL3
};
#define EU_COMPACT_SRC(v)
static const uint64_t control3_table[N_INDEX3] = {
#define EU_COMPACT_CONTROL3(v) v,
#include "eu_compact.def"
#undef EU_COMPACT_CONTROL3
#undef EU_COMPACT_SRC3
};
#define EU_COMPACT_CONTROL3(v)
static const uint64_t src3_table[N_INDEX3] = {
#define EU_COMPACT_SRC3(v) v,
#include "eu_compact.def"
#undef EU_COMPACT_SRC3
#undef EU_COMPACT_CONTROL
#undef EU_COMPACT_TYPES
#undef EU_COMPACT_SUB
#undef EU_COMPACT_SRC
#undef EU_COMPACT_CONTROL3
};

/* Bits hi:lo of a table value (or of the compact instruction) <-> native bits from `to` up. */
struct move {
    uint8_t hi, lo, to;
};

#define MOVES(name, ...) static const struct move name[] = {__VA_ARGS__, {0}}
MOVES(control_moves7, {18, 17, 89}, {16, 16, 31}, {15, 0, 8});
MOVES(control_moves8, {18, 17, 32}, {16, 16, 31}, {15, 4, 12}, {3, 2, 9}, {1, 1, 34}, {0, 0, 8});
MOVES(types_moves7, {17, 15, 61}, {14, 0, 32});
MOVES(types_moves8, {20, 18, 61}, {17, 12, 89}, {11, 0, 35});
MOVES(sub_moves, {4, 0, 48}, {9, 5, 64}, {14, 10, 96});
MOVES(src0_moves, {11, 0, 77});
MOVES(src1_moves, {11, 0, 109});
/* Of the compact instruction itself: opcode, DebugCtrl, AccWrEn, condition, registers. */
MOVES(direct_moves, {6, 0, 0}, {7, 7, 30}, {23, 23, 28}, {27, 24, 24}, {47, 40, 53}, {55, 48, 69});
MOVES(src1_reg_moves, {63, 56, 101});
MOVES(control3_moves, {20, 0, 8}, {23, 21, 32}, {25, 24, 35});
MOVES(src3_moves, {18, 0, 37}, {26, 19, 65}, {34, 27, 86}, {42, 35, 107}, {43, 43, 83},
      {44, 44, 84}, {46, 45, 104}, {48, 47, 125});
MOVES(direct3_moves, {6, 0, 0}, {18, 12, 56}, {28, 28, 64}, {30, 30, 30}, {31, 31, 31},
      {32, 32, 85}, {33, 33, 106}, {36, 34, 73}, {39, 37, 94}, {42, 40, 115}, {49, 43, 76},
      {56, 50, 97}, {63, 57, 118});
#undef MOVES

static uint64_t bits_mask(unsigned n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static uint64_t native_get(const struct eu_bits *b, unsigned lo, unsigned n)
{
    uint64_t v = b->q[lo >> 6] >> (lo & 63);
    if (lo < 64 && lo + n > 64)
        v |= b->q[1] << (64 - lo);
    return v & bits_mask(n);
}

static void expand(struct eu_bits *b, uint64_t value, const struct move *m)
{
    for (; m->hi | m->lo | m->to; m++) {
        uint64_t part = value >> m->lo & bits_mask(m->hi - m->lo + 1);
        b->q[m->to >> 6] |= part << (m->to & 63);
    }
}

static uint64_t gather(const struct eu_bits *b, const struct move *m)
{
    uint64_t value = 0;
    for (; m->hi | m->lo | m->to; m++)
        value |= native_get(b, m->to, m->hi - m->lo + 1) << m->lo;
    return value;
}

static int find32(const uint32_t *table, uint64_t value)
{
    for (int i = 0; i < N_INDEX; i++) {
        if (table[i] == value)
            return i;
    }
    return -1;
}

static int find3(const uint64_t *table, uint64_t value)
{
    for (int i = 0; i < N_INDEX3; i++) {
        if (table[i] == value)
            return i;
    }
    return -1;
}

static bool has_immediate(int gen, const struct eu_bits *b)
{
    return eu_get(gen, b, EU_src0_file) == EU_IMM || eu_get(gen, b, EU_src1_file) == EU_IMM;
}

static unsigned part(uint64_t v, unsigned hi, unsigned lo)
{
    return v >> lo & bits_mask(hi - lo + 1);
}

bool eu_uncompact(int gen, uint64_t in, struct eu_bits *out, const char **why)
{
    struct eu_bits b = {{0, 0}};
    int op = eu_op_from_code(gen, part(in, 6, 0));
    if (op < 0) {
        *why = "reserved opcode";
        return false;
    }
    if (!part(in, 29, 29)) {
        *why = "the compaction bit is not set";
        return false;
    }
    if (eu_fmt(op) == EU_FMT_SENDS) {
        *why = "split sends have no compact form";
        return false;
    }
    if (eu_fmt(op) == EU_FMT_ALU3) {
        if (gen < 80) {
            *why = "three-source instructions have no compact form before Gen8";
            return false;
        }
        if (part(in, 7, 7) || part(in, 27, 19)) {
            *why = "reserved bits of a compact instruction";
            return false;
        }
        expand(&b, in, direct3_moves);
        expand(&b, control3_table[part(in, 9, 8)], control3_moves);
        expand(&b, src3_table[part(in, 11, 10)], src3_moves);
        *out = b;
        return true;
    }
    if (part(in, 28, 28)) {
        *why = "reserved bits of a compact instruction";
        return false;
    }
    expand(&b, in, direct_moves);
    expand(&b, control_table[part(in, 12, 8)], gen >= 80 ? control_moves8 : control_moves7);
    expand(&b, types_table[gen >= 80][part(in, 17, 13)], gen >= 80 ? types_moves8 : types_moves7);
    expand(&b, sub_table[part(in, 22, 18)], sub_moves);
    expand(&b, src_table[part(in, 34, 30)], src0_moves);
    if (has_immediate(gen, &b)) {
        /* 13 bits, sign-extended, whatever the immediate's type. */
        uint32_t imm = part(in, 39, 35) << 8 | part(in, 63, 56);
        eu_set(gen, &b, EU_imm32, (imm & 0xfff) | (imm & 0x1000 ? 0xfffff000u : 0));
    } else {
        expand(&b, src_table[part(in, 39, 35)], src1_moves);
        expand(&b, in, src1_reg_moves);
    }
    *out = b;
    return true;
}

static bool compact3(int gen, const struct eu_bits *in, uint64_t *out)
{
    int control = find3(control3_table, gather(in, control3_moves));
    int src = find3(src3_table, gather(in, src3_moves));
    if (gen < 80 || control < 0 || src < 0)
        return false;
    *out = gather(in, direct3_moves) | (uint64_t)control << 8 | (uint64_t)src << 10;
    return true;
}

static bool compact2(int gen, const struct eu_bits *in, uint64_t *out)
{
    int control = find32(control_table, gather(in, gen >= 80 ? control_moves8 : control_moves7));
    int types = find32(types_table[gen >= 80], gather(in, gen >= 80 ? types_moves8 : types_moves7));
    int src0 = find32(src_table, gather(in, src0_moves));
    uint64_t sub = gather(in, sub_moves), c = gather(in, direct_moves);
    int src1;
    if (has_immediate(gen, in)) {
        uint32_t imm = eu_get(gen, in, EU_imm32);
        src1 = imm >> 8 & 0x1f;
        sub &= 0x3ff; /* the immediate's bits are in source 1's place */
        c |= (uint64_t)(imm & 0xff) << 56;
    } else {
        src1 = find32(src_table, gather(in, src1_moves));
        c |= gather(in, src1_reg_moves);
    }
    int sub_index = find32(sub_table, sub);
    if (control < 0 || types < 0 || src0 < 0 || src1 < 0 || sub_index < 0)
        return false;
    *out = c | (uint64_t)control << 8 | (uint64_t)types << 13 | (uint64_t)sub_index << 18 |
           (uint64_t)src0 << 30 | (uint64_t)src1 << 35;
    return true;
}

bool eu_compact(int gen, const struct eu_bits *in, uint64_t *out)
{
    int op = eu_op_from_code(gen, eu_get(gen, in, EU_opcode));
    /* Jump distances and the EOT bit have no place in the compact form. */
    if (op < 0 || eu_fmt(op) == EU_FMT_JUMP || eu_fmt(op) == EU_FMT_SENDS ||
        eu_get(gen, in, EU_cmpt_ctrl))
        return false;
    if (eu_fmt(op) == EU_FMT_SEND && eu_get(gen, in, EU_eot))
        return false;
    uint64_t c = 0;
    struct eu_bits back;
    const char *why;
    if (!(eu_fmt(op) == EU_FMT_ALU3 ? compact3(gen, in, &c) : compact2(gen, in, &c)))
        return false;
    c |= 1ull << 29;
    /* Whatever the form can't hold shows here. */
    if (!eu_uncompact(gen, c, &back, &why) || memcmp(&back, in, sizeof(back)) != 0)
        return false;
    *out = c;
    return true;
}
