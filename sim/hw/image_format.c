/* Conversions between texels in memory and the 32-bit channels of messages. All results are the
 * correctly rounded ones: quotients to nearest even on reads, products to nearest even on writes,
 * which clamp. Source: Intel PRM volume 4/5, "Surface Formats" and "Data Type Conversion";
 * OpenCL 1.2, 8.3 "Conversion Rules"; sRGB: IEC 61966-2-1. */
#include "image.h"

#include <math.h>

enum { EXP_BITS = 5, EXP_MAX = 31 }; /* of 16, 11 and 10-bit floats */

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* ---- floats with a 5-bit exponent: 16 bits with a sign, 11 and 10 without ---- */

static uint32_t small_to_float(uint32_t v, unsigned bits)
{
    unsigned m_bits = bits == 16 ? 10 : bits - EXP_BITS;
    uint32_t sign = bits == 16 ? (v & 0x8000) << 16 : 0;
    uint32_t exp = v >> m_bits & EXP_MAX, m = v & ((1u << m_bits) - 1);
    if (exp == EXP_MAX)
        return sign | 0x7f800000 | m << (23 - m_bits);
    if (exp)
        return sign | (exp + 127 - 15) << 23 | m << (23 - m_bits);
    return sign | bits_of((float)m * float_of((127u - 14 - m_bits) << 23));
}

/* v / 2^shift, to nearest even. */
static uint32_t shift_rne(uint32_t v, unsigned shift)
{
    if (shift > 31)
        return 0;
    uint32_t q = v >> shift, rest = v & ((1u << shift) - 1), half = 1u << (shift - 1);
    return q + (rest > half || (rest == half && (q & 1)));
}

static uint32_t float_to_small(uint32_t v, unsigned bits)
{
    unsigned m_bits = bits == 16 ? 10 : bits - EXP_BITS;
    uint32_t a = v & 0x7fffffff, sign = bits == 16 ? v >> 16 & 0x8000 : 0;
    if (a > 0x7f800000) /* a NaN stays one */
        return sign | EXP_MAX << m_bits | 1u << (m_bits - 1) | (a & 0x7fffff) >> (23 - m_bits);
    if (bits != 16 && v >> 31) /* no sign: nothing below zero */
        return 0;
    int exp = (int)(a >> 23) - (127 - 15);
    if (exp >= EXP_MAX)
        return sign | EXP_MAX << m_bits;
    uint32_t m = a & 0x7fffff;
    if (exp <= 0) /* denormal there */
        return sign | shift_rne(m | 0x800000, 23 - m_bits + 1 - exp);
    return sign | shift_rne((uint32_t)exp << 23 | m, 23 - m_bits); /* a carry makes the exponent */
}

/* ---- normalised integers ---- */

static float unorm_to_float(uint32_t v, unsigned bits)
{
    return (float)v / (float)((1u << bits) - 1); /* both exact: at most 24 bits */
}

static float snorm_to_float(uint32_t v, unsigned bits)
{
    int32_t c = (int32_t)(v << (32 - bits)) >> (32 - bits);
    float f = (float)c / (float)((1u << (bits - 1)) - 1);
    return f < -1 ? -1 : f;
}

/* The product is exact in a double, so it is rounded once. */
static uint32_t float_to_unorm(float f, unsigned bits)
{
    double v = f > 0 ? f < 1 ? f : 1 : 0; /* NaN: 0 */
    return (uint32_t)lrint(v * ((1u << bits) - 1));
}

static uint32_t float_to_snorm(float f, unsigned bits)
{
    double v = f >= -1 ? f < 1 ? f : 1 : f < -1 ? -1 : 0;
    int32_t c = (int32_t)lrint(v * ((1u << (bits - 1)) - 1));
    return (uint32_t)c & ((1u << bits) - 1);
}

/* The curve of sRGB, whose channels have 8 bits; set_srgb_curve() fills it in. */
static float srgb_curve[256];
static pthread_once_t srgb_once = PTHREAD_ONCE_INIT;

