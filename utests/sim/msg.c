/* Messages, one by one: msg_execute() on a thread made by hand, with surfaces in a small address
 * space. Expected values follow from the documents' address and masking rules, computed here lane
 * by lane. */
#include "msg_rig.h"

#include <pthread.h>

static void test_untyped_read(unsigned simd)
{
    static const uint8_t masks[] = {0xe, 0xc, 0x8, 0x0, 0xa, 0x6, 0xd, 0x5};
    static const struct {
        uint32_t first, step;
    } where[] = {{64, 4}, {256, 16}, {1024, 0}, {4096 * 2 - 8, 4}, {8192, 20}};
    uint32_t all = (1u << simd) - 1;
    unsigned g = simd / 8;
    for (unsigned k = 0; k < sizeof masks; k++) {
        for (unsigned w = 0; w < sizeof where / sizeof where[0]; w++) {
            for (unsigned lanes_i = 0; lanes_i < 3; lanes_i++) {
                uint32_t lanes = lanes_i == 0 ? all : lanes_i == 1 ? 0x5a2d & all : 0;
                struct msg m = {
                    .kind = MSG_untyped_read, .simd = simd, .bti = BTI_RAW, .chan_off = masks[k]};
                offsets(0, simd, where[w].first, where[w].step);
                must(m, lanes);
                unsigned reg = 0;
                for (unsigned c = 0; c < 4; c++) {
                    if (masks[k] >> c & 1)
                        continue;
                    for (unsigned i = 0; i < simd; i++) {
                        uint32_t o = where[w].first + i * where[w].step + 4 * c;
                        uint32_t want = lanes >> i & 1 ? at32(f.data + o) : untouched;
                        CHECKF(resp32(reg * g * 8 + i) == want, "mask %x lane %u", masks[k], i);
                    }
                    reg++;
                }
                CHECK(resp32(reg * g * 8) == untouched);
            }
        }
    }
}

static void test_bounds(void)
{
    struct msg m = {.kind = MSG_untyped_read, .simd = 16, .bti = BTI_SHORT, .n_chan = 2};
    offsets(0, 16, 64, 4);
    must(m, 0xffff);
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned c = 0; c < 2; c++) {
            uint32_t o = 64 + 4 * i + 4 * c;
            CHECK(resp32(16 * c + i) == (o + 4 <= SHORT_SIZE ? at32(f.data + o) : 0));
        }
    }
    /* "Negative" offsets are large ones. */
    offsets(0, 16, -8, 4);
    must(m, 0xffff);
    CHECK(resp32(0) == 0 && resp32(1) == 0 && resp32(2) == at32(f.data) && resp32(16 + 1) == 0);
    m.bti = BTI_NULL;
    must(m, 0xf0f0);
    CHECK(resp32(4) == 0 && resp32(0) == untouched);
    /* Writes past the end are dropped, each dword for itself. */
    struct msg w = {.kind = MSG_untyped_write, .simd = 8, .bti = BTI_SHORT, .n_chan = 2};
    uint8_t before[256];
    memcpy(before, f.data, sizeof before);
    offsets(0, 8, 80, 8);
    offsets(1, 16, 0xa0000000, 1);
    must(w, 0xff);
    CHECK(at32(f.data + 80) == 0xa0000000 && at32(f.data + 84) == 0xa0000008);
    CHECK(at32(f.data + 96) == 0xa0000002);
    CHECK(memcmp(f.data + SHORT_SIZE, before + SHORT_SIZE, 156) == 0);
    memcpy(f.data, before, sizeof before);
}

