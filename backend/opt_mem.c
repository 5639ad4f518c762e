/* Memory operations: constants in addresses become offsets, known contents are not loaded, and
 * what lies together becomes one access.
 *
 * What an operation of the same block has just stored or loaded is not loaded again. Within a
 * block, dword loads (stores) of one space, surface and base address whose offsets follow each
 * other are merged to at most four components (what one untyped message moves), or sixteen where
 * the address is uniform and the memory constant. Loads may have dwords between them that nobody
 * wants: a message leaves those out. Loads go up to the first of them, stores down to
 * the last, unless something between may touch the same memory. */
#include "backend/opt.h"

#include <string.h>

enum { MAX_VARYING = 4, MAX_UNIFORM = 16, MAX_OPEN = 16, MAX_DISTANCE = 400 };

/* ---- address offsets ---- */

static const struct ir_insn *def_of(struct ir_src s, enum ir_op op, unsigned index)
{
    return s.value && s.value->def->op == op && s.value->index == index ? s.value->def : NULL;
}

static bool add_offset(struct ir_insn *i, int64_t by)
{
    int64_t sum = i->mem.offset + by;
    if (sum < -(1 << 30) || sum > 1 << 30)
        return false;
    i->mem.offset = (int32_t)sum;
    return true;
}

/* x + c of one word. Surface and SLM offsets, and window addresses, are modulo 2^32 as the sum is.
 */
static bool fold_word(struct ir_insn *i)
{
    struct ir_src a = i->src[0];
    if (!a.value) { /* all of it is constant */
        if (a.imm == 0 || !add_offset(i, (int32_t)a.imm))
            return false;
        ir_set_src(i, 0, ir_imm(0));
        return true;
    }
    const struct ir_insn *d = def_of(a, IR_add, 0);
    if (!d || d->src[1].value || !add_offset(i, (int32_t)d->src[1].imm))
        return false;
    ir_set_src(i, 0, d->src[0]);
    return true;
}

/* (lo, hi) + c: lo = x + c, hi = y + carry + (c < 0 ? -1 : 0), in any order. */
static bool fold_pair(struct ir_insn *i)
{
    const struct ir_insn *lo = def_of(i->src[0], IR_add_carry, 0),
                         *hi = def_of(i->src[1], IR_add, 0);
    if (!lo || lo->src[1].value || !hi)
        return false;
    int32_t by = (int32_t)lo->src[1].imm;
    struct ir_src terms[3] = {hi->src[0], hi->src[1], ir_imm(0)};
    for (int k = 0; k < 2 && by < 0; k++) {
        const struct ir_insn *inner = def_of(terms[k], IR_add, 0);
        if (inner && terms[k].value != lo->dst[1]) {
            terms[k] = inner->src[0];
            terms[2] = inner->src[1];
            break;
        }
    }
    struct ir_src y = ir_imm(0);
    bool carry = false, minus = by >= 0, rest = false;
    for (int k = 0; k < 3; k++) {
        if (!carry && terms[k].value == lo->dst[1])
            carry = true;
        else if (!minus && ir_is_imm(terms[k], 0xffffffff))
            minus = true;
        else if (!rest && !ir_is_imm(terms[k], 0)) {
            y = terms[k];
            rest = true;
        } else if (!ir_is_imm(terms[k], 0))
            return false;
    }
    if (!carry || !minus || !add_offset(i, by))
        return false;
    struct ir_src x = lo->src[0];
    ir_set_src(i, 0, x);
    ir_set_src(i, 1, y);
    return true;
}

static bool is_access(const struct ir_insn *i)
{
    return i->op == IR_load || i->op == IR_store || i->op == IR_atomic;
}

static bool fold_offsets(struct ir_fn *fn)
{
    bool changed = false;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            while (is_access(i) && (i->mem.space == IR_A64 ? fold_pair(i) : fold_word(i)))
                changed = true;
    return changed;
}

/* ---- what may touch what ---- */

static unsigned surface_kind(const struct ir_fn *fn, const struct ir_insn *i)
{
    return i->mem.bti < fn->out->n_surfaces ? fn->out->surfaces[i->mem.bti].kind : KBIN_SURFACE_ARG;
}

static bool is_private(const struct ir_fn *fn, const struct ir_insn *i)
{
    return i->mem.space == IR_ARRAY ||
           (i->mem.space == IR_SURFACE && surface_kind(fn, i) == KBIN_SURFACE_PRIVATE);
}

static bool same_base(const struct ir_insn *a, const struct ir_insn *b)
{
    if (a->mem.space != b->mem.space || a->mem.bti != b->mem.bti)
        return false;
    for (unsigned n = 0; n < ir_n_addr(a); n++)
        if (!ir_same(a->src[n], b->src[n]))
            return false;
    return true;
}

