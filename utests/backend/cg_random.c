/* Random structured programs: if, else, loops with divergent and uniform conditions and with
 * breaks, nested, over a few variables. The program is a tree; an interpreter runs it item by item
 * on the host, and the same tree as Gen IR (variables become phis where ways meet) runs on the
 * simulated EU, at every width and generation, and again with so many live values that it spills.
 */
#include "cg_bench.h"

#include <stdarg.h>

enum { N_VARS = 6, MAX_NODES = 400, ITEMS = 37, MAX_DEPTH = 4 };

enum kind { ASSIGN, IF, LOOP, STORE, BREAK };
enum { ADD, SUB, MUL, XOR, AND, MIN, SHR, SELECT, LOAD, N_BINARY };
enum { EQ, ULT, SLT, BIT, N_CMP };

/* Operands: variables 0 .. N_VARS - 1, then constants, then the uniform parameter. */
struct arg {
    uint8_t var; /* N_VARS: constant; N_VARS + 1: parameter */
    uint32_t value;
};
struct node {
    enum kind kind;
    struct node *next, *then, *other; /* bodies */
    uint8_t var, op, cmp;
    struct arg a, b;     /* of the assignment */
    struct arg x, y;     /* of the condition */
    struct arg x2, y2;   /* of its second part */
    uint8_t cmp2, logic; /* 0 none, 1 and, 2 or, 3, 4: as selects */
    unsigned limit;      /* loop: rounds at most */
    unsigned counter;    /* loop: number */
};

static struct node nodes[MAX_NODES];
static unsigned n_nodes, n_loops, budget;
static uint32_t rng = 1;

static uint32_t rnd(uint32_t n)
{
    rng ^= rng << 13;
    rng ^= rng >> 17;
    rng ^= rng << 5;
    return n ? rng % n : rng;
}

static struct arg make_arg(void)
{
    uint32_t r = rnd(10);
    if (r < 6)
        return (struct arg){rnd(N_VARS), 0};
    if (r < 9)
        return (struct arg){N_VARS, rnd(3) ? rnd(20) : rnd(0)};
    return (struct arg){N_VARS + 1, 0};
}

static struct node *make_body(unsigned depth, bool in_loop);

static struct node *make_node(unsigned depth, bool in_loop)
{
    struct node *n = &nodes[n_nodes++];
    memset(n, 0, sizeof *n);
    uint32_t r = rnd(12);
    n->var = rnd(N_VARS);
    n->op = rnd(N_BINARY);
    n->cmp = rnd(N_CMP);
    n->a = make_arg();
    n->b = make_arg();
    n->x = make_arg();
    n->y = make_arg();
    n->x2 = make_arg();
    n->y2 = make_arg();
    n->cmp2 = rnd(N_CMP);
    n->logic = rnd(2) ? rnd(5) : 0;
    n->kind = ASSIGN;
    if (depth < MAX_DEPTH && n_nodes + 20 < budget && r < 5) {
        n->kind = r < 3 ? IF : LOOP;
        n->then = make_body(depth + 1, in_loop || n->kind == LOOP);
        if (n->kind == IF && rnd(2))
            n->other = make_body(depth + 1, in_loop);
        n->limit = 1 + rnd(5);
        n->counter = n_loops++;
    } else if (r == 11) {
        n->kind = STORE;
    } else if (r > 8 && in_loop) {
        n->kind = BREAK;
        if (depth < MAX_DEPTH && n_nodes + 20 < budget && rnd(2))
            n->then = make_body(depth + 1, true);
    }
    return n;
}

static struct node *make_body(unsigned depth, bool in_loop)
{
    struct node *first = NULL, **end = &first;
    for (unsigned k = 1 + rnd(4); k && n_nodes + 2 < budget; k--) {
        *end = make_node(depth, in_loop);
        end = &(*end)->next;
    }
    return first;
}

/* ---- on the host ---- */

struct item {
    uint32_t v[N_VARS], param;
    const uint32_t *in;
    uint32_t *out; /* 8 dwords */
    unsigned stores;
};

static uint32_t value(const struct item *t, struct arg a)
{
    return a.var < N_VARS ? t->v[a.var] : a.var == N_VARS ? a.value : t->param;
}

