/* The fast forms against the general path: random instructions that eu_check accepts, on random
 * registers, masks, flags and modes. Both sets of fast forms, whatever the host has, and each form
 * of a set at least once. */
#include "eu_rig.h"
#include "sim/hw/eu_exec.h"

enum { MAX_FORMS = 1024 };

/* The forms there are, and whether an instruction has taken them. */
static struct forms {
    eu_run_fn *fn[MAX_FORMS];
    bool seen[MAX_FORMS];
    unsigned n;
} sets[2];

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

/* Every operation on plain operands, packed, scalar or immediate; conversions; the registers that
 * lie beside the general ones. Rows: what the sources and the destination are. */
struct plain {
    uint8_t op, src, dst, cond; /* cond: 1 any, 2 of a minimum or maximum, 3 a predicate instead */
};

static bool make_plain(struct eu_insn *in)
{
    static const struct plain rows[] = {
        {EU_OP_mov, EU_D, EU_D, 0},     {EU_OP_mov, EU_F, EU_F, 1},
        {EU_OP_mov, EU_D, EU_F, 0},     {EU_OP_mov, EU_UD, EU_F, 0},
        {EU_OP_mov, EU_F, EU_D, 0},     {EU_OP_mov, EU_F, EU_UD, 0},
        {EU_OP_mov, EU_D, EU_DF, 0},    {EU_OP_mov, EU_F, EU_DF, 0},
        {EU_OP_add, EU_F, EU_F, 0},     {EU_OP_mul, EU_F, EU_F, 0},
        {EU_OP_cmp, EU_F, EU_F, 1},     {EU_OP_sel, EU_F, EU_F, 2},
        {EU_OP_sel, EU_F, EU_F, 3},     {EU_OP_not, EU_D, EU_D, 0},
        {EU_OP_and, EU_UD, EU_UD, 0},   {EU_OP_or, EU_UD, EU_UD, 0},
        {EU_OP_xor, EU_UD, EU_UD, 0},   {EU_OP_shl, EU_UD, EU_UD, 0},
        {EU_OP_shr, EU_UD, EU_UD, 0},   {EU_OP_asr, EU_D, EU_D, 0},
        {EU_OP_add, EU_D, EU_D, 0},     {EU_OP_mul, EU_W, EU_D, 0},
        {EU_OP_mul, EU_D, EU_D, 0},     {EU_OP_bfi1, EU_UD, EU_UD, 0},
        {EU_OP_bfrev, EU_UD, EU_UD, 0}, {EU_OP_lzd, EU_UD, EU_UD, 0},
        {EU_OP_fbh, EU_UD, EU_UD, 0},   {EU_OP_fbh, EU_D, EU_UD, 0},
        {EU_OP_fbl, EU_UD, EU_UD, 0},   {EU_OP_cbit, EU_UD, EU_UD, 0},
        {EU_OP_cmp, EU_D, EU_D, 1},     {EU_OP_cmp, EU_UD, EU_UD, 1},
        {EU_OP_sel, EU_D, EU_D, 2},     {EU_OP_sel, EU_UD, EU_UD, 2},
        {EU_OP_sel, EU_UD, EU_UD, 3},   {EU_OP_cmp, EU_UQ, EU_UQ, 1},
        {EU_OP_rndd, EU_F, EU_F, 0},    {EU_OP_rndu, EU_F, EU_F, 0},
        {EU_OP_rnde, EU_F, EU_F, 0},    {EU_OP_rndz, EU_F, EU_F, 0},
        {EU_OP_frc, EU_F, EU_F, 0},     {EU_OP_mad, EU_F, EU_F, 0},
        {EU_OP_lrp, EU_F, EU_F, 0},     {EU_OP_csel, EU_F, EU_F, 1},
        {EU_OP_bfe, EU_UD, EU_UD, 0},   {EU_OP_bfe, EU_D, EU_D, 0},
        {EU_OP_bfi2, EU_UD, EU_UD, 0},  {EU_OP_mad, EU_DF, EU_DF, 0},
        {EU_OP_shl, EU_UQ, EU_UQ, 0},   {EU_OP_shr, EU_UQ, EU_UQ, 0},
        {EU_OP_asr, EU_Q, EU_Q, 0},     {EU_OP_not, EU_UQ, EU_UQ, 0},
        {EU_OP_mul, EU_D, EU_Q, 0},     {EU_OP_cmp, EU_Q, EU_Q, 1}};
    static const uint8_t sizes[] = {1, 8, 16, 4};
    static const uint8_t registers[] = {EU_ARF_F0, EU_ARF_F1, EU_ARF_A0, EU_ARF_N0};
    const struct plain *row = &rows[rnd(sizeof rows / sizeof rows[0])];
    const struct eu_op_info *info = eu_op_info(row->op);
    bool wide = eu_type_size(row->src) == 8 || eu_type_size(row->dst) == 8;
    *in = (struct eu_insn){.op = row->op, .exec_size = sizes[rnd(4)], .no_mask = chance(40)};
    in->dst = (struct eu_operand){.file = EU_GRF, .type = row->dst, .reg = 60, .hs = 1};
    if (row->op == EU_OP_mul && row->dst == EU_D && in->exec_size == 8 && chance(30))
        in->dst = (struct eu_operand){.file = EU_ARF, .reg = EU_ARF_ACC0, .type = EU_D, .hs = 1};
    in->align16 = info->is_3src;
    if (info->is_3src)
        in->dst.chan_en = 0xf;
    for (unsigned k = 0; k < info->n_src; k++) {
        struct eu_operand *o = &in->src[k];
        uint8_t type = row->op == EU_OP_mul && row->src == EU_W && k == 0 ? EU_D : row->src;
        bool scalar = chance(40) || in->exec_size == 1;
        *o = (struct eu_operand){.file = EU_GRF, .type = type, .reg = (uint8_t)(10 + rnd(40))};
        o->vs = wide ? 4 : 8, o->width = wide ? 4 : 8, o->hs = 1;
        o->swizzle = 0xe4;
        o->rep = info->is_3src && scalar && !wide;
        if (scalar && !info->is_3src)
            o->vs = 0, o->width = 1, o->hs = 0;
        o->negate = (row->op == EU_OP_cmp || row->src == EU_F) && chance(30);
        if (k && k == info->n_src - 1u && chance(30) && !info->is_3src && !wide) {
            o->negate = false;
            o->file = EU_IMM;
            o->imm = row->src == EU_F ? 0x3fc00000 : rnd(1u << 15);
        }
    }
    if (row->cond == 1)
        in->cond = row->op == EU_OP_mov && chance(70) ? 0 : (uint8_t)(1 + rnd(6));
    else if (row->cond == 2)
        in->cond = (uint8_t)(chance(50) ? EU_COND_L : EU_COND_GE);
    else if (row->cond == 3)
        in->pred = EU_PRED_NORMAL;
    if (row->op == EU_OP_mov && in->exec_size == 1 && row->dst == EU_D && chance(50)) {
        struct eu_operand *o = chance(50) ? &in->dst : &in->src[0];
        o->file = EU_ARF;
        o->reg = registers[rnd(4)];
        o->type = EU_UD;
    }
    in->thread_ctrl = EU_THREAD_SWITCH;
    struct eu_bits bits;
    const char *why;
    return eu_encode(rig.gen, in, &bits, &why) && !eu_check(rig.gen, rig.dev->quirks, in);
}

