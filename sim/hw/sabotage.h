/* Test switches that break one rule of the hardware each, see sabotage.def. Off, they cost nothing
 * where instructions run: they change what is decoded, dispatched or sent. */
#ifndef SIM_SABOTAGE_H
#define SIM_SABOTAGE_H

#include "hw.h"

#include <string.h>

enum sabotage {
#define SABOTAGE(name, what) SABOTAGE_##name,
#include "sabotage.def"
#undef SABOTAGE
    SABOTAGE_N
};

/* The bit of a name for sim_options.sabotage; 0: unknown. Here, as the command has no more of the
 * GPU. */
static inline uint32_t sabotage_by_name(const char *name)
{
    static const char *const names[SABOTAGE_N] = {
#define SABOTAGE(rule, what) #rule,
#include "sabotage.def"
#undef SABOTAGE
    };
    for (unsigned i = 0; i < SABOTAGE_N; i++) {
        if (!strcmp(names[i], name))
            return 1u << i;
    }
    return 0;
}

static inline bool sabotaged(const struct sim_dispatch *d, enum sabotage what)
{
    return sim_gpu_options(d->gpu)->sabotage >> what & 1;
}
/* Changes a decoded instruction. */
void sabotage_insn(const struct sim_dispatch *d, struct eu_insn *in);

#endif
