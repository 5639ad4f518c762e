/* Finds the structure of a graph of blocks (cfg.h).
 *
 * Loops are natural loops: a back edge goes to a node that dominates its source. A loop that is
 * left in the middle, too, is left to one place: the edges to it other than the latch's are taken
 * out of the graph beforehand and become breaks; what is done on the way to a break counts as in
 * the loop. An if joins at the immediate post-dominator of its branch, counted over the nodes that
 * can reach the return. What can't (unreachable, endless loops) never joins; within it, one dead
 * end after the other takes the part of the return. Emission walks the graph along this structure,
 * places each node once, and counts the edges that arrive at it: a node with an edge from elsewhere
 * is then seen to lack one. Empty blocks go where ir.h wants a block of its own: a merge block that
 * two branches share, a header that is also a merge block, the exit of a loop at the end of a then
 * arm. */
#include "backend/cfg.h"
#include "backend/backend.h"

#include <string.h>

/* What cutting a loop's edges made of a node. */
enum cut {
    CUT_NONE,
    CUT_TRUE,  /* it breaks where its condition is true; its successor is the other one */
    CUT_FALSE, /* ... false */
    CUT_ALL,   /* it leaves; no successor */
    CUT_NEVER, /* a latch that always goes back: its second successor is behind the loop */
};

struct walk {
    struct cfg_node *nodes;
    uint8_t *cut; /* by node: enum cut */
    int n_given;  /* nodes that the caller knows; the others are empty */
    int n, exit;  /* exit = n: one virtual node behind all returns and dead ends */
    int *order,
        *place; /* reachable nodes in reverse post-order; place of each in it, -1 unreachable */
    int n_order;
    int *pred, *first_pred;
    int *idom, *ipdom, *rank; /* rank: nearness to the exit */
    int *latch;               /* by header: its latch, -1 none */
    int *n_in;                /* forward edges */
    int *arrived;             /* edges to it that have been laid out */
    bool *is_laid;            /* by place in pred: which */
    int *level;               /* 0 for nodes that reach the return: find_levels */
    bool *done;
    struct target
        *breaks; /* of the loop that is laid out now: what waits for the block behind it */
    struct cfg_layout *out;
    const char *why;
};

#define NOT(w, ...) ((w)->why = cc_printf(__VA_ARGS__), false)

static int *ints(int n, int value)
{
    int *p = cc_alloc((n + 1) * sizeof *p);
    for (int i = 0; i <= n; i++)
        p[i] = value;
    return p;
}

static int n_succ(const struct walk *w, int u)
{
    const struct cfg_node *x = &w->nodes[u];
    return x->n_succ == 2 && x->succ[0] == x->succ[1] ? 1 : x->n_succ;
}

/* Reverse post-order from node 0, without recursion: graphs are as deep as the user likes. */
static void number(struct walk *w)
{
    int *stack = ints(w->n, 0), *next = ints(w->n, 0), top = 0, left = w->n;
    bool *seen = cc_alloc(w->n + 1);
    int *post = ints(w->n, 0);
    stack[top++] = 0;
    seen[0] = true;
    while (top) {
        int u = stack[top - 1];
        if (next[u] < n_succ(w, u)) {
            /* the second successor first: the layout then has then arms before else arms */
            int v = w->nodes[u].succ[n_succ(w, u) - 1 - next[u]++];
            if (!seen[v]) {
                seen[v] = true;
                stack[top++] = v;
            }
        } else {
            post[--left] = u;
            top--;
        }
    }
    w->n_order = w->n - left;
    for (int i = 0; i < w->n_order; i++) {
        w->order[i] = post[left + i];
        w->place[w->order[i]] = i;
    }
}

static int meet(const int *tree, const int *rank, int a, int b)
{
    while (a != b) {
        if (rank[a] > rank[b])
            a = tree[a];
        else
            b = tree[b];
    }
    return a;
}

