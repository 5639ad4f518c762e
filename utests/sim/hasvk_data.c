/* Mesa's Vulkan driver on the simulated device: types, conversions and ways to memory. Results are
 * computed here. Usage: hasvk_data FOLDER (of the .spv files). */
#include <math.h>

#include "vk.h"

enum { N = 4096 };

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* Half precision, normal numbers and zero; the value must be representable. */
static uint16_t half_of(float f)
{
    const uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000, exp = bits >> 23 & 0xff;
    return (uint16_t)(exp ? sign | (exp - 112) << 10 | (bits >> 13 & 0x3ff) : sign);
}

static float half_value(uint32_t h)
{
    return float_of((h & 0x8000) << 16 | ((h >> 10 & 31) + 112) << 23 | (h & 0x3ff) << 13);
}

/* The remainder with the sign of the divisor. */
static int32_t floor_mod(int32_t x, int32_t y)
{
    const int32_t r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static void want_divide(void)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t x = vk_in[i], shifted = vk_in[i ^ 9] >> (i & 31), y = shifted ? shifted : 1;
        const int32_t sx = (int32_t)x;
        int32_t sy = (int32_t)vk_in[i ^ 9] >> (i & 31);
        sy = sy == 0 ? -7 : sy == -1 ? 11 : sy;
        uint32_t r = x / y;
        r = r * 31 + x % y;
        r = r * 31 + (uint32_t)(sx / sy);
        r = r * 31 + (uint32_t)floor_mod(sx, sy);
        r = r * 31 + (uint32_t)(sx / 10) + x / 10;
        r = r * 31 + (uint32_t)floor_mod(sx, 1000) + x % 1000;
        vk_want[i] = r * 31 + (uint32_t)(sx / -3) + x / 641;
    }
}

static uint32_t reverse(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t highest(uint32_t x)
{
    return x ? 31 - (uint32_t)__builtin_clz(x) : UINT32_MAX;
}

static void want_bits(void)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t x = vk_in[i], y = vk_in[i ^ 6], offset = y & 31;
        const uint32_t width = (y >> 5 & 31) < 32 - offset ? y >> 5 & 31 : 32 - offset;
        const uint32_t mask = width == 32 ? UINT32_MAX : (1u << width) - 1;
        const uint32_t field = x >> offset & mask;
        const bool negative = width && field >> (width - 1) & 1;
        const uint32_t left = x << offset;
        const int64_t product = (int64_t)(int32_t)x * (int32_t)y;
        uint32_t r = field;
        r = r * 31 + (negative ? field | ~mask : field);
        r = r * 31 + ((x & ~(mask << offset)) | (y & mask) << offset);
        r = r * 31 + highest(x >> 31 ? ~x : x);
        r = r * 31 + highest(x >> offset);
        r = r * 31 + (left ? (uint32_t)__builtin_ctz(left) : UINT32_MAX);
        r = r * 31 + (uint32_t)__builtin_popcount(x & y);
        r = r * 31 + reverse(x >> offset);
        r = r * 31 + (left | x >> ((32 - offset) & 31));
        r = r * 31 + (uint32_t)(product >> 32);
        vk_want[i] = r * 31 + (uint32_t)product;
    }
}

static void want_pack(void)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t x = vk_in[i], s8 = x | 0x01010101, s16 = x | 0x00010001;
        const uint32_t h = (x & 0xbbffbbff) | 0x04000400;
        uint32_t r = x;
        r = r * 31 + x;
        /* The most negative number, which means -1 as its neighbour does, is not odd. */
        r = r * 31 + s8;
        r = r * 31 + s16;
        r = r * 31 + h;
        r = r * 31 + bits_of(half_value(h & 0xffff));
        r = r * 31 + bits_of(half_value(h >> 16));
        vk_want[i] = r * 31 + 0xffff0000 + (x >> 24);
    }
}

