/* Control flow (section 7) against channels that run alone: a branch of the model moves one program
 * counter, by its own predicate, and knows no masks. Programs are random and structured: if, else,
 * endif, while, break, cont, halt, jmpi, brd, call, ret; or, from Gen8 on, goto and join. Each
 * channel has a copy of all state; lane c of the result is that of copy c. */
#include "model_flow.h"

#include "model.h"
#include "model_gen.h"
#include "utests/sim/eu_rig.h"

/* Variables of the program: r8, r10, ... (16 dwords each); loop counters by depth; scalars. */
enum {
    VARS = 8,
    FIRST = 8,
    COUNTER = 40,
    SCALAR = 60,
    RETURN = 62,
    MAX_CODE = 600,
    MAX_STEPS = 20000
};

struct program {
    struct maker g;
    struct eu_insn code[MAX_CODE];
    int target[MAX_CODE][2]; /* JIP, UIP: labels; -1: none */
    int label[MAX_CODE];     /* instruction of a label */
    int n, n_labels;
    unsigned exec;  /* channels of a thread: 8, 16 */
    bool joins;     /* written with goto and join */
    int halt;       /* label of the halt target */
    int subroutine; /* label, or -1 */
};

static int new_label(struct program *p)
{
    REQUIRE(p->n_labels < MAX_CODE);
    p->label[p->n_labels] = -1;
    return p->n_labels++;
}

static void place(struct program *p, int label)
{
    p->label[label] = p->n;
}

static struct eu_insn *emit(struct program *p, unsigned op, int jip, int uip)
{
    REQUIRE(p->n < MAX_CODE);
    p->target[p->n][0] = jip;
    p->target[p->n][1] = uip;
    struct eu_insn *in = &p->code[p->n++];
    *in = (struct eu_insn){.op = (uint8_t)op, .exec_size = (uint8_t)p->exec};
    return in;
}

static struct eu_operand variable(unsigned reg, unsigned type)
{
    return (struct eu_operand){
        .file = EU_GRF, .type = (uint8_t)type, .reg = (uint8_t)reg, .vs = 8, .width = 8, .hs = 1};
}

static struct eu_operand destination(unsigned reg, unsigned type)
{
    return (struct eu_operand){.file = EU_GRF, .type = (uint8_t)type, .reg = (uint8_t)reg, .hs = 1};
}

static struct eu_operand scalar(unsigned reg, unsigned sub)
{
    return (struct eu_operand){
        .file = EU_GRF, .type = EU_D, .reg = (uint8_t)reg, .sub = (uint8_t)sub, .width = 1};
}

static struct eu_operand number(int32_t v)
{
    return (struct eu_operand){.file = EU_IMM, .type = EU_D, .imm = (uint32_t)v};
}

static unsigned any_variable(struct program *p)
{
    return FIRST + 2 * maker_below(&p->g, VARS);
}

/* A predicate that the program's data decide: f0.0 or f0.1. */
static void data_predicate(struct program *p, struct eu_insn *in)
{
    in->pred = EU_PRED_NORMAL;
    in->pred_inv = maker_chance(&p->g, 50);
    in->flag = (uint8_t)maker_below(&p->g, 2);
}

static void emit_compare(struct program *p, unsigned flag, unsigned reg, struct eu_operand with,
                         unsigned cond)
{
    struct eu_insn *in = emit(p, EU_OP_cmp, -1, -1);
    in->dst = (struct eu_operand){.file = EU_ARF, .type = EU_D, .hs = 1};
    in->src[0] = variable(reg, EU_D);
    in->src[1] = with;
    in->cond = (uint8_t)cond;
    in->flag = (uint8_t)flag;
    in->thread_ctrl = EU_THREAD_SWITCH;
}

