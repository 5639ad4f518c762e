/* The simulated execution unit, by its fast forms and by its general path, against the model:
 * random sequences of instructions on random registers, masks, flags, accumulators and modes; all
 * state is compared. Arguments: GENERATION [--count N] [--seed S] [--index I] [--device NAME]
 * [--reports N]; MODEL_COUNT in
 * the environment is another count, MODEL_OPS lists the opcodes met. A difference names the --seed
 * and --index that show it again.
 */
#include "model.h"

#include "model_flow.h"
#include "model_gen.h"
#include "utests/sim/eu_rig.h"

#include <math.h>

enum { MAX_SEQUENCE = 6 };

struct sequence {
    struct maker g;
    uint64_t seed, index;
    struct model start;
    unsigned n;
    struct eu_insn insns[MAX_SEQUENCE];
};

static struct rig rigs[2]; /* fast forms, general path */
static const enum eu_mode modes[2] = {EU_MODE_FAST, EU_MODE_GENERAL};
static const char *const mode_names[2] = {"fast form", "general path"};
static uint64_t n_open[N_OPEN], n_insns, n_ops[EU_N_OPS];
static unsigned n_reports, max_reports = 10;

static void start_state(struct sequence *q)
{
    struct maker *g = &q->g;
    struct model *m = &q->start;
    memset(m, 0, sizeof *m);
    m->gen = g->gen;
    m->quirks = g->quirks;
    for (unsigned i = 0; i < sizeof m->grf; i += 8) {
        uint64_t v = maker_value(g);
        memcpy(m->grf + i, &v, 8);
    }
    for (unsigned k = 0; k < 2; k++)
        m->f[k] = maker_chance(g, 10) ? 0 : maker_bits(g);
    for (unsigned k = 0; k < (g->gen >= 80 ? 16u : 8u); k++)
        m->a0[k] = (uint16_t)(32 * (MAKER_FIRST + 8 + maker_below(g, 64)) +
                              (k & 1 ? 8 * maker_below(g, 4) : 0));
    bool small = maker_chance(g, 50);
    for (unsigned i = 0; i < MODEL_LANES; i++) {
        uint64_t v = maker_value(g);
        m->acc[i] = small ? (wide)(int32_t)v : (wide)(int64_t)v * 2 + (v & 1);
        v = maker_value(g);
        m->acc_f[i] = (uint32_t)v;
        if (i < 8)
            m->acc_df[i] = v ^ m->acc_f[i];
    }
    m->active = maker_chance(g, 30) ? ~0u : maker_chance(g, 50) ? 0xffff : maker_bits(g);
    /* Rounding; denormals; on Gen9 those of halves and the rounding of conversions (1.4). */
    m->cr0 = maker_below(g, 16) << 4;
    if (g->gen >= 90)
        m->cr0 |= maker_below(g, 2) << 10 | (uint32_t)maker_chance(g, 10) << 12;
}

static void to_thread(const struct model *m, struct eu_thread *t)
{
    memcpy(t->grf, m->grf, sizeof m->grf);
    memcpy(t->f, m->f, sizeof t->f);
    memcpy(t->a0, m->a0, sizeof t->a0);
    for (unsigned i = 0; i < MODEL_LANES; i++) {
        t->acc_lo[i] = (uint64_t)m->acc[i];
        t->acc_hi[i] = (int8_t)(m->acc[i] >> 64);
    }
    memcpy(t->acc_f, m->acc_f, sizeof t->acc_f);
    memcpy(t->acc_df, m->acc_df, sizeof t->acc_df);
}

static bool run_sim(struct rig *r, const struct sequence *q, unsigned n)
{
    char text[64];
    if (r->code_size + 16 * (n + 2) > RIG_CODE) {
        r->code_size = 0;
        eu_cache_drop(r->cache);
    }
    rig_reset(r, q->start.active);
    r->t.ip = r->code_size;
    snprintf(text, sizeof text, "(W) mov (1|M0) cr0.0<1>:ud 0x%x:ud {Switch}", q->start.cr0);
    rig_line(r, text);
    for (unsigned i = 0; i < n; i++)
        rig_put(r, &q->insns[i]);
    rig_line(r, RIG_EOT);
    to_thread(&q->start, &r->t);
    return eu_run(&r->t, 1000) == EU_STOP_ENDED;
}

