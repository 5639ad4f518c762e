/* What core may ask of the GPU: devices, buffer objects, batches. Knows no cl_* object; functions that can
 * fail return 0 or -errno. Everything here may be called from any thread; a batch is filled by one thread
 * at a time. Below it: libdrm_intel (bo.c alone), the packets of gen/cmd.h (state.c, once a generation).
 */
#ifndef SRC_GPU_H
#define SRC_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu;   /* an opened device node */
struct bo;    /* a buffer object */
struct batch; /* commands being collected, or in flight */
struct gen_device;
struct kbin_kernel;

enum { GPU_MAX_LACKS = 8 };

/* What a device turned out to be able to do; filled by gpu_open from probes of the kernel. */
struct gpu_info {
    const struct gen_device *dev;
    char node[64];              /* "/dev/dri/renderD128" */
    char name[96];              /* marketing name */
    uint16_t pci_id, revision;
    uint16_t pci_domain; uint8_t pci_bus, pci_slot, pci_function;
    uint32_t n_subslices, n_eus, n_threads; /* of this part, fused units left out */
    uint64_t aperture_size;     /* bytes of GPU address space that buffers may use together */
    uint64_t max_surface_size;  /* bytes of the largest RAW surface */
    uint32_t max_group_threads; /* hardware threads of one work group */
    uint32_t slm_size;          /* bytes a group; 0 where the kernel does not allow it */
    double timestamp_ns;        /* nanoseconds a tick */
    bool has_userptr, has_softpin, has_prime, llc;
    bool unverified;            /* the id is not listed: taken for a related part by the kernel's figures */
    const char *lacks[GPU_MAX_LACKS]; /* static: what the kernel doesn't let it have, and what that means */
    unsigned n_lacks;
};

/* Opens all usable nodes, at most `max`; returns how many. Never prints. For each node that can't be used,
 * note(ctx, node, reason) is called where note isn't NULL. */
typedef void gpu_note(void *ctx, const char *node, const char *reason);
unsigned gpu_open_all(struct gpu **out, unsigned max, gpu_note *note, void *ctx);
void gpu_close(struct gpu *gpu);
const struct gpu_info *gpu_get_info(const struct gpu *gpu);
/* GPU clock now, in ticks of timestamp_ns, on the same scale as batch timestamps. */
uint64_t gpu_clock(struct gpu *gpu);

/* Buffer objects. Counted; a batch holds a reference to each it uses until it has retired. Size is rounded
 * up to pages. Reuse cache inside, trimmed by gpu_trim. */
struct bo *bo_new(struct gpu *gpu, const char *name, uint64_t size);           /* NULL: out of memory */
struct bo *bo_new_userptr(struct gpu *gpu, const char *name, void *p, uint64_t size); /* page aligned both */
/* Pages of the process that the GPU sees at the same addresses; NULL where those are taken. gpu_find_room
 * tells where such an object could lie in the GPU's address space: the highest place that ends at or below
 * `below`, 0 if there is none or the device can't do it (info.has_softpin and has_userptr say). */
struct bo *bo_new_shared(struct gpu *gpu, const char *name, void *p, uint64_t size);
uint64_t gpu_find_room(struct gpu *gpu, uint64_t size, uint64_t alignment, uint64_t below);
/* An object that another process or driver has made, by its dma_buf (info.has_prime); the descriptor stays the
 * caller's. 0 or -errno: -EINVAL or -EBADF when it is no dma_buf, or none that this device can reach; -E2BIG when
 * it has less than `size` bytes. Imported twice, it is one object. */
int gpu_import(struct gpu *gpu, int fd, uint64_t size, struct bo **out);
bool bo_tiled(struct bo *bo);       /* its maker has tiled it */
struct bo *bo_retain(struct bo *bo);
void bo_release(struct bo *bo);
void *bo_map(struct bo *bo);        /* a lasting, coherent CPU mapping; NULL on failure. No waiting. */
uint64_t bo_size(const struct bo *bo);
/* An object that holds GPU addresses of its own bytes; never from the reuse cache. bo_store_own_address makes
 * `size` bytes (4; 8 with 64-bit pointers) at `offset` hold the address of byte `addend`, wherever the object
 * lies when a batch runs. To be done before its first batch. 0 or -errno. */
