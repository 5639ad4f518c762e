/* The small passes over Gen IR and what they share. Each keeps what ir_check demands. */
#ifndef BACKEND_OPT_H
#define BACKEND_OPT_H

#include "backend/ir.h"

/* opt_fold.c: the value of a pure operation on constants. src, dst: bits. False if it isn't known
 * here. */
bool opt_eval(const struct ir_insn *i, const uint32_t *src, uint32_t *dst);
/* Whether result 0 of a pure operation is one of its sources, something behind them, or a constant.
 */
bool opt_simplify(const struct ir_insn *i, struct ir_src *out);
/* At most so many low bits of the value can be set, 0 .. 32. */
unsigned opt_width(struct ir_src s);
/* The value is the sign extension of its low so many bits, 1 .. 32. */
unsigned opt_signed_width(struct ir_src s);
/* The same of all values, by id, to any depth. From the arena. */
struct opt_widths {
    uint8_t *bits, *signed_bits;
};
void opt_widths(const struct ir_fn *fn, struct opt_widths *w);

/* The passes; true if something changed. */
bool opt_combine(struct ir_fn *fn); /* opt_combine.c: folding, algebra, strength reduction */
bool opt_cse(struct ir_fn *fn);     /* opt_cse.c: the same computation once, along dominators */
bool opt_dce(struct ir_fn *fn);     /* opt_dce.c: what nobody uses; unused phis in cycles too */
bool opt_mem(struct ir_fn *fn);     /* opt_mem.c: address offsets; neighbours into one access */
bool opt_flow(struct ir_fn *fn);    /* opt_flow.c: short arms become selects; joins blocks */
void opt_compact(struct ir_fn *fn); /* opt_dce.c: value numbers dense again */

#endif
