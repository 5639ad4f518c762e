/* Gen IR: building, changing, use counts, dominators. All memory is the build's arena.
 * Use counts: ir_value.n_uses = sources of instructions that stand in a block or were made by
 * ir_new and set by ir_set_src; ir_remove takes them away again. */
#include "backend/ir.h"

#include <string.h>

enum { PURE = IR_PURE, COMM = IR_COMM, MEM = IR_MEM, EFFECT = IR_EFFECT, TERM = IR_TERM };

const struct ir_op_info ir_op_info[IR_N_OPS] = {
#define IR_OP(name, n_dst, n_src, dst, src, flags) {#name, n_dst, n_src, #dst[0], #src[0], flags},
#include "backend/ir_op.def"
#undef IR_OP
};

const char *const ir_pred_name[IR_UNO + 1] = {
    "eq",  "ne",  "ult", "ule", "ugt", "uge", "slt", "sle",  "sgt",  "sge",  "oeq",  "one",
    "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "fult", "fule", "fugt", "fuge", "uno"};

/* Indexed by enum msg_atomic. */
static const struct {
    const char *name;
    unsigned operands;
} atomics[] = {{"cmpwr8b", 2}, {"and", 1},  {"or", 1},    {"xor", 1},    {"mov", 1},  {"inc", 0},
               {"dec", 0},     {"add", 1},  {"sub", 1},   {"revsub", 1}, {"imax", 1}, {"imin", 1},
               {"umax", 1},    {"umin", 1}, {"cmpwr", 2}, {"predec", 0}};

const char *ir_atomic_name(enum msg_atomic op)
{
    return (unsigned)op < sizeof atomics / sizeof *atomics ? atomics[op].name : "?";
}

unsigned ir_atomic_operands(enum msg_atomic op)
{
    return (unsigned)op < sizeof atomics / sizeof *atomics ? atomics[op].operands : 0;
}

const char *ir_op_name(enum ir_op op)
{
    return (unsigned)op < IR_N_OPS ? ir_op_info[op].name : "?";
}

struct ir_fn *ir_fn_new(const char *name, const struct gen_device *dev)
{
    struct ir_fn *fn = cc_alloc(sizeof *fn);
    fn->name = name;
    fn->dev = dev;
    fn->out = cc_alloc(sizeof *fn->out);
    return fn;
}

/* Arrays that grow one by one have a capacity that follows from the count: the next power of two.
 */
static bool is_full(uint32_t n)
{
    return (n & (n - 1)) == 0; /* 0, 1, 2, 4, ... */
}

struct ir_block *ir_block_new(struct ir_fn *fn)
{
    struct ir_block *b = cc_alloc(sizeof *b);
    uint32_t n = fn->n_blocks;
    if (is_full(n))
        fn->blocks =
            cc_grow(fn->blocks, n * sizeof *fn->blocks, (n ? 2 * n : 1) * sizeof *fn->blocks);
    b->index = n;
    fn->blocks[fn->n_blocks++] = b;
    return b;
}

void ir_add_pred(struct ir_block *b, struct ir_block *pred)
{
    uint32_t n = b->n_preds;
    if (is_full(n))
        b->preds = cc_grow(b->preds, n * sizeof *b->preds, (n ? 2 * n : 1) * sizeof *b->preds);
    b->preds[b->n_preds++] = pred;
}

void ir_number_blocks(struct ir_fn *fn)
{
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        fn->blocks[i]->index = i;
        fn->blocks[i]->n_preds = 0;
        fn->blocks[i]->preds = NULL;
    }
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (int s = 0; s < 2; s++)
            if (fn->blocks[i]->succ[s])
                ir_add_pred(fn->blocks[i]->succ[s], fn->blocks[i]);
    ir_loop_depths(fn);
}

void ir_loop_depths(struct ir_fn *fn)
{
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        fn->blocks[i]->loop_depth = 0;
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        const struct ir_block *b = fn->blocks[i];
        if (b->last && b->last->op == IR_loop && b->succ[0])
            for (uint32_t j = b->succ[0]->index; j <= i; j++)
                fn->blocks[j]->loop_depth++;
    }
}

/* The way out of a loop that has others, but always goes back at its latch. */
static bool is_never_gone(const struct ir_block *from, const struct ir_block *to)
{
    return from->last->op == IR_loop && from->succ[1] == to && to->n_preds > 1 &&
           ir_is_imm(from->last->src[0], 1);
}

/* Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm". The layout is a reverse
 * post-order. */