/* Predecessors of node u: pred[first_pred[u] .. first_pred[u + 1] - 1]. */
static void predecessors(struct walk *w)
{
    int *fill = ints(w->n, 0), n = 0;
    for (int u = 0; u < w->n; u++)
        for (int s = 0; w->place[u] >= 0 && s < n_succ(w, u); s++)
            fill[w->nodes[u].succ[s]]++;
    for (int u = 0; u <= w->n; u++) {
        w->first_pred[u] = n;
        n += u < w->n ? fill[u] : 0;
        fill[u] = w->first_pred[u];
    }
    w->pred = ints(n, 0);
    w->is_laid = cc_alloc(n + 1);
    for (int u = 0; u < w->n; u++)
        for (int s = 0; w->place[u] >= 0 && s < n_succ(w, u); s++)
            w->pred[fill[w->nodes[u].succ[s]]++] = u;
}

/* Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm". */
static void dominators(struct walk *w)
{
    w->idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < w->n_order; i++) {
            int u = w->order[i], best = -1;
            for (int p = w->first_pred[u]; p < w->first_pred[u + 1]; p++) {
                int v = w->pred[p];
                if (w->idom[v] >= 0)
                    best = best < 0 ? v : meet(w->idom, w->place, best, v);
            }
            changed |= best != w->idom[u];
            w->idom[u] = best;
        }
    }
}

static bool dominates(const struct walk *w, int a, int b)
{
    while (w->place[b] > w->place[a])
        b = w->idom[b];
    return a == b;
}

/* A node without a way on, or the latch of an endless loop. */
static bool is_dead_end(const struct walk *w, int u)
{
    int n = n_succ(w, u);
    return (n == 0 && !w->nodes[u].is_return) ||
           (n == 1 && w->place[w->nodes[u].succ[0]] <= w->place[u]);
}

/* Levels: 0 reaches a return; then, dead end by dead end, what reaches it and has no level yet. */
static void find_levels(struct walk *w)
{
    int *order = w->order, level = 0;
    for (int i = 0; i < w->n_order; i++)
        if (w->nodes[order[i]].is_return)
            w->level[order[i]] = 0;
    for (int end = w->n_order; end >= 0; level++) {
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = w->n_order - 1; i >= 0; i--)
                for (int s = 0; w->level[order[i]] < 0 && s < n_succ(w, order[i]); s++)
                    if (w->level[w->nodes[order[i]].succ[s]] == level) {
                        w->level[order[i]] = level;
                        changed = true;
                    }
        }
        while (--end >= 0 && !(w->level[order[end]] < 0 && is_dead_end(w, order[end])))
            ;
        if (end >= 0)
            w->level[order[end]] = level + 1;
    }
}

/* Edges that count for post-dominance: those within a level; an end's go to the exit. */
static int post_succs(const struct walk *w, int u, int out[3])
{
    int n = 0;
    for (int s = 0; s < n_succ(w, u); s++) {
        int v = w->nodes[u].succ[s];
        if (w->level[v] == w->level[u])
            out[n++] = v;
    }
    if (w->nodes[u].is_return || is_dead_end(w, u))
        out[n++] = w->exit;
    return n;
}

static void post_dominators(struct walk *w)
{
    /* rank: later in the order = nearer to the exit; the exit itself nearest */
    int *rank = w->rank;
    for (int i = 0; i < w->n_order; i++)
        rank[w->order[i]] = w->n_order - i;
    rank[w->exit] = 0;
    w->ipdom[w->exit] = w->exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = w->n_order - 1; i >= 0; i--) {
            int u = w->order[i], succ[3], best = -1;
            for (int s = post_succs(w, u, succ); s-- > 0;) {
                int v = succ[s];
                /* a loop's back edge: its header is behind the latch only in the order */
                if (w->ipdom[v] < 0 || (v != w->exit && w->place[v] <= i))
                    continue;
                best = best < 0 ? v : meet(w->ipdom, rank, best, v);
            }
            if (best != w->ipdom[u]) {
                w->ipdom[u] = best;
                changed = true;
            }
        }
    }
}

