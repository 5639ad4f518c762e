/* What the tests of the command streamer share: a simulated device with some memory, and the
 * shortest complete batch (set-up, constants, descriptor, walker over a kernel that only ends,
 * completion tag) with numbers that a test can change and places where it can put in words. */
#ifndef CS_RIG_H
#define CS_RIG_H

#include <stdint.h>
#include <sys/mman.h>

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
    NOWHERE_AT = 0x700000,
    ZEROS_AT = 0x10000000, /* MI_NOOPs only */
    ZEROS_SIZE = 32 << 20,
    DESCRIPTOR_OFFSET = 0x400,
    CONSTANT_OFFSET = 0x800,
    TAG = 0x7a67,
};

static struct sim_gpu *gpu;
static struct sim_vm *vm;
static const struct gen_device *dev;
static int gen;
static uint8_t *batch, *state, *code, *data, *second, *indirect, *zeros;

/* ---- the numbers of a batch ---- */
enum number {
    START, /* of the batch, from BATCH_AT */
    SECOND_CALLS,
    PIPELINE,
    SBA_SKIP,
    SURFACE_SET,
    DYNAMIC_SET,
    INDIRECT_SET,
    INSTRUCTION_SIZE,
    DYNAMIC_SIZE,
    INDIRECT_SIZE,
    VFE_SKIP,
    VFE_GPGPU,
    VFE_ENTRIES,
    VFE_ENTRY_SIZE,
    VFE_THREADS,
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
    D_GLOBAL_BARRIER,
    D_CROSS,
    D_PER,
    D_READ_OFFSET,
    D_RESERVED, /* a bit that no field has */
    L3_SLM,
    W_INDEX,
    W_WIDTH,
    W_HEIGHT,
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
    [DYNAMIC_SET] = 1,
    [INDIRECT_SET] = 1,
    [VFE_GPGPU] = 1,
    [VFE_ENTRIES] = -1,
    [VFE_THREADS] = -1,
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

/* A change of the batch. */
struct change {
    struct {
        enum number n;
        int64_t value;
    } set[5]; /* numbers */
    unsigned n_set;
    enum place place;
    uint32_t words[24]; /* put in there; PC and flags: a PIPE_CONTROL */
    unsigned n_words;
};

#define COUNT(...) (sizeof((uint32_t[]){__VA_ARGS__}) / 4)
/* PIPE_CONTROL in the generation's length: flags, and an address if they have a post-sync
 * operation. */
#define PC 0x7a00ffff

/* ---- building ---- */
static uint32_t *out;

static inline uint32_t *put(enum cmd_id id)
{
    uint32_t *dw = out;
    cmd_init(gen, id, dw);
    out += cmd_length(gen, id);
    return dw;
}

static inline void put_pc(uint32_t flags, uint32_t address, uint32_t immediate)
{
    uint32_t *dw = put(CMD_PIPE_CONTROL);
    dw[1] = flags;
    dw[2] = address;
    dw[gen < 80 ? 3 : 4] = immediate;
}

static inline void put_words(const struct change *c, enum place place)
{
    if (c->place != place)
        return;
    for (unsigned i = 0; i < c->n_words; i++) {
        if (c->words[i] != PC) {
            *out++ = c->words[i];
            continue;
        }
        uint32_t flags = c->words[++i];
        put_pc(flags, flags >> 14 & 3 ? c->words[++i] : 0, 0);
    }
}

static inline void set(uint32_t *dw, enum cmd_field f, uint64_t value)
{
    if (cmd_has_field(gen, f))
        cmd_set(gen, dw, f, value);
}

/* Size of a window and, of Gen7 and 7.5, its end; 0: everything. */
static inline void set_size(uint32_t *dw, int64_t size, uint64_t base, enum cmd_field size_modify,
                            enum cmd_field size_field, enum cmd_field bound_modify,
                            enum cmd_field bound)
{
    set(dw, size_modify, 1);
    set(dw, size_field, size ? (uint64_t)size : 0xfffff000);
    set(dw, bound_modify, 1);
    set(dw, bound, size ? base + (uint64_t)size : 0xfffff000);
}

static inline void put_state(const int64_t *n)
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
    set(dw, CMD_STATE_BASE_ADDRESS_dynamic_modify, n[DYNAMIC_SET]);
    set(dw, CMD_STATE_BASE_ADDRESS_dynamic_base, STATE_AT);
    set(dw, CMD_STATE_BASE_ADDRESS_indirect_modify, n[INDIRECT_SET]);
    set(dw, CMD_STATE_BASE_ADDRESS_indirect_base, INDIRECT_AT);
    set(dw, CMD_STATE_BASE_ADDRESS_instruction_modify, 1);
    set(dw, CMD_STATE_BASE_ADDRESS_instruction_base, CODE_AT);
#define SIZES(base)                                                                                \
    CMD_STATE_BASE_ADDRESS_##base##_size_modify, CMD_STATE_BASE_ADDRESS_##base##_size,             \
        CMD_STATE_BASE_ADDRESS_##base##_bound_modify, CMD_STATE_BASE_ADDRESS_##base##_bound
    set_size(dw, 0, 0, SIZES(general));
    set_size(dw, n[DYNAMIC_SIZE], STATE_AT, SIZES(dynamic));
    set_size(dw, n[INDIRECT_SIZE], INDIRECT_AT, SIZES(indirect));
    set_size(dw, n[INSTRUCTION_SIZE], CODE_AT, SIZES(instruction));
#undef SIZES
}

