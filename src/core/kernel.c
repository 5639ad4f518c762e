/* See kernel.h. */
#include "src/core/kernel.h"

#include "src/core/context.h"
#include "src/core/device.h"
#include "src/core/image.h"
#include "src/core/mem.h"
#include "src/core/sampler.h"
#include "src/core/svm.h"

#include <stdlib.h>
#include <string.h>

static const struct kbin_kernel *binary_find(const struct binary *b, const char *name,
                                             unsigned *index)
{
    for (unsigned i = 0; i < b->kbin.n_kernels; i++) {
        if (!strcmp(b->kbin.kernels[i].name, name)) {
            *index = i;
            return &b->kbin.kernels[i];
        }
    }
    return NULL;
}

static const struct kbin_kernel *binary_find_narrow(const struct binary *b, const char *name,
                                                    unsigned *index)
{
    for (unsigned i = 0; i < b->kbin.n_narrow; i++) {
        if (!strcmp(b->kbin.narrow[i].name, name)) {
            *index = b->kbin.n_kernels + i;
            return &b->kbin.narrow[i];
        }
    }
    return NULL;
}

static bool same_signature(const struct kbin_kernel *a, const struct kbin_kernel *b)
{
    if (a->n_args != b->n_args)
        return false;
    for (unsigned i = 0; i < a->n_args; i++) {
        const struct kbin_arg *x = &a->args[i], *y = &b->args[i];
        if (x->kind != y->kind || (x->kind == KBIN_ARG_VALUE && x->size != y->size))
            return false;
    }
    return true;
}

/* Finds the kernel in each device's executable. */
static cl_int kernel_find(cl_kernel k)
{
    const struct kbin_kernel *first = NULL;
    bool executable = false;
    for (cl_uint i = 0; i < k->program->n_devices; i++) {
        struct kernel_code *code = &k->codes[i];
        struct binary *b = program_executable(k->program, k->program->devices[i]);
        executable |= b != NULL;
        const struct kbin_kernel *info = b ? binary_find(b, k->name, &code->index) : NULL;
        if (!info) {
            binary_release(b);
            continue;
        }
        code->binary = b;
        code->info = info;
        struct kernel_code *narrow = &k->codes[k->program->n_devices + i];
        narrow->binary = b;
        narrow->info = binary_find_narrow(b, k->name, &narrow->index);
        if (narrow->info)
            code->narrow = narrow;
        if (first && !same_signature(first, info))
            return CL_INVALID_KERNEL_DEFINITION;
        if (!first)
            first = info;
    }
    if (!first)
        return executable ? CL_INVALID_KERNEL_NAME : CL_INVALID_PROGRAM_EXECUTABLE;
    return CL_SUCCESS;
}

static cl_int args_new(cl_kernel k)
{
    const struct kbin_kernel *info = kernel_info(k);
    k->n_args = info->n_args;
    k->args = calloc(info->n_args ? info->n_args : 1, sizeof *k->args);
    if (!k->args)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < info->n_args; i++) {
        if (info->args[i].kind != KBIN_ARG_VALUE)
            continue;
        k->args[i].value = k->values_size;
        k->values_size += (info->args[i].size + 7) & ~(size_t)7;
    }
    k->values = calloc(1, k->values_size ? k->values_size : 1);
    return k->values ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int kernel_new(cl_program p, const char *name, cl_kernel *out)
{
    cl_kernel k = calloc(1, sizeof *k);
    if (!k)
        return CL_OUT_OF_HOST_MEMORY;
    object_retain(&p->base);
    k->program = p;
    atomic_init(&k->lock.taken, false);
    object_init(&k->base, OBJECT_KERNEL);
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    k->name = strdup(name);
    k->codes = calloc(3 * (size_t)p->n_devices, sizeof *k->codes);
    if (!k->name || !k->codes)
        goto fail;
    err = kernel_find(k);
    if (err)
        goto fail;
    err = args_new(k);
    if (err)
        goto fail;
    pthread_mutex_lock(&p->lock);
    p->n_kernels++;
    k->counted = true;
    pthread_mutex_unlock(&p->lock);
    *out = k;
    return CL_SUCCESS;

fail:
    object_release(&k->base);
    return err;
}

