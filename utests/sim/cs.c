/* The command streamer: for each rule a batch that it accepts and one that it rejects, on every
 * generation that has the rule. A batch is the shortest complete one (set-up, constants,
 * descriptor, walker over a kernel that only ends, completion tag), with one number changed or some
 * commands put in. */
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "gen/cmd.h"
#include "gen/eu.h"
#include "sim/hw/hw.h"
#include "utest.h"

enum {
    PAGE = 4096,
    BATCH_AT = 0x100000,
    BATCH_SIZE = 16 * PAGE,
    STATE_AT = 0x200000,
    STATE_SIZE = 16 * PAGE, /* descriptors, constants */
    CODE_AT = 0x300000,
    DATA_AT = 0x400000,
    SECOND_AT = 0x500000, /* another batch */
    INDIRECT_AT = 0x600000,
    DESCRIPTOR_OFFSET = 0x400,
    CONSTANT_OFFSET = 0x800,
    TAG = 0x7a67,
};

static struct sim_gpu *gpu;
static struct sim_vm *vm;
static const struct gen_device *dev;
static int gen;
static uint8_t *batch, *state, *code, *data, *second, *indirect;

/* ---- the numbers of a batch ---- */
enum number {
    PIPELINE,
    SBA_SKIP,
    SURFACE_SET,
    VFE_SKIP,
    VFE_GPGPU,
    VFE_ENTRIES,
    VFE_CURBE,
    VFE_SCRATCH,
    VFE_MMIO,
    CURBE_SKIP,
    CURBE_LENGTH,
    CURBE_OFFSET,
    DESC_SKIP,
    DESC_LENGTH,
    DESC_OFFSET,
    D_KERNEL,
    D_THREADS,
    D_SLM,
    D_BARRIER,
    D_CROSS,
    D_PER,
    D_READ_OFFSET,
    L3_SLM,
    W_INDEX,
    W_WIDTH,
    W_SIMD,
    W_RIGHT,
    W_BOTTOM,
    W_START_X,
    W_END_X,
    W_END_Y,
    W_INDIRECT,
    W_IND_LENGTH,
    W_IND_OFFSET,
    W_PREDICATE,
    N_NUMBERS
};

static const int64_t usual[N_NUMBERS] = {
    [PIPELINE] = CMD_PIPELINE_GPGPU,
    [SURFACE_SET] = 1,
    [VFE_GPGPU] = 1,
    [VFE_ENTRIES] = -1,
    [VFE_CURBE] = 8,
    [CURBE_LENGTH] = 256,
    [CURBE_OFFSET] = CONSTANT_OFFSET,
    [DESC_LENGTH] = 32,
    [DESC_OFFSET] = DESCRIPTOR_OFFSET,
    [D_THREADS] = 4,
    [D_PER] = 2,
    [W_WIDTH] = 3,
    [W_SIMD] = 1,
    [W_RIGHT] = 0xffff,
    [W_BOTTOM] = 0xffffffff,
    [W_END_X] = 2,
    [W_END_Y] = 1,
};

enum place { NOWHERE, FIRST, BEFORE_VFE, BEFORE_WALKER, AFTER_WALKER, AFTER_FLUSH };

struct row {
    const char *name;
    unsigned gens;
    const char *want; /* in the fault's text; NULL = accepted */
    struct {
        enum number n;
        int64_t value;
    } set[4]; /* changed numbers */
    unsigned n_set;
    enum place place;
    uint32_t words[24]; /* put in there */
    unsigned n_words;
};

enum { G70 = 1, G75 = 2, G80 = 4, G90 = 8, ALL = 15, NEW = G80 | G90, OLD = G70 | G75 };

#define COUNT(...)             (sizeof((uint32_t[]){__VA_ARGS__}) / 4)
#define WORDS(at, ...)         .place = at, .words = {__VA_ARGS__}, .n_words = COUNT(__VA_ARGS__)
#define SET1(a, x)             .set = {{a, x}}, .n_set = 1
#define SET2(a, x, b, y)       .set = {{a, x}, {b, y}}, .n_set = 2
#define SET3(a, x, b, y, c, z) .set = {{a, x}, {b, y}, {c, z}}, .n_set = 3
/* PIPE_CONTROL; its address and data follow in the generation's length. */
#define PC         0x7a00ffff
#define PC7(flags) PC, flags

