/* Which bytes a data port message touches, in memory and in its registers, lane by lane: what
 * --stats counts and --check judges. Says nothing of what the message does with them (msg_*.c), and
 * records no fault but those that the message itself is about to meet. Source: Intel PRM volume
 * 4/7, "Data Port". */
#include "msg.h"
#include "observe.h"

enum { OWORD = 16, DWORD = 4 };

static const uint64_t ADDRESS_MASK = ((uint64_t)1 << 48) - 1;

/* How the payload of a kind says where. */
enum addressing {
    NONE,
    LANE_BYTES,  /* a 32-bit offset a lane */
    LANE_DWORDS, /* the same in dwords */
    LANE_A64,    /* a 64-bit address a lane */
    BLOCK,       /* an offset in the header, in a surface */
    BLOCK_A64,   /* an address in the header */
    SCRATCH,     /* of the thread's scratch space */
};

static const struct {
    uint8_t addressing;
    bool read, write; /* both: atomic */
} kinds[MSG_N_KINDS] = {
    [MSG_untyped_read] = {LANE_BYTES, true, false},
    [MSG_untyped_write] = {LANE_BYTES, false, true},
    [MSG_untyped_atomic] = {LANE_BYTES, true, true},
    [MSG_float_atomic] = {LANE_BYTES, true, true},
    [MSG_byte_read] = {LANE_BYTES, true, false},
    [MSG_byte_write] = {LANE_BYTES, false, true},
    [MSG_dword_read] = {LANE_DWORDS, true, false},
    [MSG_dword_write] = {LANE_DWORDS, false, true},
    [MSG_const_dword_read] = {LANE_DWORDS, true, false},
    [MSG_oword_read] = {BLOCK, true, false},
    [MSG_oword_read_unaligned] = {BLOCK, true, false},
    [MSG_oword_write] = {BLOCK, false, true},
    [MSG_const_oword_read] = {BLOCK, true, false},
    [MSG_const_oword_read_unaligned] = {BLOCK, true, false},
    [MSG_scratch_read] = {SCRATCH, true, false},
    [MSG_scratch_write] = {SCRATCH, false, true},
    [MSG_a64_read] = {LANE_A64, true, false},
    [MSG_a64_write] = {LANE_A64, false, true},
    [MSG_a64_untyped_read] = {LANE_A64, true, false},
    [MSG_a64_untyped_write] = {LANE_A64, false, true},
    [MSG_a64_atomic] = {LANE_A64, true, true},
    [MSG_a64_float_atomic] = {LANE_A64, true, true},
    [MSG_a64_block_read] = {BLOCK_A64, true, false},
    [MSG_a64_block_write] = {BLOCK_A64, false, true},
};

static bool is_byte(unsigned kind)
{
    return kind == MSG_byte_read || kind == MSG_byte_write;
}

/* One datum at `off` of the view: into the list, or out of bounds. */
static void add(struct reach *r, const struct view *v, uint64_t off, struct reach_piece p)
{
    p.at = off;
    if (off + p.size > v->size) {
        if (!r->n_out++)
            r->out = p;
        return;
    }
    p.at = v->slm ? off : (v->base + off) & ADDRESS_MASK;
    if (r->n < REACH_MAX)
        r->piece[r->n++] = p;
}

/* The data of one lane: channels, elements, or a single datum. */
static void add_lane(struct reach *r, const struct view *v, const struct msg *m, unsigned lane,
                     uint64_t off)
{
    unsigned group = m->simd / 8 * EU_GRF_SIZE; /* bytes of a dword a lane */
    struct reach_piece p = {.lane = (int8_t)lane, .size = DWORD, .slot = DWORD};
    switch ((enum msg_kind)m->kind) {
    case MSG_untyped_read:
    case MSG_untyped_write:
    case MSG_a64_untyped_read:
    case MSG_a64_untyped_write:
        for (unsigned c = 0, k = 0; c < 4; c++) {
            if (m->chan_off >> c & 1)
                continue;
            p.data = (uint16_t)(k++ * group + DWORD * lane);
            add(r, v, off + DWORD * c, p);
        }
        return;
    case MSG_a64_read:
    case MSG_a64_write:
        p.size = m->data_size;
        p.slot = m->data_size == 8 ? 8 : DWORD;
        for (unsigned e = 0; e < m->n_elem; e++) {
            p.data = (uint16_t)(e * group * (p.slot / DWORD) + lane * p.slot);
            add(r, v, off + e * p.size, p);
        }
        return;
    case MSG_a64_atomic:
        p.size = p.slot = m->is_64 ? 8 : DWORD;
        break;
    case MSG_byte_read:
    case MSG_byte_write:
        p.size = m->data_size;
        break;
    default:
        break;
    }
    p.data = (uint16_t)(lane * p.slot);
    add(r, v, off, p);
}

