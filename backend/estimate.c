/* What a thread of the code takes by itself: EU clocks of issue, and clocks that it waits for
 * messages.
 *
 * Only ratios count: the driver compares two widths of a kernel with them (gen/kbin.h). Rounds of
 * loops are a guess, the same for both. The clocks and latencies are those that Intel's scheduler
 * plans with. */
#include "backend/codegen.h"

enum {
    LATENCY_DATA_PORT = 400,
    LATENCY_SAMPLER = 300,
    LATENCY_BARRIER = 200,
    ROUNDS = 8,   /* of a loop */
    MAX_DEPTH = 3 /* of loops that count */
};

/* An instruction takes two clocks at least, and one for each sixteen bytes of its widest operand.
 */
static unsigned issue_clocks(const struct mi *m)
{
    enum { MATH = 4, DWORD_PRODUCT = 2 };
    unsigned widest = m->e.dst.file == EU_GRF ? eu_type_size(m->e.dst.type) : 1;
    unsigned dwords = 0;
    if (m->kind == MI_DO || m->kind == MI_UNDEF || m->is_undefined)
        return 0;
    if (m->kind != MI_ALU)
        return 2;
    for (unsigned k = 0; k < m->n_src; k++) {
        unsigned size = eu_type_size(m->e.src[k].type);
        bool is_int = m->e.src[k].type == EU_D || m->e.src[k].type == EU_UD;
        widest = size > widest ? size : widest;
        dwords += is_int && m->e.src[k].file != EU_IMM;
    }
    unsigned clocks = widest * m->e.exec_size / 16;
    clocks = clocks < 2 ? 2 : clocks;
    if (m->e.op == EU_OP_math)
        return clocks * MATH;
    return m->e.op == EU_OP_mul && dwords == 2 ? clocks * DWORD_PRODUCT : clocks;
}

static uint32_t saturated(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void estimate_run(const struct cg *cg, struct kbin_kernel *out)
{
    uint64_t now = 0, issue = 0, wait = 0, barrier = 0, weight = 1;
    uint64_t *ready = cc_alloc(cg->n_vregs * sizeof *ready); /* by vreg: when its message is back */
    unsigned depth = 0;
    for (uint32_t i = 0; i < cg->n_code; i++) {
        const struct mi *m = cg->code[i];
        uint64_t start = m->e.op == EU_OP_wait && barrier > now ? barrier : now;
        for (unsigned k = 0; k <= m->n_src; k++) {
            if (m->v[k] && ready[m->v[k]] > start)
                start = ready[m->v[k]];
        }
        if (m->kind == MI_DO && ++depth <= MAX_DEPTH)
            weight *= ROUNDS;
        unsigned clocks = issue_clocks(m);
        issue += clocks * weight;
        wait += (start - now) * weight;
        now = start + clocks;
        if (m->kind == MI_SEND && m->e.fn == SFID_GATEWAY)
            barrier = now + LATENCY_BARRIER;
        else if (m->kind == MI_SEND && m->rlen && m->v[0])
            ready[m->v[0]] = now + (m->e.fn == SFID_SAMPLER ? LATENCY_SAMPLER : LATENCY_DATA_PORT);
        if (m->e.op == EU_OP_while && depth-- <= MAX_DEPTH)
            weight /= ROUNDS;
    }
    out->issue_clocks = saturated(issue);
    out->wait_clocks = saturated(wait);
}
