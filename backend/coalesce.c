/* Copies that aren't needed: the virtual registers on both sides become one.
 *
 * That is right where neither register is written while the other still has something to be read.
 * A register that is only written under the mask is looked at lane by lane: a lane that waits keeps
 * what it has, so only the lane's own way through the code counts. One that is only written without
 * mask is looked at as the thread goes, which runs both arms of a branch one after the other, and
 * what follows a loop's exits when all lanes have left. Registers with writes of both kinds stay as
 * they are.
 *
 * Liveness is kept by slice (ra.c's unit of it), of those registers only that a copy could join,
 * and what has no value yet, or an undefined one, isn't alive to anybody's harm: register and
 * offset pairs in one class lie over each other. Loads' responses can be joined with a smaller
 * register for one of their components. Copies in the innermost loops come first. */
#include "backend/codegen.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_WORDS = 1 << 23, /* of all liveness sets: beyond, the copies stay */
    MAX_PAIRS = 1 << 14, /* slices compared for one copy */
    NO_BLOCK = UINT32_MAX,
};

enum kind { KIND_NONE, KIND_LANES, KIND_THREAD, KIND_MIXED };

/* Which lane a slice begins with, and how many bytes a lane has in it. */
struct lanes {
    uint8_t first, step; /* step 0: not known */
};

struct block {
    uint32_t lo, hi; /* instructions */
    uint32_t lane_succ[2], thread_succ[3];
    uint64_t *in, *use, *kill;   /* what is read later, or first here; what is overwritten here */
    uint64_t *has, *made, *lost; /* what has a value on the way in; gets one here; gets none */
};

struct member {
    uint32_t slice; /* among all vregs' */
    uint32_t at;    /* in its class, in registers */
};

/* By vreg: where it is, and if it is the root of a class, what else is there. */
struct class
{
    uint32_t root, off; /* off: bytes into the root */
    uint32_t group;     /* copies join it, perhaps, with the others of its group */
    struct member *members;
    uint32_t n_members;
};

struct copy {
    uint32_t at; /* instruction */
    uint32_t depth;
};

struct coalesce {
    struct cg *cg;
    uint8_t *kind;         /* by vreg: enum kind */
    struct lanes *lanes;   /* by slice */
    uint32_t *first_slice; /* by vreg */
    uint32_t n_slices;
    struct class *classes; /* by vreg */
    struct copy *copies;
    uint32_t n_copies;
    uint32_t *bit_of, *slice_of; /* slice <-> bit of the sets; bit_of 0: none */
    uint32_t *vreg_of;           /* by bit */
    uint32_t n_bits, n_words;
    uint64_t *is_thread;   /* set of the slices of KIND_THREAD */
    uint32_t **group_bits; /* by group's vreg: its bits, the number first */
    struct block *blocks;
    uint32_t n_blocks, *block_at; /* by instruction that begins one */
    uint64_t *pairs;              /* hash set of interfering bits; 0: free */
    uint32_t n_pairs, cap_pairs;
};

/* ---- registers ---- */

static void note_write(struct coalesce *c, const struct mi *m)
{
    uint32_t v = m->v[0], lo, hi;
    enum kind k = m->e.no_mask ? KIND_THREAD : KIND_LANES;
    if (!m->e.no_mask && m->kind == MI_ALU && m->e.exec_size == 1)
        k = KIND_MIXED;
    c->kind[v] |= k;
    if (m->kind == MI_SEND || k != KIND_LANES)
        return;
    mi_span(m, 0, &lo, &hi);
    unsigned step = m->e.dst.hs * eu_type_size(m->e.dst.type);
    for (uint32_t k = lo / EU_GRF_SIZE; k * EU_GRF_SIZE < hi; k++) {
        uint32_t from = k * EU_GRF_SIZE > lo ? k * EU_GRF_SIZE - lo : 0;
        struct lanes l = {.first = m->e.group + from / step, .step = step};
        struct lanes *have = &c->lanes[c->first_slice[v] + k];
        if (have->step && (have->first != l.first || have->step != l.step))
            c->kind[v] = KIND_MIXED;
        *have = l;
    }
}

