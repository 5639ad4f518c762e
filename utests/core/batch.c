/* What batches consist of, without a device: bo.h is implemented here over malloc, submissions are
 * kept, and the commands are read back and held against the rules of the command stream (PRMs,
 * "PIPE_CONTROL", "GPGPU"). Each generation, Bay Trail and Gemini Lake too. */
#include "utest.h"

#include <errno.h>

#include "gen/cmd.h"
#include "src/gpu/impl.h"

/* ---- bo.h, on a machine without a GPU ---- */

struct bo {
    int refs;
    uint64_t size, address;
    void *map;
};
struct bufmgr {
    uint64_t next;
};
struct context {
    int refs;
    bool lost;
};

static int live_objects;
static int submit_error; /* what the next submissions return */
static int lost_contexts;
static struct bo_use last_uses[64];
static unsigned n_last_uses;

struct bo *bufmgr_alloc(struct bufmgr *m, const char *name, uint64_t size, enum bo_kind kind)
{
    struct bo *bo = calloc(1, sizeof *bo);
    bo->refs = 1;
    bo->size = (size + 4095) & ~4095ull;
    bo->map = calloc(1, bo->size);
    bo->address = m->next;
    m->next += bo->size;
    live_objects++;
    return bo;
}
struct bo *bufmgr_alloc_userptr(struct bufmgr *m, const char *name, void *p, uint64_t size,
                                bool same_address)
{
    return NULL;
}
uint64_t bufmgr_find_room(struct bufmgr *m, uint64_t size, uint64_t alignment, uint64_t below)
{
    return 0;
}

int bufmgr_import(struct bufmgr *m, int fd, uint64_t size, struct bo **out)
{
    return -EINVAL;
}

struct bo *bo_retain(struct bo *bo)
{
    bo->refs++;
    return bo;
}
void bo_release(struct bo *bo)
{
    if (bo && --bo->refs == 0) {
        free(bo->map);
        free(bo);
        live_objects--;
    }
}
void *bo_map(struct bo *bo)
{
    return bo->map;
}
uint64_t bo_size(const struct bo *bo)
{
    return bo->size;
}
bool bo_busy(struct bo *bo)
{
    return false;
}
int bo_wait(struct bo *bo, int64_t timeout)
{
    return 0;
}
int bufmgr_new(struct bufmgr **out, int fd, const struct gen_device *dev, bool llc)
{
    return -ENODEV;
}
void bufmgr_free(struct bufmgr *m) {}
bool bufmgr_has_softpin(const struct bufmgr *m)
{
    return true;
}
bool bufmgr_has_userptr(const struct bufmgr *m)
{
    return false;
}
bool bufmgr_has_prime(const struct bufmgr *m)
{
    return false;
}
int bufmgr_reg_read(struct bufmgr *m, uint32_t reg, uint64_t *value)
{
    *value = 5000;
    return 0;
}
uint64_t bufmgr_bytes_live(struct bufmgr *m)
{
    return 0;
}
uint64_t bufmgr_bytes_cached(struct bufmgr *m)
{
    return 0;
}
void bufmgr_trim(struct bufmgr *m, bool all) {}
uint32_t bufmgr_max_fixups(const struct bufmgr *m)
{
    return 4000;
}
int context_new(struct context **out, struct bufmgr *m)
{
    *out = calloc(1, sizeof **out);
    (*out)->refs = 1;
    live_objects++;
    return 0;
}
struct context *context_retain(struct context *c)
{
    c->refs++;
    return c;
}
void context_release(struct context *c)
{
    if (c && --c->refs == 0) {
        free(c);
        live_objects--;
    }
}
bool context_lost(struct context *c)
{
    return c->lost;
}
int bo_submit(struct context *c, const struct bo_exec *e)
{
    if (submit_error) {
        if (submit_error == -EIO)
            lost_contexts++;
        return submit_error;
    }
    CHECK(e->used % 8 == 0 && e->used <= e->spare && e->spare + 8 * e->n_uses <= e->batch->size);
    for (uint32_t i = 0; i < e->n_fixups; i++) {
        const struct bo_fixup *f = &e->fixups[i];
        REQUIRE(f->at + f->size <= e->batch->size && f->target);
        uint64_t value = f->target->address + f->delta;
        memcpy((char *)e->batch->map + f->at, &value, f->size);
        bool listed = f->target == e->batch;
        for (uint32_t k = 0; k < e->n_uses; k++)
            listed |= e->uses[k].bo == f->target && (e->uses[k].written || !f->written);
        CHECK(listed);
    }
    n_last_uses = e->n_uses;
    REQUIRE(n_last_uses <= 64);
    if (n_last_uses)
        memcpy(last_uses, e->uses, n_last_uses * sizeof *last_uses);
    return 0;
}

