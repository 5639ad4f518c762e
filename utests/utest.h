/* The whole test harness: a test is a program; CHECK records a failure and goes on, REQUIRE ends
 * it. main() ends with `return utest_end();`, which fails on any failure, and says so if there are
 * descriptors more than at the start: a driver may keep its node and its compiler. */
#ifndef UTEST_H
#define UTEST_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weak: one for all files of a program. */
__attribute__((weak)) int utest_failures, utest_checks;

static inline void utest_record(bool ok, const char *file, int line, const char *what)
{
    utest_checks++;
    if (!ok) {
        utest_failures++;
        if (utest_failures <= 50)
            fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
    }
}

#define CHECK(cond) utest_record((cond), __FILE__, __LINE__, #cond)
/* With values: CHECKF(a == b, "a %d b %d", a, b) */
#define CHECKF(cond, ...)                                                                          \
    do {                                                                                           \
        bool utest_ok_ = (cond);                                                                   \
        utest_record(utest_ok_, __FILE__, __LINE__, #cond);                                        \
        if (!utest_ok_ && utest_failures <= 50) {                                                  \
            fprintf(stderr, "    ");                                                               \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
        }                                                                                          \
    } while (0)
#define REQUIRE(cond)                                                                              \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: required: %s\n", __FILE__, __LINE__, #cond);                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
/* Ends the test as skipped (CTest's SKIP_RETURN_CODE), saying what is missing. */
#define SKIP(...)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "skipped: " __VA_ARGS__);                                                  \
        fprintf(stderr, "\n");                                                                     \
        exit(77);                                                                                  \
    } while (0)

static inline unsigned utest_count_fds(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static unsigned utest_fds_at_start;
__attribute__((constructor, unused)) static void utest_begin(void)
{
    utest_fds_at_start = utest_count_fds();
}

static inline int utest_end(void)
{
    unsigned fds = utest_count_fds();
    if (fds > utest_fds_at_start)
        fprintf(stderr, "note: %u descriptors more than at the start\n", fds - utest_fds_at_start);
    fprintf(stderr, "%d checks, %d failed\n", utest_checks, utest_failures);
    return utest_failures ? 1 : 0;
}

#endif
