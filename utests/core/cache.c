/* The disk cache: what is put is got, whatever happens to the files; keys depend on everything. */
#include "utest.h"

#include "src/core/cache.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[64];
static long room = -1; /* bytes that the disk still has; negative: enough */

/* The program is linked so that the driver's writes come here first. */
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    if (room >= 0 && size > (size_t)room)
        size = (size_t)room;
    if (room == 0) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t n = __real_write(fd, data, size);
    if (room > 0 && n > 0)
        room -= n;
    return n;
}

/* The only file. */
static void entry_path(char *path, size_t size)
{
    char dir[128];
    snprintf(dir, sizeof dir, "%s/beignet", home);
    DIR *d = opendir(dir);
    REQUIRE(d);
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, size, "%s/%s", dir, e->d_name);
        n++;
    }
    closedir(d);
    CHECKF(n == 1, "%u files", n);
}

static const uint8_t binary[] = "\0\1\2binary";
static const struct cc_reply built = {
    .log = (char *)"a warning", .binary = (uint8_t *)binary, .size = sizeof binary};

static bool found(const struct cache_key *key)
{
    struct cc_reply r = {0};
    if (!cache_get(key, &r))
        return false;
    CHECK(r.status == CC_OK && r.size == sizeof binary && !memcmp(r.binary, binary, r.size));
    CHECK(r.log && !strcmp(r.log, "a warning"));
    free(r.log);
    free(r.binary);
    return true;
}

static void damage(const struct cache_key *key)
{
    char path[512];
    cache_put(key, &built);
    REQUIRE(found(key));
    entry_path(path, sizeof path);
    struct stat st;
    REQUIRE(stat(path, &st) == 0);
    CHECK((st.st_mode & 077) == 0);                   /* nobody else's business */
    for (off_t size = 0; size < st.st_size; size++) { /* cut anywhere */
        cache_put(key, &built);
        REQUIRE(truncate(path, size) == 0);
        CHECKF(!found(key), "cut to %lld", (long long)size);
    }
    for (off_t at = 0; at < st.st_size; at++) { /* changed anywhere but in a reserved word */
        cache_put(key, &built);
        FILE *f = fopen(path, "r+");
        REQUIRE(f && fseek(f, at, SEEK_SET) == 0);
        int c = fgetc(f);
        REQUIRE(fseek(f, at, SEEK_SET) == 0 && fputc(c ^ 0x40, f) != EOF && fclose(f) == 0);
        CHECKF(!found(key) || (at >= 12 && at < 16), "byte %lld", (long long)at);
    }
    cache_put(key, &built);
    CHECK(found(key));
    FILE *f = fopen(path, "a"); /* longer */
    REQUIRE(f && fputs("more", f) >= 0 && fclose(f) == 0);
    CHECK(!found(key));
    unlink(path);
    CHECK(!found(key));
    REQUIRE(symlink("/etc/passwd", path) == 0);
    CHECK(!found(key));
    unlink(path);
    REQUIRE(mkdir(path, 0700) == 0);
    CHECK(!found(key));
    cache_put(key, &built); /* can't be renamed onto it: nothing is left behind */
    entry_path(path, sizeof path);
    rmdir(path);
}

