/* Selection of memory operations: loads, stores, atomics, barriers and fences.
 *
 * What moves is cut into dwords, and tails of two and one bytes. Dwords at aligned addresses go by
 * untyped messages, up to four at a time; the rest by byte-scattered ones, which take any address.
 * A64 messages move eight lanes on Gen8. Absolute 32-bit addresses (Gen7, 7.5) reach memory through
 * two surfaces of one GiB: each message is sent twice, under opposite predicates. A uniform load is
 * one lane of a SIMD8 message, or a block. */
#include "backend/select.h"

static const struct opnd none;

enum { WINDOW_BIT = 0x40000000 };

/* ---- sending ---- */

void sel_send(struct sel *s, const struct message *x, int pred_inv)
{
    struct cg *cg = s->cg;
    struct mi m = {
        .kind = MI_SEND, .n_src = 1, .mem = x->mem, .mlen = x->m.mlen, .rlen = x->m.rlen};
    const char *why = NULL;
    uint32_t desc;
    uint8_t sfid;
    if (!msg_pack(cg->gen, &x->m, &desc, &sfid, &why))
        bug("message %s: %s", msg_name(x->m.kind), why);
    m.e = (struct eu_insn){.op = EU_OP_send,
                           .exec_size = x->exec,
                           .group = x->group,
                           .no_mask = x->no_mask,
                           .fn = sfid,
                           .desc = desc};
    enum eu_type t = x->exec == 16 ? EU_UW : EU_UD;
    struct opnd d = x->m.rlen ? op_lanes(x->dst, x->dst_off, t) : op_null(t);
    mi_set_opnd(&m, 0, d);
    mi_set_opnd(&m, 1, op_lanes(x->src, x->src_off, EU_UD));
    if (x->m.ex_mlen) {
        m.e.op = EU_OP_sends;
        m.e.exdesc = x->m.ex_mlen << 6;
        m.n_src = 2;
        mi_set_opnd(&m, 2, op_lanes(x->data, x->data_off, EU_UD));
    }
    if (pred_inv >= 0) {
        m.e.pred = EU_PRED_NORMAL;
        m.e.pred_inv = pred_inv;
        m.e.flag = s->cg->scratch_flag;
    }
    mi_push(cg, &m);
}

/* Sends once, or for a window once a surface, where the scratch flag says "high". */
static void put_message(struct sel *s, const struct ir_mem *mem, struct message *x)
{
    if (mem->space != IR_WINDOW) {
        sel_send(s, x, -1);
        return;
    }
    sel_send(s, x, true);
    x->m.bti++;
    sel_send(s, x, false);
    x->m.bti--;
}

static uint8_t mem_bti(const struct ir_mem *mem)
{
    switch ((enum ir_space)mem->space) {
    case IR_SURFACE:
    case IR_WINDOW:
        return mem->bti;
    case IR_SLM:
        return MSG_BTI_SLM;
    case IR_A64:
        return MSG_BTI_STATELESS;
    case IR_ARRAY:
        break;
    }
    return 0;
}

/* ---- addresses ---- */

struct address {
    const struct ir_mem *mem;
    struct opnd lo, hi; /* hi: A64 only */
    unsigned simd;      /* lanes of a message: 8 or 16 */
    unsigned halves;    /* messages that cover the lanes */
    unsigned regs;      /* payload registers of the address, a message */
    bool uniform;       /* of one lane, without mask */
};

static struct address address_of(struct sel *s, const struct ir_insn *i, bool uniform)
{
    struct address a = {.mem = &i->mem, .uniform = uniform};
    bool a64 = i->mem.space == IR_A64;
    a.lo = sel_src(s, i->src[0], EU_UD);
    if (a64)
        a.hi = sel_src(s, i->src[1], EU_UD);
    a.simd = uniform ? 8 : s->cg->lanes;
    /* Gen8 has A64 messages of eight lanes only, and atomics are so everywhere. */
    if (a64 && (s->cg->gen < 90 || i->op == IR_atomic))
        a.simd = 8;
    a.halves = uniform ? 1 : s->cg->lanes / a.simd;
    a.regs = a.simd / 8 * (a64 ? 2 : 1);
    return a;
}