/* ---- a device ---- */

static struct bufmgr mgr;

static struct gpu *new_gpu(const char *name)
{
    const struct gen_device *d = gen_device_by_name(name);
    REQUIRE(d);
    struct gpu *gpu = calloc(1, sizeof *gpu);
    mgr.next = 0x10000;
    *gpu = (struct gpu){.fd = -1, .mgr = &mgr, .l3_atomics = d->gen == 75};
    pthread_mutex_init(&gpu->lock, NULL);
    pthread_mutex_init(&gpu->submit, NULL);
    gpu->info = (struct gpu_info){.dev = d,
                                  .n_eus = d->eu_total,
                                  .n_threads = d->hw_threads,
                                  .n_subslices = d->subslices,
                                  .max_group_threads = d->max_group_threads,
                                  .aperture_size = 1 << 30,
                                  .max_surface_size = 1 << 30,
                                  .slm_size = 65536,
                                  .timestamp_ns = 80};
    gpu->ops = d->gen == 70   ? &state_ops_70
               : d->gen == 75 ? &state_ops_75
               : d->gen == 80 ? &state_ops_80
                              : &state_ops_90;
    return gpu;
}

static void free_gpu(struct gpu *gpu)
{
    context_release(gpu->context);
    bo_release(gpu->scratch);
    bo_release(gpu->private_bo);
    CHECK(!gpu->last);
    pthread_mutex_destroy(&gpu->submit);
    pthread_mutex_destroy(&gpu->lock);
    free(gpu);
}

/* ---- reading a batch ---- */

struct read {
    int gen;
    const struct batch *b;
    const char *base; /* of the object */
    uint64_t address;
    unsigned n_pc, n_walkers, n_curbe, n_idd, n_flush;
    uint64_t surface, dynamic; /* addresses */
    uint32_t idd, curbe, curbe_length;
    uint32_t walkers[8][20], idds[8], curbes[8];
    uint32_t vfe[16];
    unsigned vfe_curbe;
    uint32_t l3[16][2];
    unsigned n_l3;
    bool selected, vfe_done,
        stalled; /* stalled: nothing since a stalling PIPE_CONTROL but register loads */
    bool last_was_stall;
    unsigned barriers_before[8], n_stalls;
};

#define GET(field) cmd_get(r->gen, dw, CMD_##field)

static void pipe_control(struct read *r, const uint32_t *dw)
{
    bool stall = GET(PIPE_CONTROL_cs_stall), dc = GET(PIPE_CONTROL_dc_flush);
    bool rt = GET(PIPE_CONTROL_render_flush), depth = GET(PIPE_CONTROL_depth_flush);
    bool scoreboard = GET(PIPE_CONTROL_scoreboard_stall),
         state = GET(PIPE_CONTROL_state_invalidate);
    unsigned post = GET(PIPE_CONTROL_post_sync);
    if (r->gen < 90 && stall)
        CHECK(rt || depth || scoreboard || dc || post); /* P1 */
    CHECK(stall);                                       /* P2, P3, P5, P7, P8: all of ours stall */
    if (r->gen == 75 && (state || GET(PIPE_CONTROL_texture_invalidate)))
        CHECK(r->last_was_stall); /* P4; with a DC flush or after one */
    if (r->gen == 90 && post)
        CHECK(r->last_was_stall); /* P6: immediately before */
    if (post == CMD_POST_SYNC_TIMESTAMP)
        CHECK(!rt && !scoreboard); /* P9 */
    CHECK(!(scoreboard && rt));    /* P15 */
    if (post)
        CHECK(GET(PIPE_CONTROL_address) % 8 == 0);
    r->n_pc++;
    r->n_stalls += dc && stall;
    r->stalled = r->last_was_stall = stall;
}

