/* What is known about the result of a single operation: constants, identities, ranges. Makes
 * nothing new; opt_combine.c does that. Floats: denormals count as zero, as in the code that will
 * run (ir_op.def). */
#include "backend/opt.h"

#include <math.h>
#include <string.h>

static float as_float(uint32_t bits)
{
    float f;
    if (!(bits & 0x7f800000))
        bits &= 0x80000000; /* a denormal is a zero */
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint32_t bit_reverse(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static bool compare(unsigned pred, uint32_t a, uint32_t b)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (pred) {
    case IR_EQ:
        return a == b;
    case IR_NE:
        return a != b;
    case IR_ULT:
        return a < b;
    case IR_ULE:
        return a <= b;
    case IR_UGT:
        return a > b;
    case IR_UGE:
        return a >= b;
    case IR_SLT:
        return sa < sb;
    case IR_SLE:
        return sa <= sb;
    case IR_SGT:
        return sa > sb;
    default:
        return sa >= sb;
    }
}

static bool compare_float(unsigned pred, float a, float b)
{
    bool unordered = isnan(a) || isnan(b);
    switch (pred) {
    case IR_OEQ:
        return a == b;
    case IR_ONE:
        return a < b || a > b;
    case IR_OLT:
        return a < b;
    case IR_OLE:
        return a <= b;
    case IR_OGT:
        return a > b;
    case IR_OGE:
        return a >= b;
    case IR_ORD:
        return !unordered;
    case IR_UEQ:
        return unordered || a == b;
    case IR_UNE:
        return a != b;
    case IR_FULT:
        return !(a >= b);
    case IR_FULE:
        return !(a > b);
    case IR_FUGT:
        return !(a <= b);
    case IR_FUGE:
        return !(a < b);
    default:
        return unordered;
    }
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Float operations whose result is a float that every implementation gives: not NaN. */
static bool eval_float(const struct ir_insn *i, const uint32_t *src, uint32_t *dst)
{
    float a = as_float(src[0]), b = i->n_src > 1 ? as_float(src[1]) : 0, r;
    switch (i->op) {
    case IR_fadd:
        r = a + b;
        break;
    case IR_fsub:
        r = a - b;
        break;
    case IR_fmul:
        r = a * b;
        break;
    case IR_ffma:
        r = fmaf(a, b, as_float(src[2]));
        break;
    case IR_fmin:
        r = fminf(a, b);
        break;
    case IR_fmax:
        r = fmaxf(a, b);
        break;
    case IR_ffloor:
        r = floorf(a);
        break;
    case IR_fceil:
        r = ceilf(a);
        break;
    case IR_ftrunc:
        r = truncf(a);
        break;
    case IR_frint:
        r = rintf(a);
        break;
    case IR_s2f:
        r = (float)(int32_t)src[0];
        break;
    case IR_u2f:
        r = (float)src[0];
        break;
    default:
        return false;
    }
    if (isnan(r))
        return false;
    /* signed zeros of min and max are the hardware's business */
    if ((i->op == IR_fmin || i->op == IR_fmax) && r == 0)
        return false;
    *dst = float_bits(r);
    return true;
}

bool opt_eval(const struct ir_insn *i, const uint32_t *src, uint32_t *dst)
{
    uint32_t a = i->n_src > 0 ? src[0] : 0, b = i->n_src > 1 ? src[1] : 0;
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    uint64_t sum;
    switch (i->op) {
    case IR_mov:
        *dst = a;
        return true;
    case IR_add:
        *dst = a + b;
        return true;
    case IR_sub:
        *dst = a - b;
        return true;
    case IR_mul:
        *dst = a * b;
        return true;
    case IR_mulhi_u:
        *dst = (uint32_t)((uint64_t)a * b >> 32);
        return true;
    case IR_mulhi_s:
        *dst = (uint32_t)((uint64_t)((int64_t)sa * sb) >> 32);
        return true;
    case IR_add_carry:
        sum = (uint64_t)a + b;
        dst[0] = (uint32_t)sum;
        dst[1] = (uint32_t)(sum >> 32);
        return true;
    case IR_sub_borrow:
        dst[0] = a - b;
        dst[1] = a < b;
        return true;
    case IR_udiv:
        *dst = b ? a / b : 0;
        return b != 0;
    case IR_urem:
        *dst = b ? a % b : 0;
        return b != 0;
    case IR_sdiv:
        if (!b || (a == 0x80000000 && sb == -1))
            return false;
        *dst = (uint32_t)(sa / sb);
        return true;
    case IR_srem:
        if (!b || (a == 0x80000000 && sb == -1))
            return false;
        *dst = (uint32_t)(sa % sb);
        return true;
    case IR_and:
    case IR_and1:
        *dst = a & b;
        return true;
    case IR_or:
    case IR_or1:
        *dst = a | b;
        return true;
    case IR_xor:
    case IR_xor1:
        *dst = a ^ b;
        return true;
    case IR_not:
        *dst = ~a;
        return true;
    case IR_not1:
        *dst = !a;
        return true;
    case IR_shl:
        *dst = a << (b & 31);
        return true;
    case IR_lshr:
        *dst = a >> (b & 31);
        return true;
    case IR_ashr:
        *dst = (uint32_t)(sa >> (b & 31));
        return true;
    case IR_smin:
        *dst = sa < sb ? a : b;
        return true;
    case IR_smax:
        *dst = sa > sb ? a : b;
        return true;
    case IR_umin:
        *dst = a < b ? a : b;
        return true;
    case IR_umax:
        *dst = a > b ? a : b;
        return true;
    case IR_sadd_sat:
        *dst = (uint32_t)clamp((int64_t)sa + sb, INT32_MIN, INT32_MAX);
        return true;
    case IR_uadd_sat:
        *dst = (uint32_t)clamp((int64_t)a + b, 0, UINT32_MAX);
        return true;
    case IR_savg:
        *dst = (uint32_t)(((int64_t)sa + sb + 1) >> 1);
        return true;
    case IR_uavg:
        *dst = (uint32_t)(((int64_t)a + b + 1) >> 1);
        return true;
    case IR_sext8:
        *dst = (uint32_t)(int8_t)a;
        return true;
    case IR_sext16:
        *dst = (uint32_t)(int16_t)a;
        return true;
    case IR_zext8:
        *dst = a & 0xff;
        return true;
    case IR_zext16:
        *dst = a & 0xffff;
        return true;
    case IR_clz:
        *dst = a ? (uint32_t)__builtin_clz(a) : 32;
        return true;
    case IR_ctz:
        *dst = a ? (uint32_t)__builtin_ctz(a) : 0xffffffff;
        return true;
    case IR_popcount:
        *dst = (uint32_t)__builtin_popcount(a);
        return true;
    case IR_bitreverse:
        *dst = bit_reverse(a);
        return true;
    case IR_icmp:
        *dst = compare(i->pred, a, b);
        return true;
    case IR_fcmp:
        *dst = compare_float(i->pred, as_float(a), as_float(b));
        return true;
    case IR_select:
        *dst = a ? b : src[2];
        return true;
    case IR_b2i:
        *dst = a;
        return true;
    case IR_b2m:
        *dst = a ? 0xffffffff : 0;
        return true;
    case IR_i2b:
        *dst = a & 1;
        return true;
    case IR_fneg:
        *dst = a ^ 0x80000000;
        return true;
    case IR_fabs:
        *dst = a & 0x7fffffff;
        return true;
    default:
        return eval_float(i, src, dst);
    }
}

static unsigned bits_of(uint32_t x)
{
    return x ? 32 - (unsigned)__builtin_clz(x) : 0;
}

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned max(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Widths that are known; NULL: look at what is behind the sources, to some depth. */
static unsigned value_width(const struct ir_value *v, unsigned depth,
                            const struct opt_widths *known);
static unsigned value_signed_width(const struct ir_value *v, unsigned depth,
                                   const struct opt_widths *known);

static unsigned width(struct ir_src s, unsigned depth, const struct opt_widths *known)
{
    if (!s.value)
        return bits_of(s.imm);
    return known ? known->bits[s.value->id] : value_width(s.value, depth, NULL);
}

static unsigned signed_width(struct ir_src s, unsigned depth, const struct opt_widths *known)
{
    if (!s.value)
        return bits_of((int32_t)s.imm < 0 ? ~s.imm : s.imm) + 1;
    return known ? known->signed_bits[s.value->id] : value_signed_width(s.value, depth, NULL);
}

/* The greater of two values one of which is not negative has no more bits than their magnitudes. */
static unsigned smax_width(const struct ir_insn *d, unsigned depth, const struct opt_widths *known)
{
    if (width(d->src[0], depth, known) == 32 && width(d->src[1], depth, known) == 32)
        return 32;
    return max(signed_width(d->src[0], depth, known), signed_width(d->src[1], depth, known)) - 1;
}

static unsigned phi_width(const struct ir_insn *d, bool is_signed, const struct opt_widths *known)
{
    unsigned w = 1;
    for (unsigned n = 0; n < d->n_src; n++)
        w = max(w, is_signed ? signed_width(d->src[n], 0, known) : width(d->src[n], 0, known));
    return w;
}

static unsigned value_width(const struct ir_value *v, unsigned depth,
                            const struct opt_widths *known)
{
    const struct ir_insn *d = v->def;
    if (v->index == 1 && (d->op == IR_add_carry || d->op == IR_sub_borrow))
        return 1;
    if (!depth)
        return 32;
    unsigned a, b;
    depth--;
    switch (d->op) {
    case IR_phi:
        return known ? phi_width(d, false, known) : 32;
    case IR_mov:
        return v->type == IR_I32 ? width(d->src[0], depth, known) : 32;
    case IR_b2i:
        return 1;
    case IR_zext8:
        return min(8, width(d->src[0], depth, known));
    case IR_zext16:
        return min(16, width(d->src[0], depth, known));
    case IR_local_id: /* 16-bit in the payload */
        return 16;
    case IR_lane_id:
        return 5;
    case IR_f2h:
    case IR_hadd:
    case IR_hsub:
    case IR_hmul:
    case IR_hfma:
    case IR_hmad:
    case IR_hmin:
    case IR_hmax:
        return 16;
    case IR_clz:
    case IR_popcount:
        return 6;
    case IR_and:
    case IR_umin:
        return min(width(d->src[0], depth, known), width(d->src[1], depth, known));
    case IR_or:
    case IR_xor:
    case IR_umax:
        return max(width(d->src[0], depth, known), width(d->src[1], depth, known));
    case IR_smax:
        return smax_width(d, depth, known);
    case IR_smin: /* of two that are not negative */
        return max(width(d->src[0], depth, known), width(d->src[1], depth, known));
    case IR_select:
        return max(width(d->src[1], depth, known), width(d->src[2], depth, known));
    case IR_add:
        return min(32, max(width(d->src[0], depth, known), width(d->src[1], depth, known)) + 1);
    case IR_mul:
        a = width(d->src[0], depth, known), b = width(d->src[1], depth, known);
        return min(32, a + b);
    case IR_urem:
    case IR_udiv: /* by zero: any value, all 32 bits */
        return d->src[1].value || !d->src[1].imm ? 32 : width(d->src[0], depth, known);
    case IR_lshr:
        a = width(d->src[0], depth, known);
        return d->src[1].value ? a : a - min(a, d->src[1].imm & 31);
    case IR_shl:
        return d->src[1].value ? 32
                               : min(32, width(d->src[0], depth, known) + (d->src[1].imm & 31));
    default:
        return 32;
    }
}

static unsigned value_signed_width(const struct ir_value *v, unsigned depth,
                                   const struct opt_widths *known)
{
    const struct ir_insn *d = v->def;
    unsigned w = 32, u = value_width(v, depth, known);
    if (depth--) {
        switch (d->op) {
        case IR_phi:
            w = known ? phi_width(d, true, known) : 32;
            break;
        case IR_mov:
            w = v->type == IR_I32 ? signed_width(d->src[0], depth, known) : 32;
            break;
        case IR_sext8:
            w = min(8, signed_width(d->src[0], depth, known));
            break;
        case IR_sext16:
            w = min(16, signed_width(d->src[0], depth, known));
            break;
        case IR_b2m:
            w = 1;
            break;
        case IR_smin:
        case IR_smax:
        case IR_and:
        case IR_or:
        case IR_xor:
            w = max(signed_width(d->src[0], depth, known), signed_width(d->src[1], depth, known));
            break;
        case IR_add:
        case IR_sub:
            w = max(signed_width(d->src[0], depth, known), signed_width(d->src[1], depth, known)) +
                1;
            break;
        case IR_mul:
            w = signed_width(d->src[0], depth, known) + signed_width(d->src[1], depth, known);
            break;
        case IR_not:
            w = signed_width(d->src[0], depth, known);
            break;
        case IR_select:
            w = max(signed_width(d->src[1], depth, known), signed_width(d->src[2], depth, known));
            break;
        case IR_shl:
            if (!d->src[1].value)
                w = signed_width(d->src[0], depth, known) + (d->src[1].imm & 31);
            break;
        case IR_ashr:
            if (!d->src[1].value) {
                w = signed_width(d->src[0], depth, known);
                w -= min(w - 1, d->src[1].imm & 31);
            }
            break;
        default:
            break;
        }
    }
    return min(min(w, 32), min(32, u + 1));
}

unsigned opt_width(struct ir_src s)
{
    return width(s, 4, NULL);
}

unsigned opt_signed_width(struct ir_src s)
{
    return signed_width(s, 4, NULL);
}

void opt_widths(const struct ir_fn *fn, struct opt_widths *w)
{
    w->bits = cc_alloc(fn->n_values + 1);
    w->signed_bits = cc_alloc(fn->n_values + 1);
    memset(w->bits, 32, fn->n_values);
    memset(w->signed_bits, 32, fn->n_values);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        for (const struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            for (unsigned d = 0; d < i->n_dst; d++) {
                const struct ir_value *v = i->dst[d];
                w->bits[v->id] = (uint8_t)value_width(v, 1, w);
                w->signed_bits[v->id] = (uint8_t)value_signed_width(v, 1, w);
            }
        }
    }
}

static const struct ir_insn *def_of(struct ir_src s, enum ir_op op)
{
    return s.value && s.value->def->op == op && s.value->index == 0 ? s.value->def : NULL;
}

static bool give(struct ir_src *out, struct ir_src s)
{
    *out = s;
    return true;
}

static bool simplify_compare(const struct ir_insn *i, struct ir_src *out)
{
    struct ir_src a = i->src[0], b = i->src[1];
    const struct ir_insn *d;
    unsigned p = i->pred;
    if (ir_same(a, b))
        return give(out,
                    ir_imm(p == IR_EQ || p == IR_ULE || p == IR_UGE || p == IR_SLE || p == IR_SGE));
    if (b.value)
        return false;
    if ((d = def_of(a, IR_b2i)) &&
        ((p == IR_NE && b.imm == 0) || (p == IR_EQ && b.imm == 1) || (p == IR_UGT && b.imm == 0)))
        return give(out, d->src[0]);
    if ((d = def_of(a, IR_b2m)) && ((p == IR_NE && b.imm == 0) || (p == IR_SLT && b.imm == 0)))
        return give(out, d->src[0]);
    if (p == IR_ULT || p == IR_UGE) {
        if (b.imm == 0)
            return give(out, ir_imm(p == IR_UGE));
        unsigned w = opt_width(a);
        if (w < 32 && b.imm >> w)
            return give(out, ir_imm(p == IR_ULT));
    }
    if (p == IR_UGT || p == IR_ULE) {
        unsigned w = opt_width(a);
        if (b.imm >= (w == 32 ? 0xffffffff : (1u << w) - 1))
            return give(out, ir_imm(p == IR_ULE));
    }
    if ((p == IR_EQ || p == IR_NE) && opt_width(a) < 32 && b.imm >> opt_width(a))
        return give(out, ir_imm(p == IR_NE));
    if ((p == IR_SLT || p == IR_SGE) && b.imm == 0 && opt_width(a) < 32)
        return give(out, ir_imm(p == IR_SGE));
    return false;
}

/* What x op c, or op x, is for special constants c on the right. */
static bool simplify_constant(const struct ir_insn *i, struct ir_src *out)
{
    struct ir_src a = i->src[0], b = i->src[1];
    uint32_t c = b.imm;
    switch (i->op) {
    case IR_add:
    case IR_sub:
    case IR_xor:
    case IR_umax:
    case IR_xor1:
    case IR_or1:
        if (c == 0)
            return give(out, a);
        return i->op == IR_or1 && give(out, b);
    case IR_or:
        return c == 0 ? give(out, a) : c == 0xffffffff ? give(out, b) : false;
    case IR_and:
        if (c == 0xffffffff || ((c & (c + 1)) == 0 && opt_width(a) <= bits_of(c)))
            return give(out, a);
        return c == 0 && give(out, b);
    case IR_and1:
        return give(out, c ? a : b);
    case IR_umin:
        return c == 0 ? give(out, b) : c == 0xffffffff ? give(out, a) : false;
    case IR_mul:
        return c == 0 ? give(out, b) : c == 1 ? give(out, a) : false;
    case IR_mulhi_u:
        return c <= 1 && give(out, ir_imm(0));
    case IR_mulhi_s:
        return c == 0 && give(out, b);
    case IR_udiv:
    case IR_sdiv:
        return c == 1 && give(out, a);
    case IR_urem:
    case IR_srem:
        return c == 1 && give(out, ir_imm(0));
    case IR_shl:
    case IR_ashr:
        return (c & 31) == 0 && give(out, a);
    case IR_lshr:
        if ((c & 31) == 0)
            return give(out, a);
        return opt_width(a) <= (c & 31) && give(out, ir_imm(0));
    case IR_fmul:
        return c == 0x3f800000 && give(out, a);
    case IR_fadd:
        return c == 0x80000000 && give(out, a);
    case IR_fsub:
        return c == 0 && give(out, a);
    default:
        return false;
    }
}

bool opt_simplify(const struct ir_insn *i, struct ir_src *out)
{
    const struct ir_insn *d;
    uint32_t imm[3], result[2];
    unsigned n_imm = 0;
    if (!ir_has_flag(i, IR_PURE) || i->n_src == 0 || i->n_src > 3)
        return false;
    for (unsigned n = 0; n < i->n_src; n++) {
        imm[n] = i->src[n].imm;
        n_imm += !i->src[n].value;
    }
    if (n_imm == i->n_src && i->n_dst == 1 && opt_eval(i, imm, result))
        return give(out, ir_imm(result[0]));
    struct ir_src a = i->src[0];
    if (i->n_src == 2 && i->n_dst == 1) {
        if (!i->src[1].value && simplify_constant(i, out))
            return true;
        if (!a.value && ir_has_flag(i, IR_COMM)) {
            struct ir_insn swapped = *i;
            struct ir_src src[2] = {i->src[1], a};
            swapped.src = src;
            if (simplify_constant(&swapped, out))
                return true;
        }
        if (ir_same(a, i->src[1]))
            switch (i->op) {
            case IR_and:
            case IR_or:
            case IR_and1:
            case IR_or1:
            case IR_smin:
            case IR_smax:
            case IR_umin:
            case IR_umax:
                return give(out, a);
            case IR_sub:
            case IR_xor:
            case IR_xor1:
                return give(out, ir_imm(0));
            default:
                break;
            }
        if (ir_is_imm(a, 0) &&
            (i->op == IR_shl || i->op == IR_lshr || i->op == IR_ashr || i->op == IR_udiv ||
             i->op == IR_urem || i->op == IR_sdiv || i->op == IR_srem))
            return give(out, a);
    }
    switch (i->op) {
    case IR_mov: /* there and back again */
        if (a.value && a.value->type == i->dst[0]->type)
            return give(out, a);
        d = def_of(a, IR_mov);
        return d && d->src[0].value && d->src[0].value->type == i->dst[0]->type &&
               give(out, d->src[0]);
    case IR_pack: /* taken apart and put together again */
        d = def_of(a, IR_unlo);
        return d && def_of(i->src[1], IR_unhi) &&
               ir_same(d->src[0], i->src[1].value->def->src[0]) && give(out, d->src[0]);
    case IR_unlo:
        return (d = def_of(a, IR_pack)) && give(out, d->src[0]);
    case IR_unhi:
        return (d = def_of(a, IR_pack)) && give(out, d->src[1]);
    case IR_not:
    case IR_not1:
    case IR_fneg:
    case IR_dneg:
    case IR_bitreverse:
        return (d = def_of(a, i->op)) && give(out, d->src[0]);
    case IR_fabs:
    case IR_dabs:
    case IR_ffloor:
    case IR_fceil:
    case IR_ftrunc:
    case IR_frint:
        return def_of(a, i->op) && give(out, a);
    case IR_sext8:
        return opt_signed_width(a) <= 8 && give(out, a);
    case IR_sext16:
        return opt_signed_width(a) <= 16 && give(out, a);
    case IR_zext8:
        return opt_width(a) <= 8 && give(out, a);
    case IR_zext16:
        return opt_width(a) <= 16 && give(out, a);
    case IR_i2b:
        return ((d = def_of(a, IR_b2i)) || (d = def_of(a, IR_b2m))) && give(out, d->src[0]);
    case IR_icmp:
        return simplify_compare(i, out);
    case IR_select:
        if (!a.value)
            return give(out, i->src[a.imm ? 1 : 2]);
        if (def_of(i->src[1], IR_undef))
            return give(out, i->src[2]);
        if (def_of(i->src[2], IR_undef))
            return give(out, i->src[1]);
        if (ir_same(i->src[1], i->src[2]))
            return give(out, i->src[1]);
        return i->dst[0]->type == IR_I1 && ir_is_imm(i->src[1], 1) && ir_is_imm(i->src[2], 0) &&
               give(out, a);
    default:
        return false;
    }
}