static bool find_loops(struct walk *w)
{
    for (int i = 0; i < w->n_order; i++) {
        int u = w->order[i];
        for (int s = 0; s < n_succ(w, u); s++) {
            int v = w->nodes[u].succ[s];
            if (w->place[v] > i) {
                w->n_in[v]++;
                continue;
            }
            if (!dominates(w, v, u))
                return NOT(w, "a cycle with two entries");
            if (w->latch[v] >= 0)
                return NOT(w, "a loop with two latches");
            w->latch[v] = u;
        }
    }
    return true;
}

/* ---- breaks ---- */

/* The graph while edges are taken out. */
struct cutter {
    const struct walk *w;
    int *loop_of;     /* by node: header of the innermost loop around it, -1 */
    int *parent;      /* by header: that of the loop around its loop, -1 */
    bool *is_outside; /* of a loop, by nature, but on the way to its break */
    bool *in, *way;   /* of the loop that is looked at: its nodes; those on the way */
    int *stack;
    struct cfg_node *nodes;
    uint8_t *cut;
    int n;
    bool any;
};

/* Marks the natural loop of header h. */
static void mark_loop(const struct walk *w, int h, bool *in, int *stack)
{
    int top = 0;
    memset(in, 0, w->n);
    in[h] = true;
    if (!in[w->latch[h]])
        stack[top++] = w->latch[h];
    in[w->latch[h]] = true;
    while (top) {
        int u = stack[--top];
        for (int p = w->first_pred[u]; p < w->first_pred[u + 1]; p++) {
            int v = w->pred[p];
            if (!in[v])
                stack[top++] = v;
            in[v] = true;
        }
    }
}

/* Where all that leaves loop h meets; -1: nowhere. A latch that leaves decides. */
static int place_behind(const struct cutter *c, int h)
{
    const struct walk *w = c->w;
    int l = w->latch[h], behind = -1, n_others = 0;
    for (int i = 0; i < w->n_order; i++) {
        int u = w->order[i];
        for (int s = 0; c->in[u] && u != l && s < n_succ(w, u); s++) {
            int v = w->nodes[u].succ[s];
            if (c->in[v] || w->level[v] != w->level[h])
                continue;
            n_others++;
            behind = behind < 0 ? v : meet(w->ipdom, w->rank, behind, v);
        }
    }
    if (n_succ(w, l) == 2)
        behind = w->nodes[l].succ[w->nodes[l].succ[0] == h];
    return n_others && behind != w->exit && !c->in[behind] ? behind : -1;
}

/* Marks what lies between loop h and the node behind it. False: there is more than a way. */
static bool mark_way(struct cutter *c, int h, int behind)
{
    const struct walk *w = c->w;
    int top = 0;
    memset(c->way, 0, w->n);
    for (int i = 0; i < w->n_order; i++)
        if (c->in[w->order[i]])
            c->stack[top++] = w->order[i];
    while (top) {
        int u = c->stack[--top];
        for (int s = 0; s < n_succ(w, u); s++) {
            int v = w->nodes[u].succ[s];
            if (v == behind || c->in[v] || c->way[v] || w->level[v] != w->level[h])
                continue;
            if (w->nodes[v].is_return || !dominates(w, h, v))
                return false;
            c->way[v] = true;
            c->stack[top++] = v;
        }
    }
    return true;
}

static bool is_latch(const struct cutter *c, int u)
{
    return c->loop_of[u] >= 0 && c->w->latch[c->loop_of[u]] == u;
}

/* Whether the edge from u to the node behind loop h, in which u is, can be a break: of no inner
 * loop. */
static bool can_break(const struct cutter *c, int h, int u)
{
    int around = is_latch(c, u) ? c->parent[c->loop_of[u]] : c->loop_of[u];
    return !c->is_outside[u] && around == (c->in[u] ? h : c->parent[h]);
}

