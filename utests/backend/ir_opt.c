/* The optimiser: random programs do the same before and after it, and each rewriting shows where it
 * must. */
#include "ir_interp.h"
#include "utest.h"

#include <stdarg.h>

static uint64_t seed;
static uint32_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static char *printed(const struct ir_fn *fn)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ir_print(fn, f);
    fclose(f);
    return text;
}

/* ---- random programs ---- */

enum { LANES = 16, SLOT = 256, MAX_POOL = 400 };

struct maker {
    struct ir_fn *fn;
    struct ir_block *b;
    struct ir_value *pool[3][MAX_POOL]; /* by type: values that dominate the cursor */
    unsigned n[3];
    unsigned budget;
};

static uint32_t constant(void)
{
    static const uint32_t special[] = {
        0,          1,          2,          3,      7,          8,   31,   32,  255, 256,
        0x80000000, 0xffffffff, 0x7fffffff, 0xffff, 0xffffff80, 100, 1000, 641, 10,  12};
    return rnd() % 3 ? special[rnd() % (sizeof special / sizeof *special)] : rnd();
}

static struct ir_src any(struct maker *m, enum ir_type t)
{
    if (m->n[t] && rnd() % 4)
        return ir_val(m->pool[t][rnd() % 3 ? m->n[t] - 1 - rnd() % (m->n[t] < 6 ? m->n[t] : 6)
                                           : rnd() % m->n[t]]);
    return ir_imm(t == IR_I1    ? rnd() & 1
                  : t == IR_F32 ? 0x3f800000 + (rnd() & 0xffffff)
                                : constant());
}

static void keep(struct maker *m, struct ir_value *v)
{
    if (m->n[v->type] < MAX_POOL)
        m->pool[v->type][m->n[v->type]++] = v;
}

static struct ir_insn *put(struct maker *m, enum ir_op op, unsigned n_dst, unsigned n_src, ...)
{
    struct ir_insn *i = ir_new(m->fn, op, n_dst, n_src);
    va_list ap;
    va_start(ap, n_src);
    for (unsigned n = 0; n < n_src; n++)
        ir_set_src(i, n, va_arg(ap, struct ir_src));
    va_end(ap);
    ir_append(m->b, i);
    return i;
}

/* An address in the lane's own slot of surface 0, 4-aligned. */
static struct ir_src own_address(struct maker *m)
{
    struct ir_insn *lane = put(m, IR_lane_id, 1, 0);
    struct ir_insn *base = put(m, IR_mul, 1, 2, ir_val(lane->dst[0]), ir_imm(SLOT));
    if (rnd() % 2)
        return ir_val(base->dst[0]);
    if (rnd() % 2)
        return ir_val(put(m, IR_add, 1, 2, ir_val(base->dst[0]), ir_imm(rnd() % 16 * 4))->dst[0]);
    struct ir_insn *low = put(m, IR_and, 1, 2, any(m, IR_I32), ir_imm(60));
    return ir_val(put(m, IR_add, 1, 2, ir_val(low->dst[0]), ir_val(base->dst[0]))->dst[0]);
}

static void access(struct maker *m)
{
    bool store = rnd() % 3 == 0, constant = !store && rnd() % 3 == 0;
    unsigned size = constant || rnd() % 3 ? 4 : 1 << rnd() % 2, n = size == 4 ? 1 + rnd() % 3 : 1;
    struct ir_src at = constant ? ir_imm(rnd() % 32 * 4) : own_address(m);
    if (constant && rnd() % 2) {
        struct ir_insn *a = put(m, IR_and, 1, 2, any(m, IR_I32), ir_imm(124));
        at = ir_val(a->dst[0]);
    }
    struct ir_insn *i = ir_new(m->fn, store ? IR_store : IR_load, store ? 0 : n, store ? 1 + n : 1);
    i->mem = (struct ir_mem){.space = IR_SURFACE,
                             .bti = constant,
                             .n_comp = (uint8_t)n,
                             .comp_size = (uint8_t)size,
                             .align = (uint8_t)size,
                             .is_constant = constant,
                             .offset = (int32_t)(rnd() % 16 * 4)};
    ir_set_src(i, 0, at);
    for (unsigned k = 0; store && k < n; k++)
        ir_set_src(i, 1 + k, any(m, rnd() % 4 ? IR_I32 : IR_F32));
    ir_append(m->b, i);
    for (unsigned k = 0; !store && k < n; k++) {
        struct ir_value *v = i->dst[k];
        if (size < 4) /* upper bits are not defined */
            v = put(m,
                    size == 1   ? rnd() % 2 ? IR_zext8 : IR_sext8
                    : rnd() % 2 ? IR_zext16
                                : IR_sext16,
                    1, 1, ir_val(v))
                    ->dst[0];
        keep(m, v);
    }
}

