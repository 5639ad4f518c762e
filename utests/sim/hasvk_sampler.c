/* Mesa's Vulkan driver, unmodified, on a simulated device: sampled images. Coordinates lie on a
 * grid on which filters are exact, so that results must be equal bit by bit to what the
 * specification's formulas give here. */
#include "vk.h"

#include <math.h>

enum { W = 16, H = 8, D = 4, LAYERS = 5, N = 1024 };
static const VkSamplerAddressMode EDGE = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                  BORDER = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                  REPEAT = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                  MIRROR = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;

static float texel(int x, int y, int z, int c)
{
    return (float)((x * 7 + y * 13 + z * 29 + c * 5) % 64);
}

/* ---- what the shader binds ---- */

static VkSampler sampler(VkFilter filter, VkSamplerAddressMode mode, VkBorderColor border,
                         bool compare, bool unnormalised)
{
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .magFilter = filter,
                                      .minFilter = filter,
                                      .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                      .addressModeU = mode,
                                      .addressModeV = mode,
                                      .addressModeW = mode,
                                      .compareEnable = compare,
                                      .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                      .borderColor = border,
                                      .unnormalizedCoordinates = unnormalised};
    VkSampler s;
    VK(vkCreateSampler(vk_dev, &info, NULL, &s));
    return s;
}

/* An image of one level whose texels are texel(x, y, z or layer, channel). */
static struct vk_image image(VkImageType type, VkImageViewType view, VkFormat format, uint32_t h,
                             uint32_t d, uint32_t layers)
{
    struct vk_image i = vk_image_new(&(struct vk_image_desc){.type = type,
                                                             .view = view,
                                                             .format = format,
                                                             .width = W,
                                                             .height = h,
                                                             .depth = d,
                                                             .layers = layers,
                                                             .tiling = VK_IMAGE_TILING_LINEAR,
                                                             .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    const VkDeviceSize slice = layers > 1 ? i.layout.arrayPitch : i.layout.depthPitch;
    const uint32_t slices = layers > 1 ? layers : d;
    for (uint32_t z = 0; z < slices; z++) {
        for (uint32_t k = 0; k < h * W * 4; k++) {
            uint32_t x = k / 4 % W, y = k / 4 / W, c = k % 4;
            uint8_t *row = i.map + i.layout.offset + z * slice + y * i.layout.rowPitch;
            float v = texel((int)x, (int)y, (int)z, (int)c);
            if (format == VK_FORMAT_R32G32B32A32_SFLOAT)
                ((float *)row)[4 * x + c] = v;
            else if (format == VK_FORMAT_R32_SFLOAT && c == 0)
                ((float *)row)[x] = v;
            else if (format == VK_FORMAT_R8G8B8A8_UINT)
                row[4 * x + c] = (uint8_t)v;
        }
    }
    return i;
}

static void bind(struct vk_resources *add)
{
    const VkFilter near = VK_FILTER_NEAREST, linear = VK_FILTER_LINEAR;
    const VkBorderColor black = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
                        white = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    const VkFormat floats = VK_FORMAT_R32G32B32A32_SFLOAT;
    struct vk_image line = image(VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, floats, 1, 1, 1);
    struct vk_image lines =
        image(VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, floats, 1, 1, LAYERS);
    struct vk_image plane = image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, floats, H, 1, 1);
    struct vk_image layers =
        image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, floats, H, 1, LAYERS);
    struct vk_image volume = image(VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, floats, H, D, 1);
    struct vk_image bytes =
        image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UINT, H, 1, 1);
    struct vk_image depth =
        image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_SFLOAT, H, 1, 1);
    const struct {
        const struct vk_image *image;
        VkSampler sampler;
    } rows[] = {{&line, sampler(linear, EDGE, black, false, false)},
                {&lines, sampler(near, MIRROR, black, false, false)},
                {&plane, sampler(linear, REPEAT, black, false, false)},
                {&plane, sampler(near, BORDER, white, false, false)},
                {&layers, sampler(linear, BORDER, white, false, false)},
                {&volume, sampler(linear, MIRROR, black, false, false)},
                {&bytes, sampler(near, EDGE, black, false, false)},
                {&depth, sampler(linear, EDGE, black, true, false)},
                {&plane, sampler(linear, EDGE, black, false, true)}};
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        vk_add_image(add, 2 + i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, rows[i].image,
                     rows[i].sampler);
}

/* ---- the formulas ---- */