/* Shapes that random regions hardly ever make: words at one place of each dword; addresses in a0.
 */
static bool make_shape(struct eu_insn *in)
{
    struct eu_bits bits;
    const char *why;
    bool sum = chance(50);
    *in = (struct eu_insn){.op = sum ? EU_OP_add : EU_OP_mov,
                           .exec_size = (uint8_t)(chance(50) ? 16 : 8),
                           .no_mask = chance(40),
                           .thread_ctrl = EU_THREAD_SWITCH};
    in->pred = chance(30) ? EU_PRED_NORMAL : EU_PRED_NONE;
    if (sum) {
        uint8_t type = chance(50) ? EU_UW : EU_W;
        in->dst = (struct eu_operand){.file = EU_GRF, .type = type, .reg = 12, .sub = 2, .hs = 2};
        for (unsigned k = 0; k < 2; k++)
            in->src[k] = (struct eu_operand){.file = EU_GRF,
                                             .type = type,
                                             .reg = (uint8_t)(12 + 2 * rnd(4)),
                                             .sub = (uint8_t)(2 * rnd(2)),
                                             .vs = 16,
                                             .width = 8,
                                             .hs = 2};
    } else {
        uint8_t type = int_type(false);
        in->dst = (struct eu_operand){.file = EU_GRF, .type = type, .reg = 60, .hs = 1};
        in->src[0] = (struct eu_operand){.file = EU_GRF,
                                         .type = type,
                                         .indirect = true,
                                         .a0_sub = (uint8_t)rnd(2),
                                         .addr_imm = (int16_t)(4 * rnd(8)),
                                         .width = (uint8_t)(chance(50) ? 8 : 4),
                                         .hs = 1};
        in->src[0].vs = chance(50) ? EU_VS_VXH : in->src[0].width;
        if (chance(10)) {
            in->exec_size = 1;
            in->dst.file = EU_ARF;
            in->dst.reg = EU_ARF_F1;
            in->src[0].vs = in->src[0].hs = 0;
            in->src[0].width = 1;
        }
        in->src[0].negate = chance(20);
        in->src[0].abs = chance(20);
    }
    return eu_encode(rig.gen, in, &bits, &why) && !eu_check(rig.gen, rig.dev->quirks, in);
}