/* lo + offset, and for 64 bits the carry into hi. */
static void address_add(struct sel *s, struct address *a, uint32_t offset, bool negative)
{
    if (!offset && !negative)
        return;
    bool one = (op_is_scalar(&a->lo) || op_is_imm(&a->lo)) &&
               (a->mem->space != IR_A64 || op_is_scalar(&a->hi) || op_is_imm(&a->hi));
    sel_shape(s, a->uniform || one);
    struct opnd lo = sel_temp(s, EU_UD);
    sel_op2(s, EU_OP_add, op_type(lo, EU_D), op_type(a->lo, EU_D), op_imm(EU_D, offset));
    if (a->mem->space == IR_A64) {
        struct opnd carry = sel_temp(s, EU_UD), hi = sel_temp(s, EU_UD), base = a->hi;
        struct mi cmp = sel_mi(s, EU_OP_cmp, 2, carry, lo, op_imm(EU_UD, offset), none);
        cmp.e.cond = EU_COND_L;
        cmp.e.flag = s->cg->scratch_flag;
        sel_put(s, cmp);
        if (negative) { /* the offset's high half is ~0 */
            struct opnd t = sel_temp(s, EU_UD);
            sel_op2(s, EU_OP_add, op_type(t, EU_D), op_type(base, EU_D), op_imm(EU_D, ~0u));
            base = t;
        }
        sel_op2(s, EU_OP_add, op_type(hi, EU_D), op_type(base, EU_D), op_neg(op_type(carry, EU_D)));
        a->hi = hi;
    }
    a->lo = lo;
}

static struct address address_at(struct sel *s, const struct address *a, uint32_t byte)
{
    struct address at = *a;
    int64_t offset = (int64_t)a->mem->offset + byte;
    address_add(s, &at, (uint32_t)offset, offset < 0);
    if (at.mem->space == IR_WINDOW) {
        /* Bit 30 chooses the surface; the scratch flag has it until the sends. */
        bool one = op_is_scalar(&at.lo) || op_is_imm(&at.lo);
        sel_shape(s, a->uniform || one);
        struct opnd lo = sel_reg(s, at.lo);
        at.lo = sel_temp(s, EU_UD);
        sel_op2(s, EU_OP_and, at.lo, lo, op_imm(EU_UD, WINDOW_BIT - 1));
        sel_shape(s, a->uniform);
        struct mi bit =
            sel_mi(s, EU_OP_and, 2, op_null(EU_UD), lo, op_imm(EU_UD, WINDOW_BIT), none);
        bit.e.cond = EU_COND_NZ;
        bit.e.flag = s->cg->scratch_flag;
        sel_put(s, bit);
    }
    return at;
}

static bool is_payload(const struct opnd *o)
{
    return !op_is_imm(o) && !op_is_scalar(o) && o->off % EU_GRF_SIZE == 0;
}

/* Copies lanes 8h .. 8h + 7, dwords hs apart. */
static void put_eight(struct sel *s, uint32_t v, uint32_t off, unsigned hs, struct opnd src,
                      unsigned h)
{
    struct mi m = mi_alu(EU_OP_mov, 8, 1, op_stride(op_lanes(v, off, EU_UD), hs), &src);
    m.e.group = 8 * h;
    mi_push(s->cg, &m);
}

/* A payload vreg of `extra` more registers than the address; the address of half h in front. */
static uint32_t address_payload(struct sel *s, const struct address *a, unsigned h, unsigned extra)
{
    struct cg *cg = s->cg;
    unsigned align = a->simd == 16 ? 2 : 1;
    uint32_t p = vreg_new(cg, (a->regs + extra) * EU_GRF_SIZE, align);
    if (a->uniform) {
        sel_shape(s, true);
        sel_mov(s, op_scalar(p, 0, EU_UD), a->lo);
        if (a->mem->space == IR_A64)
            sel_mov(s, op_scalar(p, 4, EU_UD), a->hi);
    } else if (a->mem->space == IR_A64) { /* qwords */
        for (unsigned k = 0; k < a->simd / 8; k++) {
            put_eight(s, p, 64 * k, 2, op_half(a->lo, h + k), h + k);
            put_eight(s, p, 64 * k + 4, 2, op_half(a->hi, h + k), h + k);
        }
    } else {
        sel_shape(s, false);
        sel_mov(s, op_lanes(p, 0, EU_UD), a->lo);
    }
    return p;
}