struct bo *bo_new_self_addressed(struct gpu *gpu, const char *name, uint64_t size);
int bo_store_own_address(struct bo *bo, uint64_t offset, unsigned size, uint64_t addend);
void gpu_trim(struct gpu *gpu, bool all);
uint64_t gpu_bytes_live(struct gpu *gpu);   /* in objects, cache left out */
uint64_t gpu_bytes_cached(struct gpu *gpu);

/* One kernel launch. Pointers are borrowed for the call. */
struct gpu_image {        /* linear, one level; slices and layers are align(height, 4) rows apart */
    uint8_t type;         /* CMD_SURFACE_1D, _2D, _3D, or _BUFFER (typed; only width counts) */
    bool array;
    uint16_t format;      /* hardware code of the surface format */
    uint8_t texel_size;   /* bytes */
    uint32_t width, height, depth;   /* texels; depth: slices or layers */
    uint32_t row_pitch, slice_pitch; /* bytes */
    uint8_t select[4];    /* CMD_SELECT_* of R, G, B, A; all 0 = as they are. Not on Ivy Bridge */
};
struct gpu_sampler {
    uint8_t wrap[3];      /* CMD_WRAP_* of x, y, z */
    bool linear, normalized;
    uint8_t border;       /* 0: zeros; 1: alpha is 1.0; 2: alpha is integer 1 */
};
struct gpu_surface {
    struct bo *bo;      /* NULL: a null surface */
    uint64_t offset;    /* bytes; dword aligned, of images 64-byte */
    uint64_t size;      /* bytes */
    bool written;
    const struct gpu_image *image; /* KBIN_SURFACE_IMAGE: what the surface looks like; else NULL */
};
struct gpu_address {    /* a GPU address to be written into the push constants */
    uint32_t push_offset; /* bytes from r1.0 */
    uint32_t size;        /* 4 or 8 */
    struct bo *bo;
    uint64_t offset;      /* added to the bo's address */
    bool written;
};
struct gpu_launch {
    const struct kbin_kernel *kernel;
    struct bo *code;          /* holds the kernel's instructions at code_offset (64-byte aligned) */
    uint64_t code_offset;
    const void *push;         /* kernel->n_push_regs * 32 bytes */
    const struct gpu_address *addresses;
    unsigned n_addresses;
    const struct gpu_surface *surfaces; /* kernel->n_surfaces; PRIVATE and WINDOWs are filled in here */
    const struct gpu_sampler *samplers; /* sampler state i of the kernel's messages */
    unsigned n_samplers;
    struct bo *const *resident; /* further objects that the kernel may reach by address */
    unsigned n_resident;
    uint32_t local_size[3];
    uint32_t group_count[3];
    uint32_t slm_size;        /* bytes, static and dynamic together */
    int timestamp_slot;       /* -1, or which pair of batch_times() gets start and end */
};
/* Bound that the push constants and local ids of a whole group set to its size, for this kernel. */
uint32_t gpu_max_group_size(const struct gpu *gpu, const struct kbin_kernel *kernel);

struct batch *batch_new(struct gpu *gpu);   /* NULL: out of memory */
/* Adds a launch, or leaves the batch as it was: -ENOSPC when it is full (submit it and start another),
 * -ENOMEM, -E2BIG when the objects can't be resident together. `after` orders it behind everything in this
 * and earlier batches of the device (flush and stall); without it the launch may overlap. */
int batch_launch(struct batch *b, const struct gpu_launch *l, bool after);
/* The launch of that number, counted from 0, will start no thread. Before the batch is submitted. */
void batch_cancel(struct batch *b, unsigned launch);
bool batch_empty(const struct batch *b);
uint64_t batch_bytes(const struct batch *b); /* bytes of all objects it keeps resident */
/* Hands the batch to the kernel. 0 or -errno (-EIO: device lost; -ENOMEM, -ENOSPC: not resident). The batch
 * is in flight afterwards on success, unchanged on failure; batches of a gpu retire in order. */
int batch_submit(struct batch *b);
/* Waits until a submitted batch has ended. timeout in ns, negative = for ever. 0, -ETIME, or -EIO when
 * the GPU hung in it or it was lost in a reset. */
int batch_wait(struct batch *b, int64_t timeout);
bool batch_busy(struct batch *b);
/* Start and end of slot, in GPU ticks; after batch_wait. */
void batch_times(struct batch *b, unsigned slot, uint64_t *start, uint64_t *end);
void batch_free(struct batch *b); /* waits if it is in flight */

#endif