static void want_spill(void)
{
    enum { V = 72 };
    for (uint32_t i = 0; i < 1024; i++) {
        uint32_t v[V][4], sum[4] = {0};
        for (uint32_t k = 0; k < V; k++)
            memcpy(v[k], vk_in + ((i * 3 + k * 7) & 1023) * 4, 16);
        for (int n = 0; n < 3; n++) {
            for (int k = 0; k < V; k++) {
                for (int c = 0; c < 4; c++)
                    v[k][c] = v[k][c] * 5 + v[(k + 1) % V][(c + 1) & 3];
            }
            for (int k = V - 1; k > 0; k--) {
                for (int c = 0; c < 4; c++)
                    v[k][c] ^= v[k * 5 % V][c] >> k % 31;
            }
        }
        for (int k = 0; k < V; k++) {
            for (int c = 0; c < 4; c++)
                sum[c] = sum[c] * 3 + v[k][c];
        }
        memcpy(vk_want + i * 4, sum, 16);
    }
}

/* ---- what many buffers hold ---- */
enum { STORAGE = 28, UNIFORM = 8 };
static uint32_t *storage[STORAGE], *uniform[UNIFORM];

static void bind_many(struct vk_resources *add)
{
    for (uint32_t k = 0; k < STORAGE; k++) {
        vk_add_buffer(add, 2, k, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                      vk_buffer(1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, (void **)&storage[k]));
        for (uint32_t i = 0; i < 64; i++)
            storage[k][i] = (k * 64 + i) * 2246822519u;
    }
}

static void bind_blocks(struct vk_resources *add)
{
    for (uint32_t k = 0; k < UNIFORM; k++) {
        vk_add_buffer(add, 2, k, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                      vk_buffer(64, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, (void **)&uniform[k]));
        for (uint32_t i = 0; i < 16; i++)
            uniform[k][i] = (k * 16 + i) * 3266489917u;
    }
}

static void want_many(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t r = vk_in[i];
        for (int k = 0; k < STORAGE; k++)
            r = r * 3 + storage[k][r >> 8 & 63];
        vk_want[i] = r;
    }
}

static void want_blocks(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t r = vk_in[i];
        for (int k = 0; k < UNIFORM; k++)
            r = r * 5 + uniform[k][(r >> 4 & 3) * 4 + (r & 3)];
        vk_want[i] = r;
    }
}

static void check_many(void)
{
    for (uint32_t k = 0; k < STORAGE; k++) {
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t seen = storage[k][64 + l];
            CHECKF(seen % 32 == l && seen / 32 % STORAGE == k && seen < N, "buffer %u [%u]: %u", k,
                   l, seen);
        }
    }
}

static uint32_t swap(uint32_t *at, uint32_t value)
{
    const uint32_t old = *at;
    *at = value;
    return old;
}

static void want_atomics_old(void)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t x = vk_in[i];
        uint32_t o = x, s = x, r;
        int32_t t = (int32_t)x;
        r = swap(&o, o + 77);
        r = r * 31 + swap(&o, x * 3);
        r = r * 31 + swap(&o, x ^ 0xff);
        r = r * 31 + swap(&o, o == x ? 0 : o);
        r = r * 31 + swap(&o, o < 0x40000000 ? o : 0x40000000);
        r = r * 31 + swap(&o, o > 0x1234 + (i & 7) ? o : 0x1234 + (i & 7));
        r = r * 31 + swap(&o, o | 0x11);
        r = r * 31 + swap(&o, o & 0xfffffff0);
        r = r * 31 + swap(&o, o ^ x);
        r = r * 31 + swap(&s, s - 1);
        r = r * 31 + swap(&s, x >> 3);
        r = r * 31 + swap(&s, ~x);
        r = r * 31 + (uint32_t)t;
        t = t < -5 ? t : -5;
        r = r * 31 + (uint32_t)t;
        t = t > 100 ? t : 100;
        r = r * 31 + (uint32_t)t;
        t ^= 0x77777777;
        vk_want[i] = r + s * 7 + (uint32_t)t;
        vk_want[8192 + i] = o;
    }
}

/* ---- small types ---- */
static bool has_storage8(void)
{
    return vk_features12.storageBuffer8BitAccess;
}