static void operation(struct maker *m)
{
    static const uint16_t plain[] = {
        IR_add,        IR_add,      IR_sub,      IR_mul,    IR_mulhi_u,   IR_mulhi_s,   IR_and,
        IR_or,         IR_xor,      IR_not,      IR_shl,    IR_lshr,      IR_ashr,      IR_smin,
        IR_smax,       IR_sadd_sat, IR_uadd_sat, IR_savg,   IR_uavg,      IR_umin,      IR_umax,
        IR_sext8,      IR_sext16,   IR_zext8,    IR_zext16, IR_clz,       IR_ctz,       IR_popcount,
        IR_bitreverse, IR_and1,     IR_or1,      IR_xor1,   IR_not1,      IR_b2i,       IR_b2m,
        IR_i2b,        IR_fadd,     IR_fmul,     IR_fsub,   IR_ffma,      IR_fneg,      IR_fabs,
        IR_ffloor,     IR_f2s,      IR_s2f,      IR_u2f,    IR_add_carry, IR_sub_borrow};
    struct ir_insn *i;
    switch (rnd() % 10) {
    case 0:
        access(m);
        return;
    case 1:
        i = put(m, IR_icmp, 1, 2, any(m, IR_I32), any(m, IR_I32));
        i->pred = rnd() % (IR_SGE + 1);
        break;
    case 2: {
        enum ir_type t = rnd() % 3;
        i = put(m, IR_select, 1, 3, any(m, IR_I1), any(m, t), any(m, t));
        i->dst[0]->type = t;
        break;
    }
    case 3: { /* divisors that are not zero */
        static const uint16_t div[] = {IR_udiv, IR_urem, IR_sdiv, IR_srem};
        uint32_t d = constant() & (rnd() % 2 ? 0xffff : 0xffffffff);
        unsigned k = rnd() % 4;
        i = put(m, div[k], 1, 2, any(m, IR_I32),
                ir_imm(d == 0 || (k >= 2 && d == 0xffffffff) ? 5 : d));
        break;
    }
    case 4:
        i = put(m, IR_fcmp, 1, 2, any(m, IR_F32), any(m, IR_F32));
        i->pred = IR_OEQ + rnd() % (IR_UNO - IR_OEQ + 1);
        break;
    case 5:
        i = rnd() % 2 ? put(m, IR_lane_id, 1, 0) : put(m, IR_param, 1, 0);
        i->imm = i->op == IR_param ? rnd() % 4 * 4 : 0;
        break;
    default: {
        unsigned op = plain[rnd() % (sizeof plain / sizeof *plain)];
        char t = ir_op_info[op].src_type;
        i = ir_new(m->fn, op, (unsigned)ir_op_info[op].n_dst, (unsigned)ir_op_info[op].n_src);
        for (unsigned n = 0; n < i->n_src; n++)
            ir_set_src(i, n, any(m, t == 'F' ? IR_F32 : t == 'B' ? IR_I1 : IR_I32));
        ir_append(m->b, i);
    }
    }
    for (unsigned n = 0; n < i->n_dst; n++)
        keep(m, i->dst[n]);
}

static struct ir_block *next_block(struct maker *m)
{
    m->b = ir_block_new(m->fn);
    return m->b;
}

static void statements(struct maker *m, unsigned depth);

