/* See device.h. The devices are opened once a process; a forked child opens them anew when it asks,
 * and never touches what it inherited.
 */
#include "src/core/device.h"

#include "gen/feature.h"
#include "src/core/cc_client.h"
#include "src/core/debug.h"
#include "src/core/image.h"
#include "src/core/printf.h"
#include "src/core/svm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct _cl_platform_id platform;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool opened; /* set under open_lock; in this process */

/* What a generation's EUs lack of doubles the compiler's library computes, correctly rounded. */
static bool has_fp64(const struct gen_device *hw)
{
    return gen_has(hw, GEN_HAS_cl_khr_fp64);
}

/* Before Gen8 halves are for storage. */
static bool has_fp16(const struct gen_device *hw)
{
    return gen_has(hw, GEN_HAS_cl_khr_fp16);
}

static void forked(void)
{
    pthread_mutex_init(&open_lock, NULL);
    atomic_store_explicit(&opened, false, memory_order_relaxed);
    object_forked();
    callback_thread_forked();
    cc_client_forked();
    for (cl_uint i = 0; i < platform.n_devices; i++)
        platform.devices[i].gpu = NULL; /* the parent's: neither used nor closed */
}

static void note_node(void *ctx, const char *node, const char *reason)
{
    debug_log(DEBUG_devices, "%s: %s", node, reason);
}

/* The highest frequency of the GPU, from sysfs. */
static cl_uint clock_mhz(const struct gpu_info *info)
{
    const char *node = strrchr(info->node, '/');
    unsigned minor = 0, mhz = 0;
    char path[128];
    if (node && (sscanf(node, "/renderD%u", &minor) == 1 || sscanf(node, "/card%u", &minor) == 1)) {
        snprintf(path, sizeof path, "/sys/class/drm/card%u/gt_max_freq_mhz", minor % 64);
        FILE *f = fopen(path, "re");
        if (f) {
            if (fscanf(f, "%u", &mhz) != 1)
                mhz = 0;
            fclose(f);
        }
    }
    return mhz ? mhz : 1000; /* applications divide by it */
}

/* The slot of a node: in a forked child the one it had, since the application still knows the
 * handle. */
static cl_device_id device_slot(const char *node)
{
    for (cl_uint i = 0; i < platform.n_devices; i++)
        if (!strcmp(platform.devices[i].info.node, node))
            return &platform.devices[i];
    return platform.n_devices < MAX_DEVICES ? &platform.devices[platform.n_devices++] : NULL;
}

static void devices_open(void)
{
    struct gpu *gpus[MAX_DEVICES];
    unsigned n = gpu_open_all(gpus, MAX_DEVICES, note_node, NULL);
    if (!n)
        debug_log(DEBUG_devices, "no usable device%s",
                  access("/dev/dri", F_OK) ? ": there is no /dev/dri" : "");
    for (unsigned i = 0; i < n; i++) {
        const struct gpu_info *info = gpu_get_info(gpus[i]);
        cl_device_id dev = device_slot(info->node);
        if (!dev) {
            gpu_close(gpus[i]);
            continue;
        }
        for (unsigned k = 0; k < info->n_lacks; k++)
            note_node(NULL, info->node, info->lacks[k]);
        if (info->unverified)
            debug_log(DEBUG_devices, "%s: id %04x is not known: taken for %s", info->node,
                      info->pci_id, info->dev->name);
        dev->platform = &platform;
        dev->gpu = gpus[i];
        dev->info = *info;
        dev->hw = info->dev;
        dev->clock_mhz = clock_mhz(info);
        dev->has_images = true;
        budget_init(&dev->budget, info->aperture_size, info->max_surface_size);
        sched_init(&dev->sched);
        object_init(&dev->base, OBJECT_DEVICE);
    }
}

cl_platform_id platform_get(void)
{
    static bool registered;
    if (atomic_load_explicit(&opened, memory_order_acquire))
        return &platform;
    pthread_mutex_lock(&open_lock);
    if (!atomic_load_explicit(&opened, memory_order_relaxed)) {
        object_init(&platform.base, OBJECT_PLATFORM);
        devices_open();
        if (!registered)
            pthread_atfork(NULL, NULL, forked);
        registered = true;
        atomic_store_explicit(&opened, true, memory_order_release);
    }
    pthread_mutex_unlock(&open_lock);
    return &platform;
}

bool device_known(cl_device_id dev)
{
    cl_platform_id p = platform_get();
    for (cl_uint i = 0; i < p->n_devices; i++)
        if (dev == &p->devices[i])
            return true;
    return false;
}

cl_ulong device_ticks_to_ns(cl_device_id dev, uint64_t ticks)
{
    return (cl_ulong)((long double)ticks * dev->info.timestamp_ns);
}