static const struct row rows[] = {
    {"plain", ALL, NULL, .place = NOWHERE},

    /* ---- what a command is ---- */
    {"unknown type 1", ALL, "no such command", WORDS(FIRST, 0x20000000)},
    {"unknown type 7", ALL, "no such command", WORDS(FIRST, 0xe0000000)},
    {"unknown MI opcode", ALL, "no such command", WORDS(FIRST, 0x1f800000)},
    {"blitter command on the render engine", ALL, "another engine",
     WORDS(FIRST, 0x54000004, 0, 0, 0, 0, 0)},
    {"3D state is skipped", ALL, NULL, WORDS(FIRST, 0x790a0001, 0, 0)},
    {"draw", ALL, "3D draws", WORDS(FIRST, 0x7b000005, 0, 3, 0, 1, 0, 0)},
    {"draw of nothing", ALL, NULL, WORDS(FIRST, 0x7b000005, 1, 0, 0, 0, 0, 0)},
    {"short LRM", ALL, "dwords instead of", WORDS(FIRST, 0x14800000, 0x243c)},
    {"noops", ALL, NULL, WORDS(FIRST, 0, 0, 0x00000001)},

    /* ---- registers ---- */
    {"LRI", ALL, NULL, WORDS(FIRST, 0x11000003, 0x2400, 1, 0x2404, 2)},
    {"LRI with half a pair", ALL, "pairs", WORDS(FIRST, 0x11000002, 0x2400, 1, 0x2404)},
    {"LRI of no register", ALL, "not a register", WORDS(FIRST, 0x11000001, 0x80002400, 1)},
    {"SRM global", OLD, "global address space", WORDS(FIRST, 0x12400001, 0x2358, DATA_AT)},
    {"SRM global", NEW, "global address space", WORDS(FIRST, 0x12400002, 0x2358, DATA_AT, 0)},
    {"reserved bit", OLD, "reserved", WORDS(FIRST, 0x12000001, 0x80002358, DATA_AT)},
    {"reserved bit", NEW, "reserved", WORDS(FIRST, 0x12000002, 0x80002358, DATA_AT, 0)},
    {"unmapped store", OLD, "page fault", WORDS(FIRST, 0x10000002, 0, 0x700000, 1)},
    {"unmapped store", NEW, "page fault", WORDS(FIRST, 0x10000002, 0x700000, 0, 1)},
    {"mapped store", OLD, NULL, WORDS(FIRST, 0x10000002, 0, DATA_AT + 64, 1)},
    {"mapped store", NEW, NULL, WORDS(FIRST, 0x10000002, DATA_AT + 64, 0, 1)},
    {"qword bit without the length", NEW, "disagree", WORDS(FIRST, 0x10200002, DATA_AT + 64, 0, 1)},
    {"qword store", NEW, NULL, WORDS(FIRST, 0x10200003, DATA_AT + 64, 0, 1, 2)},
    {"misaligned qword store", NEW, "multiple of 8",
     WORDS(FIRST, 0x10200003, DATA_AT + 68, 0, 1, 2)},
    {"SRM of a hidden register", OLD, "command parser",
     WORDS(FIRST, 0x12000001, 0x2080, DATA_AT + 64)},
    {"user interrupt", OLD, "privileged", WORDS(FIRST, 0x01000000)},
    {"user interrupt", NEW, NULL, WORDS(FIRST, 0x01000000)},
    {"set context", ALL, "privileged", WORDS(FIRST, 0x0c000000, 0)},

    {"L3 atomics on", G75, NULL,
     WORDS(FIRST, 0x11000001, 0xb038, 0, 0x11000001, 0xe49c, 0x00400000)},
    {"L3 atomics, other bits", G75, "command parser", WORDS(FIRST, 0x11000001, 0xb038, 0x08000001)},
    {"L3 atomics, other bits", G75, "command parser", WORDS(FIRST, 0x11000001, 0xe49c, 0x00410000)},
    {"L3 split of 80 ways", OLD, "64 ways", WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x04880038)},
    {"L3 split of 64 ways", OLD, NULL, WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x00880038)},
    {"L3 split without data", OLD, "no data", WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x00080040)},
    {"L3 split without data, told", OLD, NULL,
     WORDS(BEFORE_WALKER, 0x11000003, 0xb010, 0x01730000, 0xb020, 0x00080040)},
    {"L3 SLM without low bandwidth", OLD, "low-bandwidth",
     WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x02040021)},
    {"L3 split of 112 ways", NEW, "96 ways", WORDS(BEFORE_WALKER, 0x11000001, 0x7034, 0x80000060)},
    {"L3 split without data", NEW, "no data", WORDS(BEFORE_WALKER, 0x11000001, 0x7034, 0x00000060)},

    /* ---- batches ---- */
    {"chain", OLD, "command parser", WORDS(FIRST, 0x18800100, SECOND_AT)},
    {"second level", G75, NULL, WORDS(FIRST, 0x18c00100, SECOND_AT)},
    {"second level", NEW, NULL, WORDS(FIRST, 0x18c00101, SECOND_AT, 0)},
    {"global jump", NEW, "privileged", WORDS(FIRST, 0x18c00001, SECOND_AT, 0)},
    {"jump to nowhere", NEW, "page fault", WORDS(FIRST, 0x18800101, 0x700000, 0)},

    /* ---- PIPE_CONTROL ---- */
    {"P1 lone CS stall", OLD, "P1", WORDS(FIRST, PC7(0x00100000))},
    {"P1 lone CS stall only warns", G80, NULL, WORDS(FIRST, PC7(0x00100000))},
    {"P1 lone CS stall", G90, NULL, WORDS(FIRST, PC7(0x00100000))},
    {"P1 companion", ALL, NULL, WORDS(FIRST, PC7(0x00100002))},
    {"P1 observed exception", OLD, NULL, WORDS(FIRST, PC7(0x00100200))},
    {"P2 four without stall", G70, "P2", WORDS(FIRST, PC7(0x20), PC7(0x20), PC7(0x20), PC7(0x20))},
    {"P2 three without stall", G70, NULL,
     WORDS(FIRST, PC7(0x20), PC7(0x20), PC7(0x20), PC7(0x00100020))},
    {"P3 state invalidate after a walker", OLD | G80, "P3", WORDS(AFTER_WALKER, PC7(0x00000004))},
    {"P3 with the stall", OLD | G80, NULL, WORDS(AFTER_FLUSH, PC7(0x00100020), PC7(0x00100c0e))},
    {"P4 flush and invalidate in one", G75, "P4", WORDS(AFTER_FLUSH, PC7(0x00101420))},
    {"P4 flush, then invalidate", G75, NULL, WORDS(AFTER_FLUSH, PC7(0x00100020), PC7(0x00101400))},
    {"flush and invalidate in one", G70 | NEW, NULL, WORDS(AFTER_FLUSH, PC7(0x00101420))},
    {"P5 flush without stall", G80, "P5", WORDS(AFTER_FLUSH, PC7(0x20))},
    {"P5 with the stall", G80, NULL, WORDS(AFTER_FLUSH, PC7(0x00100020))},
    {"P6 post-sync alone", G90, "P6", WORDS(AFTER_FLUSH, PC, 0x0010c000, DATA_AT + 64)},
    {"P6 after a stall", G90, NULL,
     WORDS(AFTER_FLUSH, PC7(0x00100000), PC, 0x0010c000, DATA_AT + 64)},
    {"P6 not immediately, but drained", G90, NULL,
     WORDS(AFTER_FLUSH, PC7(0x00100000), 0x11000001, 0x2600, 0, PC, 0x0010c000, DATA_AT + 64)},
    {"P7 texture invalidate without stall", G90, "P7", WORDS(AFTER_FLUSH, PC7(0x400))},
    {"P7 with the stall", G90, NULL, WORDS(AFTER_FLUSH, PC7(0x00100400))},
    {"P7 stalled before", G90, NULL, WORDS(AFTER_FLUSH, PC7(0x00100020), PC7(0x400))},
    {"P8 TLB without stall", ALL, "P8", WORDS(FIRST, PC7(0x00040000))},
    {"P9 time stamp with scoreboard stall", ALL, "P9",
     WORDS(FIRST, PC7(0x00100002), PC, 0x0010c002, DATA_AT)},
    {"P10 snapshot reset", ALL, "P10", WORDS(FIRST, PC7(0x00180002))},
    {"P11 state clear without stall", ALL, "P11", WORDS(FIRST, PC7(0x00010000))},
    {"P13 LLC flush alone", G90, "P13", WORDS(FIRST, PC7(0x04000000))},
    {"P14 depth stall with flush", G70, "P14", WORDS(FIRST, PC7(0x00102001))},
    {"P15 scoreboard stall with flush", ALL, "P15", WORDS(FIRST, PC7(0x00101002))},
    {"notify", OLD, "command parser", WORDS(FIRST, PC7(0x00100102))},
    {"notify", NEW, NULL, WORDS(FIRST, PC7(0x00100102))},
    {"global post-sync", NEW, "global", WORDS(FIRST, PC7(0x00100002), PC, 0x01104000, DATA_AT)},
    {"post-sync to nowhere", ALL, "page fault",
     WORDS(FIRST, PC7(0x00100002), PC, 0x00104000, 0x700000)},

    /* ---- order ---- */
    {"constants after a walker without flush", ALL, "MEDIA_STATE_FLUSH",
     WORDS(AFTER_WALKER, 0x70010002, 0, 64, CONSTANT_OFFSET)},
    {"constants after the flush", ALL, NULL,
     WORDS(AFTER_FLUSH, 0x70010002, 0, 64, CONSTANT_OFFSET)},
    {"descriptor after a walker without flush", ALL, "MEDIA_STATE_FLUSH",
     WORDS(AFTER_WALKER, 0x70020002, 0, 32, DESCRIPTOR_OFFSET)},
    {"pipeline change after a walker", OLD | G80, "PIPE_CONTROL with CS stall",
     WORDS(AFTER_WALKER, 0x69040000)},
    {"pipeline change after a walker", G90, "PIPE_CONTROL with CS stall",
     WORDS(AFTER_WALKER, 0x69040300)},
    {"pipeline change, drained", OLD | G80, NULL,
     WORDS(AFTER_WALKER, PC7(0x00100020), 0x69040000, 0x69040002)},
    {"L3 after a walker", OLD, "L3 split", WORDS(AFTER_WALKER, 0x11000001, 0xb020, 0x00880038)},
    {"L3 after a walker", NEW, "L3 split", WORDS(AFTER_WALKER, 0x11000001, 0x7034, 0x60000060)},
    {"L3 dirty", NEW, "dirty",
     WORDS(AFTER_WALKER, PC7(0x00100002), 0x11000001, 0x7034, 0x60000060)},
    {"L3 drained", NEW, NULL, WORDS(AFTER_WALKER, PC7(0x00100020), 0x11000001, 0x7034, 0x60000060)},

    /* ---- media state ---- */
    {"no pipeline", ALL, "PIPELINE_SELECT", SET1(PIPELINE, CMD_PIPELINE_3D)},
    {"media pipeline", ALL, "PIPELINE_SELECT", SET1(PIPELINE, CMD_PIPELINE_MEDIA)},
    {"no bases", ALL, "base", SET1(SBA_SKIP, 1)},
    {"no surface base", ALL, "STATE_BASE_ADDRESS", SET1(SURFACE_SET, 0)},
    {"no VFE", ALL, "MEDIA_VFE_STATE", SET1(VFE_SKIP, 1)},
    {"VFE not GPGPU", OLD, "GPGPU mode", SET1(VFE_GPGPU, 0)},
    {"URB entries in GPGPU mode", OLD, "URB entries", SET1(VFE_ENTRIES, 1)},
    {"no URB entries", NEW, "URB entries", SET1(VFE_ENTRIES, 0)},
    {"odd CURBE", ALL, "odd", SET1(VFE_CURBE, 9)},
    {"large CURBE", ALL, "CURBE allocation", SET1(VFE_CURBE, 2018)},
    {"scratch code 12", G70 | NEW, "scratch", SET1(VFE_SCRATCH, 12)},
    {"scratch code 11", G70 | NEW, NULL, SET1(VFE_SCRATCH, 11)},
    {"gateway MMIO", G70, "command parser", SET1(VFE_MMIO, 1)},
    {"constants beyond the allocation", ALL, "allocated", SET1(CURBE_LENGTH, 288)},
    {"constants of 40 bytes", ALL, "32-byte registers", SET1(CURBE_LENGTH, 40)},
    {"no constants", ALL, "32-byte registers", SET1(CURBE_LENGTH, 0)},
    {"constants at an odd place", ALL, "multiple of 32", SET1(CURBE_OFFSET, CONSTANT_OFFSET + 16)},
    {"constants at half a line", ALL, NULL, SET1(CURBE_OFFSET, CONSTANT_OFFSET + 32)},
    {"constants from nowhere", ALL, "page fault", SET1(CURBE_OFFSET, STATE_SIZE)},
    {"constants not loaded", ALL, "MEDIA_CURBE_LOAD", SET1(CURBE_SKIP, 1)},
    {"descriptor of 40 bytes", ALL, "32-byte descriptors", SET1(DESC_LENGTH, 40)},
    {"descriptor at 32", ALL, "multiple of 64", SET1(DESC_OFFSET, DESCRIPTOR_OFFSET + 32)},
    {"no descriptor", ALL, "MEDIA_INTERFACE_DESCRIPTOR_LOAD", SET1(DESC_SKIP, 1)},

    /* ---- the walker ---- */
    {"descriptor beyond the block", ALL, "descriptor 1; 1 are loaded", SET1(W_INDEX, 1)},
    {"descriptor of a block", ALL, NULL, SET2(W_INDEX, 1, DESC_LENGTH, 64)},
    {"SIMD size 3", ALL, "SIMD", SET1(W_SIMD, 3)},
    {"SIMD 32", ALL, NULL, SET1(W_SIMD, 2)},
    {"empty right mask", ALL, "right mask", SET1(W_RIGHT, 0xffff0000)},
    {"empty bottom mask", ALL, "bottom mask", SET1(W_BOTTOM, 0)},
    {"thread counts disagree", ALL, "threads in a group", SET1(D_THREADS, 3)},
    {"no thread count", OLD, NULL, SET1(D_THREADS, 0)},
    {"no thread count", NEW, "threads in a group", SET1(D_THREADS, 0)},
    {"no thread count with barrier", OLD, "threads in a group",
     SET3(D_THREADS, 0, D_BARRIER, 1, L3_SLM, 1)},
    {"64 threads", ALL, NULL, SET3(W_WIDTH, 15, D_THREADS, 16, D_PER, 0)},
    {"constants for fewer threads", ALL, "bytes of constants", SET2(W_WIDTH, 4, D_THREADS, 5)},
    {"constants past the end", ALL, "bytes of constants", SET1(D_READ_OFFSET, 1)},
    {"cross-thread constants", G75 | NEW, NULL, SET2(D_CROSS, 4, D_PER, 1)},
    {"cross-thread constants past the end", G75 | NEW, "bytes of constants",
     SET2(D_CROSS, 5, D_PER, 1)},
    {"SLM without an L3 part for it", NEW, "L3 split", SET1(D_SLM, 1)},
    {"SLM and barrier without L3", OLD, "L3 split", SET2(D_SLM, 1, D_BARRIER, 1)},
    {"SLM with it", ALL, NULL, SET3(D_SLM, 1, D_BARRIER, 1, L3_SLM, 1)},
    {"SLM code 3", OLD | G80, "SLM size", SET2(D_SLM, 3, L3_SLM, 1)},
    {"SLM code 3", G90, NULL, SET2(D_SLM, 3, L3_SLM, 1)},
    {"SLM code 8", G90, "SLM size", SET2(D_SLM, 8, L3_SLM, 1)},
    {"no groups", OLD, "empty range", SET1(W_END_X, 0)},
    {"no groups", NEW, NULL, SET1(W_END_X, 0)},
    {"groups from 1", ALL, NULL, SET1(W_START_X, 1)},
    {"kernel nowhere", ALL, "", SET1(D_KERNEL, 0x10000)},
    {"indirect data", NEW, NULL, SET3(W_IND_LENGTH, 256, D_CROSS, 0, CURBE_SKIP, 1)},
    {"too little indirect data", NEW, "the threads read", SET1(W_IND_LENGTH, 192)},
    {"indirect data of 257 bytes", NEW, "multiple of 64", SET1(W_IND_LENGTH, 288)},
    {"indirect cross-thread data alone", NEW, "alone",
     SET3(W_IND_LENGTH, 256, D_CROSS, 8, D_PER, 0)},
    {"indirect data from nowhere", NEW, "page fault",
     SET2(W_IND_LENGTH, 256, W_IND_OFFSET, 0x100000)},
};

