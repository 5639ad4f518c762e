/* Bytes and words. The EU takes them as operands wherever it takes dwords, from any regular place
 * in a register, and an instruction of which all operands are words costs half of one on dwords.
 *
 * Gen IR has dwords only, and here it is found out what is narrow all the same: of each integer,
 * how many low bits its users look at, and how many it can have set (opt_widths). A varying value
 * that fits a word by either, whose users take words, is kept as packed words if its operation can
 * be done on the low words of its sources. Its upper bits, where someone looks at them, are zeros
 * or copies of the sign, as loc.type says.
 *
 * Extensions, masks and shifts by whole bytes become part of their users' operands. */
#include "backend/select.h"

static const struct opnd none;

/* What an operand must have beside the right low bits: nothing; upper bits that are zero, or copies
 * of the sign, in its own type. */
enum want { LOW, UNSIGNED, SIGNED };

/* ---- what of a value is meant ---- */

/* Bytes byte .. byte + size - 1 of a value, extended by zeros or the sign. Size 4: all of it. */
struct view {
    struct ir_src of;
    unsigned byte, size;
    bool is_signed;
};

/* The width of an extension in bytes; 0: none. */
static unsigned extension(const struct ir_insn *d, bool *is_signed)
{
    *is_signed = d->op == IR_sext8 || d->op == IR_sext16;
    if (d->op == IR_zext8 || d->op == IR_sext8)
        return 1;
    if (d->op == IR_zext16 || d->op == IR_sext16)
        return 2;
    if (d->op == IR_and && ir_is_imm(d->src[1], 0xff))
        return 1;
    return d->op == IR_and && ir_is_imm(d->src[1], 0xffff) ? 2 : 0;
}

/* A shift to the right by whole bytes; 0: none. */
static unsigned byte_shift(const struct ir_insn *d)
{
    if ((d->op != IR_lshr && d->op != IR_ashr) || d->src[1].value || d->src[1].imm % 8)
        return 0;
    return d->src[1].imm / 8 & 3;
}

bool sel_is_byte_view(const struct ir_insn *d)
{
    bool is_signed;
    return extension(d, &is_signed) || byte_shift(d);
}

/* Whether the bytes are in the register where x is kept, and aligned. */
static bool has_bytes(const struct sel *s, struct ir_src x, unsigned byte, unsigned size)
{
    x = sel_resolve(x);
    if (!x.value)
        return false;
    return byte % size == 0 && byte + size <= (s->loc[x.value->id].is_word ? 2 : 4);
}

static struct view look(const struct sel *s, struct ir_src src, unsigned size)
{
    struct view v = {sel_resolve(src), 0, size, false};
    while (v.of.value && v.of.value->index == 0) {
        const struct ir_insn *d = v.of.value->def;
        bool is_signed;
        unsigned n = extension(d, &is_signed), shift = byte_shift(d);
        bool whole = v.size == 4;
        if (n) {
            if (v.byte + (whole ? n : v.size) > n ||
                !has_bytes(s, d->src[0], v.byte, whole ? n : v.size))
                break;
        } else if (shift) {
            n = 4 - shift;
            is_signed = d->op == IR_ashr;
            if (v.byte + (whole ? n : v.size) > n || (whole && n == 3) ||
                !has_bytes(s, d->src[0], v.byte + shift, whole ? n : v.size))
                break;
            v.byte += shift;
        } else {
            break;
        }
        if (whole) {
            v.size = n;
            v.is_signed = is_signed;
        }
        v.of = sel_resolve(d->src[0]);
    }
    if (v.size == 4 && v.of.value && s->loc[v.of.value->id].is_word) {
        v.size = 2;
        v.is_signed = s->loc[v.of.value->id].is_signed;
    }
    return v;
}

