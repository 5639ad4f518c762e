/* See cache.h. An entry: struct entry_header, the log, the binary. */
#include "src/core/cache.h"

#include "src/core/debug.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ENTRY_VERSION = 1,
    MAX_BYTES = 256 << 20, /* of all entries; the oldest go */
    TRIM_EVERY = 32,       /* entries written between two looks at the sum */
    STALE_SECONDS = 3600   /* age of a temporary file that nobody will rename any more */
};

static const char entry_magic[8] = "BEIGNET";

struct entry_header {
    char magic[8];
    uint32_t version, reserved;
    uint64_t key_hi, key_lo;
    uint64_t log_size, binary_size;
    uint64_t check; /* of log and binary */
};

static void add_bytes(XXH3_state_t *h, const void *data, size_t size)
{
    uint64_t n = size; /* lengths too, so that fields can't flow into each other */
    XXH3_128bits_update(h, &n, sizeof n);
    if (size)
        XXH3_128bits_update(h, data, size);
}

static void add_string(XXH3_state_t *h, const char *s)
{
    add_bytes(h, s, s ? strlen(s) : 0);
}

/* Whether the preprocessor may read a file: "include" after something like '#' in a line. Errs
 * towards yes. */
static bool includes_files(const char *source)
{
    for (const char *s = source; (s = strstr(s, "include")); s += 7) {
        for (const char *p = s; p > source; p--) {
            bool new_line = p[-1] == '\n' && !(p - 1 > source && (p[-2] == '\\' || p[-2] == '\r'));
            if (new_line)
                break;
            if (p[-1] == '#' || (p[-1] == ':' && p - 1 > source && p[-2] == '%') || p[-1] == '=')
                return true;
        }
    }
    return false;
}

bool cache_key(const struct cc_request *r, const char *compiler, struct cache_key *key)
{
    const char *off = debug_variable(VARIABLE_cache);
    if (off && !strcmp(off, "0"))
        return false;
    if (r->source && includes_files(r->source))
        return false;
    XXH3_state_t *h = XXH3_createState();
    if (!h)
        return false;
    XXH3_128bits_reset(h);
    uint32_t fixed[] = {ENTRY_VERSION, CCPROTO_VERSION, r->kind,
                        r->pci_id,     r->make_library, r->arg_offsets};
    add_bytes(h, fixed, sizeof fixed);
    add_string(h, compiler);
    add_string(h, r->source);
    add_string(h, r->options);
    add_bytes(h, r->il, r->il_size);
    for (size_t i = 0; i < r->n_headers; i++) {
        add_string(h, r->headers[i].name);
        add_bytes(h, r->headers[i].data, r->headers[i].size);
    }
    for (size_t i = 0; i < r->n_inputs; i++)
        add_bytes(h, r->inputs[i].data, r->inputs[i].size);
    XXH128_hash_t v = XXH3_128bits_digest(h);
    XXH3_freeState(h);
    *key = (struct cache_key){v.high64, v.low64};
    return true;
}

