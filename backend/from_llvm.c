/* LLVM IR -> Gen IR: a kernel as a whole. cfg.c lays the blocks out; they are lowered in that
 * order, which defines each value before its uses but for phis; those get their sources last. */
#include "backend/from_llvm.h"
#include "backend/cfg.h"
#include "backend/opt.h"

#include <string.h>

/* Cross-thread constants that a kernel may have: 64 registers. */
enum { MAX_PUSH = 2048 };

struct comps lower_fail(struct lower *l, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!l->failed) /* the first says enough: what follows may come of it */
        cc_error(l->log, l->insn, "%s", text);
    l->failed = true;
    return (struct comps){0};
}

/* ---- values ---- */

static uint32_t hash(const void *p)
{
    uint64_t x = (uint64_t)(uintptr_t)p * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(x >> 32);
}

static struct lowered *slot(struct lowered *map, uint32_t size, LLVMValueRef v)
{
    uint32_t i = hash(v) & (size - 1);
    while (map[i].key && map[i].key != v)
        i = (i + 1) & (size - 1);
    return &map[i];
}

struct lowered *lower_entry(struct lower *l, LLVMValueRef v)
{
    if (l->map_used * 2 >= l->map_size) {
        uint32_t size = l->map_size ? l->map_size * 2 : 256;
        struct lowered *map = cc_alloc(size * sizeof *map);
        for (uint32_t i = 0; i < l->map_size; i++)
            if (l->map[i].key)
                *slot(map, size, l->map[i].key) = l->map[i];
        l->map = map;
        l->map_size = size;
    }
    struct lowered *e = slot(l->map, l->map_size, v);
    if (!e->key) {
        e->key = v;
        l->map_used++;
    }
    return e;
}

struct comps comps_new(uint32_t n)
{
    return (struct comps){cc_alloc((n ? n : 1) * sizeof(struct ir_src)), n};
}

LLVMTypeRef type_scalar(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

bool type_is_double(LLVMTypeRef t)
{
    return LLVMGetTypeKind(type_scalar(t)) == LLVMDoubleTypeKind;
}

uint32_t type_length(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

unsigned type_bits(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(t);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

enum ir_type type_of_comp(LLVMTypeRef t)
{
    t = type_scalar(t);
    if (LLVMGetTypeKind(t) == LLVMFloatTypeKind)
        return IR_F32;
    if (LLVMGetTypeKind(t) == LLVMDoubleTypeKind)
        return IR_F64;
    return type_bits(t) == 1 ? IR_I1 : IR_I32;
}

uint32_t type_comps(struct lower *l, LLVMTypeRef t)
{
    unsigned bits;
    switch (LLVMGetTypeKind(t)) {
    case LLVMDoubleTypeKind:
        return 1;
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(t) * type_comps(l, LLVMGetElementType(t));
    case LLVMPointerTypeKind: /* pointers in vectors are absolute; others ask their root */
        return LLVMGetPointerAddressSpace(t) == ADDR_LOCAL ||
                       LLVMGetPointerAddressSpace(t) == ADDR_PRIVATE
                   ? 1
                   : l->pointer_words;
    default:
        bits = type_bits(t);
        return bits == 0 || bits > 64 ? 0 : (bits + 31) / 32;
    }
}

static uint32_t comps_of_pointer(struct lower *l, struct root r)
{
    return r.kind == ROOT_ADDRESS ? l->pointer_words : 1;
}

static struct comps constant_bits(struct lower *l, LLVMTypeRef t, uint64_t bits)
{
    struct comps c = comps_new(type_comps(l, t));
    if (type_is_double(t)) {
        c.c[0] = op_double(l, bits);
        return c;
    }
    for (uint32_t i = 0; i < c.n; i++)
        c.c[i] = ir_imm((uint32_t)(bits >> (32 * i)));
    if (type_bits(t) == 1)
        c.c[0].imm &= 1;
    return c;
}

/* LLVM gives the bits of a float constant only as an integer constant. */
uint64_t float_constant(LLVMValueRef v, unsigned bits)
{
    LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(v));
    LLVMValueRef i = LLVMConstBitCast(v, LLVMIntTypeInContext(ctx, bits));
    if (!LLVMIsAConstantInt(i))
        bug("a float constant that does not fold");
    return LLVMConstIntGetZExtValue(i);
}

static struct comps lower_constant(struct lower *l, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind)
        return lower_pointer_constant(l, v);
    if (LLVMIsAConstantExpr(v)) {
        if (LLVMGetConstOpcode(v) == LLVMPtrToInt)
            return lower_ptr_to_int(l, LLVMGetOperand(v, 0), type_bits(t));
        return lower_fail(l, "constant expression not supported");
    }
    uint32_t n = type_comps(l, t);
    if (!n)
        return lower_fail(l, "type of a constant not supported");
    if (LLVMIsUndef(v) || LLVMIsNull(v)) { /* poison is undef too */
        struct comps c = comps_new(n);
        for (uint32_t i = 0; i < n && type_is_double(t); i++)
            c.c[i] = op_double(l, 0);
        return c;
    }
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        struct comps c = comps_new(n);
        uint32_t each = n / LLVMGetVectorSize(t);
        for (uint32_t i = 0; i < LLVMGetVectorSize(t); i++) {
            struct comps e = lower_value(l, LLVMGetAggregateElement(v, i));
            if (e.n == each)
                memcpy(&c.c[i * each], e.c, each * sizeof *c.c);
        }
        return c;
    }
    if (LLVMIsAConstantInt(v))
        return constant_bits(l, t, LLVMConstIntGetZExtValue(v));
    if (LLVMIsAConstantFP(v))
        return constant_bits(l, t, float_constant(v, type_bits(t)));
    return lower_fail(l, "constant not supported");
}

