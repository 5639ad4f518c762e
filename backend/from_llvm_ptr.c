/* Where pointers point. Roots are found first, for all pointers of the kernel, by iteration over
 * phis and selects: optimistic, so that p = phi(a, p + 1) has a's root. A global pointer with one
 * root is a 32-bit offset in a surface; any other is an absolute address (design.md section 6). */
#include "backend/from_llvm.h"

#include <string.h>

/* ---- roots ---- */

static struct root root(enum root_kind kind, unsigned index)
{
    return (struct root){(uint8_t)kind, (uint16_t)index};
}

static bool same_root(struct root a, struct root b)
{
    return a.kind == b.kind && a.index == b.index;
}

static bool is_global(struct root r)
{
    return r.kind == ROOT_ARG || r.kind == ROOT_CONSTANTS || r.kind == ROOT_ADDRESS;
}

static struct root join(struct root a, struct root b)
{
    if (a.kind == ROOT_NONE || same_root(a, b))
        return b;
    if (b.kind == ROOT_NONE)
        return a;
    if (!is_global(a) || !is_global(b))
        bug("a pointer is merged with one of another address space");
    return root(ROOT_ADDRESS, 0);
}

static struct root root_of_space(unsigned space)
{
    switch (space) {
    case ADDR_PRIVATE:
        return root(ROOT_PRIVATE, 0);
    case ADDR_LOCAL:
        return root(ROOT_LOCAL, 0);
    default:
        return root(ROOT_ADDRESS, 0);
    }
}

static unsigned space_of(LLVMValueRef v)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(v));
}

static bool is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static LLVMOpcode opcode_of(LLVMValueRef v)
{
    if (LLVMIsAInstruction(v))
        return LLVMGetInstructionOpcode(v);
    return LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v) : 0;
}

static unsigned argument_index(struct lower *l, LLVMValueRef v)
{
    unsigned i = 0;
    while (LLVMGetParam(l->kernel, i) != v)
        i++;
    return i;
}

static struct root root_of_argument(struct lower *l, LLVMValueRef v)
{
    unsigned space = space_of(v);
    if (space == ADDR_GLOBAL || space == ADDR_CONSTANT)
        return root(ROOT_ARG, argument_index(l, v));
    return root_of_space(space);
}

struct root root_of(struct lower *l, LLVMValueRef v)
{
    struct root r = root(ROOT_NONE, 0);
    if (LLVMIsUndef(v))
        return r;
    if (LLVMIsAConstantPointerNull(v))
        return root_of_space(space_of(v));
    if (LLVMIsAGlobalVariable(v))
        return space_of(v) == ADDR_LOCAL ? root(ROOT_LOCAL, 0) : root(ROOT_CONSTANTS, 0);
    if (LLVMIsAArgument(v))
        return root_of_argument(l, v);
    switch (opcode_of(v)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMFreeze:
        return LLVMIsAConstantExpr(v) ? root_of(l, LLVMGetOperand(v, 0)) : lower_entry(l, v)->root;
    case LLVMPHI:
    case LLVMSelect:
        return lower_entry(l, v)->root;
    case LLVMAlloca:
        r = lower_entry(l, v)->root; /* choose_arrays has set it, or nobody */
        return r.kind == ROOT_ARRAY ? r : root(ROOT_PRIVATE, 0);
    default:
        return root_of_space(space_of(v));
    }
}

static struct root compute_root(struct lower *l, LLVMValueRef v)
{
    struct root r = root(ROOT_NONE, 0);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMFreeze:
        return root_of(l, LLVMGetOperand(v, 0));
    case LLVMSelect:
        return join(root_of(l, LLVMGetOperand(v, 1)), root_of(l, LLVMGetOperand(v, 2)));
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            r = join(r, root_of(l, LLVMGetIncomingValue(v, i)));
        return r;
    case LLVMAlloca:
        return root_of(l, v);
    default:
        return root_of_space(space_of(v));
    }
}

/* A pointer that becomes something else than an offset in its surface: its argument's memory may
 * then be reached in other ways. */
