/* One request from beginning to end, in this process: see backend.h for the steps. */
#include "backend/cc.h"
#include "backend/front.h"
#include "backend/llvmx.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <stdlib.h>
#include <string.h>

struct build {
    const struct cc_request *r;
    const struct gen_device *dev;
    struct cc_options opt;
    LLVMContextRef ctx;
    struct kbin *out;
    struct cc_log *log;
};

static void dump_module(LLVMModuleRef m, const char *pass)
{
    if (cc_dumps(pass)) {
        char *text = LLVMPrintModuleToString(m);
        fprintf(stderr, "; %s\n%s", pass, text);
        LLVMDisposeMessage(text);
    }
}

/* Whether a name with "sub_group" in it may occur: also in files that aren't here, or put together.
 */
static bool may_name_sub_groups(const struct build *b)
{
    static const char *const signs[] = {"sub_group", "include", "##"};
    for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strstr(b->r->source, signs[i]))
            return true;
    }
    for (unsigned i = 0; i < b->opt.n_front_args; i++) {
        if (strstr(b->opt.front_args[i], signs[0]))
            return true;
    }
    return false;
}

static LLVMModuleRef read_source(struct build *b)
{
    bool sub_groups = b->r->source && may_name_sub_groups(b);
    struct cc_features features = features_of(b->dev, b->opt.cl_std, sub_groups);
    struct front_source src = {.name = "program.cl",
                               .text = b->r->source,
                               .headers = b->r->headers,
                               .n_headers = b->r->n_headers,
                               .features = &features};
    if (b->r->il)
        return spirv_read(b->ctx, b->r, b->opt.arg_info, b->dev->pointer_bits, b->log);
    return front_compile(b->ctx, &src, b->opt.front_args, b->opt.n_front_args, b->dev->pointer_bits,
                         b->log);
}

static LLVMModuleRef compile_source(struct build *b)
{
    LLVMModuleRef m = read_source(b);
    if (!m)
        return NULL;
    modes_compiled(m, &b->opt);
    dump_module(m, "front");
    return m;
}

/* The objects' bitcode, linked. */
static LLVMModuleRef link_inputs(struct build *b)
{
    LLVMModuleRef all = NULL;

    for (size_t i = 0; i < b->r->n_inputs; i++) {
        const struct cc_blob *in = &b->r->inputs[i];
        struct kbin object;
        const char *why;
        if (!kbin_read(in->data, in->size, &object, &why)) {
            cc_error(b->log, NULL, "input %zu: %s", i, why);
            return NULL;
        }
        if (!object.bitcode || object.pointer_bits != b->dev->pointer_bits) {
            cc_error(b->log, NULL, "input %zu: %s", i,
                     object.bitcode ? "compiled for a device of another pointer size"
                                    : "not a compiled object or library");
            return NULL;
        }
        LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            (const char *)object.bitcode, object.bitcode_size, "object");
        LLVMModuleRef m;
        if (LLVMParseBitcodeInContext2(b->ctx, bytes, &m)) {
            cc_error(b->log, NULL, "input %zu: damaged bitcode", i);
            return NULL;
        }
        kbin_fini(&object);
        modes_linked(m, &b->opt);
        if (!all)
            all = m;
        else if (!link_module(all, m, b->log))
            return NULL;
    }
    return all;
}

static void keep_bitcode(struct build *b, LLVMModuleRef m, uint32_t type)
{
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    b->out->bitcode_size = LLVMGetBufferSize(bytes);
    b->out->bitcode =
        cc_grow((void *)LLVMGetBufferStart(bytes), b->out->bitcode_size, b->out->bitcode_size);
    b->out->type = type;
    LLVMDisposeMemoryBuffer(bytes);
}

static void make_library(struct build *b, LLVMModuleRef m)
{
    if (!b->opt.link_options)
        modes_close(m);
    keep_bitcode(b, m, 2); /* CL_PROGRAM_BINARY_TYPE_LIBRARY */
}