static void test_untyped_write(void)
{
    for (unsigned simd = 8; simd <= 16; simd += 8) {
        struct msg m = {.kind = MSG_untyped_write, .simd = simd, .bti = BTI_RAW, .n_chan = 1};
        unsigned g = simd / 8;
        uint8_t before[256];
        memcpy(before, f.data + 512, sizeof before);
        for (unsigned lanes_i = 0; lanes_i < 2; lanes_i++) {
            uint32_t lanes = lanes_i ? 0x3c5a & ((1u << simd) - 1) : (1u << simd) - 1;
            offsets(0, simd, 512, 4);
            offsets(g, simd, 0x1000 * (lanes_i + 1), 1);
            must(m, lanes);
            for (unsigned i = 0; i < simd; i++)
                CHECK(at32(f.data + 512 + 4 * i) ==
                      (lanes >> i & 1 ? 0x1000 * (lanes_i + 1) + i : 0x1000 + i));
            CHECK(memcmp(f.data + 512 + 4 * simd, before + 4 * simd, 256 - 4 * simd) == 0);
        }
        /* All lanes to one place: the last one wins. */
        offsets(0, simd, 600, 0);
        must(m, (1u << simd) - 1);
        CHECK(at32(f.data + 600) == 0x2000 + simd - 1);
        memcpy(f.data + 512, before, sizeof before);
    }
}

static void test_untyped_faults(void)
{
    struct msg m = {.kind = MSG_untyped_read, .simd = 8, .bti = BTI_RAW, .n_chan = 1};
    offsets(0, 8, 2, 4);
    must_fault(m, 0xff, "aligned");
    must(m, 0); /* no lane, nothing wrong */
    offsets(0, 8, 0, 4);
    m.bti = BTI_IMAGE;
    must_fault(m, 0xff, "image");
    m.bti = BTI_TYPED;
    must_fault(m, 0xff, "typed buffer");
    m.bti = BTI_ODD;
    must_fault(m, 0xff, "multiple of 4");
    m.bti = BTI_UNMAPPED;
    must_fault(m, 0x10, "0x700010");
    CHECK(strstr(f.fault.text, "lane 4") && strstr(f.fault.text, "surface 7"));
    m.bti = 100; /* entry 0: no surface state there, but zeros: a 1D image */
    must_fault(m, 0xff, "surface 100");
    struct msg w = {.kind = MSG_untyped_write, .simd = 8, .bti = BTI_RO, .n_chan = 1};
    must_fault(w, 0xff, "read-only");
    CHECK(f.ro[0] == 0x42);
}

/* A surface over the whole address space, as the first drivers of Gen7 had it. */
static void test_window(void)
{
    struct msg m = {.kind = MSG_untyped_read, .simd = 16, .bti = BTI_ALL, .n_chan = 1};
    offsets(0, 16, DATA + PAGES - 32, 4); /* over the edge of two objects */
    must(m, 0xffff);
    for (unsigned i = 0; i < 16; i++)
        CHECK(resp32(i) ==
              (i < 8 ? at32(f.data + PAGES - 32 + 4 * i) : at32(f.other + 4 * (i - 8))));
    offsets(0, 16, OTHER + 64, -4);
    must(m, 0xffff);
    for (unsigned i = 0; i < 16; i++)
        CHECK(resp32(i) == at32(f.other + 64 - 4 * i));
    offsets(0, 16, OTHER + PAGES - 32, 4);
    must_fault(m, 0xffff, "page fault: read of 4 bytes at 0x120000");
}

