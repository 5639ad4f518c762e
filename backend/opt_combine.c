/* Folding, algebra and strength reduction on single operations and what is behind their sources.
 * Works in layout order; an operation is rewritten in place or forwarded to something that exists.
 * Uses the marks of uniform.c: a sum is regrouped so that its uniform parts are added once a
 * thread, not once a lane. */
#include "backend/opt.h"

#include <string.h>

enum { N_PRODUCTS = 1024 };

struct combine {
    struct ir_fn *fn;
    struct ir_src *to; /* by value id, with has[]: what stands for it */
    bool *has;
    uint32_t n_ids; /* values that existed at the start; newer ones are never forwarded */
    struct ir_insn **products; /* multiplications and shifts that were met, by hash */
    int *idom;
    struct ir_insn *at;
    bool changed;
};

static struct ir_src follow(const struct combine *c, struct ir_src s)
{
    while (s.value && s.value->id < c->n_ids && c->has[s.value->id])
        s = c->to[s.value->id];
    return s;
}

static void forward(struct combine *c, struct ir_insn *i, struct ir_src by)
{
    c->to[i->dst[0]->id] = by;
    c->has[i->dst[0]->id] = true;
    c->changed = true;
}

static bool is_uniform(struct ir_src s)
{
    return !s.value || s.value->uniform;
}

static const struct ir_insn *def_of(struct ir_src s, enum ir_op op)
{
    return s.value && s.value->def->op == op && s.value->index == 0 ? s.value->def : NULL;
}

/* A new operation before the one at hand. */
static struct ir_src emit(struct combine *c, enum ir_op op, unsigned n, const struct ir_src *src,
                          unsigned pred)
{
    struct ir_insn *i = ir_new(c->fn, op, 1, n);
    struct ir_src known;
    bool uniform = true;
    i->pred = (uint8_t)pred;
    i->where = c->at->where;
    for (unsigned k = 0; k < n; k++) {
        ir_set_src(i, k, src[k]);
        uniform &= is_uniform(src[k]);
    }
    i->dst[0]->uniform = uniform;
    if (opt_simplify(i, &known)) {
        for (unsigned k = 0; k < n; k++)
            ir_set_src(i, k, ir_imm(0));
        return known;
    }
    ir_insert_before(c->at, i);
    return ir_val(i->dst[0]);
}

static struct ir_src emit1(struct combine *c, enum ir_op op, struct ir_src a)
{
    return emit(c, op, 1, &a, 0);
}

static struct ir_src emit2(struct combine *c, enum ir_op op, struct ir_src a, struct ir_src b)
{
    return emit(c, op, 2, (struct ir_src[]){a, b}, 0);
}

/* The operation at hand becomes op of a and b (or of a alone). */
static bool become1(struct combine *c, struct ir_insn *i, enum ir_op op, struct ir_src a)
{
    for (unsigned n = 1; n < i->n_src; n++)
        ir_set_src(i, n, ir_imm(0));
    ir_set_src(i, 0, a);
    i->n_src = 1;
    i->op = op;
    c->changed = true;
    return true;
}

static bool become2(struct combine *c, struct ir_insn *i, enum ir_op op, struct ir_src a,
                    struct ir_src b)
{
    if (i->n_src < 2)
        bug("become2");
    for (unsigned n = 2; n < i->n_src; n++)
        ir_set_src(i, n, ir_imm(0));
    ir_set_src(i, 0, a);
    ir_set_src(i, 1, b);
    i->n_src = 2;
    i->op = op;
    c->changed = true;
    return true;
}

static bool is_power(uint32_t x)
{
    return x && !(x & (x - 1));
}

static unsigned log2_of(uint32_t x)
{
    return 31 - (unsigned)__builtin_clz(x);
}

/* ---- sums ---- */

/* Sums are regrouped only where the inner one is gone then and costs as often as the outer one: not
 * out of what a loop's surroundings have computed. */
static bool may_regroup(const struct ir_insn *outer, const struct ir_insn *inner)
{
    return inner->dst[0]->n_uses == 1 && inner->block->loop_depth == outer->block->loop_depth;
}