static struct opnd view_opnd(struct sel *s, const struct view *v, bool is_signed)
{
    static const uint8_t types[2][3] = {{0, EU_UB, EU_UW}, {0, EU_B, EU_W}};
    enum eu_type t = types[is_signed][v->size];
    const struct loc *l = &s->loc[v->of.value->id];
    if (!l->is_word)
        return op_part(sel_src(s, v->of, EU_UD), v->byte, t);
    struct opnd o = op_lanes(l->v, l->off + v->byte, t);
    if (v->size == 1) {
        o.o.vs = 16;
        o.o.hs = 2;
    }
    return o;
}

static struct opnd word_imm(uint32_t bits, enum want want)
{
    return op_imm(want == SIGNED ? EU_W : EU_UW, bits & 0xffff);
}

static unsigned bits_of(const struct sel *s, struct ir_src src)
{
    if (!src.value)
        return src.imm ? 32 - (unsigned)__builtin_clz(src.imm) : 0;
    return s->widths.bits[src.value->id];
}

static unsigned signed_bits_of(const struct sel *s, struct ir_src src)
{
    if (src.value)
        return s->widths.signed_bits[src.value->id];
    uint32_t x = (int32_t)src.imm < 0 ? ~src.imm : src.imm;
    return bits_of(s, ir_imm(x)) + 1;
}

static bool fits(const struct sel *s, struct ir_src src, enum want want)
{
    return want == LOW || (want == UNSIGNED ? bits_of(s, src) : signed_bits_of(s, src)) <= 16;
}

/* src as a word or byte; it fits as wanted. */
static struct opnd narrow_src(struct sel *s, struct ir_src src, enum want want)
{
    src = sel_resolve(src);
    if (!src.value)
        return word_imm(src.imm, want);
    struct view v = look(s, src, 4);
    if (v.size == 4) /* its low half is all of it, or all that matters */
        v.size = 2;
    if (v.size == 1)
        return view_opnd(s, &v, v.is_signed && want != UNSIGNED);
    return view_opnd(s, &v, want == SIGNED);
}

/* src, of which only the low byte matters. */
static struct opnd byte_src(struct sel *s, struct ir_src src)
{
    struct view v = look(s, src, 1);
    if (!v.of.value || ir_same(v.of, sel_resolve(src)))
        return narrow_src(s, src, LOW);
    return view_opnd(s, &v, false);
}

struct opnd sel_src_low(struct sel *s, struct ir_src src, unsigned size)
{
    src = sel_resolve(src);
    if (!src.value)
        return op_imm(EU_UW, size == 1 ? src.imm & 0xff : src.imm & 0xffff);
    struct view v = look(s, src, size);
    return view_opnd(s, &v, false);
}

/* ---- narrow operands of operations on dwords ---- */

/* Whether src is kept in, or is a part of, a narrower place, exactly. */
static bool exact_src(struct sel *s, struct ir_src src, struct opnd *o)
{
    src = sel_resolve(src);
    if (!src.value || src.value->type != IR_I32)
        return false;
    struct view v = look(s, src, 4);
    if (v.size == 4)
        return false;
    *o = view_opnd(s, &v, v.is_signed);
    return true;
}

static bool is_signed_type(enum eu_type t)
{
    return t == EU_W || t == EU_B;
}

struct opnd sel_src_int(struct sel *s, struct ir_src src, enum eu_type t, bool is_unsigned)
{
    struct opnd o;
    if (exact_src(s, src, &o) && !(is_unsigned && is_signed_type(o.o.type)))
        return o;
    return sel_src(s, src, t);
}

/* Of narrow operands alone the EU makes a word, the sign of which must be clear. */
bool sel_may_pair(const struct opnd *a, const struct opnd *b)
{
    return eu_type_size(a->o.type) >= 4 || eu_type_size(b->o.type) >= 4 ||
           is_signed_type(a->o.type) == is_signed_type(b->o.type);
}

void sel_src_pair(struct sel *s, const struct ir_insn *i, unsigned n, enum eu_type t,
                  bool is_unsigned, struct opnd *a, struct opnd *b)
{
    *a = sel_src_int(s, i->src[n], t, is_unsigned);
    *b = sel_src_int(s, i->src[n + 1], t, is_unsigned);
    if (!sel_may_pair(a, b))
        *b = sel_src(s, i->src[n + 1], t);
}

