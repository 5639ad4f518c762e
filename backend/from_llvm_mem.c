/* Loads, stores, atomics, private memory. A value in memory is cut into chunks: dwords, then two
 * bytes, then one; dwords that follow each other make one operation. Vectors of bytes and words are
 * read and written as the dwords that they fill. */
#include "backend/from_llvm.h"

#include <string.h>

enum { MAX_COMPS = 4, MAX_CHUNKS = 160 };

struct place {
    enum ir_space space;
    unsigned bti;
    struct ir_src addr[2];
    unsigned n_addr;
    struct root root;
};

static LLVMTypeRef element_type(LLVMTypeRef t)
{
    return type_scalar(t);
}

/* Bytes that an element takes in memory. */
static uint32_t element_size(struct lower *l, LLVMTypeRef t)
{
    return (uint32_t)LLVMStoreSizeOfType(l->layout, element_type(t));
}

bool dword_is_float(LLVMTypeRef t, uint32_t at)
{
    return LLVMGetTypeKind(element_type(t)) == LLVMFloatTypeKind && at % 4 == 0;
}

struct comps comps_of_chunks(struct lower *l, LLVMTypeRef t, const struct chunk *chunks, unsigned n)
{
    LLVMTypeRef e = element_type(t);
    uint32_t size = element_size(l, t), length = type_length(t);
    uint32_t each = type_is_double(t) ? 2 : type_comps(l, e); /* words */
    struct comps out = comps_new(length * each);
    unsigned k = 0;
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t w = 0; w < each; w++) {
            uint32_t at = i * size + 4 * w;
            uint32_t need = size - 4 * w < 4 ? size - 4 * w : 4;
            while (k + 1 < n && at >= chunks[k].at + chunks[k].size)
                k++;
            struct ir_src x = chunks[k].value;
            if (at > chunks[k].at) /* a part of the chunk: bits above it don't matter */
                x = op2(l, IR_lshr, x, ir_imm(8 * (at - chunks[k].at)));
            if (chunks[k].at + chunks[k].size < at + need && k + 1 < n) /* 3 bytes: 2 and 1 */
                x = op2(l, IR_or, zext32(l, x, 8 * chunks[k].size),
                        op2(l, IR_shl, chunks[k + 1].value, ir_imm(8 * (chunks[k + 1].at - at))));
            if (type_bits(e) == 1)
                x = op1(l, IR_i2b, x);
            out.c[i * each + w] = x;
        }
    if (type_is_double(t)) {
        for (uint32_t i = 0; i < length; i++)
            out.c[i] = double_of(l, out.c[2 * i], out.c[2 * i + 1]);
        out.n = length;
    }
    return out;
}

/* ---- where ---- */

/* Private memory of a thread's lanes: each lane's own, one behind the other; or, where all accesses
 * allow it, woven: pieces of l->weave bytes of all lanes together, so that lanes that access the
 * same place of theirs find it side by side. */
static struct ir_src private_base(struct lower *l)
{
    if (!l->has_private_base) {
        struct ir_block *block = l->block;
        struct ir_insn *before = l->before;
        l->before = l->entry_mark;
        struct ir_src lanes = op2(l, IR_mul, op0(l, IR_thread_slot, 0), op0(l, IR_simd_width, 0));
        struct ir_src lane = op2(l, IR_add, lanes, op0(l, IR_lane_id, 0));
        l->private_base = op2(l, IR_mul, lane, ir_imm(l->out->private_size));
        if (l->weave)
            l->private_base = op2(l, IR_add, op2(l, IR_mul, lanes, ir_imm(l->out->private_size)),
                                  op2(l, IR_mul, op0(l, IR_lane_id, 0), ir_imm(l->weave)));
        l->has_private_base = true;
        l->block = block;
        l->before = before;
    }
    return l->private_base;
}

