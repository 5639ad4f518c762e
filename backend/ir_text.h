/* What the printer and the parser of Gen IR's text form share. */
#ifndef BACKEND_IR_TEXT_H
#define BACKEND_IR_TEXT_H

#include "backend/ir.h"

extern const char *const ir_param_kind_name[KBIN_N_PARAM_KINDS];
extern const char *const ir_surface_kind_name[KBIN_N_SURFACE_KINDS];
extern const char *const ir_space_name[IR_ARRAY + 1];

bool ir_op_has_imm(enum ir_op op);

#endif