static void command(struct read *r, int id, const uint32_t *dw, unsigned length)
{
    unsigned where;
    CHECKF(!cmd_reserved(r->gen, id, dw, length, &where), "%s dword %u", cmd_name(id), where);
    if (id == CMD_PIPE_CONTROL) {
        pipe_control(r, dw);
        return;
    }
    r->last_was_stall = false;
    switch (id) {
    case CMD_PIPELINE_SELECT:
        CHECK(r->n_pc >= 2 && GET(PIPELINE_SELECT_pipeline) == CMD_PIPELINE_GPGPU);
        if (r->gen == 90)
            CHECK(GET(PIPELINE_SELECT_mask) == 3);
        r->selected = true;
        break;
    case CMD_STATE_BASE_ADDRESS:
        CHECK(r->selected);
        CHECK(GET(STATE_BASE_ADDRESS_general_modify) && GET(STATE_BASE_ADDRESS_general_base) == 0);
        CHECK(GET(STATE_BASE_ADDRESS_instruction_modify) &&
              GET(STATE_BASE_ADDRESS_instruction_base) == 0);
        CHECK(GET(STATE_BASE_ADDRESS_surface_modify) && GET(STATE_BASE_ADDRESS_dynamic_modify));
        CHECK(GET(STATE_BASE_ADDRESS_surface_mocs) && GET(STATE_BASE_ADDRESS_dynamic_mocs));
        r->surface = GET(STATE_BASE_ADDRESS_surface_base);
        r->dynamic = GET(STATE_BASE_ADDRESS_dynamic_base);
        CHECK(r->surface > r->address && r->dynamic >= r->surface);
        CHECK(r->surface % 4096 == 0 && r->dynamic % 4096 == 0);
        break;
    case CMD_MEDIA_VFE_STATE:
        CHECK(r->stalled);
        memcpy(r->vfe, dw, length * 4);
        CHECK(GET(MEDIA_VFE_STATE_max_threads) == r->b->gpu->info.n_threads - 1);
        r->vfe_curbe = GET(MEDIA_VFE_STATE_curbe_size);
        CHECK(r->vfe_curbe % 2 == 0);
        CHECK((GET(MEDIA_VFE_STATE_urb_entries) != 0) == (r->gen >= 80));
        if (r->gen < 80)
            CHECK(GET(MEDIA_VFE_STATE_gpgpu_mode) && GET(MEDIA_VFE_STATE_gateway_mmio) == 0);
        r->vfe_done = true;
        break;
    case CMD_MEDIA_CURBE_LOAD:
        CHECK(r->vfe_done);
        r->curbe = GET(MEDIA_CURBE_LOAD_address);
        r->curbe_length = GET(MEDIA_CURBE_LOAD_length);
        CHECK(r->curbe % 64 == 0 && r->curbe_length % 64 == 0);
        CHECK(r->curbe_length <= (r->vfe_curbe * 32 + 63) / 64 * 64);
        r->n_curbe++;
        break;
    case CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD:
        CHECK(r->vfe_done);
        CHECK(GET(MEDIA_INTERFACE_DESCRIPTOR_LOAD_length) == 32);
        r->idd = GET(MEDIA_INTERFACE_DESCRIPTOR_LOAD_address);
        CHECK(r->idd % 64 == 0);
        r->n_idd++;
        break;
    case CMD_GPGPU_WALKER:
        REQUIRE(r->n_walkers < 8);
        CHECK(r->n_idd == r->n_walkers + 1 && r->n_flush == r->n_walkers);
        memcpy(r->walkers[r->n_walkers], dw, length * 4);
        r->idds[r->n_walkers] = r->idd;
        r->barriers_before[r->n_walkers] = r->n_stalls;
        r->curbes[r->n_walkers++] = r->curbe;
        break;
    case CMD_MEDIA_STATE_FLUSH:
        r->n_flush++;
        break;
    case CMD_MI_LOAD_REGISTER_IMM:
        REQUIRE(r->n_l3 < 16);
        r->l3[r->n_l3][0] = GET(MI_LOAD_REGISTER_IMM_register);
        r->l3[r->n_l3++][1] = GET(MI_LOAD_REGISTER_IMM_data);
        CHECK(r->stalled || r->gen == 90);
        return; /* a register load keeps the pipeline drained */
    case CMD_MI_BATCH_BUFFER_END:
    case CMD_MI_NOOP:
        break;
    default:
        CHECKF(0, "unexpected %s", cmd_name(id));
    }
    r->stalled = false;
}

