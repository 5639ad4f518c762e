/* Gen IR as text. ir_parse.c reads it back; the syntax, by example:
 *
 *   fn name push 8 private 0 slm 0 denorms_zero
 *   param arg 0 offset 0 size 4 src 0     (kbin_kernel.params, surfaces: for codegen to pass on)
 *   surface arg 0 written
 *   array 96                              (bytes a lane)
 *   b0:
 *     %0:i32! = param 4                   (! = uniform; a number after an op is its `imm`)
 *     %1:i32 = add %0, 16
 *     %2:i1 = icmp.ult %1, 0x40           (op.predicate)
 *     %3:f32, %4:f32 = load surface 0 d32x2 align 8 + 16 volatile constant [%1]
 *     store slm d32x2 align 4 [%1] %3, %4
 *     %5:i32 = atomic surface 0 add d32x1 align 4 [%1] 1
 *     branch %2, b1, b2 merge b2               (then, else, merge)
 *   b1: preds b0
 *     jump b2
 *   b2: preds b0 b1                            (the order of phi sources; may be left out)
 *     %6:i32 = phi b0 %1, b1 7
 *     end line 12
 *
 * Constants: decimal, hexadecimal, or floats (1.5f: the float's bits). ; begins a comment. */
#include "backend/ir.h"
#include "backend/ir_text.h"

#include <math.h>
#include <string.h>

const char *const ir_param_kind_name[KBIN_N_PARAM_KINDS] = {
    "arg",          "arg_address", "arg_offset",    "arg_local",
    "arg_size",     "constants",   "global_offset", "global_size",
    "local_size",   "num_groups",  "group_offset",  "enqueued_local_size",
    "work_dim",     "printf",      "private_size",  "image_width",
    "image_height", "image_depth", "image_layers",  "image_order",
    "image_type",   "sampler"};
const char *const ir_surface_kind_name[KBIN_N_SURFACE_KINDS] = {"arg",     "constants", "private",
                                                                "window0", "window1",   "image"};
const char *const ir_space_name[IR_ARRAY + 1] = {"surface", "slm", "a64", "window", "array"};

/* Whether insn->imm has a meaning. */
bool ir_op_has_imm(enum ir_op op)
{
    return op == IR_fclass || op == IR_local_id || op == IR_group_id || op == IR_param ||
           op == IR_barrier || op == IR_fence || op == IR_reduce || op == IR_scan ||
           op == IR_sample || op == IR_texel || op == IR_image_read || op == IR_image_write || op == IR_media_read ||
           op == IR_media_write;
}

static const char *type_name(unsigned t)
{
    static const char *const names[] = {
        [IR_I1] = "i1", [IR_I32] = "i32", [IR_F32] = "f32", [IR_F64] = "f64"};
    return names[t];
}

static void print_imm(uint32_t imm, bool as_float, FILE *to)
{
    float f;
    memcpy(&f, &imm, 4);
    if (as_float && isfinite(f) && imm != 0x80000000u)
        fprintf(to, "%.9g%sf", f, f == floorf(f) && fabsf(f) < 1e9f ? ".0" : "");
    else if (imm < 4096 || imm > -4096u)
        fprintf(to, "%d", (int)imm);
    else
        fprintf(to, "0x%x", imm);
}

static void print_src(const struct ir_insn *i, unsigned n, FILE *to)
{
    struct ir_src s = i->src[n];
    if (s.value) {
        fprintf(to, "%%%u", s.value->id);
        return;
    }
    print_imm(s.imm, ir_src_type_ok(i, n, IR_F32) && !ir_src_type_ok(i, n, IR_I32), to);
}

