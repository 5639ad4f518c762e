/* Helpers of one build: memory that is never freed, the log, bugs, dumps. Knows no LLVM: how a
 * value's place in the source is found is set by who has one (passes.c). */
#include "backend/cc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/* Nothing of a build is freed (backend.h): leaks are no news. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:handle_segv=0"; /* a crash is the server's to report */
}
#endif

const char *(*cc_place)(LLVMValueRef where);
void (*cc_bug_hook)(const char *text);
static const char *dump_list;

void bug(const char *fmt, ...)
{
    static char text[1024]; /* the heap may be what is broken */
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (cc_bug_hook)
        cc_bug_hook(text);
    fprintf(stderr, "beignet-cc: internal error: %s\n", text);
    _exit(CC_BUG_EXIT);
}

void *cc_alloc(size_t size)
{
    enum { CHUNK = 1 << 20 };
    static char *at;
    static size_t left;

    size = (size + 15) & ~(size_t)15;
    if (size > left) {
        if (size > CHUNK / 4) { /* one of its own */
            void *p = calloc(1, size);
            if (!p)
                bug("out of memory");
            return p;
        }
        at = calloc(1, CHUNK);
        if (!at)
            bug("out of memory");
        left = CHUNK;
    }
    void *p = at;
    at += size;
    left -= size;
    return p;
}

void *cc_grow(void *old, size_t old_size, size_t new_size)
{
    void *p = cc_alloc(new_size);
    if (old_size)
        memcpy(p, old, old_size);
    return p;
}

char *cc_printf(const char *fmt, ...)
{
    va_list ap, again;

    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *s = cc_alloc((size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return s;
}

static void log_append(struct cc_log *log, const char *text, size_t size)
{
    if (log->size + size + 1 > log->cap) {
        size_t cap = (log->size + size + 1) * 2;
        log->text = cc_grow(log->text, log->size, cap);
        log->cap = cap;
    }
    memcpy(log->text + log->size, text, size);
    log->size += size;
    log->text[log->size] = 0;
}

static void log_format(struct cc_log *log, const char *fmt, va_list ap)
{
    va_list again;

    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *s = cc_alloc((size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    log_append(log, s, (size_t)n);
    if (n && s[n - 1] != '\n')
        log_append(log, "\n", 1);
}

void cc_error(struct cc_log *log, LLVMValueRef where, const char *fmt, ...)
{
    va_list ap;
    const char *place = where && cc_place ? cc_place(where) : NULL;

    if (place) {
        log_append(log, place, strlen(place));
        log_append(log, ": ", 2);
    }
    log_append(log, "error: ", 7);
    va_start(ap, fmt);
    log_format(log, fmt, ap);
    va_end(ap);
    log->failed = true;
}

void cc_note(struct cc_log *log, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    log_format(log, fmt, ap);
    va_end(ap);
}

void cc_set_dumps(const char *list)
{
    dump_list = list;
}

bool cc_dumps(const char *pass)
{
    size_t n = strlen(pass);
    for (const char *p = dump_list; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (!strncmp(p, pass, n) && (p[n] == ',' || !p[n]))
            return true;
    }
    return false;
}
