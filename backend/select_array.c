/* Private arrays in registers. The dword at byte 4 n of every lane's array makes row n, laid out as
 * a value is, so a constant index is an operand like any other. An index that is the same in all
 * lanes becomes one address in a0, which moves a whole row. Otherwise there is a word of a0 a lane:
 *
 *   reading   one move takes what each word points to (eu-isa 2.2: Vx1)
 *   writing   a destination has one address for all of an instruction, so each lane gets a move of
 *             its own, without mask. A lane that is off must change nothing: its word points to
 *             where the value itself lies, which it writes onto itself.
 *
 * An instruction's addresses are formed for all its lanes, so the words of a0 are in the register
 * file from the start, also those of lanes that are off, and no immediate is added to them. */
#include "backend/select.h"

static const struct opnd none;

/* Lanes that one instruction does: n from `first` on, or one for all. */
struct lanes {
    unsigned first, n;
    bool one;
};

/* ---- where arrays live ---- */

/* The first of the blocks that loops hold together with b; b itself outside of loops. */
static uint32_t outermost(const struct ir_fn *fn, uint32_t b)
{
    while (b > 0 && fn->blocks[b]->loop_depth > 0 && fn->blocks[b - 1]->loop_depth > 0)
        b--;
    return b;
}

static bool is_varying(struct ir_src src)
{
    src = sel_resolve(src);
    return src.value && !src.value->uniform;
}

void sel_arrays_prepare(struct sel *s)
{
    struct cg *cg = s->cg;
    struct ir_fn *fn = s->fn;
    for (uint32_t b = 0; fn->n_arrays && b < fn->n_blocks; b++) {
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            if ((i->op != IR_load && i->op != IR_store) || i->mem.space != IR_ARRAY)
                continue;
            unsigned k = i->mem.bti;
            if (!cg->array[k]) {
                uint32_t rows = (fn->array_size[k] + 3) / 4;
                cg->array[k] = vreg_new(cg, rows * cg->lanes * 4, cg->lane_regs);
                cg->vregs[cg->array[k]].is_array = true;
                cg->vregs[cg->array[k]].no_spill = true;
                s->array_block[k] = outermost(fn, b);
            }
            if (is_varying(i->src[0]) && !s->array_base[k])
                s->array_base[k] = vreg_new(cg, cg->lanes * 2, 1);
        }
    }
}

/* From here on what is in the array matters, in all lanes. */
void sel_arrays_block(struct sel *s, uint32_t block)
{
    struct cg *cg = s->cg;
    for (unsigned k = 0; k < s->fn->n_arrays; k++) {
        if (!cg->array[k] || s->array_block[k] != block)
            continue;
        struct mi m = {.kind = MI_UNDEF,
                       .e = {.op = EU_OP_nop, .exec_size = 1, .no_mask = true},
                       .span = cg->vregs[cg->array[k]].size};
        mi_set_opnd(&m, 0, op_at_a0(op_lanes(cg->array[k], 0, EU_UD), 0, 0));
        mi_push(cg, &m);
    }
}

/* ---- words ---- */

static struct opnd a0_words(void)
{
    return op_stride(op_arf(EU_ARF_A0, 0, EU_UW), 1);
}

static struct opnd word_temp(struct sel *s, const struct lanes *l)
{
    return l->one ? op_scalar(vreg_scalar(s->cg), 0, EU_UW)
                  : op_lanes(vreg_new(s->cg, 2 * l->n, 1), 0, EU_UW);
}

/* The low words of a value, or words, in these lanes. */
static struct opnd words_of(struct opnd o, const struct lanes *l)
{
    return op_slice(eu_type_size(o.o.type) == 4 ? op_part(o, 0, EU_UW) : o, l->first, l->n);
}

/* d = a op b, or d = a. */
static struct mi *put_words(struct sel *s, enum eu_opcode op, const struct lanes *l, bool masked,
                            struct opnd d, struct opnd a, struct opnd b)
{
    struct opnd src[2] = {a, b};
    struct mi m = mi_alu(op, l->one ? 1 : l->n, op == EU_OP_mov ? 1 : 2, d, src);
    m.e.group = l->one ? 0 : (uint8_t)l->first;
    m.e.no_mask = !masked;
    return mi_push(s->cg, &m);
}

