/* Send descriptors <-> struct msg, from the rows of msg.def and msg_field.def. Read-only tables, no
 * state. */
#include "gen/msg.h"

#include <assert.h>
#include <stddef.h>

enum header_rule { HEADER_NO, HEADER_OPT, HEADER_REQ };
enum data_side { DATA_READ, DATA_WRITE };

enum msg_layout {
    LAYOUT_all,
    LAYOUT_untyped,
    LAYOUT_atomic,
    LAYOUT_atomic_4x2,
    LAYOUT_float_atomic,
    LAYOUT_byte,
    LAYOUT_dword,
    LAYOUT_oword,
    LAYOUT_oword_dual,
    LAYOUT_scratch,
    LAYOUT_fence,
    LAYOUT_a64_scattered,
    LAYOUT_a64_atomic,
    LAYOUT_a64_float_atomic,
    LAYOUT_a64_block,
    LAYOUT_typed,
    LAYOUT_typed_atomic,
    LAYOUT_typed_atomic_4x2,
    LAYOUT_media,
    LAYOUT_flush,
    LAYOUT_sampler,
    LAYOUT_gateway,
    LAYOUT_spawner
};

enum msg_field {
    FIELD_mlen,
    FIELD_rlen,
    FIELD_header,
    FIELD_bti,
    FIELD_chan_off,
    FIELD_simd_mode,
    FIELD_atomic_op,
    FIELD_float_op,
    FIELD_simd8,
    FIELD_simd16,
    FIELD_returns,
    FIELD_ignored,
    FIELD_byte_size,
    FIELD_dword_block,
    FIELD_invalidate,
    FIELD_oword_size,
    FIELD_dual_size,
    FIELD_scratch_offset,
    FIELD_scratch_size,
    FIELD_dword_mode,
    FIELD_flush,
    FIELD_commit,
    FIELD_a64_subtype,
    FIELD_a64_count,
    FIELD_data64,
    FIELD_block_subtype,
    FIELD_slot_bit,
    FIELD_slot_mode,
    FIELD_sampler_index,
    FIELD_sampler_type,
    FIELD_sampler_simd,
    FIELD_ret16,
    FIELD_gateway_fn,
    FIELD_ack,
    FIELD_notify,
    FIELD_keep_urb
};

struct msg_row {
    const char *name;
    uint8_t sfid[2], type[2]; /* [0] Gen7, [1] Gen7.5 and later */
    uint8_t first_gen, last_gen;
    uint8_t type_hi, type_lo;
    uint8_t header, data, layout;
};

static const struct msg_row rows[MSG_N_KINDS] = {
#define MSG(kind, on7, code7, on8, code8, first, last, hi, lo, rule, side, fields)                 \
    [MSG_##kind] = {.name = #kind,                                                                 \
                    .sfid = {SFID_##on7, SFID_##on8},                                              \
                    .type = {code7, code8},                                                        \
                    .first_gen = first,                                                            \
                    .last_gen = last,                                                              \
                    .type_hi = hi,                                                                 \
                    .type_lo = lo,                                                                 \
                    .header = HEADER_##rule,                                                       \
                    .data = DATA_##side,                                                           \
                    .layout = LAYOUT_##fields},
#include "msg.def"
#undef MSG
};

struct field_row {
    uint8_t layout, field;
    int8_t hi[2], lo[2]; /* [0] Gen7, [1] Gen7.5 and later */
};

static const struct field_row fields[] = {
#define MSG_FIELD(of, what, hi7, lo7, hi8, lo8) {LAYOUT_##of, FIELD_##what, {hi7, hi8}, {lo7, lo8}},
#include "msg_field.def"
#undef MSG_FIELD
};
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]) };

enum { SIMD16_NO, SIMD16_YES };

