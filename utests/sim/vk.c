/* See vk.h. Objects live to the end of the process: a test program is short. */
#include "vk.h"

#include <unistd.h>

VkPhysicalDevice vk_phys;
VkDevice vk_dev;
VkPhysicalDeviceVulkan12Features vk_features12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
VkPhysicalDeviceVulkan11Features vk_features11 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &vk_features12};
VkPhysicalDeviceFeatures2 vk_features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                         .pNext = &vk_features11};
uint32_t vk_in[VK_WORDS], vk_want[VK_WORDS];
const uint32_t vk_push[16] = {2654435761u, 77, 64, 20, 5, 6, 7, 8};

static VkQueue queue;
static VkCommandPool pool;
static VkDescriptorBufferInfo buffers[2], counts;
static uint32_t *mapped[2], *mapped_counts;
static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;
static VkDescriptorSet set;

/* Skips the program if the driver that VK_ICD_FILENAMES names isn't installed; fails unless the
 * device is Intel's: a software driver would be right without the simulator. */
static void open_device(void)
{
    const char *icd = getenv("VK_ICD_FILENAMES");
    REQUIRE(icd);
    if (access(icd, R_OK) != 0)
        SKIP("Mesa's Vulkan driver (mesa-vulkan-drivers) is not installed");
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo ici = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                      .pApplicationInfo = &app};
    VkInstance instance;
    uint32_t n = 1;
    VK(vkCreateInstance(&ici, NULL, &instance));
    VK(vkEnumeratePhysicalDevices(instance, &n, &vk_phys));
    REQUIRE(n == 1);
    VkPhysicalDeviceProperties props;
    vkGetPhysicalDeviceProperties(vk_phys, &props);
    fprintf(stderr, "device: %s\n", props.deviceName);
    REQUIRE(props.vendorID == 0x8086 && strstr(props.deviceName, "Intel"));
    vkGetPhysicalDeviceFeatures2(vk_phys, &vk_features);
    vk_features.features.robustBufferAccess = VK_FALSE;
    const float priority = 1;
    const VkDeviceQueueCreateInfo qci = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                         .queueCount = 1,
                                         .pQueuePriorities = &priority};
    const VkDeviceCreateInfo dci = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = &vk_features,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &qci};
    VK(vkCreateDevice(vk_phys, &dci, NULL, &vk_dev));
    vkGetDeviceQueue(vk_dev, 0, 0, &queue);
    const VkCommandPoolCreateInfo cpci = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VK(vkCreateCommandPool(vk_dev, &cpci, NULL, &pool));
    for (int i = 0; i < 2; i++)
        buffers[i] =
            vk_buffer(sizeof vk_in, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, (void **)&mapped[i]);
    counts = vk_buffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, (void **)&mapped_counts);
    for (uint32_t i = 0; i < VK_WORDS; i++)
        vk_in[i] = i * 2654435761u;
}

/* Memory that the host can map without flushing; every type of these devices is local. */
static VkDeviceMemory allocate(VkMemoryRequirements req, bool address)
{
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryPropertyFlags need =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties props;
    vkGetPhysicalDeviceMemoryProperties(vk_phys, &props);
    for (uint32_t i = 0; i < props.memoryTypeCount; i++) {
        if (!(req.memoryTypeBits >> i & 1) || (props.memoryTypes[i].propertyFlags & need) != need)
            continue;
        const VkMemoryAllocateInfo mai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                          .pNext = address ? &flags : NULL,
                                          .allocationSize = req.size,
                                          .memoryTypeIndex = i};
        VkDeviceMemory memory;
        VK(vkAllocateMemory(vk_dev, &mai, NULL, &memory));
        return memory;
    }
    REQUIRE(!"a memory type to map");
    return VK_NULL_HANDLE;
}

