/* The EU's decode cache and main loop.
 *
 * Code is decoded once per context and address, by following it: from an instruction to the next
 * and to its branch targets, until an end of thread. All that is reachable is linked before the
 * first instruction runs, so the loop never looks an address up. What can't be decoded or breaks a
 * rule becomes an instruction that faults when it is executed, and not before: data behind a jump
 * is none of our business. The lock is taken for lookups and decoding only; running threads hold
 * pointers into the cache, which is dropped between dispatches. */
#include "eu_exec.h"
#include "observe.h"
#include "sabotage.h"

#include <immintrin.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BITS = 12, PAGE_SLOTS = 1 << (PAGE_BITS - 3), N_BUCKETS = 1024, ARENA_OPS = 64 };

/* A 4 KiB page of code: one slot for each place an instruction can start at. */
struct page {
    struct page *next; /* in the bucket */
    uint64_t key;
    struct eu_op *op[PAGE_SLOTS];   /* borrowed: of the arena */
    uint8_t target[PAGE_SLOTS / 8]; /* a branch leads here */
};

struct arena {
    struct arena *next;
    unsigned used;
    struct eu_op ops[ARENA_OPS];
};

struct eu_cache {
    int gen;
    uint32_t quirks;
    enum eu_mode mode;
    pthread_mutex_t lock;
    struct page *bucket[N_BUCKETS]; /* owned */
    struct arena *arena;            /* owned */
    struct eu_op **todo;            /* owned; to be decoded */
    size_t n_todo, todo_size;
};

struct eu_cache *eu_cache_new(int gen, uint32_t quirks)
{
    struct eu_cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->gen = gen;
    c->quirks = quirks;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void eu_cache_set_mode(struct eu_cache *c, enum eu_mode mode)
{
    c->mode = mode;
}

void eu_cache_drop(struct eu_cache *c)
{
    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < N_BUCKETS; i++) {
        for (struct page *p = c->bucket[i], *next; p; p = next) {
            next = p->next;
            free(p);
        }
        c->bucket[i] = NULL;
    }
    for (struct arena *a = c->arena, *next; a; a = next) {
        next = a->next;
        free(a);
    }
    c->arena = NULL;
    pthread_mutex_unlock(&c->lock);
}

void eu_cache_free(struct eu_cache *c)
{
    if (!c)
        return;
    eu_cache_drop(c);
    pthread_mutex_destroy(&c->lock);
    free(c->todo);
    free(c);
}

int eu_cache_gen(const struct eu_cache *c)
{
    return c->gen;
}

uint32_t eu_cache_quirks(const struct eu_cache *c)
{
    return c->quirks;
}

/* ---- faults and stops ---- */

void eu_fault(struct eu_thread *t, const char *fmt, ...)
{
    char what[512], insn[256] = "?", name[200], line[300];
    const struct eu_op *op = t->op;
    uint32_t offset = t->ip;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (op) {
        offset = (uint32_t)(op->addr - t->d->kernel);
        eu_print(t->d->icache->gen, &op->insn, insn, sizeof insn);
    }
    static const uint32_t none[3];
    const uint32_t *id = t->group ? t->group->id : none;
    if (t->d->observed)
        snprintf(name, sizeof name, "%s", t->d->observed->name);
    else
        snprintf(name, sizeof name, "kernel at 0x%llx", (unsigned long long)t->d->kernel);
    sim_fault(t->d->fault, "%s, instruction at +0x%x%s \"%s\", group (%u, %u, %u) thread %u: %s",
              name, offset, check_line(t->d, t->d->kernel + offset, line, sizeof line), insn, id[0],
              id[1], id[2], t->number, what);
}

const struct eu_op *eu_stop_at(struct eu_thread *t, const struct eu_op *op, enum eu_stop why)
{
    t->op = op;
    t->stop = (uint8_t)why;
    return NULL;
}

const struct eu_op *eu_stop_fault(struct eu_thread *t)
{
    t->stop = EU_STOP_FAULT;
    return NULL;
}

/* An instruction that could not be decoded or breaks a rule. */
static const struct eu_op *run_bad(struct eu_thread *t, const struct eu_op *op)
{
    t->op = op;
    eu_fault(t, "%s", op->why);
    return eu_stop_fault(t);
}

/* ---- comparing the two paths ---- */

