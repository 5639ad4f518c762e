/* What kernel is it? Drivers may write a file a kernel into GPU_SYMBOLS_DIR (docs/gensim.1): its
 * name, the hash of its code and the source lines. Code in the simulated memory is recognised by
 * its hash, wherever it lies. The folder is looked at again when code without a name is met. */
#include "observe.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MAX_CODE = 1 << 22, MAX_FILE = 1 << 24, CHUNK = 4096 };

struct seen {
    struct seen *next;
    char name[];
};

struct symbols {
    const char *dir;       /* borrowed; NULL: no files */
    struct timespec mtime; /* of the folder when it was read */
    struct seen *seen;     /* owned: files that were read */
    struct symbol *list;   /* owned */
    unsigned n;            /* in the list */
};

struct symbols *symbols_new(const char *dir)
{
    struct symbols *s = calloc(1, sizeof *s);
    if (s)
        s->dir = dir;
    return s;
}

static void symbol_free(struct symbol *sym)
{
    if (!sym)
        return;
    free(sym->line);
    free(sym->text);
    free(sym);
}

void symbols_free(struct symbols *s)
{
    if (!s)
        return;
    for (struct symbol *sym = s->list, *next; sym; sym = next) {
        next = sym->next;
        symbol_free(sym);
    }
    for (struct seen *f = s->seen, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    free(s);
}

/* ---- code ---- */

bool symbols_hash(const struct sim_vm *vm, gpu_addr at, uint32_t size, uint64_t *hash)
{
    uint64_t run;
    gpu_addr bad;
    const void *p = vm_ptr(vm, at, size, false, &run);
    if (p) {
        *hash = XXH64(p, size, 0);
        return true;
    }
    uint8_t *copy = malloc(size);
    bool ok = copy && vm_read(vm, at, copy, size, &bad);
    if (ok)
        *hash = XXH64(copy, size, 0);
    free(copy);
    return ok;
}

uint32_t symbols_extent(const struct sim_dispatch *d, int gen)
{
    int64_t at = 0, reach = 0;
    while (at < MAX_CODE) {
        uint8_t bytes[EU_INSN_SIZE];
        struct eu_insn in;
        const char *why;
        gpu_addr bad;
        unsigned size = EU_INSN_SIZE;
        if (!vm_read(d->vm, d->kernel + (gpu_addr)at, bytes, size, &bad)) {
            size = EU_COMPACT_SIZE;
            if (!vm_read(d->vm, d->kernel + (gpu_addr)at, bytes, size, &bad))
                break;
        }
        size = eu_decode(gen, bytes, size, &in, &why);
        if (!size)
            break;
        if (eu_op_info(in.op)->branch) {
            reach = at + in.jip > reach ? at + in.jip : reach;
            reach = at + in.uip > reach ? at + in.uip : reach;
        }
        at += size;
        if (in.eot && at > reach)
            break;
    }
    return (uint32_t)at;
}

/* ---- files ---- */

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "re");
    struct stat st;
    if (!f)
        return NULL;
    char *text = NULL;
    if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size < MAX_FILE)
        text = malloc((size_t)st.st_size + 1);
    if (text) {
        size_t n = fread(text, 1, (size_t)st.st_size, f);
        text[n] = 0;
        if (strlen(text) != n) { /* a zero byte: no text */
            free(text);
            text = NULL;
        }
    }
    fclose(f);
    return text;
}

static bool number(const char *text, int base, uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, base);
    *out = v;
    return !errno && end != text && !*end && text[0] != '-' && text[0] != '+' && v <= max;
}

/* "OFFSET FILE:LINE" */
static bool add_line(struct symbol *sym, char *value)
{
    char *file = strchr(value, ' '), *colon = file ? strrchr(file, ':') : NULL;
    uint64_t offset, line;
    if (!colon)
        return false;
    *file++ = 0;
    *colon = 0;
    if (!number(value, 0, UINT32_MAX, &offset) || !number(colon + 1, 10, UINT32_MAX, &line) ||
        (sym->n_lines && offset < sym->line[sym->n_lines - 1].offset))
        return false;
    if (!(sym->n_lines & (sym->n_lines - 1))) { /* full: 0, 1, 2, 4, ... */
        size_t n = sym->n_lines ? 2 * (size_t)sym->n_lines : 1;
        struct kernel_line *more = realloc(sym->line, n * sizeof *more);
        if (!more)
            return false;
        sym->line = more;
    }
    sym->line[sym->n_lines++] =
        (struct kernel_line){.offset = (uint32_t)offset, .line = (uint32_t)line, .file = file};
    return true;
}

