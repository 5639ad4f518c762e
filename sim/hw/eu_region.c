/* Operands: where the elements of a region lie, reading them into lanes, writing lanes back.
 * eu_resolve() works out once what does not depend on a thread. Rules of regions themselves are
 * gen/eu_check's; here only what would leave a register file is refused.
 * Source: Intel PRM volume 7, "Register Region", "ARF Registers", "Accumulator Registers". */
#include "eu_exec.h"
#include "perturb.h"

#include <immintrin.h>
#include <string.h>

enum { GRF_BYTES = EU_N_GRF * EU_GRF_SIZE };

/* ---- resolving ---- */

static bool is_float_type(unsigned type)
{
    return type == EU_F || type == EU_VF || type == EU_DF || type == EU_HF;
}

static unsigned n_sources(const struct eu_insn *in)
{
    return eu_op_info(in->op)->n_src;
}

/* Class and width of the computation, from the sources: floats DF > F > HF, integers Q > D > W. */
static const char *resolve_class(struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    unsigned n = n_sources(in), n_float = 0, n_int = 0;
    bool df = false, f = false, q = false, d = false;
    for (unsigned i = 0; i < n; i++) {
        unsigned type = in->src[i].type;
        if (in->fn != EU_MATH_FDIV && in->op == EU_OP_math && i == 1 && in->src[1].file == EU_ARF)
            continue; /* absent second operand */
        if (in->op == EU_OP_smov && i == 1)
            continue; /* the mask */
        if (is_float_type(type))
            n_float++;
        else
            n_int++;
        df |= type == EU_DF;
        f |= type == EU_F || type == EU_VF;
        q |= type == EU_Q || type == EU_UQ;
        d |= type == EU_D || type == EU_UD;
    }
    if (n_float && n_int)
        return "integer and float sources in one instruction";
    if (n_float) {
        op->cls = df ? EU_CLASS_DF : f || in->dst.type == EU_F ? EU_CLASS_F : EU_CLASS_HF;
        op->exec_type = df ? EU_DF : op->cls == EU_CLASS_F ? EU_F : EU_HF;
    } else {
        op->cls = EU_CLASS_INT;
        op->exec_type = q ? EU_Q : d ? EU_D : EU_W;
    }
    return NULL;
}

static unsigned log2_of(unsigned v)
{
    return v ? (unsigned)__builtin_ctz(v) : 0;
}

static bool is_logic(unsigned op)
{
    return op == EU_OP_and || op == EU_OP_or || op == EU_OP_xor || op == EU_OP_not;
}

/* A vector immediate is 8 packed words or 4 packed floats; nibbles are taken by the destination's
 * bytes: a dword destination takes every second one. */
static uint32_t vector_nibble(const struct eu_op *op, const struct eu_src *s, unsigned i)
{
    unsigned step = op->dst.null ? 1 : op->dst.step / 2;
    unsigned nibble = (uint32_t)s->imm >> 4 * (i * (step ? step : 1) % 8) & 0xf;
    return s->type == EU_V && nibble & 8 ? nibble | ~(uint32_t)0xf : nibble;
}

static float vector_float(const struct eu_src *s, unsigned i)
{
    unsigned byte = (uint32_t)s->imm >> 8 * (i % 4) & 0xff;
    float v = 0;
    if (byte & 0x7f) {
        int e = (int)(byte >> 4 & 7) - 3;
        v = (float)(16 + (byte & 0xf)) / 16 * (e < 0 ? 1.0f / (float)(1 << -e) : (float)(1 << e));
    }
    return byte & 0x80 ? -v : v;
}

static unsigned direct_offset(const struct eu_op *op, const struct eu_src *s, unsigned i)
{
    if (s->kind == SRC_SWIZZLE) {
        if (s->size == 8) /* a double is two of the four channels */
            return s->off + i / 2 * (unsigned)s->vs + s->swizzle[i % 2 * 2] * 4u;
        return s->off + i / 4 * (unsigned)s->vs + s->swizzle[i % 4] * s->size;
    }
    unsigned e = op->df_dwords ? 2 * i : i;
    return s->off + (unsigned)((int)(e >> s->width_shift) * s->vs +
                               (int)(e & ((1u << s->width_shift) - 1)) * s->hs);
}