void kernel_unused(struct object *o)
{
    cl_kernel k = container_of(o, struct _cl_kernel, base);
    pthread_mutex_lock(&k->program->lock);
    if (k->counted)
        k->program->n_kernels--;
    k->counted = false;
    pthread_mutex_unlock(&k->program->lock);
}

void kernel_destroy(struct object *o)
{
    cl_kernel k = container_of(o, struct _cl_kernel, base);
    for (cl_uint i = 0; k->codes && i < k->program->n_devices; i++)
        binary_release(k->codes[i].binary);
    free(k->codes);
    free(k->args);
    free(k->values);
    free(k->svm);
    free(k->name);
    object_release(&k->program->base);
    free(k);
}

cl_int kernel_clone(cl_kernel k, cl_kernel *out)
{
    cl_kernel copy;
    cl_int err = kernel_new(k->program, k->name, &copy);
    if (err)
        return err;
    brief_lock(&k->lock);
    memcpy(copy->args, k->args, k->n_args * sizeof *k->args);
    atomic_store_explicit(&copy->n_inner, k->n_inner, memory_order_relaxed);
    memcpy(copy->values, k->values, k->values_size);
    err = kernel_set_svm_list(copy, k->n_svm, k->svm);
    brief_unlock(&k->lock);
    if (err)
        object_release(&copy->base);
    else
        *out = copy;
    return err;
}

const struct kbin_kernel *kernel_info(cl_kernel k)
{
    for (cl_uint i = 0; i < k->program->n_devices; i++)
        if (k->codes[i].info)
            return k->codes[i].info;
    return NULL;
}

const struct kernel_code *kernel_code(cl_kernel k, cl_device_id dev)
{
    for (cl_uint i = 0; i < k->program->n_devices; i++)
        if (k->program->devices[i] == dev)
            return k->codes[i].info ? &k->codes[i] : NULL;
    return NULL;
}

cl_int kernel_code_with_offsets(cl_kernel k, cl_device_id dev, const struct kernel_code **out)
{
    cl_uint i = 0;
    while (k->program->devices[i] != dev)
        i++;
    struct kernel_code *code = &k->codes[2 * k->program->n_devices + i];
    struct binary *binary;
    cl_int err = binary_with_offsets(k->codes[i].binary, &binary);
    if (err)
        return err;
    brief_lock(&k->lock);
    code->binary = binary; /* borrowed: of codes[i].binary */
    code->info = binary_find(binary, k->name, &code->index);
    brief_unlock(&k->lock);
    if (!code->info || !same_signature(code->info, k->codes[i].info))
        return CL_OUT_OF_RESOURCES;
    *out = code;
    return CL_SUCCESS;
}

size_t kernel_max_group_size(const struct kernel_code *code)
{
    size_t n = gpu_max_group_size(code->binary->dev->gpu, code->info);
    size_t max = device_max_group_size(code->binary->dev);
    return n < max ? n : max;
}

/* Clocks of the device until all threads have run: it issues for two of an EU's threads at once,
 * and a thread waits for those that began before it. */
static uint64_t launch_clocks(const struct kernel_code *code, uint64_t n_groups, uint64_t items)
{
    const struct gpu_info *dev = &code->binary->dev->info;
    const struct kbin_kernel *k = code->info;
    uint64_t threads = n_groups * ((items + k->simd - 1) / k->simd);
    uint64_t pipes = threads * k->issue_clocks / (2 * dev->n_eus);
    uint64_t rounds = (threads + dev->n_threads - 1) / dev->n_threads;
    uint64_t chain = rounds * ((uint64_t)k->issue_clocks + k->wait_clocks);
    return pipes > chain ? pipes : chain;
}

const struct kernel_code *kernel_choose(const struct kernel_code *code, uint64_t n_groups,
                                        uint64_t group_items)
{
    enum { MANY = 1 << 24 }; /* groups: enough to keep any device busy, and products in range */
    const struct kernel_code *narrow = code->narrow;
    if (!narrow || n_groups > MANY || group_items > kernel_max_group_size(narrow))
        return code;
    return launch_clocks(narrow, n_groups, group_items) < launch_clocks(code, n_groups, group_items)
               ? narrow
               : code;
}

static void set_pointer(cl_kernel k, struct kernel_arg *arg, const void *p, bool inner)
{
    unsigned n = atomic_load_explicit(&k->n_inner, memory_order_relaxed);
    atomic_store_explicit(&k->n_inner, n + inner - arg->inner, memory_order_relaxed);
    arg->svm = p;
    arg->inner = inner;
}