struct comps lower_value(struct lower *l, LLVMValueRef v)
{
    struct lowered *e = lower_entry(l, v);
    if (!e->value.c) {
        if (!LLVMIsConstant(v)) {
            if (!l->failed)
                bug("a value is used before it is lowered");
            return comps_new(1);
        }
        struct comps c = lower_constant(l, v);
        e = lower_entry(l, v);
        e->value = c.c ? c : comps_new(1);
    }
    return e->value;
}

struct ir_src lower_scalar(struct lower *l, LLVMValueRef v)
{
    return lower_value(l, v).c[0];
}

void lower_set(struct lower *l, LLVMValueRef v, struct comps c)
{
    lower_entry(l, v)->value = c.c ? c : comps_new(16); /* zeros after an error */
}

/* ---- building ---- */

void op_append(struct lower *l, struct ir_insn *i)
{
    i->where = l->where;
    if (l->before)
        ir_insert_before(l->before, i);
    else
        ir_append(l->block, i);
}

/* Puts i at the cursor, or what it amounts to, if that is known. */
static struct ir_src place(struct lower *l, struct ir_insn *i)
{
    struct ir_src known;
    if (opt_simplify(i, &known)) {
        for (unsigned n = 0; n < i->n_src; n++)
            ir_set_src(i, n, ir_imm(0));
        return known;
    }
    op_append(l, i);
    return ir_val(i->dst[0]);
}

static struct ir_insn *make(struct lower *l, enum ir_op op, unsigned n, const struct ir_src *src)
{
    struct ir_insn *i = ir_new(l->fn, op, 1, n);
    for (unsigned k = 0; k < n; k++)
        ir_set_src(i, k, src[k]);
    return i;
}

struct ir_src op0(struct lower *l, enum ir_op op, uint32_t imm)
{
    struct ir_insn *i = make(l, op, 0, NULL);
    i->imm = imm;
    op_append(l, i);
    return ir_val(i->dst[0]);
}

struct ir_src op1(struct lower *l, enum ir_op op, struct ir_src a)
{
    return place(l, make(l, op, 1, &a));
}

struct ir_src op2(struct lower *l, enum ir_op op, struct ir_src a, struct ir_src b)
{
    return place(l, make(l, op, 2, (struct ir_src[]){a, b}));
}

