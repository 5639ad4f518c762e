/* What messages reach: surfaces, and the way from offsets to host memory.
 *
 * A surface state is read once a dispatch (struct msg_surfaces, filled in by whoever comes first,
 * under its lock). Translations of memory that is no single surface are kept in a few entries a
 * host thread, which a dispatch's serial number makes valid. Source: Intel PRM volume 4/7, "Data
 * Port", "Binding Table", "SURFACE_STATE". */
#include "sampler.h"

#include "observe.h"

#include "gen/cmd.h"
#include "gen/device.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_BTI = 256, N_CACHED = 8, SURFACE_STATE_DWORDS = 16, MAX_STRUCTURED = 1 << 27 };

enum surface_kind {
    SURFACE_UNREAD,
    SURFACE_RAW,
    SURFACE_STRUCTURED,
    SURFACE_TYPED_BUFFER,
    SURFACE_IMAGE,
    SURFACE_NULL,
    SURFACE_BAD
};

struct surface {
    _Atomic(int) kind; /* enum surface_kind; written last */
    gpu_addr base;
    uint64_t size;
    uint8_t *host[2];  /* of base, to read and to write; borrowed; NULL: not mapped so */
    uint64_t run[2];   /* bytes that lie together there */
    gpu_addr state;    /* of the surface state */
    const char *wrong; /* SURFACE_BAD: why */
    _Atomic(struct image *) image; /* owned; NULL until image_get() */
};

struct msg_surfaces {
    pthread_mutex_t lock; /* held while a surface is read */
    uint64_t serial;      /* of the dispatch, for translations */
    struct surface s[N_BTI];
};

struct msg_surfaces *surfaces_new(void)
{
    static _Atomic(uint64_t) serial;
    struct msg_surfaces *all = calloc(1, sizeof *all);
    if (!all)
        return NULL;
    all->serial = atomic_fetch_add(&serial, 1) + 1;
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void surfaces_free(struct msg_surfaces *all)
{
    if (!all)
        return;
    for (unsigned i = 0; i < N_BTI; i++)
        free(atomic_load_explicit(&all->s[i].image, memory_order_relaxed));
    pthread_mutex_destroy(&all->lock);
    free(all);
}

/* ---- faults ---- */

bool msg_fault(struct eu_thread *t, const struct msg *m, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    eu_fault(t, "message %s: %s", msg_name(m->kind), text);
    return false;
}

static const char *view_name(const struct view *v, char *buf, size_t size)
{
    if (v->slm)
        snprintf(buf, size, "shared local memory");
    else if (v->m->kind >= MSG_a64_read && v->m->kind <= MSG_a64_block_write)
        snprintf(buf, size, "stateless memory");
    else if (v->m->kind == MSG_scratch_read || v->m->kind == MSG_scratch_write)
        snprintf(buf, size, "scratch memory");
    else if (v->m->bti >= MSG_BTI_STATELESS_NC)
        snprintf(buf, size, "stateless memory");
    else if (v->base + v->size == VIEW_UNBOUNDED)
        snprintf(buf, size, "surface %u (base 0x%llx)", v->m->bti, (unsigned long long)v->base);
    else
        snprintf(buf, size, "surface %u (base 0x%llx, %llu bytes)", v->m->bti,
                 (unsigned long long)v->base, (unsigned long long)v->size);
    return buf;
}

bool view_fault(struct view *v, uint64_t off, unsigned n, int lane)
{
    char name[96], at_lane[24] = "";
    gpu_addr at = v->base + off;
    uint64_t run;
    const char *why = "nothing is mapped there";
    if (v->write && vm_ptr(v->t->d->vm, at, 1, false, &run))
        why = "the page is read-only";
    if (lane >= 0)
        snprintf(at_lane, sizeof at_lane, ", lane %d", lane);
    if (v->t->observer)
        observe_page_fault(v->t, at, n, v->write, lane);
    return msg_fault(v->t, v->m, "page fault: %s of %u bytes at 0x%llx (%s + 0x%llx%s): %s",
                     v->write ? "write" : "read", n, (unsigned long long)at,
                     view_name(v, name, sizeof name), (unsigned long long)off, at_lane, why);
}

bool view_out_of_bounds(struct view *v, uint64_t off, unsigned n, int lane)
{
    return !v->slm ||
           msg_fault(v->t, v->m,
                     "offset 0x%llx (lane %d) is past the group's %u bytes of shared local memory",
                     (unsigned long long)off, lane, v->t->d->slm_size);
}

/* ---- translation ---- */

struct translation {
    gpu_addr start, end;
    uint8_t *host; /* of start */
    bool write;    /* may be written too */
};

struct translations {
    uint64_t serial;
    unsigned next;
    struct translation e[N_CACHED];
};
static _Thread_local struct translations cached;

static struct translations *translations(const struct sim_dispatch *d)
{
    struct translations *c = &cached;
    uint64_t serial = d->surfaces->serial;
    if (c->serial != serial) {
        memset(c, 0, sizeof *c);
        c->serial = serial;
    }
    return c;
}

uint8_t *view_find(struct view *v, uint64_t off, unsigned n)
{
    if (v->slm)
        return NULL;
    struct translations *c = translations(v->t->d);
    gpu_addr at = v->base + off;
    struct translation *e = NULL;
    for (unsigned i = 0; i < N_CACHED && !e; i++) {
        struct translation *k = &c->e[i];
        if (at >= k->start && at + n <= k->end && (k->write || !v->write))
            e = k;
    }
    if (!e) {
        uint64_t run = 0;
        uint8_t *p = vm_ptr(v->t->d->vm, at, n, v->write, &run);
        if (!p)
            return NULL;
        /* Another part of a range that is known already? */
        for (unsigned i = 0; i < N_CACHED && !e; i++) {
            struct translation *k = &c->e[i];
            if (k->write == v->write && at < k->start && at + run >= k->start &&
                p + (k->start - at) == k->host) {
                k->start = at;
                k->host = p;
                e = k;
            }
        }
        if (!e) {
            e = &c->e[c->next++ % N_CACHED];
            *e = (struct translation){at, at + run, p, v->write};
        }
    }
    /* The part of it that the view reaches. */
    gpu_addr lo = e->start > v->base ? e->start : v->base, end = v->base + v->size;
    gpu_addr hi = end >= v->base && end < e->end ? end : e->end;
    v->lo = lo - v->base;
    v->hi = hi - v->base;
    v->host = e->host + (lo - e->start);
    return v->host + (off - v->lo);
}

bool view_read_slow(struct view *v, uint64_t off, void *to, unsigned n, int lane)
{
    uint8_t *out = to;
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = view_ptr(v, off + i, 1);
        if (!p)
            return view_fault(v, off + i, n - i, lane);
        out[i] = *p;
    }
    return true;
}

