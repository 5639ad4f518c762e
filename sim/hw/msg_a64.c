/* A64 messages (Gen8 and later): a 64-bit address a lane, no surface, no bounds but the page
 * tables. Source: Intel PRM volume 7, "A64 stateless messages". */
#include "msg.h"
#include "perturb.h"

enum { ADDRESS_BITS = 48 };

/* Addresses are canonical: bits 63:48 repeat bit 47. */
static uint64_t address(const uint8_t *payload, unsigned lane)
{
    return msg_qword(payload, lane) & ((1ull << ADDRESS_BITS) - 1);
}

static bool check_aligned(struct view *v, uint64_t at, unsigned align, unsigned lane)
{
    return at % align == 0 ||
           msg_fault(v->t, v->m, "address 0x%llx of lane %u is not %u-byte aligned",
                     (unsigned long long)at, lane, align);
}

/* All lanes on, dword after dword: one copy. */
static uint8_t *contiguous(struct view *v, uint32_t lanes, const uint8_t *payload, unsigned size)
{
    unsigned n = v->m->simd;
    uint64_t first = address(payload, 0), differ = 0;
    if (lanes != (1u << n) - 1 || first % size)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        differ |= address(payload, i) ^ (first + i * size);
    return differ ? NULL : view_ptr(v, first, n * size);
}

static bool a64_untyped(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    const struct msg *m = v->m;
    unsigned g = m->simd / 8, k = 0;
    uint8_t *data = v->write ? (uint8_t *)payload + 2 * g * EU_GRF_SIZE : resp;
    if (m->n_chan == 1 && !(m->chan_off & 1)) {
        uint8_t *p = contiguous(v, lanes, payload, 4);
        if (p) {
            memcpy(v->write ? p : data, v->write ? data : p, 4 * m->simd);
            return true;
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        if (m->chan_off >> c & 1)
            continue;
        uint8_t *reg = data + k++ * g * EU_GRF_SIZE;
        for (uint32_t l = lanes; l; l &= l - 1) {
            unsigned i = __builtin_ctz(l);
            uint64_t at = address(payload, i) + 4 * c;
            if (!check_aligned(v, at, 4, i))
                return false;
            if (v->write ? !view_write(v, at, reg + 4 * i, 4, i)
                         : !view_read(v, at, reg + 4 * i, 4, i))
                return false;
        }
    }
    return true;
}

/* Elements of a lane lie one after the other in memory, one register group each in the payload. */
static bool a64_scattered(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    const struct msg *m = v->m;
    unsigned g = m->simd / 8, size = m->data_size;
    unsigned slot = size == 8 ? 8 : 4, align = m->unaligned ? 1 : size;
    uint8_t *data = v->write ? (uint8_t *)payload + 2 * g * EU_GRF_SIZE : resp;
    if (m->n_elem == 1 && size >= 4) {
        uint8_t *p = contiguous(v, lanes, payload, size);
        if (p) {
            memcpy(v->write ? p : data, v->write ? data : p, size * m->simd);
            return true;
        }
    }
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l);
        uint64_t at = address(payload, i);
        if (!check_aligned(v, at, align, i))
            return false;
        for (unsigned e = 0; e < m->n_elem; e++, at += size) {
            uint8_t *reg = data + e * g * EU_GRF_SIZE * (slot / 4) + i * slot;
            if (v->write) {
                if (!view_write(v, at, reg, size, i))
                    return false;
                continue;
            }
            uint64_t value = 0, seed = perturb_seed(v->t);
            if (!view_read(v, at, &value, size, i))
                return false;
            if (seed && size < slot) /* above a byte or word the response is undefined */
                value |= perturb_hash(seed, value + i) << 8 * size;
            memcpy(reg, &value, slot);
        }
    }
    return true;
}

static bool a64_atomic(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    const struct msg *m = v->m;
    bool is_float = m->kind == MSG_a64_float_atomic, wide = m->is_64;
    int n_ops = atomic_n_operands(m->atomic, is_float);
    unsigned regs = wide ? 2 : 1;
    const uint8_t *src0 = payload + 2 * EU_GRF_SIZE, *src1 = src0 + regs * EU_GRF_SIZE;
    if (n_ops < 0)
        return msg_fault(v->t, m, "atomic operation %u doesn't exist", m->atomic);
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l);
        uint64_t at = address(payload, i);
        if (!check_aligned(v, at, wide ? 8 : 4, i))
            return false;
        uint8_t *p = view_ptr(v, at, wide ? 8 : 4);
        if (!p)
            return view_fault(v, at, wide ? 8 : 4, i);
        if (wide) {
            uint64_t a = n_ops > 0 ? msg_qword(src0, i) : 0, b = n_ops > 1 ? msg_qword(src1, i) : 0;
            uint64_t old = atomic_qword(p, m->atomic, a, b);
            if (m->returns)
                msg_set_qword(resp, i, old);
        } else {
            uint32_t a = n_ops > 0 ? msg_dword(src0, i) : 0, b = n_ops > 1 ? msg_dword(src1, i) : 0;
            uint32_t old =
                is_float ? atomic_float(p, m->atomic, a, b) : atomic_dword(p, m->atomic, a, b);
            if (m->returns)
                msg_set_dword(resp, i, old);
        }
    }
    return true;
}

bool msg_a64(struct eu_thread *t, const struct msg *m, uint32_t lanes, const uint8_t *payload,
             uint8_t *resp)
{
    struct view v;
    bool write = m->kind != MSG_a64_read && m->kind != MSG_a64_untyped_read;
    view_open_flat(&v, t, m, 0, 1ull << ADDRESS_BITS, write);
    lanes &= (1u << m->simd) - 1;
    if (m->kind == MSG_a64_untyped_read || m->kind == MSG_a64_untyped_write)
        return a64_untyped(&v, lanes, payload, resp);
    if (m->kind == MSG_a64_read || m->kind == MSG_a64_write)
        return a64_scattered(&v, lanes, payload, resp);
    return a64_atomic(&v, lanes, payload, resp);
}