/* ---- building ---- */
static uint32_t *out;

static uint32_t *put(enum cmd_id id)
{
    uint32_t *dw = out;
    cmd_init(gen, id, dw);
    out += cmd_length(gen, id);
    return dw;
}

static void put_pc(uint32_t flags, uint32_t address, uint32_t immediate)
{
    uint32_t *dw = put(CMD_PIPE_CONTROL);
    dw[1] = flags;
    dw[2] = address;
    dw[gen < 80 ? 3 : 4] = immediate;
}

/* A row's words; PC becomes PIPE_CONTROL in the generation's length. The word after the flags is an
 * address only if a post-sync operation wants one. */
static void put_words(const struct row *r, enum place place)
{
    if (r->place != place)
        return;
    for (unsigned i = 0; i < r->n_words; i++) {
        if (r->words[i] != PC) {
            *out++ = r->words[i];
            continue;
        }
        uint32_t flags = r->words[++i];
        put_pc(flags, flags >> 14 & 3 ? r->words[++i] : 0, 0);
    }
}

static void set(uint32_t *dw, enum cmd_field f, uint64_t value)
{
    if (cmd_has_field(gen, f))
        cmd_set(gen, dw, f, value);
}

static void put_state(const int64_t *n)
{
    uint32_t *dw;
    uint32_t l3 = n[L3_SLM] ? 0x60000021 : 0x60000060, l3_old = n[L3_SLM] ? 0x020400a1 : 0x00880038;
    *out++ = 0x11000001;
    *out++ = gen < 80 ? 0xb020 : 0x7034;
    *out++ = gen < 80 ? l3_old : l3;
    dw = put(CMD_PIPELINE_SELECT);
    set(dw, CMD_PIPELINE_SELECT_pipeline, n[PIPELINE]);
    set(dw, CMD_PIPELINE_SELECT_mask, 3);
    if (n[SBA_SKIP])
        return;
    dw = put(CMD_STATE_BASE_ADDRESS);
    set(dw, CMD_STATE_BASE_ADDRESS_general_modify, 1);
    set(dw, CMD_STATE_BASE_ADDRESS_surface_modify, n[SURFACE_SET]);
    set(dw, CMD_STATE_BASE_ADDRESS_surface_base, STATE_AT);
    set(dw, CMD_STATE_BASE_ADDRESS_dynamic_modify, 1);
    set(dw, CMD_STATE_BASE_ADDRESS_dynamic_base, STATE_AT);
    set(dw, CMD_STATE_BASE_ADDRESS_indirect_modify, 1);
    set(dw, CMD_STATE_BASE_ADDRESS_indirect_base, INDIRECT_AT);
    set(dw, CMD_STATE_BASE_ADDRESS_instruction_modify, 1);
    set(dw, CMD_STATE_BASE_ADDRESS_instruction_base, CODE_AT);
    static const enum cmd_field flags[] = {
        CMD_STATE_BASE_ADDRESS_general_size_modify, CMD_STATE_BASE_ADDRESS_dynamic_size_modify,
        CMD_STATE_BASE_ADDRESS_indirect_size_modify, CMD_STATE_BASE_ADDRESS_instruction_size_modify,
        CMD_STATE_BASE_ADDRESS_dynamic_bound_modify};
    static const enum cmd_field sizes[] = {
        CMD_STATE_BASE_ADDRESS_general_size, CMD_STATE_BASE_ADDRESS_dynamic_size,
        CMD_STATE_BASE_ADDRESS_indirect_size, CMD_STATE_BASE_ADDRESS_instruction_size,
        CMD_STATE_BASE_ADDRESS_dynamic_bound};
    for (unsigned i = 0; i < 5; i++) {
        set(dw, flags[i], 1);
        set(dw, sizes[i], 0xfffff000);
    }
}

