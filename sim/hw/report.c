/* --stats: the report as a table and as JSON (its members: docs/gensim.1, "STATISTICS"), and where
 * it goes. */
#include "observe.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long ull;

/* ---- all kernels ---- */

static void sum_kernels(const struct watch *w, struct sim_kernel *all)
{
    *all = (struct sim_kernel){.name = "all kernels"};
    for (const struct sim_kernel *k = w->kernels; k; k = k->next) {
        stats_add(&all->stats, &k->stats);
        all->n_dispatches += k->n_dispatches;
        all->n_groups += k->n_groups;
        all->host_ns += k->host_ns;
        all->estimate += k->estimate;
        for (unsigned i = 0; i < N_LIMITS; i++) {
            all->clocks[i] += k->clocks[i];
            all->limited_by[i] += k->limited_by[i];
        }
    }
}

/* The limit that most of the estimated time is due to. */
static enum stats_limit main_limit(const struct sim_kernel *k)
{
    enum stats_limit limit = LIMIT_PIPES;
    for (unsigned i = 0; i < N_LIMITS; i++) {
        if (k->clocks[i] > k->clocks[limit])
            limit = (enum stats_limit)i;
    }
    return limit;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* ---- the table ---- */

static void table_kernel(const struct sim_kernel *k, FILE *to)
{
    const struct stats *s = &k->stats;
    struct stats_count all;
    stats_total(s, &all);
    fprintf(to, "%s\n", k->name);
    fprintf(to, "  %llu dispatches, %llu groups, %llu threads, %llu work-items",
            (ull)k->n_dispatches, (ull)k->n_groups, (ull)s->threads, (ull)s->work_items);
    if (k->simd)
        fprintf(to, ", SIMD%u", k->simd);
    fprintf(to, "; host time %.3f ms\n", (double)k->host_ns / 1e6);
    if (!all.insns)
        return;
    fprintf(to, "  %-24s %14s %8s %14s\n", "instructions", "count", "lanes", "issue clocks");
    for (unsigned i = 0; i < STAT_N; i++) {
        const struct stats_count *c = &s->insn[i];
        if (c->insns)
            fprintf(to, "  %-24s %14llu %8.2f %14llu\n", stats_class_name[i], (ull)c->insns,
                    ratio(c->lanes, c->insns), (ull)c->clocks);
    }
    fprintf(to, "  %-24s %14llu %8.2f %14llu   %.2f a work-item, %llu with no lane\n", "all",
            (ull)all.insns, ratio(all.lanes, all.insns), (ull)all.clocks,
            ratio(all.insns, s->work_items), (ull)s->zero_mask);
    fprintf(to, "  %-24s %14s %8s %14s %14s %10s\n", "messages", "count", "lanes", "register bytes",
            "memory bytes", "lines");
    for (unsigned i = 0; i < MSG_N_KINDS; i++) {
        const struct stats_msg *m = &s->msg[i];
        if (m->sends)
            fprintf(to, "  %-24s %14llu %8.2f %14llu %14llu %10.2f\n", msg_name((enum msg_kind)i),
                    (ull)m->sends, ratio(m->lanes, m->sends), (ull)m->register_bytes,
                    (ull)m->memory_bytes, ratio(m->lines, m->sends));
    }
    fprintf(to,
            "  %llu atomics, %llu barriers, %llu spills, %llu texels; local memory: %llu "
            "messages, %llu clocks lost to bank conflicts\n",
            (ull)s->atomics, (ull)s->barriers, (ull)s->scratch, (ull)s->texels, (ull)s->slm_sends,
            (ull)s->slm_conflicts);
    fprintf(to, "  model: %.2f clocks (pipes %.2f, ports %.2f, chain %.2f), limited by %s\n",
            k->estimate, k->clocks[LIMIT_PIPES], k->clocks[LIMIT_PORTS], k->clocks[LIMIT_CHAIN],
            stats_limit_name[main_limit(k)]);
}

void report_table(const struct watch *w, FILE *to)
{
    for (const struct sim_kernel *k = w->kernels; k; k = k->next)
        table_kernel(k, to);
    if (w->kernels && w->kernels->next) {
        struct sim_kernel all;
        sum_kernels(w, &all);
        table_kernel(&all, to);
    }
}

/* ---- JSON ---- */

static void json_string(const char *s, FILE *to)
{
    fputc('"', to);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < 0x20 || c == '<') /* '<': the text may stand in a page */
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

static void json_instructions(const struct stats *s, FILE *to)
{
    struct stats_count all;
    const char *comma = "";
    stats_total(s, &all);
    fprintf(to,
            "   \"instructions\": {\"count\": %llu, \"lanes\": %llu, \"zero_mask\": %llu, "
            "\"issue_clocks\": %llu, \"first_pipe_clocks\": %llu, \"fast\": %llu},\n"
            "   \"classes\": {",
            (ull)all.insns, (ull)all.lanes, (ull)s->zero_mask, (ull)all.clocks,
            (ull)s->first_clocks, (ull)s->fast);
    for (unsigned i = 0; i < STAT_N; i++) {
        const struct stats_count *c = &s->insn[i];
        if (c->insns)
            fprintf(to,
                    "%s\n    \"%s\": {\"count\": %llu, \"lanes\": %llu, \"issue_clocks\": %llu}",
                    comma, stats_class_name[i], (ull)c->insns, (ull)c->lanes, (ull)c->clocks);
        comma = c->insns ? "," : comma;
    }
    fprintf(to, "},\n");
}

static void json_messages(const struct stats *s, FILE *to)
{
    const char *comma = "";
    fprintf(to, "   \"messages\": {");
    for (unsigned i = 0; i < MSG_N_KINDS; i++) {
        const struct stats_msg *m = &s->msg[i];
        if (!m->sends)
            continue;
        fprintf(to,
                "%s\n    \"%s\": {\"count\": %llu, \"lanes\": %llu, \"register_bytes\": %llu, "
                "\"memory_bytes\": %llu, \"lines\": %llu}",
                comma, msg_name((enum msg_kind)i), (ull)m->sends, (ull)m->lanes,
                (ull)m->register_bytes, (ull)m->memory_bytes, (ull)m->lines);
        comma = ",";
    }
    fprintf(to,
            "},\n   \"lines\": %llu, \"atomics\": %llu, \"barriers\": %llu, \"spills\": %llu, "
            "\"texels\": %llu,\n   \"slm\": {\"count\": %llu, \"clocks\": %llu, \"conflicts\": "
            "%llu},\n",
            (ull)stats_lines(s), (ull)s->atomics, (ull)s->barriers, (ull)s->scratch, (ull)s->texels,
            (ull)s->slm_sends, (ull)s->slm_clocks, (ull)s->slm_conflicts);
}

static void json_kernel(const struct sim_kernel *k, FILE *to)
{
    fprintf(to, "{\"name\": ");
    json_string(k->name, to);
    fprintf(to, ",\n   \"hash\": \"%016llx\", \"code_bytes\": %u, \"simd\": %u,\n", (ull)k->hash,
            k->size, k->simd);
    fprintf(to,
            "   \"dispatches\": %llu, \"groups\": %llu, \"threads\": %llu, \"work_items\": %llu, "
            "\"host_ns\": %llu,\n",
            (ull)k->n_dispatches, (ull)k->n_groups, (ull)k->stats.threads, (ull)k->stats.work_items,
            (ull)k->host_ns);
    json_instructions(&k->stats, to);
    json_messages(&k->stats, to);
    fprintf(to, "   \"model\": {\"clocks\": %.4f, \"limit\": \"%s\"", k->estimate,
            stats_limit_name[main_limit(k)]);
    for (unsigned i = 0; i < N_LIMITS; i++)
        fprintf(to, ", \"%s\": %.4f", stats_limit_name[i], k->clocks[i]);
    fprintf(to, ",\n    \"longest_thread\": %llu, \"dispatches\": {", (ull)k->stats.chain);
    for (unsigned i = 0; i < N_LIMITS; i++)
        fprintf(to, "%s\"%s\": %llu", i ? ", " : "", stats_limit_name[i], (ull)k->limited_by[i]);
    fprintf(to, "}}}");
}

static void json_device(const struct gen_device *d, FILE *to)
{
    fprintf(to,
            " \"device\": {\"name\": \"%s\", \"pci_id\": %u, \"generation\": %d.%d, \"eus\": %u, "
            "\"threads_per_eu\": %u, \"subslices\": %u, \"l3_banks\": %u},\n",
            d->name, d->pci_id, d->gen / 10, d->gen % 10, d->eu_total, d->threads_per_eu,
            d->subslices, d->l3_banks);
}

static void json_timeline(const struct watch *w, FILE *to)
{
    const struct timeline *t = &w->timeline;
    fprintf(to, " \"batches\": [");
    for (unsigned i = 0; i < t->n_batches; i++) {
        const struct timeline_batch *b = &t->batch[i];
        fprintf(to,
                "%s\n  {\"context\": %u, \"engine\": \"%s\", \"submitted_ns\": %llu, \"start_ns\": "
                "%llu, \"end_ns\": %llu, \"failed\": %s}",
                i ? "," : "", b->context, b->engine ? "copy" : "render", (ull)b->submitted,
                (ull)b->start, (ull)b->end, b->failed ? "true" : "false");
    }
    fprintf(to, "],\n \"dispatches\": [");
    for (unsigned i = 0; i < t->n_dispatches; i++) {
        const struct timeline_dispatch *d = &t->dispatch[i];
        unsigned kernel = 0;
        for (const struct sim_kernel *k = w->kernels; k && k != d->kernel; k = k->next)
            kernel++;
        fprintf(to, "%s\n  {\"kernel\": %u, \"batch\": ", i ? "," : "", kernel);
        if (d->batch == UINT_MAX)
            fprintf(to, "null");
        else
            fprintf(to, "%u", d->batch);
        fprintf(to,
                ", \"start_ns\": %llu, \"end_ns\": %llu, \"threads\": %llu, \"instructions\": "
                "%llu, \"clocks\": %.4f, \"limit\": \"%s\"}",
                (ull)d->start, (ull)d->end, (ull)d->threads, (ull)d->insns,
                d->estimate.clocks[d->estimate.limit], stats_limit_name[d->estimate.limit]);
    }
    fprintf(to, "],\n \"records_lost\": %llu", (ull)t->n_lost);
}

void report_json(const struct watch *w, FILE *to)
{
    struct sim_kernel all;
    sum_kernels(w, &all);
    fprintf(to, "{\"schema\": \"gensim-stats-1\",\n");
    json_device(w->dev, to);
    fprintf(to, " \"kernels\": [");
    for (const struct sim_kernel *k = w->kernels; k; k = k->next) {
        fprintf(to, "%s\n  ", k == w->kernels ? "" : ",");
        json_kernel(k, to);
    }
    fprintf(to, "],\n \"total\": ");
    json_kernel(&all, to);
    fprintf(to, ",\n");
    json_timeline(w, to);
    fprintf(to, "}\n");
}

/* ---- where it goes ---- */

static void (*const writers[])(const struct watch *w, FILE *to) = {
    [SIM_STATS_TABLE] = report_table,
    [SIM_STATS_JSON] = report_json,
    [SIM_STATS_HTML] = report_html,
};

/* Opens the file; the second process that has something to report adds ".2" to the name. */
static FILE *open_file(const struct watch *w)
{
    char path[PATH_MAX + 16];
    uint32_t n =
        w->opt.tally ? __atomic_add_fetch(&w->opt.tally->n_reports, 1, __ATOMIC_RELAXED) : 1;
    if (n > 1)
        snprintf(path, sizeof path, "%s.%u", w->opt.stats_file, n);
    else
        snprintf(path, sizeof path, "%s", w->opt.stats_file);
    FILE *f = fopen(path, "we");
    if (!f)
        dprintf(STDERR_FILENO, "gensim: --stats: %s: %s\n", path, strerror(errno));
    return f;
}

void sim_gpu_report(const struct sim_gpu *gpu)
{
    const struct watch *w = sim_gpu_watch(gpu);
    if (!w || !w->opt.stats || (w->forked && !w->timeline.n_batches))
        return;
    FILE *to = w->opt.stats_file ? open_file(w) : stderr;
    if (!to)
        return;
    writers[w->opt.stats_format](w, to);
    bool ok = !ferror(to);
    if (to != stderr && (fclose(to) || !ok))
        dprintf(STDERR_FILENO, "gensim: --stats: %s: can't write all of it\n", w->opt.stats_file);
}
