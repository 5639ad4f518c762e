/* Where operands lie, and which channels take part (sections 1.6, 2, 3.2, 6.2). */
#include "model.h"

#include <assert.h>
#include <string.h>

static uint64_t read_grf(const struct model *m, unsigned at, unsigned size)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)m->grf[(at + i) % sizeof(m->grf)] << 8 * i;
    return v;
}

/* 2.2: the address in a0 plus the immediate. Gen7 and 7.5 drop the carry out of the low 5 bits. */
static unsigned indirect(const struct model *m, unsigned k, int imm)
{
    unsigned a = m->a0[k & 15];
    if (m->gen >= 80)
        return (a + (unsigned)imm) & 0xffff;
    return (((a & ~31u) + ((unsigned)imm & ~31u)) | ((a + (unsigned)imm) & 31)) & 0xffff;
}

/* 3.2: vector immediates act like packed words (V, UV) or floats (VF). */
static struct element vector_immediate(const struct eu_insn *in, const struct eu_operand *o,
                                       unsigned i)
{
    if (o->type == EU_VF) {
        unsigned b = (unsigned)(o->imm >> 8 * (i % 4)) & 0xff;
        uint32_t f = b & 0x7f ? ((b >> 4 & 7) - 3 + 127) << 23 | (b & 15) << 19 : 0;
        return (struct element){f | (b & 0x80) << 24, EU_F};
    }
    unsigned nibble = i * in->dst.hs * eu_type_size(in->dst.type) / 2 % 8;
    uint64_t v = o->imm >> 4 * nibble & 15;
    if (o->type == EU_V && v & 8)
        v |= 0xfff0;
    return (struct element){v, o->type == EU_V ? EU_W : EU_UW};
}

/* An architecture register at a byte offset (1.2, 1.3). */
static uint64_t read_arf(const struct model *m, unsigned reg, unsigned at, unsigned type)
{
    unsigned size = eu_type_size(type), bits = 8 * size;
    uint64_t mask = bits < 64 ? (1ull << bits) - 1 : ~0ull, v = 0;
    switch (reg & 0xf0) {
    case EU_ARF_A0:
        memcpy(&v, (const uint8_t *)m->a0 + at, size);
        break;
    case EU_ARF_F0:
        memcpy(&v, (const uint8_t *)m->f + 4 * (reg & 1) + at, size);
        break;
    case EU_ARF_CR0:
        v = m->cr0;
        break;
    case EU_ARF_ACC0:
        if (type == EU_F)
            return m->acc_f[(reg & 1) * 8 + at / 4];
        if (type == EU_DF)
            return m->acc_df[(reg & 1) * 4 + at / 8];
        v = (uint64_t)m->acc[at / size]; /* an explicit read returns the low bits */
        break;
    default:
        assert(!"a register of the model");
    }
    return v & mask;
}

static struct element source(const struct step *s, const struct eu_operand *o, unsigned i)
{
    const struct model *m = s->m;
    unsigned size = eu_type_size(o->type), at;
    if (o->file == EU_IMM) {
        if (o->type == EU_V || o->type == EU_UV || o->type == EU_VF)
            return vector_immediate(s->in, o, i);
        return (struct element){o->imm, o->type};
    }
    if (eu_op_info(s->in->op)->is_3src) { /* 4.3 */
        unsigned k;
        if (o->rep)
            k = 0;
        else if (size == 8) /* xyzw, or a scalar: xyxy, zwzw */
            k = o->swizzle == 0xe4 ? i : o->swizzle == 0xee;
        else
            k = i / 4 * 4 + (o->swizzle >> 2 * (i % 4) & 3);
        at = o->reg * 32u + o->sub + k * size;
    } else if (s->in->align16) { /* 4.2 */
        at = o->reg * 32u + o->sub + (i / 4 * o->vs + (o->swizzle >> 2 * (i % 4) & 3)) * size;
    } else {
        /* 2.1; Ivy Bridge's doubles: element 2i, in steps of a dword (2.4) */
        unsigned e = s->df_dwords ? 2 * i : i, step = s->df_dwords ? 4 : size;
        unsigned row = e / o->width, column = e % o->width * o->hs * step;
        if (o->indirect)
            at = o->vs == EU_VS_VXH
                     ? indirect(m, o->a0_sub + row, o->addr_imm) + column
                     : indirect(m, o->a0_sub, o->addr_imm) + row * o->vs * step + column;
        else
            at = o->sub + row * o->vs * step + column;
        if (o->file == EU_ARF)
            return (struct element){read_arf(m, o->reg, at, o->type), o->type};
        if (!o->indirect)
            at += o->reg * 32u;
    }
    return (struct element){read_grf(m, at, size), o->type};
}

/* 6.2. c: the thread channel, i: the channel of the instruction. */
static bool predicate(const struct model *m, const struct eu_insn *in, unsigned c)
{
    if (in->pred == EU_PRED_NONE)
        return true;
    uint32_t flag = m->f[in->flag >> 1];
    unsigned bit = 16 * (in->flag & 1u) + c, group = 1;
    bool all = false, v;
    if (in->align16 && in->pred >= 2 && in->pred <= 5) { /* 4.3: replicate x, y, z, w */
        bit = (bit & ~3u) + in->pred - 2;
    } else if (in->pred == EU_PRED_ANYV || in->pred == EU_PRED_ALLV) {
        bool a = m->f[0] >> bit & 1, b = m->f[1] >> bit & 1;
        v = in->pred == EU_PRED_ANYV ? a || b : a && b;
        return v != in->pred_inv;
    } else if (in->pred != EU_PRED_NORMAL) {
        group = 2u << (in->pred - EU_PRED_ANY2H) / 2;
        all = (in->pred - EU_PRED_ANY2H) & 1;
    }
    v = all;
    for (unsigned k = bit / group * group; k < (bit / group + 1) * group; k++)
        v = all ? v && (flag >> k & 1) : v || (flag >> k & 1);
    return v != in->pred_inv;
}

