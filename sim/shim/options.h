/* The options of gensim, which hands them to libgensim.so as text in the environment: one table for
 * both. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/i915/i915.h"

/* Names of the environment's variables. */
#define GENSIM_ENV_ROOT    "GENSIM_ROOT" /* directory with the tree that stands for /dev and /sys */
#define GENSIM_ENV_OPTIONS "GENSIM_OPTIONS" /* "--name=value" ... separated by '\n' */
/* Where drivers write symbols, for --stats, --trace and --check (docs/gensim.1). */
#define GENSIM_ENV_SYMBOLS "GPU_SYMBOLS_DIR"
/* In the tree: symbols' folder, and the struct sim_tally that all processes share. */
#define GENSIM_SYMBOLS "symbols"
#define GENSIM_TALLY   "tally"

void options_default(struct i915_options *o);
/* Takes one option without its dashes; value is NULL if none was given. False with *why set. */
bool options_set(struct i915_options *o, const char *name, const char *value, const char **why);
/* Whether an option wants a value: 1 yes, 0 no, -1 no such option. */
int options_wants_value(const char *name);
bool options_watches(const struct i915_options *o); /* --stats, --trace or --check */
void options_help(void); /* on stdout */
/* Parses GENSIM_ENV_OPTIONS's text. */
bool options_parse(struct i915_options *o, const char *text, const char **why);

#endif
