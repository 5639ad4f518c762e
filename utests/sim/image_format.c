/* Texel conversions against the formats' definitions: layouts come from the formats' names, values
 * from closed forms in wider arithmetic. Up to 16 bits a channel every code is tried. */
#include "sim/hw/image.h"

#include "utest.h"

#include <ctype.h>
#include <math.h>

/* What a name says: channel letters with bits from the lowest bit up, then the type. */
struct layout {
    char letter[4];
    unsigned bits[4], n, total;
    bool srgb, snorm, uint, sint, is_float;
};

static struct layout parse(const char *name)
{
    struct layout l = {.n = 0};
    const char *p = name;
    while (l.n < 4 && isalpha((unsigned char)p[0]) && isdigit((unsigned char)p[1])) {
        char *end;
        l.letter[l.n] = *p;
        l.bits[l.n] = strtoul(p + 1, &end, 10);
        l.total += l.bits[l.n++];
        p = end;
    }
    l.srgb = strstr(name, "SRGB");
    l.snorm = strstr(name, "SNORM");
    l.uint = strstr(name, "UINT");
    l.sint = strstr(name, "SINT");
    l.is_float = strstr(name, "FLOAT");
    return l;
}

static double small_float(uint32_t c, unsigned bits)
{
    unsigned m_bits = bits == 16 ? 10 : bits - 5;
    double sign = bits == 16 && c >> 15 ? -1 : 1;
    int exp = c >> m_bits & 31;
    double m = c & ((1u << m_bits) - 1);
    if (exp == 31)
        return m ? NAN : sign * INFINITY;
    return sign *
           (exp ? ldexp(m + (1 << m_bits), exp - 15 - (int)m_bits) : ldexp(m, -14 - (int)m_bits));
}

/* The value of a code, as a double (exact, or to be rounded to float once). */
static double value(const struct layout *l, char letter, uint32_t c, unsigned bits)
{
    double max = ldexp(1, bits) - 1;
    if (l->is_float && bits == 32) {
        float f;
        memcpy(&f, &c, 4);
        return f;
    }
    if (l->is_float)
        return small_float(c, bits);
    if (l->uint)
        return c;
    double s = c >> (bits - 1) & 1 ? (double)c - max - 1 : c;
    if (l->sint)
        return s;
    if (l->snorm)
        return fmax(s / (ldexp(1, bits - 1) - 1), -1);
    double v = c / max;
    if (l->srgb && letter != 'A')
        return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    return v;
}

static bool equals(const struct layout *l, const union texel *t, unsigned channel, double want)
{
    if (l->uint)
        return t->u[channel] == (uint32_t)want;
    if (l->sint)
        return t->i[channel] == (int32_t)want;
    return isnan(want) ? isnan(t->f[channel]) : t->f[channel] == (float)want;
}

/* Which of R, G, B, A a part gives. */
static bool gives(char letter, unsigned channel)
{
    return letter == "RGBA"[channel] || letter == 'I' || (letter == 'L' && channel < 3);
}

static void put(uint8_t *to, unsigned lo, unsigned bits, uint32_t v)
{
    for (unsigned b = 0; b < bits; b++) {
        to[(lo + b) / 8] &= ~(1u << (lo + b) % 8);
        to[(lo + b) / 8] |= (v >> b & 1) << (lo + b) % 8;
    }
}

/* Codes worth trying: all of them, or corners and a walk. */
static uint32_t code(unsigned bits, unsigned i, unsigned *n)
{
    static const uint32_t corners[] = {0,          1,          0x7fffff,   0x800000,
                                       0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
                                       0xbf800000, 0x7f800000, 0x7fc00000, 0xff7fffff};
    uint32_t mask = ~0u >> (32 - bits);
    *n = bits <= 16 ? 1u << bits : 4000;
    if (bits <= 16)
        return i;
    return (i < 12 ? corners[i] : i * 2654435761u) & mask;
}

static void test_load(const struct gen_format *f)
{
    struct layout l = parse(f->name);
    struct texel_codec codec;
    unsigned lo = 0;
    codec_init(&codec, f);
    CHECKF(l.total == 8u * f->bytes || strstr(f->name, "TYPELESS"), "%s: %u bits, %u bytes",
           f->name, l.total, f->bytes);
    for (unsigned p = 0; p < l.n; lo += l.bits[p++]) {
        unsigned n = 1;
        for (unsigned i = 0; i < n; i++) {
            uint32_t c = code(l.bits[p], i, &n);
            for (unsigned ones = 0; ones < 2; ones++) { /* the other parts */
                uint8_t memory[16];
                union texel t;
                memset(memory, ones ? 0xff : 0, sizeof memory);
                put(memory, lo, l.bits[p], c);
                codec_load(&codec, memory, false, &t);
                for (unsigned k = 0; k < 4; k++) {
                    if (gives(l.letter[p], k)) {
                        double want = value(&l, l.letter[p], c, l.bits[p]);
                        CHECKF(equals(&l, &t, k, want),
                               "%s: code 0x%x of %c is %g (0x%x), not %.9g", f->name, c,
                               l.letter[p], t.f[k], t.u[k], want);
                    }
                }
            }
        }
    }
    /* Channels that no part gives. */
    uint8_t memory[16] = {0};
    union texel t;
    codec_load(&codec, memory, false, &t);
    for (unsigned k = 0; k < 4; k++) {
        bool given = false;
        for (unsigned p = 0; p < l.n; p++)
            given |= gives(l.letter[p], k);
        if (!given)
            CHECKF(equals(&l, &t, k, k == 3), "%s: missing channel %u", f->name, k);
    }
}

