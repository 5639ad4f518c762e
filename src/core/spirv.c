/* See spirv.h. Source: SPIR-V specification, sections 2.3 (physical layout), 3.42 (instructions).
 */
#include "src/core/spirv.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAGIC = 0x07230203,
    HEADER_WORDS = 5,
    FIRST_VERSION = 0x10000,
    LAST_VERSION = 0x10200,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1
};

static unsigned opcode(const uint32_t *insn)
{
    return *insn & 0xffff;
}

static size_t length(const uint32_t *insn)
{
    return *insn >> 16;
}

/* Each instruction is as long as it says, and the last ends with the module. */
static bool well_formed(const uint32_t *m, size_t n)
{
    if (n < HEADER_WORDS || m[0] != MAGIC || m[1] < FIRST_VERSION || m[1] > LAST_VERSION)
        return false;
    for (size_t i = HEADER_WORDS; i < n; i += length(m + i))
        if (length(m + i) == 0 || length(m + i) > n - i)
            return false;
    return true;
}

uint32_t *spirv_copy(const void *bytes, size_t size, enum spirv_refusal *why)
{
    *why = SPIRV_MALFORMED;
    if (size % sizeof(uint32_t) || size < HEADER_WORDS * sizeof(uint32_t))
        return NULL;
    uint32_t *m = malloc(size);
    if (!m) {
        *why = SPIRV_NO_MEMORY;
        return NULL;
    }
    memcpy(m, bytes, size);
    for (size_t i = 0; *m == __builtin_bswap32(MAGIC) && i < size / sizeof *m; i++)
        m[size / sizeof *m - 1 - i] = __builtin_bswap32(m[size / sizeof *m - 1 - i]);
    if (well_formed(m, size / sizeof *m))
        return m;
    free(m);
    return NULL;
}

#define for_each_instruction(insn, m, size)                                                        \
    for (const uint32_t *insn = (m) + HEADER_WORDS, *end_ = (m) + (size) / sizeof(uint32_t);       \
         insn < end_; insn += length(insn))

static bool is_spec_id(const uint32_t *insn)
{
    return opcode(insn) == OP_DECORATE && length(insn) == 4 && insn[2] == DECORATION_SPEC_ID;
}

bool spirv_has_constants(const uint32_t *m, size_t size)
{
    for_each_instruction(i, m, size) if (is_spec_id(i)) return true;
    return false;
}

/* The scalar constant with that result id; NULL if there is none. */
static const uint32_t *find_constant(const uint32_t *m, size_t size, uint32_t id)
{
    for_each_instruction(i, m, size)
    {
        unsigned op = opcode(i);
        if ((op == OP_SPEC_CONSTANT_TRUE || op == OP_SPEC_CONSTANT_FALSE ||
             op == OP_SPEC_CONSTANT) &&
            length(i) >= 3 && i[2] == id)
            return i;
    }
    return NULL;
}

/* Bits of the type of a constant. */
static unsigned type_bits(const uint32_t *m, size_t size, const uint32_t *constant, bool *is_signed)
{
    *is_signed = false;
    for_each_instruction(i, m, size)
    {
        unsigned op = opcode(i);
        if ((op == OP_TYPE_INT || op == OP_TYPE_FLOAT) && length(i) >= 3 && i[1] == constant[1]) {
            *is_signed = op == OP_TYPE_INT && length(i) >= 4 && i[3];
            return i[2];
        }
    }
    return 0;
}

static size_t value_size(const uint32_t *m, size_t size, const uint32_t *constant, bool *is_signed)
{
    *is_signed = false;
    if (opcode(constant) != OP_SPEC_CONSTANT)
        return 1;
    unsigned bits = type_bits(m, size, constant, is_signed);
    size_t words = bits > 32 ? 2 : 1;
    return bits % 8 == 0 && bits <= 64 && length(constant) == 3 + words ? bits / 8 : 0;
}

size_t spirv_constant_size(const uint32_t *m, size_t size, uint32_t spec_id)
{
    bool is_signed;
    for_each_instruction(i, m, size)
    {
        const uint32_t *c = is_spec_id(i) && i[3] == spec_id ? find_constant(m, size, i[1]) : NULL;
        if (c)
            return value_size(m, size, c, &is_signed);
    }
    return 0;
}

static void store(uint32_t *m, size_t size, uint32_t *constant, const void *value)
{
    bool is_signed;
    size_t n = value_size(m, size, constant, &is_signed);
    if (opcode(constant) != OP_SPEC_CONSTANT) {
        bool on = *(const uint8_t *)value;
        *constant = (uint32_t)length(constant) << 16 |
                    (on ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE);
        return;
    }
    /* Narrow literals fill a word, by the sign where the type has one. */
    uint64_t bits = 0;
    memcpy(&bits, value, n);
    if (is_signed && n < 4 && bits >> (8 * n - 1))
        bits |= ~0ull << 8 * n;
    memcpy(constant + 3, &bits, n > 4 ? 8 : 4);
}

void spirv_set_constant(uint32_t *m, size_t size, uint32_t spec_id, const void *value)
{
    bool is_signed;
    size_t n = spirv_constant_size(m, size, spec_id);
    for_each_instruction(i, m, size)
    {
        const uint32_t *c = is_spec_id(i) && i[3] == spec_id ? find_constant(m, size, i[1]) : NULL;
        if (c && value_size(m, size, c, &is_signed) == n) /* there are n bytes of the value */
            store(m, size, m + (c - m), value);
    }
}
