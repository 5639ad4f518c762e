/* Situations that compilers and drivers are known to get wrong, by public reports: each tests the
 * whole kind, not the instance. The kernels are in situations.cl; here each is written again in C.
 * Programs that C generates (long, with many arguments, too far to branch) are in generated.c. */
#include <math.h>

#include "clu.h"

enum { N_IN = 4096 };

static cl_program program;
static uint32_t in[N_IN];

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    REQUIRE(f);
    static char text[1 << 16];
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

/* What a kernel must write: out starts as zeros. */
typedef void want_fn(void *out, const uint32_t *in, int n, int items, int local);

static void run(const char *name, want_fn *want, size_t size, int items, int local, int n)
{
    unsigned char *got = malloc(size), *expected = calloc(1, size);
    cl_kernel k = clu_kernel(program, name);
    cl_mem o = clu_buffer(size, expected), i = clu_buffer(sizeof in, in);
    clu_arg_mem(k, 0, o);
    clu_arg_mem(k, 1, i);
    CL(clSetKernelArg(k, 2, sizeof n, &n));
    clu_run(k, items, local);
    clu_read(o, size, got);
    want(expected, in, n, items, local);
    size_t bad = 0, first = size;
    for (size_t b = 0; b < size; b++) {
        if (got[b] != expected[b] && bad++ == 0)
            first = b;
    }
    uint32_t g = 0, w = 0;
    if (bad) {
        memcpy(&g, got + first / 4 * 4, 4);
        memcpy(&w, expected + first / 4 * 4, 4);
    }
    CHECKF(!bad, "%s(n %d): %zu bytes wrong, first in word %zu: got %#x want %#x", name, n, bad,
           first / 4, g, w);
    CL(clReleaseMemObject(o));
    CL(clReleaseMemObject(i));
    CL(clReleaseKernel(k));
    free(got);
    free(expected);
}

static void want_guards(void *out, const uint32_t *in, int n, int items, int local)
{
    (void)in;
    for (int g = 0; g < items; g++) {
        int l = g % local;
        bool is[] = {n >= l,
                     n > l,
                     n >= 3 * l,
                     n < g,
                     n <= g,
                     (uint32_t)(n - l) < 1000,
                     g < n + 2 * local,
                     2 * (n - l) >= 4,
                     l<5, n >= g, n >= l, n>
                         l};
        for (unsigned b = 0; b < sizeof is; b++)
            ((uint32_t *)out)[g] |= (uint32_t)is[b] << b;
    }
}

static void want_tree(void *out, const uint32_t *in, int n, int items, int local)
{
    int32_t *o = out;
    (void)n;
    for (int i = 0; i < items; i++) {
        int32_t *low = o + i / local * 2, *high = low + 1, v = (int32_t)in[i];
        *low = i % local == 0 || v < *low ? v : *low;
        *high = i % local == 0 || v > *high ? v : *high;
    }
}

static void want_cell(void *out, const uint32_t *in, int n, int items, int local)
{
    uint32_t *o = out;
    for (int g = 0; g < items; g += local) {
        uint32_t sum = 0;
        for (int r = 0; r < n; r++) {
            uint32_t at = in[g + r] & 31;
            sum = sum * 3 + (at < 16 ? r * 16 + at : UINT32_MAX);
        }
        for (int l = 0; l < local; l++)
            o[g + l] = sum;
    }
}

