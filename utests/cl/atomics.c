/* Every form of every atomic function, on int and uint, in global and local memory: the names of
 * OpenCL 1.0 (atom_*), of 1.1 (atomic_*) and of C11 (atomic_fetch_*, _explicit). All work-items
 * change one cell; the operations commute, so the cell's end is known, and of additions and
 * exchanges the old values tell an order that must exist. */
#include <stdarg.h>

#include "clu.h"

enum { ITEMS = 96, GROUP = 32, GROUPS = ITEMS / GROUP };

enum op { ADD, SUB, AND, OR, XOR, MIN, MAX, INC, DEC, XCHG, CAS, N_OPS };
static const char *const old_names[N_OPS] = {"add", "sub", "and", "or",   "xor",    "min",
                                             "max", "inc", "dec", "xchg", "cmpxchg"};
static const char *const new_names[N_OPS] = {"add", "sub", "and", "or", "xor",
                                             "min", "max", NULL,  NULL};

static uint32_t apply(enum op op, bool is_signed, uint32_t cell, uint32_t v)
{
    bool less = is_signed ? (int32_t)v < (int32_t)cell : v < cell;
    switch (op) {
    case ADD:
    case CAS: /* a loop that adds */
        return cell + v;
    case SUB:
        return cell - v;
    case AND:
        return cell & v;
    case OR:
        return cell | v;
    case XOR:
        return cell ^ v;
    case MIN:
        return less ? v : cell;
    case MAX:
        return less ? cell : v;
    case INC:
        return cell + 1;
    case DEC:
        return cell - 1;
    case XCHG:
        return v;
    case N_OPS:
        break;
    }
    return 0;
}

/* A form: the old value as an expression over p, v (a T) and, where it is a loop, several
 * statements. */
static const struct form {
    const char *family;
    enum op first, last;
    const char *pattern; /* %s: the operation's name */
    bool c11;
} forms[] = {
    {"atom_", ADD, MAX, "old = atom_%s(p, v);", false},
    {"atom_", INC, DEC, "old = atom_%s(p);", false},
    {"atom_", XCHG, XCHG, "old = atom_%s(p, v);", false},
    {"atom_", CAS, CAS,
     "T seen; do { seen = *p; old = atom_%s(p, seen, seen + v); } while (old != seen);", false},
    {"atomic_", ADD, MAX, "old = atomic_%s(p, v);", false},
    {"atomic_", INC, DEC, "old = atomic_%s(p);", false},
    {"atomic_", XCHG, XCHG, "old = atomic_%s(p, v);", false},
    {"atomic_", CAS, CAS,
     "T seen; do { seen = *p; old = atomic_%s(p, seen, seen + v); } while (old != seen);", false},
    {"atomic_fetch_", ADD, MAX, "old = atomic_fetch_%s(p, v);", true},
    {"atomic_fetch_ relaxed ", ADD, MAX,
     "old = atomic_fetch_%s_explicit(p, v, memory_order_relaxed);", true},
    {"atomic_fetch_ acq_rel device ", ADD, MAX,
     "old = atomic_fetch_%s_explicit(p, v, memory_order_acq_rel, memory_scope_device);", true},
    {"atomic_fetch_ seq_cst group ", ADD, MAX,
     "old = atomic_fetch_%s_explicit(p, v, memory_order_seq_cst, memory_scope_work_group);", true},
    {"atomic_exchange ", XCHG, XCHG, "old = atomic_exchange(p, v); /* %s */", true},
    {"atomic_exchange_explicit ", XCHG, XCHG,
     "old = atomic_exchange_explicit(p, v, memory_order_release, memory_scope_device); /* %s */",
     true},
    {"atomic_compare_exchange_strong ", CAS, CAS,
     "old = atomic_load(p); while (!atomic_compare_exchange_strong(p, &old, old + v)) ; /* %s */",
     true},
    {"atomic_compare_exchange_weak ", CAS, CAS,
     "old = atomic_load(p); while (!atomic_compare_exchange_weak(p, &old, old + v)) ; /* %s */",
     true},
    {"atomic_compare_exchange_strong_explicit ", CAS, CAS,
     "old = atomic_load_explicit(p, memory_order_acquire);\n"
     " while (!atomic_compare_exchange_strong_explicit(p, &old, old + v, memory_order_acq_rel,\n"
     "  memory_order_relaxed, memory_scope_device)) ; /* %s */",
     true},
    {"atomic_compare_exchange_weak_explicit ", CAS, CAS,
     "old = atomic_load_explicit(p, memory_order_relaxed, memory_scope_device);\n"
     " while (!atomic_compare_exchange_weak_explicit(p, &old, old + v, memory_order_seq_cst,\n"
     "  memory_order_acquire)) ; /* %s */",
     true},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

static char text[1 << 17];
static size_t length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    length += (size_t)vsnprintf(text + length, sizeof(text) - length, format, ap);
    va_end(ap);
    REQUIRE(length < sizeof(text));
}

