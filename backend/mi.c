/* Machine instructions: virtual registers, operands, what an instruction reads and writes. */
#include "backend/codegen.h"

#include <string.h>

/* ---- an attempt ---- */

struct cg *cg_new(struct ir_fn *fn, const struct gen_device *dev, unsigned simd)
{
    struct cg *cg = cc_alloc(sizeof *cg);
    cg->fn = fn;
    cg->dev = dev;
    cg->gen = dev->gen;
    cg->simd = simd;
    cg->lanes = simd == 32 ? 16 : simd;
    cg->lane_regs = cg->lanes / 8;
    /* A flag of 32 lanes is all of f0 or f1, and goes by the number of its lower half. */
    cg->n_flags = simd == 32 ? 1 : CG_MAX_FLAGS;
    cg->scratch_flag = simd == 32 ? 2 : CG_MAX_FLAGS;
    return payload_init(cg) ? cg : NULL;
}

/* ---- virtual registers ---- */

uint32_t vreg_new(struct cg *cg, uint32_t size, unsigned align)
{
    if (cg->n_vregs == 0)
        cg->n_vregs = 1; /* 0 means none */
    if (cg->n_vregs >= cg->cap_vregs) {
        uint32_t cap = cg->cap_vregs ? 2 * cg->cap_vregs : 256;
        cg->vregs = cc_grow(cg->vregs, cg->cap_vregs * sizeof *cg->vregs, cap * sizeof *cg->vregs);
        cg->cap_vregs = cap;
    }
    struct vreg *v = &cg->vregs[cg->n_vregs];
    /* The last register is kept for the end of the thread. */
    *v = (struct vreg){.size = size, .align = align, .last = EU_N_GRF - 2, .at = -1};
    return cg->n_vregs++;
}

uint32_t vreg_lanes(struct cg *cg)
{
    return vreg_new(cg, cg->lanes * 4, cg->lane_regs);
}

uint32_t vreg_words(struct cg *cg)
{
    return vreg_new(cg, 2 * cg->lanes, 1);
}

uint32_t vreg_scalar(struct cg *cg)
{
    return vreg_new(cg, 4, 0);
}

uint32_t vreg_lanes64(struct cg *cg)
{
    return vreg_new(cg, cg->lanes * 8, 2);
}

uint32_t vreg_scalar64(struct cg *cg)
{
    return vreg_new(cg, 8, 0);
}

uint32_t vreg_fixed(struct cg *cg, uint32_t size, unsigned reg)
{
    uint32_t v = vreg_new(cg, size, 1);
    cg->vregs[v].is_fixed = true;
    cg->vregs[v].at = reg * EU_GRF_SIZE;
    return v;
}

void vreg_pair(struct cg *cg, uint32_t lower, uint32_t upper)
{
    cg->vregs[lower].twin = cg->vregs[upper].twin = upper;
}