static void want_widths(void *out, const uint32_t *in, int n, int items, int local)
{
    for (uint32_t i = 0; i < (uint32_t)items; i++, in++) {
        uint64_t q = (uint64_t)in[0] << 32 | in[1];
        static const char few[] = "02034051"; /* what 0 to 7 do */
        uint32_t r = 0, *o = (uint32_t *)out + i * 13;
        switch (few[q * 5 & 7]) {
        case '2':
            r = in[2];
            break;
        case '3':
            r = 7 + i;
            break;
        case '4':
        case '5':
            r = i;
            break;
        case '1':
            r = 9;
            break;
        default:
            r = ~i;
        }
        unsigned two = q >> 40 & 3;
        r = two == 0 ? r ^ 0x100 : two == 2 ? r * 3 + 5 : two == 3 ? r + 5 : r;
        uint8_t u[16], v[32];
        uint64_t pair;
        uint16_t part = (uint16_t)in[5];
        for (uint32_t j = 0; j < 8; j++) {
            uint32_t a = in[j] + j, b = in[j] ^ j;
            memcpy(v + 4 * j, &b, 4);
            if (j < 4)
                memcpy(u + 4 * j, &a, 4);
        }
        memcpy(u + 6, &part, 2);
        if (in[6] & 1)
            u[9] = (uint8_t)in[7];
        memcpy(&pair, u + 8, 8);
        pair += in[8] & 1 ? in[9] : 0;
        memcpy(u + 8, &pair, 8);
        memcpy(v + 6, &part, 2);
        memcpy(&pair, v + 8, 8);
        for (int j = 0; j < n; j++)
            pair += in[j];
        memcpy(v + 8, &pair, 8);
        if (in[3] & 2)
            v[29] = (uint8_t)in[7];
        memcpy(o, u, 16);
        memcpy(o + 4, v, 32);
        o[12] = r + (in[4] >> 16 & 0xff);
    }
}

/* OpenCL C 6.15.3: mul_hi(a, b) + c, in 32, 16 or 8 bits. */
static int64_t high(int64_t a, int64_t b, unsigned bits)
{
    return (a * b) >> bits;
}

static void want_wraps(void *out, const uint32_t *in, int n, int items, int local)
{
    (void)n;
    (void)local;
    for (int i = 0; i < items; i++, in++) {
        int32_t *o = (int32_t *)out + 4 * i;
        o[0] = (int32_t)(uint32_t)(high((int32_t)in[0], (int32_t)in[1], 32) + INT32_MIN);
        o[1] = (int32_t)(uint32_t)(high((int32_t)in[0], (int32_t)in[2], 32) + INT32_MIN);
        o[2] = (int16_t)(uint16_t)(high((int16_t)in[0], (int16_t)in[1], 16) + INT16_MIN);
        o[3] = (int8_t)(uint8_t)(high((int8_t)in[0], (int8_t)in[1], 8) + INT8_MIN);
    }
}

static uint64_t turn(uint64_t v, unsigned n)
{
    return n ? v << n | v >> (64 - n) : v;
}

/* FIPS 202, 3.2, in two dimensions as the standard has it: lane x, y is s[x + 5 * y]. */
static void keccak(uint64_t s[25])
{
    uint8_t lfsr = 1;
    for (int r = 0; r < 24; r++) {
        uint64_t c[5] = {0}, b[25];
        for (int k = 0; k < 25; k++)
            c[k % 5] ^= s[k];
        for (int k = 0; k < 25; k++)
            s[k] ^= c[(k + 4) % 5] ^ turn(c[(k + 1) % 5], 1);
        b[0] = s[0];
        for (int t = 0, x = 1, y = 0; t < 24; t++) {
            int next = (2 * x + 3 * y) % 5;
            b[y + 5 * next] = turn(s[x + 5 * y], (t + 1) * (t + 2) / 2 % 64);
            x = y;
            y = next;
        }
        for (int k = 0; k < 25; k++)
            s[k] = b[k] ^ (~b[k / 5 * 5 + (k + 1) % 5] & b[k / 5 * 5 + (k + 2) % 5]);
        for (int j = 0; j < 7; j++) {
            s[0] ^= (uint64_t)(lfsr & 1) << ((1 << j) - 1);
            lfsr = (uint8_t)(lfsr << 1 ^ (lfsr & 0x80 ? 0x71 : 0));
        }
    }
}

