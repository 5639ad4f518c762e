/* Every kind of message that a generation has: one that is executed, one that is a fault. And the
 * kinds that other tests leave out: SIMD4x2, dual blocks, A64 and float atomics. */
#include "msg_rig.h"

#include <math.h>

enum { BTI_2D = 20, BTI_2D_UINT };

/* ---- one of each ---- */

#define NO_RETURN .atomic = ATOMIC_INC
static const struct kind_case {
    struct msg good;
    struct msg bad;
    const char *rule; /* of the bad one; NULL: its descriptor already is refused */
    uint64_t good_address, bad_address; /* A64 */
} cases[] = {
#define CASE(KIND, RULE, BAD, ...)                                                                 \
    {                                                                                              \
        .good = {.kind = MSG_##KIND, .simd = 8, __VA_ARGS__},                                      \
        .bad = {.kind = MSG_##KIND, .simd = 8, BAD}, .rule = RULE                                  \
    }
#define LIST(...) __VA_ARGS__
    CASE(untyped_read, "image", LIST(.n_chan = 2, .bti = BTI_IMAGE), .n_chan = 2, .header = true),
    CASE(untyped_write, "typed buffer", LIST(.n_chan = 1, .bti = BTI_TYPED), .n_chan = 1),
    CASE(untyped_atomic, "read-only", LIST(NO_RETURN, .bti = BTI_RO), NO_RETURN),
    CASE(untyped_atomic_4x2, "page fault", LIST(NO_RETURN, .bti = BTI_UNMAPPED), NO_RETURN),
    CASE(float_atomic, "image", LIST(.atomic = MSG_FLOAT_MIN, .bti = BTI_IMAGE),
         .atomic = MSG_FLOAT_MIN),
    CASE(byte_read, "image", LIST(.data_size = 1, .n_elem = 1, .bti = BTI_IMAGE), .data_size = 1,
         .n_elem = 1),
    CASE(byte_write, "read-only", LIST(.data_size = 2, .n_elem = 1, .bti = BTI_RO), .data_size = 2,
         .n_elem = 1),
    CASE(dword_read, "page fault", LIST(.bti = BTI_UNMAPPED), .bti = BTI_RAW),
    CASE(dword_write, NULL, LIST(.bti = MSG_BTI_SLM), .bti = BTI_RAW),
    CASE(oword_read, NULL, LIST(.n_oword = 2), .n_oword = 2, .header = true),
    CASE(oword_read_unaligned, "image",
         LIST(.n_oword = 2, .unaligned = true, .header = true, .bti = BTI_IMAGE), .n_oword = 2,
         .unaligned = true, .header = true),
    CASE(oword_write, "read-only", LIST(.n_oword = 4, .header = true, .bti = BTI_RO), .n_oword = 4,
         .header = true),
    CASE(oword_dual_read, NULL, LIST(.n_oword = 2, .header = true), .n_oword = 1, .header = true),
    CASE(oword_dual_write, "read-only", LIST(.n_oword = 4, .header = true, .bti = BTI_RO),
         .n_oword = 4, .header = true),
    CASE(scratch_read, "scratch space", LIST(.n_regs = 1, .scratch_offset = 32, .header = true),
         .n_regs = 1, .scratch_offset = 31, .header = true),
    CASE(scratch_write, "scratch space", LIST(.n_regs = 2, .scratch_offset = 31, .header = true),
         .n_regs = 2, .header = true),
    CASE(fence, NULL, LIST(.commit = true), .commit = true, .header = true),
    CASE(fence_render, NULL, LIST(.commit = true), .commit = true, .header = true),
    CASE(const_oword_read, "image", LIST(.n_oword = 4, .header = true, .bti = BTI_IMAGE),
         .n_oword = 4, .header = true),
    CASE(const_oword_read_unaligned, NULL, LIST(.n_oword = 1, .unaligned = true), .n_oword = 1,
         .unaligned = true, .header = true),
    CASE(const_oword_dual_read, "image", LIST(.n_oword = 1, .header = true, .bti = BTI_IMAGE),
         .n_oword = 1, .header = true),
    CASE(const_dword_read, "image", LIST(.bti = BTI_IMAGE), .bti = BTI_TYPED),
#undef CASE
#define CASE(KIND, RULE, ADDRESS, ...)                                                             \
    {                                                                                              \
        .good = {.kind = MSG_##KIND, .simd = 8, .bti = MSG_BTI_STATELESS, __VA_ARGS__},            \
        .bad = {.kind = MSG_##KIND, .simd = 8, .bti = MSG_BTI_STATELESS, __VA_ARGS__},             \
        .rule = RULE, .good_address = DATA, .bad_address = ADDRESS                                 \
    }
    CASE(a64_read, "page fault", 0x900000, .data_size = 4, .n_elem = 2),
    CASE(a64_write, "read-only", RO, .data_size = 4, .n_elem = 1),
    CASE(a64_untyped_read, "aligned", DATA + 2, .n_chan = 4),
    CASE(a64_untyped_write, "page fault", 0x900000, .n_chan = 3),
    CASE(a64_atomic, "8-byte aligned", DATA + 4, NO_RETURN, .is_64 = true),
    CASE(a64_float_atomic, "aligned", DATA + 1, .atomic = MSG_FLOAT_MAX),
    CASE(a64_block_read, "16-byte aligned", DATA + 8, .n_oword = 8, .header = true),
    CASE(a64_block_write, "read-only", RO, .n_oword = 8, .hword = true, .header = true),
#undef CASE
#define CASE(KIND, RULE, BAD, ...)                                                                 \
    {                                                                                              \
        .good = {.kind = MSG_##KIND, .simd = 8, .header = true, .bti = BTI_2D_UINT, __VA_ARGS__},  \
        .bad = {.kind = MSG_##KIND, .simd = 8, .header = true, __VA_ARGS__, .bti = BAD},           \
        .rule = RULE                                                                               \
    }
    CASE(typed_read, "can't read", BTI_2D, .n_chan = 4, .mlen = 3, .rlen = 4),
    CASE(typed_write, "RAW", BTI_RAW, .n_chan = 4, .mlen = 7),
    CASE(typed_atomic, "typed atomics take", BTI_2D, NO_RETURN, .mlen = 3),
    CASE(typed_atomic_4x2, "typed atomics take", BTI_2D, NO_RETURN),
    CASE(media_read, "two-dimensional", BTI_TYPED, .mlen = 1, .rlen = 1),
    CASE(media_write, "two-dimensional", BTI_TYPED, .mlen = 2),
    CASE(media_read_render, "two-dimensional", BTI_TYPED, .mlen = 1, .rlen = 1),
    CASE(media_write_render, "two-dimensional", BTI_TYPED, .mlen = 2),
#undef CASE
    {.good = {.kind = MSG_sampler_flush, .header = true, .mlen = 1, .rlen = 1},
     .bad = {.kind = MSG_sampler_flush, .mlen = 1, .rlen = 1}},
    {.good = {.kind = MSG_gateway, .gateway_fn = MSG_GATEWAY_BARRIER, .notify = 1},
     .bad = {.kind = MSG_gateway, .gateway_fn = 3, .mlen = 1},
     .rule = "GetTimeStamp"},
};

static void fill(const struct kind_case *c, const struct msg *m, uint64_t address)
{
    memset(payload, 0, sizeof payload);
    if (c->good_address) {
        for (unsigned i = 0; i < (m->header ? 1 : 8); i++)
            memcpy((uint8_t *)payload + 8 * i, &address, 8);
    } else if (m->kind == MSG_gateway) {
        payload[0][2] = f.g.barrier_id << 24;
    } else if (m->header) {
        payload[0][7] = 0xffff;
        payload[0][5] = m->kind == MSG_scratch_read || m->kind == MSG_scratch_write ? DATA : 0;
    }
}

/* The descriptor alone is wrong. */
static void must_refuse(struct msg m)
{
    uint32_t desc;
    uint8_t sfid;
    const char *why = "";
    unsigned mlen, rlen;
    if (msg_lengths(&m, &mlen, &rlen)) {
        m.mlen = mlen;
        m.rlen = rlen;
    }
    CHECKF(!msg_pack(f.gen, &m, &desc, &sfid, &why), "gen %d: %s packs", f.gen, msg_name(m.kind));
}

static void test_each(void)
{
    bool seen[MSG_N_KINDS] = {[MSG_end_thread] = true, [MSG_sampler] = true};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct kind_case *c = &cases[i];
        uint32_t desc;
        uint8_t sfid;
        const char *why = "";
        struct msg m = c->good;
        unsigned mlen, rlen;
        seen[m.kind] = true;
        if (msg_lengths(&m, &mlen, &rlen)) {
            m.mlen = mlen;
            m.rlen = rlen;
        }
        if (!msg_pack(f.gen, &m, &desc, &sfid, &why)) {
            CHECKF(strcmp(why, "this generation lacks the message") == 0, "gen %d %s: %s", f.gen,
                   msg_name(m.kind), why);
            continue;
        }
        fill(c, &c->good, c->good_address);
        must(c->good, 0xff);
        fill(c, &c->bad, c->bad_address);
        if (c->rule)
            must_fault(c->bad, 0xff, c->rule);
        else
            must_refuse(c->bad);
    }
    for (unsigned k = 0; k < MSG_N_KINDS; k++)
        CHECKF(seen[k], "no case of %s", msg_name(k));
    /* The end of a thread is said by the instruction too. */
    struct msg end = {.kind = MSG_end_thread, .mlen = 1};
    struct eu_insn in = {.op = EU_OP_send, .exec_size = 8};
    memset(&f.fault, 0, sizeof f.fault);
    CHECK(!msg_execute(f.t, &in, &end, 0, 0xff, (uint8_t *)payload, (uint8_t *)resp));
    CHECK(strstr(f.fault.text, "doesn't end the thread"));
    must(end, 0xff);
}

/* Which kinds there are at all. */
static void test_generations(void)
{
    static const struct {
        unsigned kind;
        int first, last;
    } rows[] = {{MSG_untyped_atomic_4x2, 75, 90}, {MSG_float_atomic, 90, 90},
                {MSG_fence_render, 70, 70},       {MSG_a64_read, 80, 90},
                {MSG_a64_float_atomic, 90, 90},   {MSG_media_read_render, 75, 75},
                {MSG_sampler_flush, 80, 90},      {MSG_typed_atomic_4x2, 75, 90}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            struct msg m = cases[k].good;
            uint32_t desc;
            uint8_t sfid;
            const char *why = "";
            unsigned mlen, rlen;
            if (m.kind != rows[i].kind)
                continue;
            if (msg_lengths(&m, &mlen, &rlen)) {
                m.mlen = mlen;
                m.rlen = rlen;
            }
            CHECKF(msg_pack(f.gen, &m, &desc, &sfid, &why) ==
                       (f.gen >= rows[i].first && f.gen <= rows[i].last),
                   "gen %d %s: %s", f.gen, msg_name(m.kind), why);
        }
    }
}

/* ---- SIMD4x2 and dual blocks ---- */

static void test_simd4x2(void)
{
    struct msg r = {.kind = MSG_untyped_read, .simd4x2 = true, .chan_off = 0x2};
    memset(payload, 0, sizeof payload);
    payload[0][0] = 64;
    payload[0][4] = 260;
    must(r, 0xff);
    for (unsigned c = 0; c < 4; c++) { /* masked channels leave their dwords alone */
        CHECK(resp32(c) == (c == 1 ? untouched : at32(f.data + 64 + 4 * c)));
        CHECK(resp32(4 + c) == (c == 1 ? untouched : at32(f.data + 260 + 4 * c)));
    }
    must(r, 0x0f);
    CHECK(resp32(0) == at32(f.data + 64) && resp32(4) == untouched);
    r.bti = BTI_SHORT;
    payload[0][4] = SHORT_SIZE - 4;
    must(r, 0xff);
    CHECK(resp32(4) == at32(f.data + SHORT_SIZE - 4) && resp32(6) == 0);
    payload[0][4] = 6;
    must_fault(r, 0xff, "slot 1 is not dword aligned");
    must(r, 0x0f);
    struct msg w = {
        .kind = MSG_untyped_write, .simd4x2 = true, .bti = MSG_BTI_SLM, .chan_off = 0x8};
    offsets(1, 8, 0x600, 1);
    payload[0][0] = 0x10000000 + 512; /* the low 16 bits count */
    payload[0][4] = 1024;
    if (f.gen == 70) {
        must_refuse(w);
        return;
    }
    uint32_t last = at32(f.slm + 512 + 12);
    must(w, 0xff);
    CHECK(at32(f.slm + 512) == 0x600 && at32(f.slm + 520) == 0x602 && at32(f.slm + 524) == last);
    CHECK(at32(f.slm + 1024) == 0x604);
    /* Operands in X and Y of a slot, one register for both; the old value returns in X. */
    struct msg a = {.kind = MSG_untyped_atomic_4x2,
                    .bti = MSG_BTI_SLM,
                    .simd4x2 = true,
                    .atomic = ATOMIC_CMPWR,
                    .returns = true};
    unsigned mlen, rlen;
    CHECK(msg_lengths(&a, &mlen, &rlen) && mlen == 2 && rlen == 1);
    payload[1][0] = 0x600;
    payload[1][1] = 5;
    payload[1][4] = 0x600;
    payload[1][5] = 6;
    must(a, 0xff);
    CHECK(at32(f.slm + 512) == 5 && at32(f.slm + 1024) == 0x604);
    CHECK(resp32(0) == 0x600 && resp32(4) == 0x604 && resp32(1) == untouched);
    a.atomic = ATOMIC_INC;
    CHECK(msg_lengths(&a, &mlen, &rlen) && mlen == 1);
    must(a, 0xf0);
    CHECK(at32(f.slm + 512) == 5 && at32(f.slm + 1024) == 0x605);
}

static void test_dual(void)
{
    for (unsigned n = 1; n <= 4; n += 3) {
        struct msg r = {.kind = MSG_oword_dual_read, .n_oword = n, .header = true};
        memset(payload, 0, sizeof payload);
        payload[0][2] = 2; /* the global offset, in OWords as the others */
        payload[1][0] = 5;
        payload[1][4] = 40;
        for (unsigned konst = 0; konst < 2; konst++) {
            r.kind = konst ? MSG_const_oword_dual_read : MSG_oword_dual_read;
            must(r, 0xff);
            for (unsigned k = 0; k < n; k++) {
                CHECK(memcmp(&resp[k][0], f.data + 16 * (2 + 5 + k), 16) == 0);
                CHECK(memcmp(&resp[k][4], f.data + 16 * (2 + 40 + k), 16) == 0);
            }
            CHECK(resp[n][0] == untouched);
        }
        must(r, 0x6f);
        CHECK(resp[0][4] == untouched && resp[0][5] == at32(f.data + 16 * 42 + 4) &&
              resp[0][7] == untouched);
        struct msg w = {.kind = MSG_oword_dual_write, .n_oword = n, .header = true};
        uint8_t keep[64];
        memcpy(keep, f.data + 16 * 42, sizeof keep);
        offsets(2, 8 * n, 0x4000, 1);
        must(w, 0x1f);
        for (unsigned k = 0; k < n; k++) {
            CHECK(at32(f.data + 16 * (7 + k) + 12) == 0x4003 + 8 * k);
            CHECK(at32(f.data + 16 * (42 + k)) == 0x4004 + 8 * k);
            CHECK(memcmp(f.data + 16 * (42 + k) + 4, keep + 16 * k + 4, 12) == 0);
        }
    }
    struct msg r = {.kind = MSG_oword_dual_read, .n_oword = 1, .header = true, .bti = BTI_SHORT};
    payload[0][2] = 0;
    payload[1][0] = 6; /* 96: one dword of it inside */
    must(r, 0x0f);
    CHECK(resp32(0) == at32(f.data + 96) && resp32(1) == 0);
}

/* Structured buffers: elements times pitch bytes, at most 2^27 elements, on a dword. */
static void test_structured(void)
{
    struct msg r = {.kind = MSG_untyped_read, .simd = 8, .bti = BTI_2D, .n_chan = 1};
    static const struct {
        gpu_addr base;
        uint64_t n;
        const char *rule;
    } rows[] = {{DATA, 10, NULL},
                {DATA, 1 << 27, NULL},
                {DATA, (1 << 27) + 1, "more than 2^27 elements"},
                {DATA + 2, 10, "dword aligned"}};
    memset(payload, 0, sizeof payload);
    offsets(0, 8, 100, 4);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add_surface(BTI_2D, CMD_SURFACE_STRUCTURED, FORMAT_RAW, rows[i].base, rows[i].n, 12);
        forget_surfaces();
        if (rows[i].rule)
            must_fault(r, 0xff, rows[i].rule);
        else
            must(r, 0xff);
        if (!i) /* 120 bytes */
            CHECK(resp32(4) == at32(f.data + 116) && resp32(5) == 0);
    }
}

/* ---- A64 and float atomics ---- */

static void test_a64_atomics(void)
{
    static const uint64_t min = 0x8000000000000000ull, all = ~0ull;
    const struct {
        unsigned op, n_ops;
        uint64_t old, a, b, want;
    } rows[] = {
        {ATOMIC_AND, 1, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0x0f000f000f000f00},
        {ATOMIC_OR, 1, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xfff0fff0fff0fff0},
        {ATOMIC_XOR, 1, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xf0f0f0f0f0f0f0f0},
        {ATOMIC_MOV, 1, 1, 0x700000007, 0, 0x700000007},
        {ATOMIC_INC, 0, all, 0, 0, 0},
        {ATOMIC_DEC, 0, 0, 0, 0, all},
        {ATOMIC_ADD, 1, 0x80000000ffffffff, 1, 0, 0x8000000100000000},
        {ATOMIC_SUB, 1, 0x100000000, 1, 0, 0xffffffff},
        {ATOMIC_REVSUB, 1, 1, 0x100000000, 0, 0xffffffff},
        {ATOMIC_IMAX, 1, min, 1, 0, 1},
        {ATOMIC_IMIN, 1, min, 1, 0, min},
        {ATOMIC_UMAX, 1, min, 1, 0, min},
        {ATOMIC_UMIN, 1, min, 1, 0, 1},
        {ATOMIC_CMPWR, 2, 0x900000009, 0x900000009, 44, 44},
        {ATOMIC_CMPWR, 2, 0x900000009, 9, 44, 0x900000009},
        {ATOMIC_PREDEC, 0, 0x100000000, 0, 0, 0xffffffff},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct msg m = {.kind = MSG_a64_atomic,
                        .simd = 8,
                        .bti = 255,
                        .is_64 = true,
                        .atomic = rows[k].op,
                        .returns = true};
        for (uint64_t i = 0; i < 8; i++) {
            uint64_t at = DATA + 512 + 8 * i;
            memcpy((uint8_t *)payload[0] + 8 * i, &at, 8);
            memcpy((uint8_t *)payload[2] + 8 * i, &rows[k].a, 8);
            memcpy((uint8_t *)payload[4] + 8 * i, &rows[k].b, 8);
            memcpy(f.data + 512 + 8 * i, &rows[k].old, 8);
        }
        must(m, 0xfe);
        uint64_t back = rows[k].op == ATOMIC_PREDEC ? rows[k].want : rows[k].old;
        CHECKF(at64(f.data + 520) == rows[k].want, "op %u: 0x%llx", rows[k].op,
               (unsigned long long)at64(f.data + 520));
        CHECK(at64(f.data + 512) == rows[k].old && at64((uint8_t *)resp) == 0xeeeeeeeeeeeeeeeeull);
        CHECK(at64((uint8_t *)resp + 56) == back);
    }
    must_refuse(
        (struct msg){.kind = MSG_a64_atomic, .simd = 8, .bti = 255, .atomic = ATOMIC_CMPWR8B});
    must_refuse(
        (struct msg){.kind = MSG_a64_atomic, .simd = 8, .bti = BTI_RAW, .atomic = ATOMIC_INC});
}

static void test_float_atomics(bool a64)
{
    static const struct {
        unsigned op;
        float old, a, b, want;
    } rows[] = {
        {MSG_FLOAT_MAX, 1, 2, 0, 2},
        {MSG_FLOAT_MAX, 2, -3, 0, 2},
        {MSG_FLOAT_MIN, 1, -INFINITY, 0, -INFINITY},
        {MSG_FLOAT_MIN, -5, 7, 0, -5},
        {MSG_FLOAT_CMPWR, 1.5f, 1.5f, 9, 9},
        {MSG_FLOAT_CMPWR, 1.5f, 1.25f, 9, 1.5f},
        {MSG_FLOAT_MAX, NAN, 3, 0, 3},
        {MSG_FLOAT_MIN, 3, NAN, 0, 3},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct msg m = {.kind = a64 ? MSG_a64_float_atomic : MSG_float_atomic,
                        .simd = 8,
                        .bti = a64 ? 255 : BTI_RAW,
                        .atomic = rows[k].op,
                        .returns = true};
        unsigned src = a64 ? 2 : 1;
        float got;
        for (uint64_t i = 0; i < 8; i++) {
            uint64_t at = DATA + 512 + 4 * i;
            if (a64)
                memcpy((uint8_t *)payload[0] + 8 * i, &at, 8);
            else
                payload[0][i] = 512 + 4 * i;
            memcpy(&payload[src][i], &rows[k].a, 4);
            memcpy(&payload[src + 1][i], &rows[k].b, 4);
            memcpy(f.data + 512 + 4 * i, &rows[k].old, 4);
        }
        must(m, 0x81);
        memcpy(&got, f.data + 512 + 28, 4);
        CHECKF(got == rows[k].want, "float op %u: %g", rows[k].op, got);
        CHECK(memcmp(f.data + 512 + 24, &rows[k].old, 4) == 0);
        CHECK(memcmp(&resp[0][7], &rows[k].old, 4) == 0 && resp[0][6] == untouched);
    }
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        setup(devices[i]);
        struct rig_image r = {.type = CMD_SURFACE_2D,
                              .format = FORMAT_R8G8B8A8_UNORM,
                              .width = 16,
                              .height = 8,
                              .pitch = 64,
                              .base = DATA};
        add_image(BTI_2D, r);
        r.format = FORMAT_R32_UINT;
        add_image(BTI_2D_UINT, r);
        test_each();
        test_generations();
        test_simd4x2();
        test_dual();
        test_structured();
        if (f.gen >= 80)
            test_a64_atomics();
        if (f.gen >= 90) {
            test_float_atomics(false);
            test_float_atomics(true);
        }
        teardown();
    }
    return utest_end();
}
