/* The instruction set's tables, from eu_op.def, eu_field.def and eu_type.def, and what follows from
 * them alone. Read-only. */
#include "gen/eu.h"

#include "gen/eu_table.h"

struct eu_op_row {
    struct eu_op_info info;
    uint8_t fmt, branch_ctrl, targets[2];
};

static const struct eu_op_row eu_op_rows[EU_N_OPS] = {
#define EU_OP(op_name, op_code, first, last, src, p, c, s, m, bctl, t7, t8, format)                \
    [EU_OP_##op_name] = {                                                                          \
        .info = {.name = #op_name,                                                                 \
                 .code = op_code,                                                                  \
                 .first_gen = first,                                                               \
                 .last_gen = last,                                                                 \
                 .n_src = src,                                                                     \
                 .pred = p,                                                                        \
                 .cond = c,                                                                        \
                 .sat = s,                                                                         \
                 .mods = m,                                                                        \
                 .branch = EU_FMT_##format == EU_FMT_JUMP,                                         \
                 .is_3src = EU_FMT_##format == EU_FMT_ALU3,                                        \
                 .is_send = EU_FMT_##format == EU_FMT_SEND || EU_FMT_##format == EU_FMT_SENDS},    \
        .fmt = EU_FMT_##format,                                                                    \
        .branch_ctrl = bctl,                                                                       \
        .targets = {t7, t8}},
#include "eu_op.def"
#undef EU_OP
};

const struct eu_pos eu_pos[EU_N_FIELDS] = {
#define EU_FIELD(field, h7, l7, h8, l8, in_group)                                                  \
    [EU_##field] = {.group = EU_GROUP_##in_group,                                                  \
                    .hi = {h7, h8},                                                                \
                    .lo = {l7, l8},                                                                \
                    .name = #field,                                                                \
                    .why = "the field " #field " can't hold its value"},
#include "eu_field.def"
#undef EU_FIELD
};

#define EU_FIELD(field, h7, l7, h8, l8, group)                                                     \
    _Static_assert((h7) >= (l7) && (h7) < 128 && ((h7) >= 64) == ((l7) >= 64), #field);            \
    _Static_assert((h8) >= (l8) && (h8) < 128 && ((h8) >= 64) == ((l8) >= 64), #field);            \
    _Static_assert((h8) >= 0, #field);
#include "eu_field.def"
#undef EU_FIELD

#define EU_SRC_FIELDS(n)                                                                           \
    {                                                                                              \
        EU_##n##_file, EU_##n##_type, EU_##n##_sub, EU_##n##_reg, EU_##n##_abs, EU_##n##_negate,   \
            EU_##n##_addr_mode, EU_##n##_hstride, EU_##n##_width, EU_##n##_vstride,                \
            EU_##n##_addr_imm, EU_##n##_addr_imm9, EU_##n##_a0_sub, EU_##n##_swz_xy,               \
            EU_##n##_swz_zw, EU_##n##_sub16                                                        \
    }
const struct eu_src_fields eu_src_fields[2] = {EU_SRC_FIELDS(src0), EU_SRC_FIELDS(src1)};

#define EU_TRI_FIELDS(n)                                                                           \
    {                                                                                              \
        EU_tri_##n##_abs, EU_tri_##n##_negate, EU_tri_##n##_rep, EU_tri_##n##_swz,                 \
            EU_tri_##n##_sub, EU_tri_##n##_reg, EU_tri_##n##_word                                  \
    }
const struct eu_tri_fields eu_tri_fields[3] = {EU_TRI_FIELDS(src0), EU_TRI_FIELDS(src1),
                                               EU_TRI_FIELDS(src2)};

/* ORDER eu_type: the rows stand in the enum's order. */
const struct eu_type_codes eu_type_codes[EU_N_TYPES] = {
#define EU_TYPE(type, text, bytes, r7, r8, i7, i8, tri_code)                                       \
    [EU_##type] = {text, bytes, {r7, r8}, {i7, i8}, tri_code},
#include "eu_type.def"
#undef EU_TYPE
};

const struct eu_op_info *eu_op_info(enum eu_opcode op)
{
    assert(op < EU_N_OPS);
    return &eu_op_rows[op].info;
}

int eu_op_from_code(int gen, unsigned code)
{
    for (int i = 0; i < EU_N_OPS; i++) {
        const struct eu_op_info *info = &eu_op_rows[i].info;
        if (info->code == code && gen >= info->first_gen && gen <= info->last_gen)
            return i;
    }
    return -1;
}

enum eu_fmt eu_fmt(enum eu_opcode op)
{
    return eu_op_rows[op].fmt;
}

bool eu_has_branch_ctrl(int gen, enum eu_opcode op)
{
    return gen >= 80 && eu_op_rows[op].branch_ctrl;
}

unsigned eu_n_targets(int gen, enum eu_opcode op)
{
    return eu_op_rows[op].targets[gen >= 80];
}

int eu_target_src(enum eu_opcode op)
{
    if (op == EU_OP_brd || op == EU_OP_brc)
        return 0;
    return op == EU_OP_jmpi ? 1 : -1;
}

bool eu_is_macro(const struct eu_insn *in)
{
    return in->op == EU_OP_madm ||
           (in->op == EU_OP_math && (in->fn == EU_MATH_INVM || in->fn == EU_MATH_RSQTM));
}

unsigned eu_type_size(enum eu_type t)
{
    return eu_type_codes[t].size;
}

const char *eu_type_name(enum eu_type t)
{
    return eu_type_codes[t].name;
}

/* Rank of execution types: the widest source wins (PRM, "Execution Data Types"). */
static enum eu_type eu_source_exec_type(enum eu_type t)
{
    switch (t) {
    case EU_DF:
        return EU_DF;
    case EU_F:
    case EU_VF:
        return EU_F;
    case EU_HF:
        return EU_HF;
    case EU_UQ:
    case EU_Q:
        return EU_Q;
    case EU_UD:
    case EU_D:
        return EU_D;
    case EU_UW:
    case EU_W:
    case EU_UB:
    case EU_B:
    case EU_UV:
    case EU_V:
        return EU_W;
    case EU_N_TYPES:
        break;
    }
    assert(!"a type");
    return EU_D;
}

static int eu_exec_rank(enum eu_type t)
{
    static const uint8_t rank[EU_N_TYPES] = {
        [EU_W] = 1, [EU_D] = 2, [EU_Q] = 3, [EU_HF] = 4, [EU_F] = 5, [EU_DF] = 6};
    return rank[t];
}

enum eu_type eu_exec_type(const struct eu_insn *in)
{
    unsigned n = eu_op_rows[in->op].info.n_src;
    if (n == 0)
        return EU_D;
    /* The absent second source of a one-source math function has no say. */
    if (in->op == EU_OP_math && in->src[1].file == EU_ARF && in->src[1].reg == EU_ARF_NULL)
        n = 1;
    enum eu_type type = eu_source_exec_type(in->src[0].type);
    for (unsigned i = 1; i < n; i++) {
        enum eu_type t = eu_source_exec_type(in->src[i].type);
        if (eu_exec_rank(t) > eu_exec_rank(type))
            type = t;
    }
    if (n == 1 && type == EU_HF && in->dst.type == EU_F)
        type = EU_F;
    return type;
}
