/* The interposed libc calls, and nothing else: what clients use to find, open, map and command a
 * device node. Paths of the devices go to the tree that gensim made; their nodes become memory
 * files whose ioctls and mappings sim/i915 serves. Without GENSIM_ROOT in the environment
 * everything passes through.
 *
 * Nothing happens at load time; the first call reads the environment, the first open makes the
 * device. */
#include "fdtab.h"
#include "options.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The next definition of a libc function, looked up once. */
#define REAL(name)                                                                                 \
    ({                                                                                             \
        static __typeof__(&name) real_;                                                            \
        if (!real_)                                                                                \
            real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                    \
        real_;                                                                                     \
    })

/* Node 2 * i is the card node of device i, the next its render node. */
enum { DRM_MAJOR = 226, FIRST_RENDER = 128, N_NODES = 2 * I915_MAX_DEVICES };

static struct {
    pthread_once_t once;
    char root[PATH_MAX]; /* empty: inactive */
    size_t root_len;
    struct {
        dev_t dev;
        ino_t ino;
        int minor; /* -1: absent */
    } nodes[N_NODES];
    struct i915_options opt;
    pthread_mutex_t lock; /* the making of devs */
    struct i915 *devs[I915_MAX_DEVICES];
    bool watches_fork; /* lock */
} shim = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* What gensim sums up when all processes have ended; NULL: it is not there. */
static struct sim_tally *map_tally(const char *root)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/" GENSIM_TALLY, PATH_MAX - 64, root);
    int fd = REAL(open)(path, O_RDWR | O_CLOEXEC);
    void *p = fd < 0 ? MAP_FAILED
                     : REAL(mmap)(NULL, sizeof(struct sim_tally), PROT_READ | PROT_WRITE,
                                  MAP_SHARED, fd, 0);
    if (fd >= 0)
        REAL(close)(fd);
    return p == MAP_FAILED ? NULL : p;
}

static void shim_init(void)
{
    const char *root = getenv(GENSIM_ENV_ROOT), *text = getenv(GENSIM_ENV_OPTIONS), *why = NULL;
    if (!root || strlen(root) >= sizeof shim.root - 64)
        return;
    options_default(&shim.opt);
    if (text && !options_parse(&shim.opt, text, &why)) {
        i915_log("gensim: %s: %s", GENSIM_ENV_OPTIONS, why);
        return;
    }
    if (options_watches(&shim.opt)) {
        static char symbols[PATH_MAX];
        snprintf(symbols, sizeof symbols, "%.*s/" GENSIM_SYMBOLS, PATH_MAX - 64, root);
        shim.opt.sim.symbols_dir = symbols;
        shim.opt.sim.tally = map_tally(root);
    }
    for (int i = 0; i < N_NODES; i++) {
        char path[PATH_MAX];
        struct stat st;
        int minor = i % 2 ? FIRST_RENDER + i / 2 : i / 2;
        snprintf(path, sizeof path, "%.*s/dev/dri/%s%d", PATH_MAX - 64, root,
                 i % 2 ? "renderD" : "card", minor);
        shim.nodes[i].minor = -1;
        if (REAL(stat)(path, &st) == 0) {
            shim.nodes[i].dev = st.st_dev;
            shim.nodes[i].ino = st.st_ino;
            shim.nodes[i].minor = minor;
        }
    }
    strcpy(shim.root, root);
    shim.root_len = strlen(root);
}

static bool active(void)
{
    pthread_once(&shim.once, shim_init);
    return shim.root_len;
}

static void before_fork(void)
{
    pthread_mutex_lock(&shim.lock);
    for (unsigned i = 0; i < I915_MAX_DEVICES; i++) {
        if (shim.devs[i])
            i915_before_fork(shim.devs[i]);
    }
    fd_fork(0);
}

static void after_fork(bool child)
{
    fd_fork(1);
    for (unsigned i = 0; i < I915_MAX_DEVICES; i++) {
        if (shim.devs[i])
            i915_after_fork(shim.devs[i], child);
    }
    pthread_mutex_unlock(&shim.lock);
}

static void after_fork_parent(void)
{
    after_fork(false);
}

static void after_fork_child(void)
{
    after_fork(true);
}

static struct i915 *device(unsigned i)
{
    pthread_mutex_lock(&shim.lock);
    if (!shim.devs[i]) {
        struct i915_options opt = shim.opt;
        opt.dev = opt.devs[i];
        shim.devs[i] = i915_new(&opt);
        if (shim.devs[i] && !shim.watches_fork)
            pthread_atfork(before_fork, after_fork_parent, after_fork_child);
        shim.watches_fork |= shim.devs[i] != NULL;
    }
    pthread_mutex_unlock(&shim.lock);
    return shim.devs[i];
}