static void note_escape(struct lower *l, LLVMValueRef v, LLVMValueRef user)
{
    struct root r = root_of(l, v);
    LLVMOpcode op = LLVMGetInstructionOpcode(user);
    if (is_global(r) && ((op == LLVMStore && LLVMGetOperand(user, 1) == v) || op == LLVMCall))
        l->writes_global = true;
    if (r.kind != ROOT_ARG)
        return;
    switch (op) {
    case LLVMStore:
        if (LLVMGetOperand(user, 0) == v)
            l->arg_escapes[r.index] = true;
        if (LLVMGetOperand(user, 1) == v)
            l->arg_written[r.index] = true;
        break;
    case LLVMPHI:
    case LLVMSelect:
        if (!same_root(root_of(l, user), r))
            l->arg_escapes[r.index] = true;
        break;
    case LLVMPtrToInt:
    case LLVMAddrSpaceCast:
        l->arg_escapes[r.index] = true;
        break;
    case LLVMCall:
        l->arg_written[r.index] = true; /* atomics */
        break;
    default:
        break;
    }
}

void find_roots(struct lower *l)
{
    bool changed = true;
    for (unsigned round = 0; changed; round++) {
        changed = false;
        if (round > 1000) /* each root rises at most twice: many rounds, but they end */
            bug("find_roots does not end");
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(l->kernel); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
                if (!is_pointer(v))
                    continue;
                struct root r = compute_root(l, v);
                struct lowered *e = lower_entry(l, v);
                changed |= !same_root(r, e->root);
                e->root = r;
            }
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(l->kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            int n = LLVMGetNumOperands(v);
            for (int i = 0; i < n; i++) {
                LLVMValueRef o = LLVMGetOperand(v, (unsigned)i);
                if (is_pointer(o) && !LLVMIsAFunction(o))
                    note_escape(l, o, v);
            }
        }
}

/* ---- program constants and local variables ---- */

static bool in_constants(LLVMValueRef g)
{
    unsigned space = space_of(g);
    return (space == ADDR_CONSTANT || space == ADDR_GLOBAL) && LLVMGetFirstUse(g);
}

/* All of the module's, in its order, so that every kernel finds the same layout. */
static uint32_t layout_constants(struct lower *l)
{
    uint64_t at = 0, globals = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        if (!in_constants(g))
            continue;
        LLVMTypeRef t = LLVMGlobalGetValueType(g);
        uint64_t align = LLVMGetAlignment(g), size = LLVMABISizeOfType(l->layout, t);
        if (align < 4) /* dwords can then be read whole */
            align = 4;
        at = (at + align - 1) & -align;
        lower_entry(l, g)->offset = (uint32_t)at;
        lower_entry(l, g)->has_offset = true;
        at += size;
        globals += space_of(g) == ADDR_GLOBAL && !LLVMIsGlobalConstant(g) ? size : 0;
        if (at > 1u << 30) {
            lower_fail(l, "the program's constants take more than 1 GiB");
            return 0;
        }
    }
    l->bin->globals_size = (uint32_t)globals;
    return (uint32_t)((at + 3) & ~3ull);
}

static void add_reloc(struct lower *l, uint32_t offset, uint32_t addend)
{
    struct kbin *k = l->bin;
    uint32_t n = k->n_relocs;
    if ((n & (n - 1)) == 0)
        k->relocs = cc_grow(k->relocs, n * sizeof *k->relocs, (n ? 2 * n : 1) * sizeof *k->relocs);
    k->relocs[n].offset = offset;
    k->relocs[n].addend = addend;
    k->n_relocs++;
}

/* Address constants: the global and the offset in it. */
static LLVMValueRef constant_base(struct lower *l, LLVMValueRef c, int64_t *offset)
{
    while (LLVMIsAConstantExpr(c)) {
        if (LLVMGetConstOpcode(c) == LLVMGetElementPtr) {
            LLVMTypeRef t = LLVMGetGEPSourceElementType(c);
            for (int i = 1; i < LLVMGetNumOperands(c); i++) {
                LLVMValueRef index = LLVMGetOperand(c, (unsigned)i);
                if (!LLVMIsAConstantInt(index))
                    return NULL;
                int64_t n = LLVMConstIntGetSExtValue(index);
                if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
                    *offset += (int64_t)LLVMOffsetOfElement(l->layout, t, (unsigned)n);
                    t = LLVMStructGetTypeAtIndex(t, (unsigned)n);
                    continue;
                }
                if (i > 1)
                    t = LLVMGetElementType(t);
                *offset += n * (int64_t)LLVMABISizeOfType(l->layout, t);
            }
        } else if (LLVMGetConstOpcode(c) != LLVMBitCast &&
                   LLVMGetConstOpcode(c) != LLVMAddrSpaceCast) {
            return NULL;
        }
        c = LLVMGetOperand(c, 0);
    }
    return c;
}

