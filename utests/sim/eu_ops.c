/* Every arithmetic opcode against C, lane by lane, by the general and by the fast path, on each
 * generation, with all channels, some channels and a predicate. */
#include "eu_rig.h"

#include <math.h>

enum { LANES = 16, SRC0 = 10, SRC1 = 20, SRC2 = 24, DST = 30 };

static const char *const devices[] = {"ivb", "hsw", "bdw", "skl"};

/* Values worth trying, then random ones. */
static uint32_t next_random(void)
{
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint32_t some_int(unsigned i)
{
    static const uint32_t special[] = {0,          1,      0xffffffff, 0x80000000,
                                       0x7fffffff, 0xffff, 0x8000,     0x7fff};
    return i % 4 == 0 ? special[next_random() % 8] : next_random() >> (next_random() % 28);
}

static uint32_t some_float(unsigned i)
{
    static const float special[] = {0.0f, -0.0f, 1.0f,  -1.0f,   0.5f,       1.5f,
                                    2.5f, -2.5f, 1e30f, -1e-30f, 16777215.0f};
    float v = i % 3 == 0 ? special[next_random() % 11]
                         : (float)(int32_t)next_random() * (1.0f / 65536) /
                               (float)(1 + next_random() % 1000);
    uint32_t bits;
    memcpy(&bits, &v, 4);
    return bits;
}

static float f(uint32_t v)
{
    float r;
    memcpy(&r, &v, 4);
    return r;
}

static uint32_t u(float v)
{
    uint32_t r;
    memcpy(&r, &v, 4);
    return r;
}

/* ---- what the instructions mean, in C ---- */
#define MEANING(name, expr)                                                                        \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c)                                       \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return (uint32_t)(expr);                                                                   \
    }
#define MEANING_F(name, expr)                                                                      \
    static uint32_t name(uint32_t x, uint32_t y, uint32_t z)                                       \
    {                                                                                              \
        float a = f(x), b = f(y), c = f(z);                                                        \
        (void)a, (void)b, (void)c;                                                                 \
        return u(expr);                                                                            \
    }

static uint32_t reverse(uint32_t v)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

static uint32_t leading_zeros(uint32_t v)
{
    uint32_t n = 0;
    while (n < 32 && !(v >> (31 - n) & 1))
        n++;
    return n;
}

static uint32_t first_bit(uint32_t v)
{
    for (uint32_t i = 0; i < 32; i++) {
        if (v >> i & 1)
            return i;
    }
    return 0xffffffff;
}

static uint32_t high_bit_signed(uint32_t v)
{
    for (uint32_t i = 1; i < 32; i++) {
        if ((v >> (31 - i) & 1) != v >> 31)
            return i;
    }
    return 0xffffffff;
}

static uint32_t extract(uint32_t width, uint32_t offset, uint32_t v, bool sign)
{
    uint32_t r = 0, n = 0;
    width &= 31, offset &= 31;
    for (uint32_t i = offset; i < 32 && n < width; i++, n++)
        r |= (v >> i & 1) << n;
    if (sign && n && r >> (n - 1) & 1)
        for (uint32_t i = n; i < 32; i++)
            r |= 1u << i;
    return r;
}

static uint32_t insert(uint32_t mask, uint32_t value, uint32_t base)
{
    uint32_t r = 0, low = first_bit(mask);
    for (uint32_t i = 0; i < 32; i++)
        r |= (mask >> i & 1 ? value >> (i - low) & 1 : base >> i & 1) << i;
    return r;
}

static uint32_t popcount(uint32_t v)
{
    uint32_t n = 0;
    for (; v; v >>= 1)
        n += v & 1;
    return n;
}

static float nearest_even(float a)
{
    double fl = floor((double)a), d = (double)a - fl;
    double r = d < 0.5 ? fl : d > 0.5 ? fl + 1 : fmod(fl, 2) == 0 ? fl : fl + 1;
    return copysignf((float)r, a);
}

