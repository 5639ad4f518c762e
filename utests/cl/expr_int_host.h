/* Body of expr_int.c's host_<type>(): included once a type, with T and UT defined. Wrapping arithmetic is
 * what OpenCL C asks; the file is compiled with -fwrapv. */
{
    T a = *(const T *)pa, b = *(const T *)pb, c = *(const T *)pc;
    unsigned i = 0;
    (void)c;
#define E(name, result, ...)                                                                       \
    if (row == i++) {                                                                              \
        result r_##name = (result)(__VA_ARGS__);                                                   \
        memcpy(out, &r_##name, sizeof(r_##name));                                                  \
    }
#include "expr_int.def"
#undef E
}
#undef T
#undef UT
