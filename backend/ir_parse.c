/* Reads the text form of Gen IR (ir_print.c gives the syntax). Input may be anything: it ends in a
 * function that ir_check accepts or refuses, or in an error with its line. */
#include "backend/ir.h"
#include "backend/ir_text.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIST = 64, MAX_NAME = 64, MAX_ID = 1 << 20 };

struct name {
    struct name *next;
    char text[MAX_NAME];
    struct ir_value *value; /* values: NULL until defined */
    struct ir_block *block;
};

/* A source that names a value: set once all values are known. */
struct fixup {
    struct fixup *next;
    struct ir_insn *insn;
    unsigned n;
    struct name *name;
    unsigned line;
};

struct phi_labels {
    struct phi_labels *next;
    struct ir_insn *insn;
    struct name *block[MAX_LIST];
};

struct parser {
    const char *at;
    unsigned line;
    jmp_buf fail;
    const char *why;
    struct ir_fn *fn;
    struct ir_block *block;
    struct name *values[256], *blocks; /* values: by hash */
    struct fixup *fixups;
    struct phi_labels *phis;
    uint32_t max_id;
};

static _Noreturn void fail(struct parser *p, const char *what, const char *name)
{
    p->why = cc_printf("line %u: %s%s%s", p->line, what, name ? " " : "", name ? name : "");
    longjmp(p->fail, 1);
}

/* Within a line. */
static void blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r')
        p->at++;
    if (*p->at == ';')
        while (*p->at && *p->at != '\n')
            p->at++;
}

static bool at_end_of_line(struct parser *p)
{
    blanks(p);
    return *p->at == '\n' || *p->at == 0;
}

/* To the next line that holds something. False at the end. */
static bool next_line(struct parser *p)
{
    for (;;) {
        if (!at_end_of_line(p))
            return true;
        if (!*p->at)
            return false;
        p->at++;
        p->line++;
    }
}