uint32_t slice_count(const struct vreg *v)
{
    return (v->size + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
}

/* ---- operands ---- */

static struct opnd grf(uint32_t v, uint32_t off, enum eu_type t)
{
    return (struct opnd){.o = {.file = EU_GRF, .type = t}, .v = v, .off = off};
}

struct opnd op_lanes(uint32_t v, uint32_t off, enum eu_type t)
{
    struct opnd o = grf(v, off, t);
    o.o.vs = o.o.width = eu_type_size(t) == 8 ? 4 : 8;
    o.o.hs = 1;
    return o;
}

struct opnd op_scalar(uint32_t v, uint32_t off, enum eu_type t)
{
    struct opnd o = grf(v, off, t);
    o.o.vs = 0;
    o.o.width = 1;
    o.o.hs = 0;
    return o;
}

struct opnd op_imm(enum eu_type t, uint32_t bits)
{
    return (struct opnd){.o = {.file = EU_IMM, .type = t, .imm = bits}};
}

struct opnd op_imm64(uint64_t bits)
{
    return (struct opnd){.o = {.file = EU_IMM, .type = EU_DF, .imm = bits}};
}

struct opnd op_arf(enum eu_arf reg, unsigned sub, enum eu_type t)
{
    return (struct opnd){.o = {.file = EU_ARF, .type = t, .reg = reg, .sub = sub, .width = 1}};
}

struct opnd op_null(enum eu_type t)
{
    return (struct opnd){
        .o = {.file = EU_ARF, .type = t, .reg = EU_ARF_NULL, .vs = 8, .width = 8, .hs = 1}};
}

struct opnd op_flag(const struct cg *cg, unsigned flag)
{
    return op_arf(flag / 2 ? EU_ARF_F1 : EU_ARF_F0, flag % 2 * 2, cg->simd == 32 ? EU_UD : EU_UW);
}

bool op_is_imm(const struct opnd *o)
{
    return o->o.file == EU_IMM;
}

bool op_is_scalar(const struct opnd *o)
{
    return o->o.file != EU_IMM && o->o.vs == 0 && o->o.hs == 0;
}

struct opnd op_type(struct opnd o, enum eu_type t)
{
    o.o.type = t;
    return o;
}

struct opnd op_neg(struct opnd o)
{
    if (op_is_imm(&o))
        o.o.imm = o.o.type == EU_F ? o.o.imm ^ 0x80000000u : (uint32_t) - (uint32_t)o.o.imm;
    else
        o.o.negate = !o.o.negate;
    return o;
}

struct opnd op_at_a0(struct opnd o, unsigned a0_sub, int imm)
{
    o.o.indirect = true;
    o.o.a0_sub = (uint8_t)a0_sub;
    o.o.addr_imm = (int16_t)imm;
    return o;
}

struct opnd op_at_each_a0(struct opnd o, int imm)
{
    o.o.vs = EU_VS_VXH;
    o.o.width = 1;
    o.o.hs = 0;
    return op_at_a0(o, 0, imm);
}

struct opnd op_part(struct opnd o, unsigned byte, enum eu_type t)
{
    unsigned per = 4 / eu_type_size(t);
    o.o.type = t;
    if (op_is_imm(&o)) {
        o.o.imm = o.o.imm >> 8 * byte & (per == 4 ? 0xff : 0xffff);
        o.o.type = EU_UW;
        return o;
    }
    o.off += byte;
    if (!op_is_scalar(&o)) {
        o.o.vs = 8 * per;
        o.o.width = 8;
        o.o.hs = per;
    }
    return o;
}

struct opnd op_stride(struct opnd o, unsigned hs)
{
    o.o.hs = hs;
    return o;
}

struct opnd op_rows(struct opnd o)
{
    o.o.vs = o.o.width = 8;
    o.o.hs = 1;
    return o;
}

struct opnd op_half(struct opnd o, unsigned h)
{
    if (o.v && !op_is_scalar(&o)) {
        unsigned step = o.o.hs ? o.o.hs : 1;
        o.off += h * 8 * step * eu_type_size(o.o.type);
    }
    return o;
}

struct opnd op_dword(struct opnd o, unsigned byte, enum eu_type t)
{
    o.o.type = t;
    o.off += byte;
    if (!op_is_scalar(&o)) {
        o.o.vs = 8;
        o.o.width = 4;
        o.o.hs = 2;
    }
    return o;
}

struct opnd op_slice(struct opnd o, unsigned first, unsigned n)
{
    if (op_is_imm(&o) || op_is_scalar(&o))
        return o;
    unsigned step = o.o.hs * eu_type_size(o.o.type), row = EU_GRF_SIZE / step;
    if (o.v)
        o.off += first * step;
    o.o.width = n < row ? n : row;
    o.o.vs = o.o.width * o.o.hs;
    return o;
}

/* ---- instructions ---- */

struct mi mi_alu(enum eu_opcode op, unsigned exec, unsigned n_src, struct opnd d,
                 const struct opnd *s)
{
    struct mi m = {.e = {.op = op, .exec_size = exec}, .kind = MI_ALU, .n_src = n_src};
    mi_set_opnd(&m, 0, d);
    for (unsigned k = 0; k < n_src; k++)
        mi_set_opnd(&m, k + 1, s[k]);
    if (m.e.dst.hs == 0)
        m.e.dst.hs = 1;
    return m;
}

struct opnd mi_opnd(const struct mi *m, unsigned k)
{
    return (struct opnd){.o = k ? m->e.src[k - 1] : m->e.dst, .v = m->v[k], .off = m->off[k]};
}

void mi_set_opnd(struct mi *m, unsigned k, struct opnd o)
{
    if (k)
        m->e.src[k - 1] = o.o;
    else
        m->e.dst = o.o;
    m->v[k] = o.v;
    m->off[k] = o.off;
}

struct mi *mi_push(struct cg *cg, const struct mi *m)
{
    if (cg->n_code == cg->cap_code) {
        uint32_t cap = cg->cap_code ? 2 * cg->cap_code : 1024;
        cg->code = cc_grow(cg->code, cg->cap_code * sizeof *cg->code, cap * sizeof *cg->code);
        cg->cap_code = cap;
    }
    struct mi *copy = cc_alloc(sizeof *copy);
    *copy = *m;
    if (!copy->where.line)
        copy->where = cg->where;
    cg->code[cg->n_code++] = copy;
    return copy;
}

bool mi_is_indirect(const struct mi *m, unsigned k)
{
    return (k ? &m->e.src[k - 1] : &m->e.dst)->indirect;
}

static bool is_a0(const struct eu_operand *o)
{
    return o->file == EU_ARF && o->reg == EU_ARF_A0;
}

bool mi_reads_a0(const struct mi *m)
{
    bool reads = false;
    for (unsigned k = 0; k <= m->n_src && m->kind == MI_ALU; k++)
        reads |= mi_is_indirect(m, k) || (k && is_a0(&m->e.src[k - 1]));
    return reads;
}

bool mi_writes_a0(const struct mi *m)
{
    return m->kind == MI_ALU && is_a0(&m->e.dst);
}

void mi_span(const struct mi *m, unsigned k, uint32_t *lo, uint32_t *hi)
{
    *lo = m->off[k];
    if (m->kind == MI_SEND && k < 2) {
        *hi = *lo + EU_GRF_SIZE * (k ? m->mlen : m->rlen);
        return;
    }
    if (m->kind == MI_SEND) { /* the second payload of sends */
        *hi = *lo + EU_GRF_SIZE * (m->e.exdesc >> 6 & 0xf);
        return;
    }
    if (mi_is_indirect(m, k)) {
        *hi = *lo + m->span;
        return;
    }
    const struct eu_operand *o = k ? &m->e.src[k - 1] : &m->e.dst;
    unsigned size = eu_type_size(o->type), n = m->e.exec_size, last;
    if (k == 0) {
        last = (n - 1) * o->hs;
    } else {
        unsigned w = o->width < n ? o->width : n;
        last = (n / w - 1) * o->vs + (w - 1) * o->hs;
    }
    *hi = *lo + last * size + size;
}

/* One lane, all, or the eight of one register: its span has the lanes that it can write, and no
 * others. */
static bool covers_lanes(const struct cg *cg, const struct mi *m)
{
    return m->e.exec_size == 1 || m->e.exec_size >= cg->lanes || m->e.exec_size == 8;
}

bool mi_full_def(const struct cg *cg, const struct mi *m)
{
    if (m->kind == MI_UNDEF)
        return true;
    if ((m->e.pred && m->e.op != EU_OP_sel) || mi_is_indirect(m, 0))
        return false;
    if (!covers_lanes(cg, m))
        return false;
    if (m->kind == MI_SEND)
        return true;
    return m->e.dst.hs == 1 && eu_type_size(m->e.dst.type) == 4;
}

bool mi_is_macro(const struct mi *m)
{
    return m->e.op == EU_OP_madm ||
           (m->e.op == EU_OP_math && (m->e.fn == EU_MATH_INVM || m->e.fn == EU_MATH_RSQTM));
}

static bool is_flag(const struct eu_operand *o)
{
    return o->file == EU_ARF && (o->reg & 0xf0) == EU_ARF_F0;
}

static uint8_t flag_operand(const struct eu_operand *o)
{
    unsigned f = 2 * (o->reg & 1) + (o->sub >= 2);
    return (eu_type_size(o->type) == 4 ? 3u : 1u) << f;
}

/* Lanes from the sixteenth on have the flag of the next number. */
static uint8_t flag_of_lanes(const struct mi *m)
{
    unsigned first = m->e.group / 16, last = (m->e.group + m->e.exec_size - 1) / 16;
    return (2u << (m->e.flag + last)) - (1u << (m->e.flag + first));
}

uint8_t mi_flag_reads(const struct mi *m)
{
    uint8_t set = m->e.pred ? flag_of_lanes(m) : 0;
    for (unsigned k = 0; k < m->n_src; k++) {
        if (is_flag(&m->e.src[k]))
            set |= flag_operand(&m->e.src[k]);
    }
    return set;
}

/* sel's condition chooses and writes no flag; an instruction's own is written partly if the mask is
 * partial, which orders as a write. */
uint8_t mi_flag_writes(const struct mi *m)
{
    bool has_cond = m->e.cond || (m->e.op == EU_OP_math && mi_is_macro(m));
    uint8_t set = m->kind == MI_ALU && has_cond && m->e.op != EU_OP_sel && m->e.op != EU_OP_csel
                      ? flag_of_lanes(m)
                      : 0;
    if (is_flag(&m->e.dst) && m->kind == MI_ALU)
        set |= flag_operand(&m->e.dst);
    return set;
}

bool mi_has_effect(const struct mi *m)
{
    if (m->kind == MI_CTRL || m->kind == MI_DO || m->mem == MI_MEM_WRITE || m->e.eot)
        return true;
    if (m->kind == MI_SEND)
        return m->mem == MI_MEM_NONE;
    if (m->writes_acc)
        return true;
    /* sr0, n0; null without a condition: something waits for the source */
    return m->e.dst.file == EU_ARF && !m->e.cond && !is_flag(&m->e.dst);
}

/* ---- for people ---- */

static void print_opnd(FILE *to, const struct mi *m, unsigned k)
{
    const struct eu_operand *o = k ? &m->e.src[k - 1] : &m->e.dst;
    if (o->file == EU_IMM) {
        fprintf(to, " 0x%llx:%s", (unsigned long long)o->imm, eu_type_name(o->type));
        if (k == m->n_src && m->place_of)
            fprintf(to, "+&v%u.%u", m->place_of, m->place_off);
        return;
    }
    fprintf(to, " %s%s", o->negate ? "-" : "", o->abs ? "|" : "");
    if (o->indirect)
        fprintf(to, "v%u[a0.%u,%d]", m->v[k], o->a0_sub, o->addr_imm);
    else if (m->v[k])
        fprintf(to, "v%u.%u", m->v[k], m->off[k]);
    else
        fprintf(to, "%s%x.%u", o->file == EU_GRF ? "r" : "arf", o->reg, o->sub);
    if (k)
        fprintf(to, "<%u;%u,%u>", o->vs, o->width, o->hs);
    else
        fprintf(to, "<%u>", o->hs);
    fprintf(to, ":%s%s", eu_type_name(o->type), o->abs ? "|" : "");
}

void cg_print(const struct cg *cg, const char *title, FILE *to)
{
    fprintf(to, "-- %s: %s SIMD%u, %u instructions\n", cg->fn->name, title, cg->simd, cg->n_code);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        fprintf(to, "%5u  ", i);
        if (m->kind == MI_DO || m->kind == MI_UNDEF) {
            fprintf(to, m->kind == MI_DO ? "do\n" : "undef v%u\n", m->v[0]);
            continue;
        }
        if (m->e.no_mask)
            fprintf(to, "(W)");
        if (m->e.pred)
            fprintf(to, "(%sf%u.%u)", m->e.pred_inv ? "~" : "", m->e.flag / 2, m->e.flag % 2);
        fprintf(to, "%s(%u|M%u)", eu_op_info(m->e.op)->name, m->e.exec_size, m->e.group);
        if (m->e.cond)
            fprintf(to, " cond%u f%u.%u", m->e.cond, m->e.flag / 2, m->e.flag % 2);
        if (m->kind != MI_CTRL) {
            print_opnd(to, m, 0);
            for (unsigned k = 1; k <= m->n_src; k++)
                print_opnd(to, m, k);
        }
        if (m->kind == MI_SEND)
            fprintf(to, " sfid %u desc 0x%08x", m->e.fn, m->e.desc);
        if (m->e.op == EU_OP_math)
            fprintf(to, " fn %u", m->e.fn);
        fprintf(to, "%s\n", m->is_spill ? "  (spill)" : m->is_undefined ? "  (undefined)" : "");
    }
}