static void set_srgb_curve(void)
{
    for (unsigned v = 0; v < 256; v++) {
        double c = v / 255.0;
        srgb_curve[v] = (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
}

/* ---- texels ---- */

enum texel_class format_class(const struct gen_format *f)
{
    return f->type == FORMAT_TYPE_UINT   ? TEXEL_UINT
           : f->type == FORMAT_TYPE_SINT ? TEXEL_SINT
                                         : TEXEL_FLOAT;
}

/* Red is Cr, green Y, blue Cb. */
static void init_ycrcb(struct texel_codec *c, const struct gen_format *f)
{
    unsigned n_y = 0;
    for (unsigned i = 0; i < 4; i++) {
        char channel = f->part[i].channel;
        if (channel != 'Y')
            c->lo[channel == 'V' ? 0 : 2] = 8 * i;
        else if (n_y++)
            c->odd_lo = 8 * i;
        else
            c->lo[1] = 8 * i;
    }
    c->bits[0] = c->bits[1] = c->bits[2] = 8;
}

/* Forms that need no look at each part. */
enum { FORM_GENERAL, FORM_UNORM8, FORM_DWORDS };

/* UNORM8: four bytes, in any order. DWORDS: whole channels of 32 bits, red first. */
static unsigned form_of(const struct texel_codec *c)
{
    unsigned type = c->format->type;
    bool unorm8 = type == FORMAT_TYPE_UNORM && c->bytes == 4, dwords = c->bytes >= 4;
    for (unsigned i = 0; i < 4; i++) {
        unorm8 = unorm8 && c->bits[i] == 8;
        dwords =
            dwords && (c->bits[i] ? c->bits[i] == 32 && c->lo[i] == 32 * i : 4 * i >= c->bytes);
    }
    return unorm8 ? FORM_UNORM8 : dwords ? FORM_DWORDS : FORM_GENERAL;
}

void codec_init(struct texel_codec *c, const struct gen_format *f)
{
    *c = (struct texel_codec){.format = f, .bytes = f->bytes};
    if (f->type == FORMAT_TYPE_SRGB)
        pthread_once(&srgb_once, set_srgb_curve);
    if (f->type == FORMAT_TYPE_YCRCB) {
        init_ycrcb(c, f);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned lo, bits;
        if (format_channel(f, i, &lo, &bits)) {
            c->lo[i] = lo;
            c->bits[i] = bits;
        }
    }
    c->form = form_of(c);
}

/* A copy of a texel: of a length that the compiler knows. */
static void copy(void *to, const void *from, unsigned bytes)
{
    switch (bytes) {
    case 1:
        memcpy(to, from, 1);
        return;
    case 2:
        memcpy(to, from, 2);
        return;
    case 4:
        memcpy(to, from, 4);
        return;
    case 8:
        memcpy(to, from, 8);
        return;
    case 16:
        memcpy(to, from, 16);
        return;
    }
}

static uint32_t extract(const uint64_t w[2], unsigned lo, unsigned bits)
{
    return (uint32_t)(w[lo / 64] >> lo % 64) & (~0u >> (32 - bits));
}

static uint32_t channel_load(uint32_t v, unsigned type, unsigned channel, unsigned bits)
{
    switch ((enum format_type)type) {
    case FORMAT_TYPE_UNORM:
    case FORMAT_TYPE_YCRCB:
        return bits_of(unorm_to_float(v, bits));
    case FORMAT_TYPE_SNORM:
        return bits_of(snorm_to_float(v, bits));
    case FORMAT_TYPE_UINT:
        return v;
    case FORMAT_TYPE_SINT:
        return (uint32_t)((int32_t)(v << (32 - bits)) >> (32 - bits));
    case FORMAT_TYPE_FLOAT:
        return bits == 32 ? v : small_to_float(v, bits);
    case FORMAT_TYPE_SRGB:
        return bits_of(channel < 3 ? srgb_curve[v] : unorm_to_float(v, bits));
    }
    return 0;
}

void codec_load(const struct texel_codec *c, const uint8_t *from, bool odd, union texel *out)
{
    unsigned type = c->format->type;
    bool pair = type == FORMAT_TYPE_YCRCB;
    uint32_t one = format_class(c->format) == TEXEL_FLOAT ? bits_of(1) : 1;
    uint64_t w[2] = {0, 0};
    if (c->form == FORM_UNORM8) {
        for (unsigned i = 0; i < 4; i++)
            out->f[i] = (float)from[c->lo[i] / 8] / 255.0f;
        return;
    }
    if (c->form == FORM_DWORDS) {
        *out = (union texel){.u = {0, 0, 0, one}};
        copy(out, from, c->bytes);
        return;
    }
    copy(w, from, pair ? 4 : c->bytes);
    for (unsigned i = 0; i < 4; i++) {
        unsigned lo = pair && odd && i == 1 ? c->odd_lo : c->lo[i], bits = c->bits[i];
        out->u[i] = bits ? channel_load(extract(w, lo, bits), type, i, bits) : i == 3 ? one : 0;
    }
}

static uint32_t channel_store(uint32_t v, unsigned type, unsigned bits)
{
    uint32_t max = ~0u >> (32 - bits);
    int32_t s_max = (int32_t)(max >> 1), s = (int32_t)v;
    switch ((enum format_type)type) {
    case FORMAT_TYPE_UNORM:
    case FORMAT_TYPE_SRGB:
    case FORMAT_TYPE_YCRCB:
        return float_to_unorm(float_of(v), bits);
    case FORMAT_TYPE_SNORM:
        return float_to_snorm(float_of(v), bits);
    case FORMAT_TYPE_UINT:
        return v < max ? v : max;
    case FORMAT_TYPE_SINT:
        return (uint32_t)(s > s_max ? s_max : s < -s_max - 1 ? -s_max - 1 : s) & max;
    case FORMAT_TYPE_FLOAT:
        return bits == 32 ? v : float_to_small(v, bits);
    }
    return 0;
}

void codec_store(const struct texel_codec *c, uint8_t *to, unsigned channels, const union texel *in)
{
    uint64_t w[2] = {0, 0};
    if (c->form == FORM_DWORDS && channels == 0xf) {
        copy(to, in, c->bytes);
        return;
    }
    if (c->form == FORM_UNORM8 && channels == 0xf) {
        for (unsigned i = 0; i < 4; i++)
            to[c->lo[i] / 8] = (uint8_t)float_to_unorm(in->f[i], 8);
        return;
    }
    if (channels != 0xf)
        copy(w, to, c->bytes);
    for (unsigned i = 0; i < 4; i++) {
        unsigned lo = c->lo[i] % 64, bits = c->bits[i];
        uint64_t *word = &w[c->lo[i] / 64];
        if (!bits || !(channels >> i & 1))
            continue;
        *word &= ~((uint64_t)(~0u >> (32 - bits)) << lo);
        *word |= (uint64_t)channel_store(in->u[i], c->format->type, bits) << lo;
    }
    copy(to, w, c->bytes);
}