static bool compare(const struct item *t, unsigned cmp, struct arg a, struct arg b)
{
    uint32_t x = value(t, a), y = value(t, b);
    switch (cmp) {
    case EQ:
        return (x & 7) == (y & 7);
    case ULT:
        return x < y;
    case SLT:
        return (int32_t)x < (int32_t)y;
    default:
        return x >> (y & 31) & 1;
    }
}

static bool condition(const struct item *t, const struct node *n)
{
    bool c = compare(t, n->cmp, n->x, n->y);
    if (n->logic % 2 == 1)
        return c && compare(t, n->cmp2, n->x2, n->y2);
    return c || (n->logic && compare(t, n->cmp2, n->x2, n->y2));
}

static uint32_t compute(const struct item *t, const struct node *n)
{
    uint32_t a = value(t, n->a), b = value(t, n->b);
    switch (n->op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case XOR:
        return a ^ b;
    case AND:
        return a & b;
    case MIN:
        return a < b ? a : b;
    case SHR:
        return a >> (b & 31);
    case SELECT:
        return condition(t, n) ? a : b;
    default:
        return t->in[(a ^ b) & 63];
    }
}

/* True if the innermost loop is left. */
static bool run(struct item *t, const struct node *n)
{
    for (; n; n = n->next) {
        unsigned round = 0;
        switch (n->kind) {
        case ASSIGN:
            t->v[n->var] = compute(t, n);
            break;
        case IF:
            if (run(t, condition(t, n) ? n->then : n->other))
                return true;
            break;
        case LOOP:
            while (!run(t, n->then) && ++round < n->limit && condition(t, n))
                ;
            break;
        case STORE:
            t->out[n->a.value % 4] += value(t, n->b);
            break;
        case BREAK:
            if (!condition(t, n))
                break;
            run(t, n->then);
            return true;
        }
    }
    return false;
}

/* ---- as Gen IR ---- */

static char *text;
static size_t text_size, text_cap;
static unsigned next_value, next_block;

static void put(const char *format, ...)
{
    va_list ap;
    if (text_cap - text_size < 1024) {
        text_cap = 2 * text_cap + 4096;
        text = realloc(text, text_cap);
        REQUIRE(text);
    }
    va_start(ap, format);
    text_size += vsnprintf(text + text_size, text_cap - text_size, format, ap);
    va_end(ap);
}

struct env {
    unsigned v[N_VARS]; /* names: %v<number> */
};

static const char *arg_name(const struct env *e, struct arg a)
{
    static char buf[8][16];
    static unsigned k;
    char *b = buf[k++ % 8];
    if (a.var < N_VARS)
        snprintf(b, 16, "%%v%u", e->v[a.var]);
    else if (a.var == N_VARS)
        snprintf(b, 16, "0x%x", a.value);
    else
        snprintf(b, 16, "%%param");
    return b;
}

static unsigned put_compare(const struct env *e, unsigned cmp, struct arg ax, struct arg ay)
{
    unsigned c = next_value, t = next_value + 1;
    next_value += 4;
    const char *x = arg_name(e, ax), *y = arg_name(e, ay);
    switch (cmp) {
    case EQ:
        put("%%v%u:i32 = and %s, 7\n%%v%u:i32 = and %s, 7\n%%v%u:i1 = icmp.eq %%v%u, %%v%u\n", t, x,
            t + 1, y, c, t, t + 1);
        break;
    case ULT:
        put("%%v%u:i1 = icmp.ult %s, %s\n", c, x, y);
        break;
    case SLT:
        put("%%v%u:i1 = icmp.slt %s, %s\n", c, x, y);
        break;
    default:
        put("%%v%u:i32 = lshr %s, %s\n%%v%u:i1 = i2b %%v%u\n", t, x, y, c, t);
        break;
    }
    return c;
}

static unsigned put_condition(const struct env *e, const struct node *n)
{
    static const char *const forms[] = {"", "and1 %%v%u, %%v%u", "or1 %%v%u, %%v%u",
                                        "select %%v%u, %%v%u, 0", "select %%v%u, 1, %%v%u"};
    unsigned c = put_compare(e, n->cmp, n->x, n->y);
    if (!n->logic)
        return c;
    unsigned c2 = put_compare(e, n->cmp2, n->x2, n->y2), r = next_value++;
    put("%%v%u:i1 = ", r);
    put(forms[n->logic], c, c2);
    put("\n");
    return r;
}

