/* Tiny kernels whose counts can be worked out by hand, and pairs of right and wrong ones, on the
 * device node with plain ioctls: what gensim's --stats, --trace and --check say of them is judged
 * by watched.py. Usage: watched KERNEL [SYMBOLS]: a name of the table below or "place"; SYMBOLS:
 * which file to write into GPU_SYMBOLS_DIR (good or bad).
 *
 * A thread's payload: r1, r2 hold its lanes' numbers in the group times 4, r3.0 its own number. */
#include "gen/cmd.h"
#include "gen/device.h"
#include "gen/eu.h"
#include "gen/msg.h"

#include "utest.h"

#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    BATCH_AT = 0x01000000,
    STATE_AT = 0x02000000,
    CODE_AT = 0x03000000,
    DATA_AT = 0x04000000,
    SCRATCH_AT = 0x05000000,
    PAGES = 1 << 16,
    SCRATCH_BYTES = 2048,
    SMALL_SURFACE =
        64, /* bytes of surface 1, the first of surface 0; surface 2 has more than there is */
};
/* In the state object. */
enum { CONSTANTS = 0, DESCRIPTOR = 0x8000, TABLE = 0x8100, SURFACE = 0x8200, SURFACE_STEP = 0x40 };
enum { N_SURFACES = 3, CONSTANT_REGS = 3 };

static int fd, gen;
static const struct gen_device *dev;

/* ---- the kernels ---- */

#define ENDS                                                                                       \
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"                                                 \
    "(W) send (8|M0) null r127 0x27 0x2000010 {EOT}\n"
#define BARRIER                                                                                    \
    "(W) mov (8|M0) r70.0<1>:ud 0:ud\n"                                                            \
    "(W) and (1|M0) r70.2<1>:ud r0.2<0;1,0>:ud 0x8f000000:ud\n"                                    \
    "(W) send (8|M0) null r70 $BARRIER\n"                                                          \
    "(W) wait (1|M0) n0.0\n"
#define SLM       "75: (W) mov (1|M0) sr0.2<1>:uw r0.1<0;1,0>:uw {Switch}\n"
#define FLOAT_ADD "add (16|M0) r10.0<1>:f r1.0<8;8,1>:f r1.0<8;8,1>:f\n"
#define OWN_PLACE "mov (16|M0) r10.0<1>:ud r1.0<8;8,1>:ud\n"
#define ONE_PLACE "and (16|M0) r10.0<1>:ud r1.0<8;8,1>:ud 63:ud\n"
#define OWN_VALUE "mov (16|M0) r12.0<1>:ud r1.0<8;8,1>:ud\n"
#define ONE_VALUE "mov (16|M0) r12.0<1>:ud 7:ud\n"
#define A64_ADDRESSES                                                                              \
    "(W) mov (8|M0) r20.0<1>:ud 0:ud\n"                                                            \
    "(W) mov (4|M0) r20.0<2>:ud 0x4000000:ud\n"
#define SECOND_THREAD                                                                              \
    "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r3.0<0;1,0>:ud 1:ud {Switch}\n"                            \
    "(W&f0.0) jmpi (1|M0) "