static void put_dispatch(const struct row *r, const int64_t *n)
{
    uint32_t *dw;
    put_words(r, BEFORE_VFE);
    if (!n[VFE_SKIP]) {
        dw = put(CMD_MEDIA_VFE_STATE);
        set(dw, CMD_MEDIA_VFE_STATE_gpgpu_mode, n[VFE_GPGPU]);
        set(dw, CMD_MEDIA_VFE_STATE_urb_entries,
            n[VFE_ENTRIES] >= 0 ? n[VFE_ENTRIES]
            : gen < 80          ? 0
                                : 2);
        set(dw, CMD_MEDIA_VFE_STATE_max_threads, dev->hw_threads - 1);
        set(dw, CMD_MEDIA_VFE_STATE_curbe_size, n[VFE_CURBE]);
        set(dw, CMD_MEDIA_VFE_STATE_scratch_size, n[VFE_SCRATCH]);
        set(dw, CMD_MEDIA_VFE_STATE_gateway_mmio, n[VFE_MMIO]);
    }
    if (!n[CURBE_SKIP]) {
        dw = put(CMD_MEDIA_CURBE_LOAD);
        set(dw, CMD_MEDIA_CURBE_LOAD_length, n[CURBE_LENGTH]);
        set(dw, CMD_MEDIA_CURBE_LOAD_address, n[CURBE_OFFSET]);
    }
    if (!n[DESC_SKIP]) {
        dw = put(CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD);
        set(dw, CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD_length, n[DESC_LENGTH]);
        set(dw, CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD_address, n[DESC_OFFSET]);
    }
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *d = (uint32_t *)(state + DESCRIPTOR_OFFSET + 32 * i);
        memset(d, 0, 32);
        set(d, CMD_INTERFACE_DESCRIPTOR_kernel, n[D_KERNEL]);
        set(d, CMD_INTERFACE_DESCRIPTOR_n_threads, n[D_THREADS]);
        set(d, CMD_INTERFACE_DESCRIPTOR_slm_size, n[D_SLM]);
        set(d, CMD_INTERFACE_DESCRIPTOR_barrier, n[D_BARRIER]);
        set(d, CMD_INTERFACE_DESCRIPTOR_cross_thread_length, n[D_CROSS]);
        set(d, CMD_INTERFACE_DESCRIPTOR_curbe_read_length, n[D_PER]);
        set(d, CMD_INTERFACE_DESCRIPTOR_curbe_read_offset, n[D_READ_OFFSET]);
    }
    put_words(r, BEFORE_WALKER);
    dw = put(CMD_GPGPU_WALKER);
    set(dw, CMD_GPGPU_WALKER_predicate, n[W_PREDICATE]);
    set(dw, CMD_GPGPU_WALKER_indirect_parameter, n[W_INDIRECT]);
    set(dw, CMD_GPGPU_WALKER_descriptor_index, n[W_INDEX]);
    set(dw, CMD_GPGPU_WALKER_thread_width_max, n[W_WIDTH]);
    set(dw, CMD_GPGPU_WALKER_simd, n[W_SIMD]);
    set(dw, CMD_GPGPU_WALKER_start_x, n[W_START_X]);
    set(dw, CMD_GPGPU_WALKER_end_x, n[W_END_X]);
    set(dw, CMD_GPGPU_WALKER_end_y, n[W_END_Y]);
    set(dw, CMD_GPGPU_WALKER_end_z, 1);
    set(dw, CMD_GPGPU_WALKER_right_mask, n[W_RIGHT]);
    set(dw, CMD_GPGPU_WALKER_bottom_mask, n[W_BOTTOM]);
    set(dw, CMD_GPGPU_WALKER_indirect_length, n[W_IND_LENGTH]);
    set(dw, CMD_GPGPU_WALKER_indirect_address, n[W_IND_OFFSET]);
    put_words(r, AFTER_WALKER);
    put(CMD_MEDIA_STATE_FLUSH);
}

