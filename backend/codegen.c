/* The driver of code generation: which width, and how to get by with the registers.
 *
 * Attempts in order, each from the Gen IR anew: the widest SIMD without spilling, the narrower one
 * without, then with spilling. A width that the kernel asks for, or that its work-group size needs
 * (a group must fit the threads of one subslice), leaves out the others. */
#include "backend/codegen.h"

#include <string.h>

enum { MAX_ROUNDS = 40 };

static unsigned preferred; /* width; 0: codegen's choice */

void codegen_prefer(unsigned simd)
{
    preferred = simd;
}

/* All but the registers. False: not at this width without spilling. */
static bool prepare(struct cg *cg, bool may_spill)
{
    select_run(cg);
    if (cc_dumps("select"))
        cg_print(cg, "selected", stderr);
    peephole_run(cg);
    coalesce_run(cg);
    if (cc_dumps("coalesce"))
        cg_print(cg, "coalesced", stderr);
    if (!split_run(cg, may_spill))
        return false;
    far_run(cg);
    return true;
}

/* Registers for all, spilling as often as it takes if that is allowed. */
static bool allocate(struct cg *cg, bool may_spill)
{
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        bool *spill;
        live_run(cg);
        if (ra_run(cg, &spill))
            return true;
        if (!may_spill || !spill || !spill_run(cg, spill))
            return false;
    }
    return false;
}

/* Without spilling: in the scheduler's order, the program's, and one in which values live shortly.
 */
static bool allocate_in_order(struct cg *cg, bool may_spill)
{
    if (!may_spill) {
        struct mi **order = cc_alloc(cg->n_code * sizeof *order);
        memcpy(order, cg->code, cg->n_code * sizeof *order);
        sched_run(cg);
        if (allocate(cg, false))
            return true;
        memcpy(cg->code, order, cg->n_code * sizeof *order);
    }
    if (allocate(cg, may_spill))
        return true;
    if (may_spill)
        return false;
    sched_sink(cg);
    return allocate(cg, false);
}

static bool finish(struct cg *cg, struct kbin_kernel *out)
{
#ifdef BEIGNET_CHECKS
    ra_check(cg);
#endif
    if (cc_dumps("ra"))
        cg_print(cg, "allocated", stderr);
    if (!emit_run(cg, out))
        return false;
    out->simd = cg->simd;
    out->scratch_size = cg->scratch_size;
    out->n_push_regs = cg->n_push_regs;
    for (unsigned d = 0; d < 3; d++)
        out->uses_local_id[d] = cg->uses_local_id[d];
    out->n_spills = cg->n_spills;
    out->n_fills = cg->n_fills;
    estimate_run(cg, out);
    return true;
}

/* Whether a group of the size that the kernel requires fits at this width. */
static bool group_fits(const struct kbin_kernel *k, const struct gen_device *dev, unsigned simd)
{
    uint64_t size = (uint64_t)k->reqd_wg_size[0] * k->reqd_wg_size[1] * k->reqd_wg_size[2];
    return size <= (uint64_t)dev->max_group_threads * simd;
}

/* The widest that the kernel gets if it requires none: code in which lanes do something together,
 * or that looks at its lane or width, is of at most sixteen. */
static unsigned max_width(const struct ir_fn *fn)
{
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        for (const struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            if (i->op == IR_reduce || i->op == IR_scan || i->op == IR_shuffle ||
                i->op == IR_lane_id || i->op == IR_simd_width)
                return 16;
        }
    }
    return 32;
}

/* The widths to try, in order: first all without spilling, then with, which costs least where
 * values are small. */
struct attempt {
    uint8_t simd;
    bool spills;
};

static const struct attempt attempts[] = {{32, false}, {16, false}, {8, false},
                                          {8, true},   {16, true},  {32, true}};

static bool is_wanted(const struct kbin_kernel *k, const struct gen_device *dev, unsigned simd,
                      bool fits)
{
    unsigned wanted = k->reqd_simd ? k->reqd_simd : preferred;
    return (!wanted || wanted == simd) && (!fits || group_fits(k, dev, simd));
}

enum codegen_result codegen_kernel(struct ir_fn *fn, const struct gen_device *dev,
                                   struct kbin_kernel *out, struct cc_log *log)
{
    /* A group that fits at no width can't be enqueued, but the program builds. */
    unsigned max = out->reqd_simd || preferred ? 32 : max_width(fn);
    bool any = false, fits = group_fits(out, dev, max);
    uint32_t too_far = 0; /* instructions of code over which branches don't reach */
    for (unsigned n = 0; n < sizeof attempts / sizeof *attempts; n++) {
        const struct attempt *a = &attempts[n];
        if (a->spills && any && fn->n_arrays)
            return CODEGEN_ARRAYS;
        if (a->simd > max || !is_wanted(out, dev, a->simd, fits))
            continue;
        any = true;
        struct cg *cg = cg_new(fn, dev, a->simd);
        if (!cg) {
            cc_error(log, NULL, "kernel '%s': %u bytes of arguments passed by value are too many",
                     fn->name, fn->n_push_bytes);
            return CODEGEN_FAILED;
        }
        if (!prepare(cg, a->spills) || !allocate_in_order(cg, a->spills))
            continue;
        if (finish(cg, out))
            return CODEGEN_OK;
        too_far = cg->n_code;
        if (cg->simd == cg->lanes) /* else it is doubled, and narrower code is shorter */
            break;
    }
    if (!any)
        cc_error(log, NULL, "kernel '%s': sub-groups of %u work-items are not available", fn->name,
                 out->reqd_simd);
    else if (too_far)
        cc_error(log, NULL, "kernel '%s': %u instructions are more than branches reach over",
                 fn->name, too_far);
    else
        cc_error(log, NULL, "kernel '%s': out of registers and scratch space", fn->name);
    return CODEGEN_FAILED;
}

/* Sixteen lanes instead of 32 take half the time to issue and wait as long: worth while where that
 * is a sixteenth less for the thread. */
static bool narrow_pays(const struct kbin_kernel *wide)
{
    return 7 * (uint64_t)wide->issue_clocks >= wide->wait_clocks;
}

/* Whether all messages but the last are of lanes, so that 32 lanes have two for each. What is
 * loaded once for all lanes would be loaded twice as often: traffic, of which the estimate knows
 * nothing. */
static bool sends_no_more(const struct kbin_kernel *narrow, const struct kbin_kernel *wide)
{
    return 2 * (narrow->n_sends - 1) <= wide->n_sends - 1;
}

bool codegen_narrow(struct ir_fn *fn, const struct gen_device *dev, const struct kbin_kernel *wide,
                    struct kbin_kernel *out)
{
    if (wide->simd != 32 || wide->reqd_simd || preferred || !narrow_pays(wide) ||
        !group_fits(wide, dev, 16))
        return false;
    struct cg *cg = cg_new(fn, dev, 16);
    *out = *wide;
    return cg && prepare(cg, false) && allocate_in_order(cg, false) && finish(cg, out) &&
           sends_no_more(out, wide);
}