static bool find_place_as(struct lower *l, LLVMValueRef pointer, struct root r, bool writes,
                          struct place *out)
{
    *out = (struct place){.root = r, .n_addr = 1};
    if (r.kind ==
        ROOT_NONE) { /* through an undefined pointer: anything may happen, so nothing does */
        out->space = IR_SLM;
        return false;
    }
    struct comps p = lower_pointer(l, pointer, r);
    if (!p.c)
        return false;
    out->addr[0] = p.c[0];
    out->n_addr = p.n;
    if (p.n == 2)
        out->addr[1] = p.c[1];
    switch ((enum root_kind)r.kind) {
    case ROOT_ARG:
        out->bti = lower_surface(l, KBIN_SURFACE_ARG, r.index);
        break;
    case ROOT_CONSTANTS:
        out->bti = lower_surface(l, KBIN_SURFACE_CONSTANTS, 0);
        break;
    case ROOT_PRIVATE:
        out->bti = lower_surface(l, KBIN_SURFACE_PRIVATE, 0);
        if (!l->weave)
            out->addr[0] = op2(l, IR_add, private_base(l), p.c[0]);
        break;
    case ROOT_ARRAY:
        out->space = IR_ARRAY;
        out->bti = r.index;
        return true;
    case ROOT_LOCAL:
        out->space = IR_SLM;
        return true;
    case ROOT_ADDRESS:
        if (l->dev->gen >= 80) {
            out->space = IR_A64;
            return true;
        }
        out->space = IR_WINDOW;
        out->bti = lower_surface(l, KBIN_SURFACE_WINDOW0, 0);
        if (lower_surface(l, KBIN_SURFACE_WINDOW1, 0) != out->bti + 1)
            bug("the windows are not neighbours");
        l->out->surfaces[out->bti + 1].written |= writes;
        break;
    case ROOT_NONE:
        return false;
    }
    l->out->surfaces[out->bti].written |= writes;
    return true;
}

static bool find_place(struct lower *l, LLVMValueRef pointer, bool writes, struct place *out)
{
    return find_place_as(l, pointer, root_of(l, pointer), writes, out);
}

static bool has_attribute(LLVMValueRef fn, unsigned argument, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMGetEnumAttributeAtIndex(fn, argument + 1, kind) != NULL;
}

/* Memory that nothing writes while the kernel runs. */
static bool is_constant_memory(struct lower *l, LLVMValueRef load, struct root r)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(load));
    if (r.kind == ROOT_LOCAL || r.kind == ROOT_PRIVATE || r.kind == ROOT_ARRAY)
        return false;
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == ADDR_CONSTANT || !l->writes_global)
        return true;
    if (LLVMGetMetadata(load, LLVMGetMDKindIDInContext(ctx, "invariant.load", 14)))
        return true;
    return r.kind == ROOT_ARG && !l->arg_written[r.index] && !l->arg_escapes[r.index] &&
           has_attribute(l->kernel, r.index, "noalias");
}

static struct ir_insn *access(struct lower *l, enum ir_op op, const struct place *at,
                              unsigned n_dst, unsigned n_data)
{
    struct ir_insn *i = ir_new(l->fn, op, n_dst, at->n_addr + n_data);
    for (unsigned n = 0; n < at->n_addr; n++)
        ir_set_src(i, n, at->addr[n]);
    i->mem.space = (uint8_t)at->space;
    i->mem.bti = (uint8_t)at->bti;
    return i;
}

static unsigned alignment_at(unsigned align, uint32_t offset)
{
    unsigned of_offset = offset ? offset & -offset : 128;
    unsigned a = align < of_offset ? align : of_offset;
    return a > 64 ? 64 : a;
}

/* Cuts `size` bytes into chunks. */
static unsigned cut(uint32_t size, struct chunk *chunks)
{
    unsigned n = 0;
    for (uint32_t at = 0; at < size; n++) {
        uint32_t left = size - at;
        chunks[n] = (struct chunk){.at = at, .size = left >= 4 ? 4 : left >= 2 ? 2 : 1};
        at += chunks[n].size;
    }
    return n;
}

static bool is_woven(const struct lower *l, const struct place *at)
{
    return at->root.kind == ROOT_PRIVATE && l->weave;
}

