/* See printf.h. Numbers are printed by the C library, in the C locale: each conversion becomes one
 * of its own whose argument is a long long or a double. */
#include "src/core/printf.h"

#include "gen/fmt.h"
#include "src/core/budget.h"
#include "src/core/debug.h"
#include "src/core/device.h"
#include "src/gpu/gpu.h"

#include <locale.h>
#include <pthread.h>
#include <string.h>

enum {
    DEFAULT_BITS = 32, /* of a scalar integer without a length */
    BUFFER_BYTES = KBIN_PRINTF_RECORDS + PRINTF_BUFFER_SIZE
};

/* ---- one conversion ---- */

static size_t element_words(const struct kbin_printf_arg *arg)
{
    return arg->bits == 64 ? 2 : 1;
}

/* Element i of an argument; zeros above its bits. */
static uint64_t element(const struct kbin_printf_arg *arg, const uint32_t *words, unsigned i)
{
    uint64_t v = words[i * element_words(arg)];
    if (arg->bits == 64)
        v |= (uint64_t)words[2 * i + 1] << 32;
    return arg->bits < 64 ? v & ((UINT64_C(1) << arg->bits) - 1) : v;
}

static int64_t sign_extended(uint64_t v, unsigned bits)
{
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static double real(uint64_t v, unsigned bits)
{
    double d;
    float f;
    uint32_t low = (uint32_t)v;
    memcpy(&d, &v, sizeof d);
    memcpy(&f, &low, sizeof f);
    return bits == 64 ? d : f;
}

/* The C library's conversion: the same but for the length. */
static const char *host_format(char *buffer, const struct fmt_spec *spec, const char *length,
                               char conversion)
{
    sprintf(buffer, "%%%s*.*%s%c", spec->flags, length, conversion);
    return buffer;
}

/* Characters of the program's constant data up to a NUL. */
static void print_string(FILE *out, const struct kbin *k, const struct fmt_spec *spec,
                         uint64_t offset)
{
    char format[16];
    const char *text = "(null)";
    size_t n = strlen(text);
    if (offset < k->constants_size) {
        text = (const char *)k->constants + offset;
        n = strnlen(text, k->constants_size - offset);
    }
    if (spec->precision >= 0 && (size_t)spec->precision < n)
        n = (size_t)spec->precision;
    if (n > INT32_MAX)
        n = INT32_MAX;
    fprintf(out, host_format(format, spec, "", 's'), spec->width, (int)n, text);
}

static void print_element(FILE *out, const struct kbin *k, const struct fmt_spec *spec,
                          unsigned arg_bits, uint64_t v)
{
    char format[16], text[24];
    unsigned bits = spec->bits ? spec->bits : spec->n ? arg_bits : DEFAULT_BITS;
    switch ((enum fmt_kind)spec->kind) {
    case FMT_SIGNED:
        v = (uint64_t)sign_extended(v, arg_bits);
        fprintf(out, host_format(format, spec, "ll", spec->conversion), spec->width,
                spec->precision, (long long)sign_extended(v, bits));
        break;
    case FMT_UNSIGNED:
        v = bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
        fprintf(out, host_format(format, spec, "ll", spec->conversion), spec->width,
                spec->precision, (unsigned long long)v);
        break;
    case FMT_FLOAT:
        fprintf(out, host_format(format, spec, "", spec->conversion), spec->width, spec->precision,
                real(v, arg_bits));
        break;
    case FMT_CHAR:
        fprintf(out, host_format(format, spec, "", 'c'), spec->width, -1, (int)(unsigned char)v);
        break;
    case FMT_STRING:
        print_string(out, k, spec, v);
        break;
    case FMT_POINTER:
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)v);
        fprintf(out, host_format(format, spec, "", 's'), spec->width, -1, text);
        break;
    case FMT_TEXT:
    case FMT_PERCENT:
        break;
    }
}

/* ---- records ---- */