/* The nearest code, ties to even, of a clamped value; max: the code of 1 or the largest. */
static double round_even(long double v)
{
    long double lower = floorl(v), rest = v - lower;
    if (rest > 0.5L || (rest == 0.5L && fmodl(lower, 2) != 0))
        lower += 1;
    return (double)lower;
}

static int64_t want_code(const struct layout *l, unsigned bits, float f)
{
    int64_t top = (1ll << bits) - 1;
    if (isnan(f))
        return 0;
    if (l->snorm) {
        long double v = f < -1 ? -1 : f > 1 ? 1 : f;
        return (int64_t)round_even(v * (top >> 1)) & top;
    }
    long double v = f < 0 ? 0 : f > 1 ? 1 : f;
    return (int64_t)round_even(v * top);
}

static uint32_t get(const uint8_t *from, unsigned lo, unsigned bits)
{
    uint32_t v = 0;
    for (unsigned b = 0; b < bits; b++)
        v |= (uint32_t)(from[(lo + b) / 8] >> (lo + b) % 8 & 1) << b;
    return v;
}

/* Is code c of `bits` bits what v rounds to? Compared with its neighbours. */
static bool nearest_small(uint32_t c, unsigned bits, float v)
{
    unsigned m_bits = bits == 16 ? 10 : bits - 5;
    uint32_t inf = 31u << m_bits, magnitude = bits == 16 ? c & 0x7fff : c;
    double a = fabs(v), top = small_float(inf - 1, bits), next = 65536;
    if (isnan(v))
        return isnan(small_float(c, bits));
    if (bits != 16 && v < 0)
        return c == 0;
    if (bits == 16 && (c >> 15) != (uint32_t) !!signbit(v))
        return false;
    if (magnitude == inf)
        return a >= (top + next) / 2;
    double at = small_float(magnitude, bits), above, below;
    above = magnitude + 1 == inf ? next : small_float(magnitude + 1, bits);
    below = magnitude ? small_float(magnitude - 1, bits) : -at;
    double up = (at + above) / 2, down = (at + below) / 2;
    if (a == up || (magnitude && a == down))
        return !(magnitude & 1);
    return a < up && (a > down || !magnitude);
}

static void test_store(const struct gen_format *f)
{
    static const float values[] = {0.0f,          -0.0f,   1,          -1,
                                   0.5f,          2,       -2,         0.49999997f,
                                   1e-8f,         -1e-8f,  NAN,        INFINITY,
                                   -INFINITY,     65504,   65519.996f, 65520,
                                   65536,         1e30f,   6.0e-8f,    2.9802322e-8f,
                                   2.9802326e-8f, 6.1e-5f, 1e-40f};
    struct layout l = parse(f->name);
    struct texel_codec codec;
    uint32_t x = 1;
    codec_init(&codec, f);
    for (unsigned i = 0; i < 20000; i++) {
        union texel t;
        uint8_t memory[16];
        unsigned lo = 0;
        for (unsigned k = 0; k < 4; k++) {
            x = x * 1664525 + 1013904223;
            if (l.uint || l.sint)
                t.u[k] = i % 3 == 0 ? x : (uint32_t)((int32_t)x >> 8 * (i % 4));
            else if (i < sizeof values / sizeof values[0])
                t.f[k] = values[(i + k) % (sizeof values / sizeof values[0])];
            else if (l.is_float)
                t.u[k] = (x & 0x80ffffff) | (100 + (x >> 24) % 46) << 23;
            else if (i % 2) /* halves between two codes */
                t.f[k] = (float)(((x >> 8) % 512 + 0.5) / 255);
            else
                t.f[k] = (float)(int32_t)x / (float)(1u << 30);
        }
        memset(memory, 0xa5, sizeof memory);
        codec_store(&codec, memory, 0xf, &t);
        for (unsigned p = 0; p < l.n; lo += l.bits[p++]) {
            const char *channel = strchr("RGBA", l.letter[p]);
            uint32_t c = get(memory, lo, l.bits[p]);
            if (!channel)
                continue;
            unsigned k = channel - "RGBA", bits = l.bits[p];
            bool right;
            if (l.uint) {
                uint32_t top = ~0u >> (32 - bits);
                right = c == (t.u[k] < top ? t.u[k] : top);
            } else if (l.sint) {
                int64_t half = 1ll << (bits - 1), v = t.i[k];
                v = v < -half ? -half : v >= half ? half - 1 : v;
                right = c == ((uint64_t)v & (~0u >> (32 - bits)));
            } else if (l.is_float) {
                right = bits == 32 ? c == t.u[k] : nearest_small(c, bits, t.f[k]);
            } else {
                right = c == want_code(&l, bits, t.f[k]);
            }
            CHECKF(right, "%s: %.9g (0x%x) stored in %u bits is 0x%x", f->name, t.f[k], t.u[k],
                   bits, c);
        }
        CHECK(memory[f->bytes % 16] == (f->bytes < 16 ? 0xa5 : memory[0])); /* nothing behind it */
    }
    /* One channel alone leaves the others. */
    for (unsigned p = 0, lo = 0; p < l.n; lo += l.bits[p++]) {
        const char *channel = strchr("RGBA", l.letter[p]);
        uint8_t memory[16];
        union texel zero = {.u = {0}};
        if (!channel)
            continue;
        memset(memory, 0xff, sizeof memory);
        codec_store(&codec, memory, 1u << (channel - "RGBA"), &zero);
        for (unsigned q = 0, at = 0; q < l.n; at += l.bits[q++])
            CHECKF(get(memory, at, l.bits[q]) == (q == p ? 0 : ~0u >> (32 - l.bits[q])),
                   "%s: channel %c alone", f->name, l.letter[p]);
    }
}

