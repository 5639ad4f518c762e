/* --check: reports. The first of a kind at an instruction is printed, all are counted in the tally
 * that gensim sums up when the program has ended. The lock guards the places known. */
#include "observe.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
    const struct sim_kernel *kernel; /* borrowed: never freed before the device */
    uint32_t offset;
    uint8_t kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct place *places; /* owned; lock */
static size_t n_places;      /* lock */

static const char *const kind_name[CHECK_N_KINDS] = {
#define CHECK(kind, text) text,
#include "check.def"
#undef CHECK
};

void sim_check_count(const struct sim_options *opt, enum check_kind kind, bool first)
{
    if (opt->tally) {
        __atomic_fetch_add(&opt->tally->times[kind], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&opt->tally->places[kind], first, __ATOMIC_RELAXED);
    }
    if (first && opt->check_stop)
        _exit(SIM_CHECK_STATUS);
}

const char *check_line(const struct sim_dispatch *d, gpu_addr insn, char *buf, size_t size)
{
    const struct symbol *s = d->observed ? d->observed->symbol : NULL;
    uint64_t offset = insn - d->kernel;
    const struct kernel_line *l = NULL;
    for (unsigned i = 0; s && i < s->n_lines && s->line[i].offset <= offset; i++)
        l = &s->line[i];
    buf[0] = 0;
    if (l && offset < s->size)
        snprintf(buf, size, " (%s:%u)", l->file, l->line);
    return buf;
}

/* Whether this is the first report of its kind here. */
static bool is_first(const struct sim_kernel *kernel, uint32_t offset, enum check_kind kind)
{
    for (size_t i = 0; i < n_places; i++) {
        if (places[i].kernel == kernel && places[i].offset == offset && places[i].kind == kind)
            return false;
    }
    if (!(n_places & (n_places - 1))) { /* full: 0, 1, 2, 4, ... */
        struct place *more = realloc(places, (n_places ? 2 * n_places : 1) * sizeof *more);
        if (!more)
            return true; /* printed once too often */
        places = more;
    }
    places[n_places++] = (struct place){.kernel = kernel, .offset = offset, .kind = (uint8_t)kind};
    return true;
}

void check_report(const struct eu_thread *t, enum check_kind kind, gpu_addr insn, int lane,
                  const char *fmt, ...)
{
    const struct sim_dispatch *d = t->d;
    const struct watch *w = ((const struct observer *)t->observer)->watch;
    const struct sim_kernel *k = d->observed;
    char what[700], text[1400], code[256] = "", line[512], at_lane[24] = "";
    va_list ap;
    pthread_mutex_lock(&lock);
    bool first = is_first(k, (uint32_t)(insn - d->kernel), kind);
    pthread_mutex_unlock(&lock);
    if (!first) {
        sim_check_count(&w->opt, kind, false);
        return;
    }
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (t->op && t->op->addr == insn)
        eu_print(eu_gen(t), &t->op->insn, code, sizeof code);
    if (lane >= 0)
        snprintf(at_lane, sizeof at_lane, " lane %d", lane);
    int n = snprintf(text, sizeof text,
                     "gensim: check: %s: %s, +0x%x%s%s%s%s, group (%u, %u, %u) thread %u%s: %s\n",
                     kind_name[kind], k->name, (unsigned)(insn - d->kernel),
                     check_line(d, insn, line, sizeof line), code[0] ? " \"" : "", code,
                     code[0] ? "\"" : "", t->group->id[0], t->group->id[1], t->group->id[2],
                     t->number, at_lane, what);
    ssize_t unused = write(STDERR_FILENO, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
    (void)unused;
    sim_check_count(&w->opt, kind, true);
}

void check_bounds(struct eu_thread *t, const struct reach *r)
{
    char where[96];
    /* Reading a block past the end is what Intel's compiler does for the tail of constants. */
    if (!r->n_out || r->slm || r->scratch || (!r->write && r->out.lane < 0))
        return;
    if (r->bti >= MSG_BTI_STATELESS_NC)
        snprintf(where, sizeof where, "stateless memory");
    else
        snprintf(where, sizeof where, "surface %u (base 0x%llx, %llu bytes)", r->bti,
                 (unsigned long long)r->base, (unsigned long long)r->size);
    check_report(t, CHECK_BOUNDS, t->op->addr, r->out.lane, "%s of %u bytes at %s + 0x%llx",
                 r->atomic  ? "atomic operation"
                 : r->write ? "write"
                            : "read",
                 r->out.size, where, (unsigned long long)r->out.at);
}