struct ir_src op3(struct lower *l, enum ir_op op, struct ir_src a, struct ir_src b, struct ir_src c)
{
    return place(l, make(l, op, 3, (struct ir_src[]){a, b, c}));
}

struct ir_src op_select(struct lower *l, enum ir_type t, struct ir_src c, struct ir_src a,
                        struct ir_src b)
{
    struct ir_insn *i = make(l, IR_select, 3, (struct ir_src[]){c, a, b});
    i->dst[0]->type = (uint8_t)t;
    return place(l, i);
}

struct ir_src op_icmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b)
{
    struct ir_insn *i = make(l, IR_icmp, 2, (struct ir_src[]){a, b});
    i->pred = p;
    return place(l, i);
}

struct ir_src op_fcmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b)
{
    struct ir_insn *i = make(l, IR_fcmp, 2, (struct ir_src[]){a, b});
    i->pred = p;
    return place(l, i);
}

struct ir_src op_dcmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b)
{
    struct ir_insn *i = make(l, IR_dcmp, 2, (struct ir_src[]){a, b});
    i->pred = p;
    return place(l, i);
}

struct ir_src op_hcmp(struct lower *l, enum ir_pred p, struct ir_src a, struct ir_src b)
{
    struct ir_insn *i = make(l, IR_hcmp, 2, (struct ir_src[]){a, b});
    i->pred = p;
    return place(l, i);
}

struct ir_src op_double(struct lower *l, uint64_t bits)
{
    struct ir_insn *before = l->before;
    struct ir_src c;
    l->before = l->entry_mark;
    c = op2(l, IR_pack, ir_imm((uint32_t)bits), ir_imm((uint32_t)(bits >> 32)));
    l->before = before;
    return c;
}

struct ir_src op_as(struct lower *l, enum ir_type t, struct ir_src a)
{
    if (!a.value || a.value->type == t)
        return a;
    struct ir_insn *i = make(l, IR_mov, 1, &a);
    i->dst[0]->type = (uint8_t)t;
    return place(l, i);
}

void op_carry(struct lower *l, enum ir_op op, struct ir_src a, struct ir_src b,
              struct ir_src out[2])
{
    uint32_t imm[2] = {a.imm, b.imm}, result[2];
    struct ir_insn *i = ir_new(l->fn, op, 2, 2);
    ir_set_src(i, 0, a);
    ir_set_src(i, 1, b);
    if (!a.value && !b.value && opt_eval(i, imm, result)) {
        out[0] = ir_imm(result[0]);
        out[1] = ir_imm(result[1]);
        return;
    }
    if (ir_is_imm(b, 0) || (op == IR_add_carry && ir_is_imm(a, 0))) {
        ir_set_src(i, 0, ir_imm(0));
        ir_set_src(i, 1, ir_imm(0));
        out[0] = ir_is_imm(b, 0) ? a : b;
        out[1] = ir_imm(0);
        return;
    }
    op_append(l, i);
    out[0] = ir_val(i->dst[0]);
    out[1] = ir_val(i->dst[1]);
}

/* ---- what the kernel is given ---- */

/* The part [src, src + size) of argument or quantity kind, index: a place in the cross-thread
 * constants. Dense, in order of first use: pairs are 8-aligned, dwords have places of their own,
 * bytes and words fill up dwords together. */
