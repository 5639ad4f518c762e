#include "backend/codegen.h"
void ra_check(const struct cg *cg)
{
    (void)cg;
}