__attribute__((destructor)) static void shim_fini(void)
{
    for (unsigned i = 0; i < I915_MAX_DEVICES; i++) {
        if (shim.devs[i])
            i915_stop(shim.devs[i]);
    }
}

/* ---- paths ---- */
static const char *const prefixes[] = {
    "/dev/dri",
    "/sys/dev/char/226:",
    "/sys/class/drm",
    "/sys/bus/pci/devices",
    "/sys/devices/pci0000:00/0000:00:02.0",
    "/sys/devices/pci0000:00/0000:00:03.0",
    "/sys/devices/pci0000:00/0000:00:04.0",
    "/sys/devices/pci0000:00/0000:00:05.0",
};

/* The path in the tree, in buf, or the path itself. */
static const char *redirect(const char *path, char *buf)
{
    if (!path || path[0] != '/' || !active())
        return path;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t n = strlen(prefixes[i]);
        if (strncmp(path, prefixes[i], n) != 0)
            continue;
        /* A whole component, but for the prefix that ends inside one. */
        if (prefixes[i][n - 1] != ':' && path[n] != '/' && path[n] != 0)
            continue;
        if (snprintf(buf, PATH_MAX, "%s%s", shim.root, path) >= PATH_MAX)
            return path;
        return buf;
    }
    return path;
}

/* Index of the node that an inode of the tree stands for, or -1. */
static int node_of(dev_t dev, ino_t ino)
{
    for (int i = 0; i < N_NODES; i++) {
        if (shim.nodes[i].minor >= 0 && shim.nodes[i].ino == ino && shim.nodes[i].dev == dev)
            return i;
    }
    return -1;
}

