/* The structure finder: whatever it accepts, its layout is one that ir_check accepts and visits the
 * same blocks in the same order as the graph, for the same decisions; and what is structured, it
 * accepts. */
#include "backend/cfg.h"
#include "backend/ir.h"
#include "utest.h"

enum { MAX_NODES = 60, MAX_TRACE = 200 };

static uint64_t seed = 42;
static unsigned rnd(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 20) % n;
}

/* The layout as a function without content. */
static const char *check_layout(const struct cfg_layout *l)
{
    static const enum ir_op ops[] = {
        [CFG_JUMP] = IR_jump,   [CFG_BRANCH] = IR_branch, [CFG_LOOP] = IR_loop,
        [CFG_BREAK] = IR_break, [CFG_LEAVE] = IR_leave,   [CFG_END] = IR_end};
    struct ir_fn *fn = ir_fn_new("g", NULL);
    for (int i = 0; i < l->n_blocks; i++)
        ir_block_new(fn);
    for (int i = 0; i < l->n_blocks; i++) {
        const struct cfg_block *b = &l->blocks[i];
        for (int s = 0; s < 2; s++)
            if (b->succ[s] >= 0)
                fn->blocks[i]->succ[s] = fn->blocks[b->succ[s]];
        if (b->merge >= 0)
            fn->blocks[i]->merge = fn->blocks[b->merge];
        ir_append(fn->blocks[i],
                  ir_new(fn, ops[b->term], 0,
                         b->term == CFG_BRANCH || b->term == CFG_LOOP || b->term == CFG_BREAK));
    }
    ir_number_blocks(fn);
    return ir_check(fn);
}

/* The decision at the k-th conditional branch on the way. */
static bool decision(uint32_t pattern, unsigned k)
{
    return (pattern * 2654435761u >> (k % 29)) & 1;
}

static int walk_graph(const struct cfg_node *g, uint32_t pattern, int *trace)
{
    int n = 0, u = 0;
    unsigned k = 0;
    while (n < MAX_TRACE) {
        trace[n++] = u;
        if (!g[u].n_succ)
            return n;
        bool conditional = g[u].n_succ == 2 && g[u].succ[0] != g[u].succ[1];
        u = g[u].succ[conditional && !decision(pattern, k)];
        k += conditional;
    }
    return n;
}

static int walk_layout(const struct cfg_layout *l, uint32_t pattern, int *trace)
{
    int n = 0, b = 0;
    unsigned k = 0;
    for (int steps = 0; n < MAX_TRACE && steps < 10 * MAX_TRACE; steps++) {
        const struct cfg_block *x = &l->blocks[b];
        if (x->node >= 0)
            trace[n++] = x->node;
        if (x->term == CFG_END)
            return n;
        bool taken = true;
        if (x->term != CFG_JUMP && x->term != CFG_LEAVE && !x->endless)
            taken = decision(pattern, k++) != x->negate;
        b = x->succ[x->term == CFG_BREAK ? taken : !taken];
    }
    return n;
}

/* Accepted? If so, all must be right. */
static bool accepted(const struct cfg_node *g, int n, const char **why)
{
    struct cfg_layout l;
    if (!cfg_structure(g, n, &l, why))
        return false;
    const char *wrong = check_layout(&l);
    CHECKF(!wrong, "%s", wrong);
    for (uint32_t p = 1; p < 12 && !wrong; p++) {
        int a[MAX_TRACE], b[MAX_TRACE], n_a = walk_graph(g, p, a), n_b = walk_layout(&l, p, b);
        CHECK(n_a == n_b && !memcmp(a, b, n_a * sizeof *a));
    }
    return true;
}

#define GRAPH(name, ...) static const struct cfg_node name[] = {__VA_ARGS__}
#define TO(a)                                                                                      \
    {                                                                                              \
        {a}, 1, false                                                                              \
    }
