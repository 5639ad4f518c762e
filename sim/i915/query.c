/* What the device is: GETPARAM, QUERY, REG_READ. */
#include "i915.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <string.h>
#include <unistd.h>

/* PCI revision of the node; the shim's sysfs tree says the same. */
enum { REVISION = 6 };

static int param_value(struct i915 *dev, int param, int *value)
{
    const struct gen_device *d = dev->opt.dev;
    const struct i915_kernel *k = &dev->opt.kernel;
    /* IVB and BYT: the kernel knows no topology. */
    bool topology = dev->gen >= 75 && !k->no_topology;
    bool pooled = d->platform == GEN_BXT || d->platform == GEN_GLK;
    pooled = pooled && d->subslices == 3;
    switch (param) {
    case I915_PARAM_CHIPSET_ID:
        *value = k->pci_id ? k->pci_id : d->pci_id;
        return 0;
    case I915_PARAM_HAS_GEM:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_BLT:
    case I915_PARAM_HAS_RELAXED_FENCING:
    case I915_PARAM_HAS_COHERENT_RINGS:
    case I915_PARAM_HAS_RELAXED_DELTA:
    case I915_PARAM_HAS_GEN7_SOL_RESET:
    case I915_PARAM_HAS_PRIME_VMAP_FLUSH:
    case I915_PARAM_HAS_PINNED_BATCHES:
    case I915_PARAM_HAS_EXEC_NO_RELOC:
    case I915_PARAM_HAS_EXEC_HANDLE_LUT:
    case I915_PARAM_HAS_COHERENT_PHYS_GTT:
    case I915_PARAM_MMAP_VERSION:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_BATCH_FIRST:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_USERPTR_PROBE:
        *value = 1;
        return 0;
    case I915_PARAM_HAS_WAIT_TIMEOUT:
        *value = !k->no_wait;
        return 0;
    case I915_PARAM_HAS_BSD: /* the video engines are not simulated */
    case I915_PARAM_HAS_BSD2:
    case I915_PARAM_HAS_VEBOX:
    case I915_PARAM_HAS_OVERLAY:
    case I915_PARAM_HAS_SECURE_BATCHES:
    case I915_PARAM_HAS_RESOURCE_STREAMER:
    case I915_PARAM_HAS_EXEC_SUBMIT_FENCE:
    case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
        *value = 0;
        return 0;
    case I915_PARAM_NUM_FENCES_AVAIL:
        *value = 32;
        return 0;
    case I915_PARAM_HAS_PAGEFLIPPING:
        *value = 1;
        return 0;
    case I915_PARAM_HAS_LLC:
        *value = d->llc && !k->no_llc;
        return 0;
    case I915_PARAM_HAS_WT:
        *value = 0;
        return 0;
    case I915_PARAM_HAS_ALIASING_PPGTT:
        *value = k->ppgtt >= 0 ? k->ppgtt : dev->gen < 80 ? 1 : 2;
        return 0;
    case I915_PARAM_HAS_SEMAPHORES:
        *value = dev->gen >= 80;
        return 0;
    case I915_PARAM_CMD_PARSER_VERSION:
        *value = k->parser_version >= 0            ? k->parser_version
                 : dev->gen < 80 || dev->gen == 90 ? 10
                                                   : 0;
        return 0;
    case I915_PARAM_REVISION:
        *value = REVISION;
        return 0;
    case I915_PARAM_SUBSLICE_TOTAL:
        *value = d->subslices;
        return topology ? 0 : -ENODEV;
    case I915_PARAM_EU_TOTAL:
        *value = d->eu_total;
        return topology ? 0 : -ENODEV;
    case I915_PARAM_SLICE_MASK:
        *value = (1 << d->slices) - 1;
        return topology ? 0 : -ENODEV;
    case I915_PARAM_SUBSLICE_MASK:
        *value = (1 << d->subslices / d->slices) - 1;
        return topology ? 0 : -ENODEV;
    case I915_PARAM_HAS_GPU_RESET:
        *value = dev->gen >= 80 ? 2 : 1;
        return 0;
    case I915_PARAM_HAS_EXEC_SOFTPIN:
        *value = !k->no_softpin;
        return 0;
    case I915_PARAM_HAS_POOLED_EU:
        *value = pooled;
        return 0;
    case I915_PARAM_MIN_EU_IN_POOL:
        *value = pooled ? 9 : 0;
        return 0;
    case I915_PARAM_MMAP_GTT_VERSION:
        *value = k->no_query ? 1 : 4;
        return 0;
    case I915_PARAM_HAS_SCHEDULER:
        *value = dev->gen < 80 ? 0
                               : I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY |
                                     I915_SCHEDULER_CAP_PREEMPTION;
        return 0;
    case I915_PARAM_HAS_CONTEXT_ISOLATION:
        *value = dev->gen < 80 ? 0 : 1 << I915_ENGINE_CLASS_RENDER | 1 << I915_ENGINE_CLASS_COPY;
        return 0;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        *value = d->timestamp_hz;
        return 0;
    case I915_PARAM_MMAP_GTT_COHERENT:
        *value = d->platform != GEN_CHV && d->platform != GEN_BXT && d->platform != GEN_GLK;
        return 0;
    case I915_PARAM_PERF_REVISION:
        *value = 5;
        return 0;
    case I915_PARAM_HAS_EXEC_CONSTANTS:
    case I915_PARAM_HUC_STATUS:
        return -ENODEV;
    default:
        return -EINVAL;
    }
}

