/* Integer instructions (sections 1.3, 3.4, 6.3 to 6.9.2, 6.9.4), computed exactly in 128 bits. */
#include "model.h"

#include <string.h>

const char *const open_names[N_OPEN] = {
#define OPEN(name, section, how, what) #name,
#include "open.def"
#undef OPEN
};
const char *const open_sections[N_OPEN] = {
#define OPEN(name, section, how, what) section,
#include "open.def"
#undef OPEN
};
const char *const open_texts[N_OPEN] = {
#define OPEN(name, section, how, what) what,
#include "open.def"
#undef OPEN
};
const uint8_t open_how[N_OPEN] = {
#define OPEN(name, section, how, what) HOW_##how,
#include "open.def"
#undef OPEN
};

static wide pow2(unsigned n)
{
    return (wide)1 << n;
}

static wide least(unsigned type)
{
    return type_is_signed(type) ? -pow2(type_bits(type) - 1) : 0;
}

static wide most(unsigned type)
{
    return pow2(type_bits(type) - type_is_signed(type)) - 1;
}

static wide clamp(wide v, unsigned type)
{
    return v < least(type) ? least(type) : v > most(type) ? most(type) : v;
}

static wide low_bits(wide v, unsigned n) /* unsigned */
{
    return v & (pow2(n) - 1);
}

static wide sign_bits(wide v, unsigned n)
{
    v = low_bits(v, n);
    return v >> (n - 1) & 1 ? v - pow2(n) : v;
}

/* The value of an integer element, extended by its own signedness (6.9.1, 2). */
static wide plain(const struct element *e)
{
    unsigned n = type_bits(e->type);
    return type_is_signed(e->type) ? sign_bits((wide)e->bits, n) : low_bits((wide)e->bits, n);
}

static bool is_logic(unsigned op)
{
    return op == EU_OP_and || op == EU_OP_or || op == EU_OP_xor || op == EU_OP_not;
}

/* 6.5: abs, then negate; on Gen8 and 9 the negation of a logic source is its complement. */
static wide modified(const struct step *s, unsigned k, unsigned i)
{
    const struct eu_operand *o = &s->in->src[k];
    wide v = plain(&s->src[k][i]);
    if (o->abs && v < 0)
        v = -v;
    if (!o->negate)
        return v;
    return is_logic(s->in->op) && s->m->gen >= 80 ? ~v : -v;
}

/* Width of the execution type (3.4). A destination of 64 bits widens. */
static unsigned exec_bits(const struct step *s)
{
    unsigned n = 16;
    for (unsigned k = 0; k < s->n_src; k++) {
        unsigned b = type_bits(s->src[k][0].type);
        n = b > n ? b : n;
    }
    unsigned d = s->in->dst.type;
    return d == EU_Q || d == EU_UQ ? 64 : n;
}

/* What one element comes to. */
struct outcome {
    wide v;          /* exact */
    enum open why;   /* CLOSED, or: the result is open */
    bool writes_acc; /* acc differs from v */
    wide acc;
};

static int trailing_zeros(wide v)
{
    int n = 0;
    while (!(v >> n & 1))
        n++;
    return n;
}

static unsigned count_leading(wide v, bool bit) /* of 32 bits */
{
    unsigned n = 0;
    while (n < 32 && (v >> (31 - n) & 1) == bit)
        n++;
    return n;
}