bool view_write_slow(struct view *v, uint64_t off, const void *from, unsigned n, int lane)
{
    const uint8_t *in = from;
    for (unsigned i = 0; i < n; i++) {
        uint8_t *p = view_ptr(v, off + i, 1);
        if (!p)
            return view_fault(v, off + i, n - i, lane);
        *p = in[i];
    }
    return true;
}

/* ---- surfaces ---- */

static int surface_fail(struct surface *s, const char *wrong)
{
    s->wrong = wrong;
    return SURFACE_BAD;
}

static bool state_read(const struct sim_dispatch *d, int gen, gpu_addr state,
                       uint32_t dw[SURFACE_STATE_DWORDS])
{
    gpu_addr bad;
    unsigned length = cmd_length(gen, CMD_SURFACE_STATE);
    memset(dw, 0, 4 * SURFACE_STATE_DWORDS);
    return length <= SURFACE_STATE_DWORDS && vm_read(d->vm, state, dw, 4 * length, &bad);
}

/* Takes the surface state at s->state apart as a buffer's. */
static int surface_decode(const struct sim_dispatch *d, int gen, struct surface *s)
{
    uint32_t dw[SURFACE_STATE_DWORDS];
    if (!state_read(d, gen, s->state, dw))
        return surface_fail(s, "its surface state isn't mapped");
    unsigned type = cmd_get(gen, dw, CMD_SURFACE_STATE_type);
    unsigned format = cmd_get(gen, dw, CMD_SURFACE_STATE_format);
    unsigned pitch = cmd_get(gen, dw, CMD_SURFACE_STATE_pitch) + 1;
    if (type == CMD_SURFACE_NULL)
        return SURFACE_NULL;
    s->base = cmd_get(gen, dw, CMD_SURFACE_STATE_address);
    if (type != CMD_SURFACE_BUFFER && type != CMD_SURFACE_STRUCTURED)
        return SURFACE_IMAGE;
    uint64_t entries = cmd_get_buffer_elements(gen, dw);
    bool raw = format == FORMAT_RAW && type == CMD_SURFACE_BUFFER;
    s->size = raw ? entries : entries * pitch;
    if (raw && s->size % 4)
        return surface_fail(s, "a RAW buffer whose size is no multiple of 4");
    if ((raw || type == CMD_SURFACE_STRUCTURED) && s->base % 4)
        return surface_fail(s, "a buffer whose base address is not dword aligned");
    if (type == CMD_SURFACE_STRUCTURED && entries > MAX_STRUCTURED)
        return surface_fail(s, "a structured buffer of more than 2^27 elements");
    s->host[0] = vm_ptr(d->vm, s->base, 1, false, &s->run[0]);
    s->host[1] = vm_ptr(d->vm, s->base, 1, true, &s->run[1]);
    for (int i = 0; i < 2; i++) {
        if (!s->host[i])
            s->run[i] = 0;
        else if (s->run[i] > s->size)
            s->run[i] = s->size;
    }
    return raw                              ? SURFACE_RAW
           : type == CMD_SURFACE_STRUCTURED ? SURFACE_STRUCTURED
                                            : SURFACE_TYPED_BUFFER;
}

