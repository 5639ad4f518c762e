/* See fake_gpu.h. */
#include "fake_gpu.h"

#include "gen/device.h"
#include "gen/kbin.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct bo {
    atomic_uint refs;
    uint64_t size;
    void *p;
    bool userptr, self_addressed;
};

struct launch {
    struct launch *next;
    char name[64];
    bool after, cancelled;
    int slot;
    struct fake_launch l;
};

struct batch {
    struct batch *next; /* in the queue of submitted ones */
    struct launch *first, **last;
    unsigned n_launches, n_bos;
    struct bo **bos;
    uint64_t bytes;
    bool submitted, ended;
    int result;
    uint64_t times[1024][2];
};

struct gpu {
    struct gpu_info info;
};

static struct gpu gpus[4];
static unsigned n_gpus = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct batch *queue, **queue_end = &queue; /* lock */
static bool held, started;                        /* lock */
static int hang_after = -1;                       /* lock */
static unsigned delay_us, batch_size = 256, n_batches, n_launches;
static atomic_uint live_bos;
static atomic_ullong live_bytes;
static uint64_t memory = UINT64_C(1) << 40;
static char refused[64]; /* lock */
static fake_kernel run_copy, run_fill;
static struct {
    char name[64];
    fake_kernel *run;
    uint64_t ns; /* lock; a group */
} kernels[32] = {{"copy", run_copy, 0}, {"fill", run_fill, 0}};
static unsigned n_kernels = 2;
static atomic_ullong forward_ns;         /* of the GPU's clock */
static uint64_t batch_ns, longest_batch; /* lock */

void fake_gpu_kernel(const char *name, fake_kernel *run)
{
    for (unsigned i = 0; i < n_kernels; i++)
        if (!strcmp(kernels[i].name, name))
            return;
    snprintf(kernels[n_kernels].name, sizeof kernels[0].name, "%s", name);
    kernels[n_kernels++].run = run;
}

/* ---- the driver's own kernels, as transfer.cl says ---- */

/* A parameter of the launch; 0 where the kernel has none of the kind. */
static uint32_t param(const struct fake_launch *l, unsigned kind, unsigned index, unsigned src)
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < l->kernel->n_params; i++) {
        const struct kbin_param *p = &l->kernel->params[i];
        if (p->kind == kind && p->index == index && p->src == src)
            memcpy(&v, l->push + p->offset, 4);
    }
    return v;
}

static uint8_t *argument_buffer(const struct fake_launch *l, unsigned arg)
{
    for (unsigned i = 0; i < l->kernel->n_surfaces; i++)
        if (l->kernel->surfaces[i].kind == KBIN_SURFACE_ARG && l->kernel->surfaces[i].index == arg)
            return l->surfaces[i].p;
    abort();
}

/* A box of bytes as three arguments give it. */
struct place {
    uint8_t *p;
    uint32_t offset, row, slice;
};

static struct place place(const struct fake_launch *l, unsigned buffer_arg)
{
    uint32_t v[3];
    for (unsigned i = 0; i < 3; i++)
        v[i] = param(l, KBIN_PARAM_ARG, buffer_arg + 1 + i, 0);
    return (struct place){argument_buffer(l, buffer_arg), v[0], v[1], v[2]};
}

/* Each work-item's bytes of the target, one after the other: fn(byte of the surface, byte of the
 * row, row, slice). */
struct item_bytes {
    const struct fake_launch *l;
    struct place dst, src;
    uint8_t pattern[16];
};
static void items_run(struct item_bytes *b, uint32_t step,
                      void (*fn)(struct item_bytes *b, uint32_t at, uint32_t i, uint32_t y,
                                 uint32_t z))
{
    const struct fake_launch *l = b->l;
    uint32_t first[3], end[3], n = param(l, KBIN_PARAM_ARG, 4, 0);
    for (unsigned d = 0; d < 3; d++) {
        first[d] = param(l, KBIN_PARAM_GROUP_OFFSET, d, 0) *
                       param(l, KBIN_PARAM_ENQUEUED_LOCAL_SIZE, d, 0) +
                   param(l, KBIN_PARAM_GLOBAL_OFFSET, d, 0);
        end[d] = first[d] + l->group_count[d] * l->local_size[d];
    }
    for (uint32_t z = first[2]; z < end[2]; z++)
        for (uint32_t y = first[1]; y < end[1]; y++)
            for (uint32_t x = first[0]; x < end[0]; x++) {
                uint32_t start = b->dst.offset + y * b->dst.row + z * b->dst.slice;
                uint32_t at = start / 16 * 16 + x * step;
                for (uint32_t i = at; i < at + 16; i++)
                    if (i >= start && i < start + n)
                        fn(b, i, i - start, y, z);
            }
}