static void write_initialiser(struct lower *l, LLVMValueRef c, uint32_t at)
{
    uint8_t *to = l->bin->constants + at;
    LLVMTypeRef t = LLVMTypeOf(c);
    size_t length;
    if (LLVMIsUndef(c) || LLVMIsNull(c))
        return;
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
        int64_t offset = 0;
        LLVMValueRef g = constant_base(l, c, &offset);
        if (g && LLVMIsNull(g)) {
            memcpy(to, &offset, l->pointer_words * 4);
        } else if (g && LLVMIsAGlobalVariable(g) && lower_entry(l, g)->has_offset) {
            add_reloc(l, at, lower_entry(l, g)->offset + (uint32_t)offset);
        } else {
            lower_fail(l, "initialiser of a program-scope pointer not supported");
        }
        return;
    }
    unsigned bits = type_bits(t);
    if (LLVMIsAConstantFP(c)) {
        uint64_t x = float_constant(c, bits);
        memcpy(to, &x, bits / 8);
        return;
    }
    if (bits) {
        struct comps v = lower_value(l, c);
        uint64_t x = v.c[0].imm;
        if (v.n > 1)
            x |= (uint64_t)v.c[1].imm << 32;
        memcpy(to, &x, bits == 1 ? 1 : bits / 8);
        return;
    }
    if (LLVMIsAConstantDataSequential(c) && LLVMIsConstantString(c)) {
        const char *s = LLVMGetAsString(c, &length);
        memcpy(to, s, length);
        return;
    }
    unsigned n = LLVMGetTypeKind(t) == LLVMStructTypeKind   ? LLVMCountStructElementTypes(t)
                 : LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t)
                 : LLVMGetTypeKind(t) == LLVMArrayTypeKind  ? (unsigned)LLVMGetArrayLength2(t)
                                                            : 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t offset = LLVMGetTypeKind(t) == LLVMStructTypeKind
                              ? (uint32_t)LLVMOffsetOfElement(l->layout, t, i)
                              : i * (uint32_t)LLVMABISizeOfType(l->layout, LLVMGetElementType(t));
        write_initialiser(l, LLVMGetAggregateElement(c, i), at + offset);
    }
    if (!n)
        lower_fail(l, "initialiser of a program-scope variable not supported");
}

void write_constants(struct lower *l)
{
    uint32_t size = layout_constants(l);
    if (!size || l->bin->constants || l->failed)
        return;
    l->bin->constants = cc_alloc(size);
    l->bin->constants_size = size;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        if (in_constants(g) && LLVMGetInitializer(g)) {
            l->insn = g;
            write_initialiser(l, LLVMGetInitializer(g), lower_entry(l, g)->offset);
        }
    l->insn = NULL;
}

/* Whether v is used by the kernel, also through constants. */
static bool used_here(struct lower *l, LLVMValueRef v)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user)) {
            if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == l->kernel)
                return true;
        } else if (LLVMIsAConstant(user) && used_here(l, user)) {
            return true;
        }
    }
    return false;
}

/* Whether a null pointer of the space occurs, or a pointer that may be null becomes generic: offset
 * 0 must then belong to nothing. */
static bool null_occurs(struct lower *l, unsigned space)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(l->kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            int n = LLVMIsAPHINode(v) ? (int)LLVMCountIncoming(v) : LLVMGetNumOperands(v);
            for (int i = 0; i < n; i++) {
                LLVMValueRef o = LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, (unsigned)i)
                                                   : LLVMGetOperand(v, (unsigned)i);
                if (is_pointer(o) && LLVMIsAConstantPointerNull(o) && space_of(o) == space)
                    return true;
                while (LLVMIsAConstantExpr(o) && opcode_of(o) != LLVMAddrSpaceCast)
                    o = LLVMGetOperand(o, 0);
                LLVMValueRef cast = opcode_of(o) == LLVMAddrSpaceCast ? o : v;
                if (opcode_of(cast) == LLVMAddrSpaceCast &&
                    space_of(LLVMGetOperand(cast, 0)) == space)
                    return true;
            }
        }
    return false;
}