static bool has_storage16(void)
{
    return vk_features11.storageBuffer16BitAccess;
}

static bool has_int16(void)
{
    return has_storage16() && vk_features.features.shaderInt16;
}

static bool has_int8(void)
{
    return has_storage8() && vk_features12.shaderInt8;
}

static bool has_float16(void)
{
    return has_storage16() && vk_features12.shaderFloat16;
}

static void want_storage8(void)
{
    const uint8_t *from = (const uint8_t *)vk_in;
    uint8_t *to = (uint8_t *)vk_want;
    for (uint32_t i = 0; i < N; i++)
        to[i * 2 + 1] = (uint8_t)(from[i] - 77);
}

static void want_storage16(void)
{
    const uint16_t *from = (const uint16_t *)vk_in;
    uint16_t *to = (uint16_t *)vk_want;
    for (uint32_t i = 0; i < N; i++)
        to[i * 3] = half_of((float)((from[i] & 0x7ff) - 1024));
}

static void want_int16(void)
{
    const uint16_t *from = (const uint16_t *)vk_in;
    uint16_t *to = (uint16_t *)vk_want;
    for (uint32_t i = 0; i < N; i++) {
        const uint16_t ux = from[i * 2], uy = from[i * 2 + 1], q = uy ? uy : 3;
        const int16_t x = (int16_t)ux, y = (int16_t)uy;
        uint32_t r = (uint32_t)ux * uy + ux;
        r = r * 31 + (uint32_t)(x >> 3) + (ux >> 5) + (uint32_t)(uy << 2);
        r = r * 31 + ux / q + ux % q;
        r = r * 31 + (uint32_t)(x < y ? x : y) + (ux > uy ? ux : uy) + (uint32_t)abs(x / 5);
        r = r * 31 + (x < y) + (ux < uy ? 2 : 0) + ((ux & ~uy) | ((ux ^ uy) & 0xff));
        to[i] = (uint16_t)r;
    }
}

static void want_int8(void)
{
    const uint8_t *from = (const uint8_t *)vk_in;
    uint8_t *to = (uint8_t *)vk_want;
    for (uint32_t i = 0; i < N; i++) {
        const uint8_t x = from[i * 3], y = from[i * 3 + 1], d = y ? y : 7;
        const int8_t sx = (int8_t)x, sy = (int8_t)y;
        uint32_t r = (uint32_t)x * y + x;
        r = r * 31 + (uint32_t)(sx >> 2) + (uint32_t)(y << 3) + (x >> 1);
        r = r * 31 + x / d + x % d;
        r = r * 31 + (uint32_t)(sx < sy ? sx : sy) + (x > y ? x : y);
        to[i] = (uint8_t)(r * 31 + (sx < sy));
    }
}

static void want_float16(void)
{
    const uint16_t *from = (const uint16_t *)vk_in;
    uint16_t *to = (uint16_t *)vk_want;
    for (uint32_t i = 0; i < N; i++) {
        const float x = from[i] & 31, y = (float)(from[i] >> 11) - 16;
        float r = x * y + 0.25f;
        r = floorf(r) + fabsf(y) - fmaxf(x, y) * 0.5f;
        r += x > y ? 3.0f : -7.5f;
        r += x * 0.25f - floorf(x * 0.25f) + fminf(fmaxf(y, -4), 5);
        to[i] = half_of(r);
    }
}

static void want_convert(void)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t x = vk_in[i];
        const float f = (float)((int32_t)(x >> 12) - 0x80000) * 0.125f;
        uint32_t r = bits_of((float)x);
        r = r * 31 + bits_of((float)(int32_t)x);
        r = r * 31 + (uint32_t)(int32_t)f + (uint32_t)fabsf(f);
        r = r * 31 + bits_of(floorf(f)) + bits_of(ceilf(f));
        r = r * 31 + bits_of(truncf(f)) + bits_of(rintf(f)) + bits_of(f - floorf(f));
        const uint32_t any_bits = (i & 3) == 0   ? 0x7f800000u | (i & 4) << 29
                                  : (i & 3) == 1 ? 0x7fc00000u
                                                 : (x & 0xbfffffffu) | 0x20000000u;
        const float any = float_of(any_bits);
        r = r * 2 + ((any_bits & 0x7fffffff) == 0x7f800000);
        r = r * 2 + ((any_bits & 0x7fffffff) > 0x7f800000);
        r = r * 2 + (any < f);
        r = r * 2 + (any > f);
        r = r * 2 + (any == any);
        r = r * 2 + (any != f);
        vk_want[i] = r * 2 + !(any >= f);
    }
}

