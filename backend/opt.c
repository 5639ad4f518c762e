/* The order of the passes over Gen IR. */
#include "backend/opt.h"

static void check(struct ir_fn *fn, const char *pass)
{
#ifdef BEIGNET_CHECKS
    const char *why = ir_check(fn);
    if (why) {
        if (cc_dumps("bug"))
            ir_print(fn, stderr);
        bug("%s: after %s: %s", fn->name, pass, why);
    }
#else
    (void)fn, (void)pass;
#endif
}

static bool run(struct ir_fn *fn, bool (*pass)(struct ir_fn *), const char *name)
{
    bool changed = pass(fn);
    if (changed)
        check(fn, name);
    return changed;
}

/* What uncovers work for itself. */
static void simplify(struct ir_fn *fn)
{
    for (int round = 0; round < 4; round++) {
        uniform_run(fn); /* opt_combine asks */
        bool changed = run(fn, opt_combine, "opt_combine");
        changed |= run(fn, opt_cse, "opt_cse");
        run(fn, opt_dce, "opt_dce");
        if (!changed)
            break;
    }
}

void ir_optimise(struct ir_fn *fn)
{
    run(fn, opt_dce, "opt_dce");
    simplify(fn);
    if (run(fn, opt_flow, "opt_flow"))
        simplify(fn);
    if (run(fn, opt_mem, "opt_mem"))
        simplify(fn);
    opt_compact(fn);
    uniform_run(fn);
    check(fn, "uniform_run");
    if (cc_dumps("iropt"))
        ir_print(fn, stderr);
}