#define IF(a, b)                                                                                   \
    {                                                                                              \
        {a, b}, 2, false                                                                           \
    }
#define RET                                                                                        \
    {                                                                                              \
        {0}, 0, true                                                                               \
    }
#define DEAD                                                                                       \
    {                                                                                              \
        {0}, 0, false                                                                              \
    }

static void known(void)
{
    const char *why = "";
#define GOOD(g) CHECKF(accepted(g, sizeof g / sizeof *g, &why), "%s", why)
#define BAD(g, what)                                                                               \
    CHECKF(!accepted(g, sizeof g / sizeof *g, &why) && strstr(why, what), "%s", why)
    GRAPH(one, RET);
    GRAPH(if_then, IF(1, 2), TO(2), RET);
    GRAPH(if_not, IF(2, 1), TO(2), RET);
    GRAPH(if_else, IF(1, 2), TO(3), TO(3), RET);
    GRAPH(same, IF(1, 1), RET);
    GRAPH(shared_merge, IF(1, 3), IF(2, 3), TO(3), RET);
    GRAPH(loop, TO(1), IF(1, 2), RET);
    GRAPH(loop_body, TO(1), IF(2, 3), TO(3), IF(1, 4), RET);
    GRAPH(loop_at_merge, IF(1, 2), TO(2), IF(2, 3), RET);
    GRAPH(loop_in_then, IF(1, 2), IF(1, 3), TO(3), RET);
    GRAPH(nested, TO(1), TO(2), IF(2, 3), IF(1, 4), RET);
    GRAPH(two_loops, TO(1), IF(1, 2), IF(2, 3), RET);
    GRAPH(two_returns, IF(1, 2), RET, RET);
    GRAPH(dead_arm, IF(1, 2), DEAD, RET);
    GRAPH(dead_both, IF(1, 2), DEAD, DEAD);
    GRAPH(endless, TO(1), TO(1));
    GRAPH(endless_arm, IF(1, 2), TO(1), RET);
    GRAPH(endless_if, TO(1), IF(2, 3), TO(3), TO(1));
    GRAPH(unreached, TO(2), TO(2), RET);
    GRAPH(while_loop, TO(1), IF(2, 3), TO(1), RET);
    GRAPH(break_loop, TO(1), IF(2, 3), IF(1, 3), RET);
    GRAPH(break_arm, TO(1), IF(2, 3), TO(4), IF(1, 4), RET);
    GRAPH(break_far_arm, TO(1), IF(2, 5), IF(3, 4), TO(4), TO(6), IF(1, 6), RET);
    GRAPH(break_and_not, TO(1), IF(2, 3), TO(4), IF(4, 5), IF(1, 6), TO(6), RET);
    GRAPH(break_in_if, TO(1), IF(2, 3), IF(4, 3), IF(1, 4), RET);
    GRAPH(two_breaks, TO(1), IF(2, 5), IF(5, 3), IF(4, 5), TO(1), RET);
    GRAPH(breaks_nested, TO(1), TO(2), IF(3, 4), IF(2, 4), IF(5, 6), IF(1, 6), RET);
    GRAPH(break_inner_latch, TO(1), TO(2), IF(2, 4), IF(1, 4), RET);
    GRAPH(break_two, TO(1), TO(2), IF(3, 5), IF(2, 4), IF(1, 5), RET);
    GRAPH(break_two_far, TO(1), IF(2, 6), IF(3, 4), TO(7), IF(2, 5), TO(6), IF(1, 7), RET);
    GRAPH(for_else, TO(1), IF(2, 4), IF(1, 3), TO(4), RET);
    GRAPH(return_in_loop, TO(1), IF(2, 3), RET, IF(1, 4), RET);
    GRAPH(two_latches, TO(1), IF(2, 3), IF(1, 4), TO(1), RET);
    GRAPH(two_entries, IF(1, 2), TO(2), IF(1, 3), RET);
    GRAPH(crossing, IF(1, 2), IF(3, 4), IF(3, 4), TO(4), RET);
    GOOD(one);
    GOOD(if_then);
    GOOD(if_not);
    GOOD(if_else);
    GOOD(same);
    GOOD(shared_merge);
    GOOD(loop);
    GOOD(loop_body);
    GOOD(loop_at_merge);
    GOOD(loop_in_then);
    GOOD(nested);
    GOOD(two_loops);
    GOOD(two_returns);
    GOOD(dead_arm);
    GOOD(dead_both);
    GOOD(endless);
    GOOD(endless_arm);
    GOOD(endless_if);
    GOOD(unreached);
    GOOD(while_loop);
    GOOD(break_loop);
    GOOD(break_arm);
    GOOD(break_far_arm);
    GOOD(break_and_not);
    GOOD(break_in_if);
    GOOD(two_breaks);
    GOOD(breaks_nested);
    GOOD(break_inner_latch);
    BAD(break_two, ""); /* out of two loops at once */
    BAD(break_two_far, "");
    BAD(for_else, ""); /* ways on from a loop that differ */
    BAD(return_in_loop, "");
    BAD(two_latches, "two latches");
    BAD(two_entries, "two entries");
    BAD(crossing, "");
}

