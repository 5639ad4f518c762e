/* See cc_client.h. */
#include "src/core/cc_client.h"

#include "src/core/cache.h"
#include "src/core/debug.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_TIMEOUT = 600, /* s; the server has shorter limits of its own, and says which was hit */
    SERVER_FD = 3,
    SPAWN_STACK = 64 << 10,
    MAX_SERVERS = 4
};

/* Connections, each with a process of its own: as many as there are builds at once, up to a bound.
 */
static struct server {
    pthread_mutex_t lock;
    int fd;    /* lock; our end of the socketpair; -1: not started */
    int pidfd; /* lock; the process, whatever becomes of its number; -1 if the kernel has no such
                  thing */
} servers[MAX_SERVERS] = {[0 ... MAX_SERVERS - 1] = {PTHREAD_MUTEX_INITIALIZER, -1, -1}};

/* Where the compiler is: told by the environment; beside a library that lies in its build tree;
 * where it was installed; or installed with the library but moved. */
static bool compiler_path(char *path, size_t size)
{
    static const char *const places[] = {"../backend/beignet-cc", BEIGNET_CC_INSTALLED,
                                         BEIGNET_CC_RELATIVE};
    const char *given = debug_variable(VARIABLE_compiler);
    if (given)
        return snprintf(path, size, "%s", given) < (int)size;
    Dl_info info;
    bool known = dladdr((void *)compiler_path, &info) && strchr(info.dli_fname, '/');
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        int n = -1;
        if (places[i][0] == '/')
            n = snprintf(path, size, "%s", places[i]);
        else if (known)
            n = snprintf(path, size, "%.*s/%s",
                         (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname,
                         places[i]);
        if (n > 0 && n < (int)size && access(path, X_OK) == 0)
            return true;
    }
    return snprintf(path, size, "%s", BEIGNET_CC_INSTALLED) < (int)size;
}