int *ir_dominators(const struct ir_fn *fn)
{
    int *idom = cc_alloc((fn->n_blocks + 1) * sizeof *idom);
    for (uint32_t i = 1; i < fn->n_blocks; i++)
        idom[i] = -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < fn->n_blocks; i++) {
            const struct ir_block *b = fn->blocks[i];
            int best = -1;
            for (uint32_t p = 0; p < b->n_preds; p++) {
                int q = (int)b->preds[p]->index;
                if (idom[q] < 0 || is_never_gone(b->preds[p], b))
                    continue;
                while (best >= 0 && q != best) {
                    if (q > best)
                        q = idom[q];
                    else
                        best = idom[best];
                }
                best = q;
            }
            if (best != idom[i]) {
                idom[i] = best;
                changed = true;
            }
        }
    }
    return idom;
}

struct ir_insn *ir_new(struct ir_fn *fn, enum ir_op op, unsigned n_dst, unsigned n_src)
{
    struct ir_insn *i = cc_alloc(sizeof *i + n_dst * sizeof *i->dst + n_src * sizeof *i->src);
    char *tail = (char *)(i + 1);
    i->op = op;
    i->n_dst = n_dst;
    i->n_src = n_src;
    i->src = (struct ir_src *)tail;
    i->dst = (struct ir_value **)(tail + n_src * sizeof *i->src);
    char t = ir_op_info[op].dst_type;
    for (unsigned n = 0; n < n_dst; n++) {
        struct ir_value *v = cc_alloc(sizeof *v);
        v->id = fn->n_values++;
        v->type = t == 'B' ? IR_I1 : t == 'F' ? IR_F32 : t == 'D' ? IR_F64 : IR_I32;
        v->index = n;
        v->def = i;
        i->dst[n] = v;
    }
    return i;
}

void ir_append(struct ir_block *b, struct ir_insn *i)
{
    i->block = b;
    i->prev = b->last;
    i->next = NULL;
    if (b->last)
        b->last->next = i;
    else
        b->first = i;
    b->last = i;
}

void ir_insert_before(struct ir_insn *at, struct ir_insn *i)
{
    i->block = at->block;
    i->prev = at->prev;
    i->next = at;
    if (at->prev)
        at->prev->next = i;
    else
        at->block->first = i;
    at->prev = i;
}

void ir_unlink(struct ir_insn *i)
{
    struct ir_block *b = i->block;
    if (i->prev)
        i->prev->next = i->next;
    else
        b->first = i->next;
    if (i->next)
        i->next->prev = i->prev;
    else
        b->last = i->prev;
    i->prev = i->next = NULL;
    i->block = NULL;
}

void ir_remove(struct ir_insn *i)
{
    for (unsigned n = 0; n < i->n_dst; n++)
        if (i->dst[n]->n_uses)
            bug("ir_remove: result of %s is still used", ir_op_name(i->op));
    for (unsigned n = 0; n < i->n_src; n++)
        ir_set_src(i, n, ir_imm(0));
    ir_unlink(i);
}

void ir_set_src(struct ir_insn *i, unsigned n, struct ir_src s)
{
    if (i->src[n].value)
        i->src[n].value->n_uses--;
    i->src[n] = s;
    if (s.value)
        s.value->n_uses++;
}

void ir_replace(struct ir_fn *fn, struct ir_value *v, struct ir_src by)
{
    if (by.value == v)
        return;
    for (uint32_t b = 0; b < fn->n_blocks && v->n_uses; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            for (unsigned n = 0; n < i->n_src; n++)
                if (i->src[n].value == v)
                    ir_set_src(i, n, by);
}

static bool is_dword(enum ir_type t)
{
    return t == IR_I32 || t == IR_F32;
}

bool ir_src_type_ok(const struct ir_insn *i, unsigned n, enum ir_type t)
{
    switch (ir_op_info[i->op].src_type) {
    case 'I':
        return t == IR_I32;
    case 'F':
        return t == IR_F32;
    case 'D':
        return t == IR_F64;
    case 'B':
        return t == IR_I1;
    case 'X': /* mov reinterprets between I32 and F32 */
        return t == i->dst[0]->type ||
               (i->op == IR_mov && is_dword(t) && is_dword(i->dst[0]->type));
    case '*':
        if (i->op == IR_select)
            return n == 0 ? t == IR_I1 : t == i->dst[0]->type;
        if (i->op == IR_atomic || n < ir_n_addr(i))
            return t == IR_I32;
        return is_dword(t);
    default:
        return false;
    }
}