static void read_batch(struct read *r, const struct batch *b)
{
    *r = (struct read){
        .gen = b->gpu->info.dev->gen, .b = b, .base = b->bo->map, .address = b->bo->address};
    const uint32_t *dw = b->bo->map;
    size_t n = b->bo->size / 4;
    for (;;) {
        unsigned length;
        const char *why = "";
        int id = cmd_identify(r->gen, CMD_RENDER, dw, n, &length, &why);
        if (id < 0)
            fprintf(stderr, "gen %d, dword %zu: %08x: %s\n", r->gen,
                    (size_t)(dw - (uint32_t *)b->bo->map), *dw, why);
        REQUIRE(id >= 0);
        if (id == CMD_MI_BATCH_BUFFER_END)
            break;
        command(r, id, dw, length);
        dw += length;
        n -= length;
    }
    CHECK(r->stalled || r->n_l3 > 4); /* the end: results written back */
    CHECK(r->n_flush == r->n_walkers);
}

static const void *at(const struct read *r, uint64_t address)
{
    REQUIRE(address >= r->address && address < r->address + r->b->bo->size);
    return r->base + (address - r->address);
}

/* ---- tests ---- */

static uint32_t l3_value(const struct read *r, uint32_t reg)
{
    for (unsigned i = 0; i < r->n_l3; i++) {
        if (r->l3[i][0] == reg)
            return r->l3[i][1];
    }
    CHECKF(0, "register %x isn't written", reg);
    return 0;
}

/* Splits of the documents' lists of validated ones. */
static void check_l3(const struct read *r, bool slm)
{
    const struct gen_device *d = r->b->gpu->info.dev;
    if (d->gen >= 80) {
        CHECK(l3_value(r, 0x7034) == (slm                ? 0x60000021u
                                      : d->l3_banks == 1 ? 0x60000040u
                                                         : 0x80000040u));
    } else if (d->platform == GEN_BYT) {
        CHECK(l3_value(r, 0xb010) == 0x00d30000);
        CHECK(l3_value(r, 0xb020) == (slm ? 0x01040011u : 0x02040040u));
        CHECK(l3_value(r, 0xb024) == 0);
    } else {
        CHECK(l3_value(r, 0xb010) == (d->gen == 75 ? 0x00610000 : 0x00730000));
        CHECK(l3_value(r, 0xb020) == (slm ? 0x020400a1u : 0x02040040u));
        CHECK(l3_value(r, 0xb024) == 0);
    }
    if (d->gen == 75)
        CHECK(l3_value(r, 0xb038) == 0 && l3_value(r, 0xe49c) == 0x00400000);
    if (d->platform == GEN_GLK)
        CHECK(l3_value(r, 0x731c) == 0x00800000);
}

