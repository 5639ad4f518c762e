/* Data port messages with an offset a lane: untyped, byte and dword scattered, atomics. Sources:
 * Intel PRM volume 4/7, "Data Port"; what compilers rely on as observed.
 *
 * A lane out of bounds reads 0 (each dword, each byte of a byte message) and writes nothing; a
 * disabled lane leaves its part of the response alone. Channel after channel, lanes act in
 * ascending order. */
#include "msg.h"
#include "perturb.h"

/* The offsets of all lanes. Disabled ones get that of an enabled one (there must be one), so that
 * loops over the lanes need not ask which are on. Shared local memory looks at the low 16 bits only
 * (Intel's compiler leaves a tag above them). */
static void load_offsets(const struct view *v, const uint8_t *payload, uint32_t lanes,
                         uint32_t *off)
{
    unsigned n = v->m->simd;
    memcpy(off, payload, 4 * n);
    if (lanes != (1u << n) - 1) {
        uint32_t some = off[__builtin_ctz(lanes)];
        for (unsigned i = 0; i < n; i++)
            off[i] = lanes >> i & 1 ? off[i] : some;
    }
    if (v->slm) {
        for (unsigned i = 0; i < n; i++)
            off[i] &= 0xffff;
    }
}

/* Do the offsets rise by 4 from the first, without passing the end of the address space? */
static bool contiguous(const uint32_t *off, unsigned n)
{
    uint32_t differ = 0;
    for (unsigned i = 0; i < n; i++)
        differ |= off[i] ^ (off[0] + 4 * i);
    return differ == 0 && off[0] < ~0u - 64;
}

/* The host memory of all lanes' [off, off + reach), as of offset 0: NULL if it isn't in one piece,
 * or a lane is out of bounds. */
static uint8_t *lanes_host(struct view *v, const uint32_t *off, unsigned reach)
{
    uint32_t lo = off[0], hi = off[0];
    for (unsigned i = 1; i < v->m->simd; i++) {
        lo = off[i] < lo ? off[i] : lo;
        hi = off[i] > hi ? off[i] : hi;
    }
    if ((uint64_t)hi + reach > v->size || !view_ptr(v, lo, 1) || (uint64_t)hi + reach > v->hi)
        return NULL;
    return v->host - v->lo;
}

static bool check_alignment(struct view *v, const uint32_t *off)
{
    uint32_t wrong = 0;
    for (unsigned i = 0; i < v->m->simd; i++)
        wrong |= (uint32_t)v->base + off[i];
    if (!(wrong & 3))
        return true;
    for (unsigned i = 0; i < v->m->simd; i++) {
        if ((v->base + off[i]) & 3)
            return msg_fault(v->t, v->m, "offset 0x%x of lane %u is not dword aligned", off[i], i);
    }
    return true;
}

/* One dword a lane, with bounds and page faults. `delta` is added to each offset. */
static bool move_dwords(struct view *v, const uint32_t *off, uint32_t lanes, uint32_t delta,
                        uint8_t *reg)
{
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l);
        uint64_t o = (uint64_t)off[i] + delta;
        if (o + 4 > v->size) {
            if (!view_out_of_bounds(v, o, 4, i))
                return false;
            if (!v->write)
                msg_set_dword(reg, i, 0);
        } else if (v->write ? !view_write(v, o, reg + 4 * i, 4, i)
                            : !view_read(v, o, reg + 4 * i, 4, i)) {
            return false;
        }
    }
    return true;
}