static void put_assign(struct env *e, const struct node *n)
{
    static const char *const names[] = {"add", "sub", "mul", "xor", "and", "umin", "lshr"};
    const char *a = arg_name(e, n->a), *b = arg_name(e, n->b);
    unsigned d;
    if (n->op == SELECT) {
        unsigned c = put_condition(e, n);
        d = next_value++;
        put("%%v%u:i32 = select %%v%u, %s, %s\n", d, c, a, b);
    } else if (n->op == LOAD) {
        unsigned t = next_value;
        next_value += 3;
        d = next_value++;
        put("%%v%u:i32 = xor %s, %s\n%%v%u:i32 = and %%v%u, 63\n%%v%u:i32 = shl %%v%u, 2\n"
            "%%v%u:i32 = load surface 0 d32x1 align 4 [%%v%u]\n",
            t, a, b, t + 1, t, t + 2, t + 1, d, t + 2);
    } else {
        d = next_value++;
        put("%%v%u:i32 = %s %s, %s\n", d, names[n->op], a, b);
    }
    e->v[n->var] = d;
}

/* The innermost loop that is being written: where its breaks come from. */
static struct loop {
    unsigned exit, n_breaks;
    struct {
        unsigned block;
        struct env e;
    } breaks[MAX_NODES];
} * loop;

static unsigned put_body(struct env *e, const struct node *n, unsigned block);

/* Returns the block that goes on. */
static unsigned put_break(struct env *e, const struct node *n, unsigned block)
{
    unsigned c = put_condition(e, n), arm = next_block++, stay = next_block++, from = block;
    struct env a = *e;
    if (n->then) {
        put("branch %%v%u, b%u, b%u merge b%u\nb%u: preds b%u\n", c, arm, stay, stay, arm, block);
        from = put_body(&a, n->then, arm);
        put("leave b%u\n", loop->exit);
    } else {
        put("break %%v%u, b%u, b%u\n", c, stay, loop->exit);
    }
    loop->breaks[loop->n_breaks].block = from;
    loop->breaks[loop->n_breaks++].e = a;
    put("b%u: preds b%u\n", stay, block);
    return stay;
}

/* Both return the block that they leave open. */
static unsigned put_if(struct env *e, const struct node *n, unsigned block)
{
    unsigned c = put_condition(e, n), then = next_block++, other = n->other ? next_block++ : 0,
             merge = next_block++;
    struct env a = *e, b = *e;
    put("branch %%v%u, b%u, b%u merge b%u\nb%u: preds b%u\n", c, then, n->other ? other : merge,
        merge, then, block);
    unsigned a_end = put_body(&a, n->then, then), b_end = block;
    put("jump b%u\n", merge);
    if (n->other) {
        put("b%u: preds b%u\n", other, block);
        b_end = put_body(&b, n->other, other);
        put("jump b%u\n", merge);
    }
    put("b%u: preds b%u b%u\n", merge, a_end, b_end);
    for (unsigned k = 0; k < N_VARS; k++) {
        if (a.v[k] == b.v[k]) {
            e->v[k] = a.v[k];
            continue;
        }
        e->v[k] = next_value++;
        put("%%v%u:i32 = phi b%u %%v%u, b%u %%v%u\n", e->v[k], a_end, a.v[k], b_end, b.v[k]);
    }
    return merge;
}

static void mark_assigned(const struct node *n, bool assigned[N_VARS])
{
    for (; n; n = n->next) {
        if (n->kind == ASSIGN)
            assigned[n->var] = true;
        mark_assigned(n->then, assigned);
        mark_assigned(n->other, assigned);
    }
}