cl_ulong device_clock(cl_device_id dev)
{
    return device_ticks_to_ns(dev, gpu_clock(dev->gpu));
}

cl_ulong host_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (cl_ulong)t.tv_sec * 1000000000 + (cl_ulong)t.tv_nsec;
}

static cl_ulong host_clock_resolution(void)
{
    struct timespec t;
    clock_getres(CLOCK_MONOTONIC, &t);
    return (cl_ulong)t.tv_sec * 1000000000 + (cl_ulong)t.tv_nsec;
}

/* Reached by SIMD16 code; a kernel may allow less. */
size_t device_max_group_size(cl_device_id dev)
{
    size_t items = (size_t)dev->info.max_group_threads * 16, n = 1;
    while (n * 2 <= items && n < 512)
        n *= 2;
    return n;
}

cl_uint device_max_sub_groups(cl_device_id dev)
{
    enum { NARROWEST = 8 };
    return gen_has(dev->hw, GEN_HAS___opencl_c_subgroups) ||
                   gen_has(dev->hw, GEN_HAS_cl_khr_subgroups)
               ? (cl_uint)(device_max_group_size(dev) / NARROWEST)
               : 0;
}

/* cl_ext_float_atomics, which the headers that are packaged don't know: names and bits of its
 * specification. */
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT   0x4233

static cl_bitfield device_float_atomics(const struct gen_device *hw, bool is_double)
{
    enum { LOAD_STORE = 1, ADD = 2, MIN_MAX = 4, LOCAL_SHIFT = 16 };
    bool has = gen_has(hw, is_double ? GEN_HAS___opencl_c_ext_fp64_global_atomic_add
                                     : GEN_HAS___opencl_c_ext_fp32_global_atomic_add);
    cl_bitfield all = LOAD_STORE | ADD | MIN_MAX;
    return has ? all | all << LOCAL_SHIFT : 0;
}

