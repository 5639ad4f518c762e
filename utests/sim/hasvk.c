/* Mesa's Vulkan driver (hasvk for Gen7 to 8, anv for Gen9), unmodified, on the simulated device:
 * its compiler and its batches are an opinion about the hardware that is not ours. Results are
 * computed here. Usage: hasvk FOLDER (of the .spv files). Skipped where the driver is not
 * installed. */
#include <math.h>

#include "vk.h"

enum { N = 4096 };

static void want_copy(void)
{
    for (uint32_t i = 0; i < 204 * 20; i++)
        vk_want[i] = vk_in[i] + 1;
}

static void want_push(void)
{
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            uint32_t i = y * vk_push[2] + x;
            vk_want[i] =
                (vk_in[i] * vk_push[0] + vk_push[1]) ^ (x / 8 << vk_push[3]) ^ (y / 4 << 28);
        }
    }
}

static void want_shared(void)
{
    for (uint32_t g = 0; g < N; g += 256) {
        uint32_t sum = 0;
        for (uint32_t l = 0; l < 256; l++)
            sum += vk_in[g + l];
        for (uint32_t l = 0; l < 256; l++)
            vk_want[g + l] = vk_in[g + 255 - l] ^ sum;
    }
}

static void want_loop(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t n = vk_in[i] % 1000, steps = 0, sum = 0;
        if (n % 17 == 3) {
            vk_want[i] = 0xdead;
            continue;
        }
        while (n > 1) {
            n = n & 1 ? 3 * n + 1 : n / 2;
            if (++steps > 100)
                break;
            for (uint32_t k = 0; k < 8; k++) {
                if (((n + k) & 3) == 0)
                    continue;
                if (k == (steps & 7))
                    break;
                sum += k;
            }
        }
        vk_want[i] = steps * 65536 + (sum & 0xffff);
    }
}

static uint32_t reverse(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static void want_integer(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = vk_in[i], y = vk_in[i ^ 5] | 1, s = y & 31;
        int32_t sx = (int32_t)x, sy = (int32_t)y;
        uint32_t r = x / y + 3 * (x % y);
        r = r * 31 + (uint32_t)(sx / 7);
        r = r * 31 + ((sx < 0 ? 0 - x : x) & 0xffff);
        r = r * 31 + (uint32_t)((uint64_t)x * y >> 32);
        r = r * 31 + x * y;
        r = r * 31 + (x + y) + (x + y < x);
        r = r * 31 + (x - y) + (x < y);
        r = r * 31 + reverse(x);
        r = r * 31 + __builtin_popcount(x);
        r = r * 31 + (31 - __builtin_clz(y));
        r = r * 31 + __builtin_ctz(y);
        r = r * 31 + (x >> 5 & 0x7ff);
        r = r * 31 + ((x & ~(0x1ffu << 7)) | (y & 0x1ff) << 7);
        r = r * 31 + (uint32_t)(sx < sy ? sx : sy) + (x > y ? x : y);
        r = r * 31 + (uint32_t)(sx >> s) + (x << s) + (x >> s);
        vk_want[i] = r;
    }
}

static void want_atomics(void)
{
    vk_want[2] = 0;
    for (uint32_t i = 0; i < 2048; i++) {
        vk_want[0] += vk_in[i];
        vk_want[1] = vk_in[i] > vk_want[1] ? vk_in[i] : vk_want[1];
        vk_want[3] ^= vk_in[i];
        vk_want[4] |= vk_in[i] & 0x0f0f;
        vk_want[4096 + i] = 1;
    }
    vk_want[6] = 2048;
    vk_want[7] = 3 * 2048;
    for (uint32_t g = 0; g < 2048; g += 64) {
        uint32_t total = 0;
        for (uint32_t l = 0; l < 64; l++)
            total += vk_in[g + l] & 0xff;
        for (uint32_t l = 0; l < 64; l++)
            vk_want[1024 + g + l] = total;
    }
}

static void want_private(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t t[96], at = i, sum = 0;
        for (uint32_t k = 0; k < 96; k++)
            t[k] = vk_in[(i + k) & 4095] * (k + 1);
        for (uint32_t k = 0; k < 64; k++) {
            at = t[at % 96] + k;
            t[(at >> 8) % 96] ^= at;
            sum += at;
        }
        vk_want[i] = sum;
    }
}

