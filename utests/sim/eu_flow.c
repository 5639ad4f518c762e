/* Control flow: random structured programs (nested if/else, loops, break, cont, halt), lowered to
 * if/else/endif/while and, from Gen8 on, to goto/join, run on 16 channels that take different ways,
 * against an interpreter of the same program that runs one channel after the other. Then jumps,
 * calls, the single program flow mode, and branches that cover a part of the channels. */
#include "eu_rig.h"

enum { X = 10, COUNT = 20, LANES = 16, MAX_NODES = 4000 };

enum kind { OP, IF, LOOP, BREAK, CONT, HALT, SEQ };

/* A program is a tree; children are linked by `next`. */
struct node {
    enum kind kind;
    uint32_t value; /* OP: constant; IF, BREAK, CONT, HALT: bit of x that decides; LOOP: most
                       iterations */
    bool inverted, has_else,
        until; /* until: the loop ends with a condition instead of an endless jump */
    int child, other, next;
};

static struct node nodes[MAX_NODES];
static int n_nodes;
static struct rig rig;
static uint64_t seed = 0x123456789abcdefull;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % n;
}

static int new_node(enum kind kind)
{
    REQUIRE(n_nodes < MAX_NODES);
    nodes[n_nodes] = (struct node){.kind = kind, .child = -1, .other = -1, .next = -1};
    nodes[n_nodes].value = kind == OP ? 1 + random_below(30000) : random_below(12);
    nodes[n_nodes].inverted = random_below(2);
    return n_nodes++;
}

static int make_sequence(int depth, int loops, bool allow_cont)
{
    int first = -1, *link = &first;
    int n = 1 + (int)random_below(4);
    for (int i = 0; i < n && n_nodes < MAX_NODES - 50; i++) {
        uint32_t what = random_below(10);
        int id;
        if (what < 3 && depth < 4) {
            id = new_node(IF);
            nodes[id].has_else = random_below(2);
            int a = make_sequence(depth + 1, loops, allow_cont);
            int b = nodes[id].has_else ? make_sequence(depth + 1, loops, allow_cont) : -1;
            nodes[id].child = a;
            nodes[id].other = b;
        } else if (what < 5 && depth < 4 && loops < 3) {
            id = new_node(LOOP);
            nodes[id].value = 1 + random_below(4);
            nodes[id].until = random_below(2);
            /* The condition at a loop's end is worked out in its body, so nothing may skip to it.
             */
            int a = make_sequence(depth + 1, loops + 1, !nodes[id].until);
            nodes[id].child = a;
        } else if (what == 5 && loops) {
            id = new_node(BREAK);
        } else if (what == 6 && loops && allow_cont) {
            id = new_node(CONT);
        } else if (what == 7 && random_below(4) == 0) {
            id = new_node(HALT);
        } else {
            id = new_node(OP);
        }
        *link = id;
        link = &nodes[id].next;
    }
    return first;
}

/* ---- one channel at a time ---- */

enum outcome { GO_ON, BROKE, CONTINUED, HALTED };

static bool decides(const struct node *n, uint32_t x)
{
    return (x >> n->value & 1) != n->inverted;
}

static enum outcome interpret(int id, uint32_t *x)
{
    for (; id >= 0; id = nodes[id].next) {
        const struct node *n = &nodes[id];
        enum outcome o = GO_ON;
        switch (n->kind) {
        case OP:
            *x = *x * 5 + n->value;
            break;
        case IF:
            if (decides(n, *x))
                o = interpret(n->child, x);
            else if (n->has_else)
                o = interpret(n->other, x);
            break;
        case LOOP:
            for (uint32_t i = 0;;) {
                if (!n->until && ++i > n->value)
                    break;
                o = interpret(n->child, x);
                if (o == BROKE || o == HALTED)
                    break;
                if (n->until && ++i >= n->value)
                    break;
            }
            o = o == HALTED ? HALTED : GO_ON;
            break;
        case BREAK:
            o = decides(n, *x) ? BROKE : GO_ON;
            break;
        case CONT:
            o = decides(n, *x) ? CONTINUED : GO_ON;
            break;
        case HALT:
            o = decides(n, *x) ? HALTED : GO_ON;
            break;
        case SEQ:
            break;
        }
        if (o != GO_ON)
            return o;
    }
    return GO_ON;
}

/* ---- text ---- */

static char text[1 << 19];
static size_t text_size;
static int n_labels;

__attribute__((format(printf, 1, 2))) static void emit(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_size += (size_t)vsnprintf(text + text_size, sizeof text - text_size, fmt, ap);
    va_end(ap);
    REQUIRE(text_size < sizeof text - 100);
}

