#include "ir_interp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t mask; /* a bit a lane */

struct run {
    struct interp *in;
    uint32_t (*v)[INTERP_MAX_LANES]; /* by value id */
    uint32_t from[INTERP_MAX_LANES]; /* block that each lane comes from */
    mask dead;
    uint32_t *latch; /* by header: latch + 1 */
    uint64_t budget;
    uint8_t *arrays[IR_MAX_ARRAYS]; /* a copy a lane */
    mask left;                      /* lanes that have left the innermost loop */
};

#define for_lanes(k, m)                                                                            \
    for (unsigned k = 0; k < INTERP_MAX_LANES; k++)                                                \
        if ((m) >> k & 1)

static bool failed(const struct run *r)
{
    return r->in->error[0] != 0;
}

static void fail(struct run *r, const struct ir_insn *i, const char *what)
{
    if (!failed(r))
        snprintf(r->in->error, sizeof r->in->error, "b%u, line %u, %s: %s", i->block->index,
                 i->where.line, ir_op_name(i->op), what);
}

static float to_f(uint32_t bits)
{
    float f;
    if ((bits & 0x7f800000) == 0)
        bits &= 0x80000000;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t from_f(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7f800000) == 0)
        bits &= 0x80000000;
    return bits;
}

/* Half to float and back, by value: exact scaling, ties to even. */
static float half_value(uint32_t h)
{
    int e = h >> 10 & 31, m = h & 0x3ff;
    float f = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf(1024 + m, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -f : f;
}

/* A sum of products in long double is exact but for one rounding, which is far below a half's. */
static uint32_t half_op(const struct ir_insn *i, uint32_t a, uint32_t b, uint32_t c)
{
    long double x = half_value(a), y = half_value(b), z = half_value(c), r = 0;
    switch ((enum ir_op)i->op) {
    case IR_hadd:
        r = x + y;
        break;
    case IR_hsub:
        r = x - y;
        break;
    case IR_hmul:
        r = x * y;
        break;
    case IR_hfma:
    case IR_hmad:
        r = x * y + z;
        break;
    case IR_hmin:
        r = fminl(x, y);
        break;
    default:
        r = fmaxl(x, y);
        break;
    }
    _Float16 h = (_Float16)r;
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return bits;
}

static uint32_t half_bits(float f)
{
    uint32_t sign = signbit(f) ? 0x8000 : 0;
    float a = fabsf(f);
    if (isnan(f))
        return sign | 0x7e00;
    if (a >= 65520.0f)
        return sign | 0x7c00;
    int e;
    frexpf(a, &e);
    if (e < -13)
        e = -13;
    float q = rintf(ldexpf(a, 11 - e)); /* in units of the last place */
    float back = ldexpf(q, e - 11);
    if (back == 0)
        return sign;
    frexpf(back, &e);
    if (e < -13)
        return sign | (uint32_t)ldexpf(back, 24);
    return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)ldexpf(back, 11 - e) & 0x3ff);
}

static bool fclass(uint32_t bits, uint32_t test)
{
    bool sign = bits >> 31;
    uint32_t e = bits >> 23 & 255, m = bits & 0x7fffff;
    unsigned n; /* bit of LLVM's mask */
    if (e == 255 && m)
        n = m & 0x400000 ? 1 : 0;
    else if (e == 255)
        n = sign ? 2 : 9;
    else if (e)
        n = sign ? 3 : 8;
    else if (m)
        n = sign ? 4 : 7;
    else
        n = sign ? 5 : 6;
    return test >> n & 1;
}

static bool icmp(unsigned p, uint32_t a, uint32_t b)
{
    int64_t x = p >= IR_SLT ? (int32_t)a : (int64_t)a, y = p >= IR_SLT ? (int32_t)b : (int64_t)b;
    if (p == IR_EQ)
        return x == y;
    if (p == IR_NE)
        return x != y;
    if (p == IR_ULT || p == IR_SLT)
        return x < y;
    if (p == IR_ULE || p == IR_SLE)
        return x <= y;
    return p == IR_UGT || p == IR_SGT ? x > y : x >= y;
}

static bool fcmp(unsigned p, float a, float b)
{
    bool un = a != a || b != b, lt = !un && a < b, eq = !un && a == b, gt = !un && a > b;
    switch (p) {
    case IR_OEQ:
        return eq;
    case IR_ONE:
        return lt || gt;
    case IR_OLT:
        return lt;
    case IR_OLE:
        return lt || eq;
    case IR_OGT:
        return gt;
    case IR_OGE:
        return gt || eq;
    case IR_ORD:
        return !un;
    case IR_UEQ:
        return un || eq;
    case IR_UNE:
        return un || lt || gt;
    case IR_FULT:
        return un || lt;
    case IR_FULE:
        return un || lt || eq;
    case IR_FUGT:
        return un || gt;
    case IR_FUGE:
        return un || gt || eq;
    default:
        return un;
    }
}