static int param_offset(struct lower *l, unsigned kind, unsigned index, unsigned src, unsigned size)
{
    struct kbin_kernel *k = l->out;
    for (uint32_t n = 0; n < k->n_params; n++) {
        const struct kbin_param *p = &k->params[n];
        if (p->kind == kind && p->index == index && src >= p->src && src + size <= p->src + p->size)
            return p->offset + (int)(src - p->src);
    }
    unsigned align = size >= 8 ? 8 : 4;
    unsigned offset = (l->fn->n_push_bytes + align - 1) & -align;
    unsigned place = (size + 3) & ~3u;
    if (size <= 2) {
        unsigned shared = (l->narrow_end + size - 1) & -size;
        if (shared % 4) {
            offset = shared;
            place = 0;
        }
        l->narrow_end = offset + size;
    }
    if (offset + place > MAX_PUSH) {
        lower_fail(l, "the kernel's arguments take more than %u bytes", (unsigned)MAX_PUSH);
        return -1;
    }
    if (place)
        l->fn->n_push_bytes = offset + place;
    struct kbin_param *last = k->n_params ? &k->params[k->n_params - 1] : NULL;
    if (last && last->kind == kind && kind == KBIN_PARAM_ARG && last->index == index &&
        last->src + last->size == src && last->offset + last->size == offset) {
        last->size += size; /* the next bytes of the same struct */
        return (int)offset;
    }
    struct kbin_param row = {
        .kind = kind, .index = index, .offset = offset, .size = size, .src = src};
    if ((k->n_params & (k->n_params - 1)) == 0) {
        uint32_t n = k->n_params;
        k->params = cc_grow(k->params, n * sizeof row, (n ? 2 * n : 1) * sizeof row);
    }
    k->params[k->n_params++] = row;
    return (int)offset;
}

/* Runs with the cursor where the entry block begins. */
struct ir_src lower_param(struct lower *l, enum kbin_param_kind kind, unsigned index, unsigned src,
                          unsigned size, enum ir_type type)
{
    /* one place for all of a quantity that is wider than a dword */
    unsigned whole =
        kind == KBIN_PARAM_ARG_ADDRESS || kind == KBIN_PARAM_CONSTANTS || kind == KBIN_PARAM_PRINTF
            ? 4 * l->pointer_words
            : size;
    int offset = whole > size ? param_offset(l, kind, index, 0, whole) : 0;
    if (offset >= 0)
        offset = param_offset(l, kind, index, src, size);
    if (offset < 0)
        return ir_imm(0);
    struct ir_value **v = &l->param[offset / 4];
    if (!*v) {
        struct ir_insn *i = ir_new(l->fn, IR_param, 1, 0);
        i->imm = (uint32_t)offset & ~3u;
        i->dst[0]->type = (uint8_t)type;
        ir_insert_before(l->entry_mark, i);
        *v = i->dst[0];
    }
    struct ir_src dword = ir_val(*v);
    return offset % 4 ? op2(l, IR_lshr, op_as(l, IR_I32, dword), ir_imm(offset % 4 * 8))
                      : op_as(l, type, dword);
}

unsigned lower_surface(struct lower *l, enum kbin_surface_kind kind, unsigned index)
{
    struct kbin_kernel *k = l->out;
    for (uint32_t n = 0; n < k->n_surfaces; n++)
        if (k->surfaces[n].kind == kind && k->surfaces[n].index == index)
            return n;
    uint32_t n = k->n_surfaces;
    if (n >= 240) /* binding tables end there (messages.md 3) */
        lower_fail(l, "the kernel has too many buffer arguments");
    if ((n & (n - 1)) == 0)
        k->surfaces =
            cc_grow(k->surfaces, n * sizeof *k->surfaces, (n ? 2 * n : 1) * sizeof *k->surfaces);
    k->surfaces[n] = (struct kbin_surface){.kind = (uint8_t)kind, .index = (uint16_t)index};
    k->n_surfaces++;
    return n;
}

/* An argument by value: its bytes lie in the constants as they would in memory. */
static struct comps lower_value_argument(struct lower *l, unsigned index, LLVMTypeRef t)
{
    uint32_t size = (uint32_t)LLVMStoreSizeOfType(l->layout, t);
    struct chunk *chunks = cc_alloc((size / 4 + 2) * sizeof *chunks);
    unsigned n = 0;
    if (!type_comps(l, t))
        return lower_fail(l, "type of argument %u not supported", index);
    for (uint32_t at = 0; at < size; n++) {
        uint32_t part = size - at < 4 ? size - at : 4;
        /* the whole of it has one place, so that the driver copies it at once */
        if (param_offset(l, KBIN_PARAM_ARG, index, 0, size) < 0)
            return comps_new(type_comps(l, t));
        chunks[n].value = lower_param(l, KBIN_PARAM_ARG, index, at, part,
                                      dword_is_float(t, at) ? IR_F32 : IR_I32);
        chunks[n].at = at;
        chunks[n].size = part;
        at += part;
    }
    return comps_of_chunks(l, t, chunks, n);
}