static uint32_t product_hash(enum ir_op op, struct ir_src x, struct ir_src m)
{
    uint32_t h = x.value->id * 31 + (m.value ? m.value->id * 2 + 1 : m.imm * 2);
    return (h * 0x9e3779b1u + op) >> 16 & (N_PRODUCTS - 1);
}

static void note_product(struct combine *c, struct ir_insn *i)
{
    if ((i->op == IR_mul || i->op == IR_shl) && i->src[0].value)
        c->products[product_hash(i->op, i->src[0], i->src[1])] = i;
}

/* Whether x op m has been computed where it serves i too. */
static bool have_product(const struct combine *c, const struct ir_insn *i, struct ir_src x,
                         struct ir_src m)
{
    const struct ir_insn *p = x.value ? c->products[product_hash(i->op, x, m)] : NULL;
    return p && p->block && p->op == i->op && ir_same(p->src[0], x) && ir_same(p->src[1], m) &&
           (p->block == i->block || ir_dominates(c->idom, p->block->index, i->block->index));
}

/* (a | b) - ((a ^ b) >> 1) is their average, rounded up. */
static bool combine_average(struct combine *c, struct ir_insn *i)
{
    const struct ir_insn *all = def_of(i->src[0], IR_or), *half = def_of(i->src[1], IR_ashr);
    bool is_signed = half;
    if (!half)
        half = def_of(i->src[1], IR_lshr);
    const struct ir_insn *odd =
        half && ir_is_imm(half->src[1], 1) ? def_of(half->src[0], IR_xor) : NULL;
    if (!all || !odd)
        return false;
    struct ir_src a = all->src[0], b = all->src[1];
    bool same = (ir_same(a, odd->src[0]) && ir_same(b, odd->src[1])) ||
                (ir_same(a, odd->src[1]) && ir_same(b, odd->src[0]));
    return same && become2(c, i, is_signed ? IR_savg : IR_uavg, a, b);
}

/* (x + u) * m or (x + u) << m becomes x * m + u * m where the first product exists and the second
 * is uniform: the rows of an image, the neighbours of an element. With constants always: what is
 * left at the end is an offset. */
static bool distribute(struct combine *c, struct ir_insn *i)
{
    struct ir_src m = i->src[1];
    const struct ir_insn *d = def_of(i->src[0], IR_add);
    if (!d || !is_uniform(m))
        return false;
    struct ir_src x = d->src[0], u = d->src[1];
    if (is_uniform(x) && !is_uniform(u)) {
        x = d->src[1];
        u = d->src[0];
    }
    bool constant = !m.value && !u.value && may_regroup(i, d);
    if (!is_uniform(u) || !(constant || (!is_uniform(x) && have_product(c, i, x, m))))
        return false;
    return become2(c, i, IR_add, emit2(c, i->op, x, m), emit2(c, i->op, u, m));
}

static bool combine_add(struct combine *c, struct ir_insn *i)
{
    struct ir_src a = i->src[0], b = i->src[1];
    const struct ir_insn *d;
    for (int side = 0; side < 2; side++, a = i->src[1], b = i->src[0]) {
        if (!(d = def_of(a, IR_add)))
            continue;
        struct ir_src x = d->src[0], y = d->src[1];
        if (!y.value && !b.value) /* (x + 1) + 2 */
            return become2(c, i, IR_add, x, ir_imm(y.imm + b.imm));
        if (!y.value && b.value && may_regroup(i, d) && is_uniform(x) == is_uniform(b))
            return become2(c, i, IR_add, emit2(c, IR_add, x, b), y); /* constants go out */
        if (!may_regroup(i, d))
            continue;
        if (!is_uniform(b)) { /* uniform terms go out */
            if (is_uniform(y) && y.value && !is_uniform(x))
                return become2(c, i, IR_add, emit2(c, IR_add, x, b), y);
            if (is_uniform(x) && x.value && !is_uniform(y))
                return become2(c, i, IR_add, emit2(c, IR_add, y, b), x);
        }
        if (!is_uniform(b) || is_uniform(a))
            continue;
        /* varying + uniform + uniform: the constants stay outermost, for addresses */
        if (y.value && is_uniform(y) && !is_uniform(x) && b.value)
            return become2(c, i, IR_add, x, emit2(c, IR_add, y, b));
        if (is_uniform(x) && !is_uniform(y) && b.value)
            return become2(c, i, IR_add, y, emit2(c, IR_add, x, b));
        if (!y.value && b.value && !is_uniform(x))
            return become2(c, i, IR_add, emit2(c, IR_add, x, b), y);
    }
    return false;
}