static int surface_read(const struct sim_dispatch *d, int gen, unsigned bti, struct surface *s)
{
    uint32_t entry;
    gpu_addr bad;
    if (!vm_read(d->vm, d->binding_table + 4 * bti, &entry, sizeof entry, &bad))
        return surface_fail(s, "its binding table entry isn't mapped");
    if (entry & (gen >= 80 ? 0x3f : 0x1f))
        return surface_fail(s, "its binding table entry is misaligned");
    if (d->surface_size && entry >= d->surface_size)
        return surface_fail(s, "its binding table entry is past the surface state's bound");
    s->state = d->surface_base + entry;
    return surface_decode(d, gen, s);
}

static int generation(const struct eu_thread *t)
{
    return sim_gpu_device(t->d->gpu)->gen;
}

/* The surface behind a binding table index; NULL: fault recorded. */
static const struct surface *surface_get(struct eu_thread *t, const struct msg *m)
{
    struct sim_dispatch *d = t->d;
    struct surface *s = &d->surfaces->s[m->bti];
    int kind = atomic_load_explicit(&s->kind, memory_order_acquire);
    if (kind == SURFACE_UNREAD) {
        pthread_mutex_lock(&d->surfaces->lock);
        kind = atomic_load_explicit(&s->kind, memory_order_relaxed);
        if (kind == SURFACE_UNREAD) {
            kind = surface_read(d, generation(t), m->bti, s);
            atomic_store_explicit(&s->kind, kind, memory_order_release);
        }
        pthread_mutex_unlock(&d->surfaces->lock);
    }
    if (kind != SURFACE_BAD)
        return s;
    msg_fault(t, m, "surface %u (binding table 0x%llx, surface state 0x%llx): %s", m->bti,
              (unsigned long long)d->binding_table, (unsigned long long)s->state, s->wrong);
    return NULL;
}

static const struct image *image_fault(struct eu_thread *t, const struct msg *m, gpu_addr state,
                                       const char *wrong)
{
    msg_fault(t, m, "surface %u (surface state 0x%llx): %s", m->bti, (unsigned long long)state,
              wrong);
    return NULL;
}

/* Gen9: the surface state lies at an offset of its own from the bindless base. */
static const struct image *bindless_image(struct eu_thread *t, const struct msg *m, uint32_t exdesc)
{
    static _Thread_local struct image image;
    uint32_t dw[SURFACE_STATE_DWORDS];
    gpu_addr state = t->d->bindless_base + (exdesc & 0xfffff000u);
    if (!state_read(t->d, generation(t), state, dw))
        return image_fault(t, m, state, "its surface state isn't mapped");
    image_decode(generation(t), dw, state, &image);
    return image.wrong[0] ? image_fault(t, m, state, image.wrong) : &image;
}

static struct image *image_read(const struct sim_dispatch *d, int gen, gpu_addr state)
{
    uint32_t dw[SURFACE_STATE_DWORDS];
    struct image *i = malloc(sizeof *i);
    if (i && state_read(d, gen, state, dw))
        image_decode(gen, dw, state, i);
    else if (i)
        snprintf(i->wrong, sizeof i->wrong, "its surface state isn't mapped");
    return i;
}

const struct image *image_get(struct eu_thread *t, const struct msg *m, uint32_t exdesc)
{
    struct sim_dispatch *d = t->d;
    int gen = generation(t);
    if (m->bti == MSG_BTI_STATELESS || m->bti == MSG_BTI_SLM ||
        (gen >= 80 && m->bti == MSG_BTI_STATELESS_NC)) {
        msg_fault(t, m, "binding table index %u is no surface", m->bti);
        return NULL;
    }
    if (gen >= 90 && m->bti == MSG_BTI_BINDLESS)
        return bindless_image(t, m, exdesc);
    struct surface *s = &d->surfaces->s[m->bti];
    struct image *i = atomic_load_explicit(&s->image, memory_order_acquire);
    if (!i) {
        if (!surface_get(t, m))
            return NULL;
        pthread_mutex_lock(&d->surfaces->lock);
        i = atomic_load_explicit(&s->image, memory_order_relaxed);
        if (!i) {
            i = image_read(d, gen, s->state);
            atomic_store_explicit(&s->image, i, memory_order_release);
        }
        pthread_mutex_unlock(&d->surfaces->lock);
    }
    if (!i)
        return image_fault(t, m, s->state, "the simulator is out of memory");
    return i->wrong[0] ? image_fault(t, m, s->state, i->wrong) : i;
}