static bool stat_is_node(int fd, int *node)
{
    struct stat st;
    if (REAL(fstat)(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *node = node_of(st.st_dev, st.st_ino);
    return *node >= 0;
}

/* A descriptor of the tree was opened; if it is a node's file, gives a device descriptor for it. */
static int opened(int fd, bool check, int flags)
{
    int node;
    if (fd < 0 || !check || !active() || !stat_is_node(fd, &node))
        return fd;
    REAL(close)(fd);
    if (shim.opt.kernel.no_access) {
        errno = EACCES;
        return -1;
    }
    struct i915 *dev = device((unsigned)node / 2);
    int drm = dev ? memfd_create("gensim-drm", flags & O_CLOEXEC ? MFD_CLOEXEC : 0) : -1;
    if (drm < 0)
        return -1;
    struct fd_entry *e = calloc(1, sizeof *e);
    if (e) {
        e->dev = dev;
        e->node = node;
        e->file = i915_open(dev, node % 2 == 0);
    }
    if (!e || !e->file || !fd_add(drm, e)) {
        if (e && e->file)
            i915_close(e->file);
        free(e);
        REAL(close)(drm);
        errno = ENOMEM;
        return -1;
    }
    return drm;
}

static mode_t mode_arg(int flags, va_list ap)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        char buf[PATH_MAX];                                                                        \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        mode_t mode = mode_arg(flags, ap);                                                         \
        va_end(ap);                                                                                \
        const char *to = redirect(path, buf);                                                      \
        return opened(REAL(name)(to, flags, mode), to != path, flags);                             \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
    EXPORT int name(int dir, const char *path, int flags, ...)                                     \
    {                                                                                              \
        char buf[PATH_MAX];                                                                        \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        mode_t mode = mode_arg(flags, ap);                                                         \
        va_end(ap);                                                                                \
        const char *to = redirect(path, buf);                                                      \
        bool relative = dir != AT_FDCWD && path[0] != '/';                                         \
        return opened(REAL(name)(dir, to, flags, mode), to != path || relative, flags);            \
    }
OPENAT(openat)
OPENAT(openat64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

EXPORT int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

EXPORT int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}

/* ---- stat ---- */
/* Makes the result for a node's file, or for a device descriptor, that of a character device. */
#define PATCH(st, node)                                                                            \
    do {                                                                                           \
        (st)->st_mode = S_IFCHR | 0660;                                                            \
        (st)->st_rdev = makedev(DRM_MAJOR, shim.nodes[node].minor);                                \
        (st)->st_size = 0;                                                                         \
    } while (0)

#define STAT(name, type)                                                                           \
    EXPORT int name(const char *path, struct type *st)                                             \
    {                                                                                              \
        char buf[PATH_MAX];                                                                        \
        const char *to = redirect(path, buf);                                                      \
        int r = REAL(name)(to, st);                                                                \
        int node = r == 0 && to != path ? node_of(st->st_dev, st->st_ino) : -1;                    \
        if (node >= 0)                                                                             \
            PATCH(st, node);                                                                       \
        return r;                                                                                  \
    }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

/* The node that a descriptor was opened from, or -1. */
static int fd_node(int fd)
{
    struct fd_entry *e = fd_maybe(fd) ? fd_get(fd) : NULL;
    if (!e)
        return -1;
    int node = e->file ? e->node : -1;
    fd_put(e);
    return node;
}

#define FSTAT(name, type)                                                                          \
    EXPORT int name(int fd, struct type *st)                                                       \
    {                                                                                              \
        int r = REAL(name)(fd, st), node = r == 0 ? fd_node(fd) : -1;                              \
        if (node >= 0)                                                                             \
            PATCH(st, node);                                                                       \
        return r;                                                                                  \
    }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

#define FSTATAT(name, type)                                                                        \
    EXPORT int name(int dir, const char *path, struct type *st, int flags)                         \
    {                                                                                              \
        char buf[PATH_MAX];                                                                        \
        int r = REAL(name)(dir, redirect(path, buf), st, flags);                                   \
        if (r != 0 || !active())                                                                   \
            return r;                                                                              \
        int node =                                                                                 \
            flags & AT_EMPTY_PATH && !path[0] ? fd_node(dir) : node_of(st->st_dev, st->st_ino);    \
        if (node >= 0)                                                                             \
            PATCH(st, node);                                                                       \
        return r;                                                                                  \
    }
FSTATAT(fstatat, stat)
FSTATAT(fstatat64, stat64)

EXPORT int statx(int dir, const char *restrict path, int flags, unsigned mask,
                 struct statx *restrict st)
{
    char buf[PATH_MAX];
    int r = REAL(statx)(dir, redirect(path, buf), flags, mask, st);
    if (r != 0 || !active())
        return r;
    int node = flags & AT_EMPTY_PATH && !path[0]
                   ? fd_node(dir)
                   : node_of(makedev(st->stx_dev_major, st->stx_dev_minor), st->stx_ino);
    if (node >= 0) {
        st->stx_mode = S_IFCHR | 0660;
        st->stx_rdev_major = DRM_MAJOR;
        st->stx_rdev_minor = shim.nodes[node].minor;
        st->stx_size = 0;
    }
    return r;
}

EXPORT int access(const char *path, int mode)
{
    char buf[PATH_MAX];
    return REAL(access)(redirect(path, buf), mode);
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
    char buf[PATH_MAX];
    return REAL(readlink)(redirect(path, buf), to, size);
}

/* Takes the tree's name off a resolved path. */
static char *strip(char *path)
{
    if (path && active() && !strncmp(path, shim.root, shim.root_len) && path[shim.root_len] == '/')
        memmove(path, path + shim.root_len, strlen(path + shim.root_len) + 1);
    return path;
}

EXPORT char *realpath(const char *restrict path, char *restrict to)
{
    char buf[PATH_MAX];
    const char *from = redirect(path, buf);
    char *r = REAL(realpath)(from, to);
    return from == path ? r : strip(r);
}

char *__realpath_chk(const char *path, char *to, size_t size);

EXPORT char *__realpath_chk(const char *path, char *to, size_t size)
{
    char buf[PATH_MAX];
    const char *from = redirect(path, buf);
    char *r = REAL(__realpath_chk)(from, to, size);
    return from == path ? r : strip(r);
}

EXPORT DIR *opendir(const char *path)
{
    char buf[PATH_MAX];
    return REAL(opendir)(redirect(path, buf));
}

EXPORT int scandir(const char *restrict path, struct dirent ***restrict list,
                   int (*filter)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **))
{
    char buf[PATH_MAX];
    return REAL(scandir)(redirect(path, buf), list, filter, compare);
}

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    char buf[PATH_MAX];
    return REAL(fopen)(redirect(path, buf), mode);
}

EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    char buf[PATH_MAX];
    return REAL(fopen64)(redirect(path, buf), mode);
}

/* ---- descriptors ---- */
EXPORT int close(int fd)
{
    if (fd_maybe(fd) && !fd_borrowed()) {
        struct fd_entry *e = fd_get(fd); /* false alarm if it is somebody else's by now */
        fd_remove(fd);
        int r = REAL(close)(fd);
        if (e)
            fd_put(e);
        return r;
    }
    return REAL(close)(fd);
}