/* Points the message at an address, and returns the vreg and byte where its data (of `data`
 * registers) goes: behind the address, or apart from it where sends may be split. */
static uint32_t address_for(struct sel *s, const struct address *a, unsigned h, unsigned data,
                            struct message *x, uint32_t *off)
{
    bool split = s->cg->gen >= 90 && data > 0;
    if (a->mem->space != IR_A64 && is_payload(&a->lo) && (split || !data)) {
        x->src = a->lo.v;
        x->src_off = a->lo.off;
    } else {
        x->src = address_payload(s, a, h, split ? 0 : data);
        x->src_off = 0;
    }
    x->m.mlen = a->regs + (split ? 0 : data);
    x->m.ex_mlen = split ? data : 0;
    *off = split ? 0 : a->regs * EU_GRF_SIZE;
    if (!split)
        return x->src;
    x->data = vreg_new(s->cg, data * EU_GRF_SIZE, a->simd == 16 ? 2 : 1);
    x->data_off = 0;
    return x->data;
}

/* ---- messages ---- */

/* One of `untyped` dwords (1..4), or if that is 0 `bytes` (1, 2, 4) scattered. */
static struct message data_message(const struct address *a, bool write, unsigned untyped,
                                   unsigned bytes, unsigned h)
{
    bool a64 = a->mem->space == IR_A64;
    unsigned g = a->simd / 8, data = untyped ? untyped * g : g;
    struct message x = {
        .exec = a->uniform ? 1 : a->simd, .group = a->uniform ? 0 : 8 * h, .no_mask = a->uniform};
    x.m.simd = a->simd;
    x.m.bti = mem_bti(a->mem);
    x.m.mlen = a->regs + (write ? data : 0);
    x.m.rlen = write ? 0 : data;
    x.mem = write ? MI_MEM_WRITE : a->mem->is_constant ? MI_MEM_CONST : MI_MEM_READ;
    if (a->mem->is_volatile)
        x.mem = MI_MEM_WRITE;
    if (untyped) {
        x.m.kind = write ? (a64 ? MSG_a64_untyped_write : MSG_untyped_write)
                         : (a64 ? MSG_a64_untyped_read : MSG_untyped_read);
        x.m.n_chan = untyped;
        x.m.chan_off = 0xf & ~((1u << untyped) - 1);
    } else {
        x.m.kind =
            write ? (a64 ? MSG_a64_write : MSG_byte_write) : (a64 ? MSG_a64_read : MSG_byte_read);
        x.m.data_size = bytes;
        x.m.n_elem = 1;
        x.m.unaligned = a64;
    }
    return x;
}

/* ---- loads ---- */

/* A loaded dword (or its low bytes). */
struct piece {
    uint32_t v, off;
};

/* Reads the dwords of a mask, of four, or if that is 0 bytes, at `byte` of the operation into
 * pieces. */
static void read_piece(struct sel *s, const struct address *a, uint32_t byte, unsigned dwords,
                       unsigned bytes, struct piece *out)
{
    struct cg *cg = s->cg;
    struct address at = address_at(s, a, byte);
    unsigned n_dw = (unsigned)__builtin_popcount(dwords), n = n_dw ? n_dw : 1, g = a->simd / 8;
    uint32_t group = 0;
    struct piece got[4];
    /* Halves of one component lie where a value has them; of more, they must be put together. */
    if (a->halves == 1 || n == 1)
        group = vreg_new(cg, n * g * a->halves * EU_GRF_SIZE, a->uniform ? 1 : cg->lane_regs);
    for (unsigned k = 0; k < n; k++) {
        if (group)
            got[k] = (struct piece){group, k * g * EU_GRF_SIZE};
        else
            got[k] = (struct piece){vreg_lanes(cg), 0};
    }
    for (unsigned h = 0; h < a->halves; h++) {
        struct message x = data_message(&at, false, n_dw, bytes, h);
        uint32_t off;
        if (n_dw)
            x.m.chan_off = 0xf & ~dwords;
        address_for(s, &at, h, 0, &x, &off);
        x.dst = group ? group : vreg_new(cg, n * EU_GRF_SIZE, 1);
        x.dst_off = group ? h * EU_GRF_SIZE : 0;
        put_message(s, at.mem, &x);
        for (unsigned k = 0; !group && k < n; k++)
            put_eight(s, got[k].v, h * EU_GRF_SIZE, 1, op_lanes(x.dst, k * EU_GRF_SIZE, EU_UD), h);
    }
    for (unsigned k = 0, next = 0; k < 4; k++) {
        if (dwords >> k & 1)
            out[k] = got[next++];
    }
    if (!n_dw)
        *out = got[0];
}

