/* Storage images through Mesa's Vulkan driver, unmodified: formats, shapes, atomics, levels. Mesa
 * says where rows, slices and levels of its images lie (vkGetImageSubresourceLayout), the Vulkan
 * specification what the texels mean; tiled memory is looked at by the Y tile's formula. */
#include <math.h>

#include "vk.h"

enum { W = 21, H = 13, D = 5, PLACES = 512 };

static bool tiled; /* images of the running test */

static uint8_t *place(const struct vk_image *i, const VkSubresourceLayout *l, unsigned bytes,
                      unsigned x, unsigned y)
{
    uint64_t off = l->offset + (uint64_t)y * l->rowPitch + (uint64_t)x * bytes;
    if (tiled) {
        unsigned b = x * bytes, tiles = l->rowPitch / 128;
        off = l->offset + (uint64_t)(y / 32 * tiles + b / 128) * 4096 + b % 128 / 16 * 512 +
              y % 32 * 16 + b % 16;
    }
    return i->map + off;
}

static VkSubresourceLayout layout_of(VkImage image, uint32_t level, uint32_t layer)
{
    const VkImageSubresource r = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer};
    VkSubresourceLayout l;
    vkGetImageSubresourceLayout(vk_dev, image, &r, &l);
    return l;
}

static struct vk_image new_image(VkImageType type, VkImageViewType view, VkFormat format,
                                 uint32_t w, uint32_t h, uint32_t d, uint32_t layers)
{
    const struct vk_image_desc desc = {.type = type,
                                       .view = view,
                                       .format = format,
                                       .width = w,
                                       .height = h,
                                       .depth = d,
                                       .layers = layers,
                                       .tiling =
                                           tiled ? VK_IMAGE_TILING_OPTIMAL : VK_IMAGE_TILING_LINEAR,
                                       .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image i = vk_image_new(&desc);
    i.layout = layout_of(i.image, 0, 0);
    return i;
}

static uint32_t hash(uint32_t v)
{
    v = (v ^ v >> 16) * 0x45d9f3bu;
    v = (v ^ v >> 15) * 0x2c1b3c6du;
    return v ^ v >> 13;
}

/* ---- formats ---- */

enum kind { UNORM, SNORM, FLOAT, UINT, SINT };

static const struct format {
    const char *shader;
    VkFormat format;
    unsigned bytes, n, bits[4]; /* from the lowest bit up: red, green, blue, alpha */
    enum kind kind;
} formats[] = {
    {"image_float", VK_FORMAT_R8G8B8A8_UNORM, 4, 4, {8, 8, 8, 8}, UNORM},
    {"image_float", VK_FORMAT_R16G16B16A16_SFLOAT, 8, 4, {16, 16, 16, 16}, FLOAT},
    {"image_float", VK_FORMAT_R32_SFLOAT, 4, 1, {32}, FLOAT},
    {"image_float", VK_FORMAT_R32G32B32A32_SFLOAT, 16, 4, {32, 32, 32, 32}, FLOAT},
    {"image_norm", VK_FORMAT_R8G8B8A8_SNORM, 4, 4, {8, 8, 8, 8}, SNORM},
    {"image_norm", VK_FORMAT_R16G16B16A16_UNORM, 8, 4, {16, 16, 16, 16}, UNORM},
    {"image_norm", VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, 4, {10, 10, 10, 2}, UNORM},
    {"image_norm", VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, 3, {11, 11, 10}, FLOAT},
    {"image_uint", VK_FORMAT_R32_UINT, 4, 1, {32}, UINT},
    {"image_uint", VK_FORMAT_R8G8B8A8_UINT, 4, 4, {8, 8, 8, 8}, UINT},
    {"image_uint", VK_FORMAT_R16G16B16A16_UINT, 8, 4, {16, 16, 16, 16}, UINT},
    {"image_uint", VK_FORMAT_R32G32_UINT, 8, 2, {32, 32}, UINT},
    {"image_sint", VK_FORMAT_R32_SINT, 4, 1, {32}, SINT},
    {"image_sint", VK_FORMAT_R8G8B8A8_SINT, 4, 4, {8, 8, 8, 8}, SINT},
    {"image_sint", VK_FORMAT_R16_SINT, 2, 1, {16}, SINT},
    {"image_sint", VK_FORMAT_R32G32B32A32_SINT, 16, 4, {32, 32, 32, 32}, SINT},
};

static struct vk_image from[4], to[4];
static const struct format *four; /* the running test's */

/* A code of part c of texel `at`: any, but small normal numbers of the float formats. */
static uint32_t code_of(const struct format *f, unsigned at, unsigned c)
{
    uint32_t v = hash(at * 4 + c + f->bytes);
    unsigned bits = f->bits[c];
    if (f->kind == FLOAT && bits == 32)
        return (v & 0x80ffffffu) | (100 + (v >> 25) % 56) << 23;
    if (f->kind == FLOAT) {
        unsigned mantissa = bits == 16 ? 10 : bits - 5;
        return (bits == 16 ? v >> 31 << 15 : 0) | (1 + (v >> 20) % 30) << mantissa |
               (v & ((1u << mantissa) - 1));
    }
    if (f->kind == SNORM &&
        (v & 0xff) == 0x80) /* the second code of -1 is written back as the first */
        v++;
    return bits == 32 ? v : v & ((1u << bits) - 1);
}

static void put_texel(const struct format *f, unsigned at, uint8_t *to_memory)
{
    uint64_t w[2] = {0, 0};
    for (unsigned c = 0, lo = 0; c < f->n; lo += f->bits[c++])
        w[lo / 64] |= (uint64_t)code_of(f, at, c) << lo % 64;
    memcpy(to_memory, w, f->bytes);
}

/* What the shader makes of channel c: codes of normalised formats, bits of the others. */
static uint32_t want_channel(const struct format *f, unsigned at, unsigned c)
{
    static const uint32_t one[] = {
        [UNORM] = 0, [SNORM] = 127, [FLOAT] = 0x3f800000, [UINT] = 1, [SINT] = 1};
    if (c >= f->n)
        return c == 3 ? one[f->kind] : 0;
    uint32_t v = code_of(f, at, c);
    unsigned bits = f->bits[c];
    if (f->kind == SNORM || f->kind == SINT)
        return (uint32_t)((int32_t)(v << (32 - bits)) >> (32 - bits));
    if (f->kind != FLOAT || bits == 32)
        return v;
    unsigned mantissa = bits == 16 ? 10 : bits - 5;
    float r = ldexpf((float)(v & ((1u << mantissa) - 1)) + (float)(1u << mantissa),
                     (int)(v >> mantissa & 31) - 15 - (int)mantissa);
    r = bits == 16 && v >> 15 ? -r : r;
    memcpy(&v, &r, 4);
    return v;
}

static bool formats_offered(const char *shader)
{
    for (unsigned k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        VkFormatProperties p;
        if (strcmp(formats[k].shader, shader) != 0)
            continue;
        vkGetPhysicalDeviceFormatProperties(vk_phys, formats[k].format, &p);
        if (!(p.optimalTilingFeatures & p.linearTilingFeatures &
              VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT))
            return false;
    }
    return true;
}

static bool norm_offered(void)
{
    return formats_offered("image_norm") && vk_features.features.shaderStorageImageExtendedFormats;
}

static void bind_formats(struct vk_resources *add, const char *shader, bool optimal)
{
    tiled = optimal;
    four = formats;
    while (strcmp(four->shader, shader) != 0)
        four++;
    for (unsigned k = 0; k < 4; k++) {
        const struct format *f = &four[k];
        from[k] = new_image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, f->format, W, H, 1, 1);
        to[k] = new_image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, f->format, W, H, 1, 1);
        for (unsigned at = 0; at < W * H; at++)
            put_texel(f, at, place(&from[k], &from[k].layout, f->bytes, at % W, at / W));
        vk_add_image(add, 2 + 2 * k, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &from[k], VK_NULL_HANDLE);
        vk_add_image(add, 3 + 2 * k, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &to[k], VK_NULL_HANDLE);
    }
}

