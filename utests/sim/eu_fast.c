/* The fast forms against the general path: random instructions that eu_check accepts, on random
 * registers, masks, flags and modes. Both sets of fast forms, whatever the host has. */
#include "eu_rig.h"

static struct rig rig;
static uint64_t state = 0xfeedfacecafebeefull;

static uint32_t rnd(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % n;
}

static bool chance(uint32_t percent)
{
    return rnd(100) < percent;
}

static const uint8_t int_ops[] = {EU_OP_mov,  EU_OP_sel, EU_OP_not, EU_OP_and,  EU_OP_or,
                                  EU_OP_xor,  EU_OP_shl, EU_OP_shr, EU_OP_asr,  EU_OP_cmp,
                                  EU_OP_add,  EU_OP_mul, EU_OP_avg, EU_OP_mach, EU_OP_addc,
                                  EU_OP_subb, EU_OP_mac, EU_OP_cmpn};
static const uint8_t float_ops[] = {EU_OP_mov,  EU_OP_sel,  EU_OP_cmp,  EU_OP_add,  EU_OP_mul,
                                    EU_OP_frc,  EU_OP_rndd, EU_OP_rndu, EU_OP_rnde, EU_OP_rndz,
                                    EU_OP_math, EU_OP_cmpn, EU_OP_mac};
static const uint8_t tri_ops[] = {EU_OP_mad, EU_OP_csel, EU_OP_lrp, EU_OP_bfe, EU_OP_bfi2};

static uint8_t int_type(bool wide)
{
    static const uint8_t types[] = {EU_D,  EU_UD, EU_D,  EU_UD, EU_W,
                                    EU_UW, EU_B,  EU_UB, EU_Q,  EU_UQ};
    return types[rnd(wide ? 10 : 8)];
}

static void region(struct eu_operand *o, unsigned exec_size)
{
    static const uint8_t shapes[][3] = {{8, 8, 1},  {16, 16, 1}, {4, 4, 1},  {0, 1, 0},
                                        {16, 8, 2}, {8, 4, 2},   {32, 8, 4}, {4, 2, 0},
                                        {0, 4, 1},  {1, 4, 1},   {2, 1, 0},  {8, 8, 1}};
    const uint8_t *s = shapes[rnd(12)];
    o->vs = s[0], o->width = s[1], o->hs = s[2];
    if (exec_size == 1)
        o->vs = 0, o->width = 1, o->hs = 0;
}

static void source(struct eu_operand *o, uint8_t type, unsigned exec_size, bool allow_imm)
{
    *o = (struct eu_operand){.file = EU_GRF, .type = type};
    if (allow_imm && chance(25) && type != EU_B && type != EU_UB && eu_type_size(type) < 8) {
        o->file = EU_IMM;
        o->imm = type == EU_F ? 0x3f000000 + rnd(0x2000000)
                 : chance(50) ? rnd(64)
                              : rnd(1u << 31) * 2 + rnd(2);
        if (eu_type_size(type) == 2)
            o->imm &= 0xffff;
        return;
    }
    unsigned size = eu_type_size(type);
    o->reg = (uint8_t)(10 + rnd(40));
    o->sub = (uint8_t)(chance(30) ? rnd(32 / size) * size : 0);
    o->negate = chance(15);
    o->abs = chance(10);
    region(o, exec_size);
}