static void emit_data(struct program *p)
{
    static const uint8_t ops[] = {EU_OP_add, EU_OP_xor, EU_OP_and, EU_OP_or, EU_OP_avg, EU_OP_sel};
    struct maker *g = &p->g;
    if (maker_chance(g, 35)) {
        emit_compare(p, maker_below(g, 2), any_variable(p), variable(any_variable(p), EU_D),
                     1 + maker_below(g, 6));
        return;
    }
    struct eu_insn *in = emit(p, ops[maker_below(g, sizeof ops)], -1, -1);
    in->dst = destination(any_variable(p), EU_D);
    in->src[0] = variable(any_variable(p), EU_D);
    in->src[1] = maker_chance(g, 40) ? number((int32_t)maker_bits(g) >> maker_below(g, 31))
                                     : variable(any_variable(p), EU_D);
    if (in->op == EU_OP_sel || maker_chance(g, 20))
        data_predicate(p, in);
}

/* What a statement may leave: the end of the block around it, of its loop and of the program. */
struct place {
    int block; /* JIP of a break, cont, halt and endif */
    int again; /* the while; -1: not in a loop */
    int exit;  /* behind the loop */
    unsigned depth, loops;
};

static void statements(struct program *p, struct place at);

static void emit_if(struct program *p, struct place at)
{
    bool has_else = maker_chance(&p->g, 50);
    int end = new_label(p), other = has_else ? new_label(p) : end;
    int else_at = has_else && !p->joins ? new_label(p) : end;
    struct place inside = at;
    inside.depth++;
    if (p->joins) { /* those whose predicate is false go on at `other` */
        data_predicate(p, emit(p, EU_OP_goto, -1, other));
        statements(p, inside);
        if (has_else) {
            struct eu_insn *in = emit(p, EU_OP_goto, -1, end); /* all of them: a false predicate */
            in->pred = EU_PRED_NORMAL;
            in->flag = 3;
            in->pred_inv = false;
            place(p, other);
            emit(p, EU_OP_join, -1, -1);
            statements(p, inside);
        }
        place(p, end);
        emit(p, EU_OP_join, -1, -1);
        return;
    }
    data_predicate(p, emit(p, EU_OP_if, other, end));
    inside.block = has_else ? else_at : end;
    statements(p, inside);
    if (has_else) {
        place(p, else_at);
        emit(p, EU_OP_else, end, end);
        place(p, other);
        inside.block = end;
        statements(p, inside);
    }
    place(p, end);
    emit(p, EU_OP_endif, at.block, -1);
}

/* do { counter--; more = counter > 0; ... } while (more) */
static void emit_loop(struct program *p, struct place at)
{
    int start = new_label(p), again = new_label(p), out = new_label(p);
    unsigned counter = COUNTER + 2 * at.loops, flag = p->joins ? 2 : 2 + at.loops;
    struct place inside = {
        .block = again, .again = again, .exit = out, .depth = at.depth + 1, .loops = at.loops + 1};
    struct eu_insn *in = emit(p, EU_OP_and, -1, -1); /* 1..4 rounds, by channel */
    in->dst = destination(counter, EU_D);
    in->src[0] = variable(any_variable(p), EU_D);
    in->src[1] = number(3);
    in = emit(p, EU_OP_add, -1, -1);
    in->dst = destination(counter, EU_D);
    in->src[0] = variable(counter, EU_D);
    in->src[1] = number(1);
    place(p, start);
    in = emit(p, EU_OP_add, -1, -1);
    in->dst = destination(counter, EU_D);
    in->src[0] = variable(counter, EU_D);
    in->src[1] = number(-1);
    if (!p->joins) /* before the body, as a cont may skip the rest */
        emit_compare(p, flag, counter, number(0), EU_COND_G);
    statements(p, inside);
    place(p, again);
    if (p->joins) {
        emit(p, EU_OP_join, -1, -1);
        emit_compare(p, flag, counter, number(0), EU_COND_G);
        in = emit(p, EU_OP_goto, -1, start);
        in->branch_ctrl = true;
    } else {
        in = emit(p, EU_OP_while, start, -1);
    }
    in->pred = EU_PRED_NORMAL;
    in->flag = (uint8_t)flag;
    place(p, out);
    if (p->joins)
        emit(p, EU_OP_join, -1, -1);
}