void layout_local(struct lower *l)
{
    uint64_t at = null_occurs(l, ADDR_LOCAL) ? 16 : 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        if (space_of(g) != ADDR_LOCAL || !used_here(l, g))
            continue;
        uint64_t align = LLVMGetAlignment(g);
        if (align < 4)
            align = 4;
        at = (at + align - 1) & -align;
        lower_entry(l, g)->offset = (uint32_t)at;
        lower_entry(l, g)->has_offset = true;
        at += LLVMABISizeOfType(l->layout, LLVMGlobalGetValueType(g));
        if (at > 65536) {
            lower_fail(l, "kernel %s needs more than 64 KiB of local memory", l->fn->name);
            return;
        }
    }
    l->out->slm_size = (uint32_t)((at + 15) & ~15ull);
}

/* ---- values ---- */

static struct comps one(struct ir_src s)
{
    struct comps c = comps_new(1);
    c.c[0] = s;
    return c;
}

/* The absolute address of offset `off` behind root r. */
static struct comps absolute(struct lower *l, struct root r, struct ir_src off)
{
    enum kbin_param_kind kind = r.kind == ROOT_ARG ? KBIN_PARAM_ARG_ADDRESS : KBIN_PARAM_CONSTANTS;
    struct comps out = comps_new(l->pointer_words);
    struct pair base = {lower_param(l, kind, r.index, 0, 4, IR_I32), ir_imm(0)};
    if (l->pointer_words == 1) {
        out.c[0] = op2(l, IR_add, base.lo, off);
        return out;
    }
    base.hi = lower_param(l, kind, r.index, 4, 4, IR_I32);
    /* buffers are smaller than 2 GiB, and a pointer may stand before one for a while */
    struct pair sum = pair_add(l, base, pair_sext(l, off));
    out.c[0] = sum.lo;
    out.c[1] = sum.hi;
    return out;
}

/* ---- generic pointers ----
 *
 * As wide as an address. The upper two bits of its last word say where it points: 0 and 1 to global
 * memory, the pointer is the address; GENERIC_LOCAL and GENERIC_PRIVATE to an offset in the rest of
 * its first word. (Addresses have 31 or 48 bits.) Null is 0 in all spaces. */

enum { TAG_SHIFT = 30 };

/* A local or private pointer made generic. */
static struct comps tagged(struct lower *l, unsigned tag, struct ir_src offset)
{
    struct comps out = comps_new(l->pointer_words);
    struct ir_src null = op_icmp(l, IR_EQ, offset, ir_imm(0));
    struct ir_src word = ir_imm(tag << TAG_SHIFT);
    out.c[0] = offset;
    if (out.n == 1)
        word = op2(l, IR_or, word, offset);
    out.c[out.n - 1] = op_select(l, IR_I32, null, ir_imm(0), word);
    return out;
}

static unsigned tag_of_space(unsigned space)
{
    return space == ADDR_LOCAL ? GENERIC_LOCAL : GENERIC_PRIVATE;
}

struct comps lower_space_cast(struct lower *l, LLVMValueRef v, LLVMValueRef from)
{
    unsigned space = space_of(v), before = space_of(from);
    struct root address = root(ROOT_ADDRESS, 0);
    if (space == before)
        return lower_pointer(l, from, root_of(l, v));
    if (space == ADDR_GENERIC) {
        if (before == ADDR_GLOBAL || before == ADDR_CONSTANT)
            return lower_pointer(l, from, address);
        struct comps c = lower_pointer(l, from, root_of(l, from));
        return c.c ? tagged(l, tag_of_space(before), c.c[0]) : c;
    }
    if (before != ADDR_GENERIC)
        return lower_fail(l, "pointer between address spaces not supported");
    struct comps c = lower_pointer(l, from, address);
    if (space == ADDR_GLOBAL || !c.c)
        return c;
    return one(l->pointer_words == 2 ? c.c[0]
                                     : op2(l, IR_and, c.c[0], ir_imm((1u << TAG_SHIFT) - 1)));
}

struct comps lower_pointer_tag(struct lower *l, LLVMValueRef pointer)
{
    struct comps c = lower_pointer(l, pointer, root(ROOT_ADDRESS, 0));
    return c.c ? one(op2(l, IR_lshr, c.c[c.n - 1], ir_imm(TAG_SHIFT))) : c;
}

/* The generic address of a variable, for use anywhere. */
static struct comps generic_constant(struct lower *l, LLVMValueRef variable, uint32_t offset)
{
    struct ir_insn *before = l->before;
    struct comps c;
    l->before = l->entry_mark;
    c = space_of(variable) == ADDR_LOCAL ? tagged(l, GENERIC_LOCAL, ir_imm(offset))
                                         : absolute(l, root(ROOT_CONSTANTS, 0), ir_imm(offset));
    l->before = before;
    return c;
}

