/* The server: requests over a socketpair as the driver makes them. A build, errors, objects and
 * linking; a child that crashes or takes too much memory; no descriptors and no output of the
 * application's; the end with the socket. */
#include "gen/ccproto.h"
#include "gen/kbin.h"
#include "utest.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int sock;
static pid_t server;

static void start(void)
{
    int pair[2], leaked = open("/dev/null", O_RDONLY), out;
    char fd[20];

    REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    server = fork();
    REQUIRE(server >= 0);
    if (!server) {
        out = open(BINARY_DIR "/ccserver-output", O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(out, 2);
        close(out);
        close(pair[0]);
        snprintf(fd, sizeof(fd), "%d", pair[1]);
        execl(BINARY_DIR "/backend/beignet-cc", "beignet-cc", "--server", fd, NULL);
        _exit(127);
    }
    close(pair[1]);
    close(leaked);
    sock = pair[0];
}

static bool read_all(void *p, size_t size)
{
    char *at = p;
    while (size) {
        struct pollfd f = {.fd = sock, .events = POLLIN};
        ssize_t n = poll(&f, 1, 60000) > 0 ? read(sock, at, size) : -1;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static void send_request(const struct cc_request *r)
{
    uint8_t *m;
    size_t size;
    REQUIRE(cc_request_encode(r, &m, &size));
    for (size_t at = 0; at < size;) {
        ssize_t n = write(sock, m + at, size - at);
        REQUIRE(n > 0);
        at += (size_t)n;
    }
    free(m);
}

static struct cc_reply get_reply(void)
{
    struct ccproto_header h;
    struct cc_reply r;
    REQUIRE(read_all(&h, sizeof(h)) && h.magic == CCPROTO_MAGIC && h.size < 1 << 28);
    uint8_t *body = malloc(h.size);
    REQUIRE(read_all(body, h.size) && cc_reply_decode(body, h.size, &r));
    free(body);
    return r;
}

static struct cc_reply build(const char *source, const char *options)
{
    struct cc_request r = {
        .kind = CC_BUILD, .pci_id = 0x1912, .source = source, .options = options};
    send_request(&r);
    return get_reply();
}

static struct cc_reply compile(const char *source, struct cc_blob *headers, size_t n)
{
    struct cc_request r = {.kind = CC_COMPILE,
                           .pci_id = 0x1912,
                           .source = source,
                           .options = "",
                           .headers = headers,
                           .n_headers = n};
    send_request(&r);
    return get_reply();
}

static void requests(void)
{
    struct cc_reply r = build("kernel void f(global int *p) { *p = 1; }", "");
    struct kbin b;
    const char *why = NULL;

    CHECKF(r.status == CC_OK, "status %d: %s", r.status, r.log);
    if (r.status == CC_OK) {
        REQUIRE(kbin_read(r.binary, r.size, &b, &why));
        CHECK(b.n_kernels == 1 && !strcmp(b.kernels[0].name, "f") && b.gen == 90 && b.type == 4);
        kbin_fini(&b);
    }
    cc_reply_fini(&r);

    r = build("kernel void f(global int *p) { *p = x; }", "");
    CHECK(r.status == CC_BUILD_FAILED && strstr(r.log, "undeclared identifier 'x'") && !r.binary);
    cc_reply_fini(&r);

    r = build("kernel void f(void) { }", "-what");
    CHECK(r.status == CC_INVALID_OPTIONS && strstr(r.log, "-what"));
    cc_reply_fini(&r);

    struct cc_request unknown = {.kind = CC_BUILD, .pci_id = 0xffff, .source = "", .options = ""};
    send_request(&unknown);
    r = get_reply();
    CHECK(r.status == CC_BUILD_FAILED && strstr(r.log, "0xffff"));
    cc_reply_fini(&r);
}

static void linking(void)
{
    struct cc_blob headers[2] = {{"a.h", "int twice(int);\n#include \"sub/b.h\"\n", 0},
                                 {"sub/b.h", "#define THREE 3\n", 0}};
    for (int i = 0; i < 2; i++)
        headers[i].size = strlen(headers[i].data);
    struct cc_reply one = compile("#include \"a.h\"\n"
                                  "kernel void f(global int *p) { *p = twice(THREE); }",
                                  headers, 2);
    struct cc_reply two = compile("int twice(int x) { return 2 * x; }", NULL, 0);
    CHECKF(one.status == CC_OK, "%s", one.log);
    CHECKF(two.status == CC_OK, "%s", two.log);
    REQUIRE(one.status == CC_OK && two.status == CC_OK);

    struct cc_blob in[3] = {{"1", one.binary, one.size}, {"2", two.binary, two.size}};
    struct cc_request link = {
        .kind = CC_LINK, .pci_id = 0x1912, .options = "", .inputs = in, .n_inputs = 2};
    send_request(&link);
    struct cc_reply r = get_reply();
    CHECKF(r.status == CC_OK, "%s", r.log);
    cc_reply_fini(&r);

    link.n_inputs = 1; /* twice is missing */
    send_request(&link);
    r = get_reply();
    CHECK(r.status == CC_BUILD_FAILED && strstr(r.log, "undefined function 'twice'"));
    cc_reply_fini(&r);

    in[1] = in[0]; /* f twice */
    link.n_inputs = 2;
    send_request(&link);
    r = get_reply();
    CHECKF(r.status == CC_BUILD_FAILED && strstr(r.log, "multiply defined"), "%s", r.log);
    cc_reply_fini(&r);

    in[1] = (struct cc_blob){"2", two.binary, two.size};
    link.make_library = true;
    send_request(&link);
    r = get_reply();
    CHECKF(r.status == CC_OK, "%s", r.log);
    in[0] = (struct cc_blob){"lib", r.binary, r.size};
    link.make_library = false;
    link.n_inputs = 1;
    send_request(&link);
    struct cc_reply last = get_reply();
    CHECKF(last.status == CC_OK, "%s", last.log);
    cc_reply_fini(&last);
    cc_reply_fini(&r);

    in[0] = (struct cc_blob){"junk", "junk", 4};
    send_request(&link);
    r = get_reply();
    CHECK(r.status == CC_BUILD_FAILED && strstr(r.log, "not a kernel binary"));
    cc_reply_fini(&r);
    cc_reply_fini(&one);
    cc_reply_fini(&two);
}

/* A preprocessor's work without end: each level doubles it. */
static char *endless(const char *leaf)
{
    char *s = malloc(4096);
    int n = sprintf(s, "#define A0 %s\n", leaf);
    for (int i = 1; i < 60; i++)
        n += sprintf(s + n, "#define A%d A%d A%d\n", i, i - 1, i - 1);
    sprintf(s + n, "A59\nkernel void f(void) { }\n");
    return s;
}

static pid_t child_of(pid_t pid)
{
    char path[100];
    int child = 0;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    FILE *f = fopen(path, "re");
    if (f) {
        if (fscanf(f, "%d", &child) != 1)
            child = 0;
        fclose(f);
    }
    return child;
}

static void nap(void)
{
    struct timespec t = {0, 20000000};
    nanosleep(&t, NULL);
}

static pid_t busy_child(void)
{
    pid_t child = 0;
    for (int i = 0; i < 500 && !child; i++) {
        nap();
        child = child_of(server);
    }
    REQUIRE(child > 0);
    return child;
}

static void crash(void)
{
    char *source = endless("");
    struct cc_request r = {.kind = CC_BUILD, .pci_id = 0x1912, .source = source, .options = ""};

    send_request(&r);
    kill(busy_child(), SIGSEGV);
    struct cc_reply reply = get_reply();
    CHECKF(reply.status == CC_INTERNAL && strstr(reply.log, "crashed (signal 11)"), "%s",
           reply.log);
    cc_reply_fini(&reply);

    send_request(&r);
    kill(busy_child(), SIGXCPU); /* what the limit of processor time sends */
    reply = get_reply();
    CHECKF(reply.status == CC_INTERNAL && strstr(reply.log, "processor time"), "%s", reply.log);
    cc_reply_fini(&reply);
    free(source);

    reply = build("kernel void f(void) { }", ""); /* the server goes on */
    CHECK(reply.status == CC_OK);
    cc_reply_fini(&reply);
}

static unsigned count_fds(pid_t pid)
{
    char path[100];
    unsigned n = 0;
    snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    DIR *d = opendir(path);
    struct dirent *e;
    while (d && (e = readdir(d)))
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

/* Goes away with its child when the client does, in the middle of a build. */
static void end(void)
{
    char *source = endless("");
    struct cc_request r = {.kind = CC_BUILD, .pci_id = 0x1912, .source = source, .options = ""};
    int status = 0;
    pid_t done = 0;

    CHECKF(count_fds(server) == 4, "%u descriptors", count_fds(server)); /* 0 1 2 and the socket */
    send_request(&r);
    pid_t child = busy_child();
    close(sock);
    for (int i = 0; i < 500 && !done; i++) {
        nap();
        done = waitpid(server, &status, WNOHANG);
    }
    CHECK(done == server && WIFEXITED(status));
    CHECK(kill(child, 0) != 0);
    free(source);

    FILE *f = fopen(BINARY_DIR "/ccserver-output", "re");
    CHECK(f && fgetc(f) == EOF); /* nothing went to the application's stderr */
    if (f)
        fclose(f);
    remove(BINARY_DIR "/ccserver-output");
}

static void malformed(void)
{
    struct ccproto_header h = {CCPROTO_MAGIC, CCPROTO_VERSION, 3};
    REQUIRE(write(sock, &h, sizeof(h)) == sizeof(h) && write(sock, "\xc1xx", 3) == 3);
    struct cc_reply r = get_reply();
    CHECK(r.status == CC_INTERNAL && strstr(r.log, "malformed"));
    cc_reply_fini(&r);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    start();
    requests();
    linking();
    malformed();
    crash();
    end();
    return utest_end();
}
