/* The primitives of images: reads by the sampler, writes, properties. An image is a kernel
 * argument, a sampler one too or a constant; each pair of sampler and image that is sampled is a
 * sampler state of the kernel. */
#include "backend/from_llvm.h"

#include <string.h>

/* Which argument of the kernel v is; -1: none. */
static int argument_of(struct lower *l, LLVMValueRef v)
{
    for (unsigned i = 0; i < LLVMCountParams(l->kernel); i++)
        if (LLVMGetParam(l->kernel, i) == v)
            return (int)i;
    return -1;
}

static int image_argument(struct lower *l, LLVMValueRef call)
{
    int arg = argument_of(l, LLVMGetOperand(call, 0));
    if (arg < 0)
        lower_fail(l, "an image that isn't an argument of the kernel is not supported");
    return arg;
}

/* A sampler without its image: an argument, or a constant's bits. */
static bool find_sampler(struct lower *l, LLVMValueRef v, struct kbin_sampler *out)
{
    int arg = argument_of(l, v);
    *out = (struct kbin_sampler){.is_arg = arg >= 0};
    if (arg >= 0) {
        out->index = (uint16_t)arg;
        return true;
    }
    if (LLVMIsACallInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 0))) {
        out->value = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0));
        return true;
    }
    lower_fail(l, "a sampler that is neither an argument of the kernel nor a constant is not "
                  "supported");
    return false;
}

/* The index of a sampler state. */
static unsigned sampler_index(struct lower *l, struct kbin_sampler s)
{
    struct kbin_kernel *k = l->out;
    for (uint32_t i = 0; i < k->n_samplers; i++) {
        const struct kbin_sampler *o = &k->samplers[i];
        if (o->is_arg == s.is_arg && o->index == s.index && o->image == s.image &&
            o->value == s.value)
            return i;
    }
    if (k->n_samplers == KBIN_MAX_SAMPLERS) {
        lower_fail(l, "more than %u pairs of sampler and image in a kernel are not supported",
                   KBIN_MAX_SAMPLERS);
        return 0;
    }
    uint32_t n = k->n_samplers;
    if ((n & (n - 1)) == 0)
        k->samplers =
            cc_grow(k->samplers, n * sizeof *k->samplers, (n ? 2 * n : 1) * sizeof *k->samplers);
    k->samplers[n] = s;
    return k->n_samplers++;
}

static unsigned image_surface(struct lower *l, int arg, bool written)
{
    unsigned bti = lower_surface(l, KBIN_SURFACE_IMAGE, (unsigned)arg);
    l->out->surfaces[bti].written |= written;
    return bti;
}

/* Coordinates that an image of this argument has: the rest of the three are left out. */
static unsigned n_coordinates(struct lower *l, int arg)
{
    static const uint8_t n[KBIN_N_IMAGES] = {
        [KBIN_IMAGE_1D] = 1,       [KBIN_IMAGE_1D_BUFFER] = 1,     [KBIN_IMAGE_1D_ARRAY] = 2,
        [KBIN_IMAGE_2D] = 2,       [KBIN_IMAGE_2D_ARRAY] = 3,      [KBIN_IMAGE_3D] = 3,
        [KBIN_IMAGE_2D_DEPTH] = 2, [KBIN_IMAGE_2D_ARRAY_DEPTH] = 3};
    return n[l->out->args[arg].image];
}

/* op with the coordinates from operand `first` on, and `more` sources to be set. */
static struct ir_insn *with_coordinates(struct lower *l, LLVMValueRef call, enum ir_op op, int arg,
                                        unsigned n_dst, unsigned first, unsigned more)
{
    unsigned n = n_coordinates(l, arg);
    struct ir_insn *i = ir_new(l->fn, op, n_dst, n + more);
    for (unsigned k = 0; k < n; k++)
        ir_set_src(i, k, lower_scalar(l, LLVMGetOperand(call, first + k)));
    return i;
}

static struct comps four_results(struct lower *l, struct ir_insn *i)
{
    struct comps out = comps_new(4);
    op_append(l, i);
    for (unsigned k = 0; k < 4; k++)
        out.c[k] = ir_val(i->dst[k]);
    return out;
}

static struct comps lower_sample(struct lower *l, LLVMValueRef call)
{
    int arg = image_argument(l, call);
    struct kbin_sampler s;
    if (arg < 0 || !find_sampler(l, LLVMGetOperand(call, 1), &s))
        return comps_new(4);
    s.image = (uint16_t)arg;
    struct ir_insn *i = with_coordinates(l, call, IR_sample, arg, 4, 2, 0);
    i->imm = image_surface(l, arg, false) | sampler_index(l, s) << 8;
    return four_results(l, i);
}