static void put_end(void)
{
    put_pc(0x00100022, 0, 0);
    put_pc(0x00104000, DATA_AT, TAG);
    put(CMD_MI_BATCH_BUFFER_END);
}

static void build(const struct row *r)
{
    int64_t n[N_NUMBERS];
    memcpy(n, usual, sizeof n);
    for (unsigned i = 0; i < r->n_set; i++)
        n[r->set[i].n] = r->set[i].value;
    out = (uint32_t *)batch;
    put_words(r, FIRST);
    put_state(n);
    put_dispatch(r, n);
    put_words(r, AFTER_FLUSH);
    put_end();
}

static bool run(struct sim_context *ctx, struct sim_fault *fault)
{
    static volatile int stop;
    *fault = (struct sim_fault){.set = false};
    return sim_run_batch(ctx, vm, 0, BATCH_AT, &stop, fault);
}

static void test_rows(unsigned bit)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if (!(r->gens & bit))
            continue;
        struct sim_context *ctx = sim_context_new(gpu);
        struct sim_fault fault;
        memset(data, 0, PAGE);
        build(r);
        bool ok = run(ctx, &fault);
        if (r->want) {
            CHECKF(!ok && fault.set && strstr(fault.text, r->want), "%s: %s: %s", dev->name,
                   r->name, ok ? "accepted" : fault.text);
        } else {
            CHECKF(ok && !fault.set, "%s: %s: rejected: %s", dev->name, r->name, fault.text);
            CHECKF(*(uint64_t *)data == TAG, "%s: %s: no tag", dev->name, r->name);
        }
        sim_context_free(ctx);
    }
}

