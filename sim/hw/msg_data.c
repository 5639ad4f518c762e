/* Data port messages with an offset a lane: untyped, byte and dword scattered, atomics. Sources:
 * Intel PRM volume 4/7, "Data Port"; what compilers rely on as observed.
 *
 * A lane out of bounds reads 0 (each dword, each byte of a byte message) and writes nothing; a
 * disabled lane leaves its part of the response alone. Channel after channel, lanes act in
 * ascending order. */
#include "msg.h"
#include "perturb.h"

typedef uint32_t v4 __attribute__((vector_size(16)));
typedef int32_t v4s __attribute__((vector_size(16)));

/* The offsets of all lanes, and what they have in common. */
struct offsets {
    union {
        uint32_t off[16];
        v4 v[4];
    };
    uint32_t lo, hi;  /* the least and the greatest */
    uint32_t any;     /* bits that are set in one of them */
    bool consecutive; /* they rise by 4 from the first, and don't pass the end of 32 bits */
};

static uint32_t any_of(v4 v)
{
    return v[0] | v[1] | v[2] | v[3];
}

static uint32_t least_of(v4s v)
{
    int32_t a = v[0] < v[1] ? v[0] : v[1], b = v[2] < v[3] ? v[2] : v[3];
    return (uint32_t)(a < b ? a : b);
}

/* Disabled lanes get the offset of an enabled one (there must be one), so that loops over the lanes
 * need not ask which are on. Shared local memory looks at the low 16 bits only (Intel's compiler
 * leaves a tag above them). */
static inline void load_offsets(const struct view *v, const uint8_t *payload, uint32_t lanes,
                                struct offsets *o)
{
    unsigned n = v->m->simd, n_vec = n / 4;
    memcpy(o->v, payload, 32);
    if (n > 8)
        memcpy(o->v + 2, payload + 32, 32);
    if (lanes != (1u << n) - 1) {
        uint32_t some = o->off[__builtin_ctz(lanes)];
        for (unsigned i = 0; i < n; i++)
            o->off[i] = lanes >> i & 1 ? o->off[i] : some;
    }
    uint32_t keep = v->slm ? 0xffff : ~0u;
    v4 any = {0}, differ = {0}, next = {0, 4, 8, 12};
    o->v[0] &= keep;
    next += o->off[0];
    v4s least = (v4s)(o->v[0] ^ 1u << 31), most = ~least; /* signed, of the same order */
    for (unsigned i = 0; i < n_vec; i++, next += 16) {
        v4 at = o->v[i] & keep;
        v4s s = (v4s)(at ^ 1u << 31), less = s < least, more = ~s < most;
        o->v[i] = at;
        any |= at;
        differ |= at ^ next;
        least = (less & s) | (~less & least);
        most = (more & ~s) | (~more & most);
    }
    o->any = any_of(any);
    o->consecutive = any_of(differ) == 0 && o->off[0] < ~0u - 64;
    o->lo = least_of(least) ^ 1u << 31;
    o->hi = ~least_of(most) ^ 1u << 31;
}

/* The host memory of all lanes' [off, off + reach), as of offset 0: NULL if it isn't in one piece,
 * or a lane is out of bounds. */
static uint8_t *lanes_host(struct view *v, const struct offsets *o, unsigned reach)
{
    if ((uint64_t)o->hi + reach > v->size || !view_ptr(v, o->lo, 1) ||
        (uint64_t)o->hi + reach > v->hi)
        return NULL;
    return v->host - v->lo;
}

/* base is dword aligned or all lanes are wrong: the low bits of a sum are those of its parts. */
static bool check_alignment(struct view *v, const struct offsets *o)
{
    if (!((o->any | (uint32_t)v->base) & 3))
        return true;
    for (unsigned i = 0; i < v->m->simd; i++) {
        if ((v->base + o->off[i]) & 3)
            return msg_fault(v->t, v->m, "offset 0x%x of lane %u is not dword aligned", o->off[i],
                             i);
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
    struct offsets o;
    if (!lanes)
        return true;
    load_offsets(v, payload, lanes, &o);
    if (!check_alignment(v, &o))
        return false;
    uint8_t *data = v->write ? (uint8_t *)payload + g * EU_GRF_SIZE : resp;
    if (all && reach == 4 && o.consecutive && (uint64_t)o.off[0] + 4 * n <= v->size) {
        uint8_t *p = view_ptr(v, o.off[0], 4 * n);
        if (p) {
            memcpy(v->write ? p : data, v->write ? data : p, 32);
            if (n > 8)
                memcpy(v->write ? p + 32 : data + 32, v->write ? data + 32 : p + 32, 32);
            return true;
        }
    }
    uint8_t *host = lanes_host(v, &o, reach);
    for (unsigned c = 0; c < 4; c++) {
        if (m->chan_off >> c & 1)
            continue;
        uint8_t *reg = data + k++ * g * EU_GRF_SIZE, *p = host ? host + 4 * c : NULL;
        if (!host) {
            if (!move_dwords(v, o.off, lanes, 4 * c, reg))
                return false;
        } else if (v->write) {
            for (uint32_t l = lanes; l; l &= l - 1) {
                unsigned i = __builtin_ctz(l);
                memcpy(p + o.off[i], reg + 4 * i, 4);
            }
        } else if (all && o.lo == o.hi) {
            uint32_t one = msg_dword(p + o.lo, 0);
            for (unsigned i = 0; i < n; i++)
                msg_set_dword(reg, i, one);
        } else if (all) {
            for (unsigned i = 0; i < n; i++)
                memcpy(reg + 4 * i, p + o.off[i], 4);
        } else {
            for (uint32_t l = lanes; l; l &= l - 1) {
                unsigned i = __builtin_ctz(l);
                memcpy(reg + 4 * i, p + o.off[i], 4);
            }
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
    struct offsets at;
    const uint8_t *data = payload + n / 8 * EU_GRF_SIZE;
    if (!lanes)
        return true;
    load_offsets(v, payload, lanes, &at);
    uint8_t *host = lanes_host(v, &at, size);
    if (host) {
        move_bytes(v, host, at.off, lanes, data, resp);
        if (!v->write)
            perturb_upper(v, lanes, resp);
        return true;
    }
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l), valid = size;
        uint64_t o = at.off[i];
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
    struct offsets o;
    if (n_ops < 0)
        return msg_fault(v->t, m, "atomic operation %u doesn't exist", m->atomic);
    if (!lanes)
        return true;
    load_offsets(v, payload, lanes, &o);
    if (!check_alignment(v, &o))
        return false;
    for (uint32_t l = lanes; l; l &= l - 1) {
        unsigned i = __builtin_ctz(l);
        uint32_t a = n_ops > 0 ? msg_dword(src0, i) : 0, b = n_ops > 1 ? msg_dword(src1, i) : 0;
        uint32_t old = 0;
        if ((uint64_t)o.off[i] + 4 > v->size) {
            if (!view_out_of_bounds(v, o.off[i], 4, i))
                return false;
        } else {
            uint8_t *p = view_ptr(v, o.off[i], 4);
            if (!p)
                return view_fault(v, o.off[i], 4, i);
            old = is_float ? atomic_float(p, m->atomic, a, b) : atomic_dword(p, m->atomic, a, b);
        }
        if (m->returns)
            msg_set_dword(resp, i, old);
    }
    return true;
}