bool msg_untyped(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    const struct msg *m = v->m;
    unsigned n = m->simd, g = n / 8, k = 0;
    unsigned reach = 4 * (32 - __builtin_clz(~m->chan_off & 0xf)); /* to the last channel's end */
    bool all = lanes == (1u << n) - 1;
    uint32_t off[16];
    if (!lanes)
        return true;
    load_offsets(v, payload, lanes, off);
    if (!check_alignment(v, off))
        return false;
    uint8_t *data = v->write ? (uint8_t *)payload + g * EU_GRF_SIZE : resp;
    if (all && reach == 4 && contiguous(off, n) && (uint64_t)off[0] + 4 * n <= v->size) {
        uint8_t *p = view_ptr(v, off[0], 4 * n);
        if (p) {
            memcpy(v->write ? p : data, v->write ? data : p, 4 * n);
            return true;
        }
    }
    uint8_t *host = lanes_host(v, off, reach);
    for (unsigned c = 0; c < 4; c++) {
        if (m->chan_off >> c & 1)
            continue;
        uint8_t *reg = data + k++ * g * EU_GRF_SIZE, *p = host ? host + 4 * c : NULL;
        if (!host) {
            if (!move_dwords(v, off, lanes, 4 * c, reg))
                return false;
        } else if (v->write || !all) {
            for (uint32_t l = lanes; l; l &= l - 1) {
                unsigned i = __builtin_ctz(l);
                memcpy(v->write ? p + off[i] : reg + 4 * i, v->write ? reg + 4 * i : p + off[i], 4);
            }
        } else {
            for (unsigned i = 0; i < n; i++)
                memcpy(reg + 4 * i, p + off[i], 4);
        }
    }
    return true;
}

bool msg_dword_scattered(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    unsigned n = v->m->simd;
    uint32_t off[16];
    uint8_t *data = v->write ? (uint8_t *)payload + n / 8 * EU_GRF_SIZE : resp;
    if (!lanes)
        return true;
    memcpy(off, payload, 4 * n);
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l);
        uint64_t o = (uint64_t)off[i] * 4;
        if (o + 4 > v->size) {
            if (!view_out_of_bounds(v, o, 4, i))
                return false;
            if (!v->write)
                msg_set_dword(data, i, 0);
            continue;
        }
        if ((v->base + o) % 4)
            return msg_fault(v->t, v->m, "address 0x%llx of lane %u is not dword aligned",
                             (unsigned long long)(v->base + o), i);
        if (v->write ? !view_write(v, o, data + 4 * i, 4, i) : !view_read(v, o, data + 4 * i, 4, i))
            return false;
    }
    return true;
}

/* Bytes, words or dwords at any alignment, all of them mapped and in bounds. */
static void move_bytes(const struct view *v, uint8_t *host, const uint32_t *off, uint32_t lanes,
                       const uint8_t *data, uint8_t *resp)
{
    unsigned size = v->m->data_size;
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l);
        uint8_t *p = host + off[i];
        uint32_t value = 0; /* above the datum: zeros */
        if (v->write && size == 4)
            memcpy(p, data + 4 * i, 4);
        else if (v->write && size == 2)
            memcpy(p, data + 4 * i, 2);
        else if (v->write)
            *p = data[4 * i];
        else if (size == 4)
            memcpy(&value, p, 4);
        else if (size == 2)
            memcpy(&value, p, 2);
        else
            value = *p;
        if (!v->write)
            msg_set_dword(resp, i, value);
    }
}

/* Above the byte or word that was read a dword of the response is undefined. */
static void perturb_upper(const struct view *v, uint32_t lanes, uint8_t *resp)
{
    uint32_t seed = perturb_seed(v->t), bits = 8 * v->m->data_size;
    for (; seed && bits < 32 && lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctz(lanes);
        uint32_t value = msg_dword(resp, i);
        msg_set_dword(resp, i, value | (uint32_t)perturb_hash(seed, value + i) << bits);
    }
}

bool msg_byte_scattered(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    unsigned n = v->m->simd, size = v->m->data_size;
    uint32_t off[16];
    const uint8_t *data = payload + n / 8 * EU_GRF_SIZE;
    if (!lanes)
        return true;
    load_offsets(v, payload, lanes, off);
    uint8_t *host = lanes_host(v, off, size);
    if (host) {
        move_bytes(v, host, off, lanes, data, resp);
        if (!v->write)
            perturb_upper(v, lanes, resp);
        return true;
    }
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l), valid = size;
        uint64_t o = off[i];
        if (o + size > v->size) {
            if (!view_out_of_bounds(v, o, size, i))
                return false;
            valid = o < v->size ? (unsigned)(v->size - o) : 0;
        }
        if (v->write) {
            if (valid && !view_write(v, o, data + 4 * i, valid, i))
                return false;
        } else {
            uint32_t value = 0;
            if (valid && !view_read(v, o, &value, valid, i))
                return false;
            msg_set_dword(resp, i, value);
        }
    }
    if (!v->write)
        perturb_upper(v, lanes, resp);
    return true;
}

