/* Mesa's Vulkan driver, unmodified, on a simulated device: sampled images. Coordinates lie on a
 * grid on which filters are exact, so that results must be equal bit by bit to what the
 * specification's formulas give here. */
#include "vk.h"

#include <math.h>

enum { W = 16, H = 8, D = 4, LAYERS = 5, N = 1024 };
static const VkSamplerAddressMode EDGE = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                  BORDER = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                  REPEAT = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                  MIRROR = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
                                  ONCE = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;

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

static uint16_t half(float f) /* of small integers */
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u ? (uint16_t)((u >> 13) - (112 << 10)) : 0;
}

/* What texel (x, y, z) of a format holds, from texel(). */
static void put(VkFormat format, uint8_t *to, int x, int y, int z)
{
    float f[4];
    uint32_t u[4];
    for (int c = 0; c < 4; c++) {
        f[c] = texel(x, y, z, c);
        u[c] = (uint32_t)f[c];
    }
    for (int c = 0; c < 4; c++) {
        if (format == VK_FORMAT_R32G32B32A32_SFLOAT || (format == VK_FORMAT_R32_SFLOAT && c == 0))
            ((float *)to)[c] = f[c];
        else if (format == VK_FORMAT_R32G32B32A32_UINT ||
                 (format == VK_FORMAT_R32G32_UINT && c < 2))
            ((uint32_t *)to)[c] = u[c] * 0x1234567;
        else if (format == VK_FORMAT_R16G16B16A16_SINT)
            ((int16_t *)to)[c] = (int16_t)(u[c] - 32);
        else if (format == VK_FORMAT_R16G16B16A16_SFLOAT)
            ((uint16_t *)to)[c] = half(f[c]);
        else if (format == VK_FORMAT_R8G8B8A8_UINT)
            to[c] = (uint8_t)u[c];
        else if (format == VK_FORMAT_R8G8B8A8_SNORM)
            to[c] = (uint8_t)(2 * u[c] - 64);
        else if (format == VK_FORMAT_B8G8R8A8_UNORM)
            to[c == 3 ? 3 : 2 - c] = (uint8_t)(4 * u[c]);
    }
    if (format == VK_FORMAT_R5G6B5_UNORM_PACK16)
        *(uint16_t *)to = (uint16_t)(u[0] / 2 << 11 | u[1] << 5 | u[2] / 2);
    else if (format == VK_FORMAT_A2B10G10R10_UNORM_PACK32)
        *(uint32_t *)to = u[0] * 16 | u[1] * 16 << 10 | u[2] * 16 << 20 | (u[3] & 3) << 30;
}

static uint32_t texel_size(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R32G32B32A32_SFLOAT:
    case VK_FORMAT_R32G32B32A32_UINT:
        return 16;
    case VK_FORMAT_R16G16B16A16_SINT:
    case VK_FORMAT_R16G16B16A16_SFLOAT:
    case VK_FORMAT_R32G32_UINT:
        return 8;
    case VK_FORMAT_R5G6B5_UNORM_PACK16:
        return 2;
    default:
        return 4;
    }
}

/* A linear image of one level. */
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
    const uint32_t slices = layers > 1 ? layers : d, size = texel_size(format);
    for (uint32_t z = 0; z < slices; z++) {
        for (uint32_t y = 0; y < h; y++) {
            uint8_t *row = i.map + i.layout.offset + z * slice + y * i.layout.rowPitch;
            for (uint32_t x = 0; x < W; x++)
                put(format, row + x * size, (int)x, (int)y, (int)z);
        }
    }
    return i;
}

static struct vk_image plane_of(VkFormat format)
{
    return image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, format, H, 1, 1);
}

struct bound {
    const struct vk_image *image;
    VkSampler sampler;
};

static void add_all(struct vk_resources *add, const struct bound *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        vk_add_image(add, 2 + i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, rows[i].image,
                     rows[i].sampler);
}