/* ---- effects ---- */
static uint32_t data_dw(unsigned i)
{
    return ((uint32_t *)data)[i];
}

static void put_srm(uint32_t reg, unsigned dw)
{
    uint32_t *p = put(CMD_MI_STORE_REGISTER_MEM);
    set(p, CMD_MI_STORE_REGISTER_MEM_register, reg);
    set(p, CMD_MI_STORE_REGISTER_MEM_address, DATA_AT + 4 * dw);
}

static void put_lri(uint32_t reg, uint32_t value)
{
    *out++ = 0x11000001;
    *out++ = reg;
    *out++ = value;
}

static void test_effects(void)
{
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    memset(data, 0, PAGE);
    out = (uint32_t *)batch;

    /* Time stamps: one clock, in ticks of the device. */
    put_pc(0x00100002, 0, 0);
    put_pc(0x0010c000, DATA_AT + 8, 0);
    put_srm(REG_TIMESTAMP, 4);
    /* Bit 2 of the address is ignored. */
    put_pc(0x00100002, 0, 0);
    put_pc(0x00104000, DATA_AT + 36, 0x1357);
    /* A predicated walker with zero groups, by the sequence that Mesa uses for indirect dispatch.
     */
    put_lri(REG_PREDICATE_SRC0, 0);
    put_lri(REG_PREDICATE_SRC0 + 4, 0);
    put_lri(REG_PREDICATE_SRC1, 0);
    put_lri(REG_PREDICATE_SRC1 + 4, 0);
    *out++ = 0x06000082; /* set: x == 0 */
    put_lri(REG_PREDICATE_SRC0, 5);
    *out++ = 0x06000092; /* or y == 0 */
    *out++ = 0x060000d1; /* inverted */
    int64_t n[N_NUMBERS];
    memcpy(n, usual, sizeof n);
    n[W_PREDICATE] = 1;
    n[W_END_X] = 0;
    const struct row none = {.name = "effects"};
    put_state(n);
    put_dispatch(&none, n);
    /* Now with the predicate on, and the counts from registers. */
    *out++ = 0x06000080; /* set: true */
    put_lri(REG_DISPATCH_X, 3);
    put_lri(REG_DISPATCH_Y, 2);
    put_lri(REG_DISPATCH_Z, 1);
    put_srm(REG_INVOCATIONS, 10);
    n[W_INDIRECT] = 1;
    put_pc(0x00100022, 0, 0);
    put_dispatch(&none, n);
    put_srm(REG_INVOCATIONS, 11);
    put_end();
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    uint64_t before = sim_clock(gpu);
    bool ok = run(ctx, &fault);
    uint64_t after = sim_clock(gpu);
    clock_gettime(CLOCK_MONOTONIC, &b);
    CHECKF(ok, "%s: %s", dev->name, fault.text);
    uint64_t stamp = *(uint64_t *)(data + 8);
    CHECK(before <= stamp && stamp <= data_dw(4) && data_dw(4) <= after);
    double seconds = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) * 1e-9;
    CHECKF((after - before) <= seconds * dev->timestamp_hz + 2, "%llu ticks in %f s",
           (unsigned long long)(after - before), seconds);
    CHECK(data_dw(8) == 0x1357 && data_dw(9) == 0 && data_dw(10) == 0);
    CHECKF(data_dw(11) == 3 * 2 * 4, "%u threads", data_dw(11));

    /* Registers and state outlive the batch. */
    out = (uint32_t *)batch;
    put_srm(REG_DISPATCH_X, 20);
    memcpy(n, usual, sizeof n);
    n[VFE_SKIP] = n[CURBE_SKIP] = n[DESC_SKIP] = 1;
    put_dispatch(&none, n);
    put_end();
    CHECKF(run(ctx, &fault), "%s", fault.text);
    CHECK(data_dw(20) == 3);
    sim_context_free(ctx);
}

