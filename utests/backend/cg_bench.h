/* A bench for generated code: Gen IR text -> kernel -> threads of the simulated EU, started as
 * gen/kbin.h says. The memory behind the messages is the bench's own and simple: surface k is an
 * array at address BENCH_ADDRESS(k); local memory; scratch. Everything not defined at a thread's
 * start is garbage, different for each run. */
#ifndef CG_BENCH_H
#define CG_BENCH_H

#include "backend/codegen.h"
#include "sim/hw/hw.h"
#include "utest.h"

enum { BENCH_SURFACES = 4, BENCH_BYTES = 1 << 16, BENCH_SCRATCH = 128 * 1024, BENCH_THREADS = 16 };
#define BENCH_ADDRESS(k) (0x3ffe0000u + (uint32_t)(k)*0x10000u) /* across the windows' border */

struct bench {
    const struct gen_device *dev;
    struct kbin_kernel k;
    uint32_t mem[BENCH_SURFACES][BENCH_BYTES / 4];
    uint32_t push[64];
    uint8_t slm[65536];
    uint8_t *scratch; /* BENCH_SCRATCH a thread */
    const char *fault;
    char fault_text[256];
    unsigned n_messages, slm_index;
    bool slm_ready[BENCH_THREADS];
    uint32_t seed;
};

static struct bench bench;

static inline uint32_t bench_random(void)
{
    bench.seed = bench.seed * 1664525u + 1013904223u;
    return bench.seed >> 8 ^ bench.seed << 20;
}

/* Compiles IR text; `simd` 0: as codegen likes. With `uniform`, uniform_run decides; else the text.
 */
static inline bool bench_compile(const char *text, const char *device, unsigned simd, bool uniform)
{
    const char *why = NULL;
    struct cc_log log = {0};
    bench.dev = gen_device_by_name(device);
    REQUIRE(bench.dev);
    struct ir_fn *fn = ir_parse(text, bench.dev, &why);
    if (!fn || (why = ir_check(fn))) {
        fprintf(stderr, "%s\n%s\n", text, why);
        REQUIRE(!"valid Gen IR");
    }
    if (uniform)
        uniform_run(fn);
    fn->out->reqd_simd = simd;
    bool ok = codegen_kernel(fn, bench.dev, fn->out, &log) == CODEGEN_OK;
    if (!ok)
        fprintf(stderr, "%s", log.text ? log.text : "no log\n");
    bench.k = *fn->out;
    return ok;
}

static inline bool bench_fail(const char *why, uint64_t value)
{
    if (!bench.fault) {
        snprintf(bench.fault_text, sizeof bench.fault_text, "%s (0x%llx)", why,
                 (unsigned long long)value);
        bench.fault = bench.fault_text;
    }
    return false;
}

/* Bytes [at, at + size) of what bti and address mean; NULL and a fault if that is nothing. */
static inline uint8_t *bench_at(const struct eu_thread *t, unsigned bti, uint64_t at, unsigned size,
                                bool is_a64)
{
    uint64_t surface = bti;
    if (is_a64 || bti == BENCH_SURFACES || bti == BENCH_SURFACES + 1) { /* the windows follow */
        if (!is_a64) {
            if (at + size > 0x40000000)
                return bench_fail("outside of the window", at), NULL;
            at += bti == BENCH_SURFACES ? 0 : 0x40000000;
        }
        surface = (at - BENCH_ADDRESS(0)) >> 16;
        at = (at - BENCH_ADDRESS(0)) & 0xffff;
    } else if (bti == MSG_BTI_SLM) {
        if (bench.dev->gen == 75 && !bench.slm_ready[t->number] &&
            (t->sr0[1] >> 8 & 0xf) != bench.slm_index)
            return bench_fail("sr0.1 has not the index of local memory", t->sr0[1]), NULL;
        return bench.slm + (at & 0xffff);
    }
    if (surface >= BENCH_SURFACES || at + size > BENCH_BYTES)
        return bench_fail("no memory there", surface << 32 | at), NULL;
    return (uint8_t *)bench.mem[surface] + at;
}

static inline uint32_t bench_atomic(unsigned op, uint32_t old, uint32_t a, uint32_t b)
{
    switch ((enum msg_atomic)op) {
    case ATOMIC_AND:
        return old & a;
    case ATOMIC_OR:
        return old | a;
    case ATOMIC_XOR:
        return old ^ a;
    case ATOMIC_MOV:
        return a;
    case ATOMIC_INC:
        return old + 1;
    case ATOMIC_DEC:
    case ATOMIC_PREDEC:
        return old - 1;
    case ATOMIC_ADD:
        return old + a;
    case ATOMIC_SUB:
        return old - a;
    case ATOMIC_REVSUB:
        return a - old;
    case ATOMIC_IMAX:
        return (int32_t)old > (int32_t)a ? old : a;
    case ATOMIC_IMIN:
        return (int32_t)old < (int32_t)a ? old : a;
    case ATOMIC_UMAX:
        return old > a ? old : a;
    case ATOMIC_UMIN:
        return old < a ? old : a;
    case ATOMIC_CMPWR:
        return old == a ? b : old;
    case ATOMIC_CMPWR8B:
        break;
    }
    return old;
}

