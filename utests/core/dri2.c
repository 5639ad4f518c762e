/* The login to a card node, against an X server of our own that knows no more than it takes:
 * connection set-up, QueryExtension and the DRI2 requests. It authenticates with a descriptor of
 * its own, as the real one does. Runs where card nodes can be opened: on simulated devices. */
#include "utest.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <xf86drm.h>

#include "src/x11/dri2.h"

static const char node[] = "/dev/dri/card0";

/* What the server does. */
static struct {
    bool has_dri2, connects, accepts;
    const char *device;
    int listener, drm;
    uint32_t root;
    unsigned n_connect, n_authenticate;
} server = {.root = 0x123, .listener = -1};

static bool read_all(int fd, void *p, size_t n)
{
    for (size_t got = 0; got < n;) {
        ssize_t r = read(fd, (char *)p + got, n - got);
        if (r <= 0)
            return false;
        got += (size_t)r;
    }
    return true;
}

static void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint32_t v)
{
    put16(p, v & 0xffff);
    put16(p + 2, v >> 16);
}

static uint32_t get32(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* One screen, one depth, one visual; no pixmap formats. */
static bool set_up(int fd)
{
    uint8_t hello[12], skip[4], reply[8 + 32 + 40 + 8 + 24] = {1, 0, 11, 0};
    if (!read_all(fd, hello, 12))
        return false;
    unsigned n = (hello[6] | hello[7] << 8), d = (hello[8] | hello[9] << 8);
    for (unsigned i = 0; i < (n + 3) / 4 + (d + 3) / 4; i++) {
        if (!read_all(fd, skip, 4))
            return false;
    }
    put16(reply + 6, (sizeof reply - 8) / 4);
    put32(reply + 12, 0x200000); /* resource ids: base, mask */
    put32(reply + 16, 0x1fffff);
    put16(reply + 26, 65535); /* longest request */
    reply[28] = 1;            /* screens */
    reply[34] = 8;            /* keycodes */
    reply[35] = 255;
    uint8_t *screen = reply + 40;
    put32(screen, server.root);
    put16(screen + 20, 640);
    put16(screen + 22, 480);
    put32(screen + 32, 0x21); /* root visual */
    screen[38] = 24;
    screen[39] = 1;
    screen[40] = 24; /* the depth, and its one visual */
    put16(screen + 42, 1);
    put32(screen + 48, 0x21);
    screen[52] = 4; /* TrueColor */
    screen[53] = 8;
    return write(fd, reply, sizeof reply) == sizeof reply;
}

static void serve(int fd)
{
    enum { DRI2 = 131, MAX = 4096 };
    uint8_t q[MAX];
    if (!set_up(fd))
        return;
    for (unsigned sequence = 1; read_all(fd, q, 4); sequence++) {
        unsigned size = (q[2] | q[3] << 8) * 4u;
        uint8_t r[32 + 256] = {1};
        unsigned n = 32;
        if (size < 4 || size > MAX || !read_all(fd, q + 4, size - 4))
            return;
        put16(r + 2, sequence & 0xffff);
        switch (q[0]) {
        case 98: /* QueryExtension */
            if (server.has_dri2 && q[4] == 4 && !memcmp(q + 8, "DRI2", 4)) {
                r[8] = 1;
                r[9] = DRI2;
            }
            break;
        case 20: /* GetProperty: none */
        case 43: /* GetInputFocus: to wait for us */
            break;
        case DRI2:
            if (q[1] == 0) { /* QueryVersion */
                put32(r + 8, 1);
                put32(r + 12, 4);
            } else if (q[1] == 1) { /* Connect */
                server.n_connect++;
                CHECK(get32(q + 4) == server.root && get32(q + 8) == 0 && size == 12);
                if (server.connects) {
                    unsigned len = (unsigned)strlen(server.device), padded = (len + 3) & ~3u;
                    put32(r + 8, 4);
                    put32(r + 12, len);
                    memcpy(r + 32, "i965", 4);
                    memcpy(r + 36, server.device, len);
                    put32(r + 4, 1 + padded / 4);
                    n = 36 + padded;
                }
            } else if (q[1] == 2) { /* Authenticate */
                server.n_authenticate++;
                CHECK(get32(q + 4) == server.root && size == 12);
                bool ok = server.accepts && drmAuthMagic(server.drm, get32(q + 8)) == 0;
                put32(r + 8, ok);
            }
            break;
        default: /* requests without a reply */
            continue;
        }
        if (write(fd, r, n) != (ssize_t)n)
            return;
    }
}

static void *server_main(void *unused)
{
    (void)unused;
    for (;;) {
        int fd = accept(server.listener, NULL, NULL);
        if (fd < 0)
            return NULL;
        serve(fd);
        close(fd);
    }
}

static bool listen_at(unsigned display)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "/tmp/.X11-unix/X%u", display);
    server.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return server.listener >= 0 &&
           bind(server.listener, (struct sockaddr *)&a,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0 &&
           listen(server.listener, 4) == 0;
}

int main(void)
{
    int fd = open(node, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        SKIP("no card node");
    server.drm = open(node, O_RDWR | O_CLOEXEC);
    REQUIRE(server.drm >= 0);

    char display[32];
    unsigned number = 2000 + (unsigned)getpid() % 10000;
    snprintf(display, sizeof display, ":%u", number);
    setenv("DISPLAY", display, 1);
    setenv("XAUTHORITY", "/dev/null", 1);
    CHECK(!dri2_authenticate(node, fd)); /* nobody there */

    pthread_t thread;
    REQUIRE(listen_at(number));
    REQUIRE(pthread_create(&thread, NULL, server_main, NULL) == 0);
    server.device = node;
    CHECK(!dri2_authenticate(node, fd)); /* no DRI2 */
    server.has_dri2 = true;
    CHECK(!dri2_authenticate(node, fd)); /* no device for us */
    CHECK(server.n_connect == 1);
    server.connects = true;
    server.device = "/dev/null"; /* another one */
    CHECK(!dri2_authenticate(node, fd));
    CHECK(server.n_connect == 2 && server.n_authenticate == 0);
    server.device = node;
    CHECK(!dri2_authenticate(node, fd)); /* refused */
    CHECK(server.n_authenticate == 1);
    server.accepts = true;
    CHECK(dri2_authenticate(node, fd));
    CHECK(server.n_authenticate == 2);

    shutdown(server.listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(server.listener);
    close(server.drm);
    close(fd);
    return utest_end();
}