/* MI_MATH, copies, atomics, semaphores, second level batches. */
static void test_mi(void)
{
    if (gen < 75)
        return;
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    memset(data, 0, PAGE);
    out = (uint32_t *)batch;
    put_lri(REG_GPR0, 0xfffffff0);
    put_lri(REG_GPR0 + 4, 1);
    put_lri(REG_GPR0 + 8, 0x20);
    put_lri(REG_GPR0 + 12, 0);
    *out++ = 0x0d000007; /* 9 dwords */
    *out++ = 0x08008000; /* load srca, r0 */
    *out++ = 0x08008401; /* load srcb, r1 */
    *out++ = 0x10000000; /* add */
    *out++ = 0x18000831; /* store r2, accu */
    *out++ = 0x18000c33; /* store r3, cf */
    *out++ = 0x10100000; /* sub */
    *out++ = 0x18001031; /* store r4, accu */
    *out++ = 0x18001432; /* store r5, zf */
    put_srm(REG_GPR0 + 16, 0);
    put_srm(REG_GPR0 + 20, 1);
    put_srm(REG_GPR0 + 24, 2);
    put_srm(REG_GPR0 + 32, 3);
    put_srm(REG_GPR0 + 36, 4);
    put_srm(REG_GPR0 + 40, 5);
    *out++ = 0x15000001; /* LRR */
    *out++ = REG_GPR0 + 16;
    *out++ = REG_GPR0 + 64;
    put_srm(REG_GPR0 + 64, 6);
    /* A called batch stores, returns. */
    uint32_t *dw = put(CMD_MI_BATCH_BUFFER_START);
    set(dw, CMD_MI_BATCH_BUFFER_START_ppgtt, 1);
    set(dw, CMD_MI_BATCH_BUFFER_START_second_level, 1);
    set(dw, CMD_MI_BATCH_BUFFER_START_address, SECOND_AT);
    put_srm(REG_GPR0 + 72, 7);
    uint32_t *here = out;
    out = (uint32_t *)second;
    put_lri(REG_GPR0 + 72, 0x2bad);
    put(CMD_MI_BATCH_BUFFER_END);
    out = here;
    if (gen >= 80) {
        dw = put(CMD_MI_COPY_MEM_MEM);
        set(dw, CMD_MI_COPY_MEM_MEM_destination, DATA_AT + 32);
        set(dw, CMD_MI_COPY_MEM_MEM_source, DATA_AT);
        *out++ = 0x17840701 + 8; /* atomic add, inline data, 11 dwords */
        *out++ = DATA_AT + 36;
        *out++ = 0;
        *out++ = 77;
        for (unsigned i = 0; i < 7; i++)
            *out++ = 0;
        *out++ = 0x0e00c002; /* wait until memory == data */
        *out++ = 77;
        *out++ = DATA_AT + 36;
        *out++ = 0;
    }
    put_end();
    CHECKF(run(ctx, &fault), "%s: %s", dev->name, fault.text);
    /* 0x1fffffff0 + 0x20 and - 0x20. */
    CHECKF(data_dw(1) == 2 || data_dw(0) == TAG, "%x %x", data_dw(0), data_dw(1));
    CHECK(data_dw(2) == 0 && data_dw(3) == 0xffffffd0 && data_dw(4) == 1 && data_dw(5) == 0);
    CHECKF(data_dw(6) == 0x10, "%x", data_dw(6));
    CHECK(data_dw(7) == 0x2bad);
    if (gen >= 80)
        CHECK(data_dw(8) == 0x10 && data_dw(9) == 77);
    sim_context_free(ctx);
}