static VkImageView view_of(VkImage of, VkFormat format, uint32_t level,
                           VkComponentMapping components)
{
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = of,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .components = components,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1}};
    VkImageView view;
    VK(vkCreateImageView(vk_dev, &info, NULL, &view));
    return view;
}

static void bind_sampling(struct vk_resources *add)
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
    struct vk_image bytes = plane_of(VK_FORMAT_R8G8B8A8_UINT);
    struct vk_image depth = plane_of(VK_FORMAT_R32_SFLOAT);
    const struct bound rows[] = {{&line, sampler(linear, EDGE, black, false, false)},
                                 {&lines, sampler(near, MIRROR, black, false, false)},
                                 {&plane, sampler(linear, REPEAT, black, false, false)},
                                 {&plane, sampler(near, BORDER, white, false, false)},
                                 {&layers, sampler(linear, BORDER, white, false, false)},
                                 {&volume, sampler(linear, MIRROR, black, false, false)},
                                 {&bytes, sampler(near, EDGE, black, false, false)},
                                 {&depth, sampler(linear, EDGE, black, true, false)},
                                 {&plane, sampler(linear, EDGE, black, false, true)}};
    add_all(add, rows, sizeof rows / sizeof rows[0]);
}

/* Integer borders: ones only where Mesa's colour has the layout of all generations (its one of
 * Haswell has four dwords whatever the format). */
static void bind_formats(struct vk_resources *add)
{
    const VkFilter near = VK_FILTER_NEAREST, linear = VK_FILTER_LINEAR;
    const VkBorderColor white = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
                        zeros = VK_BORDER_COLOR_INT_TRANSPARENT_BLACK,
                        ones = VK_BORDER_COLOR_INT_OPAQUE_WHITE;
    const VkFormat floats = VK_FORMAT_R32G32B32A32_SFLOAT;
    struct vk_image line = image(VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, floats, 1, 1, 1);
    struct vk_image swizzled = plane_of(floats), once = swizzled;
    swizzled.view =
        view_of(swizzled.image, floats, 0,
                (VkComponentMapping){VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_ONE,
                                     VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_R});
    struct vk_image integers[4] = {
        plane_of(VK_FORMAT_R8G8B8A8_UINT), plane_of(VK_FORMAT_R16G16B16A16_SINT),
        plane_of(VK_FORMAT_R32G32B32A32_UINT), plane_of(VK_FORMAT_R32G32_UINT)};
    struct vk_image others[5] = {
        plane_of(VK_FORMAT_B8G8R8A8_UNORM), plane_of(VK_FORMAT_R16G16B16A16_SFLOAT),
        plane_of(VK_FORMAT_R5G6B5_UNORM_PACK16), plane_of(VK_FORMAT_A2B10G10R10_UNORM_PACK32),
        plane_of(VK_FORMAT_R8G8B8A8_SNORM)};
    struct bound rows[12] = {{&line, sampler(linear, BORDER, white, false, false)}};
    for (int i = 0; i < 4; i++)
        rows[1 + i] =
            (struct bound){&integers[i], sampler(near, BORDER, i < 2 ? zeros : ones, false, false)};
    rows[5] = (struct bound){&swizzled, sampler(linear, EDGE, white, false, false)};
    for (int i = 0; i < 5; i++)
        rows[6 + i] = (struct bound){&others[i], sampler(linear, EDGE, white, false, false)};
    rows[11] = (struct bound){&once, sampler(linear, ONCE, white, false, false)};
    add_all(add, rows, 12);
}

