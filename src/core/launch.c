/* NDRange commands. At enqueue the kernel's arguments are copied and everything that a launch needs
 * is laid out in the command; when the command is ready its launches go into a batch.
 *
 * A range is one launch if its groups are all alike. Where the kernel can't tell how items are
 * grouped and the application didn't say, a range that the group size doesn't divide is cut, in
 * each dimension, into full groups and a remainder: at most eight launches, instead of one item a
 * thread for prime sizes.
 */
#include "src/core/launch.h"

#include "src/core/command.h"
#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/image.h"
#include "src/core/printf.h"
#include "src/core/queue.h"
#include "src/core/sampler.h"
#include "src/core/sched.h"
#include "src/core/svm.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLM_ALIGN = 16,    /* least alignment of a __local argument */
    CHOSEN_ITEMS = 64, /* of a group, where it is ours to choose and makes no difference */
    REG = 32           /* bytes of a register */
};

/* The command of clEnqueueNDRangeKernel. */
struct ndrange {
    struct command base;
    cl_kernel kernel; /* owned */
    struct launch launch;
};

/* Largest divisor of n that is at most max; a multiple of step, if there is one. */
static size_t divisor(size_t n, size_t max, size_t step)
{
    for (size_t d = max / step * step; step > 1 && d >= step; d -= step)
        if (n % d == 0)
            return d;
    for (size_t d = max < n ? max : n; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

/* Items of a group in one dimension if remainders are allowed. */
static size_t pick(size_t n, size_t want, size_t step)
{
    if (n <= want)
        return n;
    for (size_t d = want * 2; d >= (want + 1) / 2 && d >= step; d--)
        if (n % d == 0 && d % step == 0)
            return d;
    return want;
}

void launch_choose_local(const struct kernel_code *code, struct range *r)
{
    const struct kbin_kernel *k = code->info;
    size_t max = kernel_max_group_size(code), simd = k->simd;
    if (max > 256)
        max = 256;
    size_t items = 1;
    for (cl_uint d = 0; d < r->dim; d++) {
        size_t room = max / items, step = d == 0 ? simd : 1;
        if (k->observes_groups) {
            size_t cap = d == 0 && r->dim > 1 && room > 2 * simd ? 2 * simd : room;
            r->local[d] = divisor(r->global[d], cap, step);
        } else {
            size_t want = items < CHOSEN_ITEMS ? CHOSEN_ITEMS / items : 1;
            if (d == 0 && r->dim > 1)
                want = simd;
            if (want > room)
                want = room;
            r->local[d] = pick(r->global[d], want, step);
            if (r->local[d] > room)
                r->local[d] = room;
        }
        items *= r->local[d];
    }
}

static cl_int check_local(const struct kernel_code *code, const struct range *r)
{
    const struct kbin_kernel *k = code->info;
    size_t items = 1, max = kernel_max_group_size(code);
    for (cl_uint d = 0; d < r->dim; d++) {
        if (r->local[d] == 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        if (r->local[d] > device_max_group_size(code->binary->dev))
            return CL_INVALID_WORK_ITEM_SIZE;
        if (r->global[d] % r->local[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        items *= r->local[d];
    }
    if (items > max)
        return CL_INVALID_WORK_GROUP_SIZE;
    for (cl_uint d = 0; d < 3 && k->reqd_wg_size[0]; d++)
        if (k->reqd_wg_size[d] != (d < r->dim ? r->local[d] : 1))
            return CL_INVALID_WORK_GROUP_SIZE;
    return CL_SUCCESS;
}

cl_int launch_check_args(cl_kernel k, cl_device_id dev)
{
    const struct kernel_code *code = kernel_code(k, dev);
    if (!code)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int err = CL_SUCCESS;
    brief_lock(&k->lock);
    for (cl_uint i = 0; i < k->n_args && !err; i++) {
        const struct kbin_arg *info = &code->info->args[i];
        const struct kernel_arg *arg = &k->args[i];
        if (!arg->set || (info->kind == KBIN_ARG_IMAGE && !kernel_takes_image(info, arg->mem)))
            err = CL_INVALID_KERNEL_ARGS;
        else if (arg->svm && !svm_capabilities(dev))
            err = CL_INVALID_OPERATION;
        else if (info->kind == KBIN_ARG_IMAGE)
            err = image_check_device(arg->mem->image, dev,
                                     info->access == KBIN_ACCESS_WRITE ? CL_MEM_WRITE_ONLY
                                                                       : CL_MEM_READ_ONLY);
    }
    brief_unlock(&k->lock);
    return err;
}

cl_int launch_check(cl_kernel k, cl_device_id dev, struct range *r)
{
    const struct kernel_code *code = kernel_code(k, dev);
    cl_int err = launch_check_args(k, dev);
    if (err)
        return err;
    for (cl_uint d = r->dim; d < 3; d++) {
        r->global[d] = 1;
        r->offset[d] = 0;
    }
    if (r->local[0]) {
        err = check_local(code, r);
    } else if (code->info->reqd_wg_size[0]) {
        for (cl_uint d = 0; d < r->dim; d++)
            r->local[d] = code->info->reqd_wg_size[d];
        err = check_local(code, r);
    } else {
        launch_choose_local(code, r);
    }
    for (cl_uint d = r->dim; d < 3; d++)
        r->local[d] = 1;
    return err;
}

/* Copies what fits: a parameter's size is the compiler's choice of 4 or 8 bytes. */
static void put(uint8_t *push, const struct kbin_param *p, uint64_t value)
{
    memcpy(push + p->offset, &value, p->size < sizeof value ? p->size : sizeof value);
}

static void add_address(struct launch *l, const struct kbin_param *p, struct bo *bo,
                        uint64_t offset, bool written)
{
    if (!bo) {
        put(l->push, p, 0);
        return;
    }
    l->addresses[l->n_addresses++] = (struct gpu_address){
        .push_offset = p->offset, .size = p->size, .bo = bo, .offset = offset, .written = written};
}

/* The allocations that the kernel may reach besides its arguments. What has been freed since it was
 * told doesn't matter, unless the kernel reaches for it. k->lock is held. */
static cl_int snapshot_svm(struct launch *l, cl_kernel k)
{
    if (!k->n_svm)
        return CL_SUCCESS;
    l->svm = calloc(k->n_svm, sizeof *l->svm);
    l->resident = calloc(k->n_svm, sizeof *l->resident);
    if (!l->svm || !l->resident)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < k->n_svm; i++) {
        size_t offset;
        l->svm[l->n_svm] = svm_find(k->program->ctx, k->svm[i], &offset);
        l->n_svm += l->svm[l->n_svm] != NULL;
    }
    return CL_SUCCESS;
}

/* Takes the arguments over. */
static cl_int snapshot_args(struct launch *l, cl_kernel k)
{
    cl_int err = CL_SUCCESS;
    brief_lock(&k->lock);
    memcpy(l->values, k->values, k->values_size);
    for (cl_uint i = 0; i < k->n_args && !err; i++) {
        l->args[i] = k->args[i];
        if (l->args[i].svm) {
            l->args[i].mem = svm_find(k->program->ctx, l->args[i].svm, &l->args[i].value);
            bool moved = l->args[i].value != 0 && !k->args[i].inner;
            if (!l->args[i].mem || moved) /* freed since it was set */
                err = CL_INVALID_KERNEL_ARGS;
        } else if (l->args[i].mem && object_valid(l->args[i].mem, OBJECT_MEM)) {
            object_retain(&l->args[i].mem->base);
        } else if (l->args[i].mem) { /* released since it was set */
            l->args[i].mem = NULL;
            err = CL_INVALID_KERNEL_ARGS;
        }
        if (!err && l->code->info->args[i].kind == KBIN_ARG_IMAGE &&
            !kernel_takes_image(&l->code->info->args[i], l->args[i].mem))
            err = CL_INVALID_KERNEL_ARGS;
        l->n_args++;
    }
    if (!err)
        err = snapshot_svm(l, k);
    brief_unlock(&k->lock);
    return err;
}

/* Memory for the buffers, and places in local memory: those take the argument's value. */
static cl_int commit_args(struct launch *l)
{
    cl_device_id dev = l->dev;
    const struct kbin_kernel *info = l->code->info;
    uint32_t slm = info->slm_size, slm_max = dev->info.slm_size;
    for (unsigned i = 0; i < l->n_args; i++) {
        struct kernel_arg *arg = &l->args[i];
        cl_int err = arg->mem ? mem_commit(arg->mem, dev) : CL_SUCCESS;
        if (err)
            return err;
        if (info->args[i].kind != KBIN_ARG_LOCAL)
            continue;
        uint32_t align = info->args[i].align > SLM_ALIGN ? info->args[i].align : SLM_ALIGN;
        slm = (slm + align - 1) & ~(align - 1);
        arg->value = slm;
        if (arg->size > slm_max || slm + arg->size > slm_max)
            return CL_OUT_OF_RESOURCES;
        slm += arg->size;
    }
    for (unsigned i = 0; i < l->n_svm; i++) {
        uint64_t offset;
        l->resident[i] = mem_bo(l->svm[i], dev, &offset);
    }
    l->slm_size = slm;
    return slm > slm_max ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static uint32_t image_property(const struct image *im, enum kbin_param_kind kind)
{
    switch (kind) {
    case KBIN_PARAM_IMAGE_WIDTH:
        return im->size[0];
    case KBIN_PARAM_IMAGE_HEIGHT:
        return im->size[1];
    case KBIN_PARAM_IMAGE_DEPTH:
    case KBIN_PARAM_IMAGE_LAYERS:
        return im->size[2];
    case KBIN_PARAM_IMAGE_ORDER:
        return im->format->cl.image_channel_order;
    default:
        return im->format->cl.image_channel_data_type;
    }
}

/* Where in its memory object, and so in its surface, an argument begins: not at 0 only for code
 * that has been made for it. */
static size_t svm_offset(const struct kernel_arg *arg)
{
    return arg->svm ? arg->value : 0;
}

static void fill_params(struct launch *l)
{
    const struct kbin_kernel *info = l->code->info;
    cl_device_id dev = l->dev;
    const struct range *r = &l->range;
    for (uint32_t i = 0; i < info->n_params; i++) {
        const struct kbin_param *p = &info->params[i];
        const struct kernel_arg *arg = p->index < l->n_args ? &l->args[p->index] : NULL;
        unsigned d = p->index < 3 ? p->index : 0;
        switch ((enum kbin_param_kind)p->kind) {
        case KBIN_PARAM_ARG:
            memcpy(l->push + p->offset, l->values + arg->value + p->src, p->size);
            break;
        case KBIN_PARAM_ARG_ADDRESS: {
            uint64_t offset = 0;
            struct bo *bo = arg->mem ? mem_bo(arg->mem, dev, &offset) : NULL;
            add_address(l, p, bo, offset, arg->mem && !(arg->mem->access & CL_MEM_READ_ONLY));
            break;
        }
        case KBIN_PARAM_ARG_OFFSET:
            put(l->push, p, svm_offset(arg));
            break;
        case KBIN_PARAM_ARG_LOCAL:
            put(l->push, p, arg->value);
            break;
        case KBIN_PARAM_ARG_SIZE:
            put(l->push, p, arg->mem ? arg->mem->size - svm_offset(arg) : 0);
            break;
        case KBIN_PARAM_CONSTANTS:
            add_address(l, p, l->code->binary->constants, 0,
                        l->code->binary->kbin.globals_size != 0);
            break;
        case KBIN_PARAM_GLOBAL_OFFSET:
            put(l->push, p, r->offset[d]);
            break;
        case KBIN_PARAM_GLOBAL_SIZE:
            put(l->push, p, r->global[d]);
            break;
        case KBIN_PARAM_LOCAL_SIZE:
        case KBIN_PARAM_ENQUEUED_LOCAL_SIZE:
            put(l->push, p, r->local[d]);
            break;
        case KBIN_PARAM_NUM_GROUPS:
            put(l->push, p, r->global[d] / r->local[d]);
            break;
        case KBIN_PARAM_WORK_DIM:
            put(l->push, p, r->dim);
            break;
        case KBIN_PARAM_PRIVATE_SIZE:
            put(l->push, p, info->private_size);
            break;
        case KBIN_PARAM_IMAGE_WIDTH:
        case KBIN_PARAM_IMAGE_HEIGHT:
        case KBIN_PARAM_IMAGE_DEPTH:
        case KBIN_PARAM_IMAGE_LAYERS:
        case KBIN_PARAM_IMAGE_ORDER:
        case KBIN_PARAM_IMAGE_TYPE:
            put(l->push, p, image_property(arg->mem->image, p->kind));
            break;
        case KBIN_PARAM_SAMPLER:
            put(l->push, p, arg->value);
            break;
        case KBIN_PARAM_PRINTF:
            add_address(l, p, l->printf_buffer, 0, true);
            break;
        case KBIN_PARAM_GROUP_OFFSET: /* part_launch() knows */
        case KBIN_N_PARAM_KINDS:
            put(l->push, p, 0);
            break;
        }
    }
}

static void fill_surfaces(struct launch *l)
{
    const struct kbin_kernel *info = l->code->info;
    cl_device_id dev = l->dev;
    for (uint32_t i = 0; i < info->n_surfaces; i++) {
        const struct kbin_surface *s = &info->surfaces[i];
        struct gpu_surface *out = &l->surfaces[i];
        *out = (struct gpu_surface){.written = s->written};
        if (s->kind == KBIN_SURFACE_ARG) {
            const struct kernel_arg *arg = s->index < l->n_args ? &l->args[s->index] : NULL;
            if (arg && arg->mem) {
                out->bo = mem_bo(arg->mem, dev, &out->offset);
                out->size = arg->mem->size;
            }
        } else if (s->kind == KBIN_SURFACE_IMAGE) {
            cl_mem mem = l->args[s->index].mem;
            out->bo = mem_bo(mem, dev, &out->offset);
            out->size = mem->size;
            out->image = &l->images[i];
            image_surface(mem->image, &l->images[i]);
        } else if (s->kind == KBIN_SURFACE_CONSTANTS) {
            out->bo = l->code->binary->constants;
            out->size = (l->code->binary->kbin.constants_size + 3) & ~(uint64_t)3;
        }
    }
}

static void fill_samplers(struct launch *l)
{
    const struct kbin_kernel *info = l->code->info;
    for (uint32_t i = 0; i < info->n_samplers; i++) {
        const struct kbin_sampler *s = &info->samplers[i];
        uint32_t bits = s->is_arg ? l->args[s->index].value : s->value;
        sampler_state(bits, l->args[s->image].mem->image, &l->samplers[i]);
    }
}

static bool cut_in(const struct range *r, unsigned d)
{
    return r->global[d] % r->local[d] != 0;
}

/* A part of the range: groups that are alike. */
struct part {
    size_t first[3], n[3];      /* groups */
    uint32_t local[3], threads; /* of a group */
};

/* False: the range has no such part. */
static bool part_of(const struct launch *l, unsigned which, struct part *p)
{
    const struct range *r = &l->range;
    size_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        size_t full = r->global[d] / r->local[d];
        bool rest = which >> d & 1;
        if (rest && !cut_in(r, d))
            return false;
        p->first[d] = rest ? full : 0;
        p->n[d] = rest ? 1 : full;
        p->local[d] = rest ? r->global[d] % r->local[d] : r->local[d];
        items *= p->local[d];
    }
    p->threads = (items + l->code->info->simd - 1) / l->code->info->simd;
    return true;
}

/* Groups from `at` on that make one launch of about so many threads: whole slices, or rows of one,
 * or a piece of a row. Moves `at` behind them; false if that is the end. */
static bool take_groups(const struct part *p, uint64_t threads, size_t at[3], size_t n[3])
{
    uint64_t groups = threads / p->threads ? threads / p->threads : 1;
    unsigned d = 0; /* the dimension that is cut: those below are whole, of those above it is one */
    for (size_t whole = p->n[0]; d < 2 && at[d] == 0 && whole <= groups; whole *= p->n[++d])
        n[d] = p->n[d];
    uint64_t below = d == 0 ? 1 : d == 1 ? p->n[0] : p->n[0] * p->n[1];
    n[d] = groups / below < p->n[d] - at[d] ? groups / below : p->n[d] - at[d];
    for (unsigned above = d + 1; above < 3; above++)
        n[above] = 1;
    at[d] += n[d];
    for (; d < 2 && at[d] == p->n[d]; at[++d]++)
        at[d] = 0;
    return at[2] < p->n[2];
}

static int groups_launch(struct launch *l, const struct part *p, const size_t at[3],
                         const size_t n[3], struct launch_size *size, struct batch *batch,
                         struct stamps *stamps, bool after)
{
    const struct kbin_kernel *info = l->code->info;
    struct gpu_launch g = {
        .kernel = info,
        .code = l->code->binary->code,
        .code_offset = l->code->binary->code_offsets[l->code->index],
        .push = l->push,
        .addresses = l->addresses,
        .n_addresses = l->n_addresses,
        .surfaces = l->surfaces,
        .samplers = l->samplers,
        .n_samplers = info->n_samplers,
        .slm_size = l->slm_size,
        .resident = l->resident,
        .n_resident = l->n_svm,
        .timestamp_slot = -1,
    };
    for (unsigned d = 0; d < 3; d++) {
        g.local_size[d] = p->local[d];
        g.group_count[d] = n[d];
    }
    /* Ids count groups of the enqueued size, a part's own too: a kernel whose range is cut can't
     * tell that some are smaller. */
    for (uint32_t i = 0; i < info->n_params; i++) {
        unsigned d = info->params[i].index;
        if (info->params[i].kind == KBIN_PARAM_GROUP_OFFSET)
            put(l->push, &info->params[i], p->first[d] + at[d]);
    }
    size->n_threads = (uint64_t)n[0] * n[1] * n[2] * p->threads;
    return stamps_launch(stamps, batch, &g, after, size);
}

static struct launch_size launch_size(const struct launch *l)
{
    return (struct launch_size){.thread_ns = &l->code->binary->thread_ns[l->code->index]};
}

bool launch_whole(struct launch *l)
{
    struct launch_size size = launch_size(l);
    double groups = 1, items = 1; /* numbers that overflow in no type are few enough */
    for (unsigned d = 0; d < 3; d++) {
        groups *= (double)((l->range.global[d] - 1) / l->range.local[d] + 1);
        items *= (double)l->range.local[d];
    }
    double threads = groups * (items / l->code->info->simd + 1);
    l->whole = threads <= (double)stamps_threads(&size);
    return l->whole;
}

int launch_add(struct launch *l, struct command *cmd, struct batch *batch, struct stamps *stamps)
{
    bool after = cmd->ordered && !cmd->flight; /* parts don't wait for one another */
    struct launch_size size = launch_size(l);
    struct part part;
    for (; l->next_part < 8; l->next_part++) {
        if (!part_of(l, l->next_part, &part))
            continue;
        for (bool more = true; more;) {
            size_t at[3], n[3];
            memcpy(at, l->next_group, sizeof at);
            more = take_groups(&part, l->whole ? UINT64_MAX : stamps_threads(&size), at, n);
            size.cut = more || l->next_group[0] || l->next_group[1] || l->next_group[2];
            int r = groups_launch(l, &part, l->next_group, n, &size, batch, stamps, after);
            if (r)
                return r;
            memcpy(l->next_group, at, sizeof at);
            after = false;
        }
        memset(l->next_group, 0, sizeof l->next_group);
    }
    return 0;
}

void launch_fini(struct launch *l, bool ran)
{
    if (l->printf_buffer && ran)
        printf_buffer_print(&l->code->binary->kbin, l->printf_buffer);
    printf_buffer_free(l->dev, l->printf_buffer);
    l->printf_buffer = NULL;
    for (unsigned i = 0; i < l->n_args; i++)
        if (l->args[i].mem)
            object_release(&l->args[i].mem->base);
    l->n_args = 0;
    for (unsigned i = 0; i < l->n_svm; i++)
        object_release(&l->svm[i]->base);
    l->n_svm = 0;
    free(l->svm);
    free(l->resident);
    l->svm = NULL;
    l->resident = NULL;
    free(l->block);
    l->block = NULL;
}

/* One block for all that depends on the kernel. */
bool launch_init(struct launch *l, const struct kernel_code *code, cl_device_id dev,
                 size_t values_size)
{
    const struct kbin_kernel *info = code->info;
    size_t n_addresses = 0;
    for (uint32_t i = 0; i < info->n_params; i++)
        n_addresses += info->params[i].kind == KBIN_PARAM_ARG_ADDRESS ||
                       info->params[i].kind == KBIN_PARAM_CONSTANTS ||
                       info->params[i].kind == KBIN_PARAM_PRINTF;
    size_t addresses = n_addresses * sizeof *l->addresses;
    size_t surfaces = info->n_surfaces * sizeof *l->surfaces;
    size_t images = 0;
    for (uint32_t i = 0; i < info->n_surfaces && !images; i++)
        if (info->surfaces[i].kind == KBIN_SURFACE_IMAGE)
            images = info->n_surfaces * sizeof *l->images;
    size_t samplers = (info->n_samplers * sizeof *l->samplers + 7) & ~(size_t)7;
    size_t args = info->n_args * sizeof *l->args;
    size_t push = (size_t)info->n_push_regs * REG;
    char *p = calloc(1, addresses + surfaces + images + samplers + args + push + values_size + 1);
    *l = (struct launch){.code = code, .dev = dev, .block = p};
    if (!p)
        return false;
    l->addresses = (void *)p;
    l->surfaces = (void *)(p += addresses);
    l->images = (void *)(p += surfaces);
    l->samplers = (void *)(p += images);
    l->args = (void *)(p += samplers);
    l->push = (void *)(p += args);
    l->values = (void *)(p + push);
    return true;
}

cl_int launch_prepare(struct launch *l)
{
    cl_int err = binary_commit(l->code->binary);
    if (!err)
        err = commit_args(l);
    if (!err && printf_used(l->code->info) && !(l->printf_buffer = printf_buffer_new(l->dev)))
        err = CL_OUT_OF_RESOURCES;
    if (err)
        return err;
    fill_params(l);
    fill_surfaces(l);
    fill_samplers(l);
    return CL_SUCCESS;
}

void launch_set_value(struct launch *l, unsigned arg, const void *value, size_t size)
{
    const struct kbin_kernel *info = l->code->info;
    for (uint32_t i = 0; i < info->n_params; i++) {
        const struct kbin_param *p = &info->params[i];
        if (p->kind == KBIN_PARAM_ARG && p->index == arg && p->src + p->size <= size)
            memcpy(l->push + p->offset, (const char *)value + p->src, p->size);
    }
}

static int ndrange_launch(struct command *cmd, struct batch *batch, struct stamps *stamps)
{
    return launch_add(&((struct ndrange *)cmd)->launch, cmd, batch, stamps);
}

static bool ndrange_whole(struct command *cmd)
{
    return launch_whole(&((struct ndrange *)cmd)->launch);
}

static void ndrange_release(struct command *cmd)
{
    struct ndrange *n = (struct ndrange *)cmd;
    launch_fini(&n->launch, cmd->flight != 0);
    if (n->kernel)
        object_release(&n->kernel->base);
    n->kernel = NULL;
}

/* Name, range, and with -g the place in the source. */
static void ndrange_describe(const struct command *cmd, char *text, size_t size)
{
    const struct launch *l = &((const struct ndrange *)cmd)->launch;
    const struct kbin_kernel *info = l->code->info;
    const size_t *g = l->range.global, *n = l->range.local;
    char place[128] = "";
    if (info->n_lines && info->lines[0].file < info->n_files)
        snprintf(place, sizeof place, " (%s:%u)", info->files[info->lines[0].file].name,
                 info->lines[0].line);
    snprintf(text, size, "kernel %s%s of %zu x %zu x %zu work-items in groups of %zu x %zu x %zu",
             info->name, place, g[0], g[1], g[2], n[0], n[1], n[2]);
}

static const struct command_ops ndrange_ops = {.name = "kernel",
                                               .ring = true,
                                               .launch = ndrange_launch,
                                               .whole = ndrange_whole,
                                               .describe = ndrange_describe,
                                               .release = ndrange_release};

static const struct kernel_code *range_code(const struct kernel_code *code, const struct range *r)
{
    enum { MANY = 1 << 20 }; /* of one dimension: three of them multiply without overflow */
    uint64_t n_groups = 1, items = 1;
    for (unsigned d = 0; d < 3; d++) {
        uint64_t n = (r->global[d] - 1) / r->local[d] + 1;
        n_groups *= n < MANY ? n : MANY;
        items *= r->local[d];
    }
    return kernel_choose(code, n_groups, items);
}

/* The code that runs: what the arguments need, and what is likely to be done soonest. */
static cl_int choose_code(cl_kernel k, cl_device_id dev, const struct range *r,
                          const struct kernel_code **out)
{
    if (!atomic_load_explicit(&k->n_inner, memory_order_relaxed)) {
        *out = range_code(kernel_code(k, dev), r);
        return CL_SUCCESS;
    }
    cl_int err = kernel_code_with_offsets(k, dev, out);
    size_t items = r->local[0] * r->local[1] * r->local[2];
    if (!err && items > kernel_max_group_size(*out))
        err = CL_OUT_OF_RESOURCES;
    return err;
}

cl_int launch_enqueue(cl_command_queue queue, cl_kernel k, const struct range *r,
                      cl_command_type type, cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    struct command *cmd;
    const struct kernel_code *code;
    cl_int err = choose_code(k, queue->device, r, &code);
    if (!err)
        err = command_new(&ndrange_ops, sizeof(struct ndrange), queue, type, n_waits, &cmd);
    if (err)
        return err;
    struct ndrange *n = (struct ndrange *)cmd;
    object_retain(&k->base);
    n->kernel = k;
    bool ok = launch_init(&n->launch, code, queue->device, k->values_size);
    n->launch.range = *r;
    err = ok ? snapshot_args(&n->launch, k) : CL_OUT_OF_HOST_MEMORY;
    if (!err)
        err = launch_prepare(&n->launch);
    if (err) {
        command_discard(cmd);
        return err;
    }
    return command_enqueue(cmd, SCOPE_LIST, n_waits, waits, event, false);
}