/* Name, size and time of the program: another compiler gives other results. */
static void compiler_identity(char *text, size_t size)
{
    char path[1024];
    struct stat st;
    memset(&st, 0, sizeof st);
    if (!compiler_path(path, sizeof path) || stat(path, &st))
        path[0] = 0;
    snprintf(text, size, "%s %lld %lld.%09ld", path, (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

struct spawn {
    const char *path;
    char **env;
    int fd, null_fd;
    bool keep_stderr;
    char *stack; /* top of the server's */
    pid_t pid;   /* of the server */
    int error;   /* errno of its failure to start */
};

/* A duplicate at `to`, by a system call: a dup2 that something loaded before libc has put in its
 * place may keep a table of descriptors, and that is in the memory of our process, not of this. */
static int duplicate(int fd, int to)
{
    return (int)syscall(SYS_dup3, fd, to, 0);
}

/* These two never return, so the address sanitizer must not mark their frames: the marks would
 * outlive the stack in memory that is ours. */
#define NO_RETURN_FRAME __attribute__((no_sanitize("address")))

/* In the server to be, which shares our memory until it executes: system calls only. */
NO_RETURN_FRAME static int spawn_child(void *arg)
{
    struct spawn *s = arg;
    char fd_text[] = {'0' + SERVER_FD, 0};
    char *argv[] = {(char *)s->path, (char *)"--server", fd_text, NULL};
    sigset_t none;
    setsid(); /* the terminal's signals are the application's */
    int fd = s->fd == SERVER_FD ? s->fd : duplicate(s->fd, SERVER_FD);
    if (s->fd == SERVER_FD)
        fcntl(fd, F_SETFD, 0);
    duplicate(s->null_fd, 0);
    duplicate(s->null_fd, 1);
    if (!s->keep_stderr)
        duplicate(s->null_fd, 2);
    syscall(SYS_close_range, SERVER_FD + 1, ~0u, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(s->path, argv, s->env);
    s->error = errno;
    _exit(127);
}

/* A process between the application and the server. It ends at once, without a signal, so that the
 * server is nobody's child and wait() in the application never meets it. (To run a program brings
 * SIGCHLD back to a child.) */
NO_RETURN_FRAME static int spawn_between(void *arg)
{
    struct spawn *s = arg;
    s->pid = clone(spawn_child, s->stack, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
    if (s->pid < 0)
        s->error = errno;
    _exit(0);
}

/* The environment without LD_PRELOAD: what is loaded into the application (a simulated GPU, a
 * profiler) has no business in the compiler. */
static char **server_environment(void)
{
    size_t n = 0, kept = 0;
    while (environ && environ[n])
        n++;
    char **env = calloc(n + 1, sizeof *env);
    for (size_t i = 0; env && i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11))
            env[kept++] = environ[i];
    return env;
}

/* Descriptors above 3, so that none is overwritten on the way to its place. */
static int high_fd(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, SERVER_FD + 1);
    close(fd);
    return high;
}

static bool server_start(struct server *server, const char **why)
{
    char path[1024];
    int pair[2];
    sigset_t all, old;
    if (!compiler_path(path, sizeof path) || access(path, X_OK)) {
        *why = "the compiler, beignet-cc, is not where it was installed (BEIGNET_CC can name it)";
        return false;
    }
    *why = "the compiler could not be started";
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return false;
    struct spawn s = {.path = path,
                      .env = server_environment(),
                      .fd = high_fd(pair[1]),
                      .null_fd = high_fd(open("/dev/null", O_RDWR | O_CLOEXEC)),
                      .keep_stderr = debug_enabled(DEBUG_build)};
    char *stack = mmap(NULL, 2 * SPAWN_STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    pid_t between = -1;
    if (s.env && s.fd >= 0 && s.null_fd >= 0 && stack != MAP_FAILED) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        s.stack = stack + SPAWN_STACK;
        between = clone(spawn_between, stack + 2 * SPAWN_STACK, CLONE_VM | CLONE_VFORK, &s);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        if (between > 0)
            waitpid(between, NULL, __WCLONE);
    }
    bool started = between > 0 && !s.error;
    if (stack != MAP_FAILED)
        munmap(stack, 2 * SPAWN_STACK);
    close(s.null_fd);
    close(s.fd);
    free(s.env);
    if (!started) {
        close(pair[0]);
        return false;
    }
    const char *text = debug_variable(VARIABLE_build_timeout);
    long seconds = text ? atol(text) : 0;
    struct timeval t = {.tv_sec = seconds > 0 ? seconds : DEFAULT_TIMEOUT};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
    server->fd = pair[0];
    server->pidfd = (int)syscall(SYS_pidfd_open, s.pid, 0);
    return true;
}

static void server_close(struct server *server)
{
    if (server->fd >= 0)
        close(server->fd);
    if (server->pidfd >= 0)
        close(server->pidfd);
    server->fd = server->pidfd = -1;
}

static void server_stop(struct server *server)
{
    if (server->pidfd >= 0) /* it ends with its socket anyway, unless it hangs */
        syscall(SYS_pidfd_send_signal, server->pidfd, SIGKILL, NULL, 0);
    server_close(server);
}

/* One that is free, started rather than not; where all are busy, waits for one. Locked. */
static struct server *server_acquire(void)
{
    static atomic_uint turn;
    for (int started = 1; started >= 0; started--) {
        for (int i = 0; i < MAX_SERVERS; i++) {
            struct server *s = &servers[i];
            if (pthread_mutex_trylock(&s->lock))
                continue;
            if ((s->fd >= 0) == started)
                return s;
            pthread_mutex_unlock(&s->lock);
        }
    }
    struct server *s = &servers[atomic_fetch_add(&turn, 1) % MAX_SERVERS];
    pthread_mutex_lock(&s->lock);
    return s;
}

/* 0, or the errno of the failure; EPIPE when the other end has gone. */
static int send_all(int fd, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = send(fd, (const char *)data + done, size - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == ECONNRESET ? EPIPE : errno;
        done += (size_t)n;
    }
    return 0;
}

static int receive_all(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = recv(fd, (char *)data + done, size - done, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            return EPIPE;
        if (n < 0)
            return errno == ECONNRESET ? EPIPE : errno;
        done += (size_t)n;
    }
    return 0;
}

/* 0, EPIPE (the server has gone) or another errno. */
static int exchange(int fd, const void *message, size_t size, struct cc_reply *reply)
{
    struct ccproto_header h;
    int r = send_all(fd, message, size);
    if (!r)
        r = receive_all(fd, &h, sizeof h);
    if (r)
        return r;
    if (h.magic != CCPROTO_MAGIC || h.version != CCPROTO_VERSION || h.size > CCPROTO_MAX_SIZE)
        return EPROTO;
    void *body = malloc(h.size ? h.size : 1);
    if (!body)
        return ENOMEM;
    r = receive_all(fd, body, h.size);
    if (!r && !cc_reply_decode(body, h.size, reply))
        r = EPROTO;
    free(body);
    return r;
}

static void fail(struct cc_reply *reply, const char *why)
{
    *reply = (struct cc_reply){.status = CC_INTERNAL, .log = strdup(why)};
}

static void ask_server(struct server *server, const struct cc_request *request,
                       struct cc_reply *reply)
{
    uint8_t *message;
    size_t size;
    const char *why = "out of memory";
    if (!cc_request_encode(request, &message, &size)) {
        fail(reply, "the program is too large to be handed to the compiler");
        return;
    }
    bool done = false;
    for (int attempt = 0; attempt < 2 && !done; attempt++) {
        bool fresh = server->fd < 0;
        if (fresh && !server_start(server, &why))
            break;
        int r = exchange(server->fd, message, size, reply);
        done = !r;
        if (done)
            break;
        why = r == EPIPE    ? "the compiler ended unexpectedly"
              : r == EAGAIN ? "the compiler took too long and was ended"
              : r == EPROTO ? "the compiler's answer makes no sense (another version?)"
                            : "the compiler could not be asked";
        server_stop(server);
        if (r != EPIPE || fresh) /* only one that died while idle is worth a second attempt */
            break;
    }
    free(message);
    if (!done)
        fail(reply, why);
}

void cc_client_build(const struct cc_request *request, struct cc_reply *reply)
{
    struct cache_key key;
    struct timespec start, end;
    char identity[1200];
    clock_gettime(CLOCK_MONOTONIC, &start);
    compiler_identity(identity, sizeof identity);
    bool cacheable = cache_key(request, identity, &key);
    bool cached = cacheable && cache_get(&key, reply);
    if (!cached) {
        struct server *server = server_acquire();
        ask_server(server, request, reply);
        pthread_mutex_unlock(&server->lock);
        if (cacheable && reply->status == CC_OK)
            cache_put(&key, reply);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    debug_log(DEBUG_build, "%s, status %d, %.1f ms%s%s", cached ? "from the cache" : "compiled",
              reply->status,
              (double)(end.tv_sec - start.tv_sec) * 1e3 +
                  (double)(end.tv_nsec - start.tv_nsec) / 1e6,
              reply->log && *reply->log ? "\n" : "", reply->log ? reply->log : "");
}

const char *cc_client_translator(void)
{
    const char *path = debug_variable(VARIABLE_translator);
    if (!path)
        path = BEIGNET_LLVM_SPIRV;
    return access(path, X_OK) ? NULL : path;
}

void cc_client_unload(void)
{
    for (int i = 0; i < MAX_SERVERS; i++) {
        pthread_mutex_lock(&servers[i].lock);
        server_stop(&servers[i]);
        pthread_mutex_unlock(&servers[i].lock);
    }
}

void cc_client_forked(void)
{
    for (int i = 0; i < MAX_SERVERS; i++) {
        pthread_mutex_init(&servers[i].lock, NULL);
        server_close(&servers[i]);
    }
}
