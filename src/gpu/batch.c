/* Batches: collecting launches, submitting, waiting. A batch grows in memory of its own, part by
 * part, with addresses noted as fixups; submission puts the parts into one buffer object, around
 * them what the whole batch needs (state.c), and resolves the addresses. So a launch that fails
 * half-way is simply cut off again, and set-up that depends on all launches (local memory in L3,
 * scratch, size of the constants) is decided when all are known.
 *
 * A batch is used by one thread at a time, except that gpu->lock guards its retirement. */
#include "src/gpu/impl.h"

#include "gen/cmd.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_COMMANDS = 256 << 10, /* bytes of a part, past which a batch counts as full */
    MAX_SURFACES = 1 << 20,
    MAX_DYNAMIC = 8 << 20, /* border colours have to lie in the first 16 MiB */
    MAX_SLOTS = 4096,
    PAGE = 4096,
};

struct batch *batch_new(struct gpu *gpu)
{
    struct batch *b = calloc(1, sizeof *b);
    if (b)
        b->gpu = gpu;
    return b;
}

/* ---- growing ---- */

static bool grow(void **p, uint32_t *capacity, uint32_t need, size_t item)
{
    if (need <= *capacity)
        return true;
    uint32_t n = *capacity * 2 > need ? *capacity * 2 : need < 64 ? 64 : need;
    void *q = realloc(*p, n * item);
    if (!q)
        return false;
    *p = q;
    *capacity = n;
    return true;
}

void *batch_room(struct batch *b, enum part part, uint32_t size, uint32_t align, uint32_t *at)
{
    struct section *s = &b->part[part];
    uint32_t start = (s->size + align - 1) & ~(align - 1);
    if (!grow((void **)&s->data, &s->capacity, start + size, 1))
        return NULL;
    memset(s->data + s->size, 0, start + size - s->size);
    s->size = start + size;
    *at = start;
    return s->data + start;
}

int batch_address(struct batch *b, enum part p, uint32_t at, unsigned size, enum target t,
                  struct bo *bo, uint64_t delta, bool written)
{
    if (!grow((void **)&b->fixups, &b->cap_fixups, b->n_fixups + 1, sizeof *b->fixups))
        return -ENOMEM;
    b->fixups[b->n_fixups++] = (struct fixup){bo, delta, at, p, t, size, written};
    return 0;
}

static uint32_t hash_of(const struct bo *bo, uint32_t n)
{
    return (uint32_t)(((uintptr_t)bo >> 4) * 0x9e3779b97f4a7c15ull >> 32) & (n - 1);
}

static void hash_insert(struct batch *b, uint32_t index)
{
    uint32_t h = hash_of(b->uses[index].bo, b->n_hash);
    while (b->hash[h])
        h = (h + 1) & (b->n_hash - 1);
    b->hash[h] = index + 1;
}

static void hash_rebuild(struct batch *b)
{
    memset(b->hash, 0, b->n_hash * sizeof *b->hash);
    for (uint32_t i = 0; i < b->n_uses; i++)
        hash_insert(b, i);
}

int batch_use(struct batch *b, struct bo *bo, bool written)
{
    if (b->n_hash) {
        for (uint32_t h = hash_of(bo, b->n_hash); b->hash[h]; h = (h + 1) & (b->n_hash - 1)) {
            struct bo_use *u = &b->uses[b->hash[h] - 1];
            if (u->bo == bo) {
                u->written |= written;
                return 0;
            }
        }
    }
    if (!grow((void **)&b->uses, &b->cap_uses, b->n_uses + 1, sizeof *b->uses))
        return -ENOMEM;
    if (2 * (b->n_uses + 1) > b->n_hash) {
        uint32_t n = b->n_hash ? b->n_hash * 2 : 64;
        uint32_t *hash = calloc(n, sizeof *hash);
        if (!hash)
            return -ENOMEM;
        free(b->hash);
        b->hash = hash;
        b->n_hash = n;
        hash_rebuild(b);
    }
    b->uses[b->n_uses++] = (struct bo_use){bo_retain(bo), written};
    b->bytes += bo_size(bo);
    hash_insert(b, b->n_uses - 1);
    return 0;
}

static void drop_uses(struct batch *b, uint32_t from)
{
    for (uint32_t i = from; i < b->n_uses; i++) {
        b->bytes -= bo_size(b->uses[i].bo);
        bo_release(b->uses[i].bo);
    }
    b->n_uses = from;
}

/* ---- a launch ---- */