/* What the device's atomics do beyond the least that OpenCL 3.0 asks for. */
static cl_device_atomic_capabilities device_atomics(const struct gen_device *hw)
{
    static const struct {
        enum gen_feature_id feature;
        cl_device_atomic_capabilities bits;
    } table[] = {
        {GEN_HAS___opencl_c_atomic_order_acq_rel, CL_DEVICE_ATOMIC_ORDER_ACQ_REL},
        {GEN_HAS___opencl_c_atomic_order_seq_cst, CL_DEVICE_ATOMIC_ORDER_SEQ_CST},
        {GEN_HAS___opencl_c_atomic_scope_device, CL_DEVICE_ATOMIC_SCOPE_DEVICE},
        {GEN_HAS___opencl_c_atomic_scope_all_devices, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
    };
    cl_device_atomic_capabilities caps = 0;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        caps |= gen_has(hw, table[i].feature) ? table[i].bits : 0;
    return caps;
}

size_t device_max_image_buffer(cl_device_id dev)
{
    enum { LARGEST_PIXEL = 16 };
    uint64_t n = dev->budget.max_alloc / LARGEST_PIXEL;
    return !dev->has_images ? 0 : n < IMAGE_MAX_BUFFER ? n : IMAGE_MAX_BUFFER;
}

size_t device_max_globals(cl_device_id dev)
{
    enum { COMPILER_LIMIT = 1 << 30 };
    if (!gen_has(dev->hw, GEN_HAS___opencl_c_program_scope_global_variables))
        return 0;
    return dev->budget.max_alloc < COMPILER_LIMIT ? dev->budget.max_alloc : COMPILER_LIMIT;
}

cl_int query_put(const struct query *q, const void *data, size_t size)
{
    if (q->value && q->size < size)
        return CL_INVALID_VALUE;
    if (q->value && size)
        memcpy(q->value, data, size);
    if (q->size_ret)
        *q->size_ret = size;
    return CL_SUCCESS;
}

cl_int query_string(const struct query *q, const char *s)
{
    return query_put(q, s, strlen(s) + 1);
}

struct extension {
    const char *name;
    cl_version version;
};

enum {
    N_API_EXTENSIONS = 0
#define EXTENSION(name, major, minor, patch, condition) +1
#include "extensions.def"
#undef EXTENSION
    ,
    MAX_EXTENSIONS = N_API_EXTENSIONS + GEN_N_FEATURES
};

/* Of one device, or with dev = NULL of all. */
static bool feature_offered(enum gen_feature_id id, cl_device_id dev)
{
    if (dev)
        return gen_has(dev->hw, id);
    for (cl_uint i = 0; i < platform.n_devices; i++)
        if (!gen_has(platform.devices[i].hw, id))
            return false;
    return true;
}

/* Takes dma_bufs; with dev = NULL, all devices do. */
static bool device_imports(cl_device_id dev)
{
    bool all = !dev || dev->info.has_prime;
    for (cl_uint i = 0; !dev && i < platform.n_devices; i++)
        all &= platform.devices[i].info.has_prime;
    return all;
}

static const cl_external_memory_handle_type_khr handle_types[] = {
    CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};

/* Extensions of the API, then those of the language. */
static unsigned list_extensions(struct extension *list, cl_device_id dev)
{
    unsigned n = 0;
#define EXTENSION(name, major, minor, patch, condition)                                            \
    if (condition)                                                                                 \
        list[n++] = (struct extension){#name, CL_MAKE_VERSION(major, minor, patch)};
#include "extensions.def"
#undef EXTENSION
    for (unsigned i = 0; i < GEN_N_FEATURES; i++) {
        const struct gen_feature *f = gen_feature_at(i);
        if (f->is_extension && feature_offered((enum gen_feature_id)i, dev))
            list[n++] = (struct extension){f->macro, CL_MAKE_VERSION(f->major, f->minor, f->patch)};
    }
    return n;
}

static cl_int query_extensions(const struct query *q, cl_device_id dev)
{
    char text[MAX_EXTENSIONS * CL_NAME_VERSION_MAX_NAME_SIZE];
    struct extension list[MAX_EXTENSIONS];
    unsigned n = list_extensions(list, dev);
    size_t len = 0;
    for (unsigned i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i ? " " : "", list[i].name);
    return query_put(q, text, len + 1);
}

static cl_int query_extension_versions(const struct query *q, cl_device_id dev)
{
    cl_name_version versions[MAX_EXTENSIONS];
    struct extension list[MAX_EXTENSIONS];
    unsigned n = list_extensions(list, dev);
    memset(versions, 0, sizeof versions);
    for (unsigned i = 0; i < n; i++) {
        versions[i].version = list[i].version;
        snprintf(versions[i].name, sizeof versions[i].name, "%s", list[i].name);
    }
    return query_put(q, versions, n * sizeof *versions);
}

/* The features of OpenCL C 3.0 that the device has. */
static cl_int query_features(const struct query *q, cl_device_id dev)
{
    cl_name_version versions[GEN_N_FEATURES];
    unsigned n = 0;
    memset(versions, 0, sizeof versions);
    for (unsigned i = 0; i < GEN_N_FEATURES; i++) {
        const struct gen_feature *f = gen_feature_at(i);
        if (f->is_extension || !feature_offered((enum gen_feature_id)i, dev))
            continue;
        versions[n].version = CL_MAKE_VERSION(f->major, f->minor, f->patch);
        snprintf(versions[n++].name, sizeof versions->name, "%s", f->macro);
    }
    return query_put(q, versions, n * sizeof *versions);
}

cl_int platform_query(cl_platform_id p, cl_platform_info name, const struct query *q)
{
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return query_string(q, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return query_string(q, BEIGNET_CL_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION:
        return query_put(q, &(cl_version){BEIGNET_CL_NUMERIC}, sizeof(cl_version));
    case CL_PLATFORM_NAME:
        return query_string(q, "beignet");
    case CL_PLATFORM_VENDOR:
        return query_string(q, "beignet project");
    case CL_PLATFORM_EXTENSIONS:
        return query_extensions(q, NULL);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return query_extension_versions(q, NULL);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return query_put(q, &(cl_ulong){host_clock_resolution()}, sizeof(cl_ulong));
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return query_string(q, "BEIGNET");
    case CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
        return query_put(q, handle_types, device_imports(NULL) ? sizeof handle_types : 0);
    }
    return CL_INVALID_VALUE;
}

cl_int device_query(cl_device_id dev, cl_device_info name, const struct query *q)
{
    const struct gen_device *hw = dev->hw;
    const struct gpu_info *info = &dev->info;
    switch (name) {
#define DEVICE_INFO(name, type, ...)                                                               \
    case name: {                                                                                   \
        type value[] = {__VA_ARGS__};                                                              \
        return query_put(q, value, sizeof value);                                                  \
    }
#define DEVICE_TEXT(name, string)                                                                  \
    case name:                                                                                     \
        return query_string(q, string);
#define DEVICE_ARRAY(name, type, count, ...)                                                       \
    case name: {                                                                                   \
        type values[] = {__VA_ARGS__};                                                             \
        return query_put(q, values, (count) * sizeof(type));                                       \
    }
#include "device_info.def"
#undef DEVICE_INFO
#undef DEVICE_TEXT
#undef DEVICE_ARRAY
    case CL_DEVICE_EXTENSIONS:
        return query_extensions(q, dev);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return query_extension_versions(q, dev);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return query_features(q, dev);
    case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
    case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR:
        return query_put(q, handle_types, device_imports(dev) ? sizeof handle_types : 0);
    }
    return CL_INVALID_VALUE;
}