static void test_byte_scattered(void)
{
    for (unsigned size = 1; size <= 4; size *= 2) {
        struct msg m = {
            .kind = MSG_byte_read, .simd = 16, .bti = BTI_RAW, .data_size = size, .n_elem = 1};
        offsets(0, 16, 4096 - 7, 3);
        must(m, 0xbfff);
        for (unsigned i = 0; i < 16; i++) {
            uint32_t want = 0;
            memcpy(&want, f.data + 4096 - 7 + 3 * i, size);
            CHECK(resp32(i) == (i == 14 ? untouched : want));
        }
        /* Through the edge of two objects, byte by byte. */
        m.bti = BTI_ALL;
        offsets(0, 16, DATA + PAGES - 8, 1);
        must(m, 0xffff);
        for (unsigned i = 0; i < 16; i++) {
            uint32_t want = 0;
            for (unsigned b = 0; b < size; b++) {
                unsigned o = i + b;
                want |= (uint32_t)(o < 8 ? f.data[PAGES - 8 + o] : f.other[o - 8]) << 8 * b;
            }
            CHECKF(resp32(i) == want, "size %u lane %u: %x %x", size, i, resp32(i), want);
        }
        struct msg w = {
            .kind = MSG_byte_write, .simd = 8, .bti = BTI_ALL, .data_size = size, .n_elem = 1};
        uint8_t keep[64];
        memcpy(keep, f.data + 2000, 64);
        offsets(0, 8, DATA + 2001, 5);
        for (unsigned i = 0; i < 8; i++)
            payload[1][i] = 0x04030201 * (i + 1);
        must(w, 0xfe);
        for (unsigned o = 0; o < 64; o++) {
            unsigned i = (o - 1) / 5, b = (o - 1) % 5;
            bool hit = o >= 1 && i >= 1 && i < 8 && b < size;
            CHECK(f.data[2000 + o] == (hit ? (uint8_t)(0x04030201 * (i + 1) >> 8 * b) : keep[o]));
        }
        memcpy(f.data + 2000, keep, 64);
    }
    /* Bounds by the byte. */
    struct msg m = {
        .kind = MSG_byte_read, .simd = 8, .bti = BTI_SHORT, .data_size = 4, .n_elem = 1};
    offsets(0, 8, 97, 1);
    must(m, 0xff);
    uint32_t want = 0;
    memcpy(&want, f.data + 97, 3);
    CHECK(resp32(0) == want && resp32(3) == 0);
}

static void test_dword_scattered(void)
{
    struct msg m = {.kind = MSG_dword_read, .simd = 16, .bti = BTI_RAW, .header = true};
    header(0);          /* no lane mask in this one */
    payload[0][2] = 10; /* global offset, in dwords */
    offsets(1, 16, 100, 3);
    must(m, 0xffff);
    for (unsigned i = 0; i < 16; i++)
        CHECK(resp32(i) == at32(f.data + 4 * (10 + 100 + 3 * i)));
    struct msg k = {.kind = MSG_const_dword_read, .simd = 8, .bti = BTI_TYPED};
    offsets(0, 8, 56, 2);
    must(k, 0xff);
    for (unsigned i = 0; i < 8; i++) /* 16 elements of 16 bytes: 64 dwords */
        CHECK(resp32(i) == (56 + 2 * i < 64 ? at32(f.data + 4 * (56 + 2 * i)) : 0));
    struct msg w = {.kind = MSG_dword_write, .simd = 8, .bti = BTI_RAW};
    offsets(0, 8, 700, 1);
    offsets(1, 8, 0x500, 1);
    must(w, 0x81);
    CHECK(at32(f.data + 2800) == 0x500 && at32(f.data + 2828) == 0x507);
    CHECK(at32(f.data + 2804) != 0x501);
}

static void test_stateless(void)
{
    /* General state base + buffer base of the header (1 KiB granules) + global offset + lane. */
    struct msg m = {.kind = MSG_dword_read, .simd = 8, .bti = MSG_BTI_STATELESS, .header = true};
    f.d.general_base = 0x80000;
    header(0);
    payload[0][5] = 0x80000 + 0x1f; /* thread id in the low bits */
    payload[0][2] = 4;
    offsets(1, 8, 1, 1);
    must(m, 0xff);
    for (unsigned i = 0; i < 8; i++)
        CHECK(resp32(i) == at32(f.data + 4 * (4 + 1 + i)));
    f.d.general_size = 0x80000 + 24;
    must(m, 0xff);
    CHECK(resp32(0) == at32(f.data + 20) && resp32(1) == 0);
    f.d.general_size = 0;
    f.d.general_base = 0;
    struct msg u = {.kind = MSG_untyped_read,
                    .simd = 8,
                    .bti = MSG_BTI_STATELESS,
                    .n_chan = 1,
                    .header = f.gen < 90};
    header(0x0f);
    offsets(u.header, 8, DATA, 4);
    must(u, 0xff);
    for (unsigned i = 0; i < 8; i++)
        CHECK(resp32(i) == (u.header && i >= 4 ? untouched : at32(f.data + 4 * i)));
}

