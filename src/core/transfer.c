/* See transfer.h. */
#include "src/core/transfer.h"

#include "src/core/builtin.h"
#include "src/core/command.h"
#include "src/core/device.h"
#include "src/core/launch.h"
#include "src/core/mem.h"
#include "src/core/queue.h"

#include <string.h>

enum {
    QUICK_BYTES = 32 << 10, /* copied in about the time that waking a thread takes */
    UNIT = 16               /* bytes of a work-item in transfer.cl */
};

struct transfer {
    struct command base;
    struct transfer_side dst, src; /* mems owned */
    size_t n[3];
    const void *staged; /* the application's; the source gets its bytes when the command is placed;
                           NULL: none */
    struct launch launch; /* of a copy on the GPU */
};

void box_copy(void *dst, const struct box *d, const void *src, const struct box *s,
              const size_t n[3])
{
    char *to = (char *)dst + d->offset;
    const char *from = (const char *)src + s->offset;
    for (size_t z = 0; z < n[2]; z++)
        for (size_t y = 0; y < n[1]; y++)
            memmove(to + z * d->slice_pitch + y * d->row_pitch,
                    from + z * s->slice_pitch + y * s->row_pitch, n[0]);
}

static char *side_pointer(const struct transfer_side *s)
{
    return s->mem ? mem_pointer(s->mem) : s->host;
}

/* All that could write to the application's memory has ended: what is before the command now is on
 * the ring. */
static void take_staged(struct transfer *t)
{
    if (t->staged)
        memcpy(mem_pointer(t->src.mem), t->staged, t->n[0]);
    t->staged = NULL;
}

static cl_int transfer_run(struct command *cmd)
{
    struct transfer *t = (struct transfer *)cmd;
    take_staged(t);
    box_copy(side_pointer(&t->dst), &t->dst.box, side_pointer(&t->src), &t->src.box, t->n);
    return CL_COMPLETE;
}

static void transfer_release(struct command *cmd)
{
    struct transfer *t = (struct transfer *)cmd;
    launch_fini(&t->launch, false);
    if (t->dst.mem)
        object_release(&t->dst.mem->base);
    if (t->src.mem)
        object_release(&t->src.mem->base);
    t->dst.mem = t->src.mem = NULL;
}

static int transfer_launch(struct command *cmd, struct batch *batch, struct stamps *stamps)
{
    struct transfer *t = (struct transfer *)cmd;
    take_staged(t);
    return launch_add(&t->launch, cmd, batch, stamps);
}

static bool transfer_whole(struct command *cmd)
{
    return launch_whole(&((struct transfer *)cmd)->launch);
}

static const struct command_ops transfer_ops = {
    .name = "transfer", .run = transfer_run, .release = transfer_release};
static const struct command_ops copy_ops = {.name = "copy",
                                            .ring = true,
                                            .run = transfer_run,
                                            .launch = transfer_launch,
                                            .whole = transfer_whole,
                                            .release = transfer_release};

/* ---- on the GPU ---- */

/* The kernels count bytes in 32 bits; nothing makes no launch. */
static bool gpu_can(cl_mem mem, cl_device_id dev, const size_t n[3])
{
    return n[0] && n[1] && n[2] && mem->size <= dev->info.max_surface_size &&
           mem->size < UINT32_MAX - 2 * UNIT;
}

/* Sixteens that rows of a box touch, at most. */
static size_t units(const struct box *box, const size_t n[3])
{
    bool alike =
        (n[1] == 1 || box->row_pitch % UNIT == 0) && (n[2] == 1 || box->slice_pitch % UNIT == 0);
    size_t before = alike ? box->offset % UNIT : UNIT - 1;
    return (before + n[0] + UNIT - 1) / UNIT;
}

/* A launch of one of transfer.cl's kernels over `items` units of each row; its values are still to
 * be set. */
static cl_int gpu_launch_init(struct launch *l, cl_context ctx, cl_device_id dev,
                              enum builtin which, cl_mem dst, cl_mem src, size_t items,
                              const size_t n[3])
{
    enum { SRC_ARG = 5 };
    const struct kernel_code *code = builtin_code(ctx, dev, which);
    if (!code || !launch_init(l, code, dev, FILL_MAX))
        return CL_OUT_OF_HOST_MEMORY;
    object_retain(&dst->base);
    l->args[0].mem = dst;
    if (src) {
        object_retain(&src->base);
        l->args[SRC_ARG].mem = src;
    }
    l->n_args = code->info->n_args;
    l->range = (struct range){.dim = 3, .global = {items, n[1], n[2]}};
    launch_choose_local(code, &l->range);
    return launch_prepare(l);
}

static void set_u32(struct launch *l, unsigned arg, size_t value)
{
    uint32_t v = (uint32_t)value;
    launch_set_value(l, arg, &v, sizeof v);
}