static void copy_byte(struct item_bytes *b, uint32_t at, uint32_t i, uint32_t y, uint32_t z)
{
    b->dst.p[at] = b->src.p[b->src.offset + y * b->src.row + z * b->src.slice + i];
}

static void fill_byte(struct item_bytes *b, uint32_t at, uint32_t i, uint32_t y, uint32_t z)
{
    b->dst.p[at] = b->pattern[at % 16];
}

static void run_copy(const struct fake_launch *l)
{
    struct item_bytes b = {.l = l, .dst = place(l, 0), .src = place(l, 5)};
    items_run(&b, 16, copy_byte);
}

static void run_fill(const struct fake_launch *l)
{
    struct item_bytes b = {.l = l, .dst = place(l, 0)};
    for (unsigned i = 0; i < 4; i++) {
        uint32_t v = param(l, KBIN_PARAM_ARG, 6, 4 * i);
        memcpy(b.pattern + 4 * i, &v, 4);
    }
    items_run(&b, param(l, KBIN_PARAM_ARG, 5, 0), fill_byte);
}

static void set(unsigned *to, unsigned value)
{
    pthread_mutex_lock(&lock);
    *to = value;
    pthread_mutex_unlock(&lock);
}

static unsigned get(unsigned *from)
{
    pthread_mutex_lock(&lock);
    unsigned value = *from;
    pthread_mutex_unlock(&lock);
    return value;
}

void fake_gpu_cost(const char *name, uint64_t ns)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_kernels; i++)
        if (!strcmp(kernels[i].name, name))
            kernels[i].ns = ns;
    pthread_mutex_unlock(&lock);
}

uint64_t fake_gpu_longest(void)
{
    pthread_mutex_lock(&lock);
    uint64_t ns = longest_batch;
    longest_batch = 0;
    pthread_mutex_unlock(&lock);
    return ns;
}

void fake_gpu_refuse(const char *name)
{
    pthread_mutex_lock(&lock);
    snprintf(refused, sizeof refused, "%s", name ? name : "");
    pthread_mutex_unlock(&lock);
}

static bool refuses(const char *name)
{
    pthread_mutex_lock(&lock);
    bool is = !strcmp(name, refused);
    pthread_mutex_unlock(&lock);
    return is;
}

void fake_gpu_delay(unsigned microseconds)
{
    set(&delay_us, microseconds);
}

void fake_gpu_batch_size(unsigned n)
{
    set(&batch_size, n);
}

void fake_gpu_hold(bool hold)
{
    pthread_mutex_lock(&lock);
    held = hold;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void fake_gpu_hang_after(int n)
{
    pthread_mutex_lock(&lock);
    hang_after = n;
    pthread_mutex_unlock(&lock);
}

void fake_gpu_memory(uint64_t bytes)
{
    memory = bytes;
}

unsigned fake_gpu_batches(void)
{
    return get(&n_batches);
}

unsigned fake_gpu_launches(void)
{
    return get(&n_launches);
}

unsigned fake_gpu_live_bos(void)
{
    return atomic_load(&live_bos);
}

unsigned gpu_open_all(struct gpu **out, unsigned max, gpu_note *note, void *ctx)
{
    const struct gen_device *dev = gen_device_by_name("hsw-gt2");
    if (!max || !dev)
        return 0;
    for (unsigned i = 0; i < n_gpus && i < max; i++) {
        gpus[i].info = (struct gpu_info){.dev = dev,
                                         .name = "fake",
                                         .pci_id = dev->pci_id,
                                         .n_subslices = 2,
                                         .n_eus = 20,
                                         .n_threads = 140,
                                         .aperture_size = UINT64_C(2) << 30,
                                         .max_surface_size = UINT64_C(1) << 30,
                                         .max_group_threads = 64,
                                         .slm_size = 65536,
                                         .timestamp_ns = 80,
                                         .has_userptr = true,
                                         .llc = true};
        snprintf(gpus[i].info.node, sizeof gpus[i].info.node, "/dev/dri/renderD%u", 128 + i);
        out[i] = &gpus[i];
    }
    return n_gpus < max ? n_gpus : max;
}

void fake_gpu_devices(unsigned n)
{
    n_gpus = n;
}

void gpu_close(struct gpu *gpu) {}

const struct gpu_info *gpu_get_info(const struct gpu *gpu)
{
    return &gpu->info;
}

uint64_t gpu_clock(struct gpu *gpu)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec + atomic_load(&forward_ns)) / 80;
}

