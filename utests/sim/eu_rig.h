/* One EU thread on a bench: a program in text, initial registers, and what became of them. Programs
 * are lines of the assembler syntax; "name:" on a line of its own is a label and "@name" the
 * distance to it. An end of thread is added. */
#ifndef EU_RIG_H
#define EU_RIG_H

#include "sim/hw/hw.h"
#include "utest.h"

#include <stdarg.h>
#include <stdint.h>

enum { RIG_CODE = 1 << 16, RIG_BASE = 0x10000 };

struct rig {
    const struct gen_device *dev;
    int gen;
    struct sim_gpu *gpu;
    struct sim_vm *vm;
    struct eu_cache *cache;
    struct sim_fault fault;
    struct sim_dispatch d;
    struct sim_group g;
    struct eu_thread t;
    uint8_t *code;
    unsigned code_size;
    bool quiet; /* don't complain about lines that can't be assembled */
};

static inline void rig_init(struct rig *r, const char *device)
{
    static const struct sim_options opt = {.n_host_threads = 1};
    memset(r, 0, sizeof *r);
    r->dev = gen_device_by_name(device);
    REQUIRE(r->dev);
    r->gen = r->dev->gen;
    r->gpu = sim_gpu_new(r->dev, &opt);
    r->vm = vm_new(r->dev->address_bits);
    r->cache = eu_cache_new(r->gen, r->dev->quirks);
    r->code = aligned_alloc(4096, RIG_CODE);
    REQUIRE(r->gpu && r->vm && r->cache && r->code);
    REQUIRE(vm_map(r->vm, RIG_BASE, r->code, RIG_CODE, false, 1));
    r->d = (struct sim_dispatch){
        .gpu = r->gpu,
        .vm = r->vm,
        .fault = &r->fault,
        .instruction_base = RIG_BASE,
        .instruction_size = RIG_CODE,
        .kernel = RIG_BASE,
        .simd = 16,
        .n_threads = 1,
        .denorm_mode = true,
        .icache = r->cache,
    };
    r->g = (struct sim_group){.d = &r->d, .n_threads = 1, .threads = &r->t, .n_slots = 1};
}

static inline void rig_fini(struct rig *r)
{
    vm_free(r->vm);
    eu_cache_free(r->cache);
    sim_gpu_free(r->gpu);
    free(r->code);
}

static inline void rig_put(struct rig *r, const struct eu_insn *in)
{
    struct eu_bits bits;
    const char *why = "?";
    REQUIRE(r->code_size + 16 <= RIG_CODE);
    if (!eu_encode(r->gen, in, &bits, &why)) {
        char text[256] = "";
        eu_print(r->gen, in, text, sizeof text);
        fprintf(stderr, "gen %d, %s: %s\n", r->gen, text, why);
        REQUIRE(!"encoded");
    }
    memcpy(r->code + r->code_size, &bits, 16);
    r->code_size += 16;
}

static inline bool rig_line(struct rig *r, const char *line)
{
    struct eu_insn in;
    const char *why = "?";
    if (!eu_parse(r->gen, line, &in, &why)) {
        if (!r->quiet) {
            fprintf(stderr, "gen %d, \"%s\": %s\n", r->gen, line, why);
            REQUIRE(!"parsed");
        }
        return false;
    }
    rig_put(r, &in);
    return true;
}

#define RIG_EOT "(W) send (8|M0) null r127 0x27 0x2000010 {EOT}"

/* The address of a label among the program's lines. */
static inline int rig_label(const char *program, const char *name, size_t n)
{
    int at = 0;
    for (const char *p = program; *p;) {
        size_t len = strcspn(p, "\n");
        if (len && p[len - 1] == ':') {
            if (len - 1 == n && !memcmp(p, name, n))
                return at;
        } else if (len) {
            at += 16;
        }
        p += len + (p[len] == '\n');
    }
    fprintf(stderr, "label %.*s\n", (int)n, name);
    REQUIRE(!"known label");
    return -1;
}

static inline void rig_program(struct rig *r, const char *program)
{
    r->code_size = 0;
    for (const char *p = program; *p;) {
        char line[512];
        size_t len = strcspn(p, "\n"), o = 0;
        if (len && p[len - 1] != ':') {
            for (size_t i = 0; i < len;) {
                if (p[i] != '@') {
                    line[o++] = p[i++];
                    continue;
                }
                size_t n = strcspn(p + i + 1, " \n");
                o += (size_t)sprintf(line + o, "%d",
                                     rig_label(program, p + i + 1, n) - (int)r->code_size);
                i += 1 + n;
            }
            line[o] = 0;
            rig_line(r, line);
        }
        p += len + (p[len] == '\n');
    }
    rig_line(r, RIG_EOT);
    eu_cache_drop(r->cache);
}

/* Registers zero, all of `mask` running at the start. */
static inline void rig_reset(struct rig *r, uint32_t mask)
{
    memset(&r->t, 0, sizeof r->t);
    memset(&r->fault, 0, sizeof r->fault);
    r->t.d = &r->d;
    r->t.group = &r->g;
    r->t.dispatch_mask = r->t.active = mask;
    r->t.mxcsr_f = r->t.mxcsr_df = 0x1f80 | 0x8040; /* nearest, denormals to zero */
}

/* True if the thread has come to its end. */
static inline bool rig_go(struct rig *r)
{
    enum eu_stop stop = eu_run(&r->t, 1000000);
    if (stop == EU_STOP_FAULT && !r->quiet)
        fprintf(stderr, "fault: %s\n", r->fault.text);
    return stop == EU_STOP_ENDED;
}

static inline bool rig_run(struct rig *r, enum eu_mode mode)
{
    eu_cache_set_mode(r->cache, mode);
    eu_cache_drop(r->cache);
    return rig_go(r);
}

static inline uint32_t rig_ud(const struct rig *r, unsigned reg, unsigned i)
{
    uint32_t v;
    memcpy(&v, r->t.grf + reg * 32 + i * 4, 4);
    return v;
}

static inline uint64_t rig_uq(const struct rig *r, unsigned reg, unsigned i)
{
    uint64_t v;
    memcpy(&v, r->t.grf + reg * 32 + i * 8, 8);
    return v;
}

static inline uint16_t rig_uw(const struct rig *r, unsigned reg, unsigned i)
{
    uint16_t v;
    memcpy(&v, r->t.grf + reg * 32 + i * 2, 2);
    return v;
}

static inline float rig_f(const struct rig *r, unsigned reg, unsigned i)
{
    float v;
    memcpy(&v, r->t.grf + reg * 32 + i * 4, 4);
    return v;
}

static inline double rig_df(const struct rig *r, unsigned reg, unsigned i)
{
    double v;
    memcpy(&v, r->t.grf + reg * 32 + i * 8, 8);
    return v;
}

static inline void rig_set(struct rig *r, unsigned reg, const void *from, size_t size)
{
    memcpy(r->t.grf + reg * 32, from, size);
}

#endif