#define BIND(shader)                                                                               \
    static void bind_##shader(struct vk_resources *add)                                            \
    {                                                                                              \
        bind_formats(add, "image_" #shader, false);                                                \
    }                                                                                              \
    static void bind_##shader##_tiled(struct vk_resources *add)                                    \
    {                                                                                              \
        bind_formats(add, "image_" #shader, true);                                                 \
    }
BIND(float)
BIND(norm)
BIND(uint)
BIND(sint)
#undef BIND

static void want_formats(void)
{
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned at = 0; at < W * H; at++) {
            for (unsigned c = 0; c < 4; c++)
                vk_want[(k * PLACES + at) * 4 + c] = want_channel(&four[k], at, c);
        }
    }
}

static void check_formats(void)
{
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned at = 0; at < W * H; at++) {
            uint8_t want[16];
            unsigned q = W * H - 1 - at;
            put_texel(&four[k], at, want);
            const uint8_t *got = place(&to[k], &to[k].layout, four[k].bytes, q % W, q / W);
            CHECKF(memcmp(got, want, four[k].bytes) == 0,
                   "%s image %u, texel %u: %02x%02x, not %02x%02x", four->shader, k, at, got[1],
                   got[0], want[1], want[0]);
        }
    }
}

/* ---- shapes ---- */