static int check(const struct gpu *gpu, const struct gpu_launch *l)
{
    const struct kbin_kernel *k = l->kernel;
    if (k->simd != 8 && k->simd != 16 && k->simd != 32)
        return -EINVAL;
    for (unsigned d = 0; d < 3; d++) {
        if (l->local_size[d] == 0 || l->local_size[d] > 65536)
            return -EINVAL;
    }
    uint32_t n = launch_threads(k, l->local_size);
    if (n > gpu->info.max_group_threads ||
        launch_curbe_regs(gpu->info.dev->gen, k, n) > gpu->info.dev->curbe_regs)
        return -EINVAL;
    if (l->slm_size > gpu->info.slm_size)
        return -EINVAL;
    if (l->timestamp_slot >= MAX_SLOTS)
        return -ENOSPC;
    return 0;
}

static bool has_private(const struct kbin_kernel *k)
{
    for (unsigned i = 0; i < k->n_surfaces; i++) {
        if (k->surfaces[i].kind == KBIN_SURFACE_PRIVATE)
            return true;
    }
    return false;
}

/* Sizes of a batch, to go back to. */
struct mark {
    uint32_t part[N_PARTS], n_fixups, n_uses, n_hash;
};

static struct mark mark(const struct batch *b)
{
    struct mark m = {.n_fixups = b->n_fixups, .n_uses = b->n_uses, .n_hash = b->n_hash};
    for (unsigned p = 0; p < N_PARTS; p++)
        m.part[p] = b->part[p].size;
    return m;
}

static void go_back(struct batch *b, const struct mark *m)
{
    for (unsigned p = 0; p < N_PARTS; p++)
        b->part[p].size = m->part[p];
    b->n_fixups = m->n_fixups;
    if (b->n_uses != m->n_uses) {
        drop_uses(b, m->n_uses);
        hash_rebuild(b);
    }
}

/* Is this launch more than the batch can hold? The first launch of a batch fits, or never will. */
static int check_limits(const struct batch *b)
{
    int full = b->n_launches ? -ENOSPC : -E2BIG;
    if (b->part[PART_COMMANDS].size > MAX_COMMANDS || b->part[PART_SURFACES].size > MAX_SURFACES ||
        b->part[PART_DYNAMIC].size > MAX_DYNAMIC)
        return full;
    /* the rest: our own objects, and what begin() adds */
    if (b->n_fixups + b->n_uses + 64 > bufmgr_max_fixups(b->gpu->mgr))
        return full;
    if (b->bytes + MAX_DYNAMIC > b->gpu->info.aperture_size)
        return full;
    return 0;
}

static bool more_walkers(struct batch *b)
{
    uint32_t cap = b->cap_walkers ? 2 * b->cap_walkers : 32;
    uint32_t *walkers = realloc(b->walkers, cap * sizeof *walkers);
    if (!walkers)
        return false;
    b->walkers = walkers;
    b->cap_walkers = cap;
    return true;
}

int batch_launch(struct batch *b, const struct gpu_launch *l, bool after)
{
    const struct kbin_kernel *k = l->kernel;
    struct bo *private_bo = NULL;
    assert(!b->submitted);
    int err = check(b->gpu, l);
    if (err)
        return err;

    uint32_t stride = has_private(k) ? k->simd * k->private_size : 0;
    if (stride) {
        private_bo = gpu_private(b->gpu, (uint64_t)gpu_thread_slots(b->gpu) * stride);
        if (!private_bo)
            return -ENOMEM;
    }
    /* Launches that may overlap share the private memory only if they divide it alike. */
    bool barrier =
        b->n_launches && (after || (stride && b->private_stride && stride != b->private_stride));

    if (b->n_launches == b->cap_walkers && !more_walkers(b)) {
        bo_release(private_bo);
        return -ENOMEM;
    }
    struct mark m = mark(b);
    err = b->gpu->ops->launch(b, l, private_bo, barrier, &b->walkers[b->n_launches]);
    for (unsigned i = 0; i < l->n_resident && !err; i++)
        err = batch_use(b, l->resident[i], true);
    bo_release(private_bo); /* the batch has its own reference */
    if (!err)
        err = check_limits(b);
    if (err == -ENOSPC && b->n_launches == 0)
        err = -E2BIG;
    if (err) {
        go_back(b, &m);
        /* the last launch's states may be cut off or not: forget them */
        b->surfaces.size = UINT32_MAX;
        b->ids.n_threads = 0;
        return err;
    }

    uint32_t regs = launch_curbe_regs(b->gpu->info.dev->gen, k, launch_threads(k, l->local_size));
    if (regs > b->curbe_regs)
        b->curbe_regs = regs;
    if (k->scratch_size > b->scratch_size)
        b->scratch_size = k->scratch_size;
    if (l->timestamp_slot >= 0 && (uint32_t)l->timestamp_slot >= b->n_slots)
        b->n_slots = (uint32_t)l->timestamp_slot + 1;
    if (l->slm_size)
        b->uses_slm = true;
    if (barrier)
        b->private_stride = 0;
    if (stride)
        b->private_stride = stride;
    b->n_launches++;
    return 0;
}