static bool is_within(const struct cutter *c, int u, int loop)
{
    int around = c->loop_of[u];
    while (around >= 0 && around != loop)
        around = c->parent[around];
    return around == loop;
}

/* Whether the edge from u to v on the way behind loop h leaves no loop within but by its latch: a
 * break at the end of such a way would be that loop's. Breaks of loops within are out already. */
static bool is_plain(const struct cutter *c, int h, int u, int v)
{
    int around = is_latch(c, u) ? c->parent[c->loop_of[u]] : c->loop_of[u];
    return !c->way[v] || c->is_outside[v] || around == (c->in[u] ? h : c->parent[h]) ||
           is_within(c, v, around);
}

static bool is_plain_way(const struct cutter *c, int h)
{
    for (int u = 0; u < c->w->n; u++)
        for (unsigned s = 0; (c->in[u] || c->way[u]) && s < c->nodes[u].n_succ; s++)
            if (c->nodes[u].succ[s] < c->w->n && !is_plain(c, h, u, c->nodes[u].succ[s]))
                return false;
    return true;
}

/* Takes the edge from u to `behind` out. A latch, or a node that lost another one, gets a node for
 * it that leaves. */
static void cut_edge(struct cutter *c, int u, int behind)
{
    struct cfg_node *x = &c->nodes[u];
    unsigned s = x->succ[0] != behind;
    if (n_succ(c->w, u) == 1) {
        x->n_succ = 0;
        c->cut[u] = CUT_ALL;
    } else if (is_latch(c, u) || c->cut[u] != CUT_NONE) {
        x->succ[s] = c->n;
        c->cut[c->n] = CUT_ALL;
        c->nodes[c->n++] = (struct cfg_node){.n_succ = 0};
    } else {
        c->cut[u] = s ? CUT_FALSE : CUT_TRUE;
        x->succ[0] = x->succ[!s];
        x->n_succ = 1;
    }
    c->any = true;
}

static void cut_loop(struct cutter *c, int h)
{
    const struct walk *w = c->w;
    int l = w->latch[h], behind;
    mark_loop(w, h, c->in, c->stack);
    behind = place_behind(c, h);
    if (behind < 0 || !mark_way(c, h, behind) || !is_plain_way(c, h))
        return;
    for (int p = w->first_pred[behind]; p < w->first_pred[behind + 1]; p++) {
        int u = w->pred[p];
        if (u != l && (c->in[u] || c->way[u]) && !can_break(c, h, u))
            return;
    }
    for (int p = w->first_pred[behind]; p < w->first_pred[behind + 1]; p++) {
        int u = w->pred[p];
        if (u != l && (c->in[u] || c->way[u]))
            cut_edge(c, u, behind);
    }
    for (int u = 0; u < w->n; u++)
        c->is_outside[u] |= c->way[u];
    if (n_succ(w, l) == 1) {
        c->nodes[l].succ[1] = behind;
        c->nodes[l].n_succ = 2;
        c->cut[l] = CUT_NEVER;
    }
}

/* Takes the breaks out of the graph, those of inner loops first. False: there are none. */
static bool cut_breaks(struct walk *w)
{
    size_t room = 3 * (size_t)w->n + 1; /* a node for each edge */
    struct cutter c = {.w = w, .n = w->n};
    c.loop_of = ints(w->n, -1);
    c.parent = ints(w->n, -1);
    c.stack = ints(w->n, 0);
    c.is_outside = cc_alloc(w->n + 1);
    c.in = cc_alloc(w->n + 1);
    c.way = cc_alloc(w->n + 1);
    c.nodes = cc_alloc(room * sizeof *c.nodes);
    c.cut = cc_alloc(room);
    memcpy(c.nodes, w->nodes, w->n * sizeof *c.nodes);
    for (int i = 0; i < w->n_order; i++) {
        int h = w->order[i];
        if (w->latch[h] < 0)
            continue;
        mark_loop(w, h, c.in, c.stack);
        c.parent[h] = c.loop_of[h];
        for (int u = 0; u < w->n; u++)
            if (c.in[u])
                c.loop_of[u] = h;
    }
    for (int i = w->n_order; i-- > 0;)
        if (w->latch[w->order[i]] >= 0)
            cut_loop(&c, w->order[i]);
    w->nodes = c.nodes;
    w->cut = c.cut;
    w->n = c.n;
    return c.any;
}

