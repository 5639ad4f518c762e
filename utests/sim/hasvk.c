/* Mesa's Vulkan driver (hasvk for Gen7 to 8, anv for Gen9), unmodified, on the simulated device:
 * its compiler and its batches are an opinion about the hardware that is not ours. Results are
 * computed here. Usage: hasvk FOLDER (of the .spv files). Skipped where the driver is not
 * installed. */
#include <math.h>
#include <stdint.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "utest.h"

enum { WORDS = 16384, N = 4096 };

static uint32_t in[WORDS], want[WORDS];
static VkDevice dev;
static VkQueue queue;
static uint32_t *mapped[2];
static VkBuffer buffers[2];
static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;
static VkDescriptorSet set;
static VkCommandPool pool;

#define VK(call) REQUIRE((call) == VK_SUCCESS)

/* ---- what the shaders compute ---- */
static const uint32_t push[4] = {2654435761u, 77, 64, 20};

static void want_copy(void)
{
    for (uint32_t i = 0; i < 204 * 20; i++)
        want[i] = in[i] + 1;
}

static void want_push(void)
{
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            uint32_t i = y * push[2] + x;
            want[i] = (in[i] * push[0] + push[1]) ^ (x / 8 << push[3]) ^ (y / 4 << 28);
        }
    }
}

static void want_shared(void)
{
    for (uint32_t g = 0; g < N; g += 256) {
        uint32_t sum = 0;
        for (uint32_t l = 0; l < 256; l++)
            sum += in[g + l];
        for (uint32_t l = 0; l < 256; l++)
            want[g + l] = in[g + 255 - l] ^ sum;
    }
}

static void want_loop(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t n = in[i] % 1000, steps = 0, sum = 0;
        if (n % 17 == 3) {
            want[i] = 0xdead;
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
        want[i] = steps * 65536 + (sum & 0xffff);
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
        uint32_t x = in[i], y = in[i ^ 5] | 1, s = y & 31;
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
        want[i] = r;
    }
}

static void want_atomics(void)
{
    want[2] = 0;
    for (uint32_t i = 0; i < 2048; i++) {
        want[0] += in[i];
        want[1] = in[i] > want[1] ? in[i] : want[1];
        want[3] ^= in[i];
        want[4] |= in[i] & 0x0f0f;
        want[4096 + i] = 1;
    }
    want[6] = 2048;
    want[7] = 3 * 2048;
    for (uint32_t g = 0; g < 2048; g += 64) {
        uint32_t total = 0;
        for (uint32_t l = 0; l < 64; l++)
            total += in[g + l] & 0xff;
        for (uint32_t l = 0; l < 64; l++)
            want[1024 + g + l] = total;
    }
}

static void want_private(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t t[96], at = i, sum = 0;
        for (uint32_t k = 0; k < 96; k++)
            t[k] = in[(i + k) & 4095] * (k + 1);
        for (uint32_t k = 0; k < 64; k++) {
            at = t[at % 96] + k;
            t[(at >> 8) % 96] ^= at;
            sum += at;
        }
        want[i] = sum;
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
        float x = in[i] & 0xfff, y = (float)(in[i] >> 12 & 0xff) - 128.0f;
        float r = x * y + 0.5f;
        r = floorf(r * 0.25f) + (x * 0.125f - floorf(x * 0.125f)) + fabsf(y) - truncf(-x * 0.5f) +
            ceilf(y * 0.0625f);
        r += x > y * 16.0f ? 3.0f : -7.0f;
        float clamped = y < -4 ? -4 : y > 5 ? 5 : y, sign = y > 0 ? 1 : y < 0 ? -1 : 0;
        r += fminf(x, y) + fmaxf(x, y) + clamped + sign;
        uint32_t bits;
        memcpy(&bits, &r, 4);
        want[i] = bits ^ (uint32_t)((int)y + 1000) ^ (half(y) | half(y * 0.5f) << 16);
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
        double x = (double)(in[i] & 0xffff) + 0.25, y = (double)((int32_t)in[i ^ 5] >> 8);
        double z = x * y + x;
        z = z > 0 ? z - 1.5 * x : y - z;
        double m = fmax(fmin(x, y), -100.5), sum = z + m, scaled = z / 16384;
        uint64_t u;
        memcpy(&u, &sum, 8);
        uint32_t r = (uint32_t)u * 31 + (uint32_t)(u >> 32);
        r = r * 31 + (uint32_t)(int32_t)scaled;
        r = r * 31 + float_bits((float)z);
        want[i] = r * 31 + (x < y) + (z == 0 ? 2 : 0);
    }
}