/* The texels at i, an index that may lie outside; -1: the border. */
static int wrap(VkSamplerAddressMode mode, int i, int n)
{
    int m = (i % (2 * n) + 2 * n) % (2 * n);
    if (mode == REPEAT)
        return m % n;
    if (mode == MIRROR)
        return m < n ? m : 2 * n - 1 - m;
    if (mode == BORDER)
        return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* References: a texel is replaced by whether the reference is at most it; negative: none. */
static float fetch(const int p[3], int c, float reference)
{
    if (p[0] < 0 || p[1] < 0 || p[2] < 0)
        return 1; /* opaque white */
    float t = texel(p[0], p[1], p[2], c);
    return reference < 0 ? t : reference <= t;
}

/* u: in texels; n: 1 in the dimensions that the image lacks; z: layer. */
static uint32_t linear(VkSamplerAddressMode mode, const float u[3], const int n[3], int layer,
                       int c, float reference, const int offset[2])
{
    float sum = 0;
    for (int t = 0; t < 8; t++) {
        int p[3] = {0, 0, layer};
        float weight = 1;
        for (int d = 0; d < 3; d++) {
            float f = floorf(u[d] - 0.5f), a = u[d] - 0.5f - f;
            if (n[d] > 1)
                p[d] = wrap(mode, (int)f + (t >> d & 1) + (d < 2 ? offset[d] : 0), n[d]);
            weight *= n[d] > 1 ? (t >> d & 1 ? a : 1 - a) : (t >> d & 1 ? 0 : 1);
        }
        sum += weight == 0 ? 0 : weight * fetch(p, c, reference);
    }
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

static uint32_t gather(VkSamplerAddressMode mode, const float u[3], int c, float reference,
                       const int offset[2])
{
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    uint32_t all = 0;
    for (int k = 0; k < 4; k++) {
        int x = (int)floorf(u[0] - 0.5f) + order[k][0] + offset[0];
        int y = (int)floorf(u[1] - 0.5f) + order[k][1] + offset[1];
        int p[3] = {wrap(mode, x, W), wrap(mode, y, H), 0};
        all |= (uint32_t)fetch(p, c, reference) << 8 * k;
    }
    return all;
}

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static void want(void)
{
    const int one[3] = {W, 1, 1}, two[3] = {W, H, 1}, three[3] = {W, H, D}, none[2] = {0, 0};
    const int size[3] = {W, H, D};
    for (uint32_t i = 0; i < N; i++) {
        uint32_t *b = vk_want + 16 * i, n[3];
        float c[3], p[3], texels[3] = {0};
        int q[3];
        for (int d = 0; d < 3; d++) {
            n[d] = vk_in[i + 1024 * d] >> 16 & 1023;
            c[d] = ((float)n[d] / 512 - 0.5f) * (float)size[d];
            p[d] = ((float)n[d] / 512 - 0.5f + 1.0f / 1024) * (float)size[d];
            texels[d] = (float)n[d] / 32 - 8;
            q[d] = (int)floorf(p[d]);
        }
        int layer = (int)rintf((float)(i % 8) - 1.7f);
        layer = layer < 0 ? 0 : layer > LAYERS - 1 ? LAYERS - 1 : layer;
        float reference = (float)(n[2] & 63);
        int at[3] = {wrap(BORDER, q[0], W), wrap(BORDER, q[1], H), 0};
        b[0] = linear(EDGE, c, one, 0, 0, -1, none);
        b[1] = float_bits(texel(wrap(MIRROR, q[0], W), 0, layer, 1));
        b[2] = linear(REPEAT, c, two, 0, 2, -1, none);
        b[3] = float_bits(fetch(at, 3, -1));
        b[4] = linear(BORDER, c, two, layer, 0, -1, none);
        b[5] = linear(MIRROR, c, three, 0, 1, -1, none);
        for (int k = 0; k < 4; k++)
            b[6] |= (uint32_t)texel(wrap(EDGE, q[0], W), wrap(EDGE, q[1], H), 0, k) << 8 * k;
        b[7] = float_bits(texel(n[0] & 15, n[1] & 7, n[2] & 3, 2));
        b[8] = gather(REPEAT, c, 1, -1, none);
        b[9] = linear(REPEAT, c, two, 0, 0, -1, (const int[2]){3, -2});
        b[10] = linear(EDGE, c, two, 0, 0, reference, none);
        b[11] = gather(EDGE, c, 0, reference, none);
        static const uint32_t sizes[8] = {W, H, D, W, H, LAYERS, W, H};
        for (int k = 0; k < 8; k++)
            b[12] = b[12] * 31 + sizes[k];
        b[13] = ((W * 31 + LAYERS) * 31 + W) * 31 + 1;
        b[14] = gather(REPEAT, c, 2, -1, (const int[2]){(int)(i & 7) - 4, (int)(i >> 3 & 7) - 4});
        b[15] = linear(EDGE, texels, two, 0, 0, -1, none);
    }
}

int main(int argc, char **argv)
{
    static const struct vk_test tests[] = {
        {.name = "sampling", .want = want, .groups = {N / 32, 1, 1}, .bind = bind}};
    return vk_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