/* ---- layout ---- */

static int add_block(struct walk *w, int node)
{
    struct cfg_layout *o = w->out;
    int n = o->n_blocks;
    if ((n & (n - 1)) == 0)
        o->blocks = cc_grow(o->blocks, n * sizeof *o->blocks, (n ? 2 * n : 1) * sizeof *o->blocks);
    o->blocks[o->n_blocks++] = (struct cfg_block){
        .node = node >= w->n_given ? -1 : node, .term = CFG_JUMP, .succ = {-1, -1}, .merge = -1};
    return n;
}

/* A node that is not laid out yet, and what waits for its block. */
struct target {
    int node;        /* w->exit, as the end of a sequence: nothing */
    bool claimable;  /* a branch in the sequence that ends here may take the node as its merge block
                      */
    int branch;      /* the block of that branch, -1 */
    int (*edges)[2]; /* block, which successor */
    int n_edges;
};

static void add_edge(struct target *t, int block, int which)
{
    int n = t->n_edges;
    if ((n & (n - 1)) == 0)
        t->edges = cc_grow(t->edges, n * sizeof *t->edges, (n ? 2 * n : 1) * sizeof *t->edges);
    t->edges[n][0] = block;
    t->edges[n][1] = which;
    t->n_edges++;
}

static void land(struct walk *w, const struct target *t, int block)
{
    for (int i = 0; i < t->n_edges; i++)
        w->out->blocks[t->edges[i][0]].succ[t->edges[i][1]] = block;
    if (t->branch >= 0 && w->out->blocks[t->branch].merge < 0)
        w->out->blocks[t->branch].merge = block;
}

static bool sequence(struct walk *w, int u, struct target *end, bool is_body);

/* The edge from `from` to `to` is laid out. */
static void arrive(struct walk *w, int from, int to)
{
    w->arrived[to]++;
    for (int p = w->first_pred[to]; p < w->first_pred[to + 1]; p++)
        w->is_laid[p] |= w->pred[p] == from;
}

/* The loop with header u: its blocks, then *next = the node it leaves to (-1: never), by successor
 * *which of block *last. */
static bool loop(struct walk *w, int u, int *last, int *which, int *next)
{
    int l = w->latch[u], n = n_succ(w, l);
    const struct cfg_node *x = &w->nodes[l];
    bool back0 = x->succ[0] == u;
    struct target body = {.node = l, .claimable = true, .branch = -1};
    struct target breaks = {.node = -1, .branch = -1}, *outer = w->breaks;
    int first = w->out->n_blocks;
    if (n == 1 && w->level[u] == 0)
        return NOT(w, "a loop that is not left at its latch");
    if (l != u) {
        w->breaks = &breaks;
        if (!sequence(w, u, &body, true))
            return false;
        w->breaks = outer;
        if (!body.n_edges)
            return NOT(w, "a loop whose latch is not reached");
        if (w->arrived[l] != w->n_in[l] || w->done[l])
            return NOT(w, "a latch entered from outside its loop");
    }
    int b = add_block(w, l);
    w->done[l] = true;
    land(w, &body, b);
    struct cfg_block *k = &w->out->blocks[b];
    k->term = CFG_LOOP;
    k->endless = n == 1 || w->cut[l] == CUT_NEVER;
    k->negate = n == 2 && !back0;
    k->succ[0] = first;
    *last = b;
    *which = 1;
    *next = n == 1 ? -1 : x->succ[back0];
    if (breaks.n_edges) { /* they all lead to the next block */
        *last = add_block(w, -1);
        *which = 0;
        w->out->blocks[b].succ[1] = *last;
        land(w, &breaks, *last);
    }
    return true;
}