static void lower_arguments(struct lower *l)
{
    unsigned n = LLVMCountParams(l->kernel);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef a = LLVMGetParam(l->kernel, i);
        LLVMTypeRef t = LLVMTypeOf(a);
        struct comps c = comps_new(1);
        if (!LLVMGetFirstUse(a) || LLVMGetTypeKind(t) == LLVMTargetExtTypeKind)
            continue; /* unused; images and samplers: looked at where they are used */
        if (LLVMGetTypeKind(t) != LLVMPointerTypeKind) {
            c = lower_value_argument(l, i, t);
        } else if (LLVMGetPointerAddressSpace(t) == ADDR_LOCAL) {
            c.c[0] = lower_param(l, KBIN_PARAM_ARG_LOCAL, i, 0, 4, IR_I32);
        } else if (LLVMGetPointerAddressSpace(t) != ADDR_GLOBAL &&
                   LLVMGetPointerAddressSpace(t) != ADDR_CONSTANT) {
            lower_fail(l, "argument %u: a pointer to private memory", i);
        } else if (l->opt->arg_offsets) {
            c.c[0] = lower_param(l, KBIN_PARAM_ARG_OFFSET, i, 0, 4, IR_I32);
        }
        /* else a buffer: offset 0 of its surface, which begins with the buffer's first byte */
        lower_set(l, a, c);
    }
}

/* ---- instructions ---- */

static void make_phi(struct lower *l, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    bool is_pointer = LLVMGetTypeKind(t) == LLVMPointerTypeKind;
    uint32_t n = is_pointer ? comps_of_pointer(l, root_of(l, v)) : type_comps(l, t);
    struct comps c = comps_new(n);
    if (!n) {
        lower_fail(l, "type of a phi not supported");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ir_insn *phi = ir_new(l->fn, IR_phi, 1, l->block->n_preds);
        phi->dst[0]->type = is_pointer ? IR_I32 : type_of_comp(t);
        phi->where = l->where;
        ir_append(l->block, phi);
        c.c[i] = ir_val(phi->dst[0]);
    }
    lower_set(l, v, c);
}

static struct comps lower_select(struct lower *l, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef a = LLVMGetOperand(v, 1), b = LLVMGetOperand(v, 2);
    struct comps c = lower_value(l, LLVMGetOperand(v, 0)), x, y;
    enum ir_type type = IR_I32;
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
        x = lower_pointer(l, a, root_of(l, v));
        y = lower_pointer(l, b, root_of(l, v));
    } else {
        type = type_of_comp(t);
        x = lower_value(l, a);
        y = lower_value(l, b);
    }
    struct comps out = comps_new(x.n);
    uint32_t each = c.n == 1 ? x.n : x.n / c.n;
    for (uint32_t i = 0; i < x.n && each; i++)
        out.c[i] = op_select(l, type, c.c[i / each], x.c[i], y.c[i]);
    return out;
}

/* The index of a file's name among the function's, which has few. */
static uint32_t file_index(struct ir_fn *fn, const char *name, unsigned length)
{
    for (uint32_t i = 1; i < fn->n_files; i++) {
        if (strlen(fn->files[i]) == length && !memcmp(fn->files[i], name, length))
            return i;
    }
    uint32_t n = fn->n_files ? fn->n_files : 1;
    fn->files = cc_grow(fn->files, fn->n_files * sizeof *fn->files, (n + 1) * sizeof *fn->files);
    fn->files[n] = cc_printf("%.*s", (int)length, name);
    fn->n_files = n + 1;
    return n;
}