static uint64_t get(const uint8_t *p, unsigned size)
{
    uint64_t v = 0;
    memcpy(&v, p, size);
    return v;
}

static bool acceptable(const struct loose *l, uint64_t v, uint64_t model)
{
    const struct num_format *f = type_format(l->type);
    switch ((enum open_how)open_how[l->why]) {
    case HOW_ANY:
        return true;
    case HOW_QNAN:
        return type_is_float(l->type) && num_is_nan(f, v) && !num_is_signaling(f, v);
    case HOW_NAN:
        return type_is_float(l->type) && num_is_nan(f, v);
    case HOW_EITHER:
        return v == model || v == l->alt;
    case HOW_RANGE: {
        long double x = num_approx(num_read(f, v));
        return x >= l->lo && x <= l->hi;
    }
    }
    return false;
}

/* Takes what is open over from the simulator where it is acceptable. */
static void settle(struct model *m, const struct eu_thread *t)
{
    for (unsigned i = 0; i < m->n_loose; i++) {
        const struct loose *l = &m->loose[i];
        unsigned size = eu_type_size(l->type);
        if (l->at + size <= sizeof m->grf &&
            acceptable(l, get(t->grf + l->at, size), get(m->grf + l->at, size)))
            memcpy(m->grf + l->at, t->grf + l->at, size);
    }
}

static bool same(const struct model *m, const struct eu_thread *t, const char **what)
{
    static const char *const names[] = {"registers", "flags", "a0", "accumulators"};
    struct model copy = *m;
    settle(&copy, t);
    *what = names[0];
    if (memcmp(copy.grf, t->grf, sizeof copy.grf))
        return false;
    *what = names[1];
    for (unsigned k = 0; k < 2; k++) {
        if ((m->f[k] ^ t->f[k]) & ~m->f_loose[k] && !m->arf_loose)
            return false;
    }
    *what = names[2];
    if (memcmp(m->a0, t->a0, sizeof m->a0) && !m->arf_loose)
        return false;
    *what = names[3];
    for (unsigned i = 0; i < MODEL_LANES; i++) {
        if (m->acc_loose >> i & 1)
            continue;
        uint32_t f = (uint32_t)get((const uint8_t *)&t->acc_f[i], 4);
        uint64_t df = i < 8 ? get((const uint8_t *)&t->acc_df[i], 8) : 0;
        bool differ =
            (uint64_t)m->acc[i] != t->acc_lo[i] || (int8_t)(m->acc[i] >> 64) != t->acc_hi[i];
        if ((differ && !(m->stale_int >> i & 1)) || (m->acc_f[i] != f && !(m->stale_f >> i & 1)) ||
            (i < 8 && m->acc_df[i] != df && !(m->stale_df >> i & 1)))
            return false;
    }
    return true;
}

static void print_source(const struct step *s, unsigned k)
{
    fprintf(stderr, "  src%u:", k);
    for (unsigned i = 0; i < s->n; i++)
        fprintf(stderr, " %llx", (unsigned long long)s->src[k][i].bits);
    fprintf(stderr, "\n");
}