static void test_one(const char *name)
{
    struct gpu *gpu = new_gpu(name);
    int gen = gpu->info.dev->gen;
    struct bo *code = bo_new(gpu, "code", 4096), *data = bo_new(gpu, "data", 8192);
    struct kbin_surface surfaces[] = {{KBIN_SURFACE_ARG, 0, true},
                                      {KBIN_SURFACE_CONSTANTS, 0, false}};
    struct kbin_kernel k = {.simd = 16,
                            .n_push_regs = 2,
                            .uses_local_id = {true, true, false},
                            .uses_barrier = true,
                            .surfaces = surfaces,
                            .n_surfaces = 2};
    uint32_t push[16];
    for (unsigned i = 0; i < 16; i++)
        push[i] = 0x1000 + i;
    struct gpu_surface sf[2] = {{.bo = data, .offset = 256, .size = 1001, .written = true},
                                {.bo = NULL}};
    struct gpu_address address = {
        .push_offset = 8, .size = gen >= 80 ? 8 : 4, .bo = data, .offset = 64};
    struct gpu_launch l = {.kernel = &k,
                           .code = code,
                           .code_offset = 128,
                           .push = push,
                           .addresses = &address,
                           .n_addresses = 1,
                           .surfaces = sf,
                           .local_size = {10, 5, 1},
                           .group_count = {3, 4, 5},
                           .slm_size = 5000,
                           .timestamp_slot = 1};
    struct batch *b = batch_new(gpu);
    CHECK(batch_empty(b));
    REQUIRE(batch_launch(b, &l, false) == 0);
    CHECK(!batch_empty(b) && batch_bytes(b) == 4096 + 8192);
    REQUIRE(batch_submit(b) == 0);

    struct read r;
    read_batch(&r, b);
    CHECK(r.n_walkers == 1 && r.n_curbe == 1);
    check_l3(&r, true);
    const uint32_t *w = r.walkers[0];
    CHECK(cmd_get(gen, w, CMD_GPGPU_WALKER_thread_width_max) == 3); /* 50 items, 4 threads */
    CHECK(cmd_get(gen, w, CMD_GPGPU_WALKER_simd) == 1);
    CHECK(cmd_get(gen, w, CMD_GPGPU_WALKER_right_mask) == 3); /* two items in the last */
    CHECK(cmd_get(gen, w, CMD_GPGPU_WALKER_bottom_mask) == 0xffffffff);
    CHECK(cmd_get(gen, w, CMD_GPGPU_WALKER_start_x) == 0 &&
          cmd_get(gen, w, CMD_GPGPU_WALKER_end_x) == 3);
    CHECK(cmd_get(gen, w, CMD_GPGPU_WALKER_end_y) == 4 &&
          cmd_get(gen, w, CMD_GPGPU_WALKER_end_z) == 5);

    const uint32_t *d = at(&r, r.dynamic + r.idds[0]);
    unsigned where;
    CHECK(!cmd_reserved(gen, CMD_INTERFACE_DESCRIPTOR, d, 8, &where));
    CHECK(cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_kernel) == code->address + 128);
    CHECK(cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_n_threads) == 4);
    CHECK(cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_barrier) == 1);
    CHECK(cmd_slm_bytes(gen, cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_slm_size)) == 8192);
    unsigned per = cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_curbe_read_length);
    unsigned cross = cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_cross_thread_length);
    CHECK(per == (gen == 70 ? 4 : 2) && cross == (gen == 70 ? 0 : 2));

    /* every thread finds arguments at r1, then x and y of its items */
    const char *curbe = at(&r, r.dynamic + r.curbes[0]);
    for (unsigned t = 0; t < 4; t++) {
        const uint32_t *args = (const void *)(gen == 70 ? curbe + t * 128 : curbe);
        const uint16_t *ids =
            (const void *)(gen == 70 ? curbe + t * 128 + 64 : curbe + 64 + t * 64);
        CHECK(args[0] == 0x1000 && args[1] == 0x1001 && args[15] == 0x100f);
        CHECK(args[2] == data->address + 64);
        CHECK(args[3] == (gen >= 80 ? 0 : 0x1003));
        for (unsigned lane = 0; lane < 16 && t * 16 + lane < 50; lane++) {
            CHECK(ids[lane] == (t * 16 + lane) % 10);
            CHECK(ids[16 + lane] == (t * 16 + lane) / 10);
        }
    }
    CHECK(r.curbe_length == (gen == 70 ? 512 : 320));

    uint32_t table = cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_binding_table);
    const uint32_t *bt = at(&r, r.surface + table);
    const uint32_t *s = at(&r, r.surface + bt[0]);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_type) == CMD_SURFACE_BUFFER);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_format) == CMD_FORMAT_RAW);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_address) == data->address + 256);
    CHECK(cmd_get_buffer_elements(gen, s) == 1004);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_mocs) != 0);
    CHECK(bt[0] % (gen >= 80 ? 64 : 32) == 0);
    s = at(&r, r.surface + bt[1]);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_type) == CMD_SURFACE_NULL);

    /* the GPU would have written the times */
    REQUIRE(b->times);
    uint64_t *times = b->times->map, start, end;
    times[2] = 1000;
    times[3] = 4000;
    CHECK(batch_wait(b, 0) == 0);
    batch_times(b, 1, &start, &end);
    CHECK(start == 1000 && end == 4000);
    CHECK(data->refs == 1 && code->refs == 1); /* let go at once */
    batch_free(b);
    bo_release(code);
    bo_release(data);
    free_gpu(gpu);
    CHECKF(live_objects == 0, "%d", live_objects);
}