static size_t record_words(const struct kbin_printf *row)
{
    size_t n = 1;
    for (uint32_t i = 0; i < row->n_args; i++)
        n += row->args[i].n * element_words(&row->args[i]);
    return n;
}

/* A conversion without an argument stands for itself. */
static void print_record(FILE *out, const struct kbin *k, const struct kbin_printf *row,
                         const uint32_t *words)
{
    uint32_t next = 0;
    for (const char *at = row->format; *at;) {
        const char *percent = strchrnul(at, '%');
        fwrite(at, 1, (size_t)(percent - at), out);
        if (!*percent)
            break;
        struct fmt_spec spec;
        at = fmt_parse(percent, &spec);
        if (!fmt_takes(&spec) || next == row->n_args) {
            fwrite(percent, 1, spec.kind == FMT_PERCENT ? 1 : (size_t)(at - percent), out);
            continue;
        }
        const struct kbin_printf_arg *arg = &row->args[next++];
        unsigned n = spec.n < arg->n ? spec.n : arg->n;
        for (unsigned i = 0; i < (n ? n : 1); i++) {
            if (i)
                putc(',', out);
            print_element(out, k, &spec, arg->bits, element(arg, words, i));
        }
        words += arg->n * element_words(arg);
    }
}

void printf_records(FILE *out, const struct kbin *k, const void *buffer, size_t size)
{
    const uint32_t *words = (const uint32_t *)((const char *)buffer + KBIN_PRINTF_RECORDS);
    uint32_t taken = *(const uint32_t *)((const char *)buffer + KBIN_PRINTF_TAKEN);
    size_t n = (size - KBIN_PRINTF_RECORDS) / 4;
    if (taken / 4 < n)
        n = taken / 4;
    for (size_t at = 0; at < n && words[at];) { /* 0: where the first that didn't fit would be */
        uint32_t number = words[at] - 1;
        size_t length = number < k->n_printfs ? record_words(&k->printfs[number]) : SIZE_MAX;
        if (length > n - at) {
            debug_log(DEBUG_memory, "printf buffer: no record at %zu of %zu words", at, n);
            break;
        }
        print_record(out, k, &k->printfs[number], words + at + 1);
        at += length;
    }
}

static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void printf_buffer_print(const struct kbin *k, struct bo *buffer)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *bytes = bo_map(buffer);
    uint32_t taken;
    memcpy(&taken, bytes + KBIN_PRINTF_TAKEN, sizeof taken);
    if (!taken)
        return;
    pthread_once(&once, make_locale);
    locale_t old = uselocale(c_locale);
    flockfile(stdout); /* what one launch prints stays together */
    printf_records(stdout, k, bytes, BUFFER_BYTES);
    fflush(stdout);
    funlockfile(stdout);
    uselocale(old);
}

/* ---- buffers ---- */

bool printf_used(const struct kbin_kernel *k)
{
    for (uint32_t i = 0; i < k->n_params; i++)
        if (k->params[i].kind == KBIN_PARAM_PRINTF)
            return true;
    return false;
}

struct bo *printf_buffer_new(cl_device_id dev)
{
    static const uint32_t capacity = PRINTF_BUFFER_SIZE;
    if (!budget_bytes(dev, BUFFER_BYTES))
        return NULL;
    for (unsigned attempt = 0;;) {
        struct bo *bo = bo_new(dev->gpu, "printf", BUFFER_BYTES);
        char *bytes = bo ? bo_map(bo) : NULL;
        if (bytes) {
            memset(bytes, 0, BUFFER_BYTES);
            memcpy(bytes + KBIN_PRINTF_CAPACITY, &capacity, sizeof capacity);
            budget_forget(&dev->budget, bo_size(bo), true); /* only the command keeps it */
            return bo;
        }
        bo_release(bo);
        if (!budget_retry(dev, &attempt))
            return NULL;
    }
}

void printf_buffer_free(cl_device_id dev, struct bo *buffer)
{
    if (!buffer)
        return;
    budget_forget(&dev->budget, bo_size(buffer), false);
    bo_release(buffer);
}
