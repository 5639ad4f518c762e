/* Devices: finding them, asking the kernel what they are, and what all batches of one share (the
 * hardware context, spill memory, the clock). */
#include "src/gpu/impl.h"

#include "gen/cmd.h"
#include "src/x11/dri2.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <i915_drm.h>
#include <xf86drm.h>

enum { PAGE = 4096, N_RENDER = 64, FIRST_RENDER = 128, N_CARDS = 16, MAX_NODES = 16 };

/* ---- asking the kernel ---- */

/* -errno, or 0 with *value. */
static int getparam(int fd, int param, int *value)
{
    struct drm_i915_getparam gp = {.param = param, .value = value};
    return drmIoctl(fd, DRM_IOCTL_I915_GETPARAM, &gp) ? -errno : 0;
}

static int getparam_or(int fd, int param, int otherwise)
{
    int value;
    return getparam(fd, param, &value) ? otherwise : value;
}

static void lacks(struct gpu_info *info, const char *what)
{
    if (info->n_lacks < GPU_MAX_LACKS)
        info->lacks[info->n_lacks++] = what;
}

/* Subslices and EUs that are not fused off. */
static void read_topology(struct gpu_info *info, int fd)
{
    const struct gen_device *dev = info->dev;
    info->n_subslices = (uint32_t)getparam_or(fd, I915_PARAM_SUBSLICE_TOTAL, 0);
    info->n_eus = (uint32_t)getparam_or(fd, I915_PARAM_EU_TOTAL, 0);
    bool known = info->n_subslices != 0 && info->n_eus >= info->n_subslices;
    /* Scratch memory is as large as the part: no kernel says more of it than there can be. */
    if (!known || info->n_subslices > dev->subslices || info->n_eus > dev->eu_total) {
        if (dev->gen >= 75) /* before, no kernel tells */
            lacks(info, "the kernel does not tell how many execution units there are: assuming "
                        "that none is "
                        "fused off");
        info->n_subslices = dev->subslices;
        info->n_eus = dev->eu_total;
    }
    info->n_threads = info->n_eus * dev->threads_per_eu;
    uint32_t eus_a_subslice = (info->n_eus + info->n_subslices - 1) / info->n_subslices;
    uint32_t threads = eus_a_subslice * dev->threads_per_eu;
    info->max_group_threads = threads < 64 ? threads : 64;
}

/* Bytes of address space for objects that have to be resident together. */
static uint64_t read_aperture(int fd, const struct gen_device *dev, bool softpin)
{
    struct drm_i915_gem_get_aperture a = {0};
    if (softpin) /* all that bo.c places objects in, less what fragmentation may cost */
        return (1ull << 32) / 16 * 15;
    uint64_t space = dev->gen >= 80 ? 1ull << 32 : 1ull << 31;
    if (drmIoctl(fd, DRM_IOCTL_I915_GEM_GET_APERTURE, &a) == 0 && a.aper_size &&
        a.aper_size < space)
        space = a.aper_size;
    return space / 4 * 3; /* shared with the display and other clients */
}

static uint64_t max_surface(int gen)
{
    /* Gen7: what the manual allows for RAW; later: what the field holds, as Intel's driver uses it
     */
    return gen < 80 ? 1ull << 30 : gen < 90 ? 1ull << 31 : 1ull << 32;
}

static void read_pci(struct gpu_info *info, int fd)
{
    drmDevicePtr d;
    info->revision = (uint16_t)getparam_or(fd, I915_PARAM_REVISION, 0);
    if (drmGetDevice2(fd, 0, &d))
        return;
    if (d->bustype == DRM_BUS_PCI) {
        info->pci_domain = d->businfo.pci->domain;
        info->pci_bus = d->businfo.pci->bus;
        info->pci_slot = d->businfo.pci->dev;
        info->pci_function = d->businfo.pci->func;
    }
    drmFreeDevice(&d);
}

static const struct state_ops *ops_of(int gen)
{
    return gen == 70   ? &state_ops_70
           : gen == 75 ? &state_ops_75
           : gen == 80 ? &state_ops_80
                       : &state_ops_90;
}

/* ---- opening ---- */

/* Is it i915, and one of ours? Sets info->dev and pci_id, or says why not. */
static bool identify(int fd, struct gpu_info *info, const char **why)
{
    drmVersionPtr v = drmGetVersion(fd);
    bool i915 = v && v->name_len == 4 && !memcmp(v->name, "i915", 4);
    drmFreeVersion(v);
    *why = "not driven by i915";
    if (!i915)
        return false;
    int id;
    int err = getparam(fd, I915_PARAM_CHIPSET_ID, &id);
    if (err) {
        *why = err == -EACCES ? "not authenticated" : "the kernel does not tell the device's id";
        return false;
    }
    info->pci_id = (uint16_t)id;
    info->dev = gen_device_by_id(info->pci_id);
    if (!info->dev) {
        info->dev = gen_device_related(info->pci_id,
                                       (unsigned)getparam_or(fd, I915_PARAM_SUBSLICE_TOTAL, 0),
                                       (unsigned)getparam_or(fd, I915_PARAM_EU_TOTAL, 0));
        info->unverified = info->dev != NULL;
    }
    *why = "not a GPU of Gen7, 7.5, 8 or 9";
    return info->dev != NULL;
}