static unsigned put_loop(struct env *e, const struct node *n, unsigned block)
{
    bool assigned[N_VARS] = {false};
    unsigned header = next_block++, phi[N_VARS], counter = next_value++, count = next_value++;
    struct env before = *e;
    mark_assigned(n->then, assigned);
    put("jump b%u\nb%u: preds b%u later%u\n", header, header, block, n->counter);
    for (unsigned k = 0; k < N_VARS; k++) {
        if (!assigned[k])
            continue;
        e->v[k] = phi[k] = next_value++;
        put("%%v%u:i32 = phi b%u %%v%u, later%u %%l%u_%u\n", phi[k], block, before.v[k], n->counter,
            n->counter, k);
    }
    put("%%v%u:i32 = phi b%u 0, later%u %%v%u\n", counter, block, n->counter, count);
    struct loop *outer = loop, *own = loop = calloc(1, sizeof *own);
    REQUIRE(own);
    own->exit = next_block++;
    unsigned end = put_body(e, n->then, header), bit = next_value;
    bool endless = own->n_breaks && n->limit % 2 == 0; /* the last of the body is a break, too */
    loop = outer;
    next_value += 3;
    if (!endless)
        put("jump later%u\nlater%u: preds b%u\n", n->counter, n->counter, end);
    put("%%v%u:i32 = add %%v%u, 1\n", count, counter);
    for (unsigned k = 0; k < N_VARS; k++) {
        if (assigned[k])
            put("%%l%u_%u:i32 = mov %%v%u\n", n->counter, k, e->v[k]);
    }
    unsigned c = put_condition(e, n);
    put("%%v%u:i1 = icmp.ult %%v%u, %u\n%%v%u:i1 = and1 %%v%u, %%v%u\n", bit, count, n->limit,
        bit + 1, c, bit);
    if (endless)
        put("%%v%u:i1 = not1 %%v%u\nbreak %%v%u, later%u, b%u\nlater%u: preds b%u\nloop 1, b%u, "
            "b%u\nb%u: preds later%u b%u",
            bit + 2, bit + 1, bit + 2, n->counter, own->exit, n->counter, end, header, own->exit,
            own->exit, n->counter, end);
    else
        put("loop %%v%u, b%u, b%u\nb%u: preds later%u", bit + 1, header, own->exit, own->exit,
            n->counter);
    for (unsigned b = 0; b < own->n_breaks; b++)
        put(" b%u", own->breaks[b].block);
    put("\n");
    for (unsigned k = 0; k < N_VARS && own->n_breaks; k++) {
        if (!assigned[k])
            continue;
        e->v[k] = next_value++;
        if (endless)
            put("%%v%u:i32 = phi later%u %%undef, b%u %%l%u_%u", e->v[k], n->counter, end,
                n->counter, k);
        else
            put("%%v%u:i32 = phi later%u %%l%u_%u", e->v[k], n->counter, n->counter, k);
        for (unsigned b = 0; b < own->n_breaks; b++)
            put(", b%u %%v%u", own->breaks[b].block, own->breaks[b].e.v[k]);
        put("\n");
    }
    /* without breaks, as if behind the loop all were new */
    for (unsigned k = 0; k < N_VARS && n->limit % 2 && !own->n_breaks; k++) {
        if (!assigned[k])
            continue;
        put("%%v%u:i32 = phi later%u %%%c%u", next_value, n->counter, k % 2 ? 'v' : 'l',
            k % 2 ? phi[k] : n->counter);
        put(k % 2 ? "\n" : "_%u\n", k);
        if (k % 2 == 0)
            e->v[k] = next_value;
        next_value++;
    }
    unsigned exit = own->exit;
    free(own);
    return exit;
}

static unsigned put_body(struct env *e, const struct node *n, unsigned block)
{
    for (; n; n = n->next) {
        switch (n->kind) {
        case ASSIGN:
            put_assign(e, n);
            break;
        case IF:
            block = put_if(e, n, block);
            break;
        case LOOP:
            block = put_loop(e, n, block);
            break;
        case BREAK:
            block = put_break(e, n, block);
            break;
        case STORE: {
            unsigned t = next_value;
            next_value += 2;
            put("%%v%u:i32 = load surface 1 d32x1 align 4 + %u [%%out]\n%%v%u:i32 = add %%v%u, %s\n"
                "store surface 1 d32x1 align 4 + %u [%%out] %%v%u\n",
                t, n->a.value % 4 * 4, t + 1, t, arg_name(e, n->b), n->a.value % 4 * 4, t + 1);
            break;
        }
        }
    }
    return block;
}