static bool same_state(const struct eu_thread *a, const struct eu_thread *b)
{
    return !memcmp(a->grf, b->grf, EU_N_GRF * EU_GRF_SIZE) && !memcmp(a->f, b->f, sizeof a->f) &&
           !memcmp(a->a0, b->a0, sizeof a->a0) && !memcmp(a->acc_lo, b->acc_lo, sizeof a->acc_lo) &&
           !memcmp(a->acc_hi, b->acc_hi, sizeof a->acc_hi) &&
           !memcmp(a->acc_f, b->acc_f, sizeof a->acc_f);
}

static unsigned first_difference(const struct eu_thread *a, const struct eu_thread *b)
{
    unsigned i = 0;
    while (i < EU_N_GRF * EU_GRF_SIZE && a->grf[i] == b->grf[i])
        i++;
    return i;
}

static const struct eu_op *run_both(struct eu_thread *t, const struct eu_op *op)
{
    struct eu_thread reference = *t;
    const struct eu_op *next = op->general(&reference, op);
    t->op = op;
    if (op->fast(t, op) != next) {
        eu_fault(t, "the fast path goes elsewhere than the general one");
        return eu_stop_fault(t);
    }
    if (!same_state(t, &reference)) {
        unsigned at = first_difference(t, &reference);
        uint32_t got = 0, want = 0;
        memcpy(&got, t->grf + (at & ~3u), at < EU_N_GRF * EU_GRF_SIZE ? 4 : 0);
        memcpy(&want, reference.grf + (at & ~3u), at < EU_N_GRF * EU_GRF_SIZE ? 4 : 0);
        eu_fault(
            t,
            "fast path differs from the general one at r%u.%u (0x%08x, not 0x%08x), f0 0x%x 0x%x",
            at / EU_GRF_SIZE, at % EU_GRF_SIZE, got, want, t->f[0], reference.f[0]);
        return eu_stop_fault(t);
    }
    return next;
}

/* ---- decoding ---- */

static struct page *page_of(struct eu_cache *c, gpu_addr addr, bool make)
{
    uint64_t key = addr >> PAGE_BITS;
    struct page **bucket = &c->bucket[key % N_BUCKETS];
    struct page *p = *bucket;
    while (p && p->key != key)
        p = p->next;
    if (!p && make && (p = calloc(1, sizeof *p))) {
        p->key = key;
        p->next = *bucket;
        *bucket = p;
    }
    return p;
}

static struct eu_op *new_op(struct eu_cache *c)
{
    if (!c->arena || c->arena->used == ARENA_OPS) {
        struct arena *a = NULL;
        if (posix_memalign((void **)&a, _Alignof(struct arena), sizeof *a))
            return NULL;
        memset(a, 0, sizeof *a);
        a->next = c->arena;
        c->arena = a;
    }
    return &c->arena->ops[c->arena->used++];
}

static bool remember(struct eu_cache *c, struct eu_op *op)
{
    if (c->n_todo == c->todo_size) {
        size_t size = c->todo_size ? 2 * c->todo_size : 256;
        struct eu_op **todo = realloc(c->todo, size * sizeof *todo);
        if (!todo)
            return false;
        c->todo = todo;
        c->todo_size = size;
    }
    c->todo[c->n_todo++] = op;
    return true;
}

/* The op at an address; if new, still to be decoded. NULL: out of memory. */
static struct eu_op *op_at(struct eu_cache *c, gpu_addr addr, bool target)
{
    struct page *p = page_of(c, addr, true);
    if (!p)
        return NULL;
    unsigned slot = addr >> 3 & (PAGE_SLOTS - 1);
    struct eu_op *op = p->op[slot];
    if (target)
        p->target[slot / 8] |= (uint8_t)(1 << slot % 8);
    if (!op || op->addr != addr) { /* a misaligned address shares a slot, and is never kept */
        bool keep = !op && addr % EU_COMPACT_SIZE == 0;
        op = new_op(c);
        if (!op || !remember(c, op))
            return NULL;
        op->addr = addr;
        op->next = op;
        if (keep)
            p->op[slot] = op;
    }
    if (p->target[slot / 8] >> slot % 8 & 1)
        __atomic_store_n(&op->target, 1, __ATOMIC_RELAXED);
    return op;
}

static void make_bad(struct eu_op *op, const char *why)
{
    op->why = why;
    op->run = op->general = run_bad;
    op->fast = NULL;
}