/* Several launches: order, shared states, spills and private memory. */
static void test_many(const char *name)
{
    struct gpu *gpu = new_gpu(name);
    int gen = gpu->info.dev->gen;
    struct bo *code = bo_new(gpu, "code", 4096), *data = bo_new(gpu, "data", 4096);
    struct kbin_surface surfaces[] = {{KBIN_SURFACE_ARG, 0, true}, {KBIN_SURFACE_PRIVATE, 0, true}};
    struct kbin_kernel k = {.simd = 8, .surfaces = surfaces, .n_surfaces = 1, .scratch_size = 2048};
    struct gpu_surface sf[2] = {{.bo = data, .size = 4096, .written = true}};
    struct gpu_launch l = {.kernel = &k,
                           .code = code,
                           .surfaces = sf,
                           .local_size = {8, 1, 1},
                           .group_count = {2, 1, 1},
                           .timestamp_slot = -1};
    struct batch *b = batch_new(gpu);
    REQUIRE(batch_launch(b, &l, true) == 0);  /* first: no barrier of its own */
    REQUIRE(batch_launch(b, &l, false) == 0); /* may overlap */
    REQUIRE(batch_launch(b, &l, true) == 0);
    k.n_surfaces = 2;
    k.private_size = 100;
    REQUIRE(batch_launch(b, &l, false) == 0);
    k.private_size = 64; /* divides the private memory differently: has to wait */
    k.scratch_size = 3000;
    REQUIRE(batch_launch(b, &l, false) == 0);
    uint32_t fixups = b->n_fixups;

    /* launches that can't be: the batch stays as it was */
    struct kbin_surface window = {KBIN_SURFACE_WINDOW1, 0, true};
    struct kbin_kernel bad = k;
    struct gpu_launch lb = l;
    lb.kernel = &bad;
    lb.local_size[0] = 8 * 65;
    CHECK(batch_launch(b, &lb, true) == -EINVAL);
    lb.local_size[0] = 8;
    lb.slm_size = 65537;
    CHECK(batch_launch(b, &lb, true) == -EINVAL);
    lb.slm_size = 0;
    struct bo *large = bo_new(gpu, "large", 8192);
    struct gpu_surface wrong[2] = {{.bo = large, .offset = 4096, .size = 4097}};
    lb.surfaces = wrong;
    CHECK(batch_launch(b, &lb, true) == -EINVAL);
    CHECK(b->n_fixups == fixups && b->n_launches == 5 && large->refs == 1);
    gpu->info.aperture_size = 4096 + (8 << 20);
    wrong[0].size = 64;
    CHECK(batch_launch(b, &lb, false) == -ENOSPC);
    CHECK(b->n_fixups == fixups && b->n_launches == 5 && large->refs == 1);
    struct batch *empty = batch_new(gpu);
    CHECK(batch_launch(empty, &lb, false) == -E2BIG);
    CHECK(batch_empty(empty) && large->refs == 1);
    batch_free(empty);
    gpu->info.aperture_size = 1 << 30;
    bad.surfaces = &window;
    bad.n_surfaces = 1;
    CHECK(batch_launch(b, &lb, false) == (gen < 80 ? 0 : -EINVAL));
    bo_release(large);

    /* a failed submission changes nothing */
    submit_error = -EINVAL;
    CHECK(batch_submit(b) == -EINVAL);
    submit_error = -EIO; /* in a second, fresh context too */
    lost_contexts = 0;
    CHECK(batch_submit(b) == -EIO && lost_contexts == 2);
    submit_error = 0;
    REQUIRE(batch_submit(b) == 0);

    struct read r;
    read_batch(&r, b);
    REQUIRE(r.n_walkers == (gen < 80 ? 6 : 5));
    CHECK(r.n_curbe == 0); /* neither arguments nor ids */
    check_l3(&r, false);
    unsigned own = gen == 70 ? 1 : 0; /* flush after each walker on Ivy Bridge */
    CHECK(r.barriers_before[1] - r.barriers_before[0] == 0 + own);
    CHECK(r.barriers_before[2] - r.barriers_before[1] == 1 + own);
    CHECK(r.barriers_before[3] - r.barriers_before[2] == 0 + own);
    CHECK(r.barriers_before[4] - r.barriers_before[3] == 1 + own);
    uint32_t tables[5];
    for (unsigned i = 0; i < 5; i++)
        tables[i] =
            cmd_get(gen, at(&r, r.dynamic + r.idds[i]), CMD_INTERFACE_DESCRIPTOR_binding_table);
    CHECK(tables[0] == tables[1] && tables[1] == tables[2] && tables[2] != tables[3]);

    /* one spill area for all, for the largest need, as many slots as thread numbers */
    int64_t each = cmd_scratch_bytes(gen, cmd_get(gen, r.vfe, CMD_MEDIA_VFE_STATE_scratch_size));
    CHECK(each >= 3000 && each <= 4096);
    CHECK(cmd_get(gen, r.vfe, CMD_MEDIA_VFE_STATE_scratch_base) == b->scratch->address);
    CHECK(b->scratch->size >= (uint64_t)each * gpu_thread_slots(gpu));
    CHECK(gpu_thread_slots(gpu) >= gpu->info.dev->hw_threads);
    const uint32_t *bt = at(&r, r.surface + tables[3]);
    const uint32_t *s = at(&r, r.surface + bt[1]);
    CHECK(cmd_get_buffer_elements(gen, s) >= 100 * 8 * (uint64_t)gpu_thread_slots(gpu));
    if (gen < 80) { /* the upper half of 2 GiB */
        bt = at(&r, r.surface + cmd_get(gen, at(&r, r.dynamic + r.idds[5]),
                                        CMD_INTERFACE_DESCRIPTOR_binding_table));
        s = at(&r, r.surface + bt[0]);
        CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_address) == 1 << 30);
        CHECK(cmd_get_buffer_elements(gen, s) == 1 << 30);
    }

    /* a hang */
    b->context->lost = true;
    CHECK(batch_wait(b, -1) == -EIO && batch_wait(b, -1) == -EIO);
    batch_free(b);
    b = batch_new(gpu);
    k.n_surfaces = 1;
    REQUIRE(batch_launch(b, &l, false) == 0);
    REQUIRE(batch_submit(b) == 0);
    CHECK(!b->context->lost && batch_wait(b, -1) == 0);
    batch_free(b);
    bo_release(code);
    bo_release(data);
    free_gpu(gpu);
    CHECKF(live_objects == 0, "%d", live_objects);
}