/* Exact for the small integers and halves that occur. */
static uint32_t half(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint32_t sign = bits >> 16 & 0x8000, exp = bits >> 23 & 0xff;
    return exp ? sign | (exp - 112) << 10 | (bits >> 13 & 0x3ff) : sign;
}

static void want_float(void)
{
    for (uint32_t i = 0; i < N; i++) {
        float x = vk_in[i] & 0xfff, y = (float)(vk_in[i] >> 12 & 0xff) - 128.0f;
        float r = x * y + 0.5f;
        r = floorf(r * 0.25f) + (x * 0.125f - floorf(x * 0.125f)) + fabsf(y) - truncf(-x * 0.5f) +
            ceilf(y * 0.0625f);
        r += x > y * 16.0f ? 3.0f : -7.0f;
        float clamped = y < -4 ? -4 : y > 5 ? 5 : y, sign = y > 0 ? 1 : y < 0 ? -1 : 0;
        r += fminf(x, y) + fmaxf(x, y) + clamped + sign;
        uint32_t bits;
        memcpy(&bits, &r, 4);
        vk_want[i] = bits ^ (uint32_t)((int)y + 1000) ^ (half(y) | half(y * 0.5f) << 16);
    }
}

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* All of it exact: 18 and 24 bits of mantissa. */
static void want_double(void)
{
    for (uint32_t i = 0; i < N; i++) {
        double x = (double)(vk_in[i] & 0xffff) + 0.25, y = (double)((int32_t)vk_in[i ^ 5] >> 8);
        double z = x * y + x;
        z = z > 0 ? z - 1.5 * x : y - z;
        double m = fmax(fmin(x, y), -100.5), sum = z + m, scaled = z / 16384;
        uint64_t u;
        memcpy(&u, &sum, 8);
        uint32_t r = (uint32_t)u * 31 + (uint32_t)(u >> 32);
        r = r * 31 + (uint32_t)(int32_t)scaled;
        r = r * 31 + float_bits((float)z);
        vk_want[i] = r * 31 + (x < y) + (z == 0 ? 2 : 0);
    }
}

static void want_int64(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint64_t x = vk_in[i] | (uint64_t)vk_in[i ^ 3] << 32,
                 y = vk_in[i ^ 7] | (uint64_t)i << 32 | 1;
        int64_t s = (int64_t)x, t = (int64_t)y;
        uint64_t r = x * y + (x >> (y & 63)) + (x << (y & 31)) + (uint64_t)(s >> (i & 63));
        r ^= x / y + x % y;
        if (s < t)
            r += -x;
        r ^= (x < y ? x : y) - ((s > t ? s : t) > 0 ? x : y);
        vk_want[i] = (uint32_t)r * 31 + (uint32_t)(r >> 32);
    }
}

static void want_subgroup(void)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t *quad = vk_in + (i & ~3u), *eight = vk_in + (i & ~7u);
        uint32_t sum = 0, max = 0, r = vk_in[i ^ 1];
        for (uint32_t k = 0; k < 8; k++)
            sum += eight[k];
        for (uint32_t k = 0; k < 4; k++)
            max = quad[k] > max ? quad[k] : max;
        r = r * 31 + vk_in[i ^ 2];
        r = r * 31 + vk_in[i ^ 3];
        r = r * 31 + quad[2];
        r = r * 31 + vk_in[i ^ 5];
        r = r * 31 + sum;
        r = r * 31 + max;
        if (i & 4)
            r = r * 31 + (quad[0] ^ quad[1] ^ quad[2] ^ quad[3]);
        vk_want[i] = r + 7;
    }
}

static const struct vk_test tests[] = {
    {.name = "copy", .want = want_copy, .groups = {204, 1, 1}},
    {.name = "push", .want = want_push, .groups = {8, 16, 1}},
    {.name = "shared", .want = want_shared, .groups = {16, 1, 1}},
    {.name = "loop", .want = want_loop, .groups = {64, 1, 1}},
    {.name = "integer", .want = want_integer, .groups = {128, 1, 1}},
    {.name = "atomics", .want = want_atomics, .groups = {32, 1, 1}},
    {.name = "private", .want = want_private, .groups = {128, 1, 1}},
    {.name = "float", .want = want_float, .groups = {128, 1, 1}},
    {.name = "double", .want = want_double, .groups = {128, 1, 1}},
    {.name = "int64", .want = want_int64, .groups = {128, 1, 1}},
    {.name = "subgroup", .want = want_subgroup, .groups = {128, 1, 1}},
};

int main(int argc, char **argv)
{
    return vk_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