static int32_t size_of(const struct ir_insn *i)
{
    return i->mem.n_comp * i->mem.comp_size;
}

/* Private memory is the lane's own, SLM is not global memory; buffers may be the same one twice. */
static bool may_alias(const struct ir_fn *fn, const struct ir_insn *a, const struct ir_insn *b)
{
    if (a->mem.is_constant || b->mem.is_constant)
        return false;
    if ((a->mem.space == IR_SLM) != (b->mem.space == IR_SLM))
        return false;
    if ((a->mem.space == IR_ARRAY || b->mem.space == IR_ARRAY) &&
        (a->mem.space != b->mem.space || a->mem.bti != b->mem.bti))
        return false;
    if (same_base(a, b)) {
        /* from one address, so apart is apart; other lanes' places are no matter, as order between
         * lanes is nobody's to count on without a barrier */
        return a->mem.offset < b->mem.offset + size_of(b) &&
               b->mem.offset < a->mem.offset + size_of(a);
    }
    if (a->mem.space != IR_SLM) {
        if (is_private(fn, a) != is_private(fn, b))
            return false;
    }
    return true;
}

/* Whether access i may move across x. */
static bool blocks_way(const struct ir_fn *fn, const struct ir_insn *x, const struct ir_insn *i)
{
    if (x->op == IR_barrier || x->op == IR_fence)
        return !i->mem.is_constant && !is_private(fn, i);
    if (!is_access(x) || (x->op == IR_load && i->op == IR_load))
        return false;
    if (x->op == IR_atomic) /* other work-items may order by it */
        return !i->mem.is_constant && !is_private(fn, i);
    return may_alias(fn, x, i);
}

/* ---- what is known to be there ---- */

/* Whole dwords that an operation before has stored to, or loaded from, the same place. */
static bool whole_dwords(const struct ir_insn *i)
{
    return (i->op == IR_load || i->op == IR_store) && !i->mem.is_volatile && i->mem.comp_size == 4;
}

/* Finds each component of load i in what precedes it in the block. */
static bool find_contents(const struct ir_fn *fn, const struct ir_insn *i, struct ir_src *content)
{
    unsigned found = 0, all = (1u << i->mem.n_comp) - 1, steps = 0, n_addr = ir_n_addr(i);
    for (const struct ir_insn *x = i->prev; x && found != all && ++steps < MAX_DISTANCE;
         x = x->prev) {
        if (!ir_has_flag(x, IR_MEM))
            continue;
        if (x->op == IR_barrier || x->op == IR_fence || x->op == IR_atomic) {
            if (is_private(fn, i) || i->mem.is_constant)
                continue;
            return false;
        }
        bool same = same_base(x, i), aligned = same && (x->mem.offset - i->mem.offset) % 4 == 0;
        if (aligned && whole_dwords(x))
            for (int c = 0; c < i->mem.n_comp; c++) {
                int k = c + (i->mem.offset - x->mem.offset) / 4;
                if (k < 0 || k >= x->mem.n_comp || found >> c & 1)
                    continue;
                content[c] = x->op == IR_load ? ir_val(x->dst[k]) : x->src[n_addr + (unsigned)k];
                found |= 1u << c;
            }
        else if (x->op == IR_store && may_alias(fn, x, i))
            return false;
    }
    return found == all;
}

static bool forward_contents(struct ir_fn *fn)
{
    bool changed = false;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first, *next; i; i = next) {
            struct ir_src content[16];
            next = i->next;
            if (i->op != IR_load || !whole_dwords(i) || !find_contents(fn, i, content))
                continue;
            for (unsigned c = 0; c < i->n_dst; c++) { /* a copy takes over the result */
                uint32_t n_values = fn->n_values;
                struct ir_insn *m = ir_new(fn, IR_mov, 1, 1);
                fn->n_values = n_values;
                m->dst[0] = i->dst[c];
                m->dst[0]->def = m;
                m->dst[0]->index = 0;
                m->where = i->where;
                ir_set_src(m, 0, content[c]);
                ir_insert_before(i, m);
            }
            i->n_dst = 0;
            ir_remove(i);
            changed = true;
        }
    return changed;
}

/* ---- neighbours ---- */

static bool can_group(const struct ir_insn *i)
{
    return (i->op == IR_load || i->op == IR_store) && !i->mem.is_volatile &&
           i->mem.comp_size == 4 && i->mem.align >= 4 &&
           (i->mem.space != IR_ARRAY || i->src[0].value);
}

static unsigned limit(const struct ir_insn *i)
{
    bool uniform = i->op == IR_load && i->mem.is_constant && i->mem.space == IR_SURFACE;
    for (unsigned n = 0; n < ir_n_addr(i); n++)
        uniform &= !i->src[n].value || i->src[n].value->uniform;
    return uniform ? MAX_UNIFORM : MAX_VARYING;
}

