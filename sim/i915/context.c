/* Address spaces and hardware contexts: ids, parameters, bans, reset statistics. */
#include "i915.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENT_BANNED = 9 }; /* points at which a file may make no more contexts */

/* ---- address spaces ---- */
static bool full_ppgtt(const struct i915 *dev)
{
    int p = dev->opt.kernel.ppgtt;
    return p >= 0 ? p >= 2 : dev->gen >= 80;
}

struct i915_vm *vm_create(struct i915 *dev)
{
    struct i915_vm *vm = calloc(1, sizeof *vm);
    if (!vm)
        return NULL;
    vm->refs = 1;
    vm->bits = dev->opt.dev->address_bits;
    vm->hw = vm_new(vm->bits);
    if (!vm->hw) {
        free(vm);
        return NULL;
    }
    return vm;
}

/* Index of the first binding that ends past `at`... bindings do not overlap and are in order. */
static unsigned vm_position(const struct i915_vm *vm, gpu_addr at)
{
    unsigned lo = 0, hi = vm->n;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (vm->at[mid]->start < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct i915_binding *vm_binding(const struct i915_vm *vm, const struct i915_bo *bo)
{
    for (struct i915_binding *b = bo->bindings; b; b = b->next) {
        if (b->vm == vm)
            return b;
    }
    return NULL;
}

struct i915_binding *vm_bind(struct i915_vm *vm, struct i915_bo *bo, gpu_addr at)
{
    if (vm->n == vm->cap) {
        unsigned n = vm->cap ? 2 * vm->cap : 32;
        struct i915_binding **p = realloc(vm->at, n * sizeof *p);
        if (!p)
            return NULL;
        vm->at = p;
        vm->cap = n;
    }
    struct i915_binding *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->vm = vm;
    b->bo = bo;
    b->start = at;
    b->next = bo->bindings;
    bo->bindings = b;
    unsigned i = vm_position(vm, at);
    memmove(&vm->at[i + 1], &vm->at[i], (vm->n - i) * sizeof vm->at[0]);
    vm->at[i] = b;
    vm->n++;
    return b;
}

void vm_unbind(struct i915_binding *b)
{
    struct i915_vm *vm = b->vm;
    vm_unmap(vm->hw, b->start, b->bo->size);
    unsigned i = vm_position(vm, b->start);
    memmove(&vm->at[i], &vm->at[i + 1], (vm->n - i - 1) * sizeof vm->at[0]);
    vm->n--;
    for (struct i915_binding **p = &b->bo->bindings; *p; p = &(*p)->next) {
        if (*p == b) {
            *p = b->next;
            break;
        }
    }
    free(b);
}

void vm_release(struct i915_vm *vm)
{
    if (!vm || --vm->refs)
        return;
    while (vm->n)
        vm_unbind(vm->at[vm->n - 1]);
    free(vm->at);
    vm_free(vm->hw);
    free(vm);
}

int ioctl_gem_vm_create(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_vm_control *a = arg;
    if (!full_ppgtt(f->dev) || f->dev->opt.kernel.no_query)
        return -ENODEV;
    if (a->flags || a->extensions)
        return -EINVAL;
    struct i915_vm *vm = vm_create(f->dev);
    int id = vm ? ids_add(&f->vms, vm) : -ENOMEM;
    if (id < 0) {
        vm_release(vm);
        return id;
    }
    a->vm_id = id;
    return 0;
}

int ioctl_gem_vm_destroy(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_gem_vm_control *a = arg;
    if (a->flags || a->extensions)
        return -EINVAL;
    struct i915_vm *vm = ids_remove(&f->vms, a->vm_id);
    if (!vm)
        return -ENOENT;
    vm_release(vm);
    return 0;
}

/* ---- contexts ---- */
/* With vm NULL the context gets its own address space, or the file's without full PPGTT. */
struct i915_ctx *ctx_new(struct i915_file *f, struct i915_vm *vm)
{
    struct i915_ctx *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->refs = 1;
    c->dev = f->dev;
    c->file = f;
    c->recoverable = c->bannable = c->persistent = true;
    c->n_engines = -1;
    c->hang_ms[0] = c->hang_ms[1] = -I915_BAN_WINDOW_MS;
    c->queue_end = &c->queue;
    pthread_cond_init(&c->wake, NULL);
    bool own = !vm && full_ppgtt(f->dev);
    c->vm = own ? vm_create(f->dev) : vm ? vm : f->vm0;
    if (!own)
        c->vm->refs++;
    if (!c->vm) {
        ctx_release(c);
        return NULL;
    }
    c->next = f->dev->contexts;
    f->dev->contexts = c;
    return c;
}

struct i915_ctx *ctx_lookup(struct i915_file *f, uint32_t id)
{
    return id ? ids_get(&f->contexts, id) : f->ctx0;
}

void ctx_close(struct i915_ctx *c)
{
    c->closed = true;
    c->file = NULL;
    pthread_cond_broadcast(&c->wake);
    ctx_release(c);
}

void ctx_release(struct i915_ctx *c)
{
    if (!c || --c->refs)
        return;
    for (struct i915_ctx **p = &c->dev->contexts; *p; p = &(*p)->next) {
        if (*p == c) {
            *p = c->next;
            break;
        }
    }
    for (unsigned i = 0; i < 2; i++)
        sim_context_free(c->hw[i]);
    vm_release(c->vm);
    pthread_cond_destroy(&c->wake);
    free(c);
}

int engine_check(int class, int instance)
{
    if (class != I915_ENGINE_CLASS_RENDER && class != I915_ENGINE_CLASS_COPY)
        return -ENOENT; /* the video engines are not simulated */
    return instance == 0 ? 0 : -ENOENT;
}

static int set_engines(struct i915_ctx *c, uint64_t from, uint32_t size)
{
    struct {
        uint64_t extensions;
        struct i915_engine_class_instance e[I915_MAX_ENGINES];
    } list;
    if (!size) {
        c->n_engines = -1;
        return 0;
    }
    if (size < sizeof list.extensions || size % sizeof list.e[0] || size > sizeof list)
        return -EINVAL;
    if (user_read(&list, from, size))
        return -EFAULT;
    if (list.extensions)
        return -EINVAL; /* load balancing and bonding: no second engine of a class */
    unsigned n = (size - sizeof list.extensions) / sizeof list.e[0];
    for (unsigned i = 0; i < n; i++) {
        bool none = list.e[i].engine_class == (uint16_t)I915_ENGINE_CLASS_INVALID &&
                    list.e[i].engine_instance == (uint16_t)I915_ENGINE_CLASS_INVALID_NONE;
        int err = none ? 0 : engine_check(list.e[i].engine_class, list.e[i].engine_instance);
        if (err)
            return err;
    }
    for (unsigned i = 0; i < n; i++) {
        c->engines[i].class = list.e[i].engine_class;
        c->engines[i].instance = list.e[i].engine_instance;
    }
    c->n_engines = n;
    return 0;
}

static int set_vm(struct i915_file *f, struct i915_ctx *c, uint64_t id)
{
    if (!full_ppgtt(f->dev))
        return -ENODEV;
    struct i915_vm *vm = id >> 32 ? NULL : ids_get(&f->vms, id);
    if (!vm)
        return -ENOENT;
    if (c->queue || c->running)
        return -EBUSY;
    vm->refs++;
    vm_release(c->vm);
    c->vm = vm;
    return 0;
}

/* A parameter of size 0 whose value is a truth. */
static int set_flag(const struct drm_i915_gem_context_param *p, bool *flag)
{
    if (p->size)
        return -EINVAL;
    *flag = p->value;
    return 0;
}

static int ctx_setparam(struct i915_file *f, struct i915_ctx *c,
                        const struct drm_i915_gem_context_param *p)
{
    switch (p->param) {
    case I915_CONTEXT_PARAM_PRIORITY: {
        int64_t v = (int64_t)p->value;
        if (p->size)
            return -EINVAL;
        if (f->dev->gen < 80)
            return -ENODEV; /* no scheduler */
        if (v < I915_CONTEXT_MIN_USER_PRIORITY || v > I915_CONTEXT_MAX_USER_PRIORITY)
            return -EINVAL;
        if (v > I915_CONTEXT_DEFAULT_PRIORITY)
            return -EPERM; /* wants CAP_SYS_NICE */
        c->priority = v;
        return 0;
    }
    case I915_CONTEXT_PARAM_BANNABLE:
        if (p->size)
            return -EINVAL;
        if (!p->value)
            return -EPERM; /* wants CAP_SYS_ADMIN */
        c->bannable = true;
        return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE:
        return set_flag(p, &c->recoverable);
    case I915_CONTEXT_PARAM_PERSISTENCE:
        return set_flag(p, &c->persistent);
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        return p->size ? -EINVAL : 0;
    case I915_CONTEXT_PARAM_ENGINES:
        return set_engines(c, p->value, p->size);
    case I915_CONTEXT_PARAM_VM:
        return p->size ? -EINVAL : set_vm(f, c, p->value);
    case I915_CONTEXT_PARAM_SSEU:
        return f->dev->gen < 110 ? -ENODEV : -EINVAL;
    default:
        return -EINVAL;
    }
}

int ioctl_gem_context_setparam(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_context_param *p = arg;
    struct i915_ctx *c = ctx_lookup(f, p->ctx_id);
    return c ? ctx_setparam(f, c, p) : -ENOENT;
}

static int get_sseu(struct i915_file *f, struct drm_i915_gem_context_param *p)
{
    const struct gen_device *d = f->dev->opt.dev;
    struct drm_i915_gem_context_param_sseu s;
    if (!p->size) {
        p->size = sizeof s;
        return 0;
    }
    if (p->size < sizeof s)
        return -EINVAL;
    if (f->dev->gen < 80)
        return -ENODEV;
    if (user_read(&s, p->value, sizeof s))
        return -EFAULT;
    if (s.rsvd || s.flags)
        return -EINVAL;
    if (engine_check(s.engine.engine_class, s.engine.engine_instance))
        return -EINVAL;
    s.slice_mask = (1u << d->slices) - 1;
    s.subslice_mask = (1u << d->subslices / d->slices) - 1;
    s.min_eus_per_subslice = s.max_eus_per_subslice = d->eu_per_subslice;
    p->size = sizeof s;
    return user_write(p->value, &s, sizeof s);
}

int ioctl_gem_context_getparam(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_context_param *p = arg;
    struct i915_ctx *c = ctx_lookup(f, p->ctx_id);
    if (!c)
        return -ENOENT;
    switch (p->param) {
    case I915_CONTEXT_PARAM_GTT_SIZE:
        p->size = 0;
        p->value = (uint64_t)1 << c->vm->bits;
        return 0;
    case I915_CONTEXT_PARAM_PRIORITY:
        p->size = 0;
        p->value = c->priority;
        return 0;
    case I915_CONTEXT_PARAM_BANNABLE:
        p->size = 0;
        p->value = c->bannable;
        return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE:
        p->size = 0;
        p->value = c->recoverable;
        return 0;
    case I915_CONTEXT_PARAM_PERSISTENCE:
        p->size = 0;
        p->value = c->persistent;
        return 0;
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        p->size = 0;
        p->value = 0;
        return 0;
    case I915_CONTEXT_PARAM_SSEU:
        return get_sseu(f, p);
    case I915_CONTEXT_PARAM_VM: {
        if (!full_ppgtt(f->dev))
            return -ENODEV;
        int id = ids_add(&f->vms, c->vm);
        if (id < 0)
            return id;
        c->vm->refs++;
        p->size = 0;
        p->value = id;
        return 0;
    }
    default:
        return -EINVAL;
    }
}

/* The chain of a context's creation; only SETPARAM is left in it. */
static int create_extensions(struct i915_file *f, struct i915_ctx *c, uint64_t at)
{
    for (unsigned n = 0; at; n++) {
        struct drm_i915_gem_context_create_ext_setparam ext;
        if (n == 512)
            return -E2BIG;
        if (user_read(&ext.base, at, sizeof ext.base))
            return -EFAULT;
        if (ext.base.flags || ext.base.name != I915_CONTEXT_CREATE_EXT_SETPARAM)
            return -EINVAL;
        if (user_read(&ext, at, sizeof ext))
            return -EFAULT;
        if (ext.param.ctx_id)
            return -EINVAL;
        int err = ctx_setparam(f, c, &ext.param);
        if (err)
            return err;
        at = ext.base.next_extension;
    }
    return 0;
}

int ioctl_gem_context_create(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_gem_context_create_ext *a = arg;
    const uint32_t known =
        I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS | I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE;
    if (a->flags & ~known)
        return -EINVAL;
    if (f->ban_score >= CLIENT_BANNED)
        return -EIO;
    struct i915_ctx *c = ctx_new(f, NULL);
    if (!c)
        return -ENOMEM;
    int err = a->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS
                  ? create_extensions(f, c, a->extensions)
                  : 0;
    int id = err ? err : ids_add(&f->contexts, c);
    if (id < 0) {
        ctx_close(c);
        return id;
    }
    c->id = a->ctx_id = id;
    return 0;
}

int ioctl_gem_context_destroy(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_i915_gem_context_destroy *a = arg;
    if (a->pad)
        return -EINVAL;
    struct i915_ctx *c = ids_remove(&f->contexts, a->ctx_id);
    if (!c)
        return -ENOENT;
    ctx_close(c);
    return 0;
}

int ioctl_get_reset_stats(struct i915_file *f, void *arg, size_t size)
{
    struct drm_i915_reset_stats *a = arg;
    if (a->flags || a->pad)
        return -EINVAL;
    struct i915_ctx *c = ctx_lookup(f, a->ctx_id);
    if (!c)
        return -ENOENT;
    a->reset_count = 0; /* told to CAP_SYS_ADMIN only */
    a->batch_active = c->guilty;
    a->batch_pending = c->innocent;
    return 0;
}
