/* What MI commands compute: arithmetic, atomics, predicates, conditional ends, polls; expected
 * values written out after the manuals' descriptions. */
#include "cs_rig.h"

enum { OUT = 16 }; /* dword of the data page where results go */

static uint32_t data_dw(unsigned i)
{
    return ((uint32_t *)data)[i];
}

static uint64_t data_qw(unsigned dw)
{
    uint64_t v;
    memcpy(&v, data + 4 * dw, sizeof v);
    return v;
}

static void put_lri(uint32_t reg, uint32_t value)
{
    *out++ = 0x11000001;
    *out++ = reg;
    *out++ = value;
}

static void put_gpr(unsigned n, uint64_t value)
{
    put_lri(REG_GPR0 + 8 * n, (uint32_t)value);
    put_lri(REG_GPR0 + 8 * n + 4, (uint32_t)(value >> 32));
}

static void put_srm(uint32_t reg, unsigned dw)
{
    uint32_t *p = put(CMD_MI_STORE_REGISTER_MEM);
    set(p, CMD_MI_STORE_REGISTER_MEM_register, reg);
    set(p, CMD_MI_STORE_REGISTER_MEM_address, DATA_AT + 4 * dw);
}

static void put_store(unsigned dw, uint32_t value)
{
    uint32_t *p = put(CMD_MI_STORE_DATA_IMM);
    set(p, CMD_MI_STORE_DATA_IMM_address, DATA_AT + 4 * dw);
    p[3] = value;
}

static void begin(void)
{
    memset(data, 0, PAGE);
    out = (uint32_t *)batch;
}

static void end(const char *what)
{
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    put(CMD_MI_BATCH_BUFFER_END);
    CHECKF(run_at(ctx, 0, BATCH_AT, &fault), "%s: %s: %s", dev->name, what, fault.text);
    sim_context_free(ctx);
}

/* ---- MI_MATH ---- */
static uint32_t alu(unsigned op, unsigned operand1, unsigned operand2)
{
    return op << 20 | operand1 << 10 | operand2;
}

static void test_math(void)
{
    enum { LOAD = 0x080, LOADINV = 0x480, LOAD0 = 0x081, LOAD1 = 0x481, STORE = 0x180 };
    enum { STOREINV = 0x580, SRCA = 0x20, SRCB = 0x21, ACCU = 0x31, ZF = 0x32, CF = 0x33 };
    const uint64_t ones = ~(uint64_t)0, x = 0xfffffffffffffff0, y = 0x20;
    const struct {
        const char *name;
        uint32_t load_a, load_b, op, store;
        uint64_t want;
    } rows[] = {
        {"add", alu(LOAD, SRCA, 0), alu(LOAD, SRCB, 1), 0x100, alu(STORE, 2, ACCU), 0x10},
        {"add, carry", alu(LOAD, SRCA, 0), alu(LOAD, SRCB, 1), 0x100, alu(STORE, 2, CF), ones},
        {"add, no carry", alu(LOAD, SRCA, 1), alu(LOAD, SRCB, 1), 0x100, alu(STORE, 2, CF), 0},
        {"sub", alu(LOAD, SRCA, 1), alu(LOAD, SRCB, 0), 0x101, alu(STORE, 2, ACCU), 0x30},
        {"sub, borrow", alu(LOAD, SRCA, 1), alu(LOAD, SRCB, 0), 0x101, alu(STORE, 2, CF), ones},
        {"sub, zero", alu(LOAD, SRCA, 1), alu(LOAD, SRCB, 1), 0x101, alu(STORE, 2, ZF), ones},
        {"sub, not zero", alu(LOAD, SRCA, 1), alu(LOAD, SRCB, 0), 0x101, alu(STORE, 2, ZF), 0},
        {"and", alu(LOAD, SRCA, 0), alu(LOAD1, SRCB, 0), 0x102, alu(STORE, 2, ACCU), x},
        {"and, zero", alu(LOAD, SRCA, 0), alu(LOAD0, SRCB, 0), 0x102, alu(STORE, 2, ZF), ones},
        {"or", alu(LOAD, SRCA, 1), alu(LOADINV, SRCB, 0), 0x103, alu(STORE, 2, ACCU), 0x2f},
        {"xor", alu(LOAD, SRCA, 0), alu(LOAD1, SRCB, 0), 0x104, alu(STORE, 2, ACCU), 0xf},
        {"store inverted", alu(LOAD, SRCA, 1), alu(LOAD0, SRCB, 0), 0x103, alu(STOREINV, 2, ACCU),
         ~y},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && gen >= 75; i++) {
        begin();
        put_gpr(0, x);
        put_gpr(1, y);
        *out++ = 0x0d000003;
        *out++ = rows[i].load_a;
        *out++ = rows[i].load_b;
        *out++ = alu(rows[i].op, 0, 0);
        *out++ = rows[i].store;
        put_srm(REG_GPR0 + 16, OUT);
        put_srm(REG_GPR0 + 20, OUT + 1);
        end(rows[i].name);
        CHECKF(data_qw(OUT) == rows[i].want, "%s: %s: %llx", dev->name, rows[i].name,
               (long long)data_qw(OUT));
    }
}