static void find_kinds(struct coalesce *c)
{
    struct cg *cg = c->cg;
    c->kind = cc_alloc(cg->n_vregs);
    c->first_slice = cc_alloc(cg->n_vregs * sizeof *c->first_slice);
    c->classes = cc_alloc(cg->n_vregs * sizeof *c->classes);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        c->first_slice[v] = c->n_slices;
        c->n_slices += slice_count(&cg->vregs[v]);
        c->classes[v] = (struct class){.root = v, .group = v};
        if (cg->vregs[v].is_fixed)
            c->kind[v] = KIND_MIXED;
    }
    c->lanes = cc_alloc((c->n_slices + 1) * sizeof *c->lanes);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        if (cg->code[i]->v[0])
            note_write(c, cg->code[i]);
    }
}

/* ---- copies ---- */

/* A copy of bits, lane by lane or of one scalar. */
static bool is_copy(const struct coalesce *c, const struct mi *m)
{
    const struct eu_operand *d = &m->e.dst, *s = &m->e.src[0];
    if (m->is_lone || m->kind != MI_ALU || m->e.op != EU_OP_mov || !m->v[0] || !m->v[1] ||
        m->v[0] == m->v[1] || m->e.cond || m->e.saturate || s->negate || s->abs || d->hs != 1 ||
        d->type != s->type || d->type == EU_F || eu_type_size(d->type) < 4)
        return false;
    uint8_t k = c->kind[m->v[0]];
    if (k != c->kind[m->v[1]] || (k != KIND_LANES && k != KIND_THREAD))
        return false;
    return m->e.exec_size == 1 || (s->hs == 1 && s->vs == s->width);
}

static uint32_t group_of(struct coalesce *c, uint32_t v)
{
    while (c->classes[v].group != v)
        v = c->classes[v].group = c->classes[c->classes[v].group].group;
    return v;
}

static void find_copies(struct coalesce *c)
{
    struct cg *cg = c->cg;
    uint32_t depth = 0;
    c->copies = cc_alloc((cg->n_code + 1) * sizeof *c->copies);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        depth += m->kind == MI_DO;
        depth -= m->kind == MI_CTRL && m->e.op == EU_OP_while;
        if (!is_copy(c, m))
            continue;
        c->copies[c->n_copies++] = (struct copy){i, depth};
        c->classes[group_of(c, m->v[0])].group = group_of(c, m->v[1]);
    }
}

/* Bits for the slices of what stands in a copy; bit 0 is none. */
static void number_bits(struct coalesce *c)
{
    struct cg *cg = c->cg;
    uint32_t *in_group = cc_alloc(cg->n_vregs * sizeof *in_group), n = 1;
    bool *is_used = cc_alloc(cg->n_vregs);
    for (uint32_t k = 0; k < c->n_copies; k++) {
        const struct mi *m = cg->code[c->copies[k].at];
        is_used[m->v[0]] = is_used[m->v[1]] = true;
    }
    c->bit_of = cc_alloc((c->n_slices + 1) * sizeof *c->bit_of);
    c->slice_of = cc_alloc((c->n_slices + 1) * sizeof *c->slice_of);
    c->vreg_of = cc_alloc((c->n_slices + 1) * sizeof *c->vreg_of);
    for (uint32_t v = 1; v < cg->n_vregs; v++) {
        uint32_t count = slice_count(&cg->vregs[v]);
        struct class *cl = &c->classes[v];
        if (!is_used[v])
            continue;
        in_group[group_of(c, v)] += count;
        cl->members = cc_alloc(count * sizeof *cl->members);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t slice = c->first_slice[v] + k;
            cl->members[cl->n_members++] = (struct member){slice, k};
            c->bit_of[slice] = n;
            c->slice_of[n] = slice;
            c->vreg_of[n++] = v;
        }
    }
    c->n_bits = n;
    c->n_words = (n + 63) / 64;
    c->is_thread = cc_alloc(c->n_words * sizeof *c->is_thread);
    c->group_bits = cc_alloc(cg->n_vregs * sizeof *c->group_bits);
    for (uint32_t b = 1; b < n; b++) {
        uint32_t g = group_of(c, c->vreg_of[b]);
        if (!c->group_bits[g])
            c->group_bits[g] = cc_alloc((in_group[g] + 1) * sizeof **c->group_bits);
        c->group_bits[g][++c->group_bits[g][0]] = b;
        if (c->kind[c->vreg_of[b]] == KIND_THREAD)
            c->is_thread[b / 64] |= 1ull << b % 64;
    }
}

/* ---- blocks ---- */

static bool is_flow(const struct mi *m)
{
    return m->kind == MI_DO || (m->kind == MI_CTRL && eu_op_info(m->e.op)->branch);
}