static void want_keccak(void *out, const uint32_t *in, int n, int items, int local)
{
    uint64_t *o = out;
    (void)local;
    for (int i = 0; i < items; i++) {
        uint64_t s[25];
        memcpy(s, in + i % 3 * 50, sizeof s);
        for (int step = 0; step < n; step++) {
            keccak(s);
            s[step % 25] ^= i;
        }
        for (int k = 0; k < 25; k++)
            o[k * items + i] = o[(25 + k) * items + i] = s[k];
    }
}

static void want_waits(void *out, const uint32_t *in, int n, int items, int local)
{
    for (int i = 0; i < items; i++) {
        uint32_t sum = 0;
        for (int t = 0; t < n; t++)
            sum = sum * 5 + in[(i / local * n + t) * 64 + (i % local * 7 + t) % 64];
        ((uint32_t *)out)[i] = sum;
    }
}

static void want_cleared(void *out, const uint32_t *in, int n, int items, int local)
{
    (void)local;
    for (int i = 0; i < items; i++) {
        uint32_t count[16] = {0}, v[5] = {0}, r = 0;
        uint8_t small[33] = {0};
        uint64_t wide[9] = {0};
        for (int k = 0; k < n; k++) {
            uint32_t x = in[(i + k * 37) % 256];
            count[x % 16]++;
            small[x % 33] += x / 8;
            wide[x % 9] += (uint64_t)x * x;
            v[x % 5] += x % 8;
        }
        for (int k = 0; k < 16; k++)
            r = r * 3 + count[k];
        for (int k = 0; k < 33; k++)
            r = r * 3 + small[k];
        for (int k = 0; k < 9; k++)
            r = r * 3 + (uint32_t)(wide[k] >> 20);
        for (int k = 0; k < 5; k++)
            r = r * 3 + v[k];
        ((uint32_t *)out)[i] = r;
    }
}

static uint32_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static float as_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static void want_reinterpreted(void *out, const uint32_t *in, int n, int items, int local)
{
    uint64_t *o = out;
    (void)n, (void)local;
    for (int i = 0; i < items; i++, o += 10) {
        uint32_t u = in[i % 256];
        int c = (int8_t)i;
        o[0] = u;
        o[1] = (uint64_t)(int64_t)(int32_t)u;
        o[2] = bits(c > 0 ? 1.0f : (float)c);
        o[3] = bits((float)u);
        o[4] = (uint8_t)u;
        o[5] = bits(as_float(u) + (float)i);
        o[6] = (uint32_t)((int32_t)u / 3) + u / 3;
        o[7] = (uint64_t)(int64_t)((int)(u >> 16) + (int8_t)u);
        o[8] = u | (uint64_t)(u ^ 0x80000000u) << 32;
        o[9] = bits(as_float(u & 0x7fffffff) * 2);
    }
}

static void want_atomic_nest(void *out, const uint32_t *in, int n, int items, int local)
{
    uint32_t *o = out;
    (void)local;
    for (int i = 0; i < items; i++) {
        int end = in[i % 256] % 8;
        for (int a = 0; a < end && a < 6; a++) {
            for (int b = a; b < n + i % 4; b++) {
                o[(a * 5 + b) % 16] += i + b;
                for (int c = 0; c < b % 4; c++)
                    o[16 + c] ^= i * (a + 1);
            }
        }
    }
}

static void want_ten(void *out, const uint32_t *in, int n, int items, int local)
{
    uint32_t *o = out;
    for (int i = 0; i < items; i++) {
        o[0] += in[i % local] * n;
        o[1] += i % local * n * 10;
    }
}

struct __attribute__((packed)) tight {
    int8_t c;
    uint64_t l;
    int16_t s;
    float f;
};
union word {
    uint32_t u;
    uint8_t b[4];
    float f;
    struct {
        uint16_t lo, hi;
    } h;
};
struct inner {
    int8_t tag;
    union word w;
    struct tight t;
};
struct outer {
    struct inner in[2];
    int16_t v[4] __attribute__((aligned(8)));
    int8_t last;
};