static inline bool bench_lanes(struct eu_thread *t, const struct msg *m, uint32_t lanes,
                               const uint32_t *p, uint32_t *resp, bool a64, bool write)
{
    unsigned simd = m->simd, n_addr = simd * (a64 ? 2 : 1);
    bool atomic = m->kind == MSG_untyped_atomic || m->kind == MSG_a64_atomic;
    bool bytes = m->kind == MSG_byte_read || m->kind == MSG_byte_write || m->kind == MSG_a64_read ||
                 m->kind == MSG_a64_write;
    const uint32_t *data = p + n_addr;
    for (unsigned l = 0; l < simd; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint64_t at = a64 ? p[2 * l] | (uint64_t)p[2 * l + 1] << 32 : p[l];
        unsigned n = atomic || bytes ? 1 : 4, reg = 0;
        unsigned size = bytes ? m->data_size : 4;
        if (!bytes && at & 3)
            return bench_fail("unaligned", at);
        for (unsigned c = 0; c < n; c++) {
            if (n == 4 && m->chan_off >> c & 1)
                continue;
            uint8_t *mem = bench_at(t, m->bti, at + 4 * c, size, a64);
            if (!mem)
                return false;
            if (atomic) {
                uint32_t old;
                memcpy(&old, mem, 4);
                uint32_t v = bench_atomic(m->atomic, old, data[l], data[simd + l]);
                memcpy(mem, &v, 4);
                if (m->returns)
                    resp[l] = old;
            } else if (write) {
                memcpy(mem, &data[reg++ * simd + l], size);
            } else {
                uint32_t v = bench_random(); /* upper bits mean nothing */
                memcpy(&v, mem, size);
                resp[reg++ * simd + l] = v;
            }
        }
    }
    return true;
}

static inline bool bench_block(struct eu_thread *t, const struct msg *m, const uint32_t *p,
                               uint32_t *resp)
{
    for (unsigned k = 0; k < m->n_oword * 4u; k++) {
        uint32_t at = p[2] + 4 * k;
        resp[k] = 0;
        if (at + 4 <= BENCH_BYTES) {
            uint8_t *mem = bench_at(t, m->bti, at, 4, false);
            if (!mem)
                return false;
            memcpy(&resp[k], mem, 4);
        }
    }
    return true;
}

static inline bool bench_scratch(struct eu_thread *t, const struct msg *m, uint32_t lanes,
                                 const uint32_t *p, uint32_t *resp)
{
    uint32_t base = (t->number + 1) * 0x10000 * 4, at = m->scratch_offset * 32u,
             size = m->n_regs * 32u;
    if ((p[5] & ~1023u) != base)
        return bench_fail("scratch header", p[5]);
    if (at + size > bench.k.scratch_size)
        return bench_fail("scratch offset", at);
    uint8_t *mem = bench.scratch + t->number * BENCH_SCRATCH + at;
    if (m->kind == MSG_scratch_read) {
        memcpy(resp, mem, size);
        return true;
    }
    if (!m->dword_mode)
        return bench_fail("scratch write mode", 0);
    for (unsigned k = 0; k < size / 4; k++) {
        if (lanes >> k % 16 & 1)
            memcpy(mem + 4 * k, p + 8 + k, 4);
    }
    return true;
}

bool msg_execute(struct eu_thread *t, const struct eu_insn *insn, const struct msg *m,
                 uint32_t exdesc, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    uint32_t p[32 * 8], *r = (uint32_t *)resp;
    (void)insn, (void)exdesc;
    memcpy(p, payload, (m->mlen + m->ex_mlen) * 32u);
    bench.n_messages++;
    switch ((enum msg_kind)m->kind) {
    case MSG_untyped_read:
    case MSG_byte_read:
        return bench_lanes(t, m, lanes, p, r, false, false);
    case MSG_untyped_write:
    case MSG_untyped_atomic:
    case MSG_byte_write:
        return bench_lanes(t, m, lanes, p, r, false, true);
    case MSG_a64_untyped_read:
    case MSG_a64_read:
        return bench_lanes(t, m, lanes, p, r, true, false);
    case MSG_a64_untyped_write:
    case MSG_a64_atomic:
    case MSG_a64_write:
        return bench_lanes(t, m, lanes, p, r, true, true);
    case MSG_oword_read_unaligned:
        return bench_block(t, m, p, r);
    case MSG_scratch_read:
    case MSG_scratch_write:
        return bench_scratch(t, m, lanes, p, r);
    case MSG_fence:
        return true;
    case MSG_gateway:
        if (m->gateway_fn != 4 || p[2] != 0x05000000)
            return bench_fail("barrier id", p[2]);
        if (++t->group->n_arrived == t->group->n_threads) {
            for (unsigned k = 0; k < t->group->n_threads; k++)
                t->group->threads[k].n0[0]++;
            t->group->n_arrived = 0;
        }
        return true;
    case MSG_end_thread:
        return true;
    default:
        return bench_fail("unknown message", m->kind);
    }
}