static bool compile_kernel(struct build *b, LLVMValueRef kernel)
{
    struct kbin_kernel *out = &b->out->kernels[b->out->n_kernels++];
    enum codegen_result r = CODEGEN_ARRAYS;
    struct ir_fn *fn = NULL;
    for (unsigned in_memory = 0; in_memory < 2 && r == CODEGEN_ARRAYS; in_memory++) {
        *out = (struct kbin_kernel){0};
        if (!meta_fill(kernel, b->dev, &b->opt, out, b->log))
            return false;
        fn = ir_from_llvm(kernel, b->dev, &b->opt, !in_memory, out, b->out, b->log);
        if (!fn || b->log->failed)
            return false;
        ir_optimise(fn);
        r = codegen_kernel(fn, b->dev, out, b->log);
    }
    if (r != CODEGEN_OK)
        return false;
    b->out->n_narrow += codegen_narrow(fn, b->dev, out, &b->out->narrow[b->out->n_narrow]);
    return true;
}

/* Whether code of another kind may be asked for later: see struct cc_request. Shared virtual
 * memory, pointers into the middle of which are what needs it, is of devices with 64-bit pointers.
 */
static bool may_need_offsets(const struct build *b, LLVMModuleRef m)
{
    if (b->opt.arg_offsets || b->dev->pointer_bits != 64)
        return false;
    for_each_function (f, m) {
        for (unsigned i = 0; llvmx_is_kernel(f) && i < LLVMCountParams(f); i++) {
            LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(f, i));
            if (LLVMGetTypeKind(t) == LLVMPointerTypeKind &&
                (LLVMGetPointerAddressSpace(t) == ADDR_GLOBAL ||
                 LLVMGetPointerAddressSpace(t) == ADDR_CONSTANT))
                return true;
        }
    }
    return false;
}

static bool make_executable(struct build *b, LLVMModuleRef m)
{
    unsigned n = 0;

    if (may_need_offsets(b, m))
        keep_bitcode(b, m, 4);
    modes_of(m, &b->opt);
    passes_begin(m);
    if (!refuse_unsupported(m, b->log) || !link_builtins(m, b->dev->pointer_bits, b->log) ||
        !passes_run(m, b->dev, &b->opt, b->out, b->log))
        return false;
    for_each_function (f, m)
        n += llvmx_is_kernel(f);
    b->out->kernels = cc_alloc(n * sizeof(*b->out->kernels));
    b->out->narrow = cc_alloc(n * sizeof(*b->out->narrow));
    b->out->type = 4;     /* CL_PROGRAM_BINARY_TYPE_EXECUTABLE */
    if (cc_dumps("stop")) /* to see what precedes, whatever follows */
        return true;
    for_each_function (f, m) {
        if (llvmx_is_kernel(f) && !compile_kernel(b, f))
            return false;
    }
    return true;
}

enum cc_status cc_build(const struct cc_request *r, struct kbin *out, struct cc_log *log)
{
    struct build b = {.r = r, .dev = gen_device_by_id((uint16_t)r->pci_id), .out = out, .log = log};
    enum cc_status s = options_parse(r->options, r->kind, &b.opt, log);

    if (s != CC_OK)
        return s;
    if (!b.dev || r->pci_id > UINT16_MAX) {
        cc_error(log, NULL, "no known device has PCI id 0x%04x", r->pci_id);
        return CC_BUILD_FAILED;
    }
    *out = (struct kbin){.gen = b.dev->gen,
                         .quirks = b.dev->quirks,
                         .pointer_bits = b.dev->pointer_bits,
                         .options = cc_printf("%s", r->options ? r->options : "")};
    b.ctx = LLVMContextCreate();
    llvm_log_to(b.ctx, log);

    b.opt.arg_offsets = r->arg_offsets;
    LLVMModuleRef m = r->kind == CC_LINK ? link_inputs(&b) : compile_source(&b);
    if (!m || log->failed)
        return CC_BUILD_FAILED;
    if (r->kind == CC_COMPILE)
        keep_bitcode(&b, m, 1); /* CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT */
    else if (r->make_library || b.opt.create_library)
        make_library(&b, m);
    else if (!make_executable(&b, m))
        return CC_BUILD_FAILED;
    return log->failed ? CC_BUILD_FAILED : CC_OK;
}

void cc_build_reply(const struct cc_request *r, struct cc_reply *reply)
{
    struct kbin out = {0};
    struct cc_log log = {0};
    const char *why = NULL;

    *reply = (struct cc_reply){.status = cc_build(r, &out, &log)};
    if (reply->status == CC_OK && !kbin_write(&out, &reply->binary, &reply->size, &why))
        bug("inconsistent kernel binary: %s", why);
    reply->log = strdup(log.text ? log.text : "");
    if (!reply->log)
        bug("out of memory");
}