static void want_int64(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint64_t x = in[i] | (uint64_t)in[i ^ 3] << 32, y = in[i ^ 7] | (uint64_t)i << 32 | 1;
        int64_t s = (int64_t)x, t = (int64_t)y;
        uint64_t r = x * y + (x >> (y & 63)) + (x << (y & 31)) + (uint64_t)(s >> (i & 63));
        r ^= x / y + x % y;
        if (s < t)
            r += -x;
        r ^= (x < y ? x : y) - ((s > t ? s : t) > 0 ? x : y);
        want[i] = (uint32_t)r * 31 + (uint32_t)(r >> 32);
    }
}

static void want_subgroup(void)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t *quad = in + (i & ~3u), *eight = in + (i & ~7u);
        uint32_t sum = 0, max = 0, r = in[i ^ 1];
        for (uint32_t k = 0; k < 8; k++)
            sum += eight[k];
        for (uint32_t k = 0; k < 4; k++)
            max = quad[k] > max ? quad[k] : max;
        r = r * 31 + in[i ^ 2];
        r = r * 31 + in[i ^ 3];
        r = r * 31 + quad[2];
        r = r * 31 + in[i ^ 5];
        r = r * 31 + sum;
        r = r * 31 + max;
        if (i & 4)
            r = r * 31 + (quad[0] ^ quad[1] ^ quad[2] ^ quad[3]);
        want[i] = r + 7;
    }
}

static const struct test {
    const char *name;
    void (*want)(void);
    uint32_t groups[3];
} tests[] = {
    {"copy", want_copy, {204, 1, 1}},         {"push", want_push, {8, 16, 1}},
    {"shared", want_shared, {16, 1, 1}},      {"loop", want_loop, {64, 1, 1}},
    {"integer", want_integer, {128, 1, 1}},   {"atomics", want_atomics, {32, 1, 1}},
    {"private", want_private, {128, 1, 1}},   {"float", want_float, {128, 1, 1}},
    {"double", want_double, {128, 1, 1}},     {"int64", want_int64, {128, 1, 1}},
    {"subgroup", want_subgroup, {128, 1, 1}},
};

/* ---- the host ---- */
static bool open_device(void)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_0};
    const VkInstanceCreateInfo ici = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                      .pApplicationInfo = &app};
    VkInstance instance;
    VkPhysicalDevice phys[4];
    uint32_t n = 4;
    if (vkCreateInstance(&ici, NULL, &instance) != VK_SUCCESS)
        return false;
    if (vkEnumeratePhysicalDevices(instance, &n, phys) != VK_SUCCESS || n == 0)
        return false;
    VkPhysicalDeviceProperties props;
    vkGetPhysicalDeviceProperties(phys[0], &props);
    fprintf(stderr, "device: %s\n", props.deviceName);
    REQUIRE(props.vendorID == 0x8086);
    const float priority = 1;
    const VkDeviceQueueCreateInfo qci = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                         .queueCount = 1,
                                         .pQueuePriorities = &priority};
    const VkDeviceCreateInfo dci = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &qci};
    VK(vkCreateDevice(phys[0], &dci, NULL, &dev));
    vkGetDeviceQueue(dev, 0, 0, &queue);
    return true;
}