/* ---- divisions by constants: Granlund and Montgomery, "Division by Invariant Integers using
 * Multiplication". ---- */

/* x / d for any x, d >= 3 and no power of two. */
static struct ir_src udiv_by(struct combine *c, struct ir_src x, uint32_t d)
{
    unsigned shift = log2_of(d); /* floor */
    uint64_t k = 1ull << (32 + shift), m = k / d;
    uint32_t rest = (uint32_t)(k % d);
    uint32_t error = d - rest;
    if (error < (1u << shift)) { /* m + 1 is good enough, in 32 bits */
        struct ir_src hi = emit2(c, IR_mulhi_u, x, ir_imm((uint32_t)m + 1));
        return emit2(c, IR_lshr, hi, ir_imm(shift));
    }
    /* 33 bits: the top one is added by hand */
    m = 2 * m + 1;
    if (rest * 2ull >= d)
        m++;
    struct ir_src hi = emit2(c, IR_mulhi_u, x, ir_imm((uint32_t)m));
    struct ir_src half = emit2(c, IR_lshr, emit2(c, IR_sub, x, hi), ir_imm(1));
    return emit2(c, IR_lshr, emit2(c, IR_add, half, hi), ir_imm(shift));
}

/* x / d, |d| >= 2, towards zero. */
static struct ir_src sdiv_by(struct combine *c, struct ir_src x, int32_t d)
{
    uint32_t abs_d = d < 0 ? -(uint32_t)d : (uint32_t)d;
    struct ir_src q;
    if (is_power(abs_d)) {
        unsigned k = log2_of(abs_d);
        struct ir_src sign = emit2(c, IR_ashr, x, ir_imm(31));
        struct ir_src bias = emit2(c, IR_lshr, sign, ir_imm((32 - k) & 31));
        q = emit2(c, IR_ashr, emit2(c, IR_add, x, bias), ir_imm(k));
    } else {
        unsigned shift = log2_of(abs_d) - 1;
        uint64_t k = 1ull << (32 + shift);
        /* how far m * d is above the power of two bounds the error */
        bool add = abs_d - k % abs_d >= 2ull << shift;
        if (add) {
            shift++;
            k *= 2;
        }
        uint64_t m = k / abs_d + 1;
        struct ir_src hi = emit2(c, IR_mulhi_s, x, ir_imm((uint32_t)m));
        if (add) /* m has 32 bits: as a signed factor it is m - 2^32 */
            hi = emit2(c, IR_add, hi, x);
        q = emit2(c, IR_ashr, hi, ir_imm(shift));
        q = emit2(c, IR_sub, q, emit2(c, IR_ashr, x, ir_imm(31)));
    }
    return d < 0 ? emit2(c, IR_sub, ir_imm(0), q) : q;
}

static bool combine_division(struct combine *c, struct ir_insn *i)
{
    struct ir_src x = i->src[0];
    if (i->src[1].value || i->src[1].imm == 0)
        return false;
    uint32_t d = i->src[1].imm;
    bool is_signed = i->op == IR_sdiv || i->op == IR_srem,
         rem = i->op == IR_urem || i->op == IR_srem;
    if (is_signed && opt_width(x) < 32 && (int32_t)d > 0) { /* both positive */
        i->op = rem ? IR_urem : IR_udiv;
        c->changed = true;
        return true;
    }
    if (!is_signed && is_power(d))
        return rem ? become2(c, i, IR_and, x, ir_imm(d - 1))
                   : become2(c, i, IR_lshr, x, ir_imm(log2_of(d)));
    if (d == 1 || (is_signed && d == 0xffffffff))
        return !rem ? become2(c, i, IR_sub, ir_imm(0), x) : become2(c, i, IR_and, x, ir_imm(0));
    struct ir_src q = is_signed ? sdiv_by(c, x, (int32_t)d) : udiv_by(c, x, d);
    if (rem)
        return become2(c, i, IR_sub, x, emit2(c, IR_mul, q, ir_imm(d)));
    forward(c, i, q);
    return false;
}