/* `to` is a new duplicate of `from`. */
static int duplicated(int from, int to)
{
    if (to < 0 || to == from || fd_borrowed())
        return to;
    struct fd_entry *e = fd_maybe(from) ? fd_get(from) : NULL;
    if (fd_maybe(to))
        fd_remove(to); /* closed by dup2 */
    if (e) {
        bool ok = fd_add(to, e);
        fd_put(e);
        if (!ok) {
            REAL(close)(to);
            errno = EMFILE;
            return -1;
        }
    }
    return to;
}

EXPORT int dup(int fd)
{
    return duplicated(fd, REAL(dup)(fd));
}

EXPORT int dup2(int from, int to)
{
    return duplicated(from, REAL(dup2)(from, to));
}

EXPORT int dup3(int from, int to, int flags)
{
    return duplicated(from, REAL(dup3)(from, to, flags));
}

#define FCNTL(name)                                                                                \
    EXPORT int name(int fd, int cmd, ...)                                                          \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, cmd);                                                                         \
        void *arg = va_arg(ap, void *);                                                            \
        va_end(ap);                                                                                \
        int r = REAL(name)(fd, cmd, arg);                                                          \
        return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? duplicated(fd, r) : r;                   \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int shim_export(struct i915 *dev, struct i915_bo *bo, uint64_t size, bool cloexec)
{
    int fd = memfd_create("gensim-dmabuf", cloexec ? MFD_CLOEXEC : 0);
    if (fd < 0)
        return -errno;
    struct fd_entry *e = calloc(1, sizeof *e);
    if (e) {
        e->dev = dev;
        e->bo = bo;
    }
    /* Its size answers lseek; the pages stay the object's own. */
    if (!e || ftruncate(fd, size) != 0 || !fd_add(fd, e)) {
        free(e);
        REAL(close)(fd);
        return -ENOMEM;
    }
    return fd;
}

struct i915_bo *shim_exported(const struct i915 *dev, int fd)
{
    return fd_bo(dev, fd);
}

int shim_export_fence(struct i915 *dev, struct i915_fence *f)
{
    int fd = eventfd(0, EFD_CLOEXEC), own = fd < 0 ? -1 : REAL(fcntl)(fd, F_DUPFD_CLOEXEC, 0);
    struct fd_entry *e = own < 0 ? NULL : calloc(1, sizeof *e);
    if (!e || !fd_add(fd, e)) {
        int err = own < 0 ? -errno : -ENOMEM;
        free(e);
        if (own >= 0)
            REAL(close)(own);
        if (fd >= 0)
            REAL(close)(fd);
        return err;
    }
    f->fd = own;
    e->dev = dev;
    e->fence = fence_retain(f);
    return fd;
}

void shim_retract_fence(const struct i915 *dev, int fd)
{
    struct i915_fence *f = fd_fence(dev, fd);
    fd_retract(fd);
    REAL(close)(fd);
    fence_release(f);
}

struct i915_fence *shim_fence(const struct i915 *dev, int fd)
{
    return fd_fence(dev, fd);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    struct fd_entry *e = fd_maybe(fd) ? fd_get(fd) : NULL;
    if (!e)
        return REAL(ioctl)(fd, request, arg);
    int r = -ENOTTY;
    if (e->file)
        r = i915_ioctl(e->file, request, arg);
    else if (e->bo && (request >> 8 & 0xff) == 'b')
        r = 0; /* DMA_BUF_IOCTL_SYNC: coherent */
    fd_put(e);
    if (r < 0) {
        errno = -r;
        return -1;
    }
    return r;
}

/* ---- memory ---- */
#define MMAP(name)                                                                                 \
    EXPORT void *name(void *addr, size_t size, int prot, int flags, int fd, off_t offset)          \
    {                                                                                              \
        struct fd_entry *e = !(flags & MAP_ANONYMOUS) && fd_maybe(fd) ? fd_get(fd) : NULL;         \
        if (!e)                                                                                    \
            return REAL(name)(addr, size, prot, flags, fd, offset);                                \
        void *p = MAP_FAILED;                                                                      \
        errno = ENODEV;                                                                            \
        if (e->file)                                                                               \
            p = i915_mmap(e->file, addr, size, prot, flags, offset);                               \
        else if (e->bo)                                                                            \
            p = i915_mmap_bo(e->bo, addr, size, prot, flags, offset);                              \
        fd_put(e);                                                                                 \
        return p;                                                                                  \
    }
MMAP(mmap)
MMAP(mmap64)

EXPORT int munmap(void *addr, size_t size)
{
    for (unsigned i = 0; i < I915_MAX_DEVICES; i++) {
        if (shim.devs[i])
            i915_user_unmap(shim.devs[i], addr, size);
    }
    return REAL(munmap)(addr, size);
}