static void emit_op(const struct node *n)
{
    emit("shl (16|M0) r14.0<1>:ud r%d.0<8;8,1>:ud 2:ud\n", X);
    emit("add (16|M0) r%d.0<1>:ud r%d.0<8;8,1>:ud r14.0<8;8,1>:ud\n", X, X);
    emit("add (16|M0) r%d.0<1>:ud r%d.0<8;8,1>:ud %u:ud\n", X, X, n->value);
}

/* f0.0 = the bit decides "yes". */
static void emit_condition(const struct node *n)
{
    emit("and (16|M0) (%s)f0.0 null<1>:ud r%d.0<8;8,1>:ud 0x%x:ud\n", n->inverted ? "eq" : "ne", X,
         1u << n->value);
}

/* end: label of the innermost block's end; loop: label of the innermost loop's while. */
static void structured(int id, int end, int loop, int depth)
{
    for (; id >= 0; id = nodes[id].next) {
        const struct node *n = &nodes[id];
        int a, b, c;
        switch (n->kind) {
        case OP:
            emit_op(n);
            break;
        case IF:
            a = n_labels++, b = n_labels++, c = n_labels++;
            emit_condition(n);
            if (n->has_else) {
                emit("(f0.0) if (16|M0) @L%d @L%d\n", b, c);
                structured(n->child, a, loop, depth);
                emit("L%d:\n", a);
                emit(rig.gen >= 80 ? "else (16|M0) @L%d @L%d\n" : "else (16|M0) @L%d\n", c, c);
                emit("L%d:\n", b);
                structured(n->other, c, loop, depth);
            } else {
                emit("(f0.0) if (16|M0) @L%d @L%d\n", c, c);
                structured(n->child, c, loop, depth);
            }
            emit("L%d:\n", c);
            if (end >= 0)
                emit("endif (16|M0) @L%d\n", end);
            else
                emit("endif (16|M0) 16\n");
            break;
        case LOOP:
            a = n_labels++, b = n_labels++;
            emit("mov (16|M0) r%d.0<1>:ud 0:ud\n", COUNT + 2 * depth);
            emit("L%d:\n", a);
            if (!n->until) {
                emit("add (16|M0) r%d.0<1>:ud r%d.0<8;8,1>:ud 1:ud\n", COUNT + 2 * depth,
                     COUNT + 2 * depth);
                emit("cmp (16|M0) (gt)f0.0 null<1>:ud r%d.0<8;8,1>:ud %u:ud {Switch}\n",
                     COUNT + 2 * depth, n->value);
                emit("(f0.0) break (16|M0) @L%d @L%d\n", b, b);
            }
            structured(n->child, b, b, depth + 1);
            if (n->until) {
                emit("add (16|M0) r%d.0<1>:ud r%d.0<8;8,1>:ud 1:ud\n", COUNT + 2 * depth,
                     COUNT + 2 * depth);
                emit("cmp (16|M0) (lt)f0.0 null<1>:ud r%d.0<8;8,1>:ud %u:ud {Switch}\n",
                     COUNT + 2 * depth, n->value);
            }
            emit("L%d:\n", b);
            emit("%swhile (16|M0) @L%d\n", n->until ? "(f0.0) " : "", a);
            break;
        case BREAK:
        case CONT:
            emit_condition(n);
            emit("(f0.0) %s (16|M0) @L%d @L%d\n", n->kind == BREAK ? "break" : "cont", end, loop);
            break;
        case HALT:
            emit_condition(n);
            if (end >= 0)
                emit("(f0.0) halt (16|M0) @L%d @END\n", end);
            else
                emit("(f0.0) halt (16|M0) @END @END\n");
            break;
        case SEQ:
            break;
        }
    }
}

/* A forward goto moves the channels whose predicate is false; JIP and joins lead to the next join
 * in the text, which "@J" stands for until the text is complete. */