static void test_blocks(void)
{
    for (unsigned n = 1; n <= 8; n *= 2) {
        for (unsigned unaligned = 0; unaligned < 2; unaligned++) {
            struct msg m = {.kind = unaligned ? MSG_oword_read_unaligned : MSG_oword_read,
                            .n_oword = n,
                            .unaligned = unaligned,
                            .bti = BTI_RAW,
                            .header = true};
            memset(payload[0], 0xcd, 32); /* the rest of the header is garbage */
            payload[0][2] = unaligned ? 68 : 5;
            must(m, n == 1 ? 0xf : n == 2 ? 0xff : 0xffff);
            CHECK(memcmp(resp, f.data + (unaligned ? 68 : 80), 16 * n) == 0);
            CHECK(resp32(4 * n) == untouched);
        }
    }
    struct msg m = {
        .kind = MSG_oword_read, .n_oword = 1, .high_half = true, .bti = BTI_RAW, .header = true};
    payload[0][2] = 2;
    must(m, 0xf);
    CHECK(resp32(0) == untouched && memcmp(&resp[0][4], f.data + 32, 16) == 0);
    /* Past the end of the surface: zeros, as Intel's compiler relies on. */
    m = (struct msg){.kind = MSG_const_oword_read_unaligned,
                     .n_oword = 8,
                     .bti = BTI_SHORT,
                     .header = true,
                     .unaligned = true};
    payload[0][2] = 0;
    must(m, 0xffff);
    CHECK(memcmp(resp, f.data, SHORT_SIZE) == 0 && resp32(25) == 0 && resp32(31) == 0);
    m.bti = BTI_RAW;
    payload[0][2] = 6;
    must_fault(m, 0xffff, "aligned");
    /* Writes, dword masked: bits 0..7 guard registers 1 and 3, 8..15 registers 2 and 4. */
    struct msg w = {.kind = MSG_oword_write, .n_oword = 8, .bti = BTI_RAW, .header = true};
    uint8_t keep[128];
    memcpy(keep, f.data + 0x800, 128);
    payload[0][2] = 0x80;
    offsets(1, 32, 0x9000, 1);
    must(w, 0x01fe);
    for (unsigned i = 0; i < 32; i++)
        CHECK(at32(f.data + 0x800 + 4 * i) ==
              (0x01fe >> i % 16 & 1 ? 0x9000 + i : at32(keep + 4 * i)));
    memcpy(f.data + 0x800, keep, 128);
}

static void test_scratch(void)
{
    unsigned max = f.gen >= 80 ? 8 : 4;
    memset(payload[0], 0xcd, 32);
    payload[0][5] = DATA + 0x1000 + 0x15; /* r0.5: scratch base and thread id */
    for (unsigned n = 1; n <= max; n *= 2) {
        struct msg m = {.kind = MSG_scratch_read, .n_regs = n, .scratch_offset = 3, .header = true};
        must(m, 0xffff);
        CHECK(memcmp(resp, f.data + 0x1000 + 96, 32 * n) == 0 && resp32(8 * n) == untouched);
    }
    struct msg w = {.kind = MSG_scratch_write,
                    .n_regs = 2,
                    .scratch_offset = 7,
                    .header = true,
                    .dword_mode = true};
    uint8_t keep[64];
    memcpy(keep, f.data + 0x1000 + 224, 64);
    offsets(1, 16, 0x7000, 1);
    must(w, 0xa5c3);
    for (unsigned i = 0; i < 16; i++)
        CHECK(at32(f.data + 0x1000 + 224 + 4 * i) ==
              (0xa5c3 >> i & 1 ? 0x7000 + i : at32(keep + 4 * i)));
    memcpy(f.data + 0x1000 + 224, keep, 64);
    w.scratch_offset = 31;
    must_fault(w, 0xffff, "scratch space");
}