static void make_if(struct maker *m, unsigned depth)
{
    struct ir_block *at = m->b;
    unsigned n[3];
    put(m, IR_branch, 0, 1, any(m, IR_I1));
    memcpy(n, m->n, sizeof n);
    at->succ[0] = next_block(m);
    statements(m, depth + 1);
    struct ir_block *then_end = m->b, *else_end = at;
    struct ir_src a[3], b[3];
    for (int t = 0; t < 3; t++)
        a[t] = any(m, t);
    put(m, IR_jump, 0, 0);
    memcpy(m->n, n, sizeof n);
    bool has_else = rnd() % 2;
    if (has_else) {
        at->succ[1] = next_block(m);
        statements(m, depth + 1);
        else_end = m->b;
    }
    for (int t = 0; t < 3; t++)
        b[t] = any(m, t);
    if (has_else)
        put(m, IR_jump, 0, 0);
    memcpy(m->n, n, sizeof n);
    struct ir_block *join = next_block(m);
    at->merge = then_end->succ[0] = join;
    if (has_else)
        else_end->succ[0] = join;
    else
        at->succ[1] = join;
    for (int t = 0; t < 3; t++) {
        bool first = !has_else; /* predecessors in layout order */
        struct ir_insn *phi = put(m, IR_phi, 1, 2, first ? b[t] : a[t], first ? a[t] : b[t]);
        phi->dst[0]->type = t;
        keep(m, phi->dst[0]);
    }
}

/* Leaves a loop where a condition is true, perhaps after an arm of its own. Returns the block that
 * does; *v: a value that it has. */
static struct ir_block *make_break(struct maker *m, unsigned depth, struct ir_src *v)
{
    struct ir_block *at = m->b, *from = at;
    bool has_arm = rnd() % 2;
    unsigned n[3];
    put(m, has_arm ? IR_branch : IR_break, 0, 1, any(m, IR_I1));
    memcpy(n, m->n, sizeof n);
    if (has_arm) {
        at->succ[0] = next_block(m);
        statements(m, depth + 1);
        from = m->b;
    }
    *v = any(m, IR_I32);
    if (has_arm)
        put(m, IR_leave, 0, 0);
    memcpy(m->n, n, sizeof n);
    at->succ[has_arm] = next_block(m);
    at->merge = has_arm ? m->b : NULL;
    return from;
}

static void make_loop(struct maker *m, unsigned depth)
{
    struct ir_src start = any(m, IR_I32), bound = rnd() % 2 ? ir_imm(rnd() % 5) : any(m, IR_I32);
    if (bound.value)
        bound = ir_val(put(m, IR_and, 1, 2, bound, ir_imm(3))->dst[0]);
    else
        bound.imm &= 3;
    put(m, IR_jump, 0, 0);
    struct ir_block *before = m->b, *header = next_block(m);
    before->succ[0] = header;
    struct ir_insn *count = put(m, IR_phi, 1, 2, ir_imm(0), ir_imm(0));
    struct ir_insn *carried = put(m, IR_phi, 1, 2, start, ir_imm(0));
    keep(m, count->dst[0]);
    keep(m, carried->dst[0]);
    statements(m, depth + 1);
    struct ir_src left = ir_imm(0), last;
    struct ir_block *leaves = rnd() % 2 ? make_break(m, depth, &left) : NULL;
    unsigned n[3];
    memcpy(n, m->n, sizeof n);
    if (leaves)
        statements(m, depth + 1);
    struct ir_insn *step = put(m, IR_add, 1, 2, ir_val(count->dst[0]), ir_imm(1));
    struct ir_insn *more = put(m, IR_icmp, 1, 2, ir_val(step->dst[0]), bound);
    more->pred = IR_ULT;
    ir_set_src(count, 1, ir_val(step->dst[0]));
    ir_set_src(carried, 1, any(m, IR_I32));
    last = any(m, IR_I32);
    put(m, IR_loop, 0, 1, ir_val(more->dst[0]));
    struct ir_block *latch = m->b;
    latch->succ[0] = header;
    latch->succ[1] = next_block(m);
    if (leaves) { /* what was made after the break isn't known here */
        leaves->succ[leaves->last->op == IR_break] = m->b;
        memcpy(m->n, n, sizeof n);
        keep(m, put(m, IR_phi, 1, 2, left, last)->dst[0]);
    }
}

static void statements(struct maker *m, unsigned depth)
{
    for (unsigned n = 2 + rnd() % 10; n && m->budget; n--, m->budget--) {
        unsigned what = rnd() % 12;
        if (what == 0 && depth < 4)
            make_if(m, depth);
        else if (what == 1 && depth < 3)
            make_loop(m, depth);
        else
            operation(m);
    }
}

