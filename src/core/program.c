/* See program.h. */
#include "src/core/program.h"

#include "src/core/cc_client.h"
#include "src/core/context.h"
#include "src/core/debug.h"
#include "src/core/device.h"
#include "src/core/spirv.h"
#include "src/core/symbols.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODE_ALIGN = 64,
    CODE_PREFETCH = 256 /* bytes that the EU may fetch past the end of a kernel */
};

/* What a kernel may ask of us that we don't offer: NULL if nothing. */
static const char *unsupported(const struct kbin *k)
{
    for (uint32_t i = 0; i < k->n_relocs; i++)
        if (k->relocs[i].offset % 4) /* the kernel's relocations are of whole dwords */
            return "constant data with a misaligned address in it is not supported";
    return NULL;
}

struct binary *binary_new(cl_device_id dev, const void *image, size_t size, const char **why)
{
    struct binary *b = calloc(1, sizeof *b);
    *why = kbin_no_memory;
    if (!b)
        return NULL;
    atomic_init(&b->refs, 1);
    b->dev = dev;
    pthread_mutex_init(&b->lock, NULL);
    if (!kbin_read(image, size, &b->kbin, why))
        goto fail;
    if (b->kbin.gen != dev->hw->gen || b->kbin.quirks != dev->hw->quirks) {
        *why = "the binary was made for another device";
        goto fail;
    }
    if ((*why = unsupported(&b->kbin)))
        goto fail;
    *why = kbin_no_memory;
    b->image = malloc(size);
    size_t n_codes = (size_t)b->kbin.n_kernels + b->kbin.n_narrow + 1;
    b->code_offsets = calloc(n_codes, sizeof *b->code_offsets);
    b->thread_ns = calloc(n_codes, sizeof *b->thread_ns);
    if (!b->image || !b->code_offsets || !b->thread_ns)
        goto fail;
    memcpy(b->image, image, size);
    b->image_size = size;
    symbols_write(&b->kbin);
    return b;

fail:
    binary_release(b);
    return NULL;
}