/* Instructions without a place of their own belong to the one before. */
static void find_where(struct lower *l, LLVMValueRef v)
{
    unsigned line = LLVMGetDebugLocLine(v), length = 0;
    const char *file = line ? LLVMGetDebugLocFilename(v, &length) : NULL;
    if (line)
        l->where = (struct ir_where){line, file ? file_index(l->fn, file, length) : 0};
}

static void lower_insn(struct lower *l, LLVMValueRef v)
{
    struct comps out = {0};
    l->insn = v;
    find_where(l, v);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        make_phi(l, v);
        return;
    case LLVMSelect:
        out = lower_select(l, v);
        break;
    case LLVMLoad:
        out = lower_load(l, v);
        break;
    case LLVMStore:
        lower_store(l, v);
        return;
    case LLVMAlloca:
        out = comps_new(1);
        out.c[0] = ir_imm(lower_entry(l, v)->offset);
        break;
    case LLVMGetElementPtr:
        out = lower_gep(l, v);
        break;
    case LLVMAddrSpaceCast:
        out = lower_space_cast(l, v, LLVMGetOperand(v, 0));
        break;
    case LLVMPtrToInt:
        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
            out = lower_fail(l, "vector of pointers not supported");
        else
            out = lower_ptr_to_int(l, LLVMGetOperand(v, 0), type_bits(LLVMTypeOf(v)));
        break;
    case LLVMIntToPtr:
        out = lower_int_to_ptr(l, v, LLVMGetOperand(v, 0));
        break;
    case LLVMBitCast:
        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
            out = lower_pointer(l, LLVMGetOperand(v, 0), root_of(l, v));
        else
            out = lower_bitcast(l, LLVMGetOperand(v, 0), LLVMTypeOf(LLVMGetOperand(v, 0)),
                                LLVMTypeOf(v));
        break;
    case LLVMFreeze:
        out = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind
                  ? lower_pointer(l, LLVMGetOperand(v, 0), root_of(l, v))
                  : lower_value(l, LLVMGetOperand(v, 0));
        break;
    case LLVMCall:
        out = lower_call(l, v);
        break;
    case LLVMBr:
    case LLVMRet:
    case LLVMUnreachable:
        return; /* lower_terminator */
    default:
        if (!lower_arith(l, v, &out)) {
            char *text = LLVMPrintValueToString(v);
            lower_fail(l, "internal: instruction not supported: %.160s", text);
            LLVMDisposeMessage(text);
        }
    }
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind)
        lower_set(l, v, out);
}

/* ---- control flow ---- */

struct graph {
    LLVMBasicBlockRef *bb; /* by node */
    struct cfg_node *nodes;
    int n;
    struct cfg_layout layout;
};

static bool read_graph(struct lower *l, struct graph *g)
{
    int n = (int)LLVMCountBasicBlocks(l->kernel);
    const char *why = "";
    g->bb = cc_alloc(n * sizeof *g->bb);
    g->nodes = cc_alloc(n * sizeof *g->nodes);
    LLVMGetBasicBlocks(l->kernel, g->bb);
    g->n = n;
    for (int i = 0; i < n; i++) /* a block's number: kept with its value */
        lower_entry(l, LLVMBasicBlockAsValue(g->bb[i]))->offset = (uint32_t)i;
    for (int i = 0; i < n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(g->bb[i]);
        LLVMOpcode op = LLVMGetInstructionOpcode(t);
        struct cfg_node *x = &g->nodes[i];
        x->is_return = op == LLVMRet;
        l->insn = t;
        if (op == LLVMBr) {
            x->n_succ = (uint8_t)LLVMGetNumSuccessors(t);
            for (unsigned s = 0; s < x->n_succ; s++)
                x->succ[s] =
                    (int)lower_entry(l, LLVMBasicBlockAsValue(LLVMGetSuccessor(t, s)))->offset;
        } else if (op != LLVMRet && op != LLVMUnreachable) {
            lower_fail(l, "internal: terminator not supported");
            return false;
        }
    }
    l->insn = NULL;
    if (!cfg_structure(g->nodes, n, &g->layout, &why)) {
        lower_fail(l, "internal: kernel %s: control flow is not structured: %s", l->fn->name, why);
        return false;
    }
    return true;
}

