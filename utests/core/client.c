/* The compiler's client against a made-up compiler: this program, started with --server, which does
 * what the source says: build, fail, die, hang, answer nonsense. */
#include "utest.h"

#include "gen/ccproto.h"
#include "src/core/cc_client.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static bool transfer(int fd, void *data, size_t size, bool out)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = out ? write(fd, (char *)data + done, size - done)
                        : read(fd, (char *)data + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static int serve(int fd)
{
    struct ccproto_header h;
    unsigned n = 0;
    while (transfer(fd, &h, sizeof h, false)) {
        void *body = malloc(h.size);
        struct cc_request r;
        char text[256];
        if (!transfer(fd, body, h.size, false) || !cc_request_decode(body, h.size, &r))
            return 2;
        n++;
        struct cc_reply reply = {
            .status = CC_OK, .binary = (uint8_t *)"binary", .size = 6, .log = text};
        snprintf(text, sizeof text, "request %u, descriptors %u", n, utest_count_fds());
        if (!strcmp(r.source, "fail"))
            reply = (struct cc_reply){.status = CC_BUILD_FAILED, .log = (char *)"mistake"};
        if (!strcmp(r.source, "die"))
            raise(SIGKILL);
        if (!strcmp(r.source, "slow"))
            usleep(20000);
        if (!strcmp(r.source, "hang"))
            sleep(100);
        if (!strcmp(r.source, "nonsense"))
            transfer(fd, (char[sizeof h + 40]){"nonsense"}, sizeof h + 40, true);
        if (!strcmp(r.source, "half")) {
            struct ccproto_header half = {CCPROTO_MAGIC, CCPROTO_VERSION, 1000};
            transfer(fd, &half, sizeof half, true);
            return 0;
        }
        if (!strcmp(r.source, "preload"))
            snprintf(text, sizeof text, "%s", getenv("LD_PRELOAD") ? "preloaded" : "not preloaded");
        uint8_t *out;
        size_t size;
        if (!cc_reply_encode(&reply, &out, &size) || !transfer(fd, out, size, true))
            return 3;
        free(out);
        cc_request_fini(&r);
        free(body);
    }
    return 0;
}

static struct cc_reply build(const char *source)
{
    struct cc_request r = {.kind = CC_BUILD, .pci_id = 1, .source = source, .options = ""};
    struct cc_reply reply = {0};
    cc_client_build(&r, &reply);
    CHECK(reply.log != NULL);
    return reply;
}

static void expect(const char *source, enum cc_status status, const char *log)
{
    struct cc_reply r = build(source);
    CHECKF(r.status == status && r.log && strstr(r.log, log), "%s: %d %s", source, r.status, r.log);
    CHECK((r.binary != NULL) == (status == CC_OK));
    cc_reply_fini(&r);
}

static volatile sig_atomic_t children;

static void on_child(int sig)
{
    children++;
}

static void on_pipe(int sig)
{
    utest_record(false, __FILE__, __LINE__, "SIGPIPE");
}

static void *build_slowly(void *arg)
{
    struct cc_request r = {.kind = CC_BUILD, .pci_id = 1, .source = "slow", .options = ""};
    struct cc_reply reply = {0};
    cc_client_build(&r, &reply);
    bool ok = reply.status == CC_OK;
    cc_reply_fini(&reply);
    return ok ? arg : NULL;
}

/* Builds at the same time, more of them than servers. */
static void concurrent(void)
{
    pthread_t t[10];
    for (unsigned i = 0; i < 10; i++)
        REQUIRE(pthread_create(&t[i], NULL, build_slowly, t) == 0);
    for (unsigned i = 0; i < 10; i++) {
        void *result;
        pthread_join(t[i], &result);
        CHECK(result == t);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--server"))
        return serve(atoi(argv[2]));
    char self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    REQUIRE(n > 0);
    self[n] = 0;
    setenv("BEIGNET_CACHE", "0", 1);
    setenv("BEIGNET_BUILD_TIMEOUT", "1", 1);
    setenv("LD_PRELOAD", "", 1);
    signal(SIGCHLD, on_child);
    signal(SIGPIPE, on_pipe);

    setenv("BEIGNET_CC", "/nowhere/beignet-cc", 1);
    expect("good", CC_INTERNAL, "beignet-cc");
    setenv("BEIGNET_CC", "/etc/passwd", 1);
    expect("good", CC_INTERNAL, "beignet-cc");
    setenv("BEIGNET_CC", self, 1);
    int held[2]; /* not to be seen by the compiler */
    REQUIRE(pipe(held) == 0);
    struct cc_reply r = build("good");
    CHECKF(r.status == CC_OK && r.size == 6 && !memcmp(r.binary, "binary", 6), "%d", r.status);
    unsigned number = 0, descriptors = 0;
    CHECK(sscanf(r.log, "request %u, descriptors %u", &number, &descriptors) == 2 && number == 1);
    CHECKF(descriptors <= 7, "%u", descriptors); /* 0 to 3, and those of the count itself */
    cc_reply_fini(&r);
    expect("good", CC_OK, "request 2"); /* the same server */
    expect("preload", CC_OK, "not preloaded");
    expect("fail", CC_BUILD_FAILED, "mistake");
    expect("good", CC_OK, "request 5");
    expect("die", CC_INTERNAL, "ended unexpectedly");
    expect("good", CC_OK, "request 1"); /* a new one */
    expect("hang", CC_INTERNAL, "too long");
    expect("good", CC_OK, "request 1");
    expect("nonsense", CC_INTERNAL, "no sense");
    expect("good", CC_OK, "request 1");
    expect("half", CC_INTERNAL, "ended unexpectedly");
    expect("good", CC_OK, "request 1");
    /* No child for the application. */
    CHECK(children == 0);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    /* A forked child starts its own and leaves the parent's alone. */
    pid_t pid = fork();
    if (pid == 0) {
        cc_client_forked();
        signal(SIGCHLD, SIG_DFL);
        expect("good", CC_OK, "request 1");
        _exit(utest_failures ? 1 : 0);
    }
    signal(SIGCHLD, SIG_DFL);
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    expect("good", CC_OK, "request 2");
    unsigned fds = utest_count_fds();
    cc_client_unload();
    CHECK(utest_count_fds() == fds - 2); /* the socket, the process */
    expect("good", CC_OK, "request 1");
    cc_client_unload();
    concurrent();
    cc_client_unload();
    close(held[0]);
    close(held[1]);
    return utest_end();
}
