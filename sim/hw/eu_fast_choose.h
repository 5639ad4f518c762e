/* Fast forms, the end: the table of them, and which one an instruction takes. Included by
 * eu_fast_impl.h, which see. */

/* direct: by shape of the sources, and 8 or 16 lanes; where none, `any`. */
struct forms {
    eu_run_fn *direct[7][2];
    eu_run_fn *one, *any;
};

#define FN(name, call)                                                                             \
    static const struct eu_op *name(struct eu_thread *t, const struct eu_op *op)                   \
    {                                                                                              \
        return call;                                                                               \
    }
#ifdef __AVX2__
#define DIRECT(name, k, n_src, a, b, c)                                                            \
    FN(name##_8, run_direct(t, op, k, n_src, 1, a, b, c))                                          \
    FN(name##_16, run_direct(t, op, k, n_src, 2, a, b, c))
#define PAIR(name)                                                                                 \
    {                                                                                              \
        name##_8, name##_16                                                                        \
    }
#else
#define DIRECT(name, k, n_src, a, b, c)
#define PAIR(name)                                                                                 \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
#endif
#define OTHERS(name, k, n_src)                                                                     \
    FN(name##_one, run_one(t, op, k, n_src))                                                       \
    FN(name##_any, run_any(t, op, k, n_src))

/* The suffix names the sources: p packed, s scalar. ORDER direct */
#define FORMS1(name, k)                                                                            \
    DIRECT(name##_p, k, 1, PACKED, PACKED, PACKED)                                                 \
    DIRECT(name##_s, k, 1, SCALAR, PACKED, PACKED)                                                 \
    OTHERS(name, k, 1)                                                                             \
    static const struct forms name = {{PAIR(name##_p), PAIR(name##_s)}, name##_one, name##_any};
#define FORMS2(name, k)                                                                            \
    DIRECT(name##_pp, k, 2, PACKED, PACKED, PACKED)                                                \
    DIRECT(name##_ps, k, 2, PACKED, SCALAR, PACKED)                                                \
    DIRECT(name##_sp, k, 2, SCALAR, PACKED, PACKED)                                                \
    DIRECT(name##_ss, k, 2, SCALAR, SCALAR, PACKED)                                                \
    OTHERS(name, k, 2)                                                                             \
    static const struct forms name = {                                                             \
        {PAIR(name##_pp), PAIR(name##_sp), PAIR(name##_ps), PAIR(name##_ss)},                      \
        name##_one,                                                                                \
        name##_any};
#define FORMS3(name, k)                                                                            \
    DIRECT(name##_ppp, k, 3, PACKED, PACKED, PACKED)                                               \
    DIRECT(name##_spp, k, 3, SCALAR, PACKED, PACKED)                                               \
    DIRECT(name##_psp, k, 3, PACKED, SCALAR, PACKED)                                               \
    DIRECT(name##_ssp, k, 3, SCALAR, SCALAR, PACKED)                                               \
    DIRECT(name##_pps, k, 3, PACKED, PACKED, SCALAR)                                               \
    DIRECT(name##_sps, k, 3, SCALAR, PACKED, SCALAR)                                               \
    DIRECT(name##_pss, k, 3, PACKED, SCALAR, SCALAR)                                               \
    OTHERS(name, k, 3)                                                                             \
    static const struct forms name = {{PAIR(name##_ppp), PAIR(name##_spp), PAIR(name##_psp),       \
                                       PAIR(name##_ssp), PAIR(name##_pps), PAIR(name##_sps),       \
                                       PAIR(name##_pss)},                                          \
                                      name##_one,                                                  \
                                      name##_any};
/* Without direct forms: the rarer kernels. */
#define RARE(name, k, n_src)                                                                       \
    OTHERS(name, k, n_src)                                                                         \
    static const struct forms name = {.one = name##_one, .any = name##_any};

FORMS1(form_mov, K_MOV)
FORMS2(form_add, K_ADD)
FORMS2(form_mul, K_MUL)
RARE(form_lrp, K_LRP, 3)
#ifdef __AVX2__
FORMS3(form_mad, K_MAD)
RARE(form_rndd, K_RNDD, 1)
RARE(form_rndu, K_RNDU, 1)
RARE(form_rnde, K_RNDE, 1)
RARE(form_rndz, K_RNDZ, 1)
RARE(form_frc, K_FRC, 1)
#endif
FORMS2(form_cmp_f, K_CMP_F)
FORMS2(form_sel_f, K_SEL_F)
RARE(form_csel, K_CSEL, 3)
FORMS2(form_sel_pred_f, K_SEL_PRED_F)
FORMS1(form_copy, K_COPY)
RARE(form_not, K_NOT, 1)
FORMS2(form_and, K_AND)
FORMS2(form_or, K_OR)
FORMS2(form_xor, K_XOR)
FORMS2(form_shl, K_SHL)
FORMS2(form_shr, K_SHR)
FORMS2(form_asr, K_ASR)
FORMS2(form_iadd, K_IADD)
FORMS2(form_imul, K_IMUL)
FORMS2(form_imul16, K_IMUL16)
RARE(form_bfe, K_BFE, 3)
RARE(form_bfe_d, K_BFE_D, 3)
RARE(form_bfi1, K_BFI1, 2)
RARE(form_bfi2, K_BFI2, 3)
RARE(form_bfrev, K_BFREV, 1)
RARE(form_lzd, K_LZD, 1)
RARE(form_fbh, K_FBH, 1)
RARE(form_fbh_d, K_FBH_D, 1)
RARE(form_fbl, K_FBL, 1)
RARE(form_cbit, K_CBIT, 1)
FORMS2(form_cmp_d, K_CMP_D)
FORMS2(form_cmp_ud, K_CMP_UD)
RARE(form_cmp_modified, K_CMP_MODIFIED, 2)
FORMS2(form_sel_d, K_SEL_D)
RARE(form_sel_ud, K_SEL_UD, 2)
FORMS2(form_sel_pred, K_SEL_PRED)
FORMS1(form_d_to_f, K_D_TO_F)
RARE(form_ud_to_f, K_UD_TO_F, 1)
RARE(form_f_to_d, K_F_TO_D, 1)
RARE(form_f_to_ud, K_F_TO_UD, 1)

/* For the test that executes each of them. */
static const struct forms *const all_forms[] = {
    &form_mov,      &form_add,    &form_mul,     &form_lrp,
#ifdef __AVX2__
    &form_mad,      &form_rndd,   &form_rndu,    &form_rnde,         &form_rndz,   &form_frc,
#endif
    &form_cmp_f,    &form_sel_f,  &form_csel,    &form_sel_pred_f,   &form_copy,   &form_not,
    &form_and,      &form_or,     &form_xor,     &form_shl,          &form_shr,    &form_asr,
    &form_iadd,     &form_imul,   &form_imul16,  &form_bfe,          &form_bfe_d,  &form_bfi1,
    &form_bfi2,     &form_bfrev,  &form_lzd,     &form_fbh,          &form_fbh_d,  &form_fbl,
    &form_cbit,     &form_cmp_d,  &form_cmp_ud,  &form_cmp_modified, &form_sel_d,  &form_sel_ud,
    &form_sel_pred, &form_d_to_f, &form_ud_to_f, &form_f_to_d,       &form_f_to_ud};

/* ---- operands ---- */

/* An architecture register that is nothing but memory of the thread: where; 0 if it isn't. */
static unsigned arf_place(int gen, unsigned arf, unsigned off, unsigned size, bool write)
{
    unsigned at = 0, n = 0, first = 0;
    switch (arf & 0xf0) {
    case EU_ARF_F0:
        at = offsetof(struct eu_thread, f) + 4 * (arf & 0xf);
        n = (arf & 0xf) < 2 ? 4 : 0;
        break;
    case EU_ARF_A0:
        at = offsetof(struct eu_thread, a0);
        n = gen >= 80 ? 32 : 16;
        break;
    case EU_ARF_N0:
        at = offsetof(struct eu_thread, n0);
        n = sizeof(((struct eu_thread *)0)->n0);
        break;
    case EU_ARF_SR0: /* Haswell's index of shared local memory can be written */
        at = offsetof(struct eu_thread, sr0);
        n = !write ? sizeof(((struct eu_thread *)0)->sr0) : gen == 75 ? 8 : 0;
        first = write ? 4 : 0;
        break;
    default:
        break;
    }
    return off >= first && off + size <= n ? at + off : 0;
}

static bool choose_load(int gen, struct eu_op *op, unsigned k)
{
    static const uint8_t packed[] = {
        [EU_UD] = LOAD_V32, [EU_D] = LOAD_V32, [EU_UW] = LOAD_V16U, [EU_W] = LOAD_V16S,
        [EU_UB] = LOAD_V8U, [EU_B] = LOAD_V8S, [EU_F] = LOAD_V32};
    static const uint8_t scalar[] = {
        [EU_UD] = LOAD_S32, [EU_D] = LOAD_S32, [EU_UW] = LOAD_S16U, [EU_W] = LOAD_S16S,
        [EU_UB] = LOAD_S8U, [EU_B] = LOAD_S8S, [EU_F] = LOAD_S32};
    static const uint8_t spread[] = {
        [EU_UW] = LOAD_D16U, [EU_W] = LOAD_D16S, [EU_UB] = LOAD_D8U, [EU_B] = LOAD_D8S};
    struct eu_src *s = &op->src[k];
    op->src_at[k] = s->off;
    if (s->kind == SRC_IMM && s->size <= 4 && s->type != EU_HF) {
        op->imm = s->imm_lanes[0];
        s->load = LOAD_IMM;
        return true;
    }
    if (!is_small_int(s->type) && s->type != EU_F)
        return false;
    if (s->kind == SRC_ARF && op->n == 1) {
        op->src_at[k] = (uint16_t)arf_place(gen, s->arf, s->off, s->size, false);
        s->load = scalar[s->type];
        return op->src_at[k] != 0;
    }
    if (s->kind != SRC_GRF)
        return false;
    switch (s->form) {
    case FORM_PACKED:
        s->load = packed[s->type];
        return true;
    case FORM_SCALAR:
        s->load = scalar[s->type];
        return true;
    case FORM_STRIDE:
        if (s->hs == 4 && s->size < 4)
            s->load = spread[s->type];
        else if (s->hs == 2 && s->size == 1)
            s->load = s->type == EU_UB ? LOAD_W8U : LOAD_W8S;
        else if (s->hs == 8 && s->size == 4 && op->n >= 8 &&
                 s->off + op->n * 8u <= EU_N_GRF * EU_GRF_SIZE)
            s->load = LOAD_Q32;
        else
            s->load = LOAD_LANES;
        return true;
    case FORM_ROWS:
        s->load = LOAD_LANES;
        return true;
    default:
        return false;
    }
}

static bool choose_store(int gen, struct eu_op *op)
{
    struct eu_dst *d = &op->dst;
    op->dst_at = d->off;
    if (d->null) {
        op->dst_at = EU_N_GRF * EU_GRF_SIZE; /* the spare bytes behind the registers */
        d->store = STORE_NULL;
        return true;
    }
    if (d->indirect || (!is_small_int(d->type) && d->type != EU_F))
        return false;
    if (d->file == EU_ARF && op->n == 1 && !d->acc && d->chan_en == 0xf) {
        op->dst_at = (uint16_t)arf_place(gen, d->arf, d->off, d->size, true);
        d->store = STORE_LANES;
        return op->dst_at != 0;
    }
    if (d->file != EU_GRF)
        return false;
    /* What keeps the bytes between its parts writes them, too. */
    bool inside = d->off + op->n * d->step <= EU_N_GRF * EU_GRF_SIZE;
    if (d->form == FORM_PACKED)
        d->store = d->size == 4 ? STORE_V32 : d->size == 2 ? STORE_V16 : STORE_V8;
    else if (d->form != FORM_STRIDE)
        return false;
    else if (inside && d->size < 4 && d->step == 4)
        d->store = d->size == 2 ? STORE_D16 : STORE_D8;
    else if (inside && d->size == 1 && d->step == 2)
        d->store = STORE_W8;
    else
        d->store = STORE_LANES;
    return true;
}

/* The row of struct forms' direct[] for these sources; -1: none. */
static int direct_shape(struct eu_op *op, unsigned n_src)
{
    static const uint32_t bits[] = {[LOAD_S32] = ~0u, [LOAD_S16U] = 0xffff, [LOAD_S8U] = 0xff};
    unsigned scalars = 0;
    op->imm_src = UINT8_MAX;
    if (op->dst.store != STORE_V32 && op->dst.store != STORE_NULL)
        return -1;
    for (unsigned k = 0; k < n_src; k++) {
        const struct eu_src *s = &op->src[k];
        if (s->load == LOAD_V32)
            continue;
        scalars |= 1u << k;
        op->scalar_bits[k] = ~0u;
        if (s->load == LOAD_IMM && s->form == FORM_SCALAR)
            op->imm_src = (uint8_t)k;
        else if (s->load < sizeof bits / sizeof bits[0] && bits[s->load])
            op->scalar_bits[k] = bits[s->load];
        else
            return -1;
    }
    return n_src == 3 && scalars == 7 ? -1 : (int)scalars;
}

/* ---- operations ---- */

/* May the condition be evaluated on the 32-bit result? */
static bool choose_condition(struct eu_op *op)
{
    unsigned bits = work_bits(op);
    if (!op->cond)
        return true;
    if (op->cond > EU_COND_LE || (bits != 32 && bits != 16))
        return false;
    op->cond_shift = 0;
    op->cond_unsigned = !is_signed_type(op->dst.type);
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
        op->cond_unsigned = op->src[0].type == EU_UD;
        return plain(&op->src[0]);
    case EU_OP_add:
        if (!eu_sum_wraps(op))
            return false;
        op->cond_shift = (uint8_t)(32 - bits);
        return true;
    case EU_OP_not:
    case EU_OP_and:
    case EU_OP_or:
    case EU_OP_xor:
    case EU_OP_shl:
        op->cond_shift = (uint8_t)(32 - bits);
        return true;
    case EU_OP_shr:
        op->cond_unsigned = true;
        return true;
    case EU_OP_asr:
        op->cond_unsigned = op->src[0].type == EU_UD;
        return true;
    default:
        return false;
    }
}

static const struct forms *choose_mov(const struct eu_op *op)
{
    const struct eu_src *s = &op->src[0];
    unsigned dst = op->dst.type;
    if (op->cls == EU_CLASS_F && dst == EU_F)
        return op->cond > EU_COND_LE                    ? NULL
               : plain(s) && !op->saturate && !op->cond ? &form_copy
                                                        : &form_mov;
    if (op->cls == EU_CLASS_F)
        return op->cond || !is_small_int(dst) ? NULL
               : is_unsigned(dst)             ? &form_f_to_ud
                                              : &form_f_to_d;
    if (op->saturate)
        return NULL;
    if (dst == EU_F)
        return !plain(s) || op->cond ? NULL : s->type == EU_UD ? &form_ud_to_f : &form_d_to_f;
    return &form_copy;
}

static const struct forms *choose_float(const struct eu_op *op)
{
    if (op->dst.type != EU_F || op->cond > EU_COND_LE)
        return NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_add:
        return &form_add;
    case EU_OP_mul:
        return &form_mul;
    case EU_OP_lrp:
        return &form_lrp;
    case EU_OP_csel:
        return op->saturate ? NULL : &form_csel;
#ifdef __AVX2__
    case EU_OP_mad:
        return &form_mad;
    case EU_OP_rndd:
        return &form_rndd;
    case EU_OP_rndu:
        return &form_rndu;
    case EU_OP_rnde:
        return &form_rnde;
    case EU_OP_rndz:
        return &form_rndz;
    case EU_OP_frc:
        return &form_frc;
#endif
    default:
        return NULL;
    }
}

static const struct forms *choose_int(int gen, const struct eu_op *op)
{
    const struct eu_src *a = &op->src[0];
    if (!is_small_int(op->dst.type) || op->saturate)
        return NULL;
    bool sign = is_signed_type(a->type);
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_not:
        return &form_not;
    case EU_OP_and:
        return &form_and;
    case EU_OP_or:
        return &form_or;
    case EU_OP_xor:
        return &form_xor;
    case EU_OP_shl:
        return &form_shl;
    case EU_OP_shr:
        return !sign && plain(a) ? &form_shr : NULL;
    case EU_OP_asr:
        return !plain(a) ? NULL : sign ? &form_asr : &form_shr;
    case EU_OP_add:
        return &form_iadd;
    case EU_OP_mul:
        return gen < 80 && is_dword_type(op->src[1].type) ? &form_imul16 : &form_imul;
    case EU_OP_bfe:
        return op->modified ? NULL : sign ? &form_bfe_d : &form_bfe;
    case EU_OP_bfi1:
        return op->modified ? NULL : &form_bfi1;
    case EU_OP_bfi2:
        return op->modified ? NULL : &form_bfi2;
    case EU_OP_bfrev:
        return &form_bfrev;
    case EU_OP_lzd:
        return &form_lzd;
    case EU_OP_fbh:
        return sign ? &form_fbh_d : &form_fbh;
    case EU_OP_fbl:
        return &form_fbl;
    case EU_OP_cbit:
        return &form_cbit;
    default:
        return NULL;
    }
}

/* Comparable in 32 bits: signed, or unsigned, or neither. Modifiers of signed values: unless one is
 * the least integer, which the kernel finds out. */
static const struct forms *choose_order(const struct eu_op *op, const struct forms *of_signed,
                                        const struct forms *of_unsigned,
                                        const struct forms *of_modified)
{
    const struct eu_src *a = &op->src[0], *b = &op->src[1];
    if (!plain(a) || !plain(b))
        return a->type != EU_UD && b->type != EU_UD ? of_modified : NULL;
    if (a->type != EU_UD && b->type != EU_UD)
        return of_signed;
    return is_unsigned(a->type) && is_unsigned(b->type) ? of_unsigned : NULL;
}

static const struct forms *choose_compare(const struct eu_op *op)
{
    bool sel = op->insn.op == EU_OP_sel;
    if (op->saturate || op->cond == EU_COND_O || (sel && op->cond > EU_COND_LE))
        return NULL;
    if (op->cls == EU_CLASS_F) {
        if (sel && op->dst.type != EU_F)
            return NULL;
        return !sel ? &form_cmp_f : op->cond ? &form_sel_f : &form_sel_pred_f;
    }
    if (!is_small_int(op->dst.type) && (sel || op->dst.type != EU_F))
        return NULL;
    if (sel && !op->cond)
        return &form_sel_pred;
    if (op->cond == EU_COND_U)
        return NULL;
    return sel ? choose_order(op, &form_sel_d, &form_sel_ud, NULL)
               : choose_order(op, &form_cmp_d, &form_cmp_ud, &form_cmp_modified);
}

/* ---- 64 bits ---- */

static bool is_wide_int(unsigned type)
{
    return is_small_int(type) || type == EU_Q || type == EU_UQ;
}

static bool choose_load_q(int gen, struct eu_op *op, unsigned k)
{
    struct eu_src *s = &op->src[k];
    if (s->size < 8)
        return (is_small_int(s->type) || s->kind == SRC_IMM) && choose_load(gen, op, k);
    if (s->kind == SRC_IMM)
        s->load = LOAD_IMM;
    else if (s->kind != SRC_GRF)
        return false;
    else
        s->load = s->form == FORM_PACKED   ? LOAD_V64
                  : s->form == FORM_SCALAR ? LOAD_S64
                                           : LOAD_LANES;
    return true;
}

static bool choose_store_q(int gen, struct eu_op *op)
{
    struct eu_dst *d = &op->dst;
    if (d->null || d->size < 8)
        return (d->null || d->file == EU_GRF) && choose_store(gen, op);
    if (d->file != EU_GRF || d->indirect || (d->form != FORM_PACKED && d->form != FORM_STRIDE))
        return false;
    d->store = d->form == FORM_PACKED ? STORE_V64 : STORE_LANES;
    return true;
}

static bool is_unsigned_q(const struct eu_src *s)
{
    return s->type == EU_UQ || is_unsigned(s->type);
}

static eu_run_fn *choose_wide_int(const struct eu_op *op)
{
    const struct eu_src *a = &op->src[0], *b = &op->src[1];
    bool count64 = a->size == 8 || op->dst.size == 8;
    if (!is_wide_int(op->dst.type))
        return op->insn.op == EU_OP_mov && op->dst.type == EU_DF && op->exec_type != EU_Q &&
                       plain(a) && !op->cond
                   ? wide_int_to_double
                   : NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_cmp:
        if (!plain(a) || !plain(b) || op->cond > EU_COND_LE)
            return NULL;
        if (a->type != EU_UQ && b->type != EU_UQ)
            return wide_cmp_q;
        return is_unsigned_q(a) && is_unsigned_q(b) ? wide_cmp_uq : NULL;
    case EU_OP_sel:
        return !op->cond && plain(a) && plain(b) ? wide_sel : NULL;
    default:
        break;
    }
    if (op->cond)
        return NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
        return wide_copy;
    case EU_OP_not:
        return wide_not;
    case EU_OP_and:
        return wide_and;
    case EU_OP_or:
        return wide_or;
    case EU_OP_xor:
        return wide_xor;
    case EU_OP_add:
        return wide_iadd;
    case EU_OP_mul:
        return wide_imul;
    case EU_OP_shl:
        return count64 ? wide_shl : NULL;
    case EU_OP_shr:
        return count64 && plain(a) && is_unsigned_q(a) ? wide_shr : NULL;
    case EU_OP_asr:
        return !count64 || !plain(a) ? NULL : is_unsigned_q(a) ? wide_shr : wide_asr;
    default:
        return NULL;
    }
}

static eu_run_fn *choose_double(const struct eu_op *op)
{
    if (op->insn.op == EU_OP_cmp)
        return op->cond == EU_COND_O ? NULL : wide_cmp_df;
    if (op->cond)
        return NULL;
    if (op->dst.type == EU_F && op->insn.op == EU_OP_mov)
        return wide_double_to_float;
    if (op->dst.type != EU_DF)
        return NULL;
    switch ((enum eu_opcode)op->insn.op) {
    case EU_OP_mov:
        return plain(&op->src[0]) ? wide_copy : NULL;
    case EU_OP_sel:
        return plain(&op->src[0]) && plain(&op->src[1]) ? wide_sel : NULL;
    case EU_OP_add:
        return wide_add;
    case EU_OP_mul:
        return wide_mul;
#ifdef __AVX2__
    case EU_OP_mad:
    case EU_OP_madm:
        return wide_mad;
#endif
    default:
        return NULL;
    }
}

static eu_run_fn *choose_wide(int gen, struct eu_op *op)
{
    unsigned n_src = eu_op_info(op->insn.op)->n_src;
    if (op->saturate || op->n > 8 || op->acc_wr || op->df_dwords || op->insn.op == EU_OP_smov)
        return NULL;
    if (op->cls == EU_CLASS_F)
        return op->insn.op == EU_OP_mov && op->dst.type == EU_DF && !op->cond &&
                       op->src[0].type == EU_F && choose_load(gen, op, 0) && choose_store_q(gen, op)
                   ? wide_float_to_double
                   : NULL;
    for (unsigned k = 0; k < n_src; k++) {
        if ((op->cls == EU_CLASS_DF && op->src[k].type != EU_DF) || !choose_load_q(gen, op, k))
            return NULL;
    }
    if (!choose_store_q(gen, op))
        return NULL;
    return op->cls == EU_CLASS_DF ? choose_double(op) : choose_wide_int(op);
}

/* ---- accumulators ---- */

static eu_run_fn *choose_acc(int gen, struct eu_op *op)
{
    unsigned opcode = op->insn.op;
    struct eu_src *a = &op->src[0], *b = &op->src[1];
    if (op->cls != EU_CLASS_INT || op->n != 8 || op->saturate || op->cond ||
        !is_dword_type(op->dst.type))
        return NULL;
    if (opcode == EU_OP_mov && a->kind == SRC_ACC)
        return is_dword_type(a->type) && plain(a) && !op->acc_wr && a->arf == EU_ARF_ACC0 &&
                       a->off == 0 && a->hs == 4 && op->insn.src[0].width == 8 &&
                       choose_store(gen, op)
                   ? acc_read
                   : NULL;
    if (!plain(a) || !plain(b) || !is_dword_type(a->type) || !choose_load(gen, op, 0))
        return NULL;
    if (opcode == EU_OP_mul)
        return op->dst.acc && op->dst.arf == EU_ARF_ACC0 && op->dst.off == 0 && op->dst.step == 4 &&
                       !op->acc_wr && is_small_int(b->type) && choose_load(gen, op, 1)
                   ? acc_mul
                   : NULL;
    if (!is_dword_type(b->type) || !choose_load(gen, op, 1) || !choose_store(gen, op) ||
        (gen == 70 && op->group >= 8))
        return NULL;
    if (opcode == EU_OP_mach)
        return op->acc_wr ? acc_mach : NULL;
    return (opcode == EU_OP_addc || opcode == EU_OP_subb) && a->type == EU_UD && b->type == EU_UD
               ? acc_carry
               : NULL;
}

/* ---- math ---- */

static eu_run_fn *choose_math(int gen, struct eu_op *op)
{
    unsigned fn = op->insn.fn;
    if (op->cls != EU_CLASS_F || op->saturate || op->acc_wr || op->dst.type != EU_F ||
        fn >= sizeof math_forms / sizeof math_forms[0])
        return NULL;
    if (!choose_load(gen, op, 0) || (math_two_sources(fn) && !choose_load(gen, op, 1)) ||
        op->n > 16)
        return NULL;
    return choose_store(gen, op) ? math_forms[fn] : NULL;
}

/* ---- special shapes ---- */

static bool is_spread_word(const struct eu_src *s)
{
    return s->load == LOAD_D16U || s->load == LOAD_D16S;
}

/* A mov by a0 that changes no bits but by extension. */
static bool is_indirect_copy(const struct eu_op *op)
{
    const struct eu_src *s = &op->src[0];
    return op->insn.op == EU_OP_mov && (s->kind == SRC_1X1 || s->kind == SRC_VXH) && op->n <= 16 &&
           !op->extra && plain(s) && (is_small_int(s->type) || s->type == EU_F) &&
           (op->dst.file == EU_GRF || op->dst.null) &&
           (is_small_int(op->dst.type) || op->dst.type == EU_F) && choose_mov(op) == &form_copy;
}

/* ---- the whole ---- */

static eu_run_fn *choose(int gen, struct eu_op *op)
{
    unsigned n_src = eu_op_info(op->insn.op)->n_src, opcode = op->insn.op;
    bool int32 = op->cls == EU_CLASS_INT && op->exec_type != EU_Q;
    const struct forms *forms;
    if (opcode == EU_OP_math)
        return choose_math(gen, op);
    eu_run_fn *acc = choose_acc(gen, op);
    if (acc)
        return acc;
    if (op->cls == EU_CLASS_DF || (op->cls != EU_CLASS_HF && op->dst.size == 8) ||
        (op->cls == EU_CLASS_INT && op->exec_type == EU_Q))
        return choose_wide(gen, op);
    if (op->acc_wr || op->df_dwords || (op->cls != EU_CLASS_F && !int32))
        return NULL;
    if (is_indirect_copy(op))
        return choose_store(gen, op) ? indirect_copy : NULL;
    for (unsigned k = 0; k < n_src; k++) {
        if (!choose_load(gen, op, k))
            return NULL;
    }
    if (!choose_store(gen, op))
        return NULL;
    if (opcode == EU_OP_cmp || opcode == EU_OP_sel)
        forms = choose_compare(op);
    else if (op->cls == EU_CLASS_INT && !choose_condition(op))
        forms = NULL;
    else if (opcode == EU_OP_mov)
        forms = choose_mov(op);
    else
        forms = op->cls == EU_CLASS_F ? choose_float(op) : choose_int(gen, op);
    if (!forms)
        return NULL;
    if (op->n == 1)
        return forms->one;
    if (forms == &form_iadd && op->dst.store == STORE_D16 && op->n >= 8 && op->n <= 16 &&
        !op->modified && !op->extra && is_spread_word(&op->src[0]) && is_spread_word(&op->src[1]))
        return words_iadd;
    bool chooses = opcode == EU_OP_cmp || opcode == EU_OP_sel;
    bool simple = (!op->extra || chooses) && op->pred <= EU_PRED_NORMAL;
    int shape = op->n <= 16 && simple ? direct_shape(op, n_src) : -1;
    if (shape >= 0 && forms->direct[shape][0])
        return forms->direct[shape][op->n == 16];
    return forms->any;
}

/* ---- all of them ---- */

static eu_run_fn *const other_forms[] = {wide_copy,
                                         wide_not,
                                         wide_and,
                                         wide_or,
                                         wide_xor,
                                         wide_shl,
                                         wide_shr,
                                         wide_asr,
                                         wide_iadd,
                                         wide_imul,
                                         wide_cmp_q,
                                         wide_cmp_uq,
                                         wide_sel,
                                         wide_add,
                                         wide_mul,
                                         wide_cmp_df,
                                         wide_int_to_double,
                                         wide_float_to_double,
                                         acc_mul,
                                         acc_mach,
                                         acc_carry,
                                         acc_read,
                                         words_iadd,
                                         indirect_copy,
                                         wide_double_to_float,
#ifdef __AVX2__
                                         wide_mad,
#endif
                                         math_inv,
                                         math_log,
                                         math_exp,
                                         math_sqt,
                                         math_rsqt,
                                         math_sin,
                                         math_cos,
                                         math_fdiv,
                                         math_pow};

static unsigned list(eu_run_fn *out[], unsigned size)
{
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof all_forms / sizeof all_forms[0]; i++) {
        const struct forms *f = all_forms[i];
        eu_run_fn *const *direct = &f->direct[0][0];
        for (unsigned k = 0; k < sizeof f->direct / sizeof direct[0] + 2; k++) {
            eu_run_fn *fn = k < sizeof f->direct / sizeof direct[0]    ? direct[k]
                            : k == sizeof f->direct / sizeof direct[0] ? f->one
                                                                       : f->any;
            if (fn && n < size)
                out[n++] = fn;
        }
    }
    for (unsigned i = 0; i < sizeof other_forms / sizeof other_forms[0] && n < size; i++)
        out[n++] = other_forms[i];
    return n;
}