/* ---- the math unit: Vulkan's bounds, and 2^-20 absolute where it sets none that is stricter ----
 */
static float *math;

static void bind_math(struct vk_resources *add)
{
    vk_add_buffer(add, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                  vk_buffer(N * 32, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, (void **)&math));
}

static void want_nothing(void) {}

static void check_math(void)
{
    static const char *const names[8] = {"sqrt", "inversesqrt", "exp2", "log2",
                                         "sin",  "cos",         "pow",  "divide"};
    for (uint32_t i = 0; i < N; i++) {
        const double x = (double)((float)(vk_in[i] >> 8) * (8.0f / 16777216.0f) + 0.0625f);
        const double want[8] = {sqrt(x),      1 / sqrt(x),  exp2(x - 4),  log2(x),
                                sin(x - 4.0), cos(x - 4.0), pow(x, 1.75), 3 / x};
        /* Relative error, in steps of 2^-23: inherited by sqrt and pow from what they consist of.
         */
        const double relative[8] = {4, 2, 3 + 2 * fabs(x - 4), 3, 0, 0, 3 + 16 * 7, 2.5};
        for (int k = 0; k < 8; k++) {
            const double got = math[i * 8 + k], error = fabs(got - want[k]);
            const bool angle = k == 4 || k == 5, near_one = k == 3 && x > 0.5 && x < 2;
            const double bound = angle      ? ldexp(1, -11)
                                 : near_one ? ldexp(1, -21)
                                            : fabs(want[k]) * ldexp(relative[k], -23);
            CHECKF(error <= bound, "%s(%a): %a, not %a", names[k], x, got, want[k]);
        }
    }
}

/* ---- pointers: nodes of 16 bytes, the next one's address first ---- */
enum { NODES = 64 };
struct node {
    uint64_t next;
    uint32_t value, visits;
};
static struct node *nodes;
static uint64_t first_node;

static bool has_pointers(void)
{
    return vk_features12.bufferDeviceAddress;
}

static void bind_pointer(struct vk_resources *add)
{
    (void)add; /* bound by its address alone */
    const VkDescriptorBufferInfo buffer =
        vk_buffer(NODES * sizeof *nodes,
                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                  (void **)&nodes);
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = buffer.buffer};
    first_node = vkGetBufferDeviceAddress(vk_dev, &info);
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i] = (struct node){.next = first_node + (i * 5 + 3) % NODES * sizeof *nodes,
                                 .value = i * 2246822519u};
    }
}

static void pass_pointer(unsigned pass, uint32_t push[16])
{
    (void)pass;
    memcpy(push, &first_node, sizeof first_node);
}

static uint32_t visits[NODES];

static void want_pointer(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t at = 0, r = 0;
        for (uint32_t k = 0; k < 5 + (vk_in[i] & 31); k++, at = (at * 5 + 3) % NODES) {
            r = r * 3 + at * 2246822519u;
            visits[at]++;
        }
        vk_want[i] = r;
    }
}

static void check_pointer(void)
{
    for (uint32_t i = 0; i < NODES; i++)
        CHECKF(nodes[i].visits == visits[i], "node %u: %u, not %u", i, nodes[i].visits, visits[i]);
}

static bool has_atomics64(void)
{
    return vk_features12.shaderBufferInt64Atomics;
}

