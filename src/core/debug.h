/* Debug output and all knobs of the environment (debug.def). Read once, at first use; thread-safe.
 */
#ifndef CORE_DEBUG_H
#define CORE_DEBUG_H

#include <stdbool.h>

enum debug_flag {
#define DEBUG_FLAG(name, help) DEBUG_##name,
#define DEBUG_VARIABLE(name, variable, help)
#include "debug.def"
#undef DEBUG_FLAG
#undef DEBUG_VARIABLE
    DEBUG_N_FLAGS
};

enum debug_variable {
#define DEBUG_FLAG(name, help)
#define DEBUG_VARIABLE(name, variable, help) VARIABLE_##name,
#include "debug.def"
#undef DEBUG_FLAG
#undef DEBUG_VARIABLE
    DEBUG_N_VARIABLES
};

bool debug_enabled(enum debug_flag flag);
/* Value of the environment variable; NULL if unset or empty, or if the process runs with raised
 * privileges. */
const char *debug_variable(enum debug_variable v);
/* One line to stderr, where the flag is on. */
void debug_log(enum debug_flag flag, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same always: for what the user has to know and no call can tell. */
void debug_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