static struct inner swapped(struct inner x, union word w)
{
    struct inner r = x;
    r.w = w;
    r.t.s = (int16_t)(x.t.s + x.tag);
    r.t.l = x.t.l ^ w.u;
    return r;
}

static uint32_t folded(const struct outer *o)
{
    uint32_t r = 0;
    for (int k = 0; k < 2; k++) {
        const struct inner *x = &o->in[k];
        uint32_t part[] = {(uint8_t)x->tag,
                           x->w.u,
                           (x->w.u >> 8 & 0xff) + (x->w.u >> 16),
                           (uint8_t)x->t.c,
                           (uint32_t)x->t.l + (uint32_t)(x->t.l >> 32),
                           (uint16_t)x->t.s,
                           bits(x->t.f)};
        for (int p = 0; p < 7; p++)
            r = r * 31 + part[p];
    }
    r = r * 31 + (uint16_t)o->v[0];
    r = r * 31 + (uint16_t)o->v[1] * 7 + (uint16_t)o->v[2];
    return r * 31 + (uint8_t)o->last;
}

static void want_aggregates(void *out, const uint32_t *in, int n, int items, int local)
{
    static const struct outer fixed = {
        {{1, {0x40490fdb}, {2, 0x1122334455667788u, -3, 0.5f}}, {4, {77}, {5, 6, 7, 8.0f}}},
        {9, 10, 11},
        12};
    struct outer made[16], *o = out;
    REQUIRE(local == 16);
    (void)n;
    for (int i = 0; i < items; i++) {
        if (i % 16 == 0) {
            for (int k = i; k < i + 16; k++) {
                struct outer *m = &made[k % 16];
                *m = fixed;
                m->in[k & 1] = swapped(m->in[~k & 1], (union word){in[k % 256]});
                m->in[0].w.b[k % 4] = 0xee;
                m->v[1] = (int16_t)folded(m);
            }
        }
        uint32_t k = in[i % 256] % 3;
        struct outer mine = made[(i + k + 1) % 16];
        mine.last = (int8_t)k;
        mine.in[1].w.f = (float)(folded(&mine) >> 8);
        /* By members: what lies between them keeps its zeros only so. */
        o[i].last = mine.last;
        memcpy(o[i].v, mine.v, 6);
        for (int x = 0; x < 2; x++) {
            o[i].in[x].tag = mine.in[x].tag;
            o[i].in[x].w = mine.in[x].w;
            o[i].in[x].t = mine.in[x].t;
        }
    }
}