static uint32_t f2s(float f)
{
    if (f != f)
        return 0;
    double d = trunc(f);
    return d >= 2147483647.0 ? 0x7fffffff : d <= -2147483648.0 ? 0x80000000 : (uint32_t)(int32_t)d;
}

static uint32_t f2u(float f)
{
    if (f != f || f <= 0)
        return 0;
    return f >= 4294967296.0f ? 0xffffffff : (uint32_t)f;
}

/* One lane of an operation that touches nothing but its operands. out: up to two results. */
static bool lane(struct run *r, const struct ir_insn *i, unsigned k, const uint32_t *s,
                 uint32_t *out)
{
    uint32_t a = s[0], b = s[1], c = s[2];
    float fa = to_f(a), fb = to_f(b), fc = to_f(c);
    uint64_t w;
    switch ((enum ir_op)i->op) {
    case IR_mov:
        out[0] = a;
        break;
    case IR_undef:
        out[0] = 0;
        break;
    case IR_add:
        out[0] = a + b;
        break;
    case IR_sub:
        out[0] = a - b;
        break;
    case IR_mul:
        out[0] = a * b;
        break;
    case IR_mulhi_u:
        out[0] = (uint64_t)a * b >> 32;
        break;
    case IR_mulhi_s:
        out[0] = (uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32;
        break;
    case IR_add_carry:
        w = (uint64_t)a + b;
        out[0] = w;
        out[1] = w >> 32;
        break;
    case IR_sub_borrow:
        out[0] = a - b;
        out[1] = b > a;
        break;
    case IR_udiv:
        out[0] = b ? a / b : 0xdeadbeef;
        break;
    case IR_urem:
        out[0] = b ? a % b : 0xdeadbeef;
        break;
    case IR_sdiv:
        out[0] = b ? (uint32_t)((int64_t)(int32_t)a / (int32_t)b) : 0xdeadbeef;
        break;
    case IR_srem:
        out[0] = b ? (uint32_t)((int64_t)(int32_t)a % (int32_t)b) : 0xdeadbeef;
        break;
    case IR_and:
    case IR_and1:
        out[0] = a & b;
        break;
    case IR_or:
    case IR_or1:
        out[0] = a | b;
        break;
    case IR_xor:
    case IR_xor1:
        out[0] = a ^ b;
        break;
    case IR_not:
        out[0] = ~a;
        break;
    case IR_not1:
        out[0] = a ^ 1;
        break;
    case IR_shl:
        out[0] = a << b % 32;
        break;
    case IR_lshr:
        out[0] = a >> b % 32;
        break;
    case IR_ashr:
        out[0] = (uint32_t)((int64_t)(int32_t)a >> b % 32);
        break;
    case IR_smin:
        out[0] = (int32_t)a < (int32_t)b ? a : b;
        break;
    case IR_smax:
        out[0] = (int32_t)a > (int32_t)b ? a : b;
        break;
    case IR_umin:
        out[0] = a < b ? a : b;
        break;
    case IR_umax:
        out[0] = a > b ? a : b;
        break;
    case IR_sadd_sat:
        if (__builtin_add_overflow((int32_t)a, (int32_t)b, (int32_t *)&out[0]))
            out[0] = a >> 31 ? 0x80000000u : 0x7fffffff;
        break;
    case IR_uadd_sat:
        if (__builtin_add_overflow(a, b, &out[0]))
            out[0] = 0xffffffff;
        break;
    case IR_savg:
        out[0] = (uint32_t)(((int64_t)(int32_t)a + (int32_t)b + 1) >> 1);
        break;
    case IR_uavg:
        out[0] = (uint32_t)(((uint64_t)a + b + 1) >> 1);
        break;
    case IR_sext8:
        out[0] = (a & 0xff) ^ 0x80;
        out[0] -= 0x80;
        break;
    case IR_sext16:
        out[0] = (a & 0xffff) ^ 0x8000;
        out[0] -= 0x8000;
        break;
    case IR_zext8:
        out[0] = a % 256;
        break;
    case IR_zext16:
        out[0] = a % 65536;
        break;
    case IR_clz:
        for (out[0] = 0; out[0] < 32 && !(a << out[0] & 0x80000000); out[0]++)
            ;
        break;
    case IR_ctz:
        for (out[0] = 0; out[0] < 32 && !(a >> out[0] & 1); out[0]++)
            ;
        if (out[0] == 32)
            out[0] = 0xffffffff;
        break;
    case IR_popcount:
        for (out[0] = 0; a; a &= a - 1)
            out[0]++;
        break;
    case IR_bitreverse:
        out[0] = 0;
        for (int n = 0; n < 32; n++)
            out[0] = out[0] * 2 + (a >> n & 1);
        break;
    case IR_icmp:
        out[0] = icmp(i->pred, a, b);
        break;
    case IR_fcmp:
        out[0] = fcmp(i->pred, fa, fb);
        break;
    case IR_hcmp:
        out[0] = fcmp(i->pred, half_value(a), half_value(b));
        break;
    case IR_hadd:
    case IR_hsub:
    case IR_hmul:
    case IR_hfma:
    case IR_hmad:
    case IR_hmin:
    case IR_hmax:
        out[0] = half_op(i, a, b, c);
        break;
    case IR_fclass:
        out[0] = fclass(a, i->imm);
        break;
    case IR_select:
        out[0] = a ? b : c;
        break;
    case IR_b2i:
        out[0] = a;
        break;
    case IR_b2m:
        out[0] = a ? 0xffffffff : 0;
        break;
    case IR_i2b:
        out[0] = a & 1;
        break;
    case IR_fadd:
        out[0] = from_f(fa + fb);
        break;
    case IR_fsub:
        out[0] = from_f(fa - fb);
        break;
    case IR_fmul:
        out[0] = from_f(fa * fb);
        break;
    case IR_ffma:
        out[0] = from_f(fmaf(fa, fb, fc));
        break;
    case IR_fdiv:
        out[0] = from_f(fa / fb);
        break;
    case IR_fneg:
        out[0] = a ^ 0x80000000;
        break;
    case IR_fabs:
        out[0] = a & 0x7fffffff;
        break;
    case IR_fmin:
        out[0] = fa != fa   ? b
                 : fb != fb ? a
                            : from_f(fa < fb || (fa == fb && signbit(fa)) ? fa : fb);
        break;
    case IR_fmax:
        out[0] = fa != fa   ? b
                 : fb != fb ? a
                            : from_f(fa > fb || (fa == fb && !signbit(fa)) ? fa : fb);
        break;
    case IR_ffloor:
        out[0] = from_f(floorf(fa));
        break;
    case IR_fceil:
        out[0] = from_f(ceilf(fa));
        break;
    case IR_ftrunc:
        out[0] = from_f(truncf(fa));
        break;
    case IR_frint:
        out[0] = from_f(rintf(fa));
        break;
    case IR_frcp:
        out[0] = from_f(1 / fa);
        break;
    case IR_fsqrt:
        out[0] = from_f(sqrtf(fa));
        break;
    case IR_frsqrt:
        out[0] = from_f((float)(1 / sqrt(fa)));
        break;
    case IR_fexp2:
        out[0] = from_f(exp2f(fa));
        break;
    case IR_flog2:
        out[0] = from_f(log2f(fa));
        break;
    case IR_fsin:
        out[0] = from_f(sinf(fa));
        break;
    case IR_fcos:
        out[0] = from_f(cosf(fa));
        break;
    case IR_fpow:
        out[0] = from_f(powf(fa, fb));
        break;
    case IR_f2s:
        out[0] = f2s(fa);
        break;
    case IR_f2u:
        out[0] = f2u(fa);
        break;
    case IR_s2f:
        out[0] = from_f((float)(int32_t)a);
        break;
    case IR_u2f:
        out[0] = from_f((float)a);
        break;
    case IR_f2h:
        out[0] = half_bits(fa);
        break;
    case IR_h2f:
        memcpy(&out[0], &(float){half_value(a)}, 4);
        break;
    case IR_local_id:
        out[0] = r->in->local_id[i->imm][k];
        break;
    case IR_group_id:
        out[0] = r->in->group_id[i->imm];
        break;
    case IR_param:
        memcpy(out, &r->in->push[i->imm], 4);
        break;
    case IR_lane_id:
        out[0] = k;
        break;
    case IR_thread_slot:
        out[0] = r->in->thread_slot;
        break;
    case IR_times_simd:
        out[0] = s[0] * r->in->n_lanes;
        break;
    case IR_simd_width:
        out[0] = r->in->n_lanes;
        break;
    default:
        return false;
    }
    return true;
}

/* The byte range behind a lane's address; NULL out of range. */
static uint8_t *reach(struct run *r, const struct ir_insn *i, const uint32_t *addr, uint32_t size)
{
    const struct ir_mem *m = &i->mem;
    struct interp *in = r->in;
    uint32_t at = addr[0] + (uint32_t)m->offset;
    uint64_t full = addr[0];
    switch (m->space) {
    case IR_SURFACE:
        if (at % m->align || (uint64_t)at + size > in->surface[m->bti].size)
            return NULL;
        return in->surface[m->bti].data + at;
    case IR_SLM:
        return at % m->align || (uint64_t)at + size > sizeof in->slm ? NULL : in->slm + at;
    case IR_A64:
        full |= (uint64_t)addr[1] << 32;
        break;
    default:
        break;
    }
    full += (int64_t)m->offset;
    if (m->space == IR_WINDOW)
        full &= 0xffffffff;
    for (int b = 0; b < INTERP_MAX_BUFFERS; b++)
        if (in->memory[b].size && full >= in->memory[b].address &&
            full + size <= in->memory[b].address + in->memory[b].size)
            return full % m->align ? NULL : in->memory[b].data + (full - in->memory[b].address);
    return NULL;
}

static uint32_t atomic_new(unsigned op, uint32_t old, uint32_t a, uint32_t b)
{
    switch (op) {
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
        return (int32_t)old > (int32_t)a ? old : a;
    case ATOMIC_IMIN:
        return (int32_t)old < (int32_t)a ? old : a;
    case ATOMIC_UMAX:
        return old > a ? old : a;
    case ATOMIC_UMIN:
        return old < a ? old : a;
    default:
        return old == a ? b : old;
    }
}

/* The same in lane k's copy of an array. */
static uint8_t *reach_array(struct run *r, const struct ir_insn *i, unsigned k, uint32_t addr,
                            uint32_t size)
{
    const struct ir_mem *m = &i->mem;
    uint32_t at = addr + (uint32_t)m->offset, length = r->in->fn->array_size[m->bti];
    if (at % m->align || at > length || size > length - at)
        return NULL;
    return r->arrays[m->bti] + (size_t)k * length + at;
}

static void memory(struct run *r, const struct ir_insn *i, unsigned k, const uint32_t *s,
                   uint32_t *out)
{
    const struct ir_mem *m = &i->mem;
    unsigned n_addr = ir_n_addr(i);
    uint32_t size = (uint32_t)m->n_comp * m->comp_size;
    uint8_t *p = m->space == IR_ARRAY ? reach_array(r, i, k, s[0], size) : reach(r, i, s, size);
    if (!p) {
        fail(r, i, "address out of range or misaligned");
        return;
    }
    if (i->op == IR_atomic) {
        uint32_t old, now;
        memcpy(&old, p, 4);
        now = atomic_new(m->atomic, old, s[n_addr], s[n_addr + 1]);
        memcpy(p, &now, 4);
        out[0] = m->atomic == ATOMIC_PREDEC ? now : old;
        return;
    }
    for (unsigned n = 0; n < m->n_comp; n++, p += m->comp_size) {
        if (i->op == IR_store) {
            memcpy(p, &s[n_addr + n], m->comp_size);
        } else {
            out[n] = 0xa5b6c7d8; /* what a narrow load leaves above */
            memcpy(&out[n], p, m->comp_size);
        }
    }
}

static uint32_t source(struct run *r, struct ir_src s, unsigned k)
{
    return s.value ? r->v[s.value->id][k] : s.imm;
}

static void check_uniform(struct run *r, const struct ir_insn *i, const struct ir_value *v, mask m)
{
    bool any = false;
    uint32_t first = 0;
    if (!r->in->check_uniform || !v->uniform)
        return;
    for_lanes(k, m)
    {
        if (any && r->v[v->id][k] != first)
            fail(r, i, "a value marked uniform differs between lanes");
        first = r->v[v->id][k];
        any = true;
    }
}

static void phis(struct run *r, const struct ir_block *b, mask m)
{
    static uint32_t now[INTERP_MAX_LANES][256];
    unsigned n = 0;
    for (const struct ir_insn *i = b->first; i && i->op == IR_phi; i = i->next, n++)
        for_lanes(k, m)
        {
            unsigned p = 0;
            while (p < b->n_preds && b->preds[p]->index != r->from[k])
                p++;
            if (p == b->n_preds || n >= 256) {
                fail(r, i, "lane comes from no predecessor");
                return;
            }
            now[k][n] = source(r, i->src[p], k);
        }
    n = 0;
    for (const struct ir_insn *i = b->first; i && i->op == IR_phi; i = i->next, n++) {
        for_lanes(k, m) r->v[i->dst[0]->id][k] = now[k][n];
        check_uniform(r, i, i->dst[0], m);
    }
}

static void block(struct run *r, const struct ir_block *b, mask m)
{
    phis(r, b, m);
    for (const struct ir_insn *i = b->first; i && !failed(r); i = i->next) {
        if (i->op == IR_phi || ir_has_flag(i, IR_TERM) || i->op == IR_barrier || i->op == IR_fence)
            continue;
        r->in->n_insns++;
        if (r->budget-- == 0)
            fail(r, i, "runs too long");
        for_lanes(k, m)
        {
            uint32_t s[24] = {0}, out[16] = {0};
            for (unsigned n = 0; n < i->n_src; n++)
                s[n] = source(r, i->src[n], k);
            if (ir_has_flag(i, IR_MEM))
                memory(r, i, k, s, out);
            else if (!lane(r, i, k, s, out))
                fail(r, i, "not known to the interpreter");
            for (unsigned n = 0; n < i->n_dst; n++)
                r->v[i->dst[n]->id][k] = out[n];
        }
        for (unsigned n = 0; n < i->n_dst; n++)
            check_uniform(r, i, i->dst[n], m);
        for (unsigned n = 0; n < i->n_src; n++)
            if (i->src[n].value)
                check_uniform(r, i, i->src[n].value, m);
    }
    for_lanes(k, m) r->from[k] = b->index;
}

static mask condition(struct run *r, const struct ir_insn *t, mask m)
{
    mask c = 0;
    for_lanes(k, m) if (source(r, t->src[0], k)) c |= (mask)1 << k;
    return c;
}

/* Blocks i .. hi - 1 with lanes m; header: i is the header of the loop whose body this is. */
static void sequence(struct run *r, uint32_t i, uint32_t hi, mask m, bool in_header)
{
    const struct ir_fn *fn = r->in->fn;
    while (i < hi && (m &= ~(r->dead | r->left)) && !failed(r)) {
        const struct ir_block *b = fn->blocks[i];
        if (r->latch[i] && !in_header) {
            uint32_t l = r->latch[i] - 1;
            mask inside = m, left = r->left;
            while ((inside &= ~(r->dead | r->left)) && !failed(r)) {
                if (l > i)
                    sequence(r, i, l, inside, true);
                inside &= ~(r->dead | r->left);
                if (!inside)
                    break;
                block(r, fn->blocks[l], inside);
                inside = condition(r, fn->blocks[l]->last, inside);
                if (r->budget-- == 0)
                    fail(r, b->last, "runs too long");
            }
            r->left = left;
            i = l + 1;
            continue;
        }
        in_header = false;
        block(r, b, m);
        if (b->last->op == IR_end) {
            r->dead |= m;
            return;
        }
        if (b->last->op == IR_leave) {
            r->left |= m;
            return;
        }
        if (b->last->op == IR_break)
            r->left |= condition(r, b->last, m);
        if (b->last->op == IR_jump || b->last->op == IR_break) {
            i++;
            continue;
        }
        mask c = condition(r, b->last, m);
        uint32_t e = b->succ[1]->index, j = b->merge->index;
        sequence(r, i + 1, e, c, false);
        if (e != j)
            sequence(r, e, j, m & ~c, false);
        i = j;
    }
}

bool interp_run(struct interp *in)
{
    const struct ir_fn *fn = in->fn;
    struct run r = {.in = in, .budget = 5000000};
    r.v = calloc(fn->n_values + 1, sizeof *r.v);
    r.latch = calloc(fn->n_blocks + 1, sizeof *r.latch);
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        if (fn->blocks[i]->last->op == IR_loop)
            r.latch[fn->blocks[i]->succ[0]->index] = i + 1;
    for (uint32_t a = 0; a < fn->n_arrays; a++) {
        size_t size = (size_t)fn->array_size[a] * INTERP_MAX_LANES;
        r.arrays[a] = malloc(size);
        memset(r.arrays[a], 0xb7, size); /* what nobody has written is anything */
    }
    in->error[0] = 0;
    sequence(&r, 0, fn->n_blocks, in->n_lanes == 64 ? ~(mask)0 : ((mask)1 << in->n_lanes) - 1,
             false);
    free(r.v);
    free(r.latch);
    for (uint32_t a = 0; a < fn->n_arrays; a++)
        free(r.arrays[a]);
    return !failed(&r);
}