static bool arm(struct walk *w, int u, int v, struct target *t)
{
    arrive(w, u, v);
    return sequence(w, v, t, false);
}

/* The branch at node u, laid out as block b. *next = where it goes on; the edges to it in *t. */
static bool branch(struct walk *w, int u, int b, struct target *t, struct target *outer)
{
    int a0 = w->nodes[u].succ[0], a1 = w->nodes[u].succ[1], merge = w->ipdom[u];
    if (w->place[a0] <= w->place[u] || w->place[a1] <= w->place[u])
        return NOT(w, "a loop that is not left at its latch");
    if (w->level[a0] != w->level[a1]) /* one arm never joins: what follows is the other one */
        merge = w->level[a0] < w->level[a1] ? a0 : a1;
    if (merge < 0 || merge == w->exit)
        return NOT(w, "a branch whose arms do not meet");
    *t = (struct target){.node = merge, .branch = -1};
    bool negate = a0 == merge;
    int then = negate ? a1 : a0, other = negate ? a0 : a1;
    w->out->blocks[b].term = CFG_BRANCH;
    w->out->blocks[b].negate = negate;
    w->out->blocks[b].succ[0] = w->out->n_blocks;
    if (!arm(w, u, then, t))
        return false;
    if (other == merge) {
        arrive(w, u, merge);
        add_edge(t, b, 1);
    } else {
        /* a loop that ends the then arm must be left to the next block: give it one of its own */
        int last = w->out->n_blocks - 1;
        if (w->out->blocks[last].term == CFG_LOOP && !w->out->blocks[last].endless) {
            int pad = add_block(w, -1);
            for (int i = 0; i < t->n_edges; i++)
                if (t->edges[i][0] == last)
                    t->edges[i][0] = pad, t->edges[i][1] = 0;
            w->out->blocks[last].succ[1] = pad;
        }
        w->out->blocks[b].succ[1] = w->out->n_blocks;
        if (!arm(w, u, other, t))
            return false;
    }
    if (!t->n_edges)
        return NOT(w, "arms that never meet");
    /* Where the node ends the outer sequence too, another branch may have it as its merge block;
     * and a loop header may have but one edge from outside: then an empty block stands before it.
     */
    bool shared = outer->node == merge && !outer->claimable;
    if (shared || (w->latch[merge] >= 0 && outer->node != merge)) {
        int pad = add_block(w, -1);
        land(w, t, pad);
        w->out->blocks[b].merge = pad;
        t->n_edges = 0;
        add_edge(t, pad, 0);
    } else {
        t->branch = b;
    }
    return true;
}

/* Block b, of node u that lost an edge, ends with a break. */
static bool put_break(struct walk *w, int u, int b)
{
    if (!w->breaks)
        return NOT(w, "a way to a break that is not in its loop");
    bool all = w->cut[u] == CUT_ALL;
    w->out->blocks[b].term = all ? CFG_LEAVE : CFG_BREAK;
    w->out->blocks[b].negate = w->cut[u] == CUT_FALSE;
    add_edge(w->breaks, b, !all);
    return true;
}

/* A node in a region that has edges from elsewhere: those that are laid out are the region's. */
static bool is_shared(struct walk *w, int u)
{
    struct cfg_layout *o = w->out;
    o->from = ints(w->first_pred[u + 1] - w->first_pred[u], 0);
    for (int p = w->first_pred[u]; p < w->first_pred[u + 1]; p++) {
        int v = w->pred[p];
        if (!w->is_laid[p])
            continue;
        if (v >= w->n_given)
            return NOT(w, "a block entered from outside its region");
        o->from[o->n_from++] = v;
    }
    if (u < w->n_given && w->latch[u] < 0)
        o->shared = u;
    return NOT(w, "a block entered from outside its region");
}