/* A full disk is noticed wherever it happens: nothing is found, nothing is left lying about. */
static void disk_full(const struct cache_key *key)
{
    char path[512], dir[128];
    cache_put(key, &built);
    entry_path(path, sizeof path);
    struct stat st;
    REQUIRE(stat(path, &st) == 0);
    for (long size = 0; size < st.st_size; size++) {
        unlink(path);
        room = size;
        cache_put(key, &built);
        room = -1;
        CHECKF(!found(key), "a disk with %ld bytes", size);
        snprintf(dir, sizeof dir, "%s/beignet", home);
        DIR *d = opendir(dir);
        REQUIRE(d);
        for (struct dirent *e; (e = readdir(d));)
            CHECKF(!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."), "%s is left", e->d_name);
        closedir(d);
    }
    cache_put(key, &built);
    CHECK(found(key));
    unlink(path);
}

static struct cache_key key_of(const struct cc_request *r, const char *compiler)
{
    struct cache_key k = {0, 0};
    CHECK(cache_key(r, compiler, &k));
    return k;
}

static void keys(void)
{
    struct cc_blob header = {"a.h", "x", 1}, header2 = {"a.h", "y", 1}, split = {"a", ".hx", 3};
    const struct cc_request requests[] = {
        {.kind = CC_BUILD, .pci_id = 1, .source = "s", .options = "o"},
        {.kind = CC_COMPILE, .pci_id = 1, .source = "s", .options = "o"},
        {.kind = CC_BUILD, .pci_id = 2, .source = "s", .options = "o"},
        {.kind = CC_BUILD, .pci_id = 1, .source = "so", .options = ""},
        {.kind = CC_BUILD, .pci_id = 1, .source = "", .options = "so"},
        {.kind = CC_BUILD, .pci_id = 1, .source = "s", .options = "p"},
        {.kind = CC_COMPILE,
         .pci_id = 1,
         .source = "s",
         .options = "o",
         .headers = &header,
         .n_headers = 1},
        {.kind = CC_COMPILE,
         .pci_id = 1,
         .source = "s",
         .options = "o",
         .headers = &header2,
         .n_headers = 1},
        {.kind = CC_COMPILE,
         .pci_id = 1,
         .source = "s",
         .options = "o",
         .headers = &split,
         .n_headers = 1},
        {.kind = CC_LINK, .pci_id = 1, .options = "o", .inputs = &header, .n_inputs = 1},
        {.kind = CC_LINK, .pci_id = 1, .options = "o", .inputs = &header2, .n_inputs = 1},
        {.kind = CC_LINK,
         .pci_id = 1,
         .options = "o",
         .inputs = &header,
         .n_inputs = 1,
         .make_library = true},
    };
    enum { N = sizeof requests / sizeof *requests };
    for (unsigned i = 0; i < N; i++) {
        struct cache_key a = key_of(&requests[i], "cc"), again = key_of(&requests[i], "cc");
        CHECK(a.hi == again.hi && a.lo == again.lo);
        again = key_of(&requests[i], "cc2");
        CHECK(a.hi != again.hi && a.lo != again.lo);
        for (unsigned j = 0; j < i; j++) {
            struct cache_key b = key_of(&requests[j], "cc");
            CHECKF(a.hi != b.hi || a.lo != b.lo, "%u %u", i, j);
        }
    }
    /* What reads files that we don't see is not kept. */
    static const struct {
        const char *source;
        bool cacheable;
    } sources[] = {{"kernel void f() {}", true},
                   {"#include \"x.h\"\n", false},
                   {"  #  include <x.h>", false},
                   {"int a;\n#\\\n include <x.h>", false},
                   {"%:include <x.h>", false},
                   {"int a;\r\n#include <x.h>\r\n", false},
                   {"/* to include */ int included;", true},
                   {"#define A\nint include;", true}};
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct cache_key k;
        struct cc_request r = {.kind = CC_BUILD, .source = sources[i].source, .options = ""};
        CHECKF(cache_key(&r, "cc", &k) == sources[i].cacheable, "%s", sources[i].source);
    }
}

int main(void)
{
    snprintf(home, sizeof home, "/tmp/utest-cache-XXXXXX");
    REQUIRE(mkdtemp(home));
    setenv("XDG_CACHE_HOME", home, 1);
    unsetenv("BEIGNET_CACHE");
    struct cc_request r = {.kind = CC_BUILD, .source = "s", .options = ""};
    struct cache_key key = key_of(&r, "cc");
    CHECK(!found(&key));
    damage(&key);
    disk_full(&key);
    keys();
    setenv("BEIGNET_CACHE", "0", 1);
    CHECK(!cache_key(&r, "cc", &key));
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    cache_put(&key, &built); /* nowhere to put it: no harm */
    CHECK(!found(&key));
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", home);
    CHECK(system(command) == 0);
    return utest_end();
}