static const char *op_name(const struct form *f, enum op op)
{
    return f->c11 && new_names[op] ? new_names[op] : old_names[op];
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
static void say_kernel(unsigned nth, enum op op, bool local)
{
    const struct form *f = &forms[nth];
    char body[400];
    snprintf(body, sizeof(body), f->pattern, op_name(f, op));
    say("kernel void k%u_%d_%d(global T *cells, global T *olds, global const T *values) {\n"
        " size_t i = get_global_id(0), l = get_local_id(0), g = get_group_id(0); T v = values[i], "
        "old;\n",
        nth, op, local);
    if (local)
        say(" local %s own;\n volatile local %s *p = &own;\n", f->c11 ? "A" : "T",
            f->c11 ? "A" : "T");
    else
        say(" volatile global %s *p = (volatile global %s *)cells;\n", f->c11 ? "A" : "T",
            f->c11 ? "A" : "T");
    if (local && f->c11)
        say(" if (!l) atomic_store_explicit(p, cells[g], memory_order_relaxed, "
            "memory_scope_work_group);\n"
            " atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, "
            "memory_scope_work_group);\n");
    else if (local)
        say(" if (!l) own = cells[g];\n mem_fence(CLK_LOCAL_MEM_FENCE);\n");
    if (local)
        say(" barrier(CLK_LOCAL_MEM_FENCE);\n");
    say(" { %s }\n olds[i] = old;\n", body);
    if (local)
        say(" barrier(CLK_LOCAL_MEM_FENCE);\n if (!l) cells[g] = %s;\n",
            f->c11 ? "atomic_load(p)" : "*p");
    say("}\n");
}

/* Whether some order of the items gives the old values: each one's end is another's old value,
 * once. */
static bool is_chain(enum op op, uint32_t start, uint32_t end, const uint32_t *v,
                     const uint32_t *olds, unsigned n)
{
    bool used[ITEMS] = {false};
    uint32_t at = start;
    for (unsigned step = 0; step < n; step++) {
        unsigned i = 0;
        while (i < n && (used[i] || olds[i] != at))
            i++;
        if (i == n)
            return false;
        used[i] = true;
        at = apply(op, false, at, v[i]);
    }
    return at == end;
}

static void check_kernel(cl_program p, unsigned nth, enum op op, bool local, bool is_signed)
{
    uint32_t start[ITEMS], cells[ITEMS], olds[ITEMS], values[ITEMS];
    char name[40];
    for (unsigned i = 0; i < ITEMS; i++) {
        start[i] = (uint32_t)clu_random();
        values[i] = (uint32_t)clu_random();
        if (op == AND || op == OR) /* so that bits are left */
            values[i] = op == AND ? values[i] | ~(1u << i % 32) : 1u << i % 24;
    }
    cl_mem m[3] = {clu_buffer(sizeof(cells), start), clu_buffer(sizeof(olds), NULL),
                   clu_buffer(sizeof(values), values)};
    snprintf(name, sizeof(name), "k%u_%d_%d", nth, op, local);
    cl_kernel k = clu_kernel(p, name);
    for (unsigned i = 0; i < 3; i++)
        clu_arg_mem(k, i, m[i]);
    clu_run(k, ITEMS, GROUP);
    clu_read(m[0], sizeof(cells), cells);
    clu_read(m[1], sizeof(olds), olds);
    for (unsigned g = 0; g < (local ? GROUPS : 1); g++) {
        unsigned n = local ? GROUP : ITEMS;
        const uint32_t *v = values + g * n;
        uint32_t want = start[g];
        for (unsigned i = 0; i < n; i++)
            want = apply(op, is_signed, want, v[i]);
        bool ordered = op == ADD || op == INC || op == DEC || op == XCHG || op == CAS ||
                       op == SUB || op == XOR;
        CHECKF((op == XCHG || cells[g] == want) &&
                   (!ordered || is_chain(op, start[g], cells[g], v, olds + g * n, n)),
               "%s%s, %s, %s memory: %x, not %x", forms[nth].family, old_names[op],
               is_signed ? "int" : "uint", local ? "local" : "global", cells[g], want);
    }
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseMemObject(m[i]));
    CL(clReleaseKernel(k));
}