/* A structured graph: a tree of sequences, ifs and do-while loops. */
struct maker {
    struct cfg_node g[MAX_NODES];
    int n;
};

static int node(struct maker *m)
{
    m->g[m->n] = (struct cfg_node){0};
    return m->n++;
}

/* Builds a region that begins at `from` (without successors yet); its last node is returned. */
static int region(struct maker *m, int from, int depth)
{
    for (unsigned k = rnd(3) + 1; k && m->n < MAX_NODES - 12; k--) {
        unsigned what = depth > 3 ? 0 : rnd(4);
        int a = node(m), end;
        if (what == 0) { /* in a row */
            m->g[from] = (struct cfg_node){{a}, 1, false};
            from = a;
        } else if (what == 1) { /* if-then */
            end = region(m, a, depth + 1);
            int join = node(m);
            m->g[end] = (struct cfg_node){{join}, 1, false};
            m->g[from] = rnd(2) ? (struct cfg_node){{a, join}, 2, false}
                                : (struct cfg_node){{join, a}, 2, false};
            from = join;
        } else if (what == 2) { /* if-else; an arm may be dead */
            end = region(m, a, depth + 1);
            int b = node(m), join, other = region(m, b, depth + 1);
            join = node(m);
            if (rnd(6))
                m->g[end] = (struct cfg_node){{join}, 1, false};
            m->g[other] = (struct cfg_node){{join}, 1, false};
            m->g[from] = (struct cfg_node){{a, b}, 2, false};
            from = join;
        } else { /* do-while */
            end = region(m, a, depth + 1);
            int out = node(m);
            m->g[from] = (struct cfg_node){{a}, 1, false};
            m->g[end] = rnd(2) ? (struct cfg_node){{a, out}, 2, false}
                               : (struct cfg_node){{out, a}, 2, false};
            from = out;
        }
    }
    return from;
}

static void structured(void)
{
    for (int k = 0; k < 3000; k++) {
        struct maker m = {.n = 0};
        const char *why = "";
        int end = region(&m, node(&m), 0);
        m.g[end].is_return = true;
        CHECKF(accepted(m.g, m.n, &why), "graph %d of %d nodes: %s", k, m.n, why);
    }
}