/* The copy engine fills and copies rectangles. */
static void test_blit(void)
{
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault = {.set = false};
    static volatile int stop;
    memset(data, 0, PAGE);
    out = (uint32_t *)batch;
    uint32_t *dw = put(CMD_XY_COLOR_BLT);
    set(dw, CMD_XY_COLOR_BLT_write_rgb, 1);
    set(dw, CMD_XY_COLOR_BLT_write_alpha, 1);
    set(dw, CMD_XY_COLOR_BLT_rop, 0xf0);
    set(dw, CMD_XY_COLOR_BLT_color_depth, 3);
    set(dw, CMD_XY_COLOR_BLT_dst_pitch, 64);
    set(dw, CMD_XY_COLOR_BLT_dst_x1, 2);
    set(dw, CMD_XY_COLOR_BLT_dst_y1, 1);
    set(dw, CMD_XY_COLOR_BLT_dst_x2, 5);
    set(dw, CMD_XY_COLOR_BLT_dst_y2, 3);
    set(dw, CMD_XY_COLOR_BLT_dst_address, DATA_AT);
    set(dw, CMD_XY_COLOR_BLT_color, 0x11223344);
    dw = put(CMD_XY_SRC_COPY_BLT);
    set(dw, CMD_XY_SRC_COPY_BLT_write_rgb, 1);
    set(dw, CMD_XY_SRC_COPY_BLT_write_alpha, 1);
    set(dw, CMD_XY_SRC_COPY_BLT_rop, 0xcc);
    set(dw, CMD_XY_SRC_COPY_BLT_color_depth, 3);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_pitch, 32);
    set(dw, CMD_XY_SRC_COPY_BLT_src_pitch, 64);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_x2, 4);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_y2, 3);
    set(dw, CMD_XY_SRC_COPY_BLT_src_x1, 1);
    set(dw, CMD_XY_SRC_COPY_BLT_dst_address, DATA_AT + 1024);
    set(dw, CMD_XY_SRC_COPY_BLT_src_address, DATA_AT);
    dw = put(CMD_MI_FLUSH_DW);
    set(dw, CMD_MI_FLUSH_DW_post_sync, 1);
    set(dw, CMD_MI_FLUSH_DW_address, DATA_AT + 2048);
    set(dw, CMD_MI_FLUSH_DW_immediate, 0x99);
    put(CMD_MI_BATCH_BUFFER_END);
    CHECKF(sim_run_batch(ctx, vm, 1, BATCH_AT, &stop, &fault), "%s", fault.text);
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 16; x++) {
            uint32_t want = x >= 2 && x < 5 && y >= 1 && y < 3 ? 0x11223344 : 0;
            CHECK(data_dw(16 * y + x) == want);
            if (x < 8) {
                bool in = x < 4 && y < 3 && x + 1 >= 2 && x + 1 < 5 && y >= 1;
                CHECK(data_dw(256 + 8 * y + x) == (in ? 0x11223344 : 0));
            }
        }
    }
    CHECK(data_dw(512) == 0x99);
    sim_context_free(ctx);
}

/* Any words: never a crash, always an end. */
static void test_garbage(void)
{
    uint64_t s = 12345;
    for (unsigned round = 0; round < 300; round++) {
        struct sim_context *ctx = sim_context_new(gpu);
        struct sim_fault fault;
        const struct row plain = {.name = "garbage"};
        build(&plain);
        uint32_t *p = (uint32_t *)batch;
        unsigned n = out - p;
        for (unsigned i = 0; i < 1 + round % 3; i++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            /* One bit, or a whole dword. */
            p[(s >> 33) % n] ^= round & 1 ? 1u << (s >> 20 & 31) : (uint32_t)(s >> 16);
        }
        bool ok = run(ctx, &fault);
        CHECK(ok != fault.set);
        sim_context_free(ctx);
    }
}

static uint8_t *object(gpu_addr at, uint64_t size, uint32_t id)
{
    uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(p != MAP_FAILED && vm_map(vm, at, p, size, true, id));
    return p;
}

/* A kernel that only ends. */
static void assemble(void)
{
    struct eu_insn mov,
        send = {.op = EU_OP_send, .exec_size = 8, .fn = SFID_SPAWNER, .no_mask = true};
    const char *why = NULL;
    struct eu_bits bits;
    memset(&mov, 0, sizeof mov);
    mov.op = EU_OP_mov;
    mov.exec_size = 8;
    mov.no_mask = true;
    mov.dst = (struct eu_operand){.file = EU_GRF, .type = EU_UD, .reg = 127, .hs = 1};
    mov.src[0] = (struct eu_operand){.file = EU_GRF, .type = EU_UD, .vs = 8, .width = 8, .hs = 1};
    REQUIRE(eu_encode(gen, &mov, &bits, &why));
    memcpy(code, &bits, sizeof bits);
    send.dst = (struct eu_operand){.file = EU_ARF, .type = EU_UW, .reg = EU_ARF_NULL, .hs = 1};
    send.src[0] = (struct eu_operand){
        .file = EU_GRF, .type = EU_UD, .reg = 127, .vs = 8, .width = 8, .hs = 1};
    send.desc = 0x02000010;
    send.eot = true;
    if (!eu_encode(gen, &send, &bits, &why)) {
        fprintf(stderr, "%s\n", why);
        exit(1);
    }
    memcpy(code + sizeof bits, &bits, sizeof bits);
}

int main(void)
{
    static const struct {
        const char *name;
        unsigned bit;
    } devices[] = {{"ivb-gt2", G70}, {"hsw-gt2", G75}, {"bdw-gt2", G80}, {"skl-gt2", G90}};
    for (unsigned i = 0; i < 4; i++) {
        const struct sim_options opt = {.n_host_threads = 1, .insn_limit = 20000};
        dev = gen_device_by_name(devices[i].name);
        gen = dev->gen;
        gpu = sim_gpu_new(dev, &opt);
        vm = vm_new(dev->address_bits);
        batch = object(BATCH_AT, BATCH_SIZE, 1);
        state = object(STATE_AT, STATE_SIZE, 2);
        code = object(CODE_AT, PAGE, 3);
        data = object(DATA_AT, PAGE, 4);
        second = object(SECOND_AT, PAGE, 5);
        indirect = object(INDIRECT_AT, PAGE, 6);
        assemble();
        *(uint32_t *)second = 0x05000000;
        test_rows(devices[i].bit);
        test_effects();
        test_mi();
        test_blit();
        test_garbage();
        vm_free(vm);
        sim_gpu_free(gpu);
        munmap(batch, BATCH_SIZE);
        munmap(state, STATE_SIZE);
        munmap(code, PAGE);
        munmap(data, PAGE);
        munmap(second, PAGE);
        munmap(indirect, PAGE);
    }
    return utest_end();
}
