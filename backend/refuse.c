/* What we can't compile, found on Clang's module before any pass: types, recursion, indirect calls,
 * inline assembly. Each refusal names the construct and its place in the source. */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <string.h>

enum { MAX_ERRORS = 20 };

struct refusals {
    struct cc_log *log;
    unsigned n;
    const char *last; /* so that one line of source makes one error */
};

static void refuse(struct refusals *r, LLVMValueRef where, const char *what)
{
    const char *place = llvmx_place(where);
    const char *key = cc_printf("%s %s", place ? place : "", what);

    if (r->last && !strcmp(r->last, key))
        return;
    r->last = key;
    if (r->n++ < MAX_ERRORS)
        cc_error(r->log, where, "%s", what);
}

static void refuse_type(struct refusals *r, LLVMValueRef where, LLVMTypeRef t)
{
    const char *what = llvmx_refused_type(t);
    if (what)
        refuse(r, where, cc_printf("%s is not supported by this device", what));
}

static void check_call(struct refusals *r, LLVMValueRef call)
{
    LLVMValueRef fn = llvmx_callee(call);

    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        refuse(r, call, "inline assembly is not supported");
        return;
    }
    if (!fn)
        refuse(r, call,
               "a call through a pointer, or of a function of another type, is not supported");
}

static void check_function(struct refusals *r, LLVMValueRef f)
{
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        refuse_type(r, f, LLVMTypeOf(LLVMGetParam(f, i)));
    for_each_block (b, f) {
        for_each_insn (i, b) {
            LLVMOpcode op = LLVMGetInstructionOpcode(i);
            if (op == LLVMCall)
                check_call(r, i);
            if (op == LLVMAlloca)
                refuse_type(r, i, LLVMGetAllocatedType(i));
            refuse_type(r, i, LLVMTypeOf(i));
            for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(i, (unsigned)k));
                if (LLVMGetTypeKind(t) != LLVMMetadataTypeKind &&
                    LLVMGetTypeKind(t) != LLVMLabelTypeKind)
                    refuse_type(r, i, t);
            }
        }
    }
}

/* Recursion: Tarjan's strongly connected components of the call graph. */
struct node {
    LLVMValueRef fn;
    unsigned index, low; /* 0: not seen yet */
    bool on_stack, calls_itself;
};

struct graph {
    struct node *nodes;
    unsigned n, next;
    unsigned *stack, depth;
    struct refusals *r;
};

static int find_node(const struct graph *g, LLVMValueRef fn)
{
    for (unsigned i = 0; i < g->n; i++) {
        if (g->nodes[i].fn == fn)
            return (int)i;
    }
    return -1;
}

static void close_component(struct graph *g, unsigned root)
{
    unsigned first = g->depth;
    const char *names = "";

    do {
        first--;
        g->nodes[g->stack[first]].on_stack = false;
    } while (g->stack[first] != root);
    if (g->depth - first > 1 || g->nodes[root].calls_itself) {
        for (unsigned i = first; i < g->depth; i++)
            names = cc_printf("%s%s'%s'", names, *names ? ", " : "",
                              llvmx_source_name(g->nodes[g->stack[i]].fn));
        refuse(g->r, g->nodes[root].fn, cc_printf("recursion is not supported: %s", names));
    }
    g->depth = first;
}

static void visit(struct graph *g, unsigned i)
{
    struct node *node = &g->nodes[i];

    node->index = node->low = ++g->next;
    node->on_stack = true;
    g->stack[g->depth++] = i;
    for_each_block (b, node->fn) {
        for_each_insn (insn, b) {
            LLVMValueRef fn =
                LLVMGetInstructionOpcode(insn) == LLVMCall ? llvmx_callee(insn) : NULL;
            int to = fn && !LLVMIsDeclaration(fn) ? find_node(g, fn) : -1;
            if (to < 0)
                continue;
            struct node *other = &g->nodes[to];
            node->calls_itself |= other == node;
            if (!other->index) {
                visit(g, (unsigned)to);
                node->low = other->low < node->low ? other->low : node->low;
            } else if (other->on_stack && other->index < node->low) {
                node->low = other->index;
            }
        }
    }
    if (node->low == node->index)
        close_component(g, i);
}

static void check_recursion(struct refusals *r, LLVMModuleRef m)
{
    struct graph g = {.r = r};

    for_each_function (f, m)
        g.n += !LLVMIsDeclaration(f);
    g.nodes = cc_alloc(g.n * sizeof(*g.nodes));
    g.stack = cc_alloc(g.n * sizeof(*g.stack));
    g.n = 0;
    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            g.nodes[g.n++].fn = f;
    }
    for (unsigned i = 0; i < g.n; i++) {
        if (!g.nodes[i].index)
            visit(&g, i);
    }
}

bool refuse_unsupported(LLVMModuleRef m, struct cc_log *log)
{
    struct refusals r = {.log = log};

    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            check_function(&r, f);
    }
    check_recursion(&r, m);
    for_each_global (g, m) {
        if (LLVMIsDeclaration(g))
            refuse(&r, g, cc_printf("undefined variable '%s'", llvmx_name(g)));
    }
    if (r.n > MAX_ERRORS)
        cc_note(log, "%u more errors", r.n - MAX_ERRORS);
    return r.n == 0;
}