static void make_resources(void)
{
    const VkDescriptorSetLayoutBinding binds[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo slci = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 2,
        .pBindings = binds};
    VK(vkCreateDescriptorSetLayout(dev, &slci, NULL, &set_layout));
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push};
    const VkPipelineLayoutCreateInfo plci = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &set_layout,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    VK(vkCreatePipelineLayout(dev, &plci, NULL, &layout));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo dpci = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    VkDescriptorPool dp;
    VK(vkCreateDescriptorPool(dev, &dpci, NULL, &dp));
    const VkDescriptorSetAllocateInfo dsai = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = dp,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &set_layout};
    VK(vkAllocateDescriptorSets(dev, &dsai, &set));
    for (uint32_t i = 0; i < 2; i++) {
        const VkBufferCreateInfo bci = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                        .size = WORDS * 4,
                                        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
        VkMemoryRequirements req;
        VkDeviceMemory memory;
        VK(vkCreateBuffer(dev, &bci, NULL, &buffers[i]));
        vkGetBufferMemoryRequirements(dev, buffers[i], &req);
        const VkMemoryAllocateInfo mai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                          .allocationSize = req.size};
        VK(vkAllocateMemory(dev, &mai, NULL, &memory));
        VK(vkBindBufferMemory(dev, buffers[i], memory, 0));
        VK(vkMapMemory(dev, memory, 0, VK_WHOLE_SIZE, 0, (void **)&mapped[i]));
        const VkDescriptorBufferInfo info = {buffers[i], 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = i,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &info};
        vkUpdateDescriptorSets(dev, 1, &write, 0, NULL);
    }
    const VkCommandPoolCreateInfo cpci = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VK(vkCreateCommandPool(dev, &cpci, NULL, &pool));
}

static VkPipeline make_pipeline(const char *folder, const char *name)
{
    static uint32_t code[65536];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", folder, name);
    FILE *f = fopen(path, "rb");
    REQUIRE(f);
    size_t size = fread(code, 1, sizeof code, f);
    fclose(f);
    const VkShaderModuleCreateInfo smci = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule module;
    VK(vkCreateShaderModule(dev, &smci, NULL, &module));
    const VkComputePipelineCreateInfo cpci = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout};
    VkPipeline pipeline;
    VK(vkCreateComputePipelines(dev, VK_NULL_HANDLE, 1, &cpci, NULL, &pipeline));
    return pipeline;
}

static VkResult dispatch(VkPipeline pipeline, const uint32_t groups[3])
{
    const VkCommandBufferAllocateInfo cbai = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo cbbi = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer cb;
    VK(vkAllocateCommandBuffers(dev, &cbai, &cb));
    VK(vkBeginCommandBuffer(cb, &cbbi));
    vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cb, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cb, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(cb, groups[0], groups[1], groups[2]);
    VK(vkEndCommandBuffer(cb));
    const VkSubmitInfo si = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cb};
    VK(vkQueueSubmit(queue, 1, &si, VK_NULL_HANDLE));
    VkResult r = vkQueueWaitIdle(queue);
    vkFreeCommandBuffers(dev, pool, 1, &cb);
    return r;
}

int main(int argc, char **argv)
{
    const char *icd = getenv("VK_ICD_FILENAMES");
    REQUIRE(argc == 2 && icd);
    if (access(icd, R_OK) != 0)
        SKIP("Mesa's Vulkan driver (mesa-vulkan-drivers) is not installed");
    REQUIRE(open_device());
    make_resources();
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u;
    for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++) {
        VkPipeline pipeline = make_pipeline(argv[1], tests[t].name);
        memcpy(mapped[0], in, sizeof in);
        memset(mapped[1], 0, WORDS * 4);
        memset(want, 0, sizeof want);
        tests[t].want();
        VkResult r = dispatch(pipeline, tests[t].groups);
        CHECKF(r == VK_SUCCESS, "%s: %d", tests[t].name, r);
        unsigned wrong = 0, first = 0;
        for (uint32_t i = 0; i < WORDS; i++) {
            if (mapped[1][i] != want[i] && !wrong++)
                first = i;
        }
        CHECKF(!wrong, "%s: %u words wrong, the first is %u: 0x%x, not 0x%x", tests[t].name, wrong,
               first, mapped[1][first], want[first]);
        vkDestroyPipeline(dev, pipeline, NULL);
    }
    return utest_end();
}