MEANING(op_mov, a)
MEANING(op_not, ~a)
MEANING(op_and, a &b)
MEANING(op_or, a | b)
MEANING(op_xor, a ^ b)
MEANING(op_shl, a << (b & 31))
MEANING(op_shr, a >> (b & 31))
MEANING(op_asr, (int64_t)(int32_t)a >> (b & 31))
MEANING(op_add, a + b)
MEANING(op_add_neg, a - b)
MEANING(op_add_abs, ((int32_t)a < 0 ? -a : a) + b)
MEANING(op_mul16u, a *(b & 0xffff))
MEANING(op_mul16s, a *(uint32_t)(int16_t)b)
MEANING(op_mul32, a *b)
MEANING(op_avg_d, ((int64_t)(int32_t)a + (int32_t)b + 1) >> 1)
MEANING(op_avg_ud, ((uint64_t)a + b + 1) >> 1)
MEANING(op_min_d, (int32_t)a < (int32_t)b ? a : b)
MEANING(op_max_d, (int32_t)a >= (int32_t)b ? a : b)
MEANING(op_min_ud, a < b ? a : b)
MEANING(op_max_ud, a >= b ? a : b)
MEANING(op_min_mixed, (int64_t)(int32_t)a < (int64_t)b ? a : b)
MEANING(op_lzd, leading_zeros(a))
MEANING(op_fbh_ud, a ? leading_zeros(a) : 0xffffffff)
MEANING(op_fbh_d, high_bit_signed(a))
MEANING(op_fbl, first_bit(a))
MEANING(op_cbit, popcount(a))
MEANING(op_bfrev, reverse(a))
MEANING(op_bfe_ud, extract(a, b, c, false))
MEANING(op_bfe_d, extract(a, b, c, true))
MEANING(op_bfi1, (uint32_t)(((1ull << (a & 31)) - 1) << (b & 31)))
MEANING(op_bfi2, insert(a, b, c))
MEANING(op_cmp_d, (int32_t)a < (int32_t)b ? 0xffffffff : 0)
MEANING(op_cmp_ud, a >= b ? 0xffffffff : 0)
MEANING(op_cmp_eq, a == b ? 0xffffffff : 0)
MEANING(op_cmp_f, f(a) > f(b) ? 0xffffffff : 0)
MEANING(op_cmp_ne_f, f(a) != f(b) ? 0xffffffff : 0)
MEANING(op_not_a_and_b, ~a &b)
MEANING_F(fl_mov_neg, -a)
MEANING_F(fl_mov_abs, -fabsf(a))
MEANING_F(fl_add, a + b)
MEANING_F(fl_add_neg, a - b)
MEANING_F(fl_mul, a *b)
MEANING_F(fl_mul_abs, fabsf(a) * -fabsf(b))
MEANING_F(fl_mad, fmaf(b, c, a))
MEANING_F(fl_mad_mod, fmaf(fabsf(b), c, -a))
MEANING_F(fl_min, a < b ? a : b)
MEANING_F(fl_max, a >= b ? a : b)
MEANING_F(fl_floor, floorf(a))
MEANING_F(fl_ceil, ceilf(a))
MEANING_F(fl_trunc, truncf(a))
MEANING_F(fl_even, nearest_even(a))
MEANING_F(fl_frc, fminf(a - floorf(a), 0x1.fffffep-1f))
MEANING_F(fl_csel, c < 0 ? a : b)
MEANING_F(fl_sat, fmaxf(0, fminf(1, a + b)))
MEANING_F(fl_lrp, a *b + (1 - a) * c)
MEANING(cv_d_f, u((float)(int32_t)a))
MEANING(cv_ud_f, u((float)a))
MEANING(cv_f_d, f(a) >= 0x1p31f   ? 0x7fffffff
                : f(a) < -0x1p31f ? 0x80000000
                                  : (uint32_t)(int32_t)f(a))