static void print_mem(const struct ir_insn *i, FILE *to)
{
    const struct ir_mem *m = &i->mem;
    fprintf(to, " %s", ir_space_name[m->space]);
    if (m->space == IR_SURFACE || m->space == IR_WINDOW || m->space == IR_ARRAY)
        fprintf(to, " %u", m->bti);
    if (i->op == IR_atomic)
        fprintf(to, " %s", ir_atomic_name(m->atomic));
    fprintf(to, " d%ux%u align %u", m->comp_size * 8, m->n_comp, m->align);
    if (m->offset)
        fprintf(to, m->offset < 0 ? " - %u" : " + %u",
                m->offset < 0 ? -(uint32_t)m->offset : (uint32_t)m->offset);
    fprintf(to, "%s%s [", m->is_volatile ? " volatile" : "", m->is_constant ? " constant" : "");
    unsigned n_addr = ir_n_addr(i);
    for (unsigned n = 0; n < i->n_src; n++) {
        if (n)
            fputs(n == n_addr ? " " : ", ", to);
        print_src(i, n, to);
        if (n + 1 == n_addr)
            fputc(']', to);
    }
}

void ir_print_insn(const struct ir_insn *i, FILE *to)
{
    fputs("  ", to);
    for (unsigned n = 0; n < i->n_dst; n++)
        fprintf(to, "%s%%%u:%s%s", n ? ", " : "", i->dst[n]->id, type_name(i->dst[n]->type),
                i->dst[n]->uniform ? "!" : "");
    fprintf(to, "%s%s", i->n_dst ? " = " : "", ir_op_name(i->op));
    if (ir_is_compare(i->op))
        fprintf(to, ".%s", ir_pred_name[i->pred]);
    if (ir_op_has_imm(i->op))
        fprintf(to, " %u%s", i->imm, i->n_src ? "," : "");
    if (i->op == IR_load || i->op == IR_store || i->op == IR_atomic) {
        print_mem(i, to);
    } else {
        for (unsigned n = 0; n < i->n_src; n++) {
            fputs(n ? ", " : " ", to);
            if (i->op == IR_phi && i->block && n < i->block->n_preds)
                fprintf(to, "b%u ", i->block->preds[n]->index);
            print_src(i, n, to);
        }
    }
    const struct ir_block *b = i->block;
    if ((i->op == IR_jump || i->op == IR_leave) && b && b->succ[0])
        fprintf(to, " b%u", b->succ[0]->index);
    if ((i->op == IR_branch || i->op == IR_loop || i->op == IR_break) && b && b->succ[0] &&
        b->succ[1])
        fprintf(to, ", b%u, b%u", b->succ[0]->index, b->succ[1]->index);
    if (i->op == IR_branch && b && b->merge)
        fprintf(to, " merge b%u", b->merge->index);
    if (i->where.line)
        fprintf(to, " line %u", i->where.line);
    fputc('\n', to);
}

void ir_print(const struct ir_fn *fn, FILE *to)
{
    const struct kbin_kernel *k = fn->out;
    fprintf(to, "fn %s push %u", fn->name, fn->n_push_bytes);
    if (k)
        fprintf(to, " private %u slm %u", k->private_size, k->slm_size);
    fprintf(to, "%s\n", fn->denorms_zero ? " denorms_zero" : "");
    for (uint32_t n = 0; k && n < k->n_params; n++)
        fprintf(to, "param %s %u offset %u size %u src %u\n", ir_param_kind_name[k->params[n].kind],
                k->params[n].index, k->params[n].offset, k->params[n].size, k->params[n].src);
    for (uint32_t n = 0; k && n < k->n_surfaces; n++)
        fprintf(to, "surface %s %u%s\n", ir_surface_kind_name[k->surfaces[n].kind],
                k->surfaces[n].index, k->surfaces[n].written ? " written" : "");
    for (uint32_t n = 0; n < fn->n_arrays; n++)
        fprintf(to, "array %u\n", fn->array_size[n]);
    for (uint32_t n = 0; n < fn->n_blocks; n++) {
        const struct ir_block *b = fn->blocks[n];
        fprintf(to, "b%u:%s", n, b->n_preds ? " preds" : "");
        for (uint32_t p = 0; p < b->n_preds; p++)
            fprintf(to, " b%u", b->preds[p]->index);
        if (b->loop_depth)
            fprintf(to, " ; depth %u", b->loop_depth);
        fputc('\n', to);
        for (const struct ir_insn *i = b->first; i; i = i->next)
            ir_print_insn(i, to);
    }
}