struct bo *bo_new(struct gpu *gpu, const char *name, uint64_t size)
{
    size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (atomic_load(&live_bytes) + size > memory)
        return NULL;
    struct bo *bo = calloc(1, sizeof *bo);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!bo || p == MAP_FAILED) {
        free(bo);
        return NULL;
    }
    *bo = (struct bo){.refs = 1, .size = size, .p = p};
    atomic_fetch_add(&live_bos, 1);
    atomic_fetch_add(&live_bytes, size);
    return bo;
}

struct bo *bo_new_userptr(struct gpu *gpu, const char *name, void *p, uint64_t size)
{
    struct bo *bo = calloc(1, sizeof *bo);
    if (!bo || (uintptr_t)p % PAGE || size % PAGE)
        abort();
    *bo = (struct bo){.refs = 1, .size = size, .p = p, .userptr = true};
    atomic_fetch_add(&live_bos, 1);
    atomic_fetch_add(&live_bytes, size);
    return bo;
}

struct bo *bo_new_shared(struct gpu *gpu, const char *name, void *p, uint64_t size)
{
    return NULL; /* the device has no softpin */
}

uint64_t gpu_find_room(struct gpu *gpu, uint64_t size, uint64_t alignment, uint64_t below)
{
    return 0;
}

int gpu_import(struct gpu *gpu, int fd, uint64_t size, struct bo **out)
{
    return -EINVAL;
}

bool bo_tiled(struct bo *bo)
{
    return false;
}

struct bo *bo_new_self_addressed(struct gpu *gpu, const char *name, uint64_t size)
{
    struct bo *bo = bo_new(gpu, name, size);
    if (bo)
        bo->self_addressed = true;
    return bo;
}

int bo_store_own_address(struct bo *bo, uint64_t offset, unsigned size, uint64_t addend)
{
    if (!bo->self_addressed || (size != 4 && size != 8) || offset % 4 || size > bo->size ||
        offset > bo->size - size)
        return -EINVAL;
    uint64_t at = (uintptr_t)bo->p + addend;
    memcpy((char *)bo->p + offset, &at, size);
    return 0;
}

struct bo *bo_retain(struct bo *bo)
{
    atomic_fetch_add(&bo->refs, 1);
    return bo;
}

void bo_release(struct bo *bo)
{
    if (!bo || atomic_fetch_sub(&bo->refs, 1) != 1)
        return;
    atomic_fetch_sub(&live_bos, 1);
    atomic_fetch_sub(&live_bytes, bo->size);
    if (!bo->userptr)
        munmap(bo->p, bo->size);
    free(bo);
}

void *bo_map(struct bo *bo)
{
    return bo->p;
}

uint64_t bo_size(const struct bo *bo)
{
    return bo->size;
}

void gpu_trim(struct gpu *gpu, bool all) {}

uint64_t gpu_bytes_live(struct gpu *gpu)
{
    return atomic_load(&live_bytes);
}

uint64_t gpu_bytes_cached(struct gpu *gpu)
{
    return 0;
}

uint32_t gpu_max_group_size(const struct gpu *gpu, const struct kbin_kernel *kernel)
{
    return kernel->simd * 16;
}

struct batch *batch_new(struct gpu *gpu)
{
    struct batch *b = calloc(1, sizeof *b);
    if (b)
        b->last = &b->first;
    return b;
}

static void batch_use(struct batch *b, struct bo *bo)
{
    for (unsigned i = 0; i < b->n_bos; i++)
        if (b->bos[i] == bo)
            return;
    b->bos = realloc(b->bos, (b->n_bos + 1) * sizeof *b->bos);
    b->bos[b->n_bos++] = bo_retain(bo);
    b->bytes += bo->size;
}