/* Owords that a block of dwords takes. */
static unsigned owords(unsigned n)
{
    return n <= 4 ? 1 : n <= 8 ? 2 : 4;
}

/* Components from the beginning of the lower to the end of the higher; 0 if they overlap. */
static unsigned span_of(const struct ir_insn *a, const struct ir_insn *b)
{
    const struct ir_insn *low = a->mem.offset < b->mem.offset ? a : b, *high = low == a ? b : a;
    int64_t apart = (int64_t)high->mem.offset - low->mem.offset;
    if (apart < size_of(low) || apart % 4 || apart > 4 * MAX_UNIFORM)
        return 0;
    return (unsigned)apart / 4 + high->mem.n_comp;
}

static bool is_close(const struct ir_insn *a, const struct ir_insn *b)
{
    if (a->op != b->op || !same_base(a, b) || a->mem.is_constant != b->mem.is_constant)
        return false;
    unsigned n = span_of(a, b), has = a->mem.n_comp + b->mem.n_comp;
    if (!n || n > limit(a) || (a->op == IR_store && n != has))
        return false;
    /* a block has no holes: it must not read more than the two would */
    return n == has || n <= MAX_VARYING ||
           owords(n) <= owords(a->mem.n_comp) + owords(b->mem.n_comp);
}

/* One operation for a and b, which stand in this order, at the place of `at` (one of them). */
static struct ir_insn *merge(struct ir_fn *fn, struct ir_insn *a, struct ir_insn *b,
                             struct ir_insn *at)
{
    struct ir_insn *low = a->mem.offset < b->mem.offset ? a : b, *high = low == a ? b : a;
    unsigned n_addr = ir_n_addr(a), n_low = low->mem.n_comp, n = span_of(a, b);
    unsigned at_high = n - high->mem.n_comp;
    bool is_load = a->op == IR_load;
    struct ir_insn *m = ir_new(fn, a->op, is_load ? n : 0, n_addr + (is_load ? 0 : n));
    m->mem = low->mem;
    m->mem.n_comp = (uint8_t)n;
    m->where = at->where;
    for (unsigned k = 0; k < n_addr; k++)
        ir_set_src(m, k, low->src[k]);
    for (unsigned k = 0; k < n; k++) {
        struct ir_insn *from = k < n_low ? low : high;
        unsigned of = k < n_low ? k : k - at_high;
        if (is_load && k >= n_low && k < at_high) {
            continue; /* its own result, for nobody */
        } else if (is_load) {
            m->dst[k] = from->dst[of];
            m->dst[k]->def = m;
            m->dst[k]->index = (uint8_t)k;
        } else {
            ir_set_src(m, n_addr + k, from->src[n_addr + of]);
        }
    }
    ir_insert_before(at, m);
    a->n_dst = b->n_dst = 0;
    ir_remove(a);
    ir_remove(b);
    return m;
}

/* Whether b may go up to a, or a down to b, past all that stands between. */
static bool way_is_free(const struct ir_fn *fn, const struct ir_insn *a, const struct ir_insn *b)
{
    const struct ir_insn *moved = a->op == IR_load ? b : a;
    unsigned steps = 0;
    for (const struct ir_insn *x = a->next; x != b; x = x->next)
        if (++steps > MAX_DISTANCE || (ir_has_flag(x, IR_MEM) && blocks_way(fn, x, moved)))
            return false;
    return true;
}

/* Accesses of the block that a later one may join: a ring. */
struct open {
    struct ir_insn *insn[MAX_OPEN];
    unsigned n, oldest;
};

static bool group_block(struct ir_fn *fn, struct ir_block *b)
{
    struct open o = {.n = 0};
    bool changed = false;
    for (struct ir_insn *i = b->first, *next; i; i = next) {
        unsigned k = 0;
        next = i->next;
        if (i->op == IR_barrier)
            o.n = o.oldest = 0;
        if (!can_group(i))
            continue;
        while (k < o.n && !(is_close(o.insn[k], i) && way_is_free(fn, o.insn[k], i)))
            k++;
        if (k < o.n) {
            struct ir_insn *first = o.insn[k];
            o.insn[k] = merge(fn, first, i, first->op == IR_load ? first : i);
            changed = true;
        } else if (o.n < MAX_OPEN) {
            o.insn[o.n++] = i;
        } else {
            o.insn[o.oldest++ % MAX_OPEN] = i;
        }
    }
    return changed;
}

/* A load that goes up needs its address there: it is the first one's own. A merged load may yet
 * meet others, so this runs until nothing changes. */
static bool group(struct ir_fn *fn)
{
    bool changed = false;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        while (group_block(fn, fn->blocks[b]))
            changed = true;
    return changed;
}

bool opt_mem(struct ir_fn *fn)
{
    bool changed = fold_offsets(fn);
    changed |= forward_contents(fn);
    return group(fn) || changed;
}