/* ---- MI_ATOMIC ---- */
static void test_atomic(void)
{
    /* Old value 80000005h and operand 7, in 32 bits; in 64 both times 2^32. */
    static const struct {
        unsigned op;
        uint32_t want;
    } rows[] = {{0x1, 0x00000005}, {0x2, 0x80000007}, {0x3, 0x80000002}, {0x4, 0x00000007},
                {0x7, 0x8000000c}, {0x8, 0x7ffffffe}, {0x9, 0x80000002}, {0xa, 0x00000007},
                {0xb, 0x80000005}, {0xc, 0x80000005}, {0xd, 0x00000007}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && gen >= 80; i++) {
        begin();
        put_store(OUT, 0x80000005);
        put_store(OUT + 2, 0);
        put_store(OUT + 3, 0x80000005);
        for (unsigned size = 0; size < 2; size++) {
            uint32_t *dw = put(CMD_MI_ATOMIC);
            set(dw, CMD_MI_ATOMIC_opcode, rows[i].op | size << 5);
            set(dw, CMD_MI_ATOMIC_inline_data, 1);
            set(dw, CMD_MI_ATOMIC_data_size, size);
            set(dw, CMD_MI_ATOMIC_return_data, 1);
            set(dw, CMD_MI_ATOMIC_address, DATA_AT + 4 * (OUT + 2 * size));
            set(dw, size ? CMD_MI_ATOMIC_operand1_1 : CMD_MI_ATOMIC_operand1_0, 7);
            put_srm(REG_GPR0 + 4 * size, OUT + 4 + size);
        }
        end("atomic");
        CHECKF(data_dw(OUT) == rows[i].want && data_dw(OUT + 1) == 0, "%s: %x: %x", dev->name,
               rows[i].op, data_dw(OUT));
        CHECKF(data_qw(OUT + 2) == (uint64_t)rows[i].want << 32, "%s: %x: %llx", dev->name,
               rows[i].op, (long long)data_qw(OUT + 2));
        CHECK(data_dw(OUT + 4) == 0x80000005 && data_dw(OUT + 5) == 0x80000005);
    }
    /* Without operands; and the compare-and-writes, which write the first time and not the second.
     */
    static const struct {
        unsigned op, size;
        uint64_t old[2], want[2];
    } more[] = {
        {0x05, 0, {0xffffffff, 9}, {0, 9}},
        {0x06, 0, {0, 9}, {0xffffffff, 9}},
        {0x0f, 0, {1, 9}, {0, 9}},
        {0x25, 1, {0xffffffff, 9}, {0x100000000, 9}},
        {0x26, 1, {0, 9}, {~(uint64_t)0, 9}},
        {0x0e, 0, {7, 9}, {8, 9}},
        {0x0e, 0, {6, 9}, {6, 9}},
        {0x2e, 1, {0x0000000700000007, 9}, {0x0000000800000008, 9}},
        {0x2e, 1, {0x0000000600000007, 9}, {0x0000000600000007, 9}},
        {0x4e,
         2,
         {0x0000000700000007, 0x0000000700000007},
         {0x0000000800000008, 0x0000000800000008}},
        {0x4e,
         2,
         {0x0000000700000007, 0x0000000600000007},
         {0x0000000700000007, 0x0000000600000007}},
    };
    for (size_t i = 0; i < sizeof more / sizeof more[0] && gen >= 80; i++) {
        begin();
        for (unsigned k = 0; k < 4; k++)
            put_store(OUT + k, (uint32_t)(more[i].old[k / 2] >> 32 * (k & 1)));
        uint32_t *dw = put(CMD_MI_ATOMIC);
        set(dw, CMD_MI_ATOMIC_opcode, more[i].op);
        set(dw, CMD_MI_ATOMIC_inline_data, 1);
        set(dw, CMD_MI_ATOMIC_data_size, more[i].size);
        set(dw, CMD_MI_ATOMIC_address, DATA_AT + 4 * OUT);
        for (unsigned k = 3; k < 11; k++)
            dw[k] = k & 1 ? 7 : 8;
        end("atomic");
        for (unsigned k = 0; k < 2; k++) {
            uint64_t now = data_qw(OUT + 2 * k), want = more[i].want[k];
            CHECKF(now == want, "%s: %x: %llx", dev->name, more[i].op, (long long)now);
        }
    }
}