int ioctl_getparam(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_getparam *a = arg;
    int value, err = param_value(f->dev, a->param, &value);
    return err ? err : user_write((uintptr_t)a->value, &value, sizeof value);
}

int ioctl_reg_read(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_reg_read *a = arg;
    const uint64_t timestamp = 0x2358;
    /* The 8-byte workaround form has bit 0 set. */
    if (a->offset != timestamp && a->offset != (timestamp | I915_REG_READ_8B_WA))
        return -EINVAL;
    a->val = sim_clock(f->dev->gpu) & (((uint64_t)1 << 36) - 1);
    return 0;
}

/* ---- QUERY: each fills at most sizeof of *out, and returns its length or -errno ---- */
union answer {
    struct drm_i915_query_topology_info topology;
    struct drm_i915_query_engine_info engines;
    struct drm_i915_query_memory_regions regions;
    uint8_t bytes[1024];
};

static int bytes_for(unsigned bits)
{
    return (bits + 7) / 8;
}

/* `n` ones at a byte boundary. */
static uint8_t *mask_put(uint8_t *p, unsigned n)
{
    for (int i = 0; i < bytes_for(n); i++)
        *p++ = n - 8 * i >= 8 ? 0xff : (1 << (n - 8 * i)) - 1;
    return p;
}

static int query_topology(const struct i915 *dev, union answer *out)
{
    const struct gen_device *d = dev->opt.dev;
    if (dev->gen < 75 || dev->opt.kernel.no_topology)
        return -ENODEV;
    unsigned per_slice = d->subslices / d->slices;
    struct drm_i915_query_topology_info *t = &out->topology;
    t->max_slices = d->slices;
    t->max_subslices = per_slice;
    t->max_eus_per_subslice = d->eu_per_subslice;
    t->subslice_offset = bytes_for(d->slices);
    t->subslice_stride = bytes_for(per_slice);
    t->eu_offset = t->subslice_offset + d->slices * t->subslice_stride;
    t->eu_stride = bytes_for(d->eu_per_subslice);
    uint8_t *p = mask_put(t->data, d->slices);
    for (unsigned i = 0; i < d->slices; i++)
        p = mask_put(p, per_slice);
    for (unsigned i = 0; i < d->subslices; i++)
        p = mask_put(p, d->eu_per_subslice);
    return p - out->bytes;
}

static int query_engines(union answer *out)
{
    static const uint16_t classes[] = {I915_ENGINE_CLASS_RENDER, I915_ENGINE_CLASS_COPY};
    unsigned n = sizeof classes / sizeof classes[0];
    out->engines.num_engines = n;
    for (unsigned i = 0; i < n; i++) {
        out->engines.engines[i].engine.engine_class = classes[i];
        out->engines.engines[i].flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE;
    }
    return sizeof out->engines + n * sizeof out->engines.engines[0];
}

static int query_regions(union answer *out)
{
    uint64_t ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    out->regions.num_regions = 1;
    out->regions.regions[0].region.memory_class = I915_MEMORY_CLASS_SYSTEM;
    out->regions.regions[0].probed_size = ram;
    out->regions.regions[0].unallocated_size = ram;
    return sizeof out->regions + sizeof out->regions.regions[0];
}

/* Bytes of the caller's buffer that must be 0 before it is filled. */
static bool header_zero(uint64_t at, size_t size)
{
    uint8_t b[16];
    return !user_read(b, at, size) && !memcmp(b, (uint8_t[16]){0}, size);
}

static int query_item(struct i915 *dev, const struct drm_i915_query_item *item)
{
    union answer out;
    int n;
    size_t zero;
    memset(&out, 0, sizeof out);
    switch (item->query_id) {
    case DRM_I915_QUERY_TOPOLOGY_INFO:
        n = item->flags ? -EINVAL : query_topology(dev, &out);
        zero = sizeof out.topology.flags;
        break;
    case DRM_I915_QUERY_ENGINE_INFO:
        n = item->flags ? -EINVAL : query_engines(&out);
        zero = sizeof out.engines;
        break;
    case DRM_I915_QUERY_MEMORY_REGIONS:
        n = item->flags ? -EINVAL : query_regions(&out);
        zero = sizeof out.regions;
        break;
    default:
        return -EINVAL; /* performance counters, hardware configuration (Gen12) */
    }
    if (n < 0 || item->length == 0)
        return n;
    if (item->length < n)
        return -EINVAL;
    if (!header_zero(item->data_ptr, zero))
        return -EINVAL;
    return user_write(item->data_ptr, out.bytes, n) ? -EFAULT : n;
}

int ioctl_query(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_query *a = arg;
    if (f->dev->opt.kernel.no_query || a->flags)
        return -EINVAL;
    for (uint32_t i = 0; i < a->num_items; i++) {
        struct drm_i915_query_item item;
        uint64_t at = a->items_ptr + i * sizeof item;
        if (user_read(&item, at, sizeof item))
            return -EFAULT;
        if (item.query_id == 0)
            return -EINVAL;
        item.length = query_item(f->dev, &item);
        if (user_write(at, &item, sizeof item))
            return -EFAULT;
    }
    return 0;
}
