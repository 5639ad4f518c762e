#include "backend/codegen.h"
bool spill_run(struct cg *cg, const bool *spill)
{
    (void)cg;
    (void)spill;
    return false;
}