/* A buffer argument: *value is a buffer or NULL, and so is value. */
static cl_int set_mem(cl_kernel k, struct kernel_arg *arg, size_t size, const void *value)
{
    cl_mem mem = value ? *(const cl_mem *)value : NULL;
    if (size != sizeof(cl_mem))
        return CL_INVALID_ARG_SIZE;
    if (mem && (!object_valid(mem, OBJECT_MEM) || mem->image))
        return CL_INVALID_MEM_OBJECT;
    if (mem && mem->ctx != k->program->ctx)
        return CL_INVALID_CONTEXT;
    arg->mem = mem;
    set_pointer(k, arg, NULL, false);
    arg->set = true;
    return CL_SUCCESS;
}

cl_int kernel_set_svm(cl_kernel k, cl_uint index, const void *p)
{
    const struct kbin_arg *info = &kernel_info(k)->args[index];
    if (info->kind != KBIN_ARG_GLOBAL && info->kind != KBIN_ARG_CONSTANT)
        return CL_INVALID_ARG_VALUE;
    size_t offset = 0;
    cl_mem mem = p ? svm_find(k->program->ctx, p, &offset) : NULL;
    if (p && !mem)
        return CL_INVALID_ARG_VALUE;
    if (mem)
        object_release(&mem->base);
    brief_lock(&k->lock);
    k->args[index].mem = NULL;
    set_pointer(k, &k->args[index], p, offset != 0);
    k->args[index].set = true;
    brief_unlock(&k->lock);
    return CL_SUCCESS;
}

cl_int kernel_set_svm_list(cl_kernel k, size_t n, const void *const *pointers)
{
    const void **list = n ? malloc(n * sizeof *list) : NULL;
    if (n && !list)
        return CL_OUT_OF_HOST_MEMORY;
    if (n)
        memcpy(list, pointers, n * sizeof *list);
    brief_lock(&k->lock);
    const void **old = k->svm;
    k->svm = list;
    k->n_svm = n;
    brief_unlock(&k->lock);
    free(old);
    return CL_SUCCESS;
}