/* An open if or loop, and what is to be led to its end. */
struct open {
    uint32_t block; /* that ends with the if; the loop's first */
    uint32_t else_block;
    bool is_loop;
    uint32_t breaks; /* of a loop: the last block that ends with one */
};

static void add_succ(uint32_t *succ, unsigned n, uint32_t block)
{
    for (unsigned k = 0; k < n; k++) {
        if (succ[k] == block)
            return;
        if (succ[k] == NO_BLOCK) {
            succ[k] = block;
            return;
        }
    }
}

static void lead(struct block *b, uint32_t to, bool lanes)
{
    add_succ(b->thread_succ, 3, to);
    if (lanes)
        add_succ(b->lane_succ, 2, to);
}

/* Blocks end with a flow instruction. Halted lanes go on behind the last halt. */
static void find_blocks(struct coalesce *c)
{
    struct cg *cg = c->cg;
    uint32_t n = 1, depth = 0, exit = NO_BLOCK;
    for (uint32_t i = 0; i < cg->n_code; i++)
        n += is_flow(cg->code[i]);
    c->blocks = cc_alloc((n + 1) * sizeof *c->blocks);
    struct open *open = cc_alloc((n + 1) * sizeof *open);
    uint32_t *before = cc_alloc((n + 1) * sizeof *before), at; /* of a loop's breaks */
    for (uint32_t b = 0, lo = 0; b < n; b++) {
        struct block *k = &c->blocks[b];
        *k = (struct block){.lo = lo,
                            .hi = lo,
                            .lane_succ = {NO_BLOCK, NO_BLOCK},
                            .thread_succ = {NO_BLOCK, NO_BLOCK, NO_BLOCK}};
        while (k->hi < cg->n_code && !is_flow(cg->code[k->hi]))
            k->hi++;
        if (k->hi < cg->n_code && cg->code[k->hi]->is_exit)
            exit = b + 1;
        k->hi += k->hi < cg->n_code;
        lo = k->hi;
    }
    c->n_blocks = n;
    for (uint32_t b = 0; b + 1 < n; b++) {
        struct block *k = &c->blocks[b], *start;
        const struct mi *m = cg->code[k->hi - 1];
        if (m->kind == MI_DO) {
            lead(k, b + 1, true);
            open[depth++] = (struct open){b + 1, NO_BLOCK, true, NO_BLOCK};
            continue;
        }
        switch ((enum eu_opcode)m->e.op) {
        case EU_OP_if:
            lead(k, b + 1, true);
            open[depth++] = (struct open){b, NO_BLOCK, false, NO_BLOCK};
            break;
        case EU_OP_else:
            open[depth - 1].else_block = b;
            lead(&c->blocks[open[depth - 1].block], b + 1, true);
            lead(k, b + 1, false); /* and to the endif, when that is found */
            break;
        case EU_OP_endif:
            depth--;
            start = &c->blocks[open[depth].else_block == NO_BLOCK ? open[depth].block
                                                                  : open[depth].else_block];
            lead(start, b + 1, true);
            lead(k, b + 1, true);
            break;
        case EU_OP_while:
            depth--;
            lead(k, open[depth].block, true);
            lead(k, b + 1, m->e.pred);
            for (uint32_t x = open[depth].breaks; x != NO_BLOCK; x = before[x])
                lead(&c->blocks[x], b + 1, true);
            break;
        case EU_OP_break:
            lead(k, b + 1, m->e.pred);
            at = depth;
            while (!open[--at].is_loop)
                ;
            before[b] = open[at].breaks;
            open[at].breaks = b;
            break;
        default: /* halt */
            lead(k, b + 1, m->is_exit);
            if (!m->is_exit && exit != NO_BLOCK)
                lead(k, exit, true);
            break;
        }
    }
}

/* ---- liveness ---- */

static bool has_bit(const uint64_t *set, uint32_t b)
{
    return set[b / 64] >> b % 64 & 1;
}

/* Whether the instruction overwrites all of slice k of its destination, in its lanes. */
static bool kills(const struct coalesce *c, const struct mi *m, uint32_t k)
{
    uint32_t lo, hi, size = c->cg->vregs[m->v[0]].size - k * EU_GRF_SIZE;
    mi_span(m, 0, &lo, &hi);
    if (size > EU_GRF_SIZE)
        size = EU_GRF_SIZE;
    bool whole = lo <= k * EU_GRF_SIZE && hi >= k * EU_GRF_SIZE + size;
    if (m->kind == MI_SEND)
        return whole && !m->e.pred;
    return whole && m->e.dst.hs == 1 && (!m->e.pred || m->e.op == EU_OP_sel);
}