static struct ir_fn *random_program(void)
{
    static struct kbin_surface surfaces[] = {{.kind = KBIN_SURFACE_ARG, .written = true},
                                             {.kind = KBIN_SURFACE_CONSTANTS}};
    struct maker m = {.budget = 120};
    m.fn = ir_fn_new("random", gen_device_by_name("skl-gt2"));
    m.fn->out->surfaces = surfaces;
    m.fn->out->n_surfaces = 2;
    m.fn->n_push_bytes = 16;
    next_block(&m);
    for (int k = 0; k < 6; k++)
        statements(&m, 0);
    for (int k = 0; k < 12; k++) { /* what is observed */
        struct ir_insn *lane = put(&m, IR_lane_id, 1, 0);
        struct ir_insn *at = put(&m, IR_mul, 1, 2, ir_val(lane->dst[0]), ir_imm(SLOT));
        struct ir_src v = any(&m, k % 3);
        if (k % 3 == IR_I1)
            v = ir_val(put(&m, IR_b2i, 1, 1, v)->dst[0]);
        struct ir_insn *s = put(&m, IR_store, 0, 2, ir_val(at->dst[0]), v);
        s->mem = (struct ir_mem){.n_comp = 1, .comp_size = 4, .align = 4, .offset = 128 + 4 * k};
    }
    put(&m, IR_end, 0, 0);
    ir_number_blocks(m.fn);
    return m.fn;
}

static bool execute(const struct ir_fn *fn, uint8_t *memory, bool check_uniform)
{
    static struct interp in;
    static uint32_t constants[64];
    memset(&in, 0, sizeof in);
    in.fn = fn;
    in.n_lanes = LANES;
    in.check_uniform = check_uniform;
    for (unsigned k = 0; k < 64; k++)
        constants[k] = k * 0x01234567u + 3;
    for (unsigned k = 0; k < LANES * SLOT; k++)
        memory[k] = (uint8_t)(k * 7);
    memcpy(in.push, "\x05\0\0\0\x10\x27\0\0\xff\xff\xff\xff\0\0\x80\x3f", 16);
    in.surface[0] = (struct interp_buffer){memory, LANES * SLOT, 0};
    in.surface[1] = (struct interp_buffer){(uint8_t *)constants, sizeof constants, 0};
    bool ok = interp_run(&in);
    if (!ok)
        fprintf(stderr, "%s\n", in.error);
    return ok;
}