static const struct program {
    const char *name;
    unsigned threads, groups;
    const char *text; /* lines; "75: " in front: of that generation; $NAME: a message below */
} programs[] = {
    {"alu", 2, 3,
     FLOAT_ADD FLOAT_ADD FLOAT_ADD "math.inv (8|M0) r20.0<1>:f r10.0<8;8,1>:f\n"
                                   "add (16|M0) r22.0<1>:d r1.0<8;8,1>:d 1:d\n" ENDS},
    {"load", 2, 1,
     "send (16|M0) r30 r1 $READ0\n" FLOAT_ADD FLOAT_ADD FLOAT_ADD FLOAT_ADD FLOAT_ADD
     "add (16|M0) r32.0<1>:f r30.0<8;8,1>:f r1.0<8;8,1>:f\n" ENDS},
    {"many", 32, 200, "send (16|M0) r30 r1 $READ0\n" ENDS},
    {"slm", 1, 1,
     SLM "shl (16|M0) r10.0<1>:ud r1.0<8;8,1>:ud 1:ud\n" OWN_VALUE
         "send (16|M0) null r10 $SWRITE\n" ENDS},
    {"barrier", 2, 1, BARRIER ENDS},
    {"atomic", 2, 1, "mov (16|M0) r10.0<1>:ud 0:ud\nsend (16|M0) null r10 $ATOMIC0\n" ENDS},
    {"masked", 1, 1,
     "cmp (16|M0) (lt)f0.0 null<1>:ud r1.0<8;8,1>:ud 12:ud {Switch}\n"
     "(f0.0) mov (16|M0) r10.0<1>:ud 1:ud\n"
     "cmp (16|M0) (gt)f0.0 null<1>:ud r1.0<8;8,1>:ud 1000:ud {Switch}\n"
     "(f0.0) mov (16|M0) r10.0<1>:ud 1:ud\n" ENDS},
    {"values", 2, 2,
     "mov (16|M0) r10.0<1>:d -5:d\n"
     "add (16|M0) r12.0<1>:d r10.0<8;8,1>:d r3.0<0;1,0>:d\n" ENDS},
    {"bounds", 2, 1, OWN_PLACE OWN_VALUE "send (16|M0) null r10 $WRITE1\n" ENDS},
    {"bounds_read", 2, 1, "send (16|M0) r30 r1 $READ1\n" ENDS},
    {"object", 1, 1,
     "add (16|M0) r10.0<1>:ud r1.0<8;8,1>:ud 0x10000:ud\nsend (16|M0) r30 r10 $READ2\n" ENDS},
    {"object_ok", 1, 1,
     "add (16|M0) r10.0<1>:ud r1.0<8;8,1>:ud 0xff00:ud\nsend (16|M0) r30 r10 $READ2\n" ENDS},
    {"bounds_ok", 1, 1, OWN_PLACE OWN_VALUE "send (16|M0) null r10 $WRITE1\n" ENDS},
    {"unset", 1, 1, "add (16|M0) r10.0<1>:ud r50.0<8;8,1>:ud r1.0<8;8,1>:ud\n" ENDS},
    {"unset_ok", 1, 1,
     "mov (16|M0) r50.0<1>:ud 0:ud\n"
     "add (16|M0) r10.0<1>:ud r50.0<8;8,1>:ud r1.0<8;8,1>:ud\n" ENDS},
    /* Copies and NoMask pass on what was never written; only its use counts. */
    {"unset_passed", 1, 1,
     "(W) mov (16|M0) r52.0<1>:ud r50.0<8;8,1>:ud\n"
     "mov (16|M0) r54.0<1>:ud r52.0<8;8,1>:ud\n"
     "not (16|M0) r10.0<1>:ud r54.0<8;8,1>:ud\n" ENDS},
    {"unset_passed_ok", 1, 1,
     "(W) mov (16|M0) r52.0<1>:ud r50.0<8;8,1>:ud\n"
     "mov (16|M0) r10.0<1>:ud r52.0<8;8,1>:ud\n" ENDS},
    {"unset_flag", 1, 1, "(f1.0) mov (16|M0) r10.0<1>:ud r1.0<8;8,1>:ud\n" ENDS},
    {"unset_slm", 1, 1,
     SLM "send (16|M0) r30 r1 $SREAD\n"
         "not (16|M0) r32.0<1>:ud r30.0<8;8,1>:ud\n" ENDS},
    {"unset_slm_ok", 1, 1,
     SLM OWN_PLACE OWN_VALUE "send (16|M0) null r10 $SWRITE\n"
                             "send (16|M0) r30 r1 $SREAD\n"
                             "not (16|M0) r32.0<1>:ud r30.0<8;8,1>:ud\n" ENDS},
    /* Eight addresses of 64 bits are two registers; those of lanes that are off don't count. */
    {"unset_lanes", 1, 1,
     A64_ADDRESSES "90: (W) send (8|M0) r30 r20 $A64_READ\n"
                   "80: (W) send (8|M0) r30 r20 $A64_READ\n" ENDS},
    {"unset_lanes_ok", 1, 1,
     A64_ADDRESSES "90: (W) send (1|M0) r30 r20 $A64_READ\n"
                   "80: (W) send (1|M0) r30 r20 $A64_READ\n" ENDS},
    {"unset_scratch", 1, 1,
     "(W) send (8|M0) r30 r0 $SCRATCH_READ\n"
     "not (8|M0) r32.0<1>:ud r30.0<8;8,1>:ud\n" ENDS},
    {"unset_scratch_ok", 1, 1,
     "(W) mov (8|M0) r20.0<1>:ud r0.0<8;8,1>:ud\n"
     "(W) mov (8|M0) r21.0<1>:ud r1.0<8;8,1>:ud\n"
     "(W) send (8|M0) null r20 $SCRATCH_WRITE\n"
     "(W) send (8|M0) r30 r0 $SCRATCH_READ\n"
     "not (8|M0) r32.0<1>:ud r30.0<8;8,1>:ud\n" ENDS},
    {"race", 2, 1, ONE_PLACE OWN_VALUE "send (16|M0) null r10 $WRITE0\n" ENDS},
    {"race_ok", 2, 1, OWN_PLACE OWN_VALUE "send (16|M0) null r10 $WRITE0\n" ENDS},
    {"race_same_ok", 2, 1, ONE_PLACE ONE_VALUE "send (16|M0) null r10 $WRITE0\n" ENDS},
    {"race_groups", 1, 2,
     OWN_PLACE "mov (16|M0) r12.0<1>:ud r0.1<0;1,0>:ud\nsend (16|M0) null r10 $WRITE0\n" ENDS},
    {"order", 1, 16, /* the last group's number remains */
     OWN_PLACE "mov (16|M0) r12.0<1>:ud r0.1<0;1,0>:ud\nsend (16|M0) null r10 $WRITE0\n" ENDS},
    {"race_lanes", 1, 1,
     "mov (16|M0) r10.0<1>:ud 0:ud\n" OWN_VALUE "send (16|M0) null r10 $WRITE0\n" ENDS},
    {"race_lanes_ok", 1, 1,
     "mov (16|M0) r10.0<1>:ud 0:ud\n" ONE_VALUE "send (16|M0) null r10 $WRITE0\n" ENDS},
    {"race_block", 2, 1,
     "(W) mov (8|M0) r20.0<1>:ud 0:ud\n"
     "(W) mov (8|M0) r21.0<1>:ud r3.0<8;8,1>:ud\n"
     "(W) send (16|M0) null r20 $BLOCK_WRITE\n" ENDS},
    {"race_scratch", 2, 1, /* both in the space of the first thread */
     "(W) mov (8|M0) r20.0<1>:ud 0x05000000:ud\n"
     "(W) mov (8|M0) r21.0<1>:ud r3.0<8;8,1>:ud\n"
     "(W) send (8|M0) null r20 $SCRATCH_WRITE\n" ENDS},
    {"race_atomic_ok", 2, 2, "mov (16|M0) r10.0<1>:ud 0:ud\nsend (16|M0) null r10 $ATOMIC0\n" ENDS},
    {"race_slm", 2, 1,
     SLM OWN_PLACE OWN_VALUE "xor (16|M0) r14.0<1>:ud r1.0<8;8,1>:ud 64:ud\n"
                             "send (16|M0) null r10 $SWRITE\nsend (16|M0) r30 r14 $SREAD\n" ENDS},
    {"race_slm_ok", 2, 1,
     SLM OWN_PLACE OWN_VALUE "xor (16|M0) r14.0<1>:ud r1.0<8;8,1>:ud 64:ud\n"
                             "send (16|M0) null r10 $SWRITE\n" BARRIER
                             "send (16|M0) r30 r14 $SREAD\n" ENDS},
    {"diverge_end", 2, 1, SECOND_THREAD "80\n" BARRIER ENDS},
    {"diverge_two", 2, 1, SECOND_THREAD "96\n" BARRIER "(W) jmpi (1|M0) 80\n" BARRIER ENDS},
    {"diverge_lanes", 1, 1, /* the if leads over the barrier */
     "cmp (16|M0) (lt)f0.0 null<1>:ud r1.0<8;8,1>:ud 32:ud {Switch}\n"
     "(f0.0) if (16|M0) 80 80\n" BARRIER "endif (16|M0) 16\n" ENDS},
    {"diverge_lanes_ok", 1, 1,
     "cmp (16|M0) (lt)f0.0 null<1>:ud r1.0<8;8,1>:ud 64:ud {Switch}\n"
     "(f0.0) if (16|M0) 80 80\n" BARRIER "endif (16|M0) 16\n" ENDS},
    {"diverge_ok", 2, 1, SECOND_THREAD "16\n" BARRIER ENDS},
};

