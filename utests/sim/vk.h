/* The host side of the programs that put Mesa's Vulkan driver on a simulated device: one device,
 * one compute queue, two storage buffers, more resources as a test names them. There is neither a
 * copy nor a clear nor a layout transition: those would be 3D draws. Buffers and linear images are
 * filled and read through mappings. */
#ifndef UTESTS_SIM_VK_H
#define UTESTS_SIM_VK_H

#include <stdint.h>
#include <vulkan/vulkan.h>

#include "utest.h"

#define VK(call) REQUIRE((call) == VK_SUCCESS)

enum { VK_WORDS = 16384 };

extern VkPhysicalDevice vk_phys;
extern VkDevice vk_dev;
extern VkPhysicalDeviceFeatures2 vk_features; /* all that the device offers, and so all enabled */
extern VkPhysicalDeviceVulkan11Features vk_features11;
extern VkPhysicalDeviceVulkan12Features vk_features12;
extern uint32_t vk_in[VK_WORDS];   /* binding 0 at the start of each test */
extern uint32_t vk_want[VK_WORDS]; /* what binding 1, zeros at first, must hold afterwards */

/* What a test binds besides the two storage buffers. */
struct vk_resource {
    uint32_t binding;
    VkDescriptorType type;
    uint32_t index; /* in an array of descriptors */
    VkDescriptorBufferInfo buffer;
    VkDescriptorImageInfo image;
};
enum { VK_MAX_RESOURCES = 40 };
struct vk_resources {
    unsigned n;
    struct vk_resource r[VK_MAX_RESOURCES];
};

struct vk_test {
    const char *name; /* shaders/NAME.comp */
    void (*want)(void);
    uint32_t groups[3];
    const char *variant; /* for reports; NULL: none */
    bool indirect;       /* the group counts come from a buffer */
    unsigned n_spec;     /* specialisation constants with ids from 0 */
    uint32_t spec[8];
    unsigned n_passes; /* dispatches in one command buffer, a barrier between; 0 = 1 */
    void (*pass)(unsigned pass, uint32_t push[16]); /* the push constants of each; NULL: vk_push */
    void (*bind)(struct vk_resources *add);        /* further resources; NULL: none */
    bool (*offered)(void); /* false: the device lacks what the shader needs; NULL: it never does */
    void (*check)(void);   /* looks at the test's own resources afterwards; NULL: none */
};
extern const uint32_t vk_push[16];

/* Skips the program if the driver that VK_ICD_FILENAMES names isn't installed; fails unless the
 * device is Intel's. */
void vk_open(void);
/* The whole program: opens the device, runs each with the shaders of the folder argv[1]; argv[2],
 * if there, names the only one to run. Returns the exit status. */
int vk_main(int argc, char **argv, const struct vk_test *tests, size_t n);

/* A buffer for one descriptor; *map is its memory. */
VkDescriptorBufferInfo vk_buffer(uint32_t size, VkBufferUsageFlags usage, void **map);

struct vk_image_desc {
    VkImageType type;
    VkImageViewType view;
    VkFormat format;
    uint32_t width, height, depth, layers, levels;
    VkImageTiling tiling;
    VkImageUsageFlags usage;
};
struct vk_image {
    VkImage image;
    VkImageView view;
    uint8_t *map;
    VkSubresourceLayout layout; /* of level 0, layer 0; only for linear tiling */
};
struct vk_image vk_image_new(const struct vk_image_desc *desc);
/* Adds to the test's resources; `sampler` may be VK_NULL_HANDLE. */
void vk_add_image(struct vk_resources *add, uint32_t binding, VkDescriptorType type,
                  const struct vk_image *image, VkSampler sampler);
void vk_add_buffer(struct vk_resources *add, uint32_t binding, uint32_t index,
                   VkDescriptorType type, VkDescriptorBufferInfo buffer);

#endif
