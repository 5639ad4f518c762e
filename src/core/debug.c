/* See debug.h. */
#include "src/core/debug.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const flag_names[] = {
#define DEBUG_FLAG(name, help) #name,
#define DEBUG_VARIABLE(name, variable, help)
#include "debug.def"
#undef DEBUG_FLAG
#undef DEBUG_VARIABLE
};

static const char *const variable_names[] = {
#define DEBUG_FLAG(name, help)
#define DEBUG_VARIABLE(name, variable, help) variable,
#include "debug.def"
#undef DEBUG_FLAG
#undef DEBUG_VARIABLE
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned flags;

const char *debug_variable(enum debug_variable v)
{
    const char *s = secure_getenv(variable_names[v]);
    return s && *s ? s : NULL;
}

static void read_flags(void)
{
    const char *s = debug_variable(VARIABLE_debug);
    while (s && *s) {
        size_t len = strcspn(s, ", ");
        for (unsigned i = 0; i < DEBUG_N_FLAGS; i++)
            if (len == strlen(flag_names[i]) && !strncmp(s, flag_names[i], len))
                flags |= 1u << i;
        if (len == 3 && !strncmp(s, "all", 3))
            flags = ~0u;
        s += len + strspn(s + len, ", ");
    }
}

bool debug_enabled(enum debug_flag flag)
{
    pthread_once(&once, read_flags);
    return flags >> flag & 1;
}

void debug_log(enum debug_flag flag, const char *format, ...)
{
    if (!debug_enabled(flag))
        return;
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "beignet: %s: %s\n", flag_names[flag], line);
}

void debug_warn(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "beignet: %s\n", line);
}