/* What the fast path may assume of a source whose offsets are fixed. */
static uint8_t region_form(const struct eu_op *op, const struct eu_src *s)
{
    unsigned o0 = direct_offset(op, s, 0);
    if (op->n == 1)
        return FORM_SCALAR;
    int step = (int)direct_offset(op, s, 1) - (int)o0;
    for (unsigned i = 2; i < op->n; i++) {
        if ((int)direct_offset(op, s, i) - (int)o0 != (int)i * step)
            return FORM_ROWS;
    }
    return step == 0 ? FORM_SCALAR : step == s->size ? FORM_PACKED : FORM_STRIDE;
}

/* madm, invm, rsqtm: their swizzle and channel enable bits name special accumulators, which add
 * precision only; elements are packed from the register's start. */
static bool is_macro(const struct eu_insn *in)
{
    return in->op == EU_OP_madm ||
           (in->op == EU_OP_math && (in->fn == EU_MATH_INVM || in->fn == EU_MATH_RSQTM));
}

static void resolve_align16(struct eu_src *s, const struct eu_operand *o, bool three, bool macro)
{
    s->kind = SRC_SWIZZLE;
    for (unsigned c = 0; c < 4; c++)
        s->swizzle[c] = macro ? c : o->swizzle >> 2 * c & 3;
    /* A row is four channels of the operand's own size; doubles fill two channels each. */
    s->vs = three || macro || o->vs ? (s->size == 8 ? 16 : 4 * s->size) : 0;
    if (three && o->rep) {
        memset(s->swizzle, 0, sizeof s->swizzle);
        s->vs = 0;
    } else if (three && !macro && s->size == 8 && (o->swizzle == 0x44 || o->swizzle == 0xee)) {
        s->vs = 0; /* one double for all */
    }
}

/* An immediate as lane i sees it, extended to 32 bits. */
static uint32_t immediate_lane(const struct eu_op *op, const struct eu_src *s, unsigned i)
{
    uint32_t bits = (uint32_t)s->imm;
    float v;
    switch (s->type) {
    case EU_UW:
    case EU_HF:
        return bits & 0xffff;
    case EU_W:
        return (uint32_t)(int16_t)bits;
    case EU_V:
    case EU_UV:
        return vector_nibble(op, s, i);
    case EU_VF:
        v = vector_float(s, i);
        memcpy(&bits, &v, sizeof bits);
        return bits;
    default:
        return bits;
    }
}

