/* Calls that are left: LLVM's intrinsics and the primitives of lib/gen.h. */
#include "backend/from_llvm.h"

#include <string.h>

static struct comps one(struct ir_src s)
{
    struct comps c = comps_new(1);
    c.c[0] = s;
    return c;
}

static uint32_t constant_operand(LLVMValueRef call, unsigned n)
{
    LLVMValueRef v = LLVMGetOperand(call, n);
    if (!LLVMIsAConstantInt(v))
        bug("a primitive's operand is not constant");
    return (uint32_t)LLVMConstIntGetZExtValue(v);
}

/* ---- where the work-item is (whether the kernel observes groups, passes.c has found out) ---- */

static struct ir_src dimension_param(struct lower *l, enum kbin_param_kind kind, unsigned dim)
{
    return lower_param(l, kind, dim, 0, 4, IR_I32);
}

/* In the whole range: the driver may run it in parts. */
static struct ir_src group_id(struct lower *l, unsigned dim)
{
    return op2(l, IR_add, op0(l, IR_group_id, dim),
               dimension_param(l, KBIN_PARAM_GROUP_OFFSET, dim));
}

static struct comps local_id_fn(struct lower *l, unsigned dim)
{
    return one(op0(l, IR_local_id, dim));
}

static struct comps group_id_fn(struct lower *l, unsigned dim)
{
    return one(group_id(l, dim));
}

static struct comps local_size_fn(struct lower *l, unsigned dim)
{
    return one(dimension_param(l, KBIN_PARAM_LOCAL_SIZE, dim));
}

static struct comps num_groups_fn(struct lower *l, unsigned dim)
{
    return one(dimension_param(l, KBIN_PARAM_NUM_GROUPS, dim));
}

static struct comps global_size_fn(struct lower *l, unsigned dim)
{
    return one(dimension_param(l, KBIN_PARAM_GLOBAL_SIZE, dim));
}

static struct comps global_offset_fn(struct lower *l, unsigned dim)
{
    return one(dimension_param(l, KBIN_PARAM_GLOBAL_OFFSET, dim));
}

/* Tells nothing of groups. The uniform part comes first: it is one scalar computation. */
static struct comps global_id_fn(struct lower *l, unsigned dim)
{
    struct ir_src size = dimension_param(l, KBIN_PARAM_ENQUEUED_LOCAL_SIZE, dim);
    struct ir_src start = op2(l, IR_mul, group_id(l, dim), size);
    start = op2(l, IR_add, start, dimension_param(l, KBIN_PARAM_GLOBAL_OFFSET, dim));
    return one(op2(l, IR_add, start, op0(l, IR_local_id, dim)));
}

static const struct {
    const char *name;
    struct comps (*lower)(struct lower *l, unsigned dim);
} work_item[] = {
    {"__gen_local_id", local_id_fn},       {"__gen_group_id", group_id_fn},
    {"__gen_local_size", local_size_fn},   {"__gen_num_groups", num_groups_fn},
    {"__gen_global_size", global_size_fn}, {"__gen_global_offset", global_offset_fn},
    {"__gen_global_id", global_id_fn},
};

/* ---- one operation each ---- */

static const struct {
    const char *name;
    enum ir_op op;
} simple[] = {
    {"__gen_sin", IR_fsin},      {"__gen_cos", IR_fcos},        {"__gen_exp2", IR_fexp2},
    {"__gen_log2", IR_flog2},    {"__gen_sqrt", IR_fsqrt},      {"__gen_rsqrt", IR_frsqrt},
    {"__gen_rcp", IR_frcp},      {"__gen_pow", IR_fpow},        {"__gen_f2h", IR_f2h},
    {"__gen_h2f", IR_h2f},       {"__gen_umulhi", IR_mulhi_u},  {"__gen_smulhi", IR_mulhi_s},
    {"__gen_mad64", IR_dfma},    {"__gen_shuffle", IR_shuffle}, {"__gen_divm64", IR_ddiv},
    {"__gen_sqrtm64", IR_dsqrt},
};