struct comps lower_pointer_constant(struct lower *l, LLVMValueRef c)
{
    int64_t offset = 0;
    LLVMValueRef base = constant_base(l, c, &offset);
    struct root r = root_of(l, c);
    struct comps out = comps_new(r.kind == ROOT_ADDRESS ? l->pointer_words : 1);
    if (LLVMIsUndef(c))
        return out;
    if (opcode_of(c) == LLVMIntToPtr && LLVMIsAConstantInt(LLVMGetOperand(c, 0))) {
        offset = (int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(c, 0));
    } else if (!base) {
        return lower_fail(l, "pointer constant not supported");
    } else if (LLVMIsAGlobalVariable(base)) {
        if (!lower_entry(l, base)->has_offset)
            return lower_fail(l, "program-scope variable not supported");
        offset += lower_entry(l, base)->offset;
    } else if (!LLVMIsNull(base)) {
        return lower_fail(l, "address of a function not supported");
    }
    if (space_of(c) == ADDR_GENERIC && base && LLVMIsAGlobalVariable(base))
        return generic_constant(l, base, (uint32_t)offset);
    if (base && space_of(base) != space_of(c)) /* what isn't there is never asked for */
        return comps_new(out.n);
    for (uint32_t i = 0; i < out.n; i++)
        out.c[i] = ir_imm((uint32_t)(offset >> (32 * i)));
    return out;
}

struct comps lower_pointer(struct lower *l, LLVMValueRef v, struct root as)
{
    struct root r = root_of(l, v);
    if (r.kind == ROOT_NONE)
        return comps_new(as.kind == ROOT_ADDRESS ? l->pointer_words : 1);
    if (same_root(r, as))
        return lower_value(l, v);
    if (as.kind != ROOT_ADDRESS || !is_global(r))
        return lower_fail(l, "pointer between address spaces not supported");
    return absolute(l, r, lower_scalar(l, v));
}

struct comps lower_constant_offset(struct lower *l, LLVMValueRef v)
{
    struct root r = root_of(l, v);
    if (r.kind == ROOT_CONSTANTS || r.kind == ROOT_NONE)
        return lower_pointer(l, v, r);
    if (r.kind != ROOT_ADDRESS)
        return lower_fail(l, "the argument of printf's %%s is not a string literal");
    struct ir_src start = lower_param(l, KBIN_PARAM_CONSTANTS, 0, 0, 4, IR_I32);
    return one(op2(l, IR_sub, lower_pointer(l, v, r).c[0], start));
}

/* a * scale for addresses of one word. */
static struct ir_src scaled(struct lower *l, struct ir_src a, uint32_t scale)
{
    if (scale && (scale & (scale - 1)) == 0)
        return op2(l, IR_shl, a, ir_imm((uint32_t)__builtin_ctz(scale)));
    return op2(l, IR_mul, a, ir_imm(scale));
}

static struct ir_src index_word(struct lower *l, LLVMValueRef index)
{
    unsigned bits = type_bits(LLVMTypeOf(index));
    struct ir_src a = lower_scalar(l, index);
    return bits < 32 ? sext32(l, a, bits) : a;
}

static struct pair index_pair(struct lower *l, LLVMValueRef index)
{
    struct comps c = lower_value(l, index);
    if (c.n == 1)
        return pair_sext(l, index_word(l, index));
    unsigned bits = type_bits(LLVMTypeOf(index));
    return (struct pair){c.c[0], bits < 64 ? sext32(l, c.c[1], bits - 32) : c.c[1]};
}

