/* Symbol files: what gensim(1) says of their form, byte by byte; nothing without the variable. */
#include "utest.h"

#include "src/core/symbols.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* XXH64 with seed 0 of no bytes at all is EF46DB3751D8E999 (the xxHash specification); of "abc":
 * 44BC2CF5AD770999. */
static uint8_t abc[] = {'a', 'b', 'c'};

static unsigned read_only_file(const char *dir, char *text, size_t size)
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    REQUIRE(d != NULL);
    text[0] = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char path[600];
        if (e->d_name[0] == '.')
            continue;
        n++;
        size_t length = strlen(e->d_name);
        CHECKF(length > 4 && !strcmp(e->d_name + length - 4, ".sym"), "%s", e->d_name);
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        FILE *f = fopen(path, "re");
        REQUIRE(f != NULL);
        text[fread(text, 1, size - 1, f)] = 0;
        fclose(f);
        unlink(path);
    }
    closedir(d);
    return n;
}

int main(int argc, char **argv)
{
    char dir[] = BINARY_DIR "/symbols-XXXXXX", text[1000];
    if (argc == 1) { /* the environment is read once: it has to be there from the start */
        REQUIRE(mkdtemp(dir) && !setenv("GPU_SYMBOLS_DIR", dir, 1));
        execl("/proc/self/exe", argv[0], dir, NULL);
        REQUIRE(!"exec");
    }
    struct kbin_line lines[] = {{0, 0, 12}, {2, 1, 7}};
    struct kbin_file files[] = {{(char *)"a b.cl"}, {(char *)"inc/x.h"}};
    struct kbin_kernel kernel = {.name = (char *)"work",
                                 .code = abc,
                                 .code_size = sizeof abc,
                                 .lines = lines,
                                 .n_lines = 2,
                                 .files = files,
                                 .n_files = 2};
    struct kbin k = {.kernels = &kernel, .n_kernels = 1};
    CHECK(symbols_wanted());
    symbols_write(&k);
    CHECK(read_only_file(argv[1], text, sizeof text) == 1);
    CHECKF(!strcmp(text, "kernel work\nsize 3\ncode 44bc2cf5ad770999\n"
                         "line 0 a b.cl:12\nline 2 inc/x.h:7\n"),
           "%s", text);
    /* A directory that isn't there any more: nothing happens. */
    rmdir(argv[1]);
    symbols_write(&k);
    CHECK(access(argv[1], F_OK) != 0);
    return utest_end();
}