static void want_threes(void *out, const uint32_t *in, int n, int items, int local)
{
    static const int32_t table[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    int32_t *o = out;
    REQUIRE(local == 16);
    for (int i = 0; i < items; i++) {
        int32_t list[4][3], a[3], b[3];
        for (int c = 0; c < 3; c++)
            a[c] = (int32_t)in[i % 64 * 4 + c];
        for (int k = 0; k < 4; k++) {
            int from = i / 16 * 16 + (i + k * 3) % 16;
            const int32_t add[3] = {1, -2, (int16_t)n};
            for (int c = 0; c < 3; c++)
                list[k][c] = ((int32_t)in[from % 64 * 4 + (c + 1) % 3] + add[c]) * table[k % 3][c];
        }
        int other = i / 16 * 16 + (i + 5) % 16;
        for (int c = 0; c < 3; c++) {
            int32_t fresh = list[a[0] & 3][c], r;
            r = (a[1] & 1) == (i & 1) ? fresh : a[2 - c];
            r += (a[2] & 1) == (i & 1) ? (int8_t)a[c] : 1;
            r += (int16_t)in[other % 64 * 4 + c];
            b[c] = r;
        }
        bool negative = a[0] < 0 || a[1] < 0 || a[2] < 0;
        b[0] += negative ? 100 : 3;
        b[2] += negative ? 200 : 4;
        for (int c = 0; c < 3; c++)
            b[c] -= a[c] > list[1][c];
        b[1] += 48 + ((a[1] & 1) == (i & 1) ? (uint8_t)i : 9);
        memcpy(o + i * 3, b, sizeof b);
    }
}

static void want_flow(void *out, const uint32_t *in, int n, int items, int local)
{
    (void)local;
    for (int i = 0; i < items; i++) {
        int32_t x = (int32_t)in[i % 256], r = 0, turns = 0;
        for (int k = 0; k < 20; k++) {
            int what = x >> k & 7;
            bool tail = false, skip = false;
            if (what == 0 || what == 3) {
                r = (what ? r : r + 1) * 3 + k;
                if (r & 4) {
                    r ^= 0x55;
                    tail = true;
                }
            } else if (what == 1 || what == 2) {
                for (bool enter = what == 2; !skip; enter = false) {
                    r = (enter ? r : r + 5) ^ k;
                    skip = r % 7 == 3;
                    if (!skip && (r % 5 == 0 || ++turns >= 40))
                        break;
                }
            } else if (what == 5) {
                if (k > n)
                    break;
                r += 2;
                skip = true;
            } else {
                r = what == 6 ? r : (r - 11) ^ 0x55;
                tail = true;
            }
            r += tail;
            r += skip ? 0 : 100;
        }
        ((int32_t *)out)[i] = r;
    }
}

static void want_entries(void *out, const uint32_t *in, int n, int items, int local)
{
    (void)local;
    for (int i = 0; i < items; i++) {
        int32_t x = in[i % 256] & 0xffff;
        uint32_t r = 0;
        bool first = !(x & 1);
        for (;;) {
            if (first) {
                r += x;
                x /= 3;
                if (x == 0)
                    break;
            }
            r = r * 2 + 1;
            x -= x % 4 + 1;
            first = x > n;
            if (x <= 0 && !first)
                break;
        }
        ((uint32_t *)out)[i] = r;
    }
}

static void want_barriers(void *out, const uint32_t *in, int n, int items, int local)
{
    uint32_t a[2][128], v[128];
    for (int g = 0; g < items; g += local) {
        for (int l = 0; l < local; l++)
            a[0][l] = in[(g + l) % 256] & 0xff;
        for (int k = 0; k < n; k++) {
            for (int l = 0; l < local; l++)
                v[l] = a[k & 1][(l + k) % local];
            for (uint32_t j = 0; n > 3 && k & 1 && j < (in[0] & 3); j++) {
                for (int l = 0; l < local; l++)
                    a[k & 1][l] = v[l] + j;
                for (int l = 0; l < local; l++)
                    v[l] += a[k & 1][local - 1 - l];
            }
            for (int l = 0; l < local; l++)
                a[~k & 1][l] = v[l] * 3 + l;
        }
        for (int l = 0; l < local; l++)
            ((uint32_t *)out)[g + l] = a[n & 1][(l + 1) % local];
    }
}

static void want_full_group(void *out, const uint32_t *in, int n, int items, int local)
{
    uint32_t sum = 0;
    (void)n;
    for (int i = 0; i < items; i++) {
        int l = i % local;
        sum = (l ? sum : 0) + in[l % 256] + l;
        ((uint32_t *)out)[i] = sum;
    }
}

static void want_full_local(void *out, const uint32_t *in, int n, int items, int local)
{
    (void)n;
    for (int i = 0; i < items; i++) {
        uint32_t r = 0;
        for (uint32_t k = 0; k < 64; k++)
            r = r * 3 + ((i % local * 257 + k * 4099) % 16384 * 2654435761u ^ in[i / local]);
        ((uint32_t *)out)[i] = r;
    }
}

static void test_kernels(void)
{
    static const int guards[] = {-7, 0, 1, 5, 31, 32, 100, 3000};
    for (unsigned g = 0; g < sizeof guards / sizeof *guards; g++)
        run("guards", want_guards, 256 * 4, 256, 64, guards[g]);
    run("tree", want_tree, 4 * 8, 1024, 256, 0);
    run("widths", want_widths, 128 * 13 * 4, 128, 32, 5);
    run("wraps", want_wraps, 128 * 4 * 4, 128, 32, 5);
    run("cell", want_cell, 512 * 4, 512, 256, 16);
    uint64_t zero[25] = {0};
    keccak(zero);
    REQUIRE(zero[0] == 0xf1258f7940e1dde7u); /* of the Keccak team's vectors */
    run("keccak", want_keccak, 16 * 50 * 8, 16, 16, 256);
    run("waits", want_waits, 256 * 4, 256, 64, 1);
    run("waits", want_waits, 256 * 4, 256, 64, 8);
    run("waits", want_waits, 256 * 4, 256, 64, 9);
    run("cleared", want_cleared, 256 * 4, 256, 64, 50);
    run("atomic_nest", want_atomic_nest, 19 * 4, 300, 60, 9);
    run("ten", want_ten, 8, 50, 10, 7);
    run("aggregates", want_aggregates, 64 * sizeof(struct outer), 64, 16, 0);
    run("threes", want_threes, 64 * 12, 64, 16, 5);
    run("flow", want_flow, 512 * 4, 512, 64, 12);
    run("entries", want_entries, 512 * 4, 512, 64, 40);
    run("barriers", want_barriers, 256 * 4, 256, 128, 3);
    run("barriers", want_barriers, 256 * 4, 256, 64, 7);
    size_t most;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    most = most < 1024 ? most : 1024;
    run("full_group", want_full_group, 2 * most * 4, 2 * (int)most, (int)most, 0);
    cl_ulong size;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, NULL));
    if (size >= 65536)
        run("full_local", want_full_local, 3 * 256 * 4, 3 * 256, 256, 0);
}