static inline void put_vfe(const int64_t *n)
{
    uint32_t *dw = put(CMD_MEDIA_VFE_STATE);
    set(dw, CMD_MEDIA_VFE_STATE_gpgpu_mode, n[VFE_GPGPU]);
    set(dw, CMD_MEDIA_VFE_STATE_urb_entries,
        n[VFE_ENTRIES] >= 0 ? n[VFE_ENTRIES]
        : gen < 80          ? 0
                            : 2);
    set(dw, CMD_MEDIA_VFE_STATE_urb_entry_size, n[VFE_ENTRY_SIZE]);
    set(dw, CMD_MEDIA_VFE_STATE_max_threads,
        n[VFE_THREADS] >= 0 ? n[VFE_THREADS] : dev->hw_threads - 1);
    set(dw, CMD_MEDIA_VFE_STATE_curbe_size, n[VFE_CURBE]);
    set(dw, CMD_MEDIA_VFE_STATE_scratch_size, n[VFE_SCRATCH]);
    set(dw, CMD_MEDIA_VFE_STATE_gateway_mmio, n[VFE_MMIO]);
}

static inline void make_descriptors(const int64_t *n)
{
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *d = (uint32_t *)(state + DESCRIPTOR_OFFSET + 32 * i);
        memset(d, 0, 32);
        set(d, CMD_INTERFACE_DESCRIPTOR_kernel, n[D_KERNEL]);
        set(d, CMD_INTERFACE_DESCRIPTOR_n_threads, n[D_THREADS]);
        set(d, CMD_INTERFACE_DESCRIPTOR_slm_size, n[D_SLM]);
        set(d, CMD_INTERFACE_DESCRIPTOR_barrier, n[D_BARRIER]);
        set(d, CMD_INTERFACE_DESCRIPTOR_global_barrier, n[D_GLOBAL_BARRIER]);
        set(d, CMD_INTERFACE_DESCRIPTOR_cross_thread_length, n[D_CROSS]);
        set(d, CMD_INTERFACE_DESCRIPTOR_curbe_read_length, n[D_PER]);
        set(d, CMD_INTERFACE_DESCRIPTOR_curbe_read_offset, n[D_READ_OFFSET]);
        d[gen < 80 ? 1 : 2] |= (uint32_t)n[D_RESERVED];
    }
}

static inline void put_walker(const int64_t *n)
{
    uint32_t *dw = put(CMD_GPGPU_WALKER);
    set(dw, CMD_GPGPU_WALKER_predicate, n[W_PREDICATE]);
    set(dw, CMD_GPGPU_WALKER_indirect_parameter, n[W_INDIRECT]);
    set(dw, CMD_GPGPU_WALKER_descriptor_index, n[W_INDEX]);
    set(dw, CMD_GPGPU_WALKER_thread_width_max, n[W_WIDTH]);
    set(dw, CMD_GPGPU_WALKER_thread_height_max, n[W_HEIGHT]);
    set(dw, CMD_GPGPU_WALKER_simd, n[W_SIMD]);
    set(dw, CMD_GPGPU_WALKER_start_x, n[W_START_X]);
    set(dw, CMD_GPGPU_WALKER_end_x, n[W_END_X]);
    set(dw, CMD_GPGPU_WALKER_end_y, n[W_END_Y]);
    set(dw, CMD_GPGPU_WALKER_end_z, 1);
    set(dw, CMD_GPGPU_WALKER_right_mask, n[W_RIGHT]);
    set(dw, CMD_GPGPU_WALKER_bottom_mask, n[W_BOTTOM]);
    set(dw, CMD_GPGPU_WALKER_indirect_length, n[W_IND_LENGTH]);
    set(dw, CMD_GPGPU_WALKER_indirect_address, n[W_IND_OFFSET]);
}