bool kernel_takes_image(const struct kbin_arg *info, cl_mem mem)
{
    static const cl_mem_object_type types[KBIN_N_IMAGES] = {
        [KBIN_IMAGE_1D] = CL_MEM_OBJECT_IMAGE1D,
        [KBIN_IMAGE_1D_BUFFER] = CL_MEM_OBJECT_IMAGE1D_BUFFER,
        [KBIN_IMAGE_1D_ARRAY] = CL_MEM_OBJECT_IMAGE1D_ARRAY,
        [KBIN_IMAGE_2D] = CL_MEM_OBJECT_IMAGE2D,
        [KBIN_IMAGE_2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
        [KBIN_IMAGE_3D] = CL_MEM_OBJECT_IMAGE3D,
        [KBIN_IMAGE_2D_DEPTH] = CL_MEM_OBJECT_IMAGE2D,
        [KBIN_IMAGE_2D_ARRAY_DEPTH] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
    };
    bool is_depth = info->image == KBIN_IMAGE_2D_DEPTH || info->image == KBIN_IMAGE_2D_ARRAY_DEPTH;
    return object_valid(mem, OBJECT_MEM) && mem->image && mem->image->type == types[info->image] &&
           is_depth == (mem->image->format->cl.image_channel_order == CL_DEPTH);
}

static cl_int set_image(cl_kernel k, struct kernel_arg *arg, const struct kbin_arg *info,
                        size_t size, const void *value)
{
    cl_mem mem = value ? *(const cl_mem *)value : NULL;
    if (!kernel_takes_image(info, mem))
        return CL_INVALID_MEM_OBJECT;
    if (size != sizeof(cl_mem))
        return CL_INVALID_ARG_SIZE;
    cl_mem_flags never = info->access == KBIN_ACCESS_WRITE  ? CL_MEM_READ_ONLY
                         : info->access == KBIN_ACCESS_READ ? CL_MEM_WRITE_ONLY
                                                            : CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    if (mem->access & never)
        return CL_INVALID_ARG_VALUE;
    if (mem->ctx != k->program->ctx)
        return CL_INVALID_CONTEXT;
    arg->mem = mem;
    arg->set = true;
    return CL_SUCCESS;
}

static cl_int set_sampler(cl_kernel k, struct kernel_arg *arg, size_t size, const void *value)
{
    cl_sampler s = value ? *(const cl_sampler *)value : NULL;
    if (!object_valid(s, OBJECT_SAMPLER))
        return CL_INVALID_SAMPLER;
    if (size != sizeof(cl_sampler))
        return CL_INVALID_ARG_SIZE;
    if (s->ctx != k->program->ctx)
        return CL_INVALID_CONTEXT;
    arg->value = sampler_bits(s);
    arg->set = true;
    return CL_SUCCESS;
}

cl_int kernel_set_arg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
    const struct kbin_arg *info = &kernel_info(k)->args[index];
    struct kernel_arg *arg = &k->args[index];
    cl_int err = CL_SUCCESS;
    brief_lock(&k->lock);
    switch ((enum kbin_arg_kind)info->kind) {
    case KBIN_ARG_GLOBAL:
    case KBIN_ARG_CONSTANT:
        err = set_mem(k, arg, size, value);
        break;
    case KBIN_ARG_LOCAL:
        if (size == 0) {
            err = CL_INVALID_ARG_SIZE;
        } else if (value) {
            err = CL_INVALID_ARG_VALUE;
        } else {
            arg->size = size;
            arg->set = true;
        }
        break;
    case KBIN_ARG_VALUE:
        if (!value) {
            err = CL_INVALID_ARG_VALUE;
        } else if (size != info->size) {
            err = CL_INVALID_ARG_SIZE;
        } else {
            memcpy(k->values + arg->value, value, size);
            arg->size = size;
            arg->set = true;
        }
        break;
    case KBIN_ARG_IMAGE:
        err = set_image(k, arg, info, size, value);
        break;
    case KBIN_ARG_SAMPLER:
        err = set_sampler(k, arg, size, value);
        break;
    case KBIN_N_ARG_KINDS:
        err = CL_INVALID_ARG_VALUE;
        break;
    }
    brief_unlock(&k->lock);
    return err;
}

#define PUT(q, type, value) query_put(q, &(type){value}, sizeof(type))

cl_int kernel_query(cl_kernel k, cl_kernel_info name, const struct query *q)
{
    const struct kbin_kernel *info = kernel_info(k);
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME:
        return query_string(q, k->name);
    case CL_KERNEL_NUM_ARGS:
        return PUT(q, cl_uint, k->n_args);
    case CL_KERNEL_REFERENCE_COUNT:
        return PUT(q, cl_uint, object_api_refs(&k->base));
    case CL_KERNEL_CONTEXT:
        return PUT(q, cl_context, k->program->ctx);
    case CL_KERNEL_PROGRAM:
        return PUT(q, cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES:
        return query_string(q, info->attributes ? info->attributes : "");
    }
    return CL_INVALID_VALUE;
}