/* The directory, made if need be. */
static bool cache_directory(char *path, size_t size)
{
    const char *base = debug_variable(VARIABLE_cache_home), *home = debug_variable(VARIABLE_home);
    int n;
    if (base && base[0] == '/')
        n = snprintf(path, size, "%s/beignet", base);
    else if (home && home[0] == '/')
        n = snprintf(path, size, "%s/.cache/beignet", home);
    else
        return false;
    if (n < 0 || (size_t)n >= size - 64)
        return false;
    for (char *p = path + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool entry_path(const struct cache_key *key, char *path, size_t size)
{
    if (!cache_directory(path, size))
        return false;
    size_t n = strlen(path);
    snprintf(path + n, size - n, "/%016llx%016llx.bin", (unsigned long long)key->hi,
             (unsigned long long)key->lo);
    return true;
}

static bool read_all(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, (char *)data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool write_all(int fd, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool cache_get(const struct cache_key *key, struct cc_reply *reply)
{
    char path[1024];
    struct entry_header h;
    struct stat st;
    uint8_t *binary = NULL;
    char *log = NULL;
    if (!entry_path(key, path, sizeof path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read_all(fd, &h, sizeof h) &&
              !memcmp(h.magic, entry_magic, sizeof h.magic) && h.version == ENTRY_VERSION &&
              h.key_hi == key->hi && h.key_lo == key->lo && h.log_size < MAX_BYTES &&
              h.binary_size < MAX_BYTES && h.binary_size > 0 &&
              (uint64_t)st.st_size == sizeof h + h.log_size + h.binary_size;
    if (ok) {
        log = malloc(h.log_size + 1);
        binary = malloc(h.binary_size);
        ok = log && binary && read_all(fd, log, h.log_size) && read_all(fd, binary, h.binary_size);
    }
    if (ok) {
        log[h.log_size] = 0;
        ok = h.check ==
             (XXH3_64bits(log, h.log_size) ^ XXH3_64bits_withSeed(binary, h.binary_size, 1));
    }
    if (ok) {
        futimens(fd, NULL); /* used now: trimmed last */
        *reply =
            (struct cc_reply){.status = CC_OK, .log = log, .binary = binary, .size = h.binary_size};
    } else {
        free(log);
        free(binary);
        debug_log(DEBUG_build, "cache: %s is damaged, ignored", path);
    }
    close(fd);
    return ok;
}

struct file {
    char name[64];
    time_t age;
    off_t size;
};

static int oldest_first(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return x->age < y->age ? -1 : x->age > y->age;
}

/* Removes the oldest entries until three quarters of the bound are left. */
static void cache_trim(void)
{
    char path[1024];
    if (!cache_directory(path, sizeof path))
        return;
    DIR *d = opendir(path);
    if (!d)
        return;
    struct file *files = NULL;
    size_t n = 0, room = 0;
    off_t total = 0;
    time_t now = time(NULL);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof files->name ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (!strstr(e->d_name, ".bin") && now - st.st_mtime > STALE_SECONDS) {
            unlinkat(dirfd(d), e->d_name, 0);
            continue;
        }
        if (n == room) {
            struct file *more = realloc(files, (room = room ? 2 * room : 64) * sizeof *files);
            if (!more)
                break;
            files = more;
        }
        snprintf(files[n].name, sizeof files->name, "%s", e->d_name);
        files[n].age = st.st_mtime;
        files[n++].size = st.st_size;
        total += st.st_size;
    }
    if (total > MAX_BYTES) {
        qsort(files, n, sizeof *files, oldest_first);
        for (size_t i = 0; i < n && total > MAX_BYTES / 4 * 3; i++) {
            unlinkat(dirfd(d), files[i].name, 0);
            total -= files[i].size;
        }
    }
    free(files);
    closedir(d);
}

void cache_put(const struct cache_key *key, const struct cc_reply *reply)
{
    static atomic_uint written;
    char path[1024], temporary[1024 + 8];
    size_t log_size = reply->log ? strlen(reply->log) : 0;
    if (!reply->binary || reply->size >= MAX_BYTES / 4 || log_size >= MAX_BYTES / 4 ||
        !entry_path(key, path, sizeof path))
        return;
    snprintf(temporary, sizeof temporary, "%s", path);
    memcpy(strstr(temporary, ".bin"), ".XXXXXX", 8);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return;
    struct entry_header h = {.version = ENTRY_VERSION,
                             .key_hi = key->hi,
                             .key_lo = key->lo,
                             .log_size = log_size,
                             .binary_size = reply->size,
                             .check = XXH3_64bits(reply->log ? reply->log : "", log_size) ^
                                      XXH3_64bits_withSeed(reply->binary, reply->size, 1)};
    memcpy(h.magic, entry_magic, sizeof h.magic);
    bool ok = write_all(fd, &h, sizeof h) && write_all(fd, reply->log, log_size) &&
              write_all(fd, reply->binary, reply->size);
    ok &= close(fd) == 0;
    if (!ok || rename(temporary, path))
        unlink(temporary);
    if (atomic_fetch_add(&written, 1) % TRIM_EVERY == 0)
        cache_trim();
}