/* A walker of zeros is so many MI_NOOP. */
void batch_cancel(struct batch *b, unsigned launch)
{
    uint8_t *commands = b->part[PART_COMMANDS].data;
    assert(!b->submitted && launch < b->n_launches);
    if (b->walkers[launch] != UINT32_MAX)
        memset(commands + b->walkers[launch], 0,
               4 * cmd_length(b->gpu->info.dev->gen, CMD_GPGPU_WALKER));
}

bool batch_empty(const struct batch *b)
{
    return b->n_launches == 0;
}

uint64_t batch_bytes(const struct batch *b)
{
    return b->bytes;
}

/* ---- submission ---- */

static uint32_t round_up(uint32_t n, uint32_t to)
{
    return (n + to - 1) & ~(to - 1);
}

/* Where things end up in the batch object. */
struct layout {
    uint32_t commands, used; /* launches' commands; bytes of all commands */
    uint32_t base[N_PARTS], spare, size;
};

static struct layout lay_out(const struct batch *b, uint32_t begin_dw, uint32_t end_dw)
{
    struct layout l = {.commands = begin_dw * 4};
    l.base[PART_COMMANDS] = l.commands;
    l.used = round_up(l.commands + b->part[PART_COMMANDS].size + end_dw * 4, 8);
    l.base[PART_SURFACES] = round_up(l.used, PAGE);
    l.base[PART_DYNAMIC] = round_up(l.base[PART_SURFACES] + b->part[PART_SURFACES].size, PAGE);
    l.spare = round_up(l.base[PART_DYNAMIC] + b->part[PART_DYNAMIC].size, 8);
    l.size = l.spare + 8 * (b->n_uses + 2); /* our own two objects come on top */
    return l;
}

static struct bo_fixup resolve(const struct batch *b, const struct layout *l, const struct fixup *f)
{
    struct bo_fixup r = {.at = f->at, .size = f->size, .delta = f->delta, .written = f->written};
    switch ((enum target)f->target) {
    case TARGET_BO:
        r.target = f->bo;
        break;
    case TARGET_SURFACES:
        r.target = b->bo;
        r.delta += l->base[PART_SURFACES];
        break;
    case TARGET_DYNAMIC:
        r.target = b->bo;
        r.delta += l->base[PART_DYNAMIC];
        break;
    case TARGET_SCRATCH:
        r.target = b->scratch;
        break;
    case TARGET_TIMES:
        r.target = b->times;
        break;
    }
    return r;
}

/* Puts the batch together in b->bo and submits it. */
static int assemble(struct batch *b)
{
    uint32_t begin[STATE_MAX_DWORDS], end[STATE_MAX_DWORDS];
    struct fixup own[STATE_MAX_FIXUPS];
    unsigned n_own = 0;
    uint32_t begin_dw = b->gpu->ops->begin(b, begin, own, &n_own);
    uint32_t end_dw = b->gpu->ops->end(b, end);
    struct layout l = lay_out(b, begin_dw, end_dw);
    struct bo_fixup *fixups = malloc((b->n_fixups + n_own) * sizeof *fixups);
    struct bo_use *uses = malloc((b->n_uses + 2) * sizeof *uses);
    char *map;
    int err = -ENOMEM;
    b->bo = bufmgr_alloc(b->gpu->mgr, "batch", l.size, BO_BATCH);
    if (!fixups || !uses || !b->bo || !(map = bo_map(b->bo)))
        goto done;

    uint32_t commands = b->part[PART_COMMANDS].size;
    memcpy(map, begin, begin_dw * 4);
    if (commands)
        memcpy(map + l.commands, b->part[PART_COMMANDS].data, commands);
    memcpy(map + l.commands + commands, end, end_dw * 4);
    memset(map + l.commands + commands + end_dw * 4, 0,
           l.used - l.commands - commands - end_dw * 4);
    for (unsigned p = PART_SURFACES; p < N_PARTS; p++) {
        if (b->part[p].size)
            memcpy(map + l.base[p], b->part[p].data, b->part[p].size);
    }

    uint32_t n = 0, n_uses = b->n_uses;
    for (unsigned i = 0; i < n_own; i++)
        fixups[n++] = resolve(b, &l, &own[i]);
    for (uint32_t i = 0; i < b->n_fixups; i++) {
        fixups[n] = resolve(b, &l, &b->fixups[i]);
        fixups[n++].at += l.base[b->fixups[i].part];
    }
    if (n_uses)
        memcpy(uses, b->uses, n_uses * sizeof *uses);
    if (b->scratch)
        uses[n_uses++] = (struct bo_use){b->scratch, true};
    if (b->times)
        uses[n_uses++] = (struct bo_use){b->times, true};
    struct bo_exec e = {.batch = b->bo,
                        .used = l.used,
                        .uses = uses,
                        .fixups = fixups,
                        .n_uses = n_uses,
                        .n_fixups = n,
                        .spare = l.spare};
    err = bo_submit(b->context, &e);
done:
    free(fixups);
    free(uses);
    if (err) {
        bo_release(b->bo);
        b->bo = NULL;
    }
    return err;
}