static const char *resolve_src(int gen, struct eu_op *op, unsigned k)
{
    const struct eu_insn *in = &op->insn;
    const struct eu_operand *o = &in->src[k];
    struct eu_src *s = &op->src[k];
    bool three = eu_op_info(in->op)->is_3src;
    s->type = o->type;
    s->size = (uint8_t)eu_type_size(o->type);
    s->negate = o->negate;
    s->abs = o->abs;
    if (is_logic(in->op) && gen >= 80) {
        s->invert = o->negate;
        s->negate = false;
    }
    s->modified = o->negate || o->abs;
    s->and_bits = o->abs ? 0x7fffffff : 0xffffffff;
    s->xor_bits = o->negate ? 0x80000000 : 0;
    if (o->file == EU_IMM) {
        s->kind = SRC_IMM;
        s->imm = o->imm;
        s->form = o->type < EU_UV ? FORM_SCALAR : FORM_NONE;
        for (unsigned i = 0; i < 8; i++)
            s->imm_lanes[i] = immediate_lane(op, s, i);
        return NULL;
    }
    unsigned unit = op->df_dwords ? 4 : s->size;
    s->off = (uint16_t)(o->reg * EU_GRF_SIZE + o->sub);
    s->width_shift = (uint8_t)log2_of(o->width);
    s->hs = (int16_t)(o->hs * unit);
    s->vs = (int16_t)(o->vs == EU_VS_VXH ? 0 : o->vs * unit);
    if (o->file == EU_ARF) {
        s->arf = o->reg;
        s->off = o->sub;
        s->kind = (o->reg & 0xf0) == EU_ARF_ACC0 ? SRC_ACC : SRC_ARF;
        s->form = FORM_NONE;
        return o->indirect ? "indirect architecture register" : NULL;
    }
    if (o->file != EU_GRF)
        return "register file that does not exist";
    if (o->indirect) {
        s->kind = o->vs == EU_VS_VXH ? SRC_VXH : SRC_1X1;
        s->a0 = o->a0_sub;
        s->addr_imm = o->addr_imm;
        s->off = 0;
        s->form = FORM_NONE;
        unsigned n_a0 = gen >= 80 ? 16 : 8;
        unsigned rows = s->kind == SRC_VXH
                            ? (unsigned)(op->n + (1 << s->width_shift) - 1) >> s->width_shift
                            : 1;
        return s->a0 + rows > n_a0 ? "more addresses than a0 has" : NULL;
    }
    s->kind = SRC_GRF;
    if (three || in->align16)
        resolve_align16(s, o, three, is_macro(in));
    for (unsigned i = 0; i < op->n; i++) {
        if (direct_offset(op, s, i) + s->size > GRF_BYTES)
            return "source region leaves the register file";
    }
    s->form = op->df_dwords ? FORM_NONE : region_form(op, s);
    if (s->form == FORM_STRIDE)
        s->hs = (int16_t)((int)direct_offset(op, s, 1) - (int)direct_offset(op, s, 0));
    s->off = (uint16_t)(s->form == FORM_SCALAR || s->form == FORM_PACKED || s->form == FORM_STRIDE
                            ? direct_offset(op, s, 0)
                            : s->off);
    if (s->kind == SRC_SWIZZLE && s->form != FORM_ROWS && s->form != FORM_NONE) {
        /* From here on it is a plain region. */
        s->kind = SRC_GRF;
        s->width_shift = 5;
        s->vs = 0;
        s->hs = (int16_t)(s->form == FORM_SCALAR ? 0 : s->form == FORM_PACKED ? s->size : s->hs);
    } else if (s->form == FORM_STRIDE) {
        s->width_shift = 5;
        s->vs = 0;
    }
    return NULL;
}

static const char *resolve_dst(int gen, struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    const struct eu_operand *o = &in->dst;
    struct eu_dst *d = &op->dst;
    bool three = eu_op_info(in->op)->is_3src;
    d->file = o->file;
    d->type = o->type;
    d->size = (uint8_t)eu_type_size(o->type);
    d->arf = o->reg;
    d->null = o->file == EU_ARF && (o->reg & 0xf0) == EU_ARF_NULL;
    d->acc = o->file == EU_ARF && (o->reg & 0xf0) == EU_ARF_ACC0;
    d->align16 = three || in->align16;
    d->chan_en = d->align16 && !is_macro(in) ? o->chan_en : 0xf;
    unsigned hs = d->align16 || !o->hs ? 1 : o->hs;
    d->step = (uint16_t)(hs * (op->df_dwords ? 8 : d->size));
    d->off = (uint16_t)((o->file == EU_GRF ? o->reg * EU_GRF_SIZE : 0) + o->sub);
    d->form = FORM_NONE;
    if (d->null) {
        d->form = FORM_NULL;
        return NULL;
    }
    if (o->file == EU_ARF)
        return o->indirect ? "indirect architecture register" : NULL;
    if (o->file != EU_GRF)
        return "destination is not a register";
    if (o->indirect) {
        d->indirect = true;
        d->a0 = o->a0_sub;
        d->addr_imm = o->addr_imm;
        d->off = 0;
        return d->a0 >= (gen >= 80 ? 16 : 8) ? "more addresses than a0 has" : NULL;
    }
    if (d->off + (op->n - 1u) * d->step + d->size > GRF_BYTES)
        return "destination leaves the register file";
    if (!op->df_dwords && d->chan_en == 0xf)
        d->form = d->step == d->size ? FORM_PACKED : FORM_STRIDE;
    return NULL;
}

