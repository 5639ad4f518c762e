/* The kernels of kernels/ pass the front end to the closed language, for both pointer widths:
 * beignet-cc stops before code generation and has nothing to say. */
#include "utest.h"

#include <sys/wait.h>

static void check_file(const char *name, const char *device)
{
    char command[1000], text[4096];
    snprintf(command, sizeof(command),
             "timeout 60 %s/backend/beignet-cc --device %s -d stop %s/kernels/%s 2>&1", BINARY_DIR,
             device, SOURCE_DIR, name);
    FILE *f = popen(command, "r");
    REQUIRE(f != NULL);
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = 0;
    int status = pclose(f);
    CHECKF(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s for %s: status %d\n%s", name, device,
           status, text);
    CHECKF(!strstr(text, "internal"), "%s for %s: %s", name, device, text);
}

int main(void)
{
    DIR *d = opendir(SOURCE_DIR "/kernels");
    struct dirent *e;
    unsigned n = 0;

    if (!d)
        SKIP("no kernels");
    while ((e = readdir(d))) {
        size_t len = strlen(e->d_name);
        if (len < 4 || strcmp(e->d_name + len - 3, ".cl"))
            continue;
        n++;
        check_file(e->d_name, "ivb-gt2");
        check_file(e->d_name, "skl-gt2");
    }
    closedir(d);
    CHECK(n > 20);
    return utest_end();
}
