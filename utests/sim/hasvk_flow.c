/* Mesa's Vulkan driver on the simulated device: control flow, groups and dispatches. Results are
 * computed here. Usage: hasvk_flow FOLDER (of the .spv files). */
#include "vk.h"

enum { N = 4096 };

static void want_diverge(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = vk_in[i], r = 0;
        for (uint32_t outer = 0; outer < (x & 15); outer++) {
            uint32_t k = x >> (outer & 7), inner = 0;
            do {
                k = k * 5 + outer;
                if ((k & 0x70) == 0x30)
                    break;
                for (uint32_t n = k & 7; n > 0; n--) {
                    if (((k >> n) & 3) != 3)
                        r += n * (inner + 1);
                }
                inner++;
            } while (inner < 6 + (x >> 29));
            if (inner == 9)
                break;
            r = r * 3 + inner;
        }
        vk_want[i] = r;
    }
}

static uint32_t deep_step(uint32_t op, uint32_t x, uint32_t k)
{
    if (op == 0)
        return x + k;
    if (op == 5) {
        if (x <= 0x80000000u)
            return x << 1;
        if (x > 0xc0000000u)
            return x & 2 ? 1 : x - 2;
        return x & 4 ? x + 6 : x + 1;
    }
    if (op > 2)
        return x * 3 + op + 1;
    if (op == 1 && x & 1)
        return x ^ 0x55;
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t two = x >> n & 3;
        if (two == 2)
            return x * 7;
        if (two == 0)
            continue;
        x = two == 1 ? x + n : x ^ k;
        if (x & 64)
            break;
    }
    return x + 1;
}

static void want_deep(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = vk_in[i];
        if (x % 13 == 5)
            continue;
        for (uint32_t k = 0; k < 20; k++) {
            x = deep_step(x >> 3 & 7, x, k);
            if ((x & 0xff0) == 0x120)
                break;
        }
        vk_want[i] = x;
    }
}

static void spec(uint32_t n, uint32_t rounds, bool flip, uint32_t size)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = vk_in[i];
        for (uint32_t k = 0; k < rounds; k++)
            x = x * 1664525 + (vk_in[i] >> (x >> 16) % size);
        vk_want[i] = flip ? ~x : x;
    }
}

static void want_spec_a(void)
{
    spec(24 * 2 * 3 * 4, 7, true, 5);
}

static void want_spec_b(void)
{
    spec(512 * 2, 0, false, 1);
}

static void want_copy(void)
{
    for (uint32_t i = 0; i < 3 * 20; i++)
        vk_want[i] = vk_in[i] + 1;
}

static void want_nothing(void) {}

static void want_scan(void)
{
    for (uint32_t g = 0; g < N; g += 1024) {
        for (uint32_t l = 0, sum = 0; l < 1024; sum += vk_in[g + l++])
            vk_want[g + l] = sum;
    }
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void want_bitonic(void)
{
    for (uint32_t g = 0; g < N; g += 1024) {
        for (uint32_t i = g; i < g + 1024; i++)
            vk_want[i] = vk_in[i] ^ vk_in[i] << 7;
        qsort(vk_want + g, 1024, sizeof vk_want[0], compare);
    }
}

static void want_passes(void)
{
    for (uint32_t i = 0; i < N; i++)
        vk_want[i] = vk_in[i] ^ vk_in[i] << 9;
    qsort(vk_want, N, sizeof vk_want[0], compare);
}

/* The first pass copies; then k = 2, 4 .. N and for each j = k / 2 .. 1. */
enum { PASSES = 1 + 12 * 13 / 2 };
static void pass_bitonic(unsigned pass, uint32_t push[16])
{
    push[0] = push[1] = 0;
    for (uint32_t k = 2; pass > 0 && k <= N; k *= 2) {
        for (uint32_t j = k / 2; j > 0 && pass > 0; j /= 2, pass--) {
            push[0] = k;
            push[1] = j;
        }
    }
}

static void want_lds(void)
{
    static uint32_t s[VK_WORDS];
    for (uint32_t i = 0; i < VK_WORDS; i++)
        s[i * 5 & (VK_WORDS - 1)] = vk_in[i];
    for (uint32_t i = 0; i < VK_WORDS; i++)
        vk_want[i] = s[i ^ 255] + i / 256 % 8; /* the group that did row i / 256 */
}

static void want_box(void)
{
    const uint32_t size[3] = {10, 4, 25}, groups[3] = {3, 2, 2};
    const uint32_t nx = size[0] * groups[0], ny = size[1] * groups[1], nz = size[2] * groups[2];
    for (uint32_t i = 0; i < nx * ny * nz; i++) {
        const uint32_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
        const uint32_t lx = x % size[0], ly = y % size[1], lz = z % size[2];
        uint32_t r = (lz * size[1] + ly) * size[0] + lx;
        r = r * 64 + x / size[0];
        r = r * 64 + y / size[1] * 8 + z / size[2];
        vk_want[i] = (r ^ lx << 28 ^ ly << 24 ^ lz) + vk_in[i];
    }
}

static void want_thin(void)
{
    for (uint32_t i = 0; i < 777; i++)
        vk_want[i * 3] = vk_in[i] * 777;
}

static void want_matrix(void)
{
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            uint32_t sum = 0; /* below 2^24 */
            for (uint32_t k = 0; k < 64; k++)
                sum += (vk_in[y * 64 + k] >> 24) * (vk_in[k * 64 + x] & 127);
            vk_want[y * 64 + x] = sum;
        }
    }
}

static const struct vk_test tests[] = {
    {.name = "diverge", .want = want_diverge, .groups = {64, 1, 1}},
    {.name = "deep", .want = want_deep, .groups = {128, 1, 1}},
    {.name = "spec",
     .variant = "24x2, 7 rounds",
     .want = want_spec_a,
     .groups = {3, 4, 1},
     .n_spec = 5,
     .spec = {24, 2, 7, 1, 5}},
    {.name = "spec",
     .variant = "512x1, no round",
     .want = want_spec_b,
     .groups = {2, 1, 1},
     .n_spec = 5,
     .spec = {512, 1, 0, 0, 1}},
    {.name = "copy",
     .variant = "indirect",
     .want = want_copy,
     .groups = {3, 1, 1},
     .indirect = true},
    {.name = "copy",
     .variant = "indirect, x = 0",
     .want = want_nothing,
     .groups = {0, 1, 1},
     .indirect = true},
    {.name = "copy",
     .variant = "indirect, z = 0",
     .want = want_nothing,
     .groups = {5, 1, 0},
     .indirect = true},
    {.name = "box", .variant = "indirect", .want = want_box, .groups = {3, 2, 2}, .indirect = true},
    {.name = "box", .want = want_box, .groups = {3, 2, 2}},
    {.name = "scan", .want = want_scan, .groups = {4, 1, 1}},
    {.name = "bitonic", .want = want_bitonic, .groups = {4, 1, 1}},
    {.name = "passes",
     .want = want_passes,
     .groups = {N / 64, 1, 1},
     .n_passes = PASSES,
     .pass = pass_bitonic},
    {.name = "lds", .want = want_lds, .groups = {8, 1, 1}},
    {.name = "thin", .want = want_thin, .groups = {777, 1, 1}},
    {.name = "matrix", .want = want_matrix, .groups = {4, 4, 1}},
};

int main(int argc, char **argv)
{
    return vk_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
