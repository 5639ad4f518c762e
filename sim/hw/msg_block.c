/* Block messages: consecutive bytes to consecutive registers, the address in the header. OWord
 * blocks of surfaces and stateless memory, A64 blocks, scratch blocks. Source: Intel PRM volume
 * 4/7, "OWord Block Read/Write", "Scratch Block Read/Write", "A64 Block". */
#include "msg.h"

enum { OWORD = 16, DWORDS_PER_REG = 8 };

/* Bit d of the result: dword d of the data moves. The sixteen mask bits of the message guard the
 * dwords of two registers, and of each further pair again; a single OWord has the first four. */
static uint64_t dword_mask(uint32_t lanes, unsigned n_dwords)
{
    uint64_t mask = lanes & 0xffff;
    mask |= mask << 16;
    mask |= mask << 32;
    return n_dwords >= 64 ? mask : mask & ((1ull << n_dwords) - 1);
}

static bool move(struct view *v, uint64_t off, uint64_t mask, unsigned n_dwords, uint8_t *data)
{
    bool all = mask == (n_dwords >= 64 ? ~0ull : (1ull << n_dwords) - 1);
    if (all && off + 4 * n_dwords <= v->size) {
        uint8_t *p = view_ptr(v, off, 4 * n_dwords);
        if (p) {
            memcpy(v->write ? p : data, v->write ? data : p, 4 * n_dwords);
            return true;
        }
    }
    for (unsigned d = 0; d < n_dwords; d++) {
        uint64_t o = off + 4 * d;
        if (!(mask >> d & 1))
            continue;
        if (o + 4 > v->size) {
            if (!v->write)
                msg_set_dword(data, d, 0); /* Intel's compiler reads past the end of constants */
        } else if (v->write ? !view_write(v, o, data + 4 * d, 4, -1)
                            : !view_read(v, o, data + 4 * d, 4, -1)) {
            return false;
        }
    }
    return true;
}

/* The message's lanes: blocks look at sixteen, whatever SIMD mode a descriptor of lanes would have.
 */
bool msg_block(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
               const uint8_t *payload, uint8_t *resp)
{
    struct view v;
    bool write = m->kind == MSG_oword_write;
    uint64_t off = (uint64_t)msg_dword(payload, 2) * (m->unaligned ? 1 : OWORD);
    unsigned n_dwords = m->n_oword * 4;
    uint8_t *data = write ? (uint8_t *)payload + EU_GRF_SIZE : resp;
    if (!view_open(&v, t, m, exdesc, payload, 0, write))
        return false;
    if ((v.base + off) % 4)
        return msg_fault(t, m, "offset 0x%llx is not dword aligned", (unsigned long long)off);
    if (m->high_half)
        data += OWORD;
    return move(&v, off, dword_mask(lanes, n_dwords), n_dwords, data);
}

/* Two blocks at offsets of their own, in OWords: dwords 0 and 4 of the register behind the header.
 * OWord k of the first is the low half of data register k, of the second the high half; eight lanes
 * guard the dwords of each register. */
bool msg_oword_dual(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                    const uint8_t *payload, uint8_t *resp)
{
    struct view v;
    bool write = m->kind == MSG_oword_dual_write;
    const uint8_t *offsets = payload + EU_GRF_SIZE;
    uint8_t *data = write ? (uint8_t *)offsets + EU_GRF_SIZE : resp;
    if (!view_open(&v, t, m, exdesc, payload, OWORD, write))
        return false;
    for (unsigned b = 0; b < 2; b++) {
        uint64_t off = (uint64_t)msg_dword(offsets, 4 * b) * OWORD;
        uint64_t mask = lanes >> 4 * b & 0xf;
        if (mask && (v.base + off) % 4)
            return msg_fault(t, m, "address 0x%llx is not dword aligned",
                             (unsigned long long)(v.base + off));
        for (unsigned k = 0; k < m->n_oword; k++) {
            if (!move(&v, off + k * OWORD, mask, 4, data + k * EU_GRF_SIZE + b * OWORD))
                return false;
        }
    }
    return true;
}

bool msg_a64_block(struct eu_thread *t, const struct msg *m, uint32_t lanes, const uint8_t *payload,
                   uint8_t *resp)
{
    struct view v;
    bool write = m->kind == MSG_a64_block_write;
    uint64_t at = msg_qword(payload, 0) & 0xffffffffffffull;
    unsigned n_dwords = m->n_oword * 4, align = m->unaligned ? 4 : OWORD;
    uint8_t *data = write ? (uint8_t *)payload + EU_GRF_SIZE : resp;
    if (at % align)
        return msg_fault(t, m, "address 0x%llx is not %u-byte aligned", (unsigned long long)at,
                         align);
    view_open_flat(&v, t, m, 0, 1ull << 48, write);
    if (m->high_half)
        data += OWORD;
    return move(&v, at, dword_mask(lanes, n_dwords), n_dwords, data);
}

/* OWord mode moves whole OWords, those with an enabled channel. */
static uint64_t oword_mask(uint64_t mask)
{
    uint64_t any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111111111111111ull;
    return any * 0xf;
}

bool msg_scratch(struct eu_thread *t, const struct msg *m, uint32_t lanes, const uint8_t *payload,
                 uint8_t *resp)
{
    struct view v;
    const struct sim_dispatch *d = t->d;
    bool write = m->kind == MSG_scratch_write;
    uint32_t base = msg_dword(payload, 5) & ~0x3ffu, off = m->scratch_offset * EU_GRF_SIZE;
    unsigned n_dwords = m->n_regs * DWORDS_PER_REG;
    uint64_t mask = dword_mask(lanes, n_dwords);
    uint8_t *data = write ? (uint8_t *)payload + EU_GRF_SIZE : resp;
    if (off + 4 * n_dwords > d->scratch_per_thread)
        return msg_fault(t, m, "bytes 0x%x to 0x%x of %u bytes of scratch space a thread", off,
                         off + 4 * n_dwords - 1, d->scratch_per_thread);
    if (!m->dword_mode)
        mask = oword_mask(mask);
    view_open_flat(&v, t, m, d->general_base + base, d->scratch_per_thread, write);
    return move(&v, off, mask, n_dwords, data);
}