/* ---- narrow integers ---- */

/* Only the low `bits` of s matter: what lies behind extensions and masks that keep them. */
static struct ir_src low_bits(struct ir_src s, unsigned bits)
{
    for (;;) {
        const struct ir_insn *d = s.value && s.value->index == 0 ? s.value->def : NULL;
        if (!d)
            return s;
        bool keeps = ((d->op == IR_zext8 || d->op == IR_sext8) && bits <= 8) ||
                     ((d->op == IR_zext16 || d->op == IR_sext16) && bits <= 16);
        if (d->op == IR_and && !d->src[1].value) {
            uint32_t need = bits >= 32 ? ~0u : (1u << bits) - 1;
            keeps = (d->src[1].imm & need) == need;
        }
        if (!keeps)
            return s;
        s = d->src[0];
    }
}

static bool narrow_source(struct combine *c, struct ir_insn *i, unsigned n, unsigned bits)
{
    struct ir_src s = low_bits(i->src[n], bits);
    if (ir_same(s, i->src[n]))
        return false;
    ir_set_src(i, n, s);
    c->changed = true;
    return true;
}

static bool combine_extension(struct combine *c, struct ir_insn *i)
{
    bool is_signed = i->op == IR_sext8 || i->op == IR_sext16;
    unsigned bits = i->op == IR_sext8 || i->op == IR_zext8 ? 8 : 16;
    if (narrow_source(c, i, 0, bits))
        return true;
    const struct ir_insn *d = def_of(i->src[0], IR_lshr);
    if (is_signed && d && ir_is_imm(d->src[1], 32 - bits)) { /* the top byte or word */
        struct ir_insn *shift = ir_new(c->fn, IR_ashr, 1, 2);
        ir_set_src(shift, 0, d->src[0]);
        ir_set_src(shift, 1, d->src[1]);
        shift->dst[0]->uniform = i->dst[0]->uniform;
        shift->where = i->where;
        ir_insert_before(i, shift);
        forward(c, i, ir_val(shift->dst[0]));
    }
    return false;
}

static bool combine_shift(struct combine *c, struct ir_insn *i)
{
    if (i->src[1].value)
        return false;
    unsigned n = i->src[1].imm & 31;
    const struct ir_insn *d = def_of(i->src[0], i->op);
    if (d && !d->src[1].value) { /* twice the same way */
        unsigned m = d->src[1].imm & 31;
        if (n + m < 32)
            return become2(c, i, i->op, d->src[0], ir_imm(n + m));
        if (i->op == IR_ashr)
            return become2(c, i, i->op, d->src[0], ir_imm(31));
        forward(c, i, ir_imm(0));
        return false;
    }
    if (i->op == IR_shl && narrow_source(c, i, 0, 32 - n))
        return true;
    if (i->op == IR_shl && distribute(c, i))
        return true;
    if (i->op == IR_lshr && (d = def_of(i->src[0], IR_shl)) && ir_same(d->src[1], i->src[1]))
        return become2(c, i, IR_and, d->src[0], ir_imm(0xffffffffu >> n));
    return false;
}

/* Low bits that are certainly 0. */
static unsigned low_zeros(struct ir_src s, unsigned depth)
{
    if (!s.value)
        return s.imm ? (unsigned)__builtin_ctz(s.imm) : 32;
    const struct ir_insn *d = s.value->def;
    if (!depth || d->n_src != 2)
        return 0;
    unsigned a, b;
    switch ((enum ir_op)d->op) {
    case IR_shl:
        a = d->src[1].value ? 0 : d->src[1].imm & 31;
        b = low_zeros(d->src[0], depth - 1);
        return a + b < 32 ? a + b : 32;
    case IR_mul:
        a = low_zeros(d->src[0], depth - 1);
        b = low_zeros(d->src[1], depth - 1);
        return a + b < 32 ? a + b : 32;
    case IR_and:
        a = low_zeros(d->src[0], depth - 1);
        b = low_zeros(d->src[1], depth - 1);
        return a > b ? a : b;
    case IR_add:
    case IR_or:
    case IR_xor:
        a = low_zeros(d->src[0], depth - 1);
        b = low_zeros(d->src[1], depth - 1);
        return a < b ? a : b;
    default:
        return 0;
    }
}

