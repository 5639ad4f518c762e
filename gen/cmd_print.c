/* A packet as text, for dumps and traces. */
#include "gen/cmd.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Appends to buf as snprintf would; *n counts what the whole text needs. */
static void __attribute__((format(printf, 4, 5)))
put(char *buf, size_t size, size_t *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    size_t at = *n < size ? *n : size;
    int r = vsnprintf(buf ? buf + at : NULL, size - at, fmt, ap);
    va_end(ap);
    if (r > 0)
        *n += r;
}

int cmd_print(int gen, enum cmd_id id, const uint32_t *dw, unsigned length, char *buf, size_t size)
{
    size_t n = 0;
    put(buf, size, &n, "%s (%u dwords)\n", cmd_name(id), length);
    for (unsigned i = 0; i < CMD_N_FIELDS; i++) {
        enum cmd_field f = i;
        unsigned at, hi, lo;
        if (cmd_field_packet(f) != id || !cmd_field_bits(gen, f, &at, &hi, &lo) ||
            at + hi / 32 >= length)
            continue;
        uint64_t value = cmd_get(gen, dw, f);
        if (value == 0)
            continue;
        if (hi == lo && value == 1)
            put(buf, size, &n, "    %s\n", cmd_field_name(f));
        else if (value < 10)
            put(buf, size, &n, "    %s: %" PRIu64 "\n", cmd_field_name(f), value);
        else
            put(buf, size, &n, "    %s: %" PRIu64 " (0x%" PRIx64 ")\n", cmd_field_name(f), value,
                value);
    }
    unsigned where;
    if (cmd_reserved(gen, id, dw, length, &where))
        put(buf, size, &n, "    dword %u: 0x%08x has bits that no field names\n", where, dw[where]);
    return (int)n;
}