const char *eu_resolve(int gen, uint32_t quirks, struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    const struct eu_op_info *info = eu_op_info(in->op);
    op->no_mask = in->no_mask;
    op->group = in->group;
    op->pred = in->pred;
    op->pred_inv = in->pred_inv;
    op->cond = in->cond;
    op->flag_reg = in->flag >> 1;
    op->flag_shift = (uint8_t)(16 * (in->flag & 1) + in->group);
    op->saturate = in->saturate;
    op->align16 = in->align16 || info->is_3src;
    op->acc_wr = in->acc_wr && !info->branch;
    op->n = in->exec_size;
    bool df = !info->branch && !info->is_send && in->dst.type == EU_DF;
    for (unsigned i = 0; i < info->n_src; i++)
        df |= in->src[i].type == EU_DF;
    if (df && quirks & GEN_QUIRK_DF_DWORD_REGIONS && !info->branch && !info->is_send) {
        op->df_dwords = true;
        op->n = in->exec_size > 1 ? in->exec_size / 2 : 1;
    }
    op->lanes = op->n == 32 ? ~0u : (1u << op->n) - 1;
    if (op->group + op->n > 32)
        return "channels beyond 31";
    if ((op->pred || op->cond) && op->flag_shift + op->n > 32 && op->flag_shift >= 32)
        return "flag bits beyond the flag register";
    if (info->branch || info->is_send || in->op == EU_OP_nop)
        return NULL;
    if (gen < 80 && in->exec_size == 32 && !in->no_mask)
        return "SIMD32 without NoMask (the mask of channels 0 to 15 would serve both halves)";
    const char *why = resolve_class(op);
    if (!why)
        why = resolve_dst(gen, op);
    for (unsigned i = 0; !why && i < info->n_src; i++) {
        why = resolve_src(gen, op, i);
        op->modified |= op->src[i].modified;
    }
    op->extra = op->saturate || op->cond;
    return why;
}

/* ---- places ---- */

/* Address of an indirect operand. Before Gen8 the immediate may not carry out of the low 5 bits. */
static bool indirect_address(struct eu_thread *t, unsigned a0, int imm, int *addr)
{
    unsigned base = t->a0[a0];
    *addr = (int)base + imm;
    if (eu_gen(t) < 80 && (base & 31) + ((unsigned)imm & 31) > 31) {
        eu_fault(t, "a0.%u = 0x%x and immediate %d: a carry out of the low 5 bits (Gen7, Gen7.5)",
                 a0, base, imm);
        return false;
    }
    return true;
}

static bool place(struct eu_thread *t, int at, unsigned size, uint16_t *off)
{
    if (at < 0 || at + (int)size > GRF_BYTES) {
        eu_fault(t, "indirect operand at byte %d, outside of the register file", at);
        return false;
    }
    *off = (uint16_t)at;
    return true;
}

bool eu_src_offsets(struct eu_thread *t, const struct eu_op *op, const struct eu_src *s,
                    uint16_t off[32])
{
    int base;
    switch ((enum eu_src_kind)s->kind) {
    case SRC_GRF:
    case SRC_SWIZZLE:
        for (unsigned i = 0; i < op->n; i++)
            off[i] = (uint16_t)direct_offset(op, s, i);
        return true;
    case SRC_1X1:
        if (!indirect_address(t, s->a0, s->addr_imm, &base))
            return false;
        for (unsigned i = 0; i < op->n; i++) {
            if (!place(t, base + (int)direct_offset(op, s, i), s->size, &off[i]))
                return false;
        }
        return true;
    case SRC_VXH:
        for (unsigned i = 0; i < op->n; i++) {
            unsigned e = op->df_dwords ? 2 * i : i;
            unsigned row = e >> s->width_shift, col = e & ((1u << s->width_shift) - 1);
            if (!indirect_address(t, s->a0 + row, s->addr_imm, &base) ||
                !place(t, base + (int)col * s->hs, s->size, &off[i]))
                return false;
        }
        return true;
    case SRC_NONE:
    case SRC_IMM:
    case SRC_ACC:
    case SRC_ARF:
        break;
    }
    return false;
}