/* A batch takes many launches, then says that it is full; what it has stays. */
static void test_full(const char *name)
{
    struct gpu *gpu = new_gpu(name);
    struct bo *code = bo_new(gpu, "code", 4096), *data[2];
    struct kbin_surface surfaces[] = {{KBIN_SURFACE_ARG, 0, true}};
    struct kbin_kernel k = {.simd = 8, .surfaces = surfaces, .n_surfaces = 1};
    struct gpu_surface sf[1];
    struct gpu_launch l = {.kernel = &k,
                           .code = code,
                           .surfaces = sf,
                           .local_size = {8, 1, 1},
                           .group_count = {2, 1, 1},
                           .timestamp_slot = -1};
    data[0] = bo_new(gpu, "data", 4096);
    data[1] = bo_new(gpu, "data", 4096);
    struct batch *b = batch_new(gpu);
    unsigned n = 0;
    int err;
    do {
        sf[0] = (struct gpu_surface){.bo = data[n % 2], .size = 4096};
        err = batch_launch(b, &l, false);
    } while (err == 0 && ++n < 100000);
    CHECKF(err == -ENOSPC && n > 200, "%d after %u", err, n);
    CHECK(b->n_launches == n && b->n_uses == 3);
    CHECK(b->n_fixups + 64 < bufmgr_max_fixups(gpu->mgr));
    REQUIRE(batch_submit(b) == 0);
    CHECK(n_last_uses == 3);
    batch_free(b);
    bo_release(code);
    bo_release(data[0]);
    bo_release(data[1]);
    free_gpu(gpu);
    CHECKF(live_objects == 0, "%d", live_objects);
}