static const struct {
    const char *name;
    enum ir_group_op op;
} group_ops[] = {
    {"add", IR_GROUP_ADD},   {"umin", IR_GROUP_UMIN}, {"umax", IR_GROUP_UMAX},
    {"smin", IR_GROUP_SMIN}, {"smax", IR_GROUP_SMAX}, {"and", IR_GROUP_AND},
    {"or", IR_GROUP_OR},     {"xor", IR_GROUP_XOR},   {"fadd", IR_GROUP_FADD},
    {"fmul", IR_GROUP_FMUL}, {"fmin", IR_GROUP_FMIN}, {"fmax", IR_GROUP_FMAX},
};

/* __gen_reduce_OP, __gen_scan_OP, __gen_before_OP (the exclusive scan) of the active lanes. */
static bool lower_group(struct lower *l, LLVMValueRef call, const char *name, struct comps *out)
{
    static const struct {
        const char *prefix;
        enum ir_op op;
        uint32_t imm;
    } forms[] = {{"__gen_reduce_", IR_reduce, 0},
                 {"__gen_scan_", IR_scan, 0},
                 {"__gen_before_", IR_scan, IR_GROUP_EXCLUSIVE}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        size_t n = strlen(forms[f].prefix);
        if (strncmp(name, forms[f].prefix, n))
            continue;
        for (size_t k = 0; k < sizeof group_ops / sizeof *group_ops; k++) {
            if (strcmp(name + n, group_ops[k].name))
                continue;
            struct ir_insn *i = ir_new(l->fn, forms[f].op, 1, 1);
            i->imm = group_ops[k].op | forms[f].imm;
            i->dst[0]->type = (uint8_t)type_of_comp(LLVMTypeOf(call));
            ir_set_src(i, 0, op_as(l, i->dst[0]->type, lower_scalar(l, LLVMGetOperand(call, 0))));
            op_append(l, i);
            *out = one(ir_val(i->dst[0]));
            return true;
        }
    }
    return false;
}

static const struct {
    const char *name;
    enum msg_atomic op;
} atomics[] = {
    {"add", ATOMIC_ADD},   {"sub", ATOMIC_SUB},   {"xchg", ATOMIC_MOV},      {"inc", ATOMIC_INC},
    {"dec", ATOMIC_DEC},   {"imin", ATOMIC_IMIN}, {"cmpxchg", ATOMIC_CMPWR}, {"imax", ATOMIC_IMAX},
    {"umin", ATOMIC_UMIN}, {"umax", ATOMIC_UMAX}, {"and", ATOMIC_AND},       {"or", ATOMIC_OR},
    {"xor", ATOMIC_XOR},
};

/* __gen_atomic_OP_SPACE: the pointer's root says the space better than the name. */
static bool find_atomic(const char *name, enum msg_atomic *op)
{
    static const char prefix[] = "__gen_atomic_";
    if (strncmp(name, prefix, sizeof prefix - 1))
        return false;
    name += sizeof prefix - 1;
    size_t n = strcspn(name, "_");
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
        if (strlen(atomics[i].name) == n && !strncmp(name, atomics[i].name, n)) {
            *op = atomics[i].op;
            return true;
        }
    return false;
}

static void barrier_or_fence(struct lower *l, LLVMValueRef call, enum ir_op op)
{
    struct ir_insn *i = ir_new(l->fn, op, 0, 0);
    i->imm = constant_operand(call, 0) & 7;
    l->out->uses_barrier |= op == IR_barrier;
    op_append(l, i);
}

/* A dword of a struct by value; its size bounds what there is of it. */
static struct comps arg_dword(struct lower *l, LLVMValueRef call)
{
    unsigned arg = constant_operand(call, 0), offset = constant_operand(call, 1), size = 4;
    if (arg >= LLVMCountParams(l->kernel))
        bug("__gen_arg_dword: no argument %u", arg);
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(l->kernel, arg + 1, kind);
    if (byval) {
        uint64_t all = LLVMABISizeOfType(l->layout, LLVMGetTypeAttributeValue(byval));
        if (offset >= all)
            return comps_new(1);
        if (all - offset < 4)
            size = (unsigned)(all - offset);
    }
    return one(lower_param(l, KBIN_PARAM_ARG, arg, offset, size, IR_I32));
}