static bool accept(struct parser *p, char c)
{
    blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static void expect(struct parser *p, char c)
{
    char text[2] = {c, 0};
    if (!accept(p, c))
        fail(p, "expected", text);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* Copies the word at the cursor; empty if there is none. */
static void word(struct parser *p, char *out)
{
    size_t n = 0;
    blanks(p);
    while (is_word(*p->at)) {
        if (n + 1 >= MAX_NAME)
            fail(p, "name too long", NULL);
        out[n++] = *p->at++;
    }
    out[n] = 0;
}

static bool accept_word(struct parser *p, const char *what)
{
    const char *start = p->at;
    char w[MAX_NAME];
    word(p, w);
    if (!strcmp(w, what))
        return true;
    p->at = start;
    return false;
}

static void expect_word(struct parser *p, const char *what)
{
    if (!accept_word(p, what))
        fail(p, "expected", what);
}

static uint32_t number(struct parser *p)
{
    char *end;
    blanks(p);
    if (!isdigit((unsigned char)*p->at))
        fail(p, "expected a number", NULL);
    unsigned long v = strtoul(p->at, &end, 0);
    if (v > UINT32_MAX)
        fail(p, "number too large", NULL);
    p->at = end;
    return (uint32_t)v;
}

static int lookup(const char *const *names, unsigned n, const char *w)
{
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(names[i], w))
            return (int)i;
    return -1;
}

static struct name *name_get(struct name **list, const char *text)
{
    for (struct name *n = *list; n; n = n->next)
        if (!strcmp(n->text, text))
            return n;
    struct name *n = cc_alloc(sizeof *n);
    snprintf(n->text, sizeof n->text, "%s", text);
    n->next = *list;
    *list = n;
    return n;
}

static struct name *value_name(struct parser *p, const char *text)
{
    unsigned h = 0;
    for (const char *c = text; *c; c++)
        h = h * 31 + (unsigned char)*c;
    return name_get(&p->values[h % 256], text);
}

static struct name *block_name(struct parser *p)
{
    char w[MAX_NAME];
    word(p, w);
    if (!*w)
        fail(p, "expected a block", NULL);
    return name_get(&p->blocks, w);
}

/* A constant: an integer, perhaps negative, or a float with f at its end. */
static uint32_t constant(struct parser *p)
{
    char *end;
    blanks(p);
    const char *c = p->at;
    while (*c == '-' || *c == '+' || is_word(*c))
        c++;
    bool hex = strstr(p->at, "0x") && strstr(p->at, "0x") <= p->at + 1;
    if (!hex && c > p->at && c[-1] == 'f') {
        float f = strtof(p->at, &end);
        if (end + 1 != c)
            fail(p, "bad float", NULL);
        uint32_t bits;
        memcpy(&bits, &f, 4);
        p->at = c;
        return bits;
    }
    long long v = strtoll(p->at, &end, 0);
    if (end == p->at || is_word(*end) || v < -0x80000000ll || v > 0xffffffffll)
        fail(p, "bad constant", NULL);
    p->at = end;
    return (uint32_t)v;
}

struct operand {
    struct name *name; /* NULL: imm */
    uint32_t imm;
};

static struct operand operand(struct parser *p)
{
    if (accept(p, '%')) {
        char w[MAX_NAME];
        word(p, w);
        if (!*w)
            fail(p, "expected a value", NULL);
        return (struct operand){.name = value_name(p, w)};
    }
    return (struct operand){.imm = constant(p)};
}

static void set_operand(struct parser *p, struct ir_insn *i, unsigned n, struct operand o)
{
    if (!o.name) {
        i->src[n] = ir_imm(o.imm);
        return;
    }
    struct fixup *f = cc_alloc(sizeof *f);
    *f = (struct fixup){p->fixups, i, n, o.name, p->line};
    p->fixups = f;
}

static enum ir_type type(struct parser *p)
{
    char w[MAX_NAME];
    word(p, w);
    if (!strcmp(w, "i1"))
        return IR_I1;
    if (!strcmp(w, "i32"))
        return IR_I32;
    if (!strcmp(w, "f32"))
        return IR_F32;
    if (!strcmp(w, "f64"))
        return IR_F64;
    fail(p, "not a type:", w);
}

struct result {
    struct name *name;
    enum ir_type type;
    bool uniform;
};

static unsigned results(struct parser *p, struct result *out)
{
    unsigned n = 0;
    while (accept(p, '%')) {
        char w[MAX_NAME];
        if (n == MAX_LIST)
            fail(p, "too many results", NULL);
        word(p, w);
        expect(p, ':');
        out[n] = (struct result){value_name(p, w), type(p), false};
        out[n].uniform = accept(p, '!');
        n++;
        if (!accept(p, ','))
            break;
    }
    if (n)
        expect(p, '=');
    return n;
}

static void mem(struct parser *p, struct ir_mem *m, bool atomic)
{
    char w[MAX_NAME];
    word(p, w);
    int s = lookup(ir_space_name, IR_ARRAY + 1, w);
    if (s < 0)
        fail(p, "not a space:", w);
    m->space = (uint8_t)s;
    if (s == IR_SURFACE || s == IR_WINDOW || s == IR_ARRAY)
        m->bti = (uint8_t)number(p);
    if (atomic) {
        unsigned a = 0;
        word(p, w);
        while (a <= ATOMIC_PREDEC && strcmp(ir_atomic_name(a), w))
            a++;
        if (a > ATOMIC_PREDEC)
            fail(p, "not an atomic:", w);
        m->atomic = (uint8_t)a;
    }
    unsigned bits, comps;
    word(p, w);
    if (sscanf(w, "d%ux%u", &bits, &comps) != 2 || bits % 8 || bits > 64 || comps > 255)
        fail(p, "not a shape:", w);
    m->comp_size = (uint8_t)(bits / 8);
    m->n_comp = (uint8_t)comps;
    expect_word(p, "align");
    m->align = (uint8_t)number(p);
    if (accept(p, '+'))
        m->offset = (int32_t)number(p);
    else if (accept(p, '-'))
        m->offset = (int32_t)-number(p);
    m->is_volatile = accept_word(p, "volatile");
    m->is_constant = accept_word(p, "constant");
}

static unsigned mem_operands(struct parser *p, struct operand *ops)
{
    unsigned n = 0;
    expect(p, '[');
    do
        ops[n++] = operand(p);
    while (n < 4 && accept(p, ','));
    expect(p, ']');
    while (!at_end_of_line(p) &&
           (*p->at == '%' || *p->at == '-' || isdigit((unsigned char)*p->at))) {
        if (n == MAX_LIST)
            fail(p, "too many sources", NULL);
        ops[n++] = operand(p);
        accept(p, ',');
    }
    return n;
}

static void terminator(struct parser *p, struct ir_insn *i)
{
    struct ir_block *b = p->block;
    bool one = i->op == IR_jump || i->op == IR_leave;
    unsigned n = i->op == IR_end ? 0 : one ? 1 : 2;
    for (unsigned s = 0; s < n; s++) {
        if (!one)
            expect(p, ',');
        struct name *name = block_name(p);
        b->succ[s] = name->block;
        if (!name->block)
            fail(p, "no such block:", name->text);
    }
    if (i->op == IR_branch) {
        expect_word(p, "merge");
        b->merge = block_name(p)->block;
        if (!b->merge)
            fail(p, "no such merge block", NULL);
    }
}

static void insn(struct parser *p)
{
    struct result res[MAX_LIST];
    struct operand ops[MAX_LIST];
    struct phi_labels *labels = NULL;
    struct ir_mem m = {0};
    char w[MAX_NAME];
    unsigned n_dst = results(p, res), n_src = 0, op = 0;
    uint32_t imm = 0;
    int pred = 0;
    word(p, w);
    char *dot = strchr(w, '.');
    if (dot)
        *dot++ = 0;
    while (op < IR_N_OPS && strcmp(ir_op_info[op].name, w))
        op++;
    if (op == IR_N_OPS)
        fail(p, "not an operation:", w);
    if (dot && (pred = lookup(ir_pred_name, IR_UNO + 1, dot)) < 0)
        fail(p, "not a predicate:", dot);
    if (ir_op_has_imm(op)) {
        imm = number(p);
        accept(p, ',');
    }
    if (op == IR_load || op == IR_store || op == IR_atomic) {
        mem(p, &m, op == IR_atomic);
        n_src = mem_operands(p, ops);
    } else if (op == IR_phi) {
        labels = cc_alloc(sizeof *labels);
        do {
            if (n_src == MAX_LIST)
                fail(p, "too many sources", NULL);
            labels->block[n_src] = block_name(p);
            ops[n_src++] = operand(p);
        } while (accept(p, ','));
    } else {
        int want = ir_op_info[op].n_src;
        for (; (int)n_src < want; n_src++) {
            if (n_src)
                expect(p, ',');
            ops[n_src] = operand(p);
        }
    }
    struct ir_insn *i = ir_new(p->fn, op, n_dst, n_src);
    i->pred = (uint8_t)pred;
    i->imm = imm;
    i->mem = m;
    for (unsigned n = 0; n < n_dst; n++) {
        if (res[n].name->value)
            fail(p, "defined twice: %", res[n].name->text);
        res[n].name->value = i->dst[n];
        i->dst[n]->type = res[n].type;
        i->dst[n]->uniform = res[n].uniform;
        i->dst[n]->id = UINT32_MAX;
        if (isdigit((unsigned char)res[n].name->text[0])) {
            unsigned long id = strtoul(res[n].name->text, NULL, 10);
            if (id >= MAX_ID)
                fail(p, "number too large: %", res[n].name->text);
            i->dst[n]->id = (uint32_t)id;
            if (id >= p->max_id)
                p->max_id = (uint32_t)id + 1;
        }
    }
    for (unsigned n = 0; n < n_src; n++)
        set_operand(p, i, n, ops[n]);
    if (labels) {
        labels->insn = i;
        labels->next = p->phis;
        p->phis = labels;
    }
    ir_append(p->block, i);
    if (ir_op_info[op].flags & IR_TERM)
        terminator(p, i);
    if (accept_word(p, "line"))
        i->where.line = number(p);
}

static void header(struct parser *p)
{
    char name[MAX_NAME];
    expect_word(p, "fn");
    word(p, name);
    p->fn->name = p->fn->out->name = cc_printf("%s", name);
    while (!at_end_of_line(p)) {
        char w[MAX_NAME];
        word(p, w);
        if (!strcmp(w, "push"))
            p->fn->n_push_bytes = number(p);
        else if (!strcmp(w, "private"))
            p->fn->out->private_size = number(p);
        else if (!strcmp(w, "slm"))
            p->fn->out->slm_size = number(p);
        else if (!strcmp(w, "denorms_zero"))
            p->fn->denorms_zero = true;
        else
            fail(p, "not a property:", w);
    }
    p->fn->out->n_push_regs = (p->fn->n_push_bytes + 31) / 32;
}

static void param_row(struct parser *p)
{
    struct kbin_kernel *k = p->fn->out;
    struct kbin_param row = {0};
    char w[MAX_NAME];
    word(p, w);
    int kind = lookup(ir_param_kind_name, KBIN_N_PARAM_KINDS, w);
    if (kind < 0)
        fail(p, "not a parameter:", w);
    row.kind = (uint8_t)kind;
    row.index = (uint16_t)number(p);
    expect_word(p, "offset");
    row.offset = (uint16_t)number(p);
    expect_word(p, "size");
    row.size = (uint16_t)number(p);
    if (accept_word(p, "src"))
        row.src = (uint16_t)number(p);
    k->params = cc_grow(k->params, k->n_params * sizeof row, (k->n_params + 1) * sizeof row);
    k->params[k->n_params++] = row;
}

static void surface_row(struct parser *p)
{
    struct kbin_kernel *k = p->fn->out;
    struct kbin_surface row = {0};
    char w[MAX_NAME];
    word(p, w);
    int kind = lookup(ir_surface_kind_name, KBIN_N_SURFACE_KINDS, w);
    if (kind < 0)
        fail(p, "not a surface:", w);
    row.kind = (uint8_t)kind;
    row.index = (uint16_t)number(p);
    row.written = accept_word(p, "written");
    k->surfaces =
        cc_grow(k->surfaces, k->n_surfaces * sizeof row, (k->n_surfaces + 1) * sizeof row);
    k->surfaces[k->n_surfaces++] = row;
}

static void array_row(struct parser *p)
{
    if (p->fn->n_arrays == IR_MAX_ARRAYS)
        fail(p, "too many arrays", NULL);
    p->fn->array_size[p->fn->n_arrays++] = number(p);
}

/* "name:" at the start of a line? Leaves the cursor after the colon if so. */
static bool label(struct parser *p, char *out)
{
    const char *start = p->at;
    word(p, out);
    if (*out && accept(p, ':'))
        return true;
    p->at = start;
    return false;
}

/* First pass: the blocks' names, so that branches can go forward. */
static void find_blocks(struct parser *p)
{
    const char *start = p->at;
    unsigned line = p->line;
    char w[MAX_NAME];
    while (next_line(p)) {
        if (*p->at != '%' && label(p, w)) {
            struct name *n = name_get(&p->blocks, w);
            if (n->block)
                fail(p, "block defined twice:", w);
            n->block = ir_block_new(p->fn);
        }
        while (*p->at && *p->at != '\n')
            p->at++;
    }
    p->at = start;
    p->line = line;
}

static void line(struct parser *p)
{
    char w[MAX_NAME];
    if (*p->at != '%' && label(p, w)) {
        p->block = name_get(&p->blocks, w)->block;
        if (accept_word(p, "preds"))
            while (!at_end_of_line(p)) {
                struct name *n = block_name(p);
                if (!n->block)
                    fail(p, "no such block:", n->text);
                ir_add_pred(p->block, n->block);
            }
    } else if (!p->block && accept_word(p, "param")) {
        param_row(p);
    } else if (!p->block && accept_word(p, "surface")) {
        surface_row(p);
    } else if (!p->block && accept_word(p, "array")) {
        array_row(p);
    } else if (!p->block) {
        fail(p, "instruction outside a block", NULL);
    } else {
        insn(p);
    }
    if (!at_end_of_line(p))
        fail(p, "more than expected on the line", NULL);
}

/* Predecessors where the text left them out. */
static void derive_preds(struct ir_fn *fn)
{
    bool *given = cc_alloc(fn->n_blocks + 1);
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        given[i] = fn->blocks[i]->n_preds != 0;
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (int s = 0; s < 2; s++) {
            struct ir_block *to = fn->blocks[i]->succ[s];
            if (to && !given[to->index])
                ir_add_pred(to, fn->blocks[i]);
        }
    ir_loop_depths(fn);
}

static void resolve(struct parser *p)
{
    p->fn->n_values = p->max_id;
    for (uint32_t b = 0; b < p->fn->n_blocks; b++)
        for (struct ir_insn *i = p->fn->blocks[b]->first; i; i = i->next)
            for (unsigned n = 0; n < i->n_dst; n++)
                if (i->dst[n]->id == UINT32_MAX)
                    i->dst[n]->id = p->fn->n_values++;
    for (struct fixup *f = p->fixups; f; f = f->next) {
        p->line = f->line;
        if (!f->name->value)
            fail(p, "undefined: %", f->name->text);
        ir_set_src(f->insn, f->n, ir_val(f->name->value));
    }
    derive_preds(p->fn);
    for (struct phi_labels *l = p->phis; l; l = l->next) {
        struct ir_insn *phi = l->insn;
        struct ir_src in[MAX_LIST];
        if (phi->n_src != phi->block->n_preds)
            fail(p, "phi without a source a predecessor", NULL);
        memcpy(in, phi->src, phi->n_src * sizeof *in);
        for (unsigned n = 0; n < phi->n_src; n++) {
            unsigned k = 0;
            while (k < phi->n_src && l->block[k]->block != phi->block->preds[n])
                k++;
            if (k == phi->n_src)
                fail(p, "phi has no source for predecessor", NULL);
            phi->src[n] = in[k]; /* a permutation: the use counts stay */
        }
    }
}

struct ir_fn *ir_parse(const char *text, const struct gen_device *dev, const char **why)
{
    struct parser *p = cc_alloc(sizeof *p);
    p->at = text;
    p->line = 1;
    p->fn = ir_fn_new("", dev);
    if (setjmp(p->fail)) {
        *why = p->why;
        return NULL;
    }
    if (!next_line(p))
        fail(p, "empty", NULL);
    header(p);
    find_blocks(p);
    while (next_line(p))
        line(p);
    resolve(p);
    return p->fn;
}