MEANING(cv_f_ud, f(a) >= 0x1p32f ? 0xffffffff : f(a) < 0 ? 0 : (uint32_t)f(a))

struct test {
    const char *text; /* %s: "(16|M0)", %D: destination, %0 %1: sources, %3 %4 %5: three sources */
    uint32_t (*meaning)(uint32_t, uint32_t, uint32_t);
    int first, last;
    char kind; /* i integers, f floats */
};

static const struct test tests[] = {
    {"mov %s %D:d %0:d", op_mov, 70, 90, 'i'},
    {"mov %s %D:ud %0:d", op_mov, 70, 90, 'i'},
    {"mov %s %D:f %0:f", op_mov, 70, 90, 'f'},
    {"not %s %D:ud %0:ud", op_not, 70, 90, 'i'},
    {"and %s %D:ud %0:ud %1:ud", op_and, 70, 90, 'i'},
    {"or %s %D:d %0:d %1:d", op_or, 70, 90, 'i'},
    {"xor %s %D:ud %0:ud %1:ud", op_xor, 70, 90, 'i'},
    {"and %s %D:ud ~%0:ud %1:ud", op_not_a_and_b, 80, 90, 'i'},
    {"shl %s %D:d %0:d %1:d", op_shl, 70, 90, 'i'},
    {"shl %s %D:ud %0:ud %1:ud", op_shl, 70, 90, 'i'},
    {"shr %s %D:ud %0:ud %1:ud", op_shr, 70, 90, 'i'},
    {"asr %s %D:d %0:d %1:d", op_asr, 70, 90, 'i'},
    {"asr %s %D:ud %0:ud %1:ud", op_shr, 70, 90, 'i'},
    {"add %s %D:d %0:d %1:d", op_add, 70, 90, 'i'},
    {"add %s %D:ud %0:ud %1:ud", op_add, 70, 90, 'i'},
    {"add %s %D:d %0:d -%1:d", op_add_neg, 70, 90, 'i'},
    {"add %s %D:d (abs)%0:d %1:d", op_add_abs, 70, 90, 'i'},
    {"mul %s %D:d %0:d %1:d", op_mul16u, 70, 75, 'i'},
    {"mul %s %D:ud %0:ud %1:ud", op_mul16u, 70, 75, 'i'},
    {"mul %s %D:d %0:d %1:d", op_mul32, 80, 90, 'i'},
    {"mul %s %D:ud %0:ud %1:ud", op_mul32, 80, 90, 'i'},
    {"avg %s %D:d %0:d %1:d", op_avg_d, 70, 90, 'i'},
    {"avg %s %D:ud %0:ud %1:ud", op_avg_ud, 70, 90, 'i'},
    {"sel %s (lt)f0.0 %D:d %0:d %1:d", op_min_d, 70, 90, 'i'},
    {"sel %s (ge)f0.0 %D:d %0:d %1:d", op_max_d, 70, 90, 'i'},
    {"sel %s (lt)f0.0 %D:ud %0:ud %1:ud", op_min_ud, 70, 90, 'i'},
    {"sel %s (ge)f0.0 %D:ud %0:ud %1:ud", op_max_ud, 70, 90, 'i'},
    {"sel %s (lt)f0.0 %D:ud %0:d %1:ud", op_min_mixed, 70, 90, 'i'},
    {"lzd %s %D:ud %0:ud", op_lzd, 70, 90, 'i'},
    {"fbh %s %D:ud %0:ud", op_fbh_ud, 70, 90, 'i'},
    {"fbh %s %D:ud %0:d", op_fbh_d, 70, 90, 'i'},
    {"fbl %s %D:ud %0:ud", op_fbl, 70, 90, 'i'},
    {"cbit %s %D:ud %0:ud", op_cbit, 70, 90, 'i'},
    {"bfrev %s %D:ud %0:ud", op_bfrev, 70, 90, 'i'},
    {"bfe %s %D:ud %3:ud %4:ud %5:ud", op_bfe_ud, 70, 90, 'i'},
    {"bfe %s %D:d %3:d %4:d %5:d", op_bfe_d, 70, 90, 'i'},
    {"bfi1 %s %D:ud %0:ud %1:ud", op_bfi1, 70, 90, 'i'},
    {"bfi2 %s %D:ud %3:ud %4:ud %5:ud", op_bfi2, 70, 90, 'i'},
    {"cmp %s (lt)f0.0 %D:d %0:d %1:d", op_cmp_d, 70, 90, 'i'},
    {"cmp %s (ge)f0.0 %D:ud %0:ud %1:ud", op_cmp_ud, 70, 90, 'i'},
    {"cmp %s (eq)f0.0 %D:d %0:d %1:d", op_cmp_eq, 70, 90, 'i'},
    {"cmp %s (gt)f0.0 %D:f %0:f %1:f", op_cmp_f, 70, 90, 'f'},
    {"cmp %s (ne)f0.0 %D:f %0:f %1:f", op_cmp_ne_f, 70, 90, 'f'},
    {"mov %s %D:f -%0:f", fl_mov_neg, 70, 90, 'f'},
    {"mov %s %D:f -(abs)%0:f", fl_mov_abs, 70, 90, 'f'},
    {"add %s %D:f %0:f %1:f", fl_add, 70, 90, 'f'},
    {"add %s %D:f %0:f -%1:f", fl_add_neg, 70, 90, 'f'},
    {"mul %s %D:f %0:f %1:f", fl_mul, 70, 90, 'f'},
    {"mul %s %D:f (abs)%0:f -(abs)%1:f", fl_mul_abs, 70, 90, 'f'},
    {"mad %s %D:f %3:f %4:f %5:f", fl_mad, 70, 90, 'f'},
    {"mad %s %D:f -%3:f (abs)%4:f %5:f", fl_mad_mod, 70, 90, 'f'},
    {"sel %s (lt)f0.0 %D:f %0:f %1:f", fl_min, 70, 90, 'f'},
    {"sel %s (ge)f0.0 %D:f %0:f %1:f", fl_max, 70, 90, 'f'},
    {"rndd %s %D:f %0:f", fl_floor, 70, 90, 'f'},
    {"rndu %s %D:f %0:f", fl_ceil, 70, 90, 'f'},
    {"rndz %s %D:f %0:f", fl_trunc, 70, 90, 'f'},
    {"rnde %s %D:f %0:f", fl_even, 70, 90, 'f'},
    {"frc %s %D:f %0:f", fl_frc, 70, 90, 'f'},
    {"csel %s (lt)f0.0 %D:f %3:f %4:f %5:f", fl_csel, 80, 90, 'f'},
    {"add %s (sat)%D:f %0:f %1:f", fl_sat, 70, 90, 'f'},
    {"lrp %s %D:f %3:f %4:f %5:f", fl_lrp, 70, 90, 'f'},
    {"mov %s %D:f %0:d", cv_d_f, 70, 90, 'i'},
    {"mov %s %D:f %0:ud", cv_ud_f, 70, 90, 'i'},
    {"mov %s %D:d %0:f", cv_f_d, 70, 90, 'f'},
    {"mov %s %D:ud %0:f", cv_f_ud, 70, 90, 'f'},
    {"mul %s %D:d %0:d %w:uw", op_mul16u, 70, 90, 'i'},
    {"mul %s %D:d %0:d %w:w", op_mul16s, 70, 90, 'i'},
};