static void check_type(bool is_signed, bool c11)
{
    length = 0;
    say("#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_global_int32_extended_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_local_int32_extended_atomics : enable\n"
        "#define T %s\n#define A atomic_%s\n",
        is_signed ? "int" : "uint", is_signed ? "int" : "uint");
    for (unsigned i = 0; i < N_FORMS; i++) {
        for (enum op op = forms[i].first; op <= forms[i].last && forms[i].c11 == c11; op++) {
            say_kernel(i, op, false);
            say_kernel(i, op, true);
        }
    }
    cl_program p = clu_build(text, c11 ? "-cl-std=CL3.0" : "");
    for (unsigned i = 0; i < N_FORMS; i++) {
        for (enum op op = forms[i].first; op <= forms[i].last && forms[i].c11 == c11; op++) {
            check_kernel(p, i, op, false, is_signed);
            check_kernel(p, i, op, true, is_signed);
        }
    }
    CL(clReleaseProgram(p));
}

/* One work-item of all sets a flag first, then, once it is cleared, one again; a value handed over
 * behind a fence. */
static void check_flags(void)
{
    static const char source[] =
        "kernel void flags(global int *first, global atomic_flag *f, global int *sum) {\n"
        " local atomic_flag own; local int n; size_t l = get_local_id(0), g = get_group_id(0);\n"
        " if (!l) { atomic_flag_clear(&own); n = 0; }\n"
        " barrier(CLK_LOCAL_MEM_FENCE);\n"
        " if (!atomic_flag_test_and_set(&own)) n++;\n"
        " barrier(CLK_LOCAL_MEM_FENCE);\n"
        " if (!l) atomic_flag_clear_explicit(&own, memory_order_release, "
        "memory_scope_work_group);\n"
        " barrier(CLK_LOCAL_MEM_FENCE);\n"
        " if (!atomic_flag_test_and_set_explicit(&own, memory_order_acquire)) n += 10;\n"
        " barrier(CLK_LOCAL_MEM_FENCE);\n"
        " if (!l) sum[g] = n;\n"
        " if (!atomic_flag_test_and_set(f)) first[0] += 1; }\n"
        "kernel void hand(global int *box, global int *seen) {\n"
        " size_t i = get_local_id(0);\n"
        " global atomic_int *ready = (global atomic_int *)box;\n"
        " if (i == 40) { box[1] = 77;\n"
        "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, "
        "memory_scope_work_group);\n"
        "  atomic_store_explicit(ready, 1, memory_order_relaxed, memory_scope_work_group); }\n"
        " barrier(CLK_GLOBAL_MEM_FENCE);\n"
        " if (atomic_load_explicit(ready, memory_order_acquire)) seen[i] = box[1];\n"
        " box[2 + i] = i; write_mem_fence(CLK_GLOBAL_MEM_FENCE); "
        "read_mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
        " mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n"
        " atomic_init((global atomic_int *)box + 66 + i, (int)i * 3); }\n";
    static cl_int zeros[256], first, sum[GROUPS], box[2 + 64 + 64], seen[64];
    cl_program p = clu_build(source, "-cl-std=CL3.0");
    cl_mem m[3] = {clu_buffer(sizeof(zeros), zeros), clu_buffer(sizeof(zeros), zeros),
                   clu_buffer(sizeof(zeros), zeros)};
    cl_kernel k = clu_kernel(p, "flags");
    for (unsigned i = 0; i < 3; i++)
        clu_arg_mem(k, i, m[i]);
    clu_run(k, ITEMS, GROUP);
    clu_read(m[0], sizeof(first), &first);
    clu_read(m[2], sizeof(sum), sum);
    CHECK(first == 1);
    for (unsigned g = 0; g < GROUPS; g++)
        CHECKF(sum[g] == 11, "group %u: %d", g, sum[g]);
    CL(clReleaseKernel(k));
    k = clu_kernel(p, "hand");
    CL(clEnqueueWriteBuffer(clu_queue, m[0], CL_TRUE, 0, sizeof(zeros), zeros, 0, NULL, NULL));
    clu_arg_mem(k, 0, m[0]);
    clu_arg_mem(k, 1, m[1]);
    clu_run(k, 64, 64);
    clu_read(m[0], sizeof(box), box);
    clu_read(m[1], sizeof(seen), seen);
    for (int i = 0; i < 64; i++)
        CHECK(seen[i] == 77 && box[2 + i] == i && box[66 + i] == 3 * i);
    CL(clReleaseKernel(k));
    for (unsigned i = 0; i < 3; i++)
        CL(clReleaseMemObject(m[i]));
    CL(clReleaseProgram(p));
}

int main(void)
{
    clu_open();
    for (unsigned i = 0; i < 4; i++)
        check_type(i & 1, i & 2);
    check_flags();
    clu_close();
    return utest_end();
}