unsigned eu_read_code(const struct sim_dispatch *d, gpu_addr addr, uint8_t bytes[EU_INSN_SIZE])
{
    uint64_t room = EU_INSN_SIZE;
    gpu_addr bad;
    if (d->instruction_size) {
        gpu_addr end = d->instruction_base + d->instruction_size;
        if (addr < d->instruction_base || addr >= end)
            return 0;
        if (end - addr < room)
            room = end - addr;
    }
    if (room == EU_INSN_SIZE && vm_read(d->vm, addr, bytes, EU_INSN_SIZE, &bad))
        return EU_INSN_SIZE;
    return room >= EU_COMPACT_SIZE && vm_read(d->vm, addr, bytes, EU_COMPACT_SIZE, &bad)
               ? EU_COMPACT_SIZE
               : 0;
}

/* Does control never reach the following instruction? */
static bool ends_here(const struct eu_insn *in)
{
    return in->eot || (in->op == EU_OP_jmpi && !in->pred) || in->op == EU_OP_illegal;
}

/* Which of JIP, UIP the instruction has as immediates. */
static unsigned n_targets(int gen, const struct eu_insn *in)
{
    switch ((enum eu_opcode)in->op) {
    case EU_OP_jmpi:
    case EU_OP_call:
        return in->src[1].file != EU_GRF;
    case EU_OP_brd:
        return in->src[0].file != EU_GRF;
    case EU_OP_endif:
    case EU_OP_while:
    case EU_OP_join:
        return 1;
    case EU_OP_else:
        return gen >= 80 ? 2 : 1;
    case EU_OP_if:
    case EU_OP_break:
    case EU_OP_cont:
    case EU_OP_halt:
    case EU_OP_goto:
    case EU_OP_brc:
        return 2;
    default:
        return 0;
    }
}

/* Follow-on instructions of a decoded one. False: out of memory. */
static bool link_op(struct eu_cache *c, struct eu_op *op)
{
    const struct eu_insn *in = &op->insn;
    unsigned n = n_targets(c->gen, in);
    bool branch = eu_op_info(in->op)->branch;
    if (!ends_here(in) && !(op->next = op_at(c, op->addr + op->size, branch)))
        return false;
    if (n > 0 && !(op->jip = op_at(c, op->addr + (gpu_addr)(int64_t)in->jip, true)))
        return false;
    if (n > 1 && !(op->uip = op_at(c, op->addr + (gpu_addr)(int64_t)in->uip, true)))
        return false;
    return true;
}

static void choose_functions(struct eu_cache *c, const struct sim_dispatch *d, struct eu_op *op)
{
    const struct eu_op_info *info = eu_op_info(op->insn.op);
    op->general = eu_flow_fn(&op->insn);
    if (!op->general)
        op->general = info->is_send               ? eu_run_send
                      : op->insn.op == EU_OP_math ? eu_run_math
                                                  : eu_run_alu;
    /* The inaccuracies of the math unit are the general path's. */
    bool inexact = op->insn.op == EU_OP_math && sim_gpu_options(d->gpu)->perturb;
    if (info->branch || info->is_send || inexact || c->mode == EU_MODE_GENERAL)
        op->fast = NULL;
    else
        op->fast =
            c->mode == EU_MODE_COMPARE_BASE ? eu_fast_fn_base(c->gen, op) : eu_fast_fn(c->gen, op);
    bool both = c->mode == EU_MODE_COMPARE || c->mode == EU_MODE_COMPARE_BASE;
    op->run = !op->fast ? op->general : both ? run_both : op->fast;
    if ((op->insn.no_dd_clr || op->insn.no_dd_chk) && op->dst.file == EU_GRF) {
        op->unchained = op->run;
        op->run = eu_run_chained;
    }
}

/* Erratum of Gen8 and Gen9: after math POW or FDIV no instruction may write two registers. */
static const char *check_successor(struct eu_cache *c, const struct sim_dispatch *d,
                                   const struct eu_op *op)
{
    uint8_t bytes[EU_INSN_SIZE];
    struct eu_op next = {.addr = op->addr + op->size};
    const char *why = NULL;
    if (c->gen < 80 || op->insn.op != EU_OP_math ||
        (op->insn.fn != EU_MATH_POW && op->insn.fn != EU_MATH_FDIV))
        return NULL;
    unsigned size = eu_read_code(d, next.addr, bytes);
    if (!size || !eu_decode(c->gen, bytes, size, &next.insn, &why) ||
        eu_op_info(next.insn.op)->branch || eu_op_info(next.insn.op)->is_send ||
        eu_resolve(c->gen, c->quirks, &next) || next.dst.file != EU_GRF || next.dst.indirect)
        return NULL;
    unsigned last = next.dst.off + (next.n - 1u) * next.dst.step + next.dst.size - 1;
    return last / EU_GRF_SIZE != next.dst.off / EU_GRF_SIZE
               ? "math POW or FDIV directly before an instruction that writes two registers"
               : NULL;
}