static void random_graphs(void)
{
    unsigned n_accepted = 0;
    for (int k = 0; k < 40000; k++) {
        struct cfg_node g[8];
        const char *why = "";
        int n = 3 + (int)rnd(5);
        for (int i = 0; i < n; i++) {
            unsigned what = rnd(10);
            /* mostly forward, so that some are structured */
            int a = rnd(4) ? i + 1 + (int)rnd((unsigned)(n - i)) : (int)rnd((unsigned)n);
            int b = rnd(4) ? i + 1 : 1 + (int)rnd((unsigned)n - 1);
            a = a >= n ? n - 1 : a ? a : 1;
            b = b >= n ? n - 1 : b;
            g[i] = (struct cfg_node){{a, b}, what < 4 ? 1 : what < 9 ? 2 : 0, what == 9 && rnd(2)};
        }
        g[n - 1] = (struct cfg_node){.is_return = true};
        n_accepted += accepted(g, n, &why);
    }
    fprintf(stderr, "%u random graphs accepted\n", n_accepted);
    CHECK(n_accepted > 1000);
}

/* Gotos in structured graphs, half of them by way of a node of their own. */
static void gotos(void)
{
    unsigned n_accepted = 0;
    for (int k = 0; k < 20000; k++) {
        struct maker m = {.n = 0};
        const char *why = "";
        m.g[region(&m, node(&m), 0)].is_return = true;
        int n = m.n;
        for (unsigned j = rnd(3) + 1; j; j--) {
            int from = (int)rnd((unsigned)n), to = from + 1 + (int)rnd((unsigned)(n - from));
            if (m.g[from].n_succ != 1 || to >= n || m.n == MAX_NODES)
                continue;
            if (rnd(2)) {
                int on = node(&m);
                m.g[on] = (struct cfg_node){{to}, 1, false};
                to = on;
            }
            m.g[from].succ[1] = to;
            m.g[from].n_succ = 2;
        }
        n_accepted += accepted(m.g, m.n, &why);
    }
    fprintf(stderr, "%u graphs with gotos accepted\n", n_accepted);
    CHECK(n_accepted > 1000);
}

/* Nodes that stand in the way get copies, as long as one is to blame: the graph does the same. */
static void copies(void)
{
    unsigned n_structured = 0, n_not = 0;
    for (int k = 0; k < 4000; k++) {
        struct cfg_node g[MAX_NODES];
        int given[MAX_NODES], n = 5 + (int)rnd(3), a[MAX_TRACE], b[MAX_TRACE];
        struct cfg_layout l;
        const char *why = "";
        for (int i = 0; i < n; i++) { /* forward only */
            int to = i + 1 + (int)rnd(3), other = i + 1 + (int)rnd(4);
            to = to < n ? to : n - 1;
            other = other < n ? other : n - 1;
            given[i] = i;
            g[i] = (struct cfg_node){{to, other}, 1 + (rnd(3) > 0), false};
        }
        g[n - 1] = (struct cfg_node){.is_return = true};
        struct cfg_node first[MAX_NODES];
        memcpy(first, g, sizeof g);
        bool ok = cfg_structure(g, n, &l, &why), was = ok;
        while (!ok && l.shared >= 0 && n < MAX_NODES) {
            CHECK(l.n_from > 0);
            for (int f = 0; f < l.n_from; f++)
                for (int s = 0; s < g[l.from[f]].n_succ; s++)
                    if (g[l.from[f]].succ[s] == l.shared)
                        g[l.from[f]].succ[s] = n;
            g[n] = g[l.shared];
            given[n++] = given[l.shared];
            ok = cfg_structure(g, n, &l, &why);
        }
        n_structured += ok && !was;
        n_not += !ok;
        for (uint32_t p = 1; p < 12 && ok; p++) {
            int n_a = walk_graph(first, p, a), n_b = walk_layout(&l, p, b);
            bool same = n_a == n_b;
            for (int i = 0; same && i < n_a; i++)
                same = a[i] == given[b[i]];
            CHECK(same);
        }
        CHECK(!ok || !check_layout(&l));
    }
    fprintf(stderr, "%u graphs structured by copies, %u not\n", n_structured, n_not);
    CHECK(n_structured > 500 && n_not == 0);
}

int main(void)
{
    known();
    structured();
    random_graphs();
    gotos();
    copies();
    return utest_end();
}