/* Objects that the batch needs itself: spill memory and room for its times. */
static int own_objects(struct batch *b)
{
    if (b->scratch_size && !b->scratch) {
        b->scratch = gpu_scratch(b->gpu, b->scratch_size);
        if (!b->scratch)
            return -ENOMEM;
    }
    if (b->n_slots && !b->times) {
        b->times = bo_new(b->gpu, "times", 16 * (uint64_t)b->n_slots);
        if (!b->times)
            return -ENOMEM;
        void *map = bo_map(b->times);
        if (!map)
            return -ENOMEM;
        memset(map, 0, 16 * (size_t)b->n_slots);
    }
    return 0;
}

/* gpu->submit is held. */
static int submit(struct batch *b)
{
    int err = own_objects(b);
    /* Once more, where a second try can help: in a new context, or without what the cache holds. */
    for (unsigned tries = 0; !err && tries < 2; tries++) {
        err = gpu_context(b->gpu, &b->context);
        if (err)
            break;
        err = assemble(b);
        if (!err)
            return 0;
        if (err == -EIO)
            gpu_drop_context(b->gpu, b->context);
        else
            gpu_trim(b->gpu, true);
        context_release(b->context);
        b->context = NULL;
        if (tries == 0 && (err == -EIO || err == -ENOMEM || err == -ENOSPC))
            err = 0;
    }
    bo_release(b->scratch);
    bo_release(b->times);
    b->scratch = b->times = NULL;
    return err;
}

int batch_submit(struct batch *b)
{
    assert(!b->submitted);
    pthread_mutex_lock(&b->gpu->submit);
    int err = submit(b);
    if (!err) {
        b->submitted = true;
        gpu_submitted(b->gpu, b->bo);
    }
    pthread_mutex_unlock(&b->gpu->submit);
    return err;
}

/* ---- completion ---- */

static void retire(struct batch *b, int status)
{
    pthread_mutex_lock(&b->gpu->lock);
    bool first = !b->retired;
    if (first) {
        b->retired = true;
        b->status = status;
    }
    pthread_mutex_unlock(&b->gpu->lock);
    if (!first)
        return;
    gpu_retired(b->gpu, b->bo);
    drop_uses(b, 0);
    bo_release(b->scratch);
    b->scratch = NULL;
}

int batch_wait(struct batch *b, int64_t timeout)
{
    if (!b->submitted)
        return -EINVAL;
    if (!b->retired) {
        int err = bo_wait(b->bo, timeout);
        if (err == -ETIME)
            return err;
        /* the wait itself succeeds after a hang too: only the context knows */
        retire(b, err || context_lost(b->context) ? -EIO : 0);
    }
    return b->status;
}

bool batch_busy(struct batch *b)
{
    return b->submitted && !b->retired && bo_busy(b->bo);
}

void batch_times(struct batch *b, unsigned slot, uint64_t *start, uint64_t *end)
{
    *start = *end = 0;
    const uint64_t *t = b->times ? bo_map(b->times) : NULL;
    if (!t || slot >= b->n_slots)
        return;
    *start = gpu_extend_time(b->gpu, t[2 * slot]);
    *end = gpu_extend_time(b->gpu, t[2 * slot + 1]);
}

void batch_free(struct batch *b)
{
    if (!b)
        return;
    if (b->submitted)
        batch_wait(b, -1);
    drop_uses(b, 0);
    bo_release(b->bo);
    bo_release(b->scratch);
    bo_release(b->times);
    context_release(b->context);
    for (unsigned p = 0; p < N_PARTS; p++)
        free(b->part[p].data);
    free(b->fixups);
    free(b->uses);
    free(b->hash);
    free(b->walkers);
    free(b);
}

bool batch_probe_slm(struct gpu *gpu)
{
    bool ok = false;
    uint32_t want;
    struct batch *b = batch_new(gpu);
    if (!b)
        return false;
    b->uses_slm = true;
    b->n_slots = 1;
    if (gpu->ops->store_l3(b, &want) == 0 && batch_submit(b) == 0 && batch_wait(b, -1) == 0) {
        const uint32_t *got = bo_map(b->times);
        ok = got && got[0] == want;
    }
    batch_free(b);
    return ok;
}