bool eu_dst_offsets(struct eu_thread *t, const struct eu_op *op, uint16_t off[32])
{
    int base = op->dst.off;
    if (op->dst.indirect && !indirect_address(t, op->dst.a0, op->dst.addr_imm, &base))
        return false;
    for (unsigned i = 0; i < op->n; i++) {
        if (!place(t, base + (int)(i * op->dst.step), op->dst.size, &off[i]))
            return false;
    }
    return true;
}

/* ---- accumulators ---- */

i128 eu_acc_get(const struct eu_thread *t, unsigned i)
{
    return (i128)((unsigned __int128)(i128)t->acc_hi[i] << 64 | t->acc_lo[i]);
}

/* Keeps 66 bits. The float view of the same register shows the low 32. */
void eu_acc_set(struct eu_thread *t, unsigned i, i128 v)
{
    t->acc_lo[i] = (uint64_t)v;
    unsigned hi = (unsigned)(uint64_t)(v >> 64) & 3;
    t->acc_hi[i] = (int8_t)(hi & 2 ? (int)hi - 4 : (int)hi);
    uint32_t low = (uint32_t)(uint64_t)v;
    memcpy(&t->acc_f[i], &low, 4);
}

/* Channel of the accumulator that an explicit operand's element i names; -1 with a fault if there
 * is none (integers have acc0 only). */
static int acc_channel(struct eu_thread *t, const struct eu_src *s, unsigned offset)
{
    unsigned byte = offset + (s->arf & 0xf) * EU_GRF_SIZE;
    if ((s->arf & 0xf) > 1 || byte >= 2 * EU_GRF_SIZE) {
        eu_fault(t, "accumulator element beyond acc1");
        return -1;
    }
    if (!is_float_type(s->type) && (s->arf & 0xf)) {
        eu_fault(t, "acc1 holds no integers");
        return -1;
    }
    return (int)(byte / s->size);
}

/* ---- other architecture registers ---- */

/* Gen8 and 9: how long the thread is to rest, behind the timestamp in tm0. Written by Intel's
 * compiler where threads wait for a lock; here they rest whenever another has something to do. */
enum { PAUSE_COUNTER = 16 };

/* The register as bytes; how many there are. */
static unsigned arf_image(struct eu_thread *t, const struct eu_op *op, unsigned arf,
                          uint8_t image[64])
{
    uint32_t dw[4];
    uint64_t clock;
    memset(image, 0, 64);
    switch (arf & 0xf0) {
    case EU_ARF_NULL:
        return 64;
    case EU_ARF_A0:
        memcpy(image, t->a0, sizeof t->a0);
        return eu_gen(t) >= 80 ? 32 : 16;
    case EU_ARF_F0:
        if ((arf & 0xf) > 1)
            return 0;
        memcpy(image, &t->f[arf & 1], 4);
        return 4;
    case EU_ARF_CE0:
        /* Haswell shows all ones to a NoMask instruction. */
        dw[0] = op->no_mask && eu_gen(t) == 75 ? 0xffffffff : t->active;
        memcpy(image, dw, 4);
        return 4;
    case EU_ARF_SR0:
        memcpy(image, t->sr0, sizeof t->sr0);
        return sizeof t->sr0;
    case EU_ARF_CR0:
        memcpy(image, t->cr0, sizeof t->cr0);
        return sizeof t->cr0;
    case EU_ARF_N0:
        memcpy(image, t->n0, sizeof t->n0);
        return sizeof t->n0;
    case EU_ARF_IP:
        dw[0] = eu_ip(t, op);
        memcpy(image, dw, 4);
        return 4;
    case EU_ARF_TDR0:
        return 16;
    case EU_ARF_TM0:
        clock = sim_clock(t->d->gpu);
        memcpy(image, &clock, 8);
        return eu_gen(t) >= 80 ? PAUSE_COUNTER + 4 : PAUSE_COUNTER;
    default:
        return 0;
    }
}