/* ---- SIMD4x2 ---- */

/* Dwords 0 and 4 of the address register are the offsets of two slots; X, Y, Z, W of a slot are
 * four dwords of one data register. A slot is on if one of its lanes is. */
static bool move_slot(struct view *v, unsigned slot, uint32_t lanes, uint32_t off, uint8_t *data)
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned d = 4 * slot + c;
        uint64_t o = (uint64_t)off + 4 * c;
        if (v->m->chan_off >> c & 1 || (!v->write && !(lanes >> d & 1)))
            continue;
        if (o + 4 > v->size) {
            if (!view_out_of_bounds(v, o, 4, d))
                return false;
            if (!v->write)
                msg_set_dword(data, d, 0);
        } else if (v->write ? !view_write(v, o, data + 4 * d, 4, d)
                            : !view_read(v, o, data + 4 * d, 4, d)) {
            return false;
        }
    }
    return true;
}

/* The operands are X and Y of the slot, what memory held returns in X. */
static bool atomic_slot(struct view *v, unsigned slot, uint32_t off, const uint8_t *data,
                        uint8_t *resp)
{
    const struct msg *m = v->m;
    int n_ops = atomic_n_operands(m->atomic, false);
    uint32_t a = n_ops > 0 ? msg_dword(data, 4 * slot) : 0, old = 0;
    uint32_t b = n_ops > 1 ? msg_dword(data, 4 * slot + 1) : 0;
    if (n_ops < 0)
        return msg_fault(v->t, m, "atomic operation %u doesn't exist", m->atomic);
    if ((uint64_t)off + 4 > v->size) {
        if (!view_out_of_bounds(v, off, 4, 4 * slot))
            return false;
    } else {
        uint8_t *p = view_ptr(v, off, 4);
        if (!p)
            return view_fault(v, off, 4, 4 * slot);
        old = atomic_dword(p, m->atomic, a, b);
    }
    if (m->returns)
        msg_set_dword(resp, 4 * slot, old);
    return true;
}

bool msg_untyped_4x2(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    const uint8_t *data = payload + EU_GRF_SIZE;
    for (unsigned slot = 0; slot < 2; slot++) {
        uint32_t off = msg_dword(payload, 4 * slot);
        if (!(lanes >> 4 * slot & 0xf))
            continue;
        if (v->slm)
            off &= 0xffff;
        if ((v->base + off) & 3)
            return msg_fault(v->t, v->m, "offset 0x%x of slot %u is not dword aligned", off, slot);
        if (v->m->kind == MSG_untyped_atomic_4x2 ? !atomic_slot(v, slot, off, data, resp)
            : v->write                           ? !move_slot(v, slot, lanes, off, (uint8_t *)data)
                                                 : !move_slot(v, slot, lanes, off, resp))
            return false;
    }
    return true;
}

/* ---- atomics ---- */

int atomic_n_operands(unsigned op, bool is_float)
{
    if (is_float)
        return op == MSG_FLOAT_CMPWR ? 2 : op == MSG_FLOAT_MAX || op == MSG_FLOAT_MIN ? 1 : -1;
    if (op == ATOMIC_CMPWR8B || op > ATOMIC_PREDEC)
        return -1;
    if (op == ATOMIC_CMPWR)
        return 2;
    return op == ATOMIC_INC || op == ATOMIC_DEC || op == ATOMIC_PREDEC ? 0 : 1;
}