/* a0 = a + the place of byte `off` of vreg v. */
static void put_place(struct sel *s, const struct lanes *l, struct opnd a, uint32_t v, uint32_t off)
{
    struct mi *m = put_words(s, EU_OP_add, l, false, a0_words(), a, op_imm(EU_UW, 0));
    m->place_of = v;
    m->place_off = off;
}

/* Addresses that one instruction can have. */
static unsigned max_addresses(const struct cg *cg)
{
    unsigned n = cg->gen >= 80 ? 16 : 8;
    return n < cg->lanes ? n : cg->lanes;
}

void sel_arrays_start(struct sel *s)
{
    struct cg *cg = s->cg;
    for (unsigned k = 0; k < s->fn->n_arrays; k++) {
        if (!s->array_base[k])
            continue;
        if (!s->lane_bytes) {
            struct lanes l = {0, 8, false};
            s->lane_bytes = vreg_new(cg, 2 * cg->lanes, 1);
            struct opnd v = op_lanes(s->lane_bytes, 0, EU_UW);
            put_words(s, EU_OP_mov, &l, false, v, op_imm(EU_UV, 0x76543210), none);
            put_words(s, EU_OP_shl, &l, false, v, v, op_imm(EU_UW, 2));
            for (l.first = 8; l.first < cg->lanes; l.first += 8)
                put_words(s, EU_OP_add, &l, false, op_slice(v, l.first, 8), v,
                          op_imm(EU_UW, 4 * l.first));
            struct lanes all = {0, max_addresses(cg), false};
            put_words(s, EU_OP_mov, &all, false, a0_words(), op_imm(EU_UW, 0), none);
        }
        for (struct lanes l = {0, 8, false}; l.first < cg->lanes; l.first += 8) {
            struct opnd d = op_slice(op_lanes(s->array_base[k], 0, EU_UW), l.first, 8),
                        v = op_slice(op_lanes(s->lane_bytes, 0, EU_UW), l.first, 8);
            put_words(s, EU_OP_add, &l, false, d, v, op_imm(EU_UW, 0))->place_of = cg->array[k];
        }
    }
}

/* ---- a value as an array of lanes ---- */

void sel_gather(struct sel *s, struct opnd d, uint32_t v, struct opnd index)
{
    struct opnd row = op_lanes(v, 0, EU_UD);
    struct lanes l = {0, max_addresses(s->cg), op_is_scalar(&index)};
    for (; l.first < s->cg->lanes; l.first += l.n) {
        struct opnd t = word_temp(s, &l);
        put_words(s, EU_OP_and, &l, false, t, words_of(index, &l), op_imm(EU_UW, s->cg->simd - 1));
        put_words(s, EU_OP_shl, &l, false, t, t, op_imm(EU_UW, 2));
        put_place(s, &l, t, v, 0);
        struct opnd x = l.one ? op_at_a0(op_scalar(v, 0, EU_UD), 0, 0) : op_at_each_a0(row, 0);
        struct opnd to = l.one ? d : op_slice(d, l.first, l.n);
        struct mi m = mi_alu(EU_OP_mov, l.one ? 1 : l.n, 1, to, &x);
        m.e.dst.hs = 1;
        m.e.group = l.one ? 0 : (uint8_t)l.first;
        m.e.no_mask = l.one;
        m.span = s->cg->vregs[v].size;
        mi_push(s->cg, &m);
        if (l.one)
            break;
    }
}

/* ---- accesses ---- */

struct access {
    const struct ir_insn *insn;
    struct opnd addr; /* its low word */
    uint32_t v;       /* the array */
    unsigned k;       /* its number */
    unsigned size;
    int32_t rest; /* bytes in the register file that are not in the address */
};