/* ---- operations on words ---- */

enum { SHIFT = 1, CHOOSE = 2, EXTEND = 4, HALF = 8 /* select_half.c */ };
enum { EITHER = SIGNED + 1 }; /* both sources UNSIGNED or both SIGNED */

/* What can be done on words, and what the sources must fit; of a shift the first. */
static const struct word_row {
    uint8_t op;
    uint8_t want; /* enum want, or EITHER */
    uint8_t cond, flags;
} rows[IR_N_OPS] = {
    [IR_add] = {EU_OP_add, LOW, 0, 0},
    [IR_sub] = {EU_OP_add, LOW, 0, 0},
    [IR_mul] = {EU_OP_mul, LOW, 0, 0},
    [IR_and] = {EU_OP_and, LOW, 0, 0},
    [IR_or] = {EU_OP_or, LOW, 0, 0},
    [IR_xor] = {EU_OP_xor, LOW, 0, 0},
    [IR_not] = {EU_OP_not, LOW, 0, 0},
    [IR_shl] = {EU_OP_shl, LOW, 0, SHIFT},
    [IR_lshr] = {EU_OP_shr, UNSIGNED, 0, SHIFT},
    [IR_ashr] = {EU_OP_asr, SIGNED, 0, SHIFT},
    [IR_smin] = {EU_OP_sel, EITHER, EU_COND_L, 0},
    [IR_smax] = {EU_OP_sel, EITHER, EU_COND_GE, 0},
    [IR_umin] = {EU_OP_sel, UNSIGNED, EU_COND_L, 0},
    [IR_umax] = {EU_OP_sel, UNSIGNED, EU_COND_GE, 0},
    [IR_select] = {EU_OP_sel, LOW, 0, CHOOSE},
    [IR_zext8] = {EU_OP_mov, LOW, 0, EXTEND},
    [IR_zext16] = {EU_OP_mov, LOW, 0, EXTEND},
    [IR_sext8] = {EU_OP_mov, LOW, 0, EXTEND},
    [IR_sext16] = {EU_OP_mov, LOW, 0, EXTEND},
    [IR_hadd] = {EU_OP_add, LOW, 0, HALF},
    [IR_hsub] = {EU_OP_add, LOW, 0, HALF},
    [IR_hmul] = {EU_OP_mul, LOW, 0, HALF},
    [IR_hfma] = {EU_OP_mad, LOW, 0, HALF},
    [IR_hmad] = {EU_OP_mad, LOW, 0, HALF},
    [IR_hmin] = {EU_OP_sel, LOW, 0, HALF},
    [IR_hmax] = {EU_OP_sel, LOW, 0, HALF},
    [IR_f2h] = {EU_OP_mov, LOW, 0, HALF},
};

/* How both sources of a comparison or choice fit words; false: they don't. */
static bool either(const struct sel *s, const struct ir_insn *i, unsigned n, enum want *want)
{
    for (*want = UNSIGNED; *want <= SIGNED; ++*want) {
        if (fits(s, i->src[n], *want) && fits(s, i->src[n + 1], *want))
            return true;
    }
    return false;
}

static bool can_be_word(const struct sel *s, const struct ir_insn *i)
{
    const struct word_row *r = &rows[i->op];
    enum want want;
    if (!r->op)
        return false;
    if (i->op == IR_f2h) /* what writes packed halves */
        return s->cg->gen >= 90;
    if (sel_is_abs(i))
        return fits(s, i->src[0], SIGNED);
    if (r->want == EITHER)
        return either(s, i, 0, &want);
    if (!fits(s, i->src[0], r->want))
        return false;
    return r->want != UNSIGNED || r->flags & SHIFT || fits(s, i->src[1], UNSIGNED);
}