/* Arguments first.. of the kernels: offset and pitches. */
static void set_box(struct launch *l, unsigned first, const struct box *box)
{
    set_u32(l, first, box->offset);
    set_u32(l, first + 1, box->row_pitch);
    set_u32(l, first + 2, box->slice_pitch);
}

static cl_int copy_prepare(struct transfer *t, cl_context ctx, cl_device_id dev)
{
    struct launch *l = &t->launch;
    cl_int err = gpu_launch_init(l, ctx, dev, BUILTIN_COPY, t->dst.mem, t->src.mem,
                                 units(&t->dst.box, t->n), t->n);
    if (err)
        return err;
    set_box(l, 1, &t->dst.box);
    set_u32(l, 4, t->n[0]);
    set_box(l, 6, &t->src.box);
    return CL_SUCCESS;
}

/* ---- copies ---- */

static cl_int side_take(struct transfer_side *to, const struct transfer_side *from,
                        cl_device_id dev)
{
    if (from->mem) {
        cl_int err = mem_commit(from->mem, dev);
        if (err)
            return err;
        object_retain(&from->mem->base);
    }
    *to = *from;
    return CL_SUCCESS;
}

/* Rows and slices without gaps are one row. */
static void join_rows(size_t n[3], const struct box *a, const struct box *b)
{
    if (n[1] > 1 && a->row_pitch == n[0] && b->row_pitch == n[0]) {
        n[0] *= n[1];
        n[1] = 1;
    }
    if (n[1] == 1 && a->slice_pitch == n[0] && b->slice_pitch == n[0]) {
        n[0] *= n[2];
        n[2] = 1;
    }
}

/* Whether the CPU will have done it before the enqueue returns. */
static bool at_once(cl_command_queue queue, const size_t n[3], cl_uint n_waits)
{
    return n[0] * n[1] * n[2] <= QUICK_BYTES && n_waits == 0 && !queue_busy(queue);
}

/* A place for the application's bytes, if they are few and would have to wait for the GPU: they go
 * there when the command takes its place on the ring, and the GPU puts them in theirs. NULL: the
 * host does it. */
static cl_mem stage(cl_command_queue queue, const struct transfer_side *src, const size_t n[3])
{
    cl_mem m;
    bool linear = n[1] == 1 && n[2] == 1;
    if (src->mem || !linear || n[0] == 0 || n[0] > QUICK_BYTES)
        return NULL;
    return mem_new(queue->ctx, 0, n[0], NULL, NULL, &(struct mem_properties){0}, &m) ? NULL : m;
}

cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type,
                        const struct transfer_side *dst, const struct transfer_side *src,
                        const size_t n[3], bool blocking, cl_uint n_waits, const cl_event *waits,
                        cl_event *event)
{
    cl_device_id dev = queue->device;
    size_t joined[3] = {n[0], n[1], n[2]};
    join_rows(joined, &dst->box, &src->box);
    bool now = at_once(queue, joined, n_waits);
    cl_mem staged = dst->mem && !now ? stage(queue, src, joined) : NULL;
    struct transfer_side from = staged ? (struct transfer_side){.mem = staged} : *src;
    bool gpu =
        !now && dst->mem && from.mem && gpu_can(dst->mem, dev, n) && gpu_can(from.mem, dev, n);
    struct command *cmd = NULL;
    cl_int err = command_new(gpu ? &copy_ops : &transfer_ops, sizeof(struct transfer), queue, type,
                             n_waits, &cmd);
    struct transfer *t = (struct transfer *)cmd;
    if (!err) {
        memcpy(t->n, joined, sizeof t->n);
        t->staged = staged ? (const char *)src->host + src->box.offset : NULL;
        err = side_take(&t->dst, dst, dev);
    }
    if (!err)
        err = side_take(&t->src, &from, dev);
    if (!err && gpu)
        err = copy_prepare(t, queue->ctx, dev);
    if (staged)
        object_api_release(&staged->base); /* it is the command's now */
    if (err) {
        command_discard(cmd);
        return err;
    }
    cmd->quick = t->n[0] * t->n[1] * t->n[2] <= QUICK_BYTES;
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, blocking);
}

/* ---- fills ---- */

struct fill {
    struct command base;
    cl_mem mem; /* owned */
    struct box box;
    size_t n[3];
    size_t pattern_size;
    char pattern[FILL_MAX]; /* repeated up to UNIT bytes at least */
    struct launch launch;
    size_t next; /* launch: first byte of the sixteen of the pattern that comes next */
};

static void fill_row(const struct fill *f, char *p)
{
    size_t n = f->n[0], done = f->pattern_size < n ? f->pattern_size : n;
    if (f->pattern_size == 1) {
        memset(p, f->pattern[0], n);
        return;
    }
    memcpy(p, f->pattern, done);
    while (done < n) { /* what is filled is the pattern of the next step */
        size_t step = done < n - done ? done : n - done;
        if (step > QUICK_BYTES)
            step = QUICK_BYTES; /* stay in the cache; a multiple of any pattern's size */
        memcpy(p + done, p, step);
        done += step;
    }
}