static struct access access_of(struct sel *s, const struct ir_insn *i)
{
    return (struct access){.insn = i,
                           .addr = sel_src_low(s, i->src[0], 2),
                           .v = s->cg->array[i->mem.bti],
                           .k = i->mem.bti,
                           .size = i->mem.comp_size};
}

static int32_t byte_of(const struct access *a, unsigned c)
{
    return a->insn->mem.offset + (int32_t)(c * a->size);
}

/* The component, in all lanes at the address. */
static struct opnd row_of(const struct access *a, uint32_t off, unsigned byte)
{
    struct opnd o = op_lanes(a->v, off, EU_UD);
    return a->size == 4 ? o : op_part(o, byte, a->size == 1 ? EU_UB : EU_UW);
}

/* As a destination. */
static struct opnd row_to(const struct access *a, uint32_t off, unsigned byte)
{
    return op_stride(row_of(a, off, byte), 4 / a->size);
}

/* What a constant address means. False: nothing, as it is outside of the array. */
static bool constant_row(struct sel *s, const struct access *a, unsigned c, bool is_dst,
                         struct opnd *out)
{
    uint32_t at = ((uint32_t)a->addr.o.imm + (uint32_t)byte_of(a, c)) & 0xffff;
    if (at >= s->fn->array_size[a->k] || a->size > s->fn->array_size[a->k] - at)
        return false;
    *out = (is_dst ? row_to : row_of)(a, (at & ~3u) * s->cg->lanes, at & 3);
    return true;
}

/* How far component c lies from the array's beginning in the register file. With has_rest, but for
 * a->rest, which fits an instruction's immediate and is multiples of a register, so that nothing
 * carries into it (Gen7 and 7.5). */
static struct opnd distance(struct sel *s, struct access *a, const struct lanes *l, unsigned c,
                            bool has_rest)
{
    unsigned lanes = s->cg->lanes, shift = (unsigned)__builtin_ctz(lanes);
    int32_t byte = byte_of(a, c), far = byte * (int32_t)lanes;
    struct opnd x = words_of(a->addr, l), t = word_temp(s, l);
    a->rest = 0;
    if (byte % 4 == 0 && a->size == 4) {
        put_words(s, EU_OP_shl, l, false, t, x, op_imm(EU_UW, shift));
        if (has_rest && far >= -512 && far + 4 * (int32_t)lanes <= 512)
            a->rest = far;
        else if (far)
            put_words(s, EU_OP_add, l, false, t, t, op_imm(EU_UW, (uint32_t)far & 0xffff));
        return t;
    }
    if (byte) {
        struct opnd sum = word_temp(s, l);
        put_words(s, EU_OP_add, l, false, sum, x, op_imm(EU_UW, (uint32_t)byte & 0xffff));
        x = sum;
    }
    if (a->size == 4) {
        put_words(s, EU_OP_shl, l, false, t, x, op_imm(EU_UW, shift));
        return t;
    }
    struct opnd low = word_temp(s, l);
    put_words(s, EU_OP_and, l, false, t, x, op_imm(EU_UW, 0xfffc));
    put_words(s, EU_OP_and, l, false, low, x, op_imm(EU_UW, 3));
    put_words(s, EU_OP_shl, l, false, t, t, op_imm(EU_UW, shift));
    put_words(s, EU_OP_add, l, false, t, t, low);
    return t;
}

/* Moves rows by the address in a0.0; one of d and x is the array's. */
static void put_rows(struct sel *s, const struct access *a, struct opnd d, struct opnd x,
                     bool is_load)
{
    struct opnd to = is_load ? d : op_at_a0(d, 0, a->rest),
                from = is_load ? op_at_a0(x, 0, a->rest) : x;
    struct mi m = mi_alu(EU_OP_mov, s->cg->lanes, 1, to, &from);
    m.e.dst.hs = d.o.hs;
    m.span = s->cg->vregs[a->v].size;
    mi_push(s->cg, &m);
}