/* Takes over fd. NULL with *why set on failure. */
static struct gpu *gpu_new(int fd, const struct gpu_info *known, const char **why)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) {
        *why = "out of memory";
        close(fd);
        return NULL;
    }
    *gpu = (struct gpu){.fd = fd, .info = *known};
    pthread_mutex_init(&gpu->lock, NULL);
    pthread_mutex_init(&gpu->submit, NULL);
    struct gpu_info *info = &gpu->info;
    const struct gen_device *dev = info->dev;
    gpu->ops = ops_of(dev->gen);
    if (info->unverified)
        snprintf(info->name, sizeof info->name, "Intel(R) Graphics (%s, unverified id %04x)",
                 dev->codename, info->pci_id);
    else
        snprintf(info->name, sizeof info->name, "%s", dev->marketing);
    info->llc = getparam_or(fd, I915_PARAM_HAS_LLC, dev->llc) != 0;
    read_topology(info, fd);
    read_pci(info, fd);
    int hz = getparam_or(fd, I915_PARAM_CS_TIMESTAMP_FREQUENCY, 0);
    info->timestamp_ns = 1e9 / (hz > 0 ? hz : (int)dev->timestamp_hz);
    info->slm_size = 65536;
    gpu->l3_atomics = dev->gen == 75 && getparam_or(fd, I915_PARAM_CMD_PARSER_VERSION, 0) >= 4;
    if (dev->gen == 75 && !gpu->l3_atomics)
        lacks(info, "the kernel's command parser (before version 4) keeps atomics out of L3: they "
                    "are slow");

    if (!getparam_or(fd, I915_PARAM_HAS_WAIT_TIMEOUT, 0)) {
        *why = "the kernel is too old: it can't wait with a time limit";
        goto fail;
    }
    if (bufmgr_new(&gpu->mgr, fd, dev, info->llc)) {
        *why = "libdrm_intel does not accept the device";
        goto fail;
    }
    info->has_softpin = bufmgr_has_softpin(gpu->mgr);
    info->has_userptr = bufmgr_has_userptr(gpu->mgr);
    info->has_prime = bufmgr_has_prime(gpu->mgr);
    info->aperture_size = read_aperture(fd, dev, info->has_softpin);
    info->max_surface_size = max_surface(dev->gen);
    if (context_new(&gpu->context, gpu->mgr)) {
        *why = "the kernel gives no hardware context";
        goto fail;
    }
    /* On Gen7 and 7.5 it depends on the kernel's command parser whether batches may set up L3. */
    if (dev->gen < 80 && !batch_probe_slm(gpu)) {
        info->slm_size = 0;
        lacks(info,
              "the kernel does not let programs set up L3: kernels with local memory are refused");
    }
    if (!info->has_userptr)
        lacks(info,
              "the kernel has no userptr: CL_MEM_USE_HOST_PTR copies, no shared virtual memory");
    if (!info->has_prime)
        lacks(info, "the kernel has no PRIME: no memory of others can be imported");
    if (dev->gen >= 80 && !info->has_softpin)
        lacks(info, "the kernel has no softpin: addresses are relocated, no shared virtual memory");
    uint64_t ticks;
    gpu->clock_is_cpu = bufmgr_reg_read(gpu->mgr, REG_TIMESTAMP | 1, &ticks) != 0;
    return gpu;
fail:
    gpu_close(gpu);
    return NULL;
}

/* One node. NULL with *why set, or *why NULL where there is nothing to say. */
static struct gpu *open_node(const char *node, bool card, struct gpu **known, unsigned n_known,
                             const char **why)
{
    *why = NULL;
    int fd = open(node, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT && errno != ENXIO && errno != ENODEV)
            *why = errno == EACCES ? "no permission: the user is not in the node's group"
                                   : strerror(errno);
        return NULL;
    }
    struct gpu_info info = {0};
    snprintf(info.node, sizeof info.node, "%s", node);
    bool ok = identify(fd, &info, why);
    if (!ok && card && *why && dri2_authenticate(node, fd))
        ok = identify(fd, &info, why);
    if (ok && card) { /* the same device may be open by its render node */
        read_pci(&info, fd);
        for (unsigned i = 0; i < n_known && ok; i++) {
            const struct gpu_info *k = &known[i]->info;
            if (k->pci_id == info.pci_id && k->pci_domain == info.pci_domain &&
                k->pci_bus == info.pci_bus && k->pci_slot == info.pci_slot) {
                *why = NULL;
                ok = false;
            }
        }
    }
    if (!ok) {
        close(fd);
        return NULL;
    }
    return gpu_new(fd, &info, why);
}