struct binary *binary_retain(struct binary *b)
{
    if (b)
        atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void binary_release(struct binary *b)
{
    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    bo_release(b->code);
    bo_release(b->constants);
    binary_release(b->offsets);
    kbin_fini(&b->kbin);
    pthread_mutex_destroy(&b->lock);
    free(b->code_offsets);
    free(b->thread_ns);
    free(b->image);
    free(b);
}

typedef struct bo *bo_maker(struct gpu *gpu, const char *name, uint64_t size);

/* A buffer object of `size` bytes as the CPU sees it. */
static struct bo *bo_filled(cl_device_id dev, bo_maker *make, const char *name, uint64_t size,
                            char **bytes)
{
    struct bo *bo = budget_bytes(dev, size) ? make(dev->gpu, name, size) : NULL;
    *bytes = bo ? bo_map(bo) : NULL;
    if (*bytes)
        return bo;
    debug_log(DEBUG_memory, "no memory for %llu bytes of %s", (unsigned long long)size, name);
    bo_release(bo);
    return NULL;
}

/* The program's constants, and where they hold addresses of each other, these. */
static cl_int upload_constants(struct binary *b)
{
    const struct kbin *k = &b->kbin;
    char *bytes;
    struct bo *bo = bo_filled(b->dev, k->n_relocs ? bo_new_self_addressed : bo_new, "constants",
                              k->constants_size, &bytes);
    if (!bo)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    memcpy(bytes, k->constants, k->constants_size);
    for (uint32_t i = 0; i < k->n_relocs; i++) {
        const struct kbin_reloc *r = &k->relocs[i];
        int err = bo_store_own_address(bo, r->offset, k->pointer_bits / 8, r->addend);
        if (!err)
            continue;
        debug_log(DEBUG_memory, "no address in the constants at %u: %s", r->offset, strerror(-err));
        bo_release(bo);
        return CL_OUT_OF_RESOURCES;
    }
    b->constants = bo;
    return CL_SUCCESS;
}

/* Sets where each kernel's code begins, from `at` on, and returns the end. */
static uint64_t place_code(const struct kbin_kernel *k, uint32_t n, uint64_t *offsets, uint64_t at)
{
    for (uint32_t i = 0; i < n; i++) {
        offsets[i] = at;
        at += (k[i].code_size + CODE_ALIGN - 1) & ~(uint64_t)(CODE_ALIGN - 1);
    }
    return at;
}

static cl_int binary_upload(struct binary *b)
{
    const struct kbin *k = &b->kbin;
    uint64_t size, *narrow_offsets = b->code_offsets + k->n_kernels;
    char *bytes;
    size = place_code(k->kernels, k->n_kernels, b->code_offsets, 0);
    size = place_code(k->narrow, k->n_narrow, narrow_offsets, size);
    struct bo *code = bo_filled(b->dev, bo_new, "code", size + CODE_PREFETCH, &bytes);
    if (!code)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    for (uint32_t i = 0; i < k->n_kernels; i++)
        memcpy(bytes + b->code_offsets[i], k->kernels[i].code, k->kernels[i].code_size);
    for (uint32_t i = 0; i < k->n_narrow; i++)
        memcpy(bytes + narrow_offsets[i], k->narrow[i].code, k->narrow[i].code_size);
    if (k->constants_size && !b->constants) {
        cl_int err = upload_constants(b);
        if (err) {
            bo_release(code);
            return err;
        }
    }
    b->code = code;
    return CL_SUCCESS;
}

cl_int binary_commit(struct binary *b)
{
    pthread_mutex_lock(&b->lock);
    cl_int err = b->code ? CL_SUCCESS : binary_upload(b);
    pthread_mutex_unlock(&b->lock);
    return err;
}

static void ask_compiler(const struct cc_request *request, struct cc_reply *reply);

/* From the bitcode in b, under its lock. What the program keeps in variables is shared. */
static struct binary *build_with_offsets(const struct binary *b)
{
    struct cc_blob input = {.name = "program", .data = b->image, .size = b->image_size};
    struct cc_request request = {.kind = CC_LINK,
                                 .pci_id = b->dev->hw->pci_id,
                                 .inputs = &input,
                                 .n_inputs = 1,
                                 .arg_offsets = true};
    struct cc_reply reply = {0};
    const char *why;
    ask_compiler(&request, &reply);
    struct binary *made =
        reply.status == CC_OK ? binary_new(b->dev, reply.binary, reply.size, &why) : NULL;
    if (made && made->kbin.constants_size == b->kbin.constants_size) {
        made->constants = b->constants ? bo_retain(b->constants) : NULL;
    } else {
        binary_release(made);
        made = NULL;
        debug_log(DEBUG_build, "no kernels for pointers into shared memory: %s",
                  reply.log ? reply.log : "");
    }
    cc_reply_fini(&reply);
    return made;
}

cl_int binary_with_offsets(struct binary *b, struct binary **out)
{
    cl_int err = binary_commit(b); /* its constants, which both have */
    if (err)
        return err;
    pthread_mutex_lock(&b->lock);
    if (!b->offsets)
        b->offsets = build_with_offsets(b);
    *out = b->offsets;
    pthread_mutex_unlock(&b->lock);
    return *out ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static void build_fini(struct build *b)
{
    free(b->options);
    free(b->log);
    binary_release(b->binary);
    *b = (struct build){.status = CL_BUILD_NONE};
}

static cl_int program_new(cl_context ctx, enum program_origin origin, cl_uint n,
                          const cl_device_id *devices, cl_program *out)
{
    cl_program p = calloc(1, sizeof *p);
    if (!p)
        return CL_OUT_OF_HOST_MEMORY;
    p->devices = calloc(n, sizeof *devices);
    p->builds = calloc(n, sizeof *p->builds);
    if (!p->devices || !p->builds) {
        free(p->devices);
        free(p->builds);
        free(p);
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(p->devices, devices, n * sizeof *devices);
    p->n_devices = n;
    for (cl_uint i = 0; i < n; i++)
        p->builds[i].status = CL_BUILD_NONE;
    object_retain(&ctx->base);
    p->ctx = ctx;
    p->origin = origin;
    pthread_mutex_init(&p->lock, NULL);
    object_init(&p->base, OBJECT_PROGRAM);
    *out = p;
    return CL_SUCCESS;
}

void program_destroy(struct object *o)
{
    cl_program p = container_of(o, struct _cl_program, base);
    for (cl_uint i = 0; i < p->n_devices; i++)
        build_fini(&p->builds[i]);
    object_release(&p->ctx->base);
    pthread_mutex_destroy(&p->lock);
    free(p->builds);
    free(p->devices);
    free(p->source);
    free(p->il);
    free(p->specialized);
    free(p);
}

cl_int program_new_source(cl_context ctx, char *source, cl_program *out)
{
    cl_int err = program_new(ctx, FROM_SOURCE, ctx->n_devices, ctx->devices, out);
    if (!err)
        (*out)->source = source;
    return err;
}

cl_int program_new_il(cl_context ctx, const void *il, size_t size, cl_program *out)
{
    enum spirv_refusal why;
    uint32_t *words = spirv_copy(il, size, &why);
    if (!words)
        return why == SPIRV_MALFORMED ? CL_INVALID_VALUE : CL_OUT_OF_HOST_MEMORY;
    void *bytes = malloc(size);
    cl_int err = bytes ? program_new(ctx, FROM_IL, ctx->n_devices, ctx->devices, out)
                       : CL_OUT_OF_HOST_MEMORY;
    if (err) {
        free(bytes);
        free(words);
        return err;
    }
    (*out)->il = memcpy(bytes, il, size);
    (*out)->il_size = size;
    (*out)->specialized = words;
    return CL_SUCCESS;
}

cl_int program_set_constant(cl_program p, cl_uint spec_id, size_t size, const void *value)
{
    if (p->origin != FROM_IL)
        return CL_INVALID_PROGRAM;
    cl_int err = CL_SUCCESS;
    pthread_mutex_lock(&p->lock);
    size_t has = spirv_constant_size(p->specialized, p->il_size, spec_id);
    if (!spirv_has_constants(p->specialized, p->il_size))
        err = CL_INVALID_PROGRAM;
    else if (!has)
        err = CL_INVALID_SPEC_ID;
    else if (size != has || !value)
        err = CL_INVALID_VALUE;
    else
        spirv_set_constant(p->specialized, p->il_size, spec_id, value);
    pthread_mutex_unlock(&p->lock);
    return err;
}

cl_int program_new_binary(cl_context ctx, cl_uint n, const cl_device_id *devices,
                          const size_t *sizes, const unsigned char *const *images, cl_int *status,
                          cl_program *out)
{
    cl_program p;
    cl_int err = program_new(ctx, FROM_BINARY, n, devices, &p);
    if (err)
        return err;
    for (cl_uint i = 0; i < n; i++) {
        const char *why;
        struct build *b = &p->builds[i];
        b->binary = binary_new(devices[i], images[i], sizes[i], &why);
        if (b->binary)
            b->type = b->binary->kbin.type;
        else {
            if (err != CL_OUT_OF_HOST_MEMORY)
                err = why == kbin_no_memory ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_BINARY;
            debug_log(DEBUG_build, "binary refused: %s", why);
        }
        if (status)
            status[i] = b->binary ? CL_SUCCESS : CL_INVALID_BINARY;
    }
    if (err)
        object_release(&p->base);
    else
        *out = p;
    return err;
}

bool program_has_device(cl_program p, cl_device_id dev)
{
    for (cl_uint i = 0; i < p->n_devices; i++)
        if (p->devices[i] == dev)
            return true;
    return false;
}

static struct build *build_of(cl_program p, cl_device_id dev)
{
    for (cl_uint i = 0; i < p->n_devices; i++)
        if (p->devices[i] == dev)
            return &p->builds[i];
    assert(!"a device of the program");
    return NULL;
}

/* Under program->lock. */
static bool build_executable(const struct build *b)
{
    return b->status == CL_BUILD_SUCCESS && b->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

struct binary *program_executable(cl_program p, cl_device_id dev)
{
    pthread_mutex_lock(&p->lock);
    struct build *b = build_of(p, dev);
    struct binary *binary = build_executable(b) ? binary_retain(b->binary) : NULL;
    pthread_mutex_unlock(&p->lock);
    return binary;
}

struct binary *program_any_executable(cl_program p)
{
    for (cl_uint i = 0; i < p->n_devices; i++) {
        struct binary *b = program_executable(p, p->devices[i]);
        if (b)
            return b;
    }
    return NULL;
}

/* Marks the devices' builds as running: CL_INVALID_OPERATION if one runs already, or kernels exist.
 */
static cl_int builds_begin(cl_program p, cl_uint n, const cl_device_id *devices)
{
    cl_int err = CL_SUCCESS;
    pthread_mutex_lock(&p->lock);
    if (p->n_kernels)
        err = CL_INVALID_OPERATION;
    for (cl_uint i = 0; i < n; i++)
        if (build_of(p, devices[i])->status == CL_BUILD_IN_PROGRESS)
            err = CL_INVALID_OPERATION;
    for (cl_uint i = 0; !err && i < n; i++)
        build_of(p, devices[i])->status = CL_BUILD_IN_PROGRESS;
    pthread_mutex_unlock(&p->lock);
    return err;
}

/* Takes the outcome over: binary and log. */
static void build_end(cl_program p, cl_device_id dev, const char *options, char *log,
                      struct binary *binary, bool ok)
{
    char *copy = strdup(options);
    pthread_mutex_lock(&p->lock);
    struct build *b = build_of(p, dev);
    build_fini(b);
    b->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    b->options = copy;
    b->log = log;
    b->binary = binary;
    b->type = binary ? binary->kbin.type : CL_PROGRAM_BINARY_TYPE_NONE;
    pthread_mutex_unlock(&p->lock);
}

/* With line tables where someone wants them. */
static void ask_compiler(const struct cc_request *request, struct cc_reply *reply)
{
    struct cc_request r = *request;
    char *options = NULL;
    if (symbols_wanted() && asprintf(&options, "%s -g", r.options ? r.options : "") >= 0)
        r.options = options;
    cc_client_build(&r, reply);
    free(options);
}

/* One request for one device; the outcome goes into the program. */
static enum cc_status build_device(cl_program p, cl_device_id dev, struct cc_request *request)
{
    struct cc_reply reply = {0};
    struct binary *binary = NULL;
    request->pci_id = dev->hw->pci_id;
    ask_compiler(request, &reply);
    if (reply.status == CC_OK) {
        const char *why;
        binary = binary_new(dev, reply.binary, reply.size, &why);
        if (!binary) {
            reply.status = strstr(why, "not supported") ? CC_BUILD_FAILED : CC_INTERNAL;
            free(reply.log);
            reply.log = strdup(why);
        }
    }
    char *log = reply.log;
    reply.log = NULL;
    build_end(p, dev, request->options, log, binary, binary != NULL);
    enum cc_status status = reply.status;
    cc_reply_fini(&reply);
    return status;
}

/* The error of a build over several devices: bad options are worse than a failure. */
static cl_int worse(cl_int err, enum cc_status status, cl_int failure, cl_int bad_options)
{
    if (status == CC_OK)
        return err;
    return status == CC_INVALID_OPTIONS || err == bad_options ? bad_options : failure;
}

/* Copies of the images, so that a build of one of the programs meanwhile does no harm. */
static bool inputs_of(cl_device_id dev, cl_uint n, const cl_program *programs,
                      struct binary **binaries, struct cc_blob *blobs, cl_uint *n_found)
{
    bool linkable = true;
    *n_found = 0;
    for (cl_uint i = 0; i < n; i++) {
        pthread_mutex_lock(&programs[i]->lock);
        struct binary *b =
            program_has_device(programs[i], dev) ? build_of(programs[i], dev)->binary : NULL;
        binaries[i] = binary_retain(b);
        pthread_mutex_unlock(&programs[i]->lock);
        bool object = b && (b->kbin.type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                            b->kbin.type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
        linkable &= object;
        if (object)
            blobs[(*n_found)++] =
                (struct cc_blob){.name = "input", .data = b->image, .size = b->image_size};
    }
    return linkable;
}

/* From a binary: it is there already, or has to be linked. */
static enum cc_status build_from_binary(cl_program p, cl_device_id dev, const char *options)
{
    struct binary *binaries[1];
    struct cc_blob blobs[1];
    cl_uint n;
    if (inputs_of(dev, 1, &p, binaries, blobs, &n) && n == 1) {
        struct cc_request request = {
            .kind = CC_LINK, .options = options, .inputs = blobs, .n_inputs = 1};
        enum cc_status status = build_device(p, dev, &request);
        binary_release(binaries[0]);
        return status;
    }
    build_end(p, dev, options, NULL, binaries[0], binaries[0] != NULL);
    return CC_OK;
}

/* The module as it is now, since constants may be set while it is built; *il is NULL if the program
 * has none. */
static cl_int il_begin(cl_program p, const char **translator, uint32_t **il)
{
    *translator = NULL;
    *il = NULL;
    if (p->origin != FROM_IL)
        return CL_SUCCESS;
    *translator = cc_client_translator();
    *il = malloc(p->il_size);
    if (!*il)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&p->lock);
    memcpy(*il, p->specialized, p->il_size);
    pthread_mutex_unlock(&p->lock);
    return CL_SUCCESS;
}

/* A build or compile under way, with copies of all that the application may change or free. */
struct job {
    cl_program program; /* owned */
    enum ccproto_kind kind;
    cl_uint n_devices;
    cl_device_id *devices;   /* owned array */
    char *options;           /* owned */
    struct cc_blob *headers; /* owned, and so are names and texts */
    cl_uint n_headers;
    uint32_t *il;           /* owned; NULL unless FROM_IL */
    const char *translator; /* lives for ever */
    program_notify notify;  /* NULL: the caller waits */
    void *user_data;
};

static void job_free(struct job *j)
{
    for (cl_uint i = 0; j->headers && i < j->n_headers; i++) {
        free((void *)j->headers[i].name);
        free((void *)j->headers[i].data);
    }
    if (j->program)
        object_release(&j->program->base);
    free(j->headers);
    free(j->devices);
    free(j->options);
    free(j->il);
    free(j);
}

static struct job *job_new(cl_program p, enum ccproto_kind kind, cl_uint n,
                           const cl_device_id *devices, const char *options, cl_uint n_headers,
                           const struct program_header *headers)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    object_retain(&p->base);
    j->program = p;
    j->kind = kind;
    j->n_devices = n;
    j->n_headers = n_headers;
    j->options = strdup(options);
    j->devices = calloc(n, sizeof *devices);
    j->headers = calloc(n_headers + 1, sizeof *j->headers);
    bool ok = j->options && j->devices && j->headers && il_begin(p, &j->translator, &j->il) == 0;
    if (ok)
        memcpy(j->devices, devices, n * sizeof *devices);
    for (cl_uint i = 0; ok && i < n_headers; i++) {
        char *name = strdup(headers[i].name), *text = strdup(headers[i].program->source);
        j->headers[i] = (struct cc_blob){.name = name, .data = text};
        ok = name && text;
        j->headers[i].size = ok ? strlen(text) : 0;
    }
    if (ok)
        return j;
    job_free(j);
    return NULL;
}

/* All devices, whatever becomes of the first. */
static cl_int job_run(const struct job *j)
{
    cl_program p = j->program;
    cl_int err = CL_SUCCESS;
    bool build = j->kind == CC_BUILD;
    for (cl_uint i = 0; i < j->n_devices; i++) {
        enum cc_status status;
        if (p->origin == FROM_BINARY) {
            status = build_from_binary(p, j->devices[i], j->options);
        } else {
            struct cc_request request = {.kind = j->kind,
                                         .source = p->source,
                                         .il = j->il,
                                         .il_size = p->il_size,
                                         .il_translator = j->translator,
                                         .options = j->options,
                                         .headers = j->headers,
                                         .n_headers = j->n_headers};
            status = build_device(p, j->devices[i], &request);
        }
        err = worse(err, status, build ? CL_BUILD_PROGRAM_FAILURE : CL_COMPILE_PROGRAM_FAILURE,
                    build ? CL_INVALID_BUILD_OPTIONS : CL_INVALID_COMPILER_OPTIONS);
    }
    return err;
}

static void *job_thread(void *arg)
{
    struct job *j = arg;
    job_run(j);
    j->notify(j->program, j->user_data);
    job_free(j);
    return NULL;
}

/* Bad options are told by the call, also of a build that goes on after it. */
static bool options_known(const struct job *j)
{
    struct cc_request request = {.kind = j->kind, .source = "", .options = j->options};
    struct cc_reply reply = {0};
    if (j->program->origin == FROM_BINARY)
        return true;
    request.pci_id = j->devices[0]->hw->pci_id;
    cc_client_build(&request, &reply);
    bool known = reply.status != CC_INVALID_OPTIONS;
    cc_reply_fini(&reply);
    return known;
}

/* On a thread of its own; where there is none to be had, here. */
static void job_detach(struct job *j)
{
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int r = pthread_create(&thread, NULL, job_thread, j);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (r)
        job_thread(j);
    else
        pthread_detach(thread);
}

/* Takes the job over. */
static cl_int job_start(struct job *j, program_notify notify, void *user_data)
{
    if (!j)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = CL_SUCCESS;
    if (notify && !options_known(j))
        err = j->kind == CC_BUILD ? CL_INVALID_BUILD_OPTIONS : CL_INVALID_COMPILER_OPTIONS;
    if (!err)
        err = builds_begin(j->program, j->n_devices, j->devices);
    if (!err && notify) {
        j->notify = notify;
        j->user_data = user_data;
        job_detach(j);
        return CL_SUCCESS;
    }
    if (!err)
        err = job_run(j);
    job_free(j);
    return err;
}

cl_int program_build(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                     program_notify notify, void *user_data)
{
    if (p->origin == FROM_BINARY)
        for (cl_uint i = 0; i < n; i++)
            if (!build_of(p, devices[i])->binary)
                return CL_INVALID_BINARY;
    if (p->origin == FROM_LINK)
        return CL_INVALID_OPERATION;
    return job_start(job_new(p, CC_BUILD, n, devices, options, 0, NULL), notify, user_data);
}

cl_int program_compile(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                       cl_uint n_headers, const struct program_header *headers,
                       program_notify notify, void *user_data)
{
    if (p->origin != FROM_SOURCE && p->origin != FROM_IL)
        return CL_INVALID_OPERATION;
    return job_start(job_new(p, CC_COMPILE, n, devices, options, n_headers, headers), notify,
                     user_data);
}

/* Of one of the programs for one of the devices. */
static bool build_under_way(cl_uint n, const cl_device_id *devices, cl_uint n_programs,
                            const cl_program *programs)
{
    bool any = false;
    for (cl_uint i = 0; i < n_programs; i++) {
        pthread_mutex_lock(&programs[i]->lock);
        for (cl_uint d = 0; d < n; d++)
            any |= program_has_device(programs[i], devices[d]) &&
                   build_of(programs[i], devices[d])->status == CL_BUILD_IN_PROGRESS;
        pthread_mutex_unlock(&programs[i]->lock);
    }
    return any;
}

cl_int program_link(cl_context ctx, cl_uint n, const cl_device_id *devices, const char *options,
                    cl_uint n_inputs, const cl_program *inputs, cl_program *out)
{
    cl_program p = NULL;
    if (build_under_way(n, devices, n_inputs, inputs))
        return CL_INVALID_OPERATION;
    struct binary **binaries = calloc(n_inputs, sizeof *binaries);
    struct cc_blob *blobs = calloc(n_inputs, sizeof *blobs);
    cl_int err =
        binaries && blobs ? program_new(ctx, FROM_LINK, n, devices, &p) : CL_OUT_OF_HOST_MEMORY;
    const char *library = strstr(options, "-create-library");
    for (cl_uint i = 0; !err && i < n; i++) {
        cl_uint n_found;
        bool all = inputs_of(devices[i], n_inputs, inputs, binaries, blobs, &n_found);
        if (all) {
            struct cc_request request = {.kind = CC_LINK,
                                         .options = options,
                                         .inputs = blobs,
                                         .n_inputs = n_found,
                                         .make_library = library != NULL};
            err = worse(err, build_device(p, devices[i], &request), CL_LINK_PROGRAM_FAILURE,
                        CL_INVALID_LINKER_OPTIONS);
        } else if (n_found || n == 1) { /* some have it and others don't */
            err = CL_INVALID_OPERATION;
        }
        for (cl_uint j = 0; j < n_inputs; j++)
            binary_release(binaries[j]);
    }
    free(binaries);
    free(blobs);
    if (err && err != CL_LINK_PROGRAM_FAILURE) {
        if (p)
            object_release(&p->base);
        p = NULL;
    }
    *out = p;
    return err;
}

#define PUT(q, type, value) query_put(q, &(type){value}, sizeof(type))

static cl_int query_names(const struct binary *b, const struct query *q)
{
    size_t size = 1;
    for (uint32_t i = 0; i < b->kbin.n_kernels; i++)
        size += strlen(b->kbin.kernels[i].name) + 1;
    char *text = malloc(size), *end = text;
    if (!text)
        return CL_OUT_OF_HOST_MEMORY;
    *end = 0;
    for (uint32_t i = 0; i < b->kbin.n_kernels; i++) {
        if (i)
            *end++ = ';';
        end = stpcpy(end, b->kbin.kernels[i].name);
    }
    cl_int err = query_string(q, text);
    free(text);
    return err;
}

static cl_int query_binaries(cl_program p, const struct query *q)
{
    size_t size = p->n_devices * sizeof(unsigned char *);
    if (q->value && q->size < size)
        return CL_INVALID_VALUE;
    if (q->size_ret)
        *q->size_ret = size;
    if (!q->value)
        return CL_SUCCESS;
    pthread_mutex_lock(&p->lock);
    for (cl_uint i = 0; i < p->n_devices; i++) {
        unsigned char *to = ((unsigned char **)q->value)[i];
        if (to && p->builds[i].binary)
            memcpy(to, p->builds[i].binary->image, p->builds[i].binary->image_size);
    }
    pthread_mutex_unlock(&p->lock);
    return CL_SUCCESS;
}

static cl_int query_binary_sizes(cl_program p, const struct query *q)
{
    size_t *sizes = calloc(p->n_devices, sizeof *sizes);
    if (!sizes)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&p->lock);
    for (cl_uint i = 0; i < p->n_devices; i++)
        sizes[i] = p->builds[i].binary ? p->builds[i].binary->image_size : 0;
    pthread_mutex_unlock(&p->lock);
    cl_int err = query_put(q, sizes, p->n_devices * sizeof *sizes);
    free(sizes);
    return err;
}

cl_int program_query(cl_program p, cl_program_info name, const struct query *q)
{
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return PUT(q, cl_uint, object_api_refs(&p->base));
    case CL_PROGRAM_CONTEXT:
        return PUT(q, cl_context, p->ctx);
    case CL_PROGRAM_NUM_DEVICES:
        return PUT(q, cl_uint, p->n_devices);
    case CL_PROGRAM_DEVICES:
        return query_put(q, p->devices, p->n_devices * sizeof *p->devices);
    case CL_PROGRAM_SOURCE:
        return query_string(q, p->source ? p->source : "");
    case CL_PROGRAM_IL:
        return query_put(q, p->il, p->il_size);
    case CL_PROGRAM_BINARY_SIZES:
        return query_binary_sizes(p, q);
    case CL_PROGRAM_BINARIES:
        return query_binaries(p, q);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: {
        struct binary *b = program_any_executable(p);
        if (!b)
            return CL_INVALID_PROGRAM_EXECUTABLE;
        cl_int err = name == CL_PROGRAM_NUM_KERNELS    ? PUT(q, size_t, b->kbin.n_kernels)
                     : name == CL_PROGRAM_KERNEL_NAMES ? query_names(b, q)
                                                       : PUT(q, cl_bool, CL_FALSE);
        binary_release(b);
        return err;
    }
    }
    return CL_INVALID_VALUE;
}

cl_int program_query_build(cl_program p, cl_device_id dev, cl_program_build_info name,
                           const struct query *q)
{
    cl_int err = CL_INVALID_VALUE;
    pthread_mutex_lock(&p->lock);
    const struct build *b = build_of(p, dev);
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        err = PUT(q, cl_build_status, b->status);
        break;
    case CL_PROGRAM_BUILD_OPTIONS:
        err = query_string(q, b->options ? b->options : "");
        break;
    case CL_PROGRAM_BUILD_LOG:
        err = query_string(q, b->log ? b->log : "");
        break;
    case CL_PROGRAM_BINARY_TYPE:
        err = PUT(q, cl_program_binary_type, b->type);
        break;
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        err = PUT(q, size_t, b->binary ? b->binary->kbin.globals_size : 0);
        break;
    }
    pthread_mutex_unlock(&p->lock);
    return err;
}