/* ---- what is skipped ---- */
static void test_predicates(void)
{
    /* MI_PREDICATE: compare 0 true, 1 false, 2 equal, 3 difference; combine; invert. */
    static const struct {
        uint32_t src0, src1, difference;
        uint32_t words[3];
        unsigned n_words;
        bool want;
    } rows[] = {
        {0, 0, 0, {0x06000080}, 1, true},
        {0, 0, 0, {0x06000081}, 1, false},
        {5, 5, 0, {0x06000082}, 1, true},
        {5, 6, 0, {0x06000082}, 1, false},
        {9, 5, 4, {0x06000083}, 1, true},
        {9, 5, 3, {0x06000083}, 1, false},
        {5, 6, 0, {0x060000c2}, 1, true},             /* inverted */
        {5, 5, 0, {0x06000080, 0x0600008a}, 2, true}, /* and */
        {5, 5, 0, {0x06000081, 0x0600008a}, 2, false},
        {5, 6, 0, {0x06000080, 0x06000092}, 2, true},  /* or */
        {5, 5, 0, {0x06000080, 0x0600009a}, 2, false}, /* xor */
        {5, 6, 0, {0x06000080, 0x06000002}, 2, true},  /* kept */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        for (unsigned k = 0; k < 6; k++)
            put_lri(REG_PREDICATE_SRC0 + 4 * k, k == 0   ? rows[i].src0
                                                : k == 2 ? rows[i].src1
                                                : k == 4 ? rows[i].difference
                                                         : 0);
        for (unsigned k = 0; k < rows[i].n_words; k++)
            *out++ = rows[i].words[k];
        if (gen < 75) {           /* nothing but a walker looks at it: as the register */
            if (i >= 4 && i <= 5) /* DATA is not for user batches there */
                continue;
            int64_t n[N_NUMBERS];
            const struct change none = {.place = NOWHERE};
            memcpy(n, usual, sizeof n);
            n[W_PREDICATE] = 1;
            put_state(n);
            put_dispatch(&none, n);
            put_srm(REG_INVOCATIONS, OUT);
            end("predicate");
            CHECKF(data_dw(OUT) == (rows[i].want ? 8 : 0), "row %zu: %u threads", i, data_dw(OUT));
            continue;
        }
        put_store(OUT, 1);
        uint32_t *dw = put(CMD_MI_STORE_REGISTER_MEM); /* a general register: 0 */
        set(dw, CMD_MI_STORE_REGISTER_MEM_register, REG_GPR0);
        set(dw, CMD_MI_STORE_REGISTER_MEM_address, DATA_AT + 4 * OUT);
        set(dw, CMD_MI_STORE_REGISTER_MEM_predicate, 1);
        dw = put(CMD_MI_BATCH_BUFFER_START);
        set(dw, CMD_MI_BATCH_BUFFER_START_ppgtt, 1);
        set(dw, CMD_MI_BATCH_BUFFER_START_second_level, 1);
        set(dw, CMD_MI_BATCH_BUFFER_START_predicate, 1);
        set(dw, CMD_MI_BATCH_BUFFER_START_address, SECOND_AT);
        uint32_t *here = out;
        out = (uint32_t *)second;
        put_store(OUT + 1, 0x77);
        put(CMD_MI_BATCH_BUFFER_END);
        out = here;
        end("predicate");
        if (gen == 75 && i >= 4 && i <= 5)
            continue;
        CHECKF(data_dw(OUT) == !rows[i].want && data_dw(OUT + 1) == (rows[i].want ? 0x77 : 0),
               "%s: row %zu: %x %x", dev->name, i, data_dw(OUT), data_dw(OUT + 1));
    }
}