static void make_blocks(struct lower *l, const struct graph *g)
{
    for (int i = 0; i < g->layout.n_blocks; i++)
        ir_block_new(l->fn);
    for (int i = 0; i < g->layout.n_blocks; i++) {
        const struct cfg_block *from = &g->layout.blocks[i];
        struct ir_block *b = l->fn->blocks[i];
        for (int s = 0; s < 2; s++)
            if (from->succ[s] >= 0)
                b->succ[s] = l->fn->blocks[from->succ[s]];
        if (from->merge >= 0)
            b->merge = l->fn->blocks[from->merge];
    }
    ir_number_blocks(l->fn);
}

static void lower_terminator(struct lower *l, const struct cfg_block *c, LLVMBasicBlockRef bb)
{
    static const enum ir_op ops[] = {
        [CFG_JUMP] = IR_jump,   [CFG_BRANCH] = IR_branch, [CFG_LOOP] = IR_loop,
        [CFG_BREAK] = IR_break, [CFG_LEAVE] = IR_leave,   [CFG_END] = IR_end};
    bool has_condition = c->term == CFG_BRANCH || c->term == CFG_LOOP || c->term == CFG_BREAK;
    struct ir_insn *i = ir_new(l->fn, ops[c->term], 0, has_condition);
    if (has_condition) {
        struct ir_src cond = ir_imm(1);
        if (!c->endless)
            cond = lower_scalar(l, LLVMGetCondition(LLVMGetBasicBlockTerminator(bb)));
        ir_set_src(i, 0, c->negate ? op1(l, IR_not1, cond) : cond);
    }
    op_append(l, i);
}

/* Phis in blocks that structure added: their value of phi v, by block. */
struct pads {
    LLVMValueRef phi;
    struct comps *value; /* by block index */
};

static struct comps phi_source(struct lower *l, const struct graph *g, struct pads *pads,
                               struct ir_block *from);

/* Values of phis' types that are any. */
static struct comps undefined(struct lower *l, struct comps phis)
{
    struct comps c = comps_new(phis.n);
    for (uint32_t i = 0; i < phis.n; i++) {
        struct ir_insn *x = ir_new(l->fn, IR_undef, 1, 0);
        x->dst[0]->type = phis.c[i].value->type;
        ir_insert_before(l->entry_mark, x);
        c.c[i] = ir_val(x->dst[0]);
    }
    return c;
}

/* All sources of phi v that arrive at block b become those of its Gen phis. */
static void fill_phi(struct lower *l, const struct graph *g, struct pads *pads, struct ir_block *b,
                     struct comps phis)
{
    for (uint32_t p = 0; p < b->n_preds; p++) {
        struct comps c = phi_source(l, g, pads, b->preds[p]);
        for (uint32_t i = 0; i < phis.n && i < c.n; i++)
            ir_set_src(phis.c[i].value->def, p, c.c[i]);
    }
}

/* The value that phi has on the edge from block `from`. */
static struct comps phi_source(struct lower *l, const struct graph *g, struct pads *pads,
                               struct ir_block *from)
{
    LLVMValueRef phi = pads->phi;
    int node = g->layout.blocks[from->index].node;
    bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind;
    if (node >= 0) {
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            if (LLVMGetIncomingBlock(phi, i) != g->bb[node])
                continue;
            LLVMValueRef v = LLVMGetIncomingValue(phi, i);
            l->block = from;
            l->before = from->last;
            l->insn = phi;
            struct comps c = LLVMIsUndef(v) ? undefined(l, lower_value(l, phi))
                             : is_pointer   ? lower_pointer(l, v, root_of(l, phi))
                                            : lower_value(l, v);
            l->before = NULL;
            return c;
        }
        if (g->layout.blocks[from->index].endless) /* a way that is never gone */
            return undefined(l, lower_value(l, phi));
        bug("a phi without a source for its predecessor");
    }
    if (from->n_preds == 1)
        return phi_source(l, g, pads, from->preds[0]);
    struct comps *made = &pads->value[from->index];
    if (!made->c) {
        struct comps like = lower_value(l, phi);
        *made = comps_new(like.n);
        for (uint32_t i = 0; i < like.n; i++) {
            struct ir_insn *x = ir_new(l->fn, IR_phi, 1, from->n_preds);
            x->dst[0]->type = like.c[i].value->type;
            x->where = like.c[i].value->def->where;
            ir_insert_before(from->first, x);
            made->c[i] = ir_val(x->dst[0]);
        }
        fill_phi(l, g, pads, from, *made);
    }
    return *made;
}