/* Dwords of a block that an enabled channel guards; an OWord alone has the first four channels. */
static bool dword_moves(const struct msg *m, uint32_t lanes, unsigned d)
{
    bool owords =
        m->kind == MSG_scratch_read || m->kind == MSG_scratch_write ? !m->dword_mode : false;
    return owords ? lanes >> (d & 12) & 0xf : lanes >> (d & 15) & 1;
}

static void add_block(struct reach *r, const struct view *v, const struct msg *m, uint32_t lanes,
                      uint64_t off, unsigned n_dwords)
{
    unsigned first = m->high_half ? OWORD : 0;
    for (unsigned d = 0; d < n_dwords; d++) {
        if (dword_moves(m, lanes, d))
            add(r, v, off + DWORD * d,
                (struct reach_piece){.data = (uint16_t)(first + DWORD * d),
                                     .size = DWORD,
                                     .slot = DWORD,
                                     .lane = -1});
    }
}

static uint64_t lane_offset(enum addressing a, const struct view *v, const uint8_t *p,
                            unsigned lane)
{
    if (a == LANE_A64)
        return msg_qword(p, lane) & ADDRESS_MASK;
    uint64_t off = msg_dword(p, lane);
    return v->slm ? off & 0xffff : a == LANE_DWORDS ? off * DWORD : off;
}

bool reach_find(struct reach *r, struct eu_thread *t, const struct msg *m, uint32_t exdesc,
                uint32_t lanes, const uint8_t *payload)
{
    enum addressing a = kinds[m->kind].addressing;
    const uint8_t *header = m->header ? payload : NULL;
    bool write = kinds[m->kind].write;
    struct view v;
    if (a == NONE || m->simd4x2 || t->d->fault->set)
        return false;
    r->write = write;
    r->atomic = write && kinds[m->kind].read;
    r->returns = r->atomic ? m->returns : !write;
    r->slm = false;
    r->scratch = a == SCRATCH;
    r->constant = m->kind == MSG_const_dword_read || m->kind == MSG_const_oword_read ||
                  m->kind == MSG_const_oword_read_unaligned;
    r->n = r->n_out = 0;
    r->bti = m->bti;
    switch (a) {
    case NONE:
        return false;
    case LANE_BYTES:
    case LANE_DWORDS:
    case BLOCK: {
        unsigned unit = a == LANE_DWORDS ? DWORD : is_byte(m->kind) ? 1 : 0;
        if (!view_open(&v, t, m, exdesc, header, unit, write))
            return false;
        break;
    }
    case LANE_A64:
    case BLOCK_A64:
        view_open_flat(&v, t, m, 0, ADDRESS_MASK + 1, write);
        break;
    case SCRATCH:
        view_open_flat(&v, t, m, t->d->general_base + (msg_dword(payload, 5) & ~0x3ffu),
                       t->d->scratch_per_thread, write);
        break;
    }
    r->slm = v.slm;
    r->base = v.base;
    r->size = v.size;
    if (a == BLOCK) {
        r->data = payload + EU_GRF_SIZE;
        add_block(r, &v, m, lanes, (uint64_t)msg_dword(payload, 2) * (m->unaligned ? 1 : OWORD),
                  m->n_oword * 4u);
        return true;
    }
    if (a == BLOCK_A64) {
        r->data = payload + EU_GRF_SIZE;
        add_block(r, &v, m, lanes, msg_qword(payload, 0) & ADDRESS_MASK, m->n_oword * 4u);
        return true;
    }
    if (a == SCRATCH) {
        r->data = payload + EU_GRF_SIZE;
        add_block(r, &v, m, lanes, m->scratch_offset * EU_GRF_SIZE,
                  m->n_regs * (EU_GRF_SIZE / DWORD));
        return true;
    }
    payload += header ? EU_GRF_SIZE : 0;
    r->data = payload + m->simd / 8 * EU_GRF_SIZE * (a == LANE_A64 ? 2 : 1);
    lanes &= v.lane_mask & ((1u << m->simd) - 1);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        add_lane(r, &v, m, lane, lane_offset(a, &v, payload, lane));
    }
    return true;
}