static struct comps printf_buffer(struct lower *l)
{
    struct comps c = comps_new(l->pointer_words);
    for (uint32_t i = 0; i < c.n; i++)
        c.c[i] = lower_param(l, KBIN_PARAM_PRINTF, 0, 4 * i, 4, IR_I32);
    return c;
}

static bool lower_primitive(struct lower *l, LLVMValueRef call, const char *name, struct comps *out)
{
    enum msg_atomic atomic;
    for (size_t i = 0; i < sizeof work_item / sizeof *work_item; i++)
        if (!strcmp(name, work_item[i].name)) {
            unsigned dim = constant_operand(call, 0);
            if (dim > 2)
                bug("%s: dimension %u", name, dim);
            *out = work_item[i].lower(l, dim);
            return true;
        }
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (!strcmp(name, simple[i].name)) {
            unsigned n = (unsigned)ir_op_info[simple[i].op].n_src;
            struct ir_src a[3];
            for (unsigned k = 0; k < n; k++)
                a[k] = lower_scalar(l, LLVMGetOperand(call, k));
            *out = one(n == 1   ? op1(l, simple[i].op, a[0])
                       : n == 2 ? op2(l, simple[i].op, a[0], a[1])
                                : op3(l, simple[i].op, a[0], a[1], a[2]));
            return true;
        }
    if (!strcmp(name, "__gen_work_dim")) {
        *out = one(lower_param(l, KBIN_PARAM_WORK_DIM, 0, 0, 4, IR_I32));
    } else if (!strcmp(name, "__gen_arg_dword")) {
        *out = arg_dword(l, call);
    } else if (!strcmp(name, "__gen_barrier")) {
        barrier_or_fence(l, call, IR_barrier);
    } else if (!strcmp(name, "__gen_fence")) {
        barrier_or_fence(l, call, IR_fence);
    } else if (!strcmp(name, "__gen_printf_buffer")) {
        *out = printf_buffer(l);
    } else if (!strcmp(name, "__gen_lane_id")) {
        *out = one(op0(l, IR_lane_id, 0));
    } else if (!strcmp(name, "__gen_simd_width")) {
        *out = one(op0(l, IR_simd_width, 0));
    } else if (!strcmp(name, "__gen_pointer_tag")) {
        *out = lower_pointer_tag(l, LLVMGetOperand(call, 0));
    } else if (!strcmp(name, "__gen_constant_offset")) {
        *out = lower_constant_offset(l, LLVMGetOperand(call, 0));
    } else if (find_atomic(name, &atomic)) {
        lower_atomic(l, call, atomic);
        *out = lower_value(l, call);
    } else {
        return lower_group(l, call, name, out) || lower_image_primitive(l, call, name, out);
    }
    return true;
}

/* Intrinsics without an effect on what is computed. */
static bool is_hint(const char *name)
{
    static const char *const hints[] = {"llvm.lifetime.",
                                        "llvm.dbg.",
                                        "llvm.assume",
                                        "llvm.donothing",
                                        "llvm.experimental.noalias.scope.decl",
                                        "llvm.invariant.",
                                        "llvm.annotation",
                                        "llvm.sideeffect"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (!strncmp(name, hints[i], strlen(hints[i])))
            return true;
    return false;
}

struct comps lower_call(struct lower *l, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    struct comps out = {0};
    size_t length;
    if (!LLVMIsAFunction(callee))
        return lower_fail(l, "calls through pointers are not supported");
    const char *name = LLVMGetValueName2(callee, &length);
    if (is_hint(name))
        return out;
    if (!strncmp(name, "llvm.", 5) ? lower_intrinsic_arith(l, call, name, &out)
                                   : lower_primitive(l, call, name, &out))
        return out;
    return lower_fail(l, "internal: call of %s is not supported", name);
}