static void test_reinterpreted(void)
{
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                       0x7f800000, 0xff800000, 0x00800000, 0x7f7fffff,
                                       0x4b000001, 0xcb7fffff, 0x447a0000};
    for (int i = 0; i < 256; i++) {
        do {
            in[i] = i < 11 ? special[i] : (uint32_t)(clu_random() >> 32);
        } while ((in[i] >> 23 & 0xff) == 0xff && in[i] << 9); /* NaNs have no one pattern */
        if ((in[i] >> 23 & 0xff) < 30)
            in[i] += 40 << 23; /* no denormal numbers in between */
    }
    run("reinterpreted", want_reinterpreted, 512 * 10 * 8, 512, 64, 0);
}

/* Doubles: conversions of integers, quotients and roots, all correctly rounded. */
static const char *doubles_source =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "kernel void doubles(global double *out, global const uint *in, int three)\n"
    "{\n"
    "    uint i = get_global_id(0), u = in[i];\n"
    "    int s = u;\n"
    "    global double *o = out + i * 10;\n"
    "    o[0] = (double)s;\n"
    "    o[1] = (double)u;\n"
    "    o[2] = (double)(short)s + (double)(char)s;\n"
    "    o[3] = (double)-abs_diff(s, 0);\n"
    "    o[4] = 1.0 / 3.0;\n"
    "    o[5] = 1.0 / three;\n"
    "    o[6] = sqrt(2.0);\n"
    "    o[7] = sqrt(three - 1.0);\n"
    "    o[8] = (double)s / ((double)(i + 1) * 7);\n"
    "    o[9] = sqrt((double)u);\n"
    "}\n";

static void want_doubles(void *out, const uint32_t *in, int n, int items, int local)
{
    double *o = out;
    (void)local;
    for (int i = 0; i < items; i++, o += 10) {
        uint32_t u = in[i];
        int32_t s = (int32_t)u;
        o[0] = s;
        o[1] = u;
        o[2] = (int16_t)u + (int8_t)u;
        o[3] = (uint32_t) - (s < 0 ? 0 - u : u);
        o[4] = o[5] = 1.0 / n;
        o[6] = o[7] = sqrt(n - 1.0);
        o[8] = s / ((i + 1) * 7.0);
        o[9] = sqrt(u);
    }
}