/* Puts registers and sizes into a line. */
static void compose(char *to, size_t size, const char *text, const char *pred, unsigned lanes)
{
    size_t n = (size_t)snprintf(to, size, "%s", pred);
    for (const char *p = text; *p && n + 64 < size; p++) {
        if (*p != '%') {
            to[n++] = *p;
            continue;
        }
        switch (*++p) {
        case 's':
            n += (size_t)sprintf(to + n, "(%u|M0)", lanes);
            break;
        case 'D':
            n += (size_t)sprintf(to + n, "r%d.0<1>", DST);
            break;
        case '0':
        case '1':
            n += (size_t)sprintf(to + n, "r%d.0<8;8,1>", *p == '0' ? SRC0 : SRC1);
            break;
        case 'w':
            n += (size_t)sprintf(to + n, "r%d.0<16;8,2>", SRC1);
            break;
        default:
            n += (size_t)sprintf(to + n, "r%d.0<8;1>", *p == '3' ? SRC0 : *p == '4' ? SRC1 : SRC2);
            break;
        }
    }
    to[n] = 0;
}

static void check(struct rig *r, const struct test *test, const char *line, const char *pred,
                  unsigned lanes, uint32_t active, enum eu_mode mode)
{
    uint32_t s[3][LANES], old[LANES], flag = next_random();
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned k = 0; k < 3; k++)
            s[k][i] = test->kind == 'f' ? some_float(i + k) : some_int(i + k);
        old[i] = next_random();
    }
    rig_reset(r, active);
    r->t.f[0] = flag;
    rig_set(r, SRC0, s[0], sizeof s[0]);
    rig_set(r, SRC1, s[1], sizeof s[1]);
    rig_set(r, SRC2, s[2], sizeof s[2]);
    rig_set(r, DST, old, sizeof old);
    bool ok = rig_run(r, mode);
    CHECKF(ok, "gen %d: %s", r->gen, line);
    if (!ok)
        return;
    bool predicated = *pred != 0;
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t want = test->meaning(s[0][i], s[1][i], s[2][i]), got = rig_ud(r, DST, i);
        bool on = active >> i & 1 && (!predicated || flag >> i & 1);
        if (!on)
            want = old[i];
        bool same = got == want || (test->kind == 'f' && on && isnan(f(want)) && isnan(f(got)));
        CHECKF(same, "gen %d mode %d: %s: lane %u: %08x %08x %08x -> %08x, not %08x", r->gen, mode,
               line, i, s[0][i], s[1][i], s[2][i], got, want);
        if (!strncmp(test->text, "cmp", 3) && on)
            CHECKF((r->t.f[0] >> i & 1) == (want != 0), "%s: flag of lane %u", line, i);
    }
    if (lanes < 16)
        CHECKF(rig_ud(r, DST, lanes) == old[lanes], "%s: wrote beyond its lanes", line);
}