/* How many chunks from `first` on make one operation. */
static unsigned run_of(const struct lower *l, const struct place *at, const struct chunk *chunks,
                       unsigned n, unsigned first)
{
    unsigned k = 1, max = is_woven(l, at) ? l->weave / 4 : MAX_COMPS;
    while (first + k < n && k < max && chunks[first].size == 4 && chunks[first + k].size == 4)
        k++;
    return k;
}

static void set_shape(struct ir_mem *m, const struct chunk *first, unsigned n, unsigned align)
{
    m->n_comp = (uint8_t)n;
    m->comp_size = (uint8_t)first->size;
    m->offset = (int32_t)first->at;
    m->align = (uint8_t)alignment_at(align, first->at);
}

/* The address of a chunk in woven memory, all but what goes into *offset. */
static struct ir_src woven_address(struct lower *l, struct ir_src p, uint32_t at, unsigned align,
                                   int32_t *offset)
{
    uint32_t low = l->weave - 1;
    *offset = 0;
    if (align > low) {
        *offset = (int32_t)(at & low);
        p = op2(l, IR_add, p, ir_imm(at & ~low));
        return op2(l, IR_add, private_base(l), op1(l, IR_times_simd, p));
    }
    p = op2(l, IR_add, p, ir_imm(at));
    struct ir_src row = op1(l, IR_times_simd, op2(l, IR_and, p, ir_imm(~low)));
    return op2(l, IR_add, op2(l, IR_add, private_base(l), row), op2(l, IR_and, p, ir_imm(low)));
}

/* Where and how the run of n chunks from `first` on is accessed by i. */
static void set_run(struct lower *l, struct ir_insn *i, const struct place *at,
                    const struct chunk *first, unsigned n, unsigned align)
{
    set_shape(&i->mem, first, n, align);
    if (is_woven(l, at))
        ir_set_src(i, 0, woven_address(l, at->addr[0], first->at, align, &i->mem.offset));
}

/* ---- loads and stores ---- */

/* The type as which a pointer lies in memory. */
static LLVMTypeRef memory_type(struct lower *l, LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) != LLVMPointerTypeKind)
        return t;
    return LLVMIntTypeInContext(LLVMGetTypeContext(t), 32 * l->pointer_words);
}

static bool check_type(struct lower *l, LLVMTypeRef t, uint32_t *size)
{
    *size = (uint32_t)LLVMStoreSizeOfType(l->layout, t);
    unsigned bits = type_bits(type_scalar(t));
    if (!type_comps(l, t) || *size > 4 * (MAX_CHUNKS - 2)) {
        lower_fail(l, "type of a memory access is not supported");
        return false;
    }
    if (type_length(t) > 1 && (bits % 8 || (bits > 32 && bits != 64) || bits == 24)) {
        lower_fail(l, "vectors of %u-bit integers in memory are not supported", bits);
        return false;
    }
    return true;
}

struct comps lower_load(struct lower *l, LLVMValueRef v)
{
    LLVMTypeRef t = memory_type(l, LLVMTypeOf(v));
    struct chunk chunks[MAX_CHUNKS];
    struct place at;
    uint32_t size;
    unsigned align = LLVMGetAlignment(v);
    bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
    if (!check_type(l, t, &size))
        return (struct comps){0};
    if (!find_place(l, LLVMGetOperand(v, 0), false, &at))
        return comps_new(type_comps(l, LLVMTypeOf(v)));
    unsigned n = cut(size, chunks);
    for (unsigned first = 0; first < n;) {
        unsigned run = run_of(l, &at, chunks, n, first);
        struct ir_insn *i = access(l, IR_load, &at, run, 0);
        set_run(l, i, &at, &chunks[first], run, align);
        i->mem.is_volatile = LLVMGetVolatile(v);
        i->mem.is_constant = !i->mem.is_volatile && is_constant_memory(l, v, at.root);
        for (unsigned k = 0; k < run; k++) {
            if (dword_is_float(t, chunks[first + k].at))
                i->dst[k]->type = IR_F32;
            chunks[first + k].value = ir_val(i->dst[k]);
        }
        op_append(l, i);
        first += run;
    }
    struct comps out = comps_of_chunks(l, t, chunks, n);
    if (is_pointer && root_of(l, v).kind != ROOT_ADDRESS)
        out.n = 1; /* local and private pointers: the upper word is zero */
    return out;
}