cl_int kernel_query_arg(cl_kernel k, cl_uint index, cl_kernel_arg_info name, const struct query *q)
{
    const struct kbin_arg *arg = &kernel_info(k)->args[index];
    static const cl_kernel_arg_address_qualifier spaces[KBIN_N_ARG_KINDS] = {
        [KBIN_ARG_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
        [KBIN_ARG_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [KBIN_ARG_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
        [KBIN_ARG_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
        [KBIN_ARG_IMAGE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [KBIN_ARG_SAMPLER] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
    };
    static const cl_kernel_arg_access_qualifier accesses[] = {
        [KBIN_ACCESS_NONE] = CL_KERNEL_ARG_ACCESS_NONE,
        [KBIN_ACCESS_READ] = CL_KERNEL_ARG_ACCESS_READ_ONLY,
        [KBIN_ACCESS_WRITE] = CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        [KBIN_ACCESS_READ_WRITE] = CL_KERNEL_ARG_ACCESS_READ_WRITE,
    };
    if (name < CL_KERNEL_ARG_ADDRESS_QUALIFIER || name > CL_KERNEL_ARG_NAME)
        return CL_INVALID_VALUE;
    if (!arg->name) /* built without -cl-kernel-arg-info */
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return PUT(q, cl_kernel_arg_address_qualifier, spaces[arg->kind]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return PUT(q, cl_kernel_arg_access_qualifier, accesses[arg->access & 3]);
    case CL_KERNEL_ARG_TYPE_NAME:
        return query_string(q, arg->type_name ? arg->type_name : "");
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return PUT(q, cl_kernel_arg_type_qualifier, arg->qualifiers); /* the same bits */
    case CL_KERNEL_ARG_NAME:
        return query_string(q, arg->name);
    }
    return CL_INVALID_VALUE;
}

cl_int kernel_query_group(cl_kernel k, cl_device_id dev, cl_kernel_work_group_info name,
                          const struct query *q)
{
    const struct kernel_code *code = kernel_code(k, dev);
    if (!code)
        return CL_INVALID_DEVICE;
    const struct kbin_kernel *info = code->info;
    size_t required[3] = {info->reqd_wg_size[0], info->reqd_wg_size[1], info->reqd_wg_size[2]};
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return PUT(q, size_t, kernel_max_group_size(code));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return query_put(q, required, sizeof required);
    case CL_KERNEL_LOCAL_MEM_SIZE: {
        cl_ulong bytes = info->slm_size;
        brief_lock(&k->lock);
        for (unsigned i = 0; i < info->n_args; i++)
            if (info->args[i].kind == KBIN_ARG_LOCAL && k->args[i].set)
                bytes += k->args[i].size;
        brief_unlock(&k->lock);
        return query_put(q, &bytes, sizeof bytes);
    }
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return PUT(q, size_t, info->simd);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return PUT(q, cl_ulong, info->private_size + info->scratch_size / info->simd);
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL:
        return PUT(q, cl_ulong, info->scratch_size);
    }
    return CL_INVALID_VALUE;
}

/* Items of a local size that the application gives; 0 if what it gives is none. */
static size_t items_of(size_t n_in, const void *in)
{
    size_t size[3], items = 1;
    if (!in || n_in == 0 || n_in % sizeof(size_t) || n_in > sizeof size)
        return 0;
    memcpy(size, in, n_in);
    for (size_t d = 0; d < n_in / sizeof(size_t); d++)
        if (__builtin_mul_overflow(items, size[d], &items))
            return 0;
    return items;
}

/* The local size, of as many dimensions as there is room for, that makes `count` sub-groups. */
static cl_int query_local_size(const struct kernel_code *code, size_t count, const struct query *q)
{
    const struct kbin_kernel *info = code->info;
    size_t local[3] = {0, 0, 0}, items, dims = q->value ? q->size / sizeof(size_t) : 1;
    size_t required = (size_t)info->reqd_wg_size[0] * info->reqd_wg_size[1] * info->reqd_wg_size[2];
    if (dims == 0)
        return CL_INVALID_VALUE;
    dims = dims > 3 ? 3 : dims;
    if (count && !__builtin_mul_overflow(count, (size_t)info->simd, &items) &&
        items <= kernel_max_group_size(code) && (!required || required == items)) {
        local[0] = items;
        local[1] = local[2] = 1;
        for (size_t d = 0; required && d < 3; d++)
            local[d] = info->reqd_wg_size[d];
    }
    return query_put(q, local, dims * sizeof(size_t));
}

cl_int kernel_query_sub_groups(cl_kernel k, cl_device_id dev, cl_kernel_sub_group_info name,
                               size_t n_in, const void *in, const struct query *q)
{
    const struct kernel_code *code = kernel_code(k, dev);
    if (!code)
        return CL_INVALID_DEVICE;
    if (device_max_sub_groups(dev) == 0)
        return CL_INVALID_OPERATION;
    size_t simd = code->info->simd, items;
    switch (name) { /* only those which take an input look at it */
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        items = items_of(n_in, in);
        return items ? PUT(q, size_t, items < simd ? items : simd) : CL_INVALID_VALUE;
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        items = items_of(n_in, in);
        return items ? PUT(q, size_t, (items - 1) / simd + 1) : CL_INVALID_VALUE;
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        return in && n_in == sizeof(size_t) ? query_local_size(code, *(const size_t *)in, q)
                                            : CL_INVALID_VALUE;
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return PUT(q, size_t, (kernel_max_group_size(code) - 1) / simd + 1);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return PUT(q, size_t, 0);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        return PUT(q, size_t, code->info->reqd_simd);
    }
    return CL_INVALID_VALUE;
}