static cl_int fill_run(struct command *cmd)
{
    struct fill *f = (struct fill *)cmd;
    char *first = (char *)mem_pointer(f->mem) + f->box.offset;
    fill_row(f, first);
    for (size_t z = 0; z < f->n[2]; z++)
        for (size_t y = 0; y < f->n[1]; y++)
            if (y || z)
                memcpy(first + z * f->box.slice_pitch + y * f->box.row_pitch, first, f->n[0]);
    return CL_COMPLETE;
}

/* A launch for each 16 bytes of the pattern. */
static int fill_launch(struct command *cmd, struct batch *batch, struct stamps *stamps)
{
    struct fill *f = (struct fill *)cmd;
    struct launch *l = &f->launch;
    size_t step = f->pattern_size > UNIT ? f->pattern_size : UNIT;
    for (; f->next < step && f->next < f->n[0]; f->next += UNIT) {
        struct box box = f->box;
        box.offset += f->next;
        set_box(l, 1, &box);
        set_u32(l, 4, f->n[0] - f->next);
        set_u32(l, 5, step);
        launch_set_value(l, 6, f->pattern + f->next, UNIT);
        int r = launch_add(l, cmd, batch, stamps);
        if (r)
            return r;
        l->next_part = 0;
    }
    return 0;
}

/* Each of its launches is. */
static bool fill_whole(struct command *cmd)
{
    return launch_whole(&((struct fill *)cmd)->launch);
}

static void fill_release(struct command *cmd)
{
    struct fill *f = (struct fill *)cmd;
    launch_fini(&f->launch, false);
    if (f->mem)
        object_release(&f->mem->base);
    f->mem = NULL;
}

static const struct command_ops fill_ops = {.name = "fill",
                                            .ring = true,
                                            .run = fill_run,
                                            .launch = fill_launch,
                                            .whole = fill_whole,
                                            .release = fill_release};
static const struct command_ops host_fill_ops = {
    .name = "fill", .run = fill_run, .release = fill_release};

static cl_int fill_prepare(struct fill *f, cl_context ctx, cl_device_id dev)
{
    size_t items = f->pattern_size > UNIT ? f->n[0] / f->pattern_size : units(&f->box, f->n);
    return gpu_launch_init(&f->launch, ctx, dev, BUILTIN_FILL, f->mem, NULL, items, f->n);
}

cl_int fill_enqueue(cl_command_queue queue, cl_command_type type, cl_mem mem, const struct box *box,
                    const size_t n[3], const void *pattern, size_t pattern_size, cl_uint n_waits,
                    const cl_event *waits, cl_event *event)
{
    cl_device_id dev = queue->device;
    bool gpu = !at_once(queue, n, n_waits) && gpu_can(mem, dev, n);
    struct command *cmd;
    cl_int err = mem_commit(mem, dev);
    if (err)
        return err;
    err = command_new(gpu ? &fill_ops : &host_fill_ops, sizeof(struct fill), queue, type, n_waits,
                      &cmd);
    if (err)
        return err;
    struct fill *f = (struct fill *)cmd;
    object_retain(&mem->base);
    f->mem = mem;
    f->box = *box;
    memcpy(f->n, n, sizeof f->n);
    join_rows(f->n, box, box);
    f->pattern_size = pattern_size;
    for (size_t i = 0; i < FILL_MAX; i++)
        f->pattern[i] = ((const char *)pattern)[i % pattern_size];
    err = gpu ? fill_prepare(f, queue->ctx, dev) : CL_SUCCESS;
    if (err) {
        command_discard(cmd);
        return err;
    }
    cmd->quick = f->n[0] * f->n[1] * f->n[2] <= QUICK_BYTES;
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, false);
}

struct migrate {
    struct command base;
    cl_uint n_mems;
    cl_mem mems[]; /* owned */
};

static void migrate_release(struct command *cmd)
{
    struct migrate *m = (struct migrate *)cmd;
    for (cl_uint i = 0; i < m->n_mems; i++)
        object_release(&m->mems[i]->base);
    m->n_mems = 0;
}

/* All memory is shared by host and devices: a migration has nothing to move. */
static const struct command_ops migrate_ops = {
    .name = "migrate", .ring = true, .release = migrate_release};

cl_int migrate_enqueue(cl_command_queue queue, cl_command_type type, bool blocking, cl_uint n_mems,
                       const cl_mem *mems, cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    cl_int err = command_new(&migrate_ops, sizeof(struct migrate) + n_mems * sizeof(cl_mem), queue,
                             type, n_waits, &cmd);
    if (err)
        return err;
    struct migrate *m = (struct migrate *)cmd;
    for (cl_uint i = 0; i < n_mems; i++) {
        err = mem_commit(mems[i], queue->device);
        if (err) {
            command_discard(cmd);
            return err;
        }
        object_retain(&mems[i]->base);
        m->mems[m->n_mems++] = mems[i];
    }
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, blocking);
}