/* The dword (or less) of the value at the chunk's place. */
static struct ir_src chunk_of(struct lower *l, LLVMTypeRef t, struct comps v, const struct chunk *c)
{
    LLVMTypeRef e = element_type(t);
    uint32_t size = element_size(l, t), each = type_comps(l, e);
    if (type_bits(e) == 1)
        return op1(l, IR_b2i, v.c[0]);
    if (type_is_double(t))
        return double_word(l, v.c[c->at / 8], c->at % 8 / 4);
    if (size >= 4)
        return v.c[c->at / size * each + c->at % size / 4];
    /* several elements, the last needs no mask: what is above the chunk falls off */
    struct ir_src x = ir_imm(0);
    for (uint32_t at = 0; at < c->size; at += size) {
        struct ir_src y = v.c[(c->at + at) / size];
        if (at + size < c->size)
            y = zext32(l, y, 8 * size);
        x = op2(l, IR_or, x, op2(l, IR_shl, y, ir_imm(8 * at)));
    }
    return x;
}

/* The chunk of an integer whose size in memory is no multiple of 4 bytes: 24, 40, 48 bits and the
 * like. */
static struct ir_src odd_chunk(struct lower *l, unsigned bits, struct comps v,
                               const struct chunk *c)
{
    struct ir_src w = v.c[c->at / 4 < v.n ? c->at / 4 : v.n - 1];
    unsigned in_word = bits - 32 * (c->at / 4);
    if (in_word < 32)
        w = zext32(l, w, in_word);
    return c->at % 4 ? op2(l, IR_lshr, w, ir_imm(8 * (c->at % 4))) : w;
}

static struct comps stored_value(struct lower *l, LLVMValueRef v)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
        return lower_ptr_to_int(l, v, 32 * l->pointer_words);
    return lower_value(l, v);
}

void lower_store(struct lower *l, LLVMValueRef v)
{
    LLVMValueRef value = LLVMGetOperand(v, 0);
    LLVMTypeRef t = memory_type(l, LLVMTypeOf(value));
    struct chunk chunks[MAX_CHUNKS];
    struct place at;
    uint32_t size;
    unsigned align = LLVMGetAlignment(v), bits = type_bits(type_scalar(t));
    if (!check_type(l, t, &size) || !find_place(l, LLVMGetOperand(v, 1), true, &at))
        return;
    struct comps c = stored_value(l, value);
    if (!c.c)
        return;
    bool odd = bits != 1 && bits != 8 && bits != 16 && bits % 32;
    unsigned n = cut(size, chunks);
    for (unsigned k = 0; k < n; k++)
        chunks[k].value = odd ? odd_chunk(l, bits, c, &chunks[k]) : chunk_of(l, t, c, &chunks[k]);
    for (unsigned first = 0; first < n;) {
        unsigned run = run_of(l, &at, chunks, n, first);
        struct ir_insn *i = access(l, IR_store, &at, 0, run);
        set_run(l, i, &at, &chunks[first], run, align);
        i->mem.is_volatile = LLVMGetVolatile(v);
        for (unsigned k = 0; k < run; k++)
            ir_set_src(i, at.n_addr + k, chunks[first + k].value);
        op_append(l, i);
        first += run;
    }
}

