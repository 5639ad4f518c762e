/* The conversion specifications of OpenCL C's printf (6.12.13): what a format asks for. Read by the
 * compiler, which decides from it how arguments are passed, and by the driver, which prints them.
 * Any bytes are allowed. */
#ifndef GEN_FMT_H
#define GEN_FMT_H

#include <stdbool.h>
#include <stdint.h>

enum fmt_kind {
    FMT_TEXT, /* not one of OpenCL's: stands for itself, takes no argument */
    FMT_PERCENT,
    FMT_SIGNED,
    FMT_UNSIGNED,
    FMT_FLOAT,
    FMT_CHAR,
    FMT_STRING,
    FMT_POINTER
};

enum { FMT_MAX_NUMBER = 4095 }; /* of width and precision; larger ones become this */

struct fmt_spec {
    uint8_t kind;    /* enum fmt_kind */
    char conversion; /* d i o u x X f F e E g G a A c s p % */
    uint8_t bits;    /* of the length modifier; 0: none */
    uint8_t n;       /* elements of vN; 0: a scalar */
    char flags[6];   /* those that are there, each once */
    int width;       /* 0: none */
    int precision;   /* -1: none */
};

/* Reads the specification whose '%' is at `at`; returns where the text goes on. */
const char *fmt_parse(const char *at, struct fmt_spec *out);
/* Whether it takes an argument. */
static inline bool fmt_takes(const struct fmt_spec *s)
{
    return s->kind > FMT_PERCENT;
}

#endif