static void test_atomics(void)
{
    static const struct {
        unsigned op, n_ops;
        uint32_t old, a, b, want;
    } rows[] = {
        {ATOMIC_AND, 1, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
        {ATOMIC_OR, 1, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
        {ATOMIC_XOR, 1, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
        {ATOMIC_MOV, 1, 1, 77, 0, 77},
        {ATOMIC_INC, 0, 0xffffffff, 0, 0, 0},
        {ATOMIC_DEC, 0, 0, 0, 0, 0xffffffff},
        {ATOMIC_ADD, 1, 5, 0xfffffffe, 0, 3},
        {ATOMIC_SUB, 1, 5, 7, 0, 0xfffffffe},
        {ATOMIC_REVSUB, 1, 5, 7, 0, 2},
        {ATOMIC_IMAX, 1, 0xffffffff, 1, 0, 1},
        {ATOMIC_IMIN, 1, 0xffffffff, 1, 0, 0xffffffff},
        {ATOMIC_UMAX, 1, 0xffffffff, 1, 0, 0xffffffff},
        {ATOMIC_UMIN, 1, 0xffffffff, 1, 0, 1},
        {ATOMIC_CMPWR, 2, 9, 9, 44, 44},
        {ATOMIC_CMPWR, 2, 9, 8, 44, 9},
        {ATOMIC_PREDEC, 0, 9, 0, 0, 8},
    };
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (unsigned simd = 8; simd <= 16; simd += 8) {
            struct msg m = {.kind = MSG_untyped_atomic,
                            .simd = simd,
                            .bti = BTI_RAW,
                            .atomic = rows[r].op,
                            .returns = true};
            unsigned g = simd / 8;
            offsets(0, simd, 128, 4);
            offsets(g, simd, rows[r].a, 0);
            offsets(2 * g, simd, rows[r].b, 0);
            for (unsigned i = 0; i < simd; i++)
                memcpy(f.data + 128 + 4 * i, &rows[r].old, 4);
            must(m, 0x7fff & ((1u << simd) - 1));
            for (unsigned i = 0; i < simd; i++) {
                bool on = i != 15;
                uint32_t back = rows[r].op == ATOMIC_PREDEC ? rows[r].want : rows[r].old;
                CHECKF(at32(f.data + 128 + 4 * i) == (on ? rows[r].want : rows[r].old), "op %u",
                       rows[r].op);
                CHECK(resp32(i) == (on ? back : untouched));
            }
        }
    }
    /* All lanes on one dword: in ascending order. */
    struct msg m = {.kind = MSG_untyped_atomic,
                    .simd = 16,
                    .bti = BTI_RAW,
                    .atomic = ATOMIC_ADD,
                    .returns = true};
    uint32_t start = 1000;
    memcpy(f.data + 128, &start, 4);
    offsets(0, 16, 128, 0);
    offsets(2, 16, 1, 1);
    must(m, 0xffff);
    for (unsigned i = 0; i < 16; i++)
        CHECK(resp32(i) == 1000 + i * (i + 1) / 2);
    CHECK(at32(f.data + 128) == 1000 + 136);
    /* Out of bounds: nothing, 0 back. */
    m.bti = BTI_SHORT;
    offsets(0, 16, 96, 4);
    uint32_t beyond = at32(f.data + 100);
    must(m, 0xffff);
    CHECK(resp32(1) == 0 && at32(f.data + 100) == beyond);
    m.bti = BTI_RO;
    offsets(0, 16, 0, 4);
    must_fault(m, 0xffff, "read-only");
    if (f.gen < 90)
        return;
    struct msg fl = {.kind = MSG_float_atomic,
                     .simd = 8,
                     .bti = BTI_RAW,
                     .atomic = MSG_FLOAT_MAX,
                     .returns = true};
    static const float olds[8] = {1, -1, 0.5f, -0.0f, 3, 1e30f, -5, 7};
    memcpy(f.data + 256, olds, 32);
    for (unsigned i = 0; i < 8; i++) {
        float a = 2;
        memcpy(&payload[1][i], &a, 4);
    }
    offsets(0, 8, 256, 4);
    must(fl, 0xff);
    for (unsigned i = 0; i < 8; i++) {
        float v;
        memcpy(&v, f.data + 256 + 4 * i, 4);
        CHECK(v == (olds[i] > 2 ? olds[i] : 2) && memcmp(&resp[0][i], &olds[i], 4) == 0);
    }
}

static void addresses(unsigned n, uint64_t first, uint64_t step)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t at = first + i * step;
        memcpy((uint8_t *)payload + 8 * i, &at, 8);
    }
}