enum { SHAPE_3D = 3 };
static bool optimal; /* images of the running test, but for the 1D ones */

static const struct shape {
    VkImageType type;
    VkImageViewType view;
    uint32_t w, h, d, layers;
    bool linear; /* however it is asked for: 1D images aren't tiled */
} shapes[4] = {
    {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, W, 1, 1, 1, true},
    {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, W, 1, 1, D, true},
    {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, W, H, 1, D, false},
    {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, W, H, D, 1, false},
};

/* Slice z: arrayPitch (3D: depthPitch) bytes, which are whole rows, further down. */
static uint8_t *shape_place(const struct vk_image *i, unsigned k, unsigned x, unsigned y,
                            unsigned z)
{
    tiled = optimal && !shapes[k].linear;
    const VkSubresourceLayout *l = &i->layout;
    uint64_t slice = k == SHAPE_3D ? l->depthPitch : l->arrayPitch;
    if (!tiled)
        return place(i, l, 4, x, y) + z * slice;
    return place(i, l, 4, x, y + z * (unsigned)(slice / l->rowPitch));
}

static uint32_t shape_value(unsigned k, unsigned x, unsigned y, unsigned z)
{
    return hash(k * 4096 + (z * H + y) * W + x);
}

#define EACH_TEXEL(s)                                                                              \
    for (unsigned z = 0; z < (s)->d * (s)->layers; z++)                                            \
        for (unsigned y = 0; y < (s)->h; y++)                                                      \
            for (unsigned x = 0; x < (s)->w; x++)

static void bind_shapes(struct vk_resources *add)
{
    for (unsigned k = 0; k < 4; k++) {
        const struct shape *s = &shapes[k];
        tiled = optimal && !s->linear;
        from[k] = new_image(s->type, s->view, VK_FORMAT_R32_UINT, s->w, s->h, s->d, s->layers);
        to[k] = new_image(s->type, s->view, VK_FORMAT_R32_UINT, s->w, s->h, s->d, s->layers);
        EACH_TEXEL(s)
        {
            uint32_t v = shape_value(k, x, y, z);
            memcpy(shape_place(&from[k], k, x, y, z), &v, 4);
        }
        vk_add_image(add, 2 + 2 * k, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &from[k], VK_NULL_HANDLE);
        vk_add_image(add, 3 + 2 * k, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &to[k], VK_NULL_HANDLE);
    }
}

static void bind_shapes_linear(struct vk_resources *add)
{
    optimal = false;
    bind_shapes(add);
}

static void bind_shapes_tiled(struct vk_resources *add)
{
    optimal = true;
    bind_shapes(add);
}

static void want_shapes(void)
{
    static const uint32_t sizes[] = {W, W, D, W, H, D, W, H, D};
    for (unsigned k = 0; k < 4; k++) {
        EACH_TEXEL(&shapes[k])
        vk_want[(3 - k) * 2048 + (z * shapes[k].h + y) * W + x] = shape_value(k, x, y, z);
    }
    memcpy(vk_want + 8192, sizes, sizeof sizes);
}

static void check_shapes(void)
{
    for (unsigned k = 0; k < 4; k++) {
        const struct shape *s = &shapes[k];
        EACH_TEXEL(s)
        {
            uint32_t got,
                want = shape_value(k, s->w - 1 - x, s->h - 1 - y, s->d * s->layers - 1 - z);
            memcpy(&got, shape_place(&to[k], k, x, y, z), 4);
            CHECKF(got == want, "shape %u at (%u, %u, %u): 0x%x, not 0x%x", k, x, y, z, got, want);
        }
    }
}

/* ---- atomics ---- */

