/* See transfer.h. */
#include "src/core/transfer.h"

#include "src/core/command.h"
#include "src/core/mem.h"
#include "src/core/queue.h"

#include <string.h>

enum { QUICK_BYTES = 32 << 10 /* copied in about the time that waking a thread takes */ };

struct transfer {
    struct command base;
    struct transfer_side dst, src; /* mems owned */
    size_t n[3];
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

static cl_int transfer_run(struct command *cmd)
{
    struct transfer *t = (struct transfer *)cmd;
    box_copy(side_pointer(&t->dst), &t->dst.box, side_pointer(&t->src), &t->src.box, t->n);
    return CL_COMPLETE;
}

static void transfer_release(struct command *cmd)
{
    struct transfer *t = (struct transfer *)cmd;
    if (t->dst.mem)
        object_release(&t->dst.mem->base);
    if (t->src.mem)
        object_release(&t->src.mem->base);
    t->dst.mem = t->src.mem = NULL;
}

static const struct command_ops transfer_ops = {
    .name = "transfer", .run = transfer_run, .release = transfer_release};

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

cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type,
                        const struct transfer_side *dst, const struct transfer_side *src,
                        const size_t n[3], bool blocking, cl_uint n_waits, const cl_event *waits,
                        cl_event *event)
{
    struct command *cmd;
    cl_int err = command_new(&transfer_ops, sizeof(struct transfer), queue, type, n_waits, &cmd);
    if (err)
        return err;
    struct transfer *t = (struct transfer *)cmd;
    err = side_take(&t->dst, dst, queue->device);
    if (!err)
        err = side_take(&t->src, src, queue->device);
    if (err) {
        command_discard(cmd);
        return err;
    }
    memcpy(t->n, n, sizeof t->n);
    /* Rows and slices without gaps are one row. */
    if (t->n[1] > 1 && dst->box.row_pitch == t->n[0] && src->box.row_pitch == t->n[0]) {
        t->n[0] *= t->n[1];
        t->n[1] = 1;
    }
    if (t->n[1] == 1 && dst->box.slice_pitch == t->n[0] && src->box.slice_pitch == t->n[0]) {
        t->n[0] *= t->n[2];
        t->n[2] = 1;
    }
    cmd->quick = t->n[0] * t->n[1] * t->n[2] <= QUICK_BYTES;
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, blocking);
}

struct fill {
    struct command base;
    cl_mem mem; /* owned */
    size_t offset, size, pattern_size;
    char pattern[128];
};

static cl_int fill_run(struct command *cmd)
{
    struct fill *f = (struct fill *)cmd;
    char *p = (char *)mem_pointer(f->mem) + f->offset;
    if (f->pattern_size == 1) {
        memset(p, f->pattern[0], f->size);
        return CL_COMPLETE;
    }
    size_t done = f->pattern_size < f->size ? f->pattern_size : f->size;
    memcpy(p, f->pattern, done);
    while (done < f->size) { /* what is filled is the pattern of the next step */
        size_t step = done < f->size - done ? done : f->size - done;
        if (step > QUICK_BYTES)
            step = QUICK_BYTES; /* stay in the cache; a multiple of any pattern's size */
        memcpy(p + done, p, step);
        done += step;
    }
    return CL_COMPLETE;
}

static void fill_release(struct command *cmd)
{
    struct fill *f = (struct fill *)cmd;
    if (f->mem)
        object_release(&f->mem->base);
    f->mem = NULL;
}

static const struct command_ops fill_ops = {
    .name = "fill", .run = fill_run, .release = fill_release};

cl_int fill_enqueue(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size,
                    size_t offset, size_t size, cl_uint n_waits, const cl_event *waits,
                    cl_event *event)
{
    struct command *cmd;
    cl_int err = mem_commit(mem, queue->device);
    if (err)
        return err;
    err = command_new(&fill_ops, sizeof(struct fill), queue, CL_COMMAND_FILL_BUFFER, n_waits, &cmd);
    if (err)
        return err;
    struct fill *f = (struct fill *)cmd;
    object_retain(&mem->base);
    f->mem = mem;
    f->offset = offset;
    f->size = size;
    f->pattern_size = pattern_size;
    memcpy(f->pattern, pattern, pattern_size);
    cmd->quick = size <= QUICK_BYTES;
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

cl_int migrate_enqueue(cl_command_queue queue, cl_uint n_mems, const cl_mem *mems, cl_uint n_waits,
                       const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    cl_int err = command_new(&migrate_ops, sizeof(struct migrate) + n_mems * sizeof(cl_mem), queue,
                             CL_COMMAND_MIGRATE_MEM_OBJECTS, n_waits, &cmd);
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
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, false);
}