static void lowered(int id, int brk, int cont, int depth)
{
    for (; id >= 0; id = nodes[id].next) {
        const struct node *n = &nodes[id];
        int a, b, c;
        switch (n->kind) {
        case OP:
            emit_op(n);
            break;
        case IF:
            a = n_labels++, b = n_labels++;
            emit_condition(n);
            emit("(f0.0) goto (16|M0) @J @L%d\n", n->has_else ? a : b);
            lowered(n->child, brk, cont, depth);
            if (n->has_else) {
                emit("(W) mov (1|M0) f0.1<1>:uw 0:uw\n(f0.1) goto (16|M0) @J @L%d\n", b);
                emit("L%d:\njoin (16|M0) @J\n", a);
                lowered(n->other, brk, cont, depth);
            }
            emit("L%d:\njoin (16|M0) @J\n", b);
            break;
        case LOOP:
            a = n_labels++, b = n_labels++, c = n_labels++;
            emit("mov (16|M0) r%d.0<1>:ud 0:ud\n", COUNT + 2 * depth);
            emit("L%d:\n", a);
            if (!n->until) {
                emit("add (16|M0) r%d.0<1>:ud r%d.0<8;8,1>:ud 1:ud\n", COUNT + 2 * depth,
                     COUNT + 2 * depth);
                emit("cmp (16|M0) (le)f0.0 null<1>:ud r%d.0<8;8,1>:ud %u:ud {Switch}\n",
                     COUNT + 2 * depth, n->value);
                emit("(f0.0) goto (16|M0) @J @L%d\n", b);
            }
            lowered(n->child, b, c, depth + 1);
            emit("L%d:\njoin (16|M0) @J\n", c);
            if (n->until) {
                emit("add (16|M0) r%d.0<1>:ud r%d.0<8;8,1>:ud 1:ud\n", COUNT + 2 * depth,
                     COUNT + 2 * depth);
                emit("cmp (16|M0) (lt)f0.0 null<1>:ud r%d.0<8;8,1>:ud %u:ud {Switch}\n",
                     COUNT + 2 * depth, n->value);
            }
            emit("%sgoto.b (16|M0) @J @L%d\n", n->until ? "(f0.0) " : "", a);
            emit("L%d:\njoin (16|M0) @J\n", b);
            break;
        case BREAK:
        case CONT:
            emit_condition(n);
            emit("(~f0.0) goto (16|M0) @J @L%d\n", n->kind == BREAK ? brk : cont);
            break;
        case HALT:
            emit_condition(n);
            emit("(~f0.0) goto (16|M0) @J @END\n");
            break;
        case SEQ:
            break;
        }
    }
}

/* Resolves "@J": a label "Jn:" before each join, and "@Jn" for the next one after a line. */
static void name_joins(void)
{
    static char out[1 << 20];
    size_t o = 0;
    int next = 0;
    for (char *p = text; *p;) {
        size_t len = strcspn(p, "\n");
        bool join = !strncmp(p, "join", 4);
        if (join)
            o += (size_t)sprintf(out + o, "J%d:\n", next++);
        for (size_t i = 0; i < len; i++) {
            if (p[i] == '@' && p[i + 1] == 'J') {
                o += (size_t)sprintf(out + o, "@J%d", next);
                i++;
            } else {
                out[o++] = p[i];
            }
        }
        out[o++] = '\n';
        p += len + (p[len] == '\n');
    }
    /* The last join leads nowhere. */
    o += (size_t)sprintf(out + o, "J%d:\n", next);
    out[o] = 0;
    REQUIRE(o < sizeof text);
    memcpy(text, out, o + 1);
    text_size = o;
}

static void run_program(int root, bool jumps, unsigned round)
{
    uint32_t x[LANES];
    text_size = 0;
    n_labels = 0;
    if (jumps) {
        lowered(root, -1, -1, 0);
        emit("END:\njoin (16|M0) @J\n");
        name_joins();
    } else {
        structured(root, -1, -1, 0);
        emit("END:\nhalt (16|M0) 16 16\n");
    }
    rig_program(&rig, text);
    rig_reset(&rig, round % 3 ? 0xffff : 0x7bde);
    for (unsigned i = 0; i < LANES; i++)
        x[i] = random_below(1 << 30);
    rig_set(&rig, X, x, sizeof x);
    bool ok = rig_run(&rig, round % 2 ? EU_MODE_FAST : EU_MODE_GENERAL);
    CHECKF(ok, "gen %d round %u jumps %d", rig.gen, round, jumps);
    for (unsigned i = 0; ok && i < LANES; i++) {
        uint32_t want = x[i];
        if (rig.t.dispatch_mask >> i & 1)
            interpret(root, &want);
        CHECKF(rig_ud(&rig, X, i) == want, "gen %d round %u jumps %d lane %u: %x, not %x", rig.gen,
               round, jumps, i, rig_ud(&rig, X, i), want);
    }
}

/* ---- single cases ---- */

static void go(const char *program)
{
    rig_program(&rig, program);
    rig_reset(&rig, 0xffff);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t v = i;
        memcpy(rig.t.grf + X * 32 + 4 * i, &v, 4);
    }
}

static void expect(const char *what, uint32_t (*want)(uint32_t lane))
{
    CHECKF(rig_run(&rig, EU_MODE_FAST), "gen %d: %s", rig.gen, what);
    for (unsigned i = 0; i < 16; i++)
        CHECKF(rig_ud(&rig, 30, i) == want(i), "gen %d: %s: lane %u: %u", rig.gen, what, i,
               rig_ud(&rig, 30, i));
}

static uint32_t want_two(uint32_t lane)
{
    (void)lane;
    return 2;
}

