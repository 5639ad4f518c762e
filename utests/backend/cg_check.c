/* The allocation checker finds what is wrong: allocations damaged on purpose, in each of the ways
 * in which one can be wrong. A check that never fails proves nothing. */
#include "backend/cc.h"
#include "backend/codegen.h"
#include "utest.h"

#include <sys/wait.h>
#include <unistd.h>

static uint32_t rng = 12345;

static uint32_t rnd(uint32_t n)
{
    rng ^= rng << 13;
    rng ^= rng >> 17;
    rng ^= rng << 5;
    return rng % n;
}

/* As codegen.c does it, to the allocation. */
static struct cg *allocated(const char *text, const char *device, unsigned simd)
{
    const char *why = NULL;
    const struct gen_device *dev = gen_device_by_name(device);
    struct ir_fn *fn = ir_parse(text, dev, &why);
    REQUIRE(fn);
    uniform_run(fn);
    struct cg *cg = cg_new(fn, dev, simd);
    REQUIRE(cg);
    select_run(cg);
    peephole_run(cg);
    REQUIRE(split_run(cg, true));
    for (unsigned round = 0; round < 40; round++) {
        bool *spill;
        live_run(cg);
        if (ra_run(cg, &spill))
            return cg;
        REQUIRE(spill && spill_run(cg, spill));
    }
    REQUIRE(!"allocated");
    return NULL;
}

/* Whether ra_check ends the process. */
static bool finds(const struct cg *cg)
{
    fflush(NULL);
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        ra_check(cg);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CC_BUG_EXIT));
    return WEXITSTATUS(status) == CC_BUG_EXIT;
}

/* Straight code with `n` values live at once. */
static const char *straight(unsigned n)
{
    static char text[32768];
    int at = snprintf(
        text, sizeof text,
        "fn k push 32\nsurface arg 0 written\nb0:\n%%id:i32 = local_id 0\n%%at:i32 = shl %%id, 2\n"
        "%%p:i32 = param 0\n");
    for (unsigned k = 0; k < n; k++)
        at += snprintf(text + at, sizeof text - at, "%%v%u:i32 = %s %s, %u\n", k,
                       k % 5 ? "mul" : "add", k % 7 ? "%id" : "%p", k + 3);
    at += snprintf(text + at, sizeof text - at, "barrier 1\n");
    for (unsigned k = 0; k < n; k++)
        at += snprintf(text + at, sizeof text - at,
                       "store surface 0 d32x1 align 4 + %u [%%at] %%v%u\n", 256 * k, k);
    snprintf(text + at, sizeof text - at, "end\n");
    return text;
}

static const char divergent[] =
    "fn k push 32\nsurface arg 0 written\nb0:\n%id:i32 = local_id 0\n%at:i32 = shl %id, 2\n%p:i32 "
    "= param 0\n"
    "%a:i32 = mul %id, 77\n%c:i1 = i2b %id\nbranch %c, b1, b2 merge b3\nb1: preds b0\n%u:i32 = add "
    "%p, 5\n%w:i32 = mul %u, %u\n"
    "store surface 0 d32x1 align 4 + 64 [%at] %w\n%x:i32 = add %id, %u\njump b3\nb2: preds "
    "b0\n%y:i32 = add %a, 3\njump b3\n"
    "b3: preds b1 b2\n%z:i32 = phi b1 %x, b2 %y\nstore surface 0 d32x1 align 4 [%at] %z\nend\n";

/* Puts one value where another is that is needed later. */
static void clobber(const char *device, unsigned simd)
{
    struct cg *cg = allocated(straight(40), device, simd);
    CHECK(!finds(cg));
    unsigned tried = 0;
    for (unsigned k = 0; k < 4000 && tried < 25; k++) {
        struct vreg *a = &cg->vregs[1 + rnd(cg->n_vregs - 1)],
                    *b = &cg->vregs[1 + rnd(cg->n_vregs - 1)];
        if (a == b || a->size != b->size || b->is_fixed || a->start > a->end || b->start > b->end ||
            a->at < 0 || b->at < 0)
            continue;
        if (b->start <= a->start || b->start + 2 >= a->end)
            continue;
        int32_t was = b->at;
        b->at = a->at;
        CHECKF(finds(cg), "%s SIMD%u: [%u, %u] over [%u, %u]", device, simd, b->start, b->end,
               a->start, a->end);
        b->at = was;
        tried++;
    }
    CHECK(tried == 25);
}

/* A uniform value is written without mask: it must not lie where lanes of the other arm have
 * theirs. */
static void other_arm(const char *device)
{
    struct cg *cg = allocated(divergent, device, 16);
    CHECK(!finds(cg));
    unsigned in_arm = 0;
    bool then = false;
    struct vreg *needed = NULL;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        if (m->kind == MI_CTRL)
            then = m->e.op == EU_OP_if;
        if (!then && m->e.op == EU_OP_mul && m->v[0] && m->e.exec_size == 16 && !needed)
            needed = &cg->vregs[m->v[0]]; /* a */
    }
    REQUIRE(needed);
    then = false;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        if (m->kind == MI_CTRL)
            then = m->e.op == EU_OP_if;
        if (!then || !m->v[0] || !m->e.no_mask || cg->vregs[m->v[0]].size != 4)
            continue;
        struct vreg *u = &cg->vregs[m->v[0]];
        int32_t was = u->at;
        u->at = needed->at + 8;
        CHECKF(finds(cg), "%s: instruction %u", device, i);
        u->at = was;
        in_arm++;
    }
    CHECK(in_arm > 0);
}

/* Leaves out a fill or a store. */
static void lost_spill(const char *device, unsigned simd)
{
    struct cg *cg = allocated(straight(simd == 32 ? 45 : simd == 16 ? 90 : 160), device, simd);
    CHECK(cg->n_spills > 0 && cg->n_fills > 0 && cg->scratch_size > 0);
    CHECK(!finds(cg));
    unsigned tried = 0;
    for (uint32_t i = 0; i < cg->n_code && tried < 20; i++) {
        struct mi *m = cg->code[i];
        if (!m->is_spill || rnd(3))
            continue;
        struct mi none = {.kind = MI_ALU, .e = {.op = EU_OP_nop, .exec_size = 1}};
        cg->code[i] = &none;
        CHECKF(finds(cg), "%s SIMD%u: instruction %u", device, simd, i);
        cg->code[i] = m;
        m->scratch += EU_GRF_SIZE; /* the wrong slot */
        if (m->scratch + 4 * EU_GRF_SIZE < cg->scratch_size)
            CHECKF(finds(cg), "%s SIMD%u: instruction %u, slot", device, simd, i);
        m->scratch -= EU_GRF_SIZE;
        tried++;
    }
    CHECK(tried > 5);
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned d = 0; d < sizeof devices / sizeof *devices; d++) {
        for (unsigned simd = 8; simd <= 32; simd *= 2) {
            clobber(devices[d], simd);
            lost_spill(devices[d], simd);
        }
        other_arm(devices[d]);
    }
    return utest_end();
}