/* A block of consecutive dwords of a surface, for a uniform load: dword k is piece k. */
static void read_block(struct sel *s, const struct address *a, unsigned n_dw, struct piece *out)
{
    struct cg *cg = s->cg;
    struct address at = address_at(s, a, 0);
    unsigned n_oword = n_dw <= 4 ? 1 : n_dw <= 8 ? 2 : 4;
    unsigned regs = n_oword <= 2 ? 1 : 2;
    struct message x = {.exec = n_oword == 1 ? 4 : n_oword == 2 ? 8 : 16, .no_mask = true};
    x.m = (struct msg){.kind = MSG_oword_read_unaligned,
                       .mlen = 1,
                       .rlen = regs,
                       .header = true,
                       .bti = mem_bti(at.mem),
                       .n_oword = n_oword,
                       .unaligned = true};
    x.mem = at.mem->is_constant ? MI_MEM_CONST : MI_MEM_READ;
    if (at.mem->is_volatile)
        x.mem = MI_MEM_WRITE;
    x.src = vreg_new(cg, EU_GRF_SIZE, 1);
    sel_shape(s, true);
    sel_mov(s, op_scalar(x.src, 8, EU_UD), at.lo); /* header dword 2 */
    x.dst = vreg_new(cg, regs * EU_GRF_SIZE, 1);
    sel_send(s, &x, -1);
    for (unsigned k = 0; k < n_dw; k++)
        out[k] = (struct piece){x.dst, 4 * k};
}

/* Component c, of size bytes, out of the pieces; upper bits are anything. */
static void place_component(struct sel *s, struct ir_value *v, const struct piece *p, unsigned byte,
                            unsigned size, bool scalar)
{
    if (!s->loc[v->id].placed && byte == 0) {
        sel_place(s, v, p->v, p->off, scalar);
        return;
    }
    sel_shape(s, v->uniform);
    struct opnd src = scalar ? op_scalar(p->v, p->off, EU_UD) : op_lanes(p->v, p->off, EU_UD);
    if (byte || size < 4)
        src = op_part(src, byte, size == 1 ? EU_UB : size == 2 ? EU_UW : EU_UD);
    sel_mov(s, sel_dst(s, v, EU_UD), src);
}

void sel_wait(struct sel *s, uint32_t v, uint32_t off)
{
    struct opnd answer = op_lanes(v, off, EU_UD);
    struct mi wait = mi_alu(EU_OP_mov, 8, 1, op_null(EU_UD), &answer);
    wait.e.no_mask = true;
    mi_push(s->cg, &wait);
}

static bool is_unused(const struct ir_insn *i)
{
    for (unsigned k = 0; k < i->n_dst; k++) {
        if (i->dst[k]->n_uses)
            return false;
    }
    return true;
}

/* The dwords, from dword `first` on, of which someone wants a part: a bit each. */
static unsigned wanted(const struct ir_insn *i, unsigned first, unsigned n)
{
    unsigned set = 0;
    for (unsigned c = 0; c < i->n_dst; c++) {
        unsigned dw = c * i->mem.comp_size / 4;
        if ((i->dst[c]->n_uses || i->mem.is_volatile) && dw >= first && dw < first + n)
            set |= 1u << (dw - first);
    }
    return set;
}

