/* Hand-made kernels for tests: an assembler of a few lines over gen/eu.h and gen/msg.h. */
#ifndef UTESTS_CORE_ASM_H
#define UTESTS_CORE_ASM_H

#include "utest.h"

#include "gen/eu.h"
#include "gen/kbin.h"
#include "gen/msg.h"
#include "src/gpu/gpu.h"

struct code {
    int gen;
    struct eu_bits insn[64];
    unsigned n;
    unsigned group; /* first channel of what message() writes */
};

static inline void add(struct code *c, const struct eu_insn *in)
{
    const char *why = "";
    REQUIRE(c->n < 64);
    if (!eu_encode(c->gen, in, &c->insn[c->n++], &why))
        fprintf(stderr, "%u: %s\n", c->n - 1, why);
    REQUIRE(*why == '\0');
}

static inline void line(struct code *c, const char *text)
{
    struct eu_insn in;
    const char *why = "";
    bool ok = eu_parse(c->gen, text, &in, &why);
    if (!ok)
        fprintf(stderr, "%s: %s\n", text, why);
    REQUIRE(ok);
    add(c, &in);
}

/* A send of m from register src; the response goes to dst, 0 = none. `prefix`: "", "(W) ", "(f0.0)
 * ". */
static inline void message(struct code *c, const char *prefix, unsigned exec, unsigned dst,
                           unsigned src, const struct msg *m)
{
    uint32_t desc;
    uint8_t sfid;
    const char *why = "";
    if (!msg_pack(c->gen, m, &desc, &sfid, &why))
        fprintf(stderr, "message: %s\n", why);
    REQUIRE(*why == '\0');
    char text[128], to[16];
    if (dst)
        snprintf(to, sizeof to, "r%u:uw", dst);
    else
        snprintf(to, sizeof to, "null:uw");
    bool eot = m->kind == MSG_end_thread;
    snprintf(text, sizeof text, "%ssend (%u|M%u) %s r%u:ud 0x%x 0x%x%s", prefix, exec, c->group, to,
             src, sfid | (eot ? 0x20 : 0), desc, eot ? " {EOT}" : "");
    line(c, text);
}

static inline void end_thread(struct code *c)
{
    struct msg m = {.kind = MSG_end_thread, .mlen = 1, .function = 0x10};
    c->group = 0;
    line(c, "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud");
    message(c, "(W) ", 8, 0, 127, &m);
}

static inline struct bo *code_bo(struct gpu *gpu, int gen, void (*write)(struct code *))
{
    struct code c = {.gen = gen};
    write(&c);
    struct bo *bo = bo_new(gpu, "code", sizeof c.insn);
    REQUIRE(bo && bo_map(bo));
    memcpy(bo_map(bo), c.insn, c.n * sizeof *c.insn);
    return bo;
}

#endif