/* Four levels, written by the shader's first pass. */
static void bind_levels(struct vk_resources *add)
{
    const VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    struct vk_image levels = vk_image_new(
        &(struct vk_image_desc){.type = VK_IMAGE_TYPE_2D,
                                .view = VK_IMAGE_VIEW_TYPE_2D,
                                .format = format,
                                .width = 16,
                                .height = 16,
                                .levels = 4,
                                .tiling = VK_IMAGE_TILING_OPTIMAL,
                                .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT});
    for (uint32_t i = 0; i < 2; i++) {
        const VkFilter filter = i ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
        const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                          .magFilter = filter,
                                          .minFilter = filter,
                                          .mipmapMode = i ? VK_SAMPLER_MIPMAP_MODE_NEAREST
                                                          : VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                          .addressModeU = REPEAT,
                                          .addressModeV = REPEAT,
                                          .minLod = i ? 0 : 0.25f,
                                          .maxLod = i ? VK_LOD_CLAMP_NONE : 2.5f};
        VkSampler s;
        VK(vkCreateSampler(vk_dev, &info, NULL, &s));
        vk_add_image(add, 2 + i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &levels, s);
    }
    for (uint32_t i = 0; i < 4; i++) {
        struct vk_image one = levels;
        one.view = view_of(levels.image, format, i, (VkComponentMapping){0});
        vk_add_image(add, 4 + i, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &one, VK_NULL_HANDLE);
    }
}