/* First and last slice of operand k, as bits; false: not in the sets. */
static bool bits_of(const struct coalesce *c, const struct mi *m, unsigned k, uint32_t *first,
                    uint32_t *last)
{
    uint32_t lo, hi;
    if (!m->v[k] || !c->classes[m->v[k]].n_members)
        return false;
    mi_span(m, k, &lo, &hi);
    if (hi <= lo)
        return false;
    *first = c->bit_of[c->first_slice[m->v[k]] + lo / EU_GRF_SIZE];
    *last = c->bit_of[c->first_slice[m->v[k]] + (hi - 1) / EU_GRF_SIZE];
    return true;
}

static void uses(const struct coalesce *c, const struct mi *m, uint64_t *live)
{
    uint32_t lo, hi;
    for (unsigned k = 1; k <= m->n_src; k++) {
        for (bool any = bits_of(c, m, k, &lo, &hi); any && lo <= hi; lo++)
            live[lo / 64] |= 1ull << lo % 64;
    }
}

static void scan_blocks(struct coalesce *c)
{
    for (uint32_t b = 0; b < c->n_blocks; b++) {
        struct block *k = &c->blocks[b];
        uint32_t lo, hi;
        k->in = cc_alloc(c->n_words * sizeof *k->in);
        k->use = cc_alloc(c->n_words * sizeof *k->use);
        k->kill = cc_alloc(c->n_words * sizeof *k->kill);
        k->has = cc_alloc(c->n_words * sizeof *k->has);
        k->made = cc_alloc(c->n_words * sizeof *k->made);
        k->lost = cc_alloc(c->n_words * sizeof *k->lost);
        for (uint32_t i = k->hi; i-- > k->lo;) {
            const struct mi *m = c->cg->code[i];
            uint32_t first;
            for (bool any = bits_of(c, m, 0, &lo, &hi); any && lo <= hi; lo++) {
                uint64_t bit = 1ull << lo % 64;
                first = c->bit_of[c->first_slice[m->v[0]]];
                if (!m->is_undefined)
                    k->made[lo / 64] |= bit;
                if (!kills(c, m, lo - first))
                    continue;
                if (m->is_undefined)
                    k->lost[lo / 64] |= bit;
                k->kill[lo / 64] |= bit;
                k->use[lo / 64] &= ~bit;
            }
            uses(c, m, k->use);
        }
    }
}

enum { N_WAYS = 5 };

/* Way number s on from block b, NULL if there is none; *lanes: the lanes' or the thread's. */
static struct block *way(const struct coalesce *c, const struct block *b, unsigned s, bool *lanes)
{
    *lanes = s < 2;
    uint32_t to = *lanes ? b->lane_succ[s] : b->thread_succ[s - 2];
    return to == NO_BLOCK ? NULL : &c->blocks[to];
}

/* What is live behind block b, by its ways on. */
static void live_out(const struct coalesce *c, const struct block *b, uint64_t *out)
{
    memset(out, 0, c->n_words * sizeof *out);
    for (unsigned s = 0; s < N_WAYS; s++) {
        bool lanes;
        const struct block *to = way(c, b, s, &lanes);
        for (uint32_t w = 0; to && w < c->n_words; w++)
            out[w] |= to->in[w] & (lanes ? ~c->is_thread[w] : c->is_thread[w]);
    }
}

static void find_live(struct coalesce *c)
{
    uint64_t *out = cc_alloc(c->n_words * sizeof *out);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = c->n_blocks; b-- > 0;) {
            struct block *k = &c->blocks[b];
            live_out(c, k, out);
            for (uint32_t w = 0; w < c->n_words; w++) {
                uint64_t in = (out[w] & ~k->kill[w]) | k->use[w];
                changed |= in != k->in[w];
                k->in[w] = in;
            }
        }
    }
}