/* Where no bit meets another it is a sum, which can be regrouped: LLVM writes 4 * i + 1 so. */
static bool combine_or(struct combine *c, struct ir_insn *i)
{
    uint32_t y = i->src[1].imm;
    if (i->src[1].value || !i->src[0].value ||
        low_zeros(i->src[0], 4) < 32u - (unsigned)(y ? __builtin_clz(y) : 32))
        return false;
    return become2(c, i, IR_add, i->src[0], ir_imm(y));
}

/* ---- comparisons, one-bit values ---- */

static unsigned inverse(unsigned pred)
{
    static const uint8_t of[] = {
        [IR_EQ] = IR_NE,    [IR_NE] = IR_EQ,    [IR_ULT] = IR_UGE,  [IR_ULE] = IR_UGT,
        [IR_UGT] = IR_ULE,  [IR_UGE] = IR_ULT,  [IR_SLT] = IR_SGE,  [IR_SLE] = IR_SGT,
        [IR_SGT] = IR_SLE,  [IR_SGE] = IR_SLT,  [IR_OEQ] = IR_UNE,  [IR_ONE] = IR_UEQ,
        [IR_OLT] = IR_FUGE, [IR_OLE] = IR_FUGT, [IR_OGT] = IR_FULE, [IR_OGE] = IR_FULT,
        [IR_ORD] = IR_UNO,  [IR_UEQ] = IR_ONE,  [IR_UNE] = IR_OEQ,  [IR_FULT] = IR_OGE,
        [IR_FULE] = IR_OGT, [IR_FUGT] = IR_OLE, [IR_FUGE] = IR_OLT, [IR_UNO] = IR_ORD};
    return of[pred];
}

static unsigned swapped(unsigned pred)
{
    static const uint8_t of[] = {
        [IR_EQ] = IR_EQ,     [IR_NE] = IR_NE,     [IR_ULT] = IR_UGT,   [IR_ULE] = IR_UGE,
        [IR_UGT] = IR_ULT,   [IR_UGE] = IR_ULE,   [IR_SLT] = IR_SGT,   [IR_SLE] = IR_SGE,
        [IR_SGT] = IR_SLT,   [IR_SGE] = IR_SLE,   [IR_OEQ] = IR_OEQ,   [IR_ONE] = IR_ONE,
        [IR_OLT] = IR_OGT,   [IR_OLE] = IR_OGE,   [IR_OGT] = IR_OLT,   [IR_OGE] = IR_OLE,
        [IR_ORD] = IR_ORD,   [IR_UEQ] = IR_UEQ,   [IR_UNE] = IR_UNE,   [IR_FULT] = IR_FUGT,
        [IR_FULE] = IR_FUGE, [IR_FUGT] = IR_FULT, [IR_FUGE] = IR_FULE, [IR_UNO] = IR_UNO};
    return of[pred];
}

/* Whether a one-bit value that only the negation at hand uses can be made its own opposite, all the
 * way through what else only it uses. */
static bool can_invert(struct ir_src s, const struct ir_insn *negation, unsigned depth)
{
    if (!s.value)
        return true;
    const struct ir_insn *d = s.value->def;
    if (d->op == IR_not1) /* but not a flag that each turn of a loop negates */
        return d != negation;
    if (s.value->n_uses != 1 || depth == 0)
        return false;
    if (ir_is_compare(d->op))
        return true;
    if (d->op != IR_phi && d->op != IR_and1 && d->op != IR_or1)
        return false;
    for (unsigned n = 0; n < d->n_src; n++)
        if (!can_invert(d->src[n], negation, depth - 1))
            return false;
    return true;
}

