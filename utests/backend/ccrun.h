/* Runs beignet-cc on a source text; what it printed is in ccrun_text. */
#ifndef CCRUN_H
#define CCRUN_H

#include "gen/kbin.h"
#include "utest.h"

#include <sys/wait.h>
#include <unistd.h>

static char ccrun_text[1 << 20];

/* Its exit status; -1 if it was killed. */
static inline int ccrun(const char *source, const char *options)
{
    char path[] = BINARY_DIR "/ccrun-XXXXXX", command[1600];
    int fd = mkstemp(path);
    REQUIRE(fd >= 0 && write(fd, source, strlen(source)) == (ssize_t)strlen(source));
    close(fd);
    snprintf(command, sizeof(command), "timeout 60 %s/backend/beignet-cc %s %s 2>&1", BINARY_DIR,
             options, path);
    FILE *f = popen(command, "r");
    REQUIRE(f != NULL);
    size_t n = fread(ccrun_text, 1, sizeof(ccrun_text) - 1, f);
    ccrun_text[n] = 0;
    int status = pclose(f);
    remove(path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Builds a source that must build; needs the kbin library. */
static inline void ccrun_binary(const char *source, const char *options, struct kbin *out)
{
    static char data[1 << 20];
    char path[] = BINARY_DIR "/ccrun-XXXXXX", command[800];
    const char *why = NULL;
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    snprintf(command, sizeof(command), "%s -o %s", options, path);
    REQUIRE(ccrun(source, command) == 0);
    ssize_t n = read(fd, data, sizeof(data));
    close(fd);
    remove(path);
    REQUIRE(n > 0 && kbin_read(data, (size_t)n, out, &why));
}

#endif