static void sel_load(struct sel *s, struct ir_insn *i)
{
    const struct ir_mem *mem = &i->mem;
    bool uniform = true;
    for (unsigned k = 0; k < i->n_dst; k++)
        uniform = uniform && i->dst[k]->uniform;
    for (unsigned k = 0; k < i->n_dst; k++) {
        if (i->dst[k]->uniform != uniform)
            bug("%s: a load is partly uniform", s->fn->name);
    }
    struct address a = address_of(s, i, uniform);
    unsigned total = mem->n_comp * mem->comp_size, n_dw = total / 4, tail = total % 4;
    struct piece pieces[20];
    bool aligned = mem->align >= 4;
    if (aligned && tail) { /* the rest of the dword is there to be read */
        n_dw++;
        tail = 0;
    }
    while (aligned && n_dw && !wanted(i, n_dw - 1, 1))
        n_dw--;
    if (n_dw + tail == 0)
        return;
    if (uniform && aligned && mem->space == IR_SURFACE && s->cg->gen >= 80) {
        read_block(s, &a, n_dw, pieces);
    } else if (aligned) {
        for (unsigned k = 0; k < n_dw; k += 4) {
            unsigned dwords = wanted(i, k, 4);
            if (dwords)
                read_piece(s, &a, 4 * k, dwords, 0, &pieces[k]);
        }
    } else {
        for (unsigned k = 0; k < n_dw; k++)
            read_piece(s, &a, 4 * k, 0, 4, &pieces[k]);
    }
    /* Two bytes, then one: the pieces after the dwords. */
    unsigned at = 4 * n_dw, word_at = at, byte_at = at + (tail & 2), n = n_dw;
    if (tail & 2)
        read_piece(s, &a, word_at, 0, 2, &pieces[n++]);
    if (tail & 1)
        read_piece(s, &a, byte_at, 0, 1, &pieces[n++]);
    for (unsigned c = 0; c < i->n_dst; c++) {
        unsigned byte = c * mem->comp_size, k = byte / 4, in = byte % 4;
        if (aligned && !wanted(i, k, 1))
            continue;
        if (byte >= at) {
            bool in_word = (tail & 2) && byte < byte_at;
            k = n_dw + (!in_word && (tail & 2) ? 1 : 0);
            in = in_word ? byte - word_at : 0;
        }
        place_component(s, i->dst[c], &pieces[k], in, mem->comp_size, uniform);
    }
    for (unsigned k = 0; mem->is_volatile && is_unused(i) && k < n; k++) {
        if (!k || pieces[k].v != pieces[k - 1].v)
            sel_wait(s, pieces[k].v, pieces[k].off & ~(EU_GRF_SIZE - 1));
    }
}

/* ---- stores ---- */

/* Writes bytes [byte, byte + size) of what is stored to the dword slot at `off` of p: all lanes of
 * half h, or of all lanes if simd is 16. */
static void pack_slot(struct sel *s, const struct ir_insn *i, unsigned n_addr, unsigned byte,
                      unsigned size, uint32_t p, uint32_t off, unsigned exec, unsigned h)
{
    bool one = exec == 1;
    unsigned comp = i->mem.comp_size;
    for (unsigned b = 0; b < size; b += comp) {
        struct ir_src part = i->src[n_addr + (byte + b) / comp];
        struct opnd d = one ? op_scalar(p, off, EU_UD) : op_lanes(p, off, EU_UD), src;
        if (comp == 4) {
            src = sel_src(s, part, EU_UD);
        } else if (size == comp) { /* a lone one may have anything above it */
            src = sel_src_int(s, part, EU_UD, false);
        } else {
            src = sel_src_low(s, part, comp);
            d = op_part(d, b, comp == 1 ? EU_UB : EU_UW);
            d = one ? d : op_stride(d, 4 / comp);
        }
        if (exec == 8)
            src = op_half(src, h);
        struct mi m = mi_alu(EU_OP_mov, exec, 1, d, &src);
        m.e.group = exec == 8 ? 8 * h : 0;
        m.e.no_mask = one;
        sel_put(s, m);
    }
}

static void write_piece(struct sel *s, const struct ir_insn *i, const struct address *a,
                        uint32_t byte, unsigned untyped, unsigned bytes)
{
    struct address at = address_at(s, a, byte);
    unsigned n = untyped ? untyped : 1, g = a->simd / 8, n_addr = ir_n_addr(i);
    for (unsigned h = 0; h < a->halves; h++) {
        struct message x = data_message(&at, true, untyped, bytes, h);
        uint32_t off, p = address_for(s, &at, h, n * g, &x, &off);
        for (unsigned k = 0; k < n; k++)
            pack_slot(s, i, n_addr, byte + 4 * k, untyped ? 4 : bytes, p, off + k * g * EU_GRF_SIZE,
                      a->uniform ? 1 : a->simd, h);
        put_message(s, at.mem, &x);
    }
}

