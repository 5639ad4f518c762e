/* Text -> struct eu_insn: one line in the syntax that eu_print() writes (iga64's, with its freedoms
 * of spacing, comments and number forms). Independent of the locale. */
#include "gen/eu.h"

#include "gen/eu_table.h"
#include "gen/eu_text.h"

#include <string.h>

struct parser {
    int gen;
    const char *p;
    struct eu_insn *in;
    bool have_flag;  /* the predicate has named one */
    const char *why; /* the first error; NULL if none */
};

static bool fail(struct parser *s, const char *why)
{
    if (!s->why)
        s->why = why;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_space(struct parser *s)
{
    while (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')
        s->p++;
    if (s->p[0] == '/' && s->p[1] == '/')
        s->p += strlen(s->p);
}

static bool accept(struct parser *s, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(s->p, text, n) != 0)
        return false;
    s->p += n;
    return true;
}

static bool expect(struct parser *s, const char *text, const char *why)
{
    return accept(s, text) || fail(s, why);
}

/* Letters and digits from here on. */
static size_t word_length(const char *p)
{
    size_t n = 0;
    while (is_letter(p[n]) || is_digit(p[n]))
        n++;
    return n;
}

static bool accept_word(struct parser *s, const char *text)
{
    size_t n = strlen(text);
    if (word_length(s->p) != n || strncmp(s->p, text, n) != 0)
        return false;
    s->p += n;
    return true;
}

static bool parse_unsigned(struct parser *s, uint64_t *out)
{
    uint64_t v = 0;
    if (s->p[0] == '0' && (s->p[1] == 'x' || s->p[1] == 'X')) {
        const char *start = s->p += 2;
        for (;; s->p++) {
            char c = *s->p;
            unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
                             : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                             : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                    : 16;
            if (digit > 15)
                break;
            if (v >> 60)
                return fail(s, "number of more than 64 bits");
            v = v << 4 | digit;
        }
        if (s->p == start)
            return fail(s, "a hexadecimal number was expected");
        *out = v;
        return true;
    }
    if (!is_digit(*s->p))
        return fail(s, "a number was expected");
    for (; is_digit(*s->p); s->p++) {
        if (v > (~0ull - 9) / 10)
            return fail(s, "number of more than 64 bits");
        v = v * 10 + (unsigned)(*s->p - '0');
    }
    *out = v;
    return true;
}

static bool parse_small(struct parser *s, unsigned max, unsigned *out)
{
    uint64_t v;
    if (!parse_unsigned(s, &v))
        return false;
    if (v > max)
        return fail(s, "number out of range");
    *out = (unsigned)v;
    return true;
}

static bool parse_signed(struct parser *s, int64_t *out)
{
    bool negative = accept(s, "-");
    uint64_t v;
    if (!parse_unsigned(s, &v))
        return false;
    *out = (int64_t)(negative ? 0 - v : v);
    return true;
}

static bool parse_flag(struct parser *s, uint8_t *flag)
{
    unsigned reg, sub;
    if (!expect(s, "f", "a flag register was expected") || !parse_small(s, 1, &reg) ||
        !expect(s, ".", "a flag subregister was expected") || !parse_small(s, 1, &sub))
        return false;
    *flag = reg * 2 + sub;
    return true;
}

/* "(W)", "(W&f0.0)", "(~f1.1.any8h)" in front of the mnemonic. */
static bool parse_pred(struct parser *s)
{
    struct eu_insn *in = s->in;
    if (!accept(s, "("))
        return true;
    if (accept_word(s, "W")) {
        in->no_mask = true;
        if (accept(s, ")"))
            return true;
        if (!expect(s, "&", "\"&\" or \")\" was expected after W"))
            return false;
    }
    in->pred_inv = accept(s, "~");
    if (!parse_flag(s, &in->flag))
        return false;
    s->have_flag = true;
    in->pred = EU_PRED_NORMAL;
    if (accept(s, ".")) {
        in->pred = EU_PRED_NONE;
        for (int i = 0; i < 32 && in->pred == EU_PRED_NONE; i++) {
            const char *name = eu_pred_names[i >> 4][i & 15];
            if (name && *name && accept_word(s, name))
                in->pred = i & 15;
        }
        if (in->pred == EU_PRED_NONE)
            return fail(s, "no such predicate combination");
    }
    return expect(s, ")", "\")\" was expected after the predicate");
}

static bool parse_mnemonic(struct parser *s)
{
    struct eu_insn *in = s->in;
    size_t n = word_length(s->p);
    int op = -1;
    for (int i = 0; i < EU_N_OPS; i++) {
        const char *name = eu_op_info(i)->name;
        if (strlen(name) == n && strncmp(name, s->p, n) == 0)
            op = i;
    }
    if (op < 0)
        return fail(s, "no such instruction");
    if (s->gen < eu_op_info(op)->first_gen || s->gen > eu_op_info(op)->last_gen)
        return fail(s, "this generation lacks the instruction");
    in->op = op;
    s->p += n;
    if (eu_fmt(op) == EU_FMT_MATH) {
        if (!expect(s, ".", "a math function was expected"))
            return false;
        for (int i = 0; i < 16; i++) {
            if (eu_math_names[i] && accept_word(s, eu_math_names[i])) {
                in->fn = i;
                return true;
            }
        }
        return fail(s, "no such math function");
    }
    if (accept(s, ".b")) {
        if (!eu_has_branch_ctrl(s->gen, op))
            return fail(s, "this instruction has no BranchCtrl");
        in->branch_ctrl = true;
    }
    return true;
}

static bool parse_channels(struct parser *s)
{
    unsigned size, group;
    s->in->exec_size = 1;
    skip_space(s);
    if (s->p[0] != '(' || !is_digit(s->p[1]))
        return true;
    s->p++;
    if (!parse_small(s, 32, &size) || !expect(s, "|M", "\"|M\" was expected") ||
        !parse_small(s, 31, &group) || !expect(s, ")", "\")\" was expected"))
        return false;
    s->in->exec_size = size;
    s->in->group = group;
    return true;
}

/* "(lt)f0.0" before the destination. */
static bool parse_cond(struct parser *s)
{
    struct eu_insn *in = s->in;
    const char *start = s->p;
    if (!accept(s, "("))
        return true;
    static const char *const aliases[16] = {
        [EU_COND_Z] = "z", [EU_COND_NZ] = "nz", [EU_COND_G] = "g",
        [EU_COND_L] = "l", [EU_COND_O] = "o",   [EU_COND_U] = "u",
    };
    bool found = accept_word(s, "eo");
    for (int i = 0; i < 16 && !found; i++) {
        if ((eu_cond_names[i] && accept_word(s, eu_cond_names[i])) ||
            (aliases[i] && accept_word(s, aliases[i]))) {
            in->cond = i;
            found = true;
        }
    }
    if (!found) {
        s->p = start;
        return true;
    }
    uint8_t flag;
    if (!expect(s, ")", "\")\" was expected after the condition") || !parse_flag(s, &flag))
        return false;
    if (s->have_flag && flag != in->flag)
        return fail(s, "predicate and condition use the same flag register");
    in->flag = flag;
    return true;
}

/* What a register operand says besides its numbers. */
struct operand_text {
    bool has_sub, sub_in_bytes, has_region, has_type, has_channels, has_acc;
    unsigned sub;
    unsigned region[3], n_region;
    bool semicolon; /* region[0];region[1] */
    unsigned channels, swizzle, n_channels;
};

static bool parse_arf(struct parser *s, struct eu_operand *o)
{
    for (int i = 0; i < EU_N_ARF_NAMES; i++) {
        const struct eu_arf_name *a = &eu_arf_names[i];
        size_t n = strlen(a->name);
        if (strncmp(s->p, a->name, n) != 0)
            continue;
        unsigned index = 0;
        const char *after = s->p + n;
        if (is_letter(*after) || (!a->numbered && is_digit(*after)))
            continue;
        s->p = after;
        if (is_digit(*after)) {
            if (!parse_small(s, a->n - 1u, &index))
                return false;
        } else if (a->numbered && a->reg != EU_ARF_CE0) {
            s->p -= n;
            continue;
        }
        o->file = EU_ARF;
        o->reg = a->reg + index;
        return true;
    }
    unsigned reg;
    if (strncmp(s->p, "arf", 3) == 0 && is_digit(s->p[3])) {
        s->p += 3;
        o->file = EU_ARF;
        if (!parse_small(s, 255, &reg))
            return false;
        o->reg = reg;
        return true;
    }
    return fail(s, "an operand was expected");
}

static bool parse_indirect(struct parser *s, struct eu_operand *o)
{
    unsigned a0;
    int64_t imm = 0;
    o->file = EU_GRF;
    o->indirect = true;
    if (!expect(s, "a0.", "a0 was expected") || !parse_small(s, 15, &a0))
        return false;
    o->a0_sub = a0;
    skip_space(s);
    if (accept(s, ",")) {
        skip_space(s);
        if (!parse_signed(s, &imm))
            return false;
    }
    if (imm < -512 || imm > 511)
        return fail(s, "address immediate out of -512..511");
    o->addr_imm = imm;
    skip_space(s);
    return expect(s, "]", "\"]\" was expected");
}

/* ".xyzw": channels as a set and, in order, as a swizzle. */
static bool parse_xyzw(struct parser *s, struct operand_text *t)
{
    t->has_channels = true;
    if (accept_word(s, "none"))
        return true;
    for (; strchr("xyzw", *s->p) && *s->p; s->p++) {
        unsigned c = *s->p == 'w' ? 3 : (unsigned)(*s->p - 'x');
        if (t->n_channels == 4)
            return fail(s, "more than four channels");
        t->channels |= 1u << c;
        t->swizzle |= c << 2 * t->n_channels++;
    }
    return t->n_channels > 0 || fail(s, "channels were expected");
}

static bool parse_region(struct parser *s, struct operand_text *t)
{
    if (!accept(s, "<"))
        return true;
    t->has_region = true;
    do {
        if (t->n_region == 3)
            return fail(s, "region of more than three numbers");
        skip_space(s);
        if (!parse_small(s, 32, &t->region[t->n_region++]))
            return false;
        skip_space(s);
        if (t->n_region == 1 && accept(s, ";")) {
            t->semicolon = true;
            continue;
        }
        if (!accept(s, ","))
            break;
    } while (true);
    return expect(s, ">", "\">\" was expected after the region");
}

static bool parse_type(struct parser *s, uint8_t *type)
{
    for (int i = 0; i < EU_N_TYPES; i++) {
        if (accept_word(s, eu_type_name(i))) {
            *type = i;
            return true;
        }
    }
    return fail(s, "no such type");
}

/* Register, subregister, region, channels, type; the subregister ends up in bytes in o->sub. */
static bool parse_reg(struct parser *s, struct eu_operand *o, struct operand_text *t)
{
    unsigned n;
    if (s->p[0] == 'r' && s->p[1] == '[') {
        s->p += 2;
        if (!parse_indirect(s, o))
            return false;
    } else if (s->p[0] == 'r' && is_digit(s->p[1])) {
        s->p++;
        if (!parse_small(s, EU_N_GRF - 1, &n))
            return false;
        o->file = EU_GRF;
        o->reg = n;
    } else if (!parse_arf(s, o)) {
        return false;
    }
    if (s->p[0] == '.' && is_digit(s->p[1])) {
        s->p++;
        t->has_sub = true;
        if (!parse_small(s, 31, &t->sub))
            return false;
    } else if (s->p[0] == '.' && s->p[1] == 'b' && is_digit(s->p[2])) {
        s->p += 2;
        t->has_sub = t->sub_in_bytes = true;
        if (!parse_small(s, 31, &t->sub))
            return false;
    } else if (accept(s, ".nomme")) {
        t->has_acc = true;
        o->acc = 8;
    } else if (accept(s, ".mme")) {
        t->has_acc = true;
        if (!parse_small(s, 15, &n))
            return false;
        o->acc = n;
    }
    if (!parse_region(s, t))
        return false;
    if (s->p[0] == '.' && is_letter(s->p[1])) {
        s->p++;
        if (!parse_xyzw(s, t))
            return false;
    }
    o->type = EU_UD;
    if (accept(s, ":")) {
        t->has_type = true;
        if (!parse_type(s, &o->type))
            return false;
    }
    unsigned sub = t->sub_in_bytes ? t->sub : t->sub * eu_type_size(o->type);
    if (sub >= EU_GRF_SIZE)
        return fail(s, "subregister past the register's end");
    o->sub = sub;
    return true;
}

static uint16_t half_from_double(double v)
{
    uint16_t sign = 0;
    if (v < 0) {
        sign = 0x8000;
        v = -v;
    }
    int e = 15;
    if (v == 0)
        return sign;
    while (v >= 2 && e < 31) {
        v /= 2;
        e++;
    }
    while (v < 1 && e > 1) {
        v *= 2;
        e--;
    }
    if (e >= 31)
        return sign | 0x7c00;
    double scaled = v * 1024;
    unsigned m = (unsigned)scaled;
    double rest = scaled - m;
    if (rest > 0.5 || (rest == 0.5 && (m & 1)))
        m++;
    /* m is 1024..2048 of a normal number, less of a denormal one; a carry moves into the exponent.
     */
    return sign | (uint16_t)((e << 10) + m - 1024);
}

/* Decimal floats; hexadecimal numbers are bits. */
static bool parse_float(struct parser *s, bool negative, double *out)
{
    double mantissa = 0, power = 1;
    int exponent = 0;
    const char *start = s->p;
    for (; is_digit(*s->p); s->p++)
        mantissa = mantissa * 10 + (*s->p - '0');
    if (*s->p == '.') {
        for (s->p++; is_digit(*s->p); s->p++) {
            mantissa = mantissa * 10 + (*s->p - '0');
            exponent--;
        }
    }
    if (s->p == start)
        return fail(s, "a number was expected");
    if (*s->p == 'e' || *s->p == 'E') {
        int64_t e;
        s->p++;
        accept(s, "+");
        if (!parse_signed(s, &e) || e < -400 || e > 400)
            return fail(s, "exponent out of range");
        exponent += (int)e;
    }
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 10;
    double v = exponent < 0 ? mantissa / power : mantissa * power;
    *out = negative ? -v : v;
    return true;
}

/* Looks ahead for the type behind a number. */
static uint8_t imm_type_ahead(const char *p)
{
    while (*p && *p != ':' && *p != ' ')
        p++;
    if (*p != ':')
        return EU_N_TYPES;
    p++;
    size_t n = word_length(p);
    for (int i = 0; i < EU_N_TYPES; i++) {
        if (strlen(eu_type_name(i)) == n && strncmp(eu_type_name(i), p, n) == 0)
            return i;
    }
    return EU_N_TYPES;
}

static bool parse_imm(struct parser *s, struct eu_operand *o)
{
    unsigned type = imm_type_ahead(s->p);
    if (type == EU_N_TYPES)
        return fail(s, "a type was expected after the immediate");
    *o = (struct eu_operand){.file = EU_IMM, .type = type};
    unsigned bits = 8 * eu_type_size(type);
    bool is_float = type == EU_F || type == EU_DF || type == EU_HF;
    bool negative = accept(s, "-");
    bool hex = s->p[0] == '0' && (s->p[1] == 'x' || s->p[1] == 'X');
    if (is_float && !hex) {
        double v;
        if (!parse_float(s, negative, &v))
            return false;
        float f = (float)v;
        uint32_t f_bits;
        memcpy(&f_bits, &f, sizeof(f_bits));
        if (type == EU_DF)
            memcpy(&o->imm, &v, sizeof(v));
        else
            o->imm = type == EU_F ? f_bits : half_from_double(v);
    } else {
        uint64_t v;
        if (!parse_unsigned(s, &v))
            return false;
        if (bits < 64 && v >> bits)
            return fail(s, "immediate too large for its type");
        if (negative)
            v = 0 - v;
        o->imm = bits < 64 ? v & ((1ull << bits) - 1) : v;
    }
    return expect(s, ":", "a type was expected after the immediate") && parse_type(s, &o->type);
}

static bool parse_dst(struct parser *s)
{
    struct eu_insn *in = s->in;
    struct eu_operand *o = &in->dst;
    struct operand_text t = {0};
    skip_space(s);
    if (accept(s, "(sat)"))
        in->saturate = true;
    if (!parse_reg(s, o, &t))
        return false;
    if (eu_is_macro(in))
        return (o->file == EU_ARF || t.has_acc) || fail(s, "a special accumulator was expected");
    if (t.n_region > 1)
        return fail(s, "a destination region is one stride");
    o->hs = t.n_region ? t.region[0] : 1;
    if (t.has_channels) {
        in->align16 = true;
        o->chan_en = t.channels;
    }
    return true;
}

static bool parse_modifiers(struct parser *s, struct eu_operand *o)
{
    o->negate = accept(s, "-") || accept(s, "~");
    o->abs = accept(s, "(abs)");
    return true;
}

static bool starts_number(const char *p)
{
    if (*p == '-')
        p++;
    return is_digit(*p) || (*p == '.' && is_digit(p[1]));
}

static bool parse_src(struct parser *s, int i)
{
    struct eu_insn *in = s->in;
    struct eu_operand *o = &in->src[i];
    struct operand_text t = {0};
    skip_space(s);
    if (starts_number(s->p))
        return parse_imm(s, o);
    if (!parse_modifiers(s, o) || !parse_reg(s, o, &t))
        return false;
    if (eu_is_macro(in)) {
        /* The region of a macro's operand is fixed: whole registers, four channels of 32 bits. */
        if (o->file == EU_GRF && !t.has_acc)
            return fail(s, "a special accumulator was expected");
        if (in->op == EU_OP_math)
            o->vs = eu_type_size(o->type) == 8 ? 2 : 4;
        return true;
    }
    if (t.has_channels) {
        if (t.n_region != 1 || t.n_channels != 4)
            return fail(s, "an Align16 source is <stride>.four channels");
        in->align16 = true;
        o->vs = t.region[0];
        o->width = 4;
        o->hs = 1;
        o->swizzle = t.swizzle;
    } else if (!t.has_region) {
        o->width = 1; /* a scalar */
    } else if (t.n_region == 3 && t.semicolon) {
        o->vs = t.region[0];
        o->width = t.region[1];
        o->hs = t.region[2];
    } else if (t.n_region == 2 && !t.semicolon && o->indirect) {
        o->vs = EU_VS_VXH;
        o->width = t.region[0];
        o->hs = t.region[1];
    } else {
        return fail(s, "a source region is <V;W,H>, or <W,H> of an indirect operand");
    }
    return true;
}

static bool parse_dst3(struct parser *s)
{
    struct eu_insn *in = s->in;
    struct eu_operand *o = &in->dst;
    struct operand_text t = {0};
    skip_space(s);
    if (accept(s, "(sat)"))
        in->saturate = true;
    if (!parse_reg(s, o, &t))
        return false;
    unsigned size = eu_type_size(o->type);
    o->hs = 1;
    o->chan_en = t.has_channels ? t.channels : 0xf;
    if (in->exec_size == 1 && !t.has_channels) {
        /* One channel is an Align16 group with one channel enabled. */
        unsigned group = size == 2 ? 8 : 16, k = o->sub % group / size;
        in->exec_size = size == 8 ? 2 : 4;
        o->chan_en = size == 8 ? 3u << 2 * k : 1u << k;
        o->sub -= o->sub % group;
    }
    return true;
}

static bool parse_src3(struct parser *s, int i)
{
    struct eu_operand *o = &s->in->src[i];
    struct operand_text t = {0};
    skip_space(s);
    if (!parse_modifiers(s, o) || !parse_reg(s, o, &t))
        return false;
    bool scalar = !t.has_region || (t.region[0] == 0 && (t.n_region == 1 || t.region[1] == 0));
    o->swizzle = 0xe4;
    if (t.has_channels) {
        if (t.n_channels != 4)
            return fail(s, "a swizzle has four channels");
        o->swizzle = t.swizzle;
        o->rep = scalar;
    } else if (scalar && o->type == EU_DF) {
        o->swizzle = o->sub & 8 ? 0xee : 0x44;
        o->sub &= ~15u;
    } else {
        o->rep = scalar;
    }
    return true;
}

static bool parse_plain(struct parser *s, struct eu_operand *o)
{
    struct operand_text t = {0};
    skip_space(s);
    return parse_reg(s, o, &t);
}

/* "a0.2" or "a0.2+0x80": the address register's dword, and bits that the instruction holds besides.
 */
static bool accept_a0(struct parser *s, unsigned *sub, uint32_t *besides, bool *in_register)
{
    uint64_t v = 0;
    *in_register = accept(s, "a0.");
    if (!*in_register)
        return true;
    if (!parse_small(s, 7, sub))
        return false;
    if (accept(s, "+") && !parse_unsigned(s, &v))
        return false;
    if (v >> 32)
        return fail(s, "descriptor of more than 32 bits");
    *besides = (uint32_t)v;
    return true;
}

static bool parse_send(struct parser *s)
{
    struct eu_insn *in = s->in;
    bool split = eu_fmt(in->op) == EU_FMT_SENDS;
    unsigned sub = 0;
    uint32_t besides = 0;
    uint64_t v = 0;
    if (!parse_plain(s, &in->dst) || !parse_plain(s, &in->src[0]))
        return false;
    in->dst.hs = 1;
    if (split && !parse_plain(s, &in->src[1]))
        return false;
    skip_space(s);
    if (!accept_a0(s, &sub, &besides, &in->exdesc_reg))
        return false;
    if (in->exdesc_reg) {
        in->exdesc_sub = sub;
        in->exdesc = besides & ~0x3fu;
        in->fn = besides & 0xf;
    } else {
        if (!parse_unsigned(s, &v))
            return false;
        if (v >> 32)
            return fail(s, "extended descriptor of more than 32 bits");
        in->exdesc = v & ~0x3full;
        in->fn = v & 0xf;
        in->eot = v & 0x20;
    }
    skip_space(s);
    besides = 0;
    if (!accept_a0(s, &sub, &besides, &in->desc_reg))
        return false;
    if (in->desc_reg) {
        if (sub)
            return fail(s, "the descriptor of a send is in a0.0");
        in->desc = besides;
    } else {
        if (!parse_unsigned(s, &v))
            return false;
        if (v >> 31)
            return fail(s, "descriptor of more than 31 bits");
        in->desc = v;
    }
    return true;
}

static bool parse_distance(struct parser *s, int32_t *out)
{
    int64_t v;
    skip_space(s);
    if (!parse_signed(s, &v))
        return false;
    if (v < INT32_MIN || v > INT32_MAX)
        return fail(s, "jump distance out of range");
    *out = (int32_t)v;
    return true;
}

/* The regions and types that Intel's assembler gives the register operands of flow control. */
static bool parse_jump(struct parser *s)
{
    struct eu_insn *in = s->in;
    int target = eu_target_src(in->op);
    if (in->op == EU_OP_jmpi)
        in->no_mask = true; /* as Intel's assembler has it, said or not */
    if (in->op == EU_OP_call || in->op == EU_OP_calla) {
        if (!parse_plain(s, &in->dst))
            return false;
        in->dst.type = EU_D;
        in->dst.hs = 1;
    }
    skip_space(s);
    if (in->op == EU_OP_ret || (target >= 0 && !starts_number(s->p))) {
        struct eu_operand *o = &in->src[target >= 0 ? target : 0];
        bool pair = in->op == EU_OP_ret || in->op == EU_OP_brc; /* reads two dwords */
        if (!parse_plain(s, o))
            return false;
        o->type = EU_D;
        o->vs = pair ? 2 : 0;
        o->width = pair ? 2 : 1;
        o->hs = pair ? 1 : 0;
        return true;
    }
    if (!parse_distance(s, &in->jip))
        return false;
    return eu_n_targets(s->gen, in->op) < 2 || parse_distance(s, &in->uip);
}

static bool parse_options(struct parser *s)
{
    struct eu_insn *in = s->in;
    skip_space(s);
    if (!accept(s, "{"))
        return true;
    do {
        skip_space(s);
        if (accept_word(s, "Align16"))
            in->align16 = true;
        else if (accept_word(s, "AccWrEn"))
            in->acc_wr = true;
        else if (accept_word(s, "Atomic"))
            in->thread_ctrl = EU_THREAD_ATOMIC;
        else if (accept_word(s, "Breakpoint"))
            in->debug = true;
        else if (accept_word(s, "Compacted"))
            in->compact = true;
        else if (accept_word(s, "EOT"))
            in->eot = true;
        else if (accept_word(s, "NoDDChk"))
            in->no_dd_chk = true;
        else if (accept_word(s, "NoDDClr"))
            in->no_dd_clr = true;
        else if (accept_word(s, "Switch"))
            in->thread_ctrl = EU_THREAD_SWITCH;
        else
            return fail(s, "no such instruction option");
        skip_space(s);
    } while (accept(s, ","));
    return expect(s, "}", "\"}\" was expected");
}

static bool parse_operands(struct parser *s)
{
    struct eu_insn *in = s->in;
    switch (eu_fmt(in->op)) {
    case EU_FMT_NONE:
        return true;
    case EU_FMT_WAIT:
        return parse_src(s, 0);
    case EU_FMT_ALU:
        if (!parse_dst(s))
            return false;
        for (unsigned i = 0; i < eu_op_info(in->op)->n_src; i++) {
            if (!parse_src(s, i))
                return false;
        }
        return true;
    case EU_FMT_MATH:
        in->align16 = eu_is_macro(in);
        return parse_dst(s) && parse_src(s, 0) && (!eu_math_is_binary(in->fn) || parse_src(s, 1));
    case EU_FMT_ALU3:
        in->align16 = true;
        if (eu_is_macro(in))
            return parse_dst(s) && parse_src(s, 0) && parse_src(s, 1) && parse_src(s, 2);
        return parse_dst3(s) && parse_src3(s, 0) && parse_src3(s, 1) && parse_src3(s, 2);
    case EU_FMT_JUMP:
        return parse_jump(s);
    case EU_FMT_SEND:
    case EU_FMT_SENDS:
        return parse_send(s);
    }
    return false;
}

bool eu_parse(int gen, const char *text, struct eu_insn *out, const char **why)
{
    struct eu_insn in = {0};
    struct parser s = {.gen = gen, .p = text, .in = &in};
    skip_space(&s);
    bool ok = parse_pred(&s);
    skip_space(&s);
    ok = ok && parse_mnemonic(&s) && parse_channels(&s);
    skip_space(&s);
    ok = ok && parse_cond(&s) && parse_operands(&s) && parse_options(&s);
    skip_space(&s);
    if (ok && *s.p)
        ok = fail(&s, "something follows the instruction");
    if (!ok) {
        *why = s.why;
        return false;
    }
    *out = in;
    return true;
}
