/* The observers' common part: what is asked of them at each step, and the kernels of a device. */
#include "observe.h"
#include "msg.h"

#include <stdlib.h>
#include <string.h>

/* ---- a device's ---- */

struct watch *watch_new(const struct gen_device *dev, const struct sim_options *opt)
{
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->dev = dev;
    w->opt = *opt;
    w->kernels_end = &w->kernels;
    timeline_init(&w->timeline);
    w->symbols = symbols_new(opt->symbols_dir);
    if (!w->symbols) {
        watch_free(w);
        return NULL;
    }
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    for (struct sim_kernel *k = w->kernels, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    timeline_fini(&w->timeline);
    symbols_free(w->symbols);
    free(w);
}

static void name_kernel(struct sim_kernel *k)
{
    if (k->symbol)
        snprintf(k->name, sizeof k->name, "%s", k->symbol->name);
    else
        snprintf(k->name, sizeof k->name, "kernel at 0x%llx, hash %016llx",
                 (unsigned long long)k->at, (unsigned long long)k->hash);
}

/* The kernel that a dispatch runs. The code where a kernel was last is that kernel while it has its
 * hash; else the code's end must be found. */
static struct sim_kernel *find_kernel(struct watch *w, const struct sim_dispatch *d)
{
    uint64_t hash;
    struct sim_kernel *k;
    for (k = w->kernels; k; k = k->next) {
        if (k->at == d->kernel && symbols_hash(d->vm, d->kernel, k->size, &hash) && hash == k->hash)
            break;
    }
    if (!k) {
        uint32_t size = symbols_extent(d, w->dev->gen);
        if (!symbols_hash(d->vm, d->kernel, size, &hash))
            hash = 0;
        for (k = w->kernels; k && (k->hash != hash || k->size != size);)
            k = k->next;
        if (!k) {
            k = calloc(1, sizeof *k);
            if (!k)
                return NULL;
            k->hash = hash;
            k->size = size;
            k->at = d->kernel;
            name_kernel(k);
            *w->kernels_end = k;
            w->kernels_end = &k->next;
        }
        k->at = d->kernel;
    }
    if (!k->symbol && (k->symbol = symbols_find(w->symbols, d->vm, d->kernel, &k->symbols_tried)))
        name_kernel(k);
    return k;
}

bool watch_begin(struct watch *w, struct sim_dispatch *d)
{
    d->observed = find_kernel(w, d);
    if (w->opt.check && !d->race)
        d->race = race_new(false);
    if (d->race)
        race_dispatch(d->race);
    if (d->observed && (d->race || !w->opt.check))
        return true;
    sim_fault(d->fault, "the simulator is out of memory for its observers");
    return false;
}

void watch_end(struct watch *w, struct sim_dispatch *d, struct observer *const *o, unsigned n,
               uint64_t host_ns)
{
    struct sim_kernel *k = d->observed;
    struct stats sum = {0};
    struct stats_count all;
    for (unsigned i = 0; i < n; i++)
        stats_add(&sum, &o[i]->stats);
    race_end(d->race);
    d->race = NULL;
    if (!w->opt.stats || !k)
        return;
    struct estimate e = stats_estimate(w->dev, &sum);
    stats_total(&sum, &all);
    stats_add(&k->stats, &sum);
    k->n_dispatches++;
    k->n_groups += (uint64_t)(d->group_end[0] - d->group_start[0]) *
                   (d->group_end[1] - d->group_start[1]) * (d->group_end[2] - d->group_start[2]);
    k->simd = d->simd > k->simd ? d->simd : k->simd;
    k->host_ns += host_ns;
    for (unsigned i = 0; i < N_LIMITS; i++)
        k->clocks[i] += e.clocks[i];
    k->estimate += e.clocks[e.limit];
    k->limited_by[e.limit]++;
    uint64_t now = sim_gpu_ns(d->gpu);
    timeline_dispatch(&w->timeline, (struct timeline_dispatch){.kernel = k,
                                                               .start = now - host_ns,
                                                               .end = now,
                                                               .threads = sum.threads,
                                                               .insns = all.insns,
                                                               .estimate = e});
}

/* ---- a host thread's ---- */

bool observer_begin(struct observer *o, struct watch *w, unsigned n_slots)
{
    o->watch = w;
    o->on = w != NULL;
    if (!w)
        return true;
    memset(&o->stats, 0, sizeof o->stats);
    if (o->n_slots < n_slots) {
        observer_fini(o);
        o->n_slots = n_slots;
    }
    if (w->opt.stats && !o->chain && !(o->chain = calloc(o->n_slots, sizeof *o->chain)))
        return false;
    if (w->opt.check && !o->unset && !(o->unset = unset_new(o->n_slots)))
        return false;
    if (w->opt.trace_insns && !o->trace && !(o->trace = trace_new()))
        return false;
    if (o->trace)
        trace_begin(o->trace);
    return true;
}

void observer_fini(struct observer *o)
{
    free(o->chain);
    unset_free(o->unset);
    trace_free(o->trace);
    o->chain = NULL;
    o->unset = NULL;
    o->trace = NULL;
}

void observe_group(struct observer *o, struct sim_group *g)
{
    if (o->unset)
        unset_group(o->unset);
    g->barrier_insn = 0;
}

void observe_start(struct observer *o, struct eu_thread *t, unsigned n_regs)
{
    t->observer = o;
    o->stats.threads++;
    o->stats.work_items += (unsigned)__builtin_popcount(t->dispatch_mask);
    if (o->chain)
        memset(&o->chain[t - t->group->threads], 0, sizeof *o->chain);
    if (o->unset)
        unset_start(o->unset, t, n_regs);
}

uint32_t observe_lanes(const struct eu_thread *t, const struct eu_op *op)
{
    bool operand = op->insn.op == EU_OP_sel || eu_op_info(op->insn.op)->branch;
    return operand ? eu_exec_mask(t, op) : eu_write_mask(t, op);
}

/* A wait that has nothing to go on with stops the thread and is executed again later: the hardware
 * issues it once. And an instruction that only faults isn't one. */
static bool is_quiet(const struct eu_thread *t, const struct eu_op *op)
{
    return op->why || (op->insn.op == EU_OP_wait && !t->n0[op->insn.src[0].sub / 4 % 3]);
}

void observe_before(struct eu_thread *t, const struct eu_op *op)
{
    struct observer *o = t->observer;
    t->op = op;
    o->quiet = is_quiet(t, op);
    if (o->quiet)
        return;
    o->lanes = observe_lanes(t, op);
    if (o->chain)
        stats_before(o, t, op, o->lanes);
    if (o->unset)
        unset_before(o->unset, t, op);
    if (o->trace && trace_wanted(o->watch, t))
        trace_before(o, t, op, o->lanes);
}

void observe_after(struct eu_thread *t, const struct eu_op *op)
{
    struct observer *o = t->observer;
    if (o->quiet)
        return;
    if (o->unset)
        unset_after(o->unset, t, op, o->lanes);
    if (o->trace && trace_wanted(o->watch, t))
        trace_after(o, t, op, o->lanes);
}

void observe_message(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                     const uint8_t *payload)
{
    struct observer *o = t->observer;
    struct reach r;
    bool known = (o->chain || o->unset) && reach_find(&r, t, m, exdesc, lanes, payload);
    if (o->chain)
        stats_message(o, t, m, lanes, known ? &r : NULL);
    if (o->unset)
        unset_message(o->unset, t, m, known ? &r : NULL, payload);
    if (known && o->watch->opt.check) {
        check_bounds(t, &r);
        race_message(t, &r);
    }
}

void observe_page_fault(struct eu_thread *t, gpu_addr at, unsigned size, bool write, int lane)
{
    const struct observer *o = t->observer;
    char where[160];
    if (o->watch->opt.check)
        check_report(t, CHECK_BOUNDS, t->op->addr, lane, "%s of %u bytes at %s: page fault",
                     write ? "write" : "read", size,
                     vm_describe(t->d->vm, at, where, sizeof where));
}

/* ---- barriers ---- */

void observe_barrier(struct eu_thread *t)
{
    const struct observer *o = t->observer;
    struct sim_group *g = t->group;
    gpu_addr insn = t->op ? t->op->addr : t->d->kernel + t->ip;
    char line[512];
    if (!o->watch->opt.check)
        return;
    if (t->active != t->dispatch_mask)
        check_report(t, CHECK_BARRIER, insn, -1,
                     "work-items 0x%x of the thread are at this barrier, 0x%x are elsewhere",
                     t->active, t->dispatch_mask & ~t->active);
    if (g->n_ended)
        check_report(t, CHECK_BARRIER, insn, -1,
                     "%u of the group's %u threads have ended without reaching this barrier",
                     g->n_ended, g->n_threads);
    if (!g->n_arrived)
        g->barrier_insn = insn;
    else if (g->barrier_insn != insn)
        check_report(t, CHECK_BARRIER, insn, -1,
                     "others of the group are at another barrier, +0x%x%s",
                     (unsigned)(g->barrier_insn - t->d->kernel),
                     check_line(t->d, g->barrier_insn, line, sizeof line));
}

void observe_deadlock(const struct sim_group *g)
{
    for (unsigned i = 0; i < g->n_slots && g->n_arrived; i++) {
        const struct eu_thread *t = &g->threads[i];
        if (t->ended || !t->observer)
            continue;
        const struct observer *o = t->observer;
        if (o->watch->opt.check)
            check_report(t, CHECK_BARRIER, g->barrier_insn, -1,
                         "the barrier never ends: %u of the group's %u threads reached it, %u "
                         "have ended without",
                         g->n_arrived, g->n_threads, g->n_ended);
        return;
    }
}
