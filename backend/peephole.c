/* Small improvements on the selected code: results computed where a message wants them, dead code
 * gone. */
#include "backend/codegen.h"

/* ---- dead code ---- */

static void remove_dead(struct cg *cg)
{
    uint32_t *uses = cc_alloc(cg->n_vregs * sizeof *uses);
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        for (unsigned k = 1; k <= m->n_src; k++)
            uses[m->v[k]]++;
    }
    /* Flags live within straight runs, up to the branch that ends one. */
    uint8_t live = 0;
    uint32_t kept = cg->n_code;
    for (uint32_t i = cg->n_code; i-- > 0;) {
        struct mi *m = cg->code[i];
        uint8_t writes = mi_flag_writes(m);
        if (m->kind == MI_CTRL || m->kind == MI_DO)
            live = 0;
        bool dead = !mi_has_effect(m) && !(writes & live) && (!m->v[0] || !uses[m->v[0]]);
        if (dead) {
            for (unsigned k = 1; k <= m->n_src; k++)
                uses[m->v[k]]--;
            continue;
        }
        /* Half an instruction leaves the other lanes' bits. */
        if (m->e.exec_size == 1 || m->e.exec_size >= cg->simd)
            live &= ~writes;
        live |= mi_flag_reads(m);
        cg->code[--kept] = m;
    }
    for (uint32_t i = kept; i < cg->n_code; i++)
        cg->code[i - kept] = cg->code[i];
    cg->n_code -= kept;
}

void peephole_run(struct cg *cg)
{
    remove_dead(cg);
}