/* Whether operand n of i may be a word. */
static bool takes_word(const struct ir_insn *i, unsigned n)
{
    switch ((enum ir_op)i->op) {
    case IR_shl:
    case IR_lshr:
    case IR_ashr:
        return n == 0;
    case IR_select:
        return i->dst[0]->type == IR_I32;
    case IR_load:
    case IR_store:
        return n < ir_n_addr(i) ? i->mem.space == IR_ARRAY : i->mem.comp_size < 4;
    case IR_icmp:
    case IR_s2f:
    case IR_u2f:
    case IR_mul:
    case IR_h2f:
    case IR_hcmp:
        return true;
    default:
        return rows[i->op].op != 0;
    }
}

/* How many low bits of its source n operation i looks at, if `need` of its result matter. */
static unsigned needed_bits(const struct ir_insn *i, unsigned n, unsigned need)
{
    bool is_signed;
    unsigned bytes = extension(i, &is_signed), k = n == 0 && i->n_src == 2 ? i->src[1].imm & 31 : 0;
    if (bytes && n == 0)
        return 8 * bytes < need ? 8 * bytes : need;
    switch ((enum ir_op)i->op) {
    case IR_add:
    case IR_sub:
    case IR_mul:
    case IR_or:
    case IR_xor:
    case IR_not:
    case IR_mov:
        return need;
    case IR_and:
        if (n == 0 && !i->src[1].value) {
            unsigned top = i->src[1].imm ? 32 - (unsigned)__builtin_clz(i->src[1].imm) : 0;
            return top < need ? top : need;
        }
        return need;
    case IR_select:
        return n && i->dst[0]->type == IR_I32 ? need : 32;
    case IR_shl:
        if (n == 1)
            return 5;
        return i->src[1].value ? need : need > k ? need - k : 0;
    case IR_lshr:
    case IR_ashr:
        if (n == 1)
            return 5;
        return i->src[1].value || need + k > 32 ? 32 : need + k;
    case IR_i2b:
        return 1;
    case IR_h2f:
    case IR_hadd:
    case IR_hsub:
    case IR_hmul:
    case IR_hfma:
    case IR_hmad:
    case IR_hmin:
    case IR_hmax:
    case IR_hcmp:
        return 16;
    case IR_load:
    case IR_store:
        if (n < ir_n_addr(i))
            return i->mem.space == IR_ARRAY ? 16 : 32;
        return 8 * i->mem.comp_size;
    default:
        return 32;
    }
}

/* Which values are kept as words. */
void sel_narrow_prepare(struct sel *s)
{
    struct ir_fn *fn = s->fn;
    uint8_t *need = cc_alloc(fn->n_values + 1);
    bool *is_wide = cc_alloc(fn->n_values + 1);
    opt_widths(fn, &s->widths);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        for (struct ir_insn *i = fn->blocks[b]->first; i && i->op == IR_phi; i = i->next) {
            for (unsigned n = 0; n < i->n_src; n++) {
                struct ir_value *u = sel_resolve(i->src[n]).value;
                if (u) {
                    need[u->id] = 32;
                    is_wide[u->id] = true;
                }
            }
        }
    }
    for (uint32_t b = fn->n_blocks; b-- > 0;) {
        for (struct ir_insn *i = fn->blocks[b]->last; i; i = i->prev) {
            /* All users have been seen: they are later in the layout. */
            struct ir_value *v = i->n_dst == 1 ? i->dst[0] : NULL;
            unsigned want = v && v->type == IR_I32 ? need[v->id] : 32;
            for (unsigned n = 0; n < i->n_src && i->op != IR_phi; n++) {
                struct ir_value *u = i->src[n].value;
                if (!u)
                    continue;
                unsigned bits = needed_bits(i, n, want);
                if (bits > need[u->id])
                    need[u->id] = bits;
                is_wide[u->id] |= i->op == IR_mov ? is_wide[v->id] : !takes_word(i, n);
            }
            if (!v || v->type != IR_I32)
                continue;
            struct loc *l = &s->loc[v->id];
            l->need = need[v->id];
            if (v->uniform || is_wide[v->id])
                continue;
            bool is_small = fits(s, ir_val(v), UNSIGNED);
            if (!is_small && !fits(s, ir_val(v), SIGNED) && need[v->id] > 16)
                continue;
            l->is_word = i->op == IR_local_id || can_be_word(s, i);
            l->is_signed = !is_small && fits(s, ir_val(v), SIGNED);
        }
    }
}