/* Lays out from node u to where control reaches end->node. */
static bool sequence(struct walk *w, int u, struct target *end, bool is_body)
{
    struct target t = {.node = u, .branch = -1};
    for (;; is_body = false) {
        if (u == end->node) {
            for (int i = 0; i < t.n_edges; i++)
                add_edge(end, t.edges[i][0], t.edges[i][1]);
            if (t.branch >= 0)
                end->branch = t.branch;
            return true;
        }
        if (w->done[u])
            return NOT(w, "a block reached from two places");
        int first = w->out->n_blocks, next, b = first, which;
        if (w->arrived[u] != w->n_in[u] && u)
            return is_shared(w, u);
        land(w, &t, first);
        t = (struct target){.branch = -1};
        if (w->latch[u] >= 0 && !is_body) {
            if (!loop(w, u, &b, &which, &next))
                return false;
            w->done[u] = true;
            if (next < 0) { /* endless: an end of its own behind it */
                int pad = add_block(w, -1);
                w->out->blocks[b].succ[1] = pad;
                w->out->blocks[pad].term = CFG_END;
                return true;
            }
            add_edge(&t, b, which);
            arrive(w, w->latch[u], next);
        } else {
            w->done[u] = true;
            b = add_block(w, u);
            if (w->cut[u] != CUT_NONE && w->cut[u] != CUT_NEVER && !put_break(w, u, b))
                return false;
            if (n_succ(w, u) == 0) {
                if (w->cut[u] == CUT_NONE)
                    w->out->blocks[b].term = CFG_END;
                return true;
            }
            if (n_succ(w, u) == 1) {
                next = w->nodes[u].succ[0];
                if (w->place[next] <= w->place[u])
                    return NOT(w, "a loop that is not left at its latch");
                add_edge(&t, b, 0);
                arrive(w, u, next);
            } else {
                if (!branch(w, u, b, &t, end))
                    return false;
                next = t.node;
            }
        }
        u = next;
    }
}

static bool lay_out(struct walk *w)
{
    struct target end = {.node = w->exit, .branch = -1};
    if (!sequence(w, 0, &end, false))
        return false;
    for (int i = 0; i < w->n_order; i++)
        if (!w->done[w->order[i]])
            return NOT(w, "a block that structure does not reach");
    return true;
}

static bool analyse(struct walk *w)
{
    int n = w->exit = w->n;
    w->order = ints(n, -1);
    w->place = ints(n, -1);
    w->first_pred = ints(n, 0);
    w->idom = ints(n, -1);
    w->ipdom = ints(n, -1);
    w->rank = ints(n, 0);
    w->latch = ints(n, -1);
    w->n_in = ints(n, 0);
    w->arrived = ints(n, 0);
    w->level = ints(n, -1);
    w->done = cc_alloc(n + 1);
    number(w);
    predecessors(w);
    dominators(w);
    find_levels(w);
    if (!find_loops(w))
        return false;
    post_dominators(w);
    return true;
}

bool cfg_structure(const struct cfg_node *nodes, int n_nodes, struct cfg_layout *out,
                   const char **why)
{
    int n = n_nodes, n_returns = 0;
    struct walk w = {.out = out, .n_given = n};
    w.nodes = cc_alloc((n + 1) * sizeof *w.nodes);
    w.cut = cc_alloc(n + 1);
    for (int i = 0; i < n; i++)
        n_returns += nodes[i].is_return;
    for (int i = 0; i < n; i++) /* several returns: they lead to one */
        w.nodes[i] = n_returns > 1 && nodes[i].is_return
                         ? (struct cfg_node){.succ = {n}, .n_succ = 1}
                         : nodes[i];
    if (n_returns > 1)
        w.nodes[n++].is_return = true;
    *out = (struct cfg_layout){.shared = -1};
    w.n = n;
    if (analyse(&w) && (!cut_breaks(&w) || analyse(&w)) && lay_out(&w))
        return true;
    *why = w.why;
    return false;
}