static bool is_untyped(unsigned kind)
{
    return kind == MSG_untyped_read || kind == MSG_untyped_write || kind == MSG_untyped_atomic ||
           kind == MSG_untyped_atomic_4x2 || kind == MSG_float_atomic;
}

static bool view_of_surface(struct view *v, const struct surface *s)
{
    int kind = s->kind;
    if (kind == SURFACE_IMAGE)
        return msg_fault(v->t, v->m, "surface %u is an image, not a buffer", v->m->bti);
    if (is_untyped(v->m->kind) && kind == SURFACE_TYPED_BUFFER)
        return msg_fault(v->t, v->m,
                         "surface %u is a typed buffer; untyped messages take RAW and"
                         " structured ones",
                         v->m->bti);
    v->base = s->base;
    v->size = kind == SURFACE_NULL ? 0 : s->size;
    v->host = s->host[v->write];
    v->hi = s->run[v->write];
    return true;
}

/* Gen9: a surface state at the bindless base plus the extended descriptor's bits 31:12. */
static bool view_of_bindless(struct view *v, uint32_t exdesc)
{
    struct sim_dispatch *d = v->t->d;
    struct surface s = {.state = d->bindless_base + (exdesc & 0xfffff000u)};
    s.kind = surface_decode(d, generation(v->t), &s);
    if (s.kind == SURFACE_BAD)
        return msg_fault(v->t, v->m, "bindless surface at 0x%llx: %s", (unsigned long long)s.state,
                         s.wrong);
    return view_of_surface(v, &s);
}

static bool view_of_slm(struct view *v)
{
    struct eu_thread *t = v->t;
    const struct sim_dispatch *d = t->d;
    if (!d->slm_size)
        return msg_fault(t, v->m,
                         "the interface descriptor gives the group no shared local memory");
    /* Haswell finds the group's part by sr0.1, which the kernel has to set from r0.0. */
    if (generation(t) == 75 && (t->sr0[1] >> 8 & 0xf) != t->group->slm_index)
        return msg_fault(t, v->m, "sr0.1 holds shared local memory index %u, the group's is %u",
                         t->sr0[1] >> 8 & 0xf, t->group->slm_index);
    v->slm = true;
    v->host = t->group->slm;
    v->size = v->hi = d->slm_size;
    return true;
}

bool view_open(struct view *v, struct eu_thread *t, const struct msg *m, uint32_t exdesc,
               const uint8_t *header, unsigned unit, bool write)
{
    struct sim_dispatch *d = t->d;
    *v = (struct view){.t = t, .m = m, .write = write, .lane_mask = ~0u};
    int gen = generation(t);
    if (header && is_untyped(m->kind))
        v->lane_mask = msg_dword(header, 7) & 0xffff;
    uint32_t global = header && unit ? msg_dword(header, 2) * unit : 0;
    if (m->bti == MSG_BTI_SLM)
        return view_of_slm(v);
    if (m->bti == MSG_BTI_STATELESS || (gen >= 80 && m->bti == MSG_BTI_STATELESS_NC)) {
        /* The header's buffer base has 1 KiB granules; its low bits are a thread id in r0.5. */
        uint32_t buffer = header ? msg_dword(header, 5) & ~0x3ffu : 0;
        uint64_t start = (uint32_t)(buffer + global);
        uint64_t bound = d->general_size ? d->general_size : 1ull << 32;
        v->base = d->general_base + start;
        v->size = bound > start ? bound - start : 0;
        return true;
    }
    if (gen >= 90 && m->bti == MSG_BTI_BINDLESS) {
        if (!view_of_bindless(v, exdesc))
            return false;
    } else {
        const struct surface *s = surface_get(t, m);
        if (!s || !view_of_surface(v, s))
            return false;
    }
    if (global) {
        uint64_t shift = global < v->size ? global : v->size;
        v->base += shift;
        v->size -= shift;
        v->host = v->hi > shift ? v->host + shift : NULL;
        v->hi = v->hi > shift ? v->hi - shift : 0;
    }
    return true;
}

void view_open_flat(struct view *v, struct eu_thread *t, const struct msg *m, gpu_addr base,
                    uint64_t size, bool write)
{
    *v =
        (struct view){.t = t, .m = m, .base = base, .size = size, .write = write, .lane_mask = ~0u};
}
