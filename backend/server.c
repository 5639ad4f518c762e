/* The warm server: reads a request, forks, and the child builds. What the child writes to a pipe is
 * the reply; if it ends in any other way than with a whole reply, the parent makes one that says
 * so. The parent compiles nothing, so nothing that a program does can hurt it. It ends when its
 * socket closes.
 *
 * Neither writes to the application's terminal, and neither has any descriptor of the
 * application's. */
#define _GNU_SOURCE /* close_range */
#include "backend/cc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CPU_SECONDS = 120,
    WALL_SECONDS = 300,
    EXTRA_MEMORY = 1536 /* MiB above what the server has mapped */
};

static bool write_all(int fd, const void *data, size_t size)
{
    const char *p = data;
    while (size) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t size)
{
    char *p = data;
    while (size) {
        ssize_t n = read(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_reply(int fd, const struct cc_reply *reply)
{
    uint8_t *bytes;
    size_t size;

    if (!cc_reply_encode(reply, &bytes, &size))
        return false;
    bool ok = write_all(fd, bytes, size);
    free(bytes);
    return ok;
}

/* ---- the child ---- */

static int child_pipe;

static void report_bug(const char *text)
{
    char log[1100];
    struct cc_reply reply = {.status = CC_INTERNAL, .log = log};
    struct rlimit as = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &as);
    snprintf(log, sizeof(log), "internal error of the compiler: %s\n", text);
    send_reply(child_pipe, &reply);
    _exit(0);
}

/* Bytes of address space now; the libraries alone are hundreds of MiB. */
static size_t mapped_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f) {
        if (fscanf(f, "%lu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit_child(void)
{
    size_t memory = mapped_bytes() + ((size_t)EXTRA_MEMORY << 20);
    struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 5}, core = {0, 0};
    struct rlimit as = {memory, RLIM_INFINITY}; /* report_bug needs some more */

    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_AS, &as);
    setrlimit(RLIMIT_CORE, &core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

_Noreturn static void child_main(const uint8_t *body, size_t size, int out)
{
    struct cc_request r;
    struct cc_reply reply;

    child_pipe = out;
    limit_child();
    cc_bug_hook = report_bug;
    if (cc_request_decode(body, size, &r))
        cc_build_reply(&r, &reply);
    else
        reply = (struct cc_reply){.status = CC_INTERNAL, .log = "malformed build request\n"};
    _exit(send_reply(out, &reply) ? 0 : 1);
}

/* ---- the parent ---- */

struct bytes {
    uint8_t *data; /* owned */
    size_t size, cap;
};

static bool append(struct bytes *b, const void *data, size_t size)
{
    if (b->size + size > b->cap) {
        size_t cap = (b->size + size) * 2;
        uint8_t *p = cap <= 2ull * CCPROTO_MAX_SIZE ? realloc(b->data, cap) : NULL;
        if (!p)
            return false;
        b->data = p;
        b->cap = cap;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

enum outcome { ENDED, TIMED_OUT, CLIENT_GONE };

/* Reads what the child writes, until it closes the pipe, time is up, or nobody waits for it any
 * more. */
static enum outcome collect(int from, int socket, struct bytes *b)
{
    int64_t end = now_ms() + 1000ll * WALL_SECONDS;
    uint8_t block[65536];

    for (;;) {
        struct pollfd p[2] = {{.fd = from, .events = POLLIN}, {.fd = socket, .events = POLLRDHUP}};
        int64_t left = end - now_ms();
        if (left <= 0)
            return TIMED_OUT;
        if (poll(p, 2, (int)left) < 0 && errno != EINTR)
            return ENDED;
        if (p[1].revents & (POLLRDHUP | POLLHUP | POLLERR))
            return CLIENT_GONE;
        if (!p[0].revents)
            continue;
        ssize_t n = read(from, block, sizeof(block));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || !append(b, block, (size_t)n))
            return ENDED;
    }
}

/* A whole message that decodes: only that is passed on. */
static bool is_reply(const struct bytes *b)
{
    struct ccproto_header h;
    struct cc_reply reply;

    if (b->size < sizeof(h))
        return false;
    memcpy(&h, b->data, sizeof(h));
    if (h.magic != CCPROTO_MAGIC || h.version != CCPROTO_VERSION || h.size != b->size - sizeof(h) ||
        !cc_reply_decode(b->data + sizeof(h), h.size, &reply))
        return false;
    cc_reply_fini(&reply);
    return true;
}

static bool reply_ended(int socket, enum outcome outcome, int status)
{
    char log[200];
    struct cc_reply reply = {.status = CC_INTERNAL, .log = log};

    if (outcome == TIMED_OUT)
        snprintf(log, sizeof(log), "the compiler took longer than %d s\n", WALL_SECONDS);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        snprintf(log, sizeof(log), "the compiler used more than %d s of processor time\n",
                 CPU_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(log, sizeof(log),
                 "the compiler crashed (signal %d), or needed more than %d MiB of memory\n",
                 WTERMSIG(status), EXTRA_MEMORY);
    else
        snprintf(log, sizeof(log), "the compiler ended without a reply (status %d)\n",
                 WEXITSTATUS(status));
    return send_reply(socket, &reply);
}

static bool serve(int socket, const uint8_t *body, size_t size)
{
    int pipes[2], status = 0;
    struct bytes b = {0};

    if (pipe2(pipes, O_CLOEXEC))
        return false;
    pid_t pid = fork();
    if (pid < 0) {
        struct cc_reply reply = {.status = CC_INTERNAL, .log = "no process for the compiler\n"};
        close(pipes[0]);
        close(pipes[1]);
        return send_reply(socket, &reply);
    }
    if (!pid) {
        close(socket);
        close(pipes[0]);
        child_main(body, size, pipes[1]);
    }
    close(pipes[1]);
    enum outcome outcome = collect(pipes[0], socket, &b);
    close(pipes[0]);
    if (outcome != ENDED)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    bool ok = outcome != CLIENT_GONE;
    if (ok && outcome == ENDED && WIFEXITED(status) && is_reply(&b))
        ok = write_all(socket, b.data, b.size);
    else if (ok)
        ok = reply_ended(socket, outcome, status);
    free(b.data);
    return ok;
}

/* Standard descriptors to nowhere, all others but the socket closed. */
static bool drop_descriptors(int socket)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || socket < 3)
        return false;
    for (int fd = 0; fd < 3; fd++) {
        if (dup2(null, fd) < 0)
            return false;
    }
    if (socket > 3)
        close_range(3, (unsigned)socket - 1, 0);
    close_range((unsigned)socket + 1, ~0u, 0);
    return true;
}

int server_run(int fd)
{
    struct ccproto_header h;

    if (!drop_descriptors(fd))
        return 1;
    setpgid(0, 0); /* the terminal's signals are for the application */
    signal(SIGPIPE, SIG_IGN);
    while (read_all(fd, &h, sizeof(h))) {
        if (h.magic != CCPROTO_MAGIC || h.version != CCPROTO_VERSION || h.size > CCPROTO_MAX_SIZE)
            return 1; /* whoever that is, we don't speak the same */
        uint8_t *body = malloc(h.size + 1);
        bool ok = body && read_all(fd, body, h.size) && serve(fd, body, h.size);
        free(body);
        if (!ok)
            return 1;
    }
    return 0;
}
