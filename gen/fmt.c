/* See fmt.h. */
#include "gen/fmt.h"

#include <string.h>

/* OpenCL C 6.12.13.2: %[flags][width][.precision][vector][length]conversion. `hl` is of vectors
 * only; `ll`, `z` and `t` aren't in 1.2: what C programmers write by habit. */
static const struct {
    char text[3];
    uint8_t bits;
} lengths[] = {{"hh", 8}, {"hl", 32}, {"h", 16}, {"ll", 64}, {"l", 64}, {"z", 64}, {"t", 64}};

static const struct {
    char conversion;
    uint8_t kind;
} conversions[] = {
    {'d', FMT_SIGNED},   {'i', FMT_SIGNED},   {'o', FMT_UNSIGNED}, {'u', FMT_UNSIGNED},
    {'x', FMT_UNSIGNED}, {'X', FMT_UNSIGNED}, {'f', FMT_FLOAT},    {'F', FMT_FLOAT},
    {'e', FMT_FLOAT},    {'E', FMT_FLOAT},    {'g', FMT_FLOAT},    {'G', FMT_FLOAT},
    {'a', FMT_FLOAT},    {'A', FMT_FLOAT},    {'c', FMT_CHAR},     {'s', FMT_STRING},
    {'p', FMT_POINTER},  {'%', FMT_PERCENT},
};

static const char *read_number(const char *at, int *out)
{
    int n = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        n = n > FMT_MAX_NUMBER ? n : n * 10 + (*at - '0');
    *out = n < FMT_MAX_NUMBER ? n : FMT_MAX_NUMBER;
    return at;
}

static const char *read_flags(const char *at, char *out)
{
    size_t n = 0;
    for (; *at && strchr("-+ #0", *at); at++)
        if (!memchr(out, *at, n))
            out[n++] = *at;
    return at;
}

/* vN with an N that OpenCL has. */
static const char *read_vector(const char *at, uint8_t *out)
{
    int n;
    if (*at != 'v')
        return at;
    const char *end = read_number(at + 1, &n);
    if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16)
        return at;
    *out = (uint8_t)n;
    return end;
}

static const char *read_length(const char *at, uint8_t *out)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = strlen(lengths[i].text);
        if (!strncmp(at, lengths[i].text, n)) {
            *out = lengths[i].bits;
            return at + n;
        }
    }
    return at;
}

const char *fmt_parse(const char *at, struct fmt_spec *out)
{
    const char *start = at++;
    *out = (struct fmt_spec){.kind = FMT_TEXT, .precision = -1};
    at = read_flags(at, out->flags);
    at = read_number(at, &out->width);
    if (*at == '.')
        at = read_number(at + 1, &out->precision);
    at = read_vector(at, &out->n);
    at = read_length(at, &out->bits);
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        if (conversions[i].conversion != *at)
            continue;
        out->kind = conversions[i].kind;
        out->conversion = *at;
        /* only numbers come in vectors, and only they have lengths; but %% is always itself */
        if (out->kind > FMT_FLOAT && (out->n || out->bits))
            out->kind = FMT_TEXT;
        break;
    }
    return out->kind == FMT_TEXT ? start + 1 : at + 1;
}