/* Pairs of texels, by the byte orders' common names: YUYV, VYUY, YVYU, UYVY. */
static void test_ycrcb(void)
{
    static const struct {
        unsigned code;
        const char *order;
    } rows[] = {{FORMAT_YCRCB_NORMAL, "YUyV"},
                {FORMAT_YCRCB_SWAPUVY, "VYUy"},
                {FORMAT_YCRCB_SWAPUV, "YVyU"},
                {FORMAT_YCRCB_SWAPY, "UYVy"}};
    for (unsigned i = 0; i < 4; i++) {
        struct texel_codec codec;
        uint8_t pair[4];
        for (unsigned b = 0; b < 4; b++)
            pair[b] = rows[i].order[b] == 'Y'   ? 51
                      : rows[i].order[b] == 'y' ? 102
                      : rows[i].order[b] == 'U' ? 153
                                                : 204;
        codec_init(&codec, format_find(rows[i].code));
        for (unsigned odd = 0; odd < 2; odd++) {
            union texel t;
            codec_load(&codec, pair, odd, &t);
            CHECK(t.f[0] == 0.8f && t.f[1] == (odd ? 0.4f : 0.2f) && t.f[2] == 0.6f && t.f[3] == 1);
        }
    }
}

/* Some rows of the capability table, and codes as other programs write them. */
static void test_table(void)
{
    static const struct {
        const char *name;
        unsigned code;
        uint8_t sampled, filtered, write, read;
    } rows[] = {{"R32G32B32A32_FLOAT", 0x000, 70, 70, 70, 90},
                {"R16G16B16A16_UINT", 0x083, 70, 0, 70, 75},
                {"B8G8R8A8_UNORM_SRGB", 0x0c1, 70, 70, 0, 0},
                {"R8G8B8A8_UNORM", 0x0c7, 70, 70, 70, 0},
                {"R32_UINT", 0x0d7, 70, 0, 70, 70},
                {"R32_FLOAT", 0x0d8, 70, 70, 70, 70},
                {"A16_UNORM", 0x113, 70, 70, 0, 0},
                {"B5G5R5X1_UNORM", 0x11a, 0, 0, 70, 0},
                {"R8_SINT", 0x142, 70, 0, 70, 90},
                {"A8_UNORM", 0x144, 70, 70, 70, 0}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gen_format *f = format_find(rows[i].code);
        REQUIRE(f);
        CHECK(!strcmp(f->name, rows[i].name) && f->sampled == rows[i].sampled &&
              f->filtered == rows[i].filtered && f->typed_write == rows[i].write &&
              f->typed_read == rows[i].read);
    }
    CHECK(!format_find(0x003) && !format_find(0x1fe));
    CHECK(format_can(75, 80) && !format_can(75, 70) && !format_can(0, 90));
    for (unsigned i = 0, k; format_at(i); i++) {
        for (k = 0; format_at(k)->code != format_at(i)->code; k++)
            ;
        CHECKF(k == i, "code 0x%x twice", format_at(i)->code);
        CHECK(format_at(i)->filtered == 0 || format_class(format_at(i)) == TEXEL_FLOAT);
    }
}

int main(void)
{
    unsigned n = 0;
    for (unsigned i = 0; format_at(i); i++) {
        const struct gen_format *f = format_at(i);
        if (f->type == FORMAT_TYPE_YCRCB || f->code == FORMAT_RAW || f->code == FORMAT_PLANAR_420_8)
            continue;
        test_load(f);
        if (f->typed_write)
            test_store(f);
        n++;
    }
    CHECK(n == 67);
    test_ycrcb();
    test_table();
    return utest_end();
}