/* One lane stores what is the same in all, to one place: some lane is active wherever code runs. */
static bool is_uniform_store(const struct ir_insn *i)
{
    bool uniform = !i->mem.is_volatile;
    for (unsigned k = 0; k < i->n_src; k++)
        uniform = uniform && (!i->src[k].value || i->src[k].value->uniform);
    return uniform;
}

static void sel_store(struct sel *s, struct ir_insn *i)
{
    const struct ir_mem *mem = &i->mem;
    struct address a = address_of(s, i, is_uniform_store(i));
    unsigned total = mem->n_comp * mem->comp_size, n_dw = total / 4, tail = total % 4;
    if (mem->align >= 4) {
        for (unsigned k = 0; k < n_dw; k += 4)
            write_piece(s, i, &a, 4 * k, n_dw - k < 4 ? n_dw - k : 4, 0);
    } else {
        for (unsigned k = 0; k < n_dw; k++)
            write_piece(s, i, &a, 4 * k, 0, 4);
    }
    if (tail & 2)
        write_piece(s, i, &a, 4 * n_dw, 0, 2);
    if (tail & 1)
        write_piece(s, i, &a, 4 * n_dw + (tail & 2), 0, 1);
}

/* ---- atomics ---- */

/* Data of eight lanes, lane by lane: qwords, of which source n has the low words. */
static void put_qwords(struct sel *s, const struct ir_insn *i, unsigned n, uint32_t p, uint32_t off,
                       unsigned h)
{
    for (unsigned w = 0; w < 2; w++)
        put_eight(s, p, off + 4 * w, 2, op_half(sel_src(s, i->src[n + w], EU_UD), h), h);
}

static void sel_atomic64(struct sel *s, struct ir_insn *i)
{
    struct cg *cg = s->cg;
    struct address a = address_of(s, i, false);
    struct address at = address_at(s, &a, 0);
    unsigned n_addr = ir_n_addr(i), n_data = (i->n_src - n_addr) / 2;
    bool returns = i->n_dst && (i->dst[0]->n_uses || i->dst[1]->n_uses);
    for (unsigned h = 0; h < a.halves; h++) {
        struct message x = {.exec = 8, .group = 8 * h, .mem = MI_MEM_WRITE};
        x.m = (struct msg){.kind = MSG_a64_atomic,
                           .simd = 8,
                           .bti = mem_bti(&i->mem),
                           .atomic = i->mem.atomic,
                           .is_64 = true,
                           .returns = returns,
                           .rlen = returns ? 2 : 0};
        uint32_t off, p = address_for(s, &at, h, 2 * n_data, &x, &off);
        for (unsigned k = 0; k < n_data; k++)
            put_qwords(s, i, n_addr + 2 * k, p, off + 2 * k * EU_GRF_SIZE, h);
        if (returns)
            x.dst = vreg_new(cg, 2 * EU_GRF_SIZE, 1);
        put_message(s, at.mem, &x);
        for (unsigned w = 0; returns && w < 2; w++) {
            struct opnd from = op_lanes(x.dst, 4 * w, EU_UD);
            from.o.vs = 8;
            from.o.width = 4;
            from.o.hs = 2;
            struct mi m = mi_alu(EU_OP_mov, 8, 1, op_half(sel_dst(s, i->dst[w], EU_UD), h), &from);
            m.e.group = 8 * h;
            mi_push(cg, &m);
        }
    }
}