static struct ir_src invert(struct ir_src s)
{
    if (!s.value)
        return ir_imm(!s.imm);
    struct ir_insn *d = s.value->def;
    switch (d->op) {
    case IR_not1:
        return d->src[0];
    case IR_icmp:
    case IR_fcmp:
    case IR_dcmp:
    case IR_hcmp:
        d->pred = (uint8_t)inverse(d->pred);
        return s;
    case IR_and1:
        d->op = IR_or1;
        break;
    case IR_or1:
        d->op = IR_and1;
        break;
    default: /* phi */
        break;
    }
    for (unsigned n = 0; n < d->n_src; n++)
        ir_set_src(d, n, invert(d->src[n]));
    return s;
}

static bool combine_icmp(struct combine *c, struct ir_insn *i)
{
    struct ir_src a = i->src[0], b = i->src[1];
    const struct ir_insn *d;
    if (!a.value && b.value) {
        i->pred = (uint8_t)swapped(i->pred);
        return become2(c, i, IR_icmp, b, a);
    }
    if (b.value || (i->pred != IR_EQ && i->pred != IR_NE))
        return false;
    if ((d = def_of(a, IR_add)) && !d->src[1].value && d->dst[0]->n_uses == 1)
        return become2(c, i, IR_icmp, d->src[0], ir_imm(b.imm - d->src[1].imm));
    if ((d = def_of(a, IR_xor)) && b.imm == 0 && d->dst[0]->n_uses == 1)
        return become2(c, i, IR_icmp, d->src[0], d->src[1]);
    if ((d = def_of(a, IR_sub)) && b.imm == 0 && d->dst[0]->n_uses == 1)
        return become2(c, i, IR_icmp, d->src[0], d->src[1]);
    if (((d = def_of(a, IR_b2i)) || (d = def_of(a, IR_b2m))) && b.imm == 0 && i->pred == IR_EQ) {
        struct ir_src s = d->src[0];
        forward(c, i, emit1(c, IR_not1, s));
    }
    return false;
}

static bool combine_select(struct combine *c, struct ir_insn *i)
{
    struct ir_src k = i->src[0], a = i->src[1], b = i->src[2];
    const struct ir_insn *d = def_of(k, IR_not1);
    if (d) {
        ir_set_src(i, 0, d->src[0]);
        ir_set_src(i, 1, b);
        ir_set_src(i, 2, a);
        c->changed = true;
        return true;
    }
    if (i->dst[0]->type == IR_I1) {
        if (ir_is_imm(a, 1))
            return become2(c, i, IR_or1, k, b);
        if (ir_is_imm(b, 0))
            return become2(c, i, IR_and1, k, a);
        if (ir_is_imm(a, 0))
            return become2(c, i, IR_and1, emit1(c, IR_not1, k), b);
        if (ir_is_imm(b, 1))
            return become2(c, i, IR_or1, emit1(c, IR_not1, k), a);
    }
    if (i->dst[0]->type == IR_I32 && !a.value && !b.value) {
        if (a.imm == 1 && b.imm == 0)
            return become1(c, i, IR_b2i, k);
        if (a.imm == 0xffffffff && b.imm == 0)
            return become1(c, i, IR_b2m, k);
    }
    return false;
}

/* ---- all ---- */

static bool combine_mul(struct combine *c, struct ir_insn *i)
{
    const struct ir_insn *d;
    if (is_uniform(i->src[0]) && !is_uniform(i->src[1])) {
        struct ir_src a = i->src[0];
        ir_set_src(i, 0, i->src[1]);
        ir_set_src(i, 1, a);
    }
    if (i->src[1].value)
        return distribute(c, i);
    if (is_power(i->src[1].imm))
        return become2(c, i, IR_shl, i->src[0], ir_imm(log2_of(i->src[1].imm)));
    if (i->src[1].imm == 0xffffffff)
        return become2(c, i, IR_sub, ir_imm(0), i->src[0]);
    if ((d = def_of(i->src[0], IR_mul)) && !d->src[1].value)
        return become2(c, i, IR_mul, d->src[0], ir_imm(d->src[1].imm * i->src[1].imm));
    if ((d = def_of(i->src[0], IR_shl)) && !d->src[1].value)
        return become2(c, i, IR_mul, d->src[0], ir_imm(i->src[1].imm << (d->src[1].imm & 31)));
    return distribute(c, i);
}