/* Of 64 bits by absolute address: messages to surfaces have none. */
void lower_atomic(struct lower *l, LLVMValueRef call, enum msg_atomic op)
{
    struct place at;
    LLVMValueRef pointer = LLVMGetOperand(call, 0);
    unsigned n_data = ir_atomic_operands(op), words = type_comps(l, LLVMTypeOf(call));
    bool returns = LLVMGetFirstUse(call) != NULL;
    struct comps out = comps_new(words);
    struct root r = root_of(l, pointer);
    if (words > 1 && r.kind != ROOT_NONE)
        r = (struct root){.kind = ROOT_ADDRESS};
    if (words > 1 && l->dev->gen < 80) {
        lower_fail(l, "internal: no 64-bit atomics before Gen8");
    } else if (find_place_as(l, pointer, r, true, &at)) {
        struct ir_insn *i = access(l, IR_atomic, &at, returns ? words : 0, n_data * words);
        i->mem.atomic = (uint8_t)op;
        i->mem.n_comp = 1;
        i->mem.comp_size = (uint8_t)(4 * words);
        i->mem.align = (uint8_t)(4 * words);
        i->mem.is_volatile = true;
        for (unsigned k = 0; k < n_data; k++) {
            struct comps data = lower_value(l, LLVMGetOperand(call, 1 + k));
            for (unsigned w = 0; w < words; w++)
                ir_set_src(i, at.n_addr + words * k + w, data.c[w]);
        }
        op_append(l, i);
        for (unsigned w = 0; returns && w < words; w++)
            out.c[w] = ir_val(i->dst[w]);
    }
    lower_set(l, call, out);
}

/* ---- private memory ---- */

static bool is_lifetime(LLVMValueRef call)
{
    size_t n;
    LLVMValueRef callee =
        LLVMGetInstructionOpcode(call) == LLVMCall ? LLVMGetCalledValue(call) : NULL;
    return callee && LLVMIsAFunction(callee) &&
           !strncmp(LLVMGetValueName2(callee, &n), "llvm.lifetime.", 14);
}

static unsigned power_above(uint64_t size)
{
    unsigned p = 1;
    while (p < size && p < 16)
        p *= 2;
    return p;
}

/* The largest piece that an access needs whole, or what all of them can do with; 0: some access
 * could lie across pieces, or private memory is reached in other ways. */
static unsigned find_weave(struct lower *l)
{
    unsigned most = 4, limit = 16;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(l->kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            LLVMOpcode op = LLVMGetInstructionOpcode(v);
            bool is_store = op == LLVMStore;
            for (int n = LLVMGetNumOperands(v);
                 (op == LLVMCall || op == LLVMAddrSpaceCast) && n--;) {
                LLVMValueRef o = LLVMGetOperand(v, (unsigned)n);
                if (LLVMGetTypeKind(LLVMTypeOf(o)) == LLVMPointerTypeKind && !LLVMIsAFunction(o) &&
                    root_of(l, o).kind == ROOT_PRIVATE && !is_lifetime(v))
                    return 0;
            }
            if ((op != LLVMLoad && !is_store) ||
                root_of(l, LLVMGetOperand(v, is_store)).kind != ROOT_PRIVATE)
                continue;
            LLVMTypeRef t = LLVMTypeOf(is_store ? LLVMGetOperand(v, 0) : v);
            unsigned size = power_above(LLVMStoreSizeOfType(l->layout, memory_type(l, t)));
            unsigned align = LLVMGetAlignment(v);
            if (size > most)
                most = size;
            if (align < size && align < limit)
                limit = align;
        }
    most = most < limit ? most : limit;
    return most < 4 ? 0 : most;
}

void layout_private(struct lower *l)
{
    uint64_t at = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->kernel)); v;
         v = LLVMGetNextInstruction(v)) {
        if (!LLVMIsAAllocaInst(v) || root_of(l, v).kind == ROOT_ARRAY)
            continue;
        LLVMValueRef count = LLVMGetOperand(v, 0);
        l->insn = v;
        if (!LLVMIsAConstantInt(count)) {
            lower_fail(l, "an array of variable length");
            return;
        }
        uint64_t size = LLVMABISizeOfType(l->layout, LLVMGetAllocatedType(v));
        uint64_t align = LLVMGetAlignment(v);
        size *= LLVMConstIntGetZExtValue(count);
        if (align < 4)
            align = 4;
        if (!at)
            at = 16; /* 0 is the null pointer */
        at = (at + align - 1) & -align;
        lower_entry(l, v)->offset = (uint32_t)at;
        at += size;
        if (size > 1u << 24 || at > 1u << 24) {
            lower_fail(l, "kernel %s needs more than 16 MiB of private memory a work-item",
                       l->fn->name);
            return;
        }
    }
    l->insn = NULL;
    l->out->private_size = (uint32_t)((at + 15) & ~15ull);
    l->weave = find_weave(l);
}