static const struct sampler_row {
    const char *name;
    uint8_t first_gen, params;
    bool simd16;
} sampler_rows[MSG_SAMPLER_N] = {
#define MSG_SAMPLER(name, code, first, params, simd16)                                             \
    [code] = {#name, first, params, SIMD16_##simd16},
#include "msg_sampler.def"
#undef MSG_SAMPLER
};

static uint32_t field_mask(unsigned hi, unsigned lo)
{
    return (~0u >> (31 - (hi - lo))) << lo;
}

const char *msg_name(enum msg_kind k)
{
    assert(k < MSG_N_KINDS);
    return rows[k].name;
}

const char *msg_sampler_name(unsigned code)
{
    return code < MSG_SAMPLER_N ? sampler_rows[code].name : NULL;
}

static int log2_of(unsigned v)
{
    for (int i = 0; i < 8; i++) {
        if (1u << i == v)
            return i;
    }
    return -1;
}

/* The code of a field, or -1 if the member has no such value. */
static int to_code(int gen, const struct msg *m, enum msg_field f)
{
    switch (f) {
    case FIELD_mlen:
        return m->mlen;
    case FIELD_rlen:
        return m->rlen;
    case FIELD_header:
        return m->header;
    case FIELD_bti:
        return m->bti;
    case FIELD_chan_off:
        /* Given as a mask or, if that is 0, as a number of leading channels. */
        return m->chan_off || !m->n_chan ? m->chan_off : 0xf & 0xf << m->n_chan;
    case FIELD_simd_mode:
        return m->simd4x2 ? 0 : m->simd == 16 ? 1 : m->simd == 8 ? 2 : -1;
    case FIELD_atomic_op:
    case FIELD_float_op:
        return m->atomic;
    case FIELD_simd8:
        return m->simd == 8 ? 1 : m->simd == 16 ? 0 : -1;
    case FIELD_simd16:
        return m->simd == 16 ? 1 : m->simd == 8 ? 0 : -1;
    case FIELD_returns:
        return m->returns;
    case FIELD_ignored:
        return 0;
    case FIELD_byte_size:
        return m->data_size <= 4 ? log2_of(m->data_size) : -1;
    case FIELD_dword_block:
        return m->simd == 16 ? 3 : m->simd == 8 ? 2 : -1;
    case FIELD_invalidate:
        return m->invalidate;
    case FIELD_oword_size:
        if (m->hword)
            return m->n_oword < 2 ? -1 : log2_of(m->n_oword / 2);
        if (m->n_oword == 1)
            return m->high_half;
        return m->n_oword == 2 || m->n_oword == 4 || m->n_oword == 8 ? log2_of(m->n_oword) + 1 : -1;
    case FIELD_dual_size:
        return m->n_oword == 1 ? 0 : m->n_oword == 4 ? 2 : -1;
    case FIELD_scratch_offset:
        return m->scratch_offset;
    case FIELD_scratch_size:
        if (gen >= 80)
            return log2_of(m->n_regs);
        return m->n_regs == 1 || m->n_regs == 2 || m->n_regs == 4 ? m->n_regs - 1 : -1;
    case FIELD_dword_mode:
        return m->dword_mode;
    case FIELD_flush:
        return m->flush;
    case FIELD_commit:
        return m->commit;
    case FIELD_a64_subtype:
        if (m->data_size <= 2 || m->unaligned)
            return 0;
        return m->data_size == 4 ? 1 : m->data_size == 8 ? 2 : -1;
    case FIELD_a64_count:
        if (m->data_size <= 2 || m->unaligned)
            return m->n_elem == 1 ? log2_of(m->data_size) : -1;
        return log2_of(m->n_elem);
    case FIELD_data64:
        return m->is_64;
    case FIELD_block_subtype:
        return m->hword ? 3 : m->unaligned;
    case FIELD_slot_bit:
        return m->high_slots;
    case FIELD_slot_mode:
        return m->simd4x2 ? 0 : m->high_slots ? 2 : 1;
    case FIELD_sampler_index:
        return m->sampler_index;
    case FIELD_sampler_type:
        return m->sampler_type;
    case FIELD_sampler_simd:
        return m->simd4x2 ? 0 : m->simd == 8 ? 1 : m->simd == 16 ? 2 : -1;
    case FIELD_ret16:
        return m->ret16;
    case FIELD_gateway_fn:
        return m->gateway_fn;
    case FIELD_ack:
        return m->ack;
    case FIELD_notify:
        return m->notify;
    case FIELD_keep_urb:
        return 1; /* "do not dereference the URB handle": the only use of a compute thread */
    }
    return -1;
}

static bool set_simd(struct msg *m, unsigned lanes)
{
    m->simd = lanes ? lanes : 8;
    m->simd4x2 = lanes == 0;
    return true;
}

/* Sets the members that a field's code means; false if the code is reserved. */
static bool from_code(int gen, struct msg *m, enum msg_field f, unsigned code)
{
    switch (f) {
    case FIELD_mlen:
        m->mlen = code;
        return true;
    case FIELD_rlen:
        m->rlen = code;
        return true;
    case FIELD_header:
        m->header = code;
        return true;
    case FIELD_bti:
        m->bti = code;
        return true;
    case FIELD_chan_off:
        m->chan_off = code;
        m->n_chan = 4 - __builtin_popcount(code);
        return m->n_chan > 0;
    case FIELD_simd_mode:
        return code < 3 && set_simd(m, code == 0 ? 0 : code == 1 ? 16 : 8);
    case FIELD_atomic_op:
        m->atomic = code;
        return code != ATOMIC_CMPWR8B;
    case FIELD_float_op:
        m->atomic = code;
        return code != 0;
    case FIELD_simd8:
        return set_simd(m, code ? 8 : 16);
    case FIELD_simd16:
        return set_simd(m, code ? 16 : 8);
    case FIELD_returns:
        m->returns = code;
        return true;
    case FIELD_ignored:
        return true;
    case FIELD_byte_size:
        m->data_size = 1 << code;
        m->n_elem = 1;
        return code < 3;
    case FIELD_dword_block:
        m->data_size = 4;
        m->n_elem = 1;
        return code >= 2 && set_simd(m, code == 3 ? 16 : 8);
    case FIELD_invalidate:
        m->invalidate = code;
        return true;
    case FIELD_oword_size:
        if (m->hword) {
            m->n_oword = code < 4 ? 2 << code : 0;
            return code < 4;
        }
        m->high_half = code == 1;
        m->n_oword = code < 2 ? 1 : 1 << (code - 1);
        return code < 5;
    case FIELD_dual_size:
        m->n_oword = code ? 4 : 1;
        return code == 0 || code == 2;
    case FIELD_scratch_offset:
        m->scratch_offset = code;
        return true;
    case FIELD_scratch_size:
        m->n_regs = gen >= 80 ? 1u << code : code + 1;
        return gen >= 80 || code != 2;
    case FIELD_dword_mode:
        m->dword_mode = code;
        return true;
    case FIELD_flush:
        m->flush = code;
        return true;
    case FIELD_commit:
        m->commit = code;
        return true;
    case FIELD_a64_subtype:
        m->unaligned = code == 0;
        m->data_size = code == 0 ? 1 : code == 1 ? 4 : 8;
        return code < 3;
    case FIELD_a64_count:
        m->n_elem = m->unaligned ? 1 : 1 << code;
        if (m->unaligned)
            m->data_size = 1 << code;
        return true;
    case FIELD_data64:
        m->is_64 = code;
        return true;
    case FIELD_block_subtype:
        m->unaligned = code == 1;
        m->hword = code == 3;
        return code != 2;
    case FIELD_slot_bit:
        m->high_slots = code;
        return true;
    case FIELD_slot_mode:
        m->high_slots = code == 2;
        m->simd4x2 = code == 0;
        return code < 3;
    case FIELD_sampler_index:
        m->sampler_index = code;
        return true;
    case FIELD_sampler_type:
        m->sampler_type = code;
        return true;
    case FIELD_sampler_simd:
        return code < 3 && set_simd(m, code * 8);
    case FIELD_ret16:
        m->ret16 = code;
        return true;
    case FIELD_gateway_fn:
        m->gateway_fn = code;
        return true;
    case FIELD_ack:
        m->ack = code;
        return true;
    case FIELD_notify:
        m->notify = code;
        return true;
    case FIELD_keep_urb:
        return true;
    }
    return false;
}

/* Operands of an atomic operation besides the address. */
static unsigned atomic_operands(const struct msg *m)
{
    unsigned layout = rows[m->kind].layout;
    if (layout == LAYOUT_float_atomic || layout == LAYOUT_a64_float_atomic)
        return m->atomic == MSG_FLOAT_CMPWR ? 2 : 1;
    if (m->atomic == ATOMIC_CMPWR)
        return 2;
    return m->atomic == ATOMIC_INC || m->atomic == ATOMIC_DEC || m->atomic == ATOMIC_PREDEC ? 0 : 1;
}

static unsigned block_regs(const struct msg *m)
{
    return m->n_oword > 1 ? m->n_oword / 2 : 1;
}

static bool is_write(unsigned kind)
{
    return rows[kind].data == DATA_WRITE;
}

bool msg_lengths(const struct msg *m, unsigned *mlen, unsigned *rlen)
{
    enum msg_layout layout = rows[m->kind].layout;
    bool a64 = m->kind == MSG_a64_untyped_read || m->kind == MSG_a64_untyped_write;
    bool write = is_write(m->kind);
    unsigned g = m->simd4x2 ? 1 : m->simd / 8, h = m->header, data = 0, address = 0;
    unsigned ops = 0,
             n_chan = m->chan_off || !m->n_chan ? 4 - __builtin_popcount(m->chan_off) : m->n_chan;
    bool response = !write;
    switch (layout) {
    case LAYOUT_untyped:
        address = a64 ? 2 * g : g;
        data = m->simd4x2 ? 1 : n_chan * g;
        break;
    case LAYOUT_byte:
    case LAYOUT_dword:
        address = data = g;
        break;
    case LAYOUT_a64_scattered:
        address = 2 * g;
        data = g * m->n_elem * (m->data_size == 8 ? 2 : 1);
        break;
    case LAYOUT_atomic_4x2:
    case LAYOUT_typed_atomic_4x2:
        address = data = 1;
        ops = atomic_operands(m) > 0; /* both in one register: X and Y of a slot */
        response = m->returns;
        break;
    case LAYOUT_atomic:
    case LAYOUT_float_atomic:
        address = g;
        ops = atomic_operands(m);
        data = g;
        response = m->returns;
        break;
    case LAYOUT_a64_atomic:
    case LAYOUT_a64_float_atomic:
        address = 2;
        ops = atomic_operands(m);
        data = m->is_64 ? 2 : 1;
        response = m->returns;
        break;
    case LAYOUT_oword:
    case LAYOUT_a64_block:
        data = block_regs(m);
        break;
    case LAYOUT_oword_dual:
        address = 1;
        data = m->n_oword; /* two blocks of half a register each */
        break;
    case LAYOUT_scratch:
        data = m->n_regs;
        break;
    case LAYOUT_fence:
        data = 1;
        response = m->commit;
        break;
    case LAYOUT_flush:
        data = 1;
        break;
    case LAYOUT_gateway:
        if (m->gateway_fn != MSG_GATEWAY_BARRIER)
            return false;
        address = 1;
        response = false;
        break;
    case LAYOUT_spawner:
        address = 1;
        response = false;
        break;
    case LAYOUT_typed:
    case LAYOUT_typed_atomic:
    case LAYOUT_media:
    case LAYOUT_sampler:
    case LAYOUT_all:
        return false;
    }
    *mlen = h + address + ops * data + (write ? data : 0);
    *rlen = response ? data : 0;
    return true;
}

/* Sampler messages: the last parameters may be left out. A write mask of the header, which only the
 * execution sees, shortens the response; Gen9 returns just the first channels if there is room for
 * no more, and channels of 16 bits take one register at any width. */
static const char *check_sampler(int gen, const struct msg *m)
{
    const struct sampler_row *row = &sampler_rows[m->sampler_type];
    unsigned params = m->mlen + m->ex_mlen - m->header, g = m->simd / 8;
    unsigned channel = m->ret16 ? 1 : g;
    if (!row->name || gen < row->first_gen)
        return "sampler message that this generation lacks";
    if (m->mlen + m->ex_mlen > 11u || m->mlen + m->ex_mlen < 1u + (m->header && row->params))
        return "message length of a sampler message";
    if (m->simd == 16 && !row->simd16)
        return "sampler message without a SIMD16 form";
    if (params % g)
        return "odd parameter registers of a SIMD16 sampler message";
    if (params > (m->simd4x2 ? 2 : row->params * g))
        return "sampler message with more parameters than it has";
    if (m->simd4x2)
        return m->rlen == 1 ? NULL : "response length of a SIMD4x2 sampler message";
    if (m->rlen < 1 || m->rlen > 4 * channel || m->rlen % channel)
        return "response length of a sampler message";
    return NULL;
}

/* Messages with a choice of address registers or parameters. */
static const char *check_open_lengths(int gen, const struct msg *m)
{
    unsigned total = m->mlen + m->ex_mlen, h = m->header, layout = rows[m->kind].layout;
    bool write = is_write(m->kind);
    if (layout == LAYOUT_typed || layout == LAYOUT_typed_atomic) {
        bool atomic = layout == LAYOUT_typed_atomic;
        unsigned chans = m->simd4x2 ? 1 : m->n_chan;
        unsigned sent = atomic ? atomic_operands(m) : write ? chans : 0;
        if (total < h + sent + 1 || total > h + sent + (m->simd4x2 ? 1 : 4))
            return "message length of a typed message";
        return m->rlen == (atomic  ? m->returns
                           : write ? 0
                                   : chans)
                   ? NULL
                   : "response length of a typed message";
    }
    if (layout == LAYOUT_media) {
        if (write)
            return total >= 2 && !m->rlen ? NULL : "lengths of a media block write";
        return total == 1 && m->rlen >= 1 && m->rlen <= 8 ? NULL : "lengths of a media block read";
    }
    if (layout == LAYOUT_sampler)
        return check_sampler(gen, m);
    return NULL; /* gateway functions other than the barrier */
}

static bool is_stateless(int gen, unsigned bti)
{
    return bti == MSG_BTI_STATELESS || (gen >= 80 && bti == MSG_BTI_STATELESS_NC);
}

/* Which surface with which header and SIMD width. */
static const char *check_use(int gen, const struct msg *m)
{
    const struct msg_row *row = &rows[m->kind];
    enum msg_layout layout = row->layout;
    bool a32_scattered =
        row->header == HEADER_OPT &&
        (layout == LAYOUT_untyped || layout == LAYOUT_atomic || layout == LAYOUT_atomic_4x2 ||
         layout == LAYOUT_float_atomic || layout == LAYOUT_byte || layout == LAYOUT_dword);
    bool a64 = m->kind >= MSG_a64_read && m->kind <= MSG_a64_block_write;
    bool typed = layout == LAYOUT_typed || layout == LAYOUT_typed_atomic ||
                 layout == LAYOUT_typed_atomic_4x2;
    if (row->header == HEADER_NO && m->header)
        return "header on a message that has none";
    if (row->header == HEADER_REQ && !m->header)
        return "message without its header";
    if (typed && gen < 90 && !m->header)
        return "typed message without a header before Gen9";
    if (a32_scattered && gen < 90 && is_stateless(gen, m->bti) && !m->header)
        return "stateless A32 message without a header before Gen9";
    if (m->bti == MSG_BTI_SLM && layout != LAYOUT_gateway && layout != LAYOUT_spawner) {
        if (!a32_scattered || layout == LAYOUT_dword)
            return "message that can't address shared local memory";
        if (m->header && gen >= 90)
            return "header on a shared local memory message";
    }
    if (a64) {
        if (!is_stateless(gen, m->bti))
            return "A64 message with a surface";
        if (gen < 90 && m->simd == 16)
            return "SIMD16 A64 message on Gen8";
        if (m->simd4x2)
            return "SIMD4x2 A64 message";
    }
    if (gen == 70 && m->kind == MSG_untyped_write && m->simd4x2)
        return "SIMD4x2 untyped write on Gen7";
    if (layout == LAYOUT_a64_block && !m->hword && m->unaligned && is_write(m->kind))
        return "unaligned block write";
    if (m->eot && m->kind != MSG_end_thread)
        return "end of thread with a message that can't end it";
    return NULL;
}

/* The bits that belong to some field of the layout, besides the common ones. */
static uint32_t known_bits(int gen, const struct msg_row *row)
{
    uint32_t known = 0;
    for (int i = 0; i < N_FIELDS; i++) {
        const struct field_row *f = &fields[i];
        if ((f->layout == row->layout || f->layout == LAYOUT_all) && f->hi[gen > 70] >= 0)
            known |= field_mask(f->hi[gen > 70], f->lo[gen > 70]);
    }
    if (row->type_hi)
        known |= field_mask(row->type_hi, row->type_lo);
    return known;
}

static int find_row(int gen, unsigned sfid, uint32_t desc)
{
    for (int k = 0; k < MSG_N_KINDS; k++) {
        const struct msg_row *row = &rows[k];
        if (gen < row->first_gen || gen > row->last_gen || row->sfid[gen > 70] != sfid)
            continue;
        uint32_t mask = field_mask(row->type_hi, row->type_lo);
        if (!row->type_hi || (desc & mask) >> row->type_lo == row->type[gen > 70])
            return k;
    }
    return -1;
}

bool msg_unpack(int gen, uint8_t sfid, uint32_t desc, uint8_t ex_mlen, struct msg *out,
                const char **why)
{
    struct msg m = {.sfid = sfid, .ex_mlen = ex_mlen, .function = desc & 0x7ffff, .simd = 8};
    int kind = find_row(gen, sfid, desc);
    if (kind < 0) {
        *why = "unknown message type of this shared function";
        return false;
    }
    const struct msg_row *row = &rows[kind];
    m.kind = kind;
    m.eot = desc >> 31;
    m.simd4x2 = row->layout == LAYOUT_atomic_4x2 || row->layout == LAYOUT_typed_atomic_4x2;
    if (row->layout == LAYOUT_oword)
        m.unaligned = row->type[gen > 70] == 1;
    for (int i = 0; i < N_FIELDS; i++) {
        const struct field_row *f = &fields[i];
        int hi = f->hi[gen > 70], lo = f->lo[gen > 70];
        if ((f->layout != row->layout && f->layout != LAYOUT_all) || hi < 0)
            continue;
        if (!from_code(gen, &m, f->field, (desc & field_mask(hi, lo)) >> lo)) {
            *why = "reserved code in a message descriptor";
            return false;
        }
    }
    if (desc & 0x7fffffff & ~known_bits(gen, row)) {
        *why = "reserved bits of a message descriptor";
        return false;
    }
    if ((m.ret16 && gen < 90) || (m.flush && gen < 80)) {
        *why = "reserved bits of a message descriptor";
        return false;
    }
    const char *wrong = check_use(gen, &m);
    unsigned mlen, rlen;
    if (!wrong && !msg_lengths(&m, &mlen, &rlen))
        wrong = check_open_lengths(gen, &m);
    else if (!wrong && mlen != (unsigned)m.mlen + m.ex_mlen)
        wrong = "message length doesn't fit the message";
    else if (!wrong && rlen != m.rlen)
        wrong = "response length doesn't fit the message";
    if (wrong) {
        *why = wrong;
        return false;
    }
    *out = m;
    return true;
}

bool msg_pack(int gen, const struct msg *in, uint32_t *desc, uint8_t *sfid, const char **why)
{
    if (in->kind >= MSG_N_KINDS) {
        *why = "no kind of message";
        return false;
    }
    const struct msg_row *row = &rows[in->kind];
    if (gen < row->first_gen || gen > row->last_gen || row->sfid[gen > 70] == SFID_NULL) {
        *why = "this generation lacks the message";
        return false;
    }
    uint32_t d = row->type_hi ? (uint32_t)row->type[gen > 70] << row->type_lo : 0;
    for (int i = 0; i < N_FIELDS; i++) {
        const struct field_row *f = &fields[i];
        int hi = f->hi[gen > 70], lo = f->lo[gen > 70];
        if ((f->layout != row->layout && f->layout != LAYOUT_all) || hi < 0)
            continue;
        int code = to_code(gen, in, f->field);
        if (code < 0 || (uint32_t)code > field_mask(hi, lo) >> lo) {
            *why = "a part of the message doesn't fit its descriptor";
            return false;
        }
        d |= (uint32_t)code << lo;
    }
    struct msg back;
    if (!msg_unpack(gen, row->sfid[gen > 70], d, in->ex_mlen, &back, why))
        return false;
    *desc = d;
    *sfid = row->sfid[gen > 70];
    return true;
}