/* Cuts the text into lines "KEY VALUE". False: it breaks the convention. */
static bool parse(struct symbol *sym)
{
    bool hashed = false;
    for (char *p = sym->text, *next; *p; p = next) {
        char *end = strchr(p, '\n');
        uint64_t v;
        next = end ? end + 1 : p + strlen(p);
        if (end)
            *end = 0;
        char *value = strchr(p, ' ');
        if (!value)
            return false;
        *value++ = 0;
        if (!strcmp(p, "kernel")) {
            if (sym->name || !*value)
                return false;
            sym->name = value;
        } else if (!strcmp(p, "size")) {
            if (sym->size || !number(value, 10, MAX_CODE, &v) || !v)
                return false;
            sym->size = (uint32_t)v;
        } else if (!strcmp(p, "code")) {
            if (hashed || strlen(value) != 16 || !number(value, 16, UINT64_MAX, &sym->hash))
                return false;
            hashed = true;
        } else if (strcmp(p, "line") || !add_line(sym, value)) {
            return false;
        }
    }
    return sym->name && sym->size && hashed;
}

static void load(struct symbols *s, const char *name)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", s->dir, name);
    struct symbol *sym = calloc(1, sizeof *sym);
    if (sym && n > 0 && n < (int)sizeof path && (sym->text = read_file(path)) && parse(sym)) {
        sym->next = s->list;
        s->list = sym;
        s->n++;
        return;
    }
    symbol_free(sym);
    dprintf(STDERR_FILENO, "gensim: warning: %s: no symbols as docs/gensim.1 has them: ignored\n",
            path);
}

/* Whether a folder's time tells that nothing has come since: clocks of file systems tick slowly. */
static bool is_settled(const struct timespec *mtime)
{
    enum { TICK_NS = 50000000 };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (int64_t)(now.tv_sec - mtime->tv_sec) * 1000000000 + now.tv_nsec - mtime->tv_nsec;
    return age > TICK_NS;
}

static void load_new(struct symbols *s)
{
    struct stat st;
    if (!s->dir || stat(s->dir, &st) != 0 ||
        (st.st_mtim.tv_sec == s->mtime.tv_sec && st.st_mtim.tv_nsec == s->mtime.tv_nsec))
        return;
    if (is_settled(&st.st_mtim))
        s->mtime = st.st_mtim;
    DIR *dir = opendir(s->dir);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        struct seen *f = s->seen;
        if (n < 5 || strcmp(e->d_name + n - 4, ".sym") != 0)
            continue;
        while (f && strcmp(f->name, e->d_name) != 0)
            f = f->next;
        if (f || !(f = malloc(sizeof *f + n + 1)))
            continue;
        memcpy(f->name, e->d_name, n + 1);
        f->next = s->seen;
        s->seen = f;
        load(s, e->d_name);
    }
    if (dir)
        closedir(dir);
}

static const struct symbol *match(const struct symbols *s, const struct sim_vm *vm, gpu_addr at)
{
    uint32_t size = 0;
    uint64_t hash = 0;
    bool ok = false;
    for (const struct symbol *sym = s->list; sym; sym = sym->next) {
        if (sym->size != size) {
            size = sym->size;
            ok = symbols_hash(vm, at, size, &hash);
        }
        if (ok && sym->hash == hash)
            return sym;
    }
    return NULL;
}

const struct symbol *symbols_find(struct symbols *s, const struct sim_vm *vm, gpu_addr at,
                                  unsigned *tried)
{
    load_new(s);
    if (*tried == s->n)
        return NULL;
    *tried = s->n;
    return match(s, vm, at);
}