static bool arf_write_back(struct eu_thread *t, unsigned arf, const uint8_t image[64])
{
    switch (arf & 0xf0) {
    case EU_ARF_A0:
        memcpy(t->a0, image, sizeof t->a0);
        return true;
    case EU_ARF_F0:
        memcpy(&t->f[arf & 1], image, 4);
        return true;
    case EU_ARF_CR0:
        memcpy(t->cr0, image, sizeof t->cr0);
        eu_set_modes(t);
        _mm_setcsr(t->mxcsr_f);
        return true;
    case EU_ARF_N0:
        memcpy(t->n0, image, sizeof t->n0);
        return true;
    case EU_ARF_SR0:
        /* Haswell's shared local memory index is the one part that software writes. */
        if (eu_gen(t) == 75) {
            memcpy(&t->sr0[1], image + 4, 4);
            return true;
        }
        break;
    default:
        break;
    }
    eu_fault(t, "architecture register 0x%x can't be written", arf);
    return false;
}

/* ---- reading ---- */

static uint64_t load_bits(const uint8_t *p, unsigned size)
{
    uint64_t v = 0;
    memcpy(&v, p, size);
    return v;
}

static bool fetch_acc_raw(struct eu_thread *t, const struct eu_op *op, const struct eu_src *s,
                          uint64_t out[32])
{
    for (unsigned i = 0; i < op->n; i++) {
        int c = acc_channel(t, s, direct_offset(op, s, i));
        if (c < 0)
            return false;
        uint32_t bits;
        switch (s->type) {
        case EU_F:
            memcpy(&bits, &t->acc_f[c], 4);
            out[i] = bits;
            break;
        case EU_HF:
            out[i] = eu_half_from_double((double)t->acc_f[c], eu_rounding(t));
            break;
        case EU_DF:
            memcpy(&out[i], &t->acc_df[c & 7], 8);
            break;
        default:
            out[i] = t->acc_lo[c];
            break;
        }
    }
    return true;
}

static bool fetch_imm_raw(const struct eu_op *op, const struct eu_src *s, uint64_t out[32])
{
    for (unsigned i = 0; i < op->n; i++) {
        if (s->type == EU_V || s->type == EU_UV) {
            out[i] = vector_nibble(op, s, i);
        } else if (s->type == EU_VF) {
            float v = vector_float(s, i);
            uint32_t bits;
            memcpy(&bits, &v, 4);
            out[i] = bits;
        } else {
            out[i] = s->imm;
        }
    }
    return true;
}

bool eu_fetch_raw(struct eu_thread *t, const struct eu_op *op, int k, uint64_t out[32])
{
    const struct eu_src *s = &op->src[k];
    uint16_t off[32];
    uint8_t image[64];
    unsigned size;
    switch ((enum eu_src_kind)s->kind) {
    case SRC_NONE:
        memset(out, 0, 32 * sizeof out[0]);
        return true;
    case SRC_IMM:
        return fetch_imm_raw(op, s, out);
    case SRC_ACC:
        return fetch_acc_raw(t, op, s, out);
    case SRC_ARF:
        if ((s->arf & 0xf0) == EU_ARF_NULL) { /* undefined */
            for (unsigned i = 0; i < 32; i++)
                out[i] = perturb_seed(t) ? perturb_hash(perturb_seed(t), op->addr + i) : 0;
            return true;
        }
        size = arf_image(t, op, s->arf, image);
        for (unsigned i = 0; i < op->n; i++) {
            unsigned at = direct_offset(op, s, i);
            if (at + s->size > size) {
                eu_fault(t, "byte %u of architecture register 0x%x does not exist", at, s->arf);
                return false;
            }
            out[i] = load_bits(image + at, s->size);
        }
        return true;
    case SRC_GRF:
    case SRC_SWIZZLE:
    case SRC_1X1:
    case SRC_VXH:
        break;
    }
    if (!eu_src_offsets(t, op, s, off))
        return false;
    switch (s->size) {
    case 1:
        for (unsigned i = 0; i < op->n; i++)
            out[i] = t->grf[off[i]];
        break;
    case 2:
        for (unsigned i = 0; i < op->n; i++)
            out[i] = load_bits(t->grf + off[i], 2);
        break;
    case 4:
        for (unsigned i = 0; i < op->n; i++)
            out[i] = load_bits(t->grf + off[i], 4);
        break;
    default:
        for (unsigned i = 0; i < op->n; i++)
            out[i] = load_bits(t->grf + off[i], 8);
        break;
    }
    return true;
}