/* Which slices may have a value where. */
static void find_values(struct coalesce *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < c->n_blocks; b++) {
            const struct block *k = &c->blocks[b];
            for (unsigned s = 0; s < N_WAYS; s++) {
                bool lanes;
                struct block *to = way(c, k, s, &lanes);
                for (uint32_t w = 0; to && w < c->n_words; w++) {
                    uint64_t out = (k->has[w] & ~k->lost[w]) | k->made[w];
                    uint64_t has =
                        to->has[w] | (out & (lanes ? ~c->is_thread[w] : c->is_thread[w]));
                    changed |= has != to->has[w];
                    to->has[w] = has;
                }
            }
        }
    }
}

/* ---- interference ---- */

static uint64_t pair_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static uint32_t pair_slot(const struct coalesce *c, uint64_t pair)
{
    uint32_t at = (uint32_t)((pair * 0x9e3779b97f4a7c15u) >> 32) & (c->cap_pairs - 1);
    while (c->pairs[at] && c->pairs[at] != pair)
        at = (at + 1) & (c->cap_pairs - 1);
    return at;
}

static void pair_add(struct coalesce *c, uint32_t a, uint32_t b)
{
    if (2 * c->n_pairs >= c->cap_pairs) {
        uint64_t *old = c->pairs;
        uint32_t n = c->cap_pairs;
        c->cap_pairs = n ? 2 * n : 1024;
        c->pairs = cc_alloc(c->cap_pairs * sizeof *c->pairs);
        for (uint32_t k = 0; k < n; k++) {
            if (old[k])
                c->pairs[pair_slot(c, old[k])] = old[k];
        }
    }
    uint64_t pair = pair_of(a, b);
    uint32_t at = pair_slot(c, pair);
    c->n_pairs += !c->pairs[at];
    c->pairs[at] = pair;
}

/* Whether source k is read where and when the destination is written, register by register. */
static bool reads_in_step(const struct mi *m, unsigned k)
{
    const struct eu_operand *d = &m->e.dst, *s = &m->e.src[k - 1];
    unsigned step = d->hs * eu_type_size(d->type);
    if (m->kind != MI_ALU || m->e.exec_size * step <= EU_GRF_SIZE)
        return true;
    return s->hs && s->vs == s->width * s->hs && s->hs * eu_type_size(s->type) == step;
}

/* Destination slice d of m keeps off what lives behind m. */
static void define(struct coalesce *c, const struct block *b, const struct mi *m, uint32_t d,
                   const uint64_t *live)
{
    uint32_t lo, hi, from = 0;
    bool is_move = is_copy(c, m);
    if (is_move) { /* but the slice that is copied to it: they are the same */
        bits_of(c, m, 0, &lo, &hi);
        uint32_t nth = d - lo;
        bits_of(c, m, 1, &lo, &hi);
        from = lo + nth;
    }
    const uint32_t *bits = c->group_bits[group_of(c, m->v[0])];
    for (uint32_t k = 1; k <= bits[0]; k++) {
        uint32_t other = bits[k];
        if (other != d && other != from && has_bit(live, other) &&
            (has_bit(b->has, other) || has_bit(b->made, other)))
            pair_add(c, d, other);
    }
    for (unsigned k = 1; k <= m->n_src; k++) {
        if (reads_in_step(m, k))
            continue;
        for (bool any = bits_of(c, m, k, &lo, &hi); any && lo <= hi; lo++) {
            if (lo != d)
                pair_add(c, d, lo);
        }
    }
}

static void find_pairs(struct coalesce *c)
{
    uint64_t *live = cc_alloc(c->n_words * sizeof *live);
    for (uint32_t b = 0; b < c->n_blocks; b++) {
        live_out(c, &c->blocks[b], live);
        for (uint32_t i = c->blocks[b].hi; i-- > c->blocks[b].lo;) {
            const struct mi *m = c->cg->code[i];
            uint32_t lo, hi, first;
            if (bits_of(c, m, 0, &first, &hi) && !m->is_undefined) {
                for (uint32_t d = first; d <= hi; d++)
                    define(c, &c->blocks[b], m, d, live);
            }
            if (bits_of(c, m, 0, &lo, &hi)) {
                first = c->bit_of[c->first_slice[m->v[0]]];
                for (; lo <= hi; lo++) {
                    if (kills(c, m, lo - first))
                        live[lo / 64] &= ~(1ull << lo % 64);
                }
            }
            uses(c, m, live);
        }
    }
}

/* ---- joining ---- */

static uint32_t place_of(const struct coalesce *c, uint32_t v, uint32_t *off)
{
    *off += c->classes[v].off;
    return c->classes[v].root;
}