static void want_atomics64(void)
{
    uint64_t *to = (uint64_t *)vk_want;
    for (uint32_t i = 0; i < N; i++) {
        const uint64_t x = vk_in[i] | (uint64_t)vk_in[i ^ 1] << 32;
        to[0] += x;
        to[1] ^= x;
        to[2] = x > to[2] ? x : to[2];
        to[3] |= x & 0x0f0f00000f0fu;
        /* 0, x, 3x are the old values; x + 1 the last stored. */
        to[16 + i] = x + 1 + 0 + x + x * 3;
    }
}

/* ---- whole subgroups: how wide is the driver's choice ---- */
static uint32_t *subgroup;

static void bind_subgroup(struct vk_resources *add)
{
    vk_add_buffer(add, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                  vk_buffer(N * 32, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, (void **)&subgroup));
}

static void check_subgroup(void)
{
    const uint32_t width = subgroup[0];
    REQUIRE(width == 8 || width == 16 || width == 32);
    for (uint32_t base = 0; base < N; base += width) {
        const uint32_t *x = vk_in + base;
        uint32_t sum = 0, min = UINT32_MAX, ballot = 0, some = 0, n_some = 0;
        bool any = false;
        for (uint32_t l = 0; l < width; l++) {
            sum += x[l];
            min = x[l] < min ? x[l] : min;
            ballot |= (x[l] >> 3 & 1) << l;
            if (x[l] & 16) {
                some += x[l] & 0xff;
                n_some++;
            } else {
                any |= x[l] & 32;
            }
        }
        for (uint32_t l = 0, so_far = 0, max = 0; l < width; l++) {
            const uint32_t *got = subgroup + (base + l) * 8;
            const uint32_t want[8] = {width,
                                      sum ^ min,
                                      so_far += x[l],
                                      max,
                                      ballot,
                                      x[3] + x[0] * 3,
                                      l < 2 ? 0 : x[l - 2],
                                      x[l] & 16 ? some + n_some * 65536 : any};
            max = x[l] > max ? x[l] : max;
            for (int k = 0; k < 8; k++)
                CHECKF(got[k] == want[k], "%u [%d]: 0x%x, not 0x%x", base + l, k, got[k], want[k]);
        }
    }
}

static const struct vk_test tests[] = {
    {.name = "divide", .want = want_divide, .groups = {128, 1, 1}},
    {.name = "bits", .want = want_bits, .groups = {128, 1, 1}},
    {.name = "pack", .want = want_pack, .groups = {128, 1, 1}},
    {.name = "spill", .want = want_spill, .groups = {64, 1, 1}},
    {.name = "many",
     .want = want_many,
     .groups = {128, 1, 1},
     .bind = bind_many,
     .check = check_many},
    {.name = "blocks", .want = want_blocks, .groups = {128, 1, 1}, .bind = bind_blocks},
    {.name = "atomics_old", .want = want_atomics_old, .groups = {64, 1, 1}},
    {.name = "storage8", .want = want_storage8, .groups = {128, 1, 1}, .offered = has_storage8},
    {.name = "storage16", .want = want_storage16, .groups = {128, 1, 1}, .offered = has_storage16},
    {.name = "int8", .want = want_int8, .groups = {128, 1, 1}, .offered = has_int8},
    {.name = "int16", .want = want_int16, .groups = {128, 1, 1}, .offered = has_int16},
    {.name = "float16", .want = want_float16, .groups = {128, 1, 1}, .offered = has_float16},
    {.name = "convert", .want = want_convert, .groups = {128, 1, 1}},
    {.name = "math",
     .want = want_nothing,
     .groups = {128, 1, 1},
     .bind = bind_math,
     .check = check_math},
    {.name = "pointer",
     .want = want_pointer,
     .groups = {128, 1, 1},
     .bind = bind_pointer,
     .n_passes = 1,
     .pass = pass_pointer,
     .offered = has_pointers,
     .check = check_pointer},
    {.name = "atomics64", .want = want_atomics64, .groups = {128, 1, 1}, .offered = has_atomics64},
    {.name = "subgroup_all",
     .want = want_nothing,
     .groups = {64, 1, 1},
     .bind = bind_subgroup,
     .check = check_subgroup},
};

int main(int argc, char **argv)
{
    return vk_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