static void emit_leave(struct program *p, struct place at)
{
    uint32_t kind = maker_below(&p->g, 5);
    bool in_loop = at.again >= 0;
    if (kind == 4) {
        if (p->joins)
            data_predicate(p, emit(p, EU_OP_goto, -1, p->halt));
        else
            data_predicate(p, emit(p, EU_OP_halt, at.block, p->halt));
    } else if (in_loop && p->joins) {
        data_predicate(p, emit(p, EU_OP_goto, -1, kind & 1 ? at.exit : at.again));
    } else if (in_loop) {
        data_predicate(p, emit(p, kind & 1 ? EU_OP_break : EU_OP_cont, at.block, at.again));
    } else {
        emit_data(p);
    }
}

/* Where all channels are together: jumps by a scalar, calls. */
static void emit_together(struct program *p)
{
    int over = new_label(p);
    if (p->subroutine >= 0 && maker_chance(&p->g, 50)) {
        struct eu_insn *in = emit(p, EU_OP_call, p->subroutine, -1);
        in->dst = destination(RETURN, EU_D);
        return;
    }
    if (maker_chance(&p->g, 50)) { /* those whose predicate is true go on at `over` */
        data_predicate(p, emit(p, EU_OP_brd, over, -1));
        emit_data(p);
        emit_data(p);
        place(p, over);
        emit(p, EU_OP_nop, -1, -1)->exec_size = 1;
        return;
    }
    struct eu_insn *in = emit(p, EU_OP_cmp, -1, -1);
    in->exec_size = 1;
    in->no_mask = true;
    in->dst = (struct eu_operand){.file = EU_ARF, .type = EU_D, .hs = 1};
    in->src[0] = scalar(SCALAR, 4 * maker_below(&p->g, 8));
    in->src[1] = number(0);
    in->cond = EU_COND_L;
    in->flag = 2;
    in->thread_ctrl = EU_THREAD_SWITCH;
    in = emit(p, EU_OP_jmpi, over, -1);
    in->exec_size = 1;
    in->no_mask = true;
    in->pred = EU_PRED_NORMAL;
    in->flag = 2;
    emit_data(p);
    place(p, over);
    emit_data(p);
}

static void statements(struct program *p, struct place at)
{
    unsigned n = 1 + maker_below(&p->g, 4);
    for (unsigned i = 0; i < n; i++) {
        uint32_t kind = maker_below(&p->g, 10);
        if (p->n > MAX_CODE / 2)
            kind = 9;
        if (kind < 2 && at.depth < 4)
            emit_if(p, at);
        else if (kind < 4 && at.depth < 4 && at.loops < 2)
            emit_loop(p, at);
        else if (kind == 4 && at.depth)
            emit_leave(p, at);
        else if (kind == 5 && !at.depth && !p->joins)
            emit_together(p);
        else
            emit_data(p);
    }
}

/* goto and join: the next join in program order. */
static int next_join(const struct program *p, int i)
{
    for (int k = i + 1; k < p->n; k++) {
        if (p->code[k].op == EU_OP_join)
            return k;
    }
    return -1;
}

static void resolve(struct program *p)
{
    for (int i = 0; i < p->n; i++) {
        struct eu_insn *in = &p->code[i];
        int jip = p->target[i][0], uip = p->target[i][1];
        if (jip >= 0)
            in->jip = 16 * (p->label[jip] - i);
        if (uip >= 0)
            in->uip = 16 * (p->label[uip] - i);
        if (in->op == EU_OP_endif && jip < 0)
            in->jip = 16;
        if (in->op == EU_OP_goto || in->op == EU_OP_join) {
            int k = next_join(p, i);
            in->jip = k < 0 ? 0 : 16 * (k - i);
        }
    }
}

