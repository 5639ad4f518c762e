/* Where headers and fields of packets lie, as constants, and setters to go with them. cmd.c is made
 * of these; where generation and field are constants, as in the driver's state.c, a setter comes
 * down to a few moves. */
#ifndef GEN_CMD_PLACE_H
#define GEN_CMD_PLACE_H

#include "gen/cmd.h"

#include <assert.h>
#include <string.h>

enum cmd_field_kind { CMD_KIND_UINT, CMD_KIND_FLAG, CMD_KIND_BYTES };

struct cmd_header {
    uint32_t value;
    uint16_t length; /* dwords; 0 = absent on this generation */
    uint16_t mask;   /* of the length field */
};

struct cmd_place {
    bool present;
    uint8_t dw, hi, lo;
};

#define UINT  CMD_KIND_UINT
#define FLAG  CMD_KIND_FLAG
#define BYTES CMD_KIND_BYTES
#define NONE                                                                                       \
    {                                                                                              \
        0                                                                                          \
    }
#define HDR(value, length, mask)                                                                   \
    {                                                                                              \
        value, length, mask                                                                        \
    }
#define AT(dw, hi, lo)                                                                             \
    {                                                                                              \
        true, dw, hi, lo                                                                           \
    }
/* by packet and column of the generation */
static const struct cmd_header cmd_headers[CMD_N][4] = {
#define CMD(name, kind, h70, h75, h80, h90) {h70, h75, h80, h90},
#define CMD_FIELD(...)
#include "gen/cmd.def"
#undef CMD
#undef CMD_FIELD
};
static const struct {
    uint8_t kind;
    struct cmd_place place[4];
} cmd_places[CMD_N_FIELDS] = {
#define CMD(...)
#define CMD_FIELD(packet, field, kind, a70, a75, a80, a90) {kind, {a70, a75, a80, a90}},
#include "gen/cmd.def"
#undef CMD
#undef CMD_FIELD
};
#undef UINT
#undef FLAG
#undef BYTES
#undef NONE
#undef HDR
#undef AT

/* Column of a generation in the tables. */
static inline unsigned cmd_column(int gen)
{
    assert(gen == 70 || gen == 75 || gen == 80 || gen == 90);
    return gen == 70 ? 0 : gen == 75 ? 1 : gen == 80 ? 2 : 3;
}

static inline uint64_t cmd_ones(unsigned n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* As cmd_init and cmd_set. */
static inline void cmd_start(int gen, enum cmd_id id, uint32_t *dw)
{
    const struct cmd_header *h = &cmd_headers[id][cmd_column(gen)];
    assert(h->length != 0);
    memset(dw, 0, h->length * sizeof *dw);
    dw[0] = h->value;
}

static inline void cmd_put(int gen, uint32_t *dw, enum cmd_field f, uint64_t value)
{
    const struct cmd_place *p = &cmd_places[f].place[cmd_column(gen)];
    assert(p->present);
    if (cmd_places[f].kind == CMD_KIND_BYTES) {
        assert((value & cmd_ones(p->lo)) == 0);
        value >>= p->lo;
    }
    uint64_t mask = cmd_ones(p->hi - p->lo + 1);
    assert((value & ~mask) == 0);
    if (p->hi < 32) {
        dw[p->dw] = (dw[p->dw] & ~(uint32_t)(mask << p->lo)) | (uint32_t)(value << p->lo);
    } else {
        uint64_t both = dw[p->dw] | (uint64_t)dw[p->dw + 1] << 32;
        both = (both & ~(mask << p->lo)) | value << p->lo;
        dw[p->dw] = (uint32_t)both;
        dw[p->dw + 1] = (uint32_t)(both >> 32);
    }
}

#endif