static void pass_number(unsigned pass, uint32_t push[16])
{
    push[0] = pass;
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
    if (mode == ONCE && i < 0)
        i = -1 - i;
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

static void want_sampling(void)
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

static uint32_t mix4(const uint32_t v[4])
{
    return ((v[0] * 31 + v[1]) * 31 + v[2]) * 31 + v[3];
}

/* Channels of an integer image at a place, or the border. */
static uint32_t integers(int x, int y, unsigned n, uint32_t factor, int32_t add, uint32_t border)
{
    uint32_t v[4] = {0, 0, 0, 1};
    for (unsigned c = 0; c < n; c++)
        v[c] = x < 0 || y < 0 ? border : (uint32_t)texel(x, y, 0, (int)c) * factor + (uint32_t)add;
    return mix4(v);
}

static uint32_t floats(const float f[4])
{
    uint32_t v[4];
    memcpy(v, f, sizeof v);
    return mix4(v);
}

static void want_formats(void)
{
    const int one[3] = {W, 1, 1}, two[3] = {W, H, 1}, none[2] = {0, 0};
    for (uint32_t i = 0; i < N; i++) {
        uint32_t *b = vk_want + 16 * i, n[2], v[4];
        float c[3] = {0};
        int x[2], t[4];
        for (int d = 0; d < 2; d++) {
            float size = d ? H : W;
            n[d] = vk_in[i + 1024 * d] >> 16 & 1023;
            c[d] = ((float)n[d] / 512 - 0.5f) * size;
            x[d] = (int)floorf(((float)n[d] / 512 - 0.5f + 1.0f / 1024) * size);
        }
        int bx = wrap(BORDER, x[0], W), by = wrap(BORDER, x[1], H);
        for (int k = 0; k < 4; k++)
            t[k] = (int)texel(n[0] & 15, n[1] & 7, 0, k);
        b[0] = linear(BORDER, c, one, 0, 0, -1, none);
        b[1] = integers(bx, by, 4, 1, 0, 0);
        b[2] = integers(bx, by, 4, 1, -32, 0);
        b[3] = integers(bx, by, 4, 0x1234567, 0, 1);
        b[4] = integers(bx, by, 2, 0x1234567, 0, 1);
        b[5] = mix4((const uint32_t[4]){linear(EDGE, c, two, 0, 1, -1, none), float_bits(1), 0,
                                        linear(EDGE, c, two, 0, 0, -1, none)});
        b[6] = floats((const float[4]){4 * t[0] / 255.0f, 4 * t[1] / 255.0f, 4 * t[2] / 255.0f,
                                       4 * t[3] / 255.0f});
        for (int k = 0; k < 4; k++)
            v[k] = linear(EDGE, c, two, 0, k, -1, none);
        b[7] = mix4(v);
        b[8] = floats((const float[4]){t[0] / 2 / 31.0f, t[1] / 63.0f, t[2] / 2 / 31.0f, 1});
        b[9] = floats((const float[4]){16 * t[0] / 1023.0f, 16 * t[1] / 1023.0f,
                                       16 * t[2] / 1023.0f, (t[3] & 3) / 3.0f});
        b[10] = floats((const float[4]){(2 * t[0] - 64) / 127.0f, (2 * t[1] - 64) / 127.0f,
                                        (2 * t[2] - 64) / 127.0f, (2 * t[3] - 64) / 127.0f});
        static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        for (int k = 0; k < 4; k++) {
            float size[2] = {W, H}, at[2];
            int p[2];
            for (int d = 0; d < 2; d++) {
                at[d] = ((float)n[d] / 512 - 0.5f + 1.0f / 1024) * size[d] - 0.5f;
                p[d] = wrap(BORDER, (int)floorf(at[d]) + order[k][d], (int)size[d]);
            }
            v[k] = p[0] < 0 || p[1] < 0 ? 1 : (uint32_t)texel(p[0], p[1], 0, 2) * 0x1234567;
        }
        b[11] = mix4(v);
        const float twice[3] = {2 * c[0], 2 * c[1]};
        b[12] = linear(ONCE, twice, two, 0, 2, -1, none);
        b[13] = linear(ONCE, c, two, 0, 2, -1, (const int[2]){-5, 4});
    }
}

/* A level of the 16 x 16 image, filtered or not; u: 0 to 1. */
static float level(const float u[2], int lod, int c, bool filtered)
{
    float size = (float)(16 >> lod), sum = 0, weight[2][2];
    int n = 16 >> lod, at[2][2];
    for (int d = 0; d < 2; d++) {
        float t = u[d] * size - (filtered ? 0.5f : 0), a = filtered ? t - floorf(t) : 0;
        weight[d][0] = 1 - a;
        weight[d][1] = a;
        for (int k = 0; k < 2; k++)
            at[d][k] = wrap(REPEAT, (int)floorf(t) + k, n);
    }
    for (int k = 0; k < 4; k++)
        sum += weight[0][k & 1] * weight[1][k >> 1] * texel(at[0][k & 1], at[1][k >> 1], lod, c);
    return sum;
}

static void want_levels(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t *b = vk_want + 8 * i;
        float c[2], p[2], lod = (float)(i % 40) / 8 - 0.5f;
        for (int d = 0; d < 2; d++) {
            c[d] = (float)(vk_in[i + 1024 * d] >> 16 & 255) / 128 - 0.5f;
            p[d] = c[d] + 1.0f / 512;
        }
        float clamped = fminf(fmaxf(lod, 0.25f), 2.5f), a = clamped - floorf(clamped);
        int first = (int)clamped, nearest = (int)fminf(fmaxf(rintf(lod + 0.0625f), 0), 3);
        b[0] = float_bits((1 - a) * level(c, first, 0, true) +
                          (a > 0 ? a * level(c, first + 1, 0, true) : 0));
        b[1] = float_bits(level(p, nearest, 1, false));
        int l = (int)(i % 4), x = (int)(i >> 3 & 1), y = (int)(i >> 7 & 1);
        b[2] = float_bits(texel(x, y, l, 2));
        b[3] = (uint32_t)((16 >> l) * 1000 + (16 >> l) * 10 + 4);
        b[4] = float_bits(level(p, l, 3, false));
    }
}

int main(int argc, char **argv)
{
    static const struct vk_test tests[] = {
        {.name = "sampling",
         .want = want_sampling,
         .groups = {N / 32, 1, 1},
         .bind = bind_sampling},
        {.name = "formats", .want = want_formats, .groups = {N / 32, 1, 1}, .bind = bind_formats},
        {.name = "levels",
         .want = want_levels,
         .groups = {N / 32, 1, 1},
         .bind = bind_levels,
         .n_passes = 2,
         .pass = pass_number}};
    return vk_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