static void test_a64(void)
{
    unsigned simds = f.gen >= 90 ? 2 : 1;
    for (unsigned s = 0; s < simds; s++) {
        unsigned simd = s ? 16 : 8, g = simd / 8;
        uint32_t all = (1u << simd) - 1;
        static const struct {
            uint8_t size, n;
            bool bytes;
        } forms[] = {{1, 1, true},  {2, 1, true},  {4, 1, true},  {8, 1, true},
                     {4, 1, false}, {4, 2, false}, {4, 4, false}, {4, 8, false},
                     {8, 1, false}, {8, 2, false}, {8, 4, false}};
        for (unsigned k = 0; k < sizeof forms / sizeof forms[0]; k++) {
            unsigned size = forms[k].size, n = forms[k].n, slot = size == 8 ? 8 : 4;
            unsigned step = forms[k].bytes ? size + 1 : size * n + (k & 1) * size;
            if (g * n * slot / 4 > 8) /* a response has eight registers at most */
                continue;
            struct msg m = {.kind = MSG_a64_read,
                            .simd = simd,
                            .bti = 255,
                            .data_size = size,
                            .n_elem = n,
                            .unaligned = forms[k].bytes};
            for (unsigned half = 0; half < 2; half++) {
                uint32_t lanes = half ? 0x9669 & all : all;
                /* Canonical bits above bit 47 don't count. */
                addresses(simd, DATA + 512, step);
                must(m, lanes);
                for (unsigned e = 0; e < n; e++) {
                    for (unsigned i = 0; i < simd; i++) {
                        const uint8_t *r = (uint8_t *)resp + e * g * 32 * (slot / 4) + i * slot;
                        uint64_t want = 0, got = 0;
                        memcpy(&want, f.data + 512 + i * step + e * size, size);
                        memcpy(&got, r, slot);
                        if (!(lanes >> i & 1))
                            memset(&want, 0xee, slot);
                        CHECKF(got == want, "size %u x %u lane %u", size, n, i);
                    }
                }
            }
            m.kind = MSG_a64_write;
            uint8_t keep[1024];
            memcpy(keep, f.other, sizeof keep);
            addresses(simd, OTHER + 64, step);
            offsets(2 * g, n * g * 8 * (slot / 4), 0x11223344, 0x01010101);
            must(m, all & ~2u);
            for (unsigned i = 0; i < simd; i++) {
                for (unsigned e = 0; e < n; e++) {
                    const uint8_t *from =
                        (uint8_t *)payload[2 * g] + e * g * 32 * (slot / 4) + i * slot;
                    const uint8_t *to = f.other + 64 + i * step + e * size;
                    CHECK(memcmp(to, i == 1 ? keep + (to - f.other) : from, size) == 0);
                }
            }
            memcpy(f.other, keep, sizeof keep);
        }
        struct msg u = {.kind = MSG_a64_untyped_read, .simd = simd, .bti = 255, .chan_off = 0xa};
        addresses(simd, DATA + 4, 16);
        must(u, all);
        for (unsigned i = 0; i < simd; i++) {
            CHECK(resp32(i) == at32(f.data + 4 + 16 * i));
            CHECK(resp32(simd + i) == at32(f.data + 12 + 16 * i));
        }
        u.kind = MSG_a64_untyped_write;
        u.chan_off = 0xe;
        addresses(simd, OTHER, 4);
        offsets(2 * g, simd, 0xabc0, 1);
        must(u, all);
        for (unsigned i = 0; i < simd; i++)
            CHECK(at32(f.other + 4 * i) == 0xabc0 + i);
    }
    struct msg m = {.kind = MSG_a64_read, .simd = 8, .bti = 255, .data_size = 4, .n_elem = 1};
    addresses(8, DATA + 2, 4);
    must_fault(m, 0xff, "aligned");
    addresses(8, 0x900000, 4);
    must_fault(m, 0x80, "0x90001c");
    addresses(8, 0xffff000000000000ull + DATA, 4);
    must(m, 0xff);
    /* 64-bit atomics. */
    struct msg a = {.kind = MSG_a64_atomic,
                    .bti = 255,
                    .simd = 8,
                    .is_64 = true,
                    .returns = true,
                    .atomic = ATOMIC_CMPWR};
    uint64_t old = 0x123456789abcdef0ull, new = 0xfedcba9876543210ull;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t v = old + (i & 1);
        memcpy(f.data + 1024 + 8 * i, &v, 8);
        memcpy((uint8_t *)payload[2] + 8 * i, &old, 8);
        memcpy((uint8_t *)payload[4] + 8 * i, &new, 8);
    }
    addresses(8, DATA + 1024, 8);
    must(a, 0x7f);
    for (unsigned i = 0; i < 7; i++) {
        CHECK(at64(f.data + 1024 + 8 * i) == (i & 1 ? old + 1 : new));
        CHECK(at64((uint8_t *)resp + 8 * i) == old + (i & 1));
    }
    CHECK(at64((uint8_t *)resp + 56) == 0xeeeeeeeeeeeeeeeeull);
    a.atomic = ATOMIC_IMIN;
    must(a, 1); /* signed at 64 bits: new is negative */
    CHECK(at64(f.data + 1024) == new);
    addresses(8, DATA + 1028, 8);
    must_fault(a, 1, "8-byte aligned");
    a.is_64 = false;
    a.atomic = ATOMIC_ADD;
    a.returns = false;
    offsets(2, 8, 5, 0);
    uint32_t was = at32(f.data + 1028);
    must(a, 1);
    CHECK(at32(f.data + 1028) == was + 5);
    /* Blocks. */
    for (unsigned unaligned = 0; unaligned < 2; unaligned++) {
        struct msg b = {.kind = MSG_a64_block_read,
                        .bti = 255,
                        .n_oword = 8,
                        .unaligned = unaligned,
                        .header = true};
        memset(payload[0], 0xab, 32);
        addresses(1, DATA + (unaligned ? 36 : 48), 0);
        must(b, 0xffff);
        CHECK(memcmp(resp, f.data + (unaligned ? 36 : 48), 128) == 0);
        addresses(1, DATA + (unaligned ? 38 : 50), 0);
        must_fault(b, 0xffff, "aligned");
    }
    struct msg b = {.kind = MSG_a64_block_write, .bti = 255, .n_oword = 2, .header = true};
    addresses(1, OTHER + 256, 0);
    offsets(1, 8, 0x4400, 1);
    must(b, 0xff);
    CHECK(at32(f.other + 256) == 0x4400 && at32(f.other + 284) == 0x4407);
}