/* What form the program's second instruction has taken. */
static void note_form(struct forms *set)
{
    const struct eu_op *op = eu_lookup(&rig.t, RIG_BASE + 16);
    for (unsigned i = 0; op && op->fast && i < set->n; i++)
        set->seen[i] |= set->fn[i] == op->fast;
}

static void check_forms(const char *name, const struct forms *set)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < set->n; i++) {
        if (!set->seen[i])
            fprintf(stderr, "%s: form %u was never taken\n", name, i), missing++;
    }
    CHECKF(set->n > 90 && !missing, "%s: %u of %u forms never taken", name, missing, set->n);
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
            static const uint8_t fns[] = {EU_MATH_INV, EU_MATH_LOG,  EU_MATH_EXP,
                                          EU_MATH_SQT, EU_MATH_RSQT, EU_MATH_SIN,
                                          EU_MATH_COS, EU_MATH_FDIV, EU_MATH_POW};
            in->fn = fns[rnd(sizeof fns)];
            type = EU_F;
        }
        for (unsigned k = 0; k < n; k++) {
            source(&in->src[k],
                   is_float || chance(60) ? type : int_type(rig.gen >= 80 && chance(25)),
                   in->exec_size, k == n - 1);
        }
        if (in->op == EU_OP_math && in->fn != EU_MATH_FDIV && in->fn != EU_MATH_POW)
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
    for (unsigned i = 0; i < 16; i++)
        rig.t.a0[i] = (uint16_t)(320 + 32 * rnd(40) + (rig.gen >= 80 ? 4 * rnd(8) : 0));
    rig.t.f[0] = rnd(1u << 31) * 2 + rnd(2);
    rig.t.f[1] = rnd(1u << 31) * 2 + rnd(2);
}

int main(void)
{
    static const char *const devices[] = {"ivb", "hsw", "bdw", "skl", "glk"};
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    sets[0].n = avx2 ? eu_fast_list_avx2(sets[0].fn, MAX_FORMS) : 0;
    sets[1].n = eu_fast_list_base(sets[1].fn, MAX_FORMS);
    for (unsigned d = 0; d < 5; d++) {
        unsigned accepted = 0, faults = 0;
        rig_init(&rig, devices[d]);
        rig.quiet = true;
        for (unsigned i = 0; i < 90000 && accepted < 24000; i++) {
            struct eu_insn in;
            char program[64];
            if (!(chance(50) ? make_plain(&in) : chance(10) ? make_shape(&in) : make(&in)))
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
            bool base = accepted % 2 == 0;
            bool ok = rig_run(&rig, base ? EU_MODE_COMPARE_BASE : EU_MODE_COMPARE);
            note_form(&sets[base]);
            CHECKF(ok || strstr(rig.fault.text, "accumulator"), "gen %d, random %u: %s", rig.gen,
                   accepted, rig.fault.text);
            faults += !ok;
        }
        CHECKF(accepted > 3000 && faults < 100, "%u instructions accepted, %u faults", accepted,
               faults);
        rig_fini(&rig);
    }
    if (avx2)
        check_forms("avx2", &sets[0]);
    check_forms("base", &sets[1]);
    return utest_end();
}