static struct comps lower_ld(struct lower *l, LLVMValueRef call)
{
    int arg = image_argument(l, call);
    if (arg < 0)
        return comps_new(4);
    bool rw = l->out->args[arg].access == KBIN_ACCESS_READ_WRITE;
    struct ir_insn *i = with_coordinates(l, call, rw ? IR_image_read : IR_texel, arg, 4, 1, 0);
    i->imm = image_surface(l, arg, false);
    return four_results(l, i);
}

static struct comps lower_write(struct lower *l, LLVMValueRef call)
{
    int arg = image_argument(l, call);
    if (arg < 0)
        return comps_new(0);
    struct ir_insn *i = with_coordinates(l, call, IR_image_write, arg, 0, 1, 4);
    struct comps value = lower_value(l, LLVMGetOperand(call, 4));
    for (unsigned k = 0; k < 4; k++)
        ir_set_src(i, i->n_src - 4 + k, value.c[k]);
    i->imm = image_surface(l, arg, true);
    op_append(l, i);
    return comps_new(0);
}

/* __gen_media_read ROWS _ BYTES _ ACCESS: the element's size stands in the name, the rows in the
 * type. */
static uint32_t media_imm(struct lower *l, LLVMValueRef call, int arg, bool written)
{
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
    uint32_t bytes = (uint32_t)(strrchr(name, '_')[-1] - '0');
    return image_surface(l, arg, written) | bytes << 8;
}

static struct comps lower_media_read(struct lower *l, LLVMValueRef call)
{
    unsigned rows = type_length(LLVMTypeOf(call));
    struct comps out = comps_new(rows);
    int arg = image_argument(l, call);
    if (arg < 0)
        return out;
    struct ir_insn *i = ir_new(l->fn, IR_media_read, rows, 2);
    for (unsigned k = 0; k < 2; k++)
        ir_set_src(i, k, lower_scalar(l, LLVMGetOperand(call, 1 + k)));
    i->imm = media_imm(l, call, arg, false);
    op_append(l, i);
    for (unsigned k = 0; k < rows; k++)
        out.c[k] = ir_val(i->dst[k]);
    return out;
}

static struct comps lower_media_write(struct lower *l, LLVMValueRef call)
{
    int arg = image_argument(l, call);
    if (arg < 0)
        return comps_new(0);
    struct comps value = lower_value(l, LLVMGetOperand(call, 3));
    struct ir_insn *i = ir_new(l->fn, IR_media_write, 0, 2 + value.n);
    for (unsigned k = 0; k < 2; k++)
        ir_set_src(i, k, lower_scalar(l, LLVMGetOperand(call, 1 + k)));
    for (unsigned k = 0; k < value.n; k++)
        ir_set_src(i, 2 + k, value.c[k]);
    i->imm = media_imm(l, call, arg, true);
    op_append(l, i);
    return comps_new(0);
}

static struct comps lower_property(struct lower *l, LLVMValueRef call)
{
    struct comps out = comps_new(1);
    LLVMValueRef what = LLVMGetOperand(call, 1);
    int arg = image_argument(l, call);
    if (arg < 0)
        return out;
    if (!LLVMIsAConstantInt(what) || LLVMConstIntGetZExtValue(what) > 5)
        bug("a property of an image that isn't constant");
    out.c[0] = lower_param(l, KBIN_PARAM_IMAGE_WIDTH + (unsigned)LLVMConstIntGetZExtValue(what),
                           (unsigned)arg, 0, 4, IR_I32);
    return out;
}

static struct comps lower_sampler_bits(struct lower *l, LLVMValueRef call)
{
    struct comps out = comps_new(1);
    struct kbin_sampler s;
    if (find_sampler(l, LLVMGetOperand(call, 0), &s))
        out.c[0] =
            s.is_arg ? lower_param(l, KBIN_PARAM_SAMPLER, s.index, 0, 4, IR_I32) : ir_imm(s.value);
    return out;
}

bool lower_image_primitive(struct lower *l, LLVMValueRef call, const char *name, struct comps *out)
{
    static const struct {
        const char *prefix;
        struct comps (*lower)(struct lower *l, LLVMValueRef call);
    } rows[] = {
        {"__gen_sample_", lower_sample},
        {"__gen_ld_", lower_ld},
        {"__gen_write_", lower_write},
        {"__gen_media_read", lower_media_read},
        {"__gen_media_write", lower_media_write},
        {"__gen_image_", lower_property},
        {"__gen_sampler_bits", lower_sampler_bits},
    };
    if (!strcmp(name, "__gen_sampler")) { /* a constant one: who uses it looks at the call */
        *out = comps_new(0);
        return true;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(name, rows[i].prefix, strlen(rows[i].prefix))) {
            *out = rows[i].lower(l, call);
            return true;
        }
    return false;
}