int batch_launch(struct batch *b, const struct gpu_launch *g, bool after)
{
    if (b->n_launches >= get(&batch_size) || g->timestamp_slot >= 1024)
        return -ENOSPC;
    if (refuses(g->kernel->name))
        return -E2BIG;
    struct launch *l = calloc(1, sizeof *l);
    snprintf(l->name, sizeof l->name, "%s", g->kernel->name);
    l->l.kernel = g->kernel;
    l->after = after;
    l->slot = g->timestamp_slot;
    l->l.push = malloc(g->kernel->n_push_regs * 32 + 1);
    memcpy(l->l.push, g->push, g->kernel->n_push_regs * 32);
    for (unsigned i = 0; i < g->n_addresses; i++) {
        uint64_t at = (uintptr_t)g->addresses[i].bo->p + g->addresses[i].offset;
        memcpy(l->l.push + g->addresses[i].push_offset, &at, g->addresses[i].size);
        batch_use(b, g->addresses[i].bo);
    }
    l->l.n_surfaces = g->kernel->n_surfaces;
    for (unsigned i = 0; i < g->kernel->n_surfaces; i++) {
        const struct gpu_surface *s = &g->surfaces[i];
        if (!s->bo)
            continue;
        if (s->offset % 64 || s->offset + s->size > s->bo->size)
            abort();
        l->l.surfaces[i] =
            (struct fake_surface){(uint8_t *)s->bo->p + s->offset, s->size, s->written};
        batch_use(b, s->bo);
    }
    batch_use(b, g->code);
    l->l.simd = g->kernel->simd;
    memcpy(l->l.local_size, g->local_size, sizeof l->l.local_size);
    memcpy(l->l.group_count, g->group_count, sizeof l->l.group_count);
    *b->last = l;
    b->last = &l->next;
    b->n_launches++;
    return 0;
}

void batch_cancel(struct batch *b, unsigned launch)
{
    struct launch *l = b->first;
    while (launch--)
        l = l->next;
    l->cancelled = true;
}

bool batch_empty(const struct batch *b)
{
    return b->n_launches == 0;
}

uint64_t batch_bytes(const struct batch *b)
{
    return b->bytes;
}

static void run_one(struct batch *b, struct launch *l)
{
    uint64_t start = gpu_clock(NULL);
    for (unsigned i = 0; i < n_kernels; i++) {
        if (strcmp(kernels[i].name, l->name))
            continue;
        if (!l->cancelled)
            kernels[i].run(&l->l);
        const uint32_t *n = l->l.group_count;
        pthread_mutex_lock(&lock);
        uint64_t ns = kernels[i].ns * n[0] * n[1] * n[2];
        batch_ns += ns;
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&forward_ns, ns);
    }
    if (l->slot >= 0) {
        b->times[l->slot][0] = start;
        b->times[l->slot][1] = gpu_clock(NULL);
    }
    pthread_mutex_lock(&lock);
    n_launches++;
    pthread_mutex_unlock(&lock);
}

/* Launches up to the next that is ordered behind them may overlap: any order will do. */
static void run_batch(struct batch *b)
{
    static unsigned seed = 1;
    struct launch *some[1024];
    for (struct launch *l = b->first; l;) {
        unsigned n = 0;
        do {
            some[n++] = l;
            l = l->next;
        } while (l && !l->after && n < 1024);
        while (n) {
            unsigned i = (unsigned)rand_r(&seed) % n;
            run_one(b, some[i]);
            some[i] = some[--n];
        }
    }
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!queue || held)
            pthread_cond_wait(&changed, &lock);
        struct batch *b = queue;
        bool hang = hang_after == 0;
        if (hang_after >= 0)
            hang_after--;
        unsigned delay = delay_us;
        pthread_mutex_unlock(&lock);
        if (delay)
            usleep(delay);
        if (!hang)
            run_batch(b);
        pthread_mutex_lock(&lock);
        b->result = hang ? -EIO : 0;
        longest_batch = batch_ns > longest_batch ? batch_ns : longest_batch;
        batch_ns = 0;
        b->ended = true;
        queue = b->next;
        if (!queue)
            queue_end = &queue;
        pthread_cond_broadcast(&changed);
    }
    return arg;
}

int batch_submit(struct batch *b)
{
    pthread_mutex_lock(&lock);
    if (!started) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
        started = true;
    }
    b->submitted = true;
    *queue_end = b;
    queue_end = &b->next;
    n_batches++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int batch_wait(struct batch *b, int64_t timeout)
{
    pthread_mutex_lock(&lock);
    while (!b->ended)
        pthread_cond_wait(&changed, &lock);
    int r = b->result;
    pthread_mutex_unlock(&lock);
    return r;
}

bool batch_busy(struct batch *b)
{
    pthread_mutex_lock(&lock);
    bool busy = !b->ended;
    pthread_mutex_unlock(&lock);
    return busy;
}

void batch_times(struct batch *b, unsigned slot, uint64_t *start, uint64_t *end)
{
    *start = b->times[slot][0];
    *end = b->times[slot][1];
}

void batch_free(struct batch *b)
{
    if (!b)
        return;
    if (b->submitted)
        batch_wait(b, -1);
    for (struct launch *l = b->first, *next; l; l = next) {
        next = l->next;
        free(l->l.push);
        free(l);
    }
    for (unsigned i = 0; i < b->n_bos; i++)
        bo_release(b->bos[i]);
    free(b->bos);
    free(b);
}