/* Random NaNs: any NaN is as good as another. */
static bool same_word(const uint8_t *a, const uint8_t *b)
{
    uint32_t x, y;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    return x == y || ((x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000);
}

static void random_programs(unsigned n)
{
    static uint8_t before[LANES * SLOT], after[LANES * SLOT];
    uint64_t insns_before = 0, insns_after = 0;
    for (unsigned k = 1; k <= n; k++) {
        seed = k * 0x9e3779b97f4a7c15ull;
        struct ir_fn *fn = random_program();
        const char *why = ir_check(fn);
        char *text = printed(fn);
        CHECKF(!why, "%s", why);
        const struct ir_fn *plain = why ? NULL : ir_parse(text, fn->dev, &why);
        if (plain && execute(plain, before, false)) {
            ir_optimise(fn);
            why = ir_check(fn);
            bool ok = !why && execute(fn, after, true);
            for (unsigned w = 0; ok && w < sizeof before; w += 4)
                ok = same_word(before + w, after + w);
            CHECKF(ok, "program %u: %s", k, why ? why : "differs");
            insns_before += plain->n_values;
            insns_after += fn->n_values;
        }
        free(text);
    }
    fprintf(stderr, "%u programs: %llu values, %llu after\n", n, (unsigned long long)insns_before,
            (unsigned long long)insns_after);
}

/* ---- single rewritings ---- */

/* Optimises a body whose results are stored; how often `op` occurs then. */
static unsigned count_after(const char *body, const char *op)
{
    char text[4096];
    const char *why = "";
    unsigned n = 0;
    snprintf(
        text, sizeof text,
        "fn t push 16\nsurface arg 0 written\nsurface arg 1\nsurface constants 0\na:\n%s\n end\n",
        body);
    struct ir_fn *fn = ir_parse(text, gen_device_by_name("skl-gt2"), &why);
    CHECKF(fn, "%s\n%s", why, text);
    if (!fn)
        return ~0u;
    why = ir_check(fn);
    CHECKF(!why, "%s\n%s", why, text);
    ir_optimise(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            n += !strcmp(ir_op_name(i->op), op);
    return n;
}

#define STORE(v) " store surface 0 d32x1 align 4 [0] " v "\n"

static void rewritings(void)
{
    CHECK(count_after(" %l:i32 = lane_id\n %a:i32 = mul %l, 8\n" STORE("%a"), "mul") == 0);
    CHECK(count_after(" %l:i32 = lane_id\n %a:i32 = udiv %l, 10\n %b:i32 = srem %l, -7\n" STORE(
                          "%a") STORE("%b"),
                      "udiv") == 0);
    CHECK(count_after(" %l:i32 = lane_id\n %a:i32 = add %l, 3\n %b:i32 = add %l, 3\n %c:i32 = xor "
                      "%a, %b\n" STORE("%c"),
                      "add") == 0);
    CHECK(
        count_after(
            " %l:i32 = lane_id\n %c:i1 = icmp.slt %l, 3\n %i:i32 = b2i %c\n %d:i1 = icmp.eq %i, 0\n"
            " %s:i32 = select %d, %l, 1\n" STORE("%s"),
            "icmp") == 1);
    /* four loads in a row, four stores in a row: one each */
    CHECK(count_after(
              " %l:i32 = lane_id\n %s:i32 = shl %l, 4\n %p:i32 = add %s, 4\n %q:i32 = add %s, 8\n "
              "%r:i32 = add %s, 12\n"
              " %a:i32 = load surface 1 d32x1 align 16 [%s]\n %b:i32 = load surface 1 d32x1 align "
              "4 [%p]\n"
              " %c:i32 = load surface 1 d32x1 align 8 [%q]\n %d:i32 = load surface 1 d32x1 align 4 "
              "[%r]\n"
              " store surface 0 d32x1 align 4 [%p] %a\n store surface 0 d32x1 align 4 [%s] %b\n"
              " store surface 0 d32x1 align 4 [%r] %c\n store surface 0 d32x1 align 4 [%q] %d\n",
              "load") == 1);
    CHECK(count_after(
              " %l:i32 = lane_id\n %s:i32 = shl %l, 4\n"
              " store surface 0 d32x1 align 4 + 4 [%s] 1\n store surface 0 d32x1 align 4 [%s] 2\n",
              "store") == 1);
    /* what nobody wants between two loads; stores must not write it */
    static const char apart[] = " %%l:i32 = lane_id\n %%s:i32 = shl %%l, 5\n"
                                " %%a:i32 = load surface 1 d32x1 align 4 - 4 [%%s]\n"
                                " %%b:i32 = load surface 1 d32x1 align 4 + %d [%%s]\n"
                                " store surface 0 d32x1 align 4 [%%s] %%a\n"
                                " store surface 0 d32x1 align 4 + 8 [%%s] %%b\n";
    char two[1024];
    snprintf(two, sizeof two, apart, 4);
    CHECK(count_after(two, "load") == 1 && count_after(two, "store") == 2);
    snprintf(two, sizeof two, apart, 8);
    CHECK(count_after(two, "load") == 1);
    snprintf(two, sizeof two, apart, 12);
    CHECK(count_after(two, "load") == 2);
    /* uniform blocks of constants: 6 dwords are two owords, as many as two loads are; 11 are four
     */
    static const char blocks[] =
        " %%l:i32 = lane_id\n %%s:i32 = shl %%l, 5\n %%p:i32 = param 0\n"
        " %%a:i32 = load surface 2 d32x1 align 4 constant [%%p]\n"
        " %%b:i32 = load surface 2 d32x1 align 4 + %d constant [%%p]\n"
        " store surface 0 d32x1 align 4 [%%s] %%a\n store surface 0 d32x1 align 4 + 8 [%%s] %%b\n";
    snprintf(two, sizeof two, blocks, 20);
    CHECK(count_after(two, "load") == 1);
    snprintf(two, sizeof two, blocks, 40);
    CHECK(count_after(two, "load") == 2);
    /* 4 * l | 1 is an offset, l | 1 is none */
    static const char ors[] = " %%l:i32 = lane_id\n %%m:i32 = shl %%l, %d\n %%o:i32 = or %%m, 1\n"
                              " %%s:i32 = shl %%m, 2\n %%t:i32 = shl %%o, 2\n"
                              " %%a:i32 = load surface 1 d32x1 align 4 [%%s]\n"
                              " %%b:i32 = load surface 1 d32x1 align 4 [%%t]\n"
                              " store surface 0 d32x1 align 4 [%%s] %%a\n"
                              " store surface 0 d32x1 align 4 + 8 [%%s] %%b\n";
    snprintf(two, sizeof two, ors, 2);
    CHECK(count_after(two, "load") == 1);
    snprintf(two, sizeof two, ors, 0);
    CHECK(count_after(two, "load") == 2);
    /* a store between that may hit the second load */
    static const char hit[] =
        " %%l:i32 = lane_id\n %%s:i32 = shl %%l, 4\n %%a:i32 = load surface 1 d32x1 align 4 [%%s]\n"
        " store surface %d d%dx1 align 2 + %d [%%s] 5\n %%b:i32 = load surface 1 d32x1 align 4 + 4 "
        "[%%s]\n"
        " %%c:i32 = xor %%a, %%b\n" STORE("%%c");
    char text[1024];
    snprintf(text, sizeof text, hit, 1, 16, 4);
    CHECK(count_after(text, "load") == 2);
    snprintf(text, sizeof text, hit, 1, 32, 0); /* apart, of one base */
    CHECK(count_after(text, "load") == 1);
    snprintf(text, sizeof text, hit, 0, 32, 4); /* another argument may be the same buffer */
    CHECK(count_after(text, "load") == 2);
    snprintf(text, sizeof text, hit, 1, 32, 4); /* what has been stored needs no load */
    for (char *at; (at = strstr(text, "align 2"));)
        at[6] = '4';
    CHECK(count_after(text, "load") == 1);
    /* a barrier between; volatile ones */
    CHECK(count_after(" %a:i32 = load slm d32x1 align 4 [0]\n barrier 1\n %b:i32 = load slm d32x1 "
                      "align 4 [4]\n"
                      " %c:i32 = xor %a, %b\n" STORE("%c"),
                      "load") == 2);
    CHECK(count_after(" %a:i32 = load slm d32x1 align 4 volatile [0]\n %b:i32 = load slm d32x1 "
                      "align 4 volatile [4]\n",
                      "load") == 2);
    CHECK(count_after(
              " %a:i32 = load slm d32x1 align 4 [0]\n %r:i32 = atomic slm inc d32x1 align 4 [64]\n",
              "load") == 0);
    /* equal loads of constant memory are one, of other memory two */
    CHECK(count_after(" %a:i32 = load surface 2 d32x1 align 4 constant [0]\n %b:i32 = load surface "
                      "2 d32x1 align 4 constant [0]\n"
                      " %c:i32 = xor %a, %b\n" STORE("%c"),
                      "load") == 0);
    CHECK(count_after(" %a:i32 = load surface 1 d32x1 align 4 [0]\n" STORE(
                          "1") " %b:i32 = load surface 1 d32x1 align 4 [0]\n"
                               " %c:i32 = xor %a, %b\n" STORE("%c"),
                      "load") == 2);
    /* addresses of pairs */
    CHECK(count_after(" %p:i32 = param 0\n %q:i32 = param 4\n %a:i32, %k:i32 = add_carry %p, 8\n "
                      "%b:i32 = add %q, %k\n"
                      " store a64 d32x1 align 4 [%a, %b] 7\n",
                      "add_carry") == 0);
    CHECK(count_after(" %p:i32 = param 0\n %q:i32 = param 4\n %a:i32, %k:i32 = add_carry %p, -8\n "
                      "%m:i32 = add %q, -1\n"
                      " %b:i32 = add %m, %k\n store a64 d32x1 align 4 [%a, %b] 7\n",
                      "add_carry") == 0);
    CHECK(count_after(" %p:i32 = param 0\n %q:i32 = param 4\n %a:i32, %k:i32 = add_carry %p, -8\n "
                      "%b:i32 = add %q, %k\n"
                      " store a64 d32x1 align 4 [%a, %b] 7\n",
                      "add_carry") == 1);
    /* a negation goes into comparisons, through phis; an if without effects becomes a select */
    static const char loop[] =
        " %l:i32 = lane_id\n jump b\nb:\n %i:i32 = phi a 0, d %j\n %j:i32 = add %i, 1\n"
        " %c:i1 = icmp.slt %j, %l\n branch %c, c, d merge d\nc:\n"
        " store surface 0 d32x1 align 4 [%i] %j\n %e:i1 = icmp.eq %j, 9\n jump d\nd:\n"
        " %p:i1 = phi b 1, c %e\n %n:i1 = not1 %p\n loop %n, b, e\ne:\n";
    CHECK(count_after(loop, "not1") == 0 && count_after(loop, "phi") == 2);
    CHECK(count_after(" %l:i32 = lane_id\n jump b\nb:\n %i:i32 = phi a 0, b %j\n %f:i1 = phi a 0, "
                      "b %g\n %g:i1 = not1 %f\n"
                      " %s:i32 = select %g, 5, 7\n %j:i32 = add %i, %s\n %c:i1 = icmp.slt %j, %l\n "
                      "loop %c, b, c\nc:\n" STORE("%j"),
                      "not1") == 1);
    CHECK(count_after(" %l:i32 = lane_id\n %c:i1 = icmp.slt %l, 3\n branch %c, b, c merge c\nb:\n "
                      "%m:i32 = add %l, 100\n"
                      " jump c\nc:\n %p:i32 = phi a %l, b %m\n" STORE("%p"),
                      "branch") == 0);
    /* uniform parts of a sum together: one varying addition */
    CHECK(count_after(" %l:i32 = lane_id\n %p:i32 = param 0\n %q:i32 = param 4\n %a:i32 = add %l, "
                      "%p\n %b:i32 = add %a, %q\n" STORE("%b"),
                      "add") == 2);
}

/* Divisions by constants against the machine's own, at the ends of the range and at random. */
static void divisions(void)
{
    static const uint32_t divisors[] = {2,          3,          5,          6,          7,
                                        9,          10,         11,         12,         25,
                                        100,        125,        625,        641,        1000,
                                        7919,       65535,      65537,      0x7fffffff, 0x80000000,
                                        0x80000001, 0xfffffffe, 0xffffffff, 0xfffffff9, 0xffffff9c};
    static const char *const names[] = {"udiv", "urem", "sdiv", "srem"};
    for (unsigned d = 0; d < sizeof divisors / sizeof *divisors; d++)
        for (unsigned op = 0; op < 4; op++) {
            char text[512];
            const char *why = "";
            uint32_t data[2][64], div = divisors[d];
            snprintf(text, sizeof text,
                     "fn t push 0\nsurface arg 0 written\nsurface arg 1\na:\n %%l:i32 = lane_id\n"
                     " %%s:i32 = shl %%l, 2\n %%x:i32 = load surface 1 d32x1 align 4 [%%s]\n "
                     "%%q:i32 = %s %%x, %u\n"
                     " store surface 0 d32x1 align 4 [%%s] %%q\n end\n",
                     names[op], div);
            struct ir_fn *fn = ir_parse(text, NULL, &why);
            REQUIRE(fn);
            ir_optimise(fn);
            for (unsigned round = 0; round < 8; round++) {
                static struct interp in;
                for (unsigned k = 0; k < 64; k++) {
                    uint32_t x = rnd();
                    data[1][k] = k < 8    ? k
                                 : k < 16 ? -k
                                 : k < 24 ? 0x80000000 + k - 20
                                 : k < 48 ? div * (x % 4096) + k % 3 - 1
                                          : x;
                }
                memset(&in, 0, sizeof in);
                in.fn = fn;
                in.n_lanes = 64;
                in.surface[0] = (struct interp_buffer){(uint8_t *)data[0], 256, 0};
                in.surface[1] = (struct interp_buffer){(uint8_t *)data[1], 256, 0};
                CHECK(interp_run(&in));
                for (unsigned k = 0; k < 64; k++) {
                    uint32_t x = data[1][k];
                    int64_t sx = (int32_t)x, sd = (int32_t)div;
                    uint32_t want = op == 0   ? x / div
                                    : op == 1 ? x % div
                                              : (uint32_t)(op == 2 ? sx / sd : sx % sd);
                    CHECKF(data[0][k] == want, "%s %x, %x: %x", names[op], x, div, data[0][k]);
                }
            }
        }
}

int main(void)
{
    seed = 1234567;
    rewritings();
    divisions();
    random_programs(800);
    return utest_end();
}
