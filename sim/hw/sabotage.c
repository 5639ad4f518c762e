/* See sabotage.h. */
#include "sabotage.h"

static bool is_64(unsigned type)
{
    return type == EU_Q || type == EU_UQ;
}

void sabotage_insn(const struct sim_dispatch *d, struct eu_insn *in)
{
    if (!sim_gpu_options(d->gpu)->sabotage)
        return;
    if (sabotaged(d, SABOTAGE_nibctrl))
        in->group &= ~4u;
    if (sabotaged(d, SABOTAGE_else_mask) && in->op == EU_OP_else)
        in->op = EU_OP_endif;
    if (sabotaged(d, SABOTAGE_goto_sense) && in->op == EU_OP_goto && in->pred)
        in->pred_inv = !in->pred_inv;
    if (sabotaged(d, SABOTAGE_mach_low) && in->op == EU_OP_mach)
        in->op = EU_OP_mul;
    if (sabotaged(d, SABOTAGE_unsigned_shift) && in->op == EU_OP_asr)
        in->op = EU_OP_shr;
    bool computes = in->op == EU_OP_add || in->op == EU_OP_mul || in->op == EU_OP_shl;
    if (sabotaged(d, SABOTAGE_wide_dst) && computes && is_64(in->dst.type) && in->dst.hs <= 2 &&
        !is_64(in->src[0].type) && !is_64(in->src[1].type)) {
        in->dst.type = in->dst.type == EU_Q ? EU_D : EU_UD;
        in->dst.hs *= 2;
    }
}