static void test_slm(void)
{
    struct msg m = {.kind = MSG_untyped_read, .simd = 8, .bti = MSG_BTI_SLM, .n_chan = 2};
    offsets(0, 8, 0x10000000 + 40, 8); /* Intel's tag above the low 16 bits */
    must(m, 0xff);
    for (unsigned i = 0; i < 8; i++)
        CHECK(resp32(i) == at32(f.slm + 40 + 8 * i) && resp32(8 + i) == at32(f.slm + 44 + 8 * i));
    struct msg a = {
        .kind = MSG_untyped_atomic, .simd = 16, .bti = MSG_BTI_SLM, .atomic = ATOMIC_INC};
    uint32_t was = at32(f.slm + 100);
    offsets(0, 16, 100, 0);
    must(a, 0x0f0f);
    CHECK(at32(f.slm + 100) == was + 8);
    struct msg b = {
        .kind = MSG_byte_write, .simd = 8, .bti = MSG_BTI_SLM, .data_size = 1, .n_elem = 1};
    offsets(0, 8, 7, 1);
    offsets(1, 8, 0x1a0, 1);
    must(b, 0xff);
    CHECK(f.slm[7] == 0xa0 && f.slm[14] == 0xa7);
    offsets(0, 8, SLM - 16, 4);
    must_fault(m, 0xff, "past the group's 4096 bytes");
    f.d.slm_size = 0;
    must_fault(m, 0xff, "no shared local memory");
    f.d.slm_size = SLM;
    offsets(0, 8, 0, 4);
    f.t->sr0[1] = 4 << 8;
    if (f.gen == 75)
        must_fault(m, 0xff, "sr0.1");
    else
        must(m, 0xff);
    f.t->sr0[1] = 5 << 8;
}