/* The simulator's own message unit stays out of the program. */
bool msg_dispatch_begin(struct sim_dispatch *d)
{
    return d != NULL;
}

void msg_dispatch_end(struct sim_dispatch *d)
{
    (void)d;
}

static inline void bench_start(struct eu_thread *t, struct sim_group *g, unsigned number,
                               unsigned items)
{
    unsigned simd = bench.k.simd, reg = 1, left = items - number * simd;
    uint32_t *grf = (uint32_t *)t->grf, *r0 = grf;
    memset(t, 0, sizeof *t);
    for (unsigned k = 0; k < sizeof t->grf / 4; k++)
        grf[k] = bench_random();
    t->f[0] = bench_random();
    t->f[1] = bench_random();
    for (unsigned k = 0; k < 16; k++)
        t->a0[k] = 0xbad0 + k;
    for (unsigned k = 0; k < 8; k++)
        t->acc_lo[k] = bench_random();
    r0[0] = (r0[0] & 0xf0ffffff) | bench.slm_index << 24;
    r0[1] = g->id[0];
    r0[2] = (r0[2] & 0x70ffffff) | 0x05000000;
    r0[5] = (number + 1) * 0x10000 * 4 | (0x40 + number);
    r0[6] = g->id[1];
    r0[7] = g->id[2];
    memcpy(grf + 8 * reg, bench.push, bench.k.n_push_regs * 32);
    reg += bench.k.n_push_regs;
    for (unsigned d = 0; d < 3; d++) {
        if (!bench.k.uses_local_id[d])
            continue;
        uint16_t *ids = (uint16_t *)(grf + 8 * reg);
        reg += simd == 32 ? 2 : 1;
        for (unsigned l = 0; l < simd; l++)
            ids[l] = d == 0 ? number * simd + l : d == 1 ? 100 + (number * simd + l) % 7 : 3;
    }
    t->number = number;
    t->d = g->d;
    t->group = g;
    t->dispatch_mask = t->active = UINT32_MAX >> (32 - (left >= simd ? simd : left));
    t->mxcsr_f = t->mxcsr_df = 0x1f80 | 0x8040;
}

/* Runs one group of `items` work-items. False: a fault, in bench.fault. */
static inline bool bench_run(unsigned items)
{
    static const struct sim_options opt = {.n_host_threads = 1};
    static struct eu_thread threads[BENCH_THREADS];
    enum { BASE = 0x10000 };
    size_t size = (bench.k.code_size + 4095) & ~4095ull;
    uint8_t *code = aligned_alloc(4096, size);
    struct sim_gpu *gpu = sim_gpu_new(bench.dev, &opt);
    struct sim_vm *vm = vm_new(bench.dev->address_bits);
    struct eu_cache *cache = eu_cache_new(bench.dev->gen, bench.dev->quirks);
    struct sim_fault fault = {0};
    REQUIRE(code && gpu && vm && cache);
    memset(code, 0, size);
    memcpy(code, bench.k.code, bench.k.code_size);
    REQUIRE(vm_map(vm, BASE, code, size, false, 1));
    struct sim_dispatch d = {.gpu = gpu,
                             .vm = vm,
                             .fault = &fault,
                             .instruction_base = BASE,
                             .instruction_size = size,
                             .kernel = BASE,
                             .simd = bench.k.simd,
                             .n_threads = (items + bench.k.simd - 1) / bench.k.simd,
                             .icache = cache,
                             .denorm_mode = true}; /* as the driver says: the kernel decides */
    struct sim_group g = {.d = &d,
                          .id = {5, 6, 7},
                          .n_threads = d.n_threads,
                          .threads = threads,
                          .n_slots = d.n_threads};
    REQUIRE(d.n_threads <= BENCH_THREADS);
    bench.fault = NULL;
    bench.n_messages = 0;
    bench.slm_index = 9;
    free(bench.scratch);
    bench.scratch = malloc((size_t)BENCH_THREADS * BENCH_SCRATCH);
    REQUIRE(bench.scratch);
    memset(bench.scratch, 0xa5, (size_t)BENCH_THREADS * BENCH_SCRATCH);
    for (unsigned k = 0; k < d.n_threads; k++)
        bench_start(&threads[k], &g, k, items);
    bool ok = true;
    for (unsigned left = d.n_threads, rounds = 0; ok && left; rounds++) {
        left = 0;
        for (unsigned k = 0; ok && k < d.n_threads; k++) {
            if (threads[k].ended)
                continue;
            enum eu_stop stop = eu_run(&threads[k], 2000000);
            ok = stop == EU_STOP_ENDED || stop == EU_STOP_WAIT;
            if (stop == EU_STOP_BUDGET)
                bench_fail("runs for ever", k);
            left += !threads[k].ended;
        }
        if (rounds > 1000)
            ok = bench_fail("threads wait for ever", left);
    }
    if (fault.set && !bench.fault) {
        snprintf(bench.fault_text, sizeof bench.fault_text, "%.250s", fault.text);
        bench.fault = bench.fault_text;
    }
    vm_free(vm);
    eu_cache_free(cache);
    sim_gpu_free(gpu);
    free(code);
    return ok && !bench.fault;
}

#endif
