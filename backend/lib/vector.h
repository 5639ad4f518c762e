/* Vector overloads of a scalar function: halves down to the scalar. */
#ifndef GEN_LIB_VECTOR_H
#define GEN_LIB_VECTOR_H

#define OVER __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))

#define MAP1(R, name, A)                                                                           \
    R##2 PURE name(A##2 a)                                                                         \
    {                                                                                              \
        return (R##2)(name(a.s0), name(a.s1));                                                     \
    }                                                                                              \
    R##3 PURE name(A##3 a)                                                                         \
    {                                                                                              \
        return (R##3)(name(a.s01), name(a.s2));                                                    \
    }                                                                                              \
    R##4 PURE name(A##4 a)                                                                         \
    {                                                                                              \
        return (R##4)(name(a.lo), name(a.hi));                                                     \
    }                                                                                              \
    R##8 PURE name(A##8 a)                                                                         \
    {                                                                                              \
        return (R##8)(name(a.lo), name(a.hi));                                                     \
    }                                                                                              \
    R##16 PURE name(A##16 a)                                                                       \
    {                                                                                              \
        return (R##16)(name(a.lo), name(a.hi));                                                    \
    }
#define MAP2(R, name, A, B)                                                                        \
    R##2 PURE name(A##2 a, B##2 b)                                                                 \
    {                                                                                              \
        return (R##2)(name(a.s0, b.s0), name(a.s1, b.s1));                                         \
    }                                                                                              \
    R##3 PURE name(A##3 a, B##3 b)                                                                 \
    {                                                                                              \
        return (R##3)(name(a.s01, b.s01), name(a.s2, b.s2));                                       \
    }                                                                                              \
    R##4 PURE name(A##4 a, B##4 b)                                                                 \
    {                                                                                              \
        return (R##4)(name(a.lo, b.lo), name(a.hi, b.hi));                                         \
    }                                                                                              \
    R##8 PURE name(A##8 a, B##8 b)                                                                 \
    {                                                                                              \
        return (R##8)(name(a.lo, b.lo), name(a.hi, b.hi));                                         \
    }                                                                                              \
    R##16 PURE name(A##16 a, B##16 b)                                                              \
    {                                                                                              \
        return (R##16)(name(a.lo, b.lo), name(a.hi, b.hi));                                        \
    }
#define MAP3(R, name, A)                                                                           \
    R##2 PURE name(A##2 a, A##2 b, A##2 c)                                                         \
    {                                                                                              \
        return (R##2)(name(a.s0, b.s0, c.s0), name(a.s1, b.s1, c.s1));                             \
    }                                                                                              \
    R##3 PURE name(A##3 a, A##3 b, A##3 c)                                                         \
    {                                                                                              \
        return (R##3)(name(a.s01, b.s01, c.s01), name(a.s2, b.s2, c.s2));                          \
    }                                                                                              \
    R##4 PURE name(A##4 a, A##4 b, A##4 c)                                                         \
    {                                                                                              \
        return (R##4)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi));                             \
    }                                                                                              \
    R##8 PURE name(A##8 a, A##8 b, A##8 c)                                                         \
    {                                                                                              \
        return (R##8)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi));                             \
    }                                                                                              \
    R##16 PURE name(A##16 a, A##16 b, A##16 c)                                                     \
    {                                                                                              \
        return (R##16)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi));                            \
    }

#endif
