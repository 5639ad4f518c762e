/* Control flow: random programs against a model that runs one channel after the other. */
#ifndef MODEL_FLOW_H
#define MODEL_FLOW_H

#include <stdint.h>

void flow_run(const char *device, uint64_t seed, uint64_t n_programs);

#endif