/* ---- messages by name ---- */

static const struct {
    const char *name;
    struct msg m;
} messages[] = {
    {"READ0", {.kind = MSG_untyped_read, .bti = 0}},
    {"READ2", {.kind = MSG_untyped_read, .bti = 2}},
    {"READ1", {.kind = MSG_untyped_read, .bti = 1}},
    {"WRITE0", {.kind = MSG_untyped_write, .bti = 0}},
    {"WRITE1", {.kind = MSG_untyped_write, .bti = 1}},
    {"SREAD", {.kind = MSG_untyped_read, .bti = MSG_BTI_SLM}},
    {"SWRITE", {.kind = MSG_untyped_write, .bti = MSG_BTI_SLM}},
    {"A64_READ", {.kind = MSG_a64_untyped_read, .simd = 8, .bti = MSG_BTI_STATELESS}},
    {"ATOMIC0", {.kind = MSG_untyped_atomic, .atomic = ATOMIC_INC}},
    {"BLOCK_WRITE", {.kind = MSG_oword_write, .header = true, .n_oword = 2}},
    {"SCRATCH_READ", {.kind = MSG_scratch_read, .header = true, .n_regs = 1, .dword_mode = true}},
    {"SCRATCH_WRITE", {.kind = MSG_scratch_write, .header = true, .n_regs = 1, .dword_mode = true}},
};