static void bind_atomics(struct vk_resources *add)
{
    tiled = false;
    from[0] = new_image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, 24, 64, 1, 1);
    from[1] =
        new_image(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32_SINT, 8, 1, 1, 3);
    for (unsigned x = 0; x < 8; x++) { /* minimum and "and" start at all ones */
        memset(place(&from[0], &from[0].layout, 4, x, 1), 0xff, 4);
        memset(place(&from[0], &from[0].layout, 4, x, 3), 0xff, 4);
    }
    for (unsigned i = 0; i < 256; i++) {
        uint32_t zero_or_one = i % 3 == 0;
        memcpy(place(&from[0], &from[0].layout, 4, 14 + i % 4, i / 4), &zero_or_one, 4);
    }
    for (unsigned k = 0; k < 2; k++)
        vk_add_image(add, 2 + k, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &from[k], VK_NULL_HANDLE);
}

static void want_atomics(void)
{
    for (unsigned i = 0; i < 256; i++) {
        vk_want[i] = 1; /* every ticket once */
        vk_want[2048 + i] = i % 3 == 0;
    }
}

static uint32_t word(const struct vk_image *i, unsigned x, unsigned y)
{
    uint32_t v;
    memcpy(&v, place(i, &i->layout, 4, x, y), 4);
    return v;
}

static void check_atomics(void)
{
    for (unsigned x = 0; x < 8; x++) {
        uint32_t add = 0, min = ~0u, max = 0, and = ~0u, or = 0, xor = 0;
        int32_t s_min = 0, s_max = 0, s_add = 0;
        for (unsigned i = x; i < 256; i += 8) {
            uint32_t v = vk_in[i];
            add += v;
            min = v < min ? v : min;
            max = v > max ? v : max;
            and &= v | 0xffff;
            or |= v & 0xffff0000;
            xor ^= v;
            s_min = (int32_t)v < s_min ? (int32_t)v : s_min;
            s_max = (int32_t)v > s_max ? (int32_t)v : s_max;
            s_add -= (int32_t)(v & 0xffff);
        }
        const uint32_t want[6] = {add, min, max, and, or, xor};
        for (unsigned y = 0; y < 6; y++)
            CHECKF(word(&from[0], x, y) == want[y], "atomic %u at %u: 0x%x, not 0x%x", y, x,
                   word(&from[0], x, y), want[y]);
        const int32_t s_want[3] = {s_add, s_min, s_max};
        for (unsigned z = 0; z < 3; z++) {
            int32_t got;
            memcpy(&got, place(&from[1], &from[1].layout, 4, x, 0) + z * from[1].layout.arrayPitch,
                   4);
            CHECKF(got == s_want[z], "signed atomic %u at %u: %d, not %d", z, x, got, s_want[z]);
        }
    }
    CHECK(word(&from[0], 8, 0) == 256);
    for (unsigned i = 0; i < 256; i++) {
        uint32_t want = i % 3 == 0 ? 1 : 0;
        CHECK(word(&from[0], 9 + i % 4, i / 4) == i + 7);
        CHECK(word(&from[0], 14 + i % 4, i / 4) == ((vk_in[i] & 1) == want ? i : want));
    }
}

/* ---- levels ---- */

enum { LEVELS = 3, LW = 50, LH = 38 };
static VkSubresourceLayout level[LEVELS];
static uint32_t level_rows; /* of level 0 */

static uint32_t extent(uint32_t of_level_0, unsigned l)
{
    return of_level_0 >> l ? of_level_0 >> l : 1;
}

/* Each level through a view of its own; of an array that of its layer 2. */
static void bind_levels_of(struct vk_resources *add, const struct vk_image_desc *shape,
                           uint32_t layer)
{
    struct vk_image_desc desc = *shape;
    tiled = false;
    desc.format = VK_FORMAT_R32_UINT;
    desc.width = LW;
    desc.levels = LEVELS;
    desc.tiling = VK_IMAGE_TILING_LINEAR;
    desc.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    level_rows = desc.height;
    from[0] = vk_image_new(&desc);
    for (uint32_t l = 0; l < LEVELS; l++) {
        const VkImageViewType view =
            desc.type == VK_IMAGE_TYPE_2D ? VK_IMAGE_VIEW_TYPE_2D : desc.view;
        const VkImageViewCreateInfo vci = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .image = from[0].image,
            .viewType = view,
            .format = VK_FORMAT_R32_UINT,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, l, 1, layer, 1}};
        struct vk_image one = from[0];
        VK(vkCreateImageView(vk_dev, &vci, NULL, &one.view));
        level[l] = layout_of(one.image, l, layer);
        for (unsigned y = 0; y < extent(level_rows, l); y++) {
            for (unsigned x = 0; x < extent(LW, l); x++) {
                uint32_t v = hash(l * 10000 + y * 64 + x);
                memcpy(place(&one, &level[l], 4, x, y), &v, 4);
            }
        }
        vk_add_image(add, 2 + l, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &one, VK_NULL_HANDLE);
    }
}