/* Whether small, at byte `at` of big, keeps to what both ask of their registers. */
static bool can_lie(const struct vreg *big, const struct vreg *small, uint32_t at)
{
    if (big->no_spill != small->no_spill || big->first != small->first || big->last != small->last)
        return false;
    if (small->align == 0 || big->align == 0 || big->size < EU_GRF_SIZE)
        return big->size == small->size && big->align == small->align;
    if (at % EU_GRF_SIZE || at + small->size > big->size)
        return false;
    return small->align == 1 || (big->align % small->align == 0 &&
                                 (big->phase + at / EU_GRF_SIZE) % small->align == small->phase);
}

static bool interfere(const struct coalesce *c, const struct class *big, const struct class *small,
                      uint32_t at)
{
    if ((uint64_t)big->n_members * small->n_members > MAX_PAIRS)
        return true;
    for (uint32_t a = 0; a < big->n_members; a++) {
        for (uint32_t b = 0; b < small->n_members; b++) {
            const struct member *x = &big->members[a], *y = &small->members[b];
            const struct lanes *lx = &c->lanes[x->slice], *ly = &c->lanes[y->slice];
            if (x->at != y->at + at)
                continue;
            if (lx->step && ly->step && (lx->first != ly->first || lx->step != ly->step))
                return true;
            uint64_t pair = pair_of(c->bit_of[x->slice], c->bit_of[y->slice]);
            if (c->cap_pairs && c->pairs[pair_slot(c, pair)])
                return true;
        }
    }
    return false;
}

static void join(struct coalesce *c, uint32_t big, uint32_t small, uint32_t at)
{
    struct class *x = &c->classes[big], *y = &c->classes[small];
    size_t size = sizeof *x->members;
    x->members = cc_grow(x->members, x->n_members * size, (x->n_members + y->n_members) * size);
    for (uint32_t k = 0; k < y->n_members; k++) {
        struct member m = y->members[k];
        m.at += at / EU_GRF_SIZE;
        x->members[x->n_members++] = m;
    }
    for (uint32_t k = 0; k < y->n_members; k++) {
        uint32_t v = c->vreg_of[c->bit_of[y->members[k].slice]];
        if (c->classes[v].root == small) {
            c->classes[v].root = big;
            c->classes[v].off += at;
        }
    }
    y->n_members = 0;
}

/* A register of several values can take in one that is copied out of it, but not one that is copied
 * to it: that one's room would be kept from where the first of them is made. */
static bool try_join(struct coalesce *c, const struct mi *m)
{
    uint32_t d_off = m->off[0], s_off = m->off[1];
    uint32_t d = place_of(c, m->v[0], &d_off), s = place_of(c, m->v[1], &s_off);
    const struct vreg *dv = &c->cg->vregs[d], *sv = &c->cg->vregs[s];
    if (d == s || dv->size > sv->size || s_off < d_off)
        return false;
    uint32_t at = s_off - d_off;
    if (!can_lie(sv, dv, at) || interfere(c, &c->classes[s], &c->classes[d], at / EU_GRF_SIZE))
        return false;
    join(c, s, d, at);
    return true;
}

static int deepest_first(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void rewrite(struct coalesce *c)
{
    struct cg *cg = c->cg;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        struct mi *m = cg->code[i];
        bool is_move = is_copy(c, m);
        for (unsigned k = 0; k <= m->n_src; k++) {
            if (m->v[k])
                m->v[k] = place_of(c, m->v[k], &m->off[k]);
        }
        if (m->place_of)
            m->place_of = place_of(c, m->place_of, &m->place_off);
        if (!is_move || m->v[0] != m->v[1] || m->off[0] != m->off[1])
            cg->code[kept++] = m;
    }
    cg->n_code = kept;
}

void coalesce_run(struct cg *cg)
{
    struct coalesce *c = cc_alloc(sizeof *c);
    c->cg = cg;
    find_kinds(c);
    find_copies(c);
    if (!c->n_copies)
        return;
    number_bits(c);
    find_blocks(c);
    if ((uint64_t)c->n_blocks * c->n_words > MAX_WORDS)
        return;
    scan_blocks(c);
    find_live(c);
    find_values(c);
    find_pairs(c);
    qsort(c->copies, c->n_copies, sizeof *c->copies, deepest_first);
    bool any = false;
    for (uint32_t k = 0; k < c->n_copies; k++)
        any |= try_join(c, cg->code[c->copies[k].at]);
    if (any)
        rewrite(c);
}