/* `ballast`: values computed at the start and used at the end, to take registers. */
static void put_program(const struct node *body, unsigned ballast)
{
    struct env e;
    text_size = 0;
    next_value = 0;
    next_block = 1;
    put("fn k push 32\nsurface arg 0\nsurface arg 1 written\nb0:\n%%param:i32 = param 4\n%%id:i32 "
        "= local_id 0\n%%out:i32 = shl %%id, 6\n%%undef:i32 = undef\n");
    for (unsigned k = 0; k < N_VARS; k++) {
        e.v[k] = next_value++;
        if (k % 3 == 2)
            put("%%v%u:i32 = add %%param, %u\n", e.v[k], k);
        else
            put("%%v%u:i32 = mul %%id, %u\n", e.v[k], k * 77 + 1);
    }
    for (unsigned k = 0; k < ballast; k++)
        put("%%x%u:i32 = mul %%id, %u\n", k, 2 * k + 3);
    put_body(&e, body, 0);
    for (unsigned k = 0; k < N_VARS; k++)
        put("store surface 1 d32x1 align 4 + %u [%%out] %%v%u\n", 16 + 4 * k, e.v[k]);
    unsigned sum = next_value++;
    put("%%v%u:i32 = mov %%id\n", sum);
    for (unsigned k = 0; k < ballast; k++) {
        put("%%v%u:i32 = mul %%v%u, 3\n%%v%u:i32 = add %%v%u, %%x%u\n", next_value, sum,
            next_value + 1, next_value, k);
        sum = next_value + 1;
        next_value += 2;
    }
    put("store surface 1 d32x1 align 4 + 40 [%%out] %%v%u\nend\n", sum);
}

static unsigned spilled;

static void check_program(unsigned seed, const char *device, unsigned simd, unsigned size,
                          unsigned ballast)
{
    uint32_t want[16 * ITEMS];
    rng = seed * 2654435761u | 1;
    n_nodes = n_loops = 0;
    budget = size;
    struct node *body = make_body(0, false);
    put_program(body, ballast);
    if (!bench_compile(text, device, simd, true)) {
        CHECKF(false, "seed %u %s SIMD%u", seed, device, simd);
        return;
    }
    spilled += bench.k.n_spills;
    for (unsigned i = 0; i < 64; i++)
        bench.mem[0][i] = rnd(0);
    bench.push[1] = rnd(40);
    memset(bench.mem[1], 0, BENCH_BYTES);
    memset(want, 0, sizeof want);
    for (unsigned i = 0; i < ITEMS; i++) {
        struct item t = {.param = bench.push[1], .in = bench.mem[0], .out = &want[16 * i]};
        for (unsigned k = 0; k < N_VARS; k++)
            t.v[k] = k % 3 == 2 ? t.param + k : i * (k * 77 + 1);
        run(&t, body);
        memcpy(&want[16 * i + 4], t.v, sizeof t.v);
        want[16 * i + 10] = i;
        for (unsigned k = 0; k < ballast; k++)
            want[16 * i + 10] = want[16 * i + 10] * 3 + i * (2 * k + 3);
    }
    bool ok = bench_run(ITEMS);
    CHECKF(ok, "seed %u %s SIMD%u: %s", seed, device, simd, bench.fault);
    for (unsigned i = 0; ok && i < 16 * ITEMS; i++) {
        CHECKF(bench.mem[1][i] == want[i], "seed %u %s SIMD%u: item %u dword %u: 0x%x, not 0x%x",
               seed, device, simd, i / 16, i % 16, bench.mem[1][i], want[i]);
        if (bench.mem[1][i] != want[i])
            break;
    }
}

int main(int argc, char **argv)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2", "bxt-3x6"};
    unsigned first = argc > 1 ? strtoul(argv[1], NULL, 0) : 1,
             n = argc > 2 ? strtoul(argv[2], NULL, 0) : 300;
    bench.seed = 3;
    for (unsigned seed = first; seed < first + n; seed++) {
        unsigned d = seed % (sizeof devices / sizeof *devices);
        unsigned size = seed % 4 == 0 ? 300 : seed % 4 * 40;
        check_program(seed, devices[d], 32, size, 0);
        check_program(seed, devices[d], 16, size, 0);
        check_program(seed, devices[d], 8, size, 0);
        check_program(seed, devices[d], 32, size, 40);
        check_program(seed, devices[d], 16, size, 70);
        check_program(seed, devices[d], 8, size, 140);
    }
    CHECK(spilled > 0 || n < 10);
    free(text);
    return utest_end();
}
