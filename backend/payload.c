/* What a thread starts with (gen/kbin.h) and how it ends: fixed registers, first and last
 * instructions. */
#include "backend/codegen.h"

/* The parameters and local ids that the code asks for. */
static void find_used(struct cg *cg)
{
    struct ir_fn *fn = cg->fn;
    uint32_t bytes = fn->n_push_bytes;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        for (struct ir_insn *i = fn->blocks[b]->first; i; i = i->next) {
            if (i->op == IR_local_id)
                cg->uses_local_id[i->imm] = true;
            if (i->op == IR_param && i->imm + 4 > bytes)
                bytes = i->imm + 4;
            if ((i->op == IR_load || i->op == IR_store || i->op == IR_atomic) &&
                i->mem.space == IR_SLM)
                cg->uses_slm = true;
            cg->uses_double |= i->n_dst && i->dst[0]->type == IR_F64;
            cg->uses_half |= i->op >= IR_hadd && i->op <= IR_hcmp;
        }
    }
    cg->n_push_regs = (bytes + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
    if (fn->out && fn->out->n_push_regs > cg->n_push_regs)
        cg->n_push_regs = fn->out->n_push_regs;
}

bool payload_init(struct cg *cg)
{
    enum { MAX_PUSH = 100 };
    find_used(cg);
    if (cg->n_push_regs > MAX_PUSH)
        return false;
    unsigned reg = 0;
    cg->r0 = vreg_fixed(cg, EU_GRF_SIZE, reg++);
    cg->vregs[cg->r0].no_spill = true;
    for (uint32_t n = 0; n < cg->n_push_regs; n++)
        cg->push[n] = vreg_fixed(cg, EU_GRF_SIZE, reg++);
    for (unsigned d = 0; d < 3; d++) {
        if (!cg->uses_local_id[d])
            continue;
        cg->local_id[d] = vreg_fixed(cg, EU_GRF_SIZE, reg++);
        if (cg->simd == 32)
            vreg_pair(cg, cg->local_id[d], vreg_fixed(cg, EU_GRF_SIZE, reg++));
    }
    return true;
}

/* Denormal doubles and halves are kept: cr0.0 b(6), b(10). Nothing may move across it. */
static void keep_denormals(struct cg *cg)
{
    uint32_t bits = (cg->uses_double ? 1 << 6 : 0) | (cg->uses_half ? 1 << 10 : 0);
    if (!bits)
        return;
    struct opnd cr0 = op_arf(EU_ARF_CR0, 0, EU_UD), src[2] = {cr0, op_imm(EU_UD, bits)};
    struct mi m = mi_alu(EU_OP_or, 1, 2, op_stride(cr0, 1), src);
    m.e.no_mask = true;
    m.e.thread_ctrl = EU_THREAD_SWITCH;
    m.kind = MI_CTRL;
    mi_push(cg, &m);
}

void payload_begin(struct cg *cg)
{
    keep_denormals(cg);
    if (cg->gen != 75 || !cg->uses_slm)
        return;
    /* Haswell finds local memory by the index in sr0.1 b(11:8), which the kernel copies from
     * r0.0 b(27:24): upper word to lower word. */
    struct opnd src = op_scalar(cg->r0, 2, EU_UW);
    struct mi m = mi_alu(EU_OP_mov, 1, 1, op_stride(op_arf(EU_ARF_SR0, 4, EU_UW), 1), &src);
    m.e.no_mask = true;
    m.e.thread_ctrl = EU_THREAD_SWITCH;
    mi_push(cg, &m);
}

void payload_end(struct cg *cg)
{
    if (cg->has_halt) /* lanes that ended early wait here */
        mi_push(cg, &(struct mi){.e = {.op = EU_OP_halt, .exec_size = cg->simd},
                                 .kind = MI_CTRL,
                                 .is_exit = true});
    uint32_t p = vreg_new(cg, EU_GRF_SIZE, 1);
    cg->vregs[p].first = 112; /* the spawner takes its message from the last 16 registers */
    cg->vregs[p].last = EU_N_GRF - 1;
    cg->vregs[p].no_spill = true;
    struct opnd r0 = op_lanes(cg->r0, 0, EU_UD);
    struct mi copy = mi_alu(EU_OP_mov, 8, 1, op_lanes(p, 0, EU_UD), &r0);
    copy.e.no_mask = true;
    mi_push(cg, &copy);

    struct msg msg = {.kind = MSG_end_thread, .mlen = 1, .eot = true};
    const char *why = NULL;
    uint32_t desc;
    uint8_t sfid;
    if (!msg_pack(cg->gen, &msg, &desc, &sfid, &why))
        bug("end of thread: %s", why);
    struct mi end = {.kind = MI_SEND, .n_src = 1, .mlen = 1, .mem = MI_MEM_WRITE};
    end.e = (struct eu_insn){
        .op = EU_OP_send, .exec_size = 8, .no_mask = true, .fn = sfid, .desc = desc, .eot = true};
    mi_set_opnd(&end, 0, op_null(EU_UD));
    mi_set_opnd(&end, 1, op_lanes(p, 0, EU_UD));
    mi_push(cg, &end);
}
