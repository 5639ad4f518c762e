/* What the reference arithmetic (eu_alu.c) and the steps after it (eu_finish.c) share. */
#ifndef SIM_EU_LANE_H
#define SIM_EU_LANE_H

#include "eu_exec.h"

/* Does `a cond b` hold? a_nan, b_nan: for .un; over: for .ov. */
#define CONDITION(cond, a, b, a_nan, b_nan, over)                                                  \
    ((cond) == EU_COND_Z    ? (a) == (b)                                                           \
     : (cond) == EU_COND_NZ ? !((a) == (b))                                                        \
     : (cond) == EU_COND_G  ? (a) > (b)                                                            \
     : (cond) == EU_COND_GE ? (a) >= (b)                                                           \
     : (cond) == EU_COND_L  ? (a) < (b)                                                            \
     : (cond) == EU_COND_LE ? (a) <= (b)                                                           \
     : (cond) == EU_COND_U  ? (a_nan) || (b_nan)                                                   \
     : (cond) == EU_COND_O  ? (over)                                                               \
                            : false)

static inline bool is_int_type(unsigned type)
{
    return type != EU_F && type != EU_DF && type != EU_HF && type != EU_VF;
}

static inline bool is_dword_type(unsigned type)
{
    return type == EU_D || type == EU_UD;
}

static inline bool is_signed_type(unsigned type)
{
    return type == EU_D || type == EU_W || type == EU_B || type == EU_Q || type == EU_V;
}

/* The low bits of a value. */
static inline i128 wrap(i128 v, unsigned bits, bool sign)
{
    v &= ((i128)1 << bits) - 1;
    if (sign && v >> (bits - 1) & 1)
        v -= (i128)1 << bits;
    return v;
}

/* Bits that an operation without carries works on, and that a sum is left with. */
static inline unsigned work_bits(const struct eu_op *op)
{
    unsigned exec = op->exec_type == EU_Q ? 64 : op->exec_type == EU_D ? 32 : 16;
    unsigned dst = is_int_type(op->dst.type) ? 8u * op->dst.size : 32;
    return exec > dst ? exec : dst;
}

/* The condition sees what is left of a sum in its type, not the carry. A negated unsigned source,
 * or one of the other sign that fills the type, adds a bit that it does see. */
static inline bool eu_sum_wraps(const struct eu_op *op)
{
    bool sign = is_signed_type(op->dst.type);
    if (op->insn.op != EU_OP_add || !is_int_type(op->dst.type))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        const struct eu_src *s = &op->src[k];
        bool source_sign = is_signed_type(s->type);
        if (sign ? !source_sign && 8u * s->size >= work_bits(op) : source_sign || s->negate)
            return false;
    }
    return true;
}

/* Channel of the implicit accumulator: by element for integers, by quarter for floats. */
static inline unsigned implicit_acc(const struct eu_op *op, enum eu_class cls, unsigned i)
{
    return cls == EU_CLASS_INT  ? i
           : cls == EU_CLASS_DF ? (op->group + i) & 7
                                : (op->group + i) & 15;
}

/* A float lane, of whatever format. */
static inline double lane_value(enum eu_class cls, const struct eu_vals *r, unsigned i)
{
    return cls == EU_CLASS_DF ? r->d[i] : (double)r->f[i];
}

/* The NaN an operation on doubles gives; see eu_nan_f(). */
double eu_nan_d(double a, double b, double c);
/* Writes the lanes of an explicit accumulator destination. False: fault recorded. */
bool eu_acc_write(struct eu_thread *t, const struct eu_op *op, uint32_t mask, enum eu_class cls,
                  const struct eu_vals *r);

#endif
