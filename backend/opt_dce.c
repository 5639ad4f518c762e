/* Removes what nobody uses. Marks from what must stay, so that phis that only feed each other go
 * too. */
#include "backend/opt.h"

#include <string.h>

static bool must_stay(const struct ir_insn *i)
{
    return ir_has_flag(i, IR_EFFECT) || (i->op == IR_load && i->mem.is_volatile);
}

bool opt_dce(struct ir_fn *fn)
{
    bool changed = false;
    uint32_t n_work = 0;
    bool *live = cc_alloc(fn->n_values + 1);
    struct ir_insn **work = cc_alloc((fn->n_values + 1) * sizeof *work);
    /* an instruction is live when its first result is marked; effects need no mark */
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            if (!must_stay(i))
                continue;
            if (i->n_dst)
                live[i->dst[0]->id] = true;
            for (unsigned n = 0; n < i->n_src; n++) {
                struct ir_value *v = i->src[n].value;
                if (v && !live[v->def->dst[0]->id]) {
                    live[v->def->dst[0]->id] = true;
                    work[n_work++] = v->def;
                }
            }
        }
    while (n_work) {
        const struct ir_insn *i = work[--n_work];
        for (unsigned n = 0; n < i->n_src; n++) {
            struct ir_value *v = i->src[n].value;
            if (v && !live[v->def->dst[0]->id]) {
                live[v->def->dst[0]->id] = true;
                work[n_work++] = v->def;
            }
        }
    }
    /* first the sources of all that goes, then the instructions: they may use each other */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t b = 0; b < fn->n_blocks; b++)
            for (struct ir_insn *i = fn->blocks[b]->first, *next; i; i = next) {
                next = i->next;
                if (!i->n_dst || live[i->dst[0]->id] || must_stay(i))
                    continue;
                changed = true;
                if (pass)
                    ir_remove(i);
                else
                    for (unsigned n = 0; n < i->n_src; n++)
                        ir_set_src(i, n, ir_imm(0));
            }
    /* an atomic whose old value nobody wants need not send it back */
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            if (i->op == IR_atomic && i->n_dst && !i->dst[0]->n_uses &&
                !i->dst[i->n_dst - 1]->n_uses) {
                i->n_dst = 0;
                changed = true;
            }
    return changed;
}

void opt_compact(struct ir_fn *fn)
{
    fn->n_values = 0;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
            for (unsigned n = 0; n < i->n_dst; n++)
                i->dst[n]->id = fn->n_values++;
}