static void sel_atomic(struct sel *s, struct ir_insn *i)
{
    if (i->mem.comp_size == 8) {
        sel_atomic64(s, i);
        return;
    }
    struct cg *cg = s->cg;
    struct address a = address_of(s, i, false);
    struct address at = address_at(s, &a, 0);
    unsigned n_addr = ir_n_addr(i), n_data = i->n_src - n_addr, g = a.simd / 8;
    bool returns = i->n_dst > 0 && i->dst[0]->n_uses > 0;
    uint32_t out = 0;
    if (returns) {
        out = vreg_lanes(cg);
        sel_place(s, i->dst[0], out, 0, false);
    }
    for (unsigned h = 0; h < a.halves; h++) {
        struct message x = {.exec = a.simd,
                            .group = 8 * h,
                            .mem = MI_MEM_WRITE,
                            .dst = out,
                            .dst_off = h * EU_GRF_SIZE};
        x.m = (struct msg){.kind = i->mem.space == IR_A64 ? MSG_a64_atomic : MSG_untyped_atomic,
                           .simd = a.simd,
                           .bti = mem_bti(&i->mem),
                           .atomic = i->mem.atomic,
                           .returns = returns,
                           .rlen = returns ? g : 0};
        uint32_t off, p = address_for(s, &at, h, n_data * g, &x, &off);
        for (unsigned k = 0; k < n_data; k++)
            pack_slot(s, i, n_addr, 4 * k, 4, p, off + k * g * EU_GRF_SIZE, a.simd, h);
        put_message(s, at.mem, &x);
    }
}

/* ---- order between work-items ---- */

/* A message with r0 as header, and nothing else, that answers when it is done. */
static void put_waiting(struct sel *s, struct msg m)
{
    struct message x = {.exec = 8, .no_mask = true, .mem = MI_MEM_WRITE, .src = s->cg->r0, .m = m};
    x.m.mlen = x.m.rlen = 1;
    x.m.header = true;
    x.dst = vreg_new(s->cg, EU_GRF_SIZE, 1);
    sel_send(s, &x, -1);
    sel_wait(s, x.dst, 0);
}

/* A fence that waits: the data port answers when all earlier writes are visible. For images what
 * has been written leaves the L3 cache's data too, and the sampler forgets what it has read (Intel
 * PRM volume 7, "Sampling Engine", "Sampler Cache Flush"). */
static void put_fence(struct sel *s, bool images)
{
    enum { FLUSH_L3_DATA = 8 };
    put_waiting(
        s, (struct msg){.kind = MSG_fence, .commit = true, .flush = images ? FLUSH_L3_DATA : 0});
    if (images)
        put_waiting(s, (struct msg){.kind = MSG_sampler_flush});
}

/* Work-items of a group see each other's local writes in order without a fence on Gen8 and 9.
 * Images that a kernel reads and writes are not before those. */
static void fence(struct sel *s, uint32_t scopes)
{
    bool gen8 = s->cg->gen >= 80, images = scopes & 4 && gen8;
    if (images || scopes & 2 || (scopes & 1 && !gen8))
        put_fence(s, images);
}

static void sel_barrier(struct sel *s, struct ir_insn *i)
{
    struct cg *cg = s->cg;
    fence(s, i->imm);
    uint32_t p = vreg_new(cg, EU_GRF_SIZE, 1);
    struct opnd src[2] = {op_scalar(cg->r0, 8, EU_UD),
                          op_imm(EU_UD, cg->gen >= 90 ? 0x8f000000 : 0x0f000000)};
    struct mi id = mi_alu(EU_OP_and, 8, 2, op_lanes(p, 0, EU_UD), src);
    id.e.no_mask = true;
    mi_push(cg, &id);
    struct message x = {.exec = 8, .no_mask = true, .mem = MI_MEM_WRITE, .src = p};
    x.m = (struct msg){.kind = MSG_gateway, .mlen = 1, .gateway_fn = 4};
    sel_send(s, &x, -1);
    struct mi wait = {
        .kind = MI_CTRL, .n_src = 0, .e = {.op = EU_OP_wait, .exec_size = 1, .no_mask = true}};
    wait.e.dst = op_arf(EU_ARF_N0, 0, EU_UD).o;
    wait.e.dst.hs = 1;
    wait.e.src[0] = op_arf(EU_ARF_N0, 0, EU_UD).o;
    mi_push(cg, &wait);
}

bool sel_mem(struct sel *s, struct ir_insn *i)
{
    switch ((enum ir_op)i->op) {
    case IR_load:
        (i->mem.space == IR_ARRAY ? sel_array_load : sel_load)(s, i);
        return true;
    case IR_store:
        (i->mem.space == IR_ARRAY ? sel_array_store : sel_store)(s, i);
        return true;
    case IR_atomic:
        sel_atomic(s, i);
        return true;
    case IR_barrier:
        sel_barrier(s, i);
        return true;
    case IR_fence:
        fence(s, i->imm);
        return true;
    default:
        return false;
    }
}