static void test_images(const char *name)
{
    struct gpu *gpu = new_gpu(name);
    int gen = gpu->info.dev->gen;
    struct bo *code = bo_new(gpu, "code", 4096), *data = bo_new(gpu, "data", 1 << 20);
    struct kbin_surface surfaces[] = {{KBIN_SURFACE_IMAGE, 0, true}};
    struct kbin_kernel k = {.simd = 8, .surfaces = surfaces, .n_surfaces = 1};
    struct gpu_image im = {.type = CMD_SURFACE_3D,
                           .format = 0xc7,
                           .texel_size = 4,
                           .width = 33,
                           .height = 7,
                           .depth = 5,
                           .row_pitch = 192,
                           .slice_pitch = 192 * 8};
    struct gpu_surface sf = {
        .bo = data, .offset = 4096, .size = 5 * 192 * 8, .written = true, .image = &im};
    struct gpu_sampler sm[2] = {
        {.wrap = {2, 2, 2}, .normalized = false},
        {.wrap = {4, 4, 4}, .linear = true, .normalized = true, .border = 1}};
    struct gpu_launch l = {.kernel = &k,
                           .code = code,
                           .surfaces = &sf,
                           .samplers = sm,
                           .n_samplers = 2,
                           .local_size = {8, 1, 1},
                           .group_count = {1, 1, 1},
                           .timestamp_slot = -1};
    struct batch *b = batch_new(gpu);
    REQUIRE(batch_launch(b, &l, false) == 0);
    im.slice_pitch = 192 * 7; /* slices start at multiples of four rows */
    CHECK(batch_launch(b, &l, false) == -EINVAL);
    im.slice_pitch = 192 * 8;
    im.width = 16385;
    CHECK(batch_launch(b, &l, false) == -EINVAL);
    REQUIRE(batch_submit(b) == 0);
    struct read r;
    read_batch(&r, b);
    const uint32_t *d = at(&r, r.dynamic + r.idds[0]);
    const uint32_t *bt =
        at(&r, r.surface + cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_binding_table));
    const uint32_t *s = at(&r, r.surface + bt[0]);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_type) == CMD_SURFACE_3D);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_format) == 0xc7);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_width) == 32);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_height) == 6);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_depth) == 4);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_view_extent) == 4);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_pitch) == 191);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_address) == data->address + 4096);
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_qpitch) == (gen >= 80 ? 2 : 0));
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_select_red) == (gen >= 75 ? CMD_SELECT_R : 0));
    CHECK(cmd_get(gen, s, CMD_SURFACE_STATE_select_alpha) == (gen >= 75 ? CMD_SELECT_A : 0));
    uint32_t table = cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_sampler_state);
    CHECK(cmd_get(gen, d, CMD_INTERFACE_DESCRIPTOR_sampler_count) == 1);
    s = at(&r, r.dynamic + table + 16);
    CHECK(cmd_get(gen, s, CMD_SAMPLER_STATE_wrap_x) == CMD_WRAP_BORDER);
    CHECK(cmd_get(gen, s, CMD_SAMPLER_STATE_mag_filter) == 1);
    CHECK(cmd_get(gen, s, CMD_SAMPLER_STATE_non_normalized) == 0);
    const float *color = at(&r, r.dynamic + cmd_get(gen, s, CMD_SAMPLER_STATE_border_color));
    CHECK(color[0] == 0 && color[1] == 0 && color[2] == 0 && color[3] == 1);
    batch_free(b);
    bo_release(code);
    bo_release(data);
    free_gpu(gpu);
    CHECKF(live_objects == 0, "%d", live_objects);
}

int main(void)
{
    static const char *const names[] = {"ivb-gt1", "ivb-gt2", "byt",     "hsw-gt2", "bdw-gt2",
                                        "chv",     "skl-gt2", "bxt-2x6", "glk-3x6", "skl-gt4"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        test_one(names[i]);
        test_many(names[i]);
        test_full(names[i]);
        test_images(names[i]);
    }
    return utest_end();
}