static void make_program(struct program *p)
{
    p->n = p->n_labels = 0;
    p->exec = maker_chance(&p->g, 30) ? 8 : 16;
    p->joins = p->g.gen >= 80 && maker_chance(&p->g, 40);
    p->halt = new_label(p);
    p->subroutine = -1;
    if (!p->joins && maker_chance(&p->g, 40)) {
        int main = new_label(p);
        p->subroutine = new_label(p);
        struct eu_insn *in = emit(p, EU_OP_jmpi, main, -1);
        in->exec_size = 1;
        in->no_mask = true;
        place(p, p->subroutine);
        emit_data(p);
        emit_data(p);
        in = emit(p, EU_OP_ret, -1, -1);
        in->src[0] = (struct eu_operand){
            .file = EU_GRF, .type = EU_D, .reg = RETURN, .vs = 2, .width = 2, .hs = 1};
        place(p, main);
    }
    if (p->joins) { /* f1.1: nobody */
        struct eu_insn *in = emit(p, EU_OP_mov, -1, -1);
        in->exec_size = 1;
        in->no_mask = true;
        in->dst =
            (struct eu_operand){.file = EU_ARF, .type = EU_UW, .reg = EU_ARF_F1, .sub = 2, .hs = 1};
        in->src[0] = (struct eu_operand){.file = EU_IMM, .type = EU_UW};
        in->thread_ctrl = EU_THREAD_SWITCH;
    }
    struct place top = {.block = p->halt, .again = -1, .exit = -1};
    for (unsigned i = 0; i < 3; i++)
        statements(p, top);
    place(p, p->halt);
    if (p->joins) {
        emit(p, EU_OP_join, -1, -1);
    } else {
        struct eu_insn *in = emit(p, EU_OP_halt, -1, -1);
        in->jip = in->uip = 16;
    }
    emit_data(p);
    resolve(p);
}

/* Section 7.2, for one channel: where it goes on. */
static int branch(struct model *m, const struct eu_insn *in, int i, unsigned c)
{
    bool pred = true;
    if (in->pred) {
        unsigned bit = 16 * (in->flag & 1u) + (in->op == EU_OP_jmpi ? 0 : c);
        pred = (m->f[in->flag >> 1] >> bit & 1) != in->pred_inv;
    }
    int next = i + 1, jip = i + in->jip / 16, uip = i + in->uip / 16;
    switch (in->op) {
    case EU_OP_if:
        return pred ? next : jip;
    case EU_OP_else: /* who comes here has run the first part */
        return jip;
    case EU_OP_while:
    case EU_OP_jmpi:
    case EU_OP_brd:
        return pred ? jip : next;
    case EU_OP_break: /* behind the loop */
        return pred ? uip + 1 : next;
    case EU_OP_cont:
    case EU_OP_halt:
        return pred ? uip : next;
    case EU_OP_goto:
        return pred == in->branch_ctrl ? uip : next;
    case EU_OP_call: {
        uint32_t to = 16u * (uint32_t)next;
        memcpy(m->grf + in->dst.reg * 32, &to, 4);
        return jip;
    }
    case EU_OP_ret: {
        uint32_t to;
        memcpy(&to, m->grf + in->src[0].reg * 32, 4);
        return (int)to / 16;
    }
    default: /* endif, join */
        return next;
    }
}

static bool run_channel(const struct program *p, struct model *m, unsigned c)
{
    m->active = 1u << c;
    int i = 0;
    for (unsigned steps = 0; i < p->n; steps++) {
        const struct eu_insn *in = &p->code[i];
        if (steps == MAX_STEPS)
            return false;
        if (eu_op_info(in->op)->branch) {
            i = branch(m, in, i, c);
            continue;
        }
        if (!model_step(m, in) || !model_closed(m))
            return false;
        i++;
    }
    return true;
}

static uint32_t dword(const uint8_t *grf, unsigned reg, unsigned lane)
{
    uint32_t v;
    memcpy(&v, grf + reg * 32 + lane * 4, 4);
    return v;
}

static void print_program(const struct program *p, FILE *to)
{
    for (int i = 0; i < p->n; i++) {
        char text[256];
        eu_print(p->g.gen, &p->code[i], text, sizeof text);
        fprintf(to, "  +%-5d %s\n", 16 * i, text);
    }
}