/* ---- bytes put together ---- */

/* What each byte of a dword is: byte from[] of byte[]. */
struct pack {
    struct ir_src byte[4];
    uint8_t from[4];
    bool has[4];
};

/* Whether src may be read where only what is made of it is used: not a phi, the register of which
 * may have the next one's value by then. */
static bool can_read_late(const struct sel *s, struct ir_src src)
{
    src = sel_resolve(src);
    return src.value && src.value->def->op != IR_phi &&
           look(s, src, 4).of.value->def->op != IR_phi &&
           look(s, src, 2).of.value->def->op != IR_phi &&
           look(s, src, 1).of.value->def->op != IR_phi;
}

/* Finds the bytes of an OR of shifted bytes and words. False: it is none. */

static bool gather(const struct sel *s, struct ir_src src, unsigned at, struct pack *p,
                   bool is_root)
{
    src = sel_resolve(src);
    const struct ir_insn *d = src.value && src.value->index == 0 ? src.value->def : NULL;
    if (d && d->op == IR_shl && !d->src[1].value && d->src[1].imm % 8 == 0 && at == 0 && !is_root) {
        at = d->src[1].imm / 8 & 3;
        src = sel_resolve(d->src[0]);
        d = src.value && src.value->index == 0 ? src.value->def : NULL;
    }
    if (d && d->op == IR_or && at == 0 && (is_root || d->dst[0]->n_uses == 1) &&
        !d->dst[0]->uniform)
        return gather(s, d->src[0], 0, p, false) && gather(s, d->src[1], 0, p, false);
    /* What is above the top falls off. */
    unsigned bits = bits_of(s, src), n = bits <= 8 || at == 3 ? 1 : bits <= 16 || at == 2 ? 2 : 4;
    if (!can_read_late(s, src) || at + n > 4 || (n == 2 && at % 2))
        return false;
    for (unsigned k = 0; k < n; k++) {
        if (p->has[at + k])
            return false;
        p->has[at + k] = true;
        p->byte[at + k] = src;
        p->from[at + k] = (uint8_t)k;
    }
    return true;
}

/* The source of a clamping to a byte, if i is one: the EU's saturation. */
static struct ir_src unclamped(const struct sel *s, struct ir_src src, bool *sat)
{
    const struct ir_insn *lo, *hi = src.value ? src.value->def : NULL;
    *sat = false;
    if (!hi || (hi->op != IR_umin && hi->op != IR_smin) || !ir_is_imm(hi->src[1], 255))
        return src;
    struct ir_src x = sel_resolve(hi->src[0]);
    lo = x.value ? x.value->def : NULL;
    if (lo && lo->op == IR_zext16 && bits_of(s, lo->src[0]) <= 16) {
        x = sel_resolve(lo->src[0]);
        lo = x.value ? x.value->def : NULL;
    }
    if (!lo || lo->op != IR_smax || !ir_is_imm(lo->src[1], 0) || !can_read_late(s, lo->src[0]))
        return src;
    *sat = true;
    return lo->src[0];
}