unsigned gpu_open_all(struct gpu **out, unsigned max, gpu_note *note, void *ctx)
{
    unsigned n = 0;
    for (unsigned i = 0; i < N_RENDER + N_CARDS && n < max; i++) {
        char node[64];
        const char *why;
        bool card = i >= N_RENDER;
        if (card)
            snprintf(node, sizeof node, "/dev/dri/card%u", i - N_RENDER);
        else
            snprintf(node, sizeof node, "/dev/dri/renderD%u", FIRST_RENDER + i);
        out[n] = open_node(node, card, out, n, &why);
        if (out[n])
            n++;
        else if (why && note)
            note(ctx, node, why);
    }
    return n;
}

void gpu_close(struct gpu *gpu)
{
    if (!gpu)
        return;
    context_release(gpu->context);
    bo_release(gpu->scratch);
    bo_release(gpu->private_bo);
    bo_release(gpu->last);
    bufmgr_free(gpu->mgr);
    pthread_mutex_destroy(&gpu->submit);
    pthread_mutex_destroy(&gpu->lock);
    close(gpu->fd);
    free(gpu);
}

const struct gpu_info *gpu_get_info(const struct gpu *gpu)
{
    return &gpu->info;
}

/* ---- objects ---- */

struct bo *bo_new(struct gpu *gpu, const char *name, uint64_t size)
{
    return bufmgr_alloc(gpu->mgr, name, size, BO_DATA);
}

struct bo *bo_new_userptr(struct gpu *gpu, const char *name, void *p, uint64_t size)
{
    return bufmgr_alloc_userptr(gpu->mgr, name, p, size, false);
}

struct bo *bo_new_shared(struct gpu *gpu, const char *name, void *p, uint64_t size)
{
    return bufmgr_alloc_userptr(gpu->mgr, name, p, size, true);
}

int gpu_import(struct gpu *gpu, int fd, uint64_t size, struct bo **out)
{
    return bufmgr_import(gpu->mgr, fd, size, out);
}

uint64_t gpu_find_room(struct gpu *gpu, uint64_t size, uint64_t alignment, uint64_t below)
{
    return bufmgr_find_room(gpu->mgr, size, alignment, below);
}

struct bo *bo_new_self_addressed(struct gpu *gpu, const char *name, uint64_t size)
{
    return bufmgr_alloc(gpu->mgr, name, size, BO_SELF_ADDRESSED);
}

void gpu_trim(struct gpu *gpu, bool all)
{
    struct bo *scratch = NULL, *private_bo = NULL;
    if (all) {
        pthread_mutex_lock(&gpu->lock);
        scratch = gpu->scratch;
        private_bo = gpu->private_bo;
        gpu->scratch = gpu->private_bo = NULL;
        pthread_mutex_unlock(&gpu->lock);
    }
    bo_release(scratch);
    bo_release(private_bo);
    bufmgr_trim(gpu->mgr, all);
}

uint64_t gpu_bytes_live(struct gpu *gpu)
{
    return bufmgr_bytes_live(gpu->mgr);
}

uint64_t gpu_bytes_cached(struct gpu *gpu)
{
    return bufmgr_bytes_cached(gpu->mgr);
}

uint32_t gpu_thread_slots(const struct gpu *gpu)
{
    const struct gen_device *d = gpu->info.dev;
    switch ((enum gen_platform)d->platform) {
    case GEN_IVB:
    case GEN_BYT:
        return d->hw_threads;
    case GEN_HSW: /* slice, subslice, EU (4 bits) and thread (3 bits), in whichever order: 9 bits */
        return 512;
    case GEN_BDW:
        return 3 * 8 * 7 * (d->slices > 2 ? d->slices : 2);
    case GEN_CHV: /* numbered as if no EU were fused off, with a bit to spare */
        return 2 * 8 * 7 * d->subslices;
    case GEN_SKL:
    case GEN_KBL:
    case GEN_CFL: /* numbered as if a slice had 4 subslices */
        return 4 * 8 * 7 * d->slices;
    case GEN_BXT:
    case GEN_GLK:
        return 4 * 6 * 6;
    case GEN_N_PLATFORMS:
        break;
    }
    return 512;
}