/* "0xSFID 0xDESCRIPTOR" of a name. */
static void message(const char *name, size_t n, char *out, size_t size)
{
    if (n == 7 && !memcmp(name, "BARRIER", n)) {
        snprintf(out, size, "0x3 0x02000004");
        return;
    }
    for (unsigned i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        struct msg m = messages[i].m;
        unsigned mlen = 0, rlen = 0;
        uint32_t desc = 0;
        uint8_t sfid = 0;
        const char *why = "?";
        if (strlen(messages[i].name) != n || memcmp(name, messages[i].name, n))
            continue;
        if (!m.simd)
            m.simd = 16;
        m.n_chan = 1;
        REQUIRE(msg_lengths(&m, &mlen, &rlen));
        m.mlen = (uint8_t)mlen;
        m.rlen = (uint8_t)rlen;
        if (!msg_pack(gen, &m, &desc, &sfid, &why)) {
            fprintf(stderr, "%s: %s\n", messages[i].name, why);
            exit(1);
        }
        snprintf(out, size, "0x%x 0x%08x", sfid, desc);
        return;
    }
    REQUIRE(!"known message");
}

static uint32_t assemble(const char *text, uint8_t *code)
{
    uint32_t size = 0;
    for (const char *p = text; *p;) {
        char line[256], expanded[sizeof line + 64];
        size_t n = strcspn(p, "\n");
        REQUIRE(n < sizeof line);
        memcpy(line, p, n);
        line[n] = 0;
        p += n + (p[n] == '\n');
        char *s = line, *dollar;
        if (s[2] == ':') {
            if (atoi(s) != gen)
                continue;
            s += 4;
        }
        if ((dollar = strchr(s, '$'))) {
            char desc[64];
            message(dollar + 1, strcspn(dollar + 1, " "), desc, sizeof desc);
            *dollar = 0;
            snprintf(expanded, sizeof expanded, "%s%s", s, desc);
            s = expanded;
        }
        struct eu_insn in;
        struct eu_bits bits;
        const char *why = "?";
        if (!eu_parse(gen, s, &in, &why) || !eu_encode(gen, &in, &bits, &why)) {
            fprintf(stderr, "%s: %s\n", s, why);
            exit(1);
        }
        memcpy(code + size, &bits, sizeof bits);
        size += sizeof bits;
    }
    return size;
}