/* Decodes one instruction into op. False: out of memory. */
static bool decode(struct eu_cache *c, const struct sim_dispatch *d, struct eu_op *op)
{
    uint8_t bytes[EU_INSN_SIZE];
    const char *why = NULL;
    if (op->addr % EU_COMPACT_SIZE) {
        make_bad(op, "instruction address is not a multiple of 8");
        return true;
    }
    unsigned size = eu_read_code(d, op->addr, bytes);
    if (!size) {
        make_bad(op, "the instruction pointer has left the mapped code (page fault)");
        return true;
    }
    op->size = (uint8_t)eu_decode(c->gen, bytes, size, &op->insn, &why);
    if (!op->size) {
        op->insn = (struct eu_insn){.op = EU_OP_illegal};
        make_bad(op, why);
        return true;
    }
    if (op->insn.op == EU_OP_illegal)
        why = "illegal instruction";
    if (!why)
        why = eu_check(c->gen, c->quirks, &op->insn);
    sabotage_insn(d, &op->insn);
    op->clear_response = sabotaged(d, SABOTAGE_unwritten_lanes);
    if (!why)
        why = eu_resolve(c->gen, c->quirks, op);
    if (!why && eu_op_info(op->insn.op)->is_send)
        why = eu_resolve_send(c->gen, op);
    if (!why)
        why = check_successor(c, d, op);
    if (!why)
        why = eu_check_chain(d, op);
    if (why) {
        make_bad(op, why);
        return true;
    }
    stats_classify(c->gen, op);
    choose_functions(c, d, op);
    return link_op(c, op);
}

const struct eu_op *eu_lookup(struct eu_thread *t, gpu_addr addr)
{
    struct eu_cache *c = t->d->icache;
    pthread_mutex_lock(&c->lock);
    c->n_todo = 0;
    struct eu_op *op = op_at(c, addr, false);
    bool ok = op != NULL;
    while (ok && c->n_todo)
        ok = decode(c, t->d, c->todo[--c->n_todo]);
    pthread_mutex_unlock(&c->lock);
    if (!ok) {
        eu_fault(t, "out of memory while decoding");
        return NULL;
    }
    return op;
}

/* ---- running ---- */

void eu_set_modes(struct eu_thread *t)
{
    /* cr0: nearest, up, down, to zero. MXCSR: nearest, down, up, to zero. */
    static const uint32_t round[4] = {0x0000, 0x4000, 0x2000, 0x6000};
    enum { FTZ = 0x8000, DAZ = 0x0040 };
    uint32_t base = EU_MXCSR_DEFAULT | round[eu_rounding(t)], denorm = eu_denorm_bits(t);
    t->mxcsr_f = denorm & CR0_F_DENORM ? base : base | FTZ | DAZ;
    t->mxcsr_df = denorm & CR0_DF_DENORM ? base : base | FTZ | DAZ;
}

static inline __attribute__((always_inline)) const struct eu_op *
run_ops(struct eu_thread *t, const struct eu_op *op, uint64_t *budget, bool observed)
{
    uint64_t left = *budget;
    while (left) {
        left--;
        if (__atomic_load_n(&op->target, __ATOMIC_RELAXED) && t->active != t->dispatch_mask)
            eu_unpark(t, op);
        if (observed)
            observe_before(t, op);
        const struct eu_op *next = op->run(t, op);
        if (observed)
            observe_after(t, op);
        if (!next) {
            op = NULL;
            break;
        }
        op = next;
    }
    *budget = left;
    return op;
}

enum eu_stop eu_run(struct eu_thread *t, uint64_t budget)
{
    const struct eu_op *op = t->op;
    uint64_t left = budget;
    if (!op && !(op = eu_lookup(t, t->d->kernel + t->ip)))
        return EU_STOP_FAULT;
    unsigned host = _mm_getcsr();
    _mm_setcsr(t->mxcsr_f);
    t->stop = EU_STOP_BUDGET;
    if (t->observer)
        op = run_ops(t, op, &left, true);
    else
        op = run_ops(t, op, &left, false);
    _mm_setcsr(host);
    if (op)
        t->op = op;
    t->n_insns += budget - left;
    t->ip = t->op ? (uint32_t)(t->op->addr - t->d->kernel) : t->ip;
    return (enum eu_stop)t->stop;
}