static bool make(struct eu_insn *in)
{
    static const uint8_t sizes[] = {8, 16, 8, 16, 1, 4, 2, 32};
    bool is_float = chance(45), tri = chance(15), df = is_float && chance(15);
    *in =
        (struct eu_insn){.exec_size = sizes[rnd(8)], .no_mask = chance(30), .saturate = chance(10)};
    in->no_mask |= in->exec_size == 32 && rig.gen < 80;
    in->group = chance(20) ? (uint8_t)(rnd(3) * 8) : 0;
    if (tri) {
        in->op = tri_ops[rnd(5)];
        bool bits = in->op == EU_OP_bfe || in->op == EU_OP_bfi2;
        in->align16 = true;
        uint8_t type = bits ? EU_UD : df ? EU_DF : EU_F;
        in->dst =
            (struct eu_operand){.file = EU_GRF, .type = type, .reg = 60, .hs = 1, .chan_en = 0xf};
        for (unsigned k = 0; k < 3; k++) {
            struct eu_operand *o = &in->src[k];
            *o = (struct eu_operand){
                .file = EU_GRF, .type = type, .reg = (uint8_t)(10 + rnd(40)), .swizzle = 0xe4};
            o->rep = !df && chance(30);
            o->sub = o->rep ? (uint8_t)(4 * rnd(8)) : 0;
            o->negate = !bits && chance(20);
            o->abs = !bits && chance(15);
        }
        in->saturate = !bits && in->saturate;
    } else {
        in->op = is_float ? float_ops[rnd(sizeof float_ops)] : int_ops[rnd(sizeof int_ops)];
        unsigned n = eu_op_info(in->op)->n_src;
        uint8_t type = df ? EU_DF : is_float ? EU_F : int_type(rig.gen >= 80 && chance(25));
        if (in->op == EU_OP_math) {
            static const uint8_t fns[] = {EU_MATH_INV, EU_MATH_SQT, EU_MATH_RSQT, EU_MATH_FDIV};
            in->fn = fns[rnd(4)];
            type = EU_F;
        }
        for (unsigned k = 0; k < n; k++) {
            source(&in->src[k],
                   is_float || chance(60) ? type : int_type(rig.gen >= 80 && chance(25)),
                   in->exec_size, k == n - 1);
        }
        if (in->op == EU_OP_math && in->fn != EU_MATH_FDIV)
            in->src[1] =
                (struct eu_operand){.file = EU_ARF, .type = EU_F, .vs = 8, .width = 8, .hs = 1};
        uint8_t to = chance(70) ? type : chance(50) ? int_type(rig.gen >= 80) : EU_F;
        in->dst = (struct eu_operand){
            .file = EU_GRF, .type = to, .reg = (uint8_t)(chance(70) ? 60 : 10 + rnd(40))};
        in->dst.hs = (uint8_t[]){1, 1, 2, 4}[rnd(4)];
        if (chance(10)) {
            in->dst.file = EU_ARF;
            in->dst.reg = in->op == EU_OP_mul && chance(70) ? EU_ARF_ACC0 : EU_ARF_NULL;
        }
        if (in->op == EU_OP_mov && chance(5))
            in->src[0] = (struct eu_operand){
                .file = EU_ARF, .reg = EU_ARF_ACC0, .type = EU_D, .vs = 8, .width = 8, .hs = 1};
        in->acc_wr =
            in->op == EU_OP_mach || in->op == EU_OP_addc || in->op == EU_OP_subb || chance(3);
    }
    const struct eu_op_info *info = eu_op_info(in->op);
    in->saturate &= info->sat;
    if (info->pred && in->op != EU_OP_cmp && chance(30))
        in->pred = (uint8_t)(chance(70) ? EU_PRED_NORMAL : 2 + rnd(10)), in->pred_inv = chance(30);
    if (info->cond && (in->op == EU_OP_cmp || in->op == EU_OP_cmpn || chance(15)))
        in->cond = (uint8_t)(1 + rnd(6));
    if (in->op == EU_OP_csel)
        in->cond = (uint8_t)(1 + rnd(6)), in->pred = 0;
    if (in->op == EU_OP_sel) {
        in->cond = in->pred ? 0 : (uint8_t)(chance(50) ? EU_COND_L : EU_COND_GE);
        if (chance(40))
            in->cond = 0, in->pred = EU_PRED_NORMAL;
    }
    in->flag = in->group < 16 && in->exec_size <= 16 ? (uint8_t)rnd(4) : 0;
    if (in->cond || in->dst.file == EU_ARF)
        in->thread_ctrl = EU_THREAD_SWITCH;
    struct eu_bits bits;
    const char *why;
    return eu_encode(rig.gen, in, &bits, &why) && !eu_check(rig.gen, rig.dev->quirks, in);
}

static void fill(void)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000,
                                       0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                                       0x00000001, 0x80000001, 0x00800000, 0x4f000000, 0xcf000000,
                                       0x3effffff, 1,          0x7ff00000};
    for (unsigned i = 10 * 8; i < 70 * 8; i++) {
        uint32_t v = chance(20)   ? special[rnd(18)]
                     : chance(40) ? 0x3f000000 + rnd(0x3000000)
                                  : rnd(1u << 31) * 2 + rnd(2);
        memcpy(rig.t.grf + 4 * i, &v, 4);
    }
    for (unsigned i = 0; i < 32; i++) {
        rig.t.acc_lo[i] = rnd(1u << 31);
        rig.t.acc_hi[i] = 0;
        uint32_t low = (uint32_t)rig.t.acc_lo[i];
        memcpy(&rig.t.acc_f[i], &low, 4);
    }
    rig.t.f[0] = rnd(1u << 31) * 2 + rnd(2);
    rig.t.f[1] = rnd(1u << 31) * 2 + rnd(2);
}

int main(void)
{
    static const char *const devices[] = {"ivb", "hsw", "bdw", "skl", "glk"};
    for (unsigned d = 0; d < 5; d++) {
        unsigned accepted = 0, faults = 0;
        rig_init(&rig, devices[d]);
        rig.quiet = true;
        for (unsigned i = 0; i < 60000 && accepted < 12000; i++) {
            struct eu_insn in;
            char program[64];
            if (!make(&in))
                continue;
            accepted++;
            snprintf(program, sizeof program, "(W) mov (1|M0) cr0.0<1>:ud 0x%x:ud {Switch}\n",
                     rnd(32) << 4);
            rig_program(&rig, program);
            rig.code_size = 16;
            rig_put(&rig, &in);
            rig_line(&rig, RIG_EOT);
            rig_reset(&rig, chance(60) ? 0xffffffff : rnd(1u << 31));
            fill();
            /* Some use an accumulator in ways that have no meaning: a fault by either path. */
            bool ok = rig_run(&rig, accepted % 2 ? EU_MODE_COMPARE : EU_MODE_COMPARE_BASE);
            CHECKF(ok || strstr(rig.fault.text, "accumulator"), "gen %d, random %u: %s", rig.gen,
                   accepted, rig.fault.text);
            faults += !ok;
        }
        CHECKF(accepted > 3000 && faults < 100, "%u instructions accepted, %u faults", accepted,
               faults);
        rig_fini(&rig);
    }
    return utest_end();
}