VkDescriptorBufferInfo vk_buffer(uint32_t size, VkBufferUsageFlags usage, void **map)
{
    const VkBufferCreateInfo bci = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkBuffer buffer;
    VkMemoryRequirements req;
    VK(vkCreateBuffer(vk_dev, &bci, NULL, &buffer));
    vkGetBufferMemoryRequirements(vk_dev, buffer, &req);
    VkDeviceMemory memory = allocate(req, usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    VK(vkBindBufferMemory(vk_dev, buffer, memory, 0));
    VK(vkMapMemory(vk_dev, memory, 0, VK_WHOLE_SIZE, 0, map));
    memset(*map, 0, size);
    return (VkDescriptorBufferInfo){buffer, 0, VK_WHOLE_SIZE};
}

struct vk_image vk_image_new(const struct vk_image_desc *d)
{
    const uint32_t layers = d->layers ? d->layers : 1, levels = d->levels ? d->levels : 1;
    const bool cube =
        d->view == VK_IMAGE_VIEW_TYPE_CUBE || d->view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    const VkImageCreateInfo ici = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = d->type,
        .format = d->format,
        .extent = {d->width, d->height ? d->height : 1, d->depth ? d->depth : 1},
        .mipLevels = levels,
        .arrayLayers = layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = d->tiling,
        .usage = d->usage,
        .initialLayout = d->tiling == VK_IMAGE_TILING_LINEAR ? VK_IMAGE_LAYOUT_PREINITIALIZED
                                                             : VK_IMAGE_LAYOUT_UNDEFINED};
    struct vk_image i = {0};
    VkMemoryRequirements req;
    VK(vkCreateImage(vk_dev, &ici, NULL, &i.image));
    vkGetImageMemoryRequirements(vk_dev, i.image, &req);
    VkDeviceMemory memory = allocate(req, false);
    VK(vkBindImageMemory(vk_dev, i.image, memory, 0));
    VK(vkMapMemory(vk_dev, memory, 0, VK_WHOLE_SIZE, 0, (void **)&i.map));
    memset(i.map, 0, req.size);
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, layers};
    if (d->tiling == VK_IMAGE_TILING_LINEAR) {
        const VkImageSubresource first = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
        vkGetImageSubresourceLayout(vk_dev, i.image, &first, &i.layout);
    }
    const VkImageViewCreateInfo vci = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = i.image,
                                       .viewType = d->view,
                                       .format = d->format,
                                       .subresourceRange = all};
    VK(vkCreateImageView(vk_dev, &vci, NULL, &i.view));
    return i;
}

static struct vk_resource *add_resource(struct vk_resources *add, uint32_t binding, uint32_t index,
                                        VkDescriptorType type)
{
    REQUIRE(add->n < VK_MAX_RESOURCES);
    struct vk_resource *r = &add->r[add->n++];
    *r = (struct vk_resource){.binding = binding, .index = index, .type = type};
    return r;
}

void vk_add_image(struct vk_resources *add, uint32_t binding, VkDescriptorType type,
                  const struct vk_image *image, VkSampler sampler)
{
    add_resource(add, binding, 0, type)->image =
        (VkDescriptorImageInfo){sampler, image->view, VK_IMAGE_LAYOUT_GENERAL};
}

void vk_add_buffer(struct vk_resources *add, uint32_t binding, uint32_t index,
                   VkDescriptorType type, VkDescriptorBufferInfo buffer)
{
    add_resource(add, binding, index, type)->buffer = buffer;
}

/* Makes set_layout, layout and set for these resources. */
static void make_set(const struct vk_resources *res)
{
    VkDescriptorSetLayoutBinding binds[VK_MAX_RESOURCES];
    VkDescriptorPoolSize sizes[VK_MAX_RESOURCES];
    uint32_t n = 0;
    for (unsigned i = 0; i < res->n; i++) {
        const struct vk_resource *r = &res->r[i];
        if (r->index == 0) {
            binds[n++] = (VkDescriptorSetLayoutBinding){r->binding, r->type, 0,
                                                        VK_SHADER_STAGE_COMPUTE_BIT, NULL};
        }
        binds[n - 1].descriptorCount++;
        sizes[i] = (VkDescriptorPoolSize){r->type, 1};
    }
    const VkDescriptorSetLayoutCreateInfo slci = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = n,
        .pBindings = binds};
    VK(vkCreateDescriptorSetLayout(vk_dev, &slci, NULL, &set_layout));
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof vk_push};
    const VkPipelineLayoutCreateInfo plci = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &set_layout,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    VK(vkCreatePipelineLayout(vk_dev, &plci, NULL, &layout));
    const VkDescriptorPoolCreateInfo dpci = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = res->n,
                                             .pPoolSizes = sizes};
    VkDescriptorPool dp;
    VK(vkCreateDescriptorPool(vk_dev, &dpci, NULL, &dp));
    const VkDescriptorSetAllocateInfo dsai = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = dp,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &set_layout};
    VK(vkAllocateDescriptorSets(vk_dev, &dsai, &set));
    for (unsigned i = 0; i < res->n; i++) {
        const struct vk_resource *r = &res->r[i];
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = r->binding,
                                            .dstArrayElement = r->index,
                                            .descriptorCount = 1,
                                            .descriptorType = r->type,
                                            .pImageInfo = &r->image,
                                            .pBufferInfo = &r->buffer};
        vkUpdateDescriptorSets(vk_dev, 1, &write, 0, NULL);
    }
}

