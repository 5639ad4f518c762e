/* Dispatch of ioctls, as the kernel's drm_ioctl does it: the number alone selects the handler; the
 * argument is copied in with the caller's size and zero-extended to the kernel's, and copied back
 * when both sides encoded the read direction. Also the few calls of the DRM core, and the injected
 * failures. */
#include "i915.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum access { RENDER, CARD, AUTH, MASTER };

static const struct handler {
    const char *name;
    unsigned long request;
    enum access access;
    int (*fn)(struct i915_file *f, void *arg, size_t size);
} handlers[256] = {
#define IOCTL(name, request, access) [_IOC_NR(request)] = {#name, request, access, ioctl_##name},
#include "ioctl.def"
#undef IOCTL
};

int64_t i915_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t i915_now_ms(void)
{
    return i915_now_ns() / 1000000;
}

void i915_log(const char *fmt, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text - 1, fmt, ap);
    va_end(ap);
    n = n < 0 ? 0 : n > (int)sizeof text - 2 ? (int)sizeof text - 2 : n;
    text[n] = '\n';
    /* One write a line, past stdio: a worker thread may speak while the application uses stderr. */
    ssize_t unused = write(STDERR_FILENO, text, n + 1);
    (void)unused;
}

/* The process reads itself through the kernel, which checks the addresses. Where a sandbox forbids
 * that, the copy is direct and a bad pointer is fatal. */
static int user_copy(bool in, void *ours, uint64_t theirs, size_t size)
{
    while (size) {
        struct iovec mine = {ours, size}, user = {(void *)(uintptr_t)theirs, size};
        ssize_t n = in ? process_vm_readv(getpid(), &mine, 1, &user, 1, 0)
                       : process_vm_writev(getpid(), &mine, 1, &user, 1, 0);
        if (n < 0 && (errno == ENOSYS || errno == EPERM)) {
            memcpy(in ? ours : user.iov_base, in ? user.iov_base : ours, size);
            return 0;
        }
        if (n <= 0)
            return -EFAULT;
        ours = (uint8_t *)ours + n;
        theirs += n;
        size -= n;
    }
    return 0;
}

int user_read(void *to, uint64_t from, size_t size)
{
    return user_copy(true, to, from, size);
}

int user_write(uint64_t to, const void *from, size_t size)
{
    return user_copy(false, (void *)from, to, size);
}

int ids_add(struct ids *t, void *p)
{
    for (unsigned i = 0; i < t->n; i++) {
        if (!t->p[i]) {
            t->p[i] = p;
            return i + 1;
        }
    }
    unsigned n = t->n ? 2 * t->n : 16;
    void **q = realloc(t->p, n * sizeof *q);
    if (!q)
        return -ENOMEM;
    memset(q + t->n, 0, (n - t->n) * sizeof *q);
    t->p = q;
    q[t->n] = p;
    unsigned id = t->n + 1;
    t->n = n;
    return id;
}

void *ids_get(const struct ids *t, uint32_t id)
{
    return id && id <= t->n ? t->p[id - 1] : NULL;
}

void *ids_remove(struct ids *t, uint32_t id)
{
    void *p = ids_get(t, id);
    if (p)
        t->p[id - 1] = NULL;
    return p;
}

/* The error that --fault wants for this call, or 0. Called with the lock held. */
static int injected(struct i915 *dev, const struct handler *h)
{
    for (unsigned i = 0; i < dev->opt.n_inject; i++) {
        struct i915_inject *in = &dev->opt.inject[i];
        if (strcmp(in->ioctl, "any") != 0 && strcmp(in->ioctl, h->name) != 0)
            continue;
        in->seen++;
        if (in->seen == in->at || (in->onwards && in->seen > in->at))
            return -in->error;
    }
    return 0;
}

static bool allowed(const struct i915_file *f, enum access access)
{
    switch (access) {
    case RENDER:
        return !f->card || f->authenticated || !f->dev->opt.kernel.card_auth;
    case CARD:
        return f->card;
    case AUTH:
        return f->card && f->authenticated;
    case MASTER:
        return f->card && f->master;
    }
    return false;
}

/* DRM_AUTH never applies to these, so that a client can log in. */
static bool before_login(const struct handler *h)
{
    return h->fn == ioctl_version || h->fn == ioctl_get_cap || h->fn == ioctl_gem_close;
}