static void report(const struct sequence *q, unsigned k, unsigned rig, const char *what,
                   const struct model *before, const struct model *m)
{
    const struct rig *r = &rigs[rig];
    const struct eu_thread *t = &r->t;
    struct step s;
    char text[256];
    struct model scratch = *before, settled = *m;
    settle(&settled, t);
    utest_failures++;
    if (n_reports++ >= max_reports)
        return;
    eu_print(q->g.gen, &q->insns[k], text, sizeof text);
    fprintf(stderr,
            "%s, %s: %s differ\n  %s\n  instruction %u of --seed %llu --index %llu; cr0 %x, "
            "channels %08x, flags %08x %08x\n",
            r->dev->name, mode_names[rig], what, text, k, (unsigned long long)q->seed,
            (unsigned long long)q->index, before->cr0, before->active, before->f[0], before->f[1]);
    if (r->fault.set)
        fprintf(stderr, "  fault: %s\n", r->fault.text);
    if (!step_begin(&s, &scratch, &q->insns[k]))
        return;
    for (unsigned i = 0; i < s.n_src; i++)
        print_source(&s, i);
    for (unsigned i = 0, n = 0; i < sizeof m->grf && n < 8; i += 4) {
        if (get(settled.grf + i, 4) != get(t->grf + i, 4))
            fprintf(stderr, "  r%u.%u: model %08llx, simulator %08llx, before %08llx\n", i / 32,
                    i % 32, (unsigned long long)get(settled.grf + i, 4),
                    (unsigned long long)get(t->grf + i, 4),
                    (unsigned long long)get(before->grf + i, 4)),
                n++;
    }
    fprintf(stderr, "  flags: model %08x %08x (open %08x %08x), simulator %08x %08x\n", m->f[0],
            m->f[1], m->f_loose[0], m->f_loose[1], t->f[0], t->f[1]);
    for (unsigned i = 0, n = 0; i < MODEL_LANES && n < 8; i++) {
        if ((uint64_t)m->acc[i] != t->acc_lo[i] || (int8_t)(m->acc[i] >> 64) != t->acc_hi[i])
            fprintf(stderr, "  acc %u: model %x:%016llx, simulator %x:%016llx, before %016llx\n", i,
                    (uint8_t)(m->acc[i] >> 64), (unsigned long long)m->acc[i],
                    (uint8_t)t->acc_hi[i], (unsigned long long)t->acc_lo[i],
                    (unsigned long long)before->acc[i]),
                n++;
        if (m->acc_f[i] != get((const uint8_t *)&t->acc_f[i], 4))
            fprintf(stderr, "  acc %u: model %08x, simulator %08llx\n", i, m->acc_f[i],
                    (unsigned long long)get((const uint8_t *)&t->acc_f[i], 4)),
                n++;
    }
}

/* The first instruction behind which the sides differ: the sequence, cut ever longer. */
static void find(const struct sequence *q, unsigned rig)
{
    struct model m = q->start;
    for (unsigned k = 0; k < q->n; k++) {
        struct model before = m;
        const char *what = "faults";
        model_step(&m, &q->insns[k]);
        if (!run_sim(&rigs[rig], q, k + 1) || !same(&m, &rigs[rig].t, &what)) {
            report(q, k, rig, what, &before, &m);
            return;
        }
    }
    fprintf(stderr, "%s: --seed %llu --index %llu: differs in a row only\n", mode_names[rig],
            (unsigned long long)q->seed, (unsigned long long)q->index);
    utest_failures++;
}

static bool writes_address(const struct eu_insn *in)
{
    return in->dst.file == EU_ARF && !in->dst.indirect && (in->dst.reg & 0xf0) == EU_ARF_A0;
}

/* Nothing with two registers may follow (section 9). */
static bool ends_sequence(const struct eu_insn *in)
{
    return in->op == EU_OP_math && (in->fn == EU_MATH_POW || in->fn == EU_MATH_FDIV);
}

static void make_sequence(struct sequence *q, const struct gen_device *dev, uint64_t seed,
                          uint64_t index)
{
    q->g = (struct maker){dev->gen, dev->quirks, seed * 0x100000001b3ull ^ index << 20};
    maker_bits(&q->g);
    q->seed = seed;
    q->index = index;
    start_state(q);
    q->n = 1 + maker_below(&q->g, MAX_SEQUENCE);
    for (unsigned k = 0; k < q->n; k++)
        q->insns[k] = make_insn(&q->g);
}