static uint32_t want_partial(uint32_t lane)
{
    return lane < 4 ? (lane & 1 ? 11 : 1) : lane < 8 ? 1 : 1 + (lane & 1);
}

static uint32_t want_call(uint32_t lane)
{
    return lane < 5 ? 107 : 7;
}

static uint32_t want_spf(uint32_t lane)
{
    (void)lane;
    return 3;
}

static void single_cases(void)
{
    /* A uniform jump over an instruction, and one that isn't taken. */
    go("mov (16|M0) r30.0<1>:ud 1:ud\n"
       "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<8;8,1>:d 99:d {Switch}\n"
       "(W&f0.0.all16h) jmpi (1|M0) @over\n"
       "mov (16|M0) r30.0<1>:ud 77:ud\n"
       "over:\n"
       "(W&~f0.0.any16h) jmpi (1|M0) @end\n"
       "add (16|M0) r30.0<1>:ud r30.0<8;8,1>:ud 1:ud\n"
       "end:\n"
       "nop\n");
    expect("jmpi", want_two);
    /* Branches over four channels: the others go with the thread. */
    go("mov (16|M0) r30.0<1>:ud 1:ud\n"
       "and (16|M0) (ne)f0.0 null<1>:ud r10.0<8;8,1>:ud 1:ud\n"
       "(f0.0) if (4|M0) @e1 @e1\n"
       "add (4|M0) r30.0<1>:ud r30.0<4;4,1>:ud 10:ud\n"
       "e1:\n"
       "endif (4|M0) 16\n"
       "cmp (16|M0) (gt)f0.1 null<1>:ud r10.0<8;8,1>:ud 50:ud {Switch}\n"
       "(f0.1) if (4|M4) @e2 @e2\n"
       "add (4|M4) r30.4<1>:ud r30.4<4;4,1>:ud 20:ud\n"
       "e2:\n"
       "endif (4|M4) 16\n"
       "(f0.0) if (8|M8) @e3 @e3\n"
       "add (8|M8) r31.0<1>:ud r31.0<8;8,1>:ud 1:ud\n"
       "e3:\n"
       "endif (8|M8) 16\n");
    expect("part of the channels", want_partial);
    /* Some channels call a function. */
    go("mov (16|M0) r30.0<1>:ud 7:ud\n"
       "cmp (16|M0) (lt)f0.0 null<1>:ud r10.0<8;8,1>:ud 5:ud {Switch}\n"
       "(f0.0) call (16|M0) r40.0 @f\n"
       "(W) jmpi (1|M0) @end\n"
       "f:\n"
       "add (16|M0) r30.0<1>:ud r30.0<8;8,1>:ud 100:ud\n"
       "ret (16|M0) r40.0\n"
       "end:\n"
       "nop\n");
    expect("call", want_call);
    /* Single program flow: channel 0 decides for all. */
    go("mov (16|M0) r30.0<1>:ud 1:ud\n"
       "cmp (16|M0) (eq)f0.0 null<1>:ud r10.0<8;8,1>:ud 0:ud {Switch}\n"
       "(f0.0) if (16|M0) @e @e\n"
       "add (16|M0) r30.0<1>:ud r30.0<8;8,1>:ud 2:ud\n"
       "e:\n"
       "endif (16|M0) 16\n"
       "(~f0.0) if (16|M0) @e2 @e2\n"
       "add (16|M0) r30.0<1>:ud r30.0<8;8,1>:ud 50:ud\n"
       "e2:\n"
       "endif (16|M0) 16\n");
    rig.t.cr0[0] = 4;
    expect("single program flow", want_spf);
    /* Running off the code, and ending while channels wait, are faults that say so. */
    rig.quiet = true;
    go("(W) jmpi (1|M0) 65536\n");
    CHECK(!rig_run(&rig, EU_MODE_FAST) && strstr(rig.fault.text, "left the mapped code"));
    go("and (16|M0) (ne)f0.0 null<1>:ud r10.0<8;8,1>:ud 1:ud\n(f0.0) break (16|M0) 64 "
       "64\nnop\nnop\nnop\n");
    CHECK(rig_run(&rig, EU_MODE_FAST) == false && strstr(rig.fault.text, "wait elsewhere"));
    rig.quiet = false;
}

int main(void)
{
    static const char *const devices[] = {"ivb", "hsw", "bdw", "skl"};
    for (unsigned d = 0; d < 4; d++) {
        rig_init(&rig, devices[d]);
        for (unsigned round = 0; round < 150; round++) {
            n_nodes = 0;
            int root = make_sequence(0, 0, true);
            run_program(root, false, round);
            if (rig.gen >= 80)
                run_program(root, true, round);
        }
        single_cases();
        rig_fini(&rig);
    }
    return utest_end();
}