static inline void put_dispatch(const struct change *c, const int64_t *n)
{
    uint32_t *dw;
    put_words(c, BEFORE_VFE);
    if (!n[VFE_SKIP])
        put_vfe(n);
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
    make_descriptors(n);
    put_words(c, BEFORE_WALKER);
    put_walker(n);
    put_words(c, AFTER_WALKER);
    put(CMD_MEDIA_STATE_FLUSH);
}

static inline void put_end(void)
{
    put_pc(0x00100022, 0, 0);
    put_pc(0x00104000, DATA_AT, TAG);
    put(CMD_MI_BATCH_BUFFER_END);
}

/* The batch; returns where it starts. */
static inline gpu_addr build(const struct change *c)
{
    int64_t n[N_NUMBERS];
    memcpy(n, usual, sizeof n);
    for (unsigned i = 0; i < c->n_set; i++)
        n[c->set[i].n] = c->set[i].value;
    /* The other batch: ends, or calls itself, or goes on at its start. */
    out = (uint32_t *)second;
    if (n[SECOND_CALLS]) {
        uint32_t *dw = put(CMD_MI_BATCH_BUFFER_START);
        set(dw, CMD_MI_BATCH_BUFFER_START_ppgtt, 1);
        set(dw, CMD_MI_BATCH_BUFFER_START_second_level, n[SECOND_CALLS] == 1);
        set(dw, CMD_MI_BATCH_BUFFER_START_address, SECOND_AT);
    }
    put(CMD_MI_BATCH_BUFFER_END);
    out = (uint32_t *)batch;
    put_words(c, FIRST);
    put_state(n);
    put_dispatch(c, n);
    put_words(c, AFTER_FLUSH);
    put_end();
    return BATCH_AT + (uint64_t)n[START];
}

static inline bool run_at(struct sim_context *ctx, int engine, gpu_addr at, struct sim_fault *fault)
{
    static volatile int stop;
    *fault = (struct sim_fault){.set = false};
    return sim_run_batch(ctx, vm, engine, at, &stop, fault);
}

/* ---- the device ---- */
static inline uint8_t *object(gpu_addr at, uint64_t size, uint32_t id)
{
    uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(p != MAP_FAILED && vm_map(vm, at, p, size, true, id));
    return p;
}

/* A kernel that only ends. */
static inline void assemble_end(void)
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
    REQUIRE(eu_encode(gen, &send, &bits, &why));
    memcpy(code + sizeof bits, &bits, sizeof bits);
}

static inline void rig_begin(const char *device, const struct sim_options *opt)
{
    dev = gen_device_by_name(device);
    REQUIRE(dev);
    gen = dev->gen;
    gpu = sim_gpu_new(dev, opt);
    vm = vm_new(dev->address_bits);
    REQUIRE(gpu && vm);
    batch = object(BATCH_AT, BATCH_SIZE, 1);
    state = object(STATE_AT, STATE_SIZE, 2);
    code = object(CODE_AT, PAGE, 3);
    data = object(DATA_AT, PAGE, 4);
    second = object(SECOND_AT, PAGE, 5);
    indirect = object(INDIRECT_AT, PAGE, 6);
    zeros = object(ZEROS_AT, ZEROS_SIZE, 7);
    assemble_end();
}

static inline void rig_end(void)
{
    vm_free(vm);
    sim_gpu_free(gpu);
    munmap(batch, BATCH_SIZE);
    munmap(state, STATE_SIZE);
    munmap(code, PAGE);
    munmap(data, PAGE);
    munmap(second, PAGE);
    munmap(indirect, PAGE);
    munmap(zeros, ZEROS_SIZE);
}

#endif