unsigned step_channel(const struct step *s, unsigned i)
{
    return s->in->group + i;
}

bool step_begin(struct step *s, struct model *m, const struct eu_insn *in)
{
    const struct eu_op_info *info = eu_op_info(in->op);
    *s = (struct step){.m = m, .in = in, .n = in->exec_size, .n_src = info->n_src};
    if (in->op == EU_OP_math && in->src[1].file == EU_ARF)
        s->n_src = 1;
    bool df = in->dst.type == EU_DF;
    for (unsigned k = 0; k < s->n_src; k++)
        df |= in->src[k].type == EU_DF;
    if (df && m->quirks & GEN_QUIRK_DF_DWORD_REGIONS) {
        s->df_dwords = true; /* 2.4: ExecSize counts dwords */
        s->n /= 2;
        if (s->n == 0)
            return false;
    }
    m->n_loose = 0;
    m->f_loose[0] = m->f_loose[1] = m->acc_loose = 0;
    m->arf_loose = false;
    for (unsigned i = 0; i < s->n; i++) {
        unsigned c = step_channel(s, i);
        bool exec = in->no_mask || (m->active >> c & 1), pred = predicate(m, in, c);
        s->exec |= (uint32_t)exec << i;
        s->pred |= (uint32_t)pred << i;
        /* A predicate of sel chooses, it doesn't disable (6.6). */
        s->write |= (uint32_t)(exec && (pred || in->op == EU_OP_sel)) << i;
        for (unsigned k = 0; k < s->n_src; k++)
            s->src[k][i] = source(s, &in->src[k], i);
    }
    return true;
}

bool step_enabled(const struct step *s, unsigned i)
{
    if (!s->in->align16)
        return true;
    unsigned bit = eu_type_size(s->in->dst.type) == 8 ? i % 2 * 2 : i % 4;
    return s->in->dst.chan_en >> bit & 1;
}

unsigned step_dst(const struct step *s, unsigned i)
{
    const struct eu_operand *d = &s->in->dst;
    unsigned size = eu_type_size(d->type), step = size, e = i;
    if (s->df_dwords && !eu_op_info(s->in->op)->is_3src)
        step = 4, e = 2 * i;
    unsigned off = e * (s->in->align16 ? 1 : d->hs) * step;
    return d->indirect ? indirect(s->m, d->a0_sub, d->addr_imm) + off : d->reg * 32u + d->sub + off;
}

void step_store(struct step *s, unsigned i, uint64_t bits)
{
    const struct eu_operand *d = &s->in->dst;
    struct model *m = s->m;
    unsigned size = eu_type_size(d->type);
    if (d->file == EU_GRF || d->indirect) {
        for (unsigned k = 0, at = step_dst(s, i); k < size; k++)
            m->grf[(at + k) % sizeof(m->grf)] = (uint8_t)(bits >> 8 * k);
        return;
    }
    unsigned at = d->sub + i * d->hs * size;
    switch (d->reg & 0xf0) {
    case EU_ARF_A0:
        memcpy((uint8_t *)m->a0 + at, &bits, size);
        break;
    case EU_ARF_F0:
        memcpy((uint8_t *)m->f + 4 * (d->reg & 1) + at, &bits, size);
        break;
    case EU_ARF_CR0:
        m->cr0 = (uint32_t)bits;
        break;
    default: /* null; the accumulators are written with all their bits elsewhere */
        break;
    }
}

void step_loose(struct step *s, unsigned i, enum open why, uint64_t alt, double lo, double hi)
{
    const struct eu_operand *d = &s->in->dst;
    if (d->file == EU_GRF || d->indirect)
        s->m->loose[s->m->n_loose++] =
            (struct loose){(uint16_t)step_dst(s, i), d->type, (uint8_t)why, alt, lo, hi};
    else if ((d->reg & 0xf0) == EU_ARF_ACC0)
        s->m->acc_loose |= 1u << i;
    else if (d->reg != EU_ARF_NULL)
        s->m->arf_loose = true;
    s->m->n_open[why]++;
}

void step_flag(struct step *s, unsigned i, bool value, enum open why)
{
    unsigned bit = 16 * (s->in->flag & 1u) + step_channel(s, i);
    uint32_t *f = &s->m->f[s->in->flag >> 1];
    *f = (*f & ~(1u << bit)) | (uint32_t)value << bit;
    if (why != CLOSED) {
        s->m->f_loose[s->in->flag >> 1] |= 1u << bit;
        s->m->n_open[why]++;
    }
}

void step_acc_open(struct step *s, unsigned i, enum open why)
{
    s->m->acc_loose |= 1u << i;
    s->m->n_open[why]++;
}

bool model_closed(const struct model *m)
{
    return !m->n_loose && !m->f_loose[0] && !m->f_loose[1] && !m->acc_loose && !m->arf_loose;
}