/* The value that an operation leaves in memory. Signed maximum and minimum compare at `bits`. */
static uint64_t atomic_result(unsigned op, uint64_t old, uint64_t a, uint64_t b, unsigned bits)
{
    int64_t s_old = (int64_t)(old << (64 - bits)) >> (64 - bits);
    int64_t s_a = (int64_t)(a << (64 - bits)) >> (64 - bits);
    switch ((enum msg_atomic)op) {
    case ATOMIC_AND:
        return old & a;
    case ATOMIC_OR:
        return old | a;
    case ATOMIC_XOR:
        return old ^ a;
    case ATOMIC_MOV:
        return a;
    case ATOMIC_INC:
        return old + 1;
    case ATOMIC_DEC:
    case ATOMIC_PREDEC:
        return old - 1;
    case ATOMIC_ADD:
        return old + a;
    case ATOMIC_SUB:
        return old - a;
    case ATOMIC_REVSUB:
        return a - old;
    case ATOMIC_IMAX:
        return s_old > s_a ? old : a;
    case ATOMIC_IMIN:
        return s_old < s_a ? old : a;
    case ATOMIC_UMAX:
        return old > a ? old : a;
    case ATOMIC_UMIN:
        return old < a ? old : a;
    case ATOMIC_CMPWR:
        return old == a ? b : old;
    case ATOMIC_CMPWR8B:
        break;
    }
    return old;
}

uint32_t atomic_dword(uint8_t *p, unsigned op, uint32_t src0, uint32_t src1)
{
    uint32_t *word = (uint32_t *)p;
    if (op == ATOMIC_ADD)
        return __atomic_fetch_add(word, src0, __ATOMIC_RELAXED);
    if (op == ATOMIC_INC)
        return __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    do {
        new = (uint32_t)atomic_result(op, old, src0, src1, 32);
    } while (
        !__atomic_compare_exchange_n(word, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return op == ATOMIC_PREDEC ? new : old;
}

uint64_t atomic_qword(uint8_t *p, unsigned op, uint64_t src0, uint64_t src1)
{
    uint64_t *word = (uint64_t *)p;
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    do {
        new = atomic_result(op, old, src0, src1, 64);
    } while (
        !__atomic_compare_exchange_n(word, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return op == ATOMIC_PREDEC ? new : old;
}

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Maximum and minimum like sel.ge and sel.l: of a number and a NaN the number. */
uint32_t atomic_float(uint8_t *p, unsigned op, uint32_t src0, uint32_t src1)
{
    uint32_t *word = (uint32_t *)p;
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    do {
        float m = as_float(old), a = as_float(src0);
        if (op == MSG_FLOAT_CMPWR)
            new = m == a ? src1 : old;
        else if (m != m || a != a)
            new = m != m ? src0 : old;
        else if (op == MSG_FLOAT_MAX)
            new = m >= a ? old : src0;
        else
            new = m < a ? old : src0;
    } while (
        !__atomic_compare_exchange_n(word, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

bool msg_untyped_atomic(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp)
{
    const struct msg *m = v->m;
    bool is_float = m->kind == MSG_float_atomic;
    unsigned n = m->simd, g = n / 8;
    int n_ops = atomic_n_operands(m->atomic, is_float);
    const uint8_t *src0 = payload + g * EU_GRF_SIZE, *src1 = src0 + g * EU_GRF_SIZE;
    uint32_t off[16];
    if (n_ops < 0)
        return msg_fault(v->t, m, "atomic operation %u doesn't exist", m->atomic);
    if (!lanes)
        return true;
    load_offsets(v, payload, lanes, off);
    if (!check_alignment(v, off))
        return false;
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l);
        uint32_t a = n_ops > 0 ? msg_dword(src0, i) : 0, b = n_ops > 1 ? msg_dword(src1, i) : 0;
        uint32_t old = 0;
        if ((uint64_t)off[i] + 4 > v->size) {
            if (!view_out_of_bounds(v, off[i], 4, i))
                return false;
        } else {
            uint8_t *p = view_ptr(v, off[i], 4);
            if (!p)
                return view_fault(v, off[i], 4, i);
            old = is_float ? atomic_float(p, m->atomic, a, b) : atomic_dword(p, m->atomic, a, b);
        }
        if (m->returns)
            msg_set_dword(resp, i, old);
    }
    return true;
}