struct comps lower_gep(struct lower *l, LLVMValueRef v)
{
    if (!is_pointer(v))
        return lower_fail(l, "vector of pointers not supported");
    struct root r = root_of(l, v);
    struct comps base = lower_pointer(l, LLVMGetOperand(v, 0), r);
    if (!base.c)
        return base;
    bool wide = base.n == 2;
    int64_t offset = 0;
    struct pair sum = {base.c[0], wide ? base.c[1] : ir_imm(0)};
    LLVMTypeRef t = LLVMGetGEPSourceElementType(v);
    for (int i = 1; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef index = LLVMGetOperand(v, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned n = (unsigned)LLVMConstIntGetZExtValue(index);
            offset += (int64_t)LLVMOffsetOfElement(l->layout, t, n);
            t = LLVMStructGetTypeAtIndex(t, n);
            continue;
        }
        if (i > 1)
            t = LLVMGetElementType(t);
        uint64_t size = LLVMABISizeOfType(l->layout, t);
        if (LLVMIsAConstantInt(index)) {
            offset += LLVMConstIntGetSExtValue(index) * (int64_t)size;
        } else if (!wide) {
            sum.lo = op2(l, IR_add, sum.lo, scaled(l, index_word(l, index), (uint32_t)size));
        } else {
            struct pair at = index_pair(l, index);
            if ((size & (size - 1)) == 0)
                at = pair_shl(l, at, ir_imm((uint32_t)__builtin_ctzll(size ? size : 1)));
            else
                at = pair_mul(l, at, (struct pair){ir_imm((uint32_t)size), ir_imm(size >> 32)});
            if (size)
                sum = pair_add(l, sum, at);
        }
    }
    if (wide)
        sum = pair_add(l, sum,
                       (struct pair){ir_imm((uint32_t)offset), ir_imm((uint32_t)(offset >> 32))});
    else
        sum.lo = op2(l, IR_add, sum.lo, ir_imm((uint32_t)offset));
    struct comps out = comps_new(base.n);
    out.c[0] = sum.lo;
    if (wide)
        out.c[1] = sum.hi;
    return out;
}

struct comps lower_int_to_ptr(struct lower *l, LLVMValueRef v, LLVMValueRef from)
{
    if (!is_pointer(v))
        return lower_fail(l, "vector of pointers not supported");
    struct root r = root_of(l, v);
    unsigned bits = type_bits(LLVMTypeOf(from));
    struct comps c = lower_value(l, from);
    struct comps out = comps_new(r.kind == ROOT_ADDRESS ? l->pointer_words : 1);
    out.c[0] = bits < 32 ? zext32(l, c.c[0], bits) : c.c[0];
    if (out.n == 2)
        out.c[1] = c.n < 2 ? ir_imm(0) : bits < 64 ? zext32(l, c.c[1], bits - 32) : c.c[1];
    return out;
}

/* The pointer's bits: absolute for global memory, the offset for others. */
static struct comps pointer_bits(struct lower *l, LLVMValueRef pointer)
{
    struct root r = root_of(l, pointer);
    return is_global(r) ? lower_pointer(l, pointer, root(ROOT_ADDRESS, 0))
                        : lower_pointer(l, pointer, r);
}

struct comps lower_ptr_to_int(struct lower *l, LLVMValueRef pointer, unsigned bits)
{
    struct comps c = pointer_bits(l, pointer);
    struct comps out = comps_new((bits + 31) / 32);
    for (uint32_t i = 0; i < out.n && c.c; i++)
        out.c[i] = i < c.n ? c.c[i] : ir_imm(0);
    return out;
}

struct comps lower_pointer_compare(struct lower *l, enum ir_pred p, LLVMValueRef a, LLVMValueRef b)
{
    struct root ra = root_of(l, a), rb = root_of(l, b);
    struct comps x, y;
    if (same_root(ra, rb) && ra.kind != ROOT_ADDRESS) {
        x = lower_pointer(l, a, ra);
        y = lower_pointer(l, b, rb);
        /* signed: offsets just before a buffer stay before it */
        static const enum ir_pred as_signed[] = {
            [IR_EQ] = IR_EQ,   [IR_NE] = IR_NE,   [IR_ULT] = IR_SLT, [IR_ULE] = IR_SLE,
            [IR_UGT] = IR_SGT, [IR_UGE] = IR_SGE, [IR_SLT] = IR_SLT, [IR_SLE] = IR_SLE,
            [IR_SGT] = IR_SGT, [IR_SGE] = IR_SGE};
        p = as_signed[p];
    } else {
        x = pointer_bits(l, a);
        y = pointer_bits(l, b);
        if (x.n != y.n && x.c && y.c) { /* a null against an offset */
            x.n = y.n = 1;
        }
    }
    if (!x.c || !y.c)
        return x;
    if (x.n == 1)
        return one(op_icmp(l, p, x.c[0], y.c[0]));
    return one(pair_compare(l, p, (struct pair){x.c[0], x.c[1]}, (struct pair){y.c[0], y.c[1]}));
}