/* One sequence; it ends with the first result that is not settled. */
static unsigned run_one(const struct gen_device *dev, uint64_t seed, uint64_t index)
{
    static struct sequence q;
    static struct model m;
    make_sequence(&q, dev, seed, index);
    m = q.start;
    for (unsigned k = 0; k < q.n; k++) {
        if (model_reads_stale(&m, &q.insns[k])) {
            q.n = k;
            break;
        }
        bool known = model_step(&m, &q.insns[k]);
        if (!known) {
            char text[256];
            eu_print(dev->gen, &q.insns[k], text, sizeof text);
            CHECKF(known, "the model does not know %s", text);
        }
        n_ops[q.insns[k].op]++;
        if (!model_closed(&m) || writes_address(&q.insns[k]) || ends_sequence(&q.insns[k]))
            q.n = k + 1;
    }
    for (unsigned i = 0; i < N_OPEN; i++)
        n_open[i] += m.n_open[i];
    for (unsigned r = 0; r < 2; r++) {
        const char *what;
        if (!run_sim(&rigs[r], &q, q.n) || !same(&m, &rigs[r].t, &what))
            find(&q, r);
    }
    utest_checks += (int)q.n;
    return q.n;
}

static void run_device(const char *name, uint64_t seed, uint64_t first, uint64_t count)
{
    for (unsigned r = 0; r < 2; r++) {
        rig_init(&rigs[r], name);
        rigs[r].quiet = true;
        eu_cache_set_mode(rigs[r].cache, modes[r]);
    }
    uint64_t n = 0;
    for (uint64_t i = first; n < count; i++)
        n += run_one(rigs[0].dev, seed, i);
    n_insns += n;
    for (unsigned r = 0; r < 2; r++)
        rig_fini(&rigs[r]);
}

/* Devices of a generation; the second, with other quirks, gets a fifth. */
static const struct {
    int gen;
    const char *devices[2];
} generations[] = {
    {70, {"ivb", NULL}}, {75, {"hsw", NULL}}, {80, {"bdw", "chv"}}, {90, {"skl", "glk"}}};

int main(int argc, char **argv)
{
    uint64_t count = 1000000, seed = 1, index = 0;
    const char *device = NULL, *env = getenv("MODEL_COUNT");
    bool one = false;
    REQUIRE(argc >= 2);
    if (env)
        count = strtoull(env, NULL, 0);
    for (int i = 2; i + 1 < argc; i += 2) {
        uint64_t v = strtoull(argv[i + 1], NULL, 0);
        if (!strcmp(argv[i], "--count"))
            count = v;
        else if (!strcmp(argv[i], "--seed"))
            seed = v;
        else if (!strcmp(argv[i], "--index"))
            index = v, one = true;
        else if (!strcmp(argv[i], "--reports"))
            max_reports = (unsigned)v;
        else if (!strcmp(argv[i], "--device"))
            device = argv[i + 1];
        else
            REQUIRE(!"known argument");
    }
    if (one)
        count = 1;
    for (unsigned k = 0; k < sizeof generations / sizeof generations[0]; k++) {
        if (generations[k].gen != atoi(argv[1]))
            continue;
        const char *const *d = generations[k].devices;
        if (device) {
            run_device(device, seed, index, count);
            break;
        }
        uint64_t part = d[1] && !one ? count / 5 : 0;
        run_device(d[0], seed, index, count - part);
        if (part)
            run_device(d[1], seed, index, part);
        if (!one)
            flow_run(d[0], seed, count / 500);
    }
    fprintf(stderr, "%llu instructions\n", (unsigned long long)n_insns);
    REQUIRE(n_insns);
    for (unsigned i = 0; i < N_OPEN; i++) {
        if (n_open[i])
            fprintf(stderr, "open: %8llu %s (%s)\n", (unsigned long long)n_open[i], open_texts[i],
                    open_sections[i]);
    }
    if (getenv("MODEL_OPS")) {
        for (unsigned i = 0; i < EU_N_OPS; i++) {
            if (n_ops[i])
                fprintf(stderr, "%8llu %s\n", (unsigned long long)n_ops[i], eu_op_info(i)->name);
        }
    }
    return utest_end();
}