static void compare(const struct program *p, const struct rig *r, const struct model *start,
                    const struct model *copies, uint32_t mask, const char *what, uint64_t seed)
{
    unsigned bad = 0;
    char text[160] = "";
    for (unsigned c = 0; c < p->exec; c++) {
        const struct model *m = mask >> c & 1 ? &copies[c] : start;
        for (unsigned v = FIRST; v < SCALAR; v += 2) {
            if (v >= FIRST + 2 * VARS && v < COUNTER)
                continue;
            if (dword(m->grf, v, c) != dword(r->t.grf, v, c) && !bad++)
                snprintf(text, sizeof text, "channel %u, r%u: model %08x, simulator %08x", c, v,
                         dword(m->grf, v, c), dword(r->t.grf, v, c));
        }
        for (unsigned k = 0; k < 2; k++) {
            uint32_t bit = 1u << (16 * k + c);
            if ((m->f[0] ^ r->t.f[0]) & bit && !bad++)
                snprintf(text, sizeof text, "channel %u, f0.%u", c, k);
        }
    }
    CHECKF(!bad, "%s, %s, channels %x, program of seed %llu: %s", r->dev->name, what, mask,
           (unsigned long long)seed, text);
    if (bad && utest_failures <= 3)
        print_program(p, stderr);
}

void flow_run(const char *device, uint64_t seed, uint64_t n_programs)
{
    static struct rig rig;
    static struct program p;
    static struct model start, copies[16];
    static const enum eu_mode modes[2] = {EU_MODE_FAST, EU_MODE_GENERAL};
    static const char *const names[2] = {"flow, fast forms", "flow, general path"};
    rig_init(&rig, device);
    rig.quiet = true;
    uint64_t executed = 0;
    for (uint64_t k = 0; k < n_programs; k++) {
        p.g = (struct maker){rig.dev->gen, rig.dev->quirks, seed * 0x9e3779b97f4a7c15ull + k};
        memset(&start, 0, sizeof start);
        start.gen = rig.gen;
        start.quirks = rig.dev->quirks;
        for (unsigned i = 0; i < sizeof start.grf; i += 4) {
            uint32_t v = maker_chance(&p.g, 50) ? maker_below(&p.g, 8) : maker_bits(&p.g);
            memcpy(start.grf + i, &v, 4);
        }
        start.f[0] = maker_bits(&p.g);
        start.f[1] = maker_bits(&p.g);
        make_program(&p);
        uint32_t mask =
            maker_chance(&p.g, 50) ? 0xffff : 1u << maker_below(&p.g, 8) | maker_bits(&p.g);
        mask &= (1u << p.exec) - 1;
        for (unsigned c = 0; c < p.exec; c++) {
            copies[c] = start;
            if (mask >> c & 1)
                REQUIRE(run_channel(&p, &copies[c], c));
        }
        rig.code_size = 0;
        for (int i = 0; i < p.n; i++)
            rig_put(&rig, &p.code[i]);
        rig_line(&rig, RIG_EOT);
        for (unsigned m = 0; m < 2; m++) {
            rig_reset(&rig, mask);
            memcpy(rig.t.grf, start.grf, sizeof start.grf);
            memcpy(rig.t.f, start.f, sizeof start.f);
            eu_cache_set_mode(rig.cache, modes[m]);
            eu_cache_drop(rig.cache);
            bool ended = eu_run(&rig.t, 100000) == EU_STOP_ENDED;
            executed += rig.t.n_insns;
            CHECKF(ended, "%s, %s, channels %x, program of seed %llu: %s", device, names[m], mask,
                   (unsigned long long)p.g.state, rig.fault.set ? rig.fault.text : "does not end");
            if (ended)
                compare(&p, &rig, &start, copies, mask, names[m], k);
            else if (utest_failures <= 3)
                print_program(&p, stderr);
        }
    }
    fprintf(stderr, "%llu programs with branches, %llu instructions\n",
            (unsigned long long)n_programs, (unsigned long long)executed);
    rig_fini(&rig);
}