/* All four bytes of a dword made by moves of bytes and words. */
static bool sel_pack(struct sel *s, struct ir_insn *i)
{
    struct pack p = {0};
    if (i->op != IR_or || i->dst[0]->uniform || !gather(s, ir_val(i->dst[0]), 0, &p, true))
        return false;
    for (unsigned k = 0; k < 4; k++) {
        if (!p.has[k])
            return false;
    }
    struct opnd d = sel_dst(s, i->dst[0], EU_UD);
    for (unsigned k = 0, n; k < 4; k += n) {
        bool sat = false;
        n = k % 2 == 0 && p.from[k + 1] == 1 ? 2 : 1;
        struct ir_src src = n == 1 ? unclamped(s, p.byte[k], &sat) : p.byte[k];
        struct opnd part = op_stride(op_part(d, k, n == 1 ? EU_UB : EU_UW), 4 / n);
        struct mi m = sel_mi(s, EU_OP_mov, 1, part,
                             !sat                   ? sel_src_low(s, src, n)
                             : fits(s, src, SIGNED) ? narrow_src(s, src, SIGNED)
                                                    : sel_src(s, src, EU_D),
                             none, none);
        m.e.saturate = sat;
        sel_put(s, m);
    }
    return true;
}

/* Extensions read what is wanted of their source: in its own type, not as a whole. */
static void extend_word(struct sel *s, struct ir_insn *i, struct opnd d)
{
    bool is_signed;
    struct ir_src src = sel_resolve(i->src[0]);
    struct view v = look(s, src, extension(i, &is_signed));
    if (src.value)
        sel_mov(s, d, view_opnd(s, &v, is_signed));
    else
        sel_mov(s, d, word_imm(src.imm, LOW));
}

bool sel_is_abs(const struct ir_insn *i)
{
    const struct ir_insn *d = i->op == IR_smax && i->src[1].value ? i->src[1].value->def : NULL;
    return d && d->op == IR_sub && ir_is_imm(d->src[0], 0) && i->src[0].value &&
           ir_same(d->src[1], i->src[0]);
}

bool sel_word(struct sel *s, struct ir_insn *i)
{
    struct ir_value *v = i->n_dst == 1 ? i->dst[0] : NULL;
    if (v && !s->loc[v->id].is_word)
        return sel_pack(s, i);
    if (!v || !rows[i->op].op || rows[i->op].flags & HALF)
        return false;
    const struct word_row *r = &rows[i->op];
    struct opnd d = sel_dst(s, v, EU_UD), a, b = none;
    if (r->flags & EXTEND) {
        extend_word(s, i, d);
        return true;
    }
    if (sel_is_abs(i)) {
        a = narrow_src(s, i->src[0], SIGNED);
        a.o.abs = true;
        sel_mov(s, d, a);
        return true;
    }
    enum want want = (enum want)r->want;
    unsigned first = r->flags & CHOOSE ? 1 : 0;
    if (r->want == EITHER)
        either(s, i, 0, &want);
    bool byte = want == LOW && s->loc[v->id].need <= 8;
    a = byte ? byte_src(s, i->src[first]) : narrow_src(s, i->src[first], want);
    if (i->n_src > 1) {
        struct ir_src second = i->src[first + 1];
        b = byte ? byte_src(s, second) : narrow_src(s, second, r->flags & SHIFT ? LOW : want);
    }
    if (i->op == IR_sub)
        b = op_is_imm(&b) ? op_imm(b.o.type, -(uint32_t)b.o.imm & 0xffff) : op_neg(b);
    if (op_is_imm(&a) && (i->n_src == 1 || op_is_imm(&b)))
        a = sel_reg(s, a);
    struct mi m = sel_mi(s, r->op, i->n_src > 1 ? 2 : 1, d, a, b, none);
    m.e.cond = r->cond;
    if (r->flags & CHOOSE) {
        bool inv;
        m.e.flag = sel_flag(s, i->src[0], &inv);
        m.e.pred = EU_PRED_NORMAL;
        m.e.pred_inv = inv;
    }
    sel_put(s, m);
    return true;
}

bool sel_words_compare(struct sel *s, const struct ir_insn *i, struct opnd *a, struct opnd *b)
{
    enum want want = i->pred >= IR_ULT && i->pred <= IR_UGE ? UNSIGNED : SIGNED;
    if (want == UNSIGNED ? !fits(s, i->src[0], want) || !fits(s, i->src[1], want)
                         : !either(s, i, 0, &want))
        return false;
    *a = narrow_src(s, i->src[0], want);
    *b = narrow_src(s, i->src[1], want);
    return true;
}