int i915_ioctl(struct i915_file *f, unsigned long request, void *arg)
{
    struct i915 *dev = f->dev;
    request &= 0xffffffff; /* callers sign-extend it */
    const struct handler *h = &handlers[_IOC_NR(request)];
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE || !h->fn) {
        i915_log("gensim: unknown ioctl 0x%lx: EINVAL", request);
        return -EINVAL;
    }
    union {
        uint8_t bytes[512];
        uint64_t align;
    } buf = {{0}};
    size_t caller = _IOC_SIZE(request), kernel = _IOC_SIZE(h->request);
    size_t in = caller < kernel ? caller : kernel;
    int err = 0;
    if (in && (_IOC_DIR(request) & _IOC_WRITE || _IOC_DIR(h->request) & _IOC_WRITE))
        err = user_read(buf.bytes, (uintptr_t)arg, in);

    pthread_mutex_lock(&dev->lock);
    if (!err && !allowed(f, h->access) && !before_login(h))
        err = -EACCES;
    if (!err)
        err = injected(dev, h);
    if (!err)
        err = h->fn(f, buf.bytes, caller);
    pthread_mutex_unlock(&dev->lock);

    /* Failed calls copy back too: GEM_WAIT's remaining time. */
    if (err != -EFAULT && _IOC_DIR(request) & _IOC_READ && _IOC_DIR(h->request) & _IOC_READ &&
        user_write((uintptr_t)arg, buf.bytes, in))
        err = -EFAULT;
    if (dev->opt.trace)
        i915_log("gensim: ioctl %s(%08x %08x %08x %08x): %s", h->name, ((uint32_t *)buf.bytes)[0],
                 ((uint32_t *)buf.bytes)[1], ((uint32_t *)buf.bytes)[2], ((uint32_t *)buf.bytes)[3],
                 err ? strerrorname_np(-err) : "0");
    return err;
}

/* ---- the DRM core ---- */
/* Copies at most *len bytes, without the end's zero; tells the whole length. */
static int version_text(__kernel_size_t *len, char *to, const char *text)
{
    size_t n = strlen(text), room = *len;
    *len = n;
    return to && room ? user_write((uintptr_t)to, text, room < n ? room : n) : 0;
}

int ioctl_version(struct i915_file *f, void *arg, size_t size)
{
    struct drm_version *v = arg;
    v->version_major = 1;
    v->version_minor = 6;
    v->version_patchlevel = 0;
    int err = version_text(&v->name_len, v->name, "i915");
    if (!err)
        err = version_text(&v->date_len, v->date, "20201103");
    if (!err)
        err = version_text(&v->desc_len, v->desc, "Intel Graphics");
    return err;
}

int ioctl_get_magic(struct i915_file *f, void *arg, size_t size)
{
    struct drm_auth *a = arg;
    if (!f->magic)
        f->magic = ++f->dev->next_magic;
    a->magic = f->magic;
    return 0;
}

int ioctl_auth_magic(struct i915_file *f, void *arg, size_t size)
{
    const struct drm_auth *a = arg;
    for (struct i915_file *other = f->dev->files; other; other = other->next) {
        if (a->magic && other->magic == a->magic) {
            other->authenticated = true;
            return 0;
        }
    }
    return -EINVAL;
}

int ioctl_get_client(struct i915_file *f, void *arg, size_t size)
{
    struct drm_client *c = arg;
    if (c->idx != 0)
        return -EINVAL;
    *c = (struct drm_client){.auth = f->authenticated, .pid = getpid(), .uid = getuid()};
    return 0;
}

int ioctl_get_cap(struct i915_file *f, void *arg, size_t size)
{
    struct drm_get_cap *c = arg;
    switch (c->capability) {
    case DRM_CAP_PRIME:
        c->value = f->dev->opt.kernel.no_prime ? 0 : DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
        return 0;
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_SYNCOBJ:
        c->value = 1;
        return 0;
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_SYNCOBJ_TIMELINE:
        c->value = 0;
        return 0;
    default:
        return -EINVAL;
    }
}

int ioctl_set_client_cap(struct i915_file *f, void *arg, size_t size)
{
    return -EINVAL; /* all of them are about displays */
}