/* MI_SET_PREDICATE: commands in its shadow. */
static void test_set_predicate(void)
{
    static const struct {
        unsigned mode;
        uint32_t result, result_2;
        bool runs;
    } rows[] = {{0, 0, 0, true}, {1, 0, 0, false}, {1, 0, 1, true},  {2, 0, 1, false},
                {2, 0, 0, true}, {3, 0, 0, false}, {3, 1, 0, true},  {4, 1, 0, false},
                {4, 0, 0, true}, {5, 0, 0, true},  {6, 0, 0, false}, {15, 1, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && gen >= 75; i++) {
        if (gen == 75 && rows[i].mode > 3)
            continue;
        if (gen == 75 && rows[i].result_2) /* the parser lets no batch write it */
            continue;
        begin();
        if (gen >= 80)
            put_lri(REG_PREDICATE_RESULT_2, rows[i].result_2);
        *out++ = rows[i].result ? 0x06000080 : 0x06000081;
        *out++ = 0x00800000 | rows[i].mode;
        put_store(OUT, 1);
        *out++ = 0x00800000;
        put_store(OUT + 1, 1);
        end("set predicate");
        CHECKF(data_dw(OUT) == rows[i].runs && data_dw(OUT + 1) == 1, "%s: mode %u: %u", dev->name,
               rows[i].mode, data_dw(OUT));
    }
}

/* The batch ends when memory <= data. */
static void test_conditional_end(void)
{
    static const struct {
        uint32_t memory, data;
        bool ends;
    } rows[] = {{5, 5, true}, {4, 5, true}, {6, 5, false}, {0x80000000, 5, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        put_store(OUT, rows[i].memory);
        uint32_t *dw = put(CMD_MI_CONDITIONAL_BATCH_BUFFER_END);
        set(dw, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_compare, 1);
        set(dw, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_data, rows[i].data);
        set(dw, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_address, DATA_AT + 4 * OUT);
        put_store(OUT + 2, 1);
        end("conditional end");
        CHECKF(data_dw(OUT + 2) == !rows[i].ends, "%s: row %zu", dev->name, i);
    }
    if (gen < 90)
        return;
    begin(); /* a mask, and what it is applied to */
    put_store(OUT, 0xff);
    put_store(OUT + 1, 0x705);
    uint32_t *dw = put(CMD_MI_CONDITIONAL_BATCH_BUFFER_END);
    set(dw, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_compare, 1);
    set(dw, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_mask_mode, 1);
    set(dw, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_data, 5);
    set(dw, CMD_MI_CONDITIONAL_BATCH_BUFFER_END_address, DATA_AT + 4 * OUT);
    put_store(OUT + 2, 1);
    end("conditional end, masked");
    CHECK(data_dw(OUT + 2) == 0);
}

/* ---- waits and reports ---- */
static void test_semaphore(void)
{
    /* Comparisons that are true of memory 5 and the data: more, not less, less, not more, equal,
     * not. */
    static const uint32_t data_of[6] = {4, 5, 6, 5, 5, 4};
    for (unsigned compare = 0; compare < 6 && gen >= 80; compare++) {
        for (unsigned in_register = 0; in_register <= (gen >= 90); in_register++) {
            begin();
            put_store(OUT, 5);
            put_gpr(3, 5);
            uint32_t *dw = put(CMD_MI_SEMAPHORE_WAIT);
            set(dw, CMD_MI_SEMAPHORE_WAIT_compare, compare);
            set(dw, CMD_MI_SEMAPHORE_WAIT_poll, 1);
            set(dw, CMD_MI_SEMAPHORE_WAIT_register_poll, in_register);
            set(dw, CMD_MI_SEMAPHORE_WAIT_data, data_of[compare]);
            set(dw, CMD_MI_SEMAPHORE_WAIT_address, in_register ? REG_GPR0 + 24 : DATA_AT + 4 * OUT);
            put_store(OUT + 1, 1);
            end("semaphore");
            CHECK(data_dw(OUT + 1) == 1);
        }
    }
}

static void test_reports(void)
{
    begin();
    uint32_t *dw = put(CMD_MI_REPORT_PERF_COUNT);
    set(dw, CMD_MI_REPORT_PERF_COUNT_address, DATA_AT + 64);
    set(dw, CMD_MI_REPORT_PERF_COUNT_id, 0x1234);
    /* Byte enables of register writes; a post-sync write to a register (Gen8+). */
    if (gen >= 75) {
        put_lri(REG_GPR0, 0x11223344);
        out[0] = 0x11000001 | 0x6 << 8;
        out[1] = REG_GPR0;
        out[2] = 0xaabbccdd;
        out += 3;
        put_srm(REG_GPR0, OUT + 32);
    }
    if (gen >= 80) {
        put_pc(0x00900020, REG_GPR0 + 8, 0x5678);
        put_srm(REG_GPR0 + 8, OUT + 33);
    }
    end("reports");
    CHECK(data_dw(16) == 0x1234);
    CHECK(gen < 75 || data_dw(OUT + 32) == 0xaa2233dd);
    CHECK(gen < 80 || data_dw(OUT + 33) == 0x5678);
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        const struct sim_options opt = {.n_host_threads = 1, .insn_limit = 20000};
        rig_begin(devices[i], &opt);
        test_math();
        test_atomic();
        test_predicates();
        test_set_predicate();
        test_conditional_end();
        test_semaphore();
        test_reports();
        rig_end();
    }
    return utest_end();
}