/* ---- symbols ---- */

static void write_symbols(const char *which, const char *name, const uint8_t *code, uint32_t size)
{
    const char *dir = getenv("GPU_SYMBOLS_DIR");
    char path[4096];
    REQUIRE(dir);
    snprintf(path, sizeof path, "%s/%s-1.sym", dir, name);
    FILE *f = fopen(path, "we");
    REQUIRE(f);
    fprintf(f, "kernel %s\nsize %u\n", name, !strcmp(which, "bad") ? 0 : size);
    fprintf(f, "code %016llx\n", (unsigned long long)XXH64(code, size, 0));
    fprintf(f, "line 0 dir/%s.cl:3\nline 16 dir/%s.cl:7\nline 32 other.h:1\n", name, name);
    fclose(f);
}

/* ---- the batch ---- */

static uint32_t *out;

static uint32_t *put(enum cmd_id id)
{
    uint32_t *dw = out;
    cmd_init(gen, id, dw);
    out += cmd_length(gen, id);
    return dw;
}

static void set(uint32_t *dw, enum cmd_field f, uint64_t value)
{
    if (cmd_has_field(gen, f))
        cmd_set(gen, dw, f, value);
}

static void put_bases(void)
{
    uint32_t *dw = put(CMD_STATE_BASE_ADDRESS);
#define BASE(base, at)                                                                             \
    do {                                                                                           \
        set(dw, CMD_STATE_BASE_ADDRESS_##base##_modify, 1);                                        \
        set(dw, CMD_STATE_BASE_ADDRESS_##base##_base, at);                                         \
    } while (0)
#define SIZE(base)                                                                                 \
    do {                                                                                           \
        set(dw, CMD_STATE_BASE_ADDRESS_##base##_size_modify, 1);                                   \
        set(dw, CMD_STATE_BASE_ADDRESS_##base##_size, 0xfffff000);                                 \
        set(dw, CMD_STATE_BASE_ADDRESS_##base##_bound_modify, 1);                                  \
        set(dw, CMD_STATE_BASE_ADDRESS_##base##_bound, 0xfffff000);                                \
    } while (0)
    BASE(general, 0);
    BASE(surface, STATE_AT);
    BASE(dynamic, STATE_AT);
    BASE(indirect, STATE_AT);
    BASE(instruction, CODE_AT);
    SIZE(general);
    SIZE(dynamic);
    SIZE(indirect);
    SIZE(instruction);
#undef BASE
#undef SIZE
}

static void put_dispatch(const struct program *p)
{
    uint32_t bytes = CONSTANT_REGS * EU_GRF_SIZE * p->threads, *dw;
    dw = put(CMD_MEDIA_VFE_STATE);
    set(dw, CMD_MEDIA_VFE_STATE_gpgpu_mode, 1);
    set(dw, CMD_MEDIA_VFE_STATE_urb_entries, gen < 80 ? 0 : 2);
    set(dw, CMD_MEDIA_VFE_STATE_max_threads, dev->hw_threads - 1);
    set(dw, CMD_MEDIA_VFE_STATE_curbe_size, (bytes / EU_GRF_SIZE + 1) & ~1u);
    set(dw, CMD_MEDIA_VFE_STATE_scratch_size, (uint64_t)cmd_scratch_code(gen, SCRATCH_BYTES));
    set(dw, CMD_MEDIA_VFE_STATE_scratch_base, SCRATCH_AT);
    dw = put(CMD_MEDIA_CURBE_LOAD);
    set(dw, CMD_MEDIA_CURBE_LOAD_length, bytes);
    set(dw, CMD_MEDIA_CURBE_LOAD_address, CONSTANTS);
    dw = put(CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD);
    set(dw, CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD_length, 32);
    set(dw, CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD_address, DESCRIPTOR);
    dw = put(CMD_GPGPU_WALKER);
    set(dw, CMD_GPGPU_WALKER_thread_width_max, p->threads - 1);
    set(dw, CMD_GPGPU_WALKER_simd, 1);
    set(dw, CMD_GPGPU_WALKER_end_x, p->groups);
    set(dw, CMD_GPGPU_WALKER_end_y, 1);
    set(dw, CMD_GPGPU_WALKER_end_z, 1);
    set(dw, CMD_GPGPU_WALKER_right_mask, 0xffff);
    set(dw, CMD_GPGPU_WALKER_bottom_mask, 0xffffffff);
    put(CMD_MEDIA_STATE_FLUSH);
    dw = put(CMD_PIPE_CONTROL);
    dw[1] = 0x00100022;
    put(CMD_MI_BATCH_BUFFER_END);
}

static uint32_t make_batch(const struct program *p, uint32_t *batch)
{
    bool slm = strstr(p->text, "$S") && !strstr(p->text, "$SC");
    out = batch;
    *out++ = 0x11000001; /* MI_LOAD_REGISTER_IMM: the L3 split, with or without local memory */
    *out++ = gen < 80 ? 0xb020 : 0x7034;
    *out++ = gen < 80 ? (slm ? 0x020400a1 : 0x00880038) : slm ? 0x60000021 : 0x60000060;
    uint32_t *dw = put(CMD_PIPELINE_SELECT);
    set(dw, CMD_PIPELINE_SELECT_pipeline, CMD_PIPELINE_GPGPU);
    set(dw, CMD_PIPELINE_SELECT_mask, 3);
    put_bases();
    put_dispatch(p);
    return ((uint32_t)(out - batch) * 4 + 7) & ~7u;
}

static void make_state(const struct program *p, uint8_t *state)
{
    uint32_t *constants = (uint32_t *)(state + CONSTANTS);
    for (unsigned t = 0; t < p->threads; t++) {
        uint32_t *own = constants + t * CONSTANT_REGS * 8;
        for (unsigned i = 0; i < 16; i++)
            own[i] = 4 * (16 * t + i);
        own[16] = t;
    }
    uint32_t *d = (uint32_t *)(state + DESCRIPTOR);
    bool slm = strstr(p->text, "$S") && !strstr(p->text, "$SC");
    set(d, CMD_INTERFACE_DESCRIPTOR_binding_table, TABLE);
    set(d, CMD_INTERFACE_DESCRIPTOR_n_threads, p->threads);
    set(d, CMD_INTERFACE_DESCRIPTOR_slm_size, (uint64_t)cmd_slm_code(gen, slm ? 4096 : 0));
    set(d, CMD_INTERFACE_DESCRIPTOR_barrier, strstr(p->text, "$BARRIER") != NULL);
    set(d, CMD_INTERFACE_DESCRIPTOR_curbe_read_length, CONSTANT_REGS);
    for (unsigned i = 0; i < N_SURFACES; i++) {
        uint32_t *s = (uint32_t *)(state + SURFACE + i * SURFACE_STEP);
        ((uint32_t *)(state + TABLE))[i] = SURFACE + i * SURFACE_STEP;
        set(s, CMD_SURFACE_STATE_type, CMD_SURFACE_BUFFER);
        set(s, CMD_SURFACE_STATE_format, CMD_FORMAT_RAW);
        set(s, CMD_SURFACE_STATE_address, DATA_AT);
        cmd_set_buffer_elements(gen, s, i == 1 ? SMALL_SURFACE : i == 2 ? 2 * PAGES : PAGES);
    }
}

static void *object(struct drm_i915_gem_exec_object2 *o, uint64_t at, uint64_t size)
{
    struct drm_i915_gem_create c = {.size = size};
    struct drm_i915_gem_mmap m = {.size = size};
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GEM_CREATE, &c) == 0);
    m.handle = c.handle;
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GEM_MMAP, &m) == 0);
    *o = (struct drm_i915_gem_exec_object2){
        .handle = c.handle, .offset = at, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE};
    return (void *)(uintptr_t)m.addr_ptr;
}

/* Where the kernel puts what has no place of its own. */
static int place(void)
{
    struct drm_i915_gem_exec_object2 obj[2];
    object(&obj[0], 0, PAGES);
    uint32_t *batch = object(&obj[1], 0, PAGES);
    obj[0].flags = obj[1].flags = 0;
    batch[0] = 0x05000000; /* MI_BATCH_BUFFER_END */
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)obj,
                                          .buffer_count = 2,
                                          .batch_len = 8,
                                          .flags = I915_EXEC_RENDER};
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb) == 0);
    printf("%llx %llx\n", (long long)obj[0].offset, (long long)obj[1].offset);
    close(fd);
    return 0;
}