/* One of two results unused: the plain operation does. */
static void split_carry(struct combine *c, struct ir_insn *i)
{
    if (i->dst[1]->n_uses)
        return;
    struct ir_src src[2] = {i->src[0], i->src[1]};
    if (i->dst[0]->n_uses)
        forward(c, i, emit2(c, i->op == IR_add_carry ? IR_add : IR_sub, src[0], src[1]));
}

static bool combine_phi(struct combine *c, struct ir_insn *i)
{
    struct ir_src same = ir_imm(0);
    bool any = false;
    for (unsigned n = 0; n < i->n_src; n++) {
        if (i->src[n].value == i->dst[0])
            continue;
        if (any && !ir_same(i->src[n], same))
            return false;
        same = i->src[n];
        any = true;
    }
    if (any)
        forward(c, i, same);
    return false;
}

/* True if the operation has become another one, which may combine further. */
static bool combine(struct combine *c, struct ir_insn *i)
{
    struct ir_src by;
    if (ir_has_flag(i, IR_COMM) && i->op != IR_icmp && !i->src[0].value && i->src[1].value) {
        struct ir_src a = i->src[0];
        ir_set_src(i, 0, i->src[1]);
        ir_set_src(i, 1, a);
    }
    if (i->n_dst == 1 && opt_simplify(i, &by)) {
        forward(c, i, by);
        return false;
    }
    switch ((enum ir_op)i->op) {
    case IR_phi:
        return combine_phi(c, i);
    case IR_add:
        return combine_add(c, i);
    case IR_sub:
        if (!i->src[1].value)
            return become2(c, i, IR_add, i->src[0], ir_imm(-i->src[1].imm));
        if (is_uniform(i->src[1]) && !is_uniform(i->src[0])) /* a sum: it can be regrouped */
            return become2(c, i, IR_add, i->src[0], emit2(c, IR_sub, ir_imm(0), i->src[1]));
        return combine_average(c, i);
    case IR_mul:
        return combine_mul(c, i);
    case IR_or:
        return combine_or(c, i);
    case IR_add_carry:
    case IR_sub_borrow:
        split_carry(c, i);
        return false;
    case IR_udiv:
    case IR_sdiv:
    case IR_urem:
    case IR_srem:
        return combine_division(c, i);
    case IR_sext8:
    case IR_sext16:
    case IR_zext8:
    case IR_zext16:
        return combine_extension(c, i);
    case IR_shl:
    case IR_lshr:
    case IR_ashr:
        return combine_shift(c, i);
    case IR_i2b:
        return narrow_source(c, i, 0, 1);
    case IR_icmp:
        return combine_icmp(c, i);
    case IR_select:
        return combine_select(c, i);
    case IR_not1:
        by = i->src[0];
        if (can_invert(by, i, 6))
            forward(c, i, invert(by));
        return false;
    case IR_fdiv:
        return ir_is_imm(i->src[0], 0x3f800000) && become1(c, i, IR_frcp, i->src[1]);
    case IR_store:
        for (unsigned n = ir_n_addr(i); i->mem.comp_size < 4 && n < i->n_src; n++)
            narrow_source(c, i, n, 8 * i->mem.comp_size);
        return false;
    default:
        return false;
    }
}

static void forward_sources(struct combine *c, struct ir_insn *i)
{
    for (unsigned n = 0; n < i->n_src; n++) {
        struct ir_src s = follow(c, i->src[n]);
        if (!ir_same(s, i->src[n]))
            ir_set_src(i, n, s);
    }
}

bool opt_combine(struct ir_fn *fn)
{
    struct combine c = {.fn = fn, .n_ids = fn->n_values};
    c.to = cc_alloc((fn->n_values + 1) * sizeof *c.to);
    c.has = cc_alloc(fn->n_values + 1);
    c.products = cc_alloc(N_PRODUCTS * sizeof *c.products);
    c.idom = ir_dominators(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            forward_sources(&c, i);
            c.at = i;
            for (int k = 0; k < 8 && combine(&c, i); k++)
                ;
            note_product(&c, i);
        }
    if (!c.changed)
        return false;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            forward_sources(&c, i);
    return true;
}