static void test_others(void)
{
    struct msg bar = {.kind = MSG_gateway, .gateway_fn = MSG_GATEWAY_BARRIER};
    memset(payload[0], 0, 32);
    payload[0][2] = 3 << 24;
    f.t->n0[0] = 0;
    must(bar, 1);
    CHECK(f.t->n0[0] == 1 && f.g.n_arrived == 0);
    payload[0][2] = 4 << 24;
    must_fault(bar, 1, "barrier id 4");
    f.d.barrier = false;
    payload[0][2] = 3 << 24;
    must_fault(bar, 1, "barrier");
    f.d.barrier = true;
    struct msg fence = {.kind = MSG_fence, .header = true};
    must(fence, 1);
    CHECK(resp32(0) == untouched);
    fence.commit = true;
    must(fence, 0xff);
    must((struct msg){.kind = MSG_end_thread}, 0xff);
}

/* Host threads on one dword: no increment is lost. */
static void *add_many(void *arg)
{
    uint32_t p[2][8], r[1][8];
    struct msg m = {.kind = MSG_untyped_atomic,
                    .simd = 8,
                    .bti = BTI_RAW,
                    .atomic = ATOMIC_ADD,
                    .returns = true,
                    .mlen = 2,
                    .rlen = 1};
    struct eu_insn in = {.op = EU_OP_send, .exec_size = 8};
    for (unsigned i = 0; i < 8; i++) {
        p[0][i] = 3000 & ~3u;
        p[1][i] = 1;
    }
    for (unsigned i = 0; i < 5000; i++) {
        if (!msg_execute(f.t, &in, &m, 0, 0xff, (uint8_t *)p, (uint8_t *)r))
            return arg;
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t t[4];
    uint32_t zero = 0;
    void *failed;
    memcpy(f.data + 3000, &zero, 4);
    for (unsigned i = 0; i < 4; i++)
        REQUIRE(pthread_create(&t[i], NULL, add_many, &f) == 0);
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(t[i], &failed);
        CHECK(!failed);
    }
    CHECK(at32(f.data + 3000) == 4 * 5000 * 8);
}

static void test_bindless(void)
{
    struct msg m = {.kind = MSG_untyped_read, .simd = 8, .bti = MSG_BTI_BINDLESS, .n_chan = 1};
    f.d.bindless_base = STATES;
    offsets(0, 8, 64, 4);
    bool ok = run_exdesc(m, 0xff, 0x1000); /* the state of surface 0 */
    CHECKF(ok, "%s", f.fault.text);
    CHECK(resp32(7) == at32(f.data + 92));
}

int main(void)
{
    static const char *const devices[] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned i = 0; i < 4; i++) {
        setup(devices[i]);
        test_untyped_read(8);
        test_untyped_read(16);
        test_bounds();
        test_untyped_write();
        test_untyped_faults();
        test_window();
        test_byte_scattered();
        test_dword_scattered();
        test_stateless();
        test_blocks();
        test_scratch();
        test_atomics();
        if (f.gen >= 80)
            test_a64();
        if (f.gen >= 90)
            test_bindless();
        test_slm();
        test_others();
        test_threads();
        teardown();
    }
    return utest_end();
}