static void lower_blocks(struct lower *l, const struct graph *g)
{
    for (int i = 0; i < g->layout.n_blocks && !l->failed; i++) {
        const struct cfg_block *c = &g->layout.blocks[i];
        LLVMBasicBlockRef bb = c->node >= 0 ? g->bb[c->node] : NULL;
        l->block = l->fn->blocks[i];
        if (i == 0) {
            /* parameters stand before the mark, which dissolves at the end */
            l->entry_mark = ir_new(l->fn, IR_fence, 0, 0);
            ir_append(l->block, l->entry_mark);
            lower_arguments(l);
        }
        for (LLVMValueRef v = bb ? LLVMGetFirstInstruction(bb) : NULL; v && !l->failed;
             v = LLVMGetNextInstruction(v))
            lower_insn(l, v);
        lower_terminator(l, c, bb);
    }
    for (int i = 0; i < g->layout.n_blocks && !l->failed; i++) {
        int node = g->layout.blocks[i].node;
        if (node < 0)
            continue;
        for (LLVMValueRef v = LLVMGetFirstInstruction(g->bb[node]); v && LLVMIsAPHINode(v);
             v = LLVMGetNextInstruction(v)) {
            struct pads pads = {v, cc_alloc(l->fn->n_blocks * sizeof *pads.value)};
            fill_phi(l, g, &pads, l->fn->blocks[i], lower_value(l, v));
        }
    }
    if (l->entry_mark)
        ir_remove(l->entry_mark);
    ir_loop_depths(l->fn);
}

struct ir_fn *ir_from_llvm(LLVMValueRef kernel, const struct gen_device *dev,
                           const struct cc_options *opt, bool arrays, struct kbin_kernel *out,
                           struct kbin *bin, struct cc_log *log)
{
    size_t length;
    const char *name = LLVMGetValueName2(kernel, &length);
    struct lower *l = cc_alloc(sizeof *l);
    struct graph g = {0};
    l->dev = dev;
    l->opt = opt;
    l->out = out;
    l->bin = bin;
    l->log = log;
    l->kernel = kernel;
    l->module = LLVMGetGlobalParent(kernel);
    l->layout = LLVMGetModuleDataLayout(l->module);
    l->pointer_words = dev->pointer_bits / 32;
    l->fn = ir_fn_new(cc_printf("%.*s", (int)length, name), dev);
    l->fn->out = out;
    l->fn->denorms_zero = opt->denorms_zero;
    l->fn->keep_lines = opt->debug;
    l->arg_written = cc_alloc(LLVMCountParams(kernel) + 1);
    l->arg_escapes = cc_alloc(LLVMCountParams(kernel) + 1);
    if (!read_graph(l, &g))
        return NULL;
    make_blocks(l, &g);
    if (arrays)
        choose_arrays(l);
    find_roots(l);
    write_constants(l);
    layout_local(l);
    layout_private(l);
    lower_blocks(l, &g);
    if (l->failed)
        return NULL;
    out->n_push_regs = (l->fn->n_push_bytes + 31) / 32;
    if (cc_dumps("ir"))
        ir_print(l->fn, stderr);
#ifdef BEIGNET_CHECKS
    const char *why = ir_check(l->fn);
    if (why)
        bug("%s: from_llvm: %s", l->fn->name, why);
#endif
    return l->fn;
}