static i128 extend(unsigned type, uint64_t v)
{
    switch (type) {
    case EU_UD:
        return (uint32_t)v;
    case EU_D:
    case EU_V:
    case EU_UV:
        return (int32_t)v;
    case EU_UW:
        return (uint16_t)v;
    case EU_W:
        return (int16_t)v;
    case EU_UB:
        return (uint8_t)v;
    case EU_B:
        return (int8_t)v;
    case EU_UQ:
        return (i128)v;
    default:
        return (int64_t)v;
    }
}

static void fetch_int(const struct eu_op *op, const struct eu_src *s, const uint64_t raw[32],
                      i128 *out)
{
    for (unsigned i = 0; i < op->n; i++) {
        i128 v = extend(s->type, raw[i]);
        if (s->abs && v < 0)
            v = -v;
        if (s->negate)
            v = -v;
        if (s->invert)
            v = ~v;
        out[i] = v;
    }
}

/* Bits of a float, modified and flushed: sign bit operations, then denormals to signed zero. */
static uint32_t modify_f(const struct eu_src *s, uint32_t bits, bool flush)
{
    bits = (bits & s->and_bits) ^ s->xor_bits;
    if (flush && !(bits & 0x7f800000))
        bits &= 0x80000000;
    return bits;
}

static uint64_t modify_df(const struct eu_src *s, uint64_t bits, bool flush)
{
    if (s->abs)
        bits &= ~(1ull << 63);
    if (s->negate)
        bits ^= 1ull << 63;
    if (flush && !(bits & 0x7ffull << 52))
        bits &= 1ull << 63;
    return bits;
}

static uint16_t modify_hf(const struct eu_src *s, uint16_t bits, bool flush)
{
    if (s->abs)
        bits &= 0x7fff;
    if (s->negate)
        bits ^= 0x8000;
    if (flush && !(bits & 0x7c00))
        bits &= 0x8000;
    return bits;
}

static float as_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

static double as_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, 8);
    return v;
}

bool eu_fetch(struct eu_thread *t, const struct eu_op *op, int k, enum eu_class cls, bool flush,
              struct eu_vals *out)
{
    const struct eu_src *s = &op->src[k];
    uint64_t raw[32];
    if (!eu_fetch_raw(t, op, k, raw))
        return false;
    uint32_t denorm = eu_denorm_bits(t);
    bool flush_f = flush && !(denorm & CR0_F_DENORM);
    bool flush_df = flush && !(denorm & CR0_DF_DENORM);
    bool flush_hf = flush && !(denorm & CR0_HF_DENORM);
    unsigned n = op->n;
    if (cls == EU_CLASS_INT) {
        fetch_int(op, s, raw, out->i);
    } else if (cls == EU_CLASS_DF) {
        for (unsigned i = 0; i < n; i++) {
            out->d[i] = s->type == EU_DF ? as_double(modify_df(s, raw[i], flush_df))
                                         : (double)as_float(modify_f(s, (uint32_t)raw[i], flush_f));
        }
    } else if (s->type == EU_HF) {
        for (unsigned i = 0; i < n; i++)
            out->f[i] = eu_half_to_float(modify_hf(s, (uint16_t)raw[i], flush_hf));
    } else {
        for (unsigned i = 0; i < n; i++)
            out->f[i] = as_float(modify_f(s, (uint32_t)raw[i], flush_f));
    }
    return true;
}

/* ---- writing ---- */

