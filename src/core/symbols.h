/* Kernel names and source lines for tools that look at the GPU from outside, such as gensim: a text
 * file a kernel in the directory that GPU_SYMBOLS_DIR names. The format: gensim(1), "Symbols". */
#ifndef CORE_SYMBOLS_H
#define CORE_SYMBOLS_H

#include "gen/kbin.h"

#include <stdbool.h>

/* Whether someone wants symbols: programs are then built with line tables. */
bool symbols_wanted(void);
/* Writes those of all kernels. Best effort: what goes wrong is seen with BEIGNET_DEBUG=build. */
void symbols_write(const struct kbin *k);

#endif