int main(void)
{
    static struct rig r;
    for (unsigned d = 0; d < sizeof devices / sizeof devices[0]; d++) {
        rig_init(&r, devices[d]);
        for (unsigned k = 0; k < sizeof tests / sizeof tests[0]; k++) {
            const struct test *test = &tests[k];
            bool three = strstr(test->text, "%3") != NULL, sel = !strncmp(test->text, "sel", 3);
            if (r.gen < test->first || r.gen > test->last)
                continue;
            for (unsigned lanes = 8; lanes <= 16; lanes += 8) {
                static const char *const preds[] = {"", "(f0.0) "};
                bool cmp = !strncmp(test->text, "cmp", 3);
                bool narrow = (r.gen == 70 && (three || cmp)) || !strncmp(test->text, "bfi", 3);
                if (lanes == 16 && narrow)
                    continue;
                for (unsigned p = 0; p < 2; p++) {
                    char line[256];
                    if (p && (sel || !strncmp(test->text, "csel", 4) || cmp))
                        continue;
                    compose(line, sizeof line, test->text, preds[p], lanes);
                    rig_program(&r, line);
                    for (unsigned round = 0; round < 12; round++) {
                        static const uint32_t masks[] = {0xffff, 0xffff, 0x5aa5, 0x0001};
                        uint32_t active = masks[round % 4];
                        check(&r, test, line, preds[p], lanes, active, round % 3);
                    }
                }
            }
        }
        rig_fini(&r);
    }
    return utest_end();
}