int main(int argc, char **argv)
{
    const struct program *p = programs, *end = programs + sizeof programs / sizeof programs[0];
    int id = 0;
    struct drm_i915_getparam param = {.param = I915_PARAM_CHIPSET_ID, .value = &id};
    struct drm_i915_gem_exec_object2 obj[5];
    REQUIRE(argc > 1);
    while (p < end && strcmp(p->name, argv[1]))
        p++;
    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0 && drmIoctl(fd, DRM_IOCTL_I915_GETPARAM, &param) == 0);
    dev = gen_device_by_id((uint16_t)id);
    REQUIRE(dev);
    gen = dev->gen;
    if (!strcmp(argv[1], "place"))
        return place();
    REQUIRE(p < end);
    const uint32_t *data = object(&obj[0], DATA_AT, PAGES);
    object(&obj[1], SCRATCH_AT, 512 * SCRATCH_BYTES);
    uint8_t *code = object(&obj[2], CODE_AT, PAGES);
    make_state(p, object(&obj[3], STATE_AT, PAGES));
    uint32_t *batch = object(&obj[4], BATCH_AT, PAGES);
    obj[4].flags &= ~(uint64_t)EXEC_OBJECT_WRITE;
    uint32_t size = assemble(p->text, code);
    if (argc > 2)
        write_symbols(argv[2], p->name, code, size);
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)obj,
                                          .buffer_count = 5,
                                          .batch_len = make_batch(p, batch),
                                          .flags = I915_EXEC_RENDER};
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb) == 0);
    struct drm_i915_gem_wait w = {.bo_handle = obj[4].handle, .timeout_ns = -1};
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GEM_WAIT, &w) == 0);
    struct drm_i915_reset_stats s = {.ctx_id = 0};
    REQUIRE(drmIoctl(fd, DRM_IOCTL_I915_GET_RESET_STATS, &s) == 0);
    close(fd);
    if (s.batch_active)
        puts("hung");
    else if (!strcmp(p->name, "order"))
        printf("%u\n", data[0]);
    return 0;
}