static bool has_extension(const char *name)
{
    static char list[8192];
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL));
    return strstr(list, name);
}

static void fill(void)
{
    for (int i = 0; i < N_IN; i++)
        in[i] = (uint32_t)(clu_random() >> 32);
}

static void test_doubles(void)
{
    if (!has_extension("cl_khr_fp64"))
        return;
    static const uint32_t special[] = {0,          1,          0xffffffff, 0x80000000, 0x80000001,
                                       0x7fffffff, 0x01000001, 0xfeffffff, 0xffffff80, 0xffff8000};
    memcpy(in, special, sizeof special);
    cl_program all = program;
    program = clu_build(doubles_source, "");
    run("doubles", want_doubles, 64 * 10 * 8, 64, 16, 3);
    CL(clReleaseProgram(program));
    program = all;
}

/* Copies with a stride, of vectors of three: OpenCL 1.2, 6.12.10: they count as four. */
static const char *strided_source =
    "#ifdef HALF\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#endif\n"
    "kernel void strided(global T *out, global const T *in, int stride)\n"
    "{\n"
    "    local T there[40], back[40];\n"
    "    int l = get_local_id(0), n = get_local_size(0);\n"
    "    event_t e = async_work_group_strided_copy(there, in + 1, n, stride, 0);\n"
    "    wait_group_events(1, &e);\n"
    "    back[n - 1 - l] = there[l].zxy;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    e = async_work_group_strided_copy(out + 2, back, n, stride, 0);\n"
    "    wait_group_events(1, &e);\n"
    "}\n";

static void test_strided(const char *type, size_t size, const char *more)
{
    enum { LOCAL = 40, MOST = LOCAL * 5 + 2 };
    static const int strides[] = {1, 3, 4, 5};
    static unsigned char got[MOST * 32], from[MOST * 32];
    char options[64];
    snprintf(options, sizeof options, "-DT=%s3 %s", type, more);
    cl_program p = clu_build(strided_source, options);
    cl_kernel k = clu_kernel(p, "strided");
    for (size_t b = 0; b < sizeof from; b++)
        from[b] = clu_random() >> 58; /* no half, float or double of these is a NaN */
    for (unsigned s = 0; s < 4; s++) {
        size_t whole = MOST * 4 * size;
        int stride = strides[s], bad = 0;
        cl_mem o = clu_buffer(whole, from), i = clu_buffer(whole, from);
        clu_arg_mem(k, 0, o);
        clu_arg_mem(k, 1, i);
        CL(clSetKernelArg(k, 2, sizeof stride, &stride));
        clu_run(k, LOCAL, LOCAL);
        clu_read(o, whole, got);
        for (int e = 0; e < MOST; e++) {
            int item = (e - 2) / stride;
            bool is_written = e >= 2 && (e - 2) % stride == 0 && item < LOCAL;
            for (int c = 0; c < 4; c++) {
                const unsigned char *w = from + (e * 4 + c) * size;
                if (is_written && c == 3)
                    continue; /* anything */
                if (is_written)
                    w = from + ((1 + (LOCAL - 1 - item) * stride) * 4 + (c + 2) % 3) * size;
                bad += memcmp(got + (e * 4 + c) * size, w, size) != 0;
            }
        }
        CHECKF(!bad, "%s3 with stride %d: %d wrong", type, stride, bad);
        CL(clReleaseMemObject(o));
        CL(clReleaseMemObject(i));
    }
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

int main(void)
{
    clu_open();
    fill();
    program = clu_build(read_file(SOURCE_DIR "/utests/cl/situations.cl"), "");
    test_kernels();
    test_reinterpreted();
    fill();
    test_doubles();
    test_strided("char", 1, "");
    test_strided("ushort", 2, "");
    test_strided("int", 4, "");
    test_strided("float", 4, "");
    test_strided("ulong", 8, "");
    if (has_extension("cl_khr_fp16"))
        test_strided("half", 2, "-DHALF");
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