static void store_lanes(uint8_t *base, const uint16_t off[32], unsigned size, uint32_t mask,
                        const uint64_t v[32])
{
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        memcpy(base + off[i], &v[i], size);
    }
}

bool eu_store_raw(struct eu_thread *t, const struct eu_op *op, uint32_t mask, const uint64_t v[32])
{
    const struct eu_dst *d = &op->dst;
    uint16_t off[32];
    if (d->null)
        return true;
    if (d->align16 && d->chan_en != 0xf) {
        for (unsigned i = 0; i < op->n; i++) {
            unsigned c = d->size == 8 ? i % 2 * 2 : i % 4;
            if (!(d->chan_en >> c & 1))
                mask &= ~(1u << i);
        }
    }
    if (d->file == EU_GRF) {
        if (!eu_dst_offsets(t, op, off))
            return false;
        store_lanes(t->grf, off, d->size, mask, v);
        return true;
    }
    uint8_t image[64];
    unsigned size = arf_image(t, op, d->arf, image);
    for (unsigned i = 0; i < op->n; i++) {
        unsigned at = d->off + i * d->step;
        if (at + d->size > size) {
            eu_fault(t, "byte %u of architecture register 0x%x does not exist", at, d->arf);
            return false;
        }
        off[i] = (uint16_t)at;
    }
    if ((d->arf & 0xf0) == EU_ARF_TM0 && d->off >= PAUSE_COUNTER)
        return true;
    store_lanes(image, off, d->size, mask, v);
    return arf_write_back(t, d->arf, image);
}

/* ---- predicates ---- */

/* OR or AND over aligned groups of `w` flag bits, result in every bit of the group. */
static uint32_t over_groups(uint32_t f, unsigned w, bool all)
{
    uint32_t ones = w == 32 ? ~0u : (1u << w) - 1, out = 0;
    for (unsigned g = 0; g < 32; g += w) {
        uint32_t bits = f >> g & ones;
        if (all ? bits == ones : bits != 0)
            out |= ones << g;
    }
    return out;
}

static uint32_t pred_align16(uint32_t f, unsigned pred)
{
    if (pred >= EU_PRED_ANYV && pred < EU_PRED_ANYV + 4) { /* x, y, z, w for all four channels */
        uint32_t one = f >> (pred - EU_PRED_ANYV) & 0x11111111;
        return one * 0xf;
    }
    return over_groups(f, 4, pred == EU_PRED_ANYV + 5);
}

uint32_t eu_pred_mask(const struct eu_thread *t, const struct eu_op *op)
{
    uint32_t f = t->f[op->flag_reg];
    switch ((enum eu_pred)op->pred) {
    case EU_PRED_NONE:
        return ~0u;
    case EU_PRED_NORMAL:
        break;
    case EU_PRED_ANYV:
        f = op->align16 ? pred_align16(f, op->pred) : t->f[0] | t->f[1];
        break;
    case EU_PRED_ALLV:
        f = op->align16 ? pred_align16(f, op->pred) : t->f[0] & t->f[1];
        break;
    case EU_PRED_ANY2H:
    case EU_PRED_ALL2H:
        f = op->align16 ? pred_align16(f, op->pred) : over_groups(f, 2, op->pred == EU_PRED_ALL2H);
        break;
    case EU_PRED_ANY4H:
    case EU_PRED_ALL4H:
        f = op->align16 ? pred_align16(f, op->pred) : over_groups(f, 4, op->pred == EU_PRED_ALL4H);
        break;
    case EU_PRED_ANY8H:
    case EU_PRED_ALL8H:
        f = over_groups(f, 8, op->pred == EU_PRED_ALL8H);
        break;
    case EU_PRED_ANY16H:
    case EU_PRED_ALL16H:
        f = over_groups(f, 16, op->pred == EU_PRED_ALL16H);
        break;
    case EU_PRED_ANY32H:
    case EU_PRED_ALL32H:
        f = over_groups(f, 32, op->pred == EU_PRED_ALL32H);
        break;
    }
    if (op->pred_inv)
        f = ~f;
    return f >> op->flag_shift & op->lanes;
}