static void bind_levels(struct vk_resources *add)
{
    const struct vk_image_desc shape = {
        .type = VK_IMAGE_TYPE_2D, .view = VK_IMAGE_VIEW_TYPE_2D, .height = LH};
    bind_levels_of(add, &shape, 0);
}

static void bind_levels_array(struct vk_resources *add)
{
    const struct vk_image_desc shape = {
        .type = VK_IMAGE_TYPE_2D, .view = VK_IMAGE_VIEW_TYPE_2D_ARRAY, .height = LH, .layers = 3};
    bind_levels_of(add, &shape, 2);
}

static void bind_levels_1d(struct vk_resources *add)
{
    const struct vk_image_desc shape = {
        .type = VK_IMAGE_TYPE_1D, .view = VK_IMAGE_VIEW_TYPE_1D, .height = 1};
    bind_levels_of(add, &shape, 0);
}

static void bind_levels_3d(struct vk_resources *add)
{
    const struct vk_image_desc shape = {
        .type = VK_IMAGE_TYPE_3D, .view = VK_IMAGE_VIEW_TYPE_3D, .height = LH, .depth = 7};
    bind_levels_of(add, &shape, 0);
}

static void want_levels(void)
{
    for (unsigned l = 0; l < LEVELS; l++) {
        for (unsigned y = 0; y < extent(level_rows, l); y++) {
            for (unsigned x = 0; x < extent(LW, l); x++)
                vk_want[l * 4096 + y * 64 + x] = hash(l * 10000 + y * 64 + x);
        }
    }
}

static void check_levels(void)
{
    static const uint32_t base[LEVELS] = {1000, 200000, 3000000};
    for (unsigned l = 0; l < LEVELS; l++) {
        for (unsigned y = 0; y < extent(level_rows, l); y++) {
            for (unsigned x = 0; x < extent(LW, l); x++) {
                uint32_t v;
                memcpy(&v, place(&from[0], &level[l], 4, x, y), 4);
                CHECKF(v == base[l] + y * 64 + x, "level %u (%u, %u): %u", l, x, y, v);
            }
        }
    }
}

#define FORMATS(SHADER, OFFERED)                                                                   \
    {.name = "image_" #SHADER,                                                                     \
     .want = want_formats,                                                                         \
     .groups = {3, 4, 1},                                                                          \
     .bind = bind_##SHADER,                                                                        \
     .offered = OFFERED,                                                                           \
     .check = check_formats},                                                                      \
    {                                                                                              \
        .name = "image_" #SHADER, .variant = "tiled", .want = want_formats, .groups = {3, 4, 1},   \
        .bind = bind_##SHADER##_tiled, .offered = OFFERED, .check = check_formats                  \
    }

static const struct vk_test tests[] = {
    FORMATS(float, NULL),
    FORMATS(norm, norm_offered),
    FORMATS(uint, NULL),
    FORMATS(sint, norm_offered), /* r16i is one of the extended formats */
    {.name = "image_shapes",
     .want = want_shapes,
     .groups = {3, 7, 3},
     .bind = bind_shapes_linear,
     .check = check_shapes},
    {.name = "image_shapes",
     .variant = "tiled",
     .want = want_shapes,
     .groups = {3, 7, 3},
     .bind = bind_shapes_tiled,
     .check = check_shapes},
    {.name = "image_atomics",
     .want = want_atomics,
     .groups = {4, 1, 1},
     .bind = bind_atomics,
     .check = check_atomics},
    {.name = "image_levels",
     .want = want_levels,
     .groups = {8, 8, 1},
     .bind = bind_levels,
     .check = check_levels},
    {.name = "image_levels",
     .variant = "layer 2",
     .want = want_levels,
     .groups = {8, 8, 1},
     .bind = bind_levels_array,
     .check = check_levels},
    {.name = "image_levels_1d",
     .want = want_levels,
     .groups = {8, 8, 1},
     .bind = bind_levels_1d,
     .check = check_levels},
    {.name = "image_levels_3d",
     .want = want_levels,
     .groups = {8, 8, 1},
     .bind = bind_levels_3d,
     .check = check_levels},
};

int main(int argc, char **argv)
{
    return vk_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