void sel_array_load(struct sel *s, struct ir_insn *i)
{
    struct access a = access_of(s, i);
    unsigned n_a0 = max_addresses(s->cg);
    for (unsigned c = 0; c < i->n_dst; c++) {
        if (!i->dst[c]->n_uses)
            continue;
        struct opnd d = sel_dst(s, i->dst[c], EU_UD), row;
        if (op_is_imm(&a.addr)) {
            sel_shape(s, false);
            bool there = constant_row(s, &a, c, false, &row);
            sel_mov(s, d, there ? row : op_imm(EU_UD, 0));
        } else if (op_is_scalar(&a.addr)) {
            struct lanes one = {.one = true};
            put_place(s, &one, distance(s, &a, &one, c, true), a.v, 0);
            put_rows(s, &a, d, row_of(&a, 0, 0), true);
        } else {
            for (struct lanes l = {0, n_a0, false}; l.first < s->cg->lanes; l.first += n_a0) {
                struct opnd base = op_slice(op_lanes(s->array_base[a.k], 0, EU_UW), l.first, l.n);
                struct opnd t = distance(s, &a, &l, c, false);
                put_words(s, EU_OP_add, &l, true, a0_words(), t, base);
                struct opnd x = op_at_each_a0(row_of(&a, 0, 0), 0);
                struct mi m = mi_alu(EU_OP_mov, l.n, 1, op_slice(d, l.first, l.n), &x);
                m.e.dst.hs = 1;
                m.e.group = (uint8_t)l.first;
                m.span = s->cg->vregs[a.v].size;
                mi_push(s->cg, &m);
            }
        }
    }
}

/* Writes x to where each lane's own address says. */
static void scatter(struct sel *s, struct access *a, unsigned c, struct opnd x)
{
    struct cg *cg = s->cg;
    unsigned n_a0 = max_addresses(cg);
    bool same = op_is_scalar(&x);
    enum eu_type type = a->size == 4 ? EU_UD : a->size == 2 ? EU_UW : EU_UB;
    for (struct lanes l = {0, n_a0, false}; l.first < cg->lanes; l.first += n_a0) {
        struct opnd base = op_slice(op_lanes(s->array_base[a->k], 0, EU_UW), l.first, l.n);
        struct opnd own = op_slice(op_lanes(s->lane_bytes, 0, EU_UW), l.first, l.n);
        struct opnd t = distance(s, a, &l, c, false);
        if (same) {
            struct mi *m = put_words(s, EU_OP_mov, &l, false, a0_words(), op_imm(EU_UW, 0), none);
            m->place_of = x.v;
            m->place_off = x.off;
        } else {
            put_place(s, &l, own, x.v, x.off);
        }
        put_words(s, EU_OP_add, &l, true, a0_words(), t, base);
        for (unsigned k = 0; k < l.n; k++) {
            struct opnd from = op_scalar(x.v, x.off + (same ? 0 : 4 * (l.first + k)), type);
            struct mi m = mi_alu(EU_OP_mov, 1, 1, op_at_a0(op_scalar(a->v, 0, type), k, 0), &from);
            m.e.no_mask = true;
            m.span = cg->vregs[a->v].size;
            mi_push(cg, &m);
        }
    }
}

void sel_array_store(struct sel *s, struct ir_insn *i)
{
    struct access a = access_of(s, i);
    for (unsigned c = 0; c < i->mem.n_comp; c++) {
        struct opnd x = sel_src(s, i->src[1 + c], EU_UD), row;
        bool constant = op_is_imm(&a.addr), uniform = op_is_scalar(&a.addr);
        if (!constant && !uniform) {
            scatter(s, &a, c, sel_reg(s, x));
            continue;
        }
        if (a.size < 4)
            x = op_part(x, 0, a.size == 1 ? EU_UB : EU_UW);
        if (constant) {
            if (!constant_row(s, &a, c, true, &row))
                continue;
            sel_shape(s, false);
            struct mi m = sel_mi(s, EU_OP_mov, 1, row, x, none, none);
            m.e.dst.hs = row.o.hs;
            sel_put(s, m);
        } else {
            struct lanes one = {.one = true};
            put_place(s, &one, distance(s, &a, &one, c, true), a.v, 0);
            put_rows(s, &a, row_to(&a, 0, 0), x, false);
        }
    }
}