static VkPipeline make_pipeline(const char *folder, const struct vk_test *t)
{
    static uint32_t code[65536];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", folder, t->name);
    FILE *f = fopen(path, "rb");
    REQUIRE(f);
    size_t size = fread(code, 1, sizeof code, f);
    fclose(f);
    const VkShaderModuleCreateInfo smci = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule module;
    VK(vkCreateShaderModule(vk_dev, &smci, NULL, &module));
    VkSpecializationMapEntry entries[8];
    for (uint32_t i = 0; i < t->n_spec; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    const VkSpecializationInfo spec = {t->n_spec, entries, t->n_spec * 4, t->spec};
    const VkComputePipelineCreateInfo cpci = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &spec},
        .layout = layout};
    VkPipeline pipeline;
    VK(vkCreateComputePipelines(vk_dev, VK_NULL_HANDLE, 1, &cpci, NULL, &pipeline));
    return pipeline;
}

static VkResult dispatch(VkPipeline pipeline, const struct vk_test *t)
{
    const VkCommandBufferAllocateInfo cbai = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo cbbi = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier seen = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask =
                                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    VkCommandBuffer cb;
    VK(vkAllocateCommandBuffers(vk_dev, &cbai, &cb));
    VK(vkBeginCommandBuffer(cb, &cbbi));
    vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cb, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    for (unsigned i = 0; i < (t->n_passes ? t->n_passes : 1); i++) {
        uint32_t push[16];
        memcpy(push, vk_push, sizeof push);
        if (t->pass)
            t->pass(i, push);
        if (i) {
            vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &seen, 0, NULL, 0,
                                 NULL);
        }
        vkCmdPushConstants(cb, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
        if (t->indirect)
            vkCmdDispatchIndirect(cb, counts.buffer, 16);
        else
            vkCmdDispatch(cb, t->groups[0], t->groups[1], t->groups[2]);
    }
    VK(vkEndCommandBuffer(cb));
    memcpy(mapped_counts + 4, t->groups, sizeof t->groups);
    const VkSubmitInfo si = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cb};
    VK(vkQueueSubmit(queue, 1, &si, VK_NULL_HANDLE));
    VkResult r = vkQueueWaitIdle(queue);
    vkFreeCommandBuffers(vk_dev, pool, 1, &cb);
    return r;
}

static void run_test(const char *folder, const struct vk_test *t)
{
    struct vk_resources res = {0};
    for (uint32_t i = 0; i < 2; i++)
        vk_add_buffer(&res, i, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i]);
    if (t->bind)
        t->bind(&res);
    make_set(&res);
    VkPipeline pipeline = make_pipeline(folder, t);
    memcpy(mapped[0], vk_in, sizeof vk_in);
    memset(mapped[1], 0, sizeof vk_want);
    memset(vk_want, 0, sizeof vk_want);
    t->want();
    VkResult r = dispatch(pipeline, t);
    const char *variant = t->variant ? t->variant : "";
    CHECKF(r == VK_SUCCESS, "%s %s: %d", t->name, variant, r);
    REQUIRE(r == VK_SUCCESS);
    unsigned wrong = 0, first = 0;
    for (uint32_t i = 0; i < VK_WORDS; i++) {
        if (mapped[1][i] != vk_want[i] && !wrong++)
            first = i;
    }
    CHECKF(!wrong, "%s %s: %u words wrong, the first is %u: 0x%x, not 0x%x", t->name, variant,
           wrong, first, mapped[1][first], vk_want[first]);
    if (t->check)
        t->check();
    vkDestroyPipeline(vk_dev, pipeline, NULL);
}

int vk_main(int argc, char **argv, const struct vk_test *tests, size_t n)
{
    REQUIRE(argc == 2 || argc == 3);
    open_device();
    for (size_t i = 0; i < n; i++) {
        if (argc == 3 && strcmp(argv[2], tests[i].name) != 0)
            continue;
        if (tests[i].offered && !tests[i].offered())
            fprintf(stderr, "%s: the device doesn't offer it\n", tests[i].name);
        else
            run_test(argv[1], &tests[i]);
    }
    return utest_end();
}