static wide reversed(wide v)
{
    wide r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

/* 6.6: width and offset have 5 bits. */
static wide bit_field(wide width, wide offset, wide value, bool is_signed)
{
    unsigned w = (unsigned)width & 31, o = (unsigned)offset & 31;
    if (w == 0)
        return 0;
    if (w + o >= 32) {
        value = is_signed ? sign_bits(value, 32) : low_bits(value, 32);
        return value >> o;
    }
    value = low_bits(value >> o, w);
    return is_signed ? sign_bits(value, w) : value;
}

static bool compare(unsigned cond, wide a, wide b)
{
    switch (cond) {
    case EU_COND_Z:
        return a == b;
    case EU_COND_NZ:
        return a != b;
    case EU_COND_G:
        return a > b;
    case EU_COND_GE:
        return a >= b;
    case EU_COND_L:
        return a < b;
    case EU_COND_LE:
        return a <= b;
    default:
        return false;
    }
}

static bool is_dword(unsigned t)
{
    return t == EU_D || t == EU_UD;
}

static bool is_64(unsigned t)
{
    return t == EU_Q || t == EU_UQ || t == EU_DF;
}

/* 6.8: before Broadwell only the low word of src1 is read; of D and UD without sign. */
static wide second_factor(const struct step *s, wide b)
{
    return s->m->gen < 80 && is_dword(s->in->src[1].type) ? low_bits(b, 16) : b;
}

/* 6.6, 6.9.2: six bits of the count where src0 or the destination has 64, else five. */
static unsigned shift_count(const struct step *s, wide b)
{
    bool wide_shift = is_64(s->in->src[0].type) || is_64(s->in->dst.type);
    return (unsigned)low_bits(b, wide_shift ? 6 : 5);
}

/* 6.9.2: quotient towards zero, remainder with the sign of the dividend. */
static wide divide(wide a, wide b, unsigned type, bool remainder)
{
    if (b == 0)
        return type == EU_UD ? 0xffffffff : a >= 0 ? 0x7fffffff : least(EU_D);
    return remainder ? a % b : a / b;
}

/* 1.3: 66 bits, or 33 where the operation is of words. */
static wide acc_wrap(const struct step *s, wide v)
{
    return sign_bits(v, exec_bits(s) > 16 ? 66 : 33);
}

static bool compute(struct step *s, unsigned i, struct outcome *out)
{
    const struct eu_insn *in = s->in;
    struct model *m = s->m;
    wide a = s->n_src > 0 ? modified(s, 0, i) : 0, b = s->n_src > 1 ? modified(s, 1, i) : 0;
    wide c = s->n_src > 2 ? modified(s, 2, i) : 0, acc = m->acc[i];
    *out = (struct outcome){.why = CLOSED};
    unsigned shift = shift_count(s, b);
    switch (in->op) {
    case EU_OP_mov:
    case EU_OP_movi:
    case EU_OP_smov:
        out->v = a;
        return true;
    case EU_OP_sel:
        if (in->cond)
            out->v = compare(in->cond, a, b) ? a : b;
        else
            out->v = s->pred >> i & 1 ? a : b;
        return true;
    case EU_OP_not:
        out->v = ~a;
        break;
    case EU_OP_and:
        out->v = a & b;
        break;
    case EU_OP_or:
        out->v = a | b;
        break;
    case EU_OP_xor:
        out->v = a ^ b;
        break;
    case EU_OP_shl:
        out->v = (wide)((uwide)a << shift);
        if (in->saturate &&
            (a << shift >> shift != a || out->v < -pow2(32) || out->v >= pow2(32)) &&
            type_bits(in->dst.type) <= 32)
            out->why = OPEN_sat_shl;
        if (in->saturate && type_bits(in->dst.type) == 64 &&
            (out->v < -pow2(32) || out->v >= pow2(32)))
            out->why = OPEN_sat_shl;
        return true;
    case EU_OP_shr: /* of unsigned types, without modifiers */
    case EU_OP_asr:
        out->v = a >> shift;
        return true;
    case EU_OP_cmp:
    case EU_OP_cmpn:
        out->v = compare(in->cond, a, b) ? -1 : 0;
        return true;
    case EU_OP_add:
        out->v = a + b;
        return true;
    case EU_OP_mul:
        out->v = a * second_factor(s, b);
        if (in->saturate && is_dword(in->src[0].type) && is_dword(in->src[1].type))
            out->why = OPEN_sat_mul;
        return true;
    case EU_OP_avg:
        out->v = (a + b + 1) >> 1;
        return true;
    case EU_OP_mac:
        out->v = acc + a * b;
        if (acc_wrap(s, out->v) != out->v)
            out->why = OPEN_acc_range;
        return true;
    case EU_OP_mach: { /* the upper word of src1, with its type's sign (6.8) */
        wide hi = in->src[1].type == EU_D ? sign_bits(b >> 16, 16) : low_bits(b >> 16, 16);
        out->acc = acc_wrap(s, acc + a * hi * 65536);
        out->writes_acc = true;
        out->v = out->acc >> 32;
        return true;
    }
    case EU_OP_addc:
        out->v = low_bits(a + b, 32);
        out->acc = (a + b) >> 32;
        out->writes_acc = true;
        return true;
    case EU_OP_subb:
        out->v = low_bits(a - b, 32);
        out->acc = a < b;
        out->writes_acc = true;
        return true;
    case EU_OP_lzd:
        out->v = count_leading(low_bits(a, 32), false);
        return true;
    case EU_OP_fbh:
        if (in->src[0].type == EU_D && a < 0)
            a = ~a;
        out->v = a == 0 ? 0xffffffff : (wide)count_leading(a, false);
        return true;
    case EU_OP_fbl:
        out->v = a == 0 ? 0xffffffff : (wide)trailing_zeros(a);
        return true;
    case EU_OP_cbit:
        a = low_bits(a, type_bits(in->src[0].type));
        for (out->v = 0; a; a >>= 1)
            out->v += a & 1;
        return true;
    case EU_OP_bfrev:
        out->v = reversed(low_bits(a, 32));
        return true;
    case EU_OP_bfe:
        out->v = bit_field(a, b, c, in->dst.type == EU_D);
        return true;
    case EU_OP_bfi1:
        out->v = (pow2((unsigned)a & 31) - 1) << ((unsigned)b & 31);
        return true;
    case EU_OP_bfi2:
        a = low_bits(a, 32);
        out->v = a == 0 ? c : (b << trailing_zeros(a) & a) | (c & ~a);
        return true;
    case EU_OP_math:
        out->v = divide(a, b, in->src[0].type, in->fn == EU_MATH_INT_DIV_REM);
        return true;
    default:
        return false;
    }
    /* Logic: whether bits above a narrow execution type are complemented too is not said. */
    bool narrow = exec_bits(s) == 16 && type_bits(in->dst.type) > 16;
    bool complement = in->op == EU_OP_not ||
                      (m->gen >= 80 && (in->src[0].negate || (s->n_src > 1 && in->src[1].negate)));
    if (narrow && complement)
        out->why = OPEN_narrow_not;
    return true;
}

/* 6.3: the value that the condition looks at. *why says if that isn't settled. */
static wide condition_value(const struct step *s, wide v, wide saturated, enum open *why)
{
    const struct eu_insn *in = s->in;
    unsigned bits = exec_bits(s), dst = type_bits(in->dst.type);
    bool any_signed = false, any_unsigned = false, negated = false, wide_unsigned = false;
    for (unsigned k = 0; k < s->n_src; k++) {
        bool sgn = type_is_signed(s->src[k][0].type);
        any_signed |= sgn;
        any_unsigned |= !sgn;
        wide_unsigned |= !sgn && type_bits(s->src[k][0].type) == bits;
        negated |= in->src[k].negate && (!sgn || is_logic(in->op));
    }
    if (in->saturate) {
        for (unsigned c = EU_COND_Z; c <= EU_COND_LE; c++) {
            if (c == in->cond && compare(c, v, 0) != compare(c, saturated, 0))
                *why = OPEN_cond_sat;
        }
        return saturated;
    }
    bool fits = any_signed ? v >= -pow2(bits - 1) && v < pow2(bits - 1) : v >= 0 && v < pow2(bits);
    if (is_logic(in->op)) {
        bool order = in->cond >= EU_COND_G && in->cond <= EU_COND_LE;
        bool to_signed = type_is_signed(in->dst.type);
        if (order && (to_signed ? any_unsigned : any_signed || negated || in->op == EU_OP_not))
            *why = OPEN_cond_sign;
        if (any_unsigned && (in->op == EU_OP_not || negated || any_signed)) {
            if (dst > bits && !low_bits(v, bits) != !low_bits(v, dst))
                *why = OPEN_cond_sign;
            v = low_bits(v, bits);
        }
        return v;
    }
    if (in->op == EU_OP_add) {
        /* Intel's compiler leaves out the comparison behind a sum that wraps in its type; a negated
         * unsigned source and mixed signs keep their bit more; words added into dwords don't wrap.
         */
        bits = dst > bits ? dst : bits;
        if (negated || (any_signed && any_unsigned)) {
            if (sign_bits(v, bits) != v && !wide_unsigned)
                *why = OPEN_cond_range; /* whether a narrow one does is not known */
            return v;
        }
        wide cut = any_signed ? sign_bits(v, bits) : low_bits(v, bits);
        bool same = type_bits(in->dst.type) == bits && type_is_signed(in->dst.type) == any_signed &&
                    !type_is_float(in->dst.type);
        if (cut != v && !same)
            *why = OPEN_cond_range;
        return cut;
    }
    if (in->op == EU_OP_addc || in->op == EU_OP_subb)
        return v;
    bool order = in->cond >= EU_COND_G && in->cond <= EU_COND_LE;
    if (!fits)
        *why = OPEN_cond_range;
    else if (in->op == EU_OP_shl && order && type_is_signed(in->dst.type) != any_signed)
        *why = OPEN_cond_sign;
    return v;
}

static void finish(struct step *s, unsigned i, const struct outcome *out)
{
    const struct eu_insn *in = s->in;
    struct model *m = s->m;
    const struct eu_operand *d = &in->dst;
    bool to_float = type_is_float(d->type), cmp = in->op == EU_OP_cmp || in->op == EU_OP_cmpn;
    wide v = out->v, saturated = v;
    uint64_t bits;
    if (in->saturate)
        saturated = to_float ? (v < 0 ? 0 : v > 1 ? 1 : v) : clamp(v, d->type);
    if (cmp || (in->op == EU_OP_mov && !to_float && !in->saturate))
        bits = (uint64_t)v;
    else if (to_float)
        bits = model_int_to_float(s, saturated, d->type);
    else
        bits = (uint64_t)saturated;
    bool enabled = step_enabled(s, i);
    bool explicit_acc = d->file == EU_ARF && !d->indirect && (d->reg & 0xf0) == EU_ARF_ACC0;
    if (enabled) {
        step_store(s, i, bits);
        wide cut = type_is_signed(s->src[0][i].type) ? sign_bits(v, exec_bits(s))
                                                     : low_bits(v, exec_bits(s));
        if (out->why != CLOSED)
            step_loose(s, i, out->why, 0, 0, 0);
        else if (to_float && !cmp && cut != v)
            step_loose(s, i, OPEN_sum_float, 0, 0, 0);
        if (in->acc_wr || explicit_acc) {
            /* The accumulator keeps what was not clamped (6.4). */
            wide acc = out->writes_acc ? out->acc : v;
            m->acc[i] = acc_wrap(s, acc);
            m->stale_int &= ~(1u << i);
            m->stale_f |= 1u << i;
            m->stale_df |= 0xff;
            /* Products have 66 bits, other results 33 (1.3). */
            bool product = in->op == EU_OP_mul || in->op == EU_OP_mac || in->op == EU_OP_mach;
            if (!product && sign_bits(acc, 33) != acc)
                acc = ~m->acc[i];
            if (m->acc[i] != acc && out->why == CLOSED)
                step_acc_open(s, i, OPEN_acc_range);
            if (out->why != CLOSED)
                step_acc_open(s, i, out->why);
        }
    }
    if (!in->cond || in->op == EU_OP_sel)
        return;
    if (cmp) {
        step_flag(s, i, v, CLOSED);
        return;
    }
    enum open why = out->why == CLOSED ? CLOSED : OPEN_cond_open;
    wide looked_at = condition_value(s, v, saturated, &why);
    bool flag = compare(in->cond, looked_at, 0);
    if (in->cond == EU_COND_O) {
        bool same = true;
        for (unsigned k = 0; k < s->n_src; k++)
            same &= s->src[k][0].type == d->type;
        flag = clamp(v, d->type) != v;
        if (!same || in->saturate || in->op != EU_OP_add || to_float)
            why = OPEN_cond_over;
    }
    step_flag(s, i, flag, why);
}

/* 6.6: in the even word of each pair the sum of two absolute differences. */
static bool sad(struct step *s)
{
    for (unsigned i = 0; i + 1 < s->n; i += 2) {
        struct outcome out = {.why = CLOSED};
        for (unsigned k = 0; k < 2; k++) {
            wide d = modified(s, 0, i + k) - modified(s, 1, i + k);
            out.v += d < 0 ? -d : d;
        }
        if (s->in->op == EU_OP_sada2)
            out.v += s->m->acc[i];
        if (s->write >> i & 1)
            finish(s, i, &out);
        if (s->write >> (i + 1) & 1) {
            out.why = OPEN_sad_odd;
            finish(s, i + 1, &out);
        }
    }
    return true;
}

/* 6.7: the remainder goes to the next register. */
static void remainder_too(struct step *s, unsigned i)
{
    wide r = divide(modified(s, 0, i), modified(s, 1, i), s->in->src[0].type, true);
    unsigned at = step_dst(s, i) + EU_GRF_SIZE;
    for (unsigned k = 0; k < 4; k++)
        s->m->grf[at + k] = (uint8_t)(r >> 8 * k);
}

bool model_reads_stale(const struct model *m, const struct eu_insn *in)
{
    const struct eu_operand *o = &in->src[0];
    bool reads = in->op == EU_OP_mac || in->op == EU_OP_mach || in->op == EU_OP_sada2 ||
                 (o->file == EU_ARF && !o->indirect && (o->reg & 0xf0) == EU_ARF_ACC0);
    uint32_t stale = o->type == EU_DF         ? m->stale_df
                     : type_is_float(o->type) ? m->stale_f
                                              : m->stale_int;
    return reads && stale;
}

bool model_step(struct model *m, const struct eu_insn *in)
{
    struct step s;
    if (!step_begin(&s, m, in))
        return false;
    if (in->op == EU_OP_nop)
        return true;
    if (in->op == EU_OP_smov) { /* 6.6: the immediate enables elements */
        s.write &= (uint32_t)in->src[1].imm;
        s.n_src = 1;
    }
    for (unsigned k = 0; k < s.n_src; k++) {
        if (type_is_float(s.src[k][0].type) || in->op == EU_OP_dim || in->op == EU_OP_f16to32)
            return model_float(&s);
    }
    if (in->op == EU_OP_sad2 || in->op == EU_OP_sada2)
        return sad(&s);
    for (unsigned i = 0; i < s.n; i++) {
        struct outcome out;
        if (!(s.write >> i & 1))
            continue;
        if (!compute(&s, i, &out))
            return false;
        finish(&s, i, &out);
        if (in->op == EU_OP_math && in->fn == EU_MATH_INT_DIV_BOTH)
            remainder_too(&s, i);
    }
    return true;
}