/* The object in *slot if it is large enough, else a new one in its place; retained. */
static struct bo *at_least(struct gpu *gpu, struct bo **slot, const char *name, uint64_t bytes)
{
    struct bo *old = NULL, *result = NULL;
    pthread_mutex_lock(&gpu->lock);
    if (*slot && bo_size(*slot) >= bytes)
        result = bo_retain(*slot);
    pthread_mutex_unlock(&gpu->lock);
    if (result)
        return result;
    struct bo *bo = bo_new(gpu, name, bytes);
    if (!bo)
        return NULL;
    pthread_mutex_lock(&gpu->lock);
    old = *slot;
    *slot = bo;
    result = bo_retain(bo);
    pthread_mutex_unlock(&gpu->lock);
    bo_release(old); /* batches that use it hold it */
    return result;
}

struct bo *gpu_scratch(struct gpu *gpu, uint64_t bytes_a_thread)
{
    int code = cmd_scratch_code(gpu->info.dev->gen, (uint32_t)bytes_a_thread);
    if (code < 0)
        return NULL;
    uint64_t bytes = (uint64_t)cmd_scratch_bytes(gpu->info.dev->gen, (unsigned)code);
    return at_least(gpu, &gpu->scratch, "scratch", bytes * gpu_thread_slots(gpu));
}

struct bo *gpu_private(struct gpu *gpu, uint64_t bytes)
{
    return at_least(gpu, &gpu->private_bo, "private", bytes);
}

/* ---- contexts ---- */

int gpu_context(struct gpu *gpu, struct context **out)
{
    int err = 0;
    struct bo *last = NULL;
    pthread_mutex_lock(&gpu->lock);
    if (gpu->context && context_lost(gpu->context)) {
        context_release(gpu->context);
        gpu->context = NULL;
    }
    if (!gpu->context) {
        gpu->new_context = true;
        err = context_new(&gpu->context, gpu->mgr);
    }
    if (!err)
        *out = context_retain(gpu->context);
    if (!err && gpu->new_context && gpu->last)
        last = bo_retain(gpu->last);
    pthread_mutex_unlock(&gpu->lock);
    if (last) {
        bo_wait(last, -1); /* whatever comes of it, nothing runs any more */
        bo_release(last);
    }
    if (!err)
        gpu->new_context = false;
    return err;
}

void gpu_drop_context(struct gpu *gpu, struct context *c)
{
    pthread_mutex_lock(&gpu->lock);
    if (gpu->context == c) {
        context_release(gpu->context);
        gpu->context = NULL;
    }
    pthread_mutex_unlock(&gpu->lock);
}

void gpu_submitted(struct gpu *gpu, struct bo *batch)
{
    pthread_mutex_lock(&gpu->lock);
    struct bo *old = gpu->last;
    gpu->last = bo_retain(batch);
    pthread_mutex_unlock(&gpu->lock);
    bo_release(old);
}

void gpu_retired(struct gpu *gpu, struct bo *batch)
{
    bool last;
    pthread_mutex_lock(&gpu->lock);
    last = gpu->last == batch;
    if (last)
        gpu->last = NULL;
    pthread_mutex_unlock(&gpu->lock);
    if (last)
        bo_release(batch);
}

/* ---- time ---- */

static uint64_t cpu_ticks(const struct gpu *gpu)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    double ns = (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
    return (uint64_t)(ns / gpu->info.timestamp_ns);
}

uint64_t gpu_clock(struct gpu *gpu)
{
    const uint64_t mask = (1ull << TIMESTAMP_BITS) - 1;
    uint64_t t;
    if (gpu->clock_is_cpu || bufmgr_reg_read(gpu->mgr, REG_TIMESTAMP | 1, &t))
        return cpu_ticks(gpu);
    pthread_mutex_lock(&gpu->lock);
    /* the register wraps every hour or so; two threads may have read it in either order */
    uint64_t now = (gpu->clock_last & ~mask) | (t & mask);
    if (now + mask / 2 < gpu->clock_last)
        now += mask + 1;
    if (now > gpu->clock_last)
        gpu->clock_last = now;
    pthread_mutex_unlock(&gpu->lock);
    return now;
}

uint64_t gpu_extend_time(struct gpu *gpu, uint64_t t)
{
    const uint64_t mask = (1ull << TIMESTAMP_BITS) - 1;
    if (gpu->clock_is_cpu)
        return t & mask;
    uint64_t now = gpu_clock(gpu);
    uint64_t full = (now & ~mask) | (t & mask);
    return full > now && full > mask ? full - mask - 1 : full;
}

uint32_t gpu_max_group_size(const struct gpu *gpu, const struct kbin_kernel *k)
{
    uint32_t threads = gpu->info.max_group_threads, room = gpu->info.dev->curbe_regs;
    uint32_t ids = launch_id_regs(k), each = gpu->info.dev->gen == 70 ? k->n_push_regs + ids : ids;
    if (gpu->info.dev->gen != 70)
        room = room > k->n_push_regs ? room - k->n_push_regs : 0;
    if (each && room / each < threads)
        threads = room / each;
    return threads * k->simd;
}
